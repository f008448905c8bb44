//! Reads every motion of a pack as the stage would play it, and tells the rules what it moves.

use super::outcome;
use super::stride;
use crate::clip::moving::Farthest;
use crate::clip::retarget::Body;
use crate::clip::skeleton::position;
use crate::clip::{Clip, Rig, Skeleton, facing, suggest};
use crate::gltf::accessor::{Component, Layout};
use crate::gltf::{Document, index_in, list};
use crate::motion::{Walk, measure, walk::body_height};
use crate::pack::facts::{ClipFacts, LookFacts, RigFacts, WalkFacts};
use crate::pack::node::Node;
use crate::pack::references::{Kind, Reference};
use crate::pack::{Facts, Manifest, Pack, has_role};
use crate::parallel;
use crate::report::Report;
use crate::shrink::{self, settings::Motions};
use crate::vrm;
use crate::vrm::humanoid::Bone;
use crate::vrm::refs::TABLE;
use serde_json::Value;

/// A look's avatar, opened for its motions.
struct Avatar {
    document: Document,
    body: Body,
    /// In metres.
    height: Option<f64>,
}

/// Reads all motions, puts what they are to the facts, and gives what was measured of each look that has a walk. What is wrong inside a clip
/// is reported; what is wrong with its container only with `containers`, for when nobody else has opened it. With `thin`, it is worked out how
/// much smaller a build would make it.
pub fn gather(pack: &Pack, facts: &mut Facts, containers: bool, thin: Option<&Motions>, report: &mut Report) -> Vec<outcome::Model> {
    let mut measured = Vec::new();
    for model in pack.models() {
        let Some(root) = &model.root else { continue };
        let motions: Vec<usize> = (0..root.list("motions").len()).collect();
        let avatar = needs_avatar(root).then(|| avatar(pack, model, root)).flatten();
        if let Some(avatar) = &avatar {
            facts.looks.insert(model.path.clone(), look(avatar, root));
        }
        let (found, findings) = parallel::map(
            &motions,
            |index| format!("{}#/motions/{index}", model.path),
            |&index, report| motion(pack, model, &root.list("motions")[index], avatar.as_ref(), containers, thin, report),
        );
        report.merge(findings);
        let pace = pace(root);
        let mut walks = Vec::new();
        for (index, found) in found.into_iter().enumerate() {
            let Some((clip, walk)) = found.flatten() else { continue };
            facts.clips.insert((model.path.clone(), index), clip);
            let id = root.list("motions")[index].get("id").and_then(Node::as_str).unwrap_or_default();
            walks.extend(walk.map(|walk| stride::shown(id.strip_prefix("file:").unwrap_or(id), &walk, pace)));
        }
        let height = avatar.and_then(|avatar| avatar.height);
        if !walks.is_empty() {
            measured.push(outcome::Model { key: model.key.clone(), body_height: height, walks, cover: Vec::new() });
        }
    }
    measured
}

/// The pacing speed of a look, in body heights a second.
fn pace(root: &Node) -> f64 {
    let given = root.at(&["pacing", "speed"]).and_then(Node::as_f64).filter(|speed| speed.is_finite() && *speed > 0.0);
    given.unwrap_or(crate::motion::walk::SPEED)
}

/// Opening an avatar takes time: only for a walk, for its own animations, and for a plain GLB, which may have or want a rig.
fn needs_avatar(root: &Node) -> bool {
    let embedded = |motion: &Node| motion.get("id").and_then(Node::as_str).is_some_and(|id| id.starts_with("avatar:"));
    let avatar = root.get("avatar").and_then(Node::as_str).unwrap_or_default().to_ascii_lowercase();
    avatar.ends_with(".glb")
        || avatar.ends_with(".vrm") && root.list("motions").iter().any(|motion| has_role(motion, "walk") || embedded(motion))
}

/// The bone map in a manifest, as three.js spells its names.
pub fn rig_of(node: &Node) -> Option<Rig> {
    let bones = node.get("rig")?.get("bones")?;
    let named =
        bones.members().iter().filter_map(|member| Some((member.key.clone(), crate::gltf::names::sanitize(member.value.as_str()?))));
    Some(named.collect())
}

