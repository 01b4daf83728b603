//! What a node is given: for each input that it declares, a value of another node, its default, or nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Maker, Spec, Wire,
    docks::dock,
    nodes::is_mapped,
    outputs::{Found, Out},
    running::leads_back,
    text,
};
use crate::build::{Port, identifier};

/// Elements of one list.
const MAX_ITEMS: u64 = 200;

/// Where the value of an input comes from.
#[derive(Debug, Clone)]
pub(super) enum Given {
    Out(Out),
    Value(Value),
    Nothing,
}

/// An input that a node declares.
#[derive(Debug, Clone)]
pub(super) struct Input<'v> {
    pub(super) name: &'v str,
    /// The type that it declares.
    pub(super) kind: &'v str,
    pub(super) given: Given,
    /// A name for its handle, which is an identifier, and no other input of the node has.
    pub(super) handle: String,
    /// The list that it is an element of, and its place there.
    pub(super) list: Option<(&'v str, u64)>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Inputs<'v> {
    pub(super) own: Vec<Input<'v>>,
    /// What the node waits for and takes no value of.
    pub(super) before: Vec<Out>,
    /// Something of the loop that the node stands in is wired to it.
    pub(super) inside: bool,
}

/// What an input's name means where a node's text or code reads it.
pub(super) enum Read<'i, 'v> {
    One(&'i Input<'v>),
    /// Elements in their order, those that have no value left out.
    List(Vec<&'i Input<'v>>),
}

/// The ports that a node declares as inputs, with those that its kind has where it declares nothing at all.
pub(super) fn ports<'v>(spec: &Spec<'v>) -> Vec<&'v Value> {
    let has = |name: &str| spec.data.get(name).is_some_and(|ports| !ports.is_null());
    if has("inputs") || has("outputs") {
        let ports = spec.data.get("inputs").and_then(Value::as_array);
        return ports.into_iter().flatten().collect();
    }
    static USUAL: std::sync::LazyLock<[Value; 2]> = std::sync::LazyLock::new(|| {
        ["value", "input"].map(|name| serde_json::json!({ "name": name, "type": "any" }))
    });
    match spec.kind {
        "wire" => vec![&USUAL[0]],
        "constant" | "trigger" | "function" => Vec::new(),
        _ => vec![&USUAL[1]],
    }
}

impl<'v> Inputs<'v> {
    /// What is wired to handles of the node, by the name of the handle.
    pub(super) fn wired(&self) -> impl Iterator<Item = (&str, &Out)> {
        self.own.iter().filter_map(|input| match &input.given {
            Given::Out(out) => Some((input.handle.as_str(), out)),
            _ => None,
        })
    }

    /// What `inputs.NAME` reads; `None` where nothing is given under this name.
    pub(super) fn read(&self, name: &str) -> Option<Read<'_, 'v>> {
        let given = |input: &&Input<'v>| !matches!(input.given, Given::Nothing);
        let mut items: Vec<&Input<'v>> = self
            .own
            .iter()
            .filter(|input| input.list.is_some_and(|(list, _)| list == name))
            .collect();
        if !items.is_empty() {
            items.retain(given);
            items.sort_by_key(|input| input.list.map(|(_, index)| index));
            return Some(Read::List(items));
        }
        let is_it = |input: &&Input<'v>| input.name == name && input.list.is_none();
        self.own.iter().filter(is_it).find(given).map(Read::One)
    }

    /// The names that are given, each once: lists behind the others, as the source has it.
    pub(super) fn names(&self) -> Vec<&'v str> {
        let mut names: Vec<&'v str> = Vec::new();
        let mut add = |name| {
            if !names.contains(&name) {
                names.push(name);
            }
        };
        for input in self.own.iter().filter(|input| input.list.is_none()) {
            if !matches!(input.given, Given::Nothing) {
                add(input.name);
            }
        }
        for input in &self.own {
            if let Some((list, _)) = input.list {
                add(list);
            }
        }
        names
    }

    /// The type that is declared of a name.
    pub(super) fn kind(&self, name: &str) -> &'v str {
        let mut own = self.own.iter();
        own.find(|input| input.name == name)
            .map_or("any", |input| input.kind)
    }
}

