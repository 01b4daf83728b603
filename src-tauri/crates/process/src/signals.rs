//! The signals that ask Loopwright itself to end: Ctrl-C, SIGTERM (from a service manager or `timeout`), and SIGHUP (the
//! terminal was closed).

use std::{
    future::poll_fn,
    io,
    task::{Context, Poll},
};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC, ctrl_c};

/// A listener for these signals. A signal that arrives between two calls of [`EndSignals::next`] is not lost.
pub struct EndSignals {
    #[cfg(unix)]
    signals: Vec<Signal>,
    #[cfg(windows)]
    signal: CtrlC,
}

impl EndSignals {
    /// Starts to listen for the signals. From now on, none of them ends the process directly. Call this within a runtime.
    ///
    /// # Errors
    /// Returns an error if the system does not allow listening for the signals.
    pub fn listen() -> io::Result<Self> {
        #[cfg(unix)]
        {
            let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
            // `nohup` ignores SIGHUP so that the program outlives its terminal.
            if !ignores_hangup() {
                kinds.push(SignalKind::hangup());
            }
            let signals = kinds.into_iter().map(signal).collect::<io::Result<_>>()?;
            Ok(Self { signals })
        }
        #[cfg(windows)]
        Ok(Self { signal: ctrl_c()? })
    }

    /// Waits for the next signal. Returns at once if a signal has arrived since the last call.
    pub async fn next(&mut self) {
        poll_fn(|cx| self.poll(cx)).await;
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        #[cfg(unix)]
        for signal in &mut self.signals {
            if signal.poll_recv(cx).is_ready() {
                return Poll::Ready(());
            }
        }
        #[cfg(windows)]
        if self.signal.poll_recv(cx).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

#[cfg(target_os = "linux")]
fn ignores_hangup() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| has_ignored_hangup(&status))
}

/// Returns whether SIGHUP is ignored, as it is after `nohup`. Systems other than Linux have no safe query for this. There,
/// SIGHUP counts as ignored if standard error is not a terminal, which is the case after `nohup`.
#[cfg(all(unix, not(target_os = "linux")))]
fn ignores_hangup() -> bool {
    use std::io::IsTerminal as _;
    !io::stderr().is_terminal()
}

/// Returns whether the ignored signals in `/proc/<pid>/status` include SIGHUP, the first signal.
#[cfg(target_os = "linux")]
fn has_ignored_hangup(status: &str) -> bool {
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .is_some_and(|set| set & 1 == 1)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::has_ignored_hangup;

    #[test]
    fn an_ignored_hangup_is_told_from_others() {
        let status = |set: &str| format!("Name:\tx\nSigBlk:\t0000000000000001\nSigIgn:\t{set}\n");
        assert!(has_ignored_hangup(&status("0000000000001001")));
        assert!(!has_ignored_hangup(&status("0000000000001000")));
        assert!(!has_ignored_hangup("Name:\tx\n"));
    }
}
