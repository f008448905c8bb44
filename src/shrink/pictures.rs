//! Textures: each picture is encoded for what it is used for, scaled down where that was asked, and kept where nothing is gained.
//!
//! Colours are lossy, alpha is exact; normal maps and other numbers get a higher quality, small ones near-lossless. A picture that is
//! WebP already is not encoded again: that would only lose. VRM 1.0 allows PNG and JPEG alone for its thumbnail, so that one stays so.

use super::settings::{Settings, Target, Textures};
use super::{Pass, Work, Workshop};
use crate::codec::image::{self, Kind, Picture, Scaling};
use crate::codec::webp;
use crate::disk::cache::Recipe;
use crate::gltf::refs::Use;
use crate::gltf::{Blob, Document, index_in, index_of};
use crate::parallel::{self, Budget};
use crate::report::{Finding, Place, Report, code};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Encodes pictures.
pub const PASS: Pass = Pass { name: "textures", summary: "encodes each picture for what it is used for, scaled down where asked", run };

/// What a picture is for, over all places that show it: the strictest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Purpose {
    used_for: Use,
    /// The colour of transparent pixels shows (some material ignores alpha).
    exact: bool,
    /// VRM 1.0's thumbnail.
    thumbnail: bool,
    /// Stays as it is, by the settings.
    keep: bool,
}

/// What became of a picture.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Encoded {
    #[serde(skip)]
    bytes: Bytes,
    kind: Kind,
    /// It ships even when it is larger than before.
    committed: bool,
    /// It has fewer pixels than before, as was asked.
    scaled: bool,
}

fn run(work: &mut Work, report: &mut Report) -> bool {
    let purposes = purposes(work);
    // Equal pictures with one purpose are encoded once.
    let mut jobs: BTreeMap<([u8; 32], Purpose), Vec<usize>> = BTreeMap::new();
    for (i, image) in work.document.list("images").iter().enumerate() {
        let (Some(view), Some(purpose)) = (index_in(image, "bufferView"), purposes.get(&i)) else { continue };
        let Some(blob) = work.document.blobs.get(view) else { continue };
        jobs.entry((*blake3::hash(&blob.bytes).as_bytes(), *purpose)).or_default().push(i);
    }
    let mut jobs: Vec<(Purpose, Vec<usize>)> = jobs.into_iter().map(|((_, purpose), images)| (purpose, images)).collect();
    // The largest first, so that the last one does not keep everybody waiting.
    let size_of = |document: &Document, image: usize| {
        index_in(&document.list("images")[image], "bufferView").map_or(0, |v| document.blobs[v].bytes.len())
    };
    jobs.sort_by_key(|(_, images)| (std::cmp::Reverse(size_of(&work.document, images[0])), images[0]));
    let (settings, file) = (work.workshop.settings, work.file);
    let (done, total) = (AtomicUsize::new(0), jobs.len());
    let shared = &*work;
    let (encoded, mut findings) = parallel::map(
        &jobs,
        |(_, images)| format!("{file}, picture {}", images[0]),
        |(purpose, images), report| {
            let image = &shared.document.list("images")[images[0]];
            let view = index_in(image, "bufferView").unwrap_or_default();
            let place = Place::file(file).at(format!("/images/{}", images[0]));
            let encoded = kept(shared.workshop, &shared.document.blobs[view].bytes, image, *purpose, place, report);
            shared.step(&format!("textures {}/{total}", done.fetch_add(1, Ordering::Relaxed) + 1));
            encoded
        },
    );
    findings.sort();
    report.merge(findings);
    let mut changed = false;
    let mut scaled = 0;
    for ((_, images), encoded) in jobs.iter().zip(encoded) {
        let Some(Some(encoded)) = encoded else { continue };
        work.committed |= encoded.committed;
        scaled += usize::from(encoded.scaled);
        changed = true;
        let view = work.document.add_view(Blob { bytes: encoded.bytes, packed: None }, json!({}));
        for &i in images {
            let image = &mut work.document.list_mut("images")[i];
            image["bufferView"] = view.into();
            image["mimeType"] = encoded.kind.mime().into();
        }
    }
    if scaled > 0 {
        let plural = if scaled == 1 { "picture was" } else { "pictures were" };
        let message = format!("{scaled} {plural} scaled down to {} pixels at most", settings.textures.max_size);
        report.add(Finding::new(&code::S012, work.place("/images"), message).fixed());
    }
    changed | link(&mut work.document, work.workshop.settings.target)
}

