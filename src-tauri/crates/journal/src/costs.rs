//! The totals of what runs cost. They are written in the same transaction as the records, so they always equal a recount of the
//! records. They remain when a run is deleted.
//!
//! The runs in a file of an earlier version are counted later, because reading all of their records would delay the start. When
//! costs are requested, they are counted a few at a time. Each run is also counted before its next record is written and before
//! it is deleted.

use std::collections::{BTreeMap, BTreeSet};

use loopwright_engine::{
    Usage,
    costs::{Charge, CostRow, Costs, OpenCost, RunCosts},
    journal::Record,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    batches::Batch,
    blobs, entries,
    error::{StoreError, row_error},
    read::with_records_of,
    record_codes::charges,
    spending,
    value_cache::Cache,
};

/// The number of runs to count in one transaction, so that an active run never waits long.
const RUNS_A_STEP: i64 = 20;

const COLUMNS: &str = "calls, input_tokens, output_tokens, cost_microusd, unpriced_calls, cached_tokens, reasoning_tokens, \
     cut_off_calls";

const KEY: &str = "run = ?1 AND slot = ?2 AND flow = ?3 AND flow_path = ?4 AND schedule = ?5 AND node = ?6 AND model = ?7";

/// Sums of charges by slot, node and model.
type Charges = BTreeMap<(i64, String, String), Usage>;

fn add_charge(charges: &mut Charges, charge: Charge) {
    let key = (charge.slot, charge.node, charge.model);
    charges.entry(key).or_default().add(&charge.usage);
}

/// The costs of a run that is being written.
#[derive(Debug, Clone)]
pub(crate) struct RunLedger {
    flow: String,
    /// The path of the flow's file; empty if it has none.
    flow_path: String,
    /// The name of the schedule that started the run; empty if none did.
    schedule: String,
    costs: RunCosts,
    /// The charges that are not written yet, by slot, node and model.
    charges: Charges,
    /// The paths of executions with new records whose costs are not written yet.
    recorded: BTreeSet<String>,
}

impl RunLedger {
    /// Reads the costs of a run. If an older program wrote the run, the run is counted first.
    pub(crate) fn open(connection: &Connection, run: i64) -> Result<Self, StoreError> {
        let mut ledger = Self::read(connection, run)?;
        if is_uncounted(connection, run)? {
            ledger.count(connection, run)?;
        }
        Ok(ledger)
    }

