//! The schedule: the nodes that are ready to run, and the executions in progress. The concurrency limit is the number of
//! executions that may be in progress at once.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

use loopwright_model::graph::NodeIx;

use super::{
    arena::{FrameId, ScopeId},
    frame::Part,
    impossible::{Impossible, Stepped},
    ticket::Ticket,
    tree::Tree,
};
use crate::{outcome::Outcome, plan::Slot};

#[derive(Default)]
pub(super) struct Schedule {
    /// The nodes that are ready to run, in the order in which they run.
    pub(super) turn: VecDeque<(FrameId, Slot)>,
    /// Frames in which all nodes of a part are settled. They close once no node is ready to run.
    pub(super) closing: VecDeque<FrameId>,
    /// The number of executions in progress that count towards the concurrency limit.
    running: usize,
    /// Executions that have not begun because of the concurrency limit, a loop's resource or a halt of the run, ordered by
    /// frame and slot.
    waiting: BTreeSet<(FrameId, Slot)>,
    /// Waiting executions at the place of a fork. They stop there instead of beginning.
    stopping: BTreeSet<(FrameId, Slot)>,
    /// Executions that wait for a person's answer. The concurrency limit does not count them.
    asking: BTreeSet<Ticket>,
    /// Executions that wait for a quota. The concurrency limit does not count them.
    parked: BTreeSet<Ticket>,
    /// The number of times that `parked` has changed.
    parked_changes: u64,
    /// Loops whose resource an execution in progress may change. Other executions that may change the same resource wait, so
    /// that each recorded state belongs to one step.
    occupied: Vec<(Ticket, ScopeId)>,
    /// Loops with a resource in which a step is stopped at the place of a fork. No other step of the loop begins, because it
    /// would depend on the stopped step through the resource.
    held: BTreeSet<ScopeId>,
}

impl Schedule {
    /// Marks the nodes of a new frame that wait for nothing as ready to run.
    pub(super) fn begin(&mut self, tree: &mut Tree, id: FrameId) -> Stepped {
        let frame = tree.frame_mut(id)?;
        if frame.nodes.begin(|slot| self.turn.push_back((id, slot)))? {
            self.closing.push_back(id);
        }
        Ok(())
    }

    /// Opens the gate of a frame's tail. Returns whether there is a tail.
    pub(super) fn open_tail(&mut self, tree: &mut Tree, id: FrameId) -> Stepped<bool> {
        let Tree { plan, frames, .. } = tree;
        let frame = frames.get_mut(id).ok_or(Impossible::FrameClosed)?;
        let members = plan.graphs[frame.graph].members.iter().enumerate();
        let tail = members.filter(|&(_, &node)| plan.nodes[node].part() == Part::Tail);
        frame.nodes.open_tail(tail.map(|(slot, _)| slot), |slot| {
            self.turn.push_back((id, slot));
        })
    }

    /// Settles a node. Its consumers may become ready to run, and its frame may close.
    pub(super) fn settle(
        &mut self,
        tree: &mut Tree,
        (id, slot): (FrameId, Slot),
        node: NodeIx,
        outcome: Option<Arc<Outcome>>,
    ) -> Stepped {
        let Tree { plan, frames, .. } = tree;
        let frame = frames.get_mut(id).ok_or(Impossible::FrameClosed)?;
        let node = &plan.nodes[node];
        let (part, consumers) = (node.part(), &node.consumers);
        let ready = |consumer| self.turn.push_back((id, consumer));
        if frame.nodes.settle(slot, part, outcome, consumers, ready)? {
            self.closing.push_back(id);
        }
        Ok(())
    }

    /// Returns whether a new execution must wait because of the concurrency limit. Executions that are already waiting have
    /// priority.
    pub(super) fn is_full(&self, concurrency: usize) -> bool {
        self.running >= concurrency || !self.waiting.is_empty()
    }

    pub(super) fn wait(&mut self, frame: FrameId, slot: Slot) {
        self.waiting.insert((frame, slot));
    }

    /// Returns whether a step at the place of a fork must stop there later, because executions ahead of it may still change its
    /// resource. If so, adds the step to the waiting executions.
    pub(super) fn stops_later(&mut self, tree: &Tree, frame: FrameId, slot: Slot) -> Stepped<bool> {
        if self.stopping.remove(&(frame, slot)) {
            return Ok(false);
        }
        let node = tree.node_at(frame, slot)?;
        let waits = tree.changed_resource(frame, node).is_some()
            && (self.is_full(tree.plan.settings.concurrency)
                || self.is_blocked(tree, frame, slot)?);
        if waits {
            self.wait(frame, slot);
            self.stopping.insert((frame, slot));
        }
        Ok(waits)
    }

    /// If a waiting execution is at the place of a fork, makes it ready to run again. Returns whether it is at such a place.
    pub(super) fn stop(&mut self, tree: &mut Tree, frame: FrameId, slot: Slot) -> Stepped<bool> {
        if !self.stopping.contains(&(frame, slot)) {
            return Ok(false);
        }
        tree.frame_mut(frame)?.nodes.requeue(slot)?;
        self.turn.push_back((frame, slot));
        Ok(true)
    }

