//! The values that arrive at a node.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::Tree;
use crate::{
    journal::Fact,
    kind::Inputs,
    outcome::Outcome,
    plan::{Slot, Source},
    run::arena::FrameId,
};

impl Tree {
    pub(in crate::run) fn outcome(&self, frame: FrameId, slot: Slot) -> Option<&Arc<Outcome>> {
        self.frames.get(frame)?.nodes.outcome(slot)
    }

    /// Returns the value that a wire carries; `None` if the wire is dead.
    pub(in crate::run) fn wire_value(&self, frame: FrameId, source: &Source) -> Option<Arc<Value>> {
        match source {
            Source::Local { slot, handle } => self.outcome(frame, *slot)?.handle(handle).cloned(),
            Source::Outer { up, slot, handle } => self
                .outcome(self.out(frame, *up)?, *slot)?
                .handle(handle)
                .cloned(),
            Source::ScopeInput { up, handle } => {
                let state = self.frames.get(self.out(frame, *up)?)?;
                Some(match &**handle {
                    "index" => Arc::new(Value::from(state.index)),
                    _ => Arc::clone(&state.input),
                })
            }
        }
    }

    /// Returns the values of a node's inputs, by handle, with lists for *many* handles, and whether the node runs.
    pub(in crate::run) fn gather(&self, frame: FrameId, node: NodeIx) -> (Inputs, bool) {
        let node = &self.plan.nodes[node];
        let mut inputs: Inputs = Vec::with_capacity(node.wires.len());
        let mut lists: BTreeMap<&Arc<str>, Vec<Value>> = BTreeMap::new();
        let mut primary_live = false;
        for wire in &node.wires {
            let Some(value) = self.wire_value(frame, &wire.source) else {
                continue;
            };
            primary_live |= wire.primary;
            if wire.many {
                lists
                    .entry(&wire.handle)
                    .or_default()
                    .push((*value).clone());
            } else {
                inputs.push((Arc::clone(&wire.handle), value));
            }
        }
        for (handle, values) in lists {
            inputs.push((Arc::clone(handle), Arc::new(Value::Array(values))));
        }
        let runs = if node.wires.is_empty() {
            true
        } else if node.primary_wired {
            primary_live
        } else {
            !inputs.is_empty()
        };
        (inputs, runs)
    }

    /// Returns the value of the node's primary input, or `None` if it has none.
    pub(in crate::run) fn primary(&self, frame: FrameId, node: NodeIx) -> Option<Arc<Value>> {
        let wires = self.plan.nodes[node]
            .wires
            .iter()
            .filter(|wire| wire.primary);
        let mut many = Vec::new();
        for wire in wires {
            let Some(value) = self.wire_value(frame, &wire.source) else {
                continue;
            };
            if !wire.many {
                return Some(value);
            }
            many.push((*value).clone());
        }
        (!many.is_empty()).then(|| Arc::new(Value::Array(many)))
    }

    /// Returns the value that a bypassed node passes on: its primary input. For a *many* handle with a single value, returns
    /// the value itself instead of a list. Returns `None` if the node has no input.
    pub(in crate::run) fn passed_on(&self, frame: FrameId, node: NodeIx) -> Option<Arc<Value>> {
        let value = self.primary(frame, node)?;
        let wires = &self.plan.nodes[node].wires;
        let is_list = wires.iter().any(|wire| wire.primary && wire.many);
        match &*value {
            Value::Array(items) if is_list && items.len() == 1 => Some(Arc::new(items[0].clone())),
            _ => Some(value),
        }
    }

    /// Returns whether an upstream node does not run because a person fixed the value of this node.
    pub(in crate::run) fn was_cut_off(&self, node: NodeIx) -> bool {
        let plan = &self.plan;
        let planned = &plan.nodes[node];
        planned.wires.iter().any(|wire| {
            plan.source_node(planned.graph, &wire.source)
                .is_some_and(|source| !plan.nodes[source].needed)
        })
    }

    /// Returns the fact that is recorded before `node` runs on these values.
    pub(in crate::run) fn started(
        &self,
        node: NodeIx,
        inputs: &[(Arc<str>, Arc<Value>)],
        max_iterations: Option<u32>,
    ) -> Fact {
        let primary = self.plan.nodes[node]
            .wires
            .iter()
            .find(|wire| wire.primary)
            .map(|wire| Arc::clone(&wire.handle));
        Fact::NodeStarted {
            inputs: inputs.iter().cloned().collect(),
            primary,
            max_iterations,
        }
    }

    /// Returns the outcome of a node that passes on one value.
    pub(in crate::run) fn through(&self, node: NodeIx, value: Arc<Value>) -> Outcome {
        let handle = self.plan.nodes[node]
            .primary_output
            .as_deref()
            .unwrap_or("output");
        Outcome::single(handle, value)
    }
}
