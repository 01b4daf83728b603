//! Who leads which run. A worker that takes a run raises its epoch; the one before then writes nothing more of it.

use std::time::Duration;

use loopwright_engine::{event::RunStatus, journal::JournalError};
use uuid::Uuid;

use crate::store::{Held, PgStore, work};

/// What became of an attempt to take a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// It is led by this program now.
    Taken(Taken),
    /// Another program leads it, or may yet: look again later.
    Held,
    /// It is over, or was deleted.
    Over,
    /// The budget of its batch has no room for it until another run gives back what it does not need.
    NoBudget,
}

/// A run that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// It has records already.
    pub began: bool,
    pub approve: Approvals,
    /// The budget of its batch has room for it. Where not, it never will.
    pub affordable: bool,
}

/// How the runs of a batch settle approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Approvals {
    /// They wait for a person.
    #[default]
    Ask,
    All,
    None,
}

impl Approvals {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::All => "all",
            Self::None => "none",
        }
    }

    pub(crate) fn of(word: &str) -> Self {
        match word {
            "all" => Self::All,
            "none" => Self::None,
            _ => Self::Ask,
        }
    }
}

/// A worker, as the store knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerInfo {
    pub name: String,
    pub compat: i64,
    pub places: i64,
    /// Runs that it leads.
    pub runs: i64,
    /// Seconds since it was heard of.
    pub silent_s: i64,
}

