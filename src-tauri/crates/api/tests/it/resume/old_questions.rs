//! Runs of earlier program versions with every kind of question, unanswered and answered. `journals/questions/N/NAME.jsonl`
//! has the records that a program with compatibility number N wrote.

use std::{fs, path::PathBuf};

use loopwright_engine::{
    journal::COMPAT,
    run::{Plans, replay::replay},
};

use super::*;

/// Returns the folder of the journals of one compatibility number.
fn folder(compat: u32) -> PathBuf {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join(format!("journals/questions/{compat}"))
}

/// A run that asks a question, and the step at which it asks.
struct Asking {
    name: &'static str,
    plan: Arc<Plan>,
    /// The path of the step that asks first.
    at: &'static str,
    /// Whether the question is asked only after the process was killed in this step and the run was resumed.
    after_a_kill: bool,
}

/// Returns the plan of a flow with one node. The value of its output `handle` is the output of the flow.
fn one_node(node: Value, handle: &str) -> Arc<Plan> {
    let id = node["id"].clone();
    planned(json!({
        "schemaVersion": 1, "name": "asks",
        "nodes": [node, { "id": "out", "type": "output", "data": { "name": "result" } }],
        "edges": [{ "id": "e", "source": id, "sourceHandle": handle, "target": "out", "targetHandle": "value" }]
    }))
}

fn every_question() -> [Asking; 4] {
    [
        Asking {
            name: "allow-tool",
            plan: posting("ask"),
            at: "loop[1]/post",
            after_a_kill: false,
        },
        Asking {
            name: "repeat",
            plan: one_node(
                json!({ "id": "post", "type": "tool", "data": { "label": "Post \"it\"", "tool": "post", "args": { "text": "Hello." }, "approval": "auto" } }),
                "result",
            ),
            at: "post",
            after_a_kill: true,
        },
        Asking {
            name: "repeat-unnamed",
            plan: one_node(
                json!({ "id": "draft", "type": "llm", "data": { "prompt": "Write.", "whenInterrupted": "ask" } }),
                "response",
            ),
            at: "draft",
            after_a_kill: true,
        },
        Asking {
            name: "approve",
            plan: one_node(
                json!({ "id": "check", "type": "approval", "data": { "message": "\"A\" wants to know. Good enough?" } }),
                "approved",
            ),
            at: "check",
            after_a_kill: false,
        },
    ]
}

fn services() -> Services {
    Services {
        tools: Arc::new(Posts(Arc::default())),
        ..world_of(&Counted::new(Echo::models(false, 0, support::sleep())))
    }
}

/// Continues the run. `answer` is the answer to the latest question.
fn go(asking: &Asking, records: &[Record], answer: Option<Answer>, policy: ApprovalPolicy) -> Done {
    let journal = left(&asking.plan, records);
    let asked = records
        .iter()
        .rfind(|record| matches!(record.entry, Entry::Input(Input::NodeWaiting { .. })));
    let answer = answer.map(|answer| (asked.unwrap().path.clone(), answer));
    continue_run(&asking.plan, services(), &journal, answer, policy).unwrap()
}

/// Returns the records of a run up to its unanswered question, and the records of the same run after the answer.
fn record(asking: &Asking) -> [Vec<Record>; 2] {
    let records = match asking.after_a_kill {
        false => Vec::new(),
        true => {
            let whole = go(asking, &[], None, ApprovalPolicy::All).records;
            let started = whole.iter().position(|record| {
                record.path == asking.at
                    && matches!(record.entry, Entry::Fact(Fact::NodeStarted { .. }))
            });
            whole[..=started.unwrap()].to_vec()
        }
    };
    let open = go(asking, &records, None, ApprovalPolicy::Ask);
    assert_eq!(open.state.status, RunStatus::Waiting, "{}", asking.name);
    let answered = go(
        asking,
        &open.records,
        Some(allowing(AnswerScope::Run)),
        ApprovalPolicy::Ask,
    );
    assert_eq!(
        answered.state.status,
        RunStatus::Completed,
        "{}",
        asking.name
    );
    [open.records, answered.records]
}

