//! Loops: until, while, doUntil, and foreach.

use loopwright_azure_expressions::condition;
use serde_json::{Map, Value, json};

use super::{
    Change, Translator, Trouble,
    branches::{fixed, too_much, written_in},
    field, kind_of,
    order::Guards,
    reads::Stands,
    within,
};
use crate::{
    Outcome,
    loom::{
        document::inner,
        duration,
        expression::{Around, Code, Dialect, Expr, tera_text},
        graph::{End, Ends},
    },
};

/// Iterations where a document does not say.
const DEFAULT_COUNT: u64 = 60;
/// Time where a document does not say.
const DEFAULT_TIMEOUT: &str = "PT1H";
/// The most iterations that a loop may have.
const MOST: f64 = 1000.0;
/// Elements at once where Logic Apps is not told otherwise.
const AZURE_CONCURRENCY: u64 = 20;
/// The most elements at once.
const MOST_AT_ONCE: f64 = 64.0;

/// A loop's bounds.
struct Limit {
    count: u64,
    timeout: String,
}

impl Translator {
    fn limit(&mut self, action: &Map<String, Value>, place: &str) -> Result<Limit, Trouble> {
        let here = within(place, "limit");
        let limit = field(action, "limit").and_then(Value::as_object);
        let mut said = Vec::new();
        let count = match limit.and_then(|limit| limit.get("count")) {
            None => {
                said.push(format!("{DEFAULT_COUNT} iterations"));
                DEFAULT_COUNT as f64
            }
            Some(count) => match fixed(count) {
                Some(count) => count,
                None => {
                    self.say(Outcome::Approximated, &here, None, format!(
                        "the count {count} is only known when it runs, and a loop's limit is fixed here: it is {DEFAULT_COUNT}. Set maxIterations of the loop to what you need"
                    ));
                    DEFAULT_COUNT as f64
                }
            },
        };
        if count > MOST {
            return Err(too_much(
                &here,
                &format!("a count of {count}"),
                "1,000 iterations",
            ));
        }
        if count < 1.0 || count.fract() != 0.0 {
            return Err(Trouble::Refused(super::refused(
                &here,
                format!("the count must be a whole number from 1 to 1000, and is {count}"),
            )));
        }
        let timeout = match limit.and_then(|limit| limit.get("timeout")) {
            None => {
                said.push(format!("a timeout of {DEFAULT_TIMEOUT}"));
                DEFAULT_TIMEOUT.to_owned()
            }
            Some(Value::String(text)) if text.contains('@') => {
                self.say(Outcome::Approximated, &here, None, format!("the timeout {text} is only known when it runs, and a loop's limit is fixed here: it is {DEFAULT_TIMEOUT}"));
                DEFAULT_TIMEOUT.to_owned()
            }
            Some(Value::String(text)) => {
                let duration = duration::read(text)
                    .map_err(|why| Trouble::Refused(super::refused(&here, why)))?;
                if duration > duration::LONGEST {
                    return Err(too_much(
                        &here,
                        &format!("a timeout of {text}"),
                        "24 hours (PT24H)",
                    ));
                }
                text.clone()
            }
            Some(other) => {
                return Err(Trouble::Refused(super::refused(
                    &here,
                    format!("the timeout must be a duration such as PT10M, and is {other}"),
                )));
            }
        };
        if !said.is_empty() {
            self.say(
                Outcome::Mapped,
                &here,
                None,
                format!(
                    "{}: the default of its source, where the file says nothing",
                    said.join(" and ")
                ),
            );
        }
        self.largest = self.largest.max(count as u64);
        Ok(Limit {
            count: count as u64,
            timeout,
        })
    }

