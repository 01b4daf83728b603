//! Actions that hold others: if, switch, scope, parallel; and the action that ends a workflow.

use serde_json::{Map, Value, json};

use super::{Change, Translator, Trouble, field, reads::Stands, refused, within};
use crate::{
    ImportError, Outcome,
    loom::{
        document::kind_of,
        expression::{Code, luau_text, tera_text, tera_value},
        graph::{End, Ends},
    },
};

/// The actions of a branch: `{actions: {…}}`, the actions themselves, or one action.
fn actions_of(branch: &Value, name: &str) -> Result<Map<String, Value>, Trouble> {
    let Some(fields) = branch.as_object() else {
        return match branch {
            Value::Null => Ok(Map::new()),
            _ => Err(Trouble::Kept(format!("its `{name}` must hold actions"))),
        };
    };
    if fields.get("type").is_some_and(Value::is_string) {
        let own = fields.get("name").and_then(Value::as_str).unwrap_or(name);
        return Ok(Map::from_iter([(own.to_owned(), branch.clone())]));
    }
    match fields.get("actions") {
        Some(Value::Object(actions)) => Ok(actions.clone()),
        Some(Value::Null) => Ok(Map::new()),
        Some(_) => Err(Trouble::Kept(format!(
            "the `actions` of its `{name}` must be an object"
        ))),
        None if fields.values().all(Value::is_object) => Ok(fields.clone()),
        None => Err(Trouble::Kept(format!("its `{name}` must hold actions"))),
    }
}

impl Translator {
    /// The test as a template's expression, which reads what a node before it computes; with where the state goes on.
    pub(super) fn test(
        &mut self,
        name: &str,
        condition: &Value,
        at: Ends,
    ) -> Result<(String, Ends), Trouble> {
        let code = self.condition(condition, Stands::Inside)?;
        Ok(self.asked(name, code, at))
    }

    /// Computes a value into the state's `tests`.
    fn asked(&mut self, name: &str, code: Code, at: Ends) -> (String, Ends) {
        let id = self.change(
            &format!("{name} test"),
            &at,
            &[Change::new("tests", name, code)],
            None,
        );
        let read = format!("input.tests[{}]", tera_text(name).unwrap_or_default());
        (read, vec![End::primary(&id)])
    }

    pub(super) fn branch(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let condition = field(action, "expression")
            .or_else(|| field(action, "condition"))
            .ok_or_else(|| Trouble::Kept("it has no `expression` and no `condition`".to_owned()))?;
        let yes = field(action, "actions").or_else(|| field(action, "then"));
        let yes = actions_of(yes.unwrap_or(&Value::Null), "actions")?;
        let no = actions_of(field(action, "else").unwrap_or(&Value::Null), "else")?;
        let (when, at) = self.test(name, condition, at)?;
        let router = self.graph.add(
            "router",
            name,
            json!({ "label": name, "mode": "rules", "branches": [{ "name": "yes", "when": when }, { "name": "no" }], "fallback": "no" }),
        );
        self.graph.wire(&at, &router, None);
        self.say(
            Outcome::Mapped,
            place,
            Some(&router),
            "a Router on the condition",
        );
        let mut after = self.sequence(
            &yes,
            vec![End::at(&router, "yes")],
            &within(place, "actions"),
        )?;
        after.extend(self.sequence(&no, vec![End::at(&router, "no")], &within(place, "else"))?);
        Ok(self.done(name, after, None))
    }

