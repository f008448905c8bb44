//! A walker whose stride is known, because it was made: a humanoid as a VRM, and its walk as a clip.
//!
//! The sole of a standing foot moves back at exactly the speed of the walk; it rolls over the heel when it lands and over the toes when it
//! leaves; between, a smooth curve carries it forwards. The legs follow by inverse kinematics.

use bytes::Bytes;
use companion_build::gltf::{Blob, Document};
use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};
use std::f64::consts::{PI, TAU};

/// How a walker is made and walks. Lengths are in body heights, the body is `height` metres high.
#[derive(Debug, Clone, Copy)]
pub struct Walker {
    pub height: f64,
    /// From the hips to the ankle.
    pub leg: f64,
    pub speed: f64,
    pub cycle_seconds: f64,
    pub cycles: usize,
    /// The share of a cycle for which a foot stands.
    pub stance: f64,
    /// How far the foot turns over its toes when it leaves, in radians; half of it over the heel when it lands.
    pub roll: f64,
    /// How high the foot is lifted.
    pub lift: f64,
    /// Of each leg's angles, in radians.
    pub noise: f64,
    /// From straight ahead, in radians.
    pub heading: f64,
    /// How far the hips sway to the sides, once in the whole clip.
    pub sway: f64,
    pub frames_per_second: f64,
    /// Goes on instead of walking in place.
    pub travels: bool,
    pub has_toes: bool,
    /// Every bone has axes of its own.
    pub odd_axes: bool,
    /// The clip is in this unit, under a node that scales it to metres.
    pub unit: f64,
    /// The clip's skeleton lies, under a node that puts it upright.
    pub turned: bool,
    /// VRM 0.x: the avatar looks to -Z.
    pub old: bool,
}

pub const PLAIN: Walker = Walker {
    height: 1.6,
    leg: 0.47,
    speed: 0.5,
    cycle_seconds: 1.0,
    cycles: 1,
    stance: 0.6,
    roll: 0.9,
    lift: 0.05,
    noise: 0.0,
    heading: 0.0,
    sway: 0.0,
    frames_per_second: 30.0,
    travels: false,
    has_toes: true,
    odd_axes: false,
    unit: 1.0,
    turned: false,
    old: false,
};

/// Ankle above the ground, and from the ankle to the toes.
const ANKLE: f64 = 0.05;
const FOOT: f64 = 0.08;
const BONES: [&str; 17] = [
    "hips",
    "spine",
    "head",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
    "leftToes",
    "rightToes",
];
const PARENTS: [usize; 17] = [0, 0, 1, 1, 3, 4, 1, 6, 7, 0, 9, 10, 0, 12, 13, 11, 14];

/// A foot against the hips: ankle along the way and up, and how far its toes point down.
fn foot(walker: &Walker, phase: f64) -> (f64, f64, f64) {
    let stride = walker.speed * walker.cycle_seconds;
    let half = stride * walker.stance / 2.0;
    let standing = |phase: f64| {
        let part = phase / walker.stance;
        let sole = half - stride * phase;
        let leave = walker.roll * ((part - 0.7) / 0.3).max(0.0).powi(2);
        let land = -0.5 * walker.roll * ((0.12 - part) / 0.12).max(0.0);
        if leave > 0.0 {
            // The toes stay where they are; the ankle goes around them.
            let (sin, cos) = leave.sin_cos();
            (sole + FOOT - FOOT * cos - ANKLE * -sin, FOOT * sin + ANKLE * cos, leave)
        } else {
            // Around the heel, a fifth of the foot behind the ankle.
            let (sin, cos) = (-land).sin_cos();
            let heel = 0.2 * FOOT;
            (sole - heel + heel * cos - ANKLE * sin, heel * sin + ANKLE * cos, land)
        }
    };
    let phase = phase.rem_euclid(1.0);
    if phase < walker.stance {
        return standing(phase);
    }
    let part = (phase - walker.stance) / (1.0 - walker.stance);
    let (from, to) = (standing(walker.stance - 1e-9), standing(0.0));
    let slope = -walker.speed * (1.0 - walker.stance) * walker.cycle_seconds;
    let (p2, p3) = (part * part, part * part * part);
    let along = from.0 * (2.0 * p3 - 3.0 * p2 + 1.0) + slope * (p3 - 2.0 * p2 + part) + to.0 * (3.0 * p2 - 2.0 * p3) + slope * (p3 - p2);
    let smooth = 3.0 * p2 - 2.0 * p3;
    let up = from.1 + (to.1 - from.1) * smooth + walker.lift * (PI * part).sin().powi(2);
    (along, up, from.2 + (to.2 - from.2) * smooth)
}

