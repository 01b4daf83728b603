//! Reads, checks and writes evaluation files, and creates an initial evaluation for a flow and a data set.

use std::{collections::BTreeMap, fs, path::Path};

use loopwright_evaluation::{
    check,
    file::{DataSource, Evaluation, ExperimentBudget, SCHEMA_VERSION, Scorer, Scoring},
};
use loopwright_model::{Shape, file, named_file};
use loopwright_runs::{ApiError, Code, Env, files};
use serde_json::Value;

use super::{
    dto::{CasesPreview, EvaluationFileInfo, EvaluationProblem, OpenedEvaluation, SavedEvaluation},
    prepare::folder,
    scoring::Compiled,
};
use crate::{
    kept_tests::flow_at,
    prepare::{cases, columns, prepare},
};

/// The maximum size of an evaluation file, in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// The maximum number of cases in a preview.
const SHOWN: usize = 200;

/// Columns that become inputs only if they are mapped explicitly.
const NOT_INPUTS: [&str; 5] = ["id", "expected", "target", "reference", "ideal"];

/// The ending of evaluation file names.
const ENDING: &str = ".eval.json";

/// The endings of flow file names, longest first.
const FLOW_ENDINGS: [&str; 2] = [".flow.json", ".json"];

fn stem(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    FLOW_ENDINGS
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name)
        .to_owned()
}

/// Reads an evaluation file.
///
/// # Errors
/// [`Code::NotFound`] if the file does not exist; [`Code::Io`] if it cannot be read; [`Code::InvalidArgument`], with the line, if
/// its content is invalid.
pub fn open_evaluation(env: &Env, path: &str) -> Result<OpenedEvaluation, ApiError> {
    let absolute = files::absolute(path);
    let shown = absolute.display().to_string();
    let bytes = named_file::read(&absolute, MAX_BYTES).map_err(|error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => Code::NotFound,
            _ => Code::Io,
        };
        ApiError::new(code, format!("{shown} cannot be opened: {error}.")).at(&shown)
    })?;
    let text = named_file::text(bytes).map_err(|error| {
        ApiError::new(
            Code::InvalidArgument,
            format!("{shown} cannot be read: {error}. Save it as UTF-8."),
        )
        .at(&shown)
    })?;
    let evaluation = check::read(&text).map_err(|error| {
        ApiError::new(Code::InvalidArgument, format!("{shown}: {error}")).at(&shown)
    })?;
    let problems = check_evaluation(env, &shown, &evaluation);
    let flow_path = flow_at(&folder(&shown), &evaluation.flow)
        .ok()
        .and_then(|(_, path)| path);
    Ok(OpenedEvaluation {
        version: files::version(&text),
        path: shown,
        evaluation,
        problems,
        flow_path,
    })
}

/// Returns the problems in an evaluation: in its fields, in its flows, and in the columns of its data set. `path` is the
/// evaluation's file.
pub fn check_evaluation(env: &Env, path: &str, evaluation: &Evaluation) -> Vec<EvaluationProblem> {
    let mut problems: Vec<EvaluationProblem> = check::evaluation(evaluation)
        .into_iter()
        .map(|problem| EvaluationProblem {
            place: problem.place,
            message: problem.message,
        })
        .collect();
    let mut add = |place: &str, error: ApiError| {
        problems.push(EvaluationProblem {
            place: place.to_owned(),
            message: error.message,
        });
    };
    let base = folder(path);
    for (index, scorer) in evaluation.scorers.iter().enumerate() {
        if let Err(error) = Compiled::of(scorer) {
            add(&format!("scorers[{index}]"), error);
        }
    }
    match flow_at(&base, &evaluation.flow) {
        Err(error) => add("flow", error),
        Ok((document, _)) => {
            if let Err(error) = columns(env, &evaluation.data, &document) {
                add("data.inputs", error);
            }
            if let Err(error) = prepare(env, &base, evaluation.clone()) {
                add("variants", error);
            }
        }
    }
    problems
}

