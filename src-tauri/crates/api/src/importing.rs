//! Imports flows from files of other systems. Nothing in an imported file is executed.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_engine::KindSet;
use loopwright_import::{FORMATS, FilesNear, ImportError, Options, Outcome, import};
use loopwright_model::{file::MAX_BYTES, named_file};
use loopwright_runs::{ApiError, Code, Env, files, sentence};

use crate::dto::{
    ImportEntry, ImportFormat, ImportOptions, ImportOutcome, ImportReport, ImportedFlow,
};

/// Returns the formats that can be imported.
pub fn import_formats() -> Vec<ImportFormat> {
    FORMATS
        .iter()
        .map(|format| ImportFormat {
            id: format.id.to_owned(),
            title: format.title.to_owned(),
            dialects: format
                .dialects
                .iter()
                .map(|&name| name.to_owned())
                .collect(),
        })
        .collect()
}

/// Reads another system's file as a flow. Nothing is saved or executed.
///
/// # Errors
/// [`Code::NotFound`] if the file does not exist; [`Code::Io`] if it cannot be read; [`Code::UnknownFormat`] or
/// [`Code::AmbiguousDialect`] if its format is unclear; another error if it cannot be converted.
pub fn import_flow(
    env: &Env,
    path: &str,
    options: ImportOptions,
) -> Result<ImportedFlow, ApiError> {
    let absolute = files::absolute(path);
    let shown = absolute.display().to_string();
    let text = read(&absolute).map_err(|error| error.at(&shown))?;
    let files_near = absolute.parent().map(files_near);
    import_text(&text, &stem(&absolute), options, env.kinds(), files_near).map_err(|error| {
        ApiError {
            message: format!("{shown} cannot be imported. {}", error.message),
            ..error
        }
        .at(&shown)
    })
}

/// Reads `text` as a flow, just as [`import_flow`] reads a file. If the text contains no name, the flow is called `name`.
///
/// # Errors
/// Returns the errors of [`import_flow`] that do not concern a file.
pub fn import_flow_text(
    env: &Env,
    text: &str,
    name: &str,
    options: ImportOptions,
) -> Result<ImportedFlow, ApiError> {
    import_text(text, name, options, env.kinds(), None)
}

/// Reads the text of a file. Rejects a file that exceeds the size limit for imports.
fn read(path: &Path) -> Result<String, ApiError> {
    let shown = path.display();
    let io = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => ApiError::new(
            Code::NotFound,
            format!("There is no file {shown}. Check the path."),
        ),
        ErrorKind::InvalidInput | ErrorKind::IsADirectory => ApiError::new(
            Code::InvalidArgument,
            format!("{shown} cannot be read: {error}."),
        ),
        ErrorKind::FileTooLarge => ApiError::new(
            Code::InvalidArgument,
            format!("{shown} cannot be imported: {error}. Check that it is a workflow file."),
        ),
        _ => ApiError::new(
            Code::Io,
            format!(
                "{shown} cannot be read: {error}. Check that it exists and that you may read it."
            ),
        ),
    };
    let bytes = named_file::read(path, MAX_BYTES as u64).map_err(io)?;
    text_of(bytes).ok_or_else(|| {
        ApiError::new(
            Code::InvalidArgument,
            format!("{shown} is not UTF-8 text, so it cannot be imported. Save it as UTF-8 and import it again."),
        )
    })
}

/// Decodes the bytes of a file. They are UTF-8, or UTF-16 with a byte order mark, which some Windows editors write. Returns
/// `None` if they are neither.
fn text_of(bytes: Vec<u8>) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => return String::from_utf8(bytes).ok(),
    };
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

/// Returns the part of a file's name before the first dot.
fn stem(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name,
    }
}

