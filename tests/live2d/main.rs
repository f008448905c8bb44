//! Live2D looks: models of our own making, whole, damaged and hostile.

mod moc3;
mod pose;
mod program;
mod zips;
mod writer;
