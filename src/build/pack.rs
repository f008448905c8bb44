//! `build` and `check`: a pack folder in; out of it a zip that the publish takes, or all that it would refuse.

use super::outcome::{self, File};
use super::previous::Previous;
use super::settings::{self, Layer, Settings};
use super::{BuildJob, CheckJob, Desk, Finished, Run, artifacts, clips, cover, depfile, facts, shown};
use crate::codec::zip;
use crate::disk::cache::{self, Recipe};
use crate::disk::{self, Ignore, Tree};
use crate::pack::budget;
use crate::pack::limits::{self, Limits};
use crate::pack::mend::mended;
use crate::pack::{Facts, Pack};
use crate::parallel::{self, Budget};
use crate::report::{Finding, Place, Report, Severity, code};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The settings of a pack never ship.
const SETTINGS: &str = "pipeline.toml";

/// A pack that was opened, with its settings and what was found while opening it.
struct Opened {
    settings: Settings,
    settings_text: Option<String>,
    pack: Option<Pack>,
    /// What the texts of the pack gave when they were read.
    read: Report,
    /// Everything else: the settings, the disk.
    report: Report,
}

fn open(source: &Path, run: &Run) -> Opened {
    let (mut report, mut read) = (Report::default(), Report::default());
    let unreadable = |report: &mut Report, message: String| {
        report.add(Finding::new(&code::Z002, Place::default(), message).hint(code::Z002.remedy));
    };
    if !disk::is_folder(source) {
        let settings = run.choices.settings(None).0;
        let tree = match disk::read_file(source) {
            Ok(bytes) => {
                let name = source.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                limits::check_zip(&name, bytes.len() as u64, Limits { mega: settings.shrink.limits.mega }, &mut report);
                budget::check_zip(&settings.budget, bytes.len() as u64, &mut report);
                crate::pack::tree_from_zip(&name, &bytes, &mut report)
            }
            Err(error) => {
                unreadable(&mut report, error.to_string());
                None
            }
        };
        let pack = tree.map(|tree| Pack::read(tree, &mut read));
        return Opened { settings, settings_text: None, pack, read, report };
    }
    let text = disk::read_text(&source.join(SETTINGS)).ok();
    let (settings, findings) = run.choices.settings(text.as_deref().map(|text| Layer { name: SETTINGS, text }));
    report.merge(findings);
    let tree = Ignore::new(&settings.pack.ignore).and_then(|ignore| Tree::open(source, &ignore));
    let pack = match tree {
        Ok(tree) => Some(Pack::read(tree, &mut read)),
        Err(error) => {
            unreadable(&mut report, error.to_string());
            None
        }
    };
    Opened { settings, settings_text: text, pack, read, report }
}

/// Every rule.
fn judge(pack: &Pack, facts: &Facts, settings: &Settings, report: &mut Report) {
    pack.check(facts, report);
    limits::check_sizes(pack, &pack.tree.sizes(), Limits { mega: settings.shrink.limits.mega }, report);
}

/// `check PACK|ZIP...`
pub fn check(job: &CheckJob, run: &Run) -> Finished {
    let mut finished = Finished::new("check");
    let mut packs = Vec::new();
    for source in &job.packs {
        let name = shown(source);
        let mut opened = open(source, run);
        let mut found = std::mem::take(&mut opened.read);
        let settings = opened.settings.clone();
        // What a folder costs is known when it was built.
        let is_final = !disk::is_folder(source);
        let (facts, findings) = judged(&name, &opened, &settings, is_final);
        found.merge(findings);
        let mut reported = std::mem::take(&mut opened.report);
        if job.fix && mend(source, &opened, &facts, &mut reported) {
            // As it lies now; what was found before and is not found any more was mended.
            opened = open(source, run);
            let mut after = std::mem::take(&mut opened.read);
            after.merge(judged(&name, &opened, &settings, is_final).1);
            settle(found, after, &mut reported);
        } else {
            reported.merge(found);
        }
        opened.report = reported;
        let stem = disk::folder_name(source).unwrap_or_default();
        let stem = stem.strip_suffix(".zip").unwrap_or(&stem);
        let previous = job.previous.as_ref().and_then(|previous| Previous::open(previous, stem, &mut opened.report));
        keep_texts(&mut finished, &name, &opened);
        let mut pack = outcome::Pack {
            source: name.clone(),
            files: opened
                .pack
                .iter()
                .flat_map(|pack| pack.tree.sizes())
                .map(|(path, bytes)| File { path, bytes, ..File::default() })
                .collect(),
            ..outcome::Pack::default()
        };
        if let (Some(read), Some(previous)) = (&opened.pack, previous) {
            previous.judge(read, &mut opened.report);
            if !disk::is_folder(source) {
                pack.bytes = disk::size(source).ok();
                previous.compare(&mut pack, &mut opened.report);
            }
        }
        let findings = finished.add(opened.report, Some(&name), &opened.settings, run.strict).to_vec();
        run.listener.pack_done(&pack, &findings);
        packs.push(pack);
    }
    finished.outcome.packs = Some(packs);
    finished
}

