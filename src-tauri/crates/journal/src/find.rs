//! The search for runs: converts a filter to a condition in SQL.

use loopwright_engine::journal::{RunFilter, RunHeaderBrief, RunState, RunTally, StoreSize};
use rusqlite::{Connection, OptionalExtension, ToSql, params_from_iter};

use crate::{
    error::StoreError,
    rows::{RUN, listed, word},
    search_text,
};

/// SQL that selects the runs whose text contains the quoted phrase.
const INDEXED: &str = "SELECT rowid / 2 FROM run_texts WHERE run_texts MATCH ?";

/// SQL that selects the runs whose own names contain a lowercase word. Few runs have a name, and these have a separate index.
const NAMED: &str = "SELECT id FROM runs WHERE name_text IS NOT NULL AND instr(name_text, ?) > 0";

/// SQL that matches a lowercase word that is too short for the text index, in the flow's name, the error, the inputs or the
/// outputs. Uppercase letters beyond ASCII do not match. Long text is stored under its hash, so the query looks up its content.
const SHORT: &str = "(instr(lower(runs.flow), ?) > 0
    OR instr(lower(coalesce(runs.state ->> '$.error.message', '')), ?) > 0
    OR EXISTS (
        SELECT 1 FROM run_values AS held,
            json_tree(json_array(json(held.inputs), json(coalesce(held.outputs, 'null')))) AS leaf
        WHERE held.run = runs.id AND leaf.type IN ('text', 'integer', 'real') AND instr(lower(CASE
            WHEN leaf.atom LIKE 'blob:blake3:%' THEN
                coalesce((SELECT content FROM blobs WHERE hash = unhex(substr(leaf.atom, 13))), '')
            ELSE leaf.atom END), ?) > 0
    ))";

/// Quotes a word so that the index treats it as literal text.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

/// An SQL condition with the values of its parameters.
struct Condition {
    sql: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Condition {
    fn of(filter: &RunFilter) -> Result<Self, StoreError> {
        let mut all = Self {
            sql: "1".to_owned(),
            values: Vec::new(),
        };
        let words = |list: Vec<Result<String, StoreError>>| list.into_iter().collect();
        let statuses: Result<Vec<String>, _> = words(filter.statuses.iter().map(word).collect());
        all.one_of("status", statuses?);
        let reasons: Result<Vec<String>, _> = words(filter.exit_reasons.iter().map(word).collect());
        all.one_of("exit_reason", reasons?);
        if let Some(flow) = &filter.flow {
            all.and("flow = ?", flow.clone());
        }
        if let Some(since) = filter.since {
            all.and("started_at >= ?", since);
        }
        if let Some(until) = filter.until {
            all.and("started_at < ?", until);
        }
        if let Some(seen) = filter.seen {
            all.and("seen = ?", seen);
        }
        if let Some(starred) = filter.starred {
            all.and("starred = ?", starred);
        }
        if filter.batch.is_some() {
            all.sql.push_str(" AND 0");
        }
        let (long, short) = search_text::words(&filter.text);
        for word in &long {
            all.and(&format!("id IN ({INDEXED} UNION {NAMED})"), quoted(word));
            all.values.push(Box::new(word.to_lowercase()));
        }
        if short.is_empty() {
            return Ok(all);
        }
        // If the search also has longer words, the index may contain the whole phrase. Otherwise, the text of the runs is
        // scanned.
        let each = format!("({SHORT} OR id IN ({NAMED}))");
        let mut either = vec![each.as_str(); short.len()].join(" AND ");
        if !long.is_empty() {
            either = format!("(id IN ({INDEXED}) OR ({either}))");
            all.values.push(Box::new(quoted(filter.text.trim())));
        }
        all.sql.push_str(" AND ");
        all.sql.push_str(&either);
        for word in short {
            for _ in each.matches('?') {
                all.values.push(Box::new(word.to_lowercase()));
            }
        }
        Ok(all)
    }

    fn and(&mut self, sql: &str, value: impl ToSql + 'static) {
        self.sql.push_str(" AND ");
        self.sql.push_str(sql);
        self.values.push(Box::new(value));
    }

    fn one_of(&mut self, column: &str, words: Vec<String>) {
        if words.is_empty() {
            return;
        }
        let marks = vec!["?"; words.len()].join(", ");
        self.sql.push_str(&format!(" AND {column} IN ({marks})"));
        for word in words {
            self.values.push(Box::new(word));
        }
    }

    fn values(&self) -> impl Iterator<Item = &dyn ToSql> {
        self.values.iter().map(|value| &**value)
    }
}

pub(crate) fn find(
    connection: &Connection,
    filter: &RunFilter,
    limit: usize,
    offset: usize,
) -> Result<Vec<(RunHeaderBrief, RunState)>, StoreError> {
    let mut condition = Condition::of(filter)?;
    let page = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
    condition.values.push(Box::new(page(limit)));
    condition.values.push(Box::new(page(offset)));
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {RUN} FROM runs WHERE {}
         ORDER BY started_at DESC, run_id DESC LIMIT ? OFFSET ?",
        condition.sql
    ))?;
    let mut rows = statement.query(params_from_iter(condition.values()))?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        runs.push(listed(connection, row)?);
    }
    Ok(runs)
}

