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

/// `-83%`: how much smaller `after` is than `before`.
pub fn change(before: u64, after: u64) -> String {
    if before == 0 {
        return "new".into();
    }
    format!("{:+.0}%", 100.0 * (after as f64 / before as f64 - 1.0))
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
}
