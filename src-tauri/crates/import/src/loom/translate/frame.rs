//! What stands around the actions: the run's inputs, the state that they begin with, and the outputs.

use serde_json::{Map, Value, json};

use super::{Document, Translator, within};
use crate::{
    ImportError, Outcome,
    loom::{
        expression::tera_text,
        graph::{End, Ends},
    },
};

/// One value that the run is given.
struct Given {
    /// What the input is called.
    name: String,
    data: Value,
}

/// An input's type for one of a parameter.
fn data_type(declared: &str) -> &'static str {
    match declared.to_ascii_lowercase().as_str() {
        "string" | "securestring" => "text",
        "int" | "integer" | "float" => "number",
        "bool" | "boolean" => "boolean",
        _ => "json",
    }
}

impl Translator {
    /// The inputs and the first state; where it comes from.
    pub(super) fn start(&mut self, document: &Document<'_>) -> Result<Ends, ImportError> {
        let mut handles: Vec<(String, String)> = Vec::new();
        let parameters = self.parameters(document, &mut handles);
        let variables = self.first_variables(document, &mut handles);
        let trigger = self.trigger(document, &mut handles);
        let now = if self.survey.now {
            let given = Given {
                name: "utcNow".to_owned(),
                data: json!({ "dataType": "text", "required": true, "description": "The time of the run, such as 2025-01-31T12:00:00Z" }),
            };
            let read = self.given(given, &mut handles);
            self.say(Outcome::Approximated, "utcNow()", None, "a flow knows no clock: the time is the run's input “utcNow”, the same throughout the run");
            read
        } else {
            "null".to_owned()
        };
        let title = tera_text(document.name.unwrap_or("workflow"))
            .unwrap_or_else(|| "\"workflow\"".to_owned());
        let empty = [
            "outputs", "status", "items", "indexes", "lists", "results", "tests", "args",
        ]
        .map(|name| format!("\"{name}\": {{}}"));
        // What has not run gives null, and what does not exist is an error.
        let actions: Vec<String> = self
            .survey
            .actions
            .iter()
            .filter(|name| self.survey.referenced.contains(name))
            .filter_map(|name| Some(format!("{}: null", tera_text(name)?)))
            .collect();
        let state = format!(
            "{{{{ {{\"parameters\": {{{}}}, \"trigger\": {trigger}, \"variables\": {{{}}}, \"now\": {now}, \"workflow\": {{\"name\": {title}}}, \"actions\": {{{}}}, {}}} }}}}",
            parameters.join(", "),
            variables.join(", "),
            actions.join(", "),
            empty.join(", ")
        );
        let names: Vec<&String> = handles.iter().map(|(handle, _)| handle).collect();
        let mut data = json!({ "label": "Start", "template": state });
        if !names.is_empty() {
            data["inputs"] = json!(names);
        }
        let start = self.graph.add("transform", "start", data);
        for (handle, node) in &handles {
            self.graph.wire(&[End::primary(node)], &start, Some(handle));
        }
        Ok(vec![End::primary(&start)])
    }

    /// Adds an input; gives how the first state reads it.
    fn given(&mut self, given: Given, handles: &mut Vec<(String, String)>) -> String {
        let mut data = given.data;
        data["name"] = json!(given.name);
        data["label"] = json!(given.name);
        let node = self.graph.add("input", &format!("in {}", given.name), data);
        let handle = format!("h{}", handles.len() + 1);
        handles.push((handle.clone(), node));
        format!("({handle} | default(value=null))")
    }

    fn parameters(
        &mut self,
        document: &Document<'_>,
        handles: &mut Vec<(String, String)>,
    ) -> Vec<String> {
        let empty = Map::new();
        let declared = document.parameters.unwrap_or(&empty);
        let mut names: Vec<String> = declared.keys().cloned().collect();
        names.extend(
            self.survey
                .parameters
                .iter()
                .filter(|name| !declared.contains_key(*name))
                .cloned(),
        );
        let mut fields = Vec::new();
        for name in names {
            // Keys and addresses of connections, which a flow does not hold.
            let used = self.survey.parameters.contains(&name);
            let place = format!("parameters.{name}");
            if !used {
                self.say(Outcome::Ignored, &place, None, "no expression reads it");
                continue;
            }
            let parameter = declared.get(&name);
            let ty = parameter
                .and_then(|parameter| parameter.get("type"))
                .and_then(Value::as_str);
            let value = document
                .given
                .and_then(|given| given.get(&name))
                .and_then(|given| given.get("value"))
                .or_else(|| {
                    parameter.and_then(|parameter| {
                        parameter.get("defaultValue").or(parameter.get("value"))
                    })
                });
            let mut data = json!({ "dataType": ty.map_or("json", data_type) });
            if let Some(value) = value.filter(|value| !value.is_null()) {
                let fits = match data["dataType"].as_str() {
                    Some("text") => value.is_string(),
                    Some("number") => value.is_number(),
                    Some("boolean") => value.is_boolean(),
                    _ => true,
                };
                if !fits {
                    data["dataType"] = json!("json");
                }
                data["default"] = value.clone();
            }
            let read = self.given(
                Given {
                    name: name.clone(),
                    data,
                },
                handles,
            );
            let says = match parameter {
                Some(_) => "the parameter is an input of the run",
                None => {
                    "the parameter is not declared in the file; it is an input of the run, as JSON"
                }
            };
            let node = handles.last().map(|(_, node)| node.clone());
            self.say(Outcome::Mapped, &place, node.as_deref(), says);
            if let Some(quoted) = tera_text(&name) {
                fields.push(format!("{quoted}: {read}"));
            }
        }
        fields
    }

