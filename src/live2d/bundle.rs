//! The zip of a Live2D look: opened without trust, its files found and judged.

use super::extras;
use super::moc3::{self, Moc};
use super::model::{Model, Role};
use super::motion::{Motion, Target};
use crate::codec::png;
use crate::codec::zip::{self, Archive, Fault, Limits};
use crate::report::nearest::nearest;
use crate::report::{Code, Finding, Place, Report, Severity, code};
use crate::{spelling, units};
use std::collections::{BTreeMap, BTreeSet};

/// The most bytes of one file of a model, unpacked: more than a picture of 4096 x 4096 pixels that is not compressed at all.
const LARGEST: u64 = 96 << 20;
/// The most bytes of one JSON file.
const LARGEST_JSON: u64 = 8 << 20;
/// Sides of textures that every graphics card takes, in pixels.
const LONGEST_SIDE: u32 = 4096;
/// What the stage keeps for a look: bytes, and textures of [`LONGEST_SIDE`].
const DESKTOP: (u64, u64) = (448 * units::MEGA, 4);
const PHONE: (u64, u64) = (192 * units::MEGA, 2);
/// Archives by the endings of their names and by their first bytes.
const ARCHIVES: [&str; 7] = ["zip", "rar", "7z", "tar", "gz", "xz", "bz2"];
const ARCHIVE_STARTS: [&[u8]; 5] = [b"PK\x03\x04", b"PK\x05\x06", b"Rar!\x1a", b"7z\xbc\xaf\x27\x1c", b"\x1f\x8b"];

/// A texture of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texture {
    /// Its path from the model's folder.
    pub path: String,
    /// In pixels; 0 when it cannot be read.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

impl Texture {
    /// Decoded, four bytes a pixel, and a third more for the mipmaps.
    pub fn memory(&self) -> u64 {
        self.pixels() * 4 * 4 / 3
    }

    fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// A Live2D model in its zip.
#[derive(Debug)]
pub struct Bundle<'a> {
    /// The zip.
    pub archive: Archive<'a>,
    /// The folder of the .model3.json, empty or with a `/` at its end.
    pub folder: String,
    /// The .model3.json, as an index of the archive's entries.
    pub entry: usize,
    /// What it says.
    pub model: Model,
    /// The .moc3, when it is sound.
    pub moc: Option<Moc>,
    /// In the order of their numbers; those that are missing have no size.
    pub textures: Vec<Texture>,
    /// Every .motion3.json of the zip that can be read, by its path from the model's folder.
    pub motions: BTreeMap<String, Motion>,
    /// What the .model3.json names: for each entry the path from the model's folder by which it is named, and what as.
    pub named: BTreeMap<usize, (String, Role)>,
}

/// Reads the zip and finds all that is wrong with it; `file` is how the report calls it. `None` when it holds no model that can be understood.
///
/// Every entry is unpacked once, to see that it is whole, but one at a time; pictures are not decoded.
pub fn open<'a>(bytes: &'a [u8], file: &str, report: &mut Report) -> Option<Bundle<'a>> {
    let archive = zip::read(bytes, &Limits::LIVE2D);
    let mut opening = Opening { archive: &archive, file, report };
    opening.hygiene();
    let entry = opening.find_model()?;
    let name = archive.entries[entry].name.as_str();
    let folder = name.rfind('/').map_or("", |at| &name[..=at]).to_owned();
    let model = match Model::read(&opening.contents(entry)?) {
        Ok(model) => model,
        Err(problem) => {
            opening.about(&code::L011, name, problem);
            return None;
        }
    };
    let named = opening.references(&model, &folder);
    let moc = named.iter().find(|(_, (_, role))| *role == Role::Moc).and_then(|(entry, _)| opening.moc(*entry, &model));
    let (textures, motions) = opening.files(entry, &model, &folder, moc.as_ref(), &named);
    opening.budget(&textures);
    opening.parameters(name, &model, moc.as_ref());
    Some(Bundle { archive, folder, entry, model, moc, textures, motions, named })
}

