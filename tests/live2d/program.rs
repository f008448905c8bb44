//! The program on Live2D looks: check, build, shrink and inspect.

use crate::writer::{self, Entry, entry, look, zip};
use companion_build::codec::{image, zip as reader};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Runs the program in a folder; exit code and JSON.
fn run(folder: &Path, words: &[&str]) -> (i32, Value) {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let run = command.current_dir(folder).args(words).args(["--format", "json", "--no-cache"]).output().expect("it starts");
    let json = serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stderr)));
    (run.status.code().unwrap_or(-1), json)
}

/// `CODE severity file#pointer` of every finding.
fn lines(json: &Value) -> Vec<String> {
    let word = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = json["findings"].as_array().into_iter().flatten();
    findings.map(|f| format!("{} {} {}#{}", word(f, "code"), word(f, "severity"), word(f, "file"), word(f, "pointer"))).collect()
}

const MODEL: &str = r#"{ "name": "Fox", "description": "A fox.", "avatar": "fox.zip", "face": { "visemes": { "aa": "ParamMouthOpenY" }, "blink": "ParamEyeLOpen" },
  "motions": [ { "id": "avatar:motions/idle.motion3.json", "roles": ["idle", "talkIdle"], "name": "Idle", "description": "Stands." },
               { "id": "avatar:motions/wave.motion3.json", "roles": ["gesture"], "name": "Wave", "description": "Waves." } ] }"#;

/// A pack around these entries.
fn pack(entries: &[Entry], model: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("pack/companion-models/fox");
    std::fs::create_dir_all(&own).expect("a folder");
    std::fs::write(folder.path().join("pack/readme.md"), "# Fox").expect("written");
    std::fs::write(own.join("model.json"), model).expect("written");
    std::fs::write(own.join("fox.zip"), zip(entries)).expect("written");
    (folder, own)
}

const ZIP: &str = "companion-models/fox/fox.zip";
const JSON: &str = "companion-models/fox/model.json";

/// Findings of areas that this look is not about.
fn of_live2d(json: &Value) -> Vec<String> {
    lines(json)
        .into_iter()
        .filter(|line| line.starts_with('L') || ["F002", "F011", "N014"].iter().any(|code| line.starts_with(code)))
        .collect()
}

#[test]
fn check_looks_into_the_zip_and_at_the_manifest() {
    let (folder, own) = pack(&look(3), MODEL);
    let (code, json) = run(folder.path(), &["check", "pack"]);
    // The little fox lacks most standard parameters.
    assert_eq!((code, of_live2d(&json)), (0, vec![format!("L034 note {JSON}#/avatar")]), "{json}");
    let slips = MODEL.replace("\"ParamEyeLOpen\"", "\"ParamEyeOpen\"").replace("avatar:motions/wave", "avatar:Fox/motions/wave");
    std::fs::write(own.join("model.json"), slips).expect("written");
    let (code, json) = run(folder.path(), &["check", "pack"]);
    let wanted = [
        format!("F002 error {JSON}#/face/blink"),
        format!("L031 note {ZIP}#"),
        format!("L034 note {JSON}#/avatar"),
        format!("N014 error {JSON}#/motions/1/id"),
    ];
    let mut found = of_live2d(&json);
    found.sort();
    assert_eq!((code, found.as_slice()), (1, wanted.as_slice()), "{json}");
    let blink = json["findings"].as_array().and_then(|all| all.iter().find(|f| f["code"] == "F002")).expect("F002").clone();
    assert_eq!((&blink["line"], &blink["hint"]), (&Value::from(1), &Value::from("Did you mean \"ParamEyeLOpen\"?")));
}

/// The entries of a zip, unpacked, by name.
fn contents(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let archive = reader::read(bytes, &reader::Limits::LIVE2D);
    assert_eq!(archive.problems, []);
    let unpacked = archive.entries.iter().map(|entry| (entry.name.clone(), archive.unpack(entry).expect("sound")));
    unpacked.collect()
}

