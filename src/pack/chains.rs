//! What swings by itself: loose chains of bones on an avatar without springs, and the skirt that the stage finds.

use super::cloth::{humanoid, spread};
use super::facts::{AvatarFacts, BoneFacts};
use super::manifest::Manifest;
use super::model::{avatar_of, body};
use super::node::Node;
use super::shape::Body;
use super::{Facts, Pack};
use crate::report::{Finding, Report, code};
use crate::spelling;
use std::collections::{BTreeMap, BTreeSet};

/// A loose chain moves at least so many vertices.
const VERTICES: usize = 20;
/// The stage lets so many of them swing.
const MOST: usize = 48;
/// A skirt has at least so many chains.
const SKIRT: usize = 4;
/// A panel of a skirt has at least so many.
const PANEL: usize = 3;
/// A skirt reaches farther around her, in degrees.
const AROUND: f64 = 180.0;
/// What moves with these can be the face.
const HEAD: [&str; 4] = ["head", "jaw", "leftEye", "rightEye"];

/// What hangs on these is taken for a finger or a toe that nobody mapped; the format's words do not tell whether such a chain swings.
const ENDS: [&str; 8] = ["Hand", "Foot", "Toes", "Thumb", "Index", "Middle", "Ring", "Little"];

/// A007 and A008.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = model.root.as_ref().filter(|_| body(model) != Some(Body::Live2d)) else { continue };
        let Some((avatar, node)) = avatar_of(pack, model, facts).zip(root.get("avatar")) else { continue };
        // Without a humanoid nobody can tell which bones are loose.
        let humanoid = humanoid(root, Some(avatar));
        if humanoid.is_empty() {
            continue;
        }
        let loose = Loose::of(avatar, &humanoid);
        let skirt = if finds_skirt(root) { loose.skirt() } else { Vec::new() };
        if !skirt.is_empty() {
            let message = format!("the stage finds a skirt of {} chains: {}", skirt.len(), spelling::list(skirt.iter().copied(), 8));
            report.add(Finding::new(&code::A008, model.place(node), message).hint(code::A008.remedy));
        }
        swinging(model, root, node, &loose, &skirt, report);
    }
}

/// Some outfit, or the look itself, leaves it to the stage what is cloth.
fn finds_skirt(root: &Node) -> bool {
    let outfits = root.list("outfits");
    root.get("cloth").is_none() && (outfits.is_empty() || outfits.iter().any(|outfit| outfit.get("cloth").is_none()))
}

/// A007: chains that are cloth already are not among them.
fn swinging(model: &Manifest, root: &Node, node: &Node, loose: &Loose, skirt: &[&str], report: &mut Report) {
    let is_off = root.get("isLooseChainPhysicsEnabled").is_some_and(|node| node.as_bool() == Some(false));
    if loose.avatar.has_springs || is_off {
        return;
    }
    let listed = root.list("cloth").iter().flat_map(|piece| piece.list("chains")).filter_map(Node::as_str);
    let cloth: BTreeSet<&str> = listed.chain(skirt.iter().copied()).flat_map(|name| loose.line(name)).collect();
    let chains: Vec<&str> = loose.chains().into_iter().filter(|name| !cloth.contains(name)).collect();
    if !chains.is_empty() {
        let count = match chains.len() {
            1 => "its loose chain of bones".to_owned(),
            n if n > MOST => format!("{MOST} of its {n} loose chains of bones"),
            n => format!("its {n} loose chains of bones"),
        };
        let message = format!("the avatar has no spring bones; the stage lets {count} swing: {}", spelling::list(chains, 8));
        report.add(Finding::new(&code::A007, model.place(node), message).hint(code::A007.remedy));
    }
}

/// The bones of an avatar that are not humanoid and carry none that is.
struct Loose<'a> {
    avatar: &'a AvatarFacts,
    /// Each loose bone, with the humanoid bone that it hangs on.
    bones: BTreeMap<&'a str, &'a str>,
    /// Those right below a bone.
    below: BTreeMap<&'a str, Vec<&'a str>>,
    /// Where the waist is, as a height.
    waist: f64,
}

