//! Translates nodes that repeat: `while_loop` to a Loop, `dynamic_parallel` to an Iterator.

use serde_json::{Map, Value, json};

use super::{
    agent::check_loop,
    steps::{Steps, joined, script, state_of, testing},
};
use crate::{build::Port, error::ImportError};

/// The field of a branch's state that contains the result of its action.
const RESULT: &str = "_result";

/// Python that returns the items of a list. As in TEA, None has no items.
const LIST: &str = "\
if items is None:
    return []
if isinstance(items, str) or not jinja_iterable(items):
    raise ValueError(\"items expression must return an iterable, got \" + type(items).__name__)
return list(items)";

/// Returns Python that builds a parallel branch's result, with the fields it has in TEA.
pub(super) fn record(branch: &str, state: &str, error: &str) -> String {
    format!(
        "{{\"branch\": {branch}, \"success\": {error} is None, \"state\": {state}, \"error\": {error}, \"error_type\": None, \"traceback\": None, \"timeout\": False, \"timing_ms\": 0, \"retry_count\": 0, \"circuit_state\": None, \"attempt_errors\": [], \"exit_code\": None}}"
    )
}

impl Steps<'_, '_> {
    /// Translates `dynamic_parallel`, which runs the same steps for each item of a list, to an Iterator and its Aggregator.
    /// Fails if the node is invalid in TEA.
    pub(super) fn each(
        &mut self,
        name: &str,
        config: &Map<String, Value>,
        place: &str,
        from: Vec<Port>,
    ) -> Result<Vec<Port>, ImportError> {
        let text = |field: &str, usual: &str| {
            config
                .get(field)
                .and_then(Value::as_str)
                .unwrap_or(usual)
                .to_owned()
        };
        let items = text("items", "");
        if items.trim().is_empty() {
            let why = "it does not say which items to iterate over";
            return Ok(self.keep(name, config, place, &from, why));
        }
        let mut templates = self.templates();
        let items = match templates.text(&items) {
            Ok(items) => format!("state = input\n{}items = {items}\n{LIST}", templates.before),
            Err(why) => {
                let why = format!("its list of items {why}");
                return Ok(self.keep(name, config, place, &from, &why));
            }
        };
        let options = config
            .get("parallel_config")
            .and_then(Value::as_object)
            .unwrap_or(config);
        let at_once = match options.get("max_concurrency") {
            None | Some(Value::Null) => 8,
            Some(most) => match most.as_u64() {
                Some(most) => most.clamp(1, 64),
                None => {
                    let why = "the number of items that run at once is known only during the run";
                    return Ok(self.keep(name, config, place, &from, why));
                }
            },
        };
        if options.get("fail_fast") == Some(&Value::Bool(true)) {
            let why =
                "with `fail_fast`, the items that TEA still runs after a failure depend on timing";
            return Ok(self.keep(name, config, place, &from, why));
        }
        let from = joined(self.build, from);
        let list = script(self.build, &format!("Items of {name}"), &items, None, &from);
        self.build.enter("each", place);
        let start = self.build.node(
            "iterator",
            name,
            json!({ "concurrency": at_once, "onError": "collect" }),
        );
        self.build
            .wire(&Port::of(&list), &Port::at(&start, "items"));
        let item = Value::String(text("item_var", "item"));
        let index = Value::String(text("index_var", "index"));
        let source = format!("state[{item}] = input\nstate[{index}] = index\nreturn state");
        let begin = self.build.node(
            "tool",
            &format!("State of one {name}"),
            json!({ "tool": "script.python", "args": { "source": source, "state": null, "index": null } }),
        );
        self.build
            .wire(&Port::at(&start, "item"), &Port::at(&begin, "input"));
        self.build
            .wire(&Port::at(&start, "index"), &Port::at(&begin, "index"));
        self.build.wire_all(&from, &Port::at(&begin, "state"));
        let body = vec![Port::of(&begin)];
        let label = format!("Each {name}");
        let (ports, of_action) = match (config.get("steps"), config.get("action")) {
            (Some(Value::Array(steps)), _) => {
                let ports = self.row(name, steps, &format!("{place}.steps"), body)?;
                (ports, false)
            }
            (_, Some(Value::Object(action))) => {
                let mut action = action.clone();
                // The result of an action is the whole state of its branch.
                action
                    .entry("output")
                    .or_insert_with(|| Value::String(RESULT.to_owned()));
                let alone = action["output"] == RESULT;
                let ports = self.body(&label, &action, &format!("{place}.action"), body)?;
                (ports, alone)
            }
            _ => {
                let why = "it does not say what to do with an item";
                (self.keep(&label, config, place, &body, why), false)
            }
        };
        let ports = if config.contains_key("action") {
            let given = match config.get("action").and_then(|action| action.get("output")) {
                Some(Value::Object(fields)) => fields.keys().cloned().collect(),
                Some(Value::String(key)) => vec![key.clone()],
                _ => Vec::new(),
            };
            let source = if of_action {
                format!(
                    "result = input[\"{RESULT}\"]\nown = result if isinstance(result, dict) else {{\"result\": result}}\nown[{item}] = input[{item}]\nown[{index}] = input[{index}]\nreturn own"
                )
            } else {
                let given = Value::from(given);
                format!("return {{name: input[name] for name in {given} + [{item}, {index}]}}")
            };
            let label = format!("Result of one {name}");
            vec![Port::of(&script(self.build, &label, &source, None, &ports))]
        } else {
            ports
        };
        self.build.leave();
        let end = self.build.node(
            "aggregator",
            &format!("All of {name}"),
            json!({ "mode": "array" }),
        );
        self.build.wire_all(&ports, &Port::at(&end, "input"));
        let source = format!(
            "failed = {{error[\"index\"]: error[\"message\"] for error in errors}}\nresults = []\nfor at, item in enumerate(items):\n    own = {{{item}: item, {index}: at}} if at in failed else states[at]\n    results.append({})\ninput[\"parallel_results\"] = results\nreturn input",
            record(
                &format!("{} + str(at) + \"]\"", Value::String(format!("{name}["))),
                "own",
                "failed.get(at)"
            )
        );
        let merge = self.build.node(
            "tool",
            &format!("Take {name}"),
            json!({ "tool": "script.python", "args": { "source": source, "states": null, "errors": null, "items": null } }),
        );
        self.build.wire_all(&from, &Port::at(&merge, "input"));
        for (port, handle) in [
            (Port::of(&end), "states"),
            (Port::at(&end, "errors"), "errors"),
            (Port::of(&list), "items"),
        ] {
            self.build.wire(&port, &Port::at(&merge, handle));
        }
        self.build.approximated(
            place,
            Some(&start),
            "An Iterator runs the steps for each item, with a separate state for each. The text of an `error` comes from this run, not from TEA, and `timing_ms` is 0.",
        );
        Ok(vec![Port::of(&merge)])
    }

    pub(super) fn while_loop(
        &mut self,
        name: &str,
        config: &Map<String, Value>,
        place: &str,
        from: Vec<Port>,
    ) -> Result<Vec<Port>, ImportError> {
        if self.build.is_inside("while_loop") {
            return Err(ImportError::refused(
                place,
                format!(
                    "Nested while loops are not supported: “{name}” is inside another while_loop"
                ),
            ));
        }
        check_loop(name, config, place)?;
        let most = config
            .get("max_iterations")
            .and_then(Value::as_u64)
            .unwrap_or(1);
        let condition = match config.get("condition") {
            Some(Value::Bool(flag)) => flag.to_string(),
            Some(Value::String(text)) => text.clone(),
            _ => String::new(),
        };
        let mut templates = self.templates();
        let (from, test) = match templates.condition(&condition) {
            Ok(test) => (from, test),
            Err(why) => {
                let ports = self.keep(
                    &format!("Condition of {name}"),
                    config,
                    &format!("{place}.condition"),
                    &from,
                    &format!("the condition `{condition}` {why}"),
                );
                (ports, "False".to_owned())
            }
        };
        // The value that circulates in the loop contains the state and the result of the condition.
        let test = testing(&templates.before, &test);
        let label = format!("Condition of {name}");
        let from = [Port::of(&script(self.build, &label, &test, None, &from))];
        self.build.enter("while_loop", place);
        self.build.permit_iterations(most);
        let start = self.build.node(
            "loop",
            name,
            json!({
                "maxIterations": most, "exitCondition": "condition", "condition": { "while": "state.test", "test": "before" },
                "feedbackMode": "replace", "inputName": "state"
            }),
        );
        self.build.wire_all(&from, &Port::at(&start, "input"));
        self.build.mapped(
            place,
            &start,
            format!("Continues while `{condition}` is true, at most {most} times; each iteration begins with the state of the previous one."),
        );
        let body = config
            .get("body")
            .and_then(Value::as_array)
            .map_or([].as_slice(), Vec::as_slice);
        let state = state_of(self.build, name, &[Port::at(&start, "body")]);
        let ports = self.row(name, body, &format!("{place}.body"), state)?;
        let label = format!("Condition after {name}");
        let ports = [Port::of(&script(self.build, &label, &test, None, &ports))];
        self.build.leave();
        let end = self
            .build
            .node("exit", &format!("End of {name}"), json!({}));
        self.build.wire_all(&ports, &Port::of(&end));
        Ok(state_of(self.build, name, &[Port::of(&end)]))
    }
}
