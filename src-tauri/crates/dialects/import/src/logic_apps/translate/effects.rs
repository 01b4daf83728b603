//! Translates actions with external effects (HTTP, a model, a pause), and adds placeholders for actions that cannot be
//! translated.

use serde_json::{Map, Value, json};

use super::{Action, Ends, Step, Translator, Trouble, policy};
use crate::{
    Outcome,
    build::{MOST_ITERATIONS, Port},
    logic_apps::{
        document::kind_of,
        duration,
        expression::{Dialect, Mistake, entry, entry_of, luau_text, quoted},
    },
};

impl Translator {
    /// Converts an action's fields to templates. A preceding node computes the values that the templates read. Also returns the
    /// ports that carry the state after that node.
    fn rendered(
        &mut self,
        name: &str,
        fields: Map<String, Value>,
        at: Ends,
    ) -> Result<(Map<String, Value>, Ends), Mistake> {
        let (mut rendered, computed): (Map<_, _>, Map<_, _>) =
            fields.into_iter().partition(|(_, value)| is_plain(value));
        if computed.is_empty() {
            return Ok((rendered, at));
        }
        for field in computed.keys() {
            let read = entry("args", name);
            let read = format!("{{{{ {read}[{}] }}}}", quoted(field));
            rendered.insert(field.clone(), json!(read));
        }
        let code = self.source(&Value::Object(computed))?;
        let at = self.set(&format!("{name} inputs"), &at, ("args", name), code);
        Ok((rendered, at))
    }

    /// Adds a script that stores a server's answer in the state, and fails if the answer has an error status. Returns the
    /// script's port.
    fn keep_answer(&mut self, name: &str, at: &Ends, node: &Port) -> Ends {
        let key = luau_text(name);
        let mut source = format!(
            "if reply.status >= 400 then\n    error(\"the server answered \" .. reply.status, 0)\nend\n\
             local whole = table.clone(input)\nwhole.outputs = table.clone(input.outputs)\n\
             whole.outputs[{key}] = {{ statusCode = reply.status, headers = reply.headers, body = reply.body }}\n"
        );
        if self.watched.contains(name) {
            source.push_str(&format!(
                "whole.status = table.clone(input.status)\nwhole.status[{key}] = \"Succeeded\"\n"
            ));
        }
        source.push_str("return whole");
        vec![self.script(&format!("Keep {name}"), source, at, node)]
    }

    /// Sets a node's `retry`, if it is not `None`, and reports it.
    fn retry(&mut self, retry: Option<(Value, String)>, node: &Port, place: &str) {
        let data = self.build.data(&node.node);
        if let (Some((retry, says)), Some(data)) = (retry, data) {
            data.insert("retry".to_owned(), retry);
            self.build.mapped(place, &node.node, says);
        }
    }

    pub(super) fn http(&mut self, action: Action<'_>, at: Ends) -> Step {
        let name = action.name;
        let uri = action.first_of(&["uri", "url"]).and_then(Value::as_str);
        let uri = with_queries(
            uri.ok_or("the action has no `uri`")?,
            action.field("queries"),
        );
        let retry = policy::retry(action, self.dialect)?;
        let at = self.single(at);
        let method = action
            .field("method")
            .cloned()
            .unwrap_or_else(|| json!("GET"));
        let mut fields = Map::new();
        fields.insert("url".to_owned(), json!(uri));
        fields.insert("method".to_owned(), method.clone());
        for part in ["headers", "body"] {
            if let Some(value) = action.field(part).filter(|value| !value.is_null()) {
                fields.insert(part.to_owned(), value.clone());
            }
        }
        let (args, at) = self.rendered(name, fields, at)?;
        let data = json!({ "tool": "http.request", "args": args });
        let node = self.node("tool", name, data, &at);
        let after = self.keep_answer(name, &at, &node);
        let says = "a request with http.request, which asks for approval before it is sent; a status of 400 or above counts as a failure";
        self.build.mapped(action.place, &node.node, says);
        self.retry(retry, &node, &action.within("retryPolicy"));
        if action.field("authentication").is_some() {
            let place = action.within("authentication");
            let says = "the authentication is not imported, because a flow contains no keys. The request is sent without it";
            self.build.approximated(&place, Some(&node.node), says);
        }
        if let Some(method) = method.as_str()
            && !["GET", "POST"].contains(&method.to_uppercase().as_str())
        {
            let place = action.within("method");
            let says = format!(
                "http.request may not support {method}; if it does not, the node fails with an error"
            );
            self.build.approximated(&place, Some(&node.node), says);
        }
        Ok(after)
    }

