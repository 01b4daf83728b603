//! Starts programs, such as agents and MCP servers, and ends each one together with all processes that it started.
//!
//! On Linux each program runs below a supervisor: a second process of this executable, in which [`supervise_if_asked`] takes
//! over. The supervisor adopts every descendant that loses its parent, even one that left the process group or the session.
//! It ends all of them when the program has exited, when the [`Running`] is dropped, or when Loopwright itself ends for any
//! reason. On other systems, and in executables that never call [`supervise_if_asked`], a program is the leader of a process
//! group, and the whole group is ended together. The reasons are in `docs/decisions/001-supervisor-process.md`.
//!
//! Architecture Invariant: the crate knows no flows, no agents and no protocol. It starts a program and ends every process
//! that the program leaves behind.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod group;
mod limits;
#[cfg(target_os = "linux")]
mod orphans;
mod program;
#[cfg(target_os = "linux")]
mod request;
mod running;
mod signals;
#[cfg(target_os = "linux")]
mod supervised;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod tree;
mod under_way;
mod within;

use std::process::ExitCode;

pub use limits::survive_file_size_limit;
pub use program::Program;
pub use running::Running;
pub use signals::EndSignals;
pub use under_way::all_ended;
pub use within::Within;

/// Acts as a supervisor if this process was started as one, and then returns the supervisor's exit status. Otherwise returns
/// `None`, and programs can be supervised from now on. Call this first in `main`, before any thread starts.
pub fn supervise_if_asked() -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    return supervisor::run_if_asked();
    #[cfg(not(target_os = "linux"))]
    None
}

/// Moves this process to a new session without a terminal, so that closing the terminal from which it was started does not
/// end it. Does nothing if the process already leads a session or a group.
pub fn leave_terminal() {
    #[cfg(unix)]
    let _ = rustix::process::setsid();
}

/// Disables huge pages for this process. With huge pages, the system clears 2 MB of memory for an allocation of a few KB,
/// both at startup and during calls. Started programs are not affected, because their supervisor reverts this. Call this
/// after [`supervise_if_asked`].
pub fn use_small_pages() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_thp_disable(true);
}
