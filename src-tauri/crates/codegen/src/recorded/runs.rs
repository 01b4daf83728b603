//! Records runs of small flows: the stream of their events, and everything that the page can read about them afterwards.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use loopwright_api::{
    self as api, Answer, AnswerScope, ApprovalPolicy, Event, EventBody, RunStatus,
};
use loopwright_engine::trust::Grants;
use loopwright_records as records;
use loopwright_runs::{self as runs, Answered, ResumeOptions, RunRequest, StartOptions};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::{
    fixed::Times,
    program::Program,
    trouble::Trouble,
    typescript::{Module, REPLIES},
};

/// A run to record.
struct Scenario {
    name: &'static str,
    /// The content of the flow's file.
    flow: &'static str,
    then: Then,
}

/// What a person does during a run.
pub(super) enum Then {
    /// The person does nothing. The run ends by itself or waits.
    Nothing,
    /// The person approves the step that waits at this path.
    Approve(&'static str),
    /// The person stops the run once the streamed answer ends with this text.
    StopAfter(&'static str),
}

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "threeIterations",
        flow: include_str!("flows/three-iterations.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "settles",
        flow: include_str!("flows/settles.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "evaluated",
        flow: include_str!("flows/evaluated.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "list",
        flow: include_str!("flows/list.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "subflow",
        flow: include_str!("flows/subflow.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "retried",
        flow: include_str!("flows/retried.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "failed",
        flow: include_str!("flows/failed.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "waiting",
        flow: include_str!("flows/approval.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "answered",
        flow: include_str!("flows/approval.json"),
        then: Then::Approve("ask"),
    },
    Scenario {
        name: "waitingCall",
        flow: include_str!("flows/call.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "waitingCommand",
        flow: include_str!("flows/command.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "stopped",
        flow: include_str!("flows/endless.json"),
        then: Then::StopAfter("and so on"),
    },
    Scenario {
        name: "overBudget",
        flow: include_str!("flows/budget.json"),
        then: Then::Nothing,
    },
    Scenario {
        name: "selfRefine",
        flow: include_str!("../../../../../templates/self-refine.json"),
        then: Then::Nothing,
    },
];

pub(super) const TYPES: &str = "import type { ApiError } from \"../bindings\";

/** A run: what preceded it, its events as they came, and what can be read of it afterwards. */
export interface RecordedRun {
  readonly preparation: Reply<\"prepareRun\">;
  readonly events: Reply<\"runEvents\">;
  readonly detail: Reply<\"runDetail\">;
  readonly outline: Reply<\"runOutline\">;
  /** The finished iterations of each loop, by its path. */
  readonly iterations: { readonly [scope: string]: Reply<\"runIterations\"> };
  readonly steps: { readonly [path: string]: Reply<\"stepDetail\"> };
}
";

/// Records all scenarios, and the lists and comparisons of their runs.
///
/// # Errors
/// Returns an error if a command fails.
pub(crate) async fn record_runs(program: &mut Program) -> Result<String, Trouble> {
    let mut module = Module::new("Runs of small flows.", &format!("{REPLIES}{TYPES}"));
    let mut ids = Vec::new();
    for scenario in SCENARIOS {
        let document = serde_json::from_str(scenario.flow)?;
        let run = record(program, scenario.name, document, &scenario.then).await;
        let (id, run) = run.map_err(|error| format!("{}: {error}", scenario.name))?;
        module.constant(scenario.name, "RecordedRun", &run);
        ids.push(id);
    }
    let env = Arc::clone(program.app.env());
    let found = records::find_runs(
        &env,
        &records::RunQuery {
            limit: 100,
            ..Default::default()
        },
    )?;
    module.constant("found", "Reply<\"findRuns\">", &program.fix(found)?);
    module.constant(
        "flows",
        "Reply<\"runFlows\">",
        &program.fix(records::run_flows(&env)?)?,
    );
    module.constant(
        "openQuestions",
        "Reply<\"openQuestions\">",
        &program.fix(records::open_questions(&env)?)?,
    );
    if let [a, b, ..] = ids.as_slice() {
        let no_step = records::step_detail(&env, a, "named").err();
        module.constant("noStep", "ApiError", &program.fix(no_step)?);
        let compared = records::compare_runs(&env, a, b)?;
        module.constant(
            "compared",
            "Reply<\"compareRuns\">",
            &program.fix(compared)?,
        );
        let step = records::compare_step(&env, a, b, "refine[3]/draft")?;
        module.constant(
            "comparedStep",
            "Reply<\"compareStep\">",
            &program.fix(step)?,
        );
        let place = runs::fork_place(&env, a, "refine[2]/draft")?;
        module.constant("forkedAtStep", "Reply<\"forkPlace\">", &program.fix(place)?);
        let place = runs::fork_place(&env, a, "refine[2]")?;
        module.constant(
            "forkedAtIteration",
            "Reply<\"forkPlace\">",
            &program.fix(place)?,
        );
        let replayed = runs::replay_run(&env, a, &mut |_: &Event| {})?;
        module.constant("replayed", "Reply<\"replayRun\">", &program.fix(replayed)?);
    }
    Ok(module.text())
}

/// Records a run. Returns its id and everything that the page can read about it. Fails if a command fails.
pub(super) async fn record(
    program: &mut Program,
    name: &str,
    document: Value,
    then: &Then,
) -> Result<(String, Value), Trouble> {
    let app = Arc::clone(&program.app);
    let preparation = api::prepare_for_window(
        &app,
        RunRequest {
            document,
            ..RunRequest::default()
        },
    )?;
    let id = preparation.id.clone();
    program.fixed.name(&id, name);
    if let Some(needs) = preparation.needs.as_ref().filter(|needs| needs.missing > 0) {
        let items: Vec<String> = needs.needs.iter().map(|need| need.item.clone()).collect();
        api::approve_prepared_by_id(&app, &id, &needs.digest, &items)?;
    }
    let events = Arc::new(Mutex::new(Vec::new()));
    let (streams, mut streamed) = mpsc::unbounded_channel();
    let sink = |kept: &Arc<Mutex<Vec<Event>>>| {
        let (kept, streams) = (Arc::clone(kept), streams.clone());
        Arc::new(move |event: &Event| {
            if let EventBody::NodeStreaming { tokens } = &event.body {
                // Sending fails if nobody listens, which is normal unless the scenario stops the run.
                let _ = streams.send(tokens.clone());
            }
            kept.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(event.clone());
        })
    };
    let options = StartOptions {
        allow: Grants::default(),
        approve: ApprovalPolicy::Ask,
        events: sink(&events),
    };
    let started = api::start_prepared_by_id(&app, &id, options)?;
    if let Then::StopAfter(end) = then {
        let mut said = String::new();
        // If the run stopped in the middle of the answer, each recording would contain a different part of it.
        while !said.ends_with(end) {
            said += &streamed
                .recv()
                .await
                .ok_or("The answer ended before the stop.")?;
        }
        runs::stop_run(app.env(), &id)?;
    }
    let mut outcome = started.finished.await??;
    if let Then::Approve(path) = then {
        let answer = Answer {
            approved: true,
            value: None,
            comment: None,
            scope: AnswerScope::default(),
            ..Answer::default()
        };
        let options = ResumeOptions {
            run_id: id.clone(),
            answer: None,
            budget: None,
            approve: ApprovalPolicy::Ask,
            events: sink(&events),
        };
        let Answered::Resumed(resumed) =
            runs::answer_run(app.env(), (*path).to_owned(), answer, options)?
        else {
            return Err("The run was not suspended when its question was answered.".into());
        };
        outcome = resumed.finished.await??;
    }
    if outcome.status == RunStatus::Running {
        return Err("The run has not ended.".into());
    }
    let events = std::mem::take(&mut *events.lock().unwrap_or_else(PoisonError::into_inner));
    let run = read(program, &id, json!(preparation), &events)?;
    Ok((id, run))
}

/// Returns everything that the page can read about a run.
fn read(
    program: &mut Program,
    id: &str,
    preparation: Value,
    events: &[Event],
) -> Result<Value, Trouble> {
    let env = Arc::clone(program.app.env());
    let as_values: Result<Vec<Value>, _> = events.iter().map(serde_json::to_value).collect();
    let (dated, times) = Times::of(as_values?);
    let preparation = program.fixed.value(preparation);
    let mut outline = serde_json::to_value(records::run_outline(&env, id)?)?;
    let mut detail = program.fix(records::run_detail(&env, id)?)?;
    times.step("", &mut detail["summary"]);
    let paths: BTreeSet<&str> = events
        .iter()
        .filter(|event| matches!(event.body, EventBody::NodeStarted { .. }))
        .map(|event| event.path.as_str())
        .collect();
    let scopes: BTreeSet<&str> = events
        .iter()
        .filter(|event| matches!(event.body, EventBody::IterationCompleted { .. }))
        .map(|event| event.path.as_str())
        .collect();
    let mut steps = Map::new();
    for path in paths {
        let mut step = program.fix(records::step_detail(&env, id, path)?)?;
        times.step(path, &mut step);
        steps.insert(path.to_owned(), step);
    }
    let mut iterations = Map::new();
    for scope in scopes {
        let mut page = program.fix(records::run_iterations(&env, id, scope, 0, 500)?)?;
        times.iterations(scope, &dated, &mut page);
        iterations.insert(scope.to_owned(), page);
    }
    let events: Vec<Value> = dated
        .into_iter()
        .map(|event| renamed(program, event))
        .collect();
    for event in outline.as_array_mut().into_iter().flatten() {
        *event = renamed(program, event.take());
    }
    times.stored(&mut outline);
    Ok(json!({
        "preparation": preparation,
        "events": events,
        "detail": detail,
        "outline": outline,
        "iterations": iterations,
        "steps": steps,
    }))
}

/// Returns an event with its fixed time and duration, and with fixed values in place of everything else that differs between
/// recordings.
fn renamed(program: &mut Program, event: Value) -> Value {
    let kept: Vec<(&str, Value)> = ["at", "duration_ms"]
        .into_iter()
        .filter_map(|field| Some((field, event.get(field)?.clone())))
        .collect();
    let mut event = program.fixed.value(event);
    for (field, value) in kept {
        event[field] = value;
    }
    event
}
