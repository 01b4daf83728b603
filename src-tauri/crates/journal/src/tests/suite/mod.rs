//! The conformance suite for every store of runs. [`conformance!`] turns each case into a test.

use std::{sync::Arc, thread};

use loopwright_engine::{
    Answer, ExitReason, Expiry, NodeError, Outcome, RunStatus, Trace, Usage, Warning,
    budget::{BudgetState, CallRequest, Fit, Limits},
    journal::{
        ByName, COMPAT, Completed, Earlier, Entry, Fact, Failed, Input, Journal, JournalError,
        Origin, Override, Record, Retried, RunFailure, RunFilter, RunHeader, RunHeaderBrief,
        RunLabel, RunSetup, RunState, RunTally, ScopeAnswer, ScopeEnd, Select, StopReason,
    },
    named::Named,
    question::Question,
};
use serde_json::{Value, json};

/// Lists every case once, so that no store can omit one.
#[macro_export]
macro_rules! conformance {
    ($make:expr) => {
        $crate::conformance!(@cases $make;
            gives_back_every_kind_of_record,
            numbers_records_without_gaps,
            refuses_what_names_no_run,
            keeps_a_run_id_for_one_run,
            selects_by_path_iteration_and_result,
            tells_look_alike_paths_apart,
            reads_an_outline_and_results_by_the_page,
            lists_newest_first_in_pages,
            finds_the_runs_that_are_meant,
            counts_what_a_fork_took_over_once,
            counts_what_runs_store,
            adds_up_costs_that_no_number_holds,
            sets_a_name_and_a_star_apart,
            tells_what_somebody_has_seen,
            keeps_names_and_stars,
            keeps_the_last_state,
            keeps_where_a_run_was_forked,
            keeps_texts_of_every_kind,
            keeps_deep_and_wide_values,
            adds_a_whole_run_or_nothing,
            deletes_one_run_and_no_other,
            reads_while_it_is_written,
        );
    };
    (@cases $make:expr; $($case:ident),* $(,)?) => {
        $(#[test]
        fn $case() {
            // A store that this machine does not support is not tested.
            if let Some((journal, _keep)) = $make {
                $crate::tests::suite::$case(&journal);
            }
        })*
    };
}

/// A small random number generator. Its quality does not matter, only that it is repeatable.
#[allow(dead_code)] // The store in memory does not need it.
pub struct Random(pub u64);

#[allow(dead_code)]
impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    pub fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).unwrap()
    }
}

pub fn header(run_id: &str, started_at: i64) -> RunHeader {
    RunHeader {
        run_id: run_id.into(),
        flow: "Self-Refine".into(),
        flow_path: Some("/flows/self-refine.loop".into()),
        document: json!({"nodes": [{"id": "draft", "type": "llm"}], "edges": []}),
        inputs: json!({"text": "a sample"}),
        started_at,
        setup: RunSetup::default(),
    }
}

pub fn record(seq: u64, path: &str, entry: Entry) -> Record {
    let node_id = path.rsplit('/').next().filter(|id| !id.is_empty());
    Record {
        seq,
        at: 1_700_000_000_000 + i64::try_from(seq).unwrap(),
        path: path.into(),
        node_id: node_id.map(Into::into),
        entry,
    }
}

pub fn completed(value: impl Into<Value>) -> Entry {
    Entry::Input(Input::ExecutionCompleted(Completed {
        outcome: Outcome::single("output", value.into()).into(),
        duration_ms: 3,
        scope: None,
        state: None,
    }))
}

pub fn iteration_result(index: u32, value: impl Into<Value>) -> Entry {
    Entry::Fact(Fact::IterationCompleted {
        index,
        result: Arc::new(value.into()),
        reached_exit: true,
        similarity: Some(0.875),
        condition_result: None,
        score: Some(1e-300),
        duration_ms: 12,
        usage: Box::default(),
        status: RunStatus::Completed,
    })
}

pub fn named(object: Value) -> Named {
    serde_json::from_value(object).unwrap()
}

fn begin(journal: &dyn Journal, run_id: &str) {
    journal.create(&header(run_id, 1)).unwrap();
}

fn asked() -> CallRequest {
    CallRequest {
        call: 3,
        model: "openai/gpt-4.1".into(),
        microusd: Some(1_250),
        tokens: None,
        unbounded: true,
    }
}

fn paths(records: &[Record]) -> Vec<&str> {
    records.iter().map(|record| record.path.as_str()).collect()
}

