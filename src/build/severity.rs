//! How loud each finding is, once the settings have had their say.

use crate::report::code::{Code, Kind};
use crate::report::{Finding, Report, Severity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the settings can make of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// A note.
    Note,
    /// Not shown.
    Off,
}

impl Level {
    /// The level that `word` names.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "error" => Some(Self::Error),
            "warning" => Some(Self::Warning),
            "note" => Some(Self::Note),
            "off" => Some(Self::Off),
            _ => None,
        }
    }

    /// None for [`Level::Off`].
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Note => Some(Severity::Note),
            Self::Off => None,
        }
    }
}

/// The settings' changes, by the id of the code.
pub type Levels = BTreeMap<String, Level>;

/// Why a code may not have this level, in words that follow `it`; `None` when it may.
pub fn refused(code: &Code, level: Level) -> Option<&'static str> {
    match (code.kind, level) {
        (Kind::Refusal, Level::Warning | Level::Note | Level::Off) => {
            Some("is what the publish refuses, so it can be neither lowered nor silenced")
        }
        (Kind::ReadRefusal, Level::Note | Level::Off) => Some("can be lowered to a warning, no further"),
        _ => None,
    }
}

/// The words of the levels that a code may have.
pub fn allowed(code: &Code) -> Vec<&'static str> {
    ["error", "warning", "note", "off"]
        .into_iter()
        .filter(|word| Level::parse(word).is_some_and(|level| refused(code, level).is_none()))
        .collect()
}

/// Changes the findings of a report as `levels` say; with `strict`, every warning that is left becomes an error.
///
/// A finding that its rule made louder than the catalogue says (content that no reader takes, say) is not lowered, and one that its rule
/// made softer, or that was mended, is not raised.
pub fn apply(levels: &Levels, strict: bool, report: &mut Report) {
    report.findings.retain_mut(|finding| {
        if let Some(level) = levels.get(finding.code.id).filter(|level| refused(finding.code, **level).is_none()) {
            match changed(finding, *level) {
                Some(severity) => finding.severity = severity,
                None => return false,
            }
        }
        if strict && finding.severity == Severity::Warning {
            finding.severity = Severity::Error;
        }
        true
    });
}

/// The new severity of one finding, `None` when it is silenced.
fn changed(finding: &Finding, level: Level) -> Option<Severity> {
    let (now, usual) = (finding.severity, finding.code.severity());
    match level.severity() {
        // Errors sort first: less is louder.
        _ if now < usual => Some(now),
        Some(wanted) if now > usual || finding.fixed => Some(wanted.max(now)),
        wanted => wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Place, code};

    static REFUSAL: Code = Code { id: "Q001", name: "q", kind: Kind::Refusal, meaning: "q", remedy: "q" };

    fn after(code: &'static Code, level: Level, strict: bool, change: fn(Finding) -> Finding) -> Option<Severity> {
        let mut report = Report::default();
        report.add(change(Finding::new(code, Place::default(), "x")));
        apply(&Levels::from([(code.id.to_owned(), level)]), strict, &mut report);
        report.findings.first().map(|f| f.severity)
    }

    #[test]
    fn a_refusal_stays() {
        for level in [Level::Warning, Level::Note, Level::Off] {
            assert!(refused(&REFUSAL, level).is_some());
            assert_eq!(after(&REFUSAL, level, false, |f| f), Some(Severity::Error));
        }
        assert!(refused(&REFUSAL, Level::Error).is_none());
    }

    #[test]
    fn a_read_refusal_goes_down_to_a_warning() {
        assert_eq!(after(&code::D001, Level::Warning, false, |f| f), Some(Severity::Warning));
        assert_eq!(after(&code::D001, Level::Note, false, |f| f), Some(Severity::Error));
    }

    #[test]
    fn the_rest_is_free() {
        assert_eq!(after(&code::S003, Level::Error, false, |f| f), Some(Severity::Error));
        assert_eq!(after(&code::S003, Level::Off, false, |f| f), None);
        assert_eq!(after(&code::D010, Level::Note, false, |f| f), Some(Severity::Note));
        assert_eq!(after(&code::S002, Level::Warning, true, |f| f), Some(Severity::Error));
    }

    #[test]
    fn what_a_rule_decided_stays() {
        let louder = |mut f: Finding| {
            f.severity = Severity::Error;
            f
        };
        assert_eq!(after(&code::S003, Level::Off, false, louder), Some(Severity::Error));
        assert_eq!(after(&code::S002, Level::Error, false, Finding::fixed), Some(Severity::Note));
        assert_eq!(after(&code::S002, Level::Off, false, Finding::fixed), None);
    }
}
