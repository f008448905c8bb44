//! The words of the format's open lists, as the settings give them.

use serde::{Deserialize, Serialize};

/// The words of the lists that the format's document leaves open.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Words {
    /// Cues of motions.
    pub cues: WordList,
    /// Engine behaviours.
    pub behaviours: WordList,
    /// Keys of built-in looks.
    pub looks: WordList,
    /// Voice providers.
    pub voices: WordList,
    /// Slots of a face map.
    pub face: WordList,
}

/// The words of one list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct WordList {
    /// Those that the document names.
    pub known: Vec<String>,
    /// Those that the author found the platform to take.
    pub extra: Vec<String>,
}

impl Words {
    /// As the rules want them.
    pub fn words(&self) -> crate::pack::facts::Words {
        let all = |list: &WordList| list.known.iter().chain(&list.extra).cloned().collect();
        crate::pack::facts::Words {
            cues: all(&self.cues),
            behaviours: all(&self.behaviours),
            looks: all(&self.looks),
            providers: all(&self.voices),
            face_slots: all(&self.face),
        }
    }
}
