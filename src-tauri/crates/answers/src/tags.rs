//! Recognises, at a given position in text, the tags that models put around their reasoning.
//!
//! Sources: the chat templates of the models, and the reasoning parsers of vLLM and llama.cpp.

/// What ends a reasoning block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Close<'a> {
    /// The closing tag with this name in angle brackets, such as `</think>`. Case is ignored.
    Angle(&'a str),
    /// The closing tag with this name in square brackets, such as `[/think]`. Case is ignored.
    Square(&'a str),
    /// A special token of a model.
    Token(&'static str),
    /// The header of gpt-oss's channel `final`.
    Final,
    /// The header of the channel `final` without its special tokens, which is `assistantfinal`.
    BareFinal,
    /// One of these phrases at the start of a line.
    Phrase(&'static [&'static str]),
}

/// A mark, that is a tag, token or header, at a position in text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark<'a> {
    /// The start of a reasoning block. If `must_end` is true and the block has no end, it counts as text.
    Open {
        length: usize,
        close: Close<'a>,
        must_end: bool,
    },
    /// A mark that neither opens a block nor has content: `<think/>`, a closing tag, or the header of an answer.
    Empty {
        length: usize,
        is_end: bool,
    },
    /// The text may become a mark. More text is needed to decide.
    Partial,
    None,
}

/// The names of reasoning tags, without a namespace (`seed:`, `mm:`) and without `-` and `_`.
const NAMES: [&str; 18] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "thoughtprocess",
    "reasoning",
    "reasoningprocess",
    "reasoningscratchpad",
    "chainofthought",
    "cot",
    "innerthoughts",
    "innermonologue",
    "internalthoughts",
    "internalmonologue",
    "scratchpad",
    "deepthink",
    "antthinking",
    "longcatthink",
];

/// The names of reasoning tags in square brackets. Plays and notes use the same words in brackets, so only a complete pair
/// counts.
const SQUARE: [&str; 4] = ["think", "thinking", "thought", "reasoning"];

/// Pairs of special tokens around reasoning: Mistral, Kimi, Cohere, Sky-T1, Apertus, Gemma 4, MedGemma, and the forms that
/// chat templates use in place of `think`.
pub(crate) const TOKENS: [(&str, &str); 10] = [
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought", "<channel|>"),
    ("<unused94>thought", "<unused95>"),
    ("<|think|>", "<|/think|>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<|thought|>", "<|/thought|>"),
];

/// The tags and tokens around an answer that follows reasoning. Tags count only as a pair. A special token also counts
/// alone.
pub(crate) const WRAPPERS: [(&str, &str); 10] = [
    ("<final>", "</final>"),
    ("<output>", "</output>"),
    ("[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"),
    ("<|begin_of_box|>", "<|end_of_box|>"),
    ("<answer>", "</answer>"),
    ("<response>", "</response>"),
    ("<final_answer>", "</final_answer>"),
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
    ("<|begin_of_answer|>", "<|end_of_answer|>"),
];

/// Headers that a chat template puts before an answer, and that some servers do not remove.
const HEADERS: [&str; 4] = [
    "<|im_start|>assistant",
    "<|begin|>assistant<|content|>",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<start_of_turn>model",
];

/// Phrases with which Granite 3.2 and Apriel begin and end their reasoning.
const PHRASES: [(&str, &[&str]); 3] = [
    (
        "Here is my thought process:",
        &["Here is my response:", "Here's my response:"],
    ),
    (
        "Here's my thought process:",
        &["Here is my response:", "Here's my response:"],
    ),
    ("Here are my reasoning steps:", &["[BEGIN FINAL RESPONSE]"]),
];

/// Tokens that end a turn, and that some servers do not remove from the answer.
const TURN_ENDS: [&str; 10] = [
    "<|im_end|>",
    "</s>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|end|>",
    "<|return|>",
    "<end_of_turn>",
    "<|end_of_box|>",
    "<｜end▁of▁sentence｜>",
];

/// Removes the tokens at the end of `text` that end a model's turn. A `</s>` that closes struck text is not such a token.
pub(crate) fn without_turn_ends(text: &str) -> &str {
    let mut text = text;
    loop {
        let whole = text.trim_end();
        let inner = TURN_ENDS.iter().find_map(|end| whole.strip_suffix(end));
        match inner {
            Some(inner) if !(whole.ends_with("</s>") && inner.contains("<s>")) => {
                text = inner.trim_end();
            }
            _ => return text,
        }
    }
}

/// The maximum length of a tag with its attributes, in bytes.
const MOST: usize = 300;

