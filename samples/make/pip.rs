//! Pip: a VRM 0.x avatar, turned and merged the way VRoid Studio writes them.

use serde_json::{Value, json};

use crate::Made;
use crate::clips::clip;
use crate::container::Glb;
use crate::figure::{Binder, Detail, body, fingers};
use crate::skeleton::{SKIRT, STRANDS, Skeleton};
use crate::{clothes, hair, head, motion, pictures};

const SKIN: u32 = 0xE9B892;
const HAIR: u32 = 0x3A4A66;
const IRIS: u32 = 0xB8792E;
/// Pip is shorter than Juno, whose shape is borrowed.
const SCALE: f32 = 0.84;

/// The name of each material, its texture and whether it is cut out.
struct Look {
    name: &'static str,
    texture: usize,
    kind: &'static str,
    shade: [f32; 4],
}

fn material(glb: &mut Glb, look: &Look) -> usize {
    let mut material = json!({
        "name": look.name,
        "pbrMetallicRoughness": { "baseColorTexture": { "index": look.texture }, "metallicFactor": 0, "roughnessFactor": 0.9 },
        "doubleSided": look.kind != "opaque",
        "alphaMode": match look.kind { "cutout" => "MASK", "transparent" | "unlit" => "BLEND", _ => "OPAQUE" },
        "extensions": { "KHR_materials_unlit": {} }
    });
    if look.kind == "unlit" {
        material["pbrMetallicRoughness"]["baseColorFactor"] = json!([1, 1, 1, 0.25]);
    }
    if look.kind == "cutout" {
        material["alphaCutoff"] = json!(0.5);
    }
    glb.uses("KHR_materials_unlit");
    glb.push("materials", material)
}

/// The settings of a material for Unity, which VRM 0.x keeps beside the materials of glTF.
fn properties(look: &Look) -> Value {
    if look.kind == "unlit" {
        return json!({
            "name": look.name,
            "shader": "VRM/UnlitTransparent",
            "renderQueue": 3000,
            "floatProperties": {},
            "vectorProperties": { "_MainTex": [0, 0, 1, 1], "_Color": [1, 1, 1, 0.25] },
            "textureProperties": { "_MainTex": look.texture },
            "keywordMap": {},
            "tagMap": {}
        });
    }
    let (mode, cut) = match look.kind {
        "cutout" => (1, true),
        _ => (0, false),
    };
    let mut keywords = json!({ "MTOON_OUTLINE_COLOR_MIXED": true, "MTOON_OUTLINE_WIDTH_WORLD": true });
    if cut {
        keywords["_ALPHATEST_ON"] = json!(true);
    }
    json!({
        "name": look.name,
        "shader": "VRM/MToon",
        "renderQueue": if cut { 2450 } else { 2000 },
        "floatProperties": {
            "_Cutoff": 0.5, "_BumpScale": 1, "_ReceiveShadowRate": 1, "_ShadeShift": -0.05, "_ShadeToony": 0.85, "_ShadingGradeRate": 1,
            "_LightColorAttenuation": 0, "_IndirectLightIntensity": 0.1, "_RimLightingMix": 0, "_RimFresnelPower": 4, "_RimLift": 0,
            "_OutlineWidth": 0.08, "_OutlineScaledMaxDistance": 1, "_OutlineLightingMix": 1, "_DebugMode": 0, "_BlendMode": mode,
            "_OutlineWidthMode": if cut { 0 } else { 1 }, "_OutlineColorMode": 1, "_CullMode": if look.kind == "opaque" { 2 } else { 0 },
            "_OutlineCullMode": 1, "_SrcBlend": 1, "_DstBlend": 0, "_ZWrite": 1, "_MToonVersion": 38
        },
        "vectorProperties": {
            "_Color": [1, 1, 1, 1], "_ShadeColor": look.shade, "_MainTex": [0, 0, 1, 1], "_ShadeTexture": [0, 0, 1, 1],
            "_EmissionColor": [0, 0, 0, 1], "_RimColor": [0, 0, 0, 1], "_OutlineColor": [0.15, 0.1, 0.1, 1]
        },
        "textureProperties": { "_MainTex": look.texture, "_ShadeTexture": look.texture },
        "keywordMap": keywords,
        "tagMap": { "RenderType": if cut { "TransparentCutout" } else { "Opaque" } }
    })
}

