//! Which way a humanoid stands and looks, by its bones at rest.

use super::Skeleton;
use super::skeleton::position;
use crate::vrm::humanoid::Bone;
use glam::{DMat3, DMat4, DVec3};

/// The root matrix that puts a humanoid upright (+Y) and lets it look to +Z. Only quarter turns are made: what stands a little askew stays so.
pub fn turned(skeleton: &Skeleton, bones: &[Bone]) -> DMat4 {
    match axes(skeleton, bones) {
        Some(axes) => DMat4::from_mat3(axes.transpose()) * skeleton.root,
        None => skeleton.root,
    }
}

/// The axes of the file's world nearest to the humanoid's left, up and ahead, as columns; `None` when its hips, head and legs do not tell.
pub fn axes(skeleton: &Skeleton, bones: &[Bone]) -> Option<DMat3> {
    let world = skeleton.rest_world();
    let at = |name: &str| bones.iter().find(|bone| bone.name == name).map(|bone| position(&world[bone.node]));
    let (hips, head) = (at("hips")?, at("head")?);
    let pairs = [("leftUpperLeg", "rightUpperLeg"), ("leftUpperArm", "rightUpperArm")];
    let side: DVec3 = pairs.iter().filter_map(|(left, right)| Some(at(left)? - at(right)?)).sum();
    let up = nearest_axis(head - hips)?;
    let left = nearest_axis(side - up * side.dot(up))?;
    Some(DMat3::from_cols(left, up, left.cross(up)))
}

/// The axis, forwards or backwards, that a direction is nearest to.
fn nearest_axis(direction: DVec3) -> Option<DVec3> {
    let sizes = direction.abs();
    if !direction.is_finite() || sizes.max_element() < 1e-9 {
        return None;
    }
    let axis = if sizes.x >= sizes.y && sizes.x >= sizes.z {
        DVec3::X
    } else if sizes.y >= sizes.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    Some(axis * direction.dot(axis).signum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip::Transform;

    #[test]
    fn any_quarter_turn_is_undone() {
        // Lies on its back with the head to +X, its left to +Z: ahead is left x up = Z x X = +Y.
        let at = |x: f64, y: f64, z: f64| Transform { translation: DVec3::new(x, y, z), ..Transform::IDENTITY };
        let rest = vec![at(1.0, 0.0, 0.05), at(1.7, 0.1, 0.0), at(0.9, 0.0, 0.1), at(0.9, 0.0, -0.1)];
        let bones = [("hips", 0), ("head", 1), ("leftUpperLeg", 2), ("rightUpperLeg", 3)].map(|(name, node)| Bone { name, node });
        let skeleton = Skeleton::new(vec![String::new(); 4], vec![None; 4], rest, DMat4::IDENTITY);
        let root = turned(&skeleton, &bones);
        assert!((root.transform_vector3(DVec3::X) - DVec3::Y).length() < 1e-12);
        assert!((root.transform_vector3(DVec3::Z) - DVec3::X).length() < 1e-12);
        assert!((root.transform_vector3(DVec3::Y) - DVec3::Z).length() < 1e-12);
        assert_eq!(turned(&skeleton, &bones[..2]), DMat4::IDENTITY);
    }
}
