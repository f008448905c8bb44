//! `new`: a pack to start from. What the avatar and the clips tell is filled in; what only the author knows is what the check then names.

use super::{CheckJob, Finished, NewJob, Run, check, live2d, read, shown};
use crate::clip::retarget::Body;
use crate::clip::{Clip, suggest};
use crate::disk::{self, Ignore, Tree};
use crate::gltf::Document;
use crate::live2d::bundle;
use crate::pack::{MOST_GESTURES, MOST_MOTIONS};
use crate::report::{Finding, Place, Report, code};
use crate::spelling::slug;
use crate::vrm;
use crate::vrm::refs::TABLE;
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Beginnings of the words in a clip's name, and the role that they tell; the first that fits.
#[rustfmt::skip]
const WORDS: [(&str, &[&str]); 8] = [
    ("walk", &["walk"]),
    ("talkIdle", &["talk", "speak", "chat"]),
    ("listen", &["listen"]),
    ("think", &["think", "ponder"]),
    ("leanIn", &["lean"]),
    ("postureShift", &["shift", "sway", "posture"]),
    ("reaction", &["react", "laugh", "surpris", "shock", "cheer", "cry", "angry", "clap"]),
    ("idle", &["idle", "stand", "breath", "rest", "wait", "loop"]),
];
/// Any other movement.
const GESTURE: &str = "gesture";

/// A file of the pack, its place in the look's folder and its bytes.
type Copied = (String, Bytes);

/// `new DIR --avatar FILE`: the findings are those of a check of what was written.
pub fn pack(job: &NewJob, run: &Run) -> Finished {
    let mut report = Report::default();
    let files = filled(job, &mut report).filter(|_| is_free(&job.folder, &mut report));
    let is_written = files.is_some_and(|files| {
        files.iter().all(|(path, bytes)| {
            let written = disk::write_atomic(&job.folder.join(path), bytes);
            written
                .map_err(|error| report.add(Finding::new(&code::Z003, Place::file(path), error.to_string()).hint(code::Z003.remedy)))
                .is_ok()
        })
    });
    if is_written {
        let mut finished = check(&CheckJob { packs: vec![job.folder.clone()], previous: None, fix: false }, run);
        finished.outcome.command = "new".into();
        return finished;
    }
    let (settings, found) = run.choices.settings(None);
    report.merge(found);
    let mut finished = Finished::new("new");
    finished.add(report, None, &settings, run.strict);
    finished
}

/// Nothing is written over.
fn is_free(folder: &Path, report: &mut Report) -> bool {
    let is_empty = !disk::exists(folder)
        || disk::is_folder(folder) && Tree::open(folder, &Ignore::nothing()).is_ok_and(|tree| tree.files().next().is_none());
    if !is_empty {
        let message = "there is something at this place already; nothing was written";
        report.add(
            Finding::new(&code::Z003, Place::file(shown(folder)), message).hint("Name a folder that does not exist yet, or an empty one."),
        );
    }
    is_empty
}

/// All files of the pack, by their paths in it.
fn filled(job: &NewJob, report: &mut Report) -> Option<Vec<Copied>> {
    let name = stem(&job.avatar);
    let bytes = read(&job.avatar, report)?;
    let avatar = avatar(&bytes, &shown(&job.avatar), report)?;
    let file = format!("{}.{}", slug(&name), avatar.ending);
    let mut files = vec![(file.clone(), bytes)];
    let mut motions = Vec::new();
    let mut taken = BTreeSet::from([file.clone()]);
    for clip in &job.clips {
        let bytes = read(clip, report)?;
        let (ending, rig) = rig_of_clip(&bytes, clip);
        let wanted = slug(&stem(clip));
        let mut numbers = 1..;
        let number = |n: u32| if n == 1 { format!("{wanted}.{ending}") } else { format!("{wanted}-{n}.{ending}") };
        let path = numbers.find_map(|n| Some(number(n)).filter(|path| taken.insert(path.clone())))?;
        motions.push(motion(&format!("file:{path}"), &stem(clip), rig));
        files.push((path, bytes));
    }
    let motions = if motions.is_empty() { avatar.motions } else { motions };
    let mut model = serde_json::Map::new();
    model.insert("name".into(), title(&name).into());
    model.insert("avatar".into(), file.into());
    model.extend(avatar.rig.map(|rig| ("rig".into(), rig)));
    model.insert("motions".into(), few(motions).into());
    let key = slug(&name);
    let mut text = serde_json::to_string_pretty(&model).unwrap_or_default();
    text.push('\n');
    let readme = format!("# {}\n", title(&name));
    let folder = format!("companion-models/{key}");
    let named = [("readme.md".to_owned(), readme.into()), (format!("{folder}/model.json"), text.into())];
    Some(named.into_iter().chain(files.into_iter().map(|(path, bytes)| (format!("{folder}/{path}"), bytes))).collect())
}

/// What an avatar tells of its look.
struct Avatar {
    /// Of its file.
    ending: &'static str,
    rig: Option<Value>,
    /// Its own.
    motions: Vec<Value>,
}

