//! The command line: as written (what clap reads), and as meant (what is left when it makes sense).

use crate::build::{BuildJob, CheckJob, CoverJob, InspectJob, NamesJob, NewJob, Shard, ShrinkFileJob, ShrinkFolderJob, StrideJob};
use crate::units;
use clap::error::ErrorKind;
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

/// Shrinks, checks and bundles companion packs: VRM avatars, motions and items.
///
/// Sources are never changed: results go where you say. Exit code 0: clean, or warnings and notes only; 1: errors are left; 2: the tool
/// could not do its work.
#[derive(Debug, Parser)]
#[command(name = "companion-build", version, max_term_width = 110, disable_help_subcommand = true)]
pub struct Written {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// What every command takes.
    #[command(flatten)]
    pub common: Common,
}

/// What every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Common {
    /// How results are shown.
    #[arg(long, global = true, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    pub format: Format,
    /// A file of settings, over the defaults and the pack's own pipeline.toml.
    #[arg(long, global = true, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// One setting, over all files: --set textures.quality=85. Can be given again.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE", action = ArgAction::Append)]
    pub sets: Vec<String>,
    /// How many threads work at once; 0 = one for each core.
    #[arg(short = 'j', long = "jobs", global = true, value_name = "N", default_value_t = 0, hide_default_value = true,
          value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub jobs: u16,
    /// Only findings: no progress, tables or summary.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// With each finding, what its code means.
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Warnings count as errors.
    #[arg(long, global = true)]
    pub strict: bool,
    /// The folder of the build cache, in place of the platform's usual one.
    #[arg(long, global = true, value_name = "DIR", conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,
    /// Work everything out anew, and keep nothing for the next run.
    #[arg(long, global = true)]
    pub no_cache: bool,
}

/// How results are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// One JSON object a run.
    Json,
    /// One JSON object a line: each file or pack as it is done, the rest at the end.
    Jsonl,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Annotations for GitHub workflows.
    Github,
    /// JUnit XML: one suite a pack, one case a file.
    Junit,
}

