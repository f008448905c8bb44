//! What a model.json says of a Live2D look, compared with what is in its zip: motions, face, loops.

use super::facts::{Live2dFacts, ParameterFacts};
use super::node::{Node, Value};
use super::{Facts, Manifest, Pack};
use crate::report::nearest::nearest;
use crate::report::{Finding, Place, Report, code};
use crate::spelling;
use std::collections::BTreeSet;

/// How far a Face window may cut into the measured head, and how far a hit area may differ from it, as fractions of the canvas's height. The hit areas of
/// four official models differ by up to 0.03.
const WINDOW_SLACK: f64 = 0.02;
const AREA_SLACK: f64 = 0.08;

/// Roles whose motions are played in a loop.
const LOOPS: [&str; 4] = ["idle", "talkIdle", "listen", "think"];

/// For each slot of a face map the standard parameters that drive what it leaves out.
const STANDARD: [(&str, &[&str]); 7] = [
    ("visemes", &["ParamMouthOpenY"]),
    ("blink", &["ParamEyeLOpen", "ParamEyeROpen"]),
    ("eyeSmile", &["ParamEyeLSmile", "ParamEyeRSmile"]),
    ("smile", &["ParamMouthForm"]),
    ("browRaise", &["ParamBrowLY", "ParamBrowRY"]),
    ("blush", &["ParamCheek"]),
    // No slot drives it.
    ("", &["ParamBreath"]),
];

/// F002, F011, L030, L031, L034 to L036 and N014, and G007 for her head, for every Live2D look whose zip could be opened.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = &model.root else { continue };
        let Some(avatar) = pack.avatar_of(model) else { continue };
        let Some((zip, live2d)) = avatar.target().and_then(|path| facts.live2d.get_key_value(path)) else { continue };
        let played = motions(model, root, live2d, report);
        for path in live2d.motions.keys().filter(|path| !played.contains(path.as_str())) {
            let message = format!("\"{}{path}\" is a motion that is never played", live2d.folder);
            let hint = format!("List it in model.json as \"avatar:{path}\", or leave it out of the zip.");
            report.add(Finding::new(&code::L031, Place::file(zip), message).hint(hint));
        }
        let face = root.get("face");
        let mut controls = Vec::new();
        if let Some(face) = face {
            walk(face, "", &mut controls);
        }
        for control in &controls {
            judge(model, control, live2d, report);
        }
        standard(face, live2d, &avatar.place, report);
        self::head(model, root, live2d, &avatar.place, report);
        if !live2d.backgrounds.is_empty() {
            let message = format!("a drawable covers the whole canvas, so that no backdrop shows: {}", live2d.backgrounds.join(", "));
            report.add(Finding::new(&code::L036, Place::file(zip), message).hint(code::L036.remedy));
        }
    }
}

/// N014 and L030; the motions that are there, by their path.
fn motions<'a>(model: &Manifest, root: &'a Node, live2d: &Live2dFacts, report: &mut Report) -> BTreeSet<&'a str> {
    let mut played = BTreeSet::new();
    for motion in root.list("motions") {
        let Some(id) = motion.get("id") else { continue };
        let Some(path) = id.as_str().and_then(|id| id.strip_prefix("avatar:")) else { continue };
        let Some(found) = live2d.motions.get(path) else {
            let known = live2d.motions.keys().map(String::as_str);
            let inside = path.strip_prefix(live2d.folder.as_str()).filter(|inside| live2d.motions.contains_key(*inside));
            let hint = match inside.or_else(|| nearest(path, known.clone())) {
                Some(near) => format!("Write \"avatar:{near}\"."),
                None => format!("The zip has: {}.", spelling::list(known, 6)),
            };
            let message = format!("the zip has no motion \"{path}\"");
            report.add(Finding::new(&code::N014, model.place(id), message).hint(hint));
            continue;
        };
        played.insert(path);
        let role = motion.list("roles").iter().filter_map(Node::as_str).find(|role| LOOPS.contains(role));
        if let Some(role) = role.filter(|_| !found.jumps.is_empty()) {
            let jumps = spelling::list(found.jumps.iter().map(String::as_str), 4);
            let message = format!("the motion is played in a loop ({role}), but does not end where it starts: {jumps}");
            report.add(Finding::new(&code::L030, model.place(id), message).hint(code::L030.remedy));
        }
    }
    played
}

/// A place of a face map that names a parameter, and the slot that it lies in.
struct Control<'a> {
    name: &'a str,
    node: &'a Node,
    slot: &'a str,
}

