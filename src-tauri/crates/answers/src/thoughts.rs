//! Separates the reasoning at the start of an answer from the text after it.

use std::ops::Range;

use crate::{
    json,
    marks::{fences, is_quoted, may_be_quoted},
    tags::{
        CHANNEL, Close, Header, MESSAGE_ENDS, Mark, Read, TOKENS, WRAPPERS, can_be_thought,
        final_header, is_thought, mark, tag, without_turn_ends,
    },
};

/// An answer split into its parts, which are slices of the answer's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The reasoning blocks, in order, without their tags.
    pub thoughts: Vec<&'a str>,
    /// The text that the model wrote outside its reasoning. Without reasoning, this is the whole answer, unchanged.
    pub text: &'a str,
    /// Whether the last reasoning block has no end: the answer was cut off within it, or consists only of reasoning.
    pub is_open: bool,
}

impl Answer<'_> {
    /// Returns whether the answer contains reasoning that is not blank.
    pub fn has_thoughts(&self) -> bool {
        self.thoughts
            .iter()
            .any(|thought| !thought.trim().is_empty())
    }

    /// Returns the text of the reasoning blocks, with a blank line between two blocks. Blank blocks are left out.
    pub fn thoughts(&self) -> String {
        let thoughts = self.thoughts.iter().map(|thought| thought.trim());
        let thoughts: Vec<_> = thoughts.filter(|thought| !thought.is_empty()).collect();
        thoughts.join("\n\n")
    }
}

/// Returns whether a character is white space, or an invisible character that may precede text, such as a byte order mark.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}')
}

/// Splits the reasoning at the start of an answer from its text.
///
/// If there is no reasoning, the text equals the answer, byte for byte.
pub fn split(answer: &str) -> Answer<'_> {
    let mut thoughts: Vec<&str> = Vec::new();
    let mut rest = answer;
    let mut found = false;
    let mut of_channels = false;
    loop {
        let start = rest.trim_start_matches(is_blank);
        match mark(start, found) {
            Mark::Open {
                length,
                close,
                must_end,
            } => {
                let body = &start[length..];
                let Some(end) = end_of(body, close) else {
                    if must_end {
                        break;
                    }
                    thoughts.push(body);
                    return Answer {
                        thoughts,
                        text: &answer[answer.len()..],
                        is_open: true,
                    };
                };
                found = true;
                of_channels |= matches!(close, Close::Final);
                thoughts.push(&body[..end.start]);
                rest = &body[end.end..];
                // A block nested in this one has its own end.
                let mut inner = openings(&body[..end.start], close);
                while inner > 0
                    && let Some(end) = next_end(rest, close)
                {
                    thoughts.push(&rest[..end.start]);
                    rest = &rest[end.end..];
                    inner -= 1;
                }
            }
            Mark::Empty { length, is_end } => {
                of_channels |= !is_end && start[..length].contains(CHANNEL);
                found = true;
                rest = &start[length..];
            }
            Mark::Partial if is_cut_opening(start) => {
                return Answer {
                    thoughts,
                    text: &answer[answer.len()..],
                    is_open: true,
                };
            }
            Mark::Partial | Mark::None => {
                // For some models, the chat template already contains the opening tag, so only the closing tag arrives.
                if thoughts.iter().any(|thought| !thought.trim().is_empty()) {
                    break;
                }
                let Some(end) = orphan(rest) else { break };
                found = true;
                thoughts.push(&rest[..end.start]);
                rest = &rest[end.end..];
            }
        }
    }
    if !found {
        return Answer {
            thoughts,
            text: answer,
            is_open: false,
        };
    }
    let mut text = rest.trim_start_matches(is_blank);
    if of_channels {
        let end = MESSAGE_ENDS.iter().filter_map(|end| text.find(end)).min();
        text = &text[..end.unwrap_or(text.len())];
    }
    Answer {
        thoughts,
        text: unwrapped(text),
        is_open: false,
    }
}

/// Returns whether an answer is cut off within the tag that would have opened its reasoning.
fn is_cut_opening(text: &str) -> bool {
    text.contains(CHANNEL) || text.strip_prefix('<').is_some_and(is_thought)
}

/// Returns the position of the next `open` at or after `from`. Returns `None` if there is none.
fn next(text: &str, from: usize, open: char) -> Option<usize> {
    text[from..].find(open).map(|at| from + at)
}

