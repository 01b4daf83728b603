//! Past runs, read from the journal.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use loopwright_engine::{
    ErrorClass, Record, RunStatus,
    event::{BudgetView, Event, PREVIEW, project, timestamp},
    journal::{
        Completed, EffectiveRecords, Entry, Fact, Failed, Input, Journal, RunFailure,
        RunHeaderBrief, RunState, Select, effective,
    },
    outcome::UsageView,
    question::Question,
};
use loopwright_model::value::{is_longer, preview};
use serde_json::{Map, Value, json};

use crate::{
    app::App,
    dto::{
        ForkedFrom, RunDetail, RunFailureInfo, RunOrigin, RunSummary, StepDetail, StepError,
        StepStatus,
    },
    error::{ApiError, Code},
};

impl App {
    /// The runs that this process drives, newest first.
    pub fn unfinished_runs(&self) -> Result<Vec<RunSummary>, ApiError> {
        let mut runs = Vec::new();
        for run_id in self.running_ids() {
            let (header, state) = self.journal().run(&run_id)?;
            runs.push(summary(&header.brief(), &state));
        }
        runs.sort_by(|a, b| b.started_at.cmp(&a.started_at));
        Ok(runs)
    }

    pub fn run_detail(&self, run_id: &str) -> Result<RunDetail, ApiError> {
        let journal = self.journal();
        let (header, state) = journal.run(run_id)?;
        let brief = RunHeaderBrief {
            label: journal.label(run_id)?,
            ..header.brief()
        };
        Ok(RunDetail {
            summary: summary(&brief, &state),
            document: header.document,
            inputs: header.inputs,
            outputs: state.outputs.map_or(Value::Null, Value::from),
            error: state.error.map(failure),
            pins: header.setup.pins,
            until: header.setup.until,
            origin: header.setup.origin.map(|origin| RunOrigin {
                run_id: origin.parent,
                at: origin.at,
                kept_seq: u32::try_from(origin.kept_records).unwrap_or(u32::MAX),
                kept: UsageView::from(&origin.kept),
            }),
            budget: state.budget.as_ref().map(BudgetView::from),
            over_budget: state.over_budget,
        })
    }

    pub fn run_events(&self, run_id: &str) -> Result<Vec<Event>, ApiError> {
        let mut events = Vec::new();
        self.journal()
            .read_each(run_id, Select::All, &mut |record| {
                events.extend(project(run_id, &record));
            })?;
        Ok(events)
    }

    pub fn step_detail(&self, run_id: &str, path: &str) -> Result<StepDetail, ApiError> {
        let mut step = self.recorded_step(run_id, path)?;
        if step.status == StepStatus::Waiting {
            step.request = self.tool_request(run_id, &step)?;
        }
        Ok(step)
    }

