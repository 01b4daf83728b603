//! The store in PostgreSQL passes the conformance suite that every store of runs passes.
#![allow(clippy::unwrap_used, unreachable_pub)]

use std::sync::Arc;

use loopwright_testing::postgres::Postgres;

use crate::{Connection, PgStore};

/// Returns a new store on the server of this test program. Returns `None` if PostgreSQL is not installed.
fn store() -> Option<(PgStore, Arc<Postgres>)> {
    let Some(server) = Postgres::shared() else {
        eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
        return None;
    };
    let store = PgStore::init(&Connection::new(server.database())).unwrap();
    Some((store, server))
}

conformance!(store());
