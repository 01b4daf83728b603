//! Records when the servers of providers were asked for the context windows of their models.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The time after which a local server is asked again. In the meantime, it may have reloaded a model with a different
/// context window.
const LOCAL_TTL: Duration = Duration::from_secs(60);

/// The times at which the servers of providers were last asked for context windows, by address.
#[derive(Debug, Default)]
pub(crate) struct AskedWindows(Mutex<HashMap<String, Instant>>);

impl AskedWindows {
    /// Returns whether a server may be asked now. If so, records the current time as the time at which it was asked. A
    /// remote server may be asked once per process, a local one once per [`LOCAL_TTL`].
    pub(crate) fn may_ask(&self, address: &str, is_local: bool) -> bool {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let may = asked
            .get(address)
            .is_none_or(|at| is_local && at.elapsed() >= LOCAL_TTL);
        if may {
            asked.insert(address.to_owned(), Instant::now());
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_server_is_asked_once() {
        let asked = AskedWindows::default();
        let may = |address, is_local| asked.may_ask(address, is_local);
        assert!(may("https://one.example/v1", false));
        assert!(!may("https://one.example/v1", false));
        assert!(may("http://127.0.0.1:11434/v1", true));
        assert!(!may("http://127.0.0.1:11434/v1", true));
    }
}
