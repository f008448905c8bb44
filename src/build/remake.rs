//! Clips that ship in another form because the settings ask for it: a walk that stays in place, and an FBX or GLB as a VRM animation.

use super::clips::rig_of;
use super::settings::Settings;
use crate::clip::skeleton::position;
use crate::clip::{Clip, Interpolation, Kind as Source, Property};
use crate::gltf::{Blob, Document, index_in, list};
use crate::pack::node::Node;
use crate::pack::references::Kind;
use crate::pack::rewrite::Edits;
use crate::pack::{Manifest, Pack};
use crate::report::Report;
use crate::shrink::settings::Convert;
use crate::vrm::humanoid::{self, REQUIRED};
use bytes::Bytes;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

/// More keys than this no clip needs; ten minutes at 60 a second.
const MOST_KEYS: usize = 36_000;
/// A way of the hips that is not worth mentioning, in metres.
const NO_WAY: f64 = 1e-4;

/// The only motion of the pack that plays a clip file, with its model; `None` when there are several.
fn motion<'a>(pack: &'a Pack, path: &str) -> Option<(&'a Manifest, &'a Node)> {
    let mut found = None;
    for model in pack.models() {
        for reference in pack.references_of(model).filter(|r| r.kind == Kind::Clip && r.target() == Some(path)) {
            let index: usize = reference.place.pointer.strip_prefix("/motions/")?.strip_suffix("/id")?.parse().ok()?;
            let motion = model.root.as_ref()?.list("motions").get(index)?;
            if found.replace((model, motion)).is_some() {
                return None;
            }
        }
    }
    found
}

/// The clip in another form, and its path in the zip when that is another; `None` when it stays as it is.
pub fn remade(pack: &Pack, path: &str, bytes: &Bytes, settings: &Settings) -> Option<(Document, Option<String>)> {
    let wanted = &settings.shrink.motions;
    if !wanted.in_place && wanted.convert == Convert::None {
        return None;
    }
    let (model, motion) = motion(pack, path)?;
    let mut clip = Clip::read(bytes, path, &mut Report::default(), &mut Report::default())?;
    let rig = rig_of(motion);
    if let Some(rig) = rig.as_ref().filter(|_| !clip.has_humanoid) {
        clip.set_rig(rig);
    }
    let has_role = |role: &str| motion.list("roles").iter().any(|own| own.as_str() == Some(role));
    let is_walk = wanted.in_place && has_role("walk");
    if is_walk {
        stay(&mut clip);
    }
    let new = format!("{}.vrma", path.rsplit_once('.').map_or(path, |(stem, _)| stem));
    let is_free = !pack.is_named_elsewhere(path) && pack.tree.find_folded(&new).is_none();
    let root = model.root.as_ref()?;
    let avatar = root.get("avatar").and_then(Node::as_str).unwrap_or_default().to_ascii_lowercase();
    let is_humanoid = avatar.ends_with(".vrm") || (avatar.ends_with(".glb") && root.get("rig").is_some());
    let is_whole = REQUIRED.iter().all(|bone| clip.bone(bone).is_some()) && clip.part_bones().is_empty();
    let is_parts = has_role("partsIdle") || has_role("partsGesture");
    if wanted.convert == Convert::Vrma && rig.is_some() && clip.kind != Source::Vrma && is_free && is_humanoid && is_whole && !is_parts {
        return Some((vrma(&clip)?, Some(new)));
    }
    (is_walk && bytes.starts_with(b"glTF")).then(|| with_hips(bytes, &clip)).flatten().map(|document| (document, None))
}

/// Takes the way along the ground out of the hips' keys.
fn stay(clip: &mut Clip) {
    let Some(hips) = clip.bone("hips") else { return };
    let (first, last) = (clip.first_key, clip.last_key);
    let rest = clip.skeleton.rest_world();
    let above = clip.skeleton.parents[hips].map_or(clip.skeleton.root, |parent| rest[parent]);
    let back = above.inverse();
    let Some(channel) = clip.channels.iter_mut().find(|channel| channel.node == hips && channel.property == Property::Translation) else {
        return;
    };
    if channel.interpolation == Interpolation::Cubic || last <= first {
        return;
    }
    let at = |seconds: f64| above.transform_point3(DVec3::from_slice(&channel.at(seconds)[..3]));
    let way = (at(last) - at(first)) * DVec3::new(1.0, 0.0, 1.0);
    if way.length() < NO_WAY {
        return;
    }
    let local = back.transform_vector3(way) / (last - first);
    for (time, value) in channel.times.iter().zip(channel.values.chunks_exact_mut(3)) {
        let shift = local * (time - first);
        value.iter_mut().zip(shift.to_array()).for_each(|(value, shift)| *value -= shift);
    }
}

