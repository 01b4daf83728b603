//! Parses and formats numbers as .NET does.
//!
//! Reference: Microsoft, "NumberStyles Enum", "Standard numeric format strings" and "Custom numeric format strings".

use rust_decimal::{Decimal, RoundingStrategy, prelude::FromPrimitive};

use crate::{
    culture::{Culture, DEFAULT},
    value::{Value, float_text},
};

/// The maximum number of decimal places that a format may request.
const MAX_DIGITS: usize = 100;

/// Removes the decorations that a style permits, so that Rust can parse the text: `-1000.5e3`. Returns `None` if the text is
/// not a number in this style.
///
/// Surrounding space, a leading or trailing sign, and digit groups are always permitted. `any` also permits parentheses for
/// a negative number, the currency symbol and an exponent.
fn plain(text: &str, culture: &Culture, any: bool) -> Option<String> {
    let mut rest = text.trim_matches(|c: char| c == ' ' || ('\t'..='\r').contains(&c));
    let mut negative = false;
    if any
        && let Some(inner) = rest
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
    {
        negative = true;
        rest = inner.trim();
    } else {
        let behind = [('-', true), ('+', false)];
        let front = behind
            .iter()
            .find_map(|(sign, is)| Some((rest.strip_prefix(*sign)?, *is)));
        let back = behind
            .iter()
            .find_map(|(sign, is)| Some((rest.strip_suffix(*sign)?.trim_end(), *is)));
        if let Some((inner, is)) = front.or(back) {
            negative = is;
            rest = inner;
        }
    }
    if any {
        let sign = culture.currency.trim();
        rest = rest.strip_prefix(sign).map_or(rest, str::trim_start);
        rest = rest.strip_suffix(sign).map_or(rest, str::trim_end);
    }
    let mut number = if negative { "-" } else { "" }.to_owned();
    let (mut digits, mut point, mut chars) = (0, false, rest.chars().peekable());
    while let Some(c) = chars.next() {
        if c.is_ascii_digit() {
            digits += 1;
            number.push(c);
        } else if c == culture.point && !point {
            point = true;
            number.push('.');
        } else if is_group(c, culture.group) && digits > 0 && !point {
        } else if any && matches!(c, 'e' | 'E') && digits > 0 {
            number.push('e');
            if let Some(sign) = chars.next_if(|c| matches!(c, '+' | '-')) {
                number.push(sign);
            }
            let exponent: String = chars.by_ref().collect();
            if exponent.is_empty() || !exponent.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            number.push_str(&exponent);
        } else {
            return None;
        }
    }
    (digits > 0).then_some(number)
}

fn is_group(c: char, group: char) -> bool {
    // People type a plain space even where a culture uses a special one.
    c == group || (group.is_whitespace() && matches!(c, ' ' | '\u{a0}' | '\u{202f}'))
}

