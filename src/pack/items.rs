//! Items.

use super::content::check_ending;
use super::node::Type;
use super::references::Kind;
use super::{Facts, Pack};
use crate::report::{Finding, Report, code};

/// I004.
pub(super) fn check(pack: &Pack, _: &Facts, report: &mut Report) {
    for item in pack.items() {
        let Some(root) = &item.root else { continue };
        match root.get("model") {
            None => report.add(Finding::new(&code::I004, item.missing_place(root, "model"), "model is missing").hint(code::I004.remedy)),
            Some(node) if node.as_str() == Some("") => {
                report.add(Finding::new(&code::I004, item.place(node), "model is empty").hint(code::I004.remedy));
            }
            Some(node) => {
                item.is_typed(node, Type::String, report);
            }
        }
        pack.references_of(item).filter(|r| r.kind == Kind::ItemModel).for_each(|r| check_ending(r, report));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{GLB, check};

    #[test]
    fn an_item_names_its_glb() {
        let item = |model: &str| {
            let text = format!(r#"{{ "name": "Mug", {model} "extra": ["mug.glb", "mug.fbx"] }}"#);
            let files = [("companion-items/mug/item.json", text.as_bytes()), ("companion-items/mug/mug.fbx", GLB)];
            check(&files).into_iter().map(|line| line.replace("companion-items/mug/item.json", "")).collect::<Vec<_>>()
        };
        assert_eq!(item(r#""model": "mug.glb","#), Vec::<String>::new());
        assert_eq!(item(""), ["I004 error #/model"]);
        assert_eq!(item(r#""model": "","#), ["I004 error #/model"]);
        assert_eq!(item(r#""model": 1,"#), ["P014 error #/model"]);
        assert_eq!(item(r#""model": "mug.fbx","#), ["I004 error #/model"]);
    }
}
