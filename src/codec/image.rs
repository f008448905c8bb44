//! Pictures: what kind they are by their first bytes, opened within bounds, scaled down, written as PNG or JPEG.

use super::webp;
use ::image::codecs::jpeg::JpegEncoder;
use ::image::codecs::png::{CompressionType, FilterType, PngEncoder};
use ::image::{DynamicImage, ImageDecoder, ImageEncoder, ImageFormat, ImageReader, Limits};
use fast_image_resize as fir;
use serde::{Deserialize, Serialize};
use std::io::Cursor;

/// The most pixels of a picture that is opened: 16384 x 16384.
pub const MAX_PIXELS: u64 = 1 << 28;

/// An 8-bit picture, rows from the top, without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// 3 (RGB) or 4 (RGB and straight alpha).
    pub channels: u8,
    /// `width * height * channels` bytes.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// The same picture with 3 channels when no pixel is transparent.
    pub fn without_full_alpha(mut self) -> Self {
        if self.channels == 4 && self.pixels.chunks_exact(4).all(|p| p[3] == 255) {
            let count = self.pixels.len() / 4;
            for i in 0..count {
                self.pixels.copy_within(4 * i..4 * i + 3, 3 * i);
            }
            self.pixels.truncate(3 * count);
            self.channels = 3;
        }
        self
    }

    /// The colour of every pixel, when they are all the same.
    pub fn solid(&self) -> Option<&[u8]> {
        let mut pixels = self.pixels.chunks_exact(usize::from(self.channels));
        let first = pixels.next()?;
        pixels.all(|p| p == first).then_some(first)
    }
}

/// What a picture file is, by its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
    /// Khronos texture container, version 2.
    Ktx2,
    /// GIF (recognised, not opened).
    Gif,
    /// Windows bitmap.
    Bmp,
    /// AVIF (recognised, not opened).
    Avif,
    /// DirectDraw surface (recognised, not opened).
    Dds,
}

impl Kind {
    /// Its MIME type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
            Self::Ktx2 => "image/ktx2",
            Self::Gif => "image/gif",
            Self::Bmp => "image/bmp",
            Self::Avif => "image/avif",
            Self::Dds => "image/vnd-ms.dds",
        }
    }

    /// The kind by the first bytes; `None` when they say nothing (TGA has no magic).
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let starts = |magic: &[u8]| bytes.starts_with(magic);
        if starts(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if starts(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::Webp)
        } else if starts(b"\xabKTX 20\xbb\r\n\x1a\n") {
            Some(Self::Ktx2)
        } else if starts(b"GIF8") {
            Some(Self::Gif)
        } else if starts(b"BM") {
            Some(Self::Bmp)
        } else if bytes.get(4..8) == Some(b"ftyp") && bytes.get(8..12).is_some_and(|b| b == b"avif" || b == b"avis") {
            Some(Self::Avif)
        } else if starts(b"DDS ") {
            Some(Self::Dds)
        } else {
            None
        }
    }
}

/// What can go wrong with a picture.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not a kind that is opened here.
    #[error("the picture is of a kind that is not opened: {0}")]
    Kind(&'static str),
    /// Damaged or cut off.
    #[error("the picture is damaged")]
    Damaged,
    /// As the decoder says it.
    #[error("the picture does not decode: {0}")]
    Decode(String),
    /// More than one frame.
    #[error("the picture is animated")]
    Animated,
    /// Too many pixels.
    #[error("the picture is {0} x {1} pixels, more than this tool opens")]
    TooLarge(u32, u32),
    /// The encoder refused.
    #[error("the picture cannot be written: {0}")]
    Encoder(&'static str),
}

/// What the head of a picture says, without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Info {
    /// By content; `None` for TGA.
    pub kind: Option<Kind>,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// More than one frame.
    pub animated: bool,
}

