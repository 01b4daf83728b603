//! Computes the greatest possible cost of a run before it starts. The plan is walked once, as if every loop ran all its
//! iterations and every branch were taken. Each value is represented by its greatest possible length.
//!
//! Known text counts as one token per byte. A model's answer counts as its token limit wherever the answer is used. An
//! amount that nothing bounds is reported as unknown, never guessed.

use std::collections::{BTreeSet, HashMap, VecDeque};

use loopwright_engine::{
    KindSet,
    budget::{Limits, dollars},
    plan::{
        Binding, Bound, GraphIx, LoopConfig, Plan, PlanGraph, PlanNode, Repeat, Source, Wire, Work,
        attempts, repeat::FeedbackMode,
    },
};
use loopwright_model::{
    EffectClass, Flow, KindSpec, Node, Shape, graph::NodeIx, regions::Role, subflow,
};
use loopwright_providers::ProviderSet;
use loopwright_template::Template;
use serde::Serialize;
use serde_json::{Map, Value};
use specta::Type;

use crate::model_nodes::{calls_of_attempt, request_of};

/// The most that a run can cost, before it starts. A null amount is unknown, and `unknown` says why.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CostEstimate {
    /// The maximum number of model calls. It includes retries, and the second request after an answer of the wrong form.
    pub max_calls: Option<u32>,
    pub max_usd: Option<f64>,
    /// The maximum number of input and output tokens together.
    pub max_tokens: Option<u32>,
    /// The maximum number of agent turns. Their cost is unbounded: if there are any turns, the amounts in dollars and tokens
    /// are unknown.
    pub agent_turns: Option<u32>,
    /// The reasons for unknown amounts, one sentence each.
    pub unknown: Vec<String>,
    /// The nodes whose calls are unbounded because they have no `maxTokens`.
    pub unbounded: Vec<UnboundedNode>,
    /// The estimate as a phrase: `at most 5 calls, $0.0123`.
    pub note: String,
}

/// A node that calls a model and has no `maxTokens`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Type)]
pub struct UnboundedNode {
    /// The path of the node: the ids of the enclosing subflows, then the node's own id, as in `polish/draft`.
    pub place: String,
    pub title: String,
}

/// The number of steps above which the estimate gives up.
const MAX_STEPS: usize = 200_000;

/// The number of tokens that a provider may add to a request for roles, instructions and the start of the answer.
const PROTOCOL_TOKENS: u64 = 512;

/// The maximum size, in bytes, of the separator between two parts of an appended input.
const PART: u64 = 5;

/// The maximum size, in bytes, of the note that replaces older parts.
const NOTE: u64 = 64;

/// The maximum number of tokens of a value; `None` if nothing bounds it.
type Size = Option<u64>;

fn plus(a: Size, b: Size) -> Size {
    Some(a?.saturating_add(b?))
}

fn most(sizes: impl IntoIterator<Item = Size>) -> Size {
    let mut most = Some(0);
    for size in sizes {
        most = Some(most?.max(size?));
    }
    most
}

fn total(sizes: impl IntoIterator<Item = Size>) -> Size {
    sizes.into_iter().fold(Some(0), plus)
}

fn length(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64,
        other => other.to_string().len() as u64,
    }
}

/// The sizes of a subflow's inputs, by input name.
type SubflowInputs = HashMap<String, Size>;

/// The greatest sizes of the values in one iteration.
struct Pass<'a> {
    graph: GraphIx,
    outer: Option<&'a Pass<'a>>,
    /// The sizes of the subflow's inputs; `None` outside a subflow.
    given: Option<&'a SubflowInputs>,
    input: Size,
    /// The size of the previous iteration's result.
    last: Size,
    /// The size of the longest value of the previous iteration.
    previous: Size,
    /// The sizes of the node values, by slot.
    values: Vec<Size>,
}

impl Pass<'_> {
    fn out(&self, up: usize) -> Option<&Pass<'_>> {
        if up == 0 {
            return Some(self);
        }
        self.outer?.out(up - 1)
    }

    fn source(&self, source: &Source) -> Size {
        match source {
            Source::Local { slot, .. } => self.values[*slot],
            Source::Outer { up, slot, .. } => self.out(*up)?.values[*slot],
            Source::ScopeInput { up, .. } => plus(self.out(*up)?.input, Some(16)),
        }
    }
}

