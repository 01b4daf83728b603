//! Parses a prompt, according to its layout, into the question, the passages that have been found, and the earlier searches.
//!
//! A loop in `append` mode grows its input as question, `---`, notes, `---`, notes. A prompt template may append results. A
//! passage is a line that begins with a Markdown link, `[Title](path)`, and the text up to the next such line. Results may
//! also be JSON, in the prompt or in the call's context.

use std::collections::HashSet;

use loopwright_engine::{NodeError, host::ModelRequest};
use loopwright_text::{Word, sentences, words};
use serde_json::Value;

use super::lexicon;

/// The separator between the parts of an appended input.
const RULE: &str = "\n---\n";

/// The parts of a parsed prompt.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) question: String,
    pub(crate) passages: Vec<Passage>,
    /// Queries of earlier iterations, oldest first.
    pub(crate) searched: Vec<String>,
    /// The answer that the judge must assess, if the prompt contains one.
    pub(crate) draft: Option<String>,
}

/// A passage: text with a title.
#[derive(Debug, Clone)]
pub(crate) struct Passage {
    pub(crate) title: String,
    pub(crate) path: String,
    pub(crate) title_words: Vec<Word>,
    pub(crate) sentences: Vec<Sentence>,
}

#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    pub(crate) words: Vec<Word>,
    pub(crate) stems: HashSet<String>,
    /// The indices of the words with the years of birth and death, if the sentence contains these two years in brackets.
    pub(crate) life: Option<(usize, usize)>,
}

/// Returns the words of `text`, each with the stem of its base form.
pub(crate) fn tokens(text: &str) -> Vec<Word> {
    let mut words = words(text);
    for word in &mut words {
        word.stem = lexicon::stem(&word.lower);
    }
    words
}

impl Sentence {
    fn new(text: &str) -> Self {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = tokens(&text);
        let mut stems: HashSet<String> = words.iter().map(|word| word.stem.clone()).collect();
        let life = life(&text, &words);
        if life.is_some() {
            stems.extend(["born", "die"].map(str::to_owned));
        }
        Self {
            text,
            words,
            stems,
            life,
        }
    }
}

/// Finds the two years in brackets after a person's name, with a dash between them. Returns the indices of their words, or
/// `None` if there are none.
fn life(text: &str, words: &[Word]) -> Option<(usize, usize)> {
    let open = text.find('(')?;
    let close = open + text[open..].find(')')?;
    let dash = open + text[open..close].find(['–', '—', '-'])?;
    let year = |from: usize, to: usize| {
        let within = |word: &Word| word.start >= from && word.end <= to;
        let mut words = words.iter();
        words.rposition(|word| within(word) && lexicon::is_year(&word.lower))
    };
    Some((year(open, dash)?, year(dash, close)?))
}

impl Passage {
    fn add(&mut self, text: &str) {
        for part in sentences(text) {
            let sentence = Sentence::new(part.trim_end_matches('…'));
            let mut known = self.sentences.iter();
            if !known.any(|known| known.text.starts_with(&sentence.text)) {
                self.sentences.push(sentence);
            }
        }
    }

    /// Returns the reference to the passage in an answer.
    pub(crate) fn citation(&self) -> String {
        let Self { title, path, .. } = self;
        match (title.is_empty(), path.is_empty()) {
            (_, true) => title.clone(),
            (true, false) => format!("[{path}]({path})"),
            (false, false) => format!("[{title}]({path})"),
        }
    }

    /// Returns whether the sentence mentions the title.
    pub(super) fn is_named_in(&self, sentence: &Sentence) -> bool {
        let title = &self.title_words;
        let named = |run: &[Word]| {
            run.iter()
                .zip(title)
                .all(|(one, other)| one.stem == other.stem)
        };
        !title.iter().all(Word::is_stop) && sentence.words.windows(title.len()).any(named)
    }
}

/// Returns the words with which other text would refer to a page with this title. A leading article and an explanation in
/// brackets are left out.
fn title_words(title: &str) -> Vec<Word> {
    let title = title.split(" (").next().unwrap_or(title);
    let mut words = tokens(title);
    if words.len() > 1 && matches!(words[0].lower.as_str(), "the" | "a" | "an") {
        words.remove(0);
    }
    words
}

impl Notes {
    /// Parses `prompt` and the call's context.
    pub(crate) fn read(prompt: &str, context: Option<&Value>) -> Self {
        let prompt = prompt.replace("\r\n", "\n");
        let mut parts = prompt.split(RULE);
        let mut notes = Self::default();
        let first = parts.next().unwrap_or_default().trim();
        let labelled = first
            .split_once(':')
            .filter(|(label, _)| ["question", "q"].contains(&label.to_lowercase().as_str()));
        let first = labelled.map_or(first, |(_, first)| first.trim());
        // Without a separator, a blank line ends the question.
        let (question, rest) = match first.split_once("\n\n") {
            Some((question, rest)) => (question, Some(rest)),
            None => (first, None),
        };
        notes.question = question.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in rest.into_iter().chain(parts) {
            notes.read_part(part);
        }
        context
            .into_iter()
            .for_each(|value| notes.read_value(value));
        notes
    }

