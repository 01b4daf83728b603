//! Breakpoints at the places that a fork changes: nothing there begins before the flow has been changed, and what does not
//! depend on them continues. A step depends on a place if it cannot run until the place has a value.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Pending, Run, Scope, Ticket,
    arena::{FrameId, ScopeId},
    breakpoint::{Breakpoint, Stopped, TimerName},
    frame::SlotState,
};
use crate::{
    journal::{self, Override},
    kind::Inputs,
    outcome::Outcome,
    plan::{Plan, Slot, Work},
};

impl Run {
    /// Holds the place at `path` until a fork there. Before the start.
    pub(crate) fn add_breakpoint(&mut self, path: &str, beyond: bool) {
        let input = self
            .plan
            .find(path)
            .filter(|&node| matches!(self.plan.nodes[node].work, Work::Input { .. }));
        self.breakpoints.push(Breakpoint {
            path: path.to_owned(),
            beyond,
            stopped: None,
            readers: input.map_or_else(Vec::new, |input| self.plan.readers_of_inputs(input)),
            reads: Vec::new(),
        });
    }

    /// Whether a timer is about something that keeps back a turn which reads an input with a breakpoint.
    pub(crate) fn times_a_reader(&self, name: &TimerName) -> bool {
        self.breakpoints.iter().any(|breakpoint| {
            breakpoint.reads.iter().any(|&(frame, slot)| {
                self.frames.get(frame).is_some()
                    && name.depends_on(&self.path(frame, self.node_at(frame, slot)))
            })
        })
    }

    /// Whether the run has reached the breakpoint at `path` and is stopped there.
    pub(crate) fn is_stopped_before(&self, path: &str) -> bool {
        self.breakpoints.iter().any(|breakpoint| {
            breakpoint.path == path
                && breakpoint
                    .stopped
                    .as_ref()
                    .is_some_and(|stopped| self.is_alive(stopped, path))
        })
    }

    /// What was stopped may have been dropped with its iteration.
    fn is_alive(&self, stopped: &Stopped, path: &str) -> bool {
        let node_at = |frame: FrameId, slot: Slot| {
            self.frames
                .get(frame)
                .is_some_and(|state| matches!(state.slots[slot], SlotState::Waiting(0)))
                && self.path(frame, self.node_at(frame, slot)) == path
        };
        match stopped {
            Stopped::Turn(frame, slot) => node_at(*frame, *slot),
            Stopped::End(frame, slot, ..) => self.frames.get(*frame).is_some_and(|state| {
                !matches!(state.slots[*slot], SlotState::Done(_) | SlotState::Skipped)
            }),
            Stopped::Evaluation(frame, prefix) => self
                .frames
                .get(*frame)
                .is_some_and(|state| state.prefix == *prefix),
            Stopped::Iteration(scope, _) | Stopped::Item(scope, _) => {
                self.scope_path(*scope).is_some_and(|scope| {
                    path.strip_prefix(&scope)
                        .is_some_and(|rest| rest.starts_with('['))
                })
            }
        }
    }

    pub(super) fn scope_path(&self, scope: ScopeId) -> Option<String> {
        let at = match self.scopes.get(scope)? {
            Scope::Loop(looping) => looping.at,
            Scope::List(listing) => listing.at,
            Scope::Subflow(subflow) => subflow.at,
        };
        Some(self.path(at.0, self.node_at(at.0, at.1)))
    }

    /// Keeps what reached the place, if a breakpoint is there.
    fn keep(&mut self, path: &str, stopped: impl FnOnce() -> Stopped) -> bool {
        let Some(first) = self
            .breakpoints
            .iter()
            .position(|breakpoint| breakpoint.path == path)
        else {
            return false;
        };
        self.breakpoints[first].stopped = Some(stopped());
        // The other items continue as they did.
        for scope in self.scopes.ids() {
            let around = self
                .scope_path(scope)
                .is_some_and(|scope| path.starts_with(&format!("{scope}[")));
            if around && matches!(self.scopes.get(scope), Some(Scope::List(_))) {
                self.fill_items(scope);
            }
        }
        true
    }

