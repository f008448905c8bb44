//! Findings and sizes as people read them. Colours are always in the text; whoever prints it takes them out where they do not belong.

use super::facts;
use super::table::Table;
use crate::build::Finished;
use crate::build::outcome::{File, Finding, Outcome, Pack};
use crate::report::code;
use crate::units;
use annotate_snippets::renderer::{DEFAULT_ERROR_STYLE, DEFAULT_HELP_STYLE, DEFAULT_NOTE_STYLE, DEFAULT_WARNING_STYLE, Style};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A source line longer than this is not shown.
const LONGEST_LINE: usize = 400;
/// More files than this are told by kind.
const MOST_ROWS: usize = 60;

/// All findings, one after another, each with the line of the text in which it is, where that is known. With `verbose` each says what its
/// code means.
pub fn findings(finished: &Finished, verbose: bool) -> String {
    finished.outcome.findings.iter().map(|finding| self::finding(finding, &finished.texts, verbose)).collect()
}

fn finding(finding: &Finding, texts: &BTreeMap<String, String>, verbose: bool) -> String {
    let marked = texts.get(&finding.path()).and_then(|text| Some((text.as_str(), span(text, finding)?)));
    match marked {
        Some((text, span)) => with_text(finding, text, span, verbose),
        None => without_text(finding, verbose),
    }
}

fn message(finding: &Finding) -> String {
    let fixed = if finding.fixed { " (fixed)" } else { "" };
    clean(&format!("{}{fixed}", finding.message))
}

/// As rustc shows it: the line, and what is meant underlined.
fn with_text(finding: &Finding, text: &str, span: Range<usize>, verbose: bool) -> String {
    let level = match finding.severity.as_str() {
        "error" => Level::ERROR,
        "warning" => Level::WARNING,
        _ => Level::NOTE,
    };
    let path = clean(&finding.path());
    let hint = clean(&finding.hint);
    // Only the line itself: a manifest of one megabyte costs nothing.
    let line_start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[span.start..].find('\n').map_or(text.len(), |at| span.start + at);
    let line = text[line_start..line_end].trim_end_matches('\r');
    let span = span.start - line_start..(span.end - line_start).min(line.len());
    let snippet =
        Snippet::source(line).line_start(finding.line.unwrap_or(1)).path(path.as_str()).annotation(AnnotationKind::Primary.span(span));
    let mut group = level.primary_title(message(finding)).id(finding.code.as_str()).element(snippet);
    if let Some(code) = code::find(&finding.code).filter(|_| verbose) {
        group = group.element(Level::NOTE.message(code.meaning));
    }
    if !hint.is_empty() {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    let groups: &[Group] = &[group];
    format!("{}\n\n", Renderer::styled().render(groups))
}

fn without_text(finding: &Finding, verbose: bool) -> String {
    let style = style(&finding.severity);
    let mut text = format!("{style}{}[{}]{style:#}", finding.severity, finding.code);
    let path = finding.path();
    if !path.is_empty() {
        let numbers = [finding.line, finding.column].into_iter().flatten().map(|number| format!(":{number}"));
        text.push_str(&format!(" {}{}:", clean(&path), numbers.collect::<String>()));
    }
    if !finding.pointer.is_empty() {
        text.push_str(&format!(" {}:", clean(&finding.pointer)));
    }
    text.push_str(&format!(" {}\n", message(finding)));
    let mut more = |style: Style, word: &str, what: &str| {
        if !what.is_empty() {
            text.push_str(&format!("  {style}{word}{style:#}: {}\n", clean(what)));
        }
    };
    if let Some(code) = code::find(&finding.code).filter(|_| verbose) {
        more(DEFAULT_NOTE_STYLE, "note", code.meaning);
    }
    more(DEFAULT_HELP_STYLE, "help", &finding.hint);
    text
}

fn style(severity: &str) -> Style {
    match severity {
        "error" => DEFAULT_ERROR_STYLE,
        "warning" => DEFAULT_WARNING_STYLE,
        _ => DEFAULT_NOTE_STYLE,
    }
}

/// The bytes of `text` that a finding means: the JSON or TOML token at its line and column. `None` without a line, or on a line too long.
fn span(text: &str, finding: &Finding) -> Option<Range<usize>> {
    let line_start: usize = text.split_inclusive('\n').take(finding.line?.checked_sub(1)?).map(str::len).sum();
    let line = text.get(line_start..)?.lines().next()?;
    if line.len() > LONGEST_LINE {
        return None;
    }
    let column = finding.column.unwrap_or(1).max(1) - 1;
    let start = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    let length = token(&line[start..]);
    Some(line_start + start..line_start + start + length)
}

/// How many bytes the token has at the start of a line's rest.
fn token(rest: &str) -> usize {
    if let Some(inside) = rest.strip_prefix('"') {
        let mut escaped = false;
        let end = inside.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        return end.map_or(rest.len(), |at| at + 2);
    }
    let end = rest.find(|c: char| c.is_whitespace() || ",:=[]{}#".contains(c)).unwrap_or(rest.len());
    // A bracket stands for what it opens; at the end of a line there is nothing to mark but the place.
    end.max(rest.chars().next().map_or(0, char::len_utf8))
}

/// Without characters that would move a terminal's cursor or change its colours; file names hold anything.
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{FFFD}' } else { c }).collect()
}

