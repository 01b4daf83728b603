//! Exports a flow as a LangGraph program in Python, with the same nodes, the same loops and exits, and typed state.
//!
//! The graph is written node by node. A loop's region lies between its start and a node that judges each iteration. The
//! implementation of nodes (`runtime.py`) and of templates (`templates.py`) is the same in every program. Regions and roles come
//! from the model crate, so the exported program runs as the engine would run the flow. A flow is not exported if any part of it
//! would have a different meaning, or no meaning, in Python. The error names each such part and its place.

mod fields;
mod names;
mod pattern;
mod python;
mod reads;
mod template;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use loopwright_model::{
    Flow, Kinds,
    graph::{Graph, NodeIx},
    regions::{Region, Regions, Role, regions, source_handle},
};
use serde_json::{Value, json};

use python::{Python, literal, name_of};
use reads::{Read, Scope};
use template::Code;

use crate::remark::{Export, NotExported, Remark};

const HEAD: &str = include_str!("head.py");
const TEMPLATES: &str = include_str!("templates.py");
const RUNTIME: &str = include_str!("runtime.py");

const LEAD: &str = "This flow cannot be exported, because the program would behave differently.";

/// Exports `flow`, which must be free of errors, as a program.
///
/// # Errors
/// Returns an error if the program could not reproduce some part of the flow. The error lists each such part with its place.
pub fn export(flow: &Flow, kinds: &Kinds) -> Result<Export, NotExported> {
    let graph = Graph::new(flow, kinds);
    let regions = regions(flow, kinds, &graph);
    let mut writer = Writer {
        flow,
        kinds,
        graph: &graph,
        regions: &regions,
        entries: Vec::new(),
        reasons: Vec::new(),
        functions: Vec::new(),
        reads: RefCell::default(),
        ceiling: u64::from(flow.settings().max_iterations_ceiling),
    };
    writer.settings();
    writer.names();
    let program = writer.program();
    writer.mixed_reads();
    if !writer.reasons.is_empty() {
        return Err(NotExported {
            lead: LEAD,
            reasons: writer.reasons,
        });
    }
    Ok(Export {
        program,
        entries: writer.entries,
    })
}

struct Writer<'f> {
    flow: &'f Flow,
    kinds: &'f Kinds,
    graph: &'f Graph,
    regions: &'f Regions,
    entries: Vec<Remark>,
    reasons: Vec<Remark>,
    /// The templates that need their own function: the function's name, its description and its statements.
    functions: Vec<(String, String, Vec<String>)>,
    /// The names that each node's templates read from other nodes.
    reads: RefCell<Vec<Read>>,
    ceiling: u64,
}

/// The nodes of the program's graph, and the edges that lead from each node to the next.
struct Chain {
    /// The lines of code that call `add_node`.
    nodes: Vec<String>,
    /// The lines of code that call `add_edge`.
    edges: Vec<String>,
}

