//! What the author chose: the defaults, a `pipeline.toml` in the pack's folder, `--settings` and `--set`, one over the other.

use super::bounds::{problem, same_shape, shape};
use super::severity::{Level, Levels, refused};
use super::words::Words;
use crate::pack::budget::Budget;
use crate::report::{Finding, Place, Report, code, locate, nearest::nearest};
use crate::shrink::settings as shrink;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

/// The defaults, as the file of that name at the root of the sources.
pub const DEFAULTS: &str = include_str!("../../pipeline.toml");

/// All settings of a run, each as the last layer that names it says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Settings {
    /// What the shrink needs to know.
    pub shrink: shrink::Settings,
    /// What belongs to a pack.
    pub pack: Pack,
    /// Thumbnails and backgrounds.
    pub pictures: Pictures,
    /// What is done to items.
    pub items: Items,
    /// What is done to Live2D looks.
    pub live2d: Live2d,
    /// The words of the format's open lists.
    pub words: Words,
    /// Which triangles an outfit hides.
    pub cover: Cover,
    /// What is embedded in avatars.
    pub precompute: Precompute,
    /// What packs and looks may cost.
    pub budget: Budget,
    /// Changed severities.
    pub severity: Levels,
    /// How much is done at once.
    pub run: Run,
}

/// What belongs to a pack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Pack {
    /// Patterns of what lies in the folder and never ships.
    pub ignore: Vec<String>,
}

/// How a thumbnail or background over the limit is encoded again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Pictures {
    /// A picture over so many bytes is encoded again.
    pub max_bytes: u64,
    /// The first quality that is tried, to 100.
    pub quality: u8,
    /// How far down each further try goes.
    pub quality_step: u8,
    /// Below this quality the picture is scaled down instead.
    pub quality_floor: u8,
}

/// What is done to items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Items {
    /// Longest side of an item's textures, in pixels.
    pub texture_size: u32,
    /// Take out animations, and skins where nothing changes by it.
    pub strip_animations: bool,
}

/// What is done to Live2D looks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Live2d {
    /// Pack the zip anew, without loss.
    pub repack: bool,
    /// How much is tried to make a texture smaller, 0 to 6.
    pub effort: u8,
    /// Longest side of a texture in pixels; 0 = no cap.
    pub max_texture_size: u32,
}

/// Which triangles an outfit hides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Cover {
    /// Work it out in a build.
    pub enabled: bool,
    /// The border that stays around what is seen, a fraction of the body's height.
    pub margin: f64,
}

/// What is embedded in avatars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Precompute {
    /// Embed body height, walks and cover masks in the avatars of a build.
    pub embed: bool,
}

/// How much is done at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Run {
    /// Decoded pixels alive at once, over all threads.
    pub picture_pixels: u64,
    /// The most bytes of the build cache.
    pub cache_bytes: u64,
}

/// One file of settings: how a finding names it, and its text.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// The file's name, for findings.
    pub name: &'a str,
    /// Its whole text, TOML.
    pub text: &'a str,
}

impl Settings {
    /// Changes the severities of a report's findings as the settings say; with `strict`, warnings become errors.
    pub fn apply_severities(&self, strict: bool, report: &mut Report) {
        super::severity::apply(&self.severity, strict, report);
    }
}

impl Default for Settings {
    fn default() -> Self {
        let (settings, report) = load(&[], &[]);
        assert!(report.findings.is_empty(), "the compiled-in defaults: {:?}", report.findings);
        settings
    }
}

/// Lays the files and then the `KEY=VALUE` texts over the defaults, later over earlier.
///
/// What is unknown (X001) or not allowed (X002) is reported with its place and otherwise ignored, so the settings are always whole.
pub fn load(layers: &[Layer], sets: &[String]) -> (Settings, Report) {
    let defaults: Table = DEFAULTS.parse().expect("pipeline.toml is TOML");
    let mut loader = Loader { values: defaults.clone(), defaults, report: Report::default() };
    for layer in layers {
        loader.layer(layer);
    }
    for set in sets {
        loader.set(set);
    }
    (loader.settings(), loader.report)
}

