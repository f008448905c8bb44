//! The program `companion-build`: looks at what it runs in, and hands over to the command line.

use companion_build::cli::{self, Terminal};
use std::io::IsTerminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    // As https://no-color.org asks, and as every CI service sets it: a value that is not empty.
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let terminal = Terminal {
        output: std::io::stdout().is_terminal(),
        errors: std::io::stderr().is_terminal(),
        plain: is_set("NO_COLOR"),
        unattended: is_set("CI"),
    };
    ExitCode::from(cli::run(std::env::args_os(), terminal))
}
