//! The loop that holds a workflow: `continueWhile`, `inputMappings`, `outputMappings`. It becomes a Loop around a Subflow,
//! whose inputs are the loop's variables.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    Container, DEFAULT_ITERATIONS, Entry, Made, Maker, Spec,
    docks::loop_handle,
    inputs::{Given, Inputs, ports},
    nodes::STARTS_AFTER,
    outputs::{Found, Out},
};
use crate::{
    ImportError, Outcome,
    build::{Builder, MOST_ITERATIONS, Port, identifier},
};

/// A variable's templates.
#[derive(Default)]
struct Carried {
    node: String,
    input: String,
    initial: Option<String>,
    next: Option<String>,
    /// The same value in every iteration.
    fixed: bool,
}

/// An output of a node inside, as an output of the subflow.
fn inner_name(node: &str, output: &str) -> String {
    identifier(&format!("{node}_{output}"))
}

fn list<'v>(data: &'v Map<String, Value>, name: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    data.get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
}

fn text<'v>(value: &'v Value, path: &[&str]) -> Option<&'v str> {
    path.iter()
        .try_fold(value, |value, name| value.get(*name))?
        .as_str()
}

/// `maxIterations` of a loop: the source's default where it says none, refused beyond what a loop may have.
pub(super) fn iterations(builder: &mut Builder, spec: &Spec<'_>) -> Result<u64, ImportError> {
    let place = format!("{}.maxIterations", spec.place);
    let count = match spec.data.get("maxIterations") {
        None | Some(Value::Null) => {
            builder.say(
                Outcome::Mapped,
                &place,
                None,
                format!(
                    "{DEFAULT_ITERATIONS}: the default of its source, where the file says nothing."
                ),
            );
            DEFAULT_ITERATIONS
        }
        Some(value) => value.as_u64().filter(|count| *count >= 1).ok_or_else(|| {
            ImportError::refused(
                &place,
                format!("it must be a whole number from 1 to 1000, and is {value}"),
            )
        })?,
    };
    if count > MOST_ITERATIONS {
        return Err(ImportError::refused(
            &place,
            format!(
                "{count} is more than the 1,000 iterations that a loop may have. Write a smaller one into the file; an import never changes one"
            ),
        ));
    }
    builder.permit_iterations(count);
    Ok(count)
}

