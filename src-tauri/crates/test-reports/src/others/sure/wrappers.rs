//! Reads failures that are reported by programs that run other programs: package managers, build tools and Python itself.

use super::{
    super::lines::without_level,
    row::{Row, nothing, whole},
};
use crate::{hints::Unread, report::Found};

const HINT: &str =
    "Run the test program itself, or make it write a JUnit XML report, and choose that file.";

/// Matches lines like `npm error code 1`, `npm ERR! Test failed.  See above for more details.`.
fn npm(line: &str) -> bool {
    let rest = line
        .strip_prefix("npm error ")
        .or_else(|| line.strip_prefix("npm ERR! "));
    rest.is_some_and(|rest| {
        rest.starts_with("Test failed.")
            || rest.starts_with("code ")
            || rest.starts_with("Lifecycle script `") && rest.contains("` failed with error")
    })
}

/// Matches lines like ` ELIFECYCLE  Test failed. See above for more details.`.
fn pnpm(line: &str) -> bool {
    let rest = line.strip_prefix(' ').unwrap_or(line);
    rest.starts_with("ELIFECYCLE  ") || rest.starts_with("ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL")
}

fn yarn(line: &str) -> bool {
    line.starts_with("error Command failed with exit code ")
}

/// Matches lines like ` ERROR  run failed: command  exited (1)`.
fn turbo(line: &str) -> bool {
    line.trim_start().starts_with("ERROR  run failed: command ")
}

/// Matches lines like `    ✖    1/2 targets failed, including the following:`.
fn nx(line: &str) -> bool {
    line.trim_start().strip_prefix('✖').is_some_and(|rest| {
        rest.trim_end()
            .ends_with(" targets failed, including the following:")
    })
}

fn lerna(line: &str) -> bool {
    line.starts_with("lerna ERR! ")
}

/// Matches lines like `make[1]: *** [Makefile:5: test] Error 1`.
fn make(line: &str) -> bool {
    let Some((program, rest)) = line.split_once(": *** ") else {
        return false;
    };
    let name = program.split('[').next().unwrap_or(program);
    let name = name.rsplit('/').next().unwrap_or(name);
    matches!(name, "make" | "gmake" | "mingw32-make") && !rest.trim_end().ends_with("(ignored)")
}

/// Matches lines like `BUILD FAILED in 3s` (Gradle and Ant) and `[INFO] BUILD FAILURE` (Maven).
fn gradle(line: &str) -> bool {
    let text = without_level(line).trim_end();
    matches!(text, "BUILD FAILED" | "BUILD FAILURE") || text.starts_with("BUILD FAILED in ")
}

fn xcode(line: &str) -> bool {
    matches!(
        line.trim(),
        "** TEST FAILED **" | "** BUILD FAILED **" | "** TEST BUILD FAILED **"
    )
}

fn ninja(line: &str) -> bool {
    line.starts_with("ninja: build stopped: ")
}

/// Matches lines like ``error: Recipe `test` failed on line 3 with exit code 1``.
fn just(line: &str) -> bool {
    line.strip_prefix("error: Recipe `")
        .is_some_and(|rest| rest.contains("` failed "))
}

/// Matches lines like `task: Failed to run task "test": exit status 1`.
fn task(line: &str) -> bool {
    line.starts_with("task: Failed to run task ")
}

/// Matches lines like `  evaluation failed :( (3.21 seconds)`, which follow the list of failed environments.
fn tox(line: &str) -> bool {
    line.starts_with("  evaluation failed :( (")
}

/// Matches the shell's message about a program that crashed.
fn shell(line: &str) -> bool {
    let line = line.trim_end();
    matches!(
        line,
        "Segmentation fault" | "Segmentation fault (core dumped)" | "Aborted (core dumped)"
    ) || line.contains(" Segmentation fault      (core dumped) ")
        || line.contains(" Aborted                 (core dumped) ")
}

/// Returns whether a build tool says that it failed. This confirms compiler errors above the line.
pub(super) fn build_failed(line: &str) -> bool {
    make(line) || gradle(line) || xcode(line) || ninja(line)
}

const fn row(program: &'static str, closes: fn(&str) -> bool) -> Row {
    Row {
        program,
        hint: HINT,
        closes,
        names: nothing,
    }
}

pub(super) const ROWS: &[Row] = &[
    row("npm", npm),
    row("pnpm", pnpm),
    row("Yarn", yarn),
    row("Turborepo", turbo),
    row("Nx", nx),
    row("Lerna", lerna),
    row("make", make),
    row("Gradle, Ant or Maven", gradle),
    row("Xcode", xcode),
    row("Ninja", ninja),
    row("just", just),
    row("Task", task),
    row("tox", tox),
    row("the shell", shell),
];

/// Returns whether a line is `AssertionError`, `ValueError: no` or `shop.errors.NoSuchItem: 3`.
fn is_exception(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or(line).trim_end();
    let last = name.rsplit('.').next().unwrap_or(name);
    last.starts_with(|char: char| char.is_ascii_uppercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte))
        && (name.len() == line.trim_end().len() || line[name.len()..].starts_with(": "))
}

/// Returns the exception that ended a Python program. Its traceback must be the end of the output and must not belong to a
/// log or a thread; otherwise returns `None`.
pub(super) fn traceback(output: &str) -> Option<Found> {
    let mut lines: Vec<&str> = output.trim_end().lines().collect();
    while lines.last().is_some_and(|line| {
        line.trim().is_empty()
            || ROWS.iter().any(|row| (row.closes)(line))
            || line.starts_with("npm error ")
    }) {
        lines.pop();
    }
    let error = lines.pop().filter(|line| is_exception(line))?;
    let start = lines
        .iter()
        .rposition(|line| !line.trim().is_empty() && !line.starts_with(' '))?;
    if lines[start] != "Traceback (most recent call last):" || start + 1 == lines.len() {
        return None;
    }
    let frames = &lines[start + 1..];
    let above = lines[..start].last().copied().unwrap_or_default();
    let logged = [
        "ERROR",
        "CRITICAL",
        "WARN",
        "INFO",
        "DEBUG",
        "Exception ",
        "exception",
        "future: ",
    ];
    if logged.iter().any(|word| above.contains(word)) {
        return None;
    }
    let mut failure = whole("Python", error);
    let places = frames
        .iter()
        .rev()
        .filter_map(|line| crate::location::python_frame(line));
    let place = places
        .clone()
        .find(|(path, _)| !crate::location::is_foreign(path))
        .or_else(|| places.clone().next());
    (failure.file, failure.line) = crate::location::apart(place);
    let mut found = Found {
        failed: true,
        partly: Some(Unread {
            program: "Python",
            hint: HINT,
        }),
        ..Found::default()
    };
    found.add(failure);
    Some(found)
}
