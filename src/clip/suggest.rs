//! A bone map for nodes that carry none, guessed from their names and from how they hang together.
//!
//! Names are brought to one form (Unicode, known prefixes, side, words), compared with what each bone is called in the families of rigs that
//! are in use (Mixamo, 3ds Max Biped, Character Creator, Unreal, Unity HumanIK, VRoid, MikuMikuDance, Rigify, Daz, Ready Player Me, Rokoko),
//! and then the structure decides: the hips are the lowest node above the head and both legs, the upper and lower limb lie above the hand or
//! foot, the spine is the first bone without a side from the hips to the head. All fifteen bones, or nothing.

use super::{Rig, Skeleton};
use crate::vrm::humanoid::REQUIRED;
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::UnicodeNormalization;

/// More nodes than this have no rig worth guessing.
const MOST_NODES: usize = 10_000;

/// Which half of the body a name speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Middle,
}

/// Japanese words and what they mean; longer ones first where one holds another.
#[rustfmt::skip]
const JAPANESE: [(&str, &str); 20] = [
    ("上半身2", " chest "), ("上半身", " spine "), ("下半身", " pelvis "), ("センター", " center "), ("つま先", " toe "), ("手首", " hand "),
    ("足首", " foot "), ("ひじ", " lowerarm "), ("ひざ", " lowerleg "), ("右", " right "), ("左", " left "), ("頭", " head "), ("首", " neck "),
    ("肩", " shoulder "), ("腕", " upperarm "), ("肘", " lowerarm "), ("膝", " lowerleg "), ("足", " upperleg "), ("腰", " waist "), ("手", " hand "),
];

/// Beginnings that say which program wrote a name, in lower case; taken off again and again.
#[rustfmt::skip]
const PREFIXES: [&str; 16] = [
    "mixamorig", "j_bip_", "cc_base_", "bip001", "bip01", "valvebiped", "def-", "def_", "org-", "org_", "bone_", "rig_", "armature_", "skeleton_",
    "character1_", "b_",
];

/// What a bone without its side is called, the surest name first.
fn called(bone: &str) -> &'static [&'static str] {
    match bone {
        "hips" => &["hips", "hip", "pelvis", "roothips", "bassin", "hipsjoint", "pelvisjoint"],
        "head" => &["head", "headjoint", "tete"],
        "UpperArm" => &["upperarm", "shldrbend", "shldr", "arm", "uparm", "armupper", "shoulderlower", "bras"],
        "LowerArm" => &["lowerarm", "forearmbend", "forearm", "armlower", "lowarm", "elbow"],
        "Hand" => &["hand", "wrist", "main"],
        "UpperLeg" => &["upperleg", "thighbend", "upleg", "thigh", "legupper", "hip", "uplegjoint"],
        "LowerLeg" => &["lowerleg", "leg", "calf", "shin", "leglower", "lowleg", "knee"],
        "Foot" => &["foot", "ankle", "pied"],
        _ => &[],
    }
}

/// The node of each of the fifteen bones; `None` when not all of them can be told.
pub fn suggest(skeleton: &Skeleton) -> Option<BTreeMap<&'static str, usize>> {
    if skeleton.names.len() > MOST_NODES {
        return None;
    }
    let nodes = Nodes { skeleton, words: skeleton.raw_names.iter().map(|name| words(name)).collect() };
    let found = nodes.all()?;
    let distinct: BTreeSet<usize> = found.values().copied().collect();
    (distinct.len() == REQUIRED.len()).then_some(found)
}

/// The same as a bone map; `None` too when a name is not that of one node alone.
pub fn rig(skeleton: &Skeleton) -> Option<Rig> {
    let found = suggest(skeleton)?;
    let unique = |name: &str| !name.is_empty() && skeleton.names.iter().filter(|own| *own == name).count() == 1;
    let named = found.into_iter().map(|(bone, node)| (bone.to_owned(), skeleton.names[node].clone()));
    let rig: Rig = named.filter(|(_, name)| unique(name)).collect();
    (rig.len() == REQUIRED.len()).then_some(rig)
}

