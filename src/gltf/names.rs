//! The names by which three.js knows the nodes of a file.
//!
//! Source: three.js r187, `PropertyBinding.sanitizeNodeName` and `GLTFLoader.createUniqueName`, and the order in which the loader asks for
//! names; checked against vectors made by the real loader (tests/names.rs).

use super::{Document, index_in, index_of, list};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// JavaScript's whitespace becomes `_`, and `[ ] . : /` go. (Rust's `char::is_whitespace` is another set.)
pub fn sanitize(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            '\u{9}'..='\u{d}'
            | ' '
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
            | '\u{feff}' => '_',
            c => c,
        })
        .filter(|c| !matches!(c, '[' | ']' | '.' | ':' | '/'))
        .collect()
}

/// Members of every JavaScript object: a node called so comes out as `<name>_NaN`.
const OBJECT_MEMBERS: [&str; 12] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// True for a name that three.js spells `<name>_NaN`.
pub fn is_object_member(name: &str) -> bool {
    OBJECT_MEMBERS.contains(&sanitize(name).as_str())
}

/// What three.js calls the parts of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreeNames {
    /// For each node the name of its object; empty for an object without a name.
    pub nodes: Vec<String>,
    /// For each scene.
    pub scenes: Vec<String>,
    /// For each camera.
    pub cameras: Vec<String>,
    /// For each light of KHR_lights_punctual.
    pub lights: Vec<String>,
    /// For each mesh the names of its objects, one a primitive, before a node's name replaces that of a single one.
    pub meshes: Vec<Vec<String>>,
}

struct Loader<'a> {
    document: &'a Document,
    counters: BTreeMap<String, usize>,
    names: ThreeNames,
    loaded: BTreeSet<usize>,
    named: BTreeSet<usize>,
    skins: BTreeSet<usize>,
    cameras: BTreeSet<usize>,
    mesh_order: Vec<usize>,
}

fn name_of(value: &Value) -> Option<&str> {
    value.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())
}

impl Loader<'_> {
    fn unique(&mut self, name: &str) -> String {
        let name = sanitize(name);
        if OBJECT_MEMBERS.contains(&name.as_str()) {
            return format!("{name}_NaN");
        }
        match self.counters.get_mut(&name) {
            Some(count) => {
                *count += 1;
                format!("{name}_{count}")
            }
            None => {
                self.counters.insert(name.clone(), 0);
                name
            }
        }
    }

    /// Gives a node its name, then its camera and light theirs.
    fn name_node(&mut self, index: usize) {
        let document = self.document;
        let Some(node) = document.list("nodes").get(index) else { return };
        if !self.named.insert(index) {
            return;
        }
        if let Some(name) = name_of(node) {
            self.names.nodes[index] = self.unique(name);
        }
        if let Some(mesh) = index_in(node, "mesh")
            && !self.mesh_order.contains(&mesh)
        {
            self.mesh_order.push(mesh);
        }
        if let Some(camera) = index_in(node, "camera") {
            self.name_camera(camera);
        }
        let light = node.get("extensions").and_then(|e| e.get("KHR_lights_punctual")).and_then(|l| index_in(l, "light"));
        if let Some(light) = light
            && let Some(slot) = self.names.lights.get(light)
            && slot.is_empty()
        {
            let raw = lights(document)[light].get("name").and_then(Value::as_str).filter(|n| !n.is_empty());
            self.names.lights[light] = self.unique(raw.unwrap_or(&format!("light_{light}")));
        }
    }

    fn name_camera(&mut self, index: usize) {
        if let Some(camera) = self.document.list("cameras").get(index)
            && self.cameras.insert(index)
            && let Some(name) = name_of(camera)
        {
            self.names.cameras[index] = self.unique(name);
        }
    }

    /// A node, its children depth first, then the joints of its skin. (Depth is bounded by the list below, not by the stack.)
    fn load_node(&mut self, index: usize) {
        enum Todo {
            Node(usize),
            Skin(usize),
        }
        let document = self.document;
        let mut todo = vec![Todo::Node(index)];
        while let Some(next) = todo.pop() {
            match next {
                Todo::Node(index) => {
                    let Some(node) = document.list("nodes").get(index) else { continue };
                    if !self.loaded.insert(index) {
                        continue;
                    }
                    self.name_node(index);
                    todo.extend(index_in(node, "skin").map(Todo::Skin));
                    todo.extend(list(node, "children").iter().rev().filter_map(index_of).map(Todo::Node));
                }
                Todo::Skin(index) => {
                    let Some(skin) = document.list("skins").get(index) else { continue };
                    if self.skins.insert(index) {
                        list(skin, "joints").iter().filter_map(index_of).for_each(|joint| self.name_node(joint));
                    }
                }
            }
        }
    }
}

fn lights(document: &Document) -> &[Value] {
    document.extension("KHR_lights_punctual").map_or(&[], |extension| list(extension, "lights"))
}

