//! PNG files as they lie: whether they are whole, without opening them.

use super::image::{self, Kind};

/// The size of a PNG whose every chunk is whole and undamaged (PNG specification, third edition, section 5); its pixels are not unpacked.
///
/// # Errors
/// What is wrong with it, in words that follow its name.
pub fn verify(bytes: &[u8]) -> Result<(u32, u32), String> {
    if Kind::of(bytes) != Some(Kind::Png) {
        return Err("is no PNG".into());
    }
    let mut at = 8;
    loop {
        let header = bytes.get(at..at + 8).ok_or("is cut off")?;
        let length = u32::from_be_bytes([header[0], header[1], header[2], header[3]]) as usize;
        let end = at.saturating_add(8).saturating_add(length);
        let (body, checksum) = (bytes.get(at + 4..end), bytes.get(end..end.saturating_add(4)));
        let (Some(body), Some(checksum)) = (body, checksum) else { return Err("is cut off".into()) };
        let mut crc = flate2::Crc::new();
        crc.update(body);
        if crc.sum().to_be_bytes() != checksum {
            return Err("is damaged: a checksum differs".into());
        }
        match &header[4..] {
            b"IEND" => break,
            b"IHDR" if at != 8 => return Err("is damaged: it has two headers".into()),
            _ if at == 8 && &header[4..] != b"IHDR" => return Err("is damaged: it has no header".into()),
            _ => at = end + 4,
        }
    }
    image::info(bytes).map(|info| (info.width, info.height)).map_err(|error| format!("is no good: {error}"))
}

#[cfg(test)]
mod tests {
    use super::super::image::{Picture, encode_png};
    use super::*;

    #[test]
    fn every_damaged_byte_is_seen() {
        let png = encode_png(&Picture { width: 5, height: 3, channels: 4, pixels: (0..60).collect() }).unwrap();
        assert_eq!(verify(&png), Ok((5, 3)));
        for at in 0..png.len() {
            let mut damaged = png.clone();
            damaged[at] ^= 0x10;
            assert!(verify(&damaged).is_err(), "byte {at}");
            assert!(verify(&png[..at]).is_err(), "cut at {at}");
        }
        assert_eq!(verify(b"GIF89a"), Err("is no PNG".into()));
    }
}
