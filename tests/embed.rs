//! What a build embeds in an avatar: told in the report, read back by `inspect` and by a reader of another language, dropped by a shrink.

mod folder;

use assert_cmd::Command;
use folder::copy;
use serde_json::{Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};

const AVATAR: &str = "companion-models/juno/juno.vrm";

fn run(arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let run = command.args(arguments).args(["--format", "json", "--no-cache"]).output().expect("it starts");
    let json: Value = serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stderr)));
    assert!(run.status.success(), "{json:#}");
    json
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The wardrobe with one of its outfits only.
fn pack(folder: &Path) -> PathBuf {
    let pack = folder.join("wardrobe");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/wardrobe"), &pack);
    let path = pack.join("companion-models/juno/model.json");
    let mut model: Value = serde_json::from_slice(&std::fs::read(&path).expect("a manifest")).expect("JSON");
    model["outfits"] = model["outfits"].as_array().expect("outfits").iter().filter(|outfit| outfit["key"] == "skirt").cloned().collect();
    std::fs::write(path, model.to_string()).expect("written");
    pack
}

/// Builds a pack: its entry in the report, and its avatar in a file of its own.
fn build(pack: &Path, out: &Path, more: &[&str]) -> (Value, PathBuf) {
    let report = run(&[&["build", text(pack), "-o", text(out)], more].concat());
    let mut archive = zip::ZipArchive::new(std::fs::File::open(out.join("wardrobe.zip")).expect("a zip")).expect("a zip");
    let mut bytes = Vec::new();
    archive.by_name(AVATAR).expect("the avatar").read_to_end(&mut bytes).expect("sound");
    let avatar = out.join("shipped.vrm");
    std::fs::write(&avatar, bytes).expect("written");
    (report["packs"][0].clone(), avatar)
}

fn inspected(avatar: &Path) -> Value {
    let outcome = run(&["inspect", text(avatar)]);
    assert_eq!(outcome["findings"], json!([]));
    outcome["files"][0].clone()
}

#[test]
fn masks_ship_in_the_avatar_and_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = pack(folder.path());
    let (report, avatar) = build(&pack, &folder.path().join("a"), &[]);
    let model = &report["models"][0];
    let cover = &model["cover"][0];
    assert_eq!((&model["key"], &cover["outfit"], model["walks"].as_array().map(Vec::len)), (&json!("juno"), &json!("skirt"), Some(1)));
    let parts = cover["parts"].as_array().expect("parts");
    let sum: u64 = parts.iter().filter_map(|part| part["hidden"].as_u64()).sum();
    assert!(sum > 300 && cover["hidden"] == sum, "{sum}");
    let found = inspected(&avatar);
    assert_eq!(found["cover"], model["cover"]);
    assert_eq!((&found["embedded"]["version"], &found["embedded"]["walks"]), (&json!("1"), &json!(1)));
    assert_eq!(found["embedded"]["bodyHeight"], model["bodyHeight"]);

    // A reader in 40 lines of JavaScript.
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/client/covers.mjs");
    assert!(std::fs::read_to_string(&reader).expect("the reader").lines().count() <= 40);
    let script = format!(
        "import {{ covers, visible }} from {reader:?}; import {{ readFileSync }} from 'node:fs';
         const found = covers(new Uint8Array(readFileSync({avatar:?})));
         const count = ({{ hidden }}) => hidden.filter(Boolean).length;
         console.log(JSON.stringify(found.map(({{ outfit, parts }}) => ({{ outfit, parts: parts.map((part) => [part.node, part.mesh, part.primitive,
         part.hidden.length, count(part), visible([...Array(3 * part.hidden.length).keys()], part.hidden).length]) }}))));"
    );
    match std::process::Command::new("node").args(["--input-type=module", "-e", &script]).output() {
        Err(_) => println!("skipped: the reader in JavaScript (node is not installed)"),
        Ok(run) => {
            let read: Value = serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stderr)));
            let number = |part: &Value, name: &str| part[name].as_u64().expect("a number");
            let wanted = |part: &Value| {
                let left = 3 * (number(part, "triangles") - number(part, "hidden"));
                json!([part["node"], part["mesh"], part["primitive"], part["triangles"], part["hidden"], left])
            };
            assert_eq!(read, json!([{ "outfit": "skirt", "parts": parts.iter().map(wanted).collect::<Vec<_>>() }]));
        }
    }

    // A second build starts from what ships, and finds its own masks.
    std::fs::copy(&avatar, pack.join(AVATAR)).expect("copied");
    let (report, again) = build(&pack, &folder.path().join("b"), &["--set", "cover.enabled=false"]);
    assert_eq!((&report["models"][0]["cover"], inspected(&again).get("cover")), (&json!([]), None));

    // A shrink drops what is embedded.
    let shrunk = folder.path().join("shrunk.vrm");
    run(&["shrink", text(&avatar), text(&shrunk)]);
    let found = inspected(&shrunk);
    assert_eq!((found.get("cover"), found.get("embedded")), (None, None));
    assert!(!found["document"]["extensionsUsed"].as_array().expect("a list").contains(&json!("COMPANION_precomputed")));

    let (_, bare) = build(&pack, &folder.path().join("c"), &["--set", "precompute.embed=false", "--set", "cover.enabled=false"]);
    assert_eq!(inspected(&bare).get("embedded"), None);
}

#[test]
fn the_command_tells_and_draws() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = pack(folder.path());
    let (avatar, model) = (pack.join(AVATAR), pack.join("companion-models/juno/model.json"));
    let pictures = folder.path().join("pictures");
    let outcome = run(&["cover", text(&avatar), "--model", text(&model), "--pictures", text(&pictures)]);
    let told = &outcome["models"][0];
    assert_eq!((&told["key"], &told["cover"][0]["outfit"]), (&json!("juno.vrm"), &json!("skirt")));
    for side in ["front", "back"] {
        let png = std::fs::read(pictures.join(format!("skirt-{side}.png"))).expect("a picture");
        let picture = companion_build::codec::image::decode(&png).expect("a PNG");
        // The blue of what is hidden.
        assert!(
            picture.pixels.chunks(usize::from(picture.channels)).filter(|p| i32::from(p[2]) > i32::from(p[0]) + 60).count() > 0,
            "{side}"
        );
    }
}

#[test]
fn more_than_anybody_can_look_at_is_a_finding() {
    let folder = tempfile::tempdir().expect("a folder");
    // 1100 nodes draw one mesh of 1000 triangles.
    let mut nodes: Vec<Value> = vec![json!({ "mesh": 0 }); 1100];
    nodes.push(json!({ "children": (0..1100).collect::<Vec<_>>() }));
    let json = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [1100] }], "nodes": nodes, "buffers": [{ "byteLength": 36000 }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36000 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3000, "min": [0, 0, 0], "max": [0, 0, 0] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
    });
    let glb = companion_build::gltf::container::write_glb(json.as_object().expect("an object"), &vec![0; 36000], &[]).expect("a GLB");
    let (avatar, model) = (folder.path().join("a.glb"), folder.path().join("model.json"));
    std::fs::write(&avatar, glb).expect("written");
    std::fs::write(&model, "{}").expect("written");
    let outcome = run(&["cover", text(&avatar), "--model", text(&model)]);
    assert_eq!((&outcome["findings"][0]["code"], &outcome["models"][0]["cover"]), (&json!("Y002"), &json!([])));
}
