//! Changes to a manifest that leave everything else as its author formatted it.

use super::manifest::{Kind, Manifest};
use super::node::Node;
use super::{Pack, references};
use crate::report::Place;
use std::collections::BTreeMap;
use std::ops::Range;

/// Whose nodes a text in a model.json names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    /// The avatar's.
    Avatar,
    /// Those of the clip at this path in the pack.
    Clip(&'a str),
}

/// One text that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where it stands in the text as it was written.
    pub place: Place,
    /// What it said.
    pub was: String,
    /// What it says now.
    pub is: String,
}

/// Changes to one text that do not touch each other, so that several sources of changes compose.
#[derive(Debug, Clone, Default)]
pub struct Edits {
    /// Start to end and new text.
    changes: BTreeMap<usize, (usize, String)>,
}

impl Edits {
    /// Puts `new` in place of the bytes `range`. False, and nothing is changed, when an earlier change has some of these bytes.
    pub fn replace(&mut self, range: Range<usize>, new: impl Into<String>) -> bool {
        let before = self.changes.range(..=range.start).next_back();
        let touches_before = before.is_some_and(|(start, (end, _))| *end > range.start || *start == range.start);
        let touches_after = self.changes.range(range.start..).next().is_some_and(|(start, _)| *start < range.end);
        if touches_before || touches_after || range.start > range.end {
            return false;
        }
        self.changes.insert(range.start, (range.end, new.into()));
        true
    }

    /// True when nothing is to be changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The text with all changes made. A change whose bytes are not in the text, or that would split a character, is left out.
    pub fn apply(&self, text: &str) -> String {
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for (start, (end, new)) in &self.changes {
            if let Some(kept) = text.get(done..*start)
                && text.get(*start..*end).is_some()
            {
                out += kept;
                out += new;
                done = *end;
            }
        }
        out += text.get(done..).unwrap_or_default();
        out
    }
}

/// Takes the byte-order mark away. True when there was one.
pub fn strip_mark(manifest: &Manifest, edits: &mut Edits) -> bool {
    manifest.mark_length() > 0 && edits.replace(0..manifest.mark_length(), "")
}

/// Gives every name of a node in a `model.json` the spelling that `names` wants, and says what was changed.
///
/// `names` answers with the new spelling of a name as written, or with `None` when it is right. It is asked for the parts of outfits (`meshes`, and
/// `mesh` in `shapes`), the chains of `cloth`, the jaw bone and the look's `rig`, all of the avatar; and for the `rig` of a motion, whose names are
/// those of its clip. Materials, shapes and motion ids are never names of nodes.
pub fn respell(manifest: &Manifest, names: &dyn Fn(Scope<'_>, &str) -> Option<String>, edits: &mut Edits) -> Vec<Change> {
    let mut changes = Vec::new();
    let Some(root) = manifest.root.as_ref().filter(|_| manifest.kind == Kind::Model) else { return changes };
    let mut ask = |scope: Scope<'_>, node: &Node| {
        if let Some(was) = node.as_str()
            && let Some(is) = names(scope, was).filter(|is| is != was)
        {
            changes.extend(exchange(manifest, node, &is, edits));
        }
    };
    for outfit in root.list("outfits") {
        outfit.list("meshes").iter().for_each(|name| ask(Scope::Avatar, name));
        outfit.list("shapes").iter().filter_map(|shape| shape.get("mesh")).for_each(|name| ask(Scope::Avatar, name));
        chains(outfit).for_each(|name| ask(Scope::Avatar, name));
    }
    chains(root).for_each(|name| ask(Scope::Avatar, name));
    root.at(&["face", "jawBone"]).into_iter().for_each(|name| ask(Scope::Avatar, name));
    bones(root).for_each(|name| ask(Scope::Avatar, name));
    for motion in root.list("motions") {
        let id = motion.get("id").and_then(Node::as_str).unwrap_or_default();
        let clip = id.strip_prefix("file:").filter(|path| references::not_plain(path).is_none());
        let clip = clip.map(|path| format!("{}/{path}", manifest.folder()));
        let scope = match &clip {
            Some(path) => Scope::Clip(path),
            None if id.starts_with("avatar:") => Scope::Avatar,
            None => continue,
        };
        bones(motion).for_each(|name| ask(scope, name));
    }
    changes.sort_by_key(|change| (change.place.line, change.place.column));
    changes
}

