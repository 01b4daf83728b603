//! The times of a schedule: minutes of the local day, on selected days.

use jiff::{
    ToSpan as _,
    civil::{Date, Weekday},
    tz::{AmbiguousOffset, TimeZone},
};
use loopwright_model::duration;
use serde::{Deserialize, Serialize};
use specta::Type;

use super::cron;
use crate::{
    error::{ApiError, Code},
    local_days::day_of,
};

/// The longest time between two days of a calendar, in days. There is no 29 February for eight years around 2100.
const MAX_DAYS: usize = 9 * 366;

/// The number of days before today for which missed times are counted.
const COUNTED_DAYS: i64 = 366;

/// The number of minutes in a day.
const DAY: u64 = 24 * 60;

/// The times of a schedule, as the user entered them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Times {
    /// Every day at this time: `02:00`.
    At(String),
    /// At multiples of this duration from midnight: `PT2H`. The duration divides a day.
    Every(String),
    /// Five fields of cron: `0 2 * * 1-5`.
    Cron(String),
}

/// Hours and minutes, as sets of numbers. Each selected minute of each selected hour is a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    pub hours: u64,
    pub minutes: u64,
}

impl Clock {
    /// Returns whether every hour is selected.
    pub fn is_any_hour(&self) -> bool {
        self.hours == numbers(0, 23)
    }

    /// Returns whether every minute is selected.
    pub fn is_any_minute(&self) -> bool {
        self.minutes == numbers(0, 59)
    }
}

/// Days, as sets of numbers. A day is selected if it matches all of these sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    pub months: u64,
    /// The days of a month.
    pub days: u64,
    /// 0 is Sunday.
    pub weekdays: u64,
}

/// Every day.
const EVERY_DAY: Days = Days {
    months: numbers(1, 12),
    days: numbers(1, 31),
    weekdays: numbers(0, 6),
};

/// The times of a schedule, in local time. If the clock skips a time on a day, the schedule does not have that time on that
/// day. If a time occurs twice, only the first occurrence counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calendar {
    /// The times of day: every hour and minute that matches at least one of these patterns.
    clocks: Vec<Clock>,
    /// The days: all days that match any of these.
    days: Vec<Days>,
}

/// Returns the set of the numbers from `first` to `last`.
const fn numbers(first: u32, last: u32) -> u64 {
    (1 << (last + 1)) - (1 << first)
}

/// Returns the numbers in a set, in order.
pub fn members(set: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |number| set >> number & 1 == 1)
}

fn has(set: u64, number: i8) -> bool {
    u32::try_from(number).is_ok_and(|number| set >> number & 1 == 1)
}

impl Days {
    /// Returns whether every weekday is selected.
    pub fn is_any_weekday(&self) -> bool {
        self.weekdays == EVERY_DAY.weekdays
    }

    /// Returns whether every day of a month is selected.
    pub fn is_any_day(&self) -> bool {
        self.days == EVERY_DAY.days
    }

    pub fn is_any_month(&self) -> bool {
        self.months == EVERY_DAY.months
    }

    fn has(&self, date: Date) -> bool {
        has(self.months, date.month())
            && has(self.days, date.day())
            && has(self.weekdays, date.weekday().since(Weekday::Sunday))
    }
}

impl Calendar {
    /// Converts the times of a schedule to a calendar.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the times are invalid. The message contains the reason and the remedy.
    pub fn of(times: &Times) -> Result<Self, ApiError> {
        let read = match times {
            Times::At(text) => at(text),
            Times::Every(text) => every(text),
            Times::Cron(text) => cron::read(text).map(|cron| Self {
                clocks: vec![Clock {
                    hours: cron.hours,
                    minutes: cron.minutes,
                }],
                days: days_of(&cron),
            }),
        };
        read.map_err(|why| ApiError::new(Code::InvalidArgument, why))
    }

    pub fn clocks(&self) -> &[Clock] {
        &self.clocks
    }

    pub fn days(&self) -> &[Days] {
        &self.days
    }

