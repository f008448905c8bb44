//! Writes .moc3 files of every version, laid out as the Cubism editor does, and whole small models in their zips.
//!
//! The layout stands here a second time, from its description and not from the reader, so that the reader is not tested against itself.

use std::collections::BTreeMap;

/// Counts, in their order; `|` where version 4, 5 and 6 begin.
const COUNTS: &str = "parts deformers warps rotations meshes params part_kf warp_kf rot_kf mesh_kf kf_pos bind_idx bindings bands keys uvs tri_idx \
    masks dog dog_obj glues glue_info glue_kf | mulcol scrcol bs_bands bs_bind bs_warps bs_meshes bs_con_idx bs_con bs_con_val | \
    bs_parts bs_rots bs_glues | offscr offscr_kf bs_offscr";

/// Sections, a version and its groups a line: fields with P runtime slot, S id, i integer, b switch, f float, H u16, B byte.
const SECTIONS: &[(u8, &str, &str)] = &[
    (1, "parts", "rt:P id:S binding:i kf_begin:i kf_count:i visible:b enabled:b parent_part:i"),
    (1, "deformers", "rt:P id:S binding:i visible:b enabled:b parent_part:i parent_def:i type:i specific:i"),
    (1, "warps", "binding:i kf_begin:i kf_count:i nvert:i rows:i cols:i"),
    (1, "rotations", "binding:i kf_begin:i kf_count:i base_angle:f"),
    (
        1,
        "meshes",
        "rt0:P rt1:P rt2:P rt3:P id:S binding:i kf_begin:i kf_count:i visible:b enabled:b parent_part:i parent_def:i texture:i flags:B \
        nvert:i uv_begin:i tri_begin:i tri_count:i mask_begin:i mask_count:i",
    ),
    (1, "params", "rt:P id:S max:f min:f def:f repeat:b decimals:i band_begin:i band_count:i"),
    (1, "part_kf", "draw_order:f"),
    (1, "warp_kf", "opacity:f pos_begin:i"),
    (1, "rot_kf", "opacity:f angle:f ox:f oy:f scale:f reflx:b refly:b"),
    (1, "mesh_kf", "opacity:f draw_order:f pos_begin:i"),
    (1, "kf_pos", "xy:f"),
    (1, "bind_idx", "band:i"),
    (1, "bindings", "begin:i count:i"),
    (1, "bands", "begin:i count:i"),
    (1, "keys", "v:f"),
    (1, "uvs", "uv:f"),
    (1, "tri_idx", "v:H"),
    (1, "masks", "mesh:i"),
    (1, "dog", "begin:i count:i total:i max:i min:i"),
    (1, "dog_obj", "type:i index:i group:i"),
    (1, "glues", "rt:P id:S binding:i kf_begin:i kf_count:i mesh_a:i mesh_b:i info_begin:i info_count:i"),
    (1, "glue_info", "weight:f vert:H"),
    (1, "glue_kf", "intensity:f"),
    (2, "warps", "quad:b"),
    (4, "params", "krt:P key_begin:i key_count:i"),
    (4, "warps", "col_begin:i"),
    (4, "rotations", "col_begin:i"),
    (4, "meshes", "col_begin:i"),
    (4, "mulcol", "r:f g:f b:f"),
    (4, "scrcol", "r:f g:f b:f"),
    (4, "params", "type:i bs_begin:i bs_count:i"),
    (4, "bs_bands", "begin:i count:i base:i"),
    (4, "bs_bind", "band:i kf_begin:i kf_count:i con_begin:i con_count:i"),
    (4, "bs_warps", "target:i begin:i count:i"),
    (4, "bs_meshes", "target:i begin:i count:i"),
    (4, "bs_con_idx", "con:i"),
    (4, "bs_con", "param:i begin:i count:i"),
    (4, "bs_con_val", "key:f weight:f"),
    (5, "warp_kf", "mul_begin:i scr_begin:i"),
    (5, "rot_kf", "mul_begin:i scr_begin:i"),
    (5, "mesh_kf", "mul_begin:i scr_begin:i"),
    (5, "bs_parts", "target:i begin:i count:i"),
    (5, "bs_rots", "target:i begin:i count:i"),
    (5, "bs_glues", "target:i begin:i count:i"),
    (6, "parts", "offscr:i"),
    (6, "meshes", "blend:i"),
    (6, "offscr", "rt:P owner:i flags:B blend:i mask_begin:i mask_count:i"),
    (6, "part_kf", "offkf:i"),
    (6, "offscr_kf", "opacity:f mul_begin:i scr_begin:i"),
    (6, "bs_offscr", "target:i begin:i count:i"),
];

