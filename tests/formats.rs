//! What `--format sarif` and `--format github` print, of packs whose names want escaping. The expectations are written by hand from the SARIF 2.1.0
//! standard, RFC 3986 and the documentation of workflow commands.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::Path;

/// A pack whose folder, file and text hold what the formats escape. The name of its model is given twice, after letters that take two and four
/// bytes.
fn pack(parent: &Path) {
    let model = parent.join("ä 100% #1/companion-models/fox");
    std::fs::create_dir_all(&model).expect("a folder");
    std::fs::write(parent.join("ä 100% #1/readme.md"), "# Fox").expect("a file");
    std::fs::write(model.join("left, over: 50%?.png"), "x").expect("a file");
    let text = "{ \"description\": \"é😀\",\n  \"é😀\": 1, \"name\": \"50%\",\n  \"avatar\": \"no:ne,\\n.vrm\", \"motions\": [] }";
    std::fs::write(model.join("model.json"), text).expect("a file");
}

/// Exit code and standard output.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let output = command.current_dir(folder).arg("--no-cache").args(arguments).output().expect("the program starts");
    (output.status.code().expect("a code"), String::from_utf8(output.stdout).expect("UTF-8"))
}

fn sarif(folder: &Path, arguments: &[&str]) -> (i32, Value) {
    let (code, text) = run(folder, &[arguments, &["--format", "sarif"]].concat());
    let log: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"].as_array().map(Vec::len), Some(1));
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in run["results"].as_array().expect("results") {
        // The index is into the list of rules, and names the same rule (3.27.6).
        assert_eq!(rules[result["ruleIndex"].as_u64().expect("a number") as usize]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")));
        assert!(!result["message"]["text"].as_str().expect("a text").is_empty());
    }
    (code, run.clone())
}

/// The results of one rule.
fn of<'a>(run: &'a Value, rule: &str) -> Vec<&'a Value> {
    run["results"].as_array().expect("results").iter().filter(|result| result["ruleId"] == rule).collect()
}

#[test]
fn places_are_uris_lines_and_code_points() {
    let folder = tempfile::tempdir().expect("a folder");
    pack(folder.path());
    let (code, run) = sarif(folder.path(), &["check", "ä 100% #1"]);
    assert_eq!((code, &run["columnKind"]), (1, &json!("unicodeCodePoints")));
    assert_eq!(run["invocations"], json!([{ "executionSuccessful": true, "exitCode": 1 }]));
    let model = "%C3%A4%20100%25%20%231/companion-models/fox/";
    // The unknown key is the second line's third character.
    let location = |line: usize, column: usize| json!({ "artifactLocation": { "uri": format!("{model}model.json") }, "region": { "startLine": line, "startColumn": column } });
    assert_eq!(of(&run, "M014")[0]["locations"][0]["physicalLocation"], location(2, 3));
    assert_eq!(of(&run, "M014")[0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "/é😀");
    let leftover = json!({ "artifactLocation": { "uri": format!("{model}left%2C%20over%3A%2050%25%3F.png") } });
    assert_eq!(of(&run, "P002")[0]["locations"][0]["physicalLocation"], leftover);
}

#[test]
fn a_place_that_is_no_file_has_no_uri() {
    let folder = tempfile::tempdir().expect("a folder");
    pack(folder.path());
    let (code, run) = sarif(folder.path(), &["check", "ä 100% #1", "--set", "a.b=1"]);
    assert_eq!((code, &run["invocations"][0]), (2, &json!({ "executionSuccessful": false, "exitCode": 2 })));
    assert_eq!(of(&run, "X001")[0]["locations"], json!([{ "logicalLocations": [{ "fullyQualifiedName": "--set a.b=1" }] }]));
    let (_, text) = self::run(folder.path(), &["check", "ä 100% #1", "--set", "a.b=1", "--format", "github"]);
    assert!(text.starts_with("::error title=X001 setting-unknown::--set a.b=1: "), "{text}");
}

#[test]
fn a_file_in_a_zip_and_an_absolute_path_have_uris() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [("companion-models/a b/model.json", bytes::Bytes::from("{\n\"nme\": 1}"))];
    std::fs::write(folder.path().join("p q.zip"), companion_build::codec::zip::write(&files).expect("a zip")).expect("a file");
    let uri = |run: &Value| of(run, "M014")[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().map(str::to_owned);
    let (_, run) = sarif(folder.path(), &["check", "p q.zip"]);
    assert_eq!(uri(&run).as_deref(), Some("p%20q.zip/companion-models/a%20b/model.json"));
    let absolute = folder.path().join("p q.zip");
    let (_, run) = sarif(folder.path(), &["check", &absolute.to_string_lossy()]);
    let uri = uri(&run).expect("a place");
    assert!(uri.starts_with("file:///") && uri.ends_with("/p%20q.zip/companion-models/a%20b/model.json"), "{uri}");
}

#[test]
fn workflow_commands_stay_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    pack(folder.path());
    let (_, text) = run(folder.path(), &["check", "ä 100% #1", "--format", "github"]);
    let file = "file=ä 100%25 #1/companion-models/fox/";
    assert!(text.lines().all(|line| line.starts_with("::")), "{text}");
    assert!(text.contains(&format!("::error {file}left%2C over%3A 50%25?.png,title=P002 ")), "{text}");
    assert!(text.contains(&format!("::error {file}model.json,line=2,col=3,title=M014 ")), "{text}");
    let avatar = text.lines().find(|line| line.contains(",line=3,col=13,title=P006 ")).unwrap_or_else(|| panic!("{text}"));
    assert!(!avatar.contains('\r'));
}

#[test]
fn a_run_that_cannot_begin_is_told_in_the_format_that_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, command, code) in [
        (&["check"][..], "check", "Z011"),
        (&["check", "pack", "--wrong"], "check", "Z011"),
        (&["paint", "pack"], "", "Z011"),
        (&["explain", "Q999"], "explain", "Z011"),
        (&["shrink", "a.vrm", "b.vrm", "big"], "shrink", "Z011"),
        (&["check", "pack", "--settings", "none.toml"], "check", "Z002"),
    ] {
        let (exit, run) = sarif(folder.path(), arguments);
        let invocation = json!({ "executionSuccessful": false, "exitCode": 2 });
        assert_eq!((exit, &run["invocations"][0], of(&run, code).len()), (2, &invocation, 1), "{arguments:?}");
        for format in ["json", "jsonl"] {
            let (exit, text) = self::run(folder.path(), &[arguments, &["--format", format]].concat());
            let outcome: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!((exit, &outcome["command"], &outcome["ok"]), (2, &json!(command), &json!(false)), "{arguments:?}");
            assert_eq!(outcome["findings"][0]["code"], code, "{arguments:?}");
        }
        let (exit, text) = self::run(folder.path(), &[arguments, &["--format", "github"]].concat());
        assert!(exit == 2 && text.starts_with("::error ") && text.contains(code) && text.lines().count() == 1, "{text}");
    }
}
