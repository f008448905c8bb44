//! Meshes: each primitive is cut down to the vertices that it uses, ordered, rounded and encoded.
//!
//! What a primitive draws stays: its triangles (strips and fans become lists), every attribute, every morph target in its place. The order
//! of triangles changes only where nothing blends. A primitive that is already compressed is not touched: packing it again would lose.

use super::quantize::{self, Column};
use super::settings::Filter as Rounding;
use super::streams::{Content, Kind, Stream};
use super::{Pass, Work};
use crate::codec::meshopt::{self, Mode};
use crate::gltf::accessor::{Component, Data};
use crate::gltf::{Document, document::primitives, index_in, index_of, list, transforms};
use crate::parallel;
use crate::report::{Finding, Place, Report, code};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Rewrites primitives.
pub const PASS: Pass = Pass { name: "geometry", summary: "cuts each primitive down to its vertices, orders, rounds and encodes them", run };

const TRIANGLES: usize = 4;
const STRIP: usize = 5;
const FAN: usize = 6;

/// The grids and choices for one mesh.
#[derive(Debug, Clone, Copy)]
struct Precision {
    position: i32,
    uv: i32,
    round: bool,
    normal_bits: u8,
    weight_bits: u8,
    float_weights: bool,
    wide_joints: bool,
    weld: bool,
    reorder: bool,
    compress: bool,
    explicit: bool,
}

/// A new accessor: its JSON and its data.
type NewAccessor = (Value, Content);

/// A rewritten primitive.
struct Built {
    indices: Option<NewAccessor>,
    attributes: Vec<(String, NewAccessor)>,
    targets: Vec<Vec<(String, NewAccessor)>>,
    triangles: bool,
}

