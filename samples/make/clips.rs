//! What the figures do: idle, talk, listen, think, wave, laugh, shift their weight and walk.

use glam::{Quat, Vec2, Vec3, Vec3Swizzles};

use crate::motion::{Clip, Pose, wave};
use crate::shape::smoothstep;
use crate::skeleton::Skeleton;

/// How fast the walk clip moves over the floor, in metres a second, on the figure of full size.
pub const WALK_SPEED: f32 = 0.5;
/// One cycle of the walk, in seconds.
const WALK_SECONDS: f32 = 1.1;
/// The part of a cycle in which a foot stands.
const STANCE: f32 = 0.6;

/// All clips; a figure takes those it wants.
pub static CLIPS: [Clip; 9] = [
    Clip { name: "idle", seconds: 4.0, rate: 10.0, is_loop: true, pose: idle },
    Clip { name: "talk-idle", seconds: 3.0, rate: 12.0, is_loop: true, pose: talk_calm },
    Clip { name: "talk-lively", seconds: 2.4, rate: 15.0, is_loop: true, pose: talk_lively },
    Clip { name: "listen", seconds: 4.0, rate: 10.0, is_loop: true, pose: listen },
    Clip { name: "think", seconds: 5.0, rate: 10.0, is_loop: true, pose: think },
    Clip { name: "wave", seconds: 2.4, rate: 20.0, is_loop: false, pose: greet },
    Clip { name: "laugh", seconds: 2.6, rate: 20.0, is_loop: false, pose: laugh },
    Clip { name: "shift", seconds: 1.6, rate: 15.0, is_loop: false, pose: shift },
    Clip { name: "walk", seconds: WALK_SECONDS, rate: 30.0, is_loop: true, pose: walk },
];

/// Arms at her sides, breathing; the base of most clips.
fn stand(phase: f32, breaths: f32) -> Pose {
    let mut pose = Pose::default();
    let breath = wave(phase, breaths, 0.0);
    let sway = wave(phase, 1.0, 0.25);
    pose.hips = Vec3::new(0.006 * sway, -0.004 + 0.0015 * breath, 0.0);
    pose.turn("hips", 0.0, 0.0, -0.6 * sway);
    pose.turn("spine", 0.8 + 0.5 * breath, 0.8 * sway, 0.7 * sway);
    pose.turn("chest", -0.6 - 0.9 * breath, 0.0, 0.3 * sway);
    pose.turn("upperChest", -0.5 * breath, 0.0, 0.0);
    pose.turn("neck", 1.0 + 0.6 * breath, 0.0, -0.3 * sway);
    pose.turn("head", 0.4 * breath, 1.2 * wave(phase, 1.0, 0.1), -0.6 * sway);
    pose.both("Shoulder", 0.0, 0.0, -3.0 + 0.6 * breath);
    pose.both("UpperArm", 4.0, 0.0, -68.0 + 0.9 * breath);
    pose.both("LowerArm", 0.0, -13.0, 0.0);
    pose.both("Hand", 0.0, 0.0, -2.0);
    pose.curl("left", 0.2);
    pose.curl("right", 0.2);
    legs(&mut pose, [Vec3::ZERO; 2], [0.0; 2], None);
    pose
}

fn idle(phase: f32, _: &Skeleton) -> Pose {
    stand(phase, 1.0)
}

fn talk_calm(phase: f32, _: &Skeleton) -> Pose {
    let mut pose = stand(phase, 1.0);
    let beat = 0.5 - 0.5 * wave(phase, 2.0, 0.25);
    pose.turn("leftLowerArm", 0.0, -42.0 - 14.0 * beat, 0.0);
    pose.turn("rightLowerArm", 0.0, 46.0 + 12.0 * (0.5 + 0.5 * wave(phase, 1.0, 0.0)), 0.0);
    pose.turn("leftHand", 0.0, 0.0, 8.0 * wave(phase, 2.0, 0.1));
    pose.turn("head", 2.5 * wave(phase, 2.0, 0.0), 2.0 * wave(phase, 1.0, 0.4), 1.0 * wave(phase, 1.0, 0.7));
    pose
}

