//! What is otherwise than in the pack that was published before.

use super::{outcome, shown};
use crate::disk;
use crate::pack::{Pack, manifest};
use crate::report::{Finding, Place, Report, code};
use crate::units;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The pack that was published before.
pub struct Previous {
    pack: Pack,
    /// Bytes of the zip.
    bytes: u64,
}

impl Previous {
    /// Opens its zip: the file, or the one of the name `stem` in the folder; a folder need not hold one, for a pack that is new.
    pub fn open(path: &Path, stem: &str, report: &mut Report) -> Option<Self> {
        let in_folder = path.join(format!("{stem}.zip"));
        let path = match disk::is_folder(path) {
            true if !disk::exists(&in_folder) => return None,
            true => &in_folder,
            false => path,
        };
        let bytes = super::read(path, report)?;
        let mut silent = Report::default();
        let Some(tree) = crate::pack::tree_from_zip(&shown(path), &bytes, &mut silent) else {
            report.merge(silent);
            return None;
        };
        Some(Self { pack: Pack::read(tree, &mut silent), bytes: bytes.len() as u64 })
    }

    /// P019: looks, outfits, characters and items that it had and this pack has not.
    pub fn judge(&self, pack: &Pack, report: &mut Report) {
        for (word, key) in keys(&self.pack).difference(&keys(pack)) {
            let message = format!("the {word} {key} of the last published pack is not in this one");
            report.add(Finding::new(&code::P019, Place::default(), message).hint(code::P019.remedy));
        }
    }

    /// Puts the sizes that it had beside those of what ships, and says which files vanished (X010) and which grew (X011).
    pub fn compare(&self, pack: &mut outcome::Pack, report: &mut Report) {
        let mut before: BTreeMap<String, u64> = self.pack.tree.sizes();
        pack.previous_bytes = Some(self.bytes);
        for file in &mut pack.files {
            file.previous_bytes = before.remove(&file.path);
            let Some(earlier) = file.previous_bytes.filter(|&earlier| file.bytes > earlier) else { continue };
            let grown = units::bytes(file.bytes - earlier);
            let change = units::change(earlier, file.bytes);
            let message = format!(
                "{} where the last published pack has {}: {grown} more ({change})",
                units::bytes(file.bytes),
                units::bytes(earlier)
            );
            report.add(Finding::new(&code::X011, Place::file(&file.path), message).hint(code::X011.remedy));
        }
        for (path, bytes) in &before {
            let message = format!("{path} ({}) of the last published pack is not in this one", units::bytes(*bytes));
            report.add(Finding::new(&code::X010, Place::default(), message).hint(code::X010.remedy));
        }
        pack.vanished = Some(before.into_keys().collect());
    }
}

/// What a pack offers: a word for what it is, and its key.
fn keys(pack: &Pack) -> BTreeSet<(&'static str, String)> {
    let mut keys = BTreeSet::new();
    for manifest in &pack.manifests {
        let word = match manifest.kind {
            manifest::Kind::Model => "look",
            manifest::Kind::Item => "item",
            manifest::Kind::Character => "character",
        };
        keys.insert((word, manifest.key.clone()));
        for outfit in manifest.root.iter().flat_map(|root| root.list("outfits")) {
            if let Some(key) = outfit.get("key").and_then(|key| key.as_str()) {
                keys.insert(("outfit", format!("{} of look {}", key, manifest.key)));
            }
        }
    }
    keys
}
