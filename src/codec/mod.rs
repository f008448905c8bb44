//! Bytes in, bytes out: the only home of foreign codecs.

pub mod fbx;
pub mod image;
pub mod jobserver;
pub mod meshopt;
pub mod png;
pub mod webp;
pub mod zip;
