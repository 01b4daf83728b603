//! The model calls of an execution: the calls in progress, and the known usage of each.
//!
//! An execution that finishes reports its own usage. An execution can also be cut off, by its node's `timeout` or because its
//! run or loop is over. It then reports nothing, although its requests may have been answered and charged. So each call is
//! noted here when it is sent. An execution has one [`Calls`] and creates a [`Call`] for the code that makes a call.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::outcome::Usage;

/// The model calls of one execution. It is cheap to clone.
#[derive(Debug, Clone)]
pub struct Calls(Option<Arc<Shared>>);

impl Default for Calls {
    fn default() -> Self {
        Self(Some(Arc::default()))
    }
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Whether the state has changed since the last call of [`Calls::news`]. Most executions do not
    /// change their state between two steps of a run. They are skipped without a lock.
    news: AtomicBool,
    world_began: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// The usage of the finished calls.
    ended: Usage,
    open: BTreeMap<u64, Open>,
    next: u64,
    /// The model of the newest call, with its provider; `None` if no call named its model.
    model: Option<String>,
}

/// A call that has begun but not finished.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// The usage of the call's answered requests.
    known: Usage,
    /// Whether a request has been sent and not yet answered.
    sent: bool,
    /// Whether the call is free of charge, regardless of its usage.
    is_free: bool,
}

impl Open {
    /// Returns the usage that is charged if the call is cut off now.
    fn so_far(&self) -> Usage {
        let mut usage = self.known;
        if self.sent {
            usage.add(&Usage::cut_off_call(self.is_free));
        }
        usage
    }
}

