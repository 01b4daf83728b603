//! The command line: its commands, options and help texts.

use clap::{Args, Parser, Subcommand};

use crate::{
    approve_arg::ApproveArg,
    unattended::{NotifyArg, UnattendedArgs},
};

/// Run, inspect and check workflows that are built around loops.
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, max_term_width = 100, after_help = EXIT_STATUS)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print JSON on standard output instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The folder of runs and settings [default: $LOOPWRIGHT_DATA_DIR, or the platform's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<String>,
}

const EXIT_STATUS: &str = "Exit status: 0 completed, 1 failed, 2 invalid flow or command line (nothing ran), 3 stopped at a \
budget, 4 cancelled (Ctrl-C stops cleanly, a second Ctrl-C stops at once), 5 waiting for an approval.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a flow. Outputs go to standard output, progress to standard error
    Run(RunArgs),
    /// Let an agent repair a private copy of a project until a command passes
    Until(crate::until_args::UntilArgs),
    /// List, compare, apply and remove the private copies in which runs worked
    Workspace {
        #[command(subcommand)]
        command: crate::workspace::WorkspaceCommand,
    },
    /// Check a flow and list all its problems
    Validate {
        /// A flow file, `-` for standard input, or the name of a bundled template
        flow: String,
    },
    /// List the bundled flows, print one, or copy one to a file
    Templates {
        #[command(subcommand)]
        command: Option<TemplatesCommand>,
    },
    /// Convert another system's file to a flow and report on each part. Nothing is run
    Import(ImportArgs),
    /// Convert a flow to a program for another system, or list what can't be converted
    Export {
        #[command(subcommand)]
        command: ExportCommand,
    },
    /// List, read, continue and compare runs
    Runs {
        /// Work on the runs of a shared store: a name from `store add`, or postgres://USER:PASSWORD@HOST:PORT/DATABASE
        #[arg(long, value_name = "STORE")]
        store: Option<String>,
        #[command(subcommand)]
        command: RunsCommand,
    },
    /// Execute a run that is read from standard input, for `--detach`
    #[command(hide = true)]
    Lead,
    /// Run a flow at set times, with the system's timers
    Schedule {
        #[command(subcommand)]
        command: crate::schedule_args::ScheduleCommand,
    },
    /// List the open questions of all runs, here and in the named shared stores, oldest first
    Waiting {
        /// Only the questions of a shared store: a name from `store add`, or postgres://USER:PASSWORD@HOST:PORT/DATABASE
        #[arg(long, value_name = "STORE")]
        store: Option<String>,
    },
    /// Show what runs cost: money, tokens and calls by day, flow, model or node
    Costs(crate::costs::CostsArgs),
    /// Set up a store of runs that workers on several machines share, give it a name, or check it
    Store {
        #[command(subcommand)]
        command: crate::cluster_args::StoreCommand,
    },
    /// Run the batches that are submitted to a shared store, until Ctrl-C
    Worker(crate::cluster_args::WorkerArgs),
    /// Run a flow on each line of a data file, on the workers of a shared store
    Submit(crate::cluster_args::SubmitArgs),
    /// List, read and stop the batches of a shared store
    Batches(crate::cluster_args::BatchesArgs),
    /// Run a flow on a data set, score the results, and report which variant and how many iterations are best
    Eval(crate::eval_args::EvalArgs),
    /// List, read, compare and delete experiments
    Evals {
        /// The shared store that contains the runs, as for `eval`
        #[arg(long, value_name = "STORE")]
        store: Option<String>,
        #[command(subcommand)]
        command: crate::eval_args::EvalsCommand,
    },
    /// Show where another exit policy would have ended recorded runs. Nothing is run
    Backtest(crate::eval_args::BacktestArgs),
    /// Run saved tests: each flow with the answers that a run recorded. No key and no network are needed
    Test(crate::eval_args::TestArgs),
    /// List the models that you can use here, and what the others need
    Models {
        /// First ask the configured providers for their models
        #[arg(long)]
        refresh: bool,
    },
    /// Store, list and remove keys of providers and tools in the system's keychain
    Keys {
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// List the tools that you can use here, and why others are unavailable
    Tools {
        /// First connect to this MCP server from Settings and ask it for its tools
        #[arg(long, value_name = "SERVER")]
        connect: Option<String>,
    },
    /// Offer flows as tools to other programs, as an MCP server on standard input and output
    Mcp {
        /// Flow files, or folders with flow files [default: the current folder]
        flows: Vec<String>,
        /// How approvals are answered. With `ask` the run waits
        #[arg(long, value_enum, default_value_t = ApproveArg::None)]
        approve: ApproveArg,
        /// Allow the flows to use this, as with `run --allow` (repeatable)
        #[arg(long, value_name = "LIST")]
        allow: Vec<String>,
    },
    /// List and approve the hosts, folders, commands and keys that a flow would use. Without a flow, list all approvals
    Trust {
        /// A flow file, or the name of a bundled template
        flow: Option<String>,
        /// Approve these items of the list permanently, or `all` of them (repeatable)
        #[arg(long, value_name = "LIST", requires = "flow")]
        approve: Vec<String>,
        /// Revoke everything that was approved for the flow
        #[arg(long, requires = "flow")]
        revoke: bool,
    },
    /// Print a script that completes commands and options in your shell
    Completions {
        /// The shell that reads the script
        shell: clap_complete::Shell,
    },
    /// Write the manual pages to a folder
    Manual {
        /// An existing folder
        folder: std::path::PathBuf,
    },
}

