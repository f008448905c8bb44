//! Clip files: what is wrong with them is said, what they ship as plays the same, and rigs are guessed right.

use bytes::Bytes;
use companion_build::build::settings::Settings;
use companion_build::clip::channel::{angle_degrees, unit};
use companion_build::clip::{Clip, Property, Skeleton, suggest};
use companion_build::disk::cache::Cache;
use companion_build::gltf::names::three_names;
use companion_build::gltf::{Blob, Document, index_in, list};
use companion_build::parallel::Budget;
use companion_build::report::{Report, progress::Silent};
use companion_build::shrink::{Role, Workshop, shrink};
use companion_build::vrm::humanoid::{self, REQUIRED};
use companion_build::vrm::refs::TABLE;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Files of a folder of the corpus, sorted; none, with a line that says so, when it is not here.
fn corpus(folder: &str, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(project("../shared/corpus").join(folder)) else {
        println!("skipped: ../shared/corpus/{folder} is not here");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|own| own == ending));
    files.sort();
    files
}

fn samples() -> Vec<PathBuf> {
    let names = ["idle", "laugh", "listen", "shift", "talk-idle", "think", "walk", "wave"];
    names.iter().map(|name| project("samples/wardrobe/companion-models/juno").join(format!("{name}.vrma"))).collect()
}

fn read(path: &Path) -> Bytes {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).into()
}

/// A clip, and the codes of what was found in it.
fn opened(bytes: &Bytes, name: &str) -> (Option<Clip>, Vec<&'static str>) {
    let (mut container, mut report) = (Report::default(), Report::default());
    let clip = Clip::read(bytes, name, &mut container, &mut report);
    let mut codes: Vec<&'static str> = container.findings.iter().chain(&report.findings).map(|finding| finding.code.id).collect();
    codes.dedup();
    (clip, codes)
}

/// A VRM animation of one second, in which the head (node 1) turns; `change` may spoil its JSON.
fn vrma(change: impl FnOnce(&mut Value)) -> Bytes {
    let mut json = json!({
        "asset": {"version": "2.0"}, "extensionsUsed": ["VRMC_vrm_animation"],
        "nodes": [{"name": "hips", "children": [1], "translation": [0, 1, 0]}, {"name": "head"}, {"name": "happy"}, {"name": "look"}, {"name": "prop"}],
        "scenes": [{"nodes": [0, 2, 3, 4]}], "scene": 0,
        "animations": [{"samplers": [{"input": 0, "output": 1}, {"input": 0, "output": 2}],
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}, {"sampler": 1, "target": {"node": 0, "path": "translation"}}]}],
        "extensions": {"VRMC_vrm_animation": {"specVersion": "1.0", "humanoid": {"humanBones": {"hips": {"node": 0}, "head": {"node": 1}}},
            "expressions": {"preset": {"happy": {"node": 2}}}, "lookAt": {"node": 3}}},
    });
    change(&mut json);
    let mut document = Document::from(json.as_object().expect("an object").clone());
    let floats: [(&str, &[f32]); 4] = [
        ("SCALAR", &[0.0, 0.5, 1.0]),
        ("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0]),
        ("VEC3", &[0.0, 1.0, 0.0, 0.0, 0.9, 0.0, 0.0, 1.0, 0.0]),
        ("SCALAR", &[0.0, 0.7, 0.5]),
    ];
    for (kind, values) in floats {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let view = document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
        document.add("accessors", json!({"bufferView": view, "componentType": 5126, "type": kind, "count": 3}));
    }
    document.write().expect("small").into()
}

