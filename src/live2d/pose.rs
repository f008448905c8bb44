//! Where the drawables of a model lie for given values of its parameters.
//!
//! Each object blends its keyforms, then its deformer moves it: a warp by a grid of points, a rotation by angle, scale and origin; deformers are moved by
//! their parents in the same way. The rules are those of the moc3-rs project, compared with real models. Glue and blend shapes are left out: they move
//! edges and details, not heads.

use super::moc3::{Moc, window};

/// Keyforms of more axes at once than this are not blended: no model has them, and a file made to hurt could ask for a million.
const MOST_AXES: usize = 8;
/// The most points that are blended for one pose.
const MOST_POINTS: usize = 50_000_000;
/// Steps that show a rotation which way is up: in the square of a warp, and in the units of another rotation.
const STEP_IN_WARP: f64 = 0.1;
const STEP: f64 = 10.0;
/// How many widths of its grid a warp reaches beyond its edges.
const REACH: f64 = 2.0;

/// A point.
pub type Point = [f64; 2];

/// A drawable in a pose.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Its vertices, in pixels of the canvas from the left and the top.
    pub points: Vec<Point>,
    /// From 0 to 1.
    pub opacity: f64,
    /// The higher, the further in front.
    pub draw_order: f64,
}

/// The drawables of a model, in their order, with these values in place of the parameters' defaults. `None` when the model is too large to be posed.
pub fn shapes(moc: &Moc, values: &[(usize, f64)]) -> Option<Vec<Shape>> {
    let mut pose = Pose::new(moc, values);
    pose.deform()?;
    let c = &moc.columns;
    (0..c.mesh_id.len())
        .map(|mesh| {
            let blend = pose.blend(c.mesh_binding[mesh])?;
            let starts = window(&c.mesh_keyform_positions_begin, c.mesh_keyforms_begin[mesh], c.mesh_keyforms[mesh]);
            let opacities = window(&c.mesh_keyform_opacity, c.mesh_keyforms_begin[mesh], c.mesh_keyforms[mesh]);
            let mut points = pose.points(&blend, starts, c.mesh_vertices[mesh])?;
            let mut opacity = weighed(&blend, opacities);
            let orders = window(&c.mesh_keyform_draw_order, c.mesh_keyforms_begin[mesh], c.mesh_keyforms[mesh]);
            if let Some(parent) = pose.field(c.mesh_parent[mesh]) {
                points.iter_mut().for_each(|point| *point = parent.shape.apply(*point));
                opacity *= parent.opacity;
            }
            let (unit, [x, y]) = (f64::from(moc.canvas.pixels_per_unit), moc.canvas.origin);
            points.iter_mut().for_each(|p| *p = [p[0] * unit + f64::from(x), p[1] * unit + f64::from(y)]);
            Some(Shape { points, opacity, draw_order: weighed(&blend, orders) })
        })
        .collect()
}

/// Keyforms of an object, by their number in its list, with their weights.
type Blend = Vec<(usize, f64)>;

/// What a deformer does to the points below it.
struct Field {
    shape: Form,
    opacity: f64,
    /// Of all rotations above it and its own.
    scale: f64,
}

enum Form {
    /// The points of a grid, row by row; the square from 0 to 1 lies on it.
    Warp { grid: Vec<Point>, rows: usize, columns: usize, is_quad: bool },
    /// Two columns of a matrix, and where the origin comes to lie.
    Rotation { x: Point, y: Point, origin: Point },
}

struct Pose<'a> {
    moc: &'a Moc,
    /// By parameter.
    values: Vec<f64>,
    /// For each band of keys, the parameter that it belongs to.
    parameter_of: Vec<Option<usize>>,
    fields: Vec<Option<Field>>,
    /// Points that may still be blended.
    left: usize,
}

fn add(a: Point, b: Point, weight: f64) -> Point {
    [a[0] + weight * b[0], a[1] + weight * b[1]]
}

