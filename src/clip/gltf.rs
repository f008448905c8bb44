//! Clips out of glTF files: VRM animations, GLBs, and the animations inside an avatar.
//!
//! Sources: glTF 2.0 specification chapter 3.11, VRMC_vrm_animation 1.0, and what @pixiv/three-vrm-animation 3.5.5 does with them: it plays
//! the first animation, throws on a scale of a human bone, on anything but a translation of an expression and anything but a rotation of the
//! gaze, and divides by the height of the hips at rest.

use super::skeleton::{Skeleton, position};
use super::{Channel, Clip, Interpolation, Kind, Property, Weight, repeated};
use crate::gltf::accessor::Layout;
use crate::gltf::names::{sanitize, three_names};
use crate::gltf::{Document, index_in, list};
use crate::report::{Code, Finding, Place, Report, Severity, code};
use crate::vrm;
use crate::vrm::humanoid::{self, Bone};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The least height of the hips at rest by which a motion can be scaled, in metres.
const LEAST_HIPS: f64 = 0.001;
/// As many faults of one kind as are listed one by one.
const LISTED: usize = 5;

/// The clip in a file of its own; `None` after a finding that says why it cannot play.
pub fn file(document: &Document, file: &str, report: &mut Report) -> Option<Clip> {
    let faults = report.findings.len();
    let vrma = document.extension("VRMC_vrm_animation");
    let add = |code: &'static Code, pointer: &str, message: &str, report: &mut Report| {
        report.add(Finding::new(code, Place::file(file).at(pointer), message).hint(code.remedy));
    };
    if file.to_ascii_lowercase().ends_with(".vrma") && vrma.is_none() {
        let message = "the file is a plain GLB without VRMC_vrm_animation";
        report.add(
            Finding::new(&code::C001, Place::file(file), message)
                .hint("Name it .glb and give its motion a rig, or export it as a VRM animation."),
        );
    }
    let bones = match (vrma, vrm::version(document)) {
        (Some(extension), _) => humanoid::in_extension(document, extension),
        (None, Some(version)) => humanoid::of(document, version),
        (None, None) => Vec::new(),
    };
    let kind = if vrma.is_some() { Kind::Vrma } else { Kind::Gltf };
    let Some(mut clip) = animation(document, 0, kind, bones, file, report) else {
        if document.list("animations").is_empty() {
            add(&code::C007, "/animations", "the file has no animation", report);
        }
        return None;
    };
    clip.has_humanoid = vrma.is_some() || vrm::version(document).is_some();
    if let Some(extension) = vrma {
        let root = "/extensions/VRMC_vrm_animation";
        if extension.get("specVersion").is_none_or(|version| version != "1.0" && version != "1.0-draft") {
            let message = match extension.get("specVersion") {
                None => "the file has no specVersion".to_owned(),
                Some(version) => format!("specVersion is {version}, not \"1.0\""),
            };
            add(&code::C002, &format!("{root}/specVersion"), &message, report);
        }
        if clip.bone("hips").is_none() {
            add(&code::C003, &format!("{root}/humanoid/humanBones"), "the file maps no node to the hips", report);
        }
        clip.expressions = expressions(document, extension);
        clip.look_at = extension.get("lookAt").and_then(|look_at| index_in(look_at, "node"));
        judge_channels(document, &clip, file, report);
        if let Some(hips) = clip.bone("hips") {
            let height = position(&clip.skeleton.rest_world()[hips]).y;
            if height.is_nan() || height <= LEAST_HIPS {
                let message = format!("the hips rest at a height of {height:.4} m: the motion would be scaled to infinity");
                add(&code::C006, &format!("/nodes/{hips}"), &message, report);
            }
        }
    } else if clip.has_humanoid {
        clip.skeleton.root = super::facing::turned(&clip.skeleton, &clip.bones);
    }
    // With hips on the ground everything but their way can still be told.
    let fatal = |finding: &Finding| finding.severity == Severity::Error && finding.code != &code::C006;
    (!report.findings[faults..].iter().any(fatal)).then_some(clip)
}

/// An animation inside an avatar.
pub fn embedded(document: &Document, index: usize, bones: &[Bone], file: &str, report: &mut Report) -> Option<Clip> {
    let clip = animation(document, index, Kind::Avatar, bones.to_vec(), file, report)?;
    Some(Clip { has_humanoid: !bones.is_empty(), weight: Weight::default(), ..clip })
}

