//! Batches, each of which is a set of runs of one flow.

use std::sync::Arc;

use loopwright_engine::{
    ApprovalPolicy,
    journal::{COMPAT, Journal as _, JournalError, RunHeader, RunState},
};

use crate::{
    claims::{policy_of, policy_word},
    queue::Job,
    store::{NewRow, PgStore, insert_run, work},
    submit::run_id,
};

/// The number of a batch's runs in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchCounts {
    pub runs: u64,
    /// The number of runs that no worker has started.
    pub queued: u64,
    pub running: u64,
    /// The number of runs that wait for a person or are paused or interrupted.
    pub suspended: u64,
    pub completed: u64,
    pub failed: u64,
    pub cancelled: u64,
}

/// A batch in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    pub name: String,
    pub flow: String,
    /// The time at which the batch was created, in milliseconds since the Unix epoch, UTC.
    pub created_at: i64,
    pub counts: BatchCounts,
    /// The cost of the batch's runs so far, in micro-dollars.
    pub cost_microusd: u64,
    /// The maximum cost of all runs of the batch together, in micro-dollars; `None` for no limit.
    pub limit_microusd: Option<u64>,
    pub stopped: bool,
}

/// The result of one run of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputLine {
    /// The line of the data file from which the run's inputs were read, counted from 1.
    pub line: u64,
    pub run_id: String,
    pub state: RunState,
}

/// The number of lines read in one query.
const PAGE: i64 = 500;

const OVER: &str = "('completed', 'failed', 'cancelled')";

/// Returns the job of a run. The first two columns of the row are the run's id and its compatibility number.
fn job(row: &tokio_postgres::Row) -> Job {
    Job {
        run_id: row.get(0),
        compat: u32::try_from(row.get::<_, i64>(1)).unwrap_or(0),
    }
}