impl Command {
    /// Returns the shared store on which the command works, or `None` for the store of this computer.
    pub(crate) fn shared_store(&self) -> Option<&str> {
        match self {
            Self::Runs { store, .. } | Self::Evals { store, .. } | Self::Waiting { store } => {
                store.as_deref()
            }
            Self::Eval(args) => args.store.as_deref(),
            Self::Backtest(args) => args.store.as_deref(),
            _ => None,
        }
    }

    /// Returns the options of the command for unattended runs.
    pub(crate) fn unattended(&self) -> UnattendedArgs {
        match self {
            Self::Run(args) => args.unattended,
            Self::Until(args) => args.unattended,
            Self::Eval(args) => args.unattended,
            Self::Runs { command, .. } => match command {
                RunsCommand::Answer { unattended, .. } | RunsCommand::Resume { unattended, .. } => {
                    *unattended
                }
                RunsCommand::Fork(args) => args.unattended,
                _ => UnattendedArgs::default(),
            },
            _ => UnattendedArgs::default(),
        }
    }

    /// Returns whether the command reads recorded runs or writes to the data folder. If not, that folder may be missing or
    /// read-only.
    pub(crate) fn needs_runs(&self) -> bool {
        match self {
            Self::Completions { .. }
            | Self::Manual { .. }
            | Self::Validate { .. }
            | Self::Templates { .. }
            | Self::Import(_)
            | Self::Export { .. }
            | Self::Store { .. }
            | Self::Worker(_)
            | Self::Submit(_)
            | Self::Batches(_)
            | Self::Runs { store: Some(_), .. }
            | Self::Waiting { store: Some(_) }
            | Self::Models { refresh: false }
            | Self::Tools { connect: None } => false,
            // With `--live`, the cost of a test's calls is stored.
            Self::Test(args) => args.live,
            Self::Run(_)
            | Self::Lead
            | Self::Schedule { .. }
            | Self::Waiting { store: None }
            | Self::Until(_)
            | Self::Costs(_)
            | Self::Workspace { .. }
            | Self::Eval(_)
            | Self::Evals { .. }
            | Self::Backtest(_)
            | Self::Runs { store: None, .. }
            | Self::Models { refresh: true }
            | Self::Keys { .. }
            | Self::Tools { connect: Some(_) }
            | Self::Mcp { .. }
            | Self::Trust { .. } => true,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExportCommand {
    /// A Python program for LangGraph, with the loops and exits of the flow
    Langgraph {
        /// A flow file
        flow: String,
        /// Where to write the program, or `-` for standard output [default: FLOW's name with .py, in the current folder]
        #[arg(short, long, value_name = "OUT")]
        output: Option<String>,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
    /// A RALPH.md for ralphify, from a Loop with one Agent and the commands before that Agent
    Ralph {
        /// A flow file
        flow: String,
        /// Where to write the file, or `-` for standard output [default: RALPH.md in the current folder]
        #[arg(short, long, value_name = "OUT")]
        output: Option<String>,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file to import, or `-` for standard input
    pub(crate) file: String,
    /// The format of the file [default: detected]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// How to read an ambiguous format
    #[arg(long, value_name = "DIALECT")]
    pub(crate) dialect: Option<String>,
    /// Where to write the flow, or `-` for standard output [default: FILE's name with .flow.json, in the current folder]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<String>,
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A flow file, `-` for standard input, or the name of a bundled template
    pub(crate) flow: String,
    /// Set an input. Text is used unchanged; other types are parsed as JSON (repeatable)
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// Set an input from a file (repeatable)
    #[arg(long = "input-file", value_name = "NAME=PATH")]
    pub(crate) input_files: Vec<String>,
    /// Change a field of a node for this run, such as refine.maxIterations=2 (repeatable)
    #[arg(long = "set", value_name = "NODE.FIELD=JSON")]
    pub(crate) sets: Vec<String>,
    /// Fix a node's value. The node and the nodes that only it needs are not run (repeatable)
    #[arg(long = "pin", value_name = "NODE=JSON")]
    pub(crate) pins: Vec<String>,
    /// Run only what leads to this node, and stop after it. Its value is the output
    #[arg(long, value_name = "NODE")]
    pub(crate) to: Option<String>,
    /// The budget of the run, in dollars
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) budget_usd: Option<f64>,
    /// How approvals are answered
    #[arg(long, value_enum, default_value_t = ApproveArg::Ask)]
    pub(crate) approve: ApproveArg,
    /// Allow the flow to use this in this run: host:api.example.org, private:127.0.0.1:8080, read:DIR, write:DIR, … or `all`
    /// (repeatable; separate items with commas)
    #[arg(long, value_name = "LIST")]
    pub(crate) allow: Vec<String>,
    /// Print each event as a line of JSON before the result
    #[arg(long, conflicts_with = "detach")]
    pub(crate) events: bool,
    #[command(flatten)]
    pub(crate) unattended: UnattendedArgs,
    #[command(flatten)]
    pub(crate) notify: NotifyArg,
    /// Run in the background, without this terminal, and print the run's id. `runs watch` follows the run
    #[arg(long)]
    pub(crate) detach: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Store the key of a provider, or of a tool by its variable, such as BRAVE_API_KEY. The key is read from standard input
    /// only
    Set { provider: String },
    /// List which providers and tools have a key and where it is stored. Keys are never printed
    List,
    /// Remove the key of a provider or tool
    Remove { provider: String },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TemplatesCommand {
    /// Print a template
    Show { name: String },
    /// Write a template to a new file. If it has an example project, write that to the folder `project` next to the
    /// file
    Copy { name: String, to: String },
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// The maximum number of runs
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: u32,
    /// How many of the newest runs to skip
    #[arg(long, default_value_t = 0)]
    pub(crate) offset: u32,
    /// Only runs with this status: completed, failed, waiting, … (repeatable)
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Vec<String>,
    /// Only runs whose first loop ended for this reason: evaluator_done, max_iterations, … (repeatable)
    #[arg(long, value_name = "REASON")]
    pub(crate) exit: Vec<String>,
    /// Only runs of the flow with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) flow: Option<String>,
    /// Only runs that started at this time or later: 2026-01-31, 2026-01-31T14:00:00Z, or 7d, 12h or 30m ago
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only runs that started before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Only runs whose inputs, outputs, error, flow, name or id contain each of these words
    #[arg(
        long,
        value_name = "WORDS",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) search: String,
    /// Only starred runs
    #[arg(long)]
    pub(crate) starred: bool,
    /// Only runs of this batch of a shared store
    #[arg(long, value_name = "NAME")]
    pub(crate) batch: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    /// The run to fork: an id, an id prefix, or `last`. The run itself does not change
    #[arg(required_unless_present = "experiment")]
    pub(crate) run: Option<String>,
    /// Fork every completed run of this experiment instead, and compare the results case by case
    #[arg(long, value_name = "EXPERIMENT", conflicts_with_all = ["run", "value", "flow", "pins", "to", "events"])]
    pub(crate) experiment: Option<String>,
    /// The variant of the experiment [default: its baseline]
    #[arg(long, value_name = "NAME", requires = "experiment")]
    pub(crate) variant: Option<String>,
    /// The fork point: a step (draft, refine[3]/draft), or an iteration (refine[3]), which may be the one after a loop's last
    #[arg(long, value_name = "PATH")]
    pub(crate) at: String,
    /// Change a field of a node from the fork point on, such as draft.prompt="Be brief." (repeatable)
    #[arg(long = "set", value_name = "NODE.FIELD=JSON")]
    pub(crate) sets: Vec<String>,
    /// The value at the fork point: the value of the step, which then does not run, or the input of the iteration
    #[arg(long, value_name = "JSON")]
    pub(crate) value: Option<String>,
    /// Continue with this flow instead of the run's own. Recorded steps that fit this flow are reused
    #[arg(long, value_name = "FLOW")]
    pub(crate) flow: Option<String>,
    /// Fix a node's value (repeatable) [default: as in the run]
    #[arg(long = "pin", value_name = "NODE=JSON")]
    pub(crate) pins: Vec<String>,
    /// Stop after this node
    #[arg(long, value_name = "NODE")]
    pub(crate) to: Option<String>,
    /// The budget of the new run, in dollars. It includes the cost of the kept part
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) budget_usd: Option<f64>,
    /// How approvals are answered
    #[arg(long, value_enum, default_value_t = ApproveArg::Ask)]
    pub(crate) approve: ApproveArg,
    /// Allow the flow to use this in this run: host:api.example.org, private:127.0.0.1:8080, read:DIR, write:DIR, … or `all`
    /// (repeatable; separate items with commas)
    #[arg(long, value_name = "LIST")]
    pub(crate) allow: Vec<String>,
    /// Print each event as a line of JSON before the result, starting with the kept events
    #[arg(long)]
    pub(crate) events: bool,
    #[command(flatten)]
    pub(crate) unattended: UnattendedArgs,
    #[command(flatten)]
    pub(crate) notify: NotifyArg,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first
    List(ListArgs),
    /// Show a run: inputs, iterations, cost, why it stopped, and outputs
    Show {
        /// A run's id, an id prefix, or `last`
        run: String,
        /// Show one iteration or step in full, such as refine[2] or refine[2]/draft
        #[arg(long, value_name = "PATH", visible_alias = "step")]
        iteration: Option<String>,
    },
    /// Answer the question that a run waits for, and continue the run
    #[command(group(clap::ArgGroup::new("verdict").required(true)))]
    Answer {
        /// A run's id, an id prefix, or `last`
        run: String,
        /// The step that waits, such as publish or refine[2]/publish
        #[arg(long, value_name = "PATH")]
        at: String,
        /// Approve
        #[arg(long, group = "verdict")]
        approve: bool,
        /// Reject
        #[arg(long, group = "verdict")]
        reject: bool,
        /// Replace the value with this one
        #[arg(long, value_name = "JSON")]
        value: Option<String>,
        /// Add a comment, which the flow can read
        #[arg(long, value_name = "TEXT")]
        comment: Option<String>,
        /// Let the step use the tool again in this run without asking, if the call goes to the same destination
        #[arg(long, requires = "approve")]
        for_this_run: bool,
        #[command(flatten)]
        unattended: UnattendedArgs,
        #[command(flatten)]
        notify: NotifyArg,
    },
    /// Continue an interrupted or paused run. If the run has ended, print its result
    ///
    /// A run that was stopped by its budget continues from there if you give it a larger budget.
    Resume {
        /// A run's id, an id prefix, or `last`
        run: String,
        /// The new budget of the run, in dollars. It includes what the run has already spent
        #[arg(long, value_name = "X", allow_negative_numbers = true)]
        budget_usd: Option<f64>,
        /// The new budget in tokens. It includes the tokens that the run has already used
        #[arg(long, value_name = "N")]
        budget_tokens: Option<u64>,
        /// How approvals are answered
        #[arg(long, value_enum, default_value_t = ApproveArg::Ask)]
        approve: ApproveArg,
        #[command(flatten)]
        unattended: UnattendedArgs,
        #[command(flatten)]
        notify: NotifyArg,
    },
    /// Follow a run that another program executes, until the run ends or waits. Ctrl-C stops the output, not the run
    Watch {
        /// A run's id, an id prefix, or `last`
        run: String,
        /// Print each event as a line of JSON before the result, starting with the first
        #[arg(long)]
        events: bool,
    },
    /// Stop a run. It ends as cancelled
    Stop {
        /// A run's id, an id prefix, or `last`
        run: String,
    },
    /// Pause a run after its current steps. `resume` continues it
    Pause {
        /// A run's id, an id prefix, or `last`
        run: String,
    },
    /// Make one call now for each quota that a run waits for. If the call is answered, the other waiting steps continue
    TryNow {
        /// A run's id, an id prefix, or `last`
        run: String,
    },
    /// Replay a run from its journal, without network or keys, and report the first record that differs
    Replay {
        /// A run's id, an id prefix, or `last`
        run: String,
        /// Print each event as a line of JSON before the result
        #[arg(long)]
        events: bool,
    },
    /// Start a new run from a point in an earlier run. The new run keeps everything that does not depend on that point
    Fork(ForkArgs),
    /// Compare two runs: their flows, settings, inputs and results
    Compare {
        /// A run's id, an id prefix, or `last`
        a: String,
        b: String,
        /// Show one step of both runs in full, such as refine[2]/draft
        #[arg(long, value_name = "PATH")]
        at: Option<String>,
    },
    /// Save a run as a test: the path of its flow, its inputs, its answers and its result. `loopwright test` runs it
    Keep {
        /// A run's id, an id prefix, or `last`
        run: String,
        /// The test file. `.test.json` is added if it is missing
        #[arg(long = "as", value_name = "FILE")]
        file: String,
    },
    /// Write a run to a file: flow, inputs, steps and results. The file's extension determines the format (.json)
    Export {
        /// A run's id, an id prefix, or `last`
        run: String,
        /// Where to write the file [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<String>,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
    /// Store an exported run, from this or another computer
    Import {
        /// A file that `runs export` wrote, or `-` for standard input
        file: String,
    },
    /// Give a run a name. `runs list --search` finds it by this name
    Rename {
        /// A run's id, an id prefix, or `last`
        run: String,
        /// The name, at most 200 characters. "" removes it
        name: String,
    },
    /// Star runs. Starred runs are never removed to make room
    Star {
        /// Run ids, id prefixes, or `last`
        #[arg(required = true)]
        runs: Vec<String>,
        /// Remove the star
        #[arg(long)]
        remove: bool,
    },
    /// Delete runs
    Delete {
        /// Run ids, id prefixes, `last`, or `missing` to forget the runs that the store has lost
        #[arg(required = true)]
        runs: Vec<String>,
    },
}
