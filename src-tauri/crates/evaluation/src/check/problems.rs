//! Problems in an evaluation, and checks that several rules share.

use crate::file::SCHEMA_VERSION;

/// A problem in an evaluation file, and the field that contains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The path of the field, such as `scorers[1].rubric`.
    pub place: String,
    /// The problem and its remedy, in one or two sentences.
    pub message: String,
}

pub(super) struct Problems(pub(super) Vec<Problem>);

impl Problems {
    pub(super) fn add(&mut self, place: impl Into<String>, message: impl Into<String>) {
        self.0.push(Problem {
            place: place.into(),
            message: message.into(),
        });
    }
}

/// Returns an error message if a file's format version is 0 or is newer than this program can read, otherwise `None`.
pub(super) fn newer(version: u64) -> Option<String> {
    let known = u64::from(SCHEMA_VERSION);
    if version > known {
        Some(format!(
            "The file has version {version}, but this program reads versions up to {known}. Update Loopwright."
        ))
    } else if version == 0 {
        Some(format!(
            "The file has version 0, which does not exist. Set `schemaVersion` to {known}."
        ))
    } else {
        None
    }
}

/// Reports a number that is negative or not finite.
pub(super) fn check_amount(place: impl Into<String>, amount: f64, problems: &mut Problems) {
    if !(amount.is_finite() && amount >= 0.0) {
        let place = place.into();
        let message = format!("`{place}` is {amount}. Write 0 or more.");
        problems.add(place, message);
    }
}

/// Reports a range whose lower end is not below its upper end, or whose ends are not finite.
pub(super) fn check_range(
    place: impl Into<String>,
    [low, high]: [f64; 2],
    problems: &mut Problems,
) {
    if !(low.is_finite() && high.is_finite() && low < high) {
        problems.add(
            place,
            format!(
                "The range from {low} to {high} contains no score. Write the smallest score first, such as [0, 10]."
            ),
        );
    }
}
