//! Reads messages in which agents say that a usage limit is reached, and when the limit resets.
//!
//! Claude Code writes a time of day with a zone, or seconds since 1970; Codex a time of day, a date or a duration; Gemini a
//! duration.

use jiff::{
    SignedDuration, Timestamp, ToSpan as _,
    civil::{Date, Time, Weekday},
    tz::TimeZone,
};
use loopwright_engine::duration::spoken;

/// Phrases that mean that a limit of the account is reached.
const LIMITS: [&str; 12] = [
    "usage limit",
    "hit your limit",
    "session limit",
    "weekly limit",
    "hour limit",
    "daily limit",
    "daily quota",
    "limit reached",
    "quota exceeded",
    "exceeded your current quota",
    "exhausted your capacity",
    "quota will reset",
];

/// Words that mark a limit that resets after a payment, not after some time.
const UNPAID: [&str; 4] = ["credit", "billing", "insufficient_quota", "payment"];

/// Words before a duration.
const BEFORE_DURATION: [&str; 7] = [
    "try again in ",
    "retry in ",
    "retry after ",
    "reset after ",
    "resets after ",
    "resets in ",
    "reset in ",
];

/// Words before a time of day or a date.
const BEFORE_TIME: [&str; 5] = [
    "try again at ",
    "resets at ",
    "reset at ",
    "resets ",
    "reset on ",
];

/// A time of day that passed less than this long ago refers to today, not to tomorrow.
const JUST_PASSED: SignedDuration = SignedDuration::from_mins(15);

/// A usage limit that has been reached, and when it resets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UsageLimit {
    /// The milliseconds until the limit resets, or `None` if the message names no time.
    pub(super) after_ms: Option<u64>,
}

/// Reads an agent's message that was received at the time `now`. A time of day without a zone is in the zone `here`. Returns
/// `None` if the message is not about a limit that resets after some time.
pub(super) fn usage_limit(words: &str, now: Timestamp, here: &TimeZone) -> Option<UsageLimit> {
    let lower = words.to_ascii_lowercase();
    if !LIMITS.iter().any(|limit| lower.contains(limit)) {
        return None;
    }
    let behind = |begins: &[&str]| -> Vec<usize> {
        let found = begins.iter().filter_map(|begin| {
            let at = lower.find(begin)?;
            Some(at + begin.len())
        });
        found.collect()
    };
    let after = seconds_since_1970(&lower)
        .map(|at| until(at, now))
        .or_else(|| {
            let durations = behind(&BEFORE_DURATION);
            durations
                .into_iter()
                .find_map(|at| spoken(lower.get(at..)?))
        })
        .or_else(|| {
            let times = behind(&BEFORE_TIME);
            let found = times
                .into_iter()
                .find_map(|at| time_in(words.get(at..)?, now, here));
            found.map(|at| until(at, now))
        });
    if after.is_none() && UNPAID.iter().any(|unpaid| lower.contains(unpaid)) {
        return None;
    }
    Some(UsageLimit { after_ms: after })
}

fn until(at: Timestamp, now: Timestamp) -> u64 {
    u64::try_from(at.duration_since(now).as_millis()).unwrap_or(0)
}

/// Reads the time in `limit reached|1718000000`, in seconds or milliseconds since the Unix epoch. Returns `None` if there is no
/// such time.
fn seconds_since_1970(lower: &str) -> Option<Timestamp> {
    let (_, behind) = lower.split_once('|')?;
    let digits: String = behind
        .trim_start()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    match digits.len() {
        10 => Timestamp::from_second(digits.parse().ok()?).ok(),
        13 => Timestamp::from_millisecond(digits.parse().ok()?).ok(),
        _ => None,
    }
}

/// The parts of a time that a message names.
#[derive(Default)]
struct Named {
    month: Option<i8>,
    day: Option<i8>,
    year: Option<i16>,
    weekday: Option<Weekday>,
    /// The hour and the minute as written, before `am` or `pm` is applied; `None` if the text names no time of day.
    time: Option<(i8, i8)>,
    zone: Option<TimeZone>,
}

