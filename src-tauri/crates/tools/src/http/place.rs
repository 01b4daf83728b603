//! The destination of a request. When the user allows a request, the answer also covers later requests with the same
//! destination.

use serde_json::{Map, Value, json};

/// Returns the destination: the method, the server with its port, and the header names with the secret that each contains.
/// Returns `None` if the arguments do not determine the destination. The user must then be asked about each request
/// separately.
pub(super) fn place(args: &Map<String, Value>) -> Option<Value> {
    let method = args.get("method").and_then(Value::as_str).unwrap_or("GET");
    let server = server(args.get("url")?.as_str()?)?;
    Some(json!([
        method.to_ascii_uppercase(),
        server,
        headers(args.get("headers"))?
    ]))
}

/// Returns the server in a URL, such as `https://example.com:8443`, or `None` if the URL is ambiguous.
fn server(url: &str) -> Option<String> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let server = rest.split(['/', '?', '#', '\\']).next()?;
    // Programs may parse such a URL in different ways, so the user is asked each time.
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']' | '_');
    let plain = !server.is_empty() && server.chars().all(is_plain);
    plain.then(|| format!("{scheme}://{server}").to_ascii_lowercase())
}

/// Returns the header names, each with the name of the secret in its value. Other values may change. `None` if `headers` is
/// not an object.
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

    fn of(args: Value) -> Option<Value> {
        let Value::Object(args) = args else {
            panic!("arguments are an object")
        };
        place(&args)
    }

    #[test]
    fn requests_to_one_server_have_one_place() {
        let one = json!({ "method": "post", "url": "https://Example.com/a", "body": 1, "headers": { "X": "1" } });
        let other = json!({ "method": "POST", "url": "https://example.com/b?c", "body": 2, "headers": { "x": "2" } });
        assert!(of(one.clone()).is_some());
        assert_eq!(of(one), of(other));
    }

    #[test]
    fn another_server_method_or_key_is_another_place() {
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
            assert_ne!(of(request.clone()), of(other));
        }
    }

    #[test]
    fn an_address_that_cannot_be_told_for_sure_has_no_place() {
        for url in [
            json!(null),
            json!(7),
            json!("example.com"),
            json!("https://a@example.com"),
            json!("https:///x"),
            json!("https://exämple.com"),
            json!("https://exa mple.com"),
        ] {
            assert_eq!(of(json!({ "url": url })), None, "{url}");
        }
        assert_eq!(of(json!({})), None);
    }
}
