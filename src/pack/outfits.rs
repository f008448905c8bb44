//! Outfits: the parts, materials and shapes that they name on the avatar.

use super::facts::AvatarFacts;
use super::manifest::Manifest;
use super::model::{avatar_of, body};
use super::node::Node;
use super::shape::Body;
use super::{Facts, Pack};
use crate::report::nearest::nearest;
use crate::report::{Code, Finding, Report, Severity, code};
use crate::spelling;
use std::collections::{BTreeMap, BTreeSet};

/// Parts that one outfit may list.
const MOST_PARTS: usize = 50;

/// O004, O006 to O010 and O014 to O022.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = model.root.as_ref().filter(|_| body(model) != Some(Body::Live2d)) else { continue };
        let outfits = root.list("outfits");
        let mut keys = BTreeSet::new();
        for outfit in outfits {
            if let Some(node) = outfit.get("key")
                && let Some(key) = node.as_str()
                && !keys.insert(key)
            {
                let message = format!("two outfits have the key \"{key}\"");
                report.add(Finding::new(&code::O004, model.place(node), message).hint(code::O004.remedy));
            }
            alone(model, outfit, report);
        }
        everywhere(model, outfits, report);
        if let Some(avatar) = avatar_of(pack, model, facts) {
            outfits.iter().for_each(|outfit| on_avatar(model, outfit, avatar, report));
            together(model, outfits, avatar, report);
        }
    }
}

/// What one outfit says by itself.
fn alone(model: &Manifest, outfit: &Node, report: &mut Report) {
    let (meshes, materials, shapes) = (outfit.list("meshes"), outfit.list("materials"), outfit.list("shapes"));
    let parts = meshes.len() + materials.len();
    if parts > MOST_PARTS {
        let message = format!("the outfit lists {parts} meshes and materials, {MOST_PARTS} are allowed");
        report.add(Finding::new(&code::O006, model.place(outfit), message).hint(code::O006.remedy));
    }
    for list in [meshes, materials] {
        let mut seen = BTreeSet::new();
        for node in list {
            if node.as_str().is_some_and(|name| !seen.insert(name)) {
                let message = format!("\"{}\" is listed twice", node.as_str().unwrap_or_default());
                report.add(Finding::new(&code::O017, model.place(node), message).hint(code::O017.remedy));
            }
        }
    }
    let mut seen = BTreeSet::new();
    for shape in shapes {
        let names = [shape.get("mesh"), shape.get("shape")].map(|node| node.and_then(Node::as_str));
        if let [Some(mesh), Some(key)] = names
            && !seen.insert((mesh, key))
        {
            let message = format!("the shape \"{key}\" of \"{mesh}\" is set twice; the last one counts");
            report.add(Finding::new(&code::O016, model.place(shape), message).hint(code::O016.remedy));
        }
    }
    if outfit.members().iter().any(|member| member.key == "key") && parts + shapes.len() == 0 {
        let key = outfit.get("key").and_then(Node::as_str).unwrap_or_default();
        let message = format!("the outfit \"{key}\" shows no parts of its own");
        report.add(Finding::new(&code::O022, model.place(outfit), message).hint(code::O022.remedy));
    }
}

/// O018.
fn everywhere(model: &Manifest, outfits: &[Node], report: &mut Report) {
    let Some((first, others)) = outfits.split_first().filter(|(_, others)| !others.is_empty()) else { return };
    for list in ["meshes", "materials"] {
        for node in first.list(list) {
            let name = node.as_str();
            let is_in = |outfit: &Node| outfit.list(list).iter().any(|other| other.as_str() == name);
            if name.is_some_and(|name| !name.is_empty()) && others.iter().all(is_in) {
                let message = format!("\"{}\" is in every outfit, so it always shows", name.unwrap_or_default());
                report.add(Finding::new(&code::O018, model.place(node), message).hint(code::O018.remedy));
            }
        }
    }
}

fn on_avatar(model: &Manifest, outfit: &Node, avatar: &AvatarFacts, report: &mut Report) {
    for node in outfit.list("meshes") {
        mesh(model, node, &code::O007, avatar, report);
    }
    for node in outfit.list("materials") {
        let Some(name) = node.as_str().filter(|name| !name.is_empty()) else { continue };
        match avatar.materials.iter().filter(|material| *material == name).count() {
            0 => {
                let known = avatar.materials.iter().map(String::as_str);
                let hint = nearest(name, known.clone())
                    .map_or_else(|| format!("The avatar has: {}.", spelling::list(known, 12)), |near| format!("Did you mean \"{near}\"?"));
                let message = format!("the avatar has no material \"{name}\"");
                report.add(Finding::new(&code::O009, model.place(node), message).hint(hint));
            }
            1 => {}
            count => {
                let message = format!("{count} materials of the avatar are called \"{name}\"; all of them show and hide together");
                report.add(Finding::new(&code::O010, model.place(node), message).hint(code::O010.remedy));
            }
        }
    }
    for shape in outfit.list("shapes") {
        let Some(part) = shape.get("mesh").and_then(|node| mesh(model, node, &code::O014, avatar, report)) else { continue };
        let Some((node, key)) = shape.get("shape").and_then(|node| Some((node, node.as_str()?))) else { continue };
        let known = &avatar.parts[part].shapes;
        if !key.is_empty() && !known.iter().any(|shape| shape == key) {
            let names = known.iter().map(String::as_str);
            let hint = nearest(key, names.clone()).map_or_else(
                || {
                    if known.is_empty() {
                        format!("\"{part}\" has no shape keys.")
                    } else {
                        format!("It has: {}.", spelling::list(names, 12))
                    }
                },
                |near| format!("Did you mean \"{near}\"?"),
            );
            report.add(Finding::new(&code::O015, model.place(node), format!("the mesh \"{part}\" has no shape \"{key}\"")).hint(hint));
        }
    }
}

