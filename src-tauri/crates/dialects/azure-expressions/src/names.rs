//! Finds the values that an expression reads from its context.

use serde_json::Value;

use crate::{
    ast::Expr,
    dialect::Dialect,
    functions::named,
    parse::{Mistake, read},
};

/// A value in the context that an expression reads: `variables('n')` is the section `variables` and the name `n`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    pub section: &'static str,
    /// The name; `None` if the expression computes it.
    pub name: Option<String>,
}

/// Returns the names read by an expression, or by the expressions of a JSON template: each once, in the order of first use.
///
/// # Errors
/// Returns an error if a string cannot be parsed, or if [`crate::check`] rejects a call.
pub fn names(source: &Value, dialect: Dialect) -> Result<Vec<Name>, Mistake> {
    let mut found = Vec::new();
    collect(source, dialect, &mut found)?;
    Ok(found)
}

fn collect(source: &Value, dialect: Dialect, found: &mut Vec<Name>) -> Result<(), Mistake> {
    match source {
        Value::String(text) => {
            for expr in read(text, dialect)?.expressions() {
                crate::check(expr)?;
                expr.walk(&mut |expr| {
                    if let Expr::Call { name, args } = expr
                        && let Some(section) = named(name).and_then(|function| function.section)
                    {
                        let name = args.first().and_then(Expr::as_text).map(str::to_owned);
                        let name = Name {
                            section,
                            name: name.filter(|_| !["now", "seed", "trigger"].contains(&section)),
                        };
                        if !found.contains(&name) {
                            found.push(name);
                        }
                    }
                });
            }
            Ok(())
        }
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| collect(item, dialect, found)),
        Value::Object(fields) => fields
            .values()
            .try_for_each(|item| collect(item, dialect, found)),
        _ => Ok(()),
    }
}
