//! Runs of random flows and of single calls are killed after every record, resumed, killed again and resumed. The results
//! are the same as without kills, and no call with a recorded outcome is repeated.
//!
//! A kill is simulated by a journal that ends early. A run is resumed a day after its last record, and this day must not
//! count towards any limit.

#![allow(clippy::unwrap_used)]

use crate::support;

mod old_questions;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::BoxFuture;
use loopwright_driver::{Host, PauseSwitch, ResumeError, resume};
use loopwright_engine::session::Resumption;
use loopwright_engine::{
    Answer, AnswerScope, ApprovalPolicy, CancellationToken, Event, NodeError, RunStatus,
    event::project,
    host::{
        ModelContext, ModelReply, ModelRequest, Models, Services, Tool, ToolContext, ToolInfo,
        Tools,
    },
    journal::{Entry, Fact, Failed, Input, Journal, Record, Select},
    plan::{Plan, plan},
    question::Question,
};
use loopwright_journal::MemoryJournal;
use loopwright_model::{EffectClass, file};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use support::{
    Done, Stop, execute,
    generate::{Echo, flow},
    left,
    sound::{sound, summary},
    virtual_time,
    watched::{Watched, Write},
};

const DAY: i64 = 24 * 3600 * 1000;

/// A run that only waits for a timer is suspended if the timer fires at least this much later.
const MINUTE: Duration = Duration::from_secs(60);

/// The maximum number of records after which a long run is killed, apart from the last record.
const PLACES: usize = 60;

/// Forwards calls to other models and counts them.
struct Counted {
    models: Arc<dyn Models>,
    calls: AtomicUsize,
}

