//! Compares what a run emits with its records, and creates the error for a difference.

use crate::{
    journal::{Entry, Fact, Failed, Input, Record, Retried},
    outcome::NodeError,
    warning::Warning,
};

/// Returns the warnings of a fact that ends a run, or `None` for any other fact.
fn warnings(fact: &mut Fact) -> Option<&mut Vec<Warning>> {
    match fact {
        Fact::RunCompleted { warnings, .. } | Fact::RunFailed { warnings, .. } => Some(warnings),
        _ => None,
    }
}

/// Returns whether the two entries are equal. Texts for people are not compared, because another version of the program may
/// word them differently. Computed fractions may differ in the last digit, which JSON does not preserve.
pub(super) fn same(emitted: &Entry, written: &Entry) -> bool {
    if equal(emitted, written) {
        return true;
    }
    match (emitted, written) {
        (Entry::Fact(now), Entry::Fact(then)) if same_kind(emitted, written) => {
            let (now, then) = (without_texts(now), without_texts(then));
            equal(&Entry::Fact(now), &Entry::Fact(then))
        }
        _ => false,
    }
}

/// Returns a fact without the messages of errors and warnings and without the reason of a skip.
fn without_texts(fact: &Fact) -> Fact {
    let mut fact = fact.clone();
    match &mut fact {
        Fact::NodeFailed(Failed { error, .. })
        | Fact::NodeRetried(Retried { error, .. })
        | Fact::RunFailed { error, .. } => error.message.clear(),
        Fact::NodeSkipped { reason } => reason.clear(),
        Fact::Warned { warning } => warning.message.clear(),
        _ => {}
    }
    for warning in warnings(&mut fact).into_iter().flatten() {
        warning.message.clear();
    }
    fact
}

fn equal(emitted: &Entry, written: &Entry) -> bool {
    let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * a.abs().max(1.0),
        (a, b) => a == b,
    };
    match (emitted, written) {
        // Another version of the program may have begun the run, so `compat` is not compared.
        (
            Entry::Input(Input::RunStarted { name, inputs, .. }),
            Entry::Input(Input::RunStarted {
                name: written_name,
                inputs: written_inputs,
                ..
            }),
        ) => name == written_name && inputs == written_inputs,
        (
            Entry::Fact(emitted @ Fact::IterationCompleted { .. }),
            Entry::Fact(Fact::IterationCompleted {
                similarity: written_similarity,
                score: written_score,
                ..
            }),
        ) => {
            let mut emitted = emitted.clone();
            if let Fact::IterationCompleted {
                similarity, score, ..
            } = &mut emitted
                && close(*similarity, *written_similarity)
                && close(*score, *written_score)
            {
                *similarity = *written_similarity;
                *score = *written_score;
            }
            matches!(written, Entry::Fact(written) if emitted == *written)
        }
        // Validation may return more warnings today than when the run was recorded. Warnings of the run itself have separate
        // records.
        (
            Entry::Fact(emitted @ (Fact::RunCompleted { .. } | Fact::RunFailed { .. })),
            Entry::Fact(written @ (Fact::RunCompleted { .. } | Fact::RunFailed { .. })),
        ) => {
            let (mut emitted, mut written) = (emitted.clone(), written.clone());
            if let (Some(now), Some(then)) = (warnings(&mut emitted), warnings(&mut written))
                && then.iter().all(|warning| now.contains(warning))
            {
                now.clone_from(then);
            }
            emitted == written
        }
        (emitted, written) => emitted == written,
    }
}

pub(super) fn same_kind(a: &Entry, b: &Entry) -> bool {
    use std::mem::discriminant;
    match (a, b) {
        (Entry::Input(a), Entry::Input(b)) => discriminant(a) == discriminant(b),
        (Entry::Fact(a), Entry::Fact(b)) => discriminant(a) == discriminant(b),
        _ => false,
    }
}

/// Returns the error for a journal that differs from its flow. `emitted` is what the core emits instead of `record`.
pub(super) fn diverged(record: &Record, emitted: Option<(String, Entry)>) -> NodeError {
    let place = |path: &str| {
        if path.is_empty() {
            "the run itself".to_owned()
        } else {
            format!("`{path}`")
        }
    };
    let emitted = match emitted {
        None => ", which the flow now never reaches".to_owned(),
        Some((path, entry)) if path == record.path && same_kind(&entry, &record.entry) => {
            format!(
                ": the journal has {}, but the flow now produces {}",
                short(&record.entry),
                short(&entry)
            )
        }
        Some((path, entry)) => format!(
            ": the journal has {}, but the flow now produces {} of {}",
            short(&record.entry),
            short(&entry),
            place(&path)
        ),
    };
    NodeError::new(
        "journal_diverged",
        format!(
            "The journal differs from what this program produces from its flow, from record {} ({}) on{emitted}. The flow or the program has changed since. The run can still be read. Start a new run.",
            record.seq,
            place(&record.path)
        ),
    )
}

/// Returns the first 200 characters of an entry's JSON, followed by `…` if there are more.
fn short(entry: &Entry) -> String {
    let text = serde_json::to_string(entry).unwrap_or_default();
    let cut: String = text.chars().take(200).collect();
    if cut.len() < text.len() {
        format!("{cut}…")
    } else {
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(codes: &[&str]) -> Entry {
        let warnings = codes.iter().map(|code| Warning {
            code: (*code).to_owned(),
            node: None,
            message: "Of a kind.".to_owned(),
        });
        Entry::Fact(Fact::RunCompleted {
            outputs: Default::default(),
            duration_ms: 1,
            usage: Box::default(),
            warnings: warnings.collect(),
        })
    }

    #[test]
    fn texts_are_not_compared_but_codes_are() {
        let failed = |code: &str, message: &str| {
            Entry::Fact(Fact::NodeFailed(Failed {
                error: Box::new(NodeError::new(code, message)),
                duration_ms: 0,
                scope: None,
                state: None,
            }))
        };
        assert!(same(
            &failed("timeout", "It took too long."),
            &failed("timeout", "The limit was reached.")
        ));
        assert!(!same(
            &failed("timeout", "It took too long."),
            &failed("cancelled", "It took too long.")
        ));
        let skipped = |reason: &str| {
            Entry::Fact(Fact::NodeSkipped {
                reason: reason.to_owned(),
            })
        };
        assert!(same(&skipped("Not needed."), &skipped("Nothing reads it.")));
        assert!(!same(&skipped("Not needed."), &failed("x", "Not needed.")));
    }

    #[test]
    fn a_newer_program_may_warn_of_more_and_never_of_less() {
        assert!(same(&ended(&["a", "new", "b"]), &ended(&["a", "b"])));
        assert!(same(&ended(&["a"]), &ended(&["a"])));
        assert!(!same(&ended(&["a"]), &ended(&["a", "b"])));
        assert!(!same(&ended(&["a", "new"]), &ended(&["b"])));
    }
}
