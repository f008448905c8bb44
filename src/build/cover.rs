//! `cover`, and the part of a build that embeds what was worked out of each look.

use super::artifacts::Artifact;
use super::outcome::Model;
use super::{CoverJob, Desk, Finished, Run, precomputed, read, shown};
use crate::clip::retarget::Body;
use crate::clip::{Clip, Retarget, Rig};
use crate::codec::image;
use crate::cover::{self, Cover, Outfit};
use crate::disk;
use crate::disk::cache::{Cache, Recipe};
use crate::gltf::names::sanitize;
use crate::gltf::{Document, index_in, list};
use crate::motion::walk::body_height;
use crate::pack::{Manifest, Pack};
use crate::parallel::{self, Budget};
use crate::report::progress::Task;
use crate::report::{Finding, Place, Report, code};
use crate::vrm;
use crate::vrm::refs::TABLE;
use bytes::Bytes;
use glam::DMat4;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Poses of the look's own motions that are looked at, all together.
const OWN_POSES: usize = 24;

/// `cover AVATAR --model MODEL.json`
pub fn cover(job: &CoverJob, run: &Run) -> Finished {
    let (settings, mut report) = run.choices.settings(None);
    let mut finished = Finished::new("cover");
    let name = shown(&job.avatar);
    run.progress.expect(1, 0);
    let pictures = Budget::new(settings.run.picture_pixels);
    let desk = Desk::new(&settings, &pictures, run);
    let (model, findings) = parallel::guarded(|| name.clone(), |report| one(job, desk, report));
    report.merge(findings);
    finished.add(report, None, &settings, run.strict);
    finished.outcome.models = Some(model.flatten().into_iter().collect());
    finished
}

fn one(job: &CoverJob, desk: Desk, report: &mut Report) -> Option<Model> {
    let name = shown(&job.avatar);
    let document = Document::read(&read(&job.avatar, report)?, &name, &TABLE, report)?;
    let text = read(&job.model, report)?;
    let parsed = Manifest::parse(crate::pack::Kind::Model, "", &shown(&job.model), &text, report);
    parsed.root?;
    let look = Look::new(&document, manifest(&parsed.text), |clip| disk::read_file(&job.model.parent()?.join(clip)).ok());
    let task = Task::start(desk.progress, &name);
    let covers = look.covers(&name, desk, &task, report);
    if let Some(folder) = &job.pictures {
        pictures(&look, &covers, folder, report);
    }
    let key = job.avatar.file_name().map_or_else(|| name.clone(), |name| name.to_string_lossy().into_owned());
    let cover = covers.iter().map(precomputed::shown).collect();
    Some(Model { key, body_height: body_height(&document, &look.body), walks: Vec::new(), cover })
}

/// Front and back of every outfit, as PNG files in a folder.
fn pictures(look: &Look, covers: &[Cover], folder: &Path, report: &mut Report) {
    for (name, picture) in cover::pictures::draw(look.document, &look.outfits, &look.facts, covers) {
        let path = folder.join(name);
        let png = crate::codec::image::encode_png(&picture).map_err(|error| error.to_string());
        if let Err(error) = png.and_then(|png| disk::write_if_changed(&path, &png).map_err(|error| error.to_string())) {
            report.add(Finding::new(&code::Z003, Place::file(shown(&path)), error).hint(code::Z003.remedy));
        }
    }
}

/// The JSON of a manifest whose text was read before.
fn manifest(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default()
}

/// An avatar and what its manifest says of it.
struct Look<'a> {
    document: &'a Document,
    outfits: Vec<Outfit>,
    body: Body,
    facts: cover::Body,
}

impl<'a> Look<'a> {
    /// `clip` gives the bytes of a file beside the manifest.
    fn new(document: &'a Document, manifest: Value, clip: impl Fn(&str) -> Option<Bytes>) -> Self {
        let body = Body::of(document, rig(&manifest).as_ref());
        let avatar = vrm::Avatar::of(document);
        let (expressions, springs) = avatar.map(|avatar| (avatar.expressions, avatar.springs)).unwrap_or_default();
        let poses = poses(document, &body, &manifest, clip);
        let facts = cover::Body { bones: body.bones.clone(), expressions, springs, poses };
        Self { document, outfits: cover::outfits(&manifest), body, facts }
    }

