//! Opens the files that the manifests name, and tells the rules what is in them.

use super::artifacts::is_gltf;
use super::live2d;
use super::settings::Settings;
use crate::codec::image;
use crate::gltf::sizes::Sizes;
use crate::gltf::{self, Document, container, index_in, index_of, list, names, transforms};
use crate::pack::facts::{AvatarFacts, BoneFacts, ItemFacts, Live2dFacts, PartFacts, PictureFacts, TextureFacts};
use crate::pack::references::Kind;
use crate::pack::{Facts, Pack};
use crate::parallel;
use crate::report::{Code, Report, Severity, code};
use crate::vrm::{self, Version, refs::TABLE};
use bytes::Bytes;
use glam::DVec3;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What one file gave.
pub enum Fact {
    /// A 3D avatar.
    Avatar(Box<AvatarFacts>),
    /// A Live2D look.
    Live2d(Live2dFacts),
    /// The model of an item.
    Item(ItemFacts),
    /// A thumbnail or background.
    Picture(PictureFacts),
}

/// Facts without files: what the settings say of words.
pub fn none(settings: &Settings) -> Facts {
    Facts { words: settings.words.words(), ..Facts::default() }
}

/// Puts a file's facts to the others.
pub fn add(facts: &mut Facts, path: &str, fact: Fact) {
    match fact {
        Fact::Avatar(avatar) => drop(facts.avatars.insert(path.into(), *avatar)),
        Fact::Live2d(live2d) => drop(facts.live2d.insert(path.into(), live2d)),
        Fact::Item(item) => drop(facts.items.insert(path.into(), item)),
        Fact::Picture(picture) => drop(facts.pictures.insert(path.into(), picture)),
    }
}

/// Opens every file that the manifests name, but for clips. What is wrong inside them is reported.
pub fn gather(pack: &Pack, settings: &Settings, report: &mut Report) -> Facts {
    // Clips are opened with their motions.
    let named = pack.references.iter().filter(|reference| reference.kind != Kind::Clip);
    let targets: BTreeSet<(&str, Kind)> = named.filter_map(|r| Some((r.target()?, r.kind))).collect();
    let targets: Vec<_> = targets.into_iter().collect();
    let (found, findings) = parallel::map(
        &targets,
        |(path, _)| path.to_string(),
        |(path, kind), report| {
            let bytes = pack.tree.read(path).ok().filter(|bytes| !bytes.is_empty())?;
            if matches!(kind, Kind::Thumbnail | Kind::Background) {
                return Some(Fact::Picture(picture(&bytes)?));
            }
            if live2d::is_look(path, *kind, &bytes) {
                return live2d::facts(&crate::live2d::open(&bytes, path, report)?).map(Fact::Live2d);
            }
            of_document(&open(&bytes, path, *kind, report)?, *kind, &bytes)
        },
    );
    report.merge(findings);
    let mut facts = none(settings);
    for ((path, _), fact) in targets.iter().zip(found) {
        if let Some(fact) = fact.flatten() {
            add(&mut facts, path, fact);
        }
    }
    facts
}

/// Opens a glTF file of a pack. What is wrong with it breaks the rule for what it is named as. `None` also for what is no GLB at all, which
/// the rules judge by its first bytes.
pub fn open(bytes: &Bytes, path: &str, kind: Kind, report: &mut Report) -> Option<Document> {
    if !is_gltf(path, kind) || !bytes.starts_with(b"glTF") {
        return None;
    }
    let mut found = Report::default();
    let document = Document::read(bytes, path, &TABLE, &mut found);
    for mut finding in found.findings {
        if finding.severity == Severity::Error {
            finding.code = rule_of(finding.code, kind, path);
            finding.severity = finding.code.severity();
        }
        report.add(finding);
    }
    document
}

/// Where the bytes of a GLB or .gltf go; `None` for other files.
pub fn sizes(bytes: &Bytes) -> Option<Sizes> {
    let parts = container::open(bytes, "", &mut Report::default())?;
    Some(gltf::sizes::sizes(bytes.len() as u64, &parts))
}

