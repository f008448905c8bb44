//! A picture of a walk: how high each foot is, and how far ahead of the hips, with its stance marked.

use super::walk::Walk;
use crate::codec::image::{self, Picture};

const WIDTH: usize = 960;
/// Of one of the two charts.
const HEIGHT: usize = 240;
const MARGIN: usize = 16;
const PAPER: [u8; 3] = [250, 250, 248];
const LINE: [u8; 3] = [200, 200, 196];
/// Left foot, right foot.
const FEET: [[u8; 3]; 2] = [[38, 100, 190], [200, 80, 40]];

/// Draws it as a PNG: above the height of both feet, below how far each is ahead of the hips; left blue, right orange; time runs to the
/// right. A bar at the foot of the upper chart marks when a foot stands.
///
/// # Errors
/// When the PNG cannot be written.
pub fn draw(walk: &Walk) -> Result<Vec<u8>, image::Error> {
    let mut picture = Picture { width: WIDTH as u32, height: (2 * HEIGHT) as u32, channels: 3, pixels: PAPER.repeat(WIDTH * 2 * HEIGHT) };
    for (chart, curves) in [&walk.seen.heights, &walk.seen.ahead].into_iter().enumerate() {
        let top = chart * HEIGHT;
        let all = || curves.iter().flatten().copied();
        let (least, most) = (all().fold(0.0, f64::min), all().fold(1e-6, f64::max));
        let row = |value: f64| {
            let part = ((value - least) / (most - least)).clamp(0.0, 1.0);
            top + HEIGHT - MARGIN - (part * (HEIGHT - 2 * MARGIN) as f64) as usize
        };
        (MARGIN..WIDTH - MARGIN).for_each(|column| dot(&mut picture, column, row(0.0), 1, LINE));
        for (side, curve) in curves.iter().enumerate() {
            let last = curve.len().saturating_sub(1).max(1) as f64;
            for column in MARGIN..WIDTH - MARGIN {
                let at = (column - MARGIN) as f64 / (WIDTH - 2 * MARGIN - 1) as f64 * last;
                let (frame, part) = (at as usize, at.fract());
                let Some(value) = curve.get(frame) else { continue };
                let next = curve.get(frame + 1).unwrap_or(value);
                dot(&mut picture, column, row(value + (next - value) * part), 2, FEET[side]);
                if chart == 0 && walk.seen.stance[side].get(frame) == Some(&true) {
                    dot(&mut picture, column, top + HEIGHT - 10 + 4 * side, 3, FEET[side]);
                }
            }
        }
    }
    image::encode_png(&picture)
}

fn dot(picture: &mut Picture, column: usize, row: usize, size: usize, color: [u8; 3]) {
    for y in row..(row + size).min(picture.height as usize) {
        let at = 3 * (y * WIDTH + column);
        if let Some(pixel) = picture.pixels.get_mut(at..at + 3) {
            pixel.copy_from_slice(&color);
        }
    }
}
