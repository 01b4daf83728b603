//! Finds what a run of a flow would lack on this computer: missing tools, agents and models, and calls that an enclosing budget
//! would refuse. These are warnings, never errors: what is missing may exist when the run needs it, or on another computer.

use std::cell::OnceCell;

use loopwright_engine::{
    budget::QuoteNeeds,
    host::{ModelRequest, Models as _, ToolInfo, Tools},
    trust::Grants,
};
use loopwright_model::{
    Flow, KindSpec, Node, Problem, Repetition, Shape,
    graph::Graph,
    kind::{Kinds, Reach},
    regions::regions,
    subflow,
    validate::{did_you_mean, nearest},
};
use loopwright_providers::ProviderSet;
use serde_json::Value;

use crate::{
    agents::agents, builtin_models::builtin_models, env::Env, error::ApiError,
    model_nodes::request_of, models::provider_set, tools::tool_set,
};

/// Returns warnings about what a run would lack on this computer, in node order. The place of a problem inside a subflow is a
/// path such as `sub/draft`.
pub fn environment_problems(env: &Env, flow: &Flow, path: Option<&str>) -> Vec<Problem> {
    let mut check = EnvironmentCheck {
        env,
        kinds: env.kinds().specs(),
        tools: &*tool_set(env, path, Grants::default()),
        listed: OnceCell::new(),
        providers: OnceCell::new(),
        problems: Vec::new(),
    };
    let settings = flow.settings();
    let around = QuoteNeeds {
        money: settings.budget_usd.or(env.settings().budget_usd).is_some(),
        tokens: settings.budget_tokens.is_some(),
    };
    // A flow that is too large to walk already has an error and does not run.
    if subflow::is_bounded(flow) {
        check.flow(flow, "", around);
    }
    check.problems
}

struct EnvironmentCheck<'a> {
    env: &'a Env,
    kinds: &'a Kinds,
    tools: &'a dyn Tools,
    /// All known tools. The list is built on first use, like `providers`, because most flows use few tools.
    listed: OnceCell<Vec<ToolInfo>>,
    providers: OnceCell<Result<ProviderSet, ApiError>>,
    problems: Vec<Problem>,
}

/// A node and its position in the flow.
struct Place<'a> {
    node: &'a Node,
    /// The node's id, after the ids of the enclosing subflows: `polish/draft`.
    path: String,
    /// Whether the node belongs to the flow itself, whose document a fix can change, and not to a subflow.
    is_own: bool,
}

impl Place<'_> {
    fn warning(&self, code: &'static str, field: &str, says: &str) -> Problem {
        Problem::warning(code, format!("\"{}\" {says}", self.node.title()))
            .at(&self.path)
            .place(field)
    }

    /// Adds a fix that replaces the field's value with `instead`, if there is a replacement and the node belongs to the flow
    /// itself.
    fn meant(&self, problem: Problem, field: &str, instead: Option<&str>) -> Problem {
        match instead.filter(|_| self.is_own) {
            Some(instead) => problem.set_to(&self.node.id, field, instead),
            None => problem,
        }
    }
}

