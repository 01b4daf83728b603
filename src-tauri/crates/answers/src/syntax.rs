//! Scans JSON (RFC 8259) in one pass over the bytes. Finds the position at which a value ends, or finds that the text is not a
//! value.

/// The maximum nesting of lists and objects. More deeply nested text is not a value.
const DEPTH: usize = 127;

/// The meaning of an opening bracket.
pub(crate) enum Scan {
    /// A list or an object that ends at this position.
    Whole(usize),
    /// The bracket is part of ordinary text and does not begin JSON.
    Words,
    /// The text is JSON up to `at` and invalid after it. `depth` brackets are open at that position.
    Broken { at: usize, depth: usize },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    /// The scanner expects a value, or the end of an empty list.
    First,
    Item,
    /// The scanner expects a key, or the end of an empty object.
    FirstKey,
    Key,
    Colon,
    Value,
    /// The scanner expects a comma, or the end of the list.
    ListComma,
    ObjectComma,
}

fn blank(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// Scans the list or object that begins at `start`.
pub(crate) fn container(bytes: &[u8], start: usize) -> Scan {
    let mut stack: Vec<Want> = Vec::new();
    let mut at = start;
    // Whether the text is certainly JSON: it has a string in a list, a nested list or object, or a key with its colon.
    let mut is_json = false;
    loop {
        at = blank(bytes, at);
        let Some(&byte) = bytes.get(at) else {
            return fail(bytes, start, at, &stack, is_json);
        };
        let want = stack.last().copied();
        let next = match (want, byte) {
            (None | Some(Want::First | Want::Item | Want::Value), b'{' | b'[') => {
                if stack.len() >= DEPTH {
                    return Scan::Broken {
                        at,
                        depth: stack.len(),
                    };
                }
                is_json |= !stack.is_empty();
                done(&mut stack);
                stack.push(if byte == b'{' {
                    Want::FirstKey
                } else {
                    Want::First
                });
                at += 1;
                continue;
            }
            (Some(Want::First | Want::ListComma), b']')
            | (Some(Want::FirstKey | Want::ObjectComma), b'}') => {
                stack.pop();
                at += 1;
                if stack.is_empty() {
                    return Scan::Whole(at);
                }
                continue;
            }
            (Some(Want::First | Want::Item | Want::Value), _) => scalar(bytes, at).inspect(|_| {
                is_json |= byte == b'"';
                done(&mut stack);
            }),
            (Some(Want::FirstKey | Want::Key), b'"') => {
                let end = string(bytes, at);
                if end.is_some() {
                    put(&mut stack, Want::Colon);
                }
                end
            }
            (Some(Want::Colon), b':') => {
                is_json = true;
                put(&mut stack, Want::Value);
                Some(at + 1)
            }
            (Some(Want::ListComma), b',') => {
                put(&mut stack, Want::Item);
                Some(at + 1)
            }
            (Some(Want::ObjectComma), b',') => {
                put(&mut stack, Want::Key);
                Some(at + 1)
            }
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return fail(bytes, start, at, &stack, is_json),
        }
    }
}

fn put(stack: &mut [Want], want: Want) {
    if let Some(top) = stack.last_mut() {
        *top = want;
    }
}

/// Records that a value was read or begins, and sets what its enclosing brackets expect next.
fn done(stack: &mut [Want]) {
    if let Some(top) = stack.last_mut() {
        *top = match top {
            Want::First | Want::Item => Want::ListComma,
            _ => Want::ObjectComma,
        };
    }
}

fn fail(bytes: &[u8], start: usize, at: usize, stack: &[Want], is_json: bool) -> Scan {
    if is_json || is_other_notation(bytes, start) {
        Scan::Broken {
            at,
            depth: stack.len(),
        }
    } else {
        Scan::Words
    }
}

/// Returns whether a bracket begins a literal of a programming language, such as `{name: "x"}`, `{'name': 1}` or `['a']`. No
/// part of such a literal counts as the answer.
fn is_other_notation(bytes: &[u8], start: usize) -> bool {
    let at = blank(bytes, start + 1);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-');
    match bytes.get(at) {
        Some(b'\'') if bytes[start] == b'[' => true,
        Some(b'\'') => {
            let most = bytes.len().min(at + 200);
            let rest = &bytes[at + 1..most];
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\'' | b'\n')) else {
                return false;
            };
            bytes.get(blank(bytes, at + 1 + end + 1)) == Some(&b':')
        }
        Some(byte) if bytes[start] == b'{' && is_word(byte) => {
            let most = bytes.len().min(at + 200);
            let word = bytes[at..most].iter().take_while(|byte| is_word(byte));
            bytes.get(blank(bytes, at + word.count())) == Some(&b':')
        }
        _ => false,
    }
}

/// Returns the position after the string, number or literal (`true`, `false`, `null`) that begins at `at`, or `None` if
/// nothing of this kind begins there.
pub(crate) fn scalar(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => string(bytes, at),
        b'-' | b'0'..=b'9' => number(bytes, at),
        _ => ["null", "true", "false"]
            .iter()
            .find(|word| bytes[at..].starts_with(word.as_bytes()))
            .map(|word| at + word.len()),
    }
}

fn string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => match bytes.get(at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                b'u' => {
                    let digits = bytes.get(at + 2..at + 6)?;
                    if !digits.iter().all(u8::is_ascii_hexdigit) {
                        return None;
                    }
                    at += 6;
                }
                _ => return None,
            },
            0..=0x1f => return None,
            _ => at += 1,
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = |at: usize| {
        at + bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let whole = if bytes[at] == b'-' { at + 1 } else { at };
    let mut end = digits(whole);
    if end == whole || (bytes[whole] == b'0' && end > whole + 1) {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if fraction == end + 1 {
            return None;
        }
        end = fraction;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent == end + 1 + sign {
            return None;
        }
        end = exponent;
    }
    Some(end)
}