/// The file with the hips' keys of a clip that was changed; `None` when they are as they were, or cannot be put back.
fn with_hips(bytes: &Bytes, clip: &Clip) -> Option<Document> {
    let mut document = Document::read(bytes, "", &crate::vrm::refs::TABLE, &mut Report::default())?;
    let hips = clip.bone("hips")?;
    let channel = clip.channel(hips, Property::Translation)?;
    let animation = document.list("animations").get(clip.chosen)?;
    let moves_hips = |own: &&Value| {
        own.get("target").is_some_and(|t| index_in(t, "node") == Some(hips) && t.get("path").is_some_and(|path| path == "translation"))
    };
    let number = list(animation, "channels").iter().rposition(|own| moves_hips(&own))?;
    let mut sampler = list(animation, "samplers").get(index_in(&list(animation, "channels")[number], "sampler")?)?.clone();
    sampler["output"] = add(&mut document, "VEC3", &channel.values).into();
    let animation = &mut document.list_mut("animations")[clip.chosen];
    let samplers = animation["samplers"].as_array_mut()?;
    samplers.push(sampler);
    let last = samplers.len() - 1;
    animation["channels"][number]["sampler"] = last.into();
    Some(document)
}

/// A clip whose humanoid is known as a VRM animation: a T-pose of bones without turns, and every bone's turn in its parent bone.
fn vrma(clip: &Clip) -> Option<Document> {
    let rest = clip.skeleton.rest_world();
    let mut times: Vec<f64> = clip.channels.iter().flat_map(|channel| channel.times.iter().copied()).collect();
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| *a - *b < 1e-6);
    let place = |node: usize| position(&rest[node]);
    if times.len() > MOST_KEYS || place(clip.bone("hips")?).y <= 0.001 {
        return None;
    }
    let index = |name: &str| clip.bones.iter().position(|bone| bone.name == name);
    let above = |name: &str| std::iter::successors(humanoid::parent(name), |bone| humanoid::parent(bone)).find_map(index);
    let mut nodes: Vec<Value> = Vec::new();
    for bone in &clip.bones {
        let parent = above(bone.name).map_or(DVec3::ZERO, |parent| place(clip.bones[parent].node));
        let children: Vec<usize> =
            (0..clip.bones.len()).filter(|&child| above(clip.bones[child].name).map(|p| clip.bones[p].name) == Some(bone.name)).collect();
        let mut node = json!({"name": bone.name, "translation": (place(bone.node) - parent).to_array()});
        if !children.is_empty() {
            node["children"] = children.into();
        }
        nodes.push(node);
    }
    let bones: serde_json::Map<String, Value> =
        clip.bones.iter().enumerate().map(|(index, bone)| (bone.name.to_owned(), json!({"node": index}))).collect();
    let json = json!({
        "asset": {"version": "2.0", "generator": "companion-build"}, "extensionsUsed": ["VRMC_vrm_animation"],
        "scene": 0, "scenes": [{"nodes": [index("hips")?]}], "nodes": nodes,
        "extensions": {"VRMC_vrm_animation": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}},
    });
    let mut document = Document::from(json.as_object()?.clone());
    let input = add(&mut document, "SCALAR", &times);
    let mut turns: Vec<Vec<f64>> = vec![Vec::new(); clip.bones.len()];
    let (mut hips, mut last) = (Vec::new(), vec![DQuat::IDENTITY; clip.bones.len()]);
    for &time in &times {
        hips.extend(position(&clip.skeleton.world(&clip.pose(time))[clip.bone("hips")?]).to_array());
        for (bone, (_, turn)) in clip.turns_at(time).into_iter().enumerate() {
            last[bone] = if last[bone].dot(turn) < 0.0 { -turn } else { turn };
            turns[bone].extend(last[bone].to_array());
        }
    }
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut channel = |output: usize, node: usize, path: &str| {
        samplers.push(json!({"input": input, "output": output}));
        channels.push(json!({"sampler": samplers.len() - 1, "target": {"node": node, "path": path}}));
    };
    for (bone, turns) in turns.iter().enumerate() {
        channel(add(&mut document, "VEC4", turns), bone, "rotation");
    }
    channel(add(&mut document, "VEC3", &hips), index("hips")?, "translation");
    let name = clip.animations.get(clip.chosen).filter(|name| !name.is_empty()).map_or("motion", String::as_str);
    document.add("animations", json!({"name": name, "samplers": samplers, "channels": channels}));
    Some(document)
}

/// An accessor of single-precision floats; its index.
fn add(document: &mut Document, kind: &str, numbers: &[f64]) -> usize {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()).collect();
    let view = document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
    let width = crate::gltf::accessor::components_of(kind).unwrap_or(1);
    let mut accessor = json!({"bufferView": view, "componentType": 5126, "count": numbers.len() / width, "type": kind});
    if let (1, Some(first), Some(last)) = (width, numbers.first(), numbers.last()) {
        (accessor["min"], accessor["max"]) = (json!([*first as f32]), json!([*last as f32]));
    }
    document.add("accessors", accessor)
}

/// Takes the rig out of the motions that play a clip which says itself now which node is which bone.
pub fn drop_rig(pack: &Pack, manifest: &Manifest, clip: &str, edits: &mut Edits) {
    let Some((_, motion)) = motion(pack, clip).filter(|(model, _)| model.path == manifest.path) else { return };
    let members = motion.members();
    let Some(at) = members.iter().position(|member| member.key == "rig") else { return };
    let end = members[at].value.range.end;
    match at.checked_sub(1) {
        Some(before) => edits.replace(members[before].value.range.end..end, ""),
        None => edits.replace(members[at].key_range.start..members.get(1).map_or(end, |next| next.key_range.start), ""),
    };
}
