//! Virtual time for runs, which jumps to the next timer as soon as nothing else can happen.

use std::{
    future::{Future, poll_fn},
    pin::pin,
};

use loopwright_engine::computations_under_way;

/// Runs `work` in virtual time. The clock stops while another thread computes, because tokio does not know about that. Otherwise
/// a timeout would fire before the computation is finished.
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
