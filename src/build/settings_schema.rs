//! The JSON Schema (2020-12) of pipeline.toml: made of the defaults, what values may be, and the comments beside them.

use super::bounds::ALLOWED;
use super::settings::DEFAULTS;
use crate::pack::schema::DIALECT;
use crate::report::code;
use crate::shrink::settings::{self as shrink, Allowed};
use serde_json::{Map, Value, json};

/// The schema of the settings.
pub fn settings() -> Value {
    let defaults: toml::Table = DEFAULTS.parse().expect("pipeline.toml is TOML");
    let mut properties = section("", &defaults);
    properties.insert("severity".into(), severities());
    json!({
        "$schema": DIALECT, "title": "pipeline.toml", "type": "object", "properties": properties, "additionalProperties": false,
    })
}

fn section(name: &str, table: &toml::Table) -> Map<String, Value> {
    let key = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    table.iter().map(|(own, value)| (own.clone(), property(&key(own), own, value))).collect()
}

fn property(dotted: &str, key: &str, default: &toml::Value) -> Value {
    if let toml::Value::Table(table) = default {
        return json!({ "type": "object", "properties": section(dotted, table), "additionalProperties": false });
    }
    let mut schema = Map::new();
    if let Some(comment) = comment(dotted, key) {
        schema.insert("description".into(), comment.into());
    }
    let kind = match default {
        toml::Value::Integer(_) => "integer",
        toml::Value::Float(_) => "number",
        toml::Value::Boolean(_) => "boolean",
        toml::Value::Array(_) => "array",
        _ => "string",
    };
    schema.insert("type".into(), kind.into());
    if kind == "array" {
        schema.insert("items".into(), json!({ "type": "string" }));
    }
    let allowed = shrink::ALLOWED.iter().chain(ALLOWED).find(|(known, _)| *known == dotted).map(|(_, allowed)| *allowed);
    match allowed {
        Some(Allowed::Range(least, most)) => {
            schema.insert("minimum".into(), least.into());
            schema.insert("maximum".into(), most.into());
        }
        Some(Allowed::Numbers(numbers)) => drop(schema.insert("enum".into(), numbers.into())),
        Some(Allowed::Words(words)) => drop(schema.insert("enum".into(), words.into())),
        Some(Allowed::Size | Allowed::Count) => {
            let unit = if matches!(allowed, Some(Allowed::Size)) { "([kmgtKMGT]?[bB]?|[kmgKMG][iI][bB])" } else { "[kmgtKMGT]?" };
            schema.insert("type".into(), json!(["string", "integer"]));
            schema.insert("minimum".into(), 0.into());
            schema.insert("pattern".into(), format!("^$|^ *[0-9]+([.][0-9]+)? *{unit} *$").into());
        }
        Some(Allowed::Patterns | Allowed::Texts) | None => {}
    }
    if let Ok(default) = serde_json::to_value(default) {
        schema.insert("default".into(), default);
    }
    schema.into()
}

/// What stands after the `#` in the line of a setting.
fn comment(dotted: &str, key: &str) -> Option<&'static str> {
    let section = dotted.strip_suffix(key)?.trim_end_matches('.');
    let mut here = "";
    for line in DEFAULTS.lines() {
        if let Some(name) = line.strip_prefix('[') {
            here = name.split(']').next().unwrap_or_default();
        } else if here == section && line.split(" = ").next() == Some(key) {
            return line.split_once("# ").map(|(_, comment)| comment.trim());
        }
    }
    None
}

/// For each code the levels that it may have.
fn severities() -> Value {
    let of = |code: &code::Code| json!({ "description": code.meaning, "enum": super::severity::allowed(code) });
    let codes: Map<String, Value> = code::all().flat_map(|code| [code.id, code.name].map(|word| (word.to_owned(), of(code)))).collect();
    json!({ "type": "object", "properties": codes, "additionalProperties": false })
}
