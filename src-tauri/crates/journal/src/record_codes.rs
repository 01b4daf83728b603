//! The short codes of record kinds. The head of a record contains the code, so the payload does not contain the type. Runs of
//! older versions have the entry's name in the head and the whole entry in the payload. Records that are appended to such runs
//! have the same form.

use std::borrow::Cow;

use loopwright_engine::journal::{Entry, Fact, Input};
use rusqlite::{Connection, OptionalExtension};

/// The form of a run's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The long form of older versions: with the names of entries, and without references to other records.
    Long,
    Short,
}

/// The codes with their names in serde.
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
    ("cf", "call_refused"),
    ("ca", "call_asked"),
    ("cs", "call_settled"),
    ("bs", "budget_set"),
    ("nt", "noted"),
    ("rp", "run_paused"),
    ("rg", "run_continued"),
    ("lb", "loop_over_budget"),
    ("sr", "stop_requested"),
    ("wn", "warned"),
    ("vc", "visit_completed"),
    ("vf", "visit_failed"),
    ("vr", "visit_retried"),
    ("hw", "host_warned"),
    ("to", "run_taken_over"),
    ("so", "scope_opening"),
    ("sc", "scope_closing"),
    ("oa", "scope_opened"),
    ("ra", "scope_reopened"),
    ("xa", "scope_closed"),
    ("aw", "agent_worked"),
    ("vp", "visit_parked"),
    ("vu", "visit_unparked"),
    ("sf", "spending_refused"),
    ("sl", "computer_slept"),
];

/// The codes that occur only in runs of compatibility 1.
const OLD_KINDS: &[(&str, &str)] = &[("cw", "call_waits")];

/// Returns the code and the serde name of an entry.
fn words_of(entry: &Entry) -> (&'static str, &'static str) {
    // Each entry has its own arm, so that a new kind of entry does not compile without a code.
    let at = match entry {
        Entry::Input(input) => match input {
            Input::RunStarted { .. } => 5,
            Input::NodeWaiting { .. } => 10,
            Input::NodeAnswered { .. } => 11,
            Input::TimerFired { .. } => 13,
            Input::CallsUnderWay { .. } => 14,
            Input::RunResumed => 15,
            Input::Forked { .. } => 16,
            Input::CallRequested { .. } => 19,
            Input::CallSettled { .. } => 20,
            Input::BudgetSet { .. } => 21,
            Input::Noted { .. } => 22,
            Input::RunPaused => 23,
            Input::RunContinued => 24,
            Input::LoopOverBudget => 25,
            Input::RunTakenOver => 32,
            Input::StopRequested { .. } => 26,
            Input::ExecutionCompleted(_) => 28,
            Input::ExecutionFailed(_) => 29,
            Input::ExecutionRetried(_) => 30,
            Input::HostWarned { .. } => 31,
            Input::ScopeOpened(_) => 35,
            Input::ScopeReopened(_) => 36,
            Input::ScopeClosed(_) => 37,
            Input::AgentWorked(_) => 38,
            Input::ExecutionParked(_) => 39,
            Input::ExecutionUnparked => 40,
            Input::SpendingRefused { .. } => 41,
            Input::ComputerSlept { .. } => 42,
        },
        Entry::Fact(fact) => match fact {
            Fact::NodeStarted { .. } => 0,
            Fact::NodeCompleted(_) => 1,
            Fact::IterationStarted { .. } => 2,
            Fact::IterationCompleted { .. } => 3,
            Fact::ConditionChecked { .. } => 4,
            Fact::RunCompleted { .. } => 6,
            Fact::RunFailed { .. } => 7,
            Fact::NodeFailed(_) => 8,
            Fact::NodeSkipped { .. } => 9,
            Fact::NodeRetried(_) => 12,
            Fact::CallReserved { .. } => 17,
            Fact::CallRefused { .. } => 18,
            Fact::Warned { .. } => 27,
            Fact::ScopeOpening { .. } => 33,
            Fact::ScopeClosing {} => 34,
        },
    };
    KINDS[at]
}

/// Returns whether a record of this kind describes the end of an iteration, in either form.
pub(crate) fn is_result(kind: &str) -> bool {
    matches!(kind, "ic" | "iteration_completed")
}