/// False for what macOS puts beside every file, and for folders.
fn is_own(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    !name.ends_with('/') && !name.starts_with("__MACOSX/") && !file.starts_with("._")
}

/// True when a name ends so, in capitals or not.
pub(super) fn ends_with(name: &str, ending: &str) -> bool {
    name.len() >= ending.len() && name.as_bytes()[name.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes())
}

struct Opening<'a, 'b> {
    archive: &'b Archive<'a>,
    file: &'b str,
    report: &'b mut Report,
}

impl Opening<'_, '_> {
    /// A finding about an entry, or about the whole zip when `entry` is empty.
    fn about(&mut self, code: &'static Code, entry: &str, problem: impl std::fmt::Display) -> &mut Finding {
        let message = if entry.is_empty() { problem.to_string() } else { format!("\"{entry}\": {problem}") };
        self.report.add(Finding::new(code, Place::file(self.file), message).hint(code.remedy));
        let last = self.report.findings.len() - 1;
        &mut self.report.findings[last]
    }

    /// What the scan found, names that other readers do not understand, and archives in the archive.
    fn hygiene(&mut self) {
        let archive = self.archive;
        for zip::Problem { entry, fault } in &archive.problems {
            self.about(rule(fault), entry, fault);
        }
        let bare = archive.entries.iter().filter(|entry| !entry.has_plain_name()).map(|entry| entry.name.as_str());
        let bare: Vec<&str> = bare.collect();
        if !bare.is_empty() {
            let problem = format!("names are not flagged as UTF-8: {}", spelling::list(bare, 3));
            self.about(&code::L009, "", problem);
        }
        for entry in &archive.entries {
            let ending = entry.name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
            if ARCHIVES.contains(&ending.as_str()) {
                self.about(&code::L008, &entry.name, "it is an archive in the archive");
            }
        }
    }

    /// The one .model3.json, at the root or in one folder.
    fn find_model(&mut self) -> Option<usize> {
        let entries = &self.archive.entries;
        let is_model = |index: &usize| ends_with(&entries[*index].name, ".model3.json") && is_own(&entries[*index].name);
        let models: Vec<usize> = (0..entries.len()).filter(is_model).collect();
        let names = models.iter().map(|index| entries[*index].name.as_str());
        match models.as_slice() {
            [one] => {
                let name = &entries[*one].name;
                if name.matches('/').count() > 1 {
                    self.about(&code::L003, name, "it lies more than one folder deep");
                }
                return Some(*one);
            }
            [] if entries.is_empty() && !self.archive.problems.is_empty() => {}
            [] => _ = self.about(&code::L002, "", "no .model3.json is in the zip"),
            _ => {
                let problem = format!("{} .model3.json files are in the zip: {}", models.len(), spelling::list(names, 4));
                self.about(&code::L002, "", problem);
            }
        }
        None
    }

    /// Unpacks an entry; what cannot be unpacked has a finding.
    fn contents(&mut self, index: usize) -> Option<Vec<u8>> {
        let entry = &self.archive.entries[index];
        let most = if ends_with(&entry.name, ".json") { LARGEST_JSON } else { LARGEST };
        if entry.size > most {
            // A bomb that the scan saw needs no second finding.
            if !self.archive.problems.iter().any(|known| known.entry == entry.name) {
                let problem = format!("unpacked it has {}; at most {} are opened", units::bytes(entry.size), units::bytes(most));
                self.about(&code::L008, &entry.name, problem);
            }
            return None;
        }
        match self.archive.unpack(entry) {
            Ok(contents) => Some(contents),
            Err(problem) => {
                // What the scan found was said, and what is too large together was said once.
                if !self.archive.problems.iter().any(|known| *known == problem || known.fault == problem.fault && known.entry.is_empty()) {
                    self.about(rule(&problem.fault), &problem.entry, &problem.fault);
                }
                None
            }
        }
    }

