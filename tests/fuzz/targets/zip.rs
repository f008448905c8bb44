//! The scan of zips, and the look in one: no bytes make them panic, and nothing unpacks to more than it claims.
#![no_main]

use companion_build::codec::zip::{self, Limits};
use companion_build::{live2d, report::Report};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let archive = zip::read(bytes, &Limits::LIVE2D);
    for entry in archive.entries.iter().filter(|entry| entry.size < 1 << 20) {
        if let Ok(contents) = archive.unpack(entry) {
            assert_eq!(contents.len() as u64, entry.size);
        }
    }
    live2d::open(bytes, "a.zip", &mut Report::default());
});