    fn covers(&self, file: &str, desk: Desk, task: &Task, report: &mut Report) -> Vec<Cover> {
        let margin = desk.settings.cover.margin as f32;
        let made = desk.cache.through(
            || self.recipe(margin, desk.cache),
            report,
            |report| {
                let covers = cover::cover(self.document, file, &self.outfits, &self.facts, margin, task);
                if covers.is_none() {
                    let message = "the avatar draws nothing, or more than cover masks are worked out for";
                    report.add(Finding::new(&code::Y002, Place::file(file), message).hint(code::Y002.remedy));
                }
                covers.map(|covers| (covers, Bytes::new()))
            },
        );
        made.map(|(covers, ..)| covers).unwrap_or_default()
    }

    /// Everything but the colours of its pictures, so that a new texture leaves the masks as they are.
    fn recipe(&self, margin: f32, cache: &Cache) -> Recipe {
        let mut json = self.document.json.clone();
        ["asset", "buffers", "bufferViews", "images"].into_iter().for_each(|name| drop(json.remove(name)));
        let mut recipe = Recipe::new("cover").and_data(&(json, &self.outfits, margin));
        // By the rig of the manifest; what else is known of the body stands in the document.
        recipe = self.facts.bones.iter().fold(recipe, |recipe, bone| recipe.and_data(&(bone.name, bone.node)));
        for pose in &self.facts.poses {
            let numbers = pose.iter().flat_map(|matrix| matrix.to_cols_array()).flat_map(f64::to_le_bytes);
            recipe = recipe.and(numbers.collect::<Vec<u8>>());
        }
        let images = self.document.list("images");
        let views: Vec<Option<usize>> = images.iter().map(|image| index_in(image, "bufferView")).collect();
        for (view, blob) in self.document.blobs.iter().enumerate().filter(|(view, _)| !views.contains(&Some(*view))) {
            recipe = recipe.and(view.to_le_bytes()).and(&blob.bytes);
        }
        for image in cover::alpha_images(self.document) {
            let bytes = views.get(image).copied().flatten().and_then(|view| self.document.blobs.get(view)).map(|blob| &blob.bytes);
            recipe = recipe.and(image.to_le_bytes()).and(bytes.map(|bytes| alpha(bytes, cache)).unwrap_or_default());
        }
        recipe
    }
}

/// A hash of a picture's alpha; empty when it does not decode or has none.
fn alpha(picture: &Bytes, cache: &Cache) -> Bytes {
    let recipe = || Recipe::new("alpha").and(picture);
    let made = cache.through(recipe, &mut Report::default(), |_| {
        let decoded = image::decode(picture).ok().filter(|picture| picture.channels == 4);
        let hash = decoded.map(|picture| {
            let alpha: Vec<u8> = picture.pixels.chunks_exact(4).map(|pixel| pixel[3]).collect();
            let sized = [picture.width, picture.height].into_iter().flat_map(u32::to_le_bytes).chain(alpha).collect::<Vec<u8>>();
            Bytes::copy_from_slice(blake3::hash(&sized).as_bytes())
        });
        Some(((), hash.unwrap_or_default()))
    });
    made.map(|((), hash, _)| hash).unwrap_or_default()
}

/// The bone map in the JSON of a manifest or motion.
fn rig(json: &Value) -> Option<Rig> {
    let bones = json.get("rig")?.get("bones")?.as_object()?;
    Some(bones.iter().filter_map(|(bone, node)| Some((bone.clone(), sanitize(node.as_str()?)))).collect())
}

