//! Durations in documents: ISO 8601, or a count with a unit.

use jiff::{SignedDuration, Span, SpanRelativeTo};
use serde_json::Value;

/// The maximum timeout of a loop.
pub(crate) const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// Reads an ISO 8601 duration. A day is 24 hours. Fails if the text is not a duration. Negative durations are rejected, and
/// so are months and years, which have no fixed length.
pub(crate) fn read(text: &str) -> Result<SignedDuration, String> {
    let says = || format!("“{text}” is not an ISO 8601 duration such as PT30S or PT1H");
    let span: Span = text.trim().to_uppercase().parse().map_err(|_| says())?;
    let duration = span
        .to_duration(SpanRelativeTo::days_are_24_hours())
        .map_err(|_| says())?;
    if duration.is_negative() {
        return Err(says());
    }
    Ok(duration)
}

/// Converts a count with a unit, `{"count": 5, "unit": "second"}`, to an ISO 8601 duration. Fails if the unit is unknown or the
/// count is invalid.
pub(crate) fn of_unit(count: f64, unit: &str) -> Result<String, String> {
    let seconds = seconds_in(unit).ok_or_else(|| {
        format!("“{unit}” is not a unit; the units are second, minute, hour, day and week")
    })?;
    if !count.is_finite() || count < 0.0 {
        return Err(format!("{count} is not a valid count"));
    }
    Ok(written(count * seconds))
}

/// Returns the number of seconds in a unit, or `None` for an unknown unit.
fn seconds_in(unit: &str) -> Option<f64> {
    let unit = unit.to_ascii_lowercase();
    Some(match unit.trim_end_matches('s') {
        "millisecond" => 0.001,
        "second" | "sec" => 1.0,
        "minute" | "min" => 60.0,
        "hour" => 3_600.0,
        "day" => 86_400.0,
        "week" => 604_800.0,
        _ => return None,
    })
}

/// Formats seconds as an ISO 8601 duration in hours, minutes or seconds: the largest unit that yields a whole number.
fn written(seconds: f64) -> String {
    for (unit, length) in [("H", 3_600.0), ("M", 60.0)] {
        if seconds >= length && seconds % length == 0.0 {
            return format!("PT{}{unit}", seconds / length);
        }
    }
    format!("PT{seconds}S")
}

/// Converts a pause to an ISO 8601 duration. Documents write it as `{interval: {count, unit}}`, `{count, unit}`, a duration or
/// seconds. Fails for any other value.
pub(crate) fn pause(value: &Value) -> Result<String, String> {
    let fields = match value {
        Value::String(text) => {
            return read(text).map(|duration| written(duration.as_secs_f64()));
        }
        Value::Number(number) => return of_unit(number.as_f64().unwrap_or(-1.0), "second"),
        _ => value.as_object(),
    };
    let get = |name: &str| fields.and_then(|fields| fields.get(name));
    let interval = get("interval").or(get("duration"));
    let count = interval.or(get("count")).and_then(Value::as_f64);
    match (count, get("unit").and_then(Value::as_str), interval) {
        (Some(count), Some(unit), _) => of_unit(count, unit),
        (_, _, Some(interval)) => pause(interval),
        _ => Err(
            "a pause must be written as {\"interval\": {\"count\": 5, \"unit\": \"second\"}}"
                .to_owned(),
        ),
    }
}