    pub(super) fn until(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let kind = kind_of(action);
        let written = field(action, "condition")
            .or_else(|| field(action, "expression"))
            .ok_or_else(|| Trouble::Kept("it has no `condition` and no `expression`".to_owned()))?;
        let actions = field(action, "actions")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let limit = self.limit(action, place)?;
        let wanted = condition(written, self.dialect.language())?;
        let before = kind == "while" || (kind == "until" && self.dialect == Dialect::Loom);
        let node = self.graph.id(name);
        let mut data = json!({
            "label": name, "maxIterations": limit.count, "exitCondition": "condition", "limits": { "timeout": limit.timeout },
            "onLimit": if self.fails_at_limit(action) { "fail" } else { "return" }
        });
        if let Some(delay) = field(action, "delay").filter(|delay| !delay.is_null()) {
            let interval = duration::pause(delay).map_err(Trouble::Kept)?;
            data["delay"] = json!({ "type": "fixed", "interval": interval });
        }
        let around = Around {
            name: name.to_owned(),
            node: node.clone(),
            counts: true,
            actions: actions.keys().cloned().collect(),
        };
        self.around.push(around);
        let at = self.before_loop(name, written, before, at)?;
        self.graph.add_as(&node, "loop", data);
        self.graph.wire(&at, &node, None);
        self.depth += 1;
        let begin = self.begin_pass(name, &actions, vec![End::at(&node, "body")]);
        let end = self.sequence(&actions, begin, &within(place, "actions"))?;
        let code = self.condition(written, Stands::Ahead)?;
        let end = self.change(
            &format!("{name} test"),
            &end,
            &[Change::new("tests", name, code)],
            None,
        );
        self.depth -= 1;
        self.around.pop();
        let root = if before { "input" } else { "result" };
        let read = format!("{root}.tests[{}]", tera_text(name).unwrap_or_default());
        let how = if kind == "while" { "while" } else { "until" };
        if let Some(data) = self.graph.data(&node) {
            data.insert(
                "condition".to_owned(),
                json!({ how: read, "test": if before { "before" } else { "after" } }),
            );
        }
        let exit = self.graph.add(
            "exit",
            &format!("{name} exit"),
            json!({ "label": format!("{name}, end") }),
        );
        self.graph.wire(&[End::primary(&end)], &exit, None);
        self.said_of_until(&kind, before, &node, place, action, &wanted);
        let outputs = Self::outputs_of(&actions);
        Ok(self.done(name, vec![End::primary(&exit)], Some(outputs)))
    }

    fn said_of_until(
        &mut self,
        kind: &str,
        before: bool,
        node: &str,
        place: &str,
        action: &Map<String, Value>,
        until: &Expr,
    ) {
        let when = match (kind, self.dialect) {
            ("while", _) => {
                "a Loop; its condition is read before each pass, so that none at all is possible"
            }
            ("dountil", _) => {
                "a Loop; its condition is read after each pass, so that there is at least one"
            }
            (_, Dialect::Loom) => {
                "a Loop; its condition is read before each pass, as Loom's document says. Logic Apps reads it after the pass: import with --dialect logic-apps for that"
            }
            (_, Dialect::LogicApps) => {
                "a Loop; its condition is read after each pass, as Logic Apps does. Loom's document reads it before: import with --dialect loom for that"
            }
        };
        self.say(Outcome::Mapped, place, Some(node), when);
        let at_limit = match (self.dialect, self.fails_at_limit(action)) {
            (Dialect::LogicApps, true) => {
                Some("the run fails when the limit is reached, as it says")
            }
            (Dialect::LogicApps, false) => Some(
                "the run goes on with the next action when the limit is reached, as it does there",
            ),
            (Dialect::Loom, _) if before => {
                Some("the run fails when the limit is reached, as its document says")
            }
            (Dialect::Loom, _) => None,
        };
        if let Some(says) = at_limit {
            self.say(Outcome::Mapped, &within(place, "limit"), Some(node), says);
        }
        // A condition that nothing in the loop changes can only end it before its first pass or at its limit.
        let actions = field(action, "actions").and_then(Value::as_object);
        let written = actions.map(written_in).unwrap_or_default();
        let mut reads = Vec::new();
        until.walk(&mut |expr| {
            if let Expr::Call { name, args } = expr
                && let Some(of) = args.first().and_then(Expr::as_text)
            {
                let name = name.to_ascii_lowercase();
                let changes = match name.as_str() {
                    "variables" => {
                        written.iter().any(|name| name.eq_ignore_ascii_case(of))
                            || of.contains("loop")
                    }
                    "body" | "outputs" | "actionbody" | "actionoutputs" | "actions" => true,
                    _ => return,
                };
                reads.push((of.to_owned(), changes));
            }
        });
        if !reads.is_empty() && reads.iter().all(|(_, changes)| !changes) {
            let names: Vec<String> = reads
                .into_iter()
                .map(|(name, _)| format!("“{name}”"))
                .collect();
            self.say(Outcome::Mapped, &within(place, "condition"), Some(node), format!(
                "nothing in the loop sets {}, which is all that its condition reads: it ends at once or at its limit, there as here",
                names.join(", ")
            ));
        }
    }

