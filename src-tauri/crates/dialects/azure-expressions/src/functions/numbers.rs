//! Arithmetic functions, and functions that parse a number.

use rust_decimal::prelude::ToPrimitive;

use super::function::{Function, MANY, flag};
use crate::{
    args::{Args, Result, shorten_text},
    culture::{DEFAULT, INVARIANT},
    environment::Environment,
    number,
    operators::{arithmetic, extreme, is_number, to_decimal},
    value::Value,
};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("add", 2..=2, |_, args| arithmetic(args)),
    Function::new("sub", 2..=2, |_, args| arithmetic(args)),
    Function::new("mul", 2..=2, |_, args| arithmetic(args)),
    Function::new("div", 2..=2, |_, args| arithmetic(args)),
    Function::new("mod", 2..=2, |_, args| arithmetic(args)),
    Function::new("min", 1..=MANY, |_, args| extreme(args)),
    Function::new("max", 1..=MANY, |_, args| extreme(args)),
    Function::new("rand", 2..=2, rand).reads("seed"),
    Function::new("int", 1..=1, int),
    Function::new("float", 1..=2, float),
    Function::new("decimal", 1..=1, decimal),
    Function::new("isInt", 1..=1, |_, args| {
        flag(args.text(0)?.trim().parse::<i64>().is_ok())
    })
    .boolean(),
    Function::new("isFloat", 1..=2, |_, args| {
        let culture = args.culture(1, INVARIANT)?;
        flag(number::float(args.text(0)?, &culture).is_some())
    })
    .boolean(),
];

fn rand(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let (least, most) = (args.int(0)?, args.int(1)?);
    let Some(width) = most.checked_sub(least).filter(|width| *width > 0) else {
        return args.fail("the second number must be greater than the first");
    };
    Ok(Value::Int(
        least + (environment.random()? % width.cast_unsigned()) as i64,
    ))
}

fn int(_: &Environment<'_>, args: &mut Args) -> Result<Value> {
    match &args.values[0] {
        Value::Int(int) => Ok(Value::Int(*int)),
        Value::Float(float) => Ok(Value::Int(number::truncated(*float))),
        Value::Decimal(decimal) => match decimal.trunc().to_i64() {
            Some(int) => Ok(Value::Int(int)),
            None => args.fail(format!("{decimal} does not fit into 64 bits")),
        },
        Value::Text(text) => match number::int(text) {
            Some(int) => Ok(Value::Int(int)),
            None => args.fail(format!("'{}' is not an integer", shorten_text(text))),
        },
        _ => args.takes(0, "a string or a number"),
    }
}

fn float(_: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let culture = args.culture(1, DEFAULT)?;
    match &args.values[0] {
        Value::Int(int) => Ok(Value::Float(*int as f64)),
        Value::Float(float) => Ok(Value::Float(*float)),
        Value::Decimal(decimal) => Ok(Value::Float(decimal.to_f64().unwrap_or(f64::NAN))),
        Value::Text(text) => match number::float(text, &culture) {
            Some(float) => Ok(Value::Float(float)),
            None => args.fail(format!("'{}' is not a number", shorten_text(text))),
        },
        _ => args.takes(0, "a string or a number"),
    }
}

fn decimal(_: &Environment<'_>, args: &mut Args) -> Result<Value> {
    match &args.values[0] {
        Value::Text(text) => match number::decimal(text, &DEFAULT) {
            Some(decimal) => Ok(Value::Decimal(decimal)),
            None => args.fail(format!("'{}' is not a decimal number", shorten_text(text))),
        },
        number if is_number(number) => match to_decimal(number) {
            Some(decimal) => Ok(Value::Decimal(decimal)),
            None => args.fail("the number does not fit into a decimal"),
        },
        _ => args.takes(0, "a string or a number"),
    }
}
