//! Translates actions that contain others (if, switch, scope, parallel), and the action that ends a workflow.

use serde_json::{Map, Value, json};

use super::{Action, Ends, Step, Translator, Trouble, reads::Stands};
use crate::{
    Outcome,
    build::Port,
    error::ImportError,
    logic_apps::{
        document::{all_maps, field, kind_of, within},
        expression::{Code, entry, luau_text, quoted, tera_text, tera_value},
    },
};

/// The maximum number of cases of one switch.
const MAX_CASES: usize = 250;

/// Returns the actions of a branch, which is `{actions: {…}}`, an object of actions, or one action. A missing branch has no
/// actions. Fails for any other value.
fn actions_of(branch: Option<&Value>, name: &str) -> Result<Map<String, Value>, Trouble> {
    let none = || format!("its `{name}` must contain actions");
    let (branch, fields) = match branch {
        None | Some(Value::Null) => return Ok(Map::new()),
        Some(branch) => (branch, branch.as_object().ok_or_else(none)?),
    };
    if fields.get("type").is_some_and(Value::is_string) {
        let own = fields.get("name").and_then(Value::as_str).unwrap_or(name);
        return Ok(Map::from_iter([(own.to_owned(), branch.clone())]));
    }
    match fields.get("actions") {
        Some(Value::Object(actions)) => Ok(actions.clone()),
        Some(Value::Null) => Ok(Map::new()),
        Some(_) => Err(format!("the `actions` of its `{name}` must be an object").into()),
        None if fields.values().all(Value::is_object) => Ok(fields.clone()),
        None => Err(none().into()),
    }
}

/// The name and the actions of a branch.
type Branch = (String, Map<String, Value>);

/// Returns the branches of a parallel action. Fails if they are neither in a list nor in an object.
fn branches_of(held: &Value) -> Result<Vec<Branch>, Trouble> {
    match held {
        Value::Array(items) => (1..)
            .zip(items)
            .map(|(number, item)| {
                let name = format!("branch_{number}");
                let actions = actions_of(Some(item), &name)?;
                Ok((name, actions))
            })
            .collect(),
        Value::Object(items) => items
            .iter()
            .map(|(name, item)| {
                let mut actions = actions_of(Some(item), name)?;
                // A single action is named after its branch.
                if item.get("type").is_some()
                    && let Some((_, action)) = actions.clone().into_iter().next()
                {
                    actions = Map::from_iter([(name.clone(), action)]);
                }
                Ok((name.clone(), actions))
            })
            .collect(),
        _ => Err("its branches must be actions".into()),
    }
}

impl Translator {
    /// Adds a Router that reads the state. Returns the node's id.
    fn router(&mut self, name: &str, branches: Value, fallback: &str, at: &Ends) -> String {
        let data = json!({ "mode": "rules", "branches": branches, "fallback": fallback });
        self.node("router", name, data, at).node
    }

    pub(super) fn branch(&mut self, action: Action<'_>, at: Ends) -> Step {
        let (name, place) = (action.name, action.place);
        let condition = action
            .first_of(&["expression", "condition"])
            .ok_or("the action has no `expression` and no `condition`")?;
        let yes = actions_of(action.first_of(&["actions", "then"]), "actions")?;
        let no = actions_of(action.field("else"), "else")?;
        let code = self.condition(condition, Stands::Inside)?;
        let at = self.set(&format!("{name} test"), &at, ("tests", name), code);
        let branches = json!([{ "name": "yes", "when": entry("tests", name) }, { "name": "no" }]);
        let router = self.router(name, branches, "no", &at);
        let says = "a Router that tests the condition";
        self.build.mapped(place, &router, says);
        let yes_at = vec![Port::at(&router, "yes")];
        let mut after = self.sequence(&yes, yes_at, &action.within("actions"))?;
        let no_at = vec![Port::at(&router, "no")];
        after.extend(self.sequence(&no, no_at, &action.within("else"))?);
        Ok(self.done(name, after, None))
    }

