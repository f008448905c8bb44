//! Poses of a humanoid: a fixed set that people take, and wide ones drawn from a sequence without chance.
//!
//! Angles are in degrees and turn a bone from its rest pose, about the axes of the figure: x to its left, y up, z to its front.

use crate::gltf::{Document, transforms};
use crate::vrm::humanoid::Bone;
use crate::vrm::springs::Springs;
use glam::{DMat3, DMat4, DQuat, DVec3, Vec3};
use std::f64::consts::TAU;

/// An arm: how far it is raised (the rest pose is level), brought forward, twisted, and bent at the elbow.
type Arm = [f64; 4];
/// A leg: how far the hip flexes, spreads, twists, the knee bends, and the foot lifts.
type Leg = [f64; 5];

/// How all joints of a figure are turned; left before right.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Angles {
    /// Forward, to the left, and leaning to the right.
    trunk: [f64; 3],
    /// The same for neck and head.
    head: [f64; 3],
    arms: [Arm; 2],
    legs: [Leg; 2],
    /// Twist of the forearm, bend of the wrist.
    hands: [f64; 2],
    /// Everything on the lowest joint of the spine, rather than a share on each.
    stiff: bool,
    /// How far loose chains swing, and which way round.
    sway: [f64; 2],
}

const DOWN: Arm = [-75.0, 0.0, 0.0, 0.0];
const EASY: Arm = [-50.0, 0.0, 0.0, 0.0];
const STAND: Leg = [0.0; 5];

const fn arms(left: Arm, right: Arm) -> Angles {
    Angles { arms: [left, right], ..still() }
}

const fn legs(arm: Arm, left: Leg, right: Leg) -> Angles {
    Angles { arms: [arm; 2], legs: [left, right], ..still() }
}

const fn trunk(arm: Arm, trunk: [f64; 3], leg: Leg) -> Angles {
    Angles { trunk, arms: [arm; 2], legs: [leg; 2], ..still() }
}

const fn still() -> Angles {
    Angles { trunk: [0.0; 3], head: [0.0; 3], arms: [[0.0; 4]; 2], legs: [STAND; 2], hands: [0.0; 2], stiff: false, sway: [0.0; 2] }
}

/// The ends of what is worn like a tube.
const LIMBS: [(&str, &str); 10] = [
    ("hips", "spine"),
    ("spine", "neck"),
    ("leftUpperArm", "leftLowerArm"),
    ("leftLowerArm", "leftHand"),
    ("rightUpperArm", "rightLowerArm"),
    ("rightLowerArm", "rightHand"),
    ("leftUpperLeg", "leftLowerLeg"),
    ("leftLowerLeg", "leftFoot"),
    ("rightUpperLeg", "rightLowerLeg"),
    ("rightLowerLeg", "rightFoot"),
];

/// What people do: the rest pose, then arms, steps, sitting, bending and turning.
#[rustfmt::skip]
pub const USUAL: [Angles; 20] = [
    still(),
    arms(DOWN, DOWN),
    arms([65.0, 0.0, 0.0, 0.0], [65.0, 0.0, 0.0, 0.0]),
    arms([-20.0, 75.0, 0.0, 40.0], [-20.0, 75.0, 0.0, 40.0]),
    arms([-60.0, 30.0, 0.0, 95.0], [-60.0, 30.0, 0.0, 95.0]),
    arms([-45.0, -40.0, 0.0, 0.0], [-45.0, -40.0, 0.0, 0.0]),
    arms([50.0, 0.0, 0.0, -60.0], [75.0, 0.0, 0.0, 0.0]),
    arms([75.0, 0.0, 0.0, 0.0], [50.0, 0.0, 0.0, -60.0]),
    Angles { trunk: [0.0, 15.0, 0.0], arms: [[-20.0, 85.0, 0.0, 0.0], [80.0, 0.0, 0.0, 0.0]], ..still() },
    legs(DOWN, [35.0, 0.0, 0.0, 10.0, 0.0], [-30.0, 0.0, 0.0, 40.0, 0.0]),
    legs(DOWN, [-30.0, 0.0, 0.0, 40.0, 0.0], [35.0, 0.0, 0.0, 10.0, 0.0]),
    legs([-60.0, 0.0, 0.0, 0.0], [88.0, 10.0, 0.0, 88.0, 0.0], [88.0, 10.0, 0.0, 88.0, 0.0]),
    legs(EASY, [-15.0, 0.0, 0.0, 10.0, 0.0], [65.0, 0.0, 0.0, 40.0, 0.0]),
    trunk(EASY, [40.0, 0.0, 0.0], [15.0, 0.0, 0.0, 0.0, 0.0]),
    trunk([-40.0, -30.0, 0.0, 0.0], [-32.0, 0.0, 0.0], STAND),
    trunk(EASY, [0.0, 45.0, 0.0], STAND),
    trunk(EASY, [0.0, -45.0, 0.0], STAND),
    trunk([-30.0, 0.0, 0.0, 0.0], [0.0, 0.0, 34.0], [0.0, 20.0, 0.0, 0.0, 0.0]),
    trunk([-30.0, 0.0, 0.0, 0.0], [0.0, 0.0, -34.0], [0.0, 20.0, 0.0, 0.0, 0.0]),
    legs([-35.0, 45.0, 0.0, 30.0], [60.0, 15.0, 0.0, 75.0, 0.0], [60.0, 15.0, 0.0, 75.0, 0.0]),
];

