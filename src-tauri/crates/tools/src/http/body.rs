//! The body of a response as a value: decodes its charset, and detects JSON by its content, not only by its content type.

use loopwright_model::exact_numbers;
use loopwright_text::charset::{self, Decoded, Found};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use serde_json::Value;

use super::policy::HttpError;

/// A decoded body and its warnings.
#[derive(Debug, PartialEq)]
pub(super) struct Body {
    pub(super) text: String,
    /// Whether to try to parse the text as JSON.
    pub(super) may_be_json: bool,
    /// The code and the message of each warning.
    pub(super) warnings: Vec<(String, String)>,
}

/// The first bytes of compressed files, each with the program that creates such files. A flow that requests a page does not
/// expect them.
const PACKED: [(&[u8], &str); 2] = [
    (&[0x1f, 0x8b, 8], "gzip"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
];

/// Content types in which braces do not mean JSON.
const OTHER_TEXT: [&str; 7] = [
    "html",
    "xml",
    "css",
    "csv",
    "markdown",
    "yaml",
    "event-stream",
];

/// Decodes a body as text.
///
/// # Errors
/// Returns an error if the body is compressed in an unsupported way.
pub(super) fn read(bytes: &[u8], headers: &HeaderMap, host: &str) -> Result<Body, HttpError> {
    let header = |name| {
        headers
            .get(name)
            .and_then(|value: &reqwest::header::HeaderValue| value.to_str().ok())
    };
    // The client removes this header when it decompresses a body, so a body with this header is still compressed.
    let packed = header(CONTENT_ENCODING)
        .map(str::trim)
        .filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"));
    if let Some(coding) = packed.filter(|_| !bytes.is_empty()) {
        return Err(HttpError::Packed {
            host: host.to_owned(),
            coding: coding.to_owned(),
        });
    }
    let kind = header(CONTENT_TYPE).unwrap_or_default();
    let (essence, named) = content_type(kind);
    let mut warnings = Vec::new();
    if let Some((_, program)) = PACKED.iter().find(|(mark, _)| bytes.starts_with(mark))
        && !essence.contains("zip")
    {
        return Err(HttpError::Packed {
            host: host.to_owned(),
            coding: (*program).to_owned(),
        });
    }
    // JSON is UTF-8 (RFC 8259), even if a server has another default for text.
    let is_json = is_json(&essence);
    let named_charset = named.as_deref().filter(|name| charset::is_known(name));
    let decoded = charset::decode(bytes, named_charset);
    let shown_kind = if essence.is_empty() {
        "no content type"
    } else {
        essence.as_str()
    };
    let is_utf_32 = decoded.charset.starts_with("UTF-32");
    if charset::is_binary(bytes) && !is_utf_32 || is_binary_kind(&essence) && decoded.lossy {
        warnings.push((
            "body_not_text".to_owned(),
            format!(
                "The answer from {host} is not text ({shown_kind}, {} bytes). Only its status and headers can be read.",
                bytes.len()
            ),
        ));
    } else if decoded.lossy {
        warnings.push((
            "charset_broken".to_owned(),
            format!(
                "The answer from {host} contains bytes that are not valid {}. They appear as \u{201c}\u{fffd}\u{201d} in `body`.",
                decoded.charset
            ),
        ));
    } else if let Some(why) = assumed(bytes, &decoded, named.as_deref()) {
        warnings.push((
            "charset_assumed".to_owned(),
            format!(
                "The answer from {host} {why}. Its `body` was read as {}.",
                decoded.charset
            ),
        ));
    }
    let begins_as_json = || decoded.text.trim_start().starts_with(['{', '[']);
    let other = OTHER_TEXT.iter().any(|kind| essence.contains(kind));
    Ok(Body {
        may_be_json: is_json || !other && begins_as_json(),
        text: decoded.text,
        warnings,
    })
}

/// Returns the reason why the charset of a body is uncertain, or `None` if it is known. If the charset is unknown, even
/// ASCII bytes are uncertain: `+AOk-` is a letter in UTF-7.
fn assumed(bytes: &[u8], decoded: &Decoded, named: Option<&str>) -> Option<String> {
    match named {
        _ if bytes.is_empty() || decoded.found == Found::Mark => None,
        Some(name) if !charset::is_known(name) => {
            Some(format!("names the charset “{name}”, which is unknown"))
        }
        // The charset is known but does not match the bytes, such as `utf-32` for text in Windows-1252.
        Some(name) if decoded.found == Found::Assumed => Some(format!(
            "names the charset “{name}”, but is not encoded in it"
        )),
        None if decoded.found == Found::Assumed && !bytes.is_ascii() => {
            Some("names no charset and is not UTF-8".to_owned())
        }
        _ => None,
    }
}

/// Returns whether a content type is JSON: `application/json`, `application/problem+json`, `text/json`. `essence` must be in
/// lower case.
fn is_json(essence: &str) -> bool {
    essence
        .split(['/', '+', '-', ';', '.'])
        .any(|part| part == "json")
}

/// Returns whether a content type is never text.
fn is_binary_kind(essence: &str) -> bool {
    let family = essence.split('/').next().unwrap_or_default();
    matches!(family, "image" | "audio" | "video" | "font") && !essence.contains("svg")
        || ["octet-stream", "zip", "pdf", "wasm"]
            .iter()
            .any(|kind| essence.contains(kind))
}

/// Returns the media type in lower case, without its parameters, and the charset that the header names, if any.
fn content_type(header: &str) -> (String, Option<String>) {
    let mut parts = header.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    });
    (essence, charset)
}

