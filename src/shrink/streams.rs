//! Encoded geometry and curves on their way into buffer views: streams of one kind share a view, and a view is compressed where that pays.
//!
//! Sharing matters: a compressed buffer view costs about 230 bytes of JSON, and a face with 57 morph targets would need 114 of them. The
//! elements stay tight (never interleaved); each accessor finds its part by its byteOffset.

use super::{Pass, Work};
use crate::codec::meshopt::{self, Filter, Mode};
use crate::gltf::{Blob, Document, Packed};
use crate::report::Report;
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// JSON of a compressed buffer view, in bytes: what compression must save at least.
const VIEW_COST: usize = 230;

/// What a stream holds; streams of one kind, stride and filter share a buffer view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A vertex attribute, by its name without the set's number.
    Attribute(&'static str),
    /// The same of a morph target.
    Morph(&'static str),
    /// Triangles (always in a view of its own: the codec builds on the running number of new vertices).
    Triangles,
    /// Other indices.
    Indices,
    /// Which elements of a sparse accessor differ.
    SparseIndices,
    /// Their values.
    SparseValues(&'static str),
    /// Key times.
    Times,
    /// Keys, by the property that moves.
    Keys(&'static str),
    /// Inverse bind matrices.
    Matrices,
}

impl Kind {
    /// Read by the graphics card element by element, so that the view tells a stride.
    fn is_vertex(self) -> bool {
        matches!(self, Self::Attribute(_) | Self::Morph(_))
    }

    /// What may share an uncompressed view: vertices of one stride, triangles, matrices, or what the graphics card never sees.
    fn company(self, stride: usize) -> (u8, usize) {
        match self {
            Self::Attribute(_) | Self::Morph(_) => (0, stride),
            Self::Triangles | Self::Indices => (1, 0),
            Self::Matrices => (3, 0),
            _ => (2, 0),
        }
    }
}

/// Elements ready to be written.
#[derive(Debug, Clone)]
pub struct Stream {
    /// What they are.
    pub kind: Kind,
    /// How the codec sees them.
    pub mode: Mode,
    /// What the reader undoes.
    pub filter: Filter,
    /// Bytes of an element, gaps included.
    pub stride: usize,
    /// As stored before the codec (the filtered form).
    pub stored: Vec<u8>,
    /// As readers see them.
    pub bytes: Vec<u8>,
    /// For triangles and indices: how many vertices they may name.
    pub vertices: usize,
}

impl Stream {
    /// A stream without filter.
    pub fn plain(kind: Kind, mode: Mode, stride: usize, bytes: Vec<u8>) -> Self {
        Self { kind, mode, filter: Filter::None, stride, stored: bytes.clone(), bytes, vertices: 0 }
    }

    /// The stream that the codec makes of the stored form.
    pub fn encoded(&self) -> Vec<u8> {
        encode(self.mode, self.stride, &self.stored, self.vertices)
    }
}

fn encode(mode: Mode, stride: usize, stored: &[u8], vertices: usize) -> Vec<u8> {
    let indices = || -> Vec<u32> {
        match stride {
            2 => stored.as_chunks::<2>().0.iter().map(|c| u32::from(u16::from_le_bytes(*c))).collect(),
            _ => stored.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect(),
        }
    };
    match mode {
        Mode::Attributes => meshopt::encode_attributes(stored, stride),
        Mode::Triangles => meshopt::encode_triangles(&indices(), vertices),
        Mode::Indices => meshopt::encode_indices(&indices(), vertices),
    }
}

/// Where in an accessor a stream belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Elements,
    SparseIndices,
    SparseValues,
}

/// The data of a new accessor.
#[derive(Debug, Clone, Default)]
pub struct Content {
    /// All elements; without them the accessor is all zeros.
    pub elements: Option<Stream>,
    /// The elements that differ: their numbers and their values.
    pub sparse: Option<(Stream, Stream)>,
}

/// Streams that wait for their buffer views.
#[derive(Debug, Clone, Default)]
pub struct Streams {
    waiting: Vec<(usize, Slot, Stream)>,
    known: BTreeMap<[u8; 32], usize>,
}

impl Streams {
    /// Adds an accessor; an equal one that was added before serves again. Returns its index.
    pub fn add(&mut self, document: &mut Document, accessor: Value, content: Content) -> usize {
        let mut hash = blake3::Hasher::new();
        hash.update(accessor.to_string().as_bytes());
        let sparse = content.sparse.into_iter().flat_map(|(i, v)| [(Slot::SparseIndices, i), (Slot::SparseValues, v)]);
        let parts: Vec<(Slot, Stream)> = content.elements.into_iter().map(|s| (Slot::Elements, s)).chain(sparse).collect();
        for (slot, stream) in &parts {
            hash.update(format!("{slot:?}{:?}{:?}{}", stream.kind, stream.filter, stream.stride).as_bytes());
            hash.update(&stream.bytes);
        }
        *self.known.entry(*hash.finalize().as_bytes()).or_insert_with(|| {
            let index = document.add("accessors", accessor);
            self.waiting.extend(parts.into_iter().map(|(slot, stream)| (index, slot, stream)));
            index
        })
    }
}

/// Gives the waiting streams their buffer views.
pub const PASS: Pass =
    Pass { name: "views", summary: "puts encoded geometry and curves into few buffer views, compressed where that pays", run };

/// A shared view being filled.
#[derive(Default)]
struct Group {
    stored: Vec<u8>,
    bytes: Vec<u8>,
    parts: Vec<(usize, Slot, usize)>,
    vertices: usize,
}

impl Group {
    fn push(&mut self, accessor: usize, slot: Slot, stream: Stream) {
        // Readers want an accessor to begin at a multiple of its component's size.
        self.stored.resize(self.stored.len().next_multiple_of(4.min(stream.stride.next_power_of_two())), 0);
        self.bytes.resize(self.stored.len(), 0);
        self.parts.push((accessor, slot, self.bytes.len()));
        self.stored.extend(&stream.stored);
        self.bytes.extend(&stream.bytes);
        self.vertices = self.vertices.max(stream.vertices);
    }
}

fn run(work: &mut Work, _: &mut Report) -> bool {
    let waiting = std::mem::take(&mut work.streams.waiting);
    if waiting.is_empty() {
        return false;
    }
    let compress = work.compresses();
    // Triangles of one primitive have a view of their own; the number keeps the order of the input.
    let mut groups: BTreeMap<(Kind, usize, Filter, usize), (Mode, Group)> = BTreeMap::new();
    for (n, (accessor, slot, stream)) in waiting.into_iter().enumerate() {
        let own = if matches!(stream.kind, Kind::Triangles | Kind::Indices | Kind::SparseIndices) { n + 1 } else { 0 };
        let key = (stream.kind, stream.stride, stream.filter, own);
        groups.entry(key).or_insert_with(|| (stream.mode, Group::default())).1.push(accessor, slot, stream);
    }
    let mut loose: BTreeMap<(u8, usize), Group> = BTreeMap::new();
    for ((kind, stride, filter, _), (mode, group)) in groups {
        let count = group.bytes.len() / stride;
        let packed = if compress { Some(encode(mode, stride, &group.stored, group.vertices)) } else { None };
        let packed = packed.filter(|p| p.len() + VIEW_COST < group.bytes.len());
        match packed {
            Some(stream) => {
                let bytes = meshopt::decode(mode, filter, count, stride, &stream).expect("what was just encoded decodes");
                let view = if kind.is_vertex() { json!({"byteStride": stride}) } else { json!({}) };
                let packed = Packed { mode, filter, stride, count, bytes: Bytes::from(stream) };
                place(work, Blob { bytes: Bytes::from(bytes), packed: Some(packed) }, view, &group.parts);
            }
            None => {
                let shared = loose.entry(kind.company(stride)).or_default();
                shared.bytes.resize(shared.bytes.len().next_multiple_of(4), 0);
                let start = shared.bytes.len();
                shared.parts.extend(group.parts.iter().map(|(accessor, slot, offset)| (*accessor, *slot, start + offset)));
                shared.bytes.extend(&group.bytes);
            }
        }
    }
    for ((_, stride), group) in loose {
        let view = if stride > 0 { json!({"byteStride": stride}) } else { json!({}) };
        place(work, Blob { bytes: Bytes::from(group.bytes), packed: None }, view, &group.parts);
    }
    true
}

fn place(work: &mut Work, blob: Blob, view: Value, parts: &[(usize, Slot, usize)]) {
    let view = work.document.add_view(blob, view);
    for &(accessor, slot, offset) in parts {
        let accessor = &mut work.document.list_mut("accessors")[accessor];
        let target = match slot {
            Slot::Elements => accessor,
            Slot::SparseIndices => &mut accessor["sparse"]["indices"],
            Slot::SparseValues => &mut accessor["sparse"]["values"],
        };
        target["bufferView"] = view.into();
        if offset > 0 {
            target["byteOffset"] = offset.into();
        }
    }
}
