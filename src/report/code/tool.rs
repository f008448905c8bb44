//! The catalogue of what the tool itself sees: D documents and containers, S shrinking, X settings and budgets, Y cover masks, Z the tool.

use super::{Code, Kind};

catalogue! {
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
    D015 "reference-negative" Advice "A core glTF index is -1, which glTF does not know; it is kept as it is."
        "Leave the member out instead.";
    D016 "index-past-vertices" StrongAdvice "A primitive names a vertex that it does not have; it is kept as it is, and viewers draw it wrong or not at all."
        "Export the mesh again.";
    D030 "archive-unreadable" ReadRefusal "The file is not a zip archive that can be opened: cut off, split, encrypted, or packed by a method other than deflate."
        "Zip the folder again with an ordinary tool and without a password.";
    D031 "archive-unsafe" Safety "The zip archive holds something that no honest archive has: names that leave its folder, links, two entries of one name, sizes that lie, or hidden data."
        "Unpack it, look at what is in it, and zip the folder again.";

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
    S013 "clip-converted" Advice "A clip with a rig became a VRM animation, as the settings ask; its motion needs no rig any more."
        "Nothing to do.";

    X001 "setting-unknown" ReadRefusal "A key of the settings is not known."
        "See pipeline.toml for all keys.";
    X002 "setting-invalid" ReadRefusal "A value of the settings has the wrong type or is out of range."
        "See pipeline.toml for what is allowed.";

    X003 "pack-over-budget" Safety "The zip has more bytes than the budget allows."
        "See which files are large in the report, or raise budget.pack.";
    X004 "avatar-over-budget" Safety "An avatar or Live2D look has more bytes than the budget allows."
        "See what is large in it with inspect: cap its textures (textures.maxSize), take out morph targets that nothing uses, or raise budget.avatar.";
    X005 "item-over-budget" Safety "The model of an item has more bytes than the budget allows."
        "See what is large in it with inspect: lower items.textureSize, make its mesh simpler, or raise budget.item.";
    X006 "motion-over-budget" Safety "A clip has more bytes than the budget allows."
        "Cut it shorter, let motions.thin take more keys out of it, or raise budget.motion.";
    X007 "triangles-over-budget" Safety "An avatar has more triangles than the budget allows."
        "Reduce its meshes in the authoring tool, or raise budget.triangles.";
    X008 "textures-over-budget" Safety "The textures of a look take more memory on the graphics card than the budget allows, however few bytes they have in the file."
        "Cap them with textures.maxSize (live2d.maxTextureSize for Live2D looks), or raise budget.textures.";
    X009 "morphs-over-budget" Safety "An avatar has more morph targets, or more memory in them, than the budget allows."
        "Take out the morph targets that no expression uses in the authoring tool, or raise budget.morphs.";
    X010 "file-vanished" Advice "A file of the last published pack is not in this one."
        "Nothing to do if it was meant to go.";
    X011 "file-grew" Advice "A file has more bytes than in the last published pack."
        "Nothing to do if it was meant to grow.";

    Y001 "cover-outdated" StrongAdvice "A cover mask that an earlier build embedded does not belong to the geometry beside it; readers leave it out."
        "Build the pack again.";
    Y002 "cover-impossible" StrongAdvice "No cover masks can be worked out: the avatar draws nothing, or over a million triangles."
        "Remove what is not needed from the avatar, or draw each mesh only once.";

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
    Z008 "cache-entry-damaged" Advice "An entry of the build cache did not hold what was once written; it was removed, and the work done again."
        "Nothing to do; when it happens often, look after the disk.";
    Z009 "cache-unusable" Advice "The build cache cannot be used or written to: the work is done, and done again the next time."
        "Give another folder with --cache, make room on the disk, or do without with --no-cache.";
    Z010 "source-changed" StrongAdvice "Files of the pack changed while it was built, so that the result may hold some of before and some of after."
        "Build again.";
    Z011 "arguments-unclear" Safety "The command line cannot be understood, or asks for what does not exist."
        "Run companion-build --help, or give --help after the command.";
}
