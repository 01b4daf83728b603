//! The resources of loops: opened before the first iteration, used by the steps of the loop, and closed after the last
//! iteration.
//!
//! The core asks the host to open and close each resource, and continues with the host's recorded answers. A run does not end
//! before every request to close a resource is answered, even if the run is cancelled.

use std::sync::Arc;

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{
    Run,
    arena::{FrameId, ScopeId},
    impossible::Stepped,
    loop_resource::{Closing, Closings, OpenResource},
    pending::Pending,
    scope::Scope,
    ticket::Ticket,
    tree::Tree,
};
use crate::{
    journal::{self, ScopeAnswer},
    resources::Resource,
};

impl Run {
    /// Continues a loop whose resource was opened, or reopened if `again` is true. Fails the loop if the resource could not
    /// be opened.
    pub(super) fn scope_opened(
        &mut self,
        path: String,
        answer: ScopeAnswer,
        again: bool,
    ) -> Stepped {
        let is_importing = self.is_importing;
        let Some(scope) = self.tree.loop_at(&path) else {
            return Ok(());
        };
        let looping = self.tree.looping_mut(scope)?;
        let (at, is_opening) = (looping.place.at, looping.is_opening());
        if is_opening == again {
            return Ok(());
        }
        let Some(resource) = &mut looping.resource else {
            return Ok(());
        };
        resource.set_opened(&answer.value);
        resource.parents.clear();
        resource.is_imported = is_importing;
        if answer.error.is_some() {
            // A resource that could not be opened need not be closed.
            looping.resource = None;
        }
        let error = answer.error.clone();
        let node = self.tree.node_at(at.0, at.1)?;
        let entry = match again {
            true => journal::Input::ScopeReopened(answer),
            false => journal::Input::ScopeOpened(answer),
        };
        self.out.record(path, Some(node), entry);
        if let Some(error) = error {
            return self.loop_failed(scope, *error, None);
        }
        if again {
            return Ok(());
        }
        let input = self.tree.looping_mut(scope)?.opened()?;
        self.begin_iteration(scope, input)
    }

    /// Continues after a resource was closed: with the end of the loop, or with the end of the run.
    pub(super) fn scope_closed(&mut self, path: String, answer: ScopeAnswer) -> Stepped {
        let Some(closing) = self.closings.take(&path) else {
            return Ok(());
        };
        let node = Some(closing.node);
        let closed = journal::Input::ScopeClosed(answer.clone());
        self.out.record(path, node, closed);
        let kind = closing.resource.config.kind;
        if let Some(error) = &answer.error {
            let plan = &self.tree.plan;
            let message = format!(
                "The {kind} of \"{}\" was not closed: {error}",
                plan.nodes[closing.node].title
            );
            self.out.warn(plan, "not_closed", closing.node, message);
        }
        if let Some(scope) = closing.scope {
            let looping = self.tree.looping_mut(scope)?;
            looping.closed = (!answer.value.is_null()).then_some((kind, answer.value));
            let then = looping.closed()?;
            self.finish_loop(scope, then)?;
        }
        self.finish(None);
        Ok(())
    }

    /// Returns the resource around an execution in progress, without the id of the run, and whether the execution may change
    /// the resource. `None` if there is no resource.
    pub(crate) fn resource_around(&self, ticket: Ticket) -> Option<(Box<Resource>, bool)> {
        let &Pending::Node { frame, slot, .. } = self.out.pending.get(ticket)? else {
            return None;
        };
        let scope = self.tree.resource_scope(frame)?;
        let resource = self.tree.looping(scope).ok()?.resource.as_ref()?;
        let node = self.tree.node_at(frame, slot).ok()?;
        let effect = self.tree.plan.nodes[node].effect;
        let described = resource.describe(self.tree.scope_path(scope)?);
        Some((Box::new(described), resource.config.is_changed_by(effect)))
    }
}

impl Tree {
    /// Returns whether the loop at `path` waits for the host to open a resource of this kind with this request.
    pub(super) fn opens(&self, path: &str, kind: &str, request: &Value) -> bool {
        let Some(looping) = self
            .loop_at(path)
            .and_then(|scope| self.looping(scope).ok())
        else {
            return false;
        };
        looping.is_opening()
            && looping.resource.as_ref().is_some_and(|resource| {
                *resource.config.kind == *kind && *resource.config.request == *request
            })
    }

    /// Returns the resources that are open or being closed. Those that are being closed come first.
    pub(super) fn resources(&self, closings: &Closings) -> Vec<OpenResource> {
        let closing = |closing: &Closing| {
            OpenResource::Closing(closing.resource.describe(closing.path.clone()))
        };
        let open = |scope: ScopeId| {
            let looping = self.looping(scope).ok()?;
            let resource = looping.resource.as_ref()?;
            let described = resource.describe(self.scope_path(scope)?);
            Some(match looping.is_opening() {
                true => OpenResource::Opening(described),
                false => OpenResource::Open(described),
            })
        };
        let open = self.scopes.ids().filter_map(open);
        closings.0.iter().map(closing).chain(open).collect()
    }

    /// Returns the innermost loop with a resource around a frame, or `None` if there is none.
    pub(super) fn resource_scope(&self, frame: FrameId) -> Option<ScopeId> {
        let mut at = Some(frame);
        while let Some(state) = at.and_then(|frame| self.frames.get(frame)) {
            if let Some(scope) = state.scope
                && let Some(Scope::Loop(looping)) = self.scopes.get(scope)
                && looping.resource.is_some()
            {
                return Some(scope);
            }
            at = state.parent.map(|(frame, _)| frame);
        }
        None
    }

    /// Returns `scope` if it is a loop with a resource, otherwise the innermost such loop around it, or `None` if there is
    /// none.
    pub(super) fn resource_of_scope(&self, scope: ScopeId) -> Option<ScopeId> {
        match self.scopes.get(scope)? {
            Scope::Loop(looping) if looping.resource.is_some() => Some(scope),
            scope => self.resource_scope(scope.at().0),
        }
    }

    /// Returns the innermost loop with a resource around a node, if the node may change that resource. Otherwise returns
    /// `None`.
    pub(super) fn changed_resource(&self, frame: FrameId, node: NodeIx) -> Option<ScopeId> {
        let scope = self.resource_scope(frame)?;
        let resource = self.looping(scope).ok()?.resource.as_ref()?;
        let effect = self.plan.nodes[node].effect;
        resource.config.is_changed_by(effect).then_some(scope)
    }

    /// Sets the recorded state of the resource around a frame, after a step in the frame.
    pub(super) fn set_resource_state(&mut self, frame: FrameId, state: &Arc<Value>) {
        let scope = self.resource_scope(frame);
        if let Some(looping) = scope.and_then(|scope| self.looping_mut(scope).ok())
            && let Some(resource) = &mut looping.resource
        {
            resource.set_state(state);
        }
    }

    /// Notes that this run is forked from `parent`, so the resources that are open so far belong to `parent` and not to this
    /// run.
    pub(super) fn disown_resources(&mut self, parent: &str) {
        for scope in self.scopes.ids() {
            if let Ok(looping) = self.looping_mut(scope)
                && let Some(resource) = &mut looping.resource
                && resource.opened.is_some()
            {
                resource.parents.insert(0, parent.to_owned());
            }
        }
    }
}