/// What is in the files of a pack as it lies, and what the rules say of it.
fn judged(name: &str, opened: &Opened, settings: &Settings, is_final: bool) -> (Facts, Report) {
    let (facts, findings) = parallel::guarded(
        || name.to_owned(),
        |report| {
            let pack = opened.pack.as_ref()?;
            let mut facts = facts::gather(pack, settings, report);
            clips::gather(pack, &mut facts, true, Some(&settings.shrink.motions), report);
            judge(pack, &facts, settings, report);
            if is_final {
                budget::check(&settings.budget, pack, &facts, &pack.tree.sizes(), report);
            }
            Some(facts)
        },
    );
    (facts.flatten().unwrap_or_default(), findings)
}

/// Mends what is certain in the manifests of a folder. True when something was changed.
fn mend(source: &Path, opened: &Opened, facts: &Facts, report: &mut Report) -> bool {
    let Some(pack) = opened.pack.as_ref().filter(|_| disk::is_folder(source)) else { return false };
    let mut is_changed = false;
    for manifest in &pack.manifests {
        let Some((text, _)) = mended(pack, manifest, facts) else { continue };
        match disk::write_if_changed(&source.join(&manifest.path), text.as_bytes()) {
            Ok(written) => is_changed |= written,
            Err(error) => report.add(Finding::new(&code::Z003, manifest.whole(), error.to_string()).hint(code::Z003.remedy)),
        }
    }
    is_changed
}

/// The texts that findings point into.
fn keep_texts(finished: &mut Finished, source: &str, opened: &Opened) {
    let path = |file: &str| format!("{}/{file}", source.trim_end_matches('/'));
    for manifest in opened.pack.iter().flat_map(|pack| &pack.manifests) {
        finished.texts.insert(path(&manifest.path), manifest.text.clone());
    }
    if let Some(text) = &opened.settings_text {
        finished.texts.insert(path(SETTINGS), text.clone());
    }
}

/// `build PACK...`
pub fn build(job: &BuildJob, run: &Run) -> Finished {
    let mut finished = Finished::new("build");
    let mut packs = Vec::new();
    let mut rules = Vec::new();
    let mut taken: BTreeMap<String, String> = BTreeMap::new();
    for source in &job.packs {
        let name = shown(source);
        let stem = disk::folder_name(source).unwrap_or_else(|| "pack".into());
        if let Some(other) = taken.insert(stem.clone(), name.clone()) {
            let mut report = Report::default();
            let message = format!("{other} and {name} would both become {stem}.zip");
            report.add(Finding::new(&code::Z007, Place::default(), message).hint(code::Z007.remedy));
            finished.add(report, Some(&name), &run.choices.settings(None).0, run.strict);
            continue;
        }
        packs.push(one(source, &name, &stem, job, run, &mut finished, &mut rules));
    }
    if let Some(path) = &job.depfile
        && let Err(error) = disk::write_if_changed(path, depfile::text(&rules).as_bytes())
    {
        let mut report = Report::default();
        report.add(Finding::new(&code::Z003, Place::file(shown(path)), error.to_string()).hint(code::Z003.remedy));
        finished.add(report, None, &run.choices.settings(None).0, run.strict);
    }
    finished.outcome.packs = Some(packs);
    finished
}

