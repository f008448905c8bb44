//! Framing windows, the camera, and pacing: what their numbers mean together.

use super::format::{EDGES, MOST_YAW};
use super::manifest::Manifest;
use super::node::Node;
use super::{Facts, Pack};
use crate::report::{Finding, Report, code};
use rust_decimal::Decimal;
use std::str::FromStr;

/// How far the top of a window must be above its bottom.
const LEAST_WINDOW: &str = "0.02";

/// G006 to G008, G012, G013, G020 and G021.
pub(super) fn check(pack: &Pack, _: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = &model.root else { continue };
        if let Some(framing) = root.get("framing") {
            windows(model, framing, report);
            if let Some(camera) = framing.get("camera") {
                yaw(model, camera, report);
            }
        }
        if let Some(pacing) = root.get("pacing") {
            walk(model, root, pacing, report);
        }
    }
}

/// The number as it was written: 0.75 is 0.02 above 0.73, whatever binary fractions say. `None` for what is no number.
fn decimal(model: &Manifest, node: &Node) -> Option<Decimal> {
    let number = node.as_f64().filter(|number| number.is_finite())?;
    let written = model.text.get(node.range.clone())?;
    Decimal::from_str(written).or_else(|_| Decimal::from_scientific(written)).ok().or_else(|| Decimal::from_f64_retain(number))
}

fn windows(model: &Manifest, framing: &Node, report: &mut Report) {
    // What no window may have has its own rule (G005).
    let edge = |node: &Node| decimal(model, node).filter(|_| node.as_f64().is_some_and(|number| (EDGES.0..=EDGES.1).contains(&number)));
    let window = |name: &str| {
        let node = framing.get(name)?;
        Some((node, edge(node.get("bottom")?)?, edge(node.get("top")?)?))
    };
    let least = Decimal::from_str(LEAST_WINDOW).unwrap_or_default();
    for name in ["face", "upperBody", "fullBody"] {
        if let Some((node, bottom, top)) = window(name)
            && top - bottom < least
            && let Some(node) = node.get("top")
        {
            let message = format!("framing.{name}: top is {top} and bottom {bottom}; top must be at least {LEAST_WINDOW} above");
            report.add(Finding::new(&code::G006, model.place(node), message).hint(code::G006.remedy));
        }
    }
    let outside = |inner: &str, outer: &str| {
        let ((node, bottom, top), (_, below, above)) = (window(inner)?, window(outer)?);
        (bottom < below || top > above).then(|| (node, format!("the window {inner} reaches out of {outer}")))
    };
    let low = || {
        let ((node, bottom, top), (_, below, above)) = (window("face")?, window("upperBody")?);
        (bottom + top < below + above).then(|| (node, "the window face lies below the middle of upperBody".to_owned()))
    };
    for (node, message) in [low(), outside("face", "upperBody"), outside("upperBody", "fullBody")].into_iter().flatten() {
        report.add(Finding::new(&code::G007, model.place(node), message).hint(code::G007.remedy));
    }
    if framing.get("defaultPreset").is_none() && framing.members().iter().any(|member| member.key != "camera") {
        let place = model.missing_place(framing, "defaultPreset");
        report.add(Finding::new(&code::G008, place, "a new companion starts on Upper body").hint(code::G008.remedy));
    }
}

/// G012 and G013.
fn yaw(model: &Manifest, camera: &Node, report: &mut Report) {
    let Some(range) = camera.get("yawRange") else { return };
    let [Some(least), Some(most)] = [0, 1].map(|at| range.items().get(at).and_then(Node::as_f64)) else { return };
    // What no range may have has its own rule (G011).
    if range.items().len() != 2 || ![least, most].iter().all(|yaw| (-MOST_YAW..=MOST_YAW).contains(yaw)) {
        return;
    }
    if least > most {
        let message = format!("yawRange begins at {least} and ends at {most}");
        report.add(Finding::new(&code::G012, model.place(range), message).hint(code::G012.remedy));
        return;
    }
    let given = camera.get("defaultYawDegrees");
    let yaw = match given {
        Some(node) => node.as_f64(),
        None => Some(0.0),
    };
    if let Some(yaw) = yaw.filter(|yaw| (-MOST_YAW..=MOST_YAW).contains(yaw) && !(least..=most).contains(yaw)) {
        let message = match given {
            Some(_) => format!("defaultYawDegrees is {yaw}, outside of yawRange [{least}, {most}]"),
            None => format!("yawRange [{least}, {most}] leaves out 0, the yaw where defaultYawDegrees is not given"),
        };
        report.add(Finding::new(&code::G013, model.place(given.unwrap_or(range)), message).hint(code::G013.remedy));
    }
}

/// G020 and G021.
fn walk(model: &Manifest, root: &Node, pacing: &Node, report: &mut Report) {
    let walks = |motion: &&Node| motion.list("roles").iter().any(|role| role.as_str() == Some("walk"));
    if !root.list("motions").iter().any(|motion| walks(&motion)) {
        let message = "pacing does nothing without a motion with the role walk";
        report.add(Finding::new(&code::G020, model.place(pacing), message).hint(code::G020.remedy));
    }
    let value = |key: &str, default: f64| pacing.get(key).map_or(Some(default), Node::as_f64);
    if let (Some(speed), Some(step)) = (value("speed", 0.35), value("stepDistance", 0.25))
        && (0.1..=1.0).contains(&speed)
        && (0.05..=0.6).contains(&step)
        && !(0.2..=4.0).contains(&(step / speed))
    {
        let message = format!("a step of {step} body heights at {speed} a second takes {:.2} s", step / speed);
        report.add(Finding::new(&code::G021, model.place(pacing), message).hint(code::G021.remedy));
    }
}
