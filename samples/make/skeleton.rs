//! The bones: where each joint is at rest, its parent and its humanoid name.

use glam::Vec3;

/// A joint at rest, in metres; the figure faces +Z and its left side is +X.
pub struct Bone {
    pub name: String,
    pub human: Option<String>,
    pub parent: Option<usize>,
    pub at: Vec3,
}

/// All joints, parents before children.
pub struct Skeleton {
    pub bones: Vec<Bone>,
}

/// Hair strands: name, direction around the head in degrees (0 is the front, 90 her left) and how far down it reaches.
pub const STRANDS: [(&str, f32, f32); 9] = [
    ("Lock L", 62.0, 1.19),
    ("Lock R", -62.0, 1.19),
    ("Side L", 98.0, 1.13),
    ("Side R", -98.0, 1.13),
    ("Back L", 128.0, 1.06),
    ("Back R", -128.0, 1.06),
    ("Mid L", 156.0, 1.02),
    ("Mid R", -156.0, 1.02),
    ("Mid", 180.0, 1.0),
];

/// Skirt chains in order around the body, from the front towards her left.
pub const SKIRT: [&str; 8] = ["F", "FL", "L", "BL", "B", "BR", "R", "FR"];
/// Heights of the skirt joints.
pub const SKIRT_HEIGHTS: [f32; 4] = [0.9, 0.77, 0.65, 0.54];

pub fn direction(degrees: f32) -> Vec3 {
    let (sin, cos) = degrees.to_radians().sin_cos();
    Vec3::new(sin, 0.0, cos)
}

impl Skeleton {
    fn add(&mut self, name: &str, human: &str, parent: &str, at: Vec3) -> usize {
        let parent = if parent.is_empty() { None } else { Some(self.find(parent)) };
        let human = if human.is_empty() { None } else { Some(human.to_owned()) };
        self.bones.push(Bone { name: name.to_owned(), human, parent, at });
        self.bones.len() - 1
    }

    /// The index of a bone by its node name.
    pub fn find(&self, name: &str) -> usize {
        self.bones.iter().position(|bone| bone.name == name).unwrap_or_else(|| panic!("no bone called {name}"))
    }

    /// The index of a bone by its humanoid name.
    pub fn human(&self, name: &str) -> Option<usize> {
        self.bones.iter().position(|bone| bone.human.as_deref() == Some(name))
    }

    pub fn children(&self, parent: usize) -> Vec<usize> {
        (0..self.bones.len()).filter(|&i| self.bones[i].parent == Some(parent)).collect()
    }

    /// Where a bone is, seen from its parent.
    pub fn offset(&self, index: usize) -> Vec3 {
        let bone = &self.bones[index];
        let from = bone.parent.map_or(Vec3::ZERO, |parent| self.bones[parent].at);
        ((bone.at - from) * 1e6).round() / 1e6
    }

    /// Turns half around the vertical axis (the way VRM 0.x faces) and scales.
    pub fn turn(&mut self, scale: f32) {
        for bone in &mut self.bones {
            bone.at = Vec3::new(-bone.at.x, bone.at.y, -bone.at.z) * scale;
        }
    }

