//! Tests that budgets hold. The core runs through random schedules of calls that are requested, finish, are cut off and are
//! retried. The program is killed at random points, and the run is resumed. The true usage is counted separately.
//!
//! `LOOPWRIGHT_SCHEDULES` sets the number of schedules.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, sync::Arc};

use loopwright_engine::{
    ApprovalPolicy, CancellationToken, Execute, NodeContext, NodeError, NodeInput, Outcome,
    RunStatus, Step, Usage,
    budget::{CallRequest, Fit, Limits},
    calls::Calls,
    host::{Services, TokenSink},
    journal::{self, Entry, Fact, Record, Retried},
    kept::Kept,
    outcome,
    plan::{Plan, Work, plan},
    run::{Effect, Input, Plans, Run, Ticket, recover::recover},
    session::UnboundedWork,
    trust::TrustLog,
};
use loopwright_model::{file, graph::NodeIx};
use serde_json::{Map, Value, json};

use loopwright_testing::{
    Host as _,
    case::{Checked, cases, read},
    chance::Chance,
    generate::{Echo, flow},
    resumed::loop_budget,
    simulation::Simulation,
    world::Registry,
};

/// An execution of a node that calls a model.
enum Execution {
    Begun,
    /// The execution has requested a call, or waits for permission to make it.
    Asks,
    /// The execution's call was made, with this true cost.
    Calls {
        call: u64,
        cost: Usage,
    },
}

/// The data that survives a crash: the journal, and the true usage.
#[derive(Default)]
struct World {
    journal: Vec<Record>,
    /// The true usage under each budget: `""` is the run's budget, and any other key is the path of a loop.
    spent: BTreeMap<String, Usage>,
    calls: u64,
    crashes: u64,
    raises: u64,
    refusals: u64,
}

struct Sim<'a> {
    plan: Arc<Plan>,
    run: Run,
    world: &'a mut World,
    executions: BTreeMap<Ticket, (String, NodeIx, Execution)>,
    timers: Vec<Ticket>,
    ready: Vec<Input>,
    next_call: u64,
    services: &'a Services,
}

/// The process was killed.
struct Killed;

fn usage(microusd: u64, tokens: u64) -> Usage {
    Usage {
        calls: 1,
        input_tokens: tokens,
        cost_microusd: microusd,
        ..Usage::default()
    }
}

/// Returns the paths of the loops and lists around a node: `outer` and `outer[1]/inner` for `outer[1]/inner[2]/draft`.
fn around(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('[').map(|(at, _)| &path[..at])
}

