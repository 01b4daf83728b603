//! Translates actions that only compute: compose, variables, select, query, join, parse JSON, response.

use serde_json::{Map, Value, json};

use super::{Action, Change, Ends, Step, Translator, Trouble, reads::Stands, survey::initialized};
use crate::logic_apps::expression::{Code, entry, operand};

/// Returns the initial value of a variable that is declared without one: an empty list for an array, otherwise null.
fn first_value(variable: &Value) -> Value {
    let ty = variable.get("type").and_then(Value::as_str);
    match ty {
        Some(ty) if ty.eq_ignore_ascii_case("array") => json!([]),
        _ => Value::Null,
    }
}

/// The report message of an action that changes a variable.
const CHANGED: &str =
    "the variable is changed for everything that follows, including later passes of a loop";

fn needed<'a>(action: Action<'a>, name: &str) -> Result<&'a Value, Trouble> {
    action
        .field(name)
        .ok_or_else(|| format!("the action has no `{name}`").into())
}

/// Wraps an operation's result as the body of its outputs.
fn body(code: Code) -> Code {
    match code {
        Code::Source { value, args } => Code::Source {
            value: json!({ "body": value }),
            args,
        },
        Code::Tera(text) => Code::Tera(format!("{{\"body\": {text}}}")),
    }
}

impl Translator {
    pub(super) fn compose(&mut self, action: Action<'_>, at: Ends) -> Step {
        let inputs = action.fields.get("inputs").unwrap_or(&Value::Null);
        let code = self.source(inputs)?;
        let says = "its value is computed and stored under the action's name";
        Ok(self.outputs(action, &at, code, says))
    }

    /// Adds a node that stores a computed value as the outputs of an action.
    fn outputs(&mut self, action: Action<'_>, at: &Ends, code: Code, says: &str) -> Ends {
        let changes = vec![Change::new("outputs", action.name, code)];
        self.changed(action, at, changes, says)
    }

    pub(super) fn initialize(&mut self, action: Action<'_>, at: Ends) -> Step {
        let mut changes = Vec::new();
        for variable in initialized(action.fields) {
            let name = variable.get("name").and_then(Value::as_str);
            let name = name.ok_or("a variable has no `name`")?;
            let first = first_value(&variable);
            let value = variable.get("value").filter(|value| !value.is_null());
            let code = self.source(value.unwrap_or(&first))?;
            changes.push(Change::new("variables", self.variable_key(name)?, code));
        }
        let says = "this is the variable's initial value";
        Ok(self.changed(action, &at, changes, says))
    }

    pub(super) fn variable(&mut self, action: Action<'_>, at: Ends) -> Step {
        let kind = action.kind();
        let name = needed(action, "name")?.as_str();
        let name = name.ok_or("its `name` must be text")?;
        let variable = self.variable_key(name)?.to_owned();
        let value = match (kind.as_str(), action.field("value")) {
            ("incrementvariable" | "decrementvariable", None) => json!(1),
            (_, Some(value)) => value.clone(),
            (_, None) => return Err("the action has no `value`".into()),
        };
        let before = json!(format!("@variables('{}')", variable.replace('\'', "''")));
        let code = match kind.as_str() {
            "appendtoarrayvariable" => return self.appended(action, &variable, &value, at),
            "setvariable" => self.source(&value)?,
            "incrementvariable" => self.computed("add", &[&before, &value])?,
            "decrementvariable" => self.computed("sub", &[&before, &value])?,
            _ => self.computed("concat", &[&before, &value])?,
        };
        let changes = vec![Change::new("variables", &variable, code)];
        Ok(self.changed(action, &at, changes, CHANGED))
    }

    /// Returns a variable's name as the state spells it. `name` may differ in case. An unknown variable is an error.
    fn variable_key(&self, name: &str) -> Result<&str, Trouble> {
        self.survey
            .variable(name)
            .ok_or_else(|| format!("no action initializes the variable “{name}”").into())
    }

    /// Appends an element to a list, for which the expression language has no function.
    fn appended(&mut self, action: Action<'_>, variable: &str, value: &Value, at: Ends) -> Step {
        let list = entry("variables", variable);
        let longer = |item: &str| {
            let code = Code::Tera(format!("[...{list}, {item}]"));
            vec![Change::new("variables", variable, code)]
        };
        let code = self.source(value)?;
        if let Some(item) = code.as_tera() {
            return Ok(self.changed(action, &at, longer(&item), CHANGED));
        }
        let at = self.single(at);
        let item = self.value_node(&format!("{} element", action.name), &at, code);
        let after = self.keep(action.name, action.name, &at, longer("reply"), Some(&item));
        self.mapped_to(action, &after, CHANGED);
        Ok(after)
    }

    pub(super) fn join_texts(&mut self, action: Action<'_>, at: Ends) -> Step {
        let none = json!("");
        let with = action.field("joinWith").unwrap_or(&none);
        let code = self.computed("join", &[needed(action, "from")?, with])?;
        let says = "the elements are joined into one string";
        Ok(self.outputs(action, &at, body(code), says))
    }

    pub(super) fn parse_json(&mut self, action: Action<'_>, at: Ends) -> Step {
        // The content may be a string, or JSON that was already parsed.
        let content = operand(needed(action, "content")?, self.dialect)?;
        let code = self.source(&json!(format!("@json(string({content}))")))?;
        let after = self.outputs(action, &at, body(code), "the text is parsed as JSON");
        if action.field("schema").is_some() {
            self.build.approximated(
                &action.within("inputs.schema"),
                after.first().map(|end| end.node.as_str()),
                "the schema is not checked; to check it, put a Validator after the node",
            );
        }
        Ok(after)
    }

    /// Translates Select and Query: an expression maps or filters the elements of a list, and a node stores the result.
    /// Fails if the action is invalid or has no equivalent.
    pub(super) fn elements(&mut self, action: Action<'_>, at: Ends) -> Step {
        let selects = action.kind() == "select";
        let (each, says) = if selects {
            let each = self.source_at(needed(action, "select")?, Stands::Element)?;
            (
                each,
                "each element is replaced by the result of the expression",
            )
        } else {
            let test = self.condition(needed(action, "where")?, Stands::Element)?;
            (test, "the elements that meet the condition are kept")
        };
        let from = self.source(needed(action, "from")?)?;
        let at = self.single(at);
        let (mut args, mut source) = match each {
            Code::Source { value, args } => (args, value),
            Code::Tera(_) => (Map::new(), Value::Null),
        };
        if let Code::Source { value, args: more } = from {
            args.extend(more);
            args.insert("from".to_owned(), value);
        }
        if !selects {
            args.insert("where".to_owned(), source);
            source = json!("@item()");
        }
        let name = action.name;
        let list = self.expression(&format!("{name} list"), source, args, &at);
        let after = self.keep_reply((name, name), &at, &list, "{\"body\": reply}");
        self.build.mapped(action.place, &list.node, says);
        Ok(after)
    }

    pub(super) fn response(&mut self, action: Action<'_>, at: Ends) -> Step {
        let mut answer = Map::new();
        for part in ["statusCode", "headers", "body"] {
            if let Some(value) = action.field(part) {
                answer.insert(part.to_owned(), value.clone());
            }
        }
        let code = self.source(&Value::Object(answer))?;
        let changes = vec![
            Change::new("outputs", action.name, code.clone()),
            Change::new("results", "response", code),
        ];
        let says = "the answer is the run's output “response”";
        Ok(self.changed(action, &at, changes, says))
    }
}
