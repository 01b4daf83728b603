//! Every integration test of the crate, in one program.

mod broken;
mod budgets;
mod flows;
mod random_flows;
