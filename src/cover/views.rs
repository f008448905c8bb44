//! Which triangles are seen, from many sides in many poses, and which of the candidates open no hole when they are not drawn.
//!
//! Two grids of pixels are drawn for each view: what stays, and what may be hidden. A candidate in front of what stays is seen, unless a
//! part over its own lies right behind it: then it pokes through that part and may go.

use super::Scene;
use super::layers::{ALIGNED, Layers};
use super::poses::even;
use crate::geometry::raster::{Layer, Projected, TILE, View};
use crate::geometry::{Triangle, cross};
use crate::parallel;
use crate::report::Report;
use glam::{DMat4, Vec3};
use std::f32::consts::TAU;

/// How far behind a triangle that pokes through the part over it may lie, as a fraction of the body's height.
pub const POKE: f32 = 0.0072;
/// Poses of one batch: each starts from what all before it have seen.
const BATCH: usize = 8;
/// From how far below and above an avatar is looked at, in radians.
const PITCH: (f32, f32) = (-0.5, 1.1);
/// How far beside a limb one looks along it, in radians.
const ASIDE: f32 = 0.3;
/// Distance of the camera in radii of what is seen, from near to far.
const NEAR: (f32, f32) = (1.9, 5.0);

/// How closely is looked.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Views of each pose.
    pub views: usize,
    /// Views of the first pose.
    pub first: usize,
    /// Pixels of a side.
    pub size: usize,
    /// Whether what stays is looked at too: `seen` is then whole, at twice the time.
    pub all: bool,
    /// Chooses one of many sets of views.
    pub seed: usize,
}

/// View number `n` of a sequence that goes around evenly; half of them are perspectives. Two of three go along a limb, since into a
/// sleeve or a boot one sees only along it: `limbs` are their directions.
fn view(n: usize, limbs: &[Vec3]) -> View {
    let between = |(least, most): (f32, f32), axis: usize| least + (most - least) * even(n, axis) as f32;
    let distance = (n % 4 < 2).then(|| between(NEAR, 2));
    let around = (TAU * even(n, 0) as f32, between(PITCH, 1));
    let limb = limbs.get((even(n, 3) * limbs.len() as f64) as usize).filter(|_| !n.is_multiple_of(3));
    let along = limb.map(|limb| {
        let (swing, turn) = (ASIDE * even(n, 1) as f32, TAU * even(n, 0) as f32);
        let pitch = limb.y.clamp(-1.0, 1.0).asin() + swing * turn.sin();
        (limb.x.atan2(limb.z) + swing * turn.cos() / pitch.cos().max(0.2), pitch)
    });
    let (yaw, pitch) = along.filter(|(_, pitch)| (PITCH.0..PITCH.1).contains(pitch)).unwrap_or(around);
    View::new(yaw, pitch, distance)
}

/// Looks at the outfit in every pose. Takes away from `candidates` what opens a hole, and adds to `seen` what is really seen.
pub fn look(
    scene: &Scene,
    layers: &Layers,
    local: &[Vec3],
    poses: &[Vec<DMat4>],
    effort: Effort,
    candidates: &mut [bool],
    seen: &mut [bool],
) {
    let numbered: Vec<(usize, &Vec<DMat4>)> = poses.iter().enumerate().collect();
    for batch in numbered.chunks(BATCH) {
        let before: &[bool] = candidates;
        let job = |&(number, pose): &(usize, &Vec<DMat4>), _: &mut Report| {
            let positions = scene.figure.posed(local, pose);
            let limbs = scene.poser.limbs(pose);
            let mut eye = Eye::new(scene, layers, &positions, before.to_vec(), effort);
            let views = if number == 0 { effort.first } else { effort.views };
            let first = effort.seed + number * effort.views;
            (first..first + views).for_each(|n| eye.open(&view(n, &limbs)));
            eye.seen
        };
        let (all, bugs) = parallel::map(batch, |_| scene.file.to_owned(), job);
        assert!(bugs.findings.is_empty(), "{}", bugs.findings[0].message);
        for one in all.into_iter().flatten() {
            for (triangle, _) in one.iter().enumerate().filter(|(_, is)| **is) {
                (candidates[triangle], seen[triangle]) = (false, true);
            }
        }
    }
}

/// Looks at one pose from one side after another.
struct Eye<'a> {
    scene: &'a Scene<'a>,
    layers: &'a Layers,
    positions: &'a [Vec3],
    candidates: Vec<bool>,
    seen: Vec<bool>,
    stays: Layer,
    goes: Layer,
    /// Whether what stays is looked at too, or only what may be hidden.
    all: bool,
}

/// Where candidates are, and how far away.
struct Near {
    tiles: Vec<f32>,
    across: usize,
    /// Pixels of a side.
    side: usize,
}

