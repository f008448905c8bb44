//! `model.json`: its members, the avatar's kind, thumbnail and background.

use super::content::check_ending;
use super::format::MODEL;
use super::manifest::Manifest;
use super::node::{Node, Type};
use super::package::ending_of;
use super::references::Kind;
use super::shape::{self, Body};
use super::{Facts, Pack};
use crate::report::{Finding, Report, Severity, code};

/// A background over so many bytes is larger than it need be.
const SOFT_BACKGROUND: u64 = 1_000_000;

/// What the avatar is, by the ending of its name. `None` when there is none, or of another ending.
pub(super) fn body(model: &Manifest) -> Option<Body> {
    match ending_of(model.root.as_ref()?.get("avatar")?.as_str()?).to_ascii_lowercase().as_str() {
        "vrm" => Some(Body::Vrm),
        "glb" => Some(Body::Glb),
        "zip" => Some(Body::Live2d),
        _ => None,
    }
}

/// M001 to M004, M006, M010 to M014, M016, M019 to M024 and M026; and what the table says of framing, outfits, cloth, motions and rigs.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = &model.root else { continue };
        let body = body(model);
        shape::check(model, &MODEL, body, report);
        avatar(model, root, report);
        pack.references_of(model).filter(|r| r.kind == Kind::Avatar).for_each(|r| check_ending(r, report));
        description(model, root, report);
        physics(pack, model, root, body, facts, report);
        let is_used = pack.characters().filter_map(|c| c.root.as_ref()?.get("look")?.as_str()).any(|look| look == model.key);
        if !is_used && pack.characters().all(|character| character.root.is_some()) {
            let message = format!("no character has the look \"{}\"; it is still offered in the look picker", model.key);
            report.add(Finding::new(&code::M026, model.whole(), message).hint(code::M026.remedy));
        }
    }
    for reference in &pack.references {
        if matches!(reference.kind, Kind::Thumbnail | Kind::Background) {
            picture(reference, facts, report);
        }
    }
}

fn avatar(model: &Manifest, root: &Node, report: &mut Report) {
    let Some(node) = root.get("avatar") else { return };
    if model.is_typed(node, Type::String, report) && node.as_str() == Some("") {
        report.add(Finding::new(&code::M003, model.place(node), "avatar is empty").hint(code::M003.remedy));
    }
}

/// M002: the format gives no limit, so a long one is only worth a note.
fn description(model: &Manifest, root: &Node, report: &mut Report) {
    let message = match root.get("description") {
        None => "there is no description",
        Some(node) if node.as_str().is_some_and(|text| text.encode_utf16().count() > 300) => "the description has more than 300 characters",
        Some(_) => return,
    };
    report.add(Finding::new(&code::M002, model.missing_place(root, "description"), message).hint(code::M002.remedy));
}

/// M012 on a Live2D look, and M013.
fn physics(pack: &Pack, model: &Manifest, root: &Node, body: Option<Body>, facts: &Facts, report: &mut Report) {
    let Some(member) = root.member("isLooseChainPhysicsEnabled") else { return };
    let avatar = avatar_of(pack, model, facts);
    if body == Some(Body::Live2d) {
        let mut finding = Finding::new(&code::M012, model.key_place(member), "a Live2D look has no bone chains; the switch has no effect");
        finding.severity = Severity::Note;
        report.add(finding.hint("Remove it."));
    } else if avatar.is_some_and(|avatar| avatar.has_springs) {
        let message = "the avatar declares spring bones; the switch has no effect";
        report.add(Finding::new(&code::M013, model.key_place(member), message).hint(code::M013.remedy));
    }
}

/// What is known of the avatar of a model.
pub(super) fn avatar_of<'f>(pack: &Pack, model: &Manifest, facts: &'f Facts) -> Option<&'f super::facts::AvatarFacts> {
    let reference = pack.avatar_of(model)?;
    facts.avatars.get(reference.target()?)
}

/// M010 and M011.
fn picture(reference: &super::Reference, facts: &Facts, report: &mut Report) {
    let Some(picture) = reference.target().and_then(|path| facts.pictures.get(path)) else { return };
    let word = reference.kind.word();
    let [width, height] = picture.size;
    let message = if let Some(damage) = &picture.damage {
        format!("the {word} does not decode: {damage}")
    } else if picture.is_animated {
        format!("the {word} is animated")
    } else if width.min(height) < 16 || width.max(height) > 8192 {
        format!("the {word} has {width} x {height} pixels")
    } else {
        String::new()
    };
    if !message.is_empty() {
        report.add(Finding::new(&code::M011, reference.place.clone(), message).hint(code::M011.remedy));
    } else if reference.kind == Kind::Background {
        let why = if width < height {
            "is upright"
        } else if width > 2 * 1920 || height > 2 * 1080 {
            "has more pixels than it needs"
        } else if width < 1920 / 2 {
            "is small"
        } else if picture.bytes > SOFT_BACKGROUND {
            "has more bytes than it needs"
        } else {
            return;
        };
        let message = format!("the background {why}: {width} x {height}, {}", crate::units::bytes(picture.bytes));
        report.add(Finding::new(&code::M010, reference.place.clone(), message).hint(code::M010.remedy));
    }
}
