//! Translates an agent's edges: branches become routers, cycles become loops, parallel edges join.
//!
//! The source runs one node after another and follows the first edge whose condition is true. A cycle with a single entrance
//! becomes a Loop, and the edges back to the entrance become wires to `feedback`. A cycle with several entrances cannot be
//! translated.

mod cycles;
mod edges;
mod routes;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use loopwright_jinja::{Templates, bare, quoted};
use serde_json::{Map, Value, json};

use super::{
    agent::Agent,
    steps::{self, Steps},
};
use crate::{
    Outcome,
    build::{Builder, MOST_ITERATIONS, Port},
    error::ImportError,
};

const START: &str = "__start__";
const END: &str = "__end__";
/// The place that is set for the implicit edge of a node that only edges name. It also marks this edge.
const UNKNOWN: &str = "edges";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Node(usize),
    End,
}

/// An edge from a node to a target, with its condition.
#[derive(Debug, Clone)]
struct Way {
    to: Target,
    /// The condition, or `None` for an unconditional edge.
    when: Option<String>,
    /// Whether the condition is a rule of a `goto`. The text that such a condition prints decides whether it is true.
    is_rule: bool,
    place: String,
}

/// A node of the graph. The source's nodes come first, in their order. Names that appear only in edges follow.
#[derive(Debug, Clone)]
struct Vertex {
    name: String,
    ways: Vec<Way>,
    /// Branches that run at the same time, and the node at which they join.
    parallel: Option<(Vec<usize>, usize)>,
}

pub(super) struct Graph<'a> {
    agent: &'a Agent<'a>,
    vertices: Vec<Vertex>,
    entry: Vec<Way>,
    /// Nodes whose parallel branches are being translated.
    open: RefCell<Vec<usize>>,
}

/// The ports that leave a part of the graph, grouped by the target of their edges.
type Exits = BTreeMap<Target, Vec<Port>>;

impl<'a> Graph<'a> {
    pub(super) fn new(agent: &'a Agent<'a>, build: &mut Builder) -> Result<Self, ImportError> {
        let vertices = agent
            .nodes
            .iter()
            .map(|node| Vertex {
                name: node.name.to_owned(),
                ways: Vec::new(),
                parallel: None,
            })
            .collect();
        let mut graph = Self {
            agent,
            vertices,
            entry: Vec::new(),
            open: RefCell::default(),
        };
        graph.gotos()?;
        graph.edges(build)?;
        graph.implicit();
        Ok(graph)
    }

    fn target(&mut self, name: &str) -> Target {
        if name == END {
            return Target::End;
        }
        if let Some(at) = self.vertices.iter().position(|vertex| vertex.name == name) {
            return Target::Node(at);
        }
        self.vertices.push(Vertex {
            name: name.to_owned(),
            ways: vec![Way {
                to: Target::End,
                when: None,
                is_rule: false,
                place: UNKNOWN.to_owned(),
            }],
            parallel: None,
        });
        Target::Node(self.vertices.len() - 1)
    }

    /// Translates the whole graph from `start` to the flow's output. Fails if a part of it cannot be translated.
    pub(super) fn emit(&self, build: &mut Builder, start: Vec<Port>) -> Result<(), ImportError> {
        let mut inside: BTreeSet<usize> = BTreeSet::new();
        let mut in_branches: BTreeSet<usize> = BTreeSet::new();
        for vertex in &self.vertices {
            if let Some((branches, fan_in)) = &vertex.parallel {
                for branch in branches {
                    in_branches.extend(self.reach(*branch, *fan_in));
                }
            }
        }
        let entries = self.route("Start", &self.entry, start, build)?;
        let mut waiting: Vec<usize> = entries
            .keys()
            .filter_map(|target| match target {
                Target::Node(at) => Some(*at),
                Target::End => None,
            })
            .collect();
        while let Some(at) = waiting.pop() {
            if inside.insert(at) {
                waiting.extend(self.successors(at));
            }
        }
        if let Some(both) = inside.intersection(&in_branches).next() {
            return Err(ImportError::refused(
                "edges",
                format!(
                    "“{}” is in a parallel branch, and is also reached from outside it",
                    self.vertices[*both].name
                ),
            ));
        }
        let mut pending: BTreeMap<usize, Vec<Port>> = BTreeMap::new();
        let mut ends = Vec::new();
        for (target, ports) in entries {
            match target {
                Target::Node(at) => pending.entry(at).or_default().extend(ports),
                Target::End => ends.extend(ports),
            }
        }
        let exits = self.scope(&inside, pending, None, build)?;
        ends.extend(exits.into_values().flatten());
        let remembers = self.agent.uses("memory.");
        let ends = if remembers {
            let source = "input.pop(\"_memory\", None)\nreturn input";
            let label = "Without the memory";
            vec![Port::of(&steps::script(build, label, source, None, &ends))]
        } else {
            ends
        };
        let output = build.node(
            "output",
            "Final state",
            json!({ "name": "state", "format": "json" }),
        );
        build.wire_all(&ends, &Port::of(&output));
        let corrections: Vec<&str> = self
            .agent
            .nodes
            .iter()
            .filter_map(|node| node.config.get("with")?.get("correct")?.as_str())
            .collect();
        for (at, vertex) in self.vertices.iter().enumerate() {
            if !inside.contains(&at)
                && !in_branches.contains(&at)
                && !corrections.contains(&vertex.name.as_str())
            {
                build.say(
                    Outcome::Ignored,
                    format!("nodes[{at}]"),
                    None,
                    format!(
                        "No edge leads to “{}”, so it never runs and is left out.",
                        vertex.name
                    ),
                );
            }
        }
        Ok(())
    }

