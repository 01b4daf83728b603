//! Reads other systems' loops as flows, with a report of every difference.
//!
//! Architecture Invariant: knows no runs, no network and no files. Text comes in; a document and a report go out. An import never runs anything.
//!
//! Each format is a module and a line in [`FORMATS`]; [`import`] recognises the format by its content unless it is told.

mod aistudio;
pub(crate) mod build;
mod foreign;
mod javascript;
mod layout;
pub mod logic_apps;
mod mentions;
pub(crate) mod read;
mod report;
mod robomesh;
mod scripts;
mod tea;

use std::{fmt, sync::Arc};

use loopwright_model::{Flow, Kinds};
use loopwright_script::Unavailable;
use serde_json::Value;
use thiserror::Error;

pub use foreign::{Foreign, foreign};
pub use report::{Entry, Outcome, Report};

/// A flow made from another system's file, and what was done to get it.
#[derive(Debug, Clone)]
pub struct Import {
    pub flow: Flow,
    pub report: Report,
}

/// What may be said beside the text.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The file's name without its extension: the flow's name where the text has none.
    pub name: Option<String>,
    /// The format's [`Format::id`]; recognised by content when absent.
    pub from: Option<String>,
    /// Which reading of an ambiguous format is meant, by the name the format gives it (`logic-apps`, `loom`).
    pub dialect: Option<String>,
    /// The node kinds of this program, against which a flow of our own family is held. Without them nothing is said to be
    /// unknown.
    pub kinds: Option<Kinds>,
    /// The texts of files that the text refers to.
    pub beside: Option<Beside>,
}

/// Gives the text of a file by the path that another file names it by, where it may be read; an import opens none itself.
#[derive(Clone)]
pub struct Beside(pub Arc<Reader>);

/// The text of the file that this path names.
pub type Reader = dyn Fn(&str) -> Option<String> + Send + Sync;

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Beside")
    }
}

/// One format that can be read.
pub struct Format {
    /// What `--from` takes: `tea`, `containers`, `loom`, `aistudio`.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// The readings that `--dialect` chooses among; empty where there is one.
    pub dialects: &'static [&'static str],
    /// The words of the format, which are keys of its files, one or more in a text; empty where files are taken as they are, or the format says itself what
    /// it does not know. Anything else that is in a file and nowhere in its flow is said in the report.
    pub reads: &'static [&'static str],
    /// Whether this text is of the format, by its content alone.
    pub recognises: fn(&Source<'_>) -> bool,
    pub read: fn(&Source<'_>, &Options) -> Result<Import, ImportError>,
}

/// A text, and its values where it is JSON or YAML, parsed once for all formats that look at it.
pub struct Source<'a> {
    pub text: &'a str,
    /// The text as JSON.
    pub json: Option<Value>,
    /// The documents of the text as YAML, where it is no JSON.
    pub yaml: Vec<Value>,
    /// Where and why a text that begins as JSON is none, where it is YAML all the same.
    pub broken: Option<(String, String)>,
}

impl Source<'_> {
    /// The JSON, or the first document of the YAML.
    pub fn value(&self) -> Option<&Value> {
        self.json.as_ref().or_else(|| self.yaml.first())
    }
}

/// Why nothing was imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// No format recognises the text; `found` is what it is at `place`, where a format would begin.
    #[error(
        "{place}: {found}, and no format that can be imported begins like that ({formats}). If it is one of them, choose which \
         (on the command line: --from {known})",
        formats = readable()
    )]
    Unknown {
        place: String,
        found: String,
        known: String,
    },
    /// The text has marks of several readings of its format.
    #[error("{place}: {message}")]
    Ambiguous { place: String, message: String },
    #[error(
        "This is {one}. Loopwright does not read {many} yet; it reads {known}",
        one = .0.one,
        many = .0.many,
        known = readable()
    )]
    Foreign(&'static Foreign),
    #[error("there is no format “{asked}”{hint}; the formats are {known}")]
    NoSuchFormat {
        asked: String,
        hint: String,
        known: String,
    },
    /// The text has scripts, and they cannot be read now.
    #[error("The file has scripts, and nothing was imported. {0}")]
    Scripts(Unavailable),
    /// The text cannot be read as what it says it is; `place` is a line or a path in it.
    #[error("{place}: {message}")]
    Unreadable { place: String, message: String },
    /// The format itself does not allow what stands at `place`.
    #[error("{place}: {message}")]
    Refused { place: String, message: String },
}

