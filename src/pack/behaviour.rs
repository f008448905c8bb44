//! The behaviour of a character: what it turns off or tunes, and its rules for words and tools.
//!
//! The format's document does not show the form of a rule. It is read as an object with a list (`phrases` or `when`) and a `reaction`; another
//! form is only a warning.

use super::manifest::Manifest;
use super::node::{Node, Type, Value};
use super::{Facts, Pack};
use crate::report::nearest::nearest;
use crate::report::{Code, Finding, Report, Severity, code};

/// What a phrase can make her do.
pub(super) const WORD_REACTIONS: [&str; 4] = ["smile", "browRaise", "glance", "soften"];
/// What a tool can make her do.
pub(super) const TOOL_REACTIONS: [&str; 3] = ["reading", "glanceAside", "aha"];

const MOST_RULES: usize = 30;
const MOST_ENTRIES: usize = 20;
const LONGEST_PHRASE: usize = 40;

/// A list of rules.
struct Rules {
    key: &'static str,
    entries: &'static str,
    reactions: &'static [&'static str],
    code: &'static Code,
}

const WORDS: Rules = Rules { key: "wordReactions", entries: "phrases", reactions: &WORD_REACTIONS, code: &code::B006 };
const TOOLS: Rules = Rules { key: "toolActivity", entries: "when", reactions: &TOOL_REACTIONS, code: &code::B007 };

/// B004 to B013.
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for character in pack.characters() {
        let Some(root) = &character.root else { continue };
        let Some(behaviour) = root.get("behaviour") else { continue };
        if let Some(behaviours) = character.typed(behaviour, "behaviours", Type::Object, report) {
            for member in behaviours.members() {
                engine(character, &member.key, &member.value, report);
                if !facts.words.behaviours.contains(&member.key) {
                    let known = facts.words.behaviours.iter().map(String::as_str);
                    let hint =
                        nearest(&member.key, known).map_or_else(|| code::B005.remedy.into(), |near| format!("Did you mean \"{near}\"?"));
                    let message = format!("the behaviour \"{}\" is not among those known here", member.key);
                    report.add(Finding::new(&code::B005, character.key_place(member), message).hint(hint));
                }
            }
        }
        for rules in [&WORDS, &TOOLS] {
            if let Some(list) = behaviour.get(rules.key) {
                of_list(pack, character, list, rules, report);
            }
        }
        let [words, tools] = [&WORDS, &TOOLS].map(|rules| rule_count(behaviour.get(rules.key)));
        if words <= MOST_RULES && tools <= MOST_RULES && words + tools > MOST_RULES {
            let message = format!("{} rules together, {MOST_RULES} are allowed", words + tools);
            let mut finding = Finding::new(&code::B010, character.place(behaviour), message).hint(code::B010.remedy);
            finding.severity = Severity::Warning;
            report.add(finding);
        }
        language(character, root, behaviour, report);
    }
}

/// B004: exactly one of the two forms.
fn engine(character: &Manifest, name: &str, node: &Node, report: &mut Report) {
    if node.value == Value::Null {
        character.is_typed(node, Type::Object, report);
        return;
    }
    let good = match node.members() {
        [member] if member.key == "enabled" => member.value.as_bool() == Some(false),
        [member] if member.key == "strength" => member.value.as_f64().is_some_and(|strength| (0.5..=1.5).contains(&strength)),
        _ => false,
    };
    if !good {
        // The value that is wrong, when there is one; else the whole.
        let inner =
            node.members().iter().find(|member| node.members().len() == 1 && ["enabled", "strength"].contains(&member.key.as_str()));
        let place = character.place(inner.map_or(node, |member| &member.value));
        let message = format!("{name} is neither {{ \"enabled\": false }} nor {{ \"strength\": 0.5 to 1.5 }}");
        report.add(Finding::new(&code::B004, place, message).hint(code::B004.remedy));
    }
}

fn rule_count(list: Option<&Node>) -> usize {
    list.map_or(0, |list| list.items().len().max(list.members().len()))
}

fn of_list(pack: &Pack, character: &Manifest, list: &Node, rules: &Rules, report: &mut Report) {
    let strange = |node: &Node, report: &mut Report| {
        let message = format!("{} is read as a list of {{ \"{}\": [...], \"reaction\": \"...\" }}", rules.key, rules.entries);
        let mut finding = Finding::new(rules.code, character.place(node), message);
        finding.severity = Severity::Warning;
        report.add(finding.hint("Whether the platform reads this form is not known."));
    };
    let count = rule_count(Some(list));
    if count > MOST_RULES {
        let message = format!("{} has {count} rules, {MOST_RULES} are allowed", rules.key);
        report.add(Finding::new(&code::B010, character.place(list), message).hint(code::B010.remedy));
    }
    match &list.value {
        Value::List(items) => {
            for item in items {
                match item.kind() {
                    Type::Object => one(pack, character, item, rules, report),
                    _ => strange(item, report),
                }
            }
        }
        Value::Object(members) => {
            // Reaction to phrases, or phrase to reaction.
            strange(list, report);
            for member in members {
                if let Some(word) = member.value.as_str() {
                    reaction(character, &member.value, word, rules, report);
                } else {
                    entries(pack, character, &member.value, rules, report);
                }
            }
        }
        _ => {
            character.is_typed(list, Type::List, report);
        }
    }
}

