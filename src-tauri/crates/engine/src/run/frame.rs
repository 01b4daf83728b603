//! A frame: one running instance of a graph, which is the flow itself, one iteration of a region, or an attempt at a subflow.
//!
//! ```text
//! Opened ──begin──▶ Core ──last node settles──▶ CoreDone ──open_tail──▶ Tail ──last node settles──▶ TailDone
//!    │                                             ▲  │                                               ▲
//!    └──begin, without nodes───────────────────────┘  └──open_tail, without tail nodes────────────────┘
//! ```
//!
//! A frame can be removed in any state. A later step of a removed frame is [`Impossible::FrameClosed`]. Each node of a frame
//! has its own state:
//!
//! ```text
//!              ┌──────queue─────▶ Queued ──run──▶ Running ──┬──settle──▶ Done | Skipped
//! Waiting(n) ──┼──────run─────────────────────────▶  │      │
//!   │   ▲      └──────enter─────▶ Scope ─────────────┴──────┴──fail────▶ Skipped
//!   └───┘
//! a wire settles                  Queued ──requeue──▶ Waiting(0)
//! ```
//!
//! A wire into a node that no longer waits is ignored when it settles, because the scope start has already settled the node. A
//! settled node of the other part does not count towards the current phase.

use std::sync::Arc;

use serde_json::Value;

use super::{
    arena::{FrameId, ScopeId},
    impossible::{FramePhase, FrameStep, Impossible, NodePhase, NodeStep, Stepped},
    run_inputs::RunInputs,
    ticket::Ticket,
};
use crate::{
    outcome::{Outcome, Usage},
    plan::{GraphIx, Slot},
};

pub(super) struct Frame {
    pub(super) graph: GraphIx,
    /// The position of the scope's node in the enclosing frame; `None` for the flow itself.
    pub(super) parent: Option<(FrameId, Slot)>,
    pub(super) scope: Option<ScopeId>,
    /// The prefix of the paths of the frame's nodes, such as `refine[2]/`.
    pub(super) prefix: String,
    pub(super) nodes: FrameMachine,
    /// The input of the iteration, or the item of the list.
    pub(super) input: Arc<Value>,
    /// The iteration's or item's index, from 0.
    pub(super) index: u32,
    /// The value of `run.inputs`: the inputs of the run, or of the enclosing subflow.
    pub(super) given: Arc<RunInputs>,
    pub(super) usage: Usage,
    pub(super) started_at: i64,
}

impl Frame {
    /// Returns the path of the node with this id, such as `refine[2]/draft`.
    pub(super) fn path(&self, id: &str) -> String {
        [&*self.prefix, id].concat()
    }
}

/// The state of a node in a frame.
pub(super) enum SlotState {
    /// The node waits for this number of unsettled wires. The gate of the tail counts as one wire.
    Waiting(u32),
    /// The node waits for the concurrency limit, or a breakpoint stops it.
    Queued,
    Running(Ticket),
    /// The node is a scope that runs its body.
    Scope(ScopeId),
    Done(Arc<Outcome>),
    Skipped,
}

/// The part of an iteration that a node belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The first part: the core nodes and the leaves. The exit condition is evaluated after it.
    Core,
    /// The part after the evaluation. It runs if there is a next iteration.
    Tail,
}

/// The states of a frame's nodes, and the part of the frame that is running.
pub(super) struct FrameMachine {
    phase: FramePhase,
    /// The number of unsettled nodes in the current part.
    open: usize,
    slots: Vec<SlotState>,
}

impl FrameMachine {
    /// Creates the nodes of a frame. `nodes` lists, by slot, the number of wires that a node waits for, and its part.
    pub(super) fn new(nodes: impl ExactSizeIterator<Item = (u32, Part)>) -> Self {
        let mut open = 0;
        let mut slots = Vec::with_capacity(nodes.len());
        for (wires, part) in nodes {
            open += usize::from(part == Part::Core);
            // A tail node also waits for the gate that opens once there is a next iteration.
            slots.push(SlotState::Waiting(wires + u32::from(part == Part::Tail)));
        }
        Self {
            phase: FramePhase::Opened,
            open,
            slots,
        }
    }

    /// Begins the first part, and calls `ready` for each node that waits for nothing. Returns whether there is nothing to run.
    pub(super) fn begin(&mut self, ready: impl FnMut(Slot)) -> Stepped<bool> {
        if self.phase != FramePhase::Opened {
            return Err(Impossible::Frame(self.phase, FrameStep::Begin));
        }
        if self.open == 0 {
            self.phase = FramePhase::CoreDone;
            return Ok(true);
        }
        self.phase = FramePhase::Core;
        let waits_for_nothing = |slot: &Slot| self.has_its_turn(*slot);
        (0..self.slots.len())
            .filter(waits_for_nothing)
            .for_each(ready);
        Ok(false)
    }

