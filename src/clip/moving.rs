//! What a clip moves: humanoid bones, parts, expressions; whether it closes, and how far its hips go.

use super::skeleton::position;
use super::{Channel, Clip, Kind, Property};
use std::collections::BTreeSet;

/// From here on a rotation counts as a change, in degrees.
const TURNS: f64 = 0.1;
/// From here on a translation or scale counts as a change, in units of the node's parent.
const SHIFTS: f64 = 1e-4;
/// Within this time a loop may still have a step to go from its last key to its first, in seconds.
const FRAME: f64 = 1.0 / 30.0;

/// True when the values of a channel change by more than anybody sees.
pub fn moves(channel: &Channel) -> bool {
    channel.range() > if channel.property == Property::Rotation { TURNS } else { SHIFTS }
}

/// A bone or node, and an angle or length that says how far.
pub type Farthest<'a> = Option<(&'a str, f64)>;

impl Clip {
    /// The name by which people know a node: that of its bone, else its own.
    pub fn name_of(&self, node: usize) -> &str {
        self.bones.iter().find(|bone| bone.node == node).map_or(&self.skeleton.names[node], |bone| bone.name)
    }

    /// A humanoid bone has a channel.
    pub fn is_body_animated(&self) -> bool {
        self.channels.iter().any(|channel| self.bones.iter().any(|bone| bone.node == channel.node))
    }

    /// The humanoid bones whose values change.
    pub fn moving_bones(&self) -> BTreeSet<&str> {
        let moving: BTreeSet<usize> = self.channels.iter().filter(|channel| moves(channel)).map(|channel| channel.node).collect();
        self.bones.iter().filter(|bone| moving.contains(&bone.node)).map(|bone| bone.name).collect()
    }

    /// The names of all nodes whose values change, humanoid or not; those of expressions and of the gaze are left out.
    pub fn moving_nodes(&self) -> BTreeSet<&str> {
        let is_control = |node: usize| self.look_at == Some(node) || self.expressions.iter().any(|(_, own)| *own == node);
        let moving = self.channels.iter().filter(|channel| !is_control(channel.node) && moves(channel));
        moving.map(|channel| self.skeleton.names[channel.node].as_str()).filter(|name| !name.is_empty()).collect()
    }

    /// The names of the nodes that are no humanoid bones and whose values change.
    pub fn part_bones(&self) -> BTreeSet<&str> {
        let humanoid: BTreeSet<&str> = self.bones.iter().map(|bone| self.skeleton.names[bone.node].as_str()).collect();
        self.moving_nodes().difference(&humanoid).copied().collect()
    }

    /// How many channels nothing listens to: of a VRM animation those of nodes without a meaning.
    pub fn dead_channels(&self) -> usize {
        let heard = |node: usize| {
            self.look_at == Some(node) || self.bones.iter().any(|b| b.node == node) || self.expressions.iter().any(|(_, own)| *own == node)
        };
        if self.kind == Kind::Vrma { self.channels.iter().filter(|channel| !heard(channel.node)).count() } else { 0 }
    }

    /// The rotations that count for the body: those of humanoid bones, or of all nodes where no bone is known.
    fn turning(&self) -> impl Iterator<Item = &Channel> {
        let body = !self.bones.is_empty();
        let turning = self.channels.iter().filter(|channel| channel.property == Property::Rotation);
        turning.filter(move |channel| !body || self.bones.iter().any(|bone| bone.node == channel.node))
    }

    /// The joint that turns farthest from the first pose to the last, in degrees.
    pub fn change(&self) -> Farthest<'_> {
        let change = |channel: &Channel| channel.distance(channel.at(self.first_key), channel.at(self.last_key));
        farthest(self.turning().map(|channel| (self.name_of(channel.node), change(channel))))
    }

    /// The joint that jumps farthest when the clip starts over, in degrees, less the step that it takes in a frame at the seam: a loop may end
    /// one frame before its first pose.
    pub fn seam(&self) -> Farthest<'_> {
        let gap = |channel: &Channel| {
            let (first, last) = (channel.at(self.first_key), channel.at(self.last_key));
            let step = |from: f64| channel.distance(channel.at(from), channel.at(from + FRAME));
            let allowed = step(self.first_key).max(step(self.last_key - FRAME));
            let gap = channel.distance(first, last);
            if gap <= 1.5 * allowed { 0.0 } else { gap }
        };
        farthest(self.turning().map(|channel| (self.name_of(channel.node), gap(channel))))
    }

    /// How far the hips are from their first place when the clip ends, along the ground, in metres of the clip; 0 without hips.
    pub fn travel_meters(&self) -> f64 {
        let Some(hips) = self.bone("hips") else { return 0.0 };
        let at = |seconds: f64| position(&self.skeleton.world(&self.pose(seconds))[hips]);
        let way = at(self.last_key) - at(self.first_key);
        way.x.hypot(way.z)
    }

    /// The rotation of each humanoid bone in its parent bone at a time, away from rest: comparable between clips.
    pub fn turns_at(&self, seconds: f64) -> Vec<(&'static str, glam::DQuat)> {
        let (rest, now) = (self.skeleton.rest_world(), self.skeleton.world(&self.pose(seconds)));
        super::retarget::turns(self, &rest, &now)
    }
}

fn farthest<'a>(all: impl Iterator<Item = (&'a str, f64)>) -> Farthest<'a> {
    all.max_by(|a, b| a.1.total_cmp(&b.1))
}
