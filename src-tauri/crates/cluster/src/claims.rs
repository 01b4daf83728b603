//! Claims of runs. A worker that claims a run becomes its leader.
//!
//! A worker that claims a run increases the run's epoch. From then on, the store rejects writes of the previous leader.

use std::time::Duration;

use loopwright_engine::{ApprovalPolicy, RunStatus, journal::JournalError};
use uuid::Uuid;

use crate::{
    queue::Job,
    store::{LedRun, PgStore, work},
};

/// The result of an attempt to claim a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// This program now leads the run.
    Taken(Taken),
    /// Another program leads the run or may still do so. Retry later.
    Busy,
    /// The run is over or was deleted.
    Over,
    /// The run's records can be read only by workers with this compatibility number.
    Foreign(u32),
    /// The remaining budget of the batch is too small for this run, but another run may still return its unused part.
    /// Nothing is reserved for this run.
    NoBudget,
}

/// A claimed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// Whether the run already has records.
    pub began: bool,
    pub approve: ApprovalPolicy,
    /// Whether the batch's budget is large enough for the run. If `false`, it will never be large enough.
    pub affordable: bool,
}

/// Returns the name under which the store saves an approval policy.
pub(crate) fn policy_word(policy: ApprovalPolicy) -> &'static str {
    match policy {
        ApprovalPolicy::Ask => "ask",
        ApprovalPolicy::All => "all",
        ApprovalPolicy::None => "none",
    }
}

/// Parses a name returned by [`policy_word`]. An unknown name means [`ApprovalPolicy::Ask`].
pub(crate) fn policy_of(word: &str) -> ApprovalPolicy {
    match word {
        "all" => ApprovalPolicy::All,
        "none" => ApprovalPolicy::None,
        _ => ApprovalPolicy::Ask,
    }
}

/// A worker, as the store lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerInfo {
    pub name: String,
    pub compat: i64,
    pub places: i64,
    /// The number of runs that the worker leads.
    pub runs: i64,
    /// The time since the worker's last heartbeat, in seconds.
    pub silent_s: i64,
}

