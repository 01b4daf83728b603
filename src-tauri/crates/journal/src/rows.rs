//! A run's rows: the short one that lists are made of, its values, and its lines in the index of texts.

use loopwright_engine::journal::{RunHeader, RunSetup, RunState};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde_json::Value;

use crate::{
    begun,
    blobs::{self, StoreError},
    texts,
};

/// Adds a run in the state that runs begin with. `false`: there is a run of that id.
pub(crate) fn insert(connection: &Connection, header: &RunHeader) -> Result<bool, StoreError> {
    let state = begun();
    let brief = header.brief();
    let (parent, forked_at) = brief.forked_from.unzip();
    let added = connection
        .prepare_cached(
            "INSERT INTO runs (run_id, flow, flow_path, started_at, parent, forked_at, status, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (run_id) DO NOTHING",
        )?
        .execute(params![
            brief.run_id,
            brief.flow,
            brief.flow_path,
            brief.started_at,
            parent,
            forked_at,
            word(&state.status)?,
            serde_json::to_string(&state).map_err(StoreError::Json)?,
        ])?;
    if added == 0 {
        return Ok(false);
    }
    // The key comes first: what the header's texts leave in the blob table is in its name.
    let run = connection.last_insert_rowid();
    let document = blobs::store_whole(connection, run, &header.document)?;
    let inputs = blobs::store(connection, run, header.inputs.clone())?;
    let setup = if header.setup == RunSetup::default() {
        String::new()
    } else {
        let setup = serde_json::to_value(&header.setup).map_err(StoreError::Json)?;
        blobs::store(connection, run, setup)?
    };
    connection
        .prepare_cached(
            "INSERT INTO run_values (run, document, inputs, setup) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![run, document, inputs, setup])?;
    let text = texts::of_beginning(
        &header.flow,
        &header.run_id,
        &header.inputs,
        &header.document,
    );
    connection
        .prepare_cached("INSERT INTO run_texts (rowid, text) VALUES (?1, ?2)")?
        .execute(params![run * 2, text])?;
    Ok(true)
}

pub(crate) fn set_state(
    connection: &Connection,
    run: i64,
    state: &RunState,
) -> Result<(), StoreError> {
    let outputs = match &state.outputs {
        Some(outputs) => Some(blobs::store(connection, run, outputs.clone())?),
        None => None,
    };
    let short = RunState {
        outputs: None,
        ..state.clone()
    };
    let json = serde_json::to_value(&short).map_err(StoreError::Json)?;
    let json = blobs::store(connection, run, json)?;
    connection
        .prepare_cached(
            // What a fork took over was spent by the run that it comes from.
            "UPDATE runs SET status = ?2, exit_reason = ?3, duration_ms = ?4, state = ?6, cost_microusd = CASE
                WHEN parent IS NULL THEN ?5
                ELSE max(0, ?5 - (SELECT coalesce(setup ->> '$.origin.kept.cost_microusd', 0) FROM run_values WHERE run = ?1))
             END WHERE id = ?1",
        )?
        .execute(params![
            run,
            word(&state.status)?,
            state.exit_reason.as_ref().map(word).transpose()?,
            state.duration_ms.map(clip),
            clip(state.usage.cost_microusd),
            json
        ])?;
    connection
        .prepare_cached("UPDATE run_values SET outputs = ?2 WHERE run = ?1")?
        .execute(params![run, outputs])?;
    match texts::of_end(state) {
        Some(text) => connection
            .prepare_cached("INSERT OR REPLACE INTO run_texts (rowid, text) VALUES (?1, ?2)")?
            .execute(params![run * 2 + 1, text])?,
        None => connection
            .prepare_cached("DELETE FROM run_texts WHERE rowid = ?1")?
            .execute([run * 2 + 1])?,
    };
    Ok(())
}

/// What a run is kept with beside its short row.
pub(crate) struct Values {
    pub(crate) document: Value,
    pub(crate) inputs: Value,
    pub(crate) setup: RunSetup,
    pub(crate) outputs: Option<Value>,
}

pub(crate) fn values(connection: &Connection, run: i64) -> Result<Values, StoreError> {
    let (document, inputs, setup, outputs): (String, String, String, Option<String>) = connection
        .prepare_cached("SELECT document, inputs, setup, outputs FROM run_values WHERE run = ?1")?
        .query_row([run], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?
        .ok_or_else(|| StoreError::Missing(format!("of run {run}")))?;
    Ok(Values {
        document: blobs::load_whole(connection, &document)?,
        inputs: blobs::load(connection, &inputs)?,
        setup: match setup.as_str() {
            "" => RunSetup::default(),
            text => blobs::load(connection, text)?,
        },
        outputs: outputs
            .map(|outputs| blobs::load(connection, &outputs))
            .transpose()?,
    })
}

/// Removes every row of a run, and the blobs that no other run uses.
pub(crate) fn remove(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    blobs::release(connection, run)?;
    for sql in [
        "DELETE FROM records WHERE place >= ?1 << 32 AND place < (?1 + 1) << 32",
        "DELETE FROM run_texts WHERE rowid BETWEEN ?1 * 2 AND ?1 * 2 + 1",
        "DELETE FROM run_values WHERE run = ?1",
        "DELETE FROM runs WHERE id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([run])?;
    }
    Ok(())
}

/// A unit variant by its name in JSON.
pub(crate) fn word(value: &impl Serialize) -> Result<String, StoreError> {
    match serde_json::to_value(value).map_err(StoreError::Json)? {
        Value::String(word) => Ok(word),
        other => Ok(other.to_string()),
    }
}

/// SQLite's integers are signed.
fn clip(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