    pub(super) fn stop_turn(&mut self, frame: FrameId, slot: Slot) -> bool {
        if self.breakpoints.is_empty() {
            return false;
        }
        let node = self.node_at(frame, slot);
        let path = self.path(frame, node);
        let read = |breakpoint: &&mut Breakpoint| breakpoint.is_read_by(node, &path);
        if let Some(breakpoint) = self.breakpoints.iter_mut().find(read) {
            breakpoint.reads.push((frame, slot));
            return true;
        }
        self.keep(&path, || Stopped::Turn(frame, slot))
    }

    pub(super) fn stop_end(
        &mut self,
        frame: FrameId,
        slot: Slot,
        inputs: Inputs,
        items: Arc<Value>,
    ) -> Option<(Inputs, Arc<Value>)> {
        if !self.breakpoints.is_empty() {
            let path = self.path(frame, self.node_at(frame, slot));
            if self
                .breakpoints
                .iter()
                .any(|breakpoint| breakpoint.path == path)
            {
                // It has its turn, so that nothing settled later takes it for a node that is skipped.
                self.set_slot(frame, slot, SlotState::Running(None));
                self.keep(&path, || Stopped::End(frame, slot, inputs, items));
                return None;
            }
        }
        Some((inputs, items))
    }

    pub(super) fn stop_iteration(
        &mut self,
        scope: ScopeId,
        path: &str,
        index: u32,
        input: Arc<Value>,
    ) -> Option<Arc<Value>> {
        if !self.breakpoints.is_empty() {
            let path = format!("{path}[{}]", u64::from(index) + 1);
            if self
                .breakpoints
                .iter()
                .any(|breakpoint| !breakpoint.beyond && breakpoint.path == path)
            {
                self.keep(&path, || Stopped::Iteration(scope, input));
                return None;
            }
        }
        Some(input)
    }

    pub(super) fn stop_item(&mut self, scope: ScopeId, index: usize) -> bool {
        if self.breakpoints.is_empty() {
            return false;
        }
        let Some(path) = self.scope_path(scope) else {
            return false;
        };
        let path = format!("{path}[{}]", index + 1);
        if !self
            .breakpoints
            .iter()
            .any(|breakpoint| breakpoint.path == path)
        {
            return false;
        }
        if let Some(listing) = self.list_scope_mut(scope) {
            listing.stopped.push(index);
        }
        self.keep(&path, || Stopped::Item(scope, index))
    }

    /// Stops before the exit is evaluated where a breakpoint is at the iteration after this one and the loop ended with this one: a
    /// fork at an iteration that never was continues from the end of the loop.
    pub(super) fn stop_evaluation(&mut self, frame: FrameId) -> bool {
        if self.breakpoints.is_empty() {
            return false;
        }
        let Some(state) = self.frames.get(frame).filter(|state| !state.in_tail) else {
            return false;
        };
        let (index, prefix) = (state.index, state.prefix.clone());
        let Some(path) = state.scope.and_then(|scope| self.scope_path(scope)) else {
            return false;
        };
        let next = format!("{path}[{}]", u64::from(index) + 2);
        if !self
            .breakpoints
            .iter()
            .any(|breakpoint| breakpoint.beyond && breakpoint.path == next)
        {
            return false;
        }
        self.keep(&next, || Stopped::Evaluation(frame, prefix))
    }

    /// Whether a breakpoint under this prefix has been reached.
    pub(super) fn is_stopped_within(&self, prefix: &str) -> bool {
        !prefix.is_empty()
            && self.breakpoints.iter().any(|breakpoint| {
                breakpoint.stopped.is_some() && breakpoint.path.starts_with(prefix)
            })
    }