impl<'a> Loose<'a> {
    fn of(avatar: &'a AvatarFacts, humanoid: &BTreeMap<&'a str, &'a str>) -> Self {
        let carries: BTreeSet<&str> = humanoid.keys().flat_map(|name| line(avatar, name)).collect();
        let hangs_on = |name: &'a str| line(avatar, name).find_map(|above| humanoid.get(above).copied());
        let loose = avatar.bones.keys().map(String::as_str).filter(|name| !carries.contains(name));
        let bones: BTreeMap<&str, &str> = loose.filter_map(|name| Some((name, hangs_on(name)?))).collect();
        let mut below: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for name in bones.keys() {
            if let Some(parent) = &avatar.bones[*name].parent {
                below.entry(parent).or_default().push(name);
            }
        }
        let height = |bone: &str| {
            let node = humanoid.iter().find(|(_, is)| **is == bone).map(|(node, _)| *node)?;
            avatar.bones.get(node).map(|bone| bone.height)
        };
        let waist = height("chest").or_else(|| height("spine")).unwrap_or(f64::INFINITY);
        Self { avatar, bones, below, waist }
    }

    fn bone(&self, name: &str) -> &'a BoneFacts {
        &self.avatar.bones[name]
    }

    fn line(&self, name: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
        line(self.avatar, name)
    }

    /// A bone that only holds several chains together.
    fn is_holder(&self, name: &str) -> bool {
        self.below.get(name).is_some_and(|below| below.len() > 1) && self.bone(name).own_vertices < VERTICES
    }

    /// The first bone of each chain that the stage lets swing.
    fn chains(&self) -> Vec<&'a str> {
        let starts = |name| self.line(name).skip(1).take_while(|above| self.bones.contains_key(above)).all(|above| self.is_holder(above));
        let swings = |name: &str, on: &str| {
            let bone = self.bone(name);
            self.below.contains_key(name)
                && bone.vertices >= VERTICES
                && !(bone.is_shaped && HEAD.contains(&on))
                && !ENDS.iter().any(|end| on.contains(end))
        };
        let chains = self.bones.iter().filter(|(name, on)| swings(name, on) && !self.is_holder(name));
        chains.map(|(name, _)| *name).filter(|name| starts(*name)).collect()
    }

    /// The chains of the largest group under the hips that is a skirt, in order around her; none when there is no skirt.
    fn skirt(&self) -> Vec<&'a str> {
        let mut groups: BTreeMap<&str, Vec<(f64, &str)>> = BTreeMap::new();
        for (name, on) in &self.bones {
            let bone = self.bone(name);
            let hangs = *on == "hips" && bone.height <= self.waist && bone.vertices > 0 && self.below.contains_key(name);
            if let (true, Some(azimuth), Some(parent)) = (hangs, bone.azimuth, bone.parent.as_deref()) {
                groups.entry(parent).or_default().push((azimuth, name));
            }
        }
        // Panels side by side are one skirt too.
        let panels = groups.values().filter(|group| group.len() >= PANEL).flatten().copied().collect();
        let mut best: Vec<(f64, &str)> = Vec::new();
        for mut group in groups.into_values().chain([panels]) {
            group.sort_by(|a, b| a.0.total_cmp(&b.0));
            let angles: Vec<f64> = group.iter().map(|(angle, _)| *angle).collect();
            if group.len() >= SKIRT && group.len() > best.len() && spread(&angles) > AROUND {
                best = group;
            }
        }
        best.into_iter().map(|(_, name)| name).collect()
    }
}

