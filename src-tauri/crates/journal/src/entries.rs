//! The storage of a record's entry, as JSON in which each value of a run is usually written only once. The first record with a
//! value contains the value, or its hash if it is large (see [`crate::blobs`]). Every later record refers to the first one.
//!
//! A loop passes the same text from node to node: out of one, into the next, and to the iteration's result. Written in full at
//! each of these places, the text would fill most of the store.

use loopwright_engine::journal::{Completed, Fact, Input};
use std::sync::{Arc, LazyLock};

use loopwright_engine::journal::Entry;
use memchr::memmem::Finder;
use rusqlite::Connection;
use serde_json::Value;

use crate::{
    batches::Batch,
    blobs::{self, JSON_MARKER, LARGE, MARKER, SAME, is_reserved},
    error::{DEEPEST, StoreError},
    record_codes::{self, Form},
    record_row::RecordRow,
    value_cache::{Cache, Kept, Key},
};

/// A prepared search for [`SAME`] after a quote, which is how a reference to another record's value begins. It is prepared
/// once, because preparing it takes longer than searching a record.
static SAME_TEXT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"=#"));
/// A prepared search for [`MARKER`] after a quote, which is how the marker of a blob begins. It is prepared once, as
/// [`SAME_TEXT`] is.
static MARKER_TEXT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"blob:blake3:"));

/// The JSON size, in bytes, below which a value is written in full wherever it occurs, because a reference would save little.
const SHARED: usize = 32;

/// Strings of at least this length in bytes, inside a list or an object, are looked up among the run's values. For example, an
/// evaluator puts the text that it judged into an object.
const NESTED: usize = 128;

/// The minimum JSON size, in bytes, of a value that is stored once under its hash. Entries with a trace use [`LARGE`] instead,
/// because the trace repeats the model's reply and both can refer to one stored copy.
const BY_CONTENT: usize = 4096;

