//! A glTF document told: sizes, counts, materials, what VRM adds, animations.

use super::{geometry, motion, textures};
use crate::build::names;
use crate::build::outcome::{Animation, Avatar, Bone, Document as Counts, Embedded, Expression, File, Material, Sizes};
use crate::gltf::{Document, container, index_in, index_of, list, sizes};
use crate::report::Report;
use crate::vrm::avatar::{self, LookAt};
use crate::vrm::{self, expressions, humanoid, refs::TABLE};
use bytes::Bytes;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The root-level extension that a build embeds.
const EMBEDDED: &str = "COMPANION_precomputed";

/// Fills in all that is known of a VRM, VRM animation, GLB or .gltf. A file that cannot be opened has findings and at most a kind.
pub fn fill(found: &mut File, bytes: &Bytes, report: &mut Report) {
    let is_glb = bytes.starts_with(b"glTF");
    if is_glb {
        found.kind = Some("glb".into());
    }
    let Some(document) = Document::read(bytes, &found.path, &TABLE, report) else { return };
    let plain = if is_glb { "glb" } else { "gltf" };
    let clip = vrm::avatar::Animation::of(&document);
    let kind = if vrm::version(&document).is_some() { "vrm" } else { clip.as_ref().map_or(plain, |_| "vrma") };
    found.kind = Some(kind.into());
    // The document no longer knows where its bytes were and what was compressed; its container does, whose oddities were reported above.
    if let Some(parts) = container::open(bytes, &found.path, &mut Report::default()) {
        found.sizes = Some(sizes_of(sizes::sizes(found.bytes, &parts)));
        found.document = Some(counts(&Document::from(parts.json)));
    }
    found.geometry = (!document.list("meshes").is_empty()).then(|| geometry::geometry(&document));
    let pictures = textures::textures(&document, &found.path, report);
    if !pictures.is_empty() {
        found.texture_memory = Some(pictures.iter().map(|picture| picture.memory).sum());
        found.textures = Some(pictures);
    }
    found.materials = some(materials(&document));
    found.avatar = vrm::Avatar::of(&document).map(|avatar| of_avatar(&document, avatar));
    if found.avatar.is_none() {
        found.avatar = clip.map(|clip| of_clip(&document, clip));
    }
    found.animations = some(animations(&document));
    motion::gltf(found, &document, bytes);
    found.names = Some(names::changed(&document)).filter(|names| !names.nodes.is_empty() || !names.meshes.is_empty());
    found.embedded = document.extension(EMBEDDED).map(|extension| Embedded {
        version: match extension.get("version") {
            Some(Value::String(text)) => text.clone(),
            Some(number @ Value::Number(_)) => number.to_string(),
            _ => "unknown".into(),
        },
        ..Embedded::default()
    });
}

fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

fn name_of(value: &Value) -> String {
    value.get("name").and_then(Value::as_str).unwrap_or_default().into()
}

fn sizes_of(sizes: sizes::Sizes) -> Sizes {
    let sizes::Sizes { json, textures, vertices, indices, morphs, skins, animations, other } = sizes;
    Sizes { json, textures, vertices, indices, morphs, skins, animations, other }
}

fn counts(document: &Document) -> Counts {
    let count = |name: &str| document.list(name).len();
    let sorted = |name: &str| -> Vec<String> {
        let all: BTreeSet<&str> = document.list(name).iter().filter_map(Value::as_str).collect();
        all.into_iter().map(str::to_owned).collect()
    };
    let joints: BTreeSet<usize> = document.list("skins").iter().flat_map(|skin| list(skin, "joints")).filter_map(index_of).collect();
    Counts {
        generator: document.json.get("asset").and_then(|asset| asset.get("generator")).and_then(Value::as_str).map(str::to_owned),
        extensions_used: sorted("extensionsUsed"),
        extensions_required: sorted("extensionsRequired"),
        scenes: count("scenes"),
        nodes: count("nodes"),
        meshes: count("meshes"),
        materials: count("materials"),
        skins: count("skins"),
        joints: joints.len(),
        animations: count("animations"),
    }
}

