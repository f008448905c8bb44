//! What a pack's manifests say, as written, and the rules that they must keep.

mod archive;
mod avatars;
mod behaviour;
pub mod budget;
mod chains;
mod characters;
mod clips;
mod cloth;
mod content;
mod face;
pub mod facts;
mod format;
mod framing;
mod items;
mod live2d;
pub mod limits;
pub mod manifest;
pub mod mend;
mod model;
mod motions;
pub mod node;
mod outfits;
mod package;
pub mod references;
pub mod rewrite;
mod rig;
pub mod schema;
mod shape;
mod unnamed;

pub use archive::tree_from_zip;
pub use facts::Facts;
pub use format::{MOST_GESTURES, MOST_MOTIONS};
pub use manifest::{Kind, Manifest};
pub use motions::has_role;
pub use references::Reference;

use crate::disk::Tree;
use crate::report::Report;
use std::collections::BTreeSet;

/// A pack as it lies in a folder or a zip: its files, its manifests, and which file each of them names.
#[derive(Debug)]
pub struct Pack {
    /// All files that ship.
    pub tree: Tree,
    /// Models, then characters, then items, each by key; those whose text is not valid are among them, without a root.
    pub manifests: Vec<Manifest>,
    /// The path of the readme at the root, in whatever case it is written.
    pub readme: Option<String>,
    /// Every place of a manifest that names a file, in the order of the manifests and their texts.
    pub references: Vec<Reference>,
    /// Files that some text in some JSON of the pack names.
    mentioned: BTreeSet<String>,
    /// The part of `mentioned` that is named by JSON that is not a manifest.
    mentioned_elsewhere: BTreeSet<String>,
}

/// One area of the rule list.
type Rule = fn(&Pack, &Facts, &mut Report);

/// Every area, in the order of the rule list. A new one is one file and one line here.
const RULES: &[Rule] = &[
    package::check,
    references::check,
    unnamed::check,
    content::check,
    limits::check_manifests,
    model::check,
    framing::check,
    outfits::check,
    cloth::check,
    chains::check,
    face::check,
    motions::check,
    rig::check,
    clips::check,
    avatars::check,
    live2d::check,
    items::check,
    characters::check,
    behaviour::check,
];

impl Pack {
    /// Finds and reads the manifests of a pack. The findings are only about texts that cannot be read; [`Pack::check`] judges the rest.
    pub fn read(tree: Tree, report: &mut Report) -> Self {
        let manifests = package::manifests(&tree, report);
        let readme = tree.files().map(|(path, _)| path).find(|path| path.eq_ignore_ascii_case("readme.md")).map(String::from);
        let (mentioned, mentioned_elsewhere) = references::mentioned(&tree, &manifests);
        let references = references::gather(&tree, &manifests);
        Self { tree, manifests, readme, references, mentioned, mentioned_elsewhere }
    }

    /// Runs every rule but the sizes, which [`limits`] checks.
    pub fn check(&self, facts: &Facts, report: &mut Report) {
        for rule in RULES {
            rule(self, facts, report);
        }
    }

