//! The motions of a model, as its manifest gives them.

use super::content::check_ending;
use super::manifest::Manifest;
use super::model::body;
use super::node::{Node, Type};
use super::references::Kind;
use super::shape::Body;
use super::{Facts, Pack, format};
use crate::report::nearest::nearest;
use crate::report::{Finding, Report, Severity, code};
use crate::spelling;
use std::collections::{BTreeMap, BTreeSet};

/// The roles that every look must have a motion for.
const NEEDED: [&str; 3] = ["idle", "talkIdle", "gesture"];
/// Roles that move parts of the body that a humanoid has not.
pub(super) const PARTS: [&str; 2] = ["partsIdle", "partsGesture"];
/// Cues that make a motion an idle habit.
const HABITS: [&str; 4] = ["stretching", "yawning", "humming", "looking-around"];
/// The cue that makes a motion her greeting.
const GREETING: &str = "waving";

/// N001, N003, N004, N006 to N008, N010, N012, N016, N018, N019, N022, N032 to N035, N040 and N041.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = &model.root else { continue };
        let motions = root.list("motions");
        let is_list = root.get("motions").map_or_else(|| !format::MODEL.is_misspelled(root, "motions"), |node| node.kind() == Type::List);
        if is_list {
            roles_given(model, root, motions, report);
        }
        counts(model, root, motions, report);
        ids(pack, model, motions, report);
        for motion in motions {
            roles(model, motion, body(model), report);
            cues(model, motion, facts, report);
        }
        descriptions(model, motions, report);
        advice(model, root, motions, report);
        pack.references_of(model)
            .filter(|r| r.kind == Kind::Clip && body(model) != Some(Body::Live2d))
            .for_each(|r| check_ending(r, report));
    }
}

/// The texts of a list of a motion.
pub(super) fn texts<'a>(motion: &'a Node, key: &str) -> impl Iterator<Item = &'a str> {
    motion.list(key).iter().filter_map(Node::as_str)
}

/// True when a motion has the role.
pub fn has_role(motion: &Node, role: &str) -> bool {
    texts(motion, "roles").any(|r| r == role)
}

/// True when what stands in place of a motion's roles may mean this one: that it cannot be read has its own finding (N015, N017, P014).
fn may_mean(motion: &Node, role: &str) -> bool {
    let known = || format::ROLES.iter().copied();
    let roles = motion.list("roles");
    roles.is_empty()
        || roles.iter().any(|given| match given.as_str() {
            Some(given) => known().all(|known| known != given) && nearest(given, known()).is_none_or(|near| near == role),
            None => true,
        })
}

/// N001.
fn roles_given(model: &Manifest, root: &Node, motions: &[Node], report: &mut Report) {
    let is_given = |role: &&str| motions.iter().any(|motion| has_role(motion, role) || may_mean(motion, role));
    let missing: Vec<&str> = NEEDED.into_iter().filter(|role| !is_given(role)).collect();
    if !missing.is_empty() {
        let place = root.get("motions").map_or_else(|| model.missing_place(root, "motions"), |node| model.place(node));
        let message = format!("no motion has the role {}", missing.join(", none the role "));
        report.add(Finding::new(&code::N001, place, message).hint(code::N001.remedy));
    }
}

/// N003 and N004: each motion counts for each of its roles.
fn counts(model: &Manifest, root: &Node, motions: &[Node], report: &mut Report) {
    for (role, most, code) in [("gesture", format::MOST_GESTURES, &code::N003), ("partsGesture", 10, &code::N004)] {
        let count = motions.iter().filter(|motion| has_role(motion, role)).count();
        if let Some(node) = root.get("motions").filter(|_| count > most) {
            let message = format!("{count} motions have the role {role}, {most} are allowed");
            report.add(Finding::new(code, model.place(node), message).hint(code.remedy));
        }
    }
}

