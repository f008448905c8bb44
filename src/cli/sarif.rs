//! SARIF 2.1.0 (OASIS standard), which code scanning services read.

use crate::build::outcome::{Finding, Outcome};
use crate::report::code::{self, Code};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The findings of a run as one SARIF log, with the rules that they break and the code with which the program ends.
pub fn log(outcome: &Outcome, exit_code: u8) -> String {
    let broken: BTreeMap<&str, &Code> = outcome.findings.iter().filter_map(|f| code::find(&f.code)).map(|code| (code.id, code)).collect();
    let rules: Vec<Value> = broken.values().map(|code| rule(code)).collect();
    let index: BTreeMap<&str, usize> = broken.keys().enumerate().map(|(index, id)| (*id, index)).collect();
    let results: Vec<Value> = outcome.findings.iter().map(|finding| result(finding, &index)).collect();
    let driver = json!({ "name": outcome.tool, "version": outcome.version, "semanticVersion": outcome.version, "rules": rules });
    // Findings are no failure of the run (3.20.14); only a tool that could not do its work is.
    let invocation = json!({ "executionSuccessful": exit_code < 2, "exitCode": exit_code });
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "invocations": [invocation], "columnKind": "unicodeCodePoints", "results": results }],
    });
    super::json::line(&log, true)
}

fn rule(code: &Code) -> Value {
    json!({
        "id": code.id,
        "name": pascal(code.name),
        "shortDescription": { "text": code.name.replace('-', " ") },
        "fullDescription": { "text": code.meaning },
        "help": { "text": code.remedy },
        "defaultConfiguration": { "level": code.severity().word() },
    })
}

/// `avatar-too-large` as `AvatarTooLarge`: the standard (3.49.7) wants an identifier in Pascal case.
fn pascal(slug: &str) -> String {
    slug.split('-')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}

fn result(finding: &Finding, index: &BTreeMap<&str, usize>) -> Value {
    let text = if finding.hint.is_empty() { finding.message.clone() } else { format!("{}\n{}", finding.message, finding.hint) };
    let mut result = json!({ "ruleId": finding.code, "level": finding.severity, "message": { "text": text } });
    if let Some(index) = index.get(finding.code.as_str()) {
        result["ruleIndex"] = json!(index);
    }
    if !finding.path().is_empty() {
        result["locations"] = json!([location(finding)]);
    }
    if finding.fixed {
        result["properties"] = json!({ "fixed": true });
    }
    result
}

fn location(finding: &Finding) -> Value {
    if !finding.has_file() {
        return json!({ "logicalLocations": [{ "fullyQualifiedName": finding.file }] });
    }
    let mut physical = json!({ "artifactLocation": { "uri": uri(&finding.path()) } });
    if let Some(line) = finding.line {
        physical["region"] = json!({ "startLine": line });
        if let Some(column) = finding.column {
            physical["region"]["startColumn"] = json!(column);
        }
    }
    let mut location = json!({ "physicalLocation": physical });
    if !finding.pointer.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": finding.pointer, "kind": "value" }]);
    }
    location
}

/// A path as a URI reference (RFC 3986): what is not unreserved is percent-encoded, an absolute path becomes a `file:` URI.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    // Two slashes at the start would name a host.
    if path.starts_with('/') { format!("file:///{}", uri.trim_start_matches('/')) } else { uri }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{self, Place, Report};

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("a b/ü#?%.vrm"), "a%20b/%C3%BC%23%3F%25.vrm");
        assert_eq!(uri("C:x"), "C%3Ax");
        assert_eq!(uri("/tmp/a b"), "file:///tmp/a%20b");
    }

    #[test]
    fn a_log_has_rules_and_results() {
        let mut report = Report::default();
        report.add(report::Finding::new(&code::D001, Place::file("a b.vrm").at("/x").line_column(4, 13), "cut off").hint("Copy it."));
        report.add(report::Finding::new(&code::S003, Place::default(), "animated").fixed());
        let mut outcome = Outcome::new("check");
        outcome.add(&report, None);
        let log = log(&outcome, 1);
        let log: Value = serde_json::from_str(&log).expect("JSON");
        let run = &log["runs"][0];
        assert_eq!(run["invocations"], json!([{ "executionSuccessful": true, "exitCode": 1 }]));
        assert_eq!(run["tool"]["driver"]["rules"][0]["name"], "ContainerUnreadable");
        let result = &run["results"][0];
        assert_eq!((&result["ruleId"], &result["ruleIndex"], &result["level"]), (&json!("D001"), &json!(0), &json!("error")));
        let location = &result["locations"][0];
        assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], "a%20b.vrm");
        assert_eq!(location["physicalLocation"]["region"], json!({ "startLine": 4, "startColumn": 13 }));
        assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "/x");
        assert_eq!(run["results"][1]["properties"]["fixed"], true);
        assert!(run["results"][1].get("locations").is_none());
    }
}
