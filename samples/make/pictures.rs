//! The pictures that the figures wear, each painted by a small formula.

use glam::{Vec2, Vec3};

use crate::head::atlas;
use crate::paint::{Ink, Keep, ink, jpeg, noise, png};
use crate::shape::{lerp, smoothstep};

const CLEAR: Ink = Ink(Vec3::ZERO, 0.0);

/// A soft-edged ellipse: 1 inside, 0 outside.
fn spot(p: Vec2, center: Vec2, radii: Vec2, edge: f32) -> f32 {
    smoothstep(1.0 + edge, 1.0 - edge, ((p - center) / radii).length())
}

fn line(distance: f32, width: f32, edge: f32) -> f32 {
    smoothstep(width + edge, width - edge, distance.abs())
}

pub fn skin(size: u32, tone: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let warm = 0.5 + 0.5 * (u * std::f32::consts::TAU).cos() * (v * 9.0).sin();
        ink(tone).mix(ink(0xF2B8A0), 0.16 * warm)
    })
}

pub fn face(size: u32, tone: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let p = Vec2::new((u - 0.5).abs(), v);
        let cheek = spot(p, Vec2::new(0.075, 0.6), Vec2::new(0.045, 0.045), 0.9);
        let lids = spot(p, Vec2::new(0.058, 0.47), Vec2::new(0.05, 0.03), 0.8);
        let nose = spot(p, Vec2::new(0.0, 0.603), Vec2::new(0.008, 0.008), 0.8);
        let lip = spot(p, Vec2::new(0.0, 0.745), Vec2::new(0.02, 0.016), 0.7);
        let mut color = ink(tone);
        for (amount, over) in [(cheek * 0.45, 0xF59A8C), (lids * 0.2, 0xE79A86), (nose * 0.35, 0xEFA290), (lip * 0.3, 0xE98C84)] {
            color = color.mix(ink(over), amount);
        }
        color
    })
}

/// Where `p` lies inside a square of the atlas, when it does.
fn inside(p: Vec2, [left, top, width, height]: [f32; 4]) -> Option<Vec2> {
    let local = (p - Vec2::new(left, top)) / Vec2::new(width, height);
    (local.min_element() >= 0.0 && local.max_element() < 1.0).then_some(local)
}

/// Eyes, brows, lashes and mouth; the lower half repeats them with stars for pupils.
pub fn features(size: u32, iris: u32, hair: u32) -> Vec<u8> {
    png(size, size, Keep::Rgba, |u, v| {
        let stars = v >= 0.5;
        let p = Vec2::new(u, if stars { v - 0.5 } else { v });
        if let Some(q) = inside(p, atlas::IRIS) {
            return iris_at(q, iris, stars);
        }
        if let Some(q) = inside(p, atlas::MOUTH) {
            let tongue = spot(q, Vec2::new(0.5, 1.02), Vec2::new(0.5, 0.42), 0.08);
            let teeth = smoothstep(0.26, 0.22, q.y) * line(q.x - 0.5, 0.36, 0.02);
            return ink(0x8E2F35).mix(ink(0xE8848A), tongue).mix(ink(0xFFF8F2), teeth);
        }
        if let Some(q) = inside(p, atlas::WHITE) {
            return ink(0xFFFDFA).mix(ink(0xC9C3D8), smoothstep(0.35, 0.75, q.y) * 0.0 + smoothstep(0.45, 0.9, 1.0 - q.y) * 0.55);
        }
        if inside(p, atlas::LASH).is_some() {
            return ink(0x2B1D22);
        }
        if inside(p, atlas::BROW).is_some() {
            return ink(hair).shade(0.72);
        }
        CLEAR
    })
}

