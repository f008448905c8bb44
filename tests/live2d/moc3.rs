//! The .moc3 of every version, read back, and damaged in every way.

use crate::writer::{Moc, Region, crowd, face};
use companion_build::live2d::moc3::{self, Kind};
use std::collections::BTreeMap;

fn read(moc: &Moc) -> moc3::Moc {
    moc3::read(&moc.write().0).unwrap_or_else(|faults| panic!("version {}: {faults:?}", moc.version))
}

#[test]
fn every_version_is_read_back() {
    for version in 1..=6 {
        assert_eq!(read(&crowd(version)).deviations, Vec::<String>::new(), "version {version}");
        let moc = read(&face(version));
        let c = &moc.columns;
        assert_eq!(moc.deviations, Vec::<String>::new(), "version {version}");
        assert_eq!((moc.version, moc.canvas.pixels_per_unit, moc.canvas.origin), (version, 100.0, [100.0, 200.0]));
        assert_eq!((moc.canvas.width, moc.canvas.height), (200.0, 400.0));
        assert_eq!((c.part_id.len(), c.mesh_id.as_slice()), (2, ["Body", "Head", "Eye"].map(String::from).as_slice()));
        assert_eq!(c.parameter_id, ["ParamAngleX", "ParamAngleY", "ParamEyeLOpen", "ParamMouthOpenY"]);
        assert_eq!((c.parameter_minimum[0], c.parameter_maximum[0], c.parameter_default[2]), (-30.0, 30.0, 1.0));
        assert_eq!((c.warp_binding.len(), c.rotation_binding.len(), moc.textures(), moc.triangles()), (1, 1, 2, 6));
        assert_eq!(c.warp_is_quad.len(), usize::from(version >= 2));
        assert_eq!(c.multiply_red.len(), if version >= 4 { 13 } else { 0 });
        assert_eq!(c.offscreen_part.len(), usize::from(version >= 6));
    }
}

/// A change to the model, the kind of the fault that it must give, and what the fault must say.
type Case = (&'static str, fn(&mut Moc), Kind, &'static str);