/// What was done, as tables: sizes of what was made, facts of what was looked at, names.
pub fn results(outcome: &Outcome) -> String {
    let mut text = String::new();
    // Who checks wants to know what is wrong; nothing was made.
    for pack in outcome.packs.iter().flatten().filter(|_| outcome.command != "check") {
        text.push_str(&self::pack(pack));
    }
    outcome.models.iter().flatten().for_each(|model| text.push_str(&(facts::walks(model) + &facts::covers(model))));
    let files = outcome.files.as_deref().unwrap_or_default();
    match outcome.command.as_str() {
        "inspect" => text.extend(files.iter().map(facts::inspect)),
        "names" => text.extend(files.iter().map(facts::names)),
        _ if files.len() > MOST_ROWS => text.push_str(&sizes(&by_kind(files), "kinds")),
        _ => text.push_str(&sizes(files, "files")),
    }
    text
}

/// The files of each ending taken together: nobody reads a thousand rows.
fn by_kind(files: &[File]) -> Vec<File> {
    let mut kinds: BTreeMap<String, (usize, File)> = BTreeMap::new();
    for file in files {
        let ending = file.path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let (count, all) = kinds.entry(ending).or_insert_with(|| (0, File { source_bytes: Some(0), ..File::default() }));
        let add = |sum: Option<u64>, more: Option<u64>| {
            if sum.is_none() && more.is_none() { None } else { Some(sum.unwrap_or(0) + more.unwrap_or(0)) }
        };
        *count += 1;
        all.bytes += file.bytes;
        all.source_bytes = add(all.source_bytes, file.source_bytes);
        all.texture_bytes = add(all.texture_bytes, file.texture_bytes);
        all.geometry_bytes = add(all.geometry_bytes, file.geometry_bytes);
        all.source_texture_bytes = add(all.source_texture_bytes, file.source_texture_bytes);
        all.source_geometry_bytes = add(all.source_geometry_bytes, file.source_geometry_bytes);
    }
    kinds.into_iter().map(|(ending, (count, file))| File { path: format!("{count} .{ending}"), ..file }).collect()
}

fn pack(pack: &Pack) -> String {
    let mut text = sizes(&pack.files, "files");
    pack.models.iter().for_each(|model| text.push_str(&(facts::walks(model) + &facts::covers(model))));
    if let Some(zip) = &pack.zip {
        let size = pack.bytes.map(units::bytes).unwrap_or_default();
        text.push_str(&format!("{} -> {} ({size})\n", clean(&pack.source), clean(zip)));
    }
    if text.is_empty() { text } else { text + "\n" }
}

/// Input, output and change of each file, and of all together when there are several.
fn sizes(files: &[File], word: &str) -> String {
    let mut table = Table::new(["file", "input", "output", "change", "textures", "geometry"]);
    let both = |before: Option<u64>, after: Option<u64>| match (before, after) {
        (Some(before), Some(after)) => format!("{} -> {}", units::bytes(before), units::bytes(after)),
        (_, after) => after.map(units::bytes).unwrap_or_default(),
    };
    let mut row = |name: String, before: Option<u64>, after: u64, textures: String, geometry: String| {
        let change = before.map(|before| units::change(before, after)).unwrap_or_default();
        table.row([name, before.map(units::bytes).unwrap_or_default(), units::bytes(after), change, textures, geometry]);
    };
    for file in files {
        let textures = both(file.source_texture_bytes, file.texture_bytes);
        let geometry = both(file.source_geometry_bytes, file.geometry_bytes);
        row(clean(&file.path), file.source_bytes, file.bytes, textures, geometry);
    }
    if files.len() > 1 {
        let total = |one: fn(&File) -> Option<u64>| files.iter().map(one).sum::<Option<u64>>();
        let textures = both(total(|f| f.source_texture_bytes), total(|f| f.texture_bytes));
        let geometry = both(total(|f| f.source_geometry_bytes), total(|f| f.geometry_bytes));
        row(format!("{} {word}", files.len()), total(|f| f.source_bytes), files.iter().map(|f| f.bytes).sum(), textures, geometry);
    }
    table.render()
}

