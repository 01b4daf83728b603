//! Writes the files that are generated from the Rust sources, or checks that they are up to date. `npm run codegen` runs it.
//!
//! This program links the whole desktop program. It is therefore not a task of `xtask`, whose tasks take seconds.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod reference;

use std::{
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;

#[derive(Parser)]
#[command(
    about = "Write the files that are generated from the Rust sources: the page's TypeScript and the reference pages"
)]
struct Arguments {
    /// Write nothing; fail if a file is not up to date.
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    match codegen(&root(), Arguments::parse().check) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes or checks every generated file. Returns whether all of them are up to date.
///
/// # Errors
/// Returns an error if a file's text cannot be generated, or a file cannot be written.
fn codegen(root: &Path, check: bool) -> Result<bool, Box<dyn Error>> {
    let bindings =
        loopwright_desktop::typescript().map_err(|error| format!("bindings: {error}"))?;
    let files = [
        ("ui/src/ipc/generated/bindings.ts", bindings),
        ("docs/reference/kinds.md", reference::kinds()),
        ("docs/reference/tools.md", reference::tools()),
        (
            "docs/reference/evaluation.schema.json",
            reference::evaluation_schema(),
        ),
    ];
    let mut agrees = true;
    for (name, text) in files {
        let path = root.join(name);
        if fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        if check {
            eprintln!("{name} differs from what the sources generate; run `npm run codegen`");
            agrees = false;
            continue;
        }
        write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("wrote {name}");
    }
    Ok(agrees)
}

/// Writes a file and creates its folder if it is missing.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// Returns the folder that contains `src-tauri`.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(3).unwrap_or(here).to_path_buf()
}
