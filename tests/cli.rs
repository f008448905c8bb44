//! The command line from outside: exit codes, and what goes to standard output and to standard error.

use assert_cmd::Command;
use std::process::Output;

/// Runs the program in an environment that shows neither colours nor bars.
fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    command.arg("--no-cache").args(arguments).env_remove("CI").env_remove("NO_COLOR").output().expect("the program starts")
}

fn output(arguments: &[&str]) -> String {
    let result = run(arguments);
    assert_eq!(result.status.code(), Some(0), "{arguments:?}: {}", errors(&result));
    String::from_utf8(result.stdout).expect("UTF-8")
}

fn errors(result: &Output) -> String {
    String::from_utf8_lossy(&result.stderr).into_owned()
}

fn results(result: &Output) -> String {
    String::from_utf8_lossy(&result.stdout).into_owned()
}

#[test]
fn help_is_short_or_whole() {
    let (short, long) = (output(&["-h"]), output(&["--help"]));
    assert!(short.len() < long.len());
    for command in ["build", "check", "shrink", "inspect", "names", "explain", "completions", "man"] {
        assert!(short.contains(command), "{command}");
        assert!(output(&[command, "-h"]).contains("Usage: companion-build"), "{command}");
    }
    assert!(long.contains("Exit code 0"));
    assert!(output(&["--version"]).starts_with("companion-build "));
}

#[test]
fn bad_arguments_exit_with_2_and_print_no_results() {
    for arguments in [
        &[][..],
        &["paint"],
        &["build"],
        &["check", "pack", "--format", "yaml"],
        &["shrink", "a.vrm"],
        &["shrink", "a.vrm", "b.vrm", "-o", "c"],
        &["shrink", "a.vrm", "b.vrm", "--shard", "1/2"],
        &["explain", "Q999"],
        &["check", "pack", "--settings", "no-such-file.toml"],
    ] {
        let result = run(arguments);
        assert_eq!(result.status.code(), Some(2), "{arguments:?}");
        assert!(result.stdout.is_empty(), "{arguments:?}");
        assert!(!result.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn an_unknown_setting_is_refused_with_the_one_that_was_meant() {
    let result = run(&["check", "pack", "--set", "textures.qualty=3"]);
    assert_eq!(result.status.code(), Some(2));
    let text = results(&result);
    assert!(text.contains("error[X001] --set textures.qualty=3: /textures/qualty: unknown setting textures.qualty"), "{text}");
    assert!(text.contains("help: Did you mean textures.quality?"), "{text}");
}

#[test]
fn a_file_of_settings_is_shown_where_it_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, "[textures]\nquality = 300\n").expect("written");
    let name = path.to_string_lossy();
    let result = run(&["check", "pack", "--settings", &name]);
    assert_eq!(result.status.code(), Some(2));
    let text = results(&result);
    assert!(text.contains(&format!("{name}:2:11")), "{text}");
    assert!(text.contains("2 | quality = 300"), "{text}");
    assert!(text.contains("          ^^^"), "{text}");

    let result = run(&["check", "pack", "--settings", &name, "--format", "github"]);
    assert!(results(&result).contains(",line=2,col=11,title=X002 setting-invalid::textures.quality must be"), "{}", results(&result));

    let result = run(&["check", "pack", "--settings", &name, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&result.stdout).expect("JSON");
    assert_eq!((&json["command"], &json["ok"], &json["findings"][0]["line"]), (&"check".into(), &false.into(), &2.into()));

    let result = run(&["check", "pack", "--settings", &name, "--format", "sarif"]);
    let json: serde_json::Value = serde_json::from_slice(&result.stdout).expect("JSON");
    assert_eq!(json["runs"][0]["results"][0]["ruleId"], "X002");
}

#[test]
fn explains_each_code_and_all() {
    assert!(output(&["explain", "X001"]).starts_with("X001 setting-unknown: error"));
    assert!(output(&["explain", "setting-unknown"]).contains("X001"));
    let (list, json) = (output(&["explain"]), output(&["explain", "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    for code in json.as_array().expect("a list") {
        assert!(list.contains(code["code"].as_str().expect("text")));
    }
    assert!(errors(&run(&["explain", "X0001"])).contains("did you mean X001?"));
}

#[test]
fn prints_completions_and_the_manual() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(output(&["completions", shell]).contains("companion-build"), "{shell}");
    }
    let page = output(&["man"]);
    assert!(page.contains(".TH companion-build 1"));
    for word in ["COMMAND SHRINK", "shard", "strict"] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn a_reader_that_leaves_is_no_trouble() {
    use std::process::Stdio;
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let mut child = command.args(["completions", "bash"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    drop(child.stdout.take());
    let result = child.wait_with_output().expect("ended");
    assert_eq!((result.status.code(), errors(&result)), (Some(0), String::new()));
}

#[test]
fn no_colours_in_a_pipe() {
    for arguments in [&["--help"][..], &["check", "pack", "--set", "a=1"], &["paint"]] {
        let result = run(arguments);
        assert!(!results(&result).contains('\u{1b}') && !errors(&result).contains('\u{1b}'), "{arguments:?}");
    }
}
