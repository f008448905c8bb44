//! A glTF file in memory: its JSON to the letter, and the bytes of each buffer view.
//!
//! Offsets exist only while reading and writing. Compressed buffer views are held decoded, with the compressed bytes beside them, so that
//! what nobody touches is written as it came.

use super::refs::Table;
use super::{check, container, index_in, index_of, list};
use crate::codec::meshopt::{self, Filter, Mode};
use crate::report::{Finding, Place, Report, code};
use base64::Engine;
use bytes::Bytes;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The name of the compression extension that is written.
pub const MESHOPT: &str = "EXT_meshopt_compression";
pub(super) const MESHOPT_KHR: &str = "KHR_meshopt_compression";

/// The most bytes that compressed buffer views of one file may unpack to.
const MAX_DECODED: u64 = 1 << 29;

/// The bytes of one buffer view.
#[derive(Debug, Clone, Default)]
pub struct Blob {
    /// Decoded.
    pub bytes: Bytes,
    /// The same in compressed form, which is then what is written.
    pub packed: Option<Packed>,
}

/// A compressed stream and how to read it.
#[derive(Debug, Clone)]
pub struct Packed {
    /// What it holds.
    pub mode: Mode,
    /// What is undone after decoding.
    pub filter: Filter,
    /// Bytes of an element.
    pub stride: usize,
    /// Elements.
    pub count: usize,
    /// The stream.
    pub bytes: Bytes,
}

/// A glTF file in memory.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// The root object. Its `bufferViews` carry no offsets and no compression (see [`Document::blobs`]), its `buffers` nothing that counts.
    pub json: Map<String, Value>,
    /// One for each element of `bufferViews`.
    pub blobs: Vec<Blob>,
    other_chunks: Vec<(u32, Bytes)>,
}

impl From<Map<String, Value>> for Document {
    /// A document without bytes, for what only the JSON decides.
    fn from(json: Map<String, Value>) -> Self {
        Self { json, ..Self::default() }
    }
}

impl Document {
    /// Opens a GLB, or a .gltf whose buffers are data URIs. `None` after a finding of severity error; every index that the table knows
    /// is checked, so that later code may rely on core references.
    pub fn read(bytes: &Bytes, file: &str, table: &Table, report: &mut Report) -> Option<Self> {
        let container::Parts { json, bin, other_chunks, .. } = container::open(bytes, file, report)?;
        if !check::structure(&json, file, report) {
            return None;
        }
        let mut document = Self { json, blobs: Vec::new(), other_chunks };
        let buffers = document.open_buffers(bin, file, report)?;
        document.open_views(&buffers, file, report)?;
        document.embed_pictures(file, report)?;
        let budget = (bytes.len() as u64).saturating_mul(200).max(1 << 28);
        check::document(&document, table, budget, file, report).then_some(document)
    }

