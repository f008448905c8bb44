//! Motion files: only what plays, and only the keys that it takes.
//!
//! Of a VRM animation the channels of nodes without a meaning go, and of any clip meshes and pictures. A track that does not change keeps its
//! first and last key. Then keys go that lie on the way between their neighbours: the longest run is sought over which no key is off by more
//! than the allowed error, from key to key (46 real clips: 43.5% of their bytes at 0.02 degrees and 0.05 mm, 65.5% without). What remains are
//! keys of the source, as they were; the first and the last key of every track stay, and the clip lasts as long. A track that would lose few
//! keys loses none: its own key times would cost more than they save (a noisy capture: 77% of its bytes instead of 91%).

use super::{Pass, Work};
use crate::clip::channel::{angle_degrees, unit};
use crate::gltf::{Blob, Document, index_in, list};
use crate::report::Report;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Takes out what a clip does not need.
pub const STRIP: Pass =
    Pass { name: "motion only", summary: "takes meshes, pictures and channels without a meaning out of clips", run: strip };
/// Takes out keys.
pub const KEYS: Pass = Pass { name: "keys", summary: "takes out keys of clips that lie on the way between others", run: keys };

/// JSON of an accessor for key times, in bytes.
const ACCESSOR: usize = 96;
/// Smaller numbers in a node's place are nothing but rounding, in metres or parts of a quaternion.
const NOTHING: f64 = 1e-9;
/// The longest run that one pair of keys may stand for.
const LONGEST_RUN: usize = 240;
/// Lists that only meshes and pictures need, users before what they use.
const LISTS: [&str; 6] = ["skins", "meshes", "materials", "textures", "images", "samplers"];
/// Beginnings of extensions that only speak of those.
const EXTENSIONS: [&str; 8] = [
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "VRMC_materials_",
    "KHR_mesh_quantization",
    "KHR_draco_",
    "EXT_mesh_",
    "MSFT_texture_",
];

fn strip(work: &mut Work, _: &mut Report) -> bool {
    if !work.clip || !work.renumber {
        return false;
    }
    let is_vrma = work.document.extension("VRMC_vrm_animation").is_some();
    let is_avatar = crate::vrm::version(&work.document).is_some();
    let mut changed = is_vrma && unmapped(&mut work.document);
    let moves_shapes = work.document.list("animations").iter().flat_map(|animation| list(animation, "channels"));
    let moves_shapes =
        moves_shapes.into_iter().any(|channel| channel.get("target").is_some_and(|t| t.get("path").is_some_and(|p| p == "weights")));
    if !is_avatar && !moves_shapes {
        changed |= meshes(&mut work.document);
        if work.settings().motions.rotation_error > 0.0 {
            work.document.elements_mut("nodes").iter_mut().for_each(tidy);
        }
    }
    changed
}

/// Writes where a node is in as few digits as single precision has, and not at all what is as if it were not given.
fn tidy(node: &mut Value) {
    let Some(node) = node.as_object_mut() else { return };
    for (member, default) in [("translation", &[0.0; 3][..]), ("rotation", &[0.0, 0.0, 0.0, 1.0]), ("scale", &[1.0; 3])] {
        let numbers = node.get(member).and_then(Value::as_array).filter(|numbers| numbers.len() == default.len());
        let Some(numbers) = numbers.and_then(|numbers| numbers.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>()) else { continue };
        let short = |number: f64| if number.abs() < NOTHING { 0.0 } else { (number as f32).to_string().parse().unwrap_or(number) };
        let numbers: Vec<f64> = numbers.into_iter().map(short).collect();
        if numbers == default {
            node.shift_remove(member);
        } else {
            let whole = |number: f64| if number.fract() == 0.0 && number.abs() < 1e9 { json!(number as i64) } else { json!(number) };
            node.insert(member.into(), numbers.into_iter().map(whole).collect());
        }
    }
}

/// The nodes that a VRM animation means by something.
fn meant(document: &Document) -> BTreeSet<usize> {
    let Some(extension) = document.extension("VRMC_vrm_animation") else { return BTreeSet::new() };
    let groups = [
        extension.get("humanoid").and_then(|humanoid| humanoid.get("humanBones")),
        extension.get("expressions").and_then(|expressions| expressions.get("preset")),
        extension.get("expressions").and_then(|expressions| expressions.get("custom")),
    ];
    let named = groups.into_iter().flatten().filter_map(Value::as_object).flat_map(Map::values);
    named.chain(extension.get("lookAt")).filter_map(|value| index_in(value, "node")).collect()
}

