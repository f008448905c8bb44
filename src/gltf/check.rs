//! Whether a glTF document holds together: types, indices, the node tree, and accessors inside their bytes.
//!
//! What every client refuses is an error. What some clients live with (an index of -1, VRM data that points nowhere) is kept and said.

use super::accessor::Layout;
use super::refs::{MORPH, Table};
use super::{Document, document::primitives, index_in, index_of, list};
use crate::report::{Finding, Place, Report, code, locate::escape};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Top-level lists of objects.
const LISTS: [&str; 14] = [
    "accessors",
    "animations",
    "bufferViews",
    "buffers",
    "cameras",
    "images",
    "materials",
    "meshes",
    "nodes",
    "samplers",
    "scenes",
    "skins",
    "textures",
    "extensionsUsed",
];

/// Checks the types that all later code relies on. False after an error.
pub fn structure(json: &Map<String, Value>, file: &str, report: &mut Report) -> bool {
    let before = report.findings.len();
    let mut wrong = |pointer: String, wants: &str, found: &Value| {
        let message = format!("{} wants {wants}, found {}", if pointer.is_empty() { "the root" } else { &pointer }, type_name(found));
        report.add(Finding::new(&code::D004, Place::file(file).at(pointer.clone()), message).hint(code::D004.remedy));
    };
    match json.get("asset").and_then(|a| a.get("version")).and_then(Value::as_str) {
        Some(version) if version.starts_with('2') => {}
        Some(version) => wrong("/asset/version".into(), "version 2", &Value::from(version)),
        None => {
            wrong("/asset/version".into(), "the text \"2.0\"", json.get("asset").and_then(|a| a.get("version")).unwrap_or(&Value::Null))
        }
    }
    for name in LISTS.iter().chain(&["extensionsRequired"]) {
        let Some(value) = json.get(*name) else { continue };
        let Some(elements) = value.as_array() else {
            wrong(format!("/{name}"), "a list", value);
            continue;
        };
        for (i, element) in elements.iter().enumerate() {
            let text = name.starts_with("extensions");
            if element.is_string() != text || element.is_object() == text {
                wrong(format!("/{name}/{i}"), if text { "a text" } else { "an object" }, element);
                break;
            }
        }
    }
    let mut shape = |pointer: String, value: Option<&Value>, is: fn(&Value) -> bool, wants: &str| {
        if let Some(value) = value
            && !is(value)
        {
            wrong(pointer, wants, value);
        }
    };
    let elements = |name: &str| json.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice).iter().enumerate();
    let objects = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_object));
    for (m, mesh) in elements("meshes") {
        shape(format!("/meshes/{m}/primitives"), Some(mesh.get("primitives").unwrap_or(&Value::Null)), objects, "a list of objects");
        for (p, primitive) in list(mesh, "primitives").iter().enumerate() {
            let at = format!("/meshes/{m}/primitives/{p}");
            shape(format!("{at}/attributes"), Some(primitive.get("attributes").unwrap_or(&Value::Null)), Value::is_object, "an object");
            shape(format!("{at}/targets"), primitive.get("targets"), objects, "a list of objects");
        }
    }
    for (name, member) in [("nodes", "children"), ("scenes", "nodes"), ("skins", "joints")] {
        for (i, element) in elements(name) {
            shape(format!("/{name}/{i}/{member}"), element.get(member), Value::is_array, "a list");
        }
    }
    for (a, animation) in elements("animations") {
        for member in ["channels", "samplers"] {
            shape(format!("/animations/{a}/{member}"), animation.get(member), objects, "a list of objects");
        }
    }
    extensions_in(json, "", file, report);
    report.findings.len() == before
}

/// Every `extensions` below is an object of objects.
fn extensions_in(map: &Map<String, Value>, pointer: &str, file: &str, report: &mut Report) {
    let mut refuse = |pointer: String, message: String| {
        report.add(Finding::new(&code::D012, Place::file(file).at(pointer), message).hint(code::D012.remedy));
    };
    match map.get("extensions") {
        None => {}
        Some(Value::Object(found)) => {
            for (name, content) in found.iter().filter(|(_, content)| !content.is_object()) {
                let message = format!("the extension {name} wants an object, found {}", type_name(content));
                refuse(format!("{pointer}/extensions/{}", escape(name)), message);
            }
        }
        Some(other) => refuse(format!("{pointer}/extensions"), format!("extensions wants an object, found {}", type_name(other))),
    }
    for (key, child) in map.iter().filter(|(key, child)| *key != "extras" && (child.is_object() || child.is_array())) {
        extensions(child, &format!("{pointer}/{}", escape(key)), file, report);
    }
}

