//! Counts presses of Ctrl-C, and the signals with the same meaning. Counting starts before a run does, so that no
//! signal is lost in between.

use loopwright_process::EndSignals;
use tokio::sync::watch;

/// The number of requests to end this program so far.
#[derive(Clone)]
pub(crate) struct Interrupts(watch::Receiver<usize>);

impl Interrupts {
    /// Starts to count. From now on, Ctrl-C, SIGTERM and SIGHUP no longer end the program by themselves.
    pub(crate) fn listen() -> Self {
        let (asked, times) = watch::channel(0);
        match EndSignals::listen() {
            Ok(mut signals) => {
                tokio::spawn(async move {
                    loop {
                        signals.next().await;
                        asked.send_modify(|count| *count += 1);
                    }
                });
            }
            Err(error) => crate::out::errln!("Ctrl-C cannot be handled: {error}"),
        }
        Self(times)
    }

    /// Returns a counter that stays at zero, for code that must not react to requests to end.
    pub(crate) fn ignored() -> Self {
        let (_, times) = watch::channel(0);
        Self(times)
    }

    pub(crate) fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Completes once the program has received more than `count` requests to end. Never completes if the signals cannot be
    /// received.
    pub(crate) async fn more_than(&mut self, count: usize) {
        if self.0.wait_for(|now| *now > count).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
