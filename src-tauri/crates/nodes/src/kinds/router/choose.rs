//! Chooses a branch for a router: by rules, by the text, or by a model's answer.

use std::sync::Arc;

use futures::future::BoxFuture;
use loopwright_answers::choice;
use loopwright_engine::{
    Execute, NodeContext, NodeError, NodeInput, Outcome, Step, Usage,
    host::{ModelReply, ModelRequest},
};
use loopwright_model::{
    Node,
    value::{preview, to_text},
};
use loopwright_template::Expression;
use serde_json::{Map, Value};

use super::{
    super::model_call::{self, Call},
    branch::Branch,
};
use crate::config;

/// Returns the index of the branch that `text` names, either as a whole or in its last line. Returns `None` if neither
/// names a branch.
fn named_in(text: &str, names: &[String]) -> Option<usize> {
    let text = loopwright_answers::split(text).text.trim();
    let find = |part: &str| choice::named(part, names);
    find(text).or_else(|| find(text.lines().last()?))
}

pub(super) struct Rule {
    branch: usize,
    field: String,
    source: String,
    when: Expression,
}

/// Compiles the rules of branches, in order. Branches without a rule are skipped.
///
/// # Errors
/// Returns an error if a rule is not a valid expression.
pub(super) fn rules(node: &Node, branches: &[Branch]) -> Result<Vec<Rule>, NodeError> {
    let mut rules = Vec::new();
    for (branch, declared) in branches.iter().enumerate() {
        if let Branch::Rule {
            when: Some(source), ..
        } = declared
            && !source.trim().is_empty()
        {
            let field = format!("branches[{branch}].when");
            rules.push(Rule {
                branch,
                when: config::expression(node, &field, source)?,
                field,
                source: source.trim().to_owned(),
            });
        }
    }
    Ok(rules)
}

pub(super) enum How {
    Rules(Vec<Rule>),
    Pattern,
    Model(Arc<Call>),
}

/// The names and descriptions of a router's branches, and the fallback that is taken if none is chosen.
pub(super) struct Names {
    pub(super) title: String,
    pub(super) names: Vec<String>,
    /// The descriptions that tell the model when to choose each branch. An item is empty if the branch has no
    /// description.
    pub(super) described: Vec<String>,
    pub(super) fallback: Option<String>,
}

impl Names {
    fn take(&self, branch: usize, reason: impl Into<String>, value: &Arc<Value>) -> Outcome {
        outcome(&self.names[branch], reason.into(), value)
    }

    /// Returns the outcome of a router that chose no branch: the fallback or, if there is none, an error. `why` says why no
    /// branch was chosen.
    fn undecided(&self, why: &str, value: &Arc<Value>) -> Result<Outcome, NodeError> {
        match &self.fallback {
            Some(fallback) => Ok(outcome(fallback, ["fallback: ", why].concat(), value)),
            None => Err(NodeError::new(
                "router_undecided",
                format!(
                    "\"{}\" could not choose between {}: {why}. Set a fallback branch, or make the choice clearer.",
                    self.title,
                    self.list()
                ),
            )),
        }
    }

    fn list(&self) -> String {
        let quoted: Vec<_> = self.names.iter().map(|name| format!("`{name}`")).collect();
        quoted.join(", ")
    }
}

fn outcome(branch: &str, reason: String, carried: &Arc<Value>) -> Outcome {
    let mut value = Map::with_capacity(3);
    value.insert("selectedBranch".to_owned(), branch.into());
    // The value may be large, and cloning is faster than serializing it.
    value.insert("value".to_owned(), (**carried).clone());
    value.insert("reason".to_owned(), reason.into());
    Outcome::branch(branch, Value::Object(value), Arc::clone(carried))
}

pub(super) struct Choose {
    pub(super) how: How,
    pub(super) names: Arc<Names>,
}

impl Execute for Choose {
    fn run(&self, input: &NodeInput, cx: &NodeContext) -> Step {
        let value = input.input.clone().unwrap_or_default();
        if let Err(error) = config::charge(&self.names.title, &value) {
            return Step::Done(Err(error));
        }
        match &self.how {
            How::Rules(rules) => self.by_rules(rules, input, &value).into(),
            How::Pattern => match named_in(&to_text(&value), &self.names.names) {
                Some(branch) => Ok(self.names.take(branch, "the text names it", &value)),
                None => self.names.undecided(
                    &format!(
                        "the text names none of them; it ends with: {}",
                        last_words(&value)
                    ),
                    &value,
                ),
            }
            .into(),
            How::Model(call) => match call.request(input) {
                Ok(request) => {
                    let request = verdict_request(request, &self.names);
                    Step::Pending(by_model(request, Arc::clone(&self.names), value, cx))
                }
                Err(error) => Step::Done(Err(error)),
            },
        }
    }
}

impl Choose {
    fn by_rules(
        &self,
        rules: &[Rule],
        input: &NodeInput,
        value: &Arc<Value>,
    ) -> Result<Outcome, NodeError> {
        for rule in rules {
            let met = rule
                .when
                .test(&input.scope)
                .map_err(|error| config::template_error(&self.names.title, &rule.field, &error))?;
            if met {
                return Ok(self.names.take(
                    rule.branch,
                    format!("`{}` is true", rule.source),
                    value,
                ));
            }
        }
        self.names.undecided("no rule is true", value)
    }
}

fn last_words(value: &Value) -> String {
    let text = to_text(value);
    let last = text.trim().lines().last().unwrap_or_default().to_owned();
    preview(&Value::String(last), 60)
}

