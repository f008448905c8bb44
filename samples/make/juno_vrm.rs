//! What VRM 1.0 says about Juno: her bones, expressions, gaze, springs and constraints.

use serde_json::{Map, Value, json};

use crate::container::Glb;
use crate::head::moods;
use crate::juno::Parts;
use crate::skeleton::{STRANDS, Skeleton};

pub fn extend(glb: &mut Glb, skeleton: &Skeleton, parts: &Parts, thumbnail: usize) {
    glb.extension(
        "VRMC_vrm",
        json!({
            "specVersion": "1.0",
            "meta": meta(thumbnail),
            "humanoid": { "humanBones": human_bones(skeleton) },
            "firstPerson": first_person(parts),
            "lookAt": {
                "offsetFromHeadBone": [0, 0.087, 0.03],
                "type": "bone",
                "rangeMapHorizontalInner": { "inputMaxValue": 90, "outputScale": 8 },
                "rangeMapHorizontalOuter": { "inputMaxValue": 90, "outputScale": 10 },
                "rangeMapVerticalDown": { "inputMaxValue": 90, "outputScale": 7 },
                "rangeMapVerticalUp": { "inputMaxValue": 90, "outputScale": 6 }
            },
            "expressions": expressions(parts)
        }),
    );
    glb.extension("VRMC_springBone", springs(skeleton));
    constraints(glb, skeleton, parts);
}

pub fn human_bones(skeleton: &Skeleton) -> Value {
    let mut bones = Map::new();
    for (index, bone) in skeleton.bones.iter().enumerate() {
        if let Some(human) = &bone.human {
            bones.insert(human.clone(), json!({ "node": index }));
        }
    }
    Value::Object(bones)
}

fn meta(thumbnail: usize) -> Value {
    json!({
        "name": "Juno",
        "version": "1",
        "authors": ["companion-build make-samples"],
        "copyrightInformation": "Made by a program; free to use",
        "contactInformation": "",
        "references": [],
        "thirdPartyLicenses": "none",
        "thumbnailImage": thumbnail,
        "licenseUrl": "https://vrm.dev/licenses/1.0/",
        "avatarPermission": "everyone",
        "allowExcessivelyViolentUsage": true,
        "allowExcessivelySexualUsage": false,
        "commercialUsage": "corporation",
        "allowPoliticalOrReligiousUsage": true,
        "allowAntisocialOrHateUsage": false,
        "creditNotation": "unnecessary",
        "allowRedistribution": true,
        "modification": "allowModificationRedistribution"
    })
}

fn first_person(parts: &Parts) -> Value {
    let kinds = [
        ("Body", "auto"),
        ("Face", "thirdPersonOnly"),
        ("Hair L R", "thirdPersonOnly"),
        ("Top.001", "auto"),
        ("Jacket", "both"),
        ("Glasses", "firstPersonOnly"),
    ];
    let list: Vec<Value> = kinds.iter().map(|(name, kind)| json!({ "node": parts.node(name), "type": kind })).collect();
    json!({ "meshAnnotations": list })
}

fn expressions(parts: &Parts) -> Value {
    let face = parts.node("Face");
    let bind = |name: &str, weight: f32| {
        let index = moods().iter().position(|mood| mood.0 == name).unwrap_or_else(|| panic!("no morph {name}"));
        json!({ "node": face, "index": index, "weight": weight })
    };
    let plain = |binds: Vec<Value>| json!({ "isBinary": false, "overrideBlink": "none", "overrideLookAt": "none", "overrideMouth": "none", "morphTargetBinds": binds });
    let mut preset = Map::new();
    for name in ["happy", "angry", "sad", "relaxed", "surprised"] {
        let mut expression = plain(vec![bind(name, 1.0)]);
        expression["overrideBlink"] = json!(if matches!(name, "happy" | "relaxed") { "block" } else { "blend" });
        preset.insert(name.to_owned(), expression);
    }
    preset["surprised"]["overrideMouth"] = json!("blend");
    // A glad face blushes a little.
    preset["happy"]["materialColorBinds"] =
        json!([{ "material": parts.material("Face_Blush"), "type": "color", "targetValue": [1, 0.85, 0.85, 0.55] }]);
    preset.insert("neutral".to_owned(), json!({ "isBinary": true }));
    for name in ["aa", "ih", "ou", "ee", "oh", "blinkLeft", "blinkRight"] {
        preset.insert(name.to_owned(), plain(vec![bind(name, 1.0)]));
    }
    preset.insert("blink".to_owned(), plain(vec![bind("blinkLeft", 1.0), bind("blinkRight", 1.0)]));
    for name in ["lookUp", "lookDown", "lookLeft", "lookRight"] {
        preset.insert(name.to_owned(), plain(vec![]));
    }
    let blush = json!({
        "isBinary": false,
        "overrideBlink": "none",
        "overrideLookAt": "none",
        "overrideMouth": "none",
        "materialColorBinds": [
            { "material": parts.material("Face_Blush"), "type": "color", "targetValue": [1, 0.8, 0.8, 0.9] },
            { "material": parts.material("Face_Skin"), "type": "shadeColor", "targetValue": [0.98, 0.62, 0.6, 1] }
        ]
    });
    let starry = json!({
        "isBinary": true,
        "overrideBlink": "none",
        "overrideLookAt": "block",
        "overrideMouth": "none",
        "morphTargetBinds": [bind("browUp", 0.8), bind("smile", 1.0)],
        "textureTransformBinds": [{ "material": parts.material("Face_Features"), "scale": [1, 1], "offset": [0, 0.5] }]
    });
    json!({ "preset": preset, "custom": { "blush": blush, "starry eyes": starry, "smile": plain(vec![bind("smile", 1.0)]), "browUp": plain(vec![bind("browUp", 1.0)]) } })
}

