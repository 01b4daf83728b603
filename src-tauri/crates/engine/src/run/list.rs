//! Lists: one frame per item, several at a time, results in the order of the items.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_model::value::describe;
use serde_json::{Value, json};

use super::{
    Run, Scope,
    arena::{FrameId, ScopeId},
    frame::SlotState,
    scope_state::{ItemResult, ListScope},
};
use crate::{
    exit::ExitReason,
    journal::{Completed, Fact, ScopeEnd},
    outcome::{NodeError, Outcome, Usage},
    plan::{GraphIx, OnItemError, Repeat, Slot},
    status::RunStatus,
};

impl Run {
    pub(super) fn start_list(
        &mut self,
        frame: FrameId,
        slot: Slot,
        graph: GraphIx,
        end: Slot,
        input: Arc<Value>,
    ) {
        let node = self.node_at(frame, slot);
        let Value::Array(items) = &*input else {
            let error = NodeError::new(
                "not_a_list",
                format!(
                    "\"{}\" runs once per item of a list, and got {}. Send it a list.",
                    self.plan.nodes[node].title,
                    describe(&input)
                ),
            );
            return self.fail_node(frame, slot, self.now, error);
        };
        let results = vec![ItemResult::Open; items.len()];
        let scope = self.scopes.insert(Scope::List(ListScope {
            at: (frame, slot),
            graph,
            end,
            list: input,
            replaced: BTreeMap::new(),
            next: 0,
            stopped: Vec::new(),
            running: Vec::new(),
            results,
            finished: 0,
            started_at: self.now,
            usage: Usage::default(),
        }));
        self.set_slot(frame, slot, SlotState::Scope(scope));
        self.fill_items(scope);
    }

    /// The list that a step is about. A step is never about a list that is over.
    fn running_list(&mut self, scope: ScopeId) -> Option<&mut ListScope> {
        if !matches!(self.scopes.get(scope), Some(Scope::List(_))) {
            self.impossible("a list that is over continues");
        }
        self.list_scope_mut(scope)
    }

    pub(super) fn list_scope_mut(&mut self, scope: ScopeId) -> Option<&mut ListScope> {
        match self.scopes.get_mut(scope)? {
            Scope::List(listing) => Some(listing),
            Scope::Loop(_) | Scope::Subflow(_) => None,
        }
    }

    /// Starts items while there are places; ends the list when none is left.
    pub(super) fn fill_items(&mut self, scope: ScopeId) {
        let plan = Arc::clone(&self.plan);
        loop {
            let held = self.stopped_items(scope);
            let Some(listing) = self.running_list(scope) else {
                return;
            };
            let Some(Repeat::List(config)) = &plan.graphs[listing.graph].repeat else {
                return self.impossible("a list has no settings");
            };
            if listing.next >= listing.count() {
                if listing.running.is_empty() && listing.stopped.is_empty() {
                    self.end_list(scope);
                }
                return;
            }
            if listing.running.len() - held >= config.concurrency {
                return;
            }
            let index = listing.next;
            listing.next += 1;
            if self.stop_item(scope, index) {
                continue;
            }
            self.begin_item(scope, index);
        }
    }

    /// How many of the running items a fork holds: they take no place.
    fn stopped_items(&self, scope: ScopeId) -> usize {
        let Some(Scope::List(listing)) = self.scopes.get(scope) else {
            return 0;
        };
        let is_held = |frame: &&FrameId| {
            self.frames
                .get(**frame)
                .is_some_and(|state| self.is_stopped_within(&state.prefix))
        };
        listing.running.iter().filter(is_held).count()
    }