impl PgStore {
    /// Says that this program serves as a worker, and that it lives. Repeated at a quarter of the takeover time.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn beat(&self, name: &str, compat: u32, places: usize) -> Result<(), JournalError> {
        let (id, name) = (self.id, name.to_owned());
        let (compat, places) = (i64::from(compat), i64::try_from(places).unwrap_or(i64::MAX));
        self.wait(move |client| {
            let name = name.clone();
            work(async move {
                client
                    .execute(
                        "INSERT INTO loopwright.workers (id, name, compat, places) VALUES ($1, $2, $3, $4)
                         ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()",
                        &[&id, &name, &compat, &places],
                    )
                    .await?;
                Ok(())
            })
        })
    }

    /// Says that this program serves no more.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn leave(&self) -> Result<(), JournalError> {
        let id = self.id;
        self.wait(move |client| {
            work(async move {
                client
                    .execute("DELETE FROM loopwright.workers WHERE id = $1", &[&id])
                    .await?;
                Ok(())
            })
        })
    }

    /// The workers that the store has heard of.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn workers(&self) -> Result<Vec<WorkerInfo>, JournalError> {
        self.wait(|client| {
            work(async move {
                let rows = client
                    .query(
                        "SELECT name, compat, places, (SELECT count(*) FROM loopwright.runs WHERE holder = w.id),
                            extract(epoch FROM clock_timestamp() - seen_at)::bigint
                         FROM loopwright.workers w ORDER BY name, id",
                        &[],
                    )
                    .await?;
                Ok(rows
                    .iter()
                    .map(|row| WorkerInfo {
                        name: row.get(0),
                        compat: row.get(1),
                        places: row.get(2),
                        runs: row.get(3),
                        silent_s: row.get(4),
                    })
                    .collect())
            })
        })
    }

    /// Takes a run to lead it. One that another program holds is taken only when that program was silent for `threshold`, and
    /// this one has heard the store for as long: after a break of the store, who lives must first be able to say so.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn claim(&self, run_id: &str, threshold: Duration) -> Result<Claim, JournalError> {
        if self.held().contains_key(run_id) {
            return Ok(Claim::Held);
        }
        let may_take_over = self.answering_for() >= threshold;
        let (id, me) = (run_id.to_owned(), self.id);
        let silent = threshold.as_secs_f64();
        let (claim, held) = self.wait(move |client| {
            let id = id.clone();
            work(async move {
                let change = client.transaction().await?;
                let row = change
                    .query_opt(
                        "SELECT r.id, r.epoch, r.status, r.holder, r.batch, r.allotted_microusd,
                            EXISTS (SELECT 1 FROM loopwright.workers w WHERE w.id = r.holder
                                AND w.seen_at > clock_timestamp() - make_interval(secs => $2)),
                            (SELECT max(seq) FROM loopwright.records WHERE run = r.id), r.approve
                         FROM loopwright.runs r WHERE run_id = $1 FOR UPDATE",
                        &[&id, &silent],
                    )
                    .await?;
                let Some(row) = row else {
                    return Ok((Claim::Over, None));
                };
                let (run, epoch): (i64, i64) = (row.get(0), row.get(1));
                let holder: Option<Uuid> = row.get(3);
                if is_over(row.get(2)) {
                    // Its leader may have died between its end and the account.
                    if let (Some(batch), Some(allotted)) = (row.get(4), row.get(5)) {
                        settle(&change, run, batch, allotted).await?;
                        change.commit().await?;
                    }
                    return Ok((Claim::Over, None));
                }
                let foreign = holder.is_some_and(|holder| holder != me);
                if foreign && (row.get(6) || !may_take_over) {
                    return Ok((Claim::Held, None));
                }
                let mut affordable = true;
                if let (Some(batch), None) =
                    (row.get::<_, Option<i64>>(4), row.get::<_, Option<i64>>(5))
                {
                    match allot(&change, run, batch).await? {
                        Some(false) => return Ok((Claim::NoBudget, None)),
                        Some(true) => affordable = false,
                        None => {}
                    }
                }
                change
                    .execute(
                        "UPDATE loopwright.runs SET epoch = $2::bigint + 1, holder = $3,
                            status = CASE status WHEN 'queued' THEN 'running' ELSE status END WHERE id = $1",
                        &[&run, &epoch, &me],
                    )
                    .await?;
                change.commit().await?;
                let last: Option<i64> = row.get(7);
                let held = Held {
                    run,
                    epoch: epoch + 1,
                    next: last.map_or(0, |last| last.unsigned_abs() + 1),
                };
                let claim = Claim::Taken(Taken {
                    began: last.is_some(),
                    approve: Approvals::of(row.get(8)),
                    affordable,
                });
                Ok((claim, Some(held)))
            })
        })?;
        if let Some(held) = held {
            self.held().insert(run_id.to_owned(), held);
        }
        Ok(claim)
    }

    /// Lets a run go that ended or rests. The controls of these numbers were acted on. Gives whether a worker is needed
    /// for it: it is in the middle, or more was asked of it.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn release(&self, run_id: &str, handled: Vec<i64>) -> Result<bool, JournalError> {
        let Some(held) = self.held().remove(run_id) else {
            return Ok(false);
        };
        self.wait(move |client| {
            let handled = handled.clone();
            work(async move {
                let change = client.transaction().await?;
                let mine = change
                    .query_opt(
                        "UPDATE loopwright.runs SET holder = NULL WHERE id = $1 AND epoch = $2
                         RETURNING status, batch, allotted_microusd",
                        &[&held.run, &held.epoch],
                    )
                    .await?;
                let Some(row) = mine else {
                    return Ok(false);
                };
                change
                    .execute(
                        "DELETE FROM loopwright.controls WHERE run = $1 AND id = ANY($2)",
                        &[&held.run, &handled],
                    )
                    .await?;
                let over = is_over(row.get(0));
                if over && let (Some(batch), Some(allotted)) = (row.get(1), row.get(2)) {
                    settle(&change, held.run, batch, allotted).await?;
                }
                let more = change
                    .query_one(
                        "SELECT EXISTS (SELECT 1 FROM loopwright.controls WHERE run = $1)",
                        &[&held.run],
                    )
                    .await?;
                change.commit().await?;
                Ok(!over && (row.get::<_, &str>(0) == "running" || more.get(0)))
            })
        })
    }

    /// Runs whose leaders are silent for `threshold`, and resting runs of which something was asked so long ago: nobody may have
    /// a job for them. Some of them, the oldest first, with the compatibility of their records.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn orphans(&self, threshold: Duration) -> Result<Vec<String>, JournalError> {
        if self.answering_for() < threshold {
            return Ok(Vec::new());
        }
        let silent = threshold.as_secs_f64();
        self.wait(move |client| {
            work(async move {
                let rows = client
                    .query(
                        "SELECT run_id FROM loopwright.runs r WHERE holder IS NOT NULL
                             AND (status = 'running' OR allotted_microusd IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM loopwright.workers w WHERE w.id = r.holder
                                 AND w.seen_at > clock_timestamp() - make_interval(secs => $1))
                         UNION
                         SELECT run_id FROM loopwright.controls c JOIN loopwright.runs r ON r.id = c.run
                             WHERE holder IS NULL AND c.at < clock_timestamp() - make_interval(secs => $1)
                         LIMIT 1000",
                        &[&silent],
                    )
                    .await?;
                Ok(rows.iter().map(|row| row.get(0)).collect())
            })
        })
    }

    /// Whether a living worker leads a run: one that was silent for `threshold` is gone.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn has_leader(&self, run_id: &str, threshold: Duration) -> Result<bool, JournalError> {
        let (id, silent) = (run_id.to_owned(), threshold.as_secs_f64());
        self.wait(move |client| {
            let id = id.clone();
            work(async move {
                let row = client
                    .query_opt(
                        "SELECT EXISTS (SELECT 1 FROM loopwright.workers w WHERE w.id = r.holder
                             AND w.seen_at > clock_timestamp() - make_interval(secs => $2))
                         FROM loopwright.runs r WHERE run_id = $1",
                        &[&id, &silent],
                    )
                    .await?;
                Ok(row.is_some_and(|row| row.get(0)))
            })
        })
    }
}

