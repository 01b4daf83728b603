//! Reads VSTest console output in languages other than English, which is recognized by its structure.

use std::collections::HashSet;

use crate::{report::Counts, text::indent};

/// The characters that separate the parts of a total in the various languages.
const COMMAS: [char; 3] = [',', '，', '、'];

/// Returns whether `text` is a time such as `12 ms`, `< 1 ms` or `1 m 3 s`.
fn is_time(text: &str) -> bool {
    text.trim().split(' ').all(|word| {
        matches!(word, "<" | "ms" | "s" | "m" | "h")
            || word.bytes().all(|byte| byte.is_ascii_digit())
    }) && text.contains(|char: char| char.is_ascii_digit())
}

/// Returns the number after the last colon of `Fehler:     1`.
fn number(part: &str) -> Option<u64> {
    let (label, number) = part.rsplit_once([':', '：'])?;
    (!label.trim().is_empty()).then(|| number.trim().parse().ok())?
}

/// Parses `Fehler!      : Fehler:     1, erfolgreich:     2, übersprungen:     0, gesamt:     3, Dauer: 12 ms - A.dll (net8.0)`.
/// The numbers must be in the order failed, passed, skipped, total, and must add up.
pub(super) fn total(line: &str) -> Option<Counts> {
    let (verdict, _) = line.split_once(['!', '！'])?;
    if verdict.chars().count() > 40 || verdict.contains([':', '：']) {
        return None;
    }
    let line = line.split_once(" - ").map_or(line, |(before, rest)| {
        // The dash follows the verdict or precedes the name of the file.
        if before.contains(COMMAS) {
            before
        } else {
            rest
        }
    });
    let line = line.split_once(" - ").map_or(line, |(before, _)| before);
    let parts: Vec<&str> = line.split(COMMAS).collect();
    let [failed, passed, skipped, all, time] = parts[..] else {
        return None;
    };
    let (_, time) = time.rsplit_once([':', '：'])?;
    let (failed, passed) = (number(failed)?, number(passed)?);
    let sum = failed
        .saturating_add(passed)
        .saturating_add(number(skipped)?);
    (is_time(time) && sum == number(all)?).then(|| Counts::of(passed, failed))
}

/// Parses `  Fehlerhaft Sums.Adds [3 ms]` into its first word and the name of the test.
fn named(line: &str) -> Option<(&str, &str)> {
    let text = line.strip_prefix("  ").filter(|_| indent(line) == 2)?;
    let (text, time) = text.trim_end().strip_suffix(']')?.rsplit_once(" [")?;
    let (word, name) = text.split_once(' ')?;
    (is_time(time) && !name.is_empty()).then_some((word, name))
}

/// Returns the names of failed tests. The first word of a line means "failed" if any of the tests with this word has a stack
/// trace. Passed tests may print output but have no stack trace.
pub(super) fn failed(output: &str) -> Vec<&str> {
    let mut tests = Vec::new();
    let mut words = HashSet::new();
    let mut open = None;
    for line in output.lines() {
        if let Some((word, name)) = named(line) {
            tests.push((word, name));
            open = Some(word);
        } else if let Some(word) = open
            && indent(line) == 5
            && line.contains(" in ")
            && line.contains('(')
            && line
                .rsplit_once(' ')
                .is_some_and(|(_, number)| number.trim_end_matches('.').parse::<u32>().is_ok())
        {
            words.insert(word);
        }
    }
    tests.retain(|(word, _)| words.contains(word));
    tests.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_have_one_shape_in_all_languages() {
        for line in [
            "Fehler!      : Fehler:     1, erfolgreich:     2, übersprungen:     0, gesamt:     3, Dauer: 12 ms - A.dll (net8.0)",
            "Fehler!      : Fehler:     1, erfolgreich:     2, übersprungen:     0, gesamt:     3, Dauer: 12 ms",
            "Échec!  - échec :     1, réussite :     2, ignorée(s) :     0, total :     3, durée : < 1 ms - A.dll (net8.0)",
            "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 1 m 3 s - A.dll (net8.0)",
            "失败! - 失败:     1，通过:     2，已跳过:     0，总计:     3，持续时间: 12 ms - A.dll (net8.0)",
        ] {
            assert_eq!(total(line), Some(Counts::of(2, 1)), "{line}");
        }
        for line in [
            "Done! - a: 1, b: 2, c: 0, d: 4, e: 12 ms",
            "Done! - a: 1, b: 2, c: 0, d: 3, e: soon",
            "Done - a: 1, b: 2, c: 0, d: 3, e: 12 ms",
            "a: 1! b: 2, c: 0, d: 3, e: 12 ms",
            "Hello!",
        ] {
            assert_eq!(total(line), None, "{line}");
        }
    }
}
