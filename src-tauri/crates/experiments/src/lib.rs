//! Runs one flow many times. An evaluation runs it on a data set, scores each result and produces a report. A kept test
//! repeats a saved run.
//!
//! Architecture Invariant: a run of an experiment is prepared, launched and read like any other.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod backtest;
mod beginning;
mod budget;
mod cells;
mod collect;
mod compare;
mod content;
mod dto;
mod estimate;
mod experiment;
mod export;
mod files;
mod fork;
mod judge;
mod judgement;
mod judging;
mod kept_tests;
mod prepare;
mod progress;
mod ratings;
mod read;
mod run_experiment;
mod run_inputs;
mod runnable;
mod running_experiments;
mod scoring;
mod spending;
mod start;
mod stopping;
mod stored;

pub use backtest::{backtest_experiment, backtest_history, backtest_runs};
pub use beginning::StartedExperiment;
pub use cells::Cells;
pub use compare::compare_experiments;
pub use dto::{
    Agreement, BlindItem, CasesPreview, EvaluationEstimate, EvaluationFileInfo, EvaluationProblem,
    ExperimentProgress, ExperimentRow, ExperimentStatus, ExperimentSummary, ExperimentView,
    OpenedEvaluation, PolicyResult, SavedEvaluation,
};
pub use estimate::{estimate_evaluation, evaluated_flows};
pub use export::ExportFormat;
pub use export::{export_experiment, export_experiment_as};
pub use files::{
    check_evaluation, evaluations_beside, new_evaluation, open_evaluation, read_cases,
    save_evaluation,
};
pub use fork::ForkExperiment;
pub use fork::fork_experiment;
pub use kept_tests::keep::keep_test;
pub use kept_tests::made::{TEST_ENDING, TestOptions};
pub use kept_tests::{TestOutcome, find_tests, run_test};
pub use progress::ProgressSink;
pub use ratings::{agreement, blind_item, rate_result};
pub use read::{
    delete_experiment, experiment, experiment_results, experiment_rows, find_experiment,
    list_experiments,
};
pub use run_inputs::{NewRuns, read_inputs};
pub use running_experiments::Experiments;
pub use start::ExperimentOptions;
pub use start::{resume_experiment, set_experiment_budget, start_experiment, stop_experiment};
