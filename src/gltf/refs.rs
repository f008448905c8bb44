//! The index table: every place in a glTF document that holds the index of something else.
//!
//! One table drives one check and one remap, so that no pass has to know an extension. A row is a path from the root, `*` standing for
//! every element of a list or every member of an object, and the list that the number found there points into. Sources: the glTF 2.0
//! schema and the schemas of the extensions named.

use super::index_of;
use crate::report::locate::escape;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The path of a top-level list, such as `nodes` or `extensions/KHR_lights_punctual/lights`.
pub type List = &'static str;

/// Pseudo-list: a morph target of the mesh that stands beside the index (by `node` or `mesh`).
pub const MORPH: List = "(morph target)";

/// The root-level extension in which a build of this tool embeds what it worked out.
pub const PRECOMPUTED: &str = "COMPANION_precomputed";

/// What a texture is for, which decides how it may be compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Use {
    /// Colours that people see, sRGB.
    Color,
    /// Numbers: roughness, occlusion, masks, widths.
    Data,
    /// Tangent-space normals.
    Normal,
}

/// One place that holds an index.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Path from the root, parts separated by `/`.
    pub path: &'static str,
    /// What it points into.
    pub list: List,
    /// For textures: what it is used for there.
    pub texture: Option<Use>,
}

/// A place that holds an index.
pub const fn row(path: &'static str, list: List) -> Row {
    Row { path, list, texture: None }
}

/// A place that holds a texture's index.
pub const fn texture(path: &'static str, used_for: Use) -> Row {
    Row { path, list: "textures", texture: Some(used_for) }
}

/// Rows and the extensions that hold no index at all: one of these for each floor that knows a format.
#[derive(Debug)]
pub struct Rows {
    /// The places.
    pub rows: &'static [Row],
    /// Extensions known to hold no index into the document (or none that ever changes).
    pub plain: &'static [&'static str],
}

use Use::{Color, Data, Normal};

