//! Which files the manifests name, and which files nobody names.

use super::content::{ending_rule, has_right_ending};
use super::manifest::{self, Manifest};
use super::model::body;
use super::node::Node;
use super::package::has_ending;
use super::shape::Body;
use super::{Facts, Pack};
use crate::disk::Tree;
use crate::report::nearest::nearest;
use crate::report::{Finding, Place, Report, code};
use crate::spelling;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// JSON of other capabilities is not searched for names beyond this size, in bytes.
const LARGEST_JSON: u64 = 64 << 20;

/// What a manifest names a file as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The avatar of a model.
    Avatar,
    /// The clip of a motion.
    Clip,
    /// The thumbnail of a model, character or item.
    Thumbnail,
    /// The background of a model.
    Background,
    /// The model of an item.
    ItemModel,
}

impl Kind {
    /// As a message calls it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Avatar => "avatar",
            Self::Clip => "clip",
            Self::Thumbnail => "thumbnail",
            Self::Background => "background",
            Self::ItemModel => "item model",
        }
    }

    /// The members of a manifest that name a file.
    pub(super) fn fields(manifest: manifest::Kind) -> &'static [(&'static str, Self)] {
        match manifest {
            manifest::Kind::Model => &[("avatar", Self::Avatar), ("thumbnail", Self::Thumbnail), ("background", Self::Background)],
            manifest::Kind::Character => &[("thumbnail", Self::Thumbnail)],
            manifest::Kind::Item => &[("model", Self::ItemModel), ("thumbnail", Self::Thumbnail)],
        }
    }

    /// True for what a manifest cannot do without.
    pub(super) fn is_needed(self) -> bool {
        matches!(self, Self::Avatar | Self::ItemModel)
    }
}

/// Whether the named file is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Under exactly this name.
    Exact,
    /// Only under this path, which differs in case or in the Unicode form of its accents.
    Misspelled(String),
    /// Not at all.
    Missing,
    /// The path is not a plain one inside the folder; the text says why.
    NotPlain(&'static str),
}

/// A place of a manifest that names a file.
#[derive(Debug, Clone)]
pub struct Reference {
    /// Index into [`Pack::manifests`].
    pub manifest: usize,
    /// Where the text stands.
    pub place: Place,
    /// The bytes of the text in the manifest, quotes included.
    pub range: Range<usize>,
    /// The path as written, without the `file:` of a motion.
    pub written: String,
    /// The path in the pack that it stands for, whether or not there is such a file.
    pub path: String,
    /// What the file is named as.
    pub kind: Kind,
    /// Whether it is there.
    pub found: Found,
}

impl Reference {
    /// The file that is meant, when there is one: of exactly this name, or of one that differs in case or Unicode form only.
    pub fn target(&self) -> Option<&str> {
        match &self.found {
            Found::Exact => Some(&self.path),
            Found::Misspelled(path) => Some(path),
            _ => None,
        }
    }

    /// True when its name ends as a file of its kind may, in any case.
    pub fn has_right_ending(&self) -> bool {
        has_right_ending(self.kind, &self.written)
    }
}

/// Every place of the manifests that names a file. A value of a wrong type names none; its own rule speaks of it.
pub(super) fn gather(tree: &Tree, manifests: &[Manifest]) -> Vec<Reference> {
    let folded: BTreeMap<String, &str> = tree.files().map(|(path, _)| (spelling::fold(path), path)).collect();
    let mut references = Vec::new();
    for (index, manifest) in manifests.iter().enumerate() {
        let Some(root) = &manifest.root else { continue };
        let mut add = |node: &Node, written: &str, kind: Kind| {
            let path = format!("{}/{written}", manifest.folder());
            let found = match not_plain(written) {
                Some(reason) => Found::NotPlain(reason),
                None if tree.get(&path).is_some() => Found::Exact,
                None => match folded.get(&spelling::fold(&path)) {
                    Some(near) => Found::Misspelled(near.to_string()),
                    None => Found::Missing,
                },
            };
            let (place, range) = (manifest.place(node), node.range.clone());
            references.push(Reference { manifest: index, place, range, written: written.into(), path, kind, found });
        };
        for (key, kind) in Kind::fields(manifest.kind) {
            // An empty avatar or item model is as good as none, which has a rule of its own.
            if let Some(node) = root.get(key)
                && let Some(written) = node.as_str()
                && !(kind.is_needed() && written.is_empty())
            {
                add(node, written, *kind);
            }
        }
        if manifest.kind == manifest::Kind::Model {
            for motion in root.list("motions") {
                if let Some(id) = motion.get("id")
                    && let Some(written) = id.as_str().and_then(|id| id.strip_prefix("file:"))
                {
                    add(id, written, Kind::Clip);
                }
            }
        }
    }
    references
}

