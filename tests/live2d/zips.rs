//! Whole looks in their zips, sound, hostile and odd.

use crate::writer::{self, Entry, entry, look, zip};
use companion_build::live2d;
use companion_build::report::{Report, Severity};

/// `CODE message` of each finding that is at least so loud, in the order in which they are made.
fn findings(bytes: &[u8], least: Severity) -> Vec<String> {
    let mut report = Report::default();
    live2d::open(bytes, "a.zip", &mut report);
    let loud = report.findings.iter().filter(|finding| finding.severity <= least);
    loud.map(|finding| format!("{} {}", finding.code.id, finding.message)).collect()
}

fn errors(entries: &[Entry]) -> Vec<String> {
    findings(&zip(entries), Severity::Error)
}

fn notes(entries: &[Entry]) -> Vec<String> {
    findings(&zip(entries), Severity::Note)
}

#[test]
fn a_sound_look_of_every_version_has_no_finding() {
    for version in 1..=6 {
        let found = notes(&look(version));
        let wanted = if version == 6 { vec!["L023 \"Fox/Fox.moc3\": it is of version 6, of Cubism 5.3".to_owned()] } else { vec![] };
        assert_eq!(found, wanted, "version {version}");
    }
    let entries = look(3);
    let bytes = zip(&entries);
    let mut report = Report::default();
    let bundle = live2d::open(&bytes, "a.zip", &mut report).expect("a model");
    assert_eq!((bundle.folder.as_str(), bundle.model.textures(), bundle.motions.len()), ("Fox/", 2, 2));
    assert_eq!(bundle.textures.iter().map(|t| (t.width, t.height)).collect::<Vec<_>>(), [(64, 64), (32, 32)]);
    assert_eq!(bundle.motions["motions/idle.motion3.json"].duration, 2.0);
}

/// The look with more entries, or with entries in another form.
fn with(change: impl FnOnce(&mut Vec<Entry>)) -> Vec<Entry> {
    let mut entries = look(3);
    change(&mut entries);
    entries
}

#[test]
fn hostile_zips_are_refused_with_the_name_of_the_entry() {
    let plus = |extra: Entry| with(|entries| entries.push(extra));
    let zeros = vec![0; 3 << 20];
    let cases: Vec<(Vec<Entry>, &str)> = vec![
        (plus(entry("../evil.txt", b"x")), "L004 \"../evil.txt\": the name leaves its folder"),
        (plus(entry("/etc/evil.txt", b"x")), "L004 \"/etc/evil.txt\": the name starts at a root"),
        (plus(entry("C:evil.txt", b"x")), "L004 \"C:evil.txt\": the name starts with a drive letter"),
        (plus(entry("Fox\\..\\evil.txt", b"x")), "L004 \"Fox\\..\\evil.txt\": the name holds a backslash"),
        (plus(entry("evil\0.txt", b"x")), "L004 \"evil\0.txt\": the name holds a control character"),
        (plus(Entry { name: b"Fox/\xff\xfe.txt".to_vec(), ..entry("", b"x") }), "L004 \"Fox/\u{fffd}\u{fffd}.txt\": the name is neither"),
        (plus(Entry { mode: 0o120_777, ..entry("Fox/link.txt", b"/etc/passwd") }), "L005 \"Fox/link.txt\": it is a symbolic link"),
        (plus(entry("Fox/smile.exp3.json", b"other")), "L006 \"Fox/smile.exp3.json\": two entries have this name"),
        (plus(entry("fox/SMILE.exp3.json", b"other")), "L006 \"fox/SMILE.exp3.json\": its name and \"Fox/smile.exp3.json\" are the same"),
        (plus(Entry { local_name: Some(b"Fox/b.txt".to_vec()), ..entry("Fox/a.txt", b"x") }), "L007 \"Fox/a.txt\": its local header"),
        (plus(Entry { before: b"hidden".to_vec(), ..entry("Fox/a.txt", b"x") }), "L007 6 bytes at byte"),
        (
            plus(Entry { is_deflated: true, size: Some(4000), ..entry("Fox/a.txt", b"xxxxxxxx") }),
            "L007 \"Fox/a.txt\": it does not have the 4000 bytes",
        ),
        (plus(Entry { is_deflated: true, ..entry("Fox/zeros.txt", &zeros) }), "L008 \"Fox/zeros.txt\":"),
        (plus(entry("Fox/inner.zip", &zip(&[entry("a", b"x")]))), "L008 \"Fox/inner.zip\": it is an archive in the archive"),
        (plus(entry("Fox/inner.txt", &zip(&[entry("a", b"x")]))), "L008 \"Fox/inner.txt\": it is an archive in the archive"),
        (plus(Entry { flags: 1, ..entry("Fox/secret.txt", b"x") }), "L001 \"Fox/secret.txt\": it is encrypted"),
        (plus(Entry { method: Some(93), ..entry("Fox/a.txt", b"x") }), "L001 \"Fox/a.txt\": it is packed by method 93"),
        (with(|e| e.extend((0..2000).map(|n| entry(&format!("Fox/{n}.txt"), b"")))), "L008 2010 entries; this tool opens 2000"),
    ];
    for (entries, wanted) in cases {
        let found = errors(&entries);
        assert!(found.len() == 1 && found[0].starts_with(wanted), "{wanted}: {found:?}");
    }
    let good = zip(&look(3));
    for (bytes, wanted) in [
        ([b"before".as_slice(), &good].concat(), "L007 6 bytes at byte 0 belong to no entry"),
        ([&good[..], b"behind"].concat(), "L007 6 bytes at byte"),
        (good[..good.len() - 9].to_vec(), "L001 this is not a zip archive"),
        (Vec::new(), "L001 this is not a zip archive"),
    ] {
        let found = findings(&bytes, Severity::Error);
        assert!(found.len() == 1 && found[0].starts_with(wanted), "{wanted}: {found:?}");
    }
    assert_eq!(errors(&[]), ["L002 no .model3.json is in the zip"]);
}

