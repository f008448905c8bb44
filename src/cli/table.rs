//! Columns of text that line up.

/// Rows of cells; the first column is flush left, the others flush right.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub fn new<const N: usize>(headings: [&str; N]) -> Self {
        Self { rows: vec![headings.map(str::to_owned).to_vec()] }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }

    /// The lines, each with its end; empty without rows. A column whose cells are all empty is left out.
    pub fn render(&self) -> String {
        if self.rows.len() < 2 {
            return String::new();
        }
        let width = |column: usize| {
            let filled = self.rows.iter().skip(1).any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()));
            let longest = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
            if filled { longest.unwrap_or(0) } else { 0 }
        };
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate().filter(|(_, (_, width))| **width > 0) {
                match column {
                    0 => line.push_str(&format!("{cell:<width$}")),
                    _ => line.push_str(&format!("  {cell:>width$}")),
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_up_and_leaves_out_empty_columns() {
        let mut table = Table::new(["file", "none", "size"]);
        assert_eq!(table.render(), "");
        table.row(["a".into(), String::new(), "1 B".into()]);
        table.row(["longer".into(), String::new(), "1000 B".into()]);
        assert_eq!(table.render(), "file      size\na          1 B\nlonger  1000 B\n");
    }
}