impl EnvironmentCheck<'_> {
    fn flow(&mut self, flow: &Flow, inside: &str, around: QuoteNeeds) {
        let wanted = limited(flow, self.kinds, around);
        for (node, wanted) in flow.nodes.iter().zip(wanted) {
            if node.disabled() || node.is_placeholder() {
                continue;
            }
            let place = Place {
                path: format!("{inside}{}", node.id),
                is_own: inside.is_empty(),
                node,
            };
            if let Some(Ok(inner)) = subflow::inline(node) {
                self.flow(&inner, &format!("{}/", place.path), wanted);
            }
            let Some(kind) = self.kinds.of(node) else {
                continue;
            };
            for reach in kind.reaches(&node.data) {
                match reach.tool.strip_prefix("agent:") {
                    Some(agent) => self.agent(&place, &reach, agent),
                    None => self.tool(&place, &reach.tool),
                }
            }
            if kind.calls_model(&node.data) {
                self.model(&place, kind, wanted);
            }
        }
    }

    fn agent(&mut self, place: &Place<'_>, reach: &Reach, name: &str) {
        let resumes = place
            .node
            .text("session")
            .is_none_or(|session| session == "resume");
        let problem = match (self.tools.find(&reach.tool), self.missing_program(name)) {
            (None, _) => place.warning(
                "unknown_agent",
                "runner",
                &format!(
                    "uses the unknown agent `{name}`. The built-in agents are `claude-code`, `codex` and `gemini`; add others in \
                     Settings."
                ),
            ),
            (Some(_), Some(missing)) => place.warning("agent_missing", "runner", &missing),
            (Some(tool), None) if resumes && tool.info().args["x-resumes"] == false => place.warning(
                "session_not_kept",
                "session",
                &format!(
                    "should keep its session, but the agent `{name}` cannot resume sessions, so each execution begins a new one. Set `resumeArgs` for the agent in Settings, or set `session` to `fresh`."
                ),
            ),
            (Some(_), None) => return,
        };
        self.problems.push(problem);
    }

    /// Returns the end of a sentence that explains that the agent's program is not installed, or `None` if it is installed.
    fn missing_program(&self, name: &str) -> Option<String> {
        let all = agents(&self.env.settings());
        let agent = all.iter().find(|agent| agent.name == name)?;
        (!agent.is_installed()).then(|| format!("cannot start its agent. {}", agent.missing()))
    }

    /// Checks a tool that belongs to Loopwright or to an MCP server. Any other name is already an error of the flow.
    fn tool(&mut self, place: &Place<'_>, name: &str) {
        let listed = self.listed.get_or_init(|| self.tools.list());
        let server = name
            .strip_prefix("mcp:")
            .and_then(|rest| rest.split_once('/'));
        let Some((server, tool)) = server else {
            let why = listed
                .iter()
                .find(|info| info.name == name)
                .and_then(|info| info.unavailable.as_ref());
            if let Some(why) = why {
                let says = format!("uses `{name}`, which is not available on this computer. {why}");
                let problem = place.warning("tool_unavailable", "tool", &says);
                self.problems.push(problem);
            }
            return;
        };
        if server.is_empty() || tool.is_empty() {
            return;
        }
        let begins = format!("mcp:{server}/");
        let seen: Vec<&str> = listed
            .iter()
            .map(|info| info.name.as_str())
            .filter(|known| known.starts_with(&begins))
            .collect();
        let problem = if self.tools.find(name).is_none() {
            let says = format!(
                "uses the MCP server “{server}”, which is not set up here. Add it in Settings."
            );
            place.warning("tool_unavailable", "tool", &says)
        } else if !seen.is_empty() && !seen.contains(&name) {
            let instead = nearest(name, seen.iter().copied());
            let says = format!(
                "uses `{name}`, but the MCP server “{server}” did not list this tool when it was last started.{}",
                did_you_mean(instead)
            );
            place.meant(
                place.warning("tool_unavailable", "tool", &says),
                "tool",
                instead,
            )
        } else {
            return;
        };
        self.problems.push(problem);
    }

    fn model(&mut self, place: &Place<'_>, kind: &dyn KindSpec, wanted: QuoteNeeds) {
        let providers = self.providers.get_or_init(|| provider_set(self.env));
        let providers = match providers {
            Ok(providers) => providers,
            Err(error) => {
                let says = format!("cannot get an answer on this computer. {}", error.message);
                let problem = place.warning("model_missing", "provider", &says);
                self.problems.push(problem);
                return;
            }
        };
        let request = request_of(place.node, kind);
        let title = place.node.title();
        if let Some(problem) = builtin_unknown(place, &request)
            .or_else(|| provider_unknown(place, &request, providers))
        {
            self.problems.push(problem);
        } else if let Some(error) = providers.lacks(&request) {
            let (code, says) = match (is_guessed(&request), error.code.as_str()) {
                (true, "no_builtin_for_prompt") => (
                    "model_uncertain",
                    "may get no answer on this computer. No provider is set up, and the built-in models answer only prompts that they \
                     recognize. Whether they recognize this prompt is known only during the run. Set up a provider in Settings, or name a built-in model."
                        .to_owned(),
                ),
                (true, _) => (
                    "model_uncertain",
                    format!("may get no answer on this computer. {}", error.message),
                ),
                (false, _) => (
                    "model_missing",
                    format!("cannot get an answer on this computer. {}", error.message),
                ),
            };
            self.problems.push(place.warning(code, "provider", &says));
        } else if wanted != QuoteNeeds::default()
            && let Some((code, why)) = wanted.lacks(title, &providers.quote(&request))
        {
            let says = format!("could not call its model: {why}");
            self.problems.push(place.warning(code, "maxTokens", &says));
        }
    }
}

