//! Which triangles nothing shows through: opaque materials, and those of the others whose alpha says so wherever it is sampled.
//!
//! Sources: glTF 2.0 specification, chapter 3.9.4, KHR_texture_transform, and for VRM 0.x the properties of MToon, by which viewers draw it.

use crate::codec::image;
use crate::gltf::figure::{Figure, Part};
use crate::gltf::{Document, index_in, list};
use glam::Vec2;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// From this alpha on a blended texel hides what is behind it.
const OPAQUE: f32 = 0.99;
/// Texels between two samples of a triangle's alpha, and the most samples along an edge.
const TEXELS: f32 = 1.5;
const MOST_SAMPLES: usize = 48;

/// How a triangle is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Nothing shows through.
    pub opaque: bool,
    /// Its back is drawn too.
    pub both_sides: bool,
}

/// What decides over the alpha of a material.
struct Alpha {
    both_sides: bool,
    /// From this alpha on it is opaque; `None` when it always is.
    from: Option<f32>,
    factor: f32,
    texture: Option<usize>,
    /// Set of texture coordinates.
    set: usize,
    /// Offset, rotation in radians, scale.
    transform: (Vec2, f32, Vec2),
}

impl Alpha {
    fn of(document: &Document, material: Option<usize>) -> Self {
        let null = Value::Null;
        let json = material.map_or(&null, |material| &document.list("materials")[material]);
        let pbr = json.get("pbrMetallicRoughness").unwrap_or(&null);
        let texture = pbr.get("baseColorTexture").unwrap_or(&null);
        let transform = texture.get("extensions").and_then(|e| e.get("KHR_texture_transform")).unwrap_or(&null);
        let pair = |name: &str, default: f32| {
            let at = |i: usize| list(transform, name).get(i).and_then(Value::as_f64).map_or(default, |v| v as f32);
            Vec2::new(at(0), at(1))
        };
        let number = |value: &Value, name: &str, default: f32| value.get(name).and_then(Value::as_f64).map_or(default, |v| v as f32);
        let mut alpha = Self {
            both_sides: json.get("doubleSided").and_then(Value::as_bool).unwrap_or(false),
            from: match json.get("alphaMode").and_then(Value::as_str) {
                Some("MASK") => Some(number(json, "alphaCutoff", 0.5)),
                Some("BLEND") => Some(OPAQUE),
                _ => None,
            },
            factor: list(pbr, "baseColorFactor").get(3).and_then(Value::as_f64).map_or(1.0, |v| v as f32),
            texture: index_in(texture, "index"),
            set: index_in(transform, "texCoord").or_else(|| index_in(texture, "texCoord")).unwrap_or(0),
            transform: (pair("offset", 0.0), number(transform, "rotation", 0.0), pair("scale", 1.0)),
        };
        if let Some(mtoon) = material.and_then(|material| mtoon(document, material)) {
            alpha.apply_mtoon(mtoon);
        }
        let transmission = json.get("extensions").and_then(|e| e.get("KHR_materials_transmission"));
        if transmission.is_some_and(|t| number(t, "transmissionFactor", 0.0) > 0.0 || t.get("transmissionTexture").is_some()) {
            (alpha.from, alpha.factor) = (Some(OPAQUE), 0.0);
        }
        alpha
    }

    /// What VRM 0.x says in place of the material.
    fn apply_mtoon(&mut self, mtoon: &Value) {
        let float = |name: &str| mtoon.get("floatProperties").and_then(|f| f.get(name)).and_then(Value::as_f64);
        if let Some(mode) = float("_BlendMode") {
            let cutoff = float("_Cutoff").unwrap_or(0.5) as f32;
            self.from = [None, Some(cutoff)].get(mode as usize).copied().unwrap_or(Some(OPAQUE));
        }
        if let Some(cull) = float("_CullMode") {
            self.both_sides = cull == 0.0;
        }
        let vector = |name: &str| mtoon.get("vectorProperties").map_or(&[][..], |v| list(v, name));
        if let Some(alpha) = vector("_Color").get(3).and_then(Value::as_f64) {
            self.factor = alpha as f32;
        }
        if let Some(texture) = mtoon.get("textureProperties").and_then(|t| index_in(t, "_MainTex")) {
            self.texture = Some(texture);
        }
    }
}

fn mtoon(document: &Document, material: usize) -> Option<&Value> {
    let properties = list(document.extension("VRM")?, "materialProperties").get(material)?;
    properties.get("shader")?.as_str()?.starts_with("VRM/MToon").then_some(properties)
}

/// The image that a texture shows.
fn image_of(document: &Document, texture: usize) -> Option<usize> {
    let json = document.list("textures").get(texture)?;
    let webp = json.get("extensions").and_then(|e| e.get("EXT_texture_webp")).and_then(|e| index_in(e, "source"));
    webp.or_else(|| index_in(json, "source"))
}

