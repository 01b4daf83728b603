//! `agent`: runs a coding agent, which can keep its session from one iteration to the next.

use loopwright_engine::{
    Execute, Kind, NodeContext, NodeError, NodeInput, Outcome, Step, ToolCall, Trace, Usage,
    quota::Quota,
};
use loopwright_model::{
    Category, EffectClass, Handle, Handles, KindSpec, Node, Problem, Shape, ValueType,
    kind::{Data, Example, Reach, TemplateSite},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::config::{self, Rendered};

pub(crate) struct Agent;

/// The name of the output handle with the session id. Like any other output, the id is stored in the journal, so a resumed run
/// can continue the session.
const SESSION: &str = "sessionId";
const USAGE: &str = "usage";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Session {
    /// Start a new conversation every time.
    Fresh,
    /// Continue the conversation in the next iteration of the loop. The conversation ends with the loop.
    #[default]
    Resume,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sandbox {
    /// The agent may read files but not change anything.
    ReadOnly,
    /// The agent may change files in its working folder.
    #[default]
    Workspace,
    /// The agent may do everything that you may. Use this only with workflows and folders that you trust completely.
    Full,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// The agent program: `claude-code`, `codex`, `gemini`, or an agent from Settings.
    #[schemars(title = "Agent", extend("x-widget" = "agent"))]
    runner: String,
    /// Use `{{ name }}` to insert a value. If empty, the prompt is the value at the `prompt` input.
    #[schemars(extend("x-widget" = "template"))]
    prompt: String,
    /// An absolute path, or a path from the workspace around the node. Without a workspace, the path is from the
    /// workflow's own folder. You approve the folder before the run.
    #[schemars(title = "Working folder", extend("x-widget" = "folder"))]
    cwd: String,
    /// Whether the agent remembers earlier iterations.
    session: Session,
    /// What the agent may do.
    #[schemars(title = "Permission")]
    sandbox: Sandbox,
    /// Names of the environment variables that the agent receives, such as `ANTHROPIC_API_KEY`. The agent also receives the
    /// variables that every program needs, but no others.
    #[schemars(title = "Environment")]
    env: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            runner: "claude-code".to_owned(),
            prompt: String::new(),
            cwd: ".".to_owned(),
            session: Session::default(),
            sandbox: Sandbox::default(),
            env: Vec::new(),
        }
    }
}

fn tool(runner: &str) -> String {
    format!("agent:{}", runner.trim())
}

/// Returns the settings that determine the agent's permissions. These settings are not templates, so their values are the
/// same before and during a run.
fn fixed(data: &Data) -> Data {
    ["cwd", "sandbox", "env"]
        .into_iter()
        .filter_map(|field| Some((field.to_owned(), data.get(field)?.clone())))
        .collect()
}

