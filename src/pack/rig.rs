//! Bone maps: which humanoid bone is which node, of a look or of a motion.

use super::manifest::Manifest;
use super::model::body;
use super::node::{Member, Node, Type, Value};
use super::shape::Body;
use super::{Facts, Pack};
use crate::gltf::names::sanitize;
use crate::report::nearest::nearest;
use crate::report::{Finding, Report, code};
use crate::vrm::humanoid::{BONES, REQUIRED};
use std::collections::BTreeMap;

/// R002 to R005 and R007, for every bone map that may be given.
pub(super) fn check(pack: &Pack, _: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = &model.root else { continue };
        let body = body(model);
        if body == Some(Body::Live2d) {
            continue;
        }
        let of_look = root.get("rig").filter(|_| body != Some(Body::Vrm));
        for rig in root.list("motions").iter().filter_map(|motion| motion.get("rig")).chain(of_look) {
            one(model, rig, report);
        }
    }
}

fn one(model: &Manifest, rig: &Node, report: &mut Report) {
    // What is no number that can be has its own rule (P015).
    let is_wrong = |version: &&Node| version.as_f64().is_none_or(|number| number.is_finite() && number != 1.0);
    if let Some(version) = rig.get("version").filter(is_wrong) {
        if version.value == Value::Null {
            model.is_typed(version, Type::Number, report);
        } else {
            let written = model.text.get(version.range.clone()).unwrap_or_default();
            let message = format!("the version of a rig is 1, not {written}");
            report.add(Finding::new(&code::R002, model.place(version), message).hint(code::R002.remedy));
        }
    }
    let Some(bones) = model.typed(rig, "bones", Type::Object, report) else { return };
    // A bone whose name is misspelled is R004, not missing.
    let meant: Vec<&str> = bones.members().iter().filter_map(|m| nearest(&m.key, BONES)).collect();
    let missing: Vec<&str> = REQUIRED.into_iter().filter(|bone| bones.get(bone).is_none() && !meant.contains(bone)).collect();
    if !missing.is_empty() {
        let message = format!("the rig lacks {}", missing.join(", "));
        report.add(Finding::new(&code::R003, model.place(bones), message).hint(code::R003.remedy));
    }
    let mut used: BTreeMap<String, &str> = BTreeMap::new();
    let is_last = |member: &&Member| bones.member(&member.key).is_some_and(|last| std::ptr::eq(last, *member));
    for member in bones.members().iter().filter(is_last) {
        let (bone, node) = (member.key.as_str(), &member.value);
        if !BONES.contains(&bone) {
            let hint = nearest(bone, BONES).map_or_else(|| code::R004.remedy.into(), |near| format!("Did you mean \"{near}\"?"));
            report.add(Finding::new(&code::R004, model.key_place(member), format!("there is no humanoid bone \"{bone}\"")).hint(hint));
            continue;
        }
        if node.value == Value::Null {
            model.is_typed(node, Type::String, report);
            continue;
        }
        let clean = node.as_str().map(sanitize);
        let message = match (node.as_str(), &clean) {
            (None, _) => format!("{bone} wants the name of a node, found {}", node.kind().words()),
            (Some(_), Some(clean)) if clean.is_empty() => format!("the name of the node for {bone} is empty"),
            (Some(name), Some(clean)) if name != clean => {
                let message = format!("\"{name}\" is not how three.js spells it");
                report.add(Finding::new(&code::R005, model.place(node), message).hint(format!("Write \"{clean}\".")));
                String::new()
            }
            _ => String::new(),
        };
        if !message.is_empty() {
            report.add(Finding::new(&code::R005, model.place(node), message).hint(code::R005.remedy));
            continue;
        }
        if let Some(other) = clean.and_then(|clean| used.insert(clean, bone)) {
            let message = format!("the node of {bone} is already that of {other}");
            report.add(Finding::new(&code::R007, model.place(node), message).hint(code::R007.remedy));
        }
    }
}