/// What is otherwise than it was: findings that came and went, files whose sizes changed; then the last line.
pub fn changes(before: &Finished, now: &Finished) -> String {
    let key = |finding: &Finding| (finding.code.clone(), finding.severity.clone(), finding.fixed, finding.path(), finding.message.clone());
    let keys = |finished: &Finished| finished.outcome.findings.iter().map(key).collect::<BTreeSet<_>>();
    let (old, new) = (keys(before), keys(now));
    let came = now.outcome.findings.iter().filter(|finding| !old.contains(&key(finding)));
    let mut text: String = came.map(|finding| self::finding(finding, &now.texts, false)).collect();
    for finding in before.outcome.findings.iter().filter(|finding| !new.contains(&key(finding))) {
        text += &format!(
            "{DEFAULT_HELP_STYLE}gone{DEFAULT_HELP_STYLE:#}: {}",
            without_text(&Finding { hint: String::new(), ..finding.clone() }, false)
        );
    }
    let (old, new) = (made(before), made(now));
    let mut table = Table::new(["file", "before", "now", "change"]);
    for (path, bytes) in &new {
        let earlier = old.get(path);
        if earlier != Some(bytes) {
            let change = units::change(earlier.copied().unwrap_or(0), *bytes);
            table.row([clean(path), earlier.map(|bytes| units::bytes(*bytes)).unwrap_or_default(), units::bytes(*bytes), change]);
        }
    }
    for (path, bytes) in old.iter().filter(|(path, _)| !new.contains_key(*path)) {
        table.row([clean(path), units::bytes(*bytes), String::new(), "gone".into()]);
    }
    text += &table.render();
    let nothing = if text.is_empty() { "nothing is otherwise\n" } else { "" };
    format!("{text}{nothing}{}\n", summary(now).trim_end())
}

/// The bytes of each file that ships and of each zip, by path.
fn made(finished: &Finished) -> BTreeMap<String, u64> {
    let packs = finished.outcome.packs.iter().flatten();
    let files = |pack: &Pack| -> Vec<(String, u64)> {
        let zip = pack.zip.clone().zip(pack.bytes);
        pack.files.iter().map(|file| (format!("{}/{}", pack.source.trim_end_matches('/'), file.path), file.bytes)).chain(zip).collect()
    };
    packs.flat_map(files).collect()
}

