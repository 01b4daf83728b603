//! Numbers in JSON from outside: from a model, a site, a tool or a data set. Every number is either kept exactly or reported.
//!
//! A number in a JSON value is a 64-bit integer or a double. JSON readers silently turn a longer number into the nearest
//! double, so that `123456789012345678901234` becomes `1.2345678901234568e23`, and they refuse `1e400`. [`read`] does neither:
//!
//! - a number that can be represented is read as usual;
//! - an integer beyond 64 bits, and any number that would lose its integer part or its magnitude, becomes a string of the same
//!   digits;
//! - a fraction with more digits than a double holds becomes the nearest double.
//!
//! The numbers of the last two kinds are listed, and [`Exact::warning`] describes them. JSON that a person wrote is read by
//! [`crate::json`], which refuses such numbers.

use serde::de::IgnoredAny;
use serde_json::Value;

/// The code of the warning about numbers that were not kept exactly.
pub const CODE: &str = "number_inexact";

/// Below this magnitude, a double has exactly the integer part of the number that was written.
const ALL_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The maximum number of significant digits of a double.
const MOST_DIGITS: usize = 767;

/// The maximum number of numbers that a warning lists. `SHOWN` limits the characters of each.
const NAMED: usize = 3;
const SHOWN: usize = 60;

/// What reading does to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The number keeps its value.
    Kept,
    /// The number becomes the nearest double, which differs only in digits beyond a double's precision.
    Rounded,
    /// The number cannot be represented: reading it as a number would change its value or fail. The number must become a
    /// string.
    Lost,
}

/// A value that was read, and the numbers in it that could not be kept exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact {
    pub value: Value,
    /// The numbers that became strings, as they were written.
    pub texts: Vec<String>,
    /// The numbers that became the nearest double, as they were written.
    pub rounded: Vec<String>,
}

impl Exact {
    /// Returns the code and message of a warning about these numbers, or `None` if every number was kept. `what` is the subject
    /// that begins the message, such as `The answer`.
    pub fn warning(&self, what: &str) -> Option<(String, String)> {
        let mut words = Vec::new();
        if !self.texts.is_empty() {
            let (is, numbers, them) = match self.texts.len() {
                1 => ("number", named(&self.texts), "It is"),
                _ => ("numbers", named(&self.texts), "They are"),
            };
            words.push(format!(
                "{what} contains the {is} {numbers}, which JSON numbers cannot represent exactly. {them} now text with the same digits."
            ));
        }
        if !self.rounded.is_empty() {
            let (is, was) = match self.rounded.len() {
                1 => ("number", "It was"),
                _ => ("numbers", "They were"),
            };
            words.push(format!(
                "{what} contains the {is} {} with more digits than a number can hold. {was} rounded. Request text if all digits matter.",
                named(&self.rounded)
            ));
        }
        (!words.is_empty()).then(|| (CODE.to_owned(), words.join(" ")))
    }
}

fn named(numbers: &[String]) -> String {
    let mut names: Vec<String> = numbers
        .iter()
        .take(NAMED)
        .map(|number| match number.char_indices().nth(SHOWN) {
            None => number.clone(),
            Some((end, _)) => format!("{}…", &number[..end]),
        })
        .collect();
    if numbers.len() > NAMED {
        names.push(format!("and {} more", numbers.len() - NAMED));
    }
    names.join(", ")
}

/// Reads one JSON value without silently changing a number.
///
/// # Errors
/// Returns the errors of `serde_json`, except those about the magnitude of a number.
pub fn read(text: &str) -> serde_json::Result<Exact> {
    let Some(kept) = quoted(text) else {
        let value = serde_json::from_str(text)?;
        return Ok(Exact {
            value,
            texts: Vec::new(),
            rounded: Vec::new(),
        });
    };
    // Adding quotes could turn invalid JSON into valid JSON, so the original text is checked first.
    serde_json::from_str::<IgnoredAny>(text)?;
    Ok(Exact {
        value: serde_json::from_str(&kept.text)?,
        texts: kept.texts,
        rounded: kept.rounded,
    })
}

/// JSON text in which numbers that would be lost are in quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    pub text: String,
    /// The numbers that were put in quotes, as they were written.
    pub texts: Vec<String>,
    /// The numbers that readers will round, as they were written.
    pub rounded: Vec<String>,
}

