//! What the clips of a look hold, against what their motions and their avatar want of them.

use super::facts::{AvatarFacts, ClipFacts, LookFacts, RigFacts, WalkFacts};
use super::format::MOTION;
use super::manifest::Manifest;
use super::model::{avatar_of, body};
use super::motions::{PARTS, has_role, texts};
use super::node::Node;
use super::package::ending_of;
use super::references::Kind;
use super::shape::Body;
use super::{Facts, Pack};
use crate::gltf::names::sanitize;
use crate::report::nearest::nearest;
use crate::report::{Code, Finding, Place, Report, Severity, code};
use crate::spelling;
use crate::units;
use std::collections::BTreeSet;

/// Roles that play over and over.
const LOOPS: [&str; 6] = ["idle", "talkIdle", "listen", "think", "partsIdle", "walk"];
/// A loop closes when no joint jumps farther, in degrees.
const SEAM: f64 = 3.0;
/// A pose is another one when a joint turns so far, in degrees.
const OTHER_POSE: f64 = 2.0;
/// A gesture starts and ends at most so far from the idle pose, in degrees.
const NEAR_IDLE: f64 = 35.0;
/// Shorter idle loops look mechanical, in seconds.
const SHORT_LOOP: f64 = 3.0;
/// A clip is worth thinning when it loses a fifth, and so many bytes.
const THICK: u64 = 8_000;
/// A shorter clip is a pose, in seconds.
const POSE: f64 = 0.1;
/// What a key at the start may be late, in seconds.
const LATE: f64 = 0.001;
/// A walk is in place when it travels at most so far, in body heights.
const IN_PLACE: f64 = 0.02;
/// The stage plays a walk at least and at most so fast.
const RATES: [f64; 2] = [0.5, 2.0];
/// The pacing speed when a look does not say, in body heights a second.
const PACE: f64 = 0.35;
/// From here on a walk goes askew, in degrees.
const ASKEW: f64 = 30.0;

/// N013, N024 to N030, N037, N043, C009 to C012, C015, C017 to C025, R006, R008, R009, T001 and M018. (What is wrong inside a clip file is
/// said when it is read.)
pub(super) fn check(pack: &Pack, facts: &Facts, report: &mut Report) {
    for model in pack.models() {
        let Some(root) = &model.root else { continue };
        if body(model).is_none_or(|body| body == Body::Live2d) {
            continue;
        }
        let avatar = avatar_of(pack, model, facts);
        let mut look = Look { pack, model, root, avatar, report };
        if let Some(known) = facts.looks.get(&model.path) {
            look.rig(known);
        }
        let clip = |index: usize| facts.clips.get(&(model.path.clone(), index));
        let (motions, mut files) = (root.list("motions"), BTreeSet::new());
        let idle = motions.iter().enumerate().filter(|(_, motion)| has_role(motion, "idle")).find_map(|(index, _)| clip(index));
        for (index, motion) in motions.iter().enumerate() {
            let Some((node, id)) = motion.get("id").and_then(|node| Some((node, node.as_str()?))) else { continue };
            let motion = Motion { motion, node, id, is_parts: PARTS.iter().any(|role| has_role(motion, role)) };
            look.animation(&motion);
            look.kind(&motion);
            let Some(clip) = clip(index) else { continue };
            look.bones(&motion, clip);
            // What several motions play is one file.
            if files.insert(id) {
                look.file(&motion, clip);
            }
            look.time(&motion, clip);
            look.poses(&motion, clip, idle);
        }
        look.idle_loops(motions, &clip);
    }
}

/// A motion of a look.
struct Motion<'a> {
    motion: &'a Node,
    /// Where its id stands.
    node: &'a Node,
    id: &'a str,
    /// It has a role for extra parts.
    is_parts: bool,
}

impl Motion<'_> {
    fn has_any(&self, roles: &[&str]) -> bool {
        roles.iter().any(|role| has_role(self.motion, role))
    }

    /// It has a role for the body, or none at all.
    fn is_body(&self) -> bool {
        texts(self.motion, "roles").any(|role| !PARTS.contains(&role)) || !self.is_parts
    }

    /// In lower case; empty for an animation inside the avatar.
    fn ending(&self) -> String {
        self.id.strip_prefix("file:").map_or_else(String::new, |path| ending_of(path).to_ascii_lowercase())
    }
}

