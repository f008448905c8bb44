//! Whether the numbers of a .moc3 fit each other: indices, ranges, windows of keyforms, triangles, cycles.

use super::layout::Columns;
use super::{Canvas, Fault, Kind, window};
use std::collections::BTreeSet;

/// A binding with more axes than this is a mistake: two keys on each would be a million keyforms.
const MOST_AXES: i32 = 20;
/// The most rows or columns of a warp.
const MOST_CELLS: i32 = 4096;
/// A product of key counts is not followed further than this.
const MOST_COMBINATIONS: i64 = 1 << 40;
/// Groups that lie in each other deeper than this would use up the stack of some readers.
const DEEPEST: usize = 500;

/// L021 for a canvas that has no size.
pub(super) fn canvas(canvas: &Canvas) -> Option<Fault> {
    let Canvas { pixels_per_unit, origin, width, height } = *canvas;
    let is_size = |n: f32| n.is_finite() && n > 0.0 && n <= 1e6;
    let is_good = [pixels_per_unit, width, height].into_iter().all(is_size) && origin.into_iter().all(f32::is_finite);
    let problem = format!("{width} x {height} pixels, {pixels_per_unit} for a unit, zero at {}, {}", origin[0], origin[1]);
    (!is_good).then(|| Fault { kind: Kind::Number, place: "canvas".into(), problem })
}

struct Check<'a> {
    c: &'a Columns,
    faults: Vec<Fault>,
}

/// Everything but the canvas.
pub(super) fn columns(columns: &Columns, version: u8) -> Vec<Fault> {
    if let Some(fault) = overlap(columns) {
        return vec![fault];
    }
    let mut check = Check { c: columns, faults: Vec::new() };
    check.ids();
    check.keys();
    check.keyforms();
    check.tree();
    check.deformers();
    check.meshes();
    check.glues();
    check.draw_order();
    if version >= 4 {
        check.colors();
        check.blends();
    }
    check.offscreens();
    check.faults
}

/// Ranges of an honest file do not overlap, so together they are no longer than the list that they lie in. Where they are many times longer, following
/// them all would take for ever.
fn overlap(c: &Columns) -> Option<Fault> {
    let keyforms = [c.warp_keyform_opacity.len(), c.mesh_keyform_opacity.len(), c.part_keyform_draw_order.len()];
    let blend_keys: Vec<i32> = c.blend_binding_band.iter().map(|band| keys_of(&c.blend_band_keys, *band).min(1 << 24) as i32).collect();
    let blend_bindings = c.blend_binding_band.len();
    let lists: [(&str, &[i32], usize); 16] = [
        ("binding_bands", &c.binding_bands, c.binding_band.len()),
        ("band_keys", &c.band_keys, c.key.len()),
        ("part_keyforms", &c.part_keyforms, c.part_keyform_draw_order.len()),
        ("warp_keyforms", &c.warp_keyforms, c.warp_keyform_opacity.len()),
        ("rotation_keyforms", &c.rotation_keyforms, c.rotation_keyform_opacity.len()),
        ("mesh_keyforms", &c.mesh_keyforms, c.mesh_keyform_opacity.len()),
        ("mesh_corners", &c.mesh_corners, c.corner.len()),
        ("glue_vertices", &c.glue_vertices, c.glue_vertex.len()),
        ("draw_group_items", &c.draw_group_items, c.draw_item_type.len()),
        ("blend_binding_band", &blend_keys, keyforms.into_iter().max().unwrap_or(0)),
        ("blend_warp_bindings", &c.blend_warp_bindings, blend_bindings),
        ("blend_mesh_bindings", &c.blend_mesh_bindings, blend_bindings),
        ("blend_part_bindings", &c.blend_part_bindings, blend_bindings),
        ("blend_rotation_bindings", &c.blend_rotation_bindings, blend_bindings),
        ("blend_glue_bindings", &c.blend_glue_bindings, blend_bindings),
        ("blend_offscreen_bindings", &c.blend_offscreen_bindings, blend_bindings),
    ];
    lists.into_iter().find_map(|(section, counts, limit)| {
        let sum: i64 = counts.iter().map(|count| i64::from((*count).max(0))).sum();
        let problem = format!("its ranges have {sum} values together, but there are only {limit}");
        (sum > 8 * limit as i64 + 65_536).then(|| Fault { kind: Kind::Reference, place: section.into(), problem })
    })
}

