//! The humanoid: which node is which bone, by the names of VRM 1.0.
//!
//! Sources: VRM 1.0 `humanoid.md` (the list of bones) and the VRM 0.x schema of `humanoid.bone`. Versions differ in the thumb alone: what
//! 0.x calls proximal and intermediate, 1.0 calls metacarpal and proximal. Files of the 1.0 beta still have the old names, and three-vrm
//! reads them so.

use super::Version;
use crate::gltf::{Document, index_in, list};
use serde_json::Value;

/// Every bone, in the order of the specification.
#[rustfmt::skip]
pub const BONES: [&str; 55] = [
    "hips", "spine", "chest", "upperChest", "neck", "head", "leftEye", "rightEye", "jaw",
    "leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes", "rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes",
    "leftShoulder", "leftUpperArm", "leftLowerArm", "leftHand", "rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand",
    "leftThumbMetacarpal", "leftThumbProximal", "leftThumbDistal", "leftIndexProximal", "leftIndexIntermediate", "leftIndexDistal",
    "leftMiddleProximal", "leftMiddleIntermediate", "leftMiddleDistal", "leftRingProximal", "leftRingIntermediate", "leftRingDistal",
    "leftLittleProximal", "leftLittleIntermediate", "leftLittleDistal",
    "rightThumbMetacarpal", "rightThumbProximal", "rightThumbDistal", "rightIndexProximal", "rightIndexIntermediate", "rightIndexDistal",
    "rightMiddleProximal", "rightMiddleIntermediate", "rightMiddleDistal", "rightRingProximal", "rightRingIntermediate", "rightRingDistal",
    "rightLittleProximal", "rightLittleIntermediate", "rightLittleDistal",
];

/// The bones without which the stage cannot move an avatar (VRM 1.0's required ones; VRM 0.x asks for chest and neck as well).
pub const REQUIRED: [&str; 15] = [
    "hips",
    "spine",
    "head",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
];

/// The bone above another one, of those that an avatar can have; none above the hips. A bone that an avatar lacks is passed over by asking again.
pub fn parent(bone: &str) -> Option<&'static str> {
    let named = |side: &str, rest: &str| BONES.iter().copied().find(|b| b.strip_prefix(side) == Some(rest));
    match bone {
        "spine" => return Some("hips"),
        "chest" => return Some("spine"),
        "upperChest" => return Some("chest"),
        "neck" => return Some("upperChest"),
        "head" => return Some("neck"),
        "leftEye" | "rightEye" | "jaw" => return Some("head"),
        _ => {}
    }
    let (side, rest) = ["left", "right"].into_iter().find_map(|side| Some((side, bone.strip_prefix(side)?)))?;
    let above = match rest {
        "UpperLeg" => return Some("hips"),
        "Shoulder" => return Some("upperChest"),
        "LowerLeg" => "UpperLeg",
        "Foot" => "LowerLeg",
        "Toes" => "Foot",
        "UpperArm" => "Shoulder",
        "LowerArm" => "UpperArm",
        "Hand" => "LowerArm",
        "ThumbProximal" => "ThumbMetacarpal",
        "ThumbDistal" => "ThumbProximal",
        _ => match (rest.strip_suffix("Intermediate"), rest.strip_suffix("Distal")) {
            (Some(finger), _) => return BONES.iter().copied().find(|b| *b == format!("{side}{finger}Proximal")),
            (_, Some(finger)) => return BONES.iter().copied().find(|b| *b == format!("{side}{finger}Intermediate")),
            _ => "Hand",
        },
    };
    named(side, above)
}

/// A bone and its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bone {
    /// One of [`BONES`].
    pub name: &'static str,
    /// A node that exists.
    pub node: usize,
}

/// The bones of an avatar, in the order of [`BONES`]. A bone that the file gives twice is the last one, as in three-vrm; names that are no
/// bones and nodes that do not exist are left out.
pub fn of(document: &Document, version: Version) -> Vec<Bone> {
    match version {
        Version::V1 => document.extension("VRMC_vrm").map_or_else(Vec::new, |extension| in_extension(document, extension)),
        Version::V0 => {
            let humanoid = document.extension("VRM").and_then(|extension| extension.get("humanoid"));
            let bones = humanoid.map_or(&[][..], |humanoid| list(humanoid, "humanBones"));
            in_order(document, bones.iter().filter_map(|bone| Some((modern(bone.get("bone")?.as_str()?), bone))))
        }
    }
}

