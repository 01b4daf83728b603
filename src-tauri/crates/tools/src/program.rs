//! A program started by a tool: its environment, its input, and the wait for its exit.

use std::{ffi::OsString, future::Future, io, path::Path, process::ExitStatus, time::Duration};

use crate::workspace::Limits;
use loopwright_model::environment::PASSED_ON;
use loopwright_process::{Program, Running};
use tokio::{
    io::AsyncWriteExt as _,
    process::{ChildStderr, ChildStdout},
};

/// How long output is still read after the program has exited. Its own output is complete by then, but processes that it
/// left behind may keep the stream open.
const READS_ON: Duration = Duration::from_secs(1);

/// A running program. Dropping this value stops the program and everything that it started.
pub(crate) struct Started(Running);

impl Started {
    /// Starts a program. `env` contains variables in addition to those that every program needs. `limits` are the limits of
    /// the workspace, if there is one.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started.
    pub(crate) async fn new(
        command: OsString,
        args: &[String],
        cwd: &Path,
        env: &[(String, String)],
        limits: Option<&Limits>,
    ) -> io::Result<Self> {
        let passed_on = PASSED_ON
            .iter()
            .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
        let given = env
            .iter()
            .map(|(name, value)| (name.into(), OsString::from(value)));
        let program = Program {
            command,
            args: args.iter().map(Into::into).collect(),
            cwd: Some(cwd.to_path_buf()),
            env: passed_on
                .chain(limits.into_iter().flat_map(Limits::env).cloned())
                .chain(given)
                .collect(),
        };
        let within = limits.and_then(Limits::within);
        Ok(Self(program.start_within(within).await?))
    }

    /// Returns the output and error streams, to be read by the `read` argument of [`Self::finish`].
    pub(crate) fn outputs(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.0.stdout.take(), self.0.stderr.take())
    }

    /// Sends the input to the program and waits for its exit. `read` reads the program's streams until they end. If `read`
    /// is dropped earlier, it must have kept what it has read. Returns an error if `read` fails, or if the exit status
    /// cannot be determined. If `read` fails, the program is stopped.
    pub(crate) async fn finish(
        self,
        input: String,
        read: impl Future<Output = io::Result<()>>,
    ) -> io::Result<ExitStatus> {
        let Self(mut running) = self;
        let stdin = running.stdin.take();
        let status = {
            let feed = async {
                if let Some(mut stdin) = stdin {
                    // A program may exit without reading its input, which is not an error.
                    let _ = stdin.write_all(input.as_bytes()).await;
                    let _ = stdin.shutdown().await;
                }
            };
            let exited = running.exited();
            tokio::pin!(read, feed, exited);
            let (mut all_read, mut fed) = (false, false);
            let status = loop {
                tokio::select! {
                    status = &mut exited => break status?,
                    done = &mut read, if !all_read => {
                        done?;
                        all_read = true;
                    }
                    () = &mut feed, if !fed => fed = true,
                }
            };
            if !all_read && let Ok(done) = tokio::time::timeout(READS_ON, read).await {
                done?;
            }
            status
        };
        running.end().await;
        Ok(status)
    }
}
