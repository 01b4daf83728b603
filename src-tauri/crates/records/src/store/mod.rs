//! The store of past runs: finding them, reading long ones in parts, measuring the store, exporting and importing.

pub(crate) mod dto;
pub(crate) mod find;
pub(crate) mod label;
pub(crate) mod numbers;
pub(crate) mod time;
pub(crate) mod transfer;

pub use time::time;