/// Reads one animation; `None` when there is none of this number, or it is damaged.
fn animation(document: &Document, index: usize, kind: Kind, bones: Vec<Bone>, file: &str, report: &mut Report) -> Option<Clip> {
    let json = document.list("animations").get(index)?;
    let channels = channels(document, index, json, file, report)?;
    let ends = |time: fn(&Channel) -> Option<&f64>| channels.iter().filter_map(time).copied();
    let first_key = ends(|channel| channel.times.first()).fold(f64::INFINITY, f64::min);
    let last_key = ends(|channel| channel.times.last()).fold(f64::NEG_INFINITY, f64::max);
    if channels.is_empty() {
        let message = "the animation moves nothing";
        report.add(Finding::new(&code::C007, Place::file(file).at(format!("/animations/{index}")), message).hint(code::C007.remedy));
        return None;
    }
    let name = |value: &Value| value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Clip {
        kind,
        animations: document.list("animations").iter().map(name).collect(),
        chosen: index,
        skeleton: Skeleton::of(document, &three_names(document)),
        bones,
        has_humanoid: false,
        expressions: Vec::new(),
        look_at: None,
        channels,
        first_key,
        last_key,
        repeated: repeated(document.list("nodes").iter().map(|node| sanitize(&name(node)))),
        weight: weight(document),
    })
}

/// The channels of an animation that move a node; C008 for what is damaged, and then `None`.
fn channels(document: &Document, index: usize, json: &Value, file: &str, report: &mut Report) -> Option<Vec<Channel>> {
    let samplers = list(json, "samplers");
    let mut faults: Vec<(String, String)> = Vec::new();
    let mut times: BTreeMap<usize, Result<Vec<f64>, String>> = BTreeMap::new();
    let mut found = Vec::new();
    let mut taken = BTreeSet::new();
    for (i, channel) in list(json, "channels").iter().enumerate() {
        let Some(number) = index_in(channel, "sampler").filter(|&number| number < samplers.len()) else {
            faults.push((format!("/animations/{index}/channels/{i}"), "the channel names no sampler".into()));
            continue;
        };
        let sampler = &samplers[number];
        let place = format!("/animations/{index}/samplers/{number}");
        let (Some(input), Some(output)) = (index_in(sampler, "input"), index_in(sampler, "output")) else {
            faults.push((place, "the sampler has no input or no output".into()));
            continue;
        };
        let times = times.entry(input).or_insert_with(|| self::times(document, input));
        let times = match times {
            Ok(times) => times,
            Err(message) => {
                faults.push((format!("{place}/input"), message.clone()));
                continue;
            }
        };
        let target = channel.get("target");
        let path = target.and_then(|target| target.get("path")).and_then(Value::as_str);
        let property = match path {
            Some("translation") => Property::Translation,
            Some("rotation") => Property::Rotation,
            Some("scale") => Property::Scale,
            _ => continue,
        };
        let Some(node) = target.and_then(|target| index_in(target, "node")).filter(|&node| node < document.list("nodes").len()) else {
            continue;
        };
        let interpolation = match sampler.get("interpolation").and_then(Value::as_str) {
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::Cubic,
            _ => Interpolation::Linear,
        };
        match values(document, output, times.len(), property, interpolation) {
            // Of two channels for one property the last one wins, as in three.js; every reader plays one of them.
            Ok(values) => {
                if !taken.insert((node, property)) {
                    found.retain(|channel: &Channel| (channel.node, channel.property) != (node, property));
                }
                found.push(Channel { node, property, interpolation, times: times.clone(), values });
            }
            Err(message) => faults.push((format!("{place}/output"), message)),
        }
    }
    let total = faults.len();
    for (place, message) in faults.into_iter().take(LISTED) {
        report.add(Finding::new(&code::C008, Place::file(file).at(place), message).hint(code::C008.remedy));
    }
    if total > LISTED {
        let message = format!("and {} more channels are damaged", total - LISTED);
        report.add(Finding::new(&code::C008, Place::file(file).at(format!("/animations/{index}")), message).hint(code::C008.remedy));
    }
    (total == 0).then_some(found)
}

fn times(document: &Document, accessor: usize) -> Result<Vec<f64>, String> {
    let data = document.accessor(accessor)?;
    if data.components != 1 {
        return Err("key times are single numbers".into());
    }
    let times: Vec<f64> = data.floats().into_iter().map(f64::from).collect();
    match times.first() {
        None => Err("there are no keys".into()),
        Some(_) if !times.iter().all(|time| time.is_finite()) => Err("a key time is no finite number".into()),
        Some(first) if *first < 0.0 => Err(format!("the first key is at {first} s, before 0")),
        Some(_) => match times.windows(2).position(|pair| pair[0] > pair[1]) {
            Some(at) => Err(format!("key {} is at {} s, before the one before it", at + 1, times[at + 1])),
            None => Ok(times),
        },
    }
}

