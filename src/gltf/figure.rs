//! What a document draws, as triangles in the world: every primitive of every node, with its skin and its morph targets.
//!
//! Skins work as in three.js: weights scaled to the sum 1, the first joint where all are 0, an identity where there is no inverse bind
//! matrix. Sources: glTF 2.0 specification, chapters 3.7.2 and 3.7.3.

use super::{Document, index_in, index_of, list};
use glam::{Affine3A, DMat4, Mat4, Vec3};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// The most triangles that are held; a file that wants more draws one mesh over and over.
const MOST_TRIANGLES: usize = 1 << 20;

/// One primitive as one node draws it.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Index in the document.
    pub node: usize,
    /// Index in the document.
    pub mesh: usize,
    /// Index in the mesh.
    pub primitive: usize,
    /// Index in the document.
    pub material: Option<usize>,
    /// Its triangles in [`Figure::triangles`], in the order of its index buffer.
    pub triangles: Range<usize>,
    /// Its vertices in the lists of the figure.
    pub vertices: Range<usize>,
}

/// A morph target of a node's mesh, and how much of it is added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MorphWeight {
    /// Index of the node in the document.
    pub node: usize,
    /// Index of the target in the mesh.
    pub target: usize,
    /// 1 is the whole target.
    pub weight: f32,
}

/// All that is drawn.
#[derive(Debug, Clone, Default)]
pub struct Figure {
    /// In the order of the nodes, then of the primitives. Primitives without triangles (points, lines, strips, fans) are left out.
    pub parts: Vec<Part>,
    /// Vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// For each vertex its number in the accessors of its primitive.
    pub source: Vec<u32>,
    /// For each vertex its place in the mesh, morph targets left out.
    local: Vec<Vec3>,
    /// The matrices that move vertices: a node, and what comes before it.
    movers: Vec<(usize, DMat4)>,
    /// What moves each vertex and how much, the influences of one vertex after another.
    influences: Vec<(u32, f32)>,
    /// For each vertex where its influences begin; one more at the end.
    starts: Vec<u32>,
}

/// True for the nodes of the scene that is shown; for all of them when there is no scene.
pub fn shown(document: &Document) -> Vec<bool> {
    let nodes = document.list("nodes");
    let scene = document.json.get("scene").and_then(index_of).unwrap_or(0);
    let Some(scene) = document.list("scenes").get(scene) else { return vec![true; nodes.len()] };
    let mut shown = vec![false; nodes.len()];
    let mut todo: Vec<usize> = list(scene, "nodes").iter().filter_map(index_of).collect();
    while let Some(node) = todo.pop() {
        if let Some(flag) = shown.get_mut(node).filter(|flag| !**flag) {
            *flag = true;
            todo.extend(list(&nodes[node], "children").iter().filter_map(index_of));
        }
    }
    shown
}

impl Figure {
    /// Gathers the triangles of the scene that is shown. `None` when there are more than anybody can look at.
    pub fn of(document: &Document) -> Option<Self> {
        let mut figure = Self { starts: vec![0], ..Self::default() };
        let mut skins: BTreeMap<usize, Range<u32>> = BTreeMap::new();
        let shown = shown(document);
        for (node, json) in document.list("nodes").iter().enumerate().filter(|(node, _)| shown[*node]) {
            let Some((mesh, primitives)) =
                index_in(json, "mesh").and_then(|m| Some((m, list(document.list("meshes").get(m)?, "primitives"))))
            else {
                continue;
            };
            let skin = index_in(json, "skin").filter(|&skin| skin < document.list("skins").len());
            let movers = match skin {
                Some(skin) => skins.entry(skin).or_insert_with(|| figure.add_skin(document, skin)).clone(),
                None => figure.add_movers([(node, DMat4::IDENTITY)]),
            };
            for (primitive, json) in primitives.iter().enumerate() {
                figure.add_part(document, (node, mesh, primitive), json, skin.is_some(), &movers)?;
            }
        }
        Some(figure)
    }

    fn add_movers(&mut self, movers: impl IntoIterator<Item = (usize, DMat4)>) -> Range<u32> {
        let first = self.movers.len() as u32;
        self.movers.extend(movers);
        first..self.movers.len() as u32
    }

