//! What `inspect` and `names` found, for people.

use super::human::clean;
use super::table::Table;
use crate::build::outcome::{
    Animation, Avatar, Document, Embedded, Expression, File, Geometry, Live2d, Material, Model, Motion, MotionFile, Name, Names, Parameter,
    Sizes, Texture, TextureFile,
};
use crate::units;

/// As many names or animations of a file as are listed one by one.
const LISTED: usize = 12;

/// The walks of an avatar, a line each.
pub fn walks(model: &Model) -> String {
    let mut table = Table::new(["walk", "cycles", "stride", "speed", "plays at", "slides", "fits speeds", "in place", "seam"]);
    for walk in &model.walks {
        let number = |value: Option<f64>, digits: usize, unit: &str| value.map_or_else(String::new, |v| format!("{v:.digits$}{unit}"));
        let way = number(walk.travel_meters, 2, " m");
        table.row([
            one_line(&walk.clip),
            number(walk.cycles, 0, ""),
            number(walk.stride_meters, 2, " m"),
            number(walk.natural_speed, 2, ""),
            number(walk.rate, 2, "x"),
            number(walk.slide.map(|slide| 100.0 * slide), 0, "%"),
            walk.speed_range.map_or_else(|| one_line(walk.why.as_deref().unwrap_or_default()), |[a, b]| format!("{a:.2} to {b:.2}")),
            if walk.in_place == Some(true) { "yes".into() } else { format!("no, {way}") },
            number(walk.seam_degrees, 1, " deg"),
        ]);
    }
    let height = model.body_height.map(|height| format!(", body {height:.2} m high")).unwrap_or_default();
    if model.walks.is_empty() {
        String::new()
    } else {
        format!("{}{height}; speeds in body heights a second\n{}", one_line(&model.key), table.render())
    }
}

/// Everything that is known of a file, a few lines for each part of it. What a file does not have is not mentioned.
pub fn inspect(file: &File) -> String {
    let kind = file.kind.as_deref().unwrap_or("unknown or damaged");
    let mut text = format!("{}: {kind}, {}\n", clean(&file.path), units::bytes(file.bytes));
    let mut line = |label: &str, what: String| {
        if !what.is_empty() {
            text.push_str(&format!("  {label:<12} {}\n", one_line(&what)));
        }
    };
    line("bytes", file.sizes.as_ref().map(bytes).unwrap_or_default());
    if let Some(document) = &file.document {
        let d = document;
        line("document", counted(&[(d.nodes, "node"), (d.joints, "joint"), (d.meshes, "mesh"), (d.materials, "material")]));
        line("generator", d.generator.clone().unwrap_or_default());
        line("extensions", extensions(document));
    }
    line("geometry", file.geometry.as_ref().map(geometry).unwrap_or_default());
    if let Some(textures) = file.textures.as_ref().filter(|_| file.document.is_some()) {
        let memory = file.texture_memory.map(|memory| format!(", {} in memory", units::bytes(memory))).unwrap_or_default();
        line("textures", format!("{}{memory}", textures.len()));
    }
    if let Some(avatar) = &file.avatar {
        self::avatar(avatar).into_iter().for_each(|(label, what)| line(label, what));
    }
    if let Some(live2d) = &file.live2d {
        self::live2d(live2d, file.texture_memory).into_iter().for_each(|(label, what)| line(label, what));
    }
    line("motion", file.motion.as_ref().map(motion).unwrap_or_default());
    line("rig", file.suggested_rig.as_ref().map(|rig| format!("its names suggest {rig}")).unwrap_or_default());
    if let Some(embedded) = &file.embedded {
        line("embedded", self::embedded(embedded));
    }
    text.push_str(&file.textures.as_deref().map(textures).unwrap_or_default());
    text.push_str(&file.materials.as_deref().map(materials).unwrap_or_default());
    text.push_str(&file.animations.as_deref().map(animations).unwrap_or_default());
    text.push_str(&file.names.as_ref().map(changed).unwrap_or_default());
    text + "\n"
}

