//! What a build embeds in an avatar, so that no viewer has to work it out again: body height, walks, cover masks.
//!
//! One root-level extension, never required, that other readers skip. Its masks are buffer views; each says how many triangles it is for,
//! and the hash of the index and position data that it belongs to, so that a reader can tell when the geometry was changed since.

use super::outcome::{self, Walk};
use crate::cover::{Cover, Mask};
use crate::gltf::{Blob, Document, index_in, list};
use crate::report::{Finding, Place, Report, code};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// The name of the extension.
pub use crate::gltf::refs::PRECOMPUTED as EXTENSION;
/// The version of its layout.
const VERSION: u64 = 1;

/// The hash that a mask of a primitive carries: BLAKE3 over the elements of its index accessor, then over those of POSITION, both tight and
/// as they are after decompression; a primitive without indices has only positions. `None` when there is no such primitive.
pub fn hash(document: &Document, mesh: usize, primitive: usize) -> Option<String> {
    let primitive = list(document.list("meshes").get(mesh)?, "primitives").get(primitive)?;
    let mut hash = blake3::Hasher::new();
    if let Some(indices) = index_in(primitive, "indices") {
        hash.update(&document.accessor(indices).ok()?.bytes);
    }
    hash.update(&document.accessor(index_in(primitive.get("attributes")?, "POSITION")?).ok()?.bytes);
    Some(hash.finalize().to_hex().to_string())
}

/// Embeds what was worked out, in place of what was there.
pub fn embed(document: &mut Document, body_height: Option<f64>, walks: &[Walk], covers: &[Cover]) {
    document.remove_extension(EXTENSION);
    let mut extension = Map::from_iter([("version".to_owned(), VERSION.into())]);
    if let Some(height) = body_height {
        extension.insert("bodyHeight".into(), json!(height));
    }
    if !walks.is_empty() {
        extension.insert("walks".into(), json!(walks));
    }
    if !covers.is_empty() {
        let covers: Vec<Value> = covers.iter().map(|cover| outfit(document, cover)).collect();
        extension.insert("cover".into(), covers.into());
    }
    let extensions = document.json.entry("extensions").or_insert_with(|| json!({}));
    extensions[EXTENSION] = extension.into();
    document.use_extension(EXTENSION, false);
}

fn outfit(document: &mut Document, cover: &Cover) -> Value {
    let part = |mask: &Mask| {
        let view = document.add_view(Blob { bytes: mask.bits().into(), packed: None }, json!({}));
        let Mask { node, mesh, primitive, .. } = mask;
        json!({ "node": node, "mesh": mesh, "primitive": primitive, "triangles": mask.hidden.len(), "hidden": mask.count(),
            "bits": view, "hash": hash(document, *mesh, *primitive) })
    };
    let parts: Vec<Value> = cover.masks.iter().map(part).collect();
    json!({ "outfit": cover.outfit, "triangles": cover.triangles, "hidden": cover.count(), "parts": parts })
}

/// A cover as it is printed.
pub fn shown(cover: &Cover) -> outcome::Cover {
    let part = |mask: &Mask| outcome::CoverPart {
        node: mask.node,
        mesh: mask.mesh,
        primitive: mask.primitive,
        triangles: mask.hidden.len(),
        hidden: mask.count(),
        bits: STANDARD.encode(mask.bits()),
    };
    let parts = cover.masks.iter().map(part).collect();
    outcome::Cover { outfit: cover.outfit.clone(), triangles: cover.triangles, hidden: cover.count(), parts }
}

/// The masks that are embedded in a document. One that does not belong to the geometry beside it is left out, with a finding.
pub fn covers(document: &Document, file: &str, report: &mut Report) -> Vec<outcome::Cover> {
    let Some(extension) = document.extension(EXTENSION) else { return Vec::new() };
    let mut covers = Vec::new();
    for (o, outfit) in list(extension, "cover").iter().enumerate() {
        let mut parts = Vec::new();
        for (p, json) in list(outfit, "parts").iter().enumerate() {
            match part(document, json) {
                Ok(part) => parts.push(part),
                Err(problem) => {
                    let place = Place::file(file).at(format!("/extensions/{EXTENSION}/cover/{o}/parts/{p}"));
                    report.add(Finding::new(&code::Y001, place, format!("the cover mask is of no use: {problem}")).hint(code::Y001.remedy));
                }
            }
        }
        covers.push(outcome::Cover {
            outfit: outfit.get("outfit").and_then(Value::as_str).unwrap_or_default().into(),
            triangles: index_in(outfit, "triangles").unwrap_or(0),
            hidden: parts.iter().map(|part| part.hidden).sum(),
            parts,
        });
    }
    covers
}

