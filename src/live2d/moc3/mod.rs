//! The .moc3: the drawables, parts, deformers and parameters of a Live2D model, read without trust.
//!
//! The Core reads such a file in place and follows its offsets and indices unchecked; a file made to harm makes it read and write what is not its own. So
//! everything is checked before anything is believed, in an order in which no check relies on one that comes later: table, counts, columns, values,
//! indices, ranges, cycles. Sums are 64 bits wide, and nothing is larger in memory than the file itself allows.

mod canonical;
mod check;
mod layout;

pub use layout::{Columns, Count, Form, Runtime, form};

use crate::report::{Code, code};
use layout::{HEADER, NEWEST, Table, u32_at};

/// What a fault is about, which decides its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Magic bytes, version, byte order.
    Header,
    /// The table of offsets, the counts, the columns in the file.
    Layout,
    /// An index, a range, a cycle.
    Reference,
    /// The id of a part, drawable, parameter or deformer.
    Id,
    /// A number or a flag.
    Number,
}

impl Kind {
    /// The rule that it breaks.
    pub fn code(self) -> &'static Code {
        match self {
            Self::Header => &code::L017,
            Self::Layout => &code::L018,
            Self::Reference => &code::L019,
            Self::Id => &code::L020,
            Self::Number => &code::L021,
        }
    }
}

/// What is wrong with a .moc3.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct Fault {
    /// What it is about.
    pub kind: Kind,
    /// The section and, where there is one, the index in it: `mesh_texture[3]`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl Fault {
    /// A fault of one value, and of so many more in the same section.
    fn at(kind: Kind, section: &str, index: usize, problem: impl Into<String>, more: usize) -> Self {
        let mut problem = problem.into();
        if more > 0 {
            problem += &format!(" (and {more} more)");
        }
        Self { kind, place: format!("{section}[{index}]"), problem }
    }
}

/// The canvas that the artist drew on. A point of the model lies at `point * pixels_per_unit + origin`, in pixels, y downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Canvas {
    /// Pixels for each unit of the model.
    pub pixels_per_unit: f32,
    /// Where the model's zero lies, in pixels from the left and the top.
    pub origin: [f32; 2],
    /// In pixels.
    pub width: f32,
    /// In pixels.
    pub height: f32,
}

/// A model whose every index was checked.
#[derive(Debug, Clone)]
pub struct Moc {
    /// 1 (Cubism 3.0), 2 (3.3), 3 (4.0), 4 (4.2), 5 (5.0) or 6 (5.3).
    pub version: u8,
    /// The canvas.
    pub canvas: Canvas,
    /// All the rest.
    pub columns: Columns,
    /// Where the file is not as the Cubism editor writes it, in words: edited or damaged, or written by another tool.
    pub deviations: Vec<String>,
}

impl Moc {
    /// The parameter of this id.
    pub fn parameter(&self, id: &str) -> Option<usize> {
        self.columns.parameter_id.iter().position(|own| own == id)
    }

    /// The drawable of this id.
    pub fn mesh(&self, id: &str) -> Option<usize> {
        self.columns.mesh_id.iter().position(|own| own == id)
    }

    /// How many textures it needs: one more than the highest number that a drawable uses.
    pub fn textures(&self) -> usize {
        self.columns.mesh_texture.iter().max().map_or(0, |most| (most + 1).max(0) as usize)
    }

    /// How many triangles it draws.
    pub fn triangles(&self) -> usize {
        self.columns.mesh_corners.iter().map(|corners| (*corners).max(0) as usize / 3).sum()
    }
}

/// The values of a list that a pair of begin and count points at; none when they do not lie in it.
pub(super) fn window<T>(list: &[T], begin: i32, count: i32) -> &[T] {
    let range = usize::try_from(begin).ok().zip(usize::try_from(count).ok());
    range.and_then(|(begin, count)| list.get(begin..begin.checked_add(count)?)).unwrap_or_default()
}

/// Reads a .moc3 and checks all of it.
///
/// # Errors
/// All that is wrong with it, at most one fault for each section and check; what relies on a broken table or on a missing column is not looked at.
pub fn read(bytes: &[u8]) -> Result<Moc, Vec<Fault>> {
    let header = |place: &str, problem: String| vec![Fault { kind: Kind::Header, place: place.into(), problem }];
    if bytes.len() < HEADER || !bytes.starts_with(b"MOC3") {
        return Err(header("header", "this is no MOC3 file".into()));
    }
    let version = bytes[4];
    if !(1..=NEWEST).contains(&version) {
        return Err(header("version", format!("version {version} is not known; 1 to {NEWEST} are")));
    }
    if bytes[5] != 0 {
        return Err(header("byte order", format!("{} is written, and only 0 (little-endian) is read everywhere", bytes[5])));
    }
    let mut table = Table::read(bytes, version).map_err(|fault| vec![fault])?;
    let canvas = canvas(bytes, table.offsets[1]);
    let columns = Columns::read(&mut table).map_err(|fault| vec![fault])?;
    let mut faults = std::mem::take(&mut table.faults);
    faults.extend(check::canvas(&canvas));
    faults.extend(check::columns(&columns, version));
    if !faults.is_empty() {
        return Err(faults);
    }
    let deviations = canonical::deviations(&table, &columns);
    Ok(Moc { version, canvas, columns, deviations })
}

fn canvas(bytes: &[u8], at: usize) -> Canvas {
    let number = |n: usize| f32::from_bits(u32_at(bytes, at + 4 * n));
    Canvas { pixels_per_unit: number(0), origin: [number(1), number(2)], width: number(3), height: number(4) }
}
