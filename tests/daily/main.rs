//! A day with the program: from make, over a library that is cut off, and in CI with budgets.

#[path = "../folder/mod.rs"]
mod folder;

use folder::copy;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn program(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    command.current_dir(folder).args(words).stdin(Stdio::null()).env_remove("MAKEFLAGS").env("NO_COLOR", "1");
    command
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// Every file of a folder, by path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten().filter(|entry| entry.file_type().is_file());
    files.map(|entry| (entry.path().strip_prefix(folder).expect("below").to_owned(), std::fs::read(entry.path()).expect("read"))).collect()
}

/// A library of twelve files in three folders, made of the samples, and one that is broken.
fn library() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let sources = walkdir::WalkDir::new(root().join("samples")).sort_by_file_name().into_iter().flatten();
    let is_kind = |path: &Path| path.extension().is_some_and(|ending| ["vrm", "glb", "vrma"].iter().any(|kind| ending == *kind));
    let whole = |path: &Path| !path.components().any(|part| part.as_os_str() == "broken");
    let small = |path: &Path| path.metadata().is_ok_and(|data| data.len() < 300_000);
    let sources: Vec<PathBuf> =
        sources.map(|entry| entry.into_path()).filter(|path| is_kind(path) && whole(path) && small(path)).take(12).collect();
    assert_eq!(sources.len(), 12);
    for (number, source) in sources.iter().enumerate() {
        let name = source.file_name().expect("a name").to_string_lossy();
        let target = folder.path().join(format!("library/shelf {}/{number} {name}", number % 3));
        std::fs::create_dir_all(target.parent().expect("a folder")).expect("made");
        std::fs::copy(source, target).expect("a copy");
    }
    std::fs::write(folder.path().join("library/broken.vrm"), b"glTF, or so it says").expect("written");
    folder
}

#[test]
fn shards_together_are_the_whole() {
    let place = library();
    let shrink = |output: &str, more: &[&str]| {
        let run =
            program(place.path(), &["shrink", "library", "-o", output, "--no-cache", "--format", "json"]).args(more).output().expect("ran");
        json(&run)["files"].as_array().map_or(0, Vec::len)
    };
    let whole = shrink("whole", &[]);
    let parts: Vec<usize> = ["1/3", "2/3", "3/3"].iter().map(|shard| shrink("parts", &["--shard", shard])).collect();
    assert_eq!((whole, parts.iter().sum::<usize>()), (12, 12), "{parts:?}");
    assert!(parts.iter().filter(|part| **part > 0).count() > 1, "{parts:?}");
    assert_eq!(files(&place.path().join("whole")), files(&place.path().join("parts")));
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let place = library();
    let words = |output: &'static str| ["shrink", "library", "-o", output, "--no-cache", "--format", "jsonl", "-j", "2"];
    let quiet = program(place.path(), &words("undisturbed")).output().expect("ran");
    assert_eq!(quiet.status.code(), Some(1), "one file is broken");
    let wanted = files(&place.path().join("undisturbed"));
    assert_eq!(wanted.len(), 12);
    let mut taken_over = 0;
    for round in 0..8 {
        let _ = std::fs::remove_dir_all(place.path().join("out"));
        let mut child = program(place.path(), &words("out")).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("started");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        (0..round).for_each(|_| drop(lines.next()));
        child.kill().expect("killed");
        child.wait().expect("gone");
        for (path, bytes) in files(&place.path().join("out")) {
            let is_own = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".companion-build"));
            assert!(is_own || wanted.get(&path) == Some(&bytes), "round {round}: {} is there and not whole", path.display());
        }
        let again = program(place.path(), &words("out")).output().expect("ran");
        assert_eq!(again.status.code(), Some(1));
        taken_over += String::from_utf8_lossy(&again.stdout).matches("\"cached\":true").count();
        assert_eq!(files(&place.path().join("out")), wanted, "round {round}: nothing is left of the run that was killed");
    }
    assert!(taken_over > 8, "{taken_over} files were not done twice");
}

#[test]
fn the_makefile_of_the_readme_builds_what_changed() {
    if Command::new("make").arg("--version").output().is_err() {
        return eprintln!("skipped: make is not installed");
    }
    let place = tempfile::tempdir().expect("a folder");
    let readme = std::fs::read_to_string(root().join("README.md")).expect("a readme");
    let makefile = readme.split("```make\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a Makefile in the README");
    std::fs::write(place.path().join("Makefile"), makefile).expect("written");
    for pack in ["one", "two"] {
        copy(&root().join("samples/minimal"), &place.path().join("packs").join(pack));
    }
    std::fs::write(place.path().join("packs/one/notes #1.txt"), "a name that make would cut").expect("written");
    let binary = Path::new(env!("CARGO_BIN_EXE_companion-build")).parent().expect("a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let make = || {
        let mut command = Command::new("make");
        command.current_dir(place.path()).args(["-j8", "all"]).env("PATH", &path).env("XDG_CACHE_HOME", place.path().join("cache"));
        let run = command.env_remove("MAKEFLAGS").output().expect("make runs");
        let text = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{text}");
        ["one", "two"].map(|pack| text.contains(&format!("companion-build build packs/{pack} ")))
    };
    // Times on some disks count seconds.
    let later = || std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(make(), [true, true]);
    assert_eq!(make(), [false, false]);
    later();
    std::fs::write(place.path().join("packs/one/notes #1.txt"), "something else").expect("written");
    assert_eq!(make(), [true, false], "a file was written");
    later();
    std::fs::write(place.path().join("packs/two/LICENCE.txt"), "Free.\n").expect("written");
    assert_eq!(make(), [false, true], "a file came");
    later();
    std::fs::remove_file(place.path().join("packs/one/notes #1.txt")).expect("removed");
    assert_eq!(make(), [true, false], "a file went");
    assert_eq!(make(), [false, false]);
}

