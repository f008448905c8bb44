//! A manifest as it was written: its values, and where each of them stands in the text.

use super::node::{Member, Node, Type, Value, read};
use crate::report::locate::{escape, line_column};
use crate::report::{Code, Finding, Place, Report, code};
use std::ops::RangeInclusive;

/// The largest text that is read as a manifest, in bytes. The format allows 64 KB.
const LARGEST: usize = 1 << 20;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Which of the three manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `companion-models/<key>/model.json`.
    Model,
    /// `companion-characters/<key>/character.json`.
    Character,
    /// `companion-items/<key>/item.json`.
    Item,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Model, Self::Character, Self::Item];

    /// The folder at the root of the pack.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Model => "companion-models",
            Self::Character => "companion-characters",
            Self::Item => "companion-items",
        }
    }

    /// The name of the manifest in its folder.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Model => "model.json",
            Self::Character => "character.json",
            Self::Item => "item.json",
        }
    }

    /// `model`, `character` or `item`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Character => "character",
            Self::Item => "item",
        }
    }
}

/// A manifest as it was written.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// Which of the three.
    pub kind: Kind,
    /// The name of its folder.
    pub key: String,
    /// Its path in the pack.
    pub path: String,
    /// The whole text, a byte-order mark included; empty when it is not valid UTF-8.
    pub text: String,
    /// The root object; `None` when the text is not valid (a finding says why).
    pub root: Option<Node>,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// Findings: P011 for what is not valid, P012 for a key given twice, P013 for a byte-order mark, P015 for a number out of range.
    pub fn parse(kind: Kind, key: &str, path: &str, bytes: &[u8], report: &mut Report) -> Self {
        let mut manifest = Self { kind, key: key.into(), path: path.into(), text: String::new(), root: None };
        let start = Place::file(path).line_column(1, 1);
        let invalid = |place: Place, message: String| Finding::new(&code::P011, place, message).hint(code::P011.remedy);
        if bytes.len() > LARGEST {
            let size = crate::units::bytes(bytes.len() as u64);
            report.add(invalid(start, format!("the file has {size}, which is no manifest")));
            return manifest;
        }
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            report.add(Finding::new(&code::P011, start, "the file is UTF-16, not UTF-8").hint("Save it as UTF-8."));
            return manifest;
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => manifest.text = text.into(),
            Err(error) => {
                let offset = error.valid_up_to();
                let valid = std::str::from_utf8(&bytes[..offset]).unwrap_or_default();
                let (line, column) = line_column(valid, offset);
                let place = Place::file(path).line_column(line, column);
                report.add(Finding::new(&code::P011, place, format!("byte {offset} is not valid UTF-8")).hint("Save the file as UTF-8."));
                return manifest;
            }
        }
        let skip = manifest.mark_length();
        if skip > 0 {
            report.add(Finding::new(&code::P013, start, "the file starts with a byte-order mark").hint(code::P013.remedy));
        }
        match read(&manifest.text[skip..]) {
            Ok(mut root) => {
                root.shift(skip);
                manifest.judge_values(&root, report);
                if root.kind() == Type::Object {
                    manifest.root = Some(root);
                } else {
                    let found = root.kind().words();
                    report.add(invalid(manifest.place_at(root.range.start), format!("the root is {found}, not an object")));
                }
            }
            Err((offset, reason)) => report.add(invalid(manifest.place_at(offset + skip), format!("not valid JSON: {reason}"))),
        }
        manifest
    }

    /// The folder that it lies in, and that the files it names lie in.
    pub fn folder(&self) -> &str {
        self.path.rfind('/').map_or("", |at| &self.path[..at])
    }

    /// How many bytes the byte-order mark takes at the start of the text: 3 or 0.
    pub fn mark_length(&self) -> usize {
        if self.text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
    }

    /// The whole file.
    pub fn whole(&self) -> Place {
        Place::file(&self.path)
    }

    /// Where a value stands: its pointer, line and column.
    pub fn place(&self, node: &Node) -> Place {
        self.place_at(node.range.start)
    }

    /// Where the name of a member stands, with the pointer of its value.
    pub fn key_place(&self, member: &Member) -> Place {
        self.place_at(member.key_range.start).at(self.pointer(member.value.range.start))
    }

    /// Where a key of `parent` would stand if it were given: the line and column of `parent`.
    pub fn missing_place(&self, parent: &Node, key: &str) -> Place {
        let place = self.place(parent);
        let pointer = format!("{}/{}", place.pointer, escape(key));
        place.at(pointer)
    }

    /// The value of a member that must be of a type when it is there. `None` when it is absent, or of another type, which is P014.
    ///
    /// For the one rule that judges this key; all others ask [`Node::get`].
    pub fn typed<'a>(&self, parent: &'a Node, key: &str, wanted: Type, report: &mut Report) -> Option<&'a Node> {
        parent.get(key).filter(|node| self.is_typed(node, wanted, report))
    }

    /// True when the value is of this type; else P014.
    pub fn is_typed(&self, node: &Node, wanted: Type, report: &mut Report) -> bool {
        let found = node.kind();
        if found != wanted {
            let hint = if found == Type::Null { "Leave the key out instead of writing null." } else { code::P014.remedy };
            let message = format!("{} is wanted here, not {}", wanted.words(), found.words());
            report.add(Finding::new(&code::P014, self.place(node), message).hint(hint));
        }
        found == wanted
    }

    /// A text of so many characters, counted as UTF-16 does; `code` when it is shorter, longer, or blank though it must not be empty. An absent key is
    /// `code` too when at least one character is wanted of it.
    ///
    /// For the one rule that judges this key.
    pub fn text<'a>(
        &self,
        parent: &'a Node,
        key: &str,
        allowed: RangeInclusive<usize>,
        code: &'static Code,
        report: &mut Report,
    ) -> Option<&'a str> {
        let (least, most) = (*allowed.start(), *allowed.end());
        let Some(node) = parent.get(key) else {
            if least > 0 {
                report.add(Finding::new(code, self.missing_place(parent, key), format!("{key} is missing")).hint(code.remedy));
            }
            return None;
        };
        let text = self.is_typed(node, Type::String, report).then(|| node.as_str()).flatten()?;
        let length = text.encode_utf16().count();
        let message = if least > 0 && text.trim().is_empty() {
            format!("{key} is empty")
        } else if !allowed.contains(&length) {
            format!("{key} has {length} characters, {least} to {most} are allowed")
        } else {
            return Some(text);
        };
        report.add(Finding::new(code, self.place(node), message).hint(code.remedy));
        None
    }

    /// The JSON Pointer of the value that starts at this byte, or of the innermost one that holds it.
    fn pointer(&self, offset: usize) -> String {
        let mut pointer = String::new();
        let mut here = self.root.as_ref();
        while let Some(node) = here.filter(|node| node.range.start < offset) {
            here = match &node.value {
                Value::List(items) => {
                    let index = items.partition_point(|item| item.range.end <= offset);
                    let inner = items.get(index).filter(|item| item.range.start <= offset);
                    if inner.is_some() {
                        pointer += &format!("/{index}");
                    }
                    inner
                }
                Value::Object(members) => {
                    let index = members.partition_point(|m| m.value.range.end <= offset);
                    let inner = members.get(index).filter(|m| m.key_range.start <= offset);
                    if let Some(member) = inner {
                        pointer += &format!("/{}", escape(&member.key));
                    }
                    inner.map(|m| &m.value)
                }
                _ => None,
            };
        }
        pointer
    }

    fn place_at(&self, offset: usize) -> Place {
        // Editors do not show a byte-order mark, so it is not counted.
        let skip = self.mark_length();
        let (line, column) = line_column(&self.text[skip..], offset.saturating_sub(skip));
        self.whole().at(self.pointer(offset)).line_column(line, column)
    }

    /// P012 and P015. Pointers cannot be looked up in the root yet, so they are carried along.
    fn judge_values(&mut self, root: &Node, report: &mut Report) {
        fn walk(manifest: &Manifest, node: &Node, pointer: &mut String, report: &mut Report) {
            let length = pointer.len();
            match &node.value {
                Value::Number(number) if !number.is_finite() => {
                    let place = manifest.place_at(node.range.start).at(pointer.clone());
                    report.add(Finding::new(&code::P015, place, "the number is out of range").hint(code::P015.remedy));
                }
                Value::List(items) => {
                    for (index, item) in items.iter().enumerate() {
                        *pointer += &format!("/{index}");
                        walk(manifest, item, pointer, report);
                        pointer.truncate(length);
                    }
                }
                Value::Object(members) => {
                    let mut seen = std::collections::BTreeSet::new();
                    for member in members {
                        *pointer += &format!("/{}", escape(&member.key));
                        if !seen.insert(&member.key) {
                            let place = manifest.place_at(member.key_range.start).at(pointer.clone());
                            let message = format!("\"{}\" is given twice in the same object", member.key);
                            report.add(Finding::new(&code::P012, place, message).hint(code::P012.remedy));
                        }
                        walk(manifest, &member.value, pointer, report);
                        pointer.truncate(length);
                    }
                }
                _ => {}
            }
        }
        walk(self, root, &mut String::new(), report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: impl AsRef<[u8]>) -> (Manifest, Vec<(&'static str, String, usize, usize)>) {
        let mut report = Report::default();
        let manifest = Manifest::parse(Kind::Model, "fox", "companion-models/fox/model.json", bytes.as_ref(), &mut report);
        (manifest, report.findings.into_iter().map(|f| (f.code.id, f.place.pointer, f.place.line, f.place.column)).collect())
    }

    fn only(bytes: impl AsRef<[u8]>) -> (&'static str, usize, usize) {
        let (manifest, findings) = parse(bytes);
        assert!(manifest.root.is_none());
        assert_eq!(findings.len(), 1, "{findings:?}");
        (findings[0].0, findings[0].2, findings[0].3)
    }

    #[test]
    fn every_value_knows_its_place() {
        let text = "{\n  \"näme\": \"a\\u00e9\",\n  \"list\": [1, {\"a/b\": true}, null, -2.5e1]\n}\n";
        let (manifest, findings) = parse(text);
        assert!(findings.is_empty(), "{findings:?}");
        let root = manifest.root.as_ref().expect("valid");
        assert_eq!(root.get("näme").and_then(Node::as_str), Some("aé"));
        let list = root.get("list").expect("given");
        assert_eq!(list.items().len(), 4);
        assert_eq!(list.items()[3].as_f64(), Some(-25.0));
        assert_eq!(list.items()[2].kind(), Type::Null);
        let inner = root.at(&["list"]).and_then(|l| l.items()[1].get("a/b")).expect("given");
        assert_eq!(inner.as_bool(), Some(true));
        let place = manifest.place(inner);
        assert_eq!((place.pointer.as_str(), place.line, place.column), ("/list/1/a~1b", 3, 23));
        let place = manifest.key_place(root.member("näme").expect("given"));
        assert_eq!((place.pointer.as_str(), place.line, place.column), ("/näme", 2, 3));
        let place = manifest.place(root);
        assert_eq!((place.pointer.as_str(), place.line, place.column), ("", 1, 1));
        assert_eq!(manifest.missing_place(root, "avatar").pointer, "/avatar");
        assert_eq!(manifest.folder(), "companion-models/fox");
    }

    #[test]
    fn a_byte_order_mark_moves_nothing_for_the_reader() {
        let (manifest, findings) = parse("\u{feff}{\"a\": 5}");
        assert_eq!(findings, [("P013", String::new(), 1, 1)]);
        let root = manifest.root.as_ref().expect("valid");
        let a = root.get("a").expect("given");
        assert_eq!(&manifest.text[a.range.clone()], "5");
        assert_eq!(&manifest.text[root.members()[0].key_range.clone()], "\"a\"");
        assert_eq!((manifest.place(a).line, manifest.place(a).column), (1, 7));
    }

    #[test]
    fn what_is_not_json_is_named_with_its_place() {
        assert_eq!(only("{\n  \"a\": 1,\n}"), ("P011", 2, 9));
        assert_eq!(only("{ // no\n}"), ("P011", 1, 3));
        assert_eq!(only("{'a': 1}"), ("P011", 1, 2));
        assert_eq!(only("{\"a\": NaN}"), ("P011", 1, 7));
        assert_eq!(only("{\"a\": 1} x"), ("P011", 1, 10));
        assert_eq!(only("{\"a\": \"\\ud800\"}").0, "P011");
        assert_eq!(only("{\"a\": \"x\ty\"}"), ("P011", 1, 9));
        assert_eq!(only("{\"a\": 01}").0, "P011");
        assert_eq!(only("{\u{a0}}").0, "P011");
        assert_eq!(only(""), ("P011", 1, 1));
        assert_eq!(only("  \n "), ("P011", 2, 1));
        assert_eq!(only("[1]"), ("P011", 1, 1));
        assert_eq!(only(b"{\n\"a\": \"\xff\"}"), ("P011", 2, 7));
        assert_eq!(only(b"\xff\xfe{\0}\0"), ("P011", 1, 1));
    }

    #[test]
    fn deep_nesting_is_a_finding_and_not_a_crash() {
        assert_eq!(only("{\"a\":".repeat(100_000)), ("P011", 1, 64 * 5 + 1));
        assert_eq!(only(format!("{{\"a\":{}}}", "[".repeat(64))), ("P011", 1, 6 + 63));
        let brackets = |n: usize| format!("{{\"a\":{}{}, \"b\": \"[[[{{\\\"[\"}}", "[".repeat(n), "]".repeat(n));
        assert!(parse(brackets(63)).1.is_empty());
        assert_eq!(only(brackets(64)).0, "P011");
    }

    #[test]
    fn too_many_values_are_a_finding_and_take_no_time() {
        assert!(parse(format!("{{\"a\": [{}]}}", vec!["1"; 19_990].join(","))).1.is_empty());
        assert_eq!(only(format!("{{{}}}", vec!["\"a\": 1"; 100_000].join(",\n"))).0, "P011");
    }

    #[test]
    fn doubled_keys_and_endless_numbers_are_named() {
        let (manifest, findings) = parse("{\"a\": {\"b\": 1, \"b\": 2},\n \"n\": [1e999]}");
        assert_eq!(findings, [("P012", "/a/b".into(), 1, 16), ("P015", "/n/0".into(), 2, 8)]);
        assert_eq!(manifest.root.as_ref().and_then(|r| r.at(&["a", "b"])).and_then(Node::as_f64), Some(2.0));
    }

    #[test]
    fn counts_what_is_stored() {
        let length = |text: &str| {
            let manifest = parse(text).0;
            manifest.root.as_ref().map(|r| r.compact_length(&manifest.text))
        };
        assert_eq!(length("{ }"), Some(2));
        assert_eq!(length("{ \"a\" : [ 1.50 , true, null, [ ] ] }"), Some("{\"a\":[1.50,true,null,[]]}".len() as u64));
        assert_eq!(length("{\"a\": \"\\u00e9\\n\\\"\"}"), Some("{\"a\":\"é\\n\\\"\"}".len() as u64));
        assert_eq!(length("{\"a\": 1, \"a\": 22}"), Some("{\"a\":22}".len() as u64));
    }

    #[test]
    fn types_are_judged_where_they_are_wanted() {
        let (manifest, _) = parse("{\"name\": 5, \"face\": null}");
        let root = manifest.root.as_ref().expect("valid");
        let mut report = Report::default();
        assert!(manifest.typed(root, "name", Type::String, &mut report).is_none());
        assert!(manifest.typed(root, "face", Type::Object, &mut report).is_none());
        assert!(manifest.typed(root, "absent", Type::Object, &mut report).is_none());
        let messages: Vec<_> = report.findings.iter().map(|f| f.message.as_str()).collect();
        assert_eq!(messages, ["a string is wanted here, not a number", "an object is wanted here, not null"]);
        assert_eq!(report.findings[0].place.pointer, "/name");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]{}\":,a-c0-9\\\\u\u{e9} \n.e+-]{0,60}") {
            let (manifest, findings) = parse(&text);
            proptest::prop_assert_eq!(manifest.root.is_none(), findings.iter().any(|f| f.0 == "P011"));
        }
    }
}
