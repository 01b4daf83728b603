//! Handles system limits that would otherwise end this process silently.

use std::io;

/// Makes a write fail with an error if it exceeds the file size limit (`ulimit -f`). Otherwise the system would end the
/// process. Started programs do not inherit this setting. Call this function within a runtime.
///
/// # Errors
/// Returns an error if the system does not allow catching the signal.
pub fn survive_file_size_limit() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        #[cfg(target_os = "linux")]
        let number = nix::sys::signal::Signal::SIGXFSZ as i32;
        // The signal has the same number on macOS and the BSDs.
        #[cfg(not(target_os = "linux"))]
        let number = 25;
        // The stream is not needed. Registering it is enough to catch the signal.
        drop(signal(SignalKind::from_raw(number))?);
    }
    Ok(())
}
