//! The outer shell of a 3D file: a GLB's header and chunks, or the text of a .gltf.
//!
//! Source: glTF 2.0 specification, chapter 4. What readers in the field accept (bytes after the end, unknown chunks, a BOM) is accepted
//! with a note; what they cannot open is an error.

use crate::report::{Finding, Place, Report, code};
use bytes::Bytes;
use serde_json::{Map, Value};

const MAGIC: &[u8] = b"glTF";
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

/// What a container holds.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// The root object.
    pub json: Map<String, Value>,
    /// Bytes of the JSON in the file: the JSON chunk of a GLB with its padding, or the whole of a .gltf.
    pub json_length: usize,
    /// The binary chunk of a GLB.
    pub bin: Option<Bytes>,
    /// Chunks of types that nobody here knows, kept to the letter: type and data.
    pub other_chunks: Vec<(u32, Bytes)>,
}

/// Opens a GLB or a .gltf text; `None` after a finding of severity error.
pub fn open(bytes: &Bytes, file: &str, report: &mut Report) -> Option<Parts> {
    let refuse = |report: &mut Report, message: &str, hint: &str| {
        report.add(Finding::new(&code::D001, Place::file(file), message).hint(hint));
        None
    };
    if bytes.starts_with(MAGIC) {
        return open_glb(bytes, file, report);
    }
    let text_start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if text_start.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{') {
        let json = parse_json(bytes, file, report)?;
        return Some(Parts { json, json_length: bytes.len(), ..Parts::default() });
    }
    match bytes.get(..4) {
        None => refuse(report, &format!("the file is {} bytes long, too short for a GLB", bytes.len()), code::D001.remedy),
        Some(b"PK\x03\x04") => refuse(report, "the file is a ZIP archive, not a GLB", "Unpack it and give the avatar inside."),
        Some(b"vers") => refuse(report, "the file is a Git LFS pointer, not the file itself", "Run `git lfs pull`."),
        Some(_) if bytes.starts_with(b"Kaydara FBX") => refuse(report, "the file is an FBX, not a GLB", "Export as VRM or GLB."),
        Some(_) => refuse(report, "the file does not begin with the magic word glTF", code::D001.remedy),
    }
}

fn open_glb(bytes: &Bytes, file: &str, report: &mut Report) -> Option<Parts> {
    let place = || Place::file(file);
    let word = |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let (Some(version), Some(length)) = (word(4), word(8)) else {
        report.add(Finding::new(&code::D001, place(), "the GLB is cut off inside its header").hint(code::D001.remedy));
        return None;
    };
    if version != 2 {
        report.add(Finding::new(&code::D001, place(), format!("the GLB has version {version}; only 2 is read")).hint(code::D001.remedy));
        return None;
    }
    let length = length as usize;
    if length > bytes.len() {
        let message = format!("the GLB says it is {length} bytes long, but the file has {}", bytes.len());
        report.add(Finding::new(&code::D001, place(), message).hint("Copy or export it again: it was cut off."));
        return None;
    }
    let odd = |report: &mut Report, message: String| report.add(Finding::new(&code::D002, Place::file(file), message));
    if length < bytes.len() {
        odd(report, format!("the GLB says it is {length} bytes long, but the file has {}", bytes.len()));
    }
    let (mut json, mut bin, mut other_chunks) = (None, None, Vec::new());
    let mut at = 12;
    // Readers go by the chunks, so a length that is too small does not hide a chunk that is there.
    while at < bytes.len() && (at < length || json.is_none()) {
        let (Some(size), Some(kind)) = (word(at), word(at + 4)) else {
            report.add(
                Finding::new(&code::D001, place(), format!("the chunk at byte {at} is cut off in its header")).hint(code::D001.remedy),
            );
            return None;
        };
        let (start, size) = (at + 8, size as usize);
        let Some(end) = start.checked_add(size).filter(|&end| end <= bytes.len()) else {
            let message = format!("the chunk at byte {at} is {size} bytes long, past the end of the file");
            report.add(Finding::new(&code::D001, place(), message).hint("Copy or export it again: it was cut off."));
            return None;
        };
        if size % 4 != 0 {
            odd(report, format!("the chunk at byte {at} is {size} bytes long, not a multiple of 4"));
        }
        let data = bytes.slice(start..end);
        match kind {
            JSON if json.is_none() => json = Some(data),
            BIN if bin.is_none() => bin = Some(data),
            JSON | BIN => odd(report, format!("the chunk at byte {at} is a second one of its kind; readers skip it")),
            _ => other_chunks.push((kind, data)),
        }
        at = end;
    }
    let Some(json) = json else {
        report.add(Finding::new(&code::D001, place(), "the GLB has no JSON chunk").hint(code::D001.remedy));
        return None;
    };
    let json_length = json.len();
    let json = parse_json(&json, file, report)?;
    Some(Parts { json, json_length, bin, other_chunks })
}

