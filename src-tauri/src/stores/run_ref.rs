//! The reference to a run that the pages use: the store of the run and its id.

use std::fmt;

/// A run and its store. Its text form is the run's id, preceded by the name of the shared store, if any: `work/0192…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunRef<'a> {
    /// The shared store; `None` is this computer.
    pub(crate) store: Option<&'a str>,
    pub(crate) run_id: &'a str,
}

impl<'a> RunRef<'a> {
    /// Parses the text form of a reference. The text before the first `/` is the name of the store; without a `/`, the run is
    /// on this computer.
    pub(crate) fn read(text: &'a str) -> Self {
        match text.split_once('/') {
            Some((store, run_id)) => Self {
                store: Some(store),
                run_id,
            },
            None => Self {
                store: None,
                run_id: text,
            },
        }
    }
}

impl fmt::Display for RunRef<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.store {
            Some(store) => write!(to, "{store}/{}", self.run_id),
            None => to.write_str(self.run_id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["0192", "work/0192", "team-2/01a2"] {
            assert_eq!(RunRef::read(text).to_string(), text);
        }
        assert_eq!(RunRef::read("work/0192").store, Some("work"));
    }
}
