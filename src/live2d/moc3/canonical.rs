//! Whether a .moc3 is laid out exactly as the Cubism editor writes it.
//!
//! Every column starts at the next multiple of 64 after the one before it, an id at once after its runtime slots; gaps, runtime slots and tail are zero; begins
//! are the sums of the counts before them. So all offsets follow from the counts, which shows damage that no other check can see. Eleven of eleven real
//! models are so (but for the masks of version 6); another writer's file may differ and be good, so it is advice.

use super::layout::{ALIGNMENT, CANVAS, Columns, HEADER, Table, form};
use super::{check, window};

/// How many deviations are told.
const TOLD: usize = 8;

/// Where the file differs, in words.
pub(super) fn deviations(table: &Table, columns: &Columns) -> Vec<String> {
    let mut found = Vec::new();
    offsets(table, &mut found);
    zeros(table, columns, &mut found);
    begins(columns, table.version, &mut found);
    tails(columns, &mut found);
    found.truncate(TOLD);
    found
}

fn is_zero(bytes: &[u8], start: usize, end: usize) -> bool {
    bytes.get(start..end).is_none_or(|gap| gap.iter().all(|byte| *byte == 0))
}

/// The places of the table, the canvas and the columns, and the zeros between them.
fn offsets(table: &Table, found: &mut Vec<String>) {
    let (bytes, form) = (table.bytes, form(table.version));
    if !is_zero(bytes, 6, HEADER) {
        found.push("the header has bytes that should be zero".into());
    }
    if table.offsets[0] != form.counts_at {
        found.push(format!("counts at byte {} instead of {}", table.offsets[0], form.counts_at));
    }
    if !is_zero(bytes, HEADER + 4 * form.slots, table.offsets[0]) {
        found.push("the bytes before the counts are not zero".into());
    }
    let canvas = table.offsets[0] + form.counts_size;
    if table.offsets[1] != canvas {
        found.push(format!("canvas at byte {} instead of {canvas}", table.offsets[1]));
    }
    // Five numbers and a byte of flags, of which one is known: y upwards.
    if bytes.get(table.offsets[1] + 20).is_some_and(|flags| *flags > 1) {
        found.push("the canvas has flags that do not exist".into());
    }
    if !is_zero(bytes, table.offsets[1] + 21, table.offsets[1] + CANVAS) {
        found.push("the bytes after the canvas are not zero".into());
    }
    let mut end = table.offsets[1] + CANVAS;
    for place in &table.places {
        let wanted = if place.is_id { end } else { end.next_multiple_of(ALIGNMENT) };
        if place.start != wanted {
            return found.push(format!("{} at byte {} instead of {wanted}", place.name, place.start));
        }
        if !is_zero(bytes, end, wanted) {
            found.push(format!("the bytes before {} are not zero", place.name));
        }
        if place.is_reserved && !is_zero(bytes, place.start, place.end) {
            found.push(format!("{} is not zero", place.name));
        }
        end = place.end;
    }
    let wanted = end.next_multiple_of(ALIGNMENT);
    if bytes.len() != wanted {
        found.push(format!("the file has {} bytes instead of {wanted}", bytes.len()));
    }
    if !is_zero(bytes, end, bytes.len()) {
        found.push("the bytes after the last section are not zero".into());
    }
}

/// What stands behind the end of an id, and defaults outside their range.
fn zeros(table: &Table, columns: &Columns, found: &mut Vec<String>) {
    for place in table.places.iter().filter(|place| place.is_id) {
        let ids = table.bytes[place.start..place.end].chunks_exact(64).enumerate();
        for (index, id) in ids {
            if id.iter().skip_while(|byte| **byte != 0).any(|byte| *byte != 0) {
                found.push(format!("{}[{index}] has bytes after its end", place.name));
                break;
            }
        }
    }
    let c = columns;
    let ranges = c.parameter_minimum.iter().zip(&c.parameter_maximum).zip(&c.parameter_default);
    if let Some(index) = ranges.clone().position(|((least, most), own)| !(least - 1e-3..=most + 1e-3).contains(own)) {
        found.push(format!("parameter_default[{index}] lies outside its range"));
    }
    // Points and glue come in pairs, corners in threes.
    let wholes =
        [("position", c.position.len(), 2), ("uv", c.uv.len(), 2), ("corner", c.corner.len(), 3), ("glue_vertex", c.glue_vertex.len(), 2)];
    for (name, count, group) in wholes.into_iter().filter(|(_, count, group)| count % group != 0) {
        found.push(format!("{name} has {count} values, no multiple of {group}"));
    }
    // Additive, multiplicative, double-sided, inverted mask.
    if let Some(index) = c.mesh_flags.iter().position(|flags| table.version < 6 && *flags > 0xf) {
        found.push(format!("mesh_flags[{index}] has flags that do not exist"));
    }
}

