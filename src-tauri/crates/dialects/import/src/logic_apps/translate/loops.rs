//! Translates loops: until, while, doUntil, and foreach.

use loopwright_azure_expressions::condition;
use serde_json::{Map, Value, json};

use super::{
    Action, Change, Ends, Step, Translator, branches::written_in, order::Guards, reads::Stands,
};
use crate::{
    Outcome,
    build::{MOST_ITERATIONS, Port},
    error::ImportError,
    logic_apps::{
        document::all_maps,
        duration,
        expression::{Around, Code, Dialect, Expr, entry, entry_of, outputs_in, quoted},
    },
};

/// The maximum number of iterations if a document sets no maximum.
const DEFAULT_COUNT: u64 = 60;
/// The timeout if a document sets no timeout.
const DEFAULT_TIMEOUT: &str = "PT1H";
/// The default concurrency of Logic Apps.
const AZURE_CONCURRENCY: u64 = 20;
/// The maximum number of elements of a foreach that may run at once.
const MOST_AT_ONCE: f64 = 64.0;

/// Returns the value of a limit or count that is known before the run, or `None` for an expression.
pub(super) fn fixed(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn too_much(place: &str, what: &str, most: &str) -> ImportError {
    let message = format!(
        "{what} is more than the {most} that a loop may have. Write a smaller limit into the file; an import never changes a limit"
    );
    ImportError::refused(place, message)
}

/// Returns a loop's `count`. Fails if it is not a whole number from 1 to 1,000.
fn checked_count(count: f64, place: &str) -> Result<u64, ImportError> {
    if count > MOST_ITERATIONS as f64 {
        let what = format!("a count of {count}");
        return Err(too_much(place, &what, "1,000 iterations"));
    }
    if count < 1.0 || count.fract() != 0.0 {
        let message = format!("the count must be a whole number from 1 to 1000, but is {count}");
        return Err(ImportError::refused(place, message));
    }
    Ok(count as u64)
}

/// Returns a loop's `timeout`. Fails if it is not a duration of at most 24 hours.
fn checked_timeout(timeout: &Value, place: &str) -> Result<String, ImportError> {
    let Some(text) = timeout.as_str() else {
        let message = format!("the timeout must be a duration such as PT10M, but is {timeout}");
        return Err(ImportError::refused(place, message));
    };
    let duration = duration::read(text).map_err(|why| ImportError::refused(place, why))?;
    if duration > duration::LONGEST {
        let what = format!("a timeout of {text}");
        return Err(too_much(place, &what, "24 hours (PT24H)"));
    }
    Ok(text.to_owned())
}

/// Returns the actions of a loop.
fn actions_in(action: Action<'_>) -> Map<String, Value> {
    action.object("actions").cloned().unwrap_or_default()
}

impl Translator {
    /// Returns the maximum number of iterations of a loop, and the loop's timeout. Reports each that the file does not set,
    /// or that is known only at run time. Fails if one is out of range.
    fn limit(&mut self, action: Action<'_>) -> Result<(u64, String), ImportError> {
        let here = action.within("limit");
        let limit = action.object("limit");
        let get = |name: &str| limit.and_then(|limit| limit.get(name));
        let mut said = Vec::new();
        let count = match (get("count"), get("count").and_then(fixed)) {
            (None, _) => {
                said.push(format!("{DEFAULT_COUNT} iterations"));
                DEFAULT_COUNT
            }
            (_, Some(count)) => checked_count(count, &here)?,
            (Some(count), None) => {
                self.build.approximated(&here, None, format!(
                    "the count {count} is known only during the run, but a loop needs a fixed limit, so {DEFAULT_COUNT} is used. Set maxIterations of the loop to the limit that you need"
                ));
                DEFAULT_COUNT
            }
        };
        let timeout = match get("timeout") {
            None => {
                said.push(format!("a timeout of {DEFAULT_TIMEOUT}"));
                DEFAULT_TIMEOUT.to_owned()
            }
            Some(Value::String(text)) if text.contains('@') => {
                self.build.approximated(&here, None, format!("the timeout {text} is known only during the run, but a loop needs a fixed limit, so {DEFAULT_TIMEOUT} is used. Set timeout of the loop to the limit that you need"));
                DEFAULT_TIMEOUT.to_owned()
            }
            Some(timeout) => checked_timeout(timeout, &here)?,
        };
        if !said.is_empty() {
            let says = format!(
                "{}: the source's default, because the file sets no limit",
                said.join(" and ")
            );
            self.build.say(Outcome::Mapped, here, None, says);
        }
        self.largest = self.largest.max(count);
        Ok((count, timeout))
    }

    pub(super) fn until(&mut self, action: Action<'_>, at: Ends) -> Step {
        let name = action.name;
        let kind = action.kind();
        let written = action
            .first_of(&["condition", "expression"])
            .ok_or("the action has no `condition` and no `expression`")?;
        let actions = actions_in(action);
        let (count, timeout) = self.limit(action)?;
        let wanted = condition(written, self.dialect)?;
        let before = kind == "while" || (kind == "until" && self.dialect == Dialect::Loom);
        let node = self.id(name);
        let mut data = json!({
            "maxIterations": count, "exitCondition": "condition", "limits": { "timeout": timeout },
            "onLimit": if self.fails_at_limit(action) { "fail" } else { "return" }
        });
        if let Some(delay) = action.field("delay").filter(|delay| !delay.is_null()) {
            let interval = duration::pause(delay)?;
            data["delay"] = json!({ "type": "fixed", "interval": interval });
        }
        let how = if kind == "while" { "while" } else { "until" };
        let (state, test) = if before {
            ("input", "before")
        } else {
            ("result", "after")
        };
        data["condition"] = json!({ how: entry_of(state, "tests", name), "test": test });
        self.around.push(Around {
            name: name.to_owned(),
            node: node.clone(),
            counts: true,
            actions: actions.keys().cloned().collect(),
        });
        let mut at = at;
        if before {
            let code = self.condition(written, Stands::Before)?;
            at = self.set(&format!("{name} first test"), &at, ("tests", name), code);
        }
        self.build.node_as(&node, "loop", name, data);
        self.build.wire_all(&at, &Port::of(&node));
        self.depth += 1;
        let begin = self.begin_pass(name, &actions, vec![Port::at(&node, "body")]);
        let end = self.sequence(&actions, begin, &action.within("actions"))?;
        let code = self.condition(written, Stands::Ahead)?;
        let end = self.set(&format!("{name} test"), &end, ("tests", name), code);
        self.depth -= 1;
        self.around.pop();
        let exit = self.exit(name, &end);
        self.say_until(action, before, &node);
        self.say_unchanged(action, &node, &wanted);
        let outputs = Self::outputs_of(&actions);
        Ok(self.done(name, exit, Some(outputs)))
    }

    /// Adds the Exit node of a loop. Returns its port, which carries the state after the loop.
    fn exit(&mut self, name: &str, end: &Ends) -> Ends {
        let data = json!({ "label": format!("{name}, end") });
        vec![self.node("exit", &format!("{name} exit"), data, end)]
    }

    /// Reports when the condition is tested and what happens at the limit.
    fn say_until(&mut self, action: Action<'_>, before: bool, node: &str) {
        let when = match (action.kind().as_str(), self.dialect) {
            ("while", _) => {
                "a Loop; its condition is evaluated before each pass, so the actions may never run"
            }
            ("dountil", _) => {
                "a Loop; its condition is evaluated after each pass, so the actions run at least once"
            }
            (_, Dialect::Loom) => {
                "a Loop; its condition is evaluated before each pass, as Loom's documentation says. Logic Apps evaluates it after each pass: import with --dialect logic-apps for that"
            }
            (_, Dialect::Azure) => {
                "a Loop; its condition is evaluated after each pass, as in Logic Apps. Loom evaluates it before each pass: import with --dialect loom for that"
            }
        };
        self.build.mapped(action.place, node, when);
        let at_limit = match (self.dialect, self.fails_at_limit(action)) {
            (Dialect::Azure, true) => {
                "the run fails when the limit is reached, as the action specifies"
            }
            (Dialect::Azure, false) => {
                "the run continues with the next action when the limit is reached, as in the source"
            }
            (Dialect::Loom, _) if before => {
                "the run fails when the limit is reached, as Loom's documentation says"
            }
            (Dialect::Loom, _) => return,
        };
        self.build.mapped(&action.within("limit"), node, at_limit);
    }

    /// Reports a condition that nothing in the loop changes: such a loop ends only before its first iteration or at its limit.
    fn say_unchanged(&mut self, action: Action<'_>, node: &str, until: &Expr) {
        let written = action.object("actions").map(written_in).unwrap_or_default();
        let mut reads = Vec::new();
        let mut changes = false;
        until.walk(&mut |expr| {
            if let Expr::Call { name, args } = expr
                && let Some(of) = args.first().and_then(Expr::as_text)
            {
                changes |= match name.to_ascii_lowercase().as_str() {
                    "variables" => {
                        written.iter().any(|name| name.eq_ignore_ascii_case(of))
                            || of.contains("loop")
                    }
                    "body" | "outputs" | "actionbody" | "actionoutputs" | "actions" => true,
                    _ => return,
                };
                reads.push(format!("“{of}”"));
            }
        });
        if !reads.is_empty() && !changes {
            let says = format!(
                "its condition reads only {}, which nothing in the loop sets: the loop ends at once or at its limit, as in the source",
                reads.join(", ")
            );
            self.build.mapped(&action.within("condition"), node, says);
        }
    }

    /// Returns whether an until fails at its limit. Logic Apps continues there unless `FailWhenLimitsReached` is set; Loom
    /// always fails.
    fn fails_at_limit(&self, action: Action<'_>) -> bool {
        let option = action
            .fields
            .get("operationOptions")
            .and_then(Value::as_str);
        self.dialect == Dialect::Loom
            || option.is_some_and(|option| option.eq_ignore_ascii_case("FailWhenLimitsReached"))
    }

    /// Clears the results of the previous iteration, as in Logic Apps: an action that does not run in an iteration has no
    /// outputs and no status.
    fn begin_pass(&mut self, name: &str, actions: &Map<String, Value>, at: Ends) -> Ends {
        let changes = self.forgotten(actions);
        if changes.is_empty() {
            return at;
        }
        self.change(&format!("{name} pass"), &at, &changes, None)
    }

    /// Returns the changes that clear the results of these actions, except results that nothing reads. In Loom, results are
    /// never cleared.
    fn forgotten(&self, actions: &Map<String, Value>) -> Vec<Change> {
        let mut changes = Vec::new();
        if self.dialect == Dialect::Loom {
            return changes;
        }
        for actions in all_maps(actions) {
            let guards = Guards::of(actions, &self.watched);
            for name in actions.keys() {
                if self.survey.referenced.contains(name) {
                    changes.push(Change::new("outputs", name, Code::constant(Value::Null)));
                }
                if self.watched.contains(name) || guards.watched.contains(name) {
                    let skipped = Code::constant(json!("Skipped"));
                    changes.push(Change::new("status", name, skipped));
                }
            }
        }
        changes
    }

    pub(super) fn foreach(&mut self, action: Action<'_>, at: Ends) -> Step {
        let list = action
            .first_of(&["foreach", "items", "collection"])
            .ok_or("the action has no `foreach`")?;
        let actions = actions_in(action);
        let code = self.source(list)?;
        let at = self.single(at);
        let written = written_in(&actions);
        if written.is_empty() {
            self.each(action, &actions, code, &at)
        } else {
            self.fold(action, &actions, code, &at, &written)
        }
    }

    /// Translates the actions that a foreach runs for one element.
    fn pass(&mut self, action: Action<'_>, actions: &Map<String, Value>, enter: Ends) -> Step {
        self.items.push(action.name.to_owned());
        self.depth += 1;
        let end = self.sequence(actions, enter, &action.within("actions"))?;
        self.depth -= 1;
        self.items.pop();
        Ok(end)
    }

    /// Returns the number of elements that run at once. If the file asks for an unsupported number, reports that and returns
    /// the maximum.
    fn at_once(&mut self, action: Action<'_>) -> u64 {
        let options = action
            .fields
            .get("operationOptions")
            .and_then(Value::as_str);
        if options.is_some_and(|options| options.eq_ignore_ascii_case("sequential")) {
            return 1;
        }
        let set = action
            .fields
            .get("runtimeConfiguration")
            .and_then(|configuration| configuration.get("concurrency")?.get("repetitions"))
            .or_else(|| action.first_of(&["concurrency", "parallel", "degreeOfParallelism"]));
        match set {
            Some(Value::Bool(true)) => AZURE_CONCURRENCY,
            Some(Value::Bool(false)) => 1,
            Some(value) => match fixed(value) {
                Some(count) if (1.0..=MOST_AT_ONCE).contains(&count) => count as u64,
                _ => {
                    let says = format!(
                        "at most {MOST_AT_ONCE} elements can be processed at once, but the file asks for {value}"
                    );
                    self.build.approximated(action.place, None, says);
                    MOST_AT_ONCE as u64
                }
            },
            None if self.dialect == Dialect::Azure => AZURE_CONCURRENCY,
            None => 1,
        }
    }

    /// Translates a foreach whose elements are independent.
    fn each(
        &mut self,
        action: Action<'_>,
        actions: &Map<String, Value>,
        list: Code,
        at: &Ends,
    ) -> Step {
        let name = action.name;
        let concurrency = self.at_once(action);
        let items = self.value_node(&format!("{name} items"), at, list);
        let data = json!({ "concurrency": concurrency, "onError": "fail" });
        let each = self.node("iterator", name, data, &[items]).node;
        let quoted = quoted(name);
        let enter = format!(
            "{{{{ {{...state, \"items\": {{...state.items, {quoted}: input}}, \"indexes\": {{...state.indexes, {quoted}: index}}}} }}}}"
        );
        let data =
            json!({ "label": format!("{name}, item"), "template": enter, "inputs": ["state"] });
        let item = [Port::at(&each, "item")];
        let enter = self.node("transform", &format!("{name} item"), data, &item);
        self.build.wire_all(at, &Port::at(&enter.node, "state"));
        let end = self.pass(action, actions, vec![enter])?;
        let data = json!({ "label": format!("{name}, all"), "mode": "array" });
        let gather = self.node("aggregator", &format!("{name} all"), data, &end);
        let all = outputs_in("pass", actions.keys());
        let after = self.keep_reply(
            (&format!("{name} done"), name),
            at,
            &Port::at(&gather.node, "results"),
            format!("[{all} for pass in reply]"),
        );
        let how = match concurrency {
            1 => "one after another".to_owned(),
            many => format!("{many} at once"),
        };
        let says = format!(
            "the elements are processed {how}, and the results of the actions are stored for each element"
        );
        self.build.mapped(action.place, &each, says);
        Ok(after)
    }

    /// Translates a foreach whose elements change variables: a loop over the list, in which each element sees the changes of the
    /// previous ones.
    fn fold(
        &mut self,
        action: Action<'_>,
        actions: &Map<String, Value>,
        list: Code,
        at: &Ends,
        written: &[String],
    ) -> Step {
        let name = action.name;
        let (list_read, index) = (entry("lists", name), entry("indexes", name));
        let first = [
            Change::new("lists", name, list),
            Change::new("indexes", name, Code::constant(json!(0))),
        ];
        let begin = self.change(&format!("{name} items"), at, &first, None);
        let node = self.id(name);
        self.around.push(Around {
            name: name.to_owned(),
            node: node.clone(),
            counts: false,
            actions: Vec::new(),
        });
        let more = format!("{index} < ({list_read} | length)");
        let data = json!({ "maxIterations": MOST_ITERATIONS, "exitCondition": "condition", "onLimit": "fail",
            "condition": { "while": more, "test": "before" } });
        self.build.node_as(&node, "loop", name, data);
        self.build.wire_all(&begin, &Port::of(&node));
        self.largest = MOST_ITERATIONS;
        let item = Code::Tera(format!("{list_read}[{index}]"));
        let mut changes = vec![Change::new("items", name, item)];
        changes.extend(self.forgotten(actions));
        let body = [Port::at(&node, "body")];
        let enter = self.change(&format!("{name} item"), &body, &changes, None);
        let end = self.pass(action, actions, enter)?;
        self.around.pop();
        let next = Code::Tera(format!("{index} + 1"));
        let next = self.set(&format!("{name} next"), &end, ("indexes", name), next);
        let exit = self.exit(name, &next);
        let says = format!(
            "its actions set {}, so the elements are processed one after another, at most 1,000 of them. In the source, they may be processed in parallel, in no fixed order",
            written.join(", ")
        );
        self.build.approximated(action.place, Some(&node), says);
        let outputs = Self::outputs_of(actions);
        Ok(self.done(name, exit, Some(outputs)))
    }
}
