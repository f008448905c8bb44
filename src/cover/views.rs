//! Which triangles are seen, from many sides in many poses, and which of the candidates open no hole when they are not drawn.
//!
//! Two grids of pixels are drawn for each view: what stays, and what may be hidden. A candidate in front of what stays is seen, unless a
//! part over its own lies right behind it: then it pokes through that part and may go.

use super::Scene;
use super::layers::{ALIGNED, Layers};
use super::poses::even;
use crate::geometry::cross;
use crate::geometry::raster::{Layer, Projected, View};
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
    /// Chooses one of many sets of views.
    pub seed: usize,
}

/// View number `n` of a sequence that goes around evenly; every other one is a perspective.
pub fn view(n: usize) -> View {
    let between = |(least, most): (f32, f32), axis: usize| least + (most - least) * even(n, axis) as f32;
    let distance = between(NEAR, 2);
    View::new(TAU * even(n, 0) as f32, between(PITCH, 1), (n % 2 == 1).then_some(distance))
}

/// Looks at the outfit in every pose. Takes away from `candidates` what opens a hole, and adds to `seen` what is really seen.
pub fn look(scene: &Scene, layers: &Layers, local: &[Vec3], poses: &[Vec<DMat4>], effort: Effort, candidates: &mut [bool], seen: &mut [bool]) {
    let numbered: Vec<(usize, &Vec<DMat4>)> = poses.iter().enumerate().collect();
    for batch in numbered.chunks(BATCH) {
        let before: &[bool] = candidates;
        let job = |&(number, pose): &(usize, &Vec<DMat4>), _: &mut Report| {
            let positions = scene.figure.posed(local, pose);
            let mut eye = Eye::new(scene, layers, &positions, before.to_vec(), effort.size);
            let views = if number == 0 { effort.first } else { effort.views };
            let first = effort.seed + number * effort.views;
            (first..first + views).for_each(|n| eye.open(&view(n)));
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
}

impl<'a> Eye<'a> {
    fn new(scene: &'a Scene<'a>, layers: &'a Layers, positions: &'a [Vec3], candidates: Vec<bool>, size: usize) -> Self {
        let seen = vec![false; candidates.len()];
        Self { scene, layers, positions, candidates, seen, stays: Layer::new(size), goes: Layer::new(size) }
    }

    fn open(&mut self, view: &View) {
        let scene = self.scene;
        let size = self.stays.side();
        let Some(on) = view.project(self.positions, size) else { return };
        self.stays.clear(&on);
        self.goes.clear(&on);
        for &number in &scene.drawn {
            let at = number as usize;
            if scene.solid(at) {
                let layer = if self.candidates[at] { &mut self.goes } else { &mut self.stays };
                layer.draw(&on, scene.figure.triangles[at], number, scene.both_sides(at));
            }
        }
        for pixel in on.pixels() {
            match (self.goes.at(pixel), self.stays.at(pixel)) {
                (None, None) => {}
                (None, Some((_, stays))) => self.seen[stays as usize] = true,
                (Some((_, goes)), None) => self.seen[goes as usize] = true,
                (Some((near, goes)), Some((far, stays))) if near <= far => {
                    let shown = if self.pokes(&on, (near, goes), (far, stays)) { stays } else { goes };
                    self.seen[shown as usize] = true;
                }
                (_, Some((_, stays))) => self.seen[stays as usize] = true,
            }
        }
        // What shows through hides nothing, but is seen wherever nothing solid is in front of it.
        for &number in scene.drawn.iter().filter(|&&number| !scene.solid(number as usize)) {
            let at = number as usize;
            if self.seen[at] {
                continue;
            }
            let mut seen = false;
            on.draw(scene.figure.triangles[at], scene.both_sides(at), |pixel, depth| {
                seen |= match self.stays.at(pixel) {
                    None => true,
                    Some((far, stays)) => depth <= far && !(self.candidates[at] && self.pokes(&on, (depth, number), (far, stays))),
                }
            });
            self.seen[at] = seen;
        }
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