    /// The elements of a top-level list.
    pub fn list(&self, name: &str) -> &[Value] {
        self.json.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// A top-level list to change, made when missing.
    pub fn list_mut(&mut self, name: &str) -> &mut Vec<Value> {
        let value = self.json.entry(name).or_insert_with(|| Value::Array(Vec::new()));
        if !value.is_array() {
            *value = Value::Array(Vec::new());
        }
        value.as_array_mut().expect("made a list above")
    }

    /// The elements of a top-level list to change; none when there is no list.
    pub fn elements_mut(&mut self, name: &str) -> &mut [Value] {
        self.json.get_mut(name).and_then(Value::as_array_mut).map_or(&mut [], Vec::as_mut_slice)
    }

    /// Root-level data of an extension.
    pub fn extension(&self, name: &str) -> Option<&Value> {
        self.json.get("extensions")?.get(name)
    }

    /// Adds a buffer view; returns its index.
    pub fn add_view(&mut self, blob: Blob, view: Value) -> usize {
        self.list_mut("bufferViews").push(view);
        self.blobs.push(blob);
        self.blobs.len() - 1
    }

    /// Adds an element to a top-level list; returns its index.
    pub fn add(&mut self, name: &str, element: Value) -> usize {
        let list = self.list_mut(name);
        list.push(element);
        list.len() - 1
    }

    /// Removes the elements of a list that `keep` does not mark and renumbers every reference. An emptied list goes too.
    pub fn retain(&mut self, table: &Table, name: super::refs::List, keep: &[bool]) {
        if keep.iter().all(|&k| k) {
            return;
        }
        let mut next = 0;
        let map: Vec<Option<usize>> = keep.iter().map(|&k| k.then(|| (next, next += 1).0)).collect();
        let mut flags = keep.iter();
        self.list_mut(name).retain(|_| *flags.next().unwrap_or(&true));
        if name == "bufferViews" {
            let mut flags = keep.iter();
            self.blobs.retain(|_| *flags.next().unwrap_or(&true));
        }
        if next == 0 && self.list(name).is_empty() {
            self.json.shift_remove(name);
        }
        table.remap(&mut self.json, name, &map);
    }

    /// Lists an extension in `extensionsUsed`, and in `extensionsRequired` when it is.
    pub fn use_extension(&mut self, name: &str, required: bool) {
        for list in ["extensionsUsed", "extensionsRequired"].into_iter().take(1 + usize::from(required)) {
            let list = self.list_mut(list);
            if !list.iter().any(|e| e == name) {
                list.push(name.into());
            }
        }
    }

    /// Removes the root-level data of an extension and takes it out of the lists; says whether there was any. Its buffer views stay until
    /// something prunes them.
    pub fn remove_extension(&mut self, name: &str) -> bool {
        let Some(extensions) = self.json.get_mut("extensions").and_then(Value::as_object_mut) else { return false };
        let had = extensions.shift_remove(name).is_some();
        if extensions.is_empty() {
            self.json.shift_remove("extensions");
        }
        if had {
            self.forget_extension(name);
        }
        had
    }

    /// Takes an extension out of `extensionsUsed` and `extensionsRequired`.
    pub fn forget_extension(&mut self, name: &str) {
        for list in ["extensionsUsed", "extensionsRequired"] {
            if self.json.get(list).is_some_and(Value::is_array) {
                self.list_mut(list).retain(|e| e != name);
                if self.list(list).is_empty() {
                    self.json.shift_remove(list);
                }
            }
        }
    }

    fn open_buffers(&self, mut bin: Option<Bytes>, file: &str, report: &mut Report) -> Option<Vec<Option<Bytes>>> {
        let mut buffers = Vec::new();
        for (i, buffer) in self.list("buffers").iter().enumerate() {
            let place = || Place::file(file).at(format!("/buffers/{i}"));
            let wanted = index_in(buffer, "byteLength").unwrap_or(0);
            let bytes = match buffer.get("uri").and_then(Value::as_str) {
                Some(uri) => match data_uri(uri) {
                    Some(Ok(bytes)) => Some(bytes),
                    Some(Err(message)) => {
                        report.add(Finding::new(&code::D006, place().at(format!("/buffers/{i}/uri")), message).hint(code::D006.remedy));
                        return None;
                    }
                    None => {
                        let message = format!("the buffer lies outside the file, at {:?}", short(uri));
                        report.add(Finding::new(&code::D008, place().at(format!("/buffers/{i}/uri")), message).hint(code::D008.remedy));
                        return None;
                    }
                },
                None if i == 0 => bin.take(),
                None => None,
            };
            if let Some(bytes) = &bytes
                && bytes.len() < wanted
            {
                let message = format!("the buffer says it has {wanted} bytes, but there are {}", bytes.len());
                report.add(Finding::new(&code::D006, place(), message).hint(code::D006.remedy));
                return None;
            }
            buffers.push(bytes.map(|b| b.slice(..wanted)));
        }
        Some(buffers)
    }

    fn open_views(&mut self, buffers: &[Option<Bytes>], file: &str, report: &mut Report) -> Option<()> {
        let Some(Value::Array(mut views)) = self.json.get_mut("bufferViews").map(Value::take) else {
            return Some(());
        };
        let mut decoded = 0;
        let mut good = true;
        for (i, view) in views.iter_mut().enumerate() {
            match open_view(view, buffers, &mut decoded) {
                Ok(blob) => self.blobs.push(blob),
                Err((code, message)) => {
                    report.add(Finding::new(code, Place::file(file).at(format!("/bufferViews/{i}")), message).hint(code.remedy));
                    good = false;
                }
            }
        }
        self.json.insert("bufferViews".into(), Value::Array(views));
        self.forget_extension(MESHOPT);
        self.forget_extension(MESHOPT_KHR);
        good.then_some(())
    }

    /// Moves pictures in data URIs into buffer views of their own, and refuses those that lie outside.
    fn embed_pictures(&mut self, file: &str, report: &mut Report) -> Option<()> {
        for i in 0..self.list("images").len() {
            let image = &self.list("images")[i];
            let Some(uri) = image.get("uri").and_then(Value::as_str) else { continue };
            let place = Place::file(file).at(format!("/images/{i}/uri"));
            let bytes = match data_uri(uri) {
                Some(Ok(bytes)) => bytes,
                Some(Err(message)) => {
                    report.add(Finding::new(&code::D006, place, message).hint(code::D006.remedy));
                    return None;
                }
                None => {
                    let message = format!("the picture lies outside the file, at {:?}", short(uri));
                    report.add(Finding::new(&code::D008, place, message).hint(code::D008.remedy));
                    return None;
                }
            };
            let mime = uri.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next()).unwrap_or("").to_owned();
            let view = self.add_view(Blob { bytes, packed: None }, json!({}));
            if let Some(image) = self.list_mut("images")[i].as_object_mut() {
                image.shift_remove("uri");
                image.insert("bufferView".into(), view.into());
                image.entry("mimeType").or_insert_with(|| mime.into());
            }
        }
        Some(())
    }

