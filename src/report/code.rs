//! The catalogue: every code a finding can have, with its severity and what `explain` says of it.
//!
//! P, M, G, O, K, F, N, C, R, A, L, I, W, H, V and B are rules of the format; D is the document and its container,
//! S shrinking, T motion, X settings and budgets, Z the tool itself. A code is never reused.

/// How loud a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The pack would be refused, or the file cannot be used.
    Error,
    /// The author should look at it.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// Why a rule exists, which decides how far the settings may change its severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The format says in so many words that the publish refuses it: never lowered.
    Refusal,
    /// The format states the limit and refusal is its natural reading: may be lowered to a warning.
    ReadRefusal,
    /// A bound of this tool's own: free.
    Safety,
    /// The platform may refuse it: free.
    MayRefuse,
    /// Advice whose neglect shows on the stage: free, a warning by default.
    StrongAdvice,
    /// Nothing refuses it: free, a note by default.
    Advice,
}

/// One entry of the catalogue.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// A letter for the area and three digits.
    pub id: &'static str,
    /// The slug, thing first, problem last.
    pub name: &'static str,
    /// Why the rule exists.
    pub kind: Kind,
    /// What it means, in one or two sentences.
    pub meaning: &'static str,
    /// How to mend it.
    pub remedy: &'static str,
}

impl Code {
    /// The severity when no setting changes it.
    pub fn severity(&self) -> Severity {
        match self.kind {
            Kind::Refusal | Kind::ReadRefusal | Kind::Safety => Severity::Error,
            Kind::MayRefuse | Kind::StrongAdvice => Severity::Warning,
            Kind::Advice => Severity::Note,
        }
    }
}

