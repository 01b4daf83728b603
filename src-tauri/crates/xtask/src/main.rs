//! The checks of the project that do not need its compiled code. `cargo run -p xtask -- --help` lists them; `npm run check`
//! runs all of them.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod circles;
mod licences;
mod literals;
mod report;
mod scan;
mod sizes;
mod tidy;
mod words;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

use report::Complaints;

#[derive(Parser)]
#[command(about = "Checks and chores of this project")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Find violations of the architecture that the compiler cannot see.
    Tidy,
    /// Check every dependency's licence against the list in `deny.toml`.
    Licences,
}

fn main() -> ExitCode {
    let root = root();
    let done = match Arguments::parse().chore {
        Chore::Tidy => tidy::tidy(&root),
        Chore::Licences => licences::licences(&root),
    };
    match done {
        Ok(complaints) => finish(&complaints),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn finish(complaints: &Complaints) -> ExitCode {
    for complaint in complaints.list() {
        eprintln!("{complaint}");
    }
    if complaints.list().is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Returns the root of the repository, which contains `src-tauri`.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(3).unwrap_or(here).to_path_buf()
}