impl Calls {
    /// Creates the value for an execution that only computes and so makes no calls. It has no state and records nothing.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    fn state(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.0.as_ref()?.state.lock();
        Some(state.unwrap_or_else(PoisonError::into_inner))
    }

    /// Locks the state for a change, and sets `news`. Returns `None` for an execution that makes no calls.
    fn change(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.state()?;
        self.0.as_ref()?.news.store(true, Ordering::Release);
        Some(state)
    }

    /// Returns [`Calls::so_far`] if the state has changed since the last call of this function, otherwise `None`.
    pub fn news(&self) -> Option<Usage> {
        // A load is cheaper than a swap, and usually there is no news.
        let news = &self.0.as_ref()?.news;
        let news = news.load(Ordering::Acquire) && news.swap(false, Ordering::AcqRel);
        news.then(|| self.so_far())
    }

    /// Notes that from now on, the execution may read or change something outside the run.
    pub(crate) fn world_begins(&self) {
        if let Some(shared) = &self.0 {
            shared.world_began.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether the execution may have read or changed something outside the run.
    pub(crate) fn world_began(&self) -> bool {
        (self.0.as_ref()).is_some_and(|shared| shared.world_began.load(Ordering::Relaxed))
    }

    /// Returns the usage to charge if the execution is cut off now. A call in progress counts with the usage of its answered
    /// requests, plus one call of unknown usage if a request has not been answered yet.
    pub fn so_far(&self) -> Usage {
        let Some(state) = self.state() else {
            return Usage::default();
        };
        let mut usage = state.ended;
        for open in state.open.values() {
            usage.add(&open.so_far());
        }
        usage
    }

    /// Returns the model of the newest call, with its provider. `None` if no call named its model.
    pub fn model(&self) -> Option<String> {
        self.state()?.model.clone()
    }

    /// Returns whether a request has been sent and not answered yet.
    pub fn is_waiting(&self) -> bool {
        (self.state()).is_some_and(|state| state.open.values().any(|open| open.sent))
    }

    /// Creates a call that has not begun. The call is counted from [`Call::begin`] on.
    pub fn new_call(&self) -> Call {
        let number = self.state().map_or(0, |mut state| {
            let number = state.next;
            state.next += 1;
            number
        });
        Call {
            of: self.clone(),
            number,
        }
    }

    /// Creates a call that has begun.
    pub fn begin(&self) -> Call {
        let call = self.new_call();
        call.begin();
        call
    }
}

/// One call of an execution. Between [`Call::begin`] and [`Call::ended`], the call is counted as if it had been cut off. Before
/// [`Call::begin`], the methods that report progress, such as [`Call::sending`], have no effect. A default call belongs to no
/// execution and is never counted.
#[derive(Debug, Clone, Default)]
pub struct Call {
    of: Calls,
    number: u64,
}

impl Call {
    /// Begins the call. The call counts as sent until another method reports otherwise, such as [`Call::preparing`].
    pub fn begin(&self) {
        let open = Open {
            known: Usage::default(),
            sent: true,
            is_free: false,
        };
        if let Some(mut state) = self.of.change() {
            state.open.insert(self.number, open);
        }
    }

    fn change(&self, change: impl FnOnce(&mut Open)) {
        if let Some(mut state) = self.of.change()
            && let Some(open) = state.open.get_mut(&self.number)
        {
            change(open);
        }
    }

    /// Sets the name of what is called: a model with its provider, such as `openai/gpt-4.1`, or an agent.
    pub fn to_model(&self, name: &str) {
        if let Some(mut state) = self.of.state()
            && state.model.as_deref() != Some(name)
        {
            state.model = Some(name.to_owned());
        }
    }

    /// Notes that the call has not sent a request yet.
    pub fn preparing(&self) {
        self.change(|open| open.sent = false);
    }

    /// Notes that a request is sent. `is_free` is true if the request is free of charge, regardless of its usage.
    pub fn sending(&self, is_free: bool) {
        self.change(|open| {
            open.sent = true;
            open.is_free = is_free;
        });
    }

    /// Notes that the request was refused, and is not charged.
    pub fn refused(&self) {
        self.change(|open| open.sent = false);
    }

    /// Notes that the request was answered. `so_far` is the usage of all answered requests of the call.
    pub fn answered(&self, so_far: &Usage) {
        self.change(|open| {
            open.sent = false;
            open.known = *so_far;
        });
    }

    /// Ends the call with its total usage. Has no effect if the call has not begun or has already ended.
    pub fn ended(&self, usage: &Usage) {
        if let Some(mut state) = self.of.change()
            && state.open.remove(&self.number).is_some()
        {
            state.ended.add(usage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(usage: &Usage) -> (u64, u64, u64) {
        (usage.calls, usage.input_tokens, usage.unpriced_calls)
    }

    #[test]
    fn what_is_sent_counts_until_it_is_answered_and_then_for_what_it_used() {
        let calls = Calls::default();
        let used = Usage {
            calls: 1,
            input_tokens: 7,
            ..Usage::default()
        };
        let so_far = |expected| assert_eq!(counts(&calls.so_far()), expected);
        let call = calls.new_call();
        // The call has not begun, so this has no effect.
        call.sending(false);
        so_far((0, 0, 0));
        call.begin();
        so_far((1, 0, 1));
        call.preparing();
        assert!(!calls.is_waiting());
        so_far((0, 0, 0));
        call.sending(true);
        so_far((1, 0, 0));
        call.refused();
        so_far((0, 0, 0));
        call.sending(false);
        call.answered(&used);
        so_far((1, 7, 0));
        // The answer was malformed, and is requested once more.
        call.sending(false);
        so_far((2, 7, 1));
        drop(calls.begin());
        so_far((3, 7, 2));
        call.ended(&used);
        call.ended(&used);
        so_far((2, 7, 1));
        assert!(calls.is_waiting());
    }

    #[test]
    fn a_call_counts_as_cut_off_until_it_is_answered() {
        let calls = Calls::default();
        let cut_off = || calls.so_far().cut_off_calls;
        let (free, other) = (calls.begin(), calls.begin());
        free.sending(true);
        assert_eq!((cut_off(), calls.so_far().unpriced_calls), (2, 1));
        free.ended(&Usage {
            calls: 1,
            ..Usage::default()
        });
        assert_eq!((cut_off(), calls.so_far().calls), (1, 2));
        other.ended(&Usage::unknown_call());
        assert_eq!((cut_off(), calls.so_far().calls), (0, 2));
    }

    #[test]
    fn the_newest_call_names_the_model() {
        let calls = Calls::default();
        assert_eq!(calls.model(), None);
        calls.begin().to_model("openai/small");
        calls.begin().to_model("openai/large");
        assert_eq!(calls.model().as_deref(), Some("openai/large"));
        assert_eq!(Calls::none().model(), None);
    }

    #[test]
    fn a_call_outside_of_an_execution_counts_nowhere() {
        let call = Call::default();
        call.to_model("openai/small");
        call.sending(false);
        call.ended(&Usage::unknown_call());
        assert_eq!(counts(&call.of.so_far()), (0, 0, 0));
        assert!(!call.of.is_waiting());
    }
}