/// Finds every parameter that a face map names: a text, the `name` of an object, or the key of a number. The bone of the jaw is none.
fn walk<'a>(node: &'a Node, slot: &'a str, controls: &mut Vec<Control<'a>>) {
    match &node.value {
        Value::String(name) => controls.push(Control { name, node, slot }),
        Value::List(items) => items.iter().for_each(|item| walk(item, slot, controls)),
        Value::Object(members) => {
            let named = node.get("name").filter(|name| name.as_str().is_some());
            if let Some(name) = named {
                return walk(name, slot, controls);
            }
            for member in members.iter().filter(|member| member.key != "jawBone") {
                let slot = if slot.is_empty() { member.key.as_str() } else { slot };
                match member.value.value {
                    Value::Number(_) => controls.push(Control { name: &member.key, node: &member.value, slot }),
                    _ => walk(&member.value, slot, controls),
                }
            }
        }
        _ => {}
    }
}

/// F002 and F011 for one control.
fn judge(model: &Manifest, control: &Control, live2d: &Live2dFacts, report: &mut Report) {
    let Control { name, node, slot } = *control;
    let Some(parameter) = live2d.parameters.iter().find(|parameter| parameter.id == name) else {
        let near = nearest(name, live2d.parameters.iter().map(|parameter| parameter.id.as_str()));
        let hint = near.map_or_else(|| code::F002.remedy.to_owned(), |near| format!("Did you mean \"{near}\"?"));
        report.add(Finding::new(&code::F002, model.place(node), format!("the model has no parameter \"{name}\"")).hint(hint));
        return;
    };
    if let Some(problem) = range(slot, parameter) {
        report.add(Finding::new(&code::F011, model.place(node), problem).hint(code::F011.remedy));
    }
}

/// What is odd about the range of a parameter that drives this slot.
fn range(slot: &str, parameter: &ParameterFacts) -> Option<String> {
    let ParameterFacts { id, minimum, maximum } = parameter;
    let fits = match slot {
        "visemes" => *maximum >= 1.0,
        "blink" => *minimum <= 0.0 && *maximum >= 1.0,
        _ => true,
    };
    (!fits).then(|| format!("{id} goes from {minimum} to {maximum}"))
}

/// L034, and F011 for the standard parameters, whose place is that of the avatar.
fn standard(face: Option<&Node>, live2d: &Live2dFacts, place: &Place, report: &mut Report) {
    let mut missing = Vec::new();
    for (slot, ids) in STANDARD.iter().filter(|(slot, _)| face.is_none_or(|face| face.get(slot).is_none())) {
        for id in *ids {
            match live2d.parameters.iter().find(|parameter| parameter.id == *id) {
                None => missing.push(*id),
                Some(parameter) => {
                    if let Some(problem) = range(slot, parameter) {
                        report.add(Finding::new(&code::F011, place.clone(), problem).hint(code::F011.remedy));
                    }
                }
            }
        }
    }
    if !missing.is_empty() {
        let message = format!("the model lacks standard parameters: {}", missing.join(", "));
        report.add(Finding::new(&code::L034, place.clone(), message).hint(code::L034.remedy));
    }
}

/// L035 where the stage may see her head elsewhere than it is, or has to guess; G007 for a Face window that cuts it.
fn head(model: &Manifest, root: &Node, live2d: &Live2dFacts, avatar: &Place, report: &mut Report) {
    let Some([bottom, top]) = live2d.head else { return };
    let face = root.at(&["framing", "face"]);
    if let Some(face) = face {
        let edge = |key: &str| face.get(key).and_then(Node::as_f64);
        if let (Some(below), Some(above)) = (edge("bottom"), edge("top"))
            && (below > bottom + WINDOW_SLACK || above < top - WINDOW_SLACK)
        {
            let message = format!("the Face window from {below} to {above} does not hold her head, measured at {bottom:.2} to {top:.2}");
            report.add(Finding::new(&code::G007, model.place(face), message).hint(code::G007.remedy));
        }
    }
    let (problem, hint) = match live2d.head_area {
        Some([low, high]) if (low - bottom).abs() > AREA_SLACK || (high - top).abs() > AREA_SLACK => {
            (format!("; its hit area lies at {low:.2} to {high:.2}"), "Let the hit area cover her head.".to_owned())
        }
        None if root.get("framing").is_none() => ("; it has no hit area, and model.json no framing".to_owned(), windows(bottom, top)),
        _ => return,
    };
    let message = format!("her head is measured at {bottom:.2} to {top:.2} of the height{problem}");
    report.add(Finding::new(&code::L035, avatar.clone(), message).hint(hint));
}

/// Framing windows as the stage would choose them for a head: one and a half heads below it, four and a half, and everything.
fn windows(bottom: f64, top: f64) -> String {
    let (head, least) = (top - bottom, -0.04);
    let above = (top + head / 4.0).min(1.04);
    let window = |heads: f64| format!("{{ \"bottom\": {:.2}, \"top\": {above:.2} }}", (bottom - heads * head).max(least));
    let full = "{ \"bottom\": -0.04, \"top\": 1.04 }";
    format!("Add \"framing\": {{ \"face\": {}, \"upperBody\": {}, \"fullBody\": {full} }}.", window(1.5), window(4.5))
}