impl Sim<'_> {
    fn step(&mut self, input: Input, chance: &mut Chance) -> Result<(), Killed> {
        let mut effects = Vec::new();
        self.run.step(0, input, &mut effects);
        for effect in effects {
            // Records that were not written are lost, and so is everything after them.
            if chance.below(400) == 0 {
                return Err(Killed);
            }
            match effect {
                Effect::Record { path, node, entry } => self.write(path, node, entry),
                Effect::Execute {
                    ticket,
                    node,
                    path,
                    input,
                } => self.execution(ticket, node, path, input),
                Effect::Call { call } => self.made(call, chance),
                Effect::Timer { ticket, .. } => self.timers.push(ticket),
                Effect::Cancel { ticket } => {
                    self.executions.remove(&ticket);
                    self.timers.retain(|timer| *timer != ticket);
                }
                // No loop of these flows has a resource, and no call is refused by a quota.
                Effect::OpenScope { .. }
                | Effect::CloseScope { .. }
                | Effect::HoldTimer { .. }
                | Effect::ReleaseTimer { .. } => unreachable!(),
                Effect::Finished { .. } => {}
            }
        }
        Ok(())
    }

    fn write(&mut self, path: String, node: Option<NodeIx>, entry: Entry) {
        if matches!(
            entry,
            Entry::Fact(Fact::CallRefused { .. })
                | Entry::Input(journal::Input::CallRequested {
                    fits: Fit::Never,
                    ..
                })
        ) {
            self.world.refusals += 1;
        }
        self.world.journal.push(Record {
            seq: self.world.journal.len() as u64,
            at: 0,
            path,
            node_id: node.map(|node| Arc::clone(&self.plan.nodes[node].id)),
            entry,
        });
    }

    fn execution(&mut self, ticket: Ticket, node: NodeIx, path: String, input: NodeInput) {
        let execute: &dyn Execute = match &self.plan.nodes[node].work {
            Work::Execute(execute) => &**execute,
            Work::End {
                combine: Some(combine),
                ..
            } => &**combine,
            _ => panic!("{path} cannot be visited"),
        };
        let context = NodeContext {
            path: path.clone(),
            services: Arc::new(self.services.clone()),
            tokens: TokenSink::default(),
            trust_log: TrustLog::default(),
            transcript: Default::default(),
            calls: Calls::default(),
            kept: Kept::default(),
            unbounded_work: UnboundedWork::default(),
            cancel: CancellationToken::new(),
            approve: ApprovalPolicy::All,
            answer: None,
            allowed_calls: Vec::new(),
            resource: None,
        };
        match execute.run(&input, &context) {
            Step::Done(result) => self.ready.push(Input::NodeFinished {
                ticket,
                result: outcome::settled(result),
                state: None,
            }),
            _ => {
                self.executions
                    .insert(ticket, (path, node, Execution::Begun));
            }
        }
    }

    /// Makes a call. From now on the call has a cost, whatever its outcome.
    fn made(&mut self, call: u64, chance: &mut Chance) {
        let asked = self
            .world
            .journal
            .iter()
            .rev()
            .find_map(|record| match &record.entry {
                Entry::Fact(Fact::CallReserved { asked, .. })
                | Entry::Input(journal::Input::CallRequested {
                    asked,
                    fits: Fit::Now,
                    ..
                }) if asked.call == call => Some((asked, &record.path)),
                _ => None,
            });
        let (asked, path) = asked.expect("a call was made that is not written down");
        let cost = usage(
            chance.below(asked.microusd.unwrap() + 1),
            chance.below(asked.tokens.unwrap() + 1),
        );
        self.world.calls += 1;
        for budget in around(path).chain([""]) {
            self.world
                .spent
                .entry(budget.to_owned())
                .or_default()
                .add(&cost);
        }
        let execution = self
            .executions
            .values_mut()
            .find(|(other, ..)| other == path);
        if let Some((_, _, execution)) = execution {
            *execution = Execution::Calls { call, cost };
        }
    }

    /// Performs one event. Returns `false` if nothing more can happen.
    fn go(&mut self, chance: &mut Chance) -> Result<bool, Killed> {
        if !self.ready.is_empty() {
            let input = self.ready.remove(0);
            self.step(input, chance)?;
            return Ok(true);
        }
        let open: Vec<Ticket> = self
            .executions
            .iter()
            .filter(|(_, (_, _, execution))| !matches!(execution, Execution::Asks))
            .map(|(&ticket, _)| ticket)
            .collect();
        let choices = open.len() + self.timers.len();
        if choices == 0 {
            return Ok(false);
        }
        if chance.below(60) == 0 {
            return Err(Killed);
        }
        let choice = chance.below(choices as u64) as usize;
        let Some(&ticket) = open.get(choice) else {
            let ticket = self.timers.remove(choice - open.len());
            self.step(Input::TimerFired { ticket }, chance)?;
            return Ok(true);
        };
        let (path, node, execution) = self.executions.get_mut(&ticket).unwrap();
        let (path, node) = (path.clone(), *node);
        match execution {
            Execution::Begun => {
                let most = usage(chance.below(40), chance.below(40));
                *execution = Execution::Asks;
                let call = self.next_call;
                self.next_call += 1;
                let asked = CallRequest {
                    call,
                    model: "m".to_owned(),
                    microusd: Some(most.cost_microusd),
                    tokens: Some(most.tokens()),
                    unbounded: false,
                };
                self.step(Input::CallRequested { ticket, asked }, chance)?;
            }
            Execution::Asks => {}
            Execution::Calls { call, cost } => {
                let (call, cost) = (*call, *cost);
                let known = !chance.percent(10);
                let said = if known { cost } else { Usage::default() };
                let settled = Input::CallSettled {
                    call,
                    usage: said,
                    known,
                };
                if known && chance.percent(15) {
                    // The attempt failed, and another one follows.
                    *execution = Execution::Begun;
                    self.step(settled, chance)?;
                    let error = NodeError::new("network", "Unreachable.").having_spent(&said);
                    let retried = Entry::Input(journal::Input::ExecutionRetried(Retried {
                        attempt: 1,
                        error: error.into(),
                        after_ms: 0,
                        attempts: None,
                    }));
                    if self.executions.contains_key(&ticket) {
                        self.write(path, Some(node), retried);
                    }
                    return Ok(true);
                }
                self.executions.remove(&ticket);
                self.step(settled, chance)?;
                let result = if chance.percent(3) {
                    Err(NodeError::new("failed", "It failed.").having_spent(&said))
                } else {
                    Ok(Outcome {
                        usage: said,
                        ..Outcome::single("response", json!("an answer"))
                    })
                };
                self.step(
                    Input::NodeFinished {
                        ticket,
                        result: outcome::settled(result),
                        state: None,
                    },
                    chance,
                )?;
            }
        }
        Ok(true)
    }
}