    fn read(connection: &Connection, run: i64) -> Result<Self, StoreError> {
        let (flow, flow_path, taken_over, schedule) = connection
            .prepare_cached(
                "SELECT flow, coalesce(flow_path, ''), CASE WHEN json_valid(setup) THEN max(
                     coalesce(setup ->> '$.origin.kept_records', 0), coalesce(setup ->> '$.imported_records', 0)
                 ) ELSE 0 END, CASE WHEN json_valid(setup) THEN coalesce(setup ->> '$.schedule', '') ELSE '' END
                 FROM runs JOIN run_values ON run = id WHERE id = ?1",
            )?
            .query_row([run], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get::<_, i64>(2)?,
                    row.get(3)?,
                ))
            })
            .map_err(row_error)?;
        let mut open = BTreeMap::new();
        let mut statement =
            connection.prepare_cached("SELECT path, used FROM open_costs WHERE run = ?1")?;
        let mut rows = statement.query([run])?;
        while let Some(row) = rows.next()? {
            let (path, used): (String, String) = (
                row.get(0).map_err(row_error)?,
                row.get(1).map_err(row_error)?,
            );
            open.insert(path, blobs::parse::<OpenCost>(&used)?);
        }
        Ok(Self {
            flow,
            flow_path,
            schedule,
            costs: RunCosts::from_parts(taken_over.unsigned_abs(), open),
            charges: BTreeMap::new(),
            recorded: BTreeSet::new(),
        })
    }

    /// Updates the costs with the run's next record.
    pub(crate) fn take(&mut self, record: &Record) {
        let (charges, recorded) = (&mut self.charges, &mut self.recorded);
        self.costs.take(record, &mut |charge| {
            // A record of the run itself, such as one that resumes it, can charge executions that have not ended.
            if !record.path.is_empty() {
                recorded.insert(record.path.clone());
            }
            add_charge(charges, charge);
        });
    }

    fn charge(&mut self, charge: Charge) {
        add_charge(&mut self.charges, charge);
    }

    /// Writes the changes that result from the records taken since the last call.
    pub(crate) fn write(&mut self, connection: &Connection, run: i64) -> Result<(), StoreError> {
        for ((slot, node, model), usage) in std::mem::take(&mut self.charges) {
            let key = Key {
                run,
                slot,
                flow: &self.flow,
                flow_path: &self.flow_path,
                schedule: &self.schedule,
                node: &node,
                model: &model,
            };
            add(connection, &key, &usage)?;
        }
        for path in std::mem::take(&mut self.recorded) {
            spending::recorded(connection, run, &path)?;
        }
        for (path, open) in self.costs.take_changes() {
            match open {
                Some(open) => {
                    let used = serde_json::to_string(&open).map_err(StoreError::Json)?;
                    connection
                        .prepare_cached("INSERT OR REPLACE INTO open_costs VALUES (?1, ?2, ?3)")?
                        .execute(params![run, path, used])?;
                }
                None => {
                    connection
                        .prepare_cached("DELETE FROM open_costs WHERE run = ?1 AND path = ?2")?
                        .execute(params![run, path])?;
                }
            }
        }
        Ok(())
    }

    /// Counts all stored records of a run that an older program wrote. Damaged records are ignored.
    fn count(&mut self, connection: &Connection, run: i64) -> Result<(), StoreError> {
        let mut cache = Cache::default();
        let counted = with_records_of(connection, run, &mut |batch| {
            self.count_batch(connection, &batch, &mut cache)
        });
        if let Err(StoreError::Sqlite(error)) = counted {
            return Err(error.into());
        }
        self.write(connection, run)?;
        connection
            .prepare_cached("DELETE FROM uncounted_runs WHERE run = ?1")?
            .execute([run])?;
        Ok(())
    }

    fn count_batch(
        &mut self,
        connection: &Connection,
        batch: &Batch<'_>,
        cache: &mut Cache,
    ) -> Result<(), StoreError> {
        for index in 0..batch.len() {
            if !charges(batch.kind(index), self.costs.is_open(batch.path(index))) {
                continue;
            }
            let Some((row, true)) = batch.record(index) else {
                continue;
            };
            match entries::load(connection, batch, &row, cache) {
                Ok(entry) => self.take(&Record {
                    seq: row.seq(),
                    at: row.at,
                    path: row.path.to_owned(),
                    node_id: None,
                    entry,
                }),
                Err(StoreError::Sqlite(error)) => return Err(error.into()),
                Err(_) => {}
            }
        }
        Ok(())
    }
}

/// The key of a row of totals: its run, slot, flow, schedule, node and model. The run is 0 for deleted runs, and for costs that
/// belong to no run.
struct Key<'k> {
    run: i64,
    slot: i64,
    flow: &'k str,
    flow_path: &'k str,
    schedule: &'k str,
    node: &'k str,
    model: &'k str,
}

