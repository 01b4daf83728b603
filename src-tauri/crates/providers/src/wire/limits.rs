//! The time and size limits of a call.

use std::time::Duration;

/// The time and size limits of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub connect: Duration,
    /// The maximum time in which no complete line arrives.
    pub idle: Duration,
    /// The maximum time in which no part of the answer arrives, while pings show that the server is alive.
    pub progress: Duration,
    /// The maximum duration of one request, from sending it to the end of its answer.
    pub total: Duration,
    /// The maximum number of bytes of one line of a stream.
    pub line: usize,
    /// The maximum number of bytes of a whole answer.
    pub body: usize,
}

impl Limits {
    /// Returns the limits for a server on this computer. Such a server can be silent and slow for a long time: a model may have
    /// to be loaded first, or run without a graphics card.
    #[must_use]
    pub fn of_local_server(self) -> Self {
        Self {
            idle: self.idle * 5,
            progress: self.progress * 2,
            total: self.total * 6,
            ..self
        }
    }

    /// Returns the limits for a call whose node has a `timeout`.
    #[must_use]
    pub(super) fn with_node_timeout(self, timeout: Option<Duration>) -> Self {
        match timeout {
            Some(timeout) => Self {
                progress: self.progress.max(timeout),
                // The node's own timeout must expire first.
                total: timeout + Duration::from_secs(1),
                ..self
            },
            None => self,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(120),
            progress: Duration::from_secs(300),
            total: Duration::from_secs(600),
            line: 8 << 20,
            body: 64 << 20,
        }
    }
}
