//! Byte sizes, lengths and times, and how they print for people.

/// 2^20 bytes, the megabyte of every limit of the format.
pub const MEGA: u64 = 1 << 20;

/// `512 B`, `73.4 kB`, `5.1 MB`: decimal units, three significant digits at most.
pub fn bytes(n: u64) -> String {
    let (value, unit) = match n {
        0..1_000 => return format!("{n} B"),
        1_000..1_000_000 => (n as f64 / 1e3, "kB"),
        1_000_000..1_000_000_000 => (n as f64 / 1e6, "MB"),
        _ => (n as f64 / 1e9, "GB"),
    };
    if value < 100.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `-83%`: how much smaller `after` is than `before`.
pub fn change(before: u64, after: u64) -> String {
    if before == 0 {
        return "new".into();
    }
    format!("{:+.0}%", 100.0 * (after as f64 / before as f64 - 1.0))
}

/// A size or a number as people write it: `8MB`, `1.5 GB`, `70k`, `4096`. Decimal units as [`bytes`] prints them; `MiB` and its like are binary.
///
/// # Errors
/// A text that says how to write it.
pub fn parse(text: &str) -> Result<u64, String> {
    amount(text).map(|amount| amount.number)
}

/// A size or a number, and which of the two it was written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// How much.
    pub number: u64,
    /// True when it was written with a unit of bytes: `8MB`, not `8M`.
    pub is_bytes: bool,
}

/// The same as [`parse`], with the unit.
///
/// # Errors
/// A text that says how to write it.
pub fn amount(text: &str) -> Result<Amount, String> {
    let refused = || format!("\"{text}\" is no size: write it as in 8MB, 1.5GB, 70k or 4096");
    let text = text.trim();
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    let unit = unit.trim().to_ascii_lowercase();
    let factor: f64 = match unit.as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => MEGA as f64,
        "gib" => MEGA as f64 * 1024.0,
        _ => return Err(refused()),
    };
    let value = number.parse::<f64>().map_err(|_| refused())? * factor;
    if value < 9e15 { Ok(Amount { number: value.round() as u64, is_bytes: unit.ends_with('b') }) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_for_people() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(73_400), "73.4 kB");
        assert_eq!(bytes(412_000), "412 kB");
        assert_eq!(bytes(95_123_456), "95.1 MB");
        assert_eq!(change(100, 17), "-83%");
        assert_eq!(change(0, 17), "new");
    }

    #[test]
    fn reads_what_people_write() {
        for (text, wanted) in [
            ("4096", 4096),
            ("8MB", 8_000_000),
            ("8 mb", 8_000_000),
            ("1.5GB", 1_500_000_000),
            ("70k", 70_000),
            ("2MiB", 2_097_152),
            ("0", 0),
        ] {
            assert_eq!(parse(text), Ok(wanted), "{text}");
            assert_eq!(amount(text).map(|amount| amount.is_bytes), Ok(text.to_ascii_lowercase().ends_with('b')), "{text}");
        }
        for text in ["", "MB", "-1", "8 apples", "1.2.3", "1e300", "nan", "99999999999GB"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
