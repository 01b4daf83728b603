//! Joins characters whose two surrogate halves arrive separately. JSON writes characters beyond U+FFFF as two escapes,
//! `\ud83d\ude00`. A server that splits its text between them sends one half in each event (elizaOS/eliza issue 30904). A
//! lone half is not a character, and serde_json rejects the whole text.
//!
//! [`marked`] replaces a half with two private-use characters; [`Halves`] joins halves that follow one another.

/// The private-use character that precedes each marked half. The half itself is also replaced by a private-use character, and
/// no ordinary text has the two in sequence.
const MARK: char = '\u{f8fe}';
/// The first of the characters that replace the halves. It represents U+D800, and the others follow in the same order.
const FIRST: u32 = 0x10_f800;

const LEADING: std::ops::Range<u32> = 0xd800..0xdc00;
const TRAILING: std::ops::Range<u32> = 0xdc00..0xe000;

/// Returns the JSON with its lone halves marked; `None` if it has no lone halves. Complete pairs are unchanged.
pub(super) fn marked(json: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let from = at + found;
        // An escaped backslash is skipped as a whole.
        let Some(half) = half_at(json, from) else {
            at = from + 2;
            continue;
        };
        at = from + 6;
        if LEADING.contains(&half) && half_at(json, at).is_some_and(|next| TRAILING.contains(&next))
        {
            at += 6;
            continue;
        }
        out.push_str(&json[copied..from]);
        out.push(MARK);
        out.extend(char::from_u32(FIRST + (half - LEADING.start)));
        copied = at;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&json[copied..]);
    Some(out)
}

/// Returns the surrogate half whose escape begins at this position, or `None` if there is none.
fn half_at(json: &str, at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let half = u32::from_str_radix(digits, 16).ok()?;
    (LEADING.start..TRAILING.end)
        .contains(&half)
        .then_some(half)
}

/// Returns the text with its marked halves joined; `None` if it has no marked halves. A half without a partner becomes U+FFFD.
pub(super) fn joined(text: &str) -> Option<String> {
    if !text.contains(MARK) {
        return None;
    }
    let mut halves = Halves::default();
    let mut out = halves.join(text);
    out.push_str(halves.end());
    Some(out)
}

/// Joins halves in text that arrives in pieces.
#[derive(Debug, Default)]
pub(super) struct Halves {
    /// A leading half at the end of the text received so far. The next piece may complete it.
    leading: Option<u32>,
}

impl Halves {
    /// Returns the text that a piece adds. A leading half at the end of the piece is held back, because the next piece may
    /// complete it.
    fn join(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        let mut rest = piece.chars().peekable();
        while let Some(letter) = rest.next() {
            let half = rest
                .peek()
                .filter(|_| letter == MARK)
                .and_then(|next| u32::from(*next).checked_sub(FIRST))
                .map(|place| LEADING.start + place);
            if half.is_some() {
                rest.next();
            }
            match (self.leading.take(), half) {
                (Some(leading), Some(half)) if TRAILING.contains(&half) => {
                    let pair =
                        0x1_0000 + ((leading - LEADING.start) << 10) + (half - TRAILING.start);
                    out.extend(char::from_u32(pair));
                    continue;
                }
                (Some(_), _) => out.push(char::REPLACEMENT_CHARACTER),
                (None, _) => {}
            }
            match half {
                Some(half) if LEADING.contains(&half) => self.leading = Some(half),
                Some(_) => out.push(char::REPLACEMENT_CHARACTER),
                None => out.push(letter),
            }
        }
        out
    }

    /// Joins the halves in `text` from this position on, and returns the changed part.
    pub(super) fn settle(&mut self, text: &mut String, from: usize) -> String {
        let added = text.get(from..).unwrap_or_default();
        if self.leading.is_none() && !added.contains(MARK) {
            return added.to_owned();
        }
        let joined = self.join(added);
        text.truncate(from);
        text.push_str(&joined);
        joined
    }

    /// Returns the replacement for a leading half that remains when the text ends; empty if none remains.
    pub(super) fn end(&mut self) -> &'static str {
        if self.leading.take().is_some() {
            "\u{fffd}"
        } else {
            ""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> String {
        let marked = marked(json);
        let json = marked.as_deref().unwrap_or(json);
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn halves_that_come_apart_are_put_together() {
        let mut halves = Halves::default();
        let mut text = String::new();
        for piece in [
            r#""a \ud83d""#,
            r#""""#,
            r#""\ude00 b \uD83D""#,
            r#""\uDE00\ud83d\ude01""#,
            r#""é""#,
        ] {
            text.push_str(&halves.join(&read(piece)));
        }
        assert_eq!((text.as_str(), halves.end()), ("a 😀 b 😀😁é", ""));
    }

    #[test]
    fn a_half_that_stays_alone_loses_nothing_else() {
        for (json, text) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""\ude00a""#, "\u{fffd}a"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\\ud83d é""#, "\\ud83d é"),
        ] {
            let read = read(json);
            assert_eq!(joined(&read).unwrap_or(read), text, "{json}");
        }
    }

    #[test]
    fn what_has_no_half_is_left_alone() {
        for json in [
            r#"{"a":"\ud83d\ude00 \n \\ud83d \u00e9"}"#,
            "plain",
            "\\",
            "\\é",
            "\"\\ud8",
            "\"\\u\u{e9}\u{e9}",
            "",
        ] {
            assert_eq!(marked(json), None, "{json}");
        }
        let text = "\u{f8fe} \u{10f800}";
        assert_eq!(joined(text).as_deref(), Some(text));
    }
}
