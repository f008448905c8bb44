//! An avatar: everything that VRM says of a file, the same for 0.x and 1.0.
//!
//! Sources: VRM 1.0 `VRMC_vrm`, VRMC_vrm_animation 1.0, VRMC_node_constraint 1.0, and the VRM 0.x schemas.

use super::expressions::Expression;
use super::humanoid::Bone;
use super::springs::Springs;
use super::{Version, expressions, humanoid, springs, text, version};
use crate::gltf::{Document, index_in, list};
use serde_json::Value;

/// By what the eyes follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookAt {
    /// The eye bones turn.
    Bone,
    /// Expressions move (VRM 0.x: blend shapes).
    Expression,
}

/// What VRM adds to a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Avatar {
    /// Which of the two.
    pub version: Version,
    /// As the file says: `1.0`, `1.0-beta`; `0.x` for every 0.x.
    pub specification: String,
    /// The name or title in the meta data.
    pub title: Option<String>,
    /// The image of the thumbnail.
    pub thumbnail: Option<usize>,
    /// In the order of the specification.
    pub bones: Vec<Bone>,
    /// Presets first.
    pub expressions: Vec<Expression>,
    /// What swings.
    pub springs: Springs,
    /// How many nodes are constrained.
    pub constraints: usize,
    /// None when the file does not say.
    pub look_at: Option<LookAt>,
    /// How many meshes have a first-person annotation.
    pub first_person: usize,
}

impl Avatar {
    /// Reads the VRM data; `None` for plain glTF.
    pub fn of(document: &Document) -> Option<Self> {
        let version = version(document)?;
        let null = Value::Null;
        let extension = document.extension(if version == Version::V1 { "VRMC_vrm" } else { "VRM" }).unwrap_or(&null);
        let part = |name: &str| extension.get(name).unwrap_or(&null);
        let (title, look_at) = match version {
            Version::V1 => (text(part("meta"), "name"), text(part("lookAt"), "type")),
            Version::V0 => (text(part("meta"), "title"), text(part("firstPerson"), "lookAtTypeName")),
        };
        Some(Self {
            version,
            specification: match version {
                Version::V1 => text(extension, "specVersion").unwrap_or("1.0").into(),
                Version::V0 => "0.x".into(),
            },
            title: title.map(str::to_owned),
            thumbnail: thumbnail(document, part("meta"), version),
            bones: humanoid::of(document, version),
            expressions: expressions::of(document, version),
            springs: springs::of(document, version),
            constraints: document.list("nodes").iter().filter(|node| is_constrained(node)).count(),
            look_at: look_at.and_then(|word| match word {
                "bone" | "Bone" => Some(LookAt::Bone),
                "expression" | "BlendShape" => Some(LookAt::Expression),
                _ => None,
            }),
            first_person: list(part("firstPerson"), "meshAnnotations").len(),
        })
    }
}

/// 1.0 names an image, 0.x a texture.
fn thumbnail(document: &Document, meta: &Value, version: Version) -> Option<usize> {
    let image = match version {
        Version::V1 => index_in(meta, "thumbnailImage"),
        Version::V0 => index_in(meta, "texture").and_then(|texture| index_in(document.list("textures").get(texture)?, "source")),
    };
    image.filter(|&image| image < document.list("images").len())
}

fn is_constrained(node: &Value) -> bool {
    node.get("extensions").and_then(|e| e.get("VRMC_node_constraint")).is_some_and(|c| c.get("constraint").is_some())
}

/// What a VRM animation says beside its curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Animation {
    /// As the file says, such as `1.0`.
    pub specification: String,
    /// The bones that it may move, in the order of the specification.
    pub bones: Vec<Bone>,
    /// The expressions that it may move, presets first.
    pub expressions: Vec<Expression>,
    /// True when it moves the gaze.
    pub look_at: bool,
}

impl Animation {
    /// Reads the data of a VRM animation; `None` for any other file.
    pub fn of(document: &Document) -> Option<Self> {
        let extension = document.extension("VRMC_vrm_animation")?;
        Some(Self {
            specification: text(extension, "specVersion").unwrap_or("1.0").into(),
            bones: humanoid::in_extension(document, extension),
            expressions: expressions::modern(document, extension),
            look_at: extension.get("lookAt").and_then(|look_at| index_in(look_at, "node")).is_some(),
        })
    }
}