impl<'v> Maker<'v, '_> {
    pub(super) fn mapped_loop(
        &mut self,
        spec: &Spec<'v>,
    ) -> Result<Result<Made, String>, ImportError> {
        let inputs = match self.inputs(spec, "", &|_| true) {
            Ok(inputs) => inputs,
            Err(why) => return Ok(Err(why)),
        };
        let count = iterations(self.builder, spec)?;
        let gather = self.gather(spec, &inputs);
        let start = self.builder.node("loop", spec.id, json!({}));
        self.label(&start, spec);
        self.builder.wire(&Port::of(&gather), &Port::of(&start));
        let wanted = self.wanted(spec)?;
        let carried = self.carried(spec)?;
        let body = self.body(spec, &wanted, &carried)?;
        let mut variables = Vec::new();
        for (name, variable) in &carried {
            let mut written = json!({ "name": name, "initial": variable.initial.clone().unwrap_or_else(|| "{{ null }}".to_owned()) });
            if !variable.fixed {
                let next = variable.next.as_ref().map_or_else(
                    || "{{ null }}".to_owned(),
                    |from| format!("{{{{ previous.{body}.{from} | default(value=null) }}}}"),
                );
                written["next"] = json!(next);
            }
            variables.push(written);
            let feed = self.builder.node(
                "transform",
                name,
                json!({ "template": format!("{{{{ vars.{name} }}}}") }),
            );
            self.builder
                .wire(&Port::at(&start, "body"), &Port::of(&feed));
            self.builder
                .wire(&Port::of(&feed), &Port::at(&body, name.clone()));
        }
        if carried.is_empty() {
            let first = json!({ "template": "{{ null }}" });
            let first = self
                .builder
                .node("transform", &format!("{} pass", spec.id), first);
            self.builder
                .wire(&Port::at(&start, "body"), &Port::of(&first));
            if spec
                .data
                .get("inlineWorkflow")
                .is_some_and(Value::is_object)
            {
                self.builder
                    .wire(&Port::of(&first), &Port::at(&body, STARTS_AFTER));
            }
            let says = "Nothing is mapped into the loop, so that its workflow gets no values.";
            self.builder.approximated(&spec.place, Some(&start), says);
        }
        let exit = self
            .builder
            .node("exit", &format!("{} exit", spec.id), json!({}));
        self.builder.wire(&Port::of(&body), &Port::of(&exit));
        let mut made = Made {
            node: start.clone(),
            ..Made::default()
        };
        let outputs = self.outputs_of(spec, &start, &body, &mut made)?;
        let mut data = json!({ "maxIterations": count, "feedbackMode": "variables", "variables": variables, "outputs": outputs, "onLimit": "return" });
        match self.condition(spec, &body)? {
            Some(condition) => {
                data["exitCondition"] = json!("condition");
                data["condition"] = json!({ "while": condition, "test": "after" });
            }
            None => data["exitCondition"] = json!("max_iterations"),
        }
        if let (Some(into), Value::Object(data)) = (self.builder.data(&start), data) {
            into.extend(data);
        }
        self.builder.mapped(&spec.place, &start, "A loop that holds a workflow is a Loop around a Subflow, whose condition is read after each iteration. At the most iterations it ends, with a warning, and gives its last outputs.");
        if made.ends.is_empty() {
            made.ends
                .push((spec.id.to_owned(), Out::of(Port::at(&start, "count"))));
        }
        Ok(Ok(made))
    }

    /// The loop's inputs as one object; those that nothing is wired to are inputs of the run where the loop stands alone.
    fn gather(&mut self, spec: &Spec<'v>, inputs: &Inputs<'v>) -> String {
        let alone = self.depth == 0 && self.container.into(spec.id).next().is_none();
        let mut fields = Vec::new();
        let mut handles = Vec::new();
        for input in &inputs.own {
            let read = match &input.given {
                Given::Value(value) => value.to_string(),
                Given::Nothing if !alone => "null".to_owned(),
                _ => {
                    handles.push(input.handle.clone());
                    format!("(inputs.{} | default(value=null))", input.handle)
                }
            };
            fields.push(format!("{}: {read}", json!(input.name)));
        }
        let gather = self.builder.node(
            "transform",
            &format!("{} inputs", spec.id),
            json!({ "inputs": handles, "template": format!("{{{{ {{{}}} }}}}", fields.join(", ")) }),
        );
        for input in inputs
            .own
            .iter()
            .filter(|input| handles.contains(&input.handle))
        {
            let into = Port::at(&gather, input.handle.clone());
            if let Given::Out(out) = &input.given {
                self.feed(out, &into);
                continue;
            }
            let data = json!({ "name": input.name, "dataType": "json" });
            let given = self.builder.node("input", input.name, data);
            self.builder.wire(&Port::of(&given), &into);
            let says = "Nothing is wired to this input of the loop: it is an input of the run.";
            self.builder.mapped(
                &format!("{}.inputs.{}", spec.place, input.name),
                &given,
                says,
            );
        }
        self.after(spec, &Entry::Declared(gather.clone()), inputs);
        gather
    }

    /// The outputs of nodes inside that the loop reads.
    fn wanted(&self, spec: &Spec<'v>) -> Result<Vec<(String, String)>, ImportError> {
        let mut wanted: Vec<(String, String)> = Vec::new();
        let mut want = |node: &str, output: &str| {
            let pair = (node.to_owned(), output.to_owned());
            if !wanted.contains(&pair) {
                wanted.push(pair);
            }
        };
        for (_, mapping) in list(spec.data, "outputMappings") {
            if let (Some(node), Some(output)) = (
                text(mapping, &["source", "node"]),
                text(mapping, &["source", "output"]),
            ) {
                want(node, output);
            }
        }
        if let Some((node, output)) = continued(spec)? {
            want(node, output);
        }
        for (_, mapping) in list(spec.data, "inputMappings") {
            if let (Some(node), Some(output)) = (
                text(mapping, &["source", "node"]),
                text(mapping, &["source", "output"]),
            ) {
                want(node, output);
            }
        }
        Ok(wanted)
    }

    /// The variables, by name: one for each input inside that something is mapped to.
    fn carried(&mut self, spec: &Spec<'v>) -> Result<BTreeMap<String, Carried>, ImportError> {
        let mut carried: BTreeMap<String, Carried> = BTreeMap::new();
        for (index, mapping) in list(spec.data, "inputMappings") {
            let place = format!("{}.inputMappings[{index}]", spec.place);
            let (Some(node), Some(input)) = (
                text(mapping, &["target", "node"]),
                text(mapping, &["target", "input"]),
            ) else {
                return Err(ImportError::refused(
                    &place,
                    "its `target` names a `node` and an `input`",
                ));
            };
            let when = text(mapping, &["iterations"]).unwrap_or("all");
            let name = inner_name(node, input);
            let variable = carried.entry(name).or_default();
            (variable.node, variable.input) = (node.to_owned(), input.to_owned());
            let outer = match text(mapping, &["source", "type"]) {
                Some("outer") => text(mapping, &["source", "name"])
                    .map(|name| format!("{{{{ input[{}] }}}}", json!(name))),
                Some("previous") => None,
                Some("builtin") => Some("{{ loopCount }}".to_owned()),
                _ => {
                    return Err(ImportError::refused(
                        &place,
                        "the `type` of its `source` is outer or previous",
                    ));
                }
            };
            let previous = match (
                text(mapping, &["source", "node"]),
                text(mapping, &["source", "output"]),
            ) {
                (Some(node), Some(output)) if outer.is_none() => Some(inner_name(node, output)),
                _ => None,
            };
            match (when, outer, previous) {
                ("all", Some(outer), _) => {
                    variable.initial = Some(outer);
                    variable.fixed = true;
                }
                ("first", Some(outer), _) => variable.initial = Some(outer),
                ("subsequent" | "all", None, Some(previous)) => variable.next = Some(previous),
                ("first", None, _) => {
                    self.builder.say(
                        Outcome::Ignored,
                        &place,
                        None,
                        "There is no iteration before the first: nothing is mapped.",
                    );
                }
                ("subsequent", Some(_), _) => {
                    return Err(ImportError::refused(
                        &place,
                        "an outer value for later iterations alone has no counterpart; map it for all, or a previous output",
                    ));
                }
                _ => {
                    return Err(ImportError::refused(
                        &place,
                        format!(
                            "`iterations` is first, subsequent or all, and not {when}; and a previous source names a node and an output"
                        ),
                    ));
                }
            }
            self.builder.say(
                Outcome::Mapped,
                &place,
                None,
                match when {
                    "all" => "What is mapped for all iterations is a variable of the Loop that stays the same.",
                    "first" => {
                        "What is mapped for the first iteration is a variable's first value; it is null afterwards, unless another mapping says."
                    }
                    _ => "What is mapped from the iteration before is a variable's next value.",
                },
            );
        }
        Ok(carried)
    }

    /// The workflow inside as a subflow, with the loop's variables as inputs.
    fn body(
        &mut self,
        spec: &Spec<'v>,
        wanted: &[(String, String)],
        carried: &BTreeMap<String, Carried>,
    ) -> Result<String, ImportError> {
        let Some(inline) = spec
            .data
            .get("inlineWorkflow")
            .filter(|inline| inline.is_object())
        else {
            let path = text(&Value::Object(spec.data.clone()), &["workflowRef"])
                .unwrap_or_default()
                .to_owned();
            if path.is_empty() {
                return Err(ImportError::refused(
                    &spec.place,
                    "the loop holds no workflow: it has no `inlineWorkflow` and no `workflowRef`",
                ));
            }
            let file = path
                .trim_end_matches(".yaml")
                .trim_end_matches(".yml")
                .trim_end_matches(".json");
            let node = self.builder.node(
                "subflow",
                &format!("{} body", spec.id),
                json!({ "ref": format!("{file}.json") }),
            );
            self.builder.approximated(&format!("{}.workflowRef", spec.place), Some(&node), format!(
                "Its workflow is in {path}, which is not in the folder of this file. Import it to {file}.json beside this flow, with the inputs {} and the outputs {}.",
                carried.keys().cloned().collect::<Vec<_>>().join(", "),
                wanted.iter().map(|(node, output)| inner_name(node, output)).collect::<Vec<_>>().join(", ")
            ));
            return Ok(node);
        };
        let mut container = Container::read(inline, &format!("{}.inlineWorkflow.", spec.place))?;
        container.components = container.components.or(self.container.components);
        for Carried { node, input, .. } in carried.values() {
            let Some(target) = container.node(node) else {
                return Err(ImportError::refused(
                    &spec.place,
                    format!("an input mapping goes to “{node}”, which is no node inside"),
                ));
            };
            if !ports(target)
                .iter()
                .any(|port| text(port, &["name"]) == Some(input))
            {
                return Err(ImportError::refused(
                    &spec.place,
                    format!(
                        "an input mapping goes to the input “{input}” of “{node}”, which has none of that name"
                    ),
                ));
            }
        }
        let mut builder = Builder::new(
            super::FORMAT.id,
            spec.data.get("label").and_then(Value::as_str),
        );
        builder.set("allowNestedLoops", json!(true));
        let mut maker = Maker::new(&container, &mut builder, self.depth + 1);
        maker.plain_names = true;
        maker.component = Some(BTreeMap::new());
        maker.folder = self.folder;
        for (name, variable) in carried {
            let data = json!({ "name": name, "dataType": "json" });
            let input = maker.builder.node("input", name, data);
            let key = (variable.node.clone(), variable.input.clone());
            maker.fed.insert(key, Port::of(&input));
        }
        if carried.is_empty() {
            let data = json!({ "name": STARTS_AFTER, "dataType": "json" });
            maker.builder.node("input", STARTS_AFTER, data);
        }
        maker.workflow()?;
        for (node, output) in wanted {
            let name = inner_name(node, output);
            let Found::Out(out) = maker.out(node, output) else {
                return Err(ImportError::refused(
                    &spec.place,
                    format!("it reads “{node}.{output}”, which no node inside gives"),
                ));
            };
            let from = maker.port(&out);
            let end = maker
                .builder
                .node("output", &format!("{name} out"), json!({ "name": name }));
            maker.builder.wire(&from, &Port::of(&end));
        }
        let inner = builder.finish()?;
        for entry in inner.report.entries {
            self.builder
                .say(entry.outcome, entry.place, None, entry.message);
        }
        let flow = serde_json::to_value(&inner.flow).unwrap_or(Value::Null);
        Ok(self.builder.node(
            "subflow",
            &format!("{} body", spec.id),
            json!({ "flow": flow }),
        ))
    }

    fn condition(&mut self, spec: &Spec<'v>, body: &str) -> Result<Option<String>, ImportError> {
        let Some((node, output)) = continued(spec)? else {
            return Ok(None);
        };
        let place = format!("{}.continueWhile", spec.place);
        let given = &spec.data["continueWhile"];
        let operator = text(given, &["operator"]).unwrap_or("==");
        if !["==", "!=", "<", ">", "<=", ">="].contains(&operator) {
            return Err(ImportError::refused(
                &place,
                format!("the operator is one of ==, !=, <, >, <=, >=, and not {operator}"),
            ));
        }
        let value = given.get("value").unwrap_or(&Value::Null);
        Ok(Some(format!(
            "{body}.{} {operator} {value}",
            inner_name(node, output)
        )))
    }

    fn outputs_of(
        &mut self,
        spec: &Spec<'v>,
        start: &str,
        body: &str,
        made: &mut Made,
    ) -> Result<Vec<Value>, ImportError> {
        let mut outputs = Vec::new();
        let mut add = |target: &str, port: Port| {
            let out = Out::of(port);
            made.ends.push((target.to_owned(), out.clone()));
            made.outputs.insert(target.to_owned(), Some(out));
        };
        for (index, mapping) in list(spec.data, "outputMappings") {
            let place = format!("{}.outputMappings[{index}]", spec.place);
            let Some(target) = text(mapping, &["target"]) else {
                return Err(ImportError::refused(&place, "it has no `target`"));
            };
            if text(mapping, &["source", "type"]) == Some("builtin") {
                let handle = match text(mapping, &["source", "name"]) {
                    Some("iteration_count") => "count",
                    other => {
                        return Err(ImportError::refused(
                            &place,
                            format!(
                                "the one built-in output is iteration_count, and not {}",
                                other.unwrap_or("nothing")
                            ),
                        ));
                    }
                };
                add(target, Port::at(start, handle));
                self.builder
                    .mapped(&place, start, "`iteration_count` is the Loop's `count`.");
                continue;
            }
            let (Some(node), Some(output)) = (
                text(mapping, &["source", "node"]),
                text(mapping, &["source", "output"]),
            ) else {
                return Err(ImportError::refused(
                    &place,
                    "its `source` names a `node` and an `output`",
                ));
            };
            let take = text(mapping, &["take"]).unwrap_or("last");
            if !["last", "first", "all"].contains(&take) {
                return Err(ImportError::refused(
                    &place,
                    format!("`take` is last, first or all, and not {take}"),
                ));
            }
            let name = loop_handle(target);
            outputs.push(json!({ "name": name, "from": format!("{body}.{}", inner_name(node, output)), "take": take }));
            add(target, Port::at(start, name));
            self.builder.mapped(
                &place,
                start,
                format!("An output mapping is an output of the Loop: {take}."),
            );
        }
        Ok(outputs)
    }
}

/// The node and output that say whether the loop goes on.
fn continued<'v>(spec: &Spec<'v>) -> Result<Option<(&'v str, &'v str)>, ImportError> {
    let Some(given) = spec
        .data
        .get("continueWhile")
        .filter(|given| !given.is_null())
    else {
        return Ok(None);
    };
    let place = format!("{}.continueWhile", spec.place);
    let named = text(given, &["output"])
        .ok_or_else(|| ImportError::refused(&place, "it names no `output`"))?;
    named.split_once('.').map(Some).ok_or_else(|| {
        ImportError::refused(
            &place,
            format!("“{named}” names no node: write node.output"),
        )
    })
}
