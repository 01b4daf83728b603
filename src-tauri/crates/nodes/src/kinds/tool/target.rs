//! Where a call goes: what two calls have in common that a person allows with one answer.

use serde_json::{Map, Value, json};

use super::COMMAND;

/// What a person allows who allows a call for the rest of a run. A later call with the same target needs no other question;
/// one with another target does. `None`: the arguments alone do not say where the call goes, and each call is asked for.
///
/// - a request: its method, server and port, and its headers by name with the keys that they carry;
/// - a program: the program, its arguments, folder and environment;
/// - an agent: all but the prompt and the session;
/// - a file: its folder;
/// - a script: its source;
/// - any other tool: the tool.
pub(super) fn target(tool: &str, args: &Map<String, Value>) -> Option<Value> {
    let of = |names: &[&str]| {
        let own = args
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()));
        Value::Object(
            own.map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    };
    Some(match tool {
        "http.request" => {
            let method = args.get("method").and_then(Value::as_str).unwrap_or("GET");
            let server = server(args.get("url")?.as_str()?)?;
            json!([
                method.to_ascii_uppercase(),
                server,
                headers(args.get("headers"))?
            ])
        }
        COMMAND => of(&["program", "args", "cwd", "env"]),
        _ if tool.starts_with("agent:") => {
            let changing = ["prompt", "session"];
            let own = args
                .iter()
                .filter(|(name, _)| !changing.contains(&name.as_str()));
            Value::Object(
                own.map(|(name, value)| (name.clone(), value.clone()))
                    .collect(),
            )
        }
        _ if tool.starts_with("files.") => of(&["folder"]),
        _ if tool.starts_with("script.") => of(&["source"]),
        _ => Value::Null,
    })
}

/// `https://example.com:8443` of an address. `None`: it cannot be told for sure.
fn server(url: &str) -> Option<String> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let server = rest.split(['/', '?', '#', '\\']).next()?;
    // Addresses that are read differently by different programs are asked for each time.
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '_');
    let plain = !server.is_empty() && server.chars().all(is_plain);
    plain.then(|| format!("{scheme}://{server}").to_ascii_lowercase())
}

/// The names of headers, with the key that each carries. Their other values may change.
fn headers(headers: Option<&Value>) -> Option<Value> {
    let headers = match headers {
        None | Some(Value::Null) => return Some(Value::Null),
        Some(Value::Object(headers)) => headers,
        Some(_) => return None,
    };
    let named = headers.iter().map(|(name, value)| {
        let key = value.get("key").cloned().unwrap_or_default();
        (name.to_ascii_lowercase(), key)
    });
    Some(Value::Object(named.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tool: &str, args: Value) -> Option<Value> {
        let Value::Object(args) = args else {
            panic!("arguments are an object")
        };
        target(tool, &args)
    }

    #[test]
    fn calls_to_one_place_have_one_target() {
        for (tool, one, other) in [
            (
                "http.request",
                json!({ "method": "post", "url": "https://Example.com/a", "body": 1, "headers": { "X": "1" } }),
                json!({ "method": "POST", "url": "https://example.com/b?c", "body": 2, "headers": { "x": "2" } }),
            ),
            (
                COMMAND,
                json!({ "program": "make", "args": ["x"], "stdin": "1" }),
                json!({ "program": "make", "args": ["x"], "stdin": "2" }),
            ),
            (
                "files.write",
                json!({ "folder": "a", "path": "b" }),
                json!({ "folder": "a", "path": "c" }),
            ),
            (
                "agent:codex",
                json!({ "prompt": "a", "sandbox": "x" }),
                json!({ "prompt": "b", "session": 1, "sandbox": "x" }),
            ),
            (
                "mcp:loud/shout",
                json!({ "text": "a" }),
                json!({ "text": "b" }),
            ),
        ] {
            assert!(of(tool, one.clone()).is_some(), "{tool}");
            assert_eq!(of(tool, one), of(tool, other), "{tool}");
        }
    }

    #[test]
    fn another_place_is_another_target() {
        let request = json!({ "url": "https://example.com/a", "headers": { "x": { "key": "A" } } });
        for other in [
            json!({ "url": "https://example.org/a", "headers": { "x": { "key": "A" } } }),
            json!({ "url": "http://example.com/a", "headers": { "x": { "key": "A" } } }),
            json!({ "url": "https://example.com:8443/a", "headers": { "x": { "key": "A" } } }),
            json!({ "url": "https://example.com/a", "headers": { "x": { "key": "B" } } }),
            json!({ "url": "https://example.com/a", "headers": { "x": "1" } }),
            json!({ "url": "https://example.com/a" }),
            json!({ "method": "DELETE", "url": "https://example.com/a", "headers": { "x": { "key": "A" } } }),
        ] {
            assert_ne!(
                of("http.request", request.clone()),
                of("http.request", other)
            );
        }
        let command = |args: Value| of(COMMAND, args);
        assert_ne!(
            command(json!({ "program": "make", "args": ["x"] })),
            command(json!({ "program": "make", "args": ["y"] }))
        );
        assert_ne!(
            command(json!({ "program": "make" })),
            command(json!({ "program": "make", "cwd": "b" }))
        );
        assert_ne!(
            of("files.write", json!({ "folder": "a" })),
            of("files.write", json!({}))
        );
        assert_ne!(
            of("agent:codex", json!({ "sandbox": "a" })),
            of("agent:codex", json!({ "sandbox": "b" }))
        );
    }

    #[test]
    fn an_address_that_cannot_be_told_for_sure_has_no_target() {
        for url in [
            json!(null),
            json!(7),
            json!("example.com"),
            json!("https://a@example.com"),
            json!("https:///x"),
            json!("https://exämple.com"),
            json!("https://exa mple.com"),
        ] {
            assert_eq!(of("http.request", json!({ "url": url })), None, "{url}");
        }
        assert_eq!(of("http.request", json!({})), None);
    }
}
