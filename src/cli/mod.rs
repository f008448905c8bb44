//! The command line: arguments in, work done by `build`, and its outcome shown to people or programs.

pub mod args;
pub mod explain;
pub mod facts;
pub mod github;
pub mod human;
pub mod json;
mod junit;
pub mod manual;
pub mod progress;
pub mod refused;
pub mod sarif;
pub mod table;

use crate::build::outcome::{File, Finding, Outcome, Pack};
use crate::build::{self, BuildJob, Choices, Finished, Listener, Run};
use crate::codec::jobserver;
use crate::disk;
use crate::disk::cache::{Cache, Contents};
use crate::pack::{Kind, schema};
use crate::parallel;
use crate::report::{self, Place, Progress, Report, Severity, code, progress::Silent};
use crate::units;
use crate::watch::Snapshot;
use anstream::{AutoStream, ColorChoice};
use args::{CacheAction, Common, Format, Job, Meant, Work, Written};
use clap::Parser;
use std::ffi::OsString;
use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Mutex;

/// The work could not be done, or not shown.
const FAILED: u8 = 2;

/// What the program runs in: `main` looks, so that nothing else has to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminal {
    /// Standard output is a terminal.
    pub output: bool,
    /// Standard error is a terminal.
    pub errors: bool,
    /// No colours are wanted (`NO_COLOR`).
    pub plain: bool,
    /// Nobody watches (`CI`).
    pub unattended: bool,
}

/// Runs the program and returns its exit code: 0 clean, 1 errors are left, 2 the tool could not do its work.
pub fn run(arguments: impl IntoIterator<Item = OsString>, terminal: Terminal) -> u8 {
    let screen = Screen::new(terminal);
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let meant = Written::try_parse_from(&arguments).and_then(|written| written.meant(&disk::is_folder));
    match meant {
        Ok(Meant { job: Job::Work(work), common }) => do_work(&work, &common, &screen),
        Ok(Meant { job: Job::Watch(job), common }) => watch(&job, &common, &screen),
        Ok(Meant { job: Job::Explain(word), common }) => explain(word.as_deref(), common.format, &screen),
        Ok(Meant { job: Job::Schema(of), .. }) => {
            let schema = match of {
                args::Schema::Model => schema::of(Kind::Model),
                args::Schema::Character => schema::of(Kind::Character),
                args::Schema::Item => schema::of(Kind::Item),
                args::Schema::Settings => crate::build::settings_schema::settings(),
            };
            screen.print(json::line(&schema, true).as_bytes(), 0)
        }
        Ok(Meant { job: Job::Cache(action), common }) => tend_cache(&action, &common, &screen),
        Ok(Meant { job: Job::Completions(shell), .. }) => screen.print(&manual::completions(shell), 0),
        Ok(Meant { job: Job::Man, .. }) => match manual::page() {
            Ok(page) => screen.print(&page, 0),
            Err(error) => screen.fail(&error.to_string()),
        },
        Err(error) if error.use_stderr() => {
            screen.tell(&error.render().ansi().to_string());
            let (command, format) = refused::meant(&arguments);
            screen.refuse(&command, format, refused::finding(&error))
        }
        Err(help) => screen.print(help.render().ansi().to_string().as_bytes(), 0),
    }
}

fn explain(word: Option<&str>, format: Format, screen: &Screen) -> u8 {
    let text = match format {
        Format::Json => explain::data(word).map(|codes| json::line(&codes, true)),
        Format::Jsonl => {
            explain::data(word).map(|codes| codes.as_array().into_iter().flatten().map(|code| json::line(code, false)).collect())
        }
        Format::Human | Format::Sarif | Format::Github | Format::Junit => explain::text(word),
    };
    match text {
        Ok(text) => screen.print(text.as_bytes(), 0),
        Err(error) => {
            let problem = report::Finding::new(&code::Z011, Place::default(), error).hint(code::Z011.remedy);
            screen.cannot_start("explain", format, problem)
        }
    }
}

