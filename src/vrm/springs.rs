//! Spring bones: chains of nodes that swing, and the colliders that stop them.
//!
//! Sources: VRMC_springBone 1.0, and the VRM 0.x schema of `secondaryanimation`. A spring of 1.0 lists its joints; a group of 0.x lists
//! roots, and each root swings with all that hangs on it.

use super::{Version, text};
use crate::gltf::{Document, index_in, index_of, list};
use serde_json::Value;
use std::collections::BTreeSet;

/// What swings together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    /// As in the file (VRM 0.x: the comment of the group); may be empty.
    pub name: String,
    /// Nodes that exist, the root first; of VRM 0.x every node under the root, parents before their children.
    pub joints: Vec<usize>,
}

/// Everything that swings in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Springs {
    /// One for each spring (VRM 0.x: for each root).
    pub chains: Vec<Chain>,
    /// How many colliders there are in all groups.
    pub colliders: usize,
}

/// The springs of an avatar; the default when it has none.
pub fn of(document: &Document, version: Version) -> Springs {
    match version {
        Version::V1 => document.extension("VRMC_springBone").map_or_else(Springs::default, |extension| modern(document, extension)),
        Version::V0 => {
            let extension = document.extension("VRM").and_then(|extension| extension.get("secondaryAnimation"));
            extension.map_or_else(Springs::default, |extension| old(document, extension))
        }
    }
}

fn modern(document: &Document, extension: &Value) -> Springs {
    let nodes = document.list("nodes").len();
    let joints =
        |spring: &Value| list(spring, "joints").iter().filter_map(|joint| index_in(joint, "node")).filter(|&n| n < nodes).collect();
    let chains = list(extension, "springs").iter().map(|spring| Chain { name: name(spring, "name"), joints: joints(spring) });
    Springs { chains: chains.collect(), colliders: list(extension, "colliders").len() }
}

fn old(document: &Document, extension: &Value) -> Springs {
    let mut chains = Vec::new();
    for group in list(extension, "boneGroups") {
        let roots = list(group, "bones").iter().filter_map(index_of).filter(|&root| root < document.list("nodes").len());
        chains.extend(roots.map(|root| Chain { name: name(group, "comment"), joints: below(document, root) }));
    }
    Springs { chains, colliders: list(extension, "colliderGroups").iter().map(|group| list(group, "colliders").len()).sum() }
}

fn name(value: &Value, member: &str) -> String {
    text(value, member).unwrap_or_default().into()
}

/// A node and all under it, depth first.
fn below(document: &Document, root: usize) -> Vec<usize> {
    let (mut found, mut seen, mut todo) = (Vec::new(), BTreeSet::new(), vec![root]);
    while let Some(node) = todo.pop() {
        let Some(json) = document.list("nodes").get(node).filter(|_| seen.insert(node)) else { continue };
        found.push(node);
        todo.extend(list(json, "children").iter().rev().filter_map(index_of));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn springs(extensions: Value, version: Version) -> Springs {
        let json = json!({"extensions": extensions, "nodes": [{"children": [2, 3]}, {}, {"children": [1]}, {}]});
        of(&Document::from(json.as_object().unwrap().clone()), version)
    }

    #[test]
    fn roots_swing_with_all_that_hangs_on_them() {
        let old = json!({"boneGroups": [{"comment": "Hair", "bones": [0, -1, 9]}, {"bones": [3]}, {"bones": []}],
            "colliderGroups": [{"colliders": [{}, {}]}, {"colliders": [{}]}]});
        let chain = |name: &str, joints: &[usize]| Chain { name: name.into(), joints: joints.into() };
        assert_eq!(
            springs(json!({"VRM": {"secondaryAnimation": old}}), Version::V0),
            Springs { chains: vec![chain("Hair", &[0, 2, 1, 3]), chain("", &[3])], colliders: 3 }
        );
        let new = json!({"springs": [{"name": "Hair", "joints": [{"node": 0}, {"node": 2}, {"node": 4}]}], "colliders": [{}, {}]});
        assert_eq!(springs(json!({"VRMC_springBone": new}), Version::V1), Springs { chains: vec![chain("Hair", &[0, 2])], colliders: 2 });
    }
}
