//! The loop with docks: its nodes stand in it, and docks give them the iteration's number, take whether to go on, and carry
//! values to the next iteration.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Made, Maker, Spec, Wire, mappings::iterations};
use crate::{
    ImportError, Outcome,
    build::{Port, identifier},
};

/// `dock:count:prev` as name and end.
fn dock(handle: &str) -> Option<(&str, &str)> {
    handle.strip_prefix("dock:")?.split_once(':')
}

/// `target:internal` as a name of the loop seen from inside.
fn internal(handle: &str) -> Option<&str> {
    handle.strip_suffix(":internal")
}

impl<'v> Maker<'v, '_> {
    /// Whether an edge belongs to a loop's docks or to its inside, and was wired with it.
    pub(super) fn is_dock(&self, wire: &Wire<'v>) -> bool {
        dock(wire.out).is_some()
            || dock(wire.into).is_some()
            || internal(wire.out).is_some()
            || internal(wire.into).is_some()
    }

    /// The Loop node; its inside is wired when all nodes are there.
    pub(super) fn dock_loop(&mut self, spec: &Spec<'v>) -> Result<Made, ImportError> {
        let container = self.container;
        let docked = spec
            .data
            .get("dockSlots")
            .and_then(Value::as_array)
            .is_some_and(|slots| !slots.is_empty());
        if !docked
            || !container
                .nodes
                .iter()
                .any(|node| node.parent == Some(spec.id))
        {
            return Err(ImportError::refused(
                &spec.place,
                "the loop has neither an inner workflow with mappings nor docks with nodes inside: an older form that the newest of its own programs refuse too",
            ));
        }
        let count = iterations(self.builder, spec)?;
        let node = self.builder.node(
            "loop",
            &identifier(spec.id),
            json!({ "maxIterations": count, "onLimit": "return", "feedbackMode": "variables" }),
        );
        if let (Some(label), Some(data)) = (spec.data.get("label"), self.builder.data(&node)) {
            data.insert("label".to_owned(), label.clone());
        }
        Ok(Made {
            inputs: BTreeMap::from([(String::new(), Port::of(&node))]),
            outputs: BTreeMap::from([(String::new(), Port::of(&node))]),
            declares: false,
            node,
            ..Made::default()
        })
    }

    pub(super) fn dock_loops(&mut self) -> Result<(), ImportError> {
        let container = self.container;
        let mut loops: Vec<&Spec<'v>> = container
            .nodes
            .iter()
            .filter(|spec| spec.kind == "loop" && spec.data.contains_key("dockSlots"))
            .collect();
        // What an inner loop gives is known before the one around it asks.
        loops.sort_by_key(|spec| std::cmp::Reverse(self.depth_of(spec)));
        for spec in loops {
            self.inside(spec)?;
        }
        Ok(())
    }

    fn depth_of(&self, spec: &Spec<'v>) -> usize {
        let around = std::iter::successors(spec.parent, |id| self.container.node(id)?.parent);
        around.take(super::MAX_DEPTH).count()
    }

    fn inside(&mut self, spec: &Spec<'v>) -> Result<(), ImportError> {
        let container = self.container;
        let Some(start) = self.made.get(spec.id).map(|made| made.node.clone()) else {
            return Ok(());
        };
        let exit = self
            .builder
            .node("exit", &format!("{} exit", spec.id), json!({}));
        let mut variables: Vec<Value> = Vec::new();
        let mut outputs: Vec<Value> = Vec::new();
        let mut goes_on: Option<(Port, String)> = None;
        let mut entered: Vec<&str> = Vec::new();
        for wire in &container.wires {
            if wire.target == spec.id
                && let Some((slot, "current" | "input")) = dock(wire.into)
            {
                let place = format!("{}.dockSlots.{slot}", spec.place);
                if self.is_session(spec, wire, slot) {
                    self.keep_session(spec, slot);
                    continue;
                }
                let Some((port, read)) = self.read_out(wire) else {
                    return Err(ImportError::refused(
                        &place,
                        format!("“{}” has no output “{}”", wire.source, wire.out),
                    ));
                };
                if dock(wire.into).is_some_and(|(_, end)| end == "input") {
                    goes_on = Some((port, read));
                } else {
                    variables.push(json!({ "name": identifier(slot), "initial": "{{ null }}", "next": format!("{{{{ previous.{read} | default(value=null) }}}}") }));
                    self.builder.mapped(
                        &place,
                        &start,
                        "a variable of the Loop: null first, then what the pass before gave",
                    );
                }
            } else if wire.target == spec.id
                && let Some(name) = internal(wire.into)
                && let Some((_, read)) = self.read_out(wire)
            {
                let own = ["output", "iterations", "count", "exitReason", "body"];
                let handle = if own.contains(&name) {
                    format!("{name}_value")
                } else {
                    identifier(name)
                };
                outputs.push(json!({ "name": handle, "from": read, "take": "last" }));
                if let Some(made) = self.made.get_mut(spec.id) {
                    made.outputs
                        .insert(name.to_owned(), Port::named(&start, handle));
                }
            }
        }
        for wire in container.wires.iter().filter(|wire| wire.source == spec.id) {
            let from = match (dock(wire.out), internal(wire.out)) {
                (Some((slot, _)), _) if wire.into == "sessionId" => {
                    self.keep_session(spec, slot);
                    continue;
                }
                (Some((slot, _)), _) => self.slot(spec, &start, slot),
                (_, Some(name)) => match self.outer(spec, name) {
                    Some(port) => port,
                    None => continue,
                },
                _ => continue,
            };
            if let Some(into) = self.inlet(wire.target, wire.into) {
                self.builder.wire(&from, &into);
                if internal(wire.out).is_none() {
                    entered.push(wire.target);
                }
            }
        }
        self.enter(spec, &start, &entered);
        self.leave(spec, &start, &exit, goes_on, variables, outputs);
        Ok(())
    }

    /// A slot's value for the nodes inside: the iteration's number, or what was fed back.
    fn slot(&mut self, spec: &Spec<'v>, start: &str, slot: &str) -> Port {
        let key = (spec.id.to_owned(), format!("dock:{slot}"));
        if let Some(port) = self.picked.get(&key) {
            return port.clone();
        }
        let kind = spec.data["dockSlots"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|known| known.get("name").and_then(Value::as_str) == Some(slot));
        let iteration = kind
            .and_then(|kind| kind.get("type"))
            .and_then(Value::as_str)
            == Some("iteration");
        let template = if iteration {
            "{{ loopCount }}".to_owned()
        } else {
            format!("{{{{ vars.{} | default(value=null) }}}}", identifier(slot))
        };
        let node = self.builder.node(
            "transform",
            &format!("{} {slot}", spec.id),
            json!({ "template": template }),
        );
        self.builder
            .wire(&Port::at(start, "body"), &Port::of(&node));
        self.picked.insert(key, Port::of(&node));
        Port::of(&node)
    }

    /// What is wired to a loop's input from outside: inside, it is the same in every iteration.
    fn outer(&mut self, spec: &Spec<'v>, name: &str) -> Option<Port> {
        let container = self.container;
        let wire = container
            .wires
            .iter()
            .find(|wire| wire.target == spec.id && wire.into == name)?
            .clone();
        // From an input of a loop around this one.
        if let Some(further) = internal(wire.out) {
            let around = container.node(wire.source)?.clone();
            return self.outer(&around, further);
        }
        if let Some((slot, _)) = dock(wire.out) {
            let around = container.node(wire.source)?.clone();
            let start = self.made.get(wire.source)?.node.clone();
            return Some(self.slot(&around, &start, slot));
        }
        self.out(wire.source, wire.out)
    }

    /// Where an output inside comes from, and how an expression reads it.
    fn read_out(&mut self, wire: &Wire<'v>) -> Option<(Port, String)> {
        let port = self.out(wire.source, wire.out)?;
        let read = match port.name() {
            Some(handle) => format!("{}.{handle}", port.node),
            None => format!("{}.output", port.node),
        };
        Some((port, read))
    }

    fn is_session(&self, spec: &Spec<'v>, wire: &Wire<'v>, slot: &str) -> bool {
        wire.out == "sessionId"
            || self.container.wires.iter().any(|other| {
                other.source == spec.id
                    && other.into == "sessionId"
                    && dock(other.out).is_some_and(|(name, _)| name == slot)
            })
    }

    fn keep_session(&mut self, spec: &Spec<'v>, slot: &str) {
        self.builder.say(
            Outcome::Mapped,
            format!("{}.dockSlots.{slot}", spec.place),
            None,
            "the session is carried from one iteration to the next by the node itself (`session`)",
        );
    }

    /// Nodes inside that nothing leads to begin with each iteration.
    fn enter(&mut self, spec: &Spec<'v>, start: &str, entered: &[&str]) {
        let container = self.container;
        let inside: Vec<&Spec<'v>> = container
            .nodes
            .iter()
            .filter(|node| node.parent == Some(spec.id))
            .collect();
        for node in inside {
            let fed = container.wires.iter().any(|wire| {
                wire.target == node.id
                    && container
                        .node(wire.source)
                        .is_some_and(|from| from.parent == Some(spec.id))
                    && !self.is_dock(wire)
            });
            if fed || entered.contains(&node.id) {
                continue;
            }
            if let Some(into) = self.inlet(node.id, "") {
                self.builder.wire(&Port::at(start, "body"), &into);
            }
        }
    }

    fn leave(
        &mut self,
        spec: &Spec<'v>,
        start: &str,
        exit: &str,
        goes_on: Option<(Port, String)>,
        variables: Vec<Value>,
        outputs: Vec<Value>,
    ) {
        let container = self.container;
        let last = container
            .nodes
            .iter()
            .rfind(|node| node.parent == Some(spec.id))
            .map(|node| node.id);
        let mut data = json!({ "variables": variables, "outputs": outputs });
        let result = match &goes_on {
            Some((port, read)) => {
                data["exitCondition"] = json!("condition");
                data["condition"] = json!({ "while": format!("{read} == true or {read} == \"true\""), "test": "after" });
                Some(port.clone())
            }
            None => {
                data["exitCondition"] = json!("max_iterations");
                last.and_then(|last| {
                    self.out(last, "")
                        .or_else(|| self.made.get(last).map(|made| Port::of(&made.node)))
                })
            }
        };
        if let Some(result) = result {
            self.builder.wire(&result, &Port::of(exit));
        }
        if let (Some(into), Value::Object(data)) = (self.builder.data(start), data) {
            into.extend(data);
        }
        let says = match goes_on {
            Some(_) => {
                "a Loop that goes on while its continue dock gets true, read after each pass; at the most iterations it ends with a warning, as there"
            }
            None => "a Loop without a continue dock: it runs as often as it may",
        };
        self.builder.mapped(&spec.place, start, says);
        if let Some(made) = self.made.get_mut(spec.id) {
            made.outputs.insert(String::new(), Port::of(exit));
        }
    }
}
