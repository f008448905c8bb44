//! The names of entries: how they are decoded, and which of them are hostile.

use super::Encoding;

/// Names that Windows gives to devices, whatever their ending.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2", "lpt3", "lpt4",
    "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// The longest step of a path that disks can hold, in bytes.
const LONGEST: usize = 255;

/// What is wrong with a decoded name, as the end of the sentence "the name ...". A folder's may end in `/`.
pub(super) fn fault(name: &str) -> Option<&'static str> {
    let path = name.strip_suffix('/').unwrap_or(name);
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if path.is_empty() {
        return Some("is empty");
    } else if path.starts_with('/') {
        return Some("starts at a root");
    } else if drive {
        return Some("starts with a drive letter");
    } else if path.contains('\\') {
        return Some("holds a backslash");
    } else if path.chars().any(char::is_control) {
        return Some("holds a control character");
    } else if path.contains([':', '*', '?', '"', '<', '>', '|']) {
        return Some("holds a character that Windows does not allow");
    }
    path.split('/').find_map(|step| {
        let stem = step.split('.').next().unwrap_or_default().trim_end();
        if step == ".." {
            Some("leaves its folder")
        } else if step.is_empty() || step == "." {
            Some("holds an empty step or a dot step")
        } else if step.len() > LONGEST {
            Some("has a step of over 255 bytes")
        } else if step.ends_with(['.', ' ']) {
            Some("has a step that ends in a dot or a space")
        } else if DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device)) {
            Some("is that of a device on Windows")
        } else {
            None
        }
    })
}

/// The name behind the bytes: UTF-8 when they are, else Shift-JIS unless they are flagged as UTF-8.
///
/// The second byte of a Shift-JIS character can be a backslash, so that bytes must not be judged before they are decoded.
pub(super) fn decode(raw: &[u8], is_flagged: bool) -> Option<(String, Encoding)> {
    if let Ok(name) = std::str::from_utf8(raw) {
        let encoding = if is_flagged || name.is_ascii() { Encoding::Utf8 } else { Encoding::BareUtf8 };
        return Some((name.into(), encoding));
    }
    if is_flagged {
        return None;
    }
    let name = encoding_rs::SHIFT_JIS.decode_without_bom_handling_and_without_replacement(raw)?;
    Some((name.into_owned(), Encoding::ShiftJis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_known() {
        for good in ["a", "a/b.c", "a..b/c", "日本語/é.png", ".hidden", "a/", "console", "nullable.txt", "a b"] {
            assert_eq!(fault(good), None, "{good}");
        }
        let bad = [
            "",
            "/",
            "..",
            "a/../b",
            "/etc",
            "C:x",
            "c:/x",
            "a\\b",
            "a\0",
            "a\n",
            "a//b",
            "./a",
            "a/.",
            "a.",
            "a /b",
            "NUL",
            "aux.txt",
            "x/Com1.log",
            "a:b",
            "what?",
        ];
        for bad in bad {
            assert!(fault(bad).is_some(), "{bad}");
        }
        assert!(fault(&"a".repeat(255)).is_none() && fault(&"a".repeat(256)).is_some());
    }

    #[test]
    fn shift_jis_is_decoded_before_it_is_judged() {
        // The second byte of 表 in Shift-JIS is a backslash.
        assert_eq!(decode(b"\x95\x5c.png", false), Some(("表.png".into(), Encoding::ShiftJis)));
        assert_eq!(decode("表.png".as_bytes(), false), Some(("表.png".into(), Encoding::BareUtf8)));
        assert_eq!(decode("表.png".as_bytes(), true), Some(("表.png".into(), Encoding::Utf8)));
        assert_eq!(decode(b"\x95\x5c.png", true), None);
        assert_eq!(decode(b"a\xff", false), None);
    }
}
