//! Scores results, either by a computation or by running a judge's flow.

use loopwright_answers::{
    json,
    rating::{Scale, rating},
};
use loopwright_engine::similarity::similarity;
use loopwright_evaluation::{
    file::{Scorer, Scoring},
    result::{Case, Score},
};
use loopwright_model::{
    json as json_text,
    schema::{Schema, SchemaError},
    value::to_text,
};
use loopwright_runs::{ApiError, Code};
use loopwright_template::{Expression, Scope};
use regex::Regex;
use serde_json::{Map, Value, json};

use super::judge::NAMES;

/// The values that scorers can read.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) result: Value,
    pub(super) output: Value,
    pub(super) expected: Value,
    /// Whether `expected` is a list of alternative correct answers.
    pub(super) any_of: bool,
    pub(super) case: Value,
    pub(super) run: Value,
}

impl Seen {
    pub(super) fn of(case: &Case, result: Value, output: Value, run: Value) -> Self {
        Self {
            result,
            output,
            expected: case.expected.clone().unwrap_or_default(),
            any_of: case.alternatives().is_some(),
            case: Value::Object(case.row.clone()),
            run,
        }
    }

    /// Returns the values as inputs of a scorer's flow, by name.
    pub(super) fn inputs(&self) -> Map<String, Value> {
        let mut inputs = Map::new();
        for (name, value) in [
            ("result", &self.result),
            ("output", &self.output),
            ("expected", &self.expected),
            ("case", &self.case),
            ("run", &self.run),
        ] {
            inputs.insert(name.to_owned(), value.clone());
        }
        inputs
    }
}

/// A compiled scorer.
pub(super) enum Compiled {
    Exact {
        value: Option<Value>,
        ignore_case: bool,
    },
    Contains {
        value: Option<Value>,
        ignore_case: bool,
    },
    Regex(Regex),
    Schema(Box<Schema>),
    Similarity(Option<String>),
    Expression(Expression),
    /// The score is the result of running a judge's flow.
    Judge,
    /// A judge compares pairs of results once all results exist.
    Pairwise,
    Human,
}

impl Compiled {
    /// Compiles a scorer.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the scorer has an invalid pattern, schema or expression.
    pub(super) fn of(scorer: &Scorer) -> Result<Self, ApiError> {
        let refused = |why: String| {
            ApiError::new(
                Code::InvalidArgument,
                format!("Scorer \"{}\": {why}", scorer.name),
            )
        };
        Ok(match &scorer.how {
            Scoring::Exact { value, ignore_case } => Self::Exact {
                value: value.clone(),
                ignore_case: *ignore_case,
            },
            Scoring::Contains { value, ignore_case } => Self::Contains {
                value: value.clone(),
                ignore_case: *ignore_case,
            },
            Scoring::Regex { pattern } => Self::Regex(
                Regex::new(pattern)
                    .map_err(|error| refused(format!("the pattern is invalid. {error}")))?,
            ),
            Scoring::JsonSchema { schema } => {
                Self::Schema(Box::new(Schema::compile(schema).map_err(|error| {
                    refused(format!("the schema is invalid. {error}"))
                })?))
            }
            Scoring::Similarity { value } => Self::Similarity(value.clone()),
            Scoring::Expression { expression } => {
                let parsed =
                    Expression::parse(expression).map_err(|error| refused(error.to_string()))?;
                if let Some(unknown) = parsed
                    .references()
                    .iter()
                    .find(|reference| !NAMES.contains(&reference.root.as_str()))
                {
                    return Err(refused(format!(
                        "the expression reads `{}`. A scorer can read {}.",
                        unknown.root,
                        NAMES.join(", ")
                    )));
                }
                Self::Expression(parsed)
            }
            Scoring::Script { .. }
            | Scoring::Llm { .. }
            | Scoring::Flow { .. }
            | Scoring::Check { .. } => Self::Judge,
            Scoring::Pairwise { .. } => Self::Pairwise,
            Scoring::Human { .. } => Self::Human,
        })
    }