/// Why a primitive is kept as it is.
enum Kept {
    /// Nothing wrong with it.
    Silently,
    /// Something worth a finding.
    Because(&'static code::Code, String),
}

fn run(work: &mut Work, report: &mut Report) -> bool {
    if !work.renumber {
        return false;
    }
    let precision = precision(work);
    let jobs: Vec<(usize, usize, Value)> = primitives(&work.document).map(|(m, p, json)| (m, p, json.clone())).collect();
    let blended = blended(&work.document);
    let document = &work.document;
    let file = work.file;
    let (built, findings) = parallel::map(
        &jobs,
        |_| file.to_owned(),
        |(m, p, primitive), report| {
            let mut precision = precision[*m];
            precision.reorder &= !index_in(primitive, "material").is_some_and(|material| blended.contains(&material));
            match build(document, primitive, precision) {
                Ok(built) => Some(built),
                Err(Kept::Silently) => None,
                Err(Kept::Because(code, reason)) => {
                    let place = Place::file(file).at(format!("/meshes/{m}/primitives/{p}"));
                    report.add(Finding::new(code, place, format!("the primitive is kept as it is: {reason}")).hint(code.remedy));
                    None
                }
            }
        },
    );
    report.merge(findings);
    let mut changed = false;
    for ((m, p, _), built) in jobs.iter().zip(built) {
        let Some(Some(built)) = built else { continue };
        changed = true;
        store(work, *m, *p, built);
    }
    changed
}

fn store(work: &mut Work, mesh: usize, primitive: usize, built: Built) {
    let Work { document, streams, .. } = work;
    let mut accessor = |(accessor, content): NewAccessor| Value::from(streams.add(document, accessor, content));
    let indices = built.indices.map(&mut accessor);
    let attributes: Map<String, Value> = built.attributes.into_iter().map(|(name, new)| (name, accessor(new))).collect();
    let targets: Vec<Value> =
        built.targets.into_iter().map(|t| t.into_iter().map(|(name, new)| (name, accessor(new))).collect::<Map<_, _>>().into()).collect();
    let used: Vec<(Value, bool)> = attributes.values().map(|v| (v.clone(), true)).collect();
    let integer = used.iter().any(|(v, _)| {
        let accessor = index_of(v).map(|i| &document.list("accessors")[i]);
        accessor.is_some_and(|a| a["type"] != "SCALAR" && matches!(index_in(a, "componentType"), Some(5120 | 5122)))
    });
    if integer {
        document.use_extension("KHR_mesh_quantization", true);
    }
    let Some(json) = document.list_mut("meshes")[mesh].get_mut("primitives").and_then(|p| p.get_mut(primitive)) else { return };
    json["attributes"] = attributes.into();
    if let Some(indices) = indices {
        json["indices"] = indices;
    }
    if !targets.is_empty() {
        json["targets"] = targets.into();
    }
    if built.triangles
        && let Some(object) = json.as_object_mut()
        && object.get("mode").is_some_and(|mode| *mode != TRIANGLES)
    {
        object.shift_remove("mode");
    }
}

/// The precision for each mesh: the same wherever meshes are drawn at the same scale, so that seams between them stay closed.
fn precision(work: &Work) -> Vec<Precision> {
    let settings = &work.settings().geometry;
    let target = work.settings().target;
    let document = &work.document;
    let drawn = transforms::drawn(document);
    let mut scale = vec![0f64; document.list("meshes").len()];
    for (_, mesh, matrices) in &drawn {
        scale[*mesh] = matrices.iter().map(transforms::stretch).fold(scale[*mesh], f64::max);
    }
    let factor = size_factor(document, &drawn);
    let joints: usize = document.list("skins").iter().map(|skin| list(skin, "joints").len()).sum();
    let compress = work.compresses();
    let round = compress && settings.filter == Rounding::Exponential;
    let precision = |scale: &f64| Precision {
        position: quantize::grid(settings.position_error * factor / if *scale > 0.0 { *scale } else { 1.0 }, 3),
        uv: quantize::grid(settings.uv_error, 2),
        round,
        normal_bits: if compress { settings.normals } else { 0 },
        weight_bits: settings.weights,
        float_weights: !compress || !target.reads_quantized(),
        wide_joints: joints > 256,
        weld: settings.weld,
        reorder: settings.reorder,
        compress,
        explicit: !target.reads_empty_accessors(),
    };
    scale.iter().map(precision).collect()
}

/// How the error in metres is read for this file: VRM is in metres; a plain glTF may be in anything, so its size counts, as if it were a
/// person of 1.5 m.
fn size_factor(document: &Document, drawn: &[(usize, usize, Vec<glam::DMat4>)]) -> f64 {
    let (mut low, mut high) = (glam::DVec3::INFINITY, glam::DVec3::NEG_INFINITY);
    for (_, mesh, matrices) in drawn {
        let Some(matrix) = matrices.first() else { continue };
        for primitive in list(&document.list("meshes")[*mesh], "primitives") {
            let position =
                primitive.get("attributes").and_then(|a| index_in(a, "POSITION")).and_then(|a| document.list("accessors").get(a));
            let corner = |name: &str| -> Option<glam::DVec3> {
                let list = list(position?, name);
                Some(glam::DVec3::new(list.first()?.as_f64()?, list.get(1)?.as_f64()?, list.get(2)?.as_f64()?))
            };
            let (Some(a), Some(b)) = (corner("min"), corner("max")) else { continue };
            for i in 0..8 {
                let pick = |bit: usize, axis: fn(&glam::DVec3) -> f64| if i >> bit & 1 == 0 { axis(&a) } else { axis(&b) };
                let point = matrix.transform_point3(glam::DVec3::new(pick(0, |v| v.x), pick(1, |v| v.y), pick(2, |v| v.z)));
                (low, high) = (low.min(point), high.max(point));
            }
        }
    }
    let size = (high - low).max_element();
    let factor = if size.is_finite() && size > 0.0 { (size / 1.5).max(0.2) } else { 1.0 };
    let vrm = document.extension("VRM").is_some() || document.extension("VRMC_vrm").is_some();
    if vrm { factor.min(1.0) } else { factor }
}

/// Materials whose triangles are blended in their order.
fn blended(document: &Document) -> BTreeSet<usize> {
    let core = document.list("materials").iter().enumerate().filter(|(_, m)| m.get("alphaMode").is_some_and(|mode| mode == "BLEND"));
    let old = document.extension("VRM").map_or(&[][..], |vrm| list(vrm, "materialProperties")).iter().enumerate().filter(|(_, m)| {
        let render_type = m.get("tagMap").and_then(|t| t.get("RenderType")).and_then(Value::as_str).unwrap_or("");
        let shader = m.get("shader").and_then(Value::as_str).unwrap_or("");
        render_type.starts_with("Transparent") && render_type != "TransparentCutout" || shader.contains("Transparent")
    });
    core.map(|(i, _)| i).chain(old.map(|(i, _)| i)).collect()
}

fn build(document: &Document, primitive: &Value, precision: Precision) -> Result<Built, Kept> {
    let because = |reason: &str| Kept::Because(&code::S006, reason.to_owned());
    let attributes = primitive.get("attributes").and_then(Value::as_object).ok_or(Kept::Silently)?;
    let targets = list(primitive, "targets");
    let all: Vec<&Value> = attributes.values().chain(targets.iter().filter_map(Value::as_object).flat_map(|t| t.values())).collect();
    if is_packed(document, primitive, &all) {
        return Err(Kept::Silently);
    }
    // Data that primitives share is read for each of them; only the vertices that this one uses stay in memory.
    let read = |value: &Value| -> Result<Data, Kept> {
        let index = index_of(value).ok_or_else(|| because("an attribute names no accessor"))?;
        document.accessor(index).map_err(|message| Kept::Because(&code::S006, message))
    };
    let count = attributes.get("POSITION").or(attributes.values().next()).map(read).transpose()?.map_or(0, |d| d.count);
    if count == 0 {
        return Err(Kept::Silently);
    }
    let mode = index_in(primitive, "mode").unwrap_or(TRIANGLES);
    let given = match primitive.get("indices") {
        Some(value) => Some(read(value)?.integers()),
        None => None,
    };
    let indexed = given.is_some();
    let mut indices = given.unwrap_or_else(|| (0..count as u32).collect());
    if indices.iter().any(|&i| i as usize >= count) {
        return Err(Kept::Because(&code::D016, format!("an index is past the last of its {count} vertices")));
    }
    let triangles = matches!(mode, TRIANGLES | STRIP | FAN);
    match mode {
        TRIANGLES if indices.len() % 3 != 0 => return Err(because("its indices are not whole triangles")),
        STRIP => indices = strip(&indices),
        FAN => indices = fan(&indices),
        _ => {}
    }
    if indices.is_empty() || (!triangles && !indexed) {
        return Err(Kept::Silently);
    }

    // The vertices in use, in their old order, and the indices among them.
    let mut used = vec![false; count];
    indices.iter().for_each(|&i| used[i as usize] = true);
    let vertices: Vec<u32> = (0..count as u32).filter(|&v| used[v as usize]).collect();
    renumber(&mut indices, &vertices, count);
    let select = |value: &Value| -> Result<Data, Kept> {
        let data = read(value)?;
        if data.count != count {
            return Err(because("its attributes have different numbers of vertices"));
        }
        if data.component == Component::F32 && data.floats().iter().any(|f| !f.is_finite()) {
            return Err(Kept::Because(&code::D014, "an attribute holds numbers that are not finite".into()));
        }
        Ok(data.select(&vertices))
    };
    let mut columns = attribute_columns(attributes, &select, precision)?;
    let mut morphs: Vec<Vec<(String, Column)>> = Vec::new();
    for target in targets {
        let target = target.as_object().ok_or_else(|| because("a morph target is not an object"))?;
        let column = |(name, value): (&String, &Value)| Ok((name.clone(), morph_column(name, &select(value)?, precision)));
        morphs.push(target.iter().map(column).collect::<Result<_, Kept>>()?);
    }

    // Equal vertices become one, then triangles and vertices get the order that suits card and codec.
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    if precision.weld {
        let all: Vec<&Column> = columns.iter().map(|(_, c)| c).chain(morphs.iter().flatten().map(|(_, c)| c)).collect();
        let first = first_equal(&all, vertices.len());
        indices.iter_mut().for_each(|i| *i = first[*i as usize]);
    }
    if triangles && precision.reorder {
        indices = meshopt::order_triangles(&indices, vertices.len());
    }
    if triangles {
        let place = meshopt::order_vertices(&indices, vertices.len());
        order = vec![0; place.iter().filter(|&&p| p != u32::MAX).count()];
        place.iter().enumerate().filter(|(_, p)| **p != u32::MAX).for_each(|(old, &new)| order[new as usize] = old as u32);
        indices.iter_mut().for_each(|i| *i = place[*i as usize]);
    }
    let count = order.len();
    let attributes = columns
        .drain(..)
        .map(|(name, column)| {
            let column = column.select(&order);
            let accessor = complete(&column, count, name == "POSITION");
            (name, (accessor, Content { elements: Some(column.stream()), sparse: None }))
        })
        .collect();
    let targets = morphs
        .into_iter()
        .map(|target| {
            target
                .into_iter()
                .map(|(name, column)| {
                    let new = morph_content(&name, column.select(&order), precision);
                    (name, new)
                })
                .collect()
        })
        .collect();
    Ok(Built { indices: Some(index_content(&indices, count, triangles)), attributes, targets, triangles })
}

/// True when any of its data came compressed.
fn is_packed(document: &Document, primitive: &Value, attributes: &[&Value]) -> bool {
    let accessors = attributes.iter().copied().chain(primitive.get("indices")).filter_map(index_of);
    let views = accessors.filter_map(|a| document.list("accessors").get(a)).filter_map(|a| index_in(a, "bufferView"));
    views.into_iter().any(|view| document.blobs.get(view).is_some_and(|blob| blob.packed.is_some()))
}

fn attribute_columns(
    attributes: &Map<String, Value>,
    select: &dyn Fn(&Value) -> Result<Data, Kept>,
    precision: Precision,
) -> Result<Vec<(String, Column)>, Kept> {
    let mut columns: Vec<(String, Column)> = Vec::new();
    let mut sets: Vec<(Data, Data)> = Vec::new();
    while let (Some(joints), Some(weights)) =
        (attributes.get(&format!("JOINTS_{}", sets.len())), attributes.get(&format!("WEIGHTS_{}", sets.len())))
    {
        let (joints, weights) = (select(joints)?, select(weights)?);
        let fits = joints.components == 4 && weights.components == 4 && matches!(joints.component, Component::U8 | Component::U16);
        if !fits {
            return Err(Kept::Because(&code::S006, "its joints or weights have a type that is not allowed".into()));
        }
        sets.push((joints, weights));
    }
    let float_weights =
        precision.float_weights || sets.iter().any(|(_, w)| matches!(w.component, Component::I8 | Component::I16 | Component::U32));
    let small = !sets.is_empty() && sets.iter().all(|(_, w)| w.component == Component::U8);
    let bits = if small { 8 } else { precision.weight_bits };
    let skin = if float_weights { Vec::new() } else { quantize::skinning(&sets, bits, precision.wide_joints) };
    let mut skin: BTreeMap<String, Column> =
        skin.into_iter().enumerate().flat_map(|(i, (j, w))| [(format!("JOINTS_{i}"), j), (format!("WEIGHTS_{i}"), w)]).collect();
    for (name, value) in attributes {
        let column = match skin.remove(name) {
            Some(column) => column,
            None => attribute_column(name, &select(value)?, precision),
        };
        columns.push((name.clone(), column));
    }
    Ok(columns)
}

/// The name of an attribute without the number of its set, as one of the words that streams are sorted by.
fn word(name: &str) -> &'static str {
    let base = name.split_once('_').map_or(name, |(base, _)| base);
    ["POSITION", "NORMAL", "TANGENT", "TEXCOORD", "COLOR", "JOINTS", "WEIGHTS"].into_iter().find(|w| *w == base).unwrap_or("_")
}