/// A piece of TOML that is being read: its name for findings, and the text that its spans count in.
struct Source<'a> {
    name: &'a str,
    text: &'a str,
    /// False for `--set`, whose spans mean nothing to its author.
    is_file: bool,
}

impl Source<'_> {
    fn place(&self, path: &[&str], span: &Range<usize>) -> Place {
        let pointer: String = path.iter().map(|step| format!("/{}", locate::escape(step))).collect();
        let place = Place::file(self.name).at(pointer);
        if !self.is_file {
            return place;
        }
        let (line, column) = locate::line_column(self.text, span.start);
        place.line_column(line, column)
    }
}

struct Loader {
    defaults: Table,
    values: Table,
    report: Report,
}

impl Loader {
    fn layer(&mut self, layer: &Layer) {
        let source = Source { name: layer.name, text: layer.text, is_file: true };
        let (table, errors) = DeTable::parse_recoverable(layer.text);
        for error in &errors {
            let place = source.place(&[], &error.span().unwrap_or(0..0));
            let message = error.message().replace('\n', ", ");
            self.report.add(Finding::new(&code::X002, place, format!("not valid TOML: {message}")));
        }
        // What can be made of a broken file would be a guess.
        if errors.is_empty() {
            self.table(&source, &[], table.get_ref());
        }
    }

    /// `textures.quality=85`; what is no TOML value, or not of the wanted type, is taken as a text.
    fn set(&mut self, set: &str) {
        let name = format!("--set {set}");
        let source = Source { name: &name, text: set, is_file: false };
        let Some((key, text)) = set.split_once('=').map(|(key, text)| (key.trim(), text.trim())) else {
            let finding = Finding::new(&code::X002, source.place(&[], &(0..0)), format!("\"{set}\" is not KEY=VALUE"));
            self.report.add(finding.hint("Write it as in --set textures.quality=85."));
            return;
        };
        let path: Vec<&str> = key.split('.').map(str::trim).collect();
        let wants_text = matches!(self.known(&path), Some(Value::String(_))) || path[0] == "severity";
        let text_value = || Spanned::new(0..0, DeValue::String(text.into()));
        let value = match DeValue::parse(text) {
            Ok(value) if value.get_ref().is_str() || !wants_text => value,
            _ => text_value(),
        };
        self.entry(&source, &path, &(0..0), &value);
    }

    fn table(&mut self, source: &Source, path: &[&str], table: &DeTable) {
        for (key, value) in table.iter() {
            let mut path = path.to_vec();
            path.push(key.get_ref());
            self.entry(source, &path, &key.span(), value);
        }
    }

    fn entry(&mut self, source: &Source, path: &[&str], key: &Range<usize>, value: &Spanned<DeValue>) {
        if let ["severity", code] = path {
            return self.severity(source, path, code, key, value);
        }
        let dotted = path.join(".");
        let Some(known) = self.known(path).cloned() else {
            return self.unknown(source, path, key);
        };
        if let (Value::Table(_), DeValue::Table(table)) = (&known, value.get_ref()) {
            return self.table(source, path, table);
        }
        let found = plain(value.get_ref()).map(|found| match (&known, found) {
            // A size that was written as a plain number.
            (Value::String(_), Value::Integer(number)) if path[0] == "budget" => Value::String(number.to_string()),
            (_, found) => found,
        });
        let problem = match found {
            Some(found) if same_shape(&known, &found) => match problem(&dotted, &found) {
                None => return self.put(path, found),
                Some(problem) => format!("{dotted} {problem}"),
            },
            _ => format!("{dotted} wants {}, found {}", shape(&known), found.as_ref().map_or("a date", shape)),
        };
        let default = match &known {
            Value::Table(_) => String::new(),
            value => format!("The default is {value}."),
        };
        self.report.add(Finding::new(&code::X002, source.place(path, &value.span()), problem).hint(default));
    }