/// Writes the entry of record `seq` of `run` to `payload`, and returns its kind. `kept` contains the run's values that are
/// already in the file.
pub(crate) fn store(
    connection: &Connection,
    (run, form): (i64, Form),
    seq: u64,
    entry: &Entry,
    kept: &mut Kept,
    payload: &mut Vec<u8>,
) -> Result<&'static str, StoreError> {
    let mut written = Written {
        by_content: match entry {
            Entry::Input(Input::ExecutionCompleted(Completed { outcome, .. }))
            | Entry::Fact(Fact::NodeCompleted(Completed { outcome, .. }))
                if outcome.trace.is_some() =>
            {
                LARGE
            }
            _ => BY_CONTENT,
        },
        ..Written::default()
    };
    let mut failed = None;
    entry.values(&mut |value| {
        let own = Reference {
            seq,
            value: written.values.len(),
        };
        match written.value(connection, (run, form), own, value, kept) {
            Ok(replaced) => written.values.push(replaced),
            Err(error) => failed = failed.take().or(Some(error)),
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    written.json(entry, payload)?;
    // Outside its values, an entry has strings only in traces, errors and names. Most entries have no such string that is large
    // or looks like a marker. Their JSON is complete now.
    if payload.len() < written.whole + LARGE
        && !written.is_escaped
        && written.has_all_markers(payload)
    {
        return Ok(record_codes::shorten(entry, payload, form));
    }
    let mut short = entry.clone();
    let values = take_values(&mut short);
    let rest = serde_json::to_value(&short).map_err(StoreError::Json)?;
    let mut short: Entry = blobs::parse(&blobs::store(connection, run, &rest)?)?;
    put_values(&mut short, values);
    written.json(&short, payload)?;
    Ok(record_codes::shorten(entry, payload, form))
}

/// The position of a value in a run: the number of its record, and the value's index in the record, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reference {
    seq: u64,
    value: usize,
}

impl Reference {
    fn marker(self) -> Value {
        Value::String(format!("{SAME}{}:{}", self.seq, self.value))
    }

    fn read(marker: &str) -> Option<Self> {
        let (seq, value) = marker.strip_prefix(SAME)?.split_once(':')?;
        Some(Self {
            seq: seq.parse().ok()?,
            value: value.parse().ok()?,
        })
    }

    fn key(self) -> Key {
        Key::Record(self.seq, self.value)
    }

    fn is_broken(self) -> StoreError {
        StoreError::Changed(format!(
            "it refers to record {}, which is missing or damaged",
            self.seq
        ))
    }
}

/// The entry's values in the form in which they are written.
#[derive(Default)]
struct Written {
    /// The minimum size in bytes of a value that is stored under its hash.
    by_content: usize,
    /// The replacement of each value, in order; `None` for a value that is written as it is.
    values: Vec<Option<Arc<Value>>>,
    /// A lower bound of the total size, in bytes, of the values that are written in full.
    whole: usize,
    references: usize,
    contents: usize,
    /// Whether a value contains a string that looks like a marker.
    is_escaped: bool,
}

impl Written {
    /// Returns the replacement of `value`, or `None` if the value is to be written as it is.
    fn value(
        &mut self,
        connection: &Connection,
        (run, form): (i64, Form),
        own: Reference,
        value: &Arc<Value>,
        kept: &mut Kept,
    ) -> Result<Option<Arc<Value>>, StoreError> {
        let size = Size::of(value);
        if size.depth > DEEPEST {
            return Err(StoreError::TooDeep);
        }
        if size.has_marker {
            self.is_escaped = true;
            let json = blobs::store(connection, run, value)?;
            return Ok(Some(Arc::new(blobs::parse(&json)?)));
        }
        if size.bytes >= SHARED
            && let Some(marker) = kept.find(run, value)
        {
            self.count(&marker);
            return Ok(Some(marker));
        }
        if size.bytes >= self.by_content {
            let marker = match &**value {
                Value::String(text) => blobs::store_text(connection, run, text)?,
                other => {
                    let text = blobs::store(connection, run, other)?;
                    let marker = blobs::store_text(connection, run, &text)?;
                    marker.replacen(MARKER, JSON_MARKER, 1)
                }
            };
            self.contents += 1;
            return Ok(Some(kept.add(run, value, Value::String(marker))));
        }
        let mut short = None;
        if size.has_text && form == Form::Short {
            if let Value::String(text) = &**value {
                if let Some(marker) = kept.find_text(run, text) {
                    self.count(&marker);
                    return Ok(Some(marker));
                }
            } else {
                let mut copy = (**value).clone();
                if self.shorten(run, &mut copy, kept) {
                    short = Some(Arc::new(copy));
                }
            }
        }
        self.whole += short
            .as_ref()
            .map_or(size.bytes, |short| Size::of(short).bytes);
        if size.bytes >= SHARED && form == Form::Short {
            kept.add(run, value, own.marker());
        }
        Ok(short)
    }

    /// Replaces the strings in `value`, of at least [`NESTED`] bytes, that are already stored as values of the run. Returns
    /// whether any was replaced.
    fn shorten(&mut self, run: i64, value: &mut Value, kept: &Kept) -> bool {
        match value {
            Value::String(text) if text.len() >= NESTED => {
                let Some(marker) = kept.find_text(run, text) else {
                    return false;
                };
                self.count(&marker);
                *value = (*marker).clone();
                true
            }
            Value::Array(items) => self.shorten_all(run, items.iter_mut(), kept),
            Value::Object(fields) => self.shorten_all(run, fields.values_mut(), kept),
            _ => false,
        }
    }

    fn shorten_all<'v>(
        &mut self,
        run: i64,
        values: impl Iterator<Item = &'v mut Value>,
        kept: &Kept,
    ) -> bool {
        let mut found = false;
        for value in values {
            found |= self.shorten(run, value, kept);
        }
        found
    }

    fn count(&mut self, marker: &Value) {
        match marker.as_str() {
            Some(text) if text.starts_with(SAME) => self.references += 1,
            _ => self.contents += 1,
        }
    }

    /// Writes the entry as JSON, with its values replaced.
    fn json(&self, entry: &Entry, to: &mut Vec<u8>) -> Result<(), StoreError> {
        to.clear();
        if self.values.iter().all(Option::is_none) {
            return serde_json::to_writer(to, entry).map_err(StoreError::Json);
        }
        let mut short = entry.clone();
        let mut values = self.values.iter();
        short.values_mut(&mut |value| {
            if let Some(Some(other)) = values.next() {
                *value = Arc::clone(other);
            }
        });
        serde_json::to_writer(to, &short).map_err(StoreError::Json)
    }

    /// Returns whether every string in `json` that looks like a marker is one that [`Self::value`] wrote. If not, a string
    /// outside the entry's values looks like a marker.
    fn has_all_markers(&self, json: &[u8]) -> bool {
        let begins = |marker: &Finder<'_>| marker.find_iter(json).count();
        begins(&SAME_TEXT) == self.references && begins(&MARKER_TEXT) == self.contents
    }
}

