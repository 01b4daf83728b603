//! `files.edit`: replaces exact pieces of text in files. Either all edits of a call are made, or none.

mod replace;

use std::{
    io::{self, ErrorKind, Write as _},
    path::{Component, Path, PathBuf},
};

use cap_std::fs::{Dir, OpenOptions, Permissions};
use loopwright_engine::{NodeError, host::CallDetail};
use serde_json::{Map, Value, json};

use self::replace::{Replacement, replace};
use crate::{
    file_access::{MAX_FILE, bad, failed, part_name, read},
    folders::Open,
};

/// The maximum number of edits of a call.
const MAX_EDITS: usize = 1_000;

/// The maximum number of characters of each text in the description of a call.
const SHOWN: usize = 2_000;

/// One edit, as the caller wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    path: String,
    replacement: Replacement,
}

/// A file whose edits have been made in memory.
struct Edited {
    /// The path in the folder, with links resolved.
    path: PathBuf,
    /// The content on disk; `None` if the file is new.
    before: Option<String>,
    now: String,
    replaced: usize,
    line: usize,
}

/// Returns the edits of a call: those in `edits`, or the one in `path`, `old` and `new`. Without arguments, the edits are
/// read from `input`.
///
/// # Errors
/// `tool_bad_arguments` if an argument is missing. The message names the argument.
pub(super) fn edits(
    input: Option<&Value>,
    args: &Map<String, Value>,
) -> Result<Vec<Edit>, NodeError> {
    let has = |name: &str| args.get(name).is_some_and(|value| !value.is_null());
    let path = args.get("path").filter(|path| !path.is_null());
    if has("edits") {
        if has("old") || has("new") {
            return Err(bad(
                "Write either `edits`, or `old` and `new` for a single edit.",
            ));
        }
        return list(&args["edits"], path);
    }
    if has("old") || has("new") {
        return Ok(vec![edit(args, None, "The edit")?]);
    }
    match input {
        Some(Value::Object(fields)) if fields.contains_key("edits") => {
            list(&fields["edits"], path.or(fields.get("path")))
        }
        Some(Value::Object(fields)) => Ok(vec![edit(fields, path, "The edit")?]),
        Some(input @ (Value::Array(_) | Value::String(_))) => list(input, path),
        _ => Err(bad(
            "There is no edit. Set `path`, `old` and `new`, list several edits in `edits`, or wire an edit to the node's input.",
        )),
    }
}

fn list(value: &Value, path: Option<&Value>) -> Result<Vec<Edit>, NodeError> {
    let wrong = || {
        bad(
            "`edits` must be a list of edits such as { \"path\": \"a.py\", \"old\": \"x = 1\", \"new\": \"x = 2\" }.",
        )
    };
    // The edits may arrive as a string: from a template that is more than one expression, or from a model that writes JSON
    // into a string.
    let parsed: Value;
    let items = match value {
        Value::Array(items) => items,
        Value::Object(fields) => return Ok(vec![edit(fields, path, "The edit")?]),
        Value::String(text) => {
            parsed = serde_json::from_str(text).map_err(|_| wrong())?;
            parsed.as_array().ok_or_else(wrong)?
        }
        _ => return Err(wrong()),
    };
    if items.len() > MAX_EDITS {
        return Err(bad(format!(
            "`edits` has {} edits. Write at most {MAX_EDITS} at once.",
            items.len()
        )));
    }
    items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let fields = item.as_object().ok_or_else(wrong)?;
            edit(fields, path, &format!("Edit {}", index + 1))
        })
        .collect()
}

fn edit(fields: &Map<String, Value>, path: Option<&Value>, name: &str) -> Result<Edit, NodeError> {
    let text = |field: &str| match fields.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(bad(format!("{name}: `{field}` must be text."))),
    };
    let path = match text("path")? {
        Some(path) => Some(path),
        None => path.and_then(Value::as_str).map(str::to_owned),
    };
    let all = match fields.get("all") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(all)) => *all,
        Some(_) => return Err(bad(format!("{name}: `all` must be true or false."))),
    };
    Ok(Edit {
        path: path
            .filter(|path| !path.trim().is_empty())
            .ok_or_else(|| bad(format!("{name}: `path` is missing. Name the file to edit.")))?,
        replacement: Replacement {
            old: text("old")?.unwrap_or_default(),
            new: text("new")?.ok_or_else(|| {
                bad(format!(
                    "{name}: `new` is missing. To remove the text in `old`, make `new` empty."
                ))
            })?,
            all,
        },
    })
}