/// Poses that the motions of a look take on its avatar, a few of each. What is wrong with a motion is said elsewhere.
fn poses(document: &Document, body: &Body, manifest: &Value, clip: impl Fn(&str) -> Option<Bytes>) -> Vec<Vec<DMat4>> {
    let silent = || (Report::default(), Report::default());
    let open = |motion: &Value| {
        let (mut container, mut report) = silent();
        let id = motion.get("id")?.as_str()?;
        let mut clip = match id.strip_prefix("avatar:") {
            Some(name) => {
                let named = |animation: &Value| animation.get("name").and_then(Value::as_str) == Some(name);
                let index = document.list("animations").iter().position(named)?;
                Clip::embedded(document, index, &body.bones, "", &mut report)?
            }
            None => {
                let path = id.strip_prefix("file:")?;
                Clip::read(&clip(path)?, path, &mut container, &mut report)?
            }
        };
        if let Some(rig) = rig(motion).filter(|_| !clip.has_humanoid) {
            clip.set_rig(&rig);
        }
        Some(clip)
    };
    let clips: Vec<Clip> = list(manifest, "motions").iter().take(OWN_POSES).filter_map(open).collect();
    let of_each = OWN_POSES / clips.len().max(1);
    let times = |clip: &Clip| {
        let (first, length) = (clip.first_key, clip.duration());
        (0..of_each).map(move |n| first + length * (n as f64 + 0.5) / of_each as f64).collect::<Vec<f64>>()
    };
    clips
        .iter()
        .flat_map(|clip| times(clip).into_iter().map(|seconds| Retarget::new(clip, body).world(seconds)).collect::<Vec<_>>())
        .collect()
}

/// Works out the covers of every 3D look as it ships and embeds them with what else was measured. Returns a model for each look that has
/// covers; `measured` are the walks.
pub(super) fn embed(pack: &Pack, made: &mut BTreeMap<String, Artifact>, measured: &[Model], desk: Desk, report: &mut Report) -> Vec<Model> {
    let models: Vec<&Manifest> = pack.models().collect();
    let before = &*made;
    let (done, findings) = parallel::map(
        &models,
        |manifest| manifest.path.clone(),
        |manifest, report| {
            let walks = measured.iter().find(|model| model.key == manifest.key);
            look(pack, manifest, before, walks, desk, report)
        },
    );
    report.merge(findings);
    let mut models = Vec::new();
    for (path, bytes, model) in done.into_iter().flatten().flatten() {
        if let Some(bytes) = bytes {
            made.entry(path).or_default().bytes = bytes;
        }
        models.push(model);
    }
    models
}

/// One look: the path of its avatar, its bytes with everything embedded, and what was worked out.
fn look(
    pack: &Pack,
    manifest: &Manifest,
    made: &BTreeMap<String, Artifact>,
    walks: Option<&Model>,
    desk: Desk,
    report: &mut Report,
) -> Option<(String, Option<Bytes>, Model)> {
    let path = pack.avatar_of(manifest)?.target()?;
    let bytes = made.get(path).map(|artifact| artifact.bytes.clone()).or_else(|| pack.tree.read(path).ok())?;
    if !bytes.starts_with(b"glTF") {
        return None;
    }
    // What is wrong with the avatar was said when it was shrunk.
    let mut document = Document::read(&bytes, path, &TABLE, &mut Report::default())?;
    let text = match made.get(&manifest.path) {
        Some(artifact) => String::from_utf8_lossy(&artifact.bytes).into_owned(),
        None => manifest.text.clone(),
    };
    let look = Look::new(&document, self::manifest(&text), |clip| pack.tree.read(&format!("{}/{clip}", manifest.folder())).ok());
    let height = body_height(&document, &look.body);
    let covers = if desk.settings.cover.enabled {
        let task = Task::start(desk.progress, path);
        look.covers(path, desk, &task, report)
    } else {
        Vec::new()
    };
    let walks = walks.map(|model| model.walks.clone()).unwrap_or_default();
    let model = Model {
        key: manifest.key.clone(),
        body_height: height,
        walks: walks.clone(),
        cover: covers.iter().map(precomputed::shown).collect(),
    };
    // The shrink has dropped what an earlier build embedded.
    let bytes = desk.settings.precompute.embed.then(|| {
        precomputed::embed(&mut document, height, &walks, &covers);
        document.write().map(Bytes::from)
    });
    Some((path.to_owned(), bytes.flatten(), model))
}