/// Reads kind, size and animation from the head of a picture.
pub fn info(bytes: &[u8]) -> Result<Info, Error> {
    let kind = Kind::of(bytes);
    let still = |(width, height)| Info { kind, width, height, animated: false };
    match kind {
        Some(Kind::Webp) => {
            let head = webp::info(bytes).ok_or(Error::Damaged)?;
            Ok(Info { kind, width: head.width, height: head.height, animated: head.animated })
        }
        Some(Kind::Ktx2) => {
            let header = ktx2::Reader::new(bytes).map_err(|e| Error::Decode(e.to_string()))?.header();
            Ok(still((header.pixel_width, header.pixel_height)))
        }
        Some(Kind::Gif | Kind::Avif | Kind::Dds) => Err(Error::Kind(kind.map_or("", Kind::mime))),
        Some(Kind::Png) => Ok(Info { animated: has_png_chunk(bytes, b"acTL"), ..still(dimensions(bytes, ImageFormat::Png)?) }),
        Some(Kind::Jpeg) => Ok(still(dimensions(bytes, ImageFormat::Jpeg)?)),
        Some(Kind::Bmp) => Ok(still(dimensions(bytes, ImageFormat::Bmp)?)),
        None => Ok(still(dimensions(bytes, ImageFormat::Tga)?)),
    }
}

fn dimensions(bytes: &[u8], format: ImageFormat) -> Result<(u32, u32), Error> {
    if format == ImageFormat::Tga && !looks_like_tga(bytes) {
        return Err(Error::Kind("no known picture"));
    }
    ImageReader::with_format(Cursor::new(bytes), format).into_dimensions().map_err(|e| Error::Decode(e.to_string()))
}

/// TGA has no magic: an image type, colour map type and pixel depth that exist are the best there is.
fn looks_like_tga(bytes: &[u8]) -> bool {
    bytes.len() > 18 && bytes[1] <= 1 && matches!(bytes[2], 1 | 2 | 3 | 9 | 10 | 11) && matches!(bytes[16], 8 | 15 | 16 | 24 | 32)
}

/// True when a chunk of this type stands before the picture data.
fn has_png_chunk(bytes: &[u8], wanted: &[u8; 4]) -> bool {
    let mut at = 8;
    while let (Some(length), Some(kind)) = (bytes.get(at..at + 4), bytes.get(at + 4..at + 8)) {
        if kind == wanted {
            return true;
        }
        if kind == b"IDAT" {
            return false;
        }
        at += 12 + u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
    }
    false
}

/// What the header of a KTX2 file says beside the size of its picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ktx2 {
    /// How its pixels are stored, with the compression on top: `UASTC, Zstandard`, `BC7_SRGB_BLOCK`.
    pub encoding: String,
    /// Mipmap levels in the file; 0 = made on loading.
    pub levels: u32,
    /// Bytes on the graphics card.
    pub memory: u64,
}

/// Reads the header of a KTX2 file.
///
/// Memory: what the levels hold when unpacked, and a third more where mipmaps are made on loading. Basis Universal (UASTC, ETC1S) is
/// transcoded to what the card has: blocks of 4 x 4 pixels count 16 bytes, as in BC7, ASTC and ETC2 with alpha.
pub fn ktx2(bytes: &[u8]) -> Result<Ktx2, Error> {
    let reader = ktx2::Reader::new(bytes).map_err(|e| Error::Decode(e.to_string()))?;
    let header = reader.header();
    let model = || reader.color_model().map_or_else(|| "undefined".into(), |model| format!("{model:?}"));
    let mut encoding = header.format.map_or_else(model, |format| format!("{format:?}"));
    if let Some(scheme) = header.supercompression_scheme {
        encoding.push_str(&format!(", {scheme:?}"));
    }
    let images = u64::from(header.layer_count.max(1)) * u64::from(header.face_count.max(1));
    let blocks = |level: u32| {
        let side = |pixels: u32, block: u64| u64::from((pixels >> level.min(31)).max(1)).div_ceil(block);
        side(header.pixel_width, 4).saturating_mul(side(header.pixel_height, 4)).saturating_mul(side(header.pixel_depth, 1))
    };
    let level = |(level, size): (u32, u64)| match header.format {
        Some(_) => size,
        None => blocks(level).saturating_mul(16).saturating_mul(images),
    };
    let stored = (0u32..).zip(reader.levels().map(|level| level.uncompressed_byte_length)).map(level).fold(0, u64::saturating_add);
    let memory = if header.level_count == 0 { stored.saturating_add(stored / 3) } else { stored };
    Ok(Ktx2 { encoding, levels: header.level_count, memory })
}

