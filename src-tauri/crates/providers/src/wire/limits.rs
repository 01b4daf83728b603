//! How long a call waits and how much it reads.

use std::time::Duration;

/// The longest that is waited and the most that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub connect: Duration,
    /// The longest time without a whole line from the server.
    pub idle: Duration,
    /// The longest time without a part of the answer, where the server shows by pings that it is still there.
    pub progress: Duration,
    /// The longest that one request may take, from its sending to the end of its answer.
    pub total: Duration,
    /// Bytes of one line of a stream.
    pub line: usize,
    /// Bytes of a whole answer.
    pub body: usize,
}

impl Limits {
    /// Those of a server on one's own computer: a model that has to be loaded first, and that works without a graphics card,
    /// is silent and slow for long.
    #[must_use]
    pub fn of_local_server(self) -> Self {
        Self {
            idle: self.idle * 5,
            progress: self.progress * 2,
            total: self.total * 6,
            ..self
        }
    }

    /// Those of a call whose node has a `timeout`: the person said how long it may take.
    #[must_use]
    pub(super) fn with_node_timeout(self, timeout: Option<Duration>) -> Self {
        match timeout {
            Some(timeout) => Self {
                progress: self.progress.max(timeout),
                // The node itself is first to say that its time is over.
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