/// Puts numbers that would be lost in quotes, for readers that cannot call [`read`]. Returns `None` if every number is read
/// exactly. The text must be valid JSON; otherwise the result is meaningless.
pub fn quoted(text: &str) -> Option<Quoted> {
    rewritten(text, |number, fate, into| {
        let quote = if fate == Fate::Lost { "\"" } else { "" };
        into.push_str(quote);
        into.push_str(number);
        into.push_str(quote);
    })
}

/// Replaces numbers as [`quoted`] does, but `write` appends the replacement of each number that is not kept. Returns `None`
/// if all numbers are kept.
pub fn rewritten(text: &str, mut write: impl FnMut(&str, Fate, &mut String)) -> Option<Quoted> {
    let mut out = String::new();
    let (mut texts, mut rounded) = (Vec::new(), Vec::new());
    let mut taken = 0;
    for (at, number) in numbers(text) {
        let fate = fate(number);
        match fate {
            Fate::Kept => continue,
            Fate::Rounded => rounded.push(number.to_owned()),
            Fate::Lost => texts.push(number.to_owned()),
        }
        out.push_str(&text[taken..at]);
        write(number, fate, &mut out);
        taken = at + number.len();
    }
    if texts.is_empty() && rounded.is_empty() {
        return None;
    }
    out.push_str(&text[taken..]);
    Some(Quoted {
        text: out,
        texts,
        rounded,
    })
}

/// Returns whether reading a number, written as in JSON, yields exactly the written number.
pub fn survives(number: &str) -> bool {
    fate(number) == Fate::Kept
}

/// Returns what reading does to a number, written as in JSON.
pub fn fate(number: &str) -> Fate {
    let is_whole = !number.contains(['.', 'e', 'E']);
    if is_whole {
        return match number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
            true => Fate::Kept,
            false => Fate::Lost,
        };
    }
    // A double of ordinary magnitude keeps fifteen digits.
    if number.len() <= 16 && !number.contains(['e', 'E']) {
        return Fate::Kept;
    }
    let Ok(double) = number.parse::<f64>() else {
        return Fate::Lost;
    };
    let written = Decimal::of(number);
    if written.digits.is_empty() {
        return Fate::Kept;
    }
    if double == 0.0 || !double.is_finite() {
        return Fate::Lost;
    }
    let count = written.digits.len();
    // If the double, printed with as many digits as were written, equals the written number, then reading loses nothing.
    if count <= MOST_DIGITS && Decimal::of(&format!("{double:.*e}", count - 1)) == written {
        return Fate::Kept;
    }
    if double.abs() >= ALL_WHOLE {
        Fate::Lost
    } else {
        Fate::Rounded
    }
}

/// The digits and the magnitude of a number, without its sign: `0.0120` and `12e-3` are equal decimals.
#[derive(PartialEq, Eq)]
struct Decimal {
    /// The significant digits, without zeros at either end. Empty if the number is zero.
    digits: String,
    /// The position of the decimal point, as the number of digits from the start of `digits`.
    point: i64,
}

impl Decimal {
    fn of(number: &str) -> Self {
        let number = number.trim_start_matches(['-', '+']);
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent = exponent.parse::<i64>().unwrap_or(i64::MAX / 4);
        let all = format!("{whole}{fraction}");
        let leading = all.len() - all.trim_start_matches('0').len();
        let digits = all.trim_matches('0').to_owned();
        let length = |text: &str| i64::try_from(text.len()).unwrap_or(i64::MAX / 4);
        let point = exponent
            .saturating_add(length(whole))
            .saturating_sub(i64::try_from(leading).unwrap_or(i64::MAX / 4));
        Self { digits, point }
    }
}

/// Returns the numbers of JSON text, each with the byte offset at which it begins.
pub fn numbers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'"' => at = behind_text(bytes, at),
                b'-' | b'0'..=b'9' => {
                    let is_part =
                        |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                    let length = bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                    let begins = at;
                    at += length;
                    return Some((begins, &text[begins..at]));
                }
                _ => at += 1,
            }
        }
        None
    })
}

