//! The readings of scripts that were made, which are kept.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use crate::{
    Language, MAX_SOURCE, Mistake,
    found_names::{Reading, Reads},
};

/// Readings that were made. A flow is checked after every change, by several rules, and few of its scripts are new then.
#[derive(Default)]
struct ReadingCache {
    readings: HashMap<(Language, String), Arc<Reading>>,
    /// Bytes of the sources.
    bytes: usize,
}

/// Bytes of sources whose readings are kept.
const MAX_CACHED_BYTES: usize = 4 * 1024 * 1024;

static CACHE: LazyLock<Mutex<ReadingCache>> = LazyLock::new(Mutex::default);

/// What `read`, the reader of the language, makes of `source`, or has made of it before.
pub(crate) fn read_once(
    language: Language,
    source: &str,
    read: fn(&str) -> Reading,
) -> Arc<Reading> {
    if source.len() > MAX_SOURCE {
        return Arc::new(Err(too_long(source)));
    }
    let cache = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (language, source.to_owned());
    if let Some(reading) = cache().readings.get(&key) {
        return reading.clone();
    }
    let reading = Arc::new(read(source));
    let mut cache = cache();
    if cache.bytes + source.len() > MAX_CACHED_BYTES {
        *cache = ReadingCache::default();
    }
    if cache.readings.insert(key, reading.clone()).is_none() {
        cache.bytes += source.len();
    }
    reading
}

/// What was read of a script without mistakes.
///
/// # Errors
/// The first mistake.
pub(crate) fn reads_or_mistake(reading: &Reading) -> Result<&Reads, Mistake> {
    match reading {
        Ok((reads, mistakes)) => match mistakes.first() {
            Some(mistake) => Err(mistake.clone()),
            None => Ok(reads),
        },
        Err(mistake) => Err(mistake.clone()),
    }
}

/// Why a script above [`MAX_SOURCE`] is not read.
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
