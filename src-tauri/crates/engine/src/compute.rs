//! Runs pure computations: first on the caller's thread, and on a separate thread if they take longer.
//!
//! Most computations take microseconds, which is less than the cost of a thread. So the first attempt runs in place and is
//! abandoned after one or two milliseconds of work. The work is counted, not timed. An abandoned computation starts again on a
//! separate thread, without that limit. Its result is the same there, because it depends only on the computation's input.
//! Dropping the future stops the computation.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use async_lock::Semaphore;
use loopwright_model::meter::{self, Limit};

use crate::outcome::NodeError;

/// The limit of the first attempt, which runs in place.
const IN_PLACE: Limit = Limit {
    work: 2_000 * meter::STEP,
    bytes: 1024 * 1024,
    too_much_work: "",
    too_many_bytes: "",
};

/// Limits the number of computations of this process that run on threads at once. More computations would only share the CPU
/// cores, and each may use much memory.
static PLACES: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let places = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    Arc::new(Semaphore::new(places))
});

/// Runs a computation in place. Returns `None` if the computation exceeded the limit for running in place and was abandoned.
pub fn in_place<T>(computation: impl FnOnce() -> T) -> Option<T> {
    meter::attempt(IN_PLACE, computation)
}

/// The number of computations whose results are awaited.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of computations of this process whose results are awaited, whether they already run on a thread or wait
/// for one. While this number is not zero, a virtual clock must not advance, because an async runtime does not see these
/// computations and considers their tasks idle.
pub fn computations_under_way() -> usize {
    UNDER_WAY.load(Ordering::SeqCst)
}

/// A guard that counts a computation as in progress from the request until its result is taken or no longer awaited.
struct UnderWay;

impl UnderWay {
    fn new() -> Self {
        UNDER_WAY.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A guard. Dropping it stops its computation, because the result is then no longer awaited.
struct EndOnDrop(Arc<AtomicBool>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a computation on a thread and returns its result. The computation stops within milliseconds after the future is
/// dropped.
///
/// # Errors
/// `internal` if the computation panics.
pub async fn on_a_thread<T: Send + 'static>(
    computation: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NodeError> {
    let _counted = UnderWay::new();
    let ended = Arc::new(AtomicBool::new(false));
    let _guard = EndOnDrop(Arc::clone(&ended));
    let place = PLACES.acquire_arc().await;
    let running = blocking::unblock(move || {
        // The computation counts against the limit until it has stopped, even if its result is no longer awaited.
        let _place = place;
        catch_unwind(AssertUnwindSafe(|| meter::until(&ended, computation)))
    });
    running.await.map_err(|panic| {
        NodeError::new(
            "internal",
            format!(
                "A computation stopped unexpectedly: {}. This is a bug in Loopwright.",
                words(&*panic)
            ),
        )
    })
}

/// Returns the message of a panic, or a general message if the panic has none.
fn words(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it panicked")
}

/// Runs a node's computation in place and returns its result. If the computation exceeds the limit for that, it runs again on a
/// thread, so the run is not blocked.
///
/// # Errors
/// Returns the errors of [`on_a_thread`].
pub async fn compute<T: Send + 'static>(
    computation: impl Fn() -> T + Send + 'static,
) -> Result<T, NodeError> {
    match in_place(&computation) {
        Some(result) => Ok(result),
        None => on_a_thread(computation).await,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{atomic::AtomicUsize, mpsc},
        thread,
        time::Duration,
    };

    use futures::{
        executor::block_on,
        future::{Either, join_all, select},
    };

    use super::*;

    /// Charges work to the meter until the computation is stopped, at most `most` times. Returns whether it was stopped.
    fn endless(most: u64) -> bool {
        (0..most).any(|_| meter::charge(100, 0).is_err())
    }

    #[test]
    fn the_result_is_the_same_in_place_and_on_a_thread() {
        for work in [1, 10_000] {
            let done = compute(move || (0..work).filter(|_| meter::charge(100, 0).is_ok()).count());
            assert_eq!(block_on(done).unwrap(), work);
        }
    }

    #[test]
    fn a_computation_ends_when_nobody_waits_for_it() {
        let (begins, began) = mpsc::channel();
        let (ends, ended) = mpsc::channel();
        let computation = Box::pin(compute(move || {
            let _ = begins.send(());
            let _ = ends.send(endless(u64::MAX));
        }));
        // One message comes from the attempt in place, the other from the attempt on a thread.
        let both_began = blocking::unblock(move || {
            (0..2)
                .map(|_| began.recv_timeout(Duration::from_secs(30)))
                .all(|began| began.is_ok())
        });
        match block_on(select(computation, both_began)) {
            Either::Right((both_began, _dropped)) => assert!(both_began),
            Either::Left(_) => panic!("it ended by itself"),
        }
        // Both attempts stop within a second of the drop.
        assert_eq!(ended.recv(), Ok(true));
        assert_eq!(ended.recv_timeout(Duration::from_secs(1)), Ok(true));
    }

    #[test]
    fn a_computation_counts_while_it_is_waited_for() {
        assert!(block_on(on_a_thread(computations_under_way)).unwrap() > 0);
    }

    #[test]
    fn a_panic_is_an_error_with_its_words() {
        let error = block_on(on_a_thread(|| -> u8 { panic!("at {}", 7) })).unwrap_err();
        assert_eq!(error.code, "internal");
        assert!(error.message.contains("at 7"), "{}", error.message);
        // A computation that panics no longer counts against the limit, so more computations than the limit can run one after
        // another.
        let places = thread::available_parallelism().map_or(2, std::num::NonZero::get);
        for _ in 0..=places {
            assert!(block_on(on_a_thread(|| -> u8 { panic!() })).is_err());
        }
        assert_eq!(block_on(on_a_thread(|| 1)).unwrap(), 1);
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn no_more_run_at_once_than_there_are_processors() {
        let places = thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let all = (0..places * 4).map(|_| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            on_a_thread(move || {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(20));
                running.fetch_sub(1, Ordering::SeqCst);
            })
        });
        assert!(block_on(join_all(all)).iter().all(Result::is_ok));
        assert!(most.load(Ordering::SeqCst) <= places);
    }
}
