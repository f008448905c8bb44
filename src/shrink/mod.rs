//! Shrinking: an avatar, item or clip that looks, moves and is scripted as its original, in fewer bytes.
//!
//! The passes stand in [`PASSES`], in the order in which they run; the order is what makes them correct. Nodes, meshes, materials, skins,
//! animations and vertex attributes are never removed, added, merged or reordered: manifests and clips find them by name, VRM by index.

pub mod curves;
pub mod dedup;
pub mod motions;
pub mod names;
pub mod pictures;
pub mod primitives;
pub mod prune;
pub mod quantize;
pub mod rigid;
pub mod settings;
pub mod streams;

use crate::disk::cache::{Cache, Recipe};
use crate::gltf::Document;
use crate::gltf::refs::{PRECOMPUTED, Table};
use crate::parallel::Budget;
use crate::report::{Finding, Place, Progress, Report, code, progress::Task};
use bytes::Bytes;
use serde::Serialize;
use settings::{Settings, Target};
use streams::Streams;

/// One step of the shrink.
pub struct Pass {
    /// A word.
    pub name: &'static str,
    /// What it does to a file.
    pub summary: &'static str,
    /// Does it; says whether anything changed.
    pub run: fn(&mut Work, &mut Report) -> bool,
}

/// All passes, in their order.
pub const PASSES: &[Pass] = &[
    names::PASS,
    motions::STRIP,
    pictures::PASS,
    primitives::PASS,
    motions::KEYS,
    curves::ANIMATIONS,
    curves::SKINS,
    streams::PASS,
    dedup::PASS,
    prune::PASS,
];

/// What stays the same over all files of a run.
#[derive(Clone, Copy)]
pub struct Workshop<'a> {
    /// What the author chose.
    pub settings: &'a Settings,
    /// The index table.
    pub table: &'a Table,
    /// Bounds the decoded pixels alive at once, over all files.
    pub pictures: &'a Budget,
    /// Keeps what was worked out.
    pub cache: &'a Cache,
    /// Hears what is being done.
    pub progress: &'a dyn Progress,
}

/// A file on its way through the passes.
#[derive(Clone)]
pub struct Work<'a> {
    /// What stays the same.
    pub workshop: Workshop<'a>,
    /// The file's name, for findings.
    pub file: &'a str,
    /// The file.
    pub document: Document,
    /// Geometry and curves that are encoded but have no buffer view yet.
    pub streams: Streams,
    /// False when an unknown extension may hold indices: then nothing is renumbered and no geometry is replaced.
    pub renumber: bool,
    /// A motion: unless the settings say otherwise, its numbers stay plain floats that every loader reads.
    pub clip: bool,
    /// A change that ships even where the file grows by it (a smaller picture was asked for, the target needs another encoding).
    pub committed: bool,
    task: &'a Task<'a>,
}

impl<'a> Work<'a> {
    /// Lays a file out for the passes.
    ///
    /// What an earlier build embedded belongs to other triangles, and goes.
    pub fn new(mut document: Document, file: &'a str, role: Role, workshop: Workshop<'a>, task: &'a Task<'a>, report: &mut Report) -> Self {
        let had_embedded = document.remove_extension(PRECOMPUTED);
        let unknown = workshop.table.unknown_with_indices(&document.json);
        for (name, pointer) in &unknown {
            let message = format!("the extension {name} is not known here and may hold indices: nothing is renumbered or removed");
            report.add(Finding::new(&code::S001, Place::file(file).at(pointer), message).hint(code::S001.remedy));
        }
        Self {
            workshop,
            file,
            renumber: unknown.is_empty(),
            clip: role == Role::Clip || document.extension("VRMC_vrm_animation").is_some(),
            committed: had_embedded || !suits(workshop.settings.target, &document),
            document,
            streams: Streams::default(),
            task,
        }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        self.workshop.settings
    }

    /// Geometry and curves are rounded and compressed.
    pub fn compresses(&self) -> bool {
        self.settings().geometry.compress && self.settings().target.reads_meshopt() && (!self.clip || self.settings().motions.meshopt)
    }

    /// A place in the file.
    pub fn place(&self, pointer: impl Into<String>) -> Place {
        Place::file(self.file).at(pointer)
    }

    /// Tells whoever listens what is being done.
    pub fn step(&self, doing: &str) {
        self.task.step(doing);
    }
}

