//! `files.read`, `files.glob`, `files.write`, `files.edit`: access to files in folders that the user granted.

use std::{
    collections::VecDeque,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use cap_std::fs::{Dir, OpenOptions};
use futures::future::BoxFuture;
use globset::GlobBuilder;
use loopwright_engine::{
    NodeError,
    host::{CallDetail, Names, Tool, ToolContext, ToolInfo},
    trust::{Need, NeedKind, is_computed},
};
use loopwright_model::{EffectClass, kind::Workspace};
use serde_json::{Map, Value, json};

use crate::{
    edit,
    file_access::{MAX_FILE, bad, failed, part_name, read},
    folders::{Folders, Open},
};

/// The default number of files in a list.
const LISTED: u64 = 1_000;
/// The maximum number of files in a list.
const MAX_LISTED: u64 = 10_000;
/// The maximum number of folder entries that are examined.
const MAX_SEEN: usize = 200_000;

/// What a file tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Read,
    Glob,
    Write,
    Edit,
}

#[derive(Debug, Clone)]
pub(crate) struct Files {
    what: What,
    folders: Folders,
}

impl Files {
    /// Returns the file tools.
    pub(crate) fn all(folders: &Folders) -> [Self; 4] {
        [What::Read, What::Glob, What::Write, What::Edit].map(|what| Self {
            what,
            folders: folders.clone(),
        })
    }

    fn kind(&self) -> NeedKind {
        match self.what {
            What::Read | What::Glob => NeedKind::Read,
            What::Write | What::Edit => NeedKind::Write,
        }
    }

    fn work(
        &self,
        open: &Open,
        input: Option<&Value>,
        args: &Map<String, Value>,
    ) -> Result<Value, NodeError> {
        match self.what {
            What::Read => {
                let path = main(input, args, "path")?;
                read(open, &open.relative(&path)?)
            }
            What::Glob => {
                let pattern = main(input, args, "pattern")?;
                let limit = match args.get("limit").filter(|limit| !limit.is_null()) {
                    None => LISTED,
                    Some(limit) => limit
                        .as_u64()
                        .filter(|limit| (1..=MAX_LISTED).contains(limit))
                        .ok_or_else(|| {
                            bad(format!("`limit` must be a number from 1 to {MAX_LISTED}."))
                        })?,
                };
                glob(open, &pattern, usize::try_from(limit).unwrap_or(usize::MAX))
            }
            What::Write => {
                let path = text(args, "path")?
                    .ok_or_else(|| bad("`path` is missing. Name the file to write."))?;
                let content = content(input, args)?;
                let mode = text(args, "mode")?.unwrap_or("replace");
                write(open, &open.relative(path)?, &content, mode)
            }
            What::Edit => edit::make(open, &edit::edits(input, args)?),
        }
    }
}

/// Returns the text to write to a file: the argument, or the input if there is no argument.
fn content(input: Option<&Value>, args: &Map<String, Value>) -> Result<String, NodeError> {
    match args.get("text").or(input) {
        None | Some(Value::Null) => Err(bad(
            "There is nothing to write. Set `text`, or wire the node's input.",
        )),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Ok(format!("{other:#}\n")),
    }
}

fn text<'a>(args: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, NodeError> {
    match args.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(bad(format!("`{name}` must be text."))),
    }
}

/// Returns the tool's main argument, or the input if the argument is not set.
fn main(input: Option<&Value>, args: &Map<String, Value>, name: &str) -> Result<String, NodeError> {
    match (text(args, name)?, input) {
        (Some(text), _) => Ok(text.to_owned()),
        (None, Some(Value::String(text))) if !text.trim().is_empty() => Ok(text.clone()),
        _ => Err(bad(format!(
            "`{name}` is missing. Set it, or wire the node's input."
        ))),
    }
}

/// Returns the files in the folder that match the pattern, sorted by path. Links are not followed. Loopwright's own folder
/// and files of virtual file systems are skipped.
fn glob(open: &Open, pattern: &str, limit: usize) -> Result<Value, NodeError> {
    let matcher = GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| {
            bad(format!(
                "`pattern` is not a valid pattern: {error}. Write one such as **/*.md."
            ))
        })?
        .compile_matcher();
    let mut found = Vec::new();
    let mut folders: VecDeque<(Dir, PathBuf)> = VecDeque::new();
    let root = open
        .dir
        .try_clone()
        .map_err(|error| failed(&open.path, "listed", &error))?;
    folders.push_back((root, PathBuf::new()));
    let mut seen = 0;
    while let Some((dir, at)) = folders.pop_front() {
        // A folder that cannot be listed, or was removed in the meantime, counts as empty.
        let Ok(entries) = dir.entries() else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > MAX_SEEN {
                return Err(NodeError::new(
                    "too_many_files",
                    format!(
                        "{} contains more than {MAX_SEEN} files and folders. Name a smaller folder in `folder`.",
                        open.path.display()
                    ),
                ));
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = at.join(entry.file_name());
            if kind.is_dir() {
                if open.is_closed(&path) {
                    continue;
                }
                if let Ok(inner) = entry.open_dir() {
                    folders.push_back((inner, path));
                }
            } else if kind.is_file() && matcher.is_match(&path) {
                let size = entry.metadata().map_or(0, |data| data.len());
                let modified = entry
                    .metadata()
                    .and_then(|data| data.modified())
                    .ok()
                    .and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok())
                    .and_then(|since| u64::try_from(since.as_millis()).ok());
                let shown = path.to_string_lossy().replace('\\', "/");
                found.push((shown, size, modified));
            }
        }
    }
    found.sort();
    let files: Vec<Value> = found
        .into_iter()
        .take(limit)
        .map(|(path, size, modified)| json!({ "path": path, "size": size, "modified": modified }))
        .collect();
    Ok(Value::Array(files))
}

