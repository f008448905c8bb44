//! What VRM 0.x and VRM 1.0 add to a glTF file, seen alike whatever the version.

pub mod avatar;
pub mod expressions;
pub mod humanoid;
pub mod refs;
pub mod springs;

pub use avatar::Avatar;

use crate::gltf::Document;
use serde_json::Value;

/// The version of the VRM data in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// `VRM`: 0.x.
    V0,
    /// `VRMC_vrm`: 1.0.
    V1,
}

/// Which VRM a file is; `None` for plain glTF. A file that carries both is read as 1.0, as three-vrm does.
pub fn version(document: &Document) -> Option<Version> {
    if document.extension("VRMC_vrm").is_some() { Some(Version::V1) } else { document.extension("VRM").map(|_| Version::V0) }
}

/// The text in a member of an object; nothing when it is missing, empty or of another type.
fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}