    /// Writes a GLB with one buffer; equal bytes are written once. `None` when it would be 4 GiB or longer.
    pub fn write(&self) -> Option<Vec<u8>> {
        let mut json = self.json.clone();
        let mut bin: Vec<u8> = Vec::new();
        let mut placed: BTreeMap<&[u8], usize> = BTreeMap::new();
        let mut unpacked = 0usize;
        if let Some(Value::Array(views)) = json.get_mut("bufferViews") {
            for (view, blob) in views.iter_mut().zip(&self.blobs) {
                let stored: &Bytes = blob.packed.as_ref().map_or(&blob.bytes, |p| &p.bytes);
                let offset = *placed.entry(stored).or_insert_with(|| {
                    bin.resize(bin.len().next_multiple_of(4), 0);
                    bin.extend_from_slice(stored);
                    bin.len() - stored.len()
                });
                let Some(view) = view.as_object_mut() else { continue };
                let mut out = Map::new();
                let region = |buffer: usize, offset: usize, length: usize| {
                    let mut region = Map::new();
                    region.insert("buffer".into(), buffer.into());
                    if offset > 0 {
                        region.insert("byteOffset".into(), offset.into());
                    }
                    region.insert("byteLength".into(), length.into());
                    region
                };
                match &blob.packed {
                    None => out.extend(region(0, offset, stored.len())),
                    Some(packed) => {
                        let mut inner = region(0, offset, stored.len());
                        inner.insert("byteStride".into(), packed.stride.into());
                        inner.insert("count".into(), packed.count.into());
                        inner.insert("mode".into(), mode_name(packed.mode).into());
                        if packed.filter != Filter::None {
                            inner.insert("filter".into(), filter_name(packed.filter).into());
                        }
                        out.extend(region(1, unpacked, blob.bytes.len()));
                        unpacked += blob.bytes.len().next_multiple_of(4);
                        let extensions = view.entry("extensions").or_insert_with(|| json!({}));
                        extensions[MESHOPT] = Value::Object(inner);
                    }
                }
                out.append(view);
                *view = out;
            }
        }
        let mut buffers = Vec::new();
        if !bin.is_empty() || unpacked > 0 {
            let mut first = self.list("buffers").first().and_then(Value::as_object).cloned().unwrap_or_default();
            first.retain(|key, _| key == "name" || key == "extras");
            first.insert("byteLength".into(), bin.len().max(1).into());
            buffers.push(Value::Object(first));
        }
        if unpacked > 0 {
            buffers.push(json!({"byteLength": unpacked, "extensions": {(MESHOPT): {"fallback": true}}}));
            let mut with_extension = Self { json, ..Self::default() };
            with_extension.use_extension(MESHOPT, true);
            json = with_extension.json;
        }
        if buffers.is_empty() {
            json.shift_remove("buffers");
        } else {
            json.insert("buffers".into(), Value::Array(buffers));
        }
        container::write_glb(&json, &bin, &self.other_chunks)
    }
}

fn short(uri: &str) -> String {
    uri.chars().take(80).collect()
}

/// The bytes of a data URI; `None` when it is another kind of URI.
fn data_uri(uri: &str) -> Option<Result<Bytes, &'static str>> {
    let (head, body) = uri.strip_prefix("data:")?.split_once(',').unwrap_or(("", ""));
    if !head.ends_with(";base64") {
        return Some(Err("the data URI is not in base64"));
    }
    let engine = base64::engine::GeneralPurpose::new(
        &base64::alphabet::STANDARD,
        base64::engine::GeneralPurposeConfig::new().with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent),
    );
    Some(engine.decode(body.as_bytes()).map(Bytes::from).map_err(|_| "the data URI is not valid base64"))
}

