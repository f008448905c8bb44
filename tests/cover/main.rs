//! Cover masks of layered limbs whose truth is known from how they are made.
//!
//! The limb is one metre high and stands upright, so that by hand: between a skin of radius r and a sleeve with a gap g, a view at an
//! angle e to the horizontal sees g tan(e) deep into the opening. An avatar is looked at from 28 degrees below (at most 0.6 g) to 63
//! above (2 g), and from nearby a little steeper.

mod shapes;

use companion_build::cover::Outfit;
use glam::Vec3;
use serde_json::json;
use shapes::{MARGIN, Scene, Tube, scene, skin, tube};

/// Nothing hidden of the skin lies outside of the heights, and at least `share` of the skin's triangles between `low` and `high` is hidden.
fn assert_hidden(scene: &Scene, low: f32, high: f32, visible: [f32; 2], share: f32) {
    let hidden = scene.hidden("Skin");
    let (bottom, top) = (low + visible[0] + MARGIN, high - visible[1] - MARGIN);
    let outside: Vec<&Vec3> = hidden.iter().filter(|p| p.y < bottom || p.y > top).collect();
    assert!(outside.is_empty(), "{} seen triangles are hidden, as {}", outside.len(), outside[0]);
    let all = scene.within("Skin", low, high);
    assert!(hidden.len() as f32 >= share * all as f32, "{} of {all} covered triangles are hidden", hidden.len());
}

fn layered(garments: &mut Vec<Tube<'static>>) -> Scene {
    let mut tubes = vec![skin()];
    tubes.append(garments);
    scene(&[], &tubes)
}

