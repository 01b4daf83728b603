//! The test `matching`: regular expressions, whose cost depends on the sizes of both the text and the compiled pattern.

use regex::{Error as RegexError, Regex, RegexBuilder};
use tera::{Error, Kwargs, State, TeraResult};

use crate::{bounds::units, meter::STEP};

/// The size limits for compiled patterns, in bytes, tried in order. Matching time is proportional to the text and, at worst, to
/// the pattern, so the charge for a string depends on the limit that its pattern needs.
const SIZES: [usize; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// Implements the test `matching`: whether a regular expression matches anywhere in a string.
pub(super) fn matching(value: &str, arguments: Kwargs, _: &State<'_>) -> TeraResult<bool> {
    let pattern = arguments.must_get::<&str>("pat")?;
    let (regex, size) = compiled(pattern)?;
    let per_byte = (size / SIZES[0]) as u64;
    units(STEP + (value.len() as u64).saturating_mul(per_byte), 0)?;
    Ok(regex.is_match(value))
}

/// Compiles a pattern and returns it with the size limit that it needs.
fn compiled(pattern: &str) -> TeraResult<(Regex, usize)> {
    units(pattern.len() as u64, 0)?;
    let last = SIZES.len() - 1;
    for (index, size) in SIZES.into_iter().enumerate() {
        units((size / 64) as u64, 0)?;
        match RegexBuilder::new(pattern).size_limit(size).build() {
            Ok(regex) => return Ok((regex, size)),
            Err(RegexError::CompiledTooBig(_)) if index < last => {}
            Err(error) => {
                let why = error.to_string();
                let line = why.lines().last().unwrap_or_default();
                return Err(Error::message(format!(
                    "`{pattern}` is not a valid regular expression: {line}"
                )));
            }
        }
    }
    Err(Error::message(format!(
        "The regular expression `{pattern}` is too large. Shorten it."
    )))
}
