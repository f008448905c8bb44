//! `names`: what the nodes and meshes of a file are called in it, and by three.js.

use super::outcome::{File, Name, Names};
use super::{Finished, NamesJob, Run, shown};
use crate::disk;
use crate::gltf::{Document, index_in, list, names};
use crate::parallel;
use crate::report::{Finding, Place, code};
use crate::vrm::refs::TABLE;
use serde_json::Value;
use std::collections::BTreeSet;

/// `names FILE`
pub fn file(job: &NamesJob, run: &Run) -> Finished {
    let (settings, mut report) = run.choices.settings(None);
    let mut finished = Finished::new("names");
    let path = shown(&job.file);
    run.progress.expect(1, 0);
    let (file, findings) = parallel::guarded(
        || path.clone(),
        |report| match disk::read_file(&job.file) {
            Ok(bytes) => Document::read(&bytes, &path, &TABLE, report).map(|document| File {
                path: path.clone(),
                bytes: bytes.len() as u64,
                names: Some(all(&document)),
                ..File::default()
            }),
            Err(error) => {
                report.add(Finding::new(&code::Z002, Place::file(&path), error.to_string()).hint(code::Z002.remedy));
                None
            }
        },
    );
    report.merge(findings);
    let findings = finished.add(report, None, &settings, run.strict).to_vec();
    if let Some(file) = file.flatten() {
        run.listener.file_done(&file, &findings);
        finished.outcome.files = Some(vec![file]);
    }
    finished
}

/// The names of every node, and of every object that shows a mesh.
pub fn all(document: &Document) -> Names {
    let three = names::three_names(document);
    let name = |index: usize, value: &Value, three: &str| Name { index, raw: raw_name(value).into(), three: three.into() };
    let nodes = document.list("nodes").iter().zip(&three.nodes).enumerate().map(|(i, (node, three))| name(i, node, three));
    let mut meshes = Vec::new();
    for (m, (mesh, objects)) in document.list("meshes").iter().zip(&three.meshes).enumerate() {
        if list(mesh, "primitives").len() > 1 {
            meshes.extend(objects.iter().map(|three| name(m, mesh, three)));
            continue;
        }
        let drawn_by = document.list("nodes").iter().zip(&three.nodes).filter(|(node, _)| index_in(node, "mesh") == Some(m));
        meshes.extend(drawn_by.map(|(_, three)| name(m, mesh, three)));
    }
    Names { nodes: nodes.collect(), meshes }
}

/// The names that nobody would guess from the file: nodes that three.js spells otherwise, and the objects of meshes with several primitives
/// where their names are not the mesh's.
pub fn changed(document: &Document) -> Names {
    let mut names = all(document);
    let several: BTreeSet<usize> =
        (0..).zip(document.list("meshes")).filter(|(_, mesh)| list(mesh, "primitives").len() > 1).map(|(m, _)| m).collect();
    names.nodes.retain(|name| name.raw != name.three);
    names.meshes.retain(|name| name.raw != name.three && several.contains(&name.index));
    names
}

fn raw_name(value: &Value) -> &str {
    value.get("name").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn meshes_go_by_their_objects() {
        let json = json!({"scenes": [{"nodes": [0, 1, 2]}],
            "nodes": [{"name": "Body.001", "mesh": 0}, {"name": "Face", "mesh": 1}, {"mesh": 2}],
            "meshes": [{"name": "BodyMesh", "primitives": [{}]}, {"name": "Face", "primitives": [{}, {}]},
                {"name": "Hat", "primitives": [{}]}, {"name": "unused", "primitives": [{}]}]});
        let document = Document::from(json.as_object().unwrap().clone());
        let pairs = |names: &[Name]| -> Vec<(usize, String, String)> {
            names.iter().map(|name| (name.index, name.raw.clone(), name.three.clone())).collect()
        };
        let expected = |rows: &[(usize, &str, &str)]| -> Vec<(usize, String, String)> {
            rows.iter().map(|(index, raw, three)| (*index, raw.to_string(), three.to_string())).collect()
        };
        let names = all(&document);
        assert_eq!(pairs(&names.nodes), expected(&[(0, "Body.001", "Body001"), (1, "Face", "Face"), (2, "", "Hat")]));
        let meshes = [(0, "BodyMesh", "Body001"), (1, "Face", "Face_1"), (1, "Face", "Face_2"), (2, "Hat", "Hat")];
        assert_eq!(pairs(&names.meshes), expected(&meshes));
        let changed = changed(&document);
        assert_eq!(pairs(&changed.nodes), expected(&[(0, "Body.001", "Body001"), (2, "", "Hat")]));
        assert_eq!(pairs(&changed.meshes), expected(&meshes[1..3]));
    }
}
