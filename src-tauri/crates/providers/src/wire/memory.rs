//! Remembers the request fields that servers refused, by address and model, until the program exits.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{LazyLock, Mutex, PoisonError},
};

use super::without::{Change, Form, Scope, Without};
use crate::structured::AnswerFormat;

/// The address of a server, and the name of its model.
type Known = (String, String);

#[derive(Default)]
struct Remembered {
    without: Without,
    /// The answer formats to use for schemas that the model does not accept, keyed by the hash of the schema.
    schemas: HashMap<u64, Form>,
}

/// The maximum number of models that are remembered. When it is reached, all entries are discarded.
const MOST_MODELS: usize = 1_000;
/// The maximum number of schemas of one model that are remembered.
const MOST_SCHEMAS: usize = 1_000;

static REMEMBERED: LazyLock<Mutex<HashMap<Known, Remembered>>> = LazyLock::new(Mutex::default);

fn hash(wanted: &AnswerFormat) -> Option<u64> {
    let AnswerFormat::Schema(schema) = wanted else {
        return None;
    };
    let mut hasher = DefaultHasher::new();
    schema.to_string().hash(&mut hasher);
    Some(hasher.finish())
}

/// Returns what to leave out of a request, because the model at this address refused it earlier.
pub(super) fn remembered(address: &str, model: &str, wanted: &AnswerFormat) -> Without {
    let all = REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(known) = all.get(&(address.to_owned(), model.to_owned())) else {
        return Without::default();
    };
    let of_schema = hash(wanted).and_then(|hash| known.schemas.get(&hash).copied());
    Without {
        form: known.without.form.max(of_schema.unwrap_or_default()),
        ..known.without
    }
}

/// Records which parts were left out of a call that was answered.
pub(super) fn remember(address: &str, model: &str, wanted: &AnswerFormat, changes: &[Change]) {
    if changes.is_empty() {
        return;
    }
    let mut all = REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= MOST_MODELS {
        all.clear();
    }
    let known = all
        .entry((address.to_owned(), model.to_owned()))
        .or_default();
    for change in changes {
        match *change {
            Change::Form(_, Scope::Answer) => {}
            Change::Form(form, Scope::Schema) => {
                if known.schemas.len() < MOST_SCHEMAS
                    && let Some(hash) = hash(wanted)
                {
                    known.schemas.insert(hash, form);
                }
            }
            change => known.without = known.without.with(change),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_refused_is_remembered_for_a_model_and_a_schema() {
        let schema = |name: &str| AnswerFormat::Schema(json!({ "title": name }));
        let at = "http://127.0.0.1:1/of-a-test";
        remember(
            at,
            "m",
            &schema("a"),
            &[
                Change::Temperature,
                Change::Form(Form::Words, Scope::Schema),
            ],
        );
        let known = remembered(at, "m", &schema("a"));
        assert!(known.temperature && known.form == Form::Words);
        let other = remembered(at, "m", &schema("b"));
        assert!(other.temperature && other.form == Form::Schema);
        assert_eq!(remembered(at, "n", &schema("a")), Without::default());
        remember(
            at,
            "n",
            &schema("a"),
            &[Change::Form(Form::Words, Scope::Answer)],
        );
        assert_eq!(remembered(at, "n", &schema("a")), Without::default());
    }
}
