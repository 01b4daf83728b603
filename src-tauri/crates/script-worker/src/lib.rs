//! The program that reads and runs scripts: the interpreters and parsers of Luau, Python and JavaScript, and their
//! confinement. The crate `script` starts it and communicates with it.
//!
//! Architecture Invariant: the crate knows no node kinds, no flows and no tools, and starts nothing. It gives up access to
//! files, the network and the environment before it reads the first byte of a script. The time, memory and output of each
//! script are limited.

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

#[cfg(test)]
mod tests;

pub use ended::Stop;
pub use reading::InThisProcess;
pub use run::run;
pub use serve::serve;

pub(crate) use ended::Logs;
pub(crate) use loopwright_script::{
    Attribute, Call, Failure, Language, Limits, MAX_DEPTH, MAX_SOURCE, Mistake, Name, Outcome,
    Outline, Place, Reading, Reads, reads_or_mistake,
};
