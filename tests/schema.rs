//! The JSON Schemas, judged by a library that did not make them: good manifests pass, broken ones fail where they are broken.

use assert_cmd::Command;
use jsonschema::Validator;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn schema(of: &str) -> Value {
    let run = Command::new(env!("CARGO_BIN_EXE_companion-build")).args(["schema", of]).output().expect("it starts");
    assert_eq!(run.status.code(), Some(0), "{of}");
    serde_json::from_slice(&run.stdout).expect("JSON")
}

fn validator(of: &str) -> Validator {
    let schema = schema(of);
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{of}: {error}"));
    jsonschema::validator_for(&schema).expect("a schema")
}

/// The manifests of a sample: which of the three, and the file.
fn manifests(sample: &str) -> Vec<(&'static str, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    let mut found = Vec::new();
    for (of, folder) in [("model", "companion-models"), ("character", "companion-characters"), ("item", "companion-items")] {
        let Ok(keys) = std::fs::read_dir(root.join(folder)) else { continue };
        found.extend(keys.flatten().map(|key| (of, key.path().join(format!("{of}.json")))).filter(|(_, path)| path.exists()));
    }
    found.sort();
    found
}

/// Where a manifest does not fit its schema, as JSON Pointers; `None` when it is no JSON.
fn problems(of: &str, path: &Path) -> Option<BTreeSet<String>> {
    let text = std::fs::read_to_string(path).expect("a text");
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    Some(validator(of).iter_errors(&value).map(|error| error.instance_path().to_string()).collect())
}

#[test]
fn good_manifests_fit() {
    for sample in ["minimal", "vrm0", "wardrobe"] {
        let manifests = manifests(sample);
        assert!(!manifests.is_empty());
        for (of, path) in manifests {
            assert_eq!(problems(of, &path), Some(BTreeSet::new()), "{}", path.display());
        }
    }
}

#[test]
fn the_broken_sample_does_not() {
    let mut all = BTreeSet::new();
    for (of, path) in manifests("broken") {
        let name = path.parent().and_then(Path::file_name).expect("a key").to_string_lossy().into_owned();
        all.extend(problems(of, &path).into_iter().flatten().map(|pointer| format!("{name}{pointer}")));
    }
    // Types, ranges, words, unknown and missing keys: what a schema can say.
    for pointer in [
        "rust",
        "rust/name",
        "rust/isLooseChainPhysicsEnabled",
        "rust/outfits/0/key",
        "rust/outfits/1/shapes/0/weight",
        "rust/outfits/2/meshes",
        "rust/cloth/1/chains",
        "rust/framing/defaultPreset",
        "rust/framing/upperBody/top",
        "rust/pacing/speed",
        "rust/motions/2/roles/0",
        "rust/motions/3/strokeSeconds",
        "rust/attach/bone",
        "rust-voice/fillers/0/purpose",
        "rust-voice/behaviour/temperament/energy",
    ] {
        assert!(all.contains(pointer), "{pointer} is not among {all:#?}");
    }
}

#[test]
fn the_defaults_fit_the_schema_of_the_settings() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline.toml")).expect("the defaults");
    let value = serde_json::to_value(text.parse::<toml::Table>().expect("TOML")).expect("JSON");
    let validator = validator("settings");
    let problems: Vec<String> = validator.iter_errors(&value).map(|error| format!("{} {error}", error.instance_path())).collect();
    assert_eq!(problems, Vec::<String>::new());
    for wrong in [r#"{"textures": {"quality": 101}}"#, r#"{"textures": {"qualty": 80}}"#, r#"{"severity": {"P001": "off"}}"#] {
        assert!(!validator.is_valid(&serde_json::from_str(wrong).expect("JSON")), "{wrong}");
    }
    assert!(validator.is_valid(&serde_json::from_str(r#"{"severity": {"M010": "off", "C015": "error"}}"#).expect("JSON")));
    assert_eq!(schema("settings")["properties"]["textures"]["properties"]["quality"]["description"], "WebP quality of colour, 0 to 100");
}
