//! Which triangles the garments of an outfit hide, so that nobody has to draw them: what no view of any pose shows.
//!
//! A triangle is a candidate when a part over its own covers it in the rest pose; what is seen from any side in usual poses stays, with a
//! border around it; a last step looks from other sides, in wider poses, and gives back whatever shows, until nothing does.
//!
//! Two simpler ideas fail: rays to infinity all over the hemisphere (leaks through every hem multiply by the border), and a ray along the
//! normal alone (open hems, collars).

mod bound;
mod dressing;
mod layers;
pub mod pictures;
mod poses;
mod solid;
mod surface;
mod views;

pub use dressing::{Dressed, Outfit, Shape, dress, outfits};
pub use solid::images as alpha_images;

use crate::gltf::figure::{Figure, Part};
use crate::gltf::{Document, transforms};
use crate::report::progress::Task;
use crate::vrm::expressions::Expression;
use crate::vrm::humanoid::Bone;
use crate::vrm::springs::Springs;
use bound::Bound;
use glam::{DMat4, Vec3};
use layers::Rest;
use poses::{Poser, USUAL, wide};
use serde::{Deserialize, Serialize};
use solid::Look;
use surface::Surface;
use views::Effort;

/// Wide poses of each round of the last step, and the most rounds.
const WIDE: usize = 72;
const ROUNDS: usize = 2;
/// In usual poses.
const USUAL_EFFORT: Effort = Effort { views: 12, first: 48, size: 400, all: true, seed: 0 };
/// In wide poses.
const WIDE_EFFORT: Effort = Effort { views: 8, first: 8, size: 360, all: false, seed: 4096 };

/// What is known of an avatar beside its geometry.
#[derive(Debug, Clone, Default)]
pub struct Body {
    /// Its humanoid bones; without them nothing is posed and nothing is protected.
    pub bones: Vec<Bone>,
    /// What moves its face.
    pub expressions: Vec<Expression>,
    /// What swings.
    pub springs: Springs,
    /// Poses that the look's own motions take: the world matrix of every node.
    pub poses: Vec<Vec<DMat4>>,
}

/// The mask of one primitive as one node draws it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mask {
    /// Index in the document.
    pub node: usize,
    /// Index in the document.
    pub mesh: usize,
    /// Index in the mesh.
    pub primitive: usize,
    /// For each triangle of its index buffer whether it is hidden.
    pub hidden: Vec<bool>,
}

/// What an outfit hides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    /// The key of the outfit; `default` for a look without outfits.
    pub outfit: String,
    /// How many triangles are drawn with it.
    pub triangles: usize,
    /// Those that hide something.
    pub masks: Vec<Mask>,
}

impl Mask {
    /// How many triangles are hidden.
    pub fn count(&self) -> usize {
        self.hidden.iter().filter(|&&hidden| hidden).count()
    }

    /// Triangle t is bit `t & 7` of byte `t >> 3`.
    pub fn bits(&self) -> Vec<u8> {
        self.hidden.chunks(8).map(|eight| eight.iter().enumerate().fold(0, |byte, (bit, &hidden)| byte | u8::from(hidden) << bit)).collect()
    }
}

impl Cover {
    /// How many triangles are hidden.
    pub fn count(&self) -> usize {
        self.masks.iter().map(Mask::count).sum()
    }
}

/// What is drawn with one outfit, and how.
struct Scene<'a> {
    file: &'a str,
    figure: Figure,
    /// The part of each triangle.
    parts: Vec<u32>,
    looks: Vec<Look>,
    bound: Bound,
    /// Of the body.
    height: f32,
    poser: &'a Poser,
}

impl Scene<'_> {
    fn part(&self, triangle: usize) -> usize {
        self.parts[triangle] as usize
    }

    /// Hides what is behind it.
    fn solid(&self, triangle: usize) -> bool {
        self.looks[triangle].opaque && !self.bound.loose[triangle]
    }

    fn both_sides(&self, triangle: usize) -> bool {
        self.looks[triangle].both_sides
    }
}

/// Works out what each outfit hides; without outfits, what everything together does. `margin` is the border that stays around what is
/// seen, a fraction of the body's height. `None` when there is nothing to look at, or more than anybody can.
pub fn cover(document: &Document, file: &str, outfits: &[Outfit], body: &Body, margin: f32, task: &Task) -> Option<Vec<Cover>> {
    let whole = Figure::of(document)?;
    let (least, most) = transforms::rest_box(document)?;
    let height = (most.y - least.y) as f32;
    let bound = bound::bound(document, &whole, &body.bones, &body.expressions, height);
    let looks = solid::looks(document, &whole);
    let carriers = bound::carriers(document, &body.bones);
    let poser = Poser::new(document, &body.bones, &body.springs, |node| carriers[node] == Some("head"));
    let covers = dressing::dress(document, &whole, outfits).into_iter().map(|dressed| {
        task.step(&format!("cover of {}", dressed.key));
        let figure = whole.only(&dressed.drawn);
        let drawn = whole.parts.iter().zip(&dressed.drawn).filter(|(_, drawn)| **drawn).map(|(part, _)| part.triangles.clone());
        let scene = Scene {
            file,
            parts: (0..).zip(&figure.parts).flat_map(|(number, part)| std::iter::repeat_n(number, part.triangles.len())).collect(),
            looks: drawn.clone().flat_map(|range| looks[range].to_vec()).collect(),
            bound: bound.only(drawn),
            figure,
            height,
            poser: &poser,
        };
        let hidden = hidden(&scene, &scene.figure.morphed(document, &dressed.weights), &body.poses, margin);
        masks(&scene, dressed.key, &hidden)
    });
    Some(covers.collect())
}

/// For each triangle whether the outfit hides it.
fn hidden(scene: &Scene, local: &[Vec3], own_poses: &[Vec<DMat4>], margin: f32) -> Vec<bool> {
    let usual = scene.poser.distinct(USUAL);
    let rest = scene.figure.posed(local, &usual[0]);
    let rays = Rest::new(scene, &rest);
    let layers = rays.layers();
    let mut hidden = rays.covered(&layers);
    let mut seen = vec![false; hidden.len()];
    if hidden.contains(&true) {
        views::look(scene, &layers, local, &usual, USUAL_EFFORT, &mut hidden, &mut seen);
    }
    if !hidden.contains(&true) {
        return hidden;
    }
    let surface = Surface::new(&scene.figure, &rest);
    surface.grow(scene, &seen, &mut hidden);
    surface.keep_border(&rest, &seen, margin * scene.height, &mut hidden);
    for round in 0..ROUNDS {
        let before = hidden.clone();
        let wide = scene.poser.distinct((round * WIDE..(round + 1) * WIDE).map(wide));
        let poses: Vec<Vec<DMat4>> = own_poses.iter().filter(|_| round == 0).cloned().chain(wide).collect();
        let effort = Effort { seed: WIDE_EFFORT.seed * (round + 1), ..WIDE_EFFORT };
        views::look(scene, &layers, local, &poses, effort, &mut hidden, &mut seen);
        if hidden == before {
            break;
        }
        surface.keep_around(&rest, &before, margin * scene.height, &mut hidden);
    }
    hidden
}

fn masks(scene: &Scene, outfit: String, hidden: &[bool]) -> Cover {
    let mask =
        |part: &Part| Mask { node: part.node, mesh: part.mesh, primitive: part.primitive, hidden: hidden[part.triangles.clone()].to_vec() };
    let all = scene.figure.parts.iter().map(mask);
    Cover { outfit, triangles: scene.figure.triangles.len(), masks: all.filter(|mask| mask.count() > 0).collect() }
}
