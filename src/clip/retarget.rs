//! A clip on an avatar: where every node of the avatar is at a time.
//!
//! A VRM animation plays as three-vrm 3.5.5 and three-vrm-animation 3.5.5 play it: the rotation of each bone in its nearest mapped parent
//! bone, taken out of the clip's rest pose and put into the avatar's, both T-poses; the hips move in proportion to their height; an avatar of
//! VRM 0.x looks the other way. A clip with a rig plays by the same rule, but its bones keep their direction in the world where the avatar or
//! the map lacks a bone between. Other nodes move when the clip moves a node of their name. An avatar's own animation moves its own nodes.

use super::skeleton::{position, rotation};
use super::{Clip, Kind, Property, Skeleton, Transform, facing};
use crate::gltf::Document;
use crate::gltf::names::three_names;
use crate::vrm::humanoid::{self, Bone};
use crate::vrm::{self, Version};
use glam::{DMat3, DMat4, DQuat, DVec3, EulerRot};
use serde_json::Value;
use std::collections::BTreeMap;

/// The avatar's side: its nodes at rest and its humanoid.
#[derive(Debug, Clone)]
pub struct Body {
    /// Nodes in the avatar's file.
    pub skeleton: Skeleton,
    /// From the VRM data, or from the look's rig.
    pub bones: Vec<Bone>,
    /// Turns from +Z ahead to where the avatar looks in its file.
    pub ahead: DQuat,
    /// How a gaze turns the eyes, where it turns eye bones.
    gaze: Option<Gaze>,
    world: Vec<DMat4>,
}

impl Body {
    /// Of an avatar; `rig` counts for a plain GLB only.
    pub fn of(document: &Document, rig: Option<&super::Rig>) -> Self {
        let skeleton = Skeleton::of(document, &three_names(document));
        let version = vrm::version(document);
        let bones: Vec<Bone> = match version {
            Some(version) => humanoid::of(document, version),
            None => {
                let named = |name: &&'static str| {
                    let node = rig?.get(*name)?;
                    Some(Bone { name, node: skeleton.names.iter().position(|own| own == node)? })
                };
                humanoid::BONES.iter().filter_map(named).collect()
            }
        };
        let ahead = match version {
            Some(Version::V0) => DQuat::from_rotation_y(std::f64::consts::PI),
            Some(Version::V1) => DQuat::IDENTITY,
            None => facing::axes(&skeleton, &bones).map_or(DQuat::IDENTITY, |axes: DMat3| DQuat::from_mat3(&axes)),
        };
        let world = skeleton.rest_world();
        Self { skeleton, bones, ahead, gaze: Gaze::of(document), world }
    }

    /// The node of a bone.
    pub fn bone(&self, name: &str) -> Option<usize> {
        self.bones.iter().find(|bone| bone.name == name).map(|bone| bone.node)
    }

    /// Where a bone rests, as if the avatar looked to +Z.
    pub fn rest_of(&self, name: &str) -> Option<DVec3> {
        self.bone(name).map(|node| self.seen(&self.world, node))
    }

    /// Where a node is in a pose of the world, as if the avatar looked to +Z.
    pub fn seen(&self, world: &[DMat4], node: usize) -> DVec3 {
        self.ahead.inverse() * position(&world[node])
    }
}

/// Angle of a gaze at which an eye turns no farther, and how far it turns then, in degrees.
#[derive(Debug, Clone, Copy)]
struct Range(f64, f64);

impl Range {
    fn map(self, degrees: f64) -> f64 {
        self.1 * (degrees / self.0).clamp(0.0, 1.0)
    }
}

/// The ranges of the eyes: towards the nose and away from it, down and up.
#[derive(Debug, Clone, Copy)]
struct Gaze {
    inner: Range,
    outer: Range,
    down: Range,
    up: Range,
}

impl Gaze {
    /// `None` when the avatar's gaze moves expressions, or it has none.
    fn of(document: &Document) -> Option<Self> {
        let number = |value: Option<&Value>, name: &str, otherwise: f64| value.and_then(|v| v.get(name)?.as_f64()).unwrap_or(otherwise);
        match vrm::version(document)? {
            Version::V1 => {
                let look_at = document.extension("VRMC_vrm")?.get("lookAt")?;
                let range = |name: &str| {
                    let map = look_at.get(name);
                    Range(number(map, "inputMaxValue", 90.0), number(map, "outputScale", 10.0))
                };
                (look_at.get("type").and_then(Value::as_str) != Some("expression")).then(|| Self {
                    inner: range("rangeMapHorizontalInner"),
                    outer: range("rangeMapHorizontalOuter"),
                    down: range("rangeMapVerticalDown"),
                    up: range("rangeMapVerticalUp"),
                })
            }
            Version::V0 => {
                let person = document.extension("VRM")?.get("firstPerson")?;
                let range = |name: &str| Range(number(person.get(name), "xRange", 90.0), number(person.get(name), "yRange", 10.0));
                (person.get("lookAtTypeName").and_then(Value::as_str) != Some("BlendShape")).then(|| Self {
                    inner: range("lookAtHorizontalInner"),
                    outer: range("lookAtHorizontalOuter"),
                    down: range("lookAtVerticalDown"),
                    up: range("lookAtVerticalUp"),
                })
            }
        }
    }

