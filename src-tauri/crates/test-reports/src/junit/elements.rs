//! Reads elements of JUnit XML: test cases and suites.

use quick_xml::events::BytesStart;

use crate::{
    limits::{MAX_FAILURES, MAX_MESSAGE, MAX_NAME},
    location::{self, Place},
    report::{Failure, Found},
    text::{cut, some},
};

/// The maximum number of attributes that are read from an element. A hostile element could have a million.
const MAX_ATTRIBUTES: usize = 64;

#[derive(Default)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<u32>,
    pub(super) skipped: bool,
    /// Whether the attribute `status` reports a failure, regardless of the contents of the element.
    pub(super) status: bool,
    /// The message and the text of the case's failures, or `None` if it has none.
    pub(super) failed: Option<(String, String)>,
}

pub(crate) fn attribute(element: &BytesStart, names: &[&str]) -> Option<String> {
    let mut attributes = element.attributes();
    // The check for duplicate attributes is off, because it compares each attribute with all previous ones.
    let attributes = attributes.with_checks(false);
    attributes.take(MAX_ATTRIBUTES).flatten().find_map(|found| {
        names.contains(&found.key.0).then(|| {
            let text = match quick_xml::escape::unescape(&found.value) {
                Ok(text) => text.into_owned(),
                Err(_) => found.value.clone().into_owned(),
            };
            cut(text, MAX_MESSAGE)
        })
    })
}

pub(super) fn case(element: &BytesStart) -> Case {
    let name = attribute(element, &["name"]).unwrap_or_default();
    let class = attribute(element, &["classname"]).unwrap_or_default();
    // Node.js names every class `test`.
    let name = if class.is_empty() || class == "test" || name.starts_with(&class) {
        name
    } else {
        format!("{class}.{name}")
    };
    Case {
        name: cut(name, MAX_NAME),
        file: attribute(element, &["file"]).filter(|file| !file.is_empty()),
        line: attribute(element, &["line"])
            .and_then(|line| line.trim().parse().ok())
            .filter(|line| *line > 0),
        status: attribute(element, &["status"]).is_some_and(|status| {
            matches!(
                status.as_str(),
                "fail" | "failed" | "error" | "FAILED" | "ERROR"
            )
        }),
        ..Case::default()
    }
}

/// An unfinished suite, with the values of its attributes.
#[derive(Default)]
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) file: Option<String>,
    pub(super) tests: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    /// The number of test cases that were read in the suite, including nested suites.
    pub(super) cases: u64,
    /// The number of failures that were found in the suite, including nested suites.
    pub(super) known: u64,
    /// The text of the suite's own errors and output.
    pub(super) message: String,
    pub(super) own: bool,
}

pub(super) fn suite(element: &BytesStart) -> Suite {
    let number = |name: &str| -> u64 {
        attribute(element, &[name])
            .and_then(|text| text.trim().parse().ok())
            .unwrap_or(0)
    };
    Suite {
        name: cut(attribute(element, &["name"]).unwrap_or_default(), MAX_NAME),
        file: attribute(element, &["file"]).filter(|file| !file.is_empty()),
        tests: number("tests"),
        failed: number("failures").saturating_add(number("errors")),
        skipped: number("skipped").saturating_add(number("disabled")),
        ..Suite::default()
    }
}

impl Case {
    fn place(&self, text: &str) -> Option<Place> {
        // If the test and its failure are in the same file, the line of the failure is more useful.
        let mut places = location::all(text);
        match &self.file {
            None => places.next(),
            Some(file) => places
                .find(|(found, _)| found.ends_with(file.as_str()) || file.ends_with(found.as_str()))
                .map(|(_, line)| (file.clone(), line)),
        }
    }

    pub(super) fn end(self, found: &mut Found, passed: &mut u64, failed: &mut u64) {
        if self.skipped {
            return;
        }
        if self.failed.is_none() && !self.status {
            *passed += 1;
            return;
        }
        let (message, text) = self.failed.clone().unwrap_or_default();
        *failed += 1;
        if found.failures.len() >= MAX_FAILURES {
            return;
        }
        let place = self.place(&format!("{message}\n{text}"));
        let text = text.trim();
        let first = message.lines().next().unwrap_or_default();
        let message = if text.is_empty() || message.len() > text.len() {
            message
        } else if text.contains(first) {
            text.to_owned()
        } else {
            format!("{message}\n{text}")
        };
        let (file, line) = match place {
            Some((file, line)) => (Some(file), Some(line)),
            None => (self.file, self.line),
        };
        found.add(Failure {
            name: self.name,
            message: some(&message),
            file,
            line,
        });
    }
}