/// Writes the journals of the current compatibility number. This must be done before the number is raised.
fn write_journals() {
    fs::create_dir_all(folder(COMPAT)).unwrap();
    for asking in every_question() {
        for (records, state) in record(&asking).iter().zip(["open", "answered"]) {
            let lines: Vec<String> = records
                .iter()
                .map(|record| serde_json::to_string(record).unwrap() + "\n")
                .collect();
            let file = folder(COMPAT).join(format!("{}-{state}.jsonl", asking.name));
            fs::write(file, lines.concat()).unwrap();
        }
    }
}

/// Returns every journal, the run that it belongs to, and whether its question was answered.
fn journals() -> Vec<(Asking, Vec<Record>, bool)> {
    let mut found = Vec::new();
    for compat in FIRST..COMPAT {
        for asking in every_question() {
            for (state, answered) in [("open", false), ("answered", true)] {
                let file = folder(compat).join(format!("{}-{state}.jsonl", asking.name));
                let text = fs::read_to_string(&file)
                    .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
                let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
                let asking = every_question()
                    .into_iter()
                    .find(|other| other.name == asking.name)
                    .unwrap();
                found.push((asking, records.collect(), answered));
            }
        }
    }
    found
}

/// The lowest compatibility number that has journals. At lower numbers, the questions had the same text as at this one.
const FIRST: u32 = 4;

fn questions(records: &[Record]) -> Vec<&Question> {
    let asked = records.iter().filter_map(|record| match &record.entry {
        Entry::Input(Input::NodeWaiting { question, .. }) => Some(question),
        _ => None,
    });
    asked.collect()
}

/// If `LOOPWRIGHT_UPDATE` is set, the journals of the current number are written first.
#[test]
fn a_sentence_is_read_as_the_question_that_it_was() {
    if std::env::var_os("LOOPWRIGHT_UPDATE").is_some() {
        write_journals();
    }
    for (asking, records, answered) in journals() {
        let [open, whole] = record(&asking);
        let today = if answered { whole } else { open };
        assert_eq!(questions(&records), questions(&today), "{}", asking.name);
        // The events of both runs are equal, so a program that reads one of the runs can also read the other.
        let events = |records: &[Record]| -> Vec<Event> {
            let all = records.iter().filter_map(|record| project("run", record));
            all.collect()
        };
        assert_eq!(events(&records), events(&today), "{}", asking.name);
    }
}

#[test]
fn a_run_that_asked_is_replayed() {
    for (asking, records, answered) in journals() {
        let plans = Plans::from(Arc::clone(&asking.plan));
        let mut last = String::new();
        replay(&plans, "run", Map::new(), &records, |event| {
            last = serde_json::to_value(&event.body).unwrap()["type"].to_string();
        })
        .unwrap_or_else(|error| panic!("{}: {error}", asking.name));
        let end = if answered { "completed" } else { "waiting" };
        assert!(last.contains(end), "{}: {last}", asking.name);
    }
}

#[test]
fn a_run_that_asked_is_answered_and_ends() {
    for (asking, records, _) in journals() {
        for length in 1..=records.len() {
            let kept = &records[..length];
            let mut over = go(&asking, kept, None, ApprovalPolicy::Ask);
            // If the repetition of a call is allowed, this does not cover later calls: each asks its own question.
            while over.state.status == RunStatus::Waiting {
                // A step that was waiting asks the same question again. A call that was cut off after the answer asks another
                // one.
                let answered = kept
                    .iter()
                    .any(|record| matches!(record.entry, Entry::Input(Input::NodeAnswered { .. })));
                if let Some(before) = questions(kept).last()
                    && !answered
                {
                    assert_eq!(questions(&over.records).last(), Some(before));
                }
                let yes = allowing(AnswerScope::Run);
                over = go(&asking, &over.records, Some(yes), ApprovalPolicy::Ask);
            }
            let at = format!("{} behind record {length}", asking.name);
            assert_eq!(over.state.status, RunStatus::Completed, "{at}");
        }
    }
}

#[test]
fn a_call_that_was_refused_is_not_made() {
    for (asking, records, answered) in journals() {
        if answered || asking.name == "approve" {
            continue;
        }
        let over = go(&asking, &records, Some(answer(false)), ApprovalPolicy::Ask);
        assert_eq!(over.state.status, RunStatus::Failed, "{}", asking.name);
    }
}
