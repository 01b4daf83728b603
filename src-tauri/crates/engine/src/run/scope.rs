//! A scope: a loop, a list or a subflow in progress, and what all three have in common.

use std::sync::Arc;

use super::{
    arena::FrameId,
    clock::Clock,
    impossible::{Impossible, ScopeKind, Stepped},
    list::machine::ListMachine,
    repeat::machine::LoopMachine,
    subflow::machine::SubflowMachine,
    ticket::Ticket,
};
use crate::{
    exit::ExitReason,
    journal::{Failed, ScopeEnd},
    outcome::{NodeError, Usage},
    plan::{GraphIx, Plan, Repeat, Slot},
};

pub(super) enum Scope {
    Loop(LoopMachine),
    List(ListMachine),
    Subflow(SubflowMachine),
}

impl Scope {
    /// Returns the enclosing frame, and the slot of the scope's node in that frame.
    pub(super) fn at(&self) -> (FrameId, Slot) {
        match self {
            Self::Loop(looping) => looping.place.at,
            Self::List(list) => list.at,
            Self::Subflow(subflow) => subflow.at,
        }
    }

    fn graph(&self) -> GraphIx {
        match self {
            Self::Loop(looping) => looping.place.graph,
            Self::List(list) => list.graph,
            Self::Subflow(subflow) => subflow.graph,
        }
    }

    /// Returns the frames in progress in the scope.
    pub(super) fn frames(&self) -> impl Iterator<Item = FrameId> + '_ {
        let none: &[FrameId] = &[];
        let (one, several) = match self {
            Self::Loop(looping) => (looping.frame(), none),
            Self::List(list) => (None, list.frames()),
            Self::Subflow(subflow) => (subflow.frame(), none),
        };
        one.into_iter().chain(several.iter().copied())
    }

    /// Returns the timers of the scope.
    pub(super) fn tickets(&self) -> Vec<Ticket> {
        match self {
            Self::Loop(looping) => looping.tickets(),
            Self::List(_) => Vec::new(),
            Self::Subflow(subflow) => subflow.ticket().into_iter().collect(),
        }
    }

    /// Returns the number of finished iterations or items, or `None` for a subflow.
    pub(super) fn finished(&self) -> Option<u32> {
        match self {
            Self::Loop(looping) => Some(looping.finished()),
            Self::List(list) => Some(list.finished()),
            Self::Subflow(_) => None,
        }
    }

    fn started_at(&self) -> i64 {
        match self {
            Self::Loop(looping) => looping.started_at,
            Self::List(list) => list.started_at,
            Self::Subflow(subflow) => subflow.started_at,
        }
    }

    fn usage(&self) -> &Usage {
        match self {
            Self::Loop(looping) => &looping.usage,
            Self::List(list) => &list.usage,
            Self::Subflow(subflow) => &subflow.usage,
        }
    }

    /// Returns the record for a scope that ends with an error. A subflow has no iterations, so its record has no `ScopeEnd`.
    pub(super) fn failed(
        &self,
        clock: &Clock,
        error: NodeError,
        exit_reason: ExitReason,
        exhausted: bool,
    ) -> Failed {
        let scope = self.finished().map(|iterations| ScopeEnd {
            iterations,
            exit_reason,
            exhausted,
        });
        let error = match scope {
            Some(_) => error.having_spent(self.usage()),
            None => error,
        };
        Failed {
            error: Box::new(error),
            duration_ms: clock.elapsed(self.started_at()),
            scope,
            state: None,
        }
    }

    pub(super) fn usage_mut(&mut self) -> &mut Usage {
        match self {
            Self::Loop(looping) => &mut looping.usage,
            Self::List(list) => &mut list.usage,
            Self::Subflow(subflow) => &mut subflow.usage,
        }
    }

    /// Replaces the settings of the scope with those of a changed plan.
    pub(super) fn change_plan(&mut self, plan: &Plan) -> Stepped {
        let graph = &plan.graphs[self.graph()];
        match (self, graph.repeat.as_ref()) {
            (Self::Loop(looping), Some(Repeat::Loop(config))) => {
                looping.config = Arc::clone(config);
                if let Some(resource) = &mut looping.resource {
                    resource.set_reads(&graph.reads_of_resource);
                }
            }
            (Self::List(list), Some(Repeat::List(config))) => list.config = *config,
            (Self::Subflow(subflow), Some(Repeat::Subflow(config))) => {
                subflow.config = Arc::clone(config);
            }
            (scope, _) => return Err(Impossible::NoSettings(scope.kind())),
        }
        Ok(())
    }

    fn kind(&self) -> ScopeKind {
        match self {
            Self::Loop(_) => ScopeKind::Loop,
            Self::List(_) => ScopeKind::List,
            Self::Subflow(_) => ScopeKind::Subflow,
        }
    }
}
