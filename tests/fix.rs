//! `check --fix`: what is certain is mended in the manifests, and nothing else is touched.

mod folder;

use assert_cmd::Command;
use folder::copy;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/wardrobe")
}

fn check(pack: &Path, more: &[&str]) -> (Option<i32>, Vec<Value>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let run = command.arg("check").arg(pack).args(["--format", "json"]).args(more).output().expect("it starts");
    let json: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    (run.status.code(), json["findings"].as_array().cloned().unwrap_or_default())
}

/// Codes of findings, with `+` for those that were mended.
fn loud(findings: &[Value]) -> Vec<String> {
    let wanted = findings.iter().filter(|f| f["severity"] != "note" || f["fixed"] == true);
    let mut codes: Vec<String> =
        wanted.map(|f| format!("{}{}", f["code"].as_str().unwrap_or("?"), if f["fixed"] == true { "+" } else { "" })).collect();
    codes.sort();
    codes
}

#[test]
fn what_is_certain_is_mended_and_nothing_else() {
    let temporary = tempfile::tempdir().expect("a folder");
    let pack = temporary.path().join("wardrobe");
    copy(&sample(), &pack);
    let manifest = pack.join("companion-models/juno/model.json");
    let good = std::fs::read_to_string(&manifest).expect("a manifest");
    // A mark, a raw name, another case, an order, odd spaces; and an unknown key that nobody can mend for certain.
    let odd = good.replace("\"name\": \"Juno\"", "\"name\":\t\"Juno\"").replace("\"pacing\": {", "\"pacing\":{ \"sped\":1,");
    let broken = odd
        .replace("[\"Top001\", \"Jacket\"", "[\"Top.001\", \"Jacket\"")
        .replace("\"thumbnail.png\"", "\"Thumbnail.PNG\"")
        .replace("[\"SkirtF\", \"SkirtFL\", \"SkirtL\",", "[\"SkirtF\", \"SkirtL\", \"SkirtFL\",");
    std::fs::write(&manifest, format!("\u{feff}{broken}")).expect("a manifest");

    let (code, findings) = check(&pack, &[]);
    assert_eq!((code, loud(&findings)), (Some(1), ["G016", "O007", "P007", "P013"].map(String::from).to_vec()));
    let (code, findings) = check(&pack, &["--fix"]);
    assert_eq!((code, loud(&findings)), (Some(1), ["G016", "O007+", "P007+", "P013+"].map(String::from).to_vec()));
    assert_eq!(std::fs::read_to_string(&manifest).expect("a manifest"), odd);
    // What is good is not written again.
    let time = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).expect("a time");
    let before = time(&manifest);
    let (code, findings) = check(&pack, &["--fix"]);
    assert_eq!((code, loud(&findings)), (Some(1), vec!["G016".to_owned()]));
    assert_eq!(time(&manifest), before);
}

#[test]
fn a_zip_is_never_mended() {
    let temporary = tempfile::tempdir().expect("a folder");
    let mut build = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    build.args(["build", "--no-cache"]).arg(sample().with_file_name("minimal")).arg("-o").arg(temporary.path()).assert().success();
    let zip = temporary.path().join("minimal.zip");
    let before = std::fs::read(&zip).expect("a zip");
    assert_eq!(check(&zip, &["--fix"]).0, Some(0));
    assert_eq!(std::fs::read(&zip).expect("a zip"), before);
}