    /// How the left and the right eye turn in the head, looking to +Z.
    fn turns(&self, gaze: DQuat) -> [DQuat; 2] {
        let (yaw, pitch, _) = gaze.to_euler(EulerRot::YXZ);
        let (yaw, pitch) = (yaw.to_degrees(), pitch.to_degrees());
        // As three-vrm names them: a negative pitch is limited by what it calls down.
        let x = if pitch < 0.0 { -self.down.map(-pitch) } else { self.up.map(pitch) };
        let turn = |left: Range, right: Range| {
            let y = if yaw < 0.0 { -left.map(-yaw) } else { right.map(yaw) };
            DQuat::from_euler(EulerRot::YXZ, y.to_radians(), x.to_radians(), 0.0)
        };
        [turn(self.inner, self.outer), turn(self.outer, self.inner)]
    }
}

/// One bone that the clip moves and the avatar has.
struct Pair {
    name: &'static str,
    /// Node of the avatar.
    to: usize,
    /// Rotation of the avatar node's parent in the world at rest.
    above: DQuat,
}

/// A clip on an avatar.
pub struct Retarget<'a> {
    clip: &'a Clip,
    body: &'a Body,
    pairs: Vec<Pair>,
    /// Node of the clip, node of the avatar.
    parts: Vec<(usize, usize)>,
    clip_rest: Vec<DMat4>,
    /// By what the way of the hips is multiplied; `None` when the clip does not move them.
    scale: Option<f64>,
}

impl<'a> Retarget<'a> {
    /// Prepares it; a clip and an avatar that share no bone and no part just stand still.
    pub fn new(clip: &'a Clip, body: &'a Body) -> Self {
        let clip_rest = clip.skeleton.rest_world();
        let above = |node: usize| body.skeleton.parents[node].map_or(DQuat::IDENTITY, |parent| rotation(&body.world[parent]));
        let both = clip.bones.iter().filter_map(|bone| Some((bone.name, body.bone(bone.name)?)));
        let pairs: Vec<Pair> = both.map(|(name, to)| Pair { name, to, above: above(to) }).collect();
        let names: BTreeMap<&str, usize> = body.skeleton.names.iter().enumerate().rev().map(|(i, name)| (name.as_str(), i)).collect();
        let humanoid = |node: usize, bones: &[Bone]| bones.iter().any(|bone| bone.node == node);
        let named = |node: usize| names.get(clip.skeleton.names[node].as_str()).copied().filter(|_| !clip.skeleton.names[node].is_empty());
        let parts = match clip.kind {
            Kind::Vrma | Kind::Avatar => Vec::new(),
            Kind::Gltf | Kind::Fbx => {
                let free = (0..clip.skeleton.names.len()).filter(|&node| !humanoid(node, &clip.bones));
                free.filter_map(|node| Some((node, named(node)?))).filter(|(_, to)| !humanoid(*to, &body.bones)).collect()
            }
        };
        let scale = clip.bone("hips").zip(body.rest_of("hips")).and_then(|(hips, own)| {
            let height = position(&clip_rest[hips]).y;
            let moved = clip.kind != Kind::Vrma || clip.channel(hips, Property::Translation).is_some();
            (moved && height.abs() > 1e-9).then(|| own.y / height)
        });
        Self { clip, body, pairs, parts, clip_rest, scale }
    }

