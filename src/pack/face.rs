//! The face map: which controls of the avatar drive which part of the face.
//!
//! The format's document names the slots but not their form, so it is read tolerantly: a text is a control, and so is an object with a
//! `name`, and a key whose value is a number is a control with its weight.

use super::facts::AvatarFacts;
use super::manifest::Manifest;
use super::model::{avatar_of, body};
use super::node::{Member, Node, Type, Value};
use super::shape::Body;
use super::{Facts, Pack};
use crate::report::nearest::nearest;
use crate::report::{Finding, Report, code};
use crate::spelling;
use std::collections::BTreeSet;

/// Slots that the format names, beside the emotions.
pub(super) const SLOTS: [&str; 8] = ["eyeSmile", "smile", "visemes", "blink", "browRaise", "browLower", "blush", "jawBone"];
/// Mouth shapes.
pub(super) const VISEMES: [&str; 7] = ["aa", "ih", "ou", "ee", "oh", "pp", "ss"];
/// The mouth shapes that the VRM's own are not driven without.
const VOWELS: [&str; 5] = ["aa", "ih", "ou", "ee", "oh"];
/// Slots that pull the same feature in two directions.
const OPPOSED: [&str; 2] = ["browRaise", "browLower"];

/// Controls of the three families that avatar tools write, for the slots that most authors leave out.
const FAMILIES: [(&str, &str, &str); 9] = [
    ("cheekSquintLeft", "eyeSmile", r#"{ "left": ["cheekSquintLeft", "eyeSquintLeft"], "right": ["cheekSquintRight", "eyeSquintRight"] }"#),
    ("mouthClose", "pp", r#"["mouthClose", { "name": "mouthPressLeft", "weight": 0.5 }, { "name": "mouthPressRight", "weight": 0.5 }]"#),
    (
        "mouthStretchLeft",
        "ss",
        r#"[{ "name": "mouthStretchLeft", "weight": 0.6 }, { "name": "mouthStretchRight", "weight": 0.6 }, { "name": "jawOpen", "weight": 0.1 }]"#,
    ),
    ("Fcl_EYE_Joy_L", "eyeSmile", r#"{ "left": ["Fcl_EYE_Joy_L"], "right": ["Fcl_EYE_Joy_R"] }"#),
    ("Fcl_MTH_Close", "pp", r#"["Fcl_MTH_Close"]"#),
    ("Fcl_BRW_Surprised", "browRaise", r#"["Fcl_BRW_Surprised"]"#),
    ("Fcl_BRW_Angry", "browLower", r#"["Fcl_BRW_Angry"]"#),
    ("viseme_PP", "pp", r#"["viseme_PP"]"#),
    ("viseme_SS", "ss", r#"["viseme_SS"]"#),
];

/// F001 and F003 to F010; M025.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(face) = model.root.as_ref().and_then(|root| root.get("face")) else { continue };
        if !model.is_typed(face, Type::Object, report) {
            continue;
        }
        let body = body(model);
        for member in face.members() {
            slot(model, member, body, facts, report);
        }
        controls(model, face, report);
        // A .vrm without a humanoid has its own rule (A001); what its face lacks follows from it.
        if let Some(avatar) = avatar_of(pack, model, facts).filter(|avatar| body != Some(Body::Vrm) || !avatar.humanoid.is_empty()) {
            on_avatar(model, face, avatar, report);
        }
    }
}

fn slot(model: &Manifest, member: &Member, body: Option<Body>, facts: &Facts, report: &mut Report) {
    let value = &member.value;
    match member.key.as_str() {
        "jawBone" if body == Some(Body::Live2d) => {
            let message = "a Live2D look has no bones";
            report.add(Finding::new(&code::M025, model.key_place(member), message).hint(code::M025.remedy));
        }
        "jawBone" => {
            model.is_typed(value, Type::String, report);
        }
        "visemes" => {
            if model.is_typed(value, Type::Object, report) {
                let is_known = |key: &str| VISEMES.contains(&key);
                for viseme in value.members().iter().filter(|viseme| !is_known(&viseme.key)) {
                    let hint =
                        nearest(&viseme.key, VISEMES).map_or_else(|| code::F004.remedy.into(), |near| format!("Did you mean \"{near}\"?"));
                    let message = format!("there is no viseme \"{}\"", viseme.key);
                    report.add(Finding::new(&code::F004, model.key_place(viseme), message).hint(hint));
                }
                value.members().iter().for_each(|viseme| leaf(model, &viseme.value, report));
            }
        }
        "eyeSmile" | "smile" => {
            let missing: Vec<&str> = ["left", "right"].into_iter().filter(|side| value.get(side).is_none()).collect();
            if !missing.is_empty() {
                let message = format!("{} has no list {}", member.key, missing.join(" and none "));
                report.add(Finding::new(&code::F005, model.place(value), message).hint(code::F005.remedy));
            }
            leaf(model, value, report);
        }
        key => {
            if !SLOTS.contains(&key) && !facts.words.face_slots.contains(key) {
                let known = SLOTS.iter().copied().chain(facts.words.face_slots.iter().map(String::as_str));
                let hint = nearest(key, known).map_or_else(|| code::F007.remedy.into(), |near| format!("Did you mean \"{near}\"?"));
                let message = format!("the face key \"{key}\" is not among those known here");
                report.add(Finding::new(&code::F007, model.key_place(member), message).hint(hint));
            }
            leaf(model, value, report);
        }
    }
}

/// P014 for what is neither a control nor holds some; F006 for weights.
fn leaf(model: &Manifest, node: &Node, report: &mut Report) {
    match &node.value {
        Value::String(_) => {}
        Value::List(items) => items.iter().for_each(|item| leaf(model, item, report)),
        Value::Object(members) => {
            let is_control = node.get("name").is_some();
            for member in members {
                let is_weight = member.key == "weight" || !is_control && member.value.kind() == Type::Number;
                if is_weight {
                    weight(model, &member.value, report);
                } else {
                    leaf(model, &member.value, report);
                }
            }
        }
        _ => {
            model.is_typed(node, Type::String, report);
        }
    }
}

fn weight(model: &Manifest, node: &Node, report: &mut Report) {
    let message = match node.as_f64() {
        Some(weight) if !weight.is_finite() || (0.0..=1.0).contains(&weight) => return,
        Some(weight) => format!("the weight is {weight}, 0 to 1 is allowed"),
        None => format!("a weight is a number, not {}", node.kind().words()),
    };
    report.add(Finding::new(&code::F006, model.place(node), message).hint(code::F006.remedy));
}

/// Calls `visit` with every control in a slot: its name and where it stands.
pub(super) fn each_control<'n>(manifest: &Manifest, node: &'n Node, visit: &mut impl FnMut(&'n str, crate::report::Place)) {
    match &node.value {
        Value::String(name) => visit(name, manifest.place(node)),
        Value::List(items) => items.iter().for_each(|item| each_control(manifest, item, visit)),
        Value::Object(members) => {
            if let Some(name) = node.get("name") {
                return each_control(manifest, name, visit);
            }
            for member in members.iter().filter(|member| member.key != "weight") {
                match member.value.kind() {
                    Type::Number => visit(&member.key, manifest.key_place(member)),
                    _ => each_control(manifest, &member.value, visit),
                }
            }
        }
        _ => {}
    }
}

/// Calls `visit` with every control of a face map.
pub(super) fn all_controls<'n>(manifest: &Manifest, face: &'n Node, visit: &mut impl FnMut(&'n str, crate::report::Place)) {
    // Visemes that are no object are P014, and hold no controls.
    let holds = |member: &&Member| match member.key.as_str() {
        "jawBone" => false,
        "visemes" => member.value.kind() == Type::Object,
        _ => true,
    };
    face.members().iter().filter(holds).for_each(|member| each_control(manifest, &member.value, visit));
}

/// F008 and F010: what the map says by itself.
fn controls(model: &Manifest, face: &Node, report: &mut Report) {
    if let Some(visemes) = face.get("visemes") {
        let missing: Vec<&str> = VOWELS.into_iter().filter(|vowel| visemes.get(vowel).is_none()).collect();
        if missing.len() < VOWELS.len() && !missing.is_empty() || missing.len() == VOWELS.len() && !visemes.members().is_empty() {
            let message = format!("with a mouth shape given, the VRM's own are not driven; missing: {}", missing.join(", "));
            report.add(Finding::new(&code::F008, model.place(visemes), message).hint(code::F008.remedy));
        }
    }
    let of = |node: Option<&Node>| {
        let mut names = BTreeSet::new();
        if let Some(node) = node {
            each_control(model, node, &mut |name, _| {
                names.insert(name.to_owned());
            });
        }
        names
    };
    for member in face.members() {
        let (left, right) = (of(member.value.get("left")), of(member.value.get("right")));
        if let Some(both) = left.intersection(&right).next() {
            let message = format!("{}: \"{both}\" is on the left and on the right", member.key);
            report.add(Finding::new(&code::F010, model.place(&member.value), message).hint(code::F010.remedy));
        }
    }
    let [raise, lower] = OPPOSED.map(|slot| of(face.get(slot)));
    if let (Some(both), Some(node)) = (raise.intersection(&lower).next(), face.get(OPPOSED[1])) {
        let message = format!("\"{both}\" raises the brows and lowers them");
        report.add(Finding::new(&code::F010, model.place(node), message).hint(code::F010.remedy));
    }
}

/// F001, F003 and F009.
fn on_avatar(model: &Manifest, face: &Node, avatar: &AvatarFacts, report: &mut Report) {
    let shapes: BTreeSet<&str> = avatar.parts.values().flat_map(|part| &part.shapes).map(String::as_str).collect();
    let known = || shapes.iter().copied().chain(avatar.expressions.iter().map(String::as_str));
    all_controls(model, face, &mut |name, place| {
        if !known().any(|other| other == name) {
            let hint = nearest(name, known())
                .map_or_else(|| format!("The avatar has: {}.", spelling::list(known(), 12)), |near| format!("Did you mean \"{near}\"?"));
            report.add(Finding::new(&code::F001, place, format!("the avatar has no expression or shape \"{name}\"")).hint(hint));
        }
    });
    if let Some(node) = face.get("jawBone")
        && let Some(name) = node.as_str()
    {
        let place = model.place(node);
        if let Some(right) = avatar.respelled(name) {
            let message = format!("\"{name}\" is not how three.js spells the bone");
            report.add(Finding::new(&code::F003, place, message).hint(format!("Write \"{right}\".")));
        } else if !avatar.bones.contains_key(name) {
            let bones = avatar.bones.keys().map(String::as_str);
            let hint = nearest(name, bones).map_or_else(|| code::F003.remedy.into(), |near| format!("Did you mean \"{near}\"?"));
            report.add(Finding::new(&code::F003, place, format!("the avatar has no bone \"{name}\"")).hint(hint));
        }
    }
    for (control, slot, value) in FAMILIES {
        let is_given = face.get(slot).is_some() || face.at(&["visemes", slot]).is_some();
        if shapes.contains(control) && !is_given {
            let message = format!("the avatar has the shapes for {slot}, and the face map leaves it out");
            report.add(Finding::new(&code::F009, model.place(face), message).hint(format!("Add \"{slot}\": {value}.")));
        }
    }
}
