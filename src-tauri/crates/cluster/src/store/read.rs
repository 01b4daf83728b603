//! Reads records, and the large strings that they refer to.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use deadpool_postgres::Client;
use loopwright_engine::journal::{JournalError, Record, Select};
use tokio_postgres::{
    Row,
    types::{ToSql, Type},
};

use super::{
    encode::{Hash, Texts, load_entry, mentioned},
    failure::Failure,
};

/// The number of records read in one query.
pub(crate) const PAGE: i64 = 500;

/// A selection of records: a condition in SQL and its parameters.
pub(crate) struct Selection {
    condition: &'static str,
    text: Option<String>,
    more: Option<String>,
    first: i64,
    last: i64,
    /// The number of records to skip.
    pub(crate) offset: i64,
    /// The maximum number of records to return after the skipped ones.
    pub(crate) limit: i64,
}

impl Selection {
    pub(crate) fn of(select: Select<'_>) -> Self {
        let all = Self {
            condition: "$2::text IS NULL AND $3::text IS NULL AND $4::bigint = 0 AND $5::bigint = 0",
            text: None,
            more: None,
            first: 0,
            last: 0,
            offset: 0,
            limit: i64::MAX,
        };
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        match select {
            Select::All => all,
            Select::Path(path) => Self {
                condition: "path = $2 AND $3::text IS NULL AND $4::bigint = 0 AND $5::bigint = 0",
                text: Some(json_free(path)),
                ..all
            },
            Select::Iteration { scope, index } => {
                let path = format!("{scope}[{}]", u64::from(index) + 1);
                Self {
                    // A path inside another begins with that path and `/`. The range of these paths ends before the path with
                    // `0`, because `0` is the character after `/`.
                    condition: "(path = $2 OR (path >= $2 || '/' AND path < $2 || '0')) AND $3::text IS NULL AND $4::bigint = 0 AND $5::bigint = 0",
                    text: Some(json_free(&path)),
                    ..all
                }
            }
            Select::Results(scope) => Self {
                condition: "path = $2 AND kind = $3 AND $4::bigint = 0 AND $5::bigint = 0",
                text: Some(json_free(scope)),
                more: Some("iteration_completed".to_owned()),
                ..all
            },
            Select::ResultsPage {
                scope,
                offset,
                limit,
            } => Self {
                offset: number(offset),
                limit: number(limit),
                ..Self::of(Select::Results(scope))
            },
            Select::Starts {
                scope,
                first,
                count,
            } => Self {
                condition: "path = $2 AND kind = $3 AND (payload::json ->> 'index')::bigint BETWEEN $4 AND $5",
                text: Some(json_free(scope)),
                more: Some("iteration_started".to_owned()),
                first: first.into(),
                last: i64::from(first) + i64::from(count) - 1,
                ..all
            },
            Select::Outline => Self {
                condition: "position('[' IN path) = 0 AND kind NOT IN ('iteration_started', 'condition_checked', 'iteration_completed')
                     AND $2::text IS NULL AND $3::text IS NULL AND $4::bigint = 0 AND $5::bigint = 0",
                ..all
            },
        }
    }

    /// Returns a page of the selected records after number `after`, in order. Fails if the store does not answer.
    pub(crate) async fn page(
        &self,
        client: &Client,
        run: i64,
        after: i64,
        limit: i64,
        offset: i64,
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        let sql = format!(
            "SELECT seq, at, path, node_id, payload FROM loopwright.records
             WHERE run = $1 AND {} AND seq > $6 ORDER BY seq LIMIT $7 OFFSET $8",
            self.condition
        );
        let statement = client
            .prepare_typed_cached(
                &sql,
                &[
                    Type::INT8,
                    Type::TEXT,
                    Type::TEXT,
                    Type::INT8,
                    Type::INT8,
                    Type::INT8,
                    Type::INT8,
                    Type::INT8,
                ],
            )
            .await?;
        let values: [&(dyn ToSql + Sync); 8] = [
            &run,
            &self.text,
            &self.more,
            &self.first,
            &self.last,
            &after,
            &limit,
            &offset,
        ];
        client.query(&statement, &values).await
    }
}

/// Replaces NUL, which PostgreSQL's `text` cannot contain. Stored ids contain no NUL either, so a search for an id with NUL
/// finds nothing.
pub(crate) fn json_free(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Reads the strings with these hashes. Fails if the store does not answer.
pub(crate) async fn texts(client: &Client, hashes: HashSet<Hash>) -> Result<Texts, Failure> {
    if hashes.is_empty() {
        return Ok(HashMap::new());
    }
    let hashes: Vec<Vec<u8>> = hashes.into_iter().map(Into::into).collect();
    let statement = client
        .prepare_cached("SELECT hash, content FROM loopwright.blobs WHERE hash = ANY($1)")
        .await?;
    let rows = client.query(&statement, &[&hashes]).await?;
    Ok(rows
        .iter()
        .filter_map(|row| {
            let hash: Hash = row.get::<_, &[u8]>(0).try_into().ok()?;
            // If the content is not UTF-8, the later check of its hash fails.
            Some((hash, Arc::from(String::from_utf8_lossy(row.get(1)))))
        })
        .collect())
}

/// Decodes rows to records. Fails if the store does not answer, or if a record is damaged.
pub(crate) async fn records(
    client: &Client,
    run_id: &str,
    rows: Vec<Row>,
) -> Result<Vec<Record>, Failure> {
    let mut hashes = HashSet::new();
    for row in &rows {
        mentioned(row.get(4), &mut hashes);
    }
    let texts = texts(client, hashes).await?;
    rows.iter()
        .map(|row| {
            let seq: i64 = row.get(0);
            let path: String = row.get(2);
            let entry = load_entry(row.get(4), &texts).map_err(|what| {
                damaged(
                    run_id,
                    format!("record {seq} of `{path}` cannot be read: {what}"),
                )
            })?;
            Ok(Record {
                seq: seq.unsigned_abs(),
                at: row.get(1),
                node_id: row.get::<_, Option<String>>(3).map(Into::into),
                path,
                entry,
            })
        })
        .collect()
}

pub(crate) fn damaged(run_id: &str, what: String) -> Failure {
    Failure::Journal(JournalError::DamagedRun {
        run_id: run_id.to_owned(),
        what,
    })
}
