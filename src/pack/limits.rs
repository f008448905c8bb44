//! The sizes that the format allows.

use super::references::Kind;
use super::{Facts, Pack, manifest};
use crate::report::{Code, Finding, Place, Report, Severity, code};
use crate::units::grouped;
use std::collections::{BTreeMap, BTreeSet};

/// What a model.json may take as compact JSON, in bytes: 64 KB.
pub const MANIFEST_BYTES: u64 = 64 << 10;

/// From here on the fields that the platform adds to a stored model.json may take it over the limit.
const MANIFEST_WARNING_BYTES: u64 = 56 << 10;

/// About what the platform adds for each motion, in bytes.
const DERIVED_BYTES: u64 = 120;

/// What the package may have, in megabytes.
const PACKAGE: u64 = 256;

/// How the limits are read.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The bytes of the "MB" of the limits above which a file is refused. The format does not say which megabyte it means, so above the
    /// smaller one, 10^6, a file "may be refused".
    pub mega: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { mega: crate::units::MEGA }
    }
}

impl Limits {
    /// A finding when so many bytes are more than `megabytes` in either reading: a warning when only in the stricter one.
    fn judge(self, code: &'static Code, place: Place, what: &str, bytes: u64, megabytes: u64) -> Option<Finding> {
        let (refused, doubtful) = (megabytes * self.mega, megabytes * 1_000_000);
        if bytes <= refused.min(doubtful) {
            return None;
        }
        let is_refused = bytes > refused;
        let limit = if is_refused { refused } else { doubtful };
        let mut message = format!("{what} has {} bytes; {megabytes} MB are {}", grouped(bytes), grouped(limit));
        let mut severity = code.severity();
        if !is_refused {
            message += " if a megabyte is a million bytes, which the format does not say";
            severity = Severity::Warning;
        }
        let mut finding = Finding::new(code, place, message).hint(code.remedy);
        finding.severity = severity;
        Some(finding)
    }
}

/// P001, M005, M007, M009, N011, I005, I012 and H017, for the sizes that the files have or will have.
///
/// `sizes` are the bytes of every file that ships, by path; a file that is not in it is not judged.
pub fn check_sizes(pack: &Pack, sizes: &BTreeMap<String, u64>, limits: Limits, report: &mut Report) {
    let total: u64 = sizes.values().sum();
    if let Some(mut finding) = limits.judge(&code::P001, Place::default(), "the pack", total, PACKAGE) {
        let mut largest: Vec<_> = sizes.iter().collect();
        largest.sort_by_key(|(path, bytes)| (std::cmp::Reverse(**bytes), *path));
        let largest = largest.iter().take(3).map(|(path, bytes)| format!("{path} ({})", crate::units::bytes(**bytes)));
        finding.message += &format!("; the largest: {}", largest.collect::<Vec<_>>().join(", "));
        report.add(finding);
    }
    let mut done = BTreeSet::new();
    for reference in &pack.references {
        let (code, megabytes) = limit(reference.kind, pack.manifests[reference.manifest].kind);
        let Some((path, bytes)) = reference.target().and_then(|path| Some((path, *sizes.get(path)?))) else { continue };
        if done.insert((path, code.id)) {
            let what = format!("the {} {path}", reference.kind.word());
            report.findings.extend(limits.judge(code, reference.place.clone(), &what, bytes, megabytes));
        }
    }
}

/// P001 for the finished zip, `name` being how the report calls it.
pub fn check_zip(name: &str, bytes: u64, limits: Limits, report: &mut Report) {
    report.findings.extend(limits.judge(&code::P001, Place::file(name), "the zip", bytes, PACKAGE));
}

/// M015.
pub(super) fn check_manifests(pack: &Pack, _: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = &model.root else { continue };
        let bytes = root.compact_length(&model.text);
        let motions = root.list("motions").len() as u64;
        let stored = bytes + motions * DERIVED_BYTES;
        let mut finding = if bytes > MANIFEST_BYTES {
            let message = format!("as compact JSON it has {} bytes of {}", grouped(bytes), grouped(MANIFEST_BYTES));
            Finding::new(&code::M015, model.whole(), message)
        } else if stored > MANIFEST_WARNING_BYTES {
            let (bytes, most) = (grouped(bytes), grouped(MANIFEST_BYTES));
            let message = format!("as compact JSON it has {bytes} bytes of {most}, and the platform stores more than what is written");
            Finding::new(&code::M015, model.whole(), message)
        } else {
            continue;
        };
        if bytes <= MANIFEST_BYTES {
            finding.severity = Severity::Warning;
        }
        report.add(finding.hint(code::M015.remedy));
    }
}

