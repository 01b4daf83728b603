//! Virtual time for runs: it goes to the next timer as soon as nothing else is to be done.

use std::{
    future::{Future, poll_fn},
    pin::pin,
};

use loopwright_engine::computations_under_way;

/// Runs `work` in virtual time. The clock stands still while something is computed on a thread, of which tokio knows nothing:
/// otherwise a timeout would ring before the computation is done.
pub(crate) fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let mut work = pin!(work);
    runtime.block_on(poll_fn(|context| {
        let polled = work.as_mut().poll(context);
        if polled.is_pending() && computations_under_way() > 0 {
            context.waker().wake_by_ref();
        }
        polled
    }))
}
