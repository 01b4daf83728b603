//! How a command answers approvals, which several commands take as `--approve`.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ApproveArg {
    /// Ask on the terminal. Without a terminal the run waits (exit status 5)
    Ask,
    /// Approve everything
    All,
    /// Reject everything
    None,
}
