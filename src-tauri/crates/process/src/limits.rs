//! Limits of the system that would end this process without a word.

use std::io;

/// A file that may not grow (`ulimit -f`) makes a write fail from here on; the system would end the process instead. Programs that are
/// started do not inherit this. Within a runtime.
///
/// # Errors
/// Where the system does not let the signal be caught.
pub fn survive_file_size_limit() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        #[cfg(target_os = "linux")]
        let number = nix::sys::signal::Signal::SIGXFSZ as i32;
        // The same on macOS and the BSDs.
        #[cfg(not(target_os = "linux"))]
        let number = 25;
        // Nobody waits for it: what counts is that it is caught.
        drop(signal(SignalKind::from_raw(number))?);
    }
    Ok(())
}
