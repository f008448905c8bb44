//! A model drawn as it was understood: at rest, and with ParamAngleX at both ends.
//!
//! Drawables in their draw order, with textures, opacity, masks and the additive and multiplicative blend; without the colours, blend shapes and glue of the
//! runtime. A texture's first row is its top, as on the canvas.

use super::bundle::Bundle;
use super::moc3::{Moc, window};
use super::model::Role;
use super::pose::{self, Point, Shape};
use crate::codec::image::{self, Picture, Scaling};

/// Height of a pose, and the most that its width may be, in pixels.
const HEIGHT: f64 = 800.0;
const WIDEST: f64 = 1600.0;
/// Textures are scaled down to this, in pixels.
const TEXTURE: u32 = 1024;
/// The most pixels that are drawn over each other in one pose.
const MOST_PIXELS: u64 = 1_000_000_000;
/// What is behind her.
const BACKDROP: f32 = 0.85;

/// Flags of a drawable.
const ADDITIVE: u8 = 1;
const MULTIPLICATIVE: u8 = 2;
const INVERTED_MASK: u8 = 8;

/// Draws the poses from left to right; `None` without a sound .moc3, or when the model is too large to be posed.
pub fn draw(bundle: &Bundle) -> Option<Picture> {
    let moc = bundle.moc.as_ref()?;
    let textures: Vec<Option<Picture>> = (0..bundle.textures.len()).map(|number| texture(bundle, number)).collect();
    let (canvas_width, canvas_height) = (f64::from(moc.canvas.width), f64::from(moc.canvas.height));
    let scale = (HEIGHT / canvas_height).min(WIDEST / canvas_width);
    let size = [(canvas_width * scale).ceil().max(1.0) as usize, (canvas_height * scale).ceil().max(1.0) as usize];
    let angle = moc.parameter("ParamAngleX");
    let ends = angle.into_iter().flat_map(|angle| {
        [moc.columns.parameter_minimum[angle], moc.columns.parameter_maximum[angle]].map(|value| vec![(angle, f64::from(value))])
    });
    let mut sheets = Vec::new();
    for values in std::iter::once(Vec::new()).chain(ends) {
        let mut sheet = Sheet { moc, textures: &textures, size, scale, left: MOST_PIXELS, pixels: vec![[BACKDROP; 3]; size[0] * size[1]] };
        sheet.draw(&pose::shapes(moc, &values)?);
        sheets.push(sheet.pixels);
    }
    let mut pixels = Vec::with_capacity(3 * sheets.len() * size[0] * size[1]);
    for row in 0..size[1] {
        for sheet in &sheets {
            let row = &sheet[row * size[0]..(row + 1) * size[0]];
            pixels.extend(row.iter().flatten().map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8));
        }
    }
    Some(Picture { width: (sheets.len() * size[0]) as u32, height: size[1] as u32, channels: 3, pixels })
}

/// The texture of a number, small enough to look at; `None` when it cannot be read.
fn texture(bundle: &Bundle, number: usize) -> Option<Picture> {
    let (entry, _) = bundle.named.iter().find(|(_, (_, role))| *role == Role::Texture(number))?;
    let bytes = bundle.archive.unpack(bundle.archive.entries.get(*entry)?).ok()?;
    let picture = image::decode(&bytes).ok()?;
    let (width, height) = image::fitted(picture.width, picture.height, TEXTURE);
    if (width, height) == (picture.width, picture.height) {
        return Some(picture);
    }
    image::resize(picture, width, height, Scaling { premultiply: true, linear: false }).ok()
}

/// Colour and alpha of a texture at a point of the square from 0 to 1.
fn texel(texture: &Picture, [u, v]: Point) -> [f32; 4] {
    let at = |n: f64, size: u32| ((n.clamp(0.0, 1.0) * f64::from(size)) as u32).min(size.saturating_sub(1)) as usize;
    let index = (at(v, texture.height) * texture.width as usize + at(u, texture.width)) * usize::from(texture.channels);
    let channel = |n: usize| texture.pixels.get(index + n).copied().map_or(0.0, |byte| f32::from(byte) / 255.0);
    [channel(0), channel(1), channel(2), if texture.channels == 4 { channel(3) } else { 1.0 }]
}

/// One pose on its way.
struct Sheet<'a> {
    moc: &'a Moc,
    textures: &'a [Option<Picture>],
    size: [usize; 2],
    scale: f64,
    /// Pixels that may still be drawn.
    left: u64,
    pixels: Vec<[f32; 3]>,
}

