//! Translates a loop that contains a workflow, with `continueWhile`, `inputMappings` and `outputMappings`, to a Loop around a
//! Subflow. The inputs of the Subflow are the Loop's variables.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    Builder, Container, FORMAT, Given, ImportError, Inputs, Made, Maker, Out, Outcome, Port, Spec,
    Trouble, field, list,
    loops::{loop_handle, read_max_iterations},
    nodes::STARTS_AFTER,
    ports, text,
};
use crate::build::identifier;

/// A variable of the loop, with the templates of its values.
#[derive(Default)]
struct Carried<'v> {
    node: &'v str,
    input: &'v str,
    initial: Option<String>,
    next: Option<String>,
    /// Whether the value is the same in every iteration.
    fixed: bool,
}

/// Returns the name of the subflow output that carries an output of an inner node.
fn inner_name((node, output): (&str, &str)) -> String {
    identifier(&format!("{node}_{output}"))
}

/// Returns the mappings in a list field, each preceded by its place in the source.
fn mappings<'v>(spec: &Spec<'v>, name: &str) -> impl Iterator<Item = (String, &'v Value)> {
    let mappings = list(spec.data, name).iter().enumerate();
    mappings.map(move |(index, mapping)| (format!("{}.{name}[{index}]", spec.place), mapping))
}

/// Returns the node and the output that a mapping reads, or `None` if it names none.
fn source(mapping: &Value) -> Option<(&str, &str)> {
    let source = &mapping["source"];
    Some((text(source, "node")?, text(source, "output")?))
}

/// Returns the node and the output that decide whether the loop continues, or `None` if no output decides it. Fails if the
/// condition names no node.
fn continued<'v>(spec: &Spec<'v>) -> Result<Option<(&'v str, &'v str)>, ImportError> {
    let Some(given) = field(spec.data, "continueWhile") else {
        return Ok(None);
    };
    let place = format!("{}.continueWhile", spec.place);
    let refused = |why: &str| ImportError::refused(&place, why);
    let named = text(given, "output").ok_or_else(|| refused("it names no `output`"))?;
    let why = format!("“{named}” does not name a node. Write it as `node.output`");
    named.split_once('.').map(Some).ok_or_else(|| refused(&why))
}