/// Returns the unquoted tags in `text` that can enclose reasoning, from left to right: the range of each, its name, and
/// whether it is a closing tag.
fn tags_of(text: &str, open: char, end: char) -> impl Iterator<Item = (Range<usize>, &str, bool)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(at) = next(text, from, open) {
            from = at + open.len_utf8();
            if let Read::Tag(tag) = tag(&text[at..], open, end)
                && !tag.is_empty
                && can_be_thought(tag.name)
            {
                let place = at..at + tag.length;
                from = place.end;
                if !is_quoted(text, &place) {
                    return Some((place, tag.name, tag.closes));
                }
            }
        }
        None
    })
}

/// Returns the range of the closing tag or token of a block, or `None` if the block has no end. `body` is the text after its
/// opening tag or token.
fn end_of(body: &str, close: Close<'_>) -> Option<Range<usize>> {
    match close {
        // Solar ends its reasoning with the token that ends a turn.
        Close::Token(end @ "<|/think|>") => {
            token_of(body, end).or_else(|| token_of(body, "<|end|>"))
        }
        Close::Token(end) => token_of(body, end),
        Close::Phrase(ends) => {
            let places = ends.iter().flat_map(|end| {
                body.match_indices(end)
                    .filter(|(at, _)| body[..*at].trim_end_matches(' ').ends_with('\n'))
                    .map(|(at, _)| at..at + end.len())
            });
            places.min_by_key(|place| place.start)
        }
        Close::Angle(name) => {
            // Small models may close a block with a different tag than the one that opened it.
            let mut other = None;
            for (place, closed, closes) in tags_of(body, '<', '>') {
                if closes && closed.eq_ignore_ascii_case(name) {
                    return Some(place);
                }
                if closes && other.is_none() && is_thought(closed) && is_thought(name) {
                    other = Some(place);
                } else if !closes && other.is_some() {
                    break;
                }
            }
            other
        }
        Close::Square(name) => tags_of(body, '[', ']')
            .find(|(_, closed, closes)| *closes && closed.eq_ignore_ascii_case(name))
            .map(|(place, _, _)| place),
        Close::Final => {
            let mut opens = body.match_indices('<').map(|(at, _)| at);
            opens.find_map(|at| match final_header(&body[at..]) {
                Header::Whole(length) => Some(at..at + length),
                Header::Partial | Header::None => None,
            })
        }
        Close::BareFinal => {
            let end = "assistantfinal";
            body.find(end).map(|at| at..at + end.len())
        }
    }
}

/// Returns the first occurrence of a token that is not quoted. Returns `None` if there is none.
fn token_of(text: &str, token: &str) -> Option<Range<usize>> {
    text.match_indices(token)
        .map(|(at, _)| at..at + token.len())
        .find(|place| !is_quoted(text, place))
}

/// Returns the next closing tag with the name of the block. Returns `None` if another block begins before it, or if the
/// block does not end with a tag such as `</think>`.
fn next_end(text: &str, close: Close<'_>) -> Option<Range<usize>> {
    let Close::Angle(name) = close else {
        return None;
    };
    tags_of(text, '<', '>')
        .next()
        .filter(|(_, found, closes)| *closes && found.eq_ignore_ascii_case(name))
        .map(|(place, _, _)| place)
}

/// Counts the opening tags in `text` that have the name of the block. Only tags in angle brackets count.
fn openings(text: &str, close: Close<'_>) -> usize {
    match close {
        Close::Angle(name) => tags_of(text, '<', '>')
            .filter(|(_, opened, closes)| !closes && opened.eq_ignore_ascii_case(name))
            .count(),
        _ => 0,
    }
}

/// Returns the first closing mark without an opening one. Marks in code, quotation marks or JSON do not count, because the
/// text only mentions them. Returns `None` if there is none.
fn orphan(text: &str) -> Option<Range<usize>> {
    if !text.contains(['<', '[', '◁']) || json::is_value(text.trim()) {
        return None;
    }
    let mut opened: Vec<&str> = Vec::new();
    let angle = tags_of(text, '<', '>')
        .filter(|(_, name, _)| is_thought(name))
        .find(|(_, name, closes)| {
            if !closes {
                opened.push(name);
            }
            *closes
        })
        .filter(|_| opened.is_empty())
        .map(|(place, _, _)| place);
    let tokens = TOKENS.iter().filter_map(|(open, end)| {
        let at = text.find(end)?;
        let place = at..at + end.len();
        (!text[..at].contains(open) && !is_quoted(text, &place)).then_some(place)
    });
    let end = tokens.chain(angle).min_by_key(|place| place.start)?;
    let holds = |outer: &Range<usize>| outer.start < end.start && end.end <= outer.end;
    let in_code = fences(text)
        .iter()
        .any(|fence| fence.ends && holds(&fence.place));
    (!in_code && !json::spans(text).iter().any(holds)).then_some(end)
}

