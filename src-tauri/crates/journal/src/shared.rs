//! Values that a run holds at many places are written once and read once: what was stored last, and what was read last.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Weak},
};

use serde_json::Value;

/// Values whose markers are remembered.
const KEPT: usize = 64;

/// Bytes, as they are stored. What was read last is held up to this much, and the very last value however large.
const HELD: usize = 16 << 20;

/// Markers that are known to a cache before those of values that nobody holds any more are dropped.
const KNOWN: usize = 4_096;

/// Markers of the values that were stored last, so that a value that comes again need not even be read.
#[derive(Debug, Default)]
pub(crate) struct Kept(VecDeque<(i64, Weak<Value>, String)>);

impl Kept {
    pub(crate) fn find(&self, run: i64, value: &Arc<Value>) -> Option<&str> {
        // While there is a weak pointer, no other value can have the same address.
        let is_it = |(of, known, _): &&(i64, Weak<Value>, String)| {
            *of == run && Weak::as_ptr(known) == Arc::as_ptr(value)
        };
        self.0
            .iter()
            .find(is_it)
            .map(|(_, _, marker)| marker.as_str())
    }

    pub(crate) fn add(&mut self, run: i64, value: &Arc<Value>, marker: &str) {
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        self.0
            .push_back((run, Arc::downgrade(value), marker.to_owned()));
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Values by their markers, while records of a run are read.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    known: HashMap<String, Weak<Value>>,
    last: VecDeque<(Arc<Value>, usize)>,
    bytes: usize,
}

impl Cache {
    pub(crate) fn find(&self, marker: &str) -> Option<Arc<Value>> {
        self.known.get(marker)?.upgrade()
    }

    pub(crate) fn add(&mut self, marker: String, value: &Arc<Value>, bytes: usize) {
        if self.known.len() >= KNOWN {
            self.known.retain(|_, value| value.strong_count() > 0);
        }
        self.known.insert(marker, Arc::downgrade(value));
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
        kept.add(1, &value, "m");
        assert_eq!(kept.find(1, &value), Some("m"));
        assert_eq!(kept.find(2, &value), None);
        assert_eq!(kept.find(1, &Arc::new(json!([1]))), None);
    }

    #[test]
    fn a_cache_holds_the_last_values_and_knows_what_others_hold() {
        let mut cache = Cache::default();
        let add = |cache: &mut Cache, name: &str, bytes| {
            let value = Arc::new(json!(name));
            cache.add(name.to_owned(), &value, bytes);
            value
        };
        let held = add(&mut cache, "a", HELD);
        drop(add(&mut cache, "b", HELD));
        drop(add(&mut cache, "c", 10));
        assert!(Arc::ptr_eq(&cache.find("a").unwrap(), &held));
        assert!(cache.find("b").is_none());
        assert!(cache.find("c").is_some());
    }
}
