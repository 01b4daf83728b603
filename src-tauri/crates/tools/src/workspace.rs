//! The workspace of a loop, a private copy of a folder: its paths, and the limits of programs that work in it.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use globset::GlobBuilder;
use loopwright_engine::{NodeError, host::ToolContext, resources::Resource};
use loopwright_process::Within;
use loopwright_workspaces::{
    Confine, Confinement, KIND, Settings, SourceGuard, Workspace, Workspaces, environment,
    state_of_runner,
};

/// The copy of a folder, before or during the run.
#[derive(Debug, Clone)]
pub(crate) struct Copied {
    /// The folder that is copied, with links resolved.
    pub(crate) source: PathBuf,
    /// Whether programs may write only in the copy, if the computer can enforce that.
    pub(crate) confine: bool,
    /// The copy, or `None` before the run.
    pub(crate) open: Option<Arc<Open>>,
}

impl Copied {
    /// Describes a copy that is not open in this process.
    pub(crate) fn not_open(source: PathBuf) -> Self {
        Self {
            source,
            confine: true,
            open: None,
        }
    }
}

/// The workspace of a call.
#[derive(Debug)]
pub(crate) struct Open {
    workspace: Arc<Workspace>,
    /// The folder in which nodes work, with links resolved.
    pub(crate) path: PathBuf,
    settings: Settings,
}

fn failed(error: &loopwright_workspaces::Error) -> NodeError {
    NodeError::new("workspace_failed", error.to_string())
}

/// Runs blocking work on its own thread, and returns its result.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, NodeError> + Send + 'static,
) -> Result<T, NodeError> {
    tokio::task::spawn_blocking(work).await.map_err(|broken| {
        let message =
            format!("The workspace operation stopped unexpectedly: {broken}. Run the node again.");
        NodeError::new("workspace_failed", message)
    })?
}

impl Open {
    /// Returns the workspace of a call, or `None` if the call is outside any workspace.
    ///
    /// # Errors
    /// `workspace_lost` if the workspace is not open.
    pub(crate) fn find(
        workspaces: Option<&Workspaces>,
        resource: Option<&Resource>,
    ) -> Result<Option<Self>, NodeError> {
        let Some(resource) = resource.filter(|resource| *resource.kind == *KIND) else {
            return Ok(None);
        };
        let found = workspaces.and_then(|all| all.find(&resource.run_id, &resource.path));
        let workspace = found.ok_or_else(|| {
            let message = format!("The workspace of \"{}\" is not open. Start a new run, or fork this one before the loop.", resource.path);
            NodeError::new("workspace_lost", message)
        })?;
        let path = workspace.path();
        Ok(Some(Self {
            path: std::fs::canonicalize(&path).unwrap_or(path),
            settings: Settings::of(resource)?,
            workspace,
        }))
    }

    /// Returns the folder that is copied, as the flow names it.
    pub(crate) fn source(&self) -> &Path {
        &self.settings.source
    }

    pub(crate) fn confines(&self) -> bool {
        self.settings.confine == Confine::Auto
    }

    /// Returns the pattern that protects a file of the workspace; `None` if the file is not protected. `file` is an absolute
    /// path.
    pub(crate) fn protecting(&self, file: &Path) -> Option<&str> {
        let top = self.workspace.files();
        let top = std::fs::canonicalize(top).unwrap_or_else(|_| top.to_path_buf());
        let relative = file.strip_prefix(top).ok()?;
        let protects = |pattern: &String| {
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            let pattern = pattern.trim_end_matches('/');
            // A pattern that matches a folder covers everything in it.
            [pattern.to_owned(), format!("{pattern}/**")]
                .iter()
                .any(|pattern| {
                    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
                    glob.is_ok_and(|glob| glob.compile_matcher().is_match(relative))
                })
        };
        let patterns = &self.settings.protect;
        patterns
            .iter()
            .find(|pattern| protects(pattern))
            .map(String::as_str)
    }

