//! The figure as a field of distances, and the skin drawn over it; clothes are drawn over the same field, further out.
//!
//! The distance functions are those of Inigo Quilez (round cone, ellipsoid, smooth minimum).

use glam::{Vec2, Vec3};

use crate::shape::{Point, Shape, Skin, along, lerp, mix, smoothstep};
use crate::skeleton::{FINGERS, Skeleton};

/// Parts of the field, to be added together.
pub const TORSO: u8 = 1;
pub const ARM: u8 = 2;
pub const LEG: u8 = 4;
pub const HEAD: u8 = 8;
pub const FOOT: u8 = 16;

fn ellipsoid(p: Vec3, center: Vec3, radii: Vec3) -> f32 {
    let q = p - center;
    let k0 = (q / radii).length();
    let k1 = (q / (radii * radii)).length();
    if k1 < 1e-6 { -radii.min_element() } else { k0 * (k0 - 1.0) / k1 }
}

fn cone(p: Vec3, a: Vec3, b: Vec3, ra: f32, rb: f32) -> f32 {
    let line = b - a;
    let t = ((p - a).dot(line) / line.length_squared()).clamp(0.0, 1.0);
    (p - a - line * t).length() - lerp(ra, rb, t)
}

fn join(a: f32, b: f32, k: f32) -> f32 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * k * 0.25
}

/// Distance to the surface of the chosen parts, negative inside; legs and arms are those of the side that `p` is on.
pub fn distance(p: Vec3, parts: u8) -> f32 {
    let v = Vec3::new;
    let m = v(p.x.abs(), p.y, p.z);
    let mut d = 1.0;
    if parts & TORSO != 0 {
        d = join(d, ellipsoid(m, v(0.0, 0.86, -0.012), v(0.138, 0.115, 0.1)), 0.03);
        d = join(d, ellipsoid(m, v(0.0, 0.975, -0.002), v(0.1, 0.14, 0.078)), 0.05);
        d = join(d, ellipsoid(m, v(0.0, 1.115, -0.008), v(0.112, 0.125, 0.083)), 0.05);
        d = join(d, ellipsoid(m, v(0.05, 1.118, 0.05), v(0.052, 0.054, 0.046)), 0.035);
        d = join(d, cone(m, v(0.0, 1.21, -0.014), v(0.1, 1.204, -0.012), 0.046, 0.041), 0.05);
        d = join(d, cone(m, v(0.0, 1.2, -0.014), v(0.0, 1.345, -0.004), 0.04, 0.036), 0.05);
        d = join(d, ellipsoid(m, v(0.055, 0.85, -0.06), v(0.07, 0.075, 0.06)), 0.04);
    }
    if parts & ARM != 0 {
        let arm = cone(m, v(0.1, 1.21, -0.012), v(0.335, 1.212, -0.012), 0.041, 0.031);
        let fore = cone(m, v(0.335, 1.212, -0.012), v(0.545, 1.212, -0.012), 0.032, 0.021);
        let palm = ellipsoid(m, v(0.585, 1.211, -0.012), v(0.054, 0.014, 0.036));
        d = join(d, join(join(arm, fore, 0.02), palm, 0.03), 0.035);
    }
    if parts & LEG != 0 {
        let thigh = cone(m, v(0.078, 0.83, -0.006), v(0.077, 0.465, 0.002), 0.079, 0.05);
        let shin = cone(m, v(0.077, 0.465, 0.002), v(0.079, 0.085, -0.016), 0.048, 0.031);
        let calf = ellipsoid(m, v(0.079, 0.35, -0.018), v(0.045, 0.11, 0.045));
        d = join(d, join(join(thigh, shin, 0.02), calf, 0.03), 0.03);
    }
    if parts & FOOT != 0 {
        let sole = cone(m, v(0.079, 0.035, -0.03), v(0.084, 0.026, 0.085), 0.034, 0.026);
        let ball = ellipsoid(m, v(0.083, 0.028, 0.065), v(0.037, 0.03, 0.05));
        let ankle = cone(m, v(0.079, 0.12, -0.015), v(0.08, 0.05, -0.005), 0.032, 0.034);
        d = join(d, join(join(sole, ball, 0.02), ankle, 0.04), 0.02);
    }
    if parts & HEAD != 0 {
        let skull = ellipsoid(m, v(0.0, 1.458, -0.008), v(0.086, 0.094, 0.094));
        let jaw = ellipsoid(m, v(0.0, 1.39, 0.022), v(0.063, 0.066, 0.06));
        let chin = ellipsoid(m, v(0.0, 1.34, 0.052), v(0.02, 0.018, 0.02));
        let nose = ellipsoid(m, v(0.0, 1.388, 0.084), v(0.008, 0.012, 0.012));
        let ear = ellipsoid(m, v(0.084, 1.415, -0.012), v(0.011, 0.027, 0.017));
        d = join(d, join(join(join(join(skull, jaw, 0.045), chin, 0.04), nose, 0.016), ear, 0.012), 0.02);
    }
    d
}

