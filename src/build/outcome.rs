//! What a run leaves behind, as plain data: the JSON of every command.

mod cover;
mod live2d;

pub use cover::{Cover, CoverPart};
pub use live2d::{Canvas, Head, Live2d, MotionFile, Parameter, TextureFile};

use crate::report::{self, Report};
use serde::{Deserialize, Serialize};

/// One run. Field names stay; new ones may come.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// `companion-build`.
    pub tool: String,
    /// The tool's version.
    pub version: String,
    /// The command that ran.
    pub command: String,
    /// True when no error is left.
    pub ok: bool,
    /// All findings, those of each pack together, sorted by place.
    pub findings: Vec<Finding>,
    /// What `build` and `check` did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packs: Option<Vec<Pack>>,
    /// What `shrink`, `inspect` and `names` did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<File>>,
    /// What was measured, one for each avatar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<Vec<Model>>,
}

impl Outcome {
    /// An empty outcome of a command.
    pub fn new(command: &str) -> Self {
        Self {
            tool: env!("CARGO_PKG_NAME").into(),
            version: env!("CARGO_PKG_VERSION").into(),
            command: command.into(),
            ok: true,
            ..Self::default()
        }
    }

    /// Adds the findings of a finished report; `pack` is the source of the pack to which their files are relative.
    pub fn add(&mut self, report: &Report, pack: Option<&str>) {
        let findings = report.findings.iter().map(|finding| Finding { pack: pack.map(str::to_owned), ..Finding::from(finding) });
        self.findings.extend(findings);
        self.ok &= !report.has_errors();
    }
}

/// A finding as it is printed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// A letter and three digits.
    pub code: String,
    /// The slug of the code.
    pub name: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// True when the build mended it.
    pub fixed: bool,
    /// The source of the pack to which `file` is relative; left out when `file` is as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// Relative to the pack, else as given; empty when no file is meant.
    pub file: String,
    /// JSON Pointer, empty for the whole file.
    pub pointer: String,
    /// From 1; null when unknown.
    pub line: Option<usize>,
    /// In characters, from 1; null when unknown.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do; empty when there is nothing to add.
    pub hint: String,
}

impl Finding {
    /// The file's path from where the tool runs: the pack's source and the file in it.
    pub fn path(&self) -> String {
        match &self.pack {
            Some(pack) if self.file.is_empty() => pack.clone(),
            Some(pack) => format!("{}/{}", pack.trim_end_matches('/'), self.file),
            None => self.file.clone(),
        }
    }

    /// True when it says that the tool could not do its work, if it is an error.
    pub fn is_of_tool(&self) -> bool {
        self.code.starts_with('Z')
    }

    /// True when it is about a file or folder, and not about the run or one of its arguments.
    pub fn has_file(&self) -> bool {
        self.pack.is_some() || !(self.file.is_empty() || self.file.starts_with("--set "))
    }
}

impl From<&report::Finding> for Finding {
    fn from(finding: &report::Finding) -> Self {
        let known = |number: usize| (number > 0).then_some(number);
        Self {
            code: finding.code.id.into(),
            name: finding.code.name.into(),
            severity: finding.severity.word().into(),
            fixed: finding.fixed,
            pack: None,
            file: finding.place.file.clone(),
            pointer: finding.place.pointer.clone(),
            line: known(finding.place.line),
            column: known(finding.place.column),
            message: finding.message.clone(),
            hint: finding.hint.clone(),
        }
    }
}

/// One pack that was built or checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pack {
    /// The folder or zip, as given.
    pub source: String,
    /// The zip that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zip: Option<String>,
    /// Its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The size of what it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_bytes: Option<u64>,
    /// Of the zip, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Size of the zip that was published before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_bytes: Option<u64>,
    /// Files that it had, and this pack has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vanished: Option<Vec<String>>,
    /// What ships.
    pub files: Vec<File>,
    /// What was measured of the looks.
    pub models: Vec<Model>,
}

