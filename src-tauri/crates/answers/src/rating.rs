//! Reads the rating that an answer states: a number on a scale.

use serde_json::{Number, Value};

use crate::{
    Verdict, json,
    thoughts::split,
    words::{
        DEPTH, LONGEST, Says, bare, before_reason, boxed, denies, in_fields, in_tag, inner,
        is_comment, is_label, plain, reason_in, sentences, sides, turns, without_struck,
        without_tokens, words,
    },
};

/// The field names that models use for a rating.
const FIELDS: [&str; 17] = [
    "score",
    "rating",
    "grade",
    "mark",
    "points",
    "value",
    "number",
    "verdict",
    "answer",
    "result",
    "finalscore",
    "overallscore",
    "totalscore",
    "overall",
    "finalrating",
    "overallrating",
    "rate",
];

/// The bounds of a scale. If an end is `None`, the scale has no bound on that side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scale {
    pub least: Option<f64>,
    pub most: Option<f64>,
}

impl Scale {
    fn holds(self, number: f64) -> bool {
        self.least.is_none_or(|least| number >= least)
            && self.most.is_none_or(|most| number <= most)
    }
}

/// Returns the rating in an answer, and the reason. `field` is the name under which the prompt asked for the rating.
///
/// Returns `None` if the answer states no number within the scale or several different ones, or if an object in it repeats a
/// key.
pub fn rating(answer: &str, scale: Scale, field: &str) -> Option<Verdict<Number>> {
    let text = without_tokens(split(answer).text);
    let values = json::values(text);
    let mut said = Says::Nothing;
    let mut reason = String::new();
    if values.values.len() < 16 {
        for written in &values.values {
            let value = json::parse(written)?;
            let says = in_value(&value, scale, field, DEPTH);
            if says != Says::Nothing {
                if reason.is_empty()
                    && let Value::Object(fields) = &value
                {
                    reason = reason_in(fields);
                }
                said = said.and(says);
            }
        }
    }
    match said {
        Says::Nothing => in_text(text, scale, field).because(|| text.to_owned()),
        said => said.because(|| reason),
    }
}

/// Returns the rating in a parsed value, and the reason. Returns `None` in the same cases as [`rating`].
pub fn rating_in(value: &Value, scale: Scale, field: &str) -> Option<Verdict<Number>> {
    let reason = value.as_object().map(reason_in).unwrap_or_default();
    in_value(value, scale, field, DEPTH).because(|| reason)
}

fn in_value(value: &Value, scale: Scale, field: &str, depth: usize) -> Says<Number> {
    if depth == 0 {
        return Says::Nothing;
    }
    match value {
        Value::Number(number) => within(number.clone(), scale),
        Value::String(text) => in_text(text, scale, field),
        Value::Array(items) => match items.as_slice() {
            [item] => in_value(item, scale, field, depth - 1),
            [] => Says::Nothing,
            _ => Says::Unclear,
        },
        Value::Object(fields) => {
            let read = |value: &Value| in_value(value, scale, field, depth - 1);
            let says = in_fields(fields, field, &FIELDS, read);
            if says != Says::Nothing {
                return says;
            }
            // An object may have a single number under another name: {"quality": 8}
            let numbers = fields.values().filter(|value| value.is_number());
            let says = numbers.fold(Says::Nothing, |says, value| match (says, read(value)) {
                (Says::Nothing, says) => says,
                _ => Says::Unclear,
            });
            match inner(fields) {
                Some(inner) if says == Says::Nothing => read(inner),
                _ => says,
            }
        }
        Value::Null | Value::Bool(_) => Says::Nothing,
    }
}

fn within(number: Number, scale: Scale) -> Says<Number> {
    match number.as_f64() {
        Some(value) if scale.holds(value) => Says::One(number),
        _ => Says::Unclear,
    }
}

/// Reads a number at the start of `text`, with an optional end of the scale: `8`, `8.5/10`, `8 out of 10`. Returns the
/// number, whether the end of the scale follows it, and the text after both. Returns `None` if `text` does not begin with a
/// number, or if the end of another scale follows it.
fn figure(text: &str, scale: Scale) -> Option<(Number, bool, &str)> {
    let (number, rest) = digits(text)?;
    let after = rest.trim_start();
    if let Some(after) = after.strip_prefix('%') {
        return (scale.most == Some(100.0)).then_some((number, true, after));
    }
    for sign in ["/", "out of ", "von ", "sur ", "of "] {
        let Some(most) = after.strip_prefix(sign) else {
            continue;
        };
        let (most, rest) = digits(most.trim_start())?;
        let is_end = scale.most.is_some() && most.as_f64() == scale.most;
        return is_end.then_some((number, true, rest));
    }
    let rest = ["points", "point", "pts"]
        .iter()
        .find_map(|unit| after.strip_prefix(unit))
        .unwrap_or(rest);
    Some((number, false, rest))
}

