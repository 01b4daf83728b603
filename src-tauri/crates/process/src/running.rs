//! Starts a program, below a supervisor if possible, and ends it.

use std::{io, process::ExitStatus, time::Duration};

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use crate::{
    group,
    program::{Pipes, Program},
    within::Within,
};
#[cfg(target_os = "linux")]
use crate::{supervised, supervisor};

/// The maximum time to wait until everything that a program started has ended. If the system takes longer to release a
/// process, the supervisor continues to wait for it without Loopwright.
const ENDS_WITHIN: Duration = Duration::from_secs(3);

/// A running program. Dropping it ends the program and everything that it started.
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
    /// Returns the system's error if the program cannot be started.
    pub async fn start(&self) -> io::Result<Running> {
        self.start_within(None).await
    }

    /// Starts the program as [`Self::start`] does, within limits.
    ///
    /// # Errors
    /// Returns an error as [`Self::start`] does, or if the limits cannot be applied.
    pub async fn start_within(&self, within: Option<&dyn Within>) -> io::Result<Running> {
        #[cfg(target_os = "linux")]
        if supervisor::is_available() {
            match supervised::start(self, within).await {
                Ok((pipes, supervised)) => {
                    return Ok(Running::new(pipes, Held::Supervised(supervised)));
                }
                Err(supervised::NotStarted::Program(error)) => return Err(error),
                Err(supervised::NotStarted::Supervisor(error)) => {
                    tracing::warn!(
                        "The process supervisor could not be started: {error}. When `{}` ends, programs that left its process group keep running.",
                        self.command.display()
                    );
                }
            }
        }
        let (pipes, group) = group::start(self, within)?;
        Ok(Running::new(pipes, Held::Group(group)))
    }
}

impl Running {
    fn new(pipes: Pipes, held: Held) -> Self {
        let Pipes {
            stdin,
            stdout,
            stderr,
        } = pipes;
        Self {
            stdin,
            stdout,
            stderr,
            held,
        }
    }

    /// Waits until the program itself has exited. The processes that it left running are then ended in the background.
    ///
    /// # Errors
    /// Returns an error if the exit status cannot be determined.
    pub async fn exited(&mut self) -> io::Result<ExitStatus> {
        match &mut self.held {
            #[cfg(target_os = "linux")]
            Held::Supervised(supervised) => supervised.exited().await,
            Held::Group(group) => group.exited().await,
        }
    }

    /// Ends the program if it is still running, and waits a few seconds for all its processes to end.
    pub async fn end(self) {
        let ended = async {
            match self.held {
                #[cfg(target_os = "linux")]
                Held::Supervised(supervised) => supervised.end().await,
                Held::Group(group) => group.end().await,
            }
        };
        if tokio::time::timeout(ENDS_WITHIN, ended).await.is_err() {
            tracing::warn!("A program has not ended in time and is still being stopped.");
        }
    }
}