/// The measures of a value before it is written. A large value is measured only in part.
struct Size {
    /// A lower bound of the value's JSON size in bytes; [`BY_CONTENT`] for every larger value.
    bytes: usize,
    /// The nesting levels of lists and objects.
    depth: usize,
    /// Whether a string in the value begins like a marker. Unknown for large values, whose strings are checked when they are
    /// written.
    has_marker: bool,
    /// Whether the value contains a string of [`NESTED`] bytes or more.
    has_text: bool,
}

impl Size {
    fn of(value: &Value) -> Self {
        let mut size = Self {
            bytes: 0,
            depth: 0,
            has_marker: false,
            has_text: false,
        };
        size.add(value, 0);
        if size.bytes >= BY_CONTENT {
            size.bytes = BY_CONTENT;
            size.has_marker = false;
        }
        size
    }

    fn add(&mut self, value: &Value, above: usize) {
        if self.bytes >= BY_CONTENT || self.depth > DEEPEST {
            return;
        }
        match value {
            Value::String(text) => {
                self.bytes += text.len() + 2;
                self.has_marker |= is_reserved(text);
                self.has_text |= text.len() >= NESTED;
            }
            Value::Array(items) => {
                self.depth = self.depth.max(above + 1);
                self.bytes += items.len() + 1;
                items.iter().for_each(|item| self.add(item, above + 1));
            }
            Value::Object(fields) => {
                self.depth = self.depth.max(above + 1);
                self.bytes += 1;
                for (name, value) in fields {
                    self.bytes += name.len() + 4;
                    self.add(value, above + 1);
                }
            }
            _ => self.bytes += 1,
        }
    }
}

/// Takes the values out of an entry and leaves temporary replacements. These are not null, because null would remove an
/// optional value.
fn take_values(entry: &mut Entry) -> Vec<Arc<Value>> {
    let stand_in = Arc::new(Value::Bool(false));
    let mut values = Vec::new();
    entry.values_mut(&mut |value| {
        values.push(std::mem::replace(value, Arc::clone(&stand_in)));
    });
    values
}

fn put_values(entry: &mut Entry, values: Vec<Arc<Value>>) {
    let mut values = values.into_iter();
    entry.values_mut(&mut |value| {
        if let Some(own) = values.next() {
            *value = own;
        }
    });
}

/// Reads the entry that [`store`] wrote into `row`, a row of `batch`. Values that are already in `cache` are shared.
pub(crate) fn load(
    connection: &Connection,
    batch: &Batch<'_>,
    row: &RecordRow<'_>,
    cache: &mut Cache,
) -> Result<Entry, StoreError> {
    let mut reading = Reading {
        connection,
        batch,
        run: row.run,
        cache,
    };
    reading.entry(row)
}

/// The state of reading a run's records.
struct Reading<'r> {
    connection: &'r Connection,
    batch: &'r Batch<'r>,
    run: i64,
    cache: &'r mut Cache,
}