/// Removes the tags and tokens that some models put around the answer that follows their reasoning.
fn unwrapped(text: &str) -> &str {
    let text = without_turn_ends(text);
    for (open, end) in WRAPPERS {
        let Some(inner) = text.strip_prefix(open) else {
            continue;
        };
        let whole = inner.trim_end_matches(is_blank);
        if let Some(body) = whole.strip_suffix(end) {
            if !body.contains(end) {
                return body.trim_matches(is_blank);
            }
        } else if open.starts_with("<|") {
            return inner.trim_start_matches(is_blank);
        }
    }
    // The reasoning ended at the matching opening phrase.
    text.strip_suffix("[END FINAL RESPONSE]")
        .map_or(text, |body| body.trim_end_matches(is_blank))
}

/// The number of bytes at the end of the reasoning that are not shown yet: enough for the longest tag, and for enough text
/// before the tag to decide whether it is quoted.
const HELD_BACK: usize = 512;

/// The maximum number of bytes of white space before reasoning. After more white space, an answer is considered to have no
/// reasoning.
const MOST_BLANK: usize = 4096;

/// The kind of a piece of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Thought,
    Text,
}

/// Separates reasoning from text while an answer arrives, for display only. The final result of [`split`] may differ: for
/// example, if only a closing tag arrives, the reasoning before it has been shown as text.
///
/// The work is linear in the length of the answer, regardless of the size of its pieces, because nothing is scanned twice.
#[derive(Debug, Default)]
pub struct Splitter {
    state: State,
    /// Text that was received but not shown, because it is not known yet whether it is reasoning.
    held: String,
    /// Whether the answer already had a reasoning block.
    found: bool,
    /// Whether the end of the block was found, but may turn out to be quoted.
    waits: bool,
    /// The number of bytes of `held` that need not be scanned again: white space before a block, or part of a block whose
    /// end has not been found.
    looked: usize,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Start,
    /// The reader is within a reasoning block. The value says what ends the block.
    Thought(Ending),
    Text,
}

#[derive(Debug, Clone)]
enum Ending {
    Angle(String),
    Token(&'static str),
    Final,
}

/// The result of looking for the end of a block before the whole answer has arrived.
enum Found {
    End(Range<usize>),
    /// The tag or token at this position ends the block, unless it turns out to be quoted.
    MayEnd(usize),
    /// No end begins before this position.
    None(usize),
}

impl Ending {
    /// Returns the last character of the tags and tokens that end the block.
    fn last(&self) -> char {
        match self {
            Self::Token(end) => end.chars().next_back().unwrap_or('>'),
            Self::Angle(_) | Self::Final => '>',
        }
    }

    /// Finds the end of the block at or after `from`. `is_all` is true if no more text follows, so that a tag cannot turn
    /// out to be quoted.
    fn find(&self, text: &str, mut from: usize, is_all: bool) -> Found {
        loop {
            let place = match self.mark_from(text, from) {
                Ok(place) => place,
                Err(looked) => return Found::None(looked),
            };
            if matches!(self, Self::Final) {
                return Found::End(place);
            }
            if is_quoted(text, &place) {
                from = place.end;
            } else if !is_all && may_be_quoted(text, &place) {
                return Found::MayEnd(place.start);
            } else {
                return Found::End(place);
            }
        }
    }

    /// Returns the first tag or token at or after `from` that would end the block. Without one, returns as the error the
    /// position before which none begins.
    fn mark_from(&self, text: &str, mut from: usize) -> Result<Range<usize>, usize> {
        match self {
            Self::Angle(name) => {
                while let Some(last) = next(text, from, '>') {
                    if let Some(open) = text[from..last].rfind('<')
                        && let Read::Tag(tag) = tag(&text[from + open..], '<', '>')
                        && tag.closes
                        && !tag.is_empty
                        && tag.name.eq_ignore_ascii_case(name)
                    {
                        return Ok(from + open..last + 1);
                    }
                    from = last + 1;
                }
                Err(from)
            }
            Self::Token(end) => match text[from..].find(end) {
                Some(at) => Ok(from + at..from + at + end.len()),
                // The token may be cut off.
                None => {
                    let cut = text.len().saturating_sub(end.len() - 1);
                    Err(from.max(text.floor_char_boundary(cut)))
                }
            },
            Self::Final => {
                while let Some(at) = next(text, from, '<') {
                    match final_header(&text[at..]) {
                        Header::Whole(length) => return Ok(at..at + length),
                        // The tag or token that ends this header also ends any header within it.
                        Header::Partial => return Err(at),
                        Header::None => from = at + 1,
                    }
                }
                Err(text.len())
            }
        }
    }
}

impl Splitter {
    /// Adds the next piece of the answer and passes to `show` all text that is now known to be reasoning or not.
    pub fn push(&mut self, piece: &str, mut show: impl FnMut(Part, &str)) {
        let may_end = match &self.state {
            State::Text => {
                show(Part::Text, piece);
                return;
            }
            State::Thought(ending) => self.waits || piece.contains(ending.last()),
            State::Start => true,
        };
        let mut held = std::mem::take(&mut self.held);
        held.push_str(piece);
        let rest = if may_end {
            self.advance(&held, &mut show, false)
        } else {
            self.show_thought(&held, held.len(), &mut show)
        };
        held.drain(..held.len() - rest.len());
        self.held = held;
    }

