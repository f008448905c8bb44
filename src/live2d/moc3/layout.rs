//! What lies in a .moc3 and in which order: a list of counts, then one column after the other.
//!
//! Source: the hexpat description of the format by the OpenL2D project (versions 1 to 5) and the header of Purism Core (version 6), compared with eleven
//! models of versions 1, 3, 5 and 6. All numbers are little-endian.

use super::{Fault, Kind};

/// The magic bytes, the version, the byte order and 58 bytes of zeros.
pub(super) const HEADER: usize = 64;
/// Bytes of the canvas record.
pub(super) const CANVAS: usize = 64;
/// What every column starts at a multiple of.
pub(super) const ALIGNMENT: usize = 64;
/// The highest version known.
pub(super) const NEWEST: u8 = 6;
/// More of anything than this no model has.
const MOST: i32 = 1 << 24;

/// What a version has more of than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// Entries of the table of offsets.
    pub slots: usize,
    /// Where the counts lie in the file that the editor writes.
    pub counts_at: usize,
    /// Bytes of the list of counts.
    pub counts_size: usize,
    /// How many counts are in use; the rest is zero.
    pub counts: usize,
}

/// The form of a version from 1 to 6.
pub fn form(version: u8) -> Form {
    let slots = if version >= 6 { 480 } else { 160 };
    let counts_at = if version >= 6 { 0x16c0 } else { 0x7c0 };
    let counts_size = if version >= 5 { 256 } else { 128 };
    let counts = match version {
        ..=3 => 23,
        4 => 32,
        5 => 35,
        _ => 38,
    };
    Form { slots, counts_at, counts_size, counts }
}

/// What is counted, in the order of the list of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Count {
    Parts,
    Deformers,
    Warps,
    Rotations,
    Meshes,
    Parameters,
    PartKeyforms,
    WarpKeyforms,
    RotationKeyforms,
    MeshKeyforms,
    Positions,
    BindingBands,
    Bindings,
    Bands,
    Keys,
    Uvs,
    Corners,
    Masks,
    DrawGroups,
    DrawItems,
    Glues,
    GlueVertices,
    GlueKeyforms,
    MultiplyColors,
    ScreenColors,
    BlendBands,
    BlendBindings,
    BlendWarps,
    BlendMeshes,
    BlendLimitIndices,
    BlendLimits,
    BlendLimitKeys,
    BlendParts,
    BlendRotations,
    BlendGlues,
    Offscreens,
    OffscreenKeyforms,
    BlendOffscreens,
}

/// One value of a column.
pub(super) trait Cell: Default {
    const SIZE: usize;
    /// What is wrong when it cannot be read.
    const KIND: Kind = Kind::Number;
    /// `bytes` has [`Cell::SIZE`] bytes.
    fn read(bytes: &[u8]) -> Result<Self, &'static str>;
    /// True for an id, which follows the column before it without a gap.
    fn is_id() -> bool {
        false
    }
    /// True when the editor writes only zeros.
    fn is_reserved() -> bool {
        false
    }
}

/// Eight bytes that the Core uses while it runs; zero in files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Runtime;

impl Cell for Runtime {
    const SIZE: usize = 8;
    fn read(_: &[u8]) -> Result<Self, &'static str> {
        Ok(Self)
    }
    fn is_reserved() -> bool {
        true
    }
}

impl Cell for String {
    const SIZE: usize = 64;
    const KIND: Kind = Kind::Id;
    fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        match bytes.iter().position(|byte| *byte == 0) {
            None => Err("the id has no end"),
            Some(0) => Err("the id is empty"),
            Some(end) => std::str::from_utf8(&bytes[..end]).map(str::to_owned).map_err(|_| "the id is not UTF-8"),
        }
    }
    fn is_id() -> bool {
        true
    }
}

impl Cell for i32 {
    const SIZE: usize = 4;
    fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        Ok(bytes.try_into().map_or(0, Self::from_le_bytes))
    }
}