/// Number `n` of a sequence that fills the unit interval evenly; `axis` chooses one of many (Kronecker sequences of square roots of primes).
pub fn even(n: usize, axis: usize) -> f64 {
    const PRIMES: [f64; 32] = [
        2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0, 31.0, 37.0, 41.0, 43.0, 47.0, 53.0, 59.0, 61.0, 67.0, 71.0, 73.0, 79.0,
        83.0, 89.0, 97.0, 101.0, 103.0, 107.0, 109.0, 113.0, 127.0, 131.0,
    ];
    (PRIMES[axis % PRIMES.len()].sqrt() * (n as f64 + 0.5)).fract()
}

/// Pose `n` of a wide set: every joint anywhere in its range, often at one of the ends or at rest.
pub fn wide(n: usize) -> Angles {
    let mut axis = 0;
    let mut between = |least: f64, most: f64| {
        let at = even(n, axis);
        axis += 1;
        // A fifth of the time it is at rest; of what is left, the outer quarters are the ends.
        if at < 0.2 { 0.0 } else { least + (most - least) * ((at - 0.2) * 2.5 - 0.5).clamp(0.0, 1.0) }
    };
    let arms = [(); 2].map(|()| [between(-75.0, 66.0), between(-40.0, 90.0), between(-45.0, 45.0), between(0.0, 100.0)]);
    let legs =
        [(); 2].map(|()| [between(-32.0, 92.0), between(-4.0, 32.0), between(-25.0, 25.0), between(0.0, 96.0), between(-25.0, 20.0)]);
    let trunk = [between(-42.0, 44.0), between(-42.0, 42.0), between(-42.0, 42.0)];
    let head = [between(-30.0, 30.0), between(-50.0, 50.0), between(-25.0, 25.0)];
    let hands = [between(-60.0, 60.0), between(-50.0, 50.0)];
    // Nobody bends and turns as far as both go.
    let kind = even(n, 30);
    let trunk = match kind {
        k if k < 0.3 => [trunk[0], 0.0, 0.0],
        k if k < 0.5 => [0.0, 0.0, trunk[2]],
        k if k < 0.7 => [0.0, trunk[1], 0.0],
        _ => trunk.map(|angle| angle * 0.5),
    };
    // Both legs deep in a squat are seldom met by chance, nor both alike.
    let deep = [40.0 + 52.0 * even(n, 26), legs[0][1], legs[0][2], 40.0 + 56.0 * even(n, 24), legs[0][4]];
    let legs = match even(n, 31) {
        k if k < 0.2 => [deep; 2],
        k if k < 0.4 => [legs[0]; 2],
        _ => legs,
    };
    Angles { trunk, head, arms, legs, hands, stiff: even(n, 29) < 0.3, sway: [12.0 * (2.0 * even(n, 27) - 1.0), even(n, 28)] }
}

/// Turns the bones of one avatar.
pub struct Poser {
    rest: Vec<DMat4>,
    /// Nodes, parents before their children, with their parents.
    order: Vec<(usize, Option<usize>)>,
    bones: Vec<Bone>,
    /// Roots of chains that swing, those of the hair left out.
    chains: Vec<usize>,
    /// From the figure's axes to those of the file.
    axes: DMat3,
}