/// Returns a warning if this build has built-in models and the node names one that does not exist. The run needs that model
/// only if no provider is configured.
fn builtin_unknown(place: &Place<'_>, request: &ModelRequest) -> Option<Problem> {
    let name = request.builtin.as_deref()?.trim();
    // If this program has no built-in models, every call that needs one already has a warning.
    let builtin = builtin_models()?;
    if builtin.find(name).is_some() {
        return None;
    }
    let models = builtin.summaries();
    let known = models.iter().map(|model| model.id.as_str());
    let instead = nearest(name, known.clone());
    let says = format!(
        "names the unknown built-in model “{name}”. The built-in models are {}.{}",
        known.collect::<Vec<_>>().join(", "),
        did_you_mean(instead)
    );
    let problem = place.warning("unknown_builtin", "builtin", &says);
    Some(place.meant(problem, "builtin", instead))
}

/// Returns a warning if the node names an unknown provider and the name resembles that of a known provider.
fn provider_unknown(
    place: &Place<'_>,
    request: &ModelRequest,
    providers: &ProviderSet,
) -> Option<Problem> {
    let name = request.provider.trim();
    if matches!(name, "" | "auto") {
        return None;
    }
    let summaries = providers.summaries();
    let known = || summaries.iter().map(|summary| summary.id.as_str());
    if known().any(|id| id == name) {
        return None;
    }
    let instead = nearest(name, known().chain(["auto"]))?;
    let says = format!(
        "names the unknown provider “{name}”.{}",
        did_you_mean(Some(instead))
    );
    let problem = place.warning("unknown_provider", "provider", &says);
    Some(place.meant(problem, "provider", Some(instead)))
}

/// Returns whether the choice of a built-in model depends on text that the run has yet to produce.
fn is_guessed(request: &ModelRequest) -> bool {
    if request.builtin.is_some() || !request.choices.is_empty() {
        return false;
    }
    let text = request.system.as_deref().unwrap_or(&request.prompt);
    text.trim().is_empty() || text.contains("{{") || text.contains("{%")
}

/// Returns, for each node, which amounts (cost, tokens) must be bounded before the node makes a call, because an
/// enclosing budget limits them. `around` has the amounts that budgets outside the flow limit. Those that the budgets
/// of the flow's own loops limit are added.
fn limited(flow: &Flow, kinds: &Kinds, around: QuoteNeeds) -> Vec<QuoteNeeds> {
    let of = |node: &Node| {
        let limits = node.data.get("limits");
        let has = |field: &str| {
            limits
                .and_then(|limits| limits.get(field))
                .is_some_and(Value::is_number)
        };
        let is_loop = matches!(
            kinds.shape(node),
            Shape::ScopeStart {
                repeats: Repetition::Loop,
                ..
            }
        );
        QuoteNeeds {
            money: is_loop && has("budgetUsd"),
            tokens: is_loop && has("budgetTokens"),
        }
    };
    let mut wanted = vec![around; flow.nodes.len()];
    if flow
        .nodes
        .iter()
        .all(|node| of(node) == QuoteNeeds::default())
    {
        return wanted;
    }
    let graph = Graph::new(flow, kinds);
    for region in &regions(flow, kinds, &graph).regions {
        let own = of(&flow.nodes[region.start]);
        for &node in &region.body {
            wanted[node].money |= own.money;
            wanted[node].tokens |= own.tokens;
        }
    }
    wanted
}