/// What a look must still be after it was packed anew.
fn is_the_same_model(before: &[Entry], after: &[(String, Vec<u8>)]) {
    for (name, data) in after {
        let source = before.iter().find(|entry| entry.name == name.as_bytes()).unwrap_or_else(|| panic!("{name} is new"));
        if name.ends_with(".json") {
            let value = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("JSON");
            assert_eq!(value(data), value(&source.data), "{name}");
            assert!(data.len() < source.data.len() && !data.contains(&b'\n'), "{name}");
        } else if name.ends_with(".png") {
            assert_eq!(image::decode(data).expect("a picture"), image::decode(&source.data).expect("a picture"), "{name}");
            assert!(data.len() < source.data.len(), "{name}");
        } else {
            assert_eq!(data, &source.data, "{name}");
        }
    }
}

#[test]
fn build_ships_the_same_model_in_fewer_bytes_and_without_what_nobody_uses() {
    let mut entries = look(4);
    entries.push(entry("Fox/Fox.psd", &[7; 5000]));
    entries.push(entry("Fox/licence.txt", b"free"));
    entries.push(entry("Fox/motions/never.motion3.json", &entries[4].data.clone()));
    entries.push(Entry { mode: 0o040_755, ..entry("Fox/empty/", b"") });
    let (folder, _) = pack(&entries, MODEL);
    let mut zips = Vec::new();
    for (out, threads) in [("one", "-j1"), ("two", "-j2")] {
        let (code, json) = run(folder.path(), &["build", "pack", "-o", out, threads]);
        assert_eq!(code, 0, "{json}");
        let notes = of_live2d(&json);
        assert!(notes.contains(&format!("L010 note {ZIP}#")) && notes.contains(&format!("L031 note {ZIP}#")), "{notes:?}");
        zips.push(std::fs::read(folder.path().join(out).join("pack.zip")).expect("a zip"));
    }
    assert!(zips[0] == zips[1]);
    let shipped = contents(&zips[0]);
    let (_, inner) = shipped.iter().find(|(name, _)| name == ZIP).expect("the look");
    assert!(inner.len() < zip(&entries).len());
    let after = contents(inner);
    is_the_same_model(&entries, &after);
    let names: Vec<&str> = after.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = [
        "Fox/Fox.cdi3.json",
        "Fox/Fox.moc3",
        "Fox/Fox.model3.json",
        "Fox/Fox.physics3.json",
        "Fox/licence.txt",
        "Fox/motions/idle.motion3.json",
        "Fox/motions/wave.motion3.json",
        "Fox/smile.exp3.json",
        "Fox/sounds/wave.wav",
        "Fox/textures/texture_00.png",
        "Fox/textures/texture_01.png",
    ];
    assert_eq!(names, wanted);
}

#[test]
fn names_are_mended_on_the_way_and_what_is_hostile_is_not() {
    let mut entries = look(3);
    let text = String::from_utf8(entries[0].data.clone()).expect("text").replace("textures/texture_00.png", "textures/表.png");
    entries[0].data = text.replace("motions/wave", "Motions/Wave").into_bytes();
    entries[2].name = b"Fox/textures/\x95\x5c.png".to_vec();
    let (folder, _) = pack(&entries, &MODEL.replace("motions/wave", "Motions/Wave"));
    let (code, json) = run(folder.path(), &["build", "pack", "-o", "out"]);
    assert_eq!(code, 0, "{json}");
    let findings = json["findings"].as_array().expect("a list");
    let fixed = findings.iter().find(|f| f["code"] == "L012").expect("L012");
    assert_eq!((&fixed["severity"], &fixed["fixed"]), (&Value::from("note"), &Value::from(true)));
    let shipped = contents(&std::fs::read(folder.path().join("out/pack.zip")).expect("a zip"));
    let inner = contents(&shipped.iter().find(|(name, _)| name == ZIP).expect("the look").1);
    let names: Vec<&str> = inner.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"Fox/textures/表.png") && names.contains(&"Fox/Motions/Wave.motion3.json"), "{names:?}");

    let mut hostile = look(3);
    hostile.push(entry("../evil.txt", b"x"));
    let (folder, _) = pack(&hostile, MODEL);
    let (code, json) = run(folder.path(), &["build", "pack", "-o", "out"]);
    assert_eq!((code, folder.path().join("out/pack.zip").exists()), (1, false));
    assert!(lines(&json).contains(&format!("L004 error {ZIP}#")), "{json}");
}

