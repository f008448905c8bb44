//! `inspect` over every file of a corpus of real and of broken ones, where it is at hand.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// Triangles of files, by an independent count.
const TRIANGLES: &[(&str, u64)] = &[
    ("glb/gltftransform_BoxMeshopt.glb", 12),
    ("glb/gltftransform_ShapeCollection.glb", 2390),
    ("glb/kaykit_Mage.glb", 5683),
    ("glb/khronos_RiggedFigure.glb", 256),
    ("glb/m2m_human-interleaved-buffer-mesh.glb", 19914),
    ("glb/prop_bevy_cakeBirthday.glb", 1332),
    ("glb/prop_meshopt_pirate.glb", 5010),
    ("vrm0/Godette_vrm_v4.vrm", 3439),
    ("vrm0/aipa_droid-vrm.vrm", 5920),
    ("vrm0/catbot.vrm", 256),
    ("vrm0/cryptovoxels.vrm", 4907),
    ("vrm1/arkavo_smoke_spring.vrm", 2400),
];

/// Other facts: file, JSON Pointer in its element of `files`, value.
const FACTS: &[(&str, &str, &str)] = &[
    ("glb/kaykit_Mage.glb", "/document/animations", "76"),
    ("glb/kaykit_Mage.glb", "/geometry/vertices", "5279"),
    ("glb/prop_meshopt_pirate.glb", "/geometry/vertices", "2887"),
    ("glb/prop_meshopt_pirate.glb", "/document/extensionsRequired/0", "\"EXT_meshopt_compression\""),
    ("glb/m2m_human-sintel.glb", "/geometry/morphTargets", "40"),
    ("vrm0/Godette_vrm_v4.vrm", "/textures/1/format", "\"jpeg\""),
    ("vrm0/Godette_vrm_v4.vrm", "/textures/2/width", "512"),
    ("vrm0/blenderaddon_custom_normal.vrm", "/materials/0/shader", "\"mtoon\""),
    ("vrm0/catbot.vrm", "/kind", "\"vrm\""),
    ("vrm0/catbot.vrm", "/avatar/vrmVersion", "\"0.x\""),
    ("vrm0/catbot.vrm", "/geometry/morphTargets", "40"),
    ("vrm0/unavi_2305_Robot.vrm", "/geometry/vertices", "1842"),
    ("vrm1/arkavo_smoke_spring.vrm", "/avatar/springJoints", "4"),
    ("vrm1/arkavo_springbone_collider_capsule_x0p02_r0p1.vrm", "/avatar/colliders", "1"),
    ("vrm1/usdvrm_constraints.vrm", "/avatar/constraints", "1"),
    ("vrma/chatvrm_idle_loop.vrma", "/kind", "\"vrma\""),
    ("vrma/bevyvrm1_rotate.vrma", "/avatar/bones/50/bone", "\"rightLittleDistal\""),
    ("fbx/kaykit_prop_staff.fbx", "/kind", "\"fbx\""),
    ("image/imagers_cat.jpg", "/textures/0/width", "320"),
];

fn files_in(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { files_in(&entry, found) } else { found.push(entry) }
    }
}

#[test]
fn every_file_of_the_corpus_is_told() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !corpus.is_dir() {
        println!("skipped: ../shared/corpus is not here");
        return;
    }
    let mut files = Vec::new();
    files_in(&corpus, &mut files);
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_companion-build"));
    let run = command.current_dir(&corpus).args(["inspect", "--format", "json"]);
    let names: Vec<String> =
        files.iter().map(|file| file.strip_prefix(&corpus).expect("in it").to_string_lossy().replace('\\', "/")).collect();
    let run = run.args(&names).output().expect("the program starts");
    // Some of the files are broken, so errors are left; the tool itself never fails.
    assert_eq!(run.status.code(), Some(1), "{}", String::from_utf8_lossy(&run.stderr));
    let outcome: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let findings = outcome["findings"].as_array().expect("a list");
    let bugs: Vec<&Value> = findings.iter().filter(|finding| finding["code"] == "Z001").collect();
    assert!(bugs.is_empty(), "{bugs:#?}");

    let told = outcome["files"].as_array().expect("a list");
    assert_eq!(told.iter().filter_map(|file| file["path"].as_str()).collect::<Vec<_>>(), names);
    let (mut readable, mut wrong) = (0, Vec::new());
    for (file, path) in told.iter().zip(&files) {
        let name = file["path"].as_str().unwrap_or_default();
        let size = std::fs::metadata(path).expect("a file").len();
        if file["bytes"] != size {
            wrong.push(format!("{name}: {} bytes, but it has {size}", file["bytes"]));
        }
        if let Some(sizes) = file["sizes"].as_object() {
            readable += 1;
            let sum: u64 = sizes.values().filter_map(Value::as_u64).sum();
            if sum != size {
                wrong.push(format!("{name}: its parts add up to {sum}, but it has {size}"));
            }
        } else if !findings.iter().any(|finding| finding["file"] == name) {
            wrong.push(format!("{name}: no sizes, and nothing says why"));
        }
    }
    assert!(readable > 100, "{readable}");
    let fact = |name: &str, pointer: &str| {
        told.iter().find(|file| file["path"] == name).and_then(|file| file.pointer(pointer)).cloned().unwrap_or_default()
    };
    for (name, triangles) in TRIANGLES {
        let found = fact(name, "/geometry/triangles");
        if found != *triangles {
            wrong.push(format!("{name}: {found} triangles, not {triangles}"));
        }
    }
    for (name, pointer, expected) in FACTS {
        let found = fact(name, pointer).to_string();
        if found != *expected {
            wrong.push(format!("{name}: {pointer} is {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
