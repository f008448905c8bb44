//! Hair: a cap over the skull, a fringe that keeps still, and strands with bones that swing.

use glam::{Vec2, Vec3};

use crate::clothes::{clear, hair_line, skull};
use crate::figure::{Binder, Detail};
use crate::shape::{Point, Shape, Skin, along, curve, lerp};
use crate::skeleton::{STRANDS, Skeleton, direction, strand};

/// A lock along a path: flat, widest in the middle, closed at its tip.
struct Lock<'a> {
    path: &'a dyn Fn(f32) -> Vec3,
    /// Away from the head at `t`.
    out: &'a dyn Fn(f32) -> Vec3,
    width: &'a dyn Fn(f32) -> f32,
    thick: f32,
    skin: &'a dyn Fn(f32) -> Skin,
    /// Left edge and width of the lock in the picture.
    picture: (f32, f32),
}

impl Lock<'_> {
    fn draw(&self, shape: &mut Shape, rows: usize, columns: usize) {
        shape.grid(rows + 1, columns + 1, |row, column| {
            let (t, u) = (row as f32 / rows as f32, column as f32 / columns as f32);
            let (sin, cos) = (u * std::f32::consts::TAU).sin_cos();
            let down = ((self.path)((t + 0.02).min(1.0)) - (self.path)((t - 0.02).max(0.0))).normalize_or(Vec3::NEG_Y);
            let across = down.cross((self.out)(t)).normalize_or(Vec3::X);
            let up = across.cross(down).normalize_or(Vec3::Z);
            let width = (self.width)(t);
            // Arched over its width, so that the lock hugs the head.
            let bend = -0.22 * width * cos * cos;
            let thick = self.thick * (width / 0.03).min(1.0);
            let at = (self.path)(t) + across * cos * width + up * (sin * thick + bend);
            Point { at, uv: Vec2::new(self.picture.0 + self.picture.1 * u, t), out: across * cos * 0.3 + up * sin, skin: (self.skin)(t) }
        });
    }
}

/// Pushes a place out of the body, along a direction.
fn outside(mut p: Vec3, way: Vec3, margin: f32) -> Vec3 {
    for _ in 0..12 {
        p += way * clear(p, margin).max(0.0);
    }
    p
}

/// All of the hair in one mesh.
pub fn hair(skeleton: &Skeleton, binder: &Binder, detail: Detail) -> Shape {
    let mut shape = Shape::new();
    let head: Skin = vec![(binder.head, 1.0)];
    let (rows, columns) = (detail.of(16), detail.of(48));
    shape.grid(rows + 1, columns + 1, |row, column| {
        let (t, u) = (row as f32 / rows as f32, column as f32 / columns as f32);
        let degrees = (u - 0.5) * 360.0;
        let up = lerp(90.0, hair_line(degrees), t).to_radians();
        let way = direction(degrees) * up.cos() + Vec3::Y * up.sin();
        let strands = 0.0016 * (degrees * 0.35).sin() * t;
        let at = skull(way, 0.016 + strands - 0.013 * (t - 0.8).max(0.0) * 5.0);
        Point { at, uv: Vec2::new(u, t * 0.5), out: way, skin: head.clone() }
    });
    for (index, (degrees, width, length)) in FRINGE.iter().enumerate() {
        let path = |t: f32| {
            let up = lerp(76.0, 76.0 - length, t).to_radians();
            let side = degrees * curve(&[(0.0, 0.55), (0.5, 0.92), (1.0, 1.1)], t);
            let way = direction(side) * up.cos() + Vec3::Y * up.sin();
            skull(way, curve(&[(0.0, 0.013), (0.4, 0.022), (1.0, 0.013)], t))
        };
        let out = |t: f32| (path(t) - Vec3::new(0.0, 1.42, 0.0)).normalize();
        let taper = |t: f32| width * curve(&[(0.0, 0.5), (0.35, 1.0), (0.7, 0.8), (1.0, 0.03)], t);
        let picture = (index as f32 * 0.13 % 0.8, 0.2);
        Lock { path: &path, out: &out, width: &taper, thick: 0.006, skin: &|_| head.clone(), picture }.draw(
            &mut shape,
            detail.of(12),
            detail.of(10),
        );
    }
    for (index, (name, degrees, bottom)) in STRANDS.iter().enumerate() {
        let front = degrees.abs() < 80.0;
        let way = direction(*degrees);
        let path = |t: f32| {
            outside(
                strand(*degrees, *bottom, t),
                if front { Vec3::new(way.x * 0.2, 0.0, 1.0) } else { Vec3::new(way.x * 0.3, 0.0, -1.0) },
                if front { 0.014 } else { 0.024 },
            )
        };
        let out = |_: f32| way;
        let full = if front { 0.023 } else { 0.041 };
        let taper = |t: f32| full * curve(&[(0.0, 0.75), (0.3, 1.0), (0.7, 0.85), (1.0, 0.03)], t);
        let joints = [0, 1, 2].map(|joint| skeleton.find(&format!("Hair {name}.{joint:03}")));
        let skin = |t: f32| along(t, &[(binder.head, -1.0), (joints[0], 0.1), (joints[1], 0.34), (joints[2], 0.67)], 0.1);
        let picture = (index as f32 * 0.11 % 0.75, 0.24);
        Lock { path: &path, out: &out, width: &taper, thick: 0.011, skin: &skin, picture }.draw(&mut shape, detail.of(20), detail.of(12));
    }
    shape.smooth();
    shape
}

/// The fringe: direction in degrees, half width in metres, length in degrees over the skull.
const FRINGE: [(f32, f32, f32); 7] = [
    (-52.0, 0.017, 76.0),
    (-34.0, 0.019, 66.0),
    (-13.0, 0.019, 59.0),
    (8.0, 0.02, 60.0),
    (27.0, 0.019, 63.0),
    (44.0, 0.018, 70.0),
    (58.0, 0.015, 80.0),
];