/// How far from `from` the field reaches along `way`, at a distance of `offset` from the surface; at most `most`.
pub fn reach(from: Vec3, way: Vec3, parts: u8, offset: f32, most: f32) -> f32 {
    let steps = 48;
    let at = |t: f32| distance(from + way * t, parts) - offset;
    for step in 1..=steps {
        let far = most * step as f32 / steps as f32;
        if at(far) > 0.0 {
            let (mut low, mut high) = (most * (step - 1) as f32 / steps as f32, far);
            for _ in 0..22 {
                let middle = (low + high) * 0.5;
                if at(middle) > 0.0 { high = middle } else { low = middle }
            }
            return (low + high) * 0.5;
        }
    }
    most
}

/// The joints that move the body and what is worn on it.
pub struct Binder {
    torso: Vec<(usize, f32)>,
    arms: [Vec<(usize, f32)>; 2],
    legs: [Vec<(usize, f32)>; 2],
    toes: [usize; 2],
    pub head: usize,
}

impl Binder {
    pub fn new(s: &Skeleton) -> Self {
        let chain = |stops: &[(&str, f32)], side: &str| -> Vec<(usize, f32)> {
            stops.iter().map(|&(name, at)| (s.find(&format!("{name}{side}")), at)).collect()
        };
        let both = |stops: &[(&str, f32)]| [chain(stops, ".L"), chain(stops, ".R")];
        Self {
            torso: chain(&[("Hips", 0.0), ("Spine", 0.95), ("Chest", 1.05), ("UpperChest", 1.14), ("Neck", 1.275), ("Head", 1.335)], ""),
            arms: both(&[("Shoulder", 0.0), ("UpperArm", 0.122), ("LowerArm", 0.335), ("Forearm Twist", 0.46), ("Hand", 0.545)]),
            legs: both(&[("UpperLeg", -2.0), ("LowerLeg", -0.465), ("Foot", -0.095)]),
            toes: [s.find("Toes.L"), s.find("Toes.R")],
            head: s.find("Head"),
        }
    }

    pub fn arm(&self, p: Vec3) -> Skin {
        let side = usize::from(p.x < 0.0);
        let arm = along(p.x.abs(), &self.arms[side], 0.032);
        mix(&self.spine(p), &arm, smoothstep(0.055, 0.125, p.x.abs()) * smoothstep(1.11, 1.18, p.y))
    }

    fn spine(&self, p: Vec3) -> Skin {
        along(p.y, &self.torso, 0.035)
    }

    pub fn leg(&self, p: Vec3, side: usize) -> Skin {
        let leg = along(-p.y, &self.legs[side], 0.045);
        let foot = mix(&leg, &vec![(self.toes[side], 1.0)], smoothstep(0.05, 0.09, p.z) * smoothstep(0.1, 0.06, p.y));
        mix(&self.spine(p), &foot, smoothstep(0.9, 0.8, p.y))
    }

    pub fn torso(&self, p: Vec3) -> Skin {
        if p.y > 1.0 {
            return self.arm(p);
        }
        let legs = mix(&self.leg(p, 1), &self.leg(p, 0), smoothstep(-0.035, 0.035, p.x));
        mix(&self.spine(p), &legs, smoothstep(0.9, 0.78, p.y))
    }
}

