//! The verdict of a check: the branch, the failures and the warnings derived from the program's result.

use std::sync::Arc;

use loopwright_engine::{Checked, NodeError, Outcome};
use serde_json::{Value, json};

use super::{program, report::Report};

/// The names of the output handles of a check.
pub(super) const PASSED: &str = "passed";
pub(super) const FAILED: &str = "failed";
pub(super) const RESULT: &str = "result";

/// The maximum number of failures in a report. If a list has this many, there may have been more.
const MAX_FAILURES: usize = 500;
/// The maximum number of lines of output that are shown if no failures could be read.
const LAST_LINES: usize = 100;
/// The maximum number of bytes of output that are shown if no failures could be read.
const LAST_BYTES: usize = 16 * 1024;

/// The settings of a check that determine how the result of the program becomes the node's outcome.
pub(super) struct Verdict {
    pub(super) title: String,
    pub(super) program: String,
    pub(super) report: Report,
    /// Whether the report is read from a file instead of the program's output.
    pub(super) from_file: bool,
}

/// The exit codes with which a shell says that it could not run a program: the file is not executable (126), or the program
/// was not found (127).
const NOT_RUN: [i64; 2] = [126, 127];

/// The code of a check that could not check anything.
const CANNOT_RUN: &str = "check_cannot_run";

/// Converts the error of a program that was not started to the error of a check that cannot run.
pub(super) fn of_a_check(mut error: NodeError) -> NodeError {
    if error.code == "command_not_started" {
        error.code = CANNOT_RUN.to_owned();
    }
    error
}

impl Verdict {
    /// Returns the error of a check that did not check anything: its program could not be run, or it found no tests.
    /// Such a check must not take the branch `failed`, because the run would then pay for repairing something that is
    /// not broken.
    pub(super) fn cannot_run(&self, result: &Value) -> Option<NodeError> {
        if result["ok"] == true {
            return None;
        }
        let report = &result["report"];
        let has_failures = report["failures"]
            .as_array()
            .is_some_and(|failures| !failures.is_empty());
        let count = |name: &str| report["counts"][name].as_u64();
        let (passed, failed) = (count("passed"), count("failed"));
        if has_failures || passed > Some(0) || failed > Some(0) {
            return None;
        }
        let code = result["exitCode"].as_i64();
        let why = if code.is_some_and(|code| NOT_RUN.contains(&code)) {
            "could not run the command that it was given"
        } else if passed == Some(0) && failed == Some(0) {
            "found no tests"
        } else {
            return None;
        };
        let said = last_lines(&printed(result));
        let said = match said.trim() {
            "" => String::new(),
            said => format!(" It printed:\n{said}"),
        };
        let message = format!(
            "\"{}\" could not check anything: `{}` {why} (exit code {}). Correct its command or its folder, or install what it \
             needs.{said}",
            self.title,
            self.program,
            code.unwrap_or(-1),
        );
        Some(NodeError::new(CANNOT_RUN, message))
    }

    pub(super) fn outcome(&self, mut result: Value, carried: Arc<Value>) -> Outcome {
        let mut warnings = program::warnings(&self.title, &result);
        let report = result
            .get_mut("report")
            .map(Value::take)
            .unwrap_or_default();
        let count = |name: &str| report["counts"][name].as_u64();
        let (passed, failed) = (count("passed"), count("failed"));
        let exited_well = result["ok"] == true;
        // If an exit code other than 0 counts as success, the problems that a linter or compiler reports are accepted.
        // Failed tests are never accepted.
        let told = report["failed"].as_bool().unwrap_or(failed > Some(0));
        let told = told && (passed.is_some() || result["exitCode"] == 0);
        let ok = exited_well && !told;
        let mut failures = match &report["failures"] {
            Value::Array(failures) => failures.clone(),
            _ => Vec::new(),
        };
        // A report of compiler errors has a list of failures but no totals, so the length of the list is used.
        let listed = (1..MAX_FAILURES)
            .contains(&failures.len())
            .then_some(failures.len() as u64);
        let printed = printed(&result);
        let stands_in = !ok && failures.is_empty();
        if stands_in {
            failures.push(self.stand_in(&result, &printed));
        }
        warnings.extend(self.about_report(&result, &report, ok, stands_in));
        if exited_well && !ok {
            warnings.push((
                "report_disagrees".to_owned(),
                format!(
                    "`{}` exited with {}, which \"{}\" counts as success, but its output reports a failure. The check failed: \
                     the output takes precedence.",
                    self.program, result["exitCode"], self.title
                ),
            ));
        }
        let checked = Checked {
            ok,
            passed: passed.map(clip),
            failed: failed.or(listed).map(clip),
        };
        let mut value = json!({
            "passed": ok,
            "exitCode": result["exitCode"],
            "failures": failures,
            "counts": { "passed": passed, "failed": failed },
            "output": printed,
        });
        if let Some(signal) = result.get("signal").filter(|signal| !signal.is_null()) {
            value["signal"] = signal.clone();
        }
        let value = Arc::new(value);
        let branch = if ok { PASSED } else { FAILED };
        Outcome {
            checked: Some(checked),
            warnings,
            ..Outcome::branch(branch, Arc::clone(&value), carried).with(RESULT, value)
        }
    }