/// Reads a number: digits with an optional sign and decimal point. Returns it and the rest of the text, or `None` if there
/// is no number. A number with too many digits to be exact is not a rating.
fn digits(text: &str) -> Option<(Number, &str)> {
    const MOST: usize = 15;
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let count = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = count(unsigned);
    if whole == 0 || whole > MOST {
        return None;
    }
    let mut length = text.len() - unsigned.len() + whole;
    let fraction = unsigned[whole..].strip_prefix('.').map_or(0, count);
    if fraction > MOST {
        return None;
    }
    if fraction > 0 {
        length += 1 + fraction;
    }
    let (written, rest) = text.split_at(length);
    // `8,5` and `1.000.000` mean different numbers in different countries; `8th` and `v8` are not numbers.
    let mut next = rest.chars();
    let is_part = match next.next() {
        Some(',' | '.') => next.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_alphanumeric(),
        None => false,
    };
    if is_part {
        return None;
    }
    let (integer, fraction) = written.split_once('.').unwrap_or((written, ""));
    let number = if fraction.bytes().all(|digit| digit == b'0') {
        integer.parse::<i64>().ok()?.into()
    } else {
        Number::from_f64(written.parse().ok()?)?
    };
    Some((number, rest))
}

fn in_text(text: &str, scale: Scale, field: &str) -> Says<Number> {
    if text.len() > LONGEST {
        return Says::Nothing;
    }
    // JSON may escape the slash: `8\/10`.
    let text = &*without_struck(text).replace("\\/", "/");
    let whole = |text: &str| {
        let text = plain(text);
        let text = bare(&text);
        let (number, _, rest) = figure(text, scale)?;
        bare(rest).is_empty().then_some(number)
    };
    if let Some(number) = whole(text) {
        return within(number, scale);
    }
    if let Some(inner) = in_tag(text, field, &FIELDS).or_else(|| boxed(text)) {
        return in_text(inner, scale, field);
    }
    let text = before_reason(text);
    let (mut said, mut fractions) = (Says::Nothing, Says::Nothing);
    // A comment may follow a number at the very start: `8 - clear and short`.
    let commented = |text: &str| {
        let (number, _, rest) = figure(bare(text), scale)?;
        let is_only = !rest.contains(|c: char| c.is_ascii_digit());
        (is_comment(rest) && is_only && !turns(rest)).then_some(number)
    };
    for (index, sentence) in sentences(text).into_iter().enumerate() {
        if sentence.is_question {
            continue;
        }
        let text = plain(sentence.text);
        // The sentence retracts an earlier rating: `Score: 8/10. On second thought, 6/10.`
        if said != Says::Nothing && turns(&text) && text.contains(|c: char| c.is_ascii_digit()) {
            return Says::Unclear;
        }
        let says = whole(&text)
            .or_else(|| labelled(&text, scale, field))
            .or_else(|| commented(&text).filter(|_| index == 0))
            .map_or(Says::Nothing, |number| within(number, scale));
        said = said.and(says);
        fractions = of_scale(&text, scale)
            .into_iter()
            .fold(fractions, |says, number| says.and(within(number, scale)));
    }
    match said {
        Says::Nothing => fractions,
        said => said,
    }
}

/// Reads a labelled number, as in `Score: 8`, `The rating is 8/10` or `I give it an 8`. Returns `None` if the sentence has
/// no such number.
fn labelled(sentence: &str, scale: Scale, field: &str) -> Option<Number> {
    for (left, right) in sides(sentence) {
        if !is_label(left, field, &FIELDS) && !is_label(left, "scale", &[]) {
            continue;
        }
        if is_of_another(left) {
            return None;
        }
        let number = right.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '-');
        // `Score: < 5` is a bound.
        if right[..right.len() - number.len()].contains(['<', '>', '≤', '≥']) {
            return None;
        }
        if let Some((number, _, rest)) = figure(number, scale)
            && is_comment(rest)
            && !turns(rest)
            && !denies(left)
        {
            return Some(number);
        }
    }
    const VERBS: [&str; 10] = [
        "give", "gave", "rate", "rated", "score", "scored", "grade", "graded", "assign", "award",
    ];
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let verb = words
        .iter()
        .position(|word| VERBS.contains(&word.to_lowercase().as_str()))?;
    let before = words[..verb].join(" ");
    let place = words
        .iter()
        .skip(verb + 1)
        .take(6)
        .position(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let rest = words[verb + 1 + place..].join(" ");
    let between = words[verb + 1..verb + 1 + place].join(" ");
    let (number, _, rest) = figure(&rest, scale)?;
    let is_given = is_comment(&rest.replace(" for ", " because "))
        && !turns(rest)
        && !denies(&before)
        && !denies(&between)
        && !is_of_another(&before)
        && !between.contains(['<', '>', '≤', '≥']);
    is_given.then_some(number)
}

/// Returns whether a label names a number other than the rating: the end of the scale, or a threshold.
fn is_of_another(label: &str) -> bool {
    const OTHERS: [&str; 16] = [
        "maximum",
        "max",
        "highest",
        "minimum",
        "min",
        "lowest",
        "target",
        "threshold",
        "possible",
        "passing",
        "required",
        "average",
        "previous",
        "last",
        "best",
        "perfect",
    ];
    words(label)
        .iter()
        .any(|word| OTHERS.contains(&word.as_str()))
}

/// Returns the numbers that are followed by the end of the scale, as in `8/10`.
fn of_scale(sentence: &str, scale: Scale) -> Vec<Number> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = sentence[from..].find(|c: char| c.is_ascii_digit()) {
        let start = from + at;
        let before = sentence[..start].chars().next_back();
        let is_apart =
            !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | ',' | '/' | '-'));
        match figure(&sentence[start..], scale).filter(|_| is_apart) {
            Some((number, true, rest)) => {
                found.push(number);
                from = sentence.len() - rest.len();
            }
            _ => {
                from = start
                    + sentence[start..]
                        .bytes()
                        .take_while(u8::is_ascii_digit)
                        .count();
            }
        }
    }
    found
}
