//! The pack as a whole: its folders and keys, and what lies in it that should not.

use super::manifest::{Kind, Manifest};
use super::{Facts, Pack, content};
use crate::disk::{self, Tree};
use crate::report::{Finding, Place, Report, Severity, code};
use crate::spelling;
use std::collections::BTreeMap;

/// Reads every `companion-<kind>/<key>/<kind>.json`. An empty file or a Git LFS pointer is left to rule P009.
pub(super) fn manifests(tree: &Tree, report: &mut Report) -> Vec<Manifest> {
    let mut manifests = Vec::new();
    for kind in Kind::ALL {
        for key in tree.folders(kind.folder()) {
            let path = format!("{}/{key}/{}", kind.folder(), kind.file_name());
            if tree.get(&path).is_none_or(|file| file.kind != disk::Kind::File) {
                continue;
            }
            match tree.read(&path) {
                Ok(bytes) if bytes.is_empty() || content::is_lfs_pointer(&bytes) => {
                    manifests.push(Manifest { kind, key: key.into(), path, text: String::new(), root: None });
                }
                Ok(bytes) => manifests.push(Manifest::parse(kind, key, &path, &bytes, report)),
                Err(error) => report.add(Finding::new(&code::Z002, Place::file(path), error.to_string()).hint(code::Z002.remedy)),
            }
        }
    }
    manifests
}

/// P003 to P005, P008 and P016 to P020.
pub(super) fn check(pack: &Pack, _: &Facts, report: &mut Report) {
    layout(pack, report);
    keys(pack, report);
    links(pack, report);
    leftovers(pack, report);
    unread_json(pack, report);
    match pack.readme.as_deref() {
        Some("readme.md") => {}
        Some(other) => {
            let message = format!("the readme is called {other}, not readme.md");
            report.add(Finding::new(&code::P016, Place::file(other), message).hint("Rename it to readme.md."));
        }
        None => report.add(Finding::new(&code::P016, Place::default(), "there is no readme.md at the root").hint(code::P016.remedy)),
    }
    if pack.manifests.is_empty() && Kind::ALL.iter().all(|kind| pack.tree.folders(kind.folder()).next().is_none()) {
        let mut finding = Finding::new(&code::P017, Place::default(), "there is nothing to publish").hint(code::P017.remedy);
        let has_pack = |folder: &&str| pack.tree.folders(folder).any(|inner| Kind::ALL.iter().any(|kind| kind.folder() == inner));
        if let Some(wrapper) = pack.tree.folders("").find(has_pack) {
            finding.hint = format!("The pack lies in the folder {wrapper}: give that one, or zip its contents and not the folder.");
        }
        report.add(finding);
    }
}

/// P003: every folder has the manifest of its kind, and nothing lies beside the folders.
fn layout(pack: &Pack, report: &mut Report) {
    let mut wrong = |path: &str, message: String, hint: String| {
        report.add(Finding::new(&code::P003, Place::file(path), message).hint(hint));
    };
    for folder in pack.tree.folders("") {
        let near = Kind::ALL.iter().map(|kind| kind.folder()).find(|f| spelling::distance(folder, f) <= 2);
        if let Some(near) = near.filter(|near| *near != folder) {
            wrong(folder, format!("no rule reads the folder {folder}"), format!("Rename it to {near}."));
        }
    }
    for kind in Kind::ALL {
        let (top, wanted) = (kind.folder(), kind.file_name());
        for path in pack.tree.under(top) {
            // A link there has its own rule (P008).
            let is_file = pack.tree.get(path).is_some_and(|file| file.kind == disk::Kind::File);
            if !is_file || path[top.len() + 1..].contains('/') || is_text(path) || is_leftover(pack, path) {
                continue;
            }
            wrong(path, format!("the file lies directly in {top}"), format!("Move it into the folder of a {}: {top}/<key>/.", kind.word()));
        }
        for key in pack.tree.folders(top) {
            let folder = format!("{top}/{key}");
            let has_own = pack.tree.get(&format!("{folder}/{wanted}")).is_some();
            let strangers: Vec<_> = Kind::ALL
                .into_iter()
                .filter(|other| *other != kind)
                .map(|other| (other, format!("{folder}/{}", other.file_name())))
                .filter(|(_, path)| pack.tree.get(path).is_some())
                .collect();
            for (other, path) in &strangers {
                let message = format!("the manifest of a {} lies in a folder of {top}", other.word());
                wrong(path, message, format!("Move it to {}/<key>/.", other.folder()));
            }
            if has_own || !strangers.is_empty() || pack.tree.under(&folder).all(is_litter) {
                continue;
            }
            let hint = if let Some(near) = pack.tree.find_folded(&format!("{folder}/{wanted}")) {
                format!("Rename {} to {wanted}.", &near[folder.len() + 1..])
            } else if let Some(deep) = pack.tree.under(&folder).find(|path| path.ends_with(&format!("/{wanted}"))) {
                format!("{deep} lies too deep: move its folder to {top}.")
            } else {
                format!("Add {wanted}, or move the folder out of {top}.")
            };
            wrong(&folder, format!("the folder has no {wanted}"), hint);
        }
    }
}

