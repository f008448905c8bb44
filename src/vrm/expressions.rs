//! Expressions (VRM 0.x: blend shape groups): which morph targets and materials each one moves.
//!
//! Sources: VRM 1.0 `expressions.md`, whose table of migration gives the presets of 0.x their new names, and the VRM 0.x schema of
//! `blendshape.group`.

use super::{Version, text};
use crate::gltf::{Document, index_in, list};
use serde_json::Value;

/// VRM 0.x presets and their names in VRM 1.0.
#[rustfmt::skip]
const PRESETS: [(&str, &str); 17] = [
    ("neutral", "neutral"), ("joy", "happy"), ("angry", "angry"), ("sorrow", "sad"), ("fun", "relaxed"),
    ("a", "aa"), ("i", "ih"), ("u", "ou"), ("e", "ee"), ("o", "oh"),
    ("blink", "blink"), ("blink_l", "blinkLeft"), ("blink_r", "blinkRight"),
    ("lookup", "lookUp"), ("lookdown", "lookDown"), ("lookleft", "lookLeft"), ("lookright", "lookRight"),
];

/// A morph target that an expression moves.
#[derive(Debug, Clone, PartialEq)]
pub struct MorphBind {
    /// A mesh that exists.
    pub mesh: usize,
    /// The only node that moves; none = every node that draws the mesh (VRM 0.x).
    pub node: Option<usize>,
    /// A morph target that the mesh has.
    pub index: usize,
    /// Of the morph target when the expression is at 1.
    pub weight: f64,
}

/// One expression.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expression {
    /// As VRM 1.0 spells it (and three-vrm for both versions): of a preset its 1.0 name.
    pub name: String,
    /// As in the file.
    pub raw_name: String,
    /// True for a preset.
    pub preset: bool,
    /// Binds to meshes or morph targets that do not exist are left out.
    pub morphs: Vec<MorphBind>,
    /// How many material colours and texture transforms it changes.
    pub materials: usize,
}

/// All expressions, presets first, each kind in the order of the file.
pub fn of(document: &Document, version: Version) -> Vec<Expression> {
    let mut all = match version {
        Version::V1 => document.extension("VRMC_vrm").map_or_else(Vec::new, |extension| modern(document, extension)),
        Version::V0 => document.extension("VRM").map_or_else(Vec::new, |extension| old(document, extension)),
    };
    all.sort_by_key(|expression| !expression.preset);
    all
}

/// Those of VRMC_vrm, and of VRMC_vrm_animation (which moves none of its own morph targets).
pub(super) fn modern(document: &Document, extension: &Value) -> Vec<Expression> {
    let kinds = [("preset", true), ("custom", false)].into_iter();
    let groups = kinds.filter_map(|(kind, preset)| Some((extension.get("expressions")?.get(kind)?.as_object()?, preset)));
    let groups = groups.flat_map(|(group, preset)| group.iter().map(move |(name, expression)| (name, expression, preset)));
    groups
        .map(|(name, expression, preset)| Expression {
            name: name.clone(),
            raw_name: name.clone(),
            preset,
            morphs: list(expression, "morphTargetBinds").iter().filter_map(|bind| modern_bind(document, bind)).collect(),
            materials: list(expression, "materialColorBinds").len() + list(expression, "textureTransformBinds").len(),
        })
        .collect()
}

fn modern_bind(document: &Document, bind: &Value) -> Option<MorphBind> {
    let node = index_in(bind, "node")?;
    let mesh = index_in(document.list("nodes").get(node)?, "mesh")?;
    let weight = bind.get("weight").and_then(Value::as_f64).unwrap_or(1.0);
    existing(document, MorphBind { mesh, node: Some(node), index: index_in(bind, "index")?, weight })
}

fn old(document: &Document, extension: &Value) -> Vec<Expression> {
    let groups = extension.get("blendShapeMaster").map_or(&[][..], |master| list(master, "blendShapeGroups"));
    let group = |group: &Value| {
        let preset = text(group, "presetName").and_then(|name| PRESETS.iter().find(|(old, _)| *old == name));
        let raw_name = text(group, "name").or(preset.map(|(old, _)| *old)).unwrap_or_default();
        Expression {
            name: preset.map_or(raw_name, |(_, new)| new).into(),
            raw_name: raw_name.into(),
            preset: preset.is_some(),
            morphs: list(group, "binds").iter().filter_map(|bind| old_bind(document, bind)).collect(),
            materials: list(group, "materialValues").len(),
        }
    };
    groups.iter().map(group).collect()
}

fn old_bind(document: &Document, bind: &Value) -> Option<MorphBind> {
    let weight = bind.get("weight").and_then(Value::as_f64).unwrap_or(100.0) / 100.0;
    existing(document, MorphBind { mesh: index_in(bind, "mesh")?, node: None, index: index_in(bind, "index")?, weight })
}

fn existing(document: &Document, bind: MorphBind) -> Option<MorphBind> {
    let primitives = list(document.list("meshes").get(bind.mesh)?, "primitives");
    primitives.iter().any(|primitive| bind.index < list(primitive, "targets").len()).then_some(bind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn expressions(extensions: Value, version: Version) -> Vec<Expression> {
        let json = json!({"extensions": extensions, "nodes": [{}, {"mesh": 0}],
            "meshes": [{"primitives": [{"targets": [{}, {}]}]}]});
        of(&Document::from(json.as_object().unwrap().clone()), version)
    }

    #[test]
    fn both_versions_look_alike() {
        let custom = |node| Expression {
            name: "Cry".into(),
            raw_name: "Cry".into(),
            preset: false,
            morphs: vec![MorphBind { mesh: 0, node, index: 1, weight: 0.5 }],
            materials: 1,
        };
        let old = json!([
            {"name": "Cry", "presetName": "unknown", "binds": [{"mesh": 0, "index": 1, "weight": 50}], "materialValues": [{}]},
            {"name": "Joy", "presetName": "joy", "binds": [{"mesh": -1, "index": 0}, {"mesh": 0, "index": 2}, {"mesh": 7, "index": 0}]},
            {"presetName": "a"}]);
        let found = expressions(json!({"VRM": {"blendShapeMaster": {"blendShapeGroups": old}}}), Version::V0);
        let named = |name: &str, raw: &str| Expression { name: name.into(), raw_name: raw.into(), preset: true, ..Expression::default() };
        assert_eq!(found, [named("happy", "Joy"), named("aa", "a"), custom(None)]);

        let binds = json!([{"node": 1, "index": 1, "weight": 0.5}, {"node": 0, "index": 0}, {"node": 1, "index": 2}]);
        let new = json!({"custom": {"Cry": {"morphTargetBinds": binds, "textureTransformBinds": [{}]}}, "preset": {"happy": {}}});
        let found = expressions(json!({"VRMC_vrm": {"expressions": new}}), Version::V1);
        assert_eq!(found, [named("happy", "happy"), custom(Some(1))]);
    }
}
