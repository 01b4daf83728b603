//! The marks: a small file next to the store that lists the store's runs and their numbers of records. SQLite silently drops
//! damaged parts of its write-ahead log. At the next start, the marks show which data is missing.
//!
//! A mark never claims more than what is committed: it is raised after the commit that it describes, and lowered before a
//! commit that deletes something. So a program that is killed at any moment causes no false alarm, and writing a mark need not
//! wait for the disk.
//!
//! Each run has one line: `<state><records, 10 digits><check, 8 digits> <check of the rest, 16 digits> <JSON>`. The part before
//! the space is overwritten in place. Lines are added and states are changed only within the store's write lock.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use loopwright_engine::journal::RunHeaderBrief;
use serde::{Deserialize, Serialize};

use crate::{
    private,
    sums::{Field, sum},
};

/// The title at the start of the file. The store's id follows it.
const TITLE: &str = "loopwright-marks 1";
/// The length in bytes of the part of a line that is overwritten in place.
const CHANGING: usize = 1 + 10 + 8;
/// The maximum length in characters of a flow's name.
const NAME: usize = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// The run may not be committed yet: nothing is claimed.
    Begun,
    /// The run exists, with at least this many records.
    Open,
    /// The run exists, as for `Open`, and its row records its end or suspension.
    Suspended,
    /// The run is deleted, or about to be: nothing is claimed.
    Gone,
}

impl State {
    fn letter(self) -> u8 {
        match self {
            Self::Begun => b'b',
            Self::Open => b'o',
            Self::Suspended => b'r',
            Self::Gone => b'g',
        }
    }

    fn of(letter: u8) -> Option<Self> {
        [Self::Begun, Self::Open, Self::Suspended, Self::Gone]
            .into_iter()
            .find(|state| state.letter() == letter)
    }

    /// Returns whether the mark claims that the store has the run.
    pub(crate) fn is_claim(self) -> bool {
        matches!(self, Self::Open | Self::Suspended)
    }
}

/// The fixed part of a run's line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunIdentity {
    pub(crate) run: String,
    pub(crate) flow: String,
    pub(crate) at: i64,
}

