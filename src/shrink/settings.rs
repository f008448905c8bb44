//! The settings of the shrink, as `pipeline.toml` spells them; the defaults are in that file, not here.

use serde::{Deserialize, Serialize};

/// All that the shrink lets one choose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// Who reads the result.
    pub target: Target,
    /// How pictures are encoded.
    pub textures: Textures,
    /// How vertices, triangles and curves are encoded.
    pub geometry: Geometry,
    /// What happens to motion files.
    pub motions: Motions,
    /// What happens to node names.
    pub names: Names,
    /// Bounds on what is opened and shipped.
    pub limits: Limits,
}

/// Who reads the result, which decides what encodings it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// three.js with three-vrm, as the stage: WebP, meshopt, quantised normals.
    Stage,
    /// UniVRM: float vertices, PNG or JPEG, no meshopt.
    Univrm,
    /// glTFast: PNG or JPEG with meshopt.
    Gltfast,
}

/// How pictures are encoded; qualities are libwebp's, 0 to 100.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Textures {
    /// Longest side in pixels; 0 = no cap.
    pub max_size: u32,
    /// Quality of colour.
    pub quality: u8,
    /// Effort, 0 to 6.
    pub method: u8,
    /// Quality of normal maps.
    pub normal_quality: u8,
    /// Quality of masks and other maps that are numbers, not colours.
    pub data_quality: u8,
    /// Quality of the alpha plane; 100 = exact.
    pub alpha_quality: u8,
    /// Near-lossless level of small normal and data maps; 100 = exact.
    pub near_lossless: u8,
    /// Up to this many pixels a map is tried near-lossless.
    pub near_lossless_pixels: u32,
    /// Scale in linear light.
    pub linear_resize: bool,
    /// Make a picture of one single colour tiny.
    pub solid: bool,
    /// Names of pictures that stay as they are; `*` and `?` are wild cards.
    pub keep: Vec<String>,
}

/// The rounding of floats before compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Filter {
    /// meshopt's exponential filter on one fixed grid.
    Exponential,
    /// Bit-exact floats.
    None,
}

/// How vertices, triangles and curves are encoded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Geometry {
    /// Use `EXT_meshopt_compression` where the target reads it.
    pub compress: bool,
    /// Rounding before compression.
    pub filter: Filter,
    /// Most that rounding may move a vertex, in metres.
    pub position_error: f64,
    /// Most that rounding may move a texture coordinate, as a fraction of the texture.
    pub uv_error: f64,
    /// Bits of a normal or tangent component: 8, 10, 12 or 16; 0 = float.
    pub normals: u8,
    /// Bits of a joint weight: 8 or 16.
    pub weights: u8,
    /// Order triangles and vertices for the graphics card and for compression.
    pub reorder: bool,
    /// Join vertices that are equal in every attribute.
    pub weld: bool,
    /// Compress animation curves too.
    pub animations: bool,
}

/// What happens to motion files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Motions {
    /// Take out keys that lie on the way between others.
    pub thin: bool,
    /// Most that this may turn a bone, in degrees.
    pub rotation_error: f64,
    /// Most that this may move a bone, in metres.
    pub translation_error: f64,
    /// Compress the keys instead of taking some out.
    pub meshopt: bool,
    /// Take the way out of walks that travel.
    pub in_place: bool,
    /// What clips with a rig become.
    pub convert: Convert,
}

/// What a clip with a complete rig becomes when a pack is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Convert {
    /// It stays what it is.
    None,
    /// A VRM animation.
    Vrma,
}

/// What happens to node names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Names {
    /// Give nodes the names by which three.js knows them.
    pub rename: bool,
}

/// Bounds on what is opened and shipped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Limits {
    /// Bytes in the "MB" of the format's limits.
    pub mega: u64,
    /// A picture with a longer side is not opened, in pixels.
    pub picture_side: u32,
}

/// What a value may be, beyond its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Allowed {
    /// A number from the first to the second, both included.
    Range(f64, f64),
    /// One of these whole numbers.
    Numbers(&'static [i64]),
    /// One of these words.
    Words(&'static [&'static str]),
    /// File or name patterns with `*` and `?`.
    Patterns,
    /// Any texts.
    Texts,
    /// A size in bytes, as in `8MB`, or a number, as in `70k`; empty for none.
    Size,
    /// A number, as in `70k`; empty for none.
    Count,
}

/// What the values of the shrink's settings may be, by dotted key; switches are not listed.
pub const ALLOWED: &[(&str, Allowed)] = &[
    ("target", Allowed::Words(&["stage", "univrm", "gltfast"])),
    ("textures.maxSize", Allowed::Range(0.0, 65536.0)),
    ("textures.quality", Allowed::Range(0.0, 100.0)),
    ("textures.method", Allowed::Range(0.0, 6.0)),
    ("textures.normalQuality", Allowed::Range(0.0, 100.0)),
    ("textures.dataQuality", Allowed::Range(0.0, 100.0)),
    ("textures.alphaQuality", Allowed::Range(0.0, 100.0)),
    ("textures.nearLossless", Allowed::Range(0.0, 100.0)),
    ("textures.nearLosslessPixels", Allowed::Range(0.0, u32::MAX as f64)),
    ("textures.keep", Allowed::Patterns),
    ("geometry.filter", Allowed::Words(&["exponential", "none"])),
    ("geometry.positionError", Allowed::Range(0.000_000_1, 0.01)),
    ("geometry.uvError", Allowed::Range(0.000_000_1, 0.01)),
    ("geometry.normals", Allowed::Numbers(&[0, 8, 10, 12, 16])),
    ("geometry.weights", Allowed::Numbers(&[8, 16])),
    ("motions.rotationError", Allowed::Range(0.0, 5.0)),
    ("motions.translationError", Allowed::Range(0.0, 0.1)),
    ("motions.convert", Allowed::Words(&["none", "vrma"])),
    ("limits.mega", Allowed::Range(1_000_000.0, 1_048_576.0)),
    ("limits.pictureSide", Allowed::Range(1.0, 16384.0)),
];

impl Target {
    /// Reads EXT_meshopt_compression.
    pub fn reads_meshopt(self) -> bool {
        self != Self::Univrm
    }

    /// Reads WebP textures.
    pub fn reads_webp(self) -> bool {
        self == Self::Stage
    }

    /// Reads normals and tangents as integers.
    pub fn reads_quantized(self) -> bool {
        self != Self::Univrm
    }

    /// Reads an accessor without any data as zeros, as the specification has it. (The gltf crate, for one, does not.)
    pub fn reads_empty_accessors(self) -> bool {
        self == Self::Stage
    }
}