fn mix(a: Point, b: Point, t: f64) -> Point {
    [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
}

fn weighed(blend: &Blend, values: &[f32]) -> f64 {
    blend.iter().map(|(keyform, weight)| weight * values.get(*keyform).copied().map_or(0.0, f64::from)).sum()
}

impl<'a> Pose<'a> {
    fn new(moc: &'a Moc, values: &[(usize, f64)]) -> Self {
        let c = &moc.columns;
        let mut all: Vec<f64> = c.parameter_default.iter().copied().map(f64::from).collect();
        for (parameter, value) in values {
            all[*parameter] = *value;
        }
        let mut parameter_of = vec![None; c.band_begin.len()];
        for (parameter, (begin, count)) in c.parameter_bands_begin.iter().zip(&c.parameter_bands).enumerate() {
            let begin = usize::try_from(*begin).unwrap_or(usize::MAX);
            let end = begin.saturating_add(usize::try_from(*count).unwrap_or(0));
            parameter_of.get_mut(begin..end).unwrap_or_default().fill(Some(parameter));
        }
        let fields = c.deformer_id.iter().map(|_| None).collect();
        Self { moc, values: all, parameter_of, fields, left: MOST_POINTS }
    }

    /// Which keyforms a binding blends. The first axis varies fastest.
    fn blend(&self, binding: i32) -> Option<Blend> {
        let c = &self.moc.columns;
        let index = usize::try_from(binding).ok()?;
        let mut blend = vec![(0, 1.0)];
        let (mut stride, mut axes) = (1, 0);
        for band in window(&c.binding_band, c.binding_begin[index], c.binding_bands[index]) {
            let band = usize::try_from(*band).ok()?;
            let keys = window(&c.key, c.band_begin[band], c.band_keys[band]);
            let value = self.parameter_of[band].map_or(0.0, |parameter| self.values[parameter]);
            let (key, fraction) = between(keys, value);
            blend.iter_mut().for_each(|(keyform, _)| *keyform += key * stride);
            if fraction > 0.0 {
                axes += 1;
                let next: Blend = blend.iter().map(|(keyform, weight)| (keyform + stride, weight * fraction)).collect();
                blend.iter_mut().for_each(|(_, weight)| *weight *= 1.0 - fraction);
                blend.extend(next);
            }
            if axes > MOST_AXES {
                return None;
            }
            stride *= keys.len().max(1);
        }
        Some(blend)
    }

    /// The blended points of an object with so many vertices; `starts` are those of its keyforms.
    fn points(&mut self, blend: &Blend, starts: &[i32], vertices: i32) -> Option<Vec<Point>> {
        let vertices = usize::try_from(vertices).ok()?;
        self.left = self.left.checked_sub(blend.len().checked_mul(vertices)?)?;
        let mut points = vec![[0.0; 2]; vertices];
        for (keyform, weight) in blend {
            let numbers = window(&self.moc.columns.position, *starts.get(*keyform)?, 2 * vertices as i32);
            for (point, pair) in points.iter_mut().zip(numbers.chunks_exact(2)) {
                *point = add(*point, [pair[0].into(), pair[1].into()], *weight);
            }
        }
        Some(points)
    }

    fn field(&self, deformer: i32) -> Option<&Field> {
        self.fields.get(usize::try_from(deformer).ok()?)?.as_ref()
    }

    /// Every deformer, parents before children.
    fn deform(&mut self) -> Option<()> {
        let parents = &self.moc.columns.deformer_parent;
        for start in 0..parents.len() {
            let mut way = Vec::new();
            let mut here = Some(start);
            while let Some(deformer) = here.filter(|deformer| self.fields[*deformer].is_none()) {
                way.push(deformer);
                here = usize::try_from(parents[deformer]).ok();
            }
            for deformer in way.into_iter().rev() {
                self.fields[deformer] = Some(self.made(deformer)?);
            }
        }
        Some(())
    }

    /// One deformer whose parent is made.
    fn made(&mut self, deformer: usize) -> Option<Field> {
        let c = &self.moc.columns;
        let record = usize::try_from(c.deformer_index[deformer]).ok()?;
        let parent = c.deformer_parent[deformer];
        if c.deformer_type[deformer] == 0 {
            let blend = self.blend(c.warp_binding[record])?;
            let (begin, count) = (c.warp_keyforms_begin[record], c.warp_keyforms[record]);
            let starts = window(&c.warp_keyform_positions_begin, begin, count);
            let mut grid = self.points(&blend, starts, c.warp_vertices[record])?;
            let (mut opacity, mut scale) = (weighed(&blend, window(&c.warp_keyform_opacity, begin, count)), 1.0);
            if let Some(parent) = self.field(parent) {
                grid.iter_mut().for_each(|point| *point = parent.shape.apply(*point));
                opacity *= parent.opacity;
                scale = parent.scale;
            }
            let (rows, columns) = (usize::try_from(c.warp_rows[record]).ok()?, usize::try_from(c.warp_columns[record]).ok()?);
            let is_quad = c.warp_is_quad.get(record).copied().unwrap_or(false);
            return Some(Field { shape: Form::Warp { grid, rows, columns, is_quad }, opacity, scale });
        }
        let blend = self.blend(c.rotation_binding[record])?;
        let (begin, count) = (c.rotation_keyforms_begin[record], c.rotation_keyforms[record]);
        let of = |column: &[f32]| weighed(&blend, window(column, begin, count));
        let mut origin = [of(&c.rotation_keyform_x), of(&c.rotation_keyform_y)];
        let (mut angle, mut scale) = (of(&c.rotation_keyform_angle), of(&c.rotation_keyform_scale));
        let mut opacity = of(&c.rotation_keyform_opacity);
        if let Some(parent) = self.field(parent) {
            // Up, seen through the parent, need not be up any more.
            let step = if matches!(parent.shape, Form::Warp { .. }) { STEP_IN_WARP } else { STEP };
            let (here, above) = (parent.shape.apply(origin), parent.shape.apply([origin[0], origin[1] - step]));
            let up = [above[0] - here[0], above[1] - here[1]];
            if up[0].hypot(up[1]) > 0.0 {
                angle += (up[1].atan2(up[0]) - (-1.0f64).atan2(0.0)).to_degrees();
            }
            origin = here;
            scale *= parent.scale;
            opacity *= parent.opacity;
        }
        let flipped = |column: &[bool]| if window(column, begin, 1).first() == Some(&true) { -1.0 } else { 1.0 };
        let (flip_x, flip_y) = (flipped(&c.rotation_keyform_flip_x), flipped(&c.rotation_keyform_flip_y));
        let (sine, cosine) = (angle + f64::from(c.rotation_base_angle[record])).to_radians().sin_cos();
        let x = [cosine * scale * flip_x, sine * scale * flip_x];
        let y = [-sine * scale * flip_y, cosine * scale * flip_y];
        Some(Field { shape: Form::Rotation { x, y, origin }, opacity, scale })
    }
}

/// The key at or before a value, and how far the value is on the way to the next one.
fn between(keys: &[f32], value: f64) -> (usize, f64) {
    let after = keys.partition_point(|key| f64::from(*key) <= value);
    match (after.checked_sub(1), keys.get(after)) {
        (Some(before), Some(next)) => {
            let key = f64::from(keys[before]);
            (before, (value - key) / (f64::from(*next) - key))
        }
        (Some(last), None) => (last, 0.0),
        (None, _) => (0, 0.0),
    }
}

impl Form {
    /// Where a point below the deformer comes to lie.
    fn apply(&self, point: Point) -> Point {
        match self {
            Self::Rotation { x, y, origin } => add(add(*origin, *x, point[0]), *y, point[1]),
            Self::Warp { grid, rows, columns, is_quad } => {
                let is_inside = point.iter().all(|n| (0.0..=1.0).contains(n));
                let inner = [point[0].clamp(0.0, 1.0), point[1].clamp(0.0, 1.0)];
                let edge = cell(grid, *rows, *columns, *is_quad || !is_inside, inner);
                if is_inside { edge } else { beyond(grid, *columns, point, inner, edge) }
            }
        }
    }
}

/// A point of the square on the grid: between the four corners of its cell, or on one of the two triangles that they make.
fn cell(grid: &[Point], rows: usize, columns: usize, is_quad: bool, point: Point) -> Point {
    let (u, v) = (point[0] * columns as f64, point[1] * rows as f64);
    let (column, row) = ((u as usize).min(columns.saturating_sub(1)), (v as usize).min(rows.saturating_sub(1)));
    let (a, b) = (u - column as f64, v - row as f64);
    let at = |row: usize, column: usize| grid.get(row * (columns + 1) + column).copied().unwrap_or_default();
    let [p00, p10, p01, p11] = [at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)];
    let towards = |from: Point, to: Point| [to[0] - from[0], to[1] - from[1]];
    if is_quad {
        mix(mix(p00, p10, a), mix(p01, p11, a), b)
    } else if a + b <= 1.0 {
        add(add(p00, towards(p00, p10), a), towards(p00, p01), b)
    } else {
        add(add(p11, towards(p11, p01), 1.0 - a), towards(p11, p10), 1.0 - b)
    }
}

