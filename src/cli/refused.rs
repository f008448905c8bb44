//! A command line that makes no sense, told in the format that it asks for.

use super::args::{Format, Written};
use crate::report::{Finding, Place, code};
use clap::{CommandFactory, ValueEnum};
use std::ffi::OsString;

/// The command and the format that arguments ask for, as far as that can be told: none, and that for people.
pub fn meant(arguments: &[OsString]) -> (String, Format) {
    let words: Vec<&str> = arguments.iter().skip(1).map_while(|word| word.to_str().filter(|word| *word != "--")).collect();
    let format = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--format") {
        Some("") => words.get(at + 1).copied(),
        Some(rest) => rest.strip_prefix('='),
        None => None,
    });
    let format = format.and_then(|format| Format::from_str(format, false).ok()).unwrap_or(Format::Human);
    let known = Written::command();
    let command = words.iter().find(|word| known.get_subcommands().any(|command| command.get_name() == **word));
    (command.copied().unwrap_or_default().to_owned(), format)
}

/// What is wrong with them, on one line.
pub fn finding(error: &clap::Error) -> Finding {
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let line = first.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = line.strip_prefix("error: ").unwrap_or(&line);
    Finding::new(&code::Z011, Place::default(), message).hint(code::Z011.remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn arguments(line: &str) -> Vec<OsString> {
        std::iter::once("companion-build").chain(line.split(' ')).map(OsString::from).collect()
    }

    #[test]
    fn the_format_is_found_where_it_is_asked_for() {
        let asked = |line: &str| meant(&arguments(line));
        assert_eq!(asked("check --format sarif --wrong"), ("check".into(), Format::Sarif));
        assert_eq!(asked("--format=json paint"), (String::new(), Format::Json));
        assert_eq!(asked("-q build --format github --format json"), ("build".into(), Format::Github));
        for line in ["check --format", "check --format yaml", "check -- --format json", "check --formats json"] {
            assert_eq!(asked(line).1, Format::Human, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_one_line() {
        let error = Written::try_parse_from(arguments("check")).expect_err("no pack");
        assert_eq!(finding(&error).message, "the following required arguments were not provided: <PACK|ZIP>...");
    }
}