/// Builds one pack, writes its zip when no error is left, and its report in any case.
fn one(
    source: &Path,
    name: &str,
    stem: &str,
    job: &BuildJob,
    run: &Run,
    finished: &mut Finished,
    rules: &mut Vec<depfile::Rule>,
) -> outcome::Pack {
    let mut opened = open(source, run);
    keep_texts(finished, name, &opened);
    let zip_path = job.output.join(format!("{stem}.zip"));
    if job.depfile.is_some() {
        rules.push(depfile::Rule { target: shown(&zip_path), sources: sources(source, &zip_path, &opened, job, run) });
    }
    let mut pack = outcome::Pack { source: name.to_owned(), ..outcome::Pack::default() };
    if disk::exists(source) && !disk::is_folder(source) {
        let message = "a pack is built from its folder";
        opened.report.add(Finding::new(&code::Z002, Place::default(), message).hint("Give the folder, not a file."));
    }
    let settings = opened.settings.clone();
    let mut report = std::mem::take(&mut opened.report);
    // Before it is written anew: it may be the zip of that name.
    let previous = job.previous.as_ref().and_then(|previous| Previous::open(previous, stem, &mut report));
    let found = std::mem::take(&mut opened.read);
    let zip = opened.pack.as_ref().and_then(|read| {
        let (zip, findings) =
            parallel::guarded(|| name.to_owned(), |report| bundled(read, found, &settings, &format!("{stem}.zip"), run, report));
        report.merge(findings);
        let (Bundle { files, models, is_empty }, zip) = zip.flatten()?;
        (pack.files, pack.models) = (files, models);
        (!is_empty).then_some(zip)
    });
    pack.bytes = zip.as_ref().map(|zip| zip.len() as u64);
    if let (Some(read), Some(previous)) = (&opened.pack, previous) {
        previous.judge(read, &mut report);
        previous.compare(&mut pack, &mut report);
    }
    // The verdict is the one that is shown.
    let mut judged = report.clone();
    settings.apply_severities(run.strict, &mut judged);
    pack.source_bytes = opened.pack.as_ref().map(|pack| pack.tree.sizes().values().sum());
    match zip.filter(|_| !judged.has_errors()) {
        Some(zip) => match disk::write_if_changed(&zip_path, &zip) {
            Ok(_) => {
                pack.zip = Some(shown(&zip_path));
                pack.sha256 = Some(Sha256::digest(&zip).iter().map(|byte| format!("{byte:02x}")).collect());
            }
            Err(error) => report.add(Finding::new(&code::Z003, Place::default(), error.to_string()).hint(code::Z003.remedy)),
        },
        None if disk::exists(&zip_path) => {
            let message = format!("{} is of an earlier build and does not hold this pack", shown(&zip_path));
            report.add(Finding::new(&code::Z006, Place::default(), message).hint(code::Z006.remedy));
        }
        None => {}
    }
    let findings = finished.add(report, Some(name), &settings, run.strict).to_vec();
    run.listener.pack_done(&pack, &findings);
    let mut alone = outcome::Outcome { findings, ..outcome::Outcome::new("build") };
    alone.ok = !alone.findings.iter().any(|finding| finding.severity == Severity::Error.word());
    // What came from the cache says nothing of the result: the report of an equal build has equal bytes.
    let files = pack.files.iter().map(|file| File { cached: None, ..file.clone() }).collect();
    alone.packs = Some(vec![outcome::Pack { files, ..pack.clone() }]);
    let text = serde_json::to_string_pretty(&alone).unwrap_or_default() + "\n";
    if let Err(error) = disk::write_if_changed(&job.output.join(format!("{stem}.report.json")), text.as_bytes()) {
        let mut report = Report::default();
        report.add(Finding::new(&code::Z003, Place::default(), error.to_string()).hint(code::Z003.remedy));
        finished.add(report, Some(name), &settings, run.strict);
    }
    pack
}