impl Poser {
    /// Reads the skeleton of a document. `swinging` are the nodes whose chains sway.
    pub fn new(document: &Document, bones: &[Bone], springs: &Springs, is_hair: impl Fn(usize) -> bool) -> Self {
        let rest = transforms::world(document);
        let parents = transforms::parents(document);
        let depth = |node: usize| std::iter::successors(parents[node], |&n| parents[n]).take(parents.len()).count();
        let mut order: Vec<usize> = (0..rest.len()).collect();
        order.sort_by_key(|&node| (depth(node), node));
        let joints: Vec<usize> = springs.chains.iter().flat_map(|chain| chain.joints.iter().skip(1).copied()).collect();
        let roots = springs.chains.iter().filter_map(|chain| chain.joints.first().copied());
        let roots = roots.filter(|root| !is_hair(*root) && !joints.contains(root) && bones.iter().all(|bone| bone.node != *root));
        let place = |name: &str| bones.iter().find(|bone| bone.name == name).map(|bone| rest[bone.node].w_axis.truncate());
        let pairs = [("leftUpperLeg", "rightUpperLeg"), ("leftUpperArm", "rightUpperArm")].into_iter();
        let left = pairs.filter_map(|(left, right)| Some(place(left)? - place(right)?)).map(|v| DVec3::new(v.x, 0.0, v.z));
        let left = left.map(DVec3::normalize_or_zero).find(|v| *v != DVec3::ZERO).unwrap_or(DVec3::X);
        Self {
            order: order.into_iter().map(|node| (node, parents[node])).collect(),
            bones: bones.to_vec(),
            chains: roots.collect(),
            axes: DMat3::from_cols(left, DVec3::Y, left.cross(DVec3::Y)),
            rest,
        }
    }

    /// Where the figure looks, in the file.
    pub fn front(&self) -> Vec3 {
        self.axes.z_axis.as_vec3()
    }

    /// The world matrix of every node in a pose.
    pub fn world(&self, angles: &Angles) -> Vec<DMat4> {
        let mut turns: Vec<Option<DQuat>> = vec![None; self.rest.len()];
        for (bone, turn) in self.turns(angles) {
            turns[bone] = Some(turn);
        }
        let axes = DQuat::from_mat3(&self.axes);
        let mut moved = vec![DMat4::IDENTITY; self.rest.len()];
        for &(node, parent) in &self.order {
            let above = parent.map_or(DMat4::IDENTITY, |parent| moved[parent]);
            moved[node] = above;
            if let Some(turn) = turns[node] {
                let at = self.rest[node].w_axis.truncate();
                let turn = DMat4::from_quat(axes * turn * axes.inverse());
                moved[node] = above * DMat4::from_translation(at) * turn * DMat4::from_translation(-at);
            }
        }
        moved.iter().zip(&self.rest).map(|(moved, rest)| *moved * *rest).collect()
    }

    /// The directions of arms, legs, trunk and neck in a pose, each both ways.
    pub fn limbs(&self, world: &[DMat4]) -> Vec<Vec3> {
        let at = |name: &str| self.bones.iter().find(|bone| bone.name == name).map(|bone| world[bone.node].w_axis.truncate());
        let ends = LIMBS.iter().filter_map(|(from, to)| Some((at(to)? - at(from)?).normalize_or_zero().as_vec3()));
        ends.flat_map(|way| [way, -way]).collect()
    }

    /// The turn of each node that has one.
    fn turns(&self, angles: &Angles) -> Vec<(usize, DQuat)> {
        let (x, y, z) = (DQuat::from_rotation_x, DQuat::from_rotation_y, DQuat::from_rotation_z);
        let has = |name: &str| self.bones.iter().any(|bone| bone.name == name);
        let r = f64::to_radians;
        let bend = |[pitch, yaw, roll]: [f64; 3], share: f64| y(r(yaw * share)) * x(r(pitch * share)) * z(r(roll * share));
        let spine = if angles.stiff { 1 } else { ["spine", "chest", "upperChest"].iter().filter(|name| has(name)).count() };
        let turn = |name: &str| -> Option<DQuat> {
            let (side, joint) = match (name.strip_prefix("left"), name.strip_prefix("right")) {
                (Some(joint), _) => (0, joint),
                (_, Some(joint)) => (1, joint),
                _ => (0, name),
            };
            let mirror = [1.0, -1.0][side];
            let [raise, forward, twist, elbow] = angles.arms[side];
            let [flex, spread, turn, knee, foot] = angles.legs[side];
            Some(match joint {
                "spine" => bend(angles.trunk, 1.0 / spine.max(1) as f64),
                "chest" | "upperChest" if !angles.stiff => bend(angles.trunk, 1.0 / spine as f64),
                "neck" | "head" => bend(angles.head, 0.5),
                "UpperArm" => z(r(mirror * raise)) * y(r(-mirror * forward)) * x(r(twist)),
                "LowerArm" => y(r(-mirror * elbow)) * x(r(angles.hands[0])),
                "Hand" => z(r(mirror * angles.hands[1])),
                "UpperLeg" => x(r(-flex)) * z(r(mirror * spread)) * y(r(mirror * turn)),
                "LowerLeg" => x(r(knee)),
                "Foot" => x(r(-foot)),
                _ => return None,
            })
        };
        let is_turn = |turn: &DQuat| turn.w.abs() < 1.0 - 1e-9;
        let bones = self.bones.iter().filter_map(|bone| Some((bone.node, turn(bone.name).filter(is_turn)?)));
        let (sin, cos) = (angles.sway[1] * TAU).sin_cos();
        let sway = DQuat::from_axis_angle(DVec3::new(cos, 0.0, sin), r(angles.sway[0]));
        bones.chain(self.chains.iter().map(|&chain| (chain, sway)).filter(|(_, sway)| is_turn(sway))).collect()
    }

