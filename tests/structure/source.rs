//! Reads a Rust file as far as the structure rules need it: its words without comments and strings, and its paths.

/// A word or sign of the source, with where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// An identifier, a number, `::`, or one other character.
    pub text: String,
    /// From 1.
    pub line: usize,
    /// How many inline modules it stands in.
    pub nesting: usize,
    /// Inside a `#[cfg(test)]` module.
    pub test: bool,
}

/// A path such as `crate::report::Finding`, from a `use` or from an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Its parts; `*` for a glob.
    pub parts: Vec<String>,
    /// From 1.
    pub line: usize,
    /// How many inline modules it stands in.
    pub nesting: usize,
    /// Inside a `#[cfg(test)]` module.
    pub test: bool,
}

/// One file of the sources.
#[derive(Debug)]
pub struct Source {
    /// Relative to `src`, `/` between the parts.
    pub path: String,
    /// The text as it is.
    pub text: String,
    /// Its words.
    pub tokens: Vec<Token>,
    /// Its paths.
    pub paths: Vec<Path>,
}

impl Source {
    /// Reads `text` as the file `path`.
    pub fn new(path: &str, text: &str) -> Self {
        let mut tokens = tokens(&blank(text));
        place(&mut tokens);
        let paths = paths(&tokens);
        Self { path: path.into(), text: text.into(), tokens, paths }
    }

    /// The modules on the way to this file: `gltf/refs.rs` is `["gltf", "refs"]`, `gltf/mod.rs` is `["gltf"]`, `main.rs` is `[]`.
    pub fn modules(&self) -> Vec<&str> {
        let stem = self.path.strip_suffix(".rs").unwrap_or(&self.path);
        stem.split('/').filter(|part| !matches!(*part, "mod" | "lib" | "main")).collect()
    }

    /// The top-level module of this file.
    pub fn module(&self) -> Option<&str> {
        self.modules().first().copied()
    }

    /// The top-level module that a path leads to, when it goes through the root of the crate.
    pub fn root_target<'a>(&self, path: &'a Path) -> Option<&'a str> {
        let supers = path.parts.iter().skip_while(|part| *part == "self").take_while(|part| *part == "super").count();
        let selves = path.parts.iter().take_while(|part| *part == "self").count();
        let at = match path.parts.first()?.as_str() {
            "crate" | "companion_build" => 1,
            _ if supers > 0 && supers >= self.modules().len() + path.nesting => selves + supers,
            _ => return None,
        };
        path.parts.get(at).map(String::as_str)
    }

    /// Whether `name` is a module or import of the crate's own here, and not the foreign crate of that name.
    pub fn has_own(&self, name: &str) -> bool {
        let declared = self.tokens.windows(2).any(|pair| pair[0].text == "mod" && pair[1].text == name);
        let own = |path: &Path| matches!(path.parts[0].as_str(), "crate" | "super" | "self") && path.parts.iter().any(|part| part == name);
        declared || self.paths.iter().any(own)
    }
}

