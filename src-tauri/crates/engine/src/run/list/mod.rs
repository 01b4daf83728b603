//! Lists: each item runs in a separate frame, several items at a time. The results are in the order of the items.
//!
//! [`machine`] contains the states of a list. This module executes its decisions.

pub(super) mod machine;

use std::sync::Arc;

use loopwright_model::{graph::NodeIx, value::describe};
use serde_json::Value;

use super::{
    Run,
    arena::{FrameId, ScopeId},
    breakpoints::Stopped,
    frame::Frame,
    impossible::{Impossible, Stepped},
    nodes::Nodes,
    scope::Scope,
    tree::NewFrame,
};
use crate::{
    exit::ExitReason,
    journal::{Completed, Fact},
    outcome::{NodeError, Outcome, Usage},
    plan::{GraphIx, ListConfig, Slot},
    status::RunStatus,
};
use machine::{ItemResult, ListMachine, NextItem};

/// The data of an item that is recorded when the item is over.
struct ItemEnd {
    index: u32,
    started_at: i64,
    usage: Usage,
}

impl ItemEnd {
    fn of(frame: &Frame) -> Self {
        Self {
            index: frame.index,
            started_at: frame.started_at,
            usage: frame.usage,
        }
    }
}

impl Run {
    /// Starts a list whose node is already recorded as started.
    pub(super) fn start_list(
        &mut self,
        at: (FrameId, Slot),
        graph: GraphIx,
        end: Slot,
        config: ListConfig,
        input: Arc<Value>,
    ) -> Stepped {
        let now = self.clock.now;
        let Some(list) = ListMachine::new(at, graph, end, config, Arc::clone(&input), now) else {
            let node = self.tree.node_at(at.0, at.1)?;
            let error = NodeError::new(
                "not_a_list",
                format!(
                    "\"{}\" runs once per item of a list, and got {}. Send it a list.",
                    self.tree.plan.nodes[node].title,
                    describe(&input)
                ),
            );
            return self.fail_node(at.0, at.1, error);
        };
        let scope = self.tree.open_scope(Scope::List(list))?;
        self.fill_items(scope)
    }

    /// Starts items until the list's concurrency is reached. Ends the list when no item is left.
    pub(super) fn fill_items(&mut self, scope: ScopeId) -> Stepped {
        loop {
            let Self {
                tree, breakpoints, ..
            } = self;
            let is_stopped = |frame: &&FrameId| {
                let state = tree.frames.get(**frame);
                state.is_some_and(|state| breakpoints.is_stopped_within(&state.prefix))
            };
            let running = tree.list(scope)?.frames().iter();
            let stopped = running.filter(is_stopped).count();
            match tree.list_mut(scope)?.next(stopped) {
                NextItem::Wait => return Ok(()),
                NextItem::End => return self.end_list(scope),
                NextItem::Begin(index) => match breakpoints.item(tree, scope, index) {
                    None => self.begin_item(scope, index)?,
                    Some(path) => {
                        tree.list_mut(scope)?.hold(index)?;
                        self.stop_at(&path, Stopped::Item(scope, index))?;
                    }
                },
            }
        }
    }

    /// Begins the item with this index.
    pub(super) fn begin_item(&mut self, scope: ScopeId, index: usize) -> Stepped {
        let list = self.tree.list(scope)?;
        let (at, graph, total) = (list.at, list.graph, list.count());
        let item = list.item(index);
        let (node, path) = self.tree.locate(at)?;
        let new = NewFrame {
            graph,
            owner: Some((at, scope)),
            prefix: format!("{path}[{}]/", index + 1),
            input: Arc::clone(&item),
            index: u32::try_from(index).unwrap_or(u32::MAX),
            given: self.tree.given(at.0)?,
        };
        let started = Fact::IterationStarted {
            index: new.index,
            total: Some(u32::try_from(total).unwrap_or(u32::MAX)),
            input: item,
        };
        self.out.record(path, Some(node), started);
        let frame = self.tree.open_frame(new, self.clock.now);
        self.tree.list_mut(scope)?.begin(index, frame)?;
        self.schedule.begin(&mut self.tree, frame)
    }

    /// Finishes an item whose nodes are all settled.
    pub(super) fn item_done(&mut self, scope: ScopeId, frame: FrameId) -> Stepped {
        let graph = self.tree.list(scope)?.graph;
        let values: Vec<Arc<Value>> = self.tree.plan.graphs[graph]
            .end_wires
            .iter()
            .filter_map(|wire| self.tree.wire_value(frame, &wire.source))
            .collect();
        let state = self.tree.frames.remove(frame);
        let state = state.ok_or(Impossible::FrameClosed)?;
        self.nodes()
            .item_over(scope, frame, ItemEnd::of(&state), ItemResult::of(values))?;
        self.fill_items(scope)
    }

