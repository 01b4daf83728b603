//! Collects, before translation starts, what a document uses: variables, parameters, outputs and the clock.

use std::collections::BTreeSet;

use loopwright_azure_expressions::{bare, read};
use serde_json::{Map, Value};

use super::code_reads::reads;
use crate::logic_apps::{
    document::{Document, each_action, field, kind_of},
    expression::{Dialect, Expr, NameSet, same},
};

#[derive(Debug, Default)]
pub(super) struct Survey {
    dialect: Dialect,
    /// The variables that the document initializes, sets or reads, each spelled as at its first occurrence.
    pub(super) variables: Vec<String>,
    /// The variables that some action initializes.
    pub(super) initialized: NameSet,
    /// All actions, at any depth.
    pub(super) actions: BTreeSet<String>,
    /// Actions whose outputs are an object with a `body`.
    pub(super) bodies: NameSet,
    /// The actions that run code.
    pub(super) codes: BTreeSet<String>,
    pub(super) parameters: BTreeSet<String>,
    /// Actions whose results are read.
    pub(super) referenced: NameSet,
    /// Actions whose status is read: `actions('x')`, `result('x')`.
    pub(super) statuses: NameSet,
    /// Actions that must yield an object, because one of its fields is read.
    pub(super) objects: NameSet,
    pub(super) trigger: bool,
    /// Whether `triggerOutputs()` is read for more than its body.
    pub(super) trigger_outputs: bool,
    pub(super) now: bool,
    /// Whether variables that no action initializes are errors rather than inputs of the run.
    strict: bool,
}

impl Survey {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let mut survey = Self {
            dialect: document.dialect,
            // Part of a definition, as printed in documentation, declares no variables.
            strict: document.dialect == Dialect::Azure && document.triggers.is_some(),
            ..Self::default()
        };
        each_action(&document.actions, &mut |name, action| {
            survey.action(name, action);
        });
        let outputs = document.outputs.into_iter().flat_map(Map::values);
        for value in document.actions.values().chain(outputs) {
            survey.value(value);
        }
        survey
    }

    /// Returns a variable's name as the state spells it, or `None` for an unknown variable. `name` may differ in case.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        let mut known = self.variables.iter().map(String::as_str);
        known.find(|known| same(known, name))
    }

    pub(super) fn has_action(&self, name: &str) -> bool {
        self.actions.contains(name) || self.actions.iter().any(|known| same(known, name))
    }

    fn add_variable(&mut self, name: &str) {
        if self.variable(name).is_none() {
            self.variables.push(name.to_owned());
        }
    }

    fn action(&mut self, name: &str, action: &Map<String, Value>) {
        let kind = kind_of(action);
        self.actions.insert(name.to_owned());
        let own = action.get("name").and_then(Value::as_str);
        self.actions.extend(own.map(str::to_owned));
        let has_body = match kind.as_str() {
            "http" | "select" | "query" | "join" | "parsejson" | "table" | "response" => true,
            "compose" | "until" | "while" | "dountil" | "foreach" | "scope" | "if" | "switch"
            | "javascriptcode" => false,
            _ => self.dialect == Dialect::Azure,
        };
        if has_body {
            self.bodies.insert(name);
        }
        match kind.as_str() {
            "initializevariable" => {
                for variable in initialized(action) {
                    if let Some(name) = variable.get("name").and_then(Value::as_str) {
                        self.add_variable(name);
                        self.initialized.insert(name);
                    }
                }
            }
            "javascriptcode" => {
                let code = field(action, "code").and_then(Value::as_str);
                let read = reads(code.unwrap_or_default()).unwrap_or_default();
                for name in &read.actions {
                    self.referenced.insert(name);
                }
                self.codes.insert(name.to_owned());
                self.trigger |= read.trigger;
                self.trigger_outputs |= read.trigger;
            }
            "setvariable"
            | "appendtoarrayvariable"
            | "appendtostringvariable"
            | "incrementvariable"
            | "decrementvariable" => {
                if let Some(name) = field(action, "name").and_then(Value::as_str)
                    && !self.strict
                {
                    self.add_variable(name);
                }
            }
            _ => {}
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) if text.contains('@') => {
                if let Ok(reading) = read(text, self.dialect) {
                    reading.expressions().for_each(|expr| self.expression(expr));
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.value(item)),
            Value::Object(fields) => {
                for (name, item) in fields {
                    match item.as_str().filter(|text| !text.contains('@')) {
                        Some(text) if name == "condition" || name == "expression" => {
                            if let Ok(expr) = bare(text, self.dialect) {
                                self.expression(&expr);
                            }
                        }
                        _ => self.value(item),
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
                if let Expr::Call { name, args } = &**of {
                    let first = steps.first().and_then(|step| step.key.as_text());
                    self.path(&name.to_ascii_lowercase(), args, first);
                }
            }
            _ => {}
        });
    }

    /// Records that a field of a call's result is read.
    fn path(&mut self, name: &str, args: &[Expr], first: Option<&str>) {
        match (name, args.first().and_then(Expr::as_text)) {
            ("body", Some(action)) => self.objects.insert(action),
            ("outputs", Some(action)) if first != Some("body") => self.objects.insert(action),
            ("triggeroutputs", _) => self.trigger_outputs |= first != Some("body"),
            _ => {}
        }
    }

    fn call(&mut self, name: &str, args: &[Expr]) {
        let of = args.first().and_then(Expr::as_text);
        match (name, of) {
            ("variables", Some(name)) if !is_loop_name(name) && !self.strict => {
                self.add_variable(name);
            }
            ("parameters", Some(name)) => {
                if !self.parameters.iter().any(|known| same(known, name)) {
                    self.parameters.insert(name.to_owned());
                }
            }
            ("body" | "outputs" | "actionbody" | "actionoutputs", Some(name)) => {
                self.referenced.insert(name);
            }
            ("actions" | "result", Some(name)) => {
                self.referenced.insert(name);
                self.statuses.insert(name);
            }
            ("triggerbody" | "triggeroutputs" | "trigger", _) => self.trigger = true,
            ("utcnow" | "getfuturetime" | "getpasttime", _) => self.now = true,
            _ => {}
        }
    }
}

/// Returns whether a name is a value that a loop provides, such as `loopIndex` or, for the loop `outer`, `outer_loopIndex`.
fn is_loop_name(name: &str) -> bool {
    LOOP_NAMES
        .iter()
        .any(|what| name == *what || name.ends_with(&format!("_{what}")))
}

/// The values that a loop provides as variables.
pub(super) const LOOP_NAMES: [&str; 4] = ["loopIndex", "loopCount", "loopResult", "loopStartTime"];

/// Returns the declarations of the variables that an action initializes.
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
