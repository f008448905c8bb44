//! Names against vectors made by the real three.js r187, where they are at hand.

use companion_build::build::names::all;
use companion_build::gltf::{Document, names};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn vectors(file: &str) -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/spec/names").join(file);
    match std::fs::read(&path) {
        Ok(bytes) => Some(serde_json::from_slice(&bytes).expect("vectors are JSON")),
        Err(_) => {
            println!("skipped: ../shared/spec/names/{file} is not here");
            None
        }
    }
}

#[test]
fn sanitize_agrees_with_three() {
    let Some(vectors) = vectors("name_vectors.json") else { return };
    let pairs = vectors["sanitize"].as_array().expect("a list");
    assert!(pairs.len() >= 60);
    for pair in pairs {
        let (raw, three) = (pair["in"].as_str().expect("a name"), pair["out"].as_str().expect("a name"));
        assert_eq!(names::sanitize(raw), three, "{raw:?}");
    }
}

#[test]
fn whole_files_agree_with_three() {
    let Some(cases) = vectors("gltf-names-r187.json") else { return };
    let mut compared = 0;
    for case in cases.as_array().expect("a list") {
        let document = Document::from(case["gltf"].as_object().expect("a document").clone());
        let ours = names::three_names(&document);
        for object in case["objects"].as_array().expect("a list") {
            // An object of a node: for several primitives the group; the objects of the primitives have a number of their own.
            if let Some(node) = object["node"].as_u64()
                && object["prim"]
                    .as_u64()
                    .is_none_or(|_| object["mesh"].is_null() || object["type"] != "Group" && single(&case["gltf"], object))
            {
                assert_eq!(ours.nodes[node as usize], object["name"].as_str().unwrap_or_default(), "{}: node {node}", case["case"]);
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn objects_of_meshes_agree_with_three() {
    let Some(cases) = vectors("gltf-names-r187.json") else { return };
    let mut compared = 0;
    for case in cases.as_array().expect("a list") {
        let document = Document::from(case["gltf"].as_object().expect("a document").clone());
        let ours: BTreeSet<(u64, String)> = all(&document).meshes.into_iter().map(|name| (name.index as u64, name.three)).collect();
        let objects = case["objects"].as_array().expect("a list").iter().filter(|object| !object["prim"].is_null());
        let theirs = objects.filter_map(|object| Some((object["mesh"].as_u64()?, object["name"].as_str()?.to_owned()))).collect();
        assert_eq!(ours, theirs, "{}", case["case"]);
        compared += ours.len();
    }
    assert!(compared > 20, "{compared}");
}

/// True when the object's mesh has one primitive, so that the object stands for the node.
fn single(gltf: &Value, object: &Value) -> bool {
    object["mesh"].as_u64().is_some_and(|m| gltf["meshes"][m as usize]["primitives"].as_array().is_some_and(|p| p.len() == 1))
}