#[test]
fn textures_are_scaled_only_when_asked() {
    let (folder, own) = pack(&look(3), MODEL);
    let (code, json) = run(&own, &["shrink", "fox.zip", "small.zip", "--set", "live2d.maxTextureSize=16"]);
    assert_eq!(code, 0, "{json}");
    let after = contents(&std::fs::read(own.join("small.zip")).expect("a zip"));
    for (_, data) in after.iter().filter(|(name, _)| name.ends_with(".png")) {
        let info = image::info(data).expect("a picture");
        assert_eq!((info.width, info.height), (16, 16));
    }
    assert_eq!(lines(&json).iter().filter(|line| line.starts_with("S012")).count(), 2);
    let (code, json) = run(&own, &["shrink", "fox.zip", "same.zip"]);
    assert_eq!(code, 0, "{json}");
    is_the_same_model(&look(3), &contents(&std::fs::read(own.join("same.zip")).expect("a zip")));
    // Once packed, the smaller one ships as it is.
    let (code, json) = run(&own, &["shrink", "same.zip", "again.zip"]);
    assert_eq!((code, lines(&json)), (0, vec!["S004 note same.zip#".to_owned()]));
    assert_eq!(std::fs::read(own.join("same.zip")).expect("a zip"), std::fs::read(own.join("again.zip")).expect("a zip"));
    drop(folder);
}