#[test]
fn what_is_too_large_is_not_unpacked() {
    // Nine megabytes of JSON, packed less tightly than a bomb: small numbers that repeat only far apart.
    let noise: String = (0..1_200_000u64).map(|n| format!("{:07},", n.wrapping_mul(2_654_435_761) % 10_000_000)).collect();
    let json = Entry { is_deflated: true, ..entry("Fox/motions/long.motion3.json", noise.as_bytes()) };
    assert_eq!(
        errors(&with(|entries| entries.push(json))),
        ["L008 \"Fox/motions/long.motion3.json\": unpacked it has 9.6 MB; at most 8.4 MB are opened"]
    );
}

#[test]
fn the_model_is_one_and_at_the_root_or_in_a_folder() {
    let moved = |folder: &str| {
        with(|entries| {
            for entry in entries {
                let name = String::from_utf8_lossy(&entry.name).replacen("Fox/", folder, 1);
                entry.name = name.into_bytes();
            }
        })
    };
    assert_eq!(notes(&moved("")), Vec::<String>::new());
    assert_eq!(errors(&moved("a/b/")), ["L003 \"a/b/Fox.model3.json\": it lies more than one folder deep"]);
    let second = with(|entries| entries.push(entry("Fox/Old.model3.json", b"{}")));
    assert_eq!(errors(&second), ["L002 2 .model3.json files are in the zip: Fox/Fox.model3.json, Fox/Old.model3.json"]);
    // What macOS writes beside every file is no second model.
    let beside = with(|entries| entries.push(entry("__MACOSX/Fox/._Fox.model3.json", b"\0\x05\x16\x07")));
    assert_eq!(notes(&beside), ["L010 \"__MACOSX/Fox/._Fox.model3.json\": the model does not use it"]);
}

/// The look whose .model3.json has another text in place of one.
fn model(from: &str, to: &str) -> Vec<Entry> {
    with(|entries| {
        let text = String::from_utf8_lossy(&entries[0].data).into_owned();
        assert!(text.contains(from), "{from}");
        entries[0].data = text.replace(from, to).into_bytes();
    })
}