/// Begins that are not the sum of the counts before them, and more keyforms than combinations of keys.
fn begins(c: &Columns, version: u8, found: &mut Vec<String>) {
    let pairs: [(&str, &[i32], &[i32], i64); 13] = [
        ("mesh_uvs_begin", &c.mesh_uvs_begin, &c.mesh_vertices, 2),
        ("mesh_corners_begin", &c.mesh_corners_begin, &c.mesh_corners, 1),
        ("mesh_masks_begin", if version < 6 { &c.mesh_masks_begin } else { &[] }, &c.mesh_masks, 1),
        ("binding_begin", &c.binding_begin, &c.binding_bands, 1),
        ("band_begin", &c.band_begin, &c.band_keys, 1),
        ("parameter_bands_begin", &c.parameter_bands_begin, &c.parameter_bands, 1),
        ("part_keyforms_begin", &c.part_keyforms_begin, &c.part_keyforms, 1),
        ("warp_keyforms_begin", &c.warp_keyforms_begin, &c.warp_keyforms, 1),
        ("rotation_keyforms_begin", &c.rotation_keyforms_begin, &c.rotation_keyforms, 1),
        ("mesh_keyforms_begin", &c.mesh_keyforms_begin, &c.mesh_keyforms, 1),
        ("glue_keyforms_begin", &c.glue_keyforms_begin, &c.glue_keyforms, 1),
        ("glue_vertices_begin", &c.glue_vertices_begin, &c.glue_vertices, 1),
        ("draw_group_begin", &c.draw_group_begin, &c.draw_group_items, 1),
    ];
    for (name, begins, counts, factor) in pairs {
        let mut sum = 0;
        for (index, (begin, count)) in begins.iter().zip(counts).enumerate() {
            if *count > 0 && i64::from(*begin) != sum {
                found.push(format!("{name}[{index}] is {begin} instead of {sum}"));
                break;
            }
            sum += i64::from(*count) * factor;
        }
    }
    let combinations = check::combinations(c);
    for (name, bindings, keyforms) in check::keyed(c) {
        let differs = |(binding, count): (&i32, &i32)| window(&combinations, *binding, 1).first().is_some_and(|n| *n != i64::from(*count));
        if let Some(index) = bindings.iter().zip(keyforms).position(differs) {
            found.push(format!("{name}[{index}] has more keyforms than combinations of keys"));
        }
    }
}

/// Values at the end of a list that belong to nobody.
fn tails(c: &Columns, found: &mut Vec<String>) {
    let end = |begins: &[i32], counts: &[i32]| {
        let ends = begins.iter().zip(counts).filter(|(_, count)| **count > 0).map(|(begin, count)| i64::from(*begin) + i64::from(*count));
        ends.max().unwrap_or(0)
    };
    // The keyforms of blend shapes stand behind all others; whose they are is told by the bindings.
    let blend = |begins: &[i32], bindings: &[i32]| {
        let own = begins.iter().zip(bindings).flat_map(|(begin, count)| {
            let keyforms = window(&c.blend_binding_keyforms_begin, *begin, *count);
            keyforms.iter().zip(window(&c.blend_binding_keyforms, *begin, *count))
        });
        own.map(|(begin, count)| i64::from(*begin) + i64::from(*count)).max().unwrap_or(0)
    };
    let lists = [
        (
            "part_keyform",
            end(&c.part_keyforms_begin, &c.part_keyforms).max(blend(&c.blend_part_begin, &c.blend_part_bindings)),
            c.part_keyform_draw_order.len(),
        ),
        (
            "warp_keyform",
            end(&c.warp_keyforms_begin, &c.warp_keyforms).max(blend(&c.blend_warp_begin, &c.blend_warp_bindings)),
            c.warp_keyform_opacity.len(),
        ),
        (
            "rotation_keyform",
            end(&c.rotation_keyforms_begin, &c.rotation_keyforms).max(blend(&c.blend_rotation_begin, &c.blend_rotation_bindings)),
            c.rotation_keyform_opacity.len(),
        ),
        (
            "mesh_keyform",
            end(&c.mesh_keyforms_begin, &c.mesh_keyforms).max(blend(&c.blend_mesh_begin, &c.blend_mesh_bindings)),
            c.mesh_keyform_opacity.len(),
        ),
        (
            "glue_keyform",
            end(&c.glue_keyforms_begin, &c.glue_keyforms).max(blend(&c.blend_glue_begin, &c.blend_glue_bindings)),
            c.glue_intensity.len(),
        ),
        ("binding_band", end(&c.binding_begin, &c.binding_bands), c.binding_band.len()),
        ("corner", end(&c.mesh_corners_begin, &c.mesh_corners), c.corner.len()),
        ("glue_vertex", end(&c.glue_vertices_begin, &c.glue_vertices), c.glue_vertex.len()),
        ("draw_item", end(&c.draw_group_begin, &c.draw_group_items), c.draw_item_type.len()),
    ];
    for (name, end, count) in lists.into_iter().filter(|(_, end, count)| *end < *count as i64) {
        found.push(format!("{name} has {count} values, but the last {} belong to nobody", count as i64 - end));
    }
}
