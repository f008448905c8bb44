//! Pictures of a document: format, size, memory, and what each is for.

use crate::build::outcome::Texture;
use crate::codec::image::{self, Kind};
use crate::gltf::refs::Use;
use crate::gltf::{Document, index_in, index_of};
use crate::report::{Finding, Place, Report, code};
use crate::vrm::refs::TABLE;
use serde_json::Value;
use std::collections::BTreeSet;

/// Every image of the document.
pub fn textures(document: &Document, file: &str, report: &mut Report) -> Vec<Texture> {
    let Uses { words, shown } = uses(document);
    let images = document.list("images").iter().enumerate();
    images
        .map(|(index, image)| {
            let view = index_in(image, "bufferView").and_then(|view| document.blobs.get(view));
            let bytes = view.map_or(&[][..], |blob| &blob.bytes);
            let texture = picture(bytes, Place::file(file).at(format!("/images/{index}")), report);
            let name = image.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let memory = if shown.contains(&index) { texture.memory } else { 0 };
            let uses = words[index].iter().map(|word| word.to_string()).collect();
            Texture { index, name, memory, uses, ..texture }
        })
        .collect()
}

/// What the head of a picture says. One that is damaged is a finding at `place`; its size is then 0.
pub fn picture(bytes: &[u8], place: Place, report: &mut Report) -> Texture {
    let mut texture = Texture { format: format(Kind::of(bytes)).into(), bytes: bytes.len() as u64, ..Texture::default() };
    match image::info(bytes) {
        Ok(info) => {
            texture.format = info.kind.map_or("tga", |kind| format(Some(kind))).into();
            (texture.width, texture.height) = (info.width, info.height);
            // Four bytes a pixel, and a third more for the mipmaps.
            texture.memory = u64::from(info.width) * u64::from(info.height) * 4 * 4 / 3;
        }
        // Known, but not opened.
        Err(image::Error::Kind(_)) if texture.format != "unknown" => {}
        Err(error) => {
            report.add(Finding::new(&code::S002, place.clone(), error.to_string()).hint(code::S002.remedy));
        }
    }
    if texture.format == "ktx2"
        && let Ok(header) = image::ktx2(bytes)
    {
        (texture.encoding, texture.levels, texture.memory) = (Some(header.encoding), Some(header.levels), header.memory);
    }
    texture
}

fn format(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(Kind::Png) => "png",
        Some(Kind::Jpeg) => "jpeg",
        Some(Kind::Webp) => "webp",
        Some(Kind::Ktx2) => "ktx2",
        Some(Kind::Gif) => "gif",
        Some(Kind::Bmp) => "bmp",
        Some(Kind::Avif) => "avif",
        Some(Kind::Dds) => "dds",
        None => "unknown",
    }
}

struct Uses {
    /// For each image, what it is for.
    words: Vec<BTreeSet<&'static str>>,
    /// Images that go to the graphics card.
    shown: BTreeSet<usize>,
}

fn uses(document: &Document) -> Uses {
    let count = document.list("images").len();
    let mut uses = Uses { words: vec![BTreeSet::new(); count], shown: BTreeSet::new() };
    TABLE.visit(&document.json, &mut |row, _, value| {
        let Some(index) = index_of(value) else { return };
        let word = match (row.texture, row.path) {
            (_, "extensions/VRM/meta/texture" | "extensions/VRMC_vrm/meta/thumbnailImage") => "thumbnail",
            (Some(Use::Color), _) => "color",
            (Some(Use::Normal), _) => "normal",
            (Some(Use::Data), _) => "data",
            // Pictures that an extension names without a texture.
            (None, path) if row.list == "images" && !path.starts_with("textures/") => "data",
            (None, _) => return,
        };
        let images = if row.list == "images" { vec![index] } else { document.list("textures").get(index).map_or_else(Vec::new, sources) };
        for (n, image) in images.into_iter().enumerate().filter(|(_, image)| *image < count) {
            uses.words[image].insert(word);
            if n == 0 && word != "thumbnail" {
                uses.shown.insert(image);
            }
        }
    });
    uses
}

/// The images of a texture, the one that three.js takes first.
fn sources(texture: &Value) -> Vec<usize> {
    let extension = |name: &str| texture.get("extensions").and_then(|e| e.get(name)).and_then(|e| index_in(e, "source"));
    let names = ["KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds"];
    let mut all: Vec<usize> = names.into_iter().filter_map(extension).collect();
    // Clients do not read DDS: there the plain picture comes first.
    let at = all.len() - usize::from(extension("MSFT_texture_dds").is_some());
    if let Some(plain) = index_in(texture, "source") {
        all.insert(at, plain);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::image::Picture;
    use crate::gltf::Blob;
    use serde_json::json;

    #[test]
    fn each_picture_by_its_content() {
        let mut document = Document::default();
        let png = image::encode_png(&Picture { width: 6, height: 2, channels: 3, pixels: vec![9; 36] }).unwrap();
        let size = png.len() as u64;
        document.add_view(Blob { bytes: png.into(), packed: None }, json!({}));
        document.add_view(Blob { bytes: b"\x89PNG\r\n\x1a\ncut".to_vec().into(), packed: None }, json!({}));
        document.add_view(Blob { bytes: b"GIF89a".to_vec().into(), packed: None }, json!({}));
        for view in [0, 0, 0, 1, 2] {
            document.add("images", json!({"bufferView": view, "mimeType": "image/jpeg"}));
        }
        document.add("textures", json!({"source": 0, "extensions": {"EXT_texture_webp": {"source": 1}}}));
        document.add("textures", json!({"source": 2}));
        document.add("textures", json!({"source": 3}));
        document
            .add("materials", json!({"normalTexture": {"index": 0}, "emissiveTexture": {"index": 0}, "occlusionTexture": {"index": 2}}));
        document.json.insert("extensions".into(), json!({"VRM": {"meta": {"texture": 1}}}));
        let mut report = Report::default();
        let found = textures(&document, "a.vrm", &mut report);
        let row = |t: &Texture| (t.format.clone(), t.width, t.height, t.bytes, t.memory, t.uses.join(" "));
        let known = |memory: u64, uses: &str| ("png".to_string(), 6, 2, size, memory, uses.to_string());
        let empty = |format: &str, bytes: u64, uses: &str| (format.to_string(), 0, 0, bytes, 0, uses.to_string());
        assert_eq!(
            found.iter().map(row).collect::<Vec<_>>(),
            [known(0, "color normal"), known(64, "color normal"), known(0, "thumbnail"), empty("png", 11, "data"), empty("gif", 6, ""),]
        );
        let places: Vec<(&str, &str)> = report.findings.iter().map(|f| (f.code.id, f.place.pointer.as_str())).collect();
        assert_eq!(places, [("S002", "/images/3")]);
    }
}
