//! Finds work in an expression for which Tera does not charge: filters, and operators that read their operands in full.

use super::words::WORDS;
use crate::scan::{Kind, Token};

/// Which kinds of costly operators an expression has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cost {
    /// Whether values are compared, searched or joined. The time for this is proportional to their size.
    pub(super) compares: bool,
    /// Whether lists are copied, as in `[...list]`.
    pub(super) spreads: bool,
}

/// Operators that read both operands in full. If one operand is a literal, at most the literal's length is read from the
/// other operand.
const COMPARING: [&str; 6] = ["==", "!=", "<", ">", "<=", ">="];

impl Cost {
    pub(super) fn of(tokens: &[Token<'_>]) -> Self {
        let mut cost = Self::default();
        let mut in_header = false;
        for (at, token) in tokens.iter().enumerate() {
            match (token.kind, token.text) {
                // The `in` of a comprehension `[… for item in list]` does not search the list.
                (Kind::Name, "for") => in_header = true,
                (Kind::Name, "in") if std::mem::take(&mut in_header) => {}
                (Kind::Name, "in") => cost.compares |= !is_name_alone(tokens, at + 1),
                (Kind::Symbol, "~") => cost.compares = true,
                (Kind::Symbol, "...") => (cost.spreads, cost.compares) = (true, true),
                (Kind::Symbol, symbol) if COMPARING.contains(&symbol) => {
                    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
                    let is_cheap = [before, tokens.get(at + 1)]
                        .into_iter()
                        .flatten()
                        .any(is_written_out);
                    cost.compares |= !is_cheap;
                }
                _ => {}
            }
        }
        cost
    }

    pub(super) fn and(self, other: Option<Self>) -> Self {
        let other = other.unwrap_or_default();
        Self {
            compares: self.compares || other.compares,
            spreads: self.spreads || other.spreads,
        }
    }
}

/// Returns whether a token is a string, a number, or a literal word such as `true`.
fn is_written_out(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Quoted | Kind::Number => true,
        Kind::Name => WORDS[7..].contains(&token.text),
        Kind::Symbol => false,
    }
}

/// Returns whether the tokens at `at` are a quoted string, or a name with its path that no filter follows.
fn is_name_alone(tokens: &[Token<'_>], mut at: usize) -> bool {
    match tokens.get(at).map(|token| token.kind) {
        Some(Kind::Quoted) => return true,
        Some(Kind::Name) => at += 1,
        _ => return false,
    }
    loop {
        match tokens.get(at) {
            Some(token) if token.is(".") || token.is("?.") => at += 2,
            Some(token) if token.is("[") || token.is("?[") => {
                let mut depth = 0usize;
                loop {
                    let Some(token) = tokens.get(at) else {
                        return false;
                    };
                    at += 1;
                    match token.text {
                        "[" | "?[" if token.kind == Kind::Symbol => depth += 1,
                        "]" if token.kind == Kind::Symbol => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            Some(token) => return !token.is("|") && !token.is("("),
            None => return true,
        }
    }
}

/// Returns whether the Tera filter with this name reads a whole string.
pub(super) fn reads_text(filter: &str) -> bool {
    matches!(
        filter,
        "safe"
            | "upper"
            | "lower"
            | "wordcount"
            | "trim"
            | "trim_start"
            | "trim_end"
            | "capitalize"
            | "title"
            | "truncate"
            | "int"
            | "float"
            | "length"
    )
}

/// Returns whether the filter with this name may write several characters for each character that it reads.
pub(super) fn widens_text(filter: &str) -> bool {
    matches!(
        filter,
        "escape" | "escape_html" | "escape_xml" | "newlines_to_br"
    )
}

/// Returns whether the filter with this name may return a list or an object.
pub(super) fn gives_container(filter: &str) -> bool {
    matches!(
        filter,
        "default"
            | "reverse"
            | "split"
            | "first"
            | "last"
            | "nth"
            | "sort"
            | "unique"
            | "get"
            | "values"
            | "keys"
            | "pairs"
            | "group_by"
    )
}
