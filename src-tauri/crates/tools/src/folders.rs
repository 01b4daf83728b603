//! Granted folders: their location, whether they may be used, and access that cannot leave them.
//!
//! `cap-std` opens every path relative to a folder's handle. Neither `..` nor a link can leave the folder, even if a folder
//! is replaced with a link between the check and the opening.

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use cap_std::{ambient_authority, fs::Dir};
use loopwright_engine::{
    NodeError,
    host::ToolContext,
    trust::{ANY, Consent, Grants, Need, NeedKind, is_computed},
};

use loopwright_model::kind::Workspace;
use loopwright_workspaces::{Workspaces, can_confine};

use crate::{
    real_path::real,
    system_files,
    workspace::{self, Copied, Limits},
};

/// A folder with this prefix in an approval means a private copy of the folder. No path begins with the prefix, because the
/// folders in approvals are absolute.
const COPY_OF: &str = "workspace:";

/// The folders and permissions that the file tools check.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folders {
    pub(crate) grants: Grants,
    /// The folder of the current flow; `None` if the flow was never saved.
    pub(crate) flow: Option<PathBuf>,
    /// Loopwright's own folder with links resolved. It contains approvals, settings and runs. No flow may use it, even if it
    /// was approved.
    pub(crate) own: Option<PathBuf>,
    /// The open workspaces of loops.
    pub(crate) workspaces: Option<Workspaces>,
    /// The private copy that paths are relative to, if the call is inside a loop that has one.
    pub(crate) copied: Option<Copied>,
}

/// A folder that may be used.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) dir: Dir,
    pub(crate) path: PathBuf,
    own: Option<PathBuf>,
    /// The workspace around the folder; `None` outside of workspaces.
    workspace: Option<Arc<workspace::Open>>,
}

impl Folders {
    /// Returns the folders for a call in a private copy of the folder that the flow names. The copy does not exist before
    /// the run, so only its source is known.
    ///
    /// # Errors
    /// Returns an error if the source folder cannot be determined, or if no flow may use it.
    pub(crate) fn in_copy_of(&self, workspace: Workspace<'_>) -> Result<Self, NodeError> {
        let source = self.locate(Some(workspace.folder))?;
        Ok(Self {
            copied: Some(Copied {
                source,
                confine: workspace.confine,
                open: None,
            }),
            ..self.clone()
        })
    }

    /// Returns the folders of a call: those of the workspace around it, or those of the flow.
    ///
    /// # Errors
    /// `workspace_lost` if the workspace around the call is not open.
    pub(crate) fn around(&self, cx: &ToolContext) -> Result<Self, NodeError> {
        let open = workspace::Open::find(self.workspaces.as_ref(), cx.resource.as_deref())?;
        let Some(open) = open else {
            return Ok(self.clone());
        };
        let source = self.locate(open.source().to_str())?;
        Ok(Self {
            copied: Some(Copied {
                source,
                confine: open.confines(),
                open: Some(Arc::new(open)),
            }),
            ..self.clone()
        })
    }

    /// Returns the open workspace if this path is inside it.
    pub(crate) fn workspace_of(&self, path: &Path) -> Option<&Arc<workspace::Open>> {
        let open = self.copied.as_ref()?.open.as_ref()?;
        real(path).starts_with(&open.path).then_some(open)
    }

    /// Returns whether programs in these folders are confined to a workspace.
    pub(crate) fn confines(&self) -> bool {
        self.copied.as_ref().is_some_and(|copied| copied.confine) && can_confine()
    }

