//! Broken and hostile files: the program refuses them with a finding or ships them, and never crashes, hangs, or eats the memory.
//!
//! With `HOSTILE_CASES=N` and `--ignored`, N more are made by damaging the samples.

use std::path::{Path, PathBuf};
use std::time::Duration;

const SECONDS: u64 = 20;
const MEMORY_KILOBYTES: u64 = 3_000_000;
/// Files of other projects that are broken on purpose: folder of the corpus, beginning of the name.
const CORPUS: &[(&str, &str)] = &[("glb", "hostile_"), ("vrm0", "blenderaddon_broken_"), ("vrm0", "usdvrm_"), ("vrm1", "usdvrm_")];

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs `program shrink input OUT` in a folder of its own and says what it should not have done.
fn misbehaviour(program: &[&str], input: &Path, limit: Duration) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("out.vrm");
    let limited = ["bash", "-c", &format!("ulimit -v {MEMORY_KILOBYTES} -c 0; exec \"$@\""), "limited"];
    let words = if cfg!(target_os = "linux") { [&limited, program].concat() } else { program.to_vec() };
    let mut command = assert_cmd::Command::new(words[0]);
    command.args(&words[1..]);
    command.arg("shrink").arg(input).arg(&output).args(["--format", "json", "-j", "2"]).timeout(limit);
    let before = std::fs::read(input).expect("the input");
    let run = command.output().expect("the program starts");
    let after = std::fs::read(input).expect("the input");

    let mut wrong = Vec::new();
    let said = String::from_utf8_lossy(&run.stderr);
    let findings = serde_json::from_slice::<serde_json::Value>(&run.stdout).ok().and_then(|json| json["findings"].as_array().cloned());
    let left: Vec<_> = files_in(folder.path()).into_iter().filter_map(|path| Some(path.file_name()?.to_owned())).collect();
    match run.status.code() {
        Some(0) if !output.exists() => wrong.push("exit code 0 without an output".into()),
        Some(0) => {}
        Some(1) => {
            if !findings.iter().flatten().any(|finding| finding["severity"] == "error") {
                wrong.push("exit code 1 without a finding that is an error".into());
            }
            if !left.is_empty() {
                wrong.push(format!("exit code 1, but left {left:?}"));
            }
        }
        Some(code) => wrong.push(format!("exit code {code}: {}", said.trim())),
        None => wrong.push(format!("killed by a signal or after {} s: {}", limit.as_secs(), said.trim())),
    }
    if findings.is_none() && run.status.code().is_some() {
        wrong.push("no JSON object with findings on standard output".into());
    }
    if left.len() > 1 {
        wrong.push(format!("left {left:?}"));
    }
    if before != after {
        wrong.push("changed its input".into());
    }
    wrong
}

/// Runs the program on every file and fails with all that went wrong.
fn must_behave(files: &[PathBuf]) {
    let program = [env!("CARGO_BIN_EXE_companion-build"), "--no-cache"];
    let mut all = Vec::new();
    for file in files {
        let name = file.file_name().expect("a name").to_string_lossy();
        all.extend(misbehaviour(&program, file, Duration::from_secs(SECONDS)).into_iter().map(|what| format!("{name}: {what}")));
    }
    assert!(all.is_empty(), "{} of {} files:\n{}", all.len(), files.len(), all.join("\n"));
}

/// The files of a folder, sorted.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn files_of_other_projects_that_are_broken() {
    let corpus = project("../shared/corpus");
    if !corpus.exists() {
        println!("skipped: hostile files of other projects (../shared/corpus is not there)");
        return;
    }
    let chosen = |folder: &str, start: &str| {
        let mut files = files_in(&corpus.join(folder));
        files.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start)));
        files
    };
    let files: Vec<_> = CORPUS.iter().flat_map(|(folder, start)| chosen(folder, start)).collect();
    assert!(files.len() > 50, "only {} files", files.len());
    must_behave(&files);
}

/// A GLB around any JSON text and binary chunk.
fn glb(json: &str, bin: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], body: &[u8], fill: u8| {
        let mut body = body.to_vec();
        body.resize(body.len().next_multiple_of(4), fill);
        [&(body.len() as u32).to_le_bytes()[..], kind, &body].concat()
    };
    let mut chunks = chunk(b"JSON", json.as_bytes(), b' ');
    if !bin.is_empty() {
        chunks.extend(chunk(b"BIN\0", bin, 0));
    }
    [&b"glTF\x02\0\0\0"[..], &(12 + chunks.len() as u32).to_le_bytes(), &chunks].concat()
}