    pub(super) fn switch(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let on = ["on", "expression"]
            .iter()
            .find_map(|name| field(action, name))
            .ok_or_else(|| Trouble::Kept("it has no `expression` and no `on`".to_owned()))?;
        let Some(cases) = field(action, "cases").and_then(Value::as_object) else {
            return Err(Trouble::Kept("it has no `cases`".to_owned()));
        };
        if cases.len() > super::MAX_CASES {
            return Err(Trouble::Kept(format!(
                "it has {} cases, and at most {} are read",
                cases.len(),
                super::MAX_CASES
            )));
        }
        let code = self.source(on)?;
        let (value, at) = self.asked(name, code, at);
        let default = actions_of(field(action, "default").unwrap_or(&Value::Null), "default")?;
        let mut branches = Vec::new();
        let mut ways = Vec::new();
        for (case, held) in cases {
            // Azure writes the value beside the actions, Loom as the name.
            let wanted = held.get("case").cloned().unwrap_or_else(|| json!(case));
            let Some(wanted) = tera_value(&wanted) else {
                return Err(Trouble::Kept(format!(
                    "the value of its case “{case}” must be fixed"
                )));
            };
            let branch: &str = if case == "default" {
                "case default"
            } else {
                case
            };
            branches.push(json!({ "name": branch, "when": format!("{value} == {wanted}") }));
            ways.push((branch.to_owned(), actions_of_case(held, case)?));
        }
        branches.push(json!({ "name": "default" }));
        let router = self.graph.add(
            "router",
            name,
            json!({ "label": name, "mode": "rules", "branches": branches, "fallback": "default" }),
        );
        self.graph.wire(&at, &router, None);
        self.say(
            Outcome::Mapped,
            place,
            Some(&router),
            "a Router with a branch for each case",
        );
        let mut after = Vec::new();
        for (branch, actions) in ways {
            let here = format!("{place}.cases.{branch}");
            // What the case gave is what the switch gives: Loom reads it by the switch's name.
            let single = actions.len() == 1
                && cases
                    .get(&branch)
                    .is_some_and(|case| case.get("type").is_some());
            let mut end = self.sequence(&actions, vec![End::at(&router, &branch)], &here)?;
            if single
                && self.survey.referenced.contains(name)
                && !end.is_empty()
                && let Some(inner) = actions.keys().next()
            {
                let inner = tera_text(inner).unwrap_or_default();
                let code = Code::Tera(format!("(input.outputs[{inner}] | default(value=null))"));
                end = vec![End::primary(&self.change(
                    &format!("{name} took {branch}"),
                    &end,
                    &[Change::new("outputs", name, code)],
                    None,
                ))];
            }
            after.extend(end);
        }
        after.extend(self.sequence(
            &default,
            vec![End::at(&router, "default")],
            &within(place, "default"),
        )?);
        Ok(self.done(name, after, None))
    }

    pub(super) fn scope(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let actions = actions_of(field(action, "actions").unwrap_or(&Value::Null), "actions")?;
        self.say(Outcome::Mapped, place, None, "its actions, in its place");
        let after = self.sequence(&actions, at, &within(place, "actions"))?;
        let outputs = Self::outputs_of(&actions);
        Ok(self.done(name, after, Some(outputs)))
    }