/// The images whose alpha decides what shows through.
pub fn images(document: &Document) -> BTreeSet<usize> {
    let materials = (0..document.list("materials").len()).map(|material| Alpha::of(document, Some(material)));
    materials.filter(|alpha| alpha.from.is_some()).filter_map(|alpha| image_of(document, alpha.texture?)).collect()
}

/// The alpha of a picture, one byte a pixel, and how it repeats.
struct Texture {
    width: usize,
    height: usize,
    alpha: Vec<u8>,
    wraps: [Wrap; 2],
}

#[derive(Clone, Copy)]
enum Wrap {
    Repeat,
    Mirror,
    Clamp,
}

impl Texture {
    /// `None` when there is no picture that can be opened; then nobody knows what shows through.
    fn of(document: &Document, texture: usize) -> Option<Self> {
        let json = document.list("textures").get(texture)?;
        let view = index_in(document.list("images").get(image_of(document, texture)?)?, "bufferView")?;
        let picture = image::decode(&document.blobs.get(view)?.bytes).ok()?;
        let sampler = index_in(json, "sampler").and_then(|sampler| document.list("samplers").get(sampler));
        let wrap = |name: &str| match sampler.and_then(|sampler| index_in(sampler, name)) {
            Some(33071) => Wrap::Clamp,
            Some(33648) => Wrap::Mirror,
            _ => Wrap::Repeat,
        };
        Some(Self {
            width: picture.width as usize,
            height: picture.height as usize,
            alpha: match picture.channels {
                4 => picture.pixels.chunks_exact(4).map(|pixel| pixel[3]).collect(),
                _ => Vec::new(),
            },
            wraps: [wrap("wrapS"), wrap("wrapT")],
        })
    }

    fn at(&self, uv: Vec2) -> f32 {
        let texel = |v: f32, size: usize, wrap: Wrap| {
            let inside = match wrap {
                Wrap::Repeat => v.rem_euclid(1.0),
                Wrap::Mirror => 1.0 - (v.rem_euclid(2.0) - 1.0).abs(),
                Wrap::Clamp => v.clamp(0.0, 1.0),
            };
            ((inside * size as f32) as usize).min(size.saturating_sub(1))
        };
        let at = texel(uv.y, self.height, self.wraps[1]) * self.width + texel(uv.x, self.width, self.wraps[0]);
        self.alpha.get(at).map_or(1.0, |&alpha| f32::from(alpha) / 255.0)
    }
}

/// How each triangle of the figure is drawn.
pub fn looks(document: &Document, figure: &Figure) -> Vec<Look> {
    let mut pictures: BTreeMap<usize, Option<Texture>> = BTreeMap::new();
    let mut looks = Vec::with_capacity(figure.triangles.len());
    for part in &figure.parts {
        let alpha = Alpha::of(document, part.material);
        let look = |opaque| Look { opaque, both_sides: alpha.both_sides };
        let triangles = &figure.triangles[part.triangles.clone()];
        let Some(from) = alpha.from else {
            looks.resize(looks.len() + triangles.len(), look(true));
            continue;
        };
        let texture = alpha.texture.map(|texture| pictures.entry(texture).or_insert_with(|| Texture::of(document, texture)).as_ref());
        let uvs = attribute(document, part, &format!("TEXCOORD_{}", alpha.set), 2);
        let colors = attribute(document, part, "COLOR_0", 4);
        let is_opaque = |triangle: &[u32; 3]| {
            let sources = triangle.map(|vertex| figure.source[vertex as usize] as usize);
            let own = |source: usize| colors.as_ref().and_then(|colors| colors.get(4 * source + 3)).copied().unwrap_or(1.0);
            let factor = alpha.factor * sources.map(own).into_iter().fold(1.0, f32::min);
            match (texture, &uvs) {
                (None, _) => factor >= from,
                (Some(Some(texture)), Some(uvs)) => {
                    let uv = |source: usize| uvs.get(2 * source..2 * source + 2).map_or(Vec2::NAN, Vec2::from_slice);
                    factor >= from && all_over(texture, sources.map(uv).map(|uv| moved(uv, alpha.transform)), from / factor)
                }
                _ => false,
            }
        };
        looks.extend(triangles.iter().map(|triangle| look(is_opaque(triangle))));
    }
    looks
}

/// KHR_texture_transform: scaled, turned, moved.
fn moved(uv: Vec2, (offset, rotation, scale): (Vec2, f32, Vec2)) -> Vec2 {
    let ((sin, cos), uv) = (rotation.sin_cos(), uv * scale);
    offset + Vec2::new(cos * uv.x + sin * uv.y, cos * uv.y - sin * uv.x)
}

/// True when every sample of the triangle has at least this alpha. Samples lie closer than texels, up to a bound.
fn all_over(texture: &Texture, [a, b, c]: [Vec2; 3], least: f32) -> bool {
    if texture.alpha.is_empty() {
        return least <= 1.0;
    }
    let size = Vec2::new(texture.width as f32, texture.height as f32);
    let longest = [b - a, c - a, c - b].map(|edge| (edge * size).length()).into_iter().fold(0.0, f32::max);
    if !longest.is_finite() {
        return false;
    }
    let steps = ((longest / TEXELS).ceil() as usize).clamp(2, MOST_SAMPLES);
    let share = |step: usize| step as f32 / steps as f32;
    (0..=steps).all(|i| (0..=steps - i).all(|j| texture.at(a + (b - a) * share(i) + (c - a) * share(j)) >= least))
}