    /// A step as its records say. What is asked about a tool call is not among them.
    pub(crate) fn recorded_step(&self, run_id: &str, path: &str) -> Result<StepDetail, ApiError> {
        let records = self.journal().read(run_id, Select::Path(path))?;
        let mut detail: Option<StepDetail> = None;
        for record in records {
            let step = detail.get_or_insert_with(|| StepDetail {
                path: path.to_owned(),
                node_id: record.node_id.as_deref().unwrap_or_default().to_owned(),
                status: StepStatus::Running,
                reason: None,
                question: None,
                inputs: Map::new(),
                output: Value::Null,
                handles: Map::new(),
                prompt: None,
                raw: None,
                usage: UsageView::default(),
                duration_ms: None,
                model: None,
                pinned: false,
                checked: None,
                error: None,
                request: None,
            });
            match record.entry {
                Entry::Fact(Fact::NodeStarted { inputs, .. }) => {
                    step.inputs = inputs
                        .into_iter()
                        .map(|(handle, value)| (handle.to_string(), (*value).clone()))
                        .collect();
                }
                Entry::Input(Input::ExecutionCompleted(Completed {
                    outcome,
                    duration_ms,
                    ..
                }))
                | Entry::Fact(Fact::NodeCompleted(Completed {
                    outcome,
                    duration_ms,
                    ..
                })) => {
                    step.status = StepStatus::Completed;
                    // It may have been cut off when its run was stopped at a budget that was raised since.
                    step.error = None;
                    step.output = (*outcome.value).clone();
                    step.handles = outcome
                        .handles
                        .iter()
                        .map(|(handle, value)| (handle.clone(), (**value).clone()))
                        .collect();
                    step.usage = UsageView::from(outcome.spent());
                    step.pinned = outcome.pinned;
                    step.checked = outcome.checked;
                    step.duration_ms = Some(clip(duration_ms));
                    if let Some(trace) = Arc::unwrap_or_clone(outcome).trace {
                        step.prompt = trace.prompt;
                        step.raw = trace.raw;
                        step.model = trace.model;
                    }
                }
                Entry::Input(Input::ExecutionFailed(Failed {
                    error, duration_ms, ..
                }))
                | Entry::Fact(Fact::NodeFailed(Failed {
                    error, duration_ms, ..
                })) => {
                    step.status = if error.class() == ErrorClass::Cancelled {
                        StepStatus::Cancelled
                    } else {
                        StepStatus::Failed
                    };
                    step.duration_ms = Some(clip(duration_ms));
                    step.usage = UsageView::from(&error.usage);
                    step.error = Some(StepError {
                        partial: error.partial().map(str::to_owned),
                        code: error.code,
                        message: error.message,
                    });
                }
                Entry::Input(Input::NodeWaiting { question, value }) => {
                    step.status = StepStatus::Waiting;
                    step.reason = Some(question.to_string());
                    step.question = Some(question);
                    step.output = (*value).clone();
                }
                Entry::Input(Input::NodeAnswered { .. }) => {
                    step.status = StepStatus::Running;
                    step.reason = None;
                    step.question = None;
                }
                Entry::Fact(Fact::NodeSkipped { reason }) => {
                    step.status = StepStatus::Skipped;
                    step.reason = Some(reason);
                }
                _ => {}
            }
        }
        // The records of the run itself are at the empty path.
        detail.filter(|_| !path.is_empty()).ok_or_else(|| {
            ApiError::new(
                Code::NotFound,
                format!("Run {run_id} has no step `{path}`. Paths look like `refine[2]/draft`; iterations count from 1."),
            )
        })
    }

    /// What a run waits for: paths and questions.
    pub fn waiting(&self, run_id: &str) -> Result<Vec<(String, Question)>, ApiError> {
        waiting(&*self.journal(), run_id)
    }

    /// The loops and lists of a run by path, as `--json` prints them: counts, exits, similarities and every result. Of one that
    /// still continues they say how far it is. Records are looked at one after the other, and large results are left out, so that a
    /// long run, or one with large values, is not held whole.
    pub fn run_loops(&self, run_id: &str) -> Result<Value, ApiError> {
        let mut loops = Loops::default();
        let mut standing = EffectiveRecords::default();
        self.journal()
            .read_each(run_id, Select::All, &mut |record| {
                standing.take(record, &mut |record| loops.look(record));
            })?;
        standing.end(&mut |record| loops.look(record));
        Ok(loops.into_json())
    }
}

pub(crate) fn summary(header: &RunHeaderBrief, state: &RunState) -> RunSummary {
    RunSummary {
        run_id: header.run_id.clone(),
        flow: header.flow.clone(),
        flow_path: header.flow_path.clone(),
        status: state.status,
        started_at: timestamp(header.started_at),
        duration_ms: state.duration_ms.map(clip),
        usage: UsageView::from(&state.usage),
        warnings: state.warnings.clone(),
        iterations: state.iterations,
        exit_reason: state.exit_reason,
        forked_from: header
            .forked_from
            .clone()
            .map(|(run_id, at)| ForkedFrom { run_id, at }),
        name: header.label.name.clone(),
        starred: header.label.starred,
    }
}

pub(crate) fn failure(error: RunFailure) -> RunFailureInfo {
    RunFailureInfo {
        code: error.code,
        node: error.node,
        message: error.message,
    }
}

