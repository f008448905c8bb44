//! The 3D avatars themselves: what the files hold, and what a stage makes of their names.

use super::facts::AvatarFacts;
use super::model::body;
use super::shape::Body;
use super::{Facts, Pack};
use crate::report::{Code, Finding, Place, Report, Severity, code};
use crate::spelling;
use crate::vrm::humanoid::REQUIRED;

/// Triangles over which a browser works hard.
const MANY_TRIANGLES: usize = 150_000;
/// Longest side over which a texture costs more than it shows, in pixels.
const LARGE_TEXTURE: u32 = 4096;

/// A001 to A004, A006, A009 to A011, C015 and C016; M016 for a VRM that is called .glb.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for model in pack.models() {
        // What is no avatar by its name has its own rule (M004).
        let Some(reference) = pack.avatar_of(model).filter(|reference| reference.has_right_ending()) else { continue };
        let Some((path, avatar)) = reference.target().and_then(|path| Some((path, facts.avatars.get(path)?))) else { continue };
        let also: Vec<&str> = ["chest", "neck"].into_iter().filter(|bone| !avatar.humanoid.contains_key(*bone)).collect();
        if avatar.vrm == Some("0.x") && !also.is_empty() && REQUIRED.iter().all(|bone| avatar.humanoid.contains_key(*bone)) {
            let mut finding = Finding::new(&code::A002, Place::file(path), format!("VRM 0.x also asks for {}", also.join(" and ")));
            finding.severity = Severity::Note;
            report.add(finding);
        }
        let rig = model.root.as_ref().and_then(|root| root.member("rig"));
        if let Some(rig) = rig.filter(|_| body(model) == Some(Body::Glb) && avatar.vrm.is_some()) {
            let message = "rig does not go with a VRM, whatever the ending of its name";
            report.add(Finding::new(&code::M016, model.key_place(rig), message).hint(code::M016.remedy));
        }
        let mut add = |code: &'static Code, message: String| {
            report.add(Finding::new(code, Place::file(path), message).hint(code.remedy));
        };
        match (body(model), avatar.vrm) {
            (Some(Body::Vrm), None) => add(&code::A001, "the avatar holds no VRM data".into()),
            (Some(Body::Glb), Some(version)) => {
                add(&code::A004, format!("the file holds a VRM {version}: as .vrm it has its expressions and springs"));
            }
            _ => {}
        }
        if avatar.parts.is_empty() && avatar.vrm.is_none() {
            add(&code::A003, "the avatar has no mesh".into());
        }
        bones(avatar, body(model), &mut add);
        names(avatar, &mut add);
        if !avatar.strange_extensions.is_empty() {
            add(&code::A006, format!("the file requires {}", avatar.strange_extensions.join(", ")));
        }
        if !avatar.beyond_script.is_empty() {
            let why = avatar.beyond_script.join(", ");
            add(&code::A009, format!("the platform's own shrink script refuses this avatar, because of {why}"));
        }
        let mut large = Vec::new();
        if avatar.triangles > MANY_TRIANGLES {
            large.push(format!("{} triangles", avatar.triangles));
        }
        if avatar.texture_side > LARGE_TEXTURE {
            large.push(format!("a texture of {} pixels", avatar.texture_side));
        }
        if !large.is_empty() {
            add(&code::A010, format!("the avatar has {}", large.join(" and ")));
        }
    }
}

fn bones(avatar: &AvatarFacts, body: Option<Body>, add: &mut impl FnMut(&'static Code, String)) {
    if avatar.vrm.is_none() || body != Some(Body::Vrm) {
        return;
    }
    let missing: Vec<&str> = REQUIRED.into_iter().filter(|bone| !avatar.humanoid.contains_key(*bone)).collect();
    if missing.len() == REQUIRED.len() {
        add(&code::A001, "the avatar maps no humanoid bone".into());
    } else if !missing.is_empty() {
        add(&code::A002, format!("the avatar maps no node to: {}", missing.join(", ")));
    }
}

fn names(avatar: &AvatarFacts, add: &mut impl FnMut(&'static Code, String)) {
    for [first, second, name] in &avatar.collisions {
        let message = if first == second {
            format!("two nodes are called \"{first}\"")
        } else {
            format!("\"{first}\" and \"{second}\" both become \"{name}\" in three.js")
        };
        add(&code::C015, message);
    }
    for name in &avatar.unspeakable {
        add(&code::A011, format!("three.js spells the node \"{name}\" as \"{name}_NaN\""));
    }
    if !avatar.mesh_clashes.is_empty() {
        let list = spelling::list(avatar.mesh_clashes.iter().map(String::as_str), 6);
        add(&code::C016, format!("a mesh and another node have the name {list}: three.js may add a number to it"));
    }
}