/// Parses a double; returns `None` if the text is not a number. `NaN` and the culture's infinity are numbers, and an overflow
/// yields an infinity.
pub(crate) fn float(text: &str, culture: &Culture) -> Option<f64> {
    let trimmed = text.trim();
    let (sign, word) = match trimmed.strip_prefix('-') {
        Some(word) => (-1.0, word),
        None => (1.0, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    if word.eq_ignore_ascii_case("nan") {
        return Some(f64::NAN);
    }
    if word.eq_ignore_ascii_case(culture.infinity) {
        return Some(sign * f64::INFINITY);
    }
    plain(text, culture, true)?.parse().ok()
}

/// Parses a decimal, which keeps its digits. Returns `None` if the text is not a number or has an exponent.
pub(crate) fn decimal(text: &str, culture: &Culture) -> Option<Decimal> {
    let plain = plain(text, culture, false)?;
    plain
        .trim_end_matches('.')
        .parse()
        .or_else(|_| Decimal::from_str_exact(&plain))
        .ok()
}

/// Parses a 64-bit integer, or truncates a float. Returns `None` if the text is not a number. An overflow yields the smallest
/// integer, like a cast in C#.
pub(crate) fn int(text: &str) -> Option<i64> {
    let trimmed = text.trim();
    if let Ok(int) = trimmed.parse() {
        return Some(int);
    }
    let unsigned = trimmed.trim_start_matches(['-', '+']);
    let plain = unsigned.eq_ignore_ascii_case("nan")
        || unsigned
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    if !plain || trimmed.ends_with(['+', '-']) {
        return None;
    }
    float(trimmed, &DEFAULT).map(truncated)
}

/// Truncates a double like a cast in C#.
pub(crate) fn truncated(float: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&float) {
        float as i64
    } else {
        i64::MIN
    }
}

/// Converts a double to a decimal with 15 significant digits, like .NET. Returns `None` if the double does not fit into a
/// decimal.
pub(crate) fn to_decimal(float: f64) -> Option<Decimal> {
    if float == 0.0 {
        return Some(Decimal::ZERO);
    }
    let rounded: f64 = format!("{float:.14e}").parse().ok()?;
    Decimal::from_f64(rounded).map(|decimal| decimal.normalize())
}

/// Formats a number with fixed decimal places: `1234567.8` with two is `1234567.80`. Halves are rounded away from zero.
/// Returns `None` if the value is not a number.
fn fixed(value: &Value, digits: usize) -> Option<String> {
    let exact = match value {
        Value::Int(int) => Decimal::from(*int),
        Value::Decimal(decimal) => *decimal,
        Value::Float(float) => match Decimal::from_f64_retain(*float) {
            Some(_) => match float_text(*float).parse() {
                Ok(exact) => exact,
                Err(_) => return Some(format!("{float:.digits$}")),
            },
            None => return Some(format!("{float:.digits$}")),
        },
        _ => return None,
    };
    let places = u32::try_from(digits).unwrap_or(28).min(28);
    let rounded = exact.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero);
    let mut text = format!("{rounded}");
    let have = text.split_once('.').map_or(0, |(_, part)| part.len());
    if digits > have {
        if have == 0 {
            text.push('.');
        }
        text.push_str(&"0".repeat(digits - have));
    }
    Some(text)
}

/// Groups digits in threes: `1234567` is `1,234,567`.
fn grouped(whole: &str, group: char) -> String {
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(group);
        }
        text.push(digit);
    }
    text
}

/// Splits a number with fixed decimal places into a flag that is true for a negative number, its integer digits, and its
/// fraction digits. Returns `None` if the value is not a number.
fn parts(value: &Value, digits: usize) -> Option<(bool, String, String)> {
    let text = fixed(value, digits)?;
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.as_str()),
    };
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    // A number rounded to zero has no sign.
    let zero = whole.bytes().chain(part.bytes()).all(|byte| byte == b'0');
    Some((negative && !zero, whole.to_owned(), part.to_owned()))
}

fn times(value: &Value, factor: i64) -> Value {
    match value {
        Value::Int(int) => Value::Decimal(Decimal::from(*int) * Decimal::from(factor)),
        Value::Decimal(decimal) => decimal
            .checked_mul(factor.into())
            .map_or_else(|| value.clone(), Value::Decimal),
        Value::Float(float) => match float_text(*float).parse::<Decimal>() {
            Ok(exact) => times(&Value::Decimal(exact), factor),
            Err(_) => Value::Float(float * factor as f64),
        },
        other => other.clone(),
    }
}

