//! `approval`: a person decides, and may edit the value or give a reason.

use std::sync::Arc;

use loopwright_engine::{
    Answer, Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, Step, question::Question,
};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Shape, ValueType,
    kind::{Data, Example, TemplateSite},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config::{self, Rendered};

pub(crate) struct Approval;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// The question that the person sees. Use `{{ name }}` to insert a value.
    #[schemars(extend("x-widget" = "template"))]
    message: String,
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
        "Waits for a person to approve or reject the value. The person may edit the value and leave a comment. The value goes \
         along `approved` or `rejected`, and later templates can read `comment`. The run is suspended meanwhile and survives a \
         restart."
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
        }))
    }
}

struct AskPerson {
    title: String,
    message: Option<Rendered>,
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
    Outcome::branch(
        branch,
        json!({ "approved": answer.approved, "comment": answer.comment, "value": *carried }),
        carried,
    )
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
    }
}
