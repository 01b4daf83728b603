//! Sets what WebKitGTK reads from the environment, for which it offers no call.

/// Sets `name` for this process and for the web view's, which inherits it. Call it before anything else runs: nobody may
/// read the environment meanwhile.
pub(crate) fn set(name: &str, value: &str) {
    // SAFETY: `run` calls this through `drawing` and `web_view_heap` before it starts a thread, so that nobody reads the
    // environment meanwhile.
    #[allow(unsafe_code)]
    unsafe {
        std::env::set_var(name, value);
    }
}
