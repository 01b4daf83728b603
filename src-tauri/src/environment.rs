//! Sets environment variables that configure WebKitGTK. It has no functions for these settings.

/// Sets `name` for this process and for the web process, which inherits the environment. Call this function before any other
/// thread starts, because no other thread may read the environment while it changes.
pub(crate) fn set(name: &str, value: &str) {
    // SAFETY: `run` calls this through `drawing` and `web_view_heap` before it starts a thread, so nothing else can read the
    // environment while it changes.
    #[allow(unsafe_code)]
    unsafe {
        std::env::set_var(name, value);
    }
}