impl Walker {
    /// Metres between two footprints of a foot.
    pub fn stride_meters(&self) -> f64 {
        self.speed * self.cycle_seconds * self.height
    }

    /// Where each bone rests, looking to +Z, in metres of a body of this height.
    fn places(&self) -> [DVec3; 17] {
        let hips = ANKLE + self.leg;
        let of = |x: f64, y: f64, z: f64| DVec3::new(x, y, z) * self.height;
        let knee = ANKLE + self.leg * 0.5;
        [
            of(0.0, hips, 0.0),
            of(0.0, hips + 0.08, 0.0),
            of(0.0, 0.86, 0.0),
            of(0.1, 0.8, 0.0),
            of(0.25, 0.8, 0.0),
            of(0.4, 0.8, 0.0),
            of(-0.1, 0.8, 0.0),
            of(-0.25, 0.8, 0.0),
            of(-0.4, 0.8, 0.0),
            of(0.05, hips, 0.0),
            of(0.05, knee, 0.004),
            of(0.05, ANKLE, 0.0),
            of(-0.05, hips, 0.0),
            of(-0.05, knee, 0.004),
            of(-0.05, ANKLE, 0.0),
            of(0.05, 0.0, FOOT),
            of(-0.05, 0.0, FOOT),
        ]
    }

    fn count(&self) -> usize {
        if self.has_toes { 17 } else { 15 }
    }

    /// The rest rotation of each bone in the world.
    fn axes(&self, bone: usize) -> DQuat {
        let odd = |bone: usize| DQuat::from_euler(glam::EulerRot::XYZ, 0.7 * bone as f64, 1.3 - 0.4 * bone as f64, 2.1 * bone as f64);
        if self.odd_axes { odd(bone + 1) } else { DQuat::IDENTITY }
    }

    /// Nodes of the bones in their parents, in metres times `scale`; `look` turns the whole body.
    fn nodes(&self, scale: f64, look: DQuat) -> Vec<Value> {
        let places = self.places();
        let mut nodes: Vec<Value> = Vec::new();
        for bone in 0..self.count() {
            let axes = look * self.axes(bone);
            let (above, place) = match bone {
                0 => (DQuat::IDENTITY, look * places[0]),
                _ => (look * self.axes(PARENTS[bone]), look * (places[bone] - places[PARENTS[bone]])),
            };
            let children: Vec<usize> = (1..self.count()).filter(|&child| PARENTS[child] == bone).collect();
            let mut node = json!({
                "name": format!("n.{}", BONES[bone]),
                "translation": (above.inverse() * place * scale).to_array(),
                "rotation": (above.inverse() * axes).to_array(),
            });
            if !children.is_empty() {
                node["children"] = children.into();
            }
            nodes.push(node);
        }
        nodes
    }

