//! The Live2D looks of a pack: their zips opened, and what the rules need to know of them.

use super::settings::Settings;
use crate::live2d::moc3::Moc;
use crate::live2d::motion::{Motion, Target};
use crate::live2d::repack::{self, Options, Repacked};
use crate::live2d::{self, Bundle};
use crate::pack::Pack;
use crate::pack::facts::{Live2dFacts, Live2dMotionFacts, ParameterFacts};
use crate::pack::references::Kind;
use crate::parallel::Budget;
use crate::report::{Finding, Report, Severity, code};
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// How much of its range a parameter may jump unseen where a loop starts again.
const JUMP: f64 = 0.02;
/// The end record of a zip and its longest comment, in bytes.
const END: usize = 22 + 0xffff;

/// True for a zip: it starts as one, or is no GLB and has an end record where zips have theirs.
pub fn is_zip(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(END)..];
    bytes.starts_with(b"PK\x03\x04") || !bytes.starts_with(b"glTF") && tail.windows(4).any(|four| four == b"PK\x05\x06")
}

/// Opens every zip that a model names as its avatar, one after the other; all that is wrong in them is reported.
pub fn facts(pack: &Pack, report: &mut Report) -> BTreeMap<String, Live2dFacts> {
    let avatars = pack.references.iter().filter(|reference| reference.kind == Kind::Avatar);
    let is_named_zip = |path: &&str| path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("zip"));
    let paths: BTreeSet<&str> = avatars.filter_map(|reference| reference.target()).filter(is_named_zip).collect();
    let mut facts = BTreeMap::new();
    for path in paths {
        // What is of another kind has a rule of its own.
        let Some(bytes) = pack.tree.read(path).ok().filter(|bytes| is_zip(bytes)) else { continue };
        if let Some(of) = live2d::open(&bytes, path, report).and_then(|bundle| of(&bundle)) {
            facts.insert(path.to_owned(), of);
        }
    }
    facts
}

/// `None` when the .moc3 is not sound, so that nothing more can be said.
fn of(bundle: &Bundle) -> Option<Live2dFacts> {
    let moc = bundle.moc.as_ref()?;
    let c = &moc.columns;
    let parameter = |index: usize| ParameterFacts {
        id: c.parameter_id[index].clone(),
        minimum: c.parameter_minimum[index].into(),
        maximum: c.parameter_maximum[index].into(),
    };
    let motion = |motion: &Motion| Live2dMotionFacts { duration_seconds: motion.duration, jumps: jumps(motion, moc) };
    Some(Live2dFacts {
        parameters: (0..c.parameter_id.len()).map(parameter).collect(),
        motions: bundle.motions.iter().map(|(path, own)| (path.clone(), motion(own))).collect(),
        folder: bundle.folder.clone(),
    })
}

/// Packs a look anew; `None` when it stays as it is: because nothing is gained, because the settings say so, or because something is wrong that packing
/// does not mend. `motions` are those that a model.json plays, by their path from the model's folder; `None` = all.
///
/// What is wrong with the zip is not reported.
pub fn repack(
    bytes: &Bytes,
    file: &str,
    motions: Option<&[String]>,
    settings: &Settings,
    pictures: &Budget,
    report: &mut Report,
) -> Option<Repacked> {
    let mut found = Report::default();
    let bundle = live2d::open(bytes, file, &mut found)?;
    // A name that differs in case or accents only is mended on the way.
    let is_mended = |finding: &Finding| finding.severity != Severity::Error || finding.code.id == code::L012.id;
    let is_sound = found.findings.iter().all(is_mended) && repack::is_whole(&bundle);
    if !settings.live2d.repack || !is_sound {
        return None;
    }
    let options = Options { effort: settings.live2d.effort, max_texture_size: settings.live2d.max_texture_size, motions, pictures };
    repack::repack(&bundle, bytes, file, options, report)
}

/// The parameters that end elsewhere than they start.
fn jumps(motion: &Motion, moc: &Moc) -> Vec<String> {
    let c = &moc.columns;
    let jumps = motion.curves.iter().filter(|curve| curve.target == Target::Parameter).filter(|curve| {
        moc.parameter(&curve.id).is_some_and(|index| {
            let range = f64::from(c.parameter_maximum[index]) - f64::from(c.parameter_minimum[index]);
            (curve.ends[1] - curve.ends[0]).abs() > JUMP * range
        })
    });
    jumps.map(|curve| curve.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zip_is_known_by_its_start_or_its_end() {
        assert!(is_zip(b"PK\x03\x04 cut off") && is_zip(b"before PK\x05\x06 and the rest"));
        assert!(!is_zip(b"glTF") && !is_zip(b""));
        assert!(!is_zip(&[b"PK\x05\x06".as_slice(), &[0; 70_000]].concat()));
    }
}
