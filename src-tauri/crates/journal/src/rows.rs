//! The rows of a run with their checksums: the short row for lists, the values, and the text-index entries.

use loopwright_engine::{
    journal::{
        JournalError, RunHeader, RunHeaderBrief, RunLabel, RunSetup, RunState, damaged_entry,
    },
    named::Named,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;
use serde_json::Value;

use crate::{
    blobs,
    error::{StoreError, row_error},
    search_text,
    sums::{Field, sum},
};

/// Borrows the text in column `index` of a row.
pub(crate) fn text<'r>(row: &'r Row<'_>, index: usize) -> rusqlite::Result<&'r str> {
    row.get_ref(index)?.as_str().map_err(rusqlite::Error::from)
}

/// Borrows the text in column `index` of a row, or returns `None` if the column is null.
pub(crate) fn optional<'r>(row: &'r Row<'_>, index: usize) -> rusqlite::Result<Option<&'r str>> {
    row.get_ref(index)?
        .as_str_or_null()
        .map_err(rusqlite::Error::from)
}

/// The columns of a run, in the order in which they are read.
pub(crate) const RUN: &str = "id, run_id, flow, flow_path, started_at, parent, forked_at, status, exit_reason, duration_ms, \
     cost_microusd, records, seen, state, sum, name, starred";

/// A run's short row.
pub(crate) struct RunRow {
    pub(crate) id: i64,
    run_id: String,
    flow: String,
    flow_path: Option<String>,
    started_at: i64,
    parent: Option<String>,
    forked_at: Option<String>,
    pub(crate) status: String,
    exit_reason: Option<String>,
    duration_ms: Option<i64>,
    cost_microusd: i64,
    /// The number of the run's records when its state was last set.
    pub(crate) records: i64,
    seen: i64,
    pub(crate) state: String,
    sum: i64,
    name: Option<String>,
    starred: i64,
}

impl RunRow {
    /// Reads a row of [`RUN`].
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            run_id: row.get(1)?,
            flow: row.get(2)?,
            flow_path: row.get(3)?,
            started_at: row.get(4)?,
            parent: row.get(5)?,
            forked_at: row.get(6)?,
            status: row.get(7)?,
            exit_reason: row.get(8)?,
            duration_ms: row.get(9)?,
            cost_microusd: row.get(10)?,
            records: row.get(11)?,
            seen: row.get(12)?,
            state: row.get(13)?,
            sum: row.get(14)?,
            name: row.get(15)?,
            starred: row.get(16)?,
        })
    }

    /// Reads the row of a run by its key.
    pub(crate) fn of(connection: &Connection, run: i64) -> rusqlite::Result<Self> {
        Self::with(connection, run, RUN)
    }

    fn with(connection: &Connection, run: i64, columns: &str) -> rusqlite::Result<Self> {
        connection
            .prepare_cached(&format!("SELECT {columns} FROM runs WHERE id = ?1"))?
            .query_row([run], Self::read)
    }

    fn fresh_sum(&self) -> i64 {
        let mut fields: Vec<Field<'_>> = vec![
            self.id.into(),
            (&self.run_id).into(),
            (&self.flow).into(),
            self.flow_path.as_ref().into(),
            self.started_at.into(),
            self.parent.as_ref().into(),
            self.forked_at.as_ref().into(),
            (&self.status).into(),
            self.exit_reason.as_ref().into(),
            self.duration_ms.into(),
            self.cost_microusd.into(),
            self.records.into(),
            self.seen.into(),
            (&self.state).into(),
        ];
        // The checksum of a row that was written before labels existed does not cover labels.
        if self.name.is_some() || self.starred != 0 {
            fields.push(self.name.as_ref().into());
            fields.push(self.starred.into());
        }
        sum("runs", &fields)
    }

    pub(crate) fn label(&self) -> RunLabel {
        RunLabel {
            name: self.name.clone(),
            starred: self.starred != 0,
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.sum == self.fresh_sum()
    }

    pub(crate) fn brief(self) -> RunHeaderBrief {
        let label = self.label();
        RunHeaderBrief {
            label,
            run_id: self.run_id,
            flow: self.flow,
            flow_path: self.flow_path,
            started_at: self.started_at,
            forked_from: Option::zip(self.parent, self.forked_at),
            damage: None,
        }
    }
}

