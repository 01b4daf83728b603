//! The question of a waiting step to a person, and its wording. Code depends on the question's type; the wording is only for
//! people. The exception is questions in records of compatibility 4 and earlier, which are recognized by their wording.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};

/// A question to a person. In records and events, a question is an object whose `type` is the name of the variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Question {
    /// Whether the node with this title may use a tool.
    AllowTool { title: String, tool: String },
    /// Whether an interrupted call is made again, unchanged. `tool` is null if the node cannot name the call.
    Repeat { title: String, tool: Option<String> },
    /// A question that the flow itself asks. `message` is its text.
    Approve { message: String },
}

impl Question {
    /// Returns the tool that the question is about, or `None` if it is not about a tool.
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::AllowTool { tool, .. } => Some(tool),
            Self::Repeat { tool, .. } => tool.as_deref(),
            Self::Approve { .. } => None,
        }
    }

    /// Returns whether the question asks to repeat something that may already have been done.
    pub fn is_repeat(&self) -> bool {
        matches!(self, Self::Repeat { .. })
    }
}

/// Formats the question as text for people.
impl fmt::Display for Question {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllowTool { title, tool } => {
                write!(to, "\"{title}\" wants to use `{tool}`. Allow it?")
            }
            Self::Repeat {
                title,
                tool: Some(tool),
            } => write!(
                to,
                "\"{title}\" was interrupted while it used `{tool}`. The call may already have changed something. Repeat the call?"
            ),
            Self::Repeat { title, tool: None } => write!(
                to,
                "\"{title}\" was interrupted during a call. The call may already have changed something. Repeat the call?"
            ),
            Self::Approve { message } => to.write_str(message),
        }
    }
}

/// Reads a question of compatibility 4 or earlier, which is a sentence with fixed wording. Only this function interprets such
/// sentences. An Approval node in such a run could use the same wording, so a step's permissions depend on the kind of its
/// node, never on its question.
fn of_compat_4(sentence: &str) -> Question {
    let known = || {
        let quoted = sentence.strip_prefix('"')?;
        if let Some(quoted) = quoted.strip_suffix("`. Allow it?") {
            let (title, tool) = quoted.rsplit_once("\" wants to use `")?;
            return Some(Question::AllowTool {
                title: title.to_owned(),
                tool: tool.to_owned(),
            });
        }
        let quoted = quoted.strip_suffix(" Make it again?")?;
        if let Some(title) = quoted
            .strip_suffix("\" was cut off in the middle of a call that may have changed something.")
        {
            return Some(Question::Repeat {
                title: title.to_owned(),
                tool: None,
            });
        }
        let quoted = quoted.strip_suffix("`. The call may have changed something.")?;
        let (title, tool) = quoted.rsplit_once("\" was cut off while it used `")?;
        Some(Question::Repeat {
            title: title.to_owned(),
            tool: Some(tool.to_owned()),
        })
    };
    known().unwrap_or_else(|| Question::Approve {
        message: sentence.to_owned(),
    })
}

/// Reads a recorded question, in the current form or in that of compatibility 4 and earlier.
///
/// # Errors
/// Returns an error if the question has any other form.
pub(crate) fn recorded<'de, D: Deserializer<'de>>(from: D) -> Result<Question, D::Error> {
    from.deserialize_any(OfEitherForm)
}

struct OfEitherForm;

impl<'de> Visitor<'de> for OfEitherForm {
    type Value = Question;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a question")
    }

    fn visit_str<E: de::Error>(self, sentence: &str) -> Result<Question, E> {
        Ok(of_compat_4(sentence))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Question, A::Error> {
        Question::deserialize(MapAccessDeserializer::new(fields))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn every_question(title: &str, tool: &str) -> [Question; 4] {
        let (title, tool) = (title.to_owned(), tool.to_owned());
        [
            Question::AllowTool {
                title: title.clone(),
                tool: tool.clone(),
            },
            Question::Repeat {
                title: title.clone(),
                tool: Some(tool),
            },
            Question::Repeat { title, tool: None },
            Question::Approve {
                message: "Publish it?".to_owned(),
            },
        ]
    }

    /// Returns the sentences that compatibility 4 recorded for the questions of [`every_question`]. They must not change when
    /// the current wording does.
    fn sentences_of_4(title: &str, tool: &str) -> [String; 4] {
        [
            format!("\"{title}\" wants to use `{tool}`. Allow it?"),
            format!(
                "\"{title}\" was cut off while it used `{tool}`. The call may have changed something. Make it again?"
            ),
            format!(
                "\"{title}\" was cut off in the middle of a call that may have changed something. Make it again?"
            ),
            "Publish it?".to_owned(),
        ]
    }

    #[test]
    fn a_record_of_today_and_one_of_compatibility_4_are_the_same_question() {
        let tool = "mcp:loud/shout";
        for title in ["Post", "A \" wants to use `x`. Allow it?", "", "\n\"`"] {
            let questions = every_question(title, tool).into_iter();
            for (question, sentence) in questions.zip(sentences_of_4(title, tool)) {
                let form = serde_json::to_value(&question).unwrap();
                assert_eq!(recorded(form).unwrap(), question);
                assert_eq!(recorded(Value::String(sentence)).unwrap(), question);
            }
        }
    }

    #[test]
    fn the_form_is_fixed() {
        let forms = every_question("Post", "some.tool").map(|question| json!(question));
        assert_eq!(
            json!(forms),
            json!([
                {"type": "allow_tool", "title": "Post", "tool": "some.tool"},
                {"type": "repeat", "title": "Post", "tool": "some.tool"},
                {"type": "repeat", "title": "Post", "tool": null},
                {"type": "approve", "message": "Publish it?"},
            ])
        );
    }

    #[test]
    fn other_sentences_are_the_flows_own() {
        for message in [
            "",
            "Allow it?",
            "\"Post\" wants to use http.request. Allow it?",
            "Post wants to use `http.request`. Allow it?",
            "\"Post\" wants to use `http.request`. Allow it? Please.",
            "\"Make it again?",
        ] {
            let question = recorded(json!(message)).unwrap();
            let own = Question::Approve {
                message: message.to_owned(),
            };
            assert_eq!(question, own, "{message}");
        }
    }

    #[test]
    fn what_is_no_question_is_refused() {
        for form in [
            json!(1),
            json!(null),
            json!({"type": "bet"}),
            json!({"type": "approve"}),
        ] {
            assert!(recorded(form).is_err());
        }
    }
}
