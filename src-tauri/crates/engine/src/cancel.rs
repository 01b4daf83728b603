//! A token that stops work. Its holder cancels the token. The work checks the token or waits for its cancellation. No async
//! runtime is needed.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use event_listener::{Event, listener};

/// A token that permanently stops the work that listens to it. Clones share the same state.
#[derive(Clone, Default)]
pub struct CancellationToken(Arc<State>);

#[derive(Default)]
struct State {
    is_cancelled: AtomicBool,
    cancelled: Event,
}

impl CancellationToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the token and wakes every task that waits for it. Further calls have no effect.
    pub fn cancel(&self) {
        if !self.0.is_cancelled.swap(true, Ordering::SeqCst) {
            self.0.cancelled.notify(usize::MAX);
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::SeqCst)
    }

    /// Waits until the token is cancelled. Returns at once if it already is. Dropping the future has no effect on the token.
    pub async fn cancelled(&self) {
        while !self.is_cancelled() {
            listener!(self.0.cancelled => listener);
            // A cancellation before this listener was created did not notify it, so the state is checked again.
            if !self.is_cancelled() {
                listener.await;
            }
        }
    }
}

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancellationToken")
            .field("is_cancelled", &self.is_cancelled())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use futures::{
        FutureExt as _,
        executor::block_on,
        future::{join, join_all},
    };

    use super::*;

    #[test]
    fn it_is_cancelled_once_and_for_good() {
        let token = CancellationToken::new();
        assert!(!token.is_cancelled());
        assert!(token.cancelled().now_or_never().is_none());
        token.cancel();
        token.cancel();
        assert!(token.is_cancelled());
        assert!(token.cancelled().now_or_never().is_some());
        assert!(token.cancelled().now_or_never().is_some());
        assert!(!CancellationToken::new().is_cancelled());
    }

    #[test]
    fn a_clone_is_the_same_token() {
        let token = CancellationToken::new();
        let clone = token.clone();
        let mut waiting = Box::pin(token.cancelled());
        assert!(waiting.as_mut().now_or_never().is_none());
        clone.cancel();
        assert!(waiting.as_mut().now_or_never().is_some());
        assert!(token.is_cancelled());
        // Dropping a clone does not change the state of the token.
        drop(clone);
        assert!(token.is_cancelled());
    }

    #[test]
    fn all_that_wait_are_woken() {
        let token = CancellationToken::new();
        let waiting = join_all((0..100).map(|_| token.cancelled()));
        let cancelling = async { token.cancel() };
        let (woken, ()) = block_on(join(waiting, cancelling));
        assert_eq!(woken.len(), 100);
    }

    #[test]
    fn a_waiter_that_was_dropped_takes_no_wake_from_another() {
        let token = CancellationToken::new();
        let mut dropped = Box::pin(token.cancelled());
        let mut kept = Box::pin(token.cancelled());
        assert!(dropped.as_mut().now_or_never().is_none());
        assert!(kept.as_mut().now_or_never().is_none());
        drop(dropped);
        token.cancel();
        assert!(kept.now_or_never().is_some());
    }

    #[test]
    fn a_cancel_from_another_thread_is_never_missed() {
        for _ in 0..1_000 {
            let token = CancellationToken::new();
            let waiters: Vec<_> = (0..2)
                .map(|_| {
                    let token = token.clone();
                    thread::spawn(move || block_on(token.cancelled()))
                })
                .collect();
            token.cancel();
            for waiter in waiters {
                waiter.join().unwrap();
            }
        }
    }
}