/// Returns the list entry of a run. A damaged run is marked as damaged, and other runs are still listed.
pub(crate) fn listed(
    connection: &Connection,
    row: &Row<'_>,
) -> Result<(RunHeaderBrief, RunState), StoreError> {
    let found = match RunRow::read(row) {
        Ok(found) => found,
        Err(error) if error.sqlite_error_code().is_some() => return Err(error.into()),
        // A value has a different type than when it was written.
        Err(_) => return Ok(damaged(unsure(row)?)),
    };
    if !found.is_sound() {
        return Ok(damaged(found.brief()));
    }
    match blobs::load(connection, &found.state) {
        Ok(state) => Ok((found.brief(), state)),
        Err(StoreError::Sqlite(error)) => Err(error.into()),
        Err(_) => Ok(damaged(found.brief())),
    }
}

const ROW_CHANGED: &str = "its entry in the list of runs does not match its checksum";

/// Returns the readable parts of a damaged row.
fn unsure(row: &Row<'_>) -> rusqlite::Result<RunHeaderBrief> {
    let words = |index: usize| -> rusqlite::Result<String> {
        let value = row.get_ref(index)?;
        let bytes = value.as_bytes().unwrap_or_default();
        Ok(String::from_utf8_lossy(bytes).into_owned())
    };
    Ok(RunHeaderBrief {
        run_id: words(1)?,
        flow: words(2)?,
        flow_path: None,
        started_at: row.get(4).unwrap_or_default(),
        forked_from: None,
        damage: None,
        label: RunLabel::default(),
    })
}

fn damaged(brief: RunHeaderBrief) -> (RunHeaderBrief, RunState) {
    damaged_entry(brief, ROW_CHANGED)
}

/// Returns the run's key in this file.
pub(crate) fn run_key(connection: &Connection, run_id: &str) -> Result<i64, JournalError> {
    connection
        .prepare_cached("SELECT id FROM runs WHERE run_id = ?1")
        .and_then(|mut statement| statement.query_row([run_id], |row| row.get(0)).optional())
        .map_err(|error| StoreError::from(error).into_journal(JournalError::Read))?
        .ok_or_else(|| JournalError::NoRun(run_id.to_owned()))
}