/// For each picture that something shows, what it is for.
fn purposes(work: &Work) -> BTreeMap<usize, Purpose> {
    let document = &work.document;
    let textures = document.list("textures");
    let images = document.list("images");
    let keep: Vec<globset::GlobMatcher> =
        work.settings().textures.keep.iter().filter_map(|p| globset::Glob::new(p).ok()).map(|g| g.compile_matcher()).collect();
    let opaque = opaque(document);
    let mut purposes: BTreeMap<usize, Purpose> = BTreeMap::new();
    let mut add = |image: usize, used_for: Use, exact: bool, thumbnail: bool| {
        let Some(json) = images.get(image) else { return };
        let kept = json.get("name").and_then(Value::as_str).is_some_and(|name| keep.iter().any(|k| k.is_match(name)));
        let p = purposes.entry(image).or_insert(Purpose { used_for, exact, thumbnail, keep: kept });
        p.used_for = p.used_for.max(used_for);
        p.exact |= exact;
        p.thumbnail |= thumbnail;
    };
    let sources = |texture: &Value| -> Vec<usize> {
        let extensions = texture.get("extensions").and_then(Value::as_object).into_iter().flat_map(|e| e.values());
        extensions.chain([texture]).filter_map(|holder| index_in(holder, "source")).collect()
    };
    work.workshop.table.visit(&document.json, &mut |row, pointer, value| {
        let Some(index) = index_of(value) else { return };
        match row.texture {
            Some(used_for) => {
                // Only where alpha means coverage may the colour under transparent pixels change.
                let mut steps = pointer.split('/').skip_while(|s| *s != "materials" && *s != "materialProperties");
                let material = steps.nth(1).and_then(|s| s.parse::<usize>().ok());
                let covers = row.path.ends_with("baseColorTexture/index") || row.path.ends_with("/textureProperties/*");
                let exact = !covers || material.is_none_or(|m| opaque.contains(&m));
                for image in textures.get(index).map(sources).unwrap_or_default() {
                    add(image, used_for, exact, false);
                }
            }
            None if row.path == "extensions/VRMC_vrm/meta/thumbnailImage" => add(index, Use::Color, false, true),
            // Pictures that an extension names without a texture.
            None if row.list == "images" && !row.path.starts_with("textures/") => add(index, Use::Data, true, true),
            None => {}
        }
    });
    // Textures that nobody shows are pruned, unless an unknown extension might show them: then their pictures stay as they are.
    purposes
}

/// Materials that ignore alpha.
fn opaque(document: &Document) -> BTreeSet<usize> {
    let materials = document.list("materials").iter().enumerate();
    materials.filter(|(_, m)| !m.get("alphaMode").is_some_and(|mode| mode == "MASK" || mode == "BLEND")).map(|(i, _)| i).collect()
}

/// What an earlier run made of the picture, in whatever file it was, else what [`encode`] makes of it.
fn kept(workshop: Workshop, bytes: &Bytes, image: &Value, purpose: Purpose, place: Place, report: &mut Report) -> Option<Encoded> {
    let settings = workshop.settings;
    let recipe = || {
        let chosen = (&settings.textures, settings.target, settings.limits.picture_side);
        Recipe::new("picture").and_data(&(purpose, chosen, image.get("mimeType"))).and(bytes)
    };
    let mut found = Report::default();
    let made = workshop.cache.through(recipe, &mut found, |report| {
        let encoded = encode(bytes, image, purpose, settings, workshop.pictures, place.clone(), report);
        let bytes = encoded.as_ref().map(|encoded| encoded.bytes.clone());
        Some((encoded, bytes.unwrap_or_default()))
    });
    for mut finding in found.findings {
        finding.place = place.clone();
        report.add(finding);
    }
    let (encoded, bytes, _) = made?;
    encoded.map(|encoded| Encoded { bytes, ..encoded })
}

