//! Holding the places that a fork changes: nothing of them begins before the flow has been changed, and what does not
//! depend on them goes on. What a place holds up is what depends on it.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{
    Pending, Run, Scope, Ticket,
    frame::{FrameIx, SlotState},
};
use crate::{
    journal::{self, Given},
    outcome::Outcome,
    plan::{Plan, Slot, Work},
};

/// A place that is held, and what came to it.
pub(super) struct Hold {
    /// `refine[3]/draft`, `refine[3]`
    path: String,
    /// It is an iteration behind the last one of a loop: held is the verdict before it.
    beyond: bool,
    stuck: Option<Stuck>,
    /// Where the place is an input: who reads `run.inputs`, which no wire tells.
    readers: Vec<NodeIx>,
    /// Their turns that came.
    reads: Vec<(FrameIx, Slot)>,
}

impl Hold {
    /// Whether the node, whose turn at `path` came, reads what is held here.
    fn is_read_by(&self, node: NodeIx, path: &str) -> bool {
        let flow = self.path.rfind('/').map_or(0, |at| at + 1);
        self.path != path && self.readers.contains(&node) && path.starts_with(&self.path[..flow])
    }
}

enum Stuck {
    /// A node's turn.
    Turn(FrameIx, Slot),
    /// A list's end, with what its items gave.
    End(FrameIx, Slot, Inputs, Arc<Value>),
    /// A loop's iteration, with its input.
    Iteration(usize, Arc<Value>),
    /// A list's item.
    Item(usize, usize),
    /// The verdict on a loop's pass, behind which the iteration would come; with the frame's prefix.
    Verdict(FrameIx, String),
}

type Inputs = Vec<(String, Arc<Value>)>;

/// What a timer is for, whatever its ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TimerName {
    /// The pause before an iteration of the scope at this path, counted from 0.
    Delay(String, u32),
    LoopLimit(String),
    IterationLimit(String, u32),
    /// Of an attempt at the subflow at this path, and the pause before another.
    SubflowLimit(String),
    SubflowPause(String),
}

impl TimerName {
    /// Whether the timer is about something that the place at `path` lies in, at or behind it: what it came to there is not
    /// known once the place has changed.
    pub(crate) fn depends_on(&self, path: &str) -> bool {
        let iteration_of = |scope: &str| -> Option<u32> {
            let rest = path.strip_prefix(scope)?.strip_prefix('[')?;
            rest[..rest.find(']')?].parse().ok()
        };
        match self {
            // Paths count from 1.
            Self::Delay(scope, index) => iteration_of(scope).is_some_and(|at| index + 1 > at),
            Self::IterationLimit(scope, index) => {
                iteration_of(scope).is_some_and(|at| index + 1 >= at)
            }
            Self::LoopLimit(scope) => iteration_of(scope).is_some(),
            Self::SubflowLimit(scope) => path
                .strip_prefix(scope.as_str())
                .is_some_and(|rest| rest.starts_with('/')),
            // It lies behind an attempt that failed: a place that is come to after it was not in that attempt.
            Self::SubflowPause(_) => false,
        }
    }
}

impl Run {
    /// Holds the place at `path` until a fork there. Before the start.
    pub(crate) fn hold(&mut self, path: &str, beyond: bool) {
        let input = self
            .plan
            .find(path)
            .filter(|&node| matches!(self.plan.nodes[node].work, Work::Input { .. }));
        self.holds.push(Hold {
            path: path.to_owned(),
            beyond,
            stuck: None,
            readers: input.map_or_else(Vec::new, |input| self.plan.readers_of_inputs(input)),
            reads: Vec::new(),
        });
    }

    /// Whether a timer is about something that holds a turn which reads a held input.
    pub(crate) fn times_a_reader(&self, name: &TimerName) -> bool {
        self.holds.iter().any(|hold| {
            hold.reads.iter().any(|&(frame, slot)| {
                self.frames[frame].is_some()
                    && name.depends_on(&self.path(frame, self.node_at(frame, slot)))
            })
        })
    }

    /// Whether the run came to the place at `path`, and stands before it.
    pub(crate) fn stands_before(&self, path: &str) -> bool {
        self.holds.iter().any(|hold| {
            hold.path == path
                && hold
                    .stuck
                    .as_ref()
                    .is_some_and(|stuck| self.is_alive(stuck, path))
        })
    }