/// What draws a material: `mtoon`, `unlit`, `standard`, or another shader as VRM 0.x names it.
pub fn shader(document: &Document, material: usize) -> &str {
    let own = document.list("materials").get(material);
    let has = |name: &str| own.and_then(|m| m.get("extensions")).is_some_and(|e| e.get(name).is_some());
    let plain = if has("KHR_materials_unlit") { "unlit" } else { "standard" };
    if has("VRMC_materials_mtoon") {
        return "mtoon";
    }
    if version(document) != Some(Version::V0) {
        return plain;
    }
    let properties = document.extension("VRM").and_then(|extension| list(extension, "materialProperties").get(material));
    match properties.and_then(|properties| text(properties, "shader")) {
        Some("VRM/MToon") => "mtoon",
        // The glTF material counts.
        None | Some("VRM_USE_GLTFSHADER" | "Standard") => plain,
        Some(other) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(json: Value) -> Document {
        Document::from(json.as_object().unwrap().clone())
    }

    #[test]
    fn both_versions_say_the_same() {
        let old = document(json!({"images": [{}, {}], "textures": [{"source": 1}], "nodes": [{}],
            "extensions": {"VRM": {"meta": {"title": "Ana", "texture": 0}, "humanoid": {"humanBones": [{"bone": "hips", "node": 0}]},
                "firstPerson": {"lookAtTypeName": "BlendShape", "meshAnnotations": [{"mesh": 0}]}}}}));
        let new = document(json!({"images": [{}, {}], "nodes": [{}],
            "extensions": {"VRMC_vrm": {"specVersion": "1.0", "meta": {"name": "Ana", "thumbnailImage": 1},
                "humanoid": {"humanBones": {"hips": {"node": 0}}}, "lookAt": {"type": "expression"},
                "firstPerson": {"meshAnnotations": [{"node": 0}]}}}}));
        let (old, new) = (Avatar::of(&old).unwrap(), Avatar::of(&new).unwrap());
        assert_eq!((old.specification.as_str(), new.specification.as_str()), ("0.x", "1.0"));
        assert_eq!(Avatar { version: Version::V1, specification: "1.0".into(), ..old }, new);
        assert_eq!((new.thumbnail, new.look_at, new.first_person), (Some(1), Some(LookAt::Expression), 1));
        assert_eq!(Avatar::of(&document(json!({}))), None);
    }

    #[test]
    fn missing_and_wrong_parts_are_nothing() {
        let avatar = Avatar::of(&document(json!({"extensions": {"VRM": {"meta": {"texture": -1, "title": 3}, "humanoid": []}}}))).unwrap();
        assert_eq!((avatar.title, avatar.thumbnail, avatar.bones.len()), (None, None, 0));
    }

    #[test]
    fn shaders() {
        let old = document(json!({"materials": [{}, {"extensions": {"KHR_materials_unlit": {}}}, {}, {}],
            "extensions": {"VRM": {"materialProperties": [{"shader": "VRM/MToon"}, {"shader": "VRM_USE_GLTFSHADER"}, {"shader": "VRM/UnlitCutout"}]}}}));
        assert_eq!([0, 1, 2, 3].map(|m| shader(&old, m)), ["mtoon", "unlit", "VRM/UnlitCutout", "standard"]);
        let new = document(json!({"materials": [{"extensions": {"VRMC_materials_mtoon": {}, "KHR_materials_unlit": {}}}, {}],
            "extensions": {"VRMC_vrm": {}}}));
        assert_eq!([0, 1].map(|m| shader(&new, m)), ["mtoon", "standard"]);
    }

    #[test]
    fn animations_name_bones_and_expressions() {
        let clip = document(json!({"nodes": [{}, {}], "extensions": {"VRMC_vrm_animation": {"specVersion": "1.0",
            "humanoid": {"humanBones": {"head": {"node": 1}, "hips": {"node": 0}}},
            "expressions": {"custom": {"Cry": {"node": 1}}, "preset": {"happy": {"node": 0}}}, "lookAt": {"node": 1}}}}));
        let clip = Animation::of(&clip).unwrap();
        assert_eq!(clip.bones.iter().map(|bone| bone.name).collect::<Vec<_>>(), ["hips", "head"]);
        assert_eq!(clip.expressions.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["happy", "Cry"]);
        assert!(clip.look_at);
    }
}