pub(crate) const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
/// The channel that contains the answer.
const FINAL: &str = "final";
/// The tokens that end a message of gpt-oss.
pub(crate) const MESSAGE_ENDS: [&str; 4] = ["<|return|>", "<|end|>", "<|call|>", "<|start|>"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    pub(crate) name: &'a str,
    pub(crate) attributes: &'a str,
    pub(crate) length: usize,
    pub(crate) closes: bool,
    /// Whether the tag is self-closing, as in `<think/>`.
    pub(crate) is_empty: bool,
}

/// The result of reading a tag at the start of the text.
pub(crate) enum Read<'a> {
    Tag(Tag<'a>),
    /// An incomplete tag.
    Partial,
    None,
}

/// Reads a tag between `open` and `end` at the start of `text`: `<`, an optional `/`, a name, and optional attributes.
pub(crate) fn tag(text: &str, open: char, end: char) -> Read<'_> {
    let Some(inner) = text.strip_prefix(open) else {
        return Read::None;
    };
    let window = prefix(inner, MOST);
    let Some(stop) = window.find([end, open]) else {
        let start = window.trim_ascii_start().chars().next();
        let may = start.is_none_or(|c| c == '/' || is_of_name(c));
        return if may && inner.len() <= MOST {
            Read::Partial
        } else {
            Read::None
        };
    };
    if !window[stop..].starts_with(end) {
        return Read::None;
    }
    let body = window[..stop].trim_ascii();
    let (body, closes) = match body.strip_prefix('/') {
        Some(body) => (body.trim_ascii_start(), true),
        None => (body, false),
    };
    let (body, is_empty) = match body.strip_suffix('/') {
        Some(body) => (body.trim_ascii_end(), true),
        None => (body, false),
    };
    let name_end = body.find(|c| !is_of_name(c)).unwrap_or(body.len());
    let (name, attributes) = body.split_at(name_end);
    if name.is_empty() || !(attributes.is_empty() || attributes.starts_with([' ', '\t', '\n'])) {
        return Read::None;
    }
    Read::Tag(Tag {
        name,
        attributes,
        length: open.len_utf8() + stop + end.len_utf8(),
        closes,
        is_empty,
    })
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-' | '.')
}

/// Returns at most the first `most` bytes of `text`, truncated at a character boundary.
fn prefix(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most.min(text.len()))]
}

fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Returns whether `text` is a proper prefix of `word`, ignoring ASCII case.
fn may_become(text: &str, word: &str) -> bool {
    text.len() < word.len()
        && word
            .get(..text.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(text))
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns whether a tag of this name always encloses reasoning. Case, a namespace, `-` and `_` are ignored.
pub(crate) fn is_thought(name: &str) -> bool {
    let local = name.rsplit_once(':').map_or(name, |(_, local)| local);
    NAMES.iter().any(|known| {
        let letters = local.bytes().filter(|byte| !matches!(byte, b'-' | b'_'));
        letters
            .map(|byte| byte.to_ascii_lowercase())
            .eq(known.bytes())
    })
}

/// Returns whether a tag of this name can enclose reasoning. Some of these names, such as `details`, also have other uses.
pub(crate) fn can_be_thought(name: &str) -> bool {
    is_thought(name) || is_one_of(name, &["details", "reflection"]) || is_one_of(name, &SQUARE)
}

/// Returns whether a tag is `<details type="reasoning">`, which some chat programs write when they act as servers.
fn is_details(tag: &Tag<'_>) -> bool {
    tag.name.eq_ignore_ascii_case("details")
        && ["type=\"reasoning\"", "type='reasoning'", "type=reasoning"]
            .iter()
            .any(|kind| tag.attributes.contains(kind))
}

/// Recognises a mark at the start of `text`, such as `<think>`. `behind` is true if a reasoning block precedes `text`.
pub(crate) fn mark(text: &str, behind: bool) -> Mark<'_> {
    if text.is_empty() {
        return Mark::Partial;
    }
    let mut partial = false;
    for (open, end) in TOKENS {
        if text.starts_with(open) {
            return Mark::Open {
                length: open.len(),
                close: Close::Token(end),
                must_end: false,
            };
        }
        if text.starts_with(end) {
            return Mark::Empty {
                length: end.len(),
                is_end: true,
            };
        }
        partial |= may_become(text, open) || may_become(text, end);
    }
    for header in HEADERS {
        if text.starts_with(header) {
            return Mark::Empty {
                length: header.len(),
                is_end: false,
            };
        }
        partial |= may_become(text, header);
    }
    match channel(text) {
        Mark::None => {}
        Mark::Partial => partial = true,
        found => return found,
    }
    match tag(text, '<', '>') {
        Read::Tag(tag) => {
            let is_block = is_thought(tag.name)
                || is_details(&tag)
                || (behind && tag.name.eq_ignore_ascii_case("reflection"));
            if is_block && (tag.closes || tag.is_empty) {
                return Mark::Empty {
                    length: tag.length,
                    is_end: tag.closes,
                };
            }
            if is_block {
                return Mark::Open {
                    length: tag.length,
                    close: Close::Angle(tag.name),
                    must_end: false,
                };
            }
        }
        Read::Partial => partial = true,
        Read::None => {}
    }
    if let Read::Tag(tag) = tag(text, '[', ']')
        && is_one_of(tag.name, &SQUARE)
        && tag.attributes.is_empty()
        && !tag.closes
    {
        return Mark::Open {
            length: tag.length,
            close: Close::Square(tag.name),
            must_end: true,
        };
    }
    const BARE_FINAL: &str = "assistantfinal";
    if starts_with(text, BARE_FINAL) {
        return Mark::Empty {
            length: BARE_FINAL.len(),
            is_end: false,
        };
    }
    partial |= may_become(text, BARE_FINAL);
    for (phrase, ends) in PHRASES {
        if text.starts_with(phrase) {
            return Mark::Open {
                length: phrase.len(),
                close: Close::Phrase(ends),
                must_end: true,
            };
        }
    }
    // Some servers drop the first token of the header.
    const NO_CHANNEL: &str = "analysis<|message|>";
    if text.starts_with(NO_CHANNEL) {
        return Mark::Open {
            length: NO_CHANNEL.len(),
            close: Close::Final,
            must_end: false,
        };
    }
    if NO_CHANNEL.starts_with(text) {
        return Mark::Partial;
    }
    // Some decoders omit the special tokens.
    if text
        .strip_prefix("analysis")
        .is_some_and(|rest| !rest.starts_with(char::is_whitespace))
    {
        return Mark::Open {
            length: "analysis".len(),
            close: Close::BareFinal,
            must_end: true,
        };
    }
    if partial { Mark::Partial } else { Mark::None }
}