/// The rule and the megabytes for what a manifest names.
fn limit(kind: Kind, manifest: manifest::Kind) -> (&'static Code, u64) {
    match (kind, manifest) {
        (Kind::Avatar, _) => (&code::M005, 100),
        (Kind::Clip, _) => (&code::N011, 32),
        (Kind::Background, _) => (&code::M009, 2),
        (Kind::ItemModel, _) => (&code::I005, 3),
        (Kind::Thumbnail, manifest::Kind::Model) => (&code::M007, 2),
        (Kind::Thumbnail, manifest::Kind::Item) => (&code::I012, 2),
        (Kind::Thumbnail, manifest::Kind::Character) => (&code::H017, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{PNG, check, lines, pack};
    use super::*;

    fn sized(changes: &[(&str, u64)], limits: Limits) -> Vec<String> {
        let item = br#"{ "name": "Mug", "model": "mug.glb", "thumbnail": "t.png" }"#;
        let character = br#"{ "look": "fox-model", "thumbnail": "t.png" }"#;
        let tree = pack(&[
            ("companion-items/mug/item.json", item),
            ("companion-items/mug/t.png", PNG),
            ("companion-characters/fox/character.json", character),
            ("companion-characters/fox/t.png", PNG),
        ]);
        let mut report = Report::default();
        let pack = Pack::read(tree, &mut report);
        let mut sizes = pack.tree.sizes();
        sizes.extend(changes.iter().map(|(path, bytes)| (path.to_string(), *bytes)));
        check_sizes(&pack, &sizes, limits, &mut report);
        lines(report)
    }

    #[test]
    fn limits_hold_in_both_readings_of_a_megabyte() {
        let cases = [
            ("companion-models/fox-model/fox.vrm", 100, "M005", "companion-models/fox-model/model.json#/avatar"),
            ("companion-models/fox-model/thumb.png", 2, "M007", "companion-models/fox-model/model.json#/thumbnail"),
            ("companion-models/fox-model/idle.vrma", 32, "N011", "companion-models/fox-model/model.json#/motions/0/id"),
            ("companion-items/mug/mug.glb", 3, "I005", "companion-items/mug/item.json#/model"),
            ("companion-items/mug/t.png", 2, "I012", "companion-items/mug/item.json#/thumbnail"),
            ("companion-characters/fox/t.png", 2, "H017", "companion-characters/fox/character.json#/thumbnail"),
        ];
        for (path, megabytes, code, place) in cases {
            let at = |bytes| sized(&[(path, bytes)], Limits::default());
            assert_eq!(at(megabytes * 1_000_000), Vec::<String>::new());
            assert_eq!(at(megabytes * 1_000_000 + 1), [format!("{code} warning {place}")]);
            assert_eq!(at(megabytes << 20), [format!("{code} warning {place}")]);
            assert_eq!(at((megabytes << 20) + 1), [format!("{code} error {place}")]);
            let decimal = Limits { mega: 1_000_000 };
            assert_eq!(sized(&[(path, megabytes * 1_000_000 + 1)], decimal), [format!("{code} error {place}")]);
        }
    }

    #[test]
    fn the_package_is_the_sum_of_its_files() {
        let parts = [("a.txt", 128 << 20), ("b.txt", 128 << 20)];
        assert_eq!(sized(&parts, Limits::default()), ["P001 error #"]);
        assert_eq!(sized(&[("a.txt", 256_000_000)], Limits::default()), ["P001 warning #"]);
        let mut report = Report::default();
        check_zip("fox.zip", 256 << 20, Limits::default(), &mut report);
        check_zip("fox.zip", (256 << 20) + 1, Limits::default(), &mut report);
        assert_eq!(lines(report), ["P001 error fox.zip#", "P001 warning fox.zip#"]);
    }

    #[test]
    fn the_manifest_is_measured_without_its_spaces() {
        let model = |length: usize, spaces: usize| {
            let start = r#"{"name":"Fox","avatar":"fox.vrm","thumbnail":"thumb.png","motions":[{"id":"file:idle.vrma","roles":["idle","gesture"],"name":"I","description":"a"},{"id":"file:talk.vrma","roles":["talkIdle"],"name":"T","description":"b"}],"description":""#;
            let text = format!("{start}{}\"{}}}", "x".repeat(length - start.len() - 2), " ".repeat(spaces));
            assert_eq!(text.len(), length + spaces);
            check(&[("companion-models/fox-model/model.json", text.as_bytes())])
        };
        let at = |severity: &str| vec![format!("M015 {severity} companion-models/fox-model/model.json#")];
        assert_eq!(model(57_344 - 2 * 120, 100_000), Vec::<String>::new());
        assert_eq!(model(57_344 - 2 * 120 + 1, 0), at("warning"));
        assert_eq!(model(65_536, 0), at("warning"));
        assert_eq!(model(65_537, 0), at("error"));
    }

    #[test]
    fn groups_digits() {
        assert_eq!((grouped(7), grouped(1_000), grouped(104_857_600)), ("7".into(), "1,000".into(), "104,857,600".into()));
    }
}