    fn add_skin(&mut self, document: &Document, skin: usize) -> Range<u32> {
        let skin = &document.list("skins")[skin];
        let inverse = index_in(skin, "inverseBindMatrices").and_then(|a| document.accessor(a).ok()).map(|data| data.floats());
        let bind = |joint: usize| -> DMat4 {
            let numbers = inverse.as_ref().and_then(|floats| floats.get(16 * joint..16 * joint + 16));
            numbers.map_or(DMat4::IDENTITY, |m| DMat4::from_cols_array(&std::array::from_fn(|k| f64::from(m[k]))))
        };
        let joints = list(skin, "joints").iter().enumerate();
        self.add_movers(joints.map(|(joint, node)| (index_of(node).unwrap_or(usize::MAX), bind(joint))))
    }

    /// Adds a primitive; `None` when it is one too many.
    fn add_part(
        &mut self,
        document: &Document,
        (node, mesh, primitive): (usize, usize, usize),
        json: &Value,
        skinned: bool,
        movers: &Range<u32>,
    ) -> Option<()> {
        let floats = |name: &str| {
            let accessor = index_in(json.get("attributes")?, name)?;
            document.accessor(accessor).ok().map(|data| data.floats())
        };
        let Some(positions) = floats("POSITION").filter(|_| json.get("mode").map_or(Some(4), index_of) == Some(4)) else {
            return Some(());
        };
        let count = (positions.len() / 3) as u32;
        let corners = match index_in(json, "indices") {
            Some(indices) => document.accessor(indices).map_or_else(|_| Vec::new(), |data| data.integers()),
            None => (0..count).collect(),
        };
        let (corners, _) = corners.as_chunks::<3>();
        if corners.is_empty() || corners.iter().flatten().any(|&corner| corner >= count) {
            return Some(());
        }
        if self.triangles.len() + corners.len() > MOST_TRIANGLES {
            return None;
        }
        // Primitives of a mesh often share one long list of vertices: only those in use are kept.
        let mut used: Vec<u32> = corners.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let first = self.source.len();
        let number = |corner: u32| (first + used.binary_search(&corner).unwrap_or(0)) as u32;
        let triangles = self.triangles.len();
        self.triangles.extend(corners.iter().map(|triangle| triangle.map(number)));
        let sets = (0..).map_while(|n| floats(&format!("JOINTS_{n}")).zip(floats(&format!("WEIGHTS_{n}"))));
        let sets: Vec<(Vec<f32>, Vec<f32>)> = sets.take_while(|_| skinned).collect();
        for &vertex in &used {
            let v = vertex as usize;
            self.local.push(Vec3::from_slice(&positions[3 * v..3 * v + 3]));
            let of = |list: &[f32]| list.get(4 * v..4 * v + 4).map_or([0.0; 4], |four| [four[0], four[1], four[2], four[3]]);
            let pairs = sets.iter().flat_map(|(joints, weights)| of(joints).into_iter().zip(of(weights)));
            let known = pairs.map(|(joint, weight)| (movers.start + joint as u32, weight));
            let known: Vec<(u32, f32)> = known.filter(|(mover, weight)| *weight > 0.0 && movers.contains(mover)).collect();
            let sum: f32 = known.iter().map(|(_, weight)| weight).sum();
            match known.is_empty() {
                true => self.influences.push((movers.start, 1.0)),
                false => self.influences.extend(known.into_iter().map(|(mover, weight)| (mover, weight / sum))),
            }
            self.starts.push(self.influences.len() as u32);
        }
        self.source.extend(&used);
        self.parts.push(Part {
            node,
            mesh,
            primitive,
            material: index_in(json, "material").filter(|&m| m < document.list("materials").len()),
            triangles: triangles..self.triangles.len(),
            vertices: first..self.source.len(),
        });
        Some(())
    }

