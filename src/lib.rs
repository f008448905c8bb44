pub mod codec;
pub mod disk;
pub mod pack;
pub mod parallel;
pub mod report;
pub mod spelling;
pub mod units;
