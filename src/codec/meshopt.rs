//! Geometry compression: the codec and the filters of EXT_meshopt_compression, and the triangle and vertex orders that suit it.
//!
//! Source: the extension's specification and meshoptimizer 0.2x. Vertex streams are written in version 0 (first byte 0xA0), the only one
//! that EXT_meshopt_compression allows; index streams in version 1 (0xE1, 0xD1).
#![allow(unsafe_code)]

use ::meshopt::ffi;
use std::ffi::c_void;

/// What a compressed stream holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Elements of a fixed stride, a multiple of 4 up to 256 bytes.
    Attributes,
    /// Triangle lists of 2- or 4-byte indices.
    Triangles,
    /// Any sequence of 2- or 4-byte indices.
    Indices,
}

/// What has to be undone after decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Filter {
    /// Nothing.
    None,
    /// Unit vectors as octahedral coordinates, in 4 x 8 or 4 x 16 bits.
    Octahedral,
    /// Unit quaternions in 4 x 16 bits.
    Quaternion,
    /// Floats as 24-bit mantissa and 8-bit exponent.
    Exponential,
    /// Colours as luma and chroma (KHR_meshopt_compression only).
    Color,
}

/// A stream that does not decode, and why.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    /// Count, stride, mode and filter do not go together.
    #[error("{0}")]
    Layout(&'static str),
    /// The bytes are damaged.
    #[error("the compressed stream is damaged")]
    Damaged,
}

fn check_layout(mode: Mode, filter: Filter, count: usize, stride: usize) -> Result<(), Error> {
    let fits = match mode {
        Mode::Attributes => stride > 0 && stride <= 256 && stride.is_multiple_of(4),
        Mode::Triangles => (stride == 2 || stride == 4) && count.is_multiple_of(3),
        Mode::Indices => stride == 2 || stride == 4,
    };
    if !fits {
        return Err(Error::Layout("the stride or count of a compressed buffer view does not suit its mode"));
    }
    let fits = match filter {
        Filter::None => true,
        Filter::Octahedral | Filter::Color => mode == Mode::Attributes && (stride == 4 || stride == 8),
        Filter::Quaternion => mode == Mode::Attributes && stride == 8,
        Filter::Exponential => mode == Mode::Attributes,
    };
    if fits { Ok(()) } else { Err(Error::Layout("the filter of a compressed buffer view does not suit its mode and stride")) }
}

/// Decodes a stream of `count` elements of `stride` bytes and undoes the filter: `count * stride` bytes.
///
/// The caller bounds `count * stride` first. Decoded indices may point anywhere; whoever uses them checks.
pub fn decode(mode: Mode, filter: Filter, count: usize, stride: usize, stream: &[u8]) -> Result<Vec<u8>, Error> {
    check_layout(mode, filter, count, stride)?;
    let mut out = vec![0u8; count * stride];
    let to = out.as_mut_ptr().cast::<c_void>();
    let (from, length) = (stream.as_ptr(), stream.len());
    // SAFETY: `out` holds count * stride bytes, the layout was checked, and the decoders stay inside `length` bytes of the stream.
    let code = unsafe {
        match mode {
            Mode::Attributes => ffi::meshopt_decodeVertexBuffer(to, count, stride, from, length),
            Mode::Triangles => ffi::meshopt_decodeIndexBuffer(to, count, stride, from, length),
            Mode::Indices => ffi::meshopt_decodeIndexSequence(to, count, stride, from, length),
        }
    };
    if code != 0 {
        return Err(Error::Damaged);
    }
    undo(filter, &mut out, count, stride);
    Ok(out)
}

fn undo(filter: Filter, bytes: &mut [u8], count: usize, stride: usize) {
    let to = bytes.as_mut_ptr().cast::<c_void>();
    // SAFETY: the filters touch count * stride bytes, and the layout was checked; they read and write through unaligned-safe copies or
    // bytes that a Vec of this size aligns in practice to at least 8.
    unsafe {
        match filter {
            Filter::None => {}
            Filter::Octahedral => ffi::meshopt_decodeFilterOct(to, count, stride),
            Filter::Quaternion => ffi::meshopt_decodeFilterQuat(to, count, stride),
            Filter::Exponential => ffi::meshopt_decodeFilterExp(to, count, stride),
            Filter::Color => ffi::meshopt_decodeFilterColor(to, count, stride),
        }
    }
}