/// N006 to N008 and N012.
fn ids(pack: &Pack, model: &Manifest, motions: &[Node], report: &mut Report) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut folded: BTreeMap<String, &str> = BTreeMap::new();
    for (index, motion) in motions.iter().enumerate() {
        let Some(node) = motion.get("id") else { continue };
        if !model.is_typed(node, Type::String, report) {
            continue;
        }
        let id = node.as_str().unwrap_or_default();
        if id.trim().is_empty() {
            report.add(Finding::new(&code::N006, model.place(node), "the id is empty").hint(code::N006.remedy));
            continue;
        }
        if let Some(first) = seen.insert(id, index) {
            let message = format!("the id \"{id}\" is already that of motion {first}");
            report.add(Finding::new(&code::N007, model.place(node), message).hint(code::N007.remedy));
        } else if let Some(other) = folded.insert(spelling::fold(id), id) {
            let mut finding = Finding::new(
                &code::N007,
                model.place(node),
                format!("\"{id}\" and \"{other}\" differ {}", spelling::difference(id, other)),
            );
            finding.severity = Severity::Warning;
            report.add(finding.hint(code::N007.remedy));
        }
        if id.starts_with("file:") {
            if body(model) == Some(Body::Live2d) {
                let message = format!("\"{id}\": a Live2D look plays only the motions of its own zip");
                report.add(Finding::new(&code::N012, model.place(node), message).hint(code::N012.remedy));
            }
            continue;
        }
        if id.starts_with("avatar:") {
            continue;
        }
        let message = match id.strip_prefix("library:") {
            Some(_) => format!("\"{id}\": library ids are refused"),
            None => format!("the id \"{id}\" does not start with file: or avatar:"),
        };
        let hint = match pack.tree.get(&format!("{}/{id}", model.folder())) {
            Some(_) => format!("Write \"file:{id}\"."),
            None => code::N008.remedy.into(),
        };
        report.add(Finding::new(&code::N008, model.place(node), message).hint(hint));
    }
}

/// N016, N018 and N019.
fn roles(model: &Manifest, motion: &Node, body: Option<Body>, report: &mut Report) {
    let mut seen = BTreeSet::new();
    for node in motion.list("roles") {
        let Some(role) = node.as_str() else { continue };
        if !seen.insert(role) {
            let message = format!("the role {role} is given twice");
            report.add(Finding::new(&code::N016, model.place(node), message).hint(code::N016.remedy));
        } else if body == Some(Body::Live2d) && format::ROLES_3D.contains(&role) {
            let message = format!("the role {role} does not apply to a Live2D look");
            report.add(Finding::new(&code::N018, model.place(node), message).hint(code::N018.remedy));
        }
    }
    let (parts, other): (Vec<&str>, Vec<&str>) = seen.into_iter().partition(|role| PARTS.contains(role));
    if let (Some(parts), Some(other), Some(node)) = (parts.first(), other.first(), motion.get("roles")) {
        let message = format!("{parts} moves extra parts and {other} the body: one clip can hardly do both");
        report.add(Finding::new(&code::N019, model.place(node), message).hint(code::N019.remedy));
    }
}

/// N032 to N034.
fn cues(model: &Manifest, motion: &Node, facts: &Facts, report: &mut Report) {
    let known = &facts.words.cues;
    let mut seen = BTreeSet::new();
    for node in motion.list("cues") {
        let Some(cue) = node.as_str() else { continue };
        if !seen.insert(cue) {
            let message = format!("the cue {cue} is given twice");
            report.add(Finding::new(&code::N033, model.place(node), message).hint(code::N033.remedy));
            continue;
        }
        if known.contains(cue) {
            let what = if HABITS.contains(&cue) {
                "an idle habit: it plays when she is idle for a long while"
            } else if cue == GREETING {
                "her greeting"
            } else {
                continue;
            };
            report.add(
                Finding::new(&code::N034, model.place(node), format!("the cue {cue} makes the motion {what}")).hint(code::N034.remedy),
            );
            continue;
        }
        let mut finding = Finding::new(&code::N032, model.place(node), format!("the cue \"{cue}\" is not among the words known here"));
        if let Some(right) = meant(cue, known) {
            finding = finding.hint(format!("Did you mean \"{right}\"?"));
        } else if is_cue(cue) {
            finding.severity = Severity::Warning;
            finding = finding
                .hint("The platform refuses cues that it does not know. If it takes this one, add it to [cues] extra in pipeline.toml.");
        } else {
            finding = finding.hint(code::N032.remedy);
        }
        report.add(finding);
    }
}

/// `^[a-z]+(-[a-z]+)*$`
fn is_cue(cue: &str) -> bool {
    cue.split('-').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()))
}