/// The sizes of the parts that a loop has appended to its input.
struct Appended {
    /// The size of all parts together.
    all: Size,
    /// The sizes of the newest parts, oldest first. Only these are kept if the loop has a limit and no summary.
    newest: VecDeque<Size>,
}

impl Appended {
    fn new() -> Self {
        Self {
            all: Some(0),
            newest: VecDeque::new(),
        }
    }

    fn add(&mut self, part: Size, config: &LoopConfig) {
        self.all = plus(self.all, part);
        let Some(keep) = &config.keep else { return };
        self.newest.push_back(part);
        while self.newest.len() > keep.last {
            self.newest.pop_front();
        }
    }

    /// Returns the greatest size of what is kept after the iteration `pass`: the parts, or a summary with the parts
    /// that it may not cover yet.
    fn size(&self, pass: &Pass<'_>, graph: &PlanGraph, config: &LoopConfig) -> Size {
        let Some(keep) = &config.keep else {
            return self.all;
        };
        let Some(summary) = &keep.summary else {
            return plus(total(self.newest.iter().copied()), Some(NOTE));
        };
        // Parts are kept until there is a summary of them, and the summary may be longer than the parts.
        let text = match (&graph.summary_bindings[..], summary.as_reference()) {
            (
                [
                    Binding {
                        bound: Bound::Node(node),
                        ..
                    },
                ],
                Some(_),
            ) => pass.source(&node.source),
            _ => None,
        };
        plus(self.all, plus(text, Some(NOTE)))
    }
}

struct Estimator<'a> {
    /// The nodes of the flow and its subflows as written, keyed by path.
    documents: HashMap<String, Node>,
    plan: &'a Plan,
    kinds: &'a KindSet,
    providers: &'a ProviderSet,
    inputs: &'a Map<String, Value>,
    steps: usize,
    calls: u64,
    /// The number of agent turns, whose cost nothing bounds.
    agent_turns: u64,
    microusd: Size,
    tokens: Size,
    counted: bool,
    why: BTreeSet<String>,
    unbounded: BTreeSet<UnboundedNode>,
}

/// Returns the greatest possible cost of a run of `flow` with `inputs`. `flow` must have no errors, and `plan` must be its
/// plan.
pub(crate) fn estimate(
    flow: &Flow,
    plan: &Plan,
    kinds: &KindSet,
    providers: &ProviderSet,
    inputs: &Map<String, Value>,
) -> CostEstimate {
    let mut documents = HashMap::new();
    collect(flow, "", &mut documents);
    let mut estimator = Estimator {
        documents,
        plan,
        kinds,
        providers,
        inputs,
        steps: 0,
        calls: 0,
        agent_turns: 0,
        microusd: Some(0),
        tokens: Some(0),
        counted: true,
        why: BTreeSet::new(),
        unbounded: BTreeSet::new(),
    };
    let mut pass = Pass {
        graph: 0,
        outer: None,
        given: None,
        input: Some(0),
        last: Some(0),
        previous: Some(0),
        values: vec![Some(0); plan.graphs[0].members.len()],
    };
    estimator.walk(&mut pass, |_| true);
    estimator.into_estimate()
}

fn collect(flow: &Flow, around: &str, documents: &mut HashMap<String, Node>) {
    for node in &flow.nodes {
        let place = format!("{around}{}", node.id);
        if let Some(Ok(inner)) = subflow::inline(node) {
            collect(&inner, &format!("{place}/"), documents);
        }
        documents.insert(place, node.clone());
    }
}

