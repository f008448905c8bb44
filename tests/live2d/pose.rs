//! Poses and heads, calculated by hand.

use crate::writer::{Moc, face};
use companion_build::live2d::head::{self, Span};
use companion_build::live2d::moc3;
use companion_build::live2d::pose::{self, Point};

fn points(moc: &Moc, mesh: usize, values: &[(usize, f64)]) -> Vec<Point> {
    let moc = moc3::read(&moc.write().0).expect("sound");
    pose::shapes(&moc, values).expect("small enough")[mesh].points.clone()
}

fn near(found: &[Point], wanted: &[Point]) {
    let is_near = |(a, b): (&Point, &Point)| (a[0] - b[0]).abs() < 1e-3 && (a[1] - b[1]).abs() < 1e-3;
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(is_near), "{found:?}, wanted {wanted:?}");
}

#[test]
fn keyforms_are_blended_and_put_on_the_canvas() {
    for version in 1..=6 {
        let moc = face(version);
        // A unit is 100 pixels, zero lies at 100, 200: a square of side 1 around 0, -1.
        near(&points(&moc, 1, &[]), &[[50.0, 50.0], [150.0, 50.0], [50.0, 150.0], [150.0, 150.0]]);
        // Halfway to the key of 30, which moves it by 0.3; beyond the last key nothing more happens.
        near(&points(&moc, 1, &[(0, 15.0)])[..1], &[[65.0, 50.0]]);
        near(&points(&moc, 1, &[(0, 99.0)])[..1], &[[80.0, 50.0]]);
        // The eye is under a rotation at 0, -1. Half turned and half closed: four keyforms.
        near(&points(&moc, 2, &[]), &[[90.0, 95.0], [110.0, 95.0], [90.0, 105.0], [110.0, 105.0]]);
        near(&points(&moc, 2, &[(0, -15.0), (2, 0.5)]), &[[75.0, 97.5], [95.0, 97.5], [75.0, 102.5], [95.0, 102.5]]);
    }
}

#[test]
fn a_rotation_turns_with_the_warp_above_it() {
    let mut moc = face(3);
    // The square from -1 to 1, turned by a quarter: what was right is below, what was below is left.
    for (n, value) in [1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0].into_iter().enumerate() {
        moc.put("kf_pos.xy", n, value);
    }
    // Its origin, the middle of the upper edge, comes to 1, 0; the eye's first corner, -0.1, -0.05 from it, to 1.05, -0.1.
    near(&points(&moc, 2, &[])[..1], &[[205.0, 190.0]]);
    // A base angle of 90 degrees more, twice as large, mirrored in x: -0.1, -0.05 becomes 0.2, -0.1, and half a turn -0.2, 0.1.
    moc.set("rotations.base_angle", &[90.0]).set("rot_kf.scale", &[2.0]).set("rot_kf.reflx", &[1.0]);
    near(&points(&moc, 2, &[])[..1], &[[180.0, 210.0]]);
}

#[test]
fn a_warp_bends_by_its_grid() {
    let bent = |version: u8, is_quad: bool, at: Point| {
        let mut moc = face(version);
        // No parallelogram: the last corner is pulled away.
        for (n, value) in [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0].into_iter().enumerate() {
            moc.put("kf_pos.xy", n, value);
        }
        if version >= 2 {
            moc.set("warps.quad", &[f64::from(u8::from(is_quad))]);
        }
        // The eye right under the warp, and its first corner at rest (keyform 4 of the eye, the eighth of all).
        moc.put("meshes.parent_def", 2, 0.0);
        let start = 8 + 8 * (1 + 3 + 4);
        moc.put("kf_pos.xy", start, at[0]).put("kf_pos.xy", start + 1, at[1]);
        let [x, y] = points(&moc, 2, &[])[0];
        [(x - 100.0) / 100.0, (y - 200.0) / 100.0]
    };
    near(&[bent(3, true, [0.5, 0.5])], &[[0.75, 0.75]]);
    near(&[bent(3, false, [0.5, 0.5]), bent(1, false, [0.5, 0.5])], &[[0.5, 0.5]; 2]);
    near(&[bent(3, false, [0.75, 0.75])], &[[1.25, 1.25]]);
    // Outside: the parallelogram of the corners, and the difference of the edge, which is a quarter, fading over two widths.
    near(&[bent(3, true, [2.0, 1.0]), bent(3, false, [3.0, 1.0])], &[[3.375, 2.375], [4.75, 2.75]]);
}

