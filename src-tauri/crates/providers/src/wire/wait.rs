//! Reads the delay that a server asks for, from its headers or from fields of its error.

use std::{ops::Range, time::SystemTime};

use loopwright_engine::{duration::spoken as pause, event::parse_time};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::loose::{field, text};

/// Numbers in this range are read as a point in time, not as a pause: seconds since 1970, for the years 2001 to 2286. For
/// milliseconds, the limits of the range are multiplied by 1,000.
const CLOCK_SECONDS: Range<f64> = 1e9..1e10;
const CLOCK_MILLIS: Range<f64> = 1e12..1e13;

/// Returns the time that a refusal asks the client to wait, in milliseconds; `None` if it names no time or an unreadable
/// one.
///
/// The sources, in order: `retry-after-ms`; `Retry-After` (RFC 9110, 10.2.3: seconds or a date); fields of the body; the
/// reset times of used-up limits (`x-ratelimit-reset-…`, `RateLimit`); the text of the message. A date may have the form
/// of HTTP or of RFC 3339. In each of these, some servers give a
/// point in time instead of a pause (openclaw/clawhub issue 407 reports it for `Retry-After`).
pub(super) fn wait(headers: &HeaderMap, body: &Value) -> Option<u64> {
    let header = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?.trim();
        (!value.is_empty()).then_some(value)
    };
    let now = now(headers);
    header("retry-after-ms")
        .and_then(|millis| pause_or_clock(millis.parse().ok()?, 1.0, now))
        .or_else(|| retry_after(header(RETRY_AFTER.as_str())?, now))
        .or_else(|| in_body(body, now))
        .or_else(|| limits(&header, now))
        .or_else(|| in_words(body, now))
}

/// Returns the time in the server's `Date` header, otherwise this computer's time. The server's clock is preferred, because
/// this computer's may be wrong.
fn now(headers: &HeaderMap) -> SystemTime {
    let date = headers.get(DATE).and_then(|date| date.to_str().ok());
    date.and_then(|date| httpdate::parse_http_date(date).ok())
        .unwrap_or_else(SystemTime::now)
}

/// Converts a number to whole milliseconds, rounded up. Returns `None` if it is negative or not finite. A number that is too
/// large for the type becomes its maximum, which is longer than any wait.
fn millis(number: f64) -> Option<u64> {
    (number.is_finite() && number >= 0.0).then(|| number.ceil() as u64)
}

fn scaled(text: &str, scale: f64) -> Option<u64> {
    millis(text.parse::<f64>().ok()? * scale)
}

fn retry_after(text: &str, now: SystemTime) -> Option<u64> {
    if let Ok(number) = text.parse() {
        return pause_or_clock(number, 1000.0, now);
    }
    let Ok(until) = http_date(text) else {
        return pause(text).or_else(|| until_date(text, now));
    };
    let wait = until.duration_since(now).unwrap_or_default();
    u64::try_from(wait.as_millis()).ok()
}

/// Parses a date of HTTP. Some servers write the zone as in dates of mail: `+0000` or `UTC` instead of `GMT`.
fn http_date(text: &str) -> Result<SystemTime, httpdate::Error> {
    let zone = ["+0000", "-0000", "UTC"]
        .iter()
        .find_map(|zone| text.strip_suffix(zone));
    match zone {
        Some(date) => httpdate::parse_http_date(&format!("{date}GMT")),
        None => httpdate::parse_http_date(text),
    }
}

/// Returns the milliseconds of a pause in units of `scale` milliseconds, or until a time in seconds or milliseconds since
/// 1970. Returns `None` for a negative pause.
fn pause_or_clock(number: f64, scale: f64, now: SystemTime) -> Option<u64> {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let now = since.as_secs_f64() * 1000.0;
    match number {
        at if CLOCK_MILLIS.contains(&at) => millis((at - now).max(0.0)),
        at if CLOCK_SECONDS.contains(&at) => millis((at * 1000.0 - now).max(0.0)),
        pause => millis(pause * scale),
    }
}