    pub(super) fn ai(&mut self, action: Action<'_>, at: Ends) -> Step {
        let name = action.name;
        let input = |name: &str| action.fields.get("inputs")?.as_object()?.get(name);
        let prompt = action
            .first_of(&["prompt", "userPrompt", "message", "input"])
            .ok_or("the action has no `prompt`")?;
        let prompt = match prompt {
            Value::String(text) => json!(text),
            other => json!(other.to_string()),
        };
        let retry = policy::retry(action, Dialect::Loom)?;
        let at = self.single(at);
        let mut fields = Map::from_iter([("prompt".to_owned(), prompt)]);
        for from in ["system", "systemPrompt", "systemMessage"] {
            if let Some(system) = input(from).filter(|system| system.is_string()) {
                fields.insert("systemPrompt".to_owned(), system.clone());
            }
        }
        let (mut data, at) = self.rendered(name, fields, at)?;
        for field in ["temperature", "maxTokens", "model"] {
            if let Some(value) = input(field).filter(|value| !value.to_string().contains('@')) {
                data.insert(field.to_owned(), value.clone());
            }
        }
        let object = self.survey.objects.contains(name);
        if object {
            data.insert("responseFormat".to_owned(), json!("json"));
        }
        let node = self.node("llm", name, Value::Object(data), &at);
        let label = format!("Keep {name}");
        let after = self.keep_reply((&label, name), &at, &node, "reply");
        let says = if object {
            "calls a model; its answer must be JSON, because other actions read its fields"
        } else {
            "calls a model"
        };
        self.build.mapped(action.place, &node.node, says);
        self.retry(retry, &node, &action.within("retry"));
        Ok(after)
    }

    /// Translates an action inside a retry. The retry's policy becomes the action's own. Fails if the action is invalid or
    /// has no equivalent.
    pub(super) fn retried(&mut self, action: Action<'_>, at: Ends) -> Step {
        let mut inner = action
            .object("action")
            .ok_or("the action has no `action`")?
            .clone();
        let policy = action
            .field("retryPolicy")
            .cloned()
            .unwrap_or_else(|| json!({ "type": "exponential" }));
        if let Value::Object(policy) = &policy {
            policy::read(policy, self.dialect)?;
        }
        let kind = kind_of(&inner);
        match kind.as_str() {
            "http" | "ai" => {
                inner.insert("retryPolicy".to_owned(), policy);
            }
            "compose" | "setvariable" | "initializevariable" | "select" | "query" | "join" => {
                let place = action.within("retryPolicy");
                let says = "the action only computes: it gives the same result each time, so a retry would change nothing";
                self.build.say(Outcome::Ignored, place, None, says);
            }
            "actor" | "activity" => {}
            other => {
                return Err(format!(
                    "it retries an action of the type {other}, and no node can retry such an action as a whole"
                )
                .into());
            }
        }
        if kind == "http" {
            self.survey.bodies.insert(action.name);
        }
        let inner = Action {
            name: action.name,
            fields: &inner,
            place: &action.within("action"),
        };
        self.action(inner, at).map_err(Trouble::from)
    }

