//! What is drawn with each outfit: the union rule, for parts and for shapes.
//!
//! A node or material that any outfit lists is drawn only with the outfits that list it; what no outfit lists is always drawn. A shape
//! that any outfit sets is 0 unless the worn outfit sets it. Names of nodes are those of three.js.

use crate::gltf::figure::{Figure, MorphWeight, Part};
use crate::gltf::names::{ThreeNames, sanitize, three_names};
use crate::gltf::{Document, list};
use serde::Serialize;
use serde_json::Value;

/// A named set of parts, as the manifest of a look has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Outfit {
    /// Its key.
    pub key: String,
    /// Names of the nodes that it shows.
    pub meshes: Vec<String>,
    /// Names of the materials that it shows, as they are in the file.
    pub materials: Vec<String>,
    /// What it sets.
    pub shapes: Vec<Shape>,
}

/// A shape key and how much of it an outfit sets.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Shape {
    /// Name of the node.
    pub mesh: String,
    /// Name of the morph target.
    pub shape: String,
    /// From 0 to 1.
    pub weight: f32,
}

/// What is drawn with one outfit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dressed {
    /// The key; `default` for a look without outfits.
    pub key: String,
    /// For each part of the figure.
    pub drawn: Vec<bool>,
    /// Weights of the shapes that any outfit sets.
    pub weights: Vec<MorphWeight>,
}

/// What is drawn with each outfit; without outfits one, with everything.
pub fn dress(document: &Document, figure: &Figure, outfits: &[Outfit]) -> Vec<Dressed> {
    let names = three_names(document);
    if outfits.is_empty() {
        return vec![Dressed { key: "default".into(), drawn: vec![true; figure.parts.len()], weights: Vec::new() }];
    }
    let by_mesh = |outfit: &Outfit, part: &Part| outfit.meshes.iter().any(|name| is_called(document, &names, part, name));
    let by_material = |outfit: &Outfit, part: &Part| {
        let name = part.material.and_then(|material| document.list("materials")[material].get("name")?.as_str());
        name.is_some_and(|name| outfit.materials.iter().any(|own| own == name))
    };
    let shows = |outfit: &Outfit, part: &Part| {
        (by_mesh(outfit, part) || !outfits.iter().any(|other| by_mesh(other, part)))
            && (by_material(outfit, part) || !outfits.iter().any(|other| by_material(other, part)))
    };
    let dressed = outfits.iter().map(|outfit| Dressed {
        key: outfit.key.clone(),
        drawn: figure.parts.iter().map(|part| shows(outfit, part)).collect(),
        weights: weights(document, figure, &names, outfits, outfit),
    });
    dressed.collect()
}

/// True when three.js knows the part's node by this name; a node without a name, and one of several primitives, by that of its mesh too.
fn is_called(document: &Document, names: &ThreeNames, part: &Part, name: &str) -> bool {
    let objects = names.meshes.get(part.mesh).map_or(&[][..], Vec::as_slice);
    let own = names.nodes.get(part.node).map(String::as_str).unwrap_or_default();
    let several = list(&document.list("meshes")[part.mesh], "primitives").len() > 1;
    let object = objects.get(part.primitive).filter(|_| several || own.is_empty());
    let clean = sanitize(name);
    !clean.is_empty() && (own == clean || object.is_some_and(|object| *object == clean))
}

fn weights(document: &Document, figure: &Figure, names: &ThreeNames, outfits: &[Outfit], worn: &Outfit) -> Vec<MorphWeight> {
    let mut weights: Vec<MorphWeight> = Vec::new();
    let all = outfits.iter().flat_map(|outfit| outfit.shapes.iter().map(move |shape| (outfit.key == worn.key, shape)));
    for (is_worn, shape) in all {
        for part in figure.parts.iter().filter(|part| is_called(document, names, part, &shape.mesh)) {
            let Some(target) = target_names(document, part).iter().position(|name| *name == shape.shape) else { continue };
            let weight = if is_worn { shape.weight.clamp(0.0, 1.0) } else { 0.0 };
            match weights.iter_mut().find(|known| (known.node, known.target) == (part.node, target)) {
                Some(known) if is_worn => known.weight = weight,
                Some(_) => {}
                None => weights.push(MorphWeight { node: part.node, target, weight }),
            }
        }
    }
    weights
}