fn avatar(pack: &Pack, model: &Manifest, root: &Node) -> Option<Avatar> {
    let path = pack.avatar_of(model)?.target()?;
    let bytes = pack.tree.read(path).ok().filter(|bytes| bytes.starts_with(b"glTF"))?;
    let document = Document::read(&bytes, path, &TABLE, &mut Report::default())?;
    let body = Body::of(&document, rig_of(root).as_ref());
    let height = body_height(&document, &body);
    Some(Avatar { document, body, height })
}

fn look(avatar: &Avatar, root: &Node) -> LookFacts {
    let plain = vrm::version(&avatar.document).is_none();
    let suggested = (plain && root.get("rig").is_none()).then(|| suggest::rig(&avatar.body.skeleton)).flatten();
    LookFacts {
        suggested_rig: suggested.as_ref().map(|rig| suggest::json(rig).to_string()),
        rig: if plain { rig_facts(&avatar.body.skeleton, &avatar.body.bones) } else { RigFacts::default() },
    }
}

/// One motion; `None` when its clip cannot be opened or played.
fn motion(
    pack: &Pack,
    model: &Manifest,
    motion: &Node,
    avatar: Option<&Avatar>,
    containers: bool,
    thin: Option<&Motions>,
    report: &mut Report,
) -> Option<(ClipFacts, Option<Walk>)> {
    let id = motion.get("id")?.as_str()?;
    let rig = rig_of(motion);
    let (mut spared, mut file_bytes) = (0, 0);
    let (mut clip, is_compressed) = if let Some(name) = id.strip_prefix("avatar:") {
        let avatar = avatar?;
        let named = |animation: &Value| animation.get("name").and_then(Value::as_str) == Some(name);
        let index = avatar.document.list("animations").iter().position(named)?;
        let path = pack.avatar_of(model)?.target()?;
        (Clip::embedded(&avatar.document, index, &avatar.body.bones, path, report)?, false)
    } else {
        let pointer = model.place(motion.get("id")?).pointer;
        // What is no clip by its name has its own rule (N010).
        let is_it = |r: &&Reference| r.kind == Kind::Clip && r.place.pointer == pointer && r.has_right_ending();
        let reference = pack.references_of(model).find(is_it)?;
        let path = reference.target()?;
        let bytes = pack.tree.read(path).ok().filter(|bytes| !bytes.is_empty())?;
        let mut container = Report::default();
        let clip = if bytes.starts_with(b"glTF") {
            let document = Document::read(&bytes, path, &TABLE, &mut container);
            document.and_then(|document| {
                let clip = Clip::of_document(&document, path, report)?;
                spared = thin.map_or(0, |settings| shrink::motions::spared(&document, settings));
                Some((clip, is_compressed(&document)))
            })
        } else {
            // What is no clip by its first bytes is judged by the rules of files.
            Clip::is_fbx(&bytes).then(|| Clip::read(&bytes, path, &mut container, report)).flatten().map(|clip| (clip, false))
        };
        file_bytes = bytes.len() as u64;
        if containers {
            report.merge(container);
        }
        clip?
    };
    let suggested = if clip.has_humanoid { None } else { suggest::rig(&clip.skeleton) };
    if let Some(rig) = rig.as_ref().filter(|_| !clip.has_humanoid) {
        clip.set_rig(rig);
    }
    let walk = avatar.filter(|_| has_role(motion, "walk")).and_then(|avatar| Some(measure(&avatar.body, &clip, avatar.height?)));
    let mut facts = facts_of(&clip);
    facts.is_compressed = is_compressed;
    facts.spared_bytes = spared;
    facts.file_bytes = file_bytes;
    facts.suggested_rig = suggested.as_ref().map(|rig| suggest::json(rig).to_string());
    facts.walk = walk.as_ref().map(|walk| WalkFacts {
        why: walk.gait.as_ref().err().cloned(),
        speed: walk.gait.as_ref().map_or(0.0, |gait| gait.speed),
        travel: walk.travel_meters / walk.body_height,
        travel_meters: walk.travel_meters,
        heading_degrees: walk.gait.as_ref().map_or(0.0, |gait| gait.heading_degrees),
    });
    Some((facts, walk))
}

