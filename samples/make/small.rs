//! The small files: the figure of boxes called Dot, the mug, and the binaries of the pack that is broken on purpose.

use glam::{Vec2, Vec3};
use serde_json::json;

use crate::Made;
use crate::clips::clip;
use crate::container::Glb;
use crate::paint::{Keep, ink, png};
use crate::shape::{Point, Shape, lerp};
use crate::skeleton::Skeleton;
use crate::{juno_vrm, motion, pictures};

/// A box from `low` to `high` that one joint moves.
fn block(shape: &mut Shape, low: Vec3, high: Vec3, joint: usize) {
    let (middle, half) = ((low + high) * 0.5, (high - low) * 0.5);
    for (out, right) in [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::Z), (Vec3::Z, Vec3::X)] {
        for out in [out, -out] {
            let up = out.cross(right);
            shape.grid(2, 2, |row, column| {
                let (u, v) = (column as f32 * 2.0 - 1.0, row as f32 * 2.0 - 1.0);
                let uv = Vec2::new(column as f32, row as f32);
                Point { at: middle + half * (out + right * u + up * v), uv, out, skin: vec![(joint, 1.0)] }
            });
        }
    }
}

/// Flat normals: each vertex of a box belongs to one side.
fn flat(shape: &mut Shape) {
    shape.normals = vec![Vec3::Z; shape.positions.len()];
    for triangle in shape.parts[0].chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|i| shape.positions[triangle[i] as usize]);
        let normal = (b - a).cross(c - a).normalize();
        triangle.iter().for_each(|&i| shape.normals[i as usize] = normal);
    }
}

/// The smallest avatar: 15 bones, each with its box, in one colour.
fn dot_avatar(skeleton: &Skeleton) -> Vec<u8> {
    let mut glb = Glb::new();
    let skin = glb.bones(skeleton);
    let mut shape = Shape::new();
    for (index, bone) in skeleton.bones.iter().enumerate() {
        let Some(human) = &bone.human else { continue };
        let thick = match human.as_str() {
            "hips" | "spine" => Vec3::new(0.12, 0.0, 0.07),
            "head" => Vec3::new(0.09, 0.0, 0.09),
            name if name.ends_with("Arm") || name.ends_with("Hand") => Vec3::new(0.0, 0.035, 0.035),
            _ => Vec3::new(0.05, 0.0, 0.05),
        };
        let end = skeleton.children(index).last().map(|&child| skeleton.bones[child].at);
        let end = match human.as_str() {
            "hips" => Vec3::new(0.0, 0.94, 0.0),
            "spine" => Vec3::new(0.0, 1.3, 0.0),
            "head" => Vec3::new(0.0, 1.54, 0.0),
            name if name.ends_with("Hand") => bone.at + Vec3::X * 0.14 * bone.at.x.signum(),
            name if name.ends_with("Foot") => Vec3::new(bone.at.x, 0.0, 0.06),
            _ => end.unwrap_or(bone.at),
        };
        block(&mut shape, bone.at.min(end) - thick, bone.at.max(end) + thick, index);
    }
    flat(&mut shape);
    let mut material = json!({ "name": "Dot", "pbrMetallicRoughness": { "baseColorFactor": [0.24, 0.55, 0.7, 1], "metallicFactor": 0 } });
    material["doubleSided"] = json!(false);
    let material = glb.push("materials", material);
    let mesh = glb.mesh("Dot", &shape, &[material], false);
    let node = glb.push("nodes", json!({ "name": "Dot", "mesh": mesh, "skin": skin }));
    glb.push("scenes", json!({ "nodes": [0, node] }));
    glb.root.insert("scene".into(), json!(0));
    glb.extension(
        "VRMC_vrm",
        json!({
            "specVersion": "1.0",
            "meta": { "name": "Dot", "authors": ["companion-build make-samples"], "licenseUrl": "https://vrm.dev/licenses/1.0/" },
            "humanoid": { "humanBones": juno_vrm::human_bones(skeleton) }
        }),
    );
    glb.finish()
}

