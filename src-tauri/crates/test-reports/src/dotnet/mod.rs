//! Reads the output of `dotnet test`: the VSTest console, the terminal logger, Microsoft.Testing.Platform, and TRX files.

mod languages;

use std::collections::HashSet;

use crate::{
    location,
    report::{Counts, Failure, Found},
    text::{add_body, after, dedent, indent, without_time},
    trx,
};

/// Parses `Failed!  - Failed:     1, Passed:  1144, Skipped:     0, Total:  1145, Duration: 3 m - A.dll`.
fn vstest(line: &str) -> Option<Counts> {
    let line = line.trim_start();
    let (verdict, rest) = line.split_once("! ")?;
    if !matches!(verdict, "Passed" | "Failed" | "Skipped") {
        return None;
    }
    let rest = rest.trim_start().strip_prefix("- ")?;
    Some(Counts::of(after(rest, "Passed:")?, after(rest, "Failed:")?))
}

/// Parses `Test summary: total: 5, failed: 1, succeeded: 3, skipped: 1, duration: 0.7s`.
fn terminal(line: &str) -> Option<Counts> {
    let (_, rest) = line.split_once("Test summary: ")?;
    Some(Counts::of(
        after(rest, "succeeded: ")?,
        after(rest, "failed: ")?,
    ))
}

/// Parses one number of a total that extends over several lines: `     Failed: 2`.
fn number(line: &str, label: &str) -> Option<u64> {
    let rest = line.trim().strip_prefix(label)?;
    rest.trim().parse().ok()
}

/// Parses `  Failed Shop.Tests.Adds [3 ms]`.
fn failed(line: &str) -> Option<&str> {
    let text = line.strip_prefix("  ")?;
    let rest = text
        .strip_prefix("Failed ")
        .or_else(|| text.strip_prefix("X "))?;
    let (name, time) = rest.trim_end().rsplit_once(" [")?;
    let time = time.strip_suffix(']')?;
    (!name.starts_with(' ') && time.ends_with(['s', 'm', 'h'])).then_some(name)
}

/// Parses `failed Shop.Tests.Adds (270ms)`.
fn platform(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("failed ")?;
    let name = without_time(rest);
    (name.len() < rest.trim_end().len() && !name.contains(" with ")).then_some(name)
}

/// Parses `[xUnit.net 00:00:00.52]     Shop.Tests.Adds [FAIL]`.
fn xunit(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("[xUnit.net ")?;
    let (_, rest) = rest.split_once(']')?;
    Some(rest.trim().strip_suffix(" [FAIL]")?.trim_end())
}

/// Parses `/src/Sums.cs(12): error TESTERROR:`. It contains the location of a failure, which the terminal logger prints on the
/// next line.
fn test_error(line: &str) -> Option<location::Place> {
    let (before, _) = line.split_once(": error TESTERROR:")?;
    let (path, line) = before.trim().strip_suffix(')')?.rsplit_once('(')?;
    let line = line.split(',').next()?.parse().ok()?;
    Some((path.to_owned(), line))
}

struct Block {
    name: String,
    place: Option<location::Place>,
    body: String,
}

impl Block {
    fn failure(self) -> Failure {
        let mut said = String::new();
        let mut traced = false;
        for line in self.body.lines() {
            let text = line.trim_start();
            let heading = text.trim_end();
            if heading == "Stack Trace:" {
                traced = true;
            } else if heading == "Error Message:" {
                traced = false;
            } else if heading.starts_with("Standard ") && heading.ends_with("Messages:") {
                break;
            } else if !traced
                && !(text.starts_with("at ") && text.contains('('))
                && !text.starts_with("from ")
                && !text.starts_with("--- End of stack trace")
            {
                let text = text
                    .strip_prefix("Error Message: ")
                    .map_or(line, |rest| rest);
                crate::text::add_line(&mut said, text);
            }
        }
        let mut frames = self.body.lines().filter_map(location::net_frame);
        let place = frames
            .find(|(path, _)| !path.starts_with("/_"))
            .or(self.place)
            .or_else(|| location::first(&self.body));
        Failure::at(&self.name, &dedent(&said), place)
    }
}

#[derive(Default)]
struct State {
    found: Found,
    known: HashSet<String>,
    open: Option<Block>,
    fails: Vec<String>,
}

impl State {
    fn close(&mut self) {
        if let Some(block) = self.open.take() {
            self.known.insert(block.name.clone());
            self.found.add(block.failure());
        }
    }

