//! An agent's program: what it is given, what it prints, and when its output is taken to be over.

use std::{ffi::OsString, io, path::Path, time::Duration};

use loopwright_engine::trust::PASSED_ON;
use loopwright_process::{Program, Running};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

/// Bytes of standard output that are read; a program that says more is ended.
const MAX_OUTPUT: usize = 16 * 1024 * 1024;
/// Bytes of the end of standard error that are kept.
const MAX_ERRORS: usize = 4_000;
/// How long the output of a program that has exited is read. All that it printed itself is there by then; what it left running may
/// hold its output open for longer.
const READS_ON: Duration = Duration::from_secs(1);

/// A program under way. Dropping it ends the program and everything that it started.
pub(super) struct Started(Running);

/// What a program said.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) success: bool,
    /// `exit status: 1`
    pub(crate) status: String,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Started {
    pub(super) async fn new(
        program: &str,
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
            command: program.into(),
            args: args.iter().map(Into::into).collect(),
            cwd: Some(cwd.to_path_buf()),
            env: passed_on.chain(given).collect(),
        };
        Ok(Self(program.start().await?))
    }

    /// Gives the program its input, and waits for its exit.
    pub(super) async fn finish(self, input: String) -> io::Result<Ended> {
        let Self(mut running) = self;
        let stdin = running.stdin.take();
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let status = {
            let read = read(
                running.stdout.take(),
                &mut output,
                running.stderr.take(),
                &mut errors,
            );
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
                        // More than is read ends the program, which goes with `running`.
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
        Ok(Ended {
            success: status.success(),
            status: status.to_string(),
            output: String::from_utf8_lossy(&output).into_owned(),
            errors: String::from_utf8_lossy(&errors).into_owned(),
        })
    }
}

/// Reads both until they end. What was read so far is kept when nobody waits any longer.
async fn read(
    stdout: Option<impl AsyncRead + Unpin>,
    output: &mut Vec<u8>,
    stderr: Option<impl AsyncRead + Unpin>,
    errors: &mut Vec<u8>,
) -> io::Result<()> {
    tokio::try_join!(whole(stdout, output), tail(stderr, errors))?;
    Ok(())
}

async fn whole(from: Option<impl AsyncRead + Unpin>, all: &mut Vec<u8>) -> io::Result<()> {
    let Some(mut from) = from else { return Ok(()) };
    loop {
        all.reserve(16 * 1024);
        if from.read_buf(all).await? == 0 {
            return Ok(());
        }
        if all.len() > MAX_OUTPUT {
            return Err(io::Error::other(format!(
                "it said more than {} MB, and was ended",
                MAX_OUTPUT / 1024 / 1024
            )));
        }
    }
}

async fn tail(from: Option<impl AsyncRead + Unpin>, last: &mut Vec<u8>) -> io::Result<()> {
    let Some(mut from) = from else { return Ok(()) };
    let mut part = [0; 4096];
    loop {
        let read = from.read(&mut part).await?;
        if read == 0 {
            return Ok(());
        }
        last.extend_from_slice(&part[..read]);
        let over = last.len().saturating_sub(MAX_ERRORS);
        last.drain(..over);
    }
}