/// Names every part of the document as GLTFLoader does. Nodes that it never loads come last, as if it did.
pub fn three_names(document: &Document) -> ThreeNames {
    let mut loader = Loader {
        document,
        counters: BTreeMap::new(),
        names: ThreeNames {
            nodes: vec![String::new(); document.list("nodes").len()],
            scenes: vec![String::new(); document.list("scenes").len()],
            cameras: vec![String::new(); document.list("cameras").len()],
            lights: vec![String::new(); lights(document).len()],
            meshes: vec![Vec::new(); document.list("meshes").len()],
        },
        loaded: BTreeSet::new(),
        named: BTreeSet::new(),
        skins: BTreeSet::new(),
        cameras: BTreeSet::new(),
        mesh_order: Vec::new(),
    };
    for (i, scene) in document.list("scenes").iter().enumerate() {
        if let Some(name) = name_of(scene) {
            loader.names.scenes[i] = loader.unique(name);
        }
        list(scene, "nodes").iter().filter_map(index_of).for_each(|node| loader.load_node(node));
    }
    for animation in document.list("animations") {
        for channel in list(animation, "channels") {
            if let Some(node) = channel.get("target").and_then(|t| index_in(t, "node")) {
                loader.load_node(node);
            }
        }
    }
    (0..document.list("cameras").len()).for_each(|camera| loader.name_camera(camera));
    (0..document.list("nodes").len()).for_each(|node| loader.load_node(node));
    for mesh in std::mem::take(&mut loader.mesh_order) {
        let Some(value) = document.list("meshes").get(mesh) else { continue };
        let name = name_of(value).map_or_else(|| format!("mesh_{mesh}"), str::to_owned);
        let names = list(value, "primitives").iter().map(|_| loader.unique(&name)).collect();
        loader.names.meshes[mesh] = names;
    }
    name_by_mesh(document, &mut loader.names);
    loader.names
}

/// A node without a name goes by its mesh: the object of its one primitive; when several nodes draw the mesh, with `_instance_N`.
fn name_by_mesh(document: &Document, names: &mut ThreeNames) {
    let mut uses: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for mesh in document.list("nodes").iter().filter_map(|node| index_in(node, "mesh")) {
        uses.entry(mesh).or_default().0 += 1;
    }
    for (i, node) in document.list("nodes").iter().enumerate() {
        let Some(mesh) = index_in(node, "mesh") else { continue };
        let Some((total, seen)) = uses.get_mut(&mesh) else { continue };
        let instance = if *total > 1 { format!("_instance_{seen}") } else { String::new() };
        *seen += 1;
        if name_of(node).is_none()
            && let Some(objects) = names.meshes.get(mesh)
        {
            let base = if objects.len() == 1 { objects[0].as_str() } else { "" };
            names.nodes[i] = format!("{base}{instance}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(json: Value) -> ThreeNames {
        three_names(&Document::from(json.as_object().unwrap().clone()))
    }

    #[test]
    fn sanitizes_as_three_does() {
        // Made by the real function; see the vectors A1 to A64 of tests/names.rs for all.
        for (raw, three) in [
            ("Tail.001", "Tail001"),
            ("mixamorig:Hips", "mixamorigHips"),
            ("Ear L", "Ear_L"),
            ("[ ] . : /", "____"),
            ("左\u{3000}足", "左_足"),
            ("A\u{85}B", "A\u{85}B"),
            ("A\u{200b}B", "A\u{200b}B"),
            ("back\\slash|-", "back\\slash|-"),
        ] {
            assert_eq!(sanitize(raw), three, "{raw:?}");
        }
    }

    #[test]
    fn repeated_names_count_and_suffixes_are_not_registered() {
        let json = json!({"scenes": [{"nodes": [0, 1, 2]}], "nodes": [{"name": "A"}, {"name": "A"}, {"name": "A_1"}]});
        assert_eq!(names(json).nodes, ["A", "A_1", "A_1"]);
    }

    #[test]
    fn a_scene_takes_a_slot_first() {
        let json =
            json!({"scenes": [{"name": "Armature", "nodes": [0]}], "nodes": [{"name": "Armature", "children": [1]}, {"name": "Hips"}]});
        assert_eq!(names(json).nodes, ["Armature_1", "Hips"]);
    }

    #[test]
    fn members_of_objects_are_not_numbers() {
        let json = json!({"scenes": [{"nodes": [0, 1]}], "nodes": [{"name": "constructor"}, {"name": "__proto__"}]});
        assert_eq!(names(json).nodes, ["constructor_NaN", "__proto___NaN"]);
    }

    #[test]
    fn nodes_without_names_go_by_their_mesh() {
        let json = json!({"scenes": [{"nodes": [0, 1, 2]}], "nodes": [{"mesh": 0}, {"mesh": 1}, {"mesh": 1}],
            "meshes": [{"name": "Shirt.001", "primitives": [{}]}, {"name": "Shoe", "primitives": [{}]}]});
        assert_eq!(names(json).nodes, ["Shirt001", "Shoe_instance_0", "Shoe_instance_1"]);
    }
}
