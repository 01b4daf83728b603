//! The storage of records. Up to [`MOST`] records that are written together share a row. With a row and an index entry for
//! each record, writing would take half the time of a loop's iteration.
//!
//! In a row, `heads` is a JSON list that describes each record, and `payloads` contains the entries of the records in order.
//! `paths` summarizes the records' paths, so that a selection reads only the rows that may match; see [`crate::directory`].
//! The view `records` shows one row per record to people who inspect the file.

use std::{
    borrow::Cow,
    fmt,
    ops::{Deref, Range},
};

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Visitor};

use crate::{
    directory::{Paths, paths_sum},
    error::{StoreError, row_error},
    place::{changed, seq},
    record_row::RecordRow,
    rows::text,
    sums::sum,
};

/// The maximum number of records in a row.
const MOST: usize = 256;

/// The size of a row's payloads, in bytes, at which the next record begins a new row, so that reading one record does not
/// require reading many megabytes.
const MOST_BYTES: usize = 256 << 10;

/// The columns of a row of records, in the order in which they are read.
pub(crate) const BATCH: &str = "place, records, at, heads, heads_sum, payloads";

const INSERT: &str =
    "INSERT INTO record_batches (place, records, at, paths_sum, heads_sum, paths, heads, payloads)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

/// SQL that computes the number of a run's records from the run's last row. It returns no row for a run without records.
const COUNT: &str = "SELECT (place & 4294967295) + records FROM record_batches
     WHERE place >= ?1 << 32 AND place < (?1 + 1) << 32 ORDER BY place DESC LIMIT 1";

/// The node of a record, as stored in `heads`: `null` for no node, `true` if the node's name is the last name of the record's
/// path, otherwise the node's name.
#[derive(Debug, Clone)]
enum Node<'h> {
    None,
    Last,
    Named(Cow<'h, str>),
}

impl<'h> Node<'h> {
    fn new(path: &str, node: Option<&'h str>) -> Self {
        match node {
            None => Self::None,
            Some(node) if node == last(path) => Self::Last,
            Some(node) => Self::Named(Cow::Borrowed(node)),
        }
    }

    fn of<'n>(&'n self, path: &'n str) -> Option<&'n str> {
        match self {
            Self::None => None,
            Self::Last => Some(last(path)),
            Self::Named(node) => Some(node),
        }
    }
}

fn last(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => to.serialize_unit(),
            Self::Last => to.serialize_bool(true),
            Self::Named(node) => to.serialize_str(node),
        }
    }
}

impl<'de: 'h, 'h> Deserialize<'de> for Node<'h> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct NodeText;
        impl<'h> Visitor<'h> for NodeText {
            type Value = Node<'h>;

            fn expecting(&self, words: &mut fmt::Formatter<'_>) -> fmt::Result {
                words.write_str("null, true or text")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Node::None)
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(Node::Last)
            }

            fn visit_borrowed_str<E>(self, text: &'h str) -> Result<Self::Value, E> {
                Ok(Node::Named(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Node::Named(Cow::Owned(text.to_owned())))
            }
        }
        from.deserialize_any(NodeText)
    }
}

/// The description of a record, without its payload.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head<'h>(
    /// The time of the record, in milliseconds since the first record of the row.
    i64,
    /// The path of the record.
    #[serde(borrow)]
    Cow<'h, str>,
    #[serde(borrow)] Node<'h>,
    /// The kind of the record, as in [`crate::record_codes`].
    #[serde(borrow)]
    Cow<'h, str>,
    /// The length of the record's payload, in bytes.
    usize,
    /// The record's checksum.
    i64,
);

/// A row that is being built. Its memory is reused for the next row.
#[derive(Debug, Default)]
pub(crate) struct NewBatch {
    place: i64,
    records: usize,
    at: i64,
    paths: Paths,
    heads: Vec<u8>,
    payloads: String,
}

