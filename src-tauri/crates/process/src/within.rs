//! Limits on what a program can access. The program inherits them from the thread that starts it.

use std::{fmt, io, thread};

use tokio::runtime::Handle;

/// Limits for a program and for everything that it starts, such as the folders that it may write.
pub trait Within: fmt::Debug + Send + Sync {
    /// Applies the limits to the calling thread, permanently. The thread then starts the program and ends.
    ///
    /// # Errors
    /// Returns an error if the limits cannot be applied. The program is then not started.
    fn enter(&self) -> io::Result<()>;
}

/// Calls `start` on a new thread with the limits, or on this thread if there are no limits. A new thread is necessary
/// because the limits of a thread cannot be removed, and code between `fork` and `exec` could not set them safely.
///
/// # Errors
/// Returns the error of `start`, or an error if the limits cannot be applied.
pub(crate) fn start<T: Send>(
    within: Option<&dyn Within>,
    start: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<T> {
    let Some(within) = within else {
        return start();
    };
    let runtime = Handle::current();
    thread::scope(|scope| {
        let started = thread::Builder::new().spawn_scoped(scope, || {
            let _runtime = runtime.enter();
            within.enter()?;
            start()
        })?;
        started.join().unwrap_or_else(|_| {
            Err(io::Error::other(
                "the thread that starts the program panicked",
            ))
        })
    })
}
