//! The effective records of a run. If a run stopped at its budget and then continued, the records of the stop are excluded.

use crate::journal::{Entry, Fact, Input, Record, StopReason};

/// Returns the effective records. A run that stopped at its budget and is resumed with a larger one continues from its state
/// before the stop. So the records of the stop, from the request to stop to the end of the run, are excluded. If `reopened` is
/// true, the run is about to be resumed, and a stop at the end of `records` is also excluded.
pub fn effective(records: &[Record], reopened: bool) -> Vec<&Record> {
    let mut standing = Vec::with_capacity(records.len());
    let mut rest = records;
    while let Some((first, behind)) = rest.split_first() {
        let end = is_stop(first)
            .then(|| {
                behind
                    .iter()
                    .position(|record| matches!(record.entry, Entry::Fact(Fact::RunFailed { .. })))
            })
            .flatten();
        match end {
            Some(end) if reopened || end + 1 < behind.len() => rest = &behind[end + 1..],
            _ => {
                standing.push(first);
                rest = behind;
            }
        }
    }
    standing
}

/// Selects the same records as [`effective`], for a caller that receives records one at a time and is not about to resume the
/// run.
#[derive(Debug, Default)]
pub struct EffectiveRecords {
    /// The records of a stop at a budget, which are held back. They are effective only if no other record follows.
    stop: Vec<Record>,
    is_over: bool,
}

impl EffectiveRecords {
    pub fn take(&mut self, record: Record, each: &mut dyn FnMut(Record)) {
        if self.is_over {
            self.stop.clear();
            self.is_over = false;
        }
        if self.stop.is_empty() && !is_stop(&record) {
            return each(record);
        }
        self.is_over = matches!(record.entry, Entry::Fact(Fact::RunFailed { .. }));
        self.stop.push(record);
    }

    /// Ends the list of records and passes the records that were held back to `each`.
    pub fn end(self, each: &mut dyn FnMut(Record)) {
        self.stop.into_iter().for_each(each);
    }
}

fn is_stop(record: &Record) -> bool {
    matches!(
        record.entry,
        Entry::Input(Input::StopRequested {
            reason: StopReason::BudgetExceeded
        })
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{outcome::NodeError, status::RunStatus};

    fn stop() -> Entry {
        Entry::Input(Input::StopRequested {
            reason: StopReason::BudgetExceeded,
        })
    }

    fn failed() -> Entry {
        Entry::Fact(Fact::RunFailed {
            status: RunStatus::Failed,
            error: Box::new(NodeError::new("budget_exceeded", "")),
            duration_ms: 0,
            usage: Box::default(),
            warnings: Vec::new(),
        })
    }

    /// Records that arrive one at a time give the same result as a complete list.
    #[test]
    fn records_that_come_one_by_one_stand_as_those_of_a_list() {
        let kinds: [fn() -> Entry; 3] = [stop, failed, || Entry::Input(Input::RunResumed)];
        for pattern in 0..3_usize.pow(6) {
            let mut records: Vec<Record> = Vec::new();
            for place in 0..6 {
                records.push(Record {
                    seq: place,
                    at: 0,
                    path: String::new(),
                    node_id: None,
                    entry: kinds[pattern / 3_usize.pow(place as u32) % 3](),
                });
            }
            let expected: Vec<u64> = effective(&records, false).iter().map(|r| r.seq).collect();
            let (mut one_by_one, mut found) = (EffectiveRecords::default(), Vec::new());
            for record in records {
                one_by_one.take(record, &mut |record| found.push(record.seq));
            }
            one_by_one.end(&mut |record| found.push(record.seq));
            assert_eq!(found, expected, "{pattern}");
        }
    }
}
