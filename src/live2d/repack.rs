//! A look packed anew: the same pixels and the same values in fewer bytes, under names that every reader understands.
//!
//! The .moc3 and whatever is not known here keep their bytes. Textures are compressed again without loss, JSON loses the space between its values, and
//! what the model does not use stays behind. Entries are named as the .model3.json names them, in UTF-8, sorted, without times.

use super::bundle::{Bundle, ends_with, is_text};
use super::json;
use super::model::Role;
use crate::codec::image::{self, Scaling};
use crate::codec::{png, zip};
use crate::disk::cache::{Cache, Recipe};
use crate::parallel::{self, Budget};
use crate::report::{Finding, Place, Report, code};
use bytes::Bytes;

/// What may be done to a look.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How much is tried to make a texture smaller, 0 to 6.
    pub effort: u8,
    /// Longest side of a texture in pixels; 0 = no cap.
    pub max_texture_size: u32,
    /// The motions that are played beside those of the .model3.json, by their path from the model's folder; `None` = all.
    pub motions: Option<&'a [String]>,
    /// Bounds the decoded pixels alive at once, over all files.
    pub pictures: &'a Budget,
    /// Keeps what was worked out.
    pub cache: &'a Cache,
}

/// True when every file that the model names is there, at least but for case and accents, so that packing anew leaves a whole model.
pub fn is_whole(bundle: &Bundle) -> bool {
    bundle.moc.is_some() && bundle.model.references().iter().all(|(_, path)| bundle.named.values().any(|(own, _)| own == path))
}

/// Packs a whole look anew; `None` when that gains nothing, or when something cannot be read after all. `file` is how the report calls it.
pub fn repack(bundle: &Bundle, before: &[u8], file: &str, options: Options, report: &mut Report) -> Option<Bytes> {
    let entries = &bundle.archive.entries;
    let kept: Vec<(usize, String, Option<Role>)> = (0..entries.len()).filter_map(|index| kept(bundle, index, options)).collect();
    let (packed, findings) = parallel::map(
        &kept,
        |(index, _, _)| format!("{file}: {}", entries[*index].name),
        |(index, name, role), report| {
            let contents = bundle.archive.unpack(&entries[*index]).ok()?;
            let contents = match role {
                Some(Role::Texture(_)) => {
                    let recipe =
                        || Recipe::new("live2d texture").and_data(&(options.effort, options.max_texture_size, name, file)).and(&contents);
                    let made = options
                        .cache
                        .through(recipe, report, |report| Some(((), Bytes::from(texture(contents.clone(), name, file, options, report)))));
                    made.map_or(contents.clone(), |((), bytes, _)| bytes.into())
                }
                _ if ends_with(name, ".json") => json::compact(&contents).unwrap_or(contents),
                _ => contents,
            };
            Some(zip::pack(name, &Bytes::from(contents)))
        },
    );
    let is_scaled = findings.findings.iter().any(|finding| finding.code.id == code::S012.id);
    report.merge(findings);
    let packed: Option<Vec<zip::Packed>> = packed.into_iter().map(Option::flatten).collect();
    let bytes = zip::assemble(packed?).ok()?;
    // What needs no mending ships as it is when it is not smaller now.
    let files = entries.iter().filter(|entry| !entry.is_folder()).count();
    let is_good =
        files == kept.len() && kept.iter().all(|(index, name, _)| entries[*index].name == *name && entries[*index].has_plain_name());
    if is_good && bytes.len() >= before.len() && !is_scaled {
        let message = "packed anew it is not smaller; it ships as it is";
        report.add(Finding::new(&code::S004, Place::file(file), message).hint(code::S004.remedy));
        return None;
    }
    Some(bytes.into())
}

/// The entry with the name that it gets and what it is; `None` when the model does not use it.
fn kept(bundle: &Bundle, index: usize, options: Options) -> Option<(usize, String, Option<Role>)> {
    let name = &bundle.archive.entries[index].name;
    if let Some((path, role)) = bundle.named.get(&index) {
        return Some((index, format!("{}{path}", bundle.folder), Some(*role)));
    }
    let inside = name.strip_prefix(bundle.folder.as_str()).unwrap_or(name);
    let is_played =
        || bundle.motions.contains_key(inside) && options.motions.is_none_or(|motions| motions.iter().any(|path| path == inside));
    (index == bundle.entry || is_text(name) || is_played()).then(|| (index, name.clone(), None))
}

/// The texture in fewer bytes; as it is when it does not decode.
fn texture(contents: Vec<u8>, name: &str, file: &str, options: Options, report: &mut Report) -> Vec<u8> {
    let Ok(info) = image::info(&contents) else { return contents };
    let _share = options.pictures.take(u64::from(info.width) * u64::from(info.height));
    let place = || Place::file(file);
    let (width, height) = image::fitted(info.width, info.height, options.max_texture_size);
    let scaled = (width, height) != (info.width, info.height);
    let smaller = if scaled { scale(&contents, width, height).map(Some) } else { Ok(None) };
    let optimized = smaller.and_then(|smaller| png::optimize(smaller.as_deref().unwrap_or(&contents), options.effort));
    match optimized {
        Ok(bytes) => {
            if scaled {
                let message = format!("\"{name}\": scaled from {} x {} to {width} x {height} pixels", info.width, info.height);
                report.add(Finding::new(&code::S012, place(), message).hint(code::S012.remedy));
            }
            bytes
        }
        Err(error) => {
            report.add(Finding::new(&code::S002, place(), format!("\"{name}\": {error}")).hint(code::S002.remedy));
            contents
        }
    }
}

fn scale(contents: &[u8], width: u32, height: u32) -> Result<Vec<u8>, image::Error> {
    let picture = image::decode(contents)?;
    let small = image::resize(picture, width, height, Scaling { premultiply: true, linear: false })?;
    image::encode_png(&small)
}
