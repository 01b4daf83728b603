//! A stack for what is nested deeply.

use std::cell::Cell;

/// Enough stack for the deepest nesting that a language's own parser lets pass, without optimisation.
pub(crate) const LARGE_STACK: usize = 256 * 1024 * 1024;

thread_local! {
    static IS_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// To be called on a thread with [`LARGE_STACK`], which then needs no other for what is nested deeply.
pub(crate) fn mark_large_stack() {
    IS_LARGE.set(true);
}

/// What `work` makes, on a stack for deep nesting; `None` where there is none.
pub(crate) fn run_on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    if IS_LARGE.get() {
        return Some(work());
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(LARGE_STACK)
            .spawn_scoped(scope, || {
                mark_large_stack();
                work()
            })
            .ok()
            .and_then(|thread| thread.join().ok())
    })
}
