//! Cloth: the chains of bones that a look or an outfit names.

use super::facts::AvatarFacts;
use super::manifest::Manifest;
use super::model::{avatar_of, body};
use super::node::Node;
use super::rewrite::{self, Change, Edits};
use super::shape::Body;
use super::{Facts, Pack};
use crate::report::nearest::nearest;
use crate::report::{Finding, Report, code};
use crate::spelling;
use std::collections::{BTreeMap, BTreeSet};

/// K005 to K011 and K016, for the cloth of every look and outfit.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = model.root.as_ref().filter(|_| body(model) != Some(Body::Live2d)) else { continue };
        let avatar = avatar_of(pack, model, facts);
        let humanoid = humanoid(root, avatar);
        for owner in root.list("outfits").iter().chain([root]) {
            let mut seen = BTreeSet::new();
            for piece in owner.list("cloth") {
                for node in piece.list("chains") {
                    if node.as_str().is_some_and(|name| !name.is_empty() && !seen.insert(name)) {
                        let message = format!("the bone \"{}\" is used twice", node.as_str().unwrap_or_default());
                        report.add(Finding::new(&code::K005, model.place(node), message).hint(code::K005.remedy));
                    }
                }
                if let Some(avatar) = avatar {
                    on_avatar(model, piece, avatar, &humanoid, report);
                }
            }
        }
    }
}

/// Node to humanoid bone: by the VRM data, else by the look's rig.
pub(super) fn humanoid<'a>(root: &'a Node, avatar: Option<&'a AvatarFacts>) -> BTreeMap<&'a str, &'a str> {
    match avatar {
        Some(avatar) if !avatar.humanoid.is_empty() => avatar.humanoid.iter().map(|(bone, node)| (node.as_str(), bone.as_str())).collect(),
        _ => {
            let bones = root.at(&["rig", "bones"]).map_or(&[][..], Node::members);
            bones.iter().filter_map(|member| Some((member.value.as_str()?, member.key.as_str()))).collect()
        }
    }
}

fn on_avatar(model: &Manifest, piece: &Node, avatar: &AvatarFacts, humanoid: &BTreeMap<&str, &str>, report: &mut Report) {
    let mut roots: Vec<(&Node, &str)> = Vec::new();
    for node in piece.list("chains") {
        let Some(written) = node.as_str().filter(|name| !name.is_empty()) else { continue };
        let place = model.place(node);
        let name = match avatar.respelled(written) {
            Some(right) => {
                let message = format!("\"{written}\" is not how three.js spells the bone");
                report.add(Finding::new(&code::K006, place, message).hint(format!("Write \"{right}\".")));
                continue;
            }
            None => written,
        };
        let Some(bone) = avatar.bones.get(name) else {
            let bones = avatar.bones.keys().map(String::as_str);
            let (message, hint) = if avatar.parts.contains_key(name) {
                (format!("\"{name}\" is a part of the avatar, not a bone"), code::K006.remedy.to_owned())
            } else {
                let near = nearest(name, bones).map_or_else(|| code::K006.remedy.into(), |near| format!("Did you mean \"{near}\"?"));
                (format!("the avatar has no bone \"{name}\""), near)
            };
            report.add(Finding::new(&code::K006, place, message).hint(hint));
            continue;
        };
        if let Some(what) = humanoid.get(name) {
            report.add(Finding::new(&code::K007, place, format!("\"{name}\" is her bone {what}")).hint(code::K007.remedy));
            continue;
        }
        if bone.children == 0 || bone.vertices == 0 {
            let why = if bone.vertices == 0 { "moves no vertex of the avatar" } else { "has no bone below it" };
            report.add(Finding::new(&code::K009, place.clone(), format!("the chain \"{name}\" {why}")).hint(code::K009.remedy));
        }
        if bone.is_spring {
            let message = format!("\"{name}\" is also moved by a spring of the VRM");
            report.add(Finding::new(&code::K016, place, message).hint(code::K016.remedy));
        }
        roots.push((node, name));
    }
    let names: BTreeSet<&str> = roots.iter().map(|(_, name)| *name).collect();
    for (node, name) in &roots {
        let above = std::iter::successors(Some(*name), |name| avatar.bones.get(*name)?.parent.as_deref()).skip(1).take(avatar.bones.len());
        if let Some(other) = above.into_iter().find(|above| names.contains(above)) {
            let message = format!("\"{name}\" hangs under \"{other}\", which is a chain already");
            report.add(Finding::new(&code::K008, model.place(node), message).hint(code::K008.remedy));
        }
    }
    around(model, piece, &roots, avatar, report);
}