/// Why a path as written is not a plain relative one with forward slashes, if so.
pub(super) fn not_plain(path: &str) -> Option<&'static str> {
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if path.is_empty() {
        Some("is empty")
    } else if path.contains("://") {
        Some("is a web address")
    } else if path.starts_with('/') {
        Some("starts at a root")
    } else if drive {
        Some("starts with a drive letter")
    } else if path.contains('\\') {
        Some("holds a backslash")
    } else if path.chars().any(char::is_control) {
        Some("holds a control character")
    } else if path.split('/').any(|step| step == "..") {
        Some("leaves the folder of the manifest")
    } else if path.split('/').any(|step| step.is_empty() || step == ".") {
        Some("holds an empty step or a dot step")
    } else {
        None
    }
}

/// All files that a text in any JSON of the pack names, relative to that JSON's folder; and those of them that are named by JSON that is no manifest.
pub(super) fn mentioned(tree: &Tree, manifests: &[Manifest]) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut all, mut elsewhere) = (BTreeSet::new(), BTreeSet::new());
    let named = |folder: &str, text: &str| resolve(folder, text).filter(|path| tree.get(path).is_some());
    for manifest in manifests {
        if let Some(root) = &manifest.root {
            root.strings(&mut |_, text| all.extend(named(manifest.folder(), text)));
        }
    }
    let paths: BTreeSet<&str> = manifests.iter().map(|m| m.path.as_str()).collect();
    for (path, file) in tree.files() {
        if !has_ending(path, "json") || paths.contains(path) || file.size > LARGEST_JSON {
            continue;
        }
        let bytes = tree.read(path).unwrap_or_default();
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        if let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) {
            let folder = path.rfind('/').map_or("", |at| &path[..at]);
            texts(&value, &mut |text| elsewhere.extend(named(folder, text)));
        }
    }
    all.extend(elsewhere.iter().cloned());
    (all, elsewhere)
}

fn texts(value: &serde_json::Value, visit: &mut impl FnMut(&str)) {
    match value {
        serde_json::Value::String(text) => visit(text),
        serde_json::Value::Array(items) => items.iter().for_each(|item| texts(item, visit)),
        serde_json::Value::Object(members) => members.values().for_each(|member| texts(member, visit)),
        _ => {}
    }
}

/// The path in the pack that a text stands for when it is read as a relative path, with or without `file:`.
fn resolve(folder: &str, text: &str) -> Option<String> {
    let text = text.strip_prefix("file:").unwrap_or(text);
    if text.is_empty() || text.starts_with('/') {
        return None;
    }
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in text.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop()?;
            }
            step => steps.push(step),
        }
    }
    Some(steps.join("/"))
}

/// So many missing files are compared with all that are there; where more are missing, their names are not what is wrong.
const MOST_LOOKED_UP: usize = 200;

/// P006 and P007.
pub(super) fn check(pack: &Pack, _: &Facts, report: &mut Report) {
    let mut missing = 0;
    for reference in &pack.references {
        missing += usize::from(reference.found == Found::Missing);
        named_file(pack, reference, missing <= MOST_LOOKED_UP, report);
    }
}

