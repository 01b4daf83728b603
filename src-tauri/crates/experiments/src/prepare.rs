//! Turns an evaluation file into the parts of an experiment: linked flows and cases.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use loopwright_engine::plan::Focus;
use loopwright_evaluation::{
    data::{self, Columns, DataSet, DataType, Format, InputColumn},
    file::{DataSource, Evaluation, Scoring, Variant},
};
use loopwright_model::{Problem, Shape, file};
use loopwright_runs::{
    ApiError, Code, Env, FieldEdit, PreparedFlow, apply_edit, files, link, plan_flow,
};
use serde_json::Value;

use super::{collect::LoopShape, content::StoredVariant, judge};
use crate::kept_tests::flow_at;

/// An evaluation with the linked and checked flows of its variants and judges.
pub(super) struct Prepared {
    pub(super) evaluation: Evaluation,
    pub(super) variants: Vec<StoredVariant>,
    pub(super) judges: BTreeMap<String, StoredVariant>,
}

/// Returns the folder to which an evaluation's paths are relative.
pub(super) fn folder(path: &str) -> PathBuf {
    files::absolute(path)
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// Reads, links and checks the flows of an evaluation and of its judges.
///
/// # Errors
/// Returns the first problem in these flows. The message begins with the name of the flow's variant or scorer.
pub(super) fn prepare(
    env: &Env,
    base: &Path,
    mut evaluation: Evaluation,
) -> Result<Prepared, ApiError> {
    if evaluation.variants.is_empty() {
        evaluation.variants.push(Variant {
            name: "flow".to_owned(),
            ..Variant::default()
        });
    }
    let mut variants = Vec::new();
    for variant in &evaluation.variants {
        let stored = stored_variant(env, base, &evaluation, variant)
            .map_err(|error| of("Variant", &variant.name, error))?;
        variants.push(stored);
    }
    let mut judges = BTreeMap::new();
    for scorer in &evaluation.scorers {
        let made = match &scorer.how {
            Scoring::Flow { flow, .. } => {
                let (document, flow_path) =
                    flow_at(base, flow).map_err(|error| of("Scorer", &scorer.name, error))?;
                Some((document, flow_path))
            }
            how => judge::document(&scorer.name, how)
                .map(|document| (document, Some(base.join("judge").display().to_string()))),
        };
        if let Some((document, flow_path)) = made {
            let flow = runnable_flow(env, document, flow_path)
                .and_then(|flow| has_score(env, &scorer.how, flow))
                .map_err(|error| of("Scorer", &scorer.name, error))?;
            judges.insert(scorer.name.clone(), stored(scorer.name.clone(), flow));
        }
    }
    Ok(Prepared {
        evaluation,
        variants,
        judges,
    })
}

fn stored_variant(
    env: &Env,
    base: &Path,
    evaluation: &Evaluation,
    variant: &Variant,
) -> Result<StoredVariant, ApiError> {
    let name = variant.flow.as_deref().unwrap_or(&evaluation.flow);
    let (mut document, flow_path) = flow_at(base, name)?;
    if variant.set.keys().any(|key| key.contains('/')) {
        document = link(env, document, flow_path.as_deref())?;
    }
    for (key, value) in &variant.set {
        let Some((node, field)) = key.split_once('.') else {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "`{key}` in `set` does not name a field of a node. Write `node.field`, such as `refine.maxIterations`."
                ),
            ));
        };
        let edit = FieldEdit {
            node: node.to_owned(),
            field: field.to_owned(),
            value: value.clone(),
        };
        apply_edit(&mut document, &edit)?;
    }
    let flow = runnable_flow(env, document, flow_path)?;
    refuse_unknown_fields(variant, &flow.problems)?;
    if let Some(node) = &evaluation.per_iteration {
        LoopShape::of(&flow.flow, flow.plan()?, env.kinds().specs(), node)?;
    }
    Ok(stored(variant.name.clone(), flow))
}

/// Checks that a judge's flow has an output for its score: the output that the scorer names, an output named `score`, or its
/// only output. Returns the flow.
fn has_score(env: &Env, how: &Scoring, flow: PreparedFlow) -> Result<PreparedFlow, ApiError> {
    let Scoring::Flow { output, .. } = how else {
        return Ok(flow);
    };
    let specs = env.kinds().specs();
    let outputs: Vec<String> = flow
        .flow
        .nodes
        .iter()
        .filter(|node| specs.shape(node) == Shape::Output && !node.disabled())
        .map(|node| node.boundary_name().to_owned())
        .collect();
    let found = match output {
        Some(name) => outputs.contains(name),
        None => outputs.len() == 1 || outputs.iter().any(|name| name == judge::SCORE),
    };
    if found {
        return Ok(flow);
    }
    let names = outputs.join(", ");
    Err(ApiError::new(
        Code::InvalidArgument,
        match output {
            Some(name) => format!("Its flow has no output `{name}`. Outputs: {names}."),
            None => format!(
                "Its flow has several outputs. Set `output` to the one that contains the score: {names}."
            ),
        },
    ))
}

/// Links, checks and plans a flow that runs on every case.
fn runnable_flow(
    env: &Env,
    document: Value,
    flow_path: Option<String>,
) -> Result<PreparedFlow, ApiError> {
    let flow = file::read_value(document.clone())?;
    let prepared = plan_flow(env, flow, document, flow_path, Focus::default())?;
    prepared.plan()?;
    Ok(prepared)
}

