//! Sets environment variables of WebKitGTK for which it has no function.

/// Sets `name` for this process and for the web process, which inherits it. Call it before anything else runs: no other
/// thread may read the environment meanwhile.
pub(crate) fn set(name: &str, value: &str) {
    // SAFETY: `run` calls this through `drawing` and `web_view_heap` before it starts a thread, so nothing reads the
    // environment meanwhile.
    #[allow(unsafe_code)]
    unsafe {
        std::env::set_var(name, value);
    }
}
