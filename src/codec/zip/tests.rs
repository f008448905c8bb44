//! Archives made by hand, one fault each.

use super::*;
use std::io::Read;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const SMALL: Limits = Limits { total: 4 << 20, entries: 8, ratio: 200, ratio_from: 1 << 20 };

/// One entry, with every field that a hostile writer could set.
#[derive(Clone)]
struct Raw {
    name: Vec<u8>,
    local_name: Vec<u8>,
    data: Vec<u8>,
    flags: u16,
    method: u16,
    checksum: u32,
    size: u32,
    local_size: u32,
    mode: u32,
    before: Vec<u8>,
    after: Vec<u8>,
    extra: Vec<u8>,
}

fn stored(name: &str, data: &[u8]) -> Raw {
    Raw {
        name: name.into(),
        local_name: name.into(),
        data: data.into(),
        flags: 0,
        method: 0,
        checksum: checksum(data),
        size: data.len() as u32,
        local_size: data.len() as u32,
        mode: 0o100_644,
        before: Vec::new(),
        after: Vec::new(),
        extra: Vec::new(),
    }
}

fn deflated(name: &str, data: &[u8]) -> Raw {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, data).expect("in memory");
    Raw { method: 8, data: encoder.finish().expect("in memory"), ..stored(name, data) }.with(|r| {
        (r.checksum, r.size, r.local_size) = (checksum(data), data.len() as u32, data.len() as u32);
    })
}

impl Raw {
    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

fn archive(entries: &[Raw]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for e in entries {
        out.extend_from_slice(&e.before);
        let offset = out.len() as u32;
        let open = e.flags & 8 != 0;
        out.extend_from_slice(b"PK\x03\x04\x14\0");
        out.extend_from_slice(&[e.flags.to_le_bytes(), e.method.to_le_bytes(), [0; 2], [0; 2]].concat());
        let sizes = [e.checksum, e.data.len() as u32, e.local_size].map(|n| if open { 0u32 } else { n }.to_le_bytes());
        out.extend_from_slice(&sizes.concat());
        out.extend_from_slice(&[(e.local_name.len() as u16).to_le_bytes(), [0; 2]].concat());
        out.extend_from_slice(&e.local_name);
        out.extend_from_slice(&e.data);
        out.extend_from_slice(&e.after);
        directory.extend_from_slice(b"PK\x01\x02\x14\x03\x14\0");
        directory.extend_from_slice(&[e.flags.to_le_bytes(), e.method.to_le_bytes(), [0; 2], [0; 2]].concat());
        directory.extend_from_slice(&[e.checksum, e.data.len() as u32, e.size].map(u32::to_le_bytes).concat());
        directory.extend_from_slice(&[e.name.len() as u16, e.extra.len() as u16, 0, 0, 0].map(u16::to_le_bytes).concat());
        directory.extend_from_slice(&[e.mode << 16, offset].map(u32::to_le_bytes).concat());
        directory.extend_from_slice(&e.name);
        directory.extend_from_slice(&e.extra);
    }
    let (start, size, count) = (out.len() as u32, directory.len() as u32, entries.len() as u16);
    out.extend_from_slice(&directory);
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    out.extend_from_slice(&[count.to_le_bytes(), count.to_le_bytes()].concat());
    out.extend_from_slice(&[size, start].map(u32::to_le_bytes).concat());
    out.extend_from_slice(&[0, 0]);
    out
}

fn faults(bytes: &[u8]) -> Vec<(String, Fault)> {
    read(bytes, &SMALL).problems.into_iter().map(|p| (p.entry, p.fault)).collect()
}

/// The one fault of the archive of these entries.
fn fault(entries: &[Raw]) -> Fault {
    let mut all = faults(&archive(entries));
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).1
}

/// Bytes that do not compress: Marsaglia's xorshift.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn an_honest_archive_is_read_back() -> Outcome {
    let text = "to and fro ".repeat(100);
    let bytes = archive(&[stored("a/", b""), stored("a/one.bin", b"one"), deflated("two.txt", text.as_bytes()), deflated("empty", b"")]);
    let archive = read(&bytes, &SMALL);
    assert_eq!(archive.problems, []);
    let contents: Vec<_> = archive.entries.iter().map(|e| (e.name.as_str(), e.is_folder(), archive.unpack(e))).collect();
    let expected = [
        ("a/", true, Ok(Vec::new())),
        ("a/one.bin", false, Ok(b"one".to_vec())),
        ("two.txt", false, Ok(text.into_bytes())),
        ("empty", false, Ok(Vec::new())),
    ];
    assert_eq!(contents, expected);
    Ok(())
}

