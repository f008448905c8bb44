//! What the rules need to know of the avatars and clips of a pack: plain facts that whoever opened the files hands in.

use std::collections::{BTreeMap, BTreeSet};

/// What was found in the files of a pack, by path in the pack. A file that is not in here was not opened, and no rule says anything of its contents.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The 3D avatars.
    pub avatars: BTreeMap<String, AvatarFacts>,
    /// The clips.
    pub clips: BTreeMap<String, ClipFacts>,
}

/// What a 3D avatar holds. Names of nodes are in the spelling of three.js.
#[derive(Debug, Clone, Default)]
pub struct AvatarFacts {
    /// Each part (a node with a mesh) and the names of its shape keys.
    pub parts: BTreeMap<String, Vec<String>>,
    /// The names of the materials, as they are; a name can appear twice.
    pub materials: Vec<String>,
    /// The names of all other nodes.
    pub bones: BTreeSet<String>,
    /// Humanoid bone to node, from the VRM data; empty for a plain GLB.
    pub humanoid: BTreeMap<String, String>,
    /// The names of the expressions.
    pub expressions: BTreeSet<String>,
    /// The names of the animations, as they are; a name can appear twice.
    pub animations: Vec<String>,
    /// True when it declares spring bones.
    pub has_springs: bool,
}

/// What a clip holds. Names of nodes are in the spelling of three.js.
#[derive(Debug, Clone, Default)]
pub struct ClipFacts {
    /// The names of all nodes.
    pub nodes: BTreeSet<String>,
    /// The names of the nodes that move.
    pub moving: BTreeSet<String>,
    /// True when the file itself says which node is which humanoid bone.
    pub has_humanoid: bool,
    /// From the first key to the last, in seconds.
    pub duration_seconds: f64,
}
