//! What stands twice in a file is kept once: accessors, images, samplers and textures that are equal in every respect.

use super::{Pass, Work};
use crate::gltf::refs::{List, Table};
use crate::gltf::{Document, index_in};
use crate::report::Report;
use serde_json::Value;
use std::collections::BTreeMap;

/// Points references at the first of equal things; the others are pruned after.
pub const PASS: Pass = Pass { name: "duplicates", summary: "lets equal accessors, images, samplers and textures share one", run };

fn run(work: &mut Work, _: &mut Report) -> bool {
    if !work.renumber {
        return false;
    }
    let hashes: Vec<String> = work.document.blobs.iter().map(|blob| blake3::hash(&blob.bytes).to_hex().to_string()).collect();
    // A buffer view's number stands for its bytes and its layout.
    let with_bytes = |document: &Document, element: &Value| -> String {
        let mut element = element.clone();
        let view = |value: &mut Value| {
            if let Some(view) = index_in(value, "bufferView").filter(|&v| v < hashes.len()) {
                value["bufferView"] = format!("{} {}", hashes[view], document.list("bufferViews")[view]).into();
            }
        };
        view(&mut element);
        if let Some(sparse) = element.get_mut("sparse") {
            ["indices", "values"].into_iter().filter_map(|name| sparse.get_mut(name).map(view)).count();
        }
        element.to_string()
    };
    let mut changed = false;
    for list in ["accessors", "samplers", "images", "textures"] {
        let keys: Vec<String> = work.document.list(list).iter().map(|element| with_bytes(&work.document, element)).collect();
        changed |= merge(&mut work.document, work.workshop.table, list, &keys);
    }
    changed
}

/// Points every reference at the first element with the same key.
fn merge(document: &mut Document, table: &Table, list: List, keys: &[String]) -> bool {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let map: Vec<Option<usize>> = keys.iter().enumerate().map(|(i, key)| Some(*first.entry(key).or_insert(i))).collect();
    let changed = first.len() < keys.len();
    if changed {
        table.remap(&mut document.json, list, &map);
    }
    changed
}
