//! Where nodes stand: local and world matrices, and how large a mesh is drawn.

use super::{Document, index_in, index_of, list};
use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;
use std::collections::BTreeMap;

fn numbers<const N: usize>(value: Option<&Value>, default: [f64; N]) -> [f64; N] {
    let Some(list) = value.and_then(Value::as_array).filter(|list| list.len() == N) else { return default };
    std::array::from_fn(|i| list[i].as_f64().unwrap_or(default[i]))
}

/// The matrix of a node in its parent, column vectors.
pub fn local(node: &Value) -> DMat4 {
    if let Some(matrix) = node.get("matrix") {
        return DMat4::from_cols_array(&numbers(Some(matrix), DMat4::IDENTITY.to_cols_array()));
    }
    DMat4::from_scale_rotation_translation(
        DVec3::from_array(numbers(node.get("scale"), [1.0; 3])),
        DQuat::from_array(numbers(node.get("rotation"), [0.0, 0.0, 0.0, 1.0])),
        DVec3::from_array(numbers(node.get("translation"), [0.0; 3])),
    )
}

/// The parent of each node.
pub fn parents(document: &Document) -> Vec<Option<usize>> {
    let nodes = document.list("nodes");
    let mut parents = vec![None; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        for child in list(node, "children").iter().filter_map(index_of) {
            if let Some(parent) = parents.get_mut(child) {
                *parent = Some(i);
            }
        }
    }
    parents
}

/// The world matrix of each node in the rest pose. The node tree has no circles (checked on reading).
pub fn world(document: &Document) -> Vec<DMat4> {
    let nodes = document.list("nodes");
    let parents = parents(document);
    let mut done: Vec<Option<DMat4>> = vec![None; nodes.len()];
    for start in 0..nodes.len() {
        let mut chain = Vec::new();
        let mut at = Some(start);
        while let Some(i) = at.filter(|&i| done[i].is_none() && chain.len() <= nodes.len()) {
            chain.push(i);
            at = parents[i];
        }
        let mut above = at.and_then(|i| done[i]).unwrap_or(DMat4::IDENTITY);
        for i in chain.into_iter().rev() {
            above *= local(&nodes[i]);
            done[i] = Some(above);
        }
    }
    done.into_iter().map(|m| m.unwrap_or(DMat4::IDENTITY)).collect()
}

/// For each node that draws a mesh: the node, the mesh, and the matrices by which its vertices come into the world in the rest pose
/// (one for each joint of a skin, else the node's own).
pub fn drawn(document: &Document) -> Vec<(usize, usize, Vec<DMat4>)> {
    let world = world(document);
    let mut drawn = Vec::new();
    for (i, node) in document.list("nodes").iter().enumerate() {
        let Some(mesh) = index_in(node, "mesh").filter(|&m| m < document.list("meshes").len()) else { continue };
        let skin = index_in(node, "skin").and_then(|s| document.list("skins").get(s));
        let matrices = match skin {
            None => vec![world[i]],
            Some(skin) => {
                let inverse = index_in(skin, "inverseBindMatrices").and_then(|a| document.accessor(a).ok()).map(|d| d.floats());
                let joints = list(skin, "joints").iter().enumerate();
                joints
                    .filter_map(|(j, joint)| {
                        let joint = *world.get(index_of(joint)?)?;
                        let bind = inverse
                            .as_ref()
                            .and_then(|f| f.get(16 * j..16 * j + 16))
                            .map_or(DMat4::IDENTITY, |m| DMat4::from_cols_array(&std::array::from_fn(|k| f64::from(m[k]))));
                        Some(joint * bind)
                    })
                    .collect()
            }
        };
        drawn.push((i, mesh, matrices));
    }
    drawn
}

/// The most vertices that are moved to find a box; a file that wants more draws one mesh over and over.
const MOST_VERTICES: usize = 1 << 25;

