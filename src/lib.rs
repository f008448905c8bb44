pub mod parallel;
pub mod report;
pub mod units;
