//! Clips on avatars against the real client: three-vrm and three-vrm-animation say where every bone is.
//!
//! The frames in `tests/play` were made by `node play.mjs AVATAR CLIP --bones .. --turns` (see tests/client); `CLIENT_FRAMES=DIR` adds a
//! folder of more.

use bytes::Bytes;
use companion_build::clip::retarget::Body;
use companion_build::clip::skeleton::rotation;
use companion_build::clip::{Clip, Retarget};
use companion_build::gltf::Document;
use companion_build::report::Report;
use companion_build::vrm::refs::TABLE;
use glam::{DQuat, DVec3};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Most that a bone may be elsewhere, in metres, and turned, in degrees.
const PLACE: f64 = 0.001;
const TURN: f64 = 0.1;

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> Bytes {
    std::fs::read(project(path)).unwrap_or_else(|error| panic!("{path}: {error}")).into()
}

/// The farthest node of an FBX that three.js plays by itself, against its frames in metres.
fn farthest_of_fbx(frames: &Value, file: &str) -> [(f64, String); 2] {
    let mut report = Report::default();
    let clip =
        Clip::read(&read(file), file, &mut Report::default(), &mut report).unwrap_or_else(|| panic!("{file}: {:?}", report.findings));
    let unit = frames["unit"].as_f64().expect("a number");
    assert!((clip.last_key - frames["duration"].as_f64().expect("a number")).abs() < 1e-5, "{file}");
    let mut worst = (0.0, String::new());
    for frame in frames["frames"].as_array().expect("a list") {
        let seconds = frame["t"].as_f64().expect("a number");
        let world = clip.skeleton.world(&clip.pose(seconds));
        for (name, wanted) in frame["nodes"].as_object().expect("an object") {
            let wanted: Vec<f64> = wanted.as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
            let Some(node) = clip.skeleton.names.iter().position(|own| own == name) else { continue };
            let place = world[node].w_axis.truncate().distance(DVec3::from_slice(&wanted) * unit);
            if place > worst.0 {
                worst = (place, format!("{name} at {seconds:.3} s"));
            }
        }
    }
    [worst, (0.0, String::new())]
}

/// The farthest bone of all frames, as metres and degrees with their names.
fn farthest(frames: &Value) -> [(f64, String); 2] {
    if let Some(file) = frames["fbx"].as_str() {
        return farthest_of_fbx(frames, file);
    }
    let file = |name: &str| frames[name].as_str().expect("a path");
    let (mut container, mut report) = (Report::default(), Report::default());
    let document = Document::read(&read(file("avatar")), "a.vrm", &TABLE, &mut container).expect("an avatar");
    let clip = Clip::read(&read(file("clip")), "a.vrma", &mut container, &mut report);
    let clip = clip.unwrap_or_else(|| panic!("{}: {:?} {:?}", file("clip"), container.findings, report.findings));
    let body = Body::of(&document, None);
    let play = Retarget::new(&clip, &body);
    assert!((clip.last_key - frames["duration"].as_f64().expect("a number")).abs() < 1e-5);
    let mut worst = [(0.0, String::new()), (0.0, String::new())];
    for frame in frames["frames"].as_array().expect("a list") {
        let seconds = frame["t"].as_f64().expect("a number").min(clip.last_key);
        let world = play.world(seconds);
        for (bone, wanted) in frame.as_object().expect("an object").iter().filter(|(key, _)| *key != "t") {
            let wanted: Vec<f64> = wanted.as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
            let node = body.bone(bone).unwrap_or_else(|| panic!("no bone {bone}"));
            let place = body.seen(&world, node).distance(DVec3::from_slice(&wanted[..3]));
            // The client rounds to six digits.
            let turned = DQuat::from_slice(&wanted[3..7]).normalize();
            let turn = companion_build::clip::channel::angle_degrees(body.ahead.inverse() * rotation(&world[node]), turned);
            for (worst, now) in worst.iter_mut().zip([place, turn]) {
                if now > worst.0 {
                    *worst = (now, format!("{bone} at {seconds:.3} s"));
                }
            }
        }
    }
    worst
}

#[test]
fn every_bone_is_where_the_client_has_it() {
    let more = std::env::var("CLIENT_FRAMES").ok().map(PathBuf::from);
    let folders = std::iter::once(project("tests/play")).chain(more);
    let files: Vec<PathBuf> = folders.flat_map(|folder| std::fs::read_dir(folder).expect("a folder").flatten()).map(|e| e.path()).collect();
    let (mut wrong, mut done) = (Vec::new(), 0);
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        let frames: Value = serde_json::from_slice(&std::fs::read(path).expect("frames")).expect("JSON");
        let [place, turn] = farthest(&frames);
        if place.0 > PLACE || turn.0 > TURN {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            wrong.push(format!("{name}: {:.2} mm ({}), {:.3} degrees ({})", place.0 * 1e3, place.1, turn.0, turn.1));
        }
        done += 1;
    }
    assert!(done >= 2, "{done}");
    assert!(wrong.is_empty(), "{} of {done}:\n{}", wrong.len(), wrong.join("\n"));
}
