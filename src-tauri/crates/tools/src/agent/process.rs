//! A program of ours with everything that it starts: one process group, which ends as a whole.

use std::{io, path::Path, process::Stdio};

use loopwright_engine::trust::PASSED_ON;
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessGroup};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

/// Bytes of standard output that are read; a program that says more is ended.
const MAX_OUTPUT: usize = 16 * 1024 * 1024;
/// Bytes of the end of standard error that are kept.
const MAX_ERRORS: usize = 4_000;
/// A program under way. Dropping it ends its whole group.
pub(super) struct Started {
    child: Box<dyn ChildWrapper>,
    ended: bool,
}

/// What a program said.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) success: bool,
    /// `exit status: 1`
    pub(crate) status: String,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Drop for Started {
    fn drop(&mut self) {
        // Also after a good end: what the program left running goes with it. A group that is gone already is fine.
        let _ = self.child.start_kill();
        if !self.ended {
            // Reaped at once where that is possible, else by the runtime.
            let _ = self.child.try_wait();
        }
    }
}

impl Started {
    pub(super) fn new(
        program: &str,
        args: &[String],
        cwd: &Path,
        env: &[(String, String)],
    ) -> io::Result<Self> {
        let mut command = CommandWrap::with_new(program, |command| {
            command
                .args(args)
                .current_dir(cwd)
                .env_clear()
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .kill_on_drop(true);
            for name in PASSED_ON {
                if let Some(value) = std::env::var_os(name) {
                    command.env(name, value);
                }
            }
            command.envs(env.iter().map(|(name, value)| (name, value)));
        });
        command.wrap(ProcessGroup::leader());
        Ok(Self {
            child: command.spawn()?,
            ended: false,
        })
    }

    /// Gives the program its input, and waits for its end.
    pub(super) async fn finish(mut self, input: String) -> io::Result<Ended> {
        let stdin = self.child.stdin().take();
        let stdout = self.child.stdout().take();
        let stderr = self.child.stderr().take();
        let feed = async {
            if let Some(mut stdin) = stdin {
                // A program that does not read its input ends on its own terms.
                let _ = stdin.write_all(input.as_bytes()).await;
                let _ = stdin.shutdown().await;
            }
        };
        let child = &mut self.child;
        let end = async {
            let status = child.wait().await;
            // What it left running would hold its output open.
            let _ = child.start_kill();
            status
        };
        let (output, errors, (), status) = tokio::join!(whole(stdout), tail(stderr), feed, end);
        let (output, status) = (output?, status?);
        self.ended = true;
        Ok(Ended {
            success: status.success(),
            status: status.to_string(),
            output: String::from_utf8_lossy(&output).into_owned(),
            errors: String::from_utf8_lossy(&errors?).into_owned(),
        })
    }
}

async fn whole(from: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    if let Some(from) = from {
        from.take(MAX_OUTPUT as u64 + 1)
            .read_to_end(&mut all)
            .await?;
    }
    if all.len() > MAX_OUTPUT {
        return Err(io::Error::other(format!(
            "it said more than {} MB",
            MAX_OUTPUT / 1024 / 1024
        )));
    }
    Ok(all)
}

async fn tail(from: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut last = Vec::new();
    if let Some(mut from) = from {
        let mut part = [0; 4096];
        loop {
            let read = from.read(&mut part).await?;
            if read == 0 {
                break;
            }
            last.extend_from_slice(&part[..read]);
            let over = last.len().saturating_sub(MAX_ERRORS);
            last.drain(..over);
        }
    }
    Ok(last)
}
