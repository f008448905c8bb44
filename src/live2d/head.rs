//! Where her head is: the drawables that move as far as her eyes when ParamAngleX turns, as the stage looks for it.

use super::moc3::Moc;
use super::pose::{self, Point, Shape};

/// How much of the eyes' movement a drawable of the head shares, at least.
const SHARE: f64 = 0.6;
/// Drawables fainter than this are not seen.
const FAINTEST: f64 = 0.01;
/// A drawable is an eye's when a point of it moves by this fraction of the canvas's width as the eye closes.
const BLINK: f64 = 0.001;
/// A drawable that covers this much of the canvas is a background.
const COVERS: f64 = 0.95;

/// A span of the canvas, as fractions of its height from its top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// The upper edge.
    pub top: f64,
    /// The lower edge.
    pub bottom: f64,
}

/// What was measured of a model at rest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured {
    /// Her head; `None` when the model has no ParamAngleX, no eyes that close, or is too large to be posed.
    pub head: Option<Span>,
    /// Each drawable; `None` for those without points.
    pub drawables: Vec<Option<Span>>,
    /// The drawables that cover the whole canvas.
    pub backgrounds: Vec<usize>,
}

/// Measures a model.
pub fn measure(moc: &Moc) -> Measured {
    let Some(rest) = pose::shapes(moc, &[]) else { return Measured::default() };
    let height = f64::from(moc.canvas.height);
    let drawables = rest.iter().map(|shape| span([shape].into_iter(), height)).collect();
    let backgrounds = (0..rest.len()).filter(|mesh| covers(moc, *mesh, &rest[*mesh])).collect();
    Measured { head: head(moc, &rest), drawables, backgrounds }
}

/// The span of all points of some drawables.
fn span<'a>(shapes: impl Iterator<Item = &'a Shape>, height: f64) -> Option<Span> {
    let heights = shapes.flat_map(|shape| &shape.points).map(|point| point[1] / height);
    heights.fold(None, |span, y| {
        let Span { top, bottom } = span.unwrap_or(Span { top: y, bottom: y });
        Some(Span { top: top.min(y), bottom: bottom.max(y) })
    })
}

fn head(moc: &Moc, rest: &[Shape]) -> Option<Span> {
    let c = &moc.columns;
    let posed = |parameter: usize, value: f32| pose::shapes(moc, &[(parameter, value.into())]);
    let angle = moc.parameter("ParamAngleX")?;
    let (right, left) = (posed(angle, c.parameter_maximum[angle])?, posed(angle, c.parameter_minimum[angle])?);
    let moves: Vec<f64> = right.iter().zip(&left).map(|(a, b)| mean(a, b)).collect();
    let mut eyes = vec![false; rest.len()];
    for parameter in ["ParamEyeLOpen", "ParamEyeROpen"].into_iter().filter_map(|id| moc.parameter(id)) {
        let closed = posed(parameter, c.parameter_minimum[parameter])?;
        for (is_eye, (open, closed)) in eyes.iter_mut().zip(rest.iter().zip(&closed)) {
            *is_eye |= distances(open, closed).any(|distance| distance > BLINK * f64::from(moc.canvas.width));
        }
    }
    let mut of_eyes: Vec<f64> = moves.iter().zip(&eyes).filter(|(_, is_eye)| **is_eye).map(|(moves, _)| *moves).collect();
    of_eyes.sort_by(f64::total_cmp);
    let middle = of_eyes.len() / 2;
    let median = match of_eyes.len() {
        0 => return None,
        count if count % 2 == 0 => (of_eyes[middle - 1] + of_eyes[middle]) / 2.0,
        _ => of_eyes[middle],
    };
    let of_head = rest.iter().zip(&moves).filter(|(shape, moves)| **moves >= SHARE * median && shape.opacity > FAINTEST);
    span(of_head.map(|(shape, _)| shape), f64::from(moc.canvas.height)).filter(|_| median > 0.0)
}

fn distances<'a>(a: &'a Shape, b: &'a Shape) -> impl Iterator<Item = f64> {
    a.points.iter().zip(&b.points).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]))
}

/// How far the points of a drawable move, on average.
fn mean(a: &Shape, b: &Shape) -> f64 {
    distances(a, b).sum::<f64>() / a.points.len().max(1) as f64
}

/// True when a drawable that is seen at rest lies over the whole canvas.
fn covers(moc: &Moc, mesh: usize, shape: &Shape) -> bool {
    let c = &moc.columns;
    let (width, height) = (f64::from(moc.canvas.width), f64::from(moc.canvas.height));
    let near = 1.0 - COVERS;
    let reaches = |axis: usize, size: f64| {
        let (least, most) = shape.points.iter().fold((f64::MAX, f64::MIN), |(least, most), p| (least.min(p[axis]), most.max(p[axis])));
        least <= near * size && most >= COVERS * size
    };
    if !c.mesh_visible[mesh] || shape.opacity <= FAINTEST || !reaches(0, width) || !reaches(1, height) {
        return false;
    }
    let corners = super::moc3::window(&c.corner, c.mesh_corners_begin[mesh], c.mesh_corners[mesh]);
    let point = |corner: u16| shape.points.get(usize::from(corner)).copied().unwrap_or_default();
    let area = |a: Point, b: Point, c: Point| ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])).abs() / 2.0;
    let areas = corners.chunks_exact(3).map(|three| area(point(three[0]), point(three[1]), point(three[2])));
    areas.sum::<f64>() >= COVERS * width * height
}
