pub mod codec;
pub mod gltf;
pub mod parallel;
pub mod report;
pub mod units;
pub mod vrm;
