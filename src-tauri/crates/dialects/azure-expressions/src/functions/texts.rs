//! String functions.

use super::function::{Function, MANY, counted, flag, text};
use crate::{
    args::{Args, Result},
    culture::DEFAULT,
    environment::Environment,
    number,
    operators::is_number,
    strings,
    value::Value,
};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("concat", 1..=MANY, concat),
    Function::new("toLower", 1..=1, |environment, args| {
        text(environment, strings::lower(args.text(0)?))
    }),
    Function::new("toUpper", 1..=1, |environment, args| {
        text(environment, strings::upper(args.text(0)?))
    }),
    Function::new("trim", 1..=1, |environment, args| {
        text(environment, args.text(0)?.trim().to_owned())
    }),
    Function::new("substring", 2..=3, substring),
    Function::new("slice", 2..=3, slice),
    Function::new("replace", 3..=3, replace),
    Function::new("split", 2..=2, split),
    Function::new("startsWith", 2..=2, |_, args| {
        flag(strings::starts_with(args.text(0)?, args.text(1)?))
    })
    .boolean(),
    Function::new("endsWith", 2..=2, |_, args| {
        flag(strings::ends_with(args.text(0)?, args.text(1)?))
    })
    .boolean(),
    Function::new("indexOf", 2..=2, |environment, args| {
        index_of(environment, args, true)
    }),
    Function::new("lastIndexOf", 2..=2, |environment, args| {
        index_of(environment, args, false)
    }),
    Function::new("nthIndexOf", 3..=3, nth_index_of),
    Function::new("formatNumber", 2..=3, format_number),
    Function::new("guid", 0..=1, guid).reads("seed"),
];

fn concat(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let mut joined = String::new();
    for value in &args.values {
        joined.push_str(&environment.to_text(value)?);
    }
    Ok(Value::Text(joined))
}

fn substring(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let (whole, length) = (args.text(0)?, strings::length(args.text(0)?));
    let start = args.int(1)?;
    let count = if args.len() > 2 {
        args.int(2)?
    } else {
        (length as i64).saturating_sub(start)
    };
    match (usize::try_from(start), usize::try_from(count)) {
        (Ok(start), Ok(count)) if start.checked_add(count).is_some_and(|end| end <= length) => {
            text(environment, strings::cut(whole, start..start + count))
        }
        _ => args.fail(format!(
            "{count} characters from position {start} are outside the text, whose length is {length}"
        )),
    }
}

fn slice(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let (whole, length) = (args.text(0)?, strings::length(args.text(0)?) as i64);
    let place = |at: i64| {
        if at < 0 {
            at.saturating_add(length)
        } else {
            at
        }
        .clamp(0, length)
    };
    let start = place(args.int(1)?);
    let end = if args.len() > 2 {
        place(args.int(2)?)
    } else {
        length
    };
    let part = if start < end {
        strings::cut(whole, start as usize..end as usize)
    } else {
        String::new()
    };
    text(environment, part)
}

fn replace(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let (whole, old, new) = (args.text(0)?, args.text(1)?, args.text(2)?);
    if old.is_empty() {
        return args.fail("the text to look for is empty");
    }
    let found = whole.matches(old).count();
    environment
        .budget
        .bytes((whole.len() + found.saturating_mul(new.len())).saturating_sub(found * old.len()))?;
    Ok(Value::Text(whole.replace(old, new)))
}

fn split(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let (whole, separator) = (args.text(0)?, args.text(1)?);
    let parts: Vec<Value> = if separator.is_empty() {
        vec![Value::text(whole)]
    } else {
        whole.split(separator).map(Value::text).collect()
    };
    counted(environment, Value::Array(parts))
}

/// Returns the first or the last position at which the second argument occurs in the first one, ignoring case, in UTF-16 units
/// from 0. Returns -1 if the second argument does not occur.
fn index_of(environment: &Environment<'_>, args: &Args, first: bool) -> Result<Value> {
    let (whole, part) = (args.text(0)?, args.text(1)?);
    environment.budget.bytes(whole.len().saturating_mul(8))?;
    Ok(Value::Int(match (whole.is_empty(), part.is_empty()) {
        (true, true) => 0,
        (true, false) => -1,
        (false, true) if first => 0,
        (false, true) => strings::length(whole) as i64 - 1,
        (false, false) => {
            let places = strings::places(whole, part);
            let place = if first { places.first() } else { places.last() };
            place.map_or(-1, |place| *place as i64)
        }
    }))
}

fn nth_index_of(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    environment
        .budget
        .bytes(args.text(0)?.len().saturating_mul(8))?;
    let places = strings::places(args.text(0)?, args.text(1)?);
    let ordinal = args.int(2)?;
    let at = if ordinal < 0 {
        ordinal.saturating_add(places.len() as i64)
    } else {
        ordinal - 1
    };
    let place = usize::try_from(at).ok().and_then(|at| places.get(at));
    Ok(Value::Int(place.map_or(-1, |place| *place as i64)))
}

fn format_number(_: &Environment<'_>, args: &mut Args) -> Result<Value> {
    if !is_number(&args.values[0]) {
        return args.takes(0, "a number");
    }
    let culture = args.culture(2, DEFAULT)?;
    number::format(&args.values[0], args.text(1)?, &culture)
        .map(Value::Text)
        .or_else(|why| args.fail(why))
}

fn guid(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let (high, low) = (environment.random()?, environment.random()?);
    let high = high & !0xF000 | 0x4000;
    let low = low & !(0xC000 << 48) | (0x8000 << 48);
    let digits = format!("{high:016x}{low:016x}");
    let dashed = [
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        &digits[16..20],
        &digits[20..],
    ]
    .join("-");
    Ok(Value::Text(match args.text_or(0, "D")? {
        "" | "D" | "d" => dashed,
        "N" | "n" => digits,
        "B" | "b" => format!("{{{dashed}}}"),
        "P" | "p" => format!("({dashed})"),
        other => {
            return args.fail(format!(
                "'{other}' is not a GUID format; the formats are N, D, B and P"
            ));
        }
    }))
}