impl<'v> Maker<'v, '_> {
    /// What a node is given. `is_read` says of an input whether the node looks at it.
    ///
    /// # Errors
    /// Why the node fails in the source, or why its values have no counterpart.
    pub(super) fn inputs(
        &mut self,
        spec: &Spec<'v>,
        prefix: &str,
        is_read: &dyn Fn(&str) -> bool,
    ) -> Result<Inputs<'v>, String> {
        let container = self.container;
        let wires: Vec<&Wire<'v>> = container
            .into(spec.id)
            .filter(|wire| !leads_back(container, wire))
            .collect();
        let mut named = BTreeSet::new();
        for wire in &wires {
            if !named.insert(wire.into.trim_end_matches(":internal")) {
                return Err(format!(
                    "two edges lead to its input “{}”, so that it fails there too. Give each of them an input of its own",
                    wire.into
                ));
            }
        }
        // Alone in its file, what it requires are inputs of the run.
        let is_alone = spec.kind == "loop" && is_mapped(spec) && wires.is_empty();
        let mut inputs = Inputs::default();
        let mut handles = BTreeSet::new();
        for port in ports(spec) {
            let Some(name) = port.get("name").and_then(Value::as_str) else {
                continue;
            };
            let mut handle = format!("{prefix}{}", identifier(name));
            while !handles.insert(handle.clone()) {
                handle.push('_');
            }
            let list = port.get("arrayParent").and_then(Value::as_str);
            let index = port.get("arrayIndex").and_then(Value::as_u64);
            let wire = wires
                .iter()
                .find(|wire| wire.into.trim_end_matches(":internal") == name);
            let fed = self
                .fed
                .get(&(spec.id.to_owned(), name.to_owned()))
                .cloned();
            let given = match (
                wire,
                fed,
                port.get("default").filter(|value| !value.is_null()),
            ) {
                (_, Some(port), _) => Given::Out(Out::of(port)),
                (Some(wire), _, _) if is_read(name) => self.given(spec, wire)?,
                (Some(_), _, _) => Given::Nothing,
                (None, _, Some(default)) => Given::Value(default.clone()),
                (None, _, None)
                    if !is_alone && port.get("required").and_then(Value::as_bool) == Some(true) =>
                {
                    return Err(format!(
                        "nothing is connected to its input “{name}”, which it requires, so that it fails there too. Connect it"
                    ));
                }
                (None, _, None) => Given::Nothing,
            };
            inputs.own.push(Input {
                name,
                kind: text_of(port, "type").unwrap_or("any"),
                given,
                handle,
                list: list.zip(index.filter(|index| *index < MAX_ITEMS)),
            });
        }
        for wire in wires {
            let input = inputs
                .own
                .iter()
                .find(|input| input.name == wire.into.trim_end_matches(":internal"));
            if input.is_some_and(|input| matches!(input.given, Given::Out(_) | Given::Value(_))) {
                inputs.inside |= self.is_inside(spec, wire);
                continue;
            }
            // What starts a run is there before anything else, and so is what a loop gives.
            let from = container.node(wire.source);
            let first =
                from.is_some_and(|from| ["trigger", "interface-input"].contains(&from.kind));
            if first || spec.parent == Some(wire.source) {
                continue;
            }
            if let Some(made) = self.made.get(wire.source) {
                inputs.before.push(Out::of(Port::of(&made.node)));
                inputs.inside |= self.is_inside(spec, wire);
            }
        }
        Ok(inputs)
    }

    /// Whether a wire comes from within the loop that its target stands in.
    fn is_inside(&self, spec: &Spec<'_>, wire: &Wire<'_>) -> bool {
        match spec.parent {
            None => false,
            Some(parent) if parent == wire.source => dock(wire.out).is_some(),
            Some(parent) => {
                (self.container.node(wire.source)).is_some_and(|from| from.parent == Some(parent))
            }
        }
    }

    fn given(&mut self, spec: &Spec<'v>, wire: &Wire<'v>) -> Result<Given, String> {
        let container = self.container;
        if spec.parent == Some(wire.source)
            && let Some(around) = container.node(wire.source)
        {
            if let Some((slot, _)) = dock(wire.out) {
                return Ok(Given::Out(Out::of(self.slot(around, slot))));
            }
            let name = wire.out.trim_end_matches(":internal");
            let given = self
                .loops
                .get(around.id)
                .and_then(|inputs| match inputs.read(name)? {
                    Read::One(input) => Some(input.given.clone()),
                    Read::List(_) => None,
                });
            return given.ok_or_else(|| {
                format!(
                    "the loop “{}” is given no “{name}”, so that this node never runs there. Connect the loop's input, or write its default",
                    around.id
                )
            });
        }
        match self.out(wire.source, wire.out) {
            Found::Out(out) => Ok(Given::Out(out)),
            Found::Missing => Err(format!(
                "it reads the output “{}” of “{}”, which has none of that name, so that it fails there too. Connect it to one that there is",
                wire.out, wire.source
            )),
            Found::NoCounterpart => Err(format!(
                "it reads the output “{}” of “{}”, which there is no counterpart to",
                wire.out, wire.source
            )),
        }
    }
}

fn text_of<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    text(value.as_object()?, name)
}
