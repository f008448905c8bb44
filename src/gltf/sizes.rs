//! Where the bytes of a file go: pictures, vertices, triangles, morphs, skins, curves, JSON and the rest.
//!
//! A buffer view counts with the bytes that it has in the file, so a compressed one with its compressed bytes. Accessors and images say
//! what is in it; when they are of several kinds, its bytes are divided in proportion to theirs. Bytes that several views share count once,
//! for the view that begins first. What stands as base64 in the JSON counts with the length of its text.

use super::accessor::{Component, Layout};
use super::container::Parts;
use super::document::{MESHOPT, MESHOPT_KHR, primitives};
use super::{Document, index_in, list};
use serde_json::Value;

/// What a buffer view holds; an accessor that is used for several things is the last of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Skins,
    Animations,
    Morphs,
    Indices,
    Vertices,
    Textures,
}

/// One number for each [`Kind`], and one for the rest.
type Shares = [u64; 7];
const REST: usize = 6;

/// The bytes of each kind; together they are the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The JSON, without what stands in it as base64.
    pub json: u64,
    /// Pictures.
    pub textures: u64,
    /// Vertex attributes without morphs.
    pub vertices: u64,
    /// Triangle indices.
    pub indices: u64,
    /// Morph targets.
    pub morphs: u64,
    /// Inverse bind matrices.
    pub skins: u64,
    /// Animation curves.
    pub animations: u64,
    /// What nothing refers to, padding, headers and all else.
    pub other: u64,
}

impl Sizes {
    /// Everything that is neither JSON nor pictures nor waste: vertices, triangles, morphs, skins and curves.
    pub fn geometry(&self) -> u64 {
        self.vertices + self.indices + self.morphs + self.skins + self.animations
    }
}

/// Divides a file of so many bytes, whose container was opened into `parts` and whose document proved sound.
pub fn sizes(file: u64, parts: &Parts) -> Sizes {
    let document = Document::from(parts.json.clone());
    let mut total = Shares::default();
    let mut in_json = 0;
    let holds = holds(&document);
    for (b, buffer) in document.list("buffers").iter().enumerate() {
        // How long it is in memory and how long in the file.
        let (length, stored) = match (data_uri(buffer), &parts.bin) {
            (Some(uri), _) => {
                in_json += uri.len() as u64;
                (decoded(uri), uri.len() as u64)
            }
            (None, Some(bin)) if b == 0 => (bin.len() as u64, bin.len() as u64),
            _ => continue,
        };
        let mut claimed = claimed(&document, b, &holds);
        claimed[REST] += length.saturating_sub(claimed.iter().sum());
        for (sum, share) in total.iter_mut().zip(divide(stored, &claimed)) {
            *sum += share;
        }
    }
    for uri in document.list("images").iter().filter_map(data_uri) {
        in_json += uri.len() as u64;
        total[Kind::Textures as usize] += uri.len() as u64;
    }
    let [skins, animations, morphs, indices, vertices, textures, _] = total;
    let json = (parts.json_length as u64).saturating_sub(in_json);
    let known = json + total[..REST].iter().sum::<u64>();
    Sizes { json, textures, vertices, indices, morphs, skins, animations, other: file.saturating_sub(known) }
}

fn data_uri(value: &Value) -> Option<&str> {
    value.get("uri")?.as_str().filter(|uri| uri.starts_with("data:"))
}

/// Bytes that the base64 of a data URI stands for.
fn decoded(uri: &str) -> u64 {
    let body = uri.split_once(',').map_or("", |(_, body)| body).trim_end_matches('=');
    body.len() as u64 * 3 / 4
}

