//! Exports a complete run to a file, and imports such files as untrusted data.

use std::{io, path::Path};

use loopwright_engine::{
    RunStatus,
    journal::{Entry, Fact, Input, JournalError, Record, RunHeader, RunState, nesting},
    trust::Grants,
};
use loopwright_model::{file, named_file};
use loopwright_runs::{ApiError, Code, Env, apply_history_limit, new_id};
use serde::{Deserialize, Serialize};
use specta::Type;

use super::numbers;
use crate::run_export::{RecordedRun, RunExport};

const FORMAT: &str = "loopwright-run";
/// The format version that is written, and the newest one that can be read.
const VERSION: u32 = 3;
/// The maximum size of an imported file, in bytes.
pub const MAX_RUN_BYTES: u64 = 512 << 20;
/// The maximum nesting depth of the file's JSON. A record with the most deeply nested value that a run allows is below this
/// limit.
const DEEPEST: usize = 400;
/// The maximum number of characters in the path of a step.
const LONGEST_PATH: usize = 4_000;

/// An exported run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunFile {
    format: String,
    version: u32,
    header: RunHeader,
    state: RunState,
    records: Vec<Record>,
}

/// The result of importing a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct ImportedRun {
    pub run_id: String,
    pub flow: String,
    /// Whether the run got a new id, because a run with its id already existed.
    pub renamed: bool,
}

/// The format that stores a run as one JSON document: flow, inputs, every record, and the result.
pub(crate) struct AsRunFile;

impl RunExport for AsRunFile {
    fn ending(&self) -> &'static str {
        "json"
    }

    fn write(&self, run: &RecordedRun<'_>, out: &mut dyn io::Write) -> Result<(), ApiError> {
        let mut header = run.header.clone();
        // In another store, all records of the run count as imported, so this store's number has no meaning there.
        header.setup.imported_records = 0;
        let file = RunFile {
            format: FORMAT.to_owned(),
            version: VERSION,
            header,
            state: run.state.clone(),
            records: run.records()?,
        };
        let failed = |error: serde_json::Error| ApiError::new(Code::Internal, error.to_string());
        serde_json::to_writer(&mut *out, &file).map_err(failed)?;
        writeln!(out).map_err(|error| ApiError::new(Code::Io, error.to_string()))
    }
}

/// Imports a run from the file at `path`.
///
/// # Errors
/// [`Code::NotFound`] if the file does not exist; [`Code::Io`] if it cannot be read; otherwise the errors of [`import_run`].
pub fn import_run_from(env: &Env, path: &str) -> Result<ImportedRun, ApiError> {
    let failed = |error: std::io::Error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => Code::NotFound,
            _ => Code::Io,
        };
        ApiError::new(code, format!("{path} cannot be read: {error}.")).at(path)
    };
    let bytes = named_file::read(Path::new(path), MAX_RUN_BYTES).map_err(failed)?;
    import_run(env, &bytes).map_err(|error| ApiError {
        path: Some(path.to_owned()),
        ..error
    })
}

/// Imports an exported run. An invalid run is rejected as a whole.
///
/// # Errors
/// [`Code::InvalidArgument`] if the run is invalid, or an error if the store cannot be written.
pub fn import_run(env: &Env, bytes: &[u8]) -> Result<ImportedRun, ApiError> {
    let mut run = read(bytes).map_err(|why| {
        ApiError::new(
            Code::InvalidArgument,
            format!("This run cannot be imported: {why} Nothing was stored."),
        )
    })?;
    let mut renamed = false;
    loop {
        match env.journal().add(&run.header, &run.records, &run.state) {
            Ok(()) => break,
            Err(JournalError::Exists(_)) if !renamed => {
                run.header.run_id = new_id();
                renamed = true;
            }
            Err(error) => return Err(error.into()),
        }
    }
    // The limit does not delete the new run, because nobody has seen it here yet.
    if let Err(error) = apply_history_limit(env) {
        env.give_notice(format!("Old runs could not be deleted: {error}"));
    }
    Ok(ImportedRun {
        run_id: run.header.run_id,
        flow: run.header.flow,
        renamed,
    })
}

/// Reads and checks an exported run. An error describes what is wrong with it.
fn read(bytes: &[u8]) -> Result<RunFile, String> {
    if bytes.len() as u64 > MAX_RUN_BYTES {
        return Err(format!("it is larger than {} MB.", MAX_RUN_BYTES >> 20));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text.".to_owned())?;
    if nesting(text) > DEEPEST {
        return Err(format!("it is nested more than {DEEPEST} levels deep."));
    }
    version(text)?;
    let mut reader = serde_json::Deserializer::from_str(text);
    // The depth was checked above.
    reader.disable_recursion_limit();
    let mut run = RunFile::deserialize(&mut reader).map_err(|error| format!("{error}."))?;
    reader.end().map_err(|error| format!("{error}."))?;
    check(&run)?;
    numbers::check(&run.header, &run.state, &run.records)?;
    run.header.flow_path = None;
    // Permissions that were granted elsewhere do not apply here.
    run.header.setup.allowed = Grants::default();
    run.header.setup.imported_records = run.records.len() as u64;
    if run.state.status == RunStatus::Running {
        // No program leads the imported run, so it counts as interrupted.
        run.state.status = RunStatus::Interrupted;
    }
    Ok(run)
}

/// Checks the format and the version. This happens before any other check, so that the error for a newer file says that the
/// file is newer.
fn version(text: &str) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Kind {
        format: Option<String>,
        version: Option<u32>,
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let kind = Kind::deserialize(&mut reader).map_err(|error| format!("{error}."))?;
    match (kind.format.as_deref(), kind.version) {
        (Some(FORMAT), Some(found)) if found > VERSION => Err(format!(
            "its format version is {found}, but this program reads versions up to {VERSION}. Update Loopwright."
        )),
        (Some(FORMAT), Some(1..)) => Ok(()),
        _ => Err(format!(
            "it has no `\"format\": \"{FORMAT}\"` with a version. Use a file that `loopwright runs export` wrote."
        )),
    }
}

fn check(run: &RunFile) -> Result<(), String> {
    // The id becomes the name of a lock file, so its form must be canonical.
    let canonical = uuid::Uuid::parse_str(&run.header.run_id).map(|id| id.to_string());
    if canonical.as_deref() != Ok(run.header.run_id.as_str()) {
        return Err("its run id is not a UUID.".to_owned());
    }
    file::read_value(run.header.document.clone())
        .map_err(|error| format!("its flow cannot be read ({error})."))?;
    if !run.header.inputs.is_object() {
        return Err("its inputs are not a JSON object.".to_owned());
    }
    for (expected, record) in (0_u64..).zip(&run.records) {
        if record.seq != expected {
            return Err(format!(
                "record {} was found where record {expected} was expected.",
                record.seq
            ));
        }
        if record.path.chars().count() > LONGEST_PATH {
            return Err(format!("the path of record {expected} is too long."));
        }
    }
    if let Some(first) = run.records.first()
        && !matches!(first.entry, Entry::Input(Input::RunStarted { .. }))
    {
        return Err("its first record is not the start of a run.".to_owned());
    }
    let end = run
        .records
        .iter()
        .rev()
        .find_map(|record| match &record.entry {
            Entry::Fact(Fact::RunCompleted { .. }) => Some(RunStatus::Completed),
            Entry::Fact(Fact::RunFailed { status, .. }) => Some(*status),
            _ => None,
        });
    let status = run.state.status;
    if status.is_over() && end != Some(status) {
        return Err("its state says that the run has ended, but its records do not.".to_owned());
    }
    Ok(())
}
