//! Adds the runs of a batch. A submission can be repeated after a failure, because a run's id is derived from its batch,
//! line and inputs.

use std::sync::Arc;

use loopwright_engine::{
    ApprovalPolicy,
    journal::{JournalError, RunHeader},
};
use serde_json::Value;

use crate::claims::policy_word;
use crate::store::{NewRow, PgStore, insert_run, work};

/// A batch to create.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBatch {
    pub name: String,
    /// The time of creation in milliseconds since the Unix epoch, UTC.
    pub created_at: i64,
    /// The name of the flow.
    pub flow: String,
    /// The flow, including the contents of the files to which it refers.
    pub document: Value,
    /// The maximum cost of all runs of the batch together, in micro-dollars. `None` for no limit.
    pub limit_microusd: Option<u64>,
    /// The maximum cost of each run, in micro-dollars. It is required if `limit_microusd` is set.
    pub microusd_run: Option<u64>,
}

/// A run of a batch.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The line of the data file from which the run's inputs were read, counted from 1.
    pub line: u64,
    pub header: RunHeader,
}

/// Returns the id of a run of a batch. The id depends only on the batch, line, inputs and attempt.
pub fn run_id(batch: &str, line: u64, inputs: &Value, attempt: u64) -> String {
    let text = serde_json::json!([batch, line, inputs, attempt]).to_string();
    let hash = blake3::hash(text.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    uuid::Builder::from_custom_bytes(bytes)
        .into_uuid()
        .to_string()
}

impl PgStore {
    /// Creates a batch, or finds the existing one with the same name. Returns its key.
    ///
    /// # Errors
    /// [`JournalError::Write`] if the existing batch has a different flow or budget.
    pub fn create_batch(&self, batch: &NewBatch) -> Result<i64, JournalError> {
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let batch = Arc::new(batch.clone());
        let options =
            serde_json::json!({ "microusdRun": batch.microusd_run.map(whole) }).to_string();
        let limit = batch.limit_microusd.map(whole);
        let name = batch.name.clone();
        let document = blake3::hash(batch.document.to_string().as_bytes());
        let found = self.wait(move |client| {
            let (batch, options) = (Arc::clone(&batch), options.clone());
            work(async move {
                client
                    .execute(
                        "INSERT INTO loopwright.batches (name, created_at, flow, options, limit_microusd, document) VALUES ($1, $2, $3, $4, $5, $6)
                         ON CONFLICT (name) DO NOTHING",
                        &[&batch.name, &batch.created_at, &batch.flow, &options, &limit, &document.as_bytes().as_slice()],
                    )
                    .await?;
                let row = client
                    .query_one(
                        "SELECT id, flow = $2 AND options = $3 AND limit_microusd IS NOT DISTINCT FROM $4 AND coalesce(document, $5) = $5
                         FROM loopwright.batches WHERE name = $1",
                        &[&batch.name, &batch.flow, &options, &limit, &document.as_bytes().as_slice()],
                    )
                    .await?;
                Ok((row.get::<_, i64>(0), row.get::<_, bool>(1)))
            })
        })?;
        match found {
            (id, true) => Ok(id),
            (_, false) => Err(JournalError::Write(format!(
                "a batch `{name}` with a different flow or budget already exists. Choose another name with --batch"
            ))),
        }
    }

    /// Adds a run without a batch, for workers to execute.
    ///
    /// # Errors
    /// [`JournalError::Exists`] if a run has this id; [`JournalError::Write`] if a value is too large.
    pub fn add_run(&self, header: &RunHeader, approve: ApprovalPolicy) -> Result<(), JournalError> {
        let row = Arc::new(NewRow::of(header)?.approving(policy_word(approve)));
        let added = self.wait(move |client| {
            let row = Arc::clone(&row);
            work(async move {
                let change = client.transaction().await?;
                let added = insert_run(&change, std::slice::from_ref(&*row), None).await?;
                change.commit().await?;
                Ok(added.len())
            })
        })?;
        match added {
            0 => Err(JournalError::Exists(header.run_id.clone())),
            _ => Ok(()),
        }
    }

    /// Adds runs to a batch in one transaction. Existing runs stay unchanged. Returns the number of new ones.
    ///
    /// # Errors
    /// [`JournalError::Write`] if an input is too large. The message names its line.
    pub fn add_runs(
        &self,
        batch: i64,
        runs: &[NewRun],
        approve: ApprovalPolicy,
    ) -> Result<usize, JournalError> {
        let mut rows = Vec::with_capacity(runs.len());
        for run in runs {
            let line = i64::try_from(run.line).unwrap_or(i64::MAX);
            let row = NewRow::of(&run.header).map_err(|error| match error {
                JournalError::Write(why) => {
                    JournalError::Write(format!("line {}: {why}", run.line))
                }
                error => error,
            })?;
            rows.push(row.in_batch(batch, line).approving(policy_word(approve)));
        }
        let rows: Arc<[NewRow]> = rows.into();
        self.wait(move |client| {
            let rows = Arc::clone(&rows);
            work(async move {
                let change = client.transaction().await?;
                let added = insert_run(&change, &rows, None).await?;
                change.commit().await?;
                Ok(added.len())
            })
        })
    }
}
