//! Dates and times: parsing, formatting, arithmetic, and time zones.
//!
//! Reference: Microsoft, "Custom date and time format strings" and "Standard date and time format strings", in the culture
//! `en-US`.

use jiff::{
    SignedDuration, Span,
    civil::{Date, DateTime, Time},
    tz::{Offset, TimeZone},
};

use crate::zones::zone;

/// A date with a time of day, as in .NET: in UTC, or without a zone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moment {
    pub(crate) at: DateTime,
    pub(crate) utc: bool,
}

/// The default format of date functions, as in `2018-03-15T00:00:00.0000000Z`.
pub(crate) const ROUND_TRIP: &str = "o";

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
/// The maximum length of a date format, in characters.
const MAX_FORMAT: usize = 1_000;

/// A token in the text of a date.
#[derive(Debug, Clone, PartialEq)]
enum Token<'t> {
    Number(&'t str),
    Word(&'t str),
    Sign(char),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = |holds: fn(char) -> bool| rest.find(|c| !holds(c)).unwrap_or(rest.len());
        let length = if c.is_ascii_digit() {
            let length = end(|c| c.is_ascii_digit());
            found.push(Token::Number(&rest[..length]));
            length
        } else if c.is_alphabetic() {
            let length = end(char::is_alphabetic);
            found.push(Token::Word(&rest[..length]));
            length
        } else {
            if !c.is_whitespace() {
                found.push(Token::Sign(c));
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

fn number(text: &str) -> Option<i16> {
    text.parse().ok()
}

fn month(word: &str) -> Option<i8> {
    let at = MONTHS.iter().position(|month| {
        word.eq_ignore_ascii_case(month) || word.eq_ignore_ascii_case(&month[..3])
    })?;
    i8::try_from(at + 1).ok()
}

fn is_day(word: &str) -> bool {
    DAYS.iter()
        .any(|day| word.eq_ignore_ascii_case(day) || word.eq_ignore_ascii_case(&day[..3]))
}

/// Returns the fraction of a second in nanoseconds, truncated to 100 ns, the resolution of .NET. Returns `None` if `digits` is
/// not a number.
fn fraction(digits: &str) -> Option<i32> {
    let digits: String = digits.chars().chain("0000000".chars()).take(7).collect();
    Some(digits.parse::<i32>().ok()? * 100)
}

/// Parses a date in a common form: ISO 8601, `3/15/2018 1:00 PM`, `Thu, 15 Mar 2018 13:00:00 GMT`, `March 15, 2018`. If
/// there is an offset, it is applied and the result is in UTC. With `day_first`, the day precedes the month: `15/3/2018`.
/// Returns `None` for any other text, and for text of more than 100 bytes.
pub(crate) fn parse(text: &str, day_first: bool) -> Option<Moment> {
    if text.len() > 100 {
        return None;
    }
    let tokens = tokens(text.trim());
    let (mut numbers, mut named_month) = (Vec::new(), None);
    let mut time: Option<(i8, i8, i8, i32)> = None;
    let (mut noon, mut offset) = (None, None);
    let mut at = 0;
    let get = |at: usize| tokens.get(at);
    while let Some(token) = get(at) {
        at += 1;
        match token {
            Token::Number(hour) if get(at) == Some(&Token::Sign(':')) && time.is_none() => {
                let Some(Token::Number(minute)) = get(at + 1) else {
                    return None;
                };
                at += 2;
                let (mut second, mut nanos) = ("0", 0);
                if let (Some(Token::Sign(':')), Some(Token::Number(seconds))) =
                    (get(at), get(at + 1))
                {
                    second = seconds;
                    at += 2;
                    if let (Some(Token::Sign('.' | ',')), Some(Token::Number(digits))) =
                        (get(at), get(at + 1))
                    {
                        nanos = fraction(digits)?;
                        at += 2;
                    }
                }
                time = Some((
                    hour.parse().ok()?,
                    minute.parse().ok()?,
                    second.parse().ok()?,
                    nanos,
                ));
            }
            Token::Number(digits) => numbers.push(*digits),
            Token::Word(word)
                if noon.is_none() && time.is_some() && word.eq_ignore_ascii_case("am") =>
            {
                noon = Some(false);
            }
            Token::Word(word)
                if noon.is_none() && time.is_some() && word.eq_ignore_ascii_case("pm") =>
            {
                noon = Some(true);
            }
            Token::Word(word)
                if offset.is_none()
                    && ["z", "gmt", "utc"].contains(&word.to_ascii_lowercase().as_str()) =>
            {
                offset = Some(0);
            }
            Token::Word(word) if word.eq_ignore_ascii_case("t") && time.is_none() => {}
            Token::Word(word) if is_day(word) => {}
            Token::Word(word) => {
                named_month = Some(month(word).filter(|_| named_month.is_none())?);
            }
            Token::Sign(sign @ ('+' | '-')) if time.is_some() && offset.is_none() => {
                let Some(Token::Number(hours)) = get(at) else {
                    return None;
                };
                at += 1;
                let (hours, minutes) = match (get(at), get(at + 1)) {
                    (Some(Token::Sign(':')), Some(Token::Number(minutes))) => {
                        at += 2;
                        (*hours, *minutes)
                    }
                    _ if hours.len() == 4 => hours.split_at(2),
                    _ => (*hours, "0"),
                };
                let minutes = i32::from(number(hours)?) * 60 + i32::from(number(minutes)?);
                offset = Some(if *sign == '-' { -minutes } else { minutes });
            }
            Token::Sign('/' | '-' | '.' | ',') => {}
            Token::Sign(_) => return None,
        }
    }
    let (year, month, day) = match (named_month, numbers.as_slice()) {
        (Some(month), [one]) if one.len() == 4 => (year(one)?, month, 1),
        (Some(month), [one, other]) if one.len() == 4 => (year(one)?, month, other.parse().ok()?),
        (Some(month), [one, other]) => (year(other)?, month, one.parse().ok()?),
        (None, [one, other]) if one.len() == 4 => (year(one)?, other.parse().ok()?, 1),
        (None, [one, two, three]) if one.len() == 4 => {
            (year(one)?, two.parse().ok()?, three.parse().ok()?)
        }
        (None, [one, two, three]) if day_first => {
            (year(three)?, two.parse().ok()?, one.parse().ok()?)
        }
        (None, [one, two, three]) => (year(three)?, one.parse().ok()?, two.parse().ok()?),
        _ => return None,
    };
    let (mut hour, minute, second, nanos) = time.unwrap_or_default();
    if let Some(afternoon) = noon {
        if !(1..=12).contains(&hour) {
            return None;
        }
        hour = hour % 12 + if afternoon { 12 } else { 0 };
    }
    moment(
        Date::new(year, month, day).ok()?,
        hour,
        minute,
        second,
        nanos,
        offset,
    )
}

fn moment(
    date: Date,
    hour: i8,
    minute: i8,
    second: i8,
    nanos: i32,
    offset_minutes: Option<i32>,
) -> Option<Moment> {
    let at = date.to_datetime(Time::new(hour, minute, second, nanos).ok()?);
    let Some(minutes) = offset_minutes else {
        return Some(Moment { at, utc: false });
    };
    if minutes.abs() > 14 * 60 {
        return None;
    }
    let at = at
        .checked_sub(SignedDuration::from_mins(minutes.into()))
        .ok()?;
    Some(Moment { at, utc: true })
}

fn year(digits: &str) -> Option<i16> {
    let year = number(digits).filter(|year| (1..=9999).contains(year) || digits.len() <= 2)?;
    Some(match (digits.len(), year) {
        (1 | 2, 0..50) => year + 2000,
        (1 | 2, _) => year + 1900,
        _ => year,
    })
}

/// Returns the custom format for a standard format letter, or `None` for an unknown letter.
fn standard(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "M/d/yyyy",
        'D' => "dddd, MMMM d, yyyy",
        'f' => "dddd, MMMM d, yyyy h:mm tt",
        'F' | 'U' => "dddd, MMMM d, yyyy h:mm:ss tt",
        'g' => "M/d/yyyy h:mm tt",
        'G' => "M/d/yyyy h:mm:ss tt",
        'm' | 'M' => "MMMM d",
        'o' | 'O' => "yyyy-MM-ddTHH:mm:ss.fffffffK",
        'r' | 'R' => "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
        's' => "yyyy-MM-ddTHH:mm:ss",
        't' => "h:mm tt",
        'T' => "h:mm:ss tt",
        'u' => "yyyy-MM-dd HH:mm:ss'Z'",
        'y' | 'Y' => "MMMM yyyy",
        _ => return None,
    })
}

/// A part of a custom format: a letter with its repeat count, or literal text.
enum Piece {
    Field(char, usize),
    Text(String),
}

fn pieces(pattern: &str) -> Result<Vec<Piece>, String> {
    let unknown = || format!("'{pattern}' is not a supported date format");
    if pattern.len() > MAX_FORMAT {
        return Err(format!(
            "a date format may have at most {MAX_FORMAT} characters"
        ));
    }
    let mut letters = pattern.chars();
    let pattern_of = match (letters.next(), letters.next()) {
        (Some(letter), None) => standard(letter).ok_or_else(unknown)?,
        _ => pattern,
    };
    let mut pieces = Vec::new();
    let mut rest = pattern_of;
    while let Some(c) = rest.chars().next() {
        let length = rest.len() - rest.trim_start_matches(c).len();
        let taken = match c {
            'y' | 'M' | 'd' | 'H' | 'h' | 'm' | 's' | 'f' | 'F' | 't' | 'K' | 'z' | 'g' => {
                if matches!(c, 'f' | 'F') && length > 7 {
                    return Err(unknown());
                }
                pieces.push(Piece::Field(c, length));
                length
            }
            '\'' | '"' => {
                let inner = &rest[1..];
                let end = inner.find(c).ok_or_else(unknown)?;
                pieces.push(Piece::Text(inner[..end].to_owned()));
                end + 2
            }
            '\\' => {
                let escaped = rest[1..].chars().next().ok_or_else(unknown)?;
                pieces.push(Piece::Text(escaped.to_string()));
                1 + escaped.len_utf8()
            }
            // `%` marks a single letter as a custom format.
            '%' => 1,
            other => {
                pieces.push(Piece::Text(other.to_string()));
                other.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    Ok(pieces)
}

/// Returns whether the text that a date format produces depends on the culture: on its names of months, days, halves of the
/// day and eras, or on its order of parts.
pub(crate) fn depends_on_culture(pattern: &str) -> bool {
    let standard = pattern.chars().count() == 1 && !"oOsurR".contains(pattern);
    standard
        || pieces(pattern).is_ok_and(|pieces| {
            pieces.iter().any(|piece| {
                matches!(
                    piece,
                    Piece::Field('M' | 'd', 3..) | Piece::Field('t' | 'g', _)
                )
            })
        })
}

/// Formats a moment.
///
/// # Errors
/// Returns an error if the format is unknown or too long.
pub(crate) fn format(moment: &Moment, pattern: &str) -> Result<String, String> {
    let at = moment.at;
    let ticks = format!("{:07}", at.subsec_nanosecond() / 100);
    let weekday = DAYS[usize::try_from(day_of_week(moment)).unwrap_or_default() % 7];
    let name = MONTHS[usize::try_from(at.month() - 1).unwrap_or_default() % 12];
    let mut text = String::new();
    for piece in pieces(pattern)? {
        let (letter, count) = match piece {
            Piece::Text(literal) => {
                text.push_str(&literal);
                continue;
            }
            Piece::Field(letter, count) => (letter, count),
        };
        let two = |number: i8| {
            if count >= 2 {
                format!("{number:02}")
            } else {
                number.to_string()
            }
        };
        let written = match letter {
            'y' if count == 1 => (at.year() % 100).to_string(),
            'y' if count == 2 => format!("{:02}", at.year() % 100),
            'y' => format!("{:0count$}", at.year()),
            'M' if count >= 4 => name.to_owned(),
            'M' if count == 3 => name[..3].to_owned(),
            'M' => two(at.month()),
            'd' if count >= 4 => weekday.to_owned(),
            'd' if count == 3 => weekday[..3].to_owned(),
            'd' => two(at.day()),
            'H' => two(at.hour()),
            'h' => two((at.hour() + 11) % 12 + 1),
            'm' => two(at.minute()),
            's' => two(at.second()),
            'f' => ticks[..count].to_owned(),
            'F' => {
                let digits = ticks[..count].trim_end_matches('0');
                if digits.is_empty() && text.ends_with('.') {
                    text.pop();
                }
                digits.to_owned()
            }
            't' => {
                let half = if at.hour() < 12 { "AM" } else { "PM" };
                half[..count.min(2)].to_owned()
            }
            'K' => if moment.utc { "Z" } else { "" }.to_owned(),
            'z' => ["+0", "+00", "+00:00"][count.min(3) - 1].to_owned(),
            'g' => "A.D.".to_owned(),
            other => other.to_string(),
        };
        text.push_str(&written);
    }
    Ok(text)
}

/// Parses `text` in exactly this format. Returns `None` if the text does not match it.
pub(crate) fn parse_exact(text: &str, pattern: &str) -> Option<Moment> {
    let (mut year_of, mut month_of, mut day) = (None, 1i8, 1i8);
    let (mut hour, mut minute, mut second, mut nanos) = (0i8, 0i8, 0i8, 0);
    let (mut noon, mut offset) = (None, None);
    let mut rest = text.trim();
    for piece in pieces(pattern).ok()? {
        let (letter, count) = match piece {
            Piece::Text(literal) => {
                rest = rest.strip_prefix(literal.as_str())?;
                continue;
            }
            Piece::Field(letter, count) => (letter, count),
        };
        let word = |rest: &str| {
            rest.find(|c: char| !c.is_alphabetic())
                .unwrap_or(rest.len())
        };
        let most = match (letter, count) {
            ('y', 3..) => 4,
            ('f' | 'F', count) => count,
            _ => 2,
        };
        let digits = rest
            .bytes()
            .take(most)
            .take_while(u8::is_ascii_digit)
            .count();
        let least = match letter {
            'F' | 't' | 'K' | 'z' | 'g' => 0,
            'M' | 'd' if count > 2 => 0,
            _ => count.min(most),
        };
        if digits < least {
            return None;
        }
        let two = || rest[..digits].parse::<i8>().ok();
        let taken = match letter {
            'M' | 'd' if count > 2 => {
                let end = word(rest);
                if letter == 'M' {
                    month_of = month(&rest[..end])?;
                } else if !is_day(&rest[..end]) {
                    return None;
                }
                end
            }
            'y' => {
                year_of = Some(year(&rest[..digits])?);
                digits
            }
            'M' => {
                month_of = two()?;
                digits
            }
            'd' => {
                day = two()?;
                digits
            }
            'H' | 'h' => {
                hour = two()?;
                digits
            }
            'm' => {
                minute = two()?;
                digits
            }
            's' => {
                second = two()?;
                digits
            }
            'f' | 'F' => {
                nanos = fraction(&rest[..digits])?;
                digits
            }
            't' => {
                let end = word(rest).min(count.min(2));
                noon = Some(rest[..end].to_ascii_lowercase().starts_with('p'));
                end
            }
            'K' | 'z' => {
                if rest.starts_with('Z') && letter == 'K' {
                    offset = Some(0);
                    1
                } else if rest.starts_with(['+', '-']) {
                    let end = rest[1..]
                        .find(|c: char| !(c.is_ascii_digit() || c == ':'))
                        .map_or(rest.len(), |end| end + 1);
                    let (hours, minutes) =
                        rest[1..end].split_once(':').unwrap_or((&rest[1..end], "0"));
                    let minutes = i32::from(number(hours)?) * 60 + i32::from(number(minutes)?);
                    offset = Some(if rest.starts_with('-') {
                        -minutes
                    } else {
                        minutes
                    });
                    end
                } else if letter == 'K' {
                    0
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        rest = &rest[taken..];
    }
    if !rest.is_empty() {
        return None;
    }
    if let Some(afternoon) = noon {
        hour = hour % 12 + if afternoon { 12 } else { 0 };
    }
    moment(
        Date::new(year_of?, month_of, day).ok()?,
        hour,
        minute,
        second,
        nanos,
        offset,
    )
}

/// Returns the number of 100 ns intervals since 0001-01-01T00:00:00, or `None` if this number does not fit into 64 bits.
pub(crate) fn ticks(moment: &Moment) -> Option<i64> {
    let zero = Date::new(1, 1, 1).ok()?.to_datetime(Time::midnight());
    let since = moment.at.duration_since(zero);
    since
        .as_secs()
        .checked_mul(10_000_000)?
        .checked_add((since.subsec_nanos() / 100).into())
}

/// Returns the day of the week, where 0 is Sunday.
pub(crate) fn day_of_week(moment: &Moment) -> i64 {
    moment.at.weekday().to_sunday_zero_offset().into()
}

/// Returns the moment `count` units later, or `None` for an unknown unit or a date outside the calendar.
pub(crate) fn moved(moment: &Moment, count: i64, unit: &str) -> Option<Moment> {
    let unit = unit.trim().to_ascii_lowercase();
    let span = Span::new();
    let span = match unit.strip_suffix('s').unwrap_or(&unit) {
        "second" => span.try_seconds(count),
        "minute" => span.try_minutes(count),
        "hour" => span.try_hours(count),
        "day" => span.try_days(count),
        "week" => span.try_weeks(count),
        "month" => span.try_months(count),
        "year" => span.try_years(count),
        _ => return None,
    };
    let at = moment.at.checked_add(span.ok()?).ok()?;
    ((1..=9999).contains(&at.year())).then_some(Moment { at, ..*moment })
}

/// Formats the time between two moments like .NET, as in `1268.00:00:00`.
pub(crate) fn difference(from: &Moment, to: &Moment) -> String {
    let between = to.at.duration_since(from.at);
    let sign = if between.is_negative() { "-" } else { "" };
    let size = between.abs();
    let (seconds, ticks) = (size.as_secs(), size.subsec_nanos() / 100);
    let days = match seconds / 86_400 {
        0 => String::new(),
        days => format!("{days}."),
    };
    let part = match ticks {
        0 => String::new(),
        ticks => format!(".{ticks:07}"),
    };
    format!(
        "{sign}{days}{:02}:{:02}:{:02}{part}",
        seconds % 86_400 / 3600,
        seconds % 3600 / 60,
        seconds % 60
    )
}

/// Converts a time from one zone to another.
///
/// # Errors
/// Returns an error if a zone is unknown, or if the time is in UTC and `from` is another zone.
pub(crate) fn convert(moment: &Moment, from: &str, to: &str) -> Result<Moment, String> {
    let named = |name: &str| {
        zone(name).ok_or_else(|| {
            format!(
                "'{name}' is not a known time zone; write a Windows name such as 'Pacific Standard Time'"
            )
        })
    };
    let (source, target) = (named(from)?, named(to)?);
    if moment.utc && source != TimeZone::UTC {
        return Err(format!(
            "the time is in UTC, because it ends with Z or an offset, but its time zone is given as '{from}'"
        ));
    }
    // If a local time occurs twice, .NET takes the later one, which is in standard time.
    let instant = source
        .to_ambiguous_timestamp(moment.at)
        .later()
        .map_err(|_| "the time is outside the range of this time zone".to_owned())?;
    let utc = target == TimeZone::UTC;
    let at = if utc {
        Offset::UTC.to_datetime(instant)
    } else {
        target.to_datetime(instant)
    };
    Ok(Moment { at, utc })
}
