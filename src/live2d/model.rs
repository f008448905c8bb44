//! The .model3.json: which files make up a model, and what its parameters and drawables are for.

use super::json;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The parts of a .model3.json that matter.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Model {
    /// 3.
    pub version: f64,
    /// The files.
    pub file_references: Files,
    /// `EyeBlink`, `LipSync` and others.
    #[serde(default, deserialize_with = "json::list")]
    pub groups: Vec<Group>,
    /// Drawables that can be clicked.
    #[serde(default, deserialize_with = "json::list")]
    pub hit_areas: Vec<HitArea>,
}

/// The files of a model, each by its path from the .model3.json.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Files {
    moc: Option<String>,
    #[serde(default, deserialize_with = "json::list")]
    textures: Vec<String>,
    physics: Option<String>,
    pose: Option<String>,
    display_info: Option<String>,
    user_data: Option<String>,
    motion_sync: Option<String>,
    #[serde(default, deserialize_with = "json::list")]
    expressions: Vec<Expression>,
    #[serde(default)]
    motions: Option<BTreeMap<String, Vec<Motion>>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Expression {
    file: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Motion {
    file: String,
    sound: Option<String>,
}

/// Parameters that serve one purpose.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Group {
    /// Of what its ids are: `Parameter`.
    #[serde(default)]
    pub target: String,
    /// `EyeBlink`, `LipSync`, ...
    pub name: String,
    /// The parameters.
    #[serde(default, deserialize_with = "json::list")]
    pub ids: Vec<String>,
}

/// A drawable that can be clicked.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct HitArea {
    /// The drawable.
    pub id: String,
    /// What it is called.
    #[serde(default)]
    pub name: String,
}

impl HitArea {
    /// True when its name says that it is her head, as the stage reads it.
    pub fn is_head(&self) -> bool {
        let name = self.name.to_lowercase();
        name.contains("head") || name.contains("face")
    }
}

/// What a file of the model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// `.moc3`.
    Moc,
    /// The texture of this number.
    Texture(usize),
    /// `.physics3.json`.
    Physics,
    /// `.pose3.json`.
    Pose,
    /// `.cdi3.json`.
    DisplayInfo,
    /// `.userdata3.json`.
    UserData,
    /// `.motionsync3.json`.
    MotionSync,
    /// `.exp3.json`.
    Expression,
    /// `.motion3.json`.
    Motion,
    /// What is heard with a motion.
    Sound,
}

impl Model {
    /// Reads a .model3.json.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let model: Self = json::read(bytes)?;
        let files = &model.file_references;
        if model.version != 3.0 {
            Err(format!("Version is {}, not 3", model.version))
        } else if files.moc.as_ref().is_none_or(String::is_empty) {
            Err("FileReferences.Moc is missing".into())
        } else if files.textures.is_empty() {
            Err("FileReferences.Textures is missing or empty".into())
        } else {
            Ok(model)
        }
    }

    /// The files that it names, with what it names them as. An empty path names nothing, but that of a texture.
    pub fn references(&self) -> Vec<(Role, &str)> {
        let files = &self.file_references;
        let single = [
            (Role::Moc, &files.moc),
            (Role::Physics, &files.physics),
            (Role::Pose, &files.pose),
            (Role::DisplayInfo, &files.display_info),
            (Role::UserData, &files.user_data),
            (Role::MotionSync, &files.motion_sync),
        ];
        let mut all: Vec<(Role, &str)> = single.into_iter().filter_map(|(role, path)| Some((role, path.as_deref()?))).collect();
        all.extend(files.expressions.iter().map(|expression| (Role::Expression, expression.file.as_str())));
        for motion in files.motions.iter().flat_map(BTreeMap::values).flatten() {
            all.push((Role::Motion, &motion.file));
            all.extend(motion.sound.as_deref().map(|sound| (Role::Sound, sound)));
        }
        all.retain(|(_, path)| !path.is_empty());
        all.extend(files.textures.iter().enumerate().map(|(index, path)| (Role::Texture(index), path.as_str())));
        all
    }

    /// The ids of a group.
    pub fn group(&self, name: &str) -> Option<&[String]> {
        self.groups.iter().find(|group| group.name == name).map(|group| group.ids.as_slice())
    }

    /// How many textures it lists.
    pub fn textures(&self) -> usize {
        self.file_references.textures.len()
    }
}
