//! PNG files as they lie: whether they are whole, without opening them; and the same picture in fewer bytes.

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

/// Chunks that change how a picture looks in a reader that knows colour spaces; all others but the pixels go.
const COLOR_CHUNKS: [[u8; 4]; 6] = [*b"cICP", *b"iCCP", *b"sRGB", *b"gAMA", *b"cHRM", *b"sBIT"];

/// The same pixels, also where they are transparent, in the smallest form that `effort` (0 to 6) finds. Never more bytes than before.
///
/// # Errors
/// Why the picture does not decode.
pub fn optimize(bytes: &[u8], effort: u8) -> Result<Vec<u8>, image::Error> {
    let (width, height) = image::info(bytes).map(|info| (info.width, info.height))?;
    if u64::from(width) * u64::from(height) > image::MAX_PIXELS {
        return Err(image::Error::TooLarge(width, height));
    }
    let mut options = oxipng::Options::from_preset(effort.min(6));
    options.strip = oxipng::StripChunks::Keep(COLOR_CHUNKS.into_iter().collect());
    // 16 bits for each of four channels, and the filter of each row.
    options.max_decompressed_size = usize::try_from(u64::from(width) * u64::from(height) * 8 + u64::from(height) * 8).ok();
    oxipng::optimize_from_memory(bytes, &options).map_err(|error| image::Error::Decode(error.to_string()))
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

    #[test]
    fn every_pixel_stays_also_the_transparent_ones() {
        // Few colours, so that a palette is smaller; some of them fully transparent.
        let few = (0..64 * 64).flat_map(|i| [(i % 5) as u8, 7, (i % 3) as u8, if i % 2 == 0 { 0 } else { 255 }]).collect();
        let many = (0..64u32 * 64).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        for pixels in [few, many] {
            let picture = Picture { width: 64, height: 64, channels: 4, pixels };
            let png = encode_png(&picture).unwrap();
            for effort in [0, 2, 6] {
                let smaller = optimize(&png, effort).unwrap();
                assert!(smaller.len() <= png.len());
                assert_eq!(verify(&smaller), Ok((64, 64)));
                assert_eq!(image::decode(&smaller).unwrap(), picture);
            }
        }
        assert!(optimize(b"\x89PNG\r\n\x1a\n", 2).is_err());
    }
}
