//! The loop with docks: its nodes stand in it, and docks give them the iteration's number, take whether to go on, and carry
//! values to the next iteration.

use serde_json::{Value, json};

use super::{
    Entry, Made, Maker, Spec, Wire,
    inputs::Inputs,
    mappings::iterations,
    outputs::{Found, Out},
    running::leads_back,
};
use crate::{
    ImportError, Outcome,
    build::{Port, identifier},
};

/// Names that a Loop's own handles have.
pub(super) const LOOP_HANDLES: [&str; 5] = ["output", "iterations", "count", "exitReason", "body"];

/// Whether a loop goes on with this value, as its source decides it.
const GOES_ON: &str = "return typeof value === \"boolean\" ? value : typeof value === \"string\" ? value.toLowerCase() === \"true\" : Boolean(value);";

/// `dock:count:prev` as name and end.
pub(super) fn dock(handle: &str) -> Option<(&str, &str)> {
    handle.strip_prefix("dock:")?.rsplit_once(':')
}

/// A name for a handle of a Loop that none of its own has.
pub(super) fn loop_handle(name: &str) -> String {
    match LOOP_HANDLES.contains(&name) {
        true => format!("{name}_value"),
        false => identifier(name),
    }
}

/// The slots of a loop that have a type.
fn slots<'v>(spec: &Spec<'v>, kind: &str) -> Vec<&'v str> {
    let slots = spec.data.get("dockSlots").and_then(Value::as_array);
    slots
        .into_iter()
        .flatten()
        .filter(|slot| slot.get("type").and_then(Value::as_str) == Some(kind))
        .filter_map(|slot| slot.get("name")?.as_str())
        .collect()
}