fn measured(moc: &Moc) -> head::Measured {
    head::measure(&moc3::read(&moc.write().0).expect("sound"))
}

#[test]
fn the_head_is_what_turns_with_the_eyes() {
    for version in 1..=6 {
        let found = measured(&face(version));
        // Head and eye move by 60 pixels, the body by none; the head's y goes from 50 to 150 of 400.
        assert_eq!(found.head, Some(Span { top: 0.125, bottom: 0.375 }), "version {version}");
        assert_eq!(found.drawables[0], Some(Span { top: 0.5, bottom: 0.75 }));
        assert_eq!(found.backgrounds, Vec::<usize>::new());
    }
    let without = |change: fn(&mut Moc)| {
        let mut moc = face(3);
        change(&mut moc);
        measured(&moc).head
    };
    assert_eq!(without(|moc| _ = moc.put("params.id", 0, "PARAM_ANGLE_X")), None);
    assert_eq!(without(|moc| _ = moc.put("params.id", 2, "ParamEyes")), None);
    // A head that moves half as far as the eye is not a part of it: only the eye is left, from 95 to 105 of 400.
    let lazy = without(|moc| {
        for (keyform, x) in [-0.15, 0.0, 0.15].into_iter().enumerate() {
            let start = 8 + 8 * (1 + keyform);
            for (corner, side) in [-0.5, 0.5, -0.5, 0.5].into_iter().enumerate() {
                moc.put("kf_pos.xy", start + 2 * corner, x + side);
            }
        }
    });
    let Span { top, bottom } = lazy.expect("the eye");
    assert!((top - 0.2375).abs() < 1e-6 && (bottom - 0.2625).abs() < 1e-6, "{top} {bottom}");
}

#[test]
fn what_covers_the_canvas_is_a_background() {
    let mut moc = face(3);
    // The body from -1, -2 to 1, 2: the whole canvas.
    for (n, value) in [-1.0, -2.0, 1.0, -2.0, -1.0, 2.0, 1.0, 2.0].into_iter().enumerate() {
        moc.put("kf_pos.xy", 8 + n, value);
    }
    assert_eq!(measured(&moc).backgrounds, [0]);
    moc.put("meshes.visible", 0, 0.0);
    assert_eq!(measured(&moc).backgrounds, Vec::<usize>::new());
}

#[test]
fn a_model_made_to_take_for_ever_is_not_posed() {
    let mut moc = face(3);
    // Nine axes between two keys each, all at once: 512 keyforms to blend.
    let axes: Vec<f64> = (0..9).map(f64::from).collect();
    let count = 9.0;
    moc.set("params.band_begin", &[0.0, 0.0, count, count]).set("params.band_count", &[count, 0.0, 0.0, 0.0]);
    moc.set("bands.begin", &axes.iter().map(|n| 2.0 * n).collect::<Vec<_>>()).set("bands.count", &[2.0; 9]);
    moc.set("keys.v", &[-1.0, 1.0].repeat(9)).set("bind_idx.band", &axes);
    moc.set("bindings.begin", &[0.0, 0.0, 0.0]).set("bindings.count", &[0.0, count, 0.0]);
    moc.set("meshes.kf_begin", &[0.0, 1.0, 513.0]).set("meshes.kf_count", &[1.0, 512.0, 1.0]);
    moc.set("mesh_kf.pos_begin", &[8.0; 514]).set("mesh_kf.opacity", &[1.0; 514]).set("mesh_kf.draw_order", &[500.0; 514]);
    let moc = moc3::read(&moc.write().0).expect("sound");
    assert_eq!(pose::shapes(&moc, &[]), None);
    assert_eq!(head::measure(&moc), head::Measured::default());
}
