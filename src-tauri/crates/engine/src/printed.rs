//! What a tool prints beside its result, such as a script's logs.

use std::sync::{Arc, Mutex, PoisonError};

/// Gathers what one call of a tool prints. Whoever calls keeps a clone, and takes the text when the call has ended.
#[derive(Debug, Clone, Default)]
pub struct Printed(Arc<Mutex<String>>);

impl Printed {
    /// Adds `text` behind what was printed before.
    pub fn print(&self, text: &str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_str(text);
    }

    /// Gives everything that was printed, and begins again with nothing.
    pub fn take(&self) -> String {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_print_to_one_text_that_is_taken_once() {
        let (printed, other) = (Printed::default(), Printed::default());
        printed.print("a");
        printed.clone().print("b");
        other.print("c");
        assert_eq!(printed.take(), "ab");
        assert_eq!(printed.take(), "");
        assert_eq!(other.take(), "c");
    }
}
