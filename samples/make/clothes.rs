//! What can be worn: garments drawn over the figure, a little further out than the skin.

use glam::{Vec2, Vec3};

use crate::figure::{Band, Binder, Detail, HEAD, LEG, TORSO, foot_tube, leg_tube, reach, sleeve};
use crate::shape::{Point, Shape, Skin, curve, lerp, mix, smoothstep};
use crate::skeleton::{SKIRT, SKIRT_HEIGHTS, Skeleton, direction};

/// Small folds in a cloth, between -1 and 1.
fn folds(p: f32, q: f32) -> f32 {
    ((p * 23.0 + (q * 0.05).sin() * 2.0).sin() + (p * 41.0 + q * 0.11).sin()) * 0.5
}

/// A shirt with short sleeves.
pub fn top(binder: &Binder, detail: Detail) -> Shape {
    let mut shape = Shape::new();
    Band {
        rows: detail.of(26),
        columns: detail.of(44),
        heights: (0.885, 1.268),
        degrees: (-180.0, 180.0),
        parts: TORSO | LEG,
        most: 0.175,
        offset: &|y, degrees| {
            let hem = smoothstep(0.98, 0.93, y) * 0.0075;
            let neck = smoothstep(1.24, 1.268, y) * 0.004;
            0.0065 + hem + neck + 0.0015 * folds(y, degrees) * smoothstep(1.1, 1.0, y)
        },
    }
    .draw(&mut shape, &|p| binder.torso(p));
    for side in [1.0, -1.0] {
        let first = shape.uvs.len();
        sleeve(&mut shape, binder, side, (0.092, 0.215), (detail.of(10), detail.of(22)), &|x| {
            0.0065 + 0.006 * smoothstep(0.13, 0.21, x) - 0.004 * smoothstep(0.11, 0.092, x)
        });
        shape.uvs[first..].iter_mut().for_each(|uv| uv.y *= 0.3);
    }
    shape.smooth();
    shape
}

/// A jacket, open in front, with long sleeves and a collar; it has no inside, its material shows both faces.
pub fn jacket(binder: &Binder, detail: Detail) -> Shape {
    let mut shape = Shape::new();
    let offset = |y: f32, degrees: f32| {
        let front = smoothstep(55.0, 25.0, degrees.abs());
        0.017
            + 0.006 * front
            + 0.008 * smoothstep(0.95, 0.86, y)
            + 0.01 * smoothstep(1.24, 1.285, y)
            + 0.002 * folds(y, degrees) * (1.0 - front)
    };
    for (first, last) in [(-180.0, -24.0), (24.0, 180.0)] {
        Band {
            rows: detail.of(26),
            columns: detail.of(24),
            heights: (0.85, 1.285),
            degrees: (first, last),
            parts: TORSO | LEG,
            most: 0.185,
            offset: &offset,
        }
        .draw(&mut shape, &|p| binder.torso(p));
    }
    for side in [1.0, -1.0] {
        sleeve(&mut shape, binder, side, (0.098, 0.52), (detail.of(26), detail.of(22)), &|x| {
            0.014 + 0.006 * smoothstep(0.2, 0.5, x) + 0.0022 * folds(x, 0.0) - 0.004 * smoothstep(0.12, 0.098, x)
        });
    }
    shape.smooth();
    shape
}

/// Long trousers.
pub fn trousers(binder: &Binder, detail: Detail) -> Shape {
    let mut shape = Shape::new();
    Band {
        rows: detail.of(14),
        columns: detail.of(40),
        heights: (0.75, 0.955),
        degrees: (-180.0, 180.0),
        parts: TORSO | LEG,
        most: 0.17,
        offset: &|_, _| 0.0045,
    }
    .draw(&mut shape, &|p| binder.torso(p));
    for side in [1.0, -1.0] {
        leg_tube(&mut shape, binder, side, (0.8, 0.075), (detail.of(34), detail.of(24)), &|y| {
            0.0045 + 0.012 * smoothstep(0.5, 0.1, y) + 0.0015 * folds(y, 0.0) * smoothstep(0.75, 0.6, y) - 0.003 * smoothstep(0.77, 0.8, y)
        });
    }
    shape.smooth();
    shape
}

/// Ankle boots.
pub fn shoes(binder: &Binder, detail: Detail) -> Shape {
    let mut shape = Shape::new();
    for side in [1.0, -1.0] {
        foot_tube(&mut shape, binder, side, (detail.of(18), detail.of(22)), 0.008, 0.0);
        let shaft = shape.uvs.len();
        leg_tube(&mut shape, binder, side, (0.15, 0.055), (detail.of(7), detail.of(22)), &|y| 0.0075 + 0.004 * smoothstep(0.13, 0.15, y));
        // The edge of the picture is the sole.
        shape.uvs[shaft..].iter_mut().for_each(|uv| uv.x = 0.3 + 0.4 * uv.x);
    }
    shape.smooth();
    shape
}

