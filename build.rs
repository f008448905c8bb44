//! Tells the program what it was built from, so that a build cache never takes the result of another program for its own.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    let mut files = BTreeSet::from(["Cargo.lock", "Cargo.toml", "pipeline.toml"].map(PathBuf::from));
    collect(Path::new("src"), &mut files);
    let mut hasher = DefaultHasher::new();
    for file in &files {
        file.hash(&mut hasher);
        // A file that a package leaves out is the same for everybody who builds that package.
        std::fs::read(file).unwrap_or_default().hash(&mut hasher);
    }
    for name in ["TARGET", "CARGO_CFG_TARGET_FEATURE"] {
        std::env::var(name).unwrap_or_default().hash(&mut hasher);
    }
    println!("cargo::rustc-env=COMPANION_BUILD_SOURCES={:016x}", hasher.finish());
    for path in ["build.rs", "src", "Cargo.lock", "Cargo.toml", "pipeline.toml"] {
        println!("cargo::rerun-if-changed={path}");
    }
}

fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path);
        }
    }
}
