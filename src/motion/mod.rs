//! How a walk walks on an avatar: its cycles, its stride, the speed at which the feet stand still on the ground.

pub mod gait;
pub mod picture;
pub mod walk;

pub use gait::{Gait, Tracks};
pub use walk::{Walk, measure};
