//! One bench for each pass of the shrink, and for the codecs that take most of its time, on the avatar of `samples/wardrobe`.
//!
//! `cargo bench --bench passes`, or only some: `cargo bench --bench passes -- webp`.

use bytes::Bytes;
use companion_build::build::settings::Settings;
use companion_build::codec::image::{self, Picture, Scaling};
use companion_build::codec::webp;
use companion_build::disk::cache::Cache;
use companion_build::gltf::{Document, index_in};
use companion_build::parallel::Budget;
use companion_build::report::{Report, progress::Silent, progress::Task};
use companion_build::shrink::{PASSES, Role, Work, Workshop};
use companion_build::vrm::refs::TABLE;
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use std::sync::LazyLock;

const FILE: &str = "samples/wardrobe/companion-models/juno/juno.vrm";

static AVATAR: LazyLock<Bytes> =
    LazyLock::new(|| Bytes::from(std::fs::read(format!("{}/{FILE}", env!("CARGO_MANIFEST_DIR"))).expect(FILE)));
static SETTINGS: LazyLock<Settings> = LazyLock::new(Settings::default);

fn main() {
    divan::main();
}

/// Reads the file and checks its indices.
#[divan::bench]
fn read(bencher: Bencher) {
    bencher.counter(BytesCount::new(AVATAR.len())).bench(document);
}

/// Each pass, on what the passes before it have left.
#[divan::bench(args = PASSES.iter().map(|pass| pass.name), sample_count = 20)]
fn pass(bencher: Bencher, name: &str) {
    let pictures = Budget::new(SETTINGS.run.picture_pixels);
    let workshop = Workshop { settings: &SETTINGS.shrink, table: &TABLE, pictures: &pictures, cache: &Cache::off(), progress: &Silent };
    let task = Task::start(&Silent, FILE);
    let mut report = Report::default();
    let mut ready = Work::new(document(), FILE, Role::Model, workshop, &task, &mut report);
    let at = PASSES.iter().position(|pass| pass.name == name).expect("a pass");
    for pass in &PASSES[..at] {
        (pass.run)(&mut ready, &mut report);
    }
    bencher.with_inputs(|| (ready.clone(), Report::default())).bench_refs(|(work, report)| (PASSES[at].run)(work, report));
}

/// Writes a GLB.
#[divan::bench]
fn write(bencher: Bencher) {
    let document = document();
    bencher.counter(BytesCount::new(AVATAR.len())).bench(|| document.write());
}

/// Decodes the largest PNG of the avatar.
#[divan::bench]
fn decode_png(bencher: Bencher) {
    let png = largest_png();
    let picture = image::decode(&png).expect("a sound picture");
    bencher.counter(pixels(&picture)).bench(|| image::decode(&png));
}

/// Scales it to half its sides.
#[divan::bench(args = [false, true])]
fn resize_linear(bencher: Bencher, linear: bool) {
    let picture = image::decode(&largest_png()).expect("a sound picture");
    let (width, height) = (picture.width / 2, picture.height / 2);
    bencher
        .counter(pixels(&picture))
        .with_inputs(|| picture.clone())
        .bench_values(|picture| image::resize(picture, width, height, Scaling { premultiply: true, linear }));
}

/// Encodes it as the shrink encodes colour, by effort.
#[divan::bench(args = [2, 4, 6], sample_count = 20)]
fn encode_webp_method(bencher: Bencher, method: u8) {
    let picture = image::decode(&largest_png()).expect("a sound picture");
    let textures = &SETTINGS.shrink.textures;
    let settings = webp::Settings {
        quality: f32::from(textures.quality),
        method,
        alpha_quality: textures.alpha_quality,
        exact: false,
        near_lossless: None,
        sharp_yuv: false,
    };
    bencher.counter(pixels(&picture)).bench(|| webp::encode(&picture, &settings));
}

fn document() -> Document {
    Document::read(&AVATAR, FILE, &TABLE, &mut Report::default()).expect("a sound avatar")
}

fn largest_png() -> Bytes {
    let document = document();
    let pictures = document.list("images").iter().filter_map(|image| index_in(image, "bufferView"));
    let pngs = pictures.map(|view| document.blobs[view].bytes.clone()).filter(|bytes| bytes.starts_with(b"\x89PNG"));
    pngs.max_by_key(Bytes::len).expect("a PNG")
}

fn pixels(picture: &Picture) -> ItemsCount {
    ItemsCount::new(picture.width as usize * picture.height as usize)
}
