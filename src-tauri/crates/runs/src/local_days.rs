//! Days, weeks and months of a time zone, in its local time.

use jiff::{
    Timestamp, ToSpan as _,
    civil::{Date, Weekday},
    tz::TimeZone,
};
use loopwright_engine::spending::Period;

/// Returns the local day that contains the time `at`, which is in milliseconds since the Unix epoch, UTC.
pub fn day_of(zone: &TimeZone, at: i64) -> Date {
    let at = Timestamp::from_millisecond(at).unwrap_or_default();
    at.to_zoned(zone.clone()).date()
}

/// Returns the time at which a day begins, in milliseconds since the Unix epoch, UTC. `None` if the time is outside the
/// supported range.
pub fn day_start(zone: &TimeZone, day: Date) -> Option<i64> {
    let begins = day.to_zoned(zone.clone()).ok()?;
    Some(begins.timestamp().as_millisecond())
}

/// Returns the first day of the period that contains `day`.
fn first_day(period: Period, day: Date) -> Date {
    match period {
        Period::Day => day,
        Period::Week => day.saturating_sub(i64::from(day.weekday().since(Weekday::Monday)).days()),
        Period::Month => day.first_of_month(),
    }
}

/// Returns the first day of the period after the one that contains `day`.
pub(crate) fn next_first_day(period: Period, day: Date) -> Date {
    let first = first_day(period, day);
    match period {
        Period::Day => first.saturating_add(1.day()),
        Period::Week => first.saturating_add(1.week()),
        Period::Month => first.saturating_add(1.month()),
    }
}

/// Returns the starts of the day, the week and the month that contain a time. They are in milliseconds since the Unix epoch, UTC.
pub(crate) fn period_starts(zone: &TimeZone, at: i64) -> [i64; 3] {
    let day = day_of(zone, at);
    Period::ALL.map(|period| day_start(zone, first_day(period, day)).unwrap_or(i64::MIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_begin_at_local_midnight() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let at = |text: &str| text.parse::<Timestamp>().unwrap().as_millisecond();
        // Wednesday, 1 April 2026, a quarter past midnight in Berlin.
        let starts = period_starts(&zone, at("2026-03-31T22:15:00Z"));
        assert_eq!(
            starts,
            [
                at("2026-03-31T22:00:00Z"),
                at("2026-03-29T22:00:00Z"),
                at("2026-03-31T22:00:00Z"),
            ]
        );
        // The week began on Monday, 23 March, before daylight saving time began.
        let starts = period_starts(&zone, at("2026-03-29T12:00:00Z"));
        assert_eq!(starts[1], at("2026-03-22T23:00:00Z"));
    }

    #[test]
    fn the_next_period_begins_after_the_present_one() {
        let day: Date = "2026-12-31".parse().unwrap();
        let next = Period::ALL.map(|period| next_first_day(period, day).to_string());
        assert_eq!(next, ["2027-01-01", "2027-01-04", "2027-01-01"]);
    }
}
