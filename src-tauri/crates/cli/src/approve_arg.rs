//! The value of `--approve`: how a command answers approvals.

use clap::ValueEnum;
use loopwright_api::ApprovalPolicy;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ApproveArg {
    /// Ask on the terminal. Without a terminal the run waits (exit status 5)
    Ask,
    /// Approve everything
    All,
    /// Reject everything
    None,
}

impl From<ApproveArg> for ApprovalPolicy {
    fn from(arg: ApproveArg) -> Self {
        match arg {
            ApproveArg::Ask => Self::Ask,
            ApproveArg::All => Self::All,
            ApproveArg::None => Self::None,
        }
    }
}