fn talk_lively(phase: f32, _: &Skeleton) -> Pose {
    let mut pose = stand(phase, 1.0);
    pose.both("UpperArm", 0.0, -14.0, 10.0);
    pose.turn("leftLowerArm", 0.0, -70.0 - 22.0 * wave(phase, 2.0, 0.0), 0.0);
    pose.turn("rightLowerArm", 0.0, 70.0 + 22.0 * wave(phase, 2.0, 0.3), 0.0);
    pose.turn("leftHand", 0.0, 0.0, 14.0 * wave(phase, 2.0, 0.2));
    pose.turn("rightHand", 0.0, 0.0, 14.0 * wave(phase, 2.0, 0.6));
    pose.turn("chest", 0.0, 3.0 * wave(phase, 1.0, 0.0), 0.0);
    pose.turn("head", 3.5 * wave(phase, 2.0, 0.1), 4.0 * wave(phase, 1.0, 0.3), 2.0 * wave(phase, 1.0, 0.0));
    pose
}

fn listen(phase: f32, _: &Skeleton) -> Pose {
    let mut pose = stand(phase, 1.0);
    let nod = smoothstep(0.45, 0.55, phase) * smoothstep(0.7, 0.6, phase);
    pose.turn("spine", 2.0, 0.0, 0.0);
    pose.turn("head", 4.0 + 6.0 * nod, 3.0, 5.0);
    pose.turn("leftUpperArm", 0.0, -6.0, 0.0);
    pose
}

/// A hand at the chin, the eyes up and to the side; carries expression and gaze tracks.
fn think(phase: f32, _: &Skeleton) -> Pose {
    let mut pose = stand(phase, 1.0);
    let drift = wave(phase, 1.0, 0.0);
    pose.aim("rightUpperArm", Vec3::NEG_X, Vec3::new(-0.34, -0.88, 0.3 + 0.01 * drift));
    pose.aim_below("rightLowerArm", "rightUpperArm", Vec3::NEG_X, Vec3::new(0.52, 0.83, 0.3 + 0.02 * drift));
    pose.turn("rightHand", 0.0, 0.0, -18.0);
    pose.curl("right", 0.45);
    pose.turn("leftUpperArm", 0.0, -22.0, 0.0);
    pose.turn("leftLowerArm", 0.0, -76.0, 0.0);
    pose.turn("head", -4.0 + 1.5 * drift, 8.0, 4.0);
    pose.turn("spine", 0.0, 3.0, 0.0);
    pose.expressions = vec![("relaxed", 0.15 + 0.1 * wave(phase, 1.0, 0.25)), ("neutral", 0.0)];
    pose.gaze = Some((14.0 + 6.0 * drift, 12.0 + 4.0 * wave(phase, 2.0, 0.0)));
    pose
}

fn greet(phase: f32, _: &Skeleton) -> Pose {
    let mut pose = stand(phase, 1.0);
    let up = smoothstep(0.0, 0.28, phase) * smoothstep(1.0, 0.76, phase);
    let side = wave(phase, 4.0, 0.0) * smoothstep(0.2, 0.35, phase) * smoothstep(0.85, 0.7, phase);
    pose.turn("rightUpperArm", 0.0, 12.0 * up, -72.0 * up);
    pose.turn("rightLowerArm", 0.0, 12.0 * up, -80.0 * up + 18.0 * side * up);
    pose.turn("rightHand", 0.0, 0.0, 12.0 * side * up);
    pose.turn("rightLowerArm", -10.0 * up, 0.0, 0.0);
    pose.curl("right", -0.17 * up);
    pose.turn("head", 0.0, -3.0 * up, -6.0 * up);
    pose.turn("spine", 0.0, 0.0, 2.0 * up);
    pose
}

