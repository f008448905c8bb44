//! What is seen from somewhere: triangles drawn into a grid of pixels, the nearest one kept at each.
//!
//! Corners are placed on a sixteenth of a pixel and edges belong to both neighbours, so a closed surface has no gaps. 20,000 triangles
//! at 512 pixels take about a millisecond.

use glam::{Mat3, Vec3};
use std::ops::Range;

/// Steps of a corner's place in a pixel.
const STEPS: i32 = 16;
/// The most pixels of a side: areas of triangles then fit into 32 bits.
pub const MOST_PIXELS: usize = 1024;

/// Pixels of a side of the squares by which whole triangles are left out.
pub const TILE: usize = 16;

/// A corner on the screen: its place in sixteenths of a pixel, and its depth, which grows linearly over the screen with the distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    x: i32,
    y: i32,
    depth: f32,
}

/// From where, and how.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Turns the world so that x is to the right, y up and z towards the camera.
    turn: Mat3,
    /// Distance of the camera from the middle of what it sees, in radii of it; `None` is a camera without perspective.
    perspective: Option<f32>,
}

impl View {
    /// From a direction: `yaw` around the vertical from the front (+z) to the left of the screen's person (+x), `pitch` up, in radians.
    /// A distance (over 1, in radii of what is seen) makes it a perspective.
    pub fn new(yaw: f32, pitch: f32, perspective: Option<f32>) -> Self {
        let ((sy, cy), (sp, cp)) = (yaw.sin_cos(), pitch.sin_cos());
        let (right, back) = (Vec3::new(cy, 0.0, -sy), Vec3::new(sy * cp, sp, cy * cp));
        Self { turn: Mat3::from_cols(right, back.cross(right), back).transpose(), perspective }
    }

    /// The direction towards the camera, of length 1.
    pub fn back(&self) -> Vec3 {
        self.turn.row(2)
    }

    /// Places all positions on a screen of `size` pixels a side, so that they just fill it. `None` when none is finite.
    pub fn project(&self, positions: &[Vec3], size: usize) -> Option<Projected> {
        let (least, most) = super::bounds(positions)?;
        let center = (least + most) / 2.0;
        let radius = ((most - least).length() / 2.0).max(1e-6);
        let turned = |position: &Vec3| self.turn * (position - center);
        // The distance of the eye along z, for a perspective.
        let eye = self.perspective.map(|distance| distance.max(1.05) * radius);
        let flat = |p: Vec3| eye.map_or(p, |eye| Vec3::new(p.x, p.y, 0.0) * (eye / (eye - p.z)) + Vec3::new(0.0, 0.0, p.z));
        let places: Vec<Vec3> = positions.iter().map(|position| flat(turned(position))).collect();
        let (low, high) = super::bounds(&places)?;
        let extent = (high - low).truncate().max_element().max(1e-6);
        // Half a pixel stays free on each side.
        let scale = (size.min(MOST_PIXELS) as f32 - 1.0) * STEPS as f32 / extent;
        let middle = (low + high) / 2.0;
        let half = (size.min(MOST_PIXELS) as i32 * STEPS) as f32 / 2.0;
        let depth = |z: f32| match eye {
            None => radius - z,
            Some(eye) => 1.0 / (eye - radius * 1.01) - 1.0 / (eye - z),
        };
        let place = |p: &Vec3| match p.is_finite() {
            // Nothing lies left of or above the screen, so that cutting off rounds.
            true => Place {
                x: ((p.x - middle.x) * scale + half + 0.5) as i32,
                y: ((middle.y - p.y) * scale + half + 0.5) as i32,
                depth: depth(p.z).max(0.0),
            },
            false => Place { x: i32::MIN, y: i32::MIN, depth: 0.0 },
        };
        let size = size.min(MOST_PIXELS);
        let filled = |length: f32| {
            let free = ((half - length * scale / 2.0) / STEPS as f32).max(0.0) as usize;
            // In whole tiles, so that a tile holds nothing of an earlier view.
            free / TILE * TILE..(size - free).next_multiple_of(TILE).min(size)
        };
        let (columns, rows) = (filled(high.x - low.x), filled(high.y - low.y));
        Some(Projected { places: places.iter().map(place).collect(), size, columns, rows, eye, radius })
    }
}

/// Positions on a screen.
#[derive(Debug, Clone)]
pub struct Projected {
    places: Vec<Place>,
    size: usize,
    columns: Range<usize>,
    rows: Range<usize>,
    eye: Option<f32>,
    radius: f32,
}

impl Projected {
    /// Pixels of a side.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The pixels on which something can be, row by row.
    pub fn pixels(&self) -> impl Iterator<Item = usize> {
        let (size, columns) = (self.size, self.columns.clone());
        self.rows.clone().flat_map(move |row| row * size + columns.start..row * size + columns.end)
    }

