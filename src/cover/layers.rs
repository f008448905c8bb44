//! Which part lies over which, and which triangles are covered in the rest pose.
//!
//! Rays decide what is a candidate; what is really hidden the views decide. A ray along the normal alone would fail at open hems and
//! collars, rays all over the hemisphere would let every small leak through: a cone of 63 degrees, a sixth of which must be stopped.

use super::Scene;
use crate::geometry::bvh::{Bvh, Hit, Ray};
use crate::geometry::{corners, cross};
use crate::parallel;
use crate::report::Report;
use glam::Vec3;

/// Fractions of the body's height. How far out a ray looks for a part over its own, how far in for one that it pokes through.
const OVER: f32 = 0.03;
const POKE: f32 = 0.008;
/// How far below the surface the rays of a cone begin, and how far they go.
const INSET: f32 = 0.004;
const REACH: f32 = 0.15;
/// Surfaces lie on each other when their normals' dot is over this.
pub const ALIGNED: f32 = 0.2;
/// Rays of a cone, the least cosine between a ray and the normal, and the share of the rays that must be stopped.
const RAYS: usize = 32;
const CONE: f32 = 0.45;
const STOPPED: f32 = 0.15;
/// Shares of the corners in the samples of a triangle: the middle, near the corners, near the edges.
const SAMPLES: [[f32; 3]; 7] = [
    [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
    [0.8, 0.1, 0.1],
    [0.1, 0.8, 0.1],
    [0.1, 0.1, 0.8],
    [0.45, 0.45, 0.1],
    [0.1, 0.45, 0.45],
    [0.45, 0.1, 0.45],
];
/// Triangles of one job.
const RUN: usize = 512;

/// Which part lies under which.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    parts: usize,
    /// Area of each pair, as far as the first lies under the second.
    area: Vec<f64>,
}

impl Layers {
    /// True when the part `lower` lies under the part `upper`, by more of their area than the other way round.
    pub fn is_under(&self, lower: usize, upper: usize) -> bool {
        lower != upper && self.area[lower * self.parts + upper] > self.area[upper * self.parts + lower]
    }
}

/// The triangles of an outfit in its rest pose, ready for rays.
pub struct Rest<'a> {
    scene: &'a Scene<'a>,
    positions: &'a [Vec3],
    normals: Vec<Vec3>,
    tree: Bvh,
}

impl<'a> Rest<'a> {
    /// Builds the tree over all that can hide something.
    pub fn new(scene: &'a Scene<'a>, positions: &'a [Vec3]) -> Self {
        let solid = (0..scene.figure.triangles.len()).filter(|&triangle| scene.solid(triangle));
        let tree = Bvh::new(solid.map(|triangle| (triangle, corners(positions, scene.figure.triangles[triangle]))));
        let normals = scene.figure.triangles.iter().map(|&triangle| cross(positions, triangle).normalize_or_zero()).collect();
        Self { scene, positions, normals, tree }
    }

    fn sample(&self, triangle: usize, [a, b, c]: [f32; 3]) -> Vec3 {
        let [p, q, r] = corners(self.positions, self.scene.figure.triangles[triangle]);
        p * a + q * b + r * c
    }

    /// The first other part along the ray, whichever side it shows, when it lies along the triangle.
    fn aligned(&self, triangle: usize, ray: &Ray, reach: f32) -> Option<usize> {
        let own = self.scene.part(triangle);
        let hit = self.tree.first_hit(ray, reach, |hit| self.scene.part(hit.triangle) != own)?;
        (self.normals[hit.triangle].dot(self.normals[triangle]) > ALIGNED).then(|| self.scene.part(hit.triangle))
    }

    /// Votes of all triangles, by their area, on what lies over what.
    pub fn layers(&self) -> Layers {
        let parts = self.scene.figure.parts.len();
        let vote = |triangle: usize| {
            let (origin, normal) = (self.sample(triangle, SAMPLES[0]), self.normals[triangle]);
            let out = self.aligned(triangle, &Ray { origin, direction: normal }, OVER * self.scene.height);
            let within = self.aligned(triangle, &Ray { origin, direction: -normal }, POKE * self.scene.height);
            (triangle, out, within)
        };
        let mut layers = Layers { parts, area: vec![0.0; parts * parts] };
        for (triangle, out, within) in self.each(|triangle| self.normals[triangle] != Vec3::ZERO, vote) {
            let area = f64::from(cross(self.positions, self.scene.figure.triangles[triangle]).length());
            let own = self.scene.part(triangle);
            for (lower, upper) in [out.map(|over| (own, over)), within.map(|under| (under, own))].into_iter().flatten() {
                layers.area[lower * parts + upper] += area;
            }
        }
        layers
    }

