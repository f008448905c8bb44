//! Clips: a pose for each moment, sampled and written as VRM animations (.vrma).

use std::f32::consts::TAU;

use glam::{Quat, Vec3};
use serde_json::{Map, Value, json};

use crate::container::Glb;
use crate::skeleton::Skeleton;

/// Turns of bones away from the T-pose, by humanoid name, and the way the hips move, in metres.
#[derive(Default)]
pub struct Pose {
    pub turns: Vec<(String, Quat)>,
    pub hips: Vec3,
    /// Expression weights, by name.
    pub expressions: Vec<(&'static str, f32)>,
    /// Where she looks: degrees to her left and up.
    pub gaze: Option<(f32, f32)>,
}

impl Pose {
    /// Turns a bone by degrees about X, Y and Z, after whatever it does already.
    pub fn turn(&mut self, bone: &str, x: f32, y: f32, z: f32) {
        let [x, y, z] = [x, y, z].map(f32::to_radians);
        self.rotate(bone, Quat::from_rotation_z(z) * Quat::from_rotation_y(y) * Quat::from_rotation_x(x));
    }

    pub fn rotate(&mut self, bone: &str, turn: Quat) {
        match self.turns.iter_mut().find(|known| known.0 == bone) {
            Some(known) => known.1 = turn * known.1,
            None => self.turns.push((bone.to_owned(), turn)),
        }
    }

    /// Points a bone that lies along `rest` in the T-pose along `way`, both seen from its parent.
    pub fn aim(&mut self, bone: &str, rest: Vec3, way: Vec3) {
        self.turns.retain(|known| known.0 != bone);
        self.rotate(bone, Quat::from_rotation_arc(rest, way.normalize()));
    }

    /// As `aim`, with `way` seen from the parent of the bone above.
    pub fn aim_below(&mut self, bone: &str, above: &str, rest: Vec3, way: Vec3) {
        let turned = self.turns.iter().find(|known| known.0 == above).map_or(Quat::IDENTITY, |known| known.1);
        self.aim(bone, rest, turned.inverse() * way);
    }

    /// Turns the same bone of both sides, mirrored.
    pub fn both(&mut self, bone: &str, x: f32, y: f32, z: f32) {
        self.turn(&format!("left{bone}"), x, y, z);
        self.turn(&format!("right{bone}"), x, -y, -z);
    }