    /// Returns the score if it is computed directly, or `None` if it must come from a run or a person.
    pub(super) fn score(&self, seen: &Seen) -> Option<Score> {
        Some(match self {
            Self::Exact { value, ignore_case } => match wanted(value, seen) {
                Ok(wanted) => boolean(
                    is_equal(&seen.result, wanted, *ignore_case)
                        || alternatives(value, seen).is_some_and(|any| {
                            any.iter()
                                .any(|one| is_equal(&seen.result, one, *ignore_case))
                        }),
                ),
                Err(why) => unscored(why),
            },
            Self::Contains { value, ignore_case } => match wanted(value, seen) {
                Ok(Value::Array(any)) if alternatives(value, seen).is_some() => boolean(
                    any.iter()
                        .any(|part| contains(&seen.result, part, *ignore_case)),
                ),
                Ok(Value::Array(all)) => boolean(
                    all.iter()
                        .all(|part| contains(&seen.result, part, *ignore_case)),
                ),
                Ok(wanted) => boolean(contains(&seen.result, wanted, *ignore_case)),
                Err(why) => unscored(why),
            },
            Self::Regex(pattern) => boolean(pattern.is_match(&to_text(&seen.result))),
            Self::Schema(schema) => {
                let fits = match &seen.result {
                    Value::String(text) => match json_text::read(text) {
                        Ok(value) => schema.is_valid(&value),
                        Err(_) => schema.is_valid(&seen.result).and_then(|fits| {
                            if fits {
                                Ok(true)
                            } else {
                                holds_json(text, schema)
                            }
                        }),
                    },
                    other => schema.is_valid(other),
                };
                match fits {
                    Ok(valid) => boolean(valid),
                    Err(error) => unscored(error.to_string()),
                }
            }
            Self::Similarity(value) => {
                let value = value.as_ref().map(|text| json!(text));
                match wanted(&value, seen) {
                    Ok(wanted) => {
                        let any =
                            alternatives(&value, seen).unwrap_or(std::slice::from_ref(wanted));
                        let all = any.iter().map(|one| similarity(&seen.result, one).value);
                        number(all.fold(0.0, f64::max))
                    }
                    Err(why) => unscored(why),
                }
            }
            Self::Expression(expression) => {
                let mut scope = Scope::new();
                for (name, value) in seen.inputs() {
                    scope.insert(name, value);
                }
                match expression.evaluate(&scope) {
                    Ok(value) => of_value(&value),
                    Err(error) => unscored(error.to_string()),
                }
            }
            Self::Judge | Self::Pairwise | Self::Human => return None,
        })
    }
}

/// Returns whether `text` contains exactly one JSON value that matches the schema.
fn holds_json(text: &str, schema: &Schema) -> Result<bool, SchemaError> {
    let text = loopwright_answers::split(text).text;
    let mut failure = None;
    let mut fits = |candidate: &str| {
        json_text::read(candidate).is_ok_and(|value| match schema.is_valid(&value) {
            Ok(fits) => fits,
            Err(error) => {
                failure.get_or_insert(error);
                false
            }
        })
    };
    let is_held = json::values(text).one_that(&mut fits).is_ok_and(&mut fits);
    failure.map_or(Ok(is_held), Err)
}

/// Reads a score from a value: a number, a boolean, a string with a rating, or an object with a `score`, `passed` or `ok` and
/// an optional `reason`.
pub(super) fn of_value(value: &Value) -> Score {
    match value {
        Value::Bool(passed) => boolean(*passed),
        Value::Number(found) => found.as_f64().map_or_else(|| not_a_number(value), number),
        Value::String(text) => match text.trim().parse::<f64>() {
            Ok(found) if found.is_finite() => number(found),
            _ => match rating(text, Scale::default(), "score").map(|said| said.value.as_f64()) {
                Some(Some(found)) => number(found),
                _ => not_a_number(value),
            },
        },
        Value::Object(fields) => {
            let reason = fields.get("reason").and_then(Value::as_str);
            let inner = ["score", "passed", "ok"]
                .into_iter()
                .find_map(|name| fields.get(name));
            let Some(inner) = inner.filter(|inner| !inner.is_object()) else {
                return not_a_number(value);
            };
            let score = of_value(inner);
            Score {
                reason: reason.map(str::to_owned).or(score.reason),
                ..score
            }
        }
        _ => not_a_number(value),
    }
}

