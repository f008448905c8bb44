//! Surfaces as grids of vertices: tubes, patches and caps with smooth normals, texture coordinates and skin weights.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};

/// Which joints move a vertex, and how much each.
pub type Skin = Vec<(usize, f32)>;

/// One vertex of a grid: where it is, its texture coordinates, which way is outside, and what moves it.
pub struct Point {
    pub at: Vec3,
    pub uv: Vec2,
    pub out: Vec3,
    pub skin: Skin,
}

/// A morph target: what it adds to each vertex at weight one.
#[derive(Clone)]
pub struct Morph {
    pub name: String,
    pub positions: Vec<Vec3>,
    pub normals: Option<Vec<Vec3>>,
}

/// A vertex buffer, and the triangles of each material on it.
#[derive(Clone, Default)]
pub struct Shape {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    pub uvs: Vec<Vec2>,
    pub skin: Vec<Skin>,
    pub parts: Vec<Vec<u32>>,
    pub morphs: Vec<Morph>,
}

impl Shape {
    pub fn new() -> Self {
        Self { parts: vec![Vec::new()], ..Self::default() }
    }

    /// The following grids belong to another material.
    pub fn next_part(&mut self) {
        self.parts.push(Vec::new());
    }

    /// Adds a grid of `rows` x `columns` vertices, wound so that its front looks the way its points call outside.
    pub fn grid(&mut self, rows: usize, columns: usize, point: impl Fn(usize, usize) -> Point) {
        let first = self.positions.len();
        let mut outs = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                let Point { at, uv, out, skin } = point(row, column);
                self.positions.push(at);
                self.uvs.push(uv);
                self.skin.push(skin);
                outs.push(out);
            }
        }
        let mut triangles: Vec<[usize; 3]> = Vec::new();
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let [a, b] = [row * columns + column, row * columns + column + 1];
                let [c, d] = [a + columns, b + columns];
                triangles.push([a, b, c]);
                triangles.push([b, d, c]);
            }
        }
        let place = |i: usize| self.positions[first + i];
        let normal = |t: &[usize; 3]| (place(t[1]) - place(t[0])).cross(place(t[2]) - place(t[0]));
        let agreement: f32 = triangles.iter().map(|t| normal(t).dot(outs[t[0]] + outs[t[1]] + outs[t[2]])).sum();
        let kept: Vec<[usize; 3]> = triangles.iter().filter(|t| normal(t).length() > 1e-10).copied().collect();
        let part = self.parts.last_mut().expect("a shape has at least one part");
        for [a, b, c] in kept {
            let turned = if agreement < 0.0 { [a, c, b] } else { [a, b, c] };
            part.extend(turned.map(|i| u32::try_from(first + i).expect("few vertices")));
        }
    }

    /// Normals smoothed over all vertices that share a place.
    pub fn smooth(&mut self) {
        let key = |v: Vec3| (v * 1e5).round().to_array().map(|c| c as i64);
        let mut sums: BTreeMap<[i64; 3], Vec3> = BTreeMap::new();
        for t in self.parts.iter().flat_map(|part| part.chunks(3)) {
            let [a, b, c] = [0, 1, 2].map(|i| self.positions[t[i] as usize]);
            let normal = (b - a).cross(c - a);
            for place in [a, b, c] {
                *sums.entry(key(place)).or_default() += normal;
            }
        }
        let sum = |v: &Vec3| sums.get(&key(*v)).copied().unwrap_or_default().try_normalize().unwrap_or(Vec3::Z);
        self.normals = self.positions.iter().map(sum).collect();
    }

    /// Adds the vertices and triangles of another shape, as parts of their own.
    pub fn append(&mut self, other: &Shape) {
        let first = u32::try_from(self.positions.len()).expect("few vertices");
        self.positions.extend(&other.positions);
        self.normals.extend(&other.normals);
        self.uvs.extend(&other.uvs);
        self.skin.extend(other.skin.iter().cloned());
        for part in &other.parts {
            self.parts.push(part.iter().map(|i| i + first).collect());
        }
    }

    /// Turns half around the vertical axis (the way VRM 0.x faces) and scales.
    pub fn turn(&mut self, scale: f32) {
        let half = |v: &mut Vec3| *v = Vec3::new(-v.x, v.y, -v.z);
        self.positions.iter_mut().for_each(|v| {
            half(v);
            *v *= scale;
        });
        self.normals.iter_mut().for_each(half);
        for morph in &mut self.morphs {
            morph.positions.iter_mut().for_each(|v| {
                half(v);
                *v *= scale;
            });
            morph.normals.iter_mut().flatten().for_each(half);
        }
    }

    pub fn triangles(&self) -> usize {
        self.parts.iter().map(|part| part.len() / 3).sum()
    }
}

/// The skin `a` fading into `b` as `t` goes from 0 to 1.
pub fn mix(a: &Skin, b: &Skin, t: f32) -> Skin {
    let mut out: Skin = a.iter().map(|&(joint, weight)| (joint, weight * (1.0 - t))).collect();
    for &(joint, weight) in b {
        match out.iter_mut().find(|known| known.0 == joint) {
            Some(known) => known.1 += weight * t,
            None => out.push((joint, weight * t)),
        }
    }
    out.retain(|&(_, weight)| weight > 0.0);
    out
}

/// The skin at `t` along a chain of joints, each given with where it begins; `width` is half the length of a fade.
pub fn along(t: f32, chain: &[(usize, f32)], width: f32) -> Skin {
    let mut skin = vec![(chain[0].0, 1.0)];
    for &(joint, start) in &chain[1..] {
        skin = mix(&skin, &vec![(joint, 1.0)], smoothstep(start - width, start + width, t));
    }
    skin
}

pub fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

pub fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// A value on a curve of (place, value) stops, smooth between them.
pub fn curve(stops: &[(f32, f32)], at: f32) -> f32 {
    let mut value = stops[0].1;
    for pair in stops.windows(2) {
        if at >= pair[0].0 {
            value = lerp(pair[0].1, pair[1].1, smoothstep(pair[0].0, pair[1].0, at));
        }
    }
    value
}