    /// The figure with only some of its parts, in their order.
    pub fn only(&self, wanted: &[bool]) -> Self {
        let mut figure = Self { movers: self.movers.clone(), starts: vec![0], ..Self::default() };
        for (part, _) in self.parts.iter().zip(wanted).filter(|(_, wanted)| **wanted) {
            let (vertex, triangle) = (figure.source.len(), figure.triangles.len());
            let moved = |&corner: &u32| corner - part.vertices.start as u32 + vertex as u32;
            figure.triangles.extend(self.triangles[part.triangles.clone()].iter().map(|corners| corners.each_ref().map(moved)));
            figure.source.extend(&self.source[part.vertices.clone()]);
            figure.local.extend(&self.local[part.vertices.clone()]);
            for range in self.starts[part.vertices.start..=part.vertices.end].windows(2) {
                figure.influences.extend(&self.influences[range[0] as usize..range[1] as usize]);
                figure.starts.push(figure.influences.len() as u32);
            }
            let (vertices, triangles) = (vertex..figure.source.len(), triangle..figure.triangles.len());
            figure.parts.push(Part { vertices, triangles, ..part.clone() });
        }
        figure
    }

    /// For each vertex the nodes that move it, with weights of the sum 1.
    pub fn influences(&self, vertex: usize) -> impl Iterator<Item = (usize, f32)> {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        self.influences[range].iter().filter_map(|&(mover, weight)| Some((self.movers.get(mover as usize)?.0, weight)))
    }

    /// What a morph target adds to each vertex of a part at weight 1, in the mesh's own space; `None` when the part does not have it.
    pub fn morph(&self, document: &Document, part: &Part, target: usize) -> Option<Vec<Vec3>> {
        let primitive = list(&document.list("meshes")[part.mesh], "primitives").get(part.primitive)?;
        let accessor = index_in(list(primitive, "targets").get(target)?, "POSITION")?;
        let floats = document.accessor(accessor).ok()?.floats();
        let at = |&vertex: &u32| floats.get(3 * vertex as usize..3 * vertex as usize + 3).map_or(Vec3::ZERO, Vec3::from_slice);
        Some(self.source[part.vertices.clone()].iter().map(at).collect())
    }

    /// The vertices in the mesh's own space, with morph targets added: those given, else the weights that the file has.
    pub fn morphed(&self, document: &Document, weights: &[MorphWeight]) -> Vec<Vec3> {
        let mut local = self.local.clone();
        for part in &self.parts {
            let own = document.list("nodes")[part.node].get("weights").or_else(|| document.list("meshes")[part.mesh].get("weights"));
            let own = own.and_then(Value::as_array).map_or(&[][..], Vec::as_slice).iter().enumerate();
            let mut all: BTreeMap<usize, f32> = own.map(|(target, weight)| (target, weight.as_f64().unwrap_or(0.0) as f32)).collect();
            all.extend(weights.iter().filter(|weight| weight.node == part.node).map(|weight| (weight.target, weight.weight)));
            for (target, weight) in all.into_iter().filter(|(_, weight)| *weight != 0.0) {
                let moves = self.morph(document, part, target).unwrap_or_default();
                local[part.vertices.clone()].iter_mut().zip(moves).for_each(|(place, by)| *place += by * weight);
            }
        }
        local
    }

