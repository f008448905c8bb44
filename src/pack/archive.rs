//! A finished pack: its zip as a tree of files.

use crate::codec::zip::{self, Fault, Limits, Problem};
use crate::disk::Tree;
use crate::report::{Finding, Place, Report, code};

/// Unpacks the zip of a pack into memory, `name` being how the report calls it. `None` when nothing of it can be read.
///
/// Findings: P008 for links, D030 for what cannot be opened, D031 for what no honest archive holds.
pub fn tree_from_zip(name: &str, bytes: &[u8], report: &mut Report) -> Option<Tree> {
    let archive = zip::read(bytes, &Limits::PACK);
    for problem in &archive.problems {
        report.add(finding(name, problem));
    }
    let mut files = Vec::new();
    for entry in archive.entries.iter().filter(|entry| !entry.is_folder()) {
        match archive.unpack(entry) {
            Ok(contents) => files.push((entry.name.clone(), contents)),
            // Said already when the scan found it.
            Err(problem) if archive.problems.contains(&problem) => {}
            Err(problem) if matches!(problem.fault, Fault::TooLarge { .. }) => {}
            Err(problem) => report.add(finding(name, &problem)),
        }
    }
    let is_readable = !files.is_empty() || archive.problems.is_empty();
    is_readable.then(|| Tree::from_memory(files))
}

fn finding(name: &str, problem: &Problem) -> Finding {
    let code = match problem.fault {
        Fault::Link | Fault::Special => &code::P008,
        ref fault if fault.is_only_unreadable() => &code::D030,
        _ => &code::D031,
    };
    Finding::new(code, Place::file(name), problem.to_string()).hint(code.remedy)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_tree, lines, pack};
    use super::*;

    #[test]
    fn a_zip_is_judged_like_its_folder() -> Result<(), Box<dyn std::error::Error>> {
        let tree = pack(&[]);
        let files = tree.files().map(|(path, _)| Ok((path, tree.read(path)?))).collect::<Result<Vec<_>, crate::disk::Error>>()?;
        let mut bytes = zip::write(&files)?;
        let mut report = Report::default();
        let unpacked = tree_from_zip("fox.zip", &bytes, &mut report).ok_or("unreadable")?;
        assert_eq!(unpacked.sizes(), tree.sizes());
        assert_eq!(check_tree(unpacked), Vec::<String>::new());

        bytes.push(0);
        assert!(tree_from_zip("fox.zip", &bytes, &mut report).is_some());
        bytes.truncate(bytes.len() - 10);
        assert!(tree_from_zip("fox.zip", &bytes, &mut report).is_none());
        assert_eq!(lines(report), ["D030 error fox.zip#", "D031 error fox.zip#"]);
        Ok(())
    }
}