/// The chains of the cloth of a look or an outfit.
fn chains(owner: &Node) -> impl Iterator<Item = &Node> {
    owner.list("cloth").iter().flat_map(|piece| piece.list("chains"))
}

/// The names of nodes in the bone map of a look or a motion.
fn bones(owner: &Node) -> impl Iterator<Item = &Node> {
    owner.at(&["rig", "bones"]).into_iter().flat_map(|bones| bones.members()).map(|member| &member.value)
}

/// Makes every manifest place that names the file `old` name `new` instead; both are paths in the pack, in the folder of that manifest.
///
/// For one manifest of the pack: `edits` are changes to its text. A file that other JSON names as well ([`Pack::is_named_elsewhere`]) cannot be renamed
/// this way.
pub fn rename_file(pack: &Pack, manifest: &Manifest, old: &str, new: &str, edits: &mut Edits) -> Vec<Change> {
    let prefix = format!("{}/", manifest.folder());
    let (Some(root), Some(written)) = (&manifest.root, new.strip_prefix(&prefix)) else { return Vec::new() };
    let mut changes = Vec::new();
    for reference in pack.references_of(manifest).filter(|r| r.target() == Some(old)) {
        let mut found = None;
        root.strings(&mut |node, text| {
            if node.range == reference.range {
                found = Some((node, text.starts_with("file:")));
            }
        });
        if let Some((node, has_prefix)) = found {
            let is = if has_prefix { format!("file:{written}") } else { written.to_string() };
            changes.extend(exchange(manifest, node, &is, edits));
        }
    }
    changes
}