/// Writes a file atomically: at any time, it has either its old content or its complete new content.
fn write(open: &Open, path: &Path, content: &str, mode: &str) -> Result<Value, NodeError> {
    let failed = |error: std::io::Error| failed(path, "written", &error);
    open.refuse_closed(path)?;
    if content.len() as u64 > MAX_FILE {
        return Err(NodeError::new(
            "file_too_large",
            format!(
                "The content to write to {} is larger than {} MB. Write less at a time.",
                path.display(),
                MAX_FILE / 1024 / 1024
            ),
        ));
    }
    let before = match mode {
        "replace" => String::new(),
        "create" => {
            if open.dir.symlink_metadata(path).is_ok() {
                return Err(failed(ErrorKind::AlreadyExists.into()));
            }
            String::new()
        }
        "append" => match read(open, path) {
            Ok(Value::String(text)) => text,
            Err(error) if error.code == "not_found" => String::new(),
            Ok(_) => String::new(),
            Err(error) => return Err(error),
        },
        other => {
            return Err(bad(format!(
                "`mode` must be `create`, `replace` or `append`, not `{other}`."
            )));
        }
    };
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let dir = match parent {
        Some(parent) => match open.dir.open_dir(parent) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                open.dir.create_dir_all(parent).map_err(failed)?;
                open.dir.open_dir(parent).map_err(failed)?
            }
            opened => opened.map_err(failed)?,
        },
        None => open.dir.try_clone().map_err(failed)?,
    };
    // Now that all parent folders exist, a `..` after one of them may resolve differently than before.
    open.refuse_closed(parent.unwrap_or(Path::new("")))?;
    if dir
        .symlink_metadata(&name)
        .is_ok_and(|data| !data.is_file() && !data.is_symlink())
    {
        return Err(NodeError::new(
            "file_failed",
            format!(
                "{} is a folder or a device, and cannot be written. Name a regular file in `path`.",
                path.display()
            ),
        ));
    }
    let part = part_name();
    let written = (|| {
        let mut file = dir.open_with(&part, OpenOptions::new().write(true).create_new(true))?;
        file.write_all(before.as_bytes())?;
        file.write_all(content.as_bytes())?;
        file.sync_all()?;
        if mode == "create" {
            // Unlike a rename, a hard link never replaces a file created in the meantime.
            dir.hard_link(&part, &dir, &name)?;
            dir.remove_file(&part)
        } else {
            dir.rename(&part, &dir, &name)
        }
    })();
    if let Err(error) = written {
        // The error is ignored, because there may be no temporary file.
        let _ = dir.remove_file(&part);
        return Err(failed(error));
    }
    let shown = path.to_string_lossy().replace('\\', "/");
    Ok(json!({ "path": shown, "size": before.len() + content.len() }))
}

