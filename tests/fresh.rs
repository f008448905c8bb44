//! `new`: a pack to start from.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn sample(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(path)
}

fn run(folder: &Path, words: &[&str], files: &[PathBuf]) -> (Option<i32>, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let output = command.current_dir(folder).args(words).args(files).args(["--format", "json"]).output().expect("it starts");
    (output.status.code(), serde_json::from_slice(&output.stdout).expect("JSON"))
}

#[test]
fn an_avatar_and_its_clips_make_a_pack_that_builds() {
    let folder = tempfile::tempdir().expect("a folder");
    let dot = |name: &str| sample("minimal/companion-models/dot").join(name);
    let avatar = dot("dot.vrm");
    let words = ["new", "packs/first", "--avatar", avatar.to_str().expect("a path"), "--clips"];
    let clips = ["idle.vrma", "talk-idle.vrma", "wave.vrma"].map(dot);
    let (code, told) = run(folder.path(), &words, &clips);
    assert_eq!((code, &told["command"]), (Some(0), &json!("new")), "{told}");
    let text = std::fs::read(folder.path().join("packs/first/companion-models/dot/model.json")).expect("a manifest");
    let model: Value = serde_json::from_slice(&text).expect("JSON");
    let motion = |id: &str, role: &str, name: &str| json!({ "id": id, "roles": [role], "name": name, "description": name });
    assert_eq!(
        model,
        json!({
            "name": "Dot",
            "avatar": "dot.vrm",
            "motions": [
                motion("file:idle.vrma", "idle", "Idle"),
                motion("file:talk-idle.vrma", "talkIdle", "Talk idle"),
                motion("file:wave.vrma", "gesture", "Wave"),
            ],
        })
    );
    // What is left to write is said: what each motion shows.
    let described = told["findings"].as_array().expect("findings").iter().filter(|finding| finding["code"] == "N022");
    assert_eq!(described.count(), 3);
    let (code, built) = run(folder.path(), &["build", "--no-cache", "packs/first"], &[]);
    assert_eq!((code, built["ok"].as_bool()), (Some(0), Some(true)), "{built}");
    // Again, it would write over what somebody may have worked on since.
    let (code, told) = run(folder.path(), &words, &clips);
    assert_eq!((code, &told["findings"][0]["code"]), (Some(2), &json!("Z003")));
}

#[test]
fn what_is_no_avatar_makes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, told) = run(folder.path(), &["new", "pack", "--avatar"], &[sample("readme.md")]);
    assert_eq!((code, &told["findings"][0]["code"]), (Some(1), &json!("D001")));
    let (code, told) = run(folder.path(), &["new", "pack", "--avatar", "missing.vrm"], &[]);
    assert_eq!((code, &told["findings"][0]["code"]), (Some(2), &json!("Z002")));
    assert!(!folder.path().join("pack").exists());
}