    /// A VRM with two triangles as high as its body.
    pub fn avatar(&self) -> Bytes {
        let look = if self.old { DQuat::from_rotation_y(PI) } else { DQuat::IDENTITY };
        let mut nodes = self.nodes(1.0, look);
        nodes.push(json!({"name": "Box", "mesh": 0}));
        let scene: Vec<usize> = vec![0, nodes.len() - 1];
        let humanoid: serde_json::Map<String, Value> =
            (0..self.count()).map(|bone| (BONES[bone].to_owned(), json!({"node": bone}))).collect();
        let extensions = if self.old {
            let bones: Vec<Value> = (0..self.count()).map(|bone| json!({"bone": BONES[bone], "node": bone})).collect();
            json!({"VRM": {"specVersion": "0.0", "humanoid": {"humanBones": bones}}})
        } else {
            json!({"VRMC_vrm": {"specVersion": "1.0", "meta": {"name": "w", "authors": ["w"], "licenseUrl": "https://vrm.dev/licenses/1.0/"}, "humanoid": {"humanBones": humanoid}}})
        };
        let json = json!({
            "asset": {"version": "2.0"}, "extensions": extensions, "nodes": nodes, "scenes": [{"nodes": scene}], "scene": 0,
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        });
        let mut document = Document::from(json.as_object().expect("an object").clone());
        let h = self.height as f32;
        add(&mut document, "VEC3", &[-0.2, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, h, 0.0]);
        document.write().expect("small").into()
    }

    /// Frame by frame: the rotation of each bone in the world, away from rest, and where the hips are, in metres.
    fn frames(&self) -> (Vec<f64>, Vec<([DQuat; 17], DVec3)>) {
        let seconds = self.cycle_seconds * self.cycles as f64;
        let count = (seconds * self.frames_per_second).round() as usize;
        let times: Vec<f64> = (0..=count).map(|i| seconds * i as f64 / count as f64).collect();
        let frames = (0..=count).map(|i| self.frame(i % count, times[i], seconds)).collect();
        (times, frames)
    }

    fn frame(&self, seed: usize, now: f64, seconds: f64) -> ([DQuat; 17], DVec3) {
        let seed = seed as f64;
        let time = if now >= seconds { 0.0 } else { now };
        let random = |n: f64| ((seed * 12.9898 + n * 78.233).sin() * 43758.5453).fract() * 2.0 * self.noise;
        let places = self.places();
        let ahead = DQuat::from_rotation_y(self.heading);
        let bob = 0.01 * (2.0 * TAU * time / self.cycle_seconds).cos() - 0.035;
        let sway = self.sway * (TAU * time / seconds).sin();
        let hips = places[0] + DVec3::new(sway, bob, 0.0) * self.height;
        let mut turns = [DQuat::IDENTITY; 17];
        for (upper, phase, side) in [(9, 0.0, 1.0), (12, 0.5, -1.0)] {
            let (along, up, pitch) = foot(self, time / self.cycle_seconds + phase);
            let ankle = (ahead * DVec3::new(0.05 * side, 0.0, along) + DVec3::new(0.0, up, 0.0)) * self.height;
            let hip = hips + places[upper] - places[0];
            let (thigh, shin) = (places[upper + 1] - places[upper], places[upper + 2] - places[upper + 1]);
            let way = ankle - hip;
            let (a, b) = (thigh.length(), shin.length());
            let reach = way.length().min((a + b) * 0.9999);
            // The knee points ahead.
            let front = (ahead * DVec3::Z - way.normalize() * way.normalize().dot(ahead * DVec3::Z)).normalize();
            let bend = ((a * a + reach * reach - b * b) / (2.0 * a * reach)).clamp(-1.0, 1.0).acos();
            let thigh_way = way.normalize() * bend.cos() + front * bend.sin();
            let knee = hip + thigh_way * a;
            turns[upper] = DQuat::from_rotation_arc(thigh.normalize(), thigh_way) * DQuat::from_rotation_x(random(side));
            turns[upper + 1] = DQuat::from_rotation_arc(shin.normalize(), (hip + way.normalize() * reach - knee).normalize());
            turns[upper + 2] = DQuat::from_axis_angle(ahead * DVec3::X, pitch) * ahead;
            turns[if upper == 9 { 15 } else { 16 }] = turns[upper + 2];
        }
        for (bone, turn) in [(3, -1.2), (6, 1.2)] {
            turns[bone] = DQuat::from_rotation_z(turn);
            (bone + 1..bone + 3).for_each(|below| turns[below] = turns[bone]);
        }
        let travel = if self.travels { ahead * DVec3::Z * (self.speed * self.height * now) } else { DVec3::ZERO };
        (turns, hips + travel)
    }

