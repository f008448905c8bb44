//! Holds the layout of the sources: which module may use which, and what may stand only where.
//!
//! `src/lib.rs` tells the reasons. Each violation is printed with its file and line.

mod source;

use source::Source;
use std::path::Path;

/// The floors from the ground up. A module uses only floors below its own; modules on one floor do not see each other.
const FLOORS: &[&[&str]] = &[
    &["report", "units"],
    &["parallel", "spelling"],
    &["geometry", "disk", "remote", "watch", "codec"],
    &["gltf", "live2d"],
    &["vrm"],
    &["clip"],
    &["shrink", "cover", "motion", "pack"],
    &["build"],
    &["cli"],
];
/// The outside world: files, network, environment. The neighbours of `disk` may use it.
const OUTSIDE: &[&str] = &["disk", "remote", "watch"];
/// What reaches the outside world, as beginnings of paths.
const REACHES_OUT: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "fs::",
    "File::open",
    "File::create",
    "File::options",
    "OpenOptions::",
    "tempfile",
    "walkdir",
];
/// Methods of `Path` that ask the disk.
const ASKS_THE_DISK: &[&str] = &["exists", "try_exists", "canonicalize", "read_dir", "read_link", "symlink_metadata"];
const FOREIGN_CODE: &[&str] =
    &["libwebp_sys", "meshopt", "ufbx", "zip", "image", "fast_image_resize", "ktx2", "oxipng", "libdeflater", "jobserver"];
const PRINTS: &[&str] = &["println", "print", "eprintln", "eprint", "dbg"];
const VAGUE_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "manager", "context", "misc"];
const LINES_AT_MOST: usize = 600;

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|modules| modules.contains(&module))
}

/// Says what is wrong with a file as `line: what`.
type Rule = fn(&Source, &mut Vec<(usize, String)>);

const RULES: &[Rule] = &[floors, outside_world, foreign_code, printing, size_and_head, names, only_modules_in_lib];

/// A module uses only floors below its own.
fn floors(source: &Source, wrong: &mut Vec<(usize, String)>) {
    let Some(own) = source.module() else { return };
    let Some(height) = floor(own) else {
        wrong.push((1, format!("the module {own} is on no floor: add it to FLOORS in tests/structure/main.rs and to src/lib.rs")));
        return;
    };
    for path in &source.paths {
        let Some(target) = source.root_target(path).filter(|target| *target != own) else { continue };
        let neighbours = target == "disk" && OUTSIDE.contains(&own);
        match floor(target) {
            Some(below) if below < height || neighbours => {}
            Some(below) if below == height => wrong.push((path.line, format!("{own} uses {target}, which is on the same floor"))),
            Some(_) => wrong.push((path.line, format!("{own} uses {target}, which is above it"))),
            None => wrong.push((path.line, format!("{own} uses crate::{target}, which is no module of a floor"))),
        }
    }
}

/// Files, network, environment and other programs only in `disk`, its neighbours and `main`.
fn outside_world(source: &Source, wrong: &mut Vec<(usize, String)>) {
    if source.path == "main.rs" || source.module().is_some_and(|own| OUTSIDE.contains(&own)) {
        return;
    }
    for path in source.paths.iter().filter(|path| !path.test) {
        let whole = path.parts.join("::") + "::";
        let reaches = |start: &&&str| whole.strip_prefix(**start).is_some_and(|rest| start.ends_with(':') || rest.starts_with("::"));
        if let Some(start) = REACHES_OUT.iter().find(reaches).filter(|_| source.root_target(path).is_none()) {
            wrong.push((path.line, format!("{} outside disk and main", start.trim_end_matches(':'))));
        }
    }
    for three in source.tokens.windows(3).filter(|three| !three[1].test) {
        if three[0].text == "." && ASKS_THE_DISK.contains(&three[1].text.as_str()) && three[2].text == "(" {
            wrong.push((three[1].line, format!(".{}() outside disk and main", three[1].text)));
        }
    }
}