pub(super) fn number(value: f64) -> Score {
    Score {
        value: Some(value).filter(|value| value.is_finite()),
        ..Score::default()
    }
}

fn boolean(passed: bool) -> Score {
    Score {
        value: Some(f64::from(u8::from(passed))),
        is_boolean: true,
        reason: None,
    }
}

pub(super) fn unscored(why: impl Into<String>) -> Score {
    Score {
        reason: Some(why.into()),
        ..Score::default()
    }
}

fn not_a_number(value: &Value) -> Score {
    let text = to_text(value);
    let short: String = text.chars().take(80).collect();
    unscored(format!(
        "The scorer returned {}, which is not a number, true or false.",
        if value.is_null() {
            "nothing".to_owned()
        } else {
            format!("`{short}`")
        }
    ))
}

fn wanted<'a>(value: &'a Option<Value>, seen: &'a Seen) -> Result<&'a Value, &'static str> {
    match value {
        Some(value) => Ok(value),
        None if seen.expected.is_null() => {
            Err("The case has no expected value, and the scorer has no `value`. Set one of them.")
        }
        None => Ok(&seen.expected),
    }
}

/// Returns the alternative correct answers if `expected` is a list of them. Returns `None` if the scorer sets `value`
/// itself, or if `expected` is a single answer.
fn alternatives<'a>(value: &Option<Value>, seen: &'a Seen) -> Option<&'a [Value]> {
    match &seen.expected {
        Value::Array(any) if seen.any_of && value.is_none() => Some(any),
        _ => None,
    }
}

fn is_equal(result: &Value, wanted: &Value, ignore_case: bool) -> bool {
    if result == wanted {
        return true;
    }
    let (result, wanted) = (to_text(result), to_text(wanted));
    match ignore_case {
        true => result.trim().to_lowercase() == wanted.trim().to_lowercase(),
        false => result.trim() == wanted.trim(),
    }
}

fn contains(result: &Value, part: &Value, ignore_case: bool) -> bool {
    let (result, part) = (to_text(result), to_text(part));
    match ignore_case {
        true => result.to_lowercase().contains(&part.to_lowercase()),
        false => result.contains(&part),
    }
}

