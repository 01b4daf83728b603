//! Tests created from runs. A test repeats a run with its recorded answers and compares the result with its expectations.

mod answers;
mod expectations;
pub(crate) mod keep;
pub(crate) mod made;
mod make;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use loopwright_evaluation::test_file::{SCHEMA_VERSION, TestFile};
use loopwright_model::named_file;
use loopwright_runs::{ApiError, Code, Env, files};
use serde::Serialize;
use serde_json::Value;

use answers::FileAnswers;
use made::{Made, TEST_ENDING, TestOptions};
pub(crate) use make::flow_at;
use make::make;

/// The maximum size of a test file, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestOutcome {
    pub path: String,
    pub name: String,
    pub passed: bool,
    /// The unmet expectations, one sentence each.
    pub failures: Vec<String>,
    /// The changes made by an update, one line each.
    pub changes: Vec<String>,
    /// The number of calls that were made because no answer was recorded for them.
    pub calls: u32,
    /// The duration in milliseconds.
    pub duration_ms: u32,
}

/// Runs a test.
///
/// # Errors
/// [`Code::NotFound`] if the file does not exist; [`Code::Io`] if it cannot be read; [`Code::InvalidArgument`] if its content is
/// invalid. A failure of the flow is a failure of the test, not an error.
pub async fn run_test(
    env: &Env,
    path: &str,
    options: &TestOptions,
) -> Result<TestOutcome, ApiError> {
    let begun = Instant::now();
    let absolute = files::absolute(path);
    let test = read(&absolute)?;
    let mut outcome = TestOutcome {
        path: path.to_owned(),
        name: test.name.clone(),
        passed: false,
        failures: Vec::new(),
        changes: Vec::new(),
        calls: 0,
        duration_ms: 0,
    };
    match make_test(env, &absolute, &test, options).await {
        Err(error) => outcome.failures.push(error.message),
        Ok(made) => {
            outcome.calls = made.answers.performed();
            outcome.failures = made.answers.missing();
            if outcome.failures.is_empty() {
                outcome.failures = expectations::failures(&test.expect, &made.state);
            }
            if options.update && made.answers.missing().is_empty() {
                let (updated, changes) = keep::updated(&test, &made.state, &made)?;
                if !changes.is_empty() {
                    write(&absolute, &updated)?;
                }
                outcome.changes = changes;
                outcome.failures.clear();
            }
        }
    }
    outcome.passed = outcome.failures.is_empty();
    outcome.duration_ms = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
    Ok(outcome)
}

async fn make_test(
    env: &Env,
    path: &Path,
    test: &TestFile,
    options: &TestOptions,
) -> Result<Made, ApiError> {
    let base = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let (mut document, flow_path) = flow_at(&base, &test.flow)?;
    keep::apply(&mut document, &test.set)?;
    let answers = FileAnswers::of(test, options.live);
    make(env, document, flow_path, test, answers, options).await
}

/// Returns the test files in a folder and its subfolders, sorted. If `path` is a file, returns only that file. Hidden
/// folders and `node_modules` are skipped.
///
/// # Errors
/// [`Code::NotFound`] if `path` does not exist.
pub fn find_tests(path: &str) -> Result<Vec<PathBuf>, ApiError> {
    let path = PathBuf::from(path);
    if path.is_file() {
        return Ok(vec![path]);
    }
    if !path.is_dir() {
        return Err(ApiError::new(
            Code::NotFound,
            format!(
                "There is no file or folder {}. Check the path.",
                path.display()
            ),
        ));
    }
    let mut found = Vec::new();
    let mut open = vec![path];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && !name.starts_with('.') && name != "node_modules" && name != "target"
            {
                open.push(entry.path());
            } else if kind.is_file() && name.ends_with(TEST_ENDING) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> Result<TestFile, ApiError> {
    let shown = path.display().to_string();
    let refused =
        |why: String| ApiError::new(Code::InvalidArgument, format!("{shown}: {why}")).at(&shown);
    let bytes = named_file::read(path, MAX_BYTES).map_err(|error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => Code::NotFound,
            _ => Code::Io,
        };
        ApiError::new(code, format!("{shown} cannot be opened: {error}.")).at(&shown)
    })?;
    let text =
        named_file::text(bytes).map_err(|error| refused(format!("it is not text: {error}.")))?;
    let version = serde_json::from_str::<Value>(&text)
        .ok()
        .and_then(|value| value["schemaVersion"].as_u64());
    // The version is checked before the fields, which a newer version may have changed.
    if let Some(version) = version
        && version > u64::from(SCHEMA_VERSION)
    {
        return Err(ApiError::new(
            Code::TooNew,
            format!(
                "{shown} was written by a newer version of Loopwright (version {version}). Update Loopwright."
            ),
        ));
    }
    serde_json::from_str(&text).map_err(|error| {
        refused(format!(
            "it is not a test. {error}. `loopwright runs keep` writes one."
        ))
    })
}

fn write(path: &Path, test: &TestFile) -> Result<(), ApiError> {
    files::write_over(&path.display().to_string(), &keep::text_of(test)?)
}
