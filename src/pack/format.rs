//! The three manifests as the format's document gives them, key by key: the table behind the check and behind the schemas.

use super::schema;
use super::shape::Shape::{Boolean, Judged, Key, List, Number, Numbers, Object as Of, Text, TypedList, Word};
use super::shape::{Absent, Body, Field, Object};
use crate::report::code;
use crate::vrm::humanoid::REQUIRED;

/// How many motions a look may have.
pub const MOST_MOTIONS: usize = 100;
/// How many of them may have the role gesture.
pub const MOST_GESTURES: usize = 30;
/// Where the edges of a framing window may lie, in heights and widths of the model.
pub const EDGES: (f64, f64) = (-1.0, 2.0);
/// How far a viewer may turn a model, to either side, in degrees.
pub const MOST_YAW: f64 = 75.0;

/// The roles of a motion.
pub const ROLES: &[&str] =
    &["idle", "talkIdle", "listen", "think", "gesture", "reaction", "partsIdle", "partsGesture", "walk", "postureShift", "leanIn"];

/// The roles that a Live2D look does not have.
pub const ROLES_3D: [&str; 3] = ["partsIdle", "partsGesture", "walk"];

const LIVE2D: Body = Body::Live2d;

/// `model.json`.
pub static MODEL: Object = Object {
    fields: &[
        Field::required("name", &code::M001, Text(1..=100, &code::M001), "What the look is called: 1 to 100 characters."),
        Field::optional("description", Text(0..=usize::MAX, &code::M002), "What the gallery says of it."),
        Field::required(
            "avatar",
            &code::M003,
            Judged(schema::file),
            "The avatar's file in this folder: .vrm, .glb, or a .zip of a Live2D model, at most 100 MB.",
        ),
        Field::optional("thumbnail", Text(0..=usize::MAX, &code::M006), "A PNG, JPEG or WebP in this folder, at most 2 MB."),
        Field::optional(
            "outfits",
            List(&Of(&OUTFIT), 0..=20, &code::O001),
            "The clothes she can switch between; the first is the default. 3D only.",
        )
        .refused(&[(LIVE2D, &code::M020)]),
        Field::optional("background", Text(0..=usize::MAX, &code::M008), "A picture behind her, PNG, JPEG or WebP, at most 2 MB."),
        Field::optional("rig", Of(&RIG), "Which node is which bone, for a plain GLB humanoid.")
            .refused(&[(Body::Vrm, &code::M016), (LIVE2D, &code::M024)]),
        Field::optional("motions", List(&Of(&MOTION), 0..=MOST_MOTIONS, &code::N002), "At least one idle, one talkIdle and one gesture."),
        Field::optional(
            "face",
            Judged(schema::face),
            "Which shapes, expressions or parameters of the avatar drive which part of her face.",
        ),
        Field::optional("framing", Of(&FRAMING), "What the Face, Upper body and Full body buttons show."),
        Field::optional(
            "cloth",
            TypedList(&Of(&CLOTH), 0..=4, &code::K001, &code::K002),
            "The skirts and capes to simulate; [] means none. 3D only.",
        )
        .refused(&[(LIVE2D, &code::M021)]),
        Field::optional("pacing", Of(&PACING), "How she steps across the floor; needs a motion with the role walk. 3D only.")
            .refused(&[(LIVE2D, &code::M022)]),
        Field::optional(
            "isLooseChainPhysicsEnabled",
            Boolean(&code::M012),
            "false keeps loose bone chains on a gentle sway; default true.",
        ),
    ],
    unknown: &code::M014,
    gone: &[],
};

static OUTFIT: Object = Object {
    fields: &[
        Field::required("key", &code::O003, Key(&code::O003), "What [outfit:key] refers to: a-z, 0-9 and -, unique in the look."),
        Field::required("name", &code::O005, Text(1..=60, &code::O005), "What the wardrobe menu shows: 1 to 60 characters."),
        Field::optional("meshes", List(&NAME_O007, 0..=usize::MAX, &code::O006), "The mesh nodes it shows, as three.js spells them."),
        Field::optional("materials", List(&NAME_O009, 0..=usize::MAX, &code::O006), "The materials it shows, written as they are."),
        Field::optional("shapes", List(&Of(&OUTFIT_SHAPE), 0..=64, &code::O011), "Shape keys that it sets."),
        Field::optional(
            "cloth",
            TypedList(&Of(&CLOTH), 0..=4, &code::K001, &code::K002),
            "The cloth while it is worn, in place of the look's; [] means none.",
        ),
    ],
    unknown: &code::O002,
    gone: &[],
};

