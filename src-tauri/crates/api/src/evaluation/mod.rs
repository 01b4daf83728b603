//! Evaluations: a flow over a data set, each result scored, and what all of them say.

mod backtest;
mod budget;
mod collect;
mod compare;
mod content;
mod dto;
mod estimate;
mod experiment;
pub(crate) mod experiments;
mod export;
mod files;
mod fork;
mod judge;
mod judgement;
mod judging;
mod prepare;
mod progress;
mod ratings;
mod read;
mod run_experiment;
mod scoring;
mod spending;
mod start;
mod stopping;
mod stored;

pub use dto::*;
pub use export::ExportFormat;
pub use fork::ForkExperiment;
pub use progress::ProgressSink;
pub use start::{Cells, ExperimentOptions, StartedExperiment};

pub(crate) use scoring::score_output;
