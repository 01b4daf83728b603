//! Loops: until, while, doUntil, and foreach.

use serde_json::{Map, Value, json};

use super::{
    Change, Translator, Trouble,
    branches::{fixed, too_much, written_in},
    field, kind_of, within,
};
use crate::{
    Outcome,
    loom::{
        duration,
        expression::{Around, Code, Dialect, Expr, Names, Ty, condition_of, tera_text},
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

/// When a condition is read, and as what.
struct Test {
    /// The expression under which the loop ends.
    until: Expr,
    before: bool,
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
        let wanted = condition_of(written)?;
        let until = match kind.as_str() {
            "while" => Expr::Call {
                name: "not".to_owned(),
                args: vec![wanted],
            },
            _ => wanted,
        };
        let before = kind == "while" || (kind == "until" && self.dialect == Dialect::Loom);
        let node = self.graph.id(name);
        let mut data = json!({
            "label": name, "maxIterations": limit.count, "exitCondition": "condition", "limits": { "timeout": limit.timeout },
            "onLimit": "fail"
        });
        if let Some(delay) = field(action, "delay").filter(|delay| !delay.is_null()) {
            let interval = duration::pause(delay).map_err(Trouble::Kept)?;
            data["delay"] = json!({ "type": "fixed", "interval": interval });
        }
        let test = Test { until, before };
        let around = Around {
            name: name.to_owned(),
            node: node.clone(),
            counts: true,
            actions: actions.keys().cloned().collect(),
        };
        self.around.push(around);
        let (direct, at) = self.before_loop(name, &test, at)?;
        self.graph.add_as(&node, "loop", data);
        self.graph.wire(&at, &node, None);
        self.depth += 1;
        let mut end = self.sequence(
            &actions,
            vec![End::at(&node, "body")],
            &within(place, "actions"),
        )?;
        if direct.is_none() {
            let code = self.condition_code(&test.until, "input", true)?;
            end = vec![End::primary(&self.change(
                &format!("{name} test"),
                &end,
                &[Change::new("tests", name, code)],
                None,
            ))];
        } else if actions.is_empty() {
            let pass = self.graph.add(
                "transform",
                &format!("{name} pass"),
                json!({ "label": "Nothing", "template": "{{ input }}" }),
            );
            self.graph.wire(&end, &pass, None);
            end = vec![End::primary(&pass)];
        }
        self.depth -= 1;
        self.around.pop();
        let read = direct.unwrap_or_else(|| {
            let root = if before { "input" } else { "result" };
            format!("{root}.tests[{}]", tera_text(name).unwrap_or_default())
        });
        // People read a while as it was written.
        let (how, read) = match read
            .strip_prefix("(not ")
            .and_then(|inner| inner.strip_suffix(')'))
        {
            Some(inner) if kind == "while" => ("while", inner.to_owned()),
            _ => ("until", read),
        };
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
        self.graph.wire(&end, &exit, None);
        self.said_of_until(&kind, before, &node, place, &actions, &test.until);
        let outputs = self.outputs_of("input", &actions);
        Ok(self.done(name, vec![End::primary(&exit)], Some(outputs)))
    }

    fn said_of_until(
        &mut self,
        kind: &str,
        before: bool,
        node: &str,
        place: &str,
        actions: &Map<String, Value>,
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
        if self.dialect == Dialect::LogicApps {
            self.say(Outcome::Approximated, &within(place, "limit"), Some(node),
                "the run fails when the limit is reached; Logic Apps goes on with the next action unless it is told to fail. Set “At the limit” of the Loop to keep the result for that");
        } else if before {
            self.say(
                Outcome::Mapped,
                &within(place, "limit"),
                Some(node),
                "the run fails when the limit is reached, as its document says",
            );
        }
        // A condition that nothing in the loop changes can only end it before its first pass or at its limit.
        let written = written_in(actions);
        let mut reads = Vec::new();
        until.walk(&mut |expr| {
            if let Expr::Call { name, args } = expr
                && let Some(of) = args.first().and_then(Expr::as_text)
            {
                let name = name.to_ascii_lowercase();
                let changes = match name.as_str() {
                    "variables" => written.iter().any(|name| name == of) || of.contains("loop"),
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

    fn condition_code(&self, until: &Expr, root: &str, ahead: bool) -> Result<Code, Trouble> {
        let mut names: Names<'_> = self.names(root);
        names.ahead = ahead;
        Ok(names.condition_expr(until)?)
    }

    /// The condition as Tera reads it, or `None` where scripts compute it: before the loop, and at the end of each pass.
    fn before_loop(
        &mut self,
        name: &str,
        test: &Test,
        at: Ends,
    ) -> Result<(Option<String>, Ends), Trouble> {
        let code = if test.before {
            self.condition_code(&test.until, "input", false)?
        } else {
            self.condition_code(&test.until, "result", true)?
        };
        if let Some(tera) = code.tera {
            return Ok((Some(tera.text), at));
        }
        if !test.before {
            return Ok((None, at));
        }
        // Before the first pass there is no loop yet: its names are those of a loop that begins.
        let here = self.around.pop();
        let begins = begun(&test.until, here.as_ref().map_or("", |around| &around.name));
        let first = self.condition_code(&begins, "input", false);
        self.around.extend(here);
        let id = self.change(
            &format!("{name} first test"),
            &at,
            &[Change::new("tests", name, first?)],
            None,
        );
        Ok((None, vec![End::primary(&id)]))
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
        let code = self.names("input").value(list)?;
        let mut helpers = code.helpers;
        helpers.insert("wants");
        let code = Code::written(
            Ty::List,
            code.tera.map(|tera| tera.text),
            format!("wants(\"foreach\", \"array\", {})", code.luau),
            helpers,
        );
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
        let items = match &list.tera {
            Some(tera) => self.graph.add("transform", &format!("{name} items"), json!({ "label": format!("{name}, items"), "template": format!("{{{{ {} }}}}", tera.text) })),
            None => {
                let source = crate::loom::expression::script(&list.helpers, self.dialect, &format!("return {}", list.luau));
                self.script(&format!("{name} items"), source, false)
            }
        };
        self.graph.wire(&at, &items, None);
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
        let luau = format!(
            "(function()\n    local all = array()\n    for _, pass in ipairs(reply) do\n        table.insert(all, object({{ {} }}))\n    end\n    return all\nend)()",
            actions
                .keys()
                .map(|action| {
                    let action = crate::loom::expression::luau_text(action);
                    format!("[{action}] = step(pass.outputs, {action}, true)")
                })
                .collect::<Vec<_>>()
                .join(", ")
        );
        let mut changes = vec![Change::new(
            "outputs",
            name,
            Code::written(Ty::List, Some(all), luau, ["step"]),
        )];
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
        let zero = Code::constant(Ty::Number, "0", "0");
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
        let item = Code::written(
            Ty::Any,
            Some(format!("input.lists[{quoted}][input.indexes[{quoted}]]")),
            format!(
                "input.lists[{0}][input.indexes[{0}] + 1]",
                crate::loom::expression::luau_text(name)
            ),
            [],
        );
        let enter = self.change(
            &format!("{name} item"),
            &[End::at(&node, "body")],
            &[Change::new("items", name, item)],
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
        let next = Code::written(
            Ty::Number,
            Some(format!("input.indexes[{quoted}] + 1")),
            format!(
                "input.indexes[{}] + 1",
                crate::loom::expression::luau_text(name)
            ),
            [],
        );
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
        let outputs = self.outputs_of("input", actions);
        Ok(self.done(name, vec![End::primary(&exit)], Some(outputs)))
    }
}

/// A condition in which the names of a loop that has not begun stand for their first values.
fn begun(expr: &Expr, name: &str) -> Expr {
    let inner = |exprs: &[Expr]| exprs.iter().map(|expr| begun(expr, name)).collect();
    match expr {
        Expr::Call {
            name: function,
            args,
        } if function.eq_ignore_ascii_case("variables") => {
            let of = args.first().and_then(Expr::as_text).unwrap_or_default();
            let what = of
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('_'))
                .unwrap_or(of);
            match what {
                "loopIndex" => Expr::Number(0.into()),
                "loopCount" => Expr::Number(1.into()),
                "loopResult" => Expr::Null,
                _ => expr.clone(),
            }
        }
        Expr::Call {
            name: function,
            args,
        } => Expr::Call {
            name: function.clone(),
            args: inner(args),
        },
        Expr::Path { of, steps } => Expr::Path {
            of: Box::new(begun(of, name)),
            steps: steps.clone(),
        },
        other => other.clone(),
    }
}
