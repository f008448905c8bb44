//! Typed data: an accessor's elements, with sparse values put in and gaps between elements taken out.
//!
//! Source: glTF 2.0 specification, chapter 3.6.2.

use super::{Document, index_in, index_of};
use serde_json::Value;

/// The type of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum Component {
    /// Signed byte.
    I8 = 5120,
    /// Unsigned byte.
    U8 = 5121,
    /// Signed 16-bit.
    I16 = 5122,
    /// Unsigned 16-bit.
    U16 = 5123,
    /// Unsigned 32-bit.
    U32 = 5125,
    /// Single precision.
    F32 = 5126,
}

impl Component {
    /// From the number in the file.
    pub fn from_code(code: usize) -> Option<Self> {
        [Self::I8, Self::U8, Self::I16, Self::U16, Self::U32, Self::F32].into_iter().find(|&c| c as usize == code)
    }

    /// Bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

/// Numbers of an element of a type such as `VEC3`; `None` for an unknown word.
pub fn components_of(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}

/// How an accessor lies in memory, by its JSON alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Type of one number.
    pub component: Component,
    /// Numbers in an element.
    pub components: usize,
    /// Elements.
    pub count: usize,
    /// Integers stand for fractions.
    pub normalized: bool,
    /// Rows of a matrix column that is padded to 4 bytes, and the padded column's bytes; `None` where elements are tight.
    column: Option<(usize, usize)>,
}

impl Layout {
    /// Reads the JSON; `None` when a part is missing or not allowed.
    pub fn of(accessor: &Value) -> Option<Self> {
        let component = Component::from_code(index_in(accessor, "componentType")?)?;
        let kind = accessor.get("type")?.as_str()?;
        let components = components_of(kind)?;
        let rows = match kind {
            "MAT2" => 2,
            "MAT3" => 3,
            _ => 0,
        };
        let padded = (rows * component.size()).next_multiple_of(4);
        let column = (rows > 0 && padded != rows * component.size()).then_some((rows, padded));
        let normalized = accessor.get("normalized").and_then(Value::as_bool).unwrap_or(false);
        Some(Self { component, components, count: index_in(accessor, "count")?, normalized, column })
    }

    /// Bytes of an element in a buffer view.
    pub fn element(&self) -> usize {
        match self.column {
            Some((rows, padded)) => self.components / rows * padded,
            None => self.components * self.component.size(),
        }
    }

    /// Bytes of all elements without gaps.
    pub fn total(&self) -> u64 {
        (self.count as u64).saturating_mul((self.components * self.component.size()) as u64)
    }
}

/// The elements of an accessor: tight, little-endian.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// Type of one number.
    pub component: Component,
    /// Numbers in an element.
    pub components: usize,
    /// Elements.
    pub count: usize,
    /// Integers stand for fractions.
    pub normalized: bool,
    /// `count * components * component.size()` bytes.
    pub bytes: Vec<u8>,
}

/// Copies `count` elements out of a view's bytes, closing gaps.
fn gather(bytes: &[u8], offset: usize, stride: usize, layout: &Layout, count: usize) -> Option<Vec<u8>> {
    let element = layout.element();
    if count == 0 {
        return Some(Vec::new());
    }
    let last = stride.checked_mul(count - 1)?.checked_add(offset)?.checked_add(element)?;
    if last > bytes.len() {
        return None;
    }
    if stride == element && layout.column.is_none() {
        return Some(bytes[offset..offset + count * element].to_vec());
    }
    let mut out = Vec::with_capacity(count * layout.components * layout.component.size());
    for i in 0..count {
        let from = &bytes[offset + i * stride..offset + i * stride + element];
        match layout.column {
            None => out.extend_from_slice(from),
            Some((rows, padded)) => from.chunks(padded).for_each(|c| out.extend_from_slice(&c[..rows * layout.component.size()])),
        }
    }
    Some(out)
}

impl Document {
    /// The elements of an accessor; an error text when they reach past their bytes.
    pub fn accessor(&self, index: usize) -> Result<Data, String> {
        let accessor = self.list("accessors").get(index).ok_or_else(|| format!("there is no accessor {index}"))?;
        let layout = Layout::of(accessor).ok_or("componentType, type or count is missing or not allowed")?;
        let offset_in = |value: &Value| value.get("byteOffset").map_or(Some(0), index_of).ok_or("byteOffset is not a number of bytes");
        let view_of = |value: &Value| -> Result<Option<usize>, String> {
            match value.get("bufferView").map(index_of) {
                None => Ok(None),
                Some(Some(view)) if view < self.blobs.len() => Ok(Some(view)),
                Some(_) => Err("its buffer view does not exist".into()),
            }
        };
        let mut bytes = match view_of(accessor)? {
            None => vec![0; usize::try_from(layout.total()).map_err(|_| "it is too large")?],
            Some(view) => {
                let stride = index_in(&self.list("bufferViews")[view], "byteStride").filter(|&s| s > 0).unwrap_or(layout.element());
                gather(&self.blobs[view].bytes, offset_in(accessor)?, stride, &layout, layout.count).ok_or_else(|| {
                    format!("its {} elements reach past the {} bytes of its buffer view", layout.count, self.blobs[view].bytes.len())
                })?
            }
        };
        if let Some(sparse) = accessor.get("sparse") {
            let count = index_in(sparse, "count").ok_or("sparse.count is missing")?;
            let part = |name: &str, layout: &Layout| -> Result<Vec<u8>, String> {
                let place = sparse.get(name).ok_or_else(|| format!("sparse.{name} is missing"))?;
                let view = view_of(place)?.ok_or_else(|| format!("sparse.{name} names no buffer view"))?;
                gather(&self.blobs[view].bytes, offset_in(place)?, layout.element(), layout, count)
                    .ok_or_else(|| format!("sparse.{name} reach past their buffer view"))
            };
            let component = sparse.get("indices").and_then(|i| index_in(i, "componentType")).and_then(Component::from_code);
            let component = component.filter(|c| matches!(c, Component::U8 | Component::U16 | Component::U32));
            let component = component.ok_or("the component type of sparse.indices is not allowed")?;
            let places = Layout { component, components: 1, count, normalized: false, column: None };
            let places = Data { component, components: 1, count, normalized: false, bytes: part("indices", &places)? }.integers();
            let values = part("values", &layout)?;
            let size = layout.components * layout.component.size();
            for (place, value) in places.iter().zip(values.chunks_exact(size)) {
                let at = *place as usize;
                bytes.get_mut(at * size..(at + 1) * size).ok_or("a sparse index is past the last element")?.copy_from_slice(value);
            }
        }
        Ok(Data { component: layout.component, components: layout.components, count: layout.count, normalized: layout.normalized, bytes })
    }
}