impl Cell for bool {
    const SIZE: usize = 4;
    fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        match i32::read(bytes)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err("it is neither 0 nor 1"),
        }
    }
}

impl Cell for f32 {
    const SIZE: usize = 4;
    fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        let number = bytes.try_into().map_or(0.0, Self::from_le_bytes);
        if !number.is_finite() {
            Err("it is not a finite number")
        } else if number.abs() > 1e9 {
            Err("it is larger than any model needs")
        } else {
            Ok(number)
        }
    }
}

impl Cell for u16 {
    const SIZE: usize = 2;
    fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        Ok(bytes.try_into().map_or(0, Self::from_le_bytes))
    }
}

impl Cell for u8 {
    const SIZE: usize = 1;
    fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        Ok(bytes.first().copied().unwrap_or(0))
    }
}

/// Where a column lies and what it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub name: &'static str,
    /// Where it starts and ends in the file.
    pub start: usize,
    pub end: usize,
    pub is_id: bool,
    pub is_reserved: bool,
}

/// The table of offsets and the counts, while the columns are read one after the other.
pub(super) struct Table<'a> {
    pub bytes: &'a [u8],
    pub version: u8,
    pub offsets: Vec<usize>,
    pub counts: Vec<usize>,
    /// The columns that were read.
    pub places: Vec<Place>,
    /// Where the last one ended.
    pub end: usize,
    /// Values that cannot be read, one for each column.
    pub faults: Vec<Fault>,
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at.saturating_add(4)).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes)
}

impl<'a> Table<'a> {
    /// Reads the table and the counts of a file whose version is known.
    pub fn read(bytes: &'a [u8], version: u8) -> Result<Self, Fault> {
        let layout = |place: String, problem: String| Err(Fault { kind: Kind::Layout, place, problem });
        let Form { slots, counts_size, counts, .. } = form(version);
        let table_end = HEADER + 4 * slots;
        if bytes.len() < table_end {
            return layout("offsets".into(), format!("the file ends inside the table: {} bytes", bytes.len()));
        }
        let offsets: Vec<usize> = (0..slots).map(|slot| u32_at(bytes, HEADER + 4 * slot) as usize).collect();
        let used = 2 + COLUMNS.iter().filter(|since| **since <= version).count();
        if let Some(slot) = (used..slots).find(|slot| offsets[*slot] != 0) {
            return layout(
                format!("offsets[{slot}]"),
                format!("version {version} has no such section, but it points at byte {}", offsets[slot]),
            );
        }
        let at = offsets[0];
        if !at.is_multiple_of(4) || at < table_end || at.saturating_add(counts_size) > bytes.len() {
            return layout("counts".into(), format!("they cannot lie at byte {at}"));
        }
        let numbers: Vec<i32> = (0..counts_size / 4).map(|n| u32_at(bytes, at + 4 * n) as i32).collect();
        for (n, number) in numbers.iter().enumerate() {
            if n < counts && !(0..=MOST).contains(number) || n >= counts && *number != 0 {
                return layout(format!("counts[{n}]"), format!("{number} is out of range"));
            }
        }
        let end = at + counts_size;
        if !offsets[1].is_multiple_of(4) || offsets[1] < end || offsets[1].saturating_add(CANVAS) > bytes.len() {
            return layout("canvas".into(), format!("it cannot lie at byte {}", offsets[1]));
        }
        let (counts, end) = (numbers.into_iter().map(|n| n.max(0) as usize).collect(), offsets[1] + CANVAS);
        Ok(Self { bytes, version, offsets, counts, places: Vec::new(), end, faults: Vec::new() })
    }

