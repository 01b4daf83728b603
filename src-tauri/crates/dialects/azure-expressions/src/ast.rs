//! The syntax tree of an expression.

use std::fmt;

/// An expression, such as `equals(variables('n'), 3)` or `body('fetch')?['items'][0]`.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    /// A function call; `name` is spelled as in the source.
    Call {
        name: String,
        args: Vec<Self>,
    },
    /// A value and the steps that lead to a part of it.
    Path {
        of: Box<Self>,
        steps: Vec<Step>,
    },
}

/// A step into a value: `.name`, `['name']` or `[0]`. With a leading `?`, a missing property is null instead of an error.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub key: Expr,
    pub optional: bool,
}

/// A parsed string of a definition.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Plain text in which escapes have been resolved.
    Literal(String),
    /// The text is a single `@expression`, whose value keeps its type.
    Value(Expr),
    /// Text that contains `@{expression}`. It always yields a string.
    Mixed(Vec<Part>),
}

/// A part of text that contains expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Text(String),
    Value(Expr),
}

impl Expr {
    /// Returns the text of a constant string, or `None` for any other expression.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Calls `visit` with this expression and all its subexpressions.
    pub fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Self)) {
        visit(self);
        match self {
            Self::Call { args, .. } => args.iter().for_each(|arg| arg.walk(visit)),
            Self::Path { of, steps } => {
                of.walk(visit);
                steps.iter().for_each(|step| step.key.walk(visit));
            }
            _ => {}
        }
    }
}

impl Reading {
    /// Returns the expressions in the string, from left to right.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let (one, parts): (Option<&Expr>, &[Part]) = match self {
            Self::Literal(_) => (None, &[]),
            Self::Value(expr) => (Some(expr), &[]),
            Self::Mixed(parts) => (None, parts),
        };
        one.into_iter()
            .chain(parts.iter().filter_map(|part| match part {
                Part::Value(expr) => Some(expr),
                Part::Text(_) => None,
            }))
    }
}

/// Formats the expression in the language's notation, without its `@`.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(flag) => write!(f, "{flag}"),
            Self::Int(number) => write!(f, "{number}"),
            // Debug formatting keeps the decimal point, so that a float reads back as a float.
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Self::Call { name, args } => {
                write!(f, "{name}(")?;
                for (index, arg) in args.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{arg}")?;
                }
                f.write_str(")")
            }
            Self::Path { of, steps } => {
                write!(f, "{of}")?;
                for step in steps {
                    let mark = if step.optional { "?" } else { "" };
                    write!(f, "{mark}[{}]", step.key)?;
                }
                Ok(())
            }
        }
    }
}