#[test]
fn faults_of_clips_have_their_codes() {
    let extension = "/extensions/VRMC_vrm_animation";
    let set = |pointer: &'static str, value: Value| move |json: &mut Value| *json.pointer_mut(pointer).expect("there") = value;
    let channel = |node: usize, path: &'static str, sampler: usize| {
        move |json: &mut Value| {
            json["animations"][0]["channels"]
                .as_array_mut()
                .expect("a list")
                .push(json!({"sampler": sampler, "target": {"node": node, "path": path}}))
        }
    };
    let codes = |bytes: Bytes| opened(&bytes, "a.vrma").1;
    assert_eq!(codes(vrma(|_| {})), Vec::<&str>::new());
    let plain = vrma(|json| drop(json.as_object_mut().expect("an object").remove("extensions")));
    assert_eq!((codes(plain.clone()), opened(&plain, "a.glb").1), (vec!["C001"], vec![]));
    assert_eq!(
        codes(vrma(|json| drop(json.pointer_mut(extension).expect("there").as_object_mut().expect("it").remove("specVersion")))),
        ["C002"]
    );
    assert_eq!(codes(vrma(set("/extensions/VRMC_vrm_animation/humanoid", json!({"humanBones": {"head": {"node": 1}}})))), ["C003"]);
    assert_eq!(codes(vrma(channel(1, "scale", 1))), ["C004"]);
    assert_eq!(codes(vrma(channel(1, "translation", 1))), ["C004"], "a note: it is ignored");
    assert_eq!(codes(vrma(channel(2, "rotation", 0))), ["C005"]);
    assert_eq!(codes(vrma(channel(3, "translation", 1))), ["C005"]);
    assert_eq!(codes(vrma(channel(2, "translation", 1))), Vec::<&str>::new());
    assert_eq!(codes(vrma(set("/nodes/0/translation", json!([0, 0, 0])))), ["C006"]);
    assert_eq!(codes(vrma(set("/animations", json!([])))), ["C007"]);
    assert_eq!(codes(vrma(set("/animations/0/channels", json!([])))), ["C007"]);
    assert_eq!(codes(vrma(set("/animations/0/samplers/0", json!({"output": 1})))), ["C008"]);
    assert_eq!(codes(vrma(set("/animations/0/samplers/0/input", json!(3)))), ["C008"], "times go back");
    assert_eq!(codes(vrma(set("/animations/0/samplers/0/output", json!(2)))), ["C008"], "three numbers for a rotation");
    assert_eq!(codes(vrma(set("/animations/0/samplers/0", json!({"input": 0, "output": 1, "interpolation": "CUBICSPLINE"})))), ["C008"]);
    for code in ["C001", "C003", "C005", "C008"] {
        assert_eq!(companion_build::report::code::find(code).map(|code| code.severity().word()), Some("error"), "{code}");
    }
}

#[test]
fn a_clip_tells_what_it_moves() {
    let clip = opened(&vrma(|_| {}), "a.vrma").0.expect("a clip");
    assert_eq!((clip.first_key, clip.last_key, clip.is_body_animated()), (0.0, 1.0, true));
    assert_eq!(clip.moving_bones().into_iter().collect::<Vec<_>>(), ["head", "hips"]);
    assert!(clip.part_bones().is_empty());
    // sin 0.6, cos 0.8 of half the angle: 73.74 degrees at the middle; the slerp is at half of that a quarter in.
    let turn = |seconds: f64| clip.pose(seconds)[1].rotation.to_axis_angle().1.to_degrees();
    assert!((turn(0.5) - 73.7398).abs() < 1e-3 && (turn(0.25) - 36.8699).abs() < 1e-3);
    assert!(clip.seam().is_none_or(|(_, degrees)| degrees < 1e-9));
    let parts = opened(&vrma(|json| json["animations"][0]["channels"][0]["target"]["node"] = json!(4)), "a.vrma").0.expect("a clip");
    assert_eq!(parts.part_bones().into_iter().collect::<Vec<_>>(), ["prop"]);
    assert_eq!(parts.dead_channels(), 1);
}

fn shrunk(bytes: &Bytes, name: &str, meshopt: bool) -> Bytes {
    let mut settings = Settings::default();
    settings.shrink.motions.meshopt = meshopt;
    let pictures = Budget::new(settings.run.picture_pixels);
    let workshop = Workshop { settings: &settings.shrink, table: &TABLE, pictures: &pictures, cache: &Cache::off(), progress: &Silent };
    let mut report = Report::default();
    shrink(bytes, name, Role::Clip, workshop, &mut report).unwrap_or_else(|| panic!("{name}: {:?}", report.findings)).bytes
}

/// Degrees and metres by which two clips differ at 120 Hz, over all bones, expressions and the gaze.
fn difference(a: &Clip, b: &Clip) -> (f64, f64) {
    let (mut turn, mut way): (f64, f64) = (0.0, 0.0);
    let controls = a.expressions.iter().map(|(_, node)| *node).chain(a.look_at).chain(a.bones.iter().map(|bone| bone.node));
    for node in controls {
        for property in [Property::Rotation, Property::Translation] {
            let (Some(before), after) = (a.channel(node, property), b.channel(node, property)) else { continue };
            let after = after.unwrap_or_else(|| panic!("a channel of node {node} is gone"));
            for frame in 0..=(a.last_key * 120.0) as usize + 1 {
                let at = frame as f64 / 120.0;
                let (p, q) = (before.at(at), after.at(at));
                match property {
                    Property::Rotation => turn = turn.max(angle_degrees(unit(p), unit(q))),
                    _ => way = way.max((0..3).map(|i| (p[i] - q[i]).abs()).fold(0.0, f64::max)),
                }
            }
        }
    }
    (turn, way)
}

