//! The .moc3 reader: no bytes make it panic, and what it takes can be posed.
#![no_main]

use companion_build::live2d::{head, moc3};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(moc) = moc3::read(bytes) {
        assert!(moc.columns.mesh_corners.len() == moc.columns.mesh_id.len());
        head::measure(&moc);
    }
});