/// Core glTF and the ratified, multi-vendor and vendor extensions in use.
pub const GLTF: Rows = Rows {
    rows: &[
        row("scene", "scenes"),
        row("scenes/*/nodes/*", "nodes"),
        row("nodes/*/children/*", "nodes"),
        row("nodes/*/mesh", "meshes"),
        row("nodes/*/skin", "skins"),
        row("nodes/*/camera", "cameras"),
        row("skins/*/joints/*", "nodes"),
        row("skins/*/skeleton", "nodes"),
        row("skins/*/inverseBindMatrices", "accessors"),
        row("meshes/*/primitives/*/attributes/*", "accessors"),
        row("meshes/*/primitives/*/indices", "accessors"),
        row("meshes/*/primitives/*/targets/*/*", "accessors"),
        row("meshes/*/primitives/*/material", "materials"),
        row("animations/*/channels/*/target/node", "nodes"),
        row("animations/*/samplers/*/input", "accessors"),
        row("animations/*/samplers/*/output", "accessors"),
        row("accessors/*/bufferView", "bufferViews"),
        row("accessors/*/sparse/indices/bufferView", "bufferViews"),
        row("accessors/*/sparse/values/bufferView", "bufferViews"),
        row("images/*/bufferView", "bufferViews"),
        row("textures/*/source", "images"),
        row("textures/*/sampler", "samplers"),
        texture("materials/*/pbrMetallicRoughness/baseColorTexture/index", Color),
        texture("materials/*/pbrMetallicRoughness/metallicRoughnessTexture/index", Data),
        texture("materials/*/normalTexture/index", Normal),
        texture("materials/*/occlusionTexture/index", Data),
        texture("materials/*/emissiveTexture/index", Color),
        // Textures.
        row("textures/*/extensions/EXT_texture_webp/source", "images"),
        row("textures/*/extensions/EXT_texture_avif/source", "images"),
        row("textures/*/extensions/KHR_texture_basisu/source", "images"),
        row("textures/*/extensions/MSFT_texture_dds/source", "images"),
        // Materials.
        texture("materials/*/extensions/KHR_materials_anisotropy/anisotropyTexture/index", Data),
        texture("materials/*/extensions/KHR_materials_clearcoat/clearcoatTexture/index", Data),
        texture("materials/*/extensions/KHR_materials_clearcoat/clearcoatRoughnessTexture/index", Data),
        texture("materials/*/extensions/KHR_materials_clearcoat/clearcoatNormalTexture/index", Normal),
        texture("materials/*/extensions/KHR_materials_diffuse_transmission/diffuseTransmissionTexture/index", Data),
        texture("materials/*/extensions/KHR_materials_diffuse_transmission/diffuseTransmissionColorTexture/index", Color),
        texture("materials/*/extensions/KHR_materials_iridescence/iridescenceTexture/index", Data),
        texture("materials/*/extensions/KHR_materials_iridescence/iridescenceThicknessTexture/index", Data),
        texture("materials/*/extensions/KHR_materials_pbrSpecularGlossiness/diffuseTexture/index", Color),
        texture("materials/*/extensions/KHR_materials_pbrSpecularGlossiness/specularGlossinessTexture/index", Color),
        texture("materials/*/extensions/KHR_materials_sheen/sheenColorTexture/index", Color),
        texture("materials/*/extensions/KHR_materials_sheen/sheenRoughnessTexture/index", Data),
        texture("materials/*/extensions/KHR_materials_specular/specularTexture/index", Data),
        texture("materials/*/extensions/KHR_materials_specular/specularColorTexture/index", Color),
        texture("materials/*/extensions/KHR_materials_transmission/transmissionTexture/index", Data),
        texture("materials/*/extensions/KHR_materials_volume/thicknessTexture/index", Data),
        texture("materials/*/extensions/EXT_materials_bump/bumpTexture/index", Data),
        row("materials/*/extensions/MSFT_lod/ids/*", "materials"),
        row("meshes/*/primitives/*/extensions/KHR_materials_variants/mappings/*/material", "materials"),
        row("meshes/*/primitives/*/extensions/KHR_materials_variants/mappings/*/variants/*", "extensions/KHR_materials_variants/variants"),
        // Nodes and meshes.
        row("nodes/*/extensions/MSFT_lod/ids/*", "nodes"),
        row("nodes/*/extensions/KHR_lights_punctual/light", "extensions/KHR_lights_punctual/lights"),
        row("nodes/*/extensions/EXT_mesh_gpu_instancing/attributes/*", "accessors"),
        row("scenes/*/extensions/EXT_lights_image_based/light", "extensions/EXT_lights_image_based/lights"),
        row("extensions/EXT_lights_image_based/lights/*/specularImages/*/*", "images"),
        row("meshes/*/primitives/*/extensions/KHR_draco_mesh_compression/bufferView", "bufferViews"),
        row("meshes/*/primitives/*/extensions/CESIUM_primitive_outline/indices", "accessors"),
        // What a build embeds.
        row("extensions/COMPANION_precomputed/cover/*/parts/*/node", "nodes"),
        row("extensions/COMPANION_precomputed/cover/*/parts/*/mesh", "meshes"),
        row("extensions/COMPANION_precomputed/cover/*/parts/*/bits", "bufferViews"),
    ],
    plain: &[
        "ADOBE_materials_clearcoat_specular",
        "ADOBE_materials_thin_transparency",
        "AGI_stk_metadata",
        "CESIUM_RTC",
        "EXT_meshopt_compression",
        "EXT_primitive_voxels",
        "FB_ngon_encoding",
        "GOOGLE_backgrounds",
        "KHR_animation_pointer",
        "KHR_materials_dispersion",
        "KHR_materials_emissive_strength",
        "KHR_materials_ior",
        "KHR_materials_unlit",
        "KHR_mesh_quantization",
        "KHR_meshopt_compression",
        "KHR_node_hoverability",
        "KHR_node_selectability",
        "KHR_node_visibility",
        "KHR_texture_transform",
        "KHR_xmp",
        "KHR_xmp_json_ld",
        "MSFT_packing_normalRoughnessMetallic",
        "MSFT_packing_occlusionRoughnessMetallic",
    ],
};

