//! Appends records. Each statement adds records only to runs that this program still leads.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, LazyLock},
};

use deadpool_postgres::{Client, GenericClient};
use loopwright_engine::journal::JournalError;
use tokio_postgres::types::{ToSql, Type};

use super::{
    connect::PgStore,
    connection_runtimes::apart,
    encode::Hash,
    failure::{Failure, work},
    group_commit::Answer,
    rows::columns,
    written::{Append, Written},
};

impl Append {
    async fn add(&self, client: &Client, locked: Locked) -> Result<u64, Failure> {
        add_records(client, (self.run, self.epoch), &self.written, locked).await
    }
}

/// Writes records of several runs. Returns the keys of the runs whose epoch still matched. Only the records of these
/// runs were written.
async fn add_together(client: &Client, appends: &[Arc<Append>]) -> Result<HashSet<i64>, Failure> {
    let (keys, epochs): (Vec<i64>, Vec<i64>) =
        appends.iter().map(|one| (one.run, one.epoch)).unzip();
    let each = |one: &Arc<Append>| std::iter::repeat_n(one.run, one.written.seqs.len());
    let of: Vec<i64> = appends.iter().flat_map(each).collect();
    let (mut seqs, mut ats) = (Vec::new(), Vec::new());
    let (mut paths, mut nodes) = (Vec::<&str>::new(), Vec::<Option<&str>>::new());
    let (mut kinds, mut payloads) = (Vec::<&str>::new(), Vec::<&str>::new());
    let mut texts = BTreeMap::<Hash, &str>::new();
    let (mut users, mut used) = (Vec::<i64>::new(), Vec::<&[u8]>::new());
    for one in appends {
        let written = &one.written;
        seqs.extend_from_slice(&written.seqs);
        ats.extend_from_slice(&written.ats);
        paths.extend(written.paths.iter().map(String::as_str));
        nodes.extend(written.nodes.iter().map(Option::as_deref));
        kinds.extend(written.kinds.iter().map(String::as_str));
        payloads.extend(written.payloads.iter().map(String::as_str));
        for (hash, text) in &written.texts.blobs {
            texts.insert(*hash, text);
            users.push(one.run);
            used.push(hash);
        }
    }
    let mut values: Vec<&(dyn ToSql + Sync)> = vec![
        &keys, &epochs, &of, &seqs, &ats, &paths, &nodes, &kinds, &payloads,
    ];
    let hashes: Vec<&[u8]> = texts.keys().map(<[u8; 32]>::as_slice).collect();
    let contents: Vec<&[u8]> = texts.values().map(|text| text.as_bytes()).collect();
    let statement = if hashes.is_empty() {
        client.prepare_cached(RECORDS_OF_SEVERAL).await?
    } else {
        values.extend([&users as &(dyn ToSql + Sync), &used, &hashes, &contents]);
        client.prepare_cached(TEXTS_OF_SEVERAL).await?
    };
    let mine = client.query(&statement, &values).await?;
    Ok(mine.iter().map(|row| row.get(0)).collect())
}

macro_rules! of_several {
    ($texts:literal) => {
        concat!(
            "WITH mine AS MATERIALIZED (
                SELECT r.id FROM loopwright.runs r JOIN unnest($1::bigint[], $2::bigint[]) AS a (id, epoch)
                ON r.id = a.id AND r.epoch = a.epoch FOR SHARE OF r SKIP LOCKED
             ), added AS (
                INSERT INTO loopwright.records (run, seq, at, path, node_id, kind, payload)
                SELECT r.* FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[])
                AS r (run, seq, at, path, node_id, kind, payload) JOIN mine ON mine.id = r.run
             )",
            $texts,
            " SELECT id FROM mine"
        )
    };
}