#[cfg(unix)]
#[test]
fn what_make_lends_is_given_back() {
    let place = tempfile::tempdir().expect("a folder");
    let pipe = place.path().join("tokens");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        return eprintln!("skipped: mkfifo is not installed");
    }
    let mut tokens = std::fs::File::options().read(true).write(true).open(&pipe).expect("opened");
    tokens.write_all(b"abc").expect("written");
    let sample = root().join("samples/minimal").to_string_lossy().into_owned();
    let run = program(place.path(), &["build", &sample, "-o", "dist", "--no-cache"])
        .env("MAKEFLAGS", format!(" -j4 --jobserver-auth=fifo:{}", pipe.display()))
        .output()
        .expect("ran");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    // Every byte that was taken lies there again: four fit, so three and one of our own end the reading.
    tokens.write_all(b"z").expect("written");
    let mut left = [0; 4];
    std::io::Read::read_exact(&mut tokens, &mut left).expect("read");
    left.sort_unstable();
    assert_eq!(&left, b"abcz");
    // And a jobserver that cannot be reached is no reason to fail.
    let run =
        program(place.path(), &["build", &sample, "-o", "dist", "--no-cache"]).env("MAKEFLAGS", " -j4 --jobserver-auth=-2,-2").output();
    assert!(run.expect("ran").status.success());
}

#[test]
fn a_budget_that_is_exceeded_stops_the_zip() {
    let place = tempfile::tempdir().expect("a folder");
    let sample = root().join("samples/minimal").to_string_lossy().into_owned();
    let build = |budget: &str| {
        let words = ["build", &sample, "-o", "dist", "--no-cache", "--format", "json", "--budget", budget];
        let run = program(place.path(), &words).output().expect("ran");
        (run.status.code(), json(&run))
    };
    let (code, _) = build("avatar=8MB,pack=40MB,triangles=70k,textures=64MB,morphs=1k");
    assert_eq!(code, Some(0));
    std::fs::remove_file(place.path().join("dist/minimal.zip")).expect("it was written");
    let (code, told) = build("avatar=100,triangles=3,pack=1kB");
    let found: Vec<String> = told["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|f| f["severity"] == "error")
        .map(|f| {
            format!(
                "{} {} {} {}",
                f["code"].as_str().unwrap_or_default(),
                f["file"].as_str().unwrap_or_default(),
                f["pointer"].as_str().unwrap_or_default(),
                f["line"]
            )
        })
        .collect();
    let avatar = "companion-models/dot/model.json /avatar";
    assert_eq!(code, Some(1));
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().any(|line| line.starts_with(&format!("X004 {avatar}")) && !line.ends_with("null")), "{found:?}");
    assert!(
        found.iter().any(|line| line.starts_with(&format!("X007 {avatar}"))) && found.iter().any(|line| line.starts_with("X003  ")),
        "{found:?}"
    );
    assert!(!place.path().join("dist/minimal.zip").exists());
    assert_eq!(build("castles=3").0, Some(2), "an unknown name is refused");
}

#[test]
fn the_last_published_pack_is_compared_file_by_file() {
    let place = tempfile::tempdir().expect("a folder");
    copy(&root().join("samples/minimal"), &place.path().join("minimal"));
    std::fs::write(place.path().join("minimal/NOTES.md"), "short").expect("written");
    std::fs::write(place.path().join("minimal/CREDITS.md"), "someone").expect("written");
    let words = ["build", "minimal", "-o", "dist", "--no-cache", "--format", "json", "--previous", "last"];
    std::fs::create_dir(place.path().join("last")).expect("a folder");
    let first = program(place.path(), &words).output().expect("ran");
    assert!(first.status.success(), "a pack that is new has no last one: {}", json(&first));
    std::fs::rename(place.path().join("dist/minimal.zip"), place.path().join("last/minimal.zip")).expect("moved");
    std::fs::write(place.path().join("minimal/NOTES.md"), "much longer than before").expect("written");
    std::fs::remove_file(place.path().join("minimal/CREDITS.md")).expect("removed");
    let told = json(&program(place.path(), &words).output().expect("ran"));
    let found: Vec<(&str, &str)> = told["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|f| (f["code"].as_str().unwrap_or_default(), f["file"].as_str().unwrap_or_default()))
        .collect();
    assert!(found.contains(&("X010", "")) && found.contains(&("X011", "NOTES.md")), "{found:?}");
    let pack = &told["packs"][0];
    assert_eq!(pack["vanished"], serde_json::json!(["CREDITS.md"]));
    let notes = pack["files"].as_array().expect("files").iter().find(|file| file["path"] == "NOTES.md").expect("it ships");
    assert_eq!((&notes["previousBytes"], &notes["bytes"]), (&5.into(), &23.into()));
    assert!(pack["previousBytes"].as_u64().is_some_and(|bytes| bytes > 0));
}

#[test]
fn a_watch_builds_again_when_a_source_changes() {
    let place = tempfile::tempdir().expect("a folder");
    copy(&root().join("samples/minimal"), &place.path().join("minimal"));
    let mut child = program(place.path(), &["build", "minimal", "-o", "minimal/dist", "--watch", "--format", "json", "--no-cache"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().expect("a line").expect("text")).expect("JSON");
    assert_eq!(next()["ok"], true);
    std::fs::write(place.path().join("minimal/companion-models/dot/model.json"), "{").expect("written");
    assert_eq!(next()["ok"], false);
    copy(&root().join("samples/minimal"), &place.path().join("minimal"));
    assert_eq!(next()["ok"], true);
    child.kill().expect("killed");
    child.wait().expect("gone");
}