fn blend_shapes(face: usize) -> Value {
    let moods = head::moods();
    let bind = |name: &str, weight: u32| {
        let index = moods.iter().position(|mood| mood.0 == name).unwrap_or_else(|| panic!("no morph {name}"));
        json!({ "mesh": face, "index": index, "weight": weight })
    };
    let group = |name: &str, preset: &str, binds: Vec<Value>, materials: Value| json!({ "name": name, "presetName": preset, "binds": binds, "materialValues": materials, "isBinary": false });
    let mut list = vec![group("Neutral", "neutral", vec![], json!([]))];
    for (name, preset, morph) in [
        ("A", "a", "aa"),
        ("I", "i", "ih"),
        ("U", "u", "ou"),
        ("E", "e", "ee"),
        ("O", "o", "oh"),
        ("Blink_L", "blink_l", "blinkLeft"),
        ("Blink_R", "blink_r", "blinkRight"),
        ("Angry", "angry", "angry"),
        ("Sorrow", "sorrow", "sad"),
        ("Fun", "fun", "relaxed"),
    ] {
        list.push(group(name, preset, vec![bind(morph, 100)], json!([])));
    }
    list.push(group("Blink", "blink", vec![bind("blinkLeft", 100), bind("blinkRight", 100)], json!([])));
    let tint = json!([{ "materialName": "Pip_Face", "propertyName": "_ShadeColor", "targetValue": [0.95, 0.55, 0.5, 1] }]);
    list.push(group("Joy", "joy", vec![bind("happy", 100)], tint));
    let flush = json!([{ "materialName": "Pip_Blush", "propertyName": "_Color", "targetValue": [1, 1, 1, 0.9] }]);
    list.push(group("Blush", "unknown", vec![], flush));
    for (name, preset) in [("LookUp", "lookup"), ("LookDown", "lookdown"), ("LookLeft", "lookleft"), ("LookRight", "lookright")] {
        list.push(group(name, preset, vec![], json!([])));
    }
    let stars = json!([{ "materialName": "Pip_Features", "propertyName": "_MainTex_ST", "targetValue": [1, 1, 0, 0.5] }]);
    list.push(group("Starry", "unknown", vec![bind("surprised", 70)], stars));
    json!({ "blendShapeGroups": list })
}

fn secondary(skeleton: &Skeleton) -> Value {
    let vector = |v: [f32; 3]| json!({ "x": v[0], "y": v[1], "z": v[2] });
    let hair: Vec<usize> = STRANDS.iter().map(|strand| skeleton.find(&format!("Hair {}.000", strand.0))).collect();
    let skirt: Vec<usize> = SKIRT.iter().map(|name| skeleton.find(&format!("Skirt.{name}"))).collect();
    let group = |comment: &str, stiffness: f32, radius: f32, bones: Vec<usize>, colliders: Vec<usize>| {
        json!({
            "comment": comment, "stiffiness": stiffness, "gravityPower": 0.1, "gravityDir": vector([0.0, -1.0, 0.0]),
            "dragForce": 0.4, "center": -1, "hitRadius": radius, "bones": bones, "colliderGroups": colliders
        })
    };
    let collider = |bone: &str, offset: [f32; 3], radius: f32| json!({ "node": skeleton.find(bone), "colliders": [{ "offset": vector(offset.map(|v| v * SCALE)), "radius": radius * SCALE }] });
    json!({
        "boneGroups": [group("hair", 0.9, 0.01, hair, vec![0, 1]), group("skirt", 0.8, 0.012, skirt, vec![2, 3])],
        "colliderGroups": [
            collider("Head", [0.0, 0.125, 0.006], 0.088),
            collider("UpperChest", [0.0, 0.03, 0.0], 0.09),
            collider("UpperLeg.L", [0.0, -0.1, 0.0], 0.075),
            collider("UpperLeg.R", [0.0, -0.1, 0.0], 0.075)
        ]
    })
}

fn first_person(skeleton: &Skeleton) -> Value {
    let degrees = |y: f32| json!({ "curve": [0, 0, 0, 1, 1, 1, 1, 0], "xRange": 90, "yRange": y });
    json!({
        "firstPersonBone": skeleton.find("Head"),
        "firstPersonBoneOffset": { "x": 0, "y": 0.07, "z": 0 },
        "meshAnnotations": [
            { "mesh": 0, "firstPersonFlag": "Auto" },
            { "mesh": 1, "firstPersonFlag": "ThirdPersonOnly" },
            { "mesh": 2, "firstPersonFlag": "ThirdPersonOnly" }
        ],
        "lookAtTypeName": "Bone",
        "lookAtHorizontalInner": degrees(8.0),
        "lookAtHorizontalOuter": degrees(10.0),
        "lookAtVerticalDown": degrees(7.0),
        "lookAtVerticalUp": degrees(6.0)
    })
}

/// The humanoid bones by their names of VRM 0.x, in which a thumb begins at its proximal bone.
fn human_bones(skeleton: &Skeleton) -> Vec<Value> {
    let entry = |(index, bone): (usize, &crate::skeleton::Bone)| {
        let human = bone.human.as_ref()?;
        let name = human.replace("ThumbProximal", "ThumbIntermediate").replace("ThumbMetacarpal", "ThumbProximal");
        Some(json!({ "bone": name, "node": index, "useDefaultValues": true }))
    };
    skeleton.bones.iter().enumerate().filter_map(entry).collect()
}