/// One file: of a pack, or as given to `shrink`, `inspect` or `names`. What was not asked for is left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct File {
    /// Relative to the pack, else as given.
    pub path: String,
    /// Where the result was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Size of the result, or of the file itself when nothing is made of it.
    pub bytes: u64,
    /// Size of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_bytes: Option<u64>,
    /// Size of the file of this path in the pack that was published before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_bytes: Option<u64>,
    /// How much of `bytes` is pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texture_bytes: Option<u64>,
    /// How much of `bytes` is vertices, triangles and morphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geometry_bytes: Option<u64>,
    /// How much of `sourceBytes` is pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_texture_bytes: Option<u64>,
    /// How much of `sourceBytes` is vertices, triangles and morphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_geometry_bytes: Option<u64>,
    /// True when the result came from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
    /// `vrm`, `glb`, `gltf`, `vrma`, `fbx`, `ktx2`, `live2d`, ...
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Where the bytes go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// What the glTF document holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<Document>,
    /// Triangles, vertices and morphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geometry: Option<Geometry>,
    /// Every picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub textures: Option<Vec<Texture>>,
    /// Memory of all textures on the graphics card, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texture_memory: Option<u64>,
    /// Every material.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub materials: Option<Vec<Material>>,
    /// What VRM adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar: Option<Avatar>,
    /// What a Live2D zip holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live2d: Option<Live2d>,
    /// Every animation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub animations: Option<Vec<Animation>>,
    /// What its animation moves, as the stage would play it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<Motion>,
    /// The bone map that the names of its nodes suggest, for a file that has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_rig: Option<serde_json::Value>,
    /// Names that three.js spells otherwise; for `names`, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Names>,
    /// What a build of this tool embedded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedded: Option<Embedded>,
    /// The cover masks that are embedded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cover: Option<Vec<Cover>>,
}

/// Where the bytes of a file go; together they are the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sizes {
    /// The JSON of the document.
    pub json: u64,
    /// Pictures.
    pub textures: u64,
    /// Vertex attributes without morphs.
    pub vertices: u64,
    /// Triangle indices.
    pub indices: u64,
    /// Morph targets.
    pub morphs: u64,
    /// Inverse bind matrices.
    pub skins: u64,
    /// Animation curves.
    pub animations: u64,
    /// What nothing refers to, padding, headers and all else.
    pub other: u64,
}

/// What a glTF document holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// `asset.generator`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator: Option<String>,
    /// Sorted.
    pub extensions_used: Vec<String>,
    /// Sorted.
    pub extensions_required: Vec<String>,
    /// How many scenes.
    pub scenes: usize,
    /// How many nodes.
    pub nodes: usize,
    /// How many meshes.
    pub meshes: usize,
    /// How many materials.
    pub materials: usize,
    /// How many skins.
    pub skins: usize,
    /// Joints of all skins together, each counted once.
    pub joints: usize,
    /// How many animations.
    pub animations: usize,
}

/// Triangles, vertices and morphs of all meshes, each counted once however often it is drawn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Geometry {
    /// How many primitives.
    pub primitives: usize,
    /// How many triangles.
    pub triangles: usize,
    /// Vertices that a primitive uses.
    pub vertices: usize,
    /// Morph targets, summed over the meshes.
    pub morph_targets: usize,
    /// Memory of the morph targets on the graphics card, in bytes: vertices x targets x 16, twice that with normals.
    pub morph_memory: u64,
    /// Smallest corner of the box of all vertices at rest, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<[f64; 3]>,
    /// Largest corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<[f64; 3]>,
}

