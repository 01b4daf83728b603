//! One traceback of pytest.

use crate::{
    location::{self, Place},
    text::add_line,
};

/// A traceback with its title.
#[derive(Default)]
pub(super) struct Section {
    pub(super) message: String,
    /// Places at the beginnings of lines: where each call stands, and last where it was raised.
    pub(super) places: Vec<Place>,
}

/// Places that are kept of one traceback.
const MAX_PLACES: usize = 200;

impl Section {
    /// The last place in the project.
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
            // An error of syntax names its place as a frame does.
            self.places.extend(location::python_frame(said));
            // Continued lines are indented by what the mark takes.
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
