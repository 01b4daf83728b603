//! An agent's edges as a flow: branches become routers, cycles become loops, parallel edges join again.
//!
//! One node of the source runs after another, chosen by the first edge whose condition holds. A cycle that is entered at one
//! place becomes a Loop whose way back is a wire to `feedback`; one that is entered at several places has no such form.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::{Map, Value, json};

use super::{
    agent::Agent,
    expr::{self, Names},
    steps::{self, Steps},
};
use crate::{
    ImportError, Outcome,
    build::{Builder, MOST_ITERATIONS, Port},
};

const START: &str = "__start__";
const END: &str = "__end__";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Node(usize),
    End,
}

/// One way on from a node: where to, and under which condition.
#[derive(Debug, Clone)]
struct Way {
    to: Target,
    /// `None`: always.
    when: Option<String>,
    place: String,
}

#[derive(Debug, Clone)]
struct Vertex {
    name: String,
    /// The node of the source; `None`: one that an edge names and the source does not have.
    node: Option<usize>,
    ways: Vec<Way>,
    /// Branches that run at once, and where they join again.
    parallel: Option<(Vec<usize>, usize)>,
}

pub(super) struct Graph<'a> {
    agent: &'a Agent<'a>,
    vertices: Vec<Vertex>,
    entry: Vec<Way>,
    /// Nodes whose parallel branches are being written.
    open: RefCell<Vec<usize>>,
}

/// Ports by where they lead.
type Exits = BTreeMap<Target, Vec<Port>>;

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Object(object) => object
            .get("value")
            .and_then(Value::as_str)
            .map(str::to_owned),
        _ => None,
    }
}

impl<'a> Graph<'a> {
    pub(super) fn new(agent: &'a Agent<'a>, build: &mut Builder) -> Result<Self, ImportError> {
        let vertices = agent
            .nodes
            .iter()
            .map(|node| Vertex {
                name: node.name.to_owned(),
                node: Some(node.index),
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
            node: None,
            ways: vec![Way {
                to: Target::End,
                when: None,
                place: "edges".to_owned(),
            }],
            parallel: None,
        });
        Target::Node(self.vertices.len() - 1)
    }

    /// `goto` and `next` of nodes.
    fn gotos(&mut self) -> Result<(), ImportError> {
        for at in 0..self.agent.nodes.len() {
            let node = self.agent.nodes[at];
            let Some(goto) = node.config.get("goto").or_else(|| node.config.get("next")) else {
                continue;
            };
            let place = format!("{}.goto", node.place());
            let mut ways = Vec::new();
            match goto {
                Value::String(name) => ways.push((name.clone(), None)),
                Value::Array(rules) => {
                    for rule in rules {
                        let to = rule.get("to").and_then(Value::as_str).ok_or_else(|| {
                            ImportError::refused(
                                &place,
                                format!("a rule of “{}” has no `to`", node.name),
                            )
                        })?;
                        ways.push((to.to_owned(), rule.get("if").and_then(scalar)));
                    }
                }
                Value::Object(routes) => {
                    for (route, to) in routes {
                        let to = to.as_str().unwrap_or_default().to_owned();
                        let when =
                            (route != "_default").then(|| format!("state._route == {route:?}"));
                        ways.push((to, when));
                    }
                }
                _ => {
                    return Err(ImportError::refused(
                        place,
                        format!("the goto of “{}” is neither a name nor a list", node.name),
                    ));
                }
            }
            for (to, when) in ways {
                let to = self.target(&to);
                self.vertices[at].ways.push(Way {
                    to,
                    when,
                    place: place.clone(),
                });
            }
        }
        Ok(())
    }