    /// Translates a pause into a loop of two iterations with a delay, because a flow pauses only between iterations. Fails if
    /// the pause ends at a fixed point in time, or if its length is invalid.
    pub(super) fn wait(&mut self, action: Action<'_>, mut at: Ends) -> Step {
        let name = action.name;
        let inputs = action.fields.get("inputs").unwrap_or(&Value::Null);
        if inputs.get("until").is_some() {
            return Err("it waits until a given time, and a flow has no clock".into());
        }
        let interval = action
            .first_of(&["interval", "delay", "duration"])
            .ok_or("the action has no `interval`")?;
        let dynamic = interval
            .get("count")
            .filter(|count| count.as_str().is_some_and(|text| text.contains('@')));
        let (data, says) = if let Some(count) = dynamic {
            let unit = interval.get("unit").and_then(Value::as_str);
            let unit = unit.unwrap_or_default();
            let one = duration::of_unit(1.0, unit)?;
            let code = self.computed("int", &[count])?;
            at = self.set(&format!("{name} length"), &at, ("args", name), code);
            let read = entry_of("result", "args", name);
            self.largest = MOST_ITERATIONS;
            let data = json!({ "maxIterations": MOST_ITERATIONS, "onLimit": "fail", "exitCondition": "condition",
                "condition": { "until": format!("loopIndex >= {read}"), "test": "after" }, "delay": { "type": "fixed", "interval": one } });
            let says = format!(
                "a pause of a computed number of {unit}s, at most 999. It becomes an empty Loop that waits one {unit} between its passes"
            );
            (data, says)
        } else {
            let pause = duration::pause(interval)?;
            let says = format!(
                "a pause of {pause}. It becomes a Loop of two empty passes with this delay between them"
            );
            let delay = json!({ "type": "fixed", "interval": pause });
            (json!({ "maxIterations": 2, "delay": delay }), says)
        };
        let start = self.node("loop", name, data, &at).node;
        let data = json!({ "label": "Wait", "template": "{{ input }}" });
        let body = [Port::at(&start, "body")];
        let pass = self.node("transform", &format!("{name} pass"), data, &body);
        let data = json!({ "label": "Waited" });
        let end = self.node("exit", &format!("{name} over"), data, &[pass]);
        self.build.mapped(action.place, &start, says);
        Ok(self.done(name, vec![end], None))
    }

    /// Adds a placeholder, which contains the action unchanged and fails when it runs. Returns its port.
    pub(super) fn placeholder(&mut self, action: Action<'_>, at: Ends, why: &str) -> Ends {
        let name = action.name;
        let at = self.single(at);
        let source = Value::Object(action.fields.clone());
        let data = json!({ "imported": { "from": "loom", "reason": why, "source": source } });
        let node = self.node("placeholder", name, data, &at);
        let outputs = if self.survey.bodies.contains(name) {
            "{\"statusCode\": 200, \"body\": reply}"
        } else {
            "reply"
        };
        let label = format!("Keep {name}");
        let after = self.keep_reply((&label, name), &at, &node, outputs);
        let says = format!(
            "kept unchanged: {why}. A run that reaches this node fails. Replace the node with one that does the same"
        );
        let outcome = Outcome::Placeholder;
        self.build
            .say(outcome, action.place, Some(&node.node), says);
        after
    }
}

/// Returns whether a value contains neither expressions nor template syntax.
fn is_plain(value: &Value) -> bool {
    let text = value.to_string();
    !["@", "{{", "{%", "{#"]
        .iter()
        .any(|mark| text.contains(mark))
}

/// Appends query parameters to a URI.
fn with_queries(uri: &str, queries: Option<&Value>) -> String {
    let queries = queries.and_then(Value::as_object);
    let Some(queries) = queries.filter(|queries| !queries.is_empty()) else {
        return uri.to_owned();
    };
    let mut whole = match uri.strip_prefix('@') {
        Some(rest) if !rest.starts_with(['{', '@']) => format!("@{{{rest}}}"),
        _ => uri.to_owned(),
    };
    for (name, value) in queries {
        whole.push(if whole.contains('?') { '&' } else { '?' });
        whole.push_str(&encoded(name));
        whole.push('=');
        match value {
            Value::String(text)
                if text.starts_with('@') && !text.starts_with("@@") && !text.starts_with("@{") =>
            {
                whole.push_str(&format!("@{{encodeURIComponent({})}}", &text[1..]));
            }
            Value::String(text) if text.contains("@{") => whole.push_str(text),
            Value::String(text) => whole.push_str(&encoded(text)),
            other => whole.push_str(&encoded(&other.to_string())),
        }
    }
    whole
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}
