//! Forks every run of an experiment at the same fork point. The part of each run before the fork point is reused at no cost.
//! The results of the two experiments can then be compared case by case.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_engine::{ApprovalPolicy, trust::Grants};
use loopwright_evaluation::{
    file::{Evaluation, Variant},
    result::CellStatus,
};
use loopwright_runs::{ApiError, Code, FieldEdit, apply_edit, fork_place};

use super::{
    beginning::StartedExperiment,
    content::{Content, ForkOf},
    progress::ProgressSink,
    stored::cases_of,
};
use crate::{
    read::experiment_results,
    running_experiments::Experiments,
    start::begin_experiment,
    stored::{experiment_store, stored},
};

/// The options for [`fork_experiment`].
pub struct ForkExperiment {
    /// The experiment whose runs are forked. It is not changed.
    pub experiment: String,
    /// The variant whose runs are forked. `None` means the baseline or, if the evaluation names none, the first variant.
    pub variant: Option<String>,
    /// The fork point in each run, such as `refine[2]`.
    pub at: String,
    /// The edits that apply from the fork point on.
    pub edits: Vec<FieldEdit>,
    pub approve: ApprovalPolicy,
    pub allow: Grants,
    pub progress: ProgressSink,
}

/// Starts an experiment whose runs are forks of another experiment's runs.
///
/// # Errors
/// [`Code::NotFound`] if the experiment or the variant does not exist; [`Code::InvalidArgument`] if an edit is invalid or no run
/// has completed.
pub fn fork_experiment(
    experiments: &Arc<Experiments>,
    options: ForkExperiment,
) -> Result<StartedExperiment, ApiError> {
    let (row, source, _) = stored(experiments, &options.experiment)?;
    let names: Vec<&str> = source
        .variants
        .iter()
        .map(|variant| variant.name.as_str())
        .collect();
    let wanted = options
        .variant
        .as_deref()
        .or(source.evaluation.baseline.as_deref());
    let index = match wanted {
        None => 0,
        Some(name) => names
            .iter()
            .position(|known| *known == name)
            .ok_or_else(|| {
                ApiError::new(
                    Code::NotFound,
                    format!(
                        "There is no variant \"{name}\". Variants: {}.",
                        names.join(", ")
                    ),
                )
            })?,
    };
    let mut variant = source.variants[index].clone();
    for edit in &options.edits {
        apply_edit(&mut variant.document, edit)?;
    }
    let store = experiment_store(experiments)?;
    let cases = cases_of(&store, &row.id, 0, usize::MAX)?;
    let (_, results) = experiment_results(experiments, &row.id)?;
    let evaluation = Evaluation {
        name: format!("{} (forked at {})", source.evaluation.name, options.at),
        variants: vec![Variant {
            name: variant.name.clone(),
            ..Variant::default()
        }],
        baseline: None,
        // An assertion that compares variants makes no sense for a single variant.
        assertions: Vec::new(),
        sequential: None,
        ..source.evaluation.clone()
    };
    let mut content = Content {
        evaluation,
        variants: vec![variant],
        case_count: source.case_count,
        rejected: source.rejected,
        notes: source.notes,
        allowed: source.allowed,
        judges: source.judges,
        fork: None,
    };
    content.allowed.add(&options.allow);
    let runs: BTreeMap<u64, String> = results
        .into_iter()
        .filter(|result| result.cell.variant as usize == index)
        .filter(|result| result.status == CellStatus::Completed)
        .map(|result| {
            let mut cell = result.cell;
            cell.variant = 0;
            (content.number(cell), result.run_id)
        })
        .collect();
    let Some(first) = runs.values().next() else {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "No run of this variant has completed, so there is nothing to fork. Choose another variant, or resume the experiment first.",
        ));
    };
    // The place is checked once here. Otherwise each run would report an invalid place.
    fork_place(experiments.env(), first, &options.at)?;
    content.fork = Some(ForkOf {
        experiment: row.id,
        at: options.at,
        edits: options
            .edits
            .into_iter()
            .map(|edit| (edit.node, edit.field, edit.value))
            .collect(),
        runs,
    });
    // The new experiment has no path. Otherwise `--resume` with the evaluation file would continue this experiment.
    begin_experiment(
        experiments,
        content,
        cases,
        None,
        options.approve,
        options.progress,
    )
}
