//! The catalogue of packages, looks and avatars: P, M, G, O, K, F and A.

use super::{Code, Kind};

catalogue! {
    P001 "package-too-large" Refusal "All files of the pack together, or its zip, are larger than the 256 MB that the publish takes."
        "Shrink the avatars, cap their textures, or split the pack in two.";
    P002 "file-unreferenced" Refusal "A file that is not .json, .md or .txt is named by no JSON file of the pack."
        "Remove the file, name it in a manifest, or list it under [pack] ignore in pipeline.toml.";
    P003 "folder-layout-wrong" ReadRefusal "A pack has the folders companion-models, companion-characters and companion-items; each folder in them is named by its key and holds its model.json, character.json or item.json."
        "Move or rename the file or folder.";
    P004 "key-duplicate" Refusal "Two folders have the same key. Keys are unique in the whole pack: models, characters and items together, without regard to case."
        "Rename one of the folders, for example fox-model and fox.";
    P005 "key-misspelled" ReadRefusal "A key, the name of a folder, is 1 to 40 characters out of a-z, 0-9 and the hyphen."
        "Rename the folder.";
    P006 "reference-outside-folder" ReadRefusal "A manifest names a file by a path that is not plain and relative: it leaves the manifest's folder, starts at a root, or holds a backslash, an empty step or a control character."
        "Put the file into the folder of the manifest and write its path with forward slashes only.";
    P007 "reference-missing" ReadRefusal "A manifest names a file that does not exist in exactly this spelling. Upper and lower case count, also where your own disk does not see them."
        "Correct the path or add the file.";
    P008 "file-is-link" Safety "The pack holds a symbolic link, a device, or a file whose name is not valid UTF-8; none of these can be packed."
        "Put a real file in its place.";
    P009 "file-empty" Safety "A file is empty, or is a Git LFS pointer in place of the file itself."
        "Run `git lfs pull`, or copy the file again.";
    P010 "content-not-as-named" MayRefuse "The content of a file is not what the ending of its name says."
        "Rename the file after its content, or save it again in the format of its name.";
    P011 "manifest-invalid" ReadRefusal "A JSON file is not valid UTF-8 JSON with an object at its root."
        "Correct the text at the place given. JSON has no comments, no trailing commas and no single quotes.";
    P012 "member-duplicate" Safety "A JSON object names the same key twice; readers keep only the last one."
        "Remove one of the two.";
    P013 "byte-order-mark" MayRefuse "A JSON file starts with a byte-order mark, which strict readers refuse."
        "Save the file as UTF-8 without BOM.";
    P014 "value-wrong-type" ReadRefusal "A JSON value is not of the type that the format gives for it. null is not a value: leave the key out instead."
        "Write a value of the type named.";
    P015 "number-out-of-range" Safety "A JSON number is too large for any reader."
        "Write a smaller number.";
    P016 "readme-missing" Advice "The pack has no readme.md at its root."
        "Add one that says what the pack holds and under which licence.";
    P017 "pack-empty" Advice "The pack holds no model, no character and no item, so there is nothing to publish."
        "Add companion-models/<key>/model.json, or check that this is the right folder.";
    P018 "leftover-file" Refusal "A file that a system or an editor left behind, or that the settings leave out. It does not ship from a folder; in a zip it would be refused."
        "Nothing to do in a folder; build the zip again from the folder.";
    P019 "key-vanished" Advice "A look, item or outfit of the last published pack is not in this one; companions that use it show it as missing."
        "Keep the key, or tell your users what takes its place.";
    P020 "json-unread" Advice "No rule of the format reads this JSON file: it is not a manifest, and no manifest names it."
        "Remove it, or rename it if it was meant as a manifest.";

    M001 "model-name-invalid" ReadRefusal "A model has a name of 1 to 100 characters."
        "Write a name.";
    M002 "description-missing" Advice "A model has a description, which the gallery shows; the format gives no limit, 300 characters are plenty."
        "Write a sentence or two about the look.";
    M003 "avatar-missing" ReadRefusal "A model names its avatar."
        "Add \"avatar\": \"<file>\" to model.json.";
    M004 "avatar-kind-unknown" ReadRefusal "An avatar is a .vrm, a .glb or a Live2D .zip."
        "Export the avatar in one of these formats.";
    M005 "avatar-too-large" Refusal "An avatar file is at most 100 MB."
        "Shrink it, and cap its textures with textures.maxSize.";
    M006 "thumbnail-not-a-picture" ReadRefusal "A thumbnail is a PNG, JPEG or WebP picture, by its content."
        "Save it in one of these formats.";
    M007 "thumbnail-too-large" ReadRefusal "A thumbnail is at most 2 MB."
        "Scale it down or save it as JPEG or WebP.";
    M008 "background-not-a-picture" ReadRefusal "A background is a PNG, JPEG or WebP picture, by its content."
        "Save it in one of these formats.";
    M009 "background-too-large" ReadRefusal "A background is at most 2 MB."
        "A soft JPEG of 1920 x 1080 under 1 MB is plenty.";
    M010 "background-heavy" Advice "A background is shown blurred: a soft landscape picture near 1920 x 1080, as a JPEG under 1 MB, is plenty."
        "Scale it down, or save it as JPEG.";
    M011 "picture-damaged" Safety "A thumbnail or background does not decode, is animated, or has a size that makes no sense (16 to 8192 pixels a side are fine)."
        "Save the picture again, still and of a usual size.";
    M012 "physics-switch-not-boolean" ReadRefusal "isLooseChainPhysicsEnabled is true or false; it is for 3D looks only."
        "Write true or false, or leave it out.";
    M013 "physics-switch-idle" Advice "isLooseChainPhysicsEnabled matters only for a model without spring bones."
        "Remove it.";
    M014 "model-key-unknown" Refusal "A model.json has a key that the format does not know; any unknown key refuses the publish."
        "Correct or remove the key.";
    M015 "manifest-too-large" Refusal "A model.json, parsed and written without spaces, is at most 64 KB."
        "Shorten descriptions and drop motions or outfits that are not needed.";
    M016 "rig-on-vrm" Refusal "A VRM says itself which node is which bone; a rig on it is refused."
        "Remove \"rig\".";
    M018 "avatar-rig-advisable" Advice "A plain GLB has bones like a human's; with a rig the look can use clips of the body, items and pacing."
        "Add the rig that the hint gives.";
    M019 "motion-key-derived" Refusal "isBodyAnimated and partBones are worked out from the clip; writing them refuses the publish."
        "Remove the key.";
    M020 "live2d-with-outfits" Refusal "A Live2D look is one painted piece and cannot have outfits, not even an empty list."
        "Remove \"outfits\".";
    M021 "live2d-with-cloth" Refusal "A Live2D look cannot have cloth, not even an empty list."
        "Remove \"cloth\".";
    M022 "live2d-with-pacing" Refusal "A Live2D look does not walk, so it cannot have pacing."
        "Remove \"pacing\".";
    M023 "live2d-with-camera" Refusal "A Live2D look has no camera that turns around it."
        "Remove \"camera\" from framing.";
    M024 "live2d-with-rig" ReadRefusal "A Live2D look has no bones, so neither it nor its motions can have a rig."
        "Remove \"rig\".";
    M025 "live2d-with-jaw-bone" ReadRefusal "A Live2D look has no bones, so its face map has no jawBone."
        "Remove \"jawBone\".";
    M026 "look-unused" Advice "No character of the pack has this look. It is still offered in the look picker."
        "Nothing to do, or write a character for it.";

    G001 "framing-key-unknown" Refusal "framing holds defaultPreset, face, upperBody, fullBody and camera, nothing else."
        "Correct or remove the key.";
    G002 "preset-unknown" ReadRefusal "defaultPreset is face, upperBody or fullBody."
        "Write one of the three.";
    G003 "window-edge-missing" ReadRefusal "A framing window has both bottom and top."
        "Add the missing one: fractions of the model's height, 0 at its bottom edge and 1 at its top.";
    G004 "window-key-unknown" Refusal "A framing window holds bottom, top and centerX, nothing else."
        "Correct or remove the key.";
    G005 "window-out-of-range" Refusal "bottom, top and centerX of a framing window are within -1 to 2."
        "Write a fraction of the model's height or width.";
    G006 "window-too-flat" Refusal "The top of a framing window is at least 0.02 above its bottom."
        "Raise top or lower bottom.";
    G007 "windows-not-nested" Advice "Framing windows usually nest: Face lies in the upper half of Upper body, and Upper body inside Full body."
        "Check that bottom and top are not exchanged between them.";
    G008 "preset-default" Advice "Without defaultPreset a new companion starts on Upper body."
        "Nothing to do, or write defaultPreset.";
    G009 "camera-key-unknown" Refusal "camera holds defaultYawDegrees, yawRange, isDriftEnabled and followSeconds, nothing else."
        "Correct or remove the key.";
    G010 "yaw-out-of-range" ReadRefusal "defaultYawDegrees is within -75 to 75."
        "Write a turn in degrees; 0 is from the front.";
    G011 "yaw-range-invalid" ReadRefusal "yawRange is a list of exactly two numbers within -75 to 75."
        "Write [minimum, maximum].";
    G012 "yaw-range-reversed" ReadRefusal "The minimum of yawRange is not above its maximum."
        "Exchange the two numbers.";
    G013 "yaw-outside-range" ReadRefusal "defaultYawDegrees, which is 0 when it is left out, lies inside yawRange."
        "Set defaultYawDegrees to a turn inside the range, or widen the range.";
    G014 "drift-not-boolean" ReadRefusal "isDriftEnabled is true or false."
        "Write true or false.";
    G015 "follow-out-of-range" ReadRefusal "followSeconds is within 0.2 to 2."
        "Write a time in seconds; 0.6 is usual.";
    G016 "pacing-key-unknown" Refusal "pacing holds isEnabled, speed and stepDistance, nothing else."
        "Correct or remove the key.";
    G017 "pacing-switch-not-boolean" ReadRefusal "isEnabled of pacing is true or false."
        "Write true or false.";
    G018 "pacing-speed-out-of-range" ReadRefusal "The speed of pacing is within 0.1 to 1 body heights a second."
        "Write a speed in body heights a second; 0.35 is usual.";
    G019 "pacing-step-out-of-range" ReadRefusal "The stepDistance of pacing is within 0.05 to 0.6 body heights."
        "Write a distance in body heights; 0.25 is usual.";
    G020 "pacing-without-walk" Advice "Without a motion with the role walk she never paces, whatever pacing says."
        "Add a walk, or remove pacing.";
    G021 "step-time-odd" Advice "stepDistance divided by speed gives a time for one step outside of 0.2 to 4 seconds."
        "Bring the two nearer to their defaults, 0.25 and 0.35.";

    O001 "outfits-too-many" ReadRefusal "A look has at most 20 outfits."
        "Remove some, or split the look in two.";
    O002 "outfit-key-unknown" Refusal "An outfit holds key, name, meshes, materials, shapes and cloth, nothing else."
        "Correct or remove the key.";
    O003 "outfit-key-invalid" ReadRefusal "An outfit has a key of 1 to 40 characters out of a-z, 0-9 and the hyphen."
        "Write a key; [outfit:key] refers to it.";
    O004 "outfit-key-duplicate" ReadRefusal "The keys of the outfits of a look are unique."
        "Rename one of them.";
    O005 "outfit-name-invalid" ReadRefusal "An outfit has a name of 1 to 60 characters."
        "Write a name for the wardrobe menu.";
    O006 "outfit-parts-too-many" ReadRefusal "An outfit lists at most 50 parts, meshes and materials together."
        "Join meshes in the authoring tool, or leave out what always shows.";
    O007 "outfit-mesh-misspelled" Refusal "An outfit names its meshes by the names of their nodes, as three.js spells them."
        "Write the name as the message gives it.";
    O008 "outfit-mesh-not-a-part" ReadRefusal "An outfit names a node of the avatar that is a bone or a group and shows nothing itself."
        "Name the nodes that hold the meshes.";
    O009 "outfit-material-missing" Refusal "An outfit names its materials as they are written in the avatar."
        "Write the name exactly as in the file, spaces and all.";
    O010 "outfit-material-ambiguous" Advice "Two materials of the avatar have this name; an outfit shows and hides them together."
        "Give them different names in the authoring tool.";
    O011 "outfit-shapes-too-many" ReadRefusal "An outfit sets at most 64 shapes."
        "Join shape keys in the authoring tool.";
    O012 "outfit-shape-incomplete" Refusal "A shape of an outfit holds mesh, shape and weight: all three, and nothing else."
        "Write { \"mesh\": \"...\", \"shape\": \"...\", \"weight\": 1 }.";
    O013 "outfit-shape-weight-out-of-range" ReadRefusal "The weight of a shape is within 0 to 1."
        "Write a number from 0 to 1.";
    O014 "outfit-shape-mesh-misspelled" ReadRefusal "A shape of an outfit names its mesh by the name of its node, as three.js spells it."
        "Write the name as the message gives it.";
    O015 "outfit-shape-missing" ReadRefusal "A shape of an outfit names a shape key of its mesh."
        "Write one of the mesh's own names.";
    O016 "outfit-shape-duplicate" Advice "An outfit sets the same shape of the same mesh twice; the last one counts."
        "Remove one of the two.";
    O017 "outfit-part-duplicate" Advice "An outfit lists the same part twice."
        "Remove one of the two.";
    O018 "outfit-part-everywhere" Advice "A part that every outfit lists always shows, as do all parts that no outfit lists."
        "Leave it out of all outfits.";
    O019 "outfit-hides-body" StrongAdvice "A part that looks like her face, hair or body is in some outfits only, so the others hide it."
        "Leave it out, so that it always shows.";
    O020 "outfit-material-shared" StrongAdvice "A material of an outfit is also on a mesh that no outfit lists; both hide together."
        "Give the garment a material of its own.";
    O021 "vroid-without-skin" Advice "A VRoid export has no skin under its clothes, so hiding a garment by its material leaves a hole."
        "Give the outfit a mesh of its own, or keep the garments in all outfits.";
    O022 "outfit-empty" Advice "An outfit that lists nothing shows no clothes of its own."
        "Nothing to do, when that is meant.";

    K001 "cloth-pieces-too-many" ReadRefusal "A look, and each outfit, has at most 4 pieces of cloth in a list; [] means none."
        "Join or remove pieces.";
    K002 "cloth-not-list" ReadRefusal "cloth is a list of pieces, of a look or of an outfit; [] means none."
        "Write a list: [{ \"chains\": [...] }].";
    K003 "cloth-key-unknown" Refusal "A piece of cloth holds chains, isClosedLoop, stiffness, drag and gravity, nothing else."
        "Correct or remove the key.";
    K004 "cloth-chains-count" ReadRefusal "A piece of cloth has 2 to 32 chains."
        "List the root bones of its chains, in order around the body.";
    K005 "cloth-bone-duplicate" ReadRefusal "No bone is used twice in the cloth of a look or an outfit."
        "Remove one of the two.";
    K006 "cloth-bone-misspelled" Refusal "A chain of cloth is named by its root bone, as three.js spells it."
        "Write the name as the message gives it.";
    K007 "cloth-bone-humanoid" Refusal "A chain of cloth starts at a bone that is not one of her humanoid bones."
        "Name the first bone of the skirt or cape below it.";
    K008 "cloth-chain-nested" Advice "A chain starts below another chain, which moves it already."
        "Name the root of each chain only.";
    K009 "cloth-chain-idle" Advice "A chain has a bone below its root and moves vertices; this one does not, so nothing would swing."
        "Name the root of a chain that the garment hangs on.";
    K010 "cloth-order-wrong" Advice "The chains of a piece are listed in order around the body, either way."
        "Sort them by angle.";
    K011 "cloth-loop-open" Advice "A closed loop goes all around; chains that spread over half a turn or less are a cape."
        "Set \"isClosedLoop\": false.";
    K012 "cloth-loop-not-boolean" ReadRefusal "isClosedLoop is true or false."
        "Write true or false.";
    K013 "cloth-stiffness-out-of-range" ReadRefusal "The stiffness of cloth is within 0 to 1."
        "Write a number from 0 to 1; 0.5 is usual.";
    K014 "cloth-drag-out-of-range" ReadRefusal "The drag of cloth is within 0 to 1."
        "Write a number from 0 to 1; 0.4 is usual.";
    K015 "cloth-gravity-out-of-range" ReadRefusal "The gravity of cloth is within 0 to 2."
        "Write a number from 0 to 2; 1 is usual.";
    K016 "cloth-and-spring" StrongAdvice "A chain of cloth is also moved by a spring bone of the VRM; the two work against each other."
        "Remove the spring in the authoring tool, or leave the chain out of cloth.";

    F001 "face-control-missing" Refusal "A control of the face map is an expression or a shape key of the avatar, by exactly its name."
        "Write one of the avatar's own names.";
    F002 "face-parameter-unknown" Refusal "The face map of a Live2D look names a parameter that the .moc3 does not have."
        "Write the id of a parameter of the model.";
    F003 "jaw-bone-misspelled" Refusal "The jaw bone is named as three.js spells it."
        "Write the name as the message gives it.";
    F004 "viseme-unknown" Refusal "The visemes of a face map are aa, ih, ou, ee, oh, pp and ss."
        "Correct or remove the key.";
    F005 "face-side-missing" ReadRefusal "smile and eyeSmile have a list left and a list right."
        "Write { \"left\": [...], \"right\": [...] }.";
    F006 "face-weight-out-of-range" ReadRefusal "The weight of a control is a number within 0 to 1."
        "Write a number from 0 to 1.";
    F007 "face-key-unknown" MayRefuse "A key of the face map is not among the slots that are known here; the platform may refuse it."
        "If the platform takes it, add it to [face] extra in pipeline.toml.";
    F008 "visemes-incomplete" Advice "With any mouth shape in the face map the VRM's own aa, ih, ou, ee and oh are not driven, so all five should be given."
        "Add the missing ones.";
    F009 "face-slot-fillable" Advice "The avatar has shapes by the names of ARKit, VRoid or Oculus for a slot that the face map leaves out."
        "Add the slot.";
    F010 "face-control-opposed" Advice "A control is on the left and on the right, or in two slots that pull against each other."
        "Use the control of that side.";

    F011 "face-parameter-range-odd" Advice "A parameter of the face does not reach the values that the stage gives it: a mouth opens to 1, an eye goes from 0 to 1."
        "Change the range of the parameter in the Cubism Editor.";
    A001 "avatar-not-vrm" ReadRefusal "An avatar that ends in .vrm is a GLB with VRM 0.x or VRM 1.0 data."
        "Export it as VRM, or name it .glb and give the look a rig.";
    A002 "humanoid-bone-missing" ReadRefusal "A VRM avatar maps the fifteen humanoid bones that the format asks for."
        "Map the bone in the authoring tool and export again.";
    A003 "avatar-glb-invalid" ReadRefusal "A .glb avatar is a whole GLB with at least one mesh."
        "Export the avatar again.";
    A004 "glb-holds-vrm" Advice "A .glb avatar holds VRM data; called .vrm it has its expressions and springs."
        "Rename it to end in .vrm.";
    A005 "avatar-data-external" ReadRefusal "A buffer or picture of the avatar lies outside of its file."
        "Export it as one GLB or VRM with everything embedded.";
    A006 "extension-strange" Advice "The avatar requires an extension that a stage may not read."
        "Export it without that extension.";
    A007 "chains-loose" Advice "The avatar has no spring bones, so the stage lets its loose chains of bones swing: those that are no humanoid bones, move at least 20 vertices and are not of the face, the hands or the feet; up to 48."
        "Add springs in the authoring tool for a motion of your own, map bones that must not swing, or set isLooseChainPhysicsEnabled to false.";
    A008 "skirt-found" Advice "The look has no cloth, and the stage finds a skirt by itself: at least four chains under the hips that reach more than half around her."
        "Nothing need be done; list the chains in \"cloth\" to choose others, or write \"cloth\": [] for none.";
    A009 "avatar-beyond-script" Advice "The shrink script of the platform refuses this avatar; this tool shrinks it and keeps everything, so it is no more than a note."
        "Build the pack with this tool, and ship its zip.";
    A010 "avatar-heavy" Advice "The avatar has more triangles or larger textures than a browser shows with ease."
        "Reduce the mesh in the authoring tool, or set textures.maxSize.";
    A011 "node-name-reserved" Safety "A node is called like a member of every JavaScript object, such as constructor or toString; three.js then spells it with _NaN. The build renames it."
        "Rename the node in the authoring tool.";
}