const CASES: &[Case] = &[
    ("canvas without width", |m| m.canvas[3] = 0.0, Kind::Number, "canvas: 0 x 400"),
    ("infinite origin", |m| m.canvas[1] = f32::INFINITY, Kind::Number, "canvas:"),
    ("empty id", |m| _ = m.put("meshes.id", 1, ""), Kind::Id, "mesh_id[1]: the id is empty"),
    ("id without end", |m| _ = m.put("parts.id", 0, "x".repeat(64).as_str()), Kind::Id, "part_id[0]: the id has no end"),
    ("id given twice", |m| _ = m.put("params.id", 2, "ParamAngleX"), Kind::Id, "parameter_id[2]: the id \"ParamAngleX\" is given twice"),
    ("not a number", |m| _ = m.put("uvs.uv", 5, f64::NAN), Kind::Number, "uv[5]: it is not a finite number"),
    ("absurd number", |m| _ = m.put("kf_pos.xy", 0, 1e12), Kind::Number, "position[0]: it is larger"),
    ("switch of 2", |m| _ = m.put("parts.visible", 1, 2.0), Kind::Number, "part_visible[1]: it is neither 0 nor 1"),
    ("minimum above maximum", |m| _ = m.put("params.min", 2, 2.0), Kind::Number, "parameter_minimum[2]"),
    ("keys that go down", |m| _ = m.put("keys.v", 1, -31.0), Kind::Number, "band_begin[0]: its keys do not ascend"),
    ("binding past the list", |m| _ = m.put("meshes.binding", 0, 3.0), Kind::Reference, "mesh_binding[0]: 3 is none of the 3"),
    ("negative binding", |m| _ = m.put("parts.binding", 1, -1.0), Kind::Reference, "part_binding[1]"),
    ("keyforms past the list", |m| _ = m.put("meshes.kf_begin", 2, 1e9), Kind::Reference, "mesh_keyforms_begin[2]"),
    ("sum that overflows", |m| _ = m.put("meshes.kf_begin", 2, 2_147_483_647.0), Kind::Reference, "mesh_keyforms_begin[2]"),
    ("too few keyforms", |m| _ = m.put("meshes.kf_count", 2, 5.0), Kind::Reference, "mesh_keyforms[2]: 5 keyforms, but its keys have 6"),
    ("positions past the list", |m| _ = m.put("mesh_kf.pos_begin", 3, 1e6), Kind::Reference, "mesh_keyforms[1]: 4 points from 1000000"),
    ("warp positions", |m| _ = m.put("warp_kf.pos_begin", 0, -2.0), Kind::Reference, "warp_keyforms[0]"),
    ("part cycle", |m| _ = m.put("parts.parent_part", 0, 1.0), Kind::Reference, "part_parent[0]: it is its own ancestor"),
    ("deformer cycle", |m| _ = m.put("deformers.parent_def", 0, 0.0), Kind::Reference, "deformer_parent[0]: it is its own ancestor"),
    ("parent past the list", |m| _ = m.put("meshes.parent_def", 0, 2.0), Kind::Reference, "mesh_parent[0]"),
    ("deformer type", |m| _ = m.put("deformers.type", 0, 2.0), Kind::Reference, "deformer_index[0]: 2 is no type"),
    ("deformer record", |m| _ = m.put("deformers.specific", 1, 1.0), Kind::Reference, "deformer_index[1]: 1 is none of the 1"),
    ("record shared", |m| _ = m.put("deformers.type", 1, 0.0), Kind::Reference, "deformer_index[1]: two deformers share"),
    ("a deformer more than records", |m| _ = m.set("rotations.kf_count", &[1.0, 1.0]), Kind::Reference, "deformers: 2 deformers"),
    ("grid", |m| _ = m.put("warps.rows", 0, 2.0), Kind::Reference, "warp_rows[0]: a grid of 2 x 1 does not have 4"),
    ("texture", |m| _ = m.put("meshes.texture", 0, 256.0), Kind::Reference, "mesh_texture[0]"),
    ("texture coordinates", |m| _ = m.put("meshes.uv_begin", 2, 17.0), Kind::Reference, "mesh_uvs_begin[2]"),
    ("triangles", |m| _ = m.put("meshes.tri_count", 2, 5.0), Kind::Reference, "mesh_corners[2]: 5 corners are no whole triangles"),
    ("vertex past the mesh", |m| _ = m.put("tri_idx.v", 7, 4.0), Kind::Reference, "mesh_corners[1]: a triangle uses vertex 4 of 4"),
    ("mask", |m| _ = m.put("masks.mesh", 0, 3.0), Kind::Reference, "mask_mesh[0]"),
    ("masks past the list", |m| _ = m.put("meshes.mask_begin", 2, 1.0), Kind::Reference, "mesh_masks_begin[2]"),
    ("odd glue", |m| _ = m.put("glues.info_count", 0, 1.0), Kind::Reference, "glue_vertices[0]: 1 vertices are no whole pairs"),
    ("glue vertex", |m| _ = m.put("glue_info.vert", 1, 4.0), Kind::Reference, "glue_vertices[0]: it joins vertex 0 of 4 to vertex 4 of 4"),
    ("glue mesh", |m| _ = m.put("glues.mesh_a", 0, 3.0), Kind::Reference, "glue_mesh_a[0]"),
    ("draw item", |m| _ = m.put("dog_obj.index", 1, 3.0), Kind::Reference, "draw_item_type[1]: it draws 3"),
    (
        "draw group in itself",
        |m| _ = m.put("dog_obj.type", 0, 1.0).put("dog_obj.group", 0, 0.0),
        Kind::Reference,
        "draw_group_begin[0]: the group lies",
    ),
    ("ranges that overlap for ever", |m| _ = m.put("bands.count", 0, 80_000.0), Kind::Reference, "band_keys: its ranges have 80002"),
];

const BLEND_CASES: &[Case] = &[
    ("blend target", |m| _ = m.put("bs_meshes.target", 0, 3.0), Kind::Reference, "blend_mesh_target[0]"),
    ("blend keyforms", |m| _ = m.put("bs_bind.kf_begin", 0, 11.0), Kind::Reference, "blend_mesh_bindings[0]: 2 keyforms from 11"),
    ("blend positions", |m| _ = m.put("mesh_kf.pos_begin", 11, 1e6), Kind::Reference, "blend_mesh_bindings[0]: 4 points from 1000000"),
    ("limit parameter", |m| _ = m.put("bs_con.param", 0, 4.0), Kind::Reference, "blend_limit_parameter[0]"),
    ("type of parameter", |m| _ = m.put("params.type", 0, 2.0), Kind::Reference, "parameter_type[0]"),
    ("colours", |m| _ = m.put("meshes.col_begin", 2, 8.0), Kind::Reference, "mesh_colors_begin[2]"),
];