/// Parses a body that may be JSON. Returns the value and a warning about its numbers, or `None` if it is not JSON.
pub(super) fn json(text: &str, host: &str) -> Option<(Value, Option<(String, String)>)> {
    let read = exact_numbers::read(text.trim_start_matches('\u{feff}')).ok()?;
    let warning = read.warning(&format!("The answer from {host}"));
    Some((read.value, warning))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn of(bytes: &[u8], kind: &str) -> Result<(String, bool, Vec<String>), String> {
        let mut headers = HeaderMap::new();
        if !kind.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_str(kind).unwrap());
        }
        let body = read(bytes, &headers, "example.org").map_err(|error| error.to_string())?;
        let codes = body.warnings.into_iter().map(|(code, _)| code).collect();
        Ok((body.text, body.may_be_json, codes))
    }

    #[test]
    fn the_charset_of_the_header_is_read() {
        for (kind, bytes, text) in [
            (
                "text/html; charset=ISO-8859-1",
                &b"Gr\xfc\xdfe"[..],
                "Grüße",
            ),
            ("text/html;Charset=\"Windows-1252\"", b"\x80 5", "€ 5"),
            (
                "text/plain; format=flowed; charset=Shift_JIS",
                b"\x93\xfa\x96{",
                "日本",
            ),
            ("text/plain; charset=utf-16", b"\xfe\xff\0a", "a"),
            ("text/plain; charset=utf-32", b"\xff\xfe\0\0a\0\0\0", "a"),
            ("text/plain; charset=utf-32be", b"\0\0\0a\0\0\0\xe9", "aé"),
        ] {
            assert_eq!(
                of(bytes, kind),
                Ok((text.to_owned(), false, Vec::new())),
                "{kind}"
            );
        }
    }

    #[test]
    fn what_was_not_meant_is_reported() {
        let codes = |bytes: &[u8], kind| of(bytes, kind).unwrap().2;
        assert_eq!(
            codes(b"caf\xe9", "text/plain; charset=utf-8"),
            ["charset_broken"]
        );
        assert_eq!(codes(b"caf\xe9", "text/plain"), ["charset_assumed"]);
        assert_eq!(
            codes(b"caf\xe9", "text/plain; charset=x-none"),
            ["charset_assumed"]
        );
        // There is a warning even if every byte can be decoded.
        for kind in ["text/plain; charset=utf-7", "text/plain; charset=x-klingon"] {
            assert_eq!(codes(b"Hi +AOk-", kind), ["charset_assumed"], "{kind}");
            assert_eq!(
                codes("Grüße".as_bytes(), kind),
                ["charset_assumed"],
                "{kind}"
            );
            assert_eq!(codes(b"", kind), [""; 0]);
        }
        assert_eq!(
            codes(b"caf\xe9", "text/plain; charset=utf-32"),
            ["charset_assumed"]
        );
        assert_eq!(
            codes("Grüße".as_bytes(), "text/plain; charset=utf8mb4"),
            [""; 0]
        );
        assert_eq!(
            codes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
            ["body_not_text"]
        );
        assert_eq!(
            codes(b"\xff\xd8\xff\xe1", "image/jpeg"),
            ["charset_assumed"]
        );
        assert_eq!(codes("Grüße".as_bytes(), "text/plain"), [""; 0]);
        assert_eq!(codes(b"plain", ""), [""; 0]);
    }

    #[test]
    fn json_is_known_by_its_kind_or_its_beginning() {
        for (kind, text, json) in [
            ("Application/JSON", "1", true),
            ("application/problem+json; charset=utf-8", "{}", true),
            ("application/vnd.api+json", "[]", true),
            ("application/x-json-stream", "{}", true),
            ("application/octet-stream", "{\"a\":1}", true),
            ("text/plain", " [1]", true),
            ("", "{\"a\":1}", true),
            ("text/plain", "1", false),
            ("text/html", "{{ braces }}", false),
            ("text/css", "{}", false),
        ] {
            assert_eq!(of(text.as_bytes(), kind).unwrap().1, json, "{kind} {text}");
        }
        assert_eq!(of(b"\xef\xbb\xbf{}", "application/json").unwrap().0, "{}");
        assert_eq!(of(b"\xff\xfe{\0}\0", "application/json").unwrap().0, "{}");
    }

    #[test]
    fn a_number_that_no_number_holds_is_a_text_with_a_warning() {
        let (value, warning) =
            json(r#"{"id": 123456789012345678901234, "n": 7}"#, "example.org").unwrap();
        assert_eq!(
            value,
            serde_json::json!({ "id": "123456789012345678901234", "n": 7 })
        );
        let (code, words) = warning.unwrap();
        assert!(
            code == exact_numbers::CODE && words.contains("example.org"),
            "{words}"
        );
        assert_eq!(json("[1, 2.5]", "h").unwrap().1, None);
        assert!(json("no", "h").is_none());
    }

    #[test]
    fn packed_bodies_are_errors_where_they_are_not_read() {
        assert!(of(b"\x1f\x8b\x08\0abc", "text/html").is_err());
        assert!(of(b"\x28\xb5\x2f\xfdabc", "").is_err());
        assert!(of(b"\x1f\x8b\x08\0abc", "application/gzip").is_ok());
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("zstd"));
        let error = read(b"abc", &headers, "h").unwrap_err().to_string();
        assert!(error.contains("zstd"), "{error}");
        assert!(read(b"", &headers, "h").is_ok());
    }
}