/// Writes an evaluation file. A file that changed since the version `expected_version` is not overwritten. Without
/// `expected_version`, no existing file is overwritten.
///
/// # Errors
/// [`Code::InvalidArgument`] if the file's name does not end in `.eval.json`; [`Code::ChangedOnDisk`] if the file would not
/// be overwritten; [`Code::Io`] if it cannot be read or written.
pub fn save_evaluation(
    env: &Env,
    path: &str,
    evaluation: &Evaluation,
    expected_version: Option<&str>,
) -> Result<SavedEvaluation, ApiError> {
    let absolute = files::absolute(path);
    let shown = absolute.display().to_string();
    if !shown.ends_with(ENDING) {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "{shown} is not the name of an evaluation file. Use a name that ends with {ENDING}."
            ),
        )
        .at(&shown));
    }
    let _alone = files::alone(env.data_dir());
    let now = match named_file::read(&absolute, MAX_BYTES) {
        Ok(bytes) => Some(blake3::hash(&bytes).to_hex().to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err(
                ApiError::new(Code::Io, format!("{shown} cannot be read: {error}.")).at(&shown),
            );
        }
    };
    let changed = match (expected_version, &now) {
        (Some(expected), Some(now)) => expected != now,
        // Another program has created the file in the meantime.
        (None, Some(_)) => true,
        (_, None) => false,
    };
    if changed {
        return Err(ApiError::new(
            Code::ChangedOnDisk,
            format!("{shown} was changed by another program, so it was not overwritten. Open it again, or save your version under another name."),
        )
        .at(&shown));
    }
    let value = serde_json::to_value(evaluation)
        .map_err(|error| ApiError::new(Code::Internal, error.to_string()))?;
    let text = file::to_string(&value);
    files::write_over(&shown, &text)?;
    Ok(SavedEvaluation {
        path: shown,
        version: files::version(&text),
    })
}

