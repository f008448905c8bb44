//! What `inspect` and `names` found, for people.

use super::human::clean;
use super::table::Table;
use crate::build::outcome::{Avatar, File, Geometry, Name, Sizes, Texture};
use crate::units;

/// Everything that is known of a file, a few lines for each part of it.
pub fn inspect(file: &File) -> String {
    let kind = file.kind.as_deref().unwrap_or("file");
    let mut text = format!("{}: {kind}, {}\n", clean(&file.path), units::bytes(file.bytes));
    let mut line = |label: &str, what: String| text.push_str(&format!("  {label:<12} {}\n", clean(&what)));
    if let Some(sizes) = &file.sizes {
        line("bytes", bytes(sizes));
    }
    if let Some(document) = &file.document {
        let d = document;
        line("document", counted(&[(d.nodes, "nodes"), (d.meshes, "meshes"), (d.materials, "materials"), (d.joints, "joints")]));
        line("generator", d.generator.clone().unwrap_or_else(|| "not said".into()));
        line("extensions", listed(&d.extensions_used));
        line("required", listed(&d.extensions_required));
    }
    if let Some(geometry) = &file.geometry {
        line("geometry", self::geometry(geometry));
    }
    if let Some(textures) = &file.textures {
        let memory = file.texture_memory.map(|memory| format!(", {} in memory", units::bytes(memory))).unwrap_or_default();
        line("textures", format!("{}{memory}", textures.len()));
    }
    if let Some(avatar) = &file.avatar {
        self::avatar(avatar).into_iter().for_each(|(label, what)| line(label, what));
    }
    for animation in file.animations.iter().flatten() {
        line("animation", format!("{}: {:.2} s, {} channels", named(&animation.name), animation.seconds, animation.channels));
    }
    for material in file.materials.iter().flatten() {
        let sided = if material.double_sided { ", double-sided" } else { "" };
        line("material", format!("{}: {}, {}{sided}", named(&material.name), material.shader, material.alpha_mode));
    }
    if let Some(embedded) = &file.embedded {
        let counts = [(embedded.walks, "walk"), (embedded.outfits, "outfit")];
        let known: Vec<(usize, &str)> = counts.into_iter().filter_map(|(count, what)| Some((count?, what))).collect();
        let height = embedded.body_height.map(|height| format!(", body {height:.2} m high")).unwrap_or_default();
        let counts = if known.is_empty() { String::new() } else { format!(", {}", counted(&known)) };
        line("embedded", format!("version {}{height}{counts}", embedded.version));
    }
    if let Some(textures) = &file.textures {
        text.push_str(&self::textures(textures));
    }
    if let Some(names) = &file.names {
        let all = names.nodes.iter().chain(&names.meshes);
        let changed: Vec<&Name> = all.filter(|name| name.raw != name.three).collect();
        if !changed.is_empty() {
            text.push_str(&format!("  {} names that three.js spells otherwise:\n", changed.len()));
            text.extend(changed.iter().map(|name| format!("    {} -> {}\n", named(&name.raw), named(&name.three))));
        }
    }
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

fn geometry(geometry: &Geometry) -> String {
    let g = geometry;
    let mut text = counted(&[(g.triangles, "triangles"), (g.vertices, "vertices"), (g.primitives, "primitives")]);
    if g.morph_targets > 0 {
        text.push_str(&format!(", {} morph targets ({} in memory)", g.morph_targets, units::bytes(g.morph_memory)));
    }
    if let (Some(least), Some(most)) = (g.least, g.most) {
        text.push_str(&format!(", {:.2} m high", most[1] - least[1]));
    }
    text
}

fn avatar(avatar: &Avatar) -> Vec<(&'static str, String)> {
    let a = avatar;
    let title = a.title.as_ref().map(|title| format!(", {title}")).unwrap_or_default();
    let mut lines = vec![("VRM", format!("{}{title}", a.vrm_version))];
    lines.push(("bones", a.bones.len().to_string()));
    let expressions: Vec<String> = a.expressions.iter().map(|e| e.name.clone()).collect();
    lines.push(("expressions", format!("{}: {}", expressions.len(), listed(&expressions))));
    lines.push((
        "springs",
        counted(&[(a.springs, "chains"), (a.spring_joints, "joints"), (a.colliders, "colliders"), (a.constraints, "constraints")]),
    ));
    lines
}

fn textures(textures: &[Texture]) -> String {
    let mut table = Table::new(["  texture", "format", "pixels", "bytes", "memory", "for"]);
    for t in textures {
        let pixels = format!("{}x{}", t.width, t.height);
        let name = format!("  {} {}", t.index, clean(&named(&t.name)));
        table.row([name, clean(&t.format), pixels, units::bytes(t.bytes), units::bytes(t.memory), t.uses.join(" ")]);
    }
    table.render()
}

/// Index, raw name and three.js name of every node and mesh, a line each, separated by tabs so that other programs can cut them.
pub fn names(file: &File) -> String {
    let Some(names) = &file.names else { return String::new() };
    let lines = |kind: &'static str, names: &[Name]| -> String {
        names.iter().map(|name| format!("{kind}\t{}\t{}\t{}\n", name.index, clean(&name.raw), clean(&name.three))).collect()
    };
    lines("node", &names.nodes) + &lines("mesh", &names.meshes)
}

fn counted(counts: &[(usize, &str)]) -> String {
    counts.iter().map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

fn listed(words: &[String]) -> String {
    if words.is_empty() { "none".into() } else { words.join(", ") }
}

fn named(name: &str) -> String {
    if name.is_empty() { "(no name)".into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::outcome::{Document, Expression, Names};

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
            document: Some(Document { nodes: 3, extensions_used: vec!["VRM".into()], ..Document::default() }),
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
                expressions: vec![Expression { name: "happy".into(), ..Expression::default() }],
                ..Avatar::default()
            }),
            names: Some(Names { nodes: vec![name("a.b", "ab"), name("same", "same")], meshes: vec![] }),
            ..File::default()
        };
        let wanted = "\
a.vrm: vrm, 12.3 kB
  bytes        textures 12.0 kB, json 300 B
  document     3 nodes, 0 meshes, 0 materials, 0 joints
  generator    not said
  extensions   VRM
  required     none
  geometry     7 triangles, 9 vertices, 1 primitives, 2 morph targets (288 B in memory)
  textures     1, 43 B in memory
  VRM          0.x
  bones        0
  expressions  1: happy
  springs      0 chains, 0 joints, 0 colliders, 0 constraints
  texture  format  pixels  bytes  memory
  0 skin      png     4x2   90 B    43 B
  1 names that three.js spells otherwise:
    a.b -> ab

";
        assert_eq!(inspect(&file), wanted);
        assert_eq!(names(&file), "node\t0\ta.b\tab\nnode\t0\tsame\tsame\n");
    }
}