    /// Logic Apps goes on when an until reaches its limit, unless it is told to fail.
    fn fails_at_limit(&self, action: &Map<String, Value>) -> bool {
        let option = action.get("operationOptions").and_then(Value::as_str);
        self.dialect == Dialect::Loom
            || option.is_some_and(|option| option.eq_ignore_ascii_case("FailWhenLimitsReached"))
    }

    /// For a condition that is read before the first pass: the node that evaluates it there.
    fn before_loop(
        &mut self,
        name: &str,
        written: &Value,
        before: bool,
        at: Ends,
    ) -> Result<Ends, Trouble> {
        if !before {
            return Ok(at);
        }
        let code = self.condition(written, Stands::Before)?;
        let id = self.change(
            &format!("{name} first test"),
            &at,
            &[Change::new("tests", name, code)],
            None,
        );
        Ok(vec![End::primary(&id)])
    }

    /// Forgets what the actions of a loop gave in the pass before, as Logic Apps does: what does not run in a pass has no
    /// outputs and no status.
    fn begin_pass(&mut self, name: &str, actions: &Map<String, Value>, at: Ends) -> Ends {
        let changes = self.forgotten(actions);
        if changes.is_empty() {
            return at;
        }
        vec![End::primary(&self.change(
            &format!("{name} pass"),
            &at,
            &changes,
            None,
        ))]
    }

    /// The changes that forget what these actions gave, where something reads it.
    fn forgotten(&self, actions: &Map<String, Value>) -> Vec<Change> {
        let mut changes = Vec::new();
        if self.dialect == Dialect::Loom {
            return changes;
        }
        let mut open = vec![actions];
        while let Some(actions) = open.pop() {
            let guards = Guards::of(actions, &self.watched);
            for (name, action) in actions {
                if self.survey.referenced.contains(name) {
                    changes.push(Change::new("outputs", name, Code::constant(Value::Null)));
                }
                if self.watched.contains(name) || guards.watched.contains(name) {
                    let skipped = Code::constant(json!("Skipped"));
                    changes.push(Change::new("status", name, skipped));
                }
                if let Some(action) = action.as_object() {
                    open.extend(inner(action));
                }
            }
        }
        changes
    }

    pub(super) fn foreach(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let list = ["foreach", "items", "collection"]
            .iter()
            .find_map(|name| field(action, name))
            .ok_or_else(|| Trouble::Kept("it has no `foreach`".to_owned()))?;
        let actions = field(action, "actions")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let code = self.source(list)?;
        let at = self.single(at);
        let written = written_in(&actions);
        if written.is_empty() {
            self.each(name, action, &actions, code, at, place)
        } else {
            self.fold(name, &actions, code, at, place, &written)
        }
    }

    /// How many elements run at once.
    fn at_once(&mut self, action: &Map<String, Value>, place: &str) -> u64 {
        let sequential = action
            .get("operationOptions")
            .and_then(Value::as_str)
            .is_some_and(|options| options.eq_ignore_ascii_case("sequential"));
        let set = action
            .get("runtimeConfiguration")
            .and_then(|configuration| configuration.get("concurrency")?.get("repetitions"))
            .or_else(|| field(action, "concurrency"))
            .or_else(|| field(action, "parallel"))
            .or_else(|| field(action, "degreeOfParallelism"));
        match set {
            _ if sequential => 1,
            Some(Value::Bool(true)) => AZURE_CONCURRENCY,
            Some(Value::Bool(false)) => 1,
            Some(value) => {
                match fixed(value) {
                    Some(count) if (1.0..=MOST_AT_ONCE).contains(&count) => count as u64,
                    _ => {
                        self.say(Outcome::Approximated, place, None, format!("at most {MOST_AT_ONCE} elements run at once, and it asks for {value}"));
                        MOST_AT_ONCE as u64
                    }
                }
            }
            None if self.dialect == Dialect::LogicApps => AZURE_CONCURRENCY,
            None => 1,
        }
    }

