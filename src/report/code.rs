//! The catalogue: every code a finding can have, with its severity and what `explain` says of it.
//!
//! P, M, G, O, K, F, N, C, R, A, L, I, W, H, V and B are rules of the format; D is the document and its container,
//! S shrinking, T motion, X settings and budgets, Z the tool itself. A code is never reused.

use serde::{Deserialize, Serialize};

/// How loud a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// The pack would be refused, or the file cannot be used.
    Error,
    /// The author should look at it.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// Why a rule exists, which decides how far the settings may change its severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The format says in so many words that the publish refuses it: never lowered.
    Refusal,
    /// The format states the limit and refusal is its natural reading: may be lowered to a warning.
    ReadRefusal,
    /// A bound of this tool's own: free.
    Safety,
    /// The platform may refuse it: free.
    MayRefuse,
    /// Advice whose neglect shows on the stage: free, a warning by default.
    StrongAdvice,
    /// Nothing refuses it: free, a note by default.
    Advice,
}

/// One entry of the catalogue.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// A letter for the area and three digits.
    pub id: &'static str,
    /// The slug, thing first, problem last.
    pub name: &'static str,
    /// Why the rule exists.
    pub kind: Kind,
    /// What it means, in one or two sentences.
    pub meaning: &'static str,
    /// How to mend it.
    pub remedy: &'static str,
}

impl Code {
    /// The severity when no setting changes it.
    pub fn severity(&self) -> Severity {
        match self.kind {
            Kind::Refusal | Kind::ReadRefusal | Kind::Safety => Severity::Error,
            Kind::MayRefuse | Kind::StrongAdvice => Severity::Warning,
            Kind::Advice => Severity::Note,
        }
    }

    /// True for trouble of the tool or its surroundings, not of the files: another run may not have it.
    pub fn is_of_tool(&self) -> bool {
        self.id.starts_with('Z')
    }
}

/// A code as plain data is its id.
pub(super) mod by_id {
    use super::Code;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(code: &&'static Code, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(code.id)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static Code, D::Error> {
        let id = String::deserialize(deserializer)?;
        super::find(&id).ok_or_else(|| D::Error::custom(format!("there is no code {id}")))
    }
}

macro_rules! catalogue {
    ($($id:ident $name:literal $kind:ident $meaning:literal $remedy:literal;)*) => {
        $(#[doc = $meaning] pub static $id: Code = Code { id: stringify!($id), name: $name, kind: Kind::$kind, meaning: $meaning, remedy: $remedy };)*
        /// Every code of this file.
        pub(super) static ALL: &[&Code] = &[$(&$id),*];
    };
}

mod live2d;
mod look;
mod motion;
mod tool;
mod wear;

pub use live2d::*;
pub use look::*;
pub use motion::*;
pub use tool::*;
pub use wear::*;

/// Every code.
pub fn all() -> impl Iterator<Item = &'static Code> + Clone {
    [look::ALL, live2d::ALL, motion::ALL, wear::ALL, tool::ALL].into_iter().flatten().copied()
}

/// The code with this id (`M005`) or name (`avatar-too-large`).
pub fn find(word: &str) -> Option<&'static Code> {
    all().find(|c| c.id.eq_ignore_ascii_case(word) || c.name == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_and_names_are_unique_and_well_formed() {
        let ids: BTreeSet<_> = all().map(|c| c.id).collect();
        let names: BTreeSet<_> = all().map(|c| c.name).collect();
        assert_eq!((ids.len(), names.len()), (all().count(), all().count()));
        for c in all() {
            assert!(c.id.len() == 4 && c.id[1..].bytes().all(|b| b.is_ascii_digit()), "{}", c.id);
            assert!(c.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{}", c.name);
            assert!(!c.meaning.is_empty() && !c.remedy.is_empty(), "{}", c.id);
        }
    }
}