/// The bone map as model.json wants it.
pub fn json(rig: &Rig) -> serde_json::Value {
    let bones: serde_json::Map<String, serde_json::Value> =
        REQUIRED.iter().filter_map(|bone| Some((bone.to_string(), rig.get(*bone)?.clone().into()))).collect();
    serde_json::json!({ "version": 1, "bones": bones })
}

struct Nodes<'a> {
    skeleton: &'a Skeleton,
    words: Vec<(Side, String)>,
}

impl Nodes<'_> {
    /// A node and all above it.
    fn line(&self, node: usize) -> Vec<usize> {
        std::iter::once(node).chain(self.skeleton.above(node)).collect()
    }

    /// Nodes that may be a bone, the likeliest first. What hangs on a node of the same name is a mesh of it.
    fn candidates(&self, bone: &str, side: Side) -> Vec<usize> {
        let mut found = Vec::new();
        for (rank, name) in called(bone).iter().enumerate() {
            for (node, (_, word)) in self.words.iter().enumerate().filter(|(_, (own, _))| *own == side) {
                let numbered = rank < 4 && word.trim_end_matches(|c: char| c.is_ascii_digit()) == *name;
                if word == name || numbered {
                    found.push((rank + if word == name { 0 } else { 50 }, node));
                }
            }
        }
        let is_double = |node: usize| self.skeleton.parents[node].is_some_and(|parent| self.words[parent] == self.words[node]);
        found.retain(|(_, node)| !is_double(*node));
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|(_, node)| node).collect()
    }

    fn all(&self) -> Option<BTreeMap<&'static str, usize>> {
        let (hips, head) = self.trunk()?;
        let mut line = self.line(head);
        line.reverse();
        let from = line.iter().position(|&node| node == hips)?;
        let between = line.get(from + 1..line.len().saturating_sub(1)).unwrap_or_default();
        let is_spine = |node: &&usize| {
            let (side, word) = &self.words[**node];
            *side == Side::Middle && !word.contains("neck") && !word.contains("pelvis")
        };
        let spine = *between.iter().find(is_spine)?;
        let mut found = BTreeMap::from([("hips", hips), ("spine", spine), ("head", head)]);
        for (side, prefix) in [(Side::Left, "left"), (Side::Right, "right")] {
            for limb in [["UpperArm", "LowerArm", "Hand"], ["UpperLeg", "LowerLeg", "Foot"]] {
                for (part, node) in limb.iter().zip(self.limb(&limb, side, hips)?) {
                    let bone = REQUIRED.iter().find(|bone| bone.strip_prefix(prefix) == Some(*part))?;
                    found.insert(bone, node);
                }
            }
        }
        Some(found)
    }

    /// Hips and head. The hips are the lowest node above the head and a part of each leg.
    fn trunk(&self) -> Option<(usize, usize)> {
        let mut heads = self.candidates("head", Side::Middle);
        // A chain of spine bones of which none is called head (or only a mesh beside it): its last link.
        let is_link = |word: &str| ["spine", "neck", "head"].contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()));
        let links = (0..self.words.len()).filter(|&node| self.words[node].0 == Side::Middle && is_link(&self.words[node].1));
        heads.extend(links.max_by_key(|&node| (self.skeleton.above(node).count(), std::cmp::Reverse(node))));
        let leg = |side| ["UpperLeg", "LowerLeg", "Foot"].iter().find_map(|part| self.with_foot(&self.candidates(part, side), side));
        if let (Some(left), Some(right)) = (leg(Side::Left), leg(Side::Right)) {
            let (left, right): (BTreeSet<usize>, BTreeSet<usize>) =
                (self.line(left).into_iter().collect(), self.line(right).into_iter().collect());
            for &head in &heads {
                if let Some(hips) = self.skeleton.above(head).find(|node| left.contains(node) && right.contains(node)) {
                    return Some((hips, head));
                }
            }
        }
        let hips = self.candidates("hips", Side::Middle);
        heads.iter().find_map(|&head| Some((*hips.iter().find(|hips| self.skeleton.above(head).any(|node| node == **hips))?, head)))
    }

    /// The first of some nodes that a foot of this side hangs on, or is.
    fn with_foot(&self, nodes: &[usize], side: Side) -> Option<usize> {
        let feet = self.candidates("Foot", side);
        nodes.iter().copied().find(|node| feet.iter().any(|&foot| self.line(foot).contains(node)))
    }

    /// The three nodes of an arm or leg, from its end upwards.
    fn limb(&self, parts: &[&str; 3], side: Side, hips: usize) -> Option<[usize; 3]> {
        let ends = self.candidates(parts[2], side);
        let end = *ends.iter().find(|end| self.line(**end).contains(&hips)).or(ends.first())?;
        let above = self.line(end);
        let of_side = |at: usize| above.get(at).copied().filter(|&node| self.words[node].0 == side);
        let first = |bone: &str, not: Option<usize>| {
            self.candidates(bone, side).into_iter().find(|node| above[1..].contains(node) && Some(*node) != not)
        };
        let at = |node: usize| above.iter().position(|&own| own == node);
        let mut lower = first(parts[1], None);
        // "leg" above "knee" is the thigh.
        if lower.is_some_and(|node| self.words[node].1 == "leg")
            && let Some(knee) = above[1..]
                .iter()
                .find(|node| self.words[**node].0 == side && ["knee", "calf", "shin"].contains(&self.words[**node].1.as_str()))
        {
            lower = Some(*knee);
        }
        let mut upper = first(parts[0], lower);
        if let (Some(l), Some(u)) = (lower.and_then(at), upper.and_then(at))
            && u < l
        {
            (lower, upper) = (None, lower);
        }
        if parts[2] == "Foot"
            && upper.is_none()
            && let Some(l) = lower.and_then(at)
        {
            upper = of_side(l + 1).filter(|&node| ["leg", "thigh", "upleg", "upperleg"].contains(&self.words[node].1.as_str()));
        }
        if lower.is_none()
            && let Some(u) = upper.and_then(at)
            && u > 1
        {
            lower = above.get(u - 1).copied();
        }
        let lower = lower.or_else(|| of_side(1))?;
        let upper = upper.or_else(|| of_side(at(lower)? + 1))?;
        Some([upper, lower, end])
    }
}