/// The known word of which a cue is a slip (at most two letters, or the case) or another form (`laugh`, `surprise`, `happily`, `look-around`).
fn meant<'a>(cue: &str, known: &'a BTreeSet<String>) -> Option<&'a str> {
    let words = || known.iter().map(String::as_str);
    let lower = cue.to_lowercase().replace(['_', ' '], "-");
    if let Some(same) = words().find(|word| *word == lower) {
        return Some(same);
    }
    let stem = |word: &str| -> String {
        let word: String = word.chars().filter(|c| c.is_alphabetic()).collect();
        let cut = ["ingly", "ing", "ily", "edly", "ed", "ly", "er", "ness", "es", "s", "e", "y"];
        let end = cut.iter().find(|end| word.len() > end.len() + 2 && word.ends_with(*end));
        let stem = word.strip_suffix(end.copied().unwrap_or_default()).unwrap_or(&word);
        // gratefull, sadder: a doubled letter at the end is the ending's.
        let mut letters: Vec<char> = stem.chars().collect();
        let last = letters.len().saturating_sub(2);
        if letters.len() > 3 && letters[last] == letters[last + 1] {
            letters.pop();
        }
        letters.into_iter().map(|c| if c == 'i' { 'y' } else { c }).collect()
    };
    let joined = |word: &str| word.split('-').map(&stem).collect::<String>();
    if let Some(form) = words().find(|word| joined(word) == joined(&lower)) {
        return Some(form);
    }
    let near = words().map(|word| (spelling::distance(&lower, word), word)).filter(|(d, word)| *d <= 2 && word.chars().count() > 3);
    near.min().map(|(_, word)| word)
}

/// N022.
fn descriptions(model: &Manifest, motions: &[Node], report: &mut Report) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, motion) in motions.iter().enumerate() {
        let text = |key: &str| motion.get(key).and_then(Node::as_str).map(str::trim);
        let (Some(node), Some(description)) = (motion.get("description"), text("description").filter(|text| !text.is_empty())) else {
            continue;
        };
        let message = if text("name").is_some_and(|name| name.eq_ignore_ascii_case(description)) {
            "the description only repeats the name".into()
        } else if let Some(first) = seen.insert(description, index) {
            format!("the description is that of motion {first} too")
        } else {
            continue;
        };
        report.add(Finding::new(&code::N022, model.place(node), message).hint(code::N022.remedy));
    }
}

/// N035, N040 and N041: what a fuller look has.
fn advice(model: &Manifest, root: &Node, motions: &[Node], report: &mut Report) {
    let Some(node) = root.get("motions").filter(|_| !motions.is_empty()) else { return };
    let missing: Vec<&str> =
        ["listen", "think", "reaction"].into_iter().filter(|role| !motions.iter().any(|m| has_role(m, role))).collect();
    if !missing.is_empty() {
        let message = format!("no motion has the role {}: she keeps her idle then", spelling::list(missing, 3));
        report.add(Finding::new(&code::N040, model.place(node), message).hint(code::N040.remedy));
    }
    let has_cue = |cue: &str| motions.iter().any(|motion| texts(motion, "cues").any(|c| c == cue));
    let mut wanted = Vec::new();
    if !HABITS.iter().any(|habit| has_cue(habit)) {
        wanted.push("an idle habit");
    }
    if !has_cue(GREETING) {
        wanted.push("a greeting");
    }
    if !motions.iter().any(|motion| has_role(motion, "postureShift") || has_role(motion, "leanIn")) {
        wanted.push("a shift of posture");
    }
    if !wanted.is_empty() {
        let message = format!("the look could also have {}", spelling::list(wanted, 3));
        report.add(Finding::new(&code::N041, model.place(node), message).hint(code::N041.remedy));
    }
    let loops: Vec<&Node> = motions.iter().filter(|motion| has_role(motion, "talkIdle")).collect();
    let cued = loops.iter().any(|motion| texts(motion, "cues").next().is_some());
    if loops.len() > 1 && !cued {
        let message = "several motions have the role talkIdle and none has a cue: nothing tells the calm one from the lively one";
        report.add(Finding::new(&code::N035, model.place(loops[0]), message).hint(code::N035.remedy));
    }
}