/// With `looks_up`, a file that is missing is looked for among those that are there.
fn named_file(pack: &Pack, reference: &Reference, looks_up: bool, report: &mut Report) {
    let (word, written) = (reference.kind.word(), &reference.written);
    let folder = pack.manifests[reference.manifest].folder();
    let inside = |path: &str| path.strip_prefix(folder).map_or(path, |p| p.trim_start_matches('/')).to_string();
    match &reference.found {
        Found::Exact => {}
        Found::NotPlain(reason) => {
            let message = format!("the path of the {word}, \"{written}\", {reason}");
            report.add(Finding::new(&code::P006, reference.place.clone(), message).hint(code::P006.remedy));
        }
        Found::Misspelled(real) => {
            let real = inside(real);
            let message = format!("{word} \"{written}\" is not found; \"{real}\" differs {}", spelling::difference(written, &real));
            report.add(Finding::new(&code::P007, reference.place.clone(), message).hint(format!("Write \"{real}\", or rename the file.")));
        }
        // What does not end as it must has its own rule, and so has a clip of a Live2D look (N012).
        Found::Missing if ending_rule(reference.kind).is_some() && !reference.has_right_ending() => {}
        Found::Missing if reference.kind == Kind::Clip && body(&pack.manifests[reference.manifest]) == Some(Body::Live2d) => {}
        Found::Missing => {
            let is_ignored =
                |entry: &&String| entry.strip_suffix('/').map_or(**entry == reference.path, |_| reference.path.starts_with(*entry));
            let candidates: Vec<String> = pack.tree.under(folder).filter(|_| looks_up).map(inside).collect();
            let hint = if pack.tree.ignored().iter().any(|entry| is_ignored(&entry)) {
                "The file is there, but [pack] ignore leaves it out: rename it or change that list.".into()
            } else if let Some(near) = nearest(written, candidates.iter().map(String::as_str)) {
                format!("Did you mean \"{near}\"?")
            } else {
                code::P007.remedy.into()
            };
            report.add(Finding::new(&code::P007, reference.place.clone(), format!("{word} \"{written}\" is not found")).hint(hint));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{GLB, PNG, check, pack};
    use super::*;

    const MODEL: &str = "companion-models/fox-model/model.json";

    /// The good pack with another avatar, thumbnail and clip in its model.
    fn named(avatar: &str, thumbnail: &str, clip: &str) -> String {
        format!(
            r#"{{ "name": "Fox", "avatar": {avatar:?}, "thumbnail": {thumbnail:?}, "motions": [
            {{ "id": "file:idle.vrma", "roles": ["idle"], "name": "I", "description": "a" }},
            {{ "id": "file:{clip}", "roles": ["talkIdle", "gesture"], "name": "T", "description": "b" }} ], "description": "d" }}"#
        )
    }

    #[test]
    fn files_are_found_by_their_exact_name() {
        let mut report = Report::default();
        let pack = Pack::read(pack(&[]), &mut report);
        let all: Vec<_> = pack.references.iter().map(|r| (r.kind, r.place.pointer.as_str(), r.target().unwrap_or("-"))).collect();
        let expected = [
            (Kind::Avatar, "/avatar", "companion-models/fox-model/fox.vrm"),
            (Kind::Thumbnail, "/thumbnail", "companion-models/fox-model/thumb.png"),
            (Kind::Clip, "/motions/0/id", "companion-models/fox-model/idle.vrma"),
            (Kind::Clip, "/motions/1/id", "companion-models/fox-model/talk.vrma"),
            (Kind::ItemModel, "/model", "companion-items/mug/mug.glb"),
        ];
        assert_eq!(all, expected);
        let text = &pack.manifests[0].text;
        assert_eq!(&text[pack.references[2].range.clone()], "\"file:idle.vrma\"");
    }

    #[test]
    fn missing_and_misspelled_files_are_one_finding_each() {
        let model = named("Fox.vrm", "thumb.png", "tolk.vrma");
        let mut report = Report::default();
        Pack::read(pack(&[(MODEL, model.as_bytes())]), &mut report).check(&Facts::default(), &mut report);
        let named = report.findings.iter().filter(|f| f.code.id.starts_with('P'));
        let found: Vec<_> = named.map(|f| (f.code.id, f.place.pointer.as_str(), f.hint.as_str())).collect();
        assert_eq!(found[0], ("P007", "/avatar", "Write \"fox.vrm\", or rename the file."));
        assert_eq!(found[1], ("P007", "/motions/1/id", "Did you mean \"talk.vrma\"?"));
        assert_eq!(found.len(), 2);
        assert!(report.findings[0].message.contains("upper and lower case"));
    }

    #[test]
    fn paths_stay_in_their_folder() {
        for path in
            ["/fox.vrm", "../fox-model/fox.vrm", "C:fox.vrm", "a\\\\fox.vrm", "a//fox.vrm", "./fox.vrm", "http://x/fox.vrm", "fox.vrm/"]
        {
            let model = named("fox.vrm", "thumb.png", "talk.vrma").replace("\"fox.vrm\"", &format!("\"{path}\""));
            let found = check(&[(MODEL, model.as_bytes())]);
            assert!(found.contains(&format!("P006 error {MODEL}#/avatar")), "{path} {found:?}");
        }
        assert_eq!(not_plain("sub/clip.vrma"), None);
        assert_eq!(not_plain("a..b/.hidden"), None);
        assert_eq!(not_plain("a\u{7}"), Some("holds a control character"));
    }

    #[test]
    fn every_binary_is_named_by_some_json() {
        assert_eq!(check(&[("companion-models/fox-model/extra.vrma", GLB)]), ["P002 error companion-models/fox-model/extra.vrma#"]);
        assert_eq!(check(&[("companion-models/fox-model/licence.txt", b"x"), ("other/notes.md", b"x")]), Vec::<String>::new());
        // JSON of another capability counts, and is not judged.
        let other = [("tools/t/tool.json", b"[{\"icon\": \"img/../icon.png\"}]".as_slice()), ("tools/t/icon.png", PNG)];
        assert_eq!(check(&other), Vec::<String>::new());
        let mut report = Report::default();
        let pack = Pack::read(pack(&other), &mut report);
        assert!(pack.is_named_elsewhere("tools/t/icon.png") && !pack.is_named_elsewhere("companion-items/mug/mug.glb"));
        // A broken manifest is one fault, not one for each file beside it.
        let found = check(&[(MODEL, b"{ broken")]);
        assert_eq!(found, [format!("P011 error {MODEL}#")]);
    }
}
