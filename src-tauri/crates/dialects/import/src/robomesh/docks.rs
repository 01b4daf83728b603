//! Translates a loop with docks, which contains its nodes. Its docks provide the iteration number, receive whether to continue,
//! and pass values to the next iteration.

use serde_json::json;

use super::{
    ImportError, Inputs, Made, Maker, Out, Outcome, Port, Spec, Trouble, Wire, list,
    loops::{loop_handle, read_max_iterations, slots_of_type},
    script_tool, split_dock,
};
use crate::build::identifier;

/// The last statement of a script: it converts `value` to a boolean by the rules of the source product. The loop continues if
/// the boolean is true.
const IS_TRUE: &str = "return typeof value === \"boolean\" ? value : typeof value === \"string\" ? value.toLowerCase() === \"true\" : Boolean(value);";

impl<'v> Maker<'v, '_> {
    /// Adds the Loop node, whose content is wired once all nodes exist. Returns the loop's translation. Fails if the loop is
    /// invalid.
    pub(super) fn dock_loop(&mut self, spec: &Spec<'v>) -> Result<Made, Trouble> {
        let is_empty = self.container.within(spec.id).next().is_none();
        if is_empty || list(spec.data, "dockSlots").is_empty() {
            let why = "the loop has neither an inner workflow with mappings nor docks with nodes inside. Current versions of the source program also refuse this older form";
            return Err(ImportError::refused(&spec.place, why).into());
        }
        if self.continues(spec).is_none() {
            let why = "no node inside the loop is connected to its continue dock, so the loop fails in the source too. Connect the dock";
            return Err(Trouble::Kept(why.to_owned()));
        }
        let count = read_max_iterations(self.builder, spec)?;
        let inputs = self.inputs(spec, "", &|_| true)?;
        let data =
            json!({ "maxIterations": count, "onLimit": "return", "feedbackMode": "variables" });
        let node = self.own_node("loop", spec, data);
        self.begin(spec, &node, &inputs);
        self.loops.insert(spec.id, inputs);
        Ok(Made::of(node))
    }

    /// Wires the values that a loop waits for. The nodes inside the loop read these values themselves.
    fn begin(&mut self, spec: &Spec<'v>, node: &str, inputs: &Inputs<'v>) {
        let mut first: Vec<&Port> = Vec::new();
        let wired = inputs.wired().map(|(_, out)| &out.port);
        let begins = self.begins(spec, inputs.inside);
        for port in wired.chain(&inputs.before).chain(&begins) {
            if !first.contains(&port) {
                first.push(port);
            }
        }
        match first.as_slice() {
            [] => {}
            [only] => self.builder.wire(only, &Port::of(node)),
            _ => {
                let start = self.transform(&format!("{} start", spec.id), "{{ null }}");
                for port in first {
                    self.wait(&start.node, port);
                }
                self.builder.wire(&start, &Port::of(node));
            }
        }
    }

    /// Returns the edge from inside a loop to its continue dock, or `None` if there is none.
    fn continues(&self, spec: &Spec<'v>) -> Option<&Wire<'v>> {
        let name = slots_of_type(spec, "continue").first().copied()?;
        let is_docked = |wire: &&Wire<'v>| matches!(split_dock(wire.into), Some((slot, "input")) if [name, "continue"].contains(&slot));
        self.container.back(spec.id).filter(is_docked).last()
    }

    pub(super) fn dock_loops(&mut self) {
        let container = self.container;
        let is_docked = |spec: &&Spec<'v>| self.loops.contains_key(spec.id);
        let mut loops: Vec<_> = container.nodes.iter().filter(is_docked).collect();
        // Inner loops come first, so that their outputs are known to outer ones.
        loops.sort_by_key(|spec| std::cmp::Reverse(container.around(spec).count()));
        for spec in loops {
            if let Some(mut made) = self.made.remove(spec.id) {
                self.inside(spec, &mut made);
                self.made.insert(spec.id, made);
            }
        }
    }

    /// Returns the origin of a value that is fed back to a loop. Returns `None` if the node that provides it never runs, or
    /// if the value has no equivalent.
    fn back(&mut self, wire: &Wire<'v>) -> Option<Out> {
        self.out(wire.source, wire.out).ok().flatten()
    }

    /// Wires the content of a loop: its variables, outputs and condition.
    fn inside(&mut self, spec: &Spec<'v>, made: &mut Made) {
        let container = self.container;
        let start = made.node.clone();
        let exit = self.part("exit", spec, "exit", json!({}));
        let (mut variables, mut outputs) = (Vec::new(), Vec::new());
        for wire in container.back(spec.id) {
            if let Some((slot, "current")) = split_dock(wire.into) {
                let place = format!("{}.dockSlots.{slot}", spec.place);
                if self.is_session(spec, wire, slot) {
                    let says = "A session is carried from one iteration to the next by the node itself (`session`).";
                    self.builder.say(Outcome::Mapped, place, None, says);
                } else if let Some(out) = self.back(wire) {
                    let next = format!("{{{{ previous.{} | default(value=null) }}}}", out.read());
                    let name = identifier(slot);
                    variables.push(json!({ "name": name, "initial": "{{ null }}", "next": next }));
                    let says = "A feedback dock becomes a variable of the Loop: null first, then the value from the previous iteration.";
                    self.builder.mapped(&place, &start, says);
                }
            } else if let Some(name) = wire.into.strip_suffix(":internal")
                && let Some(out) = self.back(wire)
            {
                let name = name.trim_start_matches("output:");
                let handle = loop_handle(name);
                outputs.push(json!({ "name": handle, "from": out.read(), "take": "last" }));
                made.give(name, Out::of(Port::at(&start, handle)));
            }
        }
        if !outputs.is_empty() {
            let says = "In the source, a loop with its own outputs never starts, because it waits for its own nodes. Here it runs, and returns the values of its last iteration.";
            self.builder.approximated(&spec.place, Some(&start), says);
        }
        made.end_with_count(spec);
        let data = json!({
            "variables": variables,
            "outputs": outputs,
            "exitCondition": "condition",
            "condition": { "while": self.condition_of(spec, &start, &exit), "test": "after" }
        });
        self.set(&start, data);
        let says = "A loop with docks becomes a Loop that continues while its continue dock receives true, `\"true\"` or a number that is not 0, read after each iteration. At the maximum number of iterations, the Loop ends with a warning.";
        self.builder.mapped(&spec.place, &start, says);
    }

    /// Adds, before the Exit, a node that computes whether a loop continues. Returns the expression that reads the node's
    /// result.
    fn condition_of(&mut self, spec: &Spec<'v>, start: &str, exit: &str) -> String {
        let continues = self.continues(spec).copied();
        let continues = continues.and_then(|wire| self.back(&wire));
        let step = continues.as_ref().map_or_else(String::new, Out::step);
        let args =
            json!({ "source": format!("const value = given{step};\n{IS_TRUE}"), "given": null });
        let node = self.part("tool", spec, "continues", script_tool(args));
        let (from, into) = match continues {
            Some(out) => (out.port, Port::at(&node, "given")),
            // A node that never runs provides no value, and the loop ends after its first iteration.
            None => (Port::at(start, "body"), Port::at(&node, "input")),
        };
        self.builder.wire(&from, &into);
        self.builder.wire(&Port::of(&node), &Port::of(exit));
        format!("{node}.output == true")
    }

    /// Returns the port that provides a slot's value to the nodes inside a loop: the iteration number, or the value fed back.
    pub(super) fn slot(&mut self, id: &str, slot: &str) -> Port {
        let around = self.container.node(id);
        let counts =
            around.is_some_and(|around| slots_of_type(around, "iteration").contains(&slot));
        let template = match counts {
            true => "{{ loopCount }}".to_owned(),
            false => format!("{{{{ vars.{} | default(value=null) }}}}", identifier(slot)),
        };
        let start = self.made.get(id).map(|made| made.node.as_str());
        let start = Port::at(start.unwrap_or_default(), "body");
        self.once(id, &format!("dock:{slot}"), |maker| {
            let node = maker.transform(&format!("{id} {slot}"), &template);
            maker.builder.wire(&start, &node);
            node
        })
    }

    fn is_session(&self, spec: &Spec<'v>, wire: &Wire<'v>, slot: &str) -> bool {
        let is_read = |other: &Wire<'v>| {
            other.source == spec.id
                && other.into == "sessionId"
                && split_dock(other.out).is_some_and(|(name, _)| name == slot)
        };
        wire.out == "sessionId" || self.container.wires.iter().any(is_read)
    }
}
