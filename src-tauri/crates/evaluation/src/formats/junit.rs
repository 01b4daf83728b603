//! JUnit XML, which CI systems read.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event},
};

use super::Results;
use crate::result::{CellResult, CellStatus, Report};

/// A group of test cases, written as `<testsuite>`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Suite {
    pub name: String,
    pub cases: Vec<Case>,
}

/// A test case, written as `<testcase>`.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    pub name: String,
    /// The `classname` of the test case: its group within the suite, such as a file or a variant.
    pub class: String,
    /// The duration in seconds.
    pub seconds: f64,
    pub outcome: Outcome,
}

/// The outcome of a test case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// The result differs from the expected one.
    Failed {
        message: String,
        details: String,
    },
    /// The test could not be evaluated.
    Errored {
        message: String,
        details: String,
    },
    Skipped {
        message: String,
    },
}

/// Returns the suites of an experiment: one for each variant, and one for the assertions if there are any.
///
/// A variant's suite has a test case for each run that did not complete. If all runs completed, the suite has a single
/// test case, which passed. Failed runs are errors. All other runs that did not complete count as skipped.
pub fn suites(results: &Results<'_>, report: &Report) -> Vec<Suite> {
    let mut suites: Vec<Suite> = results
        .variants
        .iter()
        .zip(0_u32..)
        .map(|(name, index)| {
            let cells = || {
                results
                    .cells
                    .iter()
                    .filter(move |result| result.cell.variant == index)
            };
            let mut cases: Vec<Case> = cells()
                .filter_map(|result| case(results, result, &report.name, name))
                .collect();
            if cases.is_empty() {
                let milliseconds = cells().map(|result| result.duration_ms).sum();
                cases.push(Case {
                    name: match cells().count() {
                        1 => "1 run completed".to_owned(),
                        count => format!("{count} runs completed"),
                    },
                    class: class(&report.name, name),
                    seconds: seconds(milliseconds),
                    outcome: Outcome::Passed,
                });
            }
            Suite {
                name: name.clone(),
                cases,
            }
        })
        .collect();
    if !report.assertions.is_empty() {
        suites.push(Suite {
            name: "assertions".to_owned(),
            cases: report
                .assertions
                .iter()
                .map(|assertion| Case {
                    name: assertion.message.clone(),
                    class: class(&report.name, "assertions"),
                    seconds: 0.0,
                    outcome: if assertion.holds {
                        Outcome::Passed
                    } else {
                        Outcome::Failed {
                            message: assertion.message.clone(),
                            details: String::new(),
                        }
                    },
                })
                .collect(),
        });
    }
    suites
}

/// Joins the parts of a class with a dot. CI systems show classes as a tree, split at dots.
fn class(evaluation: &str, part: &str) -> String {
    format!("{evaluation}.{part}")
}

fn seconds(milliseconds: u64) -> f64 {
    std::time::Duration::from_millis(milliseconds).as_secs_f64()
}

fn case(
    results: &Results<'_>,
    result: &CellResult,
    evaluation: &str,
    variant: &str,
) -> Option<Case> {
    let outcome = match result.status {
        CellStatus::Completed => return None,
        CellStatus::Failed => Outcome::Errored {
            message: result
                .error
                .clone()
                .unwrap_or_else(|| "The run failed.".to_owned()),
            details: format!("Run {}", result.run_id),
        },
        CellStatus::Running => Outcome::Skipped {
            message: "The run has not ended.".to_owned(),
        },
        CellStatus::OverBudget => Outcome::Skipped {
            message: "The remaining budget was too small for the run.".to_owned(),
        },
        CellStatus::Cancelled => Outcome::Skipped {
            message: "The experiment was stopped before the run.".to_owned(),
        },
    };
    let id = results.case(result).map_or("", |case| case.id.as_str());
    let name = match result.cell.repetition {
        0 => id.to_owned(),
        repetition => format!("{id}, repetition {}", u64::from(repetition) + 1),
    };
    Some(Case {
        name,
        class: class(evaluation, variant),
        seconds: seconds(result.duration_ms),
        outcome,
    })
}

