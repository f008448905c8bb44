//! Shrinks, checks, measures and bundles companion packs: VRM avatars, motions and items.
//!
//! # The house
//!
//! One direction of flow. The modules below are floors, lowest first: a module uses only floors below its own, and modules on one floor do
//! not see each other. What a workshop has to know of another one's work is a plain fact that `build` hands to it.
//!
//! | floor | module | what it is |
//! | --- | --- | --- |
//! | ground | [`report`] | the words: findings, their places, the catalogue of codes, who listens while work is done |
//! | ground | [`units`] | sizes and times, and how they print |
//! | 0 | [`spelling`] | names that differ only in case or form, and keys |
//! | 0 | [`parallel`] | many jobs at once, in order; the only user of rayon |
//! | 1 | [`geometry`] | triangles: what a ray meets, what is seen from somewhere, distances along a surface |
//! | 1 | [`disk`] | the outside world: a folder as a tree of named files, and whole writes |
//! | 1 | [`watch`] | waits until files of a folder are otherwise; a neighbour of `disk` |
//! | 1 | [`codec`] | bytes in, bytes out: pictures, compressed geometry, zips; the only home of foreign code |
//! | 2 | [`gltf`] | glTF files held whole, and the table of every place that holds an index |
//! | 2 | [`live2d`] | Live2D models: the zip, its JSON files and the .moc3 |
//! | 3 | [`vrm`] | what VRM 0.x and 1.0 add; their rows of the table |
//! | 4 | [`clip`] | one motion, from .vrma, .glb or .fbx: which bones move, how long, sampled poses, and how it plays on an avatar |
//! | 5 | [`shrink`] | a workshop: the passes that make a file smaller |
//! | 5 | [`cover`] | a workshop: which triangles the garments of an outfit hide |
//! | 5 | [`motion`] | a workshop: how a walk walks on an avatar |
//! | 5 | [`pack`] | a workshop: the manifests as written, and the rules that they must keep |
//! | 6 | [`build`] | settings, plan, run and outcome: the only place that knows the whole story |
//! | 7 | [`cli`] | arguments, progress, and how a report is shown to people and programs |
//!
//! # What must never be
//!
//! - `report` imports nothing of the crate; `gltf` does not know `vrm`; one workshop does not know another.
//! - Files, network, environment and the current folder are touched by `disk`, its neighbours and `main` only; rayon by `parallel`; foreign
//!   code and `unsafe` live in `codec`; only `cli` and `main` print.
//! - No hash map is iterated into output: the same input, settings and version give the same bytes, at any number of threads.
//!
//! # Three kinds of trouble
//!
//! - A *finding* is about the user's files. It is collected in a [`report::Report`], never the first only, and never a Rust `Err`.
//! - An *error* is about the world: a disk, a codec. One enum for each floor, with the path in it.
//! - A *bug* is an assertion. It is caught for each job and reported as Z001 with the job's name; the other jobs go on.

pub mod report;
pub mod units;
pub mod spelling;
pub mod parallel;
pub mod geometry;
pub mod disk;
pub mod watch;
pub mod codec;
pub mod gltf;
pub mod live2d;
pub mod vrm;
pub mod clip;
pub mod shrink;
pub mod cover;
pub mod motion;
pub mod pack;
pub mod build;
pub mod cli;
