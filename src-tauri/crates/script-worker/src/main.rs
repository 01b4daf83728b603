//! `loopwright-scripts`: Loopwright starts it to read and run scripts.

use std::process::ExitCode;

/// Runs of scripts consist of many short-lived values, which the system's own allocator gives and takes back more slowly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    loopwright_script_worker::serve()
}
