//! What a program reported of its tests.

use loopwright_test_reports::{Format, Report};
use serde_json::Value;

use super::run::Ended;

/// How a report is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    Nothing,
    Any,
    One(Format),
}

/// Reads the report, away from the run's own task: an output may be large. What has another form than the one that was named is
/// read as what it is.
pub(super) async fn read(
    reads: Reads,
    file: Option<String>,
    ended: Ended,
) -> (Value, Option<String>) {
    let read = tokio::task::spawn_blocking(move || {
        let text = file.unwrap_or_else(|| {
            let Ended { stdout, stderr, .. } = ended;
            [stdout.text, stderr.text].join("\n")
        });
        let report = match reads {
            Reads::Nothing => return (None, None),
            Reads::Any => loopwright_test_reports::detect(&text),
            Reads::One(format) => format
                .read(&text)
                .or_else(|| loopwright_test_reports::detect(&text)),
        };
        let hint = hint(report.as_ref(), &text);
        (report, hint)
    });
    let (report, hint) = read.await.unwrap_or_default();
    let report = report.and_then(|report| serde_json::to_value(report).ok());
    (report.unwrap_or_default(), hint)
}

/// How to get a report of which more can be read.
fn hint(report: Option<&Report>, text: &str) -> Option<String> {
    let Some(report) = report else {
        let unread = loopwright_test_reports::unread(text)?;
        return Some(format!(
            "It looks like {}, whose output isn't read. {}",
            unread.program, unread.hint
        ));
    };
    if let Some(partly) = report.partly {
        return Some(format!(
            "Of the output of {} only totals and names are read. {}",
            partly.program, partly.hint
        ));
    }
    let failed = report.counts.and_then(|counts| counts.failed).unwrap_or(0);
    let listed = report.failures.len();
    let lacks = (listed as u64) < failed && listed < loopwright_test_reports::MAX_FAILURES;
    lacks.then(|| report.format.hint().to_owned())
}

/// The text of a report: UTF-8, or UTF-16 with its mark, as PowerShell writes what is redirected.
pub(super) fn decoded(bytes: &[u8]) -> String {
    // Without a mark it is UTF-8, whatever its bytes resemble.
    loopwright_text::charset::decode(bytes, Some("utf-8")).text
}

/// What `report` may be.
pub(super) fn names() -> Vec<&'static str> {
    let formats = Format::ALL.iter().map(|format| format.as_str());
    ["none", "auto"].into_iter().chain(formats).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_known_by_its_mark() {
        assert_eq!(decoded(b"\xff\xfeo\0k\0"), "ok");
        assert_eq!(decoded(b"\xfe\xff\0o\0k"), "ok");
        assert_eq!(decoded("ä".as_bytes()), "ä");
    }
}
