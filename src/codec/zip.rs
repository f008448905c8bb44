//! Zip archives: written so that the same files always give the same bytes, and read without trust.
//!
//! Reading is a scan of our own (PKWARE APPNOTE 6.3, sections 4.3 and 4.4) before a byte is unpacked, because the usual readers hide what matters here:
//! of two entries of one name they show one, they repair hostile names, follow the central directory where the local header says something else, and
//! accept data before and after the archive. ZIP64 is refused: nothing that this tool handles may have 4 GB.

mod names;
mod scan;

#[cfg(test)]
mod tests;

use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::{CompressionLvl, Compressor};

/// Bounds on what is opened.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of all entries together, unpacked.
    pub total: u64,
    /// How many entries.
    pub entries: usize,
    /// How many times its packed size an entry of more than [`Limits::ratio_from`] bytes may have.
    pub ratio: u64,
    /// Up to this many bytes an entry may be packed as tightly as it likes.
    pub ratio_from: u64,
}

impl Limits {
    /// For a Live2D model.
    pub const LIVE2D: Self = Self { total: 512 << 20, entries: 2_000, ratio: 200, ratio_from: 1 << 20 };
    /// For a companion pack.
    pub const PACK: Self = Self { total: 1 << 30, entries: 20_000, ratio: 200, ratio_from: 1 << 20 };
}

/// How the name of an entry was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// In ASCII, or as UTF-8 and flagged as such.
    Utf8,
    /// As UTF-8 without saying so: other readers take it for the character set of an old PC.
    BareUtf8,
    /// As Shift-JIS, which old Japanese tools write without saying so.
    ShiftJis,
}

/// One entry of an archive.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The decoded name; a folder ends in `/`.
    pub name: String,
    /// The name as it lies in the archive.
    pub raw_name: Vec<u8>,
    /// How it was decoded.
    pub encoding: Encoding,
    /// Bytes when unpacked, as the archive claims.
    pub size: u64,
    /// Bytes in the archive.
    pub packed: u64,
    is_deflated: bool,
    checksum: u32,
    /// Where its packed bytes start.
    start: usize,
    /// Why it is not unpacked, if so.
    blocked: Option<Fault>,
}

impl Entry {
    /// True when it stands for a folder.
    pub fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }

    /// True when every reader sees the same name.
    pub fn has_plain_name(&self) -> bool {
        self.encoding == Encoding::Utf8
    }
}

/// What is wrong with an archive or an entry of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no end record.
    #[error("this is not a zip archive, or its end is missing")]
    NotAnArchive,
    /// Two end records fit; readers disagree on which one counts.
    #[error("two end records fit, so that two readers may see two archives")]
    TwoEnds,
    /// A part of several.
    #[error("the archive is one part of a split one")]
    Split,
    /// The form for over 4 GB or 65,535 entries.
    #[error("it is written in the ZIP64 form, for archives of over 4 GB")]
    Zip64,
    /// Too many entries.
    #[error("{count} entries; this tool opens {most}")]
    TooManyEntries {
        /// What the archive claims.
        count: usize,
        /// The limit.
        most: usize,
    },
    /// Too large when unpacked.
    #[error("unpacked it has {total} bytes; this tool unpacks {most}")]
    TooLarge {
        /// What the archive claims.
        total: u64,
        /// The limit.
        most: u64,
    },
    /// Bytes that belong to no part of the archive.
    #[error("{count} bytes at byte {at} belong to no entry")]
    Hidden {
        /// Where they start.
        at: usize,
        /// How many.
        count: usize,
    },
    /// A record does not lie inside the file or is not what it should be.
    #[error("{0}")]
    Damaged(&'static str),
    /// A name that could leave the folder or that not every system can have.
    #[error("the name {0}")]
    Name(&'static str),
    /// An extra field gives it another name.
    #[error("an extra field gives it the other name \"{0}\"")]
    TwoNames(String),
    /// Encrypted.
    #[error("it is encrypted")]
    Encrypted,
    /// Neither stored nor deflated.
    #[error("it is packed by method {0}; only 0 (stored) and 8 (deflate) are read everywhere")]
    Method(u16),
    /// A symbolic link.
    #[error("it is a symbolic link")]
    Link,
    /// A device, pipe or socket.
    #[error("it is a device, pipe or socket")]
    Special,
    /// The header before its bytes says something else than the central directory.
    #[error("its local header and the central directory disagree about the {0}")]
    LocalHeader(&'static str),
    /// It shares bytes with another entry.
    #[error("its bytes overlap those of another entry")]
    Overlap,
    /// Packed suspiciously tight.
    #[error("{packed} bytes unpack to {size}, as a zip bomb's do")]
    Ratio {
        /// In the archive.
        packed: u64,
        /// Unpacked.
        size: u64,
    },
    /// Another entry has the same name.
    #[error("two entries have this name")]
    Duplicate,
    /// Another entry has the same name on disks that ignore case.
    #[error("its name and \"{0}\" are the same on disks that ignore case")]
    SameButForCase(String),
    /// A file whose name another entry uses as a folder.
    #[error("it is a file and a folder at once")]
    FileAndFolder,
    /// It does not unpack to the size that the archive claims.
    #[error("it does not have the {0} bytes that the archive claims")]
    Size(u64),
    /// Its checksum is wrong.
    #[error("its bytes are damaged: the checksum differs")]
    Checksum,
}

impl Fault {
    /// True when the archive is merely one that cannot be opened here; false when it looks made to harm, or harms by accident.
    pub fn is_only_unreadable(&self) -> bool {
        matches!(
            self,
            Self::NotAnArchive | Self::Split | Self::Zip64 | Self::Damaged(_) | Self::Encrypted | Self::Method(_) | Self::Checksum
        )
    }
}

/// A fault and the entry that has it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{fault}", if entry.is_empty() { String::new() } else { format!("entry \"{entry}\": ") })]
pub struct Problem {
    /// The entry's name; empty for the archive as a whole.
    pub entry: String,
    /// What is wrong.
    pub fault: Fault,
}

/// An archive whose directory was read and judged.
#[derive(Debug, Clone)]
pub struct Archive<'a> {
    bytes: &'a [u8],
    /// In the order of the central directory, folders included.
    pub entries: Vec<Entry>,
    /// All that is wrong with it.
    pub problems: Vec<Problem>,
}

/// Reads the directory of an archive and judges it; nothing is unpacked yet.
pub fn read<'a>(bytes: &'a [u8], limits: &Limits) -> Archive<'a> {
    scan::scan(bytes, limits)
}

