//! Ends runs without rebuilding them: runs that never began, and runs that this program cannot rebuild.

use crate::{
    journal::{self, COMPAT, Entry, Fact, Input, Record, RunFailure, RunState, StopReason},
    named::Named,
    outcome::NodeError,
    status::RunStatus,
    trust::{Note, Verdict},
};

/// The records that end a run, and the run's final row.
#[derive(Debug, Clone)]
pub struct Ending {
    pub records: Vec<Record>,
    pub state: RunState,
}

/// Returns the records and the row that end a run of the flow `name` before it began. `items` are the permissions that were
/// refused, and `at` is the time in milliseconds since the Unix epoch, UTC.
pub fn not_begun(
    name: String,
    items: Vec<String>,
    status: RunStatus,
    error: NodeError,
    at: i64,
) -> Ending {
    let entries = [
        Entry::Input(Input::RunStarted {
            name,
            inputs: Named::default(),
            compat: COMPAT,
        }),
        Entry::Input(Input::Noted {
            note: Note::new(Verdict::Refused, items),
        }),
        Entry::Fact(Fact::RunFailed {
            status,
            error: Box::new(error.clone()),
            duration_ms: 0,
            usage: Box::default(),
            warnings: Vec::new(),
        }),
    ];
    Ending {
        records: numbered(0, at, entries),
        state: ended(RunState::default(), status, error, 0),
    }
}

/// Returns whether a run ended before it began: the run was refused as a whole, and no node has a record.
pub fn never_began(records: &[Record]) -> bool {
    records.iter().any(Record::refuses_run) && records.iter().all(|record| record.path.is_empty())
}

/// Returns the records and the row that end a run with the status `cancelled`. Use this for a run that the program cannot
/// rebuild from `records`, because a node kind or the program has changed. The run can still be read, but not resumed. `state`
/// is the run's current row, and `at` is the time in milliseconds since the Unix epoch, UTC.
pub fn stopped(records: &[Record], state: RunState, at: i64) -> Ending {
    let status = RunStatus::Cancelled;
    let error = NodeError::cancelled("The run was stopped.");
    let duration_ms = journal::elapsed_ms(records);
    let entries = [
        Entry::Input(Input::StopRequested {
            reason: StopReason::Cancelled,
        }),
        Entry::Fact(Fact::RunFailed {
            status,
            error: Box::new(error.clone()),
            duration_ms,
            usage: Box::new(state.usage),
            warnings: state.warnings.clone(),
        }),
    ];
    let next = records
        .last()
        .map_or(0, |record| record.seq.saturating_add(1));
    Ending {
        records: numbered(next, at, entries),
        state: ended(state, status, error, duration_ms),
    }
}

fn numbered(first: u64, at: i64, entries: impl IntoIterator<Item = Entry>) -> Vec<Record> {
    (first..)
        .zip(entries)
        .map(|(seq, entry)| Record {
            seq,
            at,
            path: String::new(),
            node_id: None,
            entry,
        })
        .collect()
}

fn ended(state: RunState, status: RunStatus, error: NodeError, duration_ms: u64) -> RunState {
    RunState {
        status,
        duration_ms: Some(duration_ms),
        error: Some(RunFailure {
            code: error.code,
            node: None,
            message: error.message,
        }),
        ..state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_never_began_is_known_by_its_refusal() {
        let refused = NodeError::new("not_approved", "It may not.");
        let ending = not_begun(
            "Flow".to_owned(),
            vec!["net:a".to_owned()],
            RunStatus::Failed,
            refused,
            7,
        );
        assert!(never_began(&ending.records));
        assert_eq!(ending.state.status, RunStatus::Failed);
        assert_eq!(ending.state.duration_ms, Some(0));
        let stopped = NodeError::cancelled("Stopped.");
        let ending = not_begun(
            "Flow".to_owned(),
            Vec::new(),
            RunStatus::Cancelled,
            stopped,
            7,
        );
        assert!(never_began(&ending.records));
        assert!(!never_began(&ending.records[..1]));

        // The refusal of a single call is not a refusal of the run.
        let mut records = ending.records;
        records[1].path = "fetch".to_owned();
        assert!(!never_began(&records));
        records[0].path = "fetch".to_owned();
        records[1].path = String::new();
        assert!(!never_began(&records));
    }

    #[test]
    fn a_run_that_cannot_be_rebuilt_ends_behind_its_last_record() {
        let begun = not_begun(
            "Flow".to_owned(),
            Vec::new(),
            RunStatus::Failed,
            NodeError::cancelled(""),
            5,
        );
        let mut records = begun.records;
        records.truncate(2);
        records[1].at = 25;
        let ending = stopped(&records, RunState::default(), 99);
        let numbers: Vec<u64> = ending.records.iter().map(|record| record.seq).collect();
        assert_eq!(numbers, [2, 3]);
        assert_eq!(ending.state.status, RunStatus::Cancelled);
        assert_eq!(ending.state.duration_ms, Some(20));
        let empty = stopped(&[], RunState::default(), 99);
        assert_eq!(empty.records[0].seq, 0);
    }
}