fn iris_at(q: Vec2, color: u32, star: bool) -> Ink {
    let c = q - 0.5;
    let far = c.length() * 2.0;
    let rays = 0.12 * (c.y.atan2(c.x) * 14.0).sin();
    let base = ink(color);
    // In steps, as a brush would leave them; smooth ramps would also weigh three times as much.
    let steps = |t: f32| (t * 24.0).round() / 24.0;
    let mut out = base.shade(0.5).mix(base.shade(1.15), steps(smoothstep(0.15, 0.95, q.y + rays * far)));
    out = out.mix(base.shade(1.6), steps(spot(q, Vec2::new(0.5, 0.8), Vec2::new(0.3, 0.16), 0.5)) * 0.6);
    let dark = if star {
        let angle = c.x.atan2(-c.y);
        let point = 0.5 + 0.5 * (angle * 5.0).cos();
        return out.mix(ink(0xFFF3B0), smoothstep(lerp(0.22, 0.62, point.powi(2)) + 0.03, lerp(0.22, 0.62, point.powi(2)), far));
    } else {
        spot(q, Vec2::new(0.5, 0.48), Vec2::new(0.19, 0.21), 0.08)
    };
    out = out.mix(ink(0x1B1216), dark * 0.9).mix(ink(0x24161C), smoothstep(0.84, 0.96, far));
    let glint =
        spot(q, Vec2::new(0.64, 0.27), Vec2::new(0.115, 0.12), 0.06).max(0.8 * spot(q, Vec2::new(0.34, 0.7), Vec2::new(0.06, 0.06), 0.1));
    out.mix(ink(0xFFFFFF), glint)
}

pub fn blush(size: u32) -> Vec<u8> {
    png(size, size, Keep::Rgba, |u, v| Ink(ink(0xF2707A).0, spot(Vec2::new(u, v), Vec2::splat(0.5), Vec2::new(0.36, 0.36), 0.45)))
}

pub fn hair(width: u32, height: u32, color: u32) -> Vec<u8> {
    png(width, height, Keep::Rgb, |u, v| {
        let strands = noise(u * 96.0, v * 2.0, 96, 1) * 0.6 + noise(u * 192.0, v, 192, 2) * 0.4;
        let ring = line(v - 0.2 - 0.02 * (u * 31.0).sin(), 0.02, 0.045);
        let color = ink(color).shade(lerp(0.8, 1.12, v)).shade(lerp(0.9, 1.08, (strands * 6.0).round() / 6.0));
        color.mix(ink(0xFFE9D6), ring * 0.3)
    })
}

/// Where the outline is drawn thinner, towards the tips; 16 bits a pixel.
pub fn outline_width() -> Vec<u8> {
    png(32, 128, Keep::Gray16, |_, v| Ink(Vec3::splat(lerp(1.0, 0.25, smoothstep(0.3, 1.0, v))), 1.0))
}

/// A ball lit from above, for reflections that follow the view.
pub fn matcap(size: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let p = Vec2::new(u - 0.5, v - 0.5) * 2.0;
        let high = spot(p, Vec2::new(-0.2, -0.45), Vec2::new(0.5, 0.28), 0.8);
        Ink(Vec3::new(0.16, 0.13, 0.12) * high, 1.0)
    })
}

pub fn stripes(size: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let stripe = line((v * 11.0).fract() - 0.5, 0.19, 0.03);
        let knit = if (u * size as f32 / 4.0) as u32 % 2 == (v * size as f32 / 4.0) as u32 % 2 { 1.0 } else { 0.975 };
        ink(0xFBF6EC).mix(ink(0x35517E), stripe).shade(knit)
    })
}

pub fn denim(size: u32) -> Vec<u8> {
    jpeg(size, size, 72, |u, v| {
        let worn = noise(u * 7.0, v * 7.0, 7, 5) * 0.6 + noise(u * 29.0, v * 29.0, 29, 6) * 0.4;
        let twill = 0.5 + 0.5 * ((u + v) * 330.0).sin();
        let seam = line((u * 4.0).fract() - 0.5, 0.012, 0.006).max(line(v - 0.94, 0.006, 0.004));
        ink(0x34507C).mix(ink(0x6F8DB8), worn * 0.55).shade(lerp(0.92, 1.04, twill)).mix(ink(0xD59A4E), seam * 0.8)
    })
}

/// The relief of the denim: twill ridges, as tangent-space normals.
pub fn denim_relief(size: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let slope = 0.35 * ((u + v) * std::f32::consts::TAU * 32.0).cos();
        let seam = 0.6 * ((u * 4.0).fract() - 0.5) * line((u * 4.0).fract() - 0.5, 0.03, 0.02) / 0.03;
        let normal = Vec3::new(slope + seam, slope, 1.0).normalize();
        Ink(normal * 0.5 + 0.5, 1.0)
    })
}

