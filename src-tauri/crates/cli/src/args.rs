//! The command line: every command, option and its help.

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Run, inspect and check workflows whose heart is the loop.
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, max_term_width = 100, after_help = EXIT_STATUS)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print JSON on standard output instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Where runs and settings are kept [default: $LOOPWRIGHT_DATA_DIR, else the platform's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<String>,
}

const EXIT_STATUS: &str = "Exit status: 0 completed, 1 failed, 2 the flow or the call is invalid (nothing ran), 3 stopped at a \
budget, 4 cancelled (Ctrl-C stops cleanly; a second one at once), 5 waiting for an approval.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a flow; its outputs go to standard output, its progress to standard error
    Run(RunArgs),
    /// Check a flow and list all of its problems
    Validate {
        /// A flow file, `-` for standard input, or the name of a bundled template
        flow: String,
    },
    /// List the bundled flows, print one, or copy one to a file
    Templates {
        #[command(subcommand)]
        command: Option<TemplatesCommand>,
    },
    /// Make a flow of another system's file, and say what became of each part; nothing of it is run
    Import(ImportArgs),
    /// Write a flow as a program of another system, and say what is not in it
    Export {
        #[command(subcommand)]
        command: ExportCommand,
    },
    /// List and read past runs
    Runs {
        #[command(subcommand)]
        command: RunsCommand,
    },
    /// List the models that can be used here, and why others cannot
    Models {
        /// Ask every provider that is set up for its models first
        #[arg(long)]
        refresh: bool,
    },
    /// Keep, remove and list the keys of providers and tools in the system's keychain
    Keys {
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// List the tools that can be used here, and why others cannot
    Tools {
        /// First start this MCP server of the settings, and ask it for its tools
        #[arg(long, value_name = "SERVER")]
        connect: Option<String>,
    },
    /// Offer flows as tools to another program, as an MCP server over standard input and output
    Mcp {
        /// Flow files, or folders of them [default: this folder]
        flows: Vec<String>,
        /// How questions of flows are settled; `ask` leaves the run waiting
        #[arg(long, value_enum, default_value_t = ApproveArg::None)]
        approve: ApproveArg,
        /// Let the flows use this: as with `run --allow`
        #[arg(long, value_name = "LIST")]
        allow: Vec<String>,
    },
    /// List what a flow would use of the world (hosts, folders, commands, keys), and approve it; without a flow, what every
    /// flow may use
    Trust {
        /// A flow file, or the name of a bundled template
        flow: Option<String>,
        /// Approve these from now on: items of the list, or `all` of it (repeatable)
        #[arg(long, value_name = "LIST", requires = "flow")]
        approve: Vec<String>,
        /// Take back everything that was approved for the flow
        #[arg(long, requires = "flow")]
        revoke: bool,
    },
}