type Trouble = (&'static code::Code, String);

/// Cuts one buffer view out of its buffer; takes offsets, compression and nothing else out of its JSON.
fn open_view(view: &mut Value, buffers: &[Option<Bytes>], decoded: &mut u64) -> Result<Blob, Trouble> {
    let slice = |region: &Value| -> Result<Bytes, Trouble> {
        let bounds = |message: String| (&code::D006, message);
        let buffer = index_in(region, "buffer").ok_or_else(|| bounds("the buffer view names no buffer".into()))?;
        let bytes =
            buffers.get(buffer).ok_or_else(|| (&code::D005, format!("the buffer view names buffer {buffer} of {}", buffers.len())))?;
        let bytes = bytes.as_ref().ok_or_else(|| bounds(format!("buffer {buffer} has no bytes in this file")))?;
        let offset =
            region.get("byteOffset").map_or(Some(0), index_of).ok_or_else(|| bounds("byteOffset is not a number of bytes".into()))?;
        let length = index_in(region, "byteLength").ok_or_else(|| bounds("byteLength is not a number of bytes".into()))?;
        let end = offset.checked_add(length).filter(|&end| end <= bytes.len());
        let end = end.ok_or_else(|| bounds(format!("bytes {offset} to {offset} + {length} are past the buffer's {}", bytes.len())))?;
        Ok(bytes.slice(offset..end))
    };
    let extension = [MESHOPT, MESHOPT_KHR].into_iter().find_map(|name| Some((name, view.get("extensions")?.get(name)?.clone())));
    let blob = match extension {
        None => Blob { bytes: slice(view)?, packed: None },
        Some((name, inner)) => {
            let damaged = |message: &str| (&code::D011, format!("{name}: {message}"));
            let stream = slice(&inner)?;
            let (Some(stride), Some(count)) = (index_in(&inner, "byteStride"), index_in(&inner, "count")) else {
                return Err(damaged("byteStride or count is missing"));
            };
            let mode = match inner.get("mode").and_then(Value::as_str) {
                Some("ATTRIBUTES") => Mode::Attributes,
                Some("TRIANGLES") => Mode::Triangles,
                Some("INDICES") => Mode::Indices,
                _ => return Err(damaged("its mode is not known")),
            };
            let filter = match inner.get("filter").map(Value::as_str) {
                None | Some(Some("NONE")) => Filter::None,
                Some(Some("OCTAHEDRAL")) => Filter::Octahedral,
                Some(Some("QUATERNION")) => Filter::Quaternion,
                Some(Some("EXPONENTIAL")) => Filter::Exponential,
                Some(Some("COLOR")) => Filter::Color,
                Some(_) => return Err(damaged("its filter is not known")),
            };
            *decoded = decoded.saturating_add((count as u64).saturating_mul(stride as u64));
            if *decoded > MAX_DECODED {
                let message = format!("compressed geometry would unpack to over {} MiB", MAX_DECODED >> 20);
                return Err((&code::D010, message));
            }
            let bytes = meshopt::decode(mode, filter, count, stride, &stream).map_err(|e| damaged(&e.to_string()))?;
            // Version 1 streams and the filters of KHR_meshopt_compression are not allowed in what is written: such a view is packed anew.
            let keep = name == MESHOPT && stream.first().is_some_and(|head| matches!(head, 0xA0 | 0xE1 | 0xE0 | 0xD1));
            let packed = keep.then_some(Packed { mode, filter, stride, count, bytes: stream });
            Blob { bytes: Bytes::from(bytes), packed }
        }
    };
    if let Some(object) = view.as_object_mut() {
        for key in ["buffer", "byteOffset", "byteLength"] {
            object.shift_remove(key);
        }
        if let Some(extensions) = object.get_mut("extensions").and_then(Value::as_object_mut) {
            extensions.shift_remove(MESHOPT);
            extensions.shift_remove(MESHOPT_KHR);
            if extensions.is_empty() {
                object.shift_remove("extensions");
            }
        }
    }
    Ok(blob)
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Attributes => "ATTRIBUTES",
        Mode::Triangles => "TRIANGLES",
        Mode::Indices => "INDICES",
    }
}

fn filter_name(filter: Filter) -> &'static str {
    match filter {
        Filter::None => "NONE",
        Filter::Octahedral => "OCTAHEDRAL",
        Filter::Quaternion => "QUATERNION",
        Filter::Exponential => "EXPONENTIAL",
        Filter::Color => "COLOR",
    }
}

/// The primitives of the document: indices of mesh and primitive, and the JSON.
pub fn primitives(document: &Document) -> impl Iterator<Item = (usize, usize, &Value)> {
    let meshes = document.list("meshes").iter().enumerate();
    meshes.flat_map(|(m, mesh)| list(mesh, "primitives").iter().enumerate().map(move |(p, primitive)| (m, p, primitive)))
}
