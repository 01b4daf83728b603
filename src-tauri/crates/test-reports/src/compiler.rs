//! Errors of compilers and type checkers: `tsc`, `dotnet build`, GCC, Clang, mypy. Errors of Rust are read by `cargo`.

use std::collections::HashSet;

use crate::{
    location::{self, Place},
    report::{Failure, Found},
    text::some,
};

/// Lines of the excerpt that may follow an error.
const MAX_EXCERPT: usize = 6;

/// `error TS2304: Cannot find name 'x'.` as its code and words.
fn coded(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("error ")?;
    let (code, words) = rest.split_once(": ")?;
    let letters = code.trim_end_matches(|char: char| char.is_ascii_digit());
    let fits = (2..=10).contains(&letters.len())
        && letters.len() < code.len()
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    fits.then_some((code, words))
}

/// `src/a.ts(3,5): error TS2304: …`
fn bracketed(line: &str) -> Option<(Place, &str, &str)> {
    let (before, rest) = line.split_once("): ")?;
    let (path, place) = before.trim_start().rsplit_once('(')?;
    let row = place.split(',').next()?.parse().ok()?;
    let (code, words) = coded(rest)?;
    (!path.is_empty()).then(|| ((path.to_owned(), row), code, words))
}

/// `src/a.ts:3:5 - error TS2304: …`
fn pretty(line: &str) -> Option<(Place, &str, &str)> {
    let (place, rest) = line.split_once(" - ")?;
    let (code, words) = coded(rest)?;
    Some((location::exact(place)?, code, words))
}

/// `a.c:3:5: error: …`, and mypy's `a.py:3: error: …  [name]`
fn colons(line: &str) -> Option<(Place, &str, &str)> {
    let (place, rest) = location::leading(line)?;
    let rest = match rest.split_once(": ") {
        Some((column, words)) if column.bytes().all(|byte| byte.is_ascii_digit()) => words,
        _ => rest.trim_start(),
    };
    let words = rest
        .strip_prefix("fatal ")
        .unwrap_or(rest)
        .strip_prefix("error: ")?;
    Some((place, "error", words))
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    if !output.contains("error") {
        return None;
    }
    let mut found = Found {
        weak: true,
        ..Found::default()
    };
    let mut known = HashSet::new();
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let typed = bracketed(line).or_else(|| pretty(line));
        let sure = typed.is_some();
        let Some((place, code, words)) = typed.or_else(|| colons(line)) else {
            continue;
        };
        // The name of the project that MSBuild adds, and repeats with each project.
        let words = match words.rsplit_once(" [") {
            Some((words, project)) if project.trim_end().ends_with("proj]") => words,
            _ => words,
        };
        let mut message = words.trim_end().to_owned();
        // The excerpt of the source.
        for _ in 0..MAX_EXCERPT {
            let excerpt = |line: &&str| {
                let text = line.trim_start();
                line.starts_with(' ')
                    && (text.contains(" | ") || text.starts_with('|') || text.starts_with('~'))
            };
            let Some(next) = lines.next_if(excerpt) else {
                break;
            };
            crate::text::add_line(&mut message, next);
        }
        if !known.insert((place.clone(), words.to_owned())) {
            continue;
        }
        found.weak &= !sure;
        let (file, line) = place;
        found.add(Failure {
            name: code.to_owned(),
            message: some(&message),
            file: Some(file),
            line: Some(line),
        });
    }
    (!found.failures.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_their_places() {
        let output = "src/a.ts(3,5): error TS2304: Cannot find name 'x'.\nsrc/b.ts:1:7 - error TS2322: No.\n\n1 const a\n/src/A.cs(4,2): error CS0103: Unknown [/src/A.csproj]\n/src/A.cs(4,2): error CS0103: Unknown [/src/A.csproj]\n";
        let found = parse(output).unwrap();
        let names: Vec<_> = found
            .failures
            .iter()
            .map(|one| (one.name.as_str(), one.line.unwrap()))
            .collect();
        assert_eq!(names, [("TS2304", 3), ("TS2322", 1), ("CS0103", 4)]);
        assert!(!found.weak);
        let gcc = "a.c: In function 'main':\na.c:3:5: error: expected ';'\n    3 | int x\n      |      ^\na.c:4:1: warning: no\nb.py:2: error: Name \"x\" is not defined  [name-defined]\n";
        let found = parse(gcc).unwrap();
        assert!(found.weak);
        assert_eq!(found.failures.len(), 2);
        assert_eq!(
            found.failures[0].message.as_deref(),
            Some("expected ';'\n    3 | int x\n      |      ^")
        );
        assert_eq!(parse("12:30:15 error: no\nerror: no\n"), None);
    }
}
