//! What shrinking keeps, for each target, on the samples of both VRM versions; judged on the JSON, and by a reader that is not ours.

use bytes::Bytes;
use companion_build::build::settings::Settings;
use companion_build::disk::cache::Cache;
use companion_build::gltf::{Document, Packed, index_in, list};
use companion_build::parallel::{self, Budget};
use companion_build::report::{Report, progress::Silent};
use companion_build::shrink::settings::Target;
use companion_build::shrink::{Role, Shrunk, Workshop, shrink};
use companion_build::vrm::refs::TABLE;
use serde_json::{Value, json};
use std::path::Path;

const AVATARS: [&str; 3] = [
    "samples/wardrobe/companion-models/juno/juno.vrm",
    "samples/vrm0/companion-models/pip/pip.vrm",
    "samples/minimal/companion-models/dot/dot.vrm",
];

fn sample(path: &str) -> Bytes {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a sample").into()
}

fn document(bytes: &Bytes) -> Document {
    let mut report = Report::default();
    let document = Document::read(bytes, "a.vrm", &TABLE, &mut report);
    document.unwrap_or_else(|| panic!("{:?}", report.findings))
}

fn shrunk_with(bytes: &Bytes, settings: &Settings, threads: usize) -> (Shrunk, Vec<&'static str>) {
    let pictures = Budget::new(settings.run.picture_pixels);
    let workshop = Workshop { settings: &settings.shrink, table: &TABLE, pictures: &pictures, cache: &Cache::off(), progress: &Silent };
    let mut report = Report::default();
    let shrunk = parallel::with_threads(threads, || shrink(bytes, "a.vrm", Role::Model, workshop, &mut report));
    (shrunk.expect("an avatar that can be shrunk"), report.findings.iter().map(|f| f.code.id).collect())
}

fn shrunk(bytes: &Bytes, target: Target) -> Bytes {
    let mut settings = Settings::default();
    settings.shrink.target = target;
    // PNG as small as it gets takes its time, and says nothing more about the target.
    settings.shrink.textures.max_size = if target == Target::Stage { 0 } else { 128 };
    shrunk_with(bytes, &settings, 2).0.bytes
}

/// The extension without what may be renumbered: pictures and textures.
fn without_pictures(document: &Document, extension: &str) -> Value {
    let mut value = document.extension(extension).cloned().unwrap_or_default();
    if let Some(meta) = value.get_mut("meta").and_then(Value::as_object_mut) {
        meta.shift_remove("thumbnailImage");
        meta.shift_remove("texture");
    }
    for material in value.get_mut("materialProperties").and_then(Value::as_array_mut).into_iter().flatten() {
        let textures = material["textureProperties"].as_object_mut();
        textures.into_iter().flat_map(|t| t.values_mut()).for_each(|index| *index = Value::Null);
    }
    value
}

#[test]
fn vrm_data_survives_to_the_letter() {
    for path in AVATARS {
        let input = sample(path);
        let (before, after) = (document(&input), document(&shrunk(&input, Target::Stage)));
        for extension in ["VRM", "VRMC_vrm", "VRMC_springBone"] {
            assert_eq!(without_pictures(&before, extension), without_pictures(&after, extension), "{path} {extension}");
        }
        for name in ["nodes", "meshes", "materials", "skins", "animations", "scenes"] {
            assert_eq!(before.list(name).len(), after.list(name).len(), "{path} {name}");
        }
        for (a, b) in before.list("nodes").iter().zip(after.list("nodes")) {
            for member in ["translation", "rotation", "scale", "children", "mesh", "skin", "extensions", "extras"] {
                assert_eq!(a.get(member), b.get(member), "{path} {member}");
            }
        }
        for (a, b) in before.list("skins").iter().zip(after.list("skins")) {
            assert_eq!(a["joints"], b["joints"], "{path}");
        }
        for (a, b) in before.list("meshes").iter().zip(after.list("meshes")) {
            assert_eq!((&a["name"], &a["extras"], &a["weights"]), (&b["name"], &b["extras"], &b["weights"]), "{path}");
            for (p, q) in list(a, "primitives").iter().zip(list(b, "primitives")) {
                let keys = |value: &Value| value.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>());
                assert_eq!(keys(&p["attributes"]), keys(&q["attributes"]), "{path}");
                assert_eq!(
                    (list(p, "targets").len(), &p["material"], &p["extras"]),
                    (list(q, "targets").len(), &q["material"], &q["extras"]),
                    "{path}"
                );
                let count = |d: &Document, p: &Value| d.accessor(index_in(p, "indices").expect("indexed")).expect("sound").count;
                assert_eq!(count(&before, p), count(&after, q), "{path}: triangles");
            }
        }
    }
}