/// Steps that wait for a person, with what is asked.
pub(crate) fn waiting(
    journal: &dyn Journal,
    run_id: &str,
) -> Result<Vec<(String, Question)>, ApiError> {
    let mut open: Vec<(String, Question)> = Vec::new();
    let records = journal.read(run_id, Select::All)?;
    for record in effective(&records, false).into_iter().cloned() {
        match record.entry {
            Entry::Input(Input::NodeWaiting { question, .. }) => {
                open.retain(|(path, _)| *path != record.path);
                open.push((record.path, question));
            }
            Entry::Input(Input::NodeAnswered { .. })
            | Entry::Input(Input::ExecutionCompleted(_))
            | Entry::Fact(Fact::NodeCompleted(_))
            | Entry::Input(Input::ExecutionFailed(_))
            | Entry::Fact(Fact::NodeFailed(_)) => {
                open.retain(|(path, _)| *path != record.path);
            }
            Entry::Fact(Fact::RunFailed { .. }) => open.clear(),
            _ => {}
        }
    }
    Ok(open)
}

#[derive(Default)]
struct Loops {
    by_path: Map<String, Value>,
    passes: HashMap<String, Passes>,
}

impl Loops {
    fn look(&mut self, record: Record) {
        match record.entry {
            Entry::Fact(Fact::NodeStarted { max_iterations, .. })
                if max_iterations.is_some() || self.by_path.contains_key(&record.path) =>
            {
                // In a subflow that is tried again it begins again.
                self.passes.remove(&record.path);
                self.by_path.insert(record.path, empty_loop());
            }
            Entry::Fact(Fact::IterationStarted { .. }) => {
                self.by_path.entry(record.path).or_insert_with(empty_loop);
            }
            Entry::Fact(Fact::IterationCompleted {
                index,
                result,
                similarity,
                status: RunStatus::Completed,
                ..
            }) => {
                let of = self.passes.entry(record.path.clone()).or_default();
                of.results.insert(index, printed(&result));
                of.similarities
                    .extend(similarity.map(|similarity| (index, json!(similarity))));
                let entry = self.by_path.entry(record.path).or_insert_with(empty_loop);
                entry["count"] = json!(of.results.len());
            }
            Entry::Input(Input::ExecutionCompleted(Completed {
                scope: Some(scope), ..
            }))
            | Entry::Fact(Fact::NodeCompleted(Completed {
                scope: Some(scope), ..
            }))
            | Entry::Input(Input::ExecutionFailed(Failed {
                scope: Some(scope), ..
            }))
            | Entry::Fact(Fact::NodeFailed(Failed {
                scope: Some(scope), ..
            })) => {
                let entry = self.by_path.entry(record.path).or_insert_with(empty_loop);
                entry["count"] = json!(scope.iterations);
                entry["exitReason"] = json!(scope.exit_reason);
                entry["exhausted"] = json!(scope.exhausted);
            }
            _ => {}
        }
    }

    fn into_json(mut self) -> Value {
        for (path, of) in self.passes {
            let Some(entry) = self.by_path.get_mut(&path) else {
                continue;
            };
            entry["iterations"] = of.results.into_values().collect();
            entry["similarity"] = of.similarities.into_values().collect();
        }
        Value::Object(self.by_path)
    }
}

/// Characters. A longer result of an iteration is not printed among the others.
const PRINTED: usize = 100_000;

/// A result as it is, or what stands for one that is long.
fn printed(result: &Value) -> Value {
    match is_longer(result, PRINTED) {
        false => result.clone(),
        true => json!({ "omitted": true, "preview": preview(result, PREVIEW) }),
    }
}

/// What a loop's passes, or a list's items, gave, by their index: items are done in any order.
#[derive(Default)]
struct Passes {
    results: BTreeMap<u32, Value>,
    similarities: BTreeMap<u32, Value>,
}

fn empty_loop() -> Value {
    json!({ "count": 0, "exitReason": null, "exhausted": false, "similarity": [], "iterations": [] })
}

pub(crate) fn clip(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