fn laugh(phase: f32, _: &Skeleton) -> Pose {
    let mut pose = stand(phase, 1.0);
    let on = smoothstep(0.0, 0.2, phase) * smoothstep(1.0, 0.75, phase);
    let shake = wave(phase, 9.0, 0.0) * on;
    pose.turn("spine", 7.0 * on + 1.2 * shake, 0.0, 0.0);
    pose.turn("chest", 4.0 * on + 1.5 * shake, 0.0, 0.0);
    pose.turn("head", -8.0 * on + 1.5 * shake, 0.0, 5.0 * on);
    pose.both("Shoulder", 0.0, 0.0, 5.0 * on + 2.0 * shake);
    pose.turn("leftUpperArm", 0.0, -30.0 * on, 4.0 * on);
    pose.turn("leftLowerArm", 0.0, -84.0 * on, 0.0);
    pose.turn("rightUpperArm", 0.0, 20.0 * on, 0.0);
    pose.turn("rightLowerArm", 0.0, 60.0 * on, 0.0);
    pose.hips.y -= 0.006 * on - 0.002 * shake;
    pose.expressions = vec![("happy", on)];
    legs_again(&mut pose);
    pose
}

/// Ends with the weight on her left leg.
fn shift(phase: f32, _: &Skeleton) -> Pose {
    let mut pose = stand(0.0, 1.0);
    let on = smoothstep(0.0, 0.85, phase);
    pose.hips += Vec3::new(0.045, -0.008, 0.0) * on;
    pose.turn("hips", 0.0, -7.0 * on, 3.0 * on);
    pose.turn("spine", 0.0, 2.0 * on, -4.0 * on);
    pose.turn("chest", 0.0, 2.0 * on, -1.0 * on);
    pose.turn("head", 0.0, 4.0 * on, 2.5 * on);
    pose.turn("rightUpperArm", 0.0, 8.0 * on, 0.0);
    legs_again(&mut pose);
    pose
}

fn walk(phase: f32, _: &Skeleton) -> Pose {
    let mut pose = Pose::default();
    let reach = WALK_SPEED * WALK_SECONDS * STANCE;
    let foot = |phase: f32| {
        let p = phase.rem_euclid(1.0);
        if p < STANCE {
            return (Vec3::new(0.0, 0.0, reach * (0.5 - p / STANCE)), 0.0);
        }
        // From behind to before, leaving and meeting the floor at the speed of the floor.
        let t = (p - STANCE) / (1.0 - STANCE);
        let slope = -WALK_SPEED * WALK_SECONDS * (1.0 - STANCE);
        let (h00, h10) = (2.0 * t.powi(3) - 3.0 * t * t + 1.0, t.powi(3) - 2.0 * t * t + t);
        let (h01, h11) = (-2.0 * t.powi(3) + 3.0 * t * t, t.powi(3) - t * t);
        let z = -reach * 0.5 * h00 + slope * h10 + reach * 0.5 * h01 + slope * h11;
        let lift = (t * std::f32::consts::PI).sin().powi(2);
        (Vec3::new(0.0, 0.06 * lift, z), 28.0 * (t * std::f32::consts::TAU).sin() * (1.0 - t) * lift.sqrt())
    };
    let ((left, left_pitch), (right, right_pitch)) = (foot(phase), foot(phase + 0.5));
    let step = wave(phase, 1.0, 0.12);
    pose.hips = Vec3::new(0.012 * wave(phase, 1.0, 0.0), -0.026 + 0.007 * wave(phase, 2.0, -0.05), 0.008);
    pose.turn("hips", 0.0, 0.0, 0.0);
    pose.turn("spine", 2.5, 4.0 * step, 0.0);
    pose.turn("chest", 0.0, 3.0 * step, 0.0);
    pose.turn("neck", 0.0, -3.0 * step, 0.0);
    pose.turn("head", -1.5 + 0.8 * wave(phase, 2.0, 0.0), -3.0 * step, 0.0);
    pose.both("Shoulder", 0.0, 0.0, -3.0);
    let swing = wave(phase, 1.0, 0.25);
    pose.turn("leftUpperArm", 0.0, 0.0, -68.0);
    pose.turn("rightUpperArm", 0.0, 0.0, 68.0);
    pose.turn("leftUpperArm", 14.0 * swing, 0.0, 0.0);
    pose.turn("rightUpperArm", -14.0 * swing, 0.0, 0.0);
    pose.turn("leftLowerArm", 0.0, -20.0 + 6.0 * swing, 0.0);
    pose.turn("rightLowerArm", 0.0, 20.0 + 6.0 * swing, 0.0);
    pose.curl("left", 0.3);
    pose.curl("right", 0.3);
    legs(&mut pose, [left, right], [left_pitch, right_pitch], None);
    pose
}