pub(crate) fn tally(connection: &Connection, filter: &RunFilter) -> Result<RunTally, StoreError> {
    let condition = Condition::of(filter)?;
    // The sum is computed in two halves, because SQLite's sums fail beyond 64 bits.
    let (runs, upper, lower, timed): (i64, i64, i64, i64) = connection
        .prepare_cached(&format!(
            "SELECT count(*), coalesce(sum(cost_microusd >> 32), 0), coalesce(sum(cost_microusd & 4294967295), 0),
                count(duration_ms) FROM runs WHERE {}",
            condition.sql
        ))?
        .query_row(params_from_iter(condition.values()), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
    let cost = (i128::from(upper) << 32) + i128::from(lower);
    let median: Option<i64> = connection
        .prepare_cached(&format!(
            "SELECT duration_ms FROM runs WHERE duration_ms IS NOT NULL AND {}
             ORDER BY duration_ms LIMIT 1 OFFSET {}",
            condition.sql,
            (timed - 1).max(0) / 2
        ))?
        .query_row(params_from_iter(condition.values()), |row| row.get(0))
        .optional()?;
    Ok(RunTally {
        runs: runs.unsigned_abs(),
        cost_microusd: u64::try_from(cost.max(0)).unwrap_or(u64::MAX),
        median_ms: median.map(i64::unsigned_abs),
    })
}

pub(crate) fn flows(connection: &Connection) -> Result<Vec<(String, u64)>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT flow, count(*) FROM runs GROUP BY flow ORDER BY flow")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?;
    let mut flows = Vec::new();
    for row in rows {
        let (flow, count) = row?;
        flows.push((flow, count.unsigned_abs()));
    }
    Ok(flows)
}

pub(crate) fn ids(
    connection: &Connection,
    prefix: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    // The prefix is searched as a range of the unique index. The range ends with the last character of Unicode.
    let mut statement = connection.prepare_cached(
        "SELECT run_id FROM runs WHERE run_id >= ?1 AND run_id < ?1 || char(0x10ffff)
         ORDER BY started_at DESC, run_id DESC LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(rusqlite::params![prefix, limit], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the number of runs in the store, and its size in bytes. `on_disk` does not include the companion files.
pub(crate) fn size(connection: &Connection) -> Result<StoreSize, StoreError> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let page = number("PRAGMA page_size")?.unsigned_abs();
    let pages = number("PRAGMA page_count")?.unsigned_abs();
    let free = number("PRAGMA freelist_count")?.unsigned_abs();
    Ok(StoreSize {
        runs: number("SELECT count(*) FROM runs")?.unsigned_abs(),
        used: pages.saturating_sub(free) * page,
        on_disk: pages * page,
    })
}