/// The bones in `humanoid.humanBones` of VRMC_vrm or VRMC_vrm_animation.
pub fn in_extension(document: &Document, extension: &Value) -> Vec<Bone> {
    let Some(bones) = extension.get("humanoid").and_then(|humanoid| humanoid.get("humanBones")).and_then(Value::as_object) else {
        return Vec::new();
    };
    let old_thumbs = ["leftThumbIntermediate", "rightThumbIntermediate"].iter().any(|name| bones.contains_key(*name));
    in_order(document, bones.iter().map(|(name, bone)| (if old_thumbs { modern(name) } else { name.as_str() }, bone)))
}

/// The VRM 1.0 name of a VRM 0.x bone.
fn modern(name: &str) -> &str {
    match name {
        "leftThumbProximal" => "leftThumbMetacarpal",
        "leftThumbIntermediate" => "leftThumbProximal",
        "rightThumbProximal" => "rightThumbMetacarpal",
        "rightThumbIntermediate" => "rightThumbProximal",
        name => name,
    }
}

fn in_order<'a>(document: &Document, bones: impl Iterator<Item = (&'a str, &'a Value)>) -> Vec<Bone> {
    let mut nodes = [None; BONES.len()];
    for (name, bone) in bones {
        let node = index_in(bone, "node").filter(|&node| node < document.list("nodes").len());
        if let (Some(at), Some(node)) = (BONES.iter().position(|bone| *bone == name), node) {
            nodes[at] = Some(node);
        }
    }
    BONES.iter().zip(nodes).filter_map(|(&name, node)| Some(Bone { name, node: node? })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bones(extensions: Value, version: Version) -> Vec<(&'static str, usize)> {
        let json = json!({"nodes": [{}, {}, {}, {}], "extensions": extensions});
        of(&Document::from(json.as_object().unwrap().clone()), version).iter().map(|bone| (bone.name, bone.node)).collect()
    }

    #[test]
    fn every_bone_hangs_on_the_hips() {
        for bone in BONES {
            let above: Vec<&str> = std::iter::successors(Some(bone), |bone| parent(bone)).collect();
            assert_eq!(above.last(), Some(&"hips"), "{above:?}");
            assert!(above.iter().all(|b| BONES.contains(b)), "{above:?}");
        }
        let above: Vec<&str> = std::iter::successors(Some("leftIndexDistal"), |bone| parent(bone)).collect();
        #[rustfmt::skip]
        assert_eq!(above, ["leftIndexDistal", "leftIndexIntermediate", "leftIndexProximal", "leftHand", "leftLowerArm", "leftUpperArm", "leftShoulder",
            "upperChest", "chest", "spine", "hips"]);
    }

    #[test]
    fn thumbs_have_the_names_of_1_0() {
        let old = json!([
            {"bone": "leftThumbIntermediate", "node": 2}, {"bone": "leftThumbProximal", "node": 1}, {"bone": "hips", "node": 3},
            {"bone": "hips", "node": 0}, {"bone": "tail", "node": 1}, {"bone": "jaw", "node": -1}, {"bone": "neck", "node": 9}]);
        assert_eq!(
            bones(json!({"VRM": {"humanoid": {"humanBones": old}}}), Version::V0),
            [("hips", 0), ("leftThumbMetacarpal", 1), ("leftThumbProximal", 2)]
        );
        let new = json!({"leftThumbProximal": {"node": 2}, "leftThumbMetacarpal": {"node": 1}, "hips": {"node": 0}});
        assert_eq!(
            bones(json!({"VRMC_vrm": {"humanoid": {"humanBones": new}}}), Version::V1),
            [("hips", 0), ("leftThumbMetacarpal", 1), ("leftThumbProximal", 2)]
        );
        let beta = json!({"leftThumbProximal": {"node": 1}, "leftThumbIntermediate": {"node": 2}});
        assert_eq!(
            bones(json!({"VRMC_vrm": {"humanoid": {"humanBones": beta}}}), Version::V1),
            [("leftThumbMetacarpal", 1), ("leftThumbProximal", 2)]
        );
    }
}