impl Near {
    /// `gap` is how far behind a candidate something still counts.
    fn new(on: &Projected, goes: &Layer, gap: f32) -> Self {
        let mut tiles = goes.furthest(on);
        tiles.iter_mut().filter(|depth| **depth >= 0.0).for_each(|depth| *depth = on.beyond(*depth, gap));
        Self { tiles, across: on.size().div_ceil(TILE), side: on.size() }
    }

    /// The pixels of the squares with candidates.
    fn pixels(&self) -> impl Iterator<Item = usize> {
        let squares = self.tiles.iter().enumerate().filter(|(_, depth)| **depth >= 0.0);
        squares.flat_map(move |(square, _)| {
            let (row, column) = (square / self.across * TILE, square % self.across * TILE);
            let columns = column..(column + TILE).min(self.side);
            (row..(row + TILE).min(self.side)).flat_map(move |row| row * self.side + columns.start..row * self.side + columns.end)
        })
    }

    /// True when a triangle is in front of a candidate or right behind it.
    fn matters(&self, on: &Projected, triangle: Triangle) -> bool {
        let Some(([x0, x1, y0, y1], depth)) = on.extent(triangle) else { return false };
        (y0 / TILE..=y1 / TILE).any(|row| (x0 / TILE..=x1 / TILE).any(|column| depth <= self.tiles[row * self.across + column]))
    }
}

impl<'a> Eye<'a> {
    fn new(scene: &'a Scene<'a>, layers: &'a Layers, positions: &'a [Vec3], candidates: Vec<bool>, effort: Effort) -> Self {
        let seen = vec![false; candidates.len()];
        let layer = Layer::new(effort.size);
        Self { scene, layers, positions, candidates, seen, stays: layer.clone(), goes: layer, all: effort.all }
    }

    fn open(&mut self, view: &View) {
        let scene = self.scene;
        let Some(on) = view.project(self.positions, self.stays.side()) else { return };
        self.stays.clear(&on);
        self.goes.clear(&on);
        let (solid, through): (Vec<u32>, Vec<u32>) =
            (0..scene.figure.triangles.len() as u32).partition(|&number| scene.solid(number as usize));
        let (goes, stays): (Vec<u32>, Vec<u32>) = solid.into_iter().partition(|&number| self.candidates[number as usize]);
        let triangle = |number: u32| scene.figure.triangles[number as usize];
        for number in goes {
            self.goes.draw(&on, triangle(number), number, scene.both_sides(number as usize));
        }
        // A candidate that shows through is not among the squares.
        let all = self.all || through.iter().any(|&number| self.candidates[number as usize]);
        let near = Near::new(&on, &self.goes, POKE * scene.height);
        for number in stays.into_iter().filter(|&number| all || near.matters(&on, triangle(number))) {
            self.stays.draw(&on, triangle(number), number, scene.both_sides(number as usize));
        }
        let mut seen = std::mem::take(&mut self.seen);
        let compare = |pixel: usize| {
            let shown = match (self.goes.at(pixel), self.stays.at(pixel)) {
                (None, None) => return,
                (Some(near), Some(far)) if near.0 <= far.0 && !self.pokes(&on, near, far) => near.1,
                (Some(near), None) => near.1,
                (_, Some(far)) => far.1,
            };
            seen[shown as usize] = true;
        };
        if all {
            on.pixels().for_each(compare)
        } else {
            near.pixels().for_each(compare)
        }
        // What shows through hides nothing, but is seen wherever nothing solid is in front of it.
        for number in through.into_iter().filter(|&number| self.all || self.candidates[number as usize]) {
            let at = number as usize;
            if seen[at] {
                continue;
            }
            let mut shown = false;
            on.draw(scene.figure.triangles[at], scene.both_sides(at), |pixel, depth| {
                shown |= match self.stays.at(pixel) {
                    None => true,
                    Some((far, stays)) => depth <= far && !(self.candidates[at] && self.pokes(&on, (depth, number), (far, stays))),
                }
            });
            seen[at] = shown;
        }
        self.seen = seen;
        self.candidates.iter_mut().zip(&self.seen).for_each(|(candidate, &seen)| *candidate &= !seen);
    }

    /// True when a candidate in front of a triangle that stays pokes through that one's part.
    fn pokes(&self, on: &Projected, (near, goes): (f32, u32), (far, stays): (f32, u32)) -> bool {
        let (goes, stays) = (goes as usize, stays as usize);
        let normal = |triangle: usize| cross(self.positions, self.scene.figure.triangles[triangle]).normalize_or_zero();
        self.layers.is_under(self.scene.part(goes), self.scene.part(stays))
            && on.distance(far) - on.distance(near) <= POKE * self.scene.height
            && normal(goes).dot(normal(stays)) > ALIGNED
    }
}
