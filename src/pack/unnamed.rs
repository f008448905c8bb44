//! Files that no JSON of the pack names.

use super::content::has_right_ending;
use super::format::MOST_MOTIONS;
use super::manifest::{self, Manifest};
use super::model::avatar_of;
use super::node::{Node, Type};
use super::package::{has_ending, is_leftover, is_text};
use super::references::{Kind, Reference};
use super::{Facts, Pack};
use crate::disk;
use crate::report::nearest::nearest;
use crate::report::{Finding, Place, Report, code};
use std::collections::BTreeSet;

/// How many files a look can name: its clips, its avatar and two pictures.
const MOST_NAMED: usize = MOST_MOTIONS + 3;

/// P002.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    let misspelled: BTreeSet<&str> = pack.references.iter().filter_map(Reference::target).collect();
    let mut unnamed: Vec<&str> = Vec::new();
    for (path, file) in pack.tree.files() {
        let is_named = pack.mentioned.contains(path) || misspelled.contains(path);
        let needs_name = file.kind == disk::Kind::File && !is_text(path) && !has_ending(path, "json") && !is_leftover(pack, path);
        if !is_named && needs_name && is_in_order(pack, path) {
            unnamed.push(path);
        }
    }
    for manifest in &pack.manifests {
        for (kind, written) in broken(pack, manifest, facts).into_iter().take(MOST_NAMED) {
            excuse(manifest.folder(), kind, written, &mut unnamed);
        }
    }
    for path in unnamed {
        report.add(Finding::new(&code::P002, Place::file(path), "no JSON file of the pack names this file").hint(code::P002.remedy));
    }
}

/// False below companion folders whose manifest is missing or not valid: there that is the fault, and nobody knows what it names.
fn is_in_order(pack: &Pack, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let is_companion = |top: &str| manifest::Kind::ALL.iter().any(|kind| kind.folder() == top);
    match parts.as_slice() {
        [top, key, _, ..] if is_companion(top) => {
            let folder = format!("{top}/{key}");
            pack.manifests.iter().any(|m| m.folder() == folder && m.root.is_some())
        }
        [top, _] => !is_companion(top),
        _ => true,
    }
}

/// What a manifest should name a file with and does not, as it is written: each has a finding of its own.
fn broken<'a>(pack: &'a Pack, manifest: &'a Manifest, facts: &Facts) -> Vec<(Kind, &'a str)> {
    let Some(root) = &manifest.root else { return Vec::new() };
    let is_lost = |reference: &&Reference| reference.target().is_none() || !reference.has_right_ending();
    let lost = pack.references_of(manifest).filter(is_lost);
    let mut broken: Vec<(Kind, &str)> = lost.map(|reference| (reference.kind, reference.written.as_str())).collect();
    for (key, kind) in Kind::fields(manifest.kind) {
        let is_broken = match root.get(key).map(Node::as_str) {
            None | Some(Some("")) => kind.is_needed(),
            Some(text) => text.is_none(),
        };
        if is_broken {
            broken.push((*kind, ""));
        }
    }
    if root.get("motions").is_some_and(|motions| motions.kind() != Type::List) {
        broken.extend(pack.tree.under(manifest.folder()).map(|_| (Kind::Clip, "")));
    }
    let (mut seen, avatar) = (BTreeSet::new(), avatar_of(pack, manifest, facts));
    for motion in root.list("motions") {
        let id = motion.get("id").and_then(Node::as_str).unwrap_or_default();
        let is_known = match id.split_once(':') {
            Some(("file", _)) => true,
            Some(("avatar", name)) => avatar.is_none_or(|avatar| avatar.animations.iter().any(|own| own == name)),
            _ => false,
        };
        if !is_known || !seen.insert(id) {
            broken.push((Kind::Clip, id.rsplit(':').next().unwrap_or_default()));
        }
    }
    broken
}

/// Takes out of `unnamed` the file of this folder that was most likely meant.
fn excuse(folder: &str, kind: Kind, written: &str, unnamed: &mut Vec<&str>) {
    let inside = |path: &str| path.strip_prefix(folder).and_then(|path| path.strip_prefix('/')).map(str::to_owned);
    let own: Vec<(usize, String)> = unnamed.iter().enumerate().filter_map(|(index, path)| Some((index, inside(path)?))).collect();
    let near = nearest(written, own.iter().map(|(_, path)| path.as_str()));
    let meant = own.iter().find(|(_, path)| near.map_or_else(|| has_right_ending(kind, path), |near| near == path));
    if let Some((index, _)) = meant {
        unnamed.remove(*index);
    }
}
