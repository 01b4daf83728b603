//! Finds mistakes in a script and the names that it reads. A worker does this without running the script.

use std::{
    fmt,
    sync::{LazyLock, OnceLock},
};

use crate::{
    Language, MAX_SOURCE, Mistake, Outline, Pool, Reader, Reading, ReadingCache, Reads,
    Unavailable,
    limits::too_long,
    pool::Unanswered,
    reading_cache::reads_or_mistake,
    wire::{Answer, Request},
    worker::Death,
};

/// The reason why the names that a script reads are unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// The script's first mistake.
    Mistake(Mistake),
    Unavailable(Unavailable),
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mistake(mistake) => mistake.fmt(f),
            Self::Unavailable(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Unread {}

static READER: OnceLock<&'static dyn Reader> = OnceLock::new();
static READINGS: LazyLock<ReadingCache> = LazyLock::new(ReadingCache::default);

/// Makes `reader` read the scripts of this process from now on, instead of a worker. It is used by a fuzzer, whose inputs
/// must stay in its own process.
pub fn read_in_this_process(reader: &'static dyn Reader) {
    let _ = READER.set(reader);
}

/// Returns the free names of a script and their places. The answer is cached, so that a script is read only once.
///
/// # Errors
/// Returns the first mistake: a syntax error, a construct that the interpreter lacks, a source that is too long, a name that
/// scripts do not have (`os`, `require`, …), or in Luau an assignment to a name that is not declared with `local`. Returns
/// the reason if scripts cannot be read at the moment.
pub fn reads_in(language: Language, source: &str) -> Result<Reads, Unread> {
    with_reading(language, source, |reading| {
        reads_or_mistake(reading).cloned()
    })
    .map_err(Unread::Unavailable)?
    .map_err(Unread::Mistake)
}

/// Returns every mistake that can be found in a script. If there is a syntax error, returns only the first one.
///
/// # Errors
/// Returns the reason if scripts cannot be read at the moment.
pub fn mistakes_in(language: Language, source: &str) -> Result<Vec<Mistake>, Unavailable> {
    with_reading(language, source, |reading| match reading {
        Ok((_, mistakes)) => mistakes.clone(),
        Err(mistake) => vec![mistake.clone()],
    })
}

/// Returns the names and attributes that a Python source mentions.
///
/// # Errors
/// Returns the first syntax error, with the parser's message, or the reason if scripts cannot be read at the moment.
pub fn python_outline(source: &str) -> Result<Outline, Unread> {
    if source.len() > MAX_SOURCE {
        return Err(Unread::Mistake(too_long(source)));
    }
    let outline = match READER.get() {
        Some(reader) => reader.outline(source),
        None => match ask(&Request::Outline(source.to_owned())) {
            Ok(Answer::Outline(outline)) => outline,
            Ok(_) => Err(unread(NO_ANSWER)),
            Err(NoReading::Unavailable(why)) => return Err(Unread::Unavailable(why)),
            Err(NoReading::Always(mistake) | NoReading::Now(mistake)) => Err(mistake),
        },
    };
    outline.map_err(Unread::Mistake)
}

fn with_reading<T>(
    language: Language,
    source: &str,
    look: impl FnOnce(&Reading) -> T,
) -> Result<T, Unavailable> {
    if source.len() > MAX_SOURCE {
        return Ok(look(&Err(too_long(source))));
    }
    match READINGS.reading(language, source, || read(language, source)) {
        Ok(reading) => Ok(look(&reading)),
        Err(NoReading::Unavailable(why)) => Err(why),
        Err(NoReading::Always(mistake) | NoReading::Now(mistake)) => Ok(look(&Err(mistake))),
    }
}

/// The reason why a script could not be read.
enum NoReading {
    Unavailable(Unavailable),
    /// The script crashes its reader each time.
    Always(Mistake),
    /// The script cannot be read at the moment, but may be readable later.
    Now(Mistake),
}

const NO_ANSWER: &str = "the process that reads scripts gave an unexpected answer. Try again.";

fn unread(why: &str) -> Mistake {
    Mistake {
        line: 1,
        column: None,
        message: format!("The script could not be read: {why}"),
    }
}

fn read(language: Language, source: &str) -> Result<Reading, NoReading> {
    if let Some(reader) = READER.get() {
        return Ok(reader.read(language, source));
    }
    match ask(&Request::Read(language, source.to_owned())) {
        Ok(Answer::Read(reading)) => Ok(reading),
        Ok(_) => Err(NoReading::Now(unread(NO_ANSWER))),
        Err(NoReading::Always(mistake)) => Ok(Err(mistake)),
        Err(none) => Err(none),
    }
}

fn ask(request: &Request) -> Result<Answer, NoReading> {
    let always = |why| NoReading::Always(unread(why));
    let answer = Pool::shared().ask_to_read(request);
    answer.map_err(|unanswered| match unanswered {
        Unanswered::Unavailable(why) => NoReading::Unavailable(why),
        Unanswered::Time => NoReading::Now(unread("reading it takes too long. Make it simpler.")),
        Unanswered::Ended(ended) => match ended.death() {
            Death::Memory => always("reading it needs too much memory. Make it simpler."),
            Death::Stack => always("it is nested too deeply. Make it simpler."),
            Death::Other(how, says) => NoReading::Now(unread(&format!(
                "the process that reads scripts {how}{says}"
            ))),
        },
    })
}
