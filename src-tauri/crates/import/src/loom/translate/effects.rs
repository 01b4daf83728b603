//! Actions that reach the world: HTTP, a model, a pause; and what cannot be translated.

use serde_json::{Map, Value, json};

use super::{Change, Translator, Trouble, field, policy, within};
use crate::{
    Outcome,
    loom::{
        document::kind_of,
        duration,
        expression::{Code, Mistake, luau_text, tera_text},
        graph::{End, Ends},
    },
};

impl Translator {
    /// Values of an action's fields as templates, which read what a node before it computes; with where the state goes on.
    fn rendered(
        &mut self,
        name: &str,
        fields: Map<String, Value>,
        at: Ends,
    ) -> Result<(Map<String, Value>, Ends), Mistake> {
        let mut rendered = Map::new();
        let mut computed = Map::new();
        for (field, value) in fields {
            if is_plain(&value) {
                rendered.insert(field, value);
            } else {
                computed.insert(field, value);
            }
        }
        if computed.is_empty() {
            return Ok((rendered, at));
        }
        let code = self.source(&Value::Object(computed.clone()))?;
        let id = self.change(
            &format!("{name} inputs"),
            &at,
            &[Change::new("args", name, code)],
            None,
        );
        for field in computed.keys() {
            let read = format!(
                "{{{{ input.args[{}][{}] }}}}",
                tera_text(name).unwrap_or_default(),
                tera_text(field).unwrap_or_default()
            );
            rendered.insert(field.clone(), json!(read));
        }
        Ok((rendered, vec![End::primary(&id)]))
    }

    /// Keeps what a node answered under the action's name.
    fn keep(&mut self, name: &str, at: &Ends, node: &str, outputs: Code) -> Ends {
        let mut changes = vec![Change::new("outputs", name, outputs)];
        changes.extend(self.succeeded(name));
        let id = self.change(
            &format!("Keep {name}"),
            at,
            &changes,
            Some(&End::primary(node)),
        );
        vec![End::primary(&id)]
    }

    /// Keeps what a server answered, and fails where that is an error.
    fn keep_answer(&mut self, name: &str, at: &Ends, node: &str) -> Ends {
        let mut source = format!(
            "if reply.status >= 400 then\n    error(\"the server answered \" .. reply.status, 0)\nend\n\
             local whole = table.clone(input)\nwhole.outputs = table.clone(input.outputs)\n\
             whole.outputs[{}] = {{ statusCode = reply.status, headers = reply.headers, body = reply.body }}\n",
            luau_text(name)
        );
        if self.watched.contains(name) {
            source.push_str(&format!(
                "whole.status = table.clone(input.status)\nwhole.status[{}] = \"Succeeded\"\n",
                luau_text(name)
            ));
        }
        source.push_str("return whole");
        let id = self.script(&format!("Keep {name}"), source, true);
        self.graph.wire(at, &id, None);
        self.graph.wire(&[End::primary(node)], &id, Some("reply"));
        vec![End::primary(&id)]
    }

    pub(super) fn http(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let Some(uri) = field(action, "uri")
            .or_else(|| field(action, "url"))
            .and_then(Value::as_str)
        else {
            return Err(Trouble::Kept("it has no `uri`".to_owned()));
        };
        let retry = policy::retry(action, self.dialect).map_err(Trouble::Kept)?;
        let at = self.single(at);
        let mut fields = Map::new();
        fields.insert(
            "url".to_owned(),
            json!(with_queries(uri, field(action, "queries"))),
        );
        let method = field(action, "method")
            .cloned()
            .unwrap_or_else(|| json!("GET"));
        fields.insert("method".to_owned(), method.clone());
        for part in ["headers", "body"] {
            if let Some(value) = field(action, part).filter(|value| !value.is_null()) {
                fields.insert(part.to_owned(), value.clone());
            }
        }
        let (args, at) = self.rendered(name, fields, at)?;
        let mut data = json!({ "label": name, "tool": "http.request", "args": args });
        if let Some((retry, _)) = &retry {
            data["retry"] = retry.clone();
        }
        let node = self.graph.add("tool", name, data);
        self.graph.wire(&at, &node, None);
        let after = self.keep_answer(name, &at, &node);
        self.say(Outcome::Mapped, place, Some(&node), "a request with http.request, which asks before it is sent; an answer of 400 and above is a failure");
        if let Some((_, says)) = retry {
            self.say(
                Outcome::Mapped,
                &within(place, "retryPolicy"),
                Some(&node),
                says,
            );
        }
        if field(action, "authentication").is_some() {
            self.say(
                Outcome::Approximated,
                &within(place, "authentication"),
                Some(&node),
                "is not taken over: a flow holds no keys. The request goes out without it",
            );
        }
        if let Some(method) = method
            .as_str()
            .filter(|method| !["GET", "POST"].contains(&method.to_uppercase().as_str()))
        {
            self.say(
                Outcome::Approximated,
                &within(place, "method"),
                Some(&node),
                format!("http.request may not know {method}; then the node fails and says so"),
            );
        }
        Ok(after)
    }

