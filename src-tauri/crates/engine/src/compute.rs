//! Pure computations: begun where they are asked for, and moved to a thread where they take longer.
//!
//! Most take microseconds, and a thread for each would cost more than they do. So the first attempt is made in place and is
//! given up after a millisecond or two of work, counted and not timed. What is given up begins again on a thread, with all that it
//! may take, and gives the same there: it depends on its input alone. It is ended by dropping the future.

use std::sync::{
    Arc, LazyLock,
    atomic::{AtomicBool, Ordering},
};

use loopwright_model::meter::{self, Limit};
use tokio::sync::Semaphore;

use crate::outcome::NodeError;

/// What an attempt in place may take.
const IN_PLACE: Limit = Limit {
    work: 2_000 * meter::STEP,
    bytes: 1024 * 1024,
    too_much_work: "",
    too_many_bytes: "",
};

/// Computations on threads at once in this process: more would only share the processors, and each may fill its memory.
static PLACES: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let places = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    Arc::new(Semaphore::new(places))
});

/// Attempts a computation in place. `None`: it takes longer.
pub(crate) fn in_place<T>(computation: impl FnOnce() -> T) -> Option<T> {
    meter::attempt(IN_PLACE, computation)
}

/// Ends a computation when its result is not waited for any more.
struct EndOnDrop(Arc<AtomicBool>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a computation on a thread. It ends within milliseconds of the future being dropped.
///
/// # Errors
/// `internal`, where it panicked.
pub(crate) async fn on_a_thread<T: Send + 'static>(
    computation: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NodeError> {
    let ended = Arc::new(AtomicBool::new(false));
    let _guard = EndOnDrop(Arc::clone(&ended));
    let place = Arc::clone(&PLACES)
        .acquire_owned()
        .await
        .map_err(|_| NodeError::new("cancelled", "The program is ending."))?;
    let running = tokio::task::spawn_blocking(move || {
        let result = meter::until(&ended, computation);
        drop(place);
        result
    });
    running.await.map_err(|broken| {
        NodeError::new(
            "internal",
            format!("A computation broke off: {broken}. This is a defect of the program."),
        )
    })
}

/// Runs a computation of a node in place, or on a thread where it takes longer, so that the run goes on meanwhile.
///
/// # Errors
/// As [`on_a_thread`].
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
    use std::time::{Duration, Instant};

    use super::*;

    /// Counts work until it is told to stop; gives whether it was.
    fn endless(most: u64) -> bool {
        (0..most).any(|_| meter::charge(100, 0).is_err())
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
    }

    #[test]
    fn the_result_is_the_same_in_place_and_on_a_thread() {
        runtime().block_on(async {
            for work in [1, 10_000] {
                let done =
                    compute(move || (0..work).filter(|_| meter::charge(100, 0).is_ok()).count());
                assert_eq!(done.await.unwrap(), work);
            }
        });
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn a_computation_ends_when_nobody_waits_for_it() {
        let (told, ended) = std::sync::mpsc::channel();
        runtime().block_on(async {
            let computation = compute(move || {
                let was_stopped = endless(u64::MAX);
                // The attempt in place is stopped as well.
                let _ = told.send(was_stopped);
            });
            assert!(
                tokio::time::timeout(Duration::from_millis(50), computation)
                    .await
                    .is_err()
            );
        });
        let began = Instant::now();
        assert_eq!(ended.recv(), Ok(true));
        assert_eq!(ended.recv_timeout(Duration::from_secs(5)), Ok(true));
        assert!(began.elapsed() < Duration::from_secs(1));
    }
}