/// The joints of a skirt around her, at a direction and a height.
fn skirt_skin(skeleton: &Skeleton, binder: &Binder, degrees: f32, p: Vec3) -> Skin {
    let turn = degrees.rem_euclid(360.0) / 45.0;
    let (first, part) = (turn.floor() as usize % SKIRT.len(), turn.fract());
    let chain = |index: usize| -> Skin {
        let name = SKIRT[index % SKIRT.len()];
        let joints = [format!("Skirt.{name}"), format!("Skirt.{name}.001"), format!("Skirt.{name}.002")].map(|n| skeleton.find(&n));
        let stops = [(joints[0], -2.0), (joints[1], -SKIRT_HEIGHTS[1]), (joints[2], -SKIRT_HEIGHTS[2])];
        crate::shape::along(-p.y, &stops, 0.05)
    };
    let hanging = mix(&chain(first), &chain(first + 1), smoothstep(0.0, 1.0, part));
    mix(&vec![(binder.torso(p)[0].0, 1.0)], &hanging, smoothstep(0.925, 0.87, p.y))
}

/// How a skirt falls: heights, how far it flares, and how deep its pleats are.
struct Fall {
    heights: (f32, f32),
    /// Distance from the skin where it sits on the hips.
    waist: f32,
    flare: f32,
    pleats: f32,
    pleat: f32,
}

fn fall(shape: &mut Shape, skeleton: &Skeleton, binder: &Binder, size: (usize, usize), fall: &Fall) {
    let (rows, columns) = size;
    shape.grid(rows + 1, columns + 1, |row, column| {
        let (t, u) = (row as f32 / rows as f32, column as f32 / columns as f32);
        let (y, degrees) = (lerp(fall.heights.0, fall.heights.1, t), u * 360.0);
        let way = direction(degrees % 360.0);
        let axis = Vec3::new(0.0, y, -0.008);
        let cloth = reach(axis, way, TORSO | LEG, fall.waist, 0.2);
        let down = (0.86 - y).max(0.0);
        let hip = 0.135 + down * fall.flare;
        let ring = Vec2::new(way.x / hip, way.z / (hip * 0.94)).length().recip();
        let wave = fall.pleat * smoothstep(0.0, 0.3, down) * ((degrees % 360.0).to_radians() * fall.pleats).sin();
        let far = cloth.max(ring * smoothstep(0.92, 0.82, y)) + wave;
        let at = axis + way * far;
        Point { at, uv: Vec2::new(u, t), out: way, skin: skirt_skin(skeleton, binder, degrees, at) }
    });
}

/// A pleated skirt that moves with its ring of bones.
pub fn skirt(skeleton: &Skeleton, binder: &Binder, detail: Detail) -> Shape {
    let mut shape = Shape::new();
    let size = (detail.of(16), detail.of(80));
    fall(&mut shape, skeleton, binder, size, &Fall { heights: (0.955, 0.56), waist: 0.0045, flare: 0.5, pleats: 20.0, pleat: 0.011 });
    shape.smooth();
    shape
}

/// A dress without sleeves; its skirt moves with the same bones as the skirt does.
pub fn dress(skeleton: &Skeleton, binder: &Binder, detail: Detail) -> Shape {
    let mut shape = Shape::new();
    Band {
        rows: detail.of(18),
        columns: detail.of(44),
        heights: (0.94, 1.2),
        degrees: (-180.0, 180.0),
        parts: TORSO,
        most: 0.175,
        offset: &|y, _| 0.0055 + 0.002 * smoothstep(1.17, 1.2, y),
    }
    .draw(&mut shape, &|p| binder.torso(p));
    // The bodice is the upper fifth of the picture, the skirt the rest.
    shape.uvs.iter_mut().for_each(|uv| uv.y *= 0.2);
    for side in [1.0, -1.0] {
        strap(&mut shape, binder, side, detail);
    }
    let first = shape.uvs.len();
    let size = (detail.of(22), detail.of(72));
    fall(&mut shape, skeleton, binder, size, &Fall { heights: (0.945, 0.47), waist: 0.009, flare: 0.52, pleats: 9.0, pleat: 0.015 });
    shape.uvs[first..].iter_mut().for_each(|uv| uv.y = 0.2 + 0.8 * uv.y);
    shape.smooth();
    shape
}

