//! The face: skin, eyes, brows and mouth, drawn once for each expression so that morphs are plain differences.

use glam::{Vec2, Vec3};

use crate::figure::{Binder, Detail, HEAD, distance, reach};
use crate::shape::{Morph, Point, Shape, Skin, lerp, smoothstep};
use crate::skeleton::Skeleton;

/// What a face is doing; zero everywhere is at rest.
#[derive(Clone, Copy, Default)]
pub struct Mood {
    /// How far the lids close, her left and right: 0 open, 1 closed.
    pub close: [f32; 2],
    /// How far the closing bends upward, as in a laugh.
    pub laugh: f32,
    pub wide: f32,
    pub brow_raise: f32,
    /// Inner ends down (angry) above zero, up (sad) below.
    pub brow_turn: f32,
    pub mouth_open: f32,
    /// Added to the width of the mouth, in parts of it.
    pub mouth_wide: f32,
    /// Corners up above zero.
    pub smile: f32,
}

/// Morph targets in the order they have in the file.
pub fn moods() -> Vec<(&'static str, Mood)> {
    let rest = Mood::default();
    vec![
        ("happy", Mood { close: [1.0; 2], laugh: 1.0, brow_raise: 0.5, smile: 1.0, mouth_open: 0.35, mouth_wide: 0.25, ..rest }),
        ("angry", Mood { close: [0.25; 2], brow_turn: 1.0, brow_raise: -0.4, smile: -0.8, mouth_wide: -0.1, ..rest }),
        ("sad", Mood { close: [0.35; 2], brow_turn: -1.0, brow_raise: 0.2, smile: -0.7, mouth_wide: -0.15, ..rest }),
        ("relaxed", Mood { close: [0.55; 2], laugh: 0.4, smile: 0.6, ..rest }),
        ("surprised", Mood { wide: 1.0, brow_raise: 1.0, mouth_open: 0.6, mouth_wide: -0.35, ..rest }),
        ("aa", Mood { mouth_open: 1.0, mouth_wide: 0.05, ..rest }),
        ("ih", Mood { mouth_open: 0.35, mouth_wide: 0.3, ..rest }),
        ("ou", Mood { mouth_open: 0.4, mouth_wide: -0.5, ..rest }),
        ("ee", Mood { mouth_open: 0.5, mouth_wide: 0.2, smile: 0.3, ..rest }),
        ("oh", Mood { mouth_open: 0.8, mouth_wide: -0.35, ..rest }),
        ("blinkLeft", Mood { close: [1.0, 0.0], ..rest }),
        ("blinkRight", Mood { close: [0.0, 1.0], ..rest }),
        ("smile", Mood { smile: 0.8, mouth_wide: 0.15, ..rest }),
        ("browUp", Mood { brow_raise: 1.0, ..rest }),
    ]
}

/// The middle of her left eye on the face.
pub const EYE: Vec2 = Vec2::new(0.0365, 1.412);
const EYE_SIZE: Vec2 = Vec2::new(0.0205, 0.0185);
const MOUTH: f32 = 1.3585;

/// A place on the front of the face, `lift` metres in front of the skin.
fn front(x: f32, y: f32, lift: f32) -> Vec3 {
    let inside = Vec3::new(x, y, 0.0);
    Vec3::new(x, y, reach(inside, Vec3::Z, HEAD, 0.0, 0.2) + lift)
}

/// Upper and lower lid at `u`, from the inner corner (-1) to the outer (1), from the middle of the eye.
fn lids(mood: &Mood, side: usize, u: f32) -> (f32, f32) {
    let round = (1.0 - u * u).max(0.0);
    let open = EYE_SIZE.y * (1.0 + 0.12 * mood.wide);
    let slant = 0.0018 * u;
    let (upper, lower) = (open * round.sqrt() + slant, -open * 0.94 * round.powf(0.6) + slant);
    let shut = lerp(-0.55 * EYE_SIZE.y * round, 0.45 * EYE_SIZE.y * round - 0.004, mood.laugh) + slant;
    let close = mood.close[side];
    (lerp(upper, shut + 0.0004, close), lerp(lower, shut, close * lerp(0.9, 1.0, mood.laugh)))
}