    /// Removes and returns the next waiting execution that may begin, if the concurrency limit allows it.
    pub(super) fn next_waiting(&mut self, tree: &Tree) -> Stepped<Option<(FrameId, Slot)>> {
        if self.running >= tree.plan.settings.concurrency {
            return Ok(None);
        }
        if self.occupied.is_empty() && self.held.is_empty() {
            return Ok(self.waiting.pop_first());
        }
        let mut next = None;
        for &(frame, slot) in &self.waiting {
            if !self.is_blocked(tree, frame, slot)? {
                next = Some((frame, slot));
                break;
            }
        }
        Ok(next.filter(|next| self.waiting.remove(next)))
    }

    /// Returns whether an execution must wait for the resource of its enclosing loop: another execution may be changing the
    /// resource, or a step that uses it is stopped at the place of a fork.
    pub(super) fn is_blocked(&self, tree: &Tree, frame: FrameId, slot: Slot) -> Stepped<bool> {
        if self.occupied.is_empty() && self.held.is_empty() {
            return Ok(false);
        }
        let node = tree.node_at(frame, slot)?;
        let changed = tree.changed_resource(frame, node);
        let is_occupied = |scope| self.occupied.iter().any(|&(_, occupied)| occupied == scope);
        let is_held = |scope| self.held.contains(&scope);
        Ok(changed.is_some_and(is_occupied) || tree.resource_scope(frame).is_some_and(is_held))
    }

    /// Notes that an execution may change the resource of a loop. The note applies until the execution ends.
    pub(super) fn occupy(&mut self, scope: ScopeId, ticket: Ticket) {
        self.occupied.push((ticket, scope));
    }

    /// Holds the resource of a loop in which a step is stopped at the place of a fork.
    pub(super) fn hold(&mut self, scope: ScopeId) {
        self.held.insert(scope);
    }

    /// Releases all held resources when the fork is applied.
    pub(super) fn release_held(&mut self) {
        self.held.clear();
    }

    /// Counts an execution towards the concurrency limit.
    pub(super) fn take_place(&mut self) {
        self.running += 1;
    }

    /// Notes that an execution waits for a person's answer. The concurrency limit no longer counts it. `has_place` is true if
    /// the limit counted it before.
    pub(super) fn ask(&mut self, ticket: Ticket, has_place: bool) {
        if self.asking.insert(ticket) {
            self.give_place_back(has_place);
        }
    }

    /// Ends an execution. The concurrency limit no longer counts it. `has_place` is true if the limit counts executions of its
    /// node.
    pub(super) fn end(&mut self, ticket: Ticket, has_place: bool) {
        self.occupied.retain(|&(occupant, _)| occupant != ticket);
        let (asked, parked) = (self.asking.remove(&ticket), self.parked.remove(&ticket));
        self.parked_changes += u64::from(parked);
        if !asked && !parked {
            self.give_place_back(has_place);
        }
    }

    /// Notes that an execution waits for a quota. The concurrency limit no longer counts it.
    pub(super) fn park(&mut self, ticket: Ticket) {
        if self.parked.insert(ticket) {
            self.parked_changes += 1;
            self.give_place_back(true);
        }
    }

    /// Counts a parked execution against the concurrency limit again. Returns whether it was parked.
    pub(super) fn unpark(&mut self, ticket: Ticket) -> bool {
        let was_parked = self.parked.remove(&ticket);
        if was_parked {
            self.parked_changes += 1;
            self.take_place();
        }
        was_parked
    }

    /// Counts all parked executions against the concurrency limit again.
    pub(super) fn unpark_all(&mut self) {
        self.parked_changes += 1;
        self.running += std::mem::take(&mut self.parked).len();
    }

    pub(super) fn is_parked(&self, ticket: Ticket) -> bool {
        self.parked.contains(&ticket)
    }

    /// Returns the parked executions.
    pub(super) fn parked(&self) -> &BTreeSet<Ticket> {
        &self.parked
    }

    /// Returns the number of times that the set of parked executions has changed.
    pub(super) fn parked_changes(&self) -> u64 {
        self.parked_changes
    }

    /// Returns whether the concurrency limit allows another execution.
    pub(super) fn has_room(&self, concurrency: usize) -> bool {
        self.running < concurrency
    }

    fn give_place_back(&mut self, has_place: bool) {
        if has_place {
            self.running = self.running.saturating_sub(1);
        }
    }

    pub(super) fn is_asking(&self, ticket: Ticket) -> bool {
        self.asking.contains(&ticket)
    }

    pub(super) fn has_questions(&self) -> bool {
        !self.asking.is_empty()
    }

    /// Makes all waiting executions ready to run again.
    pub(super) fn release(&mut self, tree: &mut Tree) -> Stepped {
        self.stopping.clear();
        for (frame, slot) in std::mem::take(&mut self.waiting) {
            tree.frame_mut(frame)?.nodes.requeue(slot)?;
            self.turn.push_back((frame, slot));
        }
        Ok(())
    }

    /// Removes all entries of a frame that ends early.
    pub(super) fn forget(&mut self, frame: FrameId) {
        self.turn.retain(|&(other, _)| other != frame);
        self.closing.retain(|&other| other != frame);
        self.waiting.retain(|&(other, _)| other != frame);
        self.stopping.retain(|&(other, _)| other != frame);
    }

    /// Drops all ready nodes and closing frames when the run is over.
    pub(super) fn clear(&mut self) {
        self.turn.clear();
        self.closing.clear();
    }

    /// Drops all ready nodes, closing frames and waiting executions when the run ends in an impossible state.
    pub(super) fn clear_all(&mut self) {
        self.clear();
        self.waiting.clear();
        self.stopping.clear();
    }
}
