//! Reads TRX, the XML that `dotnet test --logger trx` writes.

use quick_xml::{Reader, events::Event};

use crate::{
    junit, location,
    report::{Counts, Failure, Found},
    text::{MAX_BODY, some},
};

#[derive(Default)]
struct Test {
    name: String,
    message: String,
    stack: String,
}

/// The element that contains the text being read.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Nothing,
    Message,
    Stack,
}

pub(crate) fn parse(output: &str) -> Option<Found> {
    let start = output.find("<TestRun ")?;
    let mut reader = Reader::from_str(&output[start..]);
    reader.config_mut().check_end_names = false;
    let mut found = Found::default();
    let (mut passed, mut failed, mut results) = (0, 0, false);
    let mut open: Option<Test> = None;
    let mut inside = Inside::Nothing;
    let mut whole = false;
    while let Ok(event) = reader.read_event() {
        match &event {
            Event::Start(element) | Event::Empty(element) => match element.local_name().as_ref() {
                "UnitTestResult" => {
                    results = true;
                    let outcome = junit::attribute(element, &["outcome"]).unwrap_or_default();
                    match outcome.as_str() {
                        "Passed" | "PassedButRunAborted" => passed += 1,
                        "Failed" | "Error" | "Timeout" | "Aborted" => {
                            failed += 1;
                            let name = junit::attribute(element, &["testName"]).unwrap_or_default();
                            let test = Test {
                                name,
                                ..Test::default()
                            };
                            if matches!(event, Event::Empty(_)) {
                                found.add(Failure {
                                    name: test.name,
                                    ..Failure::default()
                                });
                            } else {
                                open = Some(test);
                            }
                        }
                        _ => {}
                    }
                }
                "Message" if open.is_some() => inside = Inside::Message,
                "StackTrace" if open.is_some() => inside = Inside::Stack,
                "ResultSummary" => {
                    let outcome = junit::attribute(element, &["outcome"]).unwrap_or_default();
                    found.failed |= matches!(outcome.as_str(), "Failed" | "Aborted" | "Error");
                }
                _ => {}
            },
            Event::End(element) => match element.local_name().as_ref() {
                "Message" | "StackTrace" => inside = Inside::Nothing,
                "UnitTestResult" => {
                    if let Some(test) = open.take() {
                        let mut frames = test.stack.lines().filter_map(location::net_frame);
                        let place = frames.find(|(path, _)| !path.starts_with("/_"));
                        let mut failure = Failure::at(&test.name, test.message.trim(), place);
                        failure.message = failure.message.or_else(|| some(test.stack.trim()));
                        found.add(failure);
                    }
                }
                "TestRun" => {
                    whole = true;
                    break;
                }
                _ => {}
            },
            Event::Text(text) => add(&mut open, inside, text),
            Event::CData(text) => add(&mut open, inside, text),
            Event::GeneralRef(name) => {
                let written = format!("&{};", &**name);
                match quick_xml::escape::unescape(&written) {
                    Ok(text) => add(&mut open, inside, &text),
                    Err(_) => add(&mut open, inside, &written),
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if !results && !whole {
        return None;
    }
    found.failed |= !whole;
    found.counts = whole.then(|| Counts::of(passed, failed));
    Some(found)
}

fn add(open: &mut Option<Test>, inside: Inside, text: &str) {
    let Some(test) = open else { return };
    let to = match inside {
        Inside::Nothing => return,
        Inside::Message => &mut test.message,
        Inside::Stack => &mut test.stack,
    };
    if to.len() < MAX_BODY {
        to.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let text = r#"<?xml version="1.0" encoding="utf-8"?>
<TestRun id="1" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
  <Results>
    <UnitTestResult testName="Shop.Adds" outcome="Passed" />
    <UnitTestResult testName="Shop.Takes" outcome="Failed"><Output><ErrorInfo>
      <Message>Expected: 3 &lt; 4</Message>
      <StackTrace>   at Shop.Takes() in /src/Shop Tests/Sums.cs:line 21</StackTrace>
    </ErrorInfo></Output></UnitTestResult>
    <UnitTestResult testName="Shop.Later" outcome="NotExecuted" />
  </Results>
  <ResultSummary outcome="Failed"><Counters total="3" passed="1" failed="1" /></ResultSummary>
</TestRun>"#;
        let found = parse(text).unwrap();
        assert_eq!(found.counts, Some(Counts::of(1, 1)));
        let failure = &found.failures[0];
        assert_eq!(failure.name, "Shop.Takes");
        assert_eq!(failure.message.as_deref(), Some("Expected: 3 < 4"));
        assert_eq!(
            (failure.file.as_deref(), failure.line),
            (Some("/src/Shop Tests/Sums.cs"), Some(21))
        );
    }
}