    /// The poses that are different for this skeleton, in their order.
    pub fn distinct(&self, poses: impl IntoIterator<Item = Angles>) -> Vec<Vec<DMat4>> {
        let mut known: Vec<Vec<(usize, DQuat)>> = Vec::new();
        let mut worlds = Vec::new();
        for angles in poses {
            let turns = self.turns(&angles);
            if !known.contains(&turns) {
                worlds.push(self.world(&angles));
                known.push(turns);
            }
        }
        worlds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Hips at 1 m, left upper arm at (0.2, 1.4, 0) with its forearm 0.3 further out, a leg, knee and foot; x is mirrored for `side` -1.
    fn poser(side: f64) -> Poser {
        let json = json!({"nodes": [
            {"children": [1, 3, 6], "translation": [0, 1, 0]},
            {"children": [2], "translation": [0.2 * side, 0.4, 0]}, {"translation": [0.3 * side, 0, 0]},
            {"children": [4], "translation": [0.1 * side, 0, 0]}, {"children": [5], "translation": [0, -0.4, 0]}, {"translation": [0, -0.5, 0]},
            {"translation": [-0.2 * side, 0.4, 0]}]});
        let names = ["hips", "leftUpperArm", "leftLowerArm", "leftUpperLeg", "leftLowerLeg", "leftFoot", "rightUpperArm"];
        let bones: Vec<Bone> = names.iter().enumerate().map(|(node, name)| Bone { name, node }).collect();
        Poser::new(&Document::from(json.as_object().unwrap().clone()), &bones, &Springs::default(), |_| false)
    }

    fn at(poser: &Poser, angles: Angles, node: usize) -> [f64; 3] {
        poser.world(&angles)[node].w_axis.truncate().to_array().map(|v| (v * 1e6).round() / 1e6)
    }

    #[test]
    fn joints_turn_as_people_do() {
        let one = poser(1.0);
        assert_eq!(at(&one, arms([90.0, 0.0, 0.0, 0.0], DOWN), 2), [0.2, 1.7, 0.0]);
        assert_eq!(at(&one, arms([0.0, 90.0, 0.0, 0.0], DOWN), 2), [0.2, 1.4, 0.3]);
        // Hip and knee at a right angle: the foot hangs below the knee.
        assert_eq!(at(&one, legs(DOWN, [90.0, 0.0, 0.0, 90.0, 0.0], STAND), 5), [0.1, 0.5, 0.4]);
        assert_eq!(at(&one, legs(DOWN, [0.0, 90.0, 0.0, 0.0, 0.0], STAND), 4), [0.5, 1.0, 0.0]);
        // VRM 0.x looks the other way: left is -x and the front is -z.
        let other = poser(-1.0);
        assert_eq!(at(&other, arms([0.0, 90.0, 0.0, 0.0], DOWN), 2), [-0.2, 1.4, -0.3]);
        assert_eq!(at(&other, legs(DOWN, [90.0, 0.0, 0.0, 90.0, 0.0], STAND), 5), [-0.1, 0.5, -0.4]);
    }

    #[test]
    fn poses_that_move_nothing_are_one() {
        let none = Poser::new(&poser(1.0).as_document(), &[], &Springs::default(), |_| false);
        assert_eq!(none.distinct(USUAL).len(), 1);
        assert!(poser(1.0).distinct(USUAL).len() > 8);
    }

    impl Poser {
        fn as_document(&self) -> Document {
            Document::from(json!({"nodes": vec![json!({}); self.rest.len()]}).as_object().unwrap().clone())
        }
    }

    #[test]
    fn wide_poses_reach_the_ends_of_every_joint() {
        let all: Vec<Angles> = (0..72).map(wide).collect();
        let range = |of: fn(&Angles) -> f64| all.iter().map(of).fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        assert_eq!(range(|a| a.arms[0][0]), (-75.0, 66.0));
        assert_eq!(range(|a| a.legs[1][0]), (-32.0, 92.0));
        assert_eq!(range(|a| a.legs[0][3]), (0.0, 96.0));
        assert_eq!(range(|a| a.trunk[0]), (-42.0, 44.0));
        assert!(all.iter().any(|a| a.legs[0][0] > 75.0 && a.legs[0][3] > 75.0 && a.legs[0] == a.legs[1]));
    }
}
