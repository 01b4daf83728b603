//! Collects the edges: the `goto` of nodes, explicit edges and, for nodes without either, the order of the list.

use super::{
    BTreeSet, Builder, END, Graph, ImportError, Outcome, START, Target, UNKNOWN, Value, Way, bare,
};

impl Graph<'_> {
    /// Collects the `goto` and `next` fields of nodes. Fails if one is invalid.
    pub(super) fn gotos(&mut self) -> Result<(), ImportError> {
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
                        let when = ["if", "condition", "when"]
                            .iter()
                            .find_map(|field| rule.get(*field));
                        ways.push((to.to_owned(), when.and_then(scalar)));
                    }
                }
                Value::Object(routes) => {
                    for (route, to) in routes {
                        let to = to.as_str().unwrap_or_default().to_owned();
                        let when = (route != "_default")
                            .then(|| format!("state.get('_route') == {}", super::quoted(route)));
                        ways.push((to, when));
                    }
                }
                _ => {
                    return Err(ImportError::refused(
                        place,
                        format!(
                            "the goto of “{}” must be a name, a list of rules, or an object of routes",
                            node.name
                        ),
                    ));
                }
            }
            for (to, when) in ways {
                if to != END && self.agent.node(&to).is_none() {
                    let names = self.agent.nodes.iter().map(|node| node.name);
                    let hint = crate::naming::hint(&to, names);
                    let words =
                        format!("“{}” goes to “{to}”, which is not a node{hint}", node.name);
                    return Err(ImportError::refused(place, words));
                }
                let to = self.target(&to);
                self.vertices[at].ways.push(Way {
                    to,
                    is_rule: goto.is_array(),
                    when,
                    place: place.clone(),
                });
            }
        }
        Ok(())
    }

    pub(super) fn edges(&mut self, build: &mut Builder) -> Result<(), ImportError> {
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
                return Err(ImportError::refused(
                    place,
                    "an edge must have `from` and `to`",
                ));
            }
            let when = edge.get("condition").or_else(|| edge.get("when"));
            let mut when = when.and_then(scalar);
            if edge.get("condition").is_some() && edge.get("when") == Some(&Value::Bool(false)) {
                when = when.map(|when| format!("not ({})", bare(&when)));
            }
            let to = self.target(to);
            let way = Way {
                to,
                when,
                is_rule: false,
                place: place.clone(),
            };
            if from == START {
                self.entry.push(way);
                continue;
            }
            let Target::Node(from_at) = self.target(from) else {
                return Err(ImportError::refused(
                    place,
                    "no edge may lead from `__end__`",
                ));
            };
            // Only edges name this node, so its own edges replace the implicit one.
            if from_at >= self.agent.nodes.len() {
                self.vertices[from_at]
                    .ways
                    .retain(|way| way.place != UNKNOWN);
            }
            if with_goto.contains(&from_at) {
                build.say(
                    Outcome::Ignored,
                    place,
                    None,
                    format!("“{from}” has a goto, which takes precedence over its edges."),
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
                        "a parallel edge must lead to a node, and its branches must join in a node",
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
        for (index, edge) in self.agent.edges.iter().enumerate() {
            let Some(from) = edge.get("from").and_then(Value::as_str) else {
                continue;
            };
            let unknown = (self.agent.nodes.len()..self.vertices.len())
                .find(|at| self.vertices[*at].name == from);
            let ways = self.vertices.iter().flat_map(|vertex| &vertex.ways);
            if let Some(at) = unknown
                && !ways
                    .chain(&self.entry)
                    .any(|way| way.to == Target::Node(at))
            {
                let words =
                    format!("it starts at “{from}”, which is not a node and has no incoming edges");
                return Err(ImportError::refused(format!("edges[{index}]"), words));
            }
        }
        Ok(())
    }

    /// Gives each node without outgoing edges an edge to the next node in the list. A node with parallel items gets a single
    /// edge, to the node at which they join.
    pub(super) fn implicit(&mut self) {
        let count = self.agent.nodes.len();
        for at in 0..count {
            // TEA's runtime continues from parallel items at the node that joins them, even if the edges lead elsewhere.
            let joins = self.agent.nodes[at].joins_at().map(str::to_owned);
            if let Some(fan_in) = joins {
                let to = self.target(&fan_in);
                self.vertices[at].ways = vec![Way {
                    to,
                    when: None,
                    is_rule: false,
                    place: format!("nodes[{at}].fan_in"),
                }];
            }
            let vertex = &mut self.vertices[at];
            if let Some((_, fan_in)) = &vertex.parallel {
                vertex.ways = vec![Way {
                    to: Target::Node(*fan_in),
                    when: None,
                    is_rule: false,
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
                    is_rule: false,
                    place: format!("nodes[{at}]"),
                });
            }
        }
        if self.entry.is_empty() && count > 0 {
            self.entry.push(Way {
                to: Target::Node(0),
                when: None,
                is_rule: false,
                place: "nodes[0]".to_owned(),
            });
        }
    }
}

pub(super) fn scalar(value: &Value) -> Option<String> {
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