impl Archive<'_> {
    /// Unpacks one entry. It never gives more bytes than the entry claims to have.
    ///
    /// # Errors
    /// When the scan found a fault that makes it unsafe, or when its bytes do not unpack to its size and checksum.
    pub fn unpack(&self, entry: &Entry) -> Result<Vec<u8>, Problem> {
        let problem = |fault| Problem { entry: entry.name.clone(), fault };
        if let Some(fault) = &entry.blocked {
            return Err(problem(fault.clone()));
        }
        let end = usize::try_from(entry.packed).ok().and_then(|packed| entry.start.checked_add(packed));
        let packed = end.and_then(|end| self.bytes.get(entry.start..end));
        let packed = packed.ok_or_else(|| problem(Fault::Damaged("its bytes reach past the end of the archive")))?;
        let out = match entry.is_deflated {
            false if packed.len() as u64 != entry.size => return Err(problem(Fault::Size(entry.size))),
            false => packed.to_vec(),
            true => inflate(packed, entry.size).map_err(problem)?,
        };
        if checksum(&out) != entry.checksum {
            return Err(problem(Fault::Checksum));
        }
        Ok(out)
    }
}

/// Unpacks a deflate stream that must end with the last byte of `packed` and give exactly `size` bytes.
fn inflate(packed: &[u8], size: u64) -> Result<Vec<u8>, Fault> {
    let length = usize::try_from(size).map_err(|_| Fault::Size(size))?;
    // One byte more than it may give, to see when it gives more.
    let mut out = vec![0; length.checked_add(1).ok_or(Fault::Size(size))?];
    let mut stream = Decompress::new(false);
    loop {
        let (read, written) = (stream.total_in() as usize, stream.total_out() as usize);
        let status = stream.decompress(&packed[read..], &mut out[written..], FlushDecompress::Finish);
        match status.map_err(|_| Fault::Damaged("its bytes are no deflate stream"))? {
            Status::StreamEnd => break,
            _ if stream.total_out() > size => return Err(Fault::Size(size)),
            _ if stream.total_in() as usize == read && stream.total_out() as usize == written => {
                return Err(Fault::Damaged("its deflate stream is cut off"));
            }
            _ => {}
        }
    }
    if stream.total_out() != size {
        return Err(Fault::Size(size));
    }
    let read = stream.total_in() as usize;
    if read != packed.len() {
        return Err(Fault::Hidden { at: read, count: packed.len() - read });
    }
    out.truncate(length);
    Ok(out)
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut checksum = flate2::Crc::new();
    checksum.update(bytes);
    checksum.sum()
}

/// Why an archive cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// A name that [`read`] would refuse.
    #[error("\"{name}\" cannot be a name in a zip: the name {reason}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Two files of one name, at least on disks that ignore case.
    #[error("\"{0}\" and \"{1}\" are the same name")]
    Duplicate(String, String),
    /// More than 4 GB or 65,534 files.
    #[error("the files are too many or too large for a zip without ZIP64")]
    TooLarge,
}

