//! `approval`: asks a person to approve or reject a value. The person may edit the value and give a reason.

use std::sync::Arc;

use loopwright_engine::{
    Answer, Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, Step, TimeToAnswer,
    duration::millis, question::Question,
};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType,
    kind::{Data, Example, TemplateSite},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::{self, Rendered, duration};

pub(crate) struct Approval;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// The question that the person sees. Use `{{ name }}` to insert a value.
    #[schemars(extend("x-widget" = "template"))]
    message: String,
    /// The time for an answer, as an ISO 8601 duration, such as PT8H. Without it, the question waits forever.
    #[schemars(title = "Expires after", extend("x-format" = "duration"))]
    #[serde(deserialize_with = "duration", skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    /// What happens if nobody answers in time.
    #[schemars(
        title = "If nobody answers",
        extend("x-enum-labels" = {"reject": "Reject", "approve": "Approve", "value": "Approve another value"})
    )]
    #[serde(skip_serializing_if = "OnExpiry::is_reject")]
    on_expiry: OnExpiry,
    /// The value that is approved if nobody answers in time.
    #[schemars(
        title = "Value if nobody answers",
        extend("x-widget" = "json", "x-show-if" = {"field": "onExpiry", "in": ["value"]})
    )]
    #[serde(skip_serializing_if = "Value::is_null")]
    expiry_value: Value,
}

/// What happens to a question that nobody answers in time.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OnExpiry {
    /// The value leaves through the handle `rejected`.
    #[default]
    Reject,
    /// The value leaves through the handle `approved`.
    Approve,
    /// Another value, set in `expiryValue`, leaves through the handle `approved`.
    Value,
}

impl OnExpiry {
    fn is_reject(&self) -> bool {
        *self == Self::Reject
    }
}

impl Config {
    /// Returns the time for an answer, and the answer that is used after that time. Returns `None` if the question does
    /// not expire.
    ///
    /// # Errors
    /// `invalid_duration` if `expires` is not a positive duration.
    fn time(&self) -> Result<Option<TimeToAnswer>, NodeError> {
        let Some(expires) = &self.expires else {
            return Ok(None);
        };
        let ms = millis(expires)?;
        if ms == 0 {
            return Err(NodeError::new(
                "invalid_duration",
                "`expires` must be a duration longer than zero, such as PT8H. To wait without a limit, remove `expires`.",
            ));
        }
        Ok(Some(TimeToAnswer {
            ms,
            then: Answer {
                approved: self.on_expiry != OnExpiry::Reject,
                value: (self.on_expiry == OnExpiry::Value).then(|| self.expiry_value.clone()),
                ..Answer::default()
            },
        }))
    }
}

impl KindSpec for Approval {
    fn type_name(&self) -> &'static str {
        "approval"
    }
    fn title(&self) -> &'static str {
        "Approval"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "user-check"
    }
    fn summary(&self) -> &'static str {
        "ask a person"
    }
    fn doc(&self) -> &'static str {
        "Waits for a person to approve or reject the value. The person may edit the value and leave a comment. The value leaves \
         through `approved` or `rejected`, and later templates can read `comment`. Meanwhile the run is suspended, and it survives a restart. A question can expire. It then counts as rejected, or as approved with the same or another value, and `expired` is true."
    }
    fn shape(&self) -> Shape {
        Shape::Branching
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles {
            inputs: vec![Handle::primary("input", ValueType::Any)],
            outputs: vec![
                Handle::new("approved", ValueType::Any),
                Handle::new("rejected", ValueType::Any),
            ],
        }
    }
    fn needs_input(&self, _data: &Data) -> bool {
        true
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        let expires = node
            .data
            .get("expires")
            .is_some_and(|value| !value.is_null());
        let has_value = node.data.get("onExpiry").and_then(Value::as_str) == Some("value");
        if expires && has_value && !node.data.contains_key("expiryValue") {
            problems.push(
                Problem::error(
                    "missing_field",
                    format!(
                        "\"{}\" is set to approve another value if nobody answers in time, but that value is missing. Set it in `expiryValue`.",
                        node.title()
                    ),
                )
                .at(&node.id)
                .place("expiryValue"),
            );
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(json!({ "message": "Is this good enough?" }))
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        config::template_site(data, "message").into_iter().collect()
    }
    fn examples(&self) -> Vec<Example> {
        vec![Example {
            title: "approved by `--approve all`",
            data: config::object(json!({ "message": "Publish it?" })),
            inputs: config::object(json!({ "input": "A text." })),
            gives: json!({ "approved": true, "comment": null, "value": "A text." }),
            branch: Some("approved"),
            ..Example::default()
        }]
    }
}