    /// Ends the answer and passes the remaining text to `show`.
    pub fn end(&mut self, mut show: impl FnMut(Part, &str)) {
        let held = std::mem::take(&mut self.held);
        let rest = self.advance(&held, &mut show, true);
        let start = rest.trim_start_matches(is_blank);
        let part = match self.state {
            State::Thought(_) => Part::Thought,
            // As in `split`, an incomplete opening tag counts as the start of reasoning.
            State::Start
                if matches!(mark(start, self.found), Mark::Partial) && is_cut_opening(start) =>
            {
                Part::Thought
            }
            State::Start | State::Text => Part::Text,
        };
        show(part, rest);
        self.state = State::Text;
    }

    /// Shows the decided part of `rest` and returns the undecided part.
    fn advance<'a>(
        &mut self,
        mut rest: &'a str,
        show: &mut impl FnMut(Part, &str),
        is_all: bool,
    ) -> &'a str {
        loop {
            match &self.state {
                State::Start => {
                    let start = rest[self.looked..].trim_start_matches(is_blank);
                    // White space after a block is not shown.
                    if self.found {
                        rest = start;
                    }
                    self.looked = rest.len() - start.len();
                    let waits = self.looked < MOST_BLANK;
                    let (length, ending) = match mark(start, self.found) {
                        Mark::Partial if waits => return rest,
                        Mark::Open {
                            length,
                            close,
                            must_end: false,
                        } => {
                            let ending = match close {
                                Close::Angle(name) => Ending::Angle(name.to_owned()),
                                Close::Token(end) => Ending::Token(end),
                                _ => Ending::Final,
                            };
                            (length, Some(ending))
                        }
                        Mark::Empty { length, .. } => (length, None),
                        // Such a tag opens a block only if the block has an end, which is not known yet. Until then, the tag
                        // is shown as text.
                        Mark::Open { .. } | Mark::Partial | Mark::None => {
                            self.state = State::Text;
                            continue;
                        }
                    };
                    rest = &start[length..];
                    self.looked = 0;
                    self.found = true;
                    if let Some(ending) = ending {
                        self.state = State::Thought(ending);
                    }
                }
                State::Thought(ending) => {
                    let found = ending.find(rest, self.looked, is_all);
                    self.waits = matches!(found, Found::MayEnd(_));
                    let (sure, looked) = match found {
                        Found::End(end) => {
                            show(Part::Thought, &rest[..end.start]);
                            rest = &rest[end.end..];
                            self.looked = 0;
                            self.state = State::Start;
                            continue;
                        }
                        Found::MayEnd(at) => (at, at),
                        Found::None(at) => (rest.len(), at),
                    };
                    self.looked = looked;
                    return self.show_thought(rest, sure, show);
                }
                State::Text => {
                    if !rest.is_empty() {
                        show(Part::Text, rest);
                    }
                    return "";
                }
            }
        }
    }

    /// Shows the reasoning except its last bytes: at least `HELD_BACK` bytes before `to` are held back. The reasoning does
    /// not end before `to`. Returns the text that was not shown.
    fn show_thought<'a>(
        &mut self,
        thought: &'a str,
        to: usize,
        show: &mut impl FnMut(Part, &str),
    ) -> &'a str {
        let sure = thought.floor_char_boundary(to.saturating_sub(HELD_BACK));
        if sure <= HELD_BACK {
            return thought;
        }
        show(Part::Thought, &thought[..sure]);
        self.looked = self.looked.saturating_sub(sure);
        &thought[sure..]
    }
}