/// The side and the plain word in a node's name: `mixamorig:LeftForeArm` is (left, `forearm`).
fn words(name: &str) -> (Side, String) {
    let mut name: String = name.nfkc().collect();
    for (japanese, word) in JAPANESE {
        name = name.replace(japanese, word);
    }
    let lower = name.to_lowercase();
    let mut side = match lower.strip_prefix("j_bip_").and_then(|rest| rest.chars().next()) {
        Some('l') => Side::Left,
        Some('r') => Side::Right,
        _ => Side::Middle,
    };
    let mut rest = without_prefixes(&name);
    if side != Side::Middle || lower.starts_with("j_bip_c_") {
        rest = rest.get(2..).unwrap_or(rest);
    }
    // "lFoot": a small letter before a capital is the side.
    let mut letters = rest.chars();
    if let (Some(first @ ('l' | 'r')), Some(second)) = (letters.next(), letters.next())
        && second.is_uppercase()
    {
        side = if first == 'l' { Side::Left } else { Side::Right };
        rest = &rest[1..];
    }
    let mut kept: Vec<String> = Vec::new();
    for word in split(rest) {
        match word.as_str() {
            "l" | "left" | "lft" | "gauche" => side = Side::Left,
            "r" | "right" | "rgt" | "droite" | "droit" => side = Side::Right,
            _ => match (word.strip_prefix("left"), word.strip_prefix("right")) {
                (Some(more), _) => (side, _) = (Side::Left, kept.push(more.into())),
                (_, Some(more)) => (side, _) = (Side::Right, kept.push(more.into())),
                _ if word.starts_with('0') && word.bytes().all(|b| b.is_ascii_digit()) => {}
                _ => kept.push(word),
            },
        }
    }
    let filler = ["bone", "bones", "jnt", "joint", "armature", "j", "b", "bn", "def", "c"];
    if kept.iter().any(|word| !filler.contains(&word.as_str())) {
        kept.retain(|word| !filler.contains(&word.as_str()));
    }
    let mut word = kept.concat();
    for ending in ["bone", "joint", "jnt"] {
        if let Some(shorter) = word.strip_suffix(ending).filter(|shorter| !shorter.is_empty()) {
            word = shorter.to_owned();
        }
    }
    let glued = ["hand", "foot", "thigh", "shin", "arm", "forearm", "upperarm", "lowerarm", "calf", "leg", "upperleg", "lowerleg"];
    if side == Side::Middle
        && let Some((first @ ('l' | 'r'), more)) = word.chars().next().map(|first| (first, word[first.len_utf8()..].to_owned()))
        && glued.contains(&more.as_str())
    {
        (side, word) = (if first == 'l' { Side::Left } else { Side::Right }, more);
    }
    (side, word)
}