/// Small hostile files, each with the trick that it tries.
fn made_here() -> Vec<(&'static str, Vec<u8>)> {
    let with = |members: &str| glb(&format!(r#"{{"asset":{{"version":"2.0"}},{members}}}"#), &[0; 64]);
    let buffer = r#""buffers":[{"byteLength":64}],"bufferViews":[{"buffer":0,"byteLength":64}]"#;
    let mesh = r#""meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}]"#;
    let meshopt = |count: &str, stride: &str| {
        let packed = format!(r#"{{"buffer":0,"byteLength":64,"byteStride":{stride},"count":{count},"mode":"ATTRIBUTES"}}"#);
        with(&format!(
            r#""extensionsUsed":["EXT_meshopt_compression"],"buffers":[{{"byteLength":64}},{{"byteLength":4000000000}}],
               "bufferViews":[{{"buffer":1,"byteLength":4000000000,"extensions":{{"EXT_meshopt_compression":{packed}}}}}],
               "accessors":[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3"}}],{mesh}"#
        ))
    };
    // A PNG whose header claims 100,000 by 100,000 pixels.
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\x86\xa0\0\x01\x86\xa0\x08\x06\0\0\0\0\0\0\0";
    let picture = r#""buffers":[{"byteLength":33}],"bufferViews":[{"buffer":0,"byteLength":33}],"textures":[{"source":0}],
                     "images":[{"bufferView":0,"mimeType":"image/png"}],"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}]"#;
    let accessor = |members: &str| with(&format!(r#"{buffer},"accessors":[{{"componentType":5126,"type":"VEC3",{members}}}],{mesh}"#));
    vec![
        ("nothing", vec![]),
        ("magic-only", b"glTF".to_vec()),
        ("length-of-4-gigabytes", b"glTF\x02\0\0\0\xff\xff\xff\xff\xff\xff\xff\xffJSON{}".to_vec()),
        ("zeros", vec![0; 4096]),
        ("deep-json", glb(&"[".repeat(200_000), &[])),
        ("deep-json-object", glb(&format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000)), &[])),
        ("json-is-a-list", glb("[]", &[])),
        ("json-is-not-utf8", [&b"glTF\x02\0\0\0\x18\0\0\0\x04\0\0\0JSON\xff\xfe{}"[..]].concat()),
        ("huge-count", accessor(r#""bufferView":0,"count":4000000000"#)),
        ("count-without-bytes", accessor(r#""count":2000000000"#)),
        (
            "sparse-of-everything",
            accessor(
                r#""count":1000000000,"sparse":{"count":1000000000,"indices":{"bufferView":0,"componentType":5125},"values":{"bufferView":0}}"#,
            ),
        ),
        ("negative-count", accessor(r#""bufferView":0,"count":-1"#)),
        ("count-past-64-bits", accessor(r#""bufferView":0,"count":99999999999999999999"#)),
        ("offset-overflows", accessor(r#""bufferView":0,"byteOffset":18446744073709551615,"count":1"#)),
        ("component-type-unknown", accessor(r#""bufferView":0,"componentType":1,"count":1"#)),
        ("meshopt-bomb", meshopt("300000000", "12")),
        ("meshopt-stride-zero", meshopt("3", "0")),
        ("picture-bomb", glb(&format!(r#"{{"asset":{{"version":"2.0"}},{picture}}}"#), png)),
        ("node-is-its-own-child", with(r#""nodes":[{"children":[0]}],"scenes":[{"nodes":[0]}]"#)),
        ("nodes-in-a-ring", with(r#""nodes":[{"children":[1]},{"children":[0]}],"scenes":[{"nodes":[0]}]"#)),
        ("indices-that-are-text", with(r#""nodes":[{"mesh":"0","skin":{}}],"scenes":5"#)),
        ("data-uri-that-is-none", with(r#""images":[{"uri":"data:image/png;base64,####"}],"textures":[{"source":0}]"#)),
        ("file-outside", with(r#""buffers":[{"uri":"../../../../etc/passwd","byteLength":16}]"#)),
        ("vrm-of-another-kind", with(r#""extensions":{"VRM":[],"VRMC_vrm":3},"extensionsUsed":["VRM","VRMC_vrm"]"#)),
        ("extensions-that-are-numbers", with(r#""extensions":1,"extensionsUsed":2,"extensionsRequired":[3]"#)),
    ]
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("writable");
    path
}

#[test]
fn files_made_to_hurt() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files: Vec<_> = made_here().iter().map(|(name, bytes)| write(folder.path(), &format!("{name}.vrm"), bytes)).collect();
    must_behave(&files);
}

/// Every `.vrm` under a folder.
fn avatars(folder: &Path) -> Vec<PathBuf> {
    let inside = files_in(folder).into_iter();
    inside
        .flat_map(|path| if path.is_dir() { avatars(&path) } else { vec![path] })
        .filter(|path| path.extension() == Some("vrm".as_ref()))
        .collect()
}

#[test]
#[ignore = "long: tests/run --fuzz"]
fn samples_damaged_at_random() {
    let cases: u64 = std::env::var("HOSTILE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let samples = avatars(&project("samples"));
    if samples.is_empty() {
        println!("skipped: samples damaged at random (there is no .vrm under samples/)");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut files = Vec::new();
    for case in 0..cases {
        // xorshift64*: the same damage for the same case, on any machine.
        let mut state = case.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = |below: usize| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below.max(1)
        };
        let mut bytes = std::fs::read(&samples[case as usize % samples.len()]).expect("a sample");
        // Half of the damage goes into the JSON, where a changed digit means the most.
        let json = usize::from(bytes[12]) | usize::from(bytes[13]) << 8 | usize::from(bytes[14]) << 16;
        for _ in 0..1 + random(8) {
            let reach = if random(2) == 0 { (20 + json).min(bytes.len()) } else { bytes.len() };
            let at = random(reach);
            bytes[at] = if at < 20 + json && bytes[at].is_ascii_digit() { b'0' + random(10) as u8 } else { random(256) as u8 };
        }
        if random(8) == 0 {
            bytes.truncate(random(bytes.len()));
        }
        files.push(write(folder.path(), &format!("damage-{case}.vrm"), &bytes));
    }
    must_behave(&files);
}

/// Stand-ins for the program, and what the check must say of each.
#[cfg(target_os = "linux")]
const STAND_INS: &[(&str, &[&str])] = &[
    ("cp $2 $3; echo '{\"findings\":[]}'", &[]),
    ("echo '{\"findings\":[{\"severity\":\"error\"}]}'; exit 1", &[]),
    ("[ $(ulimit -v) = 3000000 ] || exit 2; echo '{\"findings\":[{\"severity\":\"error\"}]}'; exit 1", &[]),
    ("echo '{\"findings\":[]}'", &["exit code 0 without an output"]),
    ("echo '{\"findings\":[{\"severity\":\"note\"}]}'; exit 1", &["exit code 1 without a finding that is an error"]),
    ("cp $2 $3; echo '{\"findings\":[{\"severity\":\"error\"}]}'; exit 1", &["exit code 1, but left [\"out.vrm\"]"]),
    ("cp $2 $3; cp $2 $3.tmp; echo '{\"findings\":[]}'", &["left [\"out.vrm\", \"out.vrm.tmp\"]"]),
    ("echo disk full >&2; echo '{\"findings\":[]}'; exit 2", &["exit code 2: disk full"]),
    ("exit 101", &["exit code 101: ", "no JSON object with findings on standard output"]),
    ("kill -SEGV $$", &["killed by a signal or after 1 s: "]),
    ("exec sleep 60", &["killed by a signal or after 1 s: "]),
    ("echo x >> $2; cp $2 $3; echo '{\"findings\":[]}'", &["changed its input"]),
];

#[test]
#[cfg(target_os = "linux")]
fn the_check_catches_every_misbehaviour() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let input = write(folder.path(), "in.vrm", b"glTF");
    for (script, expected) in STAND_INS {
        let found = misbehaviour(&["bash", "-c", script, "stand-in"], &input, Duration::from_secs(1));
        assert_eq!(found, *expected, "{script}");
    }
}
