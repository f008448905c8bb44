//! A pack that breaks one rule, made of a sample and the changes of a `case.json`.

use crate::folder::copy;
use companion_build::build::outcome::Finding;
use companion_build::codec::image::{Picture, encode_png};
use companion_build::gltf::container::write_glb;
use companion_build::report::code;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

const MARK: char = '«';

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/findings")
}

pub fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

pub struct Case {
    /// The name of its folder.
    pub name: String,
    json: Value,
    /// Where the mark stood: line and column.
    marked: std::cell::Cell<Option<(usize, usize)>>,
}

impl Case {
    pub fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join("case.json")).unwrap_or_else(|_| panic!("{} has no case.json", folder.display()));
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name, json, marked: std::cell::Cell::new(None) }
    }

    pub fn code(&self) -> &str {
        self.expected("code")
    }

    fn expected(&self, member: &str) -> &str {
        self.json["expect"][member].as_str().unwrap_or_default()
    }

    /// The members of one kind of change: path and value.
    fn changes(&self, kind: &str) -> impl Iterator<Item = (&str, &Value)> {
        self.json[kind].as_object().into_iter().flatten().map(|(path, value)| (path.as_str(), value))
    }

    /// Writes the pack into a folder of its own.
    pub fn write(&self, folder: &Path) -> PathBuf {
        std::fs::create_dir_all(folder).expect("a folder");
        if self.json["base"] != "empty" {
            copy(&samples().join(self.json["base"].as_str().expect("a base")), folder);
        }
        let at = |path: &str| folder.join(path.trim_end_matches('/'));
        let second = |value: &Value| at(value.as_str().expect("a path"));
        for (from, to) in self.changes("copyfile").chain(self.changes("copy")) {
            copy(&at(from), &second(to));
        }
        for (from, to) in self.changes("rename") {
            std::fs::rename(at(from), second(to)).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        }
        for path in self.json["remove"].as_array().into_iter().flatten() {
            std::fs::remove_file(second(path)).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        }
        for edit in self.json["edit"].as_array().into_iter().flatten() {
            let [file, old, new] = ["file", "replace", "with"].map(|member| edit[member].as_str().expect("a text"));
            let text = std::fs::read_to_string(at(file)).expect("a text file");
            assert!(text.contains(old), "{}: {file} holds no {old}", self.name);
            self.put(&at(file), text.replacen(old, new, 1));
        }
        for (path, text) in self.changes("text") {
            std::fs::create_dir_all(at(path).parent().expect("a folder")).expect("a folder");
            self.put(&at(path), text.as_str().expect("a text").to_owned());
        }
        if let Some([file, from, to]) = self.json["cut"].as_array().map(Vec::as_slice) {
            let text = std::fs::read_to_string(second(file)).expect("a text file");
            let start = text.find(from.as_str().expect("a text")).expect("the text to cut");
            let end = start + text[start..].find(to.as_str().expect("a text")).expect("its end") + 1;
            self.put(&second(file), format!("{}{}", &text[..start], &text[end..]));
        }
        for (path, length) in self.changes("resize") {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(at(path)).expect("a file");
            file.set_len(length.as_u64().expect("a length")).expect("room");
        }
        #[cfg(unix)]
        for (path, to) in self.changes("link") {
            std::fs::remove_file(at(path)).expect("a file");
            std::os::unix::fs::symlink(to.as_str().expect("a path"), at(path)).expect("a link");
        }
        if let Some(file) = self.json["glb"]["file"].as_str() {
            let bytes = std::fs::read(at(file)).expect("a GLB");
            std::fs::write(at(file), changed(&bytes, &self.json["glb"])).expect("a GLB");
        }
        folder.to_owned()
    }

    /// Writes a text without its mark, having noted where it stood; `{{x*100}}` becomes x a hundred times.
    fn put(&self, path: &Path, mut text: String) {
        while let Some(start) = text.find("{{") {
            let Some(end) = text[start..].find("}}").map(|end| start + end) else { break };
            let Some((what, count)) = text[start + 2..end].split_once('*') else { break };
            let Ok(count) = count.parse() else { break };
            text = format!("{}{}{}", &text[..start], what.repeat(count), &text[end + 2..]);
        }
        if let Some(mark) = text.find(MARK) {
            let before = &text[..mark];
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            self.marked.set(Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)));
            text.remove(mark);
        }
        std::fs::write(path, text).expect("a text file");
    }

    /// What is wrong with what was found.
    pub fn judge(&self, found: &[Finding]) -> Vec<String> {
        let mut wrong = Vec::new();
        let wanted = code::find(self.code()).unwrap_or_else(|| panic!("{}: no code", self.name));
        let severity = self.json["expect"]["severity"].as_str().unwrap_or(wanted.severity().word());
        let here: Vec<&Finding> = found.iter().filter(|f| f.code == wanted.id && f.file == self.expected("file")).collect();
        let exact = here.iter().find(|f| f.pointer == self.expected("pointer"));
        let Some(finding) = exact else {
            let list: Vec<String> = found.iter().map(|f| format!("{} {}#{} {}", f.code, f.file, f.pointer, f.message)).collect();
            return vec![format!(
                "not found at {}#{}; found:\n    {}",
                self.expected("file"),
                self.expected("pointer"),
                list.join("\n    ")
            )];
        };
        if finding.severity != severity {
            wrong.push(format!("{} instead of {severity}", finding.severity));
        }
        if let Some(place) = self.marked.get()
            && (finding.line, finding.column) != (Some(place.0), Some(place.1))
        {
            wrong.push(format!("at {:?}:{:?} instead of {}:{}", finding.line, finding.column, place.0, place.1));
        }
        for (member, shown) in [("message", &finding.message), ("hint", &finding.hint)] {
            if self.json["expect"][member] != **shown {
                wrong.push(format!("the {member} is {shown:?}, not {}", self.json["expect"][member]));
            }
        }
        let also: Vec<&str> = self.json["also"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for code in also.iter().filter(|code| !found.iter().any(|f| f.severity != "note" && f.code == **code)) {
            wrong.push(format!("{code} need not be expected"));
        }
        for other in found.iter().filter(|f| f.severity != "note" && f.code != wanted.id && !also.contains(&f.code.as_str())) {
            wrong.push(format!("also {} {} {}#{}: {}", other.code, other.severity, other.file, other.pointer, other.message));
        }
        wrong
    }
}

