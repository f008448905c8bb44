//! What the rules need to know of the files of a pack: plain facts that whoever opened them hands in.

use std::collections::{BTreeMap, BTreeSet};

/// What was found in the files of a pack, by path in the pack. A file that is not in here was not opened, or cannot be: no rule says anything
/// of its contents.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The 3D avatars.
    pub avatars: BTreeMap<String, AvatarFacts>,
    /// The clips and embedded animations, by the path of the manifest and the number of the motion that plays them.
    pub clips: BTreeMap<(String, usize), ClipFacts>,
    /// The looks, by the path of the manifest.
    pub looks: BTreeMap<String, LookFacts>,
    /// The models of items.
    pub items: BTreeMap<String, ItemFacts>,
    /// Thumbnails and backgrounds.
    pub pictures: BTreeMap<String, PictureFacts>,
    /// The Live2D models.
    pub live2d: BTreeMap<String, Live2dFacts>,
    /// The words of the format's open lists.
    pub words: Words,
}

/// The words that are known of the lists that the format does not give in full.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// Cues of motions.
    pub cues: BTreeSet<String>,
    /// Engine behaviours.
    pub behaviours: BTreeSet<String>,
    /// Keys of built-in looks.
    pub looks: BTreeSet<String>,
    /// Voice providers.
    pub providers: BTreeSet<String>,
    /// Slots of a face map, beside those that the format names.
    pub face_slots: BTreeSet<String>,
}

/// What a 3D avatar holds. Names of nodes are in the spelling of three.js.
#[derive(Debug, Clone, Default)]
pub struct AvatarFacts {
    /// Each part: a node with a mesh.
    pub parts: BTreeMap<String, PartFacts>,
    /// The names that three.js gives to the primitives of a part that has several, with that part.
    pub pieces: BTreeMap<String, String>,
    /// The names of the materials, as they are; a name can appear twice.
    pub materials: Vec<String>,
    /// All other nodes.
    pub bones: BTreeMap<String, BoneFacts>,
    /// The names as they stand in the file, with those of three.js, where the two differ.
    pub spelled: BTreeMap<String, String>,
    /// Humanoid bone to node, from the VRM data; empty for a plain GLB.
    pub humanoid: BTreeMap<String, String>,
    /// The names of the expressions.
    pub expressions: BTreeSet<String>,
    /// The names of the animations, as they are; a name can appear twice.
    pub animations: Vec<String>,
    /// Which VRM it is: `0.x` or `1.0`; `None` for a plain GLB.
    pub vrm: Option<&'static str>,
    /// True when it declares spring bones.
    pub has_springs: bool,
    /// True when VRoid Studio made it.
    pub is_vroid: bool,
    /// Two names as they stand in the file, and the one that both become.
    pub collisions: Vec<[String; 3]>,
    /// Names that every JavaScript object has a member of.
    pub unspeakable: Vec<String>,
    /// Meshes, and the node of the same name that is not theirs.
    pub mesh_clashes: Vec<String>,
    /// Required extensions that a stage may not read.
    pub strange_extensions: Vec<String>,
    /// Why the shrink script that others use refuses it; empty when it does not.
    pub beyond_script: Vec<&'static str>,
    /// Triangles drawn.
    pub triangles: usize,
    /// Longest side of its largest texture, in pixels.
    pub texture_side: u32,
    /// Memory of its textures on the graphics card, in bytes.
    pub texture_memory: u64,
    /// Morph targets, summed over the meshes.
    pub morph_targets: usize,
    /// Memory of its morph targets on the graphics card, in bytes.
    pub morph_memory: u64,
}

impl AvatarFacts {
    /// The three.js spelling of a name as it may have been written: raw, or only unsanitised. `None` when it is right or nobody's.
    pub fn respelled(&self, written: &str) -> Option<&str> {
        if self.parts.contains_key(written) || self.bones.contains_key(written) {
            return None;
        }
        if let Some(name) = self.spelled.get(written) {
            return Some(name);
        }
        let clean = crate::gltf::names::sanitize(written);
        self.parts
            .get_key_value(&clean)
            .map(|(name, _)| name)
            .or_else(|| self.bones.get_key_value(&clean).map(|(name, _)| name))
            .map(String::as_str)
    }

    /// True when the name is of a node.
    pub fn has_node(&self, name: &str) -> bool {
        self.parts.contains_key(name) || self.bones.contains_key(name)
    }

    /// The names of all nodes.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.parts.keys().chain(self.bones.keys()).map(String::as_str)
    }
}

/// A node with a mesh.
#[derive(Debug, Clone, Default)]
pub struct PartFacts {
    /// The names of its shape keys.
    pub shapes: Vec<String>,
    /// The names of its materials, each once.
    pub materials: BTreeSet<String>,
}

/// A node without a mesh.
#[derive(Debug, Clone, Default)]
pub struct BoneFacts {
    /// The node above it.
    pub parent: Option<String>,
    /// How many nodes are right below it.
    pub children: usize,
    /// How many vertices it or a node below it moves.
    pub vertices: usize,
    /// How many it moves itself.
    pub own_vertices: usize,
    /// True when a shape key moves one of those that it or a node below it moves. Not looked at where the avatar has springs.
    pub is_shaped: bool,
    /// Height at rest, in metres from the avatar's origin.
    pub height: f64,
    /// Which way it lies from the hips, in degrees about the vertical axis: 0 in front of her, 90 to her left. `None` when it lies on the axis.
    pub azimuth: Option<f64>,
    /// True when it is part of a spring.
    pub is_spring: bool,
}

