//! Past runs as a whole: finding them, how much they take, and reading a long one piece by piece.

mod dto;
mod find;
mod time;

pub use dto::{FlowRuns, IterationInfo, IterationPage, RunPage, RunQuery, RunTally, StoreInfo};
pub use time::time;