    /// Branches that run at once, and a node that joins what each of them changed.
    pub(super) fn parallel(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let held = field(action, "branches")
            .or_else(|| field(action, "actions"))
            .ok_or_else(|| Trouble::Kept("it has no `actions` and no `branches`".to_owned()))?;
        let branches: Vec<(String, Map<String, Value>)> = match held {
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    let name = format!("branch_{}", index + 1);
                    Ok((name.clone(), actions_of(item, &name)?))
                })
                .collect::<Result<_, Trouble>>()?,
            Value::Object(items) => items
                .iter()
                .map(|(name, item)| {
                    Ok((
                        name.clone(),
                        actions_of(item, name).map(|mut actions| {
                            // One action keeps the name under which it stands.
                            if item.get("type").is_some()
                                && let Some((_, action)) = actions.clone().into_iter().next()
                            {
                                actions = Map::from_iter([(name.clone(), action)]);
                            }
                            actions
                        })?,
                    ))
                })
                .collect::<Result<_, Trouble>>()?,
            _ => return Err(Trouble::Kept("its branches must be actions".to_owned())),
        };
        let at = self.single(at);
        let mut ends: Vec<(Ends, Vec<String>)> = Vec::new();
        for (branch, actions) in &branches {
            let ended = self.ended.len();
            let end = self.sequence(actions, at.clone(), &format!("{place}.{branch}"))?;
            if end.is_empty() || self.ended.len() > ended {
                return Err(Trouble::Kept(
                    "a branch of it ends the workflow while others run".to_owned(),
                ));
            }
            let written = written_in(actions).into_iter().map(|name| {
                let spelled = self.survey.variable(&name).map(str::to_owned);
                spelled.unwrap_or(name)
            });
            ends.push((end, written.collect()));
        }
        let handles: Vec<String> = (1..=ends.len())
            .map(|number| format!("b{number}"))
            .collect();
        let spread = |section: &str| {
            handles
                .iter()
                .map(|handle| format!(", ...{handle}.{section}"))
                .collect::<String>()
        };
        let mut variables = String::new();
        let mut twice = Vec::new();
        for (handle, (_, written)) in handles.iter().zip(&ends) {
            for variable in written {
                if ends
                    .iter()
                    .filter(|(_, written)| written.contains(variable))
                    .count()
                    > 1
                    && !twice.contains(variable)
                {
                    twice.push(variable.clone());
                }
                if let Some(quoted) = tera_text(variable) {
                    variables.push_str(&format!(", {quoted}: {handle}.variables[{quoted}]"));
                }
            }
        }
        let template = format!(
            "{{{{ {{...input, \"outputs\": {{...input.outputs{}}}, \"status\": {{...input.status{}}}, \"variables\": {{...input.variables{variables}}}}} }}}}",
            spread("outputs"),
            spread("status"),
        );
        let join = self.graph.add(
            "transform",
            &format!("{name} join"),
            json!({ "label": format!("{name} join"), "template": template, "inputs": handles }),
        );
        self.graph.wire(&at, &join, None);
        for (handle, (end, _)) in handles.iter().zip(&ends) {
            self.graph.wire(end, &join, Some(handle));
        }
        self.say(
            Outcome::Mapped,
            place,
            Some(&join),
            "its branches run at once and are joined",
        );
        if !twice.is_empty() {
            self.say(Outcome::Approximated, place, Some(&join), format!(
                "{} set by several branches: there the last to finish wins, here the last in the document",
                twice.join(", ")
            ));
        }
        let all: Map<String, Value> = branches
            .into_iter()
            .flat_map(|(_, actions)| actions)
            .collect();
        let outputs = Self::outputs_of(&all);
        Ok(self.done(name, vec![End::primary(&join)], Some(outputs)))
    }

    pub(super) fn terminate(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let status = field(action, "runStatus")
            .and_then(Value::as_str)
            .unwrap_or("Succeeded");
        if status.eq_ignore_ascii_case("succeeded") {
            if self.depth > 0 {
                return Err(Trouble::Kept("it ends the workflow from within a loop, which can only end by its condition or by an error".to_owned()));
            }
            self.ended.extend(at);
            self.say(Outcome::Mapped, place, None, "the workflow ends here");
            return Ok(Vec::new());
        }
        let error = field(action, "runError")
            .cloned()
            .unwrap_or_else(|| json!({}));
        let message = error
            .get("message")
            .cloned()
            .unwrap_or_else(|| json!(format!("“{name}” ended the run as {status}")));
        let before = match error.get("code").and_then(Value::as_str) {
            Some(code) => format!("Error {code}: "),
            None => String::new(),
        };
        let code = self.computed("string", &[&message])?;
        let at = self.single(at);
        let text = self.value_node(&format!("{name} message"), &at, code);
        let source = format!("error({} .. reply, 0)", luau_text(&before));
        let id = self.script(name, source, true);
        self.graph.wire(&at, &id, None);
        self.graph.wire(&[End::primary(&text)], &id, Some("reply"));
        self.say(
            Outcome::Mapped,
            place,
            Some(&id),
            format!("the run fails with its message ({status})"),
        );
        Ok(vec![End::primary(&id)])
    }

    /// An action whose failure does not end the run: a list of one element, whose errors are collected.
    pub(super) fn attempt(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, ImportError> {
        let at = self.single(at);
        let one = self.graph.add(
            "transform",
            &format!("{name} try"),
            json!({ "label": format!("Try {name}"), "template": "{{ [input] }}" }),
        );
        self.graph.wire(&at, &one, None);
        let each = self.graph.add(
            "iterator",
            &format!("{name} attempt"),
            json!({ "label": format!("{name}, caught"), "concurrency": 1, "onError": "collect" }),
        );
        self.graph.wire(&[End::primary(&one)], &each, None);
        self.depth += 1;
        let inner = self.action(name, action, vec![End::at(&each, "item")], place);
        self.depth -= 1;
        let end = self.graph.add(
            "aggregator",
            &format!("{name} outcome"),
            json!({ "label": format!("{name}, done or failed"), "mode": "array" }),
        );
        self.graph.wire(&inner?, &end, None);
        let quoted = tera_text(name).unwrap_or_default();
        let failed = format!(
            "{{...input, \"status\": {{...input.status, {quoted}: \"Failed\"}}, \"results\": {{...input.results, {quoted}: [{{\"name\": {quoted}, \
             \"status\": \"Failed\", \"error\": errors[0]}}]}}}}"
        );
        let succeeded = format!(
            "{{...results[0], \"status\": {{...results[0].status, {quoted}: \"Succeeded\"}}}}"
        );
        let template = format!("{{{{ {failed} if (errors | length) > 0 else {succeeded} }}}}");
        let settle = self.graph.add("transform", &format!("{name} settled"), json!({ "label": format!("{name} settled"), "template": template, "inputs": ["results", "errors"] }));
        self.graph.wire(&at, &settle, None);
        self.graph
            .wire(&[End::at(&end, "results")], &settle, Some("results"));
        self.graph
            .wire(&[End::at(&end, "errors")], &settle, Some("errors"));
        self.say(Outcome::Approximated, place, Some(&each), format!(
            "others run after “{name}” has failed, so that its failure is caught: it runs as a list of one whose errors are collected. What it \
             changed before it failed is lost; a timeout counts as Failed; result('{name}') names the failure and not the actions inside"
        ));
        Ok(vec![End::primary(&settle)])
    }
}