/// How the clip of a motion plays on its look. Names of nodes are in the spelling of three.js, names of bones as VRM 1.0 has them.
#[derive(Debug, Clone, Default)]
pub struct ClipFacts {
    /// The names of all nodes.
    pub nodes: BTreeSet<String>,
    /// The names of the nodes that move.
    pub moving: BTreeSet<String>,
    /// The moving nodes that are no humanoid bones.
    pub part_bones: BTreeSet<String>,
    /// True when the file itself says which node is which humanoid bone.
    pub has_humanoid: bool,
    /// True when a mapped humanoid bone has a channel.
    pub is_body_animated: bool,
    /// The humanoid bones that change.
    pub moving_bones: BTreeSet<String>,
    /// The names of all animations in the file, as they are.
    pub animations: Vec<String>,
    /// Which of them plays.
    pub chosen: usize,
    /// From the first key to the last, in seconds.
    pub duration_seconds: f64,
    /// Time of the first key, in seconds.
    pub first_key_seconds: f64,
    /// The joint that jumps farthest when the clip starts over, in degrees.
    pub seam: Option<(String, f64)>,
    /// The joint that turns farthest from the first pose to the last, in degrees.
    pub change: Option<(String, f64)>,
    /// The turn of each humanoid bone when it starts, and when it ends: bone, and x, y, z, w.
    pub poses: [Vec<(&'static str, [f64; 4])>; 2],
    /// Meshes in the file.
    pub meshes: usize,
    /// Pictures in the file.
    pub pictures: usize,
    /// Bytes of both, 0 when not known.
    pub dead_bytes: u64,
    /// Names that two nodes have.
    pub repeated: Vec<String>,
    /// Keys are compressed or integers.
    pub is_compressed: bool,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// About so many of them are keys that a build takes out; 0 when that was not worked out.
    pub spared_bytes: u64,
    /// The bone map that its nodes suggest, as JSON.
    pub suggested_rig: Option<String>,
    /// What is odd about its bone map.
    pub rig: RigFacts,
    /// On its avatar, when its role is walk.
    pub walk: Option<WalkFacts>,
}

/// What a bone map looks like on the nodes that it names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RigFacts {
    /// Bones that hang on the wrong bone, in words.
    pub disorder: Vec<String>,
    /// Left and right look swapped.
    pub is_mirrored: bool,
}

/// A walk on its avatar. Lengths are in body heights.
#[derive(Debug, Clone, Default)]
pub struct WalkFacts {
    /// Why it cannot be measured.
    pub why: Option<String>,
    /// Its speed, 0 when it cannot be measured.
    pub speed: f64,
    /// How far the clip itself goes.
    pub travel: f64,
    /// The same in metres.
    pub travel_meters: f64,
    /// From straight ahead, in degrees.
    pub heading_degrees: f64,
}

/// What is known of a look beside its avatar.
#[derive(Debug, Clone, Default)]
pub struct LookFacts {
    /// For a plain GLB without a rig: the bone map that its nodes suggest, as JSON.
    pub suggested_rig: Option<String>,
    /// What is odd about the look's bone map.
    pub rig: RigFacts,
}

/// What the model of an item holds.
#[derive(Debug, Clone, Default)]
pub struct ItemFacts {
    /// How many meshes.
    pub meshes: usize,
    /// How many skins.
    pub skins: usize,
    /// How many animations.
    pub animations: usize,
    /// Its textures.
    pub textures: Vec<TextureFacts>,
    /// True when a buffer or picture stands in it as a data URI.
    pub has_data_uris: bool,
    /// The corners of the box around it, in metres from its origin; `None` when it draws nothing.
    pub bounds: Option<[[f64; 3]; 2]>,
}

/// A picture in a glTF file.
#[derive(Debug, Clone, Default)]
pub struct TextureFacts {
    /// How a message calls it.
    pub name: String,
    /// What it is, when it is known here: `PNG`, `KTX2`.
    pub format: Option<&'static str>,
    /// Width and height, in pixels; 0 when they are not known.
    pub size: [u32; 2],
}

/// A thumbnail or background.
#[derive(Debug, Clone, Default)]
pub struct PictureFacts {
    /// Why it does not decode, if so.
    pub damage: Option<String>,
    /// True when it moves.
    pub is_animated: bool,
    /// Width and height, in pixels.
    pub size: [u32; 2],
    /// Bytes of the file.
    pub bytes: u64,
    /// True for a JPEG.
    pub is_jpeg: bool,
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
    /// Where her head was measured at rest, as heights on the canvas: bottom and top, 0 = its bottom edge, 1 = its top edge.
    pub head: Option<[f64; 2]>,
    /// The drawable of the hit area that is called head or face, in the same way.
    pub head_area: Option<[f64; 2]>,
    /// The ids of the drawables that cover the whole canvas.
    pub backgrounds: Vec<String>,
    /// Memory of its textures on the graphics card, in bytes.
    pub texture_memory: u64,
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