    /// The next column of the file, when this version has it. Its bytes lie after those of the column before it, so that all columns together are never
    /// larger than the file.
    fn column<T: Cell>(&mut self, since: u8, count: Count, name: &'static str) -> Result<Vec<T>, Fault> {
        if since > self.version {
            return Ok(Vec::new());
        }
        let start = self.offsets.get(2 + self.places.len()).copied().unwrap_or(usize::MAX);
        let count = self.counts.get(count as usize).copied().unwrap_or(0);
        let layout = |problem: String| Fault { kind: Kind::Layout, place: name.into(), problem };
        let end = count.checked_mul(T::SIZE).and_then(|size| start.checked_add(size)).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| layout(format!("{count} values at byte {start} reach past the end of the file")))?;
        if start < self.end {
            return Err(layout(format!("it starts at byte {start}, inside what ends at byte {}", self.end)));
        }
        if count > 0 && start % T::SIZE.min(4) != 0 {
            return Err(layout(format!("it starts at byte {start}, between two numbers")));
        }
        self.end = end;
        self.places.push(Place { name, start, end, is_id: T::is_id(), is_reserved: T::is_reserved() });
        let mut faulty: Option<(usize, &'static str, usize)> = None;
        let cells = self.bytes[start..end].chunks_exact(T::SIZE).enumerate();
        let values = cells
            .map(|(index, cell)| {
                T::read(cell).unwrap_or_else(|problem| {
                    let (_, _, more) = faulty.get_or_insert((index, problem, 0));
                    *more += 1;
                    T::default()
                })
            })
            .collect();
        if let Some((index, problem, times)) = faulty {
            self.faults.push(Fault::at(T::KIND, name, index, problem, times - 1));
        }
        Ok(values)
    }
}

macro_rules! columns {
    ($($since:literal $count:ident: $($name:ident $cell:ident),*;)*) => {
        /// Every column of a .moc3, in the order of the file; those that its version does not have are empty. Counts and indices are as written; [`super::read`]
        /// gives them only when they fit each other.
        #[derive(Debug, Clone)]
        #[allow(missing_docs)]
        pub struct Columns { $($(pub $name: Vec<$cell>,)*)* }

        /// The version from which on each column is there.
        const COLUMNS: &[u8] = &[$($({ let _ = stringify!($name); $since },)*)*];

        impl Columns {
            pub(super) fn read(table: &mut Table) -> Result<Self, Fault> {
                Ok(Self { $($($name: table.column($since, Count::$count, stringify!($name))?,)*)* })
            }
        }
    };
}

