//! Gathers the pieces of a glTF file and writes them as one GLB.

use glam::{Mat4, Vec3};
use serde_json::{Map, Value, json};

use crate::shape::Shape;
use crate::skeleton::Skeleton;

/// Buffer view targets of glTF 2.0: vertex attributes and vertex indices.
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Where a copied vertex buffer lies: the attributes of a primitive and its morph targets.
pub struct Vertices {
    pub attributes: Map<String, Value>,
    pub targets: Vec<Value>,
}

/// A glTF file in the making.
pub struct Glb {
    pub root: Map<String, Value>,
    bytes: Vec<u8>,
}

impl Glb {
    pub fn new() -> Self {
        let mut root = Map::new();
        root.insert("asset".into(), json!({ "version": "2.0", "generator": "companion-build make-samples" }));
        Self { root, bytes: Vec::new() }
    }

    /// Adds `value` to the top-level array `list` and returns its index.
    pub fn push(&mut self, list: &str, value: Value) -> usize {
        let entry = self.root.entry(list).or_insert_with(|| json!([]));
        let Value::Array(array) = entry else { panic!("{list} is not an array") };
        array.push(value);
        array.len() - 1
    }

    /// Sets an extension of the whole file and names it in `extensionsUsed`.
    pub fn extension(&mut self, name: &str, value: Value) {
        self.root.entry("extensions").or_insert_with(|| json!({}))[name] = value;
        self.uses(name);
    }

    /// Names an extension in `extensionsUsed`, once.
    pub fn uses(&mut self, name: &str) {
        let used = self.root.entry("extensionsUsed").or_insert_with(|| json!([]));
        if let Value::Array(list) = used
            && !list.iter().any(|known| known == name)
        {
            list.push(json!(name));
        }
    }

    pub fn view(&mut self, data: &[u8], target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": data.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(data);
        self.push("bufferViews", view)
    }