    /// Opens the gate of the tail, and calls `ready` for each tail node that waits for nothing else. Returns whether there is a
    /// tail.
    pub(super) fn open_tail(
        &mut self,
        tail: impl Iterator<Item = Slot>,
        mut ready: impl FnMut(Slot),
    ) -> Stepped<bool> {
        if self.phase != FramePhase::CoreDone {
            return Err(Impossible::Frame(self.phase, FrameStep::OpenTail));
        }
        self.phase = FramePhase::Tail;
        for slot in tail {
            self.open += 1;
            if self.wire_settled(slot) {
                ready(slot);
            }
        }
        if self.open == 0 {
            self.phase = FramePhase::TailDone;
        }
        Ok(self.open > 0)
    }

    /// Settles a node, with an outcome or as skipped, and calls `ready` for each consumer that waits for nothing else. Returns
    /// whether all nodes of the current part are now settled.
    pub(super) fn settle(
        &mut self,
        slot: Slot,
        part: Part,
        outcome: Option<Arc<Outcome>>,
        consumers: &[Slot],
        mut ready: impl FnMut(Slot),
    ) -> Stepped<bool> {
        if self.is_settled(slot) {
            return Err(self.refused(slot, NodeStep::Settle));
        }
        let is_over = self.count(part)?;
        self.slots[slot] = outcome.map_or(SlotState::Skipped, SlotState::Done);
        for &consumer in consumers {
            if self.wire_settled(consumer) {
                ready(consumer);
            }
        }
        Ok(is_over)
    }

    /// Counts a settled node of this part. Returns whether all nodes of the current part are now settled.
    fn count(&mut self, part: Part) -> Stepped<bool> {
        let next = match (self.phase, part) {
            (FramePhase::Core, Part::Core) => FramePhase::CoreDone,
            (FramePhase::Tail, Part::Tail) => FramePhase::TailDone,
            (FramePhase::Core, Part::Tail) | (FramePhase::Tail, Part::Core) => return Ok(false),
            (phase @ (FramePhase::Opened | FramePhase::CoreDone | FramePhase::TailDone), _) => {
                return Err(Impossible::Frame(phase, FrameStep::Settle));
            }
        };
        self.open -= 1;
        if self.open == 0 {
            self.phase = next;
        }
        Ok(self.open == 0)
    }

    /// Settles a wire into a node. Returns whether the node was waiting and all wires into it are now settled.
    fn wire_settled(&mut self, slot: Slot) -> bool {
        let SlotState::Waiting(left) = &mut self.slots[slot] else {
            return false;
        };
        let was = *left;
        *left = was.saturating_sub(1);
        *left == 0
    }

    /// Queues a node that waits for the concurrency limit or stops at a breakpoint.
    pub(super) fn queue(&mut self, slot: Slot) -> Stepped {
        match self.slots[slot] {
            SlotState::Waiting(_) => self.slots[slot] = SlotState::Queued,
            _ => return Err(self.refused(slot, NodeStep::Queue)),
        }
        Ok(())
    }

    /// Makes a queued node ready to run again.
    pub(super) fn requeue(&mut self, slot: Slot) -> Stepped {
        match self.slots[slot] {
            SlotState::Queued => self.slots[slot] = SlotState::Waiting(0),
            _ => return Err(self.refused(slot, NodeStep::Requeue)),
        }
        Ok(())
    }

    /// Begins an execution of the node.
    pub(super) fn run(&mut self, slot: Slot, ticket: Ticket) -> Stepped {
        match self.slots[slot] {
            // The end node of a list still waits for the list's start node, which executes it.
            SlotState::Waiting(_) | SlotState::Queued => {
                self.slots[slot] = SlotState::Running(ticket);
            }
            _ => return Err(self.refused(slot, NodeStep::Run)),
        }
        Ok(())
    }

    /// Marks a node as running its body in this scope.
    pub(super) fn enter(&mut self, slot: Slot, scope: ScopeId) -> Stepped {
        match self.slots[slot] {
            SlotState::Waiting(_) => self.slots[slot] = SlotState::Scope(scope),
            _ => return Err(self.refused(slot, NodeStep::Enter)),
        }
        Ok(())
    }

    /// Marks a node as failed. The node is not counted as settled, because its frame ends.
    pub(super) fn fail(&mut self, slot: Slot) -> Stepped {
        if self.is_settled(slot) {
            return Err(self.refused(slot, NodeStep::Fail));
        }
        self.slots[slot] = SlotState::Skipped;
        Ok(())
    }