fn actions_of_case(held: &Value, name: &str) -> Result<Map<String, Value>, Trouble> {
    let mut held = held.clone();
    if let Some(fields) = held.as_object_mut() {
        fields.remove("case");
    }
    actions_of(&held, name)
}

/// The variables that actions set, at any depth.
pub(super) fn written_in(actions: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<&Map<String, Value>> = vec![actions];
    while let Some(actions) = open.pop() {
        for action in actions.values().filter_map(Value::as_object) {
            if kind_of(action).ends_with("variable") {
                let names = field(action, "variables")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten();
                let names = names
                    .filter_map(|variable| variable.get("name"))
                    .chain(field(action, "name"));
                for name in names.filter_map(Value::as_str) {
                    if !found.iter().any(|known| known == name) {
                        found.push(name.to_owned());
                    }
                }
            }
            open.extend(crate::loom::document::inner(action));
        }
    }
    found
}

/// The value of a limit or a count that must be known before the run; expressions are resolved where parameters say.
pub(super) fn fixed(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// So that a caller can refuse by place.
pub(super) fn too_much(place: &str, what: &str, most: &str) -> Trouble {
    Trouble::Refused(refused(
        place,
        format!(
            "{what} is more than the {most} that a loop may have. Write a smaller limit into the file; an import never changes one"
        ),
    ))
}
