//! The Live2D looks of a pack: their zips opened, and what the rules need to know of them.

use super::Desk;
use crate::codec::zip::{self, Limits};
use crate::live2d::Bundle;
use crate::live2d::bundle::Texture;
use crate::live2d::head::{self, Span};
use crate::live2d::moc3::Moc;
use crate::live2d::motion::{Motion, Target};
use crate::live2d::repack::{self, Options};
use crate::pack::facts::{Live2dFacts, Live2dMotionFacts, ParameterFacts};
use crate::pack::references::Kind;
use crate::report::{Finding, Report, Severity, code};
use bytes::Bytes;

/// How much of its range a parameter may jump unseen where a loop starts again.
const JUMP: f64 = 0.02;
/// The end record of a zip and its longest comment, in bytes.
const END: usize = 22 + 0xffff;

/// True for a zip: it starts as one, or is no GLB and has an end record where zips have theirs.
pub fn is_zip(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(END)..];
    bytes.starts_with(b"PK\x03\x04") || !bytes.starts_with(b"glTF") && tail.windows(4).any(|four| four == b"PK\x05\x06")
}

/// True for a zip that holds a Live2D model, at least by its names.
pub fn has_model(bytes: &[u8]) -> bool {
    let archive = zip::read(bytes, &Limits::LIVE2D);
    archive.entries.iter().any(|entry| entry.name.to_ascii_lowercase().ends_with(".model3.json"))
}

/// True for a zip that a model names as its avatar; what is of another kind has a rule of its own.
pub fn is_look(path: &str, kind: Kind, bytes: &[u8]) -> bool {
    let is_named_zip = path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("zip"));
    kind == Kind::Avatar && is_named_zip && is_zip(bytes)
}

/// What the rules need to know of a look. `None` when the .moc3 is not sound, so that nothing more can be said.
pub fn facts(bundle: &Bundle) -> Option<Live2dFacts> {
    let moc = bundle.moc.as_ref()?;
    let c = &moc.columns;
    let parameter = |index: usize| ParameterFacts {
        id: c.parameter_id[index].clone(),
        minimum: c.parameter_minimum[index].into(),
        maximum: c.parameter_maximum[index].into(),
    };
    let motion = |motion: &Motion| Live2dMotionFacts { duration_seconds: motion.duration, jumps: jumps(motion, moc) };
    let measured = head::measure(moc);
    let heights = |span: Span| [1.0 - span.bottom, 1.0 - span.top];
    let area = bundle.model.hit_areas.iter().find(|area| area.is_head()).and_then(|area| moc.mesh(&area.id));
    Some(Live2dFacts {
        parameters: (0..c.parameter_id.len()).map(parameter).collect(),
        motions: bundle.motions.iter().map(|(path, own)| (path.clone(), motion(own))).collect(),
        folder: bundle.folder.clone(),
        head: measured.head.map(heights),
        head_area: area.and_then(|mesh| *measured.drawables.get(mesh)?).map(heights),
        backgrounds: measured.backgrounds.iter().map(|mesh| c.mesh_id[*mesh].clone()).collect(),
        texture_memory: bundle.textures.iter().map(Texture::memory).sum(),
    })
}

/// A look as it lies in the pack.
pub struct Source<'a> {
    /// What was understood of it.
    pub bundle: &'a Bundle<'a>,
    /// The zip.
    pub bytes: &'a Bytes,
    /// How the report calls it.
    pub file: &'a str,
    /// What is wrong with it.
    pub faults: &'a Report,
}

impl Source<'_> {
    /// Packs it anew; `None` when it stays as it is: because nothing is gained, because the settings say so, or because something is wrong that packing
    /// does not mend. `motions` are those that a model.json plays, by their path from the model's folder; `None` = all.
    pub fn repack(&self, motions: Option<&[String]>, desk: Desk, report: &mut Report) -> Option<Bytes> {
        let settings = desk.settings;
        // A name that differs in case or accents only is mended on the way.
        let is_mended = |finding: &Finding| finding.severity != Severity::Error || finding.code.id == code::L012.id;
        let is_sound = self.faults.findings.iter().all(is_mended) && repack::is_whole(self.bundle);
        if !settings.live2d.repack || !is_sound {
            return None;
        }
        let options = Options {
            effort: settings.live2d.effort,
            max_texture_size: settings.live2d.max_texture_size,
            motions,
            pictures: desk.pictures,
            cache: desk.cache,
        };
        repack::repack(self.bundle, self.bytes, self.file, options, report)
    }
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
