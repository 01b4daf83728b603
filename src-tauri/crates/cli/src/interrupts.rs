//! Ctrl-C and the signals that ask for the same, counted from before a run begins, so that none is lost between its first record
//! and the one who follows it.

use loopwright_process::EndSignals;
use tokio::sync::watch;

/// How often this program was asked to end since.
#[derive(Clone)]
pub(crate) struct Interrupts(watch::Receiver<usize>);

impl Interrupts {
    /// From here on neither Ctrl-C nor SIGTERM or SIGHUP ends the program by itself.
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
            Err(error) => crate::out::errln!("Ctrl-C cannot be listened to: {error}"),
        }
        Self(times)
    }

    pub(crate) fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Comes back once it was asked more often than that; never, where it cannot be listened to.
    pub(crate) async fn more_than(&mut self, count: usize) {
        if self.0.wait_for(|now| *now > count).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