/// The formats, in the order in which they are asked whether they recognise a text.
pub const FORMATS: &[Format] = &[
    logic_apps::FORMAT,
    robomesh::FORMAT,
    tea::FORMAT,
    aistudio::FORMAT,
];

impl ImportError {
    /// What cannot be read at `place`.
    pub(crate) fn unreadable(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Unreadable {
            place: place.into(),
            message: message.into(),
        }
    }

    /// What a format itself does not allow, at `place`.
    pub(crate) fn refused(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Refused {
            place: place.into(),
            message: message.into(),
        }
    }
}

/// Reads `text` as the format that `options` name, else as the one that it is by its content. Nothing of it is run.
///
/// # Errors
/// When the text is of no known format, cannot be read, is larger than a flow file may be, or holds what its own format
/// does not allow.
pub fn import(text: &str, options: &Options) -> Result<Import, ImportError> {
    // The reader of YAML goes deeper than a small stack is before it finds that a text is nested too deeply.
    std::thread::scope(|scope| {
        let reading = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || scripts::reading(|| import_here(text, options)));
        match reading.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(imported)) => imported,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(ImportError::unreadable(
                "file",
                format!("no thread could be started to read it: {error}"),
            )),
        }
    })
}

/// Bytes of stack for reading; it takes memory only as far as it is used.
const STACK: usize = 256 * 1024 * 1024;

fn import_here(text: &str, options: &Options) -> Result<Import, ImportError> {
    let asked = options.from.as_deref().map(format_called).transpose()?;
    if let (Some(format), Some(dialect)) = (asked, &options.dialect) {
        check_dialect(format, dialect)?;
    }
    let source = read::source(text)?;
    // Who names a format knows better; but AI Studio's form is so open that it would take what it cannot run.
    if asked.is_none_or(|format| format.id == aistudio::FORMAT.id)
        && let Some(product) = source.value().and_then(foreign)
    {
        return Err(ImportError::Foreign(product));
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

/// What is wrong with a text of no format: its JSON, or what the format that it is nearest to says of it.
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
            let message = format!("{message} (read as {title}; --from says which it is)");
            ImportError::Unreadable { place, message }
        }
        Err(error @ ImportError::Ambiguous { .. }) => error,
        _ => unknown(source),
    }
}

/// How many characters of a text an error shows.
const SHOWN: usize = 40;

/// Where and what a text of no format is.
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
            (format!("line {}", index + 1), format!("it says “{shown}”"))
        }
    };
    ImportError::Unknown {
        place,
        found,
        known: known(),
    }
}

/// The formats by what people call them: `AI Studio flows, …`.
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
        format!("{} has one reading, and takes none", format.title)
    } else {
        format!(
            "{} has no dialect “{dialect}”{}; there are {}",
            format.title,
            hint(dialect, format.dialects.iter().copied()),
            format.dialects.join(", ")
        )
    };
    Err(ImportError::refused("--dialect", message))
}

/// Names that a message lists.
const LISTED: usize = 8;

/// `“a”, “b” and 3 more`.
pub(crate) fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let shown: Vec<String> = names.take(LISTED).map(|name| format!("“{name}”")).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// `, did you mean “tea”?` where a name is near.
pub(crate) fn hint<'n>(asked: &str, names: impl Iterator<Item = &'n str>) -> String {
    let asked = asked.to_lowercase();
    names
        .map(|name| (strsim::jaro_winkler(&asked, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map_or_else(String::new, |(_, name)| {
            format!(" (did you mean “{name}”?)")
        })
}
