//! Layered limbs as documents in memory: tubes around the vertical, each a node, a primitive and a material of its own.

use bytes::Bytes;
use companion_build::codec::image::{Picture, encode_png};
use companion_build::cover::{Body, Cover, Outfit, cover};
use companion_build::gltf::{Blob, Document};
use companion_build::report::progress::{Silent, Task};
use companion_build::vrm;
use glam::Vec3;
use serde_json::{Value, json};
use std::f32::consts::TAU;

/// The margin that the figures of the tests are for, as a fraction of the height.
pub const MARGIN: f32 = 0.006;
/// Columns of every tube.
const AROUND: usize = 32;

/// A tube of some rows from `low` to `high`, its front outside; its radius may depend on height and angle.
pub struct Tube<'a> {
    pub name: &'static str,
    pub low: f32,
    pub high: f32,
    pub rows: usize,
    pub radius: &'a dyn Fn(f32, f32) -> f32,
    pub material: Value,
    /// Closed at the bottom and at the top.
    pub caps: [bool; 2],
    /// Its front is inside.
    pub inverted: bool,
    /// The joint that moves it; without, the two of the limb share it.
    pub joint: Option<usize>,
}

/// A plain tube of one radius, single-sided.
pub fn tube<'a>(name: &'static str, low: f32, high: f32, radius: &'a dyn Fn(f32, f32) -> f32) -> Tube<'a> {
    let rows = ((high - low) * 60.0).round() as usize;
    Tube { name, low, high, rows, radius, material: json!({ "doubleSided": true }), caps: [false; 2], inverted: false, joint: None }
}

/// The limb of every case: one metre high, five centimetres thick, closed at both ends.
pub fn skin() -> Tube<'static> {
    Tube { caps: [true; 2], material: json!({}), ..tube("Skin", 0.0, 1.0, &|_, _| 0.05) }
}

impl Tube<'_> {
    fn triangles(&self) -> (Vec<Vec3>, Vec<[f32; 2]>, Vec<[u32; 3]>) {
        let (mut positions, mut uvs, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..=self.rows {
            for column in 0..=AROUND {
                let (v, u) = (row as f32 / self.rows as f32, column as f32 / AROUND as f32);
                let (y, angle) = (self.low + (self.high - self.low) * v, (column % AROUND) as f32 / AROUND as f32 * TAU);
                let radius = (self.radius)(y, angle);
                positions.push(Vec3::new(radius * angle.sin(), y, radius * angle.cos()));
                uvs.push([u, 1.0 - v]);
            }
        }
        let at = |row: usize, column: usize| (row * (AROUND + 1) + column) as u32;
        for row in 0..self.rows {
            for column in 0..AROUND {
                let [a, b, c, d] = [at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)];
                triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
        for (row, y) in [(0, self.low), (self.rows, self.high)].into_iter().zip(self.caps).filter(|(_, cap)| *cap).map(|(end, _)| end) {
            let middle = positions.len() as u32;
            positions.push(Vec3::new(0.0, y, 0.0));
            uvs.push([0.5, 0.5]);
            let fan = (0..AROUND).map(|column| [at(row, column), at(row, column + 1), middle]);
            triangles.extend(fan.map(|[a, b, c]| if row == 0 { [b, a, c] } else { [a, b, c] }));
        }
        if self.inverted {
            triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        }
        (positions, uvs, triangles)
    }
}

/// What a test looks at.
pub struct Scene {
    pub document: Document,
    /// Middle of each triangle, by node.
    middles: Vec<Vec<Vec3>>,
}

fn add(document: &mut Document, bytes: Vec<u8>, component: usize, kind: &str, count: usize) -> usize {
    let view = document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
    document.add("accessors", json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }))
}

fn floats(document: &mut Document, numbers: &[f32], kind: &str, of_each: usize) -> usize {
    add(document, numbers.iter().flat_map(|n| n.to_le_bytes()).collect(), 5126, kind, numbers.len() / of_each)
}

