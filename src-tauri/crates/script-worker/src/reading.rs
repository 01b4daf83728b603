//! Reads a script without running it.

use std::{
    convert::Infallible,
    sync::{Arc, LazyLock},
};

use loopwright_script::{Reader, ReadingCache, too_long};

use crate::{Language, MAX_SOURCE, Mistake, Outline, Reading, javascript, luau, python};

/// A cache of readings. A loop runs the same scripts repeatedly, and Luau scripts are read before each run.
static READINGS: LazyLock<ReadingCache> = LazyLock::new(ReadingCache::default);

/// Finds the names that a script reads and its mistakes, or returns a cached reading.
pub(crate) fn read_once(language: Language, source: &str) -> Arc<Reading> {
    if source.len() > MAX_SOURCE {
        return Arc::new(Err(too_long(source)));
    }
    let read = || Ok::<_, Infallible>(read(language, source));
    match READINGS.reading(language, source, read) {
        Ok(reading) => reading,
        Err(never) => match never {},
    }
}

fn read(language: Language, source: &str) -> Reading {
    match language {
        Language::Luau => luau::names::read(source),
        Language::Python => python::names::read(source),
        Language::JavaScript => javascript::names::read(source),
    }
}

/// A reader that reads scripts in the calling process, without the limits of a worker. It is for tests and a fuzzer.
#[derive(Debug, Clone, Copy)]
pub struct InThisProcess;

impl Reader for InThisProcess {
    fn read(&self, language: Language, source: &str) -> Reading {
        Reading::clone(&read_once(language, source))
    }

    fn outline(&self, source: &str) -> Result<Outline, Mistake> {
        python::outline(source)
    }
}