fn do_work(work: &Work, common: &Common, screen: &Screen) -> u8 {
    let lines = Streamed { lines: json::Lines::default(), screen };
    let listener: &dyn Listener = if common.format == Format::Jsonl { &lines } else { &() };
    match once(work, common, listener, screen) {
        Ok((finished, least)) => show(&finished, exit_code(&finished).max(least), common, &lines.lines, screen),
        Err(problem) => screen.cannot_start(work.command(), common.format, *problem),
    }
}

/// Builds, shows everything; then, whenever a source is otherwise, builds again and shows what is otherwise.
fn watch(job: &BuildJob, common: &Common, screen: &Screen) -> u8 {
    let paths: Vec<PathBuf> = job.packs.iter().chain(&common.settings).chain(&job.previous).cloned().collect();
    let work = Work::Build(job.clone());
    let mut before: Option<Finished> = None;
    loop {
        let seen = Snapshot::of(&paths, &job.output);
        let done = once(&work, common, &(), screen);
        match (done, &before) {
            // Words of the command line will not mend themselves.
            (Ok((finished, least)), None) if least > 0 => {
                return show(&finished, exit_code(&finished).max(least), common, &json::Lines::default(), screen);
            }
            (Err(problem), None) => return screen.cannot_start(work.command(), common.format, *problem),
            (Err(problem), Some(_)) => drop(screen.fail(&problem.message)),
            (Ok((finished, _)), earlier) => {
                let code = match (common.format, earlier) {
                    (Format::Human, Some(before)) => screen.print(human::changes(before, &finished).as_bytes(), 0),
                    (Format::Human, None) => show(&finished, exit_code(&finished), common, &json::Lines::default(), screen),
                    _ => screen.print(json::line(&finished.outcome, false).as_bytes(), 0),
                };
                if code == FAILED && earlier.is_some() {
                    return code;
                }
                before = Some(finished);
            }
        }
        seen.wait(&paths, &job.output);
    }
}

/// Does the work, and returns what it left behind, and the exit code that it has at least.
///
/// # Errors
/// When the settings cannot be read.
fn once(work: &Work, common: &Common, listener: &dyn Listener, screen: &Screen) -> Result<(Finished, u8), Box<report::Finding>> {
    let most = NonZero::new(usize::from(common.jobs)).or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZero::get);
    // Held until the work is done.
    let tokens = jobserver::join(most);
    let threads = tokens.as_ref().map_or(usize::from(common.jobs), jobserver::Tokens::threads);
    let file = common.settings.as_ref().map(|path| {
        let name = path.to_string_lossy().into_owned();
        disk::read_text(path)
            .map(|text| (name.clone(), text))
            .map_err(|error| Box::new(report::Finding::new(&code::Z002, Place::file(name), error.to_string()).hint(code::Z002.remedy)))
    });
    let file = file.transpose()?;
    let choices = Choices { file, sets: common.sets.clone() };
    let (settings, report) = choices.settings(None);
    let mut refused = Finished::new(work.command());
    refused.add(report, None, &settings, common.strict);
    if !refused.outcome.ok {
        // The command line asks for what does not exist: nothing is done, as for a wrong argument.
        refused.texts.extend(choices.file);
        return Ok((refused, FAILED));
    }
    let bars = screen.draws_bars(common).then(progress::Bars::new);
    let progress: &dyn Progress = bars.as_ref().map_or(&Silent, |bars| bars);
    let (cache, mut trouble) = open_cache(common);
    let run = Run { choices: &choices, strict: common.strict, cache: &cache, progress, listener };
    let (finished, bug) = parallel::guarded(|| work.command().to_owned(), |_| parallel::with_threads(threads, || do_job(work, &run)));
    let mut finished = finished.unwrap_or_else(|| Finished::new(work.command()));
    finished.add(bug, None, &settings, common.strict);
    cache.settle(settings.run.cache_bytes, &mut trouble);
    finished.add(trouble, None, &settings, common.strict);
    if let Some(bars) = bars {
        bars.clear();
    }
    finished.texts.extend(choices.file.clone());
    Ok((finished, 0))
}

