//! Intervals of estimates.

/// The lower and the upper end of an interval. At the default level, 95 of 100 such intervals contain the true value.
pub type Interval = [f64; 2];
