//! Past runs as a whole: finding them, reading a long one piece by piece, how much they take, and runs as files.

pub(crate) mod dto;
pub(crate) mod find;
pub(crate) mod label;
pub(crate) mod numbers;
pub(crate) mod time;
pub(crate) mod transfer;

pub use time::time;