/// A look, while its motions are judged.
struct Look<'a> {
    pack: &'a Pack,
    model: &'a Manifest,
    root: &'a Node,
    avatar: Option<&'a AvatarFacts>,
    report: &'a mut Report,
}

impl Look<'_> {
    fn add(&mut self, code: &'static Code, place: Place, message: String, hint: String) {
        self.report.add(Finding::new(code, place, message).hint(hint));
    }

    /// About a motion, at its id.
    fn say(&mut self, code: &'static Code, motion: &Motion, message: String) {
        self.add(code, self.model.place(motion.node), message, code.remedy.into());
    }

    /// Advice that is strong for some roles.
    fn warn(&mut self, code: &'static Code, motion: &Motion, message: String) {
        let mut finding = Finding::new(code, self.model.place(motion.node), message).hint(code.remedy);
        finding.severity = Severity::Warning;
        self.report.add(finding);
    }

    /// The avatar's humanoid is known: from VRM data, or from the look's rig.
    fn is_humanoid(&self) -> bool {
        self.avatar.is_some_and(|avatar| !avatar.humanoid.is_empty())
            || (body(self.model) == Some(Body::Glb) && self.root.get("rig").is_some())
    }

    /// M018, and R006 and R008 for the look's own rig.
    fn rig(&mut self, look: &LookFacts) {
        if let Some(json) = &look.suggested_rig {
            let place = self.root.get("avatar").map_or_else(|| self.model.whole(), |node| self.model.place(node));
            let message = "the avatar has bones like a human's, but the look has no rig".to_owned();
            self.add(&code::M018, place, message, format!("Add \"rig\": {json}."));
        }
        let Some(rig) = self.root.get("rig").filter(|_| body(self.model) == Some(Body::Glb)) else { return };
        if let Some(avatar) = self.avatar {
            self.nodes_exist(rig, &avatar.nodes().map(str::to_owned).collect(), "the avatar");
        }
        self.order(rig, &look.rig);
    }

    /// R006.
    fn nodes_exist(&mut self, rig: &Node, nodes: &BTreeSet<String>, file: &str) {
        for member in rig.get("bones").map_or(&[][..], Node::members) {
            // A name that is not in the spelling of three.js has its own rule (R005).
            let Some(written) = member.value.as_str().filter(|written| !written.is_empty() && sanitize(written) == *written) else {
                continue;
            };
            if !nodes.contains(written) {
                let near = nearest(written, nodes.iter().map(String::as_str));
                let hint = near.map_or_else(|| code::R006.remedy.into(), |near| format!("Did you mean \"{near}\"?"));
                self.add(&code::R006, self.model.place(&member.value), format!("{file} has no node \"{written}\""), hint);
            }
        }
    }

    /// R008.
    fn order(&mut self, rig: &Node, facts: &RigFacts) {
        let place = self.model.place(rig.get("bones").unwrap_or(rig));
        if !facts.disorder.is_empty() {
            let message = format!("the bones hang together oddly: {}", spelling::list(facts.disorder.iter().map(String::as_str), 4));
            self.add(&code::R008, place.clone(), message, code::R008.remedy.into());
        }
        if facts.is_mirrored {
            self.add(&code::R008, place, "left and right look swapped: the feet point backwards".into(), code::R008.remedy.into());
        }
    }

    /// N013.
    fn animation(&mut self, motion: &Motion) {
        let (Some(name), Some(avatar)) = (motion.id.strip_prefix("avatar:"), self.avatar) else { return };
        let count = avatar.animations.iter().filter(|own| *own == name).count();
        let place = self.model.place(motion.node);
        if count > 1 {
            let mut finding =
                Finding::new(&code::N013, place, format!("the avatar has {count} animations called \"{name}\": the first one plays"));
            finding.severity = Severity::Warning;
            self.report.add(finding.hint("Give them different names in the authoring tool."));
        } else if count == 0 {
            let known: Vec<&str> = avatar.animations.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("Did you mean \"avatar:{near}\"?"),
                None => format!("It has: {}.", spelling::list(known, 8)),
            };
            self.add(&code::N013, place, format!("the avatar has no animation \"{name}\""), hint);
        }
    }

    /// N024 for what the ending tells, and N029.
    fn kind(&mut self, motion: &Motion) {
        let ending = motion.ending();
        if let Some(rig) = motion.motion.get("rig").filter(|_| ending == "vrma") {
            self.add(&code::N024, self.model.place(rig), "a .vrma needs no rig".into(), code::N024.remedy.into());
        }
        if motion.is_parts && matches!(ending.as_str(), "vrma" | "fbx") {
            self.say(&code::N029, motion, format!("the clip is .{ending}: extra parts need a .glb clip or an animation of the avatar"));
        }
    }

    /// N024 to N028, N030, C015, C022, C023, R006, R008 and R009.
    fn bones(&mut self, motion: &Motion, clip: &ClipFacts) {
        let rig = motion.motion.get("rig");
        let (ending, is_humanoid) = (motion.ending(), self.is_humanoid());
        if let Some(rig) = rig {
            if ending == "glb" && clip.has_humanoid {
                let message = "the .glb says itself which node is which bone";
                self.add(&code::N024, self.model.place(rig), message.into(), code::N024.remedy.into());
            } else if ending == "glb" || ending == "fbx" {
                self.nodes_exist(rig, &clip.nodes, "the clip");
                self.order(rig, &clip.rig);
                if !clip.moving_bones.contains("hips") && !clip.moving_bones.contains("spine") {
                    self.add(&code::R009, self.model.place(rig), "the clip moves neither hips nor spine".into(), code::R009.remedy.into());
                }
            }
        } else if is_humanoid
            && motion.is_body()
            && !clip.has_humanoid
            && matches!(ending.as_str(), "glb" | "fbx")
            && !MOTION.is_misspelled(motion.motion, "rig")
        {
            let code = if ending == "fbx" { &code::N025 } else { &code::N026 };
            let hint = match &clip.suggested_rig {
                Some(json) => format!("Add \"rig\": {json} to the motion."),
                None => code.remedy.into(),
            };
            self.add(code, self.model.place(motion.node), format!("a body clip in a .{ending} needs a rig"), hint);
        }
        let repeats = !clip.repeated.is_empty() && !motion.id.starts_with("avatar:");
        if repeats {
            let names = spelling::list(clip.repeated.iter().map(String::as_str), 4);
            let mut finding = Finding::new(&code::C015, self.model.place(motion.node), format!("two nodes of the clip are called {names}"));
            // A VRM animation finds its nodes by number; a clip without rig and parts names none.
            if ending == "vrma" || (rig.is_none() && !motion.is_parts) {
                finding.severity = Severity::Note;
            }
            self.report.add(finding.hint(code::C015.remedy));
        }
        let humanoid_known = clip.has_humanoid || rig.is_some();
        if motion.is_body() && humanoid_known && clip.moving_bones.is_empty() {
            if motion.id.starts_with("avatar:") {
                self.say(&code::N027, motion, "the animation moves no humanoid bone".into());
            } else {
                self.say(&code::C023, motion, "the clip moves no humanoid bone".into());
            }
        } else if motion.is_body() && motion.id.starts_with("avatar:") && is_humanoid && clip.moving_bones.is_empty() {
            self.say(&code::N027, motion, "the animation moves no humanoid bone".into());
        }
        let Some(avatar) = self.avatar else { return };
        if motion.is_parts && !clip.moving.iter().any(|name| avatar.has_node(name)) {
            let moved = match clip.moving.len() {
                0 => "nothing".to_owned(),
                _ => spelling::list(clip.moving.iter().map(String::as_str), 4),
            };
            self.say(&code::N030, motion, format!("the clip moves no bone of the avatar; it moves {moved}"));
        }
        let parts: Vec<&str> = clip.part_bones.iter().map(String::as_str).filter(|name| avatar.has_node(name)).collect();
        if motion.is_parts && !parts.is_empty() {
            let also = if clip.is_body_animated { ", and the body" } else { "" };
            self.say(&code::C022, motion, format!("the motion moves {}{also}", spelling::list(parts, 8)));
        }
        if !is_humanoid && motion.is_body() && !motion.id.starts_with("avatar:") {
            let missing: Vec<&str> = clip.moving.iter().map(String::as_str).filter(|name| !avatar.has_node(name)).collect();
            if !missing.is_empty() {
                self.say(&code::N028, motion, format!("the clip moves nodes that the avatar lacks: {}", spelling::list(missing, 6)));
            }
        }
    }

    /// C009, C012 and C025: the file of a clip.
    fn file(&mut self, motion: &Motion, clip: &ClipFacts) {
        let Some(path) = self.path(motion) else { return };
        let add = |look: &mut Self, code: &'static Code, message: String| look.add(code, Place::file(&path), message, code.remedy.into());
        if clip.animations.len() > 1 {
            let name = clip.animations.get(clip.chosen).filter(|name| !name.is_empty());
            let plays = name.map_or_else(|| format!("number {}", clip.chosen), |name| format!("\"{name}\""));
            add(self, &code::C009, format!("the file holds {} animations; only {plays} plays", clip.animations.len()));
        }
        if clip.meshes + clip.pictures > 0 {
            let size = if clip.dead_bytes > 0 { format!(", {}", units::bytes(clip.dead_bytes)) } else { String::new() };
            add(self, &code::C012, format!("the clip carries meshes ({}) and pictures ({}){size}", clip.meshes, clip.pictures));
        }
        if clip.is_compressed {
            add(self, &code::C025, "the keys of the clip are compressed or integers".into());
        } else if clip.meshes + clip.pictures == 0 && clip.spared_bytes >= THICK.max(clip.file_bytes / 5) {
            let [spared, whole] = [clip.spared_bytes, clip.file_bytes].map(units::bytes);
            let message = format!("keys that lie on the way between others can go: about {spared} of {whole}");
            add(self, &code::C024, message);
        }
    }

    fn path(&self, motion: &Motion) -> Option<String> {
        let pointer = self.model.place(motion.node).pointer;
        let reference = self.pack.references_of(self.model).find(|r| r.kind == Kind::Clip && r.place.pointer == pointer);
        Some(reference?.target()?.to_owned())
    }

    /// C010, C011 and N037.
    fn time(&mut self, motion: &Motion, clip: &ClipFacts) {
        let end = clip.first_key_seconds + clip.duration_seconds;
        if clip.first_key_seconds > LATE {
            self.say(&code::C010, motion, format!("the first key of the clip is at {:.3} s", clip.first_key_seconds));
        }
        if clip.duration_seconds < POSE && !motion.has_any(&["postureShift", "leanIn"]) {
            self.say(&code::C011, motion, format!("the clip is a pose: it lasts {:.3} s", clip.duration_seconds));
        }
        if let Some(node) = motion.motion.get("strokeSeconds")
            && let Some(stroke) = node.as_f64()
            && stroke > end + LATE
            // What no clip may have has its own rule (N036).
            && stroke <= 30.0
        {
            let message = format!("the beat is at {stroke} s, but the clip ends at {end:.2} s");
            self.add(&code::N037, self.model.place(node), message, code::N037.remedy.into());
        }
    }

    /// C017 to C021 and T001.
    fn poses(&mut self, motion: &Motion, clip: &ClipFacts, idle: Option<&ClipFacts>) {
        if let Some((joint, degrees)) = &clip.seam
            && motion.has_any(&LOOPS)
            && *degrees > SEAM
        {
            let message = format!("{joint} jumps {degrees:.1} degrees when the loop starts over");
            if motion.has_any(&["walk", "idle"]) { self.warn(&code::C017, motion, message) } else { self.say(&code::C017, motion, message) }
        }
        if let Some(walk) = &clip.walk {
            self.walk(motion, walk);
        }
        if motion.has_any(&["postureShift", "leanIn"]) && clip.change.as_ref().is_none_or(|(_, degrees)| *degrees < OTHER_POSE) {
            self.say(&code::C020, motion, "the clip ends where it began: there is nothing to hold".into());
        }
        if let Some(idle) = idle.filter(|_| motion.has_any(&["gesture", "reaction"]) && !motion.has_any(&LOOPS)) {
            let far = |when: usize| apart(&clip.poses[when], &idle.poses[0]).filter(|(_, degrees)| *degrees > NEAR_IDLE);
            if let Some(((joint, degrees), when)) = far(0).map(|far| (far, "starts")).or_else(|| far(1).map(|far| (far, "ends"))) {
                self.say(&code::C021, motion, format!("the clip {when} with {joint} {degrees:.0} degrees away from the idle pose"));
            }
        }
    }

    fn walk(&mut self, motion: &Motion, walk: &WalkFacts) {
        if walk.travel > IN_PLACE {
            let message = format!("the walk travels {:.2} m: it must stay in place", walk.travel_meters);
            self.say(&code::C018, motion, message);
        }
        let given = self.root.at(&["pacing", "speed"]).and_then(Node::as_f64);
        // A speed that no look may have has its own rule (G018).
        let pace = given.filter(|speed| (0.1..=1.0).contains(speed)).unwrap_or(PACE);
        let [slowest, fastest] = RATES.map(|rate| rate * walk.speed);
        if let Some(why) = &walk.why {
            self.say(&code::C019, motion, format!("the stride cannot be measured: {why}; it plays at its own speed"));
        } else if !(slowest..=fastest).contains(&pace) {
            let message = format!("the feet slide at the pacing speed {pace}: the walk suits {slowest:.2} to {fastest:.2}");
            self.say(&code::C019, motion, message);
        }
        if walk.heading_degrees.abs() > ASKEW {
            self.say(&code::T001, motion, format!("it walks {:.0} degrees off the way that the body looks", walk.heading_degrees));
        }
    }

    /// N043.
    fn idle_loops<'f>(&mut self, motions: &[Node], clip: &dyn Fn(usize) -> Option<&'f ClipFacts>) {
        let short = |(index, motion): &(usize, &Node)| {
            has_role(motion, "idle") && clip(*index).is_some_and(|clip| clip.duration_seconds < SHORT_LOOP)
        };
        let short: Vec<&Node> = motions.iter().enumerate().filter(short).filter_map(|(_, motion)| motion.get("id")).collect();
        if let [first, _, ..] = short[..] {
            let message = format!("{} idle loops last under {SHORT_LOOP} s", short.len());
            self.add(&code::N043, self.model.place(first), message, code::N043.remedy.into());
        }
    }
}