/// A value of any kind; how it is written depends on its column.
#[derive(Debug, Clone)]
pub enum Value {
    Number(f64),
    Id(String),
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(id: &str) -> Self {
        Self::Id(id.into())
    }
}

/// A part of the file: where it lies and what is in it, by the letters of the sections.
#[derive(Debug, Clone)]
pub struct Region {
    pub name: String,
    pub kind: &'static str,
    pub start: usize,
    pub end: usize,
}

/// A model as columns: `meshes.texture` and its values. What is not given is zero.
#[derive(Debug, Clone)]
pub struct Moc {
    pub version: u8,
    /// Pixels for a unit, origin x and y, width, height.
    pub canvas: [f32; 5],
    pub columns: BTreeMap<String, Vec<Value>>,
}

impl Moc {
    /// Replaces a column.
    pub fn set<V: Into<Value> + Clone>(&mut self, name: &str, values: &[V]) -> &mut Self {
        self.columns.insert(name.into(), values.iter().cloned().map(Into::into).collect());
        self
    }

    /// Replaces one value of a column.
    pub fn put(&mut self, name: &str, index: usize, value: impl Into<Value>) -> &mut Self {
        let count = self.count(name.split('.').next().expect("a group"));
        let column = self.columns.entry(name.into()).or_insert_with(|| vec![Value::Number(0.0); count]);
        column[index] = value.into();
        self
    }

    /// How long the columns of a group are.
    fn count(&self, group: &str) -> usize {
        let own = |name: &&String| name.split('.').next() == Some(group);
        self.columns.iter().filter(|(name, _)| own(name)).map(|(_, values)| values.len()).max().unwrap_or(0)
    }

    /// The file, and where everything lies in it.
    pub fn write(&self) -> (Vec<u8>, Vec<Region>) {
        let slots = if self.version >= 6 { 480 } else { 160 };
        let mut regions = Vec::new();
        let region = |regions: &mut Vec<Region>, name: &str, kind, start, end| regions.push(Region { name: name.into(), kind, start, end });
        let mut out = b"MOC3".to_vec();
        out.push(self.version);
        out.resize(if self.version >= 6 { 0x16c0 } else { 0x7c0 }, 0);
        region(&mut regions, "header", "header", 0, 64);
        region(&mut regions, "table", "table", 64, 64 + 4 * slots);
        let mut offsets = vec![out.len() as u32];
        let steps = 1 + [4, 5, 6].into_iter().filter(|version| self.version >= *version).count();
        let counted = COUNTS.split('|').take(steps).flat_map(str::split_whitespace);
        let counts_size = if self.version >= 5 { 256 } else { 128 };
        let start = out.len();
        counted.for_each(|group| out.extend((self.count(group) as i32).to_le_bytes()));
        out.resize(start + counts_size, 0);
        region(&mut regions, "counts", "counts", start, out.len());
        offsets.push(out.len() as u32);
        let start = out.len();
        self.canvas.iter().for_each(|number| out.extend(number.to_le_bytes()));
        out.resize(start + 64, 0);
        region(&mut regions, "canvas", "canvas", start, out.len());
        for (since, group, fields) in SECTIONS.iter().filter(|(since, _, _)| *since <= self.version) {
            let _ = since;
            for (field, kind) in fields.split_whitespace().filter_map(|field| field.split_once(':')) {
                if kind != "S" {
                    out.resize(out.len().next_multiple_of(64), 0);
                }
                let start = out.len();
                offsets.push(start as u32);
                let name = format!("{group}.{field}");
                let zeros = vec![Value::Number(0.0); self.count(group)];
                for value in self.columns.get(&name).unwrap_or(&zeros) {
                    match (kind, value) {
                        ("P", _) => out.extend([0; 8]),
                        ("S", Value::Id(id)) => {
                            let mut bytes = id.as_bytes().to_vec();
                            bytes.resize(64, 0);
                            out.extend(bytes);
                        }
                        ("S", Value::Number(_)) => out.extend([0; 64]),
                        ("f", Value::Number(number)) => out.extend((*number as f32).to_le_bytes()),
                        ("H", Value::Number(number)) => out.extend((*number as u16).to_le_bytes()),
                        ("B", Value::Number(number)) => out.push(*number as u8),
                        (_, Value::Number(number)) => out.extend((*number as i32).to_le_bytes()),
                        (_, Value::Id(id)) => panic!("{name} is no column of ids: {id}"),
                    }
                }
                let kind = match kind {
                    "P" => "runtime",
                    "S" => "ids",
                    "i" => "integers",
                    "b" => "switches",
                    "f" => "floats",
                    "H" => "shorts",
                    _ => "flags",
                };
                region(&mut regions, &name, kind, start, out.len());
            }
        }
        out.resize(out.len().next_multiple_of(64), 0);
        for (slot, offset) in offsets.iter().enumerate() {
            out[64 + 4 * slot..68 + 4 * slot].copy_from_slice(&offset.to_le_bytes());
        }
        regions.retain(|region| region.end > region.start);
        (out, regions)
    }
}