fn attribute_column(name: &str, data: &Data, precision: Precision) -> Column {
    let kind = Kind::Attribute(word(name));
    if data.component != Component::F32 {
        return quantize::as_is(kind, data);
    }
    let encoded = match word(name) {
        "POSITION" if precision.round => Some(quantize::on_grid(kind, &data.floats(), data.components, precision.position)),
        "TEXCOORD" if precision.round => Some(quantize::on_grid(kind, &data.floats(), data.components, precision.uv)),
        "NORMAL" | "TANGENT" if precision.normal_bits > 0 && data.components == if word(name) == "NORMAL" { 3 } else { 4 } => {
            let floats = data.floats();
            let units = quantize::octahedral(kind, &floats, data.components, precision.normal_bits);
            units.or_else(|| precision.round.then(|| quantize::on_grid(kind, &floats, data.components, NORMAL)))
        }
        "COLOR" if precision.round => quantize::colors(kind, &data.floats(), data.components),
        _ => None,
    };
    encoded.unwrap_or_else(|| quantize::as_is(kind, data))
}

/// Normals that are no unit vectors: 2^-13, under a hundredth of a degree.
const NORMAL: i32 = -13;

/// Normals of a morph target are added to the mesh's and scaled to length 1 by the shader: 2^-10 is a tenth of a degree at most.
const MORPH_NORMAL: i32 = -10;