/// Describes edits for the question that asks for approval.
pub(super) fn describe(edits: &[Edit]) -> Vec<CallDetail> {
    let shown = |text: &str| {
        let mut start: String = text.chars().take(SHOWN).collect();
        if start.len() < text.len() {
            start.push('…');
        }
        start
    };
    let mut details = Vec::new();
    for edit in edits {
        let wanted = &edit.replacement;
        details.push(CallDetail::one("File", edit.path.clone()));
        match wanted.old.as_str() {
            "" => details.push(CallDetail::one("New file", shown(&wanted.new))),
            old => {
                details.push(CallDetail::one("Old text", shown(old)));
                details.push(CallDetail::one("New text", shown(&wanted.new)));
            }
        }
    }
    details
}

/// Makes the edits: in memory first, then on disk.
///
/// # Errors
/// Returns an error for the first edit that cannot be made, with its number. In that case, no file is changed.
pub(super) fn make(open: &Open, edits: &[Edit]) -> Result<Value, NodeError> {
    let mut files: Vec<Edited> = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        apply(open, edit, &mut files).map_err(|mut error| {
            let message = error.message;
            error.message = match edits.len() {
                1 => message,
                many => format!(
                    "Edit {} of {many}: {message} No file was changed.",
                    index + 1
                ),
            };
            error
        })?;
    }
    write_all(open, &files)?;
    let files: Vec<Value> = files
        .iter()
        .map(|file| {
            json!({
                "path": shown(&file.path),
                "created": file.before.is_none(),
                "replaced": file.replaced,
                "line": file.line,
                "size": file.now.len(),
            })
        })
        .collect();
    Ok(json!({ "files": files }))
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Returns an error for a file that no edit may change.
fn refuse(open: &Open, path: &Path) -> Result<(), NodeError> {
    open.refuse_closed(path)?;
    // The files in a `.git` folder determine which programs git starts later, outside any limits.
    let is_git = |part: Component<'_>| {
        let Component::Normal(name) = part else {
            return false;
        };
        let name = name.to_string_lossy();
        name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
    };
    if path.components().any(is_git) {
        return Err(NodeError::new(
            "protected_file",
            format!(
                "{} belongs to git, and cannot be edited. Edit the files of the project instead.",
                path.display()
            ),
        ));
    }
    if let Some(pattern) = open.protecting(path) {
        return Err(NodeError::new(
            "protected_file",
            format!(
                "{} is protected by `{pattern}`: it is restored before each check, so a change would have no effect. Edit another \
                 file.",
                path.display()
            ),
        ));
    }
    Ok(())
}

/// Resolves the links of a path: those of the file if it exists, otherwise those of its folder. Also returns whether the
/// file exists.
fn resolve(open: &Open, path: &Path) -> Result<(PathBuf, bool), NodeError> {
    let read_failed = |error: io::Error| failed(path, "read", &error);
    match open.dir.canonicalize(path) {
        Ok(found) => return Ok((found, true)),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(read_failed(error)),
        Err(_) => {}
    }
    // The target of this link is missing, so a new file there could be anywhere.
    if open.dir.symlink_metadata(path).is_ok() {
        return Err(NodeError::new(
            "not_found",
            format!(
                "{} is a link to a file that does not exist. Edit an existing file.",
                path.display()
            ),
        ));
    }
    let mut missing = Vec::new();
    let mut known = path;
    loop {
        missing.extend(known.file_name().map(Path::new));
        known = match known.parent() {
            None => break,
            Some(parent) if parent.as_os_str().is_empty() => break,
            Some(parent) => match open.dir.canonicalize(parent) {
                Ok(found) => {
                    let whole = missing
                        .iter()
                        .rev()
                        .fold(found, |whole, part| whole.join(part));
                    return Ok((whole, false));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => parent,
                Err(error) => return Err(read_failed(error)),
            },
        };
    }
    Ok((missing.iter().rev().collect(), false))
}

fn apply(open: &Open, edit: &Edit, files: &mut Vec<Edited>) -> Result<(), NodeError> {
    let given = open.relative(&edit.path)?;
    if given.components().any(|part| part == Component::ParentDir) {
        return Err(bad(format!(
            "`{}` contains `..`. Write the path without it.",
            edit.path
        )));
    }
    refuse(open, &given)?;
    let (path, exists) = resolve(open, &given)?;
    if path != given {
        refuse(open, &path)?;
    }
    let wanted = &edit.replacement;
    let name = shown(&given);
    let file = match files.iter_mut().find(|file| file.path == path) {
        Some(file) => file,
        None => {
            let before = match exists {
                true => Some(text_of(open, &given)?),
                false if wanted.old.is_empty() => None,
                false => {
                    return Err(NodeError::new(
                        "not_found",
                        format!("There is no file {name}. To create it, leave `old` empty."),
                    ));
                }
            };
            files.push(Edited {
                path,
                now: before.clone().unwrap_or_default(),
                before,
                replaced: 0,
                line: 1,
            });
            let last = files.len() - 1;
            &mut files[last]
        }
    };
    if wanted.old.is_empty() {
        if !file.now.is_empty() {
            return Err(NodeError::new(
                "exists",
                format!(
                    "{name} already exists, but an empty `old` creates a file. Write the text to replace in `old`."
                ),
            ));
        }
        file.now.clone_from(&wanted.new);
    } else {
        let first = file.replaced == 0;
        let done = replace(&name, &file.now, wanted)?;
        file.now = done.text;
        file.replaced += done.count;
        file.line = if first {
            done.line
        } else {
            file.line.min(done.line)
        };
    }
    if file.now.len() as u64 > MAX_FILE {
        return Err(NodeError::new(
            "file_too_large",
            format!(
                "{name} would be larger than {} MB after the edit. Split the file, or add less text.",
                MAX_FILE / 1024 / 1024
            ),
        ));
    }
    Ok(())
}

fn text_of(open: &Open, path: &Path) -> Result<String, NodeError> {
    match read(open, path)? {
        Value::String(text) => Ok(text),
        _ => Ok(String::new()),
    }
}

/// A file whose new content is on disk under a temporary name.
struct Prepared<'f> {
    file: &'f Edited,
    dir: Dir,
    name: PathBuf,
    part: String,
    /// The mode of the file before the edit; `None` for a new file.
    mode: Option<Permissions>,
}