/// Encodes elements of `stride` bytes (a multiple of 4 up to 256) as a version 0 stream.
pub fn encode_attributes(bytes: &[u8], stride: usize) -> Vec<u8> {
    assert!(stride > 0 && stride <= 256 && stride.is_multiple_of(4) && bytes.len().is_multiple_of(stride), "stride {stride}");
    let count = bytes.len() / stride;
    // SAFETY: the buffer has the size that the bound function asks for, and the source holds count elements.
    unsafe {
        let mut out = vec![0u8; ffi::meshopt_encodeVertexBufferBound(count, stride)];
        let length = ffi::meshopt_encodeVertexBufferLevel(out.as_mut_ptr(), out.len(), bytes.as_ptr().cast(), count, stride, 3, 0);
        assert!(length > 0, "the bound was too small");
        out.truncate(length);
        out
    }
}

/// Encodes a triangle list. Every index is below `vertices`, the length a multiple of 3. The order of the triangles is kept, but a
/// triangle may come back rotated.
pub fn encode_triangles(indices: &[u32], vertices: usize) -> Vec<u8> {
    check_indices(indices, vertices);
    assert!(indices.len().is_multiple_of(3), "whole triangles");
    // SAFETY: as above; the indices were checked.
    unsafe {
        let mut out = vec![0u8; ffi::meshopt_encodeIndexBufferBound(indices.len(), vertices)];
        let length = ffi::meshopt_encodeIndexBuffer(out.as_mut_ptr(), out.len(), indices.as_ptr(), indices.len());
        assert!(length > 0, "the bound was too small");
        out.truncate(length);
        out
    }
}

/// Encodes any sequence of indices, each below `vertices`.
pub fn encode_indices(indices: &[u32], vertices: usize) -> Vec<u8> {
    check_indices(indices, vertices);
    // SAFETY: as above; the indices were checked.
    unsafe {
        let mut out = vec![0u8; ffi::meshopt_encodeIndexSequenceBound(indices.len(), vertices)];
        let length = ffi::meshopt_encodeIndexSequence(out.as_mut_ptr(), out.len(), indices.as_ptr(), indices.len());
        assert!(length > 0, "the bound was too small");
        out.truncate(length);
        out
    }
}

fn check_indices(indices: &[u32], vertices: usize) {
    assert!(indices.iter().all(|&i| (i as usize) < vertices), "an index is past the last vertex");
}

/// Unit vectors (x, y, z, and w kept as a signed fraction) as filtered octahedral elements: 4 bytes each for 8 bits or less, else 8.
pub fn filter_octahedral(vectors: &[[f32; 4]], bits: u8) -> (Vec<u8>, usize) {
    assert!((2..=16).contains(&bits), "{bits} bits");
    let stride = if bits <= 8 { 4 } else { 8 };
    let mut out = vec![0u8; vectors.len() * stride];
    // SAFETY: four floats for each element in, `stride` bytes for each out.
    unsafe { ffi::meshopt_encodeFilterOct(out.as_mut_ptr().cast(), vectors.len(), stride, i32::from(bits), vectors.as_ptr().cast()) };
    (out, stride)
}

/// Unit quaternions as filtered elements of 8 bytes.
pub fn filter_quaternion(quaternions: &[[f32; 4]], bits: u8) -> Vec<u8> {
    assert!((4..=16).contains(&bits), "{bits} bits");
    let mut out = vec![0u8; quaternions.len() * 8];
    // SAFETY: four floats for each element in, 8 bytes for each out.
    unsafe { ffi::meshopt_encodeFilterQuat(out.as_mut_ptr().cast(), quaternions.len(), 8, i32::from(bits), quaternions.as_ptr().cast()) };
    out
}

/// A float `mantissa * 2^exponent` as the exponential filter stores it. The mantissa has at most 24 signed bits.
pub fn exponential(mantissa: i32, exponent: i8) -> [u8; 4] {
    debug_assert!((-(1 << 23)..1 << 23).contains(&mantissa));
    ((mantissa as u32 & 0x00ff_ffff) | ((exponent as u8 as u32) << 24)).to_le_bytes()
}