/// Returns whether a record of this kind describes the start of an iteration.
pub(crate) fn is_start(kind: &str) -> bool {
    matches!(kind, "is" | "iteration_started")
}

/// Returns whether a record of this kind is a scope's record about one of its iterations.
pub(crate) fn is_about_iteration(kind: &str) -> bool {
    is_result(kind) || is_start(kind) || matches!(kind, "cc" | "condition_checked")
}

/// Returns whether a record of this kind may make a charge or affect later charges. `is_open` is true if the record's execution
/// has open costs.
pub(crate) fn charges(kind: &str, is_open: bool) -> bool {
    match kind {
        "vc" | "visit_completed" | "nc" | "node_completed" => true,
        "vf" | "visit_failed" | "nf" | "node_failed" => true,
        "vr" | "visit_retried" | "vp" | "visit_parked" | "cu" | "calls_under_way" => true,
        "rr" | "run_resumed" | "to" | "run_taken_over" | "rc" | "run_completed" => true,
        "ns" | "node_started" => is_open,
        _ => false,
    }
}

/// Returns the index of the iteration that a scope's record is about; `None` for other records.
pub(crate) fn iteration(entry: &Entry) -> Option<u32> {
    match entry {
        Entry::Fact(
            Fact::IterationStarted { index, .. }
            | Fact::IterationCompleted { index, .. }
            | Fact::ConditionChecked { index, .. },
        ) => Some(*index),
        _ => None,
    }
}

/// Returns the kind of an entry. In the short form, also removes the type, which is the first field, from the entry's JSON.
pub(crate) fn shorten(entry: &Entry, json: &mut Vec<u8>, form: Form) -> &'static str {
    let (code, name) = words_of(entry);
    if form == Form::Long {
        return name;
    }
    // The head is `{"type":"…",`, or `{"type":"…"` if nothing follows.
    let head = r#"{"type":""#.len() + name.len() + 1;
    let comma = usize::from(json.get(head) == Some(&b','));
    json.splice(..head + comma, *b"{");
    code
}

/// Restores the JSON of an entry as serde wrote it. Also returns the form of the record.
pub(crate) fn whole<'p>(kind: &str, payload: &'p str) -> (Cow<'p, str>, Form) {
    let mut known = KINDS.iter().chain(OLD_KINDS);
    let Some((_, name)) = known.find(|(code, _)| *code == kind) else {
        return (Cow::Borrowed(payload), Form::Long);
    };
    let fields = payload.strip_prefix('{').unwrap_or(payload);
    let comma = if fields == "}" { "" } else { "," };
    (
        Cow::Owned(format!(r#"{{"type":"{name}"{comma}{fields}"#)),
        Form::Short,
    )
}

/// Returns the form of a run's records. All records of a run have the form of the first one.
pub(crate) fn form(connection: &Connection, run: i64) -> rusqlite::Result<Form> {
    let first: Option<String> = connection
        .prepare_cached(
            "SELECT heads ->> '$[0][3]' FROM record_batches WHERE place >= ?1 << 32 AND place < (?1 + 1) << 32 ORDER BY place LIMIT 1",
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
        let known = || KINDS.iter().chain(OLD_KINDS);
        let codes: BTreeSet<_> = known().map(|(code, _)| code).collect();
        let names: BTreeSet<_> = known().map(|(_, name)| name).collect();
        let count = KINDS.len() + OLD_KINDS.len();
        assert_eq!((codes.len(), names.len()), (count, count));
        assert!(codes.is_disjoint(&names));
    }

    #[test]
    fn a_row_gives_back_the_entry() {
        for entry in [
            Entry::Input(Input::RunPaused),
            Entry::Input(Input::RunTakenOver),
            Entry::Fact(Fact::NodeSkipped {
                reason: "\"type\":\"no\"".into(),
            }),
        ] {
            let json = serde_json::to_string(&entry).expect("an entry can be written");
            for form in [Form::Long, Form::Short] {
                let mut payload = json.clone().into_bytes();
                let kind = shorten(&entry, &mut payload, form);
                let payload = std::str::from_utf8(&payload).expect("a text");
                assert_eq!(whole(kind, payload), (json.as_str().into(), form));
            }
        }
    }
}