impl RunIdentity {
    pub(crate) fn new(brief: &RunHeaderBrief) -> Self {
        Self {
            run: brief.run_id.clone(),
            flow: brief.flow.chars().take(NAME).collect(),
            at: brief.started_at,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpectedRun {
    pub(crate) known: RunIdentity,
    pub(crate) state: State,
    pub(crate) records: u32,
}

/// The content of the file.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// The id of the store that the marks belong to; `None` if it cannot be read.
    pub(crate) store: Option<String>,
    pub(crate) marks: Vec<ExpectedRun>,
    /// Whether the file should be rewritten, because part of it could not be read or is obsolete.
    pub(crate) stale: bool,
    /// The offset of each run's line.
    offsets: HashMap<String, u64>,
}

fn check(text: &str, parts: &[i64]) -> u64 {
    let mut fields = vec![Field::Text(text)];
    fields.extend(parts.iter().copied().map(Field::Int));
    sum("marks", &fields).cast_unsigned()
}

fn changing(rest: &str, state: State, records: u32) -> [u8; CHANGING] {
    let letter = state.letter();
    let sum = check(rest, &[i64::from(letter), i64::from(records)]) >> 32;
    let mut part = [letter; CHANGING];
    // Both numbers have a fixed width.
    let text = format!("{records:010}{sum:08x}");
    part[1..].copy_from_slice(text.as_bytes());
    part
}

/// Returns the part of a line that never changes.
fn rest(known: &RunIdentity) -> io::Result<String> {
    let json = serde_json::to_string(known)?;
    Ok(format!("{:016x} {json}", check(&json, &[])))
}

fn title(store: &str) -> String {
    format!("{TITLE} {store} {:016x}", check(store, &[]))
}

fn line(text: &str) -> Option<ExpectedRun> {
    let (part, rest) = text.split_once(' ')?;
    let (sum, json) = rest.split_once(' ')?;
    if u64::from_str_radix(sum, 16).ok()? != check(json, &[]) {
        return None;
    }
    let state = State::of(*part.as_bytes().first()?)?;
    let records = part.get(1..11)?.parse().ok()?;
    (part.as_bytes() == changing(rest, state, records)).then_some(())?;
    Some(ExpectedRun {
        known: serde_json::from_str(json).ok()?,
        state,
        records,
    })
}

/// Reads the marks at `path`. A missing file claims nothing.
pub(crate) fn read(path: &Path) -> io::Result<Read> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let mut found = Read::default();
    let mut offset = 0;
    let mut at: HashMap<String, usize> = HashMap::new();
    for bytes in bytes.split_inclusive(|byte| *byte == b'\n') {
        let begins = offset;
        offset += bytes.len() as u64;
        let text = std::str::from_utf8(bytes)
            .unwrap_or_default()
            .trim_end_matches('\n');
        if begins == 0 {
            let id = text
                .strip_prefix(TITLE)
                .and_then(|rest| rest.trim_start().split_once(' '))
                .map(|(id, _)| id.to_owned());
            found.store = id.filter(|id| title(id) == text);
            found.stale |= found.store.is_none();
            continue;
        }
        let Some(mark) = line(text) else {
            found.stale = true;
            continue;
        };
        found.stale |= !mark.state.is_claim();
        // A run that was deleted and imported again has two lines. The later one applies.
        found.offsets.insert(mark.known.run.clone(), begins);
        match at.get(&mark.known.run) {
            Some(index) => found.marks[*index] = mark,
            None => {
                at.insert(mark.known.run.clone(), found.marks.len());
                found.marks.push(mark);
            }
        }
    }
    Ok(found)
}

/// Rewrites the marks. No other program may have the store open.
pub(crate) fn write<'m>(
    path: &Path,
    store: &str,
    marks: impl IntoIterator<Item = &'m ExpectedRun>,
) -> io::Result<()> {
    let mut text = title(store) + "\n";
    for mark in marks {
        let rest = rest(&mark.known)?;
        let part = changing(&rest, mark.state, mark.records);
        text.push_str(&String::from_utf8_lossy(&part));
        text.push(' ');
        text.push_str(&rest);
        text.push('\n');
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    let temporary = PathBuf::from(name);
    let mut file = private::create(&temporary)?;
    file.write_all(text.as_bytes())?;
    if path.exists() {
        // After a power cut, either the old marks or the new ones are intact.
        file.sync_all()?;
    }
    fs::rename(&temporary, path)
}

/// The marks of an open store. If they cannot be written, the store still works, but later losses may go unnoticed.
#[derive(Debug)]
pub(crate) struct ExpectedRuns {
    path: PathBuf,
    file: Option<File>,
    /// The offset of each run's line, and its fixed part.
    lines: HashMap<String, (u64, String)>,
}

impl ExpectedRuns {
    /// Creates marks without a file, for a store that is opened read-only.
    pub(crate) fn none() -> Self {
        Self {
            path: PathBuf::new(),
            file: None,
            lines: HashMap::new(),
        }
    }

    pub(crate) fn open(path: &Path) -> Self {
        let mut marks = Self {
            path: path.to_path_buf(),
            file: OpenOptions::new().read(true).write(true).open(path).ok(),
            lines: HashMap::new(),
        };
        let _ = marks.look();
        marks
    }

    fn look(&mut self) -> io::Result<()> {
        let found = read(&self.path)?;
        self.lines.clear();
        for mark in &found.marks {
            if let Some(offset) = found.offsets.get(&mark.known.run) {
                let entry = (*offset, rest(&mark.known)?);
                self.lines.insert(mark.known.run.clone(), entry);
            }
        }
        Ok(())
    }

    /// Adds a run's line, which claims nothing yet. Call within the store's write lock.
    pub(crate) fn begin(&mut self, brief: &RunHeaderBrief) {
        // If the line cannot be written, the only consequence is that a later loss of the run goes unnoticed.
        let _ = self.add(&RunIdentity::new(brief));
    }

    fn add(&mut self, known: &RunIdentity) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let rest = rest(known)?;
        let mut end = file.metadata()?.len();
        let mut text = Vec::new();
        if end > 0 && !ends_a_line(file, end)? {
            // The program that wrote the last line was killed midway, so the unfinished line is ended here.
            text.push(b'\n');
        }
        let skipped = text.len() as u64;
        text.extend_from_slice(&changing(&rest, State::Begun, 0));
        text.push(b' ');
        text.extend_from_slice(rest.as_bytes());
        text.push(b'\n');
        write_at(file, &text, end)?;
        end += skipped;
        self.lines.insert(known.run.clone(), (end, rest));
        Ok(())
    }

    /// Records the state of a run in the store. If the mark then claims more than before, call this after the commit, otherwise
    /// before it.
    pub(crate) fn set(&mut self, run_id: &str, state: State, records: u64) -> io::Result<()> {
        if self.file.is_some() && !self.lines.contains_key(run_id) {
            // Another program may have added the line, so the file is read again.
            self.look()?;
        }
        let (Some(file), Some((offset, rest))) = (&self.file, self.lines.get(run_id)) else {
            return Ok(());
        };
        let records = u32::try_from(records).unwrap_or(u32::MAX);
        write_at(file, &changing(rest, state, records), *offset)
    }
}

