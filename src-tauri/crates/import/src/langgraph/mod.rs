//! Writes a flow as a LangGraph program in Python: the same nodes, the same loops with the same exits, typed state.
//!
//! The graph is written node by node, with a loop's region between its start and a node that judges each pass; what nodes do is a
//! part that is the same in every program (`runtime.py`). Regions and roles are those of the model, so that what is exported is
//! what runs here. What cannot be expressed is said in the program's head and in the entries.

mod python;

use std::collections::{BTreeMap, BTreeSet};

use loopwright_model::{
    Flow, Kinds,
    graph::{Graph, NodeIx},
    regions::{Region, Regions, Role, regions, source_handle},
};
use serde_json::{Map, Value, json};

use crate::{Entry, Outcome};
use python::{literal, name_of};

const RUNTIME: &str = include_str!("runtime.py");

/// Kinds that the program does as they are done here.
const KINDS: [&str; 7] = [
    "input",
    "output",
    "llm",
    "router",
    "transform",
    "loop",
    "exit",
];

/// A program made from a flow.
#[derive(Debug, Clone)]
pub struct Export {
    /// The text of a `.py` file.
    pub program: String,
    /// What of the flow is not in it, or is otherwise.
    pub entries: Vec<Entry>,
}

/// Writes `flow`, which must be free of errors, as a program.
pub fn export(flow: &Flow, kinds: &Kinds) -> Export {
    let graph = Graph::new(flow, kinds);
    let regions = regions(flow, kinds, &graph);
    let mut writer = Writer {
        flow,
        graph: &graph,
        regions: &regions,
        entries: Vec::new(),
        ceiling: u64::from(flow.settings().max_iterations_ceiling),
    };
    writer.settings();
    let program = writer.program();
    Export {
        program,
        entries: writer.entries,
    }
}

struct Writer<'f> {
    flow: &'f Flow,
    graph: &'f Graph,
    regions: &'f Regions,
    entries: Vec<Entry>,
    ceiling: u64,
}

/// A step of the graph's chain, and what follows it.
struct Chain {
    /// `add_node` lines.
    nodes: Vec<String>,
    /// `add_edge` lines.
    edges: Vec<String>,
}

