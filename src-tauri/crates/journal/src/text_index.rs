//! The index of the texts that a search looks through.

use loopwright_engine::journal::RunState;
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::{
    blobs,
    error::StoreError,
    search_text::{of_beginning, of_end},
};

/// Makes the index of texts again.
pub(crate) fn index(connection: &Connection) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO run_texts (run_texts) VALUES ('delete-all')",
        [],
    )?;
    fill(connection)
}

/// Adds the texts of all runs to the empty index. What cannot be read of a damaged run is not found.
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