/// Adds usage to a row. The addition is not done in SQL, because SQLite's sums fail beyond 64 bits.
fn add(connection: &Connection, key: &Key<'_>, usage: &Usage) -> Result<(), StoreError> {
    let Key {
        run,
        slot,
        flow,
        flow_path,
        schedule,
        node,
        model,
    } = *key;
    let mut sum = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM costs WHERE {KEY}"))?
        .query_row(
            params![run, slot, flow, flow_path, schedule, node, model],
            |row| usage_at(row, 0),
        )
        .optional()
        .map_err(row_error)?
        .unwrap_or_default();
    sum.add(usage);
    let int = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    connection
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO costs (run, slot, flow, flow_path, schedule, node, model, {COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
        ))?
        .execute(params![
            run,
            slot,
            flow,
            flow_path,
            schedule,
            node,
            model,
            int(sum.calls),
            int(sum.input_tokens),
            int(sum.output_tokens),
            int(sum.cost_microusd),
            int(sum.unpriced_calls),
            int(sum.cached_tokens),
            int(sum.reasoning_tokens),
            int(sum.cut_off_calls.into()),
        ])?;
    Ok(())
}

/// Adds costs that do not belong to a stored run.
pub(crate) fn add_rows(connection: &Connection, rows: &[CostRow]) -> Result<(), StoreError> {
    for row in rows {
        let Charge {
            slot,
            node,
            model,
            usage,
        } = &row.charge;
        let key = Key {
            run: 0,
            slot: *slot,
            flow: &row.flow,
            flow_path: row.flow_path.as_deref().unwrap_or_default(),
            schedule: row.schedule.as_deref().unwrap_or_default(),
            node,
            model,
        };
        add(connection, &key, usage)?;
    }
    Ok(())
}

/// Reads the usage in a row whose column `first` is the first of [`COLUMNS`].
fn usage_at(row: &Row<'_>, first: usize) -> rusqlite::Result<Usage> {
    let count = |offset: usize| -> rusqlite::Result<u64> {
        Ok(row.get::<_, i64>(first + offset)?.unsigned_abs())
    };
    Ok(Usage {
        calls: count(0)?,
        input_tokens: count(1)?,
        output_tokens: count(2)?,
        cost_microusd: count(3)?,
        unpriced_calls: count(4)?,
        cached_tokens: count(5)?,
        reasoning_tokens: count(6)?,
        cut_off_calls: u32::try_from(count(7)?).unwrap_or(u32::MAX),
        // Sums of costs do not keep the lengths of prompts.
        longest_prompt: 0,
    })
}

fn is_uncounted(connection: &Connection, run: i64) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM uncounted_runs WHERE run = ?1)")?
        .query_row([run], |row| row.get(0))
}