impl<'f> Prepared<'f> {
    fn new(open: &Open, file: &'f Edited) -> Result<Self, NodeError> {
        let failed = |error: io::Error| failed(&file.path, "written", &error);
        let parent = file.path.parent();
        let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
        let dir = match parent {
            Some(parent) => {
                open.dir.create_dir_all(parent).map_err(failed)?;
                open.dir.open_dir(parent).map_err(failed)?
            }
            None => open.dir.try_clone().map_err(failed)?,
        };
        let name = PathBuf::from(file.path.file_name().unwrap_or_default());
        let mode = match &file.before {
            Some(_) => Some(dir.symlink_metadata(&name).map_err(failed)?.permissions()),
            None => None,
        };
        let prepared = Self {
            file,
            dir,
            name,
            part: part_name(),
            mode,
        };
        prepared.write(&file.now).map_err(failed)?;
        Ok(prepared)
    }

    /// Writes the new content under the temporary name, with the file's mode.
    fn write(&self, content: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let written = self
            .dir
            .open_with(&self.part, options.write(true).create_new(true))
            .and_then(|mut file| {
                file.write_all(content.as_bytes())?;
                if let Some(mode) = &self.mode {
                    file.set_permissions(mode.clone())?;
                }
                file.sync_all()
            });
        if written.is_err() {
            self.discard();
        }
        written
    }

    fn discard(&self) {
        // The error is ignored, because there may be no such file.
        let _ = self.dir.remove_file(&self.part);
    }

    /// Moves the new content to the file's name. Fails if the file has changed since it was read.
    fn put(&self, open: &Open) -> Result<(), NodeError> {
        let path = &self.file.path;
        let failed = |error: io::Error| failed(path, "written", &error);
        match &self.file.before {
            None => {
                // Unlike a rename, a hard link never replaces a file created in the meantime.
                self.dir
                    .hard_link(&self.part, &self.dir, &self.name)
                    .map_err(failed)?;
                self.discard();
                Ok(())
            }
            Some(before) => {
                if text_of(open, path).ok().as_ref() != Some(before) {
                    return Err(NodeError::new(
                        "file_changed",
                        format!(
                            "{} was changed by another program during the edit. Read the file again, then repeat the edit.",
                            path.display()
                        ),
                    ));
                }
                self.dir
                    .rename(&self.part, &self.dir, &self.name)
                    .map_err(failed)
            }
        }
    }

    /// Restores the previous content of the file.
    fn put_back(&self) -> io::Result<()> {
        match &self.file.before {
            None => self.dir.remove_file(&self.name),
            Some(before) => {
                self.write(before)?;
                self.dir.rename(&self.part, &self.dir, &self.name)
            }
        }
    }
}

/// Writes all files. If one of them cannot be written, restores the others.
fn write_all(open: &Open, files: &[Edited]) -> Result<(), NodeError> {
    let mut prepared: Vec<Prepared<'_>> = Vec::new();
    for file in files {
        match Prepared::new(open, file) {
            Ok(file) => prepared.push(file),
            Err(error) => {
                prepared.iter().for_each(Prepared::discard);
                return Err(error);
            }
        }
    }
    for (index, file) in prepared.iter().enumerate() {
        let Err(mut error) = file.put(open) else {
            continue;
        };
        prepared[index..].iter().for_each(Prepared::discard);
        let stuck: Vec<String> = prepared[..index]
            .iter()
            .filter(|done| done.put_back().is_err())
            .map(|done| shown(&done.file.path))
            .collect();
        if !stuck.is_empty() {
            error.message = format!(
                "{} These files were already changed, and could not be restored: {}.",
                error.message,
                stuck.join(", ")
            );
        }
        return Err(error);
    }
    Ok(())
}