    /// The distance along the view that a depth stands for; only differences mean anything.
    pub fn distance(&self, depth: f32) -> f32 {
        match self.eye {
            None => depth,
            Some(eye) => 1.0 / (1.0 / (eye - self.radius * 1.01) - depth).max(1e-9),
        }
    }

    /// A depth that is at least this much further away.
    pub fn beyond(&self, depth: f32, distance: f32) -> f32 {
        match self.eye {
            None => depth + distance,
            // Depth runs slower the further away: no slower than at the near end.
            Some(eye) => depth + distance / (eye - self.radius * 1.01).powi(2),
        }
    }

    /// The box of a triangle on the screen, in pixels, ends included, and the depth of its nearest corner; `None` when it is not on it.
    #[inline]
    pub fn extent(&self, triangle: super::Triangle) -> Option<([usize; 4], f32)> {
        let [a, b, c] = triangle.map(|vertex| self.places[vertex as usize]);
        let (x0, x1) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
        let (y0, y1) = (a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y));
        let most = self.size as i32 * STEPS - 1;
        let pixel = |v: i32| (v.min(most) / STEPS) as usize;
        (x0 >= 0 && y0 >= 0).then(|| ([pixel(x0), pixel(x1), pixel(y0), pixel(y1)], a.depth.min(b.depth).min(c.depth)))
    }

    /// Calls `pixel` with the index (row by row from the top) and depth of every pixel whose middle the triangle covers. A triangle
    /// that shows its back is drawn only when `both_sides`.
    #[inline]
    pub fn draw(&self, triangle: super::Triangle, both_sides: bool, mut pixel: impl FnMut(usize, f32)) {
        let [mut a, b, mut c] = triangle.map(|vertex| self.places[vertex as usize]);
        let most = self.size as i32 * STEPS;
        let outside = |p: &Place| p.x < 0 || p.y < 0 || p.x > most || p.y > most;
        if outside(&a) || outside(&b) || outside(&c) {
            return;
        }
        // y runs down the screen, so that a front has a negative area.
        let mut area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if area == 0 || (area > 0 && !both_sides) {
            return;
        }
        if area < 0 {
            std::mem::swap(&mut a, &mut c);
            area = -area;
        }
        let first = |least: i32| (least - STEPS / 2 + STEPS - 1).max(0) / STEPS;
        let last = |most: i32| ((most - STEPS / 2) / STEPS).min(self.size as i32 - 1);
        let (x0, x1) = (first(a.x.min(b.x).min(c.x)), last(a.x.max(b.x).max(c.x)));
        let (y0, y1) = (first(a.y.min(b.y).min(c.y)), last(a.y.max(b.y).max(c.y)));
        if x0 > x1 || y0 > y1 {
            return;
        }
        let edge = |p: Place, q: Place| {
            let (dx, dy) = (q.x - p.x, q.y - p.y);
            let (x, y) = (x0 * STEPS + STEPS / 2, y0 * STEPS + STEPS / 2);
            (dx * (y - p.y) - dy * (x - p.x), -dy * STEPS, dx * STEPS)
        };
        let ((mut row_a, ax, ay), (mut row_b, bx, by), (mut row_c, cx, cy)) = (edge(b, c), edge(c, a), edge(a, b));
        let share = 1.0 / area as f32;
        let (to_b, to_c) = ((b.depth - a.depth) * share, (c.depth - a.depth) * share);
        for y in y0..=y1 {
            let (mut wa, mut wb, mut wc) = (row_a, row_b, row_c);
            let row = y as usize * self.size;
            let mut inside = false;
            for x in x0..=x1 {
                if wa | wb | wc >= 0 {
                    inside = true;
                    pixel(row + x as usize, a.depth + wb as f32 * to_b + wc as f32 * to_c);
                } else if inside {
                    break;
                }
                (wa, wb, wc) = (wa + ax, wb + bx, wc + cx);
            }
            (row_a, row_b, row_c) = (row_a + ay, row_b + by, row_c + cy);
        }
    }
}

/// The nearest triangle at each pixel.
#[derive(Debug, Clone)]
pub struct Layer {
    side: usize,
    /// Depth in the upper half (the bits of a float that is not negative sort as it does), number of the triangle in the lower.
    pixels: Vec<u64>,
}

impl Layer {
    /// For `size` x `size` pixels, empty.
    pub fn new(size: usize) -> Self {
        Self { side: size, pixels: vec![u64::MAX; size * size] }
    }

    /// Pixels of a side.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Takes everything away from the pixels on which something can be; others are not touched by a draw.
    pub fn clear(&mut self, on: &Projected) {
        for row in on.rows.clone() {
            self.pixels[row * self.side..][on.columns.clone()].fill(u64::MAX);
        }
    }

