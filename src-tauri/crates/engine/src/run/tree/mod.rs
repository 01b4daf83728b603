//! The tree of everything in progress in a run: frames, the scopes in them, and the frames of these scopes.

mod change;
mod iteration;
mod memory;
mod values;

use std::sync::Arc;

use loopwright_model::{graph::NodeIx, regions::Role};
use serde_json::Value;

use super::{
    arena::{Arena, FrameId, ScopeId},
    frame::{Frame, FrameMachine, Part, SlotState},
    impossible::{Impossible, ScopeKind, Stepped},
    list::machine::ListMachine,
    outbox::Outbox,
    pending::Pending,
    repeat::machine::LoopMachine,
    run_inputs::RunInputs,
    scope::Scope,
    subflow::machine::SubflowMachine,
};
use crate::{
    outcome::Usage,
    plan::{GraphIx, Plan, PlanNode, Slot},
};

pub(super) struct Tree {
    pub(super) plan: Arc<Plan>,
    pub(super) frames: Arena<FrameId, Frame>,
    pub(super) scopes: Arena<ScopeId, Scope>,
    /// The usage of the whole run.
    pub(super) usage: Usage,
}

/// The properties of a frame to open.
pub(super) struct NewFrame {
    pub(super) graph: GraphIx,
    /// The frame and the slot of the scope's node, and the scope itself; `None` for the frame of the flow.
    pub(super) owner: Option<((FrameId, Slot), ScopeId)>,
    /// The prefix of the paths of the frame's nodes, such as `refine[2]/`.
    pub(super) prefix: String,
    pub(super) input: Arc<Value>,
    pub(super) index: u32,
    pub(super) given: Arc<RunInputs>,
}

impl PlanNode {
    /// Returns the part of an iteration that the node belongs to.
    pub(super) fn part(&self) -> Part {
        match self.role {
            Role::Tail => Part::Tail,
            _ => Part::Core,
        }
    }
}

