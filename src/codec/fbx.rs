//! FBX files: the nodes, and the animation of each stack as three.js plays it.
//!
//! ufbx reads the file; what is made of its curves follows three.js r187, `FBXLoader`: the first layer of a stack counts, the keys of the
//! three axes are brought together on one list of times, a rotation is pre-rotation x Euler angles x inverse post-rotation, and between keys
//! rotations are interpolated as quaternions. Pivots count at rest only.

use glam::{DQuat, DVec3};

/// The oldest version that three.js reads, times 1000.
pub const OLDEST: u32 = 7000;
/// The most memory that one file may take while it is read, and again when it is read, in bytes.
const MEMORY: usize = 1 << 29;
const ALLOCATIONS: usize = 4_000_000;
/// The most nodes above each other.
const DEPTH: u32 = 512;
/// The most keys of all tracks of a file together.
const KEYS: usize = 1 << 23;

/// What an FBX file holds of nodes and motion. Lengths are in units of the file.
#[derive(Debug, Clone, Default)]
pub struct Fbx {
    /// As in the file: 7400 is FBX 7.4.
    pub version: u32,
    /// How long the unit of the file is, in metres.
    pub unit_meters: f64,
    /// Which axis is up in the file: 0 X, 1 Y, 2 Z.
    pub up: usize,
    /// Parents before their children; the root of the scene is not among them.
    pub nodes: Vec<Node>,
    /// In the order of the file.
    pub stacks: Vec<Stack>,
    /// How many meshes it holds.
    pub meshes: usize,
}

/// One node at rest, in its parent.
#[derive(Debug, Clone)]
pub struct Node {
    /// As in the file.
    pub name: String,
    /// Index of its parent; none for a node that hangs on the root.
    pub parent: Option<usize>,
    /// In units of the file.
    pub translation: DVec3,
    /// Pre- and post-rotation applied.
    pub rotation: DQuat,
    /// Factors along its axes.
    pub scale: DVec3,
}

/// One take.
#[derive(Debug, Clone, Default)]
pub struct Stack {
    /// As in the file.
    pub name: String,
    /// At most one for each node and property.
    pub tracks: Vec<Track>,
}

/// What a track moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// Three numbers a key.
    Translation,
    /// A quaternion a key: x, y, z, w.
    Rotation,
    /// Three numbers a key.
    Scale,
}

/// The keys of one property of a node.
#[derive(Debug, Clone)]
pub struct Track {
    /// Index of the node.
    pub node: usize,
    /// What moves.
    pub property: Property,
    /// Seconds, ascending.
    pub times: Vec<f64>,
    /// Three or four for each time.
    pub values: Vec<f64>,
}

/// Why a file cannot be read, as ufbx says it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

/// The curves of one property, an axis each.
type Curves<'a> = [Option<&'a ufbx::AnimCurve>; 3];

/// Reads a file, binary or text.
///
/// # Errors
/// When it is damaged, is no FBX, or wants more memory than an honest clip does.
pub fn read(bytes: &[u8]) -> Result<Fbx, Error> {
    let allocator = || ufbx::AllocatorOpts { memory_limit: MEMORY, allocation_limit: ALLOCATIONS, ..Default::default() };
    let options = ufbx::LoadOpts {
        temp_allocator: allocator(),
        result_allocator: allocator(),
        ignore_geometry: true,
        ignore_embedded: true,
        node_depth_limit: DEPTH,
        file_format: ufbx::FileFormat::Fbx,
        ..Default::default()
    };
    let scene = ufbx::load_memory(bytes, options).map_err(|error| {
        let info = error.info();
        Error(if info.is_empty() { error.description.to_string() } else { format!("{} ({info})", &*error.description) })
    })?;
    let mut left = KEYS;
    let mut stacks = Vec::new();
    for stack in scene.anim_stacks.iter() {
        let tracks = match stack.layers.first() {
            Some(layer) => tracks(layer, &mut left).ok_or_else(|| Error("it has more keys than any clip needs".into()))?,
            None => Vec::new(),
        };
        stacks.push(Stack { name: stack.element.name.to_string(), tracks });
    }
    let unit = scene.settings.unit_meters;
    Ok(Fbx {
        version: scene.metadata.version,
        unit_meters: if unit.is_finite() && unit > 0.0 { unit } else { 0.01 },
        up: match scene.settings.axes.up {
            ufbx::CoordinateAxis::PositiveX | ufbx::CoordinateAxis::NegativeX => 0,
            ufbx::CoordinateAxis::PositiveZ | ufbx::CoordinateAxis::NegativeZ => 2,
            _ => 1,
        },
        nodes: scene.nodes.iter().skip(1).map(|node| self::node(node)).collect(),
        stacks,
        meshes: scene.meshes.len(),
    })
}