/// The cache that was chosen, or the usual one; none when it cannot be used, which is said of one that was chosen.
fn open_cache(common: &Common) -> (Cache, Report) {
    let mut report = Report::default();
    let folder = common.cache.clone().or_else(Cache::usual_folder).filter(|_| !common.no_cache);
    let cache = folder.map_or_else(|| Ok(Cache::off()), |folder| Cache::open(&folder)).unwrap_or_else(|error| {
        if common.cache.is_some() {
            report.add(report::Finding::new(&code::Z009, Place::default(), error.to_string()).hint(code::Z009.remedy));
        }
        Cache::off()
    });
    (cache, report)
}

/// `cache info`, `cache clear`, `cache prune`
fn tend_cache(action: &CacheAction, common: &Common, screen: &Screen) -> u8 {
    let unusable = |message: String| {
        // A build does without one; this command cannot.
        let mut problem = report::Finding::new(&code::Z009, Place::default(), message).hint(code::Z009.remedy);
        problem.severity = Severity::Error;
        screen.cannot_start("cache", common.format, problem)
    };
    let Some(folder) = common.cache.clone().or_else(Cache::usual_folder) else {
        return unusable("there is no folder for a build cache; name one with --cache".into());
    };
    // What is not there is empty, and is not made to look into it.
    let cache = if disk::is_folder(&folder) { Cache::open(&folder) } else { Ok(Cache::off()) };
    let cache = match cache {
        Ok(cache) => cache,
        Err(error) => return unusable(error.to_string()),
    };
    let removed = match action {
        CacheAction::Info => None,
        CacheAction::Clear => Some(cache.prune(0)),
        CacheAction::Prune { max_size } => Some(cache.prune(*max_size)),
    };
    let left = cache.contents();
    let text = match common.format {
        Format::Json | Format::Jsonl => {
            let mut data = serde_json::json!({ "folder": folder, "entries": left.entries, "bytes": left.bytes });
            if let Some(removed) = removed {
                data["removedEntries"] = removed.entries.into();
                data["removedBytes"] = removed.bytes.into();
            }
            json::line(&data, common.format == Format::Json)
        }
        Format::Human | Format::Sarif | Format::Github | Format::Junit => {
            let counted = |contents: Contents| {
                let plural = if contents.entries == 1 { "entry" } else { "entries" };
                format!("{} {plural}, {}", contents.entries, units::bytes(contents.bytes))
            };
            let removed = removed.map(|removed| format!("removed {}; ", counted(removed))).unwrap_or_default();
            format!("{}: {removed}{}\n", human::clean(&folder.to_string_lossy()), counted(left))
        }
    };
    screen.print(text.as_bytes(), 0)
}

fn do_job(work: &Work, run: &Run) -> Finished {
    match work {
        Work::Build(job) => build::build(job, run),
        Work::Check(job) => build::check(job, run),
        Work::ShrinkFile(job) => build::shrink_file(job, run),
        Work::ShrinkFolder(job) => build::shrink_folder(job, run),
        Work::Inspect(job) => build::inspect(job, run),
        Work::Names(job) => build::names(job, run),
        Work::Stride(job) => build::stride(job, run),
        Work::Cover(job) => build::cover(job, run),
        Work::New(job) => build::new(job, run),
    }
}

/// Prints a finished run, and returns its exit code, or that of what went wrong with printing.
fn show(finished: &Finished, code: u8, common: &Common, lines: &json::Lines, screen: &Screen) -> u8 {
    let outcome = &finished.outcome;
    if let Some(text) = for_programs(outcome, code, common.format, lines) {
        return screen.print(text.as_bytes(), code);
    }
    let findings = human::findings(finished, common.verbose);
    if matches!(outcome.command.as_str(), "inspect" | "names") {
        // What they list is for other programs to read; what is wrong with the file is said beside it.
        screen.tell(&findings);
        return screen.print(human::results(outcome).as_bytes(), code);
    }
    let (results, summary) = (human::results(outcome), human::summary(finished));
    let text = if common.quiet { findings } else { format!("{findings}{results}{summary}") };
    screen.print(text.as_bytes(), code)
}

