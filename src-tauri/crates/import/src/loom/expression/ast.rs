//! What an expression of Logic Apps is made of.

use serde_json::Number;

/// An expression: `equals(variables('n'), 3)`, `body('fetch')?['items'][0]`.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    /// A function with its arguments; `name` as it was written.
    Call {
        name: String,
        args: Vec<Expr>,
    },
    /// Something and the steps that are taken into it.
    Path {
        of: Box<Expr>,
        steps: Vec<Step>,
    },
}

/// `.name`, `['name']`, `[0]`, with `?` where a missing value is allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub key: Expr,
    pub optional: bool,
}

/// A text of a document as the expression language reads it.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// It stands for itself; escapes are resolved.
    Literal(String),
    /// `@expression`: the value, with its type.
    Value(Expr),
    /// Text with `@{expression}` in it: always a text.
    Mixed(Vec<Part>),
}

/// A stretch of a text with expressions in it.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Text(String),
    Value(Expr),
}

impl Expr {
    /// The text that a constant argument is.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Calls `visit` with this expression and everything within it.
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
    /// The expressions in it.
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
