//! Characters.

use super::{Facts, Pack};
use crate::report::nearest::nearest;
use crate::report::{Finding, Report, code};
use crate::spelling;

/// H009.
pub(super) fn check(pack: &Pack, _: &Facts, report: &mut Report) {
    let looks: Vec<&str> = pack.models().map(|model| model.key.as_str()).collect();
    for character in pack.characters() {
        let look = character.root.as_ref().and_then(|root| root.get("look"));
        if let Some(node) = look
            && let Some(key) = node.as_str().filter(|key| !looks.contains(key))
        {
            let message = format!("there is no look \"{key}\"; the pack has: {}", spelling::list(looks.iter().copied(), 10));
            let hint = nearest(key, looks.iter().copied()).map_or_else(|| code::H009.remedy.into(), |near| format!("Write \"{near}\"."));
            report.add(Finding::new(&code::H009, character.place(node), message).hint(hint));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check;

    #[test]
    fn a_look_is_a_model_of_the_pack() {
        let look = |look: &str| check(&[("companion-characters/fox/character.json", format!("{{ \"look\": {look} }}").as_bytes())]);
        assert_eq!(look("\"fox-model\""), Vec::<String>::new());
        assert_eq!(look("{ \"builtIn\": \"aria\" }"), Vec::<String>::new());
        assert_eq!(look("\"fox\""), ["H009 error companion-characters/fox/character.json#/look"]);
    }
}