/// The pictures of a document: MIME type and bytes.
fn pictures(document: &Document) -> Vec<(String, Bytes)> {
    let view = |image: &Value| document.blobs[index_in(image, "bufferView").expect("embedded")].bytes.clone();
    document.list("images").iter().map(|image| (image["mimeType"].as_str().unwrap_or_default().to_owned(), view(image))).collect()
}

#[test]
fn the_thumbnail_of_vrm_1_stays_a_png() {
    let after = document(&shrunk(&sample(AVATARS[0]), Target::Stage));
    let thumbnail = after.extension("VRMC_vrm").and_then(|v| index_in(&v["meta"], "thumbnailImage")).expect("a thumbnail");
    let (mime, bytes) = &pictures(&after)[thumbnail];
    assert_eq!(mime, "image/png");
    assert!(bytes.starts_with(b"\x89PNG"));
}

#[test]
fn each_target_gets_what_it_reads() {
    for path in &AVATARS[..2] {
        let input = sample(path);
        for target in [Target::Stage, Target::Gltfast, Target::Univrm] {
            let output = shrunk(&input, target);
            assert!(output.len() < input.len(), "{path} {target:?}");
            let document = document(&output);
            let uses = |name: &str| document.list("extensionsUsed").iter().any(|e| e == name);
            let requires = |name: &str| document.list("extensionsRequired").iter().any(|e| e == name);
            let packed: Vec<&Packed> = document.blobs.iter().filter_map(|blob| blob.packed.as_ref()).collect();
            let raw = String::from_utf8_lossy(&output).into_owned();
            let types: Vec<usize> = document.list("accessors").iter().filter_map(|a| index_in(a, "componentType")).collect();
            let webp = pictures(&document).iter().filter(|(mime, _)| mime == "image/webp").count();
            match target {
                Target::Stage => {
                    assert!(webp > 0 && requires("EXT_texture_webp") && requires("KHR_mesh_quantization"), "{path}");
                }
                Target::Gltfast => assert!(webp == 0 && !uses("EXT_texture_webp") && requires("KHR_mesh_quantization"), "{path}"),
                Target::Univrm => {
                    assert!(webp == 0 && packed.is_empty() && document.list("extensionsRequired").is_empty(), "{path}");
                    assert!(types.iter().all(|t| [5126, 5123, 5121, 5125].contains(t)), "{path} {types:?}");
                    // A reader that shares no line with ours.
                    let stranger = gltf::Gltf::from_slice(&output).expect("a glTF that others read");
                    assert_eq!(stranger.meshes().count(), document.list("meshes").len());
                }
            }
            if target != Target::Univrm {
                assert!(
                    packed.iter().all(|p| matches!(p.bytes[0], 0xA0 | 0xE1 | 0xD1)),
                    "{path}: EXT_meshopt_compression has version 0 streams"
                );
                assert!(raw.contains("\"fallback\":true") && raw.contains("\"EXT_meshopt_compression\""), "{path}");
            }
        }
    }
}

