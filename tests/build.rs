//! `build` from folder to zip: what ships, what is mended, what stops it.

mod folder;

use assert_cmd::Command;
use folder::copy;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

fn samples(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)
}

/// Runs `build PACK -o OUT`, without cover masks (tests/embed.rs has them), and returns the exit code and the JSON.
fn build(pack: &Path, out: &Path, more: &[&str]) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let run = command
        .arg("build")
        .arg(pack)
        .arg("-o")
        .arg(out)
        .args(["--format", "json", "--no-cache", "--set", "cover.enabled=false"])
        .args(more)
        .output()
        .expect("it starts");
    let json = serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stderr)));
    (run.status.code().unwrap_or(-1), json)
}

fn entry(zip: &Path, name: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(zip).expect("a zip")).expect("a zip that others read");
    let mut bytes = Vec::new();
    archive.by_name(name).unwrap_or_else(|_| panic!("no {name}")).read_to_end(&mut bytes).expect("sound");
    bytes
}

fn codes(json: &Value, severity: &str, fixed: bool) -> Vec<String> {
    let findings = json["findings"].as_array().into_iter().flatten();
    let wanted = findings.filter(|f| f["severity"] == severity && f["fixed"] == fixed);
    wanted.map(|f| f["code"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_samples_build_and_what_needs_no_change_ships_byte_for_byte() {
    let out = tempfile::tempdir().expect("a folder");
    for pack in ["minimal", "vrm0", "wardrobe"] {
        let (code, json) = build(&samples(pack), out.path(), &[]);
        assert_eq!((code, &json["ok"]), (0, &Value::Bool(true)), "{pack}: {json}");
        assert_eq!((codes(&json, "error", false), codes(&json, "warning", false)), (vec![], vec![]), "{pack}");
        let zip = out.path().join(format!("{pack}.zip"));
        assert_eq!(json["packs"][0]["bytes"], std::fs::metadata(&zip).expect("a zip").len());
        assert!(json["packs"][0]["bytes"].as_u64() < json["packs"][0]["sourceBytes"].as_u64());
        assert!(out.path().join(format!("{pack}.report.json")).exists());
    }
    let zip = out.path().join("wardrobe.zip");
    for manifest in
        ["companion-models/juno/model.json", "companion-items/mug/item.json", "companion-characters/juno-host/character.json", "readme.md"]
    {
        assert_eq!(entry(&zip, manifest), std::fs::read(samples("wardrobe").join(manifest)).expect("a source"), "{manifest}");
    }
}

#[test]
fn the_same_bytes_at_any_number_of_threads_and_every_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let zips: Vec<Vec<u8>> = [("a", "-j1"), ("b", "-j8"), ("c", "-j8")]
        .into_iter()
        .map(|(name, threads)| {
            let out = folder.path().join(name);
            build(&samples("vrm0"), &out, &[threads]);
            std::fs::read(out.join("vrm0.zip")).expect("a zip")
        })
        .collect();
    assert!(zips[0] == zips[1] && zips[1] == zips[2]);
}

#[test]
fn raw_names_a_mark_and_a_wrong_ending_are_mended_and_the_rest_keeps_its_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = folder.path().join("wardrobe");
    copy(&samples("wardrobe"), &pack);
    let model = pack.join("companion-models/juno/model.json");
    let text = std::fs::read_to_string(&model).expect("a manifest");
    let raw = text.replace("\"SkirtFL\"", "\"Skirt.FL\"").replace("[\"Top001\", \"Jacket\"", "[\"Top.001\",\"Jacket\"");
    assert_ne!(text, raw);
    std::fs::write(&model, format!("\u{feff}{}", raw.replace("thumbnail.png", "thumbnail.jpg"))).expect("written");
    std::fs::rename(pack.join("companion-models/juno/thumbnail.png"), pack.join("companion-models/juno/thumbnail.jpg")).expect("renamed");
    let out = folder.path().join("dist");
    let (code, json) = build(&pack, &out, &[]);
    assert_eq!(code, 0, "{json}");
    let fixed = codes(&json, "note", true);
    for wanted in ["P013", "P010", "K006", "O007"] {
        assert!(fixed.iter().any(|c| c == wanted), "{wanted} in {fixed:?}");
    }
    let shipped = String::from_utf8(entry(&out.join("wardrobe.zip"), "companion-models/juno/model.json")).expect("text");
    // Only the names came back; the space that was taken away after the comma stays away.
    assert_eq!(shipped, text.replace("[\"Top001\", \"Jacket\"", "[\"Top001\",\"Jacket\""));
    assert!(entry(&out.join("wardrobe.zip"), "companion-models/juno/thumbnail.png").starts_with(b"\x89PNG"));
}

#[test]
fn a_pack_with_errors_writes_a_report_and_leaves_an_older_zip_alone() {
    let out = tempfile::tempdir().expect("a folder");
    std::fs::write(out.path().join("broken.zip"), "older").expect("written");
    let (code, json) = build(&samples("broken"), out.path(), &[]);
    assert_eq!((code, &json["ok"]), (1, &Value::Bool(false)));
    let errors = codes(&json, "error", false);
    for wanted in ["P011", "P002", "P004", "P009", "P012", "M001", "N001", "N008", "H009"] {
        assert!(errors.iter().any(|c| c == wanted), "{wanted} in {errors:?}");
    }
    assert_eq!(std::fs::read(out.path().join("broken.zip")).expect("the older zip"), b"older");
    assert!(codes(&json, "warning", false).contains(&"Z006".to_owned()));
    let report: Value = serde_json::from_slice(&std::fs::read(out.path().join("broken.report.json")).expect("a report")).expect("JSON");
    assert_eq!(report["ok"], false);
    // The syntax error has its place: line 6 lacks a comma.
    let syntax = report["findings"].as_array().and_then(|l| l.iter().find(|f| f["code"] == "P011")).expect("P011").clone();
    assert_eq!((&syntax["file"], &syntax["line"]), (&Value::from("companion-models/torn/model.json"), &Value::from(6)));
}

#[test]
fn sources_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = folder.path().join("minimal");
    copy(&samples("minimal"), &pack);
    let avatar = pack.join("companion-models/dot/dot.vrm");
    let before = std::fs::read(&avatar).expect("the avatar");
    build(&pack, &folder.path().join("dist"), &[]);
    let shrink = |output: &Path| {
        Command::new(env!("CARGO_BIN_EXE_companion-build"))
            .args(["shrink", "--no-cache"])
            .arg(&avatar)
            .arg(output)
            .output()
            .expect("it starts")
            .status
            .code()
    };
    assert_eq!(shrink(&avatar), Some(2), "a source is never overwritten");
    assert_eq!(std::fs::read(&avatar).expect("the avatar"), before);
}

