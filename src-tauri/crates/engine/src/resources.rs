//! Resources of loops. A resource is something outside a run that a loop uses from its first to its last iteration, such as a
//! private copy of a folder.
//!
//! A run records the intent to open or close a resource before the host acts, and records the host's answer. So a replay
//! touches no resource, and a run that is resumed after a crash repeats only operations without an answer. Each operation must
//! be safe to repeat, because a host that was killed may have completed all of it, part of it, or nothing.

use std::{fmt, sync::Arc};

use futures::future::{BoxFuture, FutureExt as _, ready};
use serde_json::Value;

use crate::{cancel::CancellationToken, outcome::NodeError};

/// The resource of a loop, as described by the run's records. A run has at most one resource at a path at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// The id of the run that owns the resource. Empty in the core, which does not know the run's id.
    pub run_id: String,
    /// The path of the loop, such as `refine` or `each[2]/refine`.
    pub path: String,
    /// The kind of the resource, such as `workspace`.
    pub kind: Arc<str>,
    /// The settings of the resource.
    pub request: Arc<Value>,
    /// The host's answer to the request to open the resource; `None` before that answer, and if the resource could not be
    /// opened.
    pub opened: Option<Arc<Value>>,
    /// The last recorded state; `None` if no step has recorded one.
    pub state: Option<Arc<Value>>,
    /// The last state that was recorded before the iteration in progress; `None` if there is none.
    pub before: Option<Arc<Value>>,
    /// The subfields of [`ITERATION`] that templates of the flow read. A host need not compute the others.
    pub reads: Arc<[Arc<str>]>,
    /// The runs that this run was forked from since the resource was last opened, nearest first. If the list is not empty,
    /// the resource belongs to one of them, and this run needs its own.
    pub parents: Vec<String>,
    /// Whether the host's answer to the request to open the resource was recorded in another store. Such an answer must not be
    /// trusted.
    pub is_imported: bool,
    /// Whether closing the resource first restores [`Self::state`], which is then the state of an earlier iteration, or the
    /// state before an unfinished iteration.
    pub restore: bool,
}

/// The name of the field with the changes to the resource in the iteration in progress. Recorded states, and answers to a
/// request to reopen, have this field. Templates read its subfields like fields of the state. The detection of progress, which
/// compares states, ignores this field.
pub const ITERATION: &str = "iteration";

/// Opens and closes the resources of loops. The methods for one path are called one after another, in order.
pub trait Resources: Send + Sync {
    /// Opens a resource, and returns the value that the run can read about it. Replaces anything that a killed host left
    /// behind. Stops soon after `cancel` is cancelled; the resource is then closed.
    ///
    /// # Errors
    /// Returns the error with which the loop fails.
    fn open(
        &self,
        resource: Resource,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>>;

    /// Opens a resource again, in the state [`Resource::state`], after the run was suspended, killed, or forked. Returns the
    /// same value as [`Self::open`], with the field [`ITERATION`] of [`Self::state`].
    ///
    /// # Errors
    /// Returns the error with which the loop fails, if the resource no longer exists and cannot be recreated.
    fn reopen(
        &self,
        resource: Resource,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>>;

    /// Returns the current state of an open resource, after a step that may have changed it. The state is recorded with the
    /// outcome of the step, so it must be small but sufficient to restore the resource. If [`Resource::reads`] names fields,
    /// the field [`ITERATION`] of the state contains them.
    ///
    /// # Errors
    /// Returns the error with which the step fails.
    fn state(&self, resource: Resource) -> BoxFuture<'static, Result<Value, NodeError>>;

    /// Closes a resource, even if it was never opened or only partly opened. If [`Resource::restore`] is set, restores
    /// [`Resource::state`] first. Returns the value of the loop's output for the resource.
    ///
    /// # Errors
    /// Returns an error if the resource could not be closed. The run continues with a warning.
    fn close(&self, resource: Resource) -> BoxFuture<'static, Result<Value, NodeError>>;
}

impl fmt::Debug for dyn Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resources")
    }
}

/// Returns a host without resources. Every loop that needs a resource fails with `no_resource`.
pub fn none() -> Arc<dyn Resources> {
    Arc::new(NoResources)
}

struct NoResources;

impl NoResources {
    fn refuse(resource: &Resource) -> BoxFuture<'static, Result<Value, NodeError>> {
        let message = format!(
            "\"{}\" needs a {}, which is not available in this run. Run the flow in the window or with `loopwright run`.",
            resource.path, resource.kind
        );
        ready(Err(NodeError::new("no_resource", message))).boxed()
    }
}

impl Resources for NoResources {
    fn open(
        &self,
        resource: Resource,
        _cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        Self::refuse(&resource)
    }

    fn reopen(
        &self,
        resource: Resource,
        _cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        Self::refuse(&resource)
    }

    fn state(&self, resource: Resource) -> BoxFuture<'static, Result<Value, NodeError>> {
        Self::refuse(&resource)
    }

    fn close(&self, _resource: Resource) -> BoxFuture<'static, Result<Value, NodeError>> {
        // No resource was opened, so nothing must be closed.
        ready(Ok(Value::Null)).boxed()
    }
}
