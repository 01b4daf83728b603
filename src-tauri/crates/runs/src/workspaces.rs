//! The workspaces of a flow's loops: private copies of folders that the user allowed the flow to read.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use futures::{
    FutureExt as _,
    future::{BoxFuture, ready},
};
use loopwright_engine::{
    CancellationToken, NodeError,
    host::Tools,
    resources::{Resource, Resources},
    trust::{Grants, Need, NeedKind, is_computed},
};
use loopwright_workspaces::{Settings, Workspaces};
use serde_json::{Value, json};

use crate::workspace_setup::set_up;

/// Opens the workspaces of one flow.
pub(crate) struct FlowWorkspaces {
    pub(crate) all: Workspaces,
    /// The folder of the flow, where relative paths begin; `None` if the flow was never saved.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) grants: Grants,
    /// The tools of the run. One of them runs the commands that set up a copy.
    pub(crate) tools: Arc<dyn Tools>,
}

type Answer = BoxFuture<'static, Result<Value, NodeError>>;

impl FlowWorkspaces {
    /// Returns the resource with the absolute path of its folder.
    ///
    /// # Errors
    /// `computed_workspace` if the folder is a template, `no_folder` if it is relative and the flow was never saved,
    /// and `not_approved` if the flow may not read it.
    fn resolved(&self, mut resource: Resource) -> Result<Resource, NodeError> {
        if *resource.kind != *loopwright_workspaces::KIND {
            return Ok(resource);
        }
        let named = Settings::of(&resource)?.source;
        if is_computed(&named.to_string_lossy()) {
            return Err(NodeError::new(
                "computed_workspace",
                format!(
                    "The workspace folder of \"{}\" is the template {}. Such a template can use only the inputs of the run, and is not allowed in a subflow. Write the path of the folder.",
                    resource.path,
                    named.display()
                ),
            ));
        }
        let path = match (&self.folder, named.is_absolute()) {
            (_, true) => named,
            (Some(folder), false) => folder.join(named),
            (None, false) => {
                return Err(NodeError::new(
                    "no_folder",
                    format!(
                        "The workspace folder of \"{}\" is the relative path {}, but this flow has not been saved yet. Save it first, or write the folder as an absolute path.",
                        resource.path,
                        named.display()
                    ),
                ));
            }
        };
        let path = std::fs::canonicalize(&path).unwrap_or(path);
        if !self.may_read(&path) {
            let need = Need::new(NeedKind::Read, path.display().to_string());
            return Err(NodeError::new(
                "not_approved",
                format!(
                    "\"{}\" is not allowed to copy {} for its workspace. {}",
                    resource.path,
                    path.display(),
                    need.how_to_allow()
                ),
            ));
        }
        let mut request = (*resource.request).clone();
        request["source"] = json!(path);
        resource.request = request.into();
        Ok(resource)
    }

    fn may_read(&self, path: &Path) -> bool {
        let within = |kind| self.grants.of(kind).any(|folder| path.starts_with(folder));
        self.grants.all || within(NeedKind::Read) || within(NeedKind::Write)
    }

    fn then(
        &self,
        resource: Resource,
        act: impl FnOnce(&Workspaces, Resource) -> Answer,
    ) -> Answer {
        match self.resolved(resource) {
            Ok(resource) => act(&self.all, resource),
            Err(error) => ready(Err(error)).boxed(),
        }
    }
}

impl Resources for FlowWorkspaces {
    fn open(&self, resource: Resource, cancel: CancellationToken) -> Answer {
        let tools = Arc::clone(&self.tools);
        self.then(resource, |all, resource| {
            let all = all.clone();
            async move {
                let opened = all.open(resource.clone(), cancel.clone()).await?;
                let set_up = set_up(&all, tools, resource.clone(), opened, cancel).await;
                if set_up.is_err() {
                    // After an error is returned, no other code closes the workspace, so it is closed here. It may have to
                    // be created again.
                    all.close(resource).await?;
                }
                set_up
            }
            .boxed()
        })
    }

    fn reopen(&self, resource: Resource, cancel: CancellationToken) -> Answer {
        let tools = Arc::clone(&self.tools);
        self.then(resource, |all, resource| {
            let all = all.clone();
            async move {
                let opened = all.reopen(resource.clone(), cancel.clone()).await?;
                set_up(&all, tools, resource, opened, cancel).await
            }
            .boxed()
        })
    }

    fn state(&self, resource: Resource) -> Answer {
        self.all.state(resource)
    }

    fn close(&self, resource: Resource) -> Answer {
        self.all.close(resource)
    }
}