/// The text with comments, strings and character literals blanked out, line for line.
fn blank(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = skipped(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Where the comment or literal that starts at `at` ends; `at` when none does.
fn skipped(chars: &[char], at: usize) -> usize {
    let next = |offset: usize| chars.get(at + offset).copied().unwrap_or('\0');
    let after_word = at > 0 && is_word(chars[at - 1]);
    match chars[at] {
        '/' if next(1) == '/' => (at..chars.len()).find(|&i| chars[i] == '\n').unwrap_or(chars.len()),
        '/' if next(1) == '*' => block_comment(chars, at),
        '"' => string(chars, at),
        'r' if !after_word || next_is_prefix(chars, at) => raw_string(chars, at).unwrap_or(at),
        '\'' if next(1) == '\\' => (at + 3..chars.len()).find(|&i| chars[i] == '\'').map_or(chars.len(), |i| i + 1),
        '\'' if next(2) == '\'' => at + 3,
        _ => at,
    }
}

/// Whether the `r` at `at` follows the `b` or `c` of a raw byte or C string.
fn next_is_prefix(chars: &[char], at: usize) -> bool {
    matches!(chars[at - 1], 'b' | 'c') && !(at > 1 && is_word(chars[at - 2]))
}

fn block_comment(chars: &[char], at: usize) -> usize {
    let (mut depth, mut i) = (0, at);
    while i < chars.len() {
        match (chars[i], chars.get(i + 1)) {
            ('/', Some('*')) => (depth, i) = (depth + 1, i + 2),
            ('*', Some('/')) => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

fn string(chars: &[char], at: usize) -> usize {
    let mut i = at + 1;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(chars.len())
}

fn raw_string(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
    let open = at + 1 + hashes;
    if chars.get(open) != Some(&'"') {
        return None;
    }
    let closes = |i: usize| chars[i] == '"' && chars[i + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes;
    Some((open + 1..chars.len()).find(|&i| closes(i)).map_or(chars.len(), |i| i + 1 + hashes))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn tokens(blanked: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (number, line) in blanked.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                ':' if rest.starts_with("::") => 2,
                c => c.len_utf8(),
            };
            tokens.push(Token { text: rest[..length].into(), line: number + 1, nesting: 0, test: false });
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

/// Notes for each token in how many inline modules it stands, and whether one of them is for tests.
fn place(tokens: &mut [Token]) {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut depth = 0;
    let mut open: Vec<(usize, bool)> = Vec::new();
    for i in 0..tokens.len() {
        let text = |at: usize| tokens.get(at).map_or("", |t| t.text.as_str());
        let opens_module = i >= 2 && text(i) == "{" && text(i - 2) == "mod";
        match text(i) {
            "{" => depth += 1,
            "}" => {
                open.retain(|&(at, _)| at < depth);
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        if opens_module {
            let before = i - 2;
            let test = before >= TEST.len() && (0..TEST.len()).all(|k| text(before - TEST.len() + k) == TEST[k]);
            open.push((depth, test));
        }
        (tokens[i].nesting, tokens[i].test) = (open.len(), open.iter().any(|&(_, test)| test));
    }
}

fn paths(tokens: &[Token]) -> Vec<Path> {
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].text == "use" {
            at += 1;
            tree(tokens, &mut at, Vec::new(), &mut paths);
        } else if starts_path(tokens, at) {
            let start = at;
            let mut parts = vec![tokens[at].text.clone()];
            while tokens.get(at + 1).is_some_and(|t| t.text == "::") && tokens.get(at + 2).is_some_and(is_name) {
                parts.push(tokens[at + 2].text.clone());
                at += 2;
            }
            paths.push(path(&tokens[start], parts));
            at += 1;
        } else {
            at += 1;
        }
    }
    paths
}

fn is_name(token: &Token) -> bool {
    token.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn starts_path(tokens: &[Token], at: usize) -> bool {
    is_name(&tokens[at]) && tokens.get(at + 1).is_some_and(|t| t.text == "::")
}

fn path(token: &Token, parts: Vec<String>) -> Path {
    Path { parts, line: token.line, nesting: token.nesting, test: token.test }
}

/// One tree of a `use`: `a::b`, `a::{b, c::d}`, `a as b`, `a::*`.
fn tree(tokens: &[Token], at: &mut usize, mut parts: Vec<String>, paths: &mut Vec<Path>) {
    let start = *at;
    while let Some(token) = tokens.get(*at) {
        match token.text.as_str() {
            "{" => {
                *at += 1;
                while tokens.get(*at).is_some_and(|t| t.text != "}") {
                    tree(tokens, at, parts.clone(), paths);
                    if tokens.get(*at).is_some_and(|t| t.text == ",") {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            "::" => *at += 1,
            "as" => *at += 2,
            "*" => {
                parts.push("*".into());
                *at += 1;
            }
            _ if is_name(token) => {
                parts.push(token.text.clone());
                *at += 1;
            }
            _ => break,
        }
    }
    if *at == start {
        *at += 1; // not Rust: do not stand still
    } else if !parts.is_empty() {
        paths.push(path(&tokens[start], parts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        Source::new("gltf/refs.rs", text).paths.iter().map(|path| path.parts.join("::")).collect()
    }

    #[test]
    fn finds_paths_in_uses_and_expressions() {
        assert_eq!(found("use crate::{report::{Code, code}, units as u};"), ["crate::report::Code", "crate::report::code", "crate::units"]);
        assert_eq!(
            found("use std::io::*;\nlet x = zip::Archive::<u8>::new(std::fs::read(p));"),
            ["std::io::*", "zip::Archive", "std::fs::read"]
        );
        assert_eq!(found("pub(crate) fn f() -> ::image::Rgba {}"), ["image::Rgba"]);
    }

    #[test]
    fn reads_past_comments_strings_and_characters() {
        let text = r##"
            // a::b
            /* c::d /* e::f */ g::h */
            let s = "i::j \" k::l"; let r = r#"m::n " o::p"#; let b = br"q::r";
            let c = '"'; let l: &'static str = x::y(); let e = '\''; let z = "s::t";
        "##;
        assert_eq!(found(text), ["x::y"]);
        assert_eq!(Source::new("a.rs", text).paths[0].line, 5);
    }

    #[test]
    fn knows_test_modules_and_the_root() {
        let source = Source::new(
            "gltf/refs.rs",
            "use super::a::b;\n#[cfg(test)]\nmod tests { use super::super::super::vrm::c; }\nfn f() { super::super::x::y() }",
        );
        let targets: Vec<_> = source.paths.iter().map(|path| (source.root_target(path), path.test)).collect();
        assert_eq!(targets, [(None, false), (Some("vrm"), true), (Some("x"), false)]);
    }
}