/// The commands, as written.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check, shrink and bundle packs into zips that can be published.
    ///
    /// Writes DIR/PACK.zip and DIR/PACK.report.json for each pack folder. When errors are left no zip is written.
    Build {
        /// Folders of packs.
        #[arg(required = true, value_name = "PACK")]
        packs: Vec<PathBuf>,
        /// Where zips and reports go.
        #[arg(short = 'o', long = "output", value_name = "DIR", default_value = "dist")]
        output: PathBuf,
        /// The zip that was published before, or the folder of such zips: tells what vanished and what grew since.
        #[arg(long, value_name = "ZIP")]
        previous: Option<PathBuf>,
        /// What it may cost at most, as in avatar=8MB,pack=40MB,triangles=70k,textures=64MB,morphs=200; more is an error.
        #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',', value_parser = bound)]
        budget: Vec<String>,
        /// Write what each zip was made from into this file, as make and ninja read it.
        #[arg(long, value_name = "FILE")]
        depfile: Option<PathBuf>,
        /// Build again whenever a source changes, and tell only what is otherwise then, until it is interrupted.
        #[arg(long)]
        watch: bool,
    },
    /// Say what the publish would say of packs, folders or zips.
    Check {
        /// Folders of packs, or zips.
        #[arg(required = true, value_name = "PACK|ZIP")]
        packs: Vec<PathBuf>,
        /// The zip that was published before, or the folder of such zips: tells what vanished since, and of a zip what grew.
        #[arg(long, value_name = "ZIP")]
        previous: Option<PathBuf>,
        /// What a zip may cost at most, as in avatar=8MB,pack=40MB,triangles=70k,textures=64MB,morphs=200; more is an error.
        #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',', value_parser = bound)]
        budget: Vec<String>,
        /// Mend in the manifests what is certain: names as three.js spells them, upper and lower case of file names, the order of cloth
        /// chains, a byte-order mark. Everything else stays as it is formatted.
        #[arg(long)]
        fix: bool,
    },
    /// Shrink one avatar, item or clip, or a folder of them.
    ///
    /// One file: shrink IN OUT, and MAX to cap its textures. A folder, keeping its folders: shrink DIR -o DIR.
    #[command(
        override_usage = "companion-build shrink IN OUT [MAX]\n       companion-build shrink DIR -o DIR [--include GLOB] [--exclude GLOB] [--shard I/N]"
    )]
    Shrink {
        /// The file or folder to shrink.
        #[arg(value_name = "IN")]
        input: PathBuf,
        /// The result.
        #[arg(value_name = "OUT", required_unless_present = "folder", conflicts_with = "folder")]
        output: Option<PathBuf>,
        /// Longest side of every texture, in pixels; the same as --set textures.maxSize=MAX.
        #[arg(value_name = "MAX", value_parser = clap::value_parser!(u32).range(0..=65536))]
        max: Option<u32>,
        /// The folder for the results.
        #[arg(short = 'o', long = "output", value_name = "DIR", id = "folder")]
        folder: Option<PathBuf>,
        /// Only files that match, as in *.vrm or hair/**. Can be given again.
        #[arg(long, value_name = "GLOB")]
        include: Vec<String>,
        /// No files that match. Can be given again.
        #[arg(long, value_name = "GLOB")]
        exclude: Vec<String>,
        /// Only part I of N equal parts, to spread a library over machines.
        #[arg(long, value_name = "I/N", value_parser = shard)]
        shard: Option<Shard>,
    },
    /// Tell what is inside a file: bytes by kind, triangles, textures and their memory, bones, expressions, springs.
    Inspect {
        /// VRM, GLB, VRMA, FBX or KTX2 files, or zips of Live2D models.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Draw the first Live2D model into a PNG: at rest, and turned to both sides.
        #[arg(long, value_name = "FILE")]
        picture: Option<PathBuf>,
    },
    /// List the nodes and meshes of a file by the names that it has and those that three.js gives them.
    Names {
        /// A VRM or GLB file.
        file: PathBuf,
    },
    /// Measure walks on an avatar: stride, cycles, natural speed, playback rate, slide, whether in place and closed.
    Stride {
        /// A VRM, or a GLB of a humanoid.
        avatar: PathBuf,
        /// VRMA, GLB or FBX files.
        #[arg(required = true, value_name = "CLIP")]
        clips: Vec<PathBuf>,
        /// Draw the feet of the first clip into a PNG.
        #[arg(long, value_name = "FILE")]
        picture: Option<PathBuf>,
    },
    /// Tell what a finding means and how to mend it; without a code, list all.
    Explain {
        /// As in M005 or avatar-too-large.
        code: Option<String>,
    },
    /// Work out which triangles each outfit of a look hides.
    ///
    /// With --format json the masks themselves, one bit for each triangle of the file as it is.
    Cover {
        /// A VRM or GLB.
        avatar: PathBuf,
        /// The look's manifest, with its outfits and motions; its clips are read from beside it.
        #[arg(long, value_name = "MODEL.json")]
        model: PathBuf,
        /// Draw front and back of each outfit into this folder: kept, border, hidden and protected.
        #[arg(long, value_name = "DIR")]
        pictures: Option<PathBuf>,
    },
    /// Start a pack: a folder with the avatar, the clips, and what can be told from them filled in.
    ///
    /// Then checks it: what is found is what is left to write.
    New {
        /// The folder of the pack; it does not exist yet, or is empty.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// A VRM, a GLB, or the zip of a Live2D model.
        #[arg(long, value_name = "FILE")]
        avatar: PathBuf,
        /// VRMA, GLB or FBX files; without them the avatar's own animations.
        #[arg(long, value_name = "FILE", num_args = 1..)]
        clips: Vec<PathBuf>,
    },
    /// Print the JSON Schema of a manifest or of the settings, for editors.
    Schema {
        /// Of what.
        #[arg(value_enum)]
        of: Schema,
    },
    /// Look after the build cache.
    Cache {
        /// What to do with it.
        #[command(subcommand)]
        action: CacheAction,
    },
    /// Print completions for a shell.
    Completions {
        /// Which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

/// What can be done with the build cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum CacheAction {
    /// Tell where it is and how large.
    Info,
    /// Remove all that was kept.
    Clear,
    /// Remove what was not used for longest, until the rest is small enough.
    Prune {
        /// As in 500MB or 2GB.
        #[arg(long, value_name = "SIZE", value_parser = units::parse)]
        max_size: u64,
    },
}

/// What there are schemas of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Schema {
    /// model.json
    Model,
    /// character.json
    Character,
    /// item.json
    Item,
    /// pipeline.toml
    Settings,
}