/// Returns the offset of the first byte after the quoted string that begins at `at`.
fn behind_text(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_kept_rounded_or_lost() {
        for (number, becomes) in [
            ("0", Fate::Kept),
            ("-0", Fate::Kept),
            ("-0.0", Fate::Kept),
            ("0e999999999999999999999", Fate::Kept),
            ("1.50", Fate::Kept),
            ("0.1", Fate::Kept),
            ("1e2", Fate::Kept),
            ("6.02214076e23", Fate::Kept),
            ("1E-7", Fate::Kept),
            ("18446744073709551615", Fate::Kept),
            ("-9223372036854775808", Fate::Kept),
            // Other programs print doubles with this many digits.
            ("0.10000000000000001", Fate::Kept),
            ("1.7976931348623157e308", Fate::Kept),
            ("5e-324", Fate::Kept),
            ("0.30000000000000004", Fate::Kept),
            ("9007199254740992.0", Fate::Kept),
            ("18446744073709551616", Fate::Lost),
            ("-9223372036854775809", Fate::Lost),
            ("123456789012345678901234", Fate::Lost),
            ("100000000000000000000000", Fate::Lost),
            ("12345678901234567891.0", Fate::Lost),
            ("9007199254740993.5", Fate::Lost),
            ("123456789012345678901234e2", Fate::Lost),
            ("1e400", Fate::Lost),
            ("-1e400", Fate::Lost),
            ("1e-400", Fate::Lost),
            ("1e99999999999999999999", Fate::Lost),
            ("0.1234567890123456789012", Fate::Rounded),
            ("3.14159265358979323846", Fate::Rounded),
            ("1.23456789e-320", Fate::Rounded),
        ] {
            assert_eq!(fate(number), becomes, "{number}");
        }
        assert_eq!(fate(&format!("0.{}", "1".repeat(100_000))), Fate::Rounded);
    }

    #[test]
    fn what_cannot_be_kept_is_a_text_and_said() {
        let exact =
            read(r#"{"id": 123456789012345678901234, "x": [1e400, 0.1234567890123456789, 7], "s": "99999999999999999999"}"#)
                .unwrap();
        assert_eq!(
            exact.value,
            json!({ "id": "123456789012345678901234", "x": ["1e400", 0.123_456_789_012_345_68, 7], "s": "99999999999999999999" })
        );
        let (code, words) = exact.warning("The answer").unwrap();
        assert_eq!(code, CODE);
        assert!(
            words.contains("123456789012345678901234, 1e400")
                && words.contains("0.1234567890123456789"),
            "{words}"
        );
        assert_eq!(read("[1, 2.5]").unwrap().warning("The answer"), None);
        let many = format!("[{}1]", "99999999999999999999,".repeat(50));
        let (_, words) = read(&many).unwrap().warning("The answer").unwrap();
        assert!(
            words.contains("and 47 more") && words.len() < 300,
            "{words}"
        );
    }

    #[test]
    fn a_number_is_the_double_nearest_to_it() {
        for number in [
            "31.245270191439438",
            "90.42225290942383",
            "0.1",
            "1.7976931348623157e308",
            "5e-324",
        ] {
            let value = read(number).unwrap().value;
            assert_eq!(value.as_f64(), number.parse().ok(), "{number}");
            // A record stores the value in this form, and reading it gives the same value.
            let again: Value = serde_json::from_str(&value.to_string()).unwrap();
            assert_eq!(again, value, "{number}");
        }
    }

    #[test]
    fn quotes_make_no_json_of_what_is_none() {
        for text in [
            "{99999999999999999999: 1}",
            "99999999999999999999 x",
            "[99999999999999999999",
            "099999999999999999999",
            "--99999999999999999999",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    proptest! {
        /// Every number is kept exactly, becomes a string, or is listed.
        #[test]
        fn no_number_changes_in_silence(number in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?") {
            let exact = read(&number).unwrap();
            match &exact.value {
                Value::String(text) => prop_assert_eq!(text, &number),
                value if exact.rounded.is_empty() => {
                    let written = Decimal::of(&number);
                    let kept = Decimal::of(&value.to_string());
                    let zero = written.digits.is_empty() && kept.digits.is_empty();
                    // A double prints in its shortest form. If this differs from what was written, then at least 16 digits were
                    // written.
                    prop_assert!(zero || written == kept || written.digits.len() >= 16, "{} became {}", number, value);
                }
                _ => prop_assert_eq!(&exact.rounded[0], &number),
            }
        }

        /// Text without a lost number is read exactly as an ordinary JSON reader reads it.
        #[test]
        fn the_rest_is_read_as_usual(text in r#"[\[\]{}:,"\\ea0-9.+\-]{0,24}"#) {
            match (read(&text), serde_json::from_str::<Value>(&text)) {
                (Ok(exact), Ok(value)) => prop_assert!(exact.value == value || !exact.texts.is_empty()),
                (Err(_), Ok(_)) => prop_assert!(false, "{} is JSON", text),
                (Ok(exact), Err(error)) => prop_assert!(!exact.texts.is_empty(), "{text}: {error}"),
                (Err(_), Err(_)) => {}
            }
        }
    }
}