    /// The vertices in the world: `local` as [`Figure::morphed`] gives them, `world` the matrix of each node.
    pub fn posed(&self, local: &[Vec3], world: &[DMat4]) -> Vec<Vec3> {
        let matrix = |&(node, before): &(usize, DMat4)| -> Affine3A {
            let whole: Mat4 = (world.get(node).copied().unwrap_or(DMat4::IDENTITY) * before).as_mat4();
            Affine3A::from_mat4(whole)
        };
        let movers: Vec<Affine3A> = self.movers.iter().map(matrix).collect();
        let at = |(place, range): (&Vec3, &[u32])| -> Vec3 {
            let influences = &self.influences[range[0] as usize..range[1] as usize];
            influences.iter().map(|&(mover, weight)| movers[mover as usize].transform_point3(*place) * weight).sum()
        };
        local.iter().zip(self.starts.windows(2)).map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::{Blob, transforms};
    use serde_json::json;

    fn with_floats(document: &mut Document, kind: &str, floats: &[f32]) -> usize {
        let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
        let view = document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
        let count = floats.len() / super::super::accessor::components_of(kind).unwrap();
        document.add("accessors", json!({"bufferView": view, "componentType": 5126, "type": kind, "count": count}))
    }

    /// Two nodes draw one mesh: node 0 with a skin of joints 2 and 3, node 1 as it stands; node 4 is in no scene.
    fn document() -> Document {
        let json = json!({
            "scenes": [{"nodes": [0, 1, 2, 3]}],
            "nodes": [{"mesh": 0, "skin": 0, "translation": [9, 9, 9]}, {"mesh": 0, "translation": [0, 0, 5]}, {},
                {"translation": [0, 4, 0]}, {"mesh": 0}],
            "skins": [{"joints": [2, 3]}],
            "materials": [{}],
            "meshes": [{"weights": [0.5], "primitives": [
                {"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 4, "material": 0, "targets": [{"POSITION": 3}]},
                {"attributes": {"POSITION": 0}, "mode": 1}]}],
        });
        let mut document = Document::from(json.as_object().unwrap().clone());
        with_floats(&mut document, "VEC3", &[0.0, 0.0, 0.0, 50.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        with_floats(&mut document, "VEC4", &[0.0, 1.0, 0.0, 0.0].repeat(4));
        // All zero; unused; a quarter each of both, which are scaled to a half; all of the second.
        let weights = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.25, 0.25, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        with_floats(&mut document, "VEC4", &weights);
        with_floats(&mut document, "VEC3", &[0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let view = document.add_view(Blob { bytes: vec![0, 2, 3].into(), packed: None }, json!({}));
        document.add("accessors", json!({"bufferView": view, "componentType": 5121, "type": "SCALAR", "count": 3}));
        document
    }

    #[test]
    fn every_node_that_is_shown_draws_its_mesh() {
        let document = document();
        let figure = Figure::of(&document).unwrap();
        let parts: Vec<(usize, usize, Option<usize>)> = figure.parts.iter().map(|p| (p.node, p.primitive, p.material)).collect();
        assert_eq!(parts, [(0, 0, Some(0)), (1, 0, Some(0))]);
        assert_eq!((figure.triangles.as_slice(), figure.source.as_slice()), (&[[0, 1, 2], [3, 4, 5]][..], &[0, 2, 3, 0, 2, 3][..]));
        let influences: Vec<Vec<(usize, f32)>> = (0..4).map(|v| figure.influences(v).collect()).collect();
        assert_eq!(influences, [vec![(2, 1.0)], vec![(2, 0.5), (3, 0.5)], vec![(3, 1.0)], vec![(1, 1.0)]]);
    }

    #[test]
    fn some_parts_alone_are_as_they_were() {
        let document = document();
        let figure = Figure::of(&document).unwrap();
        let second = figure.only(&[false, true]);
        assert_eq!((second.parts.len(), second.parts[0].node, second.triangles.as_slice()), (1, 1, &[[0, 1, 2]][..]));
        let world = transforms::world(&document);
        let whole = figure.posed(&figure.morphed(&document, &[]), &world);
        assert_eq!(second.posed(&second.morphed(&document, &[]), &world), whole[3..]);
    }

    #[test]
    fn skins_and_morphs_put_vertices_where_three_does() {
        let document = document();
        let figure = Figure::of(&document).unwrap();
        let world = transforms::world(&document);
        let at = |weights: &[MorphWeight]| figure.posed(&figure.morphed(&document, weights), &world);
        let v = Vec3::new;
        // The file's own weight of the morph is a half.
        assert_eq!(at(&[]), [v(0.0, 0.0, 1.0), v(1.0, 2.0, 0.0), v(0.0, 5.0, 0.0), v(0.0, 0.0, 6.0), v(1.0, 0.0, 5.0), v(0.0, 1.0, 5.0)]);
        let worn = MorphWeight { node: 0, target: 0, weight: 1.0 };
        assert_eq!((at(&[worn])[0], at(&[worn])[3]), (v(0.0, 0.0, 2.0), v(0.0, 0.0, 6.0)));
        assert!(figure.morph(&document, &figure.parts[0], 1).is_none());
    }
}
