//! Ctrl-C, counted from before a run begins, so that none is lost between its first record and the one who follows it.

use std::{future::poll_fn, task::Poll};

use tokio::sync::watch;

/// How often Ctrl-C was pressed since.
#[derive(Clone)]
pub(crate) struct Interrupts(watch::Receiver<usize>);

impl Interrupts {
    /// From here on Ctrl-C ends no program by itself.
    pub(crate) async fn listen() -> Self {
        let (pressed, presses) = watch::channel(0);
        let mut next = Box::pin(tokio::signal::ctrl_c());
        // The first look is what takes the signal over; a press now is kept for the next one.
        let early = poll_fn(|cx| Poll::Ready(next.as_mut().poll(cx).is_ready())).await;
        tokio::spawn(async move {
            if early {
                pressed.send_modify(|count| *count += 1);
                next = Box::pin(tokio::signal::ctrl_c());
            }
            while next.await.is_ok() {
                next = Box::pin(tokio::signal::ctrl_c());
                pressed.send_modify(|count| *count += 1);
            }
        });
        Self(presses)
    }

    pub(crate) fn count(&self) -> usize {
        *self.0.borrow()
    }

    /// Comes back once it was pressed more often than that; never, where it cannot be listened to.
    pub(crate) async fn more_than(&mut self, count: usize) {
        if self.0.wait_for(|now| *now > count).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
