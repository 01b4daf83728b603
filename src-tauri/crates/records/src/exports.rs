//! Exports recorded runs to files.

use loopwright_runs::{ApiError, Code, Env, files, mark_interrupted};

use crate::{
    run_export::{RecordedRun, RunExport},
    store::transfer::AsRunFile,
};

/// The export formats. If the file name matches none of them, the first is used.
const FORMATS: &[&dyn RunExport] = &[&AsRunFile];

/// Returns a run as one JSON document: flow, inputs, every record, and the result. The location of the flow's file is left out,
/// and runs never contain keys.
///
/// # Errors
/// [`Code::NotFound`] if the run does not exist.
pub fn export_run(env: &Env, run_id: &str) -> Result<String, ApiError> {
    String::from_utf8(written(env, run_id, &AsRunFile)?)
        .map_err(|error| ApiError::new(Code::Internal, error.to_string()))
}

/// Returns a run as the contents of a file. The extension of `path` selects the format.
///
/// # Errors
/// Returns the errors of [`export_run`].
pub fn export_run_for(env: &Env, run_id: &str, path: &str) -> Result<Vec<u8>, ApiError> {
    let name = path.to_ascii_lowercase();
    let format = FORMATS
        .iter()
        .filter(|format| name.ends_with(&format!(".{}", format.ending())))
        // The longest ending wins: `otlp.json` before `json`.
        .max_by_key(|format| format.ending().len())
        .unwrap_or(&FORMATS[0]);
    written(env, run_id, *format)
}

/// Writes a run to the file at `path`, whose extension selects the format. Replaces an existing file.
///
/// # Errors
/// [`Code::NotFound`] if the run does not exist; [`Code::Io`] if the file cannot be written.
pub fn export_run_to(env: &Env, run_id: &str, path: &str) -> Result<(), ApiError> {
    files::write_over(path, &export_run_for(env, run_id, path)?)
}

fn written(env: &Env, run_id: &str, format: &dyn RunExport) -> Result<Vec<u8>, ApiError> {
    mark_interrupted(env)?;
    let journal = env.journal();
    let run = RecordedRun::read(&*journal, run_id)?;
    let mut bytes = Vec::new();
    format.write(&run, &mut bytes)?;
    Ok(bytes)
}