/// The table as a tree, ready to walk a document.
#[derive(Debug, Default)]
pub struct Table {
    root: Step,
    known: BTreeSet<&'static str>,
}

#[derive(Debug, Default)]
struct Step {
    named: BTreeMap<&'static str, Step>,
    every: Option<Box<Step>>,
    row: Option<Row>,
}

impl Table {
    /// Joins the rows of several formats.
    pub fn new(parts: &[&Rows]) -> Self {
        let mut table = Self::default();
        for part in parts {
            table.known.extend(part.plain);
            for row in part.rows {
                let mut step = &mut table.root;
                let mut in_extensions = false;
                for name in row.path.split('/') {
                    if in_extensions {
                        table.known.insert(name);
                    }
                    in_extensions = name == "extensions";
                    step = if name == "*" { &mut **step.every.get_or_insert_default() } else { step.named.entry(name).or_default() };
                }
                step.row = Some(*row);
            }
        }
        table
    }

    /// True for an extension that has rows or is known to need none.
    pub fn knows(&self, extension: &str) -> bool {
        self.known.contains(extension)
    }

    /// Calls `visit` with every value that stands where the table has a row: the row, its JSON Pointer, and the value.
    pub fn visit(&self, json: &Map<String, Value>, visit: &mut dyn FnMut(&Row, &str, &Value)) {
        let mut pointer = String::new();
        for (name, value) in json {
            if let Some(step) = self.root.named.get(name.as_str()) {
                walk(step, name, value, &mut pointer, visit);
            }
        }
    }

    /// The same, and the values may be changed.
    pub fn visit_mut(&self, json: &mut Map<String, Value>, visit: &mut dyn FnMut(&Row, &mut Value)) {
        for (name, value) in json {
            if let Some(step) = self.root.named.get(name.as_str()) {
                walk_mut(step, value, visit);
            }
        }
    }

    /// Replaces every index into `list` by `map[index]`; an index that is out of range or maps to nothing stays as it is.
    pub fn remap(&self, json: &mut Map<String, Value>, list: List, map: &[Option<usize>]) {
        self.visit_mut(json, &mut |row, value| {
            if row.list == list
                && let Some(new) = index_of(value).and_then(|old| map.get(old).copied().flatten())
            {
                *value = Value::from(new);
            }
        });
    }

    /// For each element of `list` (of this length) whether anything points at it.
    pub fn used(&self, json: &Map<String, Value>, list: List, length: usize) -> Vec<bool> {
        let mut used = vec![false; length];
        self.visit(json, &mut |row, _, value| {
            if row.list == list
                && let Some(flag) = index_of(value).and_then(|i| used.get_mut(i))
            {
                *flag = true;
            }
        });
        used
    }

    /// Extensions in the document that the table does not know and that hold a number which could be an index, with the place of the first.
    pub fn unknown_with_indices(&self, json: &Map<String, Value>) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut pointer = String::new();
        for (name, value) in json {
            self.find_unknown(name, value, &mut pointer, &mut found);
        }
        found
    }

    fn find_unknown(&self, name: &str, value: &Value, pointer: &mut String, found: &mut BTreeMap<String, String>) {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&escape(name));
        match value {
            Value::Object(map) if name == "extensions" => {
                for (extension, content) in map {
                    if !self.knows(extension) && holds_index(content) {
                        found.entry(extension.clone()).or_insert_with(|| format!("{pointer}/{}", escape(extension)));
                    }
                    self.find_unknown(extension, content, pointer, found);
                }
            }
            Value::Object(map) if name != "extras" => map.iter().for_each(|(k, v)| self.find_unknown(k, v, pointer, found)),
            Value::Array(list) => {
                for (i, v) in list.iter().enumerate().filter(|(_, v)| v.is_object() || v.is_array()) {
                    self.find_unknown(&i.to_string(), v, pointer, found);
                }
            }
            _ => {}
        }
        pointer.truncate(length);
    }
}