    pub(super) fn ai(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let inputs = action.get("inputs").and_then(Value::as_object);
        let prompt = ["prompt", "userPrompt", "message", "input"]
            .iter()
            .find_map(|name| field(action, name))
            .ok_or_else(|| Trouble::Kept("it has no `prompt`".to_owned()))?;
        let retry =
            policy::retry(action, crate::loom::expression::Dialect::Loom).map_err(Trouble::Kept)?;
        let at = self.single(at);
        let mut fields = Map::new();
        fields.insert(
            "prompt".to_owned(),
            match prompt {
                Value::String(text) => json!(text),
                other => json!(other.to_string()),
            },
        );
        for from in ["system", "systemPrompt", "systemMessage"] {
            if let Some(system) = inputs
                .and_then(|inputs| inputs.get(from))
                .filter(|system| system.is_string())
            {
                fields.insert("systemPrompt".to_owned(), system.clone());
            }
        }
        let (mut data, at) = self.rendered(name, fields, at)?;
        data.insert("label".to_owned(), json!(name));
        for (from, to) in [
            ("temperature", "temperature"),
            ("maxTokens", "maxTokens"),
            ("model", "model"),
        ] {
            if let Some(value) = inputs
                .and_then(|inputs| inputs.get(from))
                .filter(|value| !value.to_string().contains('@'))
            {
                data.insert(to.to_owned(), value.clone());
            }
        }
        let object = self.survey.objects.contains(name);
        if object {
            data.insert("responseFormat".to_owned(), json!("json"));
        }
        if let Some((retry, _)) = &retry {
            data.insert("retry".to_owned(), retry.clone());
        }
        let node = self.graph.add("llm", name, Value::Object(data));
        self.graph.wire(&at, &node, None);
        let after = self.keep(name, &at, &node, Code::Tera("reply".to_owned()));
        let says = if object {
            "a model is asked; its answer must be JSON, for fields of it are read"
        } else {
            "a model is asked"
        };
        self.say(Outcome::Mapped, place, Some(&node), says);
        if let Some((_, says)) = retry {
            self.say(Outcome::Mapped, &within(place, "retry"), Some(&node), says);
        }
        Ok(after)
    }

    /// An action under a retry policy: the action, with the policy as its own.
    pub(super) fn retried(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let Some(inner) = field(action, "action").and_then(Value::as_object) else {
            return Err(Trouble::Kept("it has no `action`".to_owned()));
        };
        let mut inner = inner.clone();
        let policy = field(action, "retryPolicy")
            .cloned()
            .unwrap_or_else(|| json!({ "type": "exponential" }));
        if let Value::Object(policy) = &policy {
            policy::read(policy, self.dialect).map_err(Trouble::Kept)?;
        }
        let kind = kind_of(&inner);
        match kind.as_str() {
            "http" | "ai" => {
                inner.insert("retryPolicy".to_owned(), policy);
            }
            "compose" | "setvariable" | "initializevariable" | "select" | "query" | "join" => {
                self.say(Outcome::Ignored, &within(place, "retryPolicy"), None, "what it holds only computes: it gives the same each time, so that a retry could change nothing");
            }
            "actor" | "activity" => {}
            other => {
                return Err(Trouble::Kept(format!(
                    "it tries an action of the type {other} again as a whole, which no node does"
                )));
            }
        }
        if kind == "http" {
            self.survey.bodies.insert(name);
        }
        self.action(name, &inner, at, &within(place, "action"))
            .map_err(Trouble::from)
    }

