//! The readings of scripts that were made, which are kept.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{Language, Mistake, Reading, Reads};

/// Readings that were made. A flow is checked after every change, by several rules, and few of its scripts are new then. It forgets
/// all of them when their sources have more than 4 MB.
#[derive(Debug, Default)]
pub struct ReadingCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    readings: HashMap<(Language, String), Arc<Reading>>,
    /// Bytes of the sources.
    bytes: usize,
}

/// Bytes of sources whose readings are kept.
const MAX_CACHED_BYTES: usize = 4 * 1024 * 1024;

impl ReadingCache {
    /// The reading of `source` that is kept, or the one that `read` makes, which then is.
    ///
    /// # Errors
    /// That of `read`.
    pub fn reading<E>(
        &self,
        language: Language,
        source: &str,
        read: impl FnOnce() -> Result<Reading, E>,
    ) -> Result<Arc<Reading>, E> {
        let key = (language, source.to_owned());
        if let Some(reading) = self.kept().readings.get(&key) {
            return Ok(reading.clone());
        }
        // Meanwhile others may look for theirs.
        let reading = Arc::new(read()?);
        let mut kept = self.kept();
        if kept.bytes + source.len() > MAX_CACHED_BYTES {
            *kept = Kept::default();
        }
        if kept.readings.insert(key, reading.clone()).is_none() {
            kept.bytes += source.len();
        }
        Ok(reading)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was read of a script without mistakes.
///
/// # Errors
/// The first mistake.
pub fn reads_or_mistake(reading: &Reading) -> Result<&Reads, Mistake> {
    match reading {
        Ok((reads, mistakes)) => match mistakes.first() {
            Some(mistake) => Err(mistake.clone()),
            None => Ok(reads),
        },
        Err(mistake) => Err(mistake.clone()),
    }
}
