//! Writing recorded runs to files.

use loopwright_runs::{ApiError, Code, Env, files, mark_interrupted};

use crate::{
    run_export::{RecordedRun, RunExport},
    store::transfer::AsRunFile,
};

/// The formats. The first is written where the ending of a file's name is that of none.
const FORMATS: &[&dyn RunExport] = &[&AsRunFile];

/// A run as one JSON document: flow, inputs, every record, what came of it. Where the flow's file is on this computer
/// is left out; keys are in no run.
///
/// # Errors
/// [`Code::NotFound`] for a run that is not there.
pub fn export_run(env: &Env, run_id: &str) -> Result<String, ApiError> {
    String::from_utf8(written(env, run_id, &AsRunFile)?)
        .map_err(|error| ApiError::new(Code::Internal, error.to_string()))
}

/// A run as the file of this name would hold it: in the format that the ending of the name says.
///
/// # Errors
/// As [`export_run`].
pub fn export_run_for(env: &Env, run_id: &str, path: &str) -> Result<Vec<u8>, ApiError> {
    let name = path.to_ascii_lowercase();
    let format = FORMATS
        .iter()
        .filter(|format| name.ends_with(&format!(".{}", format.ending())))
        // `otlp.json` goes before `json`.
        .max_by_key(|format| format.ending().len())
        .unwrap_or(&FORMATS[0]);
    written(env, run_id, *format)
}

/// Writes a run to a file, which it replaces, in the format that the ending of the file's name says.
///
/// # Errors
/// As [`export_run`]; [`Code::Io`] where the file cannot be written.
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