/// What accessors and images find in each buffer view, in decoded bytes.
fn holds(document: &Document) -> Vec<Shares> {
    let mut kinds: Vec<Option<Kind>> = vec![None; document.list("accessors").len()];
    let mut set = |accessor: Option<usize>, kind: Kind| {
        if let Some(known) = accessor.and_then(|accessor| kinds.get_mut(accessor)) {
            *known = Some(kind);
        }
    };
    let members = |value: &Value| -> Vec<Option<usize>> {
        value.as_object().map_or_else(Vec::new, |map| map.values().map(super::index_of).collect())
    };
    document.list("skins").iter().for_each(|skin| set(index_in(skin, "inverseBindMatrices"), Kind::Skins));
    for sampler in document.list("animations").iter().flat_map(|animation| list(animation, "samplers")) {
        set(index_in(sampler, "input"), Kind::Animations);
        set(index_in(sampler, "output"), Kind::Animations);
    }
    for (_, _, primitive) in primitives(document) {
        list(primitive, "targets").iter().flat_map(members).for_each(|accessor| set(accessor, Kind::Morphs));
    }
    for (_, _, primitive) in primitives(document) {
        set(index_in(primitive, "indices"), Kind::Indices);
    }
    for (_, _, primitive) in primitives(document) {
        primitive.get("attributes").map_or_else(Vec::new, members).into_iter().for_each(|accessor| set(accessor, Kind::Vertices));
    }

    let mut holds = vec![Shares::default(); document.list("bufferViews").len()];
    let mut add = |holder: Option<&Value>, kind: Option<Kind>, bytes: u64| {
        if let Some(shares) = holder.and_then(|h| index_in(h, "bufferView")).and_then(|view| holds.get_mut(view)) {
            shares[kind.map_or(REST, |kind| kind as usize)] += bytes;
        }
    };
    for (accessor, kind) in document.list("accessors").iter().zip(kinds) {
        let Some(layout) = Layout::of(accessor) else { continue };
        let element = layout.element() as u64;
        add(Some(accessor), kind, layout.count as u64 * element);
        if let Some(sparse) = accessor.get("sparse") {
            let count = index_in(sparse, "count").unwrap_or(0) as u64;
            let places = sparse.get("indices").and_then(|i| index_in(i, "componentType")).and_then(Component::from_code);
            add(sparse.get("indices"), kind, count * places.map_or(0, Component::size) as u64);
            add(sparse.get("values"), kind, count * element);
        }
    }
    for image in document.list("images") {
        add(Some(image), Some(Kind::Textures), 1);
    }
    holds
}

/// What the buffer views claim of a buffer, each byte once.
fn claimed(document: &Document, buffer: usize, holds: &[Shares]) -> Shares {
    let mut regions: Vec<(u64, std::cmp::Reverse<u64>, usize)> = Vec::new();
    for (v, view) in document.list("bufferViews").iter().enumerate() {
        let packed = [MESHOPT, MESHOPT_KHR].into_iter().find_map(|name| view.get("extensions")?.get(name));
        let region = packed.unwrap_or(view);
        if index_in(region, "buffer") == Some(buffer) {
            let start = index_in(region, "byteOffset").unwrap_or(0) as u64;
            regions.push((start, std::cmp::Reverse(start + index_in(region, "byteLength").unwrap_or(0) as u64), v));
        }
    }
    regions.sort_unstable();
    let (mut total, mut done) = (Shares::default(), 0);
    for (start, std::cmp::Reverse(end), view) in regions {
        let bytes = end.saturating_sub(start.max(done));
        done = done.max(end);
        for (sum, share) in total.iter_mut().zip(divide(bytes, &holds[view])) {
            *sum += share;
        }
    }
    total
}