fn extensions(value: &Value, pointer: &str, file: &str, report: &mut Report) {
    match value {
        Value::Object(map) => extensions_in(map, pointer, file, report),
        Value::Array(list) => {
            for (i, child) in list.iter().enumerate().filter(|(_, child)| child.is_object() || child.is_array()) {
                extensions(child, &format!("{pointer}/{i}"), file, report);
            }
        }
        _ => {}
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Checks indices, the node tree, accessors and compression. `budget` bounds the bytes of all accessors together. False after an error.
pub fn document(document: &Document, table: &Table, budget: u64, file: &str, report: &mut Report) -> bool {
    let errors = report.findings.len();
    indices(document, table, file, report);
    node_tree(document, file, report);
    accessors(document, budget, file, report);
    for (m, p, primitive) in primitives(document) {
        let name = "KHR_draco_mesh_compression";
        if primitive.get("extensions").is_some_and(|e| e.get(name).is_some()) {
            let place = Place::file(file).at(format!("/meshes/{m}/primitives/{p}/extensions/{name}"));
            let finding = Finding::new(&code::D009, place, format!("the geometry is compressed with {name}, which is not decoded here"));
            report.add(finding.hint("Export again without Draco compression; the shrink compresses the geometry itself."));
            break;
        }
    }
    report.findings[errors..].iter().all(|f| f.severity != code::Severity::Error)
}

fn indices(document: &Document, table: &Table, file: &str, report: &mut Report) {
    let mut lengths: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found: Vec<Finding> = Vec::new();
    table.visit(&document.json, &mut |row, pointer, value| {
        if row.list == MORPH {
            return;
        }
        let of_vrm = pointer.contains("/extensions/VRM");
        let place = || Place::file(file).at(pointer);
        let Some(index) = index_of(value) else {
            let none = value.as_f64().is_some_and(|n| n < 0.0);
            match (none, of_vrm) {
                (true, true) => {}
                (true, false) => found.push(Finding::new(&code::D015, place(), format!("{pointer} is {value}, which glTF does not know"))),
                (false, true) => {
                    let message = format!("{pointer} wants an index, found {}", type_name(value));
                    found.push(Finding::new(&code::D013, place(), message).hint(code::D013.remedy));
                }
                (false, false) => {
                    let message = format!("{pointer} wants an index, found {}", type_name(value));
                    found.push(Finding::new(&code::D004, place(), message).hint(code::D004.remedy));
                }
            }
            return;
        };
        let length = *lengths.entry(row.list).or_insert_with(|| length_of(document, row.list));
        if index >= length {
            let code = if of_vrm { &code::D013 } else { &code::D005 };
            let message = format!("{pointer} names number {index} of {}, which has {length}", row.list);
            found.push(Finding::new(code, place(), message).hint(code.remedy));
        }
    });
    // Index tables that belong to one animation.
    for (a, animation) in document.list("animations").iter().enumerate() {
        let samplers = list(animation, "samplers").len();
        for (c, channel) in list(animation, "channels").iter().enumerate() {
            if index_in(channel, "sampler").is_some_and(|s| s >= samplers) {
                let place = Place::file(file).at(format!("/animations/{a}/channels/{c}/sampler"));
                found.push(Finding::new(
                    &code::D005,
                    place,
                    format!("the channel names a sampler that the animation does not have ({samplers})"),
                ));
            }
        }
    }
    // A file with one wrong table often has the same fault a thousand times.
    let total = found.len();
    for finding in found.into_iter().take(20) {
        report.add(finding);
    }
    if total > 20 {
        report.add(Finding::new(&code::D005, Place::file(file), format!("and {} more references of this kind", total - 20)).fixed());
    }
}

fn length_of(document: &Document, list: &str) -> usize {
    let mut steps = list.split('/');
    let first = steps.next().and_then(|name| document.json.get(name));
    steps.fold(first, |value, step| value.and_then(|v| v.get(step))).and_then(Value::as_array).map_or(0, Vec::len)
}

fn node_tree(document: &Document, file: &str, report: &mut Report) {
    let nodes = document.list("nodes");
    let mut parent: Vec<Option<usize>> = vec![None; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        for child in list(node, "children").iter().filter_map(index_of).filter(|&c| c < nodes.len()) {
            if parent[child].is_some() || child == i {
                let message = if child == i { format!("node {i} is its own child") } else { format!("node {child} has two parents") };
                report
                    .add(Finding::new(&code::D007, Place::file(file).at(format!("/nodes/{i}/children")), message).hint(code::D007.remedy));
                return;
            }
            parent[child] = Some(i);
        }
    }
    // One parent each: following parents ends at a root, or goes in a circle.
    let mut seen = vec![0usize; nodes.len()];
    for start in 0..nodes.len() {
        let mut at = start;
        while seen[at] == 0 {
            seen[at] = start + 1;
            match parent[at] {
                Some(up) if seen[up] == start + 1 => {
                    let message = format!("node {up} is its own ancestor");
                    let place = Place::file(file).at(format!("/nodes/{up}"));
                    report.add(Finding::new(&code::D007, place, message).hint(code::D007.remedy));
                    return;
                }
                Some(up) => at = up,
                None => break,
            }
        }
    }
}

fn accessors(document: &Document, budget: u64, file: &str, report: &mut Report) {
    let total = document.list("accessors").iter().filter_map(Layout::of).fold(0u64, |sum, l| sum.saturating_add(l.total()));
    if total > budget {
        let message = format!("the accessors would hold {total} bytes, far more than a file of this size can account for");
        report.add(Finding::new(&code::D010, Place::file(file).at("/accessors"), message).hint(code::D010.remedy));
        return;
    }
    for i in 0..document.list("accessors").len() {
        if let Err(message) = document.accessor(i) {
            let place = Place::file(file).at(format!("/accessors/{i}"));
            report.add(Finding::new(&code::D006, place, format!("accessor {i}: {message}")).hint(code::D006.remedy));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::refs::GLTF;
    use bytes::Bytes;
    use serde_json::json;

    fn codes(json: Value) -> Vec<&'static str> {
        let table = Table::new(&[&GLTF]);
        let mut report = Report::default();
        Document::read(&Bytes::from(json.to_string()), "a.gltf", &table, &mut report);
        report.findings.iter().map(|f| f.code.id).collect()
    }
    fn with(member: &str, value: Value) -> Value {
        let mut json = json!({"asset": {"version": "2.0"}});
        json[member] = value;
        json
    }

    #[test]
    fn sound_files_have_no_findings() {
        assert!(codes(with("nodes", json!([{"children": [1, 2]}, {}, {"children": [3]}, {}]))).is_empty());
    }

    #[test]
    fn wrong_types() {
        assert_eq!(codes(json!({})), ["D004"]);
        assert_eq!(codes(json!({"asset": {"version": "1.0"}})), ["D004"]);
        assert_eq!(codes(with("nodes", json!({}))), ["D004"]);
        assert_eq!(codes(with("nodes", json!([1]))), ["D004"]);
        assert_eq!(codes(with("meshes", json!([{}]))), ["D004"]);
        assert_eq!(codes(with("scene", json!("first"))), ["D004"]);
        assert_eq!(codes(with("extensions", json!({"VRM": "text"}))), ["D012"]);
        assert_eq!(codes(with("nodes", json!([{"extensions": []}]))), ["D012"]);
    }

    #[test]
    fn dangling_and_negative_indices() {
        assert_eq!(codes(with("nodes", json!([{"mesh": 0}]))), ["D005"]);
        assert_eq!(codes(with("nodes", json!([{"mesh": -1}]))), ["D015"]);
    }

    #[test]
    fn circles_and_two_parents() {
        assert_eq!(codes(with("nodes", json!([{"children": [0]}]))), ["D007"]);
        assert_eq!(codes(with("nodes", json!([{"children": [1]}, {"children": [2]}, {"children": [0]}]))), ["D007"]);
        assert_eq!(codes(with("nodes", json!([{"children": [2]}, {"children": [2]}, {}]))), ["D007"]);
    }

    #[test]
    fn hostile_sizes() {
        let huge = json!([{"componentType": 5126, "type": "MAT4", "count": 4_000_000_000u64}]);
        assert_eq!(codes(with("accessors", huge)), ["D010"]);
        assert_eq!(codes(with("buffers", json!([{"byteLength": 10, "uri": "data:;base64,AAAA"}]))), ["D006"]);
        assert_eq!(codes(with("buffers", json!([{"byteLength": 10, "uri": "data.bin"}]))), ["D008"]);
        let mut json = with("buffers", json!([{"byteLength": 3, "uri": "data:;base64,AAAA"}]));
        json["bufferViews"] = json!([{"buffer": 0, "byteOffset": 2, "byteLength": 18446744073709551615u64}]);
        assert_eq!(codes(json), ["D006"]);
    }
}