#[test]
fn what_is_written_is_the_same_for_the_same_files_and_others_can_read_it() -> Outcome {
    let noise = noise(5000);
    let files = [("b/é.txt", Bytes::from("x".repeat(3000))), ("a.PNG", "aaaaaaaaaaaaaaaaaaaaaaaaaa".into()), ("b/noise.bin", noise.into())];
    let bytes = write(&files)?;
    let mut turned = files.clone();
    turned.reverse();
    assert_eq!(bytes, write(&turned)?);

    let ours = read(&bytes, &SMALL);
    assert_eq!(ours.problems, []);
    assert_eq!(ours.entries.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["a.PNG", "b/noise.bin", "b/é.txt"]);

    let mut theirs = zip::ZipArchive::new(std::io::Cursor::new(&bytes))?;
    assert_eq!(theirs.len(), 3);
    for (path, contents) in &files {
        let mut file = theirs.by_name(path)?;
        assert_eq!((file.unix_mode(), file.is_file()), (Some(0o100_644), true));
        let time = file.last_modified().ok_or("no time")?;
        assert_eq!((time.year(), time.month(), time.day(), time.hour(), time.second()), (1980, 1, 1, 0, 0));
        assert_eq!(file.extra_data().unwrap_or_default().len(), 0);
        let is_deflated = file.compression() == zip::CompressionMethod::Deflated;
        assert_eq!(is_deflated, *path == "b/é.txt", "{path}");
        let mut read_back = Vec::new();
        file.read_to_end(&mut read_back)?;
        assert_eq!(&read_back, contents);
    }
    assert_eq!(write::<&str, Bytes>(&[])?.len(), 22);
    Ok(())
}

#[test]
fn an_archive_is_these_bytes() -> Outcome {
    let expected = [
        b"PK\x03\x04\x14\0\0\0\0\0\0\0\x21\0\x20\x30\x3a\x36\x06\0\0\0\x06\0\0\0\x01\0\0\0ahello\n".as_slice(),
        b"PK\x01\x02\x14\x03\x14\0\0\0\0\0\0\0\x21\0\x20\x30\x3a\x36\x06\0\0\0\x06\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\xa4\x81\0\0\0\0a",
        b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x2f\0\0\0\x25\0\0\0\0\0",
    ];
    assert_eq!(write(&[("a", "hello\n")])?, expected.concat());
    Ok(())
}

#[test]
fn what_cannot_be_read_back_is_not_written() {
    assert_eq!(write(&[("a/b", ""), ("A/B", "")]), Err(WriteError::Duplicate("A/B".into(), "a/b".into())));
    assert!(matches!(write(&[("../a", "")]), Err(WriteError::Name { .. })));
    assert!(matches!(write(&[("a/", "")]), Err(WriteError::Name { .. })));
}

#[test]
fn hostile_names_are_refused() {
    for name in ["../evil", "/etc/evil", "C:evil.txt", "a\\b", "a\0b", "a//b", "NUL.txt"] {
        assert!(matches!(fault(&[stored(name, b"x")]), Fault::Name(_)), "{name}");
    }
    assert!(matches!(fault(&[stored("", b"x")]), Fault::Name("is empty")));
    let raw = |bytes: &[u8], flags| stored("x", b"x").with(|r| (r.name, r.local_name, r.flags) = (bytes.to_vec(), bytes.to_vec(), flags));
    assert!(matches!(fault(&[raw(b"\xff\xfe", 0)]), Fault::Name(_)));
    assert!(matches!(fault(&[raw(b"\x95\x5c.png", 0x800)]), Fault::Name(_)));
    let bytes = archive(&[raw(b"\x95\x5c.png", 0)]);
    let japanese = read(&bytes, &SMALL);
    assert_eq!((japanese.problems.len(), japanese.entries[0].name.as_str()), (0, "表.png"));
    assert_eq!(japanese.entries[0].encoding, Encoding::ShiftJis);
    // Info-ZIP's Unicode path extra field.
    let extra = [b"\x75\x70\x09\0\x01\0\0\0\0".as_slice(), b"evil"].concat();
    assert_eq!(fault(&[stored("good", b"x").with(|r| r.extra = extra)]), Fault::TwoNames("evil".into()));
}