/// Opens a PNG, JPEG, WebP, BMP or TGA as 8 bits a channel; of an animated PNG the picture that a texture would show. The orientation
/// that a camera noted is applied, as browsers do; colour profiles are not.
pub fn decode(bytes: &[u8]) -> Result<Picture, Error> {
    let Info { kind, width, height, .. } = info(bytes)?;
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Error::TooLarge(width, height));
    }
    let format = match kind {
        Some(Kind::Webp) => return webp::decode(bytes),
        Some(Kind::Png) => ImageFormat::Png,
        Some(Kind::Jpeg) => ImageFormat::Jpeg,
        Some(Kind::Bmp) => ImageFormat::Bmp,
        None => ImageFormat::Tga,
        Some(other) => return Err(Error::Kind(other.mime())),
    };
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_PIXELS * 8);
    (limits.max_image_width, limits.max_image_height) = (Some(1 << 16), Some(1 << 16));
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let failed = |e: ::image::ImageError| Error::Decode(e.to_string());
    let mut decoder = reader.into_decoder().map_err(failed)?;
    let orientation = decoder.orientation().map_err(failed)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(failed)?;
    image.apply_orientation(orientation);
    let (width, height) = (image.width(), image.height());
    Ok(if image.color().has_alpha() {
        Picture { width, height, channels: 4, pixels: image.into_rgba8().into_raw() }.without_full_alpha()
    } else {
        Picture { width, height, channels: 3, pixels: image.into_rgb8().into_raw() }
    })
}

/// How a picture is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scaling {
    /// Colours weigh by their alpha, so that nothing bleeds in from transparent pixels.
    pub premultiply: bool,
    /// In linear light rather than in the stored sRGB values: exact, and seven times slower.
    pub linear: bool,
}

/// The size that fits a longest side of `max` pixels, never larger than it was; at least 1 x 1.
pub fn fitted(width: u32, height: u32, max: u32) -> (u32, u32) {
    let longest = width.max(height);
    if max == 0 || longest <= max {
        return (width, height);
    }
    let scale = |side: u32| ((u64::from(side) * u64::from(max) + u64::from(longest) / 2) / u64::from(longest)).max(1) as u32;
    (scale(width), scale(height))
}

/// Scales with a Lanczos filter of three lobes.
pub fn resize(picture: Picture, width: u32, height: u32, scaling: Scaling) -> Result<Picture, Error> {
    let failed = |_| Error::Encoder("its size does not suit the scaler");
    let kind = if picture.channels == 4 { fir::PixelType::U8x4 } else { fir::PixelType::U8x3 };
    let channels = picture.channels;
    let premultiply = channels == 4 && scaling.premultiply;
    let mut source = fir::images::Image::from_vec_u8(picture.width, picture.height, picture.pixels, kind).map_err(failed)?;
    // The scaler would weigh by alpha itself, in a second copy of the whole source: 64 MiB for 4096 x 4096 pixels.
    let alpha = fir::MulDiv::new();
    let no_alpha = |_| Error::Encoder("no alpha to weigh by");
    if premultiply && !scaling.linear {
        alpha.multiply_alpha_inplace(&mut source).map_err(no_alpha)?;
    }
    let options = fir::ResizeOptions::new()
        .resize_alg(fir::ResizeAlg::Convolution(fir::FilterType::Lanczos3))
        .use_alpha(premultiply && scaling.linear);
    let mut resizer = fir::Resizer::new();
    let mut out = fir::images::Image::new(width, height, kind);
    if scaling.linear {
        let wide = if channels == 4 { fir::PixelType::U16x4 } else { fir::PixelType::U16x3 };
        let mapper = fir::create_srgb_mapper();
        let mut linear = fir::images::Image::new(source.width(), source.height(), wide);
        mapper.forward_map(&source, &mut linear).map_err(|_| Error::Encoder("no linear form"))?;
        drop(source);
        let mut small = fir::images::Image::new(width, height, wide);
        resizer.resize(&linear, &mut small, &options).map_err(|_| Error::Encoder("its size does not suit the scaler"))?;
        drop(linear);
        mapper.backward_map(&small, &mut out).map_err(|_| Error::Encoder("no linear form"))?;
    } else {
        resizer.resize(&source, &mut out, &options).map_err(|_| Error::Encoder("its size does not suit the scaler"))?;
        if premultiply {
            alpha.divide_alpha_inplace(&mut out).map_err(no_alpha)?;
        }
    }
    Ok(Picture { width, height, channels, pixels: out.into_vec() })
}