/// P004 and P005. Of a key that is not its own in lower case only that is said: the spelling would not mend it.
fn keys(pack: &Pack, report: &mut Report) {
    let mut shared: BTreeMap<String, Vec<&Manifest>> = BTreeMap::new();
    for manifest in &pack.manifests {
        shared.entry(spelling::fold(&manifest.key)).or_default().push(manifest);
    }
    for same in shared.values() {
        let [first, others @ ..] = same.as_slice() else { continue };
        let key = &first.key;
        for other in others {
            let message = format!("the key \"{}\" is used by {} and by {}", other.key, first.folder(), other.folder());
            report.add(Finding::new(&code::P004, Place::file(other.folder()), message).hint(code::P004.remedy));
        }
        if others.is_empty() && !spelling::is_key(key) {
            let message = format!("the key \"{key}\" is not 1 to 40 characters out of a-z, 0-9 and -");
            let hint = format!("Rename the folder to {}.", spelling::slug(key));
            report.add(Finding::new(&code::P005, Place::file(first.folder()), message).hint(hint));
        }
    }
}

/// P008.
fn links(pack: &Pack, report: &mut Report) {
    for (path, file) in pack.tree.files() {
        let what = match file.kind {
            disk::Kind::File | disk::Kind::Lost => continue,
            disk::Kind::Link => "is a symbolic link",
            disk::Kind::Special => "is a device, pipe or socket",
            disk::Kind::Unnameable => "has a name that is not valid UTF-8",
        };
        report.add(Finding::new(&code::P008, Place::file(path), format!("the file {what}")).hint(code::P008.remedy));
    }
}

/// P018: an error for what would ship, a note for what the settings leave out. Of what is left out, hidden files and the settings are not worth a word.
fn leftovers(pack: &Pack, report: &mut Report) {
    for (path, _) in pack.tree.files() {
        if is_leftover(pack, path) {
            let message = "a system or an editor left this file behind; the publish refuses it because no JSON names it";
            report.add(Finding::new(&code::P018, Place::file(path), message).hint("Remove it, or list it under [pack] ignore."));
        }
    }
    for path in pack.tree.ignored() {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if name == "pipeline.toml" || name.starts_with('.') && !is_litter(path) {
            continue;
        }
        let mut finding = Finding::new(&code::P018, Place::file(path.trim_end_matches('/')), "it is left out: [pack] ignore lists it");
        finding.severity = Severity::Note;
        report.add(finding);
    }
}

/// P020.
fn unread_json(pack: &Pack, report: &mut Report) {
    for (path, _) in pack.tree.files() {
        let parts: Vec<&str> = path.split('/').collect();
        let [top, key, rest @ ..] = parts.as_slice() else { continue };
        let in_pack = Kind::ALL.iter().any(|kind| kind.folder() == *top) && !rest.is_empty();
        if !in_pack || !has_ending(path, "json") || pack.mentioned.contains(path) || is_litter(path) {
            continue;
        }
        // A folder without a manifest is P003, and so is a manifest of another kind.
        let is_manifest = rest.len() == 1 && Kind::ALL.iter().any(|kind| kind.file_name() == rest[0]);
        if !is_manifest && pack.manifests.iter().any(|m| m.folder() == format!("{top}/{key}")) {
            report.add(Finding::new(&code::P020, Place::file(path), "no manifest names this JSON file").hint(code::P020.remedy));
        }
    }
}

/// True when the name ends in `.ending`, in any case.
pub(super) fn has_ending(path: &str, ending: &str) -> bool {
    ending_of(path).eq_ignore_ascii_case(ending)
}

/// What stands after the last dot of the file's name; empty when there is none.
pub(super) fn ending_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rfind('.').map_or("", |at| &name[at + 1..])
}

/// Text for people, which may lie anywhere and which no JSON need name.
pub(super) fn is_text(path: &str) -> bool {
    ["md", "txt"].iter().any(|ending| has_ending(path, ending))
}

/// What systems strew about, at any depth.
fn is_litter(path: &str) -> bool {
    path.split('/').any(|part| {
        part.starts_with("._") || [".DS_Store", "Thumbs.db", "desktop.ini", "__MACOSX"].iter().any(|name| part.eq_ignore_ascii_case(name))
    })
}

