//! Runs an agent program until it exits: sends its input, records its transcript, and collects its output.

use std::{io, sync::Arc, time::Duration};

use loopwright_engine::redact::{RedactedBytes, Redactor};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::ChildStdout,
};

use super::stream::Stream;
use crate::program::Started;

/// The number of bytes kept from the end of standard error.
const MAX_ERRORS: usize = 4_000;
/// The time after which new entries of the transcript are passed on, even if the program prints nothing more.
const PASS_ON_AFTER: Duration = Duration::from_millis(250);

/// The output of a program that has exited.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) success: bool,
    /// The exit status as text, such as `exit status: 1`.
    pub(crate) status: String,
    /// The part of the output that the answer needs.
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// Sends the input to the program and waits for its exit. A program that prints more than the limit is stopped. Secrets
/// known to `redactor` are removed from the output. If the future is dropped, the transcript contains the output up to that
/// time.
///
/// # Errors
/// Returns an error if the program prints more than the limit, or if a stream cannot be read.
pub(super) async fn finish(
    mut started: Started,
    input: String,
    redactor: Arc<Redactor>,
    stream: Stream,
) -> io::Result<Ended> {
    let mut outputs = Outputs {
        stream,
        errors: Tail::new(redactor),
        is_over: false,
    };
    let (out, err) = started.outputs();
    let Outputs { stream, errors, .. } = &mut outputs;
    let read = async {
        tokio::try_join!(follow(out, stream), errors.read(err))?;
        Ok(())
    };
    let status = started.finish(input, read).await?;
    let (output, errors) = outputs.end();
    Ok(Ended {
        success: status.success(),
        status: status.to_string(),
        output,
        errors,
    })
}

/// The standard output and standard error of a program. The transcript is complete even if the program is stopped.
struct Outputs {
    stream: Stream,
    errors: Tail,
    is_over: bool,
}

impl Outputs {
    fn end(&mut self) -> (String, String) {
        self.is_over = true;
        let errors = self.errors.end();
        (self.stream.end(&errors), errors)
    }
}

impl Drop for Outputs {
    fn drop(&mut self) {
        if !self.is_over {
            self.end();
        }
    }
}

/// Reads standard output until the program closes it.
async fn follow(from: Option<ChildStdout>, to: &mut Stream) -> io::Result<()> {
    let Some(mut from) = from else { return Ok(()) };
    let mut part = vec![0; 64 * 1024];
    loop {
        if let Ok(read) = tokio::time::timeout(PASS_ON_AFTER, from.read(&mut part)).await {
            match read? {
                0 => return Ok(()),
                read => to.push(&part[..read])?,
            }
        }
        to.transcript().pass_on();
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

    fn end(&mut self) -> String {
        self.last.extend(self.redacted.end());
        String::from_utf8_lossy(&self.last).into_owned()
    }
}
