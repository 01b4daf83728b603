//! The store in memory. Its runs are lost when the process ends.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use loopwright_engine::{
    Usage,
    costs::{Charge, CostRow, Costs, RunCosts},
    journal::{
        Entry, Fact, Journal, JournalError, Record, RunFilter, RunHeader, RunHeaderBrief, RunLabel,
        RunState, RunTally, Select, StoreSize,
    },
};

use crate::{
    common::{check_sequence, exists_already, iteration_path},
    search_text,
};

#[derive(Debug, Default)]
pub struct MemoryJournal {
    runs: Mutex<HashMap<String, Run>>,
    /// The costs of deleted runs, and costs that do not belong to a run.
    deleted: Mutex<Vec<CostRow>>,
}

#[derive(Debug)]
struct Run {
    header: RunHeader,
    state: RunState,
    records: Vec<Record>,
    seen: bool,
    label: RunLabel,
}

impl MemoryJournal {
    pub fn new() -> Self {
        Self::default()
    }

    fn deleted(&self) -> MutexGuard<'_, Vec<CostRow>> {
        self.deleted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the runs. No method panics in the middle of a change, so the data is valid even if the lock is poisoned.
    fn runs(&self) -> MutexGuard<'_, HashMap<String, Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Run {
    /// Returns the run's costs, summed by slot, node and model, including those of attempts in progress.
    fn costs(&self, run_id: Option<&str>) -> Vec<CostRow> {
        let mut costs = RunCosts::new(self.header.setup.taken_over_records());
        let mut sums: BTreeMap<(i64, String, String), Usage> = BTreeMap::new();
        for record in &self.records {
            costs.take(record, &mut |charge| {
                let key = (charge.slot, charge.node, charge.model);
                sums.entry(key).or_default().add(&charge.usage);
            });
        }
        for charge in costs.open_charges() {
            let key = (charge.slot, charge.node, charge.model);
            sums.entry(key).or_default().add(&charge.usage);
        }
        sums.into_iter()
            .map(|((slot, node, model), usage)| CostRow {
                run_id: run_id.map(str::to_owned),
                flow: self.header.flow.clone(),
                flow_path: self.header.flow_path.clone(),
                schedule: self.header.setup.schedule.clone(),
                charge: Charge {
                    slot,
                    node,
                    model,
                    usage,
                },
            })
            .collect()
    }

    fn brief(&self) -> RunHeaderBrief {
        RunHeaderBrief {
            label: self.label.clone(),
            ..self.header.brief()
        }
    }

    /// Returns the cost that the run itself caused, in micro-dollars. Records taken from the parent are excluded, because the
    /// parent counts them.
    fn spent_itself(&self) -> u64 {
        let origin = self.header.setup.origin.as_ref();
        let kept = origin.map_or(0, |origin| origin.kept.cost_microusd);
        self.state.usage.cost_microusd.saturating_sub(kept)
    }

    fn meets(&self, filter: &RunFilter) -> bool {
        let state = &self.state;
        let among = filter.statuses.is_empty() || filter.statuses.contains(&state.status);
        let left = filter.exit_reasons.is_empty()
            || (state.exit_reason).is_some_and(|reason| filter.exit_reasons.contains(&reason));
        let flow = (filter.flow.as_ref()).is_none_or(|flow| *flow == self.header.flow);
        let at = self.header.started_at;
        let then = filter.since.is_none_or(|since| at >= since)
            && filter.until.is_none_or(|until| at < until);
        let (long, short) = search_text::words(&filter.text);
        let header = &self.header;
        let beginning = search_text::of_beginning(
            &header.flow,
            &header.run_id,
            &header.inputs,
            &header.document,
        )
        .to_lowercase();
        let end = search_text::of_end(state)
            .unwrap_or_default()
            .to_lowercase();
        let name = self
            .label
            .name
            .as_deref()
            .unwrap_or_default()
            .to_lowercase();
        let found = |text: &str| {
            let text = text.to_lowercase();
            beginning.contains(&text) || end.contains(&text)
        };
        let values =
            format!("{}{}", header.flow, search_text::of_inputs(&header.inputs)).to_lowercase();
        among
            && filter.batch.is_none()
            && filter.seen.is_none_or(|seen| seen == self.seen)
            && filter
                .starred
                .is_none_or(|starred| starred == self.label.starred)
            && left
            && flow
            && then
            && long
                .iter()
                .all(|word| found(word) || name.contains(&word.to_lowercase()))
            && (!long.is_empty() && found(filter.text.trim())
                || short.iter().all(|word| {
                    let word = word.to_lowercase();
                    values.contains(&word) || end.contains(&word) || name.contains(&word)
                }))
    }
}