/// A corner of a square of side 2 around a centre, four of them: two triangles.
fn square(x: f64, y: f64, half: f64) -> [f64; 8] {
    [x - half, y - half, x + half, y - half, x - half, y + half, x + half, y + half]
}

/// A face on a canvas of 200 x 400 pixels, 100 pixels for a unit, zero in its middle.
///
/// `Body` (no deformer, at rest y from 0 to 1), `Head` (y from -1.5 to -0.5; with ParamAngleX it moves by 0.3 to each side), `Eye` (under a rotation, under a
/// warp that is the square from -1 to 1; y about -1; moves by 0.3 with ParamAngleX and closes with ParamEyeLOpen). Parameters: ParamAngleX -30..30,
/// ParamAngleY, ParamEyeLOpen 0..1 (1), ParamMouthOpenY 0..1. From version 4 on ParamMouthOpenY is a blend shape of Body.
pub fn face(version: u8) -> Moc {
    let mut moc = Moc { version, canvas: [100.0, 100.0, 200.0, 200.0, 400.0], columns: BTreeMap::new() };
    moc.set("parts.id", &["PartRoot", "PartHead"]).set("parts.visible", &[1.0, 1.0]).set("parts.enabled", &[1.0, 1.0]);
    moc.set("parts.kf_begin", &[0.0, 1.0]).set("parts.kf_count", &[1.0, 1.0]).set("parts.parent_part", &[-1.0, 0.0]);
    moc.set("part_kf.draw_order", &[500.0, 500.0]);
    moc.set("deformers.id", &["WarpFace", "RotateFace"]).set("deformers.visible", &[1.0, 1.0]).set("deformers.enabled", &[1.0, 1.0]);
    moc.set("deformers.parent_part", &[1.0, 1.0]).set("deformers.parent_def", &[-1.0, 0.0]).set("deformers.type", &[0.0, 1.0]);
    moc.set("warps.kf_count", &[1.0]).set("warps.nvert", &[4.0]).set("warps.rows", &[1.0]).set("warps.cols", &[1.0]);
    moc.set("rotations.kf_count", &[1.0]);
    moc.set("meshes.id", &["Body", "Head", "Eye"]).set("meshes.binding", &[0.0, 1.0, 2.0]);
    moc.set("meshes.kf_begin", &[0.0, 1.0, 4.0]).set("meshes.kf_count", &[1.0, 3.0, 6.0]);
    moc.set("meshes.visible", &[1.0; 3]).set("meshes.enabled", &[1.0; 3]).set("meshes.parent_part", &[0.0, 1.0, 1.0]);
    moc.set("meshes.parent_def", &[-1.0, -1.0, 1.0]).set("meshes.texture", &[0.0, 0.0, 1.0]).set("meshes.nvert", &[4.0; 3]);
    moc.set("meshes.uv_begin", &[0.0, 8.0, 16.0]).set("meshes.tri_begin", &[0.0, 6.0, 12.0]).set("meshes.tri_count", &[6.0; 3]);
    moc.set("meshes.mask_count", &[0.0, 0.0, 1.0]).set("masks.mesh", &[1.0]);
    moc.set("params.id", &["ParamAngleX", "ParamAngleY", "ParamEyeLOpen", "ParamMouthOpenY"]);
    moc.set("params.max", &[30.0, 30.0, 1.0, 1.0]).set("params.min", &[-30.0, -30.0, 0.0, 0.0]).set("params.def", &[0.0, 0.0, 1.0, 0.0]);
    moc.set("params.decimals", &[1.0; 4]).set("params.band_begin", &[0.0, 0.0, 1.0, 0.0]).set("params.band_count", &[1.0, 0.0, 1.0, 0.0]);
    // Bindings: of nothing, of AngleX, of AngleX and EyeLOpen.
    moc.set("bindings.begin", &[0.0, 0.0, 1.0]).set("bindings.count", &[0.0, 1.0, 2.0]).set("bind_idx.band", &[0.0, 0.0, 1.0]);
    moc.set("bands.begin", &[0.0, 3.0]).set("bands.count", &[3.0, 2.0]).set("keys.v", &[-30.0, 0.0, 30.0, 0.0, 1.0]);
    let mut positions: Vec<f64> = square(0.0, 0.0, 1.0).to_vec();
    let mut starts = Vec::new();
    let mut keyform = |points: [f64; 8]| {
        starts.push(positions.len() as f64);
        positions.extend(points);
    };
    keyform(square(0.0, 0.5, 0.5));
    for x in [-0.3, 0.0, 0.3] {
        keyform(square(x, -1.0, 0.5));
    }
    // Inside the rotation. Closed first, then open; the first axis, AngleX, varies fastest.
    for height in [0.0, 0.05] {
        for x in [-0.3, 0.0, 0.3] {
            keyform([x - 0.1, -height, x + 0.1, -height, x - 0.1, height, x + 0.1, height]);
        }
    }
    if version >= 4 {
        // The blend shape of Body: the same twice, so that it changes nothing.
        keyform([0.0; 8]);
        keyform([0.0; 8]);
    }
    let keyforms = starts.len();
    moc.set("mesh_kf.pos_begin", &starts).set("mesh_kf.opacity", &vec![1.0; keyforms]).set("mesh_kf.draw_order", &vec![500.0; keyforms]);
    moc.set("kf_pos.xy", &positions);
    moc.set("warp_kf.opacity", &[1.0]).set("warp_kf.pos_begin", &[0.0]);
    // In the warp's own square from 0 to 1: x in the middle, y at the top edge, which is -1 in the model.
    moc.set("rot_kf.opacity", &[1.0]).set("rot_kf.ox", &[0.5]).set("rot_kf.oy", &[0.0]).set("rot_kf.scale", &[1.0]);
    moc.set("uvs.uv", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0].repeat(3));
    moc.set("tri_idx.v", &[0.0, 1.0, 2.0, 1.0, 3.0, 2.0].repeat(3));
    moc.set("dog.count", &[3.0]).set("dog.total", &[3.0]).set("dog.max", &[1000.0]);
    moc.set("dog_obj.type", &[0.0; 3]).set("dog_obj.index", &[0.0, 1.0, 2.0]).set("dog_obj.group", &[-1.0; 3]);
    moc.set("glues.id", &["Glue"]).set("glues.kf_count", &[1.0]).set("glues.mesh_b", &[1.0]).set("glues.info_count", &[2.0]);
    moc.set("glue_info.weight", &[0.5, 0.5]).set("glue_info.vert", &[0.0, 2.0]).set("glue_kf.intensity", &[1.0]);
    if version >= 2 {
        moc.set("warps.quad", &[1.0]);
    }
    if version >= 4 {
        let colors = 1 + keyforms;
        for column in ["mulcol.r", "mulcol.g", "mulcol.b"] {
            moc.set(column, &vec![1.0; colors]);
        }
        moc.set("scrcol.r", &vec![0.0; colors]);
        moc.set("meshes.col_begin", &[0.0, 1.0, 4.0]);
        moc.set("params.key_begin", &[0.0, 0.0, 3.0, 5.0]).set("params.key_count", &[3.0, 0.0, 2.0, 2.0]);
        moc.set("keys.v", &[-30.0, 0.0, 30.0, 0.0, 1.0, 0.0, 1.0]);
        moc.set("params.type", &[0.0, 0.0, 0.0, 1.0]).set("params.bs_count", &[0.0, 0.0, 0.0, 1.0]);
        moc.set("bs_bands.begin", &[5.0]).set("bs_bands.count", &[2.0]).set("bs_bands.base", &[0.0]);
        moc.set("bs_bind.band", &[0.0]).set("bs_bind.kf_begin", &[10.0]).set("bs_bind.kf_count", &[2.0]);
        moc.set("bs_bind.con_count", &[1.0]);
        moc.set("bs_meshes.target", &[0.0]).set("bs_meshes.count", &[1.0]);
        moc.set("bs_con_idx.con", &[0.0]).set("bs_con.param", &[0.0]).set("bs_con.count", &[1.0]);
        moc.set("bs_con_val.key", &[0.0]).set("bs_con_val.weight", &[1.0]);
    }
    if version >= 6 {
        moc.set("parts.offscr", &[-1.0, 0.0]).set("offscr.owner", &[1.0]).set("offscr_kf.opacity", &[1.0]);
    }
    moc
}

