//! The options of `loopwright schedule`.

use clap::{ArgGroup, Args, Subcommand};

use crate::{
    approve_arg::ApproveArg,
    unattended::{NotifyArg, UnattendedArgs},
};

#[derive(Debug, Subcommand)]
pub(crate) enum ScheduleCommand {
    /// Add a schedule, and start its timer
    #[command(
        group = ArgGroup::new("times").required(true),
        after_help = "Examples:\n  loopwright schedule add nightly report.flow.json --at 02:00 --budget-usd 5\n  \
    loopwright schedule add news news.flow.json --every PT2H --input topic=physics\n  \
    loopwright schedule add workdays build.flow.json --cron \"0 2 * * 1-5\" --approve none\n\n\
    Times are local. If several times pass while the computer is off, the flow runs only once."
    )]
    Add(AddArgs),
    /// List the schedules
    List,
    /// Show a schedule and its firings, even if the schedule was removed
    Show {
        name: String,
        /// The number of firings, newest first
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
    },
    /// Approve the current content of the flow, after the flow was changed
    Approve {
        name: String,
        /// Allow the flow to use this in the schedule's runs, as with `run --allow` (repeatable)
        #[arg(long, value_name = "LIST")]
        allow: Vec<String>,
    },
    /// Change the daily budget of a schedule's runs
    Budget {
        name: String,
        /// The budget in dollars, or `none` to remove it
        #[arg(value_name = "USD")]
        usd: String,
    },
    /// Stop the timer of a schedule and remove the schedule. Its history stays
    Remove { name: String },
    /// Run the flow of a schedule now, as its timer does
    RunNow { name: String },
    /// Start the run that is due. Timers call this command
    #[command(hide = true)]
    Fire { name: String },
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The name: letters, digits and dashes
    pub(crate) name: String,
    /// A flow file, or the name of a bundled template
    pub(crate) flow: String,
    /// Run every day at this local time
    #[arg(long, value_name = "HH:MM", group = "times")]
    pub(crate) at: Option<String>,
    /// Run at this interval, counted from midnight. It must divide a day evenly: PT15M, PT2H, P1D
    #[arg(long, value_name = "DURATION", group = "times")]
    pub(crate) every: Option<String>,
    /// Run at these local times: minute, hour, day of the month, month, weekday
    #[arg(long, value_name = "FIELDS", group = "times")]
    pub(crate) cron: Option<String>,
    /// Set an input. Text is used unchanged; other types are parsed as JSON (repeatable)
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// Set an input from a file, which each run reads again (repeatable)
    #[arg(long = "input-file", value_name = "NAME=PATH")]
    pub(crate) input_files: Vec<String>,
    /// Change a field of a node, such as refine.maxIterations=2 (repeatable)
    #[arg(long = "set", value_name = "NODE.FIELD=JSON")]
    pub(crate) sets: Vec<String>,
    /// The budget of all runs of the schedule in a day, in dollars
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) budget_usd: Option<f64>,
    /// How approvals are answered. With `ask` the run waits
    #[arg(long, value_enum, default_value_t = ApproveArg::Ask)]
    pub(crate) approve: ApproveArg,
    /// Allow the flow to use this in the schedule's runs: host:api.example.org, read:DIR, write:DIR, … or `all` (repeatable;
    /// separate items with commas)
    #[arg(long, value_name = "LIST")]
    pub(crate) allow: Vec<String>,
    #[command(flatten)]
    pub(crate) unattended: UnattendedArgs,
    #[command(flatten)]
    pub(crate) notify: NotifyArg,
}