/// The part that a name stands for, after a finding when it is not written as it should be. `code` is the rule for a name that nobody has.
fn mesh<'a>(model: &Manifest, node: &Node, code: &'static Code, avatar: &'a AvatarFacts, report: &mut Report) -> Option<&'a str> {
    let name = node.as_str().filter(|name| !name.is_empty())?;
    let place = model.place(node);
    if let Some((part, _)) = avatar.parts.get_key_value(name) {
        return Some(part);
    }
    if let Some(part) = avatar.pieces.get(name) {
        let mut finding = Finding::new(code, place, format!("\"{name}\" is only a piece of the part \"{part}\""));
        finding.severity = Severity::Warning;
        report.add(finding.hint(format!("Write \"{part}\".")));
        return avatar.parts.get_key_value(part).map(|(part, _)| part.as_str());
    }
    let is_bone = |name: &str| avatar.bones.contains_key(name);
    let right = avatar.respelled(name);
    if is_bone(name) || right.is_some_and(is_bone) {
        let code = if code == &code::O007 { &code::O008 } else { code };
        report.add(Finding::new(code, place, format!("\"{name}\" is a bone or group of the avatar, not a part")).hint(code.remedy));
        return None;
    }
    if let Some(right) = right {
        report.add(Finding::new(code, place, format!("\"{name}\" is not how three.js spells it")).hint(format!("Write \"{right}\".")));
        return avatar.parts.get_key_value(right).map(|(part, _)| part.as_str());
    }
    let parts = avatar.parts.keys().map(String::as_str);
    let hint = nearest(name, parts.clone())
        .map_or_else(|| format!("The avatar has: {}.", spelling::list(parts, 12)), |near| format!("Did you mean \"{near}\"?"));
    report.add(Finding::new(code, place, format!("the avatar has no part \"{name}\"")).hint(hint));
    None
}

/// O019 to O021: what the union rule does to parts that are no clothes.
fn together(model: &Manifest, outfits: &[Node], avatar: &AvatarFacts, report: &mut Report) {
    const NEVER: [&str; 6] = ["face", "head", "hair", "eye", "body", "skin"];
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for name in outfits.iter().flat_map(|outfit| outfit.list("meshes")).filter_map(Node::as_str) {
        *counted.entry(name).or_default() += 1;
    }
    let listed: BTreeSet<&str> = counted.keys().copied().collect();
    let mut done = BTreeSet::new();
    for outfit in outfits {
        for node in outfit.list("meshes") {
            let Some(name) = node.as_str().filter(|name| counted[name] < outfits.len()) else { continue };
            let lower = name.to_lowercase();
            let words: Vec<&str> = lower.split(|c: char| !c.is_alphabetic()).collect();
            if NEVER.iter().any(|word| words.contains(word)) && avatar.parts.contains_key(name) && done.insert(name) {
                let message = format!("\"{name}\" is listed, so every outfit that does not list it hides it");
                report.add(Finding::new(&code::O019, model.place(node), message).hint(code::O019.remedy));
            }
        }
        for node in outfit.list("materials") {
            let Some(name) = node.as_str() else { continue };
            let on: Vec<&str> =
                avatar.parts.iter().filter(|(_, part)| part.materials.contains(name)).map(|(part, _)| part.as_str()).collect();
            // A mesh that is cut into garments by its materials is what materials are for.
            let strangers: Vec<&str> = on.iter().copied().filter(|part| !listed.contains(part)).collect();
            if on.len() > 1 && !strangers.is_empty() && strangers.len() < on.len() && done.insert(name) {
                let message = format!("the material \"{name}\" is also on {}: it hides there too", spelling::list(strangers, 6));
                report.add(Finding::new(&code::O020, model.place(node), message).hint(code::O020.remedy));
            }
        }
    }
    let hides = outfits.iter().find(|outfit| !outfit.list("materials").is_empty());
    if let Some(node) = hides.and_then(|outfit| outfit.get("materials")).filter(|_| avatar.is_vroid && outfits.len() > 1) {
        let message = "a VRoid export has no skin under its clothes: where a material hides, a hole shows";
        report.add(Finding::new(&code::O021, model.place(node), message).hint(code::O021.remedy));
    }
}
