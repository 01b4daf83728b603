//! The command-line arguments of the commands for several machines.

use clap::{Args, Subcommand};

use crate::approve_arg::ApproveArg;

/// The argument that names the shared store.
#[derive(Debug, Clone, Args)]
pub(crate) struct StoreArg {
    /// The shared store: a name from `store add`, or postgres://USER@HOST:PORT/DATABASE with the password in PGPASSWORD
    #[arg(long = "store", value_name = "STORE")]
    pub(crate) store: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Create the tables for runs in a PostgreSQL database. If they exist, nothing changes
    Init {
        /// A name from `store add`, or postgres://USER@HOST:PORT/DATABASE with the password in PGPASSWORD
        store: String,
    },
    /// Upgrade the tables to this version. Workers may keep running
    Upgrade {
        /// A name from `store add`, or postgres://USER@HOST:PORT/DATABASE with the password in PGPASSWORD
        store: String,
    },
    /// Show whether the store can be used, which workers serve it and what it contains
    Check {
        /// A name from `store add`, or postgres://USER@HOST:PORT/DATABASE with the password in PGPASSWORD
        store: String,
    },
    /// Give a store a name, for --store and for the window. The password is stored in the system's keychain
    Add {
        /// Letters, digits, - and _
        name: String,
        /// postgres://USER@HOST:PORT/DATABASE. If no password is stored, it is read from STORE_<NAME>_PASSWORD, PGPASSWORD or
        /// PGPASSFILE
        url: String,
        /// Read the password from the first line of this file (`-`: standard input)
        #[arg(long, value_name = "FILE")]
        password_file: Option<String>,
    },
    /// Forget a name and its password. The store keeps its runs
    Remove { name: String },
    /// List the stores that have a name
    List,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    pub(crate) store: StoreArg,
    /// How many runs to execute at once [default: 32]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) places: Option<u32>,
    /// The worker's name in lists [default: the name of this computer]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// A TOML file with the settings of the worker and, as `allow`, the permissions of runs on this machine
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
    /// How long to retry while the store does not answer [default: 60s]
    #[arg(long, value_name = "TIME")]
    pub(crate) patience: Option<String>,
    /// How long another worker may be silent before its runs are taken over [default: 30s]
    #[arg(long, value_name = "TIME")]
    pub(crate) takeover_after: Option<String>,
    /// How long runs may continue after Ctrl-C or SIGTERM before other workers take them over [default: 10s]
    #[arg(long, value_name = "TIME")]
    pub(crate) drain: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    /// A flow file, or the name of a bundled template
    pub(crate) flow: String,
    #[command(flatten)]
    pub(crate) store: StoreArg,
    /// The inputs: a JSONL, JSON, CSV or TSV file, with one run for each line
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs: String,
    /// The name of the batch. Submitting the same name, flow and inputs again adds only missing runs [default: the data file's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) batch: Option<String>,
    /// Change a field of a node, such as refine.maxIterations=2 (repeatable)
    #[arg(long = "set", value_name = "NODE.FIELD=JSON")]
    pub(crate) sets: Vec<String>,
    /// The budget of all runs together, in dollars. Each run then needs its own budget, from --budget-usd-run or the
    /// flow
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) budget_usd: Option<f64>,
    /// The budget of each run, in dollars
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) budget_usd_run: Option<f64>,
    /// How approvals are answered. With `ask` the run waits
    #[arg(long, value_enum, default_value_t = ApproveArg::Ask)]
    pub(crate) approve: ApproveArg,
    /// Write the lines that do not fit the flow's inputs to this file, with the reasons, and submit the others
    #[arg(long, value_name = "FILE")]
    pub(crate) rejects: Option<String>,
    /// Wait until every run has ended or waits for a person
    #[arg(long)]
    pub(crate) wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BatchesArgs {
    #[command(flatten)]
    pub(crate) store: StoreArg,
    #[command(subcommand)]
    pub(crate) command: BatchesCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BatchesCommand {
    /// List batches, newest first
    List,
    /// Show the progress and the cost of a batch
    Show { batch: String },
    /// Write the outputs as JSONL, in the order of the inputs
    Outputs {
        batch: String,
        /// Where to write the outputs [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<String>,
    },
    /// Stop all runs of a batch that have not ended
    Stop { batch: String },
    /// Repeat failed and stopped runs, as new runs with the same inputs
    Retry {
        batch: String,
        /// Required, so that nothing is run again by mistake
        #[arg(long, required = true)]
        failed: bool,
    },
    /// Delete a batch with all its runs
    Delete { batch: String },
}