macro_rules! catalogue {
    ($($id:ident $name:literal $kind:ident $meaning:literal $remedy:literal;)*) => {
        $(#[doc = $meaning] pub static $id: Code = Code { id: stringify!($id), name: $name, kind: Kind::$kind, meaning: $meaning, remedy: $remedy };)*
        /// Every code, in the order of the catalogue.
        pub static CODES: &[&Code] = &[$(&$id),*];
    };
}

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
    M015 "manifest-too-large" Refusal "A model.json, parsed and written without spaces, is at most 64 KB."
        "Shorten descriptions and drop motions or outfits that are not needed.";

    O007 "outfit-mesh-misspelled" Refusal "An outfit names its meshes by the names of their nodes, as three.js spells them."
        "Write the name as the message gives it.";
    O014 "outfit-shape-mesh-misspelled" ReadRefusal "A shape of an outfit names its mesh by the name of its node, as three.js spells it."
        "Write the name as the message gives it.";
    K006 "cloth-bone-misspelled" Refusal "A chain of cloth is named by its root bone, as three.js spells it."
        "Write the name as the message gives it.";
    F003 "jaw-bone-misspelled" Refusal "The jaw bone is named as three.js spells it."
        "Write the name as the message gives it.";
    F002 "face-parameter-unknown" Refusal "The face map of a Live2D look names a parameter that the .moc3 does not have."
        "Write the id of a parameter of the model.";
    F011 "face-parameter-range-odd" Advice "A parameter of the face does not reach the values that the stage gives it: a mouth opens to 1, an eye goes from 0 to 1."
        "Change the range of the parameter in the Cubism Editor.";
    N001 "role-missing" Refusal "A model has at least one motion with the role idle, one with talkIdle and one with gesture."
        "Add a motion with the missing role, or add the role to a motion: one motion can have two.";
    N008 "motion-id-unknown" Refusal "The id of a motion is file: and the path of a clip in the model's folder, or avatar: and the name of an animation inside the avatar. library: ids are refused."
        "Put the clip into the model's folder and name it with file:.";
    N010 "clip-kind-unknown" ReadRefusal "A clip file is a .vrma, a .glb or an .fbx."
        "Export the motion in one of these formats.";
    N011 "clip-too-large" Refusal "A clip file is at most 32 MB."
        "Export the clip without mesh and textures, or as .vrma.";
    N014 "live2d-motion-unknown" ReadRefusal "The id of a motion of a Live2D look is avatar: and the path of a .motion3.json inside the zip, without the model's own folder."
        "Write the path of a motion in the zip.";

    R005 "rig-bone-misspelled" Refusal "A bone map names the nodes of its file as three.js spells them."
        "Write the name as the message gives it.";
    A001 "avatar-not-vrm" ReadRefusal "An avatar that ends in .vrm is a GLB with VRM 0.x or VRM 1.0 data."
        "Export it as VRM, or name it .glb and give the look a rig.";
    A002 "humanoid-bone-missing" ReadRefusal "A VRM avatar maps the fifteen humanoid bones that the format asks for."
        "Map the bone in the authoring tool and export again.";
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
    I004 "item-model-invalid" ReadRefusal "An item names its model, a .glb in the item's folder."
        "Add \"model\": \"<file>.glb\" to item.json.";
    I005 "item-model-too-large" Refusal "The model of an item is at most 3 MB."
        "Shrink it and cap its textures.";
    I012 "item-thumbnail-invalid" ReadRefusal "The thumbnail of an item is a PNG, JPEG or WebP picture of at most 2 MB."
        "Save a smaller picture in one of these formats.";

    H009 "look-unknown" ReadRefusal "A character's look is the key of a model in this pack."
        "Write the name of one of the folders in companion-models, or { \"builtIn\": \"<key>\" }.";
    H017 "character-thumbnail-invalid" ReadRefusal "The thumbnail of a character is a PNG, JPEG or WebP picture of at most 2 MB."
        "Save a smaller picture in one of these formats.";

    D001 "container-unreadable" ReadRefusal "The file is not a GLB or glTF that can be opened: wrong magic, version, lengths, or a chunk that is missing or cut off."
        "Export the file again, or copy it again if it was cut off on the way.";
    D002 "container-odd" Advice "The GLB is not written as the specification asks, but every reader opens it; it is written properly when it ships."
        "Nothing to do; tell the exporter's authors if it annoys you.";
    D003 "json-invalid" ReadRefusal "The JSON of the file is not valid UTF-8 JSON with an object at its root, or is nested too deep."
        "Export the file again.";
    D004 "structure-wrong-type" ReadRefusal "A member of the glTF document has a type that the specification does not allow, so that its meaning is lost."
        "Export the file again with another exporter or version.";
    D005 "reference-out-of-range" ReadRefusal "An index points past the end of the list that it refers to."
        "Export the file again; if a tool removed objects from the file, it left this reference behind.";
    D006 "accessor-out-of-bounds" ReadRefusal "An accessor or buffer view reaches past the end of its bytes, or has a layout that the specification forbids."
        "Export the file again.";
    D007 "node-tree-cyclic" ReadRefusal "A node is its own ancestor or has two parents; the node hierarchy must be a set of trees."
        "Mend the hierarchy in the authoring tool and export again.";
    D008 "external-file" ReadRefusal "A buffer or image lies outside the file."
        "Export as GLB with everything embedded.";
    D009 "compression-unsupported" ReadRefusal "The geometry is compressed in a way that this tool does not decode."
        "Export without this compression; the shrink adds its own.";
    D010 "size-hostile" Safety "The file claims sizes that no honest avatar has: more memory than its bytes can account for."
        "Export the file again; do not use it if you do not know where it comes from.";
    D011 "compressed-data-damaged" ReadRefusal "Compressed geometry in the file does not decode."
        "Export the file again.";
    D012 "extension-not-object" ReadRefusal "An extension of the file is not a JSON object, so that nothing of it can be read or kept."
        "Export the file again.";
    D013 "vrm-reference-dangling" StrongAdvice "The VRM data of the file points at something that does not exist; it is kept as it is, and viewers ignore it or fail."
        "Mend the reference in the authoring tool.";
    D014 "accessor-not-finite" StrongAdvice "Vertex data holds NaN or infinite numbers; the primitive is kept as it is."
        "Clean up the mesh in the authoring tool.";
    D030 "archive-unreadable" ReadRefusal "The file is not a zip archive that can be opened: cut off, split, encrypted, or packed by a method other than deflate."
        "Zip the folder again with an ordinary tool and without a password.";
    D031 "archive-unsafe" Safety "The zip archive holds something that no honest archive has: names that leave its folder, links, two entries of one name, sizes that lie, or hidden data."
        "Unpack it, look at what is in it, and zip the folder again.";

    D015 "reference-negative" Advice "A core glTF index is -1, which glTF does not know; it is kept as it is."
        "Leave the member out instead.";

    D016 "index-past-vertices" StrongAdvice "A primitive names a vertex that it does not have; it is kept as it is, and viewers draw it wrong or not at all."
        "Export the mesh again.";

    S001 "extension-unknown" StrongAdvice "The file has an extension that this tool does not know and that may hold indices, so nothing in the file is renumbered or removed."
        "If the extension is not needed, remove it and shrink again: the file becomes smaller.";
    S002 "picture-unreadable" StrongAdvice "A picture does not decode; it is kept as it is."
        "Replace the picture; most viewers will show nothing in its place.";
    S003 "picture-animated" Advice "The picture is animated; a texture shows its first frame only."
        "Replace it with a still picture.";
    S004 "output-not-smaller" Advice "The file cannot be made smaller, so it ships as it is."
        "Nothing to do.";
    S005 "picture-type-wrong" Advice "The MIME type of a picture is not what its bytes are; it is corrected."
        "Nothing to do.";
    S006 "primitive-kept" Advice "A primitive cannot be rewritten safely and is kept as it is."
        "See the reason given.";
    S007 "picture-too-large" StrongAdvice "The picture has more pixels than this tool opens."
        "Scale it down to at most 16384 pixels a side.";
    S008 "node-renamed" Advice "A node was given the name by which three.js knows it."
        "Nothing to do: manifests that use either spelling work.";
    S009 "node-name-ambiguous" StrongAdvice "three.js gives two nodes the same name; one of them was given another name so that a manifest can tell them apart."
        "Give the nodes different names in the authoring tool.";
    S010 "scene-renamed" Advice "A scene, camera or light had the name of a node and was renamed, so that the node keeps its own."
        "Nothing to do.";
    S011 "picture-not-fitting" StrongAdvice "A thumbnail or background cannot be brought under the limit at a good quality."
        "Make a smaller or simpler picture.";
    S012 "picture-scaled" Advice "Pictures had more pixels on a side than the settings, the command or the format allow; they were scaled down."
        "Nothing to do.";

    X001 "setting-unknown" ReadRefusal "A key of the settings is not known."
        "See pipeline.toml for all keys.";
    X002 "setting-invalid" ReadRefusal "A value of the settings has the wrong type or is out of range."
        "See pipeline.toml for what is allowed.";

    Z001 "tool-bug" Safety "The tool failed while it worked on this file. The other files were done."
        "Report it with the file's name and this message.";
    Z002 "file-unreadable" Safety "The file or folder cannot be read."
        "Check that it exists and that you may read it.";
    Z003 "file-unwritable" Safety "The result cannot be written."
        "Check that the folder exists, that you may write there, and that the disk is not full.";
    Z004 "source-overwritten" Safety "The result would take the place of the file that it is made from."
        "Give another name or folder for the result.";
    Z005 "kind-not-inspected" Advice "Files of this kind are recognised, but what is in them is not told yet: kind and size only."
        "Nothing to do.";
    Z006 "zip-outdated" StrongAdvice "The pack has errors, so no zip was written; the zip that lies there is of an earlier build."
        "Mend the errors and build again, or delete the old zip.";
    Z007 "output-name-duplicate" Safety "Two packs of one run have folders of the same name, so their zips would have one name."
        "Build them into different folders, with -o.";
}

/// The code with this id (`M005`) or name (`avatar-too-large`).
pub fn find(word: &str) -> Option<&'static Code> {
    CODES.iter().copied().find(|c| c.id.eq_ignore_ascii_case(word) || c.name == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_and_names_are_unique_and_well_formed() {
        let ids: BTreeSet<_> = CODES.iter().map(|c| c.id).collect();
        let names: BTreeSet<_> = CODES.iter().map(|c| c.name).collect();
        assert_eq!((ids.len(), names.len()), (CODES.len(), CODES.len()));
        for c in CODES {
            assert!(c.id.len() == 4 && c.id[1..].bytes().all(|b| b.is_ascii_digit()), "{}", c.id);
            assert!(c.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{}", c.name);
            assert!(!c.meaning.is_empty() && !c.remedy.is_empty(), "{}", c.id);
        }
    }
}