impl Data {
    /// All numbers as floats, normalised ones as the fractions that they stand for.
    pub fn floats(&self) -> Vec<f32> {
        let fraction = |n: f32, full: f32| if self.normalized { (n / full).max(-1.0) } else { n };
        match self.component {
            Component::F32 => self.bytes.as_chunks::<4>().0.iter().map(|c| f32::from_le_bytes(*c)).collect(),
            Component::U32 => self.bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c) as f32).collect(),
            Component::U16 => self.bytes.as_chunks::<2>().0.iter().map(|c| fraction(f32::from(u16::from_le_bytes(*c)), 65535.0)).collect(),
            Component::I16 => self.bytes.as_chunks::<2>().0.iter().map(|c| fraction(f32::from(i16::from_le_bytes(*c)), 32767.0)).collect(),
            Component::U8 => self.bytes.iter().map(|&c| fraction(f32::from(c), 255.0)).collect(),
            Component::I8 => self.bytes.iter().map(|&c| fraction(f32::from(c as i8), 127.0)).collect(),
        }
    }

    /// All numbers as unsigned integers (signed ones and floats are not expected: they come out as 0).
    pub fn integers(&self) -> Vec<u32> {
        match self.component {
            Component::U32 => self.bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect(),
            Component::U16 => self.bytes.as_chunks::<2>().0.iter().map(|c| u32::from(u16::from_le_bytes(*c))).collect(),
            Component::U8 => self.bytes.iter().map(|&c| u32::from(c)).collect(),
            _ => vec![0; self.count * self.components],
        }
    }

    /// The elements named, in that order.
    pub fn select(&self, elements: &[u32]) -> Data {
        let size = self.components * self.component.size();
        let mut bytes = Vec::with_capacity(elements.len() * size);
        for &e in elements {
            bytes.extend_from_slice(&self.bytes[e as usize * size..(e as usize + 1) * size]);
        }
        Data { count: elements.len(), bytes, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::Blob;
    use bytes::Bytes;
    use serde_json::json;

    fn document(accessor: Value, views: &[(&[u8], Value)]) -> Document {
        let mut document = Document::default();
        for (bytes, view) in views {
            document.add_view(Blob { bytes: Bytes::copy_from_slice(bytes), packed: None }, view.clone());
        }
        document.add("accessors", accessor);
        document
    }

    #[test]
    fn interleaved_elements_are_gathered() {
        let bytes: Vec<u8> = [1.0f32, 2.0, 9.0, 3.0, 4.0, 9.0].iter().flat_map(|f| f.to_le_bytes()).collect();
        let d = document(
            json!({"bufferView": 0, "componentType": 5126, "type": "VEC2", "count": 2}),
            &[(&bytes[..20], json!({"byteStride": 12}))],
        );
        assert_eq!(d.accessor(0).unwrap().floats(), [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn sparse_values_replace_zeros() {
        let d = document(
            json!({"componentType": 5121, "normalized": true, "type": "SCALAR", "count": 4, "sparse": {"count": 2,
                "indices": {"bufferView": 0, "componentType": 5123}, "values": {"bufferView": 1}}}),
            &[(&[1, 0, 3, 0], json!({})), (&[255, 51], json!({}))],
        );
        assert_eq!(d.accessor(0).unwrap().floats(), [0.0, 1.0, 0.0, 0.2]);
    }

    #[test]
    fn columns_of_small_matrices_are_padded() {
        // MAT3 of unsigned bytes: each column of 3 stands in 4 bytes.
        let d = document(
            json!({"bufferView": 0, "componentType": 5121, "type": "MAT3", "count": 1}),
            &[(&[1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0], json!({}))],
        );
        assert_eq!(d.accessor(0).unwrap().bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn past_the_end_is_an_error() {
        let d = document(json!({"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 2}), &[(&[0; 23], json!({}))]);
        assert!(d.accessor(0).is_err());
        let d = document(
            json!({"componentType": 5121, "type": "SCALAR", "count": 2, "sparse": {"count": 1,
                "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 0}}}),
            &[(&[2], json!({}))],
        );
        assert!(d.accessor(0).is_err());
    }
}
