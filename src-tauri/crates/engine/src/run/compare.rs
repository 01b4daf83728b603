//! Whether what a run says now is what is written, and how to say that it is not.

use crate::{
    journal::{Entry, Fact, Failed, Input, Record},
    outcome::NodeError,
};

/// How messages of a run end now, and how they ended in earlier programs. No run depends on such words, so both are the same
/// fact. The earlier ones are in two halves because new texts must not have them.
const REWORDED: [(&str, &str); 2] = [
    (
        "larger budget to continue.",
        concat!("larger budget to go", " on."),
    ),
    (
        "larger budget to continue anyway.",
        concat!("larger budget to go", " on all the same."),
    ),
];

/// Whether an earlier program wrote this message in the words of `written`.
fn is_reworded(emitted: &str, written: &str) -> bool {
    REWORDED.iter().any(|(now, before)| {
        emitted
            .strip_suffix(now)
            .is_some_and(|begin| written.strip_suffix(before) == Some(begin))
    })
}

/// Equal, but for what a computed fraction loses in the last place on its way through JSON, and for [`REWORDED`].
pub(super) fn same(emitted: &Entry, written: &Entry) -> bool {
    let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * a.abs().max(1.0),
        (a, b) => a == b,
    };
    match (emitted, written) {
        // What began with another program continues here.
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
        (
            Entry::Fact(
                fact @ (Fact::NodeFailed(Failed { error, .. }) | Fact::RunFailed { error, .. }),
            ),
            Entry::Fact(
                written @ (Fact::NodeFailed(Failed {
                    error: written_error,
                    ..
                })
                | Fact::RunFailed {
                    error: written_error,
                    ..
                }),
            ),
        ) if is_reworded(&error.message, &written_error.message) => {
            let mut fact = fact.clone();
            if let Fact::NodeFailed(Failed { error, .. }) | Fact::RunFailed { error, .. } =
                &mut fact
            {
                error.message.clone_from(&written_error.message);
            }
            fact == *written
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

/// The error of a journal that is not what the flow gives: `emitted` stands where `record` is written.
pub(super) fn diverged(record: &Record, emitted: Option<(String, Entry)>) -> NodeError {
    let place = |path: &str| {
        if path.is_empty() {
            "the run itself".to_owned()
        } else {
            format!("`{path}`")
        }
    };
    let emitted = match emitted {
        None => ", which nothing in its flow leads to".to_owned(),
        Some((path, entry)) if path == record.path && same_kind(&entry, &record.entry) => {
            format!(
                ": written is {}, and the flow now gives {}",
                short(&record.entry),
                short(&entry)
            )
        }
        Some((path, entry)) => format!(
            ": written is {}, and the flow now gives {} of {}",
            short(&record.entry),
            short(&entry),
            place(&path)
        ),
    };
    NodeError::new(
        "journal_diverged",
        format!(
            "The journal is not what this program makes of its flow, from record {} ({}) on{emitted}. The flow or the program has changed since. The run can still be read; start a new one.",
            record.seq,
            place(&record.path)
        ),
    )
}

/// A record's content in few words.
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

    fn failed(code: &str, message: String) -> Entry {
        Entry::Fact(Fact::NodeFailed(Failed {
            error: NodeError::new(code, message),
            duration_ms: 0,
            scope: None,
        }))
    }

    #[test]
    fn a_message_in_the_words_of_an_earlier_program_is_the_same_fact() {
        for (now, before) in REWORDED {
            let emitted = failed("cancelled", format!("No room. Take a {now}"));
            let written = |code: &str, begin: &str| failed(code, format!("{begin}{before}"));
            assert!(same(&emitted, &written("cancelled", "No room. Take a ")));
            assert!(!same(&emitted, &written("cancelled", "Room. Take a ")));
            assert!(!same(&emitted, &written("timeout", "No room. Take a ")));
            assert!(!same(&written("cancelled", "No room. Take a "), &emitted));
        }
    }
}