pub fn dot() -> Vec<Made> {
    let skeleton = Skeleton::smallest();
    let folder = "minimal/companion-models/dot";
    let mut made = vec![(format!("{folder}/dot.vrm"), dot_avatar(&skeleton))];
    for (name, file) in [("idle", "idle"), ("talk-idle", "talk-idle"), ("wave", "wave")] {
        made.push((format!("{folder}/{file}.vrma"), motion::write(clip(name), &skeleton, 1.0)));
    }
    made
}

/// A mug around its own origin, with a glaze, coffee and a handle towards +X.
fn mug_model(size: u32) -> Vec<u8> {
    let mut shape = Shape::new();
    let profile = [
        (0.0, 0.0),
        (0.036, 0.0),
        (0.039, 0.004),
        (0.04, 0.05),
        (0.041, 0.094),
        (0.039, 0.096),
        (0.037, 0.094),
        (0.036, 0.006),
        (0.0, 0.006),
    ];
    shape.grid(profile.len(), 33, |row, column| {
        let (sin, cos) = ((column % 32) as f32 / 32.0 * std::f32::consts::TAU).sin_cos();
        let (radius, y) = profile[row];
        let side = if row < 5 { 1.0 } else { -1.0 };
        let out = Vec3::new(cos, if row == 0 { -1.0 } else { 0.0 }, sin) * side + if row == 8 { Vec3::Y } else { Vec3::ZERO };
        let uv = Vec2::new(column as f32 / 32.0, lerp(0.98, 0.02, y / 0.096));
        Point { at: Vec3::new(cos * radius, y - 0.048, sin * radius), uv, out, skin: Vec::new() }
    });
    shape.grid(17, 11, |row, column| {
        let (turn, around) = (lerp(-1.75, 1.75, row as f32 / 16.0), (column % 10) as f32 / 10.0 * std::f32::consts::TAU);
        let spoke = Vec3::new(turn.cos(), turn.sin(), 0.0);
        let out = spoke * around.cos() + Vec3::Z * around.sin();
        let at = Vec3::new(0.04, 0.0, 0.0) + spoke * Vec3::new(0.03, 0.03, 0.0) + out * 0.0055;
        Point { at, uv: Vec2::new(column as f32 / 10.0 * 0.1, 0.5), out, skin: Vec::new() }
    });
    shape.next_part();
    shape.grid(2, 33, |row, column| {
        let (sin, cos) = ((column % 32) as f32 / 32.0 * std::f32::consts::TAU).sin_cos();
        let radius = 0.0366 * row as f32;
        Point { at: Vec3::new(cos * radius, 0.034, sin * radius), uv: Vec2::splat(0.5), out: Vec3::Y, skin: Vec::new() }
    });
    shape.smooth();
    let mut glb = Glb::new();
    let glaze = glb.texture("glaze", "image/png", &pictures::glaze(size));
    let cup = glb.push(
        "materials",
        json!({ "name": "Glaze", "pbrMetallicRoughness": { "baseColorTexture": { "index": glaze }, "metallicFactor": 0, "roughnessFactor": 0.25 } }),
    );
    let coffee = glb.push(
        "materials",
        json!({ "name": "Coffee", "pbrMetallicRoughness": { "baseColorFactor": [0.1, 0.045, 0.02, 1], "metallicFactor": 0, "roughnessFactor": 0.1 } }),
    );
    let mesh = glb.mesh("Mug", &shape, &[cup, coffee], true);
    let node = glb.push("nodes", json!({ "name": "Mug", "mesh": mesh }));
    glb.push("scenes", json!({ "nodes": [node] }));
    glb.root.insert("scene".into(), json!(0));
    glb.finish()
}

pub fn mug() -> Vec<Made> {
    let folder = "wardrobe/companion-items/mug";
    vec![(format!("{folder}/mug.glb"), mug_model(512)), (format!("{folder}/thumbnail.png"), pictures::mug_picture(256))]
}

