//! What nothing refers to any more goes: textures, images, samplers, accessors and buffer views. Nothing else is ever removed.

use super::{Pass, Work};
use crate::report::Report;

/// Removes what is not used.
pub const PASS: Pass =
    Pass { name: "prune", summary: "removes textures, images, samplers, accessors and buffer views that nothing uses", run };

/// Users before what they use.
const LISTS: [&str; 5] = ["textures", "images", "samplers", "accessors", "bufferViews"];

fn run(work: &mut Work, _: &mut Report) -> bool {
    if !work.renumber {
        return false;
    }
    let mut changed = false;
    for list in LISTS {
        let used = work.workshop.table.used(&work.document.json, list, work.document.list(list).len());
        changed |= used.iter().any(|used| !used);
        work.document.retain(work.workshop.table, list, &used);
    }
    changed
}