    /// Ends an item in which a node failed. If the failure ends the list, ends the whole list instead.
    pub(super) fn item_failed(
        &mut self,
        scope: ScopeId,
        frame: FrameId,
        error: NodeError,
        node: NodeIx,
    ) -> Stepped {
        let list = self.tree.list(scope)?;
        if list.ends_by(&error) {
            return self.list_failed(scope, frame, error, node);
        }
        let (start, _) = self.tree.locate(list.at)?;
        // The usage of executions in progress is counted before the item ends.
        self.tree.spend_cut_off(frame, &mut self.out);
        let end = ItemEnd::of(self.tree.frame(frame)?);
        let cancelled = NodeError::cancelled("Stopped because another node of the item failed.");
        self.teardown(ExitReason::Error, &cancelled).frame(frame)?;
        let message = format!(
            "Item {} of \"{}\" failed: {error}",
            end.index + 1,
            self.tree.plan.nodes[start].title
        );
        self.out
            .warn(&self.tree.plan, "item_failed", start, message);
        self.nodes()
            .item_over(scope, frame, end, ItemResult::Failed(error.message))?;
        self.fill_items(scope)
    }

    /// Fails the list because an item failed. The other items are cancelled.
    fn list_failed(
        &mut self,
        scope: ScopeId,
        frame: FrameId,
        error: NodeError,
        node: NodeIx,
    ) -> Stepped {
        let list = self.tree.list(scope)?;
        let (at, frames) = (list.at, list.frames().to_vec());
        // The usage of attempts in progress is counted while their list still exists.
        for &running in &frames {
            self.tree.spend_cut_off(running, &mut self.out);
        }
        let (start, path) = self.tree.locate(at)?;
        for running in frames {
            let (reason, words) = match running == frame {
                true => (
                    ExitReason::Error,
                    "Stopped because another node of the item failed.",
                ),
                false => (
                    ExitReason::Cancelled,
                    "Stopped because another item failed.",
                ),
            };
            self.teardown(reason, &NodeError::cancelled(words))
                .iteration(running, &path, start)?;
        }
        self.fail_scope(scope, ExitReason::Error, false, error, node)
    }

    /// Ends a list whose items are all finished. The end node combines their values.
    fn end_list(&mut self, scope: ScopeId) -> Stepped {
        let plan = Arc::clone(&self.tree.plan);
        let list = self.tree.close_list(scope)?;
        let ((frame, slot), graph, end) = (list.at, list.graph, list.end);
        let (usage, started_at) = (list.usage, list.started_at);
        let left = list.into_result();
        let (start, path) = self.tree.locate((frame, slot))?;
        let completed = Fact::NodeCompleted(Completed {
            outcome: Arc::new(Outcome {
                usage,
                ..Outcome::default()
            }),
            duration_ms: self.clock.elapsed(started_at),
            scope: Some(left.end),
            state: None,
        });
        self.out.record(path, Some(start), completed);
        let items = Arc::new(Value::Array(left.items));
        let errors = Arc::new(Value::Array(left.errors));
        let handle = plan.graphs[graph]
            .end_wires
            .iter()
            .find(|wire| wire.primary)
            .map_or_else(|| "input".into(), |wire| Arc::clone(&wire.handle));
        let inputs = vec![(handle, Arc::clone(&items)), ("errors".into(), errors)];
        self.execute_end(frame, end, inputs, items)?;
        self.nodes()
            .settle((frame, slot), start, Some(Arc::default()))
    }
}

impl Nodes<'_> {
    /// Records that an item is over. Its frame is already closed.
    fn item_over(
        &mut self,
        scope: ScopeId,
        frame: FrameId,
        end: ItemEnd,
        result: ItemResult,
    ) -> Stepped {
        let (node, path) = self.tree.locate(self.tree.list(scope)?.at)?;
        let completed = Fact::IterationCompleted {
            index: end.index,
            result: result.value().map(Arc::clone).unwrap_or_default(),
            reached_exit: result.value().is_some(),
            similarity: None,
            condition_result: None,
            score: None,
            duration_ms: self.clock.elapsed(end.started_at),
            usage: Box::new(end.usage),
            status: match result.is_failed() {
                true => RunStatus::Failed,
                false => RunStatus::Completed,
            },
        };
        self.out.record(path, Some(node), completed);
        let list = self.tree.list_mut(scope)?;
        list.finish(end.index as usize, frame, result)
    }
}