static NAME_O007: super::shape::Shape = Text(1..=usize::MAX, &code::O007);
static NAME_O009: super::shape::Shape = Text(1..=usize::MAX, &code::O009);

static OUTFIT_SHAPE: Object = Object {
    fields: &[
        Field::required("mesh", &code::O012, Text(1..=usize::MAX, &code::O014), "The mesh node, as three.js spells it."),
        Field::required("shape", &code::O012, Text(1..=usize::MAX, &code::O015), "One of its shape keys."),
        Field::required("weight", &code::O012, Number(0.0, 1.0, &code::O013), "0 to 1."),
    ],
    unknown: &code::O012,
    gone: &[],
};

static CLOTH: Object = Object {
    fields: &[
        Field::required(
            "chains",
            &code::K004,
            List(&Text(1..=usize::MAX, &code::K006), 2..=32, &code::K004),
            "The root bones of the chains, 2 to 32, in order around the body, as three.js spells them.",
        ),
        Field::optional("isClosedLoop", Boolean(&code::K012), "true for a skirt, false for a cape; default true."),
        Field::optional("stiffness", Number(0.0, 1.0, &code::K013), "Higher holds its shape; default 0.5."),
        Field::optional("drag", Number(0.0, 1.0, &code::K014), "Default 0.4."),
        Field::optional("gravity", Number(0.0, 2.0, &code::K015), "Default 1."),
    ],
    unknown: &code::K003,
    gone: &[],
};

static RIG: Object = Object {
    fields: &[
        Field::required("version", &code::R002, Judged(schema::rig_version), "Always 1."),
        Field::required("bones", &code::R003, Judged(schema::rig_bones), "Humanoid bone to node, each as three.js spells it."),
    ],
    unknown: &code::R001,
    gone: &[],
};

/// One of its motions.
pub static MOTION: Object = Object {
    fields: &[
        Field::required("id", &code::N006, Judged(schema::motion_id), "file:<clip in this folder> or avatar:<animation in the avatar>."),
        Field::required("roles", &code::N015, List(&Word(ROLES, &code::N017), 1..=2, &code::N015), "When it plays: one or two roles."),
        Field::required("name", &code::N020, Text(1..=60, &code::N020), "1 to 60 characters."),
        Field::required(
            "description",
            &code::N021,
            Text(1..=300, &code::N021),
            "The motion and its mood, for the one who picks gestures: 1 to 300 characters.",
        ),
        Field::optional("rig", Of(&RIG), "Which node of the clip is which bone, for an .fbx or a .glb without VRM data.")
            .refused(&[(LIVE2D, &code::M024)]),
        Field::optional(
            "cues",
            TypedList(&Text(0..=usize::MAX, &code::N032), 0..=10, &code::N031, &code::N031),
            "Up to 10 tone words that trigger it.",
        ),
        Field::optional("strokeSeconds", Number(0.0, 30.0, &code::N036), "When in the clip the beat lands, 0 to 30 seconds."),
        Field::optional("isFullBody", Boolean(&code::N038), "Whether it moves the whole body."),
        Field::optional("canPlayWhileSpeaking", Boolean(&code::N039), "false pauses her voice while it plays; default true."),
    ],
    unknown: &code::N005,
    gone: &[
        ("isBodyAnimated", &code::M019, "isBodyAnimated is worked out from the clip and must not be written"),
        ("partBones", &code::M019, "partBones is worked out from the clip and must not be written"),
    ],
};