/// Nodes 0 and 1 are the joints of the limb (its upper half turns at the bottom of that, at half the height); each tube is a node after
/// them. `bones` says which humanoid bones the joints are. A picture whose right half is transparent is texture 0.
pub fn scene(bones: &[(&str, usize)], tubes: &[Tube]) -> Scene {
    let human: serde_json::Map<String, Value> = bones.iter().map(|(bone, node)| ((*bone).to_owned(), json!({ "node": node }))).collect();
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "children": [1] }, { "translation": [0, 0.5, 0] }],
        "skins": [{ "joints": [0, 1] }], "textures": [{ "source": 0 }],
        "extensions": { "VRMC_vrm": { "specVersion": "1.0", "humanoid": { "humanBones": human } } },
    });
    let mut document = Document::from(json.as_object().expect("an object").clone());
    let mut middles = vec![Vec::new(); 2];
    let inverse = [Vec3::ZERO, Vec3::new(0.0, -0.5, 0.0)].map(|by| glam::Mat4::from_translation(by).to_cols_array()).concat();
    let inverse = floats(&mut document, &inverse, "MAT4", 16);
    document.list_mut("skins")[0]["inverseBindMatrices"] = inverse.into();
    let pixels = (0..64 * 64).flat_map(|at| [200, 200, 200, if at % 64 < 32 { 255 } else { 0 }]).collect();
    let png = encode_png(&Picture { width: 64, height: 64, channels: 4, pixels }).expect("a PNG");
    let view = document.add_view(Blob { bytes: Bytes::from(png), packed: None }, json!({}));
    document.add("images", json!({ "bufferView": view, "mimeType": "image/png" }));
    for tube in tubes {
        let (positions, uvs, triangles) = tube.triangles();
        // Half a turn of the upper joint fades in over a tenth of the height.
        let weights: Vec<f32> = positions
            .iter()
            .flat_map(|p| {
                let upper = tube.joint.map_or(((p.y - 0.45) / 0.1).clamp(0.0, 1.0), |joint| joint as f32);
                [1.0 - upper, upper, 0.0, 0.0]
            })
            .collect();
        let flat: Vec<f32> = positions.iter().flat_map(|p| p.to_array()).collect();
        let position = floats(&mut document, &flat, "VEC3", 3);
        let uv = floats(&mut document, &uvs.concat(), "VEC2", 2);
        let weight = floats(&mut document, &weights, "VEC4", 4);
        let joints = add(&mut document, [0u8, 1, 0, 0].repeat(positions.len()), 5121, "VEC4", positions.len());
        let bytes = triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
        let indices = add(&mut document, bytes, 5125, "SCALAR", triangles.len() * 3);
        let mut material = tube.material.clone();
        material["name"] = tube.name.into();
        let material = document.add("materials", material);
        let attributes = json!({ "POSITION": position, "TEXCOORD_0": uv, "JOINTS_0": joints, "WEIGHTS_0": weight });
        let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
        let mesh = document.add("meshes", json!({ "primitives": [primitive] }));
        document.add("nodes", json!({ "name": tube.name, "mesh": mesh, "skin": 0 }));
        middles.push(triangles.iter().map(|t| t.iter().map(|&v| positions[v as usize]).sum::<Vec3>() / 3.0).collect());
    }
    Scene { document, middles }
}

impl Scene {
    /// What each outfit hides.
    pub fn covers(&self, outfits: &[Outfit]) -> Vec<Cover> {
        let avatar = vrm::Avatar::of(&self.document).expect("a VRM");
        let body = Body { bones: avatar.bones, expressions: avatar.expressions, springs: avatar.springs, poses: Vec::new() };
        cover(&self.document, "test", outfits, &body, MARGIN, &Task::start(&Silent, "test")).expect("something is drawn")
    }

    /// What everything together hides of a node: the middles of the hidden triangles.
    pub fn hidden(&self, node: &str) -> Vec<Vec3> {
        self.hidden_in(&self.covers(&[])[0], node)
    }

    /// What a cover hides of a node.
    pub fn hidden_in(&self, cover: &Cover, node: &str) -> Vec<Vec3> {
        let at = self.node(node);
        let masks = cover.masks.iter().filter(|mask| mask.node == at);
        masks.flat_map(|mask| mask.hidden.iter().zip(&self.middles[at]).filter(|(hidden, _)| **hidden).map(|(_, middle)| *middle)).collect()
    }

    /// The middles of the triangles of a node that lie in the range of heights.
    pub fn within(&self, node: &str, low: f32, high: f32) -> usize {
        self.middles[self.node(node)].iter().filter(|p| p.y > low && p.y < high).count()
    }

    fn node(&self, name: &str) -> usize {
        self.document.list("nodes").iter().position(|node| node["name"] == name).expect("a node of that name")
    }
}
