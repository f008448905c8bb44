//! STAND-IN for `disk` until it is merged: replace both functions by its own and remove this file.

use std::path::Path;

/// The text of a file of settings.
pub fn read_text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// True for a folder that exists.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}
