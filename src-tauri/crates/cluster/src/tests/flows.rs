//! Executes every test case of the engine on the store in PostgreSQL. The trace and the records equal those of the store in
//! memory, and the run can be replayed from the records that the store returns.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use loopwright_engine::journal::Journal;
use loopwright_testing::{
    RUN,
    check::{all, replays, same},
    postgres::Postgres,
};

use super::support::{
    BUILT_IN, Tokio,
    case::{Checked, read_all},
    trace::trace,
};
use crate::{Connection, PgStore};

#[test]
fn every_case_gives_its_trace() {
    let Some(server) = Postgres::shared() else {
        return eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
    };
    let store: Arc<dyn Journal> =
        Arc::new(PgStore::init(&Connection::new(server.database())).unwrap());
    let mut ran = 0;
    let cases = read_all(Some(BUILT_IN));
    for case in &cases {
        all(std::slice::from_ref(case), |case| {
            let Checked::Planned(plan) = case.check(&loopwright_nodes::all()) else {
                return Ok(());
            };
            let done = case.execute(&Tokio::new(), &plan, None);
            let stored = case.execute(&Tokio::on(Arc::clone(&store)), &plan, None);
            same("the trace", &trace(&done), &trace(&stored))?;
            if stored.records != done.records {
                return Err("the records that PostgreSQL gives back differ".to_owned());
            }
            replays(case, &plan, &stored)
        });
        // All cases use the same run id.
        if store.delete(RUN).is_ok() {
            ran += 1;
        }
    }
    assert!(ran > 100, "{ran} cases ran");
}
