//! Every rule of the format has a pack that breaks it, and the check finds that fault, at its place, and no other.

mod case;
#[path = "../folder/mod.rs"]
mod folder;

use case::Case;
use companion_build::build::{self, CheckJob, Choices, Run, outcome::Finding};
use companion_build::disk::cache::Cache;
use companion_build::report::code::{self, Kind};
use companion_build::report::progress::Silent;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Codes of the tool itself, and those of Live2D models (L, tests/live2d); their tests stand elsewhere.
const OWN: &str = "DSTXYZL";
/// Rules whose tests stand elsewhere: what the last zip had (below), and what is said of the inside of a Live2D zip (tests/live2d).
const ELSEWHERE: &[&str] = &["P019", "F002", "F011", "N014"];

fn check(packs: Vec<PathBuf>) -> Vec<Finding> {
    let job = CheckJob { packs, previous: None, fix: false };
    let run = Run { choices: &Choices::default(), strict: false, cache: &Cache::off(), progress: &Silent, listener: &() };
    build::check(&job, &run).outcome.findings
}

fn cases() -> Vec<Case> {
    let mut folders: Vec<_> = std::fs::read_dir(case::root()).expect("the cases").flatten().filter(|entry| entry.path().is_dir()).collect();
    folders.sort_by_key(std::fs::DirEntry::file_name);
    folders.iter().map(|folder| Case::read(&folder.path())).collect()
}

#[test]
fn every_rule_is_found_where_it_is_broken() {
    let temporary = tempfile::tempdir().expect("a folder");
    let cases = cases();
    let packs: Vec<PathBuf> = cases.iter().map(|case| case.write(&temporary.path().join(&case.name))).collect();
    let mut found: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
    for finding in check(packs) {
        let pack = finding.pack.as_deref().map(|pack| pack.rsplit('/').next().unwrap_or_default().to_owned());
        found.entry(pack.unwrap_or_default()).or_default().push(finding);
    }
    let mut wrong: Vec<String> = Vec::new();
    for case in &cases {
        let found = found.remove(&case.name).unwrap_or_default();
        wrong.extend(case.judge(&found).into_iter().map(|problem| format!("{}: {problem}", case.name)));
    }
    assert!(found.is_empty(), "findings of no case: {found:?}");
    assert!(wrong.is_empty(), "{} problems\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case() {
    let have: BTreeSet<String> = cases().iter().map(|case| case.code().to_owned()).collect();
    let rules = code::all().filter(|code| !OWN.contains(&code.id[..1]) && !ELSEWHERE.contains(&code.id));
    let missing: Vec<&str> = rules.map(|code| code.id).filter(|id| !have.contains(*id)).collect();
    assert_eq!(missing, Vec::<&str>::new());
    let strange: Vec<&String> = have.iter().filter(|id| code::find(id).is_none()).collect();
    assert!(strange.is_empty(), "{strange:?}");
}

#[test]
fn what_the_last_zip_had_is_missed() {
    let temporary = tempfile::tempdir().expect("a folder");
    let zip = temporary.path().join("last.zip");
    let model = r#"{ "outfits": [{ "key": "default" }, { "key": "gown" }] }"#;
    let files = [("companion-models/juno/model.json", model), ("companion-items/hat/item.json", "{}")];
    let files: Vec<_> = files.map(|(path, text)| (path, bytes::Bytes::from(text))).into();
    std::fs::write(&zip, companion_build::codec::zip::write(&files).expect("a zip")).expect("a file");
    let job = CheckJob { packs: vec![case::samples().join("wardrobe")], previous: Some(zip), fix: false };
    let run = Run { choices: &Choices::default(), strict: false, cache: &Cache::off(), progress: &Silent, listener: &() };
    let findings = build::check(&job, &run).outcome.findings;
    let missed: BTreeSet<&str> = findings.iter().filter(|f| f.code == "P019").map(|f| f.message.as_str()).collect();
    let expected = [
        "the item hat of the last published pack is not in this one",
        "the outfit gown of look juno of the last published pack is not in this one",
    ];
    assert_eq!(missed, BTreeSet::from(expected));
}

#[test]
fn the_samples_have_nothing_above_a_note() {
    for sample in ["minimal", "wardrobe", "vrm0"] {
        let loud: Vec<_> = check(vec![case::samples().join(sample)]).into_iter().filter(|finding| finding.severity != "note").collect();
        assert!(loud.is_empty(), "{sample}: {loud:#?}");
    }
}

#[test]
fn a_refusal_is_an_error_and_advice_is_not() {
    for code in code::all() {
        let loud = matches!(code.kind, Kind::Refusal | Kind::ReadRefusal | Kind::Safety);
        assert_eq!(code.severity().word() == "error", loud, "{}", code.id);
    }
    assert!(Path::new(&case::root()).join("readme.md").exists());
}
