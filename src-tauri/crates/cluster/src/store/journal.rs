//! Implements the engine's [`Journal`] for [`PgStore`].

use std::sync::Arc;

use deadpool_postgres::{Client, GenericClient};
use loopwright_engine::RunStatus;
use loopwright_engine::journal::{
    Journal, JournalError, Record, RunFilter, RunHeader, RunHeaderBrief, RunLabel, RunState,
    RunTally, Select, StoreSize,
};
use loopwright_journal::check_sequence;
use serde_json::Value;
use uuid::Uuid;

use super::{
    append::{Locked, add_records},
    connect::PgStore,
    encode::{load, load_whole, mentioned},
    failure::{Failure, work},
    find,
    led_runs::LedRun,
    read::{self, PAGE, Selection, damaged, json_free},
    rows::{NewRow, StateRow, insert_run, key, label, status, store_texts, word},
    written::{Append, Written},
};

async fn write_state(
    client: &impl GenericClient,
    run: i64,
    epoch: i64,
    row: &StateRow,
) -> Result<u64, Failure> {
    store_texts(client, &row.texts).await?;
    let hashes: Vec<&[u8]> = row.texts.blobs.keys().map(<[u8; 32]>::as_slice).collect();
    let changed = client
        .execute(
            "WITH mine AS (
                UPDATE loopwright.runs SET status = $3, exit_reason = $4, duration_ms = $5, state = $7, end_text = $8,
                    cost_microusd = greatest(0, $6::bigint - coalesce((SELECT (v.setup::json #>> '{origin,kept,cost_microusd}')::bigint
                        FROM loopwright.run_values v WHERE v.run = $1 AND v.setup <> ''), 0))
                WHERE id = $1 AND epoch = $2 RETURNING id
             ), used AS (
                INSERT INTO loopwright.blob_uses (run, hash) SELECT mine.id, u FROM mine, unnest($10::bytea[]) AS u ON CONFLICT DO NOTHING
             )
             UPDATE loopwright.run_values SET outputs = $9 FROM mine WHERE run = mine.id",
            &[
                &run,
                &epoch,
                &row.status,
                &row.exit_reason,
                &row.duration_ms,
                &row.cost_microusd,
                &row.state,
                &row.end_text,
                &row.outputs,
                &hashes,
            ],
        )
        .await?;
    Ok(changed)
}

/// Adds a run that this program leads. Returns the run's key, or `None` if a run with this id exists.
async fn create(
    client: &impl GenericClient,
    row: &NewRow,
    holder: Uuid,
) -> Result<Option<i64>, Failure> {
    let added = insert_run(client, std::slice::from_ref(row), Some(holder)).await?;
    if let Some((run, _)) = added.first() {
        return Ok(Some(*run));
    }
    // An earlier attempt of this program may have added the run, although its answer was lost.
    let own = client
        .query_opt(
            "SELECT id FROM loopwright.runs r WHERE run_id = $1 AND holder = $2 AND epoch = 1
             AND NOT EXISTS (SELECT 1 FROM loopwright.records WHERE run = r.id)",
            &[&row.run_id, &holder],
        )
        .await?;
    Ok(own.map(|row| row.get(0)))
}

impl PgStore {
    /// Returns the entry for a run that this program leads. Fails if the run does not exist, or if another program
    /// leads it.
    fn of(&self, run_id: &str) -> Result<LedRun, JournalError> {
        if let Some(led) = self.led_runs().get(run_id) {
            return Ok(*led);
        }
        let id = run_id.to_owned();
        self.wait(move |client| {
            let id = id.clone();
            work(async move { key(client, &id).await })
        })?;
        Err(JournalError::TakenOver(run_id.to_owned()))
    }

    /// Runs `look` with the key of a run. Fails if the run does not exist.
    fn of_run<T: Send + 'static>(
        &self,
        run_id: &str,
        look: impl for<'c> Fn(&'c Client, i64) -> super::Work<'c, T> + Send + Sync + Clone + 'static,
    ) -> Result<T, JournalError> {
        let id = run_id.to_owned();
        self.wait(move |client| {
            let (id, look) = (id.clone(), look.clone());
            work(async move {
                let run = key(client, &id).await?;
                look(client, run).await
            })
        })
    }

    fn let_go(&self, run_id: &str) -> JournalError {
        self.led_runs().remove(run_id);
        JournalError::TakenOver(run_id.to_owned())
    }

    /// Reads the selected records after number `after`, one page at a time.
    fn read_behind(
        &self,
        run_id: &str,
        select: Select<'_>,
        mut after: i64,
        each: &mut dyn FnMut(Record),
    ) -> Result<(), JournalError> {
        let wanted = Arc::new(Selection::of(select));
        let id: Arc<str> = run_id.into();
        let (mut left, mut offset) = (wanted.limit, wanted.offset);
        loop {
            let limit = PAGE.min(left);
            let (wanted, id) = (Arc::clone(&wanted), Arc::clone(&id));
            let page = self.of_run(run_id, move |client, run| {
                let (wanted, id) = (Arc::clone(&wanted), Arc::clone(&id));
                work(async move {
                    if limit == 0 {
                        return Ok(Vec::new());
                    }
                    let rows = wanted.page(client, run, after, limit, offset).await?;
                    read::records(client, &id, rows).await
                })
            })?;
            let count = i64::try_from(page.len()).unwrap_or(i64::MAX);
            for record in page {
                after = i64::try_from(record.seq).unwrap_or(i64::MAX);
                each(record);
            }
            (left, offset) = (left - count, 0);
            if count < PAGE {
                return Ok(());
            }
        }
    }
}

