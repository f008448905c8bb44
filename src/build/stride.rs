//! `stride`: how walks walk on an avatar.

use super::outcome::{Model, Walk as Shown};
use super::{Finished, Run, StrideJob, read, shown as shown_path};
use crate::clip::retarget::Body;
use crate::clip::{Clip, suggest};
use crate::disk;
use crate::gltf::Document;
use crate::motion::walk::{SPEED, Walk, body_height};
use crate::motion::{measure, picture};
use crate::parallel;
use crate::report::{Code, Finding, Place, Report, code};
use crate::vrm::refs::TABLE;
use std::path::Path;

/// From here on a walk goes askew, in degrees.
pub const ASKEW: f64 = 30.0;

/// A walk as it is printed, for a pacing speed in body heights a second.
pub fn shown(clip: &str, walk: &Walk, pace: f64) -> Shown {
    Shown {
        clip: clip.into(),
        measurable: walk.gait.is_ok(),
        why: walk.gait.as_ref().err().cloned(),
        cycles: walk.gait.as_ref().ok().map(|gait| gait.cycles as f64),
        stride_meters: walk.stride_meters(),
        stride_body_heights: walk.stride(),
        natural_speed: walk.gait.as_ref().ok().map(|gait| gait.speed),
        rate: walk.rate(pace),
        speed_range: walk.speeds(),
        in_place: Some(walk.is_in_place()),
        travel_meters: Some(walk.travel_meters),
        loop_closes: Some(walk.closes()),
        seam_degrees: Some(walk.seam_degrees),
        slide: walk.slide(pace),
    }
}

/// `stride AVATAR CLIP...`
pub fn stride(job: &StrideJob, run: &Run) -> Finished {
    let (settings, mut report) = run.choices.settings(None);
    let mut finished = Finished::new("stride");
    let (model, findings) = parallel::guarded(|| shown_path(&job.avatar), |report| measured(job, report));
    report.merge(findings);
    finished.add(report, None, &settings, run.strict);
    finished.outcome.models = Some(model.flatten().into_iter().collect());
    finished
}

fn measured(job: &StrideJob, report: &mut Report) -> Option<Model> {
    let name = shown_path(&job.avatar);
    let document = Document::read(&read(&job.avatar, report)?, &name, &TABLE, report)?;
    let mut body = Body::of(&document, None);
    if body.bones.is_empty() {
        body = Body::of(&document, suggest::rig(&body.skeleton).as_ref());
    }
    let height = body_height(&document, &body);
    if height.is_none() || body.bones.is_empty() {
        let message = "the avatar has no humanoid bones, and its names suggest none";
        report.add(Finding::new(&code::A002, Place::file(&name), message).hint(code::A002.remedy));
        return None;
    }
    let height = height.unwrap_or_default();
    let (walks, findings) = parallel::map(
        &job.clips,
        |path| shown_path(path),
        |path, report| {
            let walk = walk(path, &body, height, report)?;
            judge(&walk, &shown_path(path), report);
            Some(walk)
        },
    );
    report.merge(findings);
    let walks: Vec<(String, Walk)> =
        job.clips.iter().zip(walks).filter_map(|(path, walk)| Some((shown_path(path), walk.flatten()?))).collect();
    if let (Some(path), Some((_, walk))) = (&job.picture, walks.first()) {
        draw(walk, path, report);
    }
    let key = job.avatar.file_name().map_or(name, |name| name.to_string_lossy().into_owned());
    let walks = walks.iter().map(|(clip, walk)| shown(clip, walk, SPEED)).collect();
    Some(Model { key, body_height: Some(height), walks, cover: Vec::new() })
}

/// A clip without bones of its own gets those that its names suggest.
fn walk(path: &Path, body: &Body, height: f64, report: &mut Report) -> Option<Walk> {
    let name = shown_path(path);
    let mut container = Report::default();
    let clip = Clip::read(&read(path, report)?, &name, &mut container, report);
    report.merge(container);
    let mut clip = clip?;
    if clip.bones.is_empty()
        && let Some(rig) = suggest::rig(&clip.skeleton)
    {
        clip.set_rig(&rig);
    }
    if clip.bones.is_empty() {
        let message = "the clip does not say which node is which bone, and its names suggest no rig";
        report.add(Finding::new(&code::R003, Place::file(name), message).hint("Export it as .vrma."));
        return None;
    }
    Some(measure(body, &clip, height))
}

/// What the rules say of a walk, here without a manifest.
fn judge(walk: &Walk, file: &str, report: &mut Report) {
    let mut add = |code: &'static Code, message: String| report.add(Finding::new(code, Place::file(file), message).hint(code.remedy));
    if !walk.is_in_place() {
        add(&code::C018, format!("the clip travels {:.2} m", walk.travel_meters));
    }
    if !walk.closes() {
        add(&code::C017, format!("a joint jumps {:.1} degrees when the loop starts over", walk.seam_degrees));
    }
    match &walk.gait {
        Err(why) => add(&code::C019, format!("the stride cannot be measured: {why}")),
        Ok(gait) if gait.heading_degrees.abs() > ASKEW => {
            add(&code::T001, format!("it walks {:.0} degrees off the way that the body looks", gait.heading_degrees));
        }
        Ok(_) => {}
    }
}

fn draw(walk: &Walk, path: &Path, report: &mut Report) {
    let written = picture::draw(walk).map_err(|error| error.to_string());
    let written = written.and_then(|png| disk::write_if_changed(path, &png).map_err(|error| error.to_string()));
    if let Err(error) = written {
        report.add(Finding::new(&code::Z003, Place::file(shown_path(path)), error).hint(code::Z003.remedy));
    }
}
