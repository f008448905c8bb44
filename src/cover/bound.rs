//! What is never hidden, and what never hides: the head with its hair, and all that an expression moves.

use crate::gltf::figure::Figure;
use crate::gltf::{Document, transforms};
use crate::vrm::expressions::Expression;
use crate::vrm::humanoid::Bone;
use glam::Vec3;
use std::ops::Range;

/// Bones that carry the face; what hangs on them (hair) goes with them.
const FACE: [&str; 4] = ["head", "leftEye", "rightEye", "jaw"];
/// A vertex belongs to the head from this weight on.
const HALF: f32 = 0.5;
/// An expression that moves a vertex by less than this fraction of the body's height shows nothing.
const STILL: f32 = 0.0002;

/// What is known of each triangle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bound {
    /// Never hidden: a corner belongs to the head, or is moved by an expression.
    pub protected: Vec<bool>,
    /// Never hides anything: all corners belong to the head. Hair swings, and a head turns.
    pub loose: Vec<bool>,
}

impl Bound {
    /// The same of some ranges of triangles, one after another.
    pub fn only(&self, ranges: impl Iterator<Item = Range<usize>> + Clone) -> Self {
        let of = |flags: &[bool]| ranges.clone().flat_map(|range| flags[range].to_vec()).collect();
        Self { protected: of(&self.protected), loose: of(&self.loose) }
    }
}

/// For each node the humanoid bone that carries it: its own or that of its nearest ancestor.
pub fn carriers(document: &Document, bones: &[Bone]) -> Vec<Option<&'static str>> {
    let parents = transforms::parents(document);
    let own = |node: usize| bones.iter().find(|bone| bone.node == node).map(|bone| bone.name);
    // No chain of parents is longer than there are nodes.
    let carrier = |node: usize| std::iter::successors(Some(node), |&n| parents[n]).take(parents.len()).find_map(own);
    (0..parents.len()).map(carrier).collect()
}

/// Looks at every triangle; `height` is that of the body.
pub fn bound(document: &Document, figure: &Figure, bones: &[Bone], expressions: &[Expression], height: f32) -> Bound {
    let carriers = carriers(document, bones);
    let is_face = |node: usize| carriers.get(node).copied().flatten().is_some_and(|bone| FACE.contains(&bone));
    let weight = |vertex: usize| figure.influences(vertex).filter(|(node, _)| is_face(*node)).map(|(_, weight)| weight).sum::<f32>();
    let of_head: Vec<bool> = (0..figure.source.len()).map(|vertex| weight(vertex) >= HALF).collect();
    let mut shielded = of_head.clone();
    for part in &figure.parts {
        let binds = expressions.iter().flat_map(|expression| &expression.morphs);
        let binds = binds.filter(|bind| bind.mesh == part.mesh && bind.node.is_none_or(|node| node == part.node) && bind.weight != 0.0);
        let mut targets: Vec<usize> = binds.map(|bind| bind.index).collect();
        targets.sort_unstable();
        targets.dedup();
        for moves in targets.into_iter().filter_map(|target| figure.morph(document, part, target)) {
            let flags = shielded[part.vertices.clone()].iter_mut();
            flags.zip(moves).for_each(|(flag, by): (&mut bool, Vec3)| *flag |= by.length() > STILL * height);
        }
    }
    let corners = |flags: &[bool], triangle: &[u32; 3]| triangle.map(|vertex| flags[vertex as usize]);
    Bound {
        protected: figure.triangles.iter().map(|triangle| corners(&shielded, triangle).contains(&true)).collect(),
        loose: figure.triangles.iter().map(|triangle| corners(&of_head, triangle) == [true; 3]).collect(),
    }
}