/// Divides `bytes` in proportion to `weights`, without losing one; without weights all is the rest.
fn divide(bytes: u64, weights: &Shares) -> Shares {
    let all: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    let mut shares = Shares::default();
    if all == 0 {
        shares[REST] = bytes;
        return shares;
    }
    let (mut sum, mut given) = (0u128, 0u64);
    for (share, &weight) in shares.iter_mut().zip(weights) {
        sum += u128::from(weight);
        let until = (u128::from(bytes) * sum / all) as u64;
        *share = until - given;
        given = until;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::container;
    use crate::report::Report;
    use bytes::Bytes;
    use serde_json::json;

    fn of(json: &Value, bin: &[u8]) -> (u64, Sizes) {
        let file = Bytes::from(container::write_glb(json.as_object().unwrap(), bin, &[]).unwrap());
        let parts = container::open(&file, "a.glb", &mut Report::default()).unwrap();
        (file.len() as u64, sizes(file.len() as u64, &parts))
    }

    fn sum(s: &Sizes) -> u64 {
        s.json + s.textures + s.vertices + s.indices + s.morphs + s.skins + s.animations + s.other
    }

    fn accessor(view: usize, component: u32, kind: &str, count: usize) -> Value {
        json!({"bufferView": view, "componentType": component, "type": kind, "count": count})
    }

    #[test]
    fn each_kind_has_its_bytes() {
        let json = json!({
            "buffers": [{"byteLength": 200}],
            "bufferViews": [
                {"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}, {"buffer": 0, "byteOffset": 44, "byteLength": 40},
                {"buffer": 0, "byteOffset": 84, "byteLength": 64}, {"buffer": 0, "byteOffset": 148, "byteLength": 8}, {"buffer": 0, "byteOffset": 156, "byteLength": 20},
                // The same bytes once more.
                {"buffer": 0, "byteOffset": 156, "byteLength": 20}],
            "accessors": [accessor(0, 5126, "VEC3", 3), accessor(1, 5123, "SCALAR", 3), accessor(2, 5126, "VEC3", 3),
                accessor(3, 5126, "MAT4", 1), accessor(4, 5126, "SCALAR", 2)],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "targets": [{"POSITION": 2}]}]}],
            "skins": [{"joints": [], "inverseBindMatrices": 3}],
            "animations": [{"channels": [], "samplers": [{"input": 4, "output": 4}]}],
            "images": [{"bufferView": 5, "mimeType": "image/png"}, {"bufferView": 6, "mimeType": "image/png"}],
        });
        let (file, s) = of(&json, &[7; 200]);
        assert_eq!((s.vertices, s.indices, s.morphs, s.skins, s.animations, s.textures), (36, 6, 40, 64, 8, 20));
        // Two bytes of padding, 24 at the end that nothing names, the header and two chunk headers.
        assert_eq!(s.other, 2 + 24 + 12 + 16);
        assert_eq!(sum(&s), file);
    }

    #[test]
    fn a_view_of_several_kinds_is_divided() {
        // 36 bytes of positions, 18 of sparse morphs (3 places of 2 bytes, 1 element of 12 bytes) in one view of 108.
        let json = json!({
            "buffers": [{"byteLength": 108}],
            "bufferViews": [{"buffer": 0, "byteLength": 108}],
            "accessors": [accessor(0, 5126, "VEC3", 3), {"componentType": 5126, "type": "VEC3", "count": 3, "sparse": {"count": 1,
                "indices": {"bufferView": 0, "byteOffset": 48, "componentType": 5123}, "values": {"bufferView": 0, "byteOffset": 36}}}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}]}]}],
        });
        let (file, s) = of(&json, &[7; 108]);
        assert_eq!((s.vertices, s.morphs), (108 - 108 * 14 / 50, 108 * 14 / 50));
        assert_eq!((s.other, sum(&s)), (28, file));
    }

    #[test]
    fn compressed_views_count_as_they_are_stored() {
        let packed = json!({"buffer": 0, "byteLength": 10, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES"});
        let json = json!({
            "buffers": [{"byteLength": 12}, {"byteLength": 36}],
            "bufferViews": [{"buffer": 1, "byteLength": 36, "extensions": {(MESHOPT): packed}}],
            "accessors": [accessor(0, 5126, "VEC3", 3)],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        });
        let (file, s) = of(&json, &[7; 12]);
        assert_eq!((s.vertices, s.other, sum(&s)), (10, 2 + 28, file));
    }

    #[test]
    fn base64_counts_with_its_text() {
        // 9 bytes are 12 letters after 13 letters of "data:;base64,": 25 in all, of which the view has 6 bytes in 9.
        let json = json!({
            "buffers": [{"byteLength": 9, "uri": "data:;base64,AAAAAAAAAAAA"}],
            "bufferViews": [{"buffer": 0, "byteLength": 6}],
            "accessors": [accessor(0, 5123, "SCALAR", 3)],
            "meshes": [{"primitives": [{"attributes": {}, "indices": 0}]}],
            "images": [{"uri": "data:image/png;base64,AAAA"}],
        });
        let text = Bytes::from(json.to_string());
        let parts = container::open(&text, "a.gltf", &mut Report::default()).unwrap();
        let s = sizes(text.len() as u64, &parts);
        assert_eq!((s.indices, s.textures, s.other), (25 * 6 / 9, 26, 25 - 25 * 6 / 9));
        assert_eq!((s.json, sum(&s)), (text.len() as u64 - 25 - 26, text.len() as u64));
    }
}