/// Returns the milliseconds in a field of the error: Google's `RetryInfo`, `retry_after`, or a header that a gateway
/// repeats. `None` if there is no such field.
fn in_body(body: &Value, now: SystemTime) -> Option<u64> {
    let body = body.get(0).unwrap_or(body);
    let error = match &body["error"] {
        Value::Object(_) => &body["error"],
        _ => body,
    };
    let details = error["details"].as_array().into_iter().flatten();
    let google = details.into_iter().find_map(|detail| {
        match field(detail, &["retryDelay", "retry_delay"]) {
            Value::String(delay) => scaled(delay.strip_suffix('s')?, 1000.0),
            delay @ Value::Object(_) => {
                let part = |name: &str| match &delay[name] {
                    Value::String(text) => text.parse::<f64>().ok(),
                    number => number.as_f64(),
                };
                millis(part("seconds")? * 1000.0 + part("nanos").unwrap_or(0.0) / 1e6)
            }
            _ => None,
        }
    });
    let number = |value: &Value, scale: f64| match value {
        Value::String(text) => match text.trim().parse() {
            Ok(number) => pause_or_clock(number, scale, now),
            Err(_) => pause(text).or_else(|| until_date(text.trim(), now)),
        },
        number => pause_or_clock(number.as_f64()?, scale, now),
    };
    let named = |holder: &Value| {
        number(field(holder, &["retry_after_ms", "retryAfterMs"]), 1.0).or_else(|| {
            let names = [
                "retry_after",
                "retryAfter",
                "retry_after_seconds",
                "retry-after",
                "resets_in_seconds",
                "resets_at",
                "reset_at",
            ];
            number(field(holder, &names), 1000.0)
        })
    };
    let repeated = || {
        let headers = error["metadata"]["headers"].as_object()?;
        let find = |name: &str| {
            let (_, value) = headers
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))?;
            Some(match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            })
        };
        find("retry-after")
            .and_then(|after| retry_after(&after, now))
            .or_else(|| pause_or_clock(find("x-ratelimit-reset")?.parse().ok()?, 1000.0, now))
    };
    google
        .or_else(|| named(error))
        .or_else(|| named(&error["metadata"]))
        .or_else(|| named(body))
        .or_else(repeated)
}

/// Returns the milliseconds until an RFC 3339 time, or 0 if the time has passed; `None` if the text is not such a time.
fn until_date(text: &str, now: SystemTime) -> Option<u64> {
    let at = parse_time(text)?;
    let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let now = i64::try_from(now.as_millis()).ok()?;
    u64::try_from(at.saturating_sub(now)).ok().or(Some(0))
}

/// Returns the milliseconds until all used-up limits are restored. If the headers do not say which limits are used up,
/// returns the shortest of the reset times. Returns `None` if there are none. OpenAI, Azure and Groq each send one header
/// for requests and one for tokens.
fn limits<'h>(header: &impl Fn(&str) -> Option<&'h str>, now: SystemTime) -> Option<u64> {
    let mut used_up = Vec::new();
    let mut others = Vec::new();
    let mut note = |reset: Option<&str>, left: Option<&str>, is_refused: bool| {
        let reset = reset.and_then(|reset| match reset.parse::<f64>() {
            Ok(number) => pause_or_clock(number, 1000.0, now),
            Err(_) => pause(reset).or_else(|| until_date(reset, now)),
        });
        let is_used_up = left.is_some_and(|left| left.parse::<f64>().is_ok_and(|left| left <= 0.0));
        if is_used_up || is_refused {
            used_up.extend(reset);
        } else {
            others.extend(reset);
        }
    };
    for of in [
        "-requests",
        "-tokens",
        "",
        "-requests-day",
        "-tokens-minute",
    ] {
        note(
            header(&format!("x-ratelimit-reset{of}")),
            header(&format!("x-ratelimit-remaining{of}")),
            false,
        );
    }
    // The following headers are Anthropic's. The unified limits of subscriptions say which of them rejected the call.
    for of in ["requests", "tokens", "input-tokens", "output-tokens"] {
        note(
            header(&format!("anthropic-ratelimit-{of}-reset")),
            header(&format!("anthropic-ratelimit-{of}-remaining")),
            false,
        );
    }
    for of in ["", "-5h", "-7d"] {
        let status = header(&format!("anthropic-ratelimit-unified{of}-status"));
        if status == Some("rejected") {
            note(
                header(&format!("anthropic-ratelimit-unified{of}-reset")),
                None,
                true,
            );
        }
    }
    let standard = || {
        let reset = header("ratelimit-reset").and_then(|reset| reset.parse().ok());
        reset
            .and_then(|reset| pause_or_clock(reset, 1000.0, now))
            .or_else(|| used_up_policies(header("ratelimit")?))
    };
    used_up
        .into_iter()
        .max()
        .or_else(|| others.into_iter().min())
        .or_else(standard)
}