/// The rule of the format that a fault of the container breaks.
fn rule_of(fault: &'static Code, kind: Kind, path: &str) -> &'static Code {
    let is_external = fault == &code::D008;
    match kind {
        Kind::Avatar if is_external => &code::A005,
        Kind::Avatar if path.to_ascii_lowercase().ends_with(".glb") => &code::A003,
        Kind::Avatar => &code::A001,
        Kind::ItemModel if is_external => &code::I008,
        _ => fault,
    }
}

/// The facts of an opened file.
pub fn of_document(document: &Document, kind: Kind, bytes: &Bytes) -> Option<Fact> {
    match kind {
        Kind::Avatar => Some(Fact::Avatar(Box::new(avatar(document)))),
        Kind::ItemModel => Some(Fact::Item(item(document, bytes))),
        Kind::Clip | Kind::Thumbnail | Kind::Background => None,
    }
}

/// `None` for what is no picture of a kind that the format allows: another rule speaks of that.
pub fn picture(bytes: &[u8]) -> Option<PictureFacts> {
    let kind = image::Kind::of(bytes).filter(|kind| matches!(kind, image::Kind::Png | image::Kind::Jpeg | image::Kind::Webp))?;
    let mut facts = PictureFacts { bytes: bytes.len() as u64, is_jpeg: kind == image::Kind::Jpeg, ..PictureFacts::default() };
    match image::info(bytes) {
        Ok(info) => {
            facts.size = [info.width, info.height];
            facts.is_animated = info.animated;
            facts.damage = image::decode(bytes).err().map(|error| error.to_string());
        }
        Err(error) => facts.damage = Some(error.to_string()),
    }
    Some(facts)
}

fn item(document: &Document, bytes: &Bytes) -> ItemFacts {
    let parts = container::open(bytes, "", &mut Report::default());
    let is_data = |value: &Value| value.get("uri").and_then(Value::as_str).is_some_and(|uri| uri.starts_with("data:"));
    let data =
        |name: &str| parts.iter().any(|parts| parts.json.get(name).and_then(Value::as_array).is_some_and(|all| all.iter().any(is_data)));
    let textures = document.list("images").iter().enumerate().map(|(index, image)| {
        let name = image.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let picture = index_in(image, "bufferView").and_then(|view| document.blobs.get(view)).map_or(&[][..], |blob| &blob.bytes);
        let info = image::info(picture).ok();
        TextureFacts {
            name: name.map_or_else(|| format!("image {index}"), |name| format!("\"{name}\"")),
            format: image::Kind::of(picture).map(word),
            size: info.map_or([0; 2], |info| [info.width, info.height]),
        }
    });
    ItemFacts {
        meshes: document.list("meshes").iter().filter(|mesh| !list(mesh, "primitives").is_empty()).count(),
        skins: document.list("skins").len(),
        animations: document.list("animations").len(),
        textures: textures.collect(),
        has_data_uris: data("images") || data("buffers"),
        bounds: transforms::rest_box(document).map(|(least, most)| [least.to_array(), most.to_array()]),
    }
}

fn word(kind: image::Kind) -> &'static str {
    match kind {
        image::Kind::Png => "PNG",
        image::Kind::Jpeg => "JPEG",
        image::Kind::Webp => "WebP",
        image::Kind::Gif => "GIF",
        image::Kind::Bmp => "BMP",
        image::Kind::Avif => "AVIF",
        image::Kind::Ktx2 => "KTX2",
        image::Kind::Dds => "DDS",
    }
}

/// Extensions that a stage reads, though they may be required.
const READABLE: [&str; 9] = [
    "KHR_mesh_quantization",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_texture_transform",
    "EXT_texture_webp",
    "KHR_lights_punctual",
    "VRM",
    "VRMC_vrm",
    "VRMC_vrm_animation",
];

fn avatar(document: &Document) -> AvatarFacts {
    let nodes = document.list("nodes");
    let three = names::three_names(document);
    let name = |node: usize| three.nodes.get(node).cloned().unwrap_or_default();
    let vrm = vrm::Avatar::of(document);
    let textures = super::inspect::textures::textures(document, "", &mut Report::default());
    let (morph_targets, morph_memory) = super::inspect::geometry::morphs(document);
    let mut facts = AvatarFacts {
        materials: document.list("materials").iter().map(raw_name).collect(),
        animations: document.list("animations").iter().map(raw_name).collect(),
        triangles: super::inspect::geometry::all_triangles(document),
        texture_side: textures.iter().map(|texture| texture.width.max(texture.height)).max().unwrap_or(0),
        texture_memory: textures.iter().map(|texture| texture.memory).sum(),
        morph_targets,
        morph_memory,
        is_vroid: is_vroid(document),
        strange_extensions: strange_extensions(document),
        ..AvatarFacts::default()
    };
    let springs: BTreeSet<usize> = vrm.iter().flat_map(|vrm| &vrm.springs.chains).flat_map(|chain| &chain.joints).copied().collect();
    facts.has_springs = !springs.is_empty();
    let bones = Bones::of(document, vrm.as_ref(), !facts.has_springs);
    for (index, node) in nodes.iter().enumerate() {
        let (own, raw) = (name(index), raw_name(node));
        if own.is_empty() {
            continue;
        }
        if !raw.is_empty() && raw != own {
            facts.spelled.entry(raw).or_insert_with(|| own.clone());
        }
        if let Some(mesh) = index_in(node, "mesh") {
            let pieces = three.meshes.get(mesh).map_or(&[][..], Vec::as_slice);
            if pieces.len() > 1 {
                facts.pieces.extend(pieces.iter().map(|piece| (piece.clone(), own.clone())));
            }
            facts.parts.insert(own, part(document, mesh));
        } else {
            let parent = bones.parents[index].map(name).filter(|parent| !parent.is_empty());
            let bone = BoneFacts {
                parent,
                children: list(node, "children").len(),
                vertices: bones.load[index].vertices,
                own_vertices: bones.load[index].own,
                is_shaped: bones.load[index].is_shaped,
                height: bones.world[index].y,
                azimuth: bones.azimuth(index),
                is_spring: springs.contains(&index),
            };
            facts.bones.insert(own, bone);
        }
    }
    collide(document, &mut facts);
    if let Some(vrm) = &vrm {
        facts.vrm = Some(if vrm.version == Version::V1 { "1.0" } else { "0.x" });
        facts.humanoid = vrm.bones.iter().map(|bone| (bone.name.to_owned(), name(bone.node))).collect();
        let names = vrm.expressions.iter().flat_map(|e| [e.name.clone(), e.raw_name.clone()]);
        facts.expressions = names.filter(|name| !name.is_empty()).collect();
        facts.beyond_script = beyond_script(vrm);
    }
    facts
}

