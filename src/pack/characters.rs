//! Characters: their look, lines, voice, and the tags that they mention.

use super::format::CHARACTER;
use super::manifest::{Kind, Manifest};
use super::model::body;
use super::node::{Node, Type, Value};
use super::shape::Body;
use super::{Facts, Pack, shape};
use crate::report::nearest::nearest;
use crate::report::{Finding, Report, Severity, code};
use crate::spelling;
use std::collections::BTreeSet;

/// Providers of voices whose ids belong to certain models.
const BY_MODEL: &str = "openai-compatible";
/// Of these a voice id works on any model.
const ANY_MODEL: [&str; 3] = ["elevenlabs", "fish-audio", "deepgram"];

/// H001 to H017 and H019, H020; V001 to V010.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for character in pack.characters() {
        let Some(root) = &character.root else { continue };
        shape::check(character, &CHARACTER, None, report);
        let model = look(pack, character, root, facts, report);
        fillers(character, root, report);
        voices(character, root, facts, report);
        if let Some(model) = model {
            let pacing = root.at(&["behaviour", "behaviours"]).and_then(|behaviours| behaviours.member("pacing"));
            if let Some(pacing) = pacing.filter(|_| body(model) == Some(Body::Live2d)) {
                let message = "a Live2D look never paces, so this has no effect";
                report.add(Finding::new(&code::H019, character.key_place(pacing), message).hint(code::H019.remedy));
            }
            tags(pack, character, root, model, report);
        }
    }
}

/// H008 to H010. The model that is meant, when it is one of the pack's.
fn look<'p>(pack: &'p Pack, character: &Manifest, root: &Node, facts: &Facts, report: &mut Report) -> Option<&'p Manifest> {
    let node = root.get("look")?;
    match &node.value {
        Value::Null => {
            character.is_typed(node, Type::String, report);
            None
        }
        Value::String(key) => {
            let model = pack.models().find(|model| model.key == *key);
            if model.is_none() && !is_misplaced(pack, key) {
                let looks = || pack.models().map(|model| model.key.as_str());
                let message = format!("there is no look \"{key}\"; the pack has: {}", spelling::list(looks(), 10));
                let hint = nearest(key, looks()).map_or_else(|| code::H009.remedy.into(), |near| format!("Write \"{near}\"."));
                report.add(Finding::new(&code::H009, character.place(node), message).hint(hint));
            }
            model
        }
        Value::Object(members) => {
            let stranger = members.iter().find(|member| member.key != "builtIn");
            if let Some(member) = stranger {
                let message = format!("a look is a key or {{ \"builtIn\": \"...\" }}; the key \"{}\" is not known here", member.key);
                report.add(Finding::new(&code::H008, character.key_place(member), message).hint(code::H008.remedy));
            }
            match node.get("builtIn") {
                None if stranger.is_some() => {}
                Some(key) if key.as_str().is_some_and(|key| !key.trim().is_empty()) => {
                    let word = key.as_str().unwrap_or_default();
                    if !facts.words.looks.contains(word) {
                        let message = format!("whether there is a built-in look \"{word}\" is not known here");
                        let mut finding = Finding::new(&code::H010, character.place(key), message);
                        finding.severity = Severity::Note;
                        report.add(finding.hint("If there is, add it to [looks] extra in pipeline.toml."));
                    }
                }
                given => {
                    let place = given.map_or_else(|| character.missing_place(node, "builtIn"), |key| character.place(key));
                    report.add(Finding::new(&code::H010, place, "builtIn names a built-in look").hint(code::H010.remedy));
                }
            }
            None
        }
        _ => {
            let message = format!("a look is a key or {{ \"builtIn\": \"...\" }}, not {}", node.kind().words());
            report.add(Finding::new(&code::H008, character.place(node), message).hint(code::H008.remedy));
            None
        }
    }
}

/// H013 and H016.
fn fillers(character: &Manifest, root: &Node, report: &mut Report) {
    let mut seen = BTreeSet::new();
    for filler in root.list("fillers") {
        if let Some(node) = filler.get("key")
            && let Some(key) = node.as_str()
            && !seen.insert(key)
        {
            let message = format!("two fillers have the key \"{key}\"");
            report.add(Finding::new(&code::H013, character.place(node), message).hint(code::H013.remedy));
        }
        let is_thinking = filler.get("purpose").and_then(Node::as_str) == Some("thinking");
        if let Some(node) = filler.get("text").filter(|_| is_thinking)
            && let Some(text) = node.as_str()
            && text.split_whitespace().count() > 2
        {
            let message = format!("\"{text}\" says something before she knows the answer");
            report.add(Finding::new(&code::H016, character.place(node), message).hint(code::H016.remedy));
        }
    }
}