/// A GLB with changes to its JSON and its pictures.
fn changed(bytes: &[u8], changes: &Value) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    let length = word(12);
    let mut json: Value = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    let mut bin = bytes.get(28 + length..).unwrap_or_default().to_vec();
    if let Some([old, new]) = changes["replace"].as_array().map(Vec::as_slice) {
        let text = json.to_string().replace(old.as_str().expect("a text"), new.as_str().expect("a text"));
        json = serde_json::from_str(&text).expect("JSON");
    }
    for (pointer, value) in changes["set"].as_object().into_iter().flatten() {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        match json.pointer_mut(parent).unwrap_or_else(|| panic!("nothing at {parent}")) {
            Value::Array(list) => list[key.parse::<usize>().expect("an index")] = value.clone(),
            other => other[key] = value.clone(),
        }
    }
    for pointer in changes["remove"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        json.pointer_mut(parent).and_then(Value::as_object_mut).map(|object| object.remove(key));
    }
    if let Some(list) = changes["each"]["list"].as_str() {
        for element in json[list].as_array_mut().into_iter().flatten() {
            for key in changes["each"]["remove"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                element.as_object_mut().map(|object| object.remove(key));
            }
        }
    }
    let several = |mesh: &&Value| mesh["primitives"].as_array().is_some_and(|primitives| primitives.len() > 1);
    let clash = changes["mesh_clash"]
        .as_str()
        .map(|node| (node.to_owned(), json["meshes"].as_array().and_then(|m| m.iter().find(several)).expect("one")["name"].clone()));
    let rename = changes["rename_node"].as_array().map(|pair| (pair[0].as_str().expect("a name").to_owned(), pair[1].clone()));
    for (old, new) in clash.into_iter().chain(rename) {
        let nodes = json["nodes"].as_array_mut().expect("nodes");
        nodes.iter_mut().find(|node| node["name"] == old.as_str()).expect("the node")["name"] = new;
    }
    for (name, members) in changes["set_node"].as_object().into_iter().flatten() {
        let nodes = json["nodes"].as_array_mut().expect("nodes");
        let node = nodes.iter_mut().find(|node| node["name"] == name.as_str()).expect("the node");
        members.as_object().into_iter().flatten().for_each(|(key, value)| node[key] = value.clone());
    }
    if let Some([node, path]) = changes["drop_channel"].as_array().map(Vec::as_slice) {
        let index = json["nodes"].as_array().expect("nodes").iter().position(|own| own["name"] == *node).expect("the node");
        let channels = json["animations"][0]["channels"].as_array_mut().expect("channels");
        channels.retain(|channel| channel["target"] != json!({ "node": index, "path": path }));
    }
    if changes["normalized"] == true {
        // Integers in place of the first rotation: what a shrink for the web writes.
        let sampler = json["animations"][0]["channels"].as_array().expect("channels").iter();
        let sampler = sampler.filter(|c| c["target"]["path"] == "rotation").filter_map(|c| c["sampler"].as_u64()).next().expect("one");
        let accessor = json["animations"][0]["samplers"][sampler as usize]["output"].as_u64().expect("an accessor") as usize;
        json["accessors"][accessor]["componentType"] = json!(5122);
        json["accessors"][accessor]["normalized"] = json!(true);
    }
    for track in changes["animate"].as_array().into_iter().flatten() {
        animate(&mut json, &mut bin, track);
    }
    let times = changes["times"].as_u64().unwrap_or(1);
    if let Some([width, height]) = changes["png"].as_array().map(Vec::as_slice) {
        let (width, height) = (width.as_u64().expect("a width") as u32, height.as_u64().expect("a height") as u32);
        let picture = Picture { width, height, channels: 3, pixels: vec![120; (width * height * 3) as usize] };
        let png = encode_png(&picture).expect("a PNG");
        (0..times).for_each(|at| embed(&mut json, &mut bin, &png, at as usize));
    }
    if let Some(text) = changes["picture_text"].as_str() {
        embed(&mut json, &mut bin, text.as_bytes(), 0);
    }
    write_glb(json.as_object().expect("an object"), &bin, &[]).expect("room")
}

