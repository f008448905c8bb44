//! Node names as three.js spells them, in the file, so that manifests and scripts find what they name.
//!
//! Each node gets exactly the name that three.js assigns it in the original, so what worked before works after. Only where three.js gives
//! one name twice does the later node get the next free suffix; later in the order in which a clip looks for its nodes, so a clip that finds
//! a node by its name finds the same one before and after. A node without a name that draws a mesh of several primitives stays
//! without one: three.js gives its group none, and naming it would rename the objects inside.

use super::{Pass, Work};
use crate::gltf::names::three_names;
use crate::gltf::{Document, index_of, list};
use crate::report::{Finding, Report, code};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// Renames nodes.
pub const PASS: Pass = Pass { name: "names", summary: "gives each node the name by which three.js knows it", run };

/// The name of a node before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// In the input; empty when it had none.
    pub from: String,
    /// Now.
    pub to: String,
}

/// The names of all nodes as written.
pub fn of(document: &Document) -> Vec<String> {
    document.list("nodes").iter().map(|node| node.get("name").and_then(Value::as_str).unwrap_or("").to_owned()).collect()
}

/// The name for each node: what three.js assigns, made unique. The second value marks the nodes where it was not.
pub fn wanted(document: &Document) -> (Vec<String>, Vec<bool>) {
    let three = three_names(document).nodes;
    let all: BTreeSet<&String> = three.iter().collect();
    let mut taken = BTreeSet::new();
    let (mut names, mut changed) = (three.clone(), vec![false; three.len()]);
    for node in in_order(document) {
        let name = &three[node];
        let mut unique = name.clone();
        let mut suffix = 0;
        while !unique.is_empty() && taken.contains(&unique) {
            loop {
                suffix += 1;
                unique = format!("{name}_{suffix}");
                if !all.contains(&unique) {
                    break;
                }
            }
        }
        changed[node] = unique != *name;
        taken.insert(unique.clone());
        names[node] = unique;
    }
    (names, changed)
}

/// All nodes, in the order in which three.js looks for one by its name: those of the scene that is shown, depth first, then the others.
fn in_order(document: &Document) -> Vec<usize> {
    let (nodes, scenes) = (document.list("nodes"), document.list("scenes"));
    let shown = document.json.get("scene").and_then(index_of).unwrap_or(0);
    let roots = |scene: &Value| -> Vec<usize> { list(scene, "nodes").iter().filter_map(index_of).collect() };
    let mut todo: Vec<usize> = (0..nodes.len()).rev().collect();
    todo.extend(scenes.get(shown).map(roots).unwrap_or_default().into_iter().rev());
    let (mut order, mut done) = (Vec::with_capacity(nodes.len()), vec![false; nodes.len()]);
    while let Some(node) = todo.pop() {
        if node < done.len() && !std::mem::replace(&mut done[node], true) {
            order.push(node);
            todo.extend(list(&nodes[node], "children").iter().rev().filter_map(index_of));
        }
    }
    order
}

fn run(work: &mut Work, report: &mut Report) -> bool {
    if !work.settings().names.rename {
        return false;
    }
    let before = of(&work.document);
    let (names, ambiguous) = wanted(&work.document);
    for (i, name) in names.iter().enumerate() {
        if *name == before[i] || name.is_empty() {
            continue;
        }
        if let Some(node) = work.document.list_mut("nodes")[i].as_object_mut() {
            node.insert("name".into(), name.as_str().into());
        }
        if ambiguous[i] {
            let message = format!("three.js gives two nodes the name {:?}; this one is called {name:?} now", three_suffixless(name));
            report.add(Finding::new(&code::S009, work.place(format!("/nodes/{i}/name")), message).hint(code::S009.remedy));
        }
    }
    let after = of(&work.document);
    let renamed: Vec<usize> = (0..after.len()).filter(|&i| before[i] != after[i]).collect();
    if let Some(&first) = renamed.first() {
        let rest = if renamed.len() > 1 { format!(", and {} more", renamed.len() - 1) } else { String::new() };
        let message = format!("node {:?} is called {:?} now, as three.js spells it{rest}", before[first], after[first]);
        report.add(Finding::new(&code::S008, work.place(format!("/nodes/{first}/name")), message).fixed());
    }
    let moved = free_names(work, report);
    !renamed.is_empty() || moved
}