/// Adds the branches to a request as choices. If the node has no system prompt, adds one.
fn verdict_request(mut request: ModelRequest, names: &Names) -> ModelRequest {
    request.choices.clone_from(&names.names);
    if names.described.iter().any(|when| !when.is_empty()) {
        request.choice_descriptions.clone_from(&names.described);
    }
    if request.system.is_none() {
        request.system = Some(format!(
            "Read the text and decide which of these branches it belongs to: {}. Choose exactly one of these names, and \
             give the reason in one sentence.",
            names.list()
        ));
    }
    request
}

/// Returns the branch and the reason of a reply, or `None` if the reply does not name exactly one branch.
fn verdict(reply: &ModelReply, names: &[String]) -> Option<(usize, String)> {
    let verdict = match &reply.json {
        Some(answer) => choice::choice_in(answer, names, "branch"),
        None => choice::choice(&reply.text, names, "branch"),
    }?;
    Some((verdict.value, verdict.reason))
}

/// The codes of errors after which the router takes its fallback: the model answered, but the answer does not name a branch.
const UNREADABLE: [&str; 5] = [
    "invalid_answer",
    "answer_cut",
    "empty_answer",
    "refused",
    "content_filter",
];

/// Returns the outcome of a model call that failed. If the model answered but chose no branch, the router takes its fallback,
/// or fails if it has no fallback. If the call itself failed, the node fails.
fn without_verdict(
    names: &Names,
    error: NodeError,
    value: &Arc<Value>,
) -> Result<Outcome, NodeError> {
    if !UNREADABLE.contains(&error.code.as_str()) {
        return Err(error);
    }
    let usage = error.usage;
    let outcome = names
        .undecided(&error.message, value)
        .map_err(|undecided| undecided.having_spent(&usage))?;
    let warning = format!(
        "\"{}\" got no verdict from its model and took its fallback. {}",
        names.title, error.message
    );
    Ok(Outcome {
        usage,
        warnings: vec![("verdict_unreadable".to_owned(), warning)],
        ..outcome
    })
}

fn by_model(
    request: ModelRequest,
    names: Arc<Names>,
    value: Arc<Value>,
    cx: &NodeContext,
) -> BoxFuture<'static, Result<Outcome, NodeError>> {
    let cx = cx.clone();
    Box::pin(async move {
        let mut usage = Usage::default();
        let mut reply = match model_call::send(&cx, request.clone()).await {
            Ok(reply) => reply,
            Err(error) => return without_verdict(&names, error, &value),
        };
        usage.add(&reply.usage);
        let mut chosen = verdict(&reply, &names.names);
        if chosen.is_none() {
            let answer = preview(&Value::String(reply.text.clone()), 200);
            let repair = ModelRequest {
                prompt: format!(
                    "{}\n\nYour answer was: {answer}\nIt names none of the branches. Answer with exactly one of {}.",
                    request.prompt,
                    names.list()
                ),
                ..request.clone()
            };
            let warnings = std::mem::take(&mut reply.warnings);
            reply = match model_call::send(&cx, repair).await {
                Ok(reply) => reply,
                Err(error) => {
                    return without_verdict(&names, error.having_spent(&usage), &value);
                }
            };
            reply.warnings.splice(0..0, warnings);
            usage.add(&reply.usage);
            chosen = verdict(&reply, &names.names);
        }
        let outcome = match chosen {
            Some((branch, reason)) => names.take(branch, reason, &value),
            None => names
                .undecided(
                    &format!(
                        "the model answered twice without naming one of them. Its last answer was: {}",
                        preview(&Value::String(reply.text.clone()), 80)
                    ),
                    &value,
                )
                .map_err(|undecided| undecided.having_spent(&usage))?,
        };
        Ok(model_call::traced(outcome, request.prompt, reply, usage))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_or_its_last_line_names_a_branch_without_case_and_punctuation() {
        let names = vec!["done".to_owned(), "needs work".to_owned()];
        assert_eq!(named_in("  DONE!\n", &names), Some(0));
        assert_eq!(
            named_in("I read it twice.\n\n**Needs-work.**", &names),
            Some(1)
        );
        assert_eq!(named_in("It is done, I think", &names), None);
        assert_eq!(named_in("", &names), None);
        assert_eq!(named_in("!!!", &["?".to_owned()]), None);
        assert_eq!(
            named_in("<think>done?</think>\nneeds work", &names),
            Some(1)
        );
    }

    #[test]
    fn a_reply_that_names_one_branch_is_a_verdict() {
        let names = vec!["done".to_owned(), "needs work".to_owned()];
        let read = |text: &str, json: Option<Value>| {
            let reply = ModelReply {
                text: text.to_owned(),
                json,
                ..ModelReply::default()
            };
            verdict(&reply, &names)
        };
        let fine = json!({ "branch": "Done", "reason": "Fine.", "confidence": 0.9 });
        assert_eq!(read("", Some(fine)), Some((0, "Fine.".to_owned())));
        assert_eq!(
            read("", Some(json!({ "decision": "done" }))),
            Some((0, String::new()))
        );
        assert_eq!(read("**Done.**", None), Some((0, "**Done.**".to_owned())));
        assert_eq!(read("not done", None), None);
        assert_eq!(read("done or needs work", None), None);
        assert_eq!(read("", Some(json!({ "branch": "maybe" }))), None);
    }
}