    fn edges(&mut self, build: &mut Builder) -> Result<(), ImportError> {
        let with_goto: BTreeSet<usize> = (0..self.vertices.len())
            .filter(|at| !self.vertices[*at].ways.is_empty())
            .collect();
        for (index, edge) in self.agent.edges.iter().enumerate() {
            let place = format!("edges[{index}]");
            let kind = edge.get("type").and_then(Value::as_str).unwrap_or("normal");
            let name = |field: &str| edge.get(field).and_then(Value::as_str);
            let from = name("from").unwrap_or(if kind == "entry" { START } else { "" });
            let to = name("to").unwrap_or(if kind == "finish" { END } else { "" });
            if from.is_empty() || to.is_empty() {
                return Err(ImportError::refused(place, "an edge has `from` and `to`"));
            }
            let when = edge.get("condition").or_else(|| edge.get("when"));
            let mut when = when.and_then(scalar);
            if edge.get("condition").is_some() && edge.get("when") == Some(&Value::Bool(false)) {
                when = when.map(|when| format!("not ({})", expr::bare(&when)));
            }
            let to = self.target(to);
            let way = Way {
                to,
                when,
                place: place.clone(),
            };
            if from == START {
                self.entry.push(way);
                continue;
            }
            let Target::Node(from_at) = self.target(from) else {
                return Err(ImportError::refused(place, "no edge leads from `__end__`"));
            };
            if self.vertices[from_at].node.is_none() {
                // A node that only edges know: its own edges count, too.
                self.vertices[from_at]
                    .ways
                    .retain(|way| way.place != "edges");
            }
            if with_goto.contains(&from_at) {
                build.say(
                    Outcome::Ignored,
                    place,
                    None,
                    format!("“{from}” has a goto, which comes before its edges."),
                );
                continue;
            }
            if kind == "parallel" {
                let Some(fan_in) = name("fan_in") else {
                    return Err(ImportError::refused(
                        place,
                        "a parallel edge requires `fan_in`, the node where the branches join",
                    ));
                };
                let (Target::Node(branch), Target::Node(fan_in)) = (way.to, self.target(fan_in))
                else {
                    return Err(ImportError::refused(
                        place,
                        "a parallel edge leads to a node, and its branches join in one",
                    ));
                };
                let parallel = self.vertices[from_at]
                    .parallel
                    .get_or_insert_with(|| (Vec::new(), fan_in));
                if parallel.1 != fan_in {
                    return Err(ImportError::refused(
                        place,
                        format!("the parallel edges of “{from}” join at different nodes"),
                    ));
                }
                parallel.0.push(branch);
            } else {
                self.vertices[from_at].ways.push(way);
            }
        }
        Ok(())
    }

    /// Where nothing is said, the next node of the list follows.
    fn implicit(&mut self) {
        let count = self.agent.nodes.len();
        for at in 0..count {
            let vertex = &mut self.vertices[at];
            if let Some((_, fan_in)) = &vertex.parallel {
                vertex.ways = vec![Way {
                    to: Target::Node(*fan_in),
                    when: None,
                    place: "edges".to_owned(),
                }];
            }
            if vertex.ways.is_empty() {
                vertex.ways.push(Way {
                    to: if at + 1 < count {
                        Target::Node(at + 1)
                    } else {
                        Target::End
                    },
                    when: None,
                    place: format!("nodes[{at}]"),
                });
            }
        }
        if self.entry.is_empty() && count > 0 {
            self.entry.push(Way {
                to: Target::Node(0),
                when: None,
                place: "nodes[0]".to_owned(),
            });
        }
    }

    /// Writes the whole graph behind `start`, up to the flow's output.
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
                    "“{}” is in a parallel branch, and is reached beside it as well",
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
                        "Nothing leads to “{}”, so that it never runs; it is left out.",
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

    /// What is reached from `from` without passing `stop`.
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

    /// Writes the vertices of `set`, to which `pending` leads, and gives the ports that leave it. Ways to `header` leave it
    /// too: they are the way back of the loop around.
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
                    return Err(self.refuse_cycle(&component, "is entered at several places"));
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

    fn refuse_cycle(&self, component: &BTreeSet<usize>, why: &str) -> ImportError {
        let names: Vec<&str> = component
            .iter()
            .map(|at| self.vertices[*at].name.as_str())
            .collect();
        ImportError::refused(
            "edges",
            format!(
                "the cycle of {} {why}, so that it cannot be told where an iteration begins. Use a while_loop or retry.loop there",
                names.join(", ")
            ),
        )
    }

    /// Strongly connected components in the order in which they run (Tarjan 1972, without recursion).
    fn components(&self, set: &BTreeSet<usize>, header: Option<usize>) -> Vec<BTreeSet<usize>> {
        let next = |at: usize| -> Vec<usize> {
            self.successors(at)
                .filter(|to| set.contains(to) && Some(*to) != header)
                .collect()
        };
        let mut index: BTreeMap<usize, usize> = BTreeMap::new();
        let mut low: BTreeMap<usize, usize> = BTreeMap::new();
        let mut stack: Vec<usize> = Vec::new();
        let mut on_stack: BTreeSet<usize> = BTreeSet::new();
        let mut found = Vec::new();
        for &root in set {
            if index.contains_key(&root) {
                continue;
            }
            let mut work = vec![(root, next(root), 0)];
            index.insert(root, index.len());
            low.insert(root, index[&root]);
            stack.push(root);
            on_stack.insert(root);
            while let Some((at, successors, done)) = work.last_mut() {
                let at = *at;
                if let Some(&to) = successors.get(*done) {
                    *done += 1;
                    if !index.contains_key(&to) {
                        let number = index.len();
                        index.insert(to, number);
                        low.insert(to, number);
                        stack.push(to);
                        on_stack.insert(to);
                        work.push((to, next(to), 0));
                    } else if on_stack.contains(&to) {
                        let lower = low[&at].min(index[&to]);
                        low.insert(at, lower);
                    }
                    continue;
                }
                work.pop();
                if let Some((parent, ..)) = work.last() {
                    let lower = low[parent].min(low[&at]);
                    low.insert(*parent, lower);
                }
                if low[&at] == index[&at] {
                    let mut component = BTreeSet::new();
                    while let Some(member) = stack.pop() {
                        on_stack.remove(&member);
                        component.insert(member);
                        if member == at {
                            break;
                        }
                    }
                    found.push(component);
                }
            }
        }
        found.reverse();
        found
    }