    /// Parses the prompt and the context of a request, which must contain a question. `who` is the name of the built-in model,
    /// for the error message.
    ///
    /// # Errors
    /// `no_question` if the question is empty.
    pub(crate) fn with_question(request: &ModelRequest, who: &str) -> Result<Self, NodeError> {
        let notes = Self::read(&request.prompt, request.context.as_ref());
        if notes.question.is_empty() {
            let why = format!(
                "The built-in {who} received no question. Wire its prompt input. The question is the part before the first `---`."
            );
            return Err(NodeError::new("no_question", why));
        }
        Ok(notes)
    }

    fn read_part(&mut self, part: &str) {
        let part = part.trim();
        if let Ok(value @ (Value::Array(_) | Value::Object(_))) = serde_json::from_str(part) {
            self.read_value(&value);
            return;
        }
        if let Some(draft) = part.strip_prefix("Draft answer:") {
            self.draft = Some(draft.trim().to_owned());
            return;
        }
        let mut current: Option<usize> = None;
        let mut loose = String::new();
        for line in part.lines() {
            if let Some(query) = line.trim().strip_prefix("Searched for:") {
                self.searched.push(query.trim().to_owned());
                current = None;
            } else if line.trim_start().starts_with("Still missing:") {
                current = None;
            } else if let Some((title, path, text)) = linked(line) {
                current = Some(self.add(title, path, text));
            } else if let Some(at) = current {
                self.passages[at].add(line);
            } else {
                loose = format!("{loose}{line}\n");
            }
        }
        if !loose.trim().is_empty() {
            self.add("", "", &loose);
        }
    }

    /// Adds every object that contains text as a passage, and parses every other string as a part of the prompt. Lists and
    /// other objects are searched recursively.
    fn read_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.read_part(text),
            Value::Array(items) => items.iter().for_each(|item| self.read_value(item)),
            Value::Object(fields) => {
                let text = |names: &[&str]| {
                    let found = names.iter().find_map(|name| fields.get(*name)?.as_str());
                    found.unwrap_or_default()
                };
                let body = text(&["text", "snippet", "body", "content"]);
                if body.is_empty() {
                    let inner = fields.values().filter(|value| !value.is_string());
                    inner.for_each(|value| self.read_value(value));
                } else {
                    self.add(
                        text(&["title", "name"]),
                        text(&["path", "url", "source"]),
                        body,
                    );
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Appends text to the passage with this title and path, or to a new passage. Text without title and path always becomes
    /// a new passage. Returns the passage's index.
    fn add(&mut self, title: &str, path: &str, text: &str) -> usize {
        let named = !(title.is_empty() && path.is_empty());
        let known = |passage: &Passage| named && passage.title == title && passage.path == path;
        let at = self.passages.iter().position(known).unwrap_or_else(|| {
            self.passages.push(Passage {
                title: title.to_owned(),
                path: path.to_owned(),
                title_words: title_words(title),
                sentences: Vec::new(),
            });
            self.passages.len() - 1
        });
        self.passages[at].add(text);
        at
    }
}

/// Parses a line that begins a passage. Returns its title, its path and the remaining text. Returns `None` for any other
/// line.
fn linked(line: &str) -> Option<(&str, &str, &str)> {
    let line = line.trim_start_matches(|c: char| {
        c.is_whitespace() || c.is_ascii_digit() || matches!(c, '#' | '-' | '*' | '.')
    });
    let (title, rest) = line.strip_prefix('[')?.split_once("](")?;
    let (path, text) = rest.split_once(')')?;
    Some((title, path, text.trim_start_matches(['*', ':', ' '])))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_appended_input_is_taken_apart() {
        let prompt = "Who built it?\n---\nSearched for: built it\n\n[The Harrow Light](light.md)\nIt was built by A. It is tall.\n\n\
                      Still missing: everything [x](y)\n---\n[The Harrow Light](light.md) It is tall.\n---\nDraft answer:\nNo.\n[The Harrow Light](light.md)";
        let context =
            json!([{ "title": "Hesk", "path": "hesk.md", "snippet": "An island.", "score": 2.5 }]);
        let notes = Notes::read(prompt, Some(&context));
        assert_eq!(notes.question, "Who built it?");
        assert_eq!(notes.searched, ["built it"]);
        let read: Vec<_> = notes
            .passages
            .iter()
            .map(|p| (p.citation(), p.sentences.len()))
            .collect();
        assert_eq!(
            read,
            [
                ("[The Harrow Light](light.md)".to_owned(), 2),
                ("[Hesk](hesk.md)".to_owned(), 1)
            ]
        );
        assert!(notes.draft.unwrap().starts_with("No."));
    }

    #[test]
    fn any_text_is_read() {
        for text in [
            "",
            "\n---\n",
            "[",
            "[a](",
            "Question: why\n\nBecause of this. And that.",
        ] {
            let _ = Notes::read(text, None);
        }
        let notes = Notes::read("Question: why\n\nBecause of this. And that.", None);
        assert_eq!(
            (notes.question.as_str(), notes.passages[0].sentences.len()),
            ("why", 2)
        );
    }
}