/// Reads a time at the start of `text`, such as `3pm (Europe/Berlin)`, `2:14 PM`, `Oct 23rd, 2025 1:05 AM`, `Mon 9am` or
/// `15:00`. Returns `None` if `text` does not begin with a time.
fn time_in(text: &str, now: Timestamp, here: &TimeZone) -> Option<Timestamp> {
    let mut named = Named::default();
    for token in text.split([' ', ',', '\n', '\u{a0}', '\u{202f}']).take(12) {
        let word = token.trim_matches(['.', '(', ')', ';', ':', '·', '∙']);
        if !word.is_empty() && !named.take(word) {
            break;
        }
    }
    let zone = named.zone.clone().unwrap_or_else(|| here.clone());
    named.next(now, &zone)
}

impl Named {
    /// Reads one word of a time. Returns `false` if the word is not part of a time.
    fn take(&mut self, word: &str) -> bool {
        let lower = word.to_ascii_lowercase();
        if matches!(lower.as_str(), "at" | "on") {
            return true;
        }
        if let Some(month) = month(&lower) {
            self.month = Some(month);
            return true;
        }
        if let Some(weekday) = weekday(&lower) {
            self.weekday = Some(weekday);
            return true;
        }
        if word.contains('/') || lower == "utc" {
            self.zone = TimeZone::get(word).ok();
            return self.zone.is_some();
        }
        if matches!(lower.as_str(), "am" | "pm") {
            self.time = self.time.and_then(|time| of_half(time, lower == "pm"));
            return self.time.is_some();
        }
        let number = lower.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let ending = lower.get(number.len()..).unwrap_or_default();
        match (number.split_once(':'), ending) {
            (Some((hour, minute)), "" | "am" | "pm") => {
                let minute = minute.split(':').next().unwrap_or_default();
                self.time = hour.parse().ok().zip(minute.parse().ok());
                self.take_half(ending)
            }
            (None, "am" | "pm") => {
                self.time = number.parse().ok().map(|hour| (hour, 0));
                self.take_half(ending)
            }
            (None, "" | "st" | "nd" | "rd" | "th") => self.take_number(number),
            _ => false,
        }
    }

    fn take_half(&mut self, half: &str) -> bool {
        if !half.is_empty() {
            self.time = self.time.and_then(|time| of_half(time, half == "pm"));
        }
        self.time.is_some()
    }

    /// Reads a number without a colon: a day, a year, or an hour before `am` or `pm`. Returns `false` if the text is not a
    /// number.
    fn take_number(&mut self, number: &str) -> bool {
        if number.len() == 4 {
            self.year = number.parse().ok();
            return self.year.is_some();
        }
        let number: Option<i8> = number.parse().ok();
        if self.month.is_some() && self.day.is_none() {
            self.day = number;
        } else if self.time.is_none() {
            self.time = number.map(|hour| (hour, 0));
        }
        number.is_some()
    }

    /// Returns the first matching time that is not in the past; `None` if there is none.
    fn next(&self, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let today = now.to_zoned(zone.clone()).date();
        let (hour, minute) = match self.time {
            Some(time) => time,
            // A date without a time means the start of the day.
            None if self.day.is_some() => (0, 0),
            None => return None,
        };
        let time = Time::new(hour, minute, 0, 0).ok()?;
        let at = |date: Date| {
            Some(
                date.to_datetime(time)
                    .to_zoned(zone.clone())
                    .ok()?
                    .timestamp(),
            )
        };
        if let (Some(month), Some(day)) = (self.month, self.day) {
            let date = |year: i16| at(Date::new(year, month, day).ok()?);
            let year = self.year.unwrap_or_else(|| today.year());
            let first = date(year)?;
            let is_past = first.duration_since(now) < -JUST_PASSED;
            return match self.year {
                None if is_past => date(year.checked_add(1)?),
                _ => Some(first),
            };
        }
        let days = 0..=7_i64;
        days.filter_map(|days| today.checked_add(days.days()).ok())
            .filter(|date| self.weekday.is_none_or(|weekday| date.weekday() == weekday))
            .filter_map(at)
            .find(|at| at.duration_since(now) >= -JUST_PASSED)
    }
}

