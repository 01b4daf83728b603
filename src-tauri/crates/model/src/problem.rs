//! Problems in a flow. Each has a stable code, a location, a message in plain words, and sometimes a fix.

use serde::Serialize;
use serde_json::Value;

use crate::document::{Edge, Node};

/// Returns the title of a fix that sets a field to `value`.
pub(crate) fn set_it_to(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => format!("Set it to {text}"),
        other => format!("Set it to {other}"),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Error,
    Warning,
}

/// One error or warning. A flow with errors cannot run. Warnings are also recorded in the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Problem {
    pub code: &'static str,
    pub severity: Severity,
    /// The id of the node that has the problem. `None` if the problem is not in one node.
    pub node: Option<String>,
    /// The field (`template`), the handle (`prompt`) or the edge (`edge:e1`) that has the problem; `None` if none of these
    /// does.
    pub place: Option<String>,
    /// The position of the problem within the text at `place`, if that is a template, an expression or a script.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// A message that names the node and states the problem and its remedy.
    pub message: String,
    pub fix: Option<Fix>,
}

/// The maximum number of characters of a node's title that a message shows.
const TITLE: usize = 200;

/// Returns a node's title in quotes, as messages show it, such as `"Draft"`.
pub(crate) fn quoted(node: &Node) -> String {
    let title = node.title();
    match title.char_indices().nth(TITLE) {
        Some((end, _)) => format!("\"{}…\"", &title[..end]),
        None => format!("\"{title}\""),
    }
}

/// Returns a word with its article, such as `an Exit`, `a Loop` or `an LLM`.
pub(crate) fn with_article(word: &str) -> String {
    let spelled = ["LLM", "HTTP", "MCP"].contains(&word);
    let vowel = word.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']);
    let article = if spelled || vowel { "an" } else { "a" };
    format!("{article} {word}")
}

/// A range of text in UTF-16 code units, the unit of JavaScript strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct Span {
    pub from: u32,
    /// The end of the range. The unit at this offset is not part of the range.
    pub to: u32,
}

impl Span {
    /// Converts a byte range of `text` to a span. A byte offset that is not on a character boundary counts as the end of the
    /// text.
    pub fn of(text: &str, bytes: &std::ops::Range<usize>) -> Self {
        let units = |end: usize| {
            let before = text.get(..end).unwrap_or(text);
            u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX)
        };
        Self {
            from: units(bytes.start),
            to: units(bytes.end),
        }
    }

    /// Returns the span of the token at a line and column of `text`, both counted in characters from 1. The token is a word or
    /// a sequence of one repeated character. If the column is past the end of the line, returns the token of the line's last
    /// character. If the column is 0, returns the whole line. Returns `None` if the line does not exist.
    pub fn at(text: &str, line: usize, column: usize) -> Option<Self> {
        let rest = text.split_inclusive('\n').nth(line.checked_sub(1)?)?;
        let begin = rest.as_ptr().addr() - text.as_ptr().addr();
        let written = rest.trim_end_matches('\n');
        let Some(column) = column.checked_sub(1) else {
            return Some(Self::of(text, &(begin..begin + written.len())));
        };
        let last = || written.char_indices().next_back();
        let (from, first) = written.char_indices().nth(column).or_else(last)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let alike = |c: char| {
            if is_word(first) {
                is_word(c)
            } else {
                c == first
            }
        };
        let length = written[from..]
            .find(|c| !alike(c))
            .unwrap_or(written.len() - from);
        Some(Self::of(text, &(begin + from..begin + from + length)))
    }
}

impl Problem {
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            node: None,
            place: None,
            span: None,
            message: message.into(),
            fix: None,
        }
    }

    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    pub fn at(mut self, node: impl Into<String>) -> Self {
        self.node = Some(node.into());
        self
    }

    pub fn place(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    pub fn span(mut self, span: Option<Span>) -> Self {
        self.span = span;
        self
    }

    /// Sets the fix that the editor can apply. If `edits` is empty, the problem has no fix.
    pub fn fix(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = (!edits.is_empty()).then(|| Fix {
            title: title.into(),
            edits,
        });
        self
    }

    /// Sets the fix to one that sets a field of a node's data to `value`.
    pub fn set_to(self, node: &str, field: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.fix(
            set_it_to(&value),
            vec![Edit::SetData {
                node: node.to_owned(),
                field: field.to_owned(),
                value,
            }],
        )
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A change with which the editor can fix a problem. The user can undo it in one step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fix {
    /// The label of the button, such as `Add Exit`.
    pub title: String,
    pub edits: Vec<Edit>,
}

/// One change to the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Edit {
    AddNode {
        node: Node,
    },
    RemoveNode {
        id: String,
    },
    AddEdge {
        edge: Edge,
    },
    RemoveEdge {
        id: String,
    },
    UpdateEdge {
        edge: Edge,
    },
    /// Sets a field of a node's data. A `value` of null removes the field.
    SetData {
        node: String,
        field: String,
        value: Value,
    },
    SetSetting {
        field: String,
        value: Value,
    },
}