    pub(super) fn begin_item(&mut self, scope: ScopeId, index: usize) {
        let Some(listing) = self.running_list(scope) else {
            return;
        };
        let (at, graph, total) = (listing.at, listing.graph, listing.count());
        let item = listing.item(index);
        let node = self.node_at(at.0, at.1);
        let path = self.path(at.0, node);
        let prefix = format!("{path}[{}]/", index + 1);
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        self.record(
            path,
            Some(node),
            Fact::IterationStarted {
                index,
                total: Some(u32::try_from(total).unwrap_or(u32::MAX)),
                input: Arc::clone(&item),
            },
        );
        let given = self.given(at.0);
        let frame = self.open_frame(graph, Some((at.0, at.1, scope)), prefix, item, index, given);
        if let Some(listing) = self.list_scope_mut(scope) {
            listing.running.push(frame);
        }
        self.begin_frame(frame);
    }

    pub(super) fn item_done(&mut self, scope: ScopeId, frame: FrameId) {
        let plan = Arc::clone(&self.plan);
        let Some(listing) = self.running_list(scope) else {
            return;
        };
        let graph = listing.graph;
        let values: Vec<Arc<Value>> = plan.graphs[graph]
            .end_wires
            .iter()
            .filter_map(|wire| self.wire_value(frame, &wire.source))
            .collect();
        self.item_over(scope, frame, ItemResult::of(values));
        self.fill_items(scope);
    }

    fn item_over(&mut self, scope: ScopeId, frame: FrameId, result: ItemResult) {
        let Some(listing) = self.running_list(scope) else {
            return;
        };
        let at = listing.at;
        listing.running.retain(|&other| other != frame);
        let node = self.node_at(at.0, at.1);
        let path = self.path(at.0, node);
        let Some(state) = self.frames.get(frame) else {
            return self.impossible("an item that is over continues");
        };
        let (value, reached, status) = match &result {
            ItemResult::One(value) | ItemResult::Many(value) => {
                (Arc::clone(value), true, RunStatus::Completed)
            }
            ItemResult::Open | ItemResult::Nothing => (Arc::default(), false, RunStatus::Completed),
            ItemResult::Failed(_) => (Arc::default(), false, RunStatus::Failed),
        };
        let index = state.index;
        let entry = Fact::IterationCompleted {
            index,
            result: value,
            reached_exit: reached,
            similarity: None,
            condition_result: None,
            score: None,
            duration_ms: self.elapsed(state.started_at),
            usage: Box::new(state.usage),
            status,
        };
        self.record(path, Some(node), entry);
        self.free_frame(frame);
        if let Some(listing) = self.list_scope_mut(scope) {
            if status == RunStatus::Completed {
                listing.finished += 1;
            }
            let was = std::mem::replace(&mut listing.results[index as usize], result);
            if !matches!(was, ItemResult::Open) {
                self.impossible("an item ends twice");
            }
        }
    }