#[test]
fn references_are_files_of_the_zip_in_their_exact_spelling() {
    for (from, to, wanted) in [
        ("\"Version\": 3", "\"Version\": 2", "L011 \"Fox/Fox.model3.json\": Version is 2, not 3"),
        ("\"Version\": 3,", "\"Version\": 3", "L011 \"Fox/Fox.model3.json\": expected `,` or `}`"),
        ("\"Moc\": \"Fox.moc3\"", "\"Moc\": 5", "L011 \"Fox/Fox.model3.json\": invalid type"),
        ("\"Moc\"", "\"Mok\"", "L011 \"Fox/Fox.model3.json\": FileReferences.Moc is missing"),
        ("\"Textures\"", "\"Texture\"", "L011 \"Fox/Fox.model3.json\": FileReferences.Textures is missing"),
        (
            "textures/texture_01.png",
            "textures/texture_1.png",
            "L012 \"textures/texture_1.png\", which the .model3.json names, is not in the zip",
        ),
        (
            "motions/wave.motion3.json",
            "Motions/wave.motion3.json",
            "L012 \"Motions/wave.motion3.json\" is not in the zip; \"motions/wave.motion3.json\" differs in upper and lower case",
        ),
        ("\"sounds/wave.wav\"", "\"../shizuku/wave.wav\"", "L013 the path \"../shizuku/wave.wav\" leaves the model's folder"),
        ("\"Fox.cdi3.json\"", "\"/etc/passwd\"", "L013 the path \"/etc/passwd\" leaves the model's folder"),
        ("\"Fox.cdi3.json\"", "\"Fox.cdi.json\"", "L012 \"Fox.cdi.json\", which"),
    ] {
        let found = errors(&model(from, to));
        assert!(found.len() == 1 && found[0].starts_with(wanted), "{wanted}: {found:?}");
    }
    // A real model without its textures is refused for exactly these.
    let bare = with(|entries| entries.retain(|entry| !entry.name.ends_with(b".png")));
    let missing = |n| format!("L012 \"textures/texture_0{n}.png\", which the .model3.json names, is not in the zip");
    assert_eq!(errors(&bare), [missing(0), missing(1)]);
}

#[test]
fn groups_hit_areas_and_the_standard_angles() {
    for (from, to, wanted) in [
        ("\"LipSync\"", "\"LipSink\"", "L014 \"Fox/Fox.model3.json\": the group LipSync is missing: nothing says how to move her mouth"),
        ("[\"ParamMouthOpenY\"]", "[]", "L014 \"Fox/Fox.model3.json\": the group LipSync is empty"),
        (
            "[\"ParamMouthOpenY\"]",
            "[\"ParamMouth\"]",
            "L014 \"Fox/Fox.model3.json\": the group LipSync: the model has no parameter ParamMouth",
        ),
        ("\"Id\": \"Head\"", "\"Id\": \"Haed\"", "L015 \"Fox/Fox.model3.json\": the hit area \"Head\" names no drawable: \"Haed\""),
        ("\"Name\": \"Head\"", "\"Name\": \"Body\"", "L016 \"Fox/Fox.model3.json\": no hit area has"),
        ("\"Name\": \"Head\"", "\"Name\": \"HitAreaFACE\"", ""),
    ] {
        let found = notes(&model(from, to));
        let is_right = if wanted.is_empty() { found.is_empty() } else { found.len() == 1 && found[0].starts_with(wanted) };
        assert!(is_right, "{wanted}: {found:?}");
    }
    let mut old = writer::face(3);
    old.put("params.id", 0, "PARAM_ANGLE_X");
    let found = notes(&with(|entries| entries[1].data = old.write().0));
    assert!(found.iter().any(|text| text == "L033 \"Fox/Fox.model3.json\": the model has no ParamAngleX"), "{found:?}");
}

