//! Surfaces: which vertices are one place, and how far places are apart along the edges between them.

use super::Triangle;
use glam::Vec3;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// For each vertex the number of its place: vertices of one `group` within half of `grain` of the same grid point are one.
pub fn places(positions: &[Vec3], groups: &[u32], grain: f32) -> Vec<u32> {
    let mut known: BTreeMap<(u32, [i64; 3]), u32> = BTreeMap::new();
    let key = |position: &Vec3| (*position / grain).round().to_array().map(|v| v as i64);
    let numbered = positions.iter().zip(groups).map(|(position, &group)| {
        let next = known.len() as u32;
        *known.entry((group, key(position))).or_insert(next)
    });
    numbered.collect()
}

/// The places that lie nearer than `reach` to one of `sources`, along the edges of the triangles (Dijkstra, 1959).
///
/// `place` and `positions` are by vertex, `sources` and the result by place.
pub fn near(triangles: &[Triangle], place: &[u32], positions: &[Vec3], sources: &[bool], reach: f32) -> Vec<bool> {
    let edge = |t: &Triangle, i: usize| (t[i] as usize, t[(i + 1) % 3] as usize);
    let mut edges: Vec<(u32, u32, f32)> = Vec::with_capacity(6 * triangles.len());
    for (a, b) in triangles.iter().flat_map(|t| (0..3).map(move |i| edge(t, i))) {
        let length = positions[a].distance(positions[b]);
        if length.is_finite() && length < reach && place[a] != place[b] {
            edges.extend([(place[a], place[b], length), (place[b], place[a], length)]);
        }
    }
    edges.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    edges.dedup_by_key(|edge| (edge.0, edge.1));
    let from = |place: u32| {
        let start = edges.partition_point(|edge| edge.0 < place);
        edges[start..].iter().take_while(move |edge| edge.0 == place)
    };
    let mut distance: Vec<f32> = sources.iter().map(|&is_source| if is_source { 0.0 } else { reach }).collect();
    // Bits of a float that is not negative sort as it does.
    let mut todo: BinaryHeap<Reverse<(u32, u32)>> = (0..).zip(sources).filter(|(_, is)| **is).map(|(at, _)| Reverse((0, at))).collect();
    while let Some(Reverse((bits, at))) = todo.pop() {
        let here = f32::from_bits(bits);
        if here > distance[at as usize] {
            continue;
        }
        for &(_, next, length) in from(at) {
            if here + length < distance[next as usize] {
                distance[next as usize] = here + length;
                todo.push(Reverse(((here + length).to_bits(), next)));
            }
        }
    }
    distance.iter().map(|&distance| distance < reach).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of squares of side 1 along x, each square with vertices of its own.
    fn strip(squares: usize) -> (Vec<Vec3>, Vec<Triangle>) {
        let corner = |s: usize| [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(x, y)| Vec3::new((s + x) as f32, y as f32, 0.0));
        let triangles = (0..squares as u32).flat_map(|s| [[4 * s, 4 * s + 1, 4 * s + 2], [4 * s, 4 * s + 2, 4 * s + 3]]);
        ((0..squares).flat_map(corner).collect(), triangles.collect())
    }

    #[test]
    fn vertices_at_one_place_are_one() {
        let (positions, _) = strip(3);
        let place = places(&positions, &[0; 12], 1e-4);
        assert_eq!(place.iter().max(), Some(&7));
        assert_eq!((place[1], place[2]), (place[4], place[7]));
        // Other groups have places of their own.
        assert_eq!(places(&positions, &[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], 1e-4).iter().max(), Some(&11));
    }

    #[test]
    fn distance_runs_along_the_surface() {
        let (positions, triangles) = strip(5);
        let place = places(&positions, &[0; 20], 1e-4);
        let mut sources = vec![false; 12];
        sources[place[0] as usize] = true;
        let found = near(&triangles, &place, &positions, &sources, 2.5);
        let within = |x: f32| positions.iter().zip(&place).filter(|(p, _)| p.x == x).map(|(_, &at)| found[at as usize]).collect::<Vec<_>>();
        // Both corners at x = 1 (1 and the diagonal 1.41), both at x = 2 (2 and 2.41), none at x = 3.
        assert!(within(1.0).iter().chain(&within(2.0)).all(|&is| is));
        assert!(within(3.0).iter().all(|&is| !is));
        assert_eq!(near(&triangles, &place, &positions, &[false; 12], 2.5), [false; 12]);
    }
}