    /// Draws a triangle under its number.
    #[inline]
    pub fn draw(&mut self, on: &Projected, triangle: super::Triangle, number: u32, both_sides: bool) {
        let pixels = &mut self.pixels;
        on.draw(triangle, both_sides, |at, depth| {
            let new = u64::from(depth.max(0.0).to_bits()) << 32 | u64::from(number);
            if new < pixels[at] {
                pixels[at] = new;
            }
        });
    }

    /// The furthest depth in each square of [`TILE`] pixels a side, row by row; negative where nothing is.
    pub fn furthest(&self, on: &Projected) -> Vec<f32> {
        let across = self.side.div_ceil(TILE);
        let mut furthest = vec![-1.0f32; across * across];
        for row in on.rows.clone() {
            for column in on.columns.clone() {
                if let Some((depth, _)) = self.at(row * self.side + column) {
                    let tile = &mut furthest[row / TILE * across + column / TILE];
                    *tile = tile.max(depth);
                }
            }
        }
        furthest
    }

    /// Depth and number at a pixel; `None` where nothing is.
    #[inline]
    pub fn at(&self, pixel: usize) -> Option<(f32, u32)> {
        let both = self.pixels[pixel];
        (both != u64::MAX).then(|| (f32::from_bits((both >> 32) as u32), both as u32))
    }

    /// How many pixels there are.
    pub fn len(&self) -> usize {
        self.pixels.len()
    }

    /// True for a layer without pixels.
    pub fn is_empty(&self) -> bool {
        self.pixels.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;

    /// A square of side 2 around the origin that looks to +z, and another of side 1 at z = 1.
    fn squares() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let square = |half: f32, z: f32| [(-half, -half), (half, -half), (half, half), (-half, half)].map(|(x, y)| Vec3::new(x, y, z));
        let positions = [square(1.0, 0.0), square(0.5, 1.0)].concat();
        (positions, vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])
    }

    fn drawn(view: View, size: usize, both_sides: bool) -> (Layer, Projected) {
        let (positions, triangles) = squares();
        let on = view.project(&positions, size).expect("finite");
        let mut layer = Layer::new(size);
        for (number, &triangle) in triangles.iter().enumerate() {
            layer.draw(&on, triangle, number as u32, both_sides);
        }
        (layer, on)
    }

    #[test]
    fn the_nearer_one_is_kept_and_no_pixel_is_missing() {
        let (layer, on) = drawn(View::new(0.0, 0.0, None), 101, false);
        let count = |wanted: fn(u32) -> bool| (0..layer.len()).filter(|&at| layer.at(at).is_some_and(|(_, n)| wanted(n))).count();
        // Side 100 of 101 pixels, the smaller one half of it; a middle on an edge counts.
        assert!((101 * 101 - 4 * 101..=101 * 101).contains(&count(|_| true)), "{}", count(|_| true));
        assert!((49 * 49..=51 * 51).contains(&count(|n| n > 1)), "{}", count(|n| n > 1));
        let (middle, corner) = (layer.at(50 * 101 + 50).expect("drawn").0, layer.at(5 * 101 + 5).expect("drawn").0);
        assert!((on.distance(corner) - on.distance(middle) - 1.0).abs() < 1e-4);
        // The top left pixel of the smaller square shows its left upper triangle.
        assert_eq!(layer.at(30 * 101 + 27).expect("drawn").1, 3);
    }

    #[test]
    fn backs_are_drawn_on_request_only() {
        let behind = View::new(2.0 * FRAC_PI_2, 0.0, None);
        assert!((0..101 * 101).all(|at| drawn(behind, 101, false).0.at(at).is_none()));
        assert!(drawn(behind, 101, true).0.at(50 * 101 + 50).is_some_and(|(_, number)| number < 2));
    }

    #[test]
    fn a_perspective_shows_what_is_near_larger_and_measures_true() {
        let (layer, on) = drawn(View::new(0.0, 0.0, Some(2.0)), 101, false);
        let near = (0..layer.len()).filter(|&at| layer.at(at).is_some_and(|(_, number)| number > 1)).count();
        // Eye at 3 from the middle (radius 1.5), which is at z = 0.5: distances 3.5 and 2.5, so 0.5 / 2.5 of 1 / 3.5 is 0.7 of the side.
        assert!((68 * 68..=72 * 72).contains(&near), "{near}");
        let (middle, corner) = (layer.at(50 * 101 + 50).expect("drawn").0, layer.at(5 * 101 + 5).expect("drawn").0);
        assert!((on.distance(middle) - 2.5).abs() < 1e-3 && (on.distance(corner) - 3.5).abs() < 1e-3);
    }

    #[test]
    fn what_is_not_finite_is_not_drawn() {
        let view = View::new(0.3, 0.2, None);
        assert!(view.project(&[Vec3::NAN], 64).is_none());
        let on = view.project(&[Vec3::ZERO, Vec3::X, Vec3::NAN], 64).expect("some are finite");
        on.draw([0, 1, 2], true, |_, _| panic!("drawn"));
    }
}