    fn unknown(&mut self, source: &Source, path: &[&str], key: &Range<usize>) {
        let dotted = path.join(".");
        let (last, parents) = path.split_last().unwrap_or((&"", &[]));
        let beside = if parents.is_empty() { Some(&self.defaults) } else { self.known(parents).and_then(Value::as_table) };
        let near = beside
            .and_then(|table| nearest(last, table.keys().map(String::as_str)))
            .map(|near| parents.iter().copied().chain([near]).collect::<Vec<_>>().join("."))
            // The right word in the wrong section.
            .or_else(|| nearest_anywhere(&self.defaults, &dotted, last));
        let hint = near.map_or_else(|| code::X001.remedy.to_owned(), |near| format!("Did you mean {near}?"));
        self.report.add(Finding::new(&code::X001, source.place(path, key), format!("unknown setting {dotted}")).hint(hint));
    }

    fn severity(&mut self, source: &Source, path: &[&str], word: &str, key: &Range<usize>, value: &Spanned<DeValue>) {
        let Some(found) = code::find(word) else {
            let words = code::all().flat_map(|code| [code.id, code.name]);
            let hint = nearest(word, words)
                .map_or_else(|| "companion-build explain lists all codes.".to_owned(), |near| format!("Did you mean {near}?"));
            let message = format!("there is no code {word}");
            return self.report.add(Finding::new(&code::X001, source.place(path, key), message).hint(hint));
        };
        let place = source.place(path, &value.span());
        let level = value.get_ref().as_str().and_then(Level::parse);
        let Some(level) = level else {
            let message = format!("the severity of {} is none of \"error\", \"warning\", \"note\" and \"off\"", found.id);
            return self.report.add(Finding::new(&code::X002, place, message));
        };
        if let Some(why) = refused(found, level) {
            let message = format!("{} ({}) {why}", found.id, found.name);
            return self.report.add(Finding::new(&code::X002, place, message).hint("Mend what it reports."));
        }
        let level = Value::try_from(level).unwrap_or_else(|_| Value::String("error".into()));
        self.put(&["severity", found.id], level);
    }

    /// The default that a path leads to.
    fn known(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.defaults.get(*first)?, |value, step| value.as_table()?.get(*step))
    }

    fn put(&mut self, path: &[&str], value: Value) {
        let Some((last, parents)) = path.split_last() else { return };
        let mut table = &mut self.values;
        for step in parents {
            let next = table.entry(*step).or_insert_with(|| Value::Table(Table::new()));
            let Value::Table(next) = next else { return };
            table = next;
        }
        table.insert((*last).to_owned(), value);
    }

    /// The values as types; every one of them was checked on its way in.
    fn settings(&self) -> Settings {
        let mut values = self.values.clone();
        let own = [
            "pack",
            "pictures",
            "items",
            "live2d",
            "cues",
            "behaviours",
            "looks",
            "voices",
            "face",
            "cover",
            "precompute",
            "budget",
            "severity",
            "run",
        ];
        let mut own: BTreeMap<_, _> = own.into_iter().filter_map(|key| values.remove_entry(key)).collect();
        Settings {
            shrink: typed(Value::Table(values)),
            pack: section(&mut own, "pack"),
            pictures: section(&mut own, "pictures"),
            items: section(&mut own, "items"),
            live2d: section(&mut own, "live2d"),
            words: Words {
                cues: section(&mut own, "cues"),
                behaviours: section(&mut own, "behaviours"),
                looks: section(&mut own, "looks"),
                voices: section(&mut own, "voices"),
                face: section(&mut own, "face"),
            },
            cover: section(&mut own, "cover"),
            precompute: section(&mut own, "precompute"),
            budget: section(&mut own, "budget"),
            severity: section(&mut own, "severity"),
            run: section(&mut own, "run"),
        }
    }
}

fn section<T: for<'de> Deserialize<'de>>(sections: &mut BTreeMap<String, Value>, key: &str) -> T {
    typed(sections.remove(key).unwrap_or_else(|| Value::Table(Table::new())))
}

fn typed<T: for<'de> Deserialize<'de>>(value: Value) -> T {
    value.try_into().expect("every setting was checked against the defaults and their bounds")
}

/// The value without its spans; `None` for dates, which no setting has.
fn plain(value: &DeValue) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).map_or_else(
            // Too long for 64 bits: out of every range, with its sign.
            |_| Value::Float(if number.as_str().starts_with('-') { f64::MIN } else { f64::MAX }),
            Value::Integer,
        ),
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| plain(item.get_ref())).collect::<Option<_>>()?),
        DeValue::Table(_) => Value::Table(Table::new()),
        DeValue::Datetime(_) => return None,
    })
}