impl Estimator<'_> {
    fn into_estimate(self) -> CostEstimate {
        let calls = self.counted.then_some(self.calls);
        let turns = self.counted.then_some(self.agent_turns);
        // A budget stops the run after an agent's turn, but cannot limit the turn itself.
        let bounded = self.counted && self.agent_turns == 0;
        let of_calls = self.microusd.filter(|_| self.counted);
        let microusd = of_calls.filter(|_| bounded);
        let tokens = self.tokens.filter(|_| bounded);
        let note = match (calls, of_calls) {
            (Some(0), _) => match turns {
                Some(0) | None => "no model calls".to_owned(),
                Some(turns) => agent_turns(turns),
            },
            (Some(calls), Some(0)) => format!("at most {}, free of charge", counted_calls(calls)),
            (Some(calls), Some(most)) => {
                format!("at most {}, {}", counted_calls(calls), dollars(most))
            }
            (Some(calls), None) => format!("at most {}, cost unknown", counted_calls(calls)),
            (None, _) => "number of calls and cost unknown".to_owned(),
        };
        let note = match (calls, turns) {
            (Some(1..), Some(turns @ 1..)) => format!("{note}, and {}", agent_turns(turns)),
            _ => note,
        };
        let clip = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        CostEstimate {
            max_calls: calls.map(clip),
            max_usd: microusd.map(|most| most as f64 / 1e6),
            max_tokens: tokens.map(clip),
            agent_turns: turns.map(clip),
            unknown: self.why.into_iter().collect(),
            unbounded: self.unbounded.into_iter().collect(),
            note,
        }
    }

    fn unknown(&mut self, why: String) -> Size {
        self.why.insert(why);
        None
    }

    /// Walks an iteration in plan order. Visits only the nodes for which `runs` returns `true`.
    fn walk(&mut self, pass: &mut Pass<'_>, runs: impl Fn(&PlanNode) -> bool) {
        let plan = self.plan;
        for (slot, &index) in plan.graphs[pass.graph].members.iter().enumerate() {
            let node = &plan.nodes[index];
            self.steps += 1;
            if self.steps > MAX_STEPS {
                self.give_up("The flow has too many iterations to estimate.");
                return;
            }
            if !runs(node) || matches!(node.work, Work::End { .. }) {
                continue;
            }
            let (value, end) = self.node(pass, node);
            pass.values[slot] = value;
            if let Some(end) = end {
                pass.values[plan.nodes[end].slot] = value;
            }
        }
    }

    /// Counts an agent's turns: one for each attempt of its node.
    fn agent_turn(&mut self, node: &PlanNode, document: &Node) {
        let attempts = u64::from(attempts(document));
        self.agent_turns = self.agent_turns.saturating_add(attempts);
        self.why.insert(format!(
            "\"{}\" starts an agent, and the cost of a single agent turn has no limit. A budget only stops later turns.",
            node.title
        ));
    }

    fn give_up(&mut self, why: &str) {
        self.counted = false;
        self.why.insert(why.to_owned());
    }

    /// Returns the greatest size of a node's value. If the node starts a loop or a list, also returns the node at which that
    /// loop or list ends; its value has the same size.
    fn node(&mut self, pass: &Pass<'_>, node: &PlanNode) -> (Size, Option<NodeIx>) {
        let primary = |node: &PlanNode| {
            let wires = node.wires.iter().filter(|wire| wire.primary);
            total(wires.map(|wire| pass.source(&wire.source)))
        };
        let size = match &node.work {
            Work::Input { name, default, .. } => {
                let given = match pass.given {
                    Some(given) => given.get(name).copied(),
                    None => self.inputs.get(name).map(|value| Some(length(value))),
                };
                match (given, default) {
                    (Some(size), _) => size,
                    (None, Some(default)) => Some(length(default)),
                    (None, None) if pass.given.is_some() => Some(0),
                    (None, None) => self.unknown(format!("The input \"{name}\" has no value yet.")),
                }
            }
            Work::Bypass => primary(node),
            Work::Subflow { graph } => self.inner(pass, *graph, node),
            Work::Scope { end, .. } if node.disabled => return (primary(node), Some(*end)),
            Work::Scope { graph, end } => {
                let input = primary(node);
                let size = match &self.plan.graphs[*graph].repeat {
                    Some(Repeat::Loop(config)) => self.within(config.budget, |estimator| {
                        estimator.repeat(pass, *graph, input)
                    }),
                    _ => self.map_list(pass, *graph, node),
                };
                return (size, Some(*end));
            }
            Work::Execute(_) => {
                let Some(document) = self.documents.get(&*node.place).cloned() else {
                    return (None, None);
                };
                match self.kinds.specs().of(&document) {
                    Some(kind) if kind.calls_model(&document.data) => {
                        self.call(pass, node, &document, kind)
                    }
                    Some(kind) if kind.spends_unbounded(&document.data) => {
                        self.agent_turn(node, &document);
                        None
                    }
                    // A branch without an effect passes its input on. Nothing bounds the value of a branch that runs a program.
                    _ if node.shape == Shape::Branching && node.effect == EffectClass::Pure => {
                        plus(primary(node), Some(256))
                    }
                    Some(kind) if node.effect == EffectClass::Pure => {
                        let sites = kind.templates(&document.data);
                        if sites.is_empty() {
                            plus(self.wired(pass, node, |_| true), Some(64))
                        } else {
                            let texts = sites.iter().map(|site| site.source.as_str());
                            self.texts(pass, node, texts)
                        }
                    }
                    _ => None,
                }
            }
            Work::Output { .. } => primary(node),
            Work::End { .. } | Work::Broken(_) | Work::Annotation => Some(0),
        };
        (size, None)
    }

    fn wired(&self, pass: &Pass<'_>, node: &PlanNode, wanted: impl Fn(&Wire) -> bool) -> Size {
        let wires = node.wires.iter().filter(|wire| wanted(wire));
        total(wires.map(|wire| plus(pass.source(&wire.source), Some(8))))
    }

    /// Returns the total size of the text that these templates produce: their own text, plus each value as often as its
    /// name occurs in them. Returns `None` if nothing bounds the size, such as for a `for` block.
    fn texts<'t>(
        &self,
        pass: &Pass<'_>,
        node: &PlanNode,
        texts: impl Iterator<Item = &'t str>,
    ) -> Size {
        let mut size = Some(0);
        for text in texts {
            size = plus(size, Some(text.len() as u64));
            let template = Template::parse(text).ok()?;
            if repeats(text) {
                return None;
            }
            let mut roots: Vec<&str> = Vec::new();
            for reference in template.references() {
                if !roots.contains(&reference.root.as_str()) {
                    roots.push(&reference.root);
                }
            }
            for root in roots {
                let times = text.matches(root).count().max(1) as u64;
                let binding = node.bindings.iter().find(|binding| *binding.root == *root);
                let one = binding.map_or(Some(0), |binding| self.bound(pass, node, &binding.bound));
                size = plus(size, one.map(|one| one.saturating_mul(times)));
            }
        }
        size
    }

    fn bound(&self, pass: &Pass<'_>, node: &PlanNode, bound: &Bound) -> Size {
        match bound {
            Bound::PrimaryInput => self.wired(pass, node, |wire| wire.primary),
            Bound::Handle(name) => self.wired(pass, node, |wire| *wire.handle == **name),
            Bound::Inputs(_) => self.wired(pass, node, |_| true),
            Bound::Node(node) => plus(pass.source(&node.source), Some(128)),
            Bound::Nodes(nodes) => total(
                nodes
                    .iter()
                    .map(|(_, node)| plus(pass.source(&node.source), Some(128))),
            ),
            Bound::Run => match pass.given {
                Some(given) => total(given.values().copied()),
                None => Some(self.inputs.values().map(length).sum()),
            },
            Bound::Loop { up, .. } => {
                let pass = pass.out(*up)?;
                most([pass.last, pass.input, Some(32)])
            }
            Bound::Previous { up, .. } => plus(pass.out(*up)?.previous, Some(128)),
            Bound::Item { up } => pass.out(*up)?.input,
            Bound::Index { .. } => Some(8),
            Bound::Result => pass.last,
            _ => None,
        }
    }

    /// Adds the greatest cost of a model call. Returns the greatest size of its answer.
    fn call(
        &mut self,
        pass: &Pass<'_>,
        node: &PlanNode,
        document: &Node,
        kind: &dyn KindSpec,
    ) -> Size {
        let request = request_of(document, kind);
        let rate = self.providers.rate(&request);
        let answer = rate.most_tokens;
        let sites = kind.templates(&document.data);
        let has = |place: &str| sites.iter().any(|site| site.field == place);
        let mut asked = self.texts(pass, node, sites.iter().map(|site| site.source.as_str()));
        if !has("prompt") {
            asked = plus(asked, self.wired(pass, node, |wire| wire.primary));
        }
        let beside = |wire: &Wire| matches!(&*wire.handle, "system" | "context");
        asked = plus(asked, self.wired(pass, node, beside));
        // The node's system prompt, schema and branches cannot be larger than its data.
        let own = Value::Object(document.data.clone().into_iter().collect());
        asked = plus(asked, Some(length(&own) + PROTOCOL_TOKENS));
        let (mut input, mut output) = (asked, answer);
        let calls = calls_of_attempt(document, node.shape);
        if calls > 1 {
            // A repeated call sends the first answer back to the model.
            input = plus(plus(input, input), plus(output, Some(4_096)));
            output = output.map(|output| output.saturating_mul(2));
        }
        let attempts = u64::from(attempts(document));
        let title = &node.title;
        let cost = match &rate.price {
            Some(price) if price.is_free() => Some(0),
            None => self.unknown(format!(
                "The price of {} is not known (\"{title}\").",
                rate.model
            )),
            Some(_) if answer.is_none() => {
                self.unbounded.insert(UnboundedNode {
                    place: node.place.to_string(),
                    title: title.clone(),
                });
                self.unknown(format!(
                    "\"{title}\" has no maxTokens, so the length of its answer is not limited."
                ))
            }
            Some(price) => match input.zip(output) {
                Some((input, output)) => Some(price.most(input, output)),
                None => self.unknown(format!("The input of \"{title}\" has no size limit.")),
            },
        };
        self.calls = self.calls.saturating_add(u64::from(calls) * attempts);
        let times = |size: Size| size.map(|size| size.saturating_mul(attempts));
        self.microusd = plus(self.microusd, times(cost));
        self.tokens = plus(self.tokens, times(plus(input, output)));
        // A branch passes its input on.
        if node.shape == Shape::Branching {
            return plus(self.wired(pass, node, |wire| wire.primary), Some(256));
        }
        answer
    }

    /// Calls `go`, and caps the cost that `go` adds at `budget`. A budget in dollars makes a run refuse calls whose price has
    /// no bound, and a budget in tokens makes it refuse calls without a token limit.
    fn within(&mut self, budget: Limits, go: impl FnOnce(&mut Self) -> Size) -> Size {
        let before = (self.microusd.replace(0), self.tokens.replace(0));
        let (known, unbounded) = (self.why.clone(), self.unbounded.clone());
        let turns = self.agent_turns;
        let size = go(self);
        let capped = |most: Size, limit: Size| match (most, limit) {
            (Some(most), Some(limit)) => Some(most.min(limit)),
            (most, limit) => most.or(limit),
        };
        let bounded = self.agent_turns == turns;
        if self.microusd.is_none() && budget.microusd.is_some() && bounded {
            self.why = known;
            self.unbounded = unbounded;
        }
        self.microusd = plus(before.0, capped(self.microusd, budget.microusd));
        self.tokens = plus(before.1, capped(self.tokens, budget.tokens));
        size
    }

    /// Walks a loop with all its iterations. Returns the greatest size of its result.
    fn repeat(&mut self, outer: &Pass<'_>, graph: GraphIx, input: Size) -> Size {
        let plan = self.plan;
        let planned = &plan.graphs[graph];
        let Some(Repeat::Loop(config)) = &planned.repeat else {
            return None;
        };
        let reads_again = config.condition_before().is_some();
        let (mut next, mut last, mut previous) = (input, Some(0), Some(0));
        let mut longest = input;
        let mut appended = Appended::new();
        for iteration in 1..=config.max_iterations {
            let mut pass = Pass {
                graph,
                outer: Some(outer),
                given: outer.given,
                input: next,
                last,
                previous,
                values: vec![Some(0); planned.members.len()],
            };
            self.walk(&mut pass, |node| node.role != Role::Tail);
            if iteration < config.max_iterations || reads_again {
                self.walk(&mut pass, |node| node.role == Role::Tail);
            }
            if !self.counted {
                return None;
            }
            let ends = planned
                .end_wires
                .iter()
                .map(|wire| pass.source(&wire.source));
            let turned = planned
                .members
                .iter()
                .enumerate()
                .filter_map(|(slot, &node)| {
                    (plan.nodes[node].shape == Shape::Branching).then_some(pass.values[slot])
                });
            last = most(ends.chain(turned));
            longest = most([longest, last]);
            let fed = planned
                .feedback_wires
                .iter()
                .map(|wire| pass.source(&wire.source));
            let dangling = planned.dangling.iter().map(|&slot| pass.values[slot]);
            let feedback = most(fed.chain(dangling).chain([last]));
            next = match config.feedback_mode {
                FeedbackMode::Replace => feedback,
                FeedbackMode::Append => {
                    appended.add(plus(feedback, Some(PART)), config);
                    plus(input, appended.size(&pass, planned, config))
                }
                FeedbackMode::Variables => input,
            };
            previous = most(pass.values);
        }
        // A handle that lists every result is as long as all results together.
        if planned.keeps_results || !config.outputs.is_empty() {
            longest = longest.map(|one| one.saturating_mul(u64::from(config.max_iterations)));
        }
        longest
    }

    /// Walks a subflow once for each attempt. Returns the greatest total size of its outputs.
    fn inner(&mut self, outer: &Pass<'_>, graph: GraphIx, node: &PlanNode) -> Size {
        let plan = self.plan;
        let members = &plan.graphs[graph].members;
        let mut given = SubflowInputs::new();
        for wire in &node.wires {
            let size = outer.source(&wire.source);
            let known = given.entry(wire.handle.to_string()).or_insert(Some(0));
            *known = plus(*known, size);
        }
        let attempts = 1 + node.retry.as_ref().map_or(0, |retry| retry.count);
        let mut outputs = None;
        for _ in 0..attempts {
            let mut pass = Pass {
                graph,
                outer: None,
                given: Some(&given),
                input: Some(0),
                last: Some(0),
                previous: Some(0),
                values: vec![Some(0); members.len()],
            };
            self.walk(&mut pass, |_| true);
            let ends = members.iter().enumerate().filter_map(|(slot, &member)| {
                matches!(plan.nodes[member].work, Work::Output { .. }).then_some(pass.values[slot])
            });
            outputs = total(ends);
        }
        outputs
    }

    /// Walks the nodes of a list once for each item. Returns the greatest total size of the results. If the number of items is
    /// unknown, gives up the estimate and returns `None`.
    fn map_list(&mut self, outer: &Pass<'_>, graph: GraphIx, node: &PlanNode) -> Size {
        let planned = &self.plan.graphs[graph];
        let Some((count, longest)) = self.items(outer, node) else {
            self.give_up(&format!(
                "The number of items in \"{}\" is not known before the run.",
                node.title
            ));
            return None;
        };
        let mut results = Some(2);
        for _ in 0..count {
            let mut pass = Pass {
                graph,
                outer: Some(outer),
                given: outer.given,
                input: Some(longest),
                last: Some(0),
                previous: Some(0),
                values: vec![Some(0); planned.members.len()],
            };
            self.walk(&mut pass, |_| true);
            if !self.counted {
                return None;
            }
            let ends = planned
                .end_wires
                .iter()
                .map(|wire| pass.source(&wire.source));
            results = plus(results, total(ends.map(|size| plus(size, Some(16)))));
        }
        results
    }

    /// Returns the number of a list's items and the size of the longest item, if the list is an input of the run;
    /// otherwise `None`.
    fn items(&self, outer: &Pass<'_>, node: &PlanNode) -> Option<(usize, u64)> {
        let wire = node.wires.iter().find(|wire| wire.primary)?;
        let (pass, slot) = match &wire.source {
            Source::Local { slot, .. } => (outer, *slot),
            Source::Outer { up, slot, .. } => (outer.out(*up)?, *slot),
            Source::ScopeInput { .. } => return None,
        };
        let from = &self.plan.nodes[self.plan.graphs[pass.graph].members[slot]];
        let Work::Input { name, default, .. } = &from.work else {
            return None;
        };
        let value = match pass.given {
            Some(given) if given.contains_key(name) => None,
            Some(_) => default.as_ref(),
            None => self.inputs.get(name).or(default.as_ref()),
        };
        let items = value?.as_array()?;
        Some((items.len(), items.iter().map(length).max().unwrap_or(0)))
    }
}

/// The phrase that follows a number of agent turns, because nothing limits the cost of a turn.
pub const NOT_BOUNDED: &str = ", cost not bounded";

/// Returns a phrase such as `up to 5 agent turns, cost not bounded`.
pub fn agent_turns(turns: u64) -> String {
    counted_agent_turns(turns) + NOT_BOUNDED
}

/// Returns a phrase such as `1 call` or `5 calls`.
pub fn counted_calls(calls: u64) -> String {
    match calls {
        1 => "1 call".to_owned(),
        calls => format!("{calls} calls"),
    }
}

/// Returns a phrase such as `up to 5 agent turns`.
pub fn counted_agent_turns(turns: u64) -> String {
    match turns {
        1 => "up to 1 agent turn".to_owned(),
        turns => format!("up to {turns} agent turns"),
    }
}

/// Returns whether a template contains a `for` block, so that it may repeat its text.
fn repeats(text: &str) -> bool {
    text.split("{%")
        .skip(1)
        .any(|tag| tag.trim_start_matches('-').trim_start().starts_with("for "))
}
