//! What nodes give, by the names that others ask for.

use serde_json::{Map, Value, json};

use super::{Made, Maker, Spec, text};
use crate::build::Port;

/// A value of a node: what a handle of it carries, or one field of that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Out {
    pub(super) port: Port,
    pub(super) field: Option<String>,
}

/// What there is of an output that somebody asks for.
pub(super) enum Found {
    Out(Out),
    /// The source has none of this name either.
    Missing,
    /// The source has it, and there is no counterpart.
    NoCounterpart,
}

impl Out {
    pub(super) fn of(port: Port) -> Self {
        Self { port, field: None }
    }

    /// How a template or an expression anywhere behind the node reads it.
    pub(super) fn read(&self) -> String {
        let handle = match self.port.handle.clone() {
            Some(handle) => format!("[{}]", json!(handle)),
            None => ".output".to_owned(),
        };
        format!("{}{handle}{}", self.port.node, self.step())
    }

    /// The field as a step behind whatever carries the value.
    pub(super) fn step(&self) -> String {
        self.field
            .as_ref()
            .map_or_else(String::new, |field| format!("[{}]", json!(field)))
    }
}

/// The outputs that a node declares, with those that its kind has where it declares nothing at all.
pub(super) fn declared<'v>(spec: &Spec<'v>) -> Vec<(&'v str, Option<&'v Value>)> {
    let has = |name: &str| spec.data.get(name).is_some_and(|ports| !ports.is_null());
    if has("inputs") || has("outputs") {
        let ports = spec.data.get("outputs").and_then(Value::as_array);
        return ports
            .into_iter()
            .flatten()
            .filter_map(|port| Some((port.get("name")?.as_str()?, port.get("extract"))))
            .collect();
    }
    let names: &[&str] = match spec.kind {
        "wire" | "constant" => &["value"],
        "trigger" => &["timestamp", "type", "text", "params"],
        "shell" => &["stdout", "stderr", "exitCode"],
        "function" => &[],
        _ => &["output"],
    };
    names.iter().map(|name| (*name, None)).collect()
}

/// A node's outputs as the fields of an object that `port` carries.
pub(super) fn fields(port: &Port, names: &[&str]) -> Vec<(String, Option<Out>)> {
    names
        .iter()
        .map(|name| {
            let out = Out {
                port: port.clone(),
                field: Some((*name).to_owned()),
            };
            ((*name).to_owned(), Some(out))
        })
        .collect()
}

impl<'v> Maker<'v, '_> {
    /// What an output of a node is here.
    pub(super) fn out(&mut self, id: &str, name: &str) -> Found {
        let Some(made) = self.made.get(id) else {
            return Found::Missing;
        };
        if made.kept {
            return Found::Out(Out::of(Port::of(&made.node)));
        }
        match made.outputs.get(name) {
            Some(Some(out)) => return Found::Out(out.clone()),
            Some(None) => return Found::NoCounterpart,
            None => {}
        }
        let spec = self
            .container
            .node(id)
            .filter(|spec| spec.kind == "trigger");
        let Some(spec) = spec.cloned() else {
            return Found::Missing;
        };
        let found = self.trigger_output(&spec, name);
        if let (Found::Out(out), Some(made)) = (&found, self.made.get_mut(id)) {
            made.outputs.insert(name.to_owned(), Some(out.clone()));
        }
        found
    }

    /// A trigger's output, made when somebody reads it: an input of the run, or of the component that it stands in.
    fn trigger_output(&mut self, spec: &Spec<'v>, name: &str) -> Found {
        let declared = declared(spec);
        if !declared.iter().any(|(output, _)| *output == name) {
            return match name {
                "output" if declared.is_empty() => self.constant_out(spec, name, "{{ \"\" }}"),
                _ => Found::Missing,
            };
        }
        let default = match name {
            "text" => json!(""),
            "params" => json!({}),
            "type" => {
                let kind = text(spec.data, "triggerType").unwrap_or("manual");
                return self.constant_out(spec, name, &format!("{{{{ {} }}}}", json!(kind)));
            }
            _ => Value::Null,
        };
        if let Some(given) = &self.component {
            return match (given.get(name).cloned(), name) {
                (_, "timestamp") => Found::NoCounterpart,
                (None, "text" | "params") => {
                    self.constant_out(spec, name, &format!("{{{{ {default} }}}}"))
                }
                (None, _) => Found::Missing,
                (Some(port), "text" | "params") => {
                    let data = json!({ "template": format!("{{{{ input | default(value={default}) }}}}") });
                    let node = self
                        .builder
                        .node("transform", &format!("{} {name}", spec.id), data);
                    self.builder.wire(&port, &Port::of(&node));
                    Found::Out(Out::of(Port::of(&node)))
                }
                (Some(port), _) => Found::Out(Out::of(port)),
            };
        }
        let kind = if ["timestamp", "text"].contains(&name) {
            "text"
        } else {
            "json"
        };
        let mut data = json!({ "name": name, "dataType": kind });
        match default {
            Value::Null => data["required"] = json!(true),
            default => data["default"] = default,
        }
        let node = self.builder.node("input", name, data);
        if name == "timestamp" {
            self.builder.approximated(
                &spec.place,
                Some(&node),
                "A run knows no clock: the time at which it starts is its input `timestamp`, in the form 2026-01-31T12:00:00.000Z.",
            );
        }
        Found::Out(Out::of(Port::of(&node)))
    }

    fn constant_out(&mut self, spec: &Spec<'v>, name: &str, template: &str) -> Found {
        let data = json!({ "template": template });
        let node = self
            .builder
            .node("transform", &format!("{} {name}", spec.id), data);
        Found::Out(Out::of(Port::of(&node)))
    }

    /// A node of one handle that gives one value, under this name.
    pub(super) fn single(&self, node: String, name: &str) -> Made {
        let out = Out::of(Port::of(&node));
        Made {
            outputs: [(name.to_owned(), Some(out))].into(),
            entry: super::Entry::Declared(node.clone()),
            node,
            ..Made::default()
        }
    }
}

/// A JavaScript expression of what an output reads out of the text in `from`.
pub(super) fn extraction(extract: Option<&Value>) -> String {
    let empty = Map::new();
    let extract = extract.and_then(Value::as_object).unwrap_or(&empty);
    match (text(extract, "type"), text(extract, "pattern")) {
        (Some("regex"), Some(pattern)) if !pattern.is_empty() => {
            format!("from.match(new RegExp({}))?.[1] || null", json!(pattern))
        }
        (Some("json_path"), Some(pattern)) if !pattern.is_empty() => {
            let path = pattern.strip_prefix("$.").unwrap_or(pattern);
            let path: Vec<&str> = path.split('.').collect();
            format!(
                "(() => {{ try {{ return {}.reduce((value, key) => value?.[key], JSON.parse(from)) ?? null; }} catch {{ return null; }} }})()",
                json!(path)
            )
        }
        _ => "from".to_owned(),
    }
}
