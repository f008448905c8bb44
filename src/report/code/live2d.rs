//! The catalogue of Live2D looks: L.

use super::{Code, Kind};

catalogue! {
    L001 "live2d-zip-unreadable" ReadRefusal "The zip of a Live2D look cannot be opened: it is cut off, split, encrypted, or packed by a method other than deflate."
        "Zip the model's folder again with an ordinary tool and without a password.";
    L002 "live2d-model-not-one" ReadRefusal "The zip of a Live2D look holds exactly one .model3.json."
        "Export for SDK from the Cubism Editor, and zip the folder of one model.";
    L003 "live2d-model-too-deep" ReadRefusal "The .model3.json lies at the root of the zip or in one folder of it."
        "Zip the model's own folder.";
    L004 "live2d-name-hostile" Refusal "An entry of the zip has a name that leaves its folder, starts at a root or a drive, holds a backslash or a control character, or cannot exist on every system."
        "Rename the file and zip the folder again.";
    L005 "live2d-entry-is-link" Refusal "An entry of the zip is a symbolic link, a device, a pipe or a socket."
        "Put a real file in its place and zip the folder again.";
    L006 "live2d-name-duplicate" ReadRefusal "Two entries of the zip have the same name, or names that are the same on disks that ignore case or the form of accents."
        "Rename or remove one of them and zip the folder again.";
    L007 "live2d-zip-inconsistent" Safety "The zip says one thing in its directory and another in its entries, or holds bytes that belong to no entry, so that two readers may see two archives."
        "Unpack it, look at what is in it, and zip the folder again.";
    L008 "live2d-zip-bomb" Safety "The zip unpacks to more than this tool opens: 512 MB together, 96 MB for one file, 8 MB for one JSON file, 2,000 entries, 200 times its packed size; or it holds another archive."
        "Remove what is not part of the model and zip the folder again.";
    L009 "live2d-names-not-utf8" Advice "Names in the zip are Japanese without saying in which encoding; other readers see other names."
        "Nothing to do: a build writes them as UTF-8.";
    L010 "live2d-entry-unused" Advice "An entry of the zip is not part of the model: nothing plays or draws it, and it goes out to everybody who downloads the look."
        "Leave it out of the zip; a build does.";
    L011 "live2d-model-invalid" ReadRefusal "The .model3.json is not valid: it is JSON of version 3 that names the .moc3 and the textures."
        "Export for SDK from the Cubism Editor again.";
    L012 "live2d-file-missing" Refusal "The .model3.json names a file that is not in the zip under exactly this name. Upper and lower case count."
        "Add the file to the zip or correct its name.";
    L013 "live2d-path-outside" Refusal "The .model3.json names a file outside the model's folder."
        "Put the file into the model's folder and name it by a plain relative path.";
    L014 "live2d-group-missing" StrongAdvice "The groups EyeBlink and LipSync of the .model3.json say which parameters blink and move the mouth."
        "Set the parameters of both groups in the Cubism Editor and export again.";
    L015 "live2d-hit-area-unknown" Advice "A hit area of the .model3.json names no drawable of the .moc3."
        "Correct the id of the drawable.";
    L016 "live2d-head-area-missing" StrongAdvice "No hit area has \"head\" or \"face\" in its name, so the stage has to guess where her head is."
        "Add a hit area named Head to the .model3.json.";
    L017 "moc3-header-invalid" Refusal "The .moc3 does not start as one of version 1 to 6 in little-endian order does."
        "Export the model from the Cubism Editor again.";
    L018 "moc3-layout-broken" Refusal "The sections of the .moc3 do not lie in the file one after the other."
        "Export the model from the Cubism Editor again; do not use it if you do not know where it comes from.";
    L019 "moc3-reference-broken" Refusal "An index or range of the .moc3 points outside its list, or something is its own ancestor."
        "Export the model from the Cubism Editor again; do not use it if you do not know where it comes from.";
    L020 "moc3-id-invalid" Refusal "The ids of the .moc3 are texts with an end, in UTF-8, and unique in their list."
        "Export the model from the Cubism Editor again.";
    L021 "moc3-number-invalid" Refusal "The numbers of the .moc3 are finite and sane: a canvas with a size, minima below maxima, keys that ascend, switches that are 0 or 1."
        "Export the model from the Cubism Editor again.";
    L022 "moc3-layout-unusual" Advice "The .moc3 is not laid out exactly as the Cubism Editor writes it: it was edited, damaged, or written by another tool."
        "Export the model again if it looks wrong on the stage.";
    L023 "moc3-version-new" StrongAdvice "The .moc3 is of version 6 (Cubism 5.3), which the stage may be too old to read."
        "Export for Cubism 5.0 or older.";
    L024 "moc3-texture-missing" ReadRefusal "A drawable uses a texture that the .model3.json does not list."
        "List all textures of the model, in their order.";
    L025 "live2d-texture-odd" Advice "A texture is a square PNG with sides of a power of two, of at most 4096 pixels. Anything but a sound PNG is refused."
        "Export the textures from the Cubism Editor again, at 4096 pixels or less.";
    L026 "live2d-over-desktop-budget" ReadRefusal "The textures, decoded and with their mipmaps, are more than the stage keeps for a look on a desktop: 448 MB, and the area of four textures of 4096 pixels."
        "Use fewer or smaller textures, or set [live2d] maxTextureSize.";
    L027 "live2d-over-phone-budget" Advice "The textures, decoded and with their mipmaps, are more than the stage keeps for a look on a phone: 192 MB, and the area of two textures of 4096 pixels."
        "Use fewer or smaller textures if the look is for phones too.";
    L028 "live2d-motion-invalid" ReadRefusal "A .motion3.json is not valid: the counts in its Meta agree with its curves, its segments are whole, its times ascend and end within its Duration."
        "Export the motion from the Cubism Editor again.";
    L029 "live2d-curve-without-target" Advice "A curve of a motion moves a parameter or part that the .moc3 does not have."
        "Nothing to do when the curve is a leftover; else export model and motion together.";
    L030 "live2d-loop-jumps" Advice "A motion that the stage plays in a loop (idle, talkIdle, listen, think) does not end where it starts."
        "Give the first and the last key of each curve the same value.";
    L031 "live2d-motion-unlisted" Advice "The zip holds a motion that the model.json does not list, so it is never played."
        "List it as avatar:<path>, or leave it out of the zip.";
    L032 "live2d-extra-invalid" Advice "An expression, the physics, the pose, the display names or the user data do not fit the model."
        "Export for SDK from the Cubism Editor again.";
    L033 "live2d-angle-missing" StrongAdvice "The model lacks ParamAngleX or ParamAngleY, which turn her head, nod, and shift the picture against the backdrop. PARAM_ANGLE_X, the old spelling, does not count."
        "Rename the parameters of the head in the Cubism Editor, and export model and motions again.";
    L034 "live2d-standard-parameter-missing" Advice "What the face map leaves out is driven by the standard parameters of Cubism, and the model lacks some of them."
        "Name the model's own parameters in the face map.";
    L035 "live2d-head-elsewhere" Advice "Her head was measured by turning ParamAngleX. The stage looks for it in the hit area, which lies elsewhere, or has to measure it too."
        "Add a hit area that covers her head, or framing windows.";
    L036 "live2d-background-drawn" Advice "A drawable of the model covers the whole canvas, so the backdrop of the stage does not show behind her."
        "Hide the background in the Cubism Editor and export again.";
}
