//! The input of a loop that appends its feedback but keeps only some of the parts.
//!
//! The input consists of the text with which the loop began, a note or a summary in place of the older parts, and the newest
//! parts. The text with which the loop began is always kept, because it usually states the task.

use std::collections::VecDeque;

use crate::plan::repeat::Keep;

/// The line between two parts.
pub(super) const SEPARATOR: &str = "\n---\n";

/// The parts of an appended input.
#[derive(Default)]
pub(super) struct Appended {
    /// The text before the first part.
    start: String,
    /// The parts that are kept unchanged, oldest first.
    parts: VecDeque<String>,
    /// The number of parts that are no longer in the input.
    left_out: usize,
    /// The summary that replaces the parts that are no longer in the input, if there is one.
    summary: Option<String>,
}

impl Appended {
    /// Adds a part to the input of an iteration, and returns the input of the next one. `summary` is the text that replaces the
    /// older parts, or `None` if this iteration has none. If `keep` has an expression for the summary but the summary is
    /// missing or empty, the older parts stay.
    pub(super) fn add(
        &mut self,
        input: &str,
        part: &str,
        keep: &Keep,
        summary: Option<&str>,
    ) -> String {
        // In the first iteration, and in a fork that begins with another input, this is the text to start with.
        if self.text() != input {
            *self = Self {
                start: input.to_owned(),
                ..Self::default()
            };
        }
        self.parts.push_back(part.to_owned());
        let older = self.parts.len().saturating_sub(keep.last.max(1));
        let summary = summary.filter(|summary| !summary.trim().is_empty());
        if older > 0 && (keep.summary.is_none() || summary.is_some()) {
            self.parts.drain(..older);
            self.left_out += older;
            self.summary = summary.map(str::to_owned);
        }
        self.text()
    }

    fn text(&self) -> String {
        let parts = match self.left_out {
            1 => "1 earlier part".to_owned(),
            count => format!("{count} earlier parts"),
        };
        let replaced = match (&self.summary, self.left_out) {
            (_, 0) => None,
            (None, 1) => Some(format!("[{parts} is left out]")),
            (None, _) => Some(format!("[{parts} are left out]")),
            (Some(summary), _) => Some(format!("[Summary of {parts}]\n{summary}")),
        };
        let mut text = self.start.clone();
        for part in replaced
            .as_deref()
            .into_iter()
            .chain(self.parts.iter().map(String::as_str))
        {
            text.push_str(SEPARATOR);
            text.push_str(part);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use loopwright_template::Expression;

    use super::{Appended, Keep};

    fn inputs(keep: &Keep, steps: &[(&str, Option<&str>)]) -> Vec<String> {
        let mut appended = Appended::default();
        let mut input = "task".to_owned();
        let mut next = |&(part, summary): &(&str, Option<&str>)| {
            input = appended.add(&input, part, keep, summary);
            input.replace("\n---\n", "|")
        };
        steps.iter().map(&mut next).collect()
    }

    fn summarising(last: usize) -> Keep {
        Keep {
            last,
            summary: Some(Expression::parse("summary").expect("an expression")),
        }
    }

    #[test]
    fn the_newest_parts_stay_and_the_text_says_how_many_are_left_out() {
        let keep = Keep {
            last: 2,
            summary: None,
        };
        let all = inputs(&keep, &[("a", None), ("b", None), ("c", None), ("d", None)]);
        assert_eq!(
            all,
            [
                "task|a",
                "task|a|b",
                "task|[1 earlier part is left out]|b|c",
                "task|[2 earlier parts are left out]|c|d",
            ]
        );
    }

    #[test]
    fn a_summary_replaces_the_older_parts_and_without_one_they_stay() {
        let steps = [
            ("a", Some("s1")),
            ("b", None),
            ("c", Some(" ")),
            ("d", Some("s4")),
        ];
        assert_eq!(
            inputs(&summarising(1), &steps),
            [
                "task|a",
                "task|a|b",
                "task|a|b|c",
                "task|[Summary of 3 earlier parts]\ns4|d",
            ]
        );
    }

    #[test]
    fn an_input_from_elsewhere_is_a_new_beginning() {
        let mut appended = Appended::default();
        let keep = Keep {
            last: 1,
            summary: None,
        };
        let first = appended.add("task", "a", &keep, None);
        appended.add(&first, "b", &keep, None);
        let edited = appended.add("another task", "c", &keep, None);
        assert_eq!(edited, "another task\n---\nc");
    }
}
