//! `shrink IN OUT`: one avatar, item, clip or look.

use super::outcome::File;
use super::{Desk, Finished, Run, ShrinkFileJob, facts, live2d, shown};
use crate::clip::Clip;
use crate::disk;
use crate::disk::cache::Recipe;
use crate::parallel::{self, Budget};
use crate::report::{Finding, Place, Report, code};
use crate::shrink::{self, Role, Shrunk};
use bytes::Bytes;
use std::path::Path;

/// The most bytes of input that are worked on at once; a larger file is done alone.
pub const ROOM: u64 = 192 << 20;

/// `shrink IN OUT`
pub fn file(job: &ShrinkFileJob, run: &Run) -> Finished {
    let (settings, mut report) = run.choices.settings(None);
    let mut finished = Finished::new("shrink");
    let pictures = Budget::new(settings.run.picture_pixels);
    let size = disk::size(&job.input).unwrap_or(0);
    run.progress.expect(1, size);
    let (done, findings) = one(&job.input, &job.output, false, Desk::new(&settings, &pictures, run), run.strict);
    run.progress.advance(size);
    report.merge(findings);
    let findings = finished.add(report, None, &settings, run.strict).to_vec();
    if let Some(file) = done {
        run.listener.file_done(&file, &findings);
        finished.outcome.files = Some(vec![file]);
    }
    finished
}

/// Shrinks one file and writes it; nothing is written when an error is left, nor, of a `found` one, when it is a zip of something else.
pub(super) fn one(input: &Path, output: &Path, found: bool, desk: Desk, strict: bool) -> (Option<File>, Report) {
    let name = shown(input);
    let mut report = Report::default();
    let bytes = match disk::read_file(input) {
        Ok(bytes) => bytes,
        Err(error) => {
            report.add(Finding::new(&code::Z002, Place::file(name), error.to_string()).hint(code::Z002.remedy));
            return (None, report);
        }
    };
    if disk::same_file(input, output) {
        let message = "the result would overwrite its source";
        report.add(Finding::new(&code::Z004, Place::file(name), message).hint(code::Z004.remedy));
        return (None, report);
    }
    let (result, findings) = parallel::guarded(
        || name.clone(),
        |report| {
            if live2d::is_zip(&bytes) {
                return if found && !live2d::has_model(&bytes) { None } else { look(&bytes, &name, desk, report) };
            }
            if Clip::is_fbx(&bytes) {
                return fbx(&bytes, &name, report);
            }
            shrink::shrink(&bytes, &name, Role::Model, desk.workshop(&desk.settings.shrink), report)
        },
    );
    report.merge(findings);
    // The verdict is the one that is shown: what the settings made an error stops the file too.
    let mut judged = report.clone();
    desk.settings.apply_severities(strict, &mut judged);
    let Some(shrunk) = result.flatten().filter(|_| !judged.has_errors()) else { return (None, report) };
    if let Err(error) = disk::write_if_changed(output, &shrunk.bytes) {
        report.add(Finding::new(&code::Z003, Place::file(shown(output)), error.to_string()).hint(code::Z003.remedy));
        return (None, report);
    }
    (Some(described(name, shown(output), &bytes, &shrunk)), report)
}

/// FBX clips ship as they are, once they were read.
fn fbx(bytes: &Bytes, name: &str, report: &mut Report) -> Option<Shrunk> {
    let mut container = Report::default();
    let clip = Clip::read(bytes, name, &mut container, report);
    report.merge(container);
    clip?;
    report.add(Finding::new(&code::S004, Place::file(name), "an FBX file stays as it is"));
    Some(Shrunk { bytes: bytes.clone(), names: Vec::new(), cached: false })
}

/// A Live2D look packed anew, or as it is when nothing is gained.
fn look(bytes: &Bytes, name: &str, desk: Desk, report: &mut Report) -> Option<Shrunk> {
    let recipe = || Recipe::new("look").and_data(&(name, &desk.settings.live2d)).and(bytes);
    let made = desk.cache.through(recipe, report, |report| {
        let repacked = repacked(bytes, name, desk, report)?;
        Some((repacked.is_some(), repacked.unwrap_or_default()))
    });
    let (is_smaller, repacked, cached) = made?;
    Some(Shrunk { bytes: if is_smaller { repacked } else { bytes.clone() }, names: Vec::new(), cached })
}

/// `None` for what is no Live2D model, `Some(None)` for one that stays as it is.
fn repacked(bytes: &Bytes, name: &str, desk: Desk, report: &mut Report) -> Option<Option<Bytes>> {
    let mut faults = Report::default();
    let bundle = crate::live2d::open(bytes, name, &mut faults);
    let source = bundle.as_ref().map(|bundle| live2d::Source { bundle, bytes, file: name, faults: &faults });
    let repacked = source.and_then(|source| source.repack(None, desk, report));
    // Names are written as the model spells them.
    let is_mended = |finding: &Finding| repacked.is_some() && finding.code.id == code::L012.id;
    let is_model = bundle.is_some();
    for finding in faults.findings {
        report.add(if is_mended(&finding) { finding.fixed() } else { finding });
    }
    is_model.then_some(repacked)
}

fn described(path: String, output: String, source: &Bytes, shrunk: &shrink::Shrunk) -> File {
    let (before, after) = (facts::sizes(source), facts::sizes(&shrunk.bytes));
    File {
        path,
        output: Some(output),
        bytes: shrunk.bytes.len() as u64,
        source_bytes: Some(source.len() as u64),
        texture_bytes: after.map(|sizes| sizes.textures),
        geometry_bytes: after.map(|sizes| sizes.geometry()),
        source_texture_bytes: before.map(|sizes| sizes.textures),
        source_geometry_bytes: before.map(|sizes| sizes.geometry()),
        cached: Some(shrunk.cached),
        ..File::default()
    }
}