fn newest(runs: &HashMap<String, Run>, meant: impl Fn(&Run) -> bool) -> impl Iterator<Item = &Run> {
    let mut all: Vec<&Run> = runs.values().filter(|run| meant(run)).collect();
    all.sort_by_key(|run| Reverse((run.header.started_at, &run.header.run_id)));
    all.into_iter()
}

fn no_run(run_id: &str) -> JournalError {
    JournalError::NoRun(run_id.to_owned())
}

impl Journal for MemoryJournal {
    fn create(&self, header: &RunHeader) -> Result<(), JournalError> {
        let mut runs = self.runs();
        if runs.contains_key(&header.run_id) {
            return Err(exists_already(&header.run_id));
        }
        let run = Run {
            header: header.clone(),
            state: RunState::default(),
            records: Vec::new(),
            seen: false,
            label: RunLabel::default(),
        };
        runs.insert(header.run_id.clone(), run);
        Ok(())
    }

    fn append(&self, run_id: &str, records: &[Record]) -> Result<(), JournalError> {
        let mut runs = self.runs();
        let run = runs.get_mut(run_id).ok_or_else(|| no_run(run_id))?;
        check_sequence(run_id, run.records.len() as u64, records)?;
        run.records.extend_from_slice(records);
        Ok(())
    }

    fn set_state(&self, run_id: &str, state: &RunState) -> Result<(), JournalError> {
        let mut runs = self.runs();
        runs.get_mut(run_id).ok_or_else(|| no_run(run_id))?.state = state.clone();
        Ok(())
    }

