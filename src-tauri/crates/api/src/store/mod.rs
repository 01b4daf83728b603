//! Past runs as a whole: finding them, reading a long one piece by piece, how much they take, and runs as files.

mod dto;
mod find;
mod history_limit;
mod interrupted;
mod label;
mod numbers;
mod time;
mod transfer;

pub use dto::{FlowRuns, IterationInfo, IterationPage, RunPage, RunQuery, RunTally, StoreInfo};
pub use time::time;
pub use transfer::{ImportedRun, LARGEST};
