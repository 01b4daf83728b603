//! The resources of loops: opened before the first iteration, closed after the last one, and used by the steps in between.
//!
//! The core requests both from the host, and continues with the host's recorded answers. A run does not end before every close
//! is answered, even if the run is cancelled.

use std::{collections::VecDeque, sync::Arc};

use loopwright_model::graph::NodeIx;
use serde_json::Value;

use super::{
    Run,
    arena::{FrameId, ScopeId},
    core_io::Effect,
    impossible::Stepped,
    outbox::Outbox,
    pending::Pending,
    scope::Scope,
    ticket::Ticket,
    tree::Tree,
};
use crate::{
    journal::{self, Fact, ScopeAnswer},
    plan::repeat::ResourceConfig,
    resources::Resource,
};

/// The resource of a loop under way.
pub(super) struct LoopResource {
    config: ResourceConfig,
    /// The host's answer to the opening.
    opened: Option<Arc<Value>>,
    /// The last recorded state.
    state: Option<Arc<Value>>,
    /// The runs that this run was forked from since the resource was last opened, nearest first.
    parents: Vec<String>,
    /// Whether the answer to the opening was recorded in another store.
    is_imported: bool,
}

impl LoopResource {
    pub(super) fn new(config: &ResourceConfig) -> Self {
        Self {
            config: config.clone(),
            opened: None,
            state: None,
            parents: Vec::new(),
            is_imported: false,
        }
    }

    /// Records the intent to open the resource of the loop at `path`, and requests the opening.
    pub(super) fn request_opening(&self, out: &mut Outbox, path: String, node: NodeIx) {
        let opening = Fact::ScopeOpening {
            kind: Arc::clone(&self.config.kind),
            request: Arc::clone(&self.config.request),
        };
        out.record(path.clone(), Some(node), opening);
        let resource = self.describe(path);
        out.push(Effect::OpenScope { resource });
    }

    /// Returns the resource as the host knows it.
    fn describe(&self, path: String) -> Resource {
        Resource {
            run_id: String::new(),
            path,
            kind: Arc::clone(&self.config.kind),
            request: Arc::clone(&self.config.request),
            opened: self.opened.clone(),
            state: self.state.clone(),
            parents: self.parents.clone(),
            is_imported: self.is_imported,
        }
    }
}

/// A resource that is being closed.
struct Closing {
    path: String,
    node: NodeIx,
    resource: LoopResource,
    /// The loop that continues after the close; `None` if the loop was ended from outside.
    scope: Option<ScopeId>,
}

/// The resources that are being closed, in the order of the requests.
#[derive(Default)]
pub(super) struct Closings(VecDeque<Closing>);

impl Closings {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records the intent to close the resource of the loop at `path`, and requests the close.
    pub(super) fn begin(
        &mut self,
        out: &mut Outbox,
        path: String,
        node: NodeIx,
        resource: LoopResource,
        scope: Option<ScopeId>,
    ) {
        out.record(path.clone(), Some(node), Fact::ScopeClosing {});
        let described = resource.describe(path.clone());
        out.push(Effect::CloseScope {
            resource: described,
        });
        self.0.push_back(Closing {
            path,
            node,
            resource,
            scope,
        });
    }

    /// Notes that a loop ends from outside while its resource is being closed: nothing continues after the close.
    pub(super) fn detach(&mut self, scope: ScopeId) {
        for closing in &mut self.0 {
            if closing.scope == Some(scope) {
                closing.scope = None;
            }
        }
    }

    /// Whether a close of the resource at this path is requested.
    pub(super) fn has(&self, path: &str) -> bool {
        self.0.iter().any(|closing| closing.path == path)
    }

    /// Removes and returns the first close that was requested for this path.
    fn take(&mut self, path: &str) -> Option<Closing> {
        let at = self.0.iter().position(|closing| closing.path == path)?;
        self.0.remove(at)
    }
}

/// A resource of a rebuilt run, and the operation on it that the host has not finished.
pub enum OpenResource {
    /// The opening is requested and not answered.
    Opening(Resource),
    /// The resource is open, and must be opened again.
    Open(Resource),
    /// The close is requested and not answered.
    Closing(Resource),
}

impl Run {
    /// Continues a loop whose resource was opened, for the first time or (`again`) once more. Fails the loop if the resource
    /// could not be opened.
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
        resource.opened = Some(Arc::clone(&answer.value));
        resource.parents.clear();
        resource.is_imported = is_importing;
        if answer.error.is_some() {
            // A host that could not open a resource leaves nothing to close.
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

    /// Continues after a close: with the end of the loop, or with the end of the run.
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

    /// Returns the resource around an execution under way, and whether the execution may change it.
    pub(crate) fn resource_around(&self, ticket: Ticket) -> Option<(Resource, bool)> {
        let &Pending::Node { frame, slot, .. } = self.out.pending.get(ticket)? else {
            return None;
        };
        let scope = self.tree.resource_scope(frame)?;
        let resource = self.tree.looping(scope).ok()?.resource.as_ref()?;
        let node = self.tree.node_at(frame, slot).ok()?;
        let effect = self.tree.plan.nodes[node].effect;
        let described = resource.describe(self.tree.scope_path(scope)?);
        Some((described, resource.config.is_changed_by(effect)))
    }
}

impl Tree {
    /// Whether the loop at `path` waits for the opening of a resource of this kind with this request.
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

    /// Returns the resources that are open or being closed, closes first.
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

    /// Returns the innermost loop with a resource around a frame.
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

    /// Returns a scope that is a loop with a resource, or else the innermost such loop around it.
    pub(super) fn resource_of_scope(&self, scope: ScopeId) -> Option<ScopeId> {
        match self.scopes.get(scope)? {
            Scope::Loop(looping) if looping.resource.is_some() => Some(scope),
            scope => self.resource_scope(scope.at().0),
        }
    }

    /// Returns the innermost loop with a resource around a node that may change it.
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
            resource.state = Some(Arc::clone(state));
        }
    }

    /// Notes that this run is forked from `parent`, whose resources it does not own.
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
