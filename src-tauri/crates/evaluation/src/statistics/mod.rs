//! Means, intervals and comparisons.
//!
//! Everything is a pure function of its arguments. Randomness comes from a seed, and the same seed produces the same numbers
//! on every machine. No function silently drops a value: a value that is not finite makes the result `None`, and a function
//! that accepts missing values returns how many there were.

pub mod agreement;
pub mod bootstrap;
pub mod direction;
pub mod forecast;
pub mod interval;
mod normal;
pub mod paired;
pub mod pass;
pub mod sequence;
pub mod summary;

pub use agreement::{Measurement, Weights, cohen_kappa, krippendorff_alpha};
pub use bootstrap::Bootstrap;
pub use direction::Direction;
pub use interval::Interval;
pub use paired::{PairedDifference, compare_paired, compare_paired_in};
pub use pass::{CasePasses, PassEstimate, estimate_pass, pass_all, pass_any};
pub use sequence::{ConfidenceSequence, SequenceError, Verdict, decide};
pub use summary::{mean, median, percentile, sum};
