//! Copies of folders, for the tests that change a pack.

use std::path::Path;

/// Copies a file, or a folder with all that is in it; makes the folders that it takes.
pub fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().flatten() {
        let target = to.join(entry.path().strip_prefix(from).expect("below"));
        // Of a file alone the path below it is empty, and joining that would end in a slash.
        let target = if entry.depth() == 0 { to } else { &target };
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).expect("a folder");
        } else {
            std::fs::create_dir_all(target.parent().expect("below")).expect("a folder");
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}