    /// Restores the protected files, before a check.
    ///
    /// # Errors
    /// Returns an error if a pattern is malformed, or if a file cannot be restored.
    pub(crate) async fn protect(self: &Arc<Self>, cx: &ToolContext) -> Result<(), NodeError> {
        if !cx.is_check || self.settings.protect.is_empty() {
            return Ok(());
        }
        let open = Arc::clone(self);
        let protected = blocking(move || {
            let (workspace, patterns) = (&open.workspace, &open.settings.protect);
            let base = workspace.base_tree().clone();
            workspace
                .protect(patterns, &base)
                .map_err(|error| failed(&error))
        })
        .await?;
        let changed = [protected.restored, protected.removed, protected.set_aside].concat();
        if let Some(first) = changed.first() {
            let others = match changed.len() {
                1 => String::new(),
                many => format!(" and {} more", many - 1),
            };
            let message = format!(
                "Protected files had changed and were restored before the check: {}{others}.",
                first.display()
            );
            cx.printed.warn("protected_changed", message);
        }
        Ok(())
    }

    /// Prepares the limits of a program. `agent` is the name of the agent program, which may also write its own state.
    ///
    /// # Errors
    /// Returns an error if the limits cannot be set up, or if the source cannot be read.
    pub(crate) async fn limits(
        self: &Arc<Self>,
        data: &Path,
        agent: Option<&str>,
    ) -> Result<Limits, NodeError> {
        let (open, data, agent) = (
            Arc::clone(self),
            data.to_path_buf(),
            agent.map(str::to_owned),
        );
        blocking(move || {
            let home = open.workspace.home();
            let (also, watched) = match (&agent, home) {
                (Some(agent), Some(home)) => state_of_runner(agent, home),
                _ => (Vec::new(), Vec::new()),
            };
            let confinement = match open.settings.confine {
                Confine::Off => {
                    Confinement::NotConfined("it is turned off for this loop".to_owned())
                }
                Confine::Auto => open
                    .workspace
                    .confine(&data, &also)
                    .map_err(|error| failed(&error))?,
            };
            let guard = open
                .workspace
                .guard(&watched)
                .map_err(|error| failed(&error))?;
            Ok(Limits {
                env: environment(&open.workspace.temporary()),
                must_confine: open.settings.confine == Confine::Auto,
                confinement,
                guard,
            })
        })
        .await
    }
}

/// The limits of a program in a workspace, and a guard that detects changes of the source.
pub(crate) struct Limits {
    confinement: Confinement,
    must_confine: bool,
    guard: SourceGuard,
    env: Vec<(OsString, OsString)>,
}

impl Limits {
    pub(crate) fn within(&self) -> Option<&dyn Within> {
        self.confinement.within()
    }

    /// Returns the variables that keep temporary files and caches where the program may write.
    pub(crate) fn env(&self) -> &[(OsString, OsString)] {
        &self.env
    }

    /// Checks whether the source has changed while the program ran. Where the kernel confines programs, the program cannot have
    /// changed it, so there is only a warning.
    ///
    /// # Errors
    /// `source_changed` if the program may have changed the source although it must not.
    pub(crate) async fn check(mut self, cx: &ToolContext, source: &Path) -> Result<(), NodeError> {
        let is_confined = self.within().is_some();
        let must_confine = self.must_confine;
        let differences =
            blocking(move || self.guard.differences().map_err(|error| failed(&error))).await?;
        if differences.is_empty() {
            return Ok(());
        }
        let list: Vec<String> = differences.iter().map(ToString::to_string).collect();
        let message = format!(
            "While the program ran, the source repository changed: {} (the workspace is a copy of {}).",
            list.join(", "),
            source.display()
        );
        if must_confine && !is_confined {
            let message = format!(
                "{message} This computer cannot confine programs to a workspace. If you made the change yourself, run the loop again."
            );
            return Err(NodeError::new("source_changed", message));
        }
        cx.printed.warn("source_changed", message);
        Ok(())
    }
}
