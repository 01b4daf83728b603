//! The tests of the whole crate.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod common;
mod experiment;

mod backtest;
mod check_file;
mod data_formats;
mod data_lines;
mod data_rows;
mod data_stream;
mod formats_opened;
mod formats_written;
mod html;
mod lower_is_better;
mod policies;
mod report;
mod schema;
mod statistics_agreement;
mod statistics_bootstrap;
mod statistics_sequence;
mod statistics_summary;