/// Drops the channels of all other nodes, and then the samplers that no channel uses. An animation keeps its length.
fn unmapped(document: &mut Document) -> bool {
    let meant = meant(document);
    let plays = |channel: &Value| {
        let target = channel.get("target");
        let path = target.and_then(|target| target.get("path")).and_then(Value::as_str);
        matches!(path, Some("rotation" | "translation" | "scale"))
            && target.and_then(|target| index_in(target, "node")).is_some_and(|node| meant.contains(&node))
    };
    let mut changed = false;
    for a in 0..document.list("animations").len() {
        let animation = &document.list("animations")[a];
        let channels: Vec<Value> = list(animation, "channels").iter().filter(|channel| plays(channel)).cloned().collect();
        if channels.is_empty() || channels.len() == list(animation, "channels").len() {
            continue;
        }
        let lasts = |channels: &[Value]| channels.iter().filter_map(|channel| last_key(document, animation, channel)).fold(0.0, f32::max);
        let (before, after) = (lasts(list(animation, "channels")), lasts(&channels));
        let mut samplers = list(animation, "samplers").to_vec();
        let mut renumbered = channels;
        if after < before {
            // One track holds its last value for as long as what was dropped went on.
            let Some((channel, sampler)) = held(document, &samplers, &renumbered, before) else { continue };
            renumbered[channel]["sampler"] = samplers.len().into();
            samplers.push(sampler);
        }
        let (mut kept, mut numbers) = (Vec::new(), BTreeMap::new());
        for channel in &mut renumbered {
            let Some(old) = index_in(channel, "sampler") else { continue };
            let new = *numbers.entry(old).or_insert_with(|| {
                kept.push(samplers.get(old).cloned().unwrap_or_default());
                kept.len() - 1
            });
            channel["sampler"] = new.into();
        }
        let animation = &mut document.list_mut("animations")[a];
        animation["channels"] = renumbered.into();
        animation["samplers"] = kept.into();
        changed = true;
    }
    changed
}

/// Time of the last key of a channel.
fn last_key(document: &Document, animation: &Value, channel: &Value) -> Option<f32> {
    let sampler = list(animation, "samplers").get(index_in(channel, "sampler")?)?;
    document.accessor(index_in(sampler, "input")?).ok()?.floats().last().copied()
}

/// The first plain channel with one more key, at the end: its number, and a sampler for it.
fn held(document: &mut Document, samplers: &[Value], channels: &[Value], end: f32) -> Option<(usize, Value)> {
    for (number, channel) in channels.iter().enumerate() {
        let sampler = samplers.get(index_in(channel, "sampler")?)?;
        if sampler.get("interpolation").is_some_and(|i| i == "CUBICSPLINE") {
            continue;
        }
        let (Some(mut times), Some((mut values, kind))) =
            (floats(document, sampler, "input").map(|t| t.0), floats(document, sampler, "output"))
        else {
            continue;
        };
        let width = values.len() / times.len().max(1);
        let last: Vec<f32> = values.get(values.len().checked_sub(width)?..)?.to_vec();
        times.push(end);
        values.extend(last);
        let mut sampler = sampler.clone();
        sampler["input"] = add(document, &times, "SCALAR").into();
        sampler["output"] = add(document, &values, &kind).into();
        return Some((number, sampler));
    }
    None
}

/// Meshes, skins, materials and pictures, and what nodes say of them.
fn meshes(document: &mut Document) -> bool {
    if LISTS.iter().all(|name| document.list(name).is_empty()) {
        return false;
    }
    for node in document.elements_mut("nodes") {
        if let Some(node) = node.as_object_mut() {
            ["mesh", "skin", "weights"].into_iter().for_each(|member| drop(node.shift_remove(member)));
        }
    }
    for name in LISTS {
        document.json.shift_remove(name);
    }
    let used: Vec<String> = document.list("extensionsUsed").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    used.iter().filter(|name| EXTENSIONS.iter().any(|start| name.starts_with(start))).for_each(|name| document.forget_extension(name));
    true
}

/// The floats of an accessor that came uncompressed, with its type.
fn floats(document: &Document, sampler: &Value, member: &str) -> Option<(Vec<f32>, String)> {
    let accessor = index_in(sampler, member)?;
    let json = document.list("accessors").get(accessor)?;
    let packed = index_in(json, "bufferView").and_then(|view| document.blobs.get(view)).is_some_and(|blob| blob.packed.is_some());
    let data = document.accessor(accessor).ok().filter(|data| !packed && data.component == crate::gltf::accessor::Component::F32)?;
    Some((data.floats(), json.get("type")?.as_str()?.to_owned()))
}