#[test]
fn animations_of_items_go_when_that_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = folder.path().join("wardrobe");
    copy(&samples("wardrobe"), &pack);
    let mug = pack.join("companion-items/mug/mug.glb");
    let (json, blob) = glb(&std::fs::read(&mug).expect("a GLB"));
    let mut json = json;
    let view = json["bufferViews"].as_array().map_or(0, Vec::len);
    let views = json["bufferViews"].as_array_mut().expect("views");
    views.push(serde_json::json!({ "buffer": 0, "byteOffset": 0, "byteLength": 16 }));
    let accessors = json["accessors"].as_array_mut().expect("accessors");
    let first = accessors.len();
    let accessor = |kind: &str, offset: usize| serde_json::json!({ "bufferView": view, "byteOffset": offset, "componentType": 5126, "type": kind, "count": 1 });
    accessors.extend([accessor("SCALAR", 0), accessor("VEC3", 4)]);
    json["animations"] = serde_json::json!([{ "samplers": [{ "input": first, "output": first + 1 }],
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] }]);
    let bytes = companion_build::gltf::container::write_glb(json.as_object().expect("an object"), &blob, &[]).expect("room");
    std::fs::write(&mug, bytes).expect("a file");
    let shipped = |more: &[&str]| {
        let (code, report) = build(&pack, folder.path(), more);
        let (json, _) = glb(&entry(&folder.path().join("wardrobe.zip"), "companion-items/mug/mug.glb"));
        (code, codes(&report, "warning", false), codes(&report, "note", true), json["animations"].is_array())
    };
    let (code, warnings, _, has_animations) = shipped(&[]);
    assert_eq!((code, warnings, has_animations), (0, vec!["I010".to_owned()], true));
    let (code, warnings, fixed, has_animations) = shipped(&["--set", "items.stripAnimations=true"]);
    assert_eq!((code, warnings, has_animations), (0, vec![], false));
    assert!(fixed.contains(&"I010".to_owned()), "{fixed:?}");
}

/// The JSON and the binary chunk of a GLB.
fn glb(bytes: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    let end = 20 + word(12);
    (serde_json::from_slice(&bytes[20..end]).expect("JSON"), bytes[end + 8..].to_vec())
}
