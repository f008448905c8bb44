//! Walks that ship in another form because the settings ask for it.

use crate::walker::{PLAIN, Walker};
use bytes::Bytes;
use companion_build::build::outcome::{Outcome, Walk};
use companion_build::build::{BuildJob, Choices, Run, build};
use companion_build::disk::cache::Cache;
use companion_build::gltf::Document;
use companion_build::report::{Report, progress::Silent};
use companion_build::vrm::humanoid::REQUIRED;
use companion_build::vrm::refs::TABLE;

/// Builds a look with one walk; the outcome, and the names and contents of what ships.
fn built(avatar: &Bytes, walk: &str, clip: &Bytes, rig: &str, set: &str) -> (Outcome, Vec<(String, Vec<u8>)>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("pack");
    let model = source.join("companion-models/walker");
    std::fs::create_dir_all(&model).expect("a folder");
    let still = PLAIN.clip(1.0);
    let text = format!(
        r#"{{ "name": "W", "description": "d", "avatar": "w.vrm", "motions": [
        {{ "id": "file:{walk}", "roles": ["walk"]{rig}, "name": "Walk", "description": "Walks." }},
        {{ "id": "file:idle.vrma", "roles": ["idle", "talkIdle"], "name": "Idle", "description": "Stands." }},
        {{ "id": "file:wave.vrma", "roles": ["gesture"], "name": "Wave", "description": "Waves." }} ] }}"#
    );
    let files: [(&str, &[u8]); 5] =
        [("model.json", text.as_bytes()), ("w.vrm", avatar), (walk, clip), ("idle.vrma", &still), ("wave.vrma", &still)];
    for (name, bytes) in files {
        std::fs::write(model.join(name), bytes).expect("a file");
    }
    let output = folder.path().join("out");
    let choices = Choices { file: None, sets: vec![set.to_owned()] };
    let run = Run { choices: &choices, strict: false, cache: &Cache::off(), progress: &Silent, listener: &() };
    let outcome = build(&BuildJob { packs: vec![source], output: output.clone(), previous: None, depfile: None }, &run).outcome;
    let zip = std::fs::read(output.join("pack.zip")).unwrap_or_else(|_| panic!("{:?}", outcome.findings));
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(zip)).expect("a zip");
    let count = archive.len();
    let read = |index: usize| {
        let mut entry = archive.by_index(index).expect("an entry");
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).expect("sound");
        (entry.name().expect("UTF-8").into_owned(), bytes)
    };
    let files = (0..count).map(read).collect();
    (outcome, files)
}

fn the_walk(outcome: &Outcome) -> Walk {
    outcome.packs.as_ref().expect("packs")[0].models[0].walks[0].clone()
}

#[test]
fn a_walk_that_travels_can_be_made_to_stay() {
    let walker = Walker { travels: true, cycles: 2, ..PLAIN };
    let (avatar, clip) = (walker.avatar(), walker.clip(1.0));
    let (before, _) = built(&avatar, "walk.vrma", &clip, "", "motions.inPlace=false");
    let walk = the_walk(&before);
    assert!((walk.travel_meters.expect("measured") - 2.0 * walker.stride_meters()).abs() < 1e-3, "{walk:?}");
    assert!(before.findings.iter().any(|finding| finding.code == "C018" && finding.severity == "warning"));
    let (after, _) = built(&avatar, "walk.vrma", &clip, "", "motions.inPlace=true");
    let walk = the_walk(&after);
    assert!(walk.travel_meters.expect("measured") < 1e-4 && walk.in_place == Some(true), "{walk:?}");
    assert!((walk.stride_meters.expect("measured") / walker.stride_meters() - 1.0).abs() < 0.02, "{walk:?}");
    let said: Vec<_> = after.findings.iter().filter(|finding| finding.code == "C018").collect();
    assert!(said.len() == 1 && said[0].fixed && said[0].message.contains("travels 1.60 m"), "{said:?}");
}

#[test]
fn a_clip_with_a_rig_can_become_a_vrm_animation() {
    let walker = Walker { odd_axes: true, turned: true, unit: 0.01, ..PLAIN };
    let mut document = Document::read(&walker.clip(1.2), "a", &TABLE, &mut Report::default()).expect("sound");
    document.json.shift_remove("extensions");
    document.forget_extension("VRMC_vrm_animation");
    let clip = Bytes::from(document.write().expect("small"));
    let bones: Vec<String> = REQUIRED.iter().map(|bone| format!("\"{bone}\": \"n{bone}\"")).collect();
    let rig = format!(r#", "rig": {{ "version": 1, "bones": {{ {} }} }}"#, bones.join(", "));
    for (set, name) in [("motions.convert=none", "walk.glb"), ("motions.convert=vrma", "walk.vrma")] {
        let (outcome, files) = built(&walker.avatar(), "walk.glb", &clip, &rig, set);
        let path = format!("companion-models/walker/{name}");
        assert!(files.iter().any(|(own, _)| *own == path), "{set}: {:?}", files.iter().map(|file| &file.0).collect::<Vec<_>>());
        let model = files.iter().find(|(own, _)| own.ends_with("model.json")).expect("a manifest");
        let model: serde_json::Value = serde_json::from_slice(&model.1).expect("JSON");
        assert_eq!(model["motions"][0]["id"], format!("file:{name}"));
        assert_eq!(model["motions"][0].get("rig").is_none(), name == "walk.vrma");
        assert_eq!(outcome.findings.iter().any(|finding| finding.code == "S013"), name == "walk.vrma");
        let walk = the_walk(&outcome);
        assert!((walk.stride_meters.expect("measured") / walker.stride_meters() - 1.0).abs() < 0.02, "{set}: {walk:?}");
    }
}

#[test]
fn the_command_prints_walks_and_draws_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(path("w.vrm"), PLAIN.avatar()).expect("a file");
    std::fs::write(path("walk.vrma"), PLAIN.clip(1.0)).expect("a file");
    std::fs::write(path("torn.fbx"), b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0").expect("a file");
    let run = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_companion-build"));
        command.args(arguments).output().expect("it starts")
    };
    let good = run(&["stride", &path("w.vrm"), &path("walk.vrma"), "--format", "json", "--picture", &path("walk.png")]);
    assert_eq!(good.status.code(), Some(0), "{}", String::from_utf8_lossy(&good.stderr));
    let json: serde_json::Value = serde_json::from_slice(&good.stdout).expect("JSON");
    let walk = &json["models"][0]["walks"][0];
    assert_eq!((json["command"].as_str(), json["models"][0]["key"].as_str()), (Some("stride"), Some("w.vrm")));
    assert!((walk["strideMeters"].as_f64().expect("a number") / PLAIN.stride_meters() - 1.0).abs() < 0.02, "{walk}");
    assert_eq!((walk["measurable"].as_bool(), walk["cycles"].as_f64(), walk["why"].is_null()), (Some(true), Some(1.0), true));
    let picture = std::fs::read(path("walk.png")).expect("a picture");
    assert!(companion_build::codec::image::decode(&picture).is_ok_and(|picture| picture.width > 100));
    let torn = run(&["stride", &path("w.vrm"), &path("torn.fbx"), "--format", "json"]);
    assert_eq!(torn.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&torn.stdout).contains("C014"));
}
