pub mod codec;
pub mod parallel;
pub mod report;
pub mod units;