    /// Returns the failure that is shown if no failures could be read. It describes how the program ended, and contains the
    /// last lines of the program's output.
    fn stand_in(&self, result: &Value, printed: &str) -> Value {
        let ended = match (&result["exitCode"], &result["signal"]) {
            (Value::Null, Value::String(signal)) => format!("ended by {signal}"),
            (code, _) => format!("exited with {code}"),
        };
        let last = last_lines(printed);
        let message = if last.is_empty() {
            "It printed nothing.".to_owned()
        } else {
            last
        };
        json!({ "name": format!("{} {ended}", self.program), "message": message, "file": null, "line": null })
    }

    /// Returns warnings about a report that is missing, incomplete or doubtful.
    fn about_report(
        &self,
        result: &Value,
        report: &Value,
        ok: bool,
        stands_in: bool,
    ) -> Vec<(String, String)> {
        let (title, program) = (&self.title, &self.program);
        let mut warnings = Vec::new();
        let mut warn = |code: &str, words: String| warnings.push((code.to_owned(), words));
        let hint = result["reportHint"].as_str().unwrap_or_default();
        let with_hint = |words: String| match hint {
            "" => words,
            hint => format!("{words} {hint}"),
        };
        let instead = if stands_in {
            " `failures` contains the last 100 lines of its output instead."
        } else {
            ""
        };
        let named = json!(self.report);
        let named = named.as_str().unwrap_or_default();
        let explicit = !matches!(self.report, Report::Auto | Report::None);
        if report.is_null() && (explicit || self.from_file && self.report != Report::None) {
            warn(
                "report_not_read",
                with_hint(format!(
                    "`{program}` gave no report in the format `{named}` that \"{title}\" expects, so only its exit code \
                     counts.{instead} Choose another `report`, or make the program print that format."
                )),
            );
        } else if report.is_null() && stands_in && self.report == Report::Auto {
            warn(
                "failures_not_read",
                with_hint(format!(
                    "\"{title}\" did not recognize the report of `{program}`.{instead} If the program can write JUnit XML, turn that on, and name the file in `reportFile`."
                )),
            );
        } else if report.is_null() && !hint.is_empty() {
            warn(
                "report_unknown",
                format!("Only the exit code of `{program}` counts for \"{title}\". {hint}"),
            );
        } else if !report.is_null() {
            if explicit
                && report["format"]
                    .as_str()
                    .is_some_and(|format| format != named)
            {
                let found = report["format"].as_str().unwrap_or_default();
                // A report of which only the totals or the last lines were recognized has no format name that a flow could
                // choose.
                let instead = if found == "other" {
                    "a format that only `auto` reads. Choose `auto`.".to_owned()
                } else {
                    format!("the format `{found}`. Choose that format, or `auto`.")
                };
                warn(
                    "report_not_read",
                    format!(
                        "`{program}` did not report in the format `{named}` that \"{title}\" expects, but in {instead}"
                    ),
                );
            }
            let listed = report["failures"].as_array().map_or(0, Vec::len);
            let failed = report["counts"]["failed"].as_u64().unwrap_or(0);
            if stands_in {
                let what = if failed > 0 {
                    format!(
                        "`{program}` reports failures ({failed}), but does not say what failed."
                    )
                } else if report["failed"] == true {
                    format!("`{program}` reports a failure, but does not say what failed.")
                } else {
                    format!("`{program}` failed, but its report lists no failed test.")
                };
                warn(
                    "failures_not_read",
                    with_hint(format!("{what} The check \"{title}\" failed.{instead}")),
                );
            } else if !ok && (listed as u64) < failed && listed < MAX_FAILURES {
                warn(
                    "failures_incomplete",
                    with_hint(format!(
                        "`{program}` reports {failed} failures, but \"{title}\" could read only {listed} of them."
                    )),
                );
            } else if !ok && !hint.is_empty() {
                warn(
                    "report_partly_read",
                    format!(
                        "\"{title}\" could read only part of the report of `{program}`. {hint}"
                    ),
                );
            }
            // Some lines look like compiler errors, but nothing in the output says that the program failed.
            if ok && result["exitCode"] == 0 && report["failed"] == false && listed > 0 {
                warn(
                    "errors_not_sure",
                    format!(
                        "The output of `{program}` has lines that look like compiler errors, but nothing in it says that the \
                         program failed. \"{title}\" passed: the exit code takes precedence. If a pipe hides the exit code, run the program without the pipe."
                    ),
                );
            }
            if result["truncated"] == true && !self.from_file {
                warn(
                    "output_cut",
                    format!(
                        "`{program}` printed more than \"{title}\" keeps, so failures were read only from the beginning and the end of the output. Raise `maxOutput`, or make the program write its report to a file."
                    ),
                );
            }
        }
        warnings
    }
}

