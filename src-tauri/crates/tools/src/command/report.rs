//! Reads a program's test report.

use loopwright_test_reports::{Format, Report};
use serde_json::Value;

use super::run::Ended;

/// The test report to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    Nothing,
    Any,
    One(Format),
}

/// Reads the report on a blocking thread, because output may be large. If the report is not in the format that the call
/// names, its actual format is used. Returns the report, or null if there is none, and advice on how to get a better
/// report.
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

/// Returns advice on how to get a more detailed report, or `None` if none is needed.
fn hint(report: Option<&Report>, text: &str) -> Option<String> {
    let Some(report) = report else {
        let unread = loopwright_test_reports::unread(text)?;
        return Some(format!(
            "The output looks like {}, which Loopwright cannot read. {}",
            unread.program, unread.hint
        ));
    };
    if let Some(partly) = report.partly {
        return Some(format!(
            "Only totals and names are read from the output of {}. {}",
            partly.program, partly.hint
        ));
    }
    let failed = report.counts.and_then(|counts| counts.failed).unwrap_or(0);
    let listed = report.failures.len();
    let lacks = (listed as u64) < failed && listed < loopwright_test_reports::MAX_FAILURES;
    lacks.then(|| report.format.hint().to_owned())
}

/// Decodes the text of a report: UTF-8, or UTF-16 with a byte order mark, as PowerShell writes redirected output.
pub(super) fn decoded(bytes: &[u8]) -> String {
    // Text without a byte order mark is UTF-8, even if its bytes resemble another charset.
    loopwright_text::charset::decode(bytes, Some("utf-8")).text
}

/// Returns the values that the argument `report` accepts.
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
