//! Live2D looks: models of our own making, whole, damaged and hostile.

mod moc3;
mod pose;
mod program;
mod zips;
mod writer;

/// Where the fuzzer starts from (fuzz/run): a folder of sound files for each reader.
#[test]
#[ignore = "for the fuzzer: tests/run --fuzz"]
fn seeds_for_the_fuzzer() {
    let Some(folder) = std::env::var_os("FUZZ_SEEDS").map(std::path::PathBuf::from) else {
        println!("skipped: seeds for the fuzzer (FUZZ_SEEDS names no folder for them)");
        return;
    };
    for reader in ["moc3", "zip"] {
        std::fs::create_dir_all(folder.join(reader)).expect("a folder");
    }
    for version in 1..=6 {
        let (moc, _) = writer::face(version).write();
        std::fs::write(folder.join(format!("moc3/face-{version}")), moc).expect("written");
        std::fs::write(folder.join(format!("zip/look-{version}")), writer::zip(&writer::look(version))).expect("written");
    }
}

/// What the tests expect of the zip, of the program, and of a model.json.
const SOURCES: [&str; 3] = [include_str!("zips.rs"), include_str!("program.rs"), include_str!("../../src/pack/live2d.rs")];

#[test]
fn every_rule_of_live2d_has_a_test() {
    let rules = companion_build::report::code::all().filter(|code| code.id.starts_with('L'));
    let ids: Vec<&str> = rules.map(|code| code.id).chain(["F002", "F011", "N014"]).collect();
    assert!(ids.len() > 30, "{ids:?}");
    // As the beginning of an expected line, not as the name of the code in the rule itself.
    let is_expected = |id: &str| SOURCES.iter().any(|text| text.contains(&format!("\"{id} ")));
    let missing: Vec<&&str> = ids.iter().filter(|id| !is_expected(id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