impl<'v> Maker<'v, '_> {
    pub(super) fn mapped_loop(&mut self, spec: &Spec<'v>) -> Result<Made, Trouble> {
        let inputs = self.inputs(spec, "", &|_| true)?;
        let count = read_max_iterations(self.builder, spec)?;
        let gather = self.gather(spec, &inputs);
        let start = self.own_node("loop", spec, json!({}));
        self.builder.wire(&gather, &Port::of(&start));
        let wanted = wanted(spec)?;
        let carried = self.carried(spec)?;
        let body = self.body(spec, &wanted, &carried)?;
        let within = Port::at(&start, "body");
        let mut variables = Vec::new();
        for (name, variable) in &carried {
            let null = || "{{ null }}".to_owned();
            let initial = variable.initial.clone().unwrap_or_else(null);
            let mut written = json!({ "name": name, "initial": initial });
            if !variable.fixed {
                let read = |from| format!("{{{{ previous.{body}.{from} | default(value=null) }}}}");
                let next = variable.next.as_ref().map(read);
                written["next"] = next.unwrap_or_else(null).into();
            }
            variables.push(written);
            let feed = self.transform(name, &format!("{{{{ vars.{name} }}}}"));
            self.builder.wire(&within, &feed);
            self.builder.wire(&feed, &Port::at(&body, name));
        }
        if carried.is_empty() {
            let first = self.transform(&format!("{} pass", spec.id), "{{ null }}");
            self.builder.wire(&within, &first);
            if spec.data["inlineWorkflow"].is_object() {
                self.builder.wire(&first, &Port::at(&body, STARTS_AFTER));
            }
            let says = "Nothing is mapped into the loop, so its workflow receives no values.";
            self.builder.approximated(&spec.place, Some(&start), says);
        }
        let exit = self.part("exit", spec, "exit", json!({}));
        self.builder.wire(&Port::of(&body), &Port::of(&exit));
        let mut made = Made::of(start.clone());
        let outputs = self.mapped_outputs(spec, &body, &mut made)?;
        let mut data = json!({ "maxIterations": count, "feedbackMode": "variables", "variables": variables, "outputs": outputs, "onLimit": "return" });
        data["exitCondition"] = json!("max_iterations");
        if let Some(condition) = condition(spec, &body)? {
            data["exitCondition"] = json!("condition");
            data["condition"] = json!({ "while": condition, "test": "after" });
        }
        self.set(&start, data);
        self.builder.mapped(&spec.place, &start, "A loop that contains a workflow becomes a Loop around a Subflow. The loop's condition is evaluated after each iteration. At the maximum number of iterations, the Loop ends with a warning and returns its last outputs.");
        made.end_with_count(spec);
        Ok(made)
    }

    /// Combines the loop's inputs into one object, and returns the port of that object. If the loop is alone, unwired inputs
    /// become inputs of the run.
    fn gather(&mut self, spec: &Spec<'v>, inputs: &Inputs<'v>) -> Port {
        let alone = self.depth == 0 && self.container.into(spec.id).next().is_none();
        let (mut fields, mut wired) = (Vec::new(), Vec::new());
        for input in &inputs.own {
            let read = match &input.given {
                Given::Value(value) => value.to_string(),
                Given::Nothing if !alone => "null".to_owned(),
                _ => {
                    wired.push(input);
                    format!("(inputs.{} | default(value=null))", input.handle)
                }
            };
            fields.push(format!("{}: {read}", json!(input.name)));
        }
        let handles: Vec<&str> = wired.iter().map(|input| input.handle.as_str()).collect();
        let template = format!("{{{{ {{{}}} }}}}", fields.join(", "));
        let data = json!({ "inputs": handles, "template": template });
        let gather = self.part("transform", spec, "inputs", data);
        for input in wired {
            let into = Port::at(&gather, &input.handle);
            if let Given::Out(out) = &input.given {
                self.feed(out, &into);
                continue;
            }
            let given = self.input(input.name);
            self.builder.wire(&given, &into);
            let place = format!("{}.inputs.{}", spec.place, input.name);
            let says =
                "Nothing is wired to this input of the loop, so it becomes an input of the run.";
            self.builder.mapped(&place, &given.node, says);
        }
        self.after(spec, &gather, inputs);
        Port::of(&gather)
    }

    /// Returns the variables by name: one for each inner input that is mapped. Fails if a mapping is invalid.
    fn carried(&mut self, spec: &Spec<'v>) -> Result<BTreeMap<String, Carried<'v>>, ImportError> {
        let mut carried: BTreeMap<String, Carried<'v>> = BTreeMap::new();
        for (place, mapping) in mappings(spec, "inputMappings") {
            let refused = |why: &str| ImportError::refused(&place, why);
            let target = &mapping["target"];
            let (Some(node), Some(input)) = (text(target, "node"), text(target, "input")) else {
                return Err(refused("its `target` must name a `node` and an `input`"));
            };
            let variable = carried.entry(inner_name((node, input))).or_default();
            (variable.node, variable.input) = (node, input);
            let outer = match text(&mapping["source"], "type") {
                Some("outer") => text(&mapping["source"], "name")
                    .map(|name| format!("{{{{ input[{}] }}}}", json!(name))),
                Some("previous") => None,
                Some("builtin") => Some("{{ loopCount }}".to_owned()),
                _ => {
                    return Err(refused(
                        "the `type` of its `source` must be `outer`, `previous` or `builtin`",
                    ));
                }
            };
            let previous = source(mapping).map(inner_name);
            let when = text(mapping, "iterations").unwrap_or("all");
            match (when, outer, previous) {
                ("all", Some(outer), _) => {
                    variable.initial = Some(outer);
                    variable.fixed = true;
                }
                ("first", Some(outer), _) => variable.initial = Some(outer),
                ("subsequent" | "all", None, Some(previous)) => variable.next = Some(previous),
                ("first", None, _) => {
                    let says =
                        "There is no iteration before the first, so this mapping has no effect.";
                    self.builder.say(Outcome::Ignored, &place, None, says);
                }
                ("subsequent", Some(_), _) => {
                    return Err(refused(
                        "an outer value that is mapped only for later iterations has no counterpart; map it for all iterations, or map a previous output",
                    ));
                }
                _ => {
                    return Err(refused(&format!(
                        "`iterations` must be `first`, `subsequent` or `all`, not `{when}`; a source of the type `previous` must name a node and an output"
                    )));
                }
            }
            let says = match when {
                "all" => {
                    "A mapping for all iterations becomes a variable of the Loop that stays the same."
                }
                "first" => {
                    "A mapping for the first iteration becomes a variable's first value; the variable is null afterwards, unless another mapping sets it."
                }
                _ => "A mapping from the previous iteration becomes a variable's next value.",
            };
            self.builder.say(Outcome::Mapped, &place, None, says);
        }
        Ok(carried)
    }

    /// Adds the inner workflow as a subflow, with the loop's variables as inputs. Returns the subflow's id.
    fn body(
        &mut self,
        spec: &Spec<'v>,
        wanted: &[(&'v str, &'v str)],
        carried: &BTreeMap<String, Carried<'v>>,
    ) -> Result<String, ImportError> {
        let inline = &spec.data["inlineWorkflow"];
        if !inline.is_object() {
            return self.body_elsewhere(spec, wanted, carried);
        }
        let refused = |why: &str| ImportError::refused(&spec.place, why);
        let place = format!("{}.inlineWorkflow.", spec.place);
        let container = Container::read(inline, &place, self.container.components)?;
        for Carried { node, input, .. } in carried.values() {
            let why =
                format!("an input mapping goes to “{node}”, which is not a node inside the loop");
            let target = container.node(node).ok_or_else(|| refused(&why))?;
            let mut ports = ports(target, "inputs").iter();
            if !ports.any(|port| text(port, "name") == Some(input)) {
                return Err(refused(&format!(
                    "an input mapping goes to the input “{input}” of “{node}”, which does not exist"
                )));
            }
        }
        let mut builder = Builder::new(FORMAT.id, text(spec.data, "label"));
        builder.set("allowNestedLoops", json!(true));
        let mut maker = Maker::new(&container, &mut builder, self.depth + 1);
        maker.plain_names = true;
        maker.component = Some(BTreeMap::new());
        maker.folder = self.folder;
        for (name, variable) in carried {
            let input = maker.input(name);
            maker.fed.insert((variable.node, variable.input), input);
        }
        if carried.is_empty() {
            maker.input(STARTS_AFTER);
        }
        maker.workflow()?;
        for &(node, output) in wanted {
            let Ok(Some(out)) = maker.out(node, output) else {
                let why =
                    format!("it reads “{node}.{output}”, which no node inside the loop provides");
                return Err(refused(&why));
            };
            let name = inner_name((node, output));
            let from = maker.port(&out);
            let data = json!({ "name": name });
            let end = maker.builder.node("output", &format!("{name} out"), data);
            maker.builder.wire(&from, &Port::of(&end));
        }
        self.subflow(&format!("{} body", spec.id), builder)
    }

    /// Adds a subflow for a workflow in another file, which must be imported too. Returns the subflow's id.
    fn body_elsewhere(
        &mut self,
        spec: &Spec<'v>,
        wanted: &[(&'v str, &'v str)],
        carried: &BTreeMap<String, Carried<'v>>,
    ) -> Result<String, ImportError> {
        let path = text(spec.data, "workflowRef").filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| {
            let why =
                "the loop contains no workflow: it has no `inlineWorkflow` and no `workflowRef`";
            ImportError::refused(&spec.place, why)
        })?;
        let file = path
            .trim_end_matches(".yaml")
            .trim_end_matches(".yml")
            .trim_end_matches(".json");
        let data = json!({ "ref": format!("{file}.json") });
        let node = self.part("subflow", spec, "body", data);
        let place = format!("{}.workflowRef", spec.place);
        let inputs: Vec<&str> = carried.keys().map(String::as_str).collect();
        let outputs: Vec<String> = wanted.iter().copied().map(inner_name).collect();
        let says = format!(
            "Its workflow is in {path}, which is not in the folder of this file. Import it as {file}.json next to this flow, with the inputs {} and the outputs {}.",
            inputs.join(", "),
            outputs.join(", ")
        );
        self.builder.approximated(&place, Some(&node), says);
        Ok(node)
    }

    /// Returns the Loop's outputs, and adds them to `made`. Fails if a mapping is invalid.
    fn mapped_outputs(
        &mut self,
        spec: &Spec<'v>,
        body: &str,
        made: &mut Made,
    ) -> Result<Vec<Value>, ImportError> {
        let start = made.node.clone();
        let mut outputs = Vec::new();
        for (place, mapping) in mappings(spec, "outputMappings") {
            let refused = |why: &str| ImportError::refused(&place, why);
            let target = text(mapping, "target").ok_or_else(|| refused("it has no `target`"))?;
            if text(&mapping["source"], "type") == Some("builtin") {
                let name = text(&mapping["source"], "name").unwrap_or("nothing");
                if name != "iteration_count" {
                    let why = format!(
                        "there is no built-in output `{name}`. The only one is `iteration_count`"
                    );
                    return Err(refused(&why));
                }
                made.give(target, Out::of(Port::at(&start, "count")));
                let says = "`iteration_count` is the Loop's `count`.";
                self.builder.mapped(&place, &start, says);
                continue;
            }
            let why = "its `source` must name a `node` and an `output`";
            let from = source(mapping).ok_or_else(|| refused(why))?;
            let take = text(mapping, "take").unwrap_or("last");
            if !["last", "first", "all"].contains(&take) {
                let why = format!("`take` must be last, first or all, not {take}");
                return Err(refused(&why));
            }
            let name = loop_handle(target);
            let from = format!("{body}.{}", inner_name(from));
            outputs.push(json!({ "name": name, "from": from, "take": take }));
            made.give(target, Out::of(Port::at(&start, name)));
            let says = format!("An output mapping becomes an output of the Loop: {take}.");
            self.builder.mapped(&place, &start, says);
        }
        Ok(outputs)
    }
}