    /// Variables begin as null where an action initializes them, else as inputs of the run.
    fn first_variables(
        &mut self,
        document: &Document<'_>,
        handles: &mut Vec<(String, String)>,
    ) -> Vec<String> {
        let names = self.survey.variables.clone();
        let mut fields = Vec::new();
        for name in names {
            let Some(quoted) = tera_text(&name) else {
                continue;
            };
            let read = if self.survey.initialized.contains(&name) {
                "null".to_owned()
            } else {
                let read = self.given(
                    Given {
                        name: name.clone(),
                        data: json!({ "dataType": "json" }),
                    },
                    handles,
                );
                let node = handles.last().map(|(_, node)| node.clone());
                self.say(Outcome::Mapped, &format!("variables('{name}')"), node.as_deref(),
                    format!("no action of {} initializes the variable: its first value is an input of the run, null where none is given", within(&document.place, "the file")));
                read
            };
            fields.push(format!("{quoted}: {read}"));
        }
        fields
    }

    fn trigger(&mut self, document: &Document<'_>, handles: &mut Vec<(String, String)>) -> String {
        let kinds: Vec<String> = document
            .triggers
            .into_iter()
            .flat_map(|triggers| triggers.iter())
            .map(|(name, trigger)| {
                format!(
                    "“{name}” ({})",
                    trigger
                        .get("type")
                        .and_then(Value::as_str)
                        .unwrap_or("manual")
                )
            })
            .collect();
        let by_hand = document.triggers.is_none_or(|triggers| {
            triggers.values().all(|trigger| {
                trigger
                    .get("type")
                    .and_then(Value::as_str)
                    .is_none_or(|ty| {
                        ["manual", "request"].contains(&ty.to_ascii_lowercase().as_str())
                    })
            })
        });
        if !kinds.is_empty() {
            let outcome = if by_hand {
                Outcome::Mapped
            } else {
                Outcome::Approximated
            };
            let says = if by_hand {
                "a run is started by hand"
            } else {
                "nothing starts a flow but a person or the command line: no schedule, no queue, no mail"
            };
            self.say(
                outcome,
                "triggers",
                None,
                format!("{}: {says}", kinds.join(", ")),
            );
        }
        if !self.survey.trigger {
            return "{\"body\": null}".to_owned();
        }
        let read = self.given(
            Given { name: "trigger".to_owned(), data: json!({ "dataType": "json", "description": "What the trigger gives: the body of the request or message" }) },
            handles,
        );
        self.say(
            Outcome::Mapped,
            "triggerBody()",
            None,
            "what the trigger gives is the run's input “trigger”",
        );
        if self.survey.trigger_outputs {
            self.say(Outcome::Approximated, "triggerOutputs()", None, "the input “trigger” stands for the trigger's body and, where it is an object, for its other outputs too");
            return format!("{{...({read} if {read} is map else {{}}), \"body\": {read}}}");
        }
        format!("{{\"body\": {read}}}")
    }

    /// The outputs: those of the document, the response, or what every action gave.
    pub(super) fn finish(&mut self, document: &Document<'_>, end: Ends) -> Result<(), ImportError> {
        let mut at = std::mem::take(&mut self.ended);
        at.extend(end);
        let at = self.single(at);
        let declared = document.outputs.filter(|outputs| !outputs.is_empty());
        for (name, output) in declared.into_iter().flatten() {
            let value = output.get("value").unwrap_or(output);
            let place = format!("outputs.{name}");
            match self.source(value) {
                Ok(code) => {
                    let node = self.value_node(&format!("{name} value"), &at, code);
                    self.output(name, &node);
                    self.say(Outcome::Mapped, &place, Some(&node), "an output of the run");
                }
                Err(mistake) => self.say(
                    Outcome::Placeholder,
                    &place,
                    None,
                    format!("left out: {mistake}"),
                ),
            }
        }
        let kinds: Vec<String> = document.actions.values().map(Value::to_string).collect();
        let responds = kinds
            .iter()
            .any(|action| action.to_lowercase().contains("\"type\":\"response\""));
        if responds {
            let node = self.graph.add("transform", "response_value", json!({ "label": "Response", "template": "{{ input.results.response | default(value=null) }}" }));
            self.graph.wire(&at, &node, None);
            self.output("response", &node);
        }
        let node = self.graph.add(
            "transform",
            "outputs",
            json!({ "label": "Outputs", "template": "{{ input.outputs }}" }),
        );
        self.graph.wire(&at, &node, None);
        self.output("result", &node);
        Ok(())
    }

    fn output(&mut self, name: &str, from: &str) {
        let output = self.graph.add(
            "output",
            &format!("out {name}"),
            json!({ "label": name, "name": name, "format": "json" }),
        );
        self.graph.wire(&[End::primary(from)], &output, None);
    }
}
