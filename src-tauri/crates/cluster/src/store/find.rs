//! Lists and counts runs.

use deadpool_postgres::Client;
use loopwright_engine::journal::{
    RunFilter, RunHeaderBrief, RunLabel, RunState, RunTally, damaged_entry,
};
use loopwright_journal::search_text;
use tokio_postgres::{Row, types::ToSql};

use super::{
    encode::{load, mentioned},
    failure::Failure,
    read::{json_free, texts},
    rows::{brief, label, status, word},
};

/// A condition in SQL with the values of its parameters.
#[derive(Default)]
struct Condition {
    sql: Vec<String>,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Condition {
    /// Adds a clause. `$` in `sql` stands for the value.
    fn add(&mut self, sql: &str, value: impl ToSql + Sync + Send + 'static) {
        self.values.push(Box::new(value));
        self.sql
            .push(sql.replace('$', &format!("${}", self.values.len())));
    }

    fn of(filter: &RunFilter) -> Self {
        let mut all = Self::default();
        if !filter.statuses.is_empty() {
            let statuses: Vec<String> = filter.statuses.iter().map(word).collect();
            all.add("status = ANY($)", statuses);
        }
        if !filter.exit_reasons.is_empty() {
            let reasons: Vec<String> = filter.exit_reasons.iter().map(word).collect();
            all.add("exit_reason = ANY($)", reasons);
        }
        if let Some(flow) = &filter.flow {
            all.add("flow = $", json_free(flow));
        }
        if let Some(since) = filter.since {
            all.add("started_at >= $", since);
        }
        if let Some(until) = filter.until {
            all.add("started_at < $", until);
        }
        if let Some(seen) = filter.seen {
            all.add("seen = $", seen);
        }
        if let Some(starred) = filter.starred {
            all.add("starred = $", starred);
        }
        if let Some(batch) = &filter.batch {
            all.add(
                "batch = (SELECT id FROM loopwright.batches WHERE name = $)",
                json_free(batch),
            );
        }
        let (long, short) = search_text::words(&filter.text);
        let pattern = |text: &str| format!("%{}%", escaped(&json_free(&text.to_lowercase())));
        for word in &long {
            all.add(
                "(begin_text LIKE $ OR end_text LIKE $ OR name_text LIKE $)",
                pattern(word),
            );
        }
        if !short.is_empty() {
            // A run matches if it contains the whole search text, or if its values contain each short word of that text.
            let mut each = Vec::new();
            for word in &short {
                all.values.push(Box::new(pattern(word)));
                let number = all.values.len();
                each.push(format!(
                    "(values_text LIKE ${number} OR end_text LIKE ${number} OR name_text LIKE ${number})"
                ));
            }
            let mut either = format!("({})", each.join(" AND "));
            if !long.is_empty() {
                all.values.push(Box::new(pattern(filter.text.trim())));
                let number = all.values.len();
                either =
                    format!("({either} OR begin_text LIKE ${number} OR end_text LIKE ${number})");
            }
            all.sql.push(either);
        }
        all
    }

    fn text(&self) -> String {
        if self.sql.is_empty() {
            return "true".to_owned();
        }
        self.sql.join(" AND ")
    }

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values
            .iter()
            .map(|value| &**value as &(dyn ToSql + Sync))
            .collect()
    }
}

/// Escapes the characters that have a special meaning in `LIKE`.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_")
}

pub(crate) async fn find(
    client: &Client,
    filter: &RunFilter,
    limit: usize,
    offset: usize,
) -> Result<Vec<(RunHeaderBrief, RunState)>, Failure> {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let mut meant = Condition::of(filter);
    let condition = meant.text();
    meant.values.push(Box::new(number(limit)));
    meant.values.push(Box::new(number(offset)));
    let count = meant.values.len();
    let sql = format!(
        "SELECT brief, state, status, name, starred, run_id, flow, started_at FROM loopwright.runs WHERE {condition}
         ORDER BY started_at DESC, run_id DESC LIMIT ${} OFFSET ${count}",
        count - 1
    );
    let rows = client.query(&sql, &meant.values()).await?;
    let mut hashes = Default::default();
    for row in &rows {
        mentioned(row.get(0), &mut hashes);
        mentioned(row.get(1), &mut hashes);
    }
    let texts = texts(client, hashes).await?;
    let entries = rows.iter().map(|row| {
        let brief = load(row.get(0), &texts).or_else(|_| brief(row.get(0)));
        let state = load::<RunState>(row.get(1), &texts);
        match (brief, state) {
            (Ok(mut brief), Ok(mut state)) => {
                brief.label = label(row);
                state.status = status(row, "status").unwrap_or(state.status);
                (brief, state)
            }
            // One damaged run must not hide the others.
            (brief, state) => damaged_run(row, brief, state),
        }
    });
    Ok(entries.collect())
}

/// Returns the list entry of a run whose header or state cannot be read.
fn damaged_run(
    row: &Row,
    brief: Result<RunHeaderBrief, String>,
    state: Result<RunState, String>,
) -> (RunHeaderBrief, RunState) {
    let what = [brief.as_ref().err(), state.as_ref().err()]
        .into_iter()
        .flatten()
        .next()
        .cloned()
        .unwrap_or_default();
    let brief = brief.unwrap_or_else(|_| RunHeaderBrief {
        run_id: row.get("run_id"),
        flow: row.get("flow"),
        flow_path: None,
        started_at: row.get("started_at"),
        forked_from: None,
        damage: None,
        label: RunLabel::default(),
    });
    let brief = RunHeaderBrief {
        label: label(row),
        ..brief
    };
    damaged_entry(brief, &what)
}

pub(crate) async fn tally(client: &Client, filter: &RunFilter) -> Result<RunTally, Failure> {
    let meant = Condition::of(filter);
    let sql = format!(
        "SELECT count(*), coalesce(sum(cost_microusd), 0)::text,
             percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ms)
         FROM loopwright.runs WHERE {}",
        meant.text()
    );
    let row = client.query_one(&sql, &meant.values()).await?;
    let cost: u128 = row.get::<_, &str>(1).parse().unwrap_or(u128::MAX);
    Ok(RunTally {
        runs: row.get::<_, i64>(0).unsigned_abs(),
        cost_microusd: u64::try_from(cost).unwrap_or(u64::MAX),
        median_ms: row.get::<_, Option<i64>>(2).map(i64::unsigned_abs),
    })
}
