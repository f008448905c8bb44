//! What the rules need to know of the avatars and clips of a pack: plain facts that whoever opened the files hands in.

use std::collections::{BTreeMap, BTreeSet};

/// What was found in the files of a pack, by path in the pack. A file that is not in here was not opened, and no rule says anything of its contents.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The 3D avatars.
    pub avatars: BTreeMap<String, AvatarFacts>,
    /// The clips.
    pub clips: BTreeMap<String, ClipFacts>,
    /// The Live2D models.
    pub live2d: BTreeMap<String, Live2dFacts>,
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

/// What the zip of a Live2D look holds.
#[derive(Debug, Clone, Default)]
pub struct Live2dFacts {
    /// The parameters of the model, in its order.
    pub parameters: Vec<ParameterFacts>,
    /// The motions in the zip, by their path from the model's own folder.
    pub motions: BTreeMap<String, Live2dMotionFacts>,
    /// The model's own folder in the zip, empty or with a `/` at its end.
    pub folder: String,
}

/// A parameter of a Live2D model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParameterFacts {
    /// Its id.
    pub id: String,
    /// The least value.
    pub minimum: f64,
    /// The greatest value.
    pub maximum: f64,
}

/// A motion of a Live2D model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Live2dMotionFacts {
    /// In seconds.
    pub duration_seconds: f64,
    /// The parameters whose last value is not their first, so that they jump when it is played in a loop.
    pub jumps: Vec<String>,
}