#[test]
fn each_fault_names_its_section_and_index() {
    let run = |cases: &[Case], versions: std::ops::RangeInclusive<u8>| {
        for (version, (name, damage, kind, says)) in versions.flat_map(|version| cases.iter().map(move |case| (version, case))) {
            let mut moc = face(version);
            damage(&mut moc);
            let faults = moc3::read(&moc.write().0).err().unwrap_or_default();
            let found = faults.iter().any(|fault| fault.kind == *kind && fault.to_string().starts_with(says));
            assert!(found, "{name}, version {version}: {faults:?}");
        }
    };
    run(CASES, 1..=6);
    run(BLEND_CASES, 4..=6);
    let offscreen: &[Case] = &[
        ("offscreen", |m| _ = m.put("parts.offscr", 0, 1.0), Kind::Reference, "part_offscreen[0]"),
        ("owner", |m| _ = m.put("offscr.owner", 0, 2.0), Kind::Reference, "offscreen_part[0]"),
    ];
    run(offscreen, 6..=6);
}

#[test]
fn table_and_header_are_not_believed() {
    let (good, _) = face(3).write();
    let with = |at: usize, bytes: &[u8]| {
        let mut bad = good.clone();
        bad[at..at + bytes.len()].copy_from_slice(bytes);
        let faults = moc3::read(&bad).err().unwrap_or_default();
        (faults.first().map(|fault| fault.kind), faults.first().map(ToString::to_string).unwrap_or_default())
    };
    for (at, bytes, kind, says) in [
        (0, &b"MOC2"[..], Kind::Header, "header: this is no MOC3 file"),
        (4, &[7], Kind::Header, "version: version 7 is not known"),
        (4, &[0], Kind::Header, "version: version 0"),
        (5, &[1], Kind::Header, "byte order: 1"),
        (64, &[0, 0, 0, 0], Kind::Layout, "counts: they cannot lie at byte 0"),
        // The known attack: the canvas before the counts, and a slot that no version has.
        (68, &[0x40, 7, 0, 0], Kind::Layout, "canvas: it cannot lie at byte 1856"),
        (64 + 4 * 115, &[0, 8, 0, 0], Kind::Layout, "offsets[115]: version 3 has no such section"),
        (72, &[0xff; 4], Kind::Layout, "part_runtime: 2 values at byte 4294967295 reach past the end"),
        (76, &[0, 8, 0, 0], Kind::Layout, "part_id: it starts at byte 2048, inside what ends at"),
        (0x7c0, &[0xff; 4], Kind::Layout, "counts[0]: -1 is out of range"),
        (0x7c0, &[0, 0, 0, 2], Kind::Layout, "counts[0]: 33554432 is out of range"),
        (0x7c0 + 4 * 30, &[1], Kind::Layout, "counts[30]: 1 is out of range"),
    ] {
        let (found, text) = with(at, bytes);
        assert!(found == Some(kind) && text.starts_with(says), "{at}: {text}");
    }
    for length in [0, 3, 63, 64, 703] {
        assert!(moc3::read(&good[..length]).is_err(), "{length}");
    }
}

#[test]
fn what_the_editor_would_not_write_is_only_unusual() {
    let (good, regions) = face(3).write();
    let deviations = |at: usize| {
        let mut odd = good.clone();
        odd[at] = 1;
        moc3::read(&odd).map(|moc| moc.deviations).unwrap_or_default()
    };
    assert_eq!(deviations(10), ["the header has bytes that should be zero"]);
    assert_eq!(deviations(0x500), ["the bytes before the counts are not zero"]);
    let start = |name: &str| regions.iter().find(|region| region.name == name).expect("a region").start;
    assert_eq!(deviations(start("parts.rt")), ["part_runtime is not zero"]);
    assert_eq!(deviations(start("parts.id") + 63), ["part_id[0] has bytes after its end"]);
    assert_eq!(moc3::read(&[&good[..], &[0; 64]].concat()).unwrap().deviations.len(), 1);
    let mut moc = face(3);
    moc.put("meshes.uv_begin", 1, 0.0);
    assert_eq!(read(&moc).deviations, ["mesh_uvs_begin[1] is 0 instead of 8"]);
}