/// Puts the chains of each piece that are out of order into order around the body.
pub(super) fn reorder(model: &Manifest, avatar: &AvatarFacts, edits: &mut Edits) -> Vec<Change> {
    let Some(root) = model.root.as_ref() else { return Vec::new() };
    let mut changes = Vec::new();
    for piece in root.list("outfits").iter().chain([root]).flat_map(|owner| owner.list("cloth")) {
        let found = piece.list("chains").iter().filter_map(|node| Some((node, node.as_str()?)));
        let roots: Vec<(&Node, &str)> = found.filter(|(_, name)| avatar.bones.contains_key(*name)).collect();
        let Some((angles, order)) = turns(piece, &roots, avatar) else { continue };
        for ((node, _), right) in roots.iter().zip(in_order(&angles, &order, &roots).into_iter().flatten()) {
            changes.extend(rewrite::exchange(model, node, right, edits));
        }
    }
    changes
}

/// The angle of each root, and the roots sorted by it. `None` when not every chain of the piece is known, or there are under three.
fn turns(piece: &Node, roots: &[(&Node, &str)], avatar: &AvatarFacts) -> Option<(Vec<f64>, Vec<usize>)> {
    let angles: Vec<f64> = roots.iter().map(|(_, name)| avatar.bones[*name].azimuth).collect::<Option<_>>()?;
    let mut order: Vec<usize> = (0..angles.len()).collect();
    order.sort_by(|&a, &b| angles[a].total_cmp(&angles[b]));
    (angles.len() == piece.list("chains").len() && angles.len() >= 3).then_some((angles, order))
}

/// K010 and K011: where the chains lie about the hips.
fn around(model: &Manifest, piece: &Node, roots: &[(&Node, &str)], avatar: &AvatarFacts, report: &mut Report) {
    let (Some((angles, order)), Some(chains)) = (turns(piece, roots, avatar), piece.get("chains")) else { return };
    let spread = spread(&order.iter().map(|&at| angles[at]).collect::<Vec<f64>>());
    if let Some(right) = in_order(&angles, &order, roots) {
        let message = "the chains are not in order around the body";
        report.add(Finding::new(&code::K010, model.place(chains), message).hint(format!("By angle: {}.", spelling::list(right, 32))));
    }
    let is_closed = piece.get("isClosedLoop").is_none_or(|node| node.as_bool() != Some(false));
    if is_closed && spread <= 180.0 {
        let message = format!("the chains spread over {spread:.0} degrees only: this looks like a cape, not a skirt");
        report.add(Finding::new(&code::K011, model.place(piece), message).hint(code::K011.remedy));
    }
}

/// How far around sorted angles reach, in degrees: a turn less the widest gap.
pub(super) fn spread(sorted: &[f64]) -> f64 {
    let next = sorted.iter().cycle().skip(1);
    360.0 - sorted.iter().zip(next).map(|(a, b)| (b - a).rem_euclid(360.0)).fold(0.0, f64::max)
}

/// `None` when the angles run around once, either way, from wherever they start; else the names in order, from the first that was given.
fn in_order<'a>(angles: &[f64], order: &[usize], roots: &[(&Node, &'a str)]) -> Option<Vec<&'a str>> {
    let turns = |step: fn(f64, f64) -> f64| {
        let next = angles.iter().cycle().skip(1);
        angles.iter().zip(next).map(|(a, b)| step(*a, *b).rem_euclid(360.0)).sum::<f64>()
    };
    // Each step forward by less than a turn: their sum is one turn exactly when nothing is out of order.
    let (forward, backward) = (turns(|a, b| b - a), turns(|a, b| a - b));
    if forward < 361.0 || backward < 361.0 {
        return None;
    }
    let first = order.iter().position(|&at| at == 0).unwrap_or(0);
    Some(order.iter().cycle().skip(first).take(order.len()).map(|&at| roots[at].1).collect())
}
