//! Finds the requested part of an answer: the text between the tags that the prompt asks for, or the only code block.

use std::ops::Range;

use crate::marks::{fences, is_quoted};

/// The tags between which a model is asked to put its answer.
pub const OPEN: &str = "<answer>";
pub const CLOSE: &str = "</answer>";

/// Returns the trimmed text between [`OPEN`] and [`CLOSE`], or `None` if there are no such tags.
///
/// If there are several such parts, the last is returned, because a model may revise its answer. Tags in quotation marks or
/// code are ignored. If [`CLOSE`] is missing, the part extends to the end of the text. If [`OPEN`] is missing and the text
/// ends with [`CLOSE`], the part is the text before it.
pub fn marked(text: &str) -> Option<&str> {
    let opens = places(text, OPEN);
    let closes = places(text, CLOSE);
    let (from, to) = match (opens.last(), closes.last()) {
        (Some(open), _) => {
            let close = closes.iter().find(|close| close.start >= open.end);
            (open.end, close.map_or(text.len(), |close| close.start))
        }
        (None, Some(close)) if text[close.end..].trim().is_empty() => (0, close.start),
        _ => return None,
    };
    Some(text[from..to].trim())
}

/// Returns the only code block in `text`, or `None` if `text` has no code block or several that differ. A block without a
/// closing line counts only if the text begins with it.
pub fn code(text: &str) -> Option<&str> {
    let blocks = fences(text);
    let first = blocks.first()?;
    let same = blocks.iter().all(|block| block.body == first.body);
    let is_whole = first.ends || text[..first.place.start].trim().is_empty();
    (same && is_whole).then(|| first.body.trim_matches(['\n', '\r']))
}

fn places(text: &str, mark: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find('<') {
        let start = from + at;
        from = start + 1;
        let Some(found) = text.get(start..start + mark.len()) else {
            continue;
        };
        let place = start..start + mark.len();
        if found.eq_ignore_ascii_case(mark) && !is_quoted(text, &place) {
            from = place.end;
            places.push(place);
        }
    }
    places
}
