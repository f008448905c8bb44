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
mod poses;
mod solid;
mod views;

pub use dressing::{Dressed, Outfit, Shape, dress, outfits};

use crate::geometry::surface;
use crate::gltf::figure::Figure;
use crate::gltf::{Document, transforms};
use crate::report::progress::Task;
use crate::vrm::expressions::Expression;
use crate::vrm::humanoid::Bone;
use crate::vrm::springs::Springs;
use bound::Bound;
use glam::{DMat4, Vec3};
use layers::Rest;
use poses::{Poser, USUAL, wide};
use solid::Look;
use views::Effort;

/// Vertices nearer than this are one, in metres.
const GRAIN: f32 = 1e-5;
/// Wide poses of each round of the last step, and the most rounds.
const WIDE: usize = 32;
const ROUNDS: usize = 3;
/// In usual poses.
const USUAL_EFFORT: Effort = Effort { views: 24, first: 64, size: 480, seed: 0 };
/// In wide poses.
const WIDE_EFFORT: Effort = Effort { views: 24, first: 24, size: 560, seed: 4096 };

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
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    figure: &'a Figure,
    /// Triangles of the parts that are drawn, ascending.
    drawn: Vec<u32>,
    /// The part of each triangle.
    parts: &'a [u32],
    looks: &'a [Look],
    bound: &'a Bound,
    /// Of the body.
    height: f32,
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
    let figure = Figure::of(document)?;
    let (least, most) = transforms::rest_box(document)?;
    let height = (most.y - least.y) as f32;
    let carriers = bound::carriers(document, &body.bones);
    let bound = bound::bound(document, &figure, &body.bones, &body.expressions, height);
    let looks = solid::looks(document, &figure);
    let parts: Vec<u32> = (0..).zip(&figure.parts).flat_map(|(number, part)| std::iter::repeat_n(number, part.triangles.len())).collect();
    let poser = Poser::new(document, &body.bones, &body.springs, |node| carriers[node] == Some("head"));
    let dressed = dressing::dress(document, &figure, outfits);
    let covers = dressed.iter().map(|dressed| {
        task.step(&format!("cover of {}", dressed.key));
        let drawn = figure.parts.iter().zip(&dressed.drawn).filter(|(_, drawn)| **drawn).flat_map(|(part, _)| part.triangles.clone());
        let drawn = drawn.map(|triangle| triangle as u32).collect();
        let scene = Scene { file, figure: &figure, drawn, parts: &parts, looks: &looks, bound: &bound, height };
        let hidden = hidden(&scene, &figure.morphed(document, &dressed.weights), &poser, &body.poses, margin);
        masks(&scene, dressed, &hidden)
    });
    Some(covers.collect())
}

/// For each triangle of the figure whether the outfit hides it.
fn hidden(scene: &Scene, local: &[Vec3], poser: &Poser, own_poses: &[Vec<DMat4>], margin: f32) -> Vec<bool> {
    let usual = poser.distinct(USUAL);
    let rest = scene.figure.posed(local, &usual[0]);
    let rays = Rest::new(scene, &rest);
    let layers = rays.layers();
    let mut hidden = rays.covered(&layers);
    let mut seen = vec![false; hidden.len()];
    let poses: Vec<Vec<DMat4>> = usual.into_iter().chain(own_poses.iter().cloned()).collect();
    if hidden.contains(&true) {
        views::look(scene, &layers, local, &poses, USUAL_EFFORT, &mut hidden, &mut seen);
    }
    if !hidden.contains(&true) {
        return hidden;
    }
    grow(scene, &rest, &seen, &mut hidden);
    keep_border(scene, &rest, &seen, margin * scene.height, &mut hidden);
    for round in 0..ROUNDS {
        let before = hidden.clone();
        let poses = poser.distinct((round * WIDE..(round + 1) * WIDE).map(wide));
        let effort = Effort { seed: WIDE_EFFORT.seed * (round + 1), ..WIDE_EFFORT };
        views::look(scene, &layers, local, &poses, effort, &mut hidden, &mut seen);
        if std::env::var("CC").is_ok() { eprintln!("{} round {round}: {} of {}", dressed_key(), before.iter().zip(&hidden).filter(|(a,b)|a!=b).count(), hidden.iter().filter(|h|**h).count()); }
        if hidden == before {
            break;
        }
    }
    hidden
}

