//! What becomes of each file of a pack: avatars, items and clips are shrunk, large pictures encoded again, manifests follow.

use super::facts::{self, Fact};
use super::settings::Settings;
use super::shrink::ROOM;
use super::{Desk, live2d, remake};
use crate::codec::image::{self, Scaling};
use crate::codec::webp;
use crate::disk::cache::Recipe;
use crate::gltf::names::sanitize;
use crate::pack::references::Kind;
use crate::pack::rewrite::{self, Edits, Scope};
use crate::pack::{Facts, Manifest, Pack};
use crate::parallel;
use crate::report::{Finding, Place, Report, code};
use crate::shrink::names::Named;
use crate::shrink::{self, Role, Shrunk, rigid};
use crate::vrm::refs::TABLE;
use bytes::Bytes;
use std::collections::BTreeMap;

/// A file that ships in another form than it lies in the folder.
#[derive(Debug, Clone, Default)]
pub struct Artifact {
    /// What ships.
    pub bytes: Bytes,
    /// Its path in the zip when that is another.
    pub renamed: Option<String>,
    /// An earlier run worked it out.
    pub cached: bool,
    /// Of a glTF file the names of its nodes.
    names: Vec<Named>,
}

impl From<Shrunk> for Artifact {
    fn from(shrunk: Shrunk) -> Self {
        Self { bytes: shrunk.bytes, renamed: None, cached: shrunk.cached, names: shrunk.names }
    }
}

fn ending(path: &str) -> String {
    path.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_ascii_lowercase())
}

/// True for a file that is named as something that a glTF file can be, and may be one.
pub fn is_gltf(path: &str, kind: Kind) -> bool {
    match kind {
        Kind::Avatar | Kind::Clip => matches!(ending(path).as_str(), "vrm" | "glb" | "vrma"),
        Kind::ItemModel => true,
        Kind::Thumbnail | Kind::Background => false,
    }
}

/// Makes everything that ships in another form, by path in the folder; and tells what was found in the sources on the way, and what was wrong
/// with them (`faults`).
pub fn make(pack: &Pack, desk: Desk, faults: &mut Report, report: &mut Report) -> (BTreeMap<String, Artifact>, Facts) {
    // A file that is named as several things is done as the first of them.
    let mut kinds: BTreeMap<&str, Kind> = BTreeMap::new();
    for reference in &pack.references {
        if let Some(path) = reference.target() {
            kinds.entry(path).or_insert(reference.kind);
        }
    }
    let sizes = pack.tree.sizes();
    let mut jobs: Vec<(&str, Kind, u64)> = kinds.into_iter().filter_map(|(path, kind)| Some((path, kind, *sizes.get(path)?))).collect();
    jobs.sort_by_key(|(path, _, size)| (std::cmp::Reverse(*size), *path));
    desk.progress.expect(jobs.len(), jobs.iter().map(|(.., size)| *size).sum());
    let (mut made, mut facts) = (BTreeMap::new(), facts::none(desk.settings));
    let (results, findings) = parallel::feed(
        &jobs,
        ROOM,
        |(_, _, size)| *size,
        |(path, _, _)| path.to_string(),
        |(path, kind, _), report| {
            let bytes = pack.tree.read(path).ok()?;
            let mut source = Source { pack, path, kind: *kind, bytes: &bytes, fact: None, faults: Report::default() };
            let artifact = source.artifact(desk, report);
            desk.progress.advance(bytes.len() as u64);
            Some((artifact, source.fact, source.faults))
        },
    );
    report.merge(findings);
    for ((path, _, _), result) in jobs.iter().zip(results) {
        let Some((artifact, fact, found)) = result.flatten() else { continue };
        made.extend(artifact.map(|artifact| (path.to_string(), artifact)));
        fact.into_iter().for_each(|fact| facts::add(&mut facts, path, fact));
        faults.merge(found);
    }
    for manifest in &pack.manifests {
        if let Some(artifact) = rewritten(pack, manifest, &made, report) {
            made.insert(manifest.path.clone(), artifact);
        }
    }
    (made, facts)
}

/// A file on its way into the zip.
struct Source<'a> {
    pack: &'a Pack,
    path: &'a str,
    kind: Kind,
    bytes: &'a Bytes,
    /// What was found in it.
    fact: Option<Fact>,
    /// What is wrong with it.
    faults: Report,
}

