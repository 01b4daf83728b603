//! Limits the garbage in the web view. JavaScriptCore collects everything only after the heap has grown by a factor that
//! depends on the computer's memory. On a computer with much memory, a window that follows a run for hours first grows by a
//! quarter of a gigabyte, and most of that is never returned. A flow's window really needs 30 to 60 MB.

use crate::environment;

/// An option of JavaScriptCore: the memory that it assumes the computer to have, in bytes.
const MEMORY: &str = "JSC_forceRAMSize";
/// Below a quarter of this size, the heap may double between two full collections; below a half, it may grow by half; above,
/// by a quarter. With 512 MB, a run of 10,000 iterations stays within 75 MB of its start. With 128 MB it stays within 40 MB,
/// but a flow of 1,000 nodes is then collected so often that dragging visibly stutters.
const ASSUMED: &str = "536870912";

/// Keeps the garbage of the web view small. Call it before anything else runs.
pub(crate) fn keep_small() {
    if cfg!(target_os = "linux") && std::env::var_os(MEMORY).is_none() {
        environment::set(MEMORY, ASSUMED);
    }
}