/// `NAME=VALUE` of a budget, as the setting that it stands for.
fn bound(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok(format!("budget.{}={}", name.trim(), value.trim())),
        _ => Err("write it as NAME=VALUE: avatar=8MB".into()),
    }
}

/// `I/N` with I from 1 to N.
fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    match parts {
        Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
        _ => Err("write it as I/N, with I from 1 to N: 2/8".into()),
    }
}

/// The command line as meant.
#[derive(Debug)]
pub struct Meant {
    /// What to do.
    pub job: Job,
    /// What every command takes; a MAX has become the last of its `sets`.
    pub common: Common,
}

/// What to do.
#[derive(Debug)]
pub enum Job {
    /// Work that has an outcome.
    Work(Work),
    /// `build`, again and again.
    Watch(BuildJob),
    /// Print what a code means, or the list.
    Explain(Option<String>),
    /// Print a JSON Schema.
    Schema(Schema),
    /// Look after the build cache.
    Cache(CacheAction),
    /// Print completions.
    Completions(clap_complete::Shell),
    /// Print the manual page.
    Man,
}

/// Work that has an outcome.
#[derive(Debug)]
pub enum Work {
    /// `build`
    Build(BuildJob),
    /// `check`
    Check(CheckJob),
    /// `shrink` of a file
    ShrinkFile(ShrinkFileJob),
    /// `shrink` of a folder
    ShrinkFolder(ShrinkFolderJob),
    /// `inspect`
    Inspect(InspectJob),
    /// `names`
    Names(NamesJob),
    /// `stride`
    Stride(StrideJob),
    /// `cover`
    Cover(CoverJob),
    /// `new`
    New(NewJob),
}

impl Work {
    /// The name of the command.
    pub fn command(&self) -> &'static str {
        match self {
            Self::Build(_) => "build",
            Self::Check(_) => "check",
            Self::ShrinkFile(_) | Self::ShrinkFolder(_) => "shrink",
            Self::Inspect(_) => "inspect",
            Self::Names(_) => "names",
            Self::Stride(_) => "stride",
            Self::Cover(_) => "cover",
            Self::New(_) => "new",
        }
    }
}

impl Written {
    /// What was meant; `is_folder` tells whether a path is a folder that exists.
    ///
    /// # Errors
    /// When arguments that make sense alone make none together; the error prints and exits as clap's own.
    pub fn meant(self, is_folder: &dyn Fn(&Path) -> bool) -> Result<Meant, clap::Error> {
        let mut common = self.common;
        let work = match self.command {
            Command::Build { packs, output, previous, budget, depfile, watch } => {
                common.sets.extend(budget);
                let job = BuildJob { packs, output, previous, depfile };
                if watch && matches!(common.format, Format::Sarif | Format::Github | Format::Junit) {
                    let message = "--watch tells what changed to people (--format human) or programs (json, jsonl), not to a CI service";
                    return Err(error(ErrorKind::ArgumentConflict, message));
                }
                if watch {
                    return Ok(Meant { job: Job::Watch(job), common });
                }
                Work::Build(job)
            }
            Command::Check { packs, previous, budget, fix } => {
                common.sets.extend(budget);
                Work::Check(CheckJob { packs, previous, fix })
            }
            Command::Inspect { files, picture } => Work::Inspect(InspectJob { files, picture }),
            Command::Names { file } => Work::Names(NamesJob { file }),
            Command::Cover { avatar, model, pictures } => Work::Cover(CoverJob { avatar, model, pictures }),
            Command::New { folder, avatar, clips } => Work::New(NewJob { folder, avatar, clips }),
            Command::Stride { avatar, clips, picture } => Work::Stride(StrideJob { avatar, clips, picture }),
            Command::Shrink { input, output, max, folder, include, exclude, shard } => {
                common.sets.extend(max.map(|max| format!("textures.maxSize={max}")));
                // `-o` with one file: the result goes into that folder.
                let inside = |folder: PathBuf| input.file_name().map_or(folder.clone(), |name| folder.join(name));
                let output = match (output, folder) {
                    (Some(output), _) if is_folder(&output) && !is_folder(&input) => inside(output),
                    (None, Some(folder)) if !is_folder(&input) => inside(folder),
                    (output, folder) => output.or(folder).unwrap_or_default(),
                };
                if is_folder(&input) {
                    patterns(&include)?;
                    patterns(&exclude)?;
                    Work::ShrinkFolder(ShrinkFolderJob { input, output, include, exclude, shard })
                } else if !include.is_empty() || !exclude.is_empty() || shard.is_some() {
                    let message = format!("--include, --exclude and --shard choose files of a folder; {} is no folder", input.display());
                    return Err(error(ErrorKind::ArgumentConflict, &message));
                } else {
                    Work::ShrinkFile(ShrinkFileJob { input, output })
                }
            }
            Command::Explain { code } => return Ok(Meant { job: Job::Explain(code), common }),
            Command::Schema { of } => return Ok(Meant { job: Job::Schema(of), common }),
            Command::Cache { action } => return Ok(Meant { job: Job::Cache(action), common }),
            Command::Completions { shell } => return Ok(Meant { job: Job::Completions(shell), common }),
            Command::Man => return Ok(Meant { job: Job::Man, common }),
        };
        Ok(Meant { job: Job::Work(work), common })
    }
}