fn holds_index(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_u64().is_some(),
        Value::Array(list) => list.iter().any(holds_index),
        Value::Object(map) => map.values().any(holds_index),
        // A JSON Pointer in a string (KHR_interactivity and its like) is an index too.
        Value::String(text) => {
            text.starts_with('/') && text.split('/').any(|step| !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit()))
        }
        _ => false,
    }
}

fn walk(step: &Step, name: &str, value: &Value, pointer: &mut String, visit: &mut dyn FnMut(&Row, &str, &Value)) {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(&escape(name));
    if let Some(row) = &step.row {
        visit(row, pointer, value);
    }
    match value {
        Value::Object(map) => {
            for (key, child) in map {
                if let Some(next) = step.named.get(key.as_str()).or(step.every.as_deref()) {
                    walk(next, key, child, pointer, visit);
                }
            }
        }
        Value::Array(list) => {
            if let Some(next) = &step.every {
                for (i, child) in list.iter().enumerate() {
                    walk(next, &i.to_string(), child, pointer, visit);
                }
            }
        }
        _ => {}
    }
    pointer.truncate(length);
}

fn walk_mut(step: &Step, value: &mut Value, visit: &mut dyn FnMut(&Row, &mut Value)) {
    if let Some(row) = &step.row {
        visit(row, value);
    }
    match value {
        Value::Object(map) => {
            for (key, child) in map {
                if let Some(next) = step.named.get(key.as_str()).or(step.every.as_deref()) {
                    walk_mut(next, child, visit);
                }
            }
        }
        Value::Array(list) => {
            if let Some(next) = &step.every {
                list.iter_mut().for_each(|child| walk_mut(next, child, visit));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn remaps_every_place_and_nothing_else() {
        let table = Table::new(&[&GLTF]);
        let mut json = object(json!({
            "images": [{}, {}, {}],
            "textures": [{"source": 2, "sampler": 2, "extensions": {"EXT_texture_webp": {"source": 1}}}],
            "materials": [{"extras": {"source": 2}, "normalTexture": {"index": 0, "texCoord": 1}}],
        }));
        table.remap(&mut json, "images", &[None, Some(0), Some(7)]);
        assert_eq!(json["textures"], json!([{"source": 7, "sampler": 2, "extensions": {"EXT_texture_webp": {"source": 0}}}]));
        assert_eq!(json["materials"][0]["extras"]["source"], 2);
        assert_eq!(table.used(&json, "textures", 2), [true, false]);
    }

    #[test]
    fn negative_and_dangling_indices_stay() {
        let table = Table::new(&[&GLTF]);
        let mut json = object(json!({"nodes": [{"mesh": -1}, {"mesh": 9}, {"mesh": 0}]}));
        table.remap(&mut json, "meshes", &[Some(4)]);
        assert_eq!(json["nodes"], json!([{"mesh": -1}, {"mesh": 9}, {"mesh": 4}]));
    }

    #[test]
    fn unknown_extensions_are_found_where_they_may_hold_indices() {
        let table = Table::new(&[&GLTF]);
        let json = object(json!({
            "nodes": [{"extensions": {"VENDOR_thing": {"target": 3}, "VENDOR_label": {"text": "a", "f": 0.5}}}],
            "extensions": {"KHR_x": {"pointer": "/nodes/3/translation"}},
            "extras": {"extensions": {"VENDOR_extra": {"n": 1}}},
            "materials": [{"normalTexture": {"index": 0, "extensions": {"KHR_texture_transform": {"texCoord": 1}}}}],
        }));
        let found = table.unknown_with_indices(&json);
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [
                ("KHR_x".to_string(), "/extensions/KHR_x".to_string()),
                ("VENDOR_thing".to_string(), "/nodes/0/extensions/VENDOR_thing".to_string()),
            ]
        );
    }
}