impl Sheet<'_> {
    fn draw(&mut self, shapes: &[Shape]) {
        let c = &self.moc.columns;
        for mesh in order(self.moc, shapes) {
            if !c.mesh_visible[mesh] || shapes[mesh].opacity <= 0.0 {
                continue;
            }
            let masks = window(&c.mask_mesh, c.mesh_masks_begin[mesh], c.mesh_masks[mesh]);
            let masks: Vec<usize> = masks.iter().filter_map(|mask| usize::try_from(*mask).ok()).collect();
            // A whole sheet for each mask.
            let Some(left) = self.left.checked_sub(if masks.is_empty() { 0 } else { self.pixels.len() as u64 }) else { return };
            self.left = left;
            let cut = (!masks.is_empty()).then(|| {
                let mut cut = vec![0.0f32; self.pixels.len()];
                for mask in &masks {
                    self.triangles(*mask, shapes, |pixel, [.., alpha]| cut[pixel] = cut[pixel].max(alpha));
                }
                cut
            });
            let (flags, opacity) = (c.mesh_flags[mesh], shapes[mesh].opacity.min(1.0) as f32);
            let mut pixels = std::mem::take(&mut self.pixels);
            self.triangles(mesh, shapes, |index, [red, green, blue, alpha]| {
                let shown = cut.as_ref().map_or(1.0, |cut| if flags & INVERTED_MASK != 0 { 1.0 - cut[index] } else { cut[index] });
                let alpha = alpha * opacity * shown;
                for (below, color) in pixels[index].iter_mut().zip([red, green, blue]) {
                    *below = match flags {
                        _ if flags & ADDITIVE != 0 => *below + color * alpha,
                        _ if flags & MULTIPLICATIVE != 0 => *below * (1.0 - alpha + color * alpha),
                        _ => *below * (1.0 - alpha) + color * alpha,
                    };
                }
            });
            self.pixels = pixels;
        }
    }

    /// Calls `put` with each pixel of a drawable, and the colour that its texture has there.
    fn triangles(&mut self, mesh: usize, shapes: &[Shape], mut put: impl FnMut(usize, [f32; 4])) {
        let c = &self.moc.columns;
        let number = usize::try_from(c.mesh_texture[mesh]).unwrap_or(usize::MAX);
        let Some(Some(texture)) = self.textures.get(number) else { return };
        let uvs = window(&c.uv, c.mesh_uvs_begin[mesh], 2 * c.mesh_vertices[mesh]);
        let points = &shapes[mesh].points;
        for three in window(&c.corner, c.mesh_corners_begin[mesh], c.mesh_corners[mesh]).chunks_exact(3) {
            let corner = |n: usize| {
                let vertex = usize::from(three[n]);
                let uv = uvs.get(2 * vertex..2 * vertex + 2)?;
                Some((points.get(vertex)?.map(|n| n * self.scale), [f64::from(uv[0]), f64::from(uv[1])]))
            };
            let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) else { continue };
            let edge = |a: Point, b: Point, p: Point| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
            let area = edge(a.0, b.0, c.0);
            let span = |axis: usize| {
                let all = [a.0[axis], b.0[axis], c.0[axis]];
                let least = all.iter().copied().fold(f64::MAX, f64::min).floor().max(0.0) as usize;
                least..(all.iter().copied().fold(f64::MIN, f64::max).ceil().max(0.0) as usize).min(self.size[axis])
            };
            let (columns, rows) = (span(0), span(1));
            let Some(left) = self.left.checked_sub(columns.len() as u64 * rows.len() as u64) else { return };
            self.left = left;
            for (row, column) in rows.flat_map(|row| columns.clone().map(move |column| (row, column))) {
                let point = [column as f64 + 0.5, row as f64 + 0.5];
                let weights = [edge(b.0, c.0, point), edge(c.0, a.0, point), edge(a.0, b.0, point)].map(|part| part / area);
                // On an edge that two triangles share, the one whose weight there is zero from above has it.
                if area != 0.0 && weights.iter().all(|weight| *weight >= 0.0) {
                    let uv = [0, 1].map(|axis| weights[0] * a.1[axis] + weights[1] * b.1[axis] + weights[2] * c.1[axis]);
                    put(row * self.size[0] + column, texel(texture, uv));
                }
            }
        }
    }
}

/// The drawables from the hindmost to the foremost: sorted by draw order inside each group; a part with a group of its own stands in it as one.
fn order(moc: &Moc, shapes: &[Shape]) -> Vec<usize> {
    let c = &moc.columns;
    if c.draw_group_begin.is_empty() {
        return (0..shapes.len()).collect();
    }
    // The draw order of an item, the drawable or the group that it stands for; the foremost first, because they are taken from the end.
    let items = |group: usize| -> Vec<(f64, i32, usize)> {
        let (begin, count) = (c.draw_group_begin[group], c.draw_group_items[group]);
        let kinds = window(&c.draw_item_type, begin, count).iter().zip(window(&c.draw_item_index, begin, count));
        let mut items = Vec::new();
        for ((kind, index), inner) in kinds.zip(window(&c.draw_item_group, begin, count)) {
            let Ok(index) = usize::try_from(*index) else { continue };
            let of_part = || window(&c.part_keyform_draw_order, *c.part_keyforms_begin.get(index)?, 1).first().copied();
            items.push(match kind {
                0 => (shapes[index].draw_order, -1, index),
                _ => (of_part().map_or(0.0, f64::from), *inner, index),
            });
        }
        items.sort_by(|a, b| a.0.total_cmp(&b.0));
        items.reverse();
        items
    };
    let mut order = Vec::new();
    // Each group once, or a file made to hurt would never end.
    let mut entered = vec![false; c.draw_group_begin.len()];
    let mut stack = vec![items(0)];
    while let Some(group) = stack.last_mut() {
        match group.pop() {
            Some((_, -1, mesh)) => order.push(mesh),
            Some((_, inner, _)) => {
                let inner = usize::try_from(inner).ok().filter(|inner| !std::mem::replace(&mut entered[*inner], true));
                stack.extend(inner.map(items));
            }
            None => drop(stack.pop()),
        }
    }
    order
}
