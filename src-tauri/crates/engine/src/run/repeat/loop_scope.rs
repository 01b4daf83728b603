//! A loop under way.

use std::{collections::HashMap, sync::Arc};

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::state::LoopState;
use crate::{
    budget::BudgetLedger,
    exit::{ExitReason, ExitState},
    outcome::{Outcome, Usage},
    plan::{GraphIx, LoopConfig, Slot},
    run::{arena::FrameId, ticket::Ticket},
};

/// What a loop knows between iterations.
pub(in crate::run) struct LoopScope {
    /// The place of the Loop node.
    pub(in crate::run) at: (FrameId, Slot),
    pub(in crate::run) graph: GraphIx,
    /// The end's slot, in the start's graph.
    pub(super) end: Slot,
    pub(super) original: Arc<Value>,
    pub(in crate::run) started_at: i64,
    /// As `started_at`, by the clock.
    pub(in crate::run) began_at: i64,
    /// Iterations that finished.
    pub(in crate::run) finished: u32,
    pub(in crate::run) state: LoopState,
    pub(in crate::run) last: Option<Arc<Value>>,
    pub(super) before_last: Option<Arc<Value>>,
    /// An object, as templates read it.
    pub(in crate::run) vars: Arc<Value>,
    /// Values of the iteration before, by slot, where a template reads `previous`.
    pub(in crate::run) previous: Option<Vec<Option<Arc<Outcome>>>>,
    /// What nodes inside left for their next executions, oldest first.
    pub(in crate::run) memory: HashMap<NodeIx, Vec<Arc<Value>>>,
    pub(super) exit: ExitState,
    pub(super) best: Option<Best>,
    /// Every result, where `iterations` is wired or read.
    pub(super) results: Vec<Arc<Value>>,
    /// By extra output: the values to give.
    pub(super) outputs: Vec<Vec<Value>>,
    /// Whether the warning that results swing was given.
    pub(super) oscillating: bool,
    pub(in crate::run) usage: Usage,
    pub(in crate::run) ledger: BudgetLedger,
    pub(super) timeout: Option<Ticket>,
    pub(super) iteration_timeout: Option<Ticket>,
}

pub(super) struct Best {
    pub(super) score: f64,
    pub(super) reached: bool,
    pub(super) result: Arc<Value>,
}

impl LoopScope {
    /// Gives the loop's variables these values, in their order.
    pub(super) fn set_vars(&mut self, config: &LoopConfig, values: Vec<Value>) {
        let names = || config.variables.iter().map(|variable| &variable.name);
        // As a rule only the loop holds them, and they are those of the iteration before.
        if let Some(Value::Object(vars)) = Arc::get_mut(&mut self.vars)
            && vars.keys().eq(names())
        {
            for (var, value) in vars.values_mut().zip(values) {
                *var = value;
            }
            return;
        }
        let vars = names().cloned().zip(values).collect();
        self.vars = Arc::new(Value::Object(vars));
    }

    pub(in crate::run) fn tickets(&self) -> Vec<Ticket> {
        [self.timeout, self.iteration_timeout, self.state.timer()]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Why a loop ends.
pub(super) enum Ending {
    Met(ExitReason),
    Exhausted(ExitReason),
}
