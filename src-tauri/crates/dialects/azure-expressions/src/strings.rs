//! Strings as in .NET: sequences of UTF-16 units, compared and searched without culture rules.

use std::ops::Range;

/// Returns the length of the text in UTF-16 units.
pub(crate) fn length(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.encode_utf16().count()
    }
}

/// Returns the part of the text in this range of UTF-16 units, which must be within the text. Half of a surrogate pair becomes
/// U+FFFD.
pub(crate) fn cut(text: &str, range: Range<usize>) -> String {
    if text.is_ascii() {
        return text[range].to_owned();
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    String::from_utf16_lossy(&units[range])
}

/// Converts each character to lower case. As in the invariant culture, a character whose lower case has several characters is
/// unchanged, as are the Turkish letters `İ` and `ı`.
pub(crate) fn lower(text: &str) -> String {
    text.chars().map(|c| single(c, c.to_lowercase())).collect()
}

pub(crate) fn upper(text: &str) -> String {
    text.chars().map(|c| single(c, c.to_uppercase())).collect()
}

fn single(c: char, mut mapped: impl Iterator<Item = char>) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(other), None) if !matches!(c, 'ı' | 'İ') => other,
        _ => c,
    }
}

/// Returns the text in upper case as UTF-16 units, for case-insensitive searches.
fn folded(text: &str) -> Vec<u16> {
    let upper: String = text.chars().map(|c| single(c, c.to_uppercase())).collect();
    upper.encode_utf16().collect()
}

/// Returns all positions of `part` in `whole`, in UTF-16 units and ignoring case. Matches may overlap.
pub(crate) fn places(whole: &str, part: &str) -> Vec<usize> {
    let (whole, part) = (folded(whole), folded(part));
    if part.is_empty() || part.len() > whole.len() {
        return Vec::new();
    }
    // The Knuth-Morris-Pratt algorithm takes linear time for any pair of strings.
    let mut border = vec![0; part.len()];
    let mut matched = 0;
    for at in 1..part.len() {
        while matched > 0 && part[at] != part[matched] {
            matched = border[matched - 1];
        }
        matched += usize::from(part[at] == part[matched]);
        border[at] = matched;
    }
    let mut found = Vec::new();
    matched = 0;
    for (at, unit) in whole.iter().enumerate() {
        while matched > 0 && *unit != part[matched] {
            matched = border[matched - 1];
        }
        matched += usize::from(*unit == part[matched]);
        if matched == part.len() {
            found.push(at + 1 - part.len());
            matched = border[matched - 1];
        }
    }
    found
}

pub(crate) fn starts_with(whole: &str, part: &str) -> bool {
    folded(whole).starts_with(&folded(part))
}

pub(crate) fn ends_with(whole: &str, part: &str) -> bool {
    folded(whole).ends_with(&folded(part))
}
