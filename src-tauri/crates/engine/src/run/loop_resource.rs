//! The state of each loop's resource, while the loop is in progress and while the resource is being closed.

use std::{collections::VecDeque, sync::Arc};

use loopwright_model::graph::NodeIx;
use serde_json::{Map, Value};

use super::{arena::ScopeId, core_io::Effect, outbox::Outbox};
use crate::{
    journal::Fact,
    plan::repeat::ResourceConfig,
    resources::{ITERATION, Resource},
};

/// The resource of a loop in progress.
pub(super) struct LoopResource {
    pub(super) config: ResourceConfig,
    /// The host's answer to the request to open the resource; `None` until it is open.
    pub(super) opened: Option<Arc<Value>>,
    /// The last recorded state; `None` if the state is still the one in which the resource was opened.
    pub(super) state: Option<Arc<Value>>,
    /// The runs that this run was forked from since the resource was last opened, nearest first.
    pub(super) parents: Vec<String>,
    /// Whether the answer in `opened` was recorded in another store.
    pub(super) is_imported: bool,
    /// The state before the iteration in progress; `None` if it is the one in which the resource was opened.
    before: Option<Arc<Value>>,
    /// The names of the fields of the iteration in progress that templates read.
    reads: Arc<[Arc<str>]>,
    /// The values of the fields in `reads`.
    iteration: Map<String, Value>,
    /// Whether closing the resource first restores the state in `state`.
    restore: bool,
}

impl LoopResource {
    /// Creates a resource that is not open yet. `reads` are the fields of the current iteration that templates read.
    pub(super) fn new(config: &ResourceConfig, reads: &Arc<[Arc<str>]>) -> Self {
        Self {
            config: config.clone(),
            opened: None,
            state: None,
            parents: Vec::new(),
            is_imported: false,
            before: None,
            reads: Arc::clone(reads),
            iteration: Map::new(),
            restore: false,
        }
    }

    /// Stores the last state as the state before the iteration that begins now.
    pub(super) fn iteration_begins(&mut self) {
        self.before = self.state.clone();
        let at_first = |name: &Arc<str>| {
            let value = self.config.of_iteration.get(&**name)?;
            Some((name.to_string(), value.clone()))
        };
        self.iteration = self.reads.iter().filter_map(at_first).collect();
    }

    /// Sets the fields of the current iteration that templates read. The host supplies their values when it reopens the
    /// resource.
    pub(super) fn set_reads(&mut self, reads: &Arc<[Arc<str>]>) {
        self.reads = Arc::clone(reads);
    }

    /// Stores the state that a step recorded.
    pub(super) fn set_state(&mut self, state: &Arc<Value>) {
        self.note_iteration(state);
        self.state = Some(Arc::clone(state));
    }

    /// Stores the host's answer to the request to open the resource.
    pub(super) fn set_opened(&mut self, answer: &Arc<Value>) {
        self.note_iteration(answer);
        self.opened = Some(Arc::clone(answer));
    }

    /// Stores the fields of the iteration in progress that a recorded state or answer contains.
    fn note_iteration(&mut self, from: &Value) {
        if let Some(Value::Object(fields)) = from.get(ITERATION) {
            self.iteration.extend(fields.clone());
        }
    }

    /// Sets the earlier recorded state in which the resource must end. `None` means its state when it was opened.
    pub(super) fn end_in(&mut self, state: Option<Arc<Value>>) {
        self.state = state;
        self.restore = true;
    }

    /// If the settings of the resource require it, makes the resource end in its state before the iteration in progress.
    pub(super) fn end_unfinished(&mut self) {
        if self.config.undoes_unfinished {
            self.end_in(self.before.clone());
        }
    }

    /// Records the intent to open the resource of the loop at `path`, and requests it from the host.
    pub(super) fn request_opening(&self, out: &mut Outbox, path: String, node: NodeIx) {
        let opening = Fact::ScopeOpening {
            kind: Arc::clone(&self.config.kind),
            request: Arc::clone(&self.config.request),
        };
        out.record(path.clone(), Some(node), opening);
        let resource = self.describe(path);
        out.push(Effect::OpenScope { resource });
    }

    /// Returns the value that templates read: the fields that the host returned when it opened the resource, overridden by those
    /// of the last recorded state and of the iteration in progress.
    pub(super) fn view(&self) -> Map<String, Value> {
        let fields = |value: &Option<Arc<Value>>| match value.as_deref() {
            Some(Value::Object(fields)) => fields.clone(),
            _ => Map::new(),
        };
        let mut view = fields(&self.opened);
        view.extend(fields(&self.state));
        view.remove(ITERATION);
        view.extend(self.iteration.clone());
        view
    }

    /// Returns the names of the fields of the last recorded state, except [`ITERATION`].
    pub(super) fn state_names(&self) -> Vec<String> {
        match self.state.as_deref() {
            Some(Value::Object(fields)) => {
                let names = fields.keys().filter(|name| *name != ITERATION);
                names.cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the description of the resource that the host receives.
    pub(super) fn describe(&self, path: String) -> Resource {
        Resource {
            run_id: String::new(),
            path,
            kind: Arc::clone(&self.config.kind),
            request: Arc::clone(&self.config.request),
            opened: self.opened.clone(),
            state: self.state.clone(),
            before: self.before.clone(),
            reads: Arc::clone(&self.reads),
            parents: self.parents.clone(),
            is_imported: self.is_imported,
            restore: self.restore,
        }
    }
}

/// A resource that is being closed.
pub(super) struct Closing {
    pub(super) path: String,
    pub(super) node: NodeIx,
    pub(super) resource: LoopResource,
    /// The loop that continues after the close; `None` if the loop was ended from outside.
    pub(super) scope: Option<ScopeId>,
}

/// The resources that are being closed, in the order of the requests.
#[derive(Default)]
pub(super) struct Closings(pub(super) VecDeque<Closing>);

impl Closings {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records the intent to close the resource of the loop at `path`, and requests it from the host.
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

    /// Notes that a loop whose resource is being closed was ended from outside, so that nothing continues after the close.
    pub(super) fn detach(&mut self, scope: ScopeId) {
        for closing in &mut self.0 {
            if closing.scope == Some(scope) {
                closing.scope = None;
            }
        }
    }

    /// Returns whether closing the resource at this path has been requested.
    pub(super) fn has(&self, path: &str) -> bool {
        self.0.iter().any(|closing| closing.path == path)
    }

    /// Removes and returns the first close that was requested for this path. Returns `None` if there is none.
    pub(super) fn take(&mut self, path: &str) -> Option<Closing> {
        let at = self.0.iter().position(|closing| closing.path == path)?;
        self.0.remove(at)
    }
}

/// A resource of a rebuilt run, with the operation that the host must perform next.
pub enum OpenResource {
    /// A request to open the resource has not been answered.
    Opening(Resource),
    /// The resource is open, and must be reopened.
    Open(Resource),
    /// A request to close the resource has not been answered.
    Closing(Resource),
}
