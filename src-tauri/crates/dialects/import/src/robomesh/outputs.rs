//! Resolves the outputs of nodes by the names that other nodes use.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Maker, Port, Spec, out::Out, ports, text};

/// Returns the names of the outputs that a node declares.
pub(super) fn output_names<'v>(spec: &Spec<'v>) -> Vec<&'v str> {
    let ports = ports(spec, "outputs").iter();
    ports.filter_map(|port| text(port, "name")).collect()
}

/// Returns a node's outputs as fields of the object that `port` carries. Without declared outputs there is only `output`.
pub(super) fn fields(spec: &Spec<'_>, port: &Port) -> BTreeMap<String, Option<Out>> {
    let mut names = output_names(spec);
    if names.is_empty() {
        names.push("output");
    }
    let out = |name: &str| (name.to_owned(), Some(Out::field(port, name)));
    names.into_iter().map(out).collect()
}

impl<'v> Maker<'v, '_> {
    /// Returns the translation of a node's output, or `None` if the source has no such output either.
    ///
    /// # Errors
    /// Returns an error if the source has the output, but the output has no equivalent.
    pub(super) fn out(&mut self, id: &str, name: &str) -> Result<Option<Out>, String> {
        let container = self.container;
        let Some(made) = self.made.get(id) else {
            return Ok(None);
        };
        if made.kept {
            return Ok(Some(Out::of(Port::of(&made.node))));
        }
        let mut found = made.outputs.get(name).cloned();
        let trigger = container.node(id).filter(|spec| spec.kind == "trigger");
        if let (None, Some(trigger)) = (&found, trigger) {
            found = self.trigger_output(trigger, name);
            if let (Some(out), Some(made)) = (&found, self.made.get_mut(id)) {
                made.outputs.insert(name.to_owned(), out.clone());
            }
        }
        match found {
            None => Ok(None),
            Some(Some(out)) => Ok(Some(out)),
            Some(None) => Err(format!(
                "it reads the output “{name}” of “{id}”, which has no counterpart"
            )),
        }
    }

    /// Returns a trigger's output: an input of the run or of the enclosing component, which is added on first use. The result has
    /// the same meaning as an entry of [`Made::outputs`](super::Made).
    fn trigger_output(&mut self, spec: &Spec<'v>, name: &str) -> Option<Option<Out>> {
        let declared = output_names(spec);
        let label = format!("{} {name}", spec.id);
        let default = match name {
            _ if !declared.contains(&name) => {
                let is_usual = name == "output" && declared.is_empty();
                return is_usual.then(|| Some(Out::of(self.transform(&label, "{{ \"\" }}"))));
            }
            "text" => json!(""),
            "params" => json!({}),
            "type" => {
                let kind = json!(text(spec.data, "triggerType").unwrap_or("manual"));
                let kind = self.transform(&label, &format!("{{{{ {kind} }}}}"));
                return Some(Some(Out::of(kind)));
            }
            _ => Value::Null,
        };
        let component = self.component.as_ref();
        let given = component.map(|given| given.get(name).cloned());
        let port = match given {
            None => self.trigger_input(spec, name, default),
            Some(_) if name == "timestamp" => return Some(None),
            Some(None) if default.is_null() => return None,
            Some(None) => self.transform(&label, &format!("{{{{ {default} }}}}")),
            Some(Some(port)) if default.is_null() => port,
            Some(Some(port)) => {
                let read = format!("{{{{ input | default(value={default}) }}}}");
                let node = self.transform(&label, &read);
                self.builder.wire(&port, &node);
                node
            }
        };
        Some(Some(Out::of(port)))
    }

    /// Adds a trigger's output as an input of the run. Returns the input's port.
    fn trigger_input(&mut self, spec: &Spec<'v>, name: &str, default: Value) -> Port {
        let is_text = ["timestamp", "text"].contains(&name);
        let mut data = json!({ "name": name, "dataType": if is_text { "text" } else { "json" } });
        match default {
            Value::Null => data["required"] = json!(true),
            default => data["default"] = default,
        }
        let node = self.builder.node("input", name, data);
        if name == "timestamp" {
            let says = "A run has no clock. Pass the start time as the run's input `timestamp`, in the form 2026-01-31T12:00:00.000Z.";
            self.builder.approximated(&spec.place, Some(&node), says);
        }
        Port::of(&node)
    }
}

/// Returns a JavaScript expression that extracts a port's output from the text in the variable `from`. A port without a
/// pattern has the whole text as its output.
pub(super) fn extraction(port: &Value) -> String {
    let extract = &port["extract"];
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