/// Returns the simulation of a run that is rebuilt from its records, as in a restarted program. If `budget` is set, it is the
/// run's new budget.
fn resumed<'a>(
    plan: &Arc<Plan>,
    world: &'a mut World,
    services: &'a Services,
    budget: Option<Limits>,
) -> Sim<'a> {
    let fresh = world.journal.is_empty();
    let plans = Plans::from(Arc::clone(plan));
    let mut recovered = (!fresh).then(|| {
        recover(&plans, Map::new(), &world.journal, budget.is_some())
            .unwrap_or_else(|error| panic!("{error}"))
    });
    let run = Run::new(Arc::clone(plan), Map::new());
    let run = recovered.as_mut().map_or(run, |recovered| {
        std::mem::replace(&mut recovered.run, Run::new(Arc::clone(plan), Map::new()))
    });
    let mut sim = Sim {
        plan: Arc::clone(plan),
        run,
        world,
        executions: BTreeMap::new(),
        timers: Vec::new(),
        ready: Vec::new(),
        next_call: 0,
        services,
    };
    let Some(recovered) = recovered else {
        sim.ready.push(Input::Start);
        return sim;
    };
    sim.next_call = recovered.next_call;
    sim.write(
        String::new(),
        None,
        Entry::Input(journal::Input::RunResumed),
    );
    for (path, node, entry) in recovered.unwritten {
        sim.write(path, node, entry);
    }
    sim.ready.extend(budget.map(Input::Budget));
    if sim.run.is_paused() {
        sim.ready.push(Input::Continue);
    }
    for execution in recovered.executions {
        sim.execution(
            execution.ticket,
            execution.node,
            execution.path,
            execution.input,
        );
    }
    sim.timers = recovered.timers.iter().map(|timer| timer.ticket).collect();
    sim
}

/// Returns the plan of a random flow with random budgets.
fn planned(chance: &mut Chance) -> Arc<Plan> {
    loop {
        let bytes: Vec<u8> = (0..60 + chance.below(100))
            .map(|_| chance.number() as u8)
            .collect();
        let mut document = flow(&bytes, true);
        document["settings"]["concurrency"] = json!(1 + chance.below(8));
        document["settings"]["budget"] = match chance.below(4) {
            0 => Value::Null,
            1 => json!({ "tokens": chance.below(300) }),
            _ => json!({ "usd": chance.below(400) as f64 / 1e6 }),
        };
        for node in document["nodes"].as_array_mut().unwrap() {
            if node["type"] == "loop" && chance.percent(60) {
                node["data"]["limits"] = match chance.below(3) {
                    0 => json!({ "budgetTokens": chance.below(200) }),
                    _ => json!({ "budgetUsd": chance.below(200) as f64 / 1e6 }),
                };
            }
        }
        let plan = plan(
            &file::read_value(document).unwrap(),
            &loopwright_nodes::all(),
        )
        .unwrap();
        if plan.has_budgets() {
            return Arc::new(plan);
        }
    }
}

/// Returns the budget of the run according to its records.
fn limits(plan: &Plan, world: &World) -> Limits {
    let set = world
        .journal
        .iter()
        .rev()
        .find_map(|record| match record.entry {
            Entry::Input(journal::Input::BudgetSet { limits }) => Some(limits),
            _ => None,
        });
    set.unwrap_or_default().or(plan.budget())
}

/// Returns an error if a budget is exceeded by the true usage under it.
fn holds(plan: &Plan, world: &World) -> Result<(), String> {
    let run = limits(plan, world);
    for (path, spent) in &world.spent {
        let limits = if path.is_empty() {
            run
        } else {
            loop_budget(plan, path)
        };
        let over = |limit: Option<u64>, spent: u64| limit.is_some_and(|limit| spent > limit);
        if over(limits.microusd, spent.cost_microusd) || over(limits.tokens, spent.tokens()) {
            return Err(format!("\"{path}\" has {limits:?} and spent {spent:?}"));
        }
    }
    Ok(())
}