fn encode(
    bytes: &Bytes,
    image: &Value,
    purpose: Purpose,
    settings: &Settings,
    budget: &Budget,
    place: Place,
    report: &mut Report,
) -> Option<Encoded> {
    let unreadable = |report: &mut Report, error: &image::Error| {
        let code = match error {
            image::Error::TooLarge(..) => &code::S007,
            image::Error::Animated => &code::S003,
            _ => &code::S002,
        };
        report.add(Finding::new(code, place.clone(), format!("{error}; it is kept as it is")).hint(code.remedy));
        None
    };
    let info = match image::info(bytes) {
        Ok(info) => info,
        Err(error) => return unreadable(report, &error),
    };
    let mime = image.get("mimeType").and_then(Value::as_str);
    let mislabelled = info.kind.filter(|kind| mime != Some(kind.mime()));
    if let (Some(kind), Some(mime)) = (mislabelled, mime) {
        let message = format!("the picture is called {mime} but is {}", kind.mime());
        report.add(Finding::new(&code::S005, place.clone(), message).fixed());
    }
    let kept = || mislabelled.map(|kind| Encoded { bytes: bytes.clone(), kind, committed: true, scaled: false });
    if info.animated {
        report.add(
            Finding::new(&code::S003, place.clone(), "the picture is animated; a texture shows its first frame").hint(code::S003.remedy),
        );
    }
    let side = settings.limits.picture_side;
    if info.width > side || info.height > side || u64::from(info.width) * u64::from(info.height) > image::MAX_PIXELS {
        return unreadable(report, &image::Error::TooLarge(info.width, info.height)).or_else(kept);
    }
    let textures = &settings.textures;
    let allowed = |kind: Kind| match kind {
        Kind::Png | Kind::Jpeg => true,
        Kind::Webp => settings.target.reads_webp() && !purpose.thumbnail,
        Kind::Ktx2 => true,
        _ => false,
    };
    let readable = info.kind.is_some_and(allowed);
    let size = image::fitted(info.width, info.height, textures.max_size);
    let scaled = size != (info.width, info.height);
    let final_form = matches!(info.kind, Some(Kind::Webp | Kind::Ktx2)) && readable;
    if purpose.keep || info.kind == Some(Kind::Ktx2) || (info.animated && info.kind == Some(Kind::Webp)) || (final_form && !scaled) {
        return kept();
    }
    let _share = budget.take(u64::from(info.width) * u64::from(info.height));
    let picture = match image::decode(bytes) {
        Ok(picture) => picture,
        Err(error) => return unreadable(report, &error).or_else(kept),
    };
    let picture = if scaled {
        let scaling = Scaling {
            premultiply: purpose.used_for == Use::Color && !purpose.exact,
            linear: textures.linear_resize && purpose.used_for == Use::Color,
        };
        // The head gives the size before a camera's orientation is applied.
        let (width, height) = image::fitted(picture.width, picture.height, textures.max_size);
        match image::resize(picture, width, height, scaling) {
            Ok(picture) => picture,
            Err(error) => return unreadable(report, &error).or_else(kept),
        }
    } else {
        picture
    };
    let picture = if textures.solid && !purpose.thumbnail { tiny_if_solid(picture) } else { picture };
    // A lossless source that is small for its pixels is flat artwork; a JPEG says nothing of the kind.
    let flat = if info.kind == Some(Kind::Jpeg) { usize::MAX } else { bytes.len() };
    let as_webp = settings.target.reads_webp() && !purpose.thumbnail;
    let result =
        if as_webp { smallest_webp(&picture, flat, purpose, textures) } else { smallest_plain(&picture, info.kind, purpose, textures) };
    match result {
        Ok((new, kind)) if new.len() < bytes.len() || scaled || !readable => {
            Some(Encoded { bytes: Bytes::from(new), kind, committed: scaled || !readable, scaled })
        }
        Ok(_) => kept(),
        Err(error) => unreadable(report, &error).or_else(kept),
    }
}

/// A picture of one colour becomes one of 4 x 4 pixels: no sampler can tell.
fn tiny_if_solid(picture: Picture) -> Picture {
    if picture.width <= 4 && picture.height <= 4 {
        return picture;
    }
    let Some(color) = picture.solid() else { return picture };
    let (width, height) = (picture.width.min(4), picture.height.min(4));
    Picture { width, height, channels: picture.channels, pixels: color.repeat((width * height) as usize) }
}

