//! Runs asynchronous readers to their end.

use std::cell::RefCell;

thread_local! {
    /// The runtime of this thread. It is created once, because creating a runtime for each case would be most of the cost.
    static RUNTIME: RefCell<Option<tokio::runtime::Runtime>> = const { RefCell::new(None) };
}

/// Runs `work` to its end on this thread, and returns its result.
pub(crate) fn wait<T>(work: impl Future<Output = T>) -> T {
    RUNTIME.with_borrow_mut(|slot| {
        let runtime = slot.get_or_insert_with(|| {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime can be made")
        });
        runtime.block_on(work)
    })
}
