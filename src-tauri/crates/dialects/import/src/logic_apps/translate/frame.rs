//! Translates the parts of a workflow around its actions: the run's inputs, the initial state, and the outputs.

use serde_json::{Map, Value, json};

use super::{Document, Ends, Translator};
use crate::{Outcome, build::Port, logic_apps::expression::tera_text};

/// The sections of the state that start empty.
const EMPTY: [&str; 8] = [
    "outputs", "status", "items", "indexes", "lists", "results", "tests", "args",
];

/// Maps a parameter's type to an input's type.
fn data_type(declared: &str) -> &'static str {
    match declared.to_ascii_lowercase().as_str() {
        "string" | "securestring" => "text",
        "int" | "integer" | "float" => "number",
        "bool" | "boolean" => "boolean",
        _ => "json",
    }
}

/// Returns whether an input of this type accepts this value.
fn fits(ty: &str, value: &Value) -> bool {
    match ty {
        "text" => value.is_string(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => true,
    }
}

impl Translator {
    /// Adds the inputs and the initial state, and returns the ports that carry the state.
    pub(super) fn start(&mut self, document: &Document<'_>) -> Ends {
        let parameters = self.parameters(document);
        let variables = self.first_variables();
        let trigger = self.trigger(document);
        let mut now = "null".to_owned();
        if self.survey.now {
            let data = json!({ "dataType": "text", "required": true, "description": "The time of the run, such as 2025-01-31T12:00:00Z" });
            (now, _) = self.given("utcNow", data);
            let says = "a flow has no clock: the time is the run's input “utcNow”, the same throughout the run";
            self.build.approximated("utcNow()", None, says);
        }
        let title = document.name.and_then(tera_text);
        let title = title.unwrap_or_else(|| "\"workflow\"".to_owned());
        let empty = EMPTY.map(|name| format!("\"{name}\": {{}}")).join(", ");
        // An action that has not run yields null; an unknown action is an error.
        let read = |name: &&String| self.survey.referenced.contains(name);
        let actions: Vec<String> = (self.survey.actions.iter().filter(read))
            .filter_map(|name| Some(format!("{}: null", tera_text(name)?)))
            .collect();
        let state = format!(
            "{{{{ {{\"parameters\": {{{parameters}}}, \"trigger\": {trigger}, \"variables\": {{{variables}}}, \"now\": {now}, \"workflow\": {{\"name\": {title}}}, \"actions\": {{{}}}, {empty}}} }}}}",
            actions.join(", ")
        );
        let inputs = std::mem::take(&mut self.inputs);
        let handles: Vec<String> = (1..=inputs.len())
            .map(|number| format!("h{number}"))
            .collect();
        let mut data = json!({ "label": "Start", "template": state });
        if !handles.is_empty() {
            data["inputs"] = json!(handles);
        }
        let start = self.node("transform", "start", data, &[]);
        for (handle, input) in handles.iter().zip(&inputs) {
            self.build
                .wire(&Port::of(input), &Port::at(&start.node, handle));
        }
        vec![start]
    }

    /// Adds an input of the run. Returns the expression that reads the input in the template of the initial state, and the
    /// input's node.
    fn given(&mut self, name: &str, mut data: Value) -> (String, String) {
        data["name"] = json!(name);
        data["label"] = json!(name);
        let node = self.node("input", &format!("in {name}"), data, &[]).node;
        self.inputs.push(node.clone());
        let read = format!("(h{} | default(value=null))", self.inputs.len());
        (read, node)
    }

    fn parameters(&mut self, document: &Document<'_>) -> String {
        let empty = Map::new();
        let declared = document.parameters.unwrap_or(&empty);
        let used = self.survey.parameters.clone();
        let undeclared = used.iter().filter(|name| !declared.contains_key(*name));
        let mut fields = Vec::new();
        for name in declared.keys().chain(undeclared) {
            let place = format!("parameters.{name}");
            // Unread parameters are keys and addresses of connections, which a flow does not store.
            if !used.contains(name) {
                let says = "no expression reads this parameter";
                self.build.say(Outcome::Ignored, place, None, says);
                continue;
            }
            let parameter = declared.get(name);
            let get = |field: &str| parameter.and_then(|parameter| parameter.get(field));
            let given = document
                .given
                .and_then(|given| given.get(name)?.get("value"));
            let default = given
                .or_else(|| get("defaultValue").or(get("value")))
                .filter(|value| !value.is_null());
            let ty = get("type")
                .and_then(Value::as_str)
                .map_or("json", data_type);
            let mut data = json!({ "dataType": ty });
            if let Some(value) = default {
                if !fits(ty, value) {
                    data["dataType"] = json!("json");
                }
                data["default"] = value.clone();
            }
            let (read, node) = self.given(name, data);
            let says = match parameter {
                Some(_) => "the parameter is an input of the run",
                None => {
                    "the parameter is not declared in the file; it is an input of the run, as JSON"
                }
            };
            self.build.mapped(&place, &node, says);
            fields.extend(tera_text(name).map(|quoted| format!("{quoted}: {read}")));
        }
        fields.join(", ")
    }

    /// Returns the initial variables as fields of a template's object. A variable is null if an action initializes it, and
    /// otherwise an input of the run.
    fn first_variables(&mut self) -> String {
        let mut fields = Vec::new();
        for name in self.survey.variables.clone() {
            let Some(quoted) = tera_text(&name) else {
                continue;
            };
            let mut read = "null".to_owned();
            if !self.survey.initialized.contains(&name) {
                let node;
                (read, node) = self.given(&name, json!({ "dataType": "json" }));
                let says = "no action in the file initializes the variable, so its initial value is an input of the run (null by default)";
                let place = format!("variables('{name}')");
                self.build.mapped(&place, &node, says);
            }
            fields.push(format!("{quoted}: {read}"));
        }
        fields.join(", ")
    }

    fn trigger(&mut self, document: &Document<'_>) -> String {
        let kind_of = |trigger: &Value| {
            let kind = trigger.get("type").and_then(Value::as_str);
            kind.unwrap_or("manual").to_owned()
        };
        let triggers = document.triggers.into_iter().flatten();
        let kinds: Vec<(&String, String)> = triggers
            .map(|(name, trigger)| (name, kind_of(trigger)))
            .collect();
        if !kinds.is_empty() {
            let by_hand = kinds.iter().all(|(_, kind)| {
                ["manual", "request"].contains(&kind.to_ascii_lowercase().as_str())
            });
            let (outcome, says) = if by_hand {
                (Outcome::Mapped, "you start the runs yourself")
            } else {
                (
                    Outcome::Approximated,
                    "a flow has no triggers: start a run yourself, or create a schedule",
                )
            };
            let kinds = kinds
                .iter()
                .map(|(name, kind)| format!("“{name}” ({kind})"));
            let kinds = kinds.collect::<Vec<_>>().join(", ");
            self.build
                .say(outcome, "triggers", None, format!("{kinds}: {says}"));
        }
        if !self.survey.trigger {
            return "{\"body\": null}".to_owned();
        }
        let data = json!({ "dataType": "json", "description": "The trigger's data: the body of the request or message" });
        let (read, _) = self.given("trigger", data);
        let says = "the trigger's data is the run's input “trigger”";
        self.build.say(Outcome::Mapped, "triggerBody()", None, says);
        if self.survey.trigger_outputs {
            let says = "the input “trigger” replaces the trigger's body and, if it is an object, its other outputs";
            self.build.approximated("triggerOutputs()", None, says);
            return format!("{{...({read} if {read} is map else {{}}), \"body\": {read}}}");
        }
        format!("{{\"body\": {read}}}")
    }

    /// Adds the outputs: those of the document, `response` if an action responds, and `result`, which has the outputs of
    /// every action.
    pub(super) fn finish(&mut self, document: &Document<'_>, end: Ends) {
        let mut at = std::mem::take(&mut self.ended);
        at.extend(end);
        let at = self.single(at);
        for (name, output) in document.outputs.into_iter().flatten() {
            let value = output.get("value").unwrap_or(output);
            let place = format!("outputs.{name}");
            match self.source(value) {
                Ok(code) => {
                    let node = self.value_node(&format!("{name} value"), &at, code);
                    self.output(name, &node);
                    let says = "an output of the run";
                    self.build.mapped(&place, &node.node, says);
                }
                Err(mistake) => {
                    let says = format!("left out: {mistake}");
                    self.build.say(Outcome::Placeholder, place, None, says);
                }
            }
        }
        let responds = |action: &Value| {
            let action = action.to_string().to_lowercase();
            action.contains("\"type\":\"response\"")
        };
        if document.actions.values().any(responds) {
            let data = json!({ "label": "Response", "template": "{{ input.results.response | default(value=null) }}" });
            let node = self.node("transform", "response_value", data, &at);
            self.output("response", &node);
        }
        let data = json!({ "label": "Outputs", "template": "{{ input.outputs }}" });
        let node = self.node("transform", "outputs", data, &at);
        self.output("result", &node);
    }

    fn output(&mut self, name: &str, from: &Port) {
        let data = json!({ "label": name, "name": name, "format": "json" });
        let from = std::slice::from_ref(from);
        self.node("output", &format!("out {name}"), data, from);
    }
}