fn values(document: &Document, accessor: usize, keys: usize, property: Property, interpolation: Interpolation) -> Result<Vec<f64>, String> {
    let layout = document.list("accessors").get(accessor).and_then(Layout::of);
    let wanted = if interpolation == Interpolation::Cubic { 3 * keys } else { keys };
    if layout.is_none_or(|layout| layout.components != property.width() || layout.count < wanted) {
        let found = layout.map_or(0, |layout| layout.count);
        return Err(format!(
            "{wanted} values of {} numbers are wanted, the accessor holds {found} of another kind or too few",
            property.width()
        ));
    }
    let mut values: Vec<f64> = document.accessor(accessor)?.floats().into_iter().map(f64::from).collect();
    values.truncate(wanted * property.width());
    if values.iter().all(|value| value.is_finite()) { Ok(values) } else { Err("a value is no finite number".into()) }
}

/// C004 and C005: what three-vrm-animation throws on, or ignores.
fn judge_channels(document: &Document, clip: &Clip, file: &str, report: &mut Report) {
    let mut ignored = Vec::new();
    for (i, channel) in list(&document.list("animations")[clip.chosen], "channels").iter().enumerate() {
        let Some((node, path)) = channel.get("target").and_then(|t| Some((index_in(t, "node")?, t.get("path")?.as_str()?))) else {
            continue;
        };
        let place = || Place::file(file).at(format!("/animations/{}/channels/{i}", clip.chosen));
        let bone = clip.bones.iter().find(|bone| bone.node == node);
        let expression = clip.expressions.iter().find(|(_, own)| *own == node);
        match (bone, expression, path) {
            (Some(bone), _, "translation") if bone.name != "hips" => ignored.push(bone.name),
            (Some(_), _, "translation" | "rotation") => {}
            (Some(bone), _, path) => {
                let message = format!("a {path} channel moves the {}: three-vrm cannot load the clip", bone.name);
                report.add(Finding::new(&code::C004, place(), message).hint(code::C004.remedy));
            }
            (None, Some((name, _)), path) if path != "translation" => {
                let message = format!("a {path} channel moves the expression {name:?}: three-vrm cannot load the clip");
                report.add(Finding::new(&code::C005, place(), message).hint(code::C005.remedy));
            }
            (None, None, path) if clip.look_at == Some(node) && path != "rotation" => {
                let message = format!("a {path} channel moves the gaze: three-vrm cannot load the clip");
                report.add(Finding::new(&code::C005, place(), message).hint(code::C005.remedy));
            }
            _ => {}
        }
    }
    if let Some(first) = ignored.first() {
        let more = if ignored.len() > 1 { format!(" and {} more bones", ignored.len() - 1) } else { String::new() };
        let mut finding = Finding::new(
            &code::C004,
            Place::file(file).at(format!("/animations/{}", clip.chosen)),
            format!("a translation of {first}{more} is ignored: only the hips may move"),
        );
        finding.severity = Severity::Note;
        report.add(finding.hint("Nothing to do, unless the motion looks wrong."));
    }
}

/// Name and node of each expression of a VRM animation whose node exists.
fn expressions(document: &Document, extension: &Value) -> Vec<(String, usize)> {
    let nodes = document.list("nodes").len();
    let groups = ["preset", "custom"].into_iter().filter_map(|group| extension.get("expressions")?.get(group)?.as_object());
    let named = groups.flatten().filter_map(|(name, expression)| Some((name.clone(), index_in(expression, "node")?)));
    named.filter(|(_, node)| *node < nodes).collect()
}

/// What the file carries beside nodes and motion: all bytes that meshes, skins and pictures alone refer to.
fn weight(document: &Document) -> Weight {
    let mut moving: BTreeSet<usize> = BTreeSet::new();
    let view = |accessor: usize| document.list("accessors").get(accessor).and_then(|accessor| index_in(accessor, "bufferView"));
    for sampler in document.list("animations").iter().flat_map(|animation| list(animation, "samplers")) {
        moving.extend(["input", "output"].into_iter().filter_map(|member| index_in(sampler, member)).filter_map(view));
    }
    let stored = |i: usize| document.blobs[i].packed.as_ref().map_or(document.blobs[i].bytes.len(), |packed| packed.bytes.len()) as u64;
    Weight {
        meshes: document.list("meshes").len(),
        pictures: document.list("images").len(),
        bytes: (0..document.blobs.len()).filter(|i| !moving.contains(i)).map(stored).sum(),
    }
}