/// Converts a time on a twelve-hour clock to 24 hours; `None` if the hour is not from 1 to 12.
fn of_half((hour, minute): (i8, i8), is_afternoon: bool) -> Option<(i8, i8)> {
    match (hour, is_afternoon) {
        (12, false) => Some((0, minute)),
        (12, true) => Some((12, minute)),
        (1..=11, false) => Some((hour, minute)),
        (1..=11, true) => Some((hour + 12, minute)),
        _ => None,
    }
}

fn month(lower: &str) -> Option<i8> {
    let names = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let at = names.iter().position(|name| is_name(lower, name))?;
    i8::try_from(at + 1).ok()
}

fn weekday(lower: &str) -> Option<Weekday> {
    let names = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ];
    let found = names.iter().find(|(name, _)| is_name(lower, name));
    found.map(|(_, weekday)| *weekday)
}

/// Returns whether the word `lower` is `name`, or an abbreviation of it with at least three letters.
fn is_name(lower: &str, name: &str) -> bool {
    lower.len() >= 3 && name.starts_with(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-12-02T10:00:00Z";

    fn read(words: &str) -> Option<Option<u64>> {
        let here = TimeZone::fixed(jiff::tz::offset(1));
        let limit = usage_limit(words, NOW.parse().unwrap(), &here)?;
        Some(limit.after_ms.map(|millis| millis / 60_000))
    }

    #[test]
    fn the_time_of_a_limit_is_read_in_minutes() {
        for (words, minutes) in [
            // The time is one hour after now.
            ("Claude AI usage limit reached|1796209200", 60),
            ("Claude AI usage limit reached|1796209200000", 60),
            ("5-hour limit reached ∙ resets 3pm", 4 * 60),
            ("You've hit your limit · resets 12:30pm", 90),
            ("You've hit your session limit · resets 8pm (UTC)", 10 * 60),
            (
                "Claude usage limit reached. Your limit will reset at 9am.",
                22 * 60,
            ),
            ("Weekly limit reached ∙ resets Dec 4, 11am", 48 * 60),
            ("Weekly limit reached ∙ resets Thu 11:00", 24 * 60),
            (
                "You've hit your weekly limit · resets Jan 2, 2027 at 11am",
                31 * 24 * 60,
            ),
            // A reset a few minutes ago is in the past, not tomorrow.
            ("You've hit your limit · resets 10:50am", 0),
            (
                "You've hit your usage limit. Upgrade to Pro or try again in 3 days 4 hours 12 minutes.",
                3 * 24 * 60 + 4 * 60 + 12,
            ),
            (
                "You've hit your usage limit. Try again at 2:14 PM.",
                3 * 60 + 14,
            ),
            (
                "You've hit your usage limit. Visit the page or try again at Dec 3rd, 2026 1:05 AM.",
                14 * 60 + 5,
            ),
            ("Quota exceeded for the model. Please retry in 119.5s", 1),
            (
                "You have exhausted your capacity on this model. Your quota will reset after 3h20m.",
                200,
            ),
        ] {
            assert_eq!(read(words), Some(Some(minutes)), "{words}");
        }
    }

    #[test]
    fn a_zone_that_is_named_counts() {
        // The time is read with and without a time zone database.
        let zone = "You've hit your limit · resets 3pm (Asia/Tokyo)";
        let expected = match TimeZone::get("Asia/Tokyo") {
            Ok(_) => 20 * 60,
            Err(_) => 4 * 60,
        };
        assert_eq!(read(zone), Some(Some(expected)));
    }

    #[test]
    fn a_limit_without_a_time_is_one_and_other_failures_are_none() {
        assert_eq!(read("You have reached your daily quota limit."), Some(None));
        assert_eq!(read("You've hit your usage limit."), Some(None));
        for words in [
            "API Error: 529 overloaded",
            "Credit balance is too low",
            "Quota exceeded. Check your plan and billing details.",
            "The test resets at 3pm.",
            "",
        ] {
            assert_eq!(read(words), None, "{words}");
        }
    }
}