    /// What was held may have been dropped with its iteration.
    fn is_alive(&self, stuck: &Stuck, path: &str) -> bool {
        let node_at = |frame: FrameIx, slot: Slot| {
            self.frames[frame]
                .as_ref()
                .is_some_and(|state| matches!(state.slots[slot], SlotState::Waiting(0)))
                && self.path(frame, self.node_at(frame, slot)) == path
        };
        match stuck {
            Stuck::Turn(frame, slot) => node_at(*frame, *slot),
            Stuck::End(frame, slot, ..) => self.frames[*frame].as_ref().is_some_and(|state| {
                !matches!(state.slots[*slot], SlotState::Done(_) | SlotState::Skipped)
            }),
            Stuck::Verdict(frame, prefix) => self.frames[*frame]
                .as_ref()
                .is_some_and(|state| state.prefix == *prefix),
            Stuck::Iteration(scope, _) | Stuck::Item(scope, _) => {
                self.scope_path(*scope).is_some_and(|scope| {
                    path.strip_prefix(&scope)
                        .is_some_and(|rest| rest.starts_with('['))
                })
            }
        }
    }

    pub(super) fn scope_path(&self, scope: usize) -> Option<String> {
        let at = match self.scopes.get(scope)?.as_ref()? {
            Scope::Loop(run) => run.at,
            Scope::Each(run) => run.at,
            Scope::Once(run) => run.at,
        };
        Some(self.path(at.0, self.node_at(at.0, at.1)))
    }

    /// Keeps what came to the place, if that is held.
    fn keep(&mut self, path: &str, stuck: impl FnOnce() -> Stuck) -> bool {
        let Some(first) = self.holds.iter().position(|hold| hold.path == path) else {
            return false;
        };
        self.holds[first].stuck = Some(stuck());
        // Items beside the one that is held go on as they did.
        for scope in 0..self.scopes.len() {
            let around = self
                .scope_path(scope)
                .is_some_and(|scope| path.starts_with(&format!("{scope}[")));
            if around && matches!(self.scopes[scope], Some(Scope::Each(_))) {
                self.fill_items(scope);
            }
        }
        true
    }

    pub(super) fn hold_turn(&mut self, frame: FrameIx, slot: Slot) -> bool {
        if self.holds.is_empty() {
            return false;
        }
        let node = self.node_at(frame, slot);
        let path = self.path(frame, node);
        let read = |hold: &&mut Hold| hold.is_read_by(node, &path);
        if let Some(hold) = self.holds.iter_mut().find(read) {
            hold.reads.push((frame, slot));
            return true;
        }
        self.keep(&path, || Stuck::Turn(frame, slot))
    }

    pub(super) fn hold_end(
        &mut self,
        frame: FrameIx,
        slot: Slot,
        inputs: Inputs,
        items: Arc<Value>,
    ) -> Option<(Inputs, Arc<Value>)> {
        if !self.holds.is_empty() {
            let path = self.path(frame, self.node_at(frame, slot));
            if self.holds.iter().any(|hold| hold.path == path) {
                // It has its turn, so that nothing settled later takes it for a node that is skipped.
                self.set_slot(frame, slot, SlotState::Running(None));
                self.keep(&path, || Stuck::End(frame, slot, inputs, items));
                return None;
            }
        }
        Some((inputs, items))
    }

    pub(super) fn hold_iteration(
        &mut self,
        scope: usize,
        path: &str,
        index: u32,
        input: Arc<Value>,
    ) -> Option<Arc<Value>> {
        if !self.holds.is_empty() {
            let path = format!("{path}[{}]", u64::from(index) + 1);
            if self
                .holds
                .iter()
                .any(|hold| !hold.beyond && hold.path == path)
            {
                self.keep(&path, || Stuck::Iteration(scope, input));
                return None;
            }
        }
        Some(input)
    }

    pub(super) fn hold_item(&mut self, scope: usize, index: usize) -> bool {
        if self.holds.is_empty() {
            return false;
        }
        let Some(path) = self.scope_path(scope) else {
            return false;
        };
        let path = format!("{path}[{}]", index + 1);
        if !self.holds.iter().any(|hold| hold.path == path) {
            return false;
        }
        if let Some(run) = self.each(scope) {
            run.held.push(index);
        }
        self.keep(&path, || Stuck::Item(scope, index))
    }