impl Counted {
    fn new(models: Arc<dyn Models>) -> Arc<Self> {
        Arc::new(Self {
            models,
            calls: AtomicUsize::new(0),
        })
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Models for Counted {
    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.models.call(request, cx)
    }
}

fn no_tools() -> Arc<dyn Tools> {
    support::pure_tools()
}

fn world_of(models: &Arc<Counted>) -> Services {
    Services {
        models: Arc::clone(models) as Arc<dyn Models>,
        tools: no_tools(),
        resources: loopwright_engine::resources::none(),
    }
}

/// Resumes the run a day after its last record, in virtual time.
fn continue_run(
    plan: &Arc<Plan>,
    services: Services,
    journal: &Arc<dyn Journal>,
    answer: Option<(String, Answer)>,
    approve: ApprovalPolicy,
) -> Result<Done, ResumeError> {
    let how = Resumption {
        answer,
        ..Resumption::default()
    };
    continue_run_after(DAY, plan, services, journal, how, approve)
}

/// Resumes the run `gap` milliseconds after its last record, in virtual time.
fn continue_run_after(
    gap: i64,
    plan: &Arc<Plan>,
    services: Services,
    journal: &Arc<dyn Journal>,
    how: Resumption,
    approve: ApprovalPolicy,
) -> Result<Done, ResumeError> {
    let before = journal.read("run", Select::All).unwrap();
    let began_at = before.last().map_or(0, |record| record.at) + gap;
    let finished = virtual_time::run(async {
        let began = tokio::time::Instant::now();
        let host = Host {
            services,
            journal: Arc::clone(journal),
            clock: Arc::new(move || began_at + i64::try_from(began.elapsed().as_millis()).unwrap()),
            events: None,
            cancel: CancellationToken::new(),
            pause: PauseSwitch::default(),
            approve,
            time_to_allow: None,
            answers: None,
            lets_sleep: Some(MINUTE),
            sleep: None,
            activity: None,
        };
        let run = resume(Arc::clone(plan), "run", Map::new(), how, &host);
        tokio::time::timeout(Duration::from_secs(30 * 24 * 3600), run)
            .await
            .expect("the run hangs")
    })?;
    let records = journal.read("run", Select::All).unwrap();
    let events: Vec<Event> = records
        .iter()
        .filter_map(|record| project("run", record))
        .collect();
    Ok(Done {
        state: finished.state,
        records,
        events,
        took_ms: 0,
    })
}

/// Returns the result of a run as text, without the warnings that a resumption adds.
fn came_to(done: &Done) -> String {
    let mut state = done.state.clone();
    state
        .warnings
        .retain(|warning| warning.code != "call_repeated");
    summary(&Done {
        state,
        records: done.records.clone(),
        events: Vec::new(),
        took_ms: 0,
    })
}

/// Counts the model calls whose outcomes are in these records.
fn answered(plan: &Plan, records: &[Record]) -> usize {
    let calls = |path: &str| {
        plan.find(path)
            .is_some_and(|node| plan.nodes[node].effect == EffectClass::Reads)
    };
    let mut count = 0;
    for record in records.iter().filter(|record| calls(&record.path)) {
        match &record.entry {
            Entry::Input(Input::ExecutionCompleted(_))
            | Entry::Fact(Fact::NodeCompleted(_))
            | Entry::Input(Input::ExecutionRetried(_))
            | Entry::Fact(Fact::NodeRetried(_)) => count += 1,
            Entry::Input(Input::ExecutionFailed(Failed { error, .. }))
            | Entry::Fact(Fact::NodeFailed(Failed { error, .. }))
                if error.code != "cancelled" =>
            {
                count += 1
            }
            _ => {}
        }
    }
    count
}

/// Returns the numbers of records after which a run of `length` records is killed.
fn places(length: usize) -> impl Iterator<Item = usize> {
    (0..=length).step_by(length / PLACES + 1).chain([length])
}

/// Kills the run `whole` after each record that [`places`] returns, and resumes it. `world` returns the models; its
/// argument is the number of calls that have already been answered.
fn killed_everywhere(
    plan: &Arc<Plan>,
    whole: &Done,
    all_calls: usize,
    world: &dyn Fn(usize) -> Arc<Counted>,
) -> Result<(), String> {
    let expected = came_to(whole);
    for place in places(whole.records.len()) {
        let mut kept = whole.records[..place].to_vec();
        // Kills the run once, and then again in the middle of the resumed part.
        for time in ["once", "twice"] {
            let before = answered(plan, &kept);
            let models = world(before);
            let journal = left(plan, &kept);
            let at = format!("killed {time} at record {place} of {}", whole.records.len());
            let done = continue_run(plan, world_of(&models), &journal, None, ApprovalPolicy::All)
                .map_err(|error| format!("{at}: {error}"))?;
            sound(plan, &done).map_err(|why| format!("{at}: {why}"))?;
            let actual = came_to(&done);
            if actual != expected {
                return Err(format!("{at}: came to\n{actual}\ninstead of\n{expected}"));
            }
            if before + models.calls() != all_calls {
                return Err(format!(
                    "{at}: {before} calls were answered and {} made again, of {all_calls} in all",
                    models.calls()
                ));
            }
            let more = done.records.len() - kept.len();
            kept = done.records[..kept.len() + more / 2].to_vec();
        }
    }
    Ok(())
}

fn planned(document: Value) -> Arc<Plan> {
    let flow = file::read_value(document).unwrap();
    Arc::new(plan(&flow, &loopwright_nodes::all()).unwrap())
}

/// Runs the plan to its end. `models` counts the calls.
fn whole(plan: &Arc<Plan>, models: &Arc<Counted>, tools: Arc<dyn Tools>) -> Done {
    let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
    let services = Services {
        models: Arc::clone(models) as Arc<dyn Models>,
        tools,
        resources: loopwright_engine::resources::none(),
    };
    execute(plan, &Map::new(), &services, &journal, &Stop::Never)
}

proptest! {
    #![proptest_config(support::generate::config(24))]

    /// Random flows with nested loops, lists with several concurrent items, branches and tails.
    #[test]
    fn random_flows_continue_where_they_were_killed(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let plan = planned(flow(&bytes, false));
        let models = Counted::new(Echo::models(false, 0, support::sleep()));
        let done = whole(&plan, &models, no_tools());
        let world = |_| Counted::new(Echo::models(false, 0, support::sleep()));
        killed_everywhere(&plan, &done, models.calls(), &world).map_err(TestCaseError::fail)?;
    }

    /// If a failure or a person's stop ends a run, a resumed run may end differently. It must end, and its records must be
    /// consistent.
    #[test]
    fn runs_that_fail_or_are_stopped_end_wherever_they_were_killed(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        after in 0_u64..3000,
    ) {
        let plan = planned(flow(&bytes, true));
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let services = || world_of(&Counted::new(Echo::models(true, 1, support::sleep())));
        let stop = Stop::After(after);
        let done = execute(&plan, &Map::new(), &services(), &journal, &stop);
        for place in places(done.records.len()) {
            let kept = &done.records[..place];
            let journal = left(&plan, kept);
            let again = continue_run(&plan, services(), &journal, None, ApprovalPolicy::All)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            sound(&plan, &again).map_err(TestCaseError::fail)?;
            let stopped = kept
                .iter()
                .any(|record| matches!(record.entry, Entry::Input(Input::StopRequested { .. })));
            if stopped {
                prop_assert_eq!(again.state.status, RunStatus::Cancelled);
            }
        }
    }
}

/// A model that answers only after this number of calls. Earlier calls fail as if the network were down.
struct Flaky(AtomicUsize);

impl Models for Flaky {
    fn call(
        &self,
        _request: ModelRequest,
        _cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let left = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
        let reply = match left {
            Ok(_) => Err(NodeError::new("network", "Nobody answers.")),
            Err(_) => Ok(ModelReply {
                text: "yes".to_owned(),
                ..ModelReply::default()
            }),
        };
        Box::pin(std::future::ready(reply))
    }
}

fn one_call(retry: Value) -> Arc<Plan> {
    planned(json!({
        "schemaVersion": 1, "name": "call",
        "nodes": [
            { "id": "ask", "type": "llm", "data": { "prompt": "Are you there?", "retry": retry } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [{ "id": "e", "source": "ask", "sourceHandle": "response", "target": "out", "targetHandle": "value" }]
    }))
}

#[test]
fn attempts_that_failed_before_the_kill_count() {
    let plan = one_call(json!({ "type": "fixed", "count": 3, "interval": "PT1S" }));
    for failures in [2, 100] {
        let models = Counted::new(Arc::new(Flaky(AtomicUsize::new(failures))));
        let done = whole(&plan, &models, no_tools());
        assert_eq!(models.calls(), (failures + 1).min(4));
        let world = |before: usize| {
            Counted::new(Arc::new(Flaky(AtomicUsize::new(
                failures.saturating_sub(before),
            ))))
        };
        killed_everywhere(&plan, &done, models.calls(), &world).unwrap();
    }
}

#[test]
fn a_repeated_call_is_reported_each_time_the_run_resumes() {
    let plan = one_call(Value::Null);
    let done = whole(
        &plan,
        &Counted::new(Echo::models(false, 0, support::sleep())),
        no_tools(),
    );
    let started = done
        .records
        .iter()
        .position(|record| record.path == "ask")
        .unwrap();
    let codes = |done: &Done| -> Vec<String> {
        let warnings = done.state.warnings.iter();
        warnings.map(|warning| warning.code.clone()).collect()
    };
    let again = |records: &[Record]| {
        let models = Counted::new(Echo::models(false, 0, support::sleep()));
        let journal = left(&plan, records);
        continue_run(
            &plan,
            world_of(&models),
            &journal,
            None,
            ApprovalPolicy::All,
        )
        .unwrap()
    };
    let unbegun = again(&done.records[..started]);
    assert_eq!(codes(&unbegun), [""; 0], "the call had not been made");
    let first = again(&done.records[..=started]);
    assert_eq!(codes(&first), ["call_repeated"]);
    let second = again(&first.records[..first.records.len() - 1]);
    assert_eq!(codes(&second), ["call_repeated"]);
    // If the same call is cut off twice, the records contain the warning twice, but the run shows it once.
    let warned = |record: &Record| matches!(record.entry, Entry::Input(Input::HostWarned { .. }));
    let behind = first.records.iter().position(warned).unwrap() + 1;
    let third = again(&first.records[..behind]);
    assert_eq!(codes(&third), ["call_repeated"]);
    assert_eq!(
        third.records.iter().filter(|record| warned(record)).count(),
        2
    );
}

/// A tool with an external effect. It remembers its calls.
#[derive(Default)]
struct Post(Mutex<Vec<Value>>);

impl Post {
    fn calls(&self) -> Vec<Value> {
        self.0.lock().unwrap().clone()
    }
}

struct Posts(Arc<Post>);

impl Tools for Posts {
    fn find(&self, _name: &str) -> Option<Arc<dyn Tool>> {
        Some(Arc::clone(&self.0) as Arc<dyn Tool>)
    }
    fn list(&self) -> Vec<ToolInfo> {
        Vec::new()
    }
}

impl Tool for Post {
    fn info(&self) -> ToolInfo {
        ToolInfo {
            name: "post".to_owned(),
            title: "Post".to_owned(),
            summary: String::new(),
            args: Value::Null,
            unavailable: None,
        }
    }
    fn effect(&self) -> EffectClass {
        EffectClass::Writes
    }
    fn place(&self, _args: &Map<String, Value>) -> Option<Value> {
        Some(Value::Null)
    }

    fn call(
        &self,
        _input: Option<Value>,
        args: Map<String, Value>,
        _cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        self.0.lock().unwrap().push(Value::Object(args));
        Box::pin(std::future::ready(Ok(json!("posted"))))
    }
}

fn answer(approved: bool) -> Answer {
    Answer {
        approved,
        ..Default::default()
    }
}

#[test]
fn what_may_have_changed_something_is_made_again_only_with_consent() {
    let plan = planned(json!({
        "schemaVersion": 1, "name": "post",
        "nodes": [
            { "id": "post", "type": "tool", "data": { "tool": "post", "args": { "text": "Hello." }, "approval": "auto" } },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [{ "id": "e", "source": "post", "sourceHandle": "result", "target": "out", "targetHandle": "value" }]
    }));
    let models = Counted::new(Echo::models(false, 0, support::sleep()));
    let services = |post: &Arc<Post>| Services {
        tools: Arc::new(Posts(Arc::clone(post))),
        ..world_of(&models)
    };
    let post = Arc::<Post>::default();
    let done = whole(&plan, &models, Arc::new(Posts(Arc::clone(&post))));
    assert_eq!(
        done.state.status,
        RunStatus::Completed,
        "{:?}",
        done.state.error
    );
    let started = done
        .records
        .iter()
        .position(|record| record.path == "post")
        .unwrap();
    for (approved, calls, status) in [
        (false, 0, RunStatus::Failed),
        (true, 1, RunStatus::Completed),
    ] {
        let post = Arc::<Post>::default();
        let journal = left(&plan, &done.records[..=started]);
        let asks =
            continue_run(&plan, services(&post), &journal, None, ApprovalPolicy::Ask).unwrap();
        assert_eq!(asks.state.status, RunStatus::Waiting);
        assert_eq!(post.calls().len(), 0);
        let (asked, value) = question(&asks);
        assert_eq!((asked.tool(), asked.is_repeat()), (Some("post"), true));
        assert_eq!(value, json!({ "text": "Hello." }));
        let given = Some(("post".to_owned(), answer(approved)));
        let over =
            continue_run(&plan, services(&post), &journal, given, ApprovalPolicy::Ask).unwrap();
        assert_eq!(over.state.status, status);
        assert_eq!(post.calls().len(), calls);
        // The run is killed after the answer was recorded and before it has any effect.
        let answered = over
            .records
            .iter()
            .position(|record| matches!(record.entry, Entry::Input(Input::NodeAnswered { .. })))
            .unwrap();
        if !approved {
            let journal = left(&plan, &over.records[..=answered]);
            let again =
                continue_run(&plan, services(&post), &journal, None, ApprovalPolicy::Ask).unwrap();
            assert_eq!(again.state.status, RunStatus::Failed);
            assert_eq!(post.calls().len(), 0);
        }
    }
}

/// Returns the last question of a run, and the value that the user is asked about.
fn question(done: &Done) -> (Question, Value) {
    let asked = done
        .records
        .iter()
        .rev()
        .find_map(|record| match &record.entry {
            Entry::Input(Input::NodeWaiting {
                question, value, ..
            }) => Some((question.clone(), (**value).clone())),
            _ => None,
        });
    asked.unwrap()
}

/// Returns a plan with three iterations, each of which posts its input.
fn posting(approval: &str) -> Arc<Plan> {
    planned(json!({
        "schemaVersion": 1, "name": "post",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "Hello." } },
            { "id": "loop", "type": "loop", "data": { "maxIterations": 3 } },
            { "id": "post", "type": "tool", "data": { "tool": "post", "args": { "text": "{{ input }}" }, "approval": approval } },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result" } }
        ],
        "edges": [
            { "id": "e1", "source": "in", "sourceHandle": "value", "target": "loop", "targetHandle": "input" },
            { "id": "e2", "source": "loop", "sourceHandle": "body", "target": "post", "targetHandle": "input" },
            { "id": "e3", "source": "post", "sourceHandle": "result", "target": "exit", "targetHandle": "result" },
            { "id": "e4", "source": "exit", "sourceHandle": "output", "target": "out", "targetHandle": "value" }
        ]
    }))
}

fn allowing(scope: AnswerScope) -> Answer {
    Answer {
        approved: true,
        scope,
        ..Default::default()
    }
}

#[test]
fn a_call_that_is_allowed_for_the_run_is_not_asked_for_again() {
    let plan = posting("ask");
    let models = Counted::new(Echo::models(false, 0, support::sleep()));
    let post = Arc::<Post>::default();
    let services = || Services {
        tools: Arc::new(Posts(Arc::clone(&post))),
        ..world_of(&models)
    };
    let journal = left(&plan, &[]);
    let go =
        |answer| continue_run(&plan, services(), &journal, answer, ApprovalPolicy::Ask).unwrap();
    assert_eq!(go(None).state.status, RunStatus::Waiting);
    let once = go(Some((
        "loop[1]/post".to_owned(),
        allowing(AnswerScope::Once),
    )));
    assert_eq!(
        (once.state.status, post.calls().len()),
        (RunStatus::Waiting, 1)
    );
    let over = go(Some((
        "loop[2]/post".to_owned(),
        allowing(AnswerScope::Run),
    )));
    assert_eq!(
        (over.state.status, post.calls().len()),
        (RunStatus::Completed, 3)
    );
    // If the policy is to refuse every question, this one is refused too.
    let third = over
        .records
        .iter()
        .position(|record| record.path == "loop[3]/post")
        .unwrap();
    let journal = left(&plan, &over.records[..third]);
    let refused = continue_run(&plan, services(), &journal, None, ApprovalPolicy::None).unwrap();
    assert_eq!(
        (refused.state.status, post.calls().len()),
        (RunStatus::Failed, 3)
    );
    // If the run is killed after the answer, the answer remains.
    let journal = left(&plan, &over.records[..third]);
    let again = continue_run(&plan, services(), &journal, None, ApprovalPolicy::Ask).unwrap();
    assert_eq!(
        (again.state.status, post.calls().len()),
        (RunStatus::Completed, 4)
    );
}

#[test]
fn a_call_that_a_person_changed_is_made_again_as_it_was_changed() {
    let plan = posting("ask");
    let models = Counted::new(Echo::models(false, 0, support::sleep()));
    let post = Arc::<Post>::default();
    let services = || Services {
        tools: Arc::new(Posts(Arc::clone(&post))),
        ..world_of(&models)
    };
    let edited = json!({ "text": "Better." });
    let journal = left(&plan, &[]);
    continue_run(&plan, services(), &journal, None, ApprovalPolicy::Ask).unwrap();
    let mut answer = allowing(AnswerScope::Once);
    answer.value = Some(edited.clone());
    let given = Some(("loop[1]/post".to_owned(), answer));
    let waits = continue_run(&plan, services(), &journal, given, ApprovalPolicy::Ask).unwrap();
    assert_eq!(post.calls(), std::slice::from_ref(&edited));
    // The call was cut off, so the records end with the answer.
    let answered = waits
        .records
        .iter()
        .position(|record| matches!(record.entry, Entry::Input(Input::NodeAnswered { .. })));
    let journal = left(&plan, &waits.records[..=answered.unwrap()]);
    let asks = continue_run(&plan, services(), &journal, None, ApprovalPolicy::Ask).unwrap();
    let (asked, value) = question(&asks);
    assert!(asked.is_repeat(), "{asked}");
    assert_eq!(value, edited);
    let given = Some(("loop[1]/post".to_owned(), allowing(AnswerScope::Once)));
    continue_run(&plan, services(), &journal, given, ApprovalPolicy::Ask).unwrap();
    assert_eq!(post.calls(), [edited.clone(), edited]);
}

#[test]
fn an_answer_is_kept_and_is_given_once() {
    let plan = planned(json!({
        "schemaVersion": 1, "name": "approval",
        "nodes": [
            { "id": "ask", "type": "llm", "data": { "prompt": "Write." } },
            { "id": "check", "type": "approval", "data": { "message": "Good?" } },
            { "id": "yes", "type": "output", "data": { "name": "yes" } },
            { "id": "no", "type": "output", "data": { "name": "no" } }
        ],
        "edges": [
            { "id": "e1", "source": "ask", "sourceHandle": "response", "target": "check", "targetHandle": "input" },
            { "id": "e2", "source": "check", "sourceHandle": "approved", "target": "yes", "targetHandle": "value" },
            { "id": "e3", "source": "check", "sourceHandle": "rejected", "target": "no", "targetHandle": "value" }
        ]
    }));
    let models = Counted::new(Echo::models(false, 0, support::sleep()));
    let journal = left(&plan, &[]);
    let waits = continue_run(
        &plan,
        world_of(&models),
        &journal,
        None,
        ApprovalPolicy::Ask,
    )
    .unwrap();
    assert_eq!(waits.state.status, RunStatus::Waiting);
    let mut edited = answer(false);
    edited.value = Some(json!("Better."));
    let given = || Some(("check".to_owned(), edited.clone()));
    let elsewhere = Some(("yes".to_owned(), answer(true)));
    let refused = continue_run(
        &plan,
        world_of(&models),
        &journal,
        elsewhere,
        ApprovalPolicy::Ask,
    );
    assert!(matches!(refused, Err(ResumeError::Refused(error)) if error.code == "not_waiting"));
    let done = continue_run(
        &plan,
        world_of(&models),
        &journal,
        given(),
        ApprovalPolicy::Ask,
    )
    .unwrap();
    assert_eq!(
        done.state.outputs.clone().map(Value::from),
        Some(json!({ "no": "Better." }))
    );
    assert_eq!(models.calls(), 1);
    for place in 0..=done.records.len() {
        let kept = &done.records[..place];
        let models = Counted::new(Echo::models(false, 0, support::sleep()));
        let journal = left(&plan, kept);
        let mut end = continue_run(
            &plan,
            world_of(&models),
            &journal,
            None,
            ApprovalPolicy::Ask,
        )
        .unwrap();
        let was_answered = kept
            .iter()
            .any(|record| matches!(record.entry, Entry::Input(Input::NodeAnswered { .. })));
        assert_eq!(
            end.state.status == RunStatus::Waiting,
            !was_answered,
            "at {place}"
        );
        if !was_answered {
            end = continue_run(
                &plan,
                world_of(&models),
                &journal,
                given(),
                ApprovalPolicy::Ask,
            )
            .unwrap();
        }
        assert_eq!(end.state.outputs, done.state.outputs, "at {place}");
        assert_eq!(answered(&plan, kept) + models.calls(), 1, "at {place}");
        let twice = continue_run(
            &plan,
            world_of(&models),
            &journal,
            given(),
            ApprovalPolicy::Ask,
        );
        assert!(matches!(twice, Err(ResumeError::Refused(error)) if error.code == "not_waiting"));
    }
}

#[test]
fn a_loop_that_begins_after_a_rest_tells_the_time_of_the_clock() {
    let plan = planned(json!({
        "schemaVersion": 1, "name": "time",
        "nodes": [
            { "id": "check", "type": "approval", "data": { "message": "Go on?" } },
            { "id": "loop", "type": "loop", "data": { "maxIterations": 1 } },
            { "id": "time", "type": "transform", "data": { "template": "{{ loopStartTime }}" } },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "time" } }
        ],
        "edges": [
            { "id": "e1", "source": "check", "sourceHandle": "approved", "target": "loop", "targetHandle": "input" },
            { "id": "e2", "source": "loop", "sourceHandle": "body", "target": "time", "targetHandle": "input" },
            { "id": "e3", "source": "time", "sourceHandle": "output", "target": "exit", "targetHandle": "input" },
            { "id": "e4", "source": "exit", "sourceHandle": "output", "target": "out", "targetHandle": "value" }
        ]
    }));
    let services = || world_of(&Counted::new(Echo::models(false, 0, support::sleep())));
    let journal = left(&plan, &[]);
    let waits = continue_run(&plan, services(), &journal, None, ApprovalPolicy::Ask).unwrap();
    assert_eq!(waits.state.status, RunStatus::Waiting);
    let given = Some(("check".to_owned(), answer(true)));
    let done = continue_run(&plan, services(), &journal, given, ApprovalPolicy::Ask).unwrap();
    let first = done.records.first().unwrap().at;
    let time = loopwright_engine::event::timestamp(first + DAY);
    assert_eq!(
        done.state.outputs.clone().map(Value::from),
        Some(json!({ "time": time }))
    );
    // The same is true after the run was rebuilt from its records.
    for place in 0..done.records.len() {
        let kept = &done.records[..place];
        let begun = kept.iter().any(|record| record.path == "loop");
        let journal = left(&plan, kept);
        if begun {
            let again =
                continue_run(&plan, services(), &journal, None, ApprovalPolicy::Ask).unwrap();
            assert_eq!(again.state.outputs, done.state.outputs, "at {place}");
        }
    }
}

