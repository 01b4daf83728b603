//! Runs one approved command in a workspace, with a bounded log and a time limit. Everything that it starts ends with it.

use std::{
    ffi::OsString,
    io,
    path::Path,
    process::ExitStatus,
    time::{Duration, Instant},
};

use loopwright_process::{Program, Running, Within};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::error::{Error, Result};

/// A command to run.
#[derive(Debug, Clone)]
pub struct CommandRun<'a> {
    /// The program and its arguments.
    pub command: &'a [OsString],
    pub folder: &'a Path,
    /// The complete environment.
    pub env: &'a [(OsString, OsString)],
    pub time_limit: Duration,
    /// The bytes of output that are kept: the last ones.
    pub log_limit: usize,
    /// What the program may reach; `None` for all that this user may.
    pub within: Option<&'a dyn Within>,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandEnd {
    /// `None` if it exceeded its time limit, and was ended.
    pub status: Option<ExitStatus>,
    /// Standard output and error output, as they arrived.
    pub log: Vec<u8>,
    /// Whether the log has only the end of the output.
    pub is_log_cut: bool,
    pub time: Duration,
}

impl CommandEnd {
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

/// Runs a command to its end. Call it on a thread that may block.
///
/// # Errors
/// [`NotStarted`](Error::NotStarted) if the program cannot be started.
pub fn run_command(run: &CommandRun<'_>) -> Result<CommandEnd> {
    let program = run.command.first().cloned().unwrap_or_default();
    let not_started = |error: io::Error| Error::NotStarted {
        program: program.to_string_lossy().into_owned(),
        folder: run.folder.to_path_buf(),
        error,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(not_started)?;
    runtime.block_on(run_here(run)).map_err(not_started)
}

async fn run_here(run: &CommandRun<'_>) -> io::Result<CommandEnd> {
    let began = Instant::now();
    let program = Program {
        command: run.command.first().cloned().unwrap_or_default(),
        args: run.command.iter().skip(1).cloned().collect(),
        cwd: Some(run.folder.to_path_buf()),
        env: run.env.to_vec(),
    };
    let mut running = program.start_within(run.within).await?;
    running.stdin = None;
    let mut log = Log::new(run.log_limit);
    let status = tokio::time::timeout(run.time_limit, follow(&mut running, &mut log)).await;
    running.end().await;
    let status = match status {
        Ok(status) => Some(status?),
        Err(_) => None,
    };
    Ok(CommandEnd {
        status,
        is_log_cut: log.is_cut,
        log: log.bytes,
        time: began.elapsed(),
    })
}

/// Reads both outputs until the program has exited and they are at their end, or for a moment longer.
async fn follow(running: &mut Running, log: &mut Log) -> io::Result<ExitStatus> {
    /// What the program left running may hold its output open.
    const READS_ON: Duration = Duration::from_millis(500);
    let (mut out, mut err) = (running.stdout.take(), running.stderr.take());
    let mut ended: Option<(ExitStatus, tokio::time::Instant)> = None;
    loop {
        let until = ended.map(|(_, at)| at + READS_ON);
        let (mut first, mut second) = ([0; 8192], [0; 8192]);
        tokio::select! {
            count = read(&mut out, &mut first), if out.is_some() => match count {
                0 => out = None,
                count => log.add(&first[..count]),
            },
            count = read(&mut err, &mut second), if err.is_some() => match count {
                0 => err = None,
                count => log.add(&second[..count]),
            },
            status = running.exited(), if ended.is_none() => {
                ended = Some((status?, tokio::time::Instant::now()));
            }
            () = wait_until(until), if until.is_some() => out = None,
        }
        match ended {
            Some((status, _)) if out.is_none() && err.is_none() => return Ok(status),
            Some((status, at)) if at.elapsed() >= READS_ON => return Ok(status),
            _ => {}
        }
    }
}

async fn wait_until(until: Option<tokio::time::Instant>) {
    if let Some(until) = until {
        tokio::time::sleep_until(until).await;
    }
}

/// Reads some bytes. An output that cannot be read is at its end.
async fn read(from: &mut Option<impl AsyncRead + Unpin>, into: &mut [u8]) -> usize {
    match from {
        Some(from) => from.read(into).await.unwrap_or(0),
        None => 0,
    }
}

/// The end of an output.
struct Log {
    bytes: Vec<u8>,
    limit: usize,
    is_cut: bool,
}

impl Log {
    fn new(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            limit,
            is_cut: false,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let over = self.bytes.len().saturating_sub(self.limit);
        if over > 0 {
            self.bytes.drain(..over);
            self.is_cut = true;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, seconds: f64, log_limit: usize) -> CommandEnd {
        let command = ["/bin/sh", "-c", script].map(OsString::from);
        run_command(&CommandRun {
            command: &command,
            folder: Path::new("/"),
            env: &[("PATH".into(), std::env::var_os("PATH").unwrap())],
            time_limit: Duration::from_secs_f64(seconds),
            log_limit,
            within: None,
        })
        .unwrap()
    }

    #[test]
    fn the_log_has_the_end_of_both_outputs() {
        let end = shell("echo one; echo two >&2; exit 4", 60.0, 1000);
        assert_eq!(end.status.unwrap().code(), Some(4));
        let log = String::from_utf8(end.log).unwrap();
        assert!(log.contains("one\n") && log.contains("two\n"), "{log}");
        let end = shell("seq 1 10000", 60.0, 12);
        assert_eq!(
            (&end.log[..], end.is_log_cut),
            (&b"\n9999\n10000\n"[..], true)
        );
    }

    #[test]
    fn a_command_that_takes_too_long_is_ended() {
        let began = Instant::now();
        let end = shell("echo begun; sleep 60", 0.3, 1000);
        assert_eq!((end.status, &end.log[..]), (None, &b"begun\n"[..]));
        // A program that it left running does not keep it from ending.
        let end = shell("sleep 60 & echo done", 50.0, 1000);
        assert!(end.is_success());
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_missing_program_is_an_error_with_its_folder() {
        let command = ["/nowhere/program".into()];
        let error = run_command(&CommandRun {
            command: &command,
            folder: Path::new("/"),
            env: &[],
            time_limit: Duration::from_secs(1),
            log_limit: 10,
            within: None,
        });
        let error = error.unwrap_err().to_string();
        assert!(
            error.starts_with("/nowhere/program could not be started in /"),
            "{error}"
        );
    }
}
