//! JUnit XML, which CI services show as tests: one suite a pack, one case a file, failed when an error is left in it.

use crate::build::outcome::{Finding, Outcome};
use crate::report::Severity;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;

/// The findings of a run as one report. Files without findings are cases that passed.
pub fn report(outcome: &Outcome) -> String {
    let mut suites: BTreeMap<&str, BTreeMap<&str, Vec<&Finding>>> = BTreeMap::new();
    for pack in outcome.packs.iter().flatten() {
        let cases = suites.entry(&pack.source).or_default();
        cases.extend(pack.files.iter().map(|file| (file.path.as_str(), Vec::new())));
    }
    for file in outcome.files.iter().flatten() {
        suites.entry(&outcome.command).or_default().entry(&file.path).or_default();
    }
    for finding in &outcome.findings {
        let suite = finding.pack.as_deref().unwrap_or(&outcome.command);
        let case = if finding.file.is_empty() { suite } else { &finding.file };
        suites.entry(suite).or_default().entry(case).or_default().push(finding);
    }
    let mut report = Report::new(format!("{} {}", outcome.tool, outcome.command));
    for (name, cases) in suites {
        let mut suite = TestSuite::new(name);
        suite.add_test_cases(cases.into_iter().map(|(file, findings)| case(name, file, &findings)));
        report.add_test_suite(suite);
    }
    let mut text = report.to_string().unwrap_or_default();
    text.push('\n');
    text
}

fn case(suite: &str, file: &str, findings: &[&Finding]) -> TestCase {
    let (errors, others): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(|finding| finding.severity == Severity::Error.word());
    let status = match errors.first() {
        None => TestCaseStatus::success(),
        Some(first) => {
            // The tool itself failed where its own codes are errors.
            let kind = if first.is_of_tool() { NonSuccessKind::Error } else { NonSuccessKind::Failure };
            let mut status = TestCaseStatus::non_success(kind);
            let more = if errors.len() > 1 { format!(" (and {} more)", errors.len() - 1) } else { String::new() };
            status.set_message(format!("{}{more}", first.message)).set_type(first.code.clone()).set_description(lines(&errors));
            status
        }
    };
    let mut case = TestCase::new(file, status);
    case.set_classname(suite);
    if !others.is_empty() {
        case.set_system_out(lines(&others));
    }
    case
}

/// One line a finding, and its hint below it.
fn lines(findings: &[&Finding]) -> String {
    let line = |finding: &&Finding| {
        let place = finding.line.zip(finding.column).map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        let fixed = if finding.fixed { " (fixed)" } else { "" };
        let hint = if finding.hint.is_empty() { String::new() } else { format!("\n  {}", finding.hint) };
        format!("{}[{}] {}{place}: {}{fixed}{hint}", finding.severity, finding.code, finding.path(), finding.message)
    };
    findings.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::outcome::{File, Pack};

    #[test]
    fn a_case_a_file() {
        let finding = |severity: &str, message: &str| Finding {
            code: "M005".into(),
            severity: severity.into(),
            pack: Some("packs/fox".into()),
            file: "a.json".into(),
            line: Some(4),
            column: Some(13),
            message: message.into(),
            ..Finding::default()
        };
        let files = ["a.json", "b.json"].map(|path| File { path: path.into(), ..File::default() });
        let pack = Pack { source: "packs/fox".into(), files: files.to_vec(), ..Pack::default() };
        let outcome = Outcome {
            packs: Some(vec![pack]),
            findings: vec![finding("error", "5 < 6 & \u{1}more"), finding("note", "so\nso")],
            ..Outcome::new("check")
        };
        let text = report(&outcome);
        for part in [
            r#"<testsuites name="companion-build check" tests="2" skipped="0" failures="1" errors="0">"#,
            r#"<testsuite name="packs/fox" tests="2" skipped="0" errors="0" failures="1">"#,
            r#"<testcase name="b.json" classname="packs/fox"/>"#,
            // Characters that XML forbids are left out.
            r#"<failure message="5 &lt; 6 &amp; more" type="M005">"#,
            "error[M005] packs/fox/a.json:4:13: 5 &lt; 6 &amp; more",
            "<system-out>note[M005] packs/fox/a.json:4:13: so\nso</system-out>",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