    /// The value that was put at this place for its next execution.
    pub(super) fn given_at(&mut self, frame: FrameId, slot: Slot) -> Option<Arc<Outcome>> {
        self.given
            .take_if(|(at, place, _)| (*at, *place) == (frame, slot))
            .map(|(_, _, outcome)| outcome)
    }

    /// The plan changes, and the place continues.
    pub(super) fn fork(
        &mut self,
        parent: String,
        at: String,
        beyond: bool,
        plan: Arc<Plan>,
        given: Option<Override>,
    ) {
        self.record(
            String::new(),
            None,
            journal::Input::Forked {
                parent,
                at: at.clone(),
                beyond,
                given: given.clone(),
            },
        );
        for warning in &plan.warnings {
            self.add_warning(warning.clone());
        }
        self.plan = plan;
        self.change_limits();
        self.change_budgets();
        let Some(first) = self
            .breakpoints
            .iter()
            .position(|breakpoint| breakpoint.path == at)
        else {
            return;
        };
        let mut breakpoint = self.breakpoints.remove(first);
        let reads = std::mem::take(&mut breakpoint.reads);
        let Some(stopped) = breakpoint
            .stopped
            .filter(|stopped| self.is_alive(stopped, &at))
        else {
            return;
        };
        // A later fork at the same place continues holding it.
        if let Some(again) = self
            .breakpoints
            .iter_mut()
            .find(|breakpoint| breakpoint.path == at)
        {
            again.stopped = Some(stopped);
            again.reads = reads;
            return;
        }
        for (frame, slot) in reads {
            let waits = self
                .frames
                .get(frame)
                .is_some_and(|state| matches!(state.slots[slot], SlotState::Waiting(0)));
            if waits {
                self.turn.push_back((frame, slot));
            }
        }
        let input_of = |own: Arc<Value>| match &given {
            Some(Override::Input(value)) => Arc::clone(value),
            _ => own,
        };
        match stopped {
            Stopped::Turn(frame, slot) => {
                if let Some(Override::Outcome(outcome)) = given {
                    self.given = Some((frame, slot, outcome));
                }
                self.turn.push_front((frame, slot));
            }
            Stopped::End(frame, slot, inputs, items) => match given {
                Some(Override::Outcome(outcome)) => {
                    let node = self.node_at(frame, slot);
                    let path = self.path(frame, node);
                    self.record(path, Some(node), self.started(node, &inputs, None));
                    self.done(frame, slot, self.now, outcome);
                }
                _ => self.execute_end(frame, slot, inputs, items),
            },
            Stopped::Iteration(scope, input) => {
                let input = input_of(input);
                self.begin_iteration(scope, input);
            }
            Stopped::Item(scope, index) => {
                if let Some(listing) = self.list_scope_mut(scope) {
                    listing.stopped.retain(|&held| held != index);
                    listing.replace(index, input_of);
                }
                self.begin_item(scope, index);
            }
            Stopped::Evaluation(frame, _) => self.closing.push_front(frame),
        }
    }

    /// What the timer with this ticket is for.
    pub(crate) fn timer_name(&self, ticket: Ticket) -> Option<TimerName> {
        let finished = |scope: ScopeId| match self.scopes.get(scope)? {
            Scope::Loop(looping) => Some(looping.finished),
            Scope::List(_) | Scope::Subflow(_) => None,
        };
        Some(match *self.pending.get(ticket)? {
            Pending::Delay { scope } => TimerName::Delay(self.scope_path(scope)?, finished(scope)?),
            Pending::LoopTimeout { scope } => TimerName::LoopLimit(self.scope_path(scope)?),
            Pending::IterationTimeout { scope, index } => {
                TimerName::IterationLimit(self.scope_path(scope)?, index)
            }
            Pending::SubflowTimeout { scope } => TimerName::SubflowLimit(self.scope_path(scope)?),
            Pending::SubflowPause { scope } => TimerName::SubflowPause(self.scope_path(scope)?),
            Pending::Node { .. } => return None,
        })
    }
}