/// Adds a run in its initial state. Returns `false` if the id is already used.
pub(crate) fn insert(connection: &Connection, header: &RunHeader) -> Result<bool, StoreError> {
    let state = RunState::default();
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
    // The run's row is inserted first, because the blobs of the header's strings refer to its key.
    let run = connection.last_insert_rowid();
    let document = blobs::store_whole(connection, run, &header.document)?;
    let inputs = blobs::store(connection, run, &header.inputs)?;
    let setup = if header.setup == RunSetup::default() {
        String::new()
    } else {
        let setup = serde_json::to_value(&header.setup).map_err(StoreError::Json)?;
        blobs::store(connection, run, &setup)?
    };
    connection
        .prepare_cached(
            "INSERT INTO run_values (run, document, inputs, setup) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![run, document, inputs, setup])?;
    let text = search_text::of_beginning(
        &header.flow,
        &header.run_id,
        &header.inputs,
        &header.document,
    );
    connection
        .prepare_cached("INSERT OR REPLACE INTO run_texts (rowid, text) VALUES (?1, ?2)")?
        .execute(params![run * 2, text])?;
    seal(connection, run)?;
    Ok(true)
}

/// Updates the checksums of a run's rows.
pub(crate) fn seal(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    seal_row(connection, run, RunRow::of(connection, run)?)
}

/// Updates the checksums of a run's rows during the migration of a file from a version without labels.
pub(crate) fn seal_unlabelled(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    let columns = RUN.replace("name, starred", "NULL, 0");
    seal_row(connection, run, RunRow::with(connection, run, &columns)?)
}

fn seal_row(connection: &Connection, run: i64, row: RunRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE runs SET sum = ?2 WHERE id = ?1")?
        .execute([run, row.fresh_sum()])?;
    let values = StoredValues::of(connection, run)?;
    connection
        .prepare_cached("UPDATE run_values SET sum = ?2 WHERE run = ?1")?
        .execute([run, values.fresh_sum(run)])?;
    Ok(())
}

/// Fails if the rows of a run are damaged, because writing a new checksum would hide the damage.
fn check(connection: &Connection, run: i64) -> Result<(), StoreError> {
    if !RunRow::of(connection, run).map_err(row_error)?.is_sound() {
        return Err(StoreError::Changed(ROW_CHANGED.to_owned()));
    }
    let values = StoredValues::of(connection, run).map_err(row_error)?;
    values.check(run)
}

/// Sets a run's state and its number of records.
pub(crate) fn set_state(
    connection: &Connection,
    run: i64,
    records: u64,
    state: &RunState,
) -> Result<(), StoreError> {
    check(connection, run)?;
    let outputs = match &state.outputs {
        Some(outputs) => Some(blobs::store_named(connection, run, outputs)?),
        None => None,
    };
    let short = RunState {
        outputs: None,
        ..state.clone()
    };
    let json = serde_json::to_value(&short).map_err(StoreError::Json)?;
    let json = blobs::store(connection, run, &json)?;
    connection
        .prepare_cached(
            // The cost of a run does not include that of the records taken from its parent.
            "UPDATE runs SET status = ?2, exit_reason = ?3, duration_ms = ?4, state = ?6, records = ?7, cost_microusd = CASE
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
            json,
            clip(records)
        ])?;
    connection
        .prepare_cached("UPDATE run_values SET outputs = ?2 WHERE run = ?1")?
        .execute(params![run, outputs])?;
    match search_text::of_end(state) {
        Some(text) => connection
            .prepare_cached("INSERT OR REPLACE INTO run_texts (rowid, text) VALUES (?1, ?2)")?
            .execute(params![run * 2 + 1, text])?,
        None => connection
            .prepare_cached("DELETE FROM run_texts WHERE rowid = ?1")?
            .execute([run * 2 + 1])?,
    };
    Ok(seal(connection, run)?)
}

/// Records that a person has seen the run's result.
pub(crate) fn mark_seen(connection: &Connection, run: i64) -> Result<(), StoreError> {
    check(connection, run)?;
    let changed = connection
        .prepare_cached("UPDATE runs SET seen = 1 WHERE id = ?1 AND seen = 0")?
        .execute([run])?;
    if changed > 0 {
        seal(connection, run)?;
    }
    Ok(())
}

/// Returns the run's name and star.
pub(crate) fn label(connection: &Connection, run: i64) -> Result<RunLabel, StoreError> {
    let row = RunRow::of(connection, run).map_err(row_error)?;
    match row.is_sound() {
        true => Ok(row.label()),
        false => Err(StoreError::Changed(ROW_CHANGED.to_owned())),
    }
}

/// Sets only the name, because the star may have changed meanwhile.
pub(crate) fn set_name(
    connection: &Connection,
    run: i64,
    name: Option<&str>,
) -> Result<(), StoreError> {
    check(connection, run)?;
    connection
        .prepare_cached("UPDATE runs SET name = ?2, name_text = ?3 WHERE id = ?1")?
        .execute(params![run, name, name.map(str::to_lowercase)])?;
    Ok(seal(connection, run)?)
}

/// Sets only the star, because the name may have changed meanwhile.
pub(crate) fn set_starred(
    connection: &Connection,
    run: i64,
    starred: bool,
) -> Result<(), StoreError> {
    check(connection, run)?;
    connection
        .prepare_cached("UPDATE runs SET starred = ?2 WHERE id = ?1")?
        .execute(params![run, starred])?;
    Ok(seal(connection, run)?)
}

/// The data of a run that is not in its short row.
pub(crate) struct Values {
    pub(crate) document: Value,
    pub(crate) inputs: Value,
    pub(crate) setup: RunSetup,
    pub(crate) outputs: Option<Named>,
}

/// The stored form of [`Values`].
struct StoredValues {
    document: String,
    inputs: String,
    setup: String,
    outputs: Option<String>,
    sum: i64,
}