fn is_over(status: &str) -> bool {
    [
        RunStatus::Completed,
        RunStatus::Failed,
        RunStatus::Cancelled,
    ]
    .iter()
    .any(|over| crate::store::word(over) == status)
}

/// Gives a run its part of its batch's budget. `None`: it has it, or needs none. Else whether none will ever come back.
async fn allot(
    change: &deadpool_postgres::Transaction<'_>,
    run: i64,
    batch: i64,
) -> Result<Option<bool>, crate::store::Failure> {
    let row = change
        .query_one(
            "SELECT limit_microusd, allotted_microusd, spent_microusd, (options::json ->> 'microusdRun')::bigint
             FROM loopwright.batches WHERE id = $1 FOR UPDATE",
            &[&batch],
        )
        .await?;
    let (limit, part): (Option<i64>, Option<i64>) = (row.get(0), row.get(3));
    let (Some(limit), Some(part)) = (limit, part) else {
        return Ok(None);
    };
    let (allotted, spent): (i64, i64) = (row.get(1), row.get(2));
    if spent.saturating_add(allotted).saturating_add(part) > limit {
        return Ok(Some(spent.saturating_add(part) > limit));
    }
    change
        .execute(
            "UPDATE loopwright.batches SET allotted_microusd = allotted_microusd + $2 WHERE id = $1",
            &[&batch, &part],
        )
        .await?;
    change
        .execute(
            "UPDATE loopwright.runs SET allotted_microusd = $2 WHERE id = $1",
            &[&run, &part],
        )
        .await?;
    Ok(None)
}

/// Counts what a run that is over has spent, and gives the rest of its part back.
async fn settle(
    change: &deadpool_postgres::Transaction<'_>,
    run: i64,
    batch: i64,
    allotted: i64,
) -> Result<(), crate::store::Failure> {
    change
        .execute(
            "UPDATE loopwright.batches SET allotted_microusd = allotted_microusd - $2,
                spent_microusd = spent_microusd + (SELECT cost_microusd FROM loopwright.runs WHERE id = $3) WHERE id = $1",
            &[&batch, &allotted, &run],
        )
        .await?;
    change
        .execute(
            "UPDATE loopwright.runs SET allotted_microusd = NULL WHERE id = $1",
            &[&run],
        )
        .await?;
    Ok(())
}
