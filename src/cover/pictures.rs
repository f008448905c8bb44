//! Pictures of what an outfit hides: what is under the garments in colours, the garments themselves only as a veil.

use super::poses::Poser;
use super::surface::Surface;
use super::{Body, Cover, Outfit, bound, dressing};
use crate::codec::image::Picture;
use crate::geometry::cross;
use crate::geometry::raster::{Layer, View};
use crate::gltf::figure::Figure;
use crate::gltf::{Document, transforms};
use glam::Vec3;

/// Pixels of a side.
const SIDE: usize = 768;
/// Colours: red, green and blue from 0 to 255.
const KEPT: Vec3 = Vec3::new(233.0, 205.0, 184.0);
const BORDER: Vec3 = Vec3::new(240.0, 140.0, 40.0);
const HIDDEN: Vec3 = Vec3::new(60.0, 110.0, 220.0);
const PROTECTED: Vec3 = Vec3::new(110.0, 180.0, 100.0);
const GARMENT: Vec3 = Vec3::new(150.0, 150.0, 158.0);
const GROUND: Vec3 = Vec3::new(250.0, 250.0, 252.0);
/// How much of a garment is seen over what is under it.
const VEIL: f32 = 0.18;

/// Front and back of each outfit: a file name and a picture. Parts of which something is hidden are skin (kept), orange (the border: kept
/// beside what is hidden), blue (hidden) and green (protected); all others are a grey veil.
pub fn draw(document: &Document, outfits: &[Outfit], body: &Body, covers: &[Cover]) -> Vec<(String, Picture)> {
    let (Some(whole), Some((least, most))) = (Figure::of(document), transforms::rest_box(document)) else { return Vec::new() };
    let bound = bound::bound(document, &whole, &body.bones, &body.expressions, (most.y - least.y) as f32);
    let poser = Poser::new(document, &body.bones, &body.springs, |_| true);
    let world = transforms::world(document);
    let mut pictures = Vec::new();
    for (dressed, cover) in dressing::dress(document, &whole, outfits).iter().zip(covers) {
        let figure = whole.only(&dressed.drawn);
        let drawn = whole.parts.iter().zip(&dressed.drawn).filter(|(_, drawn)| **drawn).map(|(part, _)| part.triangles.clone());
        let positions = figure.posed(&figure.morphed(document, &dressed.weights), &world);
        let colors = colors(&figure, &positions, &bound.only(drawn).protected, cover);
        let front = poser.front();
        let yaw = front.x.atan2(front.z);
        let name: String = cover.outfit.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
        for (side, yaw) in [("front", yaw), ("back", yaw + std::f32::consts::PI)] {
            pictures.push((format!("{name}-{side}.png"), picture(&figure, &positions, &colors, &View::new(yaw, 0.0, None))));
        }
    }
    pictures
}

/// The colour of each triangle; `None` for what is only a veil.
fn colors(figure: &Figure, rest: &[Vec3], protected: &[bool], cover: &Cover) -> Vec<Option<Vec3>> {
    let mut hidden = vec![false; figure.triangles.len()];
    let mut colors = vec![None; figure.triangles.len()];
    for part in &figure.parts {
        let mask = cover.masks.iter().find(|mask| (mask.node, mask.mesh, mask.primitive) == (part.node, part.mesh, part.primitive));
        if let Some(mask) = mask {
            hidden[part.triangles.clone()].copy_from_slice(&mask.hidden);
            colors[part.triangles.clone()].fill(Some(KEPT));
        }
    }
    let border = Surface::new(figure, rest).beside(&hidden);
    for (triangle, color) in colors.iter_mut().enumerate().filter(|(_, color)| color.is_some()) {
        *color = Some(match () {
            () if hidden[triangle] => HIDDEN,
            () if protected[triangle] => PROTECTED,
            () if border[triangle] => BORDER,
            () => KEPT,
        });
    }
    colors
}

fn picture(figure: &Figure, positions: &[Vec3], colors: &[Option<Vec3>], view: &View) -> Picture {
    let (mut under, mut veil) = (Layer::new(SIDE), Layer::new(SIDE));
    let mut pixels = vec![GROUND; SIDE * SIDE];
    if let Some(on) = view.project(positions, SIDE) {
        for (number, &triangle) in figure.triangles.iter().enumerate() {
            let layer = if colors[number].is_some() { &mut under } else { &mut veil };
            layer.draw(&on, triangle, number as u32, true);
        }
        let lit = |number: u32, color: Vec3| {
            let normal = cross(positions, figure.triangles[number as usize]).normalize_or_zero();
            color * (0.45 + 0.55 * normal.dot(view.back()).abs())
        };
        for at in on.pixels() {
            let (below, above) = (under.at(at), veil.at(at));
            let color = below.and_then(|(_, number)| Some(lit(number, colors[number as usize]?)));
            let in_front = above.filter(|(near, _)| below.is_none_or(|(far, _)| *near <= far));
            pixels[at] = match (color, in_front) {
                (color, Some((_, number))) => color.unwrap_or(GROUND).lerp(lit(number, GARMENT), if color.is_some() { VEIL } else { 0.5 }),
                (Some(color), None) => color,
                (None, None) => GROUND,
            };
        }
    }
    let pixels = pixels.iter().flat_map(|color| color.to_array().map(|v| v.round().clamp(0.0, 255.0) as u8)).collect();
    Picture { width: SIDE as u32, height: SIDE as u32, channels: 3, pixels }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::Mask;
    use crate::gltf::Blob;
    use serde_json::json;

    #[test]
    fn hidden_triangles_are_blue_and_the_rest_of_their_part_is_not() {
        // Two triangles that make a square, and a smaller one before it as a part of its own.
        let json = json!({"nodes": [{"mesh": 0}, {"mesh": 1}], "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0}}]}, {"primitives": [{"attributes": {"POSITION": 1}}]}]});
        let mut document = Document::from(json.as_object().unwrap().clone());
        let square = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        for floats in [&square[..], &[0.6, 0.1, 0.1, 0.9, 0.1, 0.1, 0.9, 0.4, 0.1]] {
            let bytes: Vec<u8> = floats.iter().flat_map(|f: &f32| f.to_le_bytes()).collect();
            let view = document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
            document.add("accessors", json!({"bufferView": view, "componentType": 5126, "type": "VEC3", "count": floats.len() / 3}));
        }
        let mask = Mask { node: 0, mesh: 0, primitive: 0, hidden: vec![true, false] };
        let cover = Cover { outfit: "a/b".into(), triangles: 3, masks: vec![mask] };
        let drawn = draw(&document, &[], &Body::default(), &[cover]);
        let names: Vec<&str> = drawn.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a_b-front.png", "a_b-back.png"]);
        let at = |x: f32, y: f32| {
            let (column, row) = ((x * SIDE as f32) as usize, ((1.0 - y) * SIDE as f32) as usize);
            let pixel = &drawn[0].1.pixels[3 * (row * SIDE + column)..][..3];
            Vec3::new(pixel[0].into(), pixel[1].into(), pixel[2].into())
        };
        assert_eq!((at(0.75, 0.6), at(0.25, 0.6)), (HIDDEN, BORDER));
        assert_eq!(at(0.85, 0.2), HIDDEN.lerp(GARMENT, VEIL).round());
    }
}