/// How finely a figure is drawn; 1 is the showpiece.
#[derive(Clone, Copy)]
pub struct Detail(pub f32);

impl Detail {
    pub fn of(self, count: usize) -> usize {
        ((count as f32 * self.0).round() as usize).max(4)
    }
}

/// A band around the torso: heights, the part of the circle, and how far out.
pub struct Band<'a> {
    pub rows: usize,
    pub columns: usize,
    pub heights: (f32, f32),
    /// First and last direction, in degrees from the front; the whole circle is (-180, 180).
    pub degrees: (f32, f32),
    pub parts: u8,
    pub most: f32,
    /// Distance from the skin for (height, direction in degrees).
    pub offset: &'a dyn Fn(f32, f32) -> f32,
}

impl Band<'_> {
    pub fn draw(&self, shape: &mut Shape, skin: &dyn Fn(Vec3) -> Skin) {
        shape.grid(self.rows + 1, self.columns + 1, |row, column| {
            let (t, u) = (row as f32 / self.rows as f32, column as f32 / self.columns as f32);
            let (y, degrees) = (lerp(self.heights.0, self.heights.1, t), lerp(self.degrees.0, self.degrees.1, u));
            let axis = Vec3::new(0.0, y, -0.008);
            // A whole circle must meet itself exactly.
            let way = crate::skeleton::direction(if degrees == 180.0 && self.degrees.0 == -180.0 { -180.0 } else { degrees });
            let at = axis + way * reach(axis, way, self.parts, (self.offset)(y, degrees), self.most);
            Point { at, uv: Vec2::new((degrees + 180.0) / 360.0, 1.0 - t), out: way, skin: skin(at) }
        });
    }
}

/// Sine and cosine of a column's angle; the last column meets the first exactly.
fn around(column: usize, columns: usize) -> (f32, f32) {
    ((column % columns) as f32 / columns as f32 * std::f32::consts::TAU).sin_cos()
}

/// A tube around an arm, from `from` to `to` metres off the middle; `side` is 1 for her left, -1 for her right.
pub fn sleeve(shape: &mut Shape, binder: &Binder, side: f32, along_x: (f32, f32), size: (usize, usize), offset: &dyn Fn(f32) -> f32) {
    let (rows, columns) = size;
    shape.grid(rows + 1, columns + 1, |row, column| {
        let (t, u) = (row as f32 / rows as f32, column as f32 / columns as f32);
        let x = lerp(along_x.0, along_x.1, t);
        let axis = Vec3::new(side * x, lerp(1.208, 1.212, smoothstep(0.1, 0.3, x)), -0.012);
        let (sin, cos) = around(column, columns);
        let way = Vec3::new(0.0, cos, -sin * side);
        let most = lerp(0.068, 0.085, smoothstep(0.09, 0.15, x));
        let at = axis + way * reach(axis, way, ARM | TORSO, offset(x), most);
        Point { at, uv: Vec2::new(u, t), out: way, skin: binder.arm(at) }
    });
}

/// A tube around a leg, from height `heights.0` down to `heights.1`; `side` is 1 for her left, -1 for her right.
pub fn leg_tube(shape: &mut Shape, binder: &Binder, side: f32, heights: (f32, f32), size: (usize, usize), offset: &dyn Fn(f32) -> f32) {
    let (rows, columns) = size;
    shape.grid(rows + 1, columns + 1, |row, column| {
        let (t, u) = (row as f32 / rows as f32, column as f32 / columns as f32);
        let y = lerp(heights.0, heights.1, t);
        let axis = Vec3::new(side * lerp(0.079, 0.076, smoothstep(0.4, 0.85, y)), y, lerp(-0.016, -0.004, smoothstep(0.1, 0.45, y)));
        let (sin, cos) = around(column, columns);
        let way = Vec3::new(-sin * side, 0.0, -cos);
        let inward = lerp(0.14, 0.0715 + 0.5 * offset(y), smoothstep(0.0, 0.5, sin));
        let at = axis + way * reach(axis, way, LEG | if y > 0.7 { TORSO } else { FOOT }, offset(y), inward);
        Point { at, uv: Vec2::new(u, t), out: way, skin: binder.leg(at, usize::from(side < 0.0)) }
    });
}

