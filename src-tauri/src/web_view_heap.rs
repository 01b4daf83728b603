//! Limits the garbage in the memory of the web view. JavaScriptCore collects the whole heap only when the heap has grown by a
//! factor that depends on the computer's memory. On a computer with a lot of memory, a window that follows a run for hours
//! therefore grows by 250 MB, although the page needs only 30 to 60 MB. Most of that memory is never returned to the system.

use crate::environment;

/// An option of JavaScriptCore: the amount of memory that it assumes for the computer, in bytes.
const MEMORY: &str = "JSC_forceRAMSize";
/// The assumed memory, 512 MB. Between two full collections, the heap may double while it is smaller than a quarter of this. It
/// may grow by half while it is smaller than half of this, and by a quarter when it is larger. With 512 MB, a run of 10,000
/// iterations adds at most 75 MB to the heap. With 128 MB it adds at most 40 MB, but the heap of a flow with 1,000 nodes is
/// then collected so often that dragging visibly stutters.
const ASSUMED: &str = "536870912";

/// Limits how much garbage the web view accumulates. Call this function before any other thread starts.
pub(crate) fn keep_small() {
    if cfg!(target_os = "linux") && std::env::var_os(MEMORY).is_none() {
        environment::set(MEMORY, ASSUMED);
    }
}