/// Red: occlusion, green: roughness, blue: metal (the buttons).
pub fn denim_surface(size: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let button =
            spot(Vec2::new((u - 0.43).abs().min((u - 0.57).abs()), (v * 7.0).fract() - 0.5), Vec2::ZERO, Vec2::new(0.012, 0.09), 0.1);
        let fold = 0.8 + 0.2 * ((v * 6.0).sin() * 0.5 + 0.5);
        Ink(Vec3::new(fold, lerp(0.85, 0.3, button), button), 1.0)
    })
}

pub fn plaid(size: u32, ground: u32, bars: u32) -> Vec<u8> {
    png(size, size, Keep::Rgba, |u, v| {
        let bar = |x: f32| line(x.fract() - 0.5, 0.2, 0.004);
        let thin = |x: f32| line(x.fract() - 0.08, 0.022, 0.004);
        let (x, y) = (u * 20.0, v * 5.0);
        let twill = if ((u + v) * size as f32 / 4.0) as u32 % 2 == 0 { 1.0 } else { 0.95 };
        let cloth = ink(ground).mix(ink(bars), 0.45 * bar(x)).mix(ink(bars), 0.45 * bar(y));
        cloth.mix(ink(0xF4E3B2), 0.8 * thin(x).max(thin(y))).shade(twill)
    })
}

/// The dark side of the plaid: a plain warm multiply with deeper pleats.
pub fn pleat_shade(size: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let pleat = 0.5 + 0.5 * (u * std::f32::consts::TAU * 20.0).sin();
        ink(0xB47F92).shade(lerp(0.75, 1.0, pleat) * lerp(1.0, 0.85, v))
    })
}

/// Flowers on cloth; the hem is lace, with holes.
pub fn lace(size: u32) -> Vec<u8> {
    png(size, size, Keep::Rgba, |u, v| {
        let mut cloth = ink(0xF6D9DF).mix(ink(0xE9A9BC), smoothstep(0.3, 0.95, v) * 0.7);
        let cell = Vec2::new((u * 14.0).fract() - 0.5, (v * 7.0 + if (u * 14.0) as u32 % 2 == 0 { 0.0 } else { 0.5 }).fract() - 0.5);
        let petals = 0.16 + 0.06 * (cell.y.atan2(cell.x) * 5.0).cos();
        if v > 0.24 && v < 0.9 {
            cloth = cloth.mix(ink(0xFFFFFF), smoothstep(petals + 0.02, petals - 0.02, cell.length()));
            cloth = cloth.mix(ink(0xE8B94A), smoothstep(0.07, 0.05, cell.length()));
        }
        let sash = line(v - 0.195, 0.014, 0.002);
        cloth = cloth.mix(ink(0xB85C7A), sash);
        if v > 0.9 {
            let hole = Vec2::new((u * 48.0).fract() - 0.5, (v - 0.935) * 16.0);
            let edge = 0.985 - 0.03 * ((u * 48.0).fract() - 0.5).abs();
            cloth = ink(0xFFF7F4);
            cloth.1 = if v > edge { 0.0 } else { smoothstep(0.24, 0.3, hole.length()) };
        }
        cloth
    })
}

pub fn twill(size: u32, color: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let seam = line(u - 0.25, 0.004, 0.003).max(line(u - 0.75, 0.004, 0.003));
        let weave = if ((u * 2.0 + v) * size as f32 / 3.0) as u32 % 2 == 0 { 1.0 } else { 0.96 };
        ink(color).shade(weave * lerp(1.05, 0.92, v)).mix(ink(color).shade(0.7), seam)
    })
}

pub fn leather(size: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let sole = line((u - 0.5).abs() - 0.5, 0.14, 0.01);
        ink(0x7A4630).shade(0.9 + 0.15 * noise(u * 16.0, v * 16.0, 16, 9)).mix(ink(0xEDE3D2), sole)
    })
}

/// Where a pattern may scroll: one band.
pub fn scroll_mask(size: u32) -> Vec<u8> {
    png(size, size, Keep::Gray, |u, _| Ink(Vec3::splat(line(u - 0.5, 0.1, 0.02)), 1.0))
}