    /// Returns whether the exit condition was evaluated and the tail opened.
    pub(super) fn is_in_tail(&self) -> bool {
        matches!(self.phase, FramePhase::Tail | FramePhase::TailDone)
    }

    /// Returns whether all wires into the node are settled and the node has neither begun nor been queued.
    pub(super) fn has_its_turn(&self, slot: Slot) -> bool {
        matches!(self.slots[slot], SlotState::Waiting(0))
    }

    pub(super) fn is_settled(&self, slot: Slot) -> bool {
        matches!(self.slots[slot], SlotState::Done(_) | SlotState::Skipped)
    }

    pub(super) fn outcome(&self, slot: Slot) -> Option<&Arc<Outcome>> {
        match &self.slots[slot] {
            SlotState::Done(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Returns the outcomes by slot.
    pub(super) fn outcomes(&self) -> Vec<Option<Arc<Outcome>>> {
        (0..self.slots.len())
            .map(|slot| self.outcome(slot).map(Arc::clone))
            .collect()
    }

    /// Returns the states of the nodes, by slot.
    pub(super) fn slots(&self) -> &[SlotState] {
        &self.slots
    }

    fn refused(&self, slot: Slot, step: NodeStep) -> Impossible {
        let phase = match self.slots[slot] {
            SlotState::Waiting(_) => NodePhase::Waiting,
            SlotState::Queued => NodePhase::Queued,
            SlotState::Running(_) => NodePhase::Running,
            SlotState::Scope(_) => NodePhase::Scope,
            SlotState::Done(_) | SlotState::Skipped => NodePhase::Settled,
        };
        Impossible::Node(phase, step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::arena::ArenaId as _;

    /// Creates a frame in which slots 0 and 1 are the core, and slot 2 is the tail. Each slot waits for the one before it.
    fn frame() -> FrameMachine {
        FrameMachine::new([(0, Part::Core), (1, Part::Core), (1, Part::Tail)].into_iter())
    }

    fn begun() -> FrameMachine {
        let mut frame = frame();
        frame.begin(|_| {}).unwrap();
        frame
    }

    /// Settles a node without an outcome. Returns whether its part is over, and the nodes that are ready.
    fn skip(frame: &mut FrameMachine, slot: Slot) -> Stepped<(bool, Vec<Slot>)> {
        let part = [Part::Core, Part::Core, Part::Tail][slot];
        let consumers: [&[Slot]; 3] = [&[1], &[2], &[]];
        let mut ready = Vec::new();
        let over = frame.settle(slot, part, None, consumers[slot], |slot| ready.push(slot))?;
        Ok((over, ready))
    }

    #[test]
    fn the_core_runs_and_then_the_tail() {
        let mut frame = frame();
        let mut ready = Vec::new();
        assert_eq!(frame.phase, FramePhase::Opened);
        assert_eq!(frame.begin(|slot| ready.push(slot)), Ok(false));
        assert_eq!((frame.phase, &*ready), (FramePhase::Core, &[0][..]));
        assert_eq!(skip(&mut frame, 0), Ok((false, vec![1])));
        // The tail node still waits for its gate.
        assert_eq!(skip(&mut frame, 1), Ok((true, vec![])));
        assert_eq!(frame.phase, FramePhase::CoreDone);
        let mut ready = Vec::new();
        let has_tail = frame.open_tail([2].into_iter(), |slot| ready.push(slot));
        assert_eq!((has_tail, &*ready), (Ok(true), &[2][..]));
        assert!(frame.phase == FramePhase::Tail && frame.is_in_tail());
        assert_eq!(skip(&mut frame, 2), Ok((true, vec![])));
        assert!(frame.phase == FramePhase::TailDone && frame.is_in_tail());
    }

    #[test]
    fn a_part_without_nodes_is_over_at_once() {
        let mut frame = FrameMachine::new(std::iter::empty());
        assert_eq!(frame.begin(|_| {}), Ok(true));
        assert_eq!(frame.phase, FramePhase::CoreDone);
        assert_eq!(frame.open_tail(std::iter::empty(), |_| {}), Ok(false));
        assert_eq!(frame.phase, FramePhase::TailDone);
    }

    #[test]
    fn a_frame_refuses_steps_out_of_order() {
        use FramePhase::{Core, CoreDone, Opened, TailDone};
        let mut frame = frame();
        let open = |frame: &mut FrameMachine| frame.open_tail([2].into_iter(), |_| {});
        assert_eq!(
            open(&mut frame),
            Err(Impossible::Frame(Opened, FrameStep::OpenTail))
        );
        assert_eq!(
            skip(&mut frame, 0),
            Err(Impossible::Frame(Opened, FrameStep::Settle))
        );
        frame.begin(|_| {}).unwrap();
        assert_eq!(
            frame.begin(|_| {}),
            Err(Impossible::Frame(Core, FrameStep::Begin))
        );
        assert_eq!(
            open(&mut frame),
            Err(Impossible::Frame(Core, FrameStep::OpenTail))
        );
        skip(&mut frame, 0).unwrap();
        skip(&mut frame, 1).unwrap();
        assert_eq!(
            skip(&mut frame, 2),
            Err(Impossible::Frame(CoreDone, FrameStep::Settle))
        );
        open(&mut frame).unwrap();
        assert_eq!(
            open(&mut frame),
            Err(Impossible::Frame(FramePhase::Tail, FrameStep::OpenTail))
        );
        skip(&mut frame, 2).unwrap();
        assert_eq!(
            open(&mut frame),
            Err(Impossible::Frame(TailDone, FrameStep::OpenTail))
        );
        assert_eq!(
            frame.begin(|_| {}),
            Err(Impossible::Frame(TailDone, FrameStep::Begin))
        );
    }

    #[test]
    fn a_node_of_the_other_part_does_not_count() {
        let mut frame = begun();
        assert_eq!(skip(&mut frame, 2), Ok((false, vec![])));
        assert_eq!(skip(&mut frame, 0), Ok((false, vec![1])));
        assert_eq!(skip(&mut frame, 1), Ok((true, vec![])));
    }

    #[test]
    fn a_wire_is_ignored_by_a_node_that_no_longer_waits() {
        let mut frame = begun();
        assert_eq!(skip(&mut frame, 1), Ok((false, vec![])));
        assert_eq!(skip(&mut frame, 0), Ok((true, vec![])));
    }

    #[test]
    fn a_node_waits_runs_and_settles() {
        let mut frame = begun();
        assert!(frame.has_its_turn(0) && !frame.has_its_turn(1));
        frame.queue(0).unwrap();
        assert!(!frame.has_its_turn(0));
        frame.requeue(0).unwrap();
        assert!(frame.has_its_turn(0));
        frame.queue(0).unwrap();
        frame.run(0, Ticket(1)).unwrap();
        assert!(matches!(frame.slots()[0], SlotState::Running(Ticket(1))));
        let outcome = Arc::new(Outcome::default());
        let settled = frame.settle(0, Part::Core, Some(outcome), &[1], |_| {});
        assert_eq!(settled, Ok(false));
        assert!(frame.outcome(0).is_some() && frame.outcome(1).is_none());
        frame.enter(1, ScopeId::new(7)).unwrap();
        assert!(matches!(frame.slots()[1], SlotState::Scope(_)));
        frame.fail(1).unwrap();
        assert!(frame.is_settled(1) && frame.phase == FramePhase::Core);
        let has_outcome: Vec<_> = frame.outcomes().iter().map(Option::is_some).collect();
        assert_eq!(has_outcome, [true, false, false]);
    }

    #[test]
    fn the_end_of_a_list_runs_before_its_start_is_settled() {
        let mut frame = begun();
        frame.run(1, Ticket(1)).unwrap();
        assert_eq!(skip(&mut frame, 0), Ok((false, vec![])));
        assert_eq!(skip(&mut frame, 1), Ok((true, vec![])));
    }

    #[test]
    fn a_node_refuses_steps_out_of_order() {
        use NodePhase::{Queued, Running, Scope, Settled, Waiting};
        let refuses = |frame: &mut FrameMachine, phase, steps: &[NodeStep]| {
            for &step in steps {
                let taken = match step {
                    NodeStep::Queue => frame.queue(0),
                    NodeStep::Requeue => frame.requeue(0),
                    NodeStep::Run => frame.run(0, Ticket(2)),
                    NodeStep::Enter => frame.enter(0, ScopeId::new(2)),
                    NodeStep::Settle => skip(frame, 0).map(|_| ()),
                    NodeStep::Fail => frame.fail(0),
                };
                assert_eq!(taken, Err(Impossible::Node(phase, step)));
            }
        };
        let mut frame = begun();
        refuses(&mut frame, Waiting, &[NodeStep::Requeue]);
        frame.queue(0).unwrap();
        refuses(&mut frame, Queued, &[NodeStep::Queue, NodeStep::Enter]);
        frame.run(0, Ticket(1)).unwrap();
        let leaves = [
            NodeStep::Queue,
            NodeStep::Requeue,
            NodeStep::Run,
            NodeStep::Enter,
        ];
        refuses(&mut frame, Running, &leaves);
        skip(&mut frame, 0).unwrap();
        refuses(&mut frame, Settled, &leaves);
        refuses(&mut frame, Settled, &[NodeStep::Settle, NodeStep::Fail]);
        let mut frame = begun();
        frame.enter(0, ScopeId::new(1)).unwrap();
        refuses(&mut frame, Scope, &leaves);
    }
}
