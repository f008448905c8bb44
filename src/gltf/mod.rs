//! glTF files, held whole and without loss, and everything that core glTF says about them.

pub mod accessor;
pub mod check;
pub mod container;
pub mod document;
pub mod figure;
pub mod names;
pub mod refs;
pub mod sizes;
pub mod transforms;

pub use document::{Blob, Document, Packed};

use serde_json::Value;

/// The number as an index: a non-negative integer, also when written as `3.0`.
pub fn index_of(value: &Value) -> Option<usize> {
    if let Some(n) = value.as_u64() {
        return usize::try_from(n).ok();
    }
    let n = value.as_f64()?;
    (n >= 0.0 && n.fract() == 0.0 && n < 9e15).then_some(n as usize)
}

/// The elements of a member that is a list; nothing when it is missing or of another type.
pub fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The index in a member of an object.
pub fn index_in(value: &Value, name: &str) -> Option<usize> {
    value.get(name).and_then(index_of)
}
