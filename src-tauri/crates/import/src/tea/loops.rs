//! Nodes of an agent that repeat: `while_loop` as a Loop, `dynamic_parallel` as an Iterator.

use serde_json::{Map, Value, json};

use super::{
    agent::check_loop,
    expr, python,
    steps::{Steps, joined},
    template,
};
use crate::{ImportError, build::Port};

impl Steps<'_, '_> {
    /// `dynamic_parallel`: the same steps for each item of a list, as an Iterator and its Aggregator.
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
        let names = self.names("input");
        let items = match template::convert(&text("items", ""), &names) {
            Ok(items) if !items.trim().is_empty() => items,
            Ok(_) => {
                let why = "it does not say which items it goes over";
                return Ok(self.keep(name, config, place, &from, why));
            }
            Err(why) => {
                let why = format!("which items it goes over {why}");
                return Ok(self.keep(name, config, place, &from, &why));
            }
        };
        let from = joined(self.build, from);
        let list = self.build.node(
            "transform",
            &format!("Items of {name}"),
            json!({ "template": items }),
        );
        self.build.wire_all(&from, &Port::at(&list, "input"));
        let fail_fast = config.get("fail_fast") == Some(&Value::Bool(true));
        let at_once = config
            .get("max_concurrency")
            .and_then(Value::as_u64)
            .map_or(8, |most| most.clamp(1, 64));
        self.build.enter("each", place);
        let start = self.build.node(
            "iterator",
            name,
            json!({ "concurrency": at_once, "onError": if fail_fast { "fail" } else { "collect" } }),
        );
        self.build
            .wire(&Port::of(&list), &Port::at(&start, "items"));
        let quoted = |text: String| python::lua_text(&text);
        let source = format!(
            "local own = state\nown[{}] = input\nown[{}] = index\nreturn own",
            quoted(text("item_var", "item")),
            quoted(text("index_var", "index"))
        );
        let begin = self.build.node(
            "tool",
            &format!("State of one {name}"),
            json!({ "tool": "script.lua", "args": { "source": source, "state": null, "index": null } }),
        );
        self.build
            .wire(&Port::at(&start, "item"), &Port::at(&begin, "input"));
        self.build
            .wire(&Port::at(&start, "index"), &Port::at(&begin, "index"));
        self.build.wire_all(&from, &Port::at(&begin, "state"));
        let body = vec![Port::of(&begin)];
        let label = format!("Each {name}");
        let ports = match (config.get("steps"), config.get("action")) {
            (Some(Value::Array(steps)), _) => {
                self.row(name, steps, &format!("{place}.steps"), body)?
            }
            (_, Some(Value::Object(action))) => {
                self.body(&label, action, &format!("{place}.action"), body)?
            }
            _ => {
                let why = "it does not say what is done with an item";
                self.keep(&label, config, place, &body, why)
            }
        };
        self.build.leave();
        let end = self.build.node(
            "aggregator",
            &format!("All of {name}"),
            json!({ "mode": "array" }),
        );
        self.build.wire_all(&ports, &Port::at(&end, "input"));
        let source = format!(
            "local list = array({{}})\nfor at, own in ipairs(results) do\n    local failed = own == null\n    table.insert(list, {{ index = at - 1, success = not failed, state = if failed then object({{}}) else own }})\nend\ninput[{}] = list\nreturn input",
            quoted(text("output", "parallel_results"))
        );
        let merge = self.build.node(
            "tool",
            &format!("Take {name}"),
            json!({ "tool": "script.lua", "args": { "source": source, "results": null } }),
        );
        self.build.wire_all(&from, &Port::at(&merge, "input"));
        self.build
            .wire(&Port::of(&end), &Port::at(&merge, "results"));
        self.build.approximated(
            place,
            Some(&start),
            "An Iterator does the steps for each item, each with a state of its own. A result has `index`, `success` and `state`; timings are left out.",
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
                format!("Nested while-loops not supported: “{name}” is inside another while_loop"),
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
        let test = expr::condition(&condition, &self.names("state"));
        let (from, test) = match test {
            Ok(test) => (from, test),
            Err(why) => {
                let ports = self.keep(
                    &format!("Condition of {name}"),
                    config,
                    &format!("{place}.condition"),
                    &from,
                    &format!("the condition `{condition}` {why}"),
                );
                (ports, "false".to_owned())
            }
        };
        self.build.enter("while_loop", place);
        self.build.permit_iterations(most);
        let start = self.build.node(
            "loop",
            name,
            json!({
                "maxIterations": most, "exitCondition": "condition", "condition": { "while": test, "test": "before" },
                "feedbackMode": "replace", "inputName": "state"
            }),
        );
        self.build.wire_all(&from, &Port::at(&start, "input"));
        self.build.mapped(
            place,
            &start,
            format!("Goes on while `{condition}` holds, {most} times at most; each iteration begins with the state of the one before."),
        );
        let body = config
            .get("body")
            .and_then(Value::as_array)
            .map_or([].as_slice(), Vec::as_slice);
        let before = self.build.size();
        let mut ports = self.row(
            name,
            body,
            &format!("{place}.body"),
            vec![Port::at(&start, "body")],
        )?;
        if self.build.size() == before {
            // A body that does nothing still is one.
            let id = self.build.node(
                "transform",
                &format!("{name} body"),
                json!({ "template": "{{ input }}" }),
            );
            self.build.wire_all(&ports, &Port::at(&id, "input"));
            ports = vec![Port::of(&id)];
        }
        self.build.leave();
        let end = self
            .build
            .node("exit", &format!("End of {name}"), json!({}));
        self.build.wire_all(&ports, &Port::of(&end));
        Ok(vec![Port::of(&end)])
    }
}
