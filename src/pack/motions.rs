//! The motions of a model.

use super::content::check_ending;
use super::node::{Node, Type};
use super::references::Kind;
use super::{Facts, Pack};
use crate::report::{Finding, Report, code};
use std::collections::BTreeSet;

/// The roles that every look must have a motion for.
const NEEDED: [&str; 3] = ["idle", "talkIdle", "gesture"];

/// N001, N008 and N010.
pub(super) fn check(pack: &Pack, _: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = &model.root else { continue };
        let motions = root.get("motions");
        if let Some(motions) = motions
            && !model.is_typed(motions, Type::List, report)
        {
            continue;
        }
        let items = root.list("motions");
        let roles: BTreeSet<&str> = items.iter().flat_map(|motion| motion.list("roles")).filter_map(Node::as_str).collect();
        let missing: Vec<&str> = NEEDED.into_iter().filter(|role| !roles.contains(role)).collect();
        if !missing.is_empty() {
            let place = motions.map_or_else(|| model.missing_place(root, "motions"), |node| model.place(node));
            let message = format!("no motion has the role {}", missing.join(", none the role "));
            report.add(Finding::new(&code::N001, place, message).hint(code::N001.remedy));
        }
        for motion in items {
            if !model.is_typed(motion, Type::Object, report) {
                continue;
            }
            let Some(node) = model.typed(motion, "id", Type::String, report) else { continue };
            let id = node.as_str().unwrap_or_default();
            if id.starts_with("file:") || id.starts_with("avatar:") {
                continue;
            }
            let message = match id.strip_prefix("library:") {
                Some(_) => format!("\"{id}\": library ids are refused"),
                None => format!("the id \"{id}\" does not start with file: or avatar:"),
            };
            let hint = match pack.tree.get(&format!("{}/{id}", model.folder())) {
                Some(_) => format!("Write \"file:{id}\"."),
                None => code::N008.remedy.into(),
            };
            report.add(Finding::new(&code::N008, model.place(node), message).hint(hint));
        }
        pack.references_of(model).filter(|r| r.kind == Kind::Clip).for_each(|r| check_ending(r, report));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{GLB, check};

    fn motions(motions: &str) -> Vec<String> {
        let text = format!(
            r#"{{ "name": "Fox", "avatar": "fox.vrm", "thumbnail": "thumb.png", {motions} "extra": ["idle.vrma", "talk.vrma", "a.bvh"] }}"#
        );
        let files = [("companion-models/fox-model/model.json", text.as_bytes()), ("companion-models/fox-model/a.bvh", GLB)];
        check(&files).into_iter().map(|line| line.replace("companion-models/fox-model/model.json", "")).collect()
    }

    #[test]
    fn the_three_roles_are_needed() {
        assert_eq!(motions(""), ["N001 error #/motions"]);
        assert_eq!(motions(r#""motions": [],"#), ["N001 error #/motions"]);
        assert_eq!(motions(r#""motions": {},"#), ["P014 error #/motions"]);
        let two = r#""motions": [{ "id": "file:idle.vrma", "roles": ["idle", "gesture"] }],"#;
        assert_eq!(motions(two), ["N001 error #/motions"]);
        let three =
            r#""motions": [{ "id": "avatar:Idle", "roles": ["idle", "gesture"] }, { "id": "file:talk.vrma", "roles": ["talkIdle"] }],"#;
        assert_eq!(motions(three), Vec::<String>::new());
    }

    #[test]
    fn ids_name_a_clip_or_an_animation() {
        let id =
            |id: &str| motions(&format!(r#""motions": [{{ "id": {id}, "roles": ["idle", "talkIdle"] }}, {{ "roles": ["gesture"] }}],"#));
        assert_eq!(id(r#""avatar:x""#), Vec::<String>::new());
        assert_eq!(id(r#""library:x""#), ["N008 error #/motions/0/id"]);
        assert_eq!(id(r#""idle.vrma""#), ["N008 error #/motions/0/id"]);
        assert_eq!(id("7"), ["P014 error #/motions/0/id"]);
        assert_eq!(id(r#""file:a.bvh""#), ["N010 error #/motions/0/id"]);
        assert_eq!(id(r#""file:""#), ["P006 error #/motions/0/id"]);
    }
}
