//! What the values of the settings may be.

use crate::shrink::settings::{self as shrink, Allowed};
use crate::units;
use toml::Value;

/// What values may be, for the sections that the shrink does not know.
pub const ALLOWED: &[(&str, Allowed)] = &[
    ("pack.ignore", Allowed::Patterns),
    ("pictures.maxBytes", Allowed::Range(1024.0, 2_097_152.0)),
    ("pictures.quality", Allowed::Range(1.0, 100.0)),
    ("pictures.qualityStep", Allowed::Range(1.0, 100.0)),
    ("pictures.qualityFloor", Allowed::Range(1.0, 100.0)),
    ("items.textureSize", Allowed::Range(1.0, 2048.0)),
    ("live2d.effort", Allowed::Range(0.0, 6.0)),
    ("live2d.maxTextureSize", Allowed::Range(0.0, 65536.0)),
    ("cues.known", Allowed::Texts),
    ("cues.extra", Allowed::Texts),
    ("behaviours.known", Allowed::Texts),
    ("behaviours.extra", Allowed::Texts),
    ("looks.known", Allowed::Texts),
    ("looks.extra", Allowed::Texts),
    ("voices.known", Allowed::Texts),
    ("voices.extra", Allowed::Texts),
    ("face.known", Allowed::Texts),
    ("face.extra", Allowed::Texts),
    ("cover.margin", Allowed::Range(0.0, 0.1)),
    ("budget.pack", Allowed::Size),
    ("budget.avatar", Allowed::Size),
    ("budget.item", Allowed::Size),
    ("budget.motion", Allowed::Size),
    ("budget.triangles", Allowed::Count),
    ("budget.textures", Allowed::Size),
    ("budget.morphs", Allowed::Size),
    ("run.picturePixels", Allowed::Range(1_048_576.0, 17_179_869_184.0)),
    ("run.cacheBytes", Allowed::Range(0.0, 1_099_511_627_776.0)),
];

pub(super) fn same_shape(known: &Value, found: &Value) -> bool {
    match (known, found) {
        // A whole number will do for a fraction, and an integer too long for 64 bits is reported as out of range.
        (Value::Float(_), Value::Integer(_)) => true,
        (Value::Integer(_), Value::Float(number)) => number.abs() == f64::MAX,
        (Value::Array(_), Value::Array(items)) => items.iter().all(Value::is_str),
        (known, found) => known.same_type(found) && !known.is_table(),
    }
}

/// The type in words.
pub(super) fn shape(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list of texts",
        Value::Table(_) => "a section",
    }
}

/// What is wrong with a value of the right type, in words that follow its key.
pub(super) fn problem(dotted: &str, value: &Value) -> Option<String> {
    let (_, allowed) = shrink::ALLOWED.iter().chain(ALLOWED).find(|(key, _)| *key == dotted)?;
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        _ => f64::NAN,
    };
    match allowed {
        Allowed::Range(least, most) if !(*least..=*most).contains(&number) => {
            Some(format!("must be from {least} to {most}, found {value}"))
        }
        Allowed::Numbers(list) if !value.as_integer().is_some_and(|n| list.contains(&n)) => {
            let list: Vec<String> = list.iter().map(i64::to_string).collect();
            Some(format!("must be one of {}, found {value}", list.join(", ")))
        }
        Allowed::Words(list) if !value.as_str().is_some_and(|word| list.contains(&word)) => {
            Some(format!("must be one of {}, found {value}", list.join(", ")))
        }
        Allowed::Size | Allowed::Count => {
            let text = value.as_str().filter(|text| !text.is_empty())?;
            let is_count = matches!(allowed, Allowed::Count);
            match units::amount(text) {
                Err(problem) => Some(format!("cannot be read: {problem}")),
                Ok(amount) if amount.is_bytes && is_count => Some(format!("is a number, not a size in bytes: 70k, found {value}")),
                Ok(_) => None,
            }
        }
        Allowed::Patterns => value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .find_map(|pattern| globset::Glob::new(pattern).err())
            .map(|error| format!("has a pattern that cannot be read: {error}")),
        _ => None,
    }
}
