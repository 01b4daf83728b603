//! Texts as .NET has them: sequences of UTF-16 units, compared and searched without the rules of a culture.

use std::ops::Range;

/// The number of UTF-16 units.
pub(crate) fn length(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.encode_utf16().count()
    }
}

/// The units in this range, which must lie within the text. Half of a surrogate pair becomes U+FFFD.
pub(crate) fn cut(text: &str, range: Range<usize>) -> String {
    if text.is_ascii() {
        return text[range].to_owned();
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    String::from_utf16_lossy(&units[range])
}

/// Letter by letter. A letter whose other case is more than one letter stays, and so do the two Turkish letters i that the
/// invariant culture leaves alone.
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

/// The text in one case, for searches without regard to case.
fn folded(text: &str) -> Vec<u16> {
    let upper: String = text.chars().map(|c| single(c, c.to_uppercase())).collect();
    upper.encode_utf16().collect()
}

/// Where `part` begins in `whole`, in UTF-16 units and without regard to case; all places, also overlapping ones.
pub(crate) fn places(whole: &str, part: &str) -> Vec<usize> {
    let (whole, part) = (folded(whole), folded(part));
    if part.is_empty() || part.len() > whole.len() {
        return Vec::new();
    }
    // Knuth, Morris and Pratt: a hostile pair of texts takes no longer than any other.
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