/// Puts both feet back on the floor after the hips have moved.
fn legs_again(pose: &mut Pose) {
    let hips = pose.turns.iter().find(|known| known.0 == "hips").map(|known| known.1);
    pose.turns.retain(|known| !(known.0.ends_with("Leg") || known.0.ends_with("Foot")));
    legs(pose, [Vec3::ZERO; 2], [0.0; 2], hips);
}

/// Bends the legs so that the ankles are `feet` away from their rest, by two-bone inverse kinematics; soles stay level but for `pitch`.
fn legs(pose: &mut Pose, feet: [Vec3; 2], pitch: [f32; 2], hips: Option<Quat>) {
    let skeleton = Skeleton::smallest();
    let hips = hips.or_else(|| pose.turns.iter().find(|known| known.0 == "hips").map(|known| known.1)).unwrap_or(Quat::IDENTITY);
    let at = |bone: &str| skeleton.bones[skeleton.human(bone).expect("a leg")].at;
    for (index, side) in ["left", "right"].into_iter().enumerate() {
        let [hip, knee, ankle] = ["UpperLeg", "LowerLeg", "Foot"].map(|bone| at(&format!("{side}{bone}")));
        let joint = at("hips") + pose.hips + hips * (hip - at("hips"));
        let target = hips.inverse() * (ankle + feet[index] - joint);
        let (thigh, shin) = (knee - hip, ankle - knee);
        // Sideways first: the leg tilts until only the offset that it has at rest is left over.
        let off = thigh.x + shin.x;
        let flat = (target.x * target.x + target.y * target.y).sqrt();
        let tilt = (target.x / flat).clamp(-1.0, 1.0).asin() - (off / flat).clamp(-1.0, 1.0).asin();
        let planar = Quat::from_rotation_z(-tilt) * target;
        // Then in its own plane, with the knee forward.
        let (a, b) = (thigh.yz().length(), shin.yz().length());
        let far = planar.yz().length().clamp((a - b).abs() + 1e-4, a + b - 1e-4);
        let toward = |v: Vec2| v.y.atan2(-v.x);
        let bend = ((a * a + far * far - b * b) / (2.0 * a * far)).clamp(-1.0, 1.0).acos();
        let upper = toward(planar.yz()) + bend;
        let knee_place = Vec2::new(-upper.cos(), upper.sin()) * a;
        let lower = toward(planar.yz().normalize() * far - knee_place);
        // A turn of angle x about X takes the way down (-Y) backwards (-Z).
        let turn_upper = Quat::from_rotation_z(tilt) * Quat::from_rotation_x(toward(thigh.yz()) - upper);
        let turn_both = Quat::from_rotation_z(tilt) * Quat::from_rotation_x(toward(shin.yz()) - lower);
        pose.rotate(&format!("{side}UpperLeg"), turn_upper);
        pose.rotate(&format!("{side}LowerLeg"), turn_upper.inverse() * turn_both);
        let level = (hips * turn_both).inverse() * Quat::from_rotation_x(pitch[index].to_radians());
        pose.rotate(&format!("{side}Foot"), level);
    }
}

/// A clip of this name.
pub fn clip(name: &str) -> &'static Clip {
    CLIPS.iter().find(|clip| clip.name == name).unwrap_or_else(|| panic!("no clip {name}"))
}