impl Kind for Approval {
    fn branch_of(&self, value: &Value) -> Option<String> {
        let approved = value.get("approved")?.as_bool()?;
        Some(if approved { "approved" } else { "rejected" }.to_owned())
    }
    fn branch_example(&self) -> &'static str {
        r#"{"approved": true, "value": …}"#
    }
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let config: Config = config::read(node)?;
        Ok(Box::new(AskPerson {
            title: node.title().to_owned(),
            message: Rendered::compile(node, "message", Some(&config.message))?,
            time: config.time()?,
        }))
    }
}

struct AskPerson {
    title: String,
    message: Option<Rendered>,
    time: Option<TimeToAnswer>,
}

impl Execute for AskPerson {
    fn run(&self, input: &NodeInput, cx: &NodeContext) -> Step {
        let value = input.input.clone().unwrap_or_default();
        if let Some(answer) = cx.answered() {
            return Step::Done(Ok(outcome(&answer, &value)));
        }
        let message = match &self.message {
            None => Ok(format!("\"{}\" asks for your approval.", self.title)),
            Some(message) => message.text(&input.scope),
        };
        match message {
            Ok(message) => Step::Waiting {
                question: Question::Approve { message },
                value,
                time: self.time.clone().map(Box::new),
            },
            Err(error) => Step::Done(Err(error)),
        }
    }
}

fn outcome(answer: &Answer, value: &Arc<Value>) -> Outcome {
    let carried = answer
        .value
        .clone()
        .map_or_else(|| Arc::clone(value), Arc::new);
    let branch = if answer.approved {
        "approved"
    } else {
        "rejected"
    };
    let mut described =
        json!({ "approved": answer.approved, "comment": answer.comment, "value": *carried });
    if answer.expired {
        described["expired"] = json!(true);
    }
    Outcome::branch(branch, described, carried)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_value_is_passed_on_and_the_comment_kept() {
        let answer = Answer {
            approved: false,
            value: Some(json!("Better.")),
            comment: Some("Too long.".to_owned()),
            ..Default::default()
        };
        let outcome = outcome(&answer, &Arc::new(json!("Worse.")));
        assert_eq!(outcome.branch.as_deref(), Some("rejected"));
        assert_eq!(**outcome.handle("rejected").unwrap(), json!("Better."));
        assert_eq!(outcome.value["comment"], json!("Too long."));
        assert!(outcome.value.get("expired").is_none());
    }

    #[test]
    fn another_value_must_be_set() {
        let problems = |data: Value| {
            let node = json!({ "id": "ask", "type": "approval", "data": data });
            let mut problems = Vec::new();
            Approval.check(&serde_json::from_value(node).unwrap(), &mut problems);
            problems
                .into_iter()
                .map(|one| one.place)
                .collect::<Vec<_>>()
        };
        let missing = json!({ "expires": "PT1M", "onExpiry": "value" });
        assert_eq!(problems(missing), [Some("expiryValue".to_owned())]);
        for fine in [
            json!({ "expires": "PT1M", "onExpiry": "value", "expiryValue": null }),
            json!({ "onExpiry": "value" }),
            json!({ "expires": "PT1M", "onExpiry": "approve" }),
        ] {
            assert!(problems(fine.clone()).is_empty(), "{fine}");
        }
    }

    #[test]
    fn a_question_that_expires_is_rejected_approved_or_has_another_value() {
        let time = |data: Value| serde_json::from_value::<Config>(data).unwrap().time();
        assert_eq!(time(json!({ "message": "?" })).unwrap(), None);
        let rejected = time(json!({ "expires": "PT8H" })).unwrap().unwrap();
        assert_eq!(rejected.ms, 8 * 3_600_000);
        assert_eq!(rejected.then, Answer::default());
        let approved = time(json!({ "expires": "PT1M", "onExpiry": "approve" })).unwrap();
        assert!(approved.is_some_and(|time| time.then.approved && time.then.value.is_none()));
        let other = json!({ "expires": "PT1M", "onExpiry": "value", "expiryValue": null });
        let other = time(other).unwrap().unwrap().then;
        assert!(other.approved);
        assert_eq!(other.value, Some(Value::Null));
        assert_eq!(
            time(json!({ "expires": "PT0S" })).unwrap_err().code,
            "invalid_duration"
        );
    }
}