    /// Finds the files that the model names.
    fn references(&mut self, model: &Model, folder: &str) -> BTreeMap<usize, (String, Role)> {
        let entries = &self.archive.entries;
        let files = || entries.iter().enumerate().filter(|(_, entry)| !entry.is_folder());
        let exact: BTreeMap<&str, usize> = files().map(|(index, entry)| (entry.name.as_str(), index)).collect();
        let folded: BTreeMap<String, usize> = files().map(|(index, entry)| (spelling::fold(&entry.name), index)).collect();
        let inside = |name: &'_ str| name.strip_prefix(folder).unwrap_or(name).to_owned();
        let candidates: Vec<String> = files().map(|(_, entry)| inside(&entry.name)).collect();
        let mut named = BTreeMap::new();
        let mut told = BTreeSet::new();
        for (role, path) in model.references() {
            if leaves(path) {
                if told.insert(path) {
                    self.about(&code::L013, "", format!("the path \"{path}\" leaves the model's folder"));
                }
                continue;
            }
            let whole = format!("{folder}{path}");
            let near = exact.get(whole.as_str()).or_else(|| folded.get(&spelling::fold(&whole)));
            if let Some(index) = near {
                named.entry(*index).or_insert_with(|| (path.to_owned(), role));
            }
            if exact.contains_key(whole.as_str()) || !told.insert(path) {
                continue;
            }
            let (problem, hint) = match near.map(|index| inside(&entries[*index].name)) {
                Some(real) => (
                    format!("\"{path}\" is not in the zip; \"{real}\" differs {}", spelling::difference(path, &real)),
                    format!("Rename the file, or write \"{real}\" in the .model3.json; a build renames it."),
                ),
                None => (
                    format!("\"{path}\", which the .model3.json names, is not in the zip"),
                    nearest(path, candidates.iter().map(String::as_str))
                        .map_or_else(|| code::L012.remedy.to_owned(), |near| format!("Did you mean \"{near}\"?")),
                ),
            };
            self.about(&code::L012, "", problem).hint = hint;
        }
        named
    }

    fn moc(&mut self, index: usize, model: &Model) -> Option<Moc> {
        let bytes = self.contents(index)?;
        let name = &self.archive.entries[index].name;
        let moc = match moc3::read(&bytes) {
            Ok(moc) => moc,
            Err(faults) => {
                for fault in faults {
                    self.about(fault.kind.code(), name, &fault);
                }
                return None;
            }
        };
        if !moc.deviations.is_empty() {
            let deviations = spelling::list(moc.deviations.iter().map(String::as_str), 3);
            self.about(&code::L022, name, format!("it looks edited or damaged: {deviations}"));
        }
        if moc.version > 5 {
            self.about(&code::L023, name, format!("it is of version {}, of Cubism 5.3", moc.version));
        }
        let too_high = moc.columns.mesh_texture.iter().position(|texture| *texture >= 0 && *texture as usize >= model.textures());
        if let Some(mesh) = too_high {
            let (id, texture) = (&moc.columns.mesh_id[mesh], moc.columns.mesh_texture[mesh]);
            let problem = format!("drawable {id} uses texture {texture}, but the .model3.json lists {} from 0", model.textures());
            self.about(&code::L024, name, problem);
        }
        Some(moc)
    }