#[test]
fn inspect_tells_what_is_inside() {
    let (_folder, own) = pack(&look(5), MODEL);
    let (code, json) = run(&own, &["inspect", "fox.zip"]);
    assert_eq!(code, 0, "{json}");
    let file = &json["files"][0];
    assert_eq!(file["kind"], "live2d");
    let told = &file["live2d"];
    let wanted = serde_json::json!({
        "mocVersion": 5, "parts": 2, "drawables": 3, "warps": 1, "rotations": 1, "canvas": { "width": 200.0, "height": 400.0 },
        "head": { "top": 0.125, "bottom": 0.375 }, "vertices": 12, "triangles": 6, "partIds": ["PartRoot", "PartHead"], "drawableIds": ["Body", "Head", "Eye"],
        "parameters": [ { "id": "ParamAngleX", "min": -30.0, "max": 30.0, "default": 0.0 }, { "id": "ParamAngleY", "min": -30.0, "max": 30.0, "default": 0.0 },
            { "id": "ParamEyeLOpen", "min": 0.0, "max": 1.0, "default": 1.0 }, { "id": "ParamMouthOpenY", "min": 0.0, "max": 1.0, "default": 0.0 } ],
        "textures": [ { "file": "textures/texture_00.png", "width": 64, "height": 64 }, { "file": "textures/texture_01.png", "width": 32, "height": 32 } ],
        "motions": [ { "file": "motions/idle.motion3.json", "seconds": 2.0 }, { "file": "motions/wave.motion3.json", "seconds": 2.0 } ],
    });
    for (key, value) in wanted.as_object().expect("an object") {
        assert_eq!(&told[key], value, "{key}");
    }
    assert_eq!(file["textureMemory"], (64 * 64 + 32 * 32) * 4 * 4 / 3);
    let sum: u64 = file["sizes"].as_object().expect("sizes").values().filter_map(Value::as_u64).sum();
    assert_eq!(Value::from(sum), file["bytes"]);
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let text = command.current_dir(&own).args(["inspect", "fox.zip"]).output().expect("it starts").stdout;
    let text = String::from_utf8(text).expect("text");
    for line in
        ["Live2D       moc3 version 5, 2 parts, 3 drawables, 6 triangles, 12 vertices", "parameter    ParamAngleX -30 to 30, 0 at rest"]
    {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn inspect_draws_the_model_at_rest_and_turned() {
    // Head drawn over body; the body white, the head red, on a canvas of 200 x 400 pixels that is drawn twice as large.
    let plain = |color: [u8; 3]| {
        image::encode_png(&image::Picture { width: 2, height: 2, channels: 3, pixels: color.repeat(4) }).expect("a picture")
    };
    let mut moc = writer::face(3);
    moc.put("meshes.texture", 1, 1.0).put("meshes.mask_count", 2, 0.0).put("meshes.visible", 2, 0.0);
    let mut entries = look(3);
    entries[1].data = moc.write().0;
    (entries[2].data, entries[3].data) = (plain([255; 3]), plain([255, 0, 0]));
    let (_folder, own) = pack(&entries, MODEL);
    let (code, json) = run(&own, &["inspect", "fox.zip", "--picture", "fox.png"]);
    assert_eq!(code, 0, "{json}");
    let drawn = image::decode(&std::fs::read(own.join("fox.png")).expect("a picture")).expect("a picture");
    // Three poses, side by side.
    assert_eq!((drawn.width, drawn.height, drawn.channels), (3 * 400, 800, 3));
    let at = |x: usize, y: usize| <[u8; 3]>::try_from(&drawn.pixels[3 * (y * 1200 + x)..][..3]).expect("a pixel");
    let (backdrop, body, head) = ([217; 3], [255; 3], [255, 0, 0]);
    // The head's square goes from 50 to 150 of the canvas's width: 100 to 300 here, and 60 further left and right when it turns.
    for (x, y, color) in [(200, 200, head), (110, 110, head), (90, 200, backdrop), (200, 500, body), (200, 90, backdrop)] {
        assert_eq!(at(x, y), color, "{x} {y}");
    }
    for (x, color) in [(400 + 50, head), (400 + 250, backdrop), (800 + 350, head), (800 + 150, backdrop)] {
        assert_eq!(at(x, 200), color, "{x}");
    }
    // The body only where the head is, which is nowhere; then everywhere else.
    for (flags, color) in [(0.0, backdrop), (8.0, body)] {
        moc.put("meshes.mask_count", 0, 1.0).put("meshes.flags", 0, flags);
        entries[1].data = moc.write().0;
        std::fs::write(own.join("masked.zip"), zip(&entries)).expect("written");
        run(&own, &["inspect", "masked.zip", "--picture", "masked.png"]);
        let drawn = image::decode(&std::fs::read(own.join("masked.png")).expect("a picture")).expect("a picture");
        assert_eq!(&drawn.pixels[3 * (500 * 1200 + 200)..][..3], color, "{flags}");
    }
    let (code, json) = run(&own, &["inspect", "model.json", "--picture", "none.png"]);
    assert!(code == 2 && lines(&json).contains(&"Z003 error none.png#".to_owned()), "{json}");
}

/// Bombs of every kind stay under 200 MB of memory, address space included.
#[test]
#[cfg(target_os = "linux")]
fn bombs_do_not_eat_the_memory() {
    let zeros = vec![0u8; 8 << 20];
    let picture = writer::png(900, 900);
    let bomb = |name: &str, data: &[u8]| Entry { is_deflated: true, ..entry(name, data) };
    let plus = |extra: Vec<Entry>| [look(3), extra].concat();
    let cases: Vec<(&str, Vec<Entry>)> = vec![
        ("L008", plus(vec![bomb("Fox/zeros.txt", &zeros)])),
        ("L008", plus((0..12).map(|n| Entry { size: Some(90 << 20), ..bomb(&format!("Fox/{n}.txt"), &picture) }).collect())),
        ("L008", plus(vec![Entry { size: Some(100 << 20), ..bomb("Fox/lie.txt", &picture) }])),
        ("L007", plus(vec![Entry { size: Some(90 << 20), ..bomb("Fox/lie.txt", &picture) }])),
    ];
    for (n, (wanted, entries)) in cases.iter().enumerate() {
        let (folder, own) = pack(entries, MODEL);
        let mut command = assert_cmd::Command::new("bash");
        let limited = format!("ulimit -v 400000 -c 0; exec {} check pack -j1 --format json", env!("CARGO_BIN_EXE_companion-build"));
        let output = command.current_dir(folder.path()).args(["-c", &limited]).output().expect("it starts");
        let json: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{n}: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(output.status.code(), Some(1), "{n}: {json}");
        assert!(lines(&json).contains(&format!("{wanted} error {ZIP}#")), "{n}: {:?}", lines(&json));
        drop(own);
    }
}
