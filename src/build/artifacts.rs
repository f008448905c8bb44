//! What becomes of each file of a pack: avatars, items and clips are shrunk, large pictures encoded again, manifests follow.

use super::settings::Settings;
use super::{live2d, pack as judging, shrink::batches};
use crate::codec::image::{self, Scaling};
use crate::codec::webp;
use crate::gltf::names::sanitize;
use crate::pack::references::Kind;
use crate::pack::rewrite::{self, Change, Edits, Scope};
use crate::pack::{Manifest, Pack};
use crate::parallel::{self, Budget};
use crate::report::{Code, Finding, Place, Progress, Report, Severity, code};
use crate::shrink::names::Named;
use crate::shrink::{self, Role, Workshop};
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
    /// Pictures in it.
    pub texture_bytes: Option<u64>,
    /// Geometry in it.
    pub geometry_bytes: Option<u64>,
    /// Of a glTF file the names of its nodes.
    names: Vec<Named>,
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

/// Makes everything that ships in another form, by path in the folder.
pub fn make(
    pack: &Pack,
    settings: &Settings,
    pictures: &Budget,
    progress: &dyn Progress,
    report: &mut Report,
) -> BTreeMap<String, Artifact> {
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
    progress.expect(jobs.len());
    let mut made = BTreeMap::new();
    for batch in batches(&jobs, |(_, _, size)| *size) {
        let (results, findings) = parallel::map(
            batch,
            |(path, _, _)| path.to_string(),
            |(path, kind, _), report| {
                let bytes = pack.tree.read(path).ok()?;
                artifact(pack, path, *kind, &bytes, settings, pictures, progress, report)
            },
        );
        report.merge(findings);
        for ((path, _, _), result) in batch.iter().zip(results) {
            made.extend(result.flatten().map(|artifact| (path.to_string(), artifact)));
        }
    }
    for manifest in &pack.manifests {
        if let Some(artifact) = rewritten(pack, manifest, &made, report) {
            made.insert(manifest.path.clone(), artifact);
        }
    }
    made
}

#[allow(clippy::too_many_arguments)]
fn artifact(
    pack: &Pack,
    path: &str,
    kind: Kind,
    bytes: &Bytes,
    settings: &Settings,
    pictures: &Budget,
    progress: &dyn Progress,
    report: &mut Report,
) -> Option<Artifact> {
    if bytes.is_empty() {
        return None;
    }
    if matches!(kind, Kind::Thumbnail | Kind::Background) {
        return picture(pack, path, bytes, settings, pictures, report);
    }
    if kind == Kind::Avatar && ending(path) == "zip" && live2d::is_zip(bytes) {
        let repacked = live2d::repack(bytes, path, Some(&played(pack, path)), settings, pictures, report)?;
        return Some(Artifact { bytes: repacked.bytes, texture_bytes: Some(repacked.texture_bytes), ..Artifact::default() });
    }
    // What is no GLB at all (an FBX, a Live2D zip, a picture under a wrong name) is judged by the rules, not opened.
    if !is_gltf(path, kind) || !bytes.starts_with(b"glTF") {
        return None;
    }
    let mut chosen = settings.shrink.clone();
    if kind == Kind::ItemModel {
        let cap = settings.items.texture_size;
        chosen.textures.max_size = if chosen.textures.max_size == 0 { cap } else { chosen.textures.max_size.min(cap) };
    }
    let role = if kind == Kind::Clip { Role::Clip } else { Role::Model };
    let workshop = Workshop { settings: &chosen, table: &TABLE, pictures, progress };
    let shrunk = shrink::shrink(bytes, path, role, workshop, report)?;
    if kind == Kind::Avatar {
        judging::judge_shipped_avatar(&shrunk.bytes, path, report);
    }
    Some(Artifact {
        bytes: shrunk.bytes,
        renamed: None,
        texture_bytes: Some(shrunk.texture_bytes),
        geometry_bytes: Some(shrunk.geometry_bytes),
        names: shrunk.names,
    })
}

/// The motions inside a Live2D zip that some model plays.
fn played(pack: &Pack, zip: &str) -> Vec<String> {
    let shows = |model: &&Manifest| pack.references_of(model).any(|r| r.kind == Kind::Avatar && r.target() == Some(zip));
    let motions = pack.models().filter(shows).filter_map(|model| model.root.as_ref()).flat_map(|root| root.list("motions"));
    let ids = motions.filter_map(|motion| motion.get("id")?.as_str()?.strip_prefix("avatar:"));
    ids.map(str::to_owned).collect()
}

/// A thumbnail or background: encoded again when it is too large, and named by what it is.
fn picture(pack: &Pack, path: &str, bytes: &Bytes, settings: &Settings, pictures: &Budget, report: &mut Report) -> Option<Artifact> {
    let info = image::info(bytes).ok()?;
    let kind = info.kind?;
    let (smaller, kind) = if bytes.len() as u64 > settings.pictures.max_bytes && !info.animated {
        let _share = pictures.take(u64::from(info.width) * u64::from(info.height));
        match smaller_picture(bytes, kind, settings) {
            Some(smaller) => smaller,
            None => {
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
    Some(Artifact { bytes: smaller, renamed, ..Artifact::default() })
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
    let avatar = pack.references_of(manifest).find(|r| r.kind == Kind::Avatar).and_then(|r| made.get(r.target()?));
    let spelled = |scope: Scope<'_>, written: &str| match scope {
        Scope::Avatar => spelling(&avatar?.names, written),
        Scope::Clip(path) => match made.get(path) {
            Some(clip) => spelling(&clip.names, written),
            // Names inside an FBX stay; three.js reads them by this spelling.
            None => Some(sanitize(written)).filter(|name| name != written && ending(path) == "fbx"),
        },
    };
    for change in rewrite::respell(manifest, &spelled, &mut edits) {
        note(&change, report);
    }
    for (old, artifact) in made {
        if let Some(new) = &artifact.renamed {
            for change in rewrite::rename_file(pack, manifest, old, new, &mut edits) {
                let message = format!("{:?} is a file of another kind; it is called {:?} now", change.was, change.is);
                report.add(Finding::new(&code::P010, change.place, message).fixed());
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

fn note(change: &Change, report: &mut Report) {
    let pointer = &change.place.pointer;
    let code: &'static Code = if pointer.contains("/cloth/") {
        &code::K006
    } else if pointer.contains("/meshes/") {
        &code::O007
    } else if pointer.contains("/shapes/") {
        &code::O014
    } else if pointer.ends_with("/jawBone") {
        &code::F003
    } else {
        &code::R005
    };
    let message = format!("{:?} is written {:?} in the pack, as three.js spells it", change.was, change.is);
    let mut finding = Finding::new(code, change.place.clone(), message).fixed();
    finding.severity = Severity::Note;
    report.add(finding);
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
