//! The top level of `model.json`.

use super::content::check_ending;
use super::node::Type;
use super::references::Kind;
use super::{Facts, Pack};
use crate::report::{Finding, Report, code};

/// M001, M003 and M004.
pub(super) fn check(pack: &Pack, _: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = &model.root else { continue };
        model.text(root, "name", 1..=100, &code::M001, report);
        match root.get("avatar") {
            None => report.add(Finding::new(&code::M003, model.missing_place(root, "avatar"), "avatar is missing").hint(code::M003.remedy)),
            Some(node) if node.as_str() == Some("") => {
                report.add(Finding::new(&code::M003, model.place(node), "avatar is empty").hint(code::M003.remedy));
            }
            Some(node) => {
                model.is_typed(node, Type::String, report);
            }
        }
        pack.references_of(model).filter(|r| r.kind == Kind::Avatar).for_each(|r| check_ending(r, report));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{GLB, check};

    fn model(name: &str, avatar: &str) -> Vec<String> {
        let text = format!(
            r#"{{ {name} {avatar} "thumbnail": "thumb.png", "motions": [ {{ "id": "file:idle.vrma", "roles": ["idle", "talkIdle"] }},
            {{ "id": "file:talk.vrma", "roles": ["gesture"] }} ], "extra": ["fox.vrm", "Fox.VRM", "fox.gltf"] }}"#
        );
        let files = [
            ("companion-models/fox-model/model.json", text.as_bytes()),
            ("companion-models/fox-model/Fox.VRM", GLB),
            ("companion-models/fox-model/fox.gltf", GLB),
            ("companion-models/fox-model/fox.vrm", if avatar.contains("VRM") { b"-" } else { GLB }),
        ];
        check(&files).into_iter().map(|line| line.replace("companion-models/fox-model/model.json", "")).collect()
    }

    #[test]
    fn name_and_avatar_are_given() {
        let (name, avatar) = (r#""name": "Fox","#, r#""avatar": "fox.vrm","#);
        assert_eq!(model(name, avatar), Vec::<String>::new());
        assert_eq!(model("", avatar), ["M001 error #/name"]);
        assert_eq!(model(r#""name": "  ","#, avatar), ["M001 error #/name"]);
        assert_eq!(model(&format!(r#""name": "{}","#, "é".repeat(100)), avatar), Vec::<String>::new());
        // 51 foxes are 102 UTF-16 units.
        assert_eq!(model(&format!(r#""name": "{}","#, "🦊".repeat(51)), avatar), ["M001 error #/name"]);
        assert_eq!(model(r#""name": null,"#, avatar), ["P014 error #/name"]);
        assert_eq!(model(name, ""), ["M003 error #/avatar"]);
        assert_eq!(model(name, r#""avatar": "","#), ["M003 error #/avatar"]);
        assert_eq!(model(name, r#""avatar": ["fox.vrm"],"#), ["P014 error #/avatar"]);
        assert_eq!(model(name, r#""avatar": "fox.gltf","#), ["M004 error #/avatar"]);
        assert_eq!(model(name, r#""avatar": "Fox.VRM","#), ["M004 note #/avatar"]);
    }
}
