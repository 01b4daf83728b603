//! Checks whether JavaScript from other systems can run unchanged as a script.

use loopwright_script::{Language, Name};

use crate::scripts::{mistakes_in, reads_in};

/// Returns the free names of code. Only the names in `allowed` are permitted.
///
/// # Errors
/// Returns an error if the code is not a valid script or reads another name. The error is the end of a sentence that begins with
/// "its code".
pub(crate) fn names(code: &str, allowed: &[&str]) -> Result<Vec<Name>, String> {
    if let Some(mistake) = mistakes_in(Language::JavaScript, code).first() {
        return Err(format!("is not a valid script ({mistake})"));
    }
    let names = reads_in(Language::JavaScript, code)
        .map(|reads| reads.names)
        .unwrap_or_default();
    match names.iter().find(|name| !allowed.contains(&&*name.root)) {
        Some(name) => Err(format!(
            "uses the name `{}`, which does not exist in scripts",
            name.root
        )),
        None => Ok(names),
    }
}

/// Returns whether code reads the current time. A date computed from a value that is passed to the code does not count.
pub(crate) fn reads_clock(code: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_$".contains(c));
    code.match_indices("Date").any(|(at, word)| {
        let (before, behind) = (&code[..at], &code[at + word.len()..]);
        if is_part(before.chars().next_back()) || is_part(behind.chars().next()) {
            return false;
        }
        let (before, behind) = (before.trim_end(), behind.trim_start());
        let is_given =
            (behind.strip_prefix('(')).is_some_and(|args| !args.trim_start().starts_with(')'));
        let reads_none = (before.ends_with("new") && is_given)
            || before.ends_with("instanceof")
            || behind.starts_with(".UTC")
            || behind.starts_with(".parse");
        !reads_none
    })
}

/// Returns whether code may use random numbers: whether it contains the word `random`.
pub(crate) fn reads_chance(code: &str) -> bool {
    code.contains("random")
}
