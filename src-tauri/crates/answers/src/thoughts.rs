//! The thoughts at the beginning of an answer, and the text behind them.

use std::ops::Range;

use crate::{
    json,
    marks::{fences, is_quoted, may_be_quoted},
    tags::{
        CHANNEL, Close, MESSAGE_ENDS, Mark, Read, TOKENS, WRAPPERS, can_be_thought, final_header,
        is_thought, mark, tag,
    },
};

/// An answer in its parts. All of them are slices of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The blocks of thoughts, in order, without their tags.
    pub thoughts: Vec<&'a str>,
    /// What the model said. An answer without thoughts is here as it came.
    pub text: &'a str,
    /// The last block has no end: the answer was cut within its thoughts, or has none.
    pub is_open: bool,
}

impl Answer<'_> {
    /// Whether the model thought aloud.
    pub fn has_thoughts(&self) -> bool {
        self.thoughts
            .iter()
            .any(|thought| !thought.trim().is_empty())
    }

    /// The blocks of thoughts as one text.
    pub fn thoughts(&self) -> String {
        let thoughts = self.thoughts.iter().map(|thought| thought.trim());
        let thoughts: Vec<_> = thoughts.filter(|thought| !thought.is_empty()).collect();
        thoughts.join("\n\n")
    }
}

/// White space, and what stands before a text without being seen.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}')
}

/// Takes the thoughts at the beginning of an answer apart from its text.
///
/// Without thoughts the text is the answer, to the byte.
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
                // A thought that opens a block of its own has that block's end as well.
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
                // The template of some models has the opening tag, so that the end alone arrives.
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

/// Whether an answer ends within the tag that would have opened its thoughts.
fn is_cut_opening(text: &str) -> bool {
    text.contains(CHANNEL) || text.strip_prefix('<').is_some_and(is_thought)
}

/// Where the next `<` or `[` at or behind `from` is.
fn next(text: &str, from: usize, open: char) -> Option<usize> {
    text[from..].find(open).map(|at| from + at)
}

/// The tags in a text that can be around thoughts, from left to right. Those that are quoted are left out.
fn tags_of(text: &str, open: char, end: char) -> impl Iterator<Item = (Range<usize>, &str, bool)> {
    tags_from(text, 0, open, end)
}

/// As [`tags_of`], of those that begin at or behind `from`.
fn tags_from(
    text: &str,
    from: usize,
    open: char,
    end: char,
) -> impl Iterator<Item = (Range<usize>, &str, bool)> {
    let mut from = from;
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

/// Where a block ends, with the mark that ends it.
fn end_of(body: &str, close: Close<'_>) -> Option<Range<usize>> {
    match close {
        Close::Token(end) => token_from(body, 0, end),
        Close::Angle(name) => {
            // Small models end a block by another name than they began it with.
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
            let mut from = 0;
            while let Some(at) = next(body, from, '<') {
                if let Some(length) = final_header(&body[at..]) {
                    return Some(at..at + length);
                }
                from = at + 1;
            }
            None
        }
        Close::BareFinal => {
            let end = "assistantfinal";
            body.find(end).map(|at| at..at + end.len())
        }
    }
}

/// Where a block ends by its own name: what is known before the whole answer is there.
/// None begins before `from`.
fn own_end_of(body: &str, from: usize, close: Close<'_>) -> Option<Range<usize>> {
    match close {
        Close::Angle(name) => tags_from(body, from, '<', '>')
            .find(|(_, closed, closes)| *closes && closed.eq_ignore_ascii_case(name))
            .map(|(place, _, _)| place),
        Close::Token(end) => token_from(body, from, end),
        close => end_of(body, close),
    }
}

/// The first token at or behind `from` that is not quoted.
fn token_from(text: &str, from: usize, token: &str) -> Option<Range<usize>> {
    let mut from = from;
    while let Some(at) = text[from..].find(token) {
        let place = from + at..from + at + token.len();
        if !is_quoted(text, &place) {
            return Some(place);
        }
        from = place.end;
    }
    None
}

/// The next end of the same name, unless a block begins before it.
fn next_end(text: &str, close: Close<'_>) -> Option<Range<usize>> {
    let Close::Angle(name) = close else {
        return None;
    };
    tags_of(text, '<', '>')
        .next()
        .filter(|(_, found, closes)| *closes && found.eq_ignore_ascii_case(name))
        .map(|(place, _, _)| place)
}

/// How many blocks of the same name are opened in a text.
fn openings(text: &str, close: Close<'_>) -> usize {
    match close {
        Close::Angle(name) => tags_of(text, '<', '>')
            .filter(|(_, opened, closes)| !closes && opened.eq_ignore_ascii_case(name))
            .count(),
        _ => 0,
    }
}

/// The first end of a block that nothing opened, and that is not spoken of: not in code, in quotation marks or in JSON.
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

/// The answer without the marks that some models put around it behind their thoughts.
fn unwrapped(text: &str) -> &str {
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
    text
}

/// What of a thought is held back, in bytes: the longest tag, and as much before it as says whether it is quoted.
const HELD_BACK: usize = 512;

/// So much white space begins an answer that has no thoughts, in bytes.
const MOST_BLANK: usize = 4096;

/// What a piece of a stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Thought,
    Text,
}