impl PgStore {
    /// Registers this program as a worker, or renews its heartbeat. Call this four times per takeover time. Also deletes
    /// workers that have been silent for an hour and lead no run.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn beat(&self, name: &str, compat: u32, places: usize) -> Result<(), JournalError> {
        let (id, name) = (self.id, name.to_owned());
        let (compat, places) = (i64::from(compat), i64::try_from(places).unwrap_or(i64::MAX));
        self.wait(move |client| {
            let name = name.clone();
            work(async move {
                client
                    .execute(
                        "WITH gone AS (
                            DELETE FROM loopwright.workers w WHERE seen_at < clock_timestamp() - interval '1 hour' AND id <> $1
                                AND NOT EXISTS (SELECT 1 FROM loopwright.runs r WHERE r.holder = w.id)
                         )
                         INSERT INTO loopwright.workers (id, name, compat, places) VALUES ($1, $2, $3, $4)
                         ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()",
                        &[&id, &name, &compat, &places],
                    )
                    .await?;
                Ok(())
            })
        })
    }

    /// Removes this program from the list of workers.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn sign_off(&self) -> Result<(), JournalError> {
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

    /// Returns the workers that are listed in the store.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
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

    /// Claims a run, so that this program leads it.
    ///
    /// A run that another program leads is claimed only if that program has been silent for `threshold`, and if the store has
    /// answered this program for at least as long. After an outage of the store, live workers thus have time to renew their
    /// heartbeats. `compat` is the compatibility number that this program understands.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn claim(
        &self,
        run_id: &str,
        compat: u32,
        threshold: Duration,
    ) -> Result<Claim, JournalError> {
        if self.led_runs().contains_key(run_id) {
            return Ok(Claim::Busy);
        }
        let may_take_over = self.answering_for() >= threshold;
        let (id, me, compat) = (run_id.to_owned(), self.id, i64::from(compat));
        let silent = threshold.as_secs_f64();
        let (claim, led) = self.wait(move |client| {
            let id = id.clone();
            work(async move {
                let change = client.transaction().await?;
                let row = change
                    .query_opt(
                        "SELECT r.id, r.epoch, r.status, r.holder,
                            EXISTS (SELECT 1 FROM loopwright.workers w WHERE w.id = r.holder
                                AND w.seen_at > clock_timestamp() - make_interval(secs => $2)),
                            (SELECT max(seq) FROM loopwright.records WHERE run = r.id), r.approve, r.compat
                         FROM loopwright.runs r WHERE run_id = $1 FOR UPDATE",
                        &[&id, &silent],
                    )
                    .await?;
                let Some(row) = row else {
                    return Ok((Claim::Over, None));
                };
                let (run, epoch, of): (i64, i64, i64) = (row.get(0), row.get(1), row.get(7));
                if is_over(row.get(2)) {
                    // The leader may have died between the end of the run and the settlement of the account, so the account is
                    // settled here.
                    settle(&change, run).await?;
                    forget_controls(&change, run).await?;
                    change.commit().await?;
                    return Ok((Claim::Over, None));
                }
                if of != compat {
                    return Ok((Claim::Foreign(u32::try_from(of).unwrap_or(0)), None));
                }
                let holder: Option<Uuid> = row.get(3);
                let foreign = holder.is_some_and(|holder| holder != me);
                if foreign && (row.get(4) || !may_take_over) {
                    return Ok((Claim::Busy, None));
                }
                let (affordable, may) = match allot(&change, run).await? {
                    Room::Later => return Ok((Claim::NoBudget, None)),
                    // Nothing is left for a larger budget, so all postponed requests are restored and then refused.
                    Room::Never => (false, i64::MAX),
                    Room::Given { may } => (true, may),
                };
                resume_postponed(&change, run, may).await?;
                change
                    .execute(
                        "UPDATE loopwright.runs SET epoch = $2::bigint + 1, holder = $3, wake_at = NULL,
                            status = CASE status WHEN 'queued' THEN 'running' ELSE status END WHERE id = $1",
                        &[&run, &epoch, &me],
                    )
                    .await?;
                change.commit().await?;
                let last: Option<i64> = row.get(5);
                let led = LedRun {
                    run,
                    epoch: epoch + 1,
                    next: last.map_or(0, |last| last.unsigned_abs() + 1),
                };
                let claim = Claim::Taken(Taken {
                    began: last.is_some(),
                    approve: policy_of(row.get(6)),
                    affordable,
                });
                Ok((claim, Some(led)))
            })
        })?;
        if let Some(led) = led {
            self.led_runs().insert(run_id.to_owned(), led);
        }
        Ok(claim)
    }

    /// Releases a run that has ended, is suspended, or waits for a timer.
    ///
    /// `handled` are the ids of the controls that this program acted on. `wakes_in` is the time until the timer that the run
    /// waits for, or until its question expires. Returns the delay after which a worker must continue the run: zero if the
    /// run is unfinished or has new requests, and `None` if no worker needs to continue it.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn release(
        &self,
        run_id: &str,
        handled: Vec<i64>,
        wakes_in: Option<Duration>,
    ) -> Result<Option<Duration>, JournalError> {
        let Some(led) = self.led_runs().remove(run_id) else {
            return Ok(None);
        };
        let wakes_after = wakes_in.map(|wait| wait.as_secs_f64());
        self.wait(move |client| {
            let handled = handled.clone();
            work(async move {
                let change = client.transaction().await?;
                let mine = change
                    .query_opt(
                        "UPDATE loopwright.runs SET holder = NULL,
                            wake_at = CASE WHEN status = 'running' OR (status = 'waiting' AND $3::float8 IS NOT NULL)
                                THEN clock_timestamp() + make_interval(secs => coalesce($3::float8, 0)) END
                         WHERE id = $1 AND epoch = $2 RETURNING status",
                        &[&led.run, &led.epoch, &wakes_after],
                    )
                    .await?;
                let Some(row) = mine else {
                    return Ok(None);
                };
                change
                    .execute(
                        "DELETE FROM loopwright.controls WHERE run = $1 AND id = ANY($2)",
                        &[&led.run, &handled],
                    )
                    .await?;
                let mut over = is_over(row.get(0));
                if over {
                    settle(&change, led.run).await?;
                    // A person may have asked for a larger budget just before the run stopped at its old one.
                    over = !reopen(&change, led.run).await?;
                }
                if over {
                    forget_controls(&change, led.run).await?;
                }
                let more = change
                    .query_one(
                        "SELECT EXISTS (SELECT 1 FROM loopwright.controls WHERE run = $1 AND body::json ->> 'type' <> 'resume_later')",
                        &[&led.run],
                    )
                    .await?;
                change.commit().await?;
                Ok(match (over, more.get(0), row.get::<_, &str>(0)) {
                    (true, _, _) => None,
                    (false, true, _) => Some(Duration::ZERO),
                    (false, false, "running") => Some(wakes_in.unwrap_or_default()),
                    (false, false, "waiting") => wakes_in,
                    (false, false, _) => None,
                })
            })
        })
    }

    /// Returns at most 1,000 runs with the compatibility number `compat` that need a worker but may have no job in the
    /// queue.
    ///
    /// These are runs whose leader has been silent for at least `threshold`, runs whose timer fired at least that long ago, and
    /// suspended runs with a request of at least that age. Returns no runs until the store has answered this program for
    /// `threshold`.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
    pub fn orphans(&self, compat: u32, threshold: Duration) -> Result<Vec<Job>, JournalError> {
        if self.answering_for() < threshold {
            return Ok(Vec::new());
        }
        let (silent, of) = (threshold.as_secs_f64(), i64::from(compat));
        // The query does not parse the bodies of requests as JSON. Otherwise a single body that is nested too deeply would
        // make the query fail for all runs.
        self.wait(move |client| {
            work(async move {
                let rows = client
                    .query(
                        "WITH old AS (SELECT clock_timestamp() - make_interval(secs => $1) AS at)
                         SELECT run_id FROM loopwright.runs r, old WHERE holder IS NOT NULL AND compat = $2
                             AND (status = 'running' OR allotted_microusd IS NOT NULL)
                             AND NOT EXISTS (SELECT 1 FROM loopwright.workers w WHERE w.id = r.holder AND w.seen_at > old.at)
                         UNION
                         SELECT run_id FROM loopwright.runs r, old WHERE holder IS NULL AND compat = $2 AND status IN ('running', 'waiting') AND wake_at < old.at
                         UNION
                         SELECT run_id FROM loopwright.controls c JOIN loopwright.runs r ON r.id = c.run, old
                             WHERE holder IS NULL AND compat = $2 AND c.at < old.at AND status NOT IN ('completed', 'failed', 'cancelled')
                                 AND c.body NOT LIKE '%\"type\":\"resume_later\"%' AND c.body NOT LIKE '%\"type\": \"resume_later\"%'
                         LIMIT 1000",
                        &[&silent, &of],
                    )
                    .await?;
                Ok(rows
                    .iter()
                    .map(|row| Job {
                        run_id: row.get(0),
                        compat,
                    })
                    .collect())
            })
        })
    }

    /// Returns whether a live worker leads the run. A worker that has been silent for `threshold` does not count as live.
    ///
    /// # Errors
    /// Returns an error if the store does not answer.
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

