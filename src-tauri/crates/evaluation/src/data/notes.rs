//! Notes about rows whose content the reader changed or ignored.

/// A fact about one or more rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fact {
    /// A promptfoo assertion of a type other than `equals`. The text is the type.
    Assertion(String),
    /// A promptfoo field or column that this program ignores. The text is its name.
    Ignored(String),
    /// More than one `equals` assertion. Only the first counts.
    SeveralEquals,
    /// Expected text that contains a template.
    Template,
    /// A value that names a file. The file is not read.
    FileReference,
    /// Lists in `vars`, which expand to a case for each combination.
    Combinations,
    /// A row that occurs more than once.
    Repeated,
    /// A conversation of several messages, which were joined.
    Conversation,
    /// An input with another name is read from the column `input`. The text is the name of the input.
    InputFills(String),
}

/// Facts about rows. Each fact has the number of rows that it concerns and the first such row.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    facts: Vec<(Fact, u32, u32)>,
    sentences: Vec<String>,
}

impl Notes {
    pub(crate) fn add(&mut self, fact: Fact, line: u32) {
        // The number is limited because assertion types come from the file, which may contain any number of them.
        const MAX_FACTS: usize = 100;
        if let Some((_, count, _)) = self.facts.iter_mut().find(|(known, ..)| *known == fact) {
            *count = count.saturating_add(1);
        } else if self.facts.len() < MAX_FACTS {
            self.facts.push((fact, 1, line));
        }
    }

    pub(crate) fn add_sentence(&mut self, sentence: impl Into<String>) {
        self.sentences.push(sentence.into());
    }

    /// Returns the notes as sentences, in the order in which the facts first appeared. `unit` is the word for a row: line or
    /// item.
    pub(crate) fn into_sentences(self, unit: &str) -> Vec<String> {
        let mut sentences = self.sentences;
        for (fact, count, first) in &self.facts {
            let rows = match (fact, count) {
                (Fact::InputFills(_), _) => String::new(),
                (_, 1) => format!(" ({unit} {first})"),
                _ => format!(" ({count} times, first in {unit} {first})"),
            };
            sentences.push(match fact {
                Fact::Assertion(name) => format!(
                    "The assertion `{name}` is not imported{rows}. {}",
                    remedy(name)
                ),
                Fact::Ignored(name) => format!("`{name}` has no effect here{rows}."),
                Fact::SeveralEquals => format!(
                    "A test has more than one `equals` assertion{rows}. The first is the expected value."
                ),
                Fact::Template => format!(
                    "An `equals` assertion contains a template and is not imported{rows}. Write the expected text."
                ),
                Fact::FileReference => format!(
                    "A value begins with `file://` and is used unchanged{rows}. Put the content of the file into the data set."
                ),
                Fact::Combinations => format!(
                    "A test has lists in `vars`{rows}. Each combination of their items is a case, as in promptfoo."
                ),
                Fact::Repeated => format!(
                    "A row repeats an earlier row{rows}. It runs as a separate case, whose id ends in `#` and a number."
                ),
                Fact::Conversation => format!(
                    "An input contains several messages{rows}. They are joined into one string, each preceded by its role."
                ),
                Fact::InputFills(name) => {
                    format!("The column `input` fills the input `{name}`.")
                }
            });
        }
        sentences
    }
}

/// Returns advice on how to replace a promptfoo assertion.
fn remedy(assertion: &str) -> &'static str {
    match assertion.strip_prefix("not-").unwrap_or(assertion) {
        _ if assertion.starts_with("not-") => "Add an `expression` scorer.",
        "contains" | "contains-all" | "icontains" | "icontains-all" => "Add a `contains` scorer.",
        "regex" => "Add a `regex` scorer.",
        "is-json" => "Add a `json_schema` scorer.",
        "similar" | "levenshtein" => "Add a `similarity` scorer.",
        "javascript" | "python" => "Add a `script` scorer.",
        "llm-rubric"
        | "g-eval"
        | "factuality"
        | "model-graded-closedqa"
        | "model-graded-factuality"
        | "answer-relevance" => "Add an `llm` scorer with a rubric.",
        "cost" => "Assert `costUsd` instead.",
        _ => "Add a scorer that does the same check.",
    }
}