/// A room out of focus, behind her.
pub fn room(width: u32, height: u32) -> Vec<u8> {
    jpeg(width, height, 78, |u, v| {
        let wall = ink(0xF3E2CB).mix(ink(0xD9B99A), v);
        let p = Vec2::new(u, v);
        let window = spot(p, Vec2::new(0.27, 0.36), Vec2::new(0.17, 0.3), 0.35);
        let lamp = spot(p, Vec2::new(0.78, 0.3), Vec2::new(0.11, 0.2), 0.9);
        let plant = spot(p, Vec2::new(0.9, 0.66), Vec2::new(0.1, 0.2), 0.5);
        let shelf = spot(p, Vec2::new(0.6, 0.55), Vec2::new(0.12, 0.05), 0.6);
        let floor = smoothstep(0.76, 0.82, v);
        let mut out = wall.mix(ink(0xCFE6F2), window).mix(ink(0xFFF1C4), lamp * 0.9).mix(ink(0x6F9068), plant).mix(ink(0x9C6B4B), shelf);
        out = out.mix(ink(0xA87B57), floor * 0.9);
        out
    })
}

/// A portrait as simple shapes, for galleries.
pub fn portrait(size: u32, hair: u32, iris: u32, ground: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let p = Vec2::new((u - 0.5).abs(), v);
        let mut out = ink(ground).mix(ink(0xFFFFFF), 0.35 * spot(Vec2::new(u, v), Vec2::new(0.5, 0.45), Vec2::splat(0.5), 0.7));
        let mut add = |amount: f32, color: u32| out = out.mix(ink(color), amount);
        add(spot(p, Vec2::new(0.0, 0.55), Vec2::new(0.34, 0.46), 0.02), hair);
        add(spot(p, Vec2::new(0.0, 1.08), Vec2::new(0.36, 0.26), 0.02), 0x35517E);
        add(spot(p, Vec2::new(0.0, 0.8), Vec2::new(0.09, 0.12), 0.04), 0xF3CDB8);
        add(spot(p, Vec2::new(0.0, 0.5), Vec2::new(0.235, 0.285), 0.02), 0xFBE0D0);
        add(spot(p, Vec2::new(0.135, 0.6), Vec2::new(0.05, 0.03), 0.8) * 0.7, 0xF59A8C);
        add(spot(p, Vec2::new(0.1, 0.5), Vec2::new(0.045, 0.06), 0.05), 0x2B1D22);
        add(spot(p, Vec2::new(0.1, 0.51), Vec2::new(0.036, 0.05), 0.06), iris);
        add(spot(Vec2::new(u, v), Vec2::new(0.415, 0.475), Vec2::new(0.013, 0.016), 0.1), 0xFFFFFF);
        add(spot(Vec2::new(u, v), Vec2::new(0.615, 0.475), Vec2::new(0.013, 0.016), 0.1), 0xFFFFFF);
        add(line(v - 0.655 + p.x * p.x * 3.0, 0.007, 0.003) * smoothstep(0.06, 0.05, p.x), 0xA8434A);
        let fringe =
            (v < 0.42 - 0.06 * (u * 24.0).sin().abs() + p.x * 0.25) && spot(p, Vec2::new(0.0, 0.44), Vec2::new(0.3, 0.33), 0.02) > 0.5;
        if fringe {
            add(1.0, hair);
        }
        out
    })
}

/// The glaze of a mug: bands and dots.
pub fn glaze(size: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let dots = spot(Vec2::new((u * 12.0).fract(), (v * 6.0).fract()), Vec2::splat(0.5), Vec2::splat(0.26), 0.08);
        let band = line(v - 0.08, 0.05, 0.01);
        ink(0xF4EDE0).mix(ink(0xD6604D), dots * smoothstep(0.2, 0.24, v)).mix(ink(0x35517E), band)
    })
}

/// A mug on a plain ground.
pub fn mug_picture(size: u32) -> Vec<u8> {
    png(size, size, Keep::Rgb, |u, v| {
        let p = Vec2::new(u, v);
        let ring = line((p - Vec2::new(0.7, 0.55)).length() - 0.13, 0.03, 0.01);
        let cup = line(u - 0.48, 0.22, 0.01) * line(v - 0.55, 0.26, 0.01);
        let dots = spot(Vec2::new((u * 8.0).fract(), (v * 8.0).fract()), Vec2::splat(0.5), Vec2::splat(0.25), 0.1);
        let coffee = spot(p, Vec2::new(0.48, 0.29), Vec2::new(0.22, 0.06), 0.05);
        ink(0xDDE7EC).mix(ink(0xF4EDE0), ring).mix(ink(0xF4EDE0), cup).mix(ink(0xD6604D), dots * cup).mix(ink(0x5B3A28), coffee)
    })
}