/// Returns a plan with a loop of three iterations, a pause of an hour between them, and an optional time limit for the run.
fn hourly(timeout: Option<&str>) -> Arc<Plan> {
    planned(json!({
        "schemaVersion": 1, "name": "hourly",
        "settings": timeout.map_or_else(|| json!({}), |limit| json!({ "timeout": limit })),
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "in", "default": "a" } },
            { "id": "loop", "type": "loop", "data": { "maxIterations": 3, "exitCondition": "max_iterations", "delay": { "type": "fixed", "interval": "PT1H" } } },
            { "id": "step", "type": "transform", "data": { "template": "{{ input }}{{ loopIndex }}" } },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "out" } }
        ],
        "edges": [
            { "id": "e0", "source": "in", "target": "loop" },
            { "id": "e1", "source": "loop", "sourceHandle": "body", "target": "step" },
            { "id": "e2", "source": "step", "target": "exit" },
            { "id": "e3", "source": "step", "target": "loop", "targetHandle": "feedback" },
            { "id": "e4", "source": "exit", "target": "out" }
        ]
    }))
}

fn taken_over() -> Resumption {
    Resumption {
        taken_over: true,
        ..Resumption::default()
    }
}

const HOUR: i64 = 3_600_000;

#[test]
fn a_run_that_sleeps_is_woken_as_if_it_had_waited() {
    let plan = hourly(None);
    let services = || world_of(&Counted::new(Echo::models(false, 0, support::sleep())));
    let waited = whole(
        &plan,
        &Counted::new(Echo::models(false, 0, support::sleep())),
        no_tools(),
    );
    let first = waited.records[0].clone();
    let journal = left(&plan, &[first]);
    // The run is suspended twice. It is resumed exactly when the pause is over, or a quarter of an hour later.
    for late in [0, HOUR / 4] {
        let gap = match journal.read("run", Select::All).unwrap().len() {
            1 => 0,
            _ => HOUR + late,
        };
        let asleep = continue_run_after(
            gap,
            &plan,
            services(),
            &journal,
            taken_over(),
            ApprovalPolicy::Ask,
        )
        .unwrap();
        assert_eq!(asleep.state.status, RunStatus::Running);
    }
    let done = continue_run_after(
        HOUR,
        &plan,
        services(),
        &journal,
        taken_over(),
        ApprovalPolicy::Ask,
    )
    .unwrap();
    assert_eq!(summary(&done), summary(&waited));
    let span = |done: &Done| done.records.last().unwrap().at - done.records[0].at;
    assert_eq!(span(&waited), 2 * HOUR);
    assert_eq!(span(&done), 2 * HOUR + HOUR / 4);
    assert_eq!(
        done.state.duration_ms,
        Some(u64::try_from(span(&done)).unwrap())
    );
}