/// The numbers of an attribute of a part's primitive, when it has so many components.
fn attribute(document: &Document, part: &Part, name: &str, components: usize) -> Option<Vec<f32>> {
    let primitive = list(&document.list("meshes")[part.mesh], "primitives").get(part.primitive)?;
    let data = document.accessor(index_in(primitive.get("attributes")?, name)?).ok()?;
    (data.components == components).then(|| data.floats())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::image::Picture;
    use crate::gltf::Blob;
    use serde_json::json;

    /// Two triangles, the first on the left half of a picture that is opaque there, the second across all of it.
    fn opaque(material: Value, extensions: Value) -> Vec<(bool, bool)> {
        let json = json!({
            "nodes": [{"mesh": 0}], "materials": [material], "extensions": extensions,
            "textures": [{"source": 0}], "images": [{"bufferView": 2}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        });
        let mut document = Document::from(json.as_object().unwrap().clone());
        let mut add = |floats: &[f32]| {
            let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
            document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
        };
        add(&[0.0; 18]);
        add(&[0.05, 0.05, 0.45, 0.05, 0.05, 0.9, 0.05, 0.05, 0.95, 0.05, 0.05, 0.9]);
        let pixels = (0..64).flat_map(|at| [9, 9, 9, if at % 8 < 4 { 255 } else { 128 }]).collect();
        let png = image::encode_png(&Picture { width: 8, height: 8, channels: 4, pixels }).unwrap();
        document.add_view(Blob { bytes: png.into(), packed: None }, json!({}));
        document.add("accessors", json!({"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 6}));
        document.add("accessors", json!({"bufferView": 1, "componentType": 5126, "type": "VEC2", "count": 6}));
        let figure = Figure::of(&document).unwrap();
        looks(&document, &figure).iter().map(|look| (look.opaque, look.both_sides)).collect()
    }

    #[test]
    fn alpha_is_sampled_where_it_counts() {
        let textured = |mode: &str, cutoff: f32, alpha: f32| {
            json!({"alphaMode": mode, "alphaCutoff": cutoff, "doubleSided": true,
                "pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, alpha], "baseColorTexture": {"index": 0}}})
        };
        let both = |a: bool, b: bool| vec![(a, true), (b, true)];
        let of = |material: Value| opaque(material, json!({}));
        assert_eq!(of(textured("OPAQUE", 0.5, 0.0)), both(true, true));
        assert_eq!(of(textured("MASK", 0.6, 1.0)), both(true, false));
        assert_eq!(of(textured("MASK", 0.5, 1.0)), both(true, true));
        assert_eq!(of(textured("MASK", 0.5, 0.9)), both(true, false));
        assert_eq!(of(textured("BLEND", 0.5, 1.0)), both(true, false));
        assert_eq!(of(textured("BLEND", 0.5, 0.9)), both(false, false));
        assert_eq!(opaque(json!({"alphaMode": "BLEND"}), json!({})), [(true, false), (true, false)]);
    }

    #[test]
    fn textures_that_are_moved_or_missing() {
        let material =
            |texture: Value| json!({"alphaMode": "MASK", "alphaCutoff": 0.6, "pbrMetallicRoughness": {"baseColorTexture": texture}});
        let shifted = json!({"index": 0, "extensions": {"KHR_texture_transform": {"offset": [0.5, 0]}}});
        assert_eq!(opaque(material(shifted), json!({})), [(false, false), (false, false)]);
        // Half as wide: both triangles are on the opaque half.
        let narrow = json!({"index": 0, "extensions": {"KHR_texture_transform": {"scale": [0.5, 1]}}});
        assert_eq!(opaque(material(narrow), json!({})), [(true, false), (true, false)]);
        assert_eq!(opaque(material(json!({"index": 7})), json!({})), [(false, false), (false, false)]);
    }

    #[test]
    fn toon_properties_of_old_avatars_go_first() {
        let mtoon = json!({"VRM": {"materialProperties": [{"shader": "VRM/MToon",
            "floatProperties": {"_BlendMode": 1, "_Cutoff": 0.6, "_CullMode": 0}, "textureProperties": {"_MainTex": 0}}]}});
        assert_eq!(opaque(json!({"alphaMode": "OPAQUE"}), mtoon), [(true, true), (false, true)]);
        let other = json!({"VRM": {"materialProperties": [{"shader": "VRM_USE_GLTFSHADER", "floatProperties": {"_BlendMode": 1}}]}});
        assert_eq!(opaque(json!({"alphaMode": "OPAQUE"}), other), [(true, false), (true, false)]);
    }
}
