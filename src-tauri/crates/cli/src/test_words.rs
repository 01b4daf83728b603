//! Describes changes to tests in words.

use loopwright_records::{NamedFiles, TestChanges};

use crate::render::counted;

/// The maximum number of files that a sentence names.
const NAMED: usize = 3;

fn plural(number: u32, one: &str) -> String {
    counted(number, one, &format!("{one}s"))
}

/// Formats the names of files: `a.js, b.js, c.js and 2 more`.
fn named(files: &NamedFiles) -> String {
    let names: Vec<&str> = files.names.iter().take(NAMED).map(String::as_str).collect();
    let left = (files.total as usize).saturating_sub(names.len());
    let more = match left {
        0 => String::new(),
        left => format!(" and {left} more"),
    };
    format!("{}{more}", names.join(", "))
}

/// Formats the changes to tests: `3 tests deleted, 1 skipped; test configuration changed: package.json`.
pub(crate) fn test_words(found: &TestChanges) -> String {
    let tests = &found.tests;
    let mut counts = Vec::new();
    if tests.deleted > 0 {
        counts.push(format!("{} deleted", plural(tests.deleted, "test")));
    }
    if tests.skipped > 0 {
        counts.push(match tests.deleted {
            0 => format!("{} skipped", plural(tests.skipped, "test")),
            _ => format!("{} skipped", tests.skipped),
        });
    }
    if tests.only > 0 {
        let tests = plural(tests.only, "test");
        counts.push(format!("{tests} marked to run alone"));
    }
    if tests.fewer_assertions > 0 {
        let assertions = plural(tests.fewer_assertions, "assertion");
        counts.push(format!("{assertions} fewer"));
    }
    let mut parts = Vec::new();
    if !counts.is_empty() {
        parts.push(counts.join(", "));
    } else if found.test_files.total > 0 {
        let files = plural(found.test_files.total, "test file");
        parts.push(format!("{files} changed: {}", named(&found.test_files)));
    }
    if found.configuration.total > 0 {
        let names = named(&found.configuration);
        parts.push(format!("test configuration changed: {names}"));
    }
    if found.not_read > 0 {
        let files = plural(found.not_read, "unread file");
        parts.push(format!("{files} that may have tests"));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use loopwright_records::TestCounts;

    use super::*;

    #[test]
    fn changed_tests_are_one_sentence() {
        let files = |names: &[&str], total| NamedFiles {
            total,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        let mut found = TestChanges {
            tests: TestCounts {
                deleted: 3,
                skipped: 1,
                ..TestCounts::default()
            },
            test_files: files(&["a.test.js"], 1),
            configuration: files(&["package.json"], 1),
            not_read: 20,
        };
        assert_eq!(
            test_words(&found),
            "3 tests deleted, 1 skipped; test configuration changed: package.json; 20 unread files that may have tests"
        );
        found.tests = TestCounts {
            skipped: 1,
            only: 2,
            fewer_assertions: 1,
            ..TestCounts::default()
        };
        found.configuration = NamedFiles::default();
        found.not_read = 0;
        assert_eq!(
            test_words(&found),
            "1 test skipped, 2 tests marked to run alone, 1 assertion fewer"
        );
        found.tests = TestCounts::default();
        found.test_files = files(&["a", "b", "c", "d"], 6);
        assert_eq!(
            test_words(&found),
            "6 test files changed: a, b, c and 3 more"
        );
    }
}
