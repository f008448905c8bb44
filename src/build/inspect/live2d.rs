//! A Live2D zip told: sizes, counts, parameters, textures, motions, the head.

use crate::build::outcome::{Canvas, File, Head, Live2d, MotionFile, Parameter, Sizes, TextureFile};
use crate::build::shown;
use crate::codec::image;
use crate::disk;
use crate::live2d::bundle::{self, Texture};
use crate::live2d::moc3::Moc;
use crate::live2d::{Bundle, head, model::Role, picture};
use crate::parallel;
use crate::report::{Finding, Place, Report, code};
use bytes::Bytes;
use std::path::{Path, PathBuf};

/// Fills in all that is known of a zip that holds a Live2D model. One that cannot be understood has findings and its kind.
pub fn fill(found: &mut File, bytes: &Bytes, report: &mut Report) {
    found.kind = Some("live2d".into());
    let Some(bundle) = bundle::open(bytes, &found.path, report) else { return };
    found.sizes = Some(sizes(&bundle, found.bytes));
    found.texture_memory = Some(bundle.textures.iter().map(Texture::memory).sum());
    found.live2d = bundle.moc.as_ref().map(|moc| told(&bundle, moc));
}

/// Draws the first of the files that is a Live2D model. What is wrong with it was reported when it was told.
pub fn draw(files: &[PathBuf], output: &Path) -> Report {
    let name = || shown(output);
    let (_, report) = parallel::guarded(name, |report| {
        let drawn = files.iter().find_map(|file| {
            let bytes = disk::read_file(file).ok()?;
            picture::draw(&bundle::open(&bytes, &shown(file), &mut Report::default())?)
        });
        let written = match drawn.map(|picture| image::encode_png(&picture)) {
            None => Err("none of the files is a Live2D model that can be drawn".to_owned()),
            Some(Err(error)) => Err(error.to_string()),
            Some(Ok(_)) if files.iter().any(|file| disk::same_file(file, output)) => Err("it would overwrite its source".to_owned()),
            Some(Ok(png)) => disk::write_if_changed(output, &png).map(drop).map_err(|error| error.to_string()),
        };
        if let Err(reason) = written {
            report.add(Finding::new(&code::Z003, Place::file(name()), format!("no picture was written: {reason}")).hint(code::Z003.remedy));
        }
    });
    report
}

/// Packed, as they lie in the zip.
fn sizes(bundle: &Bundle, whole: u64) -> Sizes {
    let entries = &bundle.archive.entries;
    let named = bundle.named.iter().filter(|(_, (_, role))| matches!(role, Role::Texture(_)));
    let textures = named.filter_map(|(entry, _)| entries.get(*entry)).map(|entry| entry.packed).sum();
    let json = entries.iter().filter(|entry| entry.name.ends_with(".json")).map(|entry| entry.packed).sum();
    Sizes { textures, json, other: whole.saturating_sub(textures + json), ..Sizes::default() }
}

fn told(bundle: &Bundle, moc: &Moc) -> Live2d {
    let c = &moc.columns;
    let parameter = |index: usize| Parameter {
        id: c.parameter_id[index].clone(),
        min: c.parameter_minimum[index],
        max: c.parameter_maximum[index],
        default: c.parameter_default[index],
    };
    let texture = |texture: &Texture| TextureFile { file: texture.path.clone(), width: texture.width, height: texture.height };
    Live2d {
        moc_version: moc.version,
        parts: c.part_id.len(),
        drawables: c.mesh_id.len(),
        parameters: (0..c.parameter_id.len()).map(parameter).collect(),
        warps: c.warp_binding.len(),
        rotations: c.rotation_binding.len(),
        canvas: Canvas { width: moc.canvas.width, height: moc.canvas.height },
        textures: bundle.textures.iter().map(texture).collect(),
        head: head::measure(moc).head.map(|head| Head { top: head.top, bottom: head.bottom }),
        vertices: c.mesh_vertices.iter().map(|count| (*count).max(0) as usize).sum(),
        triangles: moc.triangles(),
        part_ids: c.part_id.clone(),
        drawable_ids: c.mesh_id.clone(),
        motions: bundle.motions.iter().map(|(path, motion)| MotionFile { file: path.clone(), seconds: motion.duration }).collect(),
    }
}