/// For each binding how many keyforms its keys ask for: the product of the numbers of keys on its axes.
pub(super) fn combinations(c: &Columns) -> Vec<i64> {
    let bindings = c.binding_begin.iter().zip(&c.binding_bands);
    bindings
        .map(|(begin, count)| {
            let keys = window(&c.binding_band, *begin, *count).iter().map(|band| keys_of(&c.band_keys, *band));
            keys.fold(1, |product, keys| (product * keys).min(MOST_COMBINATIONS))
        })
        .collect()
}

/// How many keys a band has, at least one.
fn keys_of(counts: &[i32], band: i32) -> i64 {
    window(counts, band, 1).first().map_or(1, |count| i64::from(*count).clamp(1, MOST_COMBINATIONS))
}

/// What has keyforms: a name, the bindings, and the number of keyforms of each.
pub(super) fn keyed(c: &Columns) -> [(&'static str, &[i32], &[i32]); 5] {
    [
        ("part_keyforms", &c.part_binding, &c.part_keyforms),
        ("warp_keyforms", &c.warp_binding, &c.warp_keyforms),
        ("rotation_keyforms", &c.rotation_binding, &c.rotation_keyforms),
        ("mesh_keyforms", &c.mesh_binding, &c.mesh_keyforms),
        ("glue_keyforms", &c.glue_binding, &c.glue_keyforms),
    ]
}

impl Check<'_> {
    /// One fault for all values of a section for which `problem` says something.
    fn each<T: Copy>(&mut self, kind: Kind, section: &str, values: &[T], problem: impl Fn(usize, T) -> Option<String>) {
        let mut bad = values.iter().enumerate().filter_map(|(index, value)| Some((index, problem(index, *value)?)));
        if let Some((index, problem)) = bad.next() {
            let more = bad.count();
            self.faults.push(Fault::at(kind, section, index, problem, more));
        }
    }

    /// Every value is an index from `least` to below `limit`.
    fn index(&mut self, section: &str, values: &[i32], least: i32, limit: usize) {
        let problem = |_, value: i32| {
            let is_good = value >= least && (value < 0 || (value as usize) < limit);
            (!is_good).then(|| format!("{value} is none of the {limit} there are"))
        };
        self.each(Kind::Reference, section, values, problem);
    }

    /// Every begin and count, times `factor`, lies in a list of `limit` values.
    fn range(&mut self, section: &str, begins: &[i32], counts: &[i32], factor: i64, limit: usize) {
        let problem = |index: usize, begin: i32| {
            let count = i64::from(counts.get(index).copied().unwrap_or(0)).saturating_mul(factor);
            let is_good = count == 0 || count > 0 && begin >= 0 && i64::from(begin) + count <= limit as i64;
            (!is_good).then(|| format!("{count} values from {begin} on do not lie in the {limit} there are"))
        };
        self.each(Kind::Reference, section, begins, problem);
    }

    fn ids(&mut self) {
        let c = self.c;
        let lists = [
            ("part_id", &c.part_id),
            ("deformer_id", &c.deformer_id),
            ("mesh_id", &c.mesh_id),
            ("parameter_id", &c.parameter_id),
            ("glue_id", &c.glue_id),
        ];
        for (section, ids) in lists {
            let mut seen = BTreeSet::new();
            // An id that could not be read is empty, and has a fault of its own.
            let twice: Vec<bool> = ids.iter().map(|id| !id.is_empty() && !seen.insert(id)).collect();
            self.each(Kind::Id, section, &twice, |index, is_twice| is_twice.then(|| format!("the id \"{}\" is given twice", ids[index])));
        }
    }

    /// Parameters, bands of keys, and the bindings that combine bands.
    fn keys(&mut self) {
        let c = self.c;
        let range = |index: usize, least: f32| {
            let most = c.parameter_maximum.get(index).copied().unwrap_or(least);
            (least > most).then(|| format!("the minimum {least} is above the maximum {most}"))
        };
        self.each(Kind::Number, "parameter_minimum", &c.parameter_minimum, range);
        self.range("parameter_bands_begin", &c.parameter_bands_begin, &c.parameter_bands, 1, c.band_begin.len());
        self.range("band_begin", &c.band_begin, &c.band_keys, 1, c.key.len());
        let ascend = |index: usize, begin: i32| {
            let keys = window(&c.key, begin, c.band_keys.get(index).copied().unwrap_or(0));
            keys.windows(2).any(|pair| pair[1] <= pair[0]).then(|| "its keys do not ascend".into())
        };
        self.each(Kind::Number, "band_begin", &c.band_begin, ascend);
        self.range("binding_begin", &c.binding_begin, &c.binding_bands, 1, c.binding_band.len());
        self.index("binding_band", &c.binding_band, 0, c.band_begin.len());
        let axes = |_, count: i32| (count > MOST_AXES).then(|| format!("{count} axes; {MOST_AXES} are the most that make sense"));
        self.each(Kind::Reference, "binding_bands", &c.binding_bands, axes);
    }

    /// Each object has as many keyforms as its keys have combinations.
    fn keyforms(&mut self) {
        let c = self.c;
        let begins = [
            (&c.part_keyforms_begin, c.part_keyform_draw_order.len()),
            (&c.warp_keyforms_begin, c.warp_keyform_opacity.len()),
            (&c.rotation_keyforms_begin, c.rotation_keyform_opacity.len()),
            (&c.mesh_keyforms_begin, c.mesh_keyform_opacity.len()),
            (&c.glue_keyforms_begin, c.glue_intensity.len()),
        ];
        let combinations = combinations(c);
        for ((section, bindings, counts), (begins, limit)) in keyed(c).into_iter().zip(begins) {
            self.index(&section.replace("keyforms", "binding"), bindings, 0, c.binding_begin.len());
            self.range(&format!("{section}_begin"), begins, counts, 1, limit);
            let too_few = |index: usize, count: i32| {
                let wanted = *window(&combinations, *bindings.get(index)?, 1).first()?;
                (wanted > i64::from(count)).then(|| format!("{count} keyforms, but its keys have {wanted} combinations"))
            };
            self.each(Kind::Reference, section, counts, too_few);
        }
        self.index("deformer_binding", &c.deformer_binding, 0, c.binding_begin.len());
    }

    /// Parents exist, and nobody is their own ancestor.
    fn tree(&mut self) {
        let c = self.c;
        for (section, parents) in [("part_parent", &c.part_parent), ("deformer_part", &c.deformer_part), ("mesh_part", &c.mesh_part)] {
            self.index(section, parents, -1, c.part_id.len());
        }
        for (section, parents) in [("deformer_parent", &c.deformer_parent), ("mesh_parent", &c.mesh_parent)] {
            self.index(section, parents, -1, c.deformer_id.len());
        }
        for (section, parents) in [("part_parent", &c.part_parent), ("deformer_parent", &c.deformer_parent)] {
            if let Some(index) = cycle(parents) {
                self.faults.push(Fault::at(Kind::Reference, section, index, "it is its own ancestor", 0));
            }
        }
    }

    /// Each deformer has a record of its own, and the grids of warps have their points.
    fn deformers(&mut self) {
        let c = self.c;
        let (warps, rotations) = (c.warp_binding.len(), c.rotation_binding.len());
        if warps + rotations != c.deformer_id.len() {
            let problem = format!("{} deformers, but {warps} warps and {rotations} rotations", c.deformer_id.len());
            self.faults.push(Fault { kind: Kind::Reference, place: "deformers".into(), problem });
        }
        let mut seen = BTreeSet::new();
        let records: Vec<(i32, i32, bool)> = c
            .deformer_type
            .iter()
            .zip(&c.deformer_index)
            .map(|(kind, index)| (*kind, *index, matches!(kind, 0 | 1) && !seen.insert((*kind, *index))))
            .collect();
        self.each(Kind::Reference, "deformer_index", &records, |_, (kind, index, is_taken)| {
            let limit = match kind {
                0 => warps,
                1 => rotations,
                _ => return Some(format!("{kind} is no type of deformer")),
            };
            match usize::try_from(index) {
                Ok(own) if own < limit => is_taken.then(|| format!("two deformers share record {index}")),
                _ => Some(format!("{index} is none of the {limit} there are")),
            }
        });
        let grid = |index: usize, rows: i32| {
            let (columns, vertices) = (*c.warp_columns.get(index)?, *c.warp_vertices.get(index)?);
            let is_good = (1..=MOST_CELLS).contains(&rows)
                && (1..=MOST_CELLS).contains(&columns)
                && (i64::from(rows) + 1) * (i64::from(columns) + 1) == i64::from(vertices);
            (!is_good).then(|| format!("a grid of {rows} x {columns} does not have {vertices} points"))
        };
        self.each(Kind::Reference, "warp_rows", &c.warp_rows, grid);
        let starts = &c.warp_keyform_positions_begin;
        self.positions("warp_keyforms", &c.warp_keyforms_begin, &c.warp_keyforms, &c.warp_vertices, starts);
    }

    /// For each object, its keyforms' positions lie in the list of positions.
    fn positions(&mut self, section: &str, begins: &[i32], keyforms: &[i32], vertices: &[i32], starts: &[i32]) {
        let limit = self.c.position.len() as i64;
        let problem = |index: usize, begin: i32| {
            let (count, vertices) = (*keyforms.get(index)?, i64::from(*vertices.get(index)?));
            let bad = |start: &&i32| **start < 0 || i64::from(**start) + 2 * vertices > limit;
            let bad = window(starts, begin, count).iter().find(bad)?;
            Some(format!("{vertices} points from {bad} on do not lie in the {limit} numbers there are"))
        };
        self.each(Kind::Reference, section, begins, problem);
    }

    fn meshes(&mut self) {
        let c = self.c;
        let meshes = c.mesh_id.len();
        let vertices = |_, count: i32| (!(0..=65_535).contains(&count)).then(|| format!("{count} vertices"));
        self.each(Kind::Reference, "mesh_vertices", &c.mesh_vertices, vertices);
        let texture = |_, number: i32| (!(0..=255).contains(&number)).then(|| format!("{number} is no number of a texture"));
        self.each(Kind::Reference, "mesh_texture", &c.mesh_texture, texture);
        let starts = &c.mesh_keyform_positions_begin;
        self.positions("mesh_keyforms", &c.mesh_keyforms_begin, &c.mesh_keyforms, &c.mesh_vertices, starts);
        self.range("mesh_uvs_begin", &c.mesh_uvs_begin, &c.mesh_vertices, 2, c.uv.len());
        self.range("mesh_corners_begin", &c.mesh_corners_begin, &c.mesh_corners, 1, c.corner.len());
        self.range("mesh_masks_begin", &c.mesh_masks_begin, &c.mesh_masks, 1, c.mask_mesh.len());
        self.index("mask_mesh", &c.mask_mesh, -1, meshes);
        let corners = |index: usize, begin: i32| {
            let (count, vertices) = (*c.mesh_corners.get(index)?, *c.mesh_vertices.get(index)?);
            if count % 3 != 0 {
                return Some(format!("{count} corners are no whole triangles"));
            }
            let most = window(&c.corner, begin, count).iter().max()?;
            (i32::from(*most) >= vertices).then(|| format!("a triangle uses vertex {most} of {vertices}"))
        };
        self.each(Kind::Reference, "mesh_corners", &c.mesh_corners_begin, corners);
    }

    fn glues(&mut self) {
        let c = self.c;
        for (section, meshes) in [("glue_mesh_a", &c.glue_mesh_a), ("glue_mesh_b", &c.glue_mesh_b)] {
            self.index(section, meshes, 0, c.mesh_id.len());
        }
        self.range("glue_vertices_begin", &c.glue_vertices_begin, &c.glue_vertices, 1, c.glue_vertex.len());
        let pairs = |index: usize, begin: i32| {
            let count = *c.glue_vertices.get(index)?;
            if count % 2 != 0 {
                return Some(format!("{count} vertices are no whole pairs"));
            }
            let vertices = |meshes: &[i32]| meshes.get(index).and_then(|mesh| window(&c.mesh_vertices, *mesh, 1).first().copied());
            let (a, b) = (vertices(&c.glue_mesh_a)?, vertices(&c.glue_mesh_b)?);
            let fits = |pair: &[u16]| i32::from(pair[0]) < a && i32::from(pair[1]) < b;
            let bad = window(&c.glue_vertex, begin, count).chunks_exact(2).find(|pair| !fits(pair))?;
            Some(format!("it joins vertex {} of {a} to vertex {} of {b}", bad[0], bad[1]))
        };
        self.each(Kind::Reference, "glue_vertices", &c.glue_vertices_begin, pairs);
    }

    /// Draw items point at drawables and at parts with groups of their own, and no group lies in itself.
    fn draw_order(&mut self) {
        let c = self.c;
        let groups = c.draw_group_begin.len();
        self.range("draw_group_begin", &c.draw_group_begin, &c.draw_group_items, 1, c.draw_item_type.len());
        let item = |index: usize, kind: i32| {
            let (limit, least) = match kind {
                0 => (c.mesh_id.len(), -1),
                1 => (c.part_id.len(), 0),
                _ => return Some(format!("{kind} is no type of draw item")),
            };
            let (own, group) = (*c.draw_item_index.get(index)?, *c.draw_item_group.get(index)?);
            if own < 0 || own as usize >= limit {
                return Some(format!("it draws {own}, which is none of the {limit} there are"));
            }
            (group < least || group >= groups as i32).then(|| format!("group {group} is none of the {groups} there are"))
        };
        self.each(Kind::Reference, "draw_item_type", &c.draw_item_type, item);
        if let Some(group) = draw_cycle(c) {
            self.faults.push(Fault::at(Kind::Reference, "draw_group_begin", group, "the group lies in itself, or too deep", 0));
        }
    }

    fn colors(&mut self) {
        let c = self.c;
        let lists = [
            ("warp_colors_begin", &c.warp_colors_begin, &c.warp_keyforms),
            ("rotation_colors_begin", &c.rotation_colors_begin, &c.rotation_keyforms),
            ("mesh_colors_begin", &c.mesh_colors_begin, &c.mesh_keyforms),
        ];
        for (section, begins, counts) in lists {
            self.range(section, begins, counts, 1, c.multiply_red.len());
        }
    }

    fn blends(&mut self) {
        let c = self.c;
        self.range("parameter_keys_begin", &c.parameter_keys_begin, &c.parameter_keys, 1, c.key.len());
        self.range("parameter_blends_begin", &c.parameter_blends_begin, &c.parameter_blends, 1, c.blend_band_begin.len());
        let kind = |_, kind: i32| (!matches!(kind, 0 | 1)).then(|| format!("{kind} is no type of parameter"));
        self.each(Kind::Reference, "parameter_type", &c.parameter_type, kind);
        self.range("blend_band_begin", &c.blend_band_begin, &c.blend_band_keys, 1, c.key.len());
        self.index("blend_binding_band", &c.blend_binding_band, 0, c.blend_band_begin.len());
        let (begins, counts) = (&c.blend_binding_limits_begin, &c.blend_binding_limits);
        self.range("blend_binding_limits_begin", begins, counts, 1, c.blend_limit_index.len());
        self.index("blend_limit_index", &c.blend_limit_index, 0, c.blend_limit_parameter.len());
        self.index("blend_limit_parameter", &c.blend_limit_parameter, 0, c.parameter_id.len());
        self.range("blend_limit_begin", &c.blend_limit_begin, &c.blend_limit_keys, 1, c.blend_limit_key.len());
        let warps = Some((&c.warp_vertices[..], &c.warp_keyform_positions_begin[..]));
        let meshes = Some((&c.mesh_vertices[..], &c.mesh_keyform_positions_begin[..]));
        let targets = [
            ("blend_warp", &c.blend_warp_target, &c.blend_warp_begin, &c.blend_warp_bindings, c.warp_keyform_opacity.len(), warps),
            ("blend_mesh", &c.blend_mesh_target, &c.blend_mesh_begin, &c.blend_mesh_bindings, c.mesh_keyform_opacity.len(), meshes),
            ("blend_part", &c.blend_part_target, &c.blend_part_begin, &c.blend_part_bindings, c.part_keyform_draw_order.len(), None),
            (
                "blend_rotation",
                &c.blend_rotation_target,
                &c.blend_rotation_begin,
                &c.blend_rotation_bindings,
                c.rotation_keyform_opacity.len(),
                None,
            ),
            ("blend_glue", &c.blend_glue_target, &c.blend_glue_begin, &c.blend_glue_bindings, c.glue_intensity.len(), None),
            (
                "blend_offscreen",
                &c.blend_offscreen_target,
                &c.blend_offscreen_begin,
                &c.blend_offscreen_bindings,
                c.offscreen_keyform_opacity.len(),
                None,
            ),
        ];
        let there =
            [c.warp_binding.len(), c.mesh_id.len(), c.part_id.len(), c.rotation_binding.len(), c.glue_id.len(), c.offscreen_part.len()];
        for ((section, targets, begins, counts, keyforms, points), there) in targets.into_iter().zip(there) {
            self.index(&format!("{section}_target"), targets, 0, there);
            self.range(&format!("{section}_begin"), begins, counts, 1, c.blend_binding_band.len());
            let problem = |index: usize, begin: i32| {
                let bindings = usize::try_from(begin).ok()?..usize::try_from(begin.checked_add(*counts.get(index)?)?).ok()?;
                let points = points.and_then(|(vertices, starts)| Some((*window(vertices, targets[index], 1).first()?, starts)));
                bindings.into_iter().find_map(|binding| self.blend_window(binding, keyforms, points))
            };
            let found: Vec<Option<String>> = begins.iter().enumerate().map(|(index, begin)| problem(index, *begin)).collect();
            let bad: Vec<usize> = (0..found.len()).filter(|index| found[*index].is_some()).collect();
            if let Some(first) = bad.first()
                && let Some(problem) = &found[*first]
            {
                self.faults.push(Fault::at(Kind::Reference, &format!("{section}_bindings"), *first, problem.as_str(), bad.len() - 1));
            }
        }
    }

    /// What is wrong with the keyforms of one blend-shape binding, whose target has so many points.
    fn blend_window(&self, binding: usize, keyforms: usize, points: Option<(i32, &[i32])>) -> Option<String> {
        let c = self.c;
        let begin = *c.blend_binding_keyforms_begin.get(binding)?;
        let keys = keys_of(&c.blend_band_keys, *c.blend_binding_band.get(binding)?);
        if begin < 0 || i64::from(begin) + keys > keyforms as i64 {
            return Some(format!("{keys} keyforms from {begin} on do not lie in the {keyforms} there are"));
        }
        let (vertices, starts) = points.filter(|(vertices, _)| *vertices > 0)?;
        let limit = c.position.len() as i64;
        let bad = |start: &&i32| **start < 0 || i64::from(**start) + 2 * i64::from(vertices) > limit;
        let bad = window(starts, begin, keys as i32).iter().find(bad)?;
        Some(format!("{vertices} points from {bad} on do not lie in the {limit} numbers there are"))
    }

    fn offscreens(&mut self) {
        let c = self.c;
        self.index("part_offscreen", &c.part_offscreen, -1, c.offscreen_part.len());
        self.index("offscreen_part", &c.offscreen_part, 0, c.part_id.len());
        self.range("offscreen_masks_begin", &c.offscreen_masks_begin, &c.offscreen_masks, 1, c.mask_mesh.len());
    }
}