impl StoredValues {
    fn of(connection: &Connection, run: i64) -> rusqlite::Result<Self> {
        connection
            .prepare_cached(
                "SELECT document, inputs, setup, outputs, sum FROM run_values WHERE run = ?1",
            )?
            .query_row([run], |row| {
                Ok(Self {
                    document: row.get(0)?,
                    inputs: row.get(1)?,
                    setup: row.get(2)?,
                    outputs: row.get(3)?,
                    sum: row.get(4)?,
                })
            })
    }

    fn fresh_sum(&self, run: i64) -> i64 {
        sum(
            "run_values",
            &[
                run.into(),
                (&self.document).into(),
                (&self.inputs).into(),
                (&self.setup).into(),
                self.outputs.as_ref().into(),
            ],
        )
    }

    fn check(&self, run: i64) -> Result<(), StoreError> {
        if self.sum == self.fresh_sum(run) {
            return Ok(());
        }
        Err(StoreError::Changed(
            "its flow, inputs, setup or outputs do not match their checksum".to_owned(),
        ))
    }
}

pub(crate) fn values(connection: &Connection, run: i64) -> Result<Values, StoreError> {
    let stored = StoredValues::of(connection, run)
        .optional()
        .map_err(row_error)?
        .ok_or_else(|| {
            StoreError::Changed("its flow, inputs and outputs are missing".to_owned())
        })?;
    stored.check(run)?;
    Ok(Values {
        document: blobs::load_whole(connection, &stored.document)?,
        inputs: blobs::load(connection, &stored.inputs)?,
        setup: match stored.setup.as_str() {
            "" => RunSetup::default(),
            text => blobs::load(connection, text)?,
        },
        outputs: stored
            .outputs
            .map(|outputs| blobs::load(connection, &outputs))
            .transpose()?,
    })
}

/// Reads the short row and the state of a run, and checks them.
pub(crate) fn head(
    connection: &Connection,
    run: i64,
) -> Result<(RunHeaderBrief, RunState), StoreError> {
    let row = RunRow::of(connection, run).map_err(row_error)?;
    if !row.is_sound() {
        return Err(StoreError::Changed(ROW_CHANGED.to_owned()));
    }
    let state = blobs::load(connection, &row.state)?;
    Ok((row.brief(), state))
}

/// Returns the total size, in bytes, of a run's records and of the large strings that no other run uses.
pub(crate) fn size(connection: &Connection, run: i64) -> rusqlite::Result<i64> {
    let records: i64 = connection
        .prepare_cached(
            "SELECT coalesce(sum(octet_length(payloads) + octet_length(heads) + octet_length(paths) + 60), 0) FROM record_batches
             WHERE place >= ?1 << 32 AND place < (?1 + 1) << 32",
        )?
        .query_row([run], |row| row.get(0))?;
    let texts: i64 = connection
        .prepare_cached(
            "SELECT coalesce(sum(octet_length(content)), 0) FROM blobs WHERE hash IN (SELECT hash FROM blob_uses WHERE run = ?1)
             AND NOT EXISTS (SELECT 1 FROM blob_uses AS other WHERE other.hash = blobs.hash AND other.run <> ?1)",
        )?
        .query_row([run], |row| row.get(0))?;
    Ok(records.saturating_add(texts))
}

/// Removes every row of a run, and the blobs that no other run uses.
pub(crate) fn remove(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    blobs::release(connection, run)?;
    for sql in [
        "DELETE FROM record_batches WHERE place >= ?1 << 32 AND place < (?1 + 1) << 32",
        "DELETE FROM run_texts WHERE rowid BETWEEN ?1 * 2 AND ?1 * 2 + 1",
        "DELETE FROM run_values WHERE run = ?1",
        "DELETE FROM runs WHERE id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([run])?;
    }
    Ok(())
}

/// Returns the JSON name of a unit variant.
pub(crate) fn word(value: &impl Serialize) -> Result<String, StoreError> {
    match serde_json::to_value(value).map_err(StoreError::Json)? {
        Value::String(word) => Ok(word),
        other => Ok(other.to_string()),
    }
}

/// Returns a number as a signed integer of SQLite. A number that is too large becomes the largest one.
pub(crate) fn clip(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
