//! Flow files that other flows refer to: reading them, and moving a flow between a node and its own file.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

pub use loopwright_model::flows_on_disk::FlowsOnDisk;
use loopwright_model::{
    Flow, Shape, file,
    flows_on_disk::{folder, place},
    kind::Kinds,
    subflow::{self, NotFound},
};
use serde_json::Value;

use crate::{
    env::Env,
    error::{ApiError, Code},
    files,
    files::{OpenedFlow, SavedFlow},
};

/// Returns the canonical path of a flow file. If the file does not exist, only its folder is made canonical.
pub fn canonical(path: &str) -> PathBuf {
    let absolute = files::absolute(path);
    // A file that does not exist has no canonical path, but its folder may have one.
    fs::canonicalize(&absolute).unwrap_or_else(|_| {
        absolute
            .parent()
            .and_then(|folder| fs::canonicalize(folder).ok())
            .zip(absolute.file_name())
            .map_or_else(|| absolute.clone(), |(folder, name)| folder.join(name))
    })
}

fn refused(error: &NotFound) -> ApiError {
    let code = match error.code {
        "subflow_missing" => Code::NotFound,
        "subflow_unreadable" => Code::InvalidFlow,
        _ => Code::InvalidArgument,
    };
    ApiError::new(code, format!("The subflow {}", error.message))
}

/// Returns the document with every referenced flow inlined. A reference that cannot be read is left unchanged.
///
/// # Errors
/// Returns an error if the document is not a flow.
pub fn link(env: &Env, document: Value, path: Option<&str>) -> Result<Value, ApiError> {
    let flow = file::read_value(document)?;
    let linked = checked(&flow, path, env.kinds().specs());
    serde_json::to_value(linked.flow)
        .map_err(|error| ApiError::new(Code::Internal, error.to_string()))
}

/// Opens the file of the flow that `reference` names. `holder` is the file that contains the reference.
///
/// # Errors
/// Returns an error if the reference is invalid, or if the file cannot be read or is not a flow.
pub fn read_subflow(holder: &str, reference: &str) -> Result<OpenedFlow, ApiError> {
    let path = place(Some(&canonical(holder)), reference).map_err(|error| refused(&error))?;
    files::read_flow(&path.display().to_string())
}

/// Reads a subflow as [`read_subflow`] does, so that it can be inlined in `holder`: the flow's own references are rewritten
/// relative to `holder`.
///
/// # Errors
/// Returns an error if the reference is invalid, or if the file cannot be read or is not a flow.
pub fn inline_subflow(env: &Env, holder: &str, reference: &str) -> Result<OpenedFlow, ApiError> {
    let mut opened = read_subflow(holder, reference)?;
    let path = subflow::relative(reference).map_err(|error| refused(&error))?;
    let prefix: Vec<_> = path
        .parent()
        .into_iter()
        .flat_map(Path::components)
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    rewrite(&mut opened.document, env.kinds().specs(), &|inner| {
        let parts = prefix.iter().map(AsRef::as_ref).chain([inner]);
        Ok(parts.collect::<Vec<&str>>().join("/"))
    })?;
    Ok(opened)
}

