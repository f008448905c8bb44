//! Pictures painted by formula: cloth patterns, eyes, gradients; written as PNG or JPEG.

use glam::Vec3;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};

use crate::shape::{lerp, smoothstep};

/// A colour with alpha, each 0 to 1, as shown on a screen.
#[derive(Clone, Copy, Debug)]
pub struct Ink(pub Vec3, pub f32);

pub fn ink(hex: u32) -> Ink {
    let part = |shift: u32| (hex >> shift & 255) as f32 / 255.0;
    Ink(Vec3::new(part(16), part(8), part(0)), 1.0)
}

impl Ink {
    pub fn over(self, below: Ink) -> Ink {
        let alpha = self.1 + below.1 * (1.0 - self.1);
        let color = if alpha > 0.0 { (self.0 * self.1 + below.0 * below.1 * (1.0 - self.1)) / alpha } else { self.0 };
        Ink(color, alpha)
    }

    pub fn fade(self, alpha: f32) -> Ink {
        Ink(self.0, self.1 * alpha)
    }

    pub fn mix(self, other: Ink, t: f32) -> Ink {
        Ink(self.0.lerp(other.0, t), lerp(self.1, other.1, t))
    }

    pub fn shade(self, light: f32) -> Ink {
        Ink(self.0 * light, self.1)
    }
}

/// Smooth noise between 0 and 1 that repeats after `period` cells.
pub fn noise(x: f32, y: f32, period: u32, seed: u32) -> f32 {
    let corner = |i: f32, j: f32| {
        let wrap = |v: f32| (v as i64).rem_euclid(i64::from(period)) as u32;
        let mut h = wrap(i).wrapping_mul(0x9E37_79B1) ^ wrap(j).wrapping_mul(0x85EB_CA77) ^ seed.wrapping_mul(0xC2B2_AE3D);
        h ^= h >> 15;
        h = h.wrapping_mul(0x2C1B_3C6D);
        h ^= h >> 12;
        (h & 0xFFFF) as f32 / 65535.0
    };
    let (i, j) = (x.floor(), y.floor());
    let (s, t) = (smoothstep(0.0, 1.0, x - i), smoothstep(0.0, 1.0, y - j));
    lerp(lerp(corner(i, j), corner(i + 1.0, j), s), lerp(corner(i, j + 1.0), corner(i + 1.0, j + 1.0), s), t)
}

fn byte(v: f32) -> u8 {
    (v.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// What a PNG keeps of each pixel.
#[derive(Clone, Copy, PartialEq)]
pub enum Keep {
    Gray,
    Gray16,
    Rgb,
    Rgba,
}

/// A PNG of `paint(u, v)`, with `u` to the right and `v` down, both from 0 to 1.
pub fn png(width: u32, height: u32, keep: Keep, paint: impl Fn(f32, f32) -> Ink) -> Vec<u8> {
    let mut data = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let Ink(color, alpha) = paint((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
            match keep {
                Keep::Gray => data.push(byte(color.x)),
                Keep::Gray16 => data.extend(((color.x.clamp(0.0, 1.0) * 65535.0).round() as u16).to_ne_bytes()),
                Keep::Rgb => data.extend(color.to_array().map(byte)),
                Keep::Rgba => data.extend([byte(color.x), byte(color.y), byte(color.z), byte(alpha)]),
            }
        }
    }
    let color = match keep {
        Keep::Gray => ExtendedColorType::L8,
        Keep::Gray16 => ExtendedColorType::L16,
        Keep::Rgb => ExtendedColorType::Rgb8,
        Keep::Rgba => ExtendedColorType::Rgba8,
    };
    let mut file = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut file, CompressionType::Best, FilterType::Adaptive);
    encoder.write_image(&data, width, height, color).expect("a PNG in memory");
    file
}

/// A JPEG of `paint(u, v)`.
pub fn jpeg(width: u32, height: u32, quality: u8, paint: impl Fn(f32, f32) -> Ink) -> Vec<u8> {
    let mut data = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let Ink(color, _) = paint((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
            data.extend(color.to_array().map(byte));
        }
    }
    let mut file = Vec::new();
    JpegEncoder::new_with_quality(&mut file, quality).write_image(&data, width, height, ExtendedColorType::Rgb8).expect("a JPEG in memory");
    file
}