/// Formats a number according to a .NET format string.
///
/// # Errors
/// Returns an error if the format is unknown or cannot format this number.
pub(crate) fn format(value: &Value, pattern: &str, culture: &Culture) -> Result<String, String> {
    let unknown = || format!("'{pattern}' is not a supported number format");
    let mut letters = pattern.chars();
    let specifier = letters.next().unwrap_or('G');
    let digits = letters.as_str();
    let standard =
        specifier.is_ascii_alphabetic() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !standard {
        return custom(value, pattern, culture).ok_or_else(unknown);
    }
    let count: Option<usize> = match digits {
        "" => None,
        digits => Some(
            digits
                .parse()
                .ok()
                .filter(|count| *count <= MAX_DIGITS)
                .ok_or_else(|| format!("a number format may have at most {MAX_DIGITS} digits"))?,
        ),
    };
    if let Value::Float(float) = value
        && !float.is_finite()
    {
        return Ok(float_text(*float));
    }
    let number = |value: &Value, digits: usize, groups: bool| {
        let (negative, whole, part) = parts(value, digits)?;
        let whole = if groups {
            grouped(&whole, culture.group)
        } else {
            whole
        };
        let point = if part.is_empty() {
            String::new()
        } else {
            format!("{}{part}", culture.point)
        };
        Some((if negative { "-" } else { "" }, whole + &point))
    };
    let text =
        match specifier.to_ascii_uppercase() {
            'C' => number(value, count.unwrap_or(2), true).map(|(sign, number)| {
                if culture.currency_behind {
                    format!("{sign}{number} {}", culture.currency)
                } else {
                    format!("{sign}{}{number}", culture.currency)
                }
            }),
            'N' => number(value, count.unwrap_or(2), true)
                .map(|(sign, number)| format!("{sign}{number}")),
            'F' => number(value, count.unwrap_or(2), false)
                .map(|(sign, number)| format!("{sign}{number}")),
            'P' => number(&times(value, 100), count.unwrap_or(2), true)
                .map(|(sign, number)| format!("{sign}{number}{}", culture.percent)),
            'D' => {
                let Value::Int(int) = value else {
                    return Err(format!("the format '{pattern}' works only with integers"));
                };
                let sign = if *int < 0 { "-" } else { "" };
                Some(format!(
                    "{sign}{:0>width$}",
                    int.unsigned_abs(),
                    width = count.unwrap_or(1)
                ))
            }
            'X' => {
                let Value::Int(int) = value else {
                    return Err(format!("the format '{pattern}' works only with integers"));
                };
                let width = count.unwrap_or(1);
                Some(if specifier == 'X' {
                    format!("{int:0>width$X}")
                } else {
                    format!("{int:0>width$x}")
                })
            }
            'E' => as_float(value).map(|float| {
                let text = format!("{float:.*e}", count.unwrap_or(6));
                let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let exponent: i32 = exponent.parse().unwrap_or_default();
                let sign = if exponent < 0 { '-' } else { '+' };
                let digits = digits.replace('.', &culture.point.to_string());
                format!("{digits}{specifier}{sign}{:03}", exponent.abs())
            }),
            'G' | 'R' => match (count, value) {
                (Some(count @ 1..=17), Value::Float(float)) => {
                    let rounded: f64 = format!("{float:.*e}", count - 1).parse().unwrap_or(*float);
                    Some(float_text(rounded))
                }
                _ => Some(value.to_text(true)),
            }
            .map(|text| text.replace('.', &culture.point.to_string())),
            _ => None,
        };
    text.ok_or_else(unknown)
}

fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(int) => Some(*int as f64),
        Value::Float(float) => Some(*float),
        Value::Decimal(decimal) => rust_decimal::prelude::ToPrimitive::to_f64(decimal),
        _ => None,
    }
}

/// A part of a custom format.
enum Piece {
    Zero,
    Digit,
    Point,
    Text(String),
}