    /// Returns what a program in these folders may do, as the rest of a sentence that begins with "it" or "that".
    pub(crate) fn what_programs_may(&self) -> &'static str {
        match &self.copied {
            Some(copied) if !copied.confine => {
                "works in a private copy of the folder, and may do anything that you can do"
            }
            Some(_) if can_confine() => {
                "works in a private copy of the folder, and may write only there"
            }
            Some(_) => {
                "works in a private copy of the folder, and may do anything that you can do, because this computer cannot confine it"
            }
            None => "may do anything that you can do",
        }
    }

    /// Prepares the limits of a program in this folder, and restores protected files before a check. Returns `None` outside
    /// a workspace.
    ///
    /// # Errors
    /// Returns an error if the limits cannot be set up, or if a file cannot be restored.
    pub(crate) async fn limits(
        &self,
        cwd: &Path,
        agent: Option<&str>,
        cx: &ToolContext,
    ) -> Result<Option<Limits>, NodeError> {
        let (Some(open), Some(data)) = (self.workspace_of(cwd), &self.own) else {
            return Ok(None);
        };
        open.protect(cx).await?;
        open.limits(data, agent).await.map(Some)
    }

    /// Checks, after a program has ended, whether the source folder of the workspace has changed.
    ///
    /// # Errors
    /// `source_changed` if the program may have changed the source folder.
    pub(crate) async fn check(
        &self,
        limits: Option<Limits>,
        cx: &ToolContext,
    ) -> Result<(), NodeError> {
        match (limits, &self.copied) {
            (Some(limits), Some(copied)) => limits.check(cx, &copied.source).await,
            _ => Ok(()),
        }
    }

    /// Returns the name of a folder in the description of a call.
    pub(crate) fn described(&self, path: &Path) -> String {
        let inside = self
            .copied
            .as_ref()
            .is_some_and(|copied| path.starts_with(&copied.source));
        match inside {
            true => format!("a private copy of {}", path.display()),
            false => path.display().to_string(),
        }
    }

    /// Returns the name of a folder in approvals. A folder in a workspace gets the name of the source folder, so that one
    /// approval applies to all copies.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let Some(copied) = &self.copied else {
            return path.display().to_string();
        };
        let root = copied
            .open
            .as_ref()
            .map_or(&copied.source, |open| &open.path);
        match path.strip_prefix(root) {
            Ok(inside) if inside.as_os_str().is_empty() => {
                format!("{COPY_OF}{}", copied.source.display())
            }
            Ok(inside) => format!("{COPY_OF}{}", copied.source.join(inside).display()),
            Err(_) => path.display().to_string(),
        }
    }

    /// Resolves the folder that a flow names: an absolute path, or one relative to the flow's folder or the workspace.
    /// Without a name, returns the flow's folder or the workspace.
    ///
    /// # Errors
    /// Returns an error if the path is relative, or missing, and the flow was never saved.
    pub(crate) fn locate(&self, named: Option<&str>) -> Result<PathBuf, NodeError> {
        let named = Path::new(named.unwrap_or("."));
        let root = match &self.copied {
            Some(copied) => Some(
                copied
                    .open
                    .as_ref()
                    .map_or(&copied.source, |open| &open.path),
            ),
            None => self.flow.as_ref(),
        };
        let path = match (root, named.is_absolute()) {
            (_, true) => named.to_path_buf(),
            (Some(root), false) => root.join(named),
            (None, false) => {
                return Err(NodeError::new(
                    "no_folder",
                    "This flow has never been saved, so it has no folder. Save it first, or write the folder as an absolute path.",
                ));
            }
        };
        Ok(std::fs::canonicalize(&path).unwrap_or_else(|_| lexical(&path)))
    }

    /// Returns the approval needed for the folder that a flow names. A folder whose name is computed during the run needs the
    /// approval for `ANY`.
    pub(crate) fn need(&self, kind: NeedKind, named: Option<&str>) -> Need {
        if named.is_some_and(is_computed) {
            return Need::new(kind, ANY).detail(
                "a folder that is not known until the flow runs, so only folders that are approved by name can be used",
            );
        }
        match self.locate(named) {
            Ok(path) => {
                let need = Need::new(kind, path.display().to_string());
                match &self.own {
                    _ if system_files::is_system(&path) => need
                        .detail("system files, which no flow may use, even if they are approved"),
                    Some(own) if path.starts_with(own) => need.detail(
                        "Loopwright's own data, which no flow may use, even if it is approved",
                    ),
                    Some(own) if own.starts_with(&path) => need.detail(format!(
                        "everything except Loopwright's own data in {}, which no flow may use",
                        own.display()
                    )),
                    _ => need,
                }
            }
            Err(_) => Need::new(kind, named.unwrap_or(".")).detail("the flow must be saved first"),
        }
    }

    /// Opens the folder if the flow may read it or write to it, as `kind` requires.
    ///
    /// # Errors
    /// Returns an error if the flow may not use the folder, or if the folder cannot be opened.
    pub(crate) fn open(
        &self,
        kind: NeedKind,
        named: Option<&str>,
        cx: &ToolContext,
    ) -> Result<Open, NodeError> {
        let path = self.locate(named)?;
        if self.workspace_of(&path).is_some() {
            return self.open_in_workspace(path);
        }
        self.refuse_own(&path)?;
        system_files::refuse(&path)?;
        let need = Need::new(kind, path.display().to_string());
        let within = |granted: NeedKind| {
            self.grants
                .of(granted)
                .any(|folder| path.starts_with(folder))
        };
        let granted =
            self.grants.all || within(kind) || (kind == NeedKind::Read && within(NeedKind::Write));
        let own = self
            .flow
            .as_ref()
            .and_then(|flow| std::fs::canonicalize(flow).ok())
            .is_some_and(|flow| path.starts_with(flow));
        let consented = match cx.consent {
            Consent::None => false,
            // Advance approval of everything covers only the flow's own files.
            Consent::General => own,
            Consent::Call => true,
        };
        if !granted && !consented {
            return Err(cx.trust_log.refuse(
                &need,
                format!(
                    "{} may not be used: it is not among the folders that this flow may {}. {}",
                    path.display(),
                    if kind == NeedKind::Write {
                        "write to"
                    } else {
                        "read"
                    },
                    need.how_to_allow()
                ),
            ));
        }
        Ok(Open {
            dir: open_dir(&path)?,
            path,
            own: self.own.clone(),
            workspace: None,
        })
    }

    /// Opens a folder of the workspace. Its files belong to the loop, so they need no approval besides that of the copy.
    fn open_in_workspace(&self, path: PathBuf) -> Result<Open, NodeError> {
        let dir = open_dir(&path)?;
        // The workspace is inside Loopwright's own folder, but contains nothing else of that folder.
        Ok(Open {
            workspace: self.workspace_of(&path).cloned(),
            dir,
            path,
            own: None,
        })
    }

    /// Rejects a path in Loopwright's own folder, except in the workspace.
    pub(crate) fn refuse_own(&self, path: &Path) -> Result<(), NodeError> {
        if self.workspace_of(path).is_some() {
            return Ok(());
        }
        refuse_own(self.own.as_deref(), path)
    }
}

