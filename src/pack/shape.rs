//! What a manifest may hold, as one table that both the check and the schemas for editors are made of.

use super::manifest::Manifest;
use super::node::{Node, Type, Value};
use crate::report::nearest::nearest;
use crate::report::{Code, Finding, Report, Severity};
use crate::spelling;
use std::ops::RangeInclusive;

/// What an avatar is, as far as its manifest tells: by the ending of its file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// A VRM.
    Vrm,
    /// A plain GLB.
    Glb,
    /// A Live2D model in a zip.
    Live2d,
}

/// What a value may be.
#[derive(Debug)]
pub enum Shape {
    /// A text of so many UTF-16 units, not blank when at least one is wanted.
    Text(RangeInclusive<usize>, &'static Code),
    /// A text of the form of every key: 1 to 40 characters out of a-z, 0-9 and the hyphen.
    Key(&'static Code),
    /// One of these texts.
    Word(&'static [&'static str], &'static Code),
    /// A number in a range, its ends included.
    Number(f64, f64, &'static Code),
    /// `true` or `false`; the code also speaks of another type.
    Boolean(&'static Code),
    /// A list of exactly so many numbers, each in a range; the code also speaks of another type.
    Numbers(usize, f64, f64, &'static Code),
    /// A list of so many items.
    List(&'static Shape, RangeInclusive<usize>, &'static Code),
    /// The same; the second code speaks of another type.
    TypedList(&'static Shape, RangeInclusive<usize>, &'static Code, &'static Code),
    /// An object with these members and no others.
    Object(&'static Object),
    /// What a rule in code judges, with its JSON Schema.
    Judged(fn() -> serde_json::Value),
}

/// The members of an object.
#[derive(Debug)]
pub struct Object {
    /// All that may be given.
    pub fields: &'static [Field],
    /// The rule that an unknown key breaks.
    pub unknown: &'static Code,
    /// Keys that have a rule of their own against them: the rule, and why.
    pub gone: &'static [(&'static str, &'static Code, &'static str)],
}

impl Object {
    /// True when an unknown member has a name that looks like this one: the unknown name is the fault, not that the right one is missing.
    pub fn is_misspelled(&self, node: &Node, key: &str) -> bool {
        let known = || self.fields.iter().map(|field| field.key);
        node.members().iter().any(|member| known().all(|known| known != member.key) && nearest(&member.key, known()) == Some(key))
    }
}

/// What happens when a member is not given.
#[derive(Debug)]
pub enum Absent {
    /// Nothing.
    Fine,
    /// The rule is broken.
    Breaks(&'static Code),
    /// The rule may be broken: the format does not say.
    Warns(&'static Code),
}

/// A member of an object.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub key: &'static str,
    /// Whether it must be given.
    pub absent: Absent,
    /// What it may be.
    pub shape: Shape,
    /// The kinds of avatar for which it must not be given, each with the rule that says so.
    pub refused: &'static [(Body, &'static Code)],
    /// For people who write it, in an editor.
    pub about: &'static str,
}

impl Field {
    /// A member that may be left out.
    pub const fn optional(key: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { key, absent: Absent::Fine, shape, refused: &[], about }
    }

    /// A member that must be given, else the rule `code` is broken.
    pub const fn required(key: &'static str, code: &'static Code, shape: Shape, about: &'static str) -> Self {
        Self { key, absent: Absent::Breaks(code), shape, refused: &[], about }
    }

    /// The same, refused for some kinds of avatar.
    pub const fn refused(mut self, refused: &'static [(Body, &'static Code)]) -> Self {
        self.refused = refused;
        self
    }
}

/// Judges a whole manifest by its table. `body` is what its avatar is, for a `model.json` that says so.
pub fn check(manifest: &Manifest, object: &Object, body: Option<Body>, report: &mut Report) {
    if let Some(root) = &manifest.root {
        Check { manifest, body, report }.object(root, object);
    }
}

struct Check<'a> {
    manifest: &'a Manifest,
    body: Option<Body>,
    report: &'a mut Report,
}

impl Check<'_> {
    fn add(&mut self, code: &'static Code, node: &Node, message: String) {
        self.report.add(Finding::new(code, self.manifest.place(node), message).hint(code.remedy));
    }

