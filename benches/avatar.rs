//! A whole avatar, from bytes to bytes, and a whole pack, from a folder to a zip.
//!
//! `cargo bench --bench avatar`

use bytes::Bytes;
use companion_build::build::{self, BuildJob, Choices, Run, settings::Settings};
use companion_build::disk::cache::Cache;
use companion_build::parallel::Budget;
use companion_build::report::{Report, progress::Silent};
use companion_build::shrink::{self, Role, Workshop};
use companion_build::vrm::refs::TABLE;
use divan::Bencher;
use divan::counter::BytesCount;
use std::path::{Path, PathBuf};

fn main() {
    divan::main();
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

/// VRM 1.0 and VRM 0.x.
#[divan::bench(args = ["wardrobe/companion-models/juno/juno.vrm", "vrm0/companion-models/pip/pip.vrm"], sample_count = 20)]
fn avatar(bencher: Bencher, file: &str) {
    let input = Bytes::from(std::fs::read(samples().join(file)).expect(file));
    let settings = Settings::default();
    let pictures = Budget::new(settings.run.picture_pixels);
    let workshop = Workshop { settings: &settings.shrink, table: &TABLE, pictures: &pictures, cache: &Cache::off(), progress: &Silent };
    bencher
        .counter(BytesCount::new(input.len()))
        .bench(|| shrink::shrink(&input, file, Role::Model, workshop, &mut Report::default()).expect("a sound avatar"));
}

/// `build`, without a zip from an earlier run.
#[divan::bench(args = ["minimal", "wardrobe"], sample_count = 10)]
fn pack(bencher: Bencher, name: &str) {
    let choices = Choices::default();
    let run = Run { choices: &choices, strict: false, cache: &Cache::off(), progress: &Silent, listener: &() };
    bencher.with_inputs(|| tempfile::tempdir().expect("a folder for the zip")).bench_refs(|output| {
        let job = BuildJob { packs: vec![samples().join(name)], output: output.path().to_owned(), previous: None, depfile: None };
        assert!(build::build(&job, &run).outcome.ok);
    });
}
