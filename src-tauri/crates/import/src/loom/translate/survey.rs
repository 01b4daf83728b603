//! What a document names, looked up before anything is translated: variables, parameters, outputs, the clock.

use std::collections::BTreeSet;

use loopwright_azure_expressions::{bare, read};
use serde_json::{Map, Value};

use super::super::{
    document::{Document, field, inner, kind_of},
    expression::{Dialect, Expr, NameSet},
};
use super::code::reads;

#[derive(Debug)]
pub(super) struct Survey {
    dialect: Dialect,
    /// Variables that the document sets, or reads without setting them, as the document first writes them.
    pub(super) variables: Vec<String>,
    /// Those that some action initializes.
    pub(super) initialized: NameSet,
    /// All actions, at any depth.
    pub(super) actions: BTreeSet<String>,
    /// Actions whose outputs are an object with a `body`.
    pub(super) bodies: NameSet,
    /// Actions that run code.
    pub(super) codes: BTreeSet<String>,
    pub(super) parameters: BTreeSet<String>,
    /// Actions of which something is read.
    pub(super) referenced: NameSet,
    /// Actions whose status is read: `actions('x')`, `result('x')`.
    pub(super) statuses: NameSet,
    /// Actions of which a field is read, so that they must give an object.
    pub(super) objects: NameSet,
    pub(super) trigger: bool,
    /// `triggerOutputs()` is read beside its body.
    pub(super) trigger_outputs: bool,
    pub(super) now: bool,
    /// Variables that no action sets are errors, and not inputs of the run.
    strict: bool,
}

impl Survey {
    pub(super) fn of(document: &Document<'_>) -> Self {
        let mut survey = Self {
            dialect: document.dialect,
            variables: Vec::new(),
            initialized: NameSet::default(),
            actions: BTreeSet::new(),
            bodies: NameSet::default(),
            codes: BTreeSet::new(),
            parameters: BTreeSet::new(),
            referenced: NameSet::default(),
            statuses: NameSet::default(),
            objects: NameSet::default(),
            trigger: false,
            trigger_outputs: false,
            now: false,
            // A part of a definition, as documentation prints it, declares nothing.
            strict: document.dialect == Dialect::LogicApps && document.triggers.is_some(),
        };
        survey.actions(&document.actions, 0);
        for action in document.actions.values() {
            survey.value(action, 0);
        }
        for output in document.outputs.into_iter().flat_map(Map::values) {
            survey.value(output, 0);
        }
        survey
    }

    /// The spelling of a variable under which the state has it.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        let same = |known: &&String| known.to_lowercase() == name.to_lowercase();
        self.variables.iter().find(same).map(String::as_str)
    }

    pub(super) fn has_action(&self, name: &str) -> bool {
        self.actions.contains(name)
            || self
                .actions
                .iter()
                .any(|known| known.to_lowercase() == name.to_lowercase())
    }

    fn add_variable(&mut self, name: &str) {
        if self.variable(name).is_none() {
            self.variables.push(name.to_owned());
        }
    }

    fn actions(&mut self, actions: &Map<String, Value>, depth: usize) {
        if depth > 100 {
            return;
        }
        for (name, action) in actions {
            let Some(action) = action.as_object() else {
                continue;
            };
            self.action(name, action);
            for inner in inner(action) {
                self.actions(inner, depth + 1);
            }
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
            _ => self.dialect == Dialect::LogicApps,
        };
        if has_body {
            self.bodies.insert(name);
        }
        match kind.as_str() {
            "initializevariable" => {
                for variable in super::data::initialized(action) {
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

    fn value(&mut self, value: &Value, depth: usize) {
        if depth > 200 {
            return;
        }
        match value {
            Value::String(text) if text.contains('@') => {
                if let Ok(reading) = read(text, self.dialect.language()) {
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
                            if let Ok(expr) = bare(text, self.dialect.language()) {
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
                        self.objects.insert(action);
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
            ("variables", Some(name)) if !is_loop_name(name) && !self.strict => {
                self.add_variable(name);
            }
            ("parameters", Some(name)) => {
                let known = |known: &&String| known.to_lowercase() == name.to_lowercase();
                if self.parameters.iter().find(known).is_none() {
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

/// `loopIndex` and the like, which a loop gives.
fn is_loop_name(name: &str) -> bool {
    ["loopIndex", "loopCount", "loopResult", "loopStartTime"]
        .iter()
        .any(|what| name == *what || name.ends_with(&format!("_{what}")))
}
