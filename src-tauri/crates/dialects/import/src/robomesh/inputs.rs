//! Determines the inputs of a node: for each declared input, a value of another node, its default, or nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Maker, Out, Port, Spec, Wire, field,
    given::{Given, Input, Inputs},
    loops::is_mapped,
    port_of, ports, split_dock, text,
};
use crate::build::identifier;

/// The maximum number of elements of one list.
const MAX_ITEMS: u64 = 200;

/// What an input's name refers to in a node's text or code: one input, or a list.
pub(super) enum Read<'i, 'v> {
    One(&'i Input<'v>),
    /// The elements in order, without those that have no value.
    List(Vec<&'i Input<'v>>),
}

impl Read<'_, '_> {
    /// Returns code that reads the value. `handles` prefixes the handles of wired values, and `nothing` replaces a missing value.
    pub(super) fn written(&self, handles: &str, nothing: &str) -> String {
        let one = |input: &Input<'_>| match &input.given {
            Given::Out(out) => format!("{handles}{}{}", input.handle, out.step()),
            Given::Value(value) => value.to_string(),
            Given::Nothing => nothing.to_owned(),
        };
        match self {
            Self::One(input) => one(input),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|input| one(input)).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }
}

impl Input<'_> {
    pub(super) fn is_given(&self) -> bool {
        !matches!(self.given, Given::Nothing)
    }
}

impl<'v> Inputs<'v> {
    /// Returns the values wired to handles of the node, by handle name.
    pub(super) fn wired(&self) -> impl Iterator<Item = (&str, &Out)> {
        self.own.iter().filter_map(|input| match &input.given {
            Given::Out(out) => Some((input.handle.as_str(), out)),
            _ => None,
        })
    }

    /// Returns what `inputs.NAME` refers to in a text field, or `None` if no input with this name has a value. A list always
    /// has a value, even if none of its elements has one.
    pub(super) fn read(&self, name: &str) -> Option<Read<'_, 'v>> {
        let is_given = |input: &&Input<'v>| input.is_given();
        let is_element = |input: &&Input<'v>| input.list.is_some_and(|(list, _)| list == name);
        let mut items: Vec<&Input<'v>> = self.own.iter().filter(is_element).collect();
        if !items.is_empty() {
            items.retain(is_given);
            items.sort_by_key(|input| input.list.map(|(_, index)| index));
            return Some(Read::List(items));
        }
        let is_it = |input: &&Input<'v>| input.name == name && input.list.is_none();
        (self.own.iter().filter(is_it).find(is_given)).map(Read::One)
    }

    /// Returns the names of the inputs that have values, and of all lists, each once. Lists come last, as in the source.
    pub(super) fn names(&self) -> Vec<&'v str> {
        let (lists, single): (Vec<_>, Vec<_>) =
            (self.own.iter()).partition(|input| input.list.is_some());
        let single = single.iter().filter(|input| input.is_given());
        let names = single.map(|input| input.name);
        let lists = lists.iter().filter_map(|input| Some(input.list?.0));
        let mut seen = BTreeSet::new();
        let names = names.chain(lists);
        names.filter(|name| seen.insert(*name)).collect()
    }
}