pub fn gives_back_every_kind_of_record(journal: &dyn Journal) {
    begin(journal, "r");
    let usage = Usage {
        calls: 2,
        input_tokens: 300,
        output_tokens: 40,
        cost_microusd: 1_250,
        unpriced_calls: 1,
        cached_tokens: 20,
        reasoning_tokens: 5,
        cut_off_calls: 1,
        longest_prompt: 180,
    };
    let warning = Warning {
        code: "loop_exhausted".into(),
        node: Some("refine".into()),
        message: "The loop reached its cap.".into(),
    };
    let error = NodeError::new("provider_refused", "The server said 401.");
    let scope = Some(ScopeEnd {
        iterations: 3,
        exit_reason: ExitReason::EvaluatorDone,
        exhausted: false,
    });
    let mut whole = Outcome::branch("revise", json!({"branch": "revise"}), json!("text"));
    whole.usage = usage;
    whole.trace = Some(Box::new(Trace {
        prompt: Some("Improve it.".into()),
        raw: Some(json!({"id": 1, "choices": []})),
        model: Some("builtin/reviser".into()),
    }));
    whole.warnings = vec![("call_repeated".into(), "Asked twice.".into())];
    let inputs = ByName::from([("input", json!([1, null, true]))]);
    let entries = vec![
        (
            "",
            Entry::Input(Input::RunStarted {
                name: "n".into(),
                inputs: named(json!({"b": 1, "a": 2})),
                compat: COMPAT,
            }),
        ),
        (
            "refine",
            Entry::Fact(Fact::NodeStarted {
                inputs: inputs.clone(),
                primary: Some("input".into()),
                max_iterations: Some(5),
            }),
        ),
        (
            "refine",
            Entry::Fact(Fact::IterationStarted {
                index: 0,
                total: None,
                input: Arc::new(json!("x")),
            }),
        ),
        (
            "refine[1]/draft",
            Entry::Fact(Fact::NodeStarted {
                inputs,
                primary: None,
                max_iterations: None,
            }),
        ),
        (
            "refine[1]/draft",
            Entry::Input(Input::ExecutionCompleted(Completed {
                outcome: whole.into(),
                duration_ms: 40,
                scope: None,
                state: None,
            })),
        ),
        (
            "refine[1]/judge",
            Entry::Input(Input::ExecutionFailed(Failed {
                error: error.clone().into(),
                duration_ms: 1,
                scope,
                state: Some(Arc::new(json!({ "tree": "4b825dc" }))),
            })),
        ),
        (
            "refine",
            Entry::Fact(Fact::ScopeOpening {
                kind: "workspace".into(),
                request: Arc::new(json!({ "source": "." })),
            }),
        ),
        (
            "refine",
            Entry::Input(Input::ScopeOpened(ScopeAnswer::of(Ok(
                json!({ "base": "4b825dc" }),
            )))),
        ),
        (
            "refine",
            Entry::Input(Input::ScopeReopened(ScopeAnswer::of(Err(error.clone())))),
        ),
        ("refine", Entry::Fact(Fact::ScopeClosing {})),
        (
            "refine",
            Entry::Input(Input::ScopeClosed(ScopeAnswer::of(Ok(json!(null))))),
        ),
        (
            "refine[1]/side",
            Entry::Fact(Fact::NodeSkipped {
                reason: "branch not taken".into(),
            }),
        ),
        (
            "refine[1]/ask",
            Entry::Input(Input::NodeWaiting {
                question: Question::Approve {
                    message: "May I?".into(),
                },
                value: Arc::new(json!({"text": "so far"})),
                expires: Some(Box::new(Expiry {
                    at: 1_700_000_000_000,
                    answer: Answer::default(),
                })),
            }),
        ),
        (
            "refine[1]/ask",
            Entry::Input(Input::NodeAnswered {
                answer: Box::new(Answer {
                    approved: false,
                    value: Some(json!(null)),
                    comment: Some("Not yet.".into()),
                    ..Default::default()
                }),
            }),
        ),
        (
            "refine[1]/ask",
            Entry::Input(Input::TimerFired { ticket: u64::MAX }),
        ),
        (
            "",
            Entry::Input(Input::Forked {
                parent: "other".into(),
                at: "refine[3]".into(),
                beyond: true,
                given: Some(Override::Input(Arc::new(json!(null)))),
            }),
        ),
        (
            "refine[1]/draft",
            Entry::Input(Input::ExecutionRetried(Retried {
                attempt: 1,
                error: error.clone().into(),
                after_ms: 250,
                attempts: Some(4),
            })),
        ),
        (
            "draft",
            Entry::Fact(Fact::NodeRetried(Retried {
                attempt: 1,
                error: NodeError::new("timeout", "inside").into(),
                after_ms: 0,
                attempts: None,
            })),
        ),
        (
            "draft",
            Entry::Fact(Fact::NodeFailed(Failed {
                error: NodeError::new("cancelled", "cut off").into(),
                duration_ms: 2,
                scope: None,
                state: None,
            })),
        ),
        (
            "draft",
            Entry::Fact(Fact::NodeCompleted(Completed {
                outcome: Outcome::single("value", json!("an input of the flow")).into(),
                duration_ms: 0,
                scope: None,
                state: None,
            })),
        ),
        (
            "draft",
            Entry::Input(Input::HostWarned {
                warning: Box::new(Warning {
                    code: "call_repeated".into(),
                    node: Some("draft".into()),
                    message: "again".into(),
                }),
            }),
        ),
        ("", Entry::Input(Input::RunResumed)),
        (
            "draft",
            Entry::Fact(Fact::CallReserved {
                asked: Box::new(asked()),
                budget: BudgetState::default().into(),
            }),
        ),
        (
            "draft",
            Entry::Input(Input::CallRequested {
                asked: Box::new(asked()),
                fits: Fit::Later,
                budget: BudgetState::default().into(),
            }),
        ),
        (
            "draft",
            Entry::Fact(Fact::CallRefused {
                asked: Box::new(asked()),
                budget: BudgetState::default().into(),
            }),
        ),
        (
            "draft",
            Entry::Input(Input::CallSettled {
                call: 3,
                usage,
                known: true,
                budget: BudgetState::default().into(),
            }),
        ),
        (
            "",
            Entry::Input(Input::BudgetSet {
                limits: Limits::new(Some(0.5), Some(1_000)),
            }),
        ),
        ("", Entry::Input(Input::RunPaused)),
        ("", Entry::Input(Input::RunContinued)),
        ("refine", Entry::Input(Input::LoopOverBudget)),
        (
            "",
            Entry::Input(Input::StopRequested {
                reason: StopReason::Cancelled,
            }),
        ),
        (
            "refine",
            Entry::Fact(Fact::ConditionChecked {
                index: 0,
                result: false,
            }),
        ),
        ("refine", iteration_result(0, "y")),
        (
            "refine",
            Entry::Input(Input::ExecutionCompleted(Completed {
                outcome: Outcome::default().into(),
                duration_ms: 60,
                scope,
                state: None,
            })),
        ),
        (
            "",
            Entry::Fact(Fact::Warned {
                warning: Box::new(warning.clone()),
            }),
        ),
        (
            "",
            Entry::Fact(Fact::RunCompleted {
                outputs: named(json!({"result": "y"})),
                duration_ms: 70,
                usage: usage.into(),
                warnings: vec![warning.clone()],
            }),
        ),
        (
            "",
            Entry::Fact(Fact::RunFailed {
                status: RunStatus::Cancelled,
                error: error.into(),
                duration_ms: 71,
                usage: usage.into(),
                warnings: vec![warning],
            }),
        ),
    ];
    let records: Vec<Record> = entries
        .into_iter()
        .zip(0..)
        .map(|((path, entry), seq)| record(seq, path, entry))
        .collect();
    journal.append("r", &records[..5]).unwrap();
    journal.append("r", &[]).unwrap();
    journal.append("r", &records[5..]).unwrap();
    assert_eq!(journal.read("r", Select::All).unwrap(), records);
    // The order of an object's fields is part of its value.
    let Entry::Input(Input::RunStarted { inputs, .. }) =
        &journal.read("r", Select::All).unwrap()[0].entry
    else {
        panic!("the first record is the run's start");
    };
    assert_eq!(inputs.to_object().to_string(), r#"{"b":1,"a":2}"#);
}

pub fn numbers_records_without_gaps(journal: &dyn Journal) {
    begin(journal, "r");
    let skip = |seq| {
        record(
            seq,
            "a",
            Entry::Fact(Fact::NodeSkipped {
                reason: String::new(),
            }),
        )
    };
    journal.append("r", &[skip(0), skip(1)]).unwrap();
    for wrong in [
        vec![skip(3)],
        vec![skip(1)],
        vec![skip(2), skip(4)],
        vec![skip(2), skip(2)],
    ] {
        let error = journal.append("r", &wrong).unwrap_err();
        assert!(matches!(error, JournalError::Write(_)), "{error:?}");
    }
    // A refused batch leaves nothing behind, not even its valid beginning.
    assert_eq!(journal.read("r", Select::All).unwrap().len(), 2);
    journal.append("r", &[skip(2)]).unwrap();
    assert_eq!(journal.read("r", Select::All).unwrap().len(), 3);
}

pub fn refuses_what_names_no_run(journal: &dyn Journal) {
    let state = state_of(RunStatus::Failed);
    let errors = [
        journal
            .append("none", &[record(0, "a", completed("x"))])
            .unwrap_err(),
        journal.append("none", &[]).unwrap_err(),
        journal.set_state("none", &state).unwrap_err(),
        journal.run("none").unwrap_err(),
        journal.read("none", Select::All).unwrap_err(),
        journal.delete("none").unwrap_err(),
    ];
    for error in errors {
        assert!(
            matches!(&error, JournalError::NoRun(run) if run == "none"),
            "{error:?}"
        );
    }
    assert!(journal.list(10, 0).unwrap().is_empty());
}

pub fn keeps_a_run_id_for_one_run(journal: &dyn Journal) {
    begin(journal, "r");
    journal
        .append("r", &[record(0, "a", completed("kept"))])
        .unwrap();
    let error = journal.create(&header("r", 99)).unwrap_err();
    assert!(
        matches!(&error, JournalError::Exists(run) if run == "r"),
        "{error:?}"
    );
    assert_eq!(journal.run("r").unwrap().0, header("r", 1));
    assert_eq!(journal.read("r", Select::All).unwrap().len(), 1);
    // The id of a deleted run can be used again.
    journal.delete("r").unwrap();
    journal.create(&header("r", 5)).unwrap();
    assert!(journal.read("r", Select::All).unwrap().is_empty());
}

pub fn selects_by_path_iteration_and_result(journal: &dyn Journal) {
    begin(journal, "r");
    let mut records = vec![record(
        0,
        "outer",
        Entry::Fact(Fact::NodeStarted {
            inputs: ByName::default(),
            primary: None,
            max_iterations: Some(2),
        }),
    )];
    let mut add = |path: String, entry: Entry| {
        let seq = records.len() as u64;
        records.push(record(seq, &path, entry));
    };
    for outer in 1..=2_u32 {
        add(
            "outer".into(),
            Entry::Fact(Fact::IterationStarted {
                index: outer - 1,
                total: None,
                input: Arc::default(),
            }),
        );
        add(format!("outer[{outer}]/before"), completed(outer));
        for inner in 1..=3_u32 {
            add(
                format!("outer[{outer}]/inner[{inner}]/work"),
                completed(inner),
            );
            add(
                format!("outer[{outer}]/inner"),
                iteration_result(inner - 1, outer * 10 + inner),
            );
        }
        add("outer".into(), iteration_result(outer - 1, outer));
    }
    journal.append("r", &records).unwrap();

    let read = |select| journal.read("r", select).unwrap();
    assert_eq!(
        paths(&read(Select::Path("outer[2]/before"))),
        ["outer[2]/before"]
    );
    assert_eq!(
        paths(&read(Select::Iteration {
            scope: "outer[1]/inner",
            index: 2
        })),
        ["outer[1]/inner[3]/work"]
    );
    let second = read(Select::Iteration {
        scope: "outer",
        index: 1,
    });
    let expected: Vec<&Record> = records
        .iter()
        .filter(|r| r.path.starts_with("outer[2]/"))
        .collect();
    assert_eq!(expected.len(), 7);
    assert_eq!(
        second.iter().collect::<Vec<_>>(),
        expected,
        "whole, nested, and in order"
    );

    let results: Vec<u32> = read(Select::Results("outer[2]/inner"))
        .iter()
        .map(|record| match &record.entry {
            Entry::Fact(Fact::IterationCompleted { result, .. }) => {
                u32::try_from(result.as_u64().unwrap()).unwrap()
            }
            other => panic!("{other:?} is no result"),
        })
        .collect();
    assert_eq!(results, [21, 22, 23]);
    assert_eq!(read(Select::Results("outer")).len(), 2);
    assert!(read(Select::Results("outer[2]")).is_empty());
    assert!(
        read(Select::Iteration {
            scope: "outer",
            index: u32::MAX
        })
        .is_empty()
    );
}

pub fn tells_look_alike_paths_apart(journal: &dyn Journal) {
    begin(journal, "r");
    let all = [
        "",
        "a",
        "a[1]",
        "a[1]/b",
        "a[1]0",
        "a[1]/",
        "a[1]/b[2]/c",
        "a[10]/b",
        "a[11]",
        "a[1].x",
        "A[1]/b",
        "aa[1]/b",
        "a[1]/%",
        "a_[1]/b",
        "a[1]/é",
    ];
    let records: Vec<Record> = all
        .iter()
        .zip(0..)
        .map(|(path, seq)| record(seq, path, completed(*path)))
        .collect();
    journal.append("r", &records).unwrap();
    assert_eq!(
        paths(
            &journal
                .read(
                    "r",
                    Select::Iteration {
                        scope: "a",
                        index: 0
                    }
                )
                .unwrap()
        ),
        ["a[1]", "a[1]/b", "a[1]/", "a[1]/b[2]/c", "a[1]/%", "a[1]/é"]
    );
    for path in all {
        assert_eq!(
            paths(&journal.read("r", Select::Path(path)).unwrap()),
            [path]
        );
    }
}

pub fn reads_an_outline_and_results_by_the_page(journal: &dyn Journal) {
    begin(journal, "r");
    let started = |index, input| {
        Entry::Fact(Fact::IterationStarted {
            index,
            total: None,
            input: Arc::new(json!(input)),
        })
    };
    let checked = Entry::Fact(Fact::ConditionChecked {
        index: 0,
        result: true,
    });
    let entries = [
        ("refine", started(0, 1)),
        ("refine[1]/draft", completed(1)),
        ("refine[1]/inner", started(1, 7)),
        ("refine[1]/inner[1]/step", completed(2)),
        ("before", completed("outside")),
        ("refine", iteration_result(0, 10)),
        ("refine", checked),
        ("refine", started(2, 3)),
        ("refine", started(1, 2)),
        ("refine[2]/draft", completed(3)),
        ("refine", iteration_result(1, 20)),
        ("refine", started(9, 10)),
        ("refine[10]/draft", completed(4)),
        ("refine", iteration_result(2, 30)),
        ("refine", completed("whole")),
        ("refine\\beside", completed("look-alike")),
        ("", completed("the run")),
        ("other[1]/step", completed(5)),
        ("other", completed("also")),
    ];
    let records: Vec<Record> = entries
        .into_iter()
        .zip(0..)
        .map(|((path, entry), seq)| record(seq, path, entry))
        .collect();
    journal.append("r", &records).unwrap();
    let outline = journal.read("r", Select::Outline).unwrap();
    assert_eq!(
        paths(&outline),
        ["before", "refine", "refine\\beside", "", "other"]
    );
    let whole = records
        .iter()
        .find(|record| record.entry == completed("whole"))
        .unwrap();
    assert_eq!(&outline[1], whole);

    let starts = |first, count| -> Vec<Value> {
        let select = Select::Starts {
            scope: "refine",
            first,
            count,
        };
        let read = journal.read("r", select).unwrap();
        let input = |record: &Record| match &record.entry {
            Entry::Fact(Fact::IterationStarted { input, .. }) => (**input).clone(),
            other => panic!("{other:?} is no start"),
        };
        read.iter().map(input).collect()
    };
    assert_eq!(starts(0, 2), [json!(1), json!(2)]);
    assert_eq!(starts(1, 2), [json!(3), json!(2)]);
    assert_eq!(starts(2, u32::MAX), [json!(3), json!(10)]);
    assert!(starts(3, 6).is_empty() && starts(0, 0).is_empty());

    let page = |offset, limit| -> Vec<Value> {
        let select = Select::ResultsPage {
            scope: "refine",
            offset,
            limit,
        };
        let read = journal.read("r", select).unwrap();
        let result = |record: &Record| match &record.entry {
            Entry::Fact(Fact::IterationCompleted { result, .. }) => (**result).clone(),
            other => panic!("{other:?} is no result"),
        };
        read.iter().map(result).collect()
    };
    assert_eq!(page(0, 2), [json!(10), json!(20)]);
    assert_eq!(page(2, 9), [json!(30)]);
    assert!(page(3, usize::MAX).is_empty() && page(0, 0).is_empty());
    assert_eq!(journal.results("r", "refine").unwrap(), 3);
    assert_eq!(journal.results("r", "before").unwrap(), 0);
    assert!(matches!(
        journal.results("none", "refine"),
        Err(JournalError::NoRun(_))
    ));
}

/// Creates five runs that differ in every field of a filter.
fn history(journal: &dyn Journal) {
    let texts = [
        "Wildfires in Greece",
        "a \"quoted\" word",
        "grün & Ärger",
        "100%",
        "plain",
    ];
    let ends = [
        (
            RunStatus::Completed,
            Some(ExitReason::EvaluatorDone),
            Some(40),
        ),
        (
            RunStatus::Completed,
            Some(ExitReason::StableOutput),
            Some(10),
        ),
        (RunStatus::Failed, Some(ExitReason::Error), Some(20)),
        (RunStatus::Waiting, None, None),
        (RunStatus::Running, None, None),
    ];
    for (index, (text, (status, exit_reason, duration_ms))) in
        texts.into_iter().zip(ends).enumerate()
    {
        let run_id = format!("run-{index}");
        let at = 100 * i64::try_from(index).unwrap();
        let header = RunHeader {
            flow: if index < 3 { "Self-Refine" } else { "QA" }.into(),
            inputs: json!({ "nested": [{ "text": text }, 4711] }),
            ..header(&run_id, at)
        };
        journal.create(&header).unwrap();
        if status == RunStatus::Running {
            continue;
        }
        let over = status.is_over();
        let mut state = state_of(status);
        state.duration_ms = duration_ms;
        state.exit_reason = exit_reason;
        state.usage.cost_microusd = 7;
        state.outputs = over.then(|| named(json!({ "result": format!("outcome number {index}") })));
        state.error = (status == RunStatus::Failed).then(|| RunFailure {
            code: "network".into(),
            node: None,
            message: "Nobody answers at example.org.".into(),
        });
        journal.set_state(&run_id, &state).unwrap();
    }
}

fn text(text: &str) -> RunFilter {
    RunFilter {
        text: text.into(),
        ..RunFilter::default()
    }
}

pub fn finds_the_runs_that_are_meant(journal: &dyn Journal) {
    history(journal);
    let find = |filter: RunFilter| -> String {
        let found = journal.find(&filter, 10, 0).unwrap();
        assert_eq!(
            journal.tally(&filter).unwrap().runs,
            found.len() as u64,
            "{filter:?}"
        );
        let number = |brief: &RunHeaderBrief| brief.run_id["run-".len()..].to_owned();
        found.iter().map(|(brief, _)| number(brief)).collect()
    };
    let all = RunFilter::default;
    for (filter, found) in [
        (all(), "43210"),
        (
            RunFilter {
                batch: Some("none of this name".to_owned()),
                ..all()
            },
            "",
        ),
        (
            RunFilter {
                statuses: vec![RunStatus::Completed],
                ..all()
            },
            "10",
        ),
        (
            RunFilter {
                statuses: vec![RunStatus::Failed, RunStatus::Running],
                ..all()
            },
            "42",
        ),
        (
            RunFilter {
                exit_reasons: vec![ExitReason::StableOutput, ExitReason::Error],
                ..all()
            },
            "21",
        ),
        (
            RunFilter {
                flow: Some("QA".into()),
                ..all()
            },
            "43",
        ),
        (
            RunFilter {
                flow: Some("qa".into()),
                ..all()
            },
            "",
        ),
        (
            RunFilter {
                since: Some(100),
                until: Some(300),
                ..all()
            },
            "21",
        ),
        (
            RunFilter {
                flow: Some("QA".into()),
                statuses: vec![RunStatus::Waiting],
                ..all()
            },
            "3",
        ),
        // The search reads inputs, outputs, errors, names and ids. It finds parts of words, and every word must occur.
        (text("greece"), "0"),
        (text("ldfi  REEC"), "0"),
        (text("greece plain"), ""),
        (text("outcome"), "210"),
        (text("wildfires number"), "0"),
        (text("example.org"), "2"),
        (text("4711"), "43210"),
        (text("run-3"), "3"),
        (text("refine"), "210"),
        (text("qa"), "43"),
        (text("a plain"), "4"),
        // SQLite's special characters are literal.
        (text("\"quoted\""), "1"),
        (text("\"\"\""), ""),
        (text("grün"), "2"),
        (text("ÄRGER"), "2"),
        (text("100%"), "3"),
        (text("10_%"), ""),
        (text("%"), "3"),
        // These words are too short for the index.
        (text("ou"), "210"),
        (text("q"), "431"),
        (text("outcome 2"), "2"),
        (text("2 outcome"), "2"),
        (text("outcome number 0"), "0"),
        (text("at NO"), "2"),
        (text("11"), "43210"),
        (text("n-"), ""),
        (text("0 of run"), ""),
        (text("' OR 1 --"), ""),
        (text("AND* NOT (NEAR"), ""),
        (text("wild*"), ""),
    ] {
        assert_eq!(find(filter.clone()), found, "{filter:?}");
    }
    // The default of an input is part of the inputs, and a short word is found at the end of a long text.
    let mut header = header("run-5", 500);
    header.document = json!({ "nodes": [
        { "id": "a", "type": "input", "data": { "name": "text", "default": "never used" } },
        { "id": "b", "type": "input", "data": { "name": "more", "default": "the mayor" } },
    ] });
    header.inputs = json!({ "text": format!("{} zq", "long ".repeat(900)) });
    journal.create(&header).unwrap();
    assert_eq!(find(text("mayor")), "5");
    assert_eq!(find(text("the mayor is")), "");
    assert_eq!(find(text("never")), "");
    assert_eq!(find(text("zq")), "5");
    assert_eq!(find(text("long zq")), "5");
    journal.delete("run-5").unwrap();

    let paged = journal.find(&text("outcome"), 1, 1).unwrap();
    assert_eq!(paged[0].0.run_id, "run-1");

    // The latest outputs are found, and replaced outputs are not.
    let mut state = state_of(RunStatus::Completed);
    state.outputs = Some(named(json!({ "result": "an answer at last" })));
    journal.set_state("run-3", &state).unwrap();
    assert_eq!(find(text("at last")), "3");
    state.outputs = Some(named(json!({ "result": "another" })));
    journal.set_state("run-3", &state).unwrap();
    assert_eq!(find(text("at last")), "");
    journal.delete("run-0").unwrap();
    assert_eq!(find(text("greece")), "");
    assert_eq!(find(text("another")), "3");
}

pub fn counts_what_runs_store(journal: &dyn Journal) {
    let none = journal.tally(&RunFilter::default()).unwrap();
    assert_eq!(none, RunTally::default());
    history(journal);
    let tally = journal.tally(&RunFilter::default()).unwrap();
    let expected = RunTally {
        runs: 5,
        cost_microusd: 28,
        median_ms: Some(20),
    };
    assert_eq!(tally, expected);
    let completed = RunFilter {
        statuses: vec![RunStatus::Completed],
        ..RunFilter::default()
    };
    assert_eq!(journal.tally(&completed).unwrap().median_ms, Some(10));
    assert_eq!(
        journal.flows().unwrap(),
        [("QA".to_owned(), 2), ("Self-Refine".to_owned(), 3)]
    );
    assert_eq!(journal.ids("run-", 2).unwrap(), ["run-4", "run-3"]);
    assert_eq!(journal.ids("run-2", 9).unwrap(), ["run-2"]);
    assert_eq!(journal.ids("", 9).unwrap().len(), 5);
    assert!(journal.ids("run_", 9).unwrap().is_empty());
    assert_eq!(journal.size().unwrap().runs, 5);
}

pub fn counts_what_a_fork_took_over_once(journal: &dyn Journal) {
    journal.create(&header("first", 1)).unwrap();
    let mut fork = header("fork", 2);
    fork.setup.origin = Some(Origin {
        parent: "first".into(),
        at: "refine[2]/draft".into(),
        kept_records: 9,
        kept: Usage {
            cost_microusd: 30,
            ..Usage::default()
        },
        earlier: Vec::new(),
        inputs: Value::Null,
    });
    journal.create(&fork).unwrap();
    let spent = || {
        let tally = journal.tally(&RunFilter::default()).unwrap();
        tally.cost_microusd
    };
    for (run_id, cost, expected) in [("first", 100, 100), ("fork", 30, 100), ("fork", 45, 115)] {
        let mut state = state_of(RunStatus::Completed);
        state.usage.cost_microusd = cost;
        journal.set_state(run_id, &state).unwrap();
        assert_eq!(spent(), expected, "{run_id} at {cost}");
    }
    let (_, state) = journal.run("fork").unwrap();
    assert_eq!(state.usage.cost_microusd, 45);
}

pub fn lists_newest_first_in_pages(journal: &dyn Journal) {
    for (run_id, at) in [("a", 10), ("b", 30), ("c", 20), ("d", 30), ("e", -5)] {
        journal.create(&header(run_id, at)).unwrap();
    }
    let ids = |limit, offset| -> Vec<String> {
        let page = journal.list(limit, offset).unwrap();
        page.into_iter().map(|(brief, _)| brief.run_id).collect()
    };
    assert_eq!(ids(10, 0), ["d", "b", "c", "a", "e"]);
    assert_eq!(ids(2, 1), ["b", "c"]);
    assert_eq!(ids(usize::MAX, 4), ["e"]);
    assert!(ids(0, 0).is_empty());
    assert!(ids(5, usize::MAX).is_empty());
    let (brief, state) = journal.list(1, 0).unwrap().remove(0);
    assert_eq!((brief.flow.as_str(), brief.started_at), ("Self-Refine", 30));
    assert_eq!(brief.flow_path.as_deref(), Some("/flows/self-refine.loop"));
    assert_eq!(state.status, RunStatus::Running);
}

fn state_of(status: RunStatus) -> RunState {
    RunState {
        status,
        duration_ms: Some(1_234),
        usage: Usage {
            calls: 4,
            ..Usage::default()
        },
        warnings: vec![Warning {
            code: "w".into(),
            node: None,
            message: "m".into(),
        }],
        iterations: Some(3),
        exit_reason: Some(ExitReason::StableOutput),
        error: Some(RunFailure {
            code: "c".into(),
            node: Some("n".into()),
            message: "m".into(),
        }),
        outputs: Some(named(json!({"result": "x".repeat(5_000)}))),
        budget: Some(BudgetState {
            spent_microusd: 7,
            limits: Limits::new(Some(0.25), None),
            ..BudgetState::default()
        }),
        over_budget: true,
        ..RunState::default()
    }
}

pub fn keeps_the_last_state(journal: &dyn Journal) {
    begin(journal, "r");
    assert_eq!(journal.run("r").unwrap().1.status, RunStatus::Running);
    journal
        .set_state("r", &state_of(RunStatus::Waiting))
        .unwrap();
    journal
        .set_state("r", &state_of(RunStatus::Completed))
        .unwrap();
    let (kept, state) = journal.run("r").unwrap();
    assert_eq!(kept, header("r", 1));
    assert_eq!(state, state_of(RunStatus::Completed));
    let listed = RunState {
        outputs: None,
        ..state
    };
    assert_eq!(journal.list(1, 0).unwrap()[0].1, listed);
}

pub fn keeps_where_a_run_was_forked(journal: &dyn Journal) {
    begin(journal, "parent");
    let forked = RunHeader {
        setup: RunSetup {
            pins: [("draft".to_owned(), json!({ "text": "x".repeat(3_000) }))]
                .into_iter()
                .collect(),
            until: Some("critique".into()),
            origin: Some(Origin {
                parent: "parent".into(),
                at: "refine[3]/draft".into(),
                kept_records: 12,
                kept: Usage {
                    calls: 4,
                    ..Usage::default()
                },
                earlier: vec![Earlier {
                    document: json!({"nodes": []}),
                    pins: serde_json::Map::new(),
                    until: None,
                }],
                inputs: json!({"text": "before"}),
            }),
            allowed: Default::default(),
            imported_records: 3,
            schedule: Some("nightly".into()),
        },
        ..header("fork", 2)
    };
    journal.create(&forked).unwrap();
    assert_eq!(journal.run("fork").unwrap().0, forked);
    let listed = journal.list(9, 0).unwrap();
    assert_eq!(listed[0].0, forked.brief());
    let from = Some(("parent".to_owned(), "refine[3]/draft".to_owned()));
    assert_eq!(listed[0].0.forked_from, from);
    assert_eq!(listed[1].0.forked_from, None);
}

pub fn keeps_texts_of_every_kind(journal: &dyn Journal) {
    begin(journal, "r");
    let hash = "0".repeat(64);
    let texts = [
        String::new(),
        "nul \0 and quote \" and \u{2028} and \u{feff}".into(),
        "x".repeat(1023),
        "x".repeat(1024),
        "é".repeat(40_000),
        // Strings that resemble a store's marker for a large string.
        "blob:blake3:".into(),
        format!("blob:blake3:{hash}"),
        format!("blob:blake3:{hash}{}", "y".repeat(2_000)),
        "{\"$blob\": \"0\"}".into(),
        // Strings that resemble a reference to another record's value.
        "=#".into(),
        "=#0:0".into(),
        format!("=#0:0{}", "z".repeat(200)),
    ];
    let records: Vec<Record> = texts
        .iter()
        .zip(0..)
        .map(|(text, seq)| {
            record(
                seq,
                "n",
                completed(json!({"nested": [text, {"again": text}]})),
            )
        })
        .collect();
    journal.append("r", &records).unwrap();
    assert_eq!(journal.read("r", Select::All).unwrap(), records);

    let mut like = header("like", 2);
    like.document = json!({"name": format!("blob:blake3:{hash}"), "prompt": "p".repeat(4_096)});
    like.inputs = json!({"text": "blob:blake3:zz"});
    journal.create(&like).unwrap();
    assert_eq!(journal.run("like").unwrap().0, like);
}

pub fn keeps_deep_and_wide_values(journal: &dyn Journal) {
    begin(journal, "r");
    let mut deep = json!("core");
    for _ in 0..300 {
        deep = json!([deep]);
    }
    let wide: Vec<Value> = (0..5_000)
        .map(|n| json!({"n": n, "f": f64::from(n) / 3.0}))
        .collect();
    // A similarity must be read back exactly, to the last bit (the multiplier is that of Knuth's MMIX).
    let mut bits = 1_u64;
    let floats: Vec<f64> = std::iter::repeat_with(|| {
        bits = bits
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from_bits(bits)
    })
    .filter(|float| float.is_finite())
    .take(2_000)
    .collect();
    let numbers = json!([u64::MAX, i64::MIN, 0.1, 1e308, -0.0, 5e-324]);
    let records: Vec<Record> = [deep, Value::Array(wide), numbers, json!(floats)]
        .into_iter()
        .zip(0..)
        .map(|(value, seq)| record(seq, "n", completed(value)))
        .collect();
    journal.append("r", &records).unwrap();
    assert_eq!(journal.read("r", Select::All).unwrap(), records);
}

pub fn adds_a_whole_run_or_nothing(journal: &dyn Journal) {
    let records = [
        record(0, "a", completed("x")),
        record(1, "b", completed("y")),
    ];
    let state = state_of(RunStatus::Completed);
    let gap = [records[0].clone(), record(2, "b", completed("y"))];
    journal.add(&header("r", 1), &gap, &state).unwrap_err();
    assert!(matches!(journal.run("r"), Err(JournalError::NoRun(_))));
    journal.add(&header("r", 1), &records, &state).unwrap();
    assert_eq!(journal.read("r", Select::All).unwrap(), records);
    assert_eq!(journal.run("r").unwrap(), (header("r", 1), state.clone()));
    let again = journal.add(&header("r", 2), &records, &state);
    assert!(matches!(again, Err(JournalError::Exists(_))));
    assert_eq!(journal.find(&text("sample"), 9, 0).unwrap().len(), 1);
}

pub fn deletes_one_run_and_no_other(journal: &dyn Journal) {
    let shared = "shared ".repeat(500);
    for run in ["one", "two"] {
        begin(journal, run);
        let records = [
            record(0, "n", completed(shared.clone())),
            record(1, "n", completed(format!("{run} {shared}"))),
        ];
        journal.append(run, &records).unwrap();
    }
    let before = journal.read("two", Select::All).unwrap();
    journal.delete("one").unwrap();
    assert!(matches!(journal.run("one"), Err(JournalError::NoRun(_))));
    assert!(matches!(
        journal.read("one", Select::All),
        Err(JournalError::NoRun(_))
    ));
    assert_eq!(journal.read("two", Select::All).unwrap(), before);
    assert_eq!(journal.list(10, 0).unwrap().len(), 1);
}

/// Checks that a reader sees either the whole of each batch or nothing of it.
pub fn reads_while_it_is_written(journal: &dyn Journal) {
    const BATCHES: u64 = 60;
    begin(journal, "r");
    thread::scope(|scope| {
        scope.spawn(|| {
            for batch in 0..BATCHES {
                let records: Vec<Record> = (0..3)
                    .map(|n| record(batch * 3 + n, "n", completed(batch)))
                    .collect();
                journal.append("r", &records).unwrap();
                // The row of the run contains the number of its records.
                journal.set_state("r", &over(batch)).unwrap();
            }
        });
        let mut seen = 0;
        while seen < BATCHES * 3 {
            let read = journal.read("r", Select::All).unwrap();
            let count = read.len() as u64;
            assert!(
                count >= seen && count.is_multiple_of(3),
                "{seen} then {count}"
            );
            assert!(read.iter().zip(0..).all(|(record, seq)| record.seq == seq));
            seen = count;
        }
    });
}

fn over(cost_microusd: u64) -> RunState {
    RunState {
        status: RunStatus::Completed,
        duration_ms: Some(1),
        usage: Usage {
            cost_microusd,
            ..Usage::default()
        },
        ..RunState::default()
    }
}

pub fn adds_up_costs_that_no_number_holds(journal: &dyn Journal) {
    let cost = |journal: &dyn Journal| journal.tally(&RunFilter::default()).unwrap().cost_microusd;
    let half = i64::MAX.unsigned_abs();
    for (run, sum) in [("a", half), ("b", half * 2), ("c", u64::MAX)] {
        begin(journal, run);
        journal.set_state(run, &over(half)).unwrap();
        assert_eq!(cost(journal), sum);
    }
}

pub fn keeps_names_and_stars(journal: &dyn Journal) {
    let found = |filter: RunFilter| {
        let found = journal.find(&filter, 9, 0).unwrap();
        found
            .into_iter()
            .map(|(brief, _)| (brief.run_id, brief.label))
            .collect::<Vec<_>>()
    };
    let text = |text: &str| RunFilter {
        text: text.to_owned(),
        ..RunFilter::default()
    };
    begin(journal, "a");
    begin(journal, "b");
    assert_eq!(journal.label("a").unwrap(), RunLabel::default());
    // A name may contain any character.
    let best = RunLabel {
        name: Some("Best zq% ÖSTLICH _\0 “draft”".to_owned()),
        starred: true,
    };
    set_label(journal, "a", &best);
    // The end of a run does not change its label.
    journal.set_state("a", &over(1)).unwrap();
    journal.mark_seen("a").unwrap();
    journal
        .append("a", &[record(0, "n", completed("x"))])
        .unwrap();
    assert_eq!(journal.label("a").unwrap(), best);
    let starred = |starred| RunFilter {
        starred: Some(starred),
        ..RunFilter::default()
    };
    assert_eq!(found(starred(true)), [("a".to_owned(), best.clone())]);
    assert_eq!(
        found(starred(false)),
        [("b".to_owned(), RunLabel::default())]
    );
    assert_eq!(journal.tally(&starred(true)).unwrap().runs, 1);
    for words in ["best", "BEST draft", "zq", "zq%", "draft best", "östlich"] {
        assert_eq!(found(text(words)).len(), 1, "{words}");
    }
    assert_eq!(found(text("best missing")), []);
    let star = RunLabel {
        name: None,
        starred: true,
    };
    set_label(journal, "a", &star);
    assert_eq!(found(text("best")), []);
    assert_eq!(journal.label("a").unwrap(), star);
    set_label(journal, "a", &RunLabel::default());
    assert_eq!(found(starred(true)), []);
    set_label(journal, "b", &best);
    journal.delete("b").unwrap();
    assert_eq!(found(text("best")), []);
    for error in [
        journal.label("b").unwrap_err(),
        journal.set_name("b", None).unwrap_err(),
        journal.set_starred("b", true).unwrap_err(),
    ] {
        assert!(matches!(error, JournalError::NoRun(_)), "{error:?}");
    }
}

fn set_label(journal: &dyn Journal, run_id: &str, label: &RunLabel) {
    journal.set_name(run_id, label.name.as_deref()).unwrap();
    journal.set_starred(run_id, label.starred).unwrap();
}

/// Checks that when two people change the same run, neither change undoes the other.
pub fn sets_a_name_and_a_star_apart(journal: &dyn Journal) {
    begin(journal, "r");
    let label = |name: Option<&str>, starred| RunLabel {
        name: name.map(str::to_owned),
        starred,
    };
    let is = |expected: RunLabel| assert_eq!(journal.label("r").unwrap(), expected);
    journal.set_starred("r", true).unwrap();
    is(label(None, true));
    journal.set_name("r", Some("Best")).unwrap();
    is(label(Some("Best"), true));
    journal.set_starred("r", false).unwrap();
    is(label(Some("Best"), false));
    journal.set_starred("r", true).unwrap();
    journal.set_name("r", None).unwrap();
    is(label(None, true));
}

pub fn tells_what_somebody_has_seen(journal: &dyn Journal) {
    let ids = |seen| {
        let filter = RunFilter {
            seen,
            ..RunFilter::default()
        };
        let found = journal.find(&filter, 9, 0).unwrap();
        found
            .into_iter()
            .map(|(brief, _)| brief.run_id)
            .collect::<Vec<_>>()
    };
    begin(journal, "a");
    begin(journal, "b");
    assert_eq!(ids(Some(true)), Vec::<String>::new());
    journal.mark_seen("a").unwrap();
    journal.mark_seen("a").unwrap();
    journal.set_state("a", &over(1)).unwrap();
    assert_eq!(
        (ids(Some(true)), ids(Some(false))),
        (vec!["a".to_owned()], vec!["b".to_owned()])
    );
    assert_eq!(ids(None).len(), 2);
    let error = journal.mark_seen("c").unwrap_err();
    assert!(matches!(error, JournalError::NoRun(_)), "{error:?}");
    let text = "x".repeat(5_000);
    let small = journal.run_size("b").unwrap();
    journal
        .append("b", &[record(0, "n", completed(text))])
        .unwrap();
    assert!(journal.run_size("b").unwrap() > small + 4_000);
}