/// Runs one schedule to its end. Returns the final world.
fn schedule(seed: u64, services: &Services) -> Result<World, String> {
    let mut chance = Chance::new(seed);
    let plan = planned(&mut chance);
    let mut world = World::default();
    let mut budget = None;
    for _ in 0..400 {
        let mut sim = resumed(&plan, &mut world, services, budget.take());
        let mut killed = false;
        loop {
            if sim.run.status().is_none() && sim.ready.is_empty() && sim.run.is_idle(|_| false) {
                if sim.run.is_over_budget() {
                    sim.ready.push(Input::OverBudget);
                } else {
                    break;
                }
            }
            if sim.run.status().is_none() && chance.below(200) == 0 {
                sim.ready.push(Input::Pause);
            }
            match sim.go(&mut chance) {
                Err(Killed) => {
                    killed = true;
                    break;
                }
                Ok(true) => {}
                Ok(false) if sim.run.status().is_some() || sim.run.is_paused() => break,
                Ok(false) => return Err("the run waits for nothing and is not over".to_owned()),
            }
        }
        let (status, over) = (sim.run.status(), sim.run.is_over_budget());
        world.crashes += u64::from(killed);
        holds(&plan, &world)?;
        match status {
            _ if killed => {}
            Some(RunStatus::Failed) if over && world.raises < 3 => {
                world.raises += 1;
                let more = |limit: Option<u64>, chance: &mut Chance| {
                    limit.map(|limit| limit + chance.below(200))
                };
                let limits = limits(&plan, &world);
                budget = Some(Limits {
                    microusd: more(limits.microusd, &mut chance),
                    tokens: more(limits.tokens, &mut chance),
                });
            }
            Some(_) => return Ok(world),
            None => {}
        }
        if killed
            && matches!(
                world.journal.last(),
                Some(Record {
                    entry: Entry::Fact(Fact::RunCompleted { .. })
                        | Entry::Fact(Fact::RunFailed { .. }),
                    ..
                })
            )
        {
            return Ok(world);
        }
    }
    Err("the run does not come to an end".to_owned())
}

#[test]
fn no_schedule_spends_more_than_a_budget() {
    let schedules = std::env::var("LOOPWRIGHT_SCHEDULES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(10_000);
    let services = Services {
        models: Echo::models(false, 0, Simulation::new().sleep()),
        tools: Arc::new(Registry::empty(Simulation::new().sleep())),
        resources: loopwright_engine::resources::none(),
    };
    // The schedules are independent, so they run on all cores.
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let [calls, crashes, raises, refusals] = std::thread::scope(|scope| {
        let shares: Vec<_> = (0..threads)
            .map(|first| {
                let services = &services;
                scope.spawn(move || {
                    let mut sums = [0; 4];
                    for seed in (first..schedules).step_by(threads as usize) {
                        let world = schedule(seed, services)
                            .unwrap_or_else(|why| panic!("schedule {seed}: {why}"));
                        let all = [world.calls, world.crashes, world.raises, world.refusals];
                        sums = std::array::from_fn(|at| sums[at] + all[at]);
                    }
                    sums
                })
            })
            .collect();
        shares.into_iter().fold([0; 4], |sums, share| {
            let share = share
                .join()
                .expect("its own panic says which schedule it was");
            std::array::from_fn(|at| sums[at] + share[at])
        })
    });
    println!(
        "{schedules} schedules: {calls} calls, {crashes} kills, {refusals} calls refused, {raises} budgets raised"
    );
    // The schedules prove something only if calls, crashes, refusals and raised budgets all occur often enough.
    assert!(
        calls > schedules
            && crashes > schedules / 4
            && refusals > schedules / 4
            && raises > schedules / 10
    );
}

/// Returns whether the last attempt at `path` was permitted to make a call, or `None` if the attempt requested no call.
fn was_let_in(records: &[Record], path: &str) -> Option<bool> {
    let of_the_execution = records.iter().rev().filter(|record| record.path == path);
    let since_it_began = of_the_execution.take_while(|record| {
        !matches!(record.entry, Entry::Fact(Fact::NodeStarted { .. }))
            && record.entry.retried().is_none()
    });
    let told = since_it_began.filter_map(|record| match &record.entry {
        Entry::Input(journal::Input::CallRequested { fits, .. }) => Some(*fits == Fit::Now),
        Entry::Fact(Fact::CallReserved { .. }) => Some(true),
        _ => None,
    });
    told.reduce(|later, earlier| later || earlier)
}

/// A permitted call may have been made before a crash; a waiting call was not. So only the waiting call can be repeated without
/// a question.
#[test]
fn an_execution_whose_call_was_granted_counts_as_spent() {
    let mut seen = [0, 0];
    for entry in std::fs::read_dir(cases()).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !folder.is_dir() || !name.starts_with("budget") {
            continue;
        }
        let case = read(&folder, None).unwrap();
        let Checked::Planned(plan) = case.check(&loopwright_nodes::all()) else {
            continue;
        };
        let records = case.execute(&Simulation::new(), &plan, None).records;
        for length in 1..records.len() {
            let kept = &records[..length];
            let plans = Plans::from(Arc::clone(&plan));
            let recovered = recover(&plans, case.run.inputs.clone(), kept, false).unwrap();
            for execution in recovered.executions {
                let Some(let_in) = was_let_in(kept, &execution.path) else {
                    continue;
                };
                seen[usize::from(let_in)] += 1;
                assert_eq!(
                    execution.is_unspent(),
                    !let_in,
                    "{name} behind record {length}"
                );
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}