const RECORDS_OF_SEVERAL: &str = of_several!("");
const TEXTS_OF_SEVERAL: &str = of_several!(
    ", uses AS (
        SELECT u.* FROM unnest($10::bigint[], $11::bytea[]) AS u (run, hash) JOIN mine ON mine.id = u.run
     ), used AS (
        INSERT INTO loopwright.blob_uses (run, hash) SELECT run, hash FROM uses ON CONFLICT DO NOTHING
     ), texts AS (
        INSERT INTO loopwright.blobs (hash, content) SELECT t.* FROM unnest($12::bytea[], $13::bytea[]) AS t (hash, content)
        WHERE t.hash IN (SELECT hash FROM uses) ORDER BY t.hash ON CONFLICT DO NOTHING
     )"
);

/// What a statement does if another program has locked a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Locked {
    Awaited,
    Skipped,
}

/// The maximum number of records that a statement lists one by one. Compared with unnesting arrays, this saves PostgreSQL a
/// sixth of the work. A step of a run usually has two records.
const MAX_SINGLE_ROWS: usize = 4;

/// A statement that adds the records of one run, with the types of its parameters.
struct Statement {
    sql: String,
    types: Vec<Type>,
}

/// All statements, built once. Formatting the SQL again would cost a few microseconds for each step.
static STATEMENTS: LazyLock<Vec<Statement>> = LazyLock::new(|| {
    let shapes = (0..=MAX_SINGLE_ROWS).flat_map(|rows| [(rows, false), (rows, true)]);
    shapes
        .flat_map(|(rows, has_texts)| {
            [Locked::Awaited, Locked::Skipped].map(|locked| Statement::new(rows, has_texts, locked))
        })
        .collect()
});

impl Statement {
    /// Returns the statement for `rows` records. If `rows` is 0 or above [`MAX_SINGLE_ROWS`], the statement accepts any number of
    /// records, as lists.
    fn of(rows: usize, has_texts: bool, locked: Locked) -> &'static Self {
        let rows = if rows <= MAX_SINGLE_ROWS { rows } else { 0 };
        &STATEMENTS
            [(rows * 2 + usize::from(has_texts)) * 2 + usize::from(locked == Locked::Skipped)]
    }

    fn new(rows: usize, has_texts: bool, locked: Locked) -> Self {
        let skip = match locked {
            Locked::Awaited => "",
            Locked::Skipped => "SKIP LOCKED",
        };
        let mut types = vec![Type::INT8, Type::INT8];
        let texts = if has_texts {
            types.extend([Type::BYTEA_ARRAY, Type::BYTEA_ARRAY]);
            ", texts AS (INSERT INTO loopwright.blobs (hash, content)
                SELECT t.* FROM mine, unnest($3::bytea[], $4::bytea[]) AS t ON CONFLICT DO NOTHING)
             , used AS (INSERT INTO loopwright.blob_uses (run, hash)
                SELECT mine.id, u FROM mine, unnest($3::bytea[]) AS u ON CONFLICT DO NOTHING)"
        } else {
            ""
        };
        let mut places = types.len() + 1..;
        let mut row = |of: [Type; 2]| {
            let [number, text] = of;
            types.extend([number.clone(), number]);
            types.extend(std::iter::repeat_n(text, 4));
            let row: Vec<String> = places.by_ref().take(6).map(|at| format!("${at}")).collect();
            row.join(", ")
        };
        let records = match rows {
            0 => format!("unnest({})", row([Type::INT8_ARRAY, Type::TEXT_ARRAY])),
            rows => {
                let rows = (0..rows).map(|_| format!("({})", row([Type::INT8, Type::TEXT])));
                format!("(VALUES {})", rows.collect::<Vec<_>>().join(", "))
            }
        };
        let sql = format!(
            "WITH mine AS (SELECT id FROM loopwright.runs WHERE id = $1 AND epoch = $2 FOR SHARE {skip}) {texts}
             INSERT INTO loopwright.records (run, seq, at, path, node_id, kind, payload) SELECT mine.id, r.* FROM mine, {records} AS r"
        );
        Self { sql, types }
    }
}