fn bytes(sizes: &Sizes) -> String {
    let parts = [
        ("textures", sizes.textures),
        ("vertices", sizes.vertices),
        ("indices", sizes.indices),
        ("morphs", sizes.morphs),
        ("skins", sizes.skins),
        ("animations", sizes.animations),
        ("json", sizes.json),
        ("other", sizes.other),
    ];
    let parts: Vec<String> = parts.iter().filter(|(_, n)| *n > 0).map(|(name, n)| format!("{name} {}", units::bytes(*n))).collect();
    parts.join(", ")
}

/// Those that a reader must know are marked.
fn extensions(document: &Document) -> String {
    let required = |name: &&String| document.extensions_required.contains(name);
    let mark = |name: &String| if required(&name) { format!("{name} (required)") } else { name.clone() };
    document.extensions_used.iter().map(mark).collect::<Vec<_>>().join(", ")
}

fn geometry(geometry: &Geometry) -> String {
    let g = geometry;
    let mut text = counted(&[(g.triangles, "triangle"), (g.vertices, "vertex"), (g.primitives, "primitive")]);
    if g.morph_targets > 0 {
        text.push_str(&format!(", {} ({} in memory)", counted(&[(g.morph_targets, "morph target")]), units::bytes(g.morph_memory)));
    }
    if let (Some(least), Some(most)) = (g.least, g.most) {
        text.push_str(&format!(", {:.2} m high", most[1] - least[1]));
    }
    text
}

fn avatar(avatar: &Avatar) -> Vec<(&'static str, String)> {
    let a = avatar;
    let look_at = a.look_at.as_ref().map(|by| format!("eyes by {by}"));
    let thumbnail = a.has_thumbnail.then(|| "thumbnail".to_owned());
    let first_person = Some(counted(&[(a.first_person, "first-person annotation")])).filter(|text| !text.is_empty());
    let parts = [Some(a.vrm_version.clone()), a.title.clone(), look_at, first_person, thumbnail];
    let expressions: Vec<String> = a.expressions.iter().map(expression).collect();
    vec![
        ("VRM", parts.into_iter().flatten().collect::<Vec<_>>().join(", ")),
        ("bones", a.bones.len().to_string()),
        ("expressions", if expressions.is_empty() { String::new() } else { format!("{}: {}", expressions.len(), expressions.join(", ")) }),
        ("springs", counted(&[(a.springs, "chain"), (a.spring_joints, "joint"), (a.colliders, "collider"), (a.constraints, "constraint")])),
    ]
}

fn live2d(live2d: &Live2d, memory: Option<u64>) -> Vec<(&'static str, String)> {
    let l = live2d;
    let counts = [(l.parts, "part"), (l.drawables, "drawable"), (l.triangles, "triangle"), (l.vertices, "vertex")];
    let deformers = [(l.warps, "warp"), (l.rotations, "rotation")];
    let head = l.head.as_ref().map(|head| format!("from {:.3} to {:.3} of the canvas, from its top", head.top, head.bottom));
    let memory = memory.map(|memory| format!("{}, {} in memory", l.textures.len(), units::bytes(memory)));
    let listed = |label: &'static str, all: Vec<String>| -> Vec<(&'static str, String)> {
        let rest = if all.len() > LISTED { format!("and {} more (--format json lists all)", all.len() - LISTED) } else { String::new() };
        all.into_iter().take(LISTED).chain([rest]).map(|what| (label, what)).collect()
    };
    let texture = |t: &TextureFile| format!("{}x{} {}", t.width, t.height, t.file);
    let parameter = |p: &Parameter| format!("{} {} to {}, {} at rest", p.id, p.min, p.max, p.default);
    let motion = |m: &MotionFile| format!("{:.2} s {}", m.seconds, m.file);
    let mut lines = vec![
        ("Live2D", format!("moc3 version {}, {}", l.moc_version, counted(&counts))),
        ("deformers", counted(&deformers)),
        ("canvas", format!("{} x {} pixels", l.canvas.width, l.canvas.height)),
        ("head", head.unwrap_or_default()),
        ("textures", memory.unwrap_or_default()),
    ];
    lines.extend(listed("texture", l.textures.iter().map(texture).collect()));
    lines.extend(listed("parameter", l.parameters.iter().map(parameter).collect()));
    lines.extend(listed("motion", l.motions.iter().map(motion).collect()));
    lines
}