/// Code of other languages and `unsafe` only in `codec`, rayon only in `parallel`.
fn foreign_code(source: &Source, wrong: &mut Vec<(usize, String)>) {
    for path in &source.paths {
        let name = path.parts[0].as_str();
        if FOREIGN_CODE.contains(&name) && source.module() != Some("codec") && !source.has_own(name) {
            wrong.push((path.line, format!("the crate {name} outside codec")));
        }
        if name == "rayon" && source.path != "parallel.rs" {
            wrong.push((path.line, "rayon outside parallel".into()));
        }
    }
    for token in source.tokens.iter().filter(|token| token.text == "unsafe") {
        if source.module() != Some("codec") {
            wrong.push((token.line, "unsafe outside codec".into()));
        }
    }
}

/// Only `cli` and `main` print.
fn printing(source: &Source, wrong: &mut Vec<(usize, String)>) {
    if source.path == "main.rs" || source.module() == Some("cli") {
        return;
    }
    for pair in source.tokens.windows(2) {
        if PRINTS.contains(&pair[0].text.as_str()) && pair[1].text == "!" {
            wrong.push((pair[0].line, format!("{}! outside cli", pair[0].text)));
        }
    }
    for path in source.paths.iter().filter(|path| path.parts.iter().any(|part| matches!(part.as_str(), "stdout" | "stderr"))) {
        wrong.push((path.line, "standard output or error outside cli".into()));
    }
}

/// A file opens with a sentence about itself and can be read in one go.
fn size_and_head(source: &Source, wrong: &mut Vec<(usize, String)>) {
    if !source.text.starts_with("//! ") {
        wrong.push((1, "opens without `//! ` and a sentence that says what is here".into()));
    }
    let lines = source.text.lines().count();
    if lines > LINES_AT_MOST {
        wrong.push((lines, format!("has {lines} lines, more than {LINES_AT_MOST}")));
    }
}

/// A module is called by what it does.
fn names(source: &Source, wrong: &mut Vec<(usize, String)>) {
    let inline = source.tokens.windows(2).filter(|pair| pair[0].text == "mod").map(|pair| (pair[1].line, pair[1].text.as_str()));
    for (line, name) in source.modules().into_iter().map(|name| (1, name)).chain(inline) {
        if VAGUE_NAMES.contains(&name) {
            wrong.push((line, format!("the module name {name} says nothing")));
        }
    }
}

/// `lib.rs` is documentation and a list of modules.
fn only_modules_in_lib(source: &Source, wrong: &mut Vec<(usize, String)>) {
    if source.path != "lib.rs" {
        return;
    }
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim();
        let module = line.starts_with("pub mod ") && line.ends_with(';');
        if !(line.is_empty() || line.starts_with("//") || line.starts_with("#!") || line.starts_with("#[cfg") || module) {
            wrong.push((number + 1, "lib.rs holds only documentation and `pub mod` lines".into()));
        }
    }
}

fn violations(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    for rule in RULES {
        rule(source, &mut wrong);
    }
    wrong.sort();
    wrong.dedup();
    wrong.into_iter().map(|(line, what)| format!("src/{}:{line}: {what}", source.path)).collect()
}

/// Every `.rs` file under `folder`, as a path relative to `root`, sorted.
fn rust_files(root: &Path, folder: &Path, found: &mut Vec<String>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(root).expect("under the root");
            found.push(relative.to_str().expect("UTF-8").replace(std::path::MAIN_SEPARATOR, "/"));
        }
    }
}

#[test]
fn the_sources_keep_to_the_house() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &root, &mut files);
    let mut all = Vec::new();
    for path in &files {
        let text = std::fs::read_to_string(root.join(path)).expect("UTF-8");
        all.extend(violations(&Source::new(path, &text)));
    }
    assert!(!files.is_empty());
    assert!(all.is_empty(), "{} violations:\n{}", all.len(), all.join("\n"));
}

