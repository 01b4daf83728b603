//! Intervals of an estimate.

/// Ninety-five of a hundred such intervals hold the true value.
pub type Interval = [f64; 2];