/// Writes the [`suites`] of an experiment as XML.
///
/// # Errors
/// Returns an error if `to` cannot be written.
pub fn write(results: &Results<'_>, report: &Report, to: impl Write) -> io::Result<()> {
    write_suites(&report.name, &suites(results, report), to)
}

/// Writes suites as XML. Characters that XML does not allow become `U+FFFD`.
///
/// # Errors
/// Returns an error if `to` cannot be written.
pub fn write_suites(name: &str, suites: &[Suite], to: impl Write) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(to, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    let mut root = BytesStart::new("testsuites");
    push(&mut root, "name", name);
    push_counts(&mut root, all());
    xml.write_event(Event::Start(root))?;
    for suite in suites {
        let mut element = BytesStart::new("testsuite");
        push(&mut element, "name", &suite.name);
        push_counts(&mut element, suite.cases.iter());
        xml.write_event(Event::Start(element))?;
        for case in &suite.cases {
            write_case(&mut xml, case)?;
        }
        xml.write_event(Event::End(BytesEnd::new("testsuite")))?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuites")))?;
    let mut to = xml.into_inner();
    to.write_all(b"\n")?;
    to.flush()
}

fn write_case(xml: &mut Writer<impl Write>, case: &Case) -> io::Result<()> {
    let mut element = BytesStart::new("testcase");
    push(&mut element, "name", &case.name);
    push(&mut element, "classname", &case.class);
    push(&mut element, "time", &format!("{:.3}", case.seconds));
    let (tag, message, details) = match &case.outcome {
        Outcome::Passed => return xml.write_event(Event::Empty(element)),
        Outcome::Failed { message, details } => ("failure", message, details.as_str()),
        Outcome::Errored { message, details } => ("error", message, details.as_str()),
        Outcome::Skipped { message } => ("skipped", message, ""),
    };
    xml.write_event(Event::Start(element))?;
    let mut inner = BytesStart::new(tag);
    push(&mut inner, "message", message);
    if details.is_empty() {
        xml.write_event(Event::Empty(inner))?;
    } else {
        xml.write_event(Event::Start(inner))?;
        xml.write_event(Event::Text(BytesText::new(&allowed(details))))?;
        xml.write_event(Event::End(BytesEnd::new(tag)))?;
    }
    xml.write_event(Event::End(BytesEnd::new("testcase")))
}

fn push_counts<'a>(element: &mut BytesStart<'_>, cases: impl Iterator<Item = &'a Case>) {
    let (mut tests, mut failures, mut errors, mut skipped, mut seconds) = (0, 0, 0, 0, 0.0);
    for case in cases {
        tests += 1;
        seconds += case.seconds;
        match case.outcome {
            Outcome::Passed => {}
            Outcome::Failed { .. } => failures += 1,
            Outcome::Errored { .. } => errors += 1,
            Outcome::Skipped { .. } => skipped += 1,
        }
    }
    for (name, count) in [
        ("tests", tests),
        ("failures", failures),
        ("errors", errors),
        ("skipped", skipped),
    ] {
        push(element, name, &count.to_string());
    }
    push(element, "time", &format!("{seconds:.3}"));
}

/// Adds an attribute. Line breaks are written as references, because XML readers convert plain ones to spaces.
fn push(element: &mut BytesStart<'_>, name: &str, value: &str) {
    let value = allowed(value);
    let escaped = quick_xml::escape::escape(value.as_ref())
        .replace('\n', "&#10;")
        .replace('\r', "&#13;")
        .replace('\t', "&#9;");
    element.push_attribute(quick_xml::events::attributes::Attribute {
        key: quick_xml::name::QName(name),
        value: Cow::Owned(escaped),
    });
}

/// Replaces characters that XML 1.0 does not allow: <https://www.w3.org/TR/xml/#charsets>.
fn allowed(text: &str) -> Cow<'_, str> {
    let is_forbidden = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(is_forbidden) {
        Cow::Owned(text.replace(is_forbidden, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}
