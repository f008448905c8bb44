//! Where nodes stand: local and world matrices, and how large a mesh is drawn.

use super::{Document, index_in, index_of, list};
use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

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

/// The longest factor by which the matrix stretches an axis.
pub fn stretch(matrix: &DMat4) -> f64 {
    [matrix.x_axis, matrix.y_axis, matrix.z_axis].iter().map(|axis| axis.truncate().length()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parents_come_before_children_whatever_the_order() {
        let json = json!({"nodes": [
            {"translation": [0, 1, 0]},
            {"children": [0], "scale": [2, 2, 2], "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476]},
        ]});
        let world = world(&Document::from(json.as_object().unwrap().clone()));
        // The parent turns +Y to -X and doubles it.
        assert!((world[0].transform_point3(DVec3::ZERO) - DVec3::new(-2.0, 0.0, 0.0)).length() < 1e-12);
        assert!((stretch(&world[0]) - 2.0).abs() < 1e-12);
    }
}