/// Files with faults that text alone cannot have.
pub fn broken() -> Vec<Made> {
    let skeleton = Skeleton::smallest();
    let avatar = dot_avatar(&skeleton);
    let plain = png(16, 16, Keep::Rgb, |u, _| ink(0xCC6644).shade(u));
    let idle = motion::write(clip("idle"), &skeleton, 1.0);
    let look = "broken/companion-models/rust";
    vec![
        (format!("{look}/rust.vrm"), broken_avatar()),
        // A PNG that calls itself a JPEG.
        (format!("{look}/thumbnail.jpg"), plain.clone()),
        // No manifest speaks of this one.
        ("broken/companion-items/rust/leftover.png".to_owned(), plain),
        (format!("{look}/idle.vrma"), idle),
        (format!("{look}/empty.vrma"), Vec::new()),
        // Cut off in the middle of its geometry.
        ("broken/companion-models/torn/torn.vrm".to_owned(), avatar[..avatar.len() * 2 / 3].to_vec()),
        // An item that is far too large on its longest side, a single colour so that it stays small.
        ("broken/companion-items/rust/brick.glb".to_owned(), brick()),
        // A manifest that begins with a byte-order mark.
        ("broken/companion-items/marked/item.json".to_owned(), [b"\xEF\xBB\xBF".as_slice(), BRICK_JSON.as_bytes()].concat()),
        ("broken/companion-items/marked/brick.glb".to_owned(), mug_model(16)),
    ]
}

const BRICK_JSON: &str = "{\n  \"name\": \"Marked\",\n  \"description\": \"Begins with a byte-order mark.\",\n  \"model\": \"brick.glb\",\n  \"attach\": { \"bone\": \"head\", \"position\": [0, 0.2, 0], \"rotation\": [0, 0, 0] }\n}\n";

/// Dot with a skirt bone whose name three.js writes in another way, and a part with a dot in its name.
fn broken_avatar() -> Vec<u8> {
    let mut skeleton = Skeleton::smallest();
    let hips = skeleton.human("hips");
    for name in ["Skirt.F1", "Skirt.B1"] {
        let z = if name == "Skirt.F1" { 0.1 } else { -0.1 };
        skeleton.bones.push(crate::skeleton::Bone { name: name.to_owned(), human: None, parent: hips, at: Vec3::new(0.0, 0.85, z) });
    }
    let mut glb = Glb::new();
    let skin = glb.bones(&skeleton);
    let mut shape = Shape::new();
    let first = skeleton.find("Skirt.F1");
    block(&mut shape, Vec3::new(-0.1, 0.6, -0.1), Vec3::new(0.1, 0.9, 0.1), first);
    block(&mut shape, Vec3::new(-0.09, 1.32, -0.09), Vec3::new(0.09, 1.5, 0.09), skeleton.find("Head"));
    flat(&mut shape);
    let material = glb.push("materials", json!({ "name": "Rust", "pbrMetallicRoughness": { "baseColorFactor": [0.6, 0.3, 0.15, 1] } }));
    let mesh = glb.mesh("Coat.001", &shape, &[material], false);
    let node = glb.push("nodes", json!({ "name": "Coat.001", "mesh": mesh, "skin": skin }));
    glb.push("scenes", json!({ "nodes": [0, node] }));
    glb.root.insert("scene".into(), json!(0));
    glb.extension(
        "VRMC_vrm",
        json!({
            "specVersion": "1.0",
            "meta": { "name": "Rust", "authors": ["companion-build make-samples"], "licenseUrl": "https://vrm.dev/licenses/1.0/" },
            "humanoid": { "humanBones": juno_vrm::human_bones(&skeleton) }
        }),
    );
    glb.finish()
}

/// A brick with a texture of 2304 pixels, over what an item may have.
fn brick() -> Vec<u8> {
    let mut shape = Shape::new();
    block(&mut shape, Vec3::new(-0.1, -0.05, -0.05), Vec3::new(0.1, 0.05, 0.05), 0);
    flat(&mut shape);
    let mut glb = Glb::new();
    let texture = glb.texture("brick", "image/png", &png(2304, 8, Keep::Gray, |_, _| ink(0x888888)));
    let material = glb.push("materials", json!({ "name": "Brick", "pbrMetallicRoughness": { "baseColorTexture": { "index": texture } } }));
    let mesh = glb.mesh("Brick", &shape, &[material], true);
    let node = glb.push("nodes", json!({ "name": "Brick", "mesh": mesh }));
    glb.push("scenes", json!({ "nodes": [node] }));
    glb.root.insert("scene".into(), json!(0));
    glb.finish()
}