/// The first index that is its own ancestor.
fn cycle(parents: &[i32]) -> Option<usize> {
    // 0: not seen, 1: on the way that is being walked, 2: known to end.
    let mut state = vec![0u8; parents.len()];
    for start in 0..parents.len() {
        let (mut way, mut here) = (Vec::new(), Some(start));
        while let Some(index) = here.filter(|index| state.get(*index) == Some(&0)) {
            state[index] = 1;
            way.push(index);
            here = usize::try_from(parents[index]).ok();
        }
        if let Some(index) = here.filter(|index| state.get(*index) == Some(&1)) {
            return Some(index);
        }
        way.into_iter().for_each(|index| state[index] = 2);
    }
    None
}

/// The first draw group that lies in itself, or deeper than [`DEEPEST`].
fn draw_cycle(c: &Columns) -> Option<usize> {
    let inner = |group: usize| -> Vec<usize> {
        let begin = usize::try_from(c.draw_group_begin[group]).unwrap_or(usize::MAX);
        let items = window(&c.draw_item_type, c.draw_group_begin[group], c.draw_group_items.get(group).copied().unwrap_or(0));
        let groups = items.iter().enumerate().filter(|(_, kind)| **kind == 1);
        groups.filter_map(|(item, _)| usize::try_from(*c.draw_item_group.get(begin + item)?).ok()).collect()
    };
    let mut state = vec![0u8; c.draw_group_begin.len()];
    for start in 0..state.len() {
        if state[start] != 0 {
            continue;
        }
        state[start] = 1;
        let mut stack = vec![(start, inner(start))];
        while let Some((group, rest)) = stack.last_mut() {
            let Some(next) = rest.pop() else {
                state[*group] = 2;
                stack.pop();
                continue;
            };
            match state.get(next) {
                Some(0) if stack.len() < DEEPEST => {
                    state[next] = 1;
                    stack.push((next, inner(next)));
                }
                Some(0 | 1) => return Some(next),
                _ => {}
            }
        }
    }
    None
}