static FRAMING: Object = Object {
    fields: &[
        Field::optional(
            "defaultPreset",
            Word(&["face", "upperBody", "fullBody"], &code::G002),
            "Where a new companion starts; default upperBody.",
        ),
        Field::optional("face", Of(&WINDOW), "What the Face button shows."),
        Field::optional("upperBody", Of(&WINDOW), "What the Upper body button shows."),
        Field::optional("fullBody", Of(&WINDOW), "What the Full body button shows."),
        Field::optional("camera", Of(&CAMERA), "Where the camera rests and how it follows her. 3D only.").refused(&[(LIVE2D, &code::M023)]),
    ],
    unknown: &code::G001,
    gone: &[],
};

static WINDOW: Object = Object {
    fields: &[
        Field::required("bottom", &code::G003, Number(EDGES.0, EDGES.1, &code::G005), "Fraction of the model's height, -1 to 2."),
        Field::required(
            "top",
            &code::G003,
            Number(EDGES.0, EDGES.1, &code::G005),
            "Fraction of the model's height, at least 0.02 above bottom.",
        ),
        Field::optional("centerX", Number(EDGES.0, EDGES.1, &code::G005), "Fraction of the model's width, -1 to 2; default: her head."),
    ],
    unknown: &code::G004,
    gone: &[],
};

static CAMERA: Object = Object {
    fields: &[
        Field::optional("defaultYawDegrees", Number(-75.0, 75.0, &code::G010), "The resting turn around her, -75 to 75; default 0."),
        Field::optional("yawRange", Numbers(2, -MOST_YAW, MOST_YAW, &code::G011), "How far a viewer can turn it: [minimum, maximum]."),
        Field::optional("isDriftEnabled", Boolean(&code::G014), "The camera drifts a little while she idles; default true."),
        Field::optional("followSeconds", Number(0.2, 2.0, &code::G015), "How softly it follows her, 0.2 to 2; default 0.6."),
    ],
    unknown: &code::G009,
    gone: &[],
};

static PACING: Object = Object {
    fields: &[
        Field::optional("isEnabled", Boolean(&code::G017), "Default true."),
        Field::optional("speed", Number(0.1, 1.0, &code::G018), "Body heights a second, 0.1 to 1; default 0.35."),
        Field::optional("stepDistance", Number(0.05, 0.6, &code::G019), "Body heights a step, 0.05 to 0.6; default 0.25."),
    ],
    unknown: &code::G016,
    gone: &[],
};

/// `item.json`.
pub static ITEM: Object = Object {
    fields: &[
        Field::required("name", &code::I002, Text(1..=100, &code::I002), "What [hold:...] calls it: 1 to 100 characters."),
        Field::optional("description", Text(0..=300, &code::I003), "What the agent reads about it: at most 300 characters."),
        Field::required("model", &code::I004, Judged(schema::file), "A .glb in this folder, at most 3 MB."),
        Field::optional("thumbnail", Text(0..=usize::MAX, &code::I012), "A PNG, JPEG or WebP in this folder, at most 2 MB."),
        Field::required("attach", &code::I013, Of(&ATTACH), "Where it sits on the reference body."),
    ],
    unknown: &code::I001,
    gone: &[],
};

static ATTACH: Object = Object {
    fields: &[
        Field::required("bone", &code::I014, Word(&REQUIRED, &code::I014), "One of the 15 humanoid bones."),
        Field {
            key: "position",
            absent: Absent::Warns(&code::I015),
            shape: Numbers(3, -2.0, 2.0, &code::I015),
            refused: &[],
            about: "The item's origin in the bone's frame, in metres.",
        },
        Field {
            key: "rotation",
            absent: Absent::Warns(&code::I016),
            shape: Numbers(3, -360.0, 360.0, &code::I016),
            refused: &[],
            about: "Degrees about X, Y and Z, in this order.",
        },
        Field::optional("scale", Number(0.01, 100.0, &code::I017), "Default 1."),
    ],
    unknown: &code::I013,
    gone: &[],
};

