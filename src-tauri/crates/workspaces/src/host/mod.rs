//! Workspaces as the resources of loops. The engine opens a workspace for a loop, and reopens it when the run is resumed or
//! forked. It records the tree after each step, and closes the workspace at the end. All of this changes files on disk, so a
//! replay does none of it.

mod answer;
mod list;
mod places;

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use futures::future::{BoxFuture, FutureExt as _, select};
use loopwright_engine::{
    CancellationToken, NodeError,
    resources::{Resource, Resources},
};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    changes::Trees,
    error::Error,
    fork::Fork,
    git::GitError,
    make::{Base, Note, Report, Request},
    person::Person,
    source::Source,
    tree::Tree,
    workspace::Workspace,
};
use answer::{Iteration, Opened, State};
pub use list::Listed;
use places::Places;

/// The kind of this resource, as loops request it.
pub const KIND: &str = "workspace";

/// How long a stopped program may take to exit before the files are restored.
const LONGEST_STOP: Duration = Duration::from_secs(10);
const STOP_LOOK: Duration = Duration::from_millis(20);

/// The settings of a workspace, as [`Resource::request`] contains them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// The absolute path of the project's folder.
    pub source: PathBuf,
    /// The state that is copied: `head`, `working`, or a branch, tag or commit.
    #[serde(default = "head")]
    pub base: String,
    /// The ignored files to copy, as patterns of .gitignore.
    #[serde(default)]
    pub copy: Vec<String>,
    /// The files that are restored before each check, as patterns of .gitignore.
    #[serde(default)]
    pub protect: Vec<String>,
    /// Where programs may write.
    #[serde(default)]
    pub confine: Confine,
    /// Whether the set-up files of the repository are used.
    #[serde(default = "yes")]
    pub setup_files: bool,
    /// The program that sets up a fresh copy, in place of the commands of the set-up files.
    #[serde(default)]
    pub setup: Option<SetupProgram>,
    /// The time limit of each command that sets up a copy, in seconds.
    #[serde(default)]
    pub setup_seconds: Option<u64>,
}

/// A program that sets up a fresh copy.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupProgram {
    pub program: String,
    #[serde(default)]
    pub args: Vec<String>,
}

/// Where the programs of a workspace may write.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confine {
    /// Programs may write only in the workspace, if this computer can enforce that.
    #[default]
    Auto,
    Off,
}

impl Settings {
    /// Reads the settings of a workspace.
    ///
    /// # Errors
    /// `workspace_settings` if they are malformed.
    pub fn of(resource: &Resource) -> Result<Self, NodeError> {
        serde_json::from_value((*resource.request).clone())
            .map_err(|error| NodeError::new("workspace_settings", error.to_string()))
    }
}

fn yes() -> bool {
    true
}

fn head() -> String {
    "head".to_owned()
}

/// Opens and closes the workspaces of loops, which are stored in a subfolder of the data folder. Clones share the open
/// workspaces.
#[derive(Debug, Clone)]
pub struct Workspaces(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    data: PathBuf,
    person: Person,
    /// The open workspaces by run and loop. Each has its own lock, which an operation holds.
    slots: Mutex<HashMap<(String, String), Slot>>,
}

type Slot = Arc<Mutex<Option<Arc<Workspace>>>>;

impl Workspaces {
    /// Creates the host of the workspaces in `data`, Loopwright's data folder.
    pub fn new(data: &Path, person: &Person) -> Self {
        Self(Arc::new(Inner {
            data: data.to_path_buf(),
            person: person.clone(),
            slots: Mutex::default(),
        }))
    }

    /// Returns the open workspace of a loop in a run, or `None` if it is not open in this process.
    pub fn find(&self, run: &str, loop_path: &str) -> Option<Arc<Workspace>> {
        let slot = self.0.slot(run, loop_path);
        let open = slot.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone()
    }

    /// Returns whether a run of this process is using the workspace of a loop.
    pub fn is_open(&self, run: &str, loop_path: &str) -> bool {
        let slots = self.0.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (run.to_owned(), loop_path.to_owned());
        let Some(slot) = slots.get(&key).map(Arc::clone) else {
            return false;
        };
        drop(slots);
        // If the lock is held, an operation is creating, recording or closing the workspace.
        slot.try_lock().map_or(true, |open| open.is_some())
    }