/// A file that was shrunk.
#[derive(Debug, Clone)]
pub struct Shrunk {
    /// The result: a GLB, never larger than the input where the target allows what the input uses.
    pub bytes: Bytes,
    /// The name of each node in the input and now.
    pub names: Vec<names::Named>,
    /// An earlier run worked it out.
    pub cached: bool,
}

/// What a file is in its pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Role {
    /// An avatar or an item.
    Model,
    /// A motion.
    Clip,
}

/// Shrinks one glTF file; `None` after a finding of severity error.
pub fn shrink(input: &Bytes, file: &str, role: Role, workshop: Workshop, report: &mut Report) -> Option<Shrunk> {
    let task = Task::start(workshop.progress, file);
    kept("file", input, file, role, workshop, report, |report| {
        let document = Document::read(input, file, workshop.table, report)?;
        through_passes(document, input, file, role, workshop, &task, report)
    })
}

/// The same, of a file that was opened already: `input` are its bytes.
pub fn shrink_document(
    document: Document,
    input: &Bytes,
    file: &str,
    role: Role,
    workshop: Workshop,
    report: &mut Report,
) -> Option<Shrunk> {
    let task = Task::start(workshop.progress, file);
    kept("document", input, file, role, workshop, report, |report| through_passes(document, input, file, role, workshop, &task, report))
}

/// What an earlier run made of these bytes, else what `work` makes of them. Findings name the file, so its name counts too.
fn kept(
    kind: &str,
    input: &Bytes,
    file: &str,
    role: Role,
    workshop: Workshop,
    report: &mut Report,
    work: impl FnOnce(&mut Report) -> Option<Shrunk>,
) -> Option<Shrunk> {
    let recipe = || Recipe::new(kind).and_data(&(role, file, workshop.settings)).and(input);
    let made = workshop.cache.through(recipe, report, |report| {
        let shrunk = work(report)?;
        // What stays as it is need not be kept.
        let is_input = shrunk.bytes == *input;
        Some(((shrunk.names, is_input), if is_input { Bytes::new() } else { shrunk.bytes }))
    });
    let ((names, is_input), bytes, cached) = made?;
    Some(Shrunk { bytes: if is_input { input.clone() } else { bytes }, names, cached })
}

fn through_passes(
    document: Document,
    input: &Bytes,
    file: &str,
    role: Role,
    workshop: Workshop,
    task: &Task,
    report: &mut Report,
) -> Option<Shrunk> {
    let mut work = Work::new(document, file, role, workshop, task, report);
    let before = names::of(&work.document);
    let mut plain = None;
    for pass in PASSES {
        work.step(pass.name);
        let changed = (pass.run)(&mut work, report);
        if pass.name == names::PASS.name && changed {
            plain = Some(work.document.clone());
        }
    }
    work.step("writing");
    let too_large = |report: &mut Report| {
        report.add(Finding::new(&code::D010, Place::file(file), "the result would be 4 GiB or longer, more than a GLB can hold"));
        None
    };
    let Some(written) = work.document.write() else { return too_large(report) };
    let names: Vec<names::Named> = before.into_iter().zip(names::of(&work.document)).map(|(from, to)| names::Named { from, to }).collect();
    let is_renamed = names.iter().any(|name| name.from != name.to);
    // What may ship instead when the passes did not pay off: the input, or only its names changed.
    let paid_off = written.len() * 2 < input.len();
    let unchanged = match plain.filter(|_| is_renamed) {
        // Writing it only to throw it away would cost as much memory as the file.
        Some(plain) if !paid_off => plain.write().map(Bytes::from),
        Some(_) => None,
        None => Some(input.clone()),
    };
    let alternative = unchanged.filter(|bytes| bytes.len() <= written.len() && !work.committed);
    let bytes = match alternative {
        Some(bytes) => {
            if !is_renamed {
                report.add(Finding::new(&code::S004, Place::file(file), "the file cannot be made smaller; it stays as it is"));
            }
            bytes
        }
        None => Bytes::from(written),
    };
    Some(Shrunk { bytes, names, cached: false })
}

/// True when the target reads every encoding that the file uses already.
fn suits(target: Target, document: &Document) -> bool {
    let uses = |name: &str| document.list("extensionsUsed").iter().any(|e| e == name);
    let compressed = document.blobs.iter().any(|blob| blob.packed.is_some());
    (target.reads_webp() || !uses("EXT_texture_webp")) && (target.reads_meshopt() || !compressed)
}