/// `character.json`.
pub static CHARACTER: Object = Object {
    fields: &[
        Field::required("name", &code::H004, Text(1..=100, &code::H004), "1 to 100 characters."),
        Field::required("vibe", &code::H005, Text(1..=120, &code::H005), "The one line on the gallery card: 1 to 120 characters."),
        Field::required("soul", &code::H006, Text(1..=8000, &code::H006), "The suggested persona: 1 to 8,000 characters."),
        Field::required(
            "instructions",
            &code::H007,
            Text(1..=8000, &code::H007),
            "The suggested operating instructions: 1 to 8,000 characters.",
        ),
        Field::required("look", &code::H008, Judged(schema::look), "The key of a model of this package, or { \"builtIn\": \"<key>\" }."),
        Field::optional("fillers", List(&Of(&FILLER), 0..=20, &code::H011), "Short lines while she thinks or is amused, at most 20."),
        Field::optional("behaviour", Of(&BEHAVIOUR), "How she behaves."),
        Field::optional("thumbnail", Text(0..=usize::MAX, &code::H017), "A PNG, JPEG or WebP in this folder, at most 2 MB."),
        Field::optional("voice", Of(&VOICE), "The voice to suggest."),
    ],
    unknown: &code::H001,
    gone: &[
        ("model", &code::H002, "\"model\" is gone: a character names its look with \"look\""),
        ("motions", &code::H002, "\"motions\" is gone: the motions of a look stand in its model.json"),
        ("temperament", &code::H003, "\"temperament\" moved inside \"behaviour\""),
    ],
};

static FILLER: Object = Object {
    fields: &[
        Field::required("key", &code::H012, Key(&code::H013), "a-z, 0-9 and -, unique."),
        Field::required("text", &code::H012, Text(1..=120, &code::H014), "1 to 120 characters."),
        Field::required("purpose", &code::H012, Word(&["thinking", "amused"], &code::H015), "When she says it."),
    ],
    unknown: &code::H012,
    gone: &[],
};

static BEHAVIOUR: Object = Object {
    fields: &[
        Field::optional("temperament", Of(&TEMPERAMENT), "Each 0.5 to 1.5, default 1."),
        Field::optional("behaviours", Judged(schema::behaviours), "Engine behaviours to turn off or tune."),
        Field::optional("wordReactions", Judged(schema::word_reactions), "Phrases that make her smile, raise her brows, glance or soften."),
        Field::optional("toolActivity", Judged(schema::tool_activity), "What she does while tools run."),
    ],
    unknown: &code::B001,
    gone: &[],
};

static TEMPERAMENT: Object = Object {
    fields: &[
        Field::optional("energy", Number(0.5, 1.5, &code::B003), "0.5 to 1.5, default 1."),
        Field::optional("eyeContact", Number(0.5, 1.5, &code::B003), "0.5 to 1.5, default 1."),
        Field::optional("gestureRate", Number(0.5, 1.5, &code::B003), "0.5 to 1.5, default 1."),
        Field::optional("blinkRate", Number(0.5, 1.5, &code::B003), "0.5 to 1.5, default 1."),
        Field::optional("expressiveness", Number(0.5, 1.5, &code::B003), "0.5 to 1.5, default 1."),
    ],
    unknown: &code::B002,
    gone: &[],
};

static VOICE: Object = Object {
    fields: &[
        Field::optional("description", Text(0..=300, &code::V002), "What the user reads of it: at most 300 characters."),
        Field::optional(
            "suggestions",
            List(&Of(&SUGGESTION), 0..=8, &code::V003),
            "At most 8, one for each provider; the first that fits is taken.",
        ),
    ],
    unknown: &code::V001,
    gone: &[],
};

static SUGGESTION: Object = Object {
    fields: &[
        Field::required(
            "provider",
            &code::V006,
            Text(1..=usize::MAX, &code::V006),
            "elevenlabs, fish-audio, deepgram, openai-compatible, or the kindId of a plugin's provider.",
        ),
        Field::required("voiceId", &code::V007, Text(1..=128, &code::V007), "1 to 128 characters."),
        Field::optional("voiceName", Text(0..=100, &code::V008), "At most 100 characters."),
        Field::optional(
            "models",
            List(&Text(1..=200, &code::V009), 0..=8, &code::V009),
            "Model ids that the voice belongs to, preferred first.",
        ),
    ],
    unknown: &code::V005,
    gone: &[],
};