/// Least and most corner of all vertices that are drawn in the rest pose, skins applied as three.js does (weights scaled to the sum 1, the
/// first joint where all are 0), morph targets at rest. `None` when nothing is drawn, or more than anybody can look at.
pub fn rest_box(document: &Document) -> Option<(DVec3, DVec3)> {
    let mut used: BTreeMap<(Option<usize>, usize), Vec<u32>> = BTreeMap::new();
    let (mut least, mut most, mut moved) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0);
    for (node, mesh, matrices) in drawn(document) {
        let skinned = document.list("nodes")[node].get("skin").is_some();
        for primitive in list(&document.list("meshes")[mesh], "primitives") {
            let attribute = |name: &str| primitive.get("attributes").and_then(|a| index_in(a, name));
            let floats = |name: &str| attribute(name).and_then(|a| document.accessor(a).ok()).map(|data| data.floats());
            let Some((position, positions)) = attribute("POSITION").zip(floats("POSITION")) else { continue };
            let key = (index_in(primitive, "indices"), position);
            let vertices = used.entry(key).or_insert_with(|| used_vertices(document, primitive));
            moved += vertices.len();
            if moved > MOST_VERTICES {
                return None;
            }
            let sets = (0..).map_while(|n| floats(&format!("JOINTS_{n}")).zip(floats(&format!("WEIGHTS_{n}"))));
            let sets: Vec<(Vec<f32>, Vec<f32>)> = sets.take_while(|_| skinned).collect();
            for &vertex in vertices.iter() {
                let v = vertex as usize;
                let Some(at) = positions.get(3 * v..3 * v + 3) else { continue };
                let at = DVec3::new(at[0].into(), at[1].into(), at[2].into());
                let (mut sum, mut whole) = (DVec3::ZERO, 0.0);
                for (joints, weights) in &sets {
                    let four = 4 * v..4 * v + 4;
                    let pairs = joints.get(four.clone()).unwrap_or_default().iter().zip(weights.get(four).unwrap_or_default());
                    for (&joint, &weight) in pairs.filter(|(_, weight)| **weight > 0.0) {
                        let Some(matrix) = matrices.get(joint as usize) else { continue };
                        sum += matrix.transform_point3(at) * f64::from(weight);
                        whole += f64::from(weight);
                    }
                }
                let first = matrices.first().map_or(at, |matrix| matrix.transform_point3(at));
                let at = if whole > 0.0 { sum / whole } else { first };
                if at.is_finite() {
                    (least, most) = (least.min(at), most.max(at));
                }
            }
        }
    }
    (least.x <= most.x).then_some((least, most))
}

/// The vertices that a primitive draws, each once, ascending; those that it names and does not have are left out.
pub fn used_vertices(document: &Document, primitive: &Value) -> Vec<u32> {
    let position = primitive.get("attributes").and_then(|a| index_in(a, "POSITION"));
    let count = position.and_then(|a| index_in(document.list("accessors").get(a)?, "count")).unwrap_or(0);
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    let Some(indices) = index_in(primitive, "indices") else { return (0..count).collect() };
    let mut indices = document.accessor(indices).map_or_else(|_| Vec::new(), |data| data.integers());
    indices.retain(|&vertex| vertex < count);
    indices.sort_unstable();
    indices.dedup();
    indices
}

/// The longest factor by which the matrix stretches an axis.
pub fn stretch(matrix: &DMat4) -> f64 {
    [matrix.x_axis, matrix.y_axis, matrix.z_axis].iter().map(|axis| axis.truncate().length()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::Blob;
    use serde_json::json;
    use std::f64::consts::FRAC_1_SQRT_2;

    fn with_floats(document: &mut Document, kind: &str, floats: &[f32]) {
        let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
        let view = document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
        let count = floats.len() / super::super::accessor::components_of(kind).unwrap();
        document.add("accessors", json!({"bufferView": view, "componentType": 5126, "type": kind, "count": count}));
    }

    #[test]
    fn the_box_holds_what_is_drawn_where_the_skin_puts_it() {
        // Three vertices, the last one unused; the skin leaves the first where it is and lifts the second by half of 4.
        let json = json!({
            "nodes": [{"mesh": 0, "skin": 0, "translation": [9, 9, 9]}, {}, {"translation": [0, 4, 0]}],
            "skins": [{"joints": [1, 2]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}],
        });
        let mut document = Document::from(json.as_object().unwrap().clone());
        with_floats(&mut document, "VEC3", &[-1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 50.0, 0.0, 0.0]);
        with_floats(&mut document, "VEC4", &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        with_floats(&mut document, "VEC4", &[0.0, 0.0, 0.0, 0.0, 0.25, 0.25, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        let view = document.add_view(Blob { bytes: vec![1, 0, 1, 9].into(), packed: None }, json!({}));
        document.add("accessors", json!({"bufferView": view, "componentType": 5121, "type": "SCALAR", "count": 4}));
        let (least, most) = rest_box(&document).unwrap();
        assert_eq!((least, most), (DVec3::new(-1.0, 0.0, 0.0), DVec3::new(1.0, 3.0, 2.0)));
        assert_eq!(used_vertices(&document, &document.list("meshes")[0]["primitives"][0]), [0, 1]);
        assert_eq!(rest_box(&Document::default()), None);
    }

    #[test]
    fn parents_come_before_children_whatever_the_order() {
        let json = json!({"nodes": [
            {"translation": [0, 1, 0]},
            {"children": [0], "scale": [2, 2, 2], "rotation": [0, 0, FRAC_1_SQRT_2, FRAC_1_SQRT_2]},
        ]});
        let world = world(&Document::from(json.as_object().unwrap().clone()));
        // The parent turns +Y to -X and doubles it.
        assert!((world[0].transform_point3(DVec3::ZERO) - DVec3::new(-2.0, 0.0, 0.0)).length() < 1e-12);
        assert!((stretch(&world[0]) - 2.0).abs() < 1e-12);
    }
}