fn materials(document: &Document) -> Vec<Material> {
    let all = document.list("materials").iter().enumerate();
    all.map(|(index, material)| Material {
        index,
        name: name_of(material),
        shader: avatar::shader(document, index).into(),
        alpha_mode: material.get("alphaMode").and_then(Value::as_str).unwrap_or("OPAQUE").into(),
        double_sided: material.get("doubleSided").and_then(Value::as_bool).unwrap_or(false),
    })
    .collect()
}

fn bones(document: &Document, bones: &[humanoid::Bone]) -> Vec<Bone> {
    let name = |node: usize| document.list("nodes").get(node).map(name_of).unwrap_or_default();
    bones.iter().map(|bone| Bone { bone: bone.name.into(), node: bone.node, name: name(bone.node) }).collect()
}

fn expression(expression: expressions::Expression) -> Expression {
    let morphs: BTreeSet<(usize, Option<usize>, usize)> = expression.morphs.iter().map(|bind| (bind.mesh, bind.node, bind.index)).collect();
    Expression {
        name: expression.raw_name,
        three: expression.name,
        preset: expression.preset,
        morphs: morphs.len(),
        materials: expression.materials,
    }
}

fn of_avatar(document: &Document, avatar: vrm::Avatar) -> Avatar {
    Avatar {
        vrm_version: avatar.specification,
        title: avatar.title,
        bones: bones(document, &avatar.bones),
        expressions: avatar.expressions.into_iter().map(expression).collect(),
        springs: avatar.springs.chains.len(),
        spring_joints: avatar.springs.chains.iter().map(|chain| chain.joints.len()).sum(),
        colliders: avatar.springs.colliders,
        constraints: avatar.constraints,
        look_at: avatar.look_at.map(|look_at| if look_at == LookAt::Bone { "bone" } else { "expression" }.into()),
        first_person: avatar.first_person,
        has_thumbnail: avatar.thumbnail.is_some(),
    }
}

fn of_clip(document: &Document, clip: avatar::Animation) -> Avatar {
    Avatar {
        vrm_version: clip.specification,
        bones: bones(document, &clip.bones),
        expressions: clip.expressions.into_iter().map(expression).collect(),
        ..Avatar::default()
    }
}

fn animations(document: &Document) -> Vec<Animation> {
    // Samplers share their times.
    let mut ranges: BTreeMap<usize, (f32, f32)> = BTreeMap::new();
    let all = document.list("animations").iter().enumerate();
    all.map(|(index, animation)| {
        let (mut first, mut last) = (f32::INFINITY, f32::NEG_INFINITY);
        let samplers = list(animation, "samplers");
        for channel in list(animation, "channels") {
            let sampler = index_in(channel, "sampler").and_then(|sampler| samplers.get(sampler));
            let Some(input) = sampler.and_then(|sampler| index_in(sampler, "input")) else { continue };
            let range = ranges.entry(input).or_insert_with(|| times(document, input));
            (first, last) = (first.min(range.0), last.max(range.1));
        }
        let seconds = if first <= last { f64::from(last) - f64::from(first) } else { 0.0 };
        Animation { index, name: name_of(animation), seconds, channels: list(animation, "channels").len() }
    })
    .collect()
}

