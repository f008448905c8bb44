//! The keys of one property of a node, and its value at any time.
//!
//! Source: glTF 2.0 specification, appendix C.

use super::Transform;
use glam::{DQuat, DVec3};

/// What a channel moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Metres, three numbers.
    Translation,
    /// A quaternion x, y, z, w.
    Rotation,
    /// Factors, three numbers.
    Scale,
}

impl Property {
    /// How many numbers a value has.
    pub fn width(self) -> usize {
        if self == Self::Rotation { 4 } else { 3 }
    }
}

/// What happens between keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The straight way (rotations: the shorter arc, at constant speed).
    Linear,
    /// The value before.
    Step,
    /// A cubic spline; each key has an incoming tangent, a value and an outgoing tangent.
    Cubic,
}

/// The keys of one property of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Index of the node.
    pub node: usize,
    /// What it moves.
    pub property: Property,
    /// What happens between keys.
    pub interpolation: Interpolation,
    /// Seconds, ascending; at least one.
    pub times: Vec<f64>,
    /// For each time `width` numbers, three times as many for a cubic spline.
    pub values: Vec<f64>,
}

impl Channel {
    /// The value at the key, in the first three or four numbers.
    pub fn key(&self, index: usize) -> [f64; 4] {
        let cubic = self.interpolation == Interpolation::Cubic;
        self.part(if cubic { 3 * index + 1 } else { index })
    }

    fn part(&self, index: usize) -> [f64; 4] {
        let width = self.property.width();
        let mut out = [0.0; 4];
        for (to, from) in out.iter_mut().zip(self.values.get(index * width..(index + 1) * width).unwrap_or_default()) {
            *to = *from;
        }
        out
    }

    /// The value at a time; before the first key that of the first, after the last that of the last. Rotations come out as unit quaternions.
    pub fn at(&self, seconds: f64) -> [f64; 4] {
        let next = self.times.partition_point(|time| *time <= seconds);
        let value = match (next.checked_sub(1), self.times.get(next)) {
            (None, _) => self.key(0),
            (Some(last), None) => self.key(last),
            (Some(last), Some(end)) => {
                let start = self.times[last];
                self.between(last, (seconds - start) / (end - start), end - start)
            }
        };
        if self.property == Property::Rotation { unit(value).to_array() } else { value }
    }

    /// Between a key and the next one; `part` runs from 0 to 1 over `span` seconds.
    fn between(&self, index: usize, part: f64, span: f64) -> [f64; 4] {
        match self.interpolation {
            Interpolation::Step => self.key(index),
            Interpolation::Linear if self.property == Property::Rotation => {
                unit(self.key(index)).slerp(unit(self.key(index + 1)), part).to_array()
            }
            Interpolation::Linear => {
                let (a, b) = (self.key(index), self.key(index + 1));
                std::array::from_fn(|i| a[i] + (b[i] - a[i]) * part)
            }
            Interpolation::Cubic => {
                let (a, out, into, b) = (self.key(index), self.part(3 * index + 2), self.part(3 * index + 3), self.key(index + 1));
                let (t, t2, t3) = (part, part * part, part * part * part);
                std::array::from_fn(|i| {
                    (2.0 * t3 - 3.0 * t2 + 1.0) * a[i]
                        + span * (t3 - 2.0 * t2 + t) * out[i]
                        + (3.0 * t2 - 2.0 * t3) * b[i]
                        + span * (t3 - t2) * into[i]
                })
            }
        }
    }

    /// Puts the value at a time into a node's transform.
    pub fn apply(&self, seconds: f64, to: &mut Transform) {
        let v = self.at(seconds);
        match self.property {
            Property::Translation => to.translation = DVec3::new(v[0], v[1], v[2]),
            Property::Scale => to.scale = DVec3::new(v[0], v[1], v[2]),
            Property::Rotation => to.rotation = DQuat::from_array(v),
        }
    }

    /// How far two values of this property lie apart: degrees for rotations, else the largest difference of a number.
    pub fn distance(&self, a: [f64; 4], b: [f64; 4]) -> f64 {
        match self.property {
            Property::Rotation => angle_degrees(unit(a), unit(b)),
            _ => (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max),
        }
    }

    /// The largest distance of any key from the first one.
    pub fn range(&self) -> f64 {
        let first = self.key(0);
        (1..self.times.len()).map(|i| self.distance(first, self.key(i))).fold(0.0, f64::max)
    }
}

/// A quaternion of length 1; the identity where there is no direction.
pub fn unit(value: [f64; 4]) -> DQuat {
    let q = DQuat::from_array(value);
    let length = q.length();
    if length > 1e-12 && length.is_finite() { q * (1.0 / length) } else { DQuat::IDENTITY }
}

/// The angle between two unit quaternions, in degrees, exact for small ones too.
pub fn angle_degrees(a: DQuat, b: DQuat) -> f64 {
    let sign = if a.dot(b) < 0.0 { -1.0 } else { 1.0 };
    (4.0 * ((a - b * sign).length() / 2.0).min(1.0).asin()).to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_1_SQRT_2 as H;

    fn channel(property: Property, interpolation: Interpolation, times: &[f64], values: &[f64]) -> Channel {
        Channel { node: 0, property, interpolation, times: times.into(), values: values.into() }
    }

    #[test]
    fn between_keys_and_beyond_them() {
        use Interpolation::{Linear, Step};
        let line = channel(Property::Translation, Linear, &[1.0, 3.0], &[0.0, 2.0, 0.0, 4.0, 2.0, -8.0]);
        assert_eq!(line.at(1.5)[..3], [1.0, 2.0, -2.0]);
        assert_eq!((line.at(0.0)[0], line.at(9.0)[0]), (0.0, 4.0));
        let step = Channel { interpolation: Step, ..line };
        assert_eq!((step.at(2.999)[0], step.at(3.0)[0]), (0.0, 4.0));
        assert_eq!(step.range(), 8.0);
        // A quarter turn about Z, written with the other sign, still takes the shorter arc: 30 degrees after a third of the time.
        let turn = channel(Property::Rotation, Linear, &[0.0, 3.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -H, -H]);
        let third = DQuat::from_array(turn.at(1.0));
        assert!(angle_degrees(third, DQuat::from_rotation_z(30f64.to_radians())) < 1e-9);
        assert!((turn.range() - 90.0).abs() < 1e-9);
    }

    #[test]
    fn splines_have_the_slope_of_their_tangents() {
        // From 0 to 1 in two seconds; leaves with slope 0, arrives with slope 3. Hermite at the middle: 1/2 + span/8 (out - in) = 1/2 - 3/4.
        let values = [[0.0; 3], [0.0; 3], [0.0; 3], [3.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3]].concat();
        let spline = channel(Property::Translation, Interpolation::Cubic, &[0.0, 2.0], &values);
        assert!((spline.at(1.0)[0] + 0.25).abs() < 1e-12);
        assert_eq!((spline.at(0.0)[0], spline.at(2.0)[0], spline.key(1)[0]), (0.0, 1.0, 1.0));
        assert!(((spline.at(2.0)[0] - spline.at(2.0 - 1e-6)[0]) / 1e-6 - 3.0).abs() < 1e-4);
    }
}
