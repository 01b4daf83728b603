//! Calls of models as an execution makes them: what they are known to have used, and which of them are under way.
//!
//! An execution that ends by itself says what it used. One that is cut off (by its node's `timeout`, or because its run or its loop
//! is over) says nothing any more, and what it had sent may have been answered and charged. So each call is noted here as it is
//! sent: the execution has its [`Calls`], and hands a [`Call`] of them to whoever makes one.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::outcome::Usage;

/// The calls of one execution. Cheap to clone.
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
    /// Something was noted that nobody has looked at. Of many executions under way few have news between two steps of a run.
    news: AtomicBool,
    world_began: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// By calls that ended.
    ended: Usage,
    open: BTreeMap<u64, Open>,
    next: u64,
}

/// A call that has not ended.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// By requests of it that were answered.
    known: Usage,
    /// A request of it is sent, and not answered.
    sent: bool,
    /// It costs nothing, whatever it uses.
    is_free: bool,
}

impl Open {
    /// What it comes to where it is cut off now.
    fn so_far(&self) -> Usage {
        let mut usage = self.known;
        if self.sent {
            usage.add(&Usage::cut_off_call(self.is_free));
        }
        usage
    }
}

impl Calls {
    /// Of an execution that only computes: it makes none, and nothing is noted.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    fn state(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.0.as_ref()?.state.lock();
        Some(state.unwrap_or_else(PoisonError::into_inner))
    }

    /// To note something.
    fn change(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.state()?;
        self.0.as_ref()?.news.store(true, Ordering::Release);
        Some(state)
    }

    /// As [`Calls::so_far`], where something was noted since this was asked last.
    pub fn news(&self) -> Option<Usage> {
        // A look is cheaper than a change, and there is none as a rule.
        let news = &self.0.as_ref()?.news;
        let news = news.load(Ordering::Acquire) && news.swap(false, Ordering::AcqRel);
        news.then(|| self.so_far())
    }

    /// From here on the execution may touch the world.
    pub(crate) fn world_begins(&self) {
        if let Some(shared) = &self.0 {
            shared.world_began.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it may have touched the world.
    pub(crate) fn world_began(&self) -> bool {
        (self.0.as_ref()).is_some_and(|shared| shared.world_began.load(Ordering::Relaxed))
    }

    /// What the execution's calls come to where it is cut off now. Of those under way no more is known than that they were made.
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

    /// Whether something was sent that is not answered.
    pub fn is_waiting(&self) -> bool {
        (self.state()).is_some_and(|state| state.open.values().any(|open| open.sent))
    }

    /// A call that is to be made. It counts from when it begins.
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

    /// A call that begins now.
    pub fn begin(&self) -> Call {
        let call = self.new_call();
        call.begin();
        call
    }
}

/// One call of an execution. From [`Call::begin`] to [`Call::ended`] it counts as cut off. Notes of a call that has not begun change
/// nothing; the default never begins, because outside of an execution nobody counts.
#[derive(Debug, Clone, Default)]
pub struct Call {
    of: Calls,
    number: u64,
}

impl Call {
    /// It begins. Whoever makes it may say more of it; until then it counts as sent.
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

    /// It has sent nothing yet.
    pub fn preparing(&self) {
        self.change(|open| open.sent = false);
    }

    /// A request of it is sent. `is_free`: it costs nothing, whatever it uses.
    pub fn sending(&self, is_free: bool) {
        self.change(|open| {
            open.sent = true;
            open.is_free = is_free;
        });
    }

    /// The request that was sent was refused, and is not charged.
    pub fn refused(&self) {
        self.change(|open| open.sent = false);
    }

    /// The request that was sent was answered; the call has used this so far.
    pub fn answered(&self, so_far: &Usage) {
        self.change(|open| {
            open.sent = false;
            open.known = *so_far;
        });
    }

    /// It ended, and used this.
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
        // It has not begun.
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
        // The answer was not as it should be, and is asked for once more.
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
    fn a_call_outside_of_an_execution_counts_nowhere() {
        let call = Call::default();
        call.sending(false);
        call.ended(&Usage::unknown_call());
        assert_eq!(counts(&call.of.so_far()), (0, 0, 0));
        assert!(!call.of.is_waiting());
    }
}