fn springs(skeleton: &Skeleton) -> Value {
    let bone = |name: &str| skeleton.find(name);
    let sphere = |name: &str, offset: [f32; 3], radius: f32| json!({ "node": bone(name), "shape": { "sphere": { "offset": offset, "radius": radius } } });
    let capsule = |name: &str, offset: [f32; 3], tail: [f32; 3], radius: f32| json!({ "node": bone(name), "shape": { "capsule": { "offset": offset, "tail": tail, "radius": radius } } });
    let colliders = json!([
        sphere("Head", [0.0, 0.125, -0.006], 0.088),
        capsule("UpperChest", [-0.07, 0.05, -0.006], [0.07, 0.05, -0.006], 0.05),
        capsule("Chest", [0.0, 0.0, -0.004], [0.0, 0.08, -0.004], 0.085),
        capsule("UpperLeg.L", [0.0, -0.02, 0.0], [0.003, -0.34, 0.0], 0.085),
        capsule("UpperLeg.R", [0.0, -0.02, 0.0], [-0.003, -0.34, 0.0], 0.085),
        sphere("Hips", [0.0, -0.01, -0.01], 0.115),
    ]);
    let groups = json!([{ "name": "Upper", "colliders": [0, 1, 2] }, { "name": "Lower", "colliders": [3, 4, 5] }]);
    let mut list = Vec::new();
    for (index, (name, degrees, _)) in STRANDS.iter().enumerate() {
        let stiffness = if degrees.abs() < 80.0 { 1.2 } else { 0.8 };
        let mut joints: Vec<Value> = (0..3)
            .map(|joint| {
                json!({
                    "node": bone(&format!("Hair {name}.{joint:03}")),
                    "hitRadius": 0.012,
                    "stiffness": stiffness,
                    "gravityPower": 0.1 + 0.05 * joint as f32,
                    "gravityDir": [0, -1, 0],
                    "dragForce": 0.4
                })
            })
            .collect();
        joints.push(json!({ "node": bone(&format!("Hair {name}_end")) }));
        let mut spring = json!({ "name": format!("Hair {name}"), "joints": joints, "colliderGroups": [0, 1] });
        if index == 8 {
            spring["center"] = json!(bone("Hips"));
        }
        list.push(spring);
    }
    // The skirt is cloth of the pack's model.json: springs on it would work against that.
    json!({ "specVersion": "1.0", "colliders": colliders, "colliderGroups": groups, "springs": list })
}

/// Forearms that share the roll of the hands, and a compass needle that points at her right hand.
fn constraints(glb: &mut Glb, skeleton: &Skeleton, parts: &Parts) {
    let mut set = |node: usize, constraint: Value| {
        glb.root["nodes"][node]["extensions"] = json!({ "VRMC_node_constraint": { "specVersion": "1.0", "constraint": constraint } });
    };
    for side in ["L", "R"] {
        let hand = skeleton.find(&format!("Hand.{side}"));
        set(skeleton.find(&format!("Forearm Twist.{side}")), json!({ "roll": { "source": hand, "rollAxis": "X", "weight": 0.5 } }));
    }
    set(parts.node("Pendant: compass"), json!({ "aim": { "source": skeleton.find("Hand.R"), "aimAxis": "PositiveZ", "weight": 1.0 } }));
    set(skeleton.find("Skirt Root"), json!({ "rotation": { "source": skeleton.find("Spine"), "weight": 0.15 } }));
    glb.uses("VRMC_node_constraint");
}