/// The result of a run's request for a part of its batch's budget.
enum Room {
    /// The part is reserved, or the run needs no part. `may` is the total that the run may spend, in micro-dollars.
    Given {
        may: i64,
    },
    /// What remains of the budget is too small until another run returns its unused part.
    Later,
    Never,
}

/// Reserves a run's part of its batch's budget. The part is the batch's limit per run, or a larger budget that a person has
/// set for this run.
///
/// A run that has a part but cannot get a larger one at the moment continues with the part that it has. If such runs waited,
/// two of them could wait for each other forever.
async fn allot(
    change: &deadpool_postgres::Transaction<'_>,
    run: i64,
) -> Result<Room, crate::store::Failure> {
    let row = change
        .query_one(
            &format!(
                "SELECT batch, coalesce(allotted_microusd, 0), settled_microusd,
                    (SELECT max({MICROUSD}) FROM loopwright.controls c
                     WHERE c.run = r.id AND c.body::json ->> 'type' IN ('resume', 'resume_later'))
                 FROM loopwright.runs r WHERE id = $1"
            ),
            &[&run],
        )
        .await?;
    let Some(batch) = row.get::<_, Option<i64>>(0) else {
        return Ok(Room::Given { may: i64::MAX });
    };
    let (has, settled, asked): (i64, i64, Option<i64>) = (row.get(1), row.get(2), row.get(3));
    let row = change
        .query_one(
            "SELECT limit_microusd, allotted_microusd, spent_microusd, (options::json ->> 'microusdRun')::bigint
             FROM loopwright.batches WHERE id = $1 FOR UPDATE",
            &[&batch],
        )
        .await?;
    let (limit, part): (Option<i64>, Option<i64>) = (row.get(0), row.get(3));
    let (Some(limit), Some(part)) = (limit, part) else {
        return Ok(Room::Given { may: i64::MAX });
    };
    let (allotted, spent): (i64, i64) = (row.get(1), row.get(2));
    let whole = asked.unwrap_or(0).max(part).saturating_sub(settled);
    let more = whole.saturating_sub(has);
    let may = settled.saturating_add(has.max(whole));
    if more <= 0 {
        return Ok(Room::Given { may });
    }
    if spent.saturating_add(allotted).saturating_add(more) > limit {
        if has > 0 {
            let may = settled.saturating_add(has);
            postpone_above(change, run, may).await?;
            return Ok(Room::Given { may });
        }
        return Ok(match spent.saturating_add(more) > limit {
            true => Room::Never,
            false => Room::Later,
        });
    }
    change
        .execute(
            "UPDATE loopwright.batches SET allotted_microusd = allotted_microusd + $2 WHERE id = $1",
            &[&batch, &more],
        )
        .await?;
    change
        .execute(
            "UPDATE loopwright.runs SET allotted_microusd = coalesce(allotted_microusd, 0) + $2 WHERE id = $1",
            &[&run, &more],
        )
        .await?;
    Ok(Room::Given { may })
}