    /// The walk as a VRM animation, for a skeleton `size` times as large as the avatar's.
    pub fn clip(&self, size: f64) -> Bytes {
        let scale = size / self.unit;
        let mut nodes = self.nodes(scale, DQuat::IDENTITY);
        // Above the hips: back to metres, and upright.
        let lies = if self.turned { DQuat::from_rotation_x(-PI / 2.0) } else { DQuat::IDENTITY };
        let root = nodes.len();
        nodes.push(json!({"name": "Armature", "children": [0], "scale": [self.unit, self.unit, self.unit], "rotation": lies.to_array()}));
        let hips_place =
            lies.inverse() * DVec3::from_array(std::array::from_fn(|i| nodes[0]["translation"][i].as_f64().expect("a number")));
        let hips_axes = lies.inverse() * self.axes(0);
        nodes[0]["translation"] = hips_place.to_array().to_vec().into();
        nodes[0]["rotation"] = hips_axes.to_array().to_vec().into();
        let humanoid: serde_json::Map<String, Value> =
            (0..self.count()).map(|bone| (BONES[bone].to_owned(), json!({"node": bone}))).collect();
        let json = json!({
            "asset": {"version": "2.0"}, "nodes": nodes, "scenes": [{"nodes": [root]}], "scene": 0,
            "extensionsUsed": ["VRMC_vrm_animation"],
            "extensions": {"VRMC_vrm_animation": {"specVersion": "1.0", "humanoid": {"humanBones": humanoid}}},
        });
        let mut document = Document::from(json.as_object().expect("an object").clone());
        let (times, frames) = self.frames();
        let floats = |values: Vec<f64>| values.into_iter().map(|value| value as f32).collect::<Vec<f32>>();
        let input = add(&mut document, "SCALAR", &floats(times));
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        let mut channel = |output: usize, bone: usize, path: &str| {
            samplers.push(json!({"input": input, "output": output}));
            channels.push(json!({"sampler": samplers.len() - 1, "target": {"node": bone, "path": path}}));
        };
        for (bone, parent) in PARENTS.iter().copied().enumerate().take(self.count()) {
            let turn = |frame: &([DQuat; 17], DVec3)| {
                let world = |bone: usize| frame.0[bone] * self.axes(bone);
                let above = if bone == 0 { lies } else { world(parent) };
                (above.inverse() * world(bone)).to_array()
            };
            let output = add(&mut document, "VEC4", &floats(frames.iter().flat_map(turn).collect()));
            channel(output, bone, "rotation");
        }
        let up = DMat4::from_quat(lies).inverse();
        let place = |frame: &([DQuat; 17], DVec3)| up.transform_point3(frame.1 * scale).to_array();
        let output = add(&mut document, "VEC3", &floats(frames.iter().flat_map(place).collect()));
        channel(output, 0, "translation");
        document.json.insert("animations".into(), json!([{"name": "walk", "samplers": samplers, "channels": channels}]));
        document.write().expect("small").into()
    }
}

/// An accessor of floats; its index.
fn add(document: &mut Document, kind: &str, floats: &[f32]) -> usize {
    let width = match kind {
        "VEC4" => 4,
        "VEC3" => 3,
        _ => 1,
    };
    let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
    let view = document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
    document.add("accessors", json!({"bufferView": view, "componentType": 5126, "type": kind, "count": floats.len() / width}))
}
