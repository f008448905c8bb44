//! The program `companion-build`.

fn main() {}
