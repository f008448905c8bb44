//! The scan of an archive's directory.

use super::{Archive, Encoding, Entry, Fault, Limits, Problem, names};
use crate::spelling;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const LOCAL: &[u8] = b"PK\x03\x04";
pub(super) const CENTRAL: &[u8] = b"PK\x01\x02";
pub(super) const END: &[u8] = b"PK\x05\x06";

pub(super) const STORED: u16 = 0;
pub(super) const DEFLATE: u16 = 8;

/// The system byte of "made by".
pub(super) const UNIX: u8 = 3;

/// Flag: the name is UTF-8.
pub(super) const UTF8: u16 = 1 << 11;
/// Flag: checksum and sizes stand after the packed bytes.
const DESCRIPTOR: u16 = 1 << 3;
/// Flags: encrypted, strongly encrypted, directory encrypted.
const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;

/// Sizes of the fixed parts of the records, in bytes.
const LOCAL_LENGTH: usize = 30;
const CENTRAL_LENGTH: usize = 46;
const END_LENGTH: usize = 22;

/// An entry with what only the scan needs to know.
struct Found {
    entry: Entry,
    /// Where its local header starts.
    offset: usize,
    flags: u16,
    method: u16,
}

impl Found {
    fn end(&self) -> usize {
        self.entry.start + self.entry.packed as usize
    }
}

struct Scan<'a> {
    bytes: &'a [u8],
    problems: Vec<Problem>,
}

pub(super) fn scan<'a>(bytes: &'a [u8], limits: &Limits) -> Archive<'a> {
    let mut scan = Scan { bytes, problems: Vec::new() };
    let mut found = match scan.directory(limits) {
        Ok((found, start)) => {
            let mut found = found;
            scan.places(&mut found, start);
            found
        }
        Err(fault) => {
            scan.whole(fault);
            Vec::new()
        }
    };
    scan.names(&found);
    let total = found.iter().fold(0u64, |total, f| total.saturating_add(f.entry.size));
    if total > limits.total {
        let fault = Fault::TooLarge { total, most: limits.total };
        found.iter_mut().for_each(|f| f.entry.blocked = Some(fault.clone()));
        scan.whole(fault);
    }
    Archive { bytes, entries: found.into_iter().map(|f| f.entry).collect(), problems: scan.problems }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// The extra fields of an entry: id and contents. What is cut off at the end is left out.
fn extra_fields(mut extra: &[u8]) -> Vec<(u16, &[u8])> {
    let mut fields = Vec::new();
    while extra.len() >= 4 {
        let (id, length) = (u16_at(extra, 0), u16_at(extra, 2) as usize);
        let Some(contents) = extra.get(4..4 + length) else { break };
        fields.push((id, contents));
        extra = &extra[4 + length..];
    }
    fields
}

impl<'a> Scan<'a> {
    fn whole(&mut self, fault: Fault) {
        self.problems.push(Problem { entry: String::new(), fault });
    }

    /// Notes a fault of an entry; one that makes it unsafe to unpack also blocks it.
    fn entry(&mut self, entry: &mut Entry, fault: Fault, blocks: bool) {
        if blocks && entry.blocked.is_none() {
            entry.blocked = Some(fault.clone());
        }
        self.problems.push(Problem { entry: entry.name.clone(), fault });
    }

    /// The place of the end record. Its comment must reach to the end of the file; else the last one that is followed by something is taken.
    fn end(&mut self) -> Result<usize, Fault> {
        let last = self.bytes.len().checked_sub(END_LENGTH).ok_or(Fault::NotAnArchive)?;
        let first = last.saturating_sub(u16::MAX as usize);
        let starts = (first..=last).rev().filter(|at| self.bytes[*at..].starts_with(END));
        let ends: Vec<(usize, usize)> = starts.map(|at| (at, at + END_LENGTH + u16_at(self.bytes, at + 20) as usize)).collect();
        let mut exact = ends.iter().filter(|(_, end)| *end == self.bytes.len());
        match (exact.next(), exact.next()) {
            (Some(_), Some(_)) => Err(Fault::TwoEnds),
            (Some((at, _)), None) => Ok(*at),
            (None, _) => {
                let (at, end) = *ends.iter().find(|(_, end)| *end < self.bytes.len()).ok_or(Fault::NotAnArchive)?;
                self.whole(Fault::Hidden { at: end, count: self.bytes.len() - end });
                Ok(at)
            }
        }
    }