fn morph_column(name: &str, data: &Data, precision: Precision) -> Column {
    let kind = Kind::Morph(word(name));
    match word(name) {
        _ if data.component != Component::F32 || !precision.round => quantize::as_is(kind, data),
        "POSITION" => quantize::on_grid(kind, &data.floats(), data.components, precision.position),
        "NORMAL" | "TANGENT" => quantize::on_grid(kind, &data.floats(), data.components, MORPH_NORMAL),
        "TEXCOORD" => quantize::on_grid(kind, &data.floats(), data.components, precision.uv),
        _ => quantize::as_is(kind, data),
    }
}

/// The accessor with its count, and for positions with its bounds.
fn complete(column: &Column, count: usize, bounds: bool) -> Value {
    let mut accessor = column.accessor.clone();
    accessor["count"] = count.into();
    if bounds && accessor["componentType"] == Component::F32 as u16 {
        let floats = column.floats();
        let fold = |start: f32, pick: fn(f32, f32) -> f32| -> Value {
            let axis = |a: usize| floats.iter().skip(a).step_by(column.components).fold(start, |m, &v| pick(m, v));
            (0..column.components).map(|a| number(axis(a))).collect::<Vec<_>>().into()
        };
        accessor["min"] = fold(f32::INFINITY, f32::min);
        accessor["max"] = fold(f32::NEG_INFINITY, f32::max);
    }
    accessor
}

