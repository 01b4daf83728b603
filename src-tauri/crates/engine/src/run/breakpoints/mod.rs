//! Breakpoints at the paths where a run is forked. Nothing begins at a breakpoint until the fork has changed the flow. Steps
//! that do not depend on the breakpoint continue. A step depends on a breakpoint if it cannot run until the node or iteration
//! at the breakpoint has a value.

mod timer_name;

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{
    arena::{FrameId, ScopeId},
    impossible::Stepped,
    pending::Pending,
    scope::Scope,
    tree::Tree,
};
use crate::{
    kind::Inputs,
    outcome::Outcome,
    plan::{Plan, Slot, Work},
};
pub(crate) use timer_name::TimerName;

#[derive(Default)]
pub(super) struct Breakpoints {
    /// The places of forks that have not been applied yet.
    places: Vec<Breakpoint>,
    /// The outcome that replaces the next execution of a node, with the node's frame and slot; `None` if nothing is replaced.
    given: Option<(FrameId, Slot, Arc<Outcome>)>,
}

/// A place where the run stops, and the steps that have stopped there.
struct Breakpoint {
    /// The path of the place, such as `refine[3]/draft` or `refine[3]`.
    path: String,
    /// Whether the place is the iteration after the last one of a loop. The run then stops before it evaluates the exit
    /// condition of the last iteration.
    beyond: bool,
    stopped: Option<Stopped>,
    /// If the breakpoint is at an input of the flow, the nodes that read this input through `run.inputs`, without a wire.
    /// Otherwise empty.
    readers: Vec<NodeIx>,
    /// The nodes of `readers` that are ready to run and wait at the breakpoint.
    reads: Vec<(FrameId, Slot)>,
}

impl Breakpoint {
    /// Returns whether the node at `path` reads the input that has this breakpoint.
    fn is_read_by(&self, node: NodeIx, path: &str) -> bool {
        let flow = self.path.rfind('/').map_or(0, |at| at + 1);
        self.path != path && self.readers.contains(&node) && path.starts_with(&self.path[..flow])
    }
}

pub(super) enum Stopped {
    /// A node that was ready to run.
    Turn(FrameId, Slot),
    /// The end of a list, with the values of the list's items.
    End(FrameId, Slot, Inputs, Arc<Value>),
    /// An iteration of a loop, with its input.
    Iteration(ScopeId, Arc<Value>),
    /// An item of a list.
    Item(ScopeId, usize),
    /// The evaluation of the iteration before the breakpoint's iteration, with the prefix of its frame.
    Evaluation(FrameId, String),
}

/// Whether the breakpoints allow a node to run. All wires into the node are settled.
pub(super) enum TurnAt {
    Free,
    /// The node reads an input with a breakpoint, so it waits.
    Reads,
    /// A breakpoint is at the node with this path.
    Stops(String),
}

/// The steps that have stopped at a breakpoint.
pub(super) struct Reached {
    pub(super) stopped: Stopped,
    /// The waiting nodes that read the input at the breakpoint.
    pub(super) reads: Vec<(FrameId, Slot)>,
}

impl Breakpoints {
    /// Adds a breakpoint at `path`. The run stops there until the fork at that path is applied. `beyond` is true if `path` is
    /// that of the iteration after the last one of a loop. Breakpoints must be added before the run starts.
    pub(super) fn add(&mut self, plan: &Plan, path: &str, beyond: bool) {
        let input = plan
            .find(path)
            .filter(|&node| matches!(plan.nodes[node].work, Work::Input { .. }));
        self.places.push(Breakpoint {
            path: path.to_owned(),
            beyond,
            stopped: None,
            readers: input.map_or_else(Vec::new, |input| plan.readers_of_inputs(input)),
            reads: Vec::new(),
        });
    }

