//! Reads problems outside the tests that make a pytest run fail. In this case, only the exit code shows the failure, not the
//! counts.

use super::lines::title;
use crate::{report::Failure, text::add_line};

/// The name of a failure of the whole run. It takes the place of the name of a test.
const RUN: &str = "pytest";

/// The names that pytest uses for itself at the start of an error message about its arguments.
const CALLED: [&str; 4] = ["pytest", "py.test", "__main__.py", "python -m pytest"];

/// Returns whether a run ended because coverage is too low, as reported by coverage.py and pytest-cov.
fn lacks_coverage(line: &str) -> bool {
    let line = line.strip_prefix("ERROR: ").unwrap_or(line);
    line.starts_with("Coverage failure: total of ") && line.contains(" is less than fail-under=")
        || line.starts_with("FAIL Required test coverage of ") && line.contains(" not reached")
}

/// The kind of details that may follow a line.
enum More {
    /// The details are the error of an import, after `E   `.
    Import,
    /// The details are the last line of pytest's own traceback.
    Internal,
}

/// The problems that broke a run.
#[derive(Default)]
pub(super) struct Broken {
    said: Vec<String>,
    more: Option<More>,
    /// The message of a Python crash. If a total follows, another process crashed.
    crashed: Option<String>,
}

impl Broken {
    /// Reads a line that was not printed by a test.
    pub(super) fn line(&mut self, line: &str) {
        match self.more {
            Some(More::Import) if line.starts_with("E  ") => {
                let said = line.trim_start_matches('E').trim();
                if let Some(last) = self.said.last_mut() {
                    add_line(last, said);
                }
                return;
            }
            Some(More::Internal) => {
                if let Some(said) = line.strip_prefix("INTERNALERROR> ") {
                    // The first unindented line after the traceback is the error.
                    if !said.starts_with([' ', 'T'])
                        && let Some(last) = self.said.last_mut()
                    {
                        add_line(last, said);
                    }
                    return;
                }
                self.more = None;
            }
            _ => {}
        }
        if line.starts_with("INTERNALERROR> ") {
            self.begin("INTERNALERROR", Some(More::Internal));
        } else if line.starts_with("ImportError while loading conftest '") {
            self.begin(line, Some(More::Import));
        } else if lacks_coverage(line)
            || line.starts_with("ERROR: file or directory not found: ")
            || line.starts_with("ERROR: not found: ")
            || CALLED.iter().any(|name| {
                line.strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with(": error: "))
            })
        {
            self.begin(line, None);
        } else if line.starts_with("Fatal Python error: ") {
            self.crashed = Some(line.trim_end().to_owned());
        } else if let Some(title) = title(line, '!')
            && (title == "KeyboardInterrupt" || title.starts_with("_pytest.outcomes.Exit: "))
        {
            self.begin(title, None);
        }
    }

    fn begin(&mut self, said: &str, more: Option<More>) {
        self.said.push(said.trim_end().to_owned());
        self.more = more;
    }

    /// Marks the end of a run that printed its total.
    pub(super) fn counted(&mut self) {
        self.crashed = None;
    }

    /// Returns the failures of all runs.
    pub(super) fn failures(self) -> impl Iterator<Item = Failure> {
        let said = self.said.into_iter().chain(self.crashed);
        said.map(|said| Failure::at(RUN, &said, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(output: &str) -> Vec<String> {
        let mut broken = Broken::default();
        output.lines().for_each(|line| broken.line(line));
        let failures = broken.failures();
        failures.filter_map(|failure| failure.message).collect()
    }

    #[test]
    fn a_run_breaks_outside_of_its_tests() {
        for (output, expected) in [
            (
                "INTERNALERROR> Traceback (most recent call last):\nINTERNALERROR>   File \"x.py\", line 3, in <module>\nINTERNALERROR> KeyError: 'x'\n",
                "INTERNALERROR\nKeyError: 'x'",
            ),
            (
                "ImportError while loading conftest '/x/conftest.py'.\nconftest.py:1: in <module>\n    import nope\nE   ModuleNotFoundError: No module named 'nope'\n",
                "ImportError while loading conftest '/x/conftest.py'.\nModuleNotFoundError: No module named 'nope'",
            ),
            (
                "ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --foo\n",
                "pytest: error: unrecognized arguments: --foo",
            ),
            (
                "ERROR: file or directory not found: tests/nope\n",
                "ERROR: file or directory not found: tests/nope",
            ),
            (
                "ERROR: Coverage failure: total of 50 is less than fail-under=90\n",
                "ERROR: Coverage failure: total of 50 is less than fail-under=90",
            ),
            (
                "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%\n",
                "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%",
            ),
            ("!!!!!! KeyboardInterrupt !!!!!!\n", "KeyboardInterrupt"),
            (
                "Fatal Python error: Segmentation fault\n",
                "Fatal Python error: Segmentation fault",
            ),
        ] {
            assert_eq!(said(output), [expected], "{output}");
        }
        for line in [
            "  ERROR: Coverage failure: total of 50 is less than fail-under=90",
            "Required test coverage of 90% reached. Total coverage: 95.00%",
            "FAIL Required test coverage of 90%: what a test printed",
            "the words INTERNALERROR> in a line",
            "!!!!!! Interrupted: 1 error during collection !!!!!!",
            "my tool: error: unrecognized arguments: --foo",
            "KeyboardInterrupt",
        ] {
            assert!(said(line).is_empty(), "{line}");
        }
    }
}