/// Returns the text after the channel token in the header of a gpt-oss message, as in
/// `<|start|>assistant<|channel|>analysis<|message|>`. Returns `None` if `text` does not begin with such a header.
fn behind_channel(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("<|start|>").unwrap_or(text);
    let rest = rest.strip_prefix("assistant").unwrap_or(rest);
    rest.strip_prefix(CHANNEL)
}

/// Returns whether `text` may become the header of a gpt-oss message but does not contain the channel yet.
fn may_become_header(text: &str) -> bool {
    [
        "<|start|>assistant<|channel|>",
        "<|start|><|channel|>",
        "assistant<|channel|>",
        CHANNEL,
    ]
    .iter()
    .any(|header| header.starts_with(text))
}

/// Recognises the header of a gpt-oss message at the start of `text`.
fn channel(text: &str) -> Mark<'_> {
    let Some(rest) = behind_channel(text) else {
        return if may_become_header(text) {
            Mark::Partial
        } else {
            Mark::None
        };
    };
    let before = text.len() - rest.len();
    let head = prefix(rest, MOST);
    let name = head.trim_ascii_start();
    if may_become(name, FINAL) {
        return Mark::Partial;
    }
    let header = head.find(MESSAGE).map(|at| before + at + MESSAGE.len());
    match (header, starts_with(name, FINAL)) {
        (Some(length), true) => Mark::Empty {
            length,
            is_end: false,
        },
        (Some(length), false) => Mark::Open {
            length,
            close: Close::Final,
            must_end: false,
        },
        (None, _) if rest.len() < MOST => Mark::Partial,
        (None, true) => Mark::None,
        (None, false) => Mark::Open {
            length: before,
            close: Close::Final,
            must_end: false,
        },
    }
}

/// The result of reading the header of the channel `final`.
pub(crate) enum Header {
    /// The header is complete, and its length in bytes is this number.
    Whole(usize),
    /// An incomplete header.
    Partial,
    None,
}

/// Reads the header of the channel `final` at the start of `text`.
pub(crate) fn final_header(text: &str) -> Header {
    let Some(rest) = behind_channel(text) else {
        return if may_become_header(text) {
            Header::Partial
        } else {
            Header::None
        };
    };
    let head = prefix(rest, MOST);
    let name = head.trim_ascii_start();
    let is_final = starts_with(name, FINAL);
    let message = if is_final { head.find(MESSAGE) } else { None };
    match message {
        Some(at) => Header::Whole(text.len() - rest.len() + at + MESSAGE.len()),
        None if rest.len() < MOST && (is_final || may_become(name, FINAL)) => Header::Partial,
        None => Header::None,
    }
}