impl Writer<'_> {
    fn say(&mut self, node: Option<NodeIx>, place: &str, message: impl Into<String>) {
        self.entries.push(Entry {
            outcome: Outcome::Approximated,
            place: place.to_owned(),
            node: node.map(|node| self.flow.nodes[node].id.clone()),
            message: message.into(),
        });
    }

    fn settings(&mut self) {
        let Some(settings) = &self.flow.settings else {
            return;
        };
        let set = |name: &str| settings.get(name).is_some_and(|value| !value.is_null());
        for (name, says) in [
            ("budget", "the program counts no money and no tokens"),
            ("timeout", "the program has no time limit of its own"),
        ] {
            if set(name) {
                self.say(None, &format!("settings.{name}"), says);
            }
        }
    }

    fn id(&self, node: NodeIx) -> &str {
        &self.flow.nodes[node].id
    }

    fn region_of(&self, start: NodeIx) -> Option<&Region> {
        self.regions.opened_by(start)
    }

    fn is_loop(&self, node: NodeIx) -> bool {
        self.flow.nodes[node].kind == "loop" && self.region_of(node).is_some()
    }

    /// The loops around a node, outermost first.
    fn loops_around(&self, node: NodeIx) -> Vec<String> {
        let mut around: Vec<String> = self
            .regions
            .enclosing(node)
            .map(|region| self.id(self.regions.regions[region].start).to_owned())
            .collect();
        around.reverse();
        around
    }

    fn wires(&self, node: NodeIx, only: impl Fn(usize) -> bool) -> Vec<Value> {
        let primary = self.primary(node);
        self.graph.incoming[node]
            .iter()
            .filter(|edge| only(**edge))
            .filter_map(|&edge| {
                let (source, _) = self.graph.ends[edge]?;
                let written = self.flow.edges[edge].target_handle.as_deref();
                let into = self.graph.handles[node]
                    .input(written)
                    .map_or_else(|| primary.clone(), |handle| handle.name.to_string());
                let out = source_handle(self.flow, self.graph, edge)
                    .map_or_else(|| "output".to_owned(), |handle| handle.name.to_string());
                // On a loop without body edges, `output` into the region is `body`.
                let body = self.is_loop(source)
                    && self
                        .region_of(source)
                        .is_some_and(|region| region.body_edges.contains(&edge));
                let out = if body { "body".to_owned() } else { out };
                Some(json!({ "from": self.id(source), "out": out, "into": into }))
            })
            .collect()
    }

    fn primary(&self, node: NodeIx) -> String {
        self.graph.handles[node]
            .primary_input()
            .map_or_else(|| "input".to_owned(), |handle| handle.name.to_string())
    }

    fn node(&mut self, node: NodeIx) -> Value {
        let of = &self.flow.nodes[node];
        if !KINDS.contains(&of.kind.as_str()) && of.kind != "note" {
            let says = format!(
                "nodes of the kind {} are not written: the program stops there with an error that says so",
                of.kind
            );
            self.say(Some(node), of.title(), says);
        }
        self.fields(node);
        let main = match of.kind.as_str() {
            "router" => Value::Null,
            _ => json!(
                self.graph.handles[node]
                    .primary_output()
                    .map(|handle| handle.name.to_string())
            ),
        };
        let mut written = json!({
            "id": of.id, "title": of.title(), "kind": of.kind, "primary": self.primary(node), "main": main,
            "loops": self.loops_around(node), "wires": self.wires(node, |edge| !self.graph.is_feedback[edge]), "data": data(&of.data)
        });
        if let Some(region) = self.regions.closed_by(node) {
            written["closes"] = json!(self.id(region.start));
            let wired = self.graph.successors(node).any(|(edge, _)| {
                source_handle(self.flow, self.graph, edge)
                    .is_some_and(|handle| handle.name == "exhausted")
            });
            written["exhausted_wired"] = json!(wired);
        }
        written
    }

    /// Says which fields of a node have no counterpart.
    fn fields(&mut self, node: NodeIx) {
        let of = &self.flow.nodes[node];
        let set = |name: &str| of.data.get(name).is_some_and(|value| !value.is_null());
        let mut lost: Vec<(&str, &str)> = Vec::new();
        for (name, says) in [
            ("retry", "a call that fails is not tried again"),
            ("timeout", "a call has no time limit"),
            ("delay", "there is no pause between iterations"),
            (
                "limits",
                "the loop has no limit of time or money, only its iterations",
            ),
        ] {
            if set(name) {
                lost.push((name, says));
            }
        }
        if of.text("onError") == Some("return") {
            lost.push(("onError", "a failed iteration fails the program"));
        }
        if of.text("session") == Some("loop") {
            lost.push(("session", "each call starts anew"));
        }
        if of.kind == "llm" && of.text("builtin").is_some() {
            lost.push(("builtin", "the built-in model is part of Loopwright; the program asks the model that MODEL reaches"));
        }
        if of.kind == "router" && of.text("mode") == Some("llm") {
            lost.push(("mode", "the question to the model is worded otherwise"));
        }
        if of.kind == "llm" && self.reads_usage(node) {
            lost.push((
                "usage",
                "calls and tokens are not counted, so that `usage` has no value",
            ));
        }
        if of.disabled() {
            lost.push(("disabled", "the node is not bypassed"));
        }
        let text = Value::Object(of.data.clone()).to_string();
        if text.contains("?.")
            || text.contains("...") && text.contains("{{ {")
            || text.contains(" for ") && text.contains("{{ [")
        {
            lost.push(("template", "it uses forms that Tera has and Jinja2 has not"));
        }
        let title = of.title().to_owned();
        for (name, says) in lost {
            self.say(Some(node), &format!("{title}.{name}"), says);
        }
    }

    /// Whether something reads what a model call has used.
    fn reads_usage(&self, node: NodeIx) -> bool {
        let id = self.id(node);
        let read = [format!("{id}.usage"), format!("{id}[\\\"usage")];
        let wired = self
            .flow
            .edges
            .iter()
            .any(|edge| edge.source == id && edge.source_handle.as_deref() == Some("usage"));
        wired
            || self.flow.nodes.iter().any(|other| {
                let text = Value::Object(other.data.clone()).to_string();
                read.iter().any(|read| text.contains(read))
            })
    }

    fn a_loop(&self, region: &Region) -> Value {
        let start = region.start;
        let of = &self.flow.nodes[start];
        let get = |name: &str| of.data.get(name).filter(|value| !value.is_null());
        let text = |name: &str, default: &str| {
            get(name)
                .and_then(Value::as_str)
                .unwrap_or(default)
                .to_owned()
        };
        let most = get("maxIterations")
            .and_then(Value::as_f64)
            .map_or(5, |most| most.clamp(1.0, 1000.0) as u64)
            .min(self.ceiling);
        let condition = get("condition")
            .and_then(Value::as_object)
            .map(|condition| {
                let until = condition.get("until").and_then(Value::as_str);
                let going = condition.get("while").and_then(Value::as_str);
                json!({ "expression": until.or(going).unwrap_or("true"), "met": until.is_some(),
                "before": condition.get("test").and_then(Value::as_str) != Some("after") })
            });
        let outputs: Vec<Value> = get("outputs").and_then(Value::as_array).into_iter().flatten()
            .map(|output| json!({ "name": output["name"], "from": output["from"], "take": output.get("take").and_then(Value::as_str).unwrap_or("last") }))
            .collect();
        let ids = |nodes: &mut dyn Iterator<Item = NodeIx>| -> Vec<String> {
            nodes.map(|node| self.id(node).to_owned()).collect()
        };
        let order = self.order(Some(region));
        let core = |node: &NodeIx| region.roles.get(node) == Some(&Role::Core);
        json!({
            "max": most, "exit": text("exitCondition", "max_iterations"), "condition": condition,
            "threshold": get("stabilityThreshold").cloned().unwrap_or(json!(0.95)), "patience": get("patience").cloned().unwrap_or(json!(1)),
            "min": get("minIterations").cloned().unwrap_or(json!(1)), "mode": text("feedbackMode", "replace"),
            "variables": get("variables").cloned().unwrap_or(json!([])), "inputName": get("inputName").cloned(),
            "score": (text("result", "last") == "best").then(|| get("score").cloned()).flatten(),
            "outputs": outputs, "on_limit": text("onLimit", "return"),
            "body": ids(&mut region.body.iter().copied()),
            "core": ids(&mut order.iter().copied().filter(core)),
            "dangling": ids(&mut region.dangling.iter().copied()),
            "result": region.end.map_or_else(Vec::new, |end| self.wires(end, |_| true)),
            "feedback": self.wires(start, |edge| self.graph.is_feedback[edge])
        })
    }

    /// The nodes of a scope in an order in which each stands behind what it reads; a loop stands for its region.
    fn order(&self, region: Option<&Region>) -> Vec<NodeIx> {
        let scope = region.and_then(|region| {
            self.regions
                .regions
                .iter()
                .position(|known| known.start == region.start)
        });
        let inside: BTreeSet<NodeIx> = (0..self.flow.nodes.len())
            .filter(|&node| {
                self.regions.scope_of[node] == scope && self.flow.nodes[node].kind != "note"
            })
            .collect();
        // What stands in an inner region counts as its start.
        let outer = |node: NodeIx| -> Option<NodeIx> {
            if inside.contains(&node) {
                return Some(node);
            }
            self.regions
                .regions
                .iter()
                .find(|known| inside.contains(&known.start) && known.body.contains(&node))
                .map(|known| known.start)
        };
        let mut waits: BTreeMap<NodeIx, BTreeSet<NodeIx>> =
            inside.iter().map(|&node| (node, BTreeSet::new())).collect();
        for (edge, ends) in self.graph.ends.iter().enumerate() {
            let Some((from, to)) = ends.filter(|_| !self.graph.is_feedback[edge]) else {
                continue;
            };
            if let (Some(from), Some(to)) = (outer(from), outer(to))
                && from != to
                && let Some(before) = waits.get_mut(&to)
            {
                before.insert(from);
            }
        }
        for known in &self.regions.regions {
            if let Some(before) = known.end.and_then(|end| waits.get_mut(&end)) {
                before.insert(known.start);
            }
        }
        let mut order = Vec::new();
        while let Some(next) = waits
            .iter()
            .find(|(_, before)| before.is_empty())
            .map(|(&node, _)| node)
        {
            waits.remove(&next);
            waits.values_mut().for_each(|before| {
                before.remove(&next);
            });
            order.push(next);
        }
        order
    }

    /// The chain of a scope: its nodes one after another, from `enter` to `leave`.
    fn chain(&self, order: &[NodeIx], enter: &str, leave: &str, into: &mut Chain) {
        let names: Vec<String> = order.iter().map(|&node| name_of(self.id(node))).collect();
        if !enter.is_empty() {
            let first = names.first().map_or(leave, String::as_str);
            into.edges.push(format!(
                "graph.add_edge({}, {})",
                place(enter),
                place(first)
            ));
        }
        for (index, &node) in order.iter().enumerate() {
            let next = names.get(index + 1).map_or(leave, String::as_str);
            let (name, id) = (&names[index], literal(&json!(self.id(node))));
            let Some(region) = self.region_of(node).filter(|_| self.is_loop(node)) else {
                into.nodes
                    .push(format!("graph.add_node({}, visit({id}))", place(name)));
                into.edges
                    .push(format!("graph.add_edge({}, {})", place(name), place(next)));
                continue;
            };
            let inner = self.order(Some(region));
            let tail = |node: &NodeIx| region.roles.get(node) == Some(&Role::Tail);
            let (late, early): (Vec<NodeIx>, Vec<NodeIx>) = inner.into_iter().partition(tail);
            let (judge, following) = (format!("{name}.judge"), format!("{name}.next"));
            into.nodes
                .push(format!("graph.add_node({}, begin({id}))", place(name)));
            let first = early
                .first()
                .map_or(judge.clone(), |&node| name_of(self.id(node)));
            into.edges.push(format!(
                "graph.add_conditional_edges({}, over({id}), {{True: {}, False: {}}})",
                place(name),
                place(next),
                place(&first)
            ));
            self.chain(&early, "", &judge, into);
            into.nodes
                .push(format!("graph.add_node({}, judge({id}))", place(&judge)));
            let tail = late
                .first()
                .map_or(following.clone(), |&node| name_of(self.id(node)));
            into.edges.push(format!(
                "graph.add_conditional_edges({}, over({id}), {{True: {}, False: {}}})",
                place(&judge),
                place(next),
                place(&tail)
            ));
            self.chain(&late, "", &following, into);
            into.nodes.push(format!(
                "graph.add_node({}, following({id}))",
                place(&following)
            ));
            into.edges.push(format!(
                "graph.add_conditional_edges({}, over({id}), {{True: {}, False: {}}})",
                place(&following),
                place(next),
                place(&first)
            ));
        }
    }

    fn program(&mut self) -> String {
        let mut nodes = Map::new();
        for node in 0..self.flow.nodes.len() {
            if self.flow.nodes[node].kind != "note" {
                let written = self.node(node);
                nodes.insert(self.flow.nodes[node].id.clone(), written);
            }
        }
        let mut loops = Map::new();
        let mut steps = nodes.len() as u64 + 10;
        for region in &self.regions.regions {
            if self.flow.nodes[region.start].kind == "loop" {
                let written = self.a_loop(region);
                let most = written["max"].as_u64().unwrap_or(5);
                steps = steps.saturating_mul(most + 1).min(1_000_000);
                loops.insert(self.id(region.start).to_owned(), written);
            }
        }
        let mut chain = Chain {
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        self.chain(&self.order(None), "START", "END", &mut chain);
        let said: Vec<String> = self
            .entries
            .iter()
            .map(|entry| {
                format!(
                    "#   {}: {}",
                    one_line(&entry.place),
                    one_line(&entry.message)
                )
            })
            .collect();
        let said = if said.is_empty() {
            "# Everything in the flow is in this program.".to_owned()
        } else {
            format!(
                "# What is not in this program, or is otherwise:\n{}",
                said.join("\n")
            )
        };
        let title = one_line(self.flow.name.as_deref().unwrap_or("A flow"));
        let lines = |lines: &[String]| {
            lines
                .iter()
                .map(|line| format!("    {line}\n"))
                .collect::<String>()
        };
        format!(
            "# {title}: a LangGraph program, written by Loopwright.\n#\n# Needs Python 3.10 or later and `pip install langgraph jinja2`; for the model that is asked where MODEL is not set, \
             also\n# `pip install langchain` and its package for your provider. LOOPWRIGHT_MODEL names the model.\n# Templates are Jinja2 here. Whole numbers are written without a fraction \
             and values as compact JSON, as Tera does there;\n# a filter or test that Jinja2 does not know is an error.\n#\n{said}\n\n{HEAD}\nNODES: dict[str, dict[str, Any]] = {}\n\nLOOPS: dict[str, dict[str, Any]] = {}\n\nRECURSION_LIMIT = {steps}\n\n\n\
             def build() -> Any:\n    \"\"\"The graph: each node in its turn, each loop with its judge.\"\"\"\n    graph = StateGraph(State)\n{}{}    return graph.compile()\n\n\n{RUNTIME}",
            literal(&Value::Object(nodes)),
            literal(&Value::Object(loops)),
            lines(&chain.nodes),
            lines(&chain.edges),
        )
    }
}

/// START and END are LangGraph's own; anything else is a name.
fn place(name: &str) -> String {
    match name {
        "START" | "END" => name.to_owned(),
        other => literal(&json!(other)),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A node's configuration without what only the editor uses.
fn data(data: &Map<String, Value>) -> Value {
    let left_out = [
        "label",
        "description",
        "retry",
        "timeout",
        "whenInterrupted",
        "imported",
    ];
    Value::Object(
        data.iter()
            .filter(|(name, _)| !left_out.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

const HEAD: &str = include_str!("head.py");