/// ufbx sorts nodes by depth, the root first; it is left out, so every index is one less.
fn node(node: &ufbx::Node) -> Node {
    let at = &node.local_transform;
    Node {
        name: node.element.name.to_string(),
        parent: node.parent.as_ref().and_then(|parent| (parent.element.typed_id as usize).checked_sub(1)),
        translation: vector(&at.translation),
        rotation: DQuat::from_xyzw(at.rotation.x, at.rotation.y, at.rotation.z, at.rotation.w),
        scale: vector(&at.scale),
    }
}

fn vector(v: &ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

/// `None` when there are more than `left` keys.
fn tracks(layer: &ufbx::AnimLayer, left: &mut usize) -> Option<Vec<Track>> {
    let mut tracks = Vec::new();
    for animated in layer.anim_props.iter() {
        let property = match &*animated.prop_name {
            "Lcl Translation" => Property::Translation,
            "Lcl Rotation" => Property::Rotation,
            "Lcl Scaling" => Property::Scale,
            _ => continue,
        };
        let Some(index) = (animated.element.typed_id as usize).checked_sub(1) else { continue };
        let Some(node) = ufbx::as_node(&animated.element) else { continue };
        let curves: Curves = std::array::from_fn(|axis| animated.anim_value.curves[axis].as_deref().filter(|c| !c.keyframes.is_empty()));
        let count: usize = curves.iter().flatten().map(|curve| curve.keyframes.len()).sum();
        *left = left.checked_sub(count)?;
        let mut times: Vec<f64> = curves.iter().flatten().flat_map(|curve| curve.keyframes.iter().map(|key| key.time)).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        if times.is_empty() || !times.iter().all(|time| time.is_finite()) {
            continue;
        }
        let values = match property {
            Property::Rotation => rotations(node, &curves, &times),
            Property::Translation => held(&curves, &times, vector(&node.local_transform.translation)),
            Property::Scale => held(&curves, &times, vector(&node.local_transform.scale)),
        };
        if values.iter().all(|value| value.is_finite()) {
            tracks.push(Track { node: index, property, times, values });
        }
    }
    Some(tracks)
}

/// The value of each axis at each time: that of its key, else the one before.
fn held(curves: &Curves, times: &[f64], start: DVec3) -> Vec<f64> {
    let mut values = vec![0.0; 3 * times.len()];
    for (axis, curve) in curves.iter().enumerate() {
        let mut keys = curve.map_or(&[][..], |curve| &curve.keyframes).iter().peekable();
        let mut value = start[axis];
        for (i, time) in times.iter().enumerate() {
            while let Some(key) = keys.next_if(|key| key.time <= *time) {
                value = key.value;
            }
            values[3 * i + axis] = value;
        }
    }
    values
}

/// The rotation at each time. Angles of an axis without a key there lie on the line between its keys.
fn rotations(node: &ufbx::Node, curves: &Curves, times: &[f64]) -> Vec<f64> {
    let property = |name: &str| {
        let found = node.element.props.find_prop(name);
        found.map_or(DVec3::ZERO, |found| DVec3::new(found.value_vec4.x, found.value_vec4.y, found.value_vec4.z))
    };
    let (before, after) =
        (euler(property("PreRotation"), ufbx::RotationOrder::Xyz), euler(property("PostRotation"), ufbx::RotationOrder::Xyz));
    let start = property("Lcl Rotation");
    let mut angles = vec![DVec3::ZERO; times.len()];
    for axis in 0..3 {
        let keys = curves[axis].map_or(&[][..], |curve| &curve.keyframes);
        let mut next = 0;
        for (angles, time) in angles.iter_mut().zip(times) {
            while next < keys.len() && keys[next].time < *time {
                next += 1;
            }
            angles[axis] = match (next.checked_sub(1).map(|last| &keys[last]), keys.get(next)) {
                (Some(a), Some(b)) => a.value + (b.value - a.value) * (time - a.time) / (b.time - a.time),
                (Some(key), None) | (None, Some(key)) => key.value,
                (None, None) => start[axis],
            };
        }
    }
    let mut last = DQuat::IDENTITY;
    let mut values = Vec::with_capacity(4 * times.len());
    for angles in angles {
        let rotation = before * euler(angles, node.rotation_order) * after.inverse();
        last = if last.dot(rotation) < 0.0 { -rotation } else { rotation };
        values.extend(last.to_array());
    }
    values
}

/// Euler angles in degrees; the order names the axis that is turned about first. (Spheric angles are read as XYZ, as three.js does.)
fn euler(degrees: DVec3, order: ufbx::RotationOrder) -> DQuat {
    use ufbx::RotationOrder::{Spheric, Xyz, Xzy, Yxz, Yzx, Zxy, Zyx};
    let (x, y, z) = (
        DQuat::from_rotation_x(degrees.x.to_radians()),
        DQuat::from_rotation_y(degrees.y.to_radians()),
        DQuat::from_rotation_z(degrees.z.to_radians()),
    );
    match order {
        Xyz | Spheric => z * y * x,
        Xzy => y * z * x,
        Yzx => x * z * y,
        Yxz => z * x * y,
        Zxy => y * x * z,
        Zyx => x * y * z,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text file with two takes, the first without keys; one bone with a pre-rotation, turned about X in one second by 90 degrees.
    pub(crate) const TEXT: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  { FBXHeaderVersion: 1003
 FBXVersion: 7400
}
GlobalSettings:  { Version: 1000
 Properties70:  {
  P: "UpAxis", "int", "Integer", "",2
  P: "UpAxisSign", "int", "Integer", "",1
  P: "FrontAxis", "int", "Integer", "",1
  P: "FrontAxisSign", "int", "Integer", "",-1
  P: "CoordAxis", "int", "Integer", "",0
  P: "CoordAxisSign", "int", "Integer", "",1
  P: "UnitScaleFactor", "double", "Number", "",100
 }
}
Objects:  {
 Model: 10, "Model::Arm.L", "LimbNode" { Version: 232
  Properties70:  {
   P: "PreRotation", "Vector3D", "Vector", "",0,0,90
   P: "Lcl Translation", "Lcl Translation", "", "A",1,2,3
  }
 }
 Model: 11, "Model::Hand", "LimbNode" { Version: 232
  Properties70:  { P: "Lcl Translation", "Lcl Translation", "", "A",0,5,0
  }
 }
 AnimationStack: 20, "AnimStack::Take 001", "" { }
 AnimationLayer: 21, "AnimLayer::Base", "" { }
 AnimationStack: 30, "AnimStack::turn", "" { }
 AnimationLayer: 31, "AnimLayer::Base", "" { }
 AnimationCurveNode: 32, "AnimCurveNode::R", "" {
  Properties70:  { P: "d|X", "Number", "", "A",0
  }
 }
 AnimationCurve: 33, "AnimCurve::", "" { KeyVer: 4008
  KeyTime: *2 { a: 0,46186158000 }
  KeyValueFloat: *2 { a: 0,90 }
  KeyAttrFlags: *1 { a: 4 }
  KeyAttrDataFloat: *4 { a: 0,0,0,0 }
  KeyAttrRefCount: *1 { a: 2 }
 }
}
Connections:  {
 C: "OO",10,0
 C: "OO",11,10
 C: "OO",21,20
 C: "OO",31,30
 C: "OO",32,31
 C: "OP",32,10, "Lcl Rotation"
 C: "OP",33,32, "d|X"
}
"#;

    #[test]
    fn nodes_and_takes_are_read() {
        let fbx = read(TEXT.as_bytes()).unwrap();
        assert_eq!((fbx.version, fbx.up, fbx.unit_meters), (7400, 2, 1.0));
        let names: Vec<_> = fbx.nodes.iter().map(|node| (node.name.as_str(), node.parent)).collect();
        assert_eq!(names, [("Arm.L", None), ("Hand", Some(0))]);
        assert_eq!(fbx.nodes[0].translation, DVec3::new(1.0, 2.0, 3.0));
        let turned = fbx.nodes[0].rotation * DVec3::X;
        assert!((turned - DVec3::Y).length() < 1e-9, "the pre-rotation turns X to Y: {turned}");
        assert_eq!(
            fbx.stacks.iter().map(|stack| (stack.name.as_str(), stack.tracks.len())).collect::<Vec<_>>(),
            [("Take 001", 0), ("turn", 1)]
        );
        let track = &fbx.stacks[1].tracks[0];
        assert_eq!((track.node, track.property, &track.times[..]), (0, Property::Rotation, &[0.0, 1.0][..]));
        // About X first, then the pre-rotation about Z: Y goes to Z and stays there.
        let last = DQuat::from_slice(&track.values[4..8]) * DVec3::Y;
        assert!((last - DVec3::Z).length() < 1e-9, "{last}");
    }

    #[test]
    fn damage_is_an_error() {
        assert!(read(b"not at all").is_err());
        assert!(read(b"").is_err());
        assert!(read(&TEXT.as_bytes()[..700]).is_err());
        assert!(read(b"Kaydara FBX Binary  \0\x1a\0\xe8\x1c\0\0").is_err());
    }

    #[test]
    fn the_order_names_the_first_axis() {
        let angles = DVec3::new(90.0, 90.0, 0.0);
        // X first: Y goes to Z, then about Y to X. Y first: Y stays, then about X to Z.
        assert!((euler(angles, ufbx::RotationOrder::Xyz) * DVec3::Y - DVec3::X).length() < 1e-9);
        assert!((euler(angles, ufbx::RotationOrder::Yxz) * DVec3::Y - DVec3::Z).length() < 1e-9);
    }
}
