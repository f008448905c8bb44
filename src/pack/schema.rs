//! JSON Schemas (2020-12) of the manifests, for editors: made of the tables by which they are checked.

use super::format::{CHARACTER, ITEM, MODEL};
use super::manifest::Kind;
use super::shape::{Absent, Field, Object, Shape};
use crate::vrm::humanoid::{BONES, REQUIRED};
use serde_json::{Map, Value, json};

/// The dialect that the schemas are written in.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of one of the manifests.
pub fn of(kind: Kind) -> Value {
    let table = match kind {
        Kind::Model => &MODEL,
        Kind::Character => &CHARACTER,
        Kind::Item => &ITEM,
    };
    let mut whole = Map::new();
    whole.insert("$schema".into(), DIALECT.into());
    whole.insert("title".into(), kind.file_name().into());
    whole.extend(object(table));
    whole.into()
}

fn object(object: &Object) -> Map<String, Value> {
    let properties: Map<String, Value> = object.fields.iter().map(|field| (field.key.to_owned(), property(field))).collect();
    let required: Vec<&str> =
        object.fields.iter().filter(|field| matches!(field.absent, Absent::Breaks(_))).map(|field| field.key).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

fn property(field: &Field) -> Value {
    let mut schema = Map::new();
    schema.insert("description".into(), field.about.into());
    if let Value::Object(own) = shape(&field.shape) {
        schema.extend(own);
    }
    schema.into()
}

fn shape(of: &Shape) -> Value {
    let ranged = |kind: &str, least: (&str, usize), most: (&str, usize)| {
        let mut schema = Map::new();
        schema.insert("type".into(), kind.into());
        if least.1 > 0 {
            schema.insert(least.0.into(), least.1.into());
        }
        if most.1 < usize::MAX {
            schema.insert(most.0.into(), most.1.into());
        }
        schema
    };
    match of {
        Shape::Text(length, _) => ranged("string", ("minLength", *length.start()), ("maxLength", *length.end())).into(),
        Shape::Key(_) => json!({ "type": "string", "pattern": "^[a-z0-9-]{1,40}$" }),
        Shape::Word(words, _) => json!({ "enum": words }),
        Shape::Number(least, most, _) => json!({ "type": "number", "minimum": least, "maximum": most }),
        Shape::Boolean(_) => json!({ "type": "boolean" }),
        Shape::Numbers(count, least, most, _) => json!({
            "type": "array", "minItems": count, "maxItems": count, "items": { "type": "number", "minimum": least, "maximum": most },
        }),
        Shape::List(of, count, _) | Shape::TypedList(of, count, _, _) => {
            let mut schema = ranged("array", ("minItems", *count.start()), ("maxItems", *count.end()));
            schema.insert("items".into(), shape(of));
            schema.into()
        }
        Shape::Object(table) => object(table).into(),
        Shape::Judged(schema) => schema(),
    }
}

/// A file in the folder of the manifest.
pub(super) fn file() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

/// The id of a motion.
pub(super) fn motion_id() -> Value {
    json!({ "type": "string", "pattern": "^(file|avatar):." })
}

/// The version of a bone map.
pub(super) fn rig_version() -> Value {
    json!({ "const": 1 })
}

/// Bone to node.
pub(super) fn rig_bones() -> Value {
    let name = json!({ "type": "string", "minLength": 1 });
    let bones: Map<String, Value> = BONES.iter().map(|bone| ((*bone).to_owned(), name.clone())).collect();
    json!({ "type": "object", "properties": bones, "required": REQUIRED, "additionalProperties": false })
}

/// A face map. The format's document does not give its form in full: names, lists of names, and objects with a weight.
pub(super) fn face() -> Value {
    let control = json!({ "anyOf": [
        { "type": "string" },
        { "type": "object", "properties": { "name": { "type": "string" }, "weight": { "type": "number", "minimum": 0.0, "maximum": 1.0 } } },
    ] });
    let slot = json!({ "anyOf": [control, { "type": "array", "items": control }, { "type": "object" }] });
    let sides = json!({ "type": "object", "properties": { "left": slot, "right": slot }, "required": ["left", "right"] });
    let visemes: Map<String, Value> = super::face::VISEMES.iter().map(|slot_name| ((*slot_name).to_owned(), slot.clone())).collect();
    let mut properties: Map<String, Value> = super::face::SLOTS.iter().map(|name| ((*name).to_owned(), slot.clone())).collect();
    properties.insert("eyeSmile".into(), sides.clone());
    properties.insert("smile".into(), sides);
    properties.insert("jawBone".into(), json!({ "type": "string", "minLength": 1 }));
    properties.insert("visemes".into(), json!({ "type": "object", "properties": visemes, "additionalProperties": false }));
    json!({ "type": "object", "properties": properties })
}

/// The look of a character.
pub(super) fn look() -> Value {
    json!({ "oneOf": [
        { "type": "string", "minLength": 1 },
        {
            "type": "object", "properties": { "builtIn": { "type": "string", "minLength": 1 } },
            "required": ["builtIn"], "additionalProperties": false,
        },
    ] })
}

/// Engine behaviours.
pub(super) fn behaviours() -> Value {
    json!({ "type": "object", "additionalProperties": { "oneOf": [
        { "type": "object", "properties": { "enabled": { "const": false } }, "required": ["enabled"], "additionalProperties": false },
        {
            "type": "object", "properties": { "strength": { "type": "number", "minimum": 0.5, "maximum": 1.5 } },
            "required": ["strength"], "additionalProperties": false,
        },
    ] } })
}

fn rules(list: &str, entry: Value, reactions: &[&str]) -> Value {
    json!({ "type": "array", "maxItems": 30, "items": { "type": "object", "properties": {
        list: { "type": "array", "maxItems": 20, "items": entry }, "reaction": { "enum": reactions },
    } } })
}

/// Words that make her react.
pub(super) fn word_reactions() -> Value {
    rules("phrases", json!({ "type": "string", "maxLength": 40 }), &super::behaviour::WORD_REACTIONS)
}

/// What she does while tools run.
pub(super) fn tool_activity() -> Value {
    let entry = json!({ "type": "string", "pattern": "^(builtin:.+|tool:.+|agent\\.delegated|agent\\.reported)$" });
    rules("when", entry, &super::behaviour::TOOL_REACTIONS)
}
