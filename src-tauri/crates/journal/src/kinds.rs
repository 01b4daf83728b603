//! What a record is, in its row: a short code in the `type` column, which the payload then need not repeat. Runs that an
//! older version began have the entry's name there, and the whole entry as payload; what is appended to them is written
//! in the same way, so that all records of a run are selected by one word.

use std::borrow::Cow;

use loopwright_engine::Entry;
use rusqlite::{Connection, OptionalExtension};

/// How the records of a run are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// By the names of entries, without references to other records.
    Long,
    Short,
}

/// The `type` column and the payload of a record.
pub(crate) struct Stored {
    pub(crate) kind: &'static str,
    pub(crate) payload: String,
}

/// Codes and names, as serde writes them.
const KINDS: &[(&str, &str)] = &[
    ("ns", "node_started"),
    ("nc", "node_completed"),
    ("is", "iteration_started"),
    ("ic", "iteration_completed"),
    ("cc", "condition_checked"),
    ("rs", "run_started"),
    ("rc", "run_completed"),
    ("rf", "run_failed"),
    ("nf", "node_failed"),
    ("nk", "node_skipped"),
    ("nw", "node_waiting"),
    ("na", "node_answered"),
    ("nr", "node_retried"),
    ("tr", "timer_rang"),
    ("cu", "calls_under_way"),
    ("rr", "run_resumed"),
    ("fk", "forked"),
    ("cr", "call_reserved"),
    ("cw", "call_waits"),
    ("cf", "call_refused"),
    ("cs", "call_settled"),
    ("bs", "budget_set"),
    ("nt", "noted"),
    ("rp", "run_paused"),
    ("rg", "run_continued"),
    ("lb", "loop_over_budget"),
    ("sr", "stop_requested"),
    ("wn", "warned"),
];

/// The code and the name of an entry.
fn of(entry: &Entry) -> (&'static str, &'static str) {
    // One arm for each entry, so that a new one does not compile without a code.
    let at = match entry {
        Entry::NodeStarted { .. } => 0,
        Entry::NodeCompleted { .. } => 1,
        Entry::IterationStarted { .. } => 2,
        Entry::IterationCompleted { .. } => 3,
        Entry::ConditionChecked { .. } => 4,
        Entry::RunStarted { .. } => 5,
        Entry::RunCompleted { .. } => 6,
        Entry::RunFailed { .. } => 7,
        Entry::NodeFailed { .. } => 8,
        Entry::NodeSkipped { .. } => 9,
        Entry::NodeWaiting { .. } => 10,
        Entry::NodeAnswered { .. } => 11,
        Entry::NodeRetried { .. } => 12,
        Entry::TimerRang { .. } => 13,
        Entry::CallsUnderWay { .. } => 14,
        Entry::RunResumed => 15,
        Entry::Forked { .. } => 16,
        Entry::CallReserved { .. } => 17,
        Entry::CallWaits { .. } => 18,
        Entry::CallRefused { .. } => 19,
        Entry::CallSettled { .. } => 20,
        Entry::BudgetSet { .. } => 21,
        Entry::Noted { .. } => 22,
        Entry::RunPaused => 23,
        Entry::RunContinued => 24,
        Entry::LoopOverBudget => 25,
        Entry::StopRequested { .. } => 26,
        Entry::Warned { .. } => 27,
    };
    KINDS[at]
}

/// The `type` column for entries of this name, in runs of this form.
pub(crate) fn column(name: &'static str, form: Form) -> &'static str {
    match form {
        Form::Long => name,
        Form::Short => KINDS
            .iter()
            .find(|(_, long)| *long == name)
            .map_or(name, |(code, _)| code),
    }
}

/// Makes a row of an entry and its JSON, in which the type comes first.
pub(crate) fn stored(entry: &Entry, json: String, form: Form) -> Stored {
    let (code, name) = of(entry);
    if form == Form::Long {
        return Stored {
            kind: name,
            payload: json,
        };
    }
    let mut payload = json;
    // `{"type":"…",` or, where nothing follows, `{"type":"…"`
    let head = r#"{"type":""#.len() + name.len() + 1;
    let comma = usize::from(payload.as_bytes().get(head) == Some(&b','));
    payload.replace_range(..head + comma, "{");
    Stored {
        kind: code,
        payload,
    }
}

/// The JSON of an entry as serde wrote it.
pub(crate) fn whole<'p>(kind: &str, payload: &'p str) -> (Cow<'p, str>, Form) {
    let Some((_, name)) = KINDS.iter().find(|(code, _)| *code == kind) else {
        return (Cow::Borrowed(payload), Form::Long);
    };
    let fields = payload.strip_prefix('{').unwrap_or(payload);
    let comma = if fields == "}" { "" } else { "," };
    (
        Cow::Owned(format!(r#"{{"type":"{name}"{comma}{fields}"#)),
        Form::Short,
    )
}

/// How the records of a run are written: as its first one is.
pub(crate) fn form(connection: &Connection, run: i64) -> rusqlite::Result<Form> {
    let first: Option<String> = connection
        .prepare_cached(
            "SELECT type FROM records WHERE place >= ?1 << 32 AND place < (?1 + 1) << 32 ORDER BY place LIMIT 1",
        )?
        .query_row([run], |row| row.get(0))
        .optional()?;
    Ok(match first {
        Some(kind) if !KINDS.iter().any(|(code, _)| *code == kind) => Form::Long,
        _ => Form::Short,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_has_a_code_of_its_own() {
        let codes: BTreeSet<_> = KINDS.iter().map(|(code, _)| code).collect();
        let names: BTreeSet<_> = KINDS.iter().map(|(_, name)| name).collect();
        assert_eq!((codes.len(), names.len()), (KINDS.len(), KINDS.len()));
        assert!(codes.is_disjoint(&names));
    }

    #[test]
    fn a_row_gives_back_the_entry() {
        for entry in [
            Entry::RunPaused,
            Entry::NodeSkipped {
                reason: "\"type\":\"no\"".into(),
            },
        ] {
            let json = serde_json::to_string(&entry).expect("an entry can be written");
            for form in [Form::Long, Form::Short] {
                let row = stored(&entry, json.clone(), form);
                assert_eq!(whole(row.kind, &row.payload), (json.as_str().into(), form));
            }
        }
    }
}