#[cfg(test)]
mod tests {
    use super::super::facts::Live2dMotionFacts;
    use super::super::testing::pack;
    use super::*;

    fn facts(parameters: &[(&str, f64, f64)], motions: &[(&str, &[&str])]) -> Facts {
        let parameters =
            parameters.iter().map(|(id, minimum, maximum)| ParameterFacts { id: (*id).into(), minimum: *minimum, maximum: *maximum });
        let motion = |jumps: &[&str]| Live2dMotionFacts { duration_seconds: 1.0, jumps: jumps.iter().map(|id| (*id).into()).collect() };
        let live2d = Live2dFacts {
            parameters: parameters.collect(),
            motions: motions.iter().map(|(path, jumps)| ((*path).to_owned(), motion(jumps))).collect(),
            folder: "Fox/".into(),
            ..Live2dFacts::default()
        };
        Facts { live2d: [("companion-models/fox-model/fox.zip".to_owned(), live2d)].into(), ..Facts::default() }
    }

    /// `CODE severity pointer: message | hint` of what this area says.
    fn check_with(rest: &str, facts: &Facts) -> Vec<String> {
        let text = format!(r#"{{ "name": "Fox", "avatar": "fox.zip", {rest} }}"#);
        let files = [("companion-models/fox-model/model.json", text.as_bytes()), ("companion-models/fox-model/fox.zip", b"PK\x03\x04")];
        let mut report = Report::default();
        let pack = Pack::read(pack(&files), &mut report);
        check(&pack, facts, &mut report);
        let said = |f: &Finding| format!("{} {} {}: {} | {}", f.code.id, f.severity.word(), f.place.pointer, f.message, f.hint);
        report.findings.iter().map(said).collect()
    }

    const ALL: [(&str, f64, f64); 10] = [
        ("ParamMouthOpenY", 0.0, 1.0),
        ("ParamEyeLOpen", 0.0, 1.0),
        ("ParamEyeROpen", 0.0, 1.5),
        ("ParamEyeLSmile", 0.0, 1.0),
        ("ParamEyeRSmile", 0.0, 1.0),
        ("ParamMouthForm", -1.0, 1.0),
        ("ParamBrowLY", -1.0, 1.0),
        ("ParamBrowRY", -1.0, 1.0),
        ("ParamCheek", 0.0, 1.0),
        ("ParamBreath", 0.0, 1.0),
    ];

    #[test]
    fn motions_are_named_by_their_path_in_the_models_folder() {
        let facts = facts(&ALL, &[("motions/idle.motion3.json", &["ParamCheek"]), ("motions/wave.motion3.json", &[])]);
        let motions = |first: &str, role: &str| {
            let wave = r#"{ "id": "avatar:motions/wave.motion3.json", "roles": ["gesture"] }"#;
            check_with(&format!(r#""motions": [{{ "id": "{first}", "roles": ["{role}"] }}, {wave}]"#), &facts)
        };
        assert_eq!(motions("avatar:motions/idle.motion3.json", "gesture"), Vec::<String>::new());
        let jumps = motions("avatar:motions/idle.motion3.json", "idle");
        let hint = code::L030.remedy;
        let text = "the motion is played in a loop (idle), but does not end where it starts: ParamCheek";
        assert_eq!(jumps, [format!("L030 note /motions/0/id: {text} | {hint}")]);
        let never = "L031 note : \"Fox/motions/idle.motion3.json\" is a motion that is never played | List it in model.json as \
                     \"avatar:motions/idle.motion3.json\", or leave it out of the zip.";
        for (id, hint) in [
            ("Fox/motions/idle.motion3.json", "Write \"avatar:motions/idle.motion3.json\"."),
            ("motions/idel.motion3.json", "Write \"avatar:motions/idle.motion3.json\"."),
            ("Nothing", "The zip has: motions/idle.motion3.json, motions/wave.motion3.json."),
        ] {
            let wanted = format!("N014 error /motions/0/id: the zip has no motion \"{id}\" | {hint}");
            assert_eq!(motions(&format!("avatar:{id}"), "idle"), [wanted, never.to_owned()]);
        }
        // A zip that was not opened is not judged.
        assert_eq!(check_with(r#""motions": [{ "id": "avatar:x" }]"#, &Facts::default()), Vec::<String>::new());
    }

    #[test]
    fn every_control_of_the_face_is_a_parameter() {
        let facts = facts(&ALL, &[]);
        let face = |face: &str| check_with(&format!(r#""face": {face}"#), &facts);
        assert_eq!(
            face(
                r#"{ "blush": "ParamCheek", "smile": { "left": ["ParamMouthForm"], "right": [{ "name": "ParamMouthForm", "weight": 0.5 }] } }"#
            ),
            Vec::<String>::new()
        );
        assert_eq!(face(r#"{ "happy": { "ParamCheek": 0.5 }, "jawBone": "Jaw" }"#), Vec::<String>::new());
        let slip = face(r#"{ "visemes": { "aa": "ParamMouthOpen" } }"#);
        assert_eq!(
            slip,
            ["F002 error /face/visemes/aa: the model has no parameter \"ParamMouthOpen\" | Did you mean \"ParamMouthOpenY\"?"]
        );
        assert!(face(r#"{ "happy": { "Cheeks": 1 } }"#)[0].starts_with("F002 error /face/happy/Cheeks"));
        assert!(face(r#"{ "blink": ["ParamMouthForm"], "smile": [{ "name": "Nose" }] }"#)[0].starts_with("F002 error /face/smile/0/name"));
    }

    #[test]
    fn standard_parameters_drive_what_the_face_leaves_out() {
        let without = |gone: &[&str]| ALL.into_iter().filter(|(id, _, _)| !gone.contains(id)).collect::<Vec<_>>();
        let lacking = facts(&without(&["ParamEyeLSmile", "ParamBreath"]), &[]);
        let said = check_with(r#""face": {}"#, &lacking);
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("L034 note /avatar: the model lacks standard parameters: ParamEyeLSmile, ParamBreath |"), "{said:?}");
        let said = check_with(r#""face": { "eyeSmile": { "left": ["ParamCheek"], "right": ["ParamCheek"] } }"#, &lacking);
        assert!(said[0].contains("parameters: ParamBreath |"), "{said:?}");
        // Ranges, of the standard parameters and of those that the face names.
        let mut small = ALL;
        small[0].2 = 0.5;
        small[1].1 = 0.2;
        let said = check_with(r#""face": {}"#, &facts(&small, &[]));
        let wanted = ["F011 note /avatar: ParamMouthOpenY goes from 0 to 0.5", "F011 note /avatar: ParamEyeLOpen goes from 0.2 to 1"];
        assert!(said.len() == 2 && said.iter().zip(wanted).all(|(said, wanted)| said.starts_with(wanted)), "{said:?}");
        let said = check_with(
            r#""face": { "visemes": { "aa": ["ParamMouthOpenY"] }, "blink": { "left": "ParamEyeLOpen" } }"#,
            &facts(&small, &[]),
        );
        assert!(said[0].starts_with("F011 note /face/visemes/aa/0") && said[1].starts_with("F011 note /face/blink/left"), "{said:?}");
    }

    #[test]
    fn the_head_is_held_by_window_and_hit_area() {
        let with = |head: Option<[f64; 2]>, area: Option<[f64; 2]>| {
            let mut facts = facts(&ALL, &[]);
            let live2d = facts.live2d.values_mut().next().unwrap();
            (live2d.head, live2d.head_area) = (head, area);
            facts
        };
        let head = Some([0.8, 0.9]);
        assert_eq!(check_with("\"face\": {}", &with(None, None)), Vec::<String>::new());
        assert_eq!(check_with("\"face\": {}", &with(head, Some([0.79, 0.93]))), Vec::<String>::new());
        let far = "L035 note /avatar: her head is measured at 0.80 to 0.90 of the height; its hit area lies at 0.60 to 0.90 | Let the hit area cover her head.";
        assert_eq!(check_with("\"face\": {}", &with(head, Some([0.6, 0.9]))), [far]);
        // One and a half heads of 0.1 below 0.8 is 0.65, four and a half 0.35; a quarter of a head above.
        let windows = "L035 note /avatar: her head is measured at 0.80 to 0.90 of the height; it has no hit area, and model.json no framing | \
                       Add \"framing\": { \"face\": { \"bottom\": 0.65, \"top\": 0.93 }, \"upperBody\": { \"bottom\": 0.35, \"top\": 0.93 }, \
                       \"fullBody\": { \"bottom\": -0.04, \"top\": 1.04 } }.";
        assert_eq!(check_with("\"face\": {}", &with(head, None)), [windows]);
        let window = |bottom: &str| format!(r#""framing": {{ "face": {{ "bottom": {bottom}, "top": 1 }} }}"#);
        assert_eq!(check_with(&window("0.7"), &with(head, None)), Vec::<String>::new());
        let cut = check_with(&window("0.85"), &with(head, None));
        assert!(cut[0].starts_with("G007 note /framing/face: the Face window from 0.85 to 1 does not hold her head"), "{cut:?}");
        let mut covered = facts(&ALL, &[]);
        covered.live2d.values_mut().next().unwrap().backgrounds = vec!["Sky".into()];
        assert!(check_with("\"face\": {}", &covered)[0].starts_with("L036 note : a drawable covers the whole canvas"));
    }
}
