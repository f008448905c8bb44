//! The JSON files of a model, read into the members that matter; what else they hold is not looked at.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};

/// A list that may be missing or null, as old exporters write it.
pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// The text without a byte-order mark, which some editors write and JSON does not have.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Reads a file.
///
/// # Errors
/// Why it cannot be read, with line and column.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(without_mark(bytes)).map_err(|error| error.to_string())
}

/// The same JSON without the white space between its values; every value is written as before. `None` when it is not valid.
pub fn compact(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = without_mark(bytes);
    serde_json::from_slice::<serde::de::IgnoredAny>(text).ok()?;
    let (mut out, mut in_string, mut escaped) = (Vec::with_capacity(text.len()), false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b' ' | b'\t' | b'\n' | b'\r' if !in_string => continue,
            _ => {}
        }
        out.push(byte);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_space_between_values_goes() {
        let text = b"\xef\xbb\xbf{ \"a b\" :\t[ 1.50 , 1E+2,\r\n\"x \\\" y\\\\\" ] }\n";
        assert_eq!(compact(text).as_deref(), Some(&b"{\"a b\":[1.50,1E+2,\"x \\\" y\\\\\"]}"[..]));
        assert_eq!(compact(b"{ \"a\": }"), None);
    }
}
