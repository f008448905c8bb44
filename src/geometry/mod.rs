//! Triangles in space: which of them a ray meets, which are seen from somewhere, and how far apart they are along their surface.
//!
//! All lengths are in the unit of the positions (metres for avatars), all angles in radians.

pub mod bvh;
pub mod raster;
pub mod surface;

use glam::Vec3;

/// The three vertices of a triangle, as indices into a list of positions; its front is where they run counter-clockwise.
pub type Triangle = [u32; 3];

/// The corners of a triangle.
pub fn corners(positions: &[Vec3], triangle: Triangle) -> [Vec3; 3] {
    triangle.map(|vertex| positions.get(vertex as usize).copied().unwrap_or(Vec3::NAN))
}

/// Twice the area of a triangle along its front normal; NaN for corners that do not exist.
pub fn cross(positions: &[Vec3], triangle: Triangle) -> Vec3 {
    let [a, b, c] = corners(positions, triangle);
    (b - a).cross(c - a)
}

/// Least and most corner of the finite positions; `None` when there are none.
pub fn bounds<'a>(positions: impl IntoIterator<Item = &'a Vec3>) -> Option<(Vec3, Vec3)> {
    let finite = positions.into_iter().filter(|position| position.is_finite());
    let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (least, most) = finite.fold(start, |(least, most), &position| (least.min(position), most.max(position)));
    (least.x <= most.x).then_some((least, most))
}
