//! What the author allows a pack and its looks to cost, and what costs more.

use super::references::Kind;
use super::{Facts, Pack};
use crate::report::{Code, Finding, Place, Report, code};
use crate::units::{self, Amount};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Bounds, each as it was written (`8MB`, `70k`); an empty one bounds nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Bytes of the zip.
    pub pack: String,
    /// Bytes of each avatar or Live2D look.
    pub avatar: String,
    /// Bytes of the model of each item.
    pub item: String,
    /// Bytes of each clip.
    pub motion: String,
    /// Triangles of each avatar.
    pub triangles: String,
    /// Memory of each look's textures on the graphics card, in bytes.
    pub textures: String,
    /// Morph targets of each avatar, or their memory in bytes.
    pub morphs: String,
}

/// X004 to X009, for what ships: `sizes` are the bytes of every file by path, `facts` what is in them.
pub fn check(budget: &Budget, pack: &Pack, facts: &Facts, sizes: &BTreeMap<String, u64>, report: &mut Report) {
    let mut done = BTreeSet::new();
    for reference in &pack.references {
        let Some(path) = reference.target().filter(|path| done.insert((*path, reference.kind))) else { continue };
        let what = format!("the {} {path}", reference.kind.word());
        let mut over = |code: &'static Code, bound: &str, used: u64, is_bytes: bool, of: &str| {
            report.findings.extend(judge(code, reference.place.clone(), &what, bound, used, is_bytes, of));
        };
        let (avatar, live2d) = (facts.avatars.get(path), facts.live2d.get(path));
        let (code, bound) = match reference.kind {
            Kind::Avatar => (&code::X004, &budget.avatar),
            Kind::ItemModel => (&code::X005, &budget.item),
            Kind::Clip => (&code::X006, &budget.motion),
            Kind::Thumbnail | Kind::Background => continue,
        };
        sizes.get(path).into_iter().for_each(|&bytes| over(code, bound, bytes, true, ""));
        if reference.kind != Kind::Avatar {
            continue;
        }
        let textures = avatar.map(|avatar| avatar.texture_memory).or(live2d.map(|look| look.texture_memory));
        textures.into_iter().for_each(|memory| over(&code::X008, &budget.textures, memory, true, " of texture memory"));
        if let Some(avatar) = avatar {
            over(&code::X007, &budget.triangles, avatar.triangles as u64, false, " triangles");
            over(&code::X009, &budget.morphs, avatar.morph_memory, true, " of morph memory");
            over(&code::X009, &budget.morphs, avatar.morph_targets as u64, false, " morph targets");
        }
    }
}

/// X003, for a zip of so many bytes.
pub fn check_zip(budget: &Budget, bytes: u64, report: &mut Report) {
    report.findings.extend(judge(&code::X003, Place::default(), "the zip", &budget.pack, bytes, true, ""));
}

/// A finding when more is used than the bound. A bound on morphs speaks of bytes or of numbers, as it is written; every other one fits.
fn judge(code: &'static Code, place: Place, what: &str, bound: &str, used: u64, is_bytes: bool, of: &str) -> Option<Finding> {
    let Amount { number, is_bytes: in_bytes } = units::amount(bound).ok()?;
    let is_other = code == &code::X009 && in_bytes != is_bytes;
    if is_other || used <= number {
        return None;
    }
    let shown = |amount: u64| if is_bytes { units::bytes(amount) } else { units::grouped(amount) };
    let message = format!("{what} has {}{of}, {} more than its budget of {bound}", shown(used), shown(used - number));
    Some(Finding::new(code, place, message).hint(code.remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Tree;
    use crate::pack::facts::AvatarFacts;

    /// What a budget finds in a pack whose avatar has 9 MB, 70,001 triangles, 64 MB of textures and 20 morph targets in 5 MB.
    fn found(budget: Budget) -> Vec<String> {
        let model = r#"{ "avatar": "a.vrm", "motions": [{ "file": "wave.vrma" }] }"#;
        let files = [("companion-models/a/model.json", model), ("companion-models/a/a.vrm", ""), ("companion-models/a/wave.vrma", "")];
        let mut report = Report::default();
        let pack = Pack::read(Tree::from_memory(files), &mut report);
        let path = "companion-models/a/a.vrm".to_owned();
        let avatar = AvatarFacts {
            triangles: 70_001,
            texture_memory: 64_000_000,
            morph_targets: 20,
            morph_memory: 5_000_000,
            ..AvatarFacts::default()
        };
        let facts = Facts { avatars: BTreeMap::from([(path.clone(), avatar)]), ..Facts::default() };
        let mut report = Report::default();
        check(&budget, &pack, &facts, &BTreeMap::from([(path, 9_000_000)]), &mut report);
        check_zip(&budget, 40_000_001, &mut report);
        report.findings.iter().map(|f| format!("{} {}: {}", f.code.id, f.place.pointer, f.message)).collect()
    }

    #[test]
    fn each_bound_has_its_own_finding() {
        let budget = Budget {
            pack: "40MB".into(),
            avatar: "8MB".into(),
            triangles: "70k".into(),
            textures: "60 MB".into(),
            morphs: "19".into(),
            ..Budget::default()
        };
        let avatar = "the avatar companion-models/a/a.vrm has";
        let expected = [
            format!("X004 /avatar: {avatar} 9.0 MB, 1.0 MB more than its budget of 8MB"),
            format!("X008 /avatar: {avatar} 64.0 MB of texture memory, 4.0 MB more than its budget of 60 MB"),
            format!("X007 /avatar: {avatar} 70,001 triangles, 1 more than its budget of 70k"),
            format!("X009 /avatar: {avatar} 20 morph targets, 1 more than its budget of 19"),
            "X003 : the zip has 40.0 MB, 1 B more than its budget of 40MB".to_owned(),
        ];
        assert_eq!(found(budget), expected);
    }

    #[test]
    fn what_is_within_is_no_finding() {
        let none = Vec::<String>::new();
        assert_eq!(found(Budget::default()), none);
        let exact = Budget {
            pack: "40000001".into(),
            avatar: "9MB".into(),
            triangles: "70001".into(),
            textures: "64MB".into(),
            morphs: "20".into(),
            ..Budget::default()
        };
        assert_eq!(found(exact), none);
        assert_eq!(found(Budget { morphs: "5MB".into(), ..Budget::default() }), none);
        let memory = found(Budget { morphs: "4MB".into(), ..Budget::default() });
        assert!(memory[0].ends_with("5.0 MB of morph memory, 1.0 MB more than its budget of 4MB") && memory.len() == 1, "{memory:?}");
    }
}
