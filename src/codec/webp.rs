//! WebP pictures, read and written with libwebp.
#![allow(unsafe_code)]

use super::image::{Error, Picture};
use libwebp_sys as ffi;
use std::mem::MaybeUninit;

/// How a picture is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// 0 to 100; for near-lossless pictures the effort.
    pub quality: f32,
    /// 0 fast to 6 slow.
    pub method: u8,
    /// 100 keeps alpha exactly.
    pub alpha_quality: u8,
    /// Keep the colour of wholly transparent pixels.
    pub exact: bool,
    /// `Some(100)` lossless, less than 100 near-lossless, `None` lossy.
    pub near_lossless: Option<u8>,
    /// Slower, sharper conversion to luma and chroma.
    pub sharp_yuv: bool,
}

/// What the head of a WebP file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Info {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// More than one frame, or made to have them.
    pub animated: bool,
    /// Written lossless.
    pub lossless: bool,
}

/// Reads the head; `None` when it is no WebP.
pub fn info(bytes: &[u8]) -> Option<Info> {
    let mut features = MaybeUninit::<ffi::WebPBitstreamFeatures>::zeroed();
    // SAFETY: plain data, filled by the call; the length is the slice's.
    let features = unsafe {
        let status = ffi::WebPGetFeatures(bytes.as_ptr(), bytes.len(), features.as_mut_ptr());
        if status != ffi::VP8StatusCode::VP8_STATUS_OK {
            return None;
        }
        features.assume_init()
    };
    Some(Info {
        width: u32::try_from(features.width).ok()?,
        height: u32::try_from(features.height).ok()?,
        animated: features.has_animation != 0,
        lossless: features.format == 2,
    })
}

/// Decodes a still WebP. The caller has bounded width x height.
pub fn decode(bytes: &[u8]) -> Result<Picture, Error> {
    let Info { width, height, animated, .. } = info(bytes).ok_or(Error::Damaged)?;
    if animated {
        return Err(Error::Animated);
    }
    let mut pixels = vec![0u8; width as usize * height as usize * 4];
    // SAFETY: the buffer holds height rows of width x 4 bytes.
    let end = unsafe { ffi::WebPDecodeRGBAInto(bytes.as_ptr(), bytes.len(), pixels.as_mut_ptr(), pixels.len(), width as i32 * 4) };
    if end.is_null() {
        return Err(Error::Damaged);
    }
    Ok(Picture { width, height, channels: 4, pixels }.without_full_alpha())
}

/// Encodes a picture of at most 16383 pixels a side.
pub fn encode(picture: &Picture, settings: &Settings) -> Result<Vec<u8>, Error> {
    if picture.width > 16383 || picture.height > 16383 {
        return Err(Error::TooLarge(picture.width, picture.height));
    }
    let lossless = settings.near_lossless.is_some();
    // SAFETY: config and picture are plain data that the init calls fill; the import reads height rows of the stride given; the writer
    // owns its memory until cleared; the picture is freed on every path.
    unsafe {
        let mut config = ffi::WebPConfig::new().map_err(|()| Error::Encoder("versions of libwebp differ"))?;
        config.quality = settings.quality;
        config.method = i32::from(settings.method);
        config.alpha_quality = i32::from(settings.alpha_quality);
        config.exact = i32::from(settings.exact);
        config.lossless = i32::from(lossless);
        config.near_lossless = i32::from(settings.near_lossless.unwrap_or(100));
        config.use_sharp_yuv = i32::from(settings.sharp_yuv);
        if ffi::WebPValidateConfig(&config) == 0 {
            return Err(Error::Encoder("settings out of range"));
        }
        let mut pic = ffi::WebPPicture::new().map_err(|()| Error::Encoder("versions of libwebp differ"))?;
        pic.width = picture.width as i32;
        pic.height = picture.height as i32;
        pic.use_argb = i32::from(lossless || settings.sharp_yuv);
        let stride = picture.width as i32 * i32::from(picture.channels);
        let imported = match picture.channels {
            4 => ffi::WebPPictureImportRGBA(&mut pic, picture.pixels.as_ptr(), stride),
            _ => ffi::WebPPictureImportRGB(&mut pic, picture.pixels.as_ptr(), stride),
        };
        let mut writer = MaybeUninit::<ffi::WebPMemoryWriter>::zeroed();
        ffi::WebPMemoryWriterInit(writer.as_mut_ptr());
        let mut writer = writer.assume_init();
        pic.writer = Some(ffi::WebPMemoryWrite);
        pic.custom_ptr = (&raw mut writer).cast();
        let encoded = imported != 0 && ffi::WebPEncode(&config, &mut pic) != 0;
        let out = if encoded { std::slice::from_raw_parts(writer.mem, writer.size).to_vec() } else { Vec::new() };
        ffi::WebPMemoryWriterClear(&mut writer);
        ffi::WebPPictureFree(&mut pic);
        if encoded { Ok(out) } else { Err(Error::Encoder("out of memory, or a picture that WebP cannot hold")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient(channels: u8) -> Picture {
        let pixels = (0..64u32 * 64)
            .flat_map(|i| {
                let (x, y) = ((i % 64) as u8, (i / 64) as u8);
                [x * 4, y * 4, 128, if x < 32 { 255 } else { y * 3 }].into_iter().take(channels as usize)
            })
            .collect();
        Picture { width: 64, height: 64, channels, pixels }
    }
    const LOSSY: Settings = Settings { quality: 80.0, method: 4, alpha_quality: 100, exact: false, near_lossless: None, sharp_yuv: false };

    #[test]
    fn lossless_and_exact_keeps_every_byte() {
        let picture = gradient(4);
        let bytes = encode(&picture, &Settings { near_lossless: Some(100), exact: true, ..LOSSY }).unwrap();
        assert_eq!(decode(&bytes).unwrap(), picture);
        assert_eq!(info(&bytes), Some(Info { width: 64, height: 64, animated: false, lossless: true }));
    }

    #[test]
    fn lossy_keeps_alpha_exactly_and_colour_nearly() {
        let picture = gradient(4);
        let back = decode(&encode(&picture, &LOSSY).unwrap()).unwrap();
        for (a, b) in picture.pixels.chunks(4).zip(back.pixels.chunks(4)) {
            assert_eq!(a[3], b[3]);
            if a[3] > 200 {
                assert!(a[0].abs_diff(b[0]) < 16, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn opaque_pictures_have_three_channels() {
        assert_eq!(decode(&encode(&gradient(3), &LOSSY).unwrap()).unwrap().channels, 3);
    }

    #[test]
    fn rubbish_is_an_error() {
        assert!(info(b"RIFF....WEBPVP8 ").is_none());
        assert!(decode(b"no").is_err());
    }
}
