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
#[cfg(target_os = "linux")]
mod request;
mod signals;
#[cfg(target_os = "linux")]
mod supervised;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod tree;

use std::{
    ffi::OsString,
    io,
    path::PathBuf,
    process::{ExitCode, ExitStatus},
    sync::LazyLock,
    time::Duration,
};

pub use limits::survive_file_size_limit;
pub use signals::EndSignals;

use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::watch,
};

/// How long the end of everything that a program started is waited for. It takes longer only where the system does not let go
/// of a process; the supervisor then continues by itself.
const ENDS_WITHIN: Duration = Duration::from_secs(3);

/// What is started.
#[derive(Debug, Clone, Default)]
pub struct Program {
    pub command: OsString,
    pub args: Vec<OsString>,
    /// `None`: the folder that Loopwright runs in.
    pub cwd: Option<PathBuf>,
    /// The whole environment; nothing else is passed on.
    pub env: Vec<(OsString, OsString)>,
}

/// A program under way. Dropping it ends the program and everything that it started.
pub struct Running {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    held: Held,
}

enum Held {
    #[cfg(target_os = "linux")]
    Supervised(supervised::Supervised),
    Group(group::Group),
}

impl Program {
    /// Starts the program, with pipes for its standard input, output and errors.
    ///
    /// # Errors
    /// What the system says where it cannot be started.
    pub async fn start(&self) -> io::Result<Running> {
        #[cfg(target_os = "linux")]
        if supervisor::is_available() {
            match supervised::start(self).await {
                Ok(running) => return Ok(running),
                Err(supervised::NotStarted::Program(error)) => return Err(error),
                Err(supervised::NotStarted::Supervisor(error)) => {
                    tracing::warn!(
                        "The supervisor of programs could not be started, so that only the process group of `{}` is ended with it: {error}",
                        self.command.display()
                    );
                }
            }
        }
        group::start(self)
    }
}

impl Running {
    /// Waits until the program itself has exited. What it left running is then being ended.
    ///
    /// # Errors
    /// Where its exit cannot be learned.
    pub async fn exited(&mut self) -> io::Result<ExitStatus> {
        match &mut self.held {
            #[cfg(target_os = "linux")]
            Held::Supervised(supervised) => supervised.exited().await,
            Held::Group(group) => group.exited().await,
        }
    }

    /// Ends it where it still runs, and waits until nothing is left of it, a few seconds at most.
    pub async fn end(self) {
        let ended = async {
            match self.held {
                #[cfg(target_os = "linux")]
                Held::Supervised(supervised) => supervised.end().await,
                Held::Group(group) => group.end().await,
            }
        };
        if tokio::time::timeout(ENDS_WITHIN, ended).await.is_err() {
            tracing::warn!("A program is still being ended.");
        }
    }
}

/// How many programs are under way or being ended.
static UNDER_WAY: LazyLock<watch::Sender<usize>> = LazyLock::new(|| watch::Sender::new(0));

/// One of them.
struct Counted;

impl Counted {
    fn new() -> Self {
        UNDER_WAY.send_modify(|count| *count += 1);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        UNDER_WAY.send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// Waits until every program has ended that was started and dropped, `patience` at most. For the end of Loopwright itself: what
/// is left then is ended by its supervisor.
pub async fn all_ended(patience: Duration) {
    let mut count = UNDER_WAY.subscribe();
    let _ = tokio::time::timeout(patience, count.wait_for(|count| *count == 0)).await;
}

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
