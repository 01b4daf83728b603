//! The user's command that receives news about runs. It can forward the news to e-mail, chat or webhooks.

use std::{env, ffi::OsString, time::Duration};

use loopwright_process::Program;
use serde::Serialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::news::News;

/// The version of the JSON that the command receives.
const VERSION: u32 = 1;

/// The time limit of the command.
const LONGEST: Duration = Duration::from_secs(30);

/// The maximum number of bytes that are read from the command's standard error.
const MAX_ERRORS: u64 = 4_096;

/// The command: a program and its arguments. No shell is involved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotifyCommand {
    pub program: String,
    pub args: Vec<String>,
}

/// The JSON object that the command receives on its standard input.
#[derive(Serialize)]
struct Message<'a> {
    version: u32,
    #[serde(flatten)]
    news: &'a News,
}

impl NotifyCommand {
    /// Starts the command, writes the news to its standard input as JSON, and waits until it exits.
    ///
    /// # Errors
    /// Returns a sentence with the reason if the command cannot be started, does not exit within [`LONGEST`], or fails.
    pub(crate) async fn run(&self, news: &News) -> Result<(), String> {
        let message = Message {
            version: VERSION,
            news,
        };
        let mut json = serde_json::to_vec(&message).map_err(|error| error.to_string())?;
        json.push(b'\n');
        let program = Program {
            command: OsString::from(&self.program),
            args: self.args.iter().map(OsString::from).collect(),
            cwd: None,
            env: env::vars_os().collect(),
        };
        let name = &self.program;
        let mut running = program.start().await.map_err(|error| {
            format!(
                "The notify command `{name}` could not be started: {error}. Correct it in Settings."
            )
        })?;
        let (stdin, stderr) = (running.stdin.take(), running.stderr.take());
        let stdout = running.stdout.take();
        let write = async {
            if let Some(mut stdin) = stdin {
                // A command may exit without reading its input.
                let _ = stdin.write_all(&json).await;
            }
        };
        let errors = async {
            let mut text = Vec::new();
            if let Some(stderr) = stderr {
                let _ = stderr.take(MAX_ERRORS).read_to_end(&mut text).await;
            }
            String::from_utf8_lossy(&text).trim().to_owned()
        };
        let drained = async {
            if let Some(mut stdout) = stdout {
                let _ = tokio::io::copy(&mut stdout, &mut tokio::io::sink()).await;
            }
        };
        let done = async {
            let ((), errors, (), status) = tokio::join!(write, errors, drained, running.exited());
            (errors, status)
        };
        let Ok((errors, status)) = tokio::time::timeout(LONGEST, done).await else {
            running.end().await;
            return Err(format!(
                "The notify command `{name}` ran longer than {} s and was stopped. Run long work in the background.",
                LONGEST.as_secs()
            ));
        };
        let status = status.map_err(|error| {
            format!("The exit status of the notify command `{name}` is unknown: {error}")
        })?;
        if status.success() {
            return Ok(());
        }
        let why = errors.lines().last().unwrap_or_default();
        Err(format!(
            "The notify command `{name}` failed ({status}): {why}"
        ))
    }
}