/// Returns the loop that `perIteration` names in a stored flow. Fails if the flow cannot run or has no such loop.
pub(super) fn shape(env: &Env, variant: &StoredVariant, node: &str) -> Result<LoopShape, ApiError> {
    let flow = runnable_flow(env, variant.document.clone(), variant.flow_path.clone())?;
    LoopShape::of(&flow.flow, flow.plan()?, env.kinds().specs(), node)
}

/// Returns the data set columns that a flow needs. Fails if the document is not a flow, or if `data.inputs` names an
/// input that the flow does not have.
pub(super) fn columns(
    env: &Env,
    source: &DataSource,
    document: &Value,
) -> Result<Columns, ApiError> {
    let flow = file::read_value(document.clone())?;
    let specs = env.kinds().specs();
    let inputs: Vec<InputColumn> = flow
        .nodes
        .iter()
        .filter(|node| specs.shape(node) == Shape::Input && !node.disabled())
        .map(|node| {
            let name = node.boundary_name().to_owned();
            InputColumn {
                column: source.inputs.get(&name).cloned(),
                required: node.data.get("required").and_then(Value::as_bool) == Some(true),
                has_default: node.data.get("default").is_some(),
                data_type: match node.text("dataType") {
                    Some("json") => DataType::Json,
                    Some("number") => DataType::Number,
                    Some("boolean") => DataType::Boolean,
                    Some("file") => DataType::File,
                    _ => DataType::Text,
                },
                name,
            }
        })
        .collect();
    if let Some(unknown) = source
        .inputs
        .keys()
        .find(|name| !inputs.iter().any(|input| input.name == **name))
    {
        let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "`data.inputs` names `{unknown}`, which is not an input of the flow. Inputs: {}.",
                names.join(", ")
            ),
        ));
    }
    Ok(Columns {
        id: source.id.clone(),
        inputs,
        expected: source.expected.clone(),
    })
}

/// Reads the cases of an evaluation.
///
/// # Errors
/// [`Code::NotFound`] if the data file does not exist; [`Code::Io`] if it cannot be read; [`Code::InvalidArgument`], with the
/// line, if its content is invalid.
pub(crate) fn cases(
    env: &Env,
    base: &Path,
    source: &DataSource,
    document: &Value,
) -> Result<DataSet, ApiError> {
    let columns = columns(env, source, document)?;
    let path = base.join(&source.file);
    let shown = path.display().to_string();
    let failed = |error: std::io::Error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => Code::NotFound,
            _ => Code::Io,
        };
        let words = format!(
            "The data set {shown} cannot be read: {error}. Check that it exists and that you may read it."
        );
        ApiError::new(code, words).at(&shown)
    };
    let refused = |error: data::DataError| {
        ApiError::new(Code::InvalidArgument, format!("{shown}: {error}")).at(&shown)
    };
    if source.file.trim().is_empty() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The evaluation names no data set. Set `data.file`.",
        ));
    }
    let kind = std::fs::metadata(&path).map_err(failed)?.file_type();
    if !kind.is_dir() && !kind.is_file() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "{shown} is a pipe or a device. A data set is read more than once: write it to a file."
            ),
        ));
    }
    let file = File::open(&path).map_err(failed)?;
    if kind.is_dir() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("{shown} is a folder. Name a file in it."),
        ));
    }
    let mut reader = BufReader::with_capacity(1 << 16, file.take(MAX_DATA_BYTES));
    let head = reader.fill_buf().map_err(failed)?.to_vec();
    let format = Format::of_path(&source.file, &head).map_err(refused)?;
    let mut set = data::read(reader, format, &columns).map_err(refused)?;
    for input in &columns.inputs {
        let is_given = set
            .cases
            .iter()
            .any(|case| case.inputs.contains_key(&input.name));
        if !is_given && !set.cases.is_empty() {
            let instead = match input.has_default {
                true => "uses its default in every case",
                false => "is missing from every case",
            };
            set.notes.push(format!(
                "The data set has no column for the input `{}`, which {instead}. Columns: {}.",
                input.name,
                set.columns.join(", ")
            ));
        }
    }
    Ok(set)
}

/// Returns the stored form of a flow.
fn stored(name: String, flow: PreparedFlow) -> StoredVariant {
    StoredVariant {
        name,
        document: flow.document,
        flow_path: flow.path,
    }
}

/// Rejects a variant that sets an unknown field of a node. Such a field has no effect, so the variant would be
/// identical to another.
fn refuse_unknown_fields(variant: &Variant, problems: &[Problem]) -> Result<(), ApiError> {
    let unknown = problems.iter().find(|problem| {
        problem.code == "unknown_field"
            && variant.set.keys().any(|key| {
                let (node, field) = key.split_once('.').unwrap_or((key, ""));
                problem.node.as_deref() == Some(node)
                    && problem
                        .message
                        .contains(field.split('.').next().unwrap_or(field))
            })
    });
    match unknown {
        None => Ok(()),
        Some(problem) => Err(ApiError::new(
            Code::InvalidArgument,
            format!("`set`: {}", problem.message),
        )),
    }
}

/// The maximum size of a data set, in bytes. The file is streamed, but its cases stay in memory.
const MAX_DATA_BYTES: u64 = 4 << 30;

fn of(what: &str, name: &str, error: ApiError) -> ApiError {
    ApiError {
        message: format!("{what} \"{name}\": {}", error.message),
        ..error
    }
}