/// Squares of the picture that the features are painted on: left, top, width and height in texture coordinates.
pub mod atlas {
    pub const IRIS: [f32; 4] = [0.0, 0.0, 0.5, 0.5];
    pub const MOUTH: [f32; 4] = [0.5, 0.0, 0.25, 0.5];
    pub const WHITE: [f32; 4] = [0.75, 0.0, 0.25, 0.25];
    pub const LASH: [f32; 4] = [0.75, 0.25, 0.25, 0.125];
    pub const BROW: [f32; 4] = [0.75, 0.375, 0.25, 0.125];
}

fn on([left, top, width, height]: [f32; 4], u: f32, v: f32) -> Vec2 {
    Vec2::new(left + width * (0.02 + 0.96 * u), top + height * (0.02 + 0.96 * v))
}

/// Draws the head: part 0 the skin, part 1 the features, part 2 the blush.
fn draw(mood: &Mood, skeleton: &Skeleton, binder: &Binder, detail: Detail) -> Shape {
    let mut shape = Shape::new();
    let head: Skin = vec![(binder.head, 1.0)];
    let (rows, columns) = (detail.of(28), detail.of(40));
    let center = Vec3::new(0.0, 1.42, 0.005);
    let jaw = mood.mouth_open * 0.009;
    shape.grid(rows + 1, columns + 1, |row, column| {
        let (t, u) = (row as f32 / rows as f32, column as f32 / columns as f32);
        let (down, around) = (t * std::f32::consts::PI, (u - 0.5) * std::f32::consts::TAU);
        // More columns at the front, where the face is.
        let around = around - 0.35 * around.sin();
        let way = Vec3::new(around.sin() * down.sin(), down.cos(), around.cos() * down.sin());
        let mut at = center + way * reach(center, way, HEAD, 0.0, 0.2);
        at.y -= jaw * smoothstep(1.372, 1.345, at.y) * smoothstep(0.0, 0.03, at.z);
        Point { at, uv: Vec2::new(around / std::f32::consts::TAU + 0.5, t), out: way, skin: head.clone() }
    });
    shape.next_part();
    for (side, letter) in [(0, "L"), (1, "R")] {
        let mirror = if side == 0 { 1.0 } else { -1.0 };
        let eye: Skin = vec![(skeleton.find(&format!("Eye.{letter}")), 1.0)];
        let place = |x: f32, y: f32, lift: f32| front(mirror * (EYE.x + x), EYE.y + y, lift);
        let strip = |shape: &mut Shape, size: (usize, usize), skin: &Skin, point: &dyn Fn(f32, f32) -> (Vec3, Vec2)| {
            shape.grid(size.0 + 1, size.1 + 1, |row, column| {
                let (at, uv) = point(column as f32 / size.1 as f32, row as f32 / size.0 as f32);
                Point { at, uv, out: Vec3::Z, skin: skin.clone() }
            });
        };
        let around = detail.of(12);
        strip(&mut shape, (3, around), &head, &|u, v| {
            let x = u * 2.0 - 1.0;
            let (upper, lower) = lids(mood, side, x);
            (place(x * EYE_SIZE.x, lerp(upper, lower, v), 0.0006), on(atlas::WHITE, u, v))
        });
        strip(&mut shape, (4, around), &eye, &|u, v| {
            let angle = (u * 2.0 - 1.0) * std::f32::consts::FRAC_PI_2;
            let flat = Vec2::new(angle.sin(), (1.0 - 2.0 * v) * angle.cos()) * Vec2::new(0.0142, 0.0172);
            let (upper, lower) = lids(mood, side, (flat.x / EYE_SIZE.x).clamp(-1.0, 1.0));
            let y = (flat.y - 0.0005).clamp(lower, upper.max(lower));
            let picture = Vec2::new(0.5 + 0.5 * angle.sin(), 0.5 - 0.5 * flat.y / 0.0172);
            (place(flat.x, y, 0.0014), on(atlas::IRIS, picture.x, picture.y))
        });
        strip(&mut shape, (1, around), &head, &|u, v| {
            let x = u * 2.0 - 1.0;
            let (upper, _) = lids(mood, side, x * 0.98);
            let thick = lerp(0.0012, 0.0042, smoothstep(-1.0, 0.8, x)) * if x > 0.99 { 0.4 } else { 1.0 };
            (place(x * EYE_SIZE.x * 1.06, upper + thick * (1.0 - v) - 0.0006, 0.0022), on(atlas::LASH, u, v))
        });
        strip(&mut shape, (1, detail.of(8)), &head, &|u, v| {
            let x = u * 2.0 - 1.0;
            let arc = 0.004 * (1.0 - x * x) - 0.001 * x;
            let turn = mood.brow_turn * 0.0055 * x;
            let thick = 0.0038 * (1.0 - 0.55 * u) * (1.0 - (x.abs() - 0.85).max(0.0) * 4.0);
            let y = 0.0315 + arc + turn + mood.brow_raise * 0.006 - mood.brow_turn.abs() * 0.001 + (0.5 - v) * thick;
            (place(x * 0.0185 - 0.0005, y, 0.0012), on(atlas::BROW, u, v))
        });
    }
    shape.grid(5, detail.of(12) + 1, |row, column| {
        let (u, v) = (column as f32 / detail.of(12) as f32, row as f32 / 4.0);
        let x = u * 2.0 - 1.0;
        let half = 0.0145 * (1.0 + mood.mouth_wide);
        let line = MOUTH + 0.0042 * (mood.smile + 0.35) * (x * x - 0.4);
        let round = (1.0 - x * x).max(0.0).sqrt();
        let (upper, lower) = (0.0007 + 0.004 * mood.mouth_open * round, 0.0007 + 0.0165 * mood.mouth_open * round);
        let at = front(x * half, lerp(line + upper, line - lower, v), 0.0012);
        Point { at, uv: on(atlas::MOUTH, u, v), out: Vec3::Z, skin: head.clone() }
    });
    shape.next_part();
    for mirror in [1.0, -1.0] {
        shape.grid(4, 5, |row, column| {
            let (u, v) = (column as f32 / 4.0, row as f32 / 3.0);
            let at = front(mirror * (0.047 + (u - 0.5) * 0.026), 1.384 + (0.5 - v) * 0.016, 0.0007);
            Point { at, uv: Vec2::new(u, v), out: Vec3::Z, skin: head.clone() }
        });
    }
    shape
}

/// The face with all its morphs.
pub fn face(skeleton: &Skeleton, binder: &Binder, detail: Detail) -> Shape {
    let mut shape = draw(&Mood::default(), skeleton, binder, detail);
    shape.smooth();
    // Features are flat stickers: they take the light of the skin below them.
    for (place, normal) in shape.positions.iter().zip(&mut shape.normals) {
        *normal = slope(*place);
    }
    shape.morphs = moods()
        .into_iter()
        .map(|(name, mood)| {
            let moved = draw(&mood, skeleton, binder, detail);
            let delta = |(to, from): (&Vec3, &Vec3)| {
                let d = *to - *from;
                if d.length() < 2e-6 { Vec3::ZERO } else { d }
            };
            let positions = moved.positions.iter().zip(&shape.positions).map(delta).collect();
            Morph { name: name.to_owned(), positions, normals: None }
        })
        .collect();
    shape
}

fn slope(p: Vec3) -> Vec3 {
    let e = 0.002;
    let d = |way: Vec3| distance(p + way * e, HEAD) - distance(p - way * e, HEAD);
    Vec3::new(d(Vec3::X), d(Vec3::Y), d(Vec3::Z)).normalize_or(Vec3::Z)
}
