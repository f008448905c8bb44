//! The catalogue of items and characters: I, W, H, V and B.

use super::{Code, Kind};

catalogue! {
    I001 "item-key-unknown" ReadRefusal "An item.json holds name, description, model, thumbnail and attach, nothing else."
        "Correct or remove the key.";
    I002 "item-name-invalid" ReadRefusal "An item has a name of 1 to 100 characters."
        "Write a name.";
    I003 "item-description-too-long" ReadRefusal "The description of an item has at most 300 characters."
        "Shorten it.";
    I004 "item-model-invalid" ReadRefusal "An item names its model, a .glb in the item's folder."
        "Add \"model\": \"<file>.glb\" to item.json.";
    I005 "item-model-too-large" Refusal "The model of an item is at most 3 MB."
        "Shrink it and cap its textures.";
    I006 "item-without-mesh" ReadRefusal "The model of an item has at least one mesh."
        "Export the item again, with its mesh.";
    I007 "item-texture-too-large" ReadRefusal "A texture of an item has at most 2048 pixels on its longest side. The build scales it down."
        "Scale the texture down.";
    I008 "item-data-external" ReadRefusal "A buffer or picture of an item is embedded in its GLB."
        "Export it as one GLB with everything embedded.";
    I009 "item-texture-kind" ReadRefusal "A texture of an item is a PNG, JPEG or WebP."
        "Export it with PNG or JPEG textures.";
    I010 "item-not-rigid" MayRefuse "Items are rigid: skins and animations in them are ignored, and the platform may refuse them."
        "Export it without skin and animation, or set items.stripAnimations.";
    I011 "item-pixels-too-many" MayRefuse "She can wear 16 million texture pixels at once; an item over that can never be held."
        "Scale its textures down.";
    I012 "item-thumbnail-invalid" ReadRefusal "The thumbnail of an item is a PNG, JPEG or WebP picture of at most 2 MB."
        "Save a smaller picture in one of these formats.";
    I013 "attach-invalid" ReadRefusal "An item has an attach with bone, position, rotation and scale, and nothing else."
        "Write \"attach\": { \"bone\": \"...\", \"position\": [0, 0, 0], \"rotation\": [0, 0, 0] }.";
    I014 "attach-bone-unknown" ReadRefusal "An item sits on one of the 15 humanoid bones."
        "Write one of the 15.";
    I015 "attach-position-invalid" ReadRefusal "position is 3 numbers in metres, each within -2 to 2."
        "Write [x, y, z].";
    I016 "attach-rotation-invalid" ReadRefusal "rotation is 3 numbers in degrees, each within -360 to 360."
        "Write [x, y, z].";
    I017 "attach-scale-out-of-range" ReadRefusal "scale is within 0.01 to 100."
        "Write a factor; 1 is as modelled.";
    I018 "item-key-none" StrongAdvice "[hold:none] takes every item off, so an item with the key none can never be held."
        "Rename the folder.";
    I019 "item-key-ambiguous" Advice "When two packs share an item's key, its tag is the key and the plugin's name; this key looks like such a long form."
        "Rename one of the two.";
    I020 "item-size-odd" Advice "An item is 1 cm to 1.5 m large on the reference body, and near its bone."
        "Check scale, position and the unit of the model.";
    I021 "item-origin-far" Advice "The origin of an item lies in or near its mesh: it is what position and rotation turn about."
        "Move the origin in the modelling tool.";

    W001 "items-over-budget" Advice "At most 8 items, 12 MB of models and 16 million texture pixels are worn at once, one on each bone; this pack's items ask for more together."
        "Nothing to do: what would break the budget is refused when it is worn.";
    W002 "items-share-bone" Advice "Wearing a second item on the same bone replaces the first."
        "Nothing to do, when that is meant.";

    H001 "character-key-unknown" Refusal "A character.json has a key that the format does not know; the file is read strictly."
        "Correct or remove the key.";
    H002 "character-key-old" Refusal "model and motions are gone from character.json: a character names its look, and the motions live in the look."
        "Use \"look\", and put motions into the model.json.";
    H003 "temperament-moved" Refusal "A top-level temperament is refused: it moved inside behaviour."
        "Write \"behaviour\": { \"temperament\": { ... } }.";
    H004 "character-name-invalid" ReadRefusal "A character has a name of 1 to 100 characters."
        "Write a name.";
    H005 "vibe-invalid" ReadRefusal "A character has a vibe of 1 to 120 characters: the one line on the gallery card."
        "Write one line.";
    H006 "soul-invalid" ReadRefusal "A character has a soul of 1 to 8,000 characters."
        "Write the persona to suggest.";
    H007 "instructions-invalid" ReadRefusal "A character has instructions of 1 to 8,000 characters."
        "Write the operating instructions to suggest.";
    H008 "look-invalid" ReadRefusal "A character has exactly one look: the key of a model of this package, or { \"builtIn\": \"<key>\" }."
        "Write \"look\": \"<key>\".";
    H009 "look-unknown" ReadRefusal "A character's look is the key of a model in this pack."
        "Write the name of one of the folders in companion-models, or { \"builtIn\": \"<key>\" }.";
    H010 "built-in-look-invalid" ReadRefusal "builtIn is the key of a built-in look. Which there are is not known to this tool."
        "Write the key of a built-in look.";
    H011 "fillers-too-many" ReadRefusal "A character has at most 20 fillers."
        "Remove some.";
    H012 "filler-incomplete" Refusal "A filler holds key, text and purpose: all three, and nothing else."
        "Write { \"key\": \"hmm\", \"text\": \"Hmm.\", \"purpose\": \"thinking\" }.";
    H013 "filler-key-invalid" ReadRefusal "The key of a filler is 1 to 40 characters out of a-z, 0-9 and the hyphen, unique in the character."
        "Write another key.";
    H014 "filler-text-invalid" ReadRefusal "The text of a filler has 1 to 120 characters."
        "Shorten it.";
    H015 "filler-purpose-unknown" ReadRefusal "The purpose of a filler is thinking or amused."
        "Write one of the two.";
    H016 "filler-tells-too-much" Advice "A thinking line is said before she knows the answer: keep it to a sound."
        "Write something like \"Hmm.\".";
    H017 "character-thumbnail-invalid" ReadRefusal "The thumbnail of a character is a PNG, JPEG or WebP picture of at most 2 MB."
        "Save a smaller picture in one of these formats.";
    H019 "pacing-without-effect" Advice "A Live2D look never paces, so tuning its pacing has no effect."
        "Remove it.";
    H020 "tag-without-target" Advice "The texts of a character mention a tag for an outfit, item or walk that is not there; such a tag is ignored."
        "Correct the tag, or add what it names.";

    V001 "voice-key-unknown" Refusal "A voice holds description and suggestions, nothing else."
        "Correct or remove the key.";
    V002 "voice-description-too-long" ReadRefusal "The description of a voice has at most 300 characters."
        "Shorten it.";
    V003 "voice-suggestions-too-many" ReadRefusal "A character suggests at most 8 voices."
        "Remove some.";
    V004 "voice-provider-duplicate" ReadRefusal "A character suggests one voice for each provider."
        "Remove one of the two.";
    V005 "voice-suggestion-key-unknown" Refusal "A suggestion holds provider, voiceId, voiceName and models, nothing else."
        "Correct or remove the key.";
    V006 "voice-provider-unknown" ReadRefusal "The provider of a voice is elevenlabs, fish-audio, deepgram, openai-compatible, or the kindId of a plugin's provider."
        "Write one of these.";
    V007 "voice-id-invalid" ReadRefusal "A suggestion has a voiceId of 1 to 128 characters."
        "Write the provider's id of the voice.";
    V008 "voice-name-too-long" ReadRefusal "A voiceName has at most 100 characters."
        "Shorten it.";
    V009 "voice-models-invalid" ReadRefusal "A suggestion has at most 8 models, each of 1 to 200 characters."
        "Remove or correct some.";
    V010 "voice-models-missing" Advice "For openai-compatible and plugin providers a voice belongs to certain models; without them the suggestion never applies."
        "Add \"models\", preferred first.";

    B001 "behaviour-key-unknown" Refusal "behaviour holds temperament, behaviours, wordReactions and toolActivity; an unknown key anywhere in it refuses the publish."
        "Correct or remove the key.";
    B002 "temperament-key-unknown" Refusal "temperament holds energy, eyeContact, gestureRate, blinkRate and expressiveness, nothing else."
        "Correct or remove the key.";
    B003 "temperament-out-of-range" ReadRefusal "Every number of temperament is within 0.5 to 1.5."
        "Write a number from 0.5 to 1.5; 1 is usual.";
    B004 "engine-behaviour-invalid" ReadRefusal "An engine behaviour is { \"enabled\": false } or { \"strength\": 0.5 to 1.5 }: exactly one of the two."
        "Write one of the two forms.";
    B005 "engine-behaviour-unknown" MayRefuse "An engine behaviour is not among those known to this tool; the platform may refuse it."
        "If the platform takes it, add it to [behaviours] extra in pipeline.toml.";
    B006 "word-reaction-unknown" Refusal "A phrase makes her smile, browRaise, glance or soften."
        "Write one of the four as \"reaction\".";
    B007 "tool-reaction-unknown" Refusal "A tool makes her do reading, glanceAside or aha."
        "Write one of the three as \"reaction\".";
    B008 "tool-name-invalid" Refusal "A tool is builtin:<id>, tool:<capability key>, agent.delegated or agent.reported."
        "Write one of these forms.";
    B009 "tool-missing" ReadRefusal "tool:<key> names a tool of the same package."
        "Correct the key, or check that the tool ships in the same package.";
    B010 "behaviour-rules-too-many" ReadRefusal "A character has at most 30 rules for words and tools."
        "Join rules that have the same reaction.";
    B011 "behaviour-entries-too-many" ReadRefusal "A rule has at most 20 phrases or tools."
        "Split the rule in two.";
    B012 "phrase-invalid" ReadRefusal "A phrase has 1 to 40 characters."
        "Shorten it.";
    B013 "words-not-translated" Advice "The default lists of words are English; a character that speaks another language needs its own."
        "Add wordReactions in that language.";
}