    /// Returns the times of one day, in order, in milliseconds since the Unix epoch, UTC. A time that the change to summer
    /// time leaves out does not exist on that day: systemd's timers skip it too.
    fn on(&self, zone: &TimeZone, date: Date) -> Vec<i64> {
        if !self.days.iter().any(|days| days.has(date)) {
            return Vec::new();
        }
        let mut times = Vec::new();
        for clock in &self.clocks {
            for hour in (0..24).filter(|hour| has(clock.hours, *hour)) {
                for minute in (0..60).filter(|minute| has(clock.minutes, *minute)) {
                    let local = zone.to_ambiguous_zoned(date.at(hour, minute, 0, 0));
                    if matches!(local.offset(), AmbiguousOffset::Gap { .. }) {
                        continue;
                    }
                    let local = local.compatible();
                    times.extend(local.map(|local| local.timestamp().as_millisecond()));
                }
            }
        }
        times.sort_unstable();
        times.dedup();
        times
    }

    /// Returns the first time after `at`, or `None` if there is none. Both times are in milliseconds since the Unix epoch, UTC.
    pub fn next_after(&self, zone: &TimeZone, at: i64) -> Option<i64> {
        // The day before is included, in case the clock changes around midnight.
        let first = day_of(zone, at).saturating_sub(1.day());
        let days = first.series(1.day()).take(MAX_DAYS);
        days.flat_map(|date| self.on(zone, date))
            .find(|time| *time > at)
    }

    /// Returns the times after `after` and up to `until`, in order. Times more than a year before `until` are left out. All
    /// are in milliseconds since the Unix epoch, UTC.
    pub fn between(&self, zone: &TimeZone, after: i64, until: i64) -> Vec<i64> {
        let last = day_of(zone, until);
        let first = day_of(zone, after).saturating_sub(1.day());
        let first = first.max(last.saturating_sub(COUNTED_DAYS.days()));
        let days = first.series(1.day()).take_while(|date| *date <= last);
        let mut times: Vec<i64> = days
            .flat_map(|date| self.on(zone, date))
            .filter(|time| *time > after && *time <= until)
            .collect();
        times.sort_unstable();
        times
    }
}

fn days_of(cron: &cron::Cron) -> Vec<Days> {
    let both = Days {
        months: cron.months,
        days: cron.days,
        weekdays: cron.weekdays,
    };
    if !cron.either {
        return vec![both];
    }
    vec![
        Days {
            weekdays: EVERY_DAY.weekdays,
            ..both
        },
        Days {
            days: EVERY_DAY.days,
            ..both
        },
    ]
}

