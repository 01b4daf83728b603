//! The hash of a row, which is the id of a case if the row has none.

use std::io::{self, Write};

use serde_json::{Map, Value};

/// Returns the first 16 hexadecimal digits of the BLAKE3 hash of a row, written as compact JSON with sorted keys.
pub(crate) fn hash(row: &Map<String, Value>) -> String {
    let mut hasher = blake3::Hasher::new();
    // Neither hashing nor serializing JSON can fail.
    let _ = write_object(row, &mut hasher);
    hasher.finalize().to_hex()[..16].to_owned()
}

fn write_object(object: &Map<String, Value>, to: &mut impl Write) -> io::Result<()> {
    let mut entries: Vec<_> = object.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    to.write_all(b"{")?;
    for (at, (key, value)) in entries.into_iter().enumerate() {
        if at > 0 {
            to.write_all(b",")?;
        }
        serde_json::to_writer(&mut *to, key)?;
        to.write_all(b":")?;
        write_value(value, to)?;
    }
    to.write_all(b"}")
}

fn write_value(value: &Value, to: &mut impl Write) -> io::Result<()> {
    match value {
        Value::Object(object) => write_object(object, to),
        Value::Array(items) => {
            to.write_all(b"[")?;
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    to.write_all(b",")?;
                }
                write_value(item, to)?;
            }
            to.write_all(b"]")
        }
        other => Ok(serde_json::to_writer(to, other)?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_keys_does_not_matter_and_the_text_is_compact_json() {
        let one = json!({ "b": [1, { "d": null, "c": "é\n" }], "a": true });
        let other = json!({ "a": true, "b": [1, { "c": "é\n", "d": null }] });
        let expected =
            blake3::hash("{\"a\":true,\"b\":[1,{\"c\":\"é\\n\",\"d\":null}]}".as_bytes());
        for row in [one, other] {
            assert_eq!(hash(row.as_object().unwrap()), expected.to_hex()[..16]);
        }
    }
}
