//! What the tool says about a pack: each finding names the file, the place in it, and what to do.

pub mod code;
pub mod locate;
pub mod nearest;
pub mod progress;

pub use code::{Code, Severity};
pub use progress::Progress;

use serde::{Deserialize, Serialize};

/// Where a finding is: a file, and inside it a JSON Pointer (RFC 6901); line and column where the text is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Relative to the pack, else as given on the command line; `/` between the parts.
    pub file: String,
    /// JSON Pointer of the value, `""` for the whole file.
    pub pointer: String,
    /// Line, from 1; 0 when unknown or when the file is not text.
    pub line: usize,
    /// Column in characters, from 1; 0 when unknown.
    pub column: usize,
}

impl Place {
    /// The whole of a file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// The same file, at a JSON Pointer.
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = pointer.into();
        self
    }

    /// The same place with its line and column, both from 1.
    pub fn line_column(mut self, line: usize, column: usize) -> Self {
        (self.line, self.column) = (line, column);
        self
    }
}

/// One thing worth saying about the user's files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Finding {
    /// What kind of trouble, from the catalogue.
    #[serde(with = "code::by_id")]
    pub code: &'static Code,
    /// As the catalogue says, or as the settings changed it.
    pub severity: Severity,
    /// True when the build mended it on the way (then it is a note).
    pub fixed: bool,
    /// Where.
    pub place: Place,
    /// What is wrong, in one sentence, with the values.
    pub message: String,
    /// What to do, in the imperative; empty when there is nothing to add.
    pub hint: String,
}

impl Finding {
    /// A finding with the catalogue's severity and no hint.
    pub fn new(code: &'static Code, place: Place, message: impl Into<String>) -> Self {
        Self { code, severity: code.severity(), fixed: false, place, message: message.into(), hint: String::new() }
    }

    /// Adds what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Says that it was mended on the way: a note.
    pub fn fixed(mut self) -> Self {
        (self.fixed, self.severity) = (true, Severity::Note);
        self
    }
}

/// The findings of one job, in the order in which they were made.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Report {
    /// All of them; a job adds, nobody takes away.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Adds one finding.
    pub fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds all findings of another job.
    pub fn merge(&mut self, other: Report) {
        self.findings.extend(other.findings);
    }

    /// True when a finding of severity error is left.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|f| f.severity == Severity::Error)
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }

    /// Sorts by file, line, pointer and code, so that the order does not depend on which job ended first.
    pub fn sort(&mut self) {
        self.findings.sort_by(|a, b| {
            (&a.place.file, a.place.line, a.place.column, &a.place.pointer, a.code.id).cmp(&(
                &b.place.file,
                b.place.line,
                b.place.column,
                &b.place.pointer,
                b.code.id,
            ))
        });
    }
}