/// Puts a text in place of another one, escaped as JSON wants it. `None` when an earlier change has it.
pub(super) fn exchange(manifest: &Manifest, node: &Node, is: &str, edits: &mut Edits) -> Option<Change> {
    let quoted = serde_json::to_string(is).ok()?;
    let change = Change { place: manifest.place(node), was: node.as_str().unwrap_or_default().into(), is: is.into() };
    edits.replace(node.range.clone(), quoted).then_some(change)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{JPEG, pack};
    use super::*;
    use crate::report::Report;

    fn parse(text: &str) -> Manifest {
        let mut report = Report::default();
        let manifest = Manifest::parse(Kind::Model, "fox", "companion-models/fox/model.json", text.as_bytes(), &mut report);
        assert!(manifest.root.is_some(), "{:?}", report.findings);
        manifest
    }

    #[test]
    fn only_names_of_nodes_change_and_nothing_else_moves() {
        let text = r#"{ "name" : "A.B",
  "outfits": [ { "key": "a.b", "meshes": ["Top.001" , "Shoes"], "materials": ["Top.001"],
      "shapes": [{"mesh": "Body:1", "shape": "Top.001", "weight": 1.0}], "cloth": [ { "chains": ["Skirt.L", "Skirt_R"] } ] } ],
  "cloth": [ { "chains": [ "Cape.1" ] } ],  "face": { "jawBone": "J\u0061w.1", "blink": ["Top.001"] },
  "rig": { "version": 1, "bones": { "hips": "mix:Hips" } },
  "motions": [ { "id": "file:a.b/walk.1.fbx", "rig": { "bones": { "hips": "mix:Hips" } } },
    { "id": "avatar:Top.001", "rig": { "bones": { "head": "He\"ad" } } }, { "id": "file:../x", "rig": { "bones": { "head": "a.b" } } } ] }
"#;
        let manifest = parse(text);
        let names = |scope: Scope<'_>, name: &str| match scope {
            Scope::Avatar => Some(name.replace(['.', ':'], "").replace('"', "\\é")),
            Scope::Clip("companion-models/fox/a.b/walk.1.fbx") => Some("Clip".into()),
            Scope::Clip(other) => panic!("{other}"),
        };
        let mut edits = Edits::default();
        let changes = respell(&manifest, &names, &mut edits);
        let expected = text
            .replace(r#"["Top.001" , "#, r#"["Top001" , "#)
            .replace(r#""Body:1""#, r#""Body1""#)
            .replace("Skirt.L", "SkirtL")
            .replace("Cape.1", "Cape1")
            .replace(r"J\u0061w.1", "Jaw1")
            .replace(r#"1, "bones": { "hips": "mix:Hips""#, r#"1, "bones": { "hips": "mixHips""#)
            .replace(r#""rig": { "bones": { "hips": "mix:Hips""#, r#""rig": { "bones": { "hips": "Clip""#)
            .replace(r#""He\"ad""#, r#""He\\éad""#);
        assert_eq!(edits.apply(text), expected);
        let first = (changes[0].place.pointer.as_str(), changes[0].place.line, changes[0].was.as_str(), changes[0].is.as_str());
        assert_eq!(first, ("/outfits/0/meshes/0", 2, "Top.001", "Top001"));
        assert_eq!(changes.len(), 8);
        // A second time nothing is left to do.
        let mut again = Edits::default();
        respell(&parse(&expected), &|_, name| Some(name.into()), &mut again);
        assert!(again.is_empty());
    }

    #[test]
    fn files_are_renamed_where_a_manifest_names_them() {
        let mut report = Report::default();
        let model = "\u{feff}{ \"name\": \"thumb.png\", \"thumbnail\": \"Thumb.png\", \"background\": \"thumb.png\",\n \"motions\": [{\"id\": \"file:idle.vrma\"}] }";
        let tree = pack(&[("companion-models/fox-model/model.json", model.as_bytes()), ("companion-models/fox-model/b.jpg", JPEG)]);
        let pack = Pack::read(tree, &mut report);
        let manifest = &pack.manifests[0];
        let folder = "companion-models/fox-model";
        let mut edits = Edits::default();
        assert!(strip_mark(manifest, &mut edits));
        let changes = rename_file(&pack, manifest, &format!("{folder}/thumb.png"), &format!("{folder}/thumb.jpg"), &mut edits);
        assert_eq!(changes.iter().map(|c| c.place.pointer.as_str()).collect::<Vec<_>>(), ["/thumbnail", "/background"]);
        rename_file(&pack, manifest, &format!("{folder}/idle.vrma"), &format!("{folder}/idle.glb"), &mut edits);
        // What was changed once is not changed again, and a file cannot leave its folder.
        assert!(rename_file(&pack, manifest, &format!("{folder}/idle.vrma"), &format!("{folder}/x.glb"), &mut edits).is_empty());
        assert!(rename_file(&pack, manifest, &format!("{folder}/talk.vrma"), "companion-models/x.glb", &mut edits).is_empty());
        let expected = "{ \"name\": \"thumb.png\", \"thumbnail\": \"thumb.jpg\", \"background\": \"thumb.jpg\",\n \"motions\": [{\"id\": \"file:idle.glb\"}] }";
        assert_eq!(edits.apply(&manifest.text), expected);
    }

    #[test]
    fn edits_never_touch_each_other() {
        let mut edits = Edits::default();
        assert!(edits.is_empty() && edits.replace(4..6, "X"));
        for range in [4..6, 3..5, 5..7, 4..4, 0..9] {
            assert!(!edits.replace(range, "no"));
        }
        assert!(edits.replace(6..7, "") && edits.replace(0..1, "Long"));
        assert_eq!(edits.apply("abcdefgh"), "LongbcdXh");
        assert!(edits.replace(100..101, "beyond"));
        assert_eq!(edits.apply("abcdefgh"), "LongbcdXh");
    }
}
