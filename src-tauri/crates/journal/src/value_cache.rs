//! Caches of values, so that a value that occurs in many records of a run is written once and read once.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Weak},
};

use serde_json::Value;

use crate::batches::Batch;

/// The maximum number of values whose markers are kept.
const KEPT: usize = 64;

/// The maximum total size, in bytes as stored, of the values in the cache. The last value is kept even if it is larger.
const HELD: usize = 16 << 20;

/// The number of markers in a cache above which markers of dropped values are removed.
const MAX_MARKERS: usize = 4_096;

/// The markers of the values that were stored or looked up last, newest last. With them, a repeated value need not be read to
/// find its marker.
#[derive(Debug, Default)]
pub(crate) struct Kept(VecDeque<KeptValue>);

#[derive(Debug)]
struct KeptValue {
    run: i64,
    value: Weak<Value>,
    /// The fingerprint of a string, see [`print`]; `None` for any other value.
    print: Option<u64>,
    marker: Arc<Value>,
}

/// Returns a fingerprint that distinguishes most strings without reading them completely. It consists of the length and some
/// bytes of every part of the string.
fn print(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let step = (bytes.len() / 64).max(1);
    let seen = bytes.iter().step_by(step);
    seen.fold(bytes.len() as u64, |print, byte| {
        (print ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl Kept {
    pub(crate) fn find(&mut self, run: i64, value: &Arc<Value>) -> Option<Arc<Value>> {
        // While a weak pointer to a value exists, no other value can have the same address.
        let is_it =
            |known: &KeptValue| known.run == run && known.value.as_ptr() == Arc::as_ptr(value);
        let at = self.0.iter().rposition(is_it)?;
        let marker = Arc::clone(&self.0[at].marker);
        // A value that every iteration reads must not be evicted by the values of a few iterations.
        if at < KEPT / 2
            && let Some(found) = self.0.remove(at)
        {
            self.0.push_back(found);
        }
        Some(marker)
    }

    /// Returns the marker of the cached value of the run that is a string equal to `text`, even if the two are different
    /// objects in memory; `None` if the cache has no such value.
    pub(crate) fn find_text(&self, run: i64, text: &str) -> Option<Arc<Value>> {
        let own = Some(print(text));
        let is_it = |known: &&KeptValue| {
            known.run == run
                && known.print == own
                && matches!(known.value.upgrade().as_deref(), Some(Value::String(known)) if known == text)
        };
        let found = self.0.iter().rev().find(is_it)?;
        Some(Arc::clone(&found.marker))
    }

    /// Adds the marker of a value, and returns the marker. If the cache is full, the oldest marker is removed.
    pub(crate) fn add(&mut self, run: i64, value: &Arc<Value>, marker: Value) -> Arc<Value> {
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        let marker = Arc::new(marker);
        self.0.push_back(KeptValue {
            run,
            value: Arc::downgrade(value),
            print: value.as_str().map(print),
            marker: Arc::clone(&marker),
        });
        marker
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The position of a value in the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// The marker of a value that is stored by content.
    Content(String),
    /// The number of a record, and the index of the value in it.
    Record(u64, usize),
}

/// Values by their positions, while records of a run are read.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    known: HashMap<Key, Weak<Value>>,
    last: VecDeque<(Arc<Value>, usize)>,
    bytes: usize,
    /// The row that was last searched for a value.
    pub(crate) batch: Batch<'static>,
}

impl Cache {
    pub(crate) fn find(&self, key: &Key) -> Option<Arc<Value>> {
        self.known.get(key)?.upgrade()
    }

    pub(crate) fn add(&mut self, key: Key, value: &Arc<Value>, bytes: usize) {
        if self.known.len() >= MAX_MARKERS {
            self.known.retain(|_, value| value.strong_count() > 0);
        }
        self.known.insert(key, Arc::downgrade(value));
        self.last.push_back((Arc::clone(value), bytes));
        self.bytes += bytes;
        while self.bytes > HELD && self.last.len() > 1 {
            if let Some((_, bytes)) = self.last.pop_front() {
                self.bytes -= bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_known_by_its_place_and_run_while_it_lives() {
        let mut kept = Kept::default();
        let value = Arc::new(json!([1]));
        kept.add(1, &value, json!("m"));
        assert_eq!(kept.find(1, &value), Some(Arc::new(json!("m"))));
        assert_eq!(kept.find(2, &value), None);
        assert_eq!(kept.find(1, &Arc::new(json!([1]))), None);
    }

    #[test]
    fn a_value_that_is_asked_for_is_not_forgotten() {
        let mut kept = Kept::default();
        let often = Arc::new(json!("often"));
        let once = Arc::new(json!("once"));
        kept.add(1, &often, json!("m"));
        kept.add(1, &once, json!("n"));
        for number in 0..10 * KEPT {
            kept.add(1, &Arc::new(json!(number)), json!(number));
            assert!(kept.find(1, &often).is_some());
        }
        assert!(kept.find(1, &once).is_none());
    }

    #[test]
    fn a_cache_holds_the_last_values_and_knows_what_others_hold() {
        let mut cache = Cache::default();
        let add = |cache: &mut Cache, name: &str, bytes| {
            let value = Arc::new(json!(name));
            cache.add(Key::Content(name.to_owned()), &value, bytes);
            value
        };
        let held = add(&mut cache, "a", HELD);
        drop(add(&mut cache, "b", HELD));
        drop(add(&mut cache, "c", 10));
        assert!(Arc::ptr_eq(
            &cache.find(&Key::Content("a".to_owned())).unwrap(),
            &held
        ));
        assert!(cache.find(&Key::Content("b".to_owned())).is_none());
        assert!(cache.find(&Key::Content("c".to_owned())).is_some());
    }
}