fn one(pack: &Pack, character: &Manifest, rule: &Node, rules: &Rules, report: &mut Report) {
    let known = [rules.entries, "reaction"];
    let missing: Vec<&str> = known.into_iter().filter(|key| rule.get(key).is_none()).collect();
    for member in rule.members() {
        let value = &member.value;
        if member.key == rules.entries {
            entries(pack, character, value, rules, report);
        } else if member.key == "reaction" {
            if character.is_typed(value, Type::String, report) {
                reaction(character, value, value.as_str().unwrap_or_default(), rules, report);
            }
        } else if missing.is_empty() {
            let message = format!("the key \"{}\" is not known in a rule of {}", member.key, rules.key);
            report.add(Finding::new(&code::B001, character.key_place(member), message).hint(code::B001.remedy));
        }
    }
    if !missing.is_empty() {
        // Perhaps a form that the platform reads and this tool does not know.
        let mut finding = Finding::new(rules.code, character.place(rule), format!("the rule has no {}", missing.join(" and no ")));
        finding.severity = Severity::Warning;
        report.add(finding.hint(rules.code.remedy));
    }
}

/// B006 and B007.
fn reaction(character: &Manifest, node: &Node, word: &str, rules: &Rules, report: &mut Report) {
    if !rules.reactions.contains(&word) {
        let hint = nearest(word, rules.reactions.iter().copied())
            .map_or_else(|| rules.code.remedy.into(), |near| format!("Did you mean \"{near}\"?"));
        let message = format!("there is no reaction \"{word}\" in {}; there are: {}", rules.key, rules.reactions.join(", "));
        report.add(Finding::new(rules.code, character.place(node), message).hint(hint));
    }
}

/// B008, B009, B011 and B012.
fn entries(pack: &Pack, character: &Manifest, node: &Node, rules: &Rules, report: &mut Report) {
    let single = std::slice::from_ref(node);
    let items = match node.kind() {
        Type::List => node.items(),
        // One entry without its list.
        Type::String => single,
        _ => {
            character.is_typed(node, Type::List, report);
            return;
        }
    };
    if items.len() > MOST_ENTRIES {
        let message = format!("{} has {} entries, {MOST_ENTRIES} are allowed", rules.entries, items.len());
        report.add(Finding::new(&code::B011, character.place(node), message).hint(code::B011.remedy));
    }
    for item in items {
        if !character.is_typed(item, Type::String, report) {
            continue;
        }
        let text = item.as_str().unwrap_or_default();
        if rules.entries == WORDS.entries {
            let length = text.encode_utf16().count();
            if length > LONGEST_PHRASE || text.trim().is_empty() {
                let message = format!("the phrase has {length} characters, 1 to {LONGEST_PHRASE} are allowed");
                report.add(Finding::new(&code::B012, character.place(item), message).hint(code::B012.remedy));
            }
        } else {
            tool(pack, character, item, text, report);
        }
    }
}

fn tool(pack: &Pack, character: &Manifest, node: &Node, text: &str, report: &mut Report) {
    let named = |start: &str| text.strip_prefix(start).filter(|name| !name.trim().is_empty());
    if named("builtin:").is_some() || ["agent.delegated", "agent.reported"].contains(&text) {
        return;
    }
    let Some(key) = named("tool:") else {
        let message = format!("\"{text}\" is no tool: builtin:<id>, tool:<key>, agent.delegated and agent.reported are");
        let hint = nearest(text, ["agent.delegated", "agent.reported"])
            .map_or_else(|| code::B008.remedy.into(), |near| format!("Did you mean \"{near}\"?"));
        report.add(Finding::new(&code::B008, character.place(node), message).hint(hint));
        return;
    };
    let tools: Vec<&str> = tools(pack).collect();
    if !tools.contains(&key) {
        let mut finding = Finding::new(&code::B009, character.place(node), format!("there is no tool \"{key}\" in this package"));
        finding = match nearest(key, tools.iter().copied()) {
            Some(near) => finding.hint(format!("Did you mean \"tool:{near}\"?")),
            None => finding.hint(code::B009.remedy),
        };
        if tools.is_empty() {
            finding.severity = Severity::Warning;
        }
        report.add(finding);
    }
}

/// The keys of the tools that lie in the same package: the folders in a folder of tools.
fn tools(pack: &Pack) -> impl Iterator<Item = &str> {
    let of_tools = pack.tree.folders("").filter(|folder| folder.split('-').any(|word| word == "tools" || word == "tool"));
    of_tools.flat_map(|folder| pack.tree.folders(folder))
}

/// B013: a text in another language than English, with no words of its own.
fn language(character: &Manifest, root: &Node, behaviour: &Node, report: &mut Report) {
    let texts = ["soul", "instructions"].into_iter().filter_map(|key| root.get(key)?.as_str());
    let (mut letters, mut foreign) = (0, 0);
    for c in texts.flat_map(str::chars).filter(|c| c.is_alphabetic()) {
        letters += 1;
        foreign += usize::from(!c.is_ascii());
    }
    let is_foreign = letters > 0 && foreign * 20 > letters;
    if is_foreign && behaviour.list(WORDS.key).is_empty() {
        let message = "the texts do not look English, and the default lists of words are";
        report.add(Finding::new(&code::B013, character.place(behaviour), message).hint(code::B013.remedy));
    }
}