/// The face with so many parts, drawables, parameters and glues more that its lists do not all end in the padding before the next one.
pub fn crowd(version: u8) -> Moc {
    let mut moc = face(version);
    for n in 0..13 {
        let mut push = |name: &str, value: Value| {
            let count = moc.count(name.split('.').next().expect("a group"));
            let column = moc.columns.entry(name.into()).or_default();
            // A column that was all zero before is filled up to its group's; the first one of a new row is as long as the group.
            let rows = if name.ends_with(".id") { count } else { count.saturating_sub(1) };
            column.resize(rows.max(column.len()), Value::Number(0.0));
            column.push(value);
        };
        let id = |kind: &str| Value::Id(format!("{kind}{n}"));
        let at = |first: usize, step: usize| Value::Number((first + step * n) as f64);
        let one = |value: f64| Value::Number(value);
        push("parts.id", id("Part"));
        for (name, value) in [("visible", 1.0), ("enabled", 1.0), ("kf_count", 1.0), ("parent_part", 0.0)] {
            push(&format!("parts.{name}"), one(value));
        }
        push("parts.kf_begin", at(2, 1));
        push("part_kf.draw_order", one(500.0));
        push("params.id", id("Param"));
        for (name, value) in [("max", 1.0), ("min", 0.0), ("def", 0.0), ("decimals", 1.0), ("band_count", 1.0)] {
            push(&format!("params.{name}"), one(value));
        }
        push("params.band_begin", at(2, 1));
        push("glues.id", id("Glue"));
        for (name, value) in [("mesh_b", 1.0), ("kf_count", 1.0), ("info_count", 2.0)] {
            push(&format!("glues.{name}"), one(value));
        }
        push("glues.kf_begin", at(1, 1));
        push("glues.info_begin", at(2, 2));
        push("glue_kf.intensity", one(1.0));
    }
    let extend = |moc: &mut Moc, name: &str, values: Vec<f64>| {
        moc.columns.entry(name.into()).or_default().extend(values.into_iter().map(Value::Number));
    };
    let numbers = |first: usize, step: usize| (0..13).map(|n| (first + step * n) as f64).collect::<Vec<_>>();
    extend(&mut moc, "glue_info.weight", vec![0.5; 26]);
    extend(&mut moc, "glue_info.vert", [1.0, 3.0].repeat(13));
    // Each parameter has a band of two keys of its own, behind all others of this version.
    let keys = moc.count("keys");
    extend(&mut moc, "bands.begin", if version >= 4 { vec![0.0; 13] } else { numbers(keys, 2) });
    extend(&mut moc, "bands.count", vec![2.0; 13]);
    if version >= 4 {
        // The keys of the blend shape stand last.
        moc.set("keys.v", &[&[-30.0, 0.0, 30.0, 0.0, 1.0][..], &[0.0, 1.0].repeat(14)].concat());
        let begins: Vec<f64> = [&[0.0, 3.0][..], &numbers(5, 2)].concat();
        moc.set("bands.begin", &begins).set("bs_bands.begin", &[31.0]);
        let begins: Vec<f64> = [&[0.0, 0.0, 3.0, 31.0][..], &numbers(5, 2)].concat();
        moc.set("params.key_begin", &begins);
        moc.set("params.key_count", &[&[3.0, 0.0, 2.0, 2.0][..], &[2.0; 13]].concat());
        moc.set("params.type", &[&[0.0, 0.0, 0.0, 1.0][..], &[0.0; 13]].concat());
        moc.set("params.bs_begin", &[0.0; 17]).set("params.bs_count", &[&[0.0, 0.0, 0.0, 1.0][..], &[0.0; 13]].concat());
    } else {
        extend(&mut moc, "keys.v", [0.0, 1.0].repeat(13));
    }
    extend(&mut moc, "bind_idx.band", numbers(2, 1));
    extend(&mut moc, "bindings.begin", numbers(3, 1));
    extend(&mut moc, "bindings.count", vec![1.0; 13]);
    if version >= 6 {
        extend(&mut moc, "parts.offscr", vec![-1.0; 13]);
    }
    moc
}