/// What moves, for how long, and whether it closes.
fn motion(motion: &Motion) -> String {
    let body = if motion.is_body_animated { format!("body {}", counted(&[(motion.moving_bones.len(), "bone")])) } else { String::new() };
    let parts = if motion.part_bones.is_empty() {
        String::new()
    } else {
        format!("parts {}", crate::spelling::list(motion.part_bones.iter().map(String::as_str), 8))
    };
    let gaze = if motion.gaze { "gaze".to_owned() } else { String::new() };
    let travel = if motion.travel_meters > 0.005 { format!("travels {:.2} m", motion.travel_meters) } else { String::new() };
    let dead = if motion.dead_channels > 0 { format!("{} dead channels", motion.dead_channels) } else { String::new() };
    let rest = [format!("{:.2} s", motion.seconds), body, parts, gaze, travel, dead, format!("seam {:.1} degrees", motion.seam_degrees)];
    rest.into_iter().filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join(", ")
}

/// With the name that VRM 1.0 has for it, where that is another word.
fn expression(expression: &Expression) -> String {
    let letters = |name: &str| name.replace('_', "").to_lowercase();
    let same = letters(&expression.name) == letters(&expression.three);
    if same { expression.name.clone() } else { format!("{} ({})", expression.name, expression.three) }
}

fn embedded(embedded: &Embedded) -> String {
    let counts = [(embedded.walks, "walk"), (embedded.outfits, "outfit")];
    let known: Vec<(usize, &str)> = counts.into_iter().filter_map(|(count, what)| Some((count?, what))).collect();
    let height = embedded.body_height.map(|height| format!("body {height:.2} m high")).unwrap_or_default();
    let parts = [format!("version {}", embedded.version), height, counted(&known)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn textures(textures: &[Texture]) -> String {
    let mut table = Table::new(["  texture", "format", "pixels", "bytes", "memory", "for"]);
    for t in textures {
        let pixels = if t.width > 0 { format!("{}x{}", t.width, t.height) } else { String::new() };
        let levels = t.levels.map(|levels| format!(", {levels} levels")).unwrap_or_default();
        let format = t.encoding.as_ref().map_or_else(|| t.format.clone(), |encoding| format!("{} ({encoding}{levels})", t.format));
        let memory = if t.memory > 0 { units::bytes(t.memory) } else { String::new() };
        table.row([numbered(t.index, &t.name), one_line(&format), pixels, units::bytes(t.bytes), memory, t.uses.join(" ")]);
    }
    table.render()
}

fn materials(materials: &[Material]) -> String {
    let mut table = Table::new(["  material", "shader", "alpha", "sides"]);
    for m in materials {
        let sides = if m.double_sided { "both" } else { "" };
        table.row([numbered(m.index, &m.name), one_line(&m.shader), one_line(&m.alpha_mode), sides.into()]);
    }
    table.render()
}

fn animations(animations: &[Animation]) -> String {
    let mut table = Table::new(["  animation", "seconds", "channels"]);
    for a in animations.iter().take(LISTED) {
        table.row([numbered(a.index, &a.name), format!("{:.2}", a.seconds), a.channels.to_string()]);
    }
    table.render() + &rest(animations.len())
}

fn changed(names: &Names) -> String {
    let all: Vec<&Name> = names.nodes.iter().chain(&names.meshes).filter(|name| name.raw != name.three).collect();
    let count = if all.len() == 1 { "1 name".to_owned() } else { format!("{} names", all.len()) };
    let mut text = if all.is_empty() { String::new() } else { format!("  {count} that three.js spells otherwise:\n") };
    text.extend(all.iter().take(LISTED).map(|name| format!("    {} -> {}\n", named(&name.raw), named(&name.three))));
    text + &rest(all.len())
}

/// How many are not listed.
fn rest(count: usize) -> String {
    if count > LISTED { format!("    and {} more (--format json lists all)\n", count - LISTED) } else { String::new() }
}

/// Index, raw name and three.js name of every node and mesh, a line each, separated by tabs so that other programs can cut them.
pub fn names(file: &File) -> String {
    let Some(names) = &file.names else { return String::new() };
    let lines = |kind: &'static str, names: &[Name]| -> String {
        names.iter().map(|name| format!("{kind}\t{}\t{}\t{}\n", name.index, one_line(&name.raw), one_line(&name.three))).collect()
    };
    lines("node", &names.nodes) + &lines("mesh", &names.meshes)
}

/// `2 nodes, 1 mesh`; what there is none of is left out.
fn counted(counts: &[(usize, &str)]) -> String {
    let plural = |count: usize, what: &str| match (count, what) {
        (1, what) => format!("1 {what}"),
        (count, "mesh") => format!("{count} meshes"),
        (count, "vertex") => format!("{count} vertices"),
        (count, what) => format!("{count} {what}s"),
    };
    counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| plural(*count, what)).collect::<Vec<_>>().join(", ")
}