/// Vertices at one place of one node are one: the number of each vertex's place.
fn places(scene: &Scene, rest: &[Vec3]) -> Vec<u32> {
    let groups: Vec<u32> =
        scene.figure.parts.iter().flat_map(|part| std::iter::repeat_n(part.node as u32, part.vertices.len())).collect();
    surface::places(rest, &groups, GRAIN)
}

/// Hides what was never seen and shares an edge with what is hidden, on the same part, as far as it goes.
fn grow(scene: &Scene, rest: &[Vec3], seen: &[bool], hidden: &mut [bool]) {
    let place = places(scene, rest);
    let mut edges: Vec<(u32, u32, u32)> = Vec::new();
    for &triangle in &scene.drawn {
        let corners = scene.figure.triangles[triangle as usize].map(|vertex| place[vertex as usize]);
        edges.extend((0..3).map(|i| (corners[i], corners[(i + 1) % 3])).map(|(a, b)| (a.min(b), a.max(b), triangle)));
    }
    edges.sort_unstable();
    let edge = |e: &(u32, u32, u32)| (e.0, e.1);
    let mut todo: Vec<u32> = scene.drawn.iter().copied().filter(|&triangle| hidden[triangle as usize]).collect();
    while let Some(triangle) = todo.pop() {
        let corners = scene.figure.triangles[triangle as usize].map(|vertex| place[vertex as usize]);
        for (a, b) in (0..3).map(|i| (corners[i], corners[(i + 1) % 3])) {
            let wanted = (a.min(b), a.max(b));
            let start = edges.partition_point(|e| edge(e) < wanted);
            for &(_, _, next) in edges[start..].iter().take_while(|e| edge(e) == wanted) {
                let at = next as usize;
                if !hidden[at] && !seen[at] && !scene.bound.protected[at] && scene.part(at) == scene.part(triangle as usize) {
                    hidden[at] = true;
                    todo.push(next);
                }
            }
        }
    }
}

/// Keeps what has a corner nearer than `margin` (along the surface) to a triangle that is really seen.
fn keep_border(scene: &Scene, rest: &[Vec3], seen: &[bool], margin: f32, hidden: &mut [bool]) {
    let place = places(scene, rest);
    let mut sources = vec![false; place.iter().max().map_or(0, |&most| most as usize + 1)];
    let triangles: Vec<[u32; 3]> = scene.drawn.iter().map(|&triangle| scene.figure.triangles[triangle as usize]).collect();
    for (&number, triangle) in scene.drawn.iter().zip(&triangles) {
        if seen[number as usize] && !hidden[number as usize] {
            triangle.iter().for_each(|&vertex| sources[place[vertex as usize] as usize] = true);
        }
    }
    let near = surface::near(&triangles, &place, rest, &sources, margin);
    for (&number, triangle) in scene.drawn.iter().zip(&triangles) {
        hidden[number as usize] &= !triangle.iter().any(|&vertex| near[place[vertex as usize] as usize]);
    }
}

fn dressed_key() -> &'static str { "" }
fn masks(scene: &Scene, dressed: &Dressed, hidden: &[bool]) -> Cover {
    let mask = |part: &crate::gltf::figure::Part| Mask {
        node: part.node,
        mesh: part.mesh,
        primitive: part.primitive,
        hidden: hidden[part.triangles.clone()].to_vec(),
    };
    let all = scene.figure.parts.iter().map(mask);
    Cover { outfit: dressed.key.clone(), triangles: scene.drawn.len(), masks: all.filter(|mask| mask.count() > 0).collect() }
}
