//! Changes the plan of a run while scopes are in progress.

use std::sync::Arc;

use super::Tree;
use crate::{
    plan::Plan,
    run::{
        arena::ScopeId, clock::Clock, holds::Holds, impossible::Stepped, outbox::Outbox,
        pending::Pending, scope::Scope,
    },
};

impl Tree {
    /// Replaces the plan with another one of the same structure.
    pub(in crate::run) fn change_plan(
        &mut self,
        plan: Arc<Plan>,
        clock: &Clock,
        holds: &Holds,
        out: &mut Outbox,
    ) -> Stepped {
        self.plan = plan;
        for scope in self.scopes.ids() {
            self.change_scope(scope, clock, holds, out)?;
        }
        Ok(())
    }

    /// Applies the changed plan to a scope. The timers of a loop are replaced to match the new limits.
    fn change_scope(
        &mut self,
        id: ScopeId,
        clock: &Clock,
        holds: &Holds,
        out: &mut Outbox,
    ) -> Stepped {
        let Some(scope) = self.scopes.get_mut(id) else {
            return Ok(());
        };
        scope.change_plan(&self.plan)?;
        let Scope::Loop(looping) = scope else {
            return Ok(());
        };
        // Time in which executions were parked does not count.
        let left = |limit: u64, since: i64| {
            let parked = holds.parked_ms(since, clock.now);
            clock.left(limit.saturating_add(parked), since)
        };
        let old = [looping.timeout.take(), looping.iteration_timeout.take()];
        out.cancel(old.into_iter().flatten());
        if let Some(limit) = looping.config.timeout_ms {
            let left = left(limit, looping.started_at);
            looping.timeout = Some(out.timer(Pending::LoopTimeout { scope: id }, left));
        }
        let frame = looping.frame().and_then(|frame| self.frames.get(frame));
        if let (Some(limit), Some(frame)) = (looping.config.iteration_timeout_ms, frame) {
            let pending = Pending::IterationTimeout {
                scope: id,
                index: looping.finished(),
            };
            let left = left(limit, frame.started_at);
            looping.iteration_timeout = Some(out.timer(pending, left));
        }
        Ok(())
    }
}
