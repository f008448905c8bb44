//! Clips out of FBX files: the take that moves most, in metres and upright.

use super::skeleton::{Skeleton, Transform};
use super::{Channel, Clip, Interpolation, Kind, Property, Weight, repeated};
use crate::codec::fbx::{self, Fbx, Stack};
use crate::gltf::names::sanitize;
use crate::report::{Code, Finding, Place, Report, code};
use glam::{DMat4, DVec3};
use std::collections::BTreeSet;
use std::f64::consts::FRAC_PI_2;

/// Reads an FBX; `None` after a finding that says why it cannot play.
pub fn read(bytes: &[u8], file: &str, report: &mut Report) -> Option<Clip> {
    let mut refuse = |code: &'static Code, message: String| report.add(Finding::new(code, Place::file(file), message).hint(code.remedy));
    let fbx = match fbx::read(bytes) {
        Ok(fbx) => fbx,
        Err(error) => {
            refuse(&code::C014, format!("the FBX cannot be read: {error}"));
            return None;
        }
    };
    if fbx.version < fbx::OLDEST {
        refuse(&code::C013, format!("the file is FBX {}.{}, which three.js cannot read", fbx.version / 1000, fbx.version % 1000 / 100));
        return None;
    }
    // Of equal takes the first one.
    let chosen = (0..fbx.stacks.len()).rev().max_by_key(|&stack| moving(&fbx.stacks[stack]));
    match chosen.filter(|&stack| moving(&fbx.stacks[stack]) > 0) {
        Some(chosen) => Some(clip(fbx, chosen)),
        None => {
            refuse(&code::C007, "the file has no animation".into());
            None
        }
    }
}

/// How many nodes a take moves.
fn moving(stack: &Stack) -> usize {
    stack.tracks.iter().map(|track| track.node).collect::<BTreeSet<_>>().len()
}

fn clip(mut fbx: Fbx, chosen: usize) -> Clip {
    let channels: Vec<Channel> = std::mem::take(&mut fbx.stacks[chosen].tracks)
        .into_iter()
        .map(|track| Channel {
            node: track.node,
            property: match track.property {
                fbx::Property::Translation => Property::Translation,
                fbx::Property::Rotation => Property::Rotation,
                fbx::Property::Scale => Property::Scale,
            },
            interpolation: Interpolation::Linear,
            times: track.times,
            values: track.values,
        })
        .collect();
    let upright = match fbx.up {
        0 => DMat4::from_rotation_z(FRAC_PI_2),
        2 => DMat4::from_rotation_x(-FRAC_PI_2),
        _ => DMat4::IDENTITY,
    };
    let rest = fbx.nodes.iter().map(|node| Transform { translation: node.translation, rotation: node.rotation, scale: node.scale });
    let names: Vec<String> = fbx.nodes.iter().map(|node| sanitize(&node.name)).collect();
    let root = upright * DMat4::from_scale(DVec3::splat(fbx.unit_meters));
    let repeated = repeated(names.iter().cloned());
    let mut skeleton = Skeleton::new(names, fbx.nodes.iter().map(|node| node.parent).collect(), rest.collect(), root);
    skeleton.raw_names = fbx.nodes.iter().map(|node| node.name.clone()).collect();
    Clip {
        kind: Kind::Fbx,
        animations: fbx.stacks.iter().map(|stack| stack.name.clone()).collect(),
        chosen,
        repeated,
        skeleton,
        bones: Vec::new(),
        has_humanoid: false,
        expressions: Vec::new(),
        look_at: None,
        first_key: channels.iter().map(|channel| channel.times[0]).fold(f64::INFINITY, f64::min),
        last_key: channels.iter().filter_map(|channel| channel.times.last()).copied().fold(0.0, f64::max),
        channels,
        weight: Weight { meshes: fbx.meshes, pictures: 0, bytes: 0 },
    }
}