fn raw_name(value: &Value) -> String {
    value.get("name").and_then(Value::as_str).unwrap_or_default().into()
}

fn part(document: &Document, mesh: usize) -> PartFacts {
    let materials = document.list("materials");
    let primitives = list(&document.list("meshes")[mesh], "primitives");
    let used = primitives.iter().filter_map(|primitive| materials.get(index_in(primitive, "material")?));
    PartFacts { shapes: shapes(document, mesh), materials: used.map(raw_name).collect() }
}

/// The names of a mesh's shape keys: those in the extras of the mesh or, as older exporters write them, of its first primitive. A list of
/// another length than there are targets is ignored, as three.js does; the keys then go by their numbers.
fn shapes(document: &Document, mesh: usize) -> Vec<String> {
    let mesh = &document.list("meshes")[mesh];
    let primitives = list(mesh, "primitives");
    let count = primitives.iter().map(|primitive| list(primitive, "targets").len()).max().unwrap_or(0);
    let named = [Some(mesh), primitives.first()].into_iter().flatten().filter_map(|value| value.get("extras"));
    let named = named.map(|extras| list(extras, "targetNames")).find(|names| names.len() == count);
    match named {
        Some(names) => names.iter().map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned)).collect(),
        None => (0..count).map(|index| index.to_string()).collect(),
    }
}

/// Where bones lie and what they move.
struct Bones {
    parents: Vec<Option<usize>>,
    world: Vec<DVec3>,
    load: Vec<Load>,
    /// Where the hips are.
    center: DVec3,
    /// -1 for VRM 0.x, which looks the other way.
    facing: f64,
}

impl Bones {
    /// Whether shape keys move what a bone moves takes time to see: only when it is asked for.
    fn of(document: &Document, vrm: Option<&vrm::Avatar>, asks_shapes: bool) -> Self {
        let parents = transforms::parents(document);
        let world: Vec<DVec3> = transforms::world(document).into_iter().map(|m| m.w_axis.truncate()).collect();
        let load = loads(document, &parents, asks_shapes);
        let hips = vrm.and_then(|vrm| vrm.bones.iter().find(|bone| bone.name == "hips"));
        let center = hips.and_then(|hips| world.get(hips.node)).copied().unwrap_or(DVec3::ZERO);
        let facing = if vrm.is_some_and(|vrm| vrm.version == Version::V0) { -1.0 } else { 1.0 };
        Self { parents, world, load, center, facing }
    }

    fn azimuth(&self, node: usize) -> Option<f64> {
        let away = (self.world[node] - self.center) * self.facing;
        (away.x.hypot(away.z) > 1e-6).then(|| away.x.atan2(away.z).to_degrees())
    }
}

/// What a node moves.
#[derive(Clone, Default)]
struct Load {
    /// Vertices that it has a weight on.
    own: usize,
    /// Those that it or a node below it has a weight on, each once.
    vertices: usize,
    is_shaped: bool,
    /// The last vertex that was counted.
    last: usize,
}