impl KindSpec for Agent {
    fn type_name(&self) -> &'static str {
        "agent"
    }
    fn title(&self) -> &'static str {
        "Agent"
    }
    fn category(&self) -> Category {
        Category::Ai
    }
    fn icon(&self) -> &'static str {
        "terminal"
    }
    fn summary(&self) -> &'static str {
        "a coding agent"
    }
    fn doc(&self) -> &'static str {
        "Starts a coding agent (`claude-code`, `codex`, `gemini`, or a command from Settings) in a folder, sends it the prompt and \
         waits for its answer. With `session: resume` the agent continues its conversation in the next iteration of the loop. The \
         session ends with the loop. You approve its command, folder, permission and environment before the run. If you stop the \
         run, the agent ends, together with every program that it started. By default a failed turn is repeated only if the agent \
         reports a temporary failure (429, 5xx, no connection) and has not started its work. See [Agents](../tools.md#agents)."
    }
    fn shape(&self) -> Shape {
        Shape::Plain
    }
    fn effect(&self, data: &Data) -> EffectClass {
        match data.get("sandbox").and_then(Value::as_str) {
            Some("read_only") => EffectClass::Reads,
            _ => EffectClass::Writes,
        }
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles {
            inputs: vec![
                Handle::primary("prompt", ValueType::Text),
                Handle::new("context", ValueType::Any),
            ],
            outputs: vec![
                Handle::primary("response", ValueType::Text),
                Handle::new("sessionId", ValueType::Text),
                Handle::new("usage", ValueType::Json),
            ],
        }
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(
            json!({ "runner": "claude-code", "cwd": ".", "session": "resume", "sandbox": "workspace" }),
        )
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        config::template_site(data, "prompt").into_iter().collect()
    }
    fn needs_input(&self, data: &Data) -> bool {
        config::text(data, "prompt").is_none()
    }
    fn retries_by_default(&self, _data: &Data) -> bool {
        true
    }
    fn spends_unbounded(&self, _data: &Data) -> bool {
        true
    }
    fn looks_back(&self, data: &Data) -> &'static [&'static str] {
        match data.get("session").and_then(Value::as_str) {
            Some("fresh") => &[],
            // Some programs report the usage of their whole session, from which the usage of earlier turns is subtracted.
            _ => &[SESSION, USAGE],
        }
    }
    fn reaches(&self, data: &Data) -> Vec<Reach> {
        vec![Reach {
            tool: tool(config::text(data, "runner").unwrap_or("claude-code")),
            args: fixed(data),
            from_input: None,
            asks: false,
        }]
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        if node
            .data
            .get("runner")
            .is_some_and(|runner| runner.as_str().is_some_and(|name| name.trim().is_empty()))
        {
            problems.push(
                Problem::error(
                    "missing_runner",
                    format!(
                        "\"{}\" has no agent. Choose `claude-code`, `codex`, `gemini`, or an agent from Settings.",
                        node.title()
                    ),
                )
                .at(&node.id)
                .place("runner"),
            );
        }
    }
    fn examples(&self) -> Vec<Example> {
        vec![Example {
            title: "one turn",
            data: config::object(
                json!({ "runner": "codex", "sandbox": "read_only", "prompt": "Review this: {{ input }}" }),
            ),
            inputs: config::object(json!({ "prompt": "let x = 1;" })),
            replies: vec![json!({ "response": "Fine.", "sessionId": "s1", "usage": {} })],
            gives: json!("Fine."),
            ..Example::default()
        }]
    }
}

impl Kind for Agent {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        let config: Config = config::read(node)?;
        Ok(Box::new(Work {
            id: node.id.clone(),
            title: node.title().to_owned(),
            prompt: Rendered::compile(node, "prompt", Some(&config.prompt))?,
            fixed: fixed(&node.data),
            config,
        }))
    }
}

struct Work {
    id: String,
    title: String,
    prompt: Option<Rendered>,
    fixed: Data,
    config: Config,
}

/// Returns the prompt, preceded by the context if there is one.
fn with_context(prompt: String, context: Option<&Value>) -> String {
    match context {
        None | Some(Value::Null) => prompt,
        Some(Value::String(context)) => format!("Context:\n{context}\n\n{prompt}"),
        Some(context) => format!("Context:\n{context}\n\n{prompt}"),
    }
}

impl Work {
    fn arguments(&self, input: &NodeInput) -> Result<Map<String, Value>, NodeError> {
        let prompt = match &self.prompt {
            Some(template) => template.text(&input.scope)?,
            None => match input.input.as_deref() {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Null) | None => String::new(),
                Some(other) => other.to_string(),
            },
        };
        if prompt.trim().is_empty() {
            return Err(NodeError::new(
                "missing_prompt",
                format!(
                    "\"{}\" has no prompt. Wire one to `prompt`, or enter it in that field.",
                    self.title
                ),
            ));
        }
        let context = input.get("context").map(|value| &**value);
        let mut args = self.fixed.clone();
        args.insert("prompt".to_owned(), json!(with_context(prompt, context)));
        if self.config.session == Session::Resume
            && let Some(session) = self.before(input, SESSION).and_then(Value::as_str)
        {
            args.insert("session".to_owned(), json!(session));
        }
        Ok(args)
    }

    /// Returns the value that the node's output handle `output` had in the previous iteration. Returns `None` in the first
    /// iteration.
    fn before<'a>(&self, input: &'a NodeInput, output: &str) -> Option<&'a Value> {
        input.scope.get("previous")?.get(&self.id)?.get(output)
    }
}