#[test]
fn shipped_clips_play_the_same_within_the_stated_error() {
    let mut totals = [0, 0, 0];
    for path in samples().into_iter().chain(corpus("vrma", "vrma")) {
        let (name, source) = (path.display().to_string(), read(&path));
        let before = opened(&source, "a.vrma").0;
        totals[0] += source.len();
        for (n, meshopt) in [(1, false), (2, true)] {
            let output = shrunk(&source, &name, meshopt);
            assert!(output.len() <= source.len(), "{name}");
            totals[n] += output.len();
            let Some(before) = &before else { continue };
            let after = opened(&output, "a.vrma").0.unwrap_or_else(|| panic!("{name} does not open again"));
            assert_eq!(after.bones, before.bones, "{name}");
            assert_eq!((&after.expressions, after.look_at), (&before.expressions, before.look_at), "{name}");
            assert!((after.last_key - before.last_key).abs() < 1e-6, "{name}: {} {}", after.last_key, before.last_key);
            let (turn, way) = difference(before, &after);
            assert!(turn <= 0.0201 && way <= 0.0000501, "{name}: {turn} degrees, {way} m");
            let document = Document::read(&output, "a", &TABLE, &mut Report::default()).expect("it opens");
            assert!(document.list("meshes").is_empty() && document.list("images").is_empty(), "{name}");
            // three-vrm counts channels and tracks alike: each has a node, and none moves a shape.
            for channel in document.list("animations").iter().flat_map(|animation| list(animation, "channels")) {
                assert!(index_in(&channel["target"], "node").is_some() && channel["target"]["path"] != "weights", "{name}");
            }
            assert!(gltf::Gltf::from_slice_without_validation(&output).is_ok(), "{name}: a stranger reads it");
        }
    }
    println!(
        "{} bytes: {:.3} of it plain, {:.3} with meshopt",
        totals[0],
        totals[1] as f64 / totals[0] as f64,
        totals[2] as f64 / totals[0] as f64
    );
    assert!(totals[1] < totals[0] && totals[2] < totals[1]);
}

#[test]
fn a_clip_lasts_as_long_without_the_channel_that_lasted_longest() {
    // The prop, which nobody hears, goes on for a second more.
    let mut document = Document::read(&vrma(|_| {}), "a", &TABLE, &mut Report::default()).expect("sound");
    let bytes: Vec<u8> = [0.0f32, 1.0, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let view = document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
    let input = document.add("accessors", json!({"bufferView": view, "componentType": 5126, "type": "SCALAR", "count": 3}));
    let animation = &mut document.list_mut("animations")[0];
    animation["samplers"].as_array_mut().expect("a list").push(json!({"input": input, "output": 1}));
    animation["channels"].as_array_mut().expect("a list").push(json!({"sampler": 2, "target": {"node": 4, "path": "rotation"}}));
    let source: Bytes = document.write().expect("small").into();
    let (before, after) =
        (opened(&source, "a.vrma").0.expect("a clip"), opened(&shrunk(&source, "a.vrma", false), "a.vrma").0.expect("a clip"));
    assert_eq!((before.last_key, after.last_key), (2.0, 2.0));
    assert_eq!((before.dead_channels(), after.dead_channels()), (1, 0));
}

#[test]
fn every_fbx_is_a_clip_or_a_finding() {
    for path in corpus("fbx", "fbx") {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (clip, codes) = opened(&read(&path), &name);
        assert_eq!(clip.is_none(), codes.iter().any(|code| ["C007", "C013", "C014"].contains(code)), "{name}: {codes:?}");
        if name.contains("_6100_") || name.contains("_5800_") {
            assert_eq!(codes, ["C013"], "{name}");
        }
        if let Some(clip) = clip {
            assert!(clip.duration() >= 0.0 && clip.pose(clip.first_key).len() == clip.skeleton.names.len(), "{name}");
        }
    }
}

#[test]
fn guessed_rigs_are_those_of_the_files() {
    let (mut bones, mut right, mut whole, mut files) = (0, 0, 0, 0);
    for path in [corpus("vrm0", "vrm"), corpus("vrm1", "vrm"), corpus("vrma", "vrma")].concat() {
        let Some(document) = Document::read(&read(&path), "a", &TABLE, &mut Report::default()) else { continue };
        let truth = match (document.extension("VRMC_vrm_animation"), companion_build::vrm::version(&document)) {
            (Some(extension), _) => humanoid::in_extension(&document, extension),
            (None, Some(version)) => humanoid::of(&document, version),
            (None, None) => continue,
        };
        let truth: Vec<_> = truth.into_iter().filter(|bone| REQUIRED.contains(&bone.name)).collect();
        if truth.len() < REQUIRED.len() {
            continue;
        }
        let found = suggest::suggest(&Skeleton::of(&document, &three_names(&document))).unwrap_or_default();
        let good = truth.iter().filter(|bone| found.get(bone.name) == Some(&bone.node)).count();
        if good < REQUIRED.len() {
            println!("{}: {good} of 15, {} found", path.display(), found.len());
        }
        (files, bones, right, whole) = (files + 1, bones + REQUIRED.len(), right + good, whole + usize::from(good == REQUIRED.len()));
    }
    println!("{right} of {bones} bones, all 15 in {whole} of {files} files");
    assert!(right * 100 >= bones * 99, "{right} of {bones}");
}
