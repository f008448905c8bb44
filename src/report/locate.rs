//! From a byte offset in a text to the line and column that an editor shows.

/// Line and column, both from 1, of the byte `offset` in `text`; the column counts characters. An offset past the end is the end.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.bytes().filter(|byte| *byte == b'\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// One step of a JSON Pointer, escaped as RFC 6901 section 3 says.
pub fn escape(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_characters_from_one() {
        assert_eq!(line_column("ab\ncd", 0), (1, 1));
        assert_eq!(line_column("ab\ncd", 4), (2, 2));
        assert_eq!(line_column("é\nöx", "é\nö".len()), (2, 2));
        assert_eq!(line_column("ab", 99), (1, 3));
    }

    #[test]
    fn escapes_as_rfc_6901() {
        assert_eq!(escape("a/b~c"), "a~1b~0c");
    }
}
