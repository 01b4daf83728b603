//! Encodes and decodes the rows of a run.

use deadpool_postgres::{Client, GenericClient};
use loopwright_engine::RunStatus;
use loopwright_engine::journal::{
    COMPAT, JournalError, RunHeader, RunHeaderBrief, RunLabel, RunSetup, RunState,
};
use loopwright_journal::search_text;
use serde_json::Value;
use uuid::Uuid;

use super::{
    encode::{Encoded, Hash},
    failure::Failure,
    read::json_free,
};

/// A new run, encoded as table rows.
#[derive(Debug, Clone)]
pub(crate) struct NewRow {
    pub(crate) run_id: String,
    brief: String,
    flow: String,
    started_at: i64,
    state: String,
    values_text: String,
    begin_text: String,
    document: Hash,
    inputs: String,
    setup: String,
    texts: Encoded,
    /// The key of the run's batch, and the line of the batch's data file from which the inputs were read, counted from 1.
    batch: Option<(i64, i64)>,
    approve: &'static str,
}

impl NewRow {
    /// Encodes a run.
    ///
    /// # Errors
    /// [`JournalError::Write`] if a value is too large or too deeply nested.
    pub(crate) fn of(header: &RunHeader) -> Result<Self, JournalError> {
        let mut texts = Encoded::default();
        let setup = if header.setup == RunSetup::default() {
            String::new()
        } else {
            texts.json(&header.setup, "the setup")?
        };
        let values = format!("{}{}", header.flow, search_text::of_inputs(&header.inputs));
        let beginning = search_text::of_beginning(
            &header.flow,
            &header.run_id,
            &header.inputs,
            &header.document,
        );
        Ok(Self {
            run_id: header.run_id.clone(),
            brief: texts.json(&header.brief(), "the run")?,
            flow: json_free(&header.flow),
            started_at: header.started_at,
            state: texts.json(&RunState::default(), "the run")?,
            values_text: json_free(&values.to_lowercase()),
            begin_text: json_free(&beginning.to_lowercase()),
            document: texts.whole(&header.document, "the flow")?,
            inputs: texts.json(&header.inputs, "the inputs")?,
            setup,
            texts,
            batch: None,
            approve: "ask",
        })
    }

    /// Assigns the run to a batch. `line` is the line of the data file from which its inputs were read.
    pub(crate) fn in_batch(mut self, batch: i64, line: i64) -> Self {
        self.batch = Some((batch, line));
        self
    }

    /// Sets the name of the run's approval policy.
    pub(crate) fn approving(mut self, approve: &'static str) -> Self {
        self.approve = approve;
        self
    }
}

