//! Names as people write them: which two are the same but for their spelling, and which make good keys.

use unicode_normalization::UnicodeNormalization;

/// A name without the differences that some disks do not see: upper and lower case, and the Unicode form of accents.
pub fn fold(name: &str) -> String {
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// How two names that are equal after [`fold`] differ, in words: `in upper and lower case` or `in the Unicode form of its accents (NFD)`.
pub fn difference(written: &str, real: &str) -> &'static str {
    if written.nfc().eq(real.nfc()) {
        if written.nfc().eq(written.chars()) {
            "in the Unicode form of its accents (the file's name is not NFC)"
        } else {
            "in the Unicode form of its accents (the name as written is not NFC)"
        }
    } else {
        "in upper and lower case"
    }
}

/// How many characters must be typed, dropped, changed or exchanged with their neighbour to make one name the other, but for case and form.
pub fn distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(&fold(a), &fold(b))
}

/// The nearest spelling of a key: lower case, `-` for whatever is not a letter or digit of ASCII, at most 40 characters; `key` when nothing is left.
pub fn slug(name: &str) -> String {
    let mut out = String::new();
    for c in name.nfkd().flat_map(char::to_lowercase).filter(|c| !unicode_normalization::char::is_combining_mark(*c)) {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.len() == 40 {
            break;
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() { "key".into() } else { out.into() }
}

/// True for `a-z0-9-`, 1 to 40 characters: the form of every key.
pub fn is_key(key: &str) -> bool {
    (1..=40).contains(&key.len()) && key.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Up to `most` names for a message: `a, b, c and 4 more`; `none` when there are none.
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.len() {
        0 => "none".into(),
        n if n <= most => names.join(", "),
        n => format!("{} and {} more", names[..most].join(", "), n - most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_case_and_form() {
        assert_eq!(fold("Caf\u{e9}.PNG"), fold("cafe\u{301}.png"));
        assert_ne!(fold("a.png"), fold("b.png"));
        assert_eq!(difference("a.PNG", "a.png"), "in upper and lower case");
        assert_eq!(difference("caf\u{e9}", "cafe\u{301}"), "in the Unicode form of its accents (the file's name is not NFC)");
        assert_eq!(difference("cafe\u{301}", "caf\u{e9}"), "in the Unicode form of its accents (the name as written is not NFC)");
    }

    #[test]
    fn counts_slips() {
        assert_eq!(distance("Companion-Modles", "companion-models"), 1);
        assert_eq!(distance("companion-videos", "companion-models"), 3);
    }

    #[test]
    fn makes_and_knows_keys() {
        assert!(is_key("sample-seed-2") && is_key(&"a".repeat(40)));
        assert!(!is_key("") && !is_key("Fox") && !is_key("a_b") && !is_key(&"a".repeat(41)));
        assert_eq!(slug("My Fox_Model!"), "my-fox-model");
        assert_eq!(slug("Zo\u{eb}"), "zoe");
        assert_eq!(slug("狐"), "key");
        assert!(is_key(&slug(&"ab ".repeat(40))));
    }

    #[test]
    fn lists_for_people() {
        assert_eq!(list([], 3), "none");
        assert_eq!(list(["a", "b"], 2), "a, b");
        assert_eq!(list(["a", "b", "c", "d"], 2), "a, b and 2 more");
    }
}
