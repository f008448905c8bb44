//! The rows that VRM 0.x, VRM 1.0 and VRM animations add to the index table.
//!
//! Sources: the JSON schemas of vrm-c/vrm-specification, `specification/0.0` and the `VRMC_*` folders.

use crate::gltf::refs::Use::{Color, Data, Normal};
use crate::gltf::refs::{GLTF, MORPH, Rows, Table, row, texture};
use std::sync::LazyLock;

const COLLIDERS: &str = "extensions/VRMC_springBone/colliders";
const COLLIDER_GROUPS: &str = "extensions/VRMC_springBone/colliderGroups";
const COLLIDER_GROUPS_0: &str = "extensions/VRM/secondaryAnimation/colliderGroups";

/// VRM in all its versions.
pub const VRM: Rows = Rows {
    rows: &[
        // VRMC_vrm 1.0.
        row("extensions/VRMC_vrm/meta/thumbnailImage", "images"),
        row("extensions/VRMC_vrm/humanoid/humanBones/*/node", "nodes"),
        row("extensions/VRMC_vrm/firstPerson/meshAnnotations/*/node", "nodes"),
        row("extensions/VRMC_vrm/expressions/preset/*/morphTargetBinds/*/node", "nodes"),
        row("extensions/VRMC_vrm/expressions/preset/*/morphTargetBinds/*/index", MORPH),
        row("extensions/VRMC_vrm/expressions/preset/*/materialColorBinds/*/material", "materials"),
        row("extensions/VRMC_vrm/expressions/preset/*/textureTransformBinds/*/material", "materials"),
        row("extensions/VRMC_vrm/expressions/custom/*/morphTargetBinds/*/node", "nodes"),
        row("extensions/VRMC_vrm/expressions/custom/*/morphTargetBinds/*/index", MORPH),
        row("extensions/VRMC_vrm/expressions/custom/*/materialColorBinds/*/material", "materials"),
        row("extensions/VRMC_vrm/expressions/custom/*/textureTransformBinds/*/material", "materials"),
        // VRMC_springBone 1.0.
        row("extensions/VRMC_springBone/colliders/*/node", "nodes"),
        row("extensions/VRMC_springBone/colliderGroups/*/colliders/*", COLLIDERS),
        row("extensions/VRMC_springBone/springs/*/joints/*/node", "nodes"),
        row("extensions/VRMC_springBone/springs/*/colliderGroups/*", COLLIDER_GROUPS),
        row("extensions/VRMC_springBone/springs/*/center", "nodes"),
        // VRMC_node_constraint 1.0.
        row("nodes/*/extensions/VRMC_node_constraint/constraint/roll/source", "nodes"),
        row("nodes/*/extensions/VRMC_node_constraint/constraint/aim/source", "nodes"),
        row("nodes/*/extensions/VRMC_node_constraint/constraint/rotation/source", "nodes"),
        // VRMC_materials_mtoon 1.0.
        texture("materials/*/extensions/VRMC_materials_mtoon/shadeMultiplyTexture/index", Color),
        texture("materials/*/extensions/VRMC_materials_mtoon/shadingShiftTexture/index", Data),
        texture("materials/*/extensions/VRMC_materials_mtoon/matcapTexture/index", Color),
        texture("materials/*/extensions/VRMC_materials_mtoon/rimMultiplyTexture/index", Color),
        texture("materials/*/extensions/VRMC_materials_mtoon/outlineWidthMultiplyTexture/index", Data),
        texture("materials/*/extensions/VRMC_materials_mtoon/uvAnimationMaskTexture/index", Data),
        // VRMC_vrm_animation 1.0.
        row("extensions/VRMC_vrm_animation/humanoid/humanBones/*/node", "nodes"),
        row("extensions/VRMC_vrm_animation/expressions/preset/*/node", "nodes"),
        row("extensions/VRMC_vrm_animation/expressions/custom/*/node", "nodes"),
        row("extensions/VRMC_vrm_animation/lookAt/node", "nodes"),
        // VRM 0.x.
        texture("extensions/VRM/meta/texture", Color),
        row("extensions/VRM/humanoid/humanBones/*/node", "nodes"),
        row("extensions/VRM/firstPerson/firstPersonBone", "nodes"),
        row("extensions/VRM/firstPerson/meshAnnotations/*/mesh", "meshes"),
        row("extensions/VRM/blendShapeMaster/blendShapeGroups/*/binds/*/mesh", "meshes"),
        row("extensions/VRM/blendShapeMaster/blendShapeGroups/*/binds/*/index", MORPH),
        row("extensions/VRM/secondaryAnimation/boneGroups/*/center", "nodes"),
        row("extensions/VRM/secondaryAnimation/boneGroups/*/bones/*", "nodes"),
        row("extensions/VRM/secondaryAnimation/boneGroups/*/colliderGroups/*", COLLIDER_GROUPS_0),
        row("extensions/VRM/secondaryAnimation/colliderGroups/*/node", "nodes"),
        texture("extensions/VRM/materialProperties/*/textureProperties/_BumpMap", Normal),
        texture("extensions/VRM/materialProperties/*/textureProperties/_ReceiveShadowTexture", Data),
        texture("extensions/VRM/materialProperties/*/textureProperties/_ShadingGradeTexture", Data),
        texture("extensions/VRM/materialProperties/*/textureProperties/_OutlineWidthTexture", Data),
        texture("extensions/VRM/materialProperties/*/textureProperties/_UvAnimMaskTexture", Data),
        texture("extensions/VRM/materialProperties/*/textureProperties/_MetallicGlossMap", Data),
        texture("extensions/VRM/materialProperties/*/textureProperties/_OcclusionMap", Data),
        texture("extensions/VRM/materialProperties/*/textureProperties/_ParallaxMap", Data),
        texture("extensions/VRM/materialProperties/*/textureProperties/_DetailNormalMap", Normal),
        texture("extensions/VRM/materialProperties/*/textureProperties/_DetailMask", Data),
        texture("extensions/VRM/materialProperties/*/textureProperties/*", Color),
    ],
    plain: &["VRMC_materials_hdr_emissiveMultiplier", "VRMC_springBone_extended_collider", "VRMC_springBone_limit"],
};

/// The whole table: core glTF, its extensions, and VRM.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(&[&GLTF, &VRM]));

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn known_extensions() {
        for name in ["VRM", "VRMC_vrm", "VRMC_springBone", "VRMC_node_constraint", "VRMC_materials_mtoon", "VRMC_vrm_animation"] {
            assert!(TABLE.knows(name), "{name}");
        }
        assert!(!TABLE.knows("VRMC_unheard_of"));
    }

    #[test]
    fn textures_that_only_vrm_data_names_are_used() {
        let json = json!({"extensions": {"VRM": {
            "meta": {"texture": 1},
            "materialProperties": [{"textureProperties": {"_MainTex": 0, "_BumpMap": 3, "_SphereAdd": 4}}],
        }}});
        assert_eq!(TABLE.used(json.as_object().unwrap(), "textures", 6), [true, true, false, true, true, false]);
    }
}
