//! The index of the text that searches read.

use loopwright_engine::journal::RunState;
use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::Value;

use crate::{
    blobs,
    error::StoreError,
    search_text::{of_beginning, of_end},
};

/// Rebuilds the text index. The existing index may be damaged.
pub(crate) fn rebuild(connection: &mut Connection) -> Result<(), StoreError> {
    let sql: String = connection.query_row(
        "SELECT sql FROM sqlite_master WHERE name = 'run_texts'",
        [],
        |row| row.get(0),
    )?;
    let again = |connection: &mut Connection, remove: fn(&Connection) -> rusqlite::Result<()>| {
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        remove(&change)?;
        change.execute_batch(&sql)?;
        fill(&change)?;
        change.commit()?;
        Ok(())
    };
    let dropped = again(connection, |connection| {
        connection.execute_batch("DROP TABLE run_texts")
    });
    if dropped.is_ok() {
        return dropped;
    }
    // The pages of the damaged index cannot be read, so they cannot be freed. They remain unused.
    connection.pragma_update(None, "writable_schema", "ON")?;
    let forgotten = again(connection, |connection| {
        connection.execute_batch(
            "DELETE FROM sqlite_master WHERE tbl_name LIKE 'run#_texts%' ESCAPE '#'; PRAGMA writable_schema = RESET",
        )
    });
    connection.pragma_update(None, "writable_schema", "OFF")?;
    forgotten
}

/// Adds the text of all runs to the empty index. Text of a damaged run that cannot be read is omitted.
pub(crate) fn fill(connection: &Connection) -> Result<(), StoreError> {
    let mut runs = connection.prepare(
        "SELECT id, run_id, flow, state, inputs, outputs FROM runs JOIN run_values ON run = id",
    )?;
    let mut add = connection.prepare("INSERT INTO run_texts (rowid, text) VALUES (?1, ?2)")?;
    let mut rows = runs.query([])?;
    while let Some(row) = rows.next()? {
        let (run, run_id, flow): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (state, inputs, outputs): (String, String, Option<String>) =
            (row.get(3)?, row.get(4)?, row.get(5)?);
        let value = |text: &str| blobs::load::<Value>(connection, text).ok();
        if let Some(inputs) = value(&inputs) {
            add.execute(params![
                run * 2,
                of_beginning(&flow, &run_id, &inputs, &Value::Null)
            ])?;
        }
        if let Ok(state) = blobs::load::<RunState>(connection, &state) {
            let outputs = outputs.and_then(|text| blobs::load(connection, &text).ok());
            if let Some(text) = of_end(&RunState { outputs, ..state }) {
                add.execute(params![run * 2 + 1, text])?;
            }
        }
    }
    Ok(())
}
