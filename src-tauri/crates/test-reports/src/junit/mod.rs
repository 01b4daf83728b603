//! Reads JUnit XML: `<testcase classname name file line>` with `<failure message>`, `<error message>` or `<skipped>` inside.
//!
//! The test cases are counted, because programs differ in how they compute the totals in attributes. If no case of a suite
//! failed, the failures in its attributes count. An output may contain several documents.

mod elements;

use quick_xml::{Reader, events::Event};

use crate::{
    location,
    report::{Counts, Failure, Found},
    text::add_line,
};
pub(crate) use elements::attribute;
use elements::{Case, Suite, case, suite};

/// The maximum number of bytes that are read from a failure's text. The message precedes the stack trace.
const MAX_TEXT: usize = 16 * 1024;

/// Returns the byte offset of the next document at or after `from`, or `None` if no document follows. A document begins with
/// its first element or with its XML declaration.
fn document(output: &str, from: usize) -> Option<usize> {
    let starts = ["<?xml", "<testsuites", "<testsuite"];
    let mut at = from;
    for line in output.get(from..)?.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t', '\u{feff}']).len();
        if starts.iter().any(|start| line[indent..].starts_with(start)) {
            return Some(at + indent);
        }
        // A script may have concatenated documents without line breaks.
        if let Some(found) = line.find("<?xml").or_else(|| line.find("<testsuite")) {
            return Some(at + found);
        }
        at += line.len();
    }
    None
}

/// The results of one or more documents.
#[derive(Default)]
struct Sums {
    found: Found,
    passed: u64,
    failed: u64,
    suites: Vec<Suite>,
}

impl Sums {
    fn case(&mut self, case: Case) {
        let (passed, failed) = (self.passed, self.failed);
        case.end(&mut self.found, &mut self.passed, &mut self.failed);
        if let Some(suite) = self.suites.last_mut() {
            suite.cases += 1;
            suite.known += self.failed - failed;
        }
        debug_assert!(self.passed >= passed);
    }

    /// Ends a suite. The failures in its attributes count if none of its test cases failed. The number of tests in its
    /// attributes counts if it has no test cases, as in a suite that could not be loaded.
    fn end_suite(&mut self) {
        let Some(mut suite) = self.suites.pop() else {
            return;
        };
        if suite.known == 0 && (suite.failed > 0 || suite.own) {
            let failed = suite.failed.max(1);
            suite.known = failed;
            self.failed = self.failed.saturating_add(failed);
            let name = if suite.name.is_empty() {
                "testsuite"
            } else {
                &suite.name
            };
            let message = match suite.message.trim() {
                "" => format!("{failed} failed, but no test case says which"),
                message => message.to_owned(),
            };
            let place = location::first(&message);
            let mut failure = Failure::at(name, &message, place);
            failure.file = failure.file.or(suite.file);
            self.found.add(failure);
        }
        if suite.cases == 0 {
            suite.cases = suite.tests;
            let aside = suite.skipped.saturating_add(suite.known);
            self.passed = self
                .passed
                .saturating_add(suite.tests.saturating_sub(aside));
        }
        if let Some(outer) = self.suites.last_mut() {
            outer.cases = outer.cases.saturating_add(suite.cases);
            outer.known = outer.known.saturating_add(suite.known);
        }
    }
}

/// How a document ended.
enum End {
    /// The document is complete and ends at this byte.
    At(usize),
    /// The document is truncated at this byte.
    Cut(usize),
    /// The document is not a report. The next document may begin after this byte.
    Other(usize),
}

/// The element that contains the text being read.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Failure,
    /// The text is the error or the output of a suite.
    Suite,
}