#[test]
fn moc3_faults_have_their_codes() {
    let damaged = |change: fn(&mut writer::Moc)| {
        let mut moc = writer::face(3);
        change(&mut moc);
        notes(&with(|entries| entries[1].data = moc.write().0))
    };
    assert_eq!(damaged(|m| m.canvas[4] = -1.0), ["L021 \"Fox/Fox.moc3\": canvas: 200 x -1 pixels, 100 for a unit, zero at 100, 200"]);
    assert_eq!(damaged(|m| _ = m.put("parts.parent_part", 0, 1.0)), ["L019 \"Fox/Fox.moc3\": part_parent[0]: it is its own ancestor"]);
    assert_eq!(damaged(|m| _ = m.put("meshes.id", 0, "Eye")), ["L020 \"Fox/Fox.moc3\": mesh_id[2]: the id \"Eye\" is given twice"]);
    let found = damaged(|m| _ = m.put("meshes.texture", 1, 2.0));
    assert_eq!(found, ["L024 \"Fox/Fox.moc3\": drawable Head uses texture 2, but the .model3.json lists 2 from 0"]);
    let raw = |change: fn(&mut Vec<u8>)| notes(&with(|entries| change(&mut entries[1].data)));
    assert!(raw(|data| data[0] = 0)[0].starts_with("L017 \"Fox/Fox.moc3\": header"));
    assert!(raw(|data| data.truncate(2000))[0].starts_with("L018 \"Fox/Fox.moc3\": counts"));
    assert_eq!(raw(|data| data[9] = 1), ["L022 \"Fox/Fox.moc3\": it looks edited or damaged: the header has bytes that should be zero"]);
}

#[test]
fn textures_and_the_budget() {
    let texture = |data: Vec<u8>| notes(&with(|entries| entries[2].data = data));
    assert_eq!(
        texture(writer::png(64, 32)),
        ["L025 \"Fox/textures/texture_00.png\": the texture has 64 x 32 pixels; it should be square, with sides of a power of two"]
    );
    assert_eq!(
        texture(writer::png(8192, 1)),
        ["L025 \"Fox/textures/texture_00.png\": the texture has 8192 x 1 pixels; 4096 a side are read everywhere"]
    );
    let bad = |data: Vec<u8>| errors(&with(|entries| entries[2].data = data));
    assert_eq!(bad(b"GIF89a".to_vec()), ["L025 \"Fox/textures/texture_00.png\": the texture is no PNG"]);
    let mut torn = writer::png(64, 64);
    torn.truncate(torn.len() - 5);
    assert_eq!(bad(torn), ["L025 \"Fox/textures/texture_00.png\": the texture is cut off"]);
    // Two textures of 4096 pixels are a phone's, four a desktop's; one pixel more is too much. 4096 x 4096 x 4 x 4/3 bytes are 85.3 MiB.
    let sized = |sides: [(u32, u32); 2]| {
        with(|entries| {
            entries[2].data = writer::claim(sides[0].0, sides[0].1);
            entries[3].data = writer::claim(sides[1].0, sides[1].1);
        })
    };
    assert_eq!(notes(&sized([(4096, 4096), (4096, 4096)])), Vec::<String>::new());
    let phone = notes(&sized([(8192, 4096), (64, 64)]));
    assert_eq!(
        phone.last().expect("a note"),
        "L027 the textures need 171 MB with mipmaps and the area of 2.00 textures of 4096 pixels; a phone has room for 192 MB and 2"
    );
    assert_eq!(errors(&sized([(8192, 8192), (1, 1)])).len(), 1);
    let desktop =
        "L026 the textures need 427 MB with mipmaps and the area of 5.00 textures of 4096 pixels; a desktop has room for 448 MB and 4";
    assert_eq!(errors(&sized([(8192, 8192), (4096, 4096)])), [desktop]);
    assert_eq!(errors(&sized([(8192, 4096), (8192, 4096)])), Vec::<String>::new());
}

