//! JUnit XML: `<testcase classname name file line>` with `<failure message>`, `<error message>` or `<skipped>` in it.
//!
//! Counted are the test cases themselves; the sums in attributes differ from program to program.

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::{
    Counts, Failure, Found, MAX_FAILURES, MAX_MESSAGE, MAX_NAME,
    location::{self, Place},
    text::{add_line, cut, some},
};

/// Attributes of an element that are looked at: a hostile one has a million.
const MAX_ATTRIBUTES: usize = 64;
/// Bytes of the text of a failure that are read: places of stack traces stand behind the message.
const MAX_TEXT: usize = 16 * 1024;

#[derive(Default)]
struct Case {
    name: String,
    file: Option<String>,
    line: Option<u32>,
    skipped: bool,
    /// The message and the text of its failures.
    failed: Option<(String, String)>,
}

/// The document within the output, from its first element on.
fn document(output: &str) -> Option<&str> {
    let starts = ["<?xml", "<testsuites", "<testsuite"];
    let mut at = 0;
    for line in output.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t', '\u{feff}']).len();
        if starts.iter().any(|start| line[indent..].starts_with(start)) {
            return Some(&output[at + indent..]);
        }
        at += line.len();
    }
    None
}

fn attribute(element: &BytesStart, names: &[&str]) -> Option<String> {
    let mut attributes = element.attributes();
    // Without the check for duplicates, which compares each with all before it.
    let attributes = attributes.with_checks(false);
    attributes.take(MAX_ATTRIBUTES).flatten().find_map(|found| {
        names.contains(&found.key.0).then(|| {
            let text = match quick_xml::escape::unescape(&found.value) {
                Ok(text) => text.into_owned(),
                Err(_) => found.value.clone().into_owned(),
            };
            cut(text, MAX_MESSAGE)
        })
    })
}

fn case(element: &BytesStart) -> Case {
    let name = attribute(element, &["name"]).unwrap_or_default();
    let class = attribute(element, &["classname"]).unwrap_or_default();
    // Node.js calls every class `test`.
    let name = if class.is_empty() || class == "test" || name.starts_with(&class) {
        name
    } else {
        format!("{class}.{name}")
    };
    Case {
        name: cut(name, MAX_NAME),
        file: attribute(element, &["file"]).filter(|file| !file.is_empty()),
        line: attribute(element, &["line"])
            .and_then(|line| line.trim().parse().ok())
            .filter(|line| *line > 0),
        ..Case::default()
    }
}

impl Case {
    fn place(&self, text: &str) -> Option<Place> {
        // The line of the failure is worth more than that of the test, where both are in the same file.
        let mut places = location::all(text);
        match &self.file {
            None => places.next(),
            Some(file) => places
                .find(|(found, _)| found.ends_with(file.as_str()) || file.ends_with(found.as_str()))
                .map(|(_, line)| (file.clone(), line)),
        }
    }

    fn end(self, found: &mut Found, passed: &mut u64, failed: &mut u64) {
        if self.skipped {
            return;
        }
        let Some((message, text)) = &self.failed else {
            *passed += 1;
            return;
        };
        *failed += 1;
        if found.failures.len() >= MAX_FAILURES {
            return;
        }
        let place = self.place(&format!("{message}\n{text}"));
        let text = text.trim();
        let first = message.lines().next().unwrap_or_default();
        let message = if text.is_empty() || message.len() > text.len() {
            message.clone()
        } else if text.contains(first) {
            text.to_owned()
        } else {
            format!("{message}\n{text}")
        };
        let (file, line) = match place {
            Some((file, line)) => (Some(file), Some(line)),
            None => (self.file, self.line),
        };
        found.add(Failure {
            name: self.name,
            message: some(&message),
            file,
            line,
        });
    }
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    let mut reader = Reader::from_str(document(output)?);
    reader.config_mut().check_end_names = false;
    let mut found = Found::default();
    let (mut passed, mut failed) = (0, 0);
    let (mut suites, mut whole) = (false, true);
    let mut depth = 0_usize;
    let mut open: Option<Case> = None;
    // Whether text belongs to a failure, at this depth.
    let mut inside: Option<usize> = None;
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            // Cut off, or followed by something else.
            Err(_) => {
                whole = depth == 0;
                break;
            }
        };
        let (element, empty) = match &event {
            Event::Start(element) => (Some(element), false),
            Event::Empty(element) => (Some(element), true),
            _ => (None, false),
        };
        if let Some(element) = element {
            match element.local_name().as_ref() {
                "testsuites" | "testsuite" => suites = true,
                "testcase" => {
                    if let Some(case) = open.take() {
                        case.end(&mut found, &mut passed, &mut failed);
                    }
                    let case = case(element);
                    if empty {
                        case.end(&mut found, &mut passed, &mut failed);
                    } else {
                        open = Some(case);
                    }
                }
                "skipped" => {
                    if let Some(case) = &mut open {
                        case.skipped = true;
                    }
                }
                "failure" | "error" => {
                    if let Some(case) = &mut open {
                        let message = attribute(element, &["message"]).unwrap_or_default();
                        let (messages, _) = case.failed.get_or_insert_default();
                        add_line(messages, &message);
                        if !empty {
                            inside = Some(depth);
                        }
                    }
                }
                _ if !suites && depth == 0 => return None,
                _ => {}
            }
            depth += usize::from(!empty);
            continue;
        }
        match event {
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                if inside == Some(depth) {
                    inside = None;
                }
                if element.local_name().as_ref() == "testcase"
                    && let Some(case) = open.take()
                {
                    case.end(&mut found, &mut passed, &mut failed);
                }
                if depth == 0 {
                    break;
                }
            }
            Event::Text(text) if inside.is_some() => {
                if let Some((_, all)) = open.as_mut().and_then(|case| case.failed.as_mut())
                    && all.len() < MAX_TEXT
                {
                    all.push_str(&text);
                }
            }
            Event::CData(text) if inside.is_some() => {
                if let Some((_, all)) = open.as_mut().and_then(|case| case.failed.as_mut())
                    && all.len() < MAX_TEXT
                {
                    all.push_str(&text);
                }
            }
            Event::GeneralRef(name) if inside.is_some() => {
                let written = format!("&{};", &*name);
                if let Some((_, all)) = open.as_mut().and_then(|case| case.failed.as_mut())
                    && all.len() < MAX_TEXT
                {
                    // Entities of its own are left as they are written: they are never expanded.
                    match quick_xml::escape::unescape(&written) {
                        Ok(text) => all.push_str(&text),
                        Err(_) => all.push_str(&written),
                    }
                }
            }
            Event::Eof => {
                whole = depth == 0;
                break;
            }
            _ => {}
        }
    }
    if !suites && passed + failed == 0 {
        return None;
    }
    if let Some(case) = open.take().filter(|case| case.failed.is_some()) {
        case.end(&mut found, &mut passed, &mut failed);
    }
    found.counts = whole.then(|| Counts::of(passed, failed));
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

    #[test]
    fn entities_are_never_expanded() {
        let bomb = r#"<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>
            <testsuite><testcase name="x"><failure message="&b;">&b; &lt;</failure></testcase></testsuite>"#;
        let found = parse(bomb).unwrap();
        assert_eq!(found.failures[0].message.as_deref(), Some("&b; <"));
    }
}