    pub(super) fn item_failed(
        &mut self,
        scope: ScopeId,
        frame: FrameId,
        error: NodeError,
        node: usize,
    ) {
        let plan = Arc::clone(&self.plan);
        let Some(listing) = self.running_list(scope) else {
            return;
        };
        let Some(Repeat::List(config)) = &plan.graphs[listing.graph].repeat else {
            return self.impossible("a list has no settings");
        };
        let cancelled = NodeError::cancelled("Stopped because another node of the item failed.");
        if config.on_error != OnItemError::Fail && !error.is_final() {
            let (at, graph) = (listing.at, listing.graph);
            let index = self.frames.get(frame).map_or(0, |state| state.index);
            self.spend_what_is_cut_off(frame);
            // What the item still had in flight ends; its frame is closed by `item_over`.
            let replacement = self
                .frames
                .get(frame)
                .map(|state| (state.usage, state.started_at));
            self.drop_frame(frame, ExitReason::Error, &cancelled);
            let start = self.node_at(at.0, at.1);
            self.warn(
                "item_failed",
                start,
                format!(
                    "Item {} of \"{}\" failed: {error}",
                    index + 1,
                    plan.nodes[start].title
                ),
            );
            let prefix = String::new();
            let stand_in = self.open_frame(
                graph,
                Some((at.0, at.1, scope)),
                prefix,
                Arc::new(Value::Null),
                index,
                Arc::default(),
            );
            if let (Some(state), Some((usage, started))) =
                (self.frames.get_mut(stand_in), replacement)
            {
                state.usage = usage;
                state.started_at = started;
            }
            if let Some(listing) = self.list_scope_mut(scope) {
                listing.running.retain(|&other| other != frame);
            }
            self.item_over(scope, stand_in, ItemResult::Failed(error.message));
            return self.fill_items(scope);
        }
        let (at, started, finished) = (listing.at, listing.started_at, listing.finished);
        // What attempts in flight used is counted while their list still stands.
        for running in listing.frames().collect::<Vec<_>>() {
            self.spend_what_is_cut_off(running);
        }
        let Some(Scope::List(mut listing)) = self.scopes.remove(scope) else {
            return self.impossible("a list ends twice");
        };
        let start = self.node_at(at.0, at.1);
        let path = self.path(at.0, start);
        let elsewhere = NodeError::cancelled("Stopped because another item failed.");
        for running in listing.take_frames() {
            let reason = if running == frame {
                ExitReason::Error
            } else {
                ExitReason::Cancelled
            };
            let because = if running == frame {
                &cancelled
            } else {
                &elsewhere
            };
            self.cut_iteration(running, &path, start, reason, because);
        }
        let end = ScopeEnd {
            iterations: finished,
            exit_reason: ExitReason::Error,
            exhausted: false,
        };
        self.fail_scope(at, started, end, &listing.usage, error, node);
    }

    /// All items are over: the end combines what they gave.
    fn end_list(&mut self, scope: ScopeId) {
        let plan = Arc::clone(&self.plan);
        let Some(Scope::List(listing)) = self.scopes.remove(scope) else {
            return self.impossible("a list ends twice");
        };
        let Some(Repeat::List(config)) = &plan.graphs[listing.graph].repeat else {
            return self.impossible("a list has no settings");
        };
        let mut values = Vec::with_capacity(listing.results.len());
        let mut errors = Vec::new();
        for (index, result) in listing.results.into_iter().enumerate() {
            match result {
                ItemResult::One(value) => values.push(Arc::unwrap_or_clone(value)),
                ItemResult::Many(reached) => match Arc::unwrap_or_clone(reached) {
                    Value::Array(reached) => values.extend(reached),
                    other => values.push(other),
                },
                ItemResult::Failed(message) if config.on_error == OnItemError::Collect => {
                    values.push(Value::Null);
                    errors.push(json!({ "index": index, "message": message }));
                }
                ItemResult::Failed(_) | ItemResult::Open | ItemResult::Nothing => {}
            }
        }
        let (frame, slot) = listing.at;
        let start = self.node_at(frame, slot);
        let path = self.path(frame, start);
        let duration_ms = self.elapsed(listing.started_at);
        let outcome = Outcome::default();
        self.record(
            path,
            Some(start),
            Fact::NodeCompleted(Completed {
                outcome: Arc::new(Outcome {
                    usage: listing.usage,
                    ..outcome.clone()
                }),
                duration_ms,
                scope: Some(ScopeEnd {
                    iterations: listing.finished,
                    exit_reason: ExitReason::Completed,
                    exhausted: false,
                }),
            }),
        );
        let items = Arc::new(Value::Array(values));
        let end_node = self.node_at(frame, listing.end);
        let handle = plan.graphs[listing.graph]
            .end_wires
            .iter()
            .find(|wire| wire.primary)
            .map_or_else(|| "input".into(), |wire| Arc::clone(&wire.handle));
        debug_assert_eq!(plan.nodes[end_node].slot, listing.end);
        self.execute_end(
            frame,
            listing.end,
            vec![
                (handle, Arc::clone(&items)),
                ("errors".into(), Arc::new(Value::Array(errors))),
            ],
            items,
        );
        self.settle(frame, slot, SlotState::Done(Arc::new(outcome)));
    }
}