/// Returns the evaluation files for a flow that are in the flow's folder.
///
/// # Errors
/// [`Code::Io`] if the folder cannot be read.
pub fn evaluations_beside(flow_path: &str) -> Result<Vec<EvaluationFileInfo>, ApiError> {
    let flow = files::absolute(flow_path);
    let Some(base) = flow.parent() else {
        return Ok(Vec::new());
    };
    let entries = fs::read_dir(base).map_err(|error| {
        ApiError::new(
            Code::Io,
            format!("{} cannot be read: {error}.", base.display()),
        )
    })?;
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if !path.to_string_lossy().ends_with(ENDING) {
            continue;
        }
        let Some(evaluation) = named_file::read(&path, MAX_BYTES)
            .ok()
            .and_then(|bytes| named_file::text(bytes).ok())
            .and_then(|text| check::read(&text).ok())
        else {
            continue;
        };
        let names = std::iter::once(&evaluation.flow).chain(
            evaluation
                .variants
                .iter()
                .filter_map(|variant| variant.flow.as_ref()),
        );
        if names
            .into_iter()
            .any(|name| files::absolute(&base.join(name).display().to_string()) == flow)
        {
            found.push(EvaluationFileInfo {
                path: path.display().to_string(),
                name: evaluation.name,
                flow: evaluation.flow,
            });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Creates an initial evaluation of a flow over a data set. Nothing is written to disk.
///
/// # Errors
/// Returns the first problem in the flow or the data set.
pub fn new_evaluation(
    env: &Env,
    flow_path: &str,
    document: &Value,
    data_path: &str,
) -> Result<OpenedEvaluation, ApiError> {
    let flow_file = files::absolute(flow_path);
    let base = flow_file
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default();
    let data_file = files::absolute(data_path);
    let relative = |path: &Path| {
        path.strip_prefix(&base)
            .unwrap_or(path)
            .display()
            .to_string()
    };
    let name = stem(&flow_file);
    let mut source = DataSource {
        file: relative(&data_file),
        ..DataSource::default()
    };
    let set = cases_of_any(env, &base, &mut source, document)?;
    let has_expected = set.cases.iter().any(|case| case.expected.is_some());
    let scorer = match has_expected {
        true => Scorer {
            name: "similar".to_owned(),
            lower_is_better: false,
            how: Scoring::Similarity { value: None },
        },
        false => Scorer {
            name: "has a result".to_owned(),
            lower_is_better: false,
            how: Scoring::Expression {
                expression: "result | length > 0".to_owned(),
            },
        },
    };
    let flow = file::read_value(document.clone())?;
    let specs = env.kinds().specs();
    let per_iteration = flow
        .nodes
        .iter()
        .find(|node| {
            matches!(specs.shape(node), Shape::ScopeStart { .. })
                && node.data.contains_key("maxIterations")
        })
        .map(|node| node.id.clone());
    let title = flow.name.clone().unwrap_or_else(|| name.clone());
    let evaluation = Evaluation {
        schema_version: SCHEMA_VERSION,
        name: title,
        flow: relative(&flow_file),
        data: source,
        variants: Vec::new(),
        baseline: None,
        repetitions: 1,
        scorers: vec![scorer],
        per_iteration,
        primary: None,
        margin: 0.0,
        budget: ExperimentBudget::default(),
        concurrency: 8,
        seed: 0,
        sequential: None,
        assertions: Vec::new(),
    };
    let mut path = base.join(format!("{name}{ENDING}"));
    let mut number = 2;
    while path.exists() {
        path = base.join(format!("{name}-{number}{ENDING}"));
        number += 1;
    }
    let path = path.display().to_string();
    let problems = check_evaluation(env, &path, &evaluation);
    Ok(OpenedEvaluation {
        path,
        version: String::new(),
        evaluation,
        problems,
        flow_path: Some(flow_file.display().to_string()),
    })
}

/// Reads the cases. If the flow has a single input and no column has its name, the input is read from a column with a common
/// name such as `input` or `question`. If no column has such a name either, it is read from the only remaining column.
fn cases_of_any(
    env: &Env,
    base: &Path,
    source: &mut DataSource,
    document: &Value,
) -> Result<loopwright_evaluation::data::DataSet, ApiError> {
    let first = cases(env, base, source, document);
    let inputs = columns(env, source, document)?.inputs;
    let [only] = &inputs[..] else {
        return first;
    };
    let is_filled = first.as_ref().is_ok_and(|set| {
        set.cases
            .iter()
            .any(|case| case.inputs.contains_key(&only.name))
    });
    if is_filled {
        return first;
    }
    let left: Vec<String> = match &first {
        Ok(set) => set
            .columns
            .iter()
            .filter(|name| !NOT_INPUTS.contains(&name.as_str()))
            .cloned()
            .collect(),
        Err(_) => Vec::new(),
    };
    let usual = ["input", "text", "question", "prompt", "topic"].map(str::to_owned);
    let last = match &left[..] {
        [only] => Some(only.clone()),
        _ => None,
    };
    for guess in usual.into_iter().chain(last) {
        let mut tried = source.clone();
        tried.inputs = BTreeMap::from([(only.name.clone(), guess)]);
        if let Ok(set) = cases(env, base, &tried, document)
            && set
                .cases
                .iter()
                .any(|case| case.inputs.contains_key(&only.name))
        {
            *source = tried;
            return Ok(set);
        }
    }
    first
}

/// Returns the first cases of an evaluation, and the rows that do not match the flow's inputs.
///
/// # Errors
/// Returns the first problem in the flow or the data set.
pub fn read_cases(
    env: &Env,
    path: &str,
    evaluation: &Evaluation,
) -> Result<CasesPreview, ApiError> {
    let base = folder(path);
    let (document, _) = flow_at(&base, &evaluation.flow)?;
    let set = cases(env, &base, &evaluation.data, &document)?;
    Ok(CasesPreview {
        columns: set.columns,
        total: u32::try_from(set.cases.len()).unwrap_or(u32::MAX),
        cases: set.cases.into_iter().take(SHOWN).collect(),
        rejected: set.rejected,
        notes: set.notes,
    })
}
