//! Annotations for GitHub workflows: one command a finding, which the runner shows at the line.

use crate::build::outcome::{Finding, Outcome};

/// One workflow command a finding: `::error file=a.json,line=4,col=13,title=M005::...`.
pub fn annotations(outcome: &Outcome) -> String {
    outcome.findings.iter().map(annotation).collect()
}

fn annotation(finding: &Finding) -> String {
    let command = match finding.severity.as_str() {
        "note" => "notice",
        severity => severity,
    };
    let mut properties = Vec::new();
    if finding.has_file() {
        properties.push(format!("file={}", property(&finding.path())));
    }
    properties.extend(finding.line.map(|line| format!("line={line}")));
    properties.extend(finding.column.map(|column| format!("col={column}")));
    properties.push(format!("title={}", property(&format!("{} {}", finding.code, finding.name))));
    let mut message = finding.message.clone();
    if finding.line.is_none() && !finding.pointer.is_empty() {
        message = format!("{}: {message}", finding.pointer);
    }
    if !finding.has_file() && !finding.file.is_empty() {
        message = format!("{}: {message}", finding.file);
    }
    if !finding.hint.is_empty() {
        message = format!("{message}\n{}", finding.hint);
    }
    format!("::{command} {}::{}\n", properties.join(","), data(&message))
}

/// Escaped as the runner's toolkit escapes the data of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escaped as the runner's toolkit escapes a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_would_end_a_part() {
        let finding = Finding {
            code: "M005".into(),
            name: "avatar-too-large".into(),
            severity: "error".into(),
            pack: Some("packs/one/".into()),
            file: "a,b:c%.json".into(),
            pointer: "/avatar".into(),
            line: Some(4),
            column: Some(13),
            message: "100%: too\r\nlarge".into(),
            hint: "Shrink it.".into(),
            ..Finding::default()
        };
        assert_eq!(
            annotation(&finding),
            "::error file=packs/one/a%2Cb%3Ac%25.json,line=4,col=13,title=M005 avatar-too-large::100%25: too%0D%0Alarge%0AShrink it.\n"
        );
        let without = Finding { severity: "note".into(), line: None, column: None, pack: None, file: String::new(), ..finding };
        assert!(annotation(&without).starts_with("::notice title=M005 avatar-too-large::/avatar: 100%25"));
    }
}
