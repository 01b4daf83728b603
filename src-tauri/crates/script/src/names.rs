//! The names that a script reads: its free names, with the fields behind them. What was read once is kept.

use std::{
    cell::Cell,
    collections::HashMap,
    ops::Range,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use crate::{Language, MAX_SOURCE, Mistake, javascript, luau, python};

/// A name that a script reads and does not declare: `draft.response` is root `draft`, path `["response"]`;
/// `nodes["id"].x` is root `nodes`, path `["id", "x"]`. The path ends before a call and before a step that is only known
/// when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub root: String,
    pub path: Vec<String>,
    /// It stands where a missing value is looked at: before `or`, in a condition, beside `==` or `~=`.
    pub may_be_missing: bool,
}

/// One place at which a script reads a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub name: Name,
    /// Where its root stands in the source, in bytes.
    pub at: Range<usize>,
    /// Where each step of its path stands, with its dot or its brackets.
    pub steps: Vec<Range<usize>>,
}

/// What a script reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reads {
    /// Its free names, each once, in the order of first use; names of the language and its libraries left out.
    pub names: Vec<Name>,
    /// Every place at which one of them is read, in the order of the source.
    pub places: Vec<Place>,
}

/// Enough stack for the deepest nesting that a language's own parser lets pass, without optimisation.
pub(crate) const LARGE_STACK: usize = 256 * 1024 * 1024;

/// What a script reads, and its mistakes; else the first mistake of its syntax.
pub(crate) type Reading = Result<(Reads, Vec<Mistake>), Mistake>;

/// The free names of a script and where they stand.
///
/// # Errors
/// The first mistake: syntax, a construct that the interpreter lacks, too long a source, a name that scripts do not have (`os`,
/// `require`, …), in Luau an assignment to a name that is not declared with `local`.
pub fn reads_in(language: Language, source: &str) -> Result<Reads, Mistake> {
    match read(language, source).as_ref() {
        Ok((reads, mistakes)) => match mistakes.first() {
            Some(mistake) => Err(mistake.clone()),
            None => Ok(reads.clone()),
        },
        Err(mistake) => Err(mistake.clone()),
    }
}

/// Every mistake of a script that can be told: the first of its syntax, else all that [`reads_in`] finds one of.
pub fn mistakes_in(language: Language, source: &str) -> Vec<Mistake> {
    match read(language, source).as_ref() {
        Ok((_, mistakes)) => mistakes.clone(),
        Err(mistake) => vec![mistake.clone()],
    }
}

/// [`reads_in`] of a Luau script.
///
/// # Errors
/// As [`reads_in`].
pub fn reads(source: &str) -> Result<Reads, Mistake> {
    reads_in(Language::Luau, source)
}

/// As [`reads`], the names alone.
///
/// # Errors
/// As [`reads_in`].
pub fn names(source: &str) -> Result<Vec<Name>, Mistake> {
    Ok(reads(source)?.names)
}

/// [`mistakes_in`] of a Luau script.
pub fn mistakes(source: &str) -> Vec<Mistake> {
    mistakes_in(Language::Luau, source)
}

/// Readings that were made. A flow is checked after every change, by several rules, and few of its scripts are new then.
#[derive(Default)]
struct Known {
    readings: HashMap<(Language, String), Arc<Reading>>,
    /// Bytes of the sources.
    bytes: usize,
}

/// Bytes of sources whose readings are kept.
const KEPT: usize = 4 * 1024 * 1024;

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

fn read(language: Language, source: &str) -> Arc<Reading> {
    if source.len() > MAX_SOURCE {
        return Arc::new(Err(too_long(source)));
    }
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (language, source.to_owned());
    if let Some(reading) = known().readings.get(&key) {
        return reading.clone();
    }
    let reading = Arc::new(match language {
        Language::Luau => luau::names::read(source),
        Language::Python => python::names::read(source),
        Language::JavaScript => javascript::names::read(source),
    });
    let mut known = known();
    if known.bytes + source.len() > KEPT {
        *known = Known::default();
    }
    if known.readings.insert(key, reading.clone()).is_none() {
        known.bytes += source.len();
    }
    reading
}

pub(crate) fn too_long(source: &str) -> Mistake {
    Mistake {
        line: 1,
        column: None,
        message: format!(
            "The script has {} KB, and at most {} KB are read. Put data into inputs.",
            source.len() / 1024,
            MAX_SOURCE / 1024
        ),
    }
}

/// What was found in a script so far, in whatever order its syntax tree is walked.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) names: Vec<Name>,
    places: Vec<Place>,
    pub(crate) mistakes: Vec<Mistake>,
}

impl Found {
    /// The name is read at a place: where its root and each of its steps are in the source, in bytes.
    pub(crate) fn read(&mut self, name: Name, at: Range<usize>, steps: Vec<Range<usize>>) {
        self.places.push(Place {
            name: name.clone(),
            at,
            steps,
        });
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    pub(crate) fn in_order(mut self) -> (Reads, Vec<Mistake>) {
        self.mistakes
            .sort_by_key(|mistake| (mistake.line, mistake.column));
        self.places.sort_by_key(|place| place.at.start);
        let reads = Reads {
            names: looked_at(self.names),
            places: self.places,
        };
        (reads, self.mistakes)
    }
}

/// What a script looks at before it uses it may be missing wherever it is used.
fn looked_at(mut names: Vec<Name>) -> Vec<Name> {
    let looked: Vec<Name> = names
        .iter()
        .filter(|name| name.may_be_missing)
        .cloned()
        .collect();
    for name in &mut names {
        name.may_be_missing |= looked
            .iter()
            .any(|look| look.root == name.root && name.path.starts_with(&look.path));
    }
    let mut once: Vec<Name> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

thread_local! {
    static IS_LARGE: Cell<bool> = const { Cell::new(false) };
}

/// To be called on a thread with [`LARGE_STACK`], which then needs no other for what is nested deeply.
pub(crate) fn stack_is_large() {
    IS_LARGE.set(true);
}

/// What `work` makes, on a stack for deep nesting; `None` where there is none.
pub(crate) fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    if IS_LARGE.get() {
        return Some(work());
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(LARGE_STACK)
            .spawn_scoped(scope, || {
                stack_is_large();
                work()
            })
            .ok()
            .and_then(|thread| thread.join().ok())
    })
}

/// The line, from 1, and the column, from 1 in characters, of a byte of `source`.
pub(crate) fn position(source: &str, byte: usize) -> (usize, usize) {
    let mut byte = byte.min(source.len());
    while !source.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = &source[..byte];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, source[start..byte].chars().count() + 1)
}