/// Reads the header `RateLimit` of the newer drafts (draft-ietf-httpapi-ratelimit-headers): a list of limits, each with the
/// calls that remain (`r`) and the seconds until the limit is restored (`t`), such as `"day";r=0;t=3600`. Returns the
/// milliseconds until all used-up limits are restored, or `None` if there are none.
fn used_up_policies(header: &str) -> Option<u64> {
    let used_up = header.split(',').filter_map(|limit| {
        let parameter = |name: &str| {
            let mut parts = limit.split(';').skip(1);
            parts.find_map(|part| part.trim().strip_prefix(name)?.trim().parse::<f64>().ok())
        };
        (parameter("r=")? <= 0.0).then(|| millis(parameter("t=")? * 1000.0))?
    });
    used_up.max()
}

/// Returns the milliseconds in a phrase such as `Please try again in 1m2.5s.` or `Try again at 2026-12-02T20:00:00Z.` in an
/// error message; `None` if there is no such phrase. Web pages are not searched.
fn in_words(body: &Value, now: SystemTime) -> Option<u64> {
    let body = body.get(0).unwrap_or(body);
    let message = text(&body["error"], &["message"])
        .or_else(|| text(body, &["message", "msg"]))?
        .to_lowercase();
    let begins = [
        "try again in ",
        "retry in ",
        "retry after ",
        "try again after ",
        "retry your request after ",
        "reset after ",
        "resets in ",
    ];
    let after = |begin: &&str| Some(&message[message.find(begin)? + begin.len()..]);
    let pauses = begins.iter().filter_map(after).find_map(pause);
    pauses.or_else(|| {
        ["try again at ", "retry at ", "resets at ", "reset at "]
            .iter()
            .filter_map(after)
            .find_map(|rest| {
                let date = rest.split_whitespace().next()?;
                until_date(&date.trim_end_matches(['.', ',', ')']).to_uppercase(), now)
            })
    })
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    fn waits(headers: &[(&str, &str)], body: Value) -> Option<u64> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
        }
        wait(&map, &body)
    }

    #[test]
    fn a_pause_is_read_where_servers_write_it() {
        let error = |message: &str| json!({ "error": { "message": message } });
        for (headers, body, millis) in [
            (
                &[("retry-after-ms", "250"), ("retry-after", "9")][..],
                json!(null),
                Some(250),
            ),
            (&[("retry-after", "1.5")], json!(null), Some(1_500)),
            (&[("retry-after", "soon")], json!(null), None),
            (
                &[
                    ("x-ratelimit-reset-requests", "1s"),
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-tokens", "6m0s"),
                    ("x-ratelimit-remaining-tokens", "100"),
                ],
                json!(null),
                Some(1_000),
            ),
            (
                &[
                    ("x-ratelimit-reset-tokens", "7m12.5s"),
                    ("x-ratelimit-remaining-tokens", "0"),
                ],
                json!(null),
                Some(432_500),
            ),
            (
                &[("x-ratelimit-reset-tokens", "26")],
                json!(null),
                Some(26_000),
            ),
            (
                &[
                    ("x-ratelimit-reset", "1741305603000"),
                    ("date", "Fri, 07 Mar 2025 00:00:00 GMT"),
                ],
                json!(null),
                Some(3_000),
            ),
            (
                &[],
                json!({ "error": { "details": [{ "retryDelay": "23.5s" }] } }),
                Some(23_500),
            ),
            (
                &[],
                json!([{ "error": { "details": [{ "retryDelay": { "seconds": "3", "nanos": 500_000_000 } }] } }]),
                Some(3_500),
            ),
            (&[], json!({ "error": { "retry_after": 4 } }), Some(4_000)),
            (
                &[("date", "Fri, 07 Mar 2025 00:00:00 GMT")],
                json!({ "error": { "metadata": { "headers": { "X-RateLimit-Reset": "1741305602000" } } } }),
                Some(2_000),
            ),
            (
                &[],
                error("Rate limit reached. Please try again in 2.5s. Visit"),
                Some(2_500),
            ),
            (&[], error("Please retry after 26 seconds."), Some(26_000)),
            (&[], error("Please try again in 1m2.5s."), Some(62_500)),
            (&[], error("Try again in a while."), None),
            (&[], json!("try again in 5s"), None),
            (&[("retry-after", "-5")], error("x"), None),
            (
                &[
                    ("date", "Fri, 07 Mar 2025 00:00:00 GMT"),
                    ("anthropic-ratelimit-requests-reset", "2025-03-07T00:00:05Z"),
                    ("anthropic-ratelimit-requests-remaining", "4"),
                    ("anthropic-ratelimit-tokens-reset", "2025-03-07T06:00:00Z"),
                    ("anthropic-ratelimit-tokens-remaining", "0"),
                ],
                error("x"),
                Some(21_600_000),
            ),
            (
                &[
                    ("date", "Fri, 07 Mar 2025 00:00:00 GMT"),
                    ("anthropic-ratelimit-unified-5h-status", "rejected"),
                    ("anthropic-ratelimit-unified-5h-reset", "1741305602"),
                    ("anthropic-ratelimit-unified-7d-status", "allowed"),
                    ("anthropic-ratelimit-unified-7d-reset", "1741405602"),
                ],
                error("x"),
                Some(2_000),
            ),
            (
                &[],
                json!({ "error": { "type": "usage_limit_reached", "resets_in_seconds": 90 } }),
                Some(90_000),
            ),
            (
                &[],
                error("Please try again in 2 hours and 5 minutes."),
                Some(7_500_000),
            ),
            (
                &[("ratelimit", "\"second\";r=5;t=1, \"day\";r=0;t=3600")],
                error("x"),
                Some(3_600_000),
            ),
            (&[("ratelimit", "\"day\";r=5;t=3600")], error("x"), None),
            (
                &[("date", "Fri, 07 Mar 2025 00:00:00 GMT")],
                error("Try again at 2025-03-07T00:00:05Z."),
                Some(5_000),
            ),
            (
                &[],
                error("Your quota will reset after 3h20m."),
                Some(12_000_000),
            ),
        ] {
            assert_eq!(waits(headers, body.clone()), millis, "{headers:?} {body}");
        }
    }

    /// Every field with a number may contain a pause, or a time in seconds or milliseconds since 1970.
    #[test]
    fn the_time_of_a_clock_is_no_pause() {
        let date = ("date", "Fri, 07 Mar 2025 00:00:00 GMT");
        for (header, value, millis) in [
            ("retry-after", "1741305602", 2_000),
            ("retry-after", "1741305602500", 2_500),
            // The time has passed.
            ("retry-after", "1741305000", 0),
            ("retry-after-ms", "1741305602500", 2_500),
            ("ratelimit-reset", "1741305602", 2_000),
            ("x-ratelimit-reset-tokens", "1741305602", 2_000),
            // The longest number that counts as a pause.
            ("retry-after", "999999999", 999_999_999_000),
            ("retry-after", "900ms", 900),
            ("retry-after", "2025-03-07T00:00:03Z", 3_000),
            ("retry-after", "2025-03-07T01:00:03+01:00", 3_000),
            ("retry-after", "Fri, 07 Mar 2025 00:00:04 +0000", 4_000),
            ("retry-after", "Fri, 07 Mar 2025 00:00:04 UTC", 4_000),
        ] {
            let headers = [date, (header, value)];
            assert_eq!(
                waits(&headers, json!(null)),
                Some(millis),
                "{header}: {value}"
            );
        }
        for at in [
            json!(1_741_305_602),
            json!("1741305602"),
            json!(1_741_305_602_000_u64),
            json!("2025-03-07T00:00:02Z"),
        ] {
            for field in ["retry_after", "resets_at"] {
                let body = json!({ "error": { (field): at } });
                assert_eq!(waits(&[date], body), Some(2_000), "{field} {at}");
            }
        }
    }
}