impl<'v> Maker<'v, '_> {
    /// Determines the inputs of a node. `is_read` returns whether the node reads an input of this name.
    ///
    /// # Errors
    /// Returns an error if the node fails in the source too, or if one of its values has no equivalent.
    pub(super) fn inputs(
        &mut self,
        spec: &Spec<'v>,
        prefix: &str,
        is_read: &dyn Fn(&str) -> bool,
    ) -> Result<Inputs<'v>, String> {
        let container = self.container;
        let wires: Vec<&Wire<'v>> = container.before(spec.id).collect();
        let mut named = BTreeSet::new();
        if let Some(wire) = wires.iter().find(|wire| !named.insert(port_of(wire.into))) {
            return Err(format!(
                "two edges lead to its input “{}”, so it fails in the source too. Connect each of them to its own input",
                wire.into
            ));
        }
        // For a loop alone in its file, required inputs become inputs of the run.
        let is_alone = spec.kind == "loop" && is_mapped(spec) && wires.is_empty();
        let mut inputs = Inputs::default();
        let mut handles = BTreeSet::new();
        for port in ports(spec, "inputs") {
            let Some(name) = text(port, "name") else {
                continue;
            };
            let mut handle = format!("{prefix}{}", identifier(name));
            while !handles.insert(handle.clone()) {
                handle.push('_');
            }
            let wire = wires.iter().find(|wire| port_of(wire.into) == name);
            let fed = self.fed.get(&(spec.id, name)).cloned();
            let default = field(port, "default");
            let given = match (fed, wire, default) {
                (Some(port), ..) => Given::Out(Out::of(port)),
                (_, Some(wire), _) if is_read(name) => self.given(spec, wire)?,
                (_, Some(_), _) => Given::Nothing,
                (_, None, Some(default)) => Given::Value(default.clone()),
                (_, None, None) if port["required"] == true && !is_alone => {
                    return Err(format!(
                        "nothing is connected to its required input “{name}”, so it fails in the source too. Connect it"
                    ));
                }
                (_, None, None) => Given::Nothing,
            };
            let index = port.get("arrayIndex").and_then(Value::as_u64);
            inputs.own.push(Input {
                name,
                kind: text(port, "type").unwrap_or("any"),
                given,
                handle,
                list: text(port, "arrayParent").zip(index.filter(|index| *index < MAX_ITEMS)),
            });
        }
        for wire in wires {
            let mut own = inputs.own.iter();
            if !own.any(|input| input.name == port_of(wire.into) && input.is_given()) {
                // The start of a run precedes everything, and so do the values of the enclosing loop.
                let is_start = container.node(wire.source).is_some_and(Spec::is_start);
                let waits = !is_start && spec.parent != Some(wire.source);
                let Some(made) = self.made.get(wire.source).filter(|_| waits) else {
                    continue;
                };
                inputs.before.push(Port::of(&made.node));
            }
            inputs.inside |= self.is_inside(spec, wire);
        }
        Ok(inputs)
    }

    /// Declares the inputs of a node on `node` and wires them. Outputs that the node's text fields name are wired
    /// later.
    pub(super) fn take_inputs(&mut self, spec: &Spec<'v>, node: &str, inputs: &Inputs<'v>) {
        let wired = inputs.wired().map(|(handle, _)| handle);
        let named = inputs.named.iter().map(|named| named.handle.as_str());
        // The primary handle exists without a declaration.
        for handle in wired.filter(|handle| *handle != "input").chain(named) {
            self.declare(node, handle);
        }
        for (handle, out) in inputs.wired() {
            let into = match handle {
                "input" => Port::of(node),
                handle => Port::at(node, handle),
            };
            self.builder.wire(&out.port, &into);
        }
        self.after(spec, node, inputs);
    }

    /// Returns whether a wire comes from inside the loop that contains its target, or from a dock of that loop.
    fn is_inside(&self, spec: &Spec<'_>, wire: &Wire<'_>) -> bool {
        spec.parent.is_some_and(|parent| {
            let from = self.container.node(wire.source);
            match parent == wire.source {
                true => split_dock(wire.out).is_some(),
                false => from.is_some_and(|from| from.parent == Some(parent)),
            }
        })
    }

    fn given(&mut self, spec: &Spec<'v>, wire: &Wire<'v>) -> Result<Given, String> {
        if spec.parent != Some(wire.source) {
            let out = self.out(wire.source, wire.out)?.ok_or_else(|| {
                format!(
                    "it reads the output “{}” of “{}”, which does not exist, so it fails in the source too. Connect it to an existing output",
                    wire.out, wire.source
                )
            })?;
            return Ok(Given::Out(out));
        }
        if let Some((slot, _)) = split_dock(wire.out) {
            return Ok(Given::Out(Out::of(self.slot(wire.source, slot))));
        }
        let name = port_of(wire.out);
        let inputs = self.loops.get(wire.source);
        match inputs.and_then(|inputs| inputs.read(name)) {
            Some(Read::One(input)) => Ok(input.given.clone()),
            _ => Err(format!(
                "the loop “{}” receives no “{name}”, so this node never runs in the source. Connect the loop's input, or give it a default",
                wire.source
            )),
        }
    }
}
