//! What an attempt of an execution keeps for the next attempt.

use std::{
    any::Any,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

type Slot = Mutex<Option<Box<dyn Any + Send>>>;

/// What an attempt keeps for the next attempt of the same execution, such as the finished rounds of a conversation, so that a
/// retry does not repeat them. It is not recorded: if the program ends, the execution starts from the beginning when the run is
/// resumed. It is cheap to clone.
#[derive(Clone, Default)]
pub struct Kept(Option<Arc<Slot>>);

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kept").finish_non_exhaustive()
    }
}

impl Kept {
    /// Creates an empty place that keeps values. The default place keeps nothing, which costs nothing.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// Keeps `value` and drops the value that was kept before.
    pub fn set<T: Any + Send>(&self, value: T) {
        if let Some(slot) = &self.0 {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(value));
        }
    }

    /// Returns a copy of the kept value; `None` if nothing of this type is kept.
    pub fn get<T: Any + Clone>(&self) -> Option<T> {
        let slot = self.0.as_ref()?;
        let kept = slot.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref()?.downcast_ref::<T>().cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_kept_for_all_clones() {
        let kept = Kept::new();
        assert_eq!(kept.get::<u32>(), None);
        kept.clone().set(7_u32);
        assert_eq!((kept.get::<u32>(), kept.get::<u8>()), (Some(7), None));
        let nothing = Kept::default();
        nothing.set(7_u32);
        assert_eq!(nothing.get::<u32>(), None);
    }
}