impl Tool for Files {
    fn info(&self) -> ToolInfo {
        let mb = MAX_FILE / 1024 / 1024;
        let folder = json!({
            "type": "string", "x-widget": "folder",
            "description": "An absolute path, or a path from the workflow's own folder. Default: the workflow's own folder. The path can't be a template, because you approve it before the run."
        });
        let (name, title, summary, mut args) = match self.what {
            What::Read => (
                "files.read",
                "Read a file",
                format!("Reads a UTF-8 text file of up to {mb} MB from an approved folder."),
                json!({ "path": { "type": "string", "description": "The file's path in the folder. Default: the node's input." } }),
            ),
            What::Glob => (
                "files.glob",
                "List files",
                "Lists the files in an approved folder whose paths match a pattern, as `[{ path, size, modified }]`, sorted by path. Links are not followed.".to_owned(),
                json!({
                    "pattern": { "type": "string", "description": "A pattern such as **/*.md. Default: the node's input." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": MAX_LISTED, "default": LISTED, "description": "The maximum number of files." }
                }),
            ),
            What::Write => (
                "files.write",
                "Write a file",
                format!("Writes text of up to {mb} MB to a file in an approved folder and returns `{{ path, size }}`. The file is written completely or not at all. Values other than text are written as JSON."),
                json!({
                    "path": { "type": "string", "description": "The file's path in the folder. Missing folders are created." },
                    "text": { "description": "The text to write. Default: the node's input." },
                    "mode": { "type": "string", "enum": ["replace", "create", "append"], "default": "replace", "description": "`replace` overwrites an existing file, `create` fails if the file exists, and `append` adds to it." }
                }),
            ),
            What::Edit => {
                let path = json!({ "type": "string", "description": "The file's path in the folder." });
                let old = json!({ "type": "string", "description": "The text to replace, exactly as it is in the file. Include enough lines that the text occurs only once. If `old` is empty, the file is created with `new` as its content." });
                let new = json!({ "type": "string", "description": "The new text. If it is empty, the old text is removed." });
                let all = json!({ "type": "boolean", "default": false, "description": "Replace every occurrence instead of requiring a single one." });
                (
                    "files.edit",
                    "Edit files",
                    format!("Replaces exact text in UTF-8 files of up to {mb} MB in an approved folder, and returns `{{ files: [{{ path, created, replaced, line, size }}] }}`. Either all edits are made or none. Line endings and file modes are kept."),
                    json!({
                        "path": path, "old": old, "new": new, "all": all,
                        "edits": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": { "path": path, "old": old, "new": new, "all": all },
                                "required": ["path", "new"],
                            },
                            "description": "Several edits, made one after the other, instead of `path`, `old` and `new`. Default: the node's input."
                        }
                    }),
                )
            }
        };
        if let Some(args) = args.as_object_mut() {
            args.insert("folder".to_owned(), folder);
        }
        ToolInfo {
            name: name.to_owned(),
            title: title.to_owned(),
            summary,
            args: json!({ "type": "object", "properties": args, "additionalProperties": false }),
            unavailable: None,
        }
    }

    fn effect(&self) -> EffectClass {
        match self.what {
            What::Read | What::Glob => EffectClass::Reads,
            What::Write | What::Edit => EffectClass::Writes,
        }
    }

    fn names(&self) -> Vec<(&'static str, Names)> {
        let mut names = match self.what {
            What::Read => vec![("path", Names::FileInside)],
            What::Glob => vec![("pattern", Names::FileInside), ("limit", Names::Nothing)],
            What::Write => vec![
                ("path", Names::FileInside),
                ("text", Names::Nothing),
                ("mode", Names::Nothing),
            ],
            What::Edit => vec![
                ("path", Names::FileInside),
                ("edits", Names::FileInside),
                ("old", Names::Nothing),
                ("new", Names::Nothing),
                ("all", Names::Nothing),
            ],
        };
        names.push(("folder", Names::Folder));
        names
    }

    fn needs(&self, args: &Map<String, Value>) -> Vec<Need> {
        let folder = text(args, "folder").unwrap_or_default();
        vec![self.folders.need(self.kind(), folder)]
    }

    fn needs_in_workspace(&self, args: &Map<String, Value>, workspace: Workspace<'_>) -> Vec<Need> {
        let named = text(args, "folder").ok().flatten();
        let Ok(folders) = self.folders.in_copy_of(workspace) else {
            return self.needs(args);
        };
        let is_inside = !named.is_some_and(is_computed)
            && folders
                .locate(named)
                .is_ok_and(|path| folders.shown(&path) != path.display().to_string());
        match is_inside {
            // The approval of the private copy also covers its files.
            true => Vec::new(),
            false => vec![folders.need(self.kind(), named)],
        }
    }

    fn describe_call(
        &self,
        input: Option<&Value>,
        args: &Map<String, Value>,
    ) -> Result<Vec<CallDetail>, NodeError> {
        let folder = self.folders.locate(text(args, "folder")?)?;
        let mut details = vec![CallDetail::one("Folder", self.folders.described(&folder))];
        match self.what {
            What::Read => details.push(CallDetail::one("File", main(input, args, "path")?)),
            What::Glob => details.push(CallDetail::one("Pattern", main(input, args, "pattern")?)),
            What::Write => {
                details.push(CallDetail::one(
                    "File",
                    text(args, "path")?.unwrap_or_default(),
                ));
                details.push(CallDetail::one("Text", content(input, args)?));
            }
            What::Edit => details.extend(edit::describe(&edit::edits(input, args)?)),
        }
        Ok(details)
    }

    fn place(&self, args: &Map<String, Value>) -> Option<Value> {
        let folder = self.folders.locate(text(args, "folder").ok()?).ok()?;
        Some(Value::String(folder.to_str()?.to_owned()))
    }

    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let tool = self.clone();
        Box::pin(async move {
            let folders = tool.folders.around(&cx)?;
            let open = folders.open(tool.kind(), text(&args, "folder")?, &cx)?;
            // Disk access blocks, so it runs on a blocking thread.
            let work = tokio::task::spawn_blocking(move || tool.work(&open, input.as_ref(), &args));
            tokio::select! {
                done = work => done.map_err(|broken| {
                    NodeError::new("file_failed", format!("The file operation stopped unexpectedly: {broken}. Run the node again."))
                })?,
                () = cx.cancel.cancelled() => Err(NodeError::new("cancelled", "The file operation was cancelled.")),
            }
        })
    }
}
