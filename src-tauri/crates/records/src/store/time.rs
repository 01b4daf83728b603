//! Parses times as people write them.

use loopwright_engine::event::parse_time;

const MINUTE: i64 = 60_000;

/// Parses `2026-01-31` (midnight UTC), `2026-01-31T14:00:00Z`, or a time before `now`: `30m`, `12h`, `7d`. Returns milliseconds
/// since the Unix epoch, UTC, or `None` for anything else.
pub fn time(text: &str, now: i64) -> Option<i64> {
    let ago = |unit: char, minutes: i64| {
        let count: i64 = text.strip_suffix(unit)?.parse().ok()?;
        (count >= 0)
            .then(|| count.checked_mul(minutes * MINUTE))
            .flatten()
            .and_then(|ago| now.checked_sub(ago))
    };
    ago('m', 1)
        .or_else(|| ago('h', 60))
        .or_else(|| ago('d', 24 * 60))
        .or_else(|| parse_time(text))
        .or_else(|| parse_time(&format!("{text}T00:00:00Z")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_days_times_and_how_long_ago() {
        let day = 24 * 60 * MINUTE;
        for (text, expected) in [
            ("1970-01-02", Some(day)),
            ("1970-01-02T00:00:01Z", Some(day + 1_000)),
            ("1970-01-02T01:00:00+01:00", Some(day)),
            ("7d", Some(3 * day)),
            ("0m", Some(10 * day)),
            ("24h", Some(9 * day)),
            ("-1d", None),
            ("99999999999999999d", None),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(time(text, 10 * day), expected, "{text}");
        }
    }
}
