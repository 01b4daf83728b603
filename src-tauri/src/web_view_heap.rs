//! How much garbage the web view lets lie. JavaScriptCore collects all of it only once the heap has grown by a factor that
//! depends on the memory of the machine; on one with much, a window that follows a run for hours grows by a quarter of a
//! gigabyte first, and most of that is never given back. What a flow's window really holds is 30 to 60 MB.

use crate::environment;

/// An option of JavaScriptCore: the bytes of memory that it takes the machine to have.
const MEMORY: &str = "JSC_forceRAMSize";
/// Up to a quarter of this the heap may double between two full collections, up to a half grow by half, and then by a
/// quarter. With 512 MB a run of 10,000 iterations stays within 75 MB of where it began. With 128 MB it is 40 MB, but a flow of
/// 1,000 nodes is then collected so often that one sees it when dragging.
const ASSUMED: &str = "536870912";

/// Keeps the garbage of the web view small. Call it first of all, while nothing else runs.
pub(crate) fn keep_small() {
    if cfg!(target_os = "linux") && std::env::var_os(MEMORY).is_none() {
        environment::set(MEMORY, ASSUMED);
    }
}