#[test]
fn one_name_is_one_file() {
    assert_eq!(fault(&[stored("a", b"1"), stored("a", b"2")]), Fault::Duplicate);
    assert_eq!(fault(&[stored("a/B.png", b"1"), stored("A/b.png", b"2")]), Fault::SameButForCase("a/B.png".into()));
    assert_eq!(fault(&[stored("caf\u{e9}", b"1"), stored("cafe\u{301}", b"2")]), Fault::SameButForCase("caf\u{e9}".into()));
    assert_eq!(fault(&[stored("a", b"1"), stored("a/b", b"2")]), Fault::FileAndFolder);
    assert_eq!(fault(&[stored("a", b"1"), stored("a/", b"")]), Fault::FileAndFolder);
}

#[test]
fn links_encryption_and_odd_methods_are_refused() {
    let good = || stored("a", b"secret");
    assert_eq!(fault(&[good().with(|r| r.mode = 0o120_777)]), Fault::Link);
    assert_eq!(fault(&[good().with(|r| r.mode = 0o020_644)]), Fault::Special);
    assert_eq!(fault(&[good().with(|r| r.flags = 1)]), Fault::Encrypted);
    assert_eq!(fault(&[good().with(|r| r.method = 93)]), Fault::Method(93));
    let bytes = archive(&[good().with(|r| r.mode = 0o120_777)]);
    let link = read(&bytes, &SMALL);
    assert_eq!(link.unpack(&link.entries[0]).map_err(|p| p.fault), Err(Fault::Link));
}

#[test]
fn both_headers_must_agree() {
    let good = || stored("a", b"secret");
    assert_eq!(fault(&[good().with(|r| r.local_name = b"b".to_vec())]), Fault::LocalHeader("name"));
    assert_eq!(fault(&[good().with(|r| r.local_size = 5)]), Fault::LocalHeader("sizes"));
    let at = |position: usize, byte: u8| {
        let mut bytes = archive(&[good()]);
        bytes[position] = byte;
        faults(&bytes).into_iter().map(|(_, fault)| fault).collect::<Vec<_>>()
    };
    assert_eq!(at(8, 8), [Fault::LocalHeader("method")]);
    assert_eq!(at(8, 12), [Fault::LocalHeader("method")]);
    assert_eq!(at(6, 8), [Fault::LocalHeader("flags")]);
    assert_eq!(at(14, 0xff), [Fault::LocalHeader("checksum")]);
    assert_eq!(at(0, b'Q'), [Fault::Damaged("its local header is missing")]);
}

#[test]
fn sizes_and_checksums_are_not_believed() {
    let unpacked = |entry: Raw| {
        let bytes = archive(&[entry]);
        let archive = read(&bytes, &SMALL);
        archive.problems.first().map(|p| Err(p.fault.clone())).unwrap_or_else(|| archive.unpack(&archive.entries[0]).map_err(|p| p.fault))
    };
    let lie = |size: u32| deflated("a", b"hello hello hello").with(|r| (r.size, r.local_size) = (size, size));
    assert_eq!(unpacked(lie(17)), Ok(b"hello hello hello".to_vec()));
    for size in [0, 16, 18, 4000] {
        assert_eq!(unpacked(lie(size)), Err(Fault::Size(size.into())), "{size}");
    }
    assert_eq!(unpacked(stored("a", b"abc").with(|r| (r.size, r.local_size) = (4, 4))), Err(Fault::Size(4)));
    assert_eq!(unpacked(stored("a", b"abc").with(|r| r.checksum ^= 1)), Err(Fault::Checksum));
    assert_eq!(unpacked(deflated("a", b"abc").with(|r| r.data.push(7))), Err(Fault::Hidden { at: 5, count: 1 }));
    assert!(matches!(unpacked(deflated("a", b"abc").with(|r| r.data.truncate(3))), Err(Fault::Damaged(_))));
    assert!(matches!(unpacked(deflated("a", b"abc").with(|r| r.data[0] = 0xff)), Err(Fault::Damaged(_))));
}

#[test]
fn bombs_are_not_unpacked() {
    let bomb = deflated("zeros", &vec![0; 3 << 20]);
    assert!(matches!(fault(std::slice::from_ref(&bomb)), Fault::Ratio { size: 3_145_728, .. }));
    let bytes = archive(&[bomb]);
    let found = read(&bytes, &SMALL);
    assert!(found.unpack(&found.entries[0]).is_err());
    // Under a megabyte anything goes.
    assert!(read(&archive(&[deflated("zeros", &vec![0; 1 << 20])]), &SMALL).problems.is_empty());
    let noise = noise(900_000);
    let many: Vec<_> = ["a", "b", "c", "d", "e"].iter().map(|name| stored(name, &noise)).collect();
    assert_eq!(fault(&many), Fault::TooLarge { total: 4_500_000, most: 4 << 20 });
    let names: Vec<_> = (0..9).map(|i| stored(&format!("f{i}"), b"")).collect();
    assert_eq!(fault(&names), Fault::TooManyEntries { count: 9, most: 8 });
}