/// xorshift64*: the same damage for the same seed, on any machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % limit.max(1)
    }
}

/// True when the reader refuses the file or says that it is not as the editor writes it.
fn is_caught(bytes: &[u8]) -> bool {
    moc3::read(bytes).map_or(true, |moc| !moc.deviations.is_empty())
}

/// The class of a damage and the damaged file.
fn damaged(good: &[u8], regions: &[Region], random: &mut Random) -> (String, Vec<u8>) {
    let mut bytes = good.to_vec();
    match random.below(12) {
        0 => {
            bytes.truncate(random.below(good.len()));
            ("cut off".into(), bytes)
        }
        1 => {
            bytes.truncate(good.len() - 1 - random.below(64));
            ("cut short".into(), bytes)
        }
        2 => {
            let (at, length) = (random.below(good.len()), [1, 4, 64][random.below(3)]);
            bytes.drain(at..(at + length).min(good.len()));
            ("bytes deleted".into(), bytes)
        }
        3 => {
            let (at, length) = (random.below(good.len()), [4, 16, 64, 512, 4096][random.below(5)]);
            bytes[at..(at + length).min(good.len())].fill_with(|| random.below(256) as u8);
            ("noise".into(), bytes)
        }
        _ => {
            // A kind first, so that the small ones have their share.
            let mut kinds: Vec<&str> = regions.iter().map(|region| region.kind).collect();
            kinds.sort_unstable();
            kinds.dedup();
            let kind = kinds[random.below(kinds.len())];
            let of_kind: Vec<&Region> = regions.iter().filter(|region| region.kind == kind).collect();
            let region = of_kind[random.below(of_kind.len())];
            let at = region.start + random.below(region.end - region.start);
            bytes[at] ^= 1 << random.below(8);
            (format!("bit of {kind}"), bytes)
        }
    }
}

/// How much of each class must be caught, in percent: what a careful reader caught of real models.
const CAUGHT: &[(&str, f64)] = &[
    ("cut off", 100.0),
    ("cut short", 100.0),
    ("bytes deleted", 100.0),
    ("noise", 87.0),
    ("bit of header", 99.97),
    ("bit of table", 100.0),
    ("bit of runtime", 100.0),
    ("bit of counts", 97.9),
    ("bit of switches", 97.0),
    ("bit of ids", 82.0),
    ("bit of integers", 81.0),
    ("bit of shorts", 68.0),
    ("bit of canvas", 69.0),
    ("bit of floats", 3.0),
    ("bit of flags", 0.0),
];

/// `slack`, in percent: what chance may take of the small numbers of a short run.
fn damage(cases: usize, slack: f64) {
    let mut tally: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let files: Vec<_> = (1..=6).map(|version| crowd(version).write()).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for case in 0..cases {
        let (good, regions) = &files[case % files.len()];
        let (class, bytes) = damaged(good, regions, &mut random);
        // Versions 2 and 3 differ in nothing but the number.
        if [good[4], bytes.get(4).copied().unwrap_or(0)].iter().all(|version| matches!(version, 2 | 3)) && good[4] != bytes[4] {
            continue;
        }
        let (tried, caught) = tally.entry(class).or_default();
        *tried += 1;
        *caught += usize::from(is_caught(&bytes));
    }
    let mut low = Vec::new();
    for (class, wanted) in CAUGHT {
        let (tried, caught) = tally.remove(*class).unwrap_or_default();
        let percent = 100.0 * caught as f64 / tried as f64;
        println!("{class:16} {caught:5} of {tried:5} = {percent:.1}%, wanted {wanted}%");
        if tried == 0 || percent < *wanted - slack {
            low.push(format!("{class}: {percent:.2}%, wanted {wanted}%"));
        }
    }
    assert!(low.is_empty() && tally.is_empty(), "{low:?} {tally:?}");
}

#[test]
fn damage_is_caught_and_never_hurts() {
    damage(6_000, 1.0);
}

#[test]
#[ignore = "long: tests/run --fuzz"]
fn much_damage_is_caught_and_never_hurts() {
    damage(40_000, 0.0);
}
