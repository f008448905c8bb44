//! `shrink`: one file, or every avatar, item and clip of a folder.

use super::outcome::{File, Finding as Shown};
use super::settings::Settings;
use super::{Finished, Run, Shard, ShrinkFileJob, ShrinkFolderJob, facts, live2d, shown};
use crate::disk::{self, Ignore, Tree};
use crate::parallel::{self, Budget};
use crate::report::{Finding, Place, Report, code};
use crate::shrink::{self, Role, Shrunk, Workshop};
use crate::vrm::refs::TABLE;
use bytes::Bytes;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::{Path, PathBuf};

/// Endings of files that a library is searched for.
const ENDINGS: [&str; 4] = ["vrm", "glb", "gltf", "vrma"];

/// The most bytes of input that are worked on at once in a batch.
const BATCH_BYTES: u64 = 192 << 20;
/// The most files of a batch for each thread.
const BATCH_FILES: usize = 16;

/// `shrink IN OUT`
pub fn file(job: &ShrinkFileJob, run: &Run) -> Finished {
    let (settings, mut report) = run.choices.settings(None);
    let mut finished = Finished::new("shrink");
    let pictures = Budget::new(settings.run.picture_pixels);
    run.progress.expect(1);
    let (done, findings) = one(&job.input, &job.output, &settings, &pictures, run);
    report.merge(findings);
    let findings = finished.add(report, None, &settings, run.strict).to_vec();
    if let Some(file) = done {
        run.listener.file_done(&file, &findings);
        finished.outcome.files = Some(vec![file]);
    }
    finished
}

/// Shrinks one file and writes it; nothing is written when an error is left.
fn one(input: &Path, output: &Path, settings: &Settings, pictures: &Budget, run: &Run) -> (Option<File>, Report) {
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
                return look(&bytes, &name, settings, pictures, report);
            }
            let workshop = Workshop { settings: &settings.shrink, table: &TABLE, pictures, progress: run.progress };
            shrink::shrink(&bytes, &name, Role::Model, workshop, report)
        },
    );
    report.merge(findings);
    // The verdict is the one that is shown: what the settings made an error stops the file too.
    let mut judged = report.clone();
    settings.apply_severities(run.strict, &mut judged);
    let Some(shrunk) = result.flatten().filter(|_| !judged.has_errors()) else { return (None, report) };
    if let Err(error) = disk::write_if_changed(output, &shrunk.bytes) {
        report.add(Finding::new(&code::Z003, Place::file(shown(output)), error.to_string()).hint(code::Z003.remedy));
        return (None, report);
    }
    (Some(described(name, shown(output), &bytes, &shrunk)), report)
}

/// A Live2D look packed anew, or as it is when nothing is gained.
fn look(bytes: &Bytes, name: &str, settings: &Settings, pictures: &Budget, report: &mut Report) -> Option<Shrunk> {
    let mut faults = Report::default();
    let bundle = crate::live2d::open(bytes, name, &mut faults);
    let source = bundle.as_ref().map(|bundle| live2d::Source { bundle, bytes, file: name, faults: &faults });
    let repacked = source.and_then(|source| source.repack(None, settings, pictures, report));
    // Names are written as the model spells them.
    let is_mended = |finding: &Finding| repacked.is_some() && finding.code.id == code::L012.id;
    let is_model = bundle.is_some();
    for finding in faults.findings {
        report.add(if is_mended(&finding) { finding.fixed() } else { finding });
    }
    let bytes = repacked.unwrap_or_else(|| bytes.clone());
    is_model.then_some(Shrunk { bytes, names: Vec::new() })
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
        ..File::default()
    }
}