    /// Every other entry, one after the other: textures, motions and the rest.
    fn files(
        &mut self,
        model_entry: usize,
        model: &Model,
        folder: &str,
        moc: Option<&Moc>,
        named: &BTreeMap<usize, (String, Role)>,
    ) -> (Vec<Texture>, BTreeMap<String, Motion>) {
        let paths = model.references().into_iter().filter(|(role, _)| matches!(role, Role::Texture(_)));
        let mut textures: Vec<Texture> = paths.map(|(_, path)| Texture { path: path.into(), width: 0, height: 0 }).collect();
        let mut motions = BTreeMap::new();
        let archive = self.archive;
        for (index, entry) in archive.entries.iter().enumerate().filter(|(index, entry)| *index != model_entry && !entry.is_folder()) {
            let known = named.get(&index);
            if known.is_some_and(|(_, role)| *role == Role::Moc) {
                continue;
            }
            let role = known.map(|(_, role)| *role);
            let role = role.or_else(|| (ends_with(&entry.name, ".motion3.json") && is_own(&entry.name)).then_some(Role::Motion));
            if role.is_none() && !is_text(&entry.name) {
                let what =
                    if is_editor_source(&entry.name) { "an editor's source goes out with the look" } else { "the model does not use it" };
                self.about(&code::L010, &entry.name, what);
            }
            let Some(bytes) = self.contents(index) else { continue };
            if ARCHIVE_STARTS.iter().any(|start| bytes.starts_with(start)) && !ARCHIVES.iter().any(|ending| ends_with(&entry.name, ending))
            {
                self.about(&code::L008, &entry.name, "it is an archive in the archive");
            }
            match role {
                Some(Role::Texture(_)) => {
                    let size = self.texture(&entry.name, &bytes);
                    let same = textures
                        .iter_mut()
                        .filter(|texture| spelling::fold(&format!("{folder}{}", texture.path)) == spelling::fold(&entry.name));
                    same.for_each(|texture| (texture.width, texture.height) = size);
                }
                Some(Role::Motion) => {
                    let path =
                        known.map_or_else(|| entry.name.strip_prefix(folder).unwrap_or(&entry.name).to_owned(), |(path, _)| path.clone());
                    motions.extend(self.motion(&entry.name, &bytes, moc).map(|motion| (path, motion)));
                }
                Some(role) => {
                    for problem in extras::faults(role, &bytes, moc) {
                        self.about(&code::L032, &entry.name, problem);
                    }
                }
                None => {}
            }
        }
        (textures, motions)
    }

    /// L025; the size in pixels.
    fn texture(&mut self, name: &str, bytes: &[u8]) -> (u32, u32) {
        let (width, height) = match png::verify(bytes) {
            Ok(size) => size,
            Err(problem) => {
                self.about(&code::L025, name, format!("the texture {problem}")).severity = Severity::Error;
                return (0, 0);
            }
        };
        if width > LONGEST_SIDE || height > LONGEST_SIDE {
            self.about(&code::L025, name, format!("the texture has {width} x {height} pixels; {LONGEST_SIDE} a side are read everywhere"));
        } else if width != height || !width.is_power_of_two() {
            self.about(
                &code::L025,
                name,
                format!("the texture has {width} x {height} pixels; it should be square, with sides of a power of two"),
            );
        }
        (width, height)
    }

    /// L028 and L029.
    fn motion(&mut self, name: &str, bytes: &[u8], moc: Option<&Moc>) -> Option<Motion> {
        let motion = match Motion::read(bytes) {
            Ok(motion) => motion,
            Err(problem) => {
                self.about(&code::L028, name, problem);
                return None;
            }
        };
        if let Some(first) = motion.faults.first() {
            let more = motion.faults.len() - 1;
            self.about(&code::L028, name, if more > 0 { format!("{first} (and {more} more)") } else { first.clone() });
        }
        if let Some(moc) = moc {
            let of = |target: Target| motion.curves.iter().filter(move |curve| curve.target == target).map(|curve| curve.id.as_str());
            let parameters = extras::unknown("parameter", of(Target::Parameter), &moc.columns.parameter_id);
            let parts = extras::unknown("part", of(Target::PartOpacity), &moc.columns.part_id);
            let other = of(Target::Unknown).next().map(|id| format!("the curve of {id} has a target that does not exist"));
            for problem in parameters.into_iter().chain(parts).chain(other) {
                self.about(&code::L029, name, problem);
            }
        }
        Some(motion)
    }