pub fn make() -> Vec<Made> {
    let upright = Skeleton::dressed();
    let binder = Binder::new(&upright);
    let detail = Detail(0.4);
    let mut skeleton = Skeleton::dressed();
    skeleton.turn(SCALE);
    let mut glb = Glb::new();
    let skin = glb.bones(&skeleton);

    let png = "image/png";
    let mut picture = |name: &str, bytes: Vec<u8>| glb.texture(name, png, &bytes);
    let textures = [
        picture("skin", pictures::skin(256, SKIN)),
        picture("plain", pictures::twill(256, 0x7FA35B)),
        picture("checks", pictures::plaid(512, 0xD9A441, 0x7A4B2A)),
        picture("leather", pictures::leather(128)),
        picture("face", pictures::face(256, SKIN)),
        picture("features", pictures::features(512, IRIS, HAIR)),
        picture("blush", pictures::blush(64)),
        picture("hair", pictures::hair(256, 256, HAIR)),
    ];
    let thumbnail = picture("thumbnail", pictures::portrait(256, HAIR, IRIS, 0xE8D9B8));
    let names = [
        ("Pip_Skin", "opaque", [0.85, 0.6, 0.52, 1.0]),
        ("Pip_Top", "double", [0.6, 0.62, 0.55, 1.0]),
        ("Pip_Bottoms", "double", [0.7, 0.55, 0.45, 1.0]),
        ("Pip_Shoes", "double", [0.6, 0.5, 0.5, 1.0]),
        ("Pip_Face", "opaque", [0.85, 0.6, 0.52, 1.0]),
        ("Pip_Features", "cutout", [0.85, 0.8, 0.82, 1.0]),
        ("Pip_Blush", "unlit", [1.0, 1.0, 1.0, 1.0]),
        ("Pip_Hair", "double", [0.5, 0.5, 0.6, 1.0]),
    ];
    let looks: Vec<Look> = names.iter().zip(textures).map(|(&(name, kind, shade), texture)| Look { name, texture, kind, shade }).collect();
    let materials: Vec<usize> = looks.iter().map(|look| material(&mut glb, look)).collect();

    let mut whole = body(&binder, detail);
    fingers(&mut whole, &upright, detail);
    whole.smooth();
    for garment in [clothes::top(&binder, detail), clothes::skirt(&upright, &binder, detail), clothes::shoes(&binder, detail)] {
        whole.append(&garment);
    }
    let face = head::face(&upright, &binder, Detail(0.5));
    let locks = hair::hair(&upright, &binder, detail);
    let mut roots = vec![skeleton.find("Root")];
    let mut triangles = 0;
    for (name, mut shape, used) in [("Body", whole, &materials[..4]), ("Face", face, &materials[4..7]), ("Hair", locks, &materials[7..])] {
        shape.turn(SCALE);
        triangles += shape.triangles();
        let mesh = glb.mesh(&format!("{name}.baked"), &shape, used, false);
        roots.push(glb.push("nodes", json!({ "name": name, "mesh": mesh, "skin": skin })));
    }
    println!("{triangles:>9} triangles in pip.vrm");
    roots.push(glb.push("nodes", json!({ "name": "secondary" })));
    glb.push("scenes", json!({ "nodes": roots }));
    glb.root.insert("scene".into(), json!(0));
    glb.extension(
        "VRM",
        json!({
            "exporterVersion": "make-samples",
            "specVersion": "0.0",
            "meta": {
                "title": "Pip", "version": "1", "author": "companion-build make-samples", "contactInformation": "", "reference": "",
                "texture": thumbnail, "allowedUserName": "Everyone", "violentUssageName": "Allow", "sexualUssageName": "Disallow",
                "commercialUssageName": "Allow", "otherPermissionUrl": "", "licenseName": "CC0", "otherLicenseUrl": ""
            },
            "humanoid": {
                "humanBones": human_bones(&skeleton),
                "armStretch": 0.05, "legStretch": 0.05, "upperArmTwist": 0.5, "lowerArmTwist": 0.5, "upperLegTwist": 0.5,
                "lowerLegTwist": 0.5, "feetSpacing": 0, "hasTranslationDoF": false
            },
            "firstPerson": first_person(&skeleton),
            "blendShapeMaster": blend_shapes(1),
            "secondaryAnimation": secondary(&skeleton),
            "materialProperties": looks.iter().map(properties).collect::<Vec<_>>()
        }),
    );
    let folder = "vrm0/companion-models/pip";
    let mut made = vec![
        (format!("{folder}/pip.vrm"), glb.finish()),
        (format!("{folder}/thumbnail.png"), pictures::portrait(256, HAIR, IRIS, 0xE8D9B8)),
    ];
    for name in ["idle", "talk-idle", "listen", "wave", "walk"] {
        made.push((format!("{folder}/{name}.vrma"), motion::write(clip(name), &upright, SCALE)));
    }
    made
}