/// One entry of a zip, with every field that a hostile writer could set.
#[derive(Clone, Default)]
pub struct Entry {
    pub name: Vec<u8>,
    /// When the local header has another name.
    pub local_name: Option<Vec<u8>>,
    pub data: Vec<u8>,
    pub is_deflated: bool,
    /// When another method is claimed.
    pub method: Option<u16>,
    /// When another size is claimed.
    pub size: Option<u32>,
    pub flags: u16,
    pub mode: u32,
    /// Bytes before it that belong to nothing.
    pub before: Vec<u8>,
}

pub fn entry(name: &str, data: &[u8]) -> Entry {
    Entry { name: name.into(), data: data.into(), mode: 0o100_644, ..Entry::default() }
}

/// The zip of these entries, in this order.
pub fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for e in entries {
        out.extend(&e.before);
        let offset = out.len() as u32;
        let mut checksum = flate2::Crc::new();
        checksum.update(&e.data);
        let data = if e.is_deflated {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
            std::io::Write::write_all(&mut encoder, &e.data).expect("in memory");
            encoder.finish().expect("in memory")
        } else {
            e.data.clone()
        };
        let method = e.method.unwrap_or(if e.is_deflated { 8 } else { 0 });
        let shared = |name: &[u8]| {
            let head: Vec<u8> = [20, e.flags, method, 0, 0x21].iter().flat_map(|n: &u16| n.to_le_bytes()).collect();
            let sizes = [checksum.sum(), data.len() as u32, e.size.unwrap_or(e.data.len() as u32)];
            let sizes: Vec<u8> = sizes.iter().flat_map(|n| n.to_le_bytes()).collect();
            [head, sizes, (name.len() as u16).to_le_bytes().to_vec(), vec![0, 0]].concat()
        };
        let local = e.local_name.as_ref().unwrap_or(&e.name);
        out.extend(b"PK\x03\x04");
        out.extend(shared(local));
        out.extend(local);
        out.extend(&data);
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(shared(&e.name));
        directory.extend([0; 6]);
        directory.extend((e.mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(&e.name);
    }
    let (start, size, count) = (out.len() as u32, directory.len() as u32, entries.len() as u16);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    out.extend([size.to_le_bytes(), start.to_le_bytes()].concat());
    out.extend([0, 0]);
    out
}

/// A PNG of a soft gradient with alpha, as an encoder in a hurry writes it.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let pixels = (0..height).flat_map(|y| (0..width).flat_map(move |x| [x as u8, y as u8, (x ^ y) as u8, (255 - y % 200) as u8]));
    let mut rows = Vec::new();
    for (n, byte) in pixels.enumerate() {
        if n % (4 * width as usize) == 0 {
            rows.push(0);
        }
        rows.push(byte);
    }
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &rows).expect("in memory");
    chunks(width, height, &encoder.finish().expect("in memory"))
}