/// Reads a time of day.
fn at(text: &str) -> Result<Calendar, String> {
    let number = |text: &str, most: u64| {
        let is_number =
            (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse::<u64>().ok();
        number.filter(|number| is_number && *number <= most)
    };
    let read = text
        .split_once(':')
        .and_then(|(hour, minute)| Some((number(hour, 23)?, number(minute, 59)?)));
    let (hour, minute) = read.ok_or_else(|| {
        format!("\"{text}\" is not a time of day. Write hours and minutes, such as 02:00 or 17:30.")
    })?;
    Ok(Calendar {
        clocks: vec![Clock {
            hours: 1 << hour,
            minutes: 1 << minute,
        }],
        days: vec![EVERY_DAY],
    })
}

/// Parses a duration that divides a day. Returns the calendar of its multiples from midnight, or the reason why the text is
/// invalid.
fn every(text: &str) -> Result<Calendar, String> {
    let millis = duration::millis(text)?;
    let minutes = millis / 60_000;
    if millis % 60_000 != 0 || minutes == 0 || minutes > DAY || !DAY.is_multiple_of(minutes) {
        return Err(format!(
            "\"{text}\" does not divide a day into equal parts of whole minutes, so its times would differ from day to day. Write a duration that does, such as PT1M, PT15M, PT2H, PT8H or P1D, or name the times with --cron."
        ));
    }
    // The hours of each minute.
    let mut by_minute = [0_u64; 60];
    let steps = usize::try_from(minutes).unwrap_or(usize::MAX);
    for time in (0..DAY).step_by(steps) {
        let minute = usize::try_from(time % 60).unwrap_or(0);
        if let Some(hours) = by_minute.get_mut(minute) {
            *hours |= 1 << (time / 60);
        }
    }
    let mut clocks: Vec<Clock> = Vec::new();
    for (minute, hours) in (0_u32..).zip(by_minute) {
        if hours == 0 {
            continue;
        }
        // Minutes with the same hours share one clock.
        match clocks.iter_mut().find(|clock| clock.hours == hours) {
            Some(clock) => clock.minutes |= 1 << minute,
            None => clocks.push(Clock {
                hours,
                minutes: 1 << minute,
            }),
        }
    }
    Ok(Calendar {
        clocks,
        days: vec![EVERY_DAY],
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn ms(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    fn next(times: Times, zone: &TimeZone, at: &str, count: usize) -> Vec<String> {
        let calendar = Calendar::of(&times).unwrap();
        let mut at = ms(at);
        let mut found = Vec::new();
        for _ in 0..count {
            at = calendar.next_after(zone, at).unwrap();
            found.push(Timestamp::from_millisecond(at).unwrap().to_string());
        }
        found
    }

    #[test]
    fn the_next_times_are_local() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let daily = || Times::At("02:00".to_owned());
        assert_eq!(
            next(daily(), &berlin, "2026-01-10T01:00:00Z", 2),
            ["2026-01-11T01:00:00Z", "2026-01-12T01:00:00Z"]
        );
        // On 29 March the clock skips from 02:00 to 03:00; on 25 October the hour from 02:00 occurs twice.
        assert_eq!(
            next(daily(), &berlin, "2026-03-28T00:00:00Z", 2),
            ["2026-03-28T01:00:00Z", "2026-03-30T00:00:00Z"]
        );
        assert_eq!(
            next(daily(), &berlin, "2026-10-24T00:00:00Z", 2),
            ["2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z"]
        );
    }

    #[test]
    fn cron_finds_its_days() {
        let of = |cron: &str, count| {
            let times = Times::Cron(cron.to_owned());
            next(times, &TimeZone::UTC, "2026-01-30T12:00:00Z", count)
        };
        // 30 January 2026 is a Friday.
        assert_eq!(
            of("0 2 * * 1-5", 2),
            ["2026-02-02T02:00:00Z", "2026-02-03T02:00:00Z"]
        );
        assert_eq!(
            of("0 2 3 * 1", 3),
            [
                "2026-02-02T02:00:00Z",
                "2026-02-03T02:00:00Z",
                "2026-02-09T02:00:00Z"
            ]
        );
        assert_eq!(of("30 4 29 2 *", 1), ["2028-02-29T04:30:00Z"]);
    }

    #[test]
    fn intervals_divide_a_day() {
        let of = |every: &str, count| {
            let times = Times::Every(every.to_owned());
            next(times, &TimeZone::UTC, "2026-01-30T22:59:00Z", count)
        };
        assert_eq!(
            of("PT90M", 3),
            [
                "2026-01-31T00:00:00Z",
                "2026-01-31T01:30:00Z",
                "2026-01-31T03:00:00Z"
            ]
        );
        assert_eq!(of("PT1M", 1), ["2026-01-30T23:00:00Z"]);
        assert_eq!(of("P1D", 1), ["2026-01-31T00:00:00Z"]);
        // For every divisor of a day, there are as many times as intervals in a day.
        for minutes in (1..=DAY).filter(|minutes| DAY.is_multiple_of(*minutes)) {
            let calendar = Calendar::of(&Times::Every(format!("PT{minutes}M"))).unwrap();
            let day = calendar.between(
                &TimeZone::UTC,
                ms("2026-01-30T23:59:00Z"),
                ms("2026-01-31T23:59:00Z"),
            );
            assert_eq!(day.len() as u64, DAY / minutes);
        }
    }

    #[test]
    fn wrong_times_are_refused_with_a_remedy() {
        for times in [
            Times::At("2".to_owned()),
            Times::At("24:00".to_owned()),
            Times::At("02:60".to_owned()),
            Times::At("2:00 pm".to_owned()),
            Times::At("+2:00".to_owned()),
            Times::At(String::new()),
        ] {
            let error = Calendar::of(&times).unwrap_err();
            assert!(error.message.contains("17:30"), "{error}");
        }
        for (text, words) in [
            ("PT30S", "--cron"),
            ("PT7H", "--cron"),
            ("P2D", "--cron"),
            ("PT90S", "--cron"),
            ("PT0S", "--cron"),
            ("2h", "ISO 8601"),
            ("-PT1H", "ISO 8601"),
            ("P1M", "fixed length"),
        ] {
            let error = Calendar::of(&Times::Every(text.to_owned())).unwrap_err();
            assert!(error.message.contains(words), "{text}: {error}");
        }
    }
}