    /// The entries of the central directory, and where it starts.
    fn directory(&mut self, limits: &Limits) -> Result<(Vec<Found>, usize), Fault> {
        let end = self.end()?;
        let field = |at| u16_at(self.bytes, end + at) as usize;
        let (disk, first_disk, here, count) = (field(4), field(6), field(8), field(10));
        let (size, start) = (u32_at(self.bytes, end + 12) as usize, u32_at(self.bytes, end + 16) as usize);
        if count == 0xffff || size == 0xffff_ffff || start == 0xffff_ffff {
            return Err(Fault::Zip64);
        }
        if disk != 0 || first_disk != 0 || here != count {
            return Err(Fault::Split);
        }
        if count > limits.entries {
            return Err(Fault::TooManyEntries { count, most: limits.entries });
        }
        let directory_end =
            start.checked_add(size).filter(|e| *e <= end).ok_or(Fault::Damaged("the central directory does not lie in the file"))?;
        if directory_end < end {
            // Data before the archive moves all that follows it; such an archive is not read any further, unless its offsets were corrected.
            let count = end - directory_end;
            if count > 0 && !self.bytes[start..].starts_with(CENTRAL) {
                return Err(Fault::Hidden { at: 0, count });
            }
            self.whole(Fault::Hidden { at: directory_end, count });
        }
        let mut found = Vec::with_capacity(count);
        let mut at = start;
        for _ in 0..count {
            let (entry, next) = self.central(at, directory_end, limits)?;
            found.push(entry);
            at = next;
        }
        if at != directory_end {
            return Err(Fault::Damaged("the central directory holds more than its entries"));
        }
        Ok((found, start))
    }