/// Litter, or an editor's source that no JSON names.
pub(super) fn is_leftover(pack: &Pack, path: &str) -> bool {
    const SOURCES: [&str; 7] = ["blend", "blend1", "psd", "cmo3", "can3", "vroid", "unitypackage"];
    is_litter(path) || SOURCES.iter().any(|ending| has_ending(path, ending)) && !pack.mentioned.contains(path)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{ATTACH, GLB, PNG, check, check_tree, pack};
    use super::*;

    #[test]
    fn folders_have_the_manifest_of_their_kind() {
        let model = b"{}".as_slice();
        assert_eq!(
            check(&[("companion-models/empty/note.txt", b"x"), ("companion-models/readme.txt", b"x")]),
            ["P003 error companion-models/empty#"]
        );
        assert_eq!(check(&[("companion-models/stray.glb", GLB)]), ["P003 error companion-models/stray.glb#"]);
        assert_eq!(check(&[("companion-items/item.json", model)]), ["P003 error companion-items/item.json#"]);
        // One fault, one finding: its files are not unreferenced on top.
        assert_eq!(
            check(&[("companion-items/hat/character.json", model), ("companion-items/hat/hat.glb", GLB)]),
            ["P003 error companion-items/hat/character.json#"]
        );
        assert_eq!(check(&[("companion-items/mug/model.json", model)]), ["P003 error companion-items/mug/model.json#"]);
        assert_eq!(check(&[("companion-models/group/fox/model.json", model)]), ["P003 error companion-models/group#"]);
        assert_eq!(check(&[("Companion-Model/readme.txt", b"x")]), ["P003 error Companion-Model#"]);
        assert_eq!(check(&[("other-capability/thing.json", b"not judged")]), Vec::<String>::new());
    }

    #[test]
    fn keys_are_unique_and_well_spelled() {
        let item = format!(r#"{{ "name": "M", "model": "m.glb", {ATTACH}"#);
        let item = item.as_bytes();
        let found = check(&[("companion-items/fox/item.json", item), ("companion-items/fox/m.glb", GLB)]);
        assert_eq!(found, ["P004 error companion-items/fox#"]);
        let found = check(&[("companion-items/FOX/item.json", item), ("companion-items/FOX/m.glb", GLB)]);
        assert_eq!(found, ["P004 error companion-items/FOX#"]);
        let found = check(&[("companion-items/Hat_1/item.json", item), ("companion-items/Hat_1/m.glb", GLB)]);
        assert_eq!(found, ["P005 error companion-items/Hat_1#"]);
    }

    #[test]
    fn what_is_left_over_is_named() -> Result<(), disk::Error> {
        let found = check(&[
            (".DS_Store", b"x"),
            ("__MACOSX/companion-models/._x.md", b"x"),
            ("companion-models/fox-model/fox.BLEND", b"x"),
            ("companion-models/fox-model/extra.json", b"{}"),
        ]);
        let expected = [
            "P018 error .DS_Store#",
            "P018 error __MACOSX/companion-models/._x.md#",
            "P018 error companion-models/fox-model/fox.BLEND#",
            "P020 note companion-models/fox-model/extra.json#",
        ];
        assert_eq!(found, expected);

        let folder = tempfile::tempdir().map_err(|source| disk::Error::Write { path: "temporary".into(), source })?;
        for (path, _) in pack(&[]).files() {
            disk::write_atomic(&folder.path().join(path), &pack(&[]).read(path)?)?;
        }
        for path in ["companion-models/fox-model/fox.psd", ".git/config", "pipeline.toml", "dist/fox.zip", "companion-models/.DS_Store"] {
            disk::write_atomic(&folder.path().join(path), b"x")?;
        }
        let ignore = disk::Ignore::new(&["*.psd", ".*", "pipeline.toml", "dist/"])?;
        let expected = ["P018 note companion-models/.DS_Store#", "P018 note companion-models/fox-model/fox.psd#", "P018 note dist#"];
        assert_eq!(check_tree(Tree::open(folder.path(), &ignore)?), expected);
        Ok(())
    }

    #[test]
    fn links_are_refused() {
        let thumb = "companion-models/fox-model/thumb.png";
        for kind in [disk::Kind::Link, disk::Kind::Special, disk::Kind::Unnameable] {
            let mut tree = pack(&[]);
            tree.set_kind(thumb, kind);
            assert_eq!(check_tree(tree), [format!("P008 error {thumb}#")]);
        }
    }

    #[test]
    fn an_empty_pack_says_so() {
        assert_eq!(check_tree(Tree::from_memory([("readme.md", "x")])), ["P017 note #"]);
        let wrapped = Tree::from_memory([("fox/companion-models/fox/model.json", "{}")]);
        let mut report = Report::default();
        Pack::read(wrapped, &mut report).check(&Facts::default(), &mut report);
        assert!(report.findings.iter().any(|f| f.code.id == "P017" && f.hint.contains("folder fox")));
        assert_eq!(check(&[("readme.md", b"-")]), ["P016 note #"]);
        assert_eq!(check(&[("readme.md", b"-"), ("README.md", b"x")]), ["P016 note README.md#"]);
        assert_eq!(check(&[("picture.png", PNG)]), ["P002 error picture.png#"]);
    }
}