fn read(text: &str, sums: &mut Sums) -> End {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut any = false;
    let mut depth = 0_usize;
    let mut open: Option<Case> = None;
    // The depth at which the element that contains the text began, if text is being collected.
    let mut inside: Option<(usize, Inside)> = None;
    let mut at = 0;
    let end = loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(_) => break End::Cut(at + 1),
        };
        let before = at;
        at = usize::try_from(reader.buffer_position()).unwrap_or(text.len());
        let (element, empty) = match &event {
            Event::Start(element) => (Some(element), false),
            Event::Empty(element) => (Some(element), true),
            _ => (None, false),
        };
        if let Some(element) = element {
            let name = element.local_name();
            match name.as_ref() {
                "testsuites" | "testsuite" => {
                    any = true;
                    sums.suites.push(suite(element));
                    if empty {
                        sums.end_suite();
                    }
                }
                "testcase" if any => {
                    if let Some(case) = open.take() {
                        sums.case(case);
                    }
                    let case = case(element);
                    if empty {
                        sums.case(case);
                    } else {
                        open = Some(case);
                    }
                }
                "skipped" => {
                    if let Some(case) = &mut open {
                        let why = attribute(element, &["message"]).unwrap_or_default();
                        if why.starts_with("Unable to find") {
                            // CTest reports a missing program in this form, and counts it as a failure.
                            case.failed = Some((why, String::new()));
                        } else {
                            case.skipped = true;
                        }
                    }
                }
                "failure" | "error" => {
                    let message = attribute(element, &["message"]).unwrap_or_default();
                    let risky = attribute(element, &["type"])
                        .is_some_and(|kind| kind.ends_with("RiskyTestError"));
                    if let Some(case) = open.as_mut().filter(|_| risky) {
                        // PHPUnit does not count such a case as a failure.
                        case.skipped = true;
                    } else if let Some(case) = &mut open {
                        let (messages, _) = case.failed.get_or_insert_default();
                        add_line(messages, &message);
                        if !empty {
                            inside = Some((depth, Inside::Failure));
                        }
                    } else if let Some(suite) = sums.suites.last_mut() {
                        suite.own = true;
                        add_line(&mut suite.message, &message);
                        if !empty {
                            inside = Some((depth, Inside::Suite));
                        }
                    }
                }
                "system-err" | "system-out" if open.is_none() && !empty && inside.is_none() => {
                    inside = Some((depth, Inside::Suite));
                }
                _ if !any && depth == 0 => return End::Other(at),
                _ => {}
            }
            depth += usize::from(!empty);
            if depth == 0 {
                break End::At(at);
            }
            continue;
        }
        match event {
            // Another document begins before this one ends.
            Event::Decl(_) if depth > 0 => break End::Cut(before),
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                if inside.is_some_and(|(at, _)| at >= depth) {
                    inside = None;
                }
                match element.local_name().as_ref() {
                    "testcase" => {
                        if let Some(case) = open.take() {
                            sums.case(case);
                        }
                    }
                    "testsuites" | "testsuite" => {
                        if let Some(case) = open.take() {
                            sums.case(case);
                        }
                        sums.end_suite();
                    }
                    _ => {}
                }
                if depth == 0 {
                    break End::At(at);
                }
            }
            Event::Text(said) => add(inside, &mut open, sums, &said),
            Event::CData(said) => add(inside, &mut open, sums, &said),
            Event::GeneralRef(name) if inside.is_some() => {
                let written = format!("&{};", &*name);
                // Custom entities are left unchanged and never expanded.
                match quick_xml::escape::unescape(&written) {
                    Ok(said) => add(inside, &mut open, sums, &said),
                    Err(_) => add(inside, &mut open, sums, &written),
                }
            }
            Event::Eof => break End::Cut(text.len()),
            _ => {}
        }
    };
    if let Some(case) = open.take().filter(|case| case.failed.is_some()) {
        sums.case(case);
    }
    while !sums.suites.is_empty() {
        if matches!(end, End::Cut(_)) {
            // The missing part is unknown, but the attributes of the suites that have begun count.
            sums.found.failed |= sums.suites.iter().any(|suite| suite.failed > 0);
            sums.suites.clear();
        } else {
            sums.end_suite();
        }
    }
    if any { end } else { End::Other(at.max(1)) }
}

