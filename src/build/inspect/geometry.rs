//! Triangles, vertices and morph targets of a document.

use crate::build::outcome::Geometry;
use crate::gltf::document::primitives;
use crate::gltf::{Document, index_in, list, transforms};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Counts what is there to be drawn. Triangles and morph targets count for each mesh that has them; a vertex that several primitives use
/// counts once. Morph memory follows three.js, which keeps the targets of a primitive for all vertices of its attributes, used or not, and
/// one copy for primitives that are alike.
pub fn geometry(document: &Document) -> Geometry {
    let mut used: BTreeMap<usize, BTreeMap<Option<usize>, Vec<u32>>> = BTreeMap::new();
    let mut found = Geometry::default();
    for (_, _, primitive) in primitives(document) {
        found.primitives += 1;
        found.triangles += triangles(document, primitive);
        let Some(position) = attribute(primitive, "POSITION") else { continue };
        let indices = index_in(primitive, "indices");
        used.entry(position).or_default().entry(indices).or_insert_with(|| transforms::used_vertices(document, primitive));
    }
    let union = |sets: BTreeMap<Option<usize>, Vec<u32>>| {
        let mut all: Vec<u32> = sets.into_values().flatten().collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    };
    found.vertices = used.into_values().map(union).sum();
    (found.morph_targets, found.morph_memory) = morphs(document);
    if let Some((least, most)) = transforms::rest_box(document) {
        (found.least, found.most) = (Some(least.to_array()), Some(most.to_array()));
    }
    found
}

/// How many morph targets there are, summed over the meshes, and their memory on the graphics card in bytes.
pub fn morphs(document: &Document) -> (usize, u64) {
    let targets = |mesh: &Value| list(mesh, "primitives").iter().map(|primitive| list(primitive, "targets").len()).max();
    let mut alike = BTreeSet::new();
    let own = primitives(document).filter(|(.., primitive)| has_position(primitive) && alike.insert(shape(primitive)));
    let memory = own.map(|(.., primitive)| morph_memory(document, primitive)).sum();
    (document.list("meshes").iter().filter_map(targets).sum(), memory)
}

fn has_position(primitive: &Value) -> bool {
    attribute(primitive, "POSITION").is_some()
}

fn attribute(primitive: &Value, name: &str) -> Option<usize> {
    primitive.get("attributes").and_then(|attributes| index_in(attributes, name))
}

fn count(document: &Document, accessor: usize) -> usize {
    document.list("accessors").get(accessor).and_then(|accessor| index_in(accessor, "count")).unwrap_or(0)
}

/// Triangles of all meshes, each counted once.
pub fn all_triangles(document: &Document) -> usize {
    primitives(document).map(|(.., primitive)| triangles(document, primitive)).sum()
}

/// Triangles that a primitive draws: a strip or fan has two less than it has indices, those without area included.
fn triangles(document: &Document, primitive: &Value) -> usize {
    let corners = index_in(primitive, "indices").or_else(|| attribute(primitive, "POSITION")).map_or(0, |a| count(document, a));
    match primitive.get("mode").map_or(Some(4), crate::gltf::index_of) {
        Some(4) => corners / 3,
        Some(5 | 6) => corners.saturating_sub(2),
        _ => 0,
    }
}

/// A texture of the card with 4 floats for each vertex and target; normals and colours take as much again each.
fn morph_memory(document: &Document, primitive: &Value) -> u64 {
    let targets = list(primitive, "targets");
    let has = |name: &str| targets.iter().any(|target| target.get(name).is_some());
    let texels = if has("COLOR_0") { 3 } else { 1 + u64::from(has("NORMAL")) };
    let vertices = attribute(primitive, "POSITION").map_or(0, |a| count(document, a)) as u64;
    vertices.saturating_mul(targets.len() as u64).saturating_mul(16 * texels)
}

/// What makes two primitives one geometry for three.js.
fn shape(primitive: &Value) -> String {
    let sorted = |value: &Value| -> Vec<(String, String)> {
        let mut members: Vec<_> = value.as_object().into_iter().flatten().map(|(name, index)| (name.clone(), index.to_string())).collect();
        members.sort();
        members
    };
    let targets: Vec<_> = list(primitive, "targets").iter().map(sorted).collect();
    let attributes = primitive.get("attributes").map(sorted);
    format!("{:?} {:?} {attributes:?} {targets:?}", primitive.get("indices"), primitive.get("mode"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::Blob;
    use serde_json::json;

    #[test]
    fn counts_by_hand() {
        let mut document = Document::default();
        // Accessor 0: 6 positions; 1: 5 indices; 2: 6 indices that use 4 of the vertices.
        let positions: Vec<u8> = (0..18).flat_map(|n| (n as f32).to_le_bytes()).collect();
        document.add_view(Blob { bytes: positions.into(), packed: None }, json!({}));
        document.add_view(Blob { bytes: vec![0, 1, 2, 3, 3, 0, 1, 2, 2, 1, 5].into(), packed: None }, json!({}));
        document.add("accessors", json!({"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 6}));
        document.add("accessors", json!({"bufferView": 1, "componentType": 5121, "type": "SCALAR", "count": 5}));
        document.add("accessors", json!({"bufferView": 1, "byteOffset": 5, "componentType": 5121, "type": "SCALAR", "count": 6}));
        document.add("nodes", json!({"mesh": 0, "scale": [1, 1, 2]}));
        let position = json!({"POSITION": 0});
        let with_normals = json!({"POSITION": 0, "NORMAL": 0});
        document.add(
            "meshes",
            json!({"primitives": [
                {"attributes": position, "indices": 1, "mode": 5, "targets": [position, position]},
                {"attributes": position, "indices": 2, "targets": [with_normals, position]},
                {"attributes": position, "indices": 1, "mode": 1},
            ]}),
        );
        document.add("meshes", json!({"primitives": [{"attributes": position, "indices": 1, "mode": 5, "targets": [position, position]}]}));
        document.add("meshes", json!({"primitives": [{"attributes": position, "mode": 6}]}));
        let found = geometry(&document);
        assert_eq!(found.primitives, 5);
        // A strip of 5 twice, a list of 6, lines, a fan of 6.
        assert_eq!(found.triangles, 3 + 2 + 3 + 4);
        // The fan uses all six.
        assert_eq!(found.vertices, 6);
        assert_eq!(found.morph_targets, 4);
        // The mesh that repeats the first primitive shares its copy.
        assert_eq!(found.morph_memory, 6 * 2 * 16 + 6 * 2 * 32);
        // Node 0 draws vertices 0 to 3 and 5: x from 0 to 15.
        assert_eq!((found.least, found.most), (Some([0.0, 1.0, 4.0]), Some([15.0, 16.0, 34.0])));
    }
}
