//! A cache of the readings of scripts.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{Language, Mistake, Reading, Reads};

/// A cache of readings. A flow is checked after every change, by several rules, and most of its scripts are unchanged. The
/// cache is cleared when its sources exceed 4 MB.
#[derive(Debug, Default)]
pub struct ReadingCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    readings: HashMap<(Language, String), Arc<Reading>>,
    /// The total size of the sources, in bytes.
    bytes: usize,
}

/// The maximum size of the sources in the cache, in bytes.
const MAX_CACHED_BYTES: usize = 4 * 1024 * 1024;

impl ReadingCache {
    /// Returns the cached reading of `source`. If `source` is not in the cache, calls `read`, and caches and returns
    /// its result.
    ///
    /// # Errors
    /// Returns the error of `read` if `read` fails.
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
        // The cache is not locked here, so that other threads can use it in the meantime.
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

/// Returns the names that a script reads, if the script has no mistakes.
///
/// # Errors
/// Returns the first mistake if the script has any.
pub fn reads_or_mistake(reading: &Reading) -> Result<&Reads, Mistake> {
    match reading {
        Ok((reads, mistakes)) => match mistakes.first() {
            Some(mistake) => Err(mistake.clone()),
            None => Ok(reads),
        },
        Err(mistake) => Err(mistake.clone()),
    }
}