/// First and last key of a sampler, by its data: bounds may lie.
fn times(document: &Document, accessor: usize) -> (f32, f32) {
    let keys = document.accessor(accessor).map_or_else(|_| Vec::new(), |data| data.floats());
    let keys = keys.into_iter().filter(|key| key.is_finite());
    keys.fold((f32::INFINITY, f32::NEG_INFINITY), |(first, last), key| (first.min(key), last.max(key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::inspect::inspect;
    use crate::build::outcome::{Name, Names};
    use serde_json::json;

    fn inspected(json: Value, bin: &[u8]) -> (File, Vec<&'static str>) {
        let mut report = Report::default();
        let glb = container::write_glb(json.as_object().unwrap(), bin, &[]).unwrap();
        let file = inspect(&Bytes::from(glb), "a.vrm", &mut report);
        (file, report.findings.iter().map(|finding| finding.code.id).collect())
    }

    #[test]
    fn an_avatar_is_told_whole() {
        // Times 0.5 and 2 (accessor 0), and 1 and 4 (accessor 1).
        let bin: Vec<u8> = [0.5f32, 2.0, 1.0, 4.0].iter().flat_map(|f| f.to_le_bytes()).collect();
        let (file, codes) = inspected(
            json!({
                "asset": {"version": "2.0", "generator": "a test"}, "extensionsUsed": ["VRM", "KHR_materials_unlit"],
                "buffers": [{"byteLength": 16}],
                "bufferViews": [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 8}],
                "accessors": [{"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2},
                    {"bufferView": 1, "componentType": 5126, "type": "SCALAR", "count": 2}],
                "scenes": [{"nodes": [0, 1]}],
                "nodes": [{"name": "Hips"}, {"name": "Arm.L"}],
                "skins": [{"joints": [0, 1]}, {"joints": [1]}],
                "materials": [{"name": "skin", "alphaMode": "MASK", "doubleSided": true}],
                "animations": [{"name": "wave", "samplers": [{"input": 0, "output": 0}, {"input": 1, "output": 1}],
                    "channels": [{"sampler": 0, "target": {}}, {"sampler": 1, "target": {}}]}],
                "extensions": {
                    "COMPANION_precomputed": {"version": 1},
                    "VRM": {"humanoid": {"humanBones": [{"bone": "hips", "node": 0}]},
                        "materialProperties": [{"shader": "VRM/MToon"}],
                        "blendShapeMaster": {"blendShapeGroups": [{"name": "Joy", "presetName": "joy"}]},
                        "firstPerson": {"lookAtTypeName": "Bone"},
                        "secondaryAnimation": {"boneGroups": [{"bones": [1]}]}}},
            }),
            &bin,
        );
        assert_eq!(codes, Vec::<&str>::new());
        assert_eq!(file.kind.as_deref(), Some("vrm"));
        let counts = file.document.unwrap();
        assert_eq!((counts.nodes, counts.skins, counts.joints, counts.animations), (2, 2, 2, 1));
        assert_eq!(counts.extensions_used, ["KHR_materials_unlit", "VRM"]);
        let material = &file.materials.unwrap()[0];
        assert_eq!((material.shader.as_str(), material.alpha_mode.as_str(), material.double_sided), ("mtoon", "MASK", true));
        let avatar = file.avatar.unwrap();
        assert_eq!((avatar.vrm_version.as_str(), avatar.springs, avatar.spring_joints), ("0.x", 1, 1));
        assert_eq!(avatar.bones, [Bone { bone: "hips".into(), node: 0, name: "Hips".into() }]);
        assert_eq!((avatar.expressions[0].name.as_str(), avatar.expressions[0].three.as_str()), ("Joy", "happy"));
        assert_eq!(avatar.look_at.as_deref(), Some("bone"));
        let animation = &file.animations.unwrap()[0];
        assert_eq!((animation.name.as_str(), animation.seconds, animation.channels), ("wave", 3.5, 2));
        let arm = Name { index: 1, raw: "Arm.L".into(), three: "ArmL".into() };
        assert_eq!(file.names, Some(Names { nodes: vec![arm], meshes: vec![] }));
        assert_eq!(file.embedded.unwrap().version, "1");
        assert_eq!((file.geometry, file.textures), (None, None));
        let sizes = file.sizes.unwrap();
        assert_eq!((sizes.animations, sizes.json + sizes.animations + sizes.other), (16, file.bytes));
    }

    #[test]
    fn a_clip_tells_its_bones() {
        let (file, codes) = inspected(
            json!({"asset": {"version": "2.0"}, "nodes": [{"name": "h"}], "extensions": {"VRMC_vrm_animation": {"specVersion": "1.0",
                "humanoid": {"humanBones": {"hips": {"node": 0}}}}}}),
            &[],
        );
        let avatar = file.avatar.unwrap();
        assert_eq!((file.kind.as_deref(), avatar.bones.len(), codes.len()), (Some("vrma"), 1, 0));
    }
}