impl NewBatch {
    /// Adds a record with the checksum `sum`. `iteration` is the index of the iteration, if the record is about an iteration of
    /// a scope. Writes the current row first if the record does not belong to it.
    pub(crate) fn add(
        &mut self,
        connection: &Connection,
        row: &RecordRow<'_>,
        iteration: Option<u32>,
        sum: i64,
    ) -> Result<(), StoreError> {
        let is_full = self.records == MOST || self.payloads.len() >= MOST_BYTES;
        let follows = self.place.checked_add(int(self.records)) == Some(row.place);
        if is_full || (self.records > 0 && !follows) {
            self.write(connection)?;
        }
        if self.records == 0 {
            (self.place, self.at) = (row.place, row.at);
        }
        self.heads.push(if self.records == 0 { b'[' } else { b',' });
        let head = Head(
            row.at.wrapping_sub(self.at),
            Cow::Borrowed(row.path),
            Node::new(row.path, row.node_id),
            Cow::Borrowed(row.kind),
            row.payload.len(),
            sum,
        );
        serde_json::to_writer(&mut self.heads, &head).map_err(StoreError::Json)?;
        self.paths.add(row.path, row.kind, iteration);
        self.payloads.push_str(row.payload);
        self.records += 1;
        Ok(())
    }

    /// Discards the unwritten records after a failure.
    pub(crate) fn clear(&mut self) {
        self.records = 0;
        self.paths.clear();
        self.heads.clear();
        self.payloads.clear();
        // The buffer is shrunk, because it would otherwise keep the memory of a few large records forever.
        self.payloads.shrink_to(2 * MOST_BYTES);
    }

    /// Writes the row, if it has records.
    pub(crate) fn write(&mut self, connection: &Connection) -> Result<(), StoreError> {
        if self.records == 0 {
            return Ok(());
        }
        self.heads.push(b']');
        let heads = std::str::from_utf8(&self.heads)
            .map_err(|error| StoreError::Changed(error.to_string()))?;
        let (place, records) = (self.place, int(self.records));
        let paths = self.paths.json()?;
        connection.prepare_cached(INSERT)?.execute(params![
            place,
            records,
            self.at,
            paths_sum(place, records, &paths),
            heads_sum(place, records, self.at, heads),
            paths,
            heads,
            self.payloads,
        ])?;
        self.clear();
        Ok(())
    }
}

fn int(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn heads_sum(place: i64, records: i64, at: i64, heads: &str) -> i64 {
    sum(
        "record_batches.heads",
        &[place.into(), records.into(), at.into(), heads.into()],
    )
}

/// A row of records.
#[derive(Debug, Default)]
pub(crate) struct Batch<'r> {
    place: i64,
    at: i64,
    heads: Vec<Head<'r>>,
    payloads: Cow<'r, str>,
    /// The position of each payload in the row's payloads.
    spans: Vec<Range<usize>>,
}

impl<'r> Batch<'r> {
    /// Reads a row of [`BATCH`]. The heads are checked here; each payload is checked when its record is read.
    pub(crate) fn read(row: &'r Row<'_>) -> Result<Self, StoreError> {
        let place: i64 = row.get(0).map_err(row_error)?;
        let read = || -> rusqlite::Result<_> {
            Ok((
                row.get::<_, i64>(1)?,
                row.get::<_, i64>(2)?,
                text(row, 3)?,
                row.get::<_, i64>(4)?,
                text(row, 5),
            ))
        };
        let (records, at, heads, heads_are, payloads) =
            read().map_err(|error| match row_error(error) {
                StoreError::Sqlite(error) => error.into(),
                _ => changed(place),
            })?;
        if heads_are != heads_sum(place, records, at, heads) {
            return Err(changed(place));
        }
        let heads: Vec<Head<'_>> = serde_json::from_str(heads).map_err(|_| changed(place))?;
        let mut end = 0_usize;
        let spans = heads
            .iter()
            .map(|head| {
                let begin = end;
                end = end.saturating_add(head.4);
                begin..end
            })
            .collect();
        Ok(Self {
            place,
            at,
            heads,
            payloads: Cow::Borrowed(payloads.map_err(|_| changed(place))?),
            spans,
        })
    }