/// A PNG that claims a size and has no pixels; whole as far as its chunks tell.
pub fn claim(width: u32, height: u32) -> Vec<u8> {
    chunks(width, height, &[])
}

fn chunks(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    for (kind, body) in [(b"IHDR", header.as_slice()), (b"IDAT", pixels), (b"IEND", &[])] {
        let mut checksum = flate2::Crc::new();
        checksum.update(kind);
        checksum.update(body);
        out.extend((body.len() as u32).to_be_bytes());
        out.extend(kind);
        out.extend(body);
        out.extend(checksum.sum().to_be_bytes());
    }
    out
}

/// A whole look around [`face`], in a folder: .model3.json, .moc3, two textures, then the rest.
pub fn look(version: u8) -> Vec<Entry> {
    let model = r#"{ "Version": 3, "FileReferences": {
        "Moc": "Fox.moc3", "Textures": ["textures/texture_00.png", "textures/texture_01.png"], "Physics": "Fox.physics3.json",
        "DisplayInfo": "Fox.cdi3.json", "Expressions": [{ "Name": "smile", "File": "smile.exp3.json" }],
        "Motions": { "Idle": [{ "File": "motions/idle.motion3.json" }], "": [{ "File": "motions/wave.motion3.json", "Sound": "sounds/wave.wav" }] } },
      "Groups": [ { "Target": "Parameter", "Name": "EyeBlink", "Ids": ["ParamEyeLOpen"] },
                  { "Target": "Parameter", "Name": "LipSync", "Ids": ["ParamMouthOpenY"] } ],
      "HitAreas": [ { "Id": "Head", "Name": "Head" } ] }"#;
    let motion = |segments: &str| {
        format!(
            r#"{{ "Version": 3, "Meta": {{ "Duration": 2.0, "Fps": 30.0, "Loop": true, "AreBeziersRestricted": true, "CurveCount": 2,
                "TotalSegmentCount": 2, "TotalPointCount": 4, "UserDataCount": 0, "TotalUserDataSize": 0 }},
              "Curves": [ {{ "Target": "Parameter", "Id": "ParamAngleX", "Segments": {segments} }},
                          {{ "Target": "PartOpacity", "Id": "PartRoot", "Segments": [0, 1, 0, 2, 1] }} ] }}"#
        )
    };
    let physics = r#"{ "Version": 3, "Meta": { "PhysicsSettingCount": 1, "TotalInputCount": 1, "TotalOutputCount": 1, "VertexCount": 2 },
      "PhysicsSettings": [ { "Id": "Hair", "Input": [ { "Source": { "Target": "Parameter", "Id": "ParamAngleX" }, "Weight": 60 } ],
        "Output": [ { "Destination": { "Target": "Parameter", "Id": "ParamAngleY" }, "VertexIndex": 1 } ], "Vertices": [ {}, {} ] } ] }"#;
    let display =
        r#"{ "Version": 3, "Parameters": [ { "Id": "ParamAngleX", "Name": "Turn" } ], "Parts": [ { "Id": "PartHead", "Name": "Head" } ] }"#;
    let expression = r#"{ "Type": "Live2D Expression", "Parameters": [ { "Id": "ParamMouthOpenY", "Value": 1, "Blend": "Add" } ] }"#;
    let text = |name: &str, text: &str| Entry { is_deflated: true, ..entry(name, text.as_bytes()) };
    vec![
        text("Fox/Fox.model3.json", model),
        Entry { is_deflated: true, ..entry("Fox/Fox.moc3", &face(version).write().0) },
        entry("Fox/textures/texture_00.png", &png(64, 64)),
        entry("Fox/textures/texture_01.png", &png(32, 32)),
        text("Fox/motions/idle.motion3.json", &motion("[0, 0, 0, 2, 0]")),
        text("Fox/motions/wave.motion3.json", &motion("[0, 0, 0, 2, 30]")),
        text("Fox/Fox.physics3.json", physics),
        text("Fox/Fox.cdi3.json", display),
        text("Fox/smile.exp3.json", expression),
        entry("Fox/sounds/wave.wav", b"RIFF"),
    ]
}