/// Without what the program put before: its own mark, or everything up to a colon or bar.
fn without_prefixes(name: &str) -> &str {
    let mut rest = name.rsplit([':', '|']).next().filter(|rest| !rest.is_empty()).unwrap_or(name);
    for _ in 0..3 {
        let lower = rest.to_ascii_lowercase();
        let Some(prefix) = PREFIXES.iter().find(|prefix| lower.starts_with(**prefix)) else { break };
        let shorter = rest[prefix.len()..].trim_start_matches(|c: char| c.is_ascii_digit() || [' ', '_', '.', ':', '-'].contains(&c));
        // A name that is nothing but a mark stays.
        if shorter.is_empty() {
            break;
        }
        rest = shorter;
    }
    rest
}

/// The words of a name, in lower case: apart at capitals and at whatever is no letter or digit.
fn split(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (i, &c) in letters.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| letters[i]);
        let starts = c.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase() && letters.get(i + 1).is_some_and(char::is_ascii_lowercase))
            });
        if starts || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip::Transform;
    use glam::DMat4;

    /// A skeleton from `name(child,child(...))`.
    fn tree(text: &str) -> Skeleton {
        let (mut names, mut parents, mut open) = (Vec::new(), Vec::new(), Vec::new());
        let mut name = String::new();
        for c in format!("{text},").chars() {
            if matches!(c, '(' | ',' | ')') && !name.is_empty() {
                names.push(std::mem::take(&mut name));
                parents.push(open.last().copied());
            }
            match c {
                '(' => open.push(names.len() - 1),
                ')' => _ = open.pop(),
                ',' => {}
                c => name.push(c),
            }
        }
        let rest = vec![Transform::IDENTITY; names.len()];
        let clean = names.iter().map(|name: &String| crate::gltf::names::sanitize(name)).collect();
        let mut skeleton = Skeleton::new(clean, parents, rest, DMat4::IDENTITY);
        skeleton.raw_names = names;
        skeleton
    }

    /// The names found for hips, spine, head, and the left and right limbs in the order of [`REQUIRED`].
    fn found(text: &str) -> Option<Vec<String>> {
        let rig = rig(&tree(text))?;
        Some(REQUIRED.iter().map(|bone| rig[*bone].clone()).collect())
    }

    fn check(text: &str, wanted: &str) {
        assert_eq!(found(text).map(|names| names.join(" ")).as_deref(), Some(wanted), "{text}");
    }

    #[test]
    #[rustfmt::skip]
    fn families_of_rigs() {
        check("mixamorig:Hips(mixamorig:Spine(mixamorig:Spine1(mixamorig:Spine2(mixamorig:Neck(mixamorig:Head),mixamorig:LeftShoulder(mixamorig:LeftArm(mixamorig:LeftForeArm(mixamorig:LeftHand(mixamorig:LeftHandThumb1)))),mixamorig:RightShoulder(mixamorig:RightArm(mixamorig:RightForeArm(mixamorig:RightHand)))))),mixamorig:LeftUpLeg(mixamorig:LeftLeg(mixamorig:LeftFoot(mixamorig:LeftToeBase))),mixamorig:RightUpLeg(mixamorig:RightLeg(mixamorig:RightFoot)))",
            "mixamorigHips mixamorigSpine mixamorigHead mixamorigLeftArm mixamorigLeftForeArm mixamorigLeftHand mixamorigRightArm mixamorigRightForeArm mixamorigRightHand mixamorigLeftUpLeg mixamorigLeftLeg mixamorigLeftFoot mixamorigRightUpLeg mixamorigRightLeg mixamorigRightFoot");
        check("Bip001(Bip001 Pelvis(Bip001 Spine(Bip001 Spine1(Bip001 Neck(Bip001 Head,Bip001 L Clavicle(Bip001 L UpperArm(Bip001 L Forearm(Bip001 L Hand))),Bip001 R Clavicle(Bip001 R UpperArm(Bip001 R Forearm(Bip001 R Hand)))))),Bip001 L Thigh(Bip001 L Calf(Bip001 L Foot(Bip001 L Toe0))),Bip001 R Thigh(Bip001 R Calf(Bip001 R Foot))))",
            "Bip001_Pelvis Bip001_Spine Bip001_Head Bip001_L_UpperArm Bip001_L_Forearm Bip001_L_Hand Bip001_R_UpperArm Bip001_R_Forearm Bip001_R_Hand Bip001_L_Thigh Bip001_L_Calf Bip001_L_Foot Bip001_R_Thigh Bip001_R_Calf Bip001_R_Foot");
        check("root(pelvis(spine_01(spine_02(spine_03(neck_01(head),clavicle_l(upperarm_l(lowerarm_l(hand_l(index_01_l)))),clavicle_r(upperarm_r(lowerarm_r(hand_r)))))),thigh_l(calf_l(foot_l(ball_l))),thigh_r(calf_r(foot_r(ball_r)))))",
            "pelvis spine_01 head upperarm_l lowerarm_l hand_l upperarm_r lowerarm_r hand_r thigh_l calf_l foot_l thigh_r calf_r foot_r");
        check("CC_Base_BoneRoot(CC_Base_Hip(CC_Base_Pelvis(CC_Base_L_Thigh(CC_Base_L_Calf(CC_Base_L_Foot)),CC_Base_R_Thigh(CC_Base_R_Calf(CC_Base_R_Foot))),CC_Base_Waist(CC_Base_Spine01(CC_Base_Spine02(CC_Base_NeckTwist01(CC_Base_Head),CC_Base_L_Clavicle(CC_Base_L_Upperarm(CC_Base_L_Forearm(CC_Base_L_Hand))),CC_Base_R_Clavicle(CC_Base_R_Upperarm(CC_Base_R_Forearm(CC_Base_R_Hand))))))))",
            "CC_Base_Hip CC_Base_Waist CC_Base_Head CC_Base_L_Upperarm CC_Base_L_Forearm CC_Base_L_Hand CC_Base_R_Upperarm CC_Base_R_Forearm CC_Base_R_Hand CC_Base_L_Thigh CC_Base_L_Calf CC_Base_L_Foot CC_Base_R_Thigh CC_Base_R_Calf CC_Base_R_Foot");
        check("J_Bip_C_Hips(J_Bip_C_Spine(J_Bip_C_Chest(J_Bip_C_UpperChest(J_Bip_C_Neck(J_Bip_C_Head),J_Bip_L_Shoulder(J_Bip_L_UpperArm(J_Bip_L_LowerArm(J_Bip_L_Hand))),J_Bip_R_Shoulder(J_Bip_R_UpperArm(J_Bip_R_LowerArm(J_Bip_R_Hand)))))),J_Bip_L_UpperLeg(J_Bip_L_LowerLeg(J_Bip_L_Foot)),J_Bip_R_UpperLeg(J_Bip_R_LowerLeg(J_Bip_R_Foot)))",
            "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Head J_Bip_L_UpperArm J_Bip_L_LowerArm J_Bip_L_Hand J_Bip_R_UpperArm J_Bip_R_LowerArm J_Bip_R_Hand J_Bip_L_UpperLeg J_Bip_L_LowerLeg J_Bip_L_Foot J_Bip_R_UpperLeg J_Bip_R_LowerLeg J_Bip_R_Foot");
        check("センター(下半身(左足(左ひざ(左足首(左つま先))),右足(右ひざ(右足首))),上半身(上半身2(首(頭),左肩(左腕(左ひじ(左手首))),右肩(右腕(右ひじ(右手首))))))",
            "センター 上半身 頭 左腕 左ひじ 左手首 右腕 右ひじ 右手首 左足 左ひざ 左足首 右足 右ひざ 右足首");
        check("DEF-hips(DEF-spine(DEF-spine.001(DEF-neck(DEF-head),DEF-upper_arm.L(DEF-forearm.L(DEF-hand.L)),DEF-upper_arm.R(DEF-forearm.R(DEF-hand.R)))),DEF-thigh.L(DEF-shin.L(DEF-foot.L)),DEF-thigh.R(DEF-shin.R(DEF-foot.R)))",
            "DEF-hips DEF-spine DEF-head DEF-upper_armL DEF-forearmL DEF-handL DEF-upper_armR DEF-forearmR DEF-handR DEF-thighL DEF-shinL DEF-footL DEF-thighR DEF-shinR DEF-footR");
        check("hip(pelvis(lThighBend(lShin(lFoot)),rThighBend(rShin(rFoot))),abdomenLower(chestLower(neckLower(head),lCollar(lShldrBend(lForearmBend(lHand))),rCollar(rShldrBend(rForearmBend(rHand))))))",
            "hip abdomenLower head lShldrBend lForearmBend lHand rShldrBend rForearmBend rHand lThighBend lShin lFoot rThighBend rShin rFoot");
        check("Character1_Hips(Character1_Spine(Character1_Neck(Character1_Head),Character1_LeftArm(Character1_LeftForeArm(Character1_LeftHand)),Character1_RightArm(Character1_RightForeArm(Character1_RightHand))),Character1_LeftUpLeg(Character1_LeftLeg(Character1_LeftFoot)),Character1_RightUpLeg(Character1_RightLeg(Character1_RightFoot)))",
            "Character1_Hips Character1_Spine Character1_Head Character1_LeftArm Character1_LeftForeArm Character1_LeftHand Character1_RightArm Character1_RightForeArm Character1_RightHand Character1_LeftUpLeg Character1_LeftLeg Character1_LeftFoot Character1_RightUpLeg Character1_RightLeg Character1_RightFoot");
        // Leg above knee is the thigh.
        check("Hips(Spine(Head,Left arm(Left elbow(Left wrist)),Right arm(Right elbow(Right wrist))),Left leg(Left knee(Left ankle)),Right leg(Right knee(Right ankle)))",
            "Hips Spine Head Left_arm Left_elbow Left_wrist Right_arm Right_elbow Right_wrist Left_leg Left_knee Left_ankle Right_leg Right_knee Right_ankle");
    }

    #[test]
    fn what_is_no_humanoid_has_no_rig() {
        assert_eq!(found("Root(Body(Head(Jaw,Ear.L,Ear.R),Leg.FL(Paw.FL),Leg.FR(Paw.FR),Tail1(Tail2(Tail3))))"), None);
        assert_eq!(found("Cube,Light,Camera"), None);
        assert_eq!(found(""), None);
    }

    #[test]
    fn the_rig_is_what_a_manifest_wants() {
        let rig: Rig = REQUIRED.iter().map(|bone| (bone.to_string(), format!("n_{bone}"))).collect();
        assert!(
            json(&rig)
                .to_string()
                .starts_with(r#"{"version":1,"bones":{"hips":"n_hips","spine":"n_spine","head":"n_head","leftUpperArm":"n_leftUpperArm""#)
        );
    }
}