impl Command {
    /// Whether past runs are read, or anything is kept in the data folder. Where not, that folder may be missing or read-only.
    pub(crate) fn needs_runs(&self) -> bool {
        match self {
            Self::Validate { .. }
            | Self::Templates { .. }
            | Self::Import(_)
            | Self::Export { .. }
            | Self::Models { refresh: false }
            | Self::Tools { connect: None } => false,
            Self::Run(_)
            | Self::Runs { .. }
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
    /// A LangGraph program in Python, with the same loops and exits
    Langgraph {
        /// A flow's file
        flow: String,
        /// Where to write the program, `-` for standard output [default: FLOW's name with .py, here]
        #[arg(short, long, value_name = "OUT")]
        output: Option<String>,
        /// Write over a file that is there already
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file to import, or `-` for standard input
    pub(crate) file: String,
    /// The format of the file [default: recognised by its content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// Which reading of an ambiguous format is meant
    #[arg(long, value_name = "DIALECT")]
    pub(crate) dialect: Option<String>,
    /// Where to write the flow, `-` for standard output [default: FILE's name with .flow.json, here]
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<String>,
    /// Write over a file that is there already
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A flow file, `-` for standard input, or the name of a bundled template
    pub(crate) flow: String,
    /// Give an input: text as it is, other types as JSON (repeatable)
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// Give an input from a file (repeatable)
    #[arg(long = "input-file", value_name = "NAME=PATH")]
    pub(crate) input_files: Vec<String>,
    /// Change a field of a node for this run: refine.maxIterations=2 (repeatable)
    #[arg(long = "set", value_name = "NODE.FIELD=JSON")]
    pub(crate) sets: Vec<String>,
    /// Fix the value of a node: it is not visited, and what only it needs is not run (repeatable)
    #[arg(long = "pin", value_name = "NODE=JSON")]
    pub(crate) pins: Vec<String>,
    /// Run what leads to this node alone, and end once it has run; its value is the output
    #[arg(long, value_name = "NODE")]
    pub(crate) to: Option<String>,
    /// The most the run may spend, in dollars
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) budget_usd: Option<f64>,
    /// How approvals are settled
    #[arg(long, value_enum, default_value_t = ApproveArg::Ask)]
    pub(crate) approve: ApproveArg,
    /// Let the flow use this in this run: host:api.example.org, private:127.0.0.1:8080, read:DIR, write:DIR, … or `all`
    /// (repeatable; commas between items)
    #[arg(long, value_name = "LIST")]
    pub(crate) allow: Vec<String>,
    /// Print every event as a line of JSON before the result
    #[arg(long)]
    pub(crate) events: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ApproveArg {
    /// Ask on the terminal; without a terminal the run waits (exit status 5)
    Ask,
    /// Approve everything
    All,
    /// Reject everything
    None,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Keep the key of a provider, or that of a tool by the name of its variable (`BRAVE_API_KEY`); it is read from standard
    /// input, never from the command line
    Set { provider: String },
    /// Say which providers and tools have a key, and where it is kept; never the key itself
    List,
    /// Remove the key of a provider or tool
    Remove { provider: String },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TemplatesCommand {
    /// Print a template
    Show { name: String },
    /// Write a template to a new file
    Copy { name: String, to: String },
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// How many
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: u32,
    /// How many of the newest to leave out
    #[arg(long, default_value_t = 0)]
    pub(crate) offset: u32,
    /// Runs in this state alone: completed, failed, waiting, … (repeatable)
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Vec<String>,
    /// Runs whose first loop stopped for this reason: evaluator_done, max_iterations, … (repeatable)
    #[arg(long, value_name = "REASON")]
    pub(crate) exit: Vec<String>,
    /// Runs of the flow of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) flow: Option<String>,
    /// Runs started at this time or later: 2026-01-31, 2026-01-31T14:00:00Z, or 7d, 12h, 30m ago
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Runs started before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// Runs in whose inputs, outputs, error, flow or id each of these words occurs
    #[arg(
        long,
        value_name = "WORDS",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) search: String,
}

#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    /// The run to fork, by its id, the beginning of one, or `last`; it is left as it is
    pub(crate) run: String,
    /// Where it goes on anew: a step (draft, refine[3]/draft), an iteration (refine[3]), or the one behind a loop's last
    #[arg(long, value_name = "PATH")]
    pub(crate) at: String,
    /// Change a field of a node from the place on: draft.prompt="Be brief." (repeatable)
    #[arg(long = "set", value_name = "NODE.FIELD=JSON")]
    pub(crate) sets: Vec<String>,
    /// Put this at the place: the step's value (it is not visited), or what the iteration begins with
    #[arg(long, value_name = "JSON")]
    pub(crate) value: Option<String>,
    /// Go on with this flow, as far as what is recorded fits it, instead of the run's own
    #[arg(long, value_name = "FLOW")]
    pub(crate) flow: Option<String>,
    /// Fix the value of a node (repeatable) [default: as in the run]
    #[arg(long = "pin", value_name = "NODE=JSON")]
    pub(crate) pins: Vec<String>,
    /// Go as far as this node
    #[arg(long, value_name = "NODE")]
    pub(crate) to: Option<String>,
    /// The most the new run may spend, in dollars, with what the kept part has spent
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) budget_usd: Option<f64>,
    /// How approvals are settled
    #[arg(long, value_enum, default_value_t = ApproveArg::Ask)]
    pub(crate) approve: ApproveArg,
    /// Let the flow use this in this run: host:api.example.org, private:127.0.0.1:8080, read:DIR, write:DIR, … or `all`
    /// (repeatable; commas between items)
    #[arg(long, value_name = "LIST")]
    pub(crate) allow: Vec<String>,
    /// Print every event as a line of JSON before the result, the kept ones first
    #[arg(long)]
    pub(crate) events: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first
    List(ListArgs),
    /// Show a run: what came in and out, its iterations, what it cost and why it stopped
    Show {
        /// A run's id, the beginning of one, or `last`
        run: String,
        /// Show one iteration or step whole: refine[2], refine[2]/draft
        #[arg(long, value_name = "PATH")]
        iteration: Option<String>,
    },
    /// Answer what a run waits for, and go on with it
    #[command(group(clap::ArgGroup::new("verdict").required(true)))]
    Answer {
        /// A run's id, the beginning of one, or `last`
        run: String,
        /// Which step: publish, refine[2]/publish
        #[arg(long, value_name = "PATH")]
        at: String,
        #[arg(long, group = "verdict")]
        approve: bool,
        #[arg(long, group = "verdict")]
        reject: bool,
        /// The value in an edited form
        #[arg(long, value_name = "JSON")]
        value: Option<String>,
        #[arg(long, value_name = "TEXT")]
        comment: Option<String>,
    },
    /// Go on with a run that was interrupted or paused; one that is over is printed
    ///
    /// A run that was stopped at its budget goes on where it stood when it is given a larger one.
    Resume {
        /// A run's id, the beginning of one, or `last`
        run: String,
        /// The most the run may spend from now on, in dollars, what it has spent included
        #[arg(long, value_name = "X", allow_negative_numbers = true)]
        budget_usd: Option<f64>,
        /// The most tokens it may use, those it has used included
        #[arg(long, value_name = "N")]
        budget_tokens: Option<u64>,
        /// How approvals are settled that the run comes to
        #[arg(long, value_enum, default_value_t = ApproveArg::Ask)]
        approve: ApproveArg,
    },
    /// Make a run again from its journal, without network or keys: the same events and outputs, or the record that differs
    Replay {
        /// A run's id, the beginning of one, or `last`
        run: String,
        /// Print every event as a line of JSON before the result
        #[arg(long)]
        events: bool,
    },
    /// Go on from a place of a run as a new run that keeps what does not depend on the place
    Fork(ForkArgs),
    /// Put two runs beside each other: what they were asked for, and what came of it
    Compare {
        /// A run's id, the beginning of one, or `last`
        a: String,
        b: String,
        /// Show one step of both whole: refine[2]/draft
        #[arg(long, value_name = "PATH")]
        at: Option<String>,
    },
    /// Write a run to one JSON file: flow, inputs, every step, what came of it
    Export {
        /// A run's id, the beginning of one, or `last`
        run: String,
        /// Where to [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<String>,
        /// Take the place of a file that is there
        #[arg(long)]
        force: bool,
    },
    /// Keep a run that was exported, here or elsewhere
    Import {
        /// A file that `runs export` wrote, or `-` for standard input
        file: String,
    },
    /// Delete runs
    Delete {
        /// Runs' ids, the beginnings of some, `last`, or `missing`: those that the store has lost are not mentioned any more
        #[arg(required = true)]
        runs: Vec<String>,
    },
}