impl Reading<'_> {
    fn entry(&mut self, row: &RecordRow<'_>) -> Result<Entry, StoreError> {
        let (text, form) = record_codes::whole(row.kind, row.payload);
        let mut entry: Entry = blobs::parse(&text)?;
        let has_contents = text.contains(MARKER);
        if form == Form::Long && !has_contents {
            return Ok(entry);
        }
        let values = take_values(&mut entry);
        if has_contents {
            let mut rest = serde_json::to_value(&entry).map_err(StoreError::Json)?;
            blobs::internalise(self.connection, &mut rest)?;
            entry = serde_json::from_value(rest).map_err(StoreError::Json)?;
        }
        let has_references = form == Form::Short && text.contains(SAME);
        let mut whole: Vec<Arc<Value>> = Vec::with_capacity(values.len());
        for mut value in values {
            let own = Reference {
                seq: row.seq(),
                value: whole.len(),
            };
            match marker(&value) {
                Some(Marker::Content(content)) => value = self.content(content)?,
                Some(Marker::Same(target)) if form == Form::Short => {
                    value = self.same(target, row.seq(), &whole)?;
                }
                _ => {
                    if form == Form::Long {
                        blobs::internalise(self.connection, Arc::make_mut(&mut value))?;
                    } else if has_contents || has_references {
                        self.nested(Arc::make_mut(&mut value), row.seq(), &whole)?;
                    }
                    let bytes = Size::of(&value).bytes;
                    if bytes >= SHARED && form == Form::Short {
                        self.cache.add(own.key(), &value, bytes);
                    }
                }
            }
            whole.push(value);
        }
        put_values(&mut entry, whole);
        Ok(entry)
    }

    /// Restores the strings that are stored elsewhere in the file.
    fn nested(
        &mut self,
        value: &mut Value,
        seq: u64,
        before: &[Arc<Value>],
    ) -> Result<(), StoreError> {
        match marker(value) {
            Some(Marker::Content(content)) => *value = (*self.content(content)?).clone(),
            Some(Marker::Same(target)) => *value = (*self.same(target, seq, before)?).clone(),
            None => match value {
                Value::Array(items) => {
                    for item in items {
                        self.nested(item, seq, before)?;
                    }
                }
                Value::Object(fields) => {
                    for item in fields.values_mut() {
                        self.nested(item, seq, before)?;
                    }
                }
                _ => {}
            },
        }
        Ok(())
    }

    /// Reads the value to which a reference in record `seq` points. `before` contains the values of that record up to the
    /// reference.
    fn same(
        &mut self,
        target: Reference,
        seq: u64,
        before: &[Arc<Value>],
    ) -> Result<Arc<Value>, StoreError> {
        if target.seq == seq {
            let value = before.get(target.value).map(Arc::clone);
            return value.ok_or_else(|| target.is_broken());
        }
        if let Some(known) = self.cache.find(&target.key()) {
            return Ok(known);
        }
        // A reference points to an earlier value that is written in full, so the recursion ends.
        if target.seq > seq {
            return Err(target.is_broken());
        }
        let place = i64::try_from(target.seq).map_err(|_| target.is_broken())?;
        let place = (self.run << 32) | place;
        if let Some((row, is_sound)) = self.batch.at_place(place) {
            let value = Self::referred(target, &row, is_sound);
            return self.written(target, value?);
        }
        if self.cache.batch.at_place(place).is_none() {
            let read = Batch::with(self.connection, place, |batch| Ok(batch.into_owned()));
            self.cache.batch = match read {
                Err(StoreError::Sqlite(error)) => return Err(error.into()),
                read => read.ok().flatten().unwrap_or_default(),
            };
        }
        let (row, is_sound) = self
            .cache
            .batch
            .at_place(place)
            .ok_or_else(|| target.is_broken())?;
        let value = Self::referred(target, &row, is_sound);
        self.written(target, value?)
    }

    /// Returns the value to which a reference points, and the earlier values of the same record, in stored form.
    fn referred(
        target: Reference,
        row: &RecordRow<'_>,
        is_sound: bool,
    ) -> Result<Vec<Arc<Value>>, StoreError> {
        if !is_sound {
            return Err(target.is_broken());
        }
        let (text, _) = record_codes::whole(row.kind, row.payload);
        let mut values = take_values(&mut blobs::parse(&text)?);
        values.truncate(target.value + 1);
        Ok(values)
    }

    fn written(
        &mut self,
        target: Reference,
        mut values: Vec<Arc<Value>>,
    ) -> Result<Arc<Value>, StoreError> {
        let mut value = values
            .pop()
            .filter(|_| values.len() == target.value)
            .ok_or_else(|| target.is_broken())?;
        if matches!(marker(&value), Some(Marker::Same(_))) {
            return Err(target.is_broken());
        }
        self.nested(Arc::make_mut(&mut value), target.seq, &values)?;
        self.cache.add(target.key(), &value, Size::of(&value).bytes);
        Ok(value)
    }

    /// Reads a value that is stored by content.
    fn content(&mut self, marker: &str) -> Result<Arc<Value>, StoreError> {
        let key = Key::Content(marker.to_owned());
        if let Some(known) = self.cache.find(&key) {
            return Ok(known);
        }
        let (value, bytes) = match marker.strip_prefix(JSON_MARKER) {
            Some(hex) => {
                let text = blobs::fetch(self.connection, hex)?;
                let mut json: Value = blobs::parse(&text)?;
                blobs::internalise(self.connection, &mut json)?;
                (json, text.len())
            }
            None => {
                let text = blobs::fetch(self.connection, marker)?;
                let bytes = text.len();
                (Value::String(text), bytes)
            }
        };
        let value = Arc::new(value);
        self.cache.add(key, &value, bytes);
        Ok(value)
    }
}

/// The marker that replaces a value.
enum Marker<'m> {
    Content(&'m str),
    Same(Reference),
}

fn marker(value: &Value) -> Option<Marker<'_>> {
    let text = value.as_str()?;
    if text.starts_with(MARKER) {
        return Some(Marker::Content(text));
    }
    Reference::read(text).map(Marker::Same)
}
