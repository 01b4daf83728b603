//! Reads the output of an agent program.

use std::{io, sync::Arc};

use loopwright_engine::redact::{RedactedBytes, Redactor};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::program::Started;

/// The maximum number of bytes read from standard output. A program that prints more is stopped.
const MAX_OUTPUT: usize = 16 * 1024 * 1024;
/// The number of bytes kept from the end of standard error.
const MAX_ERRORS: usize = 4_000;
/// The output of a program that has exited.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) success: bool,
    /// The exit status as text: `exit status: 1`.
    pub(crate) status: String,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// Sends the input to the program and waits for its exit. A program that prints more than the limit is stopped. Secrets known
/// to `redactor` are removed from the output.
pub(super) async fn finish(
    mut started: Started,
    input: String,
    redactor: Arc<Redactor>,
) -> io::Result<Ended> {
    let mut output = Vec::new();
    let mut errors = Tail::new(Arc::clone(&redactor));
    let (out, err) = started.outputs();
    let read = read(out, &mut output, err, &mut errors);
    let status = started.finish(input, read).await?;
    Ok(Ended {
        success: status.success(),
        status: status.to_string(),
        output: redactor.redact(&String::from_utf8_lossy(&output)),
        errors: errors.end(),
    })
}

/// Reads both streams until the program closes them. If the future is dropped earlier, `output` and `errors` contain what was
/// read so far.
async fn read(
    stdout: Option<impl AsyncRead + Unpin>,
    output: &mut Vec<u8>,
    stderr: Option<impl AsyncRead + Unpin>,
    errors: &mut Tail,
) -> io::Result<()> {
    tokio::try_join!(whole(stdout, output), errors.read(stderr))?;
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
                "it printed more than {} MB, and was ended",
                MAX_OUTPUT / 1024 / 1024
            )));
        }
    }
}

/// The last bytes of an output.
struct Tail {
    redacted: RedactedBytes,
    last: Vec<u8>,
}

impl Tail {
    fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redacted: RedactedBytes::new(redactor),
            last: Vec::new(),
        }
    }

    async fn read(&mut self, from: Option<impl AsyncRead + Unpin>) -> io::Result<()> {
        let Some(mut from) = from else { return Ok(()) };
        let mut part = [0; 4096];
        loop {
            let read = from.read(&mut part).await?;
            if read == 0 {
                return Ok(());
            }
            let last = &mut self.last;
            self.redacted
                .push(&part[..read], |bytes| last.extend_from_slice(bytes));
            let over = last.len().saturating_sub(MAX_ERRORS);
            last.drain(..over);
        }
    }

    fn end(mut self) -> String {
        self.last.extend(self.redacted.end());
        String::from_utf8_lossy(&self.last).into_owned()
    }
}