/// A run as programs read it; `None` in the format for people.
fn for_programs(outcome: &Outcome, code: u8, format: Format, lines: &json::Lines) -> Option<String> {
    match format {
        Format::Json => Some(json::object(outcome)),
        Format::Jsonl => Some(lines.rest(outcome)),
        Format::Sarif => Some(sarif::log(outcome, code)),
        Format::Github => Some(github::annotations(outcome)),
        Format::Junit => Some(junit::report(outcome)),
        Format::Human => None,
    }
}

/// 2 when the tool itself failed, else 1 when an error is left.
fn exit_code(finished: &Finished) -> u8 {
    let errors = finished.outcome.findings.iter().filter(|finding| finding.severity == Severity::Error.word());
    errors.map(|finding| if finding.is_of_tool() { FAILED } else { 1 }).max().unwrap_or(0)
}

/// Standard output and standard error, each with colours or without.
struct Screen {
    terminal: Terminal,
    /// One writer at a time, from whatever thread.
    turn: Mutex<()>,
}

impl Screen {
    fn new(terminal: Terminal) -> Self {
        Self { terminal, turn: Mutex::new(()) }
    }

    fn colors(&self, is_terminal: bool) -> ColorChoice {
        let shown = is_terminal && !self.terminal.plain && !self.terminal.unattended;
        if shown { ColorChoice::Always } else { ColorChoice::Never }
    }

    /// Bars are drawn on a terminal with somebody before it, and not where lines of results would run through them.
    fn draws_bars(&self, common: &Common) -> bool {
        let clear = common.format != Format::Jsonl || !self.terminal.output;
        self.terminal.errors && !self.terminal.unattended && !common.quiet && clear
    }

    /// Prints results, and returns `code`; 2 when they cannot be printed. A reader who has read enough is no trouble.
    fn print(&self, bytes: &[u8], code: u8) -> u8 {
        let _turn = self.turn.lock().unwrap_or_else(|e| e.into_inner());
        let mut output = AutoStream::new(std::io::stdout().lock(), self.colors(self.terminal.output));
        match output.write_all(bytes).and_then(|()| output.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                self.fail(&format!("cannot write to standard output: {error}")).max(code)
            }
            _ => code,
        }
    }

    /// Prints a message; there is nobody to tell when that fails.
    fn tell(&self, text: &str) {
        let mut errors = AutoStream::new(std::io::stderr().lock(), self.colors(self.terminal.errors));
        let _ = errors.write_all(text.as_bytes());
    }

    /// Says why no work was begun, to people and in the format that was asked for.
    fn cannot_start(&self, command: &str, format: Format, problem: report::Finding) -> u8 {
        self.fail(&problem.message);
        self.refuse(command, format, problem)
    }

    /// Prints a run of this one finding for programs. People were told already.
    fn refuse(&self, command: &str, format: Format, problem: report::Finding) -> u8 {
        let (mut outcome, mut report) = (Outcome::new(command), Report::default());
        report.add(problem);
        outcome.add(&report, None);
        let text = for_programs(&outcome, FAILED, format, &json::Lines::default()).unwrap_or_default();
        self.print(text.as_bytes(), FAILED)
    }

    /// Says why the tool cannot work.
    fn fail(&self, message: &str) -> u8 {
        let style = annotate_snippets::renderer::DEFAULT_ERROR_STYLE;
        self.tell(&format!("{style}error{style:#}: {}\n", human::clean(message)));
        FAILED
    }
}

/// Prints each file and pack as it is done.
struct Streamed<'a> {
    lines: json::Lines,
    screen: &'a Screen,
}

impl Listener for Streamed<'_> {
    fn file_done(&self, file: &File, findings: &[Finding]) {
        self.screen.print(self.lines.file(file, findings).as_bytes(), 0);
    }

    fn pack_done(&self, pack: &Pack, findings: &[Finding]) {
        self.screen.print(self.lines.pack(pack, findings).as_bytes(), 0);
    }
}
