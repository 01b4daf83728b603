//! Actions that only compute: compose, variables, select, query, join, parse JSON, response.

use serde_json::{Map, Value, json};

use super::{Change, Translator, Trouble, field, kind_of};
use crate::loom::{
    expression::{Code, Item, Ty, luau_text},
    graph::Ends,
};

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
        let code = self.names("input").value(inputs)?;
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
                let own = Value::Object(action.clone());
                let listed = field(action, "variables").and_then(Value::as_array);
                let one = action
                    .get("inputs")
                    .filter(|inputs| inputs.get("name").is_some());
                let variables: Vec<&Value> = match (listed, one) {
                    (Some(listed), _) => listed.iter().collect(),
                    (None, Some(one)) => vec![one],
                    (None, None) => vec![&own],
                };
                for variable in variables {
                    let Some(name) = variable.get("name").and_then(Value::as_str) else {
                        return Err(Trouble::Kept("a variable has no `name`".to_owned()));
                    };
                    let code = self
                        .names("input")
                        .value(variable.get("value").unwrap_or(&Value::Null))?;
                    changes.push(Change::new("variables", name, code));
                }
                "the variable begins with this value"
            }
            _ => {
                let variable = text(action, "name")?.to_owned();
                let code = self.assigned(&kind, &variable, action)?;
                changes.push(Change::new("variables", &variable, code));
                "the variable is changed for everything that follows, also in later passes of a loop"
            }
        };
        Ok(self.changed(name, &at, changes, place, says))
    }

    /// The new value of a variable.
    fn assigned(
        &self,
        kind: &str,
        variable: &str,
        action: &Map<String, Value>,
    ) -> Result<Code, Trouble> {
        let names = self.names("input");
        let quoted = variable.replace('\'', "''");
        let before = names.text(&format!("@variables('{quoted}')"))?;
        let given = match (kind, field(action, "value")) {
            ("incrementvariable" | "decrementvariable", None) => json!(1),
            (_, Some(value)) => value.clone(),
            (_, None) => return Err(Trouble::Kept("it has no `value`".to_owned())),
        };
        let value = names.value(&given)?;
        let both = || before.helpers.iter().chain(&value.helpers).copied();
        let tera = |ty: Ty, form: &dyn Fn(&str, &str) -> String| match (&before.tera, &value.tera) {
            (Some(one), Some(other)) if before.ty == ty && (value.ty == ty || ty == Ty::List) => {
                Some(form(&one.text, &other.text))
            }
            _ => None,
        };
        Ok(match kind {
            "setvariable" => value,
            "incrementvariable" => Code::written(
                Ty::Number,
                tera(Ty::Number, &|one, other| format!("({one} + {other})")),
                format!("add({}, {})", before.luau, value.luau),
                both().chain(["add"]),
            ),
            "decrementvariable" => Code::written(
                Ty::Number,
                tera(Ty::Number, &|one, other| format!("({one} - {other})")),
                format!("sub({}, {})", before.luau, value.luau),
                both().chain(["sub"]),
            ),
            "appendtoarrayvariable" => Code::written(
                Ty::List,
                tera(Ty::List, &|one, other| format!("[...{one}, {other}]")),
                format!("appended({}, {})", before.luau, value.luau),
                both().chain(["appended"]),
            ),
            _ => Code::written(
                Ty::Text,
                tera(Ty::Text, &|one, other| format!("({one} ~ {other})")),
                format!("concat({}, {})", before.luau, value.luau),
                both().chain(["concat"]),
            ),
        })
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
        let names = self.names("input");
        let mut inner = names.clone();
        inner.item = Item::Lambda;
        let from = |name: &str| names.value(needed(action, name)?).map_err(Trouble::from);
        let list = |code: &Code, what: &str| {
            format!("wants({}, \"array\", {})", luau_text(what), code.luau)
        };
        let (body, says) = match kind.as_str() {
            "select" => {
                let (from, each) = (from("from")?, inner.value(needed(action, "select")?)?);
                let lines = format!(
                    "(function()\n    local made = array()\n    for _, item in ipairs({}) do\n        table.insert(made, {})\n    end\n    return made\nend)()",
                    list(&from, "Select"),
                    each.luau
                );
                let helpers = from
                    .helpers
                    .into_iter()
                    .chain(each.helpers)
                    .chain(["wants"]);
                (
                    Code::written(Ty::List, None, lines, helpers),
                    "each element is made anew",
                )
            }
            "query" => {
                let (from, test) = (from("from")?, inner.condition(needed(action, "where")?)?);
                let lines = format!(
                    "(function()\n    local kept = array()\n    for _, item in ipairs({}) do\n        if {} then\n            table.insert(kept, item)\n        end\n    end\n    return kept\nend)()",
                    list(&from, "Filter"),
                    test.luau
                );
                let helpers = from
                    .helpers
                    .into_iter()
                    .chain(test.helpers)
                    .chain(["wants"]);
                (
                    Code::written(Ty::List, None, lines, helpers),
                    "the elements that meet the condition are kept",
                )
            }
            "join" => {
                let (from, with) = (
                    from("from")?,
                    names.value(field(action, "joinWith").unwrap_or(&json!("")))?,
                );
                let luau = format!("joined({}, {})", from.luau, with.luau);
                let helpers = from
                    .helpers
                    .into_iter()
                    .chain(with.helpers)
                    .chain(["joined"]);
                (
                    Code::written(Ty::Text, None, luau, helpers),
                    "the elements are joined to one text",
                )
            }
            _ => {
                let content = from("content")?;
                let luau = format!("fromjson({})", content.luau);
                let helpers = content.helpers.into_iter().chain(["fromjson"]);
                (
                    Code::written(Ty::Any, None, luau, helpers),
                    "the text is read as JSON",
                )
            }
        };
        let luau = format!("object({{ body = {} }})", body.luau);
        let whole = Code::written(Ty::Object, None, luau, body.helpers);
        let checked = kind == "parsejson" && field(action, "schema").is_some();
        let after = self.changed(
            name,
            &at,
            vec![Change::new("outputs", name, whole)],
            place,
            says,
        );
        if checked {
            self.say(
                crate::Outcome::Approximated,
                &format!("{place}.inputs.schema"),
                after.first().map(|end| end.node.as_str()),
                "the schema is not checked; put a Validator behind it where that matters",
            );
        }
        Ok(after)
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
        let code = self.names("input").value(&Value::Object(answer))?;
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