/// A bone and all above it.
fn line<'a>(avatar: &'a AvatarFacts, name: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
    std::iter::successors(Some(name), |name| avatar.bones.get(*name)?.parent.as_deref()).take(avatar.bones.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bones as `name parent vertices height azimuth`; those called like humanoid bones are.
    fn avatar(bones: &str) -> AvatarFacts {
        let mut avatar = AvatarFacts::default();
        for line in bones.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |at: usize| words[at].parse::<f64>().ok();
            let bone = BoneFacts {
                parent: (words[1] != "-").then(|| words[1].to_owned()),
                vertices: number(2).unwrap_or(0.0) as usize,
                own_vertices: number(2).unwrap_or(0.0) as usize,
                is_shaped: words[0].starts_with("Lip"),
                height: number(3).unwrap_or(0.0),
                azimuth: number(4),
                ..BoneFacts::default()
            };
            avatar.bones.insert(words[0].into(), bone);
            if ["hips", "spine", "head", "leftUpperLeg", "leftFoot"].contains(&words[0]) {
                avatar.humanoid.insert(words[0].into(), words[0].into());
            }
        }
        avatar
    }

    fn found(bones: &str) -> (Vec<String>, Vec<String>) {
        let avatar = avatar(bones);
        let humanoid = avatar.humanoid.iter().map(|(bone, node)| (node.as_str(), bone.as_str())).collect();
        let loose = Loose::of(&avatar, &humanoid);
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        (owned(loose.chains()), owned(loose.skirt()))
    }

    const BODY: &str = "hips - 0 1.0 -
        spine hips 0 1.1 -
        neck spine 0 1.4 -
        head neck 0 1.5 -
        leftUpperLeg hips 0 0.9 90
        leftFoot leftUpperLeg 0 0.1 90
        ";

    #[test]
    fn a_chain_is_two_loose_bones_with_twenty_vertices() {
        // The neck is not mapped but carries the head; a twist bone has nothing below; 19 vertices are one too few; lips are of the face, and toes no
        // chains.
        let bones = "TailA hips 20 1 180
            TailB TailA 9 1 180
            Thin hips 19 1 180
            ThinB Thin 19 1 180
            Twist leftUpperLeg 90 1 90
            Toe leftFoot 30 0 90
            ToeB Toe 30 0 90
            LipA head 40 1.5 0
            LipB LipA 40 1.5 0
            Hair head 19 1.6 180
            HairL Hair 30 1.6 150
            HairL2 HairL 30 1.6 150
            HairR Hair 30 1.6 210
            HairR2 HairR 30 1.6 210";
        // A bone that only holds strands is no chain, its strands are.
        assert_eq!(found(&format!("{BODY}{bones}")).0, ["HairL", "HairR", "TailA"]);
    }

    fn ring(parent: &str, angles: &[f64], height: f64) -> String {
        let chain = |angle: &f64| format!("S{angle} {parent} 20 {height} {angle}\nS{angle}b S{angle} 10 {height} {angle}\n");
        angles.iter().map(chain).collect()
    }

    #[test]
    fn a_skirt_goes_more_than_half_around() {
        let skirt = |rings: String| found(&format!("{BODY}{rings}")).1;
        assert_eq!(skirt(ring("hips", &[0.0, 90.0, 180.0, -90.0], 1.0)), ["S-90", "S0", "S90", "S180"]);
        // Three chains are too few; 0 to 180 degrees is half, not more; on a leg or above the waist there is no skirt.
        assert_eq!(skirt(ring("hips", &[0.0, 120.0, -120.0], 1.0)), Vec::<String>::new());
        assert_eq!(skirt(ring("hips", &[0.0, 60.0, 120.0, 180.0], 1.0)), Vec::<String>::new());
        assert_eq!(skirt(ring("leftUpperLeg", &[0.0, 90.0, 180.0, -90.0], 0.9)), Vec::<String>::new());
        assert_eq!(skirt(ring("hips", &[0.0, 90.0, 180.0, -90.0], 1.2)), Vec::<String>::new());
        // Two panels of three, each under its own bone; two of two are none.
        let holders = "Front hips 0 1 0\nBack hips 0 1 180\n";
        let panels = |front: &[f64], back: &[f64]| skirt(format!("{holders}{}{}", ring("Front", front, 1.0), ring("Back", back, 1.0)));
        assert_eq!(panels(&[-50.0, 0.0, 50.0], &[140.0, 180.0, -140.0]).len(), 6);
        assert_eq!(panels(&[-50.0, 50.0], &[140.0, -140.0]), Vec::<String>::new());
    }
}