/// The bone that lies farthest apart in two poses, in degrees; fingers and eyes do not count.
fn apart<'a>(a: &[(&'a str, [f64; 4])], b: &[(&str, [f64; 4])]) -> Option<(&'a str, f64)> {
    let counts = |bone: &str| !["Thumb", "Index", "Middle", "Ring", "Little", "Eye", "jaw"].iter().any(|part| bone.contains(part));
    let pairs = a
        .iter()
        .filter(|(bone, _)| counts(bone))
        .filter_map(|(bone, turn)| Some((*bone, turn, b.iter().find(|(other, _)| other == bone)?.1)));
    let angles = pairs.map(|(bone, a, b)| {
        let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        (bone, 2.0 * dot.abs().min(1.0).acos().to_degrees())
    });
    angles.max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{GLB, lines, pack};
    use super::*;

    const MODEL: &str = "companion-models/fox-model/model.json";

    /// What the rules of this file say of motions, for an avatar and a clip for each motion in turn.
    fn found(avatar: &str, rest: &str, motions: &[(&str, ClipFacts)], facts: AvatarFacts) -> Vec<String> {
        let list: Vec<&str> = motions.iter().map(|(motion, _)| *motion).collect();
        let text = format!(r#"{{ "avatar": "{avatar}", {rest} "motions": [{}] }}"#, list.join(", "));
        let paths = ["a.vrma", "a.glb", "a.fbx", "fox.glb"].map(|name| format!("companion-models/fox-model/{name}"));
        let mut files: Vec<(&str, &[u8])> = paths.iter().map(|path| (path.as_str(), GLB)).collect();
        files.push((MODEL, text.as_bytes()));
        let mut report = Report::default();
        let pack = Pack::read(pack(&files), &mut report);
        let mut known = Facts::default();
        known.avatars.insert(format!("companion-models/fox-model/{avatar}"), facts);
        for (index, (_, clip)) in motions.iter().enumerate() {
            known.clips.insert((MODEL.into(), index), clip.clone());
        }
        let mut report = Report::default();
        check(&pack, &known, &mut report);
        lines(report).into_iter().map(|line| line.replace(MODEL, "").replace("companion-models/fox-model/", "")).collect()
    }

    /// One motion on a VRM whose bones are n_hips, Tail and Ear.
    fn one(motion: &str, clip: ClipFacts) -> Vec<String> {
        found("fox.vrm", "", &[(motion, clip)], humanoid())
    }

    fn humanoid() -> AvatarFacts {
        let mut facts = plain();
        facts.humanoid.insert("hips".into(), "n_hips".into());
        facts
    }

    fn plain() -> AvatarFacts {
        let bones = ["n_hips", "Tail", "Ear"].map(|name| (name.to_owned(), super::super::facts::BoneFacts::default()));
        let animations = ["Wag", "Idle", "Idle"].map(str::to_owned).to_vec();
        AvatarFacts { bones: bones.into(), animations, ..AvatarFacts::default() }
    }

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    /// A sound clip of the body.
    fn body_clip() -> ClipFacts {
        ClipFacts {
            has_humanoid: true,
            is_body_animated: true,
            moving_bones: names(&["hips"]),
            duration_seconds: 5.0,
            animations: vec!["a".into()],
            change: Some(("hips".into(), 20.0)),
            ..ClipFacts::default()
        }
    }

    #[test]
    fn sound_motions_have_no_findings() {
        assert_eq!(one(r#"{ "id": "file:a.vrma", "roles": ["idle"], "strokeSeconds": 5 }"#, body_clip()), Vec::<String>::new());
        assert_eq!(one(r#"{ "id": "file:a.vrma", "roles": ["postureShift"] }"#, body_clip()), Vec::<String>::new());
    }

    #[test]
    fn animations_of_the_avatar_exist() {
        let id = |id: &str| one(&format!(r#"{{ "id": "avatar:{id}", "roles": ["gesture"] }}"#), body_clip());
        assert_eq!(id("Wag"), Vec::<String>::new());
        assert_eq!(id("wag"), ["N013 error #/motions/0/id"]);
        assert_eq!(id("Idle"), ["N013 warning #/motions/0/id"]);
        let still = ClipFacts { moving_bones: names(&[]), ..body_clip() };
        assert_eq!(one(r#"{ "id": "avatar:Wag", "roles": ["gesture"] }"#, still), ["N027 note #/motions/0/id"]);
    }

    #[test]
    fn rigs_are_where_they_are_needed() {
        let bare = ClipFacts { has_humanoid: false, moving_bones: names(&[]), suggested_rig: Some("{RIG}".into()), ..body_clip() };
        assert_eq!(one(r#"{ "id": "file:a.fbx", "roles": ["idle"] }"#, bare.clone()), ["N025 error #/motions/0/id"]);
        assert_eq!(one(r#"{ "id": "file:a.glb", "roles": ["idle"] }"#, bare.clone()), ["N026 error #/motions/0/id"]);
        assert_eq!(one(r#"{ "id": "file:a.glb", "roles": ["idle"] }"#, body_clip()), Vec::<String>::new());
        assert_eq!(one(r#"{ "id": "file:a.vrma", "roles": ["idle"], "rig": {} }"#, body_clip()), ["N024 warning #/motions/0/rig"]);
        assert_eq!(one(r#"{ "id": "file:a.glb", "roles": ["idle"], "rig": {} }"#, body_clip()), ["N024 warning #/motions/0/rig"]);
        // A creature has no rig; its clips go by names.
        let creature = ClipFacts { moving: names(&["Tail", "Wing"]), ..bare };
        let said = found("fox.glb", "", &[(r#"{ "id": "file:a.glb", "roles": ["idle"] }"#, creature)], plain());
        assert_eq!(said, ["N028 note #/motions/0/id"]);
    }

    #[test]
    fn rigs_fit_their_file() {
        let rig = r#"{ "id": "file:a.fbx", "roles": ["idle"], "rig": { "bones": { "hips": "Hips", "spine": "Spine" } } }"#;
        let clip = ClipFacts { has_humanoid: false, nodes: names(&["Hips", "Spine1"]), ..body_clip() };
        assert_eq!(one(rig, clip.clone()), ["R006 error #/motions/0/rig/bones/spine"]);
        let sound = ClipFacts { nodes: names(&["Hips", "Spine"]), ..clip };
        assert_eq!(one(rig, sound.clone()), Vec::<String>::new());
        let odd = RigFacts { disorder: vec!["head is not below spine".into()], is_mirrored: true };
        assert_eq!(one(rig, ClipFacts { rig: odd, ..sound.clone() }), ["R008 note #/motions/0/rig/bones"; 2]);
        assert_eq!(one(rig, ClipFacts { moving_bones: names(&["head"]), ..sound }), ["R009 note #/motions/0/rig"]);
        let look = r#""rig": { "bones": { "hips": "nobody" } },"#;
        assert_eq!(found("fox.glb", look, &[], plain()), Vec::<String>::new(), "without facts of the look nothing is known");
    }

    #[test]
    fn looks_without_a_rig_get_one_suggested() {
        let text = r#"{ "avatar": "fox.glb", "rig": { "bones": { "hips": "nobody" } }, "motions": [] }"#;
        for (text, look, wanted) in [
            (text, LookFacts::default(), vec!["R006 error companion-models/fox-model/model.json#/rig/bones/hips"]),
            (
                r#"{ "avatar": "fox.glb", "motions": [] }"#,
                LookFacts { suggested_rig: Some("{}".into()), ..LookFacts::default() },
                vec!["M018 note companion-models/fox-model/model.json#/avatar"],
            ),
        ] {
            let pack = Pack::read(pack(&[(MODEL, text.as_bytes()), ("companion-models/fox-model/fox.glb", GLB)]), &mut Report::default());
            let mut known = Facts::default();
            known.avatars.insert("companion-models/fox-model/fox.glb".into(), plain());
            known.looks.insert(MODEL.into(), look);
            let mut report = Report::default();
            check(&pack, &known, &mut report);
            assert_eq!(lines(report), wanted);
        }
    }

    #[test]
    fn parts_are_the_avatars() {
        let tail = ClipFacts { has_humanoid: false, moving: names(&["Tail"]), part_bones: names(&["Tail"]), ..body_clip() };
        let motion = |ending: &str| format!(r#"{{ "id": "file:a.{ending}", "roles": ["partsIdle"] }}"#);
        assert_eq!(one(&motion("glb"), tail.clone()), ["C022 note #/motions/0/id"]);
        assert_eq!(one(&motion("vrma"), tail.clone())[1..], ["N029 error #/motions/0/id"]);
        let nobody = ClipFacts { moving: names(&["Wing"]), part_bones: names(&["Wing"]), ..tail.clone() };
        assert_eq!(one(&motion("glb"), nobody), ["N030 error #/motions/0/id"]);
        assert_eq!(one(&motion("glb"), ClipFacts { repeated: vec!["A".into()], ..tail })[0], "C015 error #/motions/0/id");
        let doubled = ClipFacts { repeated: vec!["ENDSITE".into()], ..body_clip() };
        assert_eq!(one(r#"{ "id": "file:a.vrma", "roles": ["idle"] }"#, doubled), ["C015 note #/motions/0/id"]);
    }

    #[test]
    fn what_a_clip_file_holds() {
        let motion = r#"{ "id": "file:a.vrma", "roles": ["gesture"], "strokeSeconds": 2.5 }"#;
        let say = |clip: ClipFacts| one(motion, clip);
        assert_eq!(say(ClipFacts { animations: vec!["a".into(), "b".into()], ..body_clip() }), ["C009 note a.vrma#"]);
        assert_eq!(say(ClipFacts { meshes: 1, ..body_clip() }), ["C012 note a.vrma#"]);
        assert_eq!(say(ClipFacts { is_compressed: true, ..body_clip() }), ["C025 note a.vrma#"]);
        assert_eq!(say(ClipFacts { first_key_seconds: 0.5, ..body_clip() }), ["C010 note #/motions/0/id"]);
        assert_eq!(say(ClipFacts { moving_bones: names(&[]), ..body_clip() }), ["C023 note #/motions/0/id"]);
        assert_eq!(say(ClipFacts { duration_seconds: 2.4, ..body_clip() }), ["N037 warning #/motions/0/strokeSeconds"]);
        let pose = ClipFacts { duration_seconds: 0.0, ..body_clip() };
        assert_eq!(one(r#"{ "id": "file:a.vrma", "roles": ["think"] }"#, pose.clone()), ["C011 note #/motions/0/id"]);
        assert_eq!(one(r#"{ "id": "file:a.vrma", "roles": ["leanIn"] }"#, pose), Vec::<String>::new());
    }

    #[test]
    fn loops_close_and_postures_stay() {
        let open = ClipFacts { seam: Some(("head".into(), 6.2)), ..body_clip() };
        let role = |role: &str, clip: &ClipFacts| one(&format!(r#"{{ "id": "file:a.vrma", "roles": ["{role}"] }}"#), clip.clone());
        assert_eq!(role("idle", &open), ["C017 warning #/motions/0/id"]);
        assert_eq!(role("listen", &open), ["C017 note #/motions/0/id"]);
        assert_eq!(role("gesture", &open), Vec::<String>::new());
        assert_eq!(role("idle", &ClipFacts { seam: Some(("head".into(), 1.2)), ..body_clip() }), Vec::<String>::new());
        assert_eq!(role("leanIn", &ClipFacts { change: Some(("hips".into(), 1.9)), ..body_clip() }), ["C020 note #/motions/0/id"]);
        let short = || (r#"{ "id": "file:a.vrma", "roles": ["idle"] }"#, ClipFacts { duration_seconds: 2.9, ..body_clip() });
        assert_eq!(found("fox.vrm", "", &[short(), short()], humanoid()), ["N043 note #/motions/0/id"]);
        assert_eq!(found("fox.vrm", "", &[short()], humanoid()), Vec::<String>::new());
    }

    #[test]
    fn gestures_start_where_the_idle_is() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let pose = |turn: [f64; 4]| vec![("leftUpperArm", turn)];
        let (down, up) = (pose([0.0, 0.0, 0.0, 1.0]), pose([0.0, 0.0, half, half]));
        let idle = (r#"{ "id": "file:a.vrma", "roles": ["idle"] }"#, ClipFacts { poses: [down.clone(), down.clone()], ..body_clip() });
        let wave = |start: &Vec<_>, end: &Vec<_>| {
            (r#"{ "id": "file:a.glb", "roles": ["gesture"] }"#, ClipFacts { poses: [start.clone(), end.clone()], ..body_clip() })
        };
        assert_eq!(found("fox.vrm", "", &[idle.clone(), wave(&down, &down)], humanoid()), Vec::<String>::new());
        assert_eq!(found("fox.vrm", "", &[idle.clone(), wave(&down, &up)], humanoid()), ["C021 note #/motions/1/id"]);
        assert_eq!(found("fox.vrm", "", &[idle, wave(&up, &down)], humanoid()), ["C021 note #/motions/1/id"]);
    }

    #[test]
    fn walks_stay_in_place_and_fit_the_pacing() {
        let walk = |walk: WalkFacts, rest: &str| {
            let clip = ClipFacts { walk: Some(walk), ..body_clip() };
            found("fox.vrm", rest, &[(r#"{ "id": "file:a.vrma", "roles": ["walk"] }"#, clip)], humanoid())
        };
        let good = WalkFacts { speed: 0.5, ..WalkFacts::default() };
        assert_eq!(walk(good.clone(), ""), Vec::<String>::new());
        assert_eq!(walk(WalkFacts { travel: 0.021, ..good.clone() }, ""), ["C018 warning #/motions/0/id"]);
        assert_eq!(walk(WalkFacts { why: Some("no".into()), speed: 0.0, ..good.clone() }, ""), ["C019 warning #/motions/0/id"]);
        assert_eq!(walk(WalkFacts { speed: 0.71, ..good.clone() }, ""), ["C019 warning #/motions/0/id"]);
        assert_eq!(walk(WalkFacts { speed: 0.71, ..good.clone() }, r#""pacing": { "speed": 0.4 },"#), Vec::<String>::new());
        assert_eq!(walk(WalkFacts { heading_degrees: -31.0, ..good }, ""), ["T001 warning #/motions/0/id"]);
    }
}
