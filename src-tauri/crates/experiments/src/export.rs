//! Exports experiments for other programs: CSV, JSON, JUnit, Inspect, and a page for a browser.

use std::path::Path;

use loopwright_engine::ExitReason;
use loopwright_evaluation::{
    formats::{self, Results, inspect::Origin},
    html,
};
use loopwright_runs::{ApiError, Code, files};
use serde_json::Value;

use super::dto::ExperimentView;
use crate::{
    read::{experiment, experiment_results},
    running_experiments::Experiments,
};

/// The file format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    Html,
    Csv,
    /// One line of JSON for each result.
    ResultLines,
    /// A log in the format of Inspect.
    InspectLog,
    Junit,
}

impl ExportFormat {
    /// Returns the format for the extension of a file name.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for an unknown extension.
    pub fn of_path(path: &str) -> Result<Self, ApiError> {
        let ending = Path::new(path)
            .extension()
            .map(|ending| ending.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default();
        match ending.as_str() {
            "html" | "htm" => Ok(Self::Html),
            "csv" => Ok(Self::Csv),
            "jsonl" | "ndjson" => Ok(Self::ResultLines),
            "json" => Ok(Self::InspectLog),
            "xml" => Ok(Self::Junit),
            _ => Err(ApiError::new(
                Code::InvalidArgument,
                format!("The format cannot be determined from the name {path}. Use a name that ends with .html, .csv, .jsonl, .json (Inspect) or .xml (JUnit)."),
            )
            .at(path)),
        }
    }
}

/// Writes an experiment to a file, in the format of its file name.
///
/// # Errors
/// Returns [`Code::InvalidArgument`] if the name does not determine the format, or the errors of [`export_experiment_as`].
pub fn export_experiment(experiments: &Experiments, id: &str, path: &str) -> Result<(), ApiError> {
    export_experiment_as(experiments, id, ExportFormat::of_path(path)?, path)
}

/// Writes an experiment to a file. Replaces an existing file.
///
/// # Errors
/// [`Code::NotFound`] if the experiment does not exist; [`Code::Io`] if the file cannot be written.
pub fn export_experiment_as(
    experiments: &Experiments,
    id: &str,
    format: ExportFormat,
    path: &str,
) -> Result<(), ApiError> {
    let view = experiment(experiments, id)?;
    let (cases, results) = experiment_results(experiments, id)?;
    let variants: Vec<String> = view
        .report
        .variants
        .iter()
        .map(|variant| variant.name.clone())
        .collect();
    let of = Results {
        cases: &cases,
        variants: &variants,
        scorers: &view.report.scorers,
        cells: &results,
    };
    let mut bytes = Vec::new();
    let written = match format {
        ExportFormat::Html => {
            bytes = html::html(&view.report, &cases, &results, &exit_title).into_bytes();
            Ok(())
        }
        ExportFormat::Csv => formats::cases::write(&of, &mut bytes),
        ExportFormat::ResultLines => formats::results::write(&of, &mut bytes),
        ExportFormat::Junit => formats::junit::write(&of, &view.report, &mut bytes),
        ExportFormat::InspectLog => return export_inspect(&view, &of, path),
    };
    written.map_err(|error| ApiError::new(Code::Internal, error.to_string()))?;
    write(path, bytes)
}

/// Writes Inspect logs. A log can have only one variant. If there are several, each is written to a separate file,
/// `NAME-VARIANT.json`.
fn export_inspect(
    view: &ExperimentView,
    results: &Results<'_>,
    path: &str,
) -> Result<(), ApiError> {
    // Results record durations but no times, so the end is the start plus the longest duration.
    let started = &view.summary.started_at;
    let origin = Origin {
        created: started,
        started_at: started,
        completed_at: started,
        data_file: &view.evaluation.data.file,
        version: env!("CARGO_PKG_VERSION"),
    };
    for (index, name) in results.variants.iter().enumerate() {
        let mut bytes = Vec::new();
        formats::inspect::write(results, &view.report, index, &origin, &mut bytes)
            .map_err(|error| ApiError::new(Code::Internal, error.to_string()))?;
        let to = match results.variants.len() {
            1 => path.to_owned(),
            _ => {
                let safe: String = name
                    .chars()
                    .map(|letter| {
                        if letter.is_alphanumeric() {
                            letter
                        } else {
                            '-'
                        }
                    })
                    .collect();
                let stem = path.strip_suffix(".json").unwrap_or(path);
                format!("{stem}-{safe}.json")
            }
        };
        write(&to, bytes)?;
    }
    Ok(())
}

fn write(path: &str, bytes: Vec<u8>) -> Result<(), ApiError> {
    let text = String::from_utf8(bytes)
        .map_err(|error| ApiError::new(Code::Internal, error.to_string()))?;
    files::write_over(path, &text)
}

/// Returns the displayed title of an exit reason.
fn exit_title(reason: &str) -> String {
    serde_json::from_value::<ExitReason>(Value::from(reason))
        .map_or_else(|_| reason.to_owned(), |reason| reason.title().to_owned())
}