    /// One node of the source, with the branches that run at once behind it.
    fn vertex(
        &self,
        at: usize,
        incoming: Vec<Port>,
        build: &mut Builder,
    ) -> Result<Vec<Port>, ImportError> {
        build.check_size()?;
        let vertex = &self.vertices[at];
        let ports = match vertex.node.and_then(|index| self.agent.nodes.get(index)) {
            Some(node) => Steps {
                agent: self.agent,
                build,
            }
            .node(node, incoming)?,
            None => {
                let id = build.placeholder(
                    &vertex.name,
                    "edges",
                    Value::String(vertex.name.clone()),
                    &format!(
                        "edges lead to “{}”, which the file does not have",
                        vertex.name
                    ),
                );
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

    /// Branches at once, and the node that puts what they came to into `parallel_results`.
    fn branches(
        &self,
        name: &str,
        branches: &[usize],
        fan_in: usize,
        from: Vec<Port>,
        build: &mut Builder,
    ) -> Result<Vec<Port>, ImportError> {
        let from = steps::joined(build, from);
        let mut args = Map::new();
        let mut list = Vec::new();
        for number in 1..=branches.len() {
            args.insert(format!("branch{number}"), Value::Null);
            list.push(format!("branch{number}"));
        }
        let source = format!(
            "local state = input\nstate.parallel_results = {{ {} }}\nreturn state",
            list.join(", ")
        );
        args.insert("source".to_owned(), source.into());
        let label = format!("Join after {name}");
        let join = build.node(
            "tool",
            &label,
            json!({ "tool": "script.lua", "args": args }),
        );
        build.wire_all(&from, &Port::at(&join, "input"));
        for (number, branch) in branches.iter().enumerate() {
            let set = self.reach(*branch, fan_in);
            let mut exits =
                self.scope(&set, BTreeMap::from([(*branch, from.clone())]), None, build)?;
            let ports = exits.remove(&Target::Node(fan_in)).unwrap_or_default();
            if !exits.is_empty() || ports.is_empty() {
                return Err(ImportError::refused(
                    "edges",
                    format!(
                        "the parallel branch “{}” does not end at “{}”, where it should join",
                        self.vertices[*branch].name, self.vertices[fan_in].name
                    ),
                ));
            }
            build.wire_all(&ports, &Port::named(&join, format!("branch{}", number + 1)));
        }
        build.mapped(
            "edges",
            &join,
            format!(
                "{} branches at once; the states they end with are `parallel_results`, in the order of the edges.",
                branches.len()
            ),
        );
        Ok(vec![Port::of(&join)])
    }

    /// A cycle as a Loop: its entrance is where an iteration begins, ways back to it are the feedback.
    fn cycle(
        &self,
        component: &BTreeSet<usize>,
        head: usize,
        incoming: Vec<Port>,
        build: &mut Builder,
    ) -> Result<Exits, ImportError> {
        let name = &self.vertices[head].name;
        build.permit_iterations(MOST_ITERATIONS);
        build.enter("cycle", "edges");
        let start = build.node(
            "loop",
            &format!("Repeat {name}"),
            json!({
                "maxIterations": MOST_ITERATIONS, "exitCondition": "evaluator", "feedbackMode": "replace",
                "inputName": "state", "onLimit": "fail"
            }),
        );
        build.wire_all(&incoming, &Port::at(&start, "input"));
        let body = vec![Port::at(&start, "body")];
        let mut exits = self.scope(component, BTreeMap::from([(head, body)]), Some(head), build)?;
        build.leave();
        let back = exits.remove(&Target::Node(head)).unwrap_or_default();
        build.wire_all(&back, &Port::at(&start, "feedback"));
        if exits.is_empty() {
            return Err(self.refuse_cycle(component, "has no way out"));
        }
        let end = build.node("exit", &format!("After {name}"), json!({}));
        build.say(
            Outcome::Approximated,
            "edges",
            Some(&start),
            format!(
                "The edges that lead back to “{name}” are a loop here. It goes on as long as they say, {MOST_ITERATIONS} times at most; then the run fails."
            ),
        );
        if exits.len() == 1 {
            return Ok(exits
                .into_iter()
                .map(|(target, ports)| {
                    build.wire_all(&ports, &Port::of(&end));
                    (target, vec![Port::of(&end)])
                })
                .collect());
        }
        // Several ways out meet at the Exit: the state says which it was until they part again.
        let mut branches = Vec::new();
        for (target, ports) in &exits {
            let to = self.target_name(*target);
            let mark = steps::script(
                build,
                &format!("Leave for {to}"),
                &format!("local state = input\nstate._leave = {to:?}\nreturn state"),
                None,
                ports,
            );
            build.wire(&Port::of(&mark), &Port::of(&end));
            branches.push((to.to_owned(), *target));
        }
        let rules: Vec<Value> = branches
            .iter()
            .map(|(to, _)| json!({ "name": to, "when": format!("input._leave == {to:?}") }))
            .collect();
        let router = build.node(
            "router",
            &format!("Where to after {name}"),
            json!({ "mode": "rules", "branches": rules }),
        );
        build.wire(&Port::of(&end), &Port::of(&router));
        let mut left = Exits::new();
        for (to, target) in branches {
            let clear = steps::script(
                build,
                &format!("On to {to}"),
                "local state = input\nstate._leave = nil\nreturn state",
                None,
                &[Port::named(&router, to)],
            );
            left.insert(target, vec![Port::of(&clear)]);
        }
        Ok(left)
    }

    fn target_name(&self, target: Target) -> &str {
        match target {
            Target::Node(at) => &self.vertices[at].name,
            Target::End => "end",
        }
    }

    /// The first way whose condition holds, as a Router where there are several.
    fn route(
        &self,
        name: &str,
        ways: &[Way],
        from: Vec<Port>,
        build: &mut Builder,
    ) -> Result<Exits, ImportError> {
        let mut ways: Vec<Way> = ways.to_vec();
        for way in &mut ways {
            if way
                .when
                .as_deref()
                .is_some_and(|when| expr::bare(when).eq_ignore_ascii_case("true"))
            {
                way.when = None;
            }
        }
        ways.retain(|way| {
            let never = way
                .when
                .as_deref()
                .is_some_and(|when| expr::bare(when).eq_ignore_ascii_case("false"));
            if never {
                build.say(
                    Outcome::Ignored,
                    way.place.clone(),
                    None,
                    "This edge is never taken.".to_owned(),
                );
            }
            !never
        });
        if let Some(always) = ways.iter().position(|way| way.when.is_none()) {
            for way in ways.drain(always + 1..) {
                build.say(
                    Outcome::Ignored,
                    way.place,
                    None,
                    format!("An edge before it always leads from “{name}” elsewhere, and the first that holds is taken."),
                );
            }
        }
        if let [only] = ways.as_slice()
            && only.when.is_none()
        {
            return Ok(Exits::from([(only.to, from)]));
        }
        if ways.is_empty() {
            return Ok(Exits::from([(Target::End, from)]));
        }
        let constants = &self.agent.constants;
        let names = Names::new("input", constants).with("result", "input");
        let mut branches = Vec::new();
        let mut exits = Exits::new();
        let mut taken: Vec<String> = Vec::new();
        let mut fallback = None;
        let mut untold = Vec::new();
        for way in &ways {
            let to = self.target_name(way.to);
            let mut branch = to.to_owned();
            let mut number = 2;
            while taken.contains(&branch) {
                branch = format!("{to} {number}");
                number += 1;
            }
            taken.push(branch.clone());
            match &way.when {
                None => {
                    fallback = Some(branch.clone());
                    branches.push(json!({ "name": branch }));
                }
                Some(when) => {
                    let test = expr::condition(when, &names).unwrap_or_else(|why| {
                        untold.push((way.place.clone(), format!("its condition `{when}` {why}")));
                        format!("input._never == {to:?}")
                    });
                    branches.push(json!({ "name": branch, "when": test }));
                }
            }
            exits
                .entry(way.to)
                .or_default()
                .push(Port::named("", branch));
        }
        let mut from = from;
        for (place, why) in untold {
            let id = build.placeholder(
                &format!("Condition after {name}"),
                &place,
                Value::String(why.clone()),
                &why,
            );
            build.wire_all(&from, &Port::of(&id));
            from = vec![Port::of(&id)];
        }
        let mut data = json!({ "mode": "rules", "branches": branches });
        if let Some(fallback) = fallback {
            data["fallback"] = fallback.into();
        }
        let router = build.node("router", &format!("After {name}"), data);
        build.wire_all(&from, &Port::of(&router));
        build.mapped(
            &ways[0].place,
            &router,
            format!("The first edge of “{name}” whose condition holds is taken."),
        );
        for ports in exits.values_mut() {
            for port in ports {
                port.node.clone_from(&router);
            }
        }
        Ok(exits)
    }
}