    fn find(
        &self,
        filter: &RunFilter,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<(RunHeaderBrief, RunState)>, JournalError> {
        let runs = self.runs();
        Ok(newest(&runs, |run| run.meets(filter))
            .skip(offset)
            .take(limit)
            .map(|run| {
                let state = RunState {
                    outputs: None,
                    ..run.state.clone()
                };
                (run.brief(), state)
            })
            .collect())
    }

    fn tally(&self, filter: &RunFilter) -> Result<RunTally, JournalError> {
        let runs = self.runs();
        let meant: Vec<&Run> = newest(&runs, |run| run.meets(filter)).collect();
        let mut times: Vec<u64> = meant
            .iter()
            .filter_map(|run| run.state.duration_ms)
            .collect();
        times.sort_unstable();
        Ok(RunTally {
            runs: meant.len() as u64,
            cost_microusd: meant
                .iter()
                .fold(0, |sum, run| sum.saturating_add(run.spent_itself())),
            median_ms: times.get(times.len().saturating_sub(1) / 2).copied(),
        })
    }

    fn flows(&self) -> Result<Vec<(String, u64)>, JournalError> {
        let mut flows: BTreeMap<String, u64> = BTreeMap::new();
        for run in self.runs().values() {
            *flows.entry(run.header.flow.clone()).or_default() += 1;
        }
        Ok(flows.into_iter().collect())
    }

    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<String>, JournalError> {
        let runs = self.runs();
        Ok(newest(&runs, |run| run.header.run_id.starts_with(prefix))
            .take(limit)
            .map(|run| run.header.run_id.clone())
            .collect())
    }

    fn size(&self) -> Result<StoreSize, JournalError> {
        Ok(StoreSize {
            runs: self.runs().len() as u64,
            ..StoreSize::default()
        })
    }

    fn results(&self, run_id: &str, scope: &str) -> Result<u64, JournalError> {
        Ok(self.read(run_id, Select::Results(scope))?.len() as u64)
    }

    fn run(&self, run_id: &str) -> Result<(RunHeader, RunState), JournalError> {
        let runs = self.runs();
        let run = runs.get(run_id).ok_or_else(|| no_run(run_id))?;
        Ok((run.header.clone(), run.state.clone()))
    }

    fn read(&self, run_id: &str, select: Select<'_>) -> Result<Vec<Record>, JournalError> {
        let runs = self.runs();
        let run = runs.get(run_id).ok_or_else(|| no_run(run_id))?;
        let within = match select {
            Select::Iteration { scope, index } => iteration_path(scope, index),
            _ => String::new(),
        };
        let is_result = |record: &Record, scope: &str| {
            record.path == scope
                && matches!(record.entry, Entry::Fact(Fact::IterationCompleted { .. }))
        };
        let wanted = |record: &&Record| match select {
            Select::All => true,
            Select::Path(path) => record.path == path,
            Select::Iteration { .. } => record
                .path
                .strip_prefix(&within)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            Select::Results(scope) | Select::ResultsPage { scope, .. } => is_result(record, scope),
            Select::Starts {
                scope,
                first,
                count,
            } => {
                record.path == scope
                    && matches!(record.entry, Entry::Fact(Fact::IterationStarted { index, .. })
                        if index >= first && index - first < count)
            }
            Select::Outline => {
                !record.path.contains('[')
                    && !matches!(
                        record.entry,
                        Entry::Fact(Fact::IterationStarted { .. })
                            | Entry::Fact(Fact::ConditionChecked { .. })
                            | Entry::Fact(Fact::IterationCompleted { .. })
                    )
            }
        };
        let (limit, offset) = match select {
            Select::ResultsPage { limit, offset, .. } => (limit, offset),
            _ => (usize::MAX, 0),
        };
        let found = run.records.iter().filter(wanted);
        Ok(found.skip(offset).take(limit).cloned().collect())
    }

    fn add(
        &self,
        header: &RunHeader,
        records: &[Record],
        state: &RunState,
    ) -> Result<(), JournalError> {
        check_sequence(&header.run_id, 0, records)?;
        let mut runs = self.runs();
        if runs.contains_key(&header.run_id) {
            return Err(exists_already(&header.run_id));
        }
        let run = Run {
            header: header.clone(),
            state: state.clone(),
            records: records.to_vec(),
            seen: false,
            label: RunLabel::default(),
        };
        runs.insert(header.run_id.clone(), run);
        Ok(())
    }

    fn compact(&self) -> Result<(), JournalError> {
        Ok(())
    }

    fn mark_seen(&self, run_id: &str) -> Result<(), JournalError> {
        let mut runs = self.runs();
        runs.get_mut(run_id).ok_or_else(|| no_run(run_id))?.seen = true;
        Ok(())
    }

    fn label(&self, run_id: &str) -> Result<RunLabel, JournalError> {
        let runs = self.runs();
        let run = runs.get(run_id).ok_or_else(|| no_run(run_id))?;
        Ok(run.label.clone())
    }

    fn set_name(&self, run_id: &str, name: Option<&str>) -> Result<(), JournalError> {
        let mut runs = self.runs();
        let run = runs.get_mut(run_id).ok_or_else(|| no_run(run_id))?;
        run.label.name = name.map(str::to_owned);
        Ok(())
    }

    fn set_starred(&self, run_id: &str, starred: bool) -> Result<(), JournalError> {
        let mut runs = self.runs();
        let run = runs.get_mut(run_id).ok_or_else(|| no_run(run_id))?;
        run.label.starred = starred;
        Ok(())
    }

    fn run_size(&self, run_id: &str) -> Result<u64, JournalError> {
        let runs = self.runs();
        let run = runs.get(run_id).ok_or_else(|| no_run(run_id))?;
        let bytes = serde_json::to_vec(&run.records)
            .map_err(|error| JournalError::Read(error.to_string()))?;
        Ok(bytes.len() as u64)
    }

    fn costs(&self, since: i64, until: i64) -> Result<Option<Costs>, JournalError> {
        let runs = self.runs();
        let mut rows = self.deleted().clone();
        for run in runs.values() {
            rows.extend(run.costs(Some(&run.header.run_id)));
        }
        rows.retain(|row| (since..until).contains(&row.charge.slot));
        rows.sort_by(|a, b| {
            let key =
                |row: &CostRow| (row.charge.slot, row.run_id.clone(), row.charge.node.clone());
            key(a).cmp(&key(b))
        });
        Ok(Some(Costs {
            rows,
            uncounted_runs: 0,
        }))
    }

    fn add_costs(&self, rows: &[CostRow]) -> Result<(), JournalError> {
        let rows = rows.iter().cloned();
        self.deleted().extend(rows.map(|row| CostRow {
            run_id: None,
            ..row
        }));
        Ok(())
    }

    fn delete(&self, run_id: &str) -> Result<(), JournalError> {
        let run = self.runs().remove(run_id).ok_or_else(|| no_run(run_id))?;
        self.deleted().extend(run.costs(None));
        Ok(())
    }
}