    /// The manifests of one kind, by key.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Manifest> {
        self.manifests.iter().filter(move |m| m.kind == kind)
    }

    /// The models, by key.
    pub fn models(&self) -> impl Iterator<Item = &Manifest> {
        self.of(Kind::Model)
    }

    /// The characters, by key.
    pub fn characters(&self) -> impl Iterator<Item = &Manifest> {
        self.of(Kind::Character)
    }

    /// The items, by key.
    pub fn items(&self) -> impl Iterator<Item = &Manifest> {
        self.of(Kind::Item)
    }

    /// The files that one manifest names, in the order of its text.
    pub fn references_of(&self, manifest: &Manifest) -> impl Iterator<Item = &Reference> {
        let path = manifest.path.clone();
        self.references.iter().filter(move |r| r.place.file == path)
    }

    /// Where a model names its avatar.
    pub fn avatar_of(&self, model: &Manifest) -> Option<&Reference> {
        self.references_of(model).find(|reference| reference.kind == references::Kind::Avatar)
    }

    /// True when JSON that is not a manifest names this file, so that it must keep its name.
    pub fn is_named_elsewhere(&self, path: &str) -> bool {
        self.mentioned_elsewhere.contains(path)
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Packs in memory for the tests of the rules.

    use super::*;

    /// A small file of each format, by its first bytes.
    pub const GLB: &[u8] = b"glTF\x02\0\0\0rest";
    pub const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";
    pub const JPEG: &[u8] = b"\xff\xd8\xff\xe0rest";

    /// The end of an item's manifest, so that nothing is missing in it.
    pub const ATTACH: &str = r#""attach": { "bone": "head", "position": [0, 0, 0], "rotation": [0, 0, 0] } }"#;
    const ITEM: &str =
        r#"{ "name": "Mug", "model": "mug.glb", "attach": { "bone": "head", "position": [0, 0, 0], "rotation": [0, 0, 0] } }"#;
    /// Advice that every small manifest of a test draws.
    const ADVICE: [&str; 5] = ["M002", "M026", "N040", "N041", "W002"];

    /// A whole pack without a fault; `replace` puts files in place of its own, or takes them away when they are empty.
    pub fn pack(replace: &[(&str, &[u8])]) -> Tree {
        let model = br#"{ "name": "Fox", "avatar": "fox.vrm", "thumbnail": "thumb.png", "motions": [
            { "id": "file:idle.vrma", "roles": ["idle"], "name": "Idle", "description": "Stands." },
            { "id": "file:talk.vrma", "roles": ["talkIdle", "gesture"], "name": "Talk", "description": "Talks." } ] }"#;
        let character = br#"{ "name": "Foxy", "vibe": "v", "soul": "s", "instructions": "i", "look": "fox-model" }"#;
        let item = ITEM.as_bytes();
        let mut files: std::collections::BTreeMap<String, Vec<u8>> = [
            ("readme.md", b"# Fox".as_slice()),
            ("companion-models/fox-model/model.json", model),
            ("companion-models/fox-model/fox.vrm", GLB),
            ("companion-models/fox-model/thumb.png", PNG),
            ("companion-models/fox-model/idle.vrma", GLB),
            ("companion-models/fox-model/talk.vrma", GLB),
            ("companion-characters/fox/character.json", character),
            ("companion-items/mug/item.json", item),
            ("companion-items/mug/mug.glb", GLB),
        ]
        .map(|(path, bytes)| (path.to_string(), bytes.to_vec()))
        .into();
        for (path, bytes) in replace {
            match *bytes {
                b"-" => files.remove(*path),
                bytes => files.insert(path.to_string(), bytes.to_vec()),
            };
        }
        Tree::from_memory(files)
    }

    /// Reads and checks a pack: `CODE severity file#pointer` of each finding, sorted.
    pub fn check_tree(tree: Tree) -> Vec<String> {
        let mut report = Report::default();
        Pack::read(tree, &mut report).check(&Facts::default(), &mut report);
        lines(report)
    }

    /// As [`check_tree`], of [`pack`].
    pub fn check(replace: &[(&str, &[u8])]) -> Vec<String> {
        check_tree(pack(replace))
    }

    /// `CODE severity file#pointer` of each finding, sorted by code and place; without the advice that every small manifest draws.
    pub fn lines(mut report: Report) -> Vec<String> {
        report.sort();
        let findings = report.findings.iter().filter(|f| !ADVICE.contains(&f.code.id));
        let mut lines: Vec<String> =
            findings.map(|f| format!("{} {} {}#{}", f.code.id, f.severity.word(), f.place.file, f.place.pointer)).collect();
        lines.sort();
        lines
    }

    #[test]
    fn a_good_pack_has_no_findings() {
        assert_eq!(check(&[]), Vec::<String>::new());
        let mut report = Report::default();
        let pack = Pack::read(pack(&[]), &mut report);
        assert_eq!((pack.models().count(), pack.characters().count(), pack.items().count()), (1, 1, 1));
        assert_eq!(pack.readme.as_deref(), Some("readme.md"));
    }
}
