//! The text that a tool prints besides its result, such as a script's logs.

use std::sync::{Arc, Mutex, PoisonError};

/// A collector of a tool call's output and warnings. The caller keeps a clone and reads it after the call.
#[derive(Debug, Clone, Default)]
pub struct Printed(Arc<Mutex<Gathered>>);

#[derive(Debug, Default)]
struct Gathered {
    text: String,
    warnings: Vec<(String, String)>,
}

impl Printed {
    /// Appends `text` to the output.
    pub fn print(&self, text: &str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .text
            .push_str(text);
    }

    /// Adds a warning for the node that makes the call: a code, and a message for users.
    pub fn warn(&self, code: &str, message: String) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .warnings
            .push((code.to_owned(), message));
    }

    /// Returns the output so far and clears it.
    pub fn take(&self) -> String {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).text)
    }

    /// Returns the warnings so far and clears them.
    pub fn take_warnings(&self) -> Vec<(String, String)> {
        std::mem::take(
            &mut self
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .warnings,
        )
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
