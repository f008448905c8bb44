//! The build cache: nothing that was worked out is worked out again, and nothing that it does shows in the result.

#[path = "../folder/mod.rs"]
mod folder;

use assert_cmd::Command;
use folder::copy;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A folder with a copy of a sample, a cache and results.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn with(sample: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample), &folder.path().join(sample));
        Self { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn run(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
        command.current_dir(self.folder.path()).args(words).args(["--format", "json", "--cache", "cache"]);
        command
    }

    /// Exit code 0 and the JSON.
    fn json(&self, words: &[&str]) -> Value {
        let run = self.run(words).output().expect("it starts");
        let json: Value = serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stderr)));
        assert!(run.status.success(), "{json:#}");
        json
    }

    fn entries(&self) -> Vec<PathBuf> {
        let files = walkdir::WalkDir::new(self.path("cache")).into_iter().flatten().filter(|entry| entry.file_type().is_file());
        files.map(walkdir::DirEntry::into_path).collect()
    }
}

fn cached(json: &Value) -> Vec<(String, bool)> {
    let files = json["packs"][0]["files"].as_array().or(json["files"].as_array()).into_iter().flatten();
    files.map(|file| (file["path"].as_str().expect("a path").to_owned(), file["cached"].as_bool().expect("said"))).collect()
}

fn codes(json: &Value) -> Vec<&str> {
    json["findings"].as_array().into_iter().flatten().filter_map(|finding| finding["code"].as_str()).collect()
}

const BUILD: [&str; 4] = ["build", "minimal", "-o", "dist"];

#[test]
fn a_second_build_takes_everything_from_the_cache_and_says_the_same() {
    let place = Place::with("minimal");
    let first = place.json(&BUILD);
    let results = ["minimal.zip", "minimal.report.json"].map(|name| place.path("dist").join(name));
    let before =
        results.each_ref().map(|path| (std::fs::read(path).expect("written"), path.metadata().and_then(|m| m.modified()).expect("a time")));
    let second = place.json(&BUILD);
    assert!(cached(&first).iter().all(|(_, cached)| !cached), "{first:#}");
    assert!(cached(&second).iter().all(|(_, cached)| *cached), "{second:#}");
    assert_eq!((&first["findings"], &first["packs"][0]["models"]), (&second["findings"], &second["packs"][0]["models"]));
    for (path, (bytes, time)) in results.iter().zip(before) {
        assert_eq!(std::fs::read(path).expect("there"), bytes, "{}", path.display());
        assert_eq!(path.metadata().and_then(|m| m.modified()).expect("a time"), time, "{} keeps its time", path.display());
    }
    // And what comes out without a cache is the same.
    std::fs::remove_dir_all(place.path("dist")).expect("removed");
    place.run(&BUILD[..]).arg("--set").arg("run.picturePixels=2000000").assert().success();
    let cold = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    command.current_dir(place.folder.path()).args(["build", "minimal", "--no-cache", "-o"]).arg(cold.path()).assert().success();
    let read = |folder: &Path| std::fs::read(folder.join("minimal.zip")).expect("a zip");
    assert_eq!(read(cold.path()), read(&place.path("dist")));
}

#[test]
fn what_changed_is_worked_out_and_the_rest_is_not() {
    let place = Place::with("minimal");
    place.json(&BUILD);
    let model = place.path("minimal/companion-models/dot/model.json");
    let text = std::fs::read_to_string(&model).expect("a manifest");
    std::fs::write(&model, text.replacen("\"Dot\"", "\"Spot\"", 1)).expect("written");
    let json = place.json(&BUILD);
    let avatar: Vec<_> = cached(&json).into_iter().filter(|(path, _)| path.ends_with(".vrm")).collect();
    assert_eq!(avatar, [("companion-models/dot/dot.vrm".to_owned(), true)]);
    // Another setting makes another avatar.
    let json = place.json(&["build", "minimal", "-o", "dist", "--set", "textures.quality=50"]);
    assert!(cached(&json).iter().all(|(_, cached)| !cached), "{json:#}");
    // Severities do not.
    let json = place.json(&["build", "minimal", "-o", "dist", "--set", "severity.S008=warning"]);
    assert!(cached(&json).iter().all(|(_, cached)| *cached), "{json:#}");
}