fn ends_a_line(file: &File, end: u64) -> io::Result<bool> {
    let mut last = [0];
    read_at(file, &mut last, end - 1)?;
    Ok(last == *b"\n")
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    match std::os::windows::fs::FileExt::seek_write(file, bytes, offset)? {
        written if written == bytes.len() => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
        read if read == bytes.len() => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn known(run: &str) -> RunIdentity {
        RunIdentity {
            run: run.into(),
            flow: "a \"flow\"\nof two lines".into(),
            at: -5,
        }
    }

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("marks");
        write(&path, "id", &[]).unwrap();
        (folder, path)
    }

    #[test]
    fn marks_are_read_as_they_were_set() {
        let (_folder, path) = place();
        let (mut one, mut other) = (ExpectedRuns::open(&path), ExpectedRuns::open(&path));
        one.add(&known("a")).unwrap();
        other.add(&known("b")).unwrap();
        one.set("a", State::Open, 7).unwrap();
        one.set("b", State::Suspended, 4_000_000_000).unwrap();
        other.set("a", State::Suspended, 8).unwrap();
        let found = read(&path).unwrap();
        assert_eq!(found.store.as_deref(), Some("id"));
        let states: Vec<_> = found
            .marks
            .iter()
            .map(|mark| (mark.state, mark.records))
            .collect();
        assert_eq!(
            states,
            [(State::Suspended, 8), (State::Suspended, 4_000_000_000)]
        );
        assert_eq!(found.marks[0].known, known("a"));
        assert!(!found.stale);
        write(&path, "id", &found.marks).unwrap();
        assert_eq!(read(&path).unwrap().marks, found.marks);
    }

    /// A changed bit never makes a mark claim something that was not marked.
    #[test]
    fn a_changed_bit_is_no_other_mark() {
        let (_folder, path) = place();
        let mut marks = ExpectedRuns::open(&path);
        for run in ["a", "b"] {
            marks.add(&known(run)).unwrap();
            marks.set(run, State::Open, 7).unwrap();
        }
        let whole = read(&path).unwrap().marks;
        let bytes = fs::read(&path).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &changed).unwrap();
            for mark in read(&path).unwrap().marks {
                assert!(whole.contains(&mark), "bit {bit}: {mark:?}");
            }
        }
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).unwrap();
            let mut torn = ExpectedRuns::open(&path);
            torn.add(&known("c")).unwrap();
            torn.set("c", State::Suspended, 1).unwrap();
            let found = read(&path).unwrap().marks;
            assert!(length == 0 || found.iter().any(|mark| mark.known.run == "c"));
        }
    }
}
