//! What can be mended in a manifest for certain, without touching anything else of it.

use super::facts::Facts;
use super::manifest::{Kind, Manifest};
use super::references::Found;
use super::rewrite::{self, Change, Edits, Scope};
use super::{Pack, cloth, model};
use crate::gltf::names::sanitize;

/// The manifest with its names of nodes as three.js spells them, its names of files in the files' own case, its cloth chains in order around
/// the body, and without a byte-order mark; with what was changed. `None` when nothing is to be done.
pub fn mended(pack: &Pack, manifest: &Manifest, facts: &Facts) -> Option<(String, Vec<Change>)> {
    let mut edits = Edits::default();
    let mut changes = Vec::new();
    rewrite::strip_mark(manifest, &mut edits);
    let avatar = model::avatar_of(pack, manifest, facts);
    let names = |scope: Scope<'_>, written: &str| match scope {
        Scope::Avatar => avatar?.respelled(written).map(str::to_owned),
        Scope::Clip(_) => Some(sanitize(written)).filter(|name| name != written && !name.is_empty()),
    };
    for reference in pack.references_of(manifest) {
        if let Found::Misspelled(real) = &reference.found {
            changes.extend(rewrite::rename_file(pack, manifest, real, real, &mut edits));
        }
    }
    if manifest.kind == Kind::Model {
        changes.extend(rewrite::respell(manifest, &names, &mut edits));
        if let Some(avatar) = avatar {
            changes.extend(cloth::reorder(manifest, avatar, &mut edits));
        }
    }
    (!edits.is_empty()).then(|| (edits.apply(&manifest.text), changes))
}