#[test]
fn nothing_hides_before_between_or_behind() {
    let (a, b) = (stored("a", b"1"), stored("b", b"2"));
    assert_eq!(fault(&[a.clone().with(|r| r.before = vec![1; 5])]), Fault::Hidden { at: 0, count: 5 });
    assert_eq!(fault(&[a.clone(), b.clone().with(|r| r.before = vec![1; 5])]), Fault::Hidden { at: 32, count: 5 });
    assert_eq!(fault(&[a.clone(), b.clone().with(|r| r.after = vec![1; 5])]), Fault::Hidden { at: 64, count: 5 });
    let good = archive(&[a.clone(), b.clone()]);
    let of = |bytes: &[u8]| faults(bytes).into_iter().map(|(_, fault)| fault).collect::<Vec<_>>();
    assert_eq!(of(&[&good[..], b"tail"].concat()), [Fault::Hidden { at: good.len(), count: 4 }]);
    assert_eq!(of(&[b"head", &good[..]].concat()), [Fault::Hidden { at: 0, count: 4 }]);
    // Another archive in the comment of the first.
    let inner = archive(&[stored("evil", b"3")]);
    let mut outer = good.clone();
    let at = outer.len() - 2;
    outer[at..].copy_from_slice(&(inner.len() as u16).to_le_bytes());
    outer.extend_from_slice(&inner);
    assert_eq!(of(&outer), [Fault::TwoEnds]);
    assert_eq!(of(b"PK\x03\x04 not an archive at all"), [Fault::NotAnArchive]);
    assert_eq!(of(b""), [Fault::NotAnArchive]);
    assert_eq!(of(&good[..good.len() - 1]), [Fault::NotAnArchive]);
}

#[test]
fn entries_do_not_share_bytes() {
    // The second record points at the local header of the first.
    let mut bytes = archive(&[stored("a", b"1"), stored("a", b"1")]);
    let second = bytes.len() - END_OF_DIRECTORY - 47 + 42;
    bytes[second..second + 4].copy_from_slice(&0u32.to_le_bytes());
    let found: Vec<_> = faults(&bytes).into_iter().map(|(_, fault)| fault).collect();
    assert!(found.contains(&Fault::Overlap) && found.contains(&Fault::Duplicate), "{found:?}");
}

const END_OF_DIRECTORY: usize = 22;

#[test]
fn data_descriptors_are_no_hiding_place() {
    let open = |after: &[u8]| stored("a", b"hello\n").with(|r| (r.flags, r.after) = (8, after.to_vec()));
    let plain = b"\x20\x30\x3a\x36\x06\0\0\0\x06\0\0\0";
    for good in [&plain[..], &[b"PK\x07\x08", &plain[..]].concat(), b"PK\x07\x08\x20\x30\x3a\x36\x06\0\0\0\0\0\0\0\x06\0\0\0\0\0\0\0"] {
        let bytes = archive(&[open(good), stored("b", b"2")]);
        let archive = read(&bytes, &SMALL);
        assert_eq!(archive.problems, []);
        assert_eq!(archive.unpack(&archive.entries[0]), Ok(b"hello\n".to_vec()));
    }
    assert_eq!(fault(&[open(b"something else")]), Fault::Hidden { at: 37, count: 14 });
    assert_eq!(fault(&[open(&[&plain[..], b"x"].concat())]), Fault::Hidden { at: 49, count: 1 });
}

proptest::proptest! {
    #[test]
    fn no_damage_makes_it_panic(flips in proptest::collection::vec((0usize..4000, proptest::num::u8::ANY), 1..6), cut in 0usize..4000) {
        let text = "to and fro ".repeat(20);
        let mut bytes = archive(&[stored("a/one.bin", b"one"), deflated("two.txt", text.as_bytes()), stored("é", b"three").with(|r| r.flags = 8)]);
        let length = bytes.len();
        for (at, byte) in flips {
            bytes[at % length] = byte;
        }
        if cut % 4 == 0 {
            bytes.truncate(cut % length);
        }
        let archive = read(&bytes, &SMALL);
        for entry in &archive.entries {
            if let Ok(contents) = archive.unpack(entry) {
                proptest::prop_assert_eq!(contents.len() as u64, entry.size);
            }
        }
    }
}