impl Journal for PgStore {
    fn create(&self, header: &RunHeader) -> Result<(), JournalError> {
        let row = Arc::new(NewRow::of(header)?);
        let holder = self.id;
        // The query below succeeds if this program has already added the run, because the answer to an earlier attempt may
        // have been lost. A run that this program already leads must therefore be reported here as existing.
        if self.led_runs().contains_key(&header.run_id) {
            return Err(JournalError::Exists(header.run_id.clone()));
        }
        let run = self.wait(move |client| {
            let row = Arc::clone(&row);
            work(async move {
                let change = client.transaction().await?;
                let run = create(&change, &row, holder).await?;
                change.commit().await?;
                Ok(run)
            })
        })?;
        let Some(run) = run else {
            return Err(JournalError::Exists(header.run_id.clone()));
        };
        let led = LedRun {
            run,
            epoch: 1,
            next: 0,
        };
        self.led_runs().insert(header.run_id.clone(), led);
        Ok(())
    }

    fn append(&self, run_id: &str, records: &[Record]) -> Result<(), JournalError> {
        let led = self.of(run_id)?;
        check_sequence(run_id, led.next, records)?;
        if records.is_empty() {
            return Ok(());
        }
        let append = Arc::new(Append::of(&led, records)?);
        if !self.add_to_run(&append)? {
            return Err(self.let_go(run_id));
        }
        let next = led.next + records.len() as u64;
        if let Some(led) = self.led_runs().get_mut(run_id) {
            led.next = next;
        }
        Ok(())
    }

    fn set_state(&self, run_id: &str, state: &RunState) -> Result<(), JournalError> {
        let led = self.of(run_id)?;
        let row = Arc::new(StateRow::of(state)?);
        let changed = self.wait(move |client| {
            let row = Arc::clone(&row);
            work(async move {
                let change = client.transaction().await?;
                let changed = write_state(&change, led.run, led.epoch, &row).await?;
                change.commit().await?;
                Ok(changed)
            })
        })?;
        if changed == 0 {
            return Err(self.let_go(run_id));
        }
        Ok(())
    }