/// `source`: bytes of the lossless file that it comes from.
fn smallest_webp(picture: &Picture, source: usize, purpose: Purpose, textures: &Textures) -> Result<(Vec<u8>, Kind), image::Error> {
    let color = purpose.used_for == Use::Color;
    let quality = match purpose.used_for {
        Use::Color => textures.quality,
        Use::Data => textures.data_quality,
        Use::Normal => textures.normal_quality,
    };
    let lossy = webp::Settings {
        quality: f32::from(quality),
        method: textures.method,
        alpha_quality: textures.alpha_quality,
        exact: purpose.exact,
        near_lossless: None,
        sharp_yuv: false,
    };
    let pixels = picture.width * picture.height;
    let small = pixels <= textures.near_lossless_pixels;
    let exactly = |level: u8| webp::encode(picture, &webp::Settings { quality: 75.0, near_lossless: Some(level), ..lossy });
    if pixels <= 16 {
        return Ok((exactly(100)?, Kind::Webp));
    }
    if small && !color {
        return Ok((exactly(textures.near_lossless)?, Kind::Webp));
    }
    let bytes = webp::encode(picture, &lossy)?;
    // Flat artwork is smaller without loss; a source that is small for its kind hints at it.
    if small || source < 2 * bytes.len() {
        let lossless = exactly(100)?;
        if lossless.len() <= bytes.len() {
            return Ok((lossless, Kind::Webp));
        }
    }
    Ok((bytes, Kind::Webp))
}

/// PNG or JPEG: JPEG stays JPEG, opaque colours may become it where the target has no WebP, all else is PNG.
fn smallest_plain(picture: &Picture, was: Option<Kind>, purpose: Purpose, textures: &Textures) -> Result<(Vec<u8>, Kind), image::Error> {
    let png = || Ok((image::encode_png(picture)?, Kind::Png));
    let lossy = picture.channels == 3 && (was == Some(Kind::Jpeg) || (purpose.used_for == Use::Color && !purpose.thumbnail));
    if !lossy {
        return png();
    }
    let jpeg = image::encode_jpeg(picture, textures.quality.max(90))?;
    if was == Some(Kind::Jpeg) {
        Ok((jpeg, Kind::Jpeg))
    } else {
        png().map(|(png, kind)| if png.len() <= jpeg.len() { (png, kind) } else { (jpeg, Kind::Jpeg) })
    }
}

/// Makes textures name their WebP pictures by EXT_texture_webp, and plain ones without it.
fn link(document: &mut Document, target: Target) -> bool {
    const WEBP: &str = "EXT_texture_webp";
    let is_webp: Vec<bool> = document.list("images").iter().map(|i| i.get("mimeType").is_some_and(|m| m == "image/webp")).collect();
    let webp = |index: Option<usize>| index.is_some_and(|i| is_webp.get(i) == Some(&true));
    let (mut used, mut required, mut changed) = (false, false, false);
    for texture in document.elements_mut("textures") {
        let source = index_in(texture, "source");
        let extension = texture.get("extensions").and_then(|e| e.get(WEBP)).and_then(|e| index_in(e, "source"));
        let before = texture.clone();
        let chosen = if target.reads_webp() { extension.or(source) } else { source.or(extension) };
        if webp(chosen) && (webp(source) || extension.is_none() || target.reads_webp()) {
            if let Some(object) = texture.as_object_mut() {
                object.shift_remove("source");
            }
            texture["extensions"][WEBP]["source"] = chosen.into();
            (used, required) = (true, true);
        } else if extension.is_some()
            && let Some(object) = texture.as_object_mut()
        {
            object.insert("source".into(), chosen.into());
            if let Some(extensions) = object.get_mut("extensions").and_then(Value::as_object_mut) {
                extensions.shift_remove(WEBP);
                if extensions.is_empty() {
                    object.shift_remove("extensions");
                }
            }
        }
        changed |= before != *texture;
    }
    document.forget_extension(WEBP);
    if used {
        document.use_extension(WEBP, required);
    }
    changed
}
