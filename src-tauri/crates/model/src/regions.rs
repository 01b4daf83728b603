//! Regions between scope starts and ends.