    fn find(
        &self,
        filter: &RunFilter,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError> {
        let filter = filter.clone();
        self.wait(move |client| {
            let filter = filter.clone();
            work(async move { find::find(client, &filter, limit, offset).await })
        })
    }

    fn tally(&self, filter: &RunFilter) -> Result<RunTally, JournalError> {
        let filter = filter.clone();
        self.wait(move |client| {
            let filter = filter.clone();
            work(async move { find::tally(client, &filter).await })
        })
    }

    fn flows(&self) -> Result<Vec<(String, u64)>, JournalError> {
        self.wait(|client| {
            work(async move {
                let rows = client
                    .query(
                        "SELECT flow, count(*) FROM loopwright.runs GROUP BY flow ORDER BY flow",
                        &[],
                    )
                    .await?;
                Ok(rows
                    .iter()
                    .map(|row| (row.get(0), row.get::<_, i64>(1).unsigned_abs()))
                    .collect())
            })
        })
    }

    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<String>, JournalError> {
        let prefix = json_free(prefix);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.wait(move |client| {
            let prefix = prefix.clone();
            work(async move {
                let rows = client
                    .query(
                        "SELECT run_id FROM loopwright.runs WHERE run_id >= $1 AND starts_with(run_id, $1)
                         ORDER BY started_at DESC, run_id DESC LIMIT $2",
                        &[&prefix, &limit],
                    )
                    .await?;
                Ok(rows.iter().map(|row| row.get(0)).collect())
            })
        })
    }

    fn size(&self) -> Result<StoreSize, JournalError> {
        self.wait(|client| {
            work(async move {
                let row = client
                    .query_one(
                        "SELECT (SELECT count(*) FROM loopwright.runs),
                            (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
                             JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'loopwright' AND c.relkind = 'r')",
                        &[],
                    )
                    .await?;
                let bytes = row.get::<_, i64>(1).unsigned_abs();
                Ok(StoreSize {
                    runs: row.get::<_, i64>(0).unsigned_abs(),
                    used: bytes,
                    on_disk: bytes,
                })
            })
        })
    }

    fn run(&self, run_id: &str) -> Result<(RunHeader, RunState), JournalError> {
        let id = run_id.to_owned();
        self.wait(move |client| {
            let id = id.clone();
            work(async move { whole_run(client, &id).await })
        })
    }

    fn results(&self, run_id: &str, scope: &str) -> Result<u64, JournalError> {
        let scope = json_free(scope);
        self.of_run(run_id, move |client, run| {
            let scope = scope.clone();
            work(async move {
                let row = client
                    .query_one(
                        "SELECT count(*) FROM loopwright.records WHERE run = $1 AND path = $2 AND kind = 'iteration_completed'",
                        &[&run, &scope],
                    )
                    .await?;
                Ok(row.get::<_, i64>(0).unsigned_abs())
            })
        })
    }

    fn unanswered(
        &self,
        statuses: &[RunStatus],
    ) -> Result<Option<Vec<(String, String)>>, JournalError> {
        let statuses: Vec<String> = statuses.iter().map(word).collect();
        self.wait(move |client| {
            let statuses = statuses.clone();
            work(async move {
                // The subquery is computed per run, so that the records of ended runs are not read.
                let rows = client
                    .query(
                        "SELECT r.run_id, asked.path FROM loopwright.runs r CROSS JOIN LATERAL (
                            SELECT DISTINCT q.path FROM loopwright.records q
                            WHERE q.run = r.id AND q.kind = 'node_waiting' AND NOT EXISTS (
                                SELECT 1 FROM loopwright.records a WHERE a.run = q.run AND a.path = q.path
                                AND a.seq > q.seq AND a.kind IN ('node_answered', 'node_started')
                            )
                         ) asked WHERE r.status = ANY($1)",
                        &[&statuses],
                    )
                    .await?;
                Ok(Some(
                    rows.iter().map(|row| (row.get(0), row.get(1))).collect(),
                ))
            })
        })
    }

    fn read(&self, run_id: &str, select: Select<'_>) -> Result<Vec<Record>, JournalError> {
        let mut all = Vec::new();
        self.read_each(run_id, select, &mut |record| all.push(record))?;
        Ok(all)
    }

    fn read_from(&self, run_id: &str, seq: u64) -> Result<Vec<Record>, JournalError> {
        let mut records = Vec::new();
        let before = i64::try_from(seq).unwrap_or(i64::MAX) - 1;
        self.read_behind(run_id, Select::All, before, &mut |record| {
            records.push(record);
        })?;
        Ok(records)
    }

    fn read_each(
        &self,
        run_id: &str,
        select: Select<'_>,
        each: &mut dyn FnMut(Record),
    ) -> Result<(), JournalError> {
        self.read_behind(run_id, select, -1, each)
    }

    fn delete(&self, run_id: &str) -> Result<(), JournalError> {
        let id = json_free(run_id);
        let gone = self.wait(move |client| {
            let id = id.clone();
            work(async move {
                Ok(client
                    .execute("DELETE FROM loopwright.runs WHERE run_id = $1", &[&id])
                    .await?)
            })
        })?;
        self.led_runs().remove(run_id);
        match gone {
            0 => Err(JournalError::NoRun(run_id.to_owned())),
            _ => Ok(()),
        }
    }

    fn add(
        &self,
        header: &RunHeader,
        records: &[Record],
        state: &RunState,
    ) -> Result<(), JournalError> {
        check_sequence(&header.run_id, 0, records)?;
        let row = Arc::new(NewRow::of(header)?);
        let written = Arc::new(Written::of(records)?);
        let state = Arc::new(StateRow::of(state)?);
        let holder = self.id;
        let run = self.wait(move |client| {
            let (row, written, state) =
                (Arc::clone(&row), Arc::clone(&written), Arc::clone(&state));
            work(async move {
                let change = client.transaction().await?;
                let added = insert_run(&change, std::slice::from_ref(&*row), Some(holder)).await?;
                let Some((run, _)) = added.first() else {
                    return Ok(None);
                };
                add_records(&change, (*run, 1), &written, Locked::Awaited).await?;
                write_state(&change, *run, 1, &state).await?;
                change.commit().await?;
                Ok(Some(*run))
            })
        })?;
        let Some(run) = run else {
            return Err(JournalError::Exists(header.run_id.clone()));
        };
        let led = LedRun {
            run,
            epoch: 1,
            next: records.len() as u64,
        };
        self.led_runs().insert(header.run_id.clone(), led);
        Ok(())
    }

