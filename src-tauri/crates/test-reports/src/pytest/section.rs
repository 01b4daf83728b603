//! Reads a traceback of pytest.

use crate::{
    location::{self, Place},
    text::add_line,
};

/// The contents of a traceback.
#[derive(Default)]
pub(super) struct Section {
    pub(super) message: String,
    /// The source locations at the starts of lines: the calls, followed by the location where the exception was raised.
    pub(super) places: Vec<Place>,
}

/// The maximum number of source locations that are kept from one traceback.
const MAX_PLACES: usize = 200;

impl Section {
    /// Returns the last location in the project's own files, or else the last location in any file.
    pub(super) fn place(&self) -> Option<Place> {
        let own = self
            .places
            .iter()
            .rev()
            .find(|(path, _)| !location::is_foreign(path));
        own.or(self.places.last()).cloned()
    }

    pub(super) fn line(&mut self, line: &str) {
        if let Some(said) = line
            .strip_prefix("E   ")
            .or_else(|| line.strip_prefix("E  "))
        {
            // A syntax error has its place in the form of a stack frame.
            self.places.extend(location::python_frame(said));
            // Continuation lines are indented by the width of the `E` mark.
            add_line(&mut self.message, said.strip_prefix("    ").unwrap_or(said));
        } else if line.starts_with("contains ") || line.starts_with("[XPASS(strict)]") {
            add_line(&mut self.message, line.trim_end());
        } else if self.places.len() < MAX_PLACES {
            let place = location::leading(line).map(|(place, _)| place);
            if let Some(place) = place.or_else(|| location::python_frame(line)) {
                self.places.push(place);
            }
        }
    }
}