/// Adds runs, led by `holder` or queued. Existing ids are skipped. Returns the keys and ids of the runs that were added.
/// Fails if the store does not answer.
pub(crate) async fn insert_run(
    client: &impl GenericClient,
    rows: &[NewRow],
    holder: Option<Uuid>,
) -> Result<Vec<(i64, String)>, Failure> {
    let column = |of: fn(&NewRow) -> &str| rows.iter().map(of).collect::<Vec<&str>>();
    let started: Vec<i64> = rows.iter().map(|row| row.started_at).collect();
    let batches: Vec<Option<i64>> = rows
        .iter()
        .map(|row| row.batch.map(|(batch, _)| batch))
        .collect();
    let lines: Vec<Option<i64>> = rows
        .iter()
        .map(|row| row.batch.map(|(_, line)| line))
        .collect();
    let documents: Vec<&[u8]> = rows.iter().map(|row| row.document.as_slice()).collect();
    // A statement fails if it inserts the same string twice, so the strings of all runs are collected first.
    let mut texts = Encoded::default();
    let mut uses: Vec<(&str, &[u8])> = Vec::new();
    for row in rows {
        for (hash, text) in &row.texts.blobs {
            uses.push((&row.run_id, hash));
            texts.blobs.entry(*hash).or_insert_with(|| text.clone());
        }
    }
    let (of, used): (Vec<&str>, Vec<&[u8]>) = uses.into_iter().unzip();
    store_texts(client, &texts).await?;
    let added = client
        .query(
            "WITH new AS (
                SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bytea[],
                    $9::text[], $10::text[], $11::bigint[], $12::bigint[], $16::text[])
                AS r (run_id, brief, flow, started_at, state, values_text, begin_text, document, inputs, setup, batch, line, approve)
             ), added AS (
                INSERT INTO loopwright.runs (run_id, brief, flow, started_at, status, state, values_text, begin_text, holder, batch, line, approve, compat)
                SELECT run_id, brief, flow, started_at, CASE WHEN $13::uuid IS NULL THEN 'queued' ELSE 'running' END, state, values_text, begin_text,
                    $13::uuid, batch, line, approve, $17 FROM new
                ON CONFLICT (run_id) DO NOTHING RETURNING id, run_id
             ), valued AS (
                INSERT INTO loopwright.run_values (run, document, inputs, setup)
                SELECT added.id, document, inputs, setup FROM added JOIN new USING (run_id)
             ), used AS (
                INSERT INTO loopwright.blob_uses (run, hash)
                SELECT added.id, u.hash FROM added JOIN unnest($14::text[], $15::bytea[]) AS u (run_id, hash) USING (run_id)
             )
             SELECT id, run_id FROM added",
            &[
                &column(|row| &row.run_id),
                &column(|row| &row.brief),
                &column(|row| &row.flow),
                &started,
                &column(|row| &row.state),
                &column(|row| &row.values_text),
                &column(|row| &row.begin_text),
                &documents,
                &column(|row| &row.inputs),
                &column(|row| &row.setup),
                &batches,
                &lines,
                &holder,
                &of,
                &used,
                &column(|row| row.approve),
                &i64::from(COMPAT),
            ],
        )
        .await?;
    Ok(added.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Stores the strings that do not exist yet. Fails if the store does not answer.
pub(crate) async fn store_texts(
    client: &impl GenericClient,
    texts: &Encoded,
) -> Result<(), Failure> {
    if texts.blobs.is_empty() {
        return Ok(());
    }
    let (hashes, contents) = columns(texts);
    client
        .execute(
            "INSERT INTO loopwright.blobs (hash, content) SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT DO NOTHING",
            &[&hashes, &contents],
        )
        .await?;
    Ok(())
}

/// Returns hashes and contents, both sorted by hash. The common order prevents deadlocks between programs.
pub(crate) fn columns(texts: &Encoded) -> (Vec<&[u8]>, Vec<&[u8]>) {
    texts
        .blobs
        .iter()
        .map(|(hash, text)| (hash.as_slice(), text.as_bytes()))
        .unzip()
}

/// A run's state, encoded as a table row.
pub(crate) struct StateRow {
    pub(crate) status: String,
    pub(crate) exit_reason: Option<String>,
    pub(crate) duration_ms: Option<i64>,
    pub(crate) cost_microusd: i64,
    pub(crate) state: String,
    pub(crate) outputs: Option<String>,
    pub(crate) end_text: Option<String>,
    pub(crate) texts: Encoded,
}

impl StateRow {
    /// Encodes a state.
    ///
    /// # Errors
    /// [`JournalError::Write`] if a value is too large or too deeply nested.
    pub(crate) fn of(state: &RunState) -> Result<Self, JournalError> {
        let mut texts = Encoded::default();
        let short = RunState {
            outputs: None,
            ..state.clone()
        };
        let outputs = state
            .outputs
            .as_ref()
            .map(|outputs| texts.json(outputs, "the outputs"))
            .transpose()?;
        Ok(Self {
            status: word(&state.status),
            exit_reason: state.exit_reason.as_ref().map(word),
            duration_ms: state.duration_ms.map(clip),
            cost_microusd: clip(state.usage.cost_microusd),
            state: texts.json(&short, "the run")?,
            outputs,
            end_text: search_text::of_end(state).map(|text| json_free(&text.to_lowercase())),
            texts,
        })
    }
}

/// Returns the name of an enum's variant in JSON. The variant must have no fields.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        other => other.unwrap_or_default().to_string(),
    }
}

/// Converts to a signed integer, because PostgreSQL has no unsigned ones. Larger numbers become [`i64::MAX`].
pub(crate) fn clip(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the status of a run from a column of its row, or `None` if the status is unknown to this program. This status is
/// newer than the one in the run's stored state if a worker has started the run in the meantime.
pub(crate) fn status(row: &tokio_postgres::Row, column: &str) -> Option<RunStatus> {
    serde_json::from_value(Value::String(row.get(column))).ok()
}

/// Returns a run's name and star from its row.
pub(crate) fn label(row: &tokio_postgres::Row) -> RunLabel {
    // The name is stored as JSON, which can represent every character.
    let name: Option<String> = row.get("name");
    RunLabel {
        name: name.and_then(|name| serde_json::from_str(&name).ok()),
        starred: row.get("starred"),
    }
}

/// Decodes a run's header for a list. Fails if the header is damaged.
pub(crate) fn brief(json: &str) -> Result<RunHeaderBrief, String> {
    super::encode::load(json, &Default::default())
}

/// Returns the key of a run in the store. Fails if the run does not exist, or if the store does not answer.
pub(crate) async fn key(client: &Client, run_id: &str) -> Result<i64, Failure> {
    let statement = client
        .prepare_cached("SELECT id FROM loopwright.runs WHERE run_id = $1")
        .await?;
    match client.query_opt(&statement, &[&json_free(run_id)]).await? {
        Some(row) => Ok(row.get(0)),
        None => Err(JournalError::NoRun(run_id.to_owned()).into()),
    }
}