/// The triangles in an order that the vertex cache and the index codec like.
pub fn order_triangles(indices: &[u32], vertices: usize) -> Vec<u32> {
    check_indices(indices, vertices);
    ::meshopt::optimize_vertex_cache_strip(indices, vertices)
}

/// For each vertex its new place when vertices stand in the order of their first use; `u32::MAX` for a vertex that is not used.
pub fn order_vertices(indices: &[u32], vertices: usize) -> Vec<u32> {
    check_indices(indices, vertices);
    let mut place = vec![u32::MAX; vertices];
    // SAFETY: one place for each vertex, and the indices were checked. (The crate's own wrapper cuts the list at the vertices in use.)
    unsafe { ffi::meshopt_optimizeVertexFetchRemap(place.as_mut_ptr(), indices.as_ptr(), indices.len(), vertices) };
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertex_streams_are_version_0_and_come_back() {
        let bytes: Vec<u8> = (0..300u32).flat_map(|i| (i as f32 * 0.25).to_le_bytes()).collect();
        let stream = encode_attributes(&bytes, 12);
        assert_eq!(stream[0], 0xA0);
        assert_eq!(decode(Mode::Attributes, Filter::None, 100, 12, &stream).unwrap(), bytes);
    }

    #[test]
    fn index_streams_come_back() {
        let indices = [0u32, 1, 2, 2, 1, 3, 3, 1, 4];
        let stream = encode_triangles(&indices, 5);
        assert_eq!(stream[0], 0xE1);
        let back = decode(Mode::Triangles, Filter::None, 9, 4, &stream).unwrap();
        let back: Vec<u32> = back.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
        let sorted = |list: &[u32]| {
            list.chunks(3)
                .map(|t| {
                    let mut t = t.to_vec();
                    t.sort();
                    t
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(sorted(&back), sorted(&indices));
        let sequence = encode_indices(&[7, 3, 9, 0], 10);
        assert_eq!(sequence[0], 0xD1);
        assert_eq!(decode(Mode::Indices, Filter::None, 4, 2, &sequence).unwrap(), [7, 0, 3, 0, 9, 0, 0, 0]);
    }

    #[test]
    fn exponential_is_mantissa_times_power_of_two() {
        let mut bytes: Vec<u8> = [exponential(3, -2), exponential(-5, 0), exponential(0, -15), exponential(1, 4)].concat();
        undo(Filter::Exponential, &mut bytes, 1, 16);
        let floats: Vec<f32> = bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect();
        assert_eq!(floats, [0.75, -5.0, 0.0, 16.0]);
    }

    #[test]
    fn octahedral_normals_stay_within_their_bits() {
        let wanted = [0.6f32, -0.48, 0.64];
        let (mut bytes, stride) = filter_octahedral(&[[wanted[0], wanted[1], wanted[2], 0.0]], 10);
        undo(Filter::Octahedral, &mut bytes, 1, stride);
        for (i, want) in wanted.iter().enumerate() {
            let got = f32::from(i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]])) / 32767.0;
            assert!((got - want).abs() < 0.004, "{got} {want}");
        }
    }

    #[test]
    fn vertices_stand_in_the_order_of_first_use() {
        assert_eq!(order_vertices(&[4, 2, 0, 2, 4, 5], 6), [2, u32::MAX, 1, u32::MAX, 0, 3]);
    }

    #[test]
    fn damage_is_an_error() {
        assert_eq!(decode(Mode::Attributes, Filter::None, 10, 12, &[0xA0, 1, 2]), Err(Error::Damaged));
        assert!(matches!(decode(Mode::Attributes, Filter::None, 10, 13, &[]), Err(Error::Layout(_))));
        assert!(matches!(decode(Mode::Triangles, Filter::None, 10, 4, &[]), Err(Error::Layout(_))));
        assert!(matches!(decode(Mode::Attributes, Filter::Quaternion, 10, 12, &[]), Err(Error::Layout(_))));
    }
}