fn avatar(bytes: &Bytes, file: &str, report: &mut Report) -> Option<Avatar> {
    if live2d::is_zip(bytes) {
        let bundle = bundle::open(bytes, file, report)?;
        let motions = bundle.motions.keys().map(|path| motion(&format!("avatar:{path}"), &stem(Path::new(path)), None)).collect();
        return Some(Avatar { ending: "zip", rig: None, motions });
    }
    if !bytes.starts_with(b"glTF") {
        let message = "this is neither a VRM or GLB nor the zip of a Live2D model";
        report.add(Finding::new(&code::D001, Place::file(file), message).hint("Export the avatar as .vrm, .glb or .zip."));
        return None;
    }
    let document = Document::read(bytes, file, &TABLE, report)?;
    let is_vrm = vrm::version(&document).is_some();
    let rig = if is_vrm { None } else { suggest::rig(&Body::of(&document, None).skeleton) };
    let names = document.list("animations").iter().filter_map(|animation| animation.get("name").and_then(Value::as_str));
    let motions = names.map(|name| motion(&format!("avatar:{name}"), name, None)).collect();
    Some(Avatar { ending: if is_vrm { "vrm" } else { "glb" }, rig: rig.as_ref().map(suggest::json), motions })
}

/// The ending of a clip's file, and the rig that it takes. What is wrong with it the check will say.
fn rig_of_clip(bytes: &Bytes, path: &Path) -> (String, Option<Value>) {
    let given = path.extension().map_or_else(String::new, |ending| ending.to_string_lossy().to_ascii_lowercase());
    let mut unsaid = Report::default();
    let Some(clip) = Clip::read(bytes, &shown(path), &mut Report::default(), &mut unsaid) else { return (given, None) };
    let rig = suggest::rig(&clip.skeleton).filter(|_| !clip.has_humanoid);
    let ending = match given.as_str() {
        "vrm" | "gltf" => "glb",
        other => other,
    };
    (ending.to_owned(), rig.as_ref().map(suggest::json))
}

fn motion(id: &str, name: &str, rig: Option<Value>) -> Value {
    let words: Vec<String> = title(name).to_lowercase().split(' ').map(str::to_owned).collect();
    let is_said = |starts: &[&str]| words.iter().any(|word| starts.iter().any(|start| word.starts_with(start)));
    let role = WORDS.iter().find(|(_, starts)| is_said(starts)).map_or(GESTURE, |(role, _)| role);
    let name: String = title(name).chars().take(60).collect();
    let mut motion = json!({ "id": id, "roles": [role], "name": name, "description": name });
    if let Some(rig) = rig {
        motion["rig"] = rig;
    }
    motion
}

/// As many as the format allows.
fn few(motions: Vec<Value>) -> Vec<Value> {
    let mut gestures = 0;
    let fits = |motion: &Value| {
        let is_gesture = motion["roles"][0] == GESTURE;
        gestures += usize::from(is_gesture);
        !is_gesture || gestures <= MOST_GESTURES
    };
    motions.into_iter().filter(fits).take(MOST_MOTIONS).collect()
}

/// The name of a file without folders and endings (`wave.motion3.json` has two).
fn stem(path: &Path) -> String {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let known =
        |name: &str| name.rsplit_once('.').filter(|(stem, ending)| !stem.is_empty() && ending.len() <= 7).map(|(stem, _)| stem.to_owned());
    let once = known(&name).unwrap_or(name);
    once.strip_suffix(".motion3").map(str::to_owned).unwrap_or(once)
}

/// A name as people write it: `talk_idle-01` and `talkIdle-01` are `Talk idle 01`.
fn title(name: &str) -> String {
    let mut spaced = String::new();
    let mut last = ' ';
    for c in name.chars() {
        let begins = c.is_uppercase() && last.is_lowercase();
        if (begins || !c.is_alphanumeric()) && !spaced.ends_with(' ') {
            spaced.push(' ');
        }
        if c.is_alphanumeric() {
            spaced.extend(c.to_lowercase());
        }
        last = c;
    }
    let spaced = spaced.trim();
    let mut letters = spaced.chars();
    letters.next().map_or_else(|| "Look".into(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_as_people_write_them() {
        for (name, wanted) in
            [("talk_idle-01", "Talk idle 01"), ("talkIdle-v2", "Talk idle v2"), ("HIPS", "Hips"), ("__", "Look"), ("手を振る", "手を振る")]
        {
            assert_eq!(title(name), wanted);
        }
        assert_eq!(stem(Path::new("a/Wave.motion3.json")), "Wave");
        assert_eq!(stem(Path::new("idle.v2.vrma")), "idle.v2");
    }

    #[test]
    fn roles_by_the_words_of_a_name() {
        let roles = |name: &str| motion("file:a.vrma", name, None)["roles"].clone();
        for (name, role) in [
            ("talk-idle", "talkIdle"),
            ("Idle_Neutral", "idle"),
            ("standing", "idle"),
            ("WalkCycle", "walk"),
            ("laughing", "reaction"),
            ("LeanForward", "leanIn"),
            ("wave", "gesture"),
            // No word of it begins with "rest".
            ("arrested", "gesture"),
        ] {
            assert_eq!(roles(name), json!([role]), "{name}");
        }
    }

    #[test]
    fn no_more_than_the_format_allows() {
        let all: Vec<Value> =
            (0..40).map(|n| motion(&format!("avatar:{n}"), "wave", None)).chain([motion("avatar:i", "idle", None)]).collect();
        let kept = few(all);
        assert_eq!((kept.len(), &kept[30]["id"]), (31, &json!("avatar:i")));
    }
}