/// Returns the number of runs whose costs are not in the totals yet.
pub(crate) fn uncounted(connection: &Connection) -> rusqlite::Result<u64> {
    let count: i64 = connection
        .prepare_cached("SELECT count(*) FROM uncounted_runs")?
        .query_row([], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Counts some of the runs that older programs wrote. Returns false if there were none left to count.
pub(crate) fn count_some(connection: &Connection) -> Result<bool, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT run FROM uncounted_runs ORDER BY run LIMIT ?1")?;
    let runs = statement.query_map([RUNS_A_STEP], |row| row.get(0))?;
    let runs: Vec<i64> = runs.collect::<rusqlite::Result<_>>()?;
    for run in &runs {
        match RunLedger::open(connection, *run) {
            Ok(_) => {}
            Err(StoreError::Sqlite(error)) => return Err(error.into()),
            // The run's own row cannot be read, so nothing is known about the run.
            Err(_) => {
                connection
                    .prepare_cached("DELETE FROM uncounted_runs WHERE run = ?1")?
                    .execute([run])?;
            }
        }
    }
    Ok(!runs.is_empty())
}

/// Adds the totals of a run to the totals of deleted runs. Call this before the run is deleted.
pub(crate) fn keep_sums(connection: &Connection, run: i64) -> Result<(), StoreError> {
    match RunLedger::open(connection, run) {
        Ok(mut ledger) => {
            let open: Vec<Charge> = ledger.costs.open_charges().collect();
            open.into_iter().for_each(|charge| ledger.charge(charge));
            ledger.write(connection, run)?;
        }
        Err(StoreError::Sqlite(error)) => return Err(error.into()),
        // A damaged run can still be deleted. Its totals, if there are any, are kept.
        Err(_) => {}
    }
    let mut statement = connection.prepare_cached(&format!(
        "SELECT slot, flow, flow_path, schedule, node, model, {COLUMNS} FROM costs WHERE run = ?1"
    ))?;
    let mut rows = statement.query([run])?;
    while let Some(row) = rows.next()? {
        let text = |index: usize| row.get::<_, String>(index).map_err(row_error);
        let slot = row.get(0).map_err(row_error)?;
        let key = Key {
            run: 0,
            slot,
            flow: &text(1)?,
            flow_path: &text(2)?,
            schedule: &text(3)?,
            node: &text(4)?,
            model: &text(5)?,
        };
        let usage = usage_at(row, 6).map_err(row_error)?;
        add(connection, &key, &usage)?;
    }
    drop(rows);
    spending::keep_lost(connection, run)?;
    for sql in [
        "DELETE FROM costs WHERE run = ?1",
        "DELETE FROM open_costs WHERE run = ?1",
        "DELETE FROM uncounted_runs WHERE run = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([run])?;
    }
    Ok(())
}

/// Returns the totals of the slots that begin at `since` or later and before `until`, including the usage of attempts in
/// progress. Both times are in milliseconds since the Unix epoch, UTC.
pub(crate) fn costs(connection: &Connection, since: i64, until: i64) -> Result<Costs, StoreError> {
    let columns: Vec<String> = COLUMNS
        .split(", ")
        .map(|column| format!("costs.{column}"))
        .collect();
    let mut statement = connection.prepare_cached(&format!(
        "SELECT run_id, costs.flow, costs.flow_path, slot, node, model, schedule, {} FROM costs LEFT JOIN runs ON runs.id = costs.run
         WHERE slot >= ?1 AND slot < ?2 ORDER BY slot, costs.run, node, model",
        columns.join(", ")
    ))?;
    let mut rows = statement.query([since, until])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let read = || -> rusqlite::Result<CostRow> {
            let (path, schedule): (String, String) = (row.get(2)?, row.get(6)?);
            Ok(CostRow {
                run_id: row.get(0)?,
                flow: row.get(1)?,
                flow_path: (!path.is_empty()).then_some(path),
                schedule: (!schedule.is_empty()).then_some(schedule),
                charge: Charge {
                    slot: row.get(3)?,
                    node: row.get(4)?,
                    model: row.get(5)?,
                    usage: usage_at(row, 7)?,
                },
            })
        };
        all.push(read().map_err(row_error)?);
    }
    all.extend(open_costs(connection)?.into_iter().filter(|row| {
        let slot = row.charge.slot;
        slot >= since && slot < until
    }));
    Ok(Costs {
        rows: all,
        uncounted_runs: uncounted(connection)?,
    })
}

/// Returns the usage of attempts in progress, including attempts whose program was killed.
fn open_costs(connection: &Connection) -> Result<Vec<CostRow>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT run_id, flow, flow_path, path, used, CASE WHEN json_valid(setup) THEN setup ->> '$.schedule' END
         FROM open_costs JOIN runs ON id = open_costs.run LEFT JOIN run_values ON run_values.run = id ORDER BY open_costs.run, path",
    )?;
    let mut rows = statement.query([])?;
    let mut open = Vec::new();
    while let Some(row) = rows.next()? {
        let path: String = row.get(3).map_err(row_error)?;
        let used: String = row.get(4).map_err(row_error)?;
        if let Some(charge) = blobs::parse::<OpenCost>(&used)?.charge(&path) {
            open.push(CostRow {
                run_id: row.get(0).map_err(row_error)?,
                flow: row.get(1).map_err(row_error)?,
                flow_path: row.get(2).map_err(row_error)?,
                schedule: row.get(5).map_err(row_error)?,
                charge,
            });
        }
    }
    Ok(open)
}