/// A float with the fewest digits that still mean it.
fn number(value: f32) -> Value {
    let value = if value == 0.0 { 0.0 } else { value };
    serde_json::from_str(&format!("{value}")).unwrap_or(Value::Null)
}

/// A morph target's data: nothing when it moves nothing, sparse when that is smaller, else dense.
fn morph_content(name: &str, column: Column, precision: Precision) -> NewAccessor {
    let compress = precision.compress;
    let count = column.count();
    let bounds = name == "POSITION";
    let mut moved: Vec<u32> = (0..count as u32).filter(|&v| column.row(v as usize).iter().any(|&b| b & 0x7f != 0)).collect();
    let mut accessor = complete(&column, count, bounds);
    if bounds && accessor.get("min").is_none() {
        return (accessor, Content { elements: Some(column.stream()), sparse: None });
    }
    if moved.is_empty() && !precision.explicit {
        return (accessor, Content::default());
    }
    if moved.is_empty() {
        // One zero that says that all are zero.
        moved.push(0);
    }
    if moved.len() * 3 > count * 2 {
        return (accessor, Content { elements: Some(column.stream()), sparse: None });
    }
    let mut values = column.select(&moved).stream();
    values.kind = Kind::SparseValues(word(name));
    let wide = count > 65535;
    let stride = if wide { 4 } else { 2 };
    let bytes = moved.iter().flat_map(|v| v.to_le_bytes().into_iter().take(stride)).collect();
    let mut places = Stream::plain(Kind::SparseIndices, Mode::Indices, stride, bytes);
    places.vertices = count;
    let dense = column.stream();
    let sparse_size = if compress {
        places.encoded().len().min(places.bytes.len()) + values.encoded().len() + 100
    } else {
        places.bytes.len() + values.bytes.len() + 100
    };
    let dense_size = if compress { dense.encoded().len() } else { dense.bytes.len() };
    if dense_size <= sparse_size {
        return (accessor, Content { elements: Some(dense), sparse: None });
    }
    let component = if wide { Component::U32 } else { Component::U16 };
    accessor["sparse"] = json!({"count": moved.len(), "indices": {"componentType": component as u16}, "values": {}});
    (accessor, Content { elements: None, sparse: Some((places, values)) })
}

