//! Nodes at rest: where each one stands in its parent and in the world.

use crate::gltf::names::ThreeNames;
use crate::gltf::{Document, transforms};
use glam::{DMat4, DQuat, DVec3};
use serde_json::Value;

/// Where a node stands in its parent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// In units of the parent.
    pub translation: DVec3,
    /// A unit quaternion.
    pub rotation: DQuat,
    /// Factors along its axes.
    pub scale: DVec3,
}

impl Transform {
    /// Nowhere but at its parent.
    pub const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// The matrix in the parent, column vectors.
    pub fn matrix(&self) -> DMat4 {
        DMat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

impl From<DMat4> for Transform {
    /// As three.js decomposes a matrix; shear is lost, and what is no number becomes nothing.
    fn from(matrix: DMat4) -> Self {
        let flat = matrix.determinant().abs() < 1e-30;
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        let rotation = if flat || !rotation.is_finite() { DQuat::IDENTITY } else { rotation.normalize() };
        let finite = |v: DVec3, otherwise| if v.is_finite() { v } else { otherwise };
        Self { translation: finite(translation, DVec3::ZERO), rotation, scale: finite(scale, DVec3::ONE) }
    }
}

/// The nodes of a file at rest.
#[derive(Debug, Clone, Default)]
pub struct Skeleton {
    /// As three.js spells them; empty for a node without a name.
    pub names: Vec<String>,
    /// As they stand in the file.
    pub raw_names: Vec<String>,
    /// The parent of each node.
    pub parents: Vec<Option<usize>>,
    /// Every node in its parent.
    pub rest: Vec<Transform>,
    /// Above all nodes that have no parent: turns and scales the file to metres, +Y up, +Z ahead.
    pub root: DMat4,
    /// Every node once, parents first.
    order: Vec<usize>,
}

impl Skeleton {
    /// From nodes whose parents are known; one whose parent comes back to itself is taken to have none.
    pub fn new(names: Vec<String>, mut parents: Vec<Option<usize>>, rest: Vec<Transform>, root: DMat4) -> Self {
        let count = rest.len();
        let (mut order, mut done) = (Vec::with_capacity(count), vec![false; count]);
        for start in 0..count {
            let mut chain = Vec::new();
            let mut at = Some(start);
            while let Some(node) = at.filter(|&node| node < count && !done[node]) {
                done[node] = true;
                chain.push(node);
                at = parents[node];
            }
            if let (Some(&top), Some(above)) = (chain.last(), at)
                && (above >= count || chain.contains(&above))
            {
                parents[top] = None;
            }
            order.extend(chain.into_iter().rev());
        }
        Self { raw_names: names.clone(), names, parents, rest, root, order }
    }

    /// The nodes of a glTF file.
    pub fn of(document: &Document, names: &ThreeNames) -> Self {
        let rest = document.list("nodes").iter().map(|node| Transform::from(transforms::local(node))).collect();
        let raw = |node: &Value| node.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            raw_names: document.list("nodes").iter().map(raw).collect(),
            ..Self::new(names.nodes.clone(), transforms::parents(document), rest, DMat4::IDENTITY)
        }
    }

    /// The matrix of every node in the world, for a pose of its nodes.
    pub fn world(&self, pose: &[Transform]) -> Vec<DMat4> {
        let mut world = vec![DMat4::IDENTITY; pose.len()];
        for &node in &self.order {
            world[node] = self.parents[node].map_or(self.root, |parent| world[parent]) * pose[node].matrix();
        }
        world
    }

    /// The matrix of every node in the world at rest.
    pub fn rest_world(&self) -> Vec<DMat4> {
        self.world(&self.rest)
    }

    /// The nodes above one, the nearest first.
    pub fn above(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parents.get(node).copied().flatten(), |&node| self.parents[node])
    }
}

/// The rotation in a matrix.
pub fn rotation(matrix: &DMat4) -> DQuat {
    Transform::from(*matrix).rotation
}

/// Where a matrix puts the origin.
pub fn position(matrix: &DMat4) -> DVec3 {
    matrix.w_axis.truncate()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_may_come_late_and_circles_are_cut() {
        let up = Transform { translation: DVec3::Y, ..Transform::IDENTITY };
        let names = || vec![String::new(); 3];
        let skeleton = Skeleton::new(names(), vec![Some(1), Some(2), None], vec![up; 3], DMat4::from_scale(DVec3::splat(2.0)));
        assert_eq!(skeleton.rest_world().iter().map(|m| position(m).y).collect::<Vec<_>>(), [6.0, 4.0, 2.0]);
        assert_eq!(skeleton.above(0).collect::<Vec<_>>(), [1, 2]);
        let circle = Skeleton::new(names(), vec![Some(1), Some(2), Some(0)], vec![up; 3], DMat4::IDENTITY);
        assert_eq!(circle.rest_world().len(), 3);
        assert!(circle.above(0).count() < 3);
    }
}
