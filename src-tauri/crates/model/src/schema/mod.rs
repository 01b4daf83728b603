//! JSON Schema within limits: compiles a schema, checks a value, and lists its errors.
//!
//! The validator library has no limits: a few KB of `anyOf` can cause 2^27 checks and an error for each. Therefore, the library
//! reads values through a type that charges the thread's [`meter`] for every access and unwinds when the meter stops it.
//! `catch_unwind` turns the unwinding into an error. A schema also causes work that reads no value. This work is limited before
//! the schema is compiled (`shape`).

mod error;
mod shape;
mod value;

use std::{
    fmt::{self, Write as _},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use jsonschema::{PatternOptions, ValidationError, ValidationOptions, Validator};
use serde_json::Value;

pub use self::error::SchemaError;
use self::{
    shape::Shape,
    value::{Cost, Metered, Seen, counting},
};
use crate::{
    meter::{self, Limit, Stopped},
    value::{DEEPEST, levels},
};

/// The limits for checking one value. At worst, a check takes a few seconds in an optimized build.
const LIMIT: Limit = Limit {
    work: 32_000_000,
    bytes: 1 << 40,
    too_much_work: "checking a value against it takes too many steps. Simplify its `anyOf`, `oneOf`, `contains` or `$ref`, or make the value smaller",
    too_many_bytes: "checking a value against it takes too many steps",
};
/// The limits of work and memory for listing the errors of one value.
const ERRORS: Limit = Limit {
    work: LIMIT.work,
    bytes: 32 * 1024 * 1024,
    too_much_work: LIMIT.too_much_work,
    too_many_bytes: "there are too many errors to list",
};
/// The maximum number of errors that are listed.
pub const MAX_ERRORS: usize = 100;
/// The maximum number of characters of an error message. The validator library repeats values in full.
const MAX_MESSAGE: usize = 500;
/// The size limit with which patterns are compiled first, in bytes. Patterns that need more are compiled with `LARGE_PATTERN`.
const SMALL_PATTERN: usize = 16 * 1024;
const LARGE_PATTERN: usize = 256 * 1024;
/// The memory limit for matching a pattern, in bytes. A pattern that needs more is matched more slowly.
const PATTERN_CACHE: usize = 64 * 1024;
const MAX_BACKTRACKS: usize = 10_000;
/// The largest product of schema depth and value depth for which a check fits on any thread's stack. `DEEP` is the largest
/// product for a stack of `LARGE_STACK` bytes.
const SHALLOW: usize = 96;
const DEEP: usize = 8_192;
const LARGE_STACK: usize = 128 * 1024 * 1024;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    validator: Validator<Metered>,
    cost: Cost,
    /// The maximum nesting depth of subschemas that apply to the same value.
    depth: usize,
}

/// One way in which a value does not fit the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The location of the part that does not fit: a JSON pointer into the value.
    pub path: String,
    pub message: String,
}

