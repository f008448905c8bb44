//! The whole story of a run: settings, plan, work, outcome.

pub mod inspect;
pub mod names;
mod artifacts;
mod bounds;
mod clips;
mod depfile;
pub mod cover;
mod remake;
mod facts;
mod fresh;
mod library;
mod live2d;
pub mod outcome;
mod precomputed;
mod pack;
mod previous;
pub mod settings;
pub mod settings_schema;
pub mod severity;
pub mod shrink;
pub mod words;
pub mod stride;

use crate::disk::cache::Cache;
use crate::parallel::Budget;
use crate::report::{Finding, Place, Progress, Report, code};
use crate::shrink::Workshop;
use crate::vrm::refs::TABLE;
use outcome::Outcome;
use settings::{Layer, Settings};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Hears of each file and pack as it is done, with what was found in it; called from any thread.
pub trait Listener: Sync {
    /// A file of `shrink` or `inspect` is done.
    fn file_done(&self, file: &outcome::File, findings: &[outcome::Finding]) {
        let _ = (file, findings);
    }

    /// A pack of `build` or `check` is done.
    fn pack_done(&self, pack: &outcome::Pack, findings: &[outcome::Finding]) {
        let _ = (pack, findings);
    }
}

/// Nobody listens.
impl Listener for () {}

/// What was chosen on the command line: a file of settings by name and text, and `KEY=VALUE` texts.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// The file of `--settings`.
    pub file: Option<(String, String)>,
    /// `--set`, in their order.
    pub sets: Vec<String>,
}

impl Choices {
    /// The settings for work without a pack, or for the pack whose `pipeline.toml` is given.
    pub fn settings(&self, pack: Option<Layer>) -> (Settings, Report) {
        let file = self.file.as_ref().map(|(name, text)| Layer { name, text });
        let layers: Vec<Layer> = pack.into_iter().chain(file).collect();
        settings::load(&layers, &self.sets)
    }
}

/// What every command needs beside its own job.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// From which each pack's settings are made.
    pub choices: &'a Choices,
    /// Warnings count as errors.
    pub strict: bool,
    /// Keeps what was worked out, for the next run.
    pub cache: &'a Cache,
    /// Hears which files are being worked on.
    pub progress: &'a dyn Progress,
    /// Hears what is done.
    pub listener: &'a dyn Listener,
}

/// What the work on each file of a run or pack shares.
#[derive(Clone, Copy)]
struct Desk<'a> {
    settings: &'a Settings,
    /// Bounds the decoded pixels alive at once, over all files.
    pictures: &'a Budget,
    cache: &'a Cache,
    progress: &'a dyn Progress,
}

impl<'a> Desk<'a> {
    fn new(settings: &'a Settings, pictures: &'a Budget, run: &Run<'a>) -> Self {
        Self { settings, pictures, cache: run.cache, progress: run.progress }
    }

    /// For a shrink by these settings.
    fn workshop(self, settings: &'a crate::shrink::settings::Settings) -> Workshop<'a> {
        Workshop { settings, table: &TABLE, pictures: self.pictures, cache: self.cache, progress: self.progress }
    }
}

/// What a command leaves behind: the data, and the texts into which its findings point.
#[derive(Debug, Clone, Default)]
pub struct Finished {
    /// The plain data, findings included.
    pub outcome: Outcome,
    /// Texts of manifests and settings, by [`outcome::Finding::path`]; not every one is here.
    pub texts: BTreeMap<String, String>,
}

impl Finished {
    /// A command without packs, or one whose packs' findings are added next.
    pub fn new(command: &str) -> Self {
        Self { outcome: Outcome::new(command), texts: BTreeMap::new() }
    }

