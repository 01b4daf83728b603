//! Reads the findings of linters and formatters.

use super::row::{Row, counts, is_above_zero, nothing, whole};
use crate::{location, report::Failure, text};

const HINT: &str = "Make the program print each finding in one line, with file and line.";

/// Parses `a.py:1:8: rest` for a file with one of these endings, and returns the location and the rest.
fn placed<'a>(line: &'a str, endings: &[&str]) -> Option<(location::Place, &'a str)> {
    let (place, rest) = location::leading(line)?;
    let (column, rest) = rest.split_once(": ")?;
    let fits = column.parse::<u32>().is_ok() && endings.iter().any(|end| place.0.ends_with(end));
    fits.then_some((place, rest))
}

/// Returns whether a word is a code such as `F401`.
fn is_code(word: &str) -> bool {
    let letters = word.trim_end_matches(|char: char| char.is_ascii_digit());
    (1..=5).contains(&letters.len())
        && (2..=4).contains(&(word.len() - letters.len()))
        && letters.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Parses `a.py:1:8: F401 [*] os imported but unused`.
fn ruff_found(line: &str) -> Option<Failure> {
    let (place, rest) = placed(line, &[".py", ".pyi", ".ipynb"])?;
    let (code, said) = rest.split_once(' ')?;
    is_code(code).then(|| Failure::at(code, said, Some(place)))
}

/// Parses `a.py:1:0: E0602: Undefined variable 'x' (undefined-variable)`. Only errors count, because other messages do not
/// necessarily fail a run.
fn pylint_found(line: &str) -> Option<Failure> {
    let (place, rest) = placed(line, &[".py", ".pyi"])?;
    let (code, said) = rest.split_once(": ")?;
    let name = said.trim_end().strip_suffix(')')?.rsplit_once(" (")?.1;
    (is_code(code) && code.starts_with(['E', 'F']) && !name.contains(' '))
        .then(|| Failure::at(code, said, Some(place)))
}

/// Matches lines like `Found 3 errors.`, the final line of Ruff and Biome.
fn found_errors(line: &str) -> bool {
    let list = line.trim_end().strip_prefix("Found ");
    list.and_then(|list| list.strip_suffix('.'))
        .is_some_and(|list| counts(list, &["error", "errors"]))
}

/// Matches lines like `1 error, 0 warnings, 0 informations `.
fn pyright(line: &str) -> bool {
    line.contains(" warning") && line.contains(" information") && counts(line, &["error", "errors"])
}

/// Parses `  /x/a.py:1:10 - error: Type "str" is not assignable (reportAssignmentType)`.
fn pyright_found(line: &str) -> Option<Failure> {
    let (place, said) = line.trim_start().split_once(" - error: ")?;
    let name = said
        .trim_end()
        .strip_suffix(')')
        .and_then(|said| said.rsplit_once(" ("));
    let name = name.map_or("error", |(_, name)| name);
    Some(Failure::at(name, said, Some(location::exact(place)?)))
}

fn black(line: &str) -> bool {
    line.starts_with("Oh no! 💥 💔 💥")
}

fn black_found(line: &str) -> Option<Failure> {
    let rest = line
        .strip_prefix("would reformat ")
        .or_else(|| line.strip_prefix("error: cannot format "))?;
    let mut failure = whole("black", line);
    failure.file = rest.split(": ").next().and_then(text::some);
    Some(failure)
}

fn ruff_format(line: &str) -> Option<Failure> {
    let file = line.strip_prefix("Would reformat: ")?;
    let mut failure = whole("ruff format", line);
    failure.file = text::some(file);
    Some(failure)
}

fn isort(line: &str) -> Option<Failure> {
    let file = line
        .strip_prefix("ERROR: ")?
        .trim_end()
        .strip_suffix(" Imports are incorrectly sorted and/or formatted.")?;
    let mut failure = whole("isort", line);
    failure.file = text::some(file);
    Some(failure)
}

fn prettier(line: &str) -> bool {
    let text = line.strip_prefix("[warn] ").unwrap_or(line);
    text.starts_with("Code style issues found in ")
}

fn prettier_found(line: &str) -> Option<Failure> {
    let file = line.strip_prefix("[warn] ")?.trim_end();
    let is_file = !prettier(line) && file.contains('.') && !file.contains(' ');
    is_file.then(|| Failure {
        file: text::some(file),
        ..whole("prettier", "The file is not formatted.")
    })
}

/// Linters of golangci-lint that many projects use. Names that are not in this list cannot be distinguished from other text
/// in brackets at the end of a line.
const GO_LINTERS: [&str; 32] = [
    "bodyclose",
    "copyloopvar",
    "depguard",
    "dupl",
    "errcheck",
    "errorlint",
    "exhaustive",
    "forbidigo",
    "funlen",
    "gochecknoglobals",
    "goconst",
    "gocritic",
    "gocyclo",
    "godot",
    "gofmt",
    "gofumpt",
    "goimports",
    "gosec",
    "gosimple",
    "govet",
    "ineffassign",
    "lll",
    "misspell",
    "nilerr",
    "prealloc",
    "revive",
    "staticcheck",
    "stylecheck",
    "typecheck",
    "unconvert",
    "unparam",
    "unused",
];

/// Parses golangci-lint's `sum.go:5:2: ineffectual assignment to x (ineffassign)` and staticcheck's `… is unused (U1000)`.
fn golangci(line: &str) -> Option<Failure> {
    let (place, said) = placed(line, &[".go"])?;
    let (_, name) = said.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    let fits = GO_LINTERS.contains(&name) || name.len() <= 6 && is_code(name);
    fits.then(|| Failure::at(name, said, Some(place)))
}

/// Matches lines like `1 file inspected, 1 offense detected`. Some offenses may have been corrected.
fn rubocop(line: &str) -> bool {
    let Some(parts) = text::pairs(line, ", ") else {
        return false;
    };
    let count = |words: [&str; 2]| {
        let part = parts.iter().find(|(_, what)| words.contains(what));
        part.map_or(0, |(count, _)| *count)
    };
    let inspected = count(["file inspected", "files inspected"]);
    let found = count(["offense detected", "offenses detected"]);
    inspected > 0 && found > count(["offense corrected", "offenses corrected"])
}

/// Parses `a.rb:1:1: C: [Correctable] Style/X: no`.
fn rubocop_found(line: &str) -> Option<Failure> {
    let (place, rest) = location::leading(line)?;
    let (_, rest) = rest.split_once(": ")?;
    let (level, said) = rest.split_once(": ")?;
    (level.len() == 1 && !said.starts_with("[Corrected]")).then(|| {
        let said = said.strip_prefix("[Correctable] ").unwrap_or(said);
        let name = said.split(':').next().unwrap_or(said);
        Failure::at(name, said, Some(place))
    })
}

/// Matches lines like ` [ERROR] Found 1 error`.
fn phpstan(line: &str) -> bool {
    line.trim()
        .strip_prefix("[ERROR] Found ")
        .is_some_and(|list| counts(list, &["error", "errors"]))
}

/// Matches lines like `svelte-check found 1 error and 0 warnings in 1 file`.
fn svelte_check(line: &str) -> bool {
    line.starts_with("svelte-check found ") && is_above_zero(line, "svelte-check found ")
}

/// Matches lines like `Found 0 warnings and 1 error.` (oxlint).
fn oxlint(line: &str) -> bool {
    let list = line.trim_end().strip_prefix("Found ");
    list.and_then(|list| list.strip_suffix('.')?.split_once(" and "))
        .is_some_and(|(warnings, errors)| {
            warnings.contains(" warning") && counts(errors, &["error", "errors"])
        })
}

/// Parses `Diff in /x/src/main.rs:1:`.
fn rustfmt(line: &str) -> Option<Failure> {
    let place = line
        .strip_prefix("Diff in ")?
        .trim_end()
        .strip_suffix(':')?;
    let place = match place.split_once(" at line ") {
        Some((file, row)) => (file.to_owned(), row.parse().ok()?),
        None => location::exact(place)?,
    };
    let said = "The file is not formatted.";
    place
        .0
        .ends_with(".rs")
        .then(|| Failure::at("rustfmt", said, Some(place)))
}

const fn row(
    program: &'static str,
    closes: fn(&str) -> bool,
    names: fn(&str) -> Option<Failure>,
) -> Row {
    Row {
        program,
        hint: HINT,
        closes,
        names,
    }
}

pub(super) const ROWS: &[Row] = &[
    row(
        "Ruff or Flake8",
        |line| ruff_found(line).is_some(),
        ruff_found,
    ),
    row("Pylint", |line| pylint_found(line).is_some(), pylint_found),
    row("Ruff or Biome", found_errors, nothing),
    row("Pyright", pyright, pyright_found),
    row("Black", black, black_found),
    row(
        "Ruff's formatter",
        |line| ruff_format(line).is_some(),
        ruff_format,
    ),
    row("isort", |line| isort(line).is_some(), isort),
    row("Prettier", prettier, prettier_found),
    row(
        "golangci-lint or staticcheck",
        |line| golangci(line).is_some(),
        golangci,
    ),
    row("RuboCop", rubocop, rubocop_found),
    row("PHPStan", phpstan, nothing),
    row("svelte-check", svelte_check, nothing),
    row("oxlint", oxlint, nothing),
    row("rustfmt", |line| rustfmt(line).is_some(), rustfmt),
];