impl<'v> Maker<'v, '_> {
    /// The Loop node; its inside is wired when all nodes are there.
    pub(super) fn dock_loop(
        &mut self,
        spec: &Spec<'v>,
    ) -> Result<Result<Made, String>, ImportError> {
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
        if self.goes_on(spec).is_none() {
            return Ok(Err(
                "nothing in it leads to its continue dock, so that it fails there too. Connect the dock".to_owned(),
            ));
        }
        let count = iterations(self.builder, spec)?;
        let inputs = match self.inputs(spec, "", &|_| true) {
            Ok(inputs) => inputs,
            Err(why) => return Ok(Err(why)),
        };
        let node = self.builder.node(
            "loop",
            spec.id,
            json!({ "maxIterations": count, "onLimit": "return", "feedbackMode": "variables" }),
        );
        self.label(&node, spec);
        self.begin(spec, &node, &inputs);
        self.loops.insert(spec.id.to_owned(), inputs);
        Ok(Ok(Made {
            node,
            ..Made::default()
        }))
    }

    /// Wires what a loop waits for to it; the nodes in it read the values themselves.
    fn begin(&mut self, spec: &Spec<'v>, node: &str, inputs: &Inputs<'v>) {
        let mut first: Vec<Port> = Vec::new();
        for out in inputs.wired().map(|(_, out)| out).chain(&inputs.before) {
            if !first.contains(&out.port) {
                first.push(out.port.clone());
            }
        }
        if let (Some(start), false) = (self.start_of(spec), inputs.inside) {
            first.push(Port::at(&start, "body"));
        }
        if let [only] = first.as_slice() {
            self.builder.wire(only, &Port::of(node));
        } else if !first.is_empty() {
            let start = self.builder.node(
                "transform",
                &format!("{} start", spec.id),
                json!({ "template": "{{ null }}" }),
            );
            for port in &first {
                self.wait(&Entry::Declared(start.clone()), port);
            }
            self.builder.wire(&Port::of(&start), &Port::of(node));
        }
    }

    /// The edge from within a loop to its continue dock.
    fn goes_on(&self, spec: &Spec<'v>) -> Option<Wire<'v>> {
        let container = self.container;
        let name = slots(spec, "continue").first().copied()?;
        container
            .into(spec.id)
            .filter(|wire| leads_back(container, wire))
            .filter(|wire| {
                dock(wire.into)
                    .is_some_and(|(slot, end)| end == "input" && [name, "continue"].contains(&slot))
            })
            .last()
            .cloned()
    }

    pub(super) fn dock_loops(&mut self) {
        let container = self.container;
        let mut loops: Vec<&Spec<'v>> = container
            .nodes
            .iter()
            .filter(|spec| self.loops.contains_key(spec.id))
            .collect();
        // What an inner loop gives is known before the one around it asks.
        loops.sort_by_key(|spec| std::cmp::Reverse(self.depth_of(spec)));
        for spec in loops {
            self.inside(spec);
        }
    }

    fn depth_of(&self, spec: &Spec<'v>) -> usize {
        let around = std::iter::successors(spec.parent, |id| self.container.node(id)?.parent);
        around.take(super::MAX_DEPTH).count()
    }

    /// Where a value comes from that leads back to a loop; `None` where its node never runs.
    fn back(&mut self, wire: &Wire<'v>) -> Option<Out> {
        match self.out(wire.source, wire.out) {
            Found::Out(out) => Some(out),
            Found::Missing | Found::NoCounterpart => None,
        }
    }

    fn inside(&mut self, spec: &Spec<'v>) {
        let container = self.container;
        let Some(start) = self.made.get(spec.id).map(|made| made.node.clone()) else {
            return;
        };
        let exit = self
            .builder
            .node("exit", &format!("{} exit", spec.id), json!({}));
        let (mut variables, mut outputs) = (Vec::new(), Vec::new());
        let back: Vec<Wire<'v>> = container
            .into(spec.id)
            .filter(|wire| leads_back(container, wire))
            .cloned()
            .collect();
        for wire in &back {
            if let Some((slot, "current")) = dock(wire.into) {
                let place = format!("{}.dockSlots.{slot}", spec.place);
                if self.is_session(spec, wire, slot) {
                    let says = "A session is carried from one iteration to the next by the node itself (`session`).";
                    self.builder.say(Outcome::Mapped, place, None, says);
                } else if let Some(out) = self.back(wire) {
                    variables.push(json!({
                        "name": identifier(slot),
                        "initial": "{{ null }}",
                        "next": format!("{{{{ previous.{} | default(value=null) }}}}", out.read())
                    }));
                    let says = "A feedback dock is a variable of the Loop: null first, then what the iteration before gave.";
                    self.builder.mapped(&place, &start, says);
                }
            } else if let Some(name) = wire.into.strip_suffix(":internal")
                && let Some(out) = self.back(wire)
            {
                let name = name.trim_start_matches("output:");
                let handle = loop_handle(name);
                outputs.push(json!({ "name": handle, "from": out.read(), "take": "last" }));
                if let Some(made) = self.made.get_mut(spec.id) {
                    let out = Out::of(Port::at(&start, handle));
                    made.outputs.insert(name.to_owned(), Some(out.clone()));
                    made.ends.push((name.to_owned(), out));
                }
            }
        }
        if !outputs.is_empty() {
            self.builder.approximated(
                &spec.place,
                Some(&start),
                "A loop with outputs of its own never starts there, for it waits for what is in it. Here it runs, and gives what its last iteration gave.",
            );
        }
        if let Some(made) = self
            .made
            .get_mut(spec.id)
            .filter(|made| made.ends.is_empty())
        {
            made.ends
                .push((spec.id.to_owned(), Out::of(Port::at(&start, "count"))));
        }
        let goes_on = self.goes_on(spec).and_then(|wire| self.back(&wire));
        let data = json!({
            "variables": variables,
            "outputs": outputs,
            "exitCondition": "condition",
            "condition": { "while": self.condition_of(spec, goes_on, &start, &exit), "test": "after" }
        });
        if let (Some(into), Value::Object(data)) = (self.builder.data(&start), data) {
            into.extend(data);
        }
        self.builder.mapped(
            &spec.place,
            &start,
            "A loop with docks is a Loop that goes on while its continue dock gets true, `\"true\"` or a number that is not 0, read after each iteration. At the most iterations it ends, with a warning.",
        );
    }

    /// The condition on which a loop goes on, with a node before the Exit that decides it.
    fn condition_of(
        &mut self,
        spec: &Spec<'v>,
        goes_on: Option<Out>,
        start: &str,
        exit: &str,
    ) -> String {
        let step = goes_on.as_ref().map_or_else(String::new, Out::step);
        let source = format!("const value = given{step};\n{GOES_ON}");
        let node = self.builder.node(
            "tool",
            &format!("{} continues", spec.id),
            json!({ "tool": "script.javascript", "args": { "source": source, "given": null } }),
        );
        match goes_on {
            Some(out) => self.builder.wire(&out.port, &Port::at(&node, "given")),
            // What never runs gives nothing, and the loop ends after its first iteration.
            None => self
                .builder
                .wire(&Port::at(start, "body"), &Port::at(&node, "input")),
        }
        self.builder.wire(&Port::of(&node), &Port::of(exit));
        format!("{node}.output == true")
    }

    /// A slot's value for the nodes inside: the iteration's number, or what was fed back.
    pub(super) fn slot(&mut self, spec: &Spec<'v>, slot: &str) -> Port {
        let key = (spec.id.to_owned(), format!("dock:{slot}"));
        if let Some(port) = self.picked.get(&key) {
            return port.clone();
        }
        let start = self
            .made
            .get(spec.id)
            .map(|made| made.node.clone())
            .unwrap_or_default();
        let template = match slots(spec, "iteration").contains(&slot) {
            true => "{{ loopCount }}".to_owned(),
            false => format!("{{{{ vars.{} | default(value=null) }}}}", identifier(slot)),
        };
        let node = self.builder.node(
            "transform",
            &format!("{} {slot}", spec.id),
            json!({ "template": template }),
        );
        self.builder
            .wire(&Port::at(&start, "body"), &Port::of(&node));
        self.picked.insert(key, Port::of(&node));
        Port::of(&node)
    }

    fn is_session(&self, spec: &Spec<'v>, wire: &Wire<'v>, slot: &str) -> bool {
        wire.out == "sessionId"
            || self.container.wires.iter().any(|other| {
                other.source == spec.id
                    && other.into == "sessionId"
                    && dock(other.out).is_some_and(|(name, _)| name == slot)
            })
    }
}
