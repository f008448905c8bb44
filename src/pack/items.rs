//! Items: what they hold, where they sit, and which of them can be worn together.

use super::content::check_ending;
use super::facts::ItemFacts;
use super::format::ITEM;
use super::manifest::Manifest;
use super::node::{Node, Type};
use super::references::Kind;
use super::{Facts, Pack, shape};
use crate::report::{Finding, Place, Report, code};
use crate::spelling;
use crate::units;
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Longest side of a texture, in pixels.
const TEXTURE_SIDE: u32 = 2048;
/// Texture pixels that she can wear at once.
const WORN_PIXELS: u64 = 16_000_000;
/// Items that she can wear at once.
const WORN_ITEMS: usize = 8;
/// Megabytes of item models that she can wear at once.
const WORN_MEGABYTES: u64 = 12;
/// Drawn sizes that make sense, in metres.
const SANE: std::ops::RangeInclusive<f64> = 0.01..=1.5;

/// I001 to I004, I006 to I021, W001 and W002.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for item in pack.items() {
        let Some(root) = &item.root else { continue };
        shape::check(item, &ITEM, None, report);
        if let Some(node) = root.get("model")
            && item.is_typed(node, Type::String, report)
            && node.as_str() == Some("")
        {
            report.add(Finding::new(&code::I004, item.place(node), "model is empty").hint(code::I004.remedy));
        }
        keys(pack, item, report);
        for reference in pack.references_of(item).filter(|r| r.kind == Kind::ItemModel) {
            check_ending(reference, report);
            if let Some((path, model)) = reference.target().and_then(|path| Some((path, facts.items.get(path)?))) {
                contents(path, model, reference.place.clone(), report);
                drawn(item, root, model, report);
            }
        }
    }
    worn(pack, facts, report);
}

/// I018 and I019.
fn keys(pack: &Pack, item: &Manifest, report: &mut Report) {
    if item.key == "none" {
        let message = "the tag [hold:none] takes every item off, so an item of this key can never be held";
        report.add(Finding::new(&code::I018, Place::file(item.folder()), message).hint(code::I018.remedy));
    }
    let is_long_form =
        |other: &&Manifest| item.key.strip_prefix(other.key.as_str()).is_some_and(|rest| rest.starts_with('-') && rest.len() > 1);
    if let Some(other) = pack.items().find(is_long_form) {
        let message = format!("\"{}\" looks like the long form of \"{}\", key and plugin", item.key, other.key);
        report.add(Finding::new(&code::I019, Place::file(item.folder()), message).hint(code::I019.remedy));
    }
}

/// I006, I007 and I009 to I011.
fn contents(path: &str, model: &ItemFacts, place: Place, report: &mut Report) {
    let mut add = |code: &'static crate::report::Code, message: String| {
        report.add(Finding::new(code, place.clone(), format!("{path}: {message}")).hint(code.remedy));
    };
    if model.meshes == 0 {
        add(&code::I006, "the model has no mesh".into());
    }
    for texture in &model.textures {
        let [width, height] = texture.size;
        match texture.format {
            Some("PNG" | "JPEG" | "WebP") => {}
            Some(format) => add(&code::I009, format!("texture {} is a {format}", texture.name)),
            None => add(&code::I009, format!("texture {} is of no format known here", texture.name)),
        }
        if width.max(height) > TEXTURE_SIDE {
            add(&code::I007, format!("texture {} has {width} x {height} pixels, {TEXTURE_SIDE} is allowed", texture.name));
        }
    }
    let mut rigid = Vec::new();
    if model.skins > 0 {
        rigid.push("a skin");
    }
    if model.animations > 0 {
        rigid.push("an animation");
    }
    if !rigid.is_empty() {
        add(&code::I010, format!("items are rigid; the model has {}, which is ignored", rigid.join(" and ")));
    }
    let pixels = pixels(model);
    if pixels > WORN_PIXELS {
        add(&code::I011, format!("its textures have {pixels} pixels together, she can wear {WORN_PIXELS}: she could never hold it"));
    }
    if model.has_data_uris {
        let mut finding = Finding::new(&code::I008, place.clone(), format!("{path}: data stands in it as a data: URI"));
        finding.severity = crate::report::Severity::Note;
        report.add(finding.hint("The build embeds it."));
    }
}

fn pixels(model: &ItemFacts) -> u64 {
    model.textures.iter().map(|texture| u64::from(texture.size[0]) * u64::from(texture.size[1])).sum()
}