/// Scores an output with a computed scorer and without an expected value.
///
/// # Errors
/// [`Code::InvalidArgument`] if the scorer is not computed.
pub(crate) fn score_output(scorer: &Scorer, output: &Value) -> Result<Score, ApiError> {
    let seen = Seen {
        result: output.clone(),
        output: output.clone(),
        expected: Value::Null,
        any_of: false,
        case: Value::Null,
        run: Value::Null,
    };
    Compiled::of(scorer)?.score(&seen).ok_or_else(|| {
        ApiError::new(
            Code::InvalidArgument,
            format!(
                "A test cannot use the scorer \"{}\", because it starts a run, compares variants or asks a person. Use a scorer that is computed directly.",
                scorer.name
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(result: Value, expected: Value) -> Seen {
        Seen {
            output: result.clone(),
            result,
            expected,
            any_of: false,
            case: json!({ "topic": "sea" }),
            run: json!({ "iterations": 3 }),
        }
    }

    fn score(scorer: Value, seen: &Seen) -> Score {
        let scorer: Scorer = serde_json::from_value(scorer).unwrap();
        Compiled::of(&scorer).unwrap().score(seen).unwrap()
    }

    #[test]
    fn the_targets_of_an_inspect_sample_are_alternatives() {
        let sample = |target: Value| {
            let row = json!({ "input": "The capital?", "target": target });
            Case {
                id: "a".to_owned(),
                line: 1,
                inputs: Map::new(),
                expected: Some(target),
                row: row.as_object().unwrap().clone(),
            }
        };
        let of = |target, scorer, result: &str| {
            let seen = Seen::of(&sample(target), json!(result), json!(result), Value::Null);
            score(json!({ "name": "a", "type": scorer }), &seen).value
        };
        let both = || json!(["Lutetia", "Paris"]);
        assert_eq!(of(both(), "exact", "Paris"), Some(1.0));
        assert_eq!(of(both(), "exact", "Rome"), Some(0.0));
        assert_eq!(of(both(), "contains", "It is Paris."), Some(1.0));
        assert_eq!(of(both(), "similarity", "Paris"), Some(1.0));
        assert_eq!(of(json!(["Paris"]), "exact", "Paris"), Some(1.0));
        // A list from another column is compared as a whole.
        let mut other = sample(both());
        other.row.insert("target".to_owned(), json!("x"));
        let seen = Seen::of(&other, json!("Paris"), json!("Paris"), Value::Null);
        assert_eq!(
            score(json!({ "name": "a", "type": "exact" }), &seen).value,
            Some(0.0)
        );
    }

    #[test]
    fn each_computed_scorer_gives_its_number() {
        let of = seen(json!("A calm Sea"), json!("a calm sea"));
        let all = [
            (json!({"name": "a", "type": "exact"}), Some(0.0)),
            (
                json!({"name": "a", "type": "exact", "ignoreCase": true}),
                Some(1.0),
            ),
            (
                json!({"name": "a", "type": "contains", "value": "Sea"}),
                Some(1.0),
            ),
            (
                json!({"name": "a", "type": "contains", "value": ["calm", "storm"]}),
                Some(0.0),
            ),
            (
                json!({"name": "a", "type": "regex", "pattern": "^A .* Sea$"}),
                Some(1.0),
            ),
            (
                json!({"name": "a", "type": "json_schema", "schema": {"type": "string"}}),
                Some(1.0),
            ),
            (
                json!({"name": "a", "type": "similarity", "value": "A calm Sea"}),
                Some(1.0),
            ),
            (
                json!({"name": "a", "type": "expression", "expression": "result | length"}),
                Some(10.0),
            ),
            (
                json!({"name": "a", "type": "expression", "expression": "run.iterations == 3"}),
                Some(1.0),
            ),
            (
                json!({"name": "a", "type": "expression", "expression": "case.topic"}),
                None,
            ),
        ];
        for (scorer, wanted) in all {
            assert_eq!(score(scorer.clone(), &of).value, wanted, "{scorer}");
        }
    }

    #[test]
    fn the_one_json_value_in_a_result_is_scored() {
        let scorer = json!({"name": "a", "type": "json_schema", "schema": {"type": "object", "required": ["price"]}});
        for (result, wanted) in [
            ("{\"price\": 3}", 1.0),
            ("```json\n{\"price\": 3}\n```", 1.0),
            ("As in [1]: {\"price\": 3}.", 1.0),
            ("<think>{}</think>{\"price\": 3}", 1.0),
            ("{\"price\": 3} {\"price\": 4}", 0.0),
            ("See [1].", 0.0),
        ] {
            let scored = score(scorer.clone(), &seen(json!(result), Value::Null));
            assert_eq!(scored.value, Some(wanted), "{result}");
        }
        assert_eq!(of_value(&json!("**Score: 7.5**")).value, Some(7.5));
        assert_eq!(of_value(&json!("7 or 8")).value, None);
    }

    #[test]
    fn what_cannot_be_scored_says_why_and_is_no_zero() {
        let of = seen(json!("x"), Value::Null);
        let without = score(json!({"name": "a", "type": "exact"}), &of);
        assert_eq!(without.value, None);
        assert!(without.reason.unwrap().contains("no expected value"));
        let missing = score(
            json!({"name": "a", "type": "expression", "expression": "case.nothing + 1"}),
            &of,
        );
        assert_eq!(missing.value, None);
        assert_eq!(
            of_value(&json!({"score": "7.5", "reason": "clear"})).value,
            Some(7.5)
        );
        assert_eq!(of_value(&json!(f64::MAX)).value, Some(f64::MAX));
        assert_eq!(of_value(&json!([1])).value, None);
    }

    #[test]
    fn an_expression_that_reads_something_else_is_refused_by_name() {
        let scorer = serde_json::from_value(
            json!({"name": "a", "type": "expression", "expression": "draft.response"}),
        )
        .unwrap();
        let error = Compiled::of(&scorer).err().unwrap();
        assert!(error.message.contains("`draft`"), "{error}");
    }
}