/// Everything that decides what becomes of a pack: its files and settings, the folders that they lie in, what else the command line names.
fn sources(source: &Path, zip: &Path, opened: &Opened, job: &BuildJob, run: &Run) -> BTreeSet<String> {
    let (mut sources, mut folders) = (BTreeSet::new(), BTreeSet::new());
    let files = opened.pack.iter().flat_map(|pack| pack.tree.files());
    for (path, _) in files.filter(|(_, file)| file.kind != disk::Kind::Unnameable) {
        let path = Path::new(path);
        sources.insert(shown(&source.join(path)));
        folders.extend(path.ancestors().skip(1).map(|folder| source.join(folder)));
    }
    // A result that is written changes its own folder, and would call for itself again.
    let own = [zip.parent(), job.depfile.as_deref().and_then(Path::parent)].into_iter().flatten();
    let own: Vec<&Path> = own.map(|own| if own.as_os_str().is_empty() { Path::new(".") } else { own }).collect();
    let beside = folders.iter().filter(|folder| !own.iter().any(|own| disk::same_file(folder, own)));
    sources.extend(beside.map(|folder| shown(folder).trim_end_matches('/').to_owned()));
    sources.extend(opened.settings_text.as_ref().map(|_| shown(&source.join(SETTINGS))));
    sources.extend(run.choices.file.as_ref().map(|(name, _)| name.clone()));
    sources.extend(
        job.previous.iter().filter(|previous| !disk::is_folder(previous) && !disk::same_file(previous, zip)).map(|path| shown(path)),
    );
    sources
}

/// What is in a zip.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Bundle {
    files: Vec<File>,
    models: Vec<outcome::Model>,
    is_empty: bool,
}

/// What an earlier run made of the same files, else what [`bundle`] makes of them.
fn bundled(read: &Pack, before: Report, settings: &Settings, zip_name: &str, run: &Run, report: &mut Report) -> Option<(Bundle, Bytes)> {
    let recipe = || {
        // How many pictures are open at once changes nothing, and severities are applied to what was found.
        let chosen = Settings { run: settings::Settings::default().run, severity: Default::default(), ..settings.clone() };
        let start = Recipe::new("pack").and_data(&(zip_name, read.tree.ignored(), chosen));
        read.tree.files().fold(start, |recipe, (path, file)| {
            // What cannot be read will be said by whoever needs it.
            let contents = read.tree.reader(path).ok().and_then(|reader| cache::hash(reader).ok());
            recipe.and(path).and(format!("{:?}", file.kind)).and(contents.as_ref().map_or(&[][..], |hash| hash))
        })
    };
    let made = run.cache.through(recipe, report, |report| bundle(read, before, settings, zip_name, run, report));
    let (mut bundle, zip, cached) = made?;
    bundle.files.iter_mut().filter(|_| cached).for_each(|file| file.cached = Some(true));
    Some((bundle, zip))
}