/// Adds a track to the animation `into`, or to a new one.
fn animate(json: &mut Value, bin: &mut Vec<u8>, track: &Value) {
    let floats = |value: &Value| -> Vec<f32> {
        let flat = value.as_array().into_iter().flatten();
        flat.flat_map(|v| v.as_array().cloned().unwrap_or_else(|| vec![v.clone()])).map(|v| v.as_f64().expect("a number") as f32).collect()
    };
    let mut accessor = |values: Vec<f32>, kind: &str, width: usize| {
        let offset = bin.len().next_multiple_of(4);
        bin.resize(offset, 0);
        bin.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        json["buffers"][0]["byteLength"] = json!(bin.len());
        let views = json["bufferViews"].as_array_mut().expect("views");
        views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": 4 * values.len() }));
        let view = views.len() - 1;
        let accessors = json["accessors"].as_array_mut().expect("accessors");
        let mut element = json!({ "bufferView": view, "componentType": 5126, "type": kind, "count": values.len() / width });
        if width == 1 {
            (element["min"], element["max"]) = (json!([values[0]]), json!([values[values.len() - 1]]));
        }
        accessors.push(element);
        accessors.len() - 1
    };
    let is_rotation = track["path"] == "rotation";
    let input = accessor(floats(&track["times"]), "SCALAR", 1);
    let output = if is_rotation { accessor(floats(&track["values"]), "VEC4", 4) } else { accessor(floats(&track["values"]), "VEC3", 3) };
    let node = json["nodes"].as_array().expect("nodes").iter().position(|node| node["name"] == track["node"]).expect("the node");
    let root = json.as_object_mut().expect("an object");
    let animations = root.entry("animations").or_insert(json!([])).as_array_mut().expect("a list");
    let into = match track["into"].as_u64() {
        Some(index) => index as usize,
        None => {
            animations.push(json!({ "name": track["name"], "channels": [], "samplers": [] }));
            animations.len() - 1
        }
    };
    let animation = &mut animations[into];
    let samplers = animation["samplers"].as_array_mut().expect("samplers");
    samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
    let sampler = samplers.len() - 1;
    let channel = json!({ "sampler": sampler, "target": { "node": node, "path": track["path"] } });
    animation["channels"].as_array_mut().expect("channels").push(channel);
}

/// Puts a picture in place of an image, or adds it.
fn embed(json: &mut Value, bin: &mut Vec<u8>, picture: &[u8], image: usize) {
    let offset = bin.len().next_multiple_of(4);
    bin.resize(offset, 0);
    bin.extend(picture);
    json["buffers"][0]["byteLength"] = json!(bin.len());
    let views = json["bufferViews"].as_array_mut().expect("views");
    views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": picture.len() }));
    let view = views.len() - 1;
    let images =
        json.as_object_mut().map(|root: &mut Map<String, Value>| root.entry("images").or_insert(json!([]))).and_then(Value::as_array_mut);
    let element = json!({ "bufferView": view, "mimeType": "image/png", "name": "picture" });
    match images.expect("a list") {
        list if image < list.len() => list[image] = element,
        list => list.push(element),
    }
}
