//! Reads the output of `go test`, as text with or without `-v` or as JSON lines, and compiler errors.
//!
//! If a test has subtests, only the subtests count, unless the test failed and none of its subtests did.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;

use crate::{
    location::{self, Place},
    report::{Counts, Failure, Found},
    text::{add_line, some},
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Passed,
    Failed,
    Skipped,
}

#[derive(Debug, Default)]
struct Test {
    order: usize,
    end: Option<End>,
    output: String,
}

/// The tests of one package of a Go module.
#[derive(Debug, Default)]
struct Package {
    tests: BTreeMap<String, Test>,
    /// The errors of the compiler in this package.
    built: Vec<(Place, String)>,
    name: String,
    build_failed: bool,
    /// The reason in the last line, if the package failed as a whole.
    failed: Option<String>,
}

#[derive(Default)]
struct Sums {
    found: Found,
    passed: u64,
    failed: u64,
}

impl Package {
    fn test(&mut self, name: &str) -> &mut Test {
        let order = self.tests.len();
        self.tests.entry(name.to_owned()).or_insert_with(|| Test {
            order,
            ..Test::default()
        })
    }

    fn end(&mut self, sums: &mut Sums) {
        let package = std::mem::take(self);
        let mut failed_below = HashSet::new();
        let mut has_below = HashSet::new();
        for (name, test) in &package.tests {
            let parents = name.match_indices('/').map(|(at, _)| &name[..at]);
            for parent in parents.take(16) {
                has_below.insert(parent);
                if test.end == Some(End::Failed) {
                    failed_below.insert(parent);
                }
            }
        }
        let mut tests: Vec<_> = package.tests.iter().collect();
        tests.sort_by_key(|(_, test)| test.order);
        let before = sums.failed;
        for (name, test) in tests {
            match test.end {
                Some(End::Passed) if !has_below.contains(name.as_str()) => sums.passed += 1,
                Some(End::Failed) if !failed_below.contains(name.as_str()) => {
                    sums.failed += 1;
                    sums.found.add(failure(name, &test.output));
                }
                _ => {}
            }
        }
        let alone = sums.failed == before && package.built.is_empty() && !package.build_failed;
        if let Some(why) = package.failed.as_ref().filter(|_| alone) {
            // The package failed without a failed test. Possible causes are `os.Exit` in `TestMain`, or a test that ends the
            // program.
            sums.failed += 1;
            sums.found.add(Failure::at(&package.name, why, None));
        }
        let name = if package.name.is_empty() {
            "build".to_owned()
        } else {
            format!("{} [build failed]", package.name)
        };
        if package.build_failed && package.built.is_empty() {
            sums.found.add(Failure {
                name: name.clone(),
                ..Failure::default()
            });
        }
        for ((file, line), message) in package.built {
            sums.found.add(Failure {
                name: name.clone(),
                message: some(message.trim()),
                file: Some(file),
                line: Some(line),
            });
        }
    }
}

/// Parses `    sums_test.go:12: got 4`.
fn logged(line: &str) -> Option<(Place, &str)> {
    let (place, rest) = location::leading(line.trim_start())?;
    place.0.ends_with(".go").then_some((place, rest))
}

fn failure(name: &str, output: &str) -> Failure {
    let mut message = String::new();
    let mut place = None;
    for line in output.lines() {
        if line.starts_with("goroutine ") {
            break;
        }
        match logged(line) {
            Some((at, rest)) => {
                place.get_or_insert(at);
                add_line(&mut message, rest.trim());
            }
            None => add_line(&mut message, line.trim()),
        }
    }
    let (file, line) = location::apart(place.or_else(|| location::first(output)));
    Failure {
        name: name.to_owned(),
        message: some(&message),
        file,
        line,
    }
}

/// Parses the result and the name of a test from `--- FAIL: TestGroup/bad (0.00s)`.
fn ended(line: &str) -> Option<(End, &str)> {
    let rest = line.trim_start().strip_prefix("--- ")?;
    let (end, rest) = [
        ("PASS: ", End::Passed),
        ("FAIL: ", End::Failed),
        ("SKIP: ", End::Skipped),
    ]
    .into_iter()
    .find_map(|(begins, end)| Some((end, rest.strip_prefix(begins)?)))?;
    let (name, took) = rest.rsplit_once(" (")?;
    took.trim_end()
        .strip_suffix("s)")?
        .parse::<f64>()
        .ok()
        .map(|_| (end, name))
}

/// Parses the package from `FAIL <tab> example.org/sums <tab> 0.008s`, or from the same line with `ok  `.
fn package_ended(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("FAIL\t")
        .or_else(|| line.strip_prefix("ok  \t"))
        .or_else(|| line.strip_prefix("?   \t"))?;
    rest.split(['\t', ' ']).next()
}