/// Takes thoughts apart while an answer arrives, for those who watch. What the answer is, [`split`] says at its end: where only a
/// closing tag arrives, what came before it was shown as text.
#[derive(Debug, Default)]
pub struct Splitter {
    state: State,
    /// What is not decided yet.
    held: String,
    /// A block came before.
    found: bool,
    /// An end was found that may turn out to be quoted.
    waits: bool,
    /// No end begins before it.
    looked: usize,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Start,
    /// Until the end of the block. The name of a tag is kept with it.
    Thought(Ending),
    Text,
}

#[derive(Debug, Clone)]
enum Ending {
    Angle(String),
    Token(&'static str),
    Final,
}

impl Ending {
    fn close(&self) -> Close<'_> {
        match self {
            Self::Angle(name) => Close::Angle(name),
            Self::Token(end) => Close::Token(end),
            Self::Final => Close::Final,
        }
    }
}

impl Splitter {
    /// Takes in what arrived, and gives what is decided to `show`.
    pub fn push(&mut self, piece: &str, mut show: impl FnMut(Part, &str)) {
        if matches!(self.state, State::Text) {
            show(Part::Text, piece);
            return;
        }
        self.held.push_str(piece);
        // Every mark ends with one of these.
        let may_end = self.waits || piece.contains(['>', ']', '▷']);
        if may_end || !matches!(self.state, State::Thought(_)) {
            self.advance(&mut show, false);
        } else {
            self.show_thought(&mut show);
        }
    }

    /// Shows a thought up to where its end may begin.
    fn show_thought(&mut self, show: &mut impl FnMut(Part, &str)) {
        let sure = self.held.len().saturating_sub(HELD_BACK);
        let sure = self.held.floor_char_boundary(sure);
        if sure > HELD_BACK {
            show(Part::Thought, &self.held[..sure]);
            self.held.drain(..sure);
            self.looked = self.looked.saturating_sub(sure);
        }
    }

    /// Nothing follows.
    pub fn end(&mut self, mut show: impl FnMut(Part, &str)) {
        self.advance(&mut show, true);
        let held = std::mem::take(&mut self.held);
        match self.state {
            State::Thought(_) => show(Part::Thought, &held),
            State::Start if self.found => show(Part::Text, held.trim_start_matches(is_blank)),
            State::Start | State::Text => show(Part::Text, &held),
        }
        self.state = State::Text;
    }

    fn advance(&mut self, show: &mut impl FnMut(Part, &str), is_all: bool) {
        loop {
            match &self.state {
                State::Start => {
                    let start = self.held.trim_start_matches(is_blank);
                    let blank = self.held.len() - start.len();
                    if start.is_empty() && self.found {
                        self.held.clear();
                        return;
                    }
                    if start.is_empty() && blank < MOST_BLANK {
                        return;
                    }
                    let (length, ending) = match mark(start, self.found) {
                        Mark::Partial if blank < MOST_BLANK => return,
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
                        // Whether it is a block shows at its end alone.
                        Mark::Open { .. } | Mark::Partial | Mark::None => {
                            let held = std::mem::take(&mut self.held);
                            let from = if self.found { blank } else { 0 };
                            show(Part::Text, &held[from..]);
                            self.state = State::Text;
                            return;
                        }
                    };
                    self.held.drain(..blank + length);
                    self.found = true;
                    if let Some(ending) = ending {
                        self.state = State::Thought(ending);
                    }
                }
                State::Thought(ending) => {
                    let Some(end) = own_end_of(&self.held, self.looked, ending.close()) else {
                        self.waits = false;
                        // What is still open may become an end.
                        let open = self.held.rfind(['<', '[', '◁']);
                        let open =
                            open.filter(|open| !self.held[*open..].contains(['>', ']', '▷']));
                        self.looked = open.unwrap_or(self.held.len());
                        self.show_thought(show);
                        return;
                    };
                    self.waits = !is_all && may_be_quoted(&self.held, &end);
                    if self.waits {
                        return;
                    }
                    show(Part::Thought, &self.held[..end.start]);
                    self.held.drain(..end.end);
                    self.looked = 0;
                    self.state = State::Start;
                }
                State::Text => {
                    let held = std::mem::take(&mut self.held);
                    if !held.is_empty() {
                        show(Part::Text, &held);
                    }
                    return;
                }
            }
        }
    }
}
