//! The program that reads and runs scripts: the interpreters and parsers of Luau, Python and JavaScript, and what confines them.
//! The crate `script` starts it and talks to it.
//!
//! Architecture Invariant: knows no node kinds, no flows and no tools, and starts nothing. It closes files, network and the
//! environment to itself before it reads the first byte of a script. Each script has a bound on its time, memory and output.

#![cfg_attr(test, allow(clippy::unwrap_used))]

#[cfg(target_os = "linux")]
mod confine;
mod ended;
mod found;
mod javascript;
mod large_stack;
mod luau;
mod position;
mod python;
mod reading;
mod run;
mod serve;
mod value;

pub use ended::Stop;
pub use reading::InThisProcess;
pub use run::run;
pub use serve::serve;

pub(crate) use ended::Logs;
pub(crate) use loopwright_script::{
    Attribute, Call, Failure, Language, Limits, MAX_DEPTH, MAX_SOURCE, Mistake, Name, Outcome,
    Outline, Place, Reading, Reads, reads_or_mistake,
};