/// A strap over one shoulder, from the front to the back.
fn strap(shape: &mut Shape, binder: &Binder, side: f32, detail: Detail) {
    let rows = detail.of(14);
    shape.grid(rows + 1, 4, |row, column| {
        let t = row as f32 / rows as f32;
        let x = side * (lerp(0.055, 0.062, (t * std::f32::consts::PI).sin()) + (column as f32 / 3.0 - 0.5) * 0.016);
        // Around the shoulder line, seen from the side; a little under the edge of the bodice at both ends.
        let angle = lerp(-15.0, 195.0, t).to_radians();
        let axis = Vec3::new(x, 1.19, -0.012);
        let way = Vec3::new(0.0, angle.sin(), angle.cos());
        let at = axis + way * reach(axis, way, TORSO, 0.005, 0.2);
        Point { at, uv: Vec2::new(0.5 + x, 0.05), out: way, skin: binder.torso(at) }
    });
}

/// Round glasses on the head: part 0 the frame, part 1 the lenses.
pub fn glasses(binder: &Binder, detail: Detail) -> Shape {
    let mut shape = Shape::new();
    let head: Skin = vec![(binder.head, 1.0)];
    let eye = crate::head::EYE;
    let plane = |x: f32, y: f32| Vec3::new(x, y, 0.104 - 3.2 * x * x - 0.1 * (y - eye.y).abs());
    let (around, radius) = (detail.of(28), 0.0295);
    let mut tube = |rows: usize, path: &dyn Fn(f32) -> Vec3, thick: f32| {
        shape.grid(rows + 1, 7, |row, column| {
            let t = row as f32 / rows as f32;
            let (sin, cos) = (column as f32 / 6.0 * std::f32::consts::TAU).sin_cos();
            let forward = (path(t + 0.01) - path(t - 0.01)).normalize_or(Vec3::Z);
            let across = forward.cross(Vec3::new(0.0, 0.3, 0.95)).normalize_or(Vec3::X);
            let out = across * cos + across.cross(forward) * sin;
            Point { at: path(t) + out * thick, uv: Vec2::new(column as f32 / 6.0, t), out, skin: head.clone() }
        });
    };
    for side in [1.0, -1.0] {
        let ring = move |t: f32| {
            let (sin, cos) = (t * std::f32::consts::TAU).sin_cos();
            plane(side * (eye.x + 0.001 + radius * cos), eye.y - 0.002 + radius * 0.88 * sin)
        };
        tube(around, &ring, 0.0014);
        let hinge = plane(side * (eye.x + 0.001 + radius), eye.y - 0.002);
        let ear = Vec3::new(side * 0.094, 1.425, -0.02);
        let temple = move |t: f32| hinge.lerp(ear, t) + Vec3::X * side * 0.006 * (t * std::f32::consts::PI).sin();
        tube(detail.of(8), &temple, 0.0012);
    }
    tube(detail.of(6), &|t| plane(lerp(-0.0085, 0.0085, t), eye.y + 0.003 * (t * std::f32::consts::PI).sin()) + Vec3::Z * 0.001, 0.0013);
    shape.next_part();
    for side in [1.0, -1.0] {
        shape.grid(detail.of(5), around + 1, |row, column| {
            let (sin, cos) = (column as f32 / around as f32 * std::f32::consts::TAU).sin_cos();
            let r = radius * row as f32 / (detail.of(5) - 1) as f32;
            let at = plane(side * (eye.x + 0.001 + r * cos), eye.y - 0.002 + r * 0.88 * sin);
            let uv = Vec2::new(0.5 + 0.5 * cos * r / radius, 0.5 - 0.5 * sin * r / radius);
            Point { at, uv, out: Vec3::Z, skin: head.clone() }
        });
    }
    shape.smooth();
    shape
}

/// How far the skull reaches from its middle in a direction, for what is worn on the head.
pub fn skull(way: Vec3, offset: f32) -> Vec3 {
    let center = Vec3::new(0.0, 1.42, 0.0);
    center + way * reach(center, way, HEAD, offset, 0.25)
}

/// How far a place must move to be `margin` off the torso; hair hangs outside of it.
pub fn clear(p: Vec3, margin: f32) -> f32 {
    margin - crate::figure::distance(p, TORSO)
}

/// The height of the hair line in degrees above the middle of the head, for a direction in degrees from the front.
pub fn hair_line(degrees: f32) -> f32 {
    curve(&[(0.0, 40.0), (35.0, 36.0), (62.0, 14.0), (80.0, 18.0), (100.0, 2.0), (130.0, -38.0), (180.0, -46.0)], degrees.abs())
}
