//! Date and time functions.

use super::function::Function;
use crate::{
    args::{Args, Result, shorten_text},
    date::{self, Moment, ROUND_TRIP},
    environment::Environment,
    value::Value,
};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("utcNow", 0..=1, |environment, args| {
        args.formatted(&now(environment, args)?, 0)
    })
    .reads("now"),
    Function::new("getFutureTime", 2..=3, |environment, args| {
        let now = now(environment, args)?;
        args.moved(&now, args.int(0)?, args.text(1)?, 2)
    })
    .reads("now"),
    Function::new("getPastTime", 2..=3, |environment, args| {
        let now = now(environment, args)?;
        args.moved(&now, args.int(0)?.saturating_neg(), args.text(1)?, 2)
    })
    .reads("now"),
    Function::new("formatDateTime", 1..=3, format),
    Function::new("parseDateTime", 1..=3, parse),
    Function::new("addDays", 2..=3, |_, args| add(args, "day")),
    Function::new("addHours", 2..=3, |_, args| add(args, "hour")),
    Function::new("addMinutes", 2..=3, |_, args| add(args, "minute")),
    Function::new("addSeconds", 2..=3, |_, args| add(args, "second")),
    Function::new("addToTime", 3..=4, |_, args| {
        args.moved(&args.moment(0)?, args.int(1)?, args.text(2)?, 3)
    }),
    Function::new("subtractFromTime", 3..=4, |_, args| {
        let count = args.int(1)?.saturating_neg();
        args.moved(&args.moment(0)?, count, args.text(2)?, 3)
    }),
    Function::new("startOfDay", 1..=2, |_, args| start_of(args, Unit::Day)),
    Function::new("startOfHour", 1..=2, |_, args| start_of(args, Unit::Hour)),
    Function::new("startOfMonth", 1..=2, |_, args| start_of(args, Unit::Month)),
    Function::new("dayOfWeek", 1..=1, |_, args| {
        Ok(Value::Int(date::day_of_week(&args.moment(0)?)))
    }),
    Function::new("dayOfMonth", 1..=1, |_, args| {
        Ok(Value::Int(args.moment(0)?.at.day().into()))
    }),
    Function::new("dayOfYear", 1..=1, |_, args| {
        Ok(Value::Int(args.moment(0)?.at.date().day_of_year().into()))
    }),
    Function::new("ticks", 1..=1, |_, args| {
        match date::ticks(&args.moment(0)?) {
            Some(ticks) => Ok(Value::Int(ticks)),
            None => args.fail("the date is outside the years 1 to 9999"),
        }
    }),
    Function::new("dateDifference", 2..=2, |_, args| {
        Ok(Value::Text(date::difference(
            &args.moment(0)?,
            &args.moment(1)?,
        )))
    }),
    Function::new("convertTimeZone", 3..=4, |_, args| {
        convert(args, args.text(1)?, args.text(2)?, 3)
    }),
    Function::new("convertFromUtc", 2..=3, |_, args| {
        convert(args, "UTC", args.text(1)?, 2)
    }),
    Function::new("convertToUtc", 2..=3, |_, args| {
        convert(args, args.text(1)?, "UTC", 2)
    }),
];

enum Unit {
    Hour,
    Day,
    Month,
}

fn now(environment: &Environment<'_>, args: &Args) -> Result<Moment> {
    let now = environment.now()?;
    match date::parse(now, false) {
        Some(now) => Ok(Moment { utc: true, ..now }),
        None => args.fail(format!(
            "the time of the run, '{}', is not a date",
            shorten_text(now)
        )),
    }
}

fn format(_: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let moment = args.moment(0)?;
    let locale = args.text_or(2, "en-us")?.to_ascii_lowercase();
    let pattern = args.text_or(1, ROUND_TRIP)?;
    if !(locale.is_empty() || locale == "en" || locale == "en-us")
        && date::depends_on_culture(pattern)
    {
        return args.fail(format!("month names and date order of the culture '{locale}' are not supported; use a numeric format"));
    }
    args.formatted(&moment, 1)
}

fn parse(_: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let locale = args.text_or(1, "en-us")?.to_ascii_lowercase();
    let parsed = match args.values.get(2) {
        None | Some(Value::Null) => date::parse(
            args.text(0)?,
            !(locale.is_empty() || locale.starts_with("en-us") || locale == "en"),
        ),
        Some(_) => date::parse_exact(args.text(0)?, args.text(2)?),
    };
    match parsed {
        Some(moment) => date::format(&moment, ROUND_TRIP)
            .map(Value::Text)
            .or_else(|why| args.fail(why)),
        None => args.fail(format!(
            "'{}' is not a date in a supported format",
            shorten_text(args.text(0)?)
        )),
    }
}

fn add(args: &Args, unit: &str) -> Result<Value> {
    args.moved(&args.moment(0)?, args.int(1)?, unit, 2)
}

fn start_of(args: &Args, unit: Unit) -> Result<Value> {
    let moment = args.moment(0)?;
    let with = match unit {
        Unit::Hour => moment.at.with().minute(0),
        Unit::Day => moment.at.with().hour(0).minute(0),
        Unit::Month => moment.at.with().day(1).hour(0).minute(0),
    };
    match with.second(0).subsec_nanosecond(0).build() {
        Ok(at) => args.formatted(&Moment { at, ..moment }, 1),
        Err(_) => args.fail("the date is outside the years 1 to 9999"),
    }
}

fn convert(args: &Args, from: &str, to: &str, format: usize) -> Result<Value> {
    match date::convert(&args.moment(0)?, from, to) {
        Ok(moment) => args.formatted(&moment, format),
        Err(why) => args.fail(why),
    }
}