/// Upper limits for one turn. If a program reports more, its usage counts as unknown.
const MOST_TOKENS: u64 = 1_000_000_000_000;
const MOST_USD: f64 = 1e6;

/// Reads the usage that the program reports, including its price. Missing values count as unknown.
fn usage(said: &Value) -> Usage {
    let count = |field: &str| {
        let tokens = said.get(field).and_then(Value::as_u64);
        tokens.filter(|tokens| *tokens <= MOST_TOKENS).unwrap_or(0)
    };
    let mut usage = Usage::unknown_call();
    usage.input_tokens = count("inputTokens");
    usage.output_tokens = count("outputTokens");
    let usd = said.get("costUsd").and_then(Value::as_f64);
    if let Some(usd) = usd.filter(|usd| (0.0..=MOST_USD).contains(usd)) {
        usage.unpriced_calls = 0;
        usage.cost_microusd = (usd * 1e6).round() as u64;
    }
    usage
}

/// The error codes of a program that was started and may therefore have called its model.
const WORKED: [&str; 3] = ["timeout", "agent_failed", "agent_unreadable"];

/// Returns the quota that the turns of a program use.
fn quota(runner: &str) -> Quota {
    let name = match runner {
        "claude-code" => "Claude Code",
        "codex" => "Codex",
        "gemini" => "Gemini CLI",
        other => other,
    };
    Quota::new(format!("agent:{runner}"), name)
}

/// Marks the usage of a failed program as unknown if it may have called its model.
fn having_worked(error: NodeError) -> NodeError {
    if WORKED.contains(&error.code.as_str()) {
        error.after_sending().having_spent(&Usage::unknown_call())
    } else {
        error
    }
}

/// Returns the usage of this turn. If a program reports the tokens (`session`) or the price (`total`) of its whole session,
/// the total after the previous turn is subtracted.
fn of_this_turn(mut said: Value, before: Option<&Value>) -> Value {
    for field in ["inputTokens", "outputTokens"] {
        let total = |usage: &Value| usage["session"][field].as_u64();
        if let (Some(now), Some(then)) = (total(&said), before.and_then(total))
            && let Some(turn) = now.checked_sub(then)
        {
            said[field] = json!(turn);
        }
    }
    let total = |usage: &Value| {
        let total = &usage["total"];
        Some((total["tokens"].as_u64()?, total["costUsd"].as_f64()?))
    };
    if let (Some((now, now_usd)), Some((then, then_usd))) = (total(&said), before.and_then(total)) {
        let count = |field: &str| said[field].as_u64().unwrap_or(0);
        let turn = count("inputTokens").saturating_add(count("outputTokens"));
        // Older versions count from zero again when they resume. Their total does not contain the previous turn.
        if now >= then.saturating_add(turn) && now_usd >= then_usd {
            said["costUsd"] = json!(now_usd - then_usd);
        }
    }
    said
}

impl Execute for Work {
    fn tool_call(&self, input: &NodeInput) -> Option<ToolCall> {
        Some(ToolCall {
            tool: tool(&self.config.runner),
            args: self.arguments(input).ok()?,
        })
    }