fn add(document: &mut Document, floats: &[f32], kind: &str) -> usize {
    let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
    let view = document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
    let width = crate::gltf::accessor::components_of(kind).unwrap_or(1);
    let mut accessor = json!({"bufferView": view, "componentType": 5126, "count": floats.len() / width, "type": kind});
    if kind == "SCALAR"
        && let (Some(first), Some(last)) = (floats.first(), floats.last())
    {
        accessor["min"] = json!([first]);
        accessor["max"] = json!([last]);
    }
    document.add("accessors", accessor)
}

/// How far apart two values may be and count as one.
#[derive(Clone, Copy)]
enum Measure {
    /// Quaternions; degrees.
    Turn(f64),
    /// Numbers; the largest difference.
    Number(f64),
}

impl Measure {
    fn is_within(self, a: &[f64; 4], b: &[f64; 4]) -> bool {
        match self {
            Self::Turn(degrees) => angle_degrees(unit(*a), unit(*b)) <= degrees,
            Self::Number(most) => a.iter().zip(b).all(|(a, b)| (a - b).abs() <= most),
        }
    }

    fn between(self, a: &[f64; 4], b: &[f64; 4], part: f64) -> [f64; 4] {
        match self {
            Self::Turn(_) => unit(*a).slerp(unit(*b), part).to_array(),
            Self::Number(_) => std::array::from_fn(|i| a[i] + (b[i] - a[i]) * part),
        }
    }
}

fn keys(work: &mut Work, _: &mut Report) -> bool {
    if !work.clip || !work.renumber {
        return false;
    }
    // Compressed, all keys take less than some keys and their times.
    let thins = work.settings().motions.thin && !work.compresses();
    let (turn, way) = if thins { (work.settings().motions.rotation_error, work.settings().motions.translation_error) } else { (0.0, 0.0) };
    let mut changed = false;
    for a in 0..work.document.list("animations").len() {
        let animation = &work.document.list("animations")[a];
        let measures = measures(animation, turn, way);
        let mut samplers = list(animation, "samplers").to_vec();
        for (sampler, measure) in samplers.iter_mut().zip(measures) {
            let Some(track) = measure.and_then(|measure| Track::of(&work.document, sampler, measure, thins)) else { continue };
            if let Some(sampler) = sampler.as_object_mut().filter(|sampler| sampler.get("interpolation").is_some_and(|i| i == "LINEAR")) {
                sampler.shift_remove("interpolation");
            }
            let times: Vec<f32> = track.kept.iter().map(|&key| track.times[key]).collect();
            let values: Vec<f32> =
                track.kept.iter().flat_map(|&key| track.values[key * track.width..(key + 1) * track.width].iter().copied()).collect();
            sampler["input"] = add(&mut work.document, &times, "SCALAR").into();
            sampler["output"] = add(&mut work.document, &values, &track.kind).into();
            changed = true;
        }
        work.document.list_mut("animations")[a]["samplers"] = samplers.into();
    }
    changed
}

/// How each sampler of an animation is measured. One that serves two properties, or none, is left as it is.
fn measures(animation: &Value, turn: f64, way: f64) -> Vec<Option<Measure>> {
    let mut paths: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for channel in list(animation, "channels") {
        let path = channel.get("target").and_then(|target| target.get("path")).and_then(Value::as_str);
        paths.entry(index_in(channel, "sampler").unwrap_or(usize::MAX)).or_default().insert(path.unwrap_or_default());
    }
    let measure = |number: usize| match paths.get(&number).filter(|paths| paths.len() == 1)?.first().copied()? {
        "rotation" => Some(Measure::Turn(turn)),
        "translation" | "scale" => Some(Measure::Number(way)),
        _ => None,
    };
    (0..list(animation, "samplers").len()).map(measure).collect()
}

/// About how many bytes go when the keys of a document's animations are thinned.
pub fn spared(document: &Document, settings: &super::settings::Motions) -> u64 {
    let (mut spared, mut times) = (0, BTreeSet::new());
    for animation in document.list("animations") {
        let measures = measures(animation, settings.rotation_error, settings.translation_error);
        for (sampler, measure) in list(animation, "samplers").iter().zip(measures) {
            let Some(track) = measure.and_then(|measure| Track::of(document, sampler, measure, settings.thin)) else { continue };
            spared += track.keys_size(track.times.len() - track.kept.len());
            if track.kept.len() < track.times.len() {
                times.insert(track.kept);
            }
        }
    }
    let times: usize = times.iter().map(|kept| times_size(kept)).sum();
    spared.saturating_sub(times) as u64
}

/// What key times of their own cost, in bytes.
fn times_size(kept: &[usize]) -> usize {
    4 * kept.len() + ACCESSOR
}