/// The key of any section that ends as the misspelt one does, or nearly.
fn nearest_anywhere(defaults: &Table, dotted: &str, last: &str) -> Option<String> {
    let keys: Vec<(&str, &str)> = defaults
        .iter()
        .flat_map(|(section, value)| value.as_table().into_iter().flat_map(|t| t.keys()).map(|key| (section.as_str(), key.as_str())))
        .collect();
    let same: Vec<String> = keys.iter().filter(|(_, key)| *key == last).map(|(section, key)| format!("{section}.{key}")).collect();
    (!same.is_empty()).then(|| same.join(" or ")).or_else(|| {
        let whole: Vec<String> = keys.iter().map(|(section, key)| format!("{section}.{key}")).collect();
        nearest(dotted, whole.iter().map(String::as_str)).map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::super::bounds::ALLOWED;
    use super::*;
    use crate::shrink::settings::{Filter, Target};

    fn file(text: &str) -> (Settings, Report) {
        load(&[Layer { name: "pipeline.toml", text }], &[])
    }

    fn set(text: &str) -> (Settings, Report) {
        load(&[], &[text.to_owned()])
    }

    /// The only finding, as `code line:column message | hint`.
    fn only(report: &Report) -> String {
        assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
        let f = &report.findings[0];
        format!("{} {}:{} {} | {}", f.code.id, f.place.line, f.place.column, f.message, f.hint)
    }

    #[test]
    fn the_defaults_are_the_file() {
        let settings = Settings::default();
        assert_eq!(settings.shrink.target, Target::Stage);
        assert_eq!(settings.shrink.geometry.filter, Filter::Exponential);
        assert_eq!(settings.shrink.textures.quality, 80);
        assert_eq!(settings.shrink.geometry.position_error, 0.00003);
        assert_eq!(settings.shrink.limits.mega, 1 << 20);
        assert!(settings.pack.ignore.contains(&"*.blend".to_owned()));
        assert!(settings.severity.is_empty());
    }

    #[test]
    fn every_setting_that_is_no_switch_has_bounds_and_a_comment() {
        let defaults: Table = DEFAULTS.parse().expect("TOML");
        let mut keys = vec!["target".to_owned()];
        for (section, value) in &defaults {
            for (key, value) in value.as_table().into_iter().flatten() {
                if !value.is_bool() {
                    keys.push(format!("{section}.{key}"));
                }
            }
        }
        for key in &keys {
            let value = key.split('.').fold(Value::Table(defaults.clone()), |value, step| value[step].clone());
            assert!(shrink::ALLOWED.iter().chain(ALLOWED).any(|(k, _)| k == key), "{key} has no bounds");
            assert_eq!(problem(key, &value), None);
        }
        assert_eq!(keys.len(), shrink::ALLOWED.len() + ALLOWED.len(), "a bound without a setting");
        for line in DEFAULTS.lines().filter(|line| line.contains(" = ")) {
            assert!(line.contains('#'), "{line}: no comment");
        }
    }

    #[test]
    fn later_layers_win() {
        let first = Layer { name: "a", text: "target = 'univrm'\n[textures]\nquality = 70\nmethod = 2" };
        let second = Layer { name: "b", text: "textures.quality = 75" };
        let (settings, report) = load(&[first, second], &["textures.method=6".into(), "geometry.positionError=0.001".into()]);
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        let textures = &settings.shrink.textures;
        assert_eq!((textures.quality, textures.method, settings.shrink.target), (75, 6, Target::Univrm));
        assert_eq!(settings.shrink.geometry.position_error, 0.001);
    }

    #[test]
    fn unknown_keys_have_a_place_and_the_nearest_known_one() {
        let (_, report) = file("[textures]\nmaxSize = 1024\nqualty = 3\n");
        assert_eq!(only(&report), "X001 3:1 unknown setting textures.qualty | Did you mean textures.quality?");
        assert_eq!(report.findings[0].place.pointer, "/textures/qualty");
        assert_eq!(only(&file("[texture]\nmaxSize = 1").1), "X001 1:2 unknown setting texture | Did you mean textures?");
        assert_eq!(only(&file("maxSize = 1").1), "X001 1:1 unknown setting maxSize | Did you mean textures.maxSize?");
        let both = "X001 1:1 unknown setting quality | Did you mean pictures.quality or textures.quality?";
        assert_eq!(only(&file("quality = 1").1), both);
        assert_eq!(only(&file("nonsense.zebra = 1").1), "X001 1:1 unknown setting nonsense | See pipeline.toml for all keys.");
        let (_, report) = set("textures.qualty=3");
        assert_eq!(only(&report), "X001 0:0 unknown setting textures.qualty | Did you mean textures.quality?");
        assert_eq!(report.findings[0].place.file, "--set textures.qualty=3");
    }

    #[test]
    fn wrong_values_leave_the_default() {
        let (settings, report) = file("[textures]\nquality = 101\n");
        assert_eq!(only(&report), "X002 2:11 textures.quality must be from 0 to 100, found 101 | The default is 80.");
        assert_eq!(settings.shrink.textures.quality, 80);
        for (text, wanted) in [
            ("textures.quality = 'high'", "textures.quality wants a whole number, found a text"),
            ("textures.quality = 99999999999999999999", "textures.quality must be from 0 to 100"),
            ("textures.quality = 1.5", "textures.quality wants a whole number, found a number"),
            ("geometry.positionError = nan", "geometry.positionError must be from"),
            ("geometry.weld = 1", "geometry.weld wants true or false, found a whole number"),
            ("geometry.normals = 9", "geometry.normals must be one of 0, 8, 10, 12, 16, found 9"),
            ("geometry.filter = 'some'", "geometry.filter must be one of exponential, none, found \"some\""),
            ("geometry = 3", "geometry wants a section, found a whole number"),
            ("textures.quality = {}", "textures.quality wants a whole number, found a section"),
            ("textures.quality = 1979-05-27", "textures.quality wants a whole number, found a date"),
            ("pack.ignore = [1]", "pack.ignore wants a list of texts"),
            ("pack.ignore = ['[']", "pack.ignore has a pattern that cannot be read"),
            ("budget.avatar = '8 apples'", "budget.avatar cannot be read: \"8 apples\" is no size: write it as in 8MB"),
            ("budget.triangles = '70kB'", "budget.triangles is a number, not a size in bytes"),
            ("budget.pack = true", "budget.pack wants a text, found true or false"),
            ("textures = ", "not valid TOML"),
        ] {
            let (settings, report) = file(text);
            assert!(only(&report).contains(wanted), "{text}: {}", only(&report));
            assert_eq!(settings, Settings::default());
        }
    }

    #[test]
    fn bare_words_will_do_on_the_command_line() {
        assert_eq!(set("target=gltfast").0.shrink.target, Target::Gltfast);
        assert_eq!(set("target = \"gltfast\"").0.shrink.target, Target::Gltfast);
        assert_eq!(set("pack.ignore=[\"*.txt\"]").0.pack.ignore, ["*.txt"]);
        assert_eq!(only(&set("textures").1), "X002 0:0 \"textures\" is not KEY=VALUE | Write it as in --set textures.quality=85.");
        assert!(only(&set("textures.quality=best").1).contains("wants a whole number, found a text"));
        assert!(only(&set("=").1).contains("X001"));
    }

    #[test]
    fn severities_are_held_to_their_kind() {
        let (settings, report) = file("[severity]\nS003 = 'off'\nD001 = 'warning'\npicture-unreadable = 'error'");
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        assert_eq!(settings.severity["S003"], Level::Off);
        assert_eq!(settings.severity["S002"], Level::Error);
        assert!(only(&file("severity.D001 = 'off'").1).contains("X002 1:17 D001 (container-unreadable) can be lowered to a warning"));
        assert!(only(&file("severity.D001 = 'loud'").1).contains("X002 1:17 the severity of D001 is none of"));
        assert!(only(&file("severity.D101 = 'off'").1).contains("X001 1:10 there is no code D101 | Did you mean D001?"));
        assert_eq!(set("severity.S003=note").0.severity["S003"], Level::Note);
    }
}