/// Moves a flow that is inline in the file `holder` to the new file that `reference` names. The flow's own references are
/// rewritten relative to the new file and must lie in its folder.
///
/// # Errors
/// Returns an error if the reference or one inside the flow leaves the folder, if the document is not a flow, or if the file
/// exists or cannot be written.
pub fn save_subflow(
    env: &Env,
    holder: &str,
    reference: &str,
    document: &Value,
) -> Result<SavedFlow, ApiError> {
    let path = subflow::relative(reference).map_err(|error| refused(&error))?;
    let folder = folder(Some(&canonical(holder)), reference).map_err(|error| refused(&error))?;
    let mut document = document.clone();
    file::read_value(document.clone())?;
    let inside = path.parent().map(Path::to_path_buf).unwrap_or_default();
    rewrite(&mut document, env.kinds().specs(), &|inner| {
        let target = subflow::relative(inner).map_err(|error| refused(&error))?;
        let short = target.strip_prefix(&inside).map_err(|_| {
            ApiError::new(
                Code::InvalidArgument,
                format!(
                    "This flow refers to \"{inner}\", which is not in the folder of \"{reference}\". Save this flow next to \"{inner}\", or in a folder above that file."
                ),
            )
        })?;
        let parts: Vec<_> = short
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        Ok(parts.join("/"))
    })?;
    let target = folder.join(&path);
    let shown = target.display().to_string();
    let failed = |error: std::io::Error| {
        let words = match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                format!("{shown} already exists and was not overwritten. Choose another name.")
            }
            _ => format!("{shown} cannot be written: {error}. The flow is still in its node."),
        };
        ApiError::new(Code::Io, words).at(&shown)
    };
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
        // A folder in the path may be a symbolic link.
        let real = fs::canonicalize(parent).map_err(failed)?;
        if !real.starts_with(&folder) {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "\"{reference}\" is outside {}. Save the flow in the folder of the workflow that uses it.",
                    folder.display()
                ),
            )
            .at(&shown));
        }
    }
    let text = file::to_string(&document);
    let mut new = fs::File::create_new(&target).map_err(failed)?;
    let written = new.write_all(text.as_bytes()).and_then(|()| new.sync_all());
    if let Err(error) = written {
        // The file is removed, because a partly written file is not a valid flow.
        let _ = fs::remove_file(&target);
        return Err(failed(error));
    }
    Ok(SavedFlow {
        path: shown,
        version: files::version(&text),
    })
}

/// Returns the reference by which a node in the file `holder` can name the file at `path`. That file must be in the folder
/// of `holder` or below it.
///
/// # Errors
/// [`Code::InvalidArgument`] if the file is not in that folder.
pub fn subflow_reference(holder: &str, path: &str) -> Result<String, ApiError> {
    let holder = canonical(holder);
    let folder = folder(Some(&holder), path).map_err(|error| refused(&error))?;
    let target = canonical(path);
    let short = target.strip_prefix(&folder).map_err(|_| {
        ApiError::new(
            Code::InvalidArgument,
            format!(
                "{} is not in {}. A subflow's file must be in the folder of the workflow that uses it, or in a subfolder. Move or copy it there.",
                target.display(),
                folder.display()
            ),
        )
        .at(target.display().to_string())
    })?;
    let parts: Vec<_> = short
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    Ok(parts.join("/"))
}

/// Replaces every reference to a flow file in a document and its inline flows with the result of `change`.
fn rewrite(
    document: &mut Value,
    kinds: &Kinds,
    change: &dyn Fn(&str) -> Result<String, ApiError>,
) -> Result<(), ApiError> {
    let nodes = document.get_mut("nodes").and_then(Value::as_array_mut);
    for node in nodes.into_iter().flatten() {
        let is_subflow = node
            .get("type")
            .and_then(Value::as_str)
            .and_then(|name| kinds.get(name))
            .is_some_and(|kind| kind.shape() == Shape::Subflow);
        let Some(data) = node.get_mut("data").and_then(Value::as_object_mut) else {
            continue;
        };
        if !is_subflow {
            continue;
        }
        if let Some(old) = subflow::reference(data).map(str::to_owned) {
            data.insert(subflow::REF.to_owned(), Value::String(change(&old)?));
        }
        if let Some(flow) = data.get_mut(subflow::FLOW) {
            rewrite(flow, kinds, change)?;
        }
    }
    Ok(())
}

/// Checks a flow and links its references, which are relative to the folder of `path`.
pub fn checked(flow: &Flow, path: Option<&str>, kinds: &Kinds) -> subflow::Linked {
    let file = path.map(canonical);
    loopwright_model::validate::check(flow, kinds, file.as_deref(), &FlowsOnDisk)
}
