//! Finds JSON values in output with other lines.

use serde::de::{DeserializeOwned, IgnoredAny};

/// The maximum parsing work, as a multiple of the output's length, so that unclosed brackets cost little.
const MAX_WORK: usize = 4;

/// Returns the JSON values that contain `opening` and have the type `T`. A value begins at the start of a line with `{` or `[`,
/// or at any position with `{"`.
pub(crate) fn values<T: DeserializeOwned>(output: &str, opening: &str) -> Vec<T> {
    let mut found = Vec::new();
    if !output.contains(opening) {
        return found;
    }
    let mut work = output.len().saturating_mul(MAX_WORK) + 65_536;
    let mut at = 0;
    while let Some(start) = next_start(output, at) {
        let text = &output[start..];
        let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
        match stream.next() {
            Some(Ok(_)) => {
                let end = start + stream.byte_offset();
                let value = &output[start..end];
                if value.contains(opening)
                    && let Ok(value) = serde_json::from_str(value)
                {
                    found.push(value);
                }
                at = end;
            }
            Some(Err(error)) => {
                // The parser has read the text up to the error, which counts towards the limit.
                let lines = text.lines().take(error.line()).map(str::len).sum::<usize>();
                match work.checked_sub(lines + error.line() + 1) {
                    Some(left) => work = left,
                    None => break,
                }
                at = start + 1;
            }
            None => break,
        }
    }
    found
}

/// Returns the next position, at or after `from`, of `{` or `[` at the start of a line or of `{"` anywhere. Returns `None`
/// if there is none.
fn next_start(output: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let found = at + output.get(at..)?.find(['{', '['])?;
        let before = output[..found].bytes().rev().take(9);
        let blank = before.take_while(|byte| *byte == b' ').count();
        let first = blank <= 8 && (blank == found || output[..found - blank].ends_with('\n'));
        if first || output[found..].starts_with("{\"") {
            return Some(found);
        }
        at = found + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_among_lines() {
        let output = "[not] one\nprinted\n{\n \"a\": 1\n}\nx {\"a\": 2}\n{\"b\": 3}\n";
        let found: Vec<serde_json::Value> = values(output, "\"a\"");
        assert_eq!(found.len(), 2);
        let opened: Vec<serde_json::Value> = values(&"[\n\"a\"".repeat(10_000), "\"a\"");
        assert!(opened.is_empty());
    }
}