    /// Returns whether a timer depends on a node that waits because it reads an input with a breakpoint.
    pub(super) fn times_a_reader(&self, tree: &Tree, name: &TimerName) -> bool {
        let depends = |&at: &(FrameId, Slot)| {
            tree.locate(at)
                .is_ok_and(|(_, path)| name.depends_on(&path))
        };
        self.places
            .iter()
            .any(|breakpoint| breakpoint.reads.iter().any(depends))
    }

    /// Returns whether the run has reached the breakpoint at `path` and is stopped there.
    pub(super) fn is_stopped_before(&self, tree: &Tree, path: &str) -> bool {
        self.places.iter().any(|breakpoint| {
            breakpoint.path == path
                && breakpoint
                    .stopped
                    .as_ref()
                    .is_some_and(|stopped| is_alive(tree, stopped, path))
        })
    }

    /// Returns whether a breakpoint is at `path`.
    fn has(&self, path: &str) -> bool {
        self.places.iter().any(|breakpoint| breakpoint.path == path)
    }

    /// Stores a step that has stopped at the breakpoint with this path.
    pub(super) fn keep(&mut self, path: &str, stopped: Stopped) {
        let mut places = self.places.iter_mut();
        if let Some(first) = places.find(|breakpoint| breakpoint.path == path) {
            first.stopped = Some(stopped);
        }
    }

    /// Returns whether a node whose wires are all settled may run, or why not. If the node reads an input with a breakpoint, it
    /// is stored at that breakpoint.
    pub(super) fn turn(&mut self, tree: &Tree, frame: FrameId, slot: Slot) -> Stepped<TurnAt> {
        if self.places.is_empty() {
            return Ok(TurnAt::Free);
        }
        let (node, path) = tree.locate((frame, slot))?;
        let read = |breakpoint: &&mut Breakpoint| breakpoint.is_read_by(node, &path);
        if let Some(breakpoint) = self.places.iter_mut().find(read) {
            breakpoint.reads.push((frame, slot));
            return Ok(TurnAt::Reads);
        }
        Ok(match self.has(&path) {
            true => TurnAt::Stops(path),
            false => TurnAt::Free,
        })
    }

    /// Returns the path of a list's end if a breakpoint is there, otherwise `None`.
    pub(super) fn end(&self, tree: &Tree, frame: FrameId, slot: Slot) -> Stepped<Option<String>> {
        if self.places.is_empty() {
            return Ok(None);
        }
        let (_, path) = tree.locate((frame, slot))?;
        Ok(self.has(&path).then_some(path))
    }

    /// Returns the path of an iteration of the loop at `path` if a breakpoint is there, otherwise `None`.
    pub(super) fn iteration(&self, path: &str, index: u32) -> Option<String> {
        if self.places.is_empty() {
            return None;
        }
        let path = format!("{path}[{}]", u64::from(index) + 1);
        self.places
            .iter()
            .any(|breakpoint| !breakpoint.beyond && breakpoint.path == path)
            .then_some(path)
    }

    /// Returns the path of an item of a list if a breakpoint is there, otherwise `None`.
    pub(super) fn item(&self, tree: &Tree, scope: ScopeId, index: usize) -> Option<String> {
        if self.places.is_empty() {
            return None;
        }
        let path = format!("{}[{}]", tree.scope_path(scope)?, index + 1);
        self.has(&path).then_some(path)
    }

    /// Returns the path of the iteration after the one in `frame`, and the prefix of `frame`, if that next iteration has a
    /// breakpoint but never ran in the parent. A fork at such an iteration continues from the end of the loop.
    pub(super) fn evaluation(&self, tree: &Tree, frame: FrameId) -> Option<(String, String)> {
        if self.places.is_empty() {
            return None;
        }
        let state = tree.frames.get(frame)?;
        if state.nodes.is_in_tail() {
            return None;
        }
        let path = tree.scope_path(state.scope?)?;
        let next = format!("{path}[{}]", u64::from(state.index) + 2);
        self.places
            .iter()
            .any(|breakpoint| breakpoint.beyond && breakpoint.path == next)
            .then(|| (next, state.prefix.clone()))
    }