    fn accessor(&mut self, view: usize, component: u32, count: usize, kind: &str) -> usize {
        self.push("accessors", json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }))
    }

    /// A float accessor; `bounded` writes its minimum and maximum, which positions and key times must have.
    pub fn floats(&mut self, data: &[f32], width: usize, bounded: bool, attribute: bool) -> usize {
        let bytes: Vec<u8> = data.iter().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.view(&bytes, attribute.then_some(ARRAY_BUFFER));
        let kind = ["SCALAR", "SCALAR", "VEC2", "VEC3", "VEC4"][width.min(4)];
        let kind = if width == 16 { "MAT4" } else { kind };
        let index = self.accessor(view, 5126, data.len() / width, kind);
        if bounded {
            let fold = |start: f32, pick: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..width).map(|c| data.iter().skip(c).step_by(width).fold(start, |a, &b| pick(a, b))).collect()
            };
            let accessor = &mut self.root["accessors"][index];
            accessor["min"] = json!(fold(f32::INFINITY, f32::min));
            accessor["max"] = json!(fold(f32::NEG_INFINITY, f32::max));
        }
        index
    }

    /// Triangle indices as unsigned 16-bit integers.
    pub fn indices(&mut self, indices: &[u32]) -> usize {
        let bytes: Vec<u8> =
            indices.iter().flat_map(|&i| u16::try_from(i).expect("a mesh of under 65536 vertices").to_le_bytes()).collect();
        let view = self.view(&bytes, Some(ELEMENT_ARRAY_BUFFER));
        self.accessor(view, 5123, indices.len(), "SCALAR")
    }

    fn vectors(&mut self, data: &[Vec3], bounded: bool) -> usize {
        let flat: Vec<f32> = data.iter().flat_map(|v| v.to_array()).collect();
        self.floats(&flat, 3, bounded, true)
    }

    /// Copies the vertices of a shape: positions, normals, texture coordinates, skin (unless `rigid`) and morphs.
    pub fn vertices(&mut self, shape: &Shape, rigid: bool) -> Vertices {
        let mut attributes = Map::new();
        attributes.insert("POSITION".into(), json!(self.vectors(&shape.positions, true)));
        attributes.insert("NORMAL".into(), json!(self.vectors(&shape.normals, false)));
        let uvs: Vec<f32> = shape.uvs.iter().flat_map(|v| v.to_array()).collect();
        attributes.insert("TEXCOORD_0".into(), json!(self.floats(&uvs, 2, false, true)));
        if !rigid {
            let four: Vec<[(usize, f32); 4]> = shape.skin.iter().map(|skin| strongest(skin)).collect();
            let joints: Vec<u8> =
                four.iter().flatten().flat_map(|&(joint, _)| u16::try_from(joint).expect("few joints").to_le_bytes()).collect();
            let view = self.view(&joints, Some(ARRAY_BUFFER));
            attributes.insert("JOINTS_0".into(), json!(self.accessor(view, 5123, four.len(), "VEC4")));
            let weights: Vec<f32> = four.iter().flatten().map(|&(_, weight)| weight).collect();
            attributes.insert("WEIGHTS_0".into(), json!(self.floats(&weights, 4, false, true)));
        }
        let mut targets = Vec::new();
        for morph in &shape.morphs {
            let mut target = json!({ "POSITION": self.vectors(&morph.positions, true) });
            if let Some(normals) = &morph.normals {
                target["NORMAL"] = json!(self.vectors(normals, false));
            }
            targets.push(target);
        }
        Vertices { attributes, targets }
    }

    /// Adds a mesh in which every part of the shape is a primitive on the same vertex buffer, in the given materials.
    pub fn mesh(&mut self, name: &str, shape: &Shape, materials: &[usize], rigid: bool) -> usize {
        let vertices = self.vertices(shape, rigid);
        let mut primitives = Vec::new();
        let names: Vec<&str> = shape.morphs.iter().map(|m| m.name.as_str()).collect();
        for (part, material) in shape.parts.iter().zip(materials) {
            let mut primitive =
                json!({ "attributes": vertices.attributes, "indices": self.indices(part), "material": material, "mode": 4 });
            if !names.is_empty() {
                primitive["targets"] = json!(vertices.targets);
                primitive["extras"] = json!({ "targetNames": names });
            }
            primitives.push(primitive);
        }
        let mut mesh = json!({ "name": name, "primitives": primitives });
        if !names.is_empty() {
            mesh["extras"] = json!({ "targetNames": names });
        }
        self.push("meshes", mesh)
    }

    /// Adds the bones as nodes, first node at index 0, and one skin of all of them; returns the index of the skin.
    pub fn bones(&mut self, skeleton: &Skeleton) -> usize {
        for (index, bone) in skeleton.bones.iter().enumerate() {
            let mut node = json!({ "name": bone.name });
            let children = skeleton.children(index);
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            node["translation"] = json!(skeleton.offset(index).to_array());
            self.push("nodes", node);
        }
        let inverse: Vec<f32> = skeleton.bones.iter().flat_map(|bone| Mat4::from_translation(-bone.at).to_cols_array()).collect();
        let accessor = self.floats(&inverse, 16, false, false);
        let joints: Vec<usize> = (0..skeleton.bones.len()).collect();
        self.push("skins", json!({ "name": "Skin", "inverseBindMatrices": accessor, "joints": joints, "skeleton": 0 }))
    }

    /// Adds an image with its texture and returns the index of the texture.
    pub fn texture(&mut self, name: &str, mime: &str, data: &[u8]) -> usize {
        if !self.root.contains_key("samplers") {
            self.push("samplers", json!({ "magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497 }));
        }
        let image = self.image(name, mime, data);
        self.push("textures", json!({ "name": name, "sampler": 0, "source": image }))
    }

    /// Adds an image that no texture needs, such as a thumbnail.
    pub fn image(&mut self, name: &str, mime: &str, data: &[u8]) -> usize {
        let view = self.view(data, None);
        self.push("images", json!({ "name": name, "mimeType": mime, "bufferView": view }))
    }

    /// The finished file.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.root.insert("buffers".into(), json!([{ "byteLength": self.bytes.len() }]));
        let mut text = Value::Object(self.root).to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut file = Vec::new();
        let word = |file: &mut Vec<u8>, value: usize| file.extend_from_slice(&u32::try_from(value).expect("a small file").to_le_bytes());
        file.extend_from_slice(b"glTF");
        word(&mut file, 2);
        word(&mut file, 12 + 8 + text.len() + 8 + self.bytes.len());
        word(&mut file, text.len());
        file.extend_from_slice(b"JSON");
        file.extend_from_slice(&text);
        word(&mut file, self.bytes.len());
        file.extend_from_slice(b"BIN\0");
        file.extend_from_slice(&self.bytes);
        file
    }
}

/// The four strongest influences, scaled to a sum of one; unused places are joint 0, weight 0.
fn strongest(skin: &[(usize, f32)]) -> [(usize, f32); 4] {
    let mut all: Vec<(usize, f32)> = skin.iter().copied().filter(|&(_, weight)| weight > 0.004).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(4);
    let sum: f32 = all.iter().map(|&(_, weight)| weight).sum();
    let mut out = [(0, 0.0); 4];
    for (place, (joint, weight)) in out.iter_mut().zip(all) {
        *place = (joint, weight / sum);
    }
    out
}
