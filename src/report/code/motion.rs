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
    N013 "animation-unknown" ReadRefusal "The id avatar: names an animation inside the avatar, in exactly its spelling."
        "Write the name as the message gives it.";
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
    N024 "rig-not-needed" MayRefuse "A rig is for an .fbx, or for a .glb without VRM data: any other clip says itself which node is which bone."
        "Remove the rig.";
    N025 "fbx-rig-missing" Refusal "A clip of the body in an .fbx needs a rig, so that a humanoid avatar knows which node is which bone."
        "Add a rig that maps the 15 bones.";
    N026 "glb-rig-missing" Refusal "A clip of the body in a .glb without VRM data needs a rig, so that a humanoid avatar knows which node is which bone."
        "Add a rig that maps the 15 bones.";
    N027 "embedded-body-still" Advice "An animation inside a humanoid avatar, in a role of the body, moves humanoid bones; a plain GLB needs the look's rig for that."
        "Give it a parts role, or give the look a rig.";
    N028 "clip-nodes-unknown" Advice "A clip moves nodes by names that the avatar, which is no humanoid, does not have."
        "Export clip and avatar from one skeleton.";
    N029 "parts-clip-kind-wrong" Refusal "Extra parts are moved by a .glb clip or by an animation inside the avatar."
        "Export the clip as .glb.";
    N030 "parts-clip-moves-nothing" Refusal "A clip for extra parts moves at least one bone that the avatar has, by its name."
        "Export the clip from the avatar's own skeleton.";
    N031 "cues-invalid" ReadRefusal "cues is a list of at most 10 words."
        "Write \"cues\": [\"...\"].";
    N032 "cue-unknown" Refusal "A cue is one of the platform's words for emotions, sound effects and stage actions. Not all of them are known to this tool: [cues] in pipeline.toml has the list."
        "Write a known word, in lower case, words joined by hyphens.";
    N033 "cue-duplicate" Advice "A motion has the same cue twice."
        "Remove one of the two.";
    N034 "cue-special" Advice "stretching, yawning, humming and looking-around make a motion an idle habit, waving makes it her greeting; both can also be played on that cue."
        "Nothing need be done; take the cue away when the motion is not meant so.";
    N035 "talk-loops-uncued" Advice "With several talkIdle motions, a cue such as calm or happy tells which one suits a reply."
        "Give the calm one a calm cue and the lively one a happy cue.";
    N036 "stroke-out-of-range" ReadRefusal "strokeSeconds is within 0 to 30."
        "Write when in the clip the beat lands, in seconds.";
    N037 "stroke-after-end" StrongAdvice "The beat of a motion lies after the end of its clip."
        "Write when in the clip the beat lands, in seconds.";
    N038 "full-body-not-boolean" ReadRefusal "isFullBody is true or false."
        "Write true or false.";
    N039 "speaking-not-boolean" ReadRefusal "canPlayWhileSpeaking is true or false."
        "Write true or false.";
    N040 "role-advisable" Advice "A look can have motions for listen, think and reaction; without them she keeps her idle."
        "Add them when there are clips for them.";
    N041 "look-lifeless" Advice "A look is livelier with an idle habit (a motion cued stretching, yawning, humming or looking-around), a greeting (cued waving) and a shift of posture."
        "Add them when there are clips for them.";
    N043 "idle-loops-short" Advice "Idle loops of under three seconds look mechanical."
        "Use a longer loop.";

    C001 "vrma-plain-glb" ReadRefusal "A clip that ends in .vrma is a GLB with the extension VRMC_vrm_animation."
        "Export it as a VRM animation, or name it .glb and give its motion a rig.";
    C002 "vrma-version-missing" Advice "A VRM animation says in specVersion that it is of version 1.0; without it readers guess."
        "Nothing to do: readers take it for 1.0. Exporting it again with a newer tool adds it.";
    C003 "vrma-humanoid-missing" Refusal "A VRM animation maps humanoid bones, the hips at least, to nodes that exist."
        "Export the clip again with its humanoid.";
    C004 "vrma-bone-channel-wrong" ReadRefusal "The bones of a VRM animation only rotate, and the hips also move; a scale stops three-vrm from loading the clip."
        "Remove the channel, or export without scale.";
    C005 "vrma-control-channel-wrong" ReadRefusal "An expression of a VRM animation moves by translation only, the gaze by rotation only; anything else stops three-vrm from loading the clip."
        "Remove the channel.";
    C006 "vrma-hips-too-low" ReadRefusal "The hips of a VRM animation rest above the ground; their height scales the motion to the avatar."
        "Export the clip with its skeleton standing on the ground.";
    C007 "clip-without-animation" ReadRefusal "A clip holds an animation with at least one key."
        "Export the clip with its animation.";
    C008 "clip-sampler-damaged" ReadRefusal "Every sampler of a clip has key times, ascending from 0, and as many values."
        "Export the clip again.";
    C009 "clip-animations-several" Advice "A clip file holds several animations, and only one of them plays: the first of a glTF file, the take of an FBX that moves most."
        "Export each animation as a clip of its own.";
    C010 "clip-starts-late" Advice "The first key of a clip is not at 0: it stands still until then."
        "Move the keys to the start of the timeline and export again.";
    C011 "clip-too-short" Advice "A clip of under a tenth of a second is a pose, not a motion."
        "Check that the whole timeline was exported.";
    C012 "clip-carries-meshes" Advice "Meshes and pictures in a clip are never shown. The build takes them out of VRM animations."
        "Export the clip without them.";
    C013 "fbx-too-old" ReadRefusal "three.js reads FBX of version 7.0 and newer only."
        "Open the file in a newer program and export it as FBX 7.4 (2014) or newer, or as .vrma.";
    C014 "fbx-unreadable" ReadRefusal "The FBX file cannot be read: it is damaged, cut off, or wants more memory than any clip does."
        "Export the clip again.";
    C015 "node-names-collide" Refusal "Two nodes get the same name when three.js spells them, so that nothing can tell them apart; a file like that is refused. The build renames one of them."
        "Give the nodes different names in the authoring tool.";
    C016 "mesh-name-clashes" Advice "three.js keeps one list of names for nodes and meshes: of two that are equal it adds a number to the one that comes later."
        "Give the mesh another name in the authoring tool.";
    C017 "loop-open" Advice "A motion that plays as a loop ends in the pose in which it starts; otherwise she jerks each time it starts over."
        "Make the last key equal to the first, or blend the end into the start.";
    C018 "walk-travels" StrongAdvice "A walk is an in-place loop: the stage moves her, so a clip that travels by itself makes her glide and jump back."
        "Remove the way of the hips along the ground, or set inPlace under [motions] in pipeline.toml.";
    C019 "walk-not-measurable" StrongAdvice "The stage plays a walk at half to twice its speed so that the feet stand still on the ground; this one cannot be measured, or is too fast or slow for the look's pacing."
        "Set pacing.speed within the range that the message gives, or use another clip.";
    C020 "posture-unchanged" Advice "A clip for a shift of posture ends in the shifted pose, which she then holds; this one ends where it began."
        "Cut the clip at the pose to be held.";
    C021 "gesture-far-from-idle" Advice "A gesture or reaction starts and ends near the pose of the idle loop, so that it blends without a swing."
        "Start and end the clip in the pose of the idle loop.";
    C022 "parts-moved" Advice "Which extra parts of the avatar a motion moves, as the platform works it out."
        "Nothing to do.";
    C023 "clip-moves-no-bone" Advice "A clip for the body changes no humanoid bone."
        "Check that the right animation was exported.";
    C024 "clip-keys-many" Advice "Keys of the clip lie on the way between others; a build takes them out, and the motion stays the same."
        "Build the pack, or run shrink on the clip.";
    C025 "clip-compressed" Advice "The keys of the clip are compressed or stored as integers: only loaders with the decoder read it."
        "Keep it when the stage reads it; otherwise export plain floats.";

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
    R006 "rig-node-unknown" ReadRefusal "A bone map names nodes of its file: of the clip for a motion, of the avatar for a look."
        "Write the name as the message gives it.";
    R007 "rig-node-duplicate" ReadRefusal "No node is used for two bones of a rig."
        "Name another node.";
    R008 "rig-order-odd" Advice "The nodes of a bone map hang together as a body does: the hand below the lower arm below the upper arm, left on the left."
        "Check the bones that the message names.";
    R009 "rig-trunk-still" Advice "The clip moves neither the hips nor the spine of its bone map, so that the map may name the wrong nodes."
        "Check the map.";

    T001 "walk-off-axis" StrongAdvice "The walk does not go straight ahead: she would walk askew to where she is going."
        "Turn the clip so that it walks to where the body looks.";
}
