//! Programs that Loopwright starts, such as agents and MCP servers, each with everything that it starts in turn.
//!
//! On Linux each program runs below a supervisor: this very executable, started again by [`supervise_if_asked`]. The supervisor
//! adopts every descendant that loses its parent, also one that left the process group or the session, and ends all of them
//! once the program has exited, once the [`Running`] is dropped, and once Loopwright itself is gone, however that happened.
//! Elsewhere, and in executables that never call [`supervise_if_asked`], a program is the leader of a process group, which ends
//! as a whole. `docs/decisions/001-supervisor-process.md` says why.
//!
//! Architecture Invariant: knows no flows, no agents and no protocol. It starts a program and ends what came of it.

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

use std::process::ExitCode;

pub use limits::survive_file_size_limit;
pub use program::Program;
pub use running::Running;
pub use signals::EndSignals;
pub use under_way::all_ended;

/// To be called first in `main`, before any thread is started. Where this process was started as a supervisor it is one, and
/// its exit status is given back; else programs can be supervised from now on.
pub fn supervise_if_asked() -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    return supervisor::run_if_asked();
    #[cfg(not(target_os = "linux"))]
    None
}

/// To be called after [`supervise_if_asked`]. Memory comes in small pages from now on: with large ones the system clears 2 MB for
/// an allocation of a few KB, on the way of a call as well as when the program starts. Programs that are started are not
/// concerned: their supervisor takes it back.
pub fn use_small_pages() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_thp_disable(true);
}
