//! Reads errors of compilers and type checkers: `tsc`, `dotnet build`, MSVC, GCC, Clang, `javac`, mypy. Rust errors are read
//! by `cargo`.

use std::collections::HashSet;

use crate::{
    location::{self, Place},
    report::{Failure, Found},
    text::some,
};

/// The maximum number of excerpt lines after an error.
const MAX_EXCERPT: usize = 6;

/// Splits `error TS2304: Cannot find name 'x'.` into code and message. MSVC codes have one letter and four digits.
fn coded(text: &str) -> Option<(&str, &str)> {
    let rest = text
        .strip_prefix("fatal ")
        .unwrap_or(text)
        .strip_prefix("error ")?;
    let (code, words) = rest.split_once(": ")?;
    let letters = code.trim_end_matches(|char: char| char.is_ascii_digit());
    let digits = code.len() - letters.len();
    let fits = ((2..=10).contains(&letters.len()) && digits > 0 || letters == "C" && digits == 4)
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    fits.then_some((code, words))
}

/// Parses `src/a.ts(3,5): error TS2304: …`.
fn bracketed(line: &str) -> Option<(Place, &str, &str)> {
    let (before, rest) = line.split_once("): ")?;
    let (path, place) = before.trim_start().rsplit_once('(')?;
    let row = place.split(',').next()?.parse().ok()?;
    let (code, words) = coded(rest)?;
    (!path.is_empty()).then(|| ((path.to_owned(), row), code, words))
}

/// Parses `src/a.ts:3:5 - error TS2304: …`.
fn pretty(line: &str) -> Option<(Place, &str, &str)> {
    let (place, rest) = line.split_once(" - ")?;
    let (code, words) = coded(rest)?;
    Some((location::exact(place)?, code, words))
}

/// Parses `a.c:3:5: error: …`, and mypy's `a.py:3: error: …  [name]`.
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

/// Returns whether mypy's error code follows the error, as in `  [name-defined]`.
fn has_rule(file: &str, words: &str) -> bool {
    let rule = words
        .trim_end()
        .strip_suffix(']')
        .and_then(|words| words.rsplit_once("  ["));
    (file.ends_with(".py") || file.ends_with(".pyi"))
        && rule.is_some_and(|(_, rule)| {
            !rule.is_empty()
                && rule
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        })
}

/// Parses the number in `1 error`, `2 errors` or `2 errors generated.`, and returns the rest of the text.
fn errors(text: &str) -> Option<(u64, &str)> {
    let (count, words) = text.split_once(' ')?;
    let rest = words.strip_prefix("error")?;
    Some((count.parse().ok()?, rest.strip_prefix('s').unwrap_or(rest)))
}

/// Returns whether a line says that a compiler or a build failed. The errors above such a line are then errors of that
/// compiler or build.
fn confirms(line: &str) -> bool {
    let line = line.trim_end();
    if let Some((count, rest)) = errors(line) {
        return count > 0 && (rest.is_empty() || rest == " generated.");
    }
    if let Some((count, rest)) = line.strip_prefix("Found ").and_then(errors) {
        return count > 0 && (rest.is_empty() || rest == "." || rest.starts_with(" in "));
    }
    // The form is `1 warning and 2 errors generated.`
    if let Some((_, rest)) = line.split_once(" and ")
        && line.ends_with(" generated.")
    {
        return errors(rest).is_some_and(|(count, _)| count > 0);
    }
    crate::others::build_failed(line)
        || line == "compilation terminated."
        || line == "error: fatalError"
        || line.starts_with("error: could not compile `")
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
        if !found.failures.is_empty() && confirms(line) {
            found.weak = false;
        }
        let typed = bracketed(line).or_else(|| pretty(line));
        let sure = typed.is_some();
        let Some((place, code, words)) = typed.or_else(|| colons(line)) else {
            continue;
        };
        // MSBuild appends the project name and repeats the error for each project.
        let words = match words.rsplit_once(" [") {
            Some((words, project)) if project.trim_end().ends_with("proj]") => words,
            _ => words,
        };
        let mut message = words.trim_end().to_owned();
        // The following lines may be an excerpt of the source.
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
        let (file, line) = place;
        found.weak &= !sure && !has_rule(&file, words);
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
        assert!(!found.weak, "mypy names its rule");
        assert_eq!(found.failures.len(), 2);
        assert_eq!(
            found.failures[0].message.as_deref(),
            Some("expected ';'\n    3 | int x\n      |      ^")
        );
        assert_eq!(parse("12:30:15 error: no\nerror: no\n"), None);
    }

    /// An error in a form that many programs use counts only if the compiler itself reports that it failed.
    #[test]
    fn a_last_line_confirms_errors() {
        let weak = |end: &str| {
            let output = format!("Sum.java:3: error: cannot find symbol\n    x\n    ^\n{end}");
            parse(&output).unwrap().weak
        };
        for end in [
            "1 error",
            "2 errors generated.",
            "1 warning and 1 error generated.",
            "Found 1 error in 1 file (checked 1 source file)",
            "make: *** [Makefile:2: a.o] Error 1",
            "make[2]: *** [Makefile:2: a.o] Error 1",
            "ninja: build stopped: subcommand failed.",
            "BUILD FAILED in 1s",
            "compilation terminated.",
            "error: fatalError",
        ] {
            assert!(!weak(end), "{end}");
        }
        for end in [
            "",
            "0 errors",
            "1 error was expected",
            "1 warning generated.",
            "Found 0 errors.",
            "make: [Makefile:2: a.o] Error 1 (ignored)",
            "make: *** [Makefile:2: a.o] Error 1 (ignored)",
            "BUILD SUCCESSFUL in 1s",
        ] {
            assert!(weak(end), "{end}");
        }
        // A total above all errors belongs to something else.
        assert!(parse("1 error\na.c:3:5: error: no\n").unwrap().weak);
        // Brackets contain an error code only if they have mypy's form.
        for line in ["a.py:1: error: no [x]", "a.log:1: error: no  [x]"] {
            assert!(parse(line).unwrap().weak, "{line}");
        }
    }

    #[test]
    fn errors_of_msvc_have_one_letter() {
        let output = "a.c(3): error C2065: 'x': undeclared identifier\na.c(1): fatal error C1083: no\na.c(4): warning C4100: 'y'\n";
        let found = parse(output).unwrap();
        let names: Vec<_> = found.failures.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((names, found.weak), (vec!["C2065", "C1083"], false));
        assert_eq!(parse("a.c(3): error C1: no\n"), None);
    }
}