/// V004, V006 and V010.
fn voices(character: &Manifest, root: &Node, facts: &Facts, report: &mut Report) {
    let mut seen = BTreeSet::new();
    for suggestion in root.at(&["voice", "suggestions"]).map_or(&[][..], Node::items) {
        let Some(node) = suggestion.get("provider") else { continue };
        let Some(provider) = node.as_str().filter(|provider| !provider.trim().is_empty()) else { continue };
        if !seen.insert(provider) {
            let message = format!("{provider} is suggested twice");
            report.add(Finding::new(&code::V004, character.place(node), message).hint(code::V004.remedy));
        }
        let known = &facts.words.providers;
        if !known.contains(provider) {
            let mut finding =
                Finding::new(&code::V006, character.place(node), format!("the provider \"{provider}\" is not among those known here"));
            let near = known.iter().map(|word| (spelling::distance(provider, word), word)).filter(|(distance, _)| *distance <= 2).min();
            if let Some((_, near)) = near {
                finding = finding.hint(format!("Did you mean \"{near}\"?"));
            } else {
                finding.severity = Severity::Warning;
                finding = finding.hint("If it is the kindId of a plugin's provider, add it to [voices] extra in pipeline.toml.");
            }
            report.add(finding);
        }
        let is_by_model = provider == BY_MODEL || !known.contains(provider) && !ANY_MODEL.contains(&provider);
        if is_by_model && suggestion.list("models").is_empty() && suggestion.get("models").is_none_or(|node| node.kind() == Type::List) {
            let message = format!("a voice of {provider} belongs to certain models; without them the suggestion never applies");
            report.add(Finding::new(&code::V010, character.place(suggestion), message).hint(code::V010.remedy));
        }
    }
}

/// H020: what soul and instructions ask of the look that it has not.
fn tags(pack: &Pack, character: &Manifest, root: &Node, model: &Manifest, report: &mut Report) {
    let outfits: Vec<String> = (model.root.iter().flat_map(|root| root.list("outfits")))
        .filter_map(|outfit| outfit.get("key")?.as_str().map(str::to_lowercase))
        .collect();
    let walks = model
        .root
        .iter()
        .flat_map(|root| root.list("motions"))
        .any(|motion| motion.list("roles").iter().any(|r| r.as_str() == Some("walk")));
    for key in ["soul", "instructions"] {
        let Some((node, text)) = root.get(key).and_then(|node| Some((node, node.as_str()?))) else { continue };
        let mut done = BTreeSet::new();
        for tag in text.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(tag, _)| tag.to_lowercase()) {
            let Some((what, value)) = tag.split_once(':') else { continue };
            let missing = match what {
                "outfit" if !outfits.iter().any(|outfit| outfit == value) => format!("the look has no outfit \"{value}\""),
                // An item may come from another pack; a pack with items of its own likely means one of these.
                "hold" if value != "none" && pack.items().next().is_some() && !pack.items().any(|item| item.key == value) => {
                    format!("the pack has no item \"{value}\"")
                }
                "pace" if !walks => "the look has no motion with the role walk".into(),
                _ => continue,
            };
            if done.insert(tag.clone()) && value.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_') {
                let message = format!("{key} mentions [{tag}], but {missing}");
                report.add(Finding::new(&code::H020, character.place(node), message).hint(code::H020.remedy));
            }
        }
    }
}

/// True when there is a look of this key that is not where or what it should be, which has its own rules (P003, P008).
fn is_misplaced(pack: &Pack, key: &str) -> bool {
    let manifest = format!("/{key}/{}", Kind::Model.file_name());
    pack.tree.files().any(|(path, _)| {
        let mut steps = path.split('/');
        let is_near = steps.next().is_some_and(|top| spelling::distance(top, Kind::Model.folder()) <= 2);
        is_near && steps.any(|step| step == key) || path.ends_with(&manifest)
    })
}
