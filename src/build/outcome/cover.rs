//! The cover masks of a look.

use serde::{Deserialize, Serialize};

/// Which triangles an outfit hides.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cover {
    /// The outfit's key, `default` for a look without outfits.
    pub outfit: String,
    /// All that is drawn with it.
    pub triangles: usize,
    /// The sum of the bits.
    pub hidden: usize,
    /// The masks.
    pub parts: Vec<CoverPart>,
}

/// The mask of one primitive drawn by one node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CoverPart {
    /// Index in the document.
    pub node: usize,
    /// Index in the document.
    pub mesh: usize,
    /// Index in the mesh.
    pub primitive: usize,
    /// In its index buffer.
    pub triangles: usize,
    /// The sum of the bits.
    pub hidden: usize,
    /// Base64; triangle t is bit `t & 7` of byte `t >> 3`, 1 = hidden.
    pub bits: String,
}
