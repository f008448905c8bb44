//! What a pack's manifests say, as written, and the rules that they must keep.

pub mod manifest;
pub mod node;
