//! Completions and the manual page, made from the arguments themselves.

use super::args::Written;
use clap::CommandFactory;
use clap_mangen::Man;

/// The completions for a shell.
pub fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Written::command(), "companion-build", &mut text);
    text
}

/// One manual page with every command and its arguments.
///
/// # Errors
/// Never in memory; the writer's type asks for it.
pub fn page() -> std::io::Result<Vec<u8>> {
    let command = Written::command();
    let mut text = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    for part in command.get_subcommands() {
        text.extend(format!(".SH COMMAND {}\n", part.get_name().to_uppercase()).bytes());
        let man = Man::new(part.clone().bin_name(format!("companion-build {}", part.get_name())));
        let mut section = Vec::new();
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        // The parts of a command are one level below the command.
        text.extend(String::from_utf8_lossy(&section).replace(".SH ", ".SS ").bytes());
    }
    Ok(text)
}
