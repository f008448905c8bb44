//! The catalogue of motions: N, C, R and T.

use super::{Code, Kind};

catalogue! {
    N001 "role-missing" Refusal "A model has at least one motion with the role idle, one with talkIdle and one with gesture."
        "Add a motion with the missing role, or add the role to a motion: one motion can have two.";
    N002 "motions-too-many" ReadRefusal "A look has at most 100 motions."
        "Remove some.";
    N003 "gestures-too-many" ReadRefusal "At most 30 motions of a look have the role gesture."
        "Remove some, or take the role away from them.";
    N004 "parts-gestures-too-many" ReadRefusal "At most 10 motions of a look have the role partsGesture."
        "Remove some, or take the role away from them.";
    N005 "motion-key-unknown" Refusal "A motion holds id, roles, name, description, rig, cues, strokeSeconds, isFullBody and canPlayWhileSpeaking, nothing else."
        "Correct or remove the key.";
    N006 "motion-id-missing" ReadRefusal "A motion has an id."
        "Write file: and the path of the clip, or avatar: and the name of an animation.";
    N007 "motion-id-duplicate" ReadRefusal "The ids of the motions of a look are unique."
        "Remove one of the two, or give the one both roles.";
    N008 "motion-id-unknown" Refusal "The id of a motion is file: and the path of a clip in the model's folder, or avatar: and the name of an animation inside the avatar. library: ids are refused."
        "Put the clip into the model's folder and name it with file:.";
    N010 "clip-kind-unknown" ReadRefusal "A clip file is a .vrma, a .glb or an .fbx."
        "Export the motion in one of these formats.";
    N011 "clip-too-large" Refusal "A clip file is at most 32 MB."
        "Export the clip without mesh and textures, or as .vrma.";
    N012 "live2d-motion-foreign" ReadRefusal "A Live2D look plays only the motions in its own zip."
        "Write avatar: and the path of the .motion3.json inside the zip.";
    N014 "live2d-motion-unknown" ReadRefusal "The id of a motion of a Live2D look is avatar: and the path of a .motion3.json inside the zip, without the model's own folder."
        "Write the path of a motion in the zip.";
    N015 "roles-count" ReadRefusal "A motion has one or two roles."
        "Write \"roles\": [\"...\"].";
    N016 "role-duplicate" ReadRefusal "The two roles of a motion are different ones."
        "Remove one of the two.";
    N017 "role-unknown" ReadRefusal "The roles are idle, talkIdle, listen, think, gesture, reaction, partsIdle, partsGesture, walk, postureShift and leanIn."
        "Write one of these.";
    N018 "role-not-live2d" ReadRefusal "A Live2D look has no extra parts and does not walk: partsIdle, partsGesture and walk are for 3D looks."
        "Remove the role.";
    N019 "roles-mixed" Advice "A motion has a role for the body and one for extra parts."
        "Make two clips of it, one for each.";
    N020 "motion-name-invalid" ReadRefusal "A motion has a name of 1 to 60 characters."
        "Write a name.";
    N021 "motion-description-invalid" ReadRefusal "A motion has a description of 1 to 300 characters: it is what the gesture picker reads."
        "Describe the motion and its mood.";
    N022 "motion-description-poor" Advice "The description of a motion should tell it from the others: the gesture picker reads nothing else."
        "Describe the motion and its mood.";
    N031 "cues-invalid" ReadRefusal "cues is a list of at most 10 words."
        "Write \"cues\": [\"...\"].";
    N032 "cue-unknown" Refusal "A cue is one of the platform's words for emotions, sound effects and stage actions. Not all of them are known to this tool: [cues] in pipeline.toml has the list."
        "Write a known word, in lower case, words joined by hyphens.";
    N033 "cue-duplicate" Advice "A motion has the same cue twice."
        "Remove one of the two.";
    N035 "talk-loops-uncued" Advice "With several talkIdle motions, a cue such as calm or happy tells which one suits a reply."
        "Give the calm one a calm cue and the lively one a happy cue.";
    N036 "stroke-out-of-range" ReadRefusal "strokeSeconds is within 0 to 30."
        "Write when in the clip the beat lands, in seconds.";
    N038 "full-body-not-boolean" ReadRefusal "isFullBody is true or false."
        "Write true or false.";
    N039 "speaking-not-boolean" ReadRefusal "canPlayWhileSpeaking is true or false."
        "Write true or false.";
    N040 "role-advisable" Advice "A look can have motions for listen, think and reaction; without them she keeps her idle."
        "Add them when there are clips for them.";
    N041 "look-lifeless" Advice "A look is livelier with an idle habit (a motion cued stretching, yawning, humming or looking-around), a greeting (cued waving) and a shift of posture."
        "Add them when there are clips for them.";

    C015 "node-names-collide" Refusal "Two nodes get the same name when three.js spells them, so that nothing can tell them apart; a file like that is refused. The build renames one of them."
        "Give the nodes different names in the authoring tool.";
    C016 "mesh-name-clashes" Advice "three.js keeps one list of names for nodes and meshes: of two that are equal it adds a number to the one that comes later."
        "Give the mesh another name in the authoring tool.";

    R001 "rig-key-unknown" Refusal "A rig holds version and bones, nothing else."
        "Correct or remove the key.";
    R002 "rig-version-wrong" ReadRefusal "The version of a rig is 1."
        "Write \"version\": 1.";
    R003 "rig-bone-missing" ReadRefusal "A rig maps the 15 required humanoid bones."
        "Add the missing bones.";
    R004 "rig-bone-unknown" ReadRefusal "The keys of a rig's bones are humanoid bones, as VRM 1.0 names them."
        "Correct or remove the key.";
    R005 "rig-bone-misspelled" Refusal "A bone map names the nodes of its file as three.js spells them."
        "Write the name as the message gives it.";
    R007 "rig-node-duplicate" ReadRefusal "No node is used for two bones of a rig."
        "Name another node.";
}