    /// Adds the findings of a pack (by its source) or of a run without packs: severities as the settings say, in the order of their places.
    /// Returns them as added.
    pub fn add(&mut self, mut report: Report, pack: Option<&str>, settings: &Settings, strict: bool) -> &[outcome::Finding] {
        settings.apply_severities(strict, &mut report);
        report.sort();
        let before = self.outcome.findings.len();
        self.outcome.add(&report, pack);
        &self.outcome.findings[before..]
    }
}

/// Builds packs: check, shrink, bundle.
#[derive(Debug, Clone)]
pub struct BuildJob {
    /// Folders of packs.
    pub packs: Vec<PathBuf>,
    /// The folder for zips and reports.
    pub output: PathBuf,
    /// A zip that was published before.
    pub previous: Option<PathBuf>,
    /// Where to write what each zip was made from, for make and ninja.
    pub depfile: Option<PathBuf>,
}

/// Checks packs as they lie.
#[derive(Debug, Clone)]
pub struct CheckJob {
    /// Folders of packs, or zips.
    pub packs: Vec<PathBuf>,
    /// A zip that was published before.
    pub previous: Option<PathBuf>,
    /// Mends what is certain in the manifests of folders.
    pub fix: bool,
}

/// Shrinks one file.
#[derive(Debug, Clone)]
pub struct ShrinkFileJob {
    /// An avatar, item or clip.
    pub input: PathBuf,
    /// Where the result goes.
    pub output: PathBuf,
}

/// Shrinks a folder of files, keeping its folders.
#[derive(Debug, Clone)]
pub struct ShrinkFolderJob {
    /// The folder.
    pub input: PathBuf,
    /// Where the results go.
    pub output: PathBuf,
    /// Patterns of files to take; empty = all of the known kinds.
    pub include: Vec<String>,
    /// Patterns of files to leave.
    pub exclude: Vec<String>,
    /// Only a part of the files.
    pub shard: Option<Shard>,
}

/// One of several equal parts of a batch, for several machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub index: usize,
    /// How many there are.
    pub count: usize,
}

/// Says what is inside files.
#[derive(Debug, Clone)]
pub struct InspectJob {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Where a picture of the first Live2D model among them goes.
    pub picture: Option<PathBuf>,
}

/// Lists the names in a file.
#[derive(Debug, Clone)]
pub struct NamesJob {
    /// The file.
    pub file: PathBuf,
}

/// Starts a pack.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// The folder of the pack; nothing is in it yet.
    pub folder: PathBuf,
    /// A VRM, a GLB or the zip of a Live2D model.
    pub avatar: PathBuf,
    /// VRMA, GLB or FBX files.
    pub clips: Vec<PathBuf>,
}

/// Measures walks on an avatar.
#[derive(Debug, Clone)]
pub struct StrideJob {
    /// A VRM, or a GLB whose names suggest a rig.
    pub avatar: PathBuf,
    /// The clips.
    pub clips: Vec<PathBuf>,
    /// Where a picture of the first of them goes.
    pub picture: Option<PathBuf>,
}

/// `build PACK...`
pub fn build(job: &BuildJob, run: &Run) -> Finished {
    pack::build(job, run)
}

/// `check PACK...`
pub fn check(job: &CheckJob, run: &Run) -> Finished {
    pack::check(job, run)
}

/// `shrink IN OUT`
pub fn shrink_file(job: &ShrinkFileJob, run: &Run) -> Finished {
    shrink::file(job, run)
}

/// `shrink DIR -o DIR`
pub fn shrink_folder(job: &ShrinkFolderJob, run: &Run) -> Finished {
    library::folder(job, run)
}

/// `inspect FILE...`
pub fn inspect(job: &InspectJob, run: &Run) -> Finished {
    inspect::files(job, run)
}

/// `names FILE`
pub fn names(job: &NamesJob, run: &Run) -> Finished {
    names::file(job, run)
}

/// `new DIR --avatar FILE`
pub fn new(job: &NewJob, run: &Run) -> Finished {
    fresh::pack(job, run)
}

/// Works out which triangles each outfit hides.
#[derive(Debug, Clone)]
pub struct CoverJob {
    /// A VRM or GLB.
    pub avatar: PathBuf,
    /// The manifest with its outfits and motions.
    pub model: PathBuf,
    /// The folder for a front and a back of each outfit.
    pub pictures: Option<PathBuf>,
}

/// `cover AVATAR --model MODEL.json`
pub fn cover(job: &CoverJob, run: &Run) -> Finished {
    cover::cover(job, run)
}

/// `stride AVATAR CLIP...`
pub fn stride(job: &StrideJob, run: &Run) -> Finished {
    stride::stride(job, run)
}

/// The bytes of a file that the command line names; `None` after a finding when it cannot be read.
fn read(path: &Path, report: &mut Report) -> Option<bytes::Bytes> {
    let bytes = crate::disk::read_file(path);
    if let Err(error) = &bytes {
        report.add(Finding::new(&code::Z002, Place::file(shown(path)), error.to_string()).hint(code::Z002.remedy));
    }
    bytes.ok()
}

/// A path as findings show it: as given, with `/` between the parts.
fn shown(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}