fn three_suffixless(name: &str) -> &str {
    name.rsplit_once('_').map_or(name, |(base, _)| base)
}

/// Renames scenes, cameras and lights until three.js gives every node the name that it has now.
fn free_names(work: &mut Work, report: &mut Report) -> bool {
    let mut changed = false;
    let lists = [("scenes", "/scenes"), ("cameras", "/cameras"), ("lights", "/extensions/KHR_lights_punctual/lights")];
    loop {
        let names = of(&work.document);
        let three = three_names(&work.document);
        let lost = names.iter().zip(&three.nodes).find(|(name, three)| !name.is_empty() && name != three);
        let Some((name, _)) = lost else { return changed };
        let taken: BTreeSet<&String> = names.iter().chain(&three.scenes).chain(&three.cameras).chain(&three.lights).collect();
        let mut culprit = [&three.scenes, &three.cameras, &three.lights].into_iter().enumerate();
        let culprit = culprit.find_map(|(list, names)| Some((list, names.iter().position(|n| n == name)?)));
        let Some((list, index)) = culprit else { return changed };
        let free = (1..).map(|n| format!("{name}-{n}")).find(|n| !taken.contains(n)).expect("there is always another number");
        let pointer = format!("{}/{index}/name", lists[list].1);
        let message =
            format!("{} {index} was called {name:?} as a node is; it is called {free:?} now", lists[list].0.trim_end_matches('s'));
        report.add(Finding::new(&code::S010, work.place(pointer), message).fixed());
        let element = match list {
            2 => work.document.json.get_mut("extensions").and_then(|e| e.get_mut("KHR_lights_punctual")).and_then(|e| e.get_mut("lights")),
            _ => work.document.json.get_mut(lists[list].0),
        };
        let Some(element) = element.and_then(|list| list.get_mut(index)) else { return changed };
        element["name"] = free.into();
        changed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(json: Value) -> Document {
        Document::from(json.as_object().unwrap().clone())
    }

    #[test]
    fn what_three_repeats_gets_the_next_free_suffix() {
        let json = json!({"scenes": [{"nodes": [0, 1, 2, 3]}], "nodes": [{"name": "A"}, {"name": "A"}, {"name": "A_1"}, {"name": "A_1"}]});
        // three.js: A, A_1, A_1, A_1_1.
        assert_eq!(
            wanted(&document(json)),
            (vec!["A".into(), "A_1".into(), "A_1_2".into(), "A_1_1".into()], vec![false, false, true, false])
        );
    }

    #[test]
    fn the_node_that_clips_find_keeps_its_name() {
        let json = json!({"scenes": [{"nodes": [2, 0, 1]}], "nodes": [{"name": "A"}, {"name": "A"}, {"name": "A_1"}]});
        // three.js: node 2 is A_1, node 0 A, node 1 A_1 again; looking for A_1 finds node 2.
        assert_eq!(wanted(&document(json)), (vec!["A".into(), "A_1_1".into(), "A_1".into()], vec![false, true, false]));
    }

    #[test]
    fn wanted_names_are_what_three_gives_them_again() {
        let json = json!({"scenes": [{"nodes": [0, 1, 2, 3]}], "nodes": [{"name": "L.1"}, {"name": "L1"}, {"name": "a b"}, {"name": "constructor"}]});
        let mut d = document(json);
        let (names, _) = wanted(&d);
        assert_eq!(names, ["L1", "L1_1", "a_b", "constructor_NaN"]);
        for (node, name) in d.list_mut("nodes").iter_mut().zip(&names) {
            node["name"] = name.as_str().into();
        }
        assert_eq!(wanted(&d).0, names);
    }
}