fn sleeve(radius: &'static dyn Fn(f32, f32) -> f32) -> Tube<'static> {
    tube("Sleeve", 0.2, 0.8, radius)
}

const TIGHT: &dyn Fn(f32, f32) -> f32 = &|_, _| 0.055;

#[test]
fn a_naked_limb_hides_nothing() {
    assert_eq!(scene(&[], &[skin()]).covers(&[])[0].masks, []);
    let posed = scene(&[("leftUpperLeg", 0), ("leftLowerLeg", 1)], &[skin()]);
    assert_eq!(posed.covers(&[])[0].masks, []);
}

#[test]
fn sleeves_tight_and_loose() {
    assert_hidden(&layered(&mut vec![sleeve(TIGHT)]), 0.2, 0.8, [0.002, 0.005], 0.7);
    assert_hidden(&layered(&mut vec![sleeve(&|_, _| 0.08)]), 0.2, 0.8, [0.012, 0.04], 0.6);
}

#[test]
fn one_side_covers_as_it_is_drawn() {
    let single = || Tube { material: json!({}), ..sleeve(TIGHT) };
    assert_hidden(&layered(&mut vec![single()]), 0.2, 0.8, [0.002, 0.005], 0.7);
    // Its front inside, it is not drawn from outside.
    let broken = layered(&mut vec![Tube { inverted: true, ..single() }]);
    assert_eq!(broken.hidden("Skin"), []);
}

#[test]
fn an_open_hem_shows_what_is_above_it() {
    // From 5 mm at the top to 75 mm at the hem.
    let bell = layered(&mut vec![sleeve(&|y, _| 0.055 + 0.07 * (0.8 - y) / 0.6)]);
    assert_hidden(&bell, 0.2, 0.8, [0.03, 0.005], 0.6);
}

#[test]
fn a_robe_covers_all_but_its_ends() {
    let robe = Tube { name: "Robe", ..tube("Robe", 0.05, 0.9, &|y, a| 0.056 + 0.05 * (0.9 - y) + 0.004 * (a * 8.0).sin() * (0.9 - y)) };
    assert_hidden(&layered(&mut vec![robe]), 0.05, 0.9, [0.015, 0.004], 0.7);
}

#[test]
fn a_boot_and_a_glove_hide_what_is_in_them() {
    // Closed at the bottom (a foot in its boot) and at the top (a hand in its glove).
    let boot = Tube { name: "Boot", caps: [true, false], ..tube("Boot", -0.01, 0.35, &|_, _| 0.056) };
    let glove = Tube { name: "Glove", caps: [false, true], ..tube("Glove", 0.7, 1.01, &|_, _| 0.056) };
    let scene = layered(&mut vec![boot, glove]);
    let hidden = scene.hidden("Skin");
    let seen = hidden.iter().filter(|p| p.y > 0.35 - 0.006 - MARGIN && p.y < 0.7 + 0.003 + MARGIN).count();
    let (in_boot, in_glove) = (hidden.iter().filter(|p| p.y < 0.5).count(), hidden.iter().filter(|p| p.y > 0.5).count());
    assert_eq!(seen, 0);
    assert!(in_boot as f32 >= 0.7 * scene.within("Skin", -1.0, 0.35) as f32, "{in_boot}");
    assert!(in_glove as f32 >= 0.7 * scene.within("Skin", 0.7, 2.0) as f32, "{in_glove}");
}

#[test]
fn of_two_layers_both_what_is_under_them_goes() {
    let shirt = tube("Shirt", 0.15, 0.85, &|_, _| 0.055);
    let jacket = tube("Jacket", 0.25, 0.75, &|_, _| 0.062);
    let scene = layered(&mut vec![shirt, jacket]);
    assert_hidden(&scene, 0.15, 0.85, [0.002, 0.005], 0.7);
    let shirt = scene.hidden("Shirt");
    assert!(shirt.iter().all(|p| p.y > 0.25 + MARGIN && p.y < 0.75 - MARGIN), "a shirt is seen outside of the jacket");
    assert!(shirt.len() as f32 >= 0.7 * scene.within("Shirt", 0.25, 0.75) as f32, "{}", shirt.len());
    assert_eq!(scene.hidden("Jacket"), []);
}

#[test]
fn alpha_covers_where_it_is_opaque() {
    let textured = |mode: &str| {
        json!({ "alphaMode": mode, "alphaCutoff": 0.5, "doubleSided": true,
        "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } })
    };
    // The right half of the picture, angles over half a turn (x < 0), is a window.
    for mode in ["MASK", "BLEND"] {
        let hidden = layered(&mut vec![Tube { material: textured(mode), ..sleeve(TIGHT) }]).hidden("Skin");
        assert!(hidden.iter().all(|p| p.x > 0.0), "{mode}: skin in the window is hidden");
        assert!(hidden.len() > 500, "{mode}: {}", hidden.len());
    }
    let sheer = json!({ "alphaMode": "BLEND", "doubleSided": true, "pbrMetallicRoughness": { "baseColorFactor": [1, 1, 1, 0.5] } });
    assert_eq!(layered(&mut vec![Tube { material: sheer, ..sleeve(TIGHT) }]).hidden("Skin"), []);
    let whole = json!({ "alphaMode": "BLEND", "doubleSided": true });
    assert_hidden(&layered(&mut vec![Tube { material: whole, ..sleeve(TIGHT) }]), 0.2, 0.8, [0.002, 0.005], 0.7);
}

#[test]
fn what_pokes_through_a_garment_goes_too() {
    // The sleeve waves 3 mm around a surface 1 mm over the skin, so that nearly half of the skin is before it.
    let waves = sleeve(&|y, a| 0.051 + 0.003 * (a * 6.0).sin() * (y * 40.0).sin());
    assert_hidden(&layered(&mut vec![waves]), 0.2, 0.8, [0.0, 0.0], 0.7);
}

#[test]
fn hair_and_small_things_cover_nothing() {
    let bones = [("hips", 0), ("head", 1)];
    let hair = scene(&bones, &[skin(), Tube { joint: Some(1), ..sleeve(TIGHT) }]);
    assert_eq!(hair.hidden("Skin"), []);
    let bracelet = layered(&mut vec![tube("Bracelet", 0.48, 0.5, TIGHT)]);
    assert_eq!(bracelet.hidden("Skin"), []);
}

#[test]
fn the_head_is_never_hidden() {
    // The upper half belongs to the head, and a hood of the lower joint is over all of it.
    let hood = Tube { joint: Some(0), caps: [false, true], ..tube("Hood", 0.2, 1.02, &|_, _| 0.06) };
    let hidden = scene(&[("neck", 0), ("head", 1)], &[skin(), hood]).hidden("Skin");
    assert!(hidden.iter().all(|p| p.y < 0.5), "a part of the head is hidden");
    assert!(!hidden.is_empty());
}

#[test]
fn a_garment_can_be_a_material_of_the_body() {
    let mut merged = scene(&[], &[skin(), sleeve(TIGHT)]);
    let second = merged.document.list("meshes")[1]["primitives"][0].clone();
    merged.document.list_mut("meshes")[0]["primitives"].as_array_mut().expect("a list").push(second);
    merged.document.list_mut("nodes")[3].as_object_mut().expect("a node").remove("mesh");
    let outfit = |key: &str, material: &str| Outfit { key: key.into(), materials: vec![material.into()], ..Outfit::default() };
    let covers = merged.covers(&[outfit("dressed", "Sleeve"), outfit("bare", "None")]);
    let parts: Vec<(usize, usize, usize)> = covers[0].masks.iter().map(|mask| (mask.node, mask.mesh, mask.primitive)).collect();
    assert_eq!(parts, [(2, 0, 0)]);
    assert!(covers[0].count() as f32 >= 0.7 * merged.within("Skin", 0.2, 0.8) as f32);
    assert_eq!((covers[1].triangles, covers[1].count()), (covers[0].masks[0].hidden.len(), 0));
}

#[test]
fn a_mesh_that_two_nodes_draw_has_two_masks() {
    let mut twice = scene(&[], &[skin(), sleeve(TIGHT)]);
    twice.document.add("nodes", json!({ "name": "Other", "mesh": 0, "translation": [0.5, 0, 0] }));
    let cover = &twice.covers(&[])[0];
    assert_eq!(cover.masks.iter().map(|mask| mask.node).collect::<Vec<_>>(), [2]);
    // With the sleeve drawn twice too, both are hidden alike.
    twice.document.add("nodes", json!({ "name": "Other sleeve", "mesh": 1, "translation": [0.5, 0, 0] }));
    let cover = &twice.covers(&[])[0];
    assert_eq!(cover.masks.iter().map(|mask| mask.node).collect::<Vec<_>>(), [2, 4]);
    assert!(cover.masks.iter().all(|mask| mask.count() as f32 >= 0.7 * twice.within("Skin", 0.2, 0.8) as f32));
}

#[test]
fn where_there_is_no_skin_nothing_is_hidden() {
    let [hand, shoulder] = [("Hand", 0.0, 0.2), ("Shoulder", 0.8, 1.0)].map(|(name, low, high)| tube(name, low, high, &|_, _| 0.05));
    let vroid = scene(&[], &[hand, shoulder, sleeve(TIGHT)]);
    assert_eq!(vroid.covers(&[])[0].masks, []);
}

#[test]
fn only_the_outfit_that_wears_it_hides_something() {
    let scene = layered(&mut vec![sleeve(TIGHT)]);
    let outfit =
        |key: &str, meshes: &[&str]| Outfit { key: key.into(), meshes: meshes.iter().map(|&m| m.into()).collect(), ..Outfit::default() };
    let covers = scene.covers(&[outfit("bare", &[]), outfit("dressed", &["Sleeve"])]);
    let counts: Vec<(&str, bool)> = covers.iter().map(|cover| (cover.outfit.as_str(), cover.count() > 0)).collect();
    assert_eq!(counts, [("bare", false), ("dressed", true)]);
    assert_eq!(scene.covers(&[])[0].outfit, "default");
}

#[test]
fn poses_show_more_than_the_rest_pose() {
    // A sleeve that does not bend with the lower joint: when the limb bends there, it comes out of it.
    let bones = [("leftUpperArm", 0), ("leftLowerArm", 1)];
    let stiff = |joint: Option<usize>| Tube { joint, ..sleeve(TIGHT) };
    let (bends, stays) = (scene(&bones, &[skin(), stiff(None)]), scene(&bones, &[skin(), stiff(Some(0))]));
    let upper = |scene: &Scene| scene.hidden("Skin").iter().filter(|p| p.y > 0.55).count();
    assert!(upper(&bends) > 200, "{}", upper(&bends));
    assert_eq!(upper(&stays), 0);
}

#[test]
fn the_same_at_any_number_of_threads() {
    let scene = scene(&[("leftUpperArm", 0), ("leftLowerArm", 1)], &[skin(), sleeve(TIGHT)]);
    let at = |threads: usize| companion_build::parallel::with_threads(threads, || scene.covers(&[]));
    assert_eq!(at(1), at(3));
}