    fn object(&mut self, node: &Node, object: &Object) {
        let mut seen = std::collections::BTreeSet::new();
        for member in node.members() {
            // Of a key that is given twice (P012) the last one counts.
            let is_last = node.member(&member.key).is_some_and(|last| std::ptr::eq(last, member));
            let field = object.fields.iter().find(|field| field.key == member.key);
            let Some(field) = field else {
                if seen.insert(&member.key) {
                    self.unknown(member, object);
                }
                continue;
            };
            let refused = field.refused.iter().find(|(body, _)| Some(*body) == self.body);
            if let Some((_, code)) = refused {
                let place = self.manifest.key_place(member);
                let message = format!("{} does not go with {}", member.key, body_words(self.body));
                self.report.add(Finding::new(code, place, message).hint(format!("Remove \"{}\".", member.key)));
            } else if is_last {
                self.value(&member.key, &member.value, &field.shape);
            }
        }
        for field in object.fields.iter().filter(|field| node.get(field.key).is_none() && !object.is_misspelled(node, field.key)) {
            let (code, severity) = match field.absent {
                Absent::Fine => continue,
                Absent::Breaks(code) => (code, code.severity()),
                Absent::Warns(code) => (code, Severity::Warning),
            };
            let place = self.manifest.missing_place(node, field.key);
            let mut finding = Finding::new(code, place, format!("{} is missing", field.key)).hint(code.remedy);
            finding.severity = severity;
            self.report.add(finding);
        }
    }

    fn unknown(&mut self, member: &super::node::Member, object: &Object) {
        let place = self.manifest.key_place(member);
        let key = &member.key;
        if let Some((_, code, why)) = object.gone.iter().find(|(gone, ..)| gone == key) {
            return self.report.add(Finding::new(code, place, (*why).to_owned()).hint(code.remedy));
        }
        let known = object.fields.iter().map(|field| field.key);
        let hint = match nearest(key, known.clone()) {
            Some(near) => format!("Did you mean \"{near}\"?"),
            None => format!("Remove it. What may stand here: {}.", spelling::list(known, 20)),
        };
        self.report.add(Finding::new(object.unknown, place, format!("the key \"{key}\" is not known here")).hint(hint));
    }

    /// One value; `name` is what messages call it.
    fn value(&mut self, name: &str, node: &Node, shape: &Shape) {
        // null is no value at all, whatever is wanted (P014).
        if node.value == Value::Null && !matches!(shape, Shape::Judged(_)) {
            self.manifest.is_typed(node, wanted(shape), self.report);
            return;
        }
        match shape {
            Shape::Text(length, code) => self.text(name, node, length, code),
            Shape::Key(code) => {
                if let Some(key) = self.string(node)
                    && !spelling::is_key(key)
                {
                    let message = format!("{name} is \"{key}\", which is not 1 to 40 characters out of a-z, 0-9 and -");
                    let finding = Finding::new(code, self.manifest.place(node), message);
                    self.report.add(finding.hint(format!("Write \"{}\".", spelling::slug(key))));
                }
            }
            Shape::Word(words, code) => {
                if let Some(word) = self.string(node)
                    && !words.contains(&word)
                {
                    let hint =
                        nearest(word, words.iter().copied()).map_or_else(|| code.remedy.into(), |near| format!("Did you mean \"{near}\"?"));
                    let message = format!("{name} is \"{word}\", which is none of: {}", words.join(", "));
                    self.report.add(Finding::new(code, self.manifest.place(node), message).hint(hint));
                }
            }
            Shape::Number(least, most, code) => {
                if self.manifest.is_typed(node, Type::Number, self.report) {
                    self.number(name, node, *least, *most, code);
                }
            }
            Shape::Boolean(code) => {
                if node.kind() != Type::Boolean {
                    self.add(code, node, format!("{name} is true or false, not {}", node.kind().words()));
                }
            }
            Shape::Numbers(count, least, most, code) => {
                let items = node.items();
                if node.kind() != Type::List || items.len() != *count {
                    let found = if node.kind() == Type::List { format!("a list of {}", items.len()) } else { node.kind().words().into() };
                    self.add(code, node, format!("{name} wants a list of {count} numbers, found {found}"));
                } else {
                    for item in items {
                        if item.kind() != Type::Number {
                            self.add(code, item, format!("{name} wants {count} numbers, one of them is {}", item.kind().words()));
                        }
                        self.number(name, item, *least, *most, code);
                    }
                }
            }
            Shape::List(of, count, code) => {
                if self.manifest.is_typed(node, Type::List, self.report) {
                    self.list(name, node, of, count, code);
                }
            }
            Shape::TypedList(of, count, code, typed) => {
                if node.kind() == Type::List {
                    self.list(name, node, of, count, code);
                } else {
                    self.add(typed, node, format!("{name} is a list, not {}", node.kind().words()));
                }
            }
            Shape::Object(object) => {
                if self.manifest.is_typed(node, Type::Object, self.report) {
                    self.object(node, object);
                }
            }
            Shape::Judged(_) => {}
        }
    }