    /// Removes stored strings that no run uses.
    fn compact(&self) -> Result<(), JournalError> {
        self.wait(|client| {
            work(async move {
                let change = client.transaction().await?;
                // The lock prevents other programs from referring to a string while it is being removed.
                change
                    .batch_execute(
                        "LOCK TABLE loopwright.blob_uses IN SHARE ROW EXCLUSIVE MODE;
                         DELETE FROM loopwright.blobs b WHERE NOT EXISTS (SELECT 1 FROM loopwright.blob_uses u WHERE u.hash = b.hash)
                             AND NOT EXISTS (SELECT 1 FROM loopwright.run_values v WHERE v.document = b.hash);",
                    )
                    .await?;
                change.commit().await?;
                Ok(())
            })
        })
    }

    fn mark_seen(&self, run_id: &str) -> Result<(), JournalError> {
        self.of_run(run_id, |client, run| {
            work(async move {
                client
                    .execute(
                        "UPDATE loopwright.runs SET seen = true WHERE id = $1 AND NOT seen",
                        &[&run],
                    )
                    .await?;
                Ok(())
            })
        })
    }

    fn label(&self, run_id: &str) -> Result<RunLabel, JournalError> {
        self.of_run(run_id, |client, run| {
            work(async move {
                let row = client
                    .query_one(
                        "SELECT name, starred FROM loopwright.runs WHERE id = $1",
                        &[&run],
                    )
                    .await?;
                Ok(label(&row))
            })
        })
    }

    fn set_name(&self, run_id: &str, name: Option<&str>) -> Result<(), JournalError> {
        let text = name.map(|name| json_free(&name.to_lowercase()));
        let name = name.map(|name| Value::from(name).to_string());
        self.of_run(run_id, move |client, run| {
            let (name, text) = (name.clone(), text.clone());
            work(async move {
                client
                    .execute(
                        "UPDATE loopwright.runs SET name = $2, name_text = $3 WHERE id = $1",
                        &[&run, &name, &text],
                    )
                    .await?;
                Ok(())
            })
        })
    }

    fn set_starred(&self, run_id: &str, starred: bool) -> Result<(), JournalError> {
        self.of_run(run_id, move |client, run| {
            work(async move {
                client
                    .execute(
                        "UPDATE loopwright.runs SET starred = $2 WHERE id = $1",
                        &[&run, &starred],
                    )
                    .await?;
                Ok(())
            })
        })
    }

    fn run_size(&self, run_id: &str) -> Result<u64, JournalError> {
        self.of_run(run_id, |client, run| {
            work(async move {
                let row = client
                    .query_one(
                        "SELECT (SELECT coalesce(sum(octet_length(payload) + octet_length(path) + 60), 0) FROM loopwright.records WHERE run = $1)::bigint
                            + (SELECT coalesce(sum(octet_length(content)), 0) FROM loopwright.blobs b JOIN loopwright.blob_uses u USING (hash)
                               WHERE u.run = $1 AND NOT EXISTS (SELECT 1 FROM loopwright.blob_uses o WHERE o.hash = b.hash AND o.run <> $1))::bigint",
                        &[&run],
                    )
                    .await?;
                Ok(row.get::<_, i64>(0).unsigned_abs())
            })
        })
    }
}

async fn whole_run(client: &Client, run_id: &str) -> Result<(RunHeader, RunState), Failure> {
    let row = client
        .query_opt(
            "SELECT brief, state, document, inputs, setup, outputs, status FROM loopwright.runs JOIN loopwright.run_values ON run = id
             WHERE run_id = $1",
            &[&json_free(run_id)],
        )
        .await?;
    let Some(row) = row else {
        return Err(JournalError::NoRun(run_id.to_owned()).into());
    };
    let text = |column: usize| row.get::<_, Option<&str>>(column).unwrap_or_default();
    let document: [u8; 32] = row
        .get::<_, &[u8]>(2)
        .try_into()
        .map_err(|_| damaged(run_id, "the hash of its flow is invalid".to_owned()))?;
    let mut hashes = [document].into();
    for column in [0, 1, 3, 4, 5] {
        mentioned(text(column), &mut hashes);
    }
    let texts = read::texts(client, hashes).await?;
    let read = || -> Result<(RunHeader, RunState), String> {
        let brief: RunHeaderBrief = load(text(0), &texts)?;
        let mut state: RunState = load(text(1), &texts)?;
        state.status = status(&row, "status").unwrap_or(state.status);
        state.outputs = match text(5) {
            "" => None,
            outputs => Some(load(outputs, &texts)?),
        };
        let header = RunHeader {
            run_id: brief.run_id,
            flow: brief.flow,
            flow_path: brief.flow_path,
            started_at: brief.started_at,
            document: load_whole(&document, &texts)?,
            inputs: load(text(3), &texts)?,
            setup: match text(4) {
                "" => Default::default(),
                setup => load(setup, &texts)?,
            },
        };
        Ok((header, state))
    };
    read().map_err(|what| damaged(run_id, what))
}