columns! {
    1 Parts: part_runtime Runtime, part_id String, part_binding i32, part_keyforms_begin i32, part_keyforms i32, part_visible bool,
        part_enabled bool, part_parent i32;
    1 Deformers: deformer_runtime Runtime, deformer_id String, deformer_binding i32, deformer_visible bool, deformer_enabled bool,
        deformer_part i32, deformer_parent i32, deformer_type i32, deformer_index i32;
    1 Warps: warp_binding i32, warp_keyforms_begin i32, warp_keyforms i32, warp_vertices i32, warp_rows i32, warp_columns i32;
    1 Rotations: rotation_binding i32, rotation_keyforms_begin i32, rotation_keyforms i32, rotation_base_angle f32;
    1 Meshes: mesh_runtime Runtime, mesh_runtime_2 Runtime, mesh_runtime_3 Runtime, mesh_runtime_4 Runtime, mesh_id String, mesh_binding i32,
        mesh_keyforms_begin i32, mesh_keyforms i32, mesh_visible bool, mesh_enabled bool, mesh_part i32, mesh_parent i32, mesh_texture i32,
        mesh_flags u8, mesh_vertices i32, mesh_uvs_begin i32, mesh_corners_begin i32, mesh_corners i32, mesh_masks_begin i32, mesh_masks i32;
    1 Parameters: parameter_runtime Runtime, parameter_id String, parameter_maximum f32, parameter_minimum f32, parameter_default f32,
        parameter_repeat bool, parameter_decimals i32, parameter_bands_begin i32, parameter_bands i32;
    1 PartKeyforms: part_keyform_draw_order f32;
    1 WarpKeyforms: warp_keyform_opacity f32, warp_keyform_positions_begin i32;
    1 RotationKeyforms: rotation_keyform_opacity f32, rotation_keyform_angle f32, rotation_keyform_x f32, rotation_keyform_y f32,
        rotation_keyform_scale f32, rotation_keyform_flip_x bool, rotation_keyform_flip_y bool;
    1 MeshKeyforms: mesh_keyform_opacity f32, mesh_keyform_draw_order f32, mesh_keyform_positions_begin i32;
    1 Positions: position f32;
    1 BindingBands: binding_band i32;
    1 Bindings: binding_begin i32, binding_bands i32;
    1 Bands: band_begin i32, band_keys i32;
    1 Keys: key f32;
    1 Uvs: uv f32;
    1 Corners: corner u16;
    1 Masks: mask_mesh i32;
    1 DrawGroups: draw_group_begin i32, draw_group_items i32, draw_group_total i32, draw_group_maximum i32, draw_group_minimum i32;
    1 DrawItems: draw_item_type i32, draw_item_index i32, draw_item_group i32;
    1 Glues: glue_runtime Runtime, glue_id String, glue_binding i32, glue_keyforms_begin i32, glue_keyforms i32, glue_mesh_a i32, glue_mesh_b i32,
        glue_vertices_begin i32, glue_vertices i32;
    1 GlueVertices: glue_weight f32, glue_vertex u16;
    1 GlueKeyforms: glue_intensity f32;

    2 Warps: warp_is_quad bool;

    4 Parameters: parameter_runtime_2 Runtime, parameter_keys_begin i32, parameter_keys i32;
    4 Warps: warp_colors_begin i32;
    4 Rotations: rotation_colors_begin i32;
    4 Meshes: mesh_colors_begin i32;
    4 MultiplyColors: multiply_red f32, multiply_green f32, multiply_blue f32;
    4 ScreenColors: screen_red f32, screen_green f32, screen_blue f32;
    4 Parameters: parameter_type i32, parameter_blends_begin i32, parameter_blends i32;
    4 BlendBands: blend_band_begin i32, blend_band_keys i32, blend_band_base i32;
    4 BlendBindings: blend_binding_band i32, blend_binding_keyforms_begin i32, blend_binding_keyforms i32, blend_binding_limits_begin i32,
        blend_binding_limits i32;
    4 BlendWarps: blend_warp_target i32, blend_warp_begin i32, blend_warp_bindings i32;
    4 BlendMeshes: blend_mesh_target i32, blend_mesh_begin i32, blend_mesh_bindings i32;
    4 BlendLimitIndices: blend_limit_index i32;
    4 BlendLimits: blend_limit_parameter i32, blend_limit_begin i32, blend_limit_keys i32;
    4 BlendLimitKeys: blend_limit_key f32, blend_limit_weight f32;

    5 WarpKeyforms: warp_keyform_multiply i32, warp_keyform_screen i32;
    5 RotationKeyforms: rotation_keyform_multiply i32, rotation_keyform_screen i32;
    5 MeshKeyforms: mesh_keyform_multiply i32, mesh_keyform_screen i32;
    5 BlendParts: blend_part_target i32, blend_part_begin i32, blend_part_bindings i32;
    5 BlendRotations: blend_rotation_target i32, blend_rotation_begin i32, blend_rotation_bindings i32;
    5 BlendGlues: blend_glue_target i32, blend_glue_begin i32, blend_glue_bindings i32;

    6 Parts: part_offscreen i32;
    6 Meshes: mesh_blend_mode i32;
    6 Offscreens: offscreen_runtime Runtime, offscreen_part i32, offscreen_flags u8, offscreen_blend_mode i32, offscreen_masks_begin i32,
        offscreen_masks i32;
    6 PartKeyforms: part_keyform_offscreen i32;
    6 OffscreenKeyforms: offscreen_keyform_opacity f32, offscreen_keyform_multiply i32, offscreen_keyform_screen i32;
    6 BlendOffscreens: blend_offscreen_target i32, blend_offscreen_begin i32, blend_offscreen_bindings i32;
}