impl Source<'_> {
    fn artifact(&mut self, desk: Desk, report: &mut Report) -> Option<Artifact> {
        if self.bytes.is_empty() {
            return None;
        }
        if matches!(self.kind, Kind::Thumbnail | Kind::Background) {
            self.fact = facts::picture(self.bytes).map(Fact::Picture);
            return picture(self.pack, self.path, self.bytes, desk, report);
        }
        if live2d::is_look(self.path, self.kind, self.bytes) {
            let bundle = crate::live2d::open(self.bytes, self.path, &mut self.faults)?;
            self.fact = live2d::facts(&bundle).map(Fact::Live2d);
            let source = live2d::Source { bundle: &bundle, bytes: self.bytes, file: self.path, faults: &self.faults };
            let bytes = source.repack(Some(&played(self.pack, self.path)), desk, report)?;
            return Some(Artifact { bytes, ..Artifact::default() });
        }
        let remade = (self.kind == Kind::Clip).then(|| remake::remade(self.pack, self.path, self.bytes, desk.settings)).flatten();
        if let Some((document, renamed)) = remade {
            let bytes = Bytes::from(document.write()?);
            let workshop = desk.workshop(&desk.settings.shrink);
            let shrunk = shrink::shrink_document(document, &bytes, self.path, Role::Clip, workshop, report)?;
            return Some(Artifact { renamed, ..shrunk.into() });
        }
        let mut document = facts::open(self.bytes, self.path, self.kind, &mut self.faults)?;
        self.fact = facts::of_document(&document, self.kind, self.bytes);
        let mut chosen = desk.settings.shrink.clone();
        if self.kind == Kind::ItemModel {
            let cap = desk.settings.items.texture_size;
            chosen.textures.max_size = if chosen.textures.max_size == 0 { cap } else { chosen.textures.max_size.min(cap) };
        }
        let role = if self.kind == Kind::Clip { Role::Clip } else { Role::Model };
        let is_stripped = self.kind == Kind::ItemModel && desk.settings.items.strip_animations && rigid::strip(&mut document, &TABLE);
        // What is not stripped must not come back where nothing else is gained.
        let bytes = if is_stripped { Bytes::from(document.write()?) } else { self.bytes.clone() };
        shrink::shrink_document(document, &bytes, self.path, role, desk.workshop(&chosen), report).map(Artifact::from)
    }
}

/// The motions inside a Live2D zip that some model plays.
fn played(pack: &Pack, zip: &str) -> Vec<String> {
    let shows = |model: &&Manifest| pack.references_of(model).any(|r| r.kind == Kind::Avatar && r.target() == Some(zip));
    let motions = pack.models().filter(shows).filter_map(|model| model.root.as_ref()).flat_map(|root| root.list("motions"));
    let ids = motions.filter_map(|motion| motion.get("id")?.as_str()?.strip_prefix("avatar:"));
    ids.map(str::to_owned).collect()
}

/// A thumbnail or background: encoded again when it is too large, and named by what it is.
fn picture(pack: &Pack, path: &str, bytes: &Bytes, desk: Desk, report: &mut Report) -> Option<Artifact> {
    let info = image::info(bytes).ok()?;
    let kind = info.kind?;
    let mut cached = false;
    let (smaller, kind) = if bytes.len() as u64 > desk.settings.pictures.max_bytes && !info.animated {
        let recipe = || Recipe::new("thumbnail").and_data(&desk.settings.pictures).and(bytes);
        let made = desk.cache.through(recipe, report, |_| {
            let _share = desk.pictures.take(u64::from(info.width) * u64::from(info.height));
            let smaller = smaller_picture(bytes, kind, desk.settings);
            Some((smaller.as_ref().map(|(_, kind)| *kind), smaller.map(|(bytes, _)| bytes).unwrap_or_default()))
        });
        match made {
            Some((Some(kind), bytes, kept)) => {
                cached = kept;
                (bytes, kind)
            }
            _ => {
                let message = "the picture does not fit under the limit at a good quality; it stays as it is";
                report.add(Finding::new(&code::S011, Place::file(path), message).hint(code::S011.remedy));
                return None;
            }
        }
    } else {
        (bytes.clone(), kind)
    };
    let wanted = match kind {
        image::Kind::Png => "png",
        image::Kind::Jpeg => "jpg",
        image::Kind::Webp => "webp",
        _ => return None,
    };
    let now = ending(path);
    let right = now == wanted || (now == "jpeg" && wanted == "jpg");
    let stem = path.rsplit_once('.').filter(|(_, ending)| !ending.contains('/')).map_or(path, |(stem, _)| stem);
    let name = format!("{stem}.{wanted}");
    let renamed = (!right && !pack.is_named_elsewhere(path) && pack.tree.find_folded(&name).is_none()).then_some(name);
    if smaller == *bytes && renamed.is_none() {
        return None;
    }
    Some(Artifact { bytes: smaller, renamed, cached, ..Artifact::default() })
}

