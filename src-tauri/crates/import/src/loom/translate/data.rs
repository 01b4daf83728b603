//! Actions that only compute: compose, variables, select, query, join, parse JSON, response.

use serde_json::{Map, Value, json};

use super::{Change, Translator, Trouble, field, kind_of, reads::Stands};
use crate::{
    Outcome,
    loom::{
        expression::{Code, tera_text},
        graph::{End, Ends},
    },
};

/// The variables that an action initializes.
pub(super) fn initialized(action: &Map<String, Value>) -> Vec<Value> {
    let listed = field(action, "variables").and_then(Value::as_array);
    let one = action
        .get("inputs")
        .filter(|inputs| inputs.get("name").is_some());
    match (listed, one) {
        (Some(listed), _) => listed.clone(),
        (None, Some(one)) => vec![one.clone()],
        (None, None) => vec![Value::Object(action.clone())],
    }
}

/// What a variable holds that is declared without a value.
fn first_value(variable: &Value) -> Value {
    let ty = variable.get("type").and_then(Value::as_str);
    match ty {
        Some(ty) if ty.eq_ignore_ascii_case("array") => json!([]),
        _ => Value::Null,
    }
}

/// What is said of an action that changes a variable.
const CHANGED: &str =
    "the variable is changed for everything that follows, also in later passes of a loop";

fn needed<'a>(action: &'a Map<String, Value>, name: &str) -> Result<&'a Value, Trouble> {
    field(action, name).ok_or_else(|| Trouble::Kept(format!("it has no `{name}`")))
}

fn text<'a>(action: &'a Map<String, Value>, name: &str) -> Result<&'a str, Trouble> {
    needed(action, name)?
        .as_str()
        .ok_or_else(|| Trouble::Kept(format!("its `{name}` must be a text")))
}

impl Translator {
    pub(super) fn compose(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let inputs = action.get("inputs").unwrap_or(&Value::Null);
        let code = self.source(inputs)?;
        let changes = vec![Change::new("outputs", name, code)];
        Ok(self.changed(
            name,
            &at,
            changes,
            place,
            "its value is computed and kept under its name",
        ))
    }

    pub(super) fn variable(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let kind = kind_of(action);
        let mut changes = Vec::new();
        let says = match kind.as_str() {
            "initializevariable" => {
                for variable in initialized(action) {
                    let Some(name) = variable.get("name").and_then(Value::as_str) else {
                        return Err(Trouble::Kept("a variable has no `name`".to_owned()));
                    };
                    let first = first_value(&variable);
                    let value = variable.get("value").filter(|value| !value.is_null());
                    let code = self.source(value.unwrap_or(&first))?;
                    changes.push(Change::new("variables", self.variable_key(name)?, code));
                }
                "the variable begins with this value"
            }
            _ => {
                let variable = self.variable_key(text(action, "name")?)?.to_owned();
                let value = match (kind.as_str(), field(action, "value")) {
                    ("incrementvariable" | "decrementvariable", None) => json!(1),
                    (_, Some(value)) => value.clone(),
                    (_, None) => return Err(Trouble::Kept("it has no `value`".to_owned())),
                };
                if kind == "appendtoarrayvariable" {
                    return self.appended(name, &variable, &value, at, place);
                }
                let before = json!(format!("@variables('{}')", variable.replace('\'', "''")));
                let code = match kind.as_str() {
                    "setvariable" => self.source(&value)?,
                    "incrementvariable" => self.computed("add", &[&before, &value])?,
                    "decrementvariable" => self.computed("sub", &[&before, &value])?,
                    _ => self.computed("concat", &[&before, &value])?,
                };
                changes.push(Change::new("variables", &variable, code));
                CHANGED
            }
        };
        Ok(self.changed(name, &at, changes, place, says))
    }

    /// The spelling of a variable in the state.
    fn variable_key(&self, name: &str) -> Result<&str, Trouble> {
        self.survey
            .variable(name)
            .ok_or_else(|| Trouble::Kept(format!("no action initializes the variable “{name}”")))
    }

