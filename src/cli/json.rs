//! JSON for programs: one object a run, or one a line for each file and pack as it is done.

use crate::build::outcome::{File, Finding, Outcome, Pack};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// The whole run as one object.
pub fn object(outcome: &Outcome) -> String {
    line(&serde_json::to_value(outcome).unwrap_or_default(), true)
}

/// Any list or object of plain data, with an end of line.
pub fn line(value: &impl Serialize, pretty: bool) -> String {
    let text = if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    text.unwrap_or_default() + "\n"
}

/// Remembers which files and packs were printed, so that the last line holds the rest.
#[derive(Debug, Default)]
pub struct Lines {
    printed: Mutex<BTreeSet<String>>,
}

impl Lines {
    /// The line of a file that is done: its own object, with `findings`.
    pub fn file(&self, file: &File, findings: &[Finding]) -> String {
        self.one(&file.path, serde_json::to_value(file).unwrap_or_default(), findings)
    }

    /// The line of a pack that is done: its own object, with `findings`.
    pub fn pack(&self, pack: &Pack, findings: &[Finding]) -> String {
        self.one(&pack.source, serde_json::to_value(pack).unwrap_or_default(), findings)
    }

    fn one(&self, name: &str, mut value: Value, findings: &[Finding]) -> String {
        self.printed.lock().unwrap_or_else(|e| e.into_inner()).extend(findings.iter().map(key).chain([name.to_owned()]));
        if let (Some(object), Ok(findings)) = (value.as_object_mut(), serde_json::to_value(findings)) {
            object.insert("findings".into(), findings);
        }
        line(&value, false)
    }

    /// What is left when the run is over: a line for each file and pack that was not printed before, then the run itself with the findings
    /// that were in no line.
    pub fn rest(&self, outcome: &Outcome) -> String {
        let printed = self.printed.lock().unwrap_or_else(|e| e.into_inner()).clone();
        let mut text = String::new();
        for file in outcome.files.iter().flatten().filter(|file| !printed.contains(&file.path)) {
            let own: Vec<Finding> = outcome.findings.iter().filter(|finding| finding.path() == file.path).cloned().collect();
            text.push_str(&self.file(file, &own));
        }
        for pack in outcome.packs.iter().flatten().filter(|pack| !printed.contains(&pack.source)) {
            let own: Vec<Finding> = outcome.findings.iter().filter(|f| f.pack.as_ref() == Some(&pack.source)).cloned().collect();
            text.push_str(&self.pack(pack, &own));
        }
        let printed = self.printed.lock().unwrap_or_else(|e| e.into_inner());
        let left = outcome.findings.iter().filter(|finding| !printed.contains(&key(finding))).cloned().collect();
        let run = Outcome { findings: left, files: None, packs: None, ..outcome.clone() };
        text + &line(&run, false)
    }
}

/// What makes a finding itself, among names of files.
fn key(finding: &Finding) -> String {
    format!("{}\0{}\0{}\0{}", finding.code, finding.path(), finding.pointer, finding.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_and_finding_is_printed_once() {
        let file = |path: &str| File { path: path.into(), ..File::default() };
        let finding = |file: &str| Finding { code: "D001".into(), file: file.into(), ..Finding::default() };
        let lines = Lines::default();
        let first = lines.file(&file("a"), &[finding("a")]);
        assert_eq!(first.matches("D001").count(), 1);
        let mut outcome = Outcome::new("shrink");
        outcome.files = Some(vec![file("a"), file("b")]);
        outcome.findings = vec![finding("a"), finding("b"), finding("c")];
        let rest = lines.rest(&outcome);
        let rest: Vec<Value> = rest.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(rest.len(), 2);
        assert_eq!((&rest[0]["path"], &rest[0]["findings"][0]["file"]), (&"b".into(), &"b".into()));
        assert_eq!(rest[1]["findings"].as_array().map(Vec::len), Some(1));
        assert_eq!(rest[1]["findings"][0]["file"], "c");
        assert_eq!(rest[1]["command"], "shrink");
    }
}