/// Returns a reader of the files in `folder` and its subfolders. The reader resolves a path against `folder`. If it finds no
/// file there, it looks for a file of the same name directly in `folder`, in case the file was moved. It never reads files
/// outside the folder, not even through a path with `..` or a symbolic link.
fn files_near(folder: &Path) -> FilesNear {
    let folder = folder.to_owned();
    let around = folder.clone();
    let folders = move |named: &str| folders_in(&around, named);
    let reader = move |named: &str| {
        let root = folder.canonicalize().ok()?;
        let named = Path::new(named);
        let candidates = [root.join(named), root.join(named.file_name()?)];
        let inside = |path: &PathBuf| {
            path.canonicalize()
                .is_ok_and(|path| path.starts_with(&root))
        };
        let path = candidates.into_iter().find(inside)?;
        path.is_file().then(|| read(&path).ok())?
    };
    FilesNear {
        read: Arc::new(reader),
        folders: Arc::new(folders),
    }
}

/// The maximum number of entries of a folder that are searched for subfolders.
const MAX_FOLDERS: usize = 1_000;

/// Returns the sorted names of the folders in the folder `named` inside `root`. Links are not followed.
fn folders_in(root: &Path, named: &str) -> Vec<String> {
    let list = || {
        let root = root.canonicalize().ok()?;
        let folder = root.join(named).canonicalize().ok()?;
        let entries = std::fs::read_dir(folder.starts_with(&root).then_some(folder)?).ok()?;
        let folders = entries
            .flatten()
            .take(MAX_FOLDERS)
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        Some(names)
    };
    list().unwrap_or_default()
}

/// Reads `text` as a flow. If the text contains no name, the flow is called `name`. `files_near` reads the other files
/// to which the text refers; with `None`, these are not read.
fn import_text(
    text: &str,
    name: &str,
    options: ImportOptions,
    kinds: &KindSet,
    files_near: Option<FilesNear>,
) -> Result<ImportedFlow, ApiError> {
    let asked = Options {
        name: Some(name.to_owned()).filter(|name| !name.trim().is_empty()),
        from: options.from,
        dialect: options.dialect,
        kinds: Some(kinds.specs().clone()),
        files_near,
    };
    let imported = import(text, &asked).map_err(|error| {
        let code = match &error {
            ImportError::NoSuchFormat { .. } => Code::InvalidArgument,
            ImportError::Foreign { .. } | ImportError::Scripts(_) => Code::Unsupported,
            ImportError::Unknown { .. } => Code::UnknownFormat,
            ImportError::Ambiguous { .. } => Code::AmbiguousDialect,
            ImportError::Refused { place, .. } if place.starts_with("--") => Code::InvalidArgument,
            _ => Code::InvalidFlow,
        };
        ApiError::new(code, sentence(&error.to_string()))
    })?;
    let document = serde_json::to_value(&imported.flow)
        .map_err(|error| ApiError::new(Code::Internal, error.to_string()))?;
    let report = imported.report;
    let title = FORMATS
        .iter()
        .find(|format| format.id == report.format)
        .map_or_else(|| report.format.clone(), |format| format.title.to_owned());
    Ok(ImportedFlow {
        file_name: format!(
            "{}.flow.json",
            file_stem(imported.flow.name.as_deref().unwrap_or(name))
        ),
        document,
        report: ImportReport {
            format: report.format,
            title,
            dialect: report.dialect,
            assumed: report.is_assumed,
            entries: report
                .entries
                .into_iter()
                .map(|entry| ImportEntry {
                    outcome: match entry.outcome {
                        Outcome::Mapped => ImportOutcome::Mapped,
                        Outcome::Approximated => ImportOutcome::Approximated,
                        Outcome::Placeholder => ImportOutcome::Placeholder,
                        Outcome::Ignored => ImportOutcome::Ignored,
                    },
                    place: entry.place,
                    node: entry.node,
                    message: entry.message,
                })
                .collect(),
        },
    })
}

/// Converts a name to the stem of a file name: letters, digits and `_`. Each sequence of other characters becomes one dash.
fn file_stem(name: &str) -> String {
    let mut stem = String::new();
    for c in name.trim().chars().take(80) {
        if c.is_alphanumeric() || c == '_' {
            stem.push(c);
        } else if !stem.is_empty() && !stem.ends_with('-') {
            stem.push('-');
        }
    }
    let stem = stem.trim_end_matches('-');
    if stem.is_empty() { "imported" } else { stem }.to_owned()
}