    fn successors(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.vertices[at]
            .ways
            .iter()
            .filter_map(|way| match way.to {
                Target::Node(to) => Some(to),
                Target::End => None,
            })
    }

    /// Returns the nodes reachable from `from` without passing `stop`.
    fn reach(&self, from: usize, stop: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![from];
        while let Some(at) = waiting.pop() {
            if at != stop && found.insert(at) {
                waiting.extend(self.successors(at));
            }
        }
        found
    }

    /// Translates the vertices of `set`, starting with those in `pending`, and returns the ports that leave the set. Edges to
    /// `header` count as leaving it, because they lead back to the start of the enclosing loop.
    fn scope(
        &self,
        set: &BTreeSet<usize>,
        mut pending: BTreeMap<usize, Vec<Port>>,
        header: Option<usize>,
        build: &mut Builder,
    ) -> Result<Exits, ImportError> {
        let mut exits = Exits::new();
        for component in self.components(set, header) {
            let entered: Vec<usize> = component
                .iter()
                .copied()
                .filter(|at| pending.contains_key(at))
                .collect();
            let Some(&first) = entered.first() else {
                continue;
            };
            let cyclic = component.len() > 1
                || self
                    .successors(first)
                    .any(|to| to == first && Some(to) != header);
            let left = if cyclic {
                if entered.len() > 1 {
                    return Err(self.refuse_cycle(
                        &component,
                        "is entered at several nodes, so it is unclear where an iteration begins",
                    ));
                }
                let incoming = pending.remove(&first).unwrap_or_default();
                self.cycle(&component, first, incoming, build)?
            } else {
                let incoming = pending.remove(&first).unwrap_or_default();
                let ports = self.vertex(first, incoming, build)?;
                let vertex = &self.vertices[first];
                self.route(&vertex.name, &vertex.ways, ports, build)?
            };
            for (target, ports) in left {
                match target {
                    Target::Node(to) if set.contains(&to) && Some(to) != header => {
                        pending.entry(to).or_default().extend(ports);
                    }
                    outside => exits.entry(outside).or_default().extend(ports),
                }
            }
        }
        Ok(exits)
    }

    /// Translates a node of the source, with the parallel branches after it.
    fn vertex(
        &self,
        at: usize,
        incoming: Vec<Port>,
        build: &mut Builder,
    ) -> Result<Vec<Port>, ImportError> {
        build.check_size()?;
        let vertex = &self.vertices[at];
        let ports = match self.agent.nodes.get(at) {
            Some(node) => Steps::new(self.agent, build).node(node, incoming)?,
            None => {
                let source = Value::String(vertex.name.clone());
                let why = format!("edges lead to “{}”, which is not in the file", vertex.name);
                let id = build.placeholder(&vertex.name, "edges", source, &why);
                build.wire_all(&incoming, &Port::of(&id));
                vec![Port::of(&id)]
            }
        };
        let Some((branches, fan_in)) = &vertex.parallel else {
            return Ok(ports);
        };
        if self.open.borrow().contains(&at) {
            return Err(ImportError::refused(
                "edges",
                format!("the parallel branches of “{}” lead back to it", vertex.name),
            ));
        }
        self.open.borrow_mut().push(at);
        let joined = self.branches(&vertex.name, branches, *fan_in, ports, build);
        self.open.borrow_mut().pop();
        joined
    }

    fn target_name(&self, target: Target) -> &str {
        match target {
            Target::Node(at) => &self.vertices[at].name,
            Target::End => "end",
        }
    }
}