fn index_content(indices: &[u32], vertices: usize, triangles: bool) -> NewAccessor {
    // 65535 would restart a strip in WebGL, so 16 bits serve up to 65535 vertices.
    let wide = vertices > 65535;
    let stride = if wide { 4 } else { 2 };
    let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes().into_iter().take(stride)).collect();
    let (kind, mode) = if triangles { (Kind::Triangles, Mode::Triangles) } else { (Kind::Indices, Mode::Indices) };
    let mut stream = Stream::plain(kind, mode, stride, bytes);
    stream.vertices = vertices;
    let component = if wide { Component::U32 } else { Component::U16 };
    let accessor = json!({"componentType": component as u16, "type": "SCALAR", "count": indices.len()});
    (accessor, Content { elements: Some(stream), sparse: None })
}

/// Rewrites indices from places among all `count` vertices to places in `vertices`.
fn renumber(indices: &mut [u32], vertices: &[u32], count: usize) {
    let mut place = vec![0u32; count];
    vertices.iter().enumerate().for_each(|(new, &old)| place[old as usize] = new as u32);
    indices.iter_mut().for_each(|i| *i = place[*i as usize]);
}

/// For each vertex the first one that is equal to it in every column.
fn first_equal(columns: &[&Column], count: usize) -> Vec<u32> {
    // Columns of zeros (most morph targets) tell nothing.
    let columns: Vec<&&Column> = columns.iter().filter(|c| c.bytes.iter().any(|&b| b != 0)).collect();
    let mut hashed: Vec<(u64, u32)> = (0..count as u32)
        .map(|v| {
            let bytes = columns.iter().flat_map(|c| c.row(v as usize));
            // FNV-1a, 64 bits; equal hashes are compared below.
            (bytes.fold(0xcbf2_9ce4_8422_2325u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)), v)
        })
        .collect();
    hashed.sort_unstable();
    let same = |a: u32, b: u32| columns.iter().all(|c| c.row(a as usize) == c.row(b as usize));
    let mut first: Vec<u32> = (0..count as u32).collect();
    for group in hashed.chunk_by(|a, b| a.0 == b.0) {
        let mut kinds: Vec<u32> = Vec::new();
        for &(_, v) in group {
            match kinds.iter().find(|&&k| same(k, v)) {
                Some(&k) => first[v as usize] = k,
                // A hostile file could make all hashes equal; then most vertices simply stay.
                None if kinds.len() < 64 => kinds.push(v),
                None => {}
            }
        }
    }
    first
}

/// The triangles of a strip, those without area left out.
fn strip(indices: &[u32]) -> Vec<u32> {
    let triangles = indices.windows(3).enumerate().map(|(i, t)| if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] });
    triangles.filter(|[a, b, c]| a != b && b != c && a != c).flatten().collect()
}

/// The triangles of a fan.
fn fan(indices: &[u32]) -> Vec<u32> {
    let Some((&center, rim)) = indices.split_first() else { return Vec::new() };
    rim.windows(2).map(|t| [center, t[0], t[1]]).filter(|[a, b, c]| a != b && b != c && a != c).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_keep_their_winding() {
        assert_eq!(strip(&[0, 1, 2, 3]), [0, 1, 2, 2, 1, 3]);
        // A repeated index joins two strips: the triangles without area go, the parity stays.
        assert_eq!(strip(&[0, 1, 2, 2, 3, 3, 4, 5]), [0, 1, 2, 4, 3, 5]);
        assert_eq!(fan(&[0, 1, 2, 3]), [0, 1, 2, 0, 2, 3]);
    }

    #[test]
    fn equal_vertices_are_found() {
        let column = quantize::on_grid(Kind::Attribute("POSITION"), &[1.0, 2.0, 1.0, 2.0, 3.0], 1, -4);
        assert_eq!(first_equal(&[&column], 5), [0, 1, 0, 1, 4]);
    }

    #[test]
    fn floats_print_short_and_exact() {
        assert_eq!(number(0.1).to_string(), "0.1");
        assert_eq!(number(-0.0).to_string(), "0");
        assert_eq!(number(1.0e-7).to_string(), "0.0000001");
    }
}
