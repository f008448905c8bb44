//! The surface of an outfit: what touches what, and what lies near what is seen.

use super::Scene;
use crate::geometry::{Triangle, surface};
use crate::gltf::figure::Figure;
use glam::Vec3;

/// Vertices of one node nearer than this are one, in metres.
const GRAIN: f32 = 1e-5;

/// Triangles by their edges.
pub struct Surface<'a> {
    triangles: &'a [Triangle],
    /// The place of each vertex.
    place: Vec<u32>,
    /// The places of each edge, the lower first, and a triangle that has it; sorted.
    edges: Vec<(u32, u32, u32)>,
}

impl<'a> Surface<'a> {
    /// `rest` are the vertices of the figure in its rest pose.
    pub fn new(figure: &'a Figure, rest: &[Vec3]) -> Self {
        let groups: Vec<u32> = figure.parts.iter().flat_map(|part| std::iter::repeat_n(part.node as u32, part.vertices.len())).collect();
        let mut surface = Self { triangles: &figure.triangles, place: surface::places(rest, &groups, GRAIN), edges: Vec::new() };
        let numbered = (0..surface.triangles.len()).flat_map(|triangle| surface.edges_of(triangle).map(|(a, b)| (a, b, triangle as u32)));
        surface.edges = numbered.collect();
        surface.edges.sort_unstable();
        surface
    }

    fn places(&self, triangle: usize) -> [usize; 3] {
        self.triangles[triangle].map(|vertex| self.place[vertex as usize] as usize)
    }

    fn edges_of(&self, triangle: usize) -> [(u32, u32); 3] {
        let [a, b, c] = self.places(triangle).map(|place| place as u32);
        [(a.min(b), a.max(b)), (b.min(c), b.max(c)), (c.min(a), c.max(a))]
    }

    /// The triangles that share an edge with this one, and itself.
    fn neighbours(&self, triangle: usize) -> impl Iterator<Item = usize> {
        let of_edge = |wanted: (u32, u32)| {
            let start = self.edges.partition_point(|&(a, b, _)| (a, b) < wanted);
            self.edges[start..].iter().take_while(move |&&(a, b, _)| (a, b) == wanted).map(|&(_, _, triangle)| triangle as usize)
        };
        self.edges_of(triangle).into_iter().flat_map(of_edge)
    }

    /// Hides what was never seen and shares an edge with what is hidden, on the same part, as far as it goes.
    pub fn grow(&self, scene: &Scene, seen: &[bool], hidden: &mut [bool]) {
        let mut todo: Vec<usize> = (0..hidden.len()).filter(|&triangle| hidden[triangle]).collect();
        while let Some(triangle) = todo.pop() {
            for next in self.neighbours(triangle) {
                if !hidden[next] && !seen[next] && !scene.bound.protected[next] && scene.part(next) == scene.part(triangle) {
                    hidden[next] = true;
                    todo.push(next);
                }
            }
        }
    }

    /// Keeps what has a corner nearer than `margin` (along the surface, in metres) to a triangle that is really seen.
    pub fn keep_border(&self, rest: &[Vec3], seen: &[bool], margin: f32, hidden: &mut [bool]) {
        let mut sources = vec![false; self.place.iter().max().map_or(0, |&most| most as usize + 1)];
        for triangle in (0..hidden.len()).filter(|&triangle| seen[triangle] && !hidden[triangle]) {
            self.places(triangle).iter().for_each(|&place| sources[place] = true);
        }
        let near = surface::near(self.triangles, &self.place, rest, &sources, margin);
        for (triangle, hidden) in hidden.iter_mut().enumerate() {
            *hidden &= !self.places(triangle).iter().any(|&place| near[place]);
        }
    }

    /// The triangles that share a place with a marked one and are not marked themselves.
    pub fn beside(&self, marked: &[bool]) -> Vec<bool> {
        let mut places = vec![false; self.place.iter().max().map_or(0, |&most| most as usize + 1)];
        for triangle in (0..marked.len()).filter(|&triangle| marked[triangle]) {
            self.places(triangle).iter().for_each(|&place| places[place] = true);
        }
        (0..marked.len()).map(|triangle| !marked[triangle] && self.places(triangle).iter().any(|&place| places[place])).collect()
    }

    /// Keeps what has a corner nearer than `margin` (along the surface, in metres) to a triangle that was hidden `before` and is not now: from a
    /// little further on it would show too.
    pub fn keep_around(&self, rest: &[Vec3], before: &[bool], margin: f32, hidden: &mut [bool]) {
        let given_back: Vec<bool> = before.iter().zip(&*hidden).map(|(before, now)| *before && !now).collect();
        self.keep_border(rest, &given_back, margin, hidden);
    }
}
