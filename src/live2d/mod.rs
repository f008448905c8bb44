//! Live2D Cubism models: the zip that a look ships, the .model3.json and the files that it names, the .moc3.
//!
//! Sources: the JSON schemas of Live2D's CubismSpecs; for the .moc3 see [`moc3`].

pub mod moc3;
pub mod bundle;
mod extras;
pub mod head;
pub mod json;
pub mod model;
pub mod motion;
pub mod picture;
pub mod pose;
pub mod repack;

pub use bundle::{Bundle, open};
