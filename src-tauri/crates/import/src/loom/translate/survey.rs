//! What a document names, looked up before anything is translated: variables, parameters, outputs, the clock.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::{
    document::{Document, field, inner, kind_of},
    expression::{Dialect, Expr, Holds, Ty, bare, read},
};
use super::code::{actions_read, reads_trigger};

#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Variables that the document sets, or reads without setting them, with what is known of their type.
    pub(super) variables: BTreeMap<String, Ty>,
    /// Those that some action initializes.
    pub(super) initialized: BTreeSet<String>,
    pub(super) holds: BTreeMap<String, Holds>,
    pub(super) parameters: BTreeSet<String>,
    /// Actions of which something is read.
    pub(super) referenced: BTreeSet<String>,
    /// Actions whose status is read: `actions('x')`, `result('x')`.
    pub(super) statuses: BTreeSet<String>,
    /// Actions of which a field is read, so that they must give an object.
    pub(super) objects: BTreeSet<String>,
    pub(super) trigger: bool,
    /// `triggerOutputs()` is read beside its body.
    pub(super) trigger_outputs: bool,
    pub(super) now: bool,
    pub(super) workflow: bool,
}

impl Survey {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let mut survey = Self::default();
        survey.actions(&document.actions, document.dialect, 0);
        for action in document.actions.values() {
            survey.value(action, 0);
        }
        for output in document.outputs.into_iter().flat_map(Map::values) {
            survey.value(output, 0);
        }
        survey
    }

    fn actions(&mut self, actions: &Map<String, Value>, dialect: Dialect, depth: usize) {
        if depth > 100 {
            return;
        }
        for (name, action) in actions {
            let Some(action) = action.as_object() else {
                continue;
            };
            self.action(name, action, dialect);
            for inner in inner(action) {
                self.actions(inner, dialect, depth + 1);
            }
        }
    }

    fn action(&mut self, name: &str, action: &Map<String, Value>, dialect: Dialect) {
        let kind = kind_of(action);
        let holds = match kind.as_str() {
            "http" | "select" | "query" | "join" | "parsejson" | "table" | "response" => {
                Holds::Body
            }
            "compose" | "until" | "while" | "dountil" | "foreach" | "scope" | "if" | "switch"
            | "javascriptcode" => Holds::Whole,
            _ if dialect == Dialect::LogicApps => Holds::Body,
            _ => Holds::Whole,
        };
        self.holds.insert(name.to_owned(), holds);
        let named = |value: &Value| value.get("name").and_then(Value::as_str).map(str::to_owned);
        match kind.as_str() {
            "initializevariable" => {
                let listed = field(action, "variables").and_then(Value::as_array);
                let one = action
                    .get("inputs")
                    .filter(|inputs| inputs.get("name").is_some());
                let own = Value::Object(action.clone());
                let variables: Vec<&Value> = match (listed, one) {
                    (Some(listed), _) => listed.iter().collect(),
                    (None, Some(one)) => vec![one],
                    (None, None) => vec![&own],
                };
                for variable in variables {
                    if let Some(name) = named(variable) {
                        let ty = declared(variable, dialect);
                        self.variables.insert(name.clone(), ty);
                        self.initialized.insert(name);
                    }
                }
            }
            "javascriptcode" => {
                let code = field(action, "code").and_then(Value::as_str);
                let code = code.unwrap_or_default();
                self.referenced.extend(actions_read(code));
                self.trigger |= reads_trigger(code);
                self.trigger_outputs |= reads_trigger(code);
            }
            "setvariable"
            | "appendtoarrayvariable"
            | "appendtostringvariable"
            | "incrementvariable"
            | "decrementvariable" => {
                if let Some(name) = field(action, "name").and_then(Value::as_str) {
                    self.variables.entry(name.to_owned()).or_insert(Ty::Any);
                }
            }
            _ => {}
        }
    }

    fn value(&mut self, value: &Value, depth: usize) {
        if depth > 200 {
            return;
        }
        match value {
            Value::String(text) if text.contains('@') => {
                if let Ok(reading) = read(text) {
                    reading.expressions().for_each(|expr| self.expression(expr));
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.value(item, depth + 1)),
            Value::Object(fields) => {
                for (name, item) in fields {
                    match item {
                        Value::String(text)
                            if ["condition", "expression"].contains(&name.as_str())
                                && !text.contains('@') =>
                        {
                            if let Ok(expr) = bare(text) {
                                self.expression(&expr);
                            }
                        }
                        _ => self.value(item, depth + 1),
                    }
                }
            }
            _ => {}
        }
    }

    fn expression(&mut self, expr: &Expr) {
        expr.walk(&mut |expr| match expr {
            Expr::Call { name, args } => self.call(&name.to_ascii_lowercase(), args),
            Expr::Path { of, steps } => {
                if let Expr::Call { name, args } = &**of
                    && let Some(action) = args.first().and_then(Expr::as_text)
                {
                    let first = steps.first().map(|step| &step.key);
                    if name.eq_ignore_ascii_case("body")
                        || (name.eq_ignore_ascii_case("outputs")
                            && first.and_then(Expr::as_text) != Some("body"))
                    {
                        self.objects.insert(action.to_owned());
                    }
                }
                if let Expr::Call { name, .. } = &**of
                    && name.eq_ignore_ascii_case("triggerOutputs")
                {
                    let first = steps.first().and_then(|step| step.key.as_text());
                    self.trigger_outputs |= first != Some("body");
                }
            }
            _ => {}
        });
    }

    fn call(&mut self, name: &str, args: &[Expr]) {
        let of = args.first().and_then(Expr::as_text);
        match (name, of) {
            ("variables", Some(name)) if !is_loop_name(name) => {
                self.variables.entry(name.to_owned()).or_insert(Ty::Any);
            }
            ("parameters", Some(name)) => {
                self.parameters.insert(name.to_owned());
            }
            ("body" | "outputs" | "actionbody" | "actionoutputs", Some(name)) => {
                self.referenced.insert(name.to_owned());
            }
            ("actions" | "result", Some(name)) => {
                self.referenced.insert(name.to_owned());
                self.statuses.insert(name.to_owned());
            }
            ("triggerbody" | "triggeroutputs" | "trigger", _) => self.trigger = true,
            ("utcnow" | "getfuturetime" | "getpasttime", _) => self.now = true,
            ("workflow", _) => self.workflow = true,
            _ => {}
        }
    }
}

/// `loopIndex` and the like, which a loop gives.
fn is_loop_name(name: &str) -> bool {
    ["loopIndex", "loopCount", "loopResult", "loopStartTime"]
        .iter()
        .any(|what| name == *what || name.ends_with(&format!("_{what}")))
}

/// The type that a variable is declared with. Loom does not hold a variable to it.
fn declared(variable: &Value, dialect: Dialect) -> Ty {
    if dialect == Dialect::Loom {
        return Ty::Any;
    }
    let ty = variable
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let has_value = variable.get("value").is_some_and(|value| !value.is_null());
    match ty.to_ascii_lowercase().as_str() {
        "string" if has_value => Ty::Text,
        "boolean" if has_value => Ty::Bool,
        "integer" | "float" if has_value => Ty::Number,
        "array" if has_value => Ty::List,
        "object" if has_value => Ty::Object,
        _ => Ty::Any,
    }
}
