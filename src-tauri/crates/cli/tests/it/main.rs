//! Every integration test of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

#[cfg(target_os = "linux")]
#[path = "../../../attention/src/mock_desktop.rs"]
#[allow(dead_code, reason = "the tests of that crate use the rest")]
mod mock_desktop;
#[path = "../../../api/tests/it/support/canary.rs"]
mod planted;
#[path = "support/program.rs"]
mod program;
#[path = "../../../tools/src/tests/programs/mod.rs"]
mod programs;
#[path = "support/server.rs"]
mod server;

mod answers;
mod canary;
mod checks;
mod cluster;
mod costs;
mod detached;
mod endings;
mod evaluations;
mod expiry;
mod flows;
mod import;
mod inputs;
mod kept;
mod mcp;
mod mcp_limits;
mod printing;
mod quotas;
mod schedules;
mod scripts;
mod show;
mod torture;
mod unattended;
mod until;
mod waiting;