/// The names of the morph targets of a part's mesh; their numbers where the file has none.
fn target_names(document: &Document, part: &Part) -> Vec<String> {
    let mesh = &document.list("meshes")[part.mesh];
    let primitives = list(mesh, "primitives");
    let count = primitives.iter().map(|primitive| list(primitive, "targets").len()).max().unwrap_or(0);
    let named = [Some(mesh), primitives.first()].into_iter().flatten().find_map(|holder| {
        let names = list(holder.get("extras")?, "targetNames");
        (names.len() == count).then_some(names)
    });
    let name = |target: usize| named.and_then(|names| names[target].as_str()).map_or_else(|| target.to_string(), str::to_owned);
    (0..count).map(name).collect()
}

/// The outfits in the JSON of a manifest; what is not of the right type is left out (the rules of the pack report it).
pub fn outfits(manifest: &Value) -> Vec<Outfit> {
    let texts = |outfit: &Value, name: &str| list(outfit, name).iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let shape = |shape: &Value| Shape {
        mesh: text(shape, "mesh"),
        shape: text(shape, "shape"),
        weight: shape.get("weight").and_then(Value::as_f64).unwrap_or(0.0) as f32,
    };
    let outfit = |outfit: &Value| Outfit {
        key: text(outfit, "key"),
        meshes: texts(outfit, "meshes"),
        materials: texts(outfit, "materials"),
        shapes: list(outfit, "shapes").iter().map(shape).collect(),
    };
    list(manifest, "outfits").iter().map(outfit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::Blob;
    use serde_json::json;

    /// A body of two materials, a node `Top.001`, and one without a name whose mesh is called `Hat`.
    fn document() -> Document {
        let primitive = |material: usize| json!({"attributes": {"POSITION": 0}, "material": material, "targets": [{"POSITION": 0}]});
        let json = json!({
            "scenes": [{"nodes": [0, 1, 2]}],
            "nodes": [{"name": "Body", "mesh": 0}, {"name": "Top.001", "mesh": 1}, {"mesh": 2}],
            "materials": [{"name": "skin"}, {"name": "Mat Swim"}],
            "meshes": [
                {"name": "B", "primitives": [primitive(0), primitive(1)], "extras": {"targetNames": ["Slim"]}},
                {"name": "T", "primitives": [primitive(0)]}, {"name": "Hat", "primitives": [primitive(0)]}],
        });
        let mut document = Document::from(json.as_object().unwrap().clone());
        let bytes: Vec<u8> = (0..9).flat_map(|n| (n as f32).to_le_bytes()).collect();
        document.add_view(Blob { bytes: bytes.into(), packed: None }, json!({}));
        document.add("accessors", json!({"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}));
        document
    }

    #[test]
    fn outfits_show_what_they_list_and_hide_what_others_list() {
        let document = document();
        let figure = Figure::of(&document).unwrap();
        let outfits = outfits(&json!({"outfits": [
            {"key": "a", "meshes": ["Top001", "Hat"], "shapes": [{"mesh": "Body", "shape": "Slim", "weight": 0.5}]},
            {"key": "b", "materials": ["Mat Swim"], "meshes": ["Top.001"]},
            {"key": "c", "shapes": [{"mesh": "Nobody", "shape": "Slim", "weight": 1}, {"mesh": "Body", "shape": "None", "weight": 1}]}]}));
        let dressed = dress(&document, &figure, &outfits);
        let drawn: Vec<&[bool]> = dressed.iter().map(|d| d.drawn.as_slice()).collect();
        // Body skin, body swim, top, hat.
        assert_eq!(drawn, [[true, false, true, true], [true, true, true, false], [true, false, false, false]]);
        let weights: Vec<f32> = dressed.iter().map(|d| d.weights[0].weight).collect();
        assert_eq!(weights, [0.5, 0.0, 0.0]);
        assert_eq!(dressed.iter().map(|d| d.weights.len()).max(), Some(1));
    }

    #[test]
    fn a_look_without_outfits_wears_everything() {
        let document = document();
        let dressed = dress(&document, &Figure::of(&document).unwrap(), &[]);
        assert_eq!((dressed.len(), dressed[0].key.as_str(), dressed[0].drawn.as_slice()), (1, "default", &[true; 4][..]));
    }
}