    /// One record of the central directory, and where the next one starts.
    fn central(&mut self, at: usize, end: usize, limits: &Limits) -> Result<(Found, usize), Fault> {
        const CUT_OFF: Fault = Fault::Damaged("the central directory is cut off");
        let record = self.bytes.get(at..end).filter(|r| r.len() >= CENTRAL_LENGTH && r.starts_with(CENTRAL)).ok_or(CUT_OFF)?;
        let [name_length, extra_length, comment_length] = [28, 30, 32].map(|at| u16_at(record, at) as usize);
        let raw_name = record.get(CENTRAL_LENGTH..CENTRAL_LENGTH + name_length).ok_or(CUT_OFF)?;
        let extra_start = CENTRAL_LENGTH + name_length;
        let extra = record.get(extra_start..extra_start + extra_length).ok_or(CUT_OFF)?;
        let length = extra_start + extra_length + comment_length;
        if length > record.len() {
            return Err(CUT_OFF);
        }
        let (flags, method) = (u16_at(record, 8), u16_at(record, 10));
        let [checksum, packed, size, offset] = [16, 20, 24, 42].map(|at| u32_at(record, at));
        let decoded = names::decode(raw_name, flags & UTF8 != 0);
        let (name, encoding) = decoded.clone().unwrap_or_else(|| (String::from_utf8_lossy(raw_name).into_owned(), Encoding::Utf8));
        let mut entry = Entry {
            name,
            raw_name: raw_name.to_vec(),
            encoding,
            size: size.into(),
            packed: packed.into(),
            is_deflated: method == DEFLATE,
            checksum,
            start: 0,
            blocked: None,
        };

        if decoded.is_none() {
            self.entry(&mut entry, Fault::Name("is neither UTF-8 nor Shift-JIS"), false);
        } else if let Some(reason) = names::fault(&entry.name) {
            self.entry(&mut entry, Fault::Name(reason), false);
        }
        // Info-ZIP's Unicode path: version, checksum of the plain name, name.
        if let Some(other) = extra_fields(extra).iter().find(|(id, _)| *id == 0x7075).and_then(|(_, contents)| contents.get(5..)) {
            let other = String::from_utf8_lossy(other);
            if other != entry.name {
                self.entry(&mut entry, Fault::TwoNames(other.into_owned()), false);
            }
        }
        let mode = u32_at(record, 38) >> 16 & 0o170_000;
        let is_unix = matches!(record[5], UNIX | 19);
        match mode {
            0o120_000 => self.entry(&mut entry, Fault::Link, true),
            0o010_000 | 0o020_000 | 0o060_000 | 0o140_000 if is_unix => self.entry(&mut entry, Fault::Special, true),
            _ => {}
        }
        if flags & ENCRYPTED != 0 {
            self.entry(&mut entry, Fault::Encrypted, true);
        } else if !matches!(method, STORED | DEFLATE) {
            self.entry(&mut entry, Fault::Method(method), true);
        } else if size == u32::MAX || packed == u32::MAX || offset == u32::MAX {
            self.entry(&mut entry, Fault::Zip64, true);
        } else if method == STORED && size != packed || entry.is_folder() && size != 0 {
            self.entry(&mut entry, Fault::Size(size.into()), true);
        } else if u64::from(size) > limits.ratio_from && u64::from(size) > limits.ratio * u64::from(packed) {
            self.entry(&mut entry, Fault::Ratio { packed: packed.into(), size: size.into() }, true);
        }
        if u16_at(record, 34) != 0 {
            self.entry(&mut entry, Fault::Split, true);
        }
        Ok((Found { entry, offset: offset as usize, flags, method }, at + length))
    }

    /// The local header of each entry, and whether the entries fill the file without gap or overlap up to the central directory.
    fn places(&mut self, found: &mut [Found], directory: usize) {
        for f in found.iter_mut() {
            if let Err(fault) = self.local(f, directory) {
                self.entry(&mut f.entry, fault, true);
                // Its place in the file is unknown, so it takes no part in what follows.
                f.entry.start = usize::MAX;
            }
        }
        let mut order: Vec<usize> = (0..found.len()).filter(|i| found[*i].entry.start != usize::MAX).collect();
        order.sort_by_key(|i| (found[*i].offset, *i));
        let is_whole = order.len() == found.len();
        let mut done = 0;
        for (n, &i) in order.iter().enumerate() {
            let f = &mut found[i];
            if f.offset < done {
                self.entry(&mut f.entry, Fault::Overlap, true);
            } else if f.offset > done && is_whole {
                self.whole(Fault::Hidden { at: done, count: f.offset - done });
            }
            let next = order.get(n + 1).map_or(directory, |next| found[*next].offset);
            let f = &found[i];
            done = done.max(f.end() + self.descriptor(f, next));
        }
        if is_whole && done < directory {
            self.whole(Fault::Hidden { at: done, count: directory - done });
        }
    }

