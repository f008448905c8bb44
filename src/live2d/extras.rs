//! What belongs to a model beside its motions: expressions, physics, pose, display names and user data, compared with the ids of the .moc3.

use super::json;
use super::moc3::Moc;
use super::model::Role;
use crate::spelling;
use serde::Deserialize;
use std::collections::BTreeSet;

/// How many unknown ids are named.
const NAMED: usize = 4;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    id: String,
    #[serde(default, deserialize_with = "json::list")]
    link: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Expression {
    #[serde(default, deserialize_with = "json::list")]
    parameters: Vec<Named>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Pose {
    groups: Vec<Vec<Named>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DisplayInfo {
    #[serde(default, deserialize_with = "json::list")]
    parameters: Vec<Named>,
    #[serde(default, deserialize_with = "json::list")]
    parts: Vec<Named>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UserData {
    meta: UserDataMeta,
    #[serde(default, deserialize_with = "json::list")]
    user_data: Vec<UserDatum>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UserDataMeta {
    user_data_count: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UserDatum {
    #[serde(default)]
    target: String,
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Physics {
    meta: PhysicsMeta,
    physics_settings: Vec<PhysicsSetting>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PhysicsMeta {
    physics_setting_count: f64,
    total_input_count: f64,
    total_output_count: f64,
    vertex_count: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PhysicsSetting {
    input: Vec<Input>,
    output: Vec<Output>,
    vertices: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Input {
    source: Named,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Output {
    destination: Named,
    vertex_index: f64,
}

/// What is wrong with a file of this role; nothing for roles that are checked elsewhere. Without a readable `moc` no id is looked up.
pub fn faults(role: Role, bytes: &[u8], moc: Option<&Moc>) -> Vec<String> {
    let checked = match role {
        Role::Expression => json::read(bytes).map(|file| expression(&file, moc)),
        Role::Physics => json::read(bytes).map(|file| physics(&file, moc)),
        Role::Pose => json::read(bytes).map(|file| pose(&file, moc)),
        Role::DisplayInfo => json::read(bytes).map(|file| display_info(&file, moc)),
        Role::UserData => json::read(bytes).map(|file| user_data(&file, moc)),
        Role::MotionSync => json::read::<serde::de::IgnoredAny>(bytes).map(|_| Vec::new()),
        Role::Moc | Role::Texture(_) | Role::Motion | Role::Sound => Ok(Vec::new()),
    };
    checked.unwrap_or_else(|error| vec![error])
}

/// The ids that are none of the known ones, in one sentence.
pub(super) fn unknown<'a>(what: &str, ids: impl Iterator<Item = &'a str>, known: &[String]) -> Option<String> {
    let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    let unknown: BTreeSet<&str> = ids.filter(|id| !known.contains(id)).collect();
    (!unknown.is_empty()).then(|| format!("the model has no {what} {}", spelling::list(unknown, NAMED)))
}

fn expression(file: &Expression, moc: Option<&Moc>) -> Vec<String> {
    let ids = file.parameters.iter().map(|parameter| parameter.id.as_str());
    moc.and_then(|moc| unknown("parameter", ids, &moc.columns.parameter_id)).into_iter().collect()
}

fn pose(file: &Pose, moc: Option<&Moc>) -> Vec<String> {
    let parts = file.groups.iter().flatten();
    let ids = parts.flat_map(|part| std::iter::once(&part.id).chain(&part.link)).map(String::as_str);
    moc.and_then(|moc| unknown("part", ids, &moc.columns.part_id)).into_iter().collect()
}

fn display_info(file: &DisplayInfo, moc: Option<&Moc>) -> Vec<String> {
    let Some(moc) = moc else { return Vec::new() };
    let parameters = unknown("parameter", file.parameters.iter().map(|named| named.id.as_str()), &moc.columns.parameter_id);
    let parts = unknown("part", file.parts.iter().map(|named| named.id.as_str()), &moc.columns.part_id);
    parameters.into_iter().chain(parts).collect()
}

fn count(name: &str, told: f64, real: usize) -> Option<String> {
    (told != real as f64).then(|| format!("{name} is {told}, but there are {real}"))
}

fn user_data(file: &UserData, moc: Option<&Moc>) -> Vec<String> {
    let meshes = file.user_data.iter().filter(|datum| datum.target == "ArtMesh").map(|datum| datum.id.as_str());
    let unknown = moc.and_then(|moc| unknown("drawable", meshes, &moc.columns.mesh_id));
    count("UserDataCount", file.meta.user_data_count, file.user_data.len()).into_iter().chain(unknown).collect()
}

fn physics(file: &Physics, moc: Option<&Moc>) -> Vec<String> {
    let settings = &file.physics_settings;
    let sum = |length: fn(&PhysicsSetting) -> usize| settings.iter().map(length).sum();
    let counts = [
        count("PhysicsSettingCount", file.meta.physics_setting_count, settings.len()),
        count("TotalInputCount", file.meta.total_input_count, sum(|setting| setting.input.len())),
        count("TotalOutputCount", file.meta.total_output_count, sum(|setting| setting.output.len())),
        count("VertexCount", file.meta.vertex_count, sum(|setting| setting.vertices.len())),
    ];
    let sources = settings.iter().flat_map(|setting| &setting.input).map(|input| input.source.id.as_str());
    let destinations = settings.iter().flat_map(|setting| &setting.output).map(|output| output.destination.id.as_str());
    let unknown = moc.and_then(|moc| unknown("parameter", sources.chain(destinations), &moc.columns.parameter_id));
    let past = settings.iter().find_map(|setting| {
        let bad = |output: &&Output| !(output.vertex_index >= 0.0 && output.vertex_index < setting.vertices.len() as f64);
        setting.output.iter().find(bad).map(|output| (output.vertex_index, setting.vertices.len()))
    });
    let past = past.map(|(index, vertices)| format!("an output moves by vertex {index} of {vertices}"));
    counts.into_iter().flatten().chain(unknown).chain(past).collect()
}