/// The SQL expression for the budget in the row `c` of the controls, in micro-dollars. The cap of a billion dollars avoids an
/// overflow.
const MICROUSD: &str =
    "round(least((c.body::json ->> 'usd')::numeric, 1000000000) * 1000000)::bigint";

/// Postpones the requests for a budget above the amount that the run may spend, until the run stops at that amount. The
/// requests still ask to resume the run, but without a budget.
async fn postpone_above(
    change: &deadpool_postgres::Transaction<'_>,
    run: i64,
    microusd: i64,
) -> Result<(), crate::store::Failure> {
    change
        .execute(
            &format!(
                "WITH above AS (
                    SELECT id, body::jsonb AS body FROM loopwright.controls c
                    WHERE run = $1 AND c.body::json ->> 'type' = 'resume' AND {MICROUSD} > $2
                 ), later AS (
                    INSERT INTO loopwright.controls (run, body)
                    SELECT $1, jsonb_build_object('type', 'resume_later', 'usd', body -> 'usd')::text FROM above ORDER BY id
                 )
                 UPDATE loopwright.controls c SET body = jsonb_set(above.body, '{{usd}}', 'null')::text FROM above WHERE c.id = above.id"
            ),
            &[&run, &microusd],
        )
        .await?;
    Ok(())
}

/// Converts postponed requests to requests to resume the run if the run may now spend the requested budget.
async fn resume_postponed(
    change: &deadpool_postgres::Transaction<'_>,
    run: i64,
    may: i64,
) -> Result<(), crate::store::Failure> {
    change
        .execute(
            &format!(
                "UPDATE loopwright.controls c SET body = jsonb_set(body::jsonb, '{{type}}', '\"resume\"')::text
                 WHERE run = $1 AND body::json ->> 'type' = 'resume_later' AND coalesce({MICROUSD}, 0) <= $2"
            ),
            &[&run, &may],
        )
        .await?;
    Ok(())
}

/// Deletes the controls of a run that is over. The controls no longer have any effect, but workers would claim the run
/// again and again because of them.
async fn forget_controls(
    change: &deadpool_postgres::Transaction<'_>,
    run: i64,
) -> Result<(), crate::store::Failure> {
    change
        .execute("DELETE FROM loopwright.controls WHERE run = $1", &[&run])
        .await?;
    Ok(())
}

/// Makes a run that was stopped at its budget claimable again if a larger budget was requested. Returns whether the run
/// became claimable. Fails if the store does not answer.
pub(crate) async fn reopen(
    change: &deadpool_postgres::Transaction<'_>,
    run: i64,
) -> Result<bool, crate::store::Failure> {
    let opened = change
        .execute(
            "UPDATE loopwright.runs SET status = 'interrupted'
             WHERE id = $1 AND status = 'failed' AND (state::json ->> 'over_budget')::boolean AND EXISTS (
                SELECT 1 FROM loopwright.controls c WHERE c.run = $1 AND c.body::json ->> 'type' IN ('resume', 'resume_later')
                    AND (c.body::json ->> 'usd' IS NOT NULL OR c.body::json ->> 'tokens' IS NOT NULL)
             )",
            &[&run],
        )
        .await?;
    if opened > 0 {
        // The postponed requests become requests to resume, so a worker takes the run.
        resume_postponed(change, run, i64::MAX).await?;
    }
    Ok(opened > 0)
}

/// Adds the cost of a finished run to its batch, and returns the unused part of the run's reservation to the batch's budget.
/// Settling a run twice has no effect.
async fn settle(
    change: &deadpool_postgres::Transaction<'_>,
    run: i64,
) -> Result<(), crate::store::Failure> {
    change
        .execute(
            "WITH done AS (
                SELECT id, batch, allotted_microusd AS part, cost_microusd - settled_microusd AS more FROM loopwright.runs
                WHERE id = $1 AND allotted_microusd IS NOT NULL FOR UPDATE
             ), noted AS (
                UPDATE loopwright.runs r SET settled_microusd = cost_microusd, allotted_microusd = NULL FROM done WHERE r.id = done.id
             )
             UPDATE loopwright.batches b SET allotted_microusd = allotted_microusd - done.part, spent_microusd = spent_microusd + done.more
             FROM done WHERE b.id = done.batch",
            &[&run],
        )
        .await?;
    Ok(())
}
