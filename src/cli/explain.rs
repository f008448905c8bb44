//! `explain`: what a code means and how to mend it.

use super::table::Table;
use crate::report::code::{Code, Kind, all};
use crate::report::nearest::nearest;
use serde_json::{Value, json};

/// One code in full, or the list; `Err` holds what to say of an unknown code.
///
/// # Errors
/// When no code has this id or name.
pub fn text(word: Option<&str>) -> Result<String, String> {
    match word {
        None => Ok(list()),
        Some(word) => find(word).map(one),
    }
}

/// The same as JSON: a list of objects.
///
/// # Errors
/// When no code has this id or name.
pub fn data(word: Option<&str>) -> Result<Value, String> {
    let codes = match word {
        None => all().collect(),
        Some(word) => vec![find(word)?],
    };
    let object = |code: &&Code| {
        json!({
            "code": code.id, "name": code.name, "severity": code.severity().word(), "canBeLowered": lowered(code.kind),
            "meaning": code.meaning, "remedy": code.remedy,
        })
    };
    Ok(codes.iter().map(object).collect())
}

fn find(word: &str) -> Result<&'static Code, String> {
    crate::report::code::find(word).ok_or_else(|| {
        let near = nearest(word, all().flat_map(|code| [code.id, code.name]));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        format!("there is no code {}{near}", super::human::clean(word))
    })
}

fn one(code: &Code) -> String {
    let settable = match lowered(code.kind) {
        "no" => "The format refuses it: settings cannot lower it.",
        "to warning" => "Settings can lower it to a warning.",
        _ => "Settings can change it or turn it off.",
    };
    format!("{} {}: {}\n\n{}\n\n{}\n\n{settable}\n", code.id, code.name, code.severity().word(), code.meaning, code.remedy)
}

/// How far settings can lower a code.
fn lowered(kind: Kind) -> &'static str {
    match kind {
        Kind::Refusal => "no",
        Kind::ReadRefusal => "to warning",
        Kind::Safety | Kind::MayRefuse | Kind::StrongAdvice | Kind::Advice => "to off",
    }
}

fn list() -> String {
    let mut table = Table::new(["code  name", "severity"]);
    for code in all() {
        table.row([format!("{}  {}", code.id, code.name), code.severity().word().to_owned()]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_one_and_all() {
        let text = super::text(Some("d001")).expect("known");
        assert!(text.starts_with("D001 container-unreadable: error\n"));
        assert_eq!(super::text(Some("container-unreadable")), Ok(text));
        assert_eq!(super::text(None).expect("the list").lines().count(), all().count() + 1);
        assert_eq!(super::text(Some("D0001")), Err("there is no code D0001; did you mean D001?".into()));
        assert_eq!(data(Some("S003")).expect("known")[0]["canBeLowered"], "to off");
    }
}
