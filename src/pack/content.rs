//! Whether the files that the manifests name are what their names say.

use super::package::{ending_of, has_ending};
use super::references::{Found, Kind};
use super::{Facts, Pack, Reference, manifest};
use crate::codec::image;
use crate::disk;
use crate::report::{Code, Finding, Place, Report, Severity, code};
use std::collections::BTreeSet;

/// As many bytes as it takes to know every format.
const START: usize = 64;

/// What a file is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Glb,
    Fbx,
    Zip,
    Picture(image::Kind),
    Json,
    Unknown,
}

impl Format {
    fn of(start: &[u8]) -> Self {
        let text = start.trim_ascii_start();
        if start.starts_with(b"glTF") {
            Self::Glb
        } else if start.starts_with(b"Kaydara FBX Binary") || text.starts_with(b"; FBX") || text.starts_with(b";FBX") {
            Self::Fbx
        } else if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            Self::Zip
        } else if let Some(kind) = image::Kind::of(start) {
            Self::Picture(kind)
        } else if text.starts_with(b"{") {
            Self::Json
        } else {
            Self::Unknown
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Glb => "a GLB",
            Self::Fbx => "an FBX",
            Self::Zip => "a zip",
            Self::Picture(image::Kind::Png) => "a PNG",
            Self::Picture(image::Kind::Jpeg) => "a JPEG",
            Self::Picture(image::Kind::Webp) => "a WebP",
            Self::Picture(image::Kind::Gif) => "a GIF",
            Self::Picture(image::Kind::Bmp) => "a BMP",
            Self::Picture(image::Kind::Avif) => "an AVIF",
            Self::Picture(image::Kind::Ktx2) => "a KTX2",
            Self::Picture(image::Kind::Dds) => "a DDS",
            Self::Json => "JSON text",
            Self::Unknown => "of no format known here",
        }
    }
}

/// The endings that a kind of file may have, each with the format that it stands for.
fn allowed(kind: Kind) -> &'static [(&'static str, Format)] {
    const PICTURES: &[(&str, Format)] = &[
        ("png", Format::Picture(image::Kind::Png)),
        ("jpg", Format::Picture(image::Kind::Jpeg)),
        ("jpeg", Format::Picture(image::Kind::Jpeg)),
        ("webp", Format::Picture(image::Kind::Webp)),
    ];
    match kind {
        Kind::Avatar => &[("vrm", Format::Glb), ("glb", Format::Glb), ("zip", Format::Zip)],
        Kind::Clip => &[("vrma", Format::Glb), ("glb", Format::Glb), ("fbx", Format::Fbx)],
        Kind::ItemModel => &[("glb", Format::Glb)],
        Kind::Thumbnail | Kind::Background => PICTURES,
    }
}

/// The rule that speaks of a file whose ending is not allowed; pictures are judged by their content alone.
pub(super) fn ending_rule(kind: Kind) -> Option<&'static Code> {
    match kind {
        Kind::Avatar => Some(&code::M004),
        Kind::Clip => Some(&code::N010),
        Kind::ItemModel => Some(&code::I004),
        Kind::Thumbnail | Kind::Background => None,
    }
}

/// True when the name of a file ends as one of this kind may, in any case.
pub(super) fn has_right_ending(kind: Kind, path: &str) -> bool {
    allowed(kind).iter().any(|(ending, _)| has_ending(path, ending))
}

/// M004, N010 or I004 for the ending of a named file; a note when it is allowed but not in lower case.
pub(super) fn check_ending(reference: &Reference, report: &mut Report) {
    let Some(code) = ending_rule(reference.kind) else { return };
    let ending = ending_of(&reference.written);
    let endings = allowed(reference.kind).iter().map(|(ending, _)| *ending);
    let is_plain = !matches!(reference.found, Found::NotPlain(_));
    if !is_plain || endings.clone().any(|allowed| allowed == ending) {
        return;
    }
    let word = reference.kind.word();
    let mut finding;
    if endings.clone().any(|allowed| allowed.eq_ignore_ascii_case(ending)) {
        finding = Finding::new(code, reference.place.clone(), format!("the ending .{ending} is not written in lower case"));
        finding.severity = Severity::Note;
    } else {
        let all = endings.map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ");
        let message = format!("{word} \"{}\" does not end in any of: {all}", reference.written);
        finding = Finding::new(code, reference.place.clone(), message);
        finding.hint = code.remedy.into();
    }
    report.add(finding);
}

/// True for what Git LFS leaves in place of a file that was not fetched.
pub(super) fn is_lfs_pointer(start: &[u8]) -> bool {
    start.starts_with(b"version https://git-lfs.github.com/spec/")
}

/// P009 for every file; P010, M006, M008, I012 and H017 for those that a manifest names.
pub(super) fn check(pack: &Pack, _: &Facts, report: &mut Report) {
    let mut hollow = BTreeSet::new();
    for (path, file) in pack.tree.files() {
        let message = match file.size {
            _ if file.kind != disk::Kind::File => continue,
            0 => "the file is empty",
            ..1024 if pack.tree.read_start(path, START).is_ok_and(|start| is_lfs_pointer(&start)) => {
                "the file is a Git LFS pointer, not the file itself"
            }
            _ => continue,
        };
        hollow.insert(path);
        report.add(Finding::new(&code::P009, Place::file(path), message).hint(code::P009.remedy));
    }
    let mut done = BTreeSet::new();
    for reference in &pack.references {
        let Some(path) = reference.target().filter(|path| !hollow.contains(path)) else { continue };
        if pack.tree.get(path).is_none_or(|file| file.kind != disk::Kind::File) || !done.insert((path, reference.kind)) {
            continue;
        }
        match pack.tree.read_start(path, START) {
            Ok(start) => named_file(pack, reference, path, Format::of(&start), report),
            Err(error) => report.add(Finding::new(&code::Z002, Place::file(path), error.to_string()).hint(code::Z002.remedy)),
        }
    }
}

