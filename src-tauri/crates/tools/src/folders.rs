//! Granted folders: their location, whether they may be used, and access that cannot leave them.
//!
//! `cap-std` opens every path relative to a folder's handle. Neither `..` nor a link can leave the folder, even if somebody
//! replaces a folder by a link between a check and an opening.

use std::path::{Component, Path, PathBuf};

use cap_std::{ambient_authority, fs::Dir};
use loopwright_engine::{
    NodeError,
    host::ToolContext,
    trust::{ANY, Consent, Grants, Need, NeedKind, is_computed},
};

use crate::{real_path::real, system_files};

/// The folders and permissions that the file tools check.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folders {
    pub(crate) grants: Grants,
    /// The folder of the current flow; `None` if the flow was never saved.
    pub(crate) flow: Option<PathBuf>,
    /// Loopwright's own folder as a real path: approvals, settings and runs. No flow may use it, whatever was approved.
    pub(crate) own: Option<PathBuf>,
}

/// A folder that may be used.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) dir: Dir,
    pub(crate) path: PathBuf,
    own: Option<PathBuf>,
}

impl Folders {
    /// Resolves the folder that a flow names: an absolute path, or one relative to the flow's folder. Without a name, returns the
    /// flow's folder.
    pub(crate) fn locate(&self, named: Option<&str>) -> Result<PathBuf, NodeError> {
        let named = Path::new(named.unwrap_or("."));
        let path = match (&self.flow, named.is_absolute()) {
            (_, true) => named.to_path_buf(),
            (Some(flow), false) => flow.join(named),
            (None, false) => {
                return Err(NodeError::new(
                    "no_folder",
                    "This flow was never saved, so it has no folder. Save it first, or write the folder as an absolute path.",
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
                "a folder that is known only while the flow runs: only folders approved by name can be used",
            );
        }
        match self.locate(named) {
            Ok(path) => {
                let need = Need::new(kind, path.display().to_string());
                match &self.own {
                    _ if system_files::is_system(&path) => need.detail(
                        "files of the system, which no flow may use, even if they are approved",
                    ),
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
    pub(crate) fn open(
        &self,
        kind: NeedKind,
        named: Option<&str>,
        cx: &ToolContext,
    ) -> Result<Open, NodeError> {
        let path = self.locate(named)?;
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
            // Consent to everything in advance covers only the flow's own files.
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
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(|error| {
            NodeError::new(
                "no_folder",
                format!(
                    "The folder {} cannot be opened: {error}. Create it, or write another in `folder`.",
                    path.display()
                ),
            )
        })?;
        Ok(Open {
            dir,
            path,
            own: self.own.clone(),
        })
    }

    /// Rejects a path in Loopwright's own folder.
    pub(crate) fn refuse_own(&self, path: &Path) -> Result<(), NodeError> {
        refuse_own(self.own.as_deref(), path)
    }
}

fn refuse_own(own: Option<&Path>, path: &Path) -> Result<(), NodeError> {
    // A path that does not exist yet belongs to its nearest existing ancestor.
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
    /// Creates a folder that may be used without its own grant, because a program was approved in it.
    pub(crate) fn new(dir: Dir, path: PathBuf, folders: &Folders) -> Self {
        Self {
            dir,
            path,
            own: folders.own.clone(),
        }
    }

    /// Rejects a path that leads into Loopwright's own folder or to system files, including through links.
    pub(crate) fn refuse_closed(&self, relative: &Path) -> Result<(), NodeError> {
        let path = self.path.join(relative);
        refuse_own(self.own.as_deref(), &path)?;
        system_files::refuse(&path)
    }

    /// Whether the path is Loopwright's own folder or a system file.
    pub(crate) fn is_closed(&self, relative: &Path) -> bool {
        let path = self.path.join(relative);
        self.own.as_deref() == Some(&path) || system_files::is_system(&path)
    }

    /// Returns `given` as a path relative to this folder. A path that leaves the folder is an error, and so is the folder
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
                "`path` names no file. Write a path such as notes/today.md.",
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