/// I020 and I021: how large the item is on the reference body, and how far from its bone.
fn drawn(item: &Manifest, root: &Node, model: &ItemFacts, report: &mut Report) {
    let (Some(attach), Some([least, most])) = (root.get("attach"), model.bounds) else { return };
    let scale = match attach.get("scale") {
        None => 1.0,
        Some(node) => match node.as_f64().filter(|scale| (0.01..=100.0).contains(scale)) {
            Some(scale) => scale,
            None => return,
        },
    };
    let three = |key: &str| {
        let items = attach.list(key);
        let number = |at: usize| items.get(at).and_then(Node::as_f64).unwrap_or(0.0);
        DVec3::new(number(0), number(1), number(2))
    };
    let (least, most) = (DVec3::from_array(least), DVec3::from_array(most));
    let size = (most - least).max_element() * scale;
    let place = item.place(attach.get("scale").unwrap_or(attach));
    if !SANE.contains(&size) {
        let message = format!("the item is {size:.3} m large on the reference body");
        report.add(Finding::new(&code::I020, place.clone(), message).hint(code::I020.remedy));
        return;
    }
    let turn = three("rotation").to_array().map(f64::to_radians);
    let rotation = DMat3::from_euler(glam::EulerRot::XYZ, turn[0], turn[1], turn[2]);
    let center = rotation * ((least + most) / 2.0 * scale) + three("position");
    let gap = center.length() - (most - least).length() * scale / 2.0;
    if gap > 0.5 {
        let message = format!("the item is {gap:.2} m away from its bone");
        report.add(Finding::new(&code::I020, place, message).hint(code::I020.remedy));
    } else {
        let outside = (least.max(DVec3::ZERO) + most.min(DVec3::ZERO)).length();
        if outside > (most - least).length() {
            let message = format!("the origin of the model lies {outside:.2} m outside of its mesh");
            report.add(Finding::new(&code::I021, item.place(attach), message).hint(code::I021.remedy));
        }
    }
}

/// W001 and W002: what the pack's items ask for when she wears one on each bone.
fn worn(pack: &Pack, facts: &Facts, report: &mut Report) {
    struct Worn<'a> {
        item: &'a Manifest,
        bytes: u64,
        pixels: u64,
    }
    let mut bones: BTreeMap<&str, Vec<Worn<'_>>> = BTreeMap::new();
    for item in pack.items() {
        let Some(bone) = item.root.as_ref().and_then(|root| root.at(&["attach", "bone"])?.as_str()) else { continue };
        let reference = pack.references_of(item).find(|r| r.kind == Kind::ItemModel);
        let path = reference.and_then(|reference| reference.target());
        let bytes = path.and_then(|path| pack.tree.get(path)).map_or(0, |file| file.size);
        let pixels = path.and_then(|path| facts.items.get(path)).map_or(0, pixels);
        bones.entry(bone).or_default().push(Worn { item, bytes, pixels });
    }
    for (bone, worn) in bones.iter().filter(|(_, worn)| worn.len() > 1) {
        let keys: Vec<&str> = worn.iter().map(|worn| worn.item.key.as_str()).collect();
        for worn in &worn[1..] {
            let node = worn.item.root.as_ref().and_then(|root| root.at(&["attach", "bone"]));
            let place = node.map_or_else(|| worn.item.whole(), |node| worn.item.place(node));
            let message = format!("{} sit on {bone}: each replaces the other", spelling::list(keys.iter().copied(), 6));
            report.add(Finding::new(&code::W002, place, message).hint(code::W002.remedy));
        }
    }
    // One item for each bone; the heaviest of each is the most that can be asked for.
    let sum = |of: fn(&Worn<'_>) -> u64| bones.values().filter_map(|worn| worn.iter().map(of).max()).sum::<u64>();
    let (bytes, pixels) = (sum(|worn| worn.bytes), sum(|worn| worn.pixels));
    let mut why = Vec::new();
    if bones.len() > WORN_ITEMS {
        why.push(format!("{} items, {WORN_ITEMS} at a time", bones.len()));
    }
    if bytes > WORN_MEGABYTES * units::MEGA {
        why.push(format!("{} of models, {WORN_MEGABYTES} MB at a time", units::bytes(bytes)));
    }
    if pixels > WORN_PIXELS {
        why.push(format!("{pixels} texture pixels, {WORN_PIXELS} at a time"));
    }
    if !why.is_empty() {
        let message = format!("the pack's items cannot all be worn at once: {}", why.join("; "));
        report.add(Finding::new(&code::W001, Place::file("companion-items"), message).hint(code::W001.remedy));
    }
}