/// True for compressed or integer keys.
fn is_compressed(document: &Document) -> bool {
    let samplers = document.list("animations").iter().flat_map(|animation| list(animation, "samplers"));
    let mut accessors = samplers.flat_map(|sampler| [index_in(sampler, "input"), index_in(sampler, "output")]).flatten();
    accessors.any(|accessor| {
        let Some(json) = document.list("accessors").get(accessor) else { return false };
        let packed = index_in(json, "bufferView").is_some_and(|view| document.blobs.get(view).is_some_and(|blob| blob.packed.is_some()));
        packed || Layout::of(json).is_some_and(|layout| layout.component != Component::F32)
    })
}

/// What a clip is, without its avatar.
pub fn facts_of(clip: &Clip) -> ClipFacts {
    let owned = |names: std::collections::BTreeSet<&str>| names.into_iter().map(str::to_owned).collect();
    let far = |found: Farthest<'_>| found.map(|(name, degrees)| (name.to_owned(), degrees));
    let pose = |seconds: f64| clip.turns_at(seconds).into_iter().map(|(bone, turn)| (bone, turn.to_array())).collect();
    ClipFacts {
        nodes: clip.skeleton.names.iter().filter(|name| !name.is_empty()).cloned().collect(),
        moving: owned(clip.moving_nodes()),
        part_bones: owned(clip.part_bones()),
        has_humanoid: clip.has_humanoid,
        is_body_animated: clip.is_body_animated(),
        moving_bones: owned(clip.moving_bones()),
        animations: clip.animations.clone(),
        chosen: clip.chosen,
        duration_seconds: clip.duration(),
        first_key_seconds: clip.first_key,
        seam: far(clip.seam()),
        change: far(clip.change()),
        poses: [pose(clip.first_key), pose(clip.last_key)],
        meshes: clip.weight.meshes,
        pictures: clip.weight.pictures,
        dead_bytes: clip.weight.bytes,
        repeated: clip.repeated.clone(),
        rig: if clip.has_humanoid { RigFacts::default() } else { rig_facts(&clip.skeleton, &clip.bones) },
        ..ClipFacts::default()
    }
}

/// Bones that must hang on each other, from the end up.
const CHAINS: [[&str; 3]; 5] = [
    ["head", "spine", "hips"],
    ["leftHand", "leftLowerArm", "leftUpperArm"],
    ["rightHand", "rightLowerArm", "rightUpperArm"],
    ["leftFoot", "leftLowerLeg", "leftUpperLeg"],
    ["rightFoot", "rightLowerLeg", "rightUpperLeg"],
];

/// What is odd about a bone map.
fn rig_facts(skeleton: &Skeleton, bones: &[Bone]) -> RigFacts {
    let node = |name: &str| bones.iter().find(|bone| bone.name == name).map(|bone| bone.node);
    let mut disorder = Vec::new();
    for pair in CHAINS.iter().flat_map(|chain| chain.windows(2)) {
        if let (Some(below), Some(above)) = (node(pair[0]), node(pair[1]))
            && !skeleton.above(below).any(|node| node == above)
        {
            disorder.push(format!("{} is not below {}", pair[0], pair[1]));
        }
    }
    // Feet point ahead; when left and right are swapped, ahead comes out as behind.
    let world = skeleton.rest_world();
    let points_back = |side: &str| {
        let (foot, axes) = (node(&format!("{side}Foot"))?, facing::axes(skeleton, bones)?);
        let toes = node(&format!("{side}Toes")).or_else(|| (0..world.len()).find(|&child| skeleton.parents[child] == Some(foot)))?;
        let way = (position(&world[toes]) - position(&world[foot])).dot(axes.z_axis);
        let length = position(&world[toes]).distance(position(&world[foot]));
        Some(length > 1e-9 && way < -0.3 * length)
    };
    RigFacts { disorder, is_mirrored: ["left", "right"].iter().all(|side| points_back(side) == Some(true)) }
}