fn add(inside: Option<(usize, Inside)>, open: &mut Option<Case>, sums: &mut Sums, said: &str) {
    let to = match inside {
        Some((_, Inside::Failure)) => open
            .as_mut()
            .and_then(|case| case.failed.as_mut())
            .map(|(_, all)| all),
        Some((_, Inside::Suite)) => sums.suites.last_mut().map(|suite| &mut suite.message),
        None => None,
    };
    if let Some(to) = to.filter(|to| to.len() < MAX_TEXT) {
        to.push_str(said);
    }
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    let mut sums = Sums::default();
    let (mut any, mut whole) = (false, true);
    let mut from = 0;
    while let Some(start) = document(output, from) {
        let text = &output[start..];
        let next = match read(text, &mut sums) {
            End::At(end) => {
                any = true;
                end
            }
            End::Cut(end) => {
                (any, whole) = (true, false);
                end
            }
            End::Other(end) => end,
        };
        let mut next = start + next.max(1);
        while next < output.len() && !output.is_char_boundary(next) {
            next += 1;
        }
        from = next;
    }
    if !any {
        return None;
    }
    let mut found = sums.found;
    found.failed |= !whole && sums.failed > 0;
    // The counts of a truncated document would be incomplete, so none are returned.
    found.counts = whole.then(|| Counts::of(sums.passed, sums.failed));
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_has_no_counts() {
        let cut = r#"<testsuite><testcase name="a"/><testcase name="b"><failure message="no"/></testcase><testc"#;
        let found = parse(cut).unwrap();
        assert_eq!((found.failures.len(), found.counts), (1, None));
        assert_eq!(parse("<html><p>x</p></html>"), None);
        assert_eq!(parse("nothing"), None);
    }

    fn all(output: &str) -> (Vec<String>, Option<Counts>) {
        let found = parse(output).unwrap();
        let names = found.failures.into_iter().map(|failure| failure.name);
        (names.collect(), found.counts)
    }

    #[test]
    fn several_documents_count() {
        let one =
            "<?xml version=\"1.0\"?>\n<testsuite name=\"A\"><testcase name=\"a\"/></testsuite>";
        let two = "<?xml version=\"1.0\"?><testsuites><testsuite name=\"B\" failures=\"1\"><testcase name=\"b\"><failure/></testcase></testsuite></testsuites>";
        let expected = (vec!["b".to_owned()], Some(Counts::of(1, 1)));
        assert_eq!(all(&format!("{one}\n{two}\n")), expected);
        assert_eq!(all(&format!("words\n{one}{two}done")), expected);
        assert_eq!(
            all(&format!("<?xml?><html></html>\n{one}\nmore\n{two}")),
            expected
        );
        // The first document is truncated.
        let cut = &one[..one.len() - 12];
        assert_eq!(all(&format!("{cut}\n{two}")).0, ["b"]);
    }

    #[test]
    fn suites_without_cases_count_by_their_attributes() {
        for (output, names, counts) in [
            (
                "<testsuites tests=\"0\" errors=\"1\"><testsuite name=\"A\" tests=\"0\" errors=\"1\"><system-err>cannot import</system-err></testsuite></testsuites>",
                &["A"][..],
                Counts::of(0, 1),
            ),
            (
                "<testsuites failures=\"2\" name=\"all\"><testsuite name=\"A\" tests=\"5\" failures=\"2\" skipped=\"1\"/></testsuites>",
                &["A"],
                Counts::of(2, 2),
            ),
            (
                "<testsuite name=\"A\"><error message=\"no database\"/><testcase name=\"a\"/></testsuite>",
                &["A"],
                Counts::of(1, 1),
            ),
            (
                "<testsuite name=\"A\" tests=\"3\" failures=\"0\"/>",
                &[],
                Counts::of(3, 0),
            ),
            (
                "<testsuite name=\"A\" failures=\"2\"><testsuite name=\"B\" failures=\"2\"><testcase name=\"b\"><failure/><failure/></testcase></testsuite></testsuite>",
                &["b"],
                Counts::of(0, 1),
            ),
            (
                "<testsuite name=\"A\"><testcase name=\"a\" status=\"fail\"/><testcase name=\"c\" status=\"run\"/></testsuite>",
                &["a"],
                Counts::of(1, 1),
            ),
        ] {
            assert_eq!(
                all(output),
                (
                    names.iter().map(|name| (*name).to_owned()).collect(),
                    Some(counts)
                ),
                "{output}"
            );
        }
        assert!(
            parse("<testsuite name=\"A\" errors=\"1\"><testca")
                .unwrap()
                .failed
        );
    }

    #[test]
    fn entities_are_never_expanded() {
        let bomb = r#"<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>
            <testsuite><testcase name="x"><failure message="&b;">&b; &lt;</failure></testcase></testsuite>"#;
        let found = parse(bomb).unwrap();
        assert_eq!(found.failures[0].message.as_deref(), Some("&b; <"));
    }
}