/// Returns the outputs of inner nodes that the loop reads, each once.
fn wanted<'v>(spec: &Spec<'v>) -> Result<Vec<(&'v str, &'v str)>, ImportError> {
    let sources = |name: &str| list(spec.data, name).iter().filter_map(source);
    let pairs = sources("outputMappings").chain(continued(spec)?);
    let pairs = pairs.chain(sources("inputMappings"));
    let mut seen = BTreeSet::new();
    Ok(pairs.filter(|pair| seen.insert(*pair)).collect())
}

/// Returns the condition on which the loop continues, or `None` if it has none. Fails if its operator is unknown.
fn condition(spec: &Spec<'_>, body: &str) -> Result<Option<String>, ImportError> {
    let Some(output) = continued(spec)? else {
        return Ok(None);
    };
    let given = &spec.data["continueWhile"];
    let operator = text(given, "operator").unwrap_or("==");
    if !["==", "!=", "<", ">", "<=", ">="].contains(&operator) {
        let why = format!("the operator must be one of ==, !=, <, >, <=, >=, not {operator}");
        let place = format!("{}.continueWhile", spec.place);
        return Err(ImportError::refused(place, why));
    }
    let name = inner_name(output);
    Ok(Some(format!("{body}.{name} {operator} {}", given["value"])))
}