    /// Releases the workspaces of a run that is suspended or has ended, so that another process can open them.
    pub fn release(&self, run: &str) {
        let mut slots = self.0.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|(owner, _), _| owner != run);
    }

    /// Returns the folders of all workspaces of a run, including closed ones.
    pub fn places(&self, run: &str) -> Vec<PathBuf> {
        places::of_run(&self.0.data, run)
    }

    /// Lists all workspaces on disk, the oldest first.
    pub fn all(&self) -> Vec<Listed> {
        list::all(&self.0.data)
    }

    /// Opens a workspace that no run is using.
    ///
    /// # Errors
    /// Returns the errors of [`Workspace::open`].
    pub fn open_listed(&self, listed: &Listed) -> Result<Workspace, Error> {
        Workspace::open(&listed.place, &self.0.person)
    }

    /// Returns the recorded trees of a workspace, even while a run is using it.
    ///
    /// # Errors
    /// Returns the errors of [`Trees::of`].
    pub fn trees(&self, listed: &Listed) -> Result<Trees, Error> {
        Trees::of(&listed.place, &self.0.person)
    }

    /// Removes a workspace with its trees and its ref in the source.
    ///
    /// # Errors
    /// Returns the errors of [`Workspace::remove`].
    pub fn remove(&self, listed: &Listed) -> Result<(), Error> {
        Workspace::remove(&listed.place, &self.0.person)?;
        Places::of(&self.0.data, &listed.run, &listed.loop_path).remove_empty();
        Ok(())
    }

    /// Restores the recorded tree of an open workspace, after something other than a step changed its files.
    ///
    /// # Errors
    /// Returns an error if the tree cannot be restored.
    pub fn restore(&self, resource: Resource) -> BoxFuture<'static, Result<(), NodeError>> {
        self.then(resource, |operation| {
            let tree = operation.recorded_tree(&operation.opened()?)?;
            let workspace = operation.open_workspace()?;
            workspace.restore(&tree).map(drop).map_err(error)
        })
    }

    /// Runs an operation on a thread that may block.
    fn then<T: Send + 'static>(
        &self,
        resource: Resource,
        act: impl FnOnce(&Operation<'_>) -> Result<T, NodeError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, NodeError>> {
        let inner = Arc::clone(&self.0);
        blocking::unblock(move || {
            if *resource.kind != *KIND {
                let message = format!(
                    "This program has no resource of the kind `{}`.",
                    resource.kind
                );
                return Err(NodeError::new("no_resource", message));
            }
            let slot = inner.slot(&resource.run_id, &resource.path);
            act(&Operation {
                places: Places::of(&inner.data, &resource.run_id, &resource.path),
                inner: &inner,
                resource: &resource,
                slot: &slot,
            })
        })
        .boxed()
    }
}

/// Returns the answer to an opening, unless the opening is cancelled first. If it is cancelled, its thread continues, and
/// the close waits for that thread.
fn unless_cancelled(
    work: BoxFuture<'static, Result<Value, NodeError>>,
    cancel: CancellationToken,
) -> BoxFuture<'static, Result<Value, NodeError>> {
    async move {
        let stopped = cancel.cancelled().boxed();
        match select(work, stopped).await {
            futures::future::Either::Left((answer, _)) => answer,
            futures::future::Either::Right(_) => Err(cancelled()),
        }
    }
    .boxed()
}

fn cancelled() -> NodeError {
    let message = "The workspace was not opened, because the run was stopped.";
    NodeError::new("cancelled", message)
}

/// Refuses an opening that starts after the close of its workspace was requested.
fn refuse_cancelled(cancel: &CancellationToken) -> Result<(), NodeError> {
    if cancel.is_cancelled() {
        return Err(cancelled());
    }
    Ok(())
}

impl Resources for Workspaces {
    fn open(
        &self,
        resource: Resource,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let token = cancel.clone();
        let work = self.then(resource, move |operation| operation.open(&token));
        unless_cancelled(work, cancel)
    }

    fn reopen(
        &self,
        resource: Resource,
        cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let token = cancel.clone();
        let work = self.then(resource, move |operation| operation.reopen(&token));
        unless_cancelled(work, cancel)
    }

    fn state(&self, resource: Resource) -> BoxFuture<'static, Result<Value, NodeError>> {
        self.then(resource, |operation| operation.state())
    }

    fn close(&self, resource: Resource) -> BoxFuture<'static, Result<Value, NodeError>> {
        self.then(resource, |operation| operation.close())
    }
}

impl Inner {
    fn slot(&self, run: &str, loop_path: &str) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (run.to_owned(), loop_path.to_owned());
        Arc::clone(slots.entry(key).or_default())
    }
}

/// An operation on the workspace of one loop.
struct Operation<'a> {
    inner: &'a Inner,
    resource: &'a Resource,
    places: Places,
    slot: &'a Slot,
}

