//! Strides measured on walks that were made with a known stride.

mod ship;
mod walker;

use companion_build::clip::Clip;
use companion_build::clip::retarget::Body;
use companion_build::gltf::Document;
use companion_build::motion::{Walk, measure, walk::body_height};
use companion_build::report::Report;
use companion_build::vrm::refs::TABLE;
use walker::{PLAIN, Walker};

fn measured(walker: &Walker, size: f64) -> Walk {
    let mut report = Report::default();
    let document = Document::read(&walker.avatar(), "a.vrm", &TABLE, &mut report).expect("an avatar");
    let clip = Clip::read(&walker.clip(size), "walk.vrma", &mut report, &mut Report::default()).expect("a clip");
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let body = Body::of(&document, None);
    let height = body_height(&document, &body).expect("a body");
    assert!((height - walker.height).abs() < 1e-6);
    measure(&body, &clip, height)
}

/// Every walk of the test: speeds, cadences, cycles, legs, noise, headings, heel strikes, sways, and ways to write a clip.
fn walkers() -> Vec<(Walker, f64)> {
    let mut all = Vec::new();
    let shapes: [(f64, usize, f64); 3] = [(1.0, 1, 0.47), (1.2, 2, 0.44), (0.9, 3, 0.52)];
    for (n, speed) in [0.2, 0.35, 0.5, 0.8].into_iter().enumerate() {
        for stance in [0.55, 0.6, 0.65] {
            for (cycle_seconds, cycles, leg) in shapes {
                for frames_per_second in [24.0, 30.0, 60.0] {
                    let base =
                        Walker { speed, stance, cycle_seconds, cycles, leg, frames_per_second, height: 1.3 + 0.2 * n as f64, ..PLAIN };
                    all.push((Walker { roll: 0.5, sway: 0.02, odd_axes: true, ..base }, 1.0));
                    all.push((Walker { noise: 0.001, old: true, turned: true, unit: 0.01, ..base }, 1.3));
                    all.push((Walker { heading: 0.5, has_toes: false, roll: 0.7, ..base }, 1.0));
                    all.push((Walker { travels: true, odd_axes: true, turned: true, lift: 0.08, old: cycles == 2, ..base }, 0.6));
                }
            }
        }
    }
    all
}

#[test]
fn strides_are_what_they_were_made_to_be() {
    let all = walkers();
    assert!(all.len() >= 400, "{}", all.len());
    let mut errors = Vec::new();
    for (walker, size) in &all {
        let walk = measured(walker, *size);
        let gait = walk.gait.as_ref().unwrap_or_else(|why| panic!("{walker:?}: {why}"));
        assert_eq!(gait.cycles, walker.cycles, "{walker:?}");
        assert_eq!(walk.is_in_place(), !walker.travels, "{walker:?}: {}", walk.travel_meters);
        assert!(walk.closes(), "{walker:?}: {}", walk.seam_degrees);
        let heading = (gait.heading_degrees.to_radians() - walker.heading).abs();
        assert!(heading < 0.12, "{walker:?}: {}", gait.heading_degrees);
        errors.push(((walk.stride_meters().expect("measured") / walker.stride_meters() - 1.0).abs(), *walker));
    }
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: f64| errors[(share * (errors.len() - 1) as f64) as usize].0;
    println!("{} walks: median {:.4}, 95% {:.4}, worst {:.4} {:?}", errors.len(), at(0.5), at(0.95), at(1.0), errors.last().map(|e| e.1));
    assert!(at(0.5) <= 0.01 && at(0.95) <= 0.02, "median {}, 95% {}, worst {:?}", at(0.5), at(0.95), errors.last());
}

#[test]
fn speeds_follow_from_the_stride() {
    let walk = measured(&PLAIN, 1.0);
    let speed = walk.gait.as_ref().expect("a walk").speed;
    assert!((walk.rate(0.35).expect("a rate") - 0.35 / speed).abs() < 1e-12);
    assert_eq!(walk.rate(speed * 9.0), Some(2.0));
    assert_eq!(walk.speeds(), Some([speed / 2.0, speed * 2.0]));
    // At nine times its speed the feet of a clip at twice its rate slide by seven ninths of the way.
    assert!((walk.slide(speed * 9.0).expect("a slide") - 7.0 / 9.0).abs() < 0.03);
    assert!(walk.slide(0.35).expect("a slide") < 0.12);
}