    /// Returns whether the run stopped at a breakpoint under this prefix. Returns false for the empty prefix of the flow
    /// itself.
    pub(super) fn is_stopped_within(&self, prefix: &str) -> bool {
        !prefix.is_empty()
            && self.places.iter().any(|breakpoint| {
                breakpoint.stopped.is_some() && breakpoint.path.starts_with(prefix)
            })
    }

    /// Sets the outcome that replaces the next execution of the node in this frame and slot.
    pub(super) fn give(&mut self, frame: FrameId, slot: Slot, outcome: Arc<Outcome>) {
        self.given = Some((frame, slot, outcome));
    }

    /// Takes the outcome that [`Breakpoints::give`] set for this frame and slot, or returns `None` if it set none.
    pub(super) fn take_given(&mut self, frame: FrameId, slot: Slot) -> Option<Arc<Outcome>> {
        self.given
            .take_if(|(at, place, _)| (*at, *place) == (frame, slot))
            .map(|(_, _, outcome)| outcome)
    }

    /// Removes the breakpoint at the path `at`. Returns the steps that stopped there; `None` if there are none, or if a later
    /// fork at the same path stops them again.
    pub(super) fn leave(&mut self, tree: &Tree, at: &str) -> Option<Reached> {
        let mut places = self.places.iter();
        let first = places.position(|breakpoint| breakpoint.path == at)?;
        let Breakpoint { stopped, reads, .. } = self.places.remove(first);
        let stopped = stopped.filter(|stopped| is_alive(tree, stopped, at))?;
        let mut places = self.places.iter_mut();
        if let Some(again) = places.find(|breakpoint| breakpoint.path == at) {
            again.stopped = Some(stopped);
            again.reads = reads;
            return None;
        }
        Some(Reached { stopped, reads })
    }
}

/// Returns whether the stopped step still exists. It may have been dropped together with its iteration.
fn is_alive(tree: &Tree, stopped: &Stopped, path: &str) -> bool {
    match stopped {
        Stopped::Turn(frame, slot) => {
            let state = tree.frames.get(*frame);
            state.is_some_and(|state| state.nodes.has_its_turn(*slot))
                && tree
                    .locate((*frame, *slot))
                    .is_ok_and(|(_, now)| now == path)
        }
        Stopped::End(frame, slot, ..) => {
            let state = tree.frames.get(*frame);
            state.is_some_and(|state| !state.nodes.is_settled(*slot))
        }
        Stopped::Evaluation(frame, prefix) => {
            let state = tree.frames.get(*frame);
            state.is_some_and(|state| state.prefix == *prefix)
        }
        Stopped::Iteration(scope, _) | Stopped::Item(scope, _) => {
            tree.scope_path(*scope).is_some_and(|scope| {
                path.strip_prefix(&scope)
                    .is_some_and(|rest| rest.starts_with('['))
            })
        }
    }
}

/// Returns the purpose of a timer, or `None` for an execution and for a timer whose scope is over.
pub(super) fn timer_name(tree: &Tree, timer: &Pending) -> Option<TimerName> {
    let finished = |scope: ScopeId| match tree.scopes.get(scope)? {
        Scope::Loop(looping) => Some(looping.finished()),
        Scope::List(_) | Scope::Subflow(_) => None,
    };
    let path = |scope: ScopeId| tree.scope_path(scope);
    Some(match *timer {
        Pending::Delay { scope } => TimerName::Delay(path(scope)?, finished(scope)?),
        Pending::LoopTimeout { scope } => TimerName::LoopLimit(path(scope)?),
        Pending::IterationTimeout { scope, index } => {
            TimerName::IterationLimit(path(scope)?, index)
        }
        Pending::SubflowTimeout { scope } => TimerName::SubflowLimit(path(scope)?),
        Pending::SubflowPause { scope } => TimerName::SubflowPause(path(scope)?),
        Pending::Node { .. } => return None,
    })
}