impl Tree {
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        Self {
            plan,
            frames: Arena::default(),
            scopes: Arena::default(),
            usage: Usage::default(),
        }
    }

    /// Opens a frame and returns its number. Its nodes do not run until the frame begins.
    pub(super) fn open_frame(&mut self, new: NewFrame, now: i64) -> FrameId {
        let plan = &self.plan;
        let members = plan.graphs[new.graph].members.iter();
        let nodes = members.map(|&node| (plan.nodes[node].waits_for, plan.nodes[node].part()));
        self.frames.insert(Frame {
            graph: new.graph,
            parent: new.owner.map(|(at, _)| at),
            scope: new.owner.map(|(_, scope)| scope),
            prefix: new.prefix,
            nodes: FrameMachine::new(nodes),
            input: new.input,
            index: new.index,
            given: new.given,
            usage: Usage::default(),
            started_at: now,
        })
    }

    pub(super) fn frame(&self, frame: FrameId) -> Stepped<&Frame> {
        self.frames.get(frame).ok_or(Impossible::FrameClosed)
    }

    pub(super) fn frame_mut(&mut self, frame: FrameId) -> Stepped<&mut Frame> {
        self.frames.get_mut(frame).ok_or(Impossible::FrameClosed)
    }

    pub(super) fn node_at(&self, frame: FrameId, slot: Slot) -> Stepped<NodeIx> {
        Ok(self.plan.graphs[self.frame(frame)?.graph].members[slot])
    }

    /// Returns the path of `node` in a frame, such as `refine[2]/draft`.
    pub(super) fn path(&self, frame: FrameId, node: NodeIx) -> Stepped<String> {
        Ok(self.frame(frame)?.path(&self.plan.nodes[node].id))
    }

    /// Returns the node at this frame and slot, and the node's path.
    pub(super) fn locate(&self, at: (FrameId, Slot)) -> Stepped<(NodeIx, String)> {
        let node = self.node_at(at.0, at.1)?;
        Ok((node, self.path(at.0, node)?))
    }

    /// Returns the value of `run.inputs` in a frame, which is shared by the frames of its regions.
    pub(super) fn given(&self, frame: FrameId) -> Stepped<Arc<RunInputs>> {
        Ok(Arc::clone(&self.frame(frame)?.given))
    }

    /// Replaces the value of an input in the `run.inputs` of all frames of its flow.
    pub(super) fn give(&mut self, frame: FrameId, name: &str, value: &Arc<Value>) -> Stepped {
        let before = self.given(frame)?;
        let after = before.with(name, Arc::clone(value));
        for state in self.frames.values_mut() {
            if Arc::ptr_eq(&state.given, &before) {
                state.given = Arc::clone(&after);
            }
        }
        for scope in self.scopes.values_mut() {
            if let Scope::Subflow(subflow) = scope
                && Arc::ptr_eq(&subflow.given, &before)
            {
                subflow.given = Arc::clone(&after);
            }
        }
        Ok(())
    }

    pub(super) fn looping(&self, scope: ScopeId) -> Stepped<&LoopMachine> {
        match self.scopes.get(scope) {
            Some(Scope::Loop(looping)) => Ok(looping),
            _ => Err(Impossible::ScopeOver(ScopeKind::Loop)),
        }
    }

    pub(super) fn looping_mut(&mut self, scope: ScopeId) -> Stepped<&mut LoopMachine> {
        match self.scopes.get_mut(scope) {
            Some(Scope::Loop(looping)) => Ok(looping),
            _ => Err(Impossible::ScopeOver(ScopeKind::Loop)),
        }
    }

    pub(super) fn list(&self, scope: ScopeId) -> Stepped<&ListMachine> {
        match self.scopes.get(scope) {
            Some(Scope::List(list)) => Ok(list),
            _ => Err(Impossible::ScopeOver(ScopeKind::List)),
        }
    }

    pub(super) fn list_mut(&mut self, scope: ScopeId) -> Stepped<&mut ListMachine> {
        match self.scopes.get_mut(scope) {
            Some(Scope::List(list)) => Ok(list),
            _ => Err(Impossible::ScopeOver(ScopeKind::List)),
        }
    }

    pub(super) fn subflow(&self, scope: ScopeId) -> Stepped<&SubflowMachine> {
        match self.scopes.get(scope) {
            Some(Scope::Subflow(subflow)) => Ok(subflow),
            _ => Err(Impossible::ScopeOver(ScopeKind::Subflow)),
        }
    }

    pub(super) fn subflow_mut(&mut self, scope: ScopeId) -> Stepped<&mut SubflowMachine> {
        match self.scopes.get_mut(scope) {
            Some(Scope::Subflow(subflow)) => Ok(subflow),
            _ => Err(Impossible::ScopeOver(ScopeKind::Subflow)),
        }
    }

    /// Adds a scope. From now on, the scope's node in the enclosing frame runs it.
    pub(super) fn open_scope(&mut self, scope: Scope) -> Stepped<ScopeId> {
        let (frame, slot) = scope.at();
        let id = self.scopes.insert(scope);
        self.frame_mut(frame)?.nodes.enter(slot, id)?;
        Ok(id)
    }

    /// Removes and returns a scope that is over.
    pub(super) fn close_scope(&mut self, scope: ScopeId) -> Stepped<Scope> {
        self.scopes
            .remove(scope)
            .ok_or(Impossible::ScopeOver(ScopeKind::Any))
    }

    /// Removes and returns a loop that is over.
    pub(super) fn close_loop(&mut self, scope: ScopeId) -> Stepped<LoopMachine> {
        match self.close_scope(scope)? {
            Scope::Loop(looping) => Ok(looping),
            _ => Err(Impossible::ScopeOver(ScopeKind::Loop)),
        }
    }

    /// Removes and returns a list that is over.
    pub(super) fn close_list(&mut self, scope: ScopeId) -> Stepped<ListMachine> {
        match self.close_scope(scope)? {
            Scope::List(list) => Ok(list),
            _ => Err(Impossible::ScopeOver(ScopeKind::List)),
        }
    }

    /// Removes and returns a subflow that is over.
    pub(super) fn close_subflow(&mut self, scope: ScopeId) -> Stepped<SubflowMachine> {
        match self.close_scope(scope)? {
            Scope::Subflow(subflow) => Ok(subflow),
            _ => Err(Impossible::ScopeOver(ScopeKind::Subflow)),
        }
    }

    /// Returns the path of the scope's node, such as `refine` or `list[2]/refine`. `None` if the scope is over.
    pub(super) fn scope_path(&self, scope: ScopeId) -> Option<String> {
        let (_, path) = self.locate(self.scopes.get(scope)?.at()).ok()?;
        Some(path)
    }

    /// Returns the loop whose node has this path, or `None` if no such loop is in progress.
    pub(super) fn loop_at(&self, path: &str) -> Option<ScopeId> {
        self.scopes.ids().find(|&scope| {
            self.looping(scope).is_ok() && self.scope_path(scope).as_deref() == Some(path)
        })
    }

    /// Returns the frame that is `up` levels further out than `frame`; `None` if there are fewer levels.
    pub(super) fn out(&self, frame: FrameId, up: usize) -> Option<FrameId> {
        let mut at = frame;
        for _ in 0..up {
            at = self.frames.get(at)?.parent?.0;
        }
        Some(at)
    }

    /// Returns the scope to which a frame belongs as an iteration, an item or an attempt, or `None` for the frame of the
    /// flow.
    pub(super) fn scope_around(&self, frame: FrameId) -> Option<&Scope> {
        self.scopes.get(self.frames.get(frame)?.scope?)
    }

    /// Returns the loops with a budget around a frame, outermost first.
    pub(super) fn budgets_around(&self, frame: FrameId) -> Vec<ScopeId> {
        let mut scopes = Vec::new();
        let mut at = Some(frame);
        while let Some(state) = at.and_then(|frame| self.frames.get(frame)) {
            if let Some(scope) = state.scope
                && let Some(Scope::Loop(looping)) = self.scopes.get(scope)
                && !looping.ledger.state.limits.is_none()
            {
                scopes.push(scope);
            }
            at = state.parent.map(|(frame, _)| frame);
        }
        scopes.reverse();
        scopes
    }

    /// Returns a key that sorts nodes by plan order and iteration.
    pub(super) fn place(&self, frame: FrameId, slot: Slot) -> Vec<usize> {
        let mut place = vec![slot];
        let mut at = Some(frame);
        while let Some(state) = at.and_then(|frame| self.frames.get(frame)) {
            place.push(state.index as usize);
            at = state.parent.map(|(frame, slot)| {
                place.push(slot);
                frame
            });
        }
        place.reverse();
        place
    }

    /// Adds usage to a frame, to everything around the frame, and to the run.
    pub(super) fn spend(&mut self, frame: FrameId, usage: &Usage) {
        if usage.is_none() {
            return;
        }
        self.usage.add(usage);
        let mut at = Some(frame);
        while let Some(frame) = at {
            let Some(state) = self.frames.get_mut(frame) else {
                break;
            };
            state.usage.add(usage);
            if let Some(scope) = state.scope.and_then(|scope| self.scopes.get_mut(scope)) {
                scope.usage_mut().add(usage);
            }
            at = state.parent.map(|(frame, _)| frame);
        }
    }

    /// Counts the usage of the executions that are cut off in this frame and in the frames inside it. These executions will
    /// report no result, so their usage is that of their failed attempts plus what the current attempt has reported.
    pub(super) fn spend_cut_off(&mut self, frame: FrameId, out: &mut Outbox) {
        let Some(state) = self.frames.get(frame) else {
            return;
        };
        let (mut tickets, mut inner) = (Vec::new(), Vec::new());
        for slot in state.nodes.slots() {
            match slot {
                SlotState::Running(ticket) => tickets.push(*ticket),
                SlotState::Scope(scope) => {
                    inner.extend(self.scopes.get(*scope).into_iter().flat_map(Scope::frames));
                }
                _ => {}
            }
        }
        for ticket in tickets {
            if let Some(Pending::Node {
                spent,
                sent,
                counted,
                ..
            }) = out.pending.get_mut(ticket)
                && !std::mem::replace(counted, true)
            {
                let mut usage = Usage::default();
                for part in spent.iter().chain(&*sent) {
                    usage.add(part);
                }
                self.spend(frame, &usage);
            }
        }
        for frame in inner {
            self.spend_cut_off(frame, out);
        }
    }
}