    fn run(&self, input: &NodeInput, cx: &NodeContext) -> Step {
        let args = match self.arguments(input) {
            Ok(args) => args,
            Err(error) => return Step::Done(Err(error)),
        };
        let name = tool(&self.config.runner);
        let Some(agent) = cx.services.tools.find(&name) else {
            return Step::Done(Err(NodeError::new(
                "unknown_agent",
                format!(
                    "\"{}\" uses the unknown agent `{}`. The built-in agents are `claude-code`, `codex` and `gemini`; add others in Settings.",
                    self.title, self.config.runner
                ),
            )));
        };
        let resumes = agent.info().args["x-resumes"] != json!(false);
        let keeps = self.config.session == Session::Resume && resumes;
        let mut args = args;
        if !keeps {
            args.remove("session");
        }
        let prompt = args
            .get("prompt")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let before = args
            .contains_key("session")
            .then(|| self.before(input, USAGE).cloned())
            .flatten();
        let given = cx.for_tool();
        let printed = given.printed.clone();
        let called = agent.call(None, args, given);
        let (runner, calls) = (self.config.runner.clone(), cx.calls.clone());
        let (work, quota) = (cx.unbounded_work.clone(), quota(&runner));
        Step::Pending(Box::pin(async move {
            let turn = work.begin(runner.clone(), &quota).await?;
            let call = calls.begin();
            call.to_model(&runner);
            let said = match called.await.map_err(having_worked) {
                Ok(said) => said,
                Err(error) => {
                    // An agent that was not started used nothing.
                    let known = error.usage.is_none() && error.code != "cancelled";
                    turn.ended(known.then_some(&error.usage));
                    return Err(error.against(quota));
                }
            };
            let part = |name: &str| said.get(name).cloned().unwrap_or_default();
            // The totals of a new session do not include the turns before it.
            let is_new = part("newSession") == json!(true);
            let used = of_this_turn(part(USAGE), before.as_ref().filter(|_| !is_new));
            let mut outcome = Outcome::single("response", part("response"))
                .with(SESSION, part("sessionId"))
                .with(USAGE, used.clone());
            outcome.usage = usage(&used);
            outcome.warnings.extend(printed.take_warnings());
            call.ended(&outcome.usage);
            turn.ended(Some(&outcome.usage));
            outcome.trace = Some(Box::new(Trace {
                prompt,
                raw: Some(said),
                model: Some(runner),
            }));
            Ok(outcome)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_no_turn_has_are_not_known() {
        let known = usage(&json!({ "inputTokens": 7, "outputTokens": 1, "costUsd": 0.5 }));
        assert_eq!((known.cost_microusd, known.unpriced_calls), (500_000, 0));
        for said in [
            json!({ "inputTokens": u64::MAX, "costUsd": 1e300 }),
            json!({ "inputTokens": -7, "costUsd": -0.5 }),
            json!({ "inputTokens": "7", "costUsd": "0.5" }),
        ] {
            assert_eq!(usage(&said), Usage::unknown_call(), "{said}");
        }
    }

    #[test]
    fn a_sum_of_the_session_is_taken_apart_by_turns() {
        let said = |input: u64| json!({ "inputTokens": input, "outputTokens": 5, "session": { "inputTokens": input, "outputTokens": 5 } });
        let turn = |now: u64, before: Option<Value>| of_this_turn(said(now), before.as_ref());
        assert_eq!(turn(11, None)["inputTokens"], 11);
        let second = turn(30, Some(turn(11, None)));
        assert_eq!(
            (&second["inputTokens"], &second["outputTokens"]),
            (&json!(19), &json!(0))
        );
        assert_eq!(turn(36, Some(second))["inputTokens"], 6);
        // The program's counter has started again from zero.
        assert_eq!(turn(7, Some(said(11)))["inputTokens"], 7);
        let own = json!({ "inputTokens": 3, "outputTokens": 1 });
        assert_eq!(of_this_turn(own.clone(), Some(&said(2))), own);
    }

    #[test]
    fn a_price_of_the_session_is_taken_apart_by_turns() {
        let said = |tokens: u64, usd: f64| {
            json!({
                "inputTokens": 10, "outputTokens": 5, "costUsd": usd, "total": { "tokens": tokens, "costUsd": usd },
            })
        };
        let first = of_this_turn(said(15, 0.5), None);
        assert_eq!(first["costUsd"], 0.5);
        let second = of_this_turn(said(30, 1.25), Some(&first));
        assert_eq!(second["costUsd"], 0.75);
        assert_eq!(of_this_turn(said(45, 1.5), Some(&second))["costUsd"], 0.25);
        // In this version, the total covers only the turn.
        assert_eq!(of_this_turn(said(15, 0.75), Some(&first))["costUsd"], 0.75);
    }

    #[test]
    fn a_kept_session_reads_its_usage_of_the_previous_iteration() {
        let data = |session: &str| config::object(json!({ "session": session }));
        assert_eq!(Agent.looks_back(&data("resume")), [SESSION, USAGE]);
        assert!(Agent.looks_back(&data("fresh")).is_empty());
    }
}