/// The picture under the limit, at the best quality that fits; then scaled down step by step.
fn smaller_picture(bytes: &Bytes, kind: image::Kind, settings: &Settings) -> Option<(Bytes, image::Kind)> {
    let mut picture = image::decode(bytes).ok()?;
    let limits = &settings.pictures;
    let fits = |out: &[u8]| out.len() as u64 <= limits.max_bytes;
    // A PNG may only have been packed badly.
    if kind == image::Kind::Png
        && let Ok(png) = image::encode_png(&picture)
        && fits(&png)
    {
        return Some((Bytes::from(png), image::Kind::Png));
    }
    loop {
        let mut quality = limits.quality;
        loop {
            let encoded = if picture.channels == 3 && kind != image::Kind::Webp {
                image::encode_jpeg(&picture, quality).map(|out| (out, image::Kind::Jpeg))
            } else {
                let lossy = webp::Settings {
                    quality: f32::from(quality),
                    method: 4,
                    alpha_quality: 100,
                    exact: false,
                    near_lossless: None,
                    sharp_yuv: false,
                };
                webp::encode(&picture, &lossy).map(|out| (out, image::Kind::Webp))
            };
            if let Ok((out, kind)) = encoded
                && fits(&out)
            {
                return Some((Bytes::from(out), kind));
            }
            if quality <= limits.quality_floor {
                break;
            }
            quality = quality.saturating_sub(limits.quality_step.max(1)).max(limits.quality_floor);
        }
        let longest = picture.width.max(picture.height);
        if longest <= 512 {
            return None;
        }
        let (width, height) = image::fitted(picture.width, picture.height, longest * 3 / 4);
        picture = image::resize(picture, width, height, Scaling { premultiply: true, linear: false }).ok()?;
    }
}

/// The manifest with its names spelled as three.js does and its files as they are called now; `None` when nothing changes.
fn rewritten(pack: &Pack, manifest: &Manifest, made: &BTreeMap<String, Artifact>, report: &mut Report) -> Option<Artifact> {
    let mut edits = Edits::default();
    rewrite::strip_mark(manifest, &mut edits);
    let is_vrma = |artifact: &Artifact| artifact.renamed.as_ref().is_some_and(|new| new.ends_with(".vrma"));
    made.iter().filter(|(_, artifact)| is_vrma(artifact)).for_each(|(old, _)| remake::drop_rig(pack, manifest, old, &mut edits));
    let avatar = pack.avatar_of(manifest).and_then(|r| made.get(r.target()?));
    let spelled = |scope: Scope<'_>, written: &str| match scope {
        Scope::Avatar => spelling(&avatar?.names, written),
        Scope::Clip(path) => match made.get(path) {
            Some(clip) => spelling(&clip.names, written),
            // Names inside an FBX stay; three.js reads them by this spelling.
            None => Some(sanitize(written)).filter(|name| name != written && ending(path) == "fbx"),
        },
    };
    // What was misspelled is said by the rules, which find it in the sources and not in the zip.
    rewrite::respell(manifest, &spelled, &mut edits);
    for (old, artifact) in made {
        if let Some(new) = &artifact.renamed {
            for change in rewrite::rename_file(pack, manifest, old, new, &mut edits) {
                let (code, what) =
                    if is_vrma(artifact) { (&code::S013, "became a VRM animation") } else { (&code::P010, "is a file of another kind") };
                let message = format!("{:?} {what}; it is called {:?} now", change.was, change.is);
                report.add(Finding::new(code, change.place, message).fixed());
            }
        }
    }
    (!edits.is_empty()).then(|| Artifact { bytes: Bytes::from(edits.apply(&manifest.text)), ..Artifact::default() })
}

/// The name of a node now, when the one written is that of the source or only unsanitised; `None` when it is right, or nobody's.
fn spelling(names: &[Named], written: &str) -> Option<String> {
    if names.iter().any(|name| name.to == written) {
        return None;
    }
    let raw = names.iter().find(|name| name.from == written).map(|name| name.to.clone());
    raw.or_else(|| Some(sanitize(written)).filter(|clean| names.iter().any(|name| name.to == *clean)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_written_find_their_node() {
        let named = |from: &str, to: &str| Named { from: from.into(), to: to.into() };
        let names = [named("Top.001", "Top001"), named("A", "A"), named("A", "A_1"), named("Ear L", "Ear_L")];
        assert_eq!(spelling(&names, "Top.001").as_deref(), Some("Top001"));
        assert_eq!(spelling(&names, "Top001"), None);
        assert_eq!(spelling(&names, "A"), None);
        // Another raw spelling of the same name.
        assert_eq!(spelling(&names, "Ear\u{a0}L").as_deref(), Some("Ear_L"));
        assert_eq!(spelling(&names, "Nobody.1"), None);
    }
}
