//! A walk clip on its own avatar, as the stage would play it.

use super::gait::{self, Gait, Seen, Tracks};
use crate::clip::retarget::Body;
use crate::clip::{Clip, Retarget};
use crate::gltf::{Document, transforms};

/// Frames a second at which the feet are followed.
const FRAMES_PER_SECOND: f64 = 60.0;
/// As many frames are looked at, at most; ten minutes.
const MOST_FRAMES: f64 = 36_000.0;
/// The stage plays a walk at least and at most so fast.
pub const RATES: [f64; 2] = [0.5, 2.0];
/// The speed of pacing when a look does not say, in body heights a second.
pub const SPEED: f64 = 0.35;
/// A clip whose hips end at most so far from where they began is in place, in body heights.
const IN_PLACE: f64 = 0.02;
/// A loop closes when no joint jumps farther, in degrees.
pub const SEAM: f64 = 3.0;

/// What a clip is as a walk.
#[derive(Debug, Clone)]
pub struct Walk {
    /// Cycles, speed and heading; the error says why they cannot be measured.
    pub gait: Result<Gait, String>,
    /// From the first key to the last.
    pub seconds: f64,
    /// Of the avatar at rest, in metres.
    pub body_height: f64,
    /// How far the clip itself goes on the avatar, along the ground, in metres.
    pub travel_meters: f64,
    /// The largest jump of a joint when the loop starts over, in degrees.
    pub seam_degrees: f64,
    /// Frame by frame, for pictures.
    pub seen: Seen,
}

impl Walk {
    /// Metres from one footprint of a foot to its next.
    pub fn stride_meters(&self) -> Option<f64> {
        self.stride().map(|stride| stride * self.body_height)
    }

    /// The same in body heights.
    pub fn stride(&self) -> Option<f64> {
        self.gait.as_ref().ok().map(|gait| gait.speed * self.seconds / gait.cycles as f64)
    }

    /// How fast the stage plays it for a pacing speed in body heights a second.
    pub fn rate(&self, pace: f64) -> Option<f64> {
        self.gait.as_ref().ok().map(|gait| (pace / gait.speed).clamp(RATES[0], RATES[1]))
    }

    /// How far a standing foot slides for each metre that is walked at that rate: by its own unevenness, and by what the rate cannot make up.
    pub fn slide(&self, pace: f64) -> Option<f64> {
        let (gait, rate) = (self.gait.as_ref().ok()?, self.rate(pace)?);
        Some((gait.unevenness * rate + (pace - rate * gait.speed).abs()) / pace)
    }

    /// The pacing speeds at which the feet do not slide, in body heights a second.
    pub fn speeds(&self) -> Option<[f64; 2]> {
        self.gait.as_ref().ok().map(|gait| RATES.map(|rate| rate * gait.speed))
    }

    /// The clip stays where it is.
    pub fn is_in_place(&self) -> bool {
        self.travel_meters <= IN_PLACE * self.body_height
    }

    /// No joint jumps when it starts over.
    pub fn closes(&self) -> bool {
        self.seam_degrees <= SEAM
    }
}

/// The height of an avatar at rest in metres: that of the box around all that is drawn; where nothing is drawn, a little more than its head is
/// high. `None` when neither is known.
pub fn body_height(document: &Document, body: &Body) -> Option<f64> {
    let drawn = transforms::rest_box(document).map(|(least, most)| most.y - least.y);
    let by_bones = || {
        let lowest = ["leftFoot", "rightFoot", "leftToes", "rightToes"].iter().filter_map(|bone| body.rest_of(bone)).map(|at| at.y);
        Some((body.rest_of("head")?.y - lowest.reduce(f64::min)?) * 1.12)
    };
    drawn.or_else(by_bones).filter(|height| height.is_finite() && *height > 0.0)
}

/// Where hips and feet of an avatar go; `None` when it has no hips or feet.
fn tracks(body: &Body, clip: &Clip) -> Option<Tracks> {
    let hips = body.bone("hips")?;
    let points = |side: &str| -> Option<Vec<usize>> {
        let ankle = body.bone(&format!("{side}Foot"))?;
        Some(std::iter::once(ankle).chain(body.bone(&format!("{side}Toes"))).collect())
    };
    let nodes = [points("left")?, points("right")?];
    let retarget = Retarget::new(clip, body);
    let seconds = clip.duration();
    let steps = (seconds * FRAMES_PER_SECOND).round().clamp(1.0, MOST_FRAMES) as usize;
    let mut tracks = Tracks { seconds, hips: Vec::new(), feet: nodes.each_ref().map(|nodes| vec![Vec::new(); nodes.len()]) };
    for frame in 0..=steps {
        let world = retarget.world(clip.first_key + seconds * frame as f64 / steps as f64);
        tracks.hips.push(body.seen(&world, hips));
        for (nodes, points) in nodes.iter().zip(&mut tracks.feet) {
            nodes.iter().zip(points).for_each(|(node, points)| points.push(body.seen(&world, *node)));
        }
    }
    Some(tracks)
}

/// Measures a walk on an avatar of a height in metres.
pub fn measure(body: &Body, clip: &Clip, body_height: f64) -> Walk {
    let tracks = tracks(body, clip).unwrap_or_default();
    let (gait, seen) = gait::gait(&tracks, body_height);
    Walk {
        gait,
        seconds: clip.duration(),
        body_height,
        travel_meters: gait::travel(&tracks).length(),
        seam_degrees: clip.seam().map_or(0.0, |(_, degrees)| degrees),
        seen,
    }
}