impl Operation<'_> {
    fn open(&self, cancel: &CancellationToken) -> Result<Value, NodeError> {
        let mut open = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        *open = None;
        refuse_cancelled(cancel)?;
        let settings = self.settings()?;
        // No step has used a workspace whose host was killed before the run recorded it.
        let place = self.fresh_place()?;
        let (workspace, mut report) = self.make(&settings, Base::named(&settings.base), &place)?;
        let unmatched = workspace.unmatched(&settings.protect).map_err(error)?;
        if !unmatched.is_empty() {
            report.notes.push(Note::NothingProtected(unmatched));
        }
        let answer = Opened::of(&workspace, &report);
        *open = Some(Arc::new(workspace));
        answer.to_value()
    }

    fn reopen(&self, cancel: &CancellationToken) -> Result<Value, NodeError> {
        let mut open = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        refuse_cancelled(cancel)?;
        let opened = self.opened()?;
        let tree = self.recorded_tree(&opened)?;
        if self.resource.is_imported {
            return Err(self.lost("was created on another computer"));
        }
        let workspace = match open.take() {
            Some(workspace) if self.resource.parents.is_empty() => workspace,
            _ if self.resource.parents.is_empty() => Arc::new(self.open_again(&opened, &tree)?),
            _ => Arc::new(self.fork(&tree)?),
        };
        let restored = workspace.restore(&tree).map_err(error)?;
        let iteration = self.iteration(&opened, &workspace, &tree)?;
        let answer = Opened {
            iteration,
            path: answer::text(&workspace.path()),
            base: workspace.base().to_owned(),
            tree: workspace.base_tree().clone(),
            left: (restored.before != tree).then_some(restored.before),
            ..opened
        };
        *open = Some(workspace);
        answer.to_value()
    }

    fn state(&self) -> Result<Value, NodeError> {
        let workspace = self.open_workspace()?;
        let tree = workspace.record().map_err(error)?.tree;
        // During set-up, no iteration is in progress.
        let iteration = match self.resource.opened {
            Some(_) => self.iteration(&self.opened()?, &workspace, &tree)?,
            None => None,
        };
        State { tree, iteration }.to_value()
    }

    fn close(&self) -> Result<Value, NodeError> {
        let mut open = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        let held = open.take();
        // Two kinds of workspace are not closed: one that the host could not open, and one that belongs to the run's parent.
        if self.resource.opened.is_none() || !self.resource.parents.is_empty() {
            drop(held);
            self.fresh_place()?;
            return Ok(Value::Null);
        }
        let opened = self.opened()?;
        let tree = self.recorded_tree(&opened)?;
        let workspace = match held {
            Some(workspace) => workspace,
            None if self.resource.is_imported => return Ok(Value::Null),
            None => Arc::new(self.open_again(&opened, &tree)?),
        };
        if self.resource.restore {
            wait_for_stopped_programs(&workspace);
            workspace.restore(&tree).map_err(error)?;
        }
        let answer = answer::closed(&workspace, &tree).map_err(error)?;
        self.places.mark_closed(workspace.place()).map_err(error)?;
        Ok(answer)
    }

    /// Returns the open workspace. Fails if the workspace is not open in this process.
    fn open_workspace(&self) -> Result<Arc<Workspace>, NodeError> {
        let open = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| self.lost("is not open"))
    }

    fn make(
        &self,
        settings: &Settings,
        base: Base,
        place: &Path,
    ) -> Result<(Workspace, Report), NodeError> {
        let source = Source::look(&settings.source, &self.inner.data, &self.inner.person);
        let source = source.map_err(error)?;
        Workspace::make(&Request {
            source: &source,
            base,
            run: &self.resource.run_id,
            loop_path: &self.resource.path,
            place,
        })
        .map_err(error)
    }

    /// Returns the folder for a new workspace. If the last workspace was not closed, its folder is reused, because the run
    /// has no record of it.
    fn fresh_place(&self) -> Result<PathBuf, NodeError> {
        let place = self.places.fresh();
        Workspace::remove(&place, &self.inner.person).map_err(error)?;
        self.places.remove_empty();
        Ok(place)
    }

    /// Opens the workspace of this run from disk. A damaged workspace is recreated from its trees. A missing workspace is
    /// recreated from the source if no step had changed it.
    fn open_again(&self, opened: &Opened, tree: &Tree) -> Result<Workspace, NodeError> {
        let person = &self.inner.person;
        let Some(place) = self.places.last() else {
            return self.make_again(opened, tree);
        };
        match Workspace::open(&place, person) {
            Err(Error::Damaged { .. }) => Workspace::remake(&place, tree, person).map_err(error),
            Err(Error::Missing(_)) => self.make_again(opened, tree),
            opened => opened.map_err(error),
        }
    }

    fn make_again(&self, opened: &Opened, tree: &Tree) -> Result<Workspace, NodeError> {
        let settings = self.settings()?;
        if *tree != opened.tree || Base::named(&settings.base) == Base::Working {
            return Err(self.lost("no longer exists"));
        }
        let place = self.fresh_place()?;
        let base = Base::Named(opened.base.clone());
        let (workspace, report) = self.make(&settings, base, &place)?;
        if report.tree != *tree {
            drop(workspace);
            self.fresh_place()?;
            return Err(self.lost("no longer exists, and the source has changed"));
        }
        Ok(workspace)
    }

    /// Creates a workspace for this run from that of the nearest ancestor that has the tree.
    fn fork(&self, tree: &Tree) -> Result<Workspace, NodeError> {
        let mut why = None;
        for parent in &self.resource.parents {
            let places = Places::of(&self.inner.data, parent, &self.resource.path);
            for from in places.newest_first() {
                let place = self.fresh_place()?;
                let fork = Fork {
                    parent: &from,
                    tree,
                    run: &self.resource.run_id,
                    loop_path: &self.resource.path,
                    place: &place,
                };
                match Workspace::fork(&fork, &self.inner.person) {
                    Ok((workspace, _)) => return Ok(workspace),
                    Err(Error::NoTree { .. } | Error::Missing(_)) => {}
                    Err(other) => why = Some(other),
                }
            }
        }
        Err(match why {
            Some(why) => error(why),
            None => self.lost("no longer exists in the run that this one was forked from"),
        })
    }

    fn settings(&self) -> Result<Settings, NodeError> {
        let settings = Settings::of(self.resource)?;
        if settings.source.is_absolute() {
            return Ok(settings);
        }
        let message = format!(
            "The project folder {} must be an absolute path.",
            settings.source.display()
        );
        Err(NodeError::new("workspace_settings", message))
    }

    fn opened(&self) -> Result<Opened, NodeError> {
        let value = self.resource.opened.as_deref().cloned();
        serde_json::from_value(value.unwrap_or_default())
            .map_err(|_| self.lost("has no readable record"))
    }

    /// Returns the last tree that the run recorded.
    fn recorded_tree(&self, opened: &Opened) -> Result<Tree, NodeError> {
        self.tree_of(self.resource.state.as_deref(), opened)
    }

    /// Returns the tree of a recorded state. Without a state, returns the tree that the workspace started from.
    fn tree_of(&self, state: Option<&Value>, opened: &Opened) -> Result<Tree, NodeError> {
        let Some(state) = state else {
            return Ok(opened.tree.clone());
        };
        let state: State = serde_json::from_value(state.clone())
            .map_err(|_| self.lost("has no readable record"))?;
        Ok(state.tree)
    }

    /// Returns the changes of the iteration in progress, whose current state is `tree`. Returns `None` if no template reads
    /// them.
    fn iteration(
        &self,
        opened: &Opened,
        workspace: &Workspace,
        tree: &Tree,
    ) -> Result<Option<Iteration>, NodeError> {
        let before = self.tree_of(self.resource.before.as_deref(), opened)?;
        Iteration::of(&self.resource.reads, workspace, &before, tree).map_err(error)
    }

    fn lost(&self, what: &str) -> NodeError {
        let message = format!(
            "The workspace of \"{}\" {what}. Fork the run before this loop, or start a new run.",
            self.resource.path
        );
        NodeError::new("workspace_lost", message)
    }
}

/// Waits until no call uses the workspace, for at most [`LONGEST_STOP`]. A program that was stopped together with its iteration
/// may still write until it exits.
fn wait_for_stopped_programs(workspace: &Arc<Workspace>) {
    let ends = Instant::now() + LONGEST_STOP;
    while Arc::strong_count(workspace) > 1 && Instant::now() < ends {
        thread::sleep(STOP_LOOK);
    }
}

fn error(error: Error) -> NodeError {
    let code = match &error {
        Error::Refused(_) => "workspace_refused",
        Error::Busy(_) => "workspace_busy",
        Error::SourceGone { .. } => "workspace_source_gone",
        Error::Missing(_) | Error::Damaged { .. } | Error::NoTree { .. } => "workspace_lost",
        Error::Git(GitError::NotFound | GitError::TooOld { .. }) => "workspace_git",
        _ => "workspace_failed",
    };
    NodeError::new(code, error.to_string())
}