    /// L026 and L027.
    fn budget(&mut self, textures: &[Texture]) {
        let (memory, pixels): (u64, u64) = (textures.iter().map(Texture::memory).sum(), textures.iter().map(Texture::pixels).sum());
        let unit = u64::from(LONGEST_SIDE).pow(2);
        for (code, device, (bytes, most)) in [(&code::L026, "desktop", DESKTOP), (&code::L027, "phone", PHONE)] {
            if memory > bytes || pixels > most * unit {
                let (need, limit) = (memory.div_ceil(units::MEGA), bytes / units::MEGA);
                let area = pixels as f64 / unit as f64;
                let problem = format!(
                    "the textures need {need} MB with mipmaps and the area of {area:.2} textures of {LONGEST_SIDE} pixels; a {device} has room for {limit} MB and {most}"
                );
                self.about(code, "", problem);
                return;
            }
        }
    }

    /// L014 to L016 and L033: what the stage looks for by name.
    fn parameters(&mut self, name: &str, model: &Model, moc: Option<&Moc>) {
        for (group, does) in [("EyeBlink", "blink"), ("LipSync", "move her mouth")] {
            match model.group(group) {
                None => _ = self.about(&code::L014, name, format!("the group {group} is missing: nothing says how to {does}")),
                Some([]) => _ = self.about(&code::L014, name, format!("the group {group} is empty: nothing says how to {does}")),
                Some(ids) => {
                    let unknown =
                        moc.and_then(|moc| extras::unknown("parameter", ids.iter().map(String::as_str), &moc.columns.parameter_id));
                    if let Some(problem) = unknown {
                        self.about(&code::L014, name, format!("the group {group}: {problem}"));
                    }
                }
            }
        }
        if !model.hit_areas.iter().any(super::model::HitArea::is_head) {
            self.about(&code::L016, name, "no hit area has \"head\" or \"face\" in its name");
        }
        let Some(moc) = moc else { return };
        for area in model.hit_areas.iter().filter(|area| moc.mesh(&area.id).is_none()) {
            let near = nearest(&area.id, moc.columns.mesh_id.iter().map(String::as_str));
            let hint = near.map_or_else(|| code::L015.remedy.to_owned(), |near| format!("Did you mean \"{near}\"?"));
            self.about(&code::L015, name, format!("the hit area \"{}\" names no drawable: \"{}\"", area.name, area.id)).hint = hint;
        }
        let missing: Vec<&str> = ["ParamAngleX", "ParamAngleY"].into_iter().filter(|id| moc.parameter(id).is_none()).collect();
        if !missing.is_empty() {
            self.about(&code::L033, name, format!("the model has no {}", missing.join(" and no ")));
        }
    }
}

/// True when a path is hostile: it leaves its folder, or starts at a root or a drive.
fn leaves(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    drive
        || path.starts_with(['/', '\\'])
        || path.contains("://")
        || path.contains('\0')
        || path.split(['/', '\\']).any(|step| step == "..")
}

/// What people write for people; a licence has to go with the model.
pub(super) fn is_text(name: &str) -> bool {
    is_own(name) && (ends_with(name, ".txt") || ends_with(name, ".md"))
}

fn is_editor_source(name: &str) -> bool {
    [".psd", ".cmo3", ".can3", ".clip", ".kra", ".xcf"].iter().any(|ending| ends_with(name, ending))
}

/// The rule that a fault of the zip breaks.
fn rule(fault: &Fault) -> &'static Code {
    match fault {
        Fault::Name(_) | Fault::TwoNames(_) => &code::L004,
        Fault::Link | Fault::Special => &code::L005,
        Fault::Duplicate | Fault::SameButForCase(_) | Fault::FileAndFolder => &code::L006,
        Fault::LocalHeader(_) | Fault::Overlap | Fault::Hidden { .. } | Fault::TwoEnds | Fault::Size(_) => &code::L007,
        Fault::TooManyEntries { .. } | Fault::TooLarge { .. } | Fault::Ratio { .. } => &code::L008,
        Fault::NotAnArchive | Fault::Split | Fault::Zip64 | Fault::Damaged(_) | Fault::Encrypted | Fault::Method(_) | Fault::Checksum => {
            &code::L001
        }
    }
}
