//! Conditions that are written as objects: `{"and": [{"equals": [...]}]}`.

use super::{Expr, Mistake, Reading, Value, bare, joined, read};

/// A condition as one expression.
///
/// # Errors
/// A condition that is neither a text nor true or false nor an object of one operator.
pub fn condition_of(condition: &Value) -> Result<Expr, Mistake> {
    match condition {
        Value::Bool(flag) => Ok(Expr::Bool(*flag)),
        Value::String(text) if text.trim_start().starts_with('@') => operand(condition),
        Value::String(text) => bare(text.trim()),
        Value::Object(operators) => {
            let mut all = operators
                .iter()
                .map(|(name, given)| operator(name, given))
                .collect::<Result<Vec<_>, _>>()?;
            match all.len() {
                0 => Err(Mistake::new("the condition is empty")),
                1 => Ok(all.remove(0)),
                _ => Ok(Expr::Call {
                    name: "and".to_owned(),
                    args: all,
                }),
            }
        }
        other => Err(Mistake::new(format!("{other} is no condition"))),
    }
}

/// `{"and": […]}`, `{"not": {…}}`, `{"equals": ["@a", 1]}`.
pub(super) fn operator(name: &str, given: &Value) -> Result<Expr, Mistake> {
    let nested = matches!(name.to_ascii_lowercase().as_str(), "and" | "or" | "not");
    let args = match given {
        Value::Array(items) if nested => items
            .iter()
            .map(condition_of)
            .collect::<Result<Vec<_>, _>>()?,
        Value::Array(items) => items.iter().map(operand).collect::<Result<_, _>>()?,
        one if nested => vec![condition_of(one)?],
        one => vec![operand(one)?],
    };
    // An empty `and` holds, an empty `or` does not.
    if nested && args.is_empty() {
        return Ok(Expr::Bool(name.eq_ignore_ascii_case("and")));
    }
    Ok(Expr::Call {
        name: name.to_owned(),
        args,
    })
}

pub(super) fn operand(value: &Value) -> Result<Expr, Mistake> {
    Ok(match value {
        Value::Null => Expr::Null,
        Value::Bool(flag) => Expr::Bool(*flag),
        Value::Number(number) => Expr::Number(number.clone()),
        Value::String(text) => match read(text)? {
            Reading::Literal(literal) => Expr::Text(literal),
            Reading::Value(expr) => expr,
            Reading::Mixed(parts) => joined(parts),
        },
        Value::Array(items) => Expr::Call {
            name: "createArray".to_owned(),
            args: items.iter().map(operand).collect::<Result<_, _>>()?,
        },
        Value::Object(_) => {
            return Err(Mistake::new(
                "an object cannot stand in a condition; compare its fields",
            ));
        }
    })
}
