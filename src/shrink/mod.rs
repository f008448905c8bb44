//! Shrinking: an avatar, item or clip that looks, moves and is scripted as its original, in fewer bytes.

pub mod settings;