#[test]
fn a_second_time_nothing_is_lost_and_nothing_grows() {
    for path in AVATARS {
        let once = shrunk(&sample(path), Target::Stage);
        let twice = shrunk(&once, Target::Stage);
        assert!(twice.len() <= once.len(), "{path}: {} -> {}", once.len(), twice.len());
        assert_eq!(pictures(&document(&once)), pictures(&document(&twice)), "{path}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for path in &AVATARS[..2] {
        let input = sample(path);
        let one = shrunk_with(&input, &Settings::default(), 1).0.bytes;
        assert!(one == shrunk_with(&input, &Settings::default(), 8).0.bytes, "{path}");
    }
}

#[test]
fn a_file_with_an_unknown_extension_is_not_renumbered() {
    let mut before = document(&sample(AVATARS[1]));
    before.json.entry("extensions").or_insert_with(|| json!({}))["VENDOR_lamp"] = json!({"texture": 1});
    let input = Bytes::from(before.write().expect("small"));
    let (after, codes) = shrunk_with(&input, &Settings::default(), 2);
    assert!(codes.contains(&"S001"), "{codes:?}");
    let after = document(&after.bytes);
    for name in ["textures", "images", "accessors", "samplers"] {
        assert_eq!(before.list(name).len(), after.list(name).len(), "{name}");
    }
    assert_eq!(after.extension("VENDOR_lamp"), Some(&json!({"texture": 1})));
}

#[test]
fn a_cap_makes_pictures_smaller_and_never_larger() {
    let mut settings = Settings::default();
    settings.shrink.textures.max_size = 200;
    let (shrunk, _) = shrunk_with(&sample(AVATARS[0]), &settings, 2);
    for (_, bytes) in pictures(&document(&shrunk.bytes)) {
        let info = companion_build::codec::image::info(&bytes).expect("a picture");
        assert!(info.width.max(info.height) <= 200, "{info:?}");
    }
}

/// A document that shows one picture.
fn showing(picture: Vec<u8>, mime: &str) -> Bytes {
    let json = json!({
        "asset": {"version": "2.0"},
        "images": [{"bufferView": 0, "mimeType": mime}],
        "textures": [{"source": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    });
    let mut document = Document::from(json.as_object().expect("an object").clone());
    document.add_view(companion_build::gltf::Blob { bytes: picture.into(), packed: None }, json!({}));
    document.write().expect("small").into()
}

#[test]
fn every_kind_of_picture_becomes_a_texture_or_a_finding() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/image");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: ../shared/corpus/image is not here");
        return;
    };
    let mut done = 0;
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e != "md")) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let picture = std::fs::read(&path).expect("a picture");
        for cap in [0, 64] {
            let mut settings = Settings::default();
            settings.shrink.textures.max_size = cap;
            let (shrunk, codes) = shrunk_with(&showing(picture.clone(), "image/png"), &settings, 2);
            assert!(!codes.contains(&"Z001"), "{name}: a bug");
            let (mime, bytes) = pictures(&document(&shrunk.bytes)).remove(0);
            let explained = codes.iter().any(|c| ["S002", "S003", "S007"].contains(c));
            let kind = companion_build::codec::image::Kind::of(&bytes);
            assert!(kind.is_some_and(|kind| kind.mime() == mime) || explained, "{name}: {mime} {codes:?}");
            let info = companion_build::codec::image::info(&bytes);
            assert!(explained || cap == 0 || info.is_ok_and(|i| i.width.max(i.height) <= cap), "{name}");
            done += 1;
        }
    }
    assert!(done > 60, "{done}");
}

#[test]
fn a_picture_that_claims_to_be_huge_is_kept_and_not_opened() {
    // The head of a PNG of 60000 x 60000 pixels: opened, it would be 14 GB.
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60, 8, 6, 0, 0, 0, 0, 0, 0, 0]);
    let (shrunk, codes) = shrunk_with(&showing(png.clone(), "image/png"), &Settings::default(), 2);
    assert!(codes.contains(&"S007") || codes.contains(&"S002"), "{codes:?}");
    assert_eq!(&pictures(&document(&shrunk.bytes))[0].1[..], png);
}