/// Returns the end of a program's output: at most [`LAST_LINES`] lines and [`LAST_BYTES`] bytes. Terminal codes and
/// empty lines at the end are removed.
fn last_lines(printed: &str) -> String {
    let plain = without_codes(printed);
    let plain = plain.trim_end();
    let start = plain
        .rmatch_indices('\n')
        .nth(LAST_LINES - 1)
        .map_or(0, |(at, _)| at + 1);
    let last = &plain[start..];
    let mut from = last.len().saturating_sub(LAST_BYTES);
    while !last.is_char_boundary(from) {
        from += 1;
    }
    if from == 0 {
        return last.to_owned();
    }
    format!("…{}", &last[from..])
}

/// Removes ANSI escape sequences, such as colors and cursor movements.
fn without_codes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\x1b' {
            plain.push(char);
        } else if chars.next_if_eq(&'[').is_some() {
            while chars
                .next_if(|char| !('@'..='~').contains(char) && *char != '\n')
                .is_some()
            {}
            chars.next_if(|char| *char != '\n');
        }
    }
    plain
}

fn clip(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the program's standard output followed by its standard error.
fn printed(result: &Value) -> String {
    let part = |name: &str| result[name].as_str().unwrap_or_default();
    let (out, err) = (part("stdout"), part("stderr"));
    let between = if out.is_empty() || err.is_empty() || out.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    [out, between, err].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_nothing_confirms_warn() {
        let warnings = |exit: u64, report: Value| -> Vec<String> {
            let verdict = Verdict {
                title: "Tests".to_owned(),
                program: "kotlinc".to_owned(),
                report: Report::Auto,
                from_file: false,
            };
            let result = json!({
                "ok": true, "exitCode": exit, "stdout": "a.kt:3:5: error: no", "stderr": "", "report": report,
            });
            let outcome = verdict.outcome(result, Arc::new(Value::Null));
            outcome.warnings.into_iter().map(|(code, _)| code).collect()
        };
        let report = |failed: bool| {
            let failure = json!({ "name": "error", "message": "no", "file": "a.kt", "line": 3 });
            json!({ "format": "compiler", "failures": [failure], "counts": null, "failed": failed })
        };
        assert_eq!(warnings(0, report(false)), ["errors_not_sure"]);
        // A check that accepts an exit code other than 0 also accepts these problems.
        assert!(warnings(1, report(false)).is_empty());
        assert_eq!(warnings(0, report(true)), ["report_disagrees"]);
    }

    #[test]
    fn a_form_without_a_name_cannot_be_chosen() {
        let words = |format: &str| {
            let verdict = Verdict {
                title: "Tests".to_owned(),
                program: "npm".to_owned(),
                report: Report::Junit,
                from_file: false,
            };
            let report =
                json!({ "format": format, "failures": [], "counts": null, "failed": true });
            let result = json!({ "ok": false, "exitCode": 1, "stdout": "no", "stderr": "", "report": report });
            let outcome = verdict.outcome(result, Arc::new(Value::Null));
            outcome.warnings[0].1.clone()
        };
        assert!(words("tap").ends_with("but in the format `tap`. Choose that format, or `auto`."));
        assert!(words("other").ends_with("but in a format that only `auto` reads. Choose `auto`."));
    }

    #[test]
    fn the_last_lines_are_bounded() {
        let many: String = (1..=300).map(|at| format!("line {at}\n")).collect();
        let last = last_lines(&many);
        assert_eq!(last.lines().count(), 100);
        assert!(last.starts_with("line 201\n") && last.ends_with("line 300"));
        let long = "ä".repeat(20_000);
        let last = last_lines(&long);
        assert!(last.starts_with('…') && last.len() <= LAST_BYTES + 4);
        assert_eq!(last_lines("\x1b[31mred\x1b[0m\n\n"), "red");
        assert_eq!(last_lines("\n"), "");
    }
}