    /// A list with one element more. The language has no function for that.
    fn appended(
        &mut self,
        name: &str,
        variable: &str,
        value: &Value,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let list = format!(
            "input.variables[{}]",
            tera_text(variable).unwrap_or_default()
        );
        let code = self.source(value)?;
        if let Some(item) = code.as_tera() {
            let code = Code::Tera(format!("[...{list}, {item}]"));
            let changes = vec![Change::new("variables", variable, code)];
            return Ok(self.changed(name, &at, changes, place, CHANGED));
        }
        let at = self.single(at);
        let item = self.value_node(&format!("{name} element"), &at, code);
        let code = Code::Tera(format!("[...{list}, reply]"));
        let mut changes = vec![Change::new("variables", variable, code)];
        changes.extend(self.succeeded(name));
        let id = self.change(name, &at, &changes, Some(&End::primary(&item)));
        self.say(Outcome::Mapped, place, Some(&id), CHANGED);
        Ok(vec![End::primary(&id)])
    }

    /// Select, Query, Join, Parse JSON: their result is a `body`.
    pub(super) fn operation(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let kind = kind_of(action);
        let body = |code: Code| match code {
            Code::Source { value, args } => Code::Source {
                value: json!({ "body": value }),
                args,
            },
            Code::Tera(text) => Code::Tera(format!("{{\"body\": {text}}}")),
        };
        let (code, says) = match kind.as_str() {
            "select" | "query" => {
                let (code, says) = if kind == "select" {
                    let each = self.source_at(needed(action, "select")?, Stands::Element)?;
                    (
                        each,
                        "each element is replaced by what the expression gives",
                    )
                } else {
                    let test = self.condition(needed(action, "where")?, Stands::Element)?;
                    (test, "the elements that meet the condition are kept")
                };
                let from = self.source(needed(action, "from")?)?;
                return Ok(self.listed(name, at, &kind, from, code, (place, says)));
            }
            "join" => {
                let none = json!("");
                let with = field(action, "joinWith").unwrap_or(&none);
                let code = self.computed("join", &[needed(action, "from")?, with])?;
                (code, "the elements are joined to one text")
            }
            _ => {
                // Content may be a text or JSON that was read before.
                let content =
                    crate::loom::expression::operand(needed(action, "content")?, self.dialect)?;
                let code = self.source(&json!(format!("@json(string({content}))")))?;
                (code, "the text is read as JSON")
            }
        };
        let checked = kind == "parsejson" && field(action, "schema").is_some();
        let after = self.changed(
            name,
            &at,
            vec![Change::new("outputs", name, body(code))],
            place,
            says,
        );
        if checked {
            self.say(
                Outcome::Approximated,
                &format!("{place}.inputs.schema"),
                after.first().map(|end| end.node.as_str()),
                "the schema is not checked; put a Validator behind it where that matters",
            );
        }
        Ok(after)
    }

    /// A list whose elements are made or chosen by an expression, and the node that keeps it.
    fn listed(
        &mut self,
        name: &str,
        at: Ends,
        kind: &str,
        from: Code,
        each: Code,
        (place, says): (&str, &str),
    ) -> Ends {
        let at = self.single(at);
        let (mut args, source) = match each {
            Code::Source { value, args } => (args, value),
            Code::Tera(_) => (Map::new(), Value::Null),
        };
        if let Code::Source { value, args: more } = from {
            args.extend(more);
            args.insert("from".to_owned(), value);
        }
        let label = format!("{name} list");
        let list = if kind == "select" {
            self.expression(&label, source, args)
        } else {
            args.insert("where".to_owned(), source);
            self.expression(&label, json!("@item()"), args)
        };
        self.graph.wire(&at, &list, None);
        let code = Code::Tera("{\"body\": reply}".to_owned());
        let mut changes = vec![Change::new("outputs", name, code)];
        changes.extend(self.succeeded(name));
        let id = self.change(name, &at, &changes, Some(&End::primary(&list)));
        self.say(Outcome::Mapped, place, Some(&list), says);
        vec![End::primary(&id)]
    }

    pub(super) fn response(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let mut answer = Map::new();
        for part in ["statusCode", "headers", "body"] {
            if let Some(value) = field(action, part) {
                answer.insert(part.to_owned(), value.clone());
            }
        }
        let code = self.source(&Value::Object(answer))?;
        let changes = vec![
            Change::new("outputs", name, code.clone()),
            Change::new("results", "response", code),
        ];
        Ok(self.changed(
            name,
            &at,
            changes,
            place,
            "the answer is the run's output “response”",
        ))
    }
}
