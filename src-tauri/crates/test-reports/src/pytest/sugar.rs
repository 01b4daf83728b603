//! Reads the totals of the plugin pytest-sugar.

use crate::{
    location,
    report::{Counts, Failure},
    text::pair,
};

/// The list of totals below `Results (0.05s):`.
pub(super) struct Results {
    passed: u64,
    failed: u64,
    pub(super) failures: Vec<Failure>,
}

/// Returns whether a line is the title of the list.
pub(super) fn begins(line: &str) -> bool {
    let time = line
        .strip_prefix("Results (")
        .and_then(|rest| rest.trim_end().strip_suffix("s):"));
    time.is_some_and(|time| time.parse::<f64>().is_ok())
}

impl Results {
    pub(super) fn new() -> Self {
        Self {
            passed: 0,
            failed: 0,
            failures: Vec::new(),
        }
    }

    /// Reads `       1 failed` and `         - test_a.py:1 test_adds`. Returns `false` if the list has ended.
    pub(super) fn take(&mut self, line: &str) -> bool {
        if !line.starts_with("   ") {
            return line.trim().is_empty();
        }
        if let Some(test) = line.trim().strip_prefix("- ") {
            let (place, name) = test.split_once(' ').unwrap_or((test, test));
            if self.failures.len() < crate::limits::MAX_FAILURES {
                self.failures
                    .push(Failure::at(name.trim(), "", location::exact(place)));
            }
            return true;
        }
        let Some((count, what)) = pair(line) else {
            return false;
        };
        match what {
            "passed" => self.passed = count,
            "failed" | "error" | "errors" => self.failed = self.failed.saturating_add(count),
            _ => {}
        }
        true
    }

    /// Returns the numbers of tests, or `None` if the list has none.
    pub(super) fn counts(&self) -> Option<Counts> {
        (self.passed > 0 || self.failed > 0).then(|| Counts::of(self.passed, self.failed))
    }
}