#[test]
fn motions_and_extras() {
    let changed = |name: &str, from: &str, to: &str| {
        notes(&with(|entries| {
            let entry = entries.iter_mut().find(|entry| entry.name.ends_with(name.as_bytes())).expect("an entry");
            let text = String::from_utf8_lossy(&entry.data).into_owned();
            assert!(text.contains(from), "{from}");
            entry.data = text.replace(from, to).into_bytes();
        }))
    };
    let idle = "idle.motion3.json";
    assert_eq!(
        changed(idle, "\"CurveCount\": 2", "\"CurveCount\": 3"),
        ["L028 \"Fox/motions/idle.motion3.json\": CurveCount is 3, but there are 2"]
    );
    assert!(changed(idle, "\"Curves\"", "\"Kurves\"")[0].starts_with("L028 \"Fox/motions/idle.motion3.json\": missing field `Curves`"));
    assert_eq!(
        changed(idle, "\"PartRoot\"", "\"PartSketch\""),
        ["L029 \"Fox/motions/idle.motion3.json\": the model has no part PartSketch"]
    );
    assert_eq!(
        changed(idle, "\"ParamAngleX\"", "\"ParamAngelX\""),
        ["L029 \"Fox/motions/idle.motion3.json\": the model has no parameter ParamAngelX"]
    );
    for (name, from, to, wanted) in [
        ("smile.exp3.json", "ParamMouthOpenY", "ParamMouth", "the model has no parameter ParamMouth"),
        ("Fox.physics3.json", "\"TotalInputCount\": 1", "\"TotalInputCount\": 2", "TotalInputCount is 2, but there are 1"),
        ("Fox.physics3.json", "\"VertexIndex\": 1", "\"VertexIndex\": 2", "an output moves by vertex 2 of 2"),
        ("Fox.physics3.json", "\"ParamAngleY\"", "\"ParamHair\"", "the model has no parameter ParamHair"),
        ("Fox.cdi3.json", "\"PartHead\"", "\"PartTail\"", "the model has no part PartTail"),
    ] {
        let found = changed(name, from, to);
        assert_eq!(found, [format!("L032 \"Fox/{name}\": {wanted}")]);
    }
    let odd = [
        ("pose3.json", "{\"Groups\":[[{\"Id\":\"PartTail\",\"Link\":[]}]]}", "Pose", "the model has no part PartTail"),
        (
            "userdata3.json",
            "{\"Meta\":{\"UserDataCount\":1},\"UserData\":[{\"Target\":\"ArtMesh\",\"Id\":\"Tail\"}]}",
            "UserData",
            "the model has no drawable Tail",
        ),
        ("userdata3.json", "{\"Meta\":{\"UserDataCount\":2},\"UserData\":[]}", "UserData", "UserDataCount is 2, but there are 0"),
        ("pose3.json", "[]", "Pose", "invalid length 0, expected struct Pose with 1 element at line 1 column 2"),
    ];
    for (ending, text, member, wanted) in odd {
        let mut entries = model("\"Textures\"", &format!("\"{member}\": \"Fox.{ending}\", \"Textures\""));
        entries.push(entry(&format!("Fox/Fox.{ending}"), text.as_bytes()));
        assert_eq!(notes(&entries), [format!("L032 \"Fox/Fox.{ending}\": {wanted}")]);
    }
}

#[test]
fn what_the_model_does_not_use_is_named_and_japanese_names_are_read() {
    let extra = |name: &str| notes(&with(|entries| entries.push(entry(name, b"x"))));
    assert_eq!(extra("Fox/Fox.psd"), ["L010 \"Fox/Fox.psd\": an editor's source goes out with the look"]);
    assert_eq!(extra("Fox/.DS_Store"), ["L010 \"Fox/.DS_Store\": the model does not use it"]);
    assert_eq!(extra("Fox/licence.txt"), Vec::<String>::new());
    // 表 in Shift-JIS ends in the byte of a backslash.
    let mut japanese = model("textures/texture_00.png", "textures/表.png");
    japanese[2].name = b"Fox/textures/\x95\x5c.png".to_vec();
    assert_eq!(notes(&japanese), ["L009 names are not flagged as UTF-8: Fox/textures/表.png"]);
    japanese[2].name = "Fox/textures/表.png".into();
    assert_eq!(notes(&japanese), ["L009 names are not flagged as UTF-8: Fox/textures/表.png"]);
    japanese[2].flags = 0x800;
    assert_eq!(notes(&japanese), Vec::<String>::new());
}