    /// A foreach whose elements have nothing to do with one another.
    fn each(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        actions: &Map<String, Value>,
        list: Code,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let concurrency = self.at_once(action, place);
        let items = self.value_node(&format!("{name} items"), &at, list);
        let each = self.graph.add(
            "iterator",
            name,
            json!({ "label": name, "concurrency": concurrency, "onError": "fail" }),
        );
        self.graph.wire(&[End::primary(&items)], &each, None);
        let quoted = tera_text(name).unwrap_or_default();
        let enter = format!(
            "{{{{ {{...state, \"items\": {{...state.items, {quoted}: input}}, \"indexes\": {{...state.indexes, {quoted}: index}}}} }}}}"
        );
        let enter = self.graph.add(
            "transform",
            &format!("{name} item"),
            json!({ "label": format!("{name}, item"), "template": enter, "inputs": ["state"] }),
        );
        self.graph.wire(&[End::at(&each, "item")], &enter, None);
        self.graph.wire(&at, &enter, Some("state"));
        self.items.push(name.to_owned());
        self.depth += 1;
        let end = self.sequence(
            actions,
            vec![End::primary(&enter)],
            &within(place, "actions"),
        )?;
        self.depth -= 1;
        self.items.pop();
        let gather = self.graph.add(
            "aggregator",
            &format!("{name} all"),
            json!({ "label": format!("{name}, all"), "mode": "array" }),
        );
        self.graph.wire(&end, &gather, None);
        let fields: Vec<String> = actions
            .keys()
            .filter_map(|action| tera_text(action))
            .map(|action| format!("{action}: (pass.outputs[{action}] | default(value=null))"))
            .collect();
        let all = format!("[{{{}}} for pass in reply]", fields.join(", "));
        let mut changes = vec![Change::new("outputs", name, Code::Tera(all))];
        changes.extend(self.succeeded(name));
        let after = self.change(
            &format!("{name} done"),
            &at,
            &changes,
            Some(&End::at(&gather, "results")),
        );
        let how = if concurrency == 1 {
            "one after another".to_owned()
        } else {
            format!("{concurrency} at once")
        };
        self.say(
            Outcome::Mapped,
            place,
            Some(&each),
            format!("a list of elements, {how}; what each action gave is kept for each element"),
        );
        Ok(vec![End::primary(&after)])
    }

    /// A foreach whose elements change variables: a loop over the list, in which each finds what those before it changed.
    fn fold(
        &mut self,
        name: &str,
        actions: &Map<String, Value>,
        list: Code,
        at: Ends,
        place: &str,
        written: &[String],
    ) -> Result<Ends, Trouble> {
        let quoted = tera_text(name).unwrap_or_default();
        let zero = Code::constant(json!(0));
        let begin = self.change(
            &format!("{name} items"),
            &at,
            &[
                Change::new("lists", name, list),
                Change::new("indexes", name, zero),
            ],
            None,
        );
        let node = self.graph.id(name);
        self.around.push(Around {
            name: name.to_owned(),
            node: node.clone(),
            counts: false,
            actions: Vec::new(),
        });
        self.graph.add_as(&node, "loop", json!({
            "label": name, "maxIterations": MOST as u64, "exitCondition": "condition", "onLimit": "fail",
            "condition": { "while": format!("input.indexes[{quoted}] < (input.lists[{quoted}] | length)"), "test": "before" }
        }));
        self.graph.wire(&[End::primary(&begin)], &node, None);
        self.largest = MOST as u64;
        let item = Code::Tera(format!("input.lists[{quoted}][input.indexes[{quoted}]]"));
        let mut changes = vec![Change::new("items", name, item)];
        changes.extend(self.forgotten(actions));
        let enter = self.change(
            &format!("{name} item"),
            &[End::at(&node, "body")],
            &changes,
            None,
        );
        self.items.push(name.to_owned());
        self.depth += 1;
        let end = self.sequence(
            actions,
            vec![End::primary(&enter)],
            &within(place, "actions"),
        )?;
        self.depth -= 1;
        self.items.pop();
        self.around.pop();
        let next = Code::Tera(format!("input.indexes[{quoted}] + 1"));
        let next = self.change(
            &format!("{name} next"),
            &end,
            &[Change::new("indexes", name, next)],
            None,
        );
        let exit = self.graph.add(
            "exit",
            &format!("{name} exit"),
            json!({ "label": format!("{name}, end") }),
        );
        self.graph.wire(&[End::primary(&next)], &exit, None);
        self.say(Outcome::Approximated, place, Some(&node), format!(
            "its elements set {}, so that they run one after another, at most 1,000 of them; where elements run at once there, their order is open",
            written.join(", ")
        ));
        let outputs = Self::outputs_of(actions);
        Ok(self.done(name, vec![End::primary(&exit)], Some(outputs)))
    }
}