/// A file, its text from line 2 on, and the one thing that is wrong with it (`""`: nothing).
const CASES: &[(&str, &str, &str)] = &[
    ("report/mod.rs", "use crate::units;", "2: report uses units, which is on the same floor"),
    ("report/mod.rs", "use crate::report::code;", ""),
    ("gltf/mod.rs", "fn f() {\n    crate::vrm::read()\n}", "3: gltf uses vrm, which is above it"),
    ("gltf/mod.rs", "use super::vrm;", "2: gltf uses vrm, which is above it"),
    ("gltf/refs.rs", "use super::super::{codec, vrm::Row};", "2: gltf uses vrm, which is above it"),
    ("gltf/refs.rs", "use super::accessor; use crate::{codec::meshopt, report::Report};", ""),
    ("gltf/refs.rs", "// crate::vrm\nconst S: &str = \"crate::vrm\";", ""),
    ("shrink/weld.rs", "use crate::cover::Mask;", "2: shrink uses cover, which is on the same floor"),
    ("disk.rs", "use crate::codec::zip;", "2: disk uses codec, which is on the same floor"),
    ("watch.rs", "use crate::disk;", ""),
    ("disk.rs", "use crate::watch;", "2: disk uses watch, which is on the same floor"),
    ("cellar.rs", "", "1: the module cellar is on no floor: add it to FLOORS in tests/structure/main.rs and to src/lib.rs"),
    ("build/mod.rs", "use crate::*;", "2: build uses crate::*, which is no module of a floor"),
    ("pack/mod.rs", "use std::{collections::BTreeMap, fs};", "2: std::fs outside disk and main"),
    ("pack/mod.rs", "fn f() { std::env::var(\"X\"); }", "2: std::env outside disk and main"),
    ("pack/mod.rs", "const V: &str = env!(\"CARGO_PKG_VERSION\");", ""),
    ("pack/mod.rs", "fn f(p: &Path) -> bool { p.exists() }", "2: .exists() outside disk and main"),
    ("pack/mod.rs", "#[cfg(test)]\nmod tests {\n    use std::fs;\n}", ""),
    ("pack/mod.rs", "mod tests {\n    use std::fs;\n}", "3: std::fs outside disk and main"),
    ("disk.rs", "use std::fs;", ""),
    ("main.rs", "use std::env; use std::process::ExitCode; fn main() { println!() }", ""),
    ("shrink/mod.rs", "use rayon::prelude::*;", "2: rayon outside parallel"),
    ("parallel.rs", "use rayon::prelude::*;", ""),
    ("shrink/textures.rs", "use image::RgbaImage;", "2: the crate image outside codec"),
    ("shrink/textures.rs", "use crate::codec::image; fn f() { image::decode() }", ""),
    ("codec/image.rs", "use image::RgbaImage; fn f() { unsafe { g() } }", ""),
    ("gltf/mod.rs", "fn f() { unsafe { g() } }", "2: unsafe outside codec"),
    ("gltf/mod.rs", "#![forbid(unsafe_code)]", ""),
    ("build/run.rs", "fn f() { eprintln!(\"x\") }", "2: eprintln! outside cli"),
    ("build/run.rs", "use std::io::stdout;", "2: standard output or error outside cli"),
    ("cli/mod.rs", "fn f() { println!(\"x\") }", ""),
    ("gltf/helpers.rs", "", "1: the module name helpers says nothing"),
    ("gltf/mod.rs", "\nmod utils;", "3: the module name utils says nothing"),
    ("lib.rs", "pub mod gltf;\n\nfn f() {}", "4: lib.rs holds only documentation and `pub mod` lines"),
];

#[test]
fn each_rule_catches_what_it_is_for() {
    for &(path, text, expected) in CASES {
        let found = violations(&Source::new(path, &format!("//! A case.\n{text}")));
        let expected = if expected.is_empty() { vec![] } else { vec![format!("src/{path}:{expected}")] };
        assert_eq!(found, expected, "{text}");
    }
    let long = "//! Long.\n".to_string() + &"\n".repeat(LINES_AT_MOST);
    assert_eq!(violations(&Source::new("units.rs", &long)), ["src/units.rs:601: has 601 lines, more than 600"]);
    assert_eq!(violations(&Source::new("units.rs", "")), ["src/units.rs:1: opens without `//! ` and a sentence that says what is here"]);
}