    /// Passes the last row that begins at or before `place` to `look`, and returns the result of `look`. Only that row can
    /// contain the record at `place`. Returns `None` if there is no such row.
    pub(crate) fn with<T>(
        connection: &Connection,
        place: i64,
        look: impl FnOnce(Batch<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {BATCH} FROM record_batches WHERE place <= ?1 ORDER BY place DESC LIMIT 1"
        ))?;
        let mut found = statement.query([place])?;
        found
            .next()?
            .map(|row| Batch::read(row).and_then(look))
            .transpose()
    }

    pub(crate) fn into_owned(self) -> Batch<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let heads = self.heads.into_iter().map(|head| {
            let node = match head.2 {
                Node::None => Node::None,
                Node::Last => Node::Last,
                Node::Named(node) => Node::Named(own(node)),
            };
            Head(head.0, own(head.1), node, own(head.3), head.4, head.5)
        });
        Batch {
            place: self.place,
            at: self.at,
            heads: heads.collect(),
            payloads: own(self.payloads),
            spans: self.spans,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(crate) fn path(&self, index: usize) -> &str {
        self.heads.get(index).map_or("", |head| head.1.deref())
    }

    pub(crate) fn kind(&self, index: usize) -> &str {
        self.heads.get(index).map_or("", |head| head.3.deref())
    }

    /// Returns the number of the first record in the row.
    pub(crate) fn first(&self) -> u64 {
        seq(self.place)
    }

    /// Returns the record at `place`, and whether the record is unchanged since it was written; `None` if this row does not
    /// contain the place.
    pub(crate) fn at_place(&self, place: i64) -> Option<(RecordRow<'_>, bool)> {
        let index = place.checked_sub(self.place)?;
        self.record(usize::try_from(index).ok()?)
    }

    /// Returns the record at an index in the row, and whether the record is unchanged since it was written. `None` if the row
    /// has no such record.
    pub(crate) fn record(&self, index: usize) -> Option<(RecordRow<'_>, bool)> {
        let Head(after, path, node, kind, _, expected) = self.heads.get(index)?;
        let payload = self.payloads.get(self.spans.get(index)?.clone());
        let row = RecordRow {
            place: self.place.wrapping_add(int(index)),
            run: self.place >> 32,
            at: self.at.wrapping_add(*after),
            path,
            node_id: node.of(path),
            kind,
            payload: payload.unwrap_or_default(),
        };
        let is_sound = payload.is_some() && row.sum() == *expected;
        Some((row, is_sound))
    }
}

/// Returns the number of a run's records, from the run's last row: 0 for a run without records.
pub(crate) fn count(connection: &Connection, run: i64) -> rusqlite::Result<u64> {
    let found: Option<i64> = connection
        .prepare_cached(COUNT)?
        .query_row([run], |row| row.get(0))
        .optional()?;
    Ok(found.unwrap_or(0).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_says_what_a_record_is() {
        for (path, node) in [
            ("", None),
            ("a", None),
            ("a", Some("a")),
            ("a[1]/b", Some("b")),
            ("a[1]/b", Some("")),
            ("a[1]/b", Some("a \"quoted\" \u{1} name")),
            ("a/", Some("")),
        ] {
            let head = Head(
                -3,
                path.into(),
                Node::new(path, node),
                "vc".into(),
                7,
                i64::MIN,
            );
            let json = serde_json::to_string(&head).expect("a head is JSON");
            let Head(after, read, named, kind, length, sum) =
                serde_json::from_str(&json).expect("a head is read");
            assert_eq!((after, &*read, named.of(path)), (-3, path, node), "{json}");
            assert_eq!((&*kind, length, sum), ("vc", 7, i64::MIN));
        }
    }
}
