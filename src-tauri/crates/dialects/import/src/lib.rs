//! Converts other systems' loops to flows, with a report of every difference.
//!
//! Architecture Invariant: this crate knows no runs, network or files. It converts text to a document and a report. An
//! import never runs anything.
//!
//! Each format is a module and a line in [`FORMATS`]. [`import`] recognises the format of a file by its content, unless the
//! options name a format.

mod aistudio;
pub(crate) mod build;
mod error;
mod foreign;
mod format;
mod javascript;
mod layout;
pub mod logic_apps;
mod mentions;
mod naming;
mod ralph;
pub(crate) mod read;
mod report;
mod robomesh;
mod scripts;
mod tea;

use serde_json::Value;

pub use error::ImportError;
pub use foreign::{Foreign, foreign};
pub use format::{FilesNear, Folders, Format, Import, Options, Reader, Source};
use naming::{hint, listed};
pub use report::{Entry, Outcome, Report};

/// The formats, in the order in which they are tried.
pub const FORMATS: &[Format] = &[
    ralph::FORMAT,
    logic_apps::FORMAT,
    robomesh::FORMAT,
    tea::FORMAT,
    aistudio::FORMAT,
];

/// Reads `text` in the format that `options` name, otherwise in the format that its content indicates. Nothing in the text
/// is run.
///
/// # Errors
/// Returns an error if the text has no known format, cannot be read, is larger than a flow file may be, or contains
/// something that its own format forbids.
pub fn import(text: &str, options: &Options) -> Result<Import, ImportError> {
    // The YAML reader can overflow a small stack before it reports that the text is nested too deeply.
    std::thread::scope(|scope| {
        let reading = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || scripts::reading(|| import_here(text, options)));
        match reading.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(imported)) => imported,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(ImportError::unreadable(
                "file",
                format!("no thread could be started to read the file: {error}"),
            )),
        }
    })
}

/// The stack size of the reading thread in bytes. Only the part that is used takes memory.
const STACK: usize = 256 * 1024 * 1024;

fn import_here(text: &str, options: &Options) -> Result<Import, ImportError> {
    let asked = options.from.as_deref().map(format_called).transpose()?;
    if let (Some(format), Some(dialect)) = (asked, &options.dialect) {
        check_dialect(format, dialect)?;
    }
    let is_loop_file = asked.map(|format| format.id == ralph::FORMAT.id);
    let loop_file = match is_loop_file {
        Some(false) => None,
        asked => ralph::source(text, options, asked == Some(true))?,
    };
    let source = match loop_file {
        Some(source) => source,
        None => read::source(text)?,
    };
    // An explicit format takes precedence over recognition, except for AI Studio: its form is so general that it also
    // matches files of other systems.
    if asked.is_none_or(|format| format.id == aistudio::FORMAT.id)
        && let Some(product) = source.value().and_then(foreign)
    {
        return Err(not_read(product));
    }
    let format = match asked {
        Some(format) => format,
        None => FORMATS
            .iter()
            .find(|format| (format.recognises)(&source))
            .ok_or_else(|| unrecognised(&source, options))?,
    };
    if let Some(dialect) = &options.dialect {
        check_dialect(format, dialect)?;
    }
    let mut imported = (format.read)(&source, options)?;
    if let Some(value) = source.value().filter(|_| !format.reads.is_empty()) {
        mentions::complete(value, &mut imported, format.reads, true);
    }
    imported.report.sort();
    Ok(imported)
}

/// Returns the error for a file of a product that Loopwright does not read.
pub fn not_read(product: &'static Foreign) -> ImportError {
    ImportError::Foreign {
        product,
        formats: readable(),
    }
}

/// Returns the error for text in no known format: its JSON error, or the error of the format that it resembles most.
fn unrecognised(source: &Source<'_>, options: &Options) -> ImportError {
    if let Some((place, message)) = source.broken.clone() {
        return ImportError::Unreadable { place, message };
    }
    let value = source.value().unwrap_or(&Value::Null);
    let has = |name: &str| value.get(name).is_some();
    let nodes = value.get("nodes");
    let first = nodes.and_then(|nodes| nodes.get(0)).unwrap_or(&Value::Null);
    let gives = |name: &str| first.get(name).is_some();
    let is_tea = source.json.is_none() || gives("run") || gives("uses") || gives("name");
    let nearest = if has("actions") || has("definition") {
        &logic_apps::FORMAT
    } else if has("nodes") && is_tea {
        &tea::FORMAT
    } else if has("nodes") || has("edges") {
        &aistudio::FORMAT
    } else {
        return unknown(source);
    };
    match (nearest.read)(source, options) {
        Err(
            ImportError::Unreadable { place, message } | ImportError::Refused { place, message },
        ) => {
            let (message, title) = (message.trim_end_matches('.'), nearest.title);
            let message = format!("{message} (read as {title}; name another format with --from)");
            ImportError::Unreadable { place, message }
        }
        Err(error @ ImportError::Ambiguous { .. }) => error,
        _ => unknown(source),
    }
}

/// The number of characters of the text that an error shows.
const SHOWN: usize = 40;

/// Returns the error for text in no known format: a place in the text, and a description of the content there.
fn unknown(source: &Source<'_>) -> ImportError {
    let (place, found) = match source.value() {
        Some(Value::Object(fields)) if !fields.is_empty() => {
            let names = listed(fields.keys().map(String::as_str));
            ("top level".to_owned(), format!("it has {names}"))
        }
        Some(Value::Object(_)) => ("top level".to_owned(), "it is empty".to_owned()),
        Some(Value::Array(_)) => ("top level".to_owned(), "it is a list".to_owned()),
        _ => {
            let mut lines = source.text.lines().enumerate();
            let (index, line) = lines
                .find(|(_, line)| !line.trim().is_empty())
                .unwrap_or_default();
            let line = line.trim();
            let mut shown: String = line.chars().take(SHOWN).collect();
            if shown.len() < line.len() {
                shown.push('…');
            }
            (format!("line {}", index + 1), format!("it reads “{shown}”"))
        }
    };
    ImportError::Unknown {
        place,
        found,
        formats: readable(),
        known: known(),
    }
}

/// Returns the titles of the formats: `AI Studio flows, …`.
fn readable() -> String {
    let titles: Vec<&str> = FORMATS.iter().map(|format| format.title).collect();
    titles.join(", ")
}

fn known() -> String {
    let ids: Vec<&str> = FORMATS.iter().map(|format| format.id).collect();
    ids.join(", ")
}

fn format_called(id: &str) -> Result<&'static Format, ImportError> {
    FORMATS
        .iter()
        .find(|format| format.id == id)
        .ok_or_else(|| ImportError::NoSuchFormat {
            asked: id.to_owned(),
            hint: hint(id, FORMATS.iter().map(|format| format.id)),
            known: known(),
        })
}

fn check_dialect(format: &Format, dialect: &str) -> Result<(), ImportError> {
    if format.dialects.contains(&dialect) {
        return Ok(());
    }
    let message = if format.dialects.is_empty() {
        format!("{} has no dialects. Leave the dialect out", format.title)
    } else {
        format!(
            "{} has no dialect “{dialect}”{}; the dialects are {}",
            format.title,
            hint(dialect, format.dialects.iter().copied()),
            format.dialects.join(", ")
        )
    };
    Err(ImportError::refused("--dialect", message))
}