/// The keys of a sampler, and which of them it takes.
struct Track {
    times: Vec<f32>,
    values: Vec<f32>,
    kind: String,
    width: usize,
    kept: Vec<usize>,
}

impl Track {
    /// `None` for a sampler that stays as it is.
    fn of(document: &Document, sampler: &Value, measure: Measure, thins: bool) -> Option<Self> {
        let interpolation = sampler.get("interpolation").and_then(Value::as_str).unwrap_or("LINEAR");
        let ((times, _), (values, kind)) = (floats(document, sampler, "input")?, floats(document, sampler, "output")?);
        let width = crate::gltf::accessor::components_of(&kind).unwrap_or(0);
        if interpolation == "CUBICSPLINE" || !(3..=4).contains(&width) || times.is_empty() || values.len() != times.len() * width {
            return None;
        }
        let keys: Vec<[f64; 4]> =
            values.chunks_exact(width).map(|value| std::array::from_fn(|i| value.get(i).copied().map_or(0.0, f64::from))).collect();
        let kept = match interpolation {
            "STEP" => steps(&keys),
            _ => kept(&times, &keys, measure, thins),
        };
        let mut track = Self { times, values, kind, width, kept };
        if track.kept.len() > 2 && track.keys_size(track.kept.len()) + times_size(&track.kept) > track.keys_size(keys.len()) {
            track.kept = (0..keys.len()).collect();
        }
        Some(track)
    }

    /// In bytes.
    fn keys_size(&self, keys: usize) -> usize {
        4 * self.width * keys
    }
}

/// The keys at which a stepping track changes, and the last one.
fn steps(keys: &[[f64; 4]]) -> Vec<usize> {
    let last = keys.len() - 1;
    (0..keys.len()).filter(|&key| key == 0 || key == last || keys[key] != keys[key - 1]).collect()
}

/// The keys that a track takes. Without thinning only a track that never changes loses some.
fn kept(times: &[f32], keys: &[[f64; 4]], measure: Measure, thins: bool) -> Vec<usize> {
    let last = keys.len() - 1;
    if keys.iter().all(|key| *key == keys[0]) {
        return if last == 0 { vec![0] } else { vec![0, last] };
    }
    if !thins {
        return (0..=last).collect();
    }
    let fits = |from: usize, to: usize| {
        let span = f64::from(times[to]) - f64::from(times[from]);
        (from + 1..to).all(|key| {
            let part = if span > 0.0 { (f64::from(times[key]) - f64::from(times[from])) / span } else { 0.0 };
            measure.is_within(&measure.between(&keys[from], &keys[to], part), &keys[key])
        })
    };
    let (mut kept, mut from) = (vec![0], 0);
    while from < last {
        let mut to = from + 1;
        while to < last && to - from < LONGEST_RUN && fits(from, to + 1) {
            to += 1;
        }
        kept.push(to);
        from = to;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_on_the_way_go_and_corners_stay() {
        let keys: Vec<[f64; 4]> = [0.0, 1.0, 2.0, 3.0, 1.0, -1.0].iter().map(|x| [*x, 0.0, 0.0, 0.0]).collect();
        let times = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(kept(&times, &keys, Measure::Number(0.01), true), [0, 3, 5]);
        assert_eq!(kept(&times, &keys, Measure::Number(0.0), false), [0, 1, 2, 3, 4, 5]);
        // Within half a unit the corner at 3 is not seen from 2 to 4, but nothing reaches farther.
        assert_eq!(kept(&times, &keys, Measure::Number(9.0), true), [0, 5]);
        assert_eq!(kept(&times, &[[7.0; 4]; 6], Measure::Number(0.0), false), [0, 5]);
        assert_eq!(kept(&times[..1], &keys[..1], Measure::Number(0.0), true), [0]);
        assert_eq!(steps(&[[0.0; 4], [0.0; 4], [1.0; 4], [1.0; 4], [1.0; 4]]), [0, 2, 4]);
    }

    #[test]
    fn a_steady_turn_needs_two_keys() {
        let keys: Vec<[f64; 4]> = (0..100).map(|i| glam::DQuat::from_rotation_y(0.03 * f64::from(i)).to_array()).collect();
        let times: Vec<f32> = (0..100u8).map(f32::from).collect();
        assert_eq!(kept(&times, &keys, Measure::Turn(0.02), true), [0, 99]);
        let mut bent = keys;
        bent[50] = glam::DQuat::from_rotation_y(0.03 * 50.0 + 0.001).to_array();
        // 0.001 rad are 0.057 degrees.
        assert_eq!(kept(&times, &bent, Measure::Turn(0.02), true).len(), 5);
        assert_eq!(kept(&times, &bent, Measure::Turn(0.06), true), [0, 99]);
    }
}