/// One picture of a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Texture {
    /// Of the image.
    pub index: usize,
    /// As in the file, may be empty.
    pub name: String,
    /// By content: `png`, `jpeg`, `webp`, `ktx2`, ...; `unknown` for what is none of them.
    pub format: String,
    /// Of KTX2: how its pixels are stored, and what compresses them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Of KTX2: how many mipmap levels are in the file; 0 = made on loading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<u32>,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// In the file.
    pub bytes: u64,
    /// On the graphics card with its mipmaps, in bytes; 0 for what no material shows, and for the fallback of another picture.
    pub memory: u64,
    /// What it is for: `color`, `normal`, `data`, `thumbnail`; empty when nothing uses it, or when the file is the picture.
    pub uses: Vec<String>,
}

/// One material.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Material {
    /// In the document.
    pub index: usize,
    /// As in the file, may be empty.
    pub name: String,
    /// `standard`, `unlit`, `mtoon`, or the shader that VRM 0.x names.
    pub shader: String,
    /// `OPAQUE`, `MASK` or `BLEND`.
    pub alpha_mode: String,
    /// Drawn from both sides.
    pub double_sided: bool,
}

/// What VRM adds to a document; of a VRM animation the bones and expressions that it may move.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Avatar {
    /// `0.x` or `1.0`, or as the file says.
    pub vrm_version: String,
    /// The name or title in the meta data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// In the order of the specification.
    pub bones: Vec<Bone>,
    /// Presets first.
    pub expressions: Vec<Expression>,
    /// Spring chains.
    pub springs: usize,
    /// Joints of all springs.
    pub spring_joints: usize,
    /// Colliders of all groups.
    pub colliders: usize,
    /// Node constraints.
    pub constraints: usize,
    /// `bone`, `expression` or none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look_at: Option<String>,
    /// Meshes with a first-person annotation.
    pub first_person: usize,
    /// True when the meta data has a thumbnail.
    pub has_thumbnail: bool,
}

/// One humanoid bone.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bone {
    /// As VRM 1.0 spells it.
    pub bone: String,
    /// Index of its node.
    pub node: usize,
    /// The node's name as in the file.
    pub name: String,
}

/// One expression (VRM 0.x: blend shape group).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Expression {
    /// As in the file.
    pub name: String,
    /// As VRM 1.0 spells it, and three-vrm whatever the version: `happy` for the preset `joy` of 0.x.
    pub three: String,
    /// True for a preset.
    pub preset: bool,
    /// How many morph targets it moves.
    pub morphs: usize,
    /// How many material colours and texture transforms it changes.
    pub materials: usize,
}

/// One animation of a document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Animation {
    /// In the document.
    pub index: usize,
    /// As in the file, may be empty.
    pub name: String,
    /// From the first key to the last.
    pub seconds: f64,
    /// How many channels.
    pub channels: usize,
}

/// What the animation of a clip moves.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Motion {
    /// From the first key to the last.
    pub seconds: f64,
    /// Time of the first key.
    pub first_key: f64,
    /// A humanoid bone has a channel.
    pub is_body_animated: bool,
    /// Humanoid bones that change.
    pub moving_bones: Vec<String>,
    /// Other nodes that change.
    pub part_bones: Vec<String>,
    /// Expressions that it moves.
    pub expressions: Vec<String>,
    /// It moves the gaze.
    pub gaze: bool,
    /// Channels that nothing listens to.
    pub dead_channels: usize,
    /// Largest jump of a joint when it starts over.
    pub seam_degrees: f64,
    /// How far the hips go along the ground, in metres of the clip.
    pub travel_meters: f64,
}

/// Names of nodes and meshes. Without `names`, only nodes that three.js spells otherwise, and meshes whose objects have names of their own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Names {
    /// Of nodes.
    pub nodes: Vec<Name>,
    /// Of meshes: one for each object that shows a mesh. Several primitives have an object each; a single one is the object of its node.
    pub meshes: Vec<Name>,
}

/// One name, as the file has it and as three.js has it once loaded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Name {
    /// In the document.
    pub index: usize,
    /// As in the file, may be empty.
    pub raw: String,
    /// As three.js spells it.
    pub three: String,
}