/// Makes what ships, zips it, and judges the zip as the publish would. `None` when no zip can be made.
///
/// `before` are the findings that the texts gave when they were read.
fn bundle(pack: &Pack, mut before: Report, settings: &Settings, zip_name: &str, run: &Run, report: &mut Report) -> Option<(Bundle, Bytes)> {
    let pictures = Budget::new(settings.run.picture_pixels);
    let desk = Desk::new(settings, &pictures, run);
    let (mut made, mut facts) = artifacts::make(pack, desk, &mut before, report);
    let measured = clips::gather(pack, &mut facts, false, None, &mut before);
    judge(pack, &facts, settings, &mut before);
    let worked_out = cover::embed(pack, &mut made, &measured, desk, report);
    let mut bundle = Bundle::default();
    let mut shipped: Vec<(String, Bytes)> = Vec::new();
    let is_gltf: BTreeSet<&str> =
        pack.references.iter().filter_map(|r| r.target().filter(|path| artifacts::is_gltf(path, r.kind))).collect();
    for (path, file) in pack.tree.files().filter(|(_, file)| file.kind == disk::Kind::File) {
        let artifact = made.get(path);
        let bytes = match artifact {
            Some(artifact) => artifact.bytes.clone(),
            None => match pack.tree.read(path) {
                Ok(bytes) => bytes,
                Err(error) => {
                    report.add(Finding::new(&code::Z002, Place::file(path), error.to_string()).hint(code::Z002.remedy));
                    continue;
                }
            },
        };
        let name = artifact.and_then(|a| a.renamed.clone()).unwrap_or_else(|| path.to_owned());
        let sizes = is_gltf.contains(path).then(|| facts::sizes(&bytes)).flatten();
        bundle.files.push(File {
            path: name.clone(),
            bytes: bytes.len() as u64,
            source_bytes: Some(file.size),
            texture_bytes: sizes.map(|sizes| sizes.textures),
            geometry_bytes: sizes.map(|sizes| sizes.geometry()),
            cached: Some(artifact.is_some_and(|artifact| artifact.cached)),
            ..File::default()
        });
        shipped.push((name, bytes));
    }
    bundle.files.sort_by(|a, b| a.path.cmp(&b.path));
    let (packed, findings) = parallel::map(&shipped, |(name, _)| name.clone(), |(name, bytes), _| zip::pack(name, bytes));
    report.merge(findings);
    let zip = match zip::assemble(packed.into_iter().flatten().collect()) {
        Ok(zip) => Bytes::from(zip),
        Err(error) => {
            report.add(Finding::new(&code::P006, Place::default(), error.to_string()).hint("Rename the file."));
            settle(before, Report::default(), report);
            return None;
        }
    };
    let mut after = Report::default();
    if let Some(tree) = crate::pack::tree_from_zip(zip_name, &zip, &mut after) {
        let finished = Pack::read(tree, &mut after);
        let mut facts = facts::gather(&finished, settings, &mut after);
        bundle.models = with_covers(clips::gather(&finished, &mut facts, true, None, &mut after), worked_out);
        judge(&finished, &facts, settings, &mut after);
        budget::check(&settings.budget, &finished, &facts, &finished.tree.sizes(), &mut after);
    }
    limits::check_zip(zip_name, zip.len() as u64, Limits { mega: settings.shrink.limits.mega }, &mut after);
    budget::check_zip(&settings.budget, zip.len() as u64, &mut after);
    settle(before, after, report);
    bundle.is_empty = shipped.is_empty();
    if !pack.tree.is_as_it_was() {
        let message = "files of the pack changed while it was built; the zip may hold some of before and some of after";
        report.add(Finding::new(&code::Z010, Place::default(), message).hint(code::Z010.remedy));
    }
    Some((bundle, zip))
}

/// The models whose walks were measured on what ships, and those that have only covers, by key.
fn with_covers(measured: Vec<outcome::Model>, worked_out: Vec<outcome::Model>) -> Vec<outcome::Model> {
    let mut models: BTreeMap<String, outcome::Model> = worked_out.into_iter().map(|model| (model.key.clone(), model)).collect();
    for model in measured {
        let known = models.entry(model.key.clone()).or_default();
        *known = outcome::Model { cover: std::mem::take(&mut known.cover), ..model };
    }
    models.into_values().collect()
}

/// What was wrong with the sources and is not with the result was mended: a note. What the result has, counts; at its place in the source
/// where the source had it too.
fn settle(before: Report, after: Report, report: &mut Report) {
    let key = |finding: &Finding| (finding.code.id, finding.place.file.clone(), finding.place.pointer.clone());
    let left: BTreeSet<_> = after.findings.iter().map(key).collect();
    let known: BTreeSet<_> = before.findings.iter().map(key).collect();
    for finding in before.findings {
        let mended = finding.severity != Severity::Note && !left.contains(&key(&finding));
        report.add(if mended { finding.fixed() } else { finding });
    }
    after.findings.into_iter().filter(|finding| !known.contains(&key(finding))).for_each(|finding| report.add(finding));
}