    pub(super) fn switch(&mut self, action: Action<'_>, at: Ends) -> Step {
        let name = action.name;
        let on = action
            .first_of(&["on", "expression"])
            .ok_or("the action has no `expression` and no `on`")?;
        let cases = action.object("cases").ok_or("the action has no `cases`")?;
        if cases.len() > MAX_CASES {
            let count = cases.len();
            let why = format!("it has {count} cases, but an import reads at most {MAX_CASES}");
            return Err(why.into());
        }
        let code = self.source(on)?;
        let at = self.set(&format!("{name} test"), &at, ("tests", name), code);
        let default = actions_of(action.field("default"), "default")?;
        let value = entry("tests", name);
        let mut branches = Vec::new();
        let mut ways = Vec::new();
        for (case, held) in cases {
            // Azure writes the value of a case next to the actions. Loom uses the value as the name of the case.
            let wanted = held.get("case").cloned().unwrap_or_else(|| json!(case));
            let wanted = tera_value(&wanted)
                .ok_or_else(|| format!("the value of its case “{case}” must be a constant"))?;
            let branch = match case.as_str() {
                "default" => "case default",
                case => case,
            };
            branches.push(json!({ "name": branch, "when": format!("{value} == {wanted}") }));
            ways.push((branch, actions_of_case(held, case)?));
        }
        branches.push(json!({ "name": "default" }));
        let router = self.router(name, branches.into(), "default", &at);
        let says = "a Router with a branch for each case";
        self.build.mapped(action.place, &router, says);
        let mut after = Vec::new();
        for (branch, actions) in ways {
            let here = action.within(&format!("cases.{branch}"));
            let mut end = self.sequence(&actions, vec![Port::at(&router, branch)], &here)?;
            // The case's output becomes the switch's output, because Loom reads it by the switch's name.
            let is_action = |case: &Value| case.get("type").is_some();
            if actions.len() == 1
                && cases.get(branch).is_some_and(is_action)
                && self.survey.referenced.contains(name)
                && !end.is_empty()
                && let Some(inner) = actions.keys().next()
            {
                let read = entry("outputs", inner);
                let code = Code::Tera(format!("({read} | default(value=null))"));
                let label = format!("{name} took {branch}");
                end = self.set(&label, &end, ("outputs", name), code);
            }
            after.extend(end);
        }
        let otherwise = vec![Port::at(&router, "default")];
        after.extend(self.sequence(&default, otherwise, &action.within("default"))?);
        Ok(self.done(name, after, None))
    }

    pub(super) fn scope(&mut self, action: Action<'_>, at: Ends) -> Step {
        let actions = actions_of(action.field("actions"), "actions")?;
        let says = "the actions of this scope are imported in its place";
        self.build.say(Outcome::Mapped, action.place, None, says);
        let after = self.sequence(&actions, at, &action.within("actions"))?;
        let outputs = Self::outputs_of(&actions);
        Ok(self.done(action.name, after, Some(outputs)))
    }