/// What a build of this tool embedded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Embedded {
    /// Of the embedded data.
    pub version: String,
    /// Height of the body in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_height: Option<f64>,
    /// How many walks were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub walks: Option<usize>,
    /// How many outfits have cover masks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outfits: Option<usize>,
}

/// What was measured of one look or avatar.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The look's key, else the avatar's file name.
    pub key: String,
    /// Height of the body in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_height: Option<f64>,
    /// One for each walk clip.
    pub walks: Vec<Walk>,
    /// One for each outfit.
    pub cover: Vec<Cover>,
}

/// What was measured of a clip on an avatar; what could not be measured is null.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Walk {
    /// The clip's file.
    pub clip: String,
    /// Whether it walks at all.
    pub measurable: bool,
    /// Why it cannot be measured.
    pub why: Option<String>,
    /// Strides in the clip.
    pub cycles: Option<f64>,
    /// Length of a stride in metres.
    pub stride_meters: Option<f64>,
    /// Length of a stride in heights of the body.
    pub stride_body_heights: Option<f64>,
    /// The speed at which the feet do not slide, in body heights a second.
    pub natural_speed: Option<f64>,
    /// How fast the stage plays it at the pacing speed.
    pub rate: Option<f64>,
    /// Slowest and fastest pacing speed at which the feet do not slide, in body heights a second.
    pub speed_range: Option<[f64; 2]>,
    /// True when the clip stays where it is.
    pub in_place: Option<bool>,
    /// How far the clip itself goes.
    pub travel_meters: Option<f64>,
    /// True when the last pose meets the first.
    pub loop_closes: Option<bool>,
    /// Largest angle between the last pose and the first.
    pub seam_degrees: Option<f64>,
    /// How far a standing foot slides for each metre walked at that rate.
    pub slide: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Place, code};

    #[test]
    fn prints_the_fields_of_the_contract() {
        let mut report = Report::default();
        report.add(report::Finding::new(&code::D001, Place::file("a.vrm").at("/avatar").line_column(4, 13), "cut off").hint("Copy it."));
        report.add(report::Finding::new(&code::S003, Place::file("b.vrm"), "animated"));
        let mut outcome = Outcome::new("shrink");
        outcome.add(&report, None);
        outcome.files = Some(vec![File {
            path: "a.vrm".into(),
            bytes: 1,
            source_bytes: Some(2),
            texture_bytes: Some(1),
            geometry_bytes: Some(1),
            cached: Some(false),
            ..File::default()
        }]);
        let json = serde_json::to_string(&outcome).expect("plain data");
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            json,
            format!(
                r#"{{"tool":"companion-build","version":"{version}","command":"shrink","ok":false,"findings":[{{"code":"D001","name":"container-unreadable","severity":"error","fixed":false,"file":"a.vrm","pointer":"/avatar","line":4,"column":13,"message":"cut off","hint":"Copy it."}},{{"code":"S003","name":"picture-animated","severity":"note","fixed":false,"file":"b.vrm","pointer":"","line":null,"column":null,"message":"animated","hint":""}}],"files":[{{"path":"a.vrm","bytes":1,"sourceBytes":2,"textureBytes":1,"geometryBytes":1,"cached":false}}]}}"#
            )
        );
        assert_eq!(serde_json::from_str::<Outcome>(&json).expect("its own words"), outcome);
    }

    #[test]
    fn measured_values_that_are_unknown_are_null() {
        let model = Model { walks: vec![Walk::default()], ..Model::default() };
        let json = serde_json::to_value(&model).expect("plain data");
        assert_eq!(json["walks"][0]["why"], serde_json::Value::Null);
        assert!(json["walks"][0].as_object().expect("object").contains_key("strideBodyHeights"));
        assert!(!json.as_object().expect("object").contains_key("bodyHeight"));
    }
}
