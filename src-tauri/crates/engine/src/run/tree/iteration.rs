//! The results of an iteration: its value, the feedback for the next iteration, and the tail nodes that do not run.

use std::{borrow::Cow, sync::Arc};

use loopwright_model::{graph::NodeIx, regions::Role};
use serde_json::Value;

use super::Tree;
use crate::{
    outcome::NodeError,
    plan::{GraphIx, Source, Wire, Work},
    run::{arena::FrameId, impossible::Stepped},
    skip_cause::SkipCause,
};

impl Tree {
    /// Returns the iteration's value, and whether a value reached the end of the region. If no value did, the iteration's value
    /// is the one that the last branching node sent away from the end.
    ///
    /// # Errors
    /// `no_result` if no value reached the end and no branching node sent one away from it.
    pub(in crate::run) fn result(
        &self,
        frame: FrameId,
        graph: GraphIx,
    ) -> Result<(Arc<Value>, bool), NodeError> {
        let planned = &self.plan.graphs[graph];
        if let Some(value) = planned
            .end_wires
            .iter()
            .find_map(|wire| self.wire_value(frame, &wire.source))
        {
            return Ok((value, true));
        }
        let deciding = planned
            .members
            .iter()
            .enumerate()
            .rev()
            .find_map(|(slot, &node)| {
                // Only a node from which the end can be reached can send a value away from the end, so branching leaves are
                // ignored.
                let planned = &self.plan.nodes[node];
                if !planned.branching || planned.role != Role::Core {
                    return None;
                }
                let outcome = self.outcome(frame, slot)?;
                // If the end of an inner loop names no branch, its value left through its primary output.
                let branch = outcome
                    .branch
                    .as_deref()
                    .or(planned.primary_output.as_deref())?;
                let turned_away = !planned.leads_on.iter().any(|handle| **handle == *branch);
                turned_away.then(|| outcome.handle(branch).cloned())?
            });
        deciding.map(|value| (value, false)).ok_or_else(|| {
            let owner = planned.owner.map_or("the loop", |owner| self.plan.nodes[owner].title.as_str());
            NodeError::new(
                "no_result",
                format!("No value reached the Exit of \"{owner}\" in this iteration, and no Router, Validator, Check or Approval turned it away. Wire a node that always runs to the Exit."),
            )
        })
    }

    /// Returns the feedback and the name of its source. The feedback is the value at `feedback`; without one, the value of
    /// the dangling tail; and without that, the iteration's result.
    ///
    /// # Errors
    /// `several_feedbacks` if more than one source has a value.
    pub(in crate::run) fn feedback(
        &self,
        frame: FrameId,
        graph: GraphIx,
        result: &Arc<Value>,
    ) -> Result<(Arc<Value>, Cow<'static, str>), NodeError> {
        let planned = &self.plan.graphs[graph];
        let mut live: Vec<(Arc<Value>, Cow<'static, str>)> = Vec::new();
        if planned.feedback_wires.is_empty() {
            for &slot in &planned.dangling {
                if let Some(outcome) = self.outcome(frame, slot) {
                    let node = &self.plan.nodes[planned.members[slot]];
                    live.push((
                        Arc::clone(&outcome.value),
                        format!("\"{}\"", node.title).into(),
                    ));
                }
            }
        } else {
            for wire in &planned.feedback_wires {
                if let Some(value) = self.wire_value(frame, &wire.source) {
                    let name = match &wire.source {
                        Source::Local { slot, .. } => {
                            self.plan.nodes[planned.members[*slot]].title.clone()
                        }
                        _ => "a node outside".to_owned(),
                    };
                    live.push((value, format!("\"{name}\"").into()));
                }
            }
        }
        if live.len() > 1 {
            let names: Vec<_> = live.iter().map(|(_, name)| &**name).collect();
            let owner = planned
                .owner
                .map_or("", |owner| self.plan.nodes[owner].title.as_str());
            return Err(NodeError::new(
                "several_feedbacks",
                format!(
                    "\"{owner}\" got feedback from {} in one iteration. Only one may be live: join them in a Transform.",
                    names.join(" and ")
                ),
            ));
        }
        Ok(live
            .pop()
            .unwrap_or_else(|| (Arc::clone(result), "the result".into())))
    }

    /// Returns the nodes of a tail that does not run, with the cause for each.
    pub(in crate::run) fn skipped_tail(&self, frame: FrameId) -> Stepped<Vec<(NodeIx, SkipCause)>> {
        let plan = &self.plan;
        let state = self.frame(frame)?;
        let graph = &plan.graphs[state.graph];
        let mut skipped = Vec::new();
        if !graph.has_tail || state.nodes.is_in_tail() {
            return Ok(skipped);
        }
        // Marks the tail nodes, in plan order, that would not have run anyway, because a branch before them was not taken.
        let mut dead = vec![false; graph.members.len()];
        for (slot, &node) in graph.members.iter().enumerate() {
            let planned = &plan.nodes[node];
            if planned.role != Role::Tail {
                continue;
            }
            let live = |wire: &Wire| match wire.source {
                Source::Local { slot, .. }
                    if plan.nodes[graph.members[slot]].role == Role::Tail =>
                {
                    !dead[slot]
                }
                _ => self.wire_value(frame, &wire.source).is_some(),
            };
            dead[slot] = match &planned.work {
                Work::End { start, .. } => dead[plan.nodes[*start].slot],
                _ if planned.wires.is_empty() => false,
                _ if planned.primary_wired => {
                    !planned.wires.iter().any(|wire| wire.primary && live(wire))
                }
                _ => !planned.wires.iter().any(live),
            };
            let cause = if dead[slot] {
                SkipCause::BranchNotTaken
            } else {
                SkipCause::LastIteration
            };
            skipped.push((node, cause));
        }
        Ok(skipped)
    }
}
