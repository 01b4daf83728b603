//! The names that a script of any language reads: its free names, with the fields behind them.

use std::sync::Arc;

use crate::{
    Language, MAX_SOURCE, Mistake,
    found_names::{Name, Reading, Reads},
    javascript, luau,
    outline::Outline,
    python,
    reading_cache::{read_once, reads_or_mistake, too_long},
};

/// The free names of a script and where they stand.
///
/// # Errors
/// The first mistake: syntax, a construct that the interpreter lacks, too long a source, a name that scripts do not have (`os`,
/// `require`, …), in Luau an assignment to a name that is not declared with `local`.
pub fn reads_in(language: Language, source: &str) -> Result<Reads, Mistake> {
    reads_or_mistake(&read(language, source)).cloned()
}

/// Every mistake of a script that can be told: the first of its syntax, else all that [`reads_in`] finds one of.
pub fn mistakes_in(language: Language, source: &str) -> Vec<Mistake> {
    match read(language, source).as_ref() {
        Ok((_, mistakes)) => mistakes.clone(),
        Err(mistake) => vec![mistake.clone()],
    }
}

/// [`reads_in`] of a Luau script.
///
/// # Errors
/// As [`reads_in`].
pub fn reads(source: &str) -> Result<Reads, Mistake> {
    reads_in(Language::Luau, source)
}

/// As [`reads`], the names alone.
///
/// # Errors
/// As [`reads_in`].
pub fn names(source: &str) -> Result<Vec<Name>, Mistake> {
    Ok(reads(source)?.names)
}

/// [`mistakes_in`] of a Luau script.
pub fn mistakes(source: &str) -> Vec<Mistake> {
    mistakes_in(Language::Luau, source)
}

/// What a source in Python mentions.
///
/// # Errors
/// The first mistake of its syntax, in the words of the parser.
pub fn python_outline(source: &str) -> Result<Outline, Mistake> {
    if source.len() > MAX_SOURCE {
        return Err(too_long(source));
    }
    python::outline(source)
}

fn read(language: Language, source: &str) -> Arc<Reading> {
    let read: fn(&str) -> Reading = match language {
        Language::Luau => luau::names::read,
        Language::Python => python::names::read,
        Language::JavaScript => javascript::names::read,
    };
    read_once(language, source, read)
}