    /// The local transform of every node of the avatar at a time of the clip, in seconds.
    pub fn pose(&self, seconds: f64) -> Vec<Transform> {
        let (clip, body) = (self.clip, self.body);
        let mut pose = body.skeleton.rest.clone();
        if clip.kind == Kind::Avatar {
            for channel in &clip.channels {
                if let Some(own) = pose.get_mut(channel.node) {
                    channel.apply(seconds, own);
                }
            }
            return pose;
        }
        let clip_pose = clip.pose(seconds);
        for &(from, to) in &self.parts {
            for channel in clip.channels.iter().filter(|channel| channel.node == from) {
                channel.apply(seconds, &mut pose[to]);
            }
        }
        if self.pairs.is_empty() {
            return pose;
        }
        let now = clip.skeleton.world(&clip_pose);
        let turns = if clip.kind == Kind::Vrma { self.own_turns(&clip_pose) } else { self.shared_turns(&now) };
        for (pair, turn) in self.pairs.iter().zip(turns) {
            let turn = body.ahead * turn * body.ahead.inverse();
            pose[pair.to].rotation = pair.above.inverse() * turn * pair.above * body.skeleton.rest[pair.to].rotation;
        }
        if let (Some(gaze), Some(ranges)) = (clip.look_at_at(seconds), body.gaze) {
            for (name, turn) in ["leftEye", "rightEye"].into_iter().zip(ranges.turns(gaze)) {
                let Some(eye) = body.bone(name) else { continue };
                let above = body.skeleton.parents[eye].map_or(DQuat::IDENTITY, |parent| rotation(&body.world[parent]));
                let turn = body.ahead * turn * body.ahead.inverse();
                pose[eye].rotation = above.inverse() * turn * above * body.skeleton.rest[eye].rotation;
            }
        }
        if let (Some(scale), Some(hips), Some(to)) = (self.scale, clip.bone("hips"), body.bone("hips")) {
            // A rig's rest may stand anywhere: what counts is how far its hips go from there.
            let place = match clip.kind {
                Kind::Vrma => position(&now[hips]) * scale,
                _ => body.rest_of("hips").unwrap_or_default() + (position(&now[hips]) - position(&self.clip_rest[hips])) * scale,
            };
            let parent = body.skeleton.parents[to].map_or(DMat4::IDENTITY, |parent| body.skeleton.world(&pose)[parent]);
            pose[to].translation = parent.inverse().transform_point3(body.ahead * place);
        }
        pose
    }

    /// The matrix of every node of the avatar in the avatar's world, by the index of the node.
    pub fn world(&self, seconds: f64) -> Vec<DMat4> {
        self.body.skeleton.world(&self.pose(seconds))
    }

    /// As three-vrm-animation: the channel's rotation between the rest rotations of the parent bone and of the bone itself.
    fn own_turns(&self, pose: &[Transform]) -> Vec<DQuat> {
        let clip = self.clip;
        let turn = |pair: &Pair| {
            let node = clip.bone(pair.name)?;
            clip.channel(node, Property::Rotation)?;
            let mut above = humanoid::parent(pair.name);
            while let Some(bone) = above.filter(|bone| clip.bone(bone).is_none()) {
                above = humanoid::parent(bone);
            }
            let parent = match above.and_then(|bone| clip.bone(bone)) {
                Some(parent) => rotation(&self.clip_rest[parent]),
                None => clip.skeleton.parents[clip.bone("hips")?].map_or(DQuat::IDENTITY, |parent| rotation(&self.clip_rest[parent])),
            };
            Some(parent * pose[node].rotation * rotation(&self.clip_rest[node]).inverse())
        };
        self.pairs.iter().map(|pair| turn(pair).unwrap_or(DQuat::IDENTITY)).collect()
    }

    /// The turn of each bone in the nearest parent bone that clip and avatar share.
    fn shared_turns(&self, now: &[DMat4]) -> Vec<DQuat> {
        let delta = |name: &str| {
            let node = self.clip.bone(name)?;
            Some(rotation(&now[node]) * rotation(&self.clip_rest[node]).inverse())
        };
        let deltas: BTreeMap<&str, DQuat> = self.pairs.iter().filter_map(|pair| Some((pair.name, delta(pair.name)?))).collect();
        let above = |name: &str| std::iter::successors(humanoid::parent(name), |bone| humanoid::parent(bone)).find_map(|b| deltas.get(b));
        let turn = |pair: &Pair| above(pair.name).copied().unwrap_or(DQuat::IDENTITY).inverse() * deltas[pair.name];
        self.pairs.iter().map(turn).collect()
    }
}

/// The turn of each bone in its nearest mapped parent bone, away from rest.
pub(super) fn turns(clip: &Clip, rest: &[DMat4], now: &[DMat4]) -> Vec<(&'static str, DQuat)> {
    let delta = |node: usize| rotation(&now[node]) * rotation(&rest[node]).inverse();
    let above = |name: &str| std::iter::successors(humanoid::parent(name), |bone| humanoid::parent(bone)).find_map(|bone| clip.bone(bone));
    let turn = |bone: &Bone| above(bone.name).map_or(DQuat::IDENTITY, delta).inverse() * delta(bone.node);
    clip.bones.iter().map(|bone| (bone.name, turn(bone))).collect()
}