fn loads(document: &Document, parents: &[Option<usize>], asks_shapes: bool) -> Vec<Load> {
    let mut loads = vec![Load::default(); parents.len()];
    let mut done = BTreeSet::new();
    let mut seen = 0;
    for node in document.list("nodes") {
        let (Some(mesh), Some(skin)) = (index_in(node, "mesh"), index_in(node, "skin")) else { continue };
        let Some(skin_json) = document.list("skins").get(skin) else { continue };
        let joints: Vec<Option<usize>> = list(skin_json, "joints").iter().map(index_of).collect();
        for primitive in document.list("meshes").get(mesh).map_or(&[][..], |mesh| list(mesh, "primitives")) {
            let attribute = |name: &str, set: usize| primitive.get("attributes").and_then(|a| index_in(a, &format!("{name}_{set}")));
            let shaped = if asks_shapes { shaped(document, primitive) } else { BTreeSet::new() };
            let mut count = 0;
            for set in 0.. {
                let (Some(joint), Some(weight)) = (attribute("JOINTS", set), attribute("WEIGHTS", set)) else { break };
                if !done.insert((skin, joint, weight)) {
                    continue;
                }
                let (Ok(joint), Ok(weight)) = (document.accessor(joint), document.accessor(weight)) else { continue };
                let weights = weight.floats();
                for (corner, (joint, weight)) in joint.integers().into_iter().zip(&weights).enumerate() {
                    // Joints come four to a vertex.
                    let vertex = corner / 4;
                    let moved = joints.get(joint as usize).copied().flatten().filter(|node| *weight > 0.0 && *node < loads.len());
                    if let Some(node) = moved {
                        loads[node].own += 1;
                        // Depth is bounded by the number of nodes.
                        for above in std::iter::successors(Some(node), |node| parents[*node]).take(parents.len()) {
                            let load = &mut loads[above];
                            load.vertices += usize::from(load.last != seen + vertex + 1);
                            load.last = seen + vertex + 1;
                            load.is_shaped |= shaped.contains(&vertex);
                        }
                    }
                }
                count = count.max(weights.len() / 4);
            }
            seen += count;
        }
    }
    loads
}

/// The vertices of a primitive that a shape key moves.
fn shaped(document: &Document, primitive: &Value) -> BTreeSet<usize> {
    let positions = list(primitive, "targets").iter().filter_map(|target| index_in(target, "POSITION"));
    let moves = positions.filter_map(|accessor| document.accessor(accessor).ok()).map(|accessor| accessor.floats());
    moves.flat_map(|moves| moves.into_iter().enumerate().filter(|(_, by)| *by != 0.0).map(|(at, _)| at / 3).collect::<Vec<_>>()).collect()
}

/// Names that come out equal, those that no JavaScript object can have, and meshes called like a node.
fn collide(document: &Document, facts: &mut AvatarFacts) {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for node in document.list("nodes") {
        let raw = raw_name(node);
        if raw.is_empty() {
            continue;
        }
        if names::is_object_member(&raw) {
            facts.unspeakable.push(raw.clone());
        }
        let clean = names::sanitize(&raw);
        match known.get(&clean) {
            // Once for each name, however many have it.
            Some(_) if facts.collisions.iter().any(|[.., name]| *name == clean) => {}
            Some(first) => facts.collisions.push([first.clone(), raw, clean]),
            None => drop(known.insert(clean, raw)),
        }
    }
    let nodes = document.list("nodes");
    for (index, mesh) in document.list("meshes").iter().enumerate() {
        let name = raw_name(mesh);
        let is_other = |node: &&Value| raw_name(node) == name && index_in(node, "mesh") != Some(index);
        if !name.is_empty() && list(mesh, "primitives").len() > 1 && nodes.iter().any(|node| is_other(&node)) {
            facts.mesh_clashes.push(name);
        }
    }
}

fn is_vroid(document: &Document) -> bool {
    let asset = document.json.get("asset").and_then(|asset| asset.get("generator")).and_then(Value::as_str).unwrap_or_default();
    let exporter = document.extension("VRM").and_then(|vrm| vrm.get("exporterVersion")).and_then(Value::as_str).unwrap_or_default();
    [asset, exporter].iter().any(|text| text.to_ascii_lowercase().contains("vroid"))
        || document.list("nodes").iter().any(|node| raw_name(node).starts_with("J_Bip_"))
}

fn strange_extensions(document: &Document) -> Vec<String> {
    let required = document.list("extensionsRequired").iter().filter_map(Value::as_str);
    let known = |name: &str| READABLE.contains(&name) || ["KHR_materials_", "VRMC_"].iter().any(|start| name.starts_with(start));
    required.filter(|name| !known(name)).map(str::to_owned).collect()
}

/// What keeps the shrink script of the format's document from taking a model.
fn beyond_script(vrm: &vrm::Avatar) -> Vec<&'static str> {
    let mut why = Vec::new();
    if vrm.expressions.iter().any(|expression| expression.materials > 0) {
        why.push("expressions that change materials");
    }
    if vrm.version == Version::V1 && vrm.first_person > 0 {
        why.push("first-person annotations");
    }
    if vrm.thumbnail.is_some() {
        why.push("a thumbnail inside the file");
    }
    why
}