/// A point outside of the square: on the parallelogram that the corners of the grid make, with what the edge differs from it, less the further away.
fn beyond(grid: &[Point], columns: usize, point: Point, inner: Point, edge: Point) -> Point {
    let corner = |index: Option<usize>| index.and_then(|index| grid.get(index)).copied().unwrap_or_default();
    let last_row = grid.len().checked_sub(columns + 1);
    let [c00, c10, c01, c11] = [corner(Some(0)), corner(Some(columns)), corner(last_row), corner(grid.len().checked_sub(1))];
    let center = [(c00[0] + c10[0] + c01[0] + c11[0]) / 4.0, (c00[1] + c10[1] + c01[1] + c11[1]) / 4.0];
    let (down, across) = ([c11[0] - c00[0], c11[1] - c00[1]], [c10[0] - c01[0], c10[1] - c01[1]]);
    let x = [(down[0] + across[0]) / 2.0, (down[1] + across[1]) / 2.0];
    let y = [(down[0] - across[0]) / 2.0, (down[1] - across[1]) / 2.0];
    let origin = add(center, down, -0.5);
    let flat = |point: Point| add(add(origin, x, point[0]), y, point[1]);
    let away = (point[0] - inner[0]).abs().max((point[1] - inner[1]).abs());
    let near = 1.0 - (away / REACH).clamp(0.0, 1.0);
    let (outer, base) = (flat(point), flat(inner));
    add(outer, [edge[0] - base[0], edge[1] - base[1]], near)
}
