//! Checks templates and expressions: they are parsed, their names are listed, and they are rendered within limits.

use std::sync::LazyLock;

use loopwright_template::{Expression, Scope, Template, TemplateError};
use serde_json::{Value, json};

/// The maximum size of rendered text in bytes, which is the limit of the template crate.
const LARGEST: usize = 8 << 20;

/// A scope with one value of each type.
static SCOPE: LazyLock<Scope> = LazyLock::new(|| {
    let Value::Object(scope) = json!({
        "input": "Ein Text, two lines\nand ünïcödé 🦊",
        "draft": { "response": "short", "score": 7.5, "done": false, "tags": ["a", "b", "a"], "none": null },
        "nodes": { "my node": { "x": 1 }, "draft": { "response": "short" } },
        "previous": { "draft": { "response": "" } },
        "list": [3, 1, 2, 1],
        "items": [{ "kind": "a", "n": 1 }, { "kind": "b", "n": 2 }, { "kind": "a", "n": -3 }],
        "inputs": { "topic": "x", "count": 3 },
        "run": { "id": "0", "inputs": {} },
        "vars": { "deep": [[[[{ "a": [1] }]]]] },
        "loopIndex": 2,
        "zero": 0,
        "large": 9_007_199_254_740_993_u64,
        "negative": i64::MIN,
        "yes": true,
        "nothing": null,
        "empty": [],
        "__need": 1,
        "__whole_input": 2,
    }) else {
        unreachable!("an object")
    };
    scope.into()
});

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

fn has_words(error: &TemplateError, source: &str) {
    assert!(!error.message.trim().is_empty(), "{error:?}");
    // An error shows names and a little of the source, but no internals.
    assert!(
        error.message.len() < 2_000 + source.len() * 2,
        "{} bytes of message",
        error.message.len()
    );
    if let Some((line, column)) = error.at {
        assert!(line >= 1 && column >= 1, "{error:?}");
        assert!(line <= source.split('\n').count().max(1), "{error:?}");
    }
    // Messages must not show the names of our own filters and functions, unless the author wrote them.
    for own in ["__need", "__keep", "__whole_", "__tick"] {
        assert!(
            !error.message.contains(own) || source.contains("__"),
            "{error:?}"
        );
    }
}

/// Returns the approximate size of a value in bytes: its strings and field names, and a fixed size for each other value.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum::<usize>() + items.len(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, item)| key.len() + size(item))
            .sum(),
        _ => 8,
    }
}

pub(crate) fn template(data: &[u8]) {
    let Some(source) = text(data) else {
        return;
    };
    let parsed = match Template::parse(source) {
        Ok(parsed) => parsed,
        Err(error) => {
            let again = Template::parse(source).expect_err("a refused template is refused again");
            assert_eq!(error, again);
            return has_words(&error, source);
        }
    };
    let again = Template::parse(source).expect("a template that was parsed can be parsed again");
    assert_eq!(parsed.references(), again.references());
    let rendered = parsed.render(&SCOPE);
    assert_eq!(
        rendered,
        again.render(&SCOPE),
        "the second rendering gave another result"
    );
    match rendered {
        Ok(value) => {
            assert!(size(&value) <= LARGEST * 2, "{} bytes", size(&value));
            // The result of a template is recorded, and must be unchanged after it is read back.
            let written = value.to_string();
            if let Ok(read) = serde_json::from_str::<Value>(&written) {
                assert_eq!(read, value);
            }
        }
        Err(error) => has_words(&error, source),
    }
    // With an empty scope, every name without a default is undefined, so rendering fails unless the template reads no name.
    if let Err(error) = parsed.render(&Scope::new()) {
        has_words(&error, source);
    }
}

pub(crate) fn expression(data: &[u8]) {
    let Some(source) = text(data) else {
        return;
    };
    let parsed = match Expression::parse(source) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert_eq!(Expression::parse(source).err(), Some(error.clone()));
            return has_words(&error, source);
        }
    };
    let value = parsed.evaluate(&SCOPE);
    assert_eq!(
        value,
        parsed.evaluate(&SCOPE),
        "the second evaluation gave another value"
    );
    let test = parsed.test(&SCOPE);
    match &value {
        // A condition has the same value as the expression.
        Ok(Value::Bool(value)) => assert_eq!(test.as_ref().ok(), Some(value)),
        Ok(_) => assert_eq!(
            test.as_ref().err().map(|error| error.code),
            Some("not_a_boolean")
        ),
        Err(error) => has_words(error, source),
    }
    if let Err(error) = &test {
        has_words(error, source);
    }
    // In template delimiters the expression has the same result.
    if let Ok(template) = Template::parse(&format!("{{{{ {source} }}}}")) {
        let rendered = template.render(&SCOPE);
        assert_eq!(
            rendered.as_ref().map_err(|error| error.code),
            value.as_ref().map_err(|error| error.code),
            "the expression has another result in template delimiters"
        );
    }
}
