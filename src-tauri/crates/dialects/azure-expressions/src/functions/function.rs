//! The description of a function, and helpers that all functions share.

use std::ops::RangeInclusive;

use crate::{
    args::{Args, Result},
    environment::Environment,
    value::Value,
};

/// The maximum number of arguments of a function that takes any number of arguments.
pub(crate) const MANY: usize = usize::MAX;

/// Computes the value of a function from its arguments, which are already evaluated and charged to the budget.
pub(crate) type Compute = fn(&Environment<'_>, &mut Args) -> Result<Value>;

/// One function of the language: an entry of a table in this folder.
pub(crate) struct Function {
    /// The name, as the reference spells it.
    pub(crate) name: &'static str,
    /// The permitted numbers of arguments.
    pub(crate) arity: RangeInclusive<usize>,
    /// The section of the context that the function reads, such as `variables`; `None` if it reads none.
    pub(crate) section: Option<&'static str>,
    /// Whether the function always returns a boolean.
    pub(crate) is_boolean: bool,
    /// The function's implementation. `None` if the evaluator implements the function, because the function reads the context
    /// or does not evaluate all of its arguments.
    pub(crate) compute: Option<Compute>,
}

impl Function {
    /// Creates a function that computes its value from its arguments.
    pub(super) const fn new(
        name: &'static str,
        arity: RangeInclusive<usize>,
        compute: Compute,
    ) -> Self {
        Self {
            compute: Some(compute),
            ..Self::by_evaluator(name, arity)
        }
    }

    /// Creates a function that the evaluator implements.
    pub(super) const fn by_evaluator(name: &'static str, arity: RangeInclusive<usize>) -> Self {
        Self {
            name,
            arity,
            section: None,
            is_boolean: false,
            compute: None,
        }
    }

    pub(super) const fn boolean(mut self) -> Self {
        self.is_boolean = true;
        self
    }

    pub(super) const fn reads(mut self, section: &'static str) -> Self {
        self.section = Some(section);
        self
    }
}

/// Charges a new string to the budget and returns it as a value. Fails if the budget is exceeded.
pub(super) fn text(environment: &Environment<'_>, text: String) -> Result<Value> {
    environment.budget.bytes(text.len())?;
    Ok(Value::Text(text))
}

/// Charges a new value to the budget and returns the value. Fails if the budget is exceeded.
pub(super) fn counted(environment: &Environment<'_>, value: Value) -> Result<Value> {
    environment.budget.value(&value)?;
    Ok(value)
}

pub(super) fn flag(flag: bool) -> Result<Value> {
    Ok(Value::Bool(flag))
}