fn patterns(globs: &[String]) -> Result<(), clap::Error> {
    match globs.iter().find_map(|glob| globset::Glob::new(glob).err()) {
        Some(problem) => Err(error(ErrorKind::ValueValidation, &format!("the pattern cannot be read: {problem}"))),
        None => Ok(()),
    }
}

/// An error in clap's own manner.
fn error(kind: ErrorKind, message: &str) -> clap::Error {
    Written::command().error(kind, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(line: &str) -> Result<Meant, clap::Error> {
        let written = Written::try_parse_from(std::iter::once("companion-build").chain(line.split(' ')))?;
        written.meant(&|path| path.extension().is_none())
    }

    fn work(line: &str) -> Work {
        match meant(line).expect("good arguments").job {
            Job::Work(work) => work,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn clap_finds_no_fault() {
        Written::command().debug_assert();
    }

    #[test]
    fn the_drop_in_form() {
        let meant = meant("shrink a.vrm b.vrm 1024").expect("good arguments");
        assert_eq!(meant.common.sets, ["textures.maxSize=1024"]);
        let Job::Work(Work::ShrinkFile(job)) = meant.job else { panic!("a file") };
        assert_eq!((job.input, job.output), ("a.vrm".into(), "b.vrm".into()));
    }

    #[test]
    fn budgets_are_settings() {
        let meant = meant("build pack --budget avatar=8MB,triangles=70k --budget pack=40MB").expect("good arguments");
        assert_eq!(meant.common.sets, ["budget.avatar=8MB", "budget.triangles=70k", "budget.pack=40MB"]);
    }

    #[test]
    fn the_folder_form() {
        let Work::ShrinkFolder(job) = work("shrink library -o out --include *.vrm --exclude old/** --shard 2/8") else {
            panic!("a folder")
        };
        assert_eq!(job.output, PathBuf::from("out"));
        assert_eq!((job.include, job.exclude), (vec!["*.vrm".to_owned()], vec!["old/**".to_owned()]));
        assert_eq!(job.shard, Some(Shard { index: 2, count: 8 }));
        assert!(matches!(work("shrink library out"), Work::ShrinkFolder(_)));
        let Work::ShrinkFile(job) = work("shrink a.vrm -o out") else { panic!("a file") };
        assert_eq!(job.output, PathBuf::from("out/a.vrm"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in [
            "shrink a.vrm",
            "shrink a.vrm b.vrm -o out",
            "shrink a.vrm b.vrm big",
            "shrink a.vrm b.vrm --shard 1/2",
            "shrink library -o out --shard 0/2",
            "shrink library -o out --shard 3/2",
            "shrink library -o out --include [",
            "build",
            "build pack --budget 8MB",
            "build pack --watch --format sarif",
            "check --quiet --verbose pack",
            "check -j many pack",
            "paint pack",
        ] {
            let error = meant(line).expect_err(line);
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn common_options_may_stand_anywhere() {
        let meant = meant("--strict check pack --format sarif -j 3 --set a=1 --set b=2").expect("good arguments");
        assert!(meant.common.strict);
        assert_eq!((meant.common.format, meant.common.jobs), (Format::Sarif, 3));
        assert_eq!(meant.common.sets, ["a=1", "b=2"]);
    }
}
