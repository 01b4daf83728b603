//! The arguments of `eval`, `evals`, `backtest` and `test`.

use clap::{Args, Subcommand};

use crate::{approve_arg::ApproveArg, unattended::UnattendedArgs};

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// An evaluation file (NAME.eval.json), or a flow together with --data and --score
    pub(crate) target: String,
    /// The data set for a flow: JSONL, JSON, CSV, TSV or a promptfoo file
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<String>,
    /// A scorer for a flow: a Tera expression over `result`, `output`, `expected`, `case` and `run`. NAME=EXPR names it (repeatable)
    #[arg(long, value_name = "EXPR")]
    pub(crate) score: Vec<String>,
    /// Score every iteration of this loop
    #[arg(long, value_name = "LOOP")]
    pub(crate) per_iteration: Option<String>,
    /// Let the workers of this shared store run the cases: a name from `store add`, or postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long, value_name = "STORE", conflicts_with = "allow")]
    pub(crate) store: Option<String>,
    /// How many times to run each case
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    pub(crate) repeat: Option<u32>,
    /// The budget of the whole experiment, in dollars
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) budget_usd: Option<f64>,
    /// How many runs to execute at once
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    pub(crate) concurrency: Option<u32>,
    /// Continue the newest experiment of this evaluation. No finished case and no recorded call is repeated
    #[arg(long)]
    pub(crate) resume: bool,
    /// With --resume: run the failed cases again
    #[arg(long, requires = "resume")]
    pub(crate) retry_failed: bool,
    /// Write each result as a line of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<String>,
    /// Write the cases with their results as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<String>,
    /// Write a report that opens in a browser without network
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<String>,
    /// Write a log for Inspect
    #[arg(long, value_name = "FILE")]
    pub(crate) inspect_log: Option<String>,
    /// Write assertions and failed cases as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<String>,
    /// Compare with an earlier experiment: an id, an id prefix, or `last`
    #[arg(long, value_name = "EXPERIMENT")]
    pub(crate) baseline: Option<String>,
    /// Set the loop's cap in the flow to the knee of the curve of scores by iteration
    #[arg(long)]
    pub(crate) apply: bool,
    /// Start without asking, regardless of the possible cost
    #[arg(long)]
    pub(crate) yes: bool,
    /// How approvals are answered
    #[arg(long, value_enum, default_value_t = ApproveArg::None)]
    pub(crate) approve: ApproveArg,
    /// Allow the flows to use this in these runs, as with `run --allow` (repeatable)
    #[arg(long, value_name = "LIST")]
    pub(crate) allow: Vec<String>,
    #[command(flatten)]
    pub(crate) unattended: UnattendedArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalsCommand {
    /// List experiments, newest first
    List,
    /// Show what an experiment found
    Show {
        /// An experiment's id, an id prefix, or `last`
        experiment: String,
        /// Write a report that opens in a browser without network
        #[arg(long, value_name = "FILE")]
        html: Option<String>,
        /// Write the cases with their results as CSV
        #[arg(long, value_name = "FILE")]
        csv: Option<String>,
        /// Write each result as a line of JSON
        #[arg(long, value_name = "FILE")]
        out: Option<String>,
    },
    /// Compare two experiments, paired by case
    Compare {
        /// An experiment's id, an id prefix, or `last`
        a: String,
        b: String,
    },
    /// Delete an experiment. Its runs are kept
    Delete {
        /// An experiment's id, an id prefix, or `last`
        experiment: String,
    },
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("source").required(true)))]
pub(crate) struct BacktestArgs {
    /// An experiment that scored iterations: an id, an id prefix, or `last`
    #[arg(long, value_name = "EXPERIMENT", group = "source")]
    pub(crate) experiment: Option<String>,
    /// The shared store that contains the runs, as for `eval`
    #[arg(long, value_name = "STORE")]
    pub(crate) store: Option<String>,
    /// Recorded runs: those of the flow with this name, or `all`
    #[arg(long, value_name = "FLOW", group = "source")]
    pub(crate) runs: Option<String>,
    /// The loop, for --runs
    #[arg(
        long = "loop",
        value_name = "NODE",
        required_unless_present = "experiment"
    )]
    pub(crate) node: Option<String>,
    /// The variant of the experiment [default: the one with the most iterations]
    #[arg(long, value_name = "NAME", requires = "experiment")]
    pub(crate) variant: Option<String>,
    /// The score for --runs: a Tera expression over `result` [default: the loop's own score]
    #[arg(long, value_name = "EXPR", requires = "runs")]
    pub(crate) score: Option<String>,
    /// A policy, for example cap=3 | stable=0.95,patience=2 | plateau=0.1,patience=2,cap=6 | score>=8 | evaluator |
    /// condition=EXPR (repeatable) [default: cap=1 to cap=10]
    #[arg(long, value_name = "POLICY")]
    pub(crate) policy: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Test files (NAME.test.json), or folders with test files [default: the current folder]
    pub(crate) paths: Vec<String>,
    /// Make the calls that are not recorded. Without this option, a test that needs such a call fails and names the node
    #[arg(long)]
    pub(crate) live: bool,
    /// Update the tests with the new results, and print what changes
    #[arg(long)]
    pub(crate) update: bool,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<String>,
    /// With --live: allow the flows to use this, as with `run --allow` (repeatable)
    #[arg(long, value_name = "LIST", requires = "live")]
    pub(crate) allow: Vec<String>,
}
