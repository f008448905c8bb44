//! JSON as it was written: every value with its bytes in the text.

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::ops::Range;

/// How deep lists and objects may lie in each other; the format itself needs 6.
const DEEPEST: usize = 64;

/// How many values there may be; the limits of the format allow about 8,000.
const MOST_VALUES: usize = 20_000;

/// A type of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A text in quotes.
    String,
    /// `[...]`.
    List,
    /// `{...}`.
    Object,
}

impl Type {
    /// With its article: `a string`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// A JSON value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its bytes in the text, quotes and brackets included.
    pub range: Range<usize>,
    /// What it is.
    pub value: Value,
}

/// What a [`Node`] is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number; infinite when it is out of range.
    Number(f64),
    /// A text, its escapes resolved.
    String(String),
    /// The items of a list.
    List(Vec<Node>),
    /// The members of an object, as written: a key may appear twice.
    Object(Vec<Member>),
}

/// One member of a JSON object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name, escapes resolved.
    pub key: String,
    /// The bytes of the name in the text, quotes included.
    pub key_range: Range<usize>,
    /// Its value.
    pub value: Node,
}

impl Node {
    /// The value's type.
    pub fn kind(&self) -> Type {
        match self.value {
            Value::Null => Type::Null,
            Value::Boolean(_) => Type::Boolean,
            Value::Number(_) => Type::Number,
            Value::String(_) => Type::String,
            Value::List(_) => Type::List,
            Value::Object(_) => Type::Object,
        }
    }

    /// The members of an object; none when it is not one.
    pub fn members(&self) -> &[Member] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// The items of a list; none when it is not one.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The member of this name; of several the last, as every reader does.
    pub fn member(&self, key: &str) -> Option<&Member> {
        self.members().iter().rfind(|m| m.key == key)
    }

    /// The value of the member of this name.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.member(key).map(|m| &m.value)
    }

    /// The value at the end of a path of members.
    pub fn at(&self, keys: &[&str]) -> Option<&Node> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The items of the list under this key; none when there is no such list.
    pub fn list(&self, key: &str) -> &[Node] {
        self.get(key).map_or(&[], Node::items)
    }

    /// The text, when it is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number, when it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The boolean, when it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Boolean(boolean) => Some(boolean),
            _ => None,
        }
    }

    /// Calls `visit` with every text in it, at any depth; the names of members are not among them.
    pub fn strings<'a>(&'a self, visit: &mut impl FnMut(&'a Node, &'a str)) {
        match &self.value {
            Value::String(text) => visit(self, text),
            Value::List(items) => items.iter().for_each(|item| item.strings(visit)),
            Value::Object(members) => members.iter().for_each(|m| m.value.strings(visit)),
            _ => {}
        }
    }

    /// How many bytes it takes as UTF-8 JSON without spaces, written anew from its values; `text` is the one it was read from.
    pub fn compact_length(&self, text: &str) -> u64 {
        let quoted = |s: &str| serde_json::to_string(s).map_or(0, |s| s.len() as u64);
        // Brackets and commas: one byte for each item, and two for an empty list.
        let list = |inner: Vec<u64>| inner.len().max(1) as u64 + 1 + inner.iter().sum::<u64>();
        match &self.value {
            Value::String(s) => quoted(s),
            Value::List(items) => list(items.iter().map(|item| item.compact_length(text)).collect()),
            Value::Object(members) => {
                let mut seen = std::collections::BTreeSet::new();
                let kept = members.iter().rev().filter(|m| seen.insert(&m.key));
                list(kept.map(|m| quoted(&m.key) + 1 + m.value.compact_length(text)).collect())
            }
            _ => text.get(self.range.clone()).map_or(0, |t| t.len() as u64),
        }
    }
    /// Moves the tree so many bytes further on in its text.
    pub(super) fn shift(&mut self, by: usize) {
        let moved = |range: &Range<usize>| range.start + by..range.end + by;
        self.range = moved(&self.range);
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|item| item.shift(by)),
            Value::Object(members) => {
                for member in members {
                    member.key_range = moved(&member.key_range);
                    member.value.shift(by);
                }
            }
            _ => {}
        }
    }
}

/// The tree of a JSON text, or the byte and the reason why there is none.
pub(super) fn read(text: &str) -> Result<Node, (usize, String)> {
    too_much(text)?;
    let strict = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict).map_err(|error| {
        let mut reason = error.kind().to_string();
        if let Some(first) = reason.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        (error.range().start, reason)
    })?;
    // jsonc-parser lets raw control characters, odd white space, numbers such as 01 and an empty text pass.
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        let mut offset = byte_of(text, error.line(), error.column());
        let reason = error.to_string();
        if reason.starts_with("control character") {
            // It stops one byte short of these.
            offset += text.as_bytes()[offset..].iter().position(u8::is_ascii_control).unwrap_or(0);
        }
        let reason = reason.rfind(" at line ").map_or(reason.as_str(), |at| &reason[..at]);
        return Err((offset, reason.into()));
    }
    parsed.value.as_ref().map(node).ok_or_else(|| (0, "the file is empty".into()))
}

/// The byte at which the nesting becomes too deep or the values too many, found without recursion: the parser's own depth would need too
/// much stack, and what is said of each value too much time.
fn too_much(text: &str) -> Result<(), (usize, String)> {
    let (mut depth, mut values, mut in_string, mut escaped) = (0usize, 1, false, false);
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                values += 1;
                if depth > DEEPEST {
                    return Err((offset, format!("more than {DEEPEST} lists and objects lie in each other")));
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            b',' if !in_string => values += 1,
            _ => {}
        }
        if values > MOST_VALUES {
            return Err((offset, format!("more than {MOST_VALUES} values, which is no manifest")));
        }
    }
    Ok(())
}

/// serde_json counts lines from 1 and bytes in a line from 1, 0 for its start.
fn byte_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut offset = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn node(value: &ast::Value<'_>) -> Node {
    use jsonc_parser::common::Ranged;
    let range = value.range().start..value.range().end;
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Boolean(literal.value),
        ast::Value::NumberLit(literal) => Value::Number(literal.value.parse().unwrap_or(f64::INFINITY)),
        ast::Value::StringLit(literal) => Value::String(literal.value.to_string()),
        ast::Value::Array(array) => Value::List(array.elements.iter().map(node).collect()),
        ast::Value::Object(object) => Value::Object(
            object
                .properties
                .iter()
                .map(|p| Member {
                    key: p.name.as_str().to_string(),
                    key_range: p.name.range().start..p.name.range().end,
                    value: node(&p.value),
                })
                .collect(),
        ),
    };
    Node { range, value }
}
