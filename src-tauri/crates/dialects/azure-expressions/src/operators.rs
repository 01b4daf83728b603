//! Equality, ordering and arithmetic of values.

use std::cmp::Ordering;

use rust_decimal::{Decimal, prelude::ToPrimitive};

use crate::{
    args::{Args, Result},
    environment::Environment,
    number,
    value::{Value, position},
};

pub(crate) fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_) | Value::Decimal(_))
}

pub(crate) fn to_decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Int(int) => Some(Decimal::from(*int)),
        Value::Float(float) => number::to_decimal(*float),
        Value::Decimal(decimal) => Some(*decimal),
        _ => None,
    }
}

fn to_float(value: &Value) -> f64 {
    match value {
        Value::Int(int) => *int as f64,
        Value::Float(float) => *float,
        Value::Decimal(decimal) => decimal.to_f64().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

/// Compares two numbers. Returns `None` if either is NaN.
fn ordered(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => Some(one.cmp(other)),
        (Value::Int(_) | Value::Decimal(_), Value::Int(_) | Value::Decimal(_)) => {
            Some(to_decimal(one)?.cmp(&to_decimal(other)?))
        }
        _ => to_float(one).partial_cmp(&to_float(other)),
    }
}

/// Compares two numbers like [`ordered`], but by a total order, as sorting requires. NaN is last. Among numbers that equal the
/// same float, floats come first.
fn in_order(one: &Value, other: &Value) -> Ordering {
    // Maps -0 to 0 and removes the sign of NaN.
    let place = |value: &Value| match to_float(value) {
        float if float.is_nan() => f64::NAN,
        float => float + 0.0,
    };
    let is_exact = |value: &Value| !matches!(value, Value::Float(_));
    place(one)
        .total_cmp(&place(other))
        .then_with(|| is_exact(one).cmp(&is_exact(other)))
        .then_with(|| ordered(one, other).unwrap_or(Ordering::Equal))
}

/// Returns whether two values are equal. Numbers compare by value, true equals 1, and false equals 0. Fails if the comparison
/// exceeds the budget.
pub(crate) fn equals(environment: &Environment<'_>, one: &Value, other: &Value) -> Result<bool> {
    environment.budget.step(1)?;
    Ok(match (one, other) {
        (Value::Text(one), Value::Text(other)) => {
            environment.budget.step(one.len() as u64 / 64)?;
            one == other
        }
        (Value::Bool(flag), number) | (number, Value::Bool(flag)) if is_number(number) => {
            ordered(number, &Value::Int(i64::from(*flag))) == Some(Ordering::Equal)
        }
        (one, other) if is_number(one) && is_number(other) => {
            ordered(one, other) == Some(Ordering::Equal)
        }
        (Value::Array(one), Value::Array(other)) => {
            if one.len() != other.len() {
                return Ok(false);
            }
            for (one, other) in one.iter().zip(other) {
                if !equals(environment, one, other)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Object(one), Value::Object(other)) => {
            if one.len() != other.len() {
                return Ok(false);
            }
            for (at, (name, value)) in one.iter().enumerate() {
                environment.budget.step(other.len() as u64)?;
                // Equal objects usually have their fields in the same order.
                let same = match other.get(at) {
                    Some((other_name, same)) if other_name == name => Some(same),
                    _ => position(other, name).map(|at| &other[at].1),
                };
                match same {
                    Some(same) if equals(environment, value, same)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (one, other) => one == other,
    })
}

pub(crate) fn includes(
    environment: &Environment<'_>,
    items: &[Value],
    wanted: &Value,
) -> Result<bool> {
    for item in items {
        if equals(environment, item, wanted)? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(crate) fn compare(args: &Args) -> Result<Option<Ordering>> {
    match (&args.values[0], &args.values[1]) {
        (Value::Text(one), Value::Text(other)) => Ok(Some(one.cmp(other))),
        (one, other) if is_number(one) && is_number(other) => Ok(ordered(one, other)),
        (one, other) => args.fail(format!(
            "only two numbers or two strings can be compared, but these are {} and {}",
            one.kind(),
            other.kind()
        )),
    }
}

/// Computes an arithmetic operation. If either operand is a decimal, the result is a decimal; integers stay integers. An
/// overflow of 64 bits and a division by zero are errors.
pub(crate) fn arithmetic(args: &Args) -> Result<Value> {
    for at in 0..2 {
        if !is_number(&args.values[at]) {
            return args.takes(at, "a number");
        }
    }
    let (one, other) = (&args.values[0], &args.values[1]);
    if matches!(args.title, "div" | "mod") && to_float(other) == 0.0 {
        return args.fail("the divisor is zero");
    }
    let large = || args.fail("the result is too large");
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => {
            let result = match args.title {
                "add" => one.checked_add(*other),
                "sub" => one.checked_sub(*other),
                "mul" => one.checked_mul(*other),
                "div" => one.checked_div(*other),
                _ => one.checked_rem(*other),
            };
            result.map(Value::Int).map_or_else(large, Ok)
        }
        (Value::Decimal(_), _) | (_, Value::Decimal(_)) => {
            let (Some(one), Some(other)) = (to_decimal(one), to_decimal(other)) else {
                return large();
            };
            let result = match args.title {
                "add" => one.checked_add(other),
                "sub" => one.checked_sub(other),
                "mul" => one.checked_mul(other),
                "div" => one.checked_div(other),
                _ => one.checked_rem(other),
            };
            result.map(Value::Decimal).map_or_else(large, Ok)
        }
        _ => {
            let (one, other) = (to_float(one), to_float(other));
            Ok(Value::Float(match args.title {
                "add" => one + other,
                "sub" => one - other,
                "mul" => one * other,
                "div" => one / other,
                _ => one % other,
            }))
        }
    }
}

pub(crate) fn extreme(args: &mut Args) -> Result<Value> {
    let values = match args.values.as_slice() {
        [Value::Array(_)] => args.array(0)?,
        _ => std::mem::take(&mut args.values),
    };
    let mut best: Option<Value> = None;
    for value in values {
        if !is_number(&value) {
            return args.fail(format!(
                "every value must be a number, but one is {}",
                value.kind()
            ));
        }
        let wanted = if args.title == "min" {
            Ordering::Less
        } else {
            Ordering::Greater
        };
        let better = best
            .as_ref()
            .is_none_or(|best| ordered(&value, best) == Some(wanted));
        if better {
            best = Some(value);
        }
    }
    best.map_or_else(|| args.fail("at least one number is required"), Ok)
}

pub(crate) fn sort(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let mut items = args.array(0)?;
    let by = match args.values.get(1) {
        None | Some(Value::Null) => None,
        Some(_) => Some(args.text(1)?),
    };
    let steps = items.len() as u64 * u64::from(items.len().max(2).ilog2() + 1);
    environment.budget.step(steps * 4)?;
    let key = |item: &Value| match (by, item) {
        (None, item) => item.clone(),
        (Some(by), Value::Object(fields)) => {
            position(fields, by).map_or(Value::Null, |at| fields[at].1.clone())
        }
        (Some(_), _) => Value::Null,
    };
    let mut keyed: Vec<(Value, Value)> = items.drain(..).map(|item| (key(&item), item)).collect();
    let texts = keyed.iter().all(|(key, _)| matches!(key, Value::Text(_)));
    let numbers = keyed.iter().all(|(key, _)| is_number(key));
    if !texts && !numbers {
        return args.fail("the values to sort by must all be strings or all be numbers");
    }
    keyed.sort_by(|(one, _), (other, _)| match (one, other) {
        (Value::Text(one), Value::Text(other)) => one.cmp(other),
        (one, other) => in_order(one, other),
    });
    Ok(Value::Array(
        keyed.into_iter().map(|(_, item)| item).collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers have a total order. Without one, sorting panics or yields an arbitrary order.
    #[test]
    fn the_order_of_numbers_has_no_gaps() {
        let large = 9_007_199_254_740_992_i64;
        let all = [
            Value::Float(f64::NAN),
            Value::Float(f64::NEG_INFINITY),
            Value::Float(-0.0),
            Value::Float(large as f64),
            Value::Float(0.1),
            Value::Int(0),
            Value::Int(large),
            Value::Int(large + 1),
            Value::Decimal(Decimal::new(1, 1)),
            Value::Decimal(Decimal::from_i128_with_scale(
                10_000_000_000_000_000_001,
                20,
            )),
        ];
        for one in &all {
            assert_eq!(in_order(one, one), Ordering::Equal);
            for other in &all {
                assert_eq!(in_order(one, other), in_order(other, one).reverse());
                for third in &all {
                    if in_order(one, other).is_le() && in_order(other, third).is_le() {
                        assert!(in_order(one, third).is_le(), "{one:?} {other:?} {third:?}");
                    }
                }
            }
        }
    }
}