fn text(output: &str) -> Option<Found> {
    let mut sums = Sums::default();
    let mut package = Package::default();
    let mut current: Option<String> = None;
    let (mut recognised, mut verbose, mut building) = (false, false, false);
    for line in output.lines() {
        if let Some(name) = ["RUN", "PAUSE", "CONT", "NAME"]
            .iter()
            .find_map(|what| line.strip_prefix("=== ")?.strip_prefix(what))
        {
            verbose = true;
            current = some(name.trim());
        } else if let Some((end, name)) = ended(line) {
            recognised = true;
            package.test(name).end = Some(end);
            current = Some(name.to_owned());
        } else if let Some(name) = package_ended(line) {
            recognised = true;
            // The compiler's errors came earlier, under the names of their packages.
            package.build_failed = line.ends_with("[build failed]")
                && package.built.is_empty()
                && sums.found.failures.is_empty();
            if line.starts_with("FAIL\t") && !line.ends_with("[build failed]") {
                let why = line
                    .rsplit_once(" [")
                    .map_or("", |(_, why)| why.trim_end_matches(']'));
                package.failed = Some(why.to_owned());
                package.name.clear();
            }
            if package.name.is_empty() {
                package.name = name.to_owned();
            }
            package.end(&mut sums);
            (current, building) = (None, false);
        } else if let Some(name) = line.strip_prefix("# ") {
            if !package.built.is_empty() {
                package.end(&mut sums);
            }
            let name = name.split(' ').next().unwrap_or(name);
            package.name = name.to_owned();
            building = true;
        } else if line == "PASS" || line == "FAIL" {
            current = None;
        } else if building && let Some((place, rest)) = logged(line) {
            let column = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(0);
            let message = rest[column..].trim_start_matches(':').trim();
            if package.built.len() < crate::limits::MAX_FAILURES {
                package.built.push((place, message.to_owned()));
            }
        } else if let Some(name) = &current {
            building = false;
            add_line(&mut package.test(name).output, line);
        }
    }
    package.end(&mut sums);
    if !recognised {
        return None;
    }
    // Without `-v`, only failed tests are named.
    sums.found.counts = Some(Counts {
        passed: verbose.then_some(sums.passed),
        failed: Some(sums.failed),
    });
    Some(sums.found)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: Option<String>,
    #[serde(default)]
    import_path: Option<String>,
    #[serde(default)]
    test: Option<String>,
    #[serde(default)]
    output: Option<String>,
}

fn json(output: &str) -> Option<Found> {
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    let mut recognised = false;
    let mut plain = String::new();
    for line in output.lines() {
        let event = line
            .starts_with("{\"")
            .then(|| serde_json::from_str::<Event>(line).ok())
            .flatten();
        let Some(event) = event else {
            // Older versions print compiler errors between the events.
            plain.push_str(line);
            plain.push('\n');
            continue;
        };
        if event.action.starts_with("build-") {
            plain.push_str(event.output.as_deref().unwrap_or_default());
            continue;
        }
        let Some(name) = event.package.or(event.import_path) else {
            continue;
        };
        recognised = true;
        let package = packages.entry(name.clone()).or_default();
        package.name = name;
        let end = match event.action.as_str() {
            "pass" => Some(End::Passed),
            "fail" => Some(End::Failed),
            "skip" => Some(End::Skipped),
            _ => None,
        };
        match (event.test, end) {
            (Some(test), Some(end)) => package.test(&test).end = Some(end),
            (Some(test), None) => {
                let output = event.output.unwrap_or_default();
                let line = output.trim_end_matches('\n');
                if !line.starts_with("=== ") && ended(line).is_none() && !line.is_empty() {
                    add_line(&mut package.test(&test).output, line);
                }
            }
            (None, end) => {
                let output = event.output.unwrap_or_default();
                package.build_failed |= output.trim_end().ends_with("[build failed]");
                if end == Some(End::Failed) {
                    package.failed = Some(String::new());
                }
            }
        }
    }
    if !recognised {
        return None;
    }
    let mut sums = Sums::default();
    let mut built = Package::default();
    for line in plain.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            built.end(&mut sums);
            built.name = name.split(' ').next().unwrap_or(name).to_owned();
        } else if let Some((place, rest)) = logged(line) {
            let column = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(0);
            let message = rest[column..].trim_start_matches(':').trim();
            if built.built.len() < crate::limits::MAX_FAILURES {
                built.built.push((place, message.to_owned()));
            }
        }
    }
    built.end(&mut sums);
    let told = !sums.found.failures.is_empty();
    for package in packages.values_mut() {
        if package.build_failed && told {
            package.build_failed = false;
            package.failed = None;
        }
        package.end(&mut sums);
    }
    sums.found.counts = Some(Counts::of(sums.passed, sums.failed));
    Some(sums.found)
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    json(output).or_else(|| text(output))
}