    /// Curls the fingers of one side; 0 is flat, 1 a fist.
    pub fn curl(&mut self, side: &str, amount: f32) {
        let way = if side == "left" { -1.0 } else { 1.0 };
        for finger in ["Index", "Middle", "Ring", "Little"] {
            for joint in ["Proximal", "Intermediate", "Distal"] {
                self.turn(&format!("{side}{finger}{joint}"), 0.0, 0.0, way * amount * 75.0);
            }
        }
        self.turn(&format!("{side}ThumbProximal"), 0.0, way * amount * 30.0, 0.0);
    }
}

/// A wave that repeats `times` in a clip: sine at `phase` (0 to 1).
pub fn wave(phase: f32, times: f32, shift: f32) -> f32 {
    ((phase * times + shift) * TAU).sin()
}

/// A clip in words: how long, how many keys a second, whether its end meets its start, and the pose at a phase from 0 to 1.
pub struct Clip {
    pub name: &'static str,
    pub seconds: f32,
    pub rate: f32,
    pub is_loop: bool,
    pub pose: fn(f32, &Skeleton) -> Pose,
}

/// Writes a clip for the bones that it moves and those above them; `scale` fits it to a smaller figure.
pub fn write(clip: &Clip, skeleton: &Skeleton, scale: f32) -> Vec<u8> {
    let count = (clip.seconds * clip.rate).round() as usize;
    let phase = |key: usize| {
        let p = key as f32 / count as f32;
        if clip.is_loop && key == count { 0.0 } else { p }
    };
    let poses: Vec<Pose> = (0..=count).map(|key| (clip.pose)(phase(key), skeleton)).collect();
    let moved = |index: usize| {
        let bone = &skeleton.bones[index];
        bone.human.as_deref().is_some_and(|human| human == "hips" || poses[0].turns.iter().any(|turn| turn.0 == human))
    };
    let needed = |index: usize| moved(index) || (0..skeleton.bones.len()).any(|i| moved(i) && above(skeleton, i, index));
    let kept: Vec<usize> = (0..skeleton.bones.len()).filter(|&i| needed(i)).collect();
    let place = |bone: usize| kept.iter().position(|&i| i == bone);

    let mut glb = Glb::new();
    let mut bones = Map::new();
    for &index in &kept {
        let bone = &skeleton.bones[index];
        let mut node = json!({ "name": bone.name, "translation": (skeleton.offset(index) * scale).to_array() });
        let children: Vec<usize> = skeleton.children(index).into_iter().filter_map(place).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        let node = glb.push("nodes", node);
        if let Some(human) = &bone.human {
            bones.insert(human.clone(), json!({ "node": node }));
        }
    }
    let times: Vec<f32> = (0..=count).map(|key| key as f32 * clip.seconds / count as f32).collect();
    let input = glb.floats(&times, 1, true, false);
    let ends = glb.floats(&[0.0, clip.seconds], 1, true, false);
    let mut tracks = Tracks { input, ends, samplers: Vec::new(), channels: Vec::new() };

    let hips = skeleton.human("hips").expect("a figure has hips");
    let rest = skeleton.offset(hips);
    let travel: Vec<f32> = poses.iter().flat_map(|pose| ((rest + pose.hips) * scale).to_array()).collect();
    tracks.add(&mut glb, place(hips).expect("the hips are kept"), "translation", &travel, 3);
    for (human, _) in &poses[0].turns {
        let Some(bone) = skeleton.human(human) else { continue };
        let mut last = Quat::IDENTITY;
        let mut values = Vec::new();
        for pose in &poses {
            let mut turn = pose.turns.iter().find(|known| &known.0 == human).map_or(Quat::IDENTITY, |known| known.1).normalize();
            if turn.dot(last) < 0.0 {
                turn = -turn;
            }
            last = turn;
            values.extend(turn.to_array());
        }
        tracks.add(&mut glb, place(bone).expect("moved bones are kept"), "rotation", &values, 4);
    }

    let mut animation = json!({ "specVersion": "1.0", "humanoid": { "humanBones": bones } });
    let mut roots = vec![0];
    let mut preset = Map::new();
    for (name, _) in &poses[0].expressions {
        let weight = |pose: &Pose| pose.expressions.iter().find(|known| known.0 == *name).map_or(0.0, |known| known.1);
        let values: Vec<f32> = poses.iter().flat_map(|pose| [weight(pose), 0.0, 0.0]).collect();
        let node = glb.push("nodes", json!({ "name": name }));
        tracks.add(&mut glb, node, "translation", &values, 3);
        preset.insert((*name).to_owned(), json!({ "node": node }));
        roots.push(node);
    }
    if !preset.is_empty() {
        animation["expressions"] = json!({ "preset": preset });
    }
    if poses[0].gaze.is_some() {
        let node = glb.push("nodes", json!({ "name": "lookAt" }));
        let turn = |pose: &Pose| {
            let (left, up) = pose.gaze.unwrap_or_default();
            Quat::from_rotation_y(left.to_radians()) * Quat::from_rotation_x(-up.to_radians())
        };
        let values: Vec<f32> = poses.iter().flat_map(|pose| turn(pose).to_array()).collect();
        tracks.add(&mut glb, node, "rotation", &values, 4);
        animation["lookAt"] = json!({ "node": node, "offsetFromHeadBone": [0, 0.087 * scale, 0.03 * scale] });
        roots.push(node);
    }
    glb.push("scenes", json!({ "nodes": roots }));
    glb.root.insert("scene".into(), json!(0));
    glb.push("animations", json!({ "name": clip.name, "samplers": tracks.samplers, "channels": tracks.channels }));
    glb.extension("VRMC_vrm_animation", animation);
    glb.finish()
}

fn above(skeleton: &Skeleton, mut bone: usize, other: usize) -> bool {
    while let Some(parent) = skeleton.bones[bone].parent {
        if parent == other {
            return true;
        }
        bone = parent;
    }
    false
}

struct Tracks {
    input: usize,
    ends: usize,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Tracks {
    fn add(&mut self, glb: &mut Glb, node: usize, path: &str, values: &[f32], width: usize) {
        // What keeps still needs only its first and its last key.
        let still = values.chunks(width).all(|key| key == &values[..width]);
        let (input, values) = if still { (self.ends, &values[..2 * width]) } else { (self.input, values) };
        let output = glb.floats(values, width, false, false);
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        self.channels.push(json!({ "sampler": self.samplers.len() - 1, "target": { "node": node, "path": path } }));
    }
}
