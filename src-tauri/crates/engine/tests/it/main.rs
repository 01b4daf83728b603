//! Every integration test of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod asleep;
mod broken;
mod budgets;
mod flows;
mod random_flows;
mod resources;
mod scripted_models;
