//! Items are rigid: the animations that nobody plays go, and the skins where the item looks the same without them.
//!
//! A skinned mesh is drawn where its joints lie and not where its node does. Where the two are one place, the skin says nothing; elsewhere it
//! stays, and so do the weights of its vertices.

use crate::gltf::refs::Table;
use crate::gltf::transforms::{drawn, world};
use crate::gltf::{Document, index_in};
use glam::DMat4;
use serde_json::Value;

/// So far may an entry of two matrices differ.
const SAME: f64 = 1e-5;

/// Takes them out of a file. Says whether anything changed; nothing does where an unknown extension may hold indices.
pub fn strip(document: &mut Document, table: &Table) -> bool {
    if !table.unknown_with_indices(&document.json).is_empty() {
        return false;
    }
    let mut changed = document.json.shift_remove("animations").is_some();
    if changed {
        document.forget_extension("KHR_animation_pointer");
    }
    if !document.list("skins").is_empty() && is_still(document) {
        document.json.shift_remove("skins");
        document.elements_mut("nodes").iter_mut().filter_map(Value::as_object_mut).for_each(|node| drop(node.shift_remove("skin")));
        let meshes = document.elements_mut("meshes").iter_mut().filter_map(|mesh| mesh.get_mut("primitives")?.as_array_mut());
        for attributes in meshes.flatten().filter_map(|primitive| primitive.get_mut("attributes")?.as_object_mut()) {
            attributes.retain(|name, _| !name.starts_with("JOINTS_") && !name.starts_with("WEIGHTS_"));
        }
        changed = true;
    }
    changed
}

/// True when every skinned mesh is drawn where its node is.
fn is_still(document: &Document) -> bool {
    let world = world(document);
    let skinned = drawn(document).into_iter().filter(|(node, ..)| index_in(&document.list("nodes")[*node], "skin").is_some());
    let same = |a: &DMat4, b: &DMat4| a.to_cols_array().iter().zip(b.to_cols_array()).all(|(a, b)| (a - b).abs() <= SAME);
    skinned.into_iter().all(|(node, _, matrices)| !matrices.is_empty() && matrices.iter().all(|matrix| same(matrix, &world[node])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vrm::refs::TABLE;
    use serde_json::json;

    /// A skinned mesh whose node stands at 2 and whose joint stands at `joint`.
    fn item(joint: f64) -> Document {
        let json = json!({
            "nodes": [{"mesh": 0, "skin": 0, "translation": [2, 0, 0]}, {"translation": [joint, 0, 0]}],
            "skins": [{"joints": [1]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}],
            "animations": [{"channels": [], "samplers": []}],
        });
        Document::from(json.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn a_skin_goes_where_nothing_moves_by_it() {
        let mut still = item(2.0);
        assert!(strip(&mut still, &TABLE));
        assert_eq!(still.list("nodes")[0], json!({"mesh": 0, "translation": [2, 0, 0]}));
        assert_eq!(still.list("meshes")[0]["primitives"][0]["attributes"], json!({"POSITION": 0}));
        assert!(still.list("skins").is_empty() && still.list("animations").is_empty());
        // Without its skin the mesh would move from 3 to 2.
        let mut moved = item(3.0);
        assert!(strip(&mut moved, &TABLE));
        assert_eq!((moved.list("skins").len(), moved.list("animations").len()), (1, 0));
        assert!(!strip(&mut moved, &TABLE));
    }
}
