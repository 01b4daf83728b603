//! A program that a tool starts: the environment that it is given, its input, and when its output is taken to be over.

use std::{ffi::OsString, future::Future, io, path::Path, process::ExitStatus, time::Duration};

use loopwright_model::environment::PASSED_ON;
use loopwright_process::{Program, Running};
use tokio::{
    io::AsyncWriteExt as _,
    process::{ChildStderr, ChildStdout},
};

/// How long the output of a program that has exited is read. All that it printed itself is there by then; what it left running may
/// hold its output open for longer.
const READS_ON: Duration = Duration::from_secs(1);

/// A program under way. Dropping it ends the program and everything that it started.
pub(crate) struct Started(Running);

impl Started {
    /// Starts a program. `env`: variables that it is given beyond those that every program needs.
    pub(crate) async fn new(
        command: OsString,
        args: &[String],
        cwd: &Path,
        env: &[(String, String)],
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
            env: passed_on.chain(given).collect(),
        };
        Ok(Self(program.start().await?))
    }

    /// What it prints and what it complains of, to be read in [`Self::finish`].
    pub(crate) fn outputs(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.0.stdout.take(), self.0.stderr.take())
    }

    /// Gives the program its input and waits for its exit. `read` reads its outputs until they end, and keeps what it has read
    /// so far where nobody waits any longer; an error of it ends the program.
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
                    // A program that does not read its input ends on its own terms.
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
