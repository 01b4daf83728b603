//! Provides a large stack for deeply nested sources.

use std::cell::Cell;

/// The size in bytes of a stack that suffices, even in an unoptimised build, for the deepest nesting that a language's own
/// parser accepts.
pub(crate) const LARGE_STACK: usize = 256 * 1024 * 1024;

thread_local! {
    static IS_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Marks the calling thread as one whose stack has [`LARGE_STACK`] bytes, so that deep nesting needs no other thread.
pub(crate) fn mark_large_stack() {
    IS_LARGE.set(true);
}

/// Runs `work` on a stack that is large enough for deep nesting. Returns `None` if no such stack is available.
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
