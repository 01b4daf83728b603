//! Checks the scorers of an evaluation.

use std::collections::HashSet;

use serde_json::Value;

use super::problems::{Problem, Problems, check_range};
use crate::{
    file::{Evaluation, Scoring},
    nearest::{did_you_mean, list},
};

/// The kind of value that a field accepts.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Text,
    Flag,
    Anything,
    /// The field accepts two numbers.
    Range,
    /// The field accepts a list of strings.
    Texts,
}

use Takes::{Anything, Flag, Range, Text, Texts};

/// A field: its name, the kind of value that it accepts, and whether it is required.
type Field = (&'static str, Takes, bool);

/// The fields of each type of scorer. A test compares this table with [`Scoring`].
const TYPES: &[(&str, &[Field])] = &[
    (
        "exact",
        &[("value", Anything, false), ("ignoreCase", Flag, false)],
    ),
    (
        "contains",
        &[("value", Anything, false), ("ignoreCase", Flag, false)],
    ),
    ("regex", &[("pattern", Text, true)]),
    ("json_schema", &[("schema", Anything, true)]),
    ("similarity", &[("value", Text, false)]),
    ("expression", &[("expression", Text, true)]),
    ("script", &[("language", Text, true), ("code", Text, true)]),
    (
        "llm",
        &[
            ("provider", Text, false),
            ("model", Text, false),
            ("rubric", Text, true),
            ("scale", Range, false),
        ],
    ),
    (
        "pairwise",
        &[
            ("provider", Text, false),
            ("model", Text, false),
            ("rubric", Text, true),
        ],
    ),
    ("flow", &[("flow", Text, true), ("output", Text, false)]),
    ("check", &[("command", Texts, true)]),
    ("human", &[("rubric", Text, false)]),
];

const LANGUAGES: [&str; 3] = ["python", "javascript", "luau"];

/// Returns the problem with the first field of a scorer that is missing, unknown or of the wrong type, or `None` if all
/// fields are valid. serde cannot name such a field, because the fields depend on the scorer's type.
pub(super) fn check_form(at: usize, scorer: &Value) -> Option<Problem> {
    let place = format!("scorers[{at}]");
    let problem = |field: &str, message: String| {
        let place = if field.is_empty() {
            place.clone()
        } else {
            format!("{place}.{field}")
        };
        Some(Problem { place, message })
    };
    let Value::Object(scorer) = scorer else {
        return problem(
            "",
            "A scorer must be an object with a `name` and a `type`.".to_owned(),
        );
    };
    let types = || TYPES.iter().map(|(name, _)| *name);
    for field in ["name", "type"] {
        match scorer.get(field) {
            Some(Value::String(_)) => {}
            Some(_) => {
                return problem(
                    field,
                    format!("`{field}` must be text. Write it in double quotes."),
                );
            }
            None if field == "type" => {
                return problem(
                    "",
                    format!("The scorer has no `type`. Add one of {}.", list(types())),
                );
            }
            None => return problem("", format!("The scorer has no `{field}`. Add it.")),
        }
    }
    let name = scorer
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let Some((_, fields)) = TYPES.iter().find(|(known, _)| *known == name) else {
        let near = did_you_mean(name, types());
        return problem(
            "type",
            format!(
                "There is no scorer type `{name}`.{near} The types are {}.",
                list(types())
            ),
        );
    };
    let names = || fields.iter().map(|(name, ..)| *name);
    for (field, value) in scorer {
        if field == "name" || field == "type" {
            continue;
        }
        if field == "lowerIsBetter" {
            if value.is_boolean() {
                continue;
            }
            return problem(field, "`lowerIsBetter` must be true or false.".to_owned());
        }
        let Some((_, takes, is_required)) = fields.iter().find(|(known, ..)| known == field) else {
            let near = did_you_mean(field, names());
            return problem(
                field,
                format!(
                    "A scorer of type `{name}` has no field `{field}`.{near} Its fields are {}.",
                    list(names())
                ),
            );
        };
        let fits = match takes {
            _ if value.is_null() => !is_required || *takes == Anything,
            Text => value.is_string(),
            Flag => value.is_boolean(),
            Anything => true,
            Range => value
                .as_array()
                .is_some_and(|ends| ends.len() == 2 && ends.iter().all(Value::is_number)),
            Texts => value
                .as_array()
                .is_some_and(|items| items.iter().all(Value::is_string)),
        };
        // Only optional values may be null.
        let fits = fits && !(value.is_null() && matches!(takes, Flag | Range));
        if !fits {
            let wanted = match takes {
                Text => "text in double quotes",
                Flag => "true or false",
                Anything => "a value",
                Range => "a list of two numbers, such as [0, 10]",
                Texts => "a list of strings, such as [\"npm\", \"test\"]",
            };
            return problem(field, format!("`{field}` takes {wanted}."));
        }
    }
    let missing = fields
        .iter()
        .find(|(field, _, is_required)| *is_required && !scorer.contains_key(*field));
    missing.and_then(|(field, ..)| {
        problem(
            "",
            format!("A scorer of type `{name}` needs the field `{field}`. Add it."),
        )
    })
}

/// Reports the problems in an evaluation's scorers.
pub(super) fn check(evaluation: &Evaluation, problems: &mut Problems) {
    if evaluation.scorers.is_empty() {
        problems.add(
            "scorers",
            "The evaluation has no scorer. Add one, such as { \"name\": \"exact\", \"type\": \"exact\" }.",
        );
    }
    let mut seen = HashSet::new();
    for (at, scorer) in evaluation.scorers.iter().enumerate() {
        let place = format!("scorers[{at}]");
        if scorer.name.trim().is_empty() {
            problems.add(
                format!("{place}.name"),
                "The scorer has no name. Give it a name.",
            );
        } else if !seen.insert(scorer.name.as_str()) {
            problems.add(
                format!("{place}.name"),
                format!("Two scorers are called `{}`. Rename one.", scorer.name),
            );
        }
        if let Some((field, what)) = empty_field(&scorer.how) {
            problems.add(
                format!("{place}.{field}"),
                format!(
                    "{what} of the scorer `{}` is empty. Fill it in.",
                    scorer.name
                ),
            );
        }
        match &scorer.how {
            Scoring::Llm { scale, .. } => check_range(format!("{place}.scale"), *scale, problems),
            Scoring::Pairwise { .. } if evaluation.variants.len() < 2 => problems.add(
                &place,
                "A pairwise scorer compares variants, and there is only one. Add a variant, or use a scorer of type `llm`.",
            ),
            Scoring::Script { language, .. } if !LANGUAGES.contains(&language.as_str()) => problems.add(
                format!("{place}.language"),
                format!(
                    "Scorers cannot be written in `{language}`.{} The languages are {}.",
                    did_you_mean(language, LANGUAGES),
                    list(LANGUAGES)
                ),
            ),
            _ => {}
        }
    }
}

/// Returns the name and the title of a required text field that is empty. Returns `None` if no such field is empty.
fn empty_field(how: &Scoring) -> Option<(&'static str, &'static str)> {
    let (field, what, text) = match how {
        Scoring::Regex { pattern } => ("pattern", "The pattern", pattern.as_str()),
        Scoring::Expression { expression } => ("expression", "The expression", expression.as_str()),
        Scoring::Script { code, .. } => ("code", "The code", code.as_str()),
        Scoring::Llm { rubric, .. } | Scoring::Pairwise { rubric, .. } => {
            ("rubric", "The rubric", rubric.as_str())
        }
        Scoring::Flow { flow, .. } => ("flow", "The path of the flow", flow.as_str()),
        Scoring::Check { command } => (
            "command",
            "The command",
            command.first().map_or("", String::as_str),
        ),
        _ => return None,
    };
    text.trim().is_empty().then_some((field, what))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::file::Scorer;

    fn value(takes: Takes) -> Value {
        match takes {
            Text => json!("python"),
            Flag => json!(true),
            Anything => json!({ "a": 1 }),
            Range => json!([1, 5]),
            Texts => json!(["npm"]),
        }
    }

    #[test]
    fn the_table_is_what_the_types_say() {
        for (name, fields) in TYPES {
            let mut all = Map::new();
            all.insert("name".into(), "x".into());
            all.insert("type".into(), (*name).into());
            let mut required = all.clone();
            for (field, takes, is_required) in *fields {
                all.insert((*field).into(), value(*takes));
                if *is_required {
                    required.insert((*field).into(), value(*takes));
                }
            }
            // The table and the type must have the same fields.
            let scorer: Scorer = serde_json::from_value(Value::Object(all.clone())).unwrap();
            let back = serde_json::to_value(&scorer).unwrap();
            assert_eq!(back.as_object().unwrap().len(), all.len(), "{name}");
            assert_eq!(check_form(0, &back), None);
            assert!(
                serde_json::from_value::<Scorer>(Value::Object(required.clone())).is_ok(),
                "{name}"
            );
            assert_eq!(check_form(0, &Value::Object(required.clone())), None);
            for (field, takes, is_required) in *fields {
                let mut without = required.clone();
                without.remove(*field);
                assert_eq!(
                    check_form(0, &Value::Object(without)).is_some(),
                    *is_required,
                    "{name}.{field}"
                );
                // Null must be accepted exactly where the type accepts it.
                let mut with_null = required.clone();
                with_null.insert((*field).into(), Value::Null);
                let with_null = Value::Object(with_null);
                let is_read = serde_json::from_value::<Scorer>(with_null.clone()).is_ok();
                assert_eq!(
                    check_form(0, &with_null).is_none(),
                    is_read,
                    "{name}.{field}"
                );
                let _ = takes;
            }
        }
        let unknown = serde_json::from_value::<Scorer>(json!({ "name": "x", "type": "?" }))
            .unwrap_err()
            .to_string();
        let known = unknown.matches('`').count() / 2 - 1;
        assert_eq!(known, TYPES.len(), "{unknown}");
    }
}
