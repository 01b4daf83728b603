//! The arguments of `loopwright until`.

use std::path::PathBuf;

use loopwright_runs::fix_until_green::{MAX_ITERATIONS, NO_PROGRESS};

use crate::{
    approve_arg::ApproveArg,
    unattended::{NotifyArg, UnattendedArgs},
};

#[derive(Debug, clap::Args)]
pub(crate) struct UntilArgs {
    /// The command that must pass, such as "npm test" [default: the one that the project's files suggest, once you confirm it]
    pub(crate) command: Option<String>,
    /// The agent that repairs: claude-code, codex, gemini, or one from Settings [default: the first that is installed]; or model:NAME
    /// for a model that edits the files without an agent, such as model:openai/gpt-4.1
    #[arg(long = "with", value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// The agent or model that takes over, once, when the repairs make no progress; named as for --with
    #[arg(long, value_name = "AGENT")]
    pub(crate) then: Option<String>,
    /// An environment variable that the agent receives, such as ANTHROPIC_API_KEY (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) env: Vec<String>,
    /// The folder of the project [default: the current folder]
    #[arg(long = "in", value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// The state from which the copy starts: head, working (with uncommitted and untracked files), or a branch, tag or commit
    #[arg(long, value_name = "STATE", default_value = "head")]
    pub(crate) base: String,
    /// The maximum number of iterations
    #[arg(long, value_name = "N", default_value_t = MAX_ITERATIONS, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max: u32,
    /// The budget of the loop, in dollars. An agent's turn can exceed it
    #[arg(long, value_name = "X")]
    pub(crate) budget_usd: Option<f64>,
    /// End after this many iterations in a row in which the failures or the files stayed the same; 0 for never
    #[arg(long, value_name = "N", default_value_t = NO_PROGRESS)]
    pub(crate) no_progress: u32,
    /// Files that are restored before each check, such as 'tests/**' (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub(crate) protect: Vec<String>,
    /// Ignored files that the copy needs, such as '.env*' (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub(crate) copy: Vec<String>,
    /// A command that sets up the copy before the first check, such as "npm ci", instead of the commands of the project's set-up files
    #[arg(long, value_name = "COMMAND")]
    pub(crate) prepare: Option<String>,
    /// Do not use the project's set-up files, such as conductor.json
    #[arg(long)]
    pub(crate) no_prepare: bool,
    /// A file with the task of the agent [default: find the causes and repair them]
    #[arg(long, value_name = "FILE")]
    pub(crate) prompt: Option<PathBuf>,
    /// Also write the flow to this new file
    #[arg(long, value_name = "FLOW")]
    pub(crate) save: Option<PathBuf>,
    /// Allow what the flow uses, as with `run --allow` (repeatable)
    #[arg(long, value_name = "LIST")]
    pub(crate) allow: Vec<String>,
    /// How approvals are answered
    #[arg(long, value_enum, default_value_t = ApproveArg::Ask)]
    pub(crate) approve: ApproveArg,
    #[command(flatten)]
    pub(crate) unattended: UnattendedArgs,
    #[command(flatten)]
    pub(crate) notify: NotifyArg,
    /// Run in the background, without this terminal, and print the run's id. `runs watch` follows the run
    #[arg(long)]
    pub(crate) detach: bool,
}