    /// Checks the local header of an entry against its central record and notes where its bytes start.
    fn local(&self, found: &mut Found, directory: usize) -> Result<(), Fault> {
        let header = self.bytes[..directory].get(found.offset..).filter(|h| h.len() >= LOCAL_LENGTH && h.starts_with(LOCAL));
        let header = header.ok_or(Fault::Damaged("its local header is missing"))?;
        let (name_length, extra_length) = (u16_at(header, 26) as usize, u16_at(header, 28) as usize);
        let start = LOCAL_LENGTH + name_length + extra_length;
        if start as u64 + found.entry.packed > header.len() as u64 {
            return Err(Fault::Damaged("its bytes reach past the end of the archive"));
        }
        found.entry.start = found.offset + start;
        if header.get(LOCAL_LENGTH..LOCAL_LENGTH + name_length) != Some(found.entry.raw_name.as_slice()) {
            return Err(Fault::LocalHeader("name"));
        }
        let (flags, method) = (u16_at(header, 6), u16_at(header, 8));
        if method != found.method {
            return Err(Fault::LocalHeader("method"));
        }
        if (flags ^ found.flags) & (ENCRYPTED | DESCRIPTOR) != 0 {
            return Err(Fault::LocalHeader("flags"));
        }
        let (mut packed, mut size) = (u64::from(u32_at(header, 18)), u64::from(u32_at(header, 22)));
        if packed == u64::from(u32::MAX) || size == u64::from(u32::MAX) {
            // Tools that write without knowing the size in advance make room for a large one: size, then packed size.
            let extra = header.get(LOCAL_LENGTH + name_length..start).unwrap_or_default();
            let fields = extra_fields(extra);
            let long = |at| {
                fields
                    .iter()
                    .find(|(id, _)| *id == 1)
                    .and_then(|(_, c)| c.get(at..at + 8))
                    .map(|b| u64::from(u32_at(b, 0)) | u64::from(u32_at(b, 4)) << 32)
            };
            (size, packed) = (long(0).unwrap_or(size), long(8).unwrap_or(packed));
        }
        let is_open = found.flags & DESCRIPTOR != 0;
        let agrees = |local: u64, central: u64| local == central || is_open && local == 0;
        if !agrees(packed, found.entry.packed) || !agrees(size, found.entry.size) {
            return Err(Fault::LocalHeader("sizes"));
        }
        if !agrees(u32_at(header, 14).into(), found.entry.checksum.into()) {
            return Err(Fault::LocalHeader("checksum"));
        }
        Ok(())
    }

    /// How many bytes the data descriptor after an entry takes: with or without its signature, with sizes of 4 or of 8 bytes.
    fn descriptor(&self, found: &Found, next: usize) -> usize {
        if found.flags & DESCRIPTOR == 0 {
            return 0;
        }
        let Some(gap) = self.bytes.get(found.end()..next) else { return 0 };
        let checksum = found.entry.checksum.to_le_bytes();
        let (packed, size) = (found.entry.packed.to_le_bytes(), found.entry.size.to_le_bytes());
        let short = [&checksum[..], &packed[..4], &size[..4]].concat();
        let long = [&checksum[..], &packed, &size].concat();
        let bare = gap.strip_prefix(b"PK\x07\x08");
        let forms = [(bare, &long, 4), (bare, &short, 4), (Some(gap), &long, 0), (Some(gap), &short, 0)];
        forms.iter().find(|(gap, form, _)| gap.is_some_and(|g| g.starts_with(form))).map_or(0, |(_, form, before)| form.len() + before)
    }

    /// Names that stand for one file on some disk.
    fn names(&mut self, found: &[Found]) {
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        let mut files = BTreeSet::new();
        for f in found {
            let name = f.entry.name.as_str();
            let folded = spelling::fold(name.trim_end_matches('/'));
            if !f.entry.is_folder() {
                files.insert(folded.clone());
            }
            let fault = match seen.get(&folded) {
                Some(other) if *other == name => Fault::Duplicate,
                Some(other) if other.trim_end_matches('/') == name.trim_end_matches('/') => Fault::FileAndFolder,
                Some(other) => Fault::SameButForCase(other.to_string()),
                None => {
                    seen.insert(folded, name);
                    continue;
                }
            };
            self.problems.push(Problem { entry: name.into(), fault });
        }
        for f in found {
            let folded = spelling::fold(&f.entry.name);
            if folded.match_indices('/').any(|(at, _)| at + 1 < folded.len() && files.contains(&folded[..at])) {
                self.problems.push(Problem { entry: f.entry.name.clone(), fault: Fault::FileAndFolder });
            }
        }
    }
}