fn open_dir(path: &Path) -> Result<Dir, NodeError> {
    Dir::open_ambient_dir(path, ambient_authority()).map_err(|error| {
        NodeError::new(
            "no_folder",
            format!(
                "The folder {} cannot be opened: {error}. Create it, or name another one in `folder`.",
                path.display()
            ),
        )
    })
}

fn refuse_own(own: Option<&Path>, path: &Path) -> Result<(), NodeError> {
    // A path that does not exist yet is judged by its nearest existing ancestor.
    let path = real(path);
    match own {
        Some(own) if path.starts_with(own) => Err(NodeError::new(
            "own_folder",
            format!(
                "{} is in Loopwright's own data folder, which contains approvals, settings and runs. No flow may use it, even if \
                 it is approved. Choose another folder.",
                path.display()
            ),
        )),
        _ => Ok(()),
    }
}

impl Open {
    /// Creates a folder that may be used without a grant of its own, because a program was approved in it.
    pub(crate) fn new(dir: Dir, path: PathBuf, folders: &Folders) -> Self {
        let workspace = folders.workspace_of(&path).cloned();
        Self {
            dir,
            path,
            own: folders.own.clone().filter(|_| workspace.is_none()),
            workspace,
        }
    }

    /// Rejects a path that leads into Loopwright's own folder or to system files, including through links.
    pub(crate) fn refuse_closed(&self, relative: &Path) -> Result<(), NodeError> {
        let path = self.path.join(relative);
        refuse_own(self.own.as_deref(), &path)?;
        system_files::refuse(&path)
    }

    /// Returns the pattern of the workspace that protects a file; `None` if the file is not protected.
    pub(crate) fn protecting(&self, relative: &Path) -> Option<&str> {
        let workspace = self.workspace.as_ref()?;
        workspace.protecting(&self.path.join(relative))
    }

    /// Returns whether the path is Loopwright's own folder or a system file.
    pub(crate) fn is_closed(&self, relative: &Path) -> bool {
        let path = self.path.join(relative);
        self.own.as_deref() == Some(&path) || system_files::is_system(&path)
    }

    /// Returns `given` as a path relative to this folder. Returns an error if the path leaves the folder or is the folder
    /// itself.
    pub(crate) fn relative(&self, given: &str) -> Result<PathBuf, NodeError> {
        let outside = || {
            NodeError::new(
                "outside_folder",
                format!(
                    "`{given}` is outside {}. Write a path inside it, or name another folder in `folder`.",
                    self.path.display()
                ),
            )
        };
        let path = Path::new(given);
        let path = if path.is_absolute() {
            lexical(path)
                .strip_prefix(&self.path)
                .map_err(|_| outside())?
                .to_path_buf()
        } else {
            path.to_path_buf()
        };
        let mut depth = 0_i32;
        for part in path.components() {
            depth += match part {
                Component::Normal(_) => 1,
                Component::CurDir => 0,
                _ => -1,
            };
            if depth < 0 {
                return Err(outside());
            }
        }
        if depth == 0 {
            return Err(NodeError::new(
                "tool_bad_arguments",
                "`path` does not name a file. Write a path such as notes/today.md.",
            ));
        }
        Ok(path)
    }
}

/// Removes `.` and `..` from a path without accessing the file system.
fn lexical(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}
