//! A finished pack: its zip as a tree of files.

use crate::codec::zip::{self, Fault, Limits, Problem};
use crate::disk::Tree;
use crate::report::{Finding, Place, Report, code};
use std::collections::BTreeSet;

/// Unpacks the zip of a pack into memory, `name` being how the report calls it. `None` when nothing of it can be read.
///
/// Findings: P008 for links, D030 for what cannot be opened, D031 for what no honest archive holds.
pub fn tree_from_zip(name: &str, bytes: &[u8], report: &mut Report) -> Option<Tree> {
    let archive = zip::read(bytes, &Limits::PACK);
    for problem in &archive.problems {
        report.add(finding(name, problem));
    }
    let (mut files, mut lost) = (Vec::new(), Vec::new());
    // Of a file whose name is refused nothing more is said.
    let refused = archive.problems.iter().filter(|problem| matches!(problem.fault, Fault::Name(_) | Fault::SameButForCase(_)));
    let refused: BTreeSet<&str> = refused.map(|problem| problem.entry.as_str()).collect();
    for entry in archive.entries.iter().filter(|entry| !entry.is_folder()) {
        match archive.unpack(entry) {
            Ok(_) if refused.contains(entry.name.as_str()) => lost.push(&entry.name),
            Ok(contents) => files.push((entry.name.clone(), contents)),
            Err(problem) => {
                // Most was said already when the scan found it.
                if !archive.problems.contains(&problem) && !matches!(problem.fault, Fault::TooLarge { .. }) {
                    report.add(finding(name, &problem));
                }
                lost.push(&entry.name);
            }
        }
    }
    let is_readable = !files.is_empty() || archive.problems.is_empty();
    let mut tree = Tree::from_memory(files);
    for path in lost {
        tree.insert_lost(path);
    }
    is_readable.then_some(tree)
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

    #[test]
    fn what_an_archive_does_not_give_out_is_one_finding() -> Result<(), Box<dyn std::error::Error>> {
        let tree = pack(&[]);
        let files = tree.files().map(|(path, _)| Ok((path, tree.read(path)?))).collect::<Result<Vec<_>, crate::disk::Error>>()?;
        let bytes = zip::write(&files)?;
        for name in ["companion-models/fox-model/idle.vrma", "companion-models/fox-model/model.json", "companion-items/mug/mug.glb"] {
            let mut bytes = bytes.clone();
            let at = bytes.windows(name.len()).position(|window| window == name.as_bytes()).ok_or("no local header")?;
            // The checksum in the local header, and that in the central directory.
            let central = bytes.windows(name.len()).rposition(|window| window == name.as_bytes()).ok_or("no record")?;
            bytes[at - 16] ^= 1;
            bytes[central - 30] ^= 1;
            let mut report = Report::default();
            let unpacked = tree_from_zip("fox.zip", &bytes, &mut report).ok_or("unreadable")?;
            assert_eq!(lines(report), ["D030 error fox.zip#"], "{name}");
            assert_eq!(check_tree(unpacked), Vec::<String>::new(), "{name}");
        }
        Ok(())
    }
}
