//! Makes the binary files of the samples: `cargo run --release --example make-samples [folder]`.

mod clips;
mod clothes;
mod container;
mod figure;
mod hair;
mod head;
mod juno;
mod juno_vrm;
mod motion;
mod paint;
mod pictures;
mod pip;
mod shape;
mod skeleton;
mod small;

use std::fs;
use std::path::Path;

/// A finished file: its path in the samples folder and its bytes.
pub type Made = (String, Vec<u8>);

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "samples".to_owned());
    let mut made: Vec<Made> = Vec::new();
    made.extend(small::dot());
    made.extend(juno::make());
    made.extend(small::mug());
    made.extend(pip::make());
    made.extend(small::broken());
    let mut total = 0;
    for (path, bytes) in &made {
        let target = Path::new(&folder).join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&target, bytes)?;
        total += bytes.len();
        println!("{:>9} {path}", bytes.len());
    }
    println!("{total:>9} bytes in {} files", made.len());
    Ok(())
}