/// `shrink DIR -o DIR`
pub fn folder(job: &ShrinkFolderJob, run: &Run) -> Finished {
    let (settings, mut report) = run.choices.settings(None);
    let mut finished = Finished::new("shrink");
    let pictures = Budget::new(settings.run.picture_pixels);
    let jobs = match plan(job) {
        Ok(jobs) => jobs,
        Err(finding) => {
            report.add(*finding);
            Vec::new()
        }
    };
    finished.add(report, None, &settings, run.strict);
    run.progress.expect(jobs.len());
    let mut files = Vec::new();
    for batch in batches(&jobs, |(_, _, size)| *size) {
        let (done, findings) = parallel::map(
            batch,
            |(input, _, _)| shown(input),
            |(input, output, _), _| {
                let (file, mut report) = one(input, output, &settings, &pictures, run);
                if let Some(file) = &file {
                    let mut judged = report.clone();
                    settings.apply_severities(run.strict, &mut judged);
                    let findings: Vec<Shown> = judged.findings.iter().map(Shown::from).collect();
                    run.listener.file_done(file, &findings);
                }
                report.sort();
                (file, report)
            },
        );
        finished.add(findings, None, &settings, run.strict);
        for (file, report) in done.into_iter().flatten() {
            finished.add(report, None, &settings, run.strict);
            files.extend(file);
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    finished
        .outcome
        .findings
        .sort_by(|a, b| (&a.file, a.line, a.column, &a.pointer, &a.code).cmp(&(&b.file, b.line, b.column, &b.pointer, &b.code)));
    finished.outcome.files = Some(files);
    finished
}

/// Input, output and size of each file.
type Planned = (PathBuf, PathBuf, u64);

/// The files to do, the largest first.
fn plan(job: &ShrinkFolderJob) -> Result<Vec<Planned>, Box<Finding>> {
    let fault = |code, place: &Path, message: String| Box::new(Finding::new(code, Place::file(shown(place)), message).hint(code.remedy));
    let tree = Tree::open(&job.input, &Ignore::nothing()).map_err(|error| fault(&code::Z002, &job.input, error.to_string()))?;
    let globs = |patterns: &[String]| -> Result<Option<GlobSet>, Box<Finding>> {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let glob = GlobBuilder::new(pattern).build().map_err(|error| fault(&code::X002, Path::new(""), error.to_string()))?;
            set.add(glob);
        }
        let set = set.build().map_err(|error| fault(&code::X002, Path::new(""), error.to_string()))?;
        Ok((!patterns.is_empty()).then_some(set))
    };
    let (include, exclude) = (globs(&job.include)?, globs(&job.exclude)?);
    let mut jobs = Vec::new();
    for (path, file) in tree.files() {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let wanted = ENDINGS.contains(&ending.as_str())
            && include.as_ref().is_none_or(|set| set.is_match(path))
            && !exclude.as_ref().is_some_and(|set| set.is_match(path))
            && job.shard.is_none_or(|shard| in_shard(path, shard));
        let input = job.input.join(path);
        // A second run must not take the results of the first for sources.
        if wanted && file.kind == disk::Kind::File && !disk::is_under(&input, &job.output) {
            let mut output = job.output.join(path);
            if ending == "gltf" {
                output.set_extension("glb");
            }
            jobs.push((input, output, file.size));
        }
    }
    jobs.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(&b.0)));
    Ok(jobs)
}

/// Stable: the path alone decides.
fn in_shard(path: &str, shard: Shard) -> bool {
    let hash = blake3::hash(path.as_bytes());
    let number = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default());
    number % shard.count as u64 == shard.index as u64 - 1
}

/// Cuts a list so that what is in memory at once is bounded; `size` in bytes.
pub(super) fn batches<T>(jobs: &[T], size: impl Fn(&T) -> u64) -> impl Iterator<Item = &[T]> {
    let most = BATCH_FILES * parallel::threads();
    let mut rest = jobs;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut bytes = 0;
        let fits = |job: &&T| {
            bytes += size(job);
            bytes <= BATCH_BYTES
        };
        let fitting = rest.iter().take(most).take_while(fits).count();
        let (batch, after) = rest.split_at(fitting.max(1));
        rest = after;
        Some(batch)
    })
}
