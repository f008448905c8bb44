//! What packs were made from, as make and ninja read it.

use std::collections::BTreeSet;

/// One result, and everything that decides what becomes of it.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// The result's path.
    pub target: String,
    /// Files, and the folders whose lists of names matter.
    pub sources: BTreeSet<String>,
}

/// A rule for each result; then one without a recipe for each source, so that one which was removed stops nobody.
pub fn text(rules: &[Rule]) -> String {
    let mut text = String::new();
    let is_line = |path: &&String| !path.contains(['\n', '\r']);
    for rule in rules {
        // Only in a target is the percent sign a wild card.
        text += &format!("{}:", escaped(&rule.target).replace('%', "\\%"));
        rule.sources.iter().filter(is_line).for_each(|source| text += &format!(" \\\n  {}", escaped(source)));
        text += "\n";
    }
    let sources: BTreeSet<&String> = rules.iter().flat_map(|rule| &rule.sources).filter(is_line).collect();
    sources.into_iter().for_each(|source| text += &format!("\n{}:\n", escaped(source).replace('%', "\\%")));
    text
}

/// As make reads a path. A backslash is itself, but not before what it would make plain.
fn escaped(path: &str) -> String {
    let mut text = String::new();
    let mut rest = path.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '#' | ':' => text.extend(['\\', c]),
            '$' => text.push_str("$$"),
            '\\' if rest.peek().is_some_and(|next| " #:".contains(*next)) => text.push_str("\\\\"),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn make_reads_the_names_as_they_are() {
        let sources = ["a", "a/My Hat #2.vrm", "a/$.png", "a/x:y", "a/50%.png", "a/two\nlines"].map(str::to_owned).into();
        let rule = Rule { target: "dist/my pack.zip".into(), sources };
        let wanted = "dist/my\\ pack.zip: \\\n  a \\\n  a/$$.png \\\n  a/50%.png \\\n  a/My\\ Hat\\ \\#2.vrm \\\n  a/x\\:y\n\
                      \na:\n\na/$$.png:\n\na/50\\%.png:\n\na/My\\ Hat\\ \\#2.vrm:\n\na/x\\:y:\n";
        assert_eq!(text(&[rule]), wanted);
    }
}
