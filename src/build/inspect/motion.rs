//! What a clip moves, and the bone map that its nodes suggest.

use crate::build::outcome::{Animation, Avatar, Bone, Document as Counts, File, Motion, Sizes};
use crate::clip::{Clip, Skeleton, suggest};
use crate::gltf::{Document, names::three_names};
use crate::report::Report;
use crate::vrm;
use bytes::Bytes;

/// Fills in what is known of an FBX.
pub fn fbx(found: &mut File, bytes: &Bytes, report: &mut Report) {
    found.kind = Some("fbx".into());
    // What of it is what, the format does not tell.
    found.sizes = Some(Sizes { other: found.bytes, ..Sizes::default() });
    let Some(mut clip) = Clip::read(bytes, &found.path, &mut Report::default(), report) else { return };
    found.document = Some(Counts {
        nodes: clip.skeleton.names.len(),
        meshes: clip.weight.meshes,
        animations: clip.animations.len(),
        ..Counts::default()
    });
    let animation = |(index, name): (usize, &String)| {
        let plays = index == clip.chosen;
        let (seconds, channels) = if plays { (clip.duration(), clip.channels.len()) } else { (0.0, 0) };
        Animation { index, name: name.clone(), seconds, channels }
    };
    // Of the takes that do not play nothing is read.
    found.animations = Some(clip.animations.iter().enumerate().map(animation).filter(|a| a.index == clip.chosen).collect());
    if let Some(rig) = suggest::rig(&clip.skeleton) {
        clip.set_rig(&rig);
        found.suggested_rig = Some(suggest::json(&rig));
        let bone =
            |bone: &vrm::humanoid::Bone| Bone { bone: bone.name.into(), node: bone.node, name: clip.skeleton.raw_names[bone.node].clone() };
        found.avatar = Some(Avatar { vrm_version: "none".into(), bones: clip.bones.iter().map(bone).collect(), ..Avatar::default() });
    }
    found.motion = Some(motion(&clip));
}

/// Fills in what the first animation of a glTF file moves, and for one without VRM data the bone map that its names suggest.
pub fn gltf(found: &mut File, document: &Document, bytes: &Bytes) {
    let is_clip = document.extension("VRMC_vrm_animation").is_some();
    let plain = !is_clip && vrm::version(document).is_none();
    let rig = if plain { suggest::rig(&Skeleton::of(document, &three_names(document))) } else { None };
    found.suggested_rig = rig.as_ref().map(suggest::json);
    if document.list("animations").is_empty() {
        return;
    }
    // What is wrong with it as a clip is for `check` to say: here it may be an avatar.
    let clip = Clip::read(bytes, &found.path, &mut Report::default(), &mut Report::default());
    found.motion = clip.map(|mut clip| {
        rig.iter().for_each(|rig| clip.set_rig(rig));
        motion(&clip)
    });
}

fn motion(clip: &Clip) -> Motion {
    Motion {
        seconds: clip.duration(),
        first_key: clip.first_key,
        is_body_animated: clip.is_body_animated(),
        moving_bones: clip.moving_bones().into_iter().map(str::to_owned).collect(),
        part_bones: clip.part_bones().into_iter().map(str::to_owned).collect(),
        expressions: clip.expressions.iter().map(|(name, _)| name.clone()).collect(),
        gaze: clip.look_at.is_some(),
        dead_channels: clip.dead_channels(),
        seam_degrees: clip.seam().map_or(0.0, |(_, degrees)| degrees),
        travel_meters: clip.travel_meters(),
    }
}