fn numbered(index: usize, name: &str) -> String {
    format!("  {index} {}", named(name))
}

fn named(name: &str) -> String {
    if name.is_empty() { "(no name)".into() } else { one_line(name) }
}

/// Names hold anything, also ends of lines.
fn one_line(text: &str) -> String {
    clean(text).replace('\n', "\u{FFFD}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_a_file_in_a_few_lines() {
        let name = |raw: &str, three: &str| Name { index: 0, raw: raw.into(), three: three.into() };
        let texture =
            Texture { name: "skin".into(), format: "png".into(), width: 4, height: 2, bytes: 90, memory: 43, ..Texture::default() };
        let file = File {
            path: "a.vrm".into(),
            bytes: 12_300,
            kind: Some("vrm".into()),
            sizes: Some(Sizes { json: 300, textures: 12_000, ..Sizes::default() }),
            document: Some(Document {
                nodes: 3,
                joints: 1,
                extensions_used: vec!["VRM".into()],
                extensions_required: vec!["VRM".into()],
                ..Document::default()
            }),
            materials: Some(vec![Material {
                name: "cloth".into(),
                shader: "standard".into(),
                alpha_mode: "OPAQUE".into(),
                double_sided: true,
                ..Material::default()
            }]),
            animations: Some(vec![Animation { seconds: 1.5, channels: 3, ..Animation::default() }]),
            geometry: Some(Geometry {
                triangles: 7,
                vertices: 9,
                primitives: 1,
                morph_targets: 2,
                morph_memory: 288,
                ..Geometry::default()
            }),
            textures: Some(vec![texture]),
            texture_memory: Some(43),
            avatar: Some(Avatar {
                vrm_version: "0.x".into(),
                expressions: ["Joy happy", "Blink_L blinkLeft"]
                    .iter()
                    .filter_map(|pair| pair.split_once(' '))
                    .map(|(name, three)| Expression { name: name.into(), three: three.into(), ..Expression::default() })
                    .collect(),
                springs: 2,
                ..Avatar::default()
            }),
            names: Some(Names { nodes: vec![name("a.b", "ab"), name("same", "same")], meshes: vec![] }),
            ..File::default()
        };
        let wanted = "\
a.vrm: vrm, 12.3 kB
  bytes        textures 12.0 kB, json 300 B
  document     3 nodes, 1 joint
  extensions   VRM (required)
  geometry     7 triangles, 9 vertices, 1 primitive, 2 morph targets (288 B in memory)
  textures     1, 43 B in memory
  VRM          0.x
  bones        0
  expressions  2: Joy (happy), Blink_L (blinkLeft)
  springs      2 chains
  texture  format  pixels  bytes  memory
  0 skin      png     4x2   90 B    43 B
  material    shader   alpha  sides
  0 cloth   standard  OPAQUE   both
  animation    seconds  channels
  0 (no name)     1.50         3
  1 name that three.js spells otherwise:
    a.b -> ab

";
        assert_eq!(inspect(&file), wanted);
        assert_eq!(names(&file), "node\t0\ta.b\tab\nnode\t0\tsame\tsame\n");
    }

    #[test]
    fn long_lists_are_cut_and_lines_stay_lines() {
        let name = |index: usize| Name { index, raw: format!("a\n{index}."), three: format!("a_{index}") };
        let file = File { names: Some(Names { nodes: (0..15).map(name).collect(), meshes: vec![] }), ..File::default() };
        let text = inspect(&file);
        assert!(text.contains("  15 names that") && text.contains("    and 3 more"), "{text}");
        assert_eq!(text.matches(" -> ").count(), LISTED);
        assert_eq!(names(&file).lines().count(), 15);
    }
}