impl Writer<'_> {
    /// Records a reason why the flow is not exported.
    fn refuse(&mut self, node: Option<NodeIx>, field: &str, message: impl Into<String>) {
        let place = match node {
            Some(node) if field.is_empty() => self.flow.nodes[node].title().to_owned(),
            Some(node) => format!("{}.{field}", self.flow.nodes[node].title()),
            None => field.to_owned(),
        };
        let reason = Remark {
            node: node.map(|node| self.id(node).to_owned()),
            place,
            message: message.into(),
        };
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn say(&mut self, node: NodeIx, field: &str, message: impl Into<String>) {
        self.entries.push(Remark {
            place: format!("{}.{field}", self.flow.nodes[node].title()),
            node: Some(self.id(node).to_owned()),
            message: message.into(),
        });
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

    /// Checks that the names of nodes in the graph differ. Ids that differ can have the same name, because LangGraph reserves
    /// some characters.
    fn names(&mut self) {
        let mut known: BTreeMap<String, NodeIx> = BTreeMap::new();
        if self.flow.nodes.iter().all(|node| node.kind == "note") {
            self.refuse(
                None,
                "nodes",
                "there is nothing to export. Add an Input, a node and an Output",
            );
        }
        for node in 0..self.flow.nodes.len() {
            let name = name_of(self.id(node));
            let own = match self.is_loop(node) {
                true => vec![format!("{name}.judge"), format!("{name}.next"), name],
                false => vec![name],
            };
            for name in own {
                if let Some(other) = known.insert(name.clone(), node) {
                    let other = self.flow.nodes[other].title().to_owned();
                    let message = format!(
                        "in the graph, its id and that of “{other}” would both be `{name}`. Change one of the two ids"
                    );
                    self.refuse(Some(node), "id", message);
                }
            }
        }
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
                // On a loop without body edges, an `output` edge into the region counts as `body`.
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

    fn node(&mut self, node: NodeIx) -> Python {
        let data = self.fields(node);
        let of = &self.flow.nodes[node];
        let wires = self.wires(node, |edge| !self.graph.is_feedback[edge]);
        let mut written = vec![
            ("id", Python::from(json!(of.id))),
            ("title", json!(of.title()).into()),
            ("kind", json!(of.kind).into()),
            ("primary", json!(self.primary(node)).into()),
            ("wires", Value::Array(wires).into()),
            ("data", data),
        ];
        if let Some(region) = self.regions.closed_by(node) {
            written.push(("closes", json!(self.id(region.start)).into()));
            let wired = self.graph.successors(node).any(|(edge, _)| {
                source_handle(self.flow, self.graph, edge)
                    .is_some_and(|handle| handle.name == "exhausted")
            });
            written.push(("exhausted_wired", json!(wired).into()));
        }
        Python::Object(
            written
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    /// Returns the nodes of a region that can branch away from its end, in execution order. Each entry has the node's
    /// id and the handles that lead on within the region or to its end.
    fn deciders(&self, region: &Region) -> Vec<Value> {
        let (order, _) = self.graph.topological();
        order
            .into_iter()
            .filter(|node| {
                self.graph.branching[*node] && region.roles.get(node) == Some(&Role::Core)
            })
            .map(|node| {
                let leads_on: Vec<String> = self
                    .graph
                    .successors(node)
                    .filter(|(_, target)| {
                        region.end == Some(*target) || region.roles.get(target) == Some(&Role::Core)
                    })
                    .filter_map(|(edge, _)| {
                        source_handle(self.flow, self.graph, edge)
                            .map(|handle| handle.name.to_string())
                    })
                    .collect();
                json!({ "node": self.id(node), "leads_on": leads_on })
            })
            .collect()
    }

    /// Returns the scope of a node's own templates.
    fn scope(&self, node: NodeIx) -> Scope {
        Scope {
            region: self.regions.scope_of[node],
            of_loop: false,
        }
    }

    /// Translates the template of a field to Python.
    fn template(&mut self, node: NodeIx, scope: Scope, field: &str, source: &str) -> Python {
        let written = {
            let mut names = self.names_in(node, scope);
            template::template(source, &mut names)
        };
        match written {
            Ok(Code::Expression(code)) => Python::Code(format!("lambda n: {code}")),
            Ok(Code::Function(lines)) => {
                let name = format!("template_{}", self.functions.len() + 1);
                let of = format!("{field} of {}", one_line(self.flow.nodes[node].title()));
                self.functions.push((name.clone(), of, lines));
                Python::Code(name)
            }
            Err(refused) => {
                self.refuse(Some(node), field, no_counterpart(&refused.0));
                Python::NONE
            }
        }
    }

    /// Translates an expression without delimiters (`{{ }}`), like [`Self::template`].
    fn expression(&mut self, node: NodeIx, scope: Scope, field: &str, source: &str) -> Python {
        let written = {
            let mut names = self.names_in(node, scope);
            template::expression(source, &mut names)
        };
        match written {
            Ok(code) => Python::Code(format!("lambda n: {code}")),
            Err(refused) => {
                self.refuse(Some(node), field, no_counterpart(&refused.0));
                Python::NONE
            }
        }
    }

    /// Translates a condition like [`Self::template`].
    fn condition(&mut self, node: NodeIx, scope: Scope, field: &str, source: &str) -> Python {
        let written = {
            let mut names = self.names_in(node, scope);
            template::condition(source, &mut names)
        };
        match written {
            Ok(condition) => Python::Code(format!(
                "Condition({}, lambda n: {}, lambda n: [{}])",
                literal(&json!(source.trim())),
                condition.code,
                condition.reads.join(", ")
            )),
            Err(refused) => {
                self.refuse(Some(node), field, no_counterpart(&refused.0));
                Python::NONE
            }
        }
    }

    fn a_loop(&mut self, region: &Region) -> Python {
        let configured = self.loop_fields(region);
        let ids = |nodes: &mut dyn Iterator<Item = NodeIx>| -> Value {
            nodes.map(|node| json!(self.id(node))).collect()
        };
        let result = region
            .end
            .map_or_else(Vec::new, |end| self.wires(end, |_| true));
        let feedback = self.wires(region.start, |edge| self.graph.is_feedback[edge]);
        let Python::Object(mut written) = configured else {
            return configured;
        };
        for (name, value) in [
            ("body", ids(&mut region.body.iter().copied())),
            ("deciders", self.deciders(region).into()),
            ("dangling", ids(&mut region.dangling.iter().copied())),
            ("result", result.into()),
            ("feedback", feedback.into()),
        ] {
            written.push((name.to_owned(), value.into()));
        }
        Python::Object(written)
    }

    /// Orders the nodes of a scope so that each comes after the nodes it reads. A loop's start represents the loop's region.
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
        // A node in an inner region counts as that region's start.
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

    /// Adds the chain of a scope: its nodes one after another, from `enter` to `leave`.
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
        let (mut nodes, mut loops) = (Vec::new(), Vec::new());
        for node in 0..self.flow.nodes.len() {
            if self.flow.nodes[node].kind != "note" {
                nodes.push((self.id(node).to_owned(), self.node(node)));
            }
        }
        let mut steps = nodes.len() as u64 + 10;
        let regions = self.regions;
        for region in &regions.regions {
            if self.flow.nodes[region.start].kind == "loop" {
                steps = steps
                    .saturating_mul(self.most(region.start) + 1)
                    .min(1_000_000);
                loops.push((self.id(region.start).to_owned(), self.a_loop(region)));
            }
        }
        let mut chain = Chain {
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        self.chain(&self.order(None), "START", "END", &mut chain);
        let said: String = self
            .entries
            .iter()
            .map(|entry| {
                format!(
                    "#   {}: {}\n",
                    one_line(&entry.place),
                    one_line(&entry.message)
                )
            })
            .collect();
        let said = match said.is_empty() {
            true => "# Everything in the flow is in this program.\n".to_owned(),
            false => format!("# What you must complete:\n{said}"),
        };
        let title = one_line(self.flow.name.as_deref().unwrap_or("A flow"));
        let lines = |lines: &[String]| {
            lines
                .iter()
                .map(|line| format!("    {line}\n"))
                .collect::<String>()
        };
        let functions: String = self
            .functions
            .iter()
            .map(|(name, of, body)| {
                format!(
                    "def {name}(n: Names) -> str:\n    # {of}\n{}\n\n",
                    lines(body)
                )
            })
            .collect();
        format!(
            "# {title}: a LangGraph program, written by Loopwright.\n#\n# Needs Python 3.10 or later and `pip install langgraph`. If MODEL is not set, it also needs\n\
             # `pip install langchain` and its package for your provider; LOOPWRIGHT_MODEL then names the model.\n#\n\
             # Templates are functions of the names `n` that they read. A failed call fails the program: calls are not\n\
             # retried. Nodes run one at a time. Templates have no limits on steps and size here.\n#\n{said}\n{HEAD}\n\n{functions}NODES: dict[str, dict[str, Any]] = {}\n\nLOOPS: dict[str, dict[str, Any]] = {}\n\nRECURSION_LIMIT = {steps}\n\n\n\
             def build() -> Any:\n    \"\"\"Builds the graph of the flow.\"\"\"\n    graph = StateGraph(State)\n{}{}    return graph.compile()\n\n\n{TEMPLATES}\n\n{RUNTIME}",
            Python::Object(nodes).written(),
            Python::Object(loops).written(),
            lines(&chain.nodes),
            lines(&chain.edges),
        )
    }
}

fn no_counterpart(what: &str) -> String {
    format!("the program has no counterpart for {what}")
}

/// Formats the name of one end of an edge. START and END are LangGraph's own names; anything else is a node name.
fn place(name: &str) -> String {
    match name {
        "START" | "END" => name.to_owned(),
        other => literal(&json!(other)),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