fn parse_json(bytes: &[u8], file: &str, report: &mut Report) -> Option<Map<String, Value>> {
    let mut refuse = |message: String| {
        report.add(Finding::new(&code::D003, Place::file(file), message).hint(code::D003.remedy));
        None
    };
    let (bytes, had_mark) = bytes.strip_prefix(b"\xef\xbb\xbf").map_or((bytes, false), |rest| (rest, true));
    // Some exporters pad with zero bytes instead of spaces.
    let bytes = &bytes[..bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1)];
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => return refuse(format!("the JSON is not UTF-8 at its byte {}", e.valid_up_to())),
    };
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) => {
            if had_mark {
                report.add(Finding::new(&code::D002, Place::file(file), "the JSON begins with a byte-order mark"));
            }
            Some(map)
        }
        Ok(_) => refuse("the JSON is not an object".into()),
        Err(e) => refuse(format!("the JSON does not parse: {e}")),
    }
}

/// Puts a GLB together; `None` when it would be 4 GiB or longer.
pub fn write_glb(json: &Map<String, Value>, bin: &[u8], other_chunks: &[(u32, Bytes)]) -> Option<Vec<u8>> {
    let text = serde_json::to_vec(json).expect("a JSON value in memory can always be written");
    let padded = |n: usize| n.next_multiple_of(4);
    let mut length = 12 + 8 + padded(text.len());
    if !bin.is_empty() {
        length += 8 + padded(bin.len());
    }
    length += other_chunks.iter().map(|(_, data)| 8 + padded(data.len())).sum::<usize>();
    let mut out = Vec::with_capacity(length);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&2u32.to_le_bytes());
    out.extend_from_slice(&u32::try_from(length).ok()?.to_le_bytes());
    let mut chunk = |kind: u32, data: &[u8], pad: u8| {
        out.extend_from_slice(&(padded(data.len()) as u32).to_le_bytes());
        out.extend_from_slice(&kind.to_le_bytes());
        out.extend_from_slice(data);
        out.resize(out.len().next_multiple_of(4), pad);
    };
    chunk(JSON, &text, b' ');
    if !bin.is_empty() {
        chunk(BIN, bin, 0);
    }
    for (kind, data) in other_chunks {
        chunk(*kind, data, 0);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(bytes: &[u8]) -> (Option<Parts>, Vec<&'static str>) {
        let mut report = Report::default();
        let parts = open(&Bytes::copy_from_slice(bytes), "a.glb", &mut report);
        (parts, report.findings.iter().map(|f| f.code.id).collect())
    }

    fn glb(chunks: &[(u32, &[u8])]) -> Vec<u8> {
        let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
        for (kind, data) in chunks {
            out.extend((data.len() as u32).to_le_bytes());
            out.extend(kind.to_le_bytes());
            out.extend(*data);
        }
        let length = out.len() as u32;
        out[8..12].copy_from_slice(&length.to_le_bytes());
        out
    }

    #[test]
    fn written_and_read_again() {
        let json = serde_json::json!({"asset": {"version": "2.0"}, "extras": {"n": 1}});
        let bytes = write_glb(json.as_object().unwrap(), &[1, 2, 3], &[(0x1234, Bytes::from_static(b"abcd"))]).unwrap();
        let (parts, codes) = opened(&bytes);
        let parts = parts.unwrap();
        assert_eq!(Value::Object(parts.json), json);
        assert_eq!(&parts.bin.unwrap()[..], [1, 2, 3, 0]);
        assert_eq!(parts.other_chunks, [(0x1234, Bytes::from_static(b"abcd"))]);
        assert!(codes.is_empty());
    }

    #[test]
    fn number_spelling_is_kept() {
        let text = br#"{"a":1.0,"b":0.30000001192092896,"c":1e-7,"d":-0.0,"e":12345678901234567890,"f":1e+5}"#;
        let (parts, _) = opened(text);
        assert_eq!(serde_json::to_string(&parts.unwrap().json).unwrap().as_bytes(), text);
    }

    #[test]
    fn faults_of_the_container_are_findings() {
        assert_eq!(opened(b"").1, ["D001"]);
        assert_eq!(opened(b"glTF\x02\0\0").1, ["D001"]);
        assert_eq!(opened(b"glTF\x01\0\0\0\x0c\0\0\0").1, ["D001"]);
        assert_eq!(opened(&glb(&[])).1, ["D001"]);
        assert_eq!(opened(&glb(&[(BIN, b"1234")])).1, ["D001"]);
        assert_eq!(opened(&glb(&[(JSON, b"{  ")])).1, ["D002", "D003"]);
        assert_eq!(opened(&glb(&[(JSON, b"[]  ")])).1, ["D003"]);
        assert_eq!(opened(&glb(&[(JSON, b"{\"\xff\":1}")])).1, ["D002", "D003"]);
        let mut long = glb(&[(JSON, b"{}  ")]);
        long.extend(b"tail");
        assert_eq!(opened(&long).1, ["D002"]);
        let whole = glb(&[(JSON, b"{}  ")]);
        assert_eq!(opened(&whole[..22]).1, ["D001"]);
        assert_eq!(opened(&glb(&[(JSON, b"{}  "), (JSON, b"{}  ")])).1, ["D002"]);
        let deep = [b"{\"a\":".repeat(1000), b"1".to_vec(), b"}".repeat(1000)].concat();
        assert_eq!(opened(&deep).1, ["D003"]);
    }
}
