//! What is told of a Live2D model.

use serde::{Deserialize, Serialize};

/// A Live2D model in its zip.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Live2d {
    /// 1 (Cubism 3.0) to 6 (5.3).
    pub moc_version: u8,
    /// How many parts.
    pub parts: usize,
    /// How many drawables.
    pub drawables: usize,
    /// Every parameter.
    pub parameters: Vec<Parameter>,
    /// How many warp deformers.
    pub warps: usize,
    /// How many rotation deformers.
    pub rotations: usize,
    /// In pixels.
    pub canvas: Canvas,
    /// In the order of their numbers.
    pub textures: Vec<TextureFile>,
    /// Where her head lies at rest; left out when it cannot be found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
    /// Of all drawables.
    pub vertices: usize,
    /// Of all drawables.
    pub triangles: usize,
    /// The ids of the parts.
    pub part_ids: Vec<String>,
    /// The ids of the drawables.
    pub drawable_ids: Vec<String>,
    /// Every motion in the zip.
    pub motions: Vec<MotionFile>,
}

/// A parameter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parameter {
    /// Its id.
    pub id: String,
    /// The least value.
    pub min: f32,
    /// The greatest value.
    pub max: f32,
    /// At rest.
    pub default: f32,
}

/// The canvas.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Canvas {
    /// In pixels.
    pub width: f32,
    /// In pixels.
    pub height: f32,
}

/// A texture; its sides are 0 when it is missing or damaged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextureFile {
    /// Its path from the model's folder.
    pub file: String,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// A span of the canvas, as fractions of its height from its top.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// The upper edge.
    pub top: f64,
    /// The lower edge.
    pub bottom: f64,
}

/// A motion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MotionFile {
    /// Its path from the model's folder, as a model.json names it after `avatar:`.
    pub file: String,
    /// How long it is.
    pub seconds: f64,
}