fn part(document: &Document, json: &Value) -> Result<outcome::CoverPart, &'static str> {
    let number = |name: &str| index_in(json, name).ok_or("a member of it is missing");
    let (node, mesh, primitive, triangles) = (number("node")?, number("mesh")?, number("primitive")?, number("triangles")?);
    let bits = &document.blobs.get(number("bits")?).ok_or("its buffer view does not exist")?.bytes;
    if bits.len() != triangles.div_ceil(8) || bits.last().is_some_and(|last| triangles % 8 > 0 && last >> (triangles % 8) != 0) {
        return Err("it has not one bit for each triangle");
    }
    if document.list("nodes").get(node).and_then(|node| index_in(node, "mesh")) != Some(mesh) {
        return Err("the node does not draw the mesh");
    }
    if hash(document, mesh, primitive).as_deref() != json.get("hash").and_then(Value::as_str) {
        return Err("the geometry was changed since");
    }
    let hidden = bits.iter().map(|byte| byte.count_ones() as usize).sum();
    Ok(outcome::CoverPart { node, mesh, primitive, triangles, hidden, bits: STANDARD.encode(bits) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::container;
    use crate::vrm::refs::TABLE;
    use bytes::Bytes;

    fn document() -> Document {
        let json = json!({
            "asset": {"version": "2.0"}, "scenes": [{"nodes": [1]}], "nodes": [{}, {"mesh": 0}], "buffers": [{"byteLength": 66}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 30}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [0, 0, 0]},
                {"bufferView": 1, "componentType": 5121, "type": "SCALAR", "count": 30}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        });
        let glb = container::write_glb(json.as_object().unwrap(), &[0; 68], &[]).unwrap();
        Document::read(&Bytes::from(glb), "a.glb", &TABLE, &mut Report::default()).unwrap()
    }

    fn written(document: &Document) -> Document {
        Document::read(&Bytes::from(document.write().unwrap()), "a.glb", &TABLE, &mut Report::default()).unwrap()
    }

    fn cover() -> Cover {
        let hidden = (0..10).map(|triangle| triangle == 0 || triangle == 9).collect();
        Cover { outfit: "a".into(), triangles: 12, masks: vec![Mask { node: 1, mesh: 0, primitive: 0, hidden }] }
    }

    #[test]
    fn masks_come_back_as_they_went_in() {
        let mut document = document();
        embed(&mut document, Some(1.5), &[], &[cover()]);
        let mut read = written(&document);
        let mut report = Report::default();
        let covers = covers(&read, "a.glb", &mut report);
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        assert_eq!(covers, [shown(&cover())]);
        // Bit 0 of byte 0 and bit 1 of byte 1.
        assert_eq!((covers[0].hidden, covers[0].parts[0].bits.as_str()), (2, "AQI="));
        let extension = read.extension(EXTENSION).unwrap();
        assert_eq!((&extension["version"], &extension["bodyHeight"]), (&json!(1), &json!(1.5)));
        assert_eq!(read.list("extensionsUsed"), [EXTENSION]);
        assert!(TABLE.knows(EXTENSION) && TABLE.used(&read.json, "bufferViews", 3) == [true; 3]);
        // 30 index bytes and 36 position bytes, all zero.
        let expected = blake3::hash(&[0; 66]).to_hex().to_string();
        assert_eq!(extension["cover"][0]["parts"][0]["hash"], expected.as_str());
        assert!(read.remove_extension(EXTENSION) && !read.remove_extension(EXTENSION));
        assert!(read.json.get("extensions").is_none() && read.json.get("extensionsUsed").is_none());
    }

    #[test]
    fn masks_of_other_geometry_are_left_out() {
        let broken = |change: &dyn Fn(&mut Document)| {
            let mut document = document();
            embed(&mut document, None, &[], &[cover()]);
            change(&mut document);
            let mut report = Report::default();
            let covers = covers(&document, "a.glb", &mut report);
            assert_eq!((covers[0].parts.len(), report.findings.len()), (0, 1));
            assert_eq!((report.findings[0].code.id, report.findings[0].place.pointer.ends_with("/cover/0/parts/0")), ("Y001", true));
            report.findings[0].message.clone()
        };
        let member = |name: &'static str, value: Value| {
            move |document: &mut Document| document.json["extensions"][EXTENSION]["cover"][0]["parts"][0][name] = value.clone()
        };
        assert!(broken(&|document| document.blobs[0].bytes = vec![1; 36].into()).contains("changed since"));
        assert!(broken(&member("triangles", json!(17))).contains("one bit for each"));
        assert!(broken(&member("triangles", json!(9))).contains("one bit for each"));
        assert!(broken(&member("bits", json!(99))).contains("buffer view"));
        assert!(broken(&member("node", json!(0))).contains("does not draw"));
        assert!(broken(&member("mesh", Value::Null)).contains("missing"));
    }
}