    fn begin(&mut self, name: &str, place: Option<location::Place>) {
        self.close();
        self.open = Some(Block {
            name: name.to_owned(),
            place,
            body: String::new(),
        });
    }

    fn count(&mut self, counts: Counts) {
        self.close();
        self.found.counts = crate::report::sum(self.found.counts, Some(counts));
    }
}

/// A total that extends over several lines.
#[derive(Default)]
struct Sums {
    passed: Option<u64>,
    failed: Option<u64>,
    total: Option<u64>,
}

impl Sums {
    /// Reads a line of the total. Returns `false` if the line is not part of the total, which has then ended.
    fn take(&mut self, line: &str) -> bool {
        let label = |names: [&str; 2]| number(line, names[0]).or_else(|| number(line, names[1]));
        if let Some(count) = label(["Passed:", "succeeded:"]) {
            self.passed = Some(count);
        } else if let Some(count) = label(["Failed:", "failed:"]) {
            self.failed = Some(count);
        } else if let Some(count) = label(["Total tests:", "total:"]) {
            self.total = Some(count);
        } else {
            return line.trim().is_empty()
                || label(["Skipped:", "skipped:"]).is_some()
                || line.contains(".dll ");
        }
        true
    }

    fn counts(&self) -> Option<Counts> {
        let failed = match (self.failed, self.total) {
            (None, None) if self.passed.is_none() => return None,
            (failed, _) => failed.unwrap_or(0),
        };
        Some(Counts::of(self.passed.unwrap_or(0), failed))
    }
}

