//! `inspect`: what is inside files, each told by its content and not by its name.

mod document;
pub mod geometry;
mod live2d;
mod motion;
pub mod textures;

use super::outcome::{File, Finding as Shown, Sizes};
use super::{Finished, InspectJob, Run, shown};
use crate::codec::image;
use crate::disk;
use crate::parallel::{self, Budget};
use crate::report::{Finding, Place, Report, code, progress::Task};
use bytes::Bytes;
use std::path::Path;

/// The most bytes of files that are open at once; a larger one is opened alone.
const OPEN_BYTES: u64 = 192 << 20;

/// `inspect FILE...`
pub fn files(job: &InspectJob, run: &Run) -> Finished {
    let (settings, mut report) = run.choices.settings(None);
    let mut finished = Finished::new("inspect");
    let open = Budget::new(OPEN_BYTES);
    run.progress.expect(job.files.len(), 0);
    let (done, findings) = parallel::map(
        &job.files,
        |path| shown(path),
        |path, report| {
            let _share = open.take(disk::size(path).unwrap_or(0));
            let name = shown(path);
            let task = Task::start(run.progress, &name);
            task.step("reading");
            let (file, findings) = parallel::guarded(|| shown(path), |report| one(path, report));
            if let Some(Some(file)) = &file {
                let mut judged = findings.clone();
                settings.apply_severities(run.strict, &mut judged);
                judged.sort();
                run.listener.file_done(file, &judged.findings.iter().map(Shown::from).collect::<Vec<_>>());
            }
            report.merge(findings);
            file.flatten()
        },
    );
    report.merge(findings);
    if let Some(picture) = &job.picture {
        report.merge(live2d::draw(&job.files, picture));
    }
    finished.add(report, None, &settings, run.strict);
    finished.outcome.files = Some(done.into_iter().flatten().flatten().collect());
    finished
}

/// Looks at one file; `None` when it cannot be read.
fn one(path: &Path, report: &mut Report) -> Option<File> {
    let name = shown(path);
    match disk::read_file(path) {
        Ok(bytes) => Some(inspect(&bytes, &name, report)),
        Err(error) => {
            report.add(Finding::new(&code::Z002, Place::file(name), error.to_string()).hint(code::Z002.remedy));
            None
        }
    }
}

/// Everything that is known of a file with these contents. What is damaged has its path, its size and findings.
pub fn inspect(bytes: &Bytes, file: &str, report: &mut Report) -> File {
    let mut found = File { path: file.into(), bytes: bytes.len() as u64, ..File::default() };
    let text = bytes.trim_ascii_start();
    let named = |ending: &str| file.rsplit_once('.').is_some_and(|(_, own)| own.eq_ignore_ascii_case(ending));
    let is_fbx = bytes.starts_with(b"Kaydara FBX Binary") || text.starts_with(b"; FBX") || text.starts_with(b";FBX");
    let is_zip = bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06");
    if is_zip && names_a_live2d_model(bytes) {
        live2d::fill(&mut found, bytes, report);
    } else if is_fbx {
        motion::fbx(&mut found, bytes, report);
    } else if is_zip {
        found.kind = Some("zip".into());
        report.add(Finding::new(&code::Z005, Place::file(file), "the file is recognised as zip; what is in it is not told yet"));
    } else if image::Kind::of(bytes).is_some() || named("tga") {
        let texture = textures::picture(bytes, Place::file(file), report);
        found.kind = Some(texture.format.clone());
        found.sizes = Some(Sizes { textures: found.bytes, ..Sizes::default() });
        found.texture_memory = Some(texture.memory);
        found.textures = Some(vec![texture]);
    } else {
        document::fill(&mut found, bytes, report);
    }
    found
}

/// A zip has the names of its files in clear.
fn names_a_live2d_model(zip: &[u8]) -> bool {
    const ENDING: &[u8] = b".model3.json";
    zip.windows(ENDING.len()).any(|window| window[0] == b'.' && window.eq_ignore_ascii_case(ENDING))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::image::Picture;

    fn inspected(bytes: &[u8], name: &str) -> (File, Vec<&'static str>) {
        let mut report = Report::default();
        let file = inspect(&Bytes::copy_from_slice(bytes), name, &mut report);
        (file, report.findings.iter().map(|finding| finding.code.id).collect())
    }

    #[test]
    fn kinds_by_content() {
        for (bytes, kind, code) in [
            (&b"Kaydara FBX Binary  \0"[..], "fbx", "C014"),
            (b"; FBX 7.7.0 project file", "fbx", "C014"),
            (b"PK\x03\x04....hello.txt", "zip", "Z005"),
        ] {
            let (file, codes) = inspected(bytes, "a.vrm");
            assert_eq!((file.kind.as_deref(), codes), (Some(kind), vec![code]));
            let sizes = (kind == "fbx").then(|| Sizes { other: bytes.len() as u64, ..Sizes::default() });
            assert_eq!((file.bytes, file.sizes), (bytes.len() as u64, sizes));
        }
        let (file, codes) = inspected(b"PK\x03\x04....Hiyori.model3.json", "a.vrm");
        assert_eq!((file.kind.as_deref(), codes), (Some("live2d"), vec!["L001"]));
        let (file, codes) = inspected(b"not at all", "a.vrm");
        assert_eq!((file.kind, file.bytes, codes), (None, 10, vec!["D001"]));
        let (file, codes) = inspected(b"glTF\x02\0\0\0", "a.vrm");
        assert_eq!((file.kind.as_deref(), codes), (Some("glb"), vec!["D001"]));
    }

    #[test]
    fn a_picture_is_one_texture() {
        let png = image::encode_png(&Picture { width: 2, height: 3, channels: 3, pixels: vec![1; 18] }).unwrap();
        let (file, codes) = inspected(&png, "a.png");
        let texture = &file.textures.unwrap()[0];
        assert_eq!((file.kind.as_deref(), texture.width, texture.height, file.texture_memory), (Some("png"), 2, 3, Some(32)));
        assert_eq!((file.sizes.unwrap().textures, codes), (png.len() as u64, vec![]));
        assert_eq!(inspected(b"\x89PNG\r\n\x1a\n", "a.png").1, ["S002"]);
        assert_eq!(inspected(b"nothing", "a.tga").1, ["S002"]);
    }
}
