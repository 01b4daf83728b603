//! The fork inside the core: the plan changes, and the steps that stopped at the place of the fork continue.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Run,
    arena::FrameId,
    breakpoints::{Reached, Stopped},
    impossible::Stepped,
    scope::Scope,
};
use crate::{
    journal::{self, Override},
    plan::Plan,
};

impl Run {
    /// Stops at the breakpoint with this path.
    pub(super) fn stop_at(&mut self, path: &str, stopped: Stopped) -> Stepped {
        let resource = match &stopped {
            Stopped::Turn(frame, _) | Stopped::End(frame, ..) | Stopped::Evaluation(frame, _) => {
                self.tree.resource_scope(*frame)
            }
            Stopped::Iteration(scope, _) | Stopped::Item(scope, _) => {
                self.tree.resource_of_scope(*scope)
            }
        };
        if let Some(scope) = resource {
            self.schedule.hold(scope);
        }
        self.breakpoints.keep(path, stopped);
        // Other items of the list around the stopped step continue.
        for scope in self.tree.scopes.ids() {
            let around = self
                .tree
                .scope_path(scope)
                .is_some_and(|scope| path.starts_with(&format!("{scope}[")));
            if around && matches!(self.tree.scopes.get(scope), Some(Scope::List(_))) {
                self.fill_items(scope)?;
            }
        }
        Ok(())
    }

    /// If the next iteration has a breakpoint, stops before the exit condition is evaluated. Returns whether the run stopped
    /// there.
    pub(super) fn stop_evaluation(&mut self, frame: FrameId) -> Stepped<bool> {
        let Some((next, prefix)) = self.breakpoints.evaluation(&self.tree, frame) else {
            return Ok(false);
        };
        self.stop_at(&next, Stopped::Evaluation(frame, prefix))?;
        Ok(true)
    }

    /// Changes the plan and continues at the place of the fork.
    pub(super) fn fork(
        &mut self,
        parent: String,
        at: String,
        beyond: bool,
        plan: Arc<Plan>,
        given: Option<Override>,
    ) -> Stepped {
        self.out.record_run(journal::Input::Forked {
            parent: parent.clone(),
            at: at.clone(),
            beyond,
            given: given.clone(),
        });
        for warning in &plan.warnings {
            self.out.add_warning(warning.clone());
        }
        self.tree.disown_resources(&parent);
        self.schedule.release_held();
        // The executions begin again under the new plan, which may use another provider.
        self.schedule.unpark_all();
        self.tree
            .change_plan(plan, &self.clock, &self.holds, &mut self.out)?;
        let lifted = self.budgets.change_plan(&mut self.tree, &mut self.out);
        self.nodes().release(lifted)?;
        let Some(Reached { stopped, reads }) = self.breakpoints.leave(&self.tree, &at) else {
            return Ok(());
        };
        for (frame, slot) in reads {
            let state = self.tree.frames.get(frame);
            if state.is_some_and(|state| state.nodes.has_its_turn(slot)) {
                self.schedule.turn.push_back((frame, slot));
            }
        }
        self.continue_from(stopped, given)
    }

    /// Continues a step that stopped at the place of the fork, with the replacement value if there is one.
    fn continue_from(&mut self, stopped: Stopped, given: Option<Override>) -> Stepped {
        let input_of = |own: Arc<Value>| match &given {
            Some(Override::Input(value)) => Arc::clone(value),
            _ => own,
        };
        match stopped {
            Stopped::Turn(frame, slot) => {
                if let Some(Override::Outcome(outcome)) = given {
                    self.breakpoints.give(frame, slot, outcome);
                }
                self.schedule.turn.push_front((frame, slot));
                Ok(())
            }
            Stopped::End(frame, slot, inputs, items) => match given {
                Some(Override::Outcome(outcome)) => {
                    let node = self.tree.node_at(frame, slot)?;
                    self.nodes().begin_node(frame, node, &inputs)?;
                    self.nodes().done(frame, slot, outcome)
                }
                _ => self.execute_end(frame, slot, inputs, items),
            },
            Stopped::Iteration(scope, input) => self.begin_iteration(scope, input_of(input)),
            Stopped::Item(scope, index) => {
                let list = self.tree.list_mut(scope)?;
                list.release(index)?;
                list.replace(index, input_of);
                self.begin_item(scope, index)
            }
            Stopped::Evaluation(frame, _) => {
                self.schedule.closing.push_front(frame);
                Ok(())
            }
        }
    }
}
