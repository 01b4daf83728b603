//! Finds the quoted parts of text. A tag in code or in quotation marks has no effect: the text mentions the tag but does not
//! use it.

use std::ops::Range;

/// How far from a tag, in bytes, its line is searched for backticks or quotation marks.
const LOOK: usize = 160;

/// Returns whether the text at `place` is between backticks on its line, or directly between quotation marks.
pub(crate) fn is_quoted(text: &str, place: &Range<usize>) -> bool {
    let before = &text[text.floor_char_boundary(place.start.saturating_sub(LOOK))..place.start];
    let behind = &text[place.end..text.floor_char_boundary((place.end + LOOK).min(text.len()))];
    let before = before.rsplit('\n').next().unwrap_or_default();
    let behind = behind.split('\n').next().unwrap_or_default();
    let ticks = before.bytes().filter(|byte| *byte == b'`').count();
    if ticks % 2 == 1 && behind.contains('`') {
        return true;
    }
    let opens = before.chars().next_back();
    let closes = behind.chars().next();
    matches!(
        (opens, closes),
        (Some('"'), Some('"'))
            | (Some('\''), Some('\''))
            | (Some('“' | '”' | '„'), Some('”' | '“'))
            | (Some('‘'), Some('’'))
            | (Some('«'), Some('»'))
            | (Some('»'), Some('«'))
    )
}

/// Returns whether the text at `place` may turn out to be quoted once more text arrives.
pub(crate) fn may_be_quoted(text: &str, place: &Range<usize>) -> bool {
    let behind = &text[place.end..];
    if behind.len() >= LOOK || behind.contains('\n') {
        return false;
    }
    let before = &text[text.floor_char_boundary(place.start.saturating_sub(LOOK))..place.start];
    let before = before.rsplit('\n').next().unwrap_or_default();
    let ticks = before.bytes().filter(|byte| *byte == b'`').count();
    ticks % 2 == 1
        || (behind.is_empty() && before.ends_with(['"', '\'', '“', '”', '„', '‘', '«', '»']))
}

/// A block of code between lines of backticks or tildes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence<'a> {
    /// The byte range of the block, including its opening and closing lines.
    pub(crate) place: Range<usize>,
    /// The text after the opening backticks or tildes, such as the language.
    pub(crate) info: &'a str,
    pub(crate) body: &'a str,
    /// Whether the closing line of the block is present.
    pub(crate) ends: bool,
}

/// Returns the character, the length and the indent of the fence at the start of a line, or `None` if the line does not
/// begin with a fence.
fn fence_at(line: &str) -> Option<(char, usize, usize)> {
    let inner = line.trim_start_matches([' ', '\t', '>']);
    let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = inner.len() - inner.trim_start_matches(mark).len();
    (length >= 3).then_some((mark, length, line.len() - inner.len()))
}

/// Returns the code blocks in `text`, in order. Code on a single line between three backticks is also a block.
pub(crate) fn fences(text: &str) -> Vec<Fence<'_>> {
    struct Open {
        mark: char,
        length: usize,
        from: usize,
        info: Range<usize>,
        body: usize,
    }
    let mut found = Vec::new();
    let mut open: Option<Open> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let from = at;
        at += line.len();
        let Some((mark, length, indent)) = fence_at(line) else {
            // The closing fence may follow the last line of the code directly, without a line break.
            if let Some(fence) = &open {
                let bare = line.trim_end();
                let inner = bare.trim_end_matches(fence.mark);
                if bare.len() - inner.len() >= fence.length && !inner.ends_with('\\') {
                    found.push(Fence {
                        place: fence.from..from + bare.len(),
                        info: text[fence.info.clone()].trim(),
                        body: &text[fence.body..from + inner.len()],
                        ends: true,
                    });
                    open = None;
                }
            }
            continue;
        };
        let behind = from + indent + mark.len_utf8() * length;
        let rest = &line[indent + mark.len_utf8() * length..];
        match &open {
            Some(fence)
                if fence.mark == mark && length >= fence.length && rest.trim().is_empty() =>
            {
                found.push(Fence {
                    place: fence.from..from + line.trim_end().len(),
                    info: text[fence.info.clone()].trim(),
                    body: &text[fence.body..from],
                    ends: true,
                });
                open = None;
            }
            Some(_) => {}
            None => {
                let bare = rest.trim_end();
                let inner = bare.trim_end_matches(mark);
                if bare.len() - inner.len() >= length && !inner.is_empty() {
                    // A block may begin and end on the same line: ```json {"a": 1}```.
                    let word = inner.trim_start();
                    let word_end = word
                        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
                        .unwrap_or(word.len());
                    let body = behind + (inner.len() - word.len()) + word_end;
                    let end = behind + inner.len();
                    let (info, body) = if body >= end {
                        ("", &text[behind..end])
                    } else {
                        (&word[..word_end], &text[body..end])
                    };
                    found.push(Fence {
                        place: from..from + line.trim_end().len(),
                        info,
                        body,
                        ends: true,
                    });
                } else {
                    open = Some(Open {
                        mark,
                        length,
                        from,
                        info: behind..from + line.len(),
                        body: at,
                    });
                }
            }
        }
    }
    if let Some(fence) = open {
        found.push(Fence {
            place: fence.from..text.len(),
            info: text[fence.info].trim(),
            body: &text[fence.body..],
            ends: false,
        });
    }
    found
}
