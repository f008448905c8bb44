//! `shrink DIR -o DIR`: every avatar, item, clip and look of a folder, however many.
//!
//! The largest begin first, so that the last one does not stand alone; what is at work at once is bounded in bytes. A journal in the output folder
//! lets a run that was killed go on; it is gone when a run has ended.

use super::outcome::{File, Finding as Shown};
use super::settings::Settings;
use super::shrink::{ROOM, one};
use super::{Desk, Finished, Run, Shard, ShrinkFolderJob, shown};
use crate::disk::cache::Recipe;
use crate::disk::journal::Journal;
use crate::disk::{self, Ignore, Tree};
use crate::parallel::{self, Budget};
use crate::report::{Finding, Place, Report, code};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Endings of files that a library is searched for.
const ENDINGS: [&str; 6] = ["vrm", "glb", "gltf", "vrma", "fbx", "zip"];

/// A file to do.
struct Planned {
    /// From the folder.
    path: String,
    input: PathBuf,
    output: PathBuf,
    /// In bytes.
    size: u64,
}

/// A file that was done, as a journal has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Done {
    path: String,
    input: Option<(u64, u64)>,
    output: Option<(u64, u64)>,
    file: File,
    report: Report,
}

/// `shrink DIR -o DIR`
pub fn folder(job: &ShrinkFolderJob, run: &Run) -> Finished {
    let (settings, mut report) = run.choices.settings(None);
    let mut finished = Finished::new("shrink");
    let pictures = Budget::new(settings.run.picture_pixels);
    let desk = Desk::new(&settings, &pictures, run);
    let jobs = plan(job).unwrap_or_else(|finding| {
        report.add(*finding);
        Vec::new()
    });
    finished.add(report, None, &settings, run.strict);
    run.progress.expect(jobs.len(), jobs.iter().map(|job| job.size).sum());
    let (journal, before) = journal(job, &settings);
    let (done, findings) = parallel::feed(
        &jobs,
        ROOM,
        |planned| planned.size,
        |planned| shown(&planned.input),
        |planned, _| {
            let earlier = before.get(&planned.path).filter(|earlier| earlier.is_still(planned));
            let (file, mut report) = match earlier {
                Some(earlier) => (Some(File { cached: Some(true), ..earlier.file.clone() }), earlier.report.clone()),
                None => one(&planned.input, &planned.output, true, desk, run.strict),
            };
            if let (Some(file), Some(journal), None) = (&file, &journal, earlier) {
                journal.add(&Done::of(planned, file, &report));
            }
            run.progress.advance(planned.size);
            report.sort();
            tell(planned, file.as_ref(), &report, &settings, run);
            (file, report)
        },
    );
    journal.into_iter().for_each(Journal::end);
    finished.add(findings, None, &settings, run.strict);
    let mut files = Vec::new();
    for (file, report) in done.into_iter().flatten() {
        finished.add(report, None, &settings, run.strict);
        files.extend(file);
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    finished
        .outcome
        .findings
        .sort_by(|a, b| (&a.file, a.line, a.column, &a.pointer, &a.code).cmp(&(&b.file, b.line, b.column, &b.pointer, &b.code)));
    finished.outcome.files = Some(files);
    finished
}

/// Tells whoever listens of a file, of one that failed too.
fn tell(planned: &Planned, file: Option<&File>, report: &Report, settings: &Settings, run: &Run) {
    let mut judged = report.clone();
    settings.apply_severities(run.strict, &mut judged);
    let findings: Vec<Shown> = judged.findings.iter().map(Shown::from).collect();
    let failed = File { path: shown(&planned.input), bytes: planned.size, ..File::default() };
    run.listener.file_done(file.unwrap_or(&failed), &findings);
}

impl Done {
    fn of(planned: &Planned, file: &File, report: &Report) -> Self {
        Self {
            path: planned.path.clone(),
            input: disk::stamp(&planned.input),
            output: disk::stamp(&planned.output),
            file: file.clone(),
            report: report.clone(),
        }
    }

    /// Neither the input nor the output was touched since.
    fn is_still(&self, planned: &Planned) -> bool {
        self.input.is_some()
            && self.output.is_some()
            && self.input == disk::stamp(&planned.input)
            && self.output == disk::stamp(&planned.output)
    }
}

/// The journal of this run, when one can be kept, and what an earlier run of the same job had done before it was killed.
fn journal(job: &ShrinkFolderJob, settings: &Settings) -> (Option<Journal>, BTreeMap<String, Done>) {
    let shard = job.shard.map(|shard| (shard.index, shard.count));
    let input = disk::real(&job.input);
    // Other settings make other files; whatever else differs has a journal of its own.
    let name = Recipe::new("journal").and_data(&(&input, &job.include, &job.exclude, shard)).digits();
    let head = Recipe::new("journal").and_data(settings).digits();
    let path = job.output.join(format!(".companion-build.{}.journal", &name[..16]));
    let is_left = disk::exists(&path);
    let Ok(Some((journal, done))) = Journal::begin::<Done>(&path, &head) else { return (None, BTreeMap::new()) };
    if is_left {
        disk::sweep(&job.output, usize::MAX);
    }
    (Some(journal), done.into_iter().map(|done| (done.path.clone(), done)).collect())
}

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
            jobs.push(Planned { path: path.to_owned(), input, output, size: file.size });
        }
    }
    jobs.sort_by(|a, b| b.size.cmp(&a.size).then(a.path.cmp(&b.path)));
    Ok(jobs)
}

/// Stable: the path alone decides.
fn in_shard(path: &str, shard: Shard) -> bool {
    let hash = blake3::hash(path.as_bytes());
    let number = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default());
    number % shard.count as u64 == shard.index as u64 - 1
}