fn words(output: &str) -> Option<Found> {
    let mut state = State::default();
    let mut sums: Option<Sums> = None;
    let (mut recognised, mut aborted, mut foreign) = (false, false, false);
    let mut announced: Option<location::Place> = None;
    for line in output.lines() {
        if let Some(open) = &mut sums {
            if open.take(line) {
                continue;
            }
            if let Some(counts) = sums.take().and_then(|sums| sums.counts()) {
                state.count(counts);
            }
        }
        if let Some(place) = announced.take() {
            // The form is `      Shop.Tests.Adds (3ms): Error Message: Assert.True() Failure`.
            if indent(line) > 2
                && let Some((name, said)) = line.trim().split_once("): ")
            {
                let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
                state.begin(name, Some(place));
                if let Some(block) = &mut state.open {
                    add_body(&mut block.body, said);
                }
                recognised = true;
                continue;
            }
        }
        let translated = || languages::total(line).inspect(|_| foreign = true);
        if let Some(counts) = vstest(line).or_else(|| terminal(line)).or_else(translated) {
            recognised = true;
            state.count(counts);
        } else if line.starts_with("Total tests: ")
            || line.trim_end() == "Test Run Successful."
            || line.trim_end() == "Test Run Failed."
        {
            recognised = true;
            state.close();
            let mut open = Sums::default();
            open.take(line);
            sums = Some(open);
        } else if let Some((_, verdict)) = line.split_once("Test run summary: ") {
            recognised = true;
            state.close();
            aborted |= verdict.starts_with("Failed") || verdict.starts_with("Aborted");
            sums = Some(Sums::default());
        } else if line.starts_with("Test Run Aborted")
            || line.starts_with("The active test run was aborted")
        {
            (recognised, aborted) = (true, true);
            state.begin("Test run aborted", None);
            if let Some(block) = &mut state.open {
                add_body(&mut block.body, line);
            }
        } else if let Some(name) = failed(line).or_else(|| platform(line)) {
            state.begin(name, None);
        } else if let Some(place) = test_error(line) {
            state.close();
            announced = Some(place);
        } else if let Some(name) = xunit(line) {
            state.fails.push(name.to_owned());
        } else if line.starts_with("  Passed ")
            || line.starts_with("  Skipped ")
            || line.starts_with("passed ")
            || line.starts_with("skipped ")
            || line.contains(".dll (net")
        {
            state.close();
        } else if let Some(block) = &mut state.open {
            add_body(&mut block.body, line);
        }
    }
    if let Some(counts) = sums.and_then(|sums| sums.counts()) {
        state.count(counts);
    }
    state.close();
    let mut found = state.found;
    if !recognised
        && state.fails.is_empty()
        && !(output.contains("\n  Error Message:\n") && !found.failures.is_empty())
    {
        return None;
    }
    let translated = languages::failed(output)
        .into_iter()
        .filter(|_| foreign && found.failures.is_empty())
        .map(str::to_owned);
    state.fails.extend(translated);
    for name in state.fails {
        if state.known.insert(name.clone()) {
            found.add(Failure {
                name,
                ..Failure::default()
            });
        }
    }
    found.failed = aborted;
    Some(found)
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    crate::jest::once(trx::parse(output), words(output))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test name and a line number.
    type Named = (String, Option<u32>);

    fn read(output: &str) -> (Vec<Named>, Option<Counts>, Found) {
        let found = parse(output).unwrap_or_else(|| panic!("not read: {output}"));
        let names = found
            .failures
            .iter()
            .map(|one| (one.name.clone(), one.line));
        (names.collect(), found.counts, found)
    }

    #[test]
    fn the_console_of_vstest() {
        let output = "\
[xUnit.net 00:00:00.52]     Shop.Tests.Adds [FAIL]
  Failed Shop.Tests.Adds [3 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 5
Actual:   4
  Stack Trace:
     at Shop.Tests.Adds() in /src/Shop Tests/Sums.cs:line 12
   at System.Reflection.Invoke()
  Standard Output Messages:
 printed
  Passed Shop.Tests.Holds [1 ms]

Failed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 40 ms - Shop.Tests.dll (net9.0)
Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 4 ms - Other.Tests.dll (net9.0)
";
        let (names, counts, found) = read(output);
        assert_eq!(names, [("Shop.Tests.Adds".to_owned(), Some(12))]);
        assert_eq!(counts, Some(Counts::of(5, 1)));
        let said = found.failures[0].message.as_deref().unwrap();
        assert!(
            said.contains("Values differ") && said.ends_with("Actual:   4"),
            "{said}"
        );
        let long = "  Failed A [1 s]\n  Error Message:\n   no\n\nTest Run Failed.\nTotal tests: 4\n     Passed: 2\n     Failed: 1\n    Skipped: 1\n Total time: 1.2 Seconds\n";
        assert_eq!(read(long).1, Some(Counts::of(2, 1)));
        let aborted = "  Failed B [2 ms]\nThe active test run was aborted. Reason: Test host process crashed\nTotal tests: Unknown\n     Passed: 1\n     Failed: 1\n";
        assert!(read(aborted).2.failed);
    }

    #[test]
    fn the_console_in_german() {
        let output = "\
  Bestanden Sums.Zero [1 ms]
  Standardausgabemeldungen:
 printed
  Fehlerhaft Sums.Adds [3 ms]
  Fehlermeldung:
   Assert.Equal() Failure
  Stapelüberwachung:
     at Sums.Adds() in /src/T.cs:line 5

Fehler!      : Fehler:     1, erfolgreich:     1, übersprungen:     0, gesamt:     2, Dauer: 12 ms - Sums.dll (net8.0)
";
        let (names, counts, _) = read(output);
        assert_eq!(names, [("Sums.Adds".to_owned(), None)]);
        assert_eq!(counts, Some(Counts::of(1, 1)));
        let good = "Bestanden!   : Fehler:     0, erfolgreich:     3, übersprungen:     0, gesamt:     3, Dauer: 12 ms - A.dll (net8.0)\n";
        assert_eq!(read(good).1, Some(Counts::of(3, 0)));
    }

    #[test]
    fn the_platform_and_the_terminal_logger() {
        let platform = "\
failed Shop.Tests.Adds(row: 1) (33ms)
  Assert.Equal() Failure: Values differ
    at Shop.Tests.Adds(Int32 row) in /src/Sums.cs:line 15
/src/bin/Shop.Tests.dll (net10.0|x64) failed with 1 error(s) (8s 406ms)

Test run summary: Failed!
  total: 5
  failed: 1
  succeeded: 3
  skipped: 1
  duration: 705ms
";
        let (names, counts, _) = read(platform);
        assert_eq!(names, [("Shop.Tests.Adds(row: 1)".to_owned(), Some(15))]);
        assert_eq!(counts, Some(Counts::of(3, 1)));
        let terminal = "    /src/Sums.cs(12): error TESTERROR:\n      Shop.Tests.Adds (3ms): Error Message: Assert.True() Failure\n      Stack Trace:\n         at Shop.Tests.Adds() in /src/Sums.cs:line 12\n\nTest summary: total: 5, failed: 1, succeeded: 4, skipped: 0, duration: 0.7s\n";
        let (names, counts, found) = read(terminal);
        assert_eq!(names, [("Shop.Tests.Adds".to_owned(), Some(12))]);
        assert_eq!(counts, Some(Counts::of(4, 1)));
        assert_eq!(
            found.failures[0].message.as_deref(),
            Some("Assert.True() Failure")
        );
        assert_eq!(parse("Failed to build.\nfailed (1s)\n"), None);
    }
}