impl Schema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// `bad_schema` if `schema` is not a JSON Schema; `schema_limit` if it exceeds a limit.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        let shape = Shape::of(schema)?;
        let regex = |size| {
            let options = PatternOptions::regex()
                .size_limit(size)
                .dfa_size_limit(PATTERN_CACHE);
            options_for().with_pattern_options(options).build(schema)
        };
        let mut cost = shape.cost();
        let validator = match regex(SMALL_PATTERN) {
            Ok(validator) => validator,
            Err(_) if shape.has_patterns() => {
                cost.large_patterns();
                match regex(LARGE_PATTERN) {
                    Ok(validator) => validator,
                    // The patterns may use features that linear-time engines lack, such as lookahead.
                    Err(_) => {
                        cost.backtracking_patterns();
                        let options = PatternOptions::fancy_regex()
                            .size_limit(LARGE_PATTERN)
                            .dfa_size_limit(PATTERN_CACHE)
                            .backtrack_limit(MAX_BACKTRACKS);
                        options_for()
                            .with_pattern_options(options)
                            .build(schema)
                            .map_err(|error| SchemaError::bad(short(&error)))?
                    }
                }
            }
            Err(error) => return Err(SchemaError::bad(short(&error))),
        };
        Ok(Self {
            validator,
            cost,
            depth: shape.depth(),
        })
    }

    /// Returns whether a value fits the schema.
    ///
    /// # Errors
    /// `schema_limit` if the check exceeds a limit; `cancelled` if the caller no longer waits for the result.
    pub fn is_valid(&self, value: &Value) -> Result<bool, SchemaError> {
        self.counted(LIMIT, self.cost, value, |validator, value| {
            validator.is_valid(value)
        })
    }

    /// Returns at most `most` ways in which a value does not fit the schema. The list is empty if the value fits.
    ///
    /// # Errors
    /// `schema_limit` if the check exceeds a limit; `cancelled` if the caller no longer waits for the result.
    pub fn mistakes(&self, value: &Value, most: usize) -> Result<Vec<Mistake>, SchemaError> {
        if self.is_valid(value)? {
            return Ok(Vec::new());
        }
        let mistake = |error: ValidationError<'_>| Mistake {
            path: error.instance_path().to_string(),
            message: short(&error),
        };
        // Each error stores the location in the value to which it applies, so the locations count too.
        let cost = Cost {
            error: self.cost.error + longest_place(value) as u64,
            listing: true,
            ..self.cost
        };
        let all = self.counted(ERRORS, cost, value, |validator, value| {
            let errors = validator.iter_errors(value);
            errors.take(most).map(mistake).collect::<Vec<_>>()
        });
        let first = || {
            self.counted(ERRORS, cost, value, |validator, value| {
                let first = validator.validate(value).err();
                first.map(mistake).into_iter().collect::<Vec<_>>()
            })
        };
        // Storing all errors can take too much memory. In that case, only the first error is kept. If even that is too large, a
        // general message replaces it.
        let too_many = |error: &SchemaError| *error == SchemaError::limit(ERRORS.too_many_bytes);
        let found = match all {
            Err(error) if too_many(&error) => match first() {
                Err(error) if too_many(&error) => Vec::new(),
                other => other?,
            },
            other => other?,
        };
        Ok(if found.is_empty() {
            vec![Mistake {
                path: String::new(),
                message: "The value has too many schema errors to list.".to_owned(),
            }]
        } else {
            found
        })
    }

    /// Runs a check within `limit`, on a stack that is large enough.
    fn counted<T: Send>(
        &self,
        limit: Limit,
        cost: Cost,
        value: &Value,
        check: impl FnOnce(&Validator<Metered>, Seen<'_>) -> T + Send,
    ) -> Result<T, SchemaError> {
        let checked = || {
            meter::within(limit, || {
                let run = || counting(cost, || check(&self.validator, Seen(value)));
                catch_unwind(AssertUnwindSafe(run)).map_err(stopped)
            })
        };
        let deep = self.depth.saturating_mul(levels(value, DEEPEST) + 1);
        let result = if deep <= SHALLOW {
            checked()
        } else if deep <= DEEP {
            meter::on_a_stack_of(LARGE_STACK, checked).ok_or_else(|| {
                SchemaError::limit("there is not enough memory for a value nested this deeply")
            })?
        } else {
            return Err(SchemaError::limit(
                "the schema and the value together are nested too deeply",
            ));
        };
        Ok(result?)
    }
}

/// Returns an upper bound for the length of the JSON pointers into a value, in bytes.
fn longest_place(value: &Value) -> usize {
    match value {
        Value::Array(items) => {
            let longest = items.iter().map(longest_place).max();
            longest.map_or(0, |longest| longest + 8)
        }
        Value::Object(fields) => {
            let longest = fields
                .iter()
                .map(|(name, field)| 1 + 2 * name.len() + longest_place(field))
                .max();
            longest.unwrap_or(0)
        }
        _ => 0,
    }
}

/// Returns the reason for which the meter stopped a check. A panic with any other cause continues to unwind.
fn stopped(payload: Box<dyn std::any::Any + Send>) -> Stopped {
    match payload.downcast::<value::Left>() {
        Ok(left) => left.0,
        Err(other) => resume_unwind(other),
    }
}

fn options_for<'i>() -> ValidationOptions<'i, std::sync::Arc<dyn jsonschema::Retrieve>, Metered> {
    jsonschema::options_for::<Metered>()
}

/// Returns the error's message, truncated to [`MAX_MESSAGE`] characters.
fn short(error: &ValidationError<'_>) -> String {
    struct Bounded(String, usize);
    impl fmt::Write for Bounded {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for letter in text.chars() {
                if self.1 == 0 {
                    self.0.push('…');
                    return Err(fmt::Error);
                }
                self.1 -= 1;
                self.0.push(letter);
            }
            Ok(())
        }
    }
    let mut message = Bounded(String::new(), MAX_MESSAGE);
    let _ = write!(message, "{error}");
    message.0
}

#[cfg(test)]
mod tests;