/// Formats a number according to a custom format such as `#,##0.00`. Sections for positive, negative and zero are separated
/// by `;`. Returns `None` if the format is invalid or cannot format this number.
fn custom(value: &Value, pattern: &str, culture: &Culture) -> Option<String> {
    let number = as_float(value)?;
    let sections = split_sections(pattern);
    let (section, drops_sign) = match (sections.len(), number) {
        (2.., number) if number < 0.0 && !sections[1].is_empty() => (&sections[1], true),
        (3.., 0.0) => (&sections[2], false),
        _ => (&sections[0], false),
    };
    let mut pieces = Vec::new();
    let (mut groups, mut factor, mut scale) = (false, 1i64, 0u32);
    let (mut seen_digit, mut commas) = (false, 0u32);
    let mut chars = section.chars();
    let literal = |pieces: &mut Vec<Piece>, text: String| pieces.push(Piece::Text(text));
    while let Some(c) = chars.next() {
        if matches!(c, '0' | '#') {
            groups |= commas > 0;
            commas = 0;
            seen_digit = true;
        }
        match c {
            '0' => pieces.push(Piece::Zero),
            '#' => pieces.push(Piece::Digit),
            '.' => {
                scale += std::mem::take(&mut commas);
                pieces.push(Piece::Point);
            }
            ',' if seen_digit => commas += 1,
            ',' => {}
            '%' => {
                factor = factor.checked_mul(100)?;
                literal(&mut pieces, "%".to_owned());
            }
            '‰' => {
                factor = factor.checked_mul(1000)?;
                literal(&mut pieces, "‰".to_owned());
            }
            '\\' => literal(&mut pieces, chars.next().into_iter().collect()),
            '\'' | '"' => {
                let text: String = chars.by_ref().take_while(|other| *other != c).collect();
                literal(&mut pieces, text);
            }
            // Exponents require the standard format E.
            'E' | 'e' if chars.as_str().starts_with(['0', '+', '-']) => return None,
            other => literal(&mut pieces, other.to_string()),
        }
    }
    scale += commas;
    let point = pieces
        .iter()
        .position(|piece| matches!(piece, Piece::Point))
        .unwrap_or(pieces.len());
    let places = pieces[point..]
        .iter()
        .filter(|piece| matches!(piece, Piece::Zero | Piece::Digit))
        .count();
    if places > MAX_DIGITS || section.len() > 1000 {
        return None;
    }
    let mut scaled = times(value, factor);
    for _ in 0..scale {
        scaled = match scaled {
            Value::Int(int) => Value::Decimal(Decimal::from(int) / Decimal::from(1000)),
            Value::Decimal(decimal) => Value::Decimal(decimal / Decimal::from(1000)),
            Value::Float(float) => Value::Float(float / 1000.0),
            other => other,
        };
    }
    let (negative, whole, part) = parts(&scaled, places)?;
    let whole = whole.trim_start_matches('0');
    let is_slot = |piece: &&Piece| matches!(piece, Piece::Zero | Piece::Digit);
    let slots = pieces[..point].iter().filter(is_slot).count();
    let least = pieces[..point]
        .iter()
        .filter(is_slot)
        .position(|piece| matches!(piece, Piece::Zero))
        .map_or(0, |first| slots - first);
    let padded = format!("{whole:0>least$}");
    // Trailing zeros are written up to the last 0 of the format.
    let wanted = pieces[point..]
        .iter()
        .filter(is_slot)
        .enumerate()
        .filter(|(_, piece)| matches!(piece, Piece::Zero))
        .map(|(index, _)| index + 1)
        .last()
        .unwrap_or(0);
    let shown = part.trim_end_matches('0').len().max(wanted).min(part.len());
    let part = &part[..shown];
    let mut text = if negative && !drops_sign { "-" } else { "" }.to_owned();
    let (mut written, mut slot) = (0, 0);
    for piece in &pieces[..point] {
        match piece {
            Piece::Text(literal) => text.push_str(literal),
            _ => {
                slot += 1;
                // The first slot also takes the digits for which there is no slot.
                let upto = (padded.len() + slot).saturating_sub(slots);
                for digit in padded[written..upto].chars() {
                    let left = padded.len() - written;
                    if groups && written > 0 && left.is_multiple_of(3) {
                        text.push(culture.group);
                    }
                    text.push(digit);
                    written += 1;
                }
            }
        }
    }
    if !part.is_empty() {
        text.push(culture.point);
    }
    let mut digits = part.chars();
    for piece in &pieces[point..] {
        match piece {
            Piece::Text(literal) => text.push_str(literal),
            Piece::Zero | Piece::Digit => text.extend(digits.next()),
            Piece::Point => {}
        }
    }
    Some(text)
}

/// Splits a custom format into sections. A `;` in quotes or after a backslash does not separate.
fn split_sections(pattern: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let mut quote = None;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let Some(section) = sections.last_mut() else {
            break;
        };
        match (c, quote) {
            (';', None) => {
                sections.push(String::new());
                continue;
            }
            ('\\', None) => {
                section.push(c);
                section.extend(chars.next());
                continue;
            }
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
        section.push(c);
    }
    sections
}