/// A foot or shoe: a tube from heel to toe, closed at both ends and flat below.
pub fn foot_tube(shape: &mut Shape, binder: &Binder, side: f32, size: (usize, usize), offset: f32, floor: f32) {
    let (rows, columns) = size;
    let (heel, toe) = (-0.063 - offset, 0.11 + offset);
    shape.grid(rows + 1, columns + 1, |row, column| {
        let (t, u) = (row as f32 / rows as f32, column as f32 / columns as f32);
        let z = lerp(heel, toe, 0.5 - 0.5 * (t * std::f32::consts::PI).cos());
        let axis = Vec3::new(side * lerp(0.079, 0.084, t), lerp(0.034, 0.026, t), z);
        let (sin, cos) = around(column, columns);
        let way = Vec3::new(sin * side, -cos, 0.0);
        let end = row == 0 || row == rows;
        let mut at = axis + if end { Vec3::ZERO } else { way * reach(axis, way, FOOT, offset, 0.075) };
        at.y = at.y.max(floor).min(0.1);
        Point { at, uv: Vec2::new(u, t), out: way, skin: binder.leg(at, usize::from(side < 0.0)) }
    });
}

/// The whole skin below the head, as if nothing were worn.
pub fn body(binder: &Binder, detail: Detail) -> Shape {
    let mut shape = Shape::new();
    Band {
        rows: detail.of(34),
        columns: detail.of(36),
        heights: (0.775, 1.345),
        degrees: (-180.0, 180.0),
        parts: TORSO | LEG,
        most: 0.16,
        offset: &|_, _| 0.0,
    }
    .draw(&mut shape, &|p| binder.torso(p));
    for side in [1.0, -1.0] {
        leg_tube(&mut shape, binder, side, (0.8, 0.06), (detail.of(36), detail.of(22)), &|y| -0.003 * smoothstep(0.77, 0.8, y));
        sleeve(&mut shape, binder, side, (0.095, 0.625), (detail.of(34), detail.of(18)), &|x| -0.003 * smoothstep(0.12, 0.1, x));
        foot_tube(&mut shape, binder, side, (detail.of(14), detail.of(16)), 0.0, 0.006);
    }
    shape
}

/// The ten fingers; each a tube that closes at its tip.
pub fn fingers(shape: &mut Shape, skeleton: &Skeleton, detail: Detail) {
    for (side, letter) in [(1.0, "L"), (-1.0, "R")] {
        for (finger, at, way) in FINGERS {
            let names = if finger == "Thumb" { ["Metacarpal", "Proximal", "Distal"] } else { ["Proximal", "Intermediate", "Distal"] };
            let joints = names.map(|name| skeleton.find(&format!("{finger}{name}.{letter}")));
            let chain = [(skeleton.find(&format!("Hand.{letter}")), -1.0), (joints[0], 0.0), (joints[1], 0.42), (joints[2], 0.74)];
            let (rows, columns) = (detail.of(10), detail.of(9));
            let across = way.cross(Vec3::Y).normalize();
            let up = across.cross(way).normalize();
            shape.grid(rows + 1, columns + 1, |row, column| {
                let (t, u) = (row as f32 / rows as f32 * 1.12 - 0.12, column as f32 / columns as f32);
                let (sin, cos) = (u * std::f32::consts::TAU).sin_cos();
                let radius = if finger == "Thumb" { 0.0098 } else { 0.0086 };
                let tip = if t > 0.8 { (1.0 - ((t - 0.8) / 0.2).powi(2)).max(0.0).sqrt() } else { 1.0 };
                let out = across * cos + up * sin;
                let place = at + way * t + out * radius * tip * lerp(1.0, 0.82, t.max(0.0));
                let mirror = |p: Vec3| Vec3::new(p.x * side, p.y, p.z);
                Point { at: mirror(place), uv: Vec2::new(u, t.max(0.0)), out: mirror(out), skin: along(t, &chain, 0.06) }
            });
        }
    }
}