    /// The triangles that parts over their own cover, or through which they poke; protected ones are not among them.
    pub fn covered(&self, layers: &Layers) -> Vec<bool> {
        let directions = cone();
        let mut covered = vec![false; self.scene.figure.triangles.len()];
        let free = |triangle: usize| !self.scene.bound.protected[triangle] && self.normals[triangle] != Vec3::ZERO;
        let is = |triangle: usize| (triangle, self.is_covered(triangle, layers, &directions) || self.pokes(triangle, layers));
        self.each(free, is).into_iter().for_each(|(triangle, is)| covered[triangle] = is);
        covered
    }

    /// Asks about the triangles that are wanted, in their order, many at once.
    fn each<R: Send>(&self, wanted: impl Fn(usize) -> bool + Sync, ask: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let count = self.scene.figure.triangles.len();
        let runs: Vec<usize> = (0..count).step_by(RUN).collect();
        let run = |&first: &usize, _: &mut Report| -> Vec<R> {
            (first..count.min(first + RUN)).filter(|&triangle| wanted(triangle)).map(&ask).collect()
        };
        let (answers, bugs) = parallel::map(&runs, |_| self.scene.file.to_owned(), run);
        assert!(bugs.findings.is_empty(), "{}", bugs.findings[0].message);
        answers.into_iter().flatten().flatten().collect()
    }

    fn is_covered(&self, triangle: usize, layers: &Layers, directions: &[Vec3]) -> bool {
        let (own, normal) = (self.scene.part(triangle), self.normals[triangle]);
        let (across, along) = normal.any_orthonormal_pair();
        let inset = INSET * self.scene.height;
        let needed = (RAYS as f32 * STOPPED).ceil() as usize;
        SAMPLES.iter().all(|&sample| {
            let origin = self.sample(triangle, sample) - normal * inset;
            let mut stopped = 0;
            for (cast, direction) in directions.iter().enumerate() {
                if stopped >= needed || stopped + RAYS - cast < needed {
                    break;
                }
                // The surface above the origin is the triangle's own.
                let skin = inset / direction.z * 1.5 + 1e-3 * self.scene.height;
                let ray = Ray { origin, direction: across * direction.x + along * direction.y + normal * direction.z };
                let stops = |hit: &Hit| {
                    (hit.leaves || self.scene.both_sides(hit.triangle)) && (self.scene.part(hit.triangle) != own || hit.distance >= skin)
                };
                let hit = self.tree.first_hit(&ray, REACH * self.scene.height, stops);
                stopped += usize::from(hit.is_some_and(|hit| layers.is_under(own, self.scene.part(hit.triangle))));
            }
            stopped >= needed
        })
    }

    /// True when a part over its own lies just below it.
    fn pokes(&self, triangle: usize, layers: &Layers) -> bool {
        let (own, normal) = (self.scene.part(triangle), self.normals[triangle]);
        SAMPLES[..4].iter().any(|&sample| {
            let ray = Ray { origin: self.sample(triangle, sample), direction: -normal };
            self.aligned(triangle, &ray, POKE * self.scene.height).is_some_and(|part| layers.is_under(own, part))
        })
    }
}

/// Directions around +z, evenly spread (Fibonacci), the steepest first.
fn cone() -> Vec<Vec3> {
    let golden = std::f32::consts::PI * (3.0 - 5f32.sqrt());
    let direction = |i: usize| {
        let z = CONE + (1.0 - CONE) * (1.0 - (i as f32 + 0.5) / RAYS as f32);
        let (sin, cos) = ((i as f32 + 0.5) * golden).sin_cos();
        Vec3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + Vec3::Z * z
    };
    (0..RAYS).map(direction).collect()
}
