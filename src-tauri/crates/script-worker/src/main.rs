//! `loopwright-scripts`: the program that Loopwright starts to read and run scripts.

use std::process::ExitCode;

/// Scripts create many short-lived values, which the system's allocator handles more slowly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    loopwright_script_worker::serve()
}