/// The last line: how many findings of each severity, as in `shrink: 1 error, 2 notes`.
pub fn summary(finished: &Finished) -> String {
    let findings = &finished.outcome.findings;
    let counted: Vec<String> = ["error", "warning", "note"]
        .into_iter()
        .map(|severity| (findings.iter().filter(|finding| finding.severity == severity).count(), severity))
        .filter(|(count, _)| *count > 0)
        .map(|(count, severity)| {
            let (style, plural) = (style(severity), if count == 1 { "" } else { "s" });
            format!("{style}{count} {severity}{plural}{style:#}")
        })
        .collect();
    let counted = if counted.is_empty() { "nothing to report".to_owned() } else { counted.join(", ") };
    format!("{}: {counted}\n", finished.outcome.command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Finding, Place, Report};

    fn plain(styled: &str) -> String {
        anstream::adapter::strip_str(styled).to_string()
    }

    fn finished(findings: impl IntoIterator<Item = Finding>, texts: &[(&str, &str)]) -> Finished {
        let mut report = Report::default();
        findings.into_iter().for_each(|f| report.add(f));
        let texts = texts.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
        let mut outcome = Outcome::new("check");
        outcome.add(&report, None);
        Finished { outcome, texts }
    }

    #[test]
    fn marks_the_place_in_the_text() {
        let place = Place::file("a/model.json").at("/avatar").line_column(2, 13);
        let finding = Finding::new(&code::D001, place, "the avatar is cut off").hint("Copy it again.");
        let finished = finished([finding], &[("a/model.json", "{\n  \"avatar\": \"a \\\"b\\\".vrm\",\n}")]);
        let text = plain(&findings(&finished, false));
        let wanted = "\
error[D001]: the avatar is cut off
 --> a/model.json:2:13
  |
2 |   \"avatar\": \"a \\\"b\\\".vrm\",
  |             ^^^^^^^^^^^^^
  |
  = help: Copy it again.

";
        assert_eq!(text, wanted);
    }

    #[test]
    fn says_it_in_one_line_without_the_text() {
        let place = Place::file("a.vrm").at("/nodes/3");
        let finding = Finding::new(&code::S003, place, "moves").fixed().hint("Do not.");
        let text = plain(&findings(&finished([finding], &[]), true));
        let meaning = code::S003.meaning;
        assert_eq!(text, format!("note[S003] a.vrm: /nodes/3: moves (fixed)\n  note: {meaning}\n  help: Do not.\n"));
    }

    #[test]
    fn odd_places_do_no_harm() {
        let long = "x".repeat(LONGEST_LINE + 1);
        for (text, line, column) in [("", 1, 1), ("a", 9, 9), ("a\n", 2, 1), ("é", 1, 2), ("a\r\nb", 1, 2), (long.as_str(), 1, 1)] {
            let finding = Finding::new(&code::D001, Place::file("f").line_column(line, column), "m");
            assert!(findings(&finished([finding], &[("f", text)]), false).contains("D001"), "{text:?}");
        }
    }

    #[test]
    fn terminals_are_safe_from_names() {
        let finding = Finding::new(&code::D001, Place::file("a\u{1b}[31m.vrm"), "m\u{7}");
        let text = plain(&findings(&finished([finding], &[]), false));
        assert!(!text.contains(['\u{1b}', '\u{7}']));
        assert!(text.contains("[31m.vrm"));
    }

    #[test]
    fn sums_up() {
        assert_eq!(plain(&summary(&finished([], &[]))), "check: nothing to report\n");
        let two = [Finding::new(&code::D001, Place::default(), "m"), Finding::new(&code::D001, Place::default(), "m")];
        assert_eq!(plain(&summary(&finished(two, &[]))), "check: 2 errors\n");
    }

    #[test]
    fn a_watch_tells_only_what_is_otherwise() {
        let with = |findings: Vec<Finding>, bytes: u64| {
            let mut finished = finished(findings, &[]);
            let files =
                vec![File { path: "a.vrm".into(), bytes, ..File::default() }, File { path: "b.vrm".into(), bytes: 5, ..File::default() }];
            finished.outcome.packs = Some(vec![Pack { source: "p".into(), files, ..Pack::default() }]);
            finished
        };
        let finding = |file: &str| Finding::new(&code::D001, Place::file(file), "m").hint("h");
        let (before, now) = (with(vec![finding("a"), finding("b")], 100), with(vec![finding("b"), finding("c")], 50));
        let text = plain(&changes(&before, &now));
        let wanted = "error[D001] c: m\n  help: h\ngone: error[D001] a: m\n\
                      file     before   now  change\np/a.vrm   100 B  50 B    -50%\ncheck: 2 errors\n";
        assert_eq!(text, wanted);
        assert_eq!(plain(&changes(&now, &now)), "nothing is otherwise\ncheck: 2 errors\n");
    }

    #[test]
    fn many_files_are_told_by_kind() {
        let file = |path: &str| File { path: path.into(), bytes: 10, source_bytes: Some(100), ..File::default() };
        let mut outcome = Outcome::new("shrink");
        outcome.files = Some((0..=MOST_ROWS).map(|n| file(&format!("{n}.{}", if n % 2 == 0 { "vrm" } else { "GLB" }))).collect());
        let text = results(&outcome);
        assert_eq!(text, "file      input  output  change\n30 .glb  3.0 kB   300 B    -90%\n31 .vrm  3.1 kB   310 B    -90%\n2 files  6.1 kB   610 B    -90%\n".replace("2 files", "2 kinds"));
    }

    #[test]
    fn sizes_line_up() {
        let file = |path: &str, bytes, source_bytes| File { path: path.into(), bytes, source_bytes: Some(source_bytes), ..File::default() };
        let text = sizes(&[file("a.vrm", 17, 100), file("b.vrm", 1000, 2000)], "files");
        assert_eq!(
            text,
            "file      input  output  change\na.vrm     100 B    17 B    -83%\nb.vrm    2.0 kB  1.0 kB    -50%\n2 files  2.1 kB  1.0 kB    -52%\n"
        );
    }
}
