//! Every dependency, of the program and of its tests in the browser, has a permissive licence.

use serde_json::Value;
use std::process::Command;
use std::sync::LazyLock;

const CLIENT_LOCK: &str = "tests/client/package-lock.json";

/// What this project may be combined with and shipped as: the list that cargo-deny uses.
static ALLOWED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let deny: toml::Table = read("deny.toml").parse().expect("TOML");
    deny["licenses"]["allow"].as_array().expect("a list").iter().map(|id| id.as_str().expect("a name").to_string()).collect()
});

fn allowed(licence: &str) -> bool {
    ALLOWED.iter().any(|id| id == licence)
}

/// A file of this project.
fn read(path: &str) -> String {
    std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).expect(path)
}

/// Whether the allowed licences are enough to satisfy an SPDX expression (`/`, of old crates, means `OR`).
fn satisfied(expression: &str) -> Result<bool, String> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let verdict = any(&mut rest)?;
    if rest.is_empty() { Ok(verdict) } else { Err(format!("{rest:?} is left over")) }
}

/// `a OR b OR ..`
fn any(words: &mut &[&str]) -> Result<bool, String> {
    let mut verdict = all(words)?;
    while take(words, "OR") {
        verdict |= all(words)?;
    }
    Ok(verdict)
}

/// `a AND b AND ..`, which binds tighter.
fn all(words: &mut &[&str]) -> Result<bool, String> {
    let mut verdict = one(words)?;
    while take(words, "AND") {
        verdict &= one(words)?;
    }
    Ok(verdict)
}

/// `( .. )`, a licence, or a licence `WITH` an exception.
fn one(words: &mut &[&str]) -> Result<bool, String> {
    if take(words, "(") {
        let verdict = any(words)?;
        return if take(words, ")") { Ok(verdict) } else { Err("a bracket is not closed".into()) };
    }
    let name = next(words)?;
    if take(words, "WITH") {
        let exception = next(words)?;
        return Ok(allowed(&format!("{name} WITH {exception}")));
    }
    Ok(allowed(name))
}

fn take(words: &mut &[&str], word: &str) -> bool {
    let found = words.first() == Some(&word);
    if found {
        *words = &words[1..];
    }
    found
}

fn next<'a>(words: &mut &[&'a str]) -> Result<&'a str, String> {
    let (&word, rest) = words.split_first().ok_or("a licence is missing")?;
    *words = rest;
    if matches!(word, "OR" | "AND" | "WITH" | "(" | ")") { Err(format!("{word} is in the wrong place")) } else { Ok(word) }
}

/// Why a dependency with this licence is not welcome.
fn objection(licence: Option<&str>) -> Option<String> {
    match licence.map(|text| (text, satisfied(text))) {
        None => Some("states no licence".into()),
        Some((_, Ok(true))) => None,
        Some((text, Ok(false))) => Some(format!("{text} is not permissive")),
        Some((text, Err(trouble))) => Some(format!("{text} cannot be read: {trouble}")),
    }
}

/// `cargo metadata`; where only the packages for this computer are there and no network, of those.
fn metadata() -> Value {
    let run = |arguments: &[&str]| {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["metadata", "--format-version", "1", "--locked"]).args(arguments);
        command.output().expect("cargo runs")
    };
    let mut output = run(&[]);
    if !output.status.success() {
        let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
        let text = String::from_utf8_lossy(&rustc.stdout).into_owned();
        let host = text.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
        output = run(&["--offline", "--filter-platform", host]);
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

#[test]
fn every_crate_is_permissive() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let mut objections = Vec::new();
    for package in packages {
        if let Some(why) = objection(package["license"].as_str()) {
            objections.push(format!("{} {}: {why}", package["name"], package["version"]));
        }
    }
    assert!(packages.len() > 50, "only {} packages: is this all of them?", packages.len());
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

#[test]
fn every_package_of_the_client_tests_is_permissive() {
    let lock: Value = serde_json::from_str(&read(CLIENT_LOCK)).expect("JSON");
    let mut objections = Vec::new();
    for (path, package) in lock["packages"].as_object().expect("packages") {
        let own = path.is_empty();
        if let Some(why) = objection(package["license"].as_str()).filter(|_| !own) {
            objections.push(format!("{path}: {why}"));
        }
    }
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

#[test]
fn the_lock_of_the_client_tests_names_no_server() {
    assert!(!read(CLIENT_LOCK).contains("\"resolved\""), "remove the \"resolved\" lines: npm then asks the registry that the user set");
}

#[test]
fn expressions_are_read_as_spdx_says() {
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0-only", false),
        ("MIT OR GPL-3.0-only", true),
        ("MIT AND GPL-3.0-only", false),
        ("MIT/Apache-2.0", true),
        ("GPL-2.0/AGPL-3.0", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND MPL-2.0", false),
        ("MIT OR Apache-2.0 OR LGPL-2.1-or-later", true),
        ("GPL-3.0-only OR MIT AND LGPL-3.0-only", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-3.0-only WITH Classpath-exception-2.0", false),
        ("GPL-3.0-only WITH Classpath-exception-2.0 OR MIT", true),
    ] {
        assert_eq!(satisfied(expression), Ok(expected), "{expression}");
    }
    for broken in ["", "MIT OR", "MIT Apache-2.0", "(MIT", "AND MIT", "MIT WITH"] {
        assert!(satisfied(broken).is_err(), "{broken}");
    }
}
