//! Juno, the showpiece: a VRM 1.0 avatar with a wardrobe, and the files beside her.

use glam::Vec3;
use serde_json::{Value, json};

use crate::Made;
use crate::clips::CLIPS;
use crate::container::Glb;
use crate::figure::{Binder, Detail, body, fingers};
use crate::shape::{Morph, Shape, smoothstep};
use crate::skeleton::Skeleton;
use crate::{clothes, hair, head, juno_vrm, motion, pictures};

const SKIN: u32 = 0xFBE0D0;
const HAIR: u32 = 0x7A3F3A;
const IRIS: u32 = 0x3F8F86;

/// Nodes and materials that the VRM data speaks of.
pub struct Parts {
    pub nodes: Vec<(&'static str, usize)>,
    pub materials: Vec<(&'static str, usize)>,
}

impl Parts {
    pub fn node(&self, name: &str) -> usize {
        self.nodes.iter().find(|known| known.0 == name).unwrap_or_else(|| panic!("no node {name}")).1
    }

    pub fn material(&self, name: &str) -> usize {
        self.materials.iter().find(|known| known.0 == name).unwrap_or_else(|| panic!("no material {name}")).1
    }
}

/// A toon material; `more` is added to its MToon settings, `extra` to the material itself.
fn toon(glb: &mut Glb, name: &str, texture: Option<usize>, shade: [f32; 3], outline: f32, more: Value, extra: Value) -> usize {
    let mut mtoon = json!({
        "specVersion": "1.0",
        "shadeColorFactor": shade,
        "shadingToonyFactor": 0.85,
        "shadingShiftFactor": -0.05,
        "giEqualizationFactor": 0.9
    });
    if outline > 0.0 {
        mtoon["outlineWidthMode"] = json!("worldCoordinates");
        mtoon["outlineWidthFactor"] = json!(outline);
        mtoon["outlineColorFactor"] = json!([0.16, 0.08, 0.09]);
        mtoon["outlineLightingMixFactor"] = json!(0.6);
    }
    let mut pbr = json!({ "metallicFactor": 0, "roughnessFactor": 0.9 });
    if let Some(index) = texture {
        pbr["baseColorTexture"] = json!({ "index": index });
        mtoon["shadeMultiplyTexture"] = json!({ "index": index });
    }
    add(&mut mtoon, more);
    let mut material = json!({ "name": name, "pbrMetallicRoughness": pbr, "extensions": { "VRMC_materials_mtoon": mtoon } });
    add(&mut material, extra);
    glb.push("materials", material)
}

/// Adds the members of one object to another, objects inside objects too.
fn add(to: &mut Value, from: Value) {
    let Value::Object(from) = from else { return };
    for (key, value) in from {
        if to[&key].is_object() && value.is_object() {
            add(&mut to[&key], value);
        } else {
            to[&key] = value;
        }
    }
}

fn materials(glb: &mut Glb) -> Vec<(&'static str, usize)> {
    let png = "image/png";
    let mut named = Vec::new();
    let skin = glb.texture("skin", png, &pictures::skin(256, SKIN));
    let rim =
        json!({ "parametricRimColorFactor": [0.12, 0.09, 0.08], "parametricRimFresnelPowerFactor": 4.0, "rimLightingMixFactor": 1.0 });
    let warm = [0.93, 0.72, 0.66];
    named.push(("Body_Skin", toon(glb, "Body_Skin", Some(skin), warm, 0.0008, rim.clone(), json!({}))));
    let face = glb.texture("face", png, &pictures::face(512, SKIN));
    named.push(("Face_Skin", toon(glb, "Face_Skin", Some(face), warm, 0.0008, rim, json!({}))));
    let features = glb.texture("features", png, &pictures::features(1024, IRIS, HAIR));
    let mask = json!({ "alphaMode": "MASK", "alphaCutoff": 0.5 });
    named.push(("Face_Features", toon(glb, "Face_Features", Some(features), [0.9, 0.85, 0.88], 0.0, json!({}), mask)));
    let blush = glb.texture("blush", png, &pictures::blush(64));
    let clear = json!({ "alphaMode": "BLEND", "pbrMetallicRoughness": { "baseColorFactor": [1, 1, 1, 0] } });
    let order = json!({ "renderQueueOffsetNumber": 1 });
    named.push(("Face_Blush", toon(glb, "Face_Blush", Some(blush), [0.95, 0.8, 0.8], 0.0, order, clear)));
    let hair = glb.texture("hair", png, &pictures::hair(512, 512, HAIR));
    let matcap = glb.texture("matcap", png, &pictures::matcap(128));
    let width = glb.texture("outline width", png, &pictures::outline_width());
    let shine = json!({
        "matcapFactor": [1, 1, 1],
        "matcapTexture": { "index": matcap },
        "outlineWidthMultiplyTexture": { "index": width },
        "rimMultiplyTexture": { "index": width },
        "parametricRimColorFactor": [0.2, 0.1, 0.08]
    });
    let double = json!({ "doubleSided": true });
    named.push(("Hair", toon(glb, "Hair", Some(hair), [0.62, 0.5, 0.55], 0.0012, shine, double.clone())));
    let stripes = glb.texture("stripes", png, &pictures::stripes(512));
    named.push(("Top_Cotton", toon(glb, "Top_Cotton", Some(stripes), [0.78, 0.76, 0.86], 0.001, json!({}), double.clone())));
    let denim = glb.texture("denim", "image/jpeg", &pictures::denim(512));
    let relief = glb.texture("denim relief", png, &pictures::denim_relief(256));
    let surface = glb.texture("denim surface", png, &pictures::denim_surface(256));
    let jacket = json!({
        "name": "Jacket_Denim",
        "doubleSided": true,
        "pbrMetallicRoughness": {
            "baseColorTexture": { "index": denim },
            "metallicRoughnessTexture": { "index": surface },
            "metallicFactor": 1,
            "roughnessFactor": 1
        },
        "normalTexture": { "index": relief, "scale": 0.8 },
        "occlusionTexture": { "index": surface, "strength": 0.9 }
    });
    named.push(("Jacket_Denim", glb.push("materials", jacket)));
    let plaid = glb.texture("plaid", png, &pictures::plaid(1024, 0x9B2F45, 0x3B2340));
    let pleats = glb.texture("pleat shade", png, &pictures::pleat_shade(256));
    let own_shade = json!({ "shadeMultiplyTexture": { "index": pleats } });
    named.push(("Skirt_Plaid", toon(glb, "Skirt_Plaid", Some(plaid), [0.8, 0.5, 0.55], 0.001, own_shade, double.clone())));
    let twill = glb.texture("twill", png, &pictures::twill(256, 0x4A4F63));
    named.push(("Trousers_Twill", toon(glb, "Trousers_Twill", Some(twill), [0.65, 0.62, 0.72], 0.001, json!({}), double.clone())));
    let leather = glb.texture("leather", png, &pictures::leather(256));
    let scroll = glb.texture("scroll mask", png, &pictures::scroll_mask(64));
    let lights = json!({
        "uvAnimationMaskTexture": { "index": scroll },
        "uvAnimationScrollYSpeedFactor": 0.1,
        "uvAnimationScrollXSpeedFactor": 0.0,
        "uvAnimationRotationSpeedFactor": 0.0
    });
    named.push(("Shoes_Leather", toon(glb, "Shoes_Leather", Some(leather), [0.7, 0.55, 0.5], 0.001, lights, double)));
    let lace = glb.texture("lace", png, &pictures::lace(1024));
    let holes = json!({ "alphaMode": "MASK", "alphaCutoff": 0.5, "doubleSided": true });
    named.push(("Dress_Lace", toon(glb, "Dress_Lace", Some(lace), [0.86, 0.72, 0.8], 0.0, json!({}), holes)));
    let frame = json!({ "pbrMetallicRoughness": { "baseColorFactor": [0.07, 0.05, 0.06, 1] } });
    named.push(("Glasses_Frame", toon(glb, "Glasses_Frame", None, [0.03, 0.02, 0.03], 0.0, json!({}), frame)));
    let lens = json!({ "alphaMode": "BLEND", "pbrMetallicRoughness": { "baseColorFactor": [0.75, 0.88, 1.0, 0.16] } });
    let last = json!({ "renderQueueOffsetNumber": 5 });
    named.push(("Glasses_Lens", toon(glb, "Glasses_Lens", None, [0.7, 0.8, 0.95], 0.0, last, lens)));
    let brass = json!({
        "name": "Pendant_Brass",
        "pbrMetallicRoughness": { "baseColorFactor": [0.83, 0.62, 0.25, 1], "metallicFactor": 0.4, "roughnessFactor": 0.35 },
        "emissiveFactor": [0.08, 0.05, 0.01]
    });
    named.push(("Pendant_Brass", glb.push("materials", brass)));
    let old = glb.texture("old fabric", png, &pictures::twill(64, 0x88AA66));
    named.push((
        "Old Fabric",
        toon(glb, "Old Fabric", Some(old), [0.5, 0.5, 0.5], 0.0, json!({}), json!({ "extras": { "note": "not worn" } })),
    ));
    glb.uses("VRMC_materials_mtoon");
    named
}

/// Shape keys that draw the skin in, below clothes.
fn shrink(shape: &mut Shape) {
    let normals = shape.normals.clone();
    for (name, low, high) in [("Shrink.Torso", 0.88, 1.2), ("Shrink.Legs", 0.12, 0.86)] {
        let inward = |(at, normal): (&Vec3, &Vec3)| {
            let amount = smoothstep(low - 0.02, low + 0.02, at.y) * smoothstep(high + 0.02, high - 0.02, at.y);
            let arm = smoothstep(0.2, 0.17, at.x.abs());
            if amount * arm < 0.01 { Vec3::ZERO } else { *normal * (-0.005 * amount * arm) }
        };
        let positions = shape.positions.iter().zip(&normals).map(inward).collect();
        let still = vec![Vec3::ZERO; shape.positions.len()];
        shape.morphs.push(Morph { name: name.to_owned(), positions, normals: Some(still) });
    }
}

/// A small compass needle on a plate, rigid, around its own origin.
fn pendant() -> Shape {
    let mut shape = Shape::new();
    let mut cone = |radii: [f32; 4], z: [f32; 4], flat: f32| {
        shape.grid(4, 13, |row, column| {
            let (sin, cos) = (column as f32 / 12.0 * std::f32::consts::TAU).sin_cos();
            let out = Vec3::new(cos, sin * flat, 0.0);
            let at = out * radii[row] + Vec3::Z * z[row];
            crate::shape::Point {
                at,
                uv: glam::Vec2::new(column as f32 / 12.0, row as f32 / 3.0),
                out: out + Vec3::Z * 0.1,
                skin: Vec::new(),
            }
        });
    };
    cone([0.0, 0.004, 0.004, 0.0], [-0.012, -0.008, 0.006, 0.022], 0.5);
    cone([0.0, 0.009, 0.009, 0.0], [-0.001, -0.001, 0.001, 0.001], 1.0);
    shape.smooth();
    shape
}

/// Writes the avatar and what lies beside it.
pub fn make() -> Vec<Made> {
    let skeleton = Skeleton::dressed();
    let binder = Binder::new(&skeleton);
    let full = Detail(0.74);
    let mut glb = Glb::new();
    let skin = glb.bones(&skeleton);
    let materials = materials(&mut glb);
    let mut parts = Parts { nodes: Vec::new(), materials };

    let mut skin_shape = body(&binder, full);
    fingers(&mut skin_shape, &skeleton, full);
    skin_shape.smooth();
    shrink(&mut skin_shape);
    let face = head::face(&skeleton, &binder, full);
    let garments: [(&'static str, Shape, &[&str]); 9] = [
        ("Body", skin_shape, &["Body_Skin"]),
        ("Face", face, &["Face_Skin", "Face_Features", "Face_Blush"]),
        ("Hair L R", hair::hair(&skeleton, &binder, full), &["Hair"]),
        ("Top.001", clothes::top(&binder, full), &["Top_Cotton"]),
        ("Jacket", clothes::jacket(&binder, full), &["Jacket_Denim"]),
        ("Skirt", clothes::skirt(&skeleton, &binder, full), &["Skirt_Plaid"]),
        ("Trousers", clothes::trousers(&binder, full), &["Trousers_Twill"]),
        ("Shoes: boots", clothes::shoes(&binder, full), &["Shoes_Leather"]),
        ("Dress", clothes::dress(&skeleton, &binder, full), &["Dress_Lace"]),
    ];
    let mut triangles = 0;
    let glasses = ("Glasses", clothes::glasses(&binder, full), ["Glasses_Frame", "Glasses_Lens"].as_slice());
    for (name, shape, used) in garments.into_iter().chain([glasses]) {
        triangles += shape.triangles();
        println!("{:>9} triangles, {} vertices in {name}", shape.triangles(), shape.positions.len());
        let used: Vec<usize> = used.iter().map(|material| parts.material(material)).collect();
        let mesh = glb.mesh(name, &shape, &used, false);
        let node = glb.push("nodes", json!({ "name": name, "mesh": mesh, "skin": skin, "extras": { "layer": name } }));
        parts.nodes.push((name, node));
    }
    let brass = parts.material("Pendant_Brass");
    let mesh = glb.mesh("Pendant", &pendant(), &[brass], true);
    let neck = skeleton.find("UpperChest");
    let at = Vec3::new(0.0, 1.155, 0.105) - skeleton.bones[neck].at;
    let node = glb.push("nodes", json!({ "name": "Pendant: compass", "mesh": mesh, "translation": at.to_array() }));
    parts.nodes.push(("Pendant: compass", node));
    if let Some(children) = glb.root["nodes"][neck]["children"].as_array_mut() {
        children.push(json!(node));
    }
    println!("{triangles:>9} triangles in juno.vrm");

    let worn: Vec<usize> = parts.nodes.iter().filter(|known| known.1 != node).map(|known| known.1).collect();
    let mut roots = vec![skeleton.find("Root")];
    roots.extend(worn);
    glb.push("scenes", json!({ "name": "Juno", "nodes": roots }));
    glb.root.insert("scene".into(), json!(0));
    glb.root["nodes"][skeleton.find("Hips")]["extras"] = json!({ "rig": "made by formula", "heightMetres": 1.55 });
    // An accessor that nothing uses, as exporters leave behind.
    glb.floats(&[0.0, 0.5, 1.0, 0.25], 1, true, false);
    let thumbnail = pictures::portrait(256, HAIR, IRIS, 0xBFD8D2);
    let image = glb.image("thumbnail", "image/png", &thumbnail);
    juno_vrm::extend(&mut glb, &skeleton, &parts, image);
    let folder = "wardrobe/companion-models/juno";
    let mut made = vec![
        (format!("{folder}/juno.vrm"), glb.finish()),
        (format!("{folder}/thumbnail.png"), pictures::portrait(384, HAIR, IRIS, 0xBFD8D2)),
        (format!("{folder}/background.jpg"), pictures::room(1280, 720)),
    ];
    made.extend(CLIPS.iter().map(|clip| (format!("{folder}/{}.vrma", clip.name), motion::write(clip, &skeleton, 1.0))));
    made
}
