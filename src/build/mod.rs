//! The whole story of a run: settings, plan, work, outcome.

pub mod settings;
pub mod severity;