#[test]
fn the_clock_of_a_run_continues_in_a_takeover_and_not_while_suspended() {
    let services = || world_of(&Counted::new(Echo::models(false, 0, support::sleep())));
    let plan = hourly(Some("PT3H"));
    let begun = whole(
        &plan,
        &Counted::new(Echo::models(false, 0, support::sleep())),
        no_tools(),
    );
    let kept = &begun.records[..begun.records.len() / 2];
    let journal = left(&plan, kept);
    let over = continue_run_after(
        DAY,
        &plan,
        services(),
        &journal,
        taken_over(),
        ApprovalPolicy::Ask,
    )
    .unwrap();
    assert_eq!(over.state.status, RunStatus::Failed);
    assert_eq!(over.state.error.as_ref().unwrap().code, "timeout");
    let journal = left(&plan, kept);
    let mut status = RunStatus::Running;
    let mut gap = DAY;
    while status == RunStatus::Running {
        let how = if gap == DAY {
            Resumption::default()
        } else {
            taken_over()
        };
        status = continue_run_after(gap, &plan, services(), &journal, how, ApprovalPolicy::Ask)
            .unwrap()
            .state
            .status;
        gap = HOUR;
    }
    assert_eq!(status, RunStatus::Completed);
}

/// A program can be killed between two writes. The stored state of its run must then not be newer than the records.
#[test]
fn the_row_of_a_resumed_run_never_runs_ahead_of_its_records() {
    let plan = planned(json!({
        "schemaVersion": 1,
        "name": "pure",
        "nodes": [
            { "id": "in", "type": "input", "position": { "x": 0, "y": 0 }, "data": { "name": "in", "default": "a" } },
            { "id": "twice", "type": "transform", "position": { "x": 0, "y": 0 }, "data": { "template": "{{ input }}{{ input }}" } },
            { "id": "out", "type": "output", "position": { "x": 0, "y": 0 }, "data": { "name": "out" } }
        ],
        "edges": [
            { "id": "1", "source": "in", "target": "twice" },
            { "id": "2", "source": "twice", "target": "out" }
        ]
    }));
    let models = Counted::new(Echo::models(false, 0, support::sleep()));
    let records = whole(&plan, &models, no_tools()).records;
    for length in 1..=records.len() {
        let kept = left(&plan, &records[..length]);
        let store = Arc::clone(&kept);
        let is_written = move || {
            let records = store.read("run", Select::All).unwrap();
            matches!(
                records.last().map(|last| &last.entry),
                Some(Entry::Fact(Fact::RunCompleted { .. }))
            )
        };
        let journal: Arc<dyn Journal> = Arc::new(Watched {
            journal: kept,
            watch: Box::new(move |write| {
                if let Write::SetState(state) = write {
                    assert!(state.status != RunStatus::Completed || is_written());
                }
            }),
        });
        let done = continue_run(
            &plan,
            world_of(&models),
            &journal,
            None,
            ApprovalPolicy::All,
        )
        .unwrap();
        assert_eq!(done.state.status, RunStatus::Completed);
    }
}