/// One file, packed and ready to be written.
#[derive(Debug, Clone)]
pub struct Packed {
    name: String,
    data: Bytes,
    is_deflated: bool,
    size: u64,
    checksum: u32,
}

/// Endings of formats that are compressed already.
const COMPRESSED: [&str; 6] = [".png", ".jpg", ".jpeg", ".webp", ".gif", ".zip"];

/// How hard libdeflate tries, up to 12.
const EFFORT: i32 = 6;

/// Packs one file: deflated, unless that gains nothing or the ending of its name says that it is compressed already.
pub fn pack(name: &str, bytes: &Bytes) -> Packed {
    let lower = name.to_ascii_lowercase();
    let deflated = if COMPRESSED.iter().any(|ending| lower.ends_with(ending)) { None } else { deflate(bytes) };
    Packed {
        name: name.into(),
        is_deflated: deflated.is_some(),
        data: deflated.map_or_else(|| bytes.clone(), Bytes::from),
        size: bytes.len() as u64,
        checksum: checksum(bytes),
    }
}

/// `None` when that would gain nothing.
fn deflate(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = vec![0; bytes.len()];
    let size = Compressor::new(CompressionLvl::new(EFFORT).unwrap_or_default()).deflate_compress(bytes, &mut out).ok()?;
    out.truncate(size);
    Some(out).filter(|out| out.len() < bytes.len())
}

/// Writes an archive of these files. The same files give the same bytes, in whatever order they come.
///
/// # Errors
/// When a name could not be read back, appears twice, or when the archive would need ZIP64.
pub fn write<P: AsRef<str>, B: Clone + Into<Bytes>>(files: &[(P, B)]) -> Result<Vec<u8>, WriteError> {
    assemble(files.iter().map(|(path, bytes)| pack(path.as_ref(), &bytes.clone().into())).collect())
}

/// Writes an archive of packed files: sorted by name, all of the first of January 1980, made on Unix with mode 644, without extra fields.
///
/// # Errors
/// As [`write()`].
pub fn assemble(mut files: Vec<Packed>) -> Result<Vec<u8>, WriteError> {
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let mut seen = std::collections::BTreeMap::new();
    for file in &files {
        if let Some(reason) = names::fault(&file.name).or(file.name.ends_with('/').then_some("is that of a folder")) {
            return Err(WriteError::Name { name: file.name.clone(), reason });
        }
        if let Some(other) = seen.insert(crate::spelling::fold(&file.name), &file.name) {
            return Err(WriteError::Duplicate(other.clone(), file.name.clone()));
        }
    }
    let count = u16::try_from(files.len()).ok().filter(|count| *count < u16::MAX).ok_or(WriteError::TooLarge)?;
    let length = |n: usize| u32::try_from(n).ok().filter(|n| *n < u32::MAX).ok_or(WriteError::TooLarge);
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for file in &files {
        let offset = length(out.len())?;
        let flags: u16 = if file.name.is_ascii() { 0 } else { scan::UTF8 };
        // What both headers share: version needed 2.0, flags, method, time, date, checksum, sizes, lengths of the name and of no extra field.
        let mut shared = Vec::new();
        for value in [20, flags, if file.is_deflated { scan::DEFLATE } else { scan::STORED }, 0, 0x21] {
            shared.extend_from_slice(&value.to_le_bytes());
        }
        for value in [file.checksum, length(file.data.len())?, length(usize::try_from(file.size).map_err(|_| WriteError::TooLarge)?)?] {
            shared.extend_from_slice(&value.to_le_bytes());
        }
        let name_length = u16::try_from(file.name.len()).map_err(|_| WriteError::TooLarge)?;
        shared.extend_from_slice(&name_length.to_le_bytes());
        shared.extend_from_slice(&[0, 0]);

        out.extend_from_slice(scan::LOCAL);
        out.extend_from_slice(&shared);
        out.extend_from_slice(file.name.as_bytes());
        out.extend_from_slice(&file.data);

        directory.extend_from_slice(scan::CENTRAL);
        // Made by version 2.0 of a Unix.
        directory.extend_from_slice(&[20, scan::UNIX]);
        directory.extend_from_slice(&shared);
        // No comment, first disk, no internal attributes.
        directory.extend_from_slice(&[0; 6]);
        directory.extend_from_slice(&(0o100_644_u32 << 16).to_le_bytes());
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(file.name.as_bytes());
    }
    let (start, size) = (length(out.len())?, length(directory.len())?);
    length(out.len() + directory.len() + 22)?;
    out.extend_from_slice(&directory);
    out.extend_from_slice(scan::END);
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(&size.to_le_bytes());
    out.extend_from_slice(&start.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    Ok(out)
}
