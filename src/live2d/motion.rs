//! The .motion3.json: curves of parameters and parts over time.
//!
//! A curve is a list of numbers: a first point (time and value), then segments, each a type and its points: 0 linear, 2 stepped and 3 inverse stepped with one
//! point, 1 Bézier with three.

use super::json;
use serde::Deserialize;

/// Times may go back, and last longer than the duration, by as much as rounding makes of them, in seconds.
const BACK: f64 = 1e-4;
const LONGER: f64 = 0.02;

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct File {
    meta: Meta,
    curves: Vec<CurveData>,
    #[serde(default, deserialize_with = "json::list")]
    user_data: Vec<serde::de::IgnoredAny>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Meta {
    duration: f64,
    curve_count: f64,
    total_segment_count: f64,
    total_point_count: f64,
    #[serde(default)]
    user_data_count: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CurveData {
    target: String,
    id: String,
    segments: Vec<f64>,
}

/// What a curve moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The whole model: its opacity, or the parameters of a group.
    Model,
    /// A parameter.
    Parameter,
    /// The opacity of a part.
    PartOpacity,
    /// Nothing that is known.
    Unknown,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it moves.
    pub target: Target,
    /// Which of them.
    pub id: String,
    /// Its first and its last value.
    pub ends: [f64; 2],
}

/// A motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// In seconds.
    pub duration: f64,
    /// Its curves.
    pub curves: Vec<Curve>,
    /// All that is wrong with it.
    pub faults: Vec<String>,
}

impl Motion {
    /// Reads a .motion3.json.
    ///
    /// # Errors
    /// Why it cannot be read; what can be read but does not fit itself is in [`Motion::faults`].
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let File { meta, curves, user_data } = json::read(bytes)?;
        let (mut faults, mut segments, mut points) = (Vec::new(), 0, 0);
        if meta.duration < 0.0 {
            faults.push(format!("Duration is {}", meta.duration));
        }
        let count = curves.len();
        let curves = curves
            .into_iter()
            .map(|CurveData { target, id, segments: numbers }| {
                let target = match target.as_str() {
                    "Model" => Target::Model,
                    "Parameter" => Target::Parameter,
                    "PartOpacity" => Target::PartOpacity,
                    _ => Target::Unknown,
                };
                let curve = decode(&numbers, meta.duration);
                segments += curve.segments;
                points += curve.points;
                faults.extend(curve.fault.map(|fault| format!("the curve of {id} {fault}")));
                Curve { target, id, ends: curve.ends }
            })
            .collect();
        let counts = [
            ("CurveCount", meta.curve_count, count),
            ("TotalSegmentCount", meta.total_segment_count, segments),
            ("TotalPointCount", meta.total_point_count, points),
            ("UserDataCount", meta.user_data_count, user_data.len()),
        ];
        let wrong = counts.into_iter().filter(|(_, told, real)| *told != *real as f64);
        faults.extend(wrong.map(|(name, told, real)| format!("{name} is {told}, but there are {real}")));
        Ok(Self { duration: meta.duration, curves, faults })
    }
}

#[derive(Default)]
struct Decoded {
    segments: usize,
    points: usize,
    ends: [f64; 2],
    fault: Option<String>,
}

fn decode(numbers: &[f64], duration: f64) -> Decoded {
    let [mut time, first, ..] = *numbers else {
        return Decoded { fault: Some("has no point".into()), ..Decoded::default() };
    };
    let mut curve = Decoded { points: 1, ends: [first, first], ..Decoded::default() };
    let mut rest = &numbers[2..];
    while let [kind, after @ ..] = rest {
        let points = match *kind {
            0.0 | 2.0 | 3.0 => 1,
            1.0 => 3,
            _ => {
                curve.fault = Some(format!("has a segment of type {kind}, which does not exist"));
                return curve;
            }
        };
        let Some([.., end, value]) = after.get(..2 * points) else {
            curve.fault = Some("ends inside a segment".into());
            return curve;
        };
        if *end < time - BACK && curve.fault.is_none() {
            curve.fault = Some(format!("goes back in time from {time} to {end} s"));
        }
        time = *end;
        curve.ends[1] = *value;
        curve.segments += 1;
        curve.points += points;
        rest = &after[2 * points..];
    }
    if time > duration + LONGER && curve.fault.is_none() {
        curve.fault = Some(format!("ends at {time} s, after the Duration of {duration} s"));
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(meta: &str, segments: &str) -> Vec<String> {
        let text = format!(
            r#"{{"Version":3,"Meta":{{"Duration":2.0,"Fps":30,"Loop":true,{meta}}},"Curves":[{{"Target":"Parameter","Id":"P","Segments":{segments}}}]}}"#
        );
        Motion::read(text.as_bytes()).map_or_else(|error| vec![error], |motion| motion.faults)
    }

    const META: &str = r#""CurveCount":1,"TotalSegmentCount":2,"TotalPointCount":5"#;

    #[test]
    fn segments_are_counted_as_the_specification_says() {
        // A first point, a Bézier segment of three points, a stepped one of one.
        assert_eq!(read(META, "[0,0,1,0.1,0,0.2,1,1,1,2,2,0]"), Vec::<String>::new());
        assert_eq!(read(META, "[0,0,0,1,1]"), ["TotalSegmentCount is 2, but there are 1", "TotalPointCount is 5, but there are 2"]);
        let bytes = br#"{"Meta":{"Duration":1,"CurveCount":1,"TotalSegmentCount":1,"TotalPointCount":2},"Curves":[{"Target":"PartOpacity","Id":"A","Segments":[0,0.25,3,1,0.75]}]}"#;
        let motion = Motion::read(bytes).unwrap();
        assert_eq!(motion.curves, [Curve { target: Target::PartOpacity, id: "A".into(), ends: [0.25, 0.75] }]);
    }

    #[test]
    fn what_does_not_decode_is_told() {
        assert_eq!(read(META, "[0,0,1,0.1,0,0.2,1,1,1,0,0.5,0]"), ["the curve of P goes back in time from 1 to 0.5 s"]);
        assert_eq!(read(META, "[0,0,1,0.1,0,0.2,1,1,1,0,2.5,0]"), ["the curve of P ends at 2.5 s, after the Duration of 2 s"]);
        assert_eq!(read(META, "[0,0,1,0.1,0,0.2]")[0], "the curve of P ends inside a segment");
        assert_eq!(read(META, "[0,0,7,1,1]")[0], "the curve of P has a segment of type 7, which does not exist");
        assert_eq!(read(META, "[0]")[0], "the curve of P has no point");
        assert!(read(META, "[0,1e999]")[0].contains("number out of range"));
        assert!(read(META, "{}")[0].contains("expected a sequence"));
        assert!(read(r#""CurveCount":1"#, "[]")[0].contains("missing field `TotalSegmentCount`"));
    }
}