    fn string<'n>(&mut self, node: &'n Node) -> Option<&'n str> {
        self.manifest.is_typed(node, Type::String, self.report).then(|| node.as_str()).flatten()
    }

    fn text(&mut self, name: &str, node: &Node, allowed: &RangeInclusive<usize>, code: &'static Code) {
        let Some(text) = self.string(node) else { return };
        let (least, most) = (*allowed.start(), *allowed.end());
        let length = text.encode_utf16().count();
        if least > 0 && text.trim().is_empty() {
            self.add(code, node, format!("{name} is empty"));
        } else if !allowed.contains(&length) {
            self.add(code, node, format!("{name} has {length} characters, {} are allowed", span(least, most)));
        }
    }

    fn number(&mut self, name: &str, node: &Node, least: f64, most: f64, code: &'static Code) {
        // What is out of every range has its own rule (P015).
        if let Some(number) = node.as_f64().filter(|number| number.is_finite())
            && !(least..=most).contains(&number)
        {
            let written = self.manifest.text.get(node.range.clone()).unwrap_or_default();
            self.add(code, node, format!("{name} is {written}, {least} to {most} is allowed"));
        }
    }

    fn list(&mut self, name: &str, node: &Node, of: &Shape, count: &RangeInclusive<usize>, code: &'static Code) {
        let items = node.items();
        if !count.contains(&items.len()) {
            let (least, most) = (count.start(), count.end());
            let allowed = span(*least, *most);
            self.add(code, node, format!("{name} has {} entries, {allowed} are allowed", items.len()));
        }
        let entry = format!("an entry of {name}");
        for item in items {
            self.value(&entry, item, of);
        }
    }
}

/// How many may be, in words.
fn span(least: usize, most: usize) -> String {
    if least == 0 { format!("at most {most}") } else { format!("{least} to {most}") }
}

fn body_words(body: Option<Body>) -> &'static str {
    match body {
        Some(Body::Live2d) => "a Live2D look",
        Some(Body::Vrm) => "a VRM",
        _ => "this avatar",
    }
}

/// The type that is asked for where null stands.
fn wanted(shape: &Shape) -> Type {
    match shape {
        Shape::Text(..) | Shape::Key(_) | Shape::Word(..) => Type::String,
        Shape::Number(..) => Type::Number,
        Shape::Boolean(_) => Type::Boolean,
        Shape::Numbers(..) | Shape::List(..) | Shape::TypedList(..) => Type::List,
        Shape::Object(_) | Shape::Judged(_) => Type::Object,
    }
}