/// Writes a PNG, as small as the encoder can.
pub fn encode_png(picture: &Picture) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    PngEncoder::new_with_quality(&mut out, CompressionType::Best, FilterType::Adaptive)
        .write_image(&picture.pixels, picture.width, picture.height, color(picture))
        .map_err(|_| Error::Encoder("PNG"))?;
    Ok(out)
}

/// Writes a JPEG of the quality 1 to 100; alpha is lost, so the picture must have three channels.
pub fn encode_jpeg(picture: &Picture, quality: u8) -> Result<Vec<u8>, Error> {
    if picture.channels != 3 {
        return Err(Error::Encoder("JPEG has no alpha"));
    }
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, quality.clamp(1, 100))
        .write_image(&picture.pixels, picture.width, picture.height, color(picture))
        .map_err(|_| Error::Encoder("JPEG"))?;
    Ok(out)
}

fn color(picture: &Picture) -> ::image::ExtendedColorType {
    if picture.channels == 4 { ::image::ExtendedColorType::Rgba8 } else { ::image::ExtendedColorType::Rgb8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_the_longest_side_and_never_grows() {
        assert_eq!(fitted(4096, 2048, 1024), (1024, 512));
        assert_eq!(fitted(100, 50, 1024), (100, 50));
        assert_eq!(fitted(4096, 1, 1024), (1024, 1));
        assert_eq!(fitted(300, 200, 0), (300, 200));
    }

    #[test]
    fn png_comes_back() {
        let picture = Picture { width: 2, height: 1, channels: 4, pixels: vec![1, 2, 3, 4, 5, 6, 7, 8] };
        assert_eq!(decode(&encode_png(&picture).unwrap()).unwrap(), picture);
    }

    #[test]
    fn premultiplied_scaling_does_not_bleed() {
        // Left half red and opaque, right half green and transparent: no green may come through.
        let pixels = (0..64).flat_map(|i| if i % 8 < 4 { [255, 0, 0, 255] } else { [0, 255, 0, 0] }).collect();
        let picture = Picture { width: 8, height: 8, channels: 4, pixels };
        let small = resize(picture, 3, 3, Scaling { premultiply: true, linear: false }).unwrap();
        assert!(small.pixels.chunks(4).all(|p| p[3] == 0 || p[1] == 0), "{:?}", small.pixels);
    }

    #[test]
    fn solid_colour_is_seen() {
        let picture = Picture { width: 2, height: 2, channels: 3, pixels: [9, 8, 7].repeat(4) };
        assert_eq!(picture.solid(), Some(&[9, 8, 7][..]));
    }

    #[test]
    fn kinds_by_content() {
        assert_eq!(Kind::of(b"\x89PNG\r\n\x1a\n...."), Some(Kind::Png));
        assert_eq!(Kind::of(b"GIF89a"), Some(Kind::Gif));
        assert_eq!(Kind::of(b"hello"), None);
        assert!(decode(b"hello, this is no picture at all").is_err());
    }

    /// A KTX2 file with one level and an empty data format descriptor.
    fn ktx2_file(format: u32, width: u32, height: u32, levels: u32, scheme: u32, level: &[u8]) -> Vec<u8> {
        let mut out = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
        let words = [format, 1, width, height, 0, 0, 1, levels, scheme, 104, 4, 0, 0];
        out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        out.extend([0; 16]);
        out.extend([108, level.len() as u64, level.len() as u64].iter().flat_map(|word| word.to_le_bytes()));
        out.extend(4u32.to_le_bytes());
        out.extend(level);
        out
    }

    #[test]
    fn ktx2_headers() {
        // BC7: 1 x 2 blocks of 16 bytes; without levels the mipmaps are made on loading.
        let bc7 = ktx2(&ktx2_file(145, 4, 8, 0, 0, &[0; 32])).unwrap();
        assert_eq!(bc7, Ktx2 { encoding: "BC7_UNORM_BLOCK".into(), levels: 0, memory: 32 + 10 });
        // Basis Universal: 2 x 2 blocks.
        let basis = ktx2(&ktx2_file(0, 5, 5, 1, 1, &[0; 7])).unwrap();
        assert_eq!(basis, Ktx2 { encoding: "undefined, BasisLZ".into(), levels: 1, memory: 64 });
        assert!(ktx2(&ktx2_file(145, 4, 8, 0, 0, &[0; 32])[..90]).is_err());
    }
}