fn named_file(pack: &Pack, reference: &Reference, path: &str, format: Format, report: &mut Report) {
    let ending = ending_of(path).to_ascii_lowercase();
    let allowed = allowed(reference.kind);
    let by_name = allowed.iter().find(|(name, _)| *name == ending).map(|(_, format)| *format);
    if by_name == Some(format) || by_name.is_none() && ending_rule(reference.kind).is_some() {
        // A picture's ending in capitals is worth a note; those of the others have their own rules.
        if ending_rule(reference.kind).is_none() && ending != ending_of(path) {
            let message = format!("the ending .{} is not written in lower case", ending_of(path));
            let mut finding = Finding::new(&code::P010, Place::file(path), message);
            finding.severity = Severity::Note;
            report.add(finding);
        }
        return;
    }
    if let Some((right, _)) = allowed.iter().find(|(_, allowed)| *allowed == format) {
        let message = format!("the name ends in .{ending}, but the file is {}", format.words());
        report.add(Finding::new(&code::P010, Place::file(path), message).hint(format!("Rename it so that it ends in .{right}.")));
        return;
    }
    let code = match (reference.kind, pack.manifests[reference.manifest].kind) {
        (Kind::Background, _) => &code::M008,
        (Kind::Thumbnail, manifest::Kind::Model) => &code::M006,
        (Kind::Thumbnail, manifest::Kind::Item) => &code::I012,
        (Kind::Thumbnail, manifest::Kind::Character) => &code::H017,
        _ => {
            let message = format!("the name ends in .{ending}, but the file is {}", format.words());
            let mut finding = Finding::new(&code::P010, Place::file(path), message).hint(code::P010.remedy);
            finding.severity = Severity::Error;
            report.add(finding);
            return;
        }
    };
    let message = format!("the {} is {}, not a PNG, JPEG or WebP", reference.kind.word(), format.words());
    report.add(Finding::new(code, reference.place.clone(), message).hint(code.remedy));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{ATTACH, GLB, JPEG, PNG, check};

    const FOLDER: &str = "companion-models/fox-model";

    #[test]
    fn hollow_files_are_named_once() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n".as_slice();
        let (avatar, thumb, model) = (format!("{FOLDER}/fox.vrm"), format!("{FOLDER}/thumb.png"), format!("{FOLDER}/model.json"));
        assert_eq!(check(&[(&avatar, b"")]), [format!("P009 error {avatar}#")]);
        assert_eq!(check(&[(&thumb, pointer)]), [format!("P009 error {thumb}#")]);
        assert_eq!(check(&[(&model, b""), ("companion-characters/fox/character.json", b"-")]), [format!("P009 error {model}#")]);
    }

    #[test]
    fn content_is_what_the_name_says() {
        let (avatar, thumb, clip) = (format!("{FOLDER}/fox.vrm"), format!("{FOLDER}/thumb.png"), format!("{FOLDER}/idle.vrma"));
        assert_eq!(check(&[(&thumb, JPEG)]), [format!("P010 warning {thumb}#")]);
        assert_eq!(check(&[(&thumb, b"GIF89a")]), [format!("M006 error {FOLDER}/model.json#/thumbnail")]);
        assert_eq!(check(&[(&avatar, b"PK\x03\x04")]), [format!("P010 warning {avatar}#")]);
        assert_eq!(check(&[(&avatar, PNG)]), [format!("P010 error {avatar}#")]);
        assert_eq!(check(&[(&clip, b"Kaydara FBX Binary  \0")]), [format!("P010 warning {clip}#")]);
        assert_eq!(check(&[(&clip, b"{\"asset\": {}}")]), [format!("P010 error {clip}#")]);
        assert_eq!(check(&[("companion-items/mug/mug.glb", b"PK\x03\x04")]), ["P010 error companion-items/mug/mug.glb#"]);
    }

    #[test]
    fn every_thumbnail_has_its_own_rule() {
        let item = format!(r#"{{ "name": "Mug", "model": "mug.GLB", "thumbnail": "t.JPG", {ATTACH}"#);
        let found = check(&[
            ("companion-items/mug/item.json", item.as_bytes()),
            ("companion-items/mug/mug.glb", b"-"),
            ("companion-items/mug/mug.GLB", GLB),
            ("companion-items/mug/t.JPG", JPEG),
        ]);
        assert_eq!(found, ["I004 note companion-items/mug/item.json#/model", "P010 note companion-items/mug/t.JPG#"]);
        let character = br#"{ "name": "n", "vibe": "v", "soul": "s", "instructions": "i", "look": "fox-model", "thumbnail": "t.png" }"#;
        let files = [("companion-characters/fox/character.json", character.as_slice()), ("companion-characters/fox/t.png", b"text")];
        assert_eq!(check(&files), ["H017 error companion-characters/fox/character.json#/thumbnail"]);
    }
}