impl PgStore {
    /// Returns the batches, newest first.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn batches(&self) -> Result<Vec<Batch>, JournalError> {
        self.wait(|client| {
            work(async move {
                let rows = client
                    .query(
                        "SELECT b.name, b.flow, b.created_at, b.limit_microusd, b.stopped, count(r.id),
                            count(*) FILTER (WHERE r.status = 'queued'),
                            count(*) FILTER (WHERE r.status = 'running'),
                            count(*) FILTER (WHERE r.status IN ('waiting', 'paused', 'interrupted')),
                            count(*) FILTER (WHERE r.status = 'completed'),
                            count(*) FILTER (WHERE r.status = 'failed'),
                            count(*) FILTER (WHERE r.status = 'cancelled'),
                            coalesce(sum(r.cost_microusd), 0)::text
                         FROM loopwright.batches b LEFT JOIN loopwright.runs r ON r.batch = b.id
                         GROUP BY b.id ORDER BY b.created_at DESC, b.id DESC",
                        &[],
                    )
                    .await?;
                let count = |row: &tokio_postgres::Row, column| row.get::<_, i64>(column).unsigned_abs();
                Ok(rows
                    .iter()
                    .map(|row| Batch {
                        name: row.get(0),
                        flow: row.get(1),
                        created_at: row.get(2),
                        limit_microusd: row.get::<_, Option<i64>>(3).map(i64::unsigned_abs),
                        stopped: row.get(4),
                        counts: BatchCounts {
                            runs: count(row, 5),
                            queued: count(row, 6),
                            running: count(row, 7),
                            suspended: count(row, 8),
                            completed: count(row, 9),
                            failed: count(row, 10),
                            cancelled: count(row, 11),
                        },
                        cost_microusd: row.get::<_, &str>(12).parse().unwrap_or(u64::MAX),
                    })
                    .collect())
            })
        })
    }

    /// Returns a batch by its name.
    ///
    /// # Errors
    /// [`JournalError::Read`] if no batch has this name. The message names existing batches.
    pub fn batch(&self, name: &str) -> Result<Batch, JournalError> {
        let all = self.batches()?;
        let names: Vec<&str> = all
            .iter()
            .take(8)
            .map(|batch| batch.name.as_str())
            .collect();
        let known = match names.as_slice() {
            [] => "the store has no batches".to_owned(),
            names => format!("the batches are {}", names.join(", ")),
        };
        let missing = || JournalError::Read(format!("there is no batch `{name}`; {known}"));
        all.iter()
            .find(|batch| batch.name == name)
            .cloned()
            .ok_or_else(missing)
    }

    /// Returns the next page of a batch's runs with their states, ordered by line, starting after line number `after`.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn batch_lines(&self, name: &str, after: u64) -> Result<Vec<OutputLine>, JournalError> {
        let (batch, after) = (name.to_owned(), i64::try_from(after).unwrap_or(i64::MAX));
        let lines = self.wait(move |client| {
            let batch = batch.clone();
            work(async move {
                let rows = client
                    .query(
                        "SELECT line, run_id FROM loopwright.runs
                         WHERE batch = (SELECT id FROM loopwright.batches WHERE name = $1) AND line > $2 ORDER BY line LIMIT $3",
                        &[&batch, &after, &PAGE],
                    )
                    .await?;
                Ok(rows
                    .iter()
                    .map(|row| (row.get::<_, i64>(0).unsigned_abs(), row.get(1)))
                    .collect::<Vec<(u64, String)>>())
            })
        })?;
        lines
            .into_iter()
            .map(|(line, run_id)| {
                let (_, state) = self.run(&run_id)?;
                Ok(OutputLine {
                    line,
                    run_id,
                    state,
                })
            })
            .collect()
    }

    /// Requests that every unfinished run of a batch stop, and marks the batch as stopped. Returns a job for each of
    /// these runs. The workers that take the jobs stop the runs.
    ///
    /// # Errors
    /// Returns the errors of [`Self::batch`].
    pub fn stop_batch(&self, name: &str) -> Result<Vec<Job>, JournalError> {
        self.batch(name)?;
        let batch = name.to_owned();
        self.wait(move |client| {
            let batch = batch.clone();
            work(async move {
                let change = client.transaction().await?;
                // The runs are locked before the batch, in the same order as workers lock them.
                let rows = change
                    .query(
                        &format!(
                            "WITH open AS (
                                SELECT id, run_id, compat FROM loopwright.runs
                                WHERE batch = (SELECT id FROM loopwright.batches WHERE name = $1) AND status NOT IN {OVER}
                             ), asked AS (
                                INSERT INTO loopwright.controls (run, body) SELECT id, '{{\"type\":\"stop\"}}' FROM open
                             )
                             SELECT run_id, compat FROM open"
                        ),
                        &[&batch],
                    )
                    .await?;
                change
                    .execute("UPDATE loopwright.batches SET stopped = true WHERE name = $1", &[&batch])
                    .await?;
                change.commit().await?;
                Ok(rows.iter().map(job).collect())
            })
        })
    }

    /// Replaces the failed and cancelled runs of a batch with new runs that have the same inputs. The old runs remain in the
    /// history. Returns the jobs of all queued runs of the batch, including the new ones.
    ///
    /// # Errors
    /// Returns the errors of [`Self::batch`].
    pub fn retry_failed(&self, name: &str, now: i64) -> Result<Vec<Job>, JournalError> {
        self.batch(name)?;
        let batch = name.to_owned();
        let failed = self.wait(move |client| {
            let batch = batch.clone();
            work(async move {
                client
                    .execute("UPDATE loopwright.batches SET stopped = false WHERE name = $1", &[&batch])
                    .await?;
                let rows = client
                    .query(
                        "SELECT run_id, line, batch, approve FROM loopwright.runs
                         WHERE batch = (SELECT id FROM loopwright.batches WHERE name = $1) AND status IN ('failed', 'cancelled') ORDER BY line",
                        &[&batch],
                    )
                    .await?;
                Ok(rows
                    .iter()
                    .map(|row| (row.get(0), row.get(1), row.get(2), policy_of(row.get(3))))
.collect::<Vec<(String, i64, i64, ApprovalPolicy)>>())
            })
        })?;
        // The jobs include those of runs that an earlier call added before it was interrupted.
        let mut fresh = self.queued_of(name)?;
        for (old, line, batch, approve) in failed {
            let (header, _) = self.run(&old)?;
            // The new id derives from the old one, so that each attempt has its own id.
            let id = run_id(&old, line.unsigned_abs(), &header.inputs, 1);
            let header = RunHeader {
                run_id: id.clone(),
                started_at: now,
                ..header
            };
            let row = Arc::new(
                NewRow::of(&header)?
                    .in_batch(batch, line)
                    .approving(policy_word(approve)),
            );
            self.wait(move |client| {
                let (row, old) = (Arc::clone(&row), old.clone());
                work(async move {
                    let change = client.transaction().await?;
                    insert_run(&change, std::slice::from_ref(&*row), None).await?;
                    change
                        .execute(
                            "UPDATE loopwright.runs SET batch = NULL, line = NULL WHERE run_id = $1 AND batch IS NOT NULL",
                            &[&old],
                        )
                        .await?;
                    change.commit().await?;
                    Ok(())
                })
            })?;
            fresh.push(Job {
                run_id: id,
                compat: COMPAT,
            });
        }
        Ok(fresh)
    }

    /// Returns the jobs of a batch's runs that no worker has started.
    fn queued_of(&self, name: &str) -> Result<Vec<Job>, JournalError> {
        let batch = name.to_owned();
        self.wait(move |client| {
            let batch = batch.clone();
            work(async move {
                let rows = client
                    .query(
                        "SELECT run_id, compat FROM loopwright.runs
                         WHERE batch = (SELECT id FROM loopwright.batches WHERE name = $1) AND status = 'queued'",
                        &[&batch],
                    )
                    .await?;
                Ok(rows.iter().map(job).collect())
            })
        })
    }

    /// Deletes a batch with all its runs. Returns the number of deleted runs.
    ///
    /// # Errors
    /// Returns the errors of [`Self::batch`].
    pub fn delete_batch(&self, name: &str) -> Result<u64, JournalError> {
        self.batch(name)?;
        let batch = name.to_owned();
        self.wait(move |client| {
            let batch = batch.clone();
            work(async move {
                let change = client.transaction().await?;
                let gone = change
                    .execute(
                        "DELETE FROM loopwright.runs WHERE batch = (SELECT id FROM loopwright.batches WHERE name = $1)",
                        &[&batch],
                    )
                    .await?;
                change
                    .execute("DELETE FROM loopwright.batches WHERE name = $1", &[&batch])
                    .await?;
                change.commit().await?;
                Ok(gone)
            })
        })
    }
}