/// Adds records if the epoch of the run is still that of the append. Returns the number of added records: all of them,
/// or 0. Fails if the store does not answer.
pub(super) async fn add_records(
    client: &impl GenericClient,
    (run, epoch): (i64, i64),
    written: &Written,
    locked: Locked,
) -> Result<u64, Failure> {
    let rows = written.seqs.len();
    if rows == 0 {
        return Ok(0);
    }
    let mut values: Vec<&(dyn ToSql + Sync)> =
        Vec::with_capacity(4 + 6 * rows.min(MAX_SINGLE_ROWS));
    values.extend([&run as &(dyn ToSql + Sync), &epoch]);
    let (hashes, contents) = columns(&written.texts);
    if !hashes.is_empty() {
        values.extend([&hashes as &(dyn ToSql + Sync), &contents]);
    }
    if rows > MAX_SINGLE_ROWS {
        values.extend([
            &written.seqs as &(dyn ToSql + Sync),
            &written.ats,
            &written.paths,
            &written.nodes,
            &written.kinds,
            &written.payloads,
        ]);
    } else {
        for at in 0..rows {
            values.extend([
                &written.seqs[at] as &(dyn ToSql + Sync),
                &written.ats[at],
                &written.paths[at],
                &written.nodes[at],
                &written.kinds[at],
                &written.payloads[at],
            ]);
        }
    }
    let Statement { sql, types } = Statement::of(rows, !hashes.is_empty(), locked);
    let statement = client.prepare_typed_cached(sql, types).await?;
    Ok(client.execute(&statement, &values).await?)
}

/// Returns whether the run has the epoch of the append and its last record is the last one of the append. If so, an earlier
/// attempt succeeded, but its answer was lost.
async fn has(client: &Client, append: &Append) -> Result<bool, Failure> {
    let row = client
        .query_opt(
            "SELECT (SELECT max(seq) FROM loopwright.records WHERE run = $1) FROM loopwright.runs WHERE id = $1 AND epoch = $2",
            &[&append.run, &append.epoch],
        )
        .await?;
    let last = append.written.last();
    Ok(row.is_some_and(|row| row.get::<_, Option<i64>>(0) == Some(last)))
}

impl PgStore {
    /// Adds a run's records, together with those of other runs that write at the same time. Returns `false` if another program
    /// leads the run.
    pub(super) fn add_to_run(&self, append: &Arc<Append>) -> Answer {
        apart(|| {
            let answer = self
                .group_commit
                .write(append, |appends| self.add_all(appends));
            answer.unwrap_or_else(|| self.add_one(append))
        })
    }

    /// Writes those appends whose runs no other program has locked. Returns an answer for each append, or `None` if the append
    /// must be written alone. A run that stays locked does not delay the others.
    fn add_all(&self, appends: &[Arc<Append>]) -> Vec<Option<Answer>> {
        let all: Arc<[Arc<Append>]> = appends.into();
        let together = self.wait(move |client| {
            let all = Arc::clone(&all);
            work(async move {
                match &*all {
                    [one] => {
                        let added = one.add(client, Locked::Skipped).await?;
                        Ok((added > 0).then_some(one.run).into_iter().collect())
                    }
                    all => add_together(client, all).await,
                }
            })
        });
        let answer = |one: &Arc<Append>| match &together {
            Ok(written) => written.contains(&one.run).then_some(Ok(true)),
            // A single append may have caused the error, or an earlier attempt may have written all appends although
            // its answer was lost. Each append is therefore written alone.
            Err(JournalError::Write(_)) => None,
            Err(error) => Some(Err(error.clone())),
        };
        appends.iter().map(answer).collect()
    }

    /// Writes one append alone. Returns `false` if another program leads the run.
    fn add_one(&self, append: &Arc<Append>) -> Answer {
        let append = Arc::clone(append);
        self.wait(move |client| {
            let append = Arc::clone(&append);
            work(async move {
                match append.add(client, Locked::Awaited).await {
                    Ok(added) => Ok(added > 0),
                    Err(failure) if failure.is_double() => has(client, &append).await,
                    Err(failure) => Err(failure),
                }
            })
        })
    }
}
