//! Conditions of If and Until actions: expressions, or objects such as `{"and": [{"equals": ["@variables('n')", 3]}]}`.

use serde_json::Value;

use crate::{
    ast::{Expr, Part, Reading},
    dialect::Dialect,
    parse::{Mistake, bare, read},
};

/// The maximum nesting depth of objects.
const MAX_DEPTH: usize = 32;

/// Converts a condition to one expression. A string may omit its `@`.
///
/// # Errors
/// Returns an error if the condition is empty or nested too deeply, if a string cannot be parsed, or if a value is not a
/// string, a boolean or an object of operators.
pub fn condition(condition: &Value, dialect: Dialect) -> Result<Expr, Mistake> {
    nested_condition(condition, dialect, 0)
}

fn nested_condition(condition: &Value, dialect: Dialect, depth: usize) -> Result<Expr, Mistake> {
    if depth > MAX_DEPTH {
        return Err(Mistake::new(format!(
            "The condition is nested more than {MAX_DEPTH} levels deep. Simplify it."
        )));
    }
    match condition {
        Value::Bool(flag) => Ok(Expr::Bool(*flag)),
        Value::String(text) if text.trim_start().starts_with('@') => {
            operand(&Value::from(text.trim()), dialect, depth)
        }
        Value::String(text) => bare(text.trim(), dialect),
        Value::Object(operators) => {
            let mut all = operators
                .iter()
                .map(|(name, given)| operator(name, given, dialect, depth + 1))
                .collect::<Result<Vec<_>, _>>()?;
            match all.len() {
                0 => Err(Mistake::new("The condition is empty.")),
                1 => Ok(all.remove(0)),
                _ => Ok(call("and", all)),
            }
        }
        other => Err(Mistake::new(format!("{other} is not a condition."))),
    }
}

fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::Call {
        name: name.to_owned(),
        args,
    }
}

fn operator(name: &str, given: &Value, dialect: Dialect, depth: usize) -> Result<Expr, Mistake> {
    let nested = matches!(name.to_ascii_lowercase().as_str(), "and" | "or" | "not");
    let read_one = |value: &Value| {
        if nested {
            nested_condition(value, dialect, depth)
        } else {
            operand(value, dialect, depth)
        }
    };
    let args = match given {
        Value::Array(items) => items.iter().map(read_one).collect::<Result<Vec<_>, _>>()?,
        one => vec![read_one(one)?],
    };
    // An empty `and` is true, an empty `or` is false.
    if nested && args.is_empty() {
        return Ok(Expr::Bool(name.eq_ignore_ascii_case("and")));
    }
    Ok(call(name, args))
}

fn operand(value: &Value, dialect: Dialect, depth: usize) -> Result<Expr, Mistake> {
    if depth > MAX_DEPTH {
        return Err(Mistake::new(format!(
            "The condition is nested more than {MAX_DEPTH} levels deep. Simplify it."
        )));
    }
    Ok(match value {
        Value::Null => Expr::Null,
        Value::Bool(flag) => Expr::Bool(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(int) => Expr::Int(int),
            None => Expr::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => match read(text, dialect)? {
            Reading::Literal(literal) => Expr::Text(literal),
            Reading::Value(expr) => expr,
            Reading::Mixed(parts) => {
                let args = parts.into_iter().map(|part| match part {
                    Part::Text(text) => Expr::Text(text),
                    Part::Value(expr) => expr,
                });
                call("concat", args.collect())
            }
        },
        Value::Array(items) => call(
            "createArray",
            items
                .iter()
                .map(|item| operand(item, dialect, depth + 1))
                .collect::<Result<_, _>>()?,
        ),
        Value::Object(_) => {
            return Err(Mistake::new(
                "An object cannot be used in a condition. Compare its fields.",
            ));
        }
    })
}