    /// A pause: a loop of two passes with a delay between them, since pauses stand between iterations.
    pub(super) fn wait(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
    ) -> Result<Ends, Trouble> {
        let inputs = action.get("inputs").unwrap_or(&Value::Null);
        let interval = field(action, "interval")
            .or_else(|| field(action, "delay"))
            .or_else(|| field(action, "duration"));
        if inputs.get("until").is_some() {
            return Err(Trouble::Kept(
                "it waits for a time of day, and a flow knows no clock".to_owned(),
            ));
        }
        let Some(interval) = interval else {
            return Err(Trouble::Kept("it has no `interval`".to_owned()));
        };
        let dynamic = interval
            .get("count")
            .filter(|count| count.as_str().is_some_and(|text| text.contains('@')));
        let unit = interval
            .get("unit")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let mut at = at;
        let mut data = json!({ "label": name, "maxIterations": 2 });
        let says = match dynamic {
            None => {
                let pause = duration::pause(interval).map_err(Trouble::Kept)?;
                data["delay"] = json!({ "type": "fixed", "interval": pause });
                format!(
                    "a pause of {pause}: a loop of two passes that do nothing, with a delay between them"
                )
            }
            Some(count) => {
                let one = duration::of_unit(1.0, unit).map_err(Trouble::Kept)?;
                let code = self.computed("int", &[count])?;
                let id = self.change(
                    &format!("{name} length"),
                    &at,
                    &[Change::new("args", name, code)],
                    None,
                );
                at = vec![End::primary(&id)];
                let read = format!(
                    "loopIndex >= result.args[{}]",
                    tera_text(name).unwrap_or_default()
                );
                data = json!({ "label": name, "maxIterations": 1000, "onLimit": "fail", "exitCondition": "condition",
                    "condition": { "until": read, "test": "after" }, "delay": { "type": "fixed", "interval": one } });
                self.largest = 1000;
                format!(
                    "a pause of as many {unit}s as it says, at most 999: a loop that does nothing, with a delay of one between its passes"
                )
            }
        };
        let start = self.graph.add("loop", name, data);
        let pass = self.graph.add(
            "transform",
            &format!("{name} pass"),
            json!({ "label": "Wait", "template": "{{ input }}" }),
        );
        let end = self.graph.add(
            "exit",
            &format!("{name} over"),
            json!({ "label": "Waited" }),
        );
        self.graph.wire(&at, &start, None);
        self.graph.wire(&[End::at(&start, "body")], &pass, None);
        self.graph.wire(&[End::primary(&pass)], &end, None);
        self.say(Outcome::Mapped, place, Some(&start), says);
        Ok(self.done(name, vec![End::primary(&end)], None))
    }

    /// Keeps an action as it came, in a node that fails when it is run.
    pub(super) fn placeholder(
        &mut self,
        name: &str,
        action: &Map<String, Value>,
        at: Ends,
        place: &str,
        why: &str,
    ) -> Ends {
        let at = self.single(at);
        let node = self.graph.add(
            "placeholder",
            name,
            json!({ "label": name, "imported": { "from": "loom", "reason": why, "source": Value::Object(action.clone()) } }),
        );
        self.graph.wire(&at, &node, None);
        let outputs = if self.survey.bodies.contains(name) {
            "{\"statusCode\": 200, \"body\": reply}"
        } else {
            "reply"
        };
        let outputs = Code::Tera(outputs.to_owned());
        let after = self.keep(name, &at, &node, outputs);
        self.say(Outcome::Placeholder, place, Some(&node), format!("kept as it came: {why}. The node fails when it is run; put one in its place that does this"));
        after
    }
}

/// Whether a value has neither expressions nor what a template would read as its own.
fn is_plain(value: &Value) -> bool {
    let text = value.to_string();
    !["@", "{{", "{%", "{#"]
        .iter()
        .any(|mark| text.contains(mark))
}

/// An address with the query that stands beside it.
fn with_queries(uri: &str, queries: Option<&Value>) -> String {
    let Some(queries) = queries
        .and_then(Value::as_object)
        .filter(|queries| !queries.is_empty())
    else {
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