    /// Translates branches that run at the same time, and adds a node that merges the changes of all branches. Fails if a
    /// branch does not consist of actions.
    pub(super) fn parallel(&mut self, action: Action<'_>, at: Ends) -> Step {
        let (name, place) = (action.name, action.place);
        let held = action
            .first_of(&["branches", "actions"])
            .ok_or("the action has no `actions` and no `branches`")?;
        let branches = branches_of(held)?;
        let at = self.single(at);
        let mut ends: Vec<(Ends, Vec<String>)> = Vec::new();
        for (branch, actions) in &branches {
            let ended = self.ended.len();
            let end = self.sequence(actions, at.clone(), &within(place, branch))?;
            if end.is_empty() || self.ended.len() > ended {
                return Err("one of its branches ends the workflow while others run".into());
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
        let spread = |section: &str| -> String {
            let part = |handle: &String| format!(", ...{handle}.{section}");
            handles.iter().map(part).collect()
        };
        let mut variables = String::new();
        let mut twice: Vec<&str> = Vec::new();
        for (handle, (_, written)) in handles.iter().zip(&ends) {
            for variable in written {
                let writers = ends.iter().filter(|(_, also)| also.contains(variable));
                if writers.count() > 1 && !twice.contains(&variable.as_str()) {
                    twice.push(variable);
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
        let data = json!({ "template": template, "inputs": handles });
        let join = self.node("transform", &format!("{name} join"), data, &at);
        for (handle, (end, _)) in handles.iter().zip(&ends) {
            self.build.wire_all(end, &Port::at(&join.node, handle));
        }
        let says = "its branches run at the same time and are then joined";
        self.build.mapped(place, &join.node, says);
        if !twice.is_empty() {
            let says = format!(
                "several branches set {}. In the source, the last branch to finish wins. Here, the last branch in the document wins",
                twice.join(", ")
            );
            self.build.approximated(place, Some(&join.node), says);
        }
        let actions = branches.into_iter().flat_map(|(_, actions)| actions);
        let outputs = Self::outputs_of(&actions.collect());
        Ok(self.done(name, vec![join], Some(outputs)))
    }

    pub(super) fn terminate(&mut self, action: Action<'_>, at: Ends) -> Step {
        let (name, place) = (action.name, action.place);
        let status = action.text("runStatus").unwrap_or("Succeeded");
        if status.eq_ignore_ascii_case("succeeded") {
            if self.depth > 0 {
                return Err("the action ends the workflow from inside a loop, but only the loop's condition or an error can end a Loop".into());
            }
            self.ended.extend(at);
            let says = "the workflow ends here";
            self.build.say(Outcome::Mapped, place, None, says);
            return Ok(Vec::new());
        }
        let error = |name: &str| action.field("runError").and_then(|error| error.get(name));
        let message = error("message")
            .cloned()
            .unwrap_or_else(|| json!(format!("“{name}” ended the run with the status {status}")));
        let code = error("code").and_then(Value::as_str);
        let before = code.map_or_else(String::new, |code| format!("Error {code}: "));
        let code = self.computed("string", &[&message])?;
        let at = self.single(at);
        let text = self.value_node(&format!("{name} message"), &at, code);
        let source = format!("error({} .. reply, 0)", luau_text(&before));
        let fails = self.script(name, source, &at, &text);
        let says = format!("the run fails with the action's message ({status})");
        self.build.mapped(place, &fails.node, says);
        Ok(vec![fails])
    }

    /// Translates an action whose failure does not end the run, inside a list of one element whose errors are collected.
    pub(super) fn attempt(&mut self, action: Action<'_>, at: Ends) -> Result<Ends, ImportError> {
        let name = action.name;
        let at = self.single(at);
        let data = json!({ "label": format!("Try {name}"), "template": "{{ [input] }}" });
        let one = self.node("transform", &format!("{name} try"), data, &at);
        let data =
            json!({ "label": format!("{name}, caught"), "concurrency": 1, "onError": "collect" });
        let each = self
            .node("iterator", &format!("{name} attempt"), data, &[one])
            .node;
        self.depth += 1;
        let inner = self.action(action, vec![Port::at(&each, "item")]);
        self.depth -= 1;
        let data = json!({ "label": format!("{name}, done or failed"), "mode": "array" });
        let end = self
            .node("aggregator", &format!("{name} outcome"), data, &inner?)
            .node;
        let quoted = quoted(name);
        let failed = format!(
            "{{...input, \"status\": {{...input.status, {quoted}: \"Failed\"}}, \"results\": {{...input.results, {quoted}: [{{\"name\": {quoted}, \
             \"status\": \"Failed\", \"error\": errors[0]}}]}}}}"
        );
        let succeeded = format!(
            "{{...results[0], \"status\": {{...results[0].status, {quoted}: \"Succeeded\"}}}}"
        );
        let template = format!("{{{{ {failed} if (errors | length) > 0 else {succeeded} }}}}");
        let data = json!({ "template": template, "inputs": ["results", "errors"] });
        let settle = self.node("transform", &format!("{name} settled"), data, &at);
        for handle in ["results", "errors"] {
            self.build
                .wire(&Port::at(&end, handle), &Port::at(&settle.node, handle));
        }
        self.build.approximated(action.place, Some(&each), format!(
            "other actions run after “{name}” fails, so the failure is caught: “{name}” runs as a list of one item whose errors are \
             collected. Changes that it makes before it fails are lost. A timeout counts as Failed. result('{name}') contains the failure, not the actions inside"
        ));
        Ok(vec![settle])
    }
}

fn actions_of_case(held: &Value, name: &str) -> Result<Map<String, Value>, Trouble> {
    let mut held = held.clone();
    if let Some(fields) = held.as_object_mut() {
        fields.shift_remove("case");
    }
    actions_of(Some(&held), name)
}

/// Returns the variables that actions set, at any depth.
pub(super) fn written_in(actions: &Map<String, Value>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let all = all_maps(actions).into_iter().flat_map(Map::values);
    for action in all.filter_map(Value::as_object) {
        if !kind_of(action).ends_with("variable") {
            continue;
        }
        let listed = field(action, "variables").and_then(Value::as_array);
        let listed = listed.into_iter().flatten();
        let names = listed
            .filter_map(|variable| variable.get("name"))
            .chain(field(action, "name"));
        for name in names.filter_map(Value::as_str) {
            if !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
    }
    found
}