#[test]
fn a_damaged_entry_is_said_and_made_again() {
    let place = Place::with("minimal");
    place.json(&BUILD);
    let zip = std::fs::read(place.path("dist/minimal.zip")).expect("a zip");
    for damage in [0, 3, 20, 40, 60] {
        for entry in place.entries() {
            let mut bytes = std::fs::read(&entry).expect("an entry");
            let at = damage.min(bytes.len() - 1);
            bytes[at] ^= 0x20;
            std::fs::write(entry, bytes).expect("written");
        }
        std::fs::remove_file(place.path("dist/minimal.zip")).expect("removed");
        let json = place.json(&BUILD);
        assert!(codes(&json).contains(&"Z008"), "{damage}: {json:#}");
        assert!(cached(&json).iter().all(|(_, cached)| !cached), "{json:#}");
        assert_eq!(std::fs::read(place.path("dist/minimal.zip")).expect("a zip"), zip);
    }
    // Cut off, and empty.
    for entry in place.entries() {
        let bytes = std::fs::read(&entry).expect("an entry");
        std::fs::write(entry, &bytes[..bytes.len() / 2]).expect("written");
    }
    assert!(codes(&place.json(&BUILD)).contains(&"Z008"));
    place.entries().iter().for_each(|entry| std::fs::write(entry, "").expect("written"));
    assert!(codes(&place.json(&BUILD)).contains(&"Z008"));
    assert!(!codes(&place.json(&BUILD)).contains(&"Z008"));
}

#[test]
fn it_is_looked_after() {
    let place = Place::with("minimal");
    place.json(&BUILD);
    std::fs::write(place.path("cache/notes.txt"), "mine").expect("written");
    let info = place.json(&["cache", "info"]);
    let (count, bytes) = (info["entries"].as_u64().expect("a number"), info["bytes"].as_u64().expect("a number"));
    assert!(count >= 5 && bytes > 10_000, "{info}");
    // The least recently used goes first: what a second build takes is what is left.
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for entry in place.entries() {
        let file = std::fs::File::options().append(true).open(entry).expect("an entry");
        file.set_modified(old).expect("a time");
    }
    place.json(&BUILD);
    let used: Vec<_> =
        place.entries().into_iter().filter(|entry| entry.metadata().and_then(|m| m.modified()).expect("a time") != old).collect();
    // The whole pack, and a file of the user that is none of the cache's business.
    assert_eq!(used.len(), 1, "{used:?}");
    let size = used[0].metadata().expect("there").len();
    let pruned = place.json(&["cache", "prune", "--max-size", &size.to_string()]);
    assert_eq!((&pruned["entries"], &pruned["bytes"]), (&1.into(), &size.into()), "{pruned}");
    assert_eq!(pruned["removedEntries"], count - 1);
    assert!(used[0].exists());
    let cleared = place.json(&["cache", "clear"]);
    assert_eq!((&cleared["entries"], &cleared["removedEntries"]), (&0.into(), &1.into()));
    assert_eq!(std::fs::read_to_string(place.path("cache/notes.txt")).expect("left alone"), "mine");
    place.run(&["cache", "prune", "--max-size", "much"]).assert().code(2);
}

#[test]
fn it_stays_within_its_size() {
    let place = Place::with("minimal");
    let size = || place.entries().iter().map(|entry| entry.metadata().expect("there").len()).sum::<u64>();
    place.json(&BUILD);
    let whole = size();
    place.json(&["cache", "clear"]);
    let most = whole - 1;
    place.json(&[&BUILD[..], &["--set", &format!("run.cacheBytes={most}")]].concat());
    assert!((1..=most).contains(&size()), "{} of {whole}", size());
}

#[test]
fn one_that_cannot_be_used_stops_nobody() {
    let place = Place::with("minimal");
    std::fs::write(place.path("file"), "no folder").expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let run = command
        .current_dir(place.folder.path())
        .args(BUILD)
        .args(["--format", "json", "--cache", "file/cache"])
        .output()
        .expect("it starts");
    let json: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!((run.status.code(), codes(&json).contains(&"Z009")), (Some(0), true), "{json:#}");
    // Without HOME there is no usual folder, or one that the system names; either way it builds.
    let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let run = command.current_dir(place.folder.path()).args(["check", "minimal"]).env_clear().output().expect("it starts");
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn processes_share_it() {
    let place = Place::with("minimal");
    let alone = place.json(&BUILD)["packs"][0]["sha256"].clone();
    for round in 0..10 {
        std::fs::remove_dir_all(place.path("cache")).expect("removed");
        let children: Vec<_> = (0..3)
            .map(|n| {
                let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_companion-build"));
                command.current_dir(place.folder.path()).args(["build", "minimal", "--format", "json", "--cache", "cache", "-o"]);
                command.arg(format!("dist{n}")).stdout(std::process::Stdio::piped()).spawn().expect("it starts")
            })
            .collect();
        for child in children {
            let run = child.wait_with_output().expect("it ends");
            let json: Value = serde_json::from_slice(&run.stdout).expect("JSON");
            assert_eq!((run.status.code(), &json["packs"][0]["sha256"]), (Some(0), &alone), "round {round}: {json:#}");
            assert!(!codes(&json).contains(&"Z008"), "{json:#}");
        }
    }
}