    /// Holds the verdict on a pass when the iteration behind it is held that this pass was the last one before: a fork at an
    /// iteration that never was goes on from the end of the loop.
    pub(super) fn hold_verdict(&mut self, frame: FrameIx) -> bool {
        if self.holds.is_empty() {
            return false;
        }
        let Some(state) = self.frames[frame].as_ref().filter(|state| !state.in_tail) else {
            return false;
        };
        let (index, prefix) = (state.index, state.prefix.clone());
        let Some(path) = state.scope.and_then(|scope| self.scope_path(scope)) else {
            return false;
        };
        let next = format!("{path}[{}]", u64::from(index) + 2);
        if !self
            .holds
            .iter()
            .any(|hold| hold.beyond && hold.path == next)
        {
            return false;
        }
        self.keep(&next, || Stuck::Verdict(frame, prefix))
    }

    /// Whether a held place lies under this prefix and has been come to.
    pub(super) fn holds_within(&self, prefix: &str) -> bool {
        !prefix.is_empty()
            && self
                .holds
                .iter()
                .any(|hold| hold.stuck.is_some() && hold.path.starts_with(prefix))
    }

    /// The value that was put at this place for its next visit.
    pub(super) fn given_at(&mut self, frame: FrameIx, slot: Slot) -> Option<Arc<Outcome>> {
        self.given
            .take_if(|(at, place, _)| (*at, *place) == (frame, slot))
            .map(|(_, _, outcome)| outcome)
    }

    /// The plan changes, and the place goes on.
    pub(super) fn fork(
        &mut self,
        parent: String,
        at: String,
        beyond: bool,
        plan: Arc<Plan>,
        given: Option<Given>,
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
        let Some(first) = self.holds.iter().position(|hold| hold.path == at) else {
            return;
        };
        let mut hold = self.holds.remove(first);
        let reads = std::mem::take(&mut hold.reads);
        let Some(stuck) = hold.stuck.filter(|stuck| self.is_alive(stuck, &at)) else {
            return;
        };
        // A later fork at the same place goes on holding it.
        if let Some(again) = self.holds.iter_mut().find(|hold| hold.path == at) {
            again.stuck = Some(stuck);
            again.reads = reads;
            return;
        }
        for (frame, slot) in reads {
            let waits = self.frames[frame]
                .as_ref()
                .is_some_and(|state| matches!(state.slots[slot], SlotState::Waiting(0)));
            if waits {
                self.turn.push_back((frame, slot));
            }
        }
        let input_of = |own: Arc<Value>| match &given {
            Some(Given::Input(value)) => Arc::clone(value),
            _ => own,
        };
        match stuck {
            Stuck::Turn(frame, slot) => {
                if let Some(Given::Outcome(outcome)) = given {
                    self.given = Some((frame, slot, Arc::new(outcome)));
                }
                self.turn.push_front((frame, slot));
            }
            Stuck::End(frame, slot, inputs, items) => match given {
                Some(Given::Outcome(outcome)) => {
                    let node = self.node_at(frame, slot);
                    let path = self.path(frame, node);
                    self.record(path, Some(node), self.started(node, &inputs, None));
                    self.done(frame, slot, self.now, outcome);
                }
                _ => self.visit_end(frame, slot, inputs, items),
            },
            Stuck::Iteration(scope, input) => {
                let input = input_of(input);
                self.begin_iteration(scope, input);
            }
            Stuck::Item(scope, index) => {
                if let Some(run) = self.each(scope) {
                    run.held.retain(|&held| held != index);
                    run.replace(index, input_of);
                }
                self.begin_item(scope, index);
            }
            Stuck::Verdict(frame, _) => self.closing.push_front(frame),
        }
    }

    /// What the timer with this ticket is for.
    pub(crate) fn timer_name(&self, ticket: Ticket) -> Option<TimerName> {
        let finished = |scope: usize| match self.scopes.get(scope)?.as_ref()? {
            Scope::Loop(run) => Some(run.finished),
            Scope::Each(_) | Scope::Once(_) => None,
        };
        Some(match *self.pending.get(&ticket)? {
            Pending::Delay { scope } => TimerName::Delay(self.scope_path(scope)?, finished(scope)?),
            Pending::LoopTimeout { scope } => TimerName::LoopLimit(self.scope_path(scope)?),
            Pending::IterationTimeout { scope, index } => {
                TimerName::IterationLimit(self.scope_path(scope)?, index)
            }
            Pending::SubflowTimeout { scope } => TimerName::SubflowLimit(self.scope_path(scope)?),
            Pending::SubflowPause { scope } => TimerName::SubflowPause(self.scope_path(scope)?),
            Pending::Visit { .. } => return None,
        })
    }
}
