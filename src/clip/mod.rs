//! One motion, from a VRM animation, a GLB, an FBX or an avatar: which nodes move and how, and what is wrong with the file.
//!
//! Lengths are metres and +Y is up, whatever the file has; a clip whose humanoid is known looks to +Z.

pub mod channel;
pub mod facing;
mod fbx;
mod gltf;
pub mod moving;
pub mod retarget;
pub mod skeleton;
pub mod suggest;

pub use channel::{Channel, Interpolation, Property};
pub use retarget::Retarget;
pub use skeleton::{Skeleton, Transform};

use crate::gltf::Document;
use crate::report::Report;
use crate::vrm::humanoid::{BONES, Bone};
use bytes::Bytes;
use std::collections::BTreeMap;

/// What a clip was read from, which decides how it plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A VRM animation: only its humanoid, expressions and gaze play.
    Vrma,
    /// A GLB with VRM data or a rig.
    Gltf,
    /// An FBX with a rig.
    Fbx,
    /// An animation inside the avatar: its channels move the avatar's own nodes.
    Avatar,
}

/// One motion.
#[derive(Debug, Clone)]
pub struct Clip {
    /// What it was read from.
    pub kind: Kind,
    /// The names of all animations (FBX: takes) of the file, as they are; may be empty texts.
    pub animations: Vec<String>,
    /// Which of them this is.
    pub chosen: usize,
    /// The nodes of the file at rest.
    pub skeleton: Skeleton,
    /// Humanoid bones, from the file itself or from a rig.
    pub bones: Vec<Bone>,
    /// True when the file itself says which node is which bone.
    pub has_humanoid: bool,
    /// Name and node of each expression that it moves.
    pub expressions: Vec<(String, usize)>,
    /// The node whose rotation is the gaze.
    pub look_at: Option<usize>,
    /// What moves. No two channels move one property of a node.
    pub channels: Vec<Channel>,
    /// Time of the first key of all, in seconds.
    pub first_key: f64,
    /// Time of the last key of all, in seconds: how long three.js plays it, from 0.
    pub last_key: f64,
    /// Names that two nodes have after the rewrite of three.js, sorted.
    pub repeated: Vec<String>,
    /// What it carries beside motion.
    pub weight: Weight,
}

/// What a clip carries that does not move anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weight {
    /// How many meshes.
    pub meshes: usize,
    /// How many pictures.
    pub pictures: usize,
    /// Bytes of both in the file; 0 where that is not known (FBX).
    pub bytes: u64,
}

/// A bone map: humanoid bone to the name of a node, as three.js spells it.
pub type Rig = BTreeMap<String, String>;

impl Clip {
    /// Reads a clip file by its content. What is wrong inside it is reported under its own codes (C); `None` when it cannot be played at all.
    /// What is wrong with the container of a GLB (D) goes to `container`.
    pub fn read(bytes: &Bytes, file: &str, container: &mut Report, report: &mut Report) -> Option<Self> {
        if Self::is_fbx(bytes) {
            return fbx::read(bytes, file, report);
        }
        let document = Document::read(bytes, file, &crate::vrm::refs::TABLE, container)?;
        gltf::file(&document, file, report)
    }

    /// True for what begins as an FBX file, binary or text.
    pub fn is_fbx(bytes: &[u8]) -> bool {
        let text = bytes.trim_ascii_start();
        bytes.starts_with(b"Kaydara FBX Binary") || text.starts_with(b"; FBX") || text.starts_with(b";FBX")
    }

    /// The same, of a glTF file that is open already.
    pub fn of_document(document: &Document, file: &str, report: &mut Report) -> Option<Self> {
        gltf::file(document, file, report)
    }

    /// An animation inside an avatar, which is open already; `bones` are the avatar's. `None` when it has no such animation, or it cannot be
    /// played.
    pub fn embedded(document: &Document, animation: usize, bones: &[Bone], file: &str, report: &mut Report) -> Option<Self> {
        gltf::embedded(document, animation, bones, file, report)
    }

    /// From the first key to the last, in seconds.
    pub fn duration(&self) -> f64 {
        self.last_key - self.first_key
    }

    /// The node of a bone.
    pub fn bone(&self, name: &str) -> Option<usize> {
        self.bones.iter().find(|bone| bone.name == name).map(|bone| bone.node)
    }

    /// The channel that moves a property of a node.
    pub fn channel(&self, node: usize, property: Property) -> Option<&Channel> {
        self.channels.iter().find(|channel| channel.node == node && channel.property == property)
    }

    /// Takes the bones from a rig, in place of those of the file, and turns the clip so that it looks to +Z. Names that no node has are left
    /// out.
    pub fn set_rig(&mut self, rig: &Rig) {
        self.bones.clear();
        for name in BONES {
            let node = rig.get(name).and_then(|node| self.skeleton.names.iter().position(|own| own == node));
            self.bones.extend(node.map(|node| Bone { name, node }));
        }
        self.skeleton.root = facing::turned(&self.skeleton, &self.bones);
    }

    /// The local transform of every node at a time, in seconds.
    pub fn pose(&self, seconds: f64) -> Vec<Transform> {
        let mut pose = self.skeleton.rest.clone();
        for channel in &self.channels {
            channel.apply(seconds, &mut pose[channel.node]);
        }
        pose
    }

    /// The weight of each expression at a time, by name.
    pub fn expressions_at(&self, seconds: f64) -> Vec<(&str, f64)> {
        let weight = |node: usize| Some(self.channel(node, Property::Translation)?.at(seconds)[0]);
        self.expressions.iter().filter_map(|(name, node)| Some((name.as_str(), weight(*node)?))).collect()
    }

    /// The gaze at a time.
    pub fn look_at_at(&self, seconds: f64) -> Option<glam::DQuat> {
        self.look_at.and_then(|node| self.channel(node, Property::Rotation)).map(|channel| glam::DQuat::from_array(channel.at(seconds)))
    }
}

/// Names that occur twice, each once, sorted; empty ones do not count.
fn repeated(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    names.filter(|name| !name.is_empty()).for_each(|name| *counts.entry(name).or_default() += 1);
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name).collect()
}