    /// The 15 bones that VRM requires and no others.
    pub fn smallest() -> Self {
        let mut full = Self::humanoid();
        let required = ["hips", "spine", "head", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot"];
        let keep: Vec<bool> = full
            .bones
            .iter()
            .map(|bone| match bone.human.as_deref() {
                Some(human) => required.contains(&human.trim_start_matches("left").trim_start_matches("right")),
                None => bone.name == "Root",
            })
            .collect();
        let nearest = |bones: &[Bone], mut parent: Option<usize>| {
            while let Some(index) = parent {
                if keep[index] {
                    return Some((0..index).filter(|&i| keep[i]).count());
                }
                parent = bones[index].parent;
            }
            None
        };
        let parents: Vec<Option<usize>> = full.bones.iter().map(|bone| nearest(&full.bones, bone.parent)).collect();
        for (bone, parent) in full.bones.iter_mut().zip(parents) {
            bone.parent = parent;
        }
        let mut kept = keep.iter();
        full.bones.retain(|_| kept.next() == Some(&true));
        full
    }

    /// Every humanoid bone, about 1.55 m tall, arms in a T.
    pub fn humanoid() -> Self {
        let mut s = Self { bones: Vec::new() };
        let v = Vec3::new;
        s.add("Root", "", "", Vec3::ZERO);
        s.add("Hips", "hips", "Root", v(0.0, 0.87, 0.0));
        s.add("Spine", "spine", "Hips", v(0.0, 0.95, 0.0));
        s.add("Chest", "chest", "Spine", v(0.0, 1.05, -0.002));
        s.add("UpperChest", "upperChest", "Chest", v(0.0, 1.14, -0.006));
        s.add("Neck", "neck", "UpperChest", v(0.0, 1.265, -0.012));
        s.add("Head", "head", "Neck", v(0.0, 1.325, -0.004));
        s.add("Jaw", "jaw", "Head", v(0.0, 1.375, 0.015));
        for (side, human, x) in [("L", "left", 1.0), ("R", "right", -1.0)] {
            let mut bone = |name: &str, part: &str, parent: &str, at: Vec3| {
                let parent = if parent.ends_with('.') { format!("{parent}{side}") } else { parent.to_owned() };
                let human = if part.is_empty() { String::new() } else { format!("{human}{part}") };
                s.add(&format!("{name}.{side}"), &human, &parent, v(at.x * x, at.y, at.z));
            };
            bone("Eye", "Eye", "Head", v(0.036, 1.412, 0.018));
            bone("Shoulder", "Shoulder", "UpperChest", v(0.028, 1.222, -0.012));
            bone("UpperArm", "UpperArm", "Shoulder.", v(0.118, 1.212, -0.012));
            bone("LowerArm", "LowerArm", "UpperArm.", v(0.335, 1.212, -0.012));
            bone("Hand", "Hand", "LowerArm.", v(0.545, 1.212, -0.012));
            bone("Forearm Twist", "", "LowerArm.", v(0.44, 1.212, -0.012));
            bone("UpperLeg", "UpperLeg", "Hips", v(0.074, 0.835, 0.0));
            bone("LowerLeg", "LowerLeg", "UpperLeg.", v(0.077, 0.465, 0.006));
            bone("Foot", "Foot", "LowerLeg.", v(0.079, 0.085, -0.014));
            bone("Toes", "Toes", "Foot.", v(0.082, 0.022, 0.068));
            for (finger, at, step) in FINGERS {
                let names = if finger == "Thumb" { ["Metacarpal", "Proximal", "Distal"] } else { ["Proximal", "Intermediate", "Distal"] };
                let mut parent = "Hand.".to_owned();
                for (index, joint) in names.iter().enumerate() {
                    let name = format!("{finger}{joint}");
                    bone(&name, &name, &parent, at + step * [0.0, 0.42, 0.74][index]);
                    parent = format!("{name}.");
                }
            }
        }
        s
    }

    /// The humanoid with bones for hair and skirt.
    pub fn dressed() -> Self {
        let mut s = Self::humanoid();
        for (name, degrees, bottom) in STRANDS {
            let mut parent = "Head".to_owned();
            for joint in 0..4 {
                let bone = if joint == 3 { format!("Hair {name}_end") } else { format!("Hair {name}.{joint:03}") };
                s.add(&bone, "", &parent, strand(degrees, bottom, joint as f32 / 3.0));
                parent = bone;
            }
        }
        s.add("Skirt Root", "", "Hips", Vec3::new(0.0, 0.92, 0.0));
        for (index, name) in SKIRT.iter().enumerate() {
            let mut parent = "Skirt Root".to_owned();
            for (joint, y) in SKIRT_HEIGHTS.iter().enumerate() {
                let bone = match joint {
                    0 => format!("Skirt.{name}"),
                    3 => format!("Skirt.{name}.003_end"),
                    _ => format!("Skirt.{name}.{joint:03}"),
                };
                s.add(&bone, "", &parent, skirt_joint(index as f32 * 45.0, *y));
                parent = bone;
            }
        }
        s
    }
}

/// Where a skirt chain is at a height.
pub fn skirt_joint(degrees: f32, y: f32) -> Vec3 {
    let flare = (0.93 - y) * 0.44;
    let way = direction(degrees);
    Vec3::new(way.x * (0.122 + flare), y, way.z * (0.098 + flare) - 0.004)
}

/// The middle line of a hair strand, `t` from the head (0) to the tip (1).
pub fn strand(degrees: f32, bottom: f32, t: f32) -> Vec3 {
    let way = direction(degrees);
    let y = 1.475 + (bottom - 1.475) * t;
    // Out of the skull, over the ears and clear of the shoulders.
    let reach = crate::shape::curve(&[(0.0, 0.083), (0.3, 0.099), (0.65, 0.105), (1.0, 0.112)], t);
    let side = 1.0 - 0.12 * t * way.x.abs();
    Vec3::new(way.x * reach * side, y, way.z * reach - 0.006 - 0.02 * t)
}

/// Fingers of the left hand: name, where the first joint is, and the way to the tip.
pub const FINGERS: [(&str, Vec3, Vec3); 5] = [
    ("Thumb", Vec3::new(0.563, 1.205, 0.012), Vec3::new(0.046, -0.008, 0.042)),
    ("Index", Vec3::new(0.618, 1.213, 0.014), Vec3::new(0.065, 0.0, 0.006)),
    ("Middle", Vec3::new(0.622, 1.214, -0.003), Vec3::new(0.071, 0.0, 0.001)),
    ("Ring", Vec3::new(0.618, 1.213, -0.02), Vec3::new(0.065, 0.0, -0.004)),
    ("Little", Vec3::new(0.609, 1.211, -0.035), Vec3::new(0.05, 0.0, -0.007)),
];
