//! The budget of a batch under random schedules: workers take runs, spend, die, take over runs and finish them, and people set
//! larger budgets for stopped ones. The reserved and spent amounts together never exceed the budget.
#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, time::Duration};

use loopwright_engine::ApprovalPolicy;
use loopwright_engine::{
    RunStatus,
    journal::{COMPAT, Journal as _, RunHeader, RunSetup, RunState},
};
use loopwright_runs::Control;
use loopwright_testing::postgres::Postgres;
use serde_json::json;

use crate::{Claim, Connection, NewBatch, NewRun, PgStore, run_id};

const RUNS: u64 = 6;
const STEPS: usize = 30;
/// A takeover time at which the leader of a run immediately counts as dead.
const AT_ONCE: Duration = Duration::ZERO;

/// Pseudorandom numbers that are the same in every run of the test (SplitMix64, Steele et al. 2014).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// The limit and the cost of a run in micro-dollars, as the run's leader knows them.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    may: u64,
    spent: u64,
    /// The index of the worker that leads the run; `None` if no worker leads it.
    by: Option<usize>,
    over: bool,
    over_budget: bool,
}

/// A connection that reads a batch's budget after each step. Starting a program for each read would take most of the test's
/// time.
struct Account {
    runtime: tokio::runtime::Runtime,
    client: tokio_postgres::Client,
}

impl Account {
    fn open(url: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let connected = runtime.block_on(tokio_postgres::connect(url, tokio_postgres::NoTls));
        let (client, link) = connected.unwrap();
        runtime.spawn(link);
        Self { runtime, client }
    }

    /// Returns the reserved and the spent amount of a batch.
    fn of(&self, batch: &str) -> (u64, u64) {
        let sql =
            "SELECT allotted_microusd, spent_microusd FROM loopwright.batches WHERE name = $1";
        let row = self.runtime.block_on(self.client.query_one(sql, &[&batch]));
        let row = row.unwrap();
        let number = |at| u64::try_from(row.get::<_, i64>(at)).unwrap();
        (number(0), number(1))
    }
}

struct Schedule<'a> {
    account: &'a Account,
    /// The two workers. If one dies, a new one takes its place.
    workers: Vec<PgStore>,
    batch: String,
    part: u64,
    runs: BTreeMap<String, Run>,
    /// The controls that each claim of a run returned, by run.
    handled: BTreeMap<String, Vec<i64>>,
}

impl Schedule<'_> {
    fn state(run: Run, status: RunStatus) -> RunState {
        let mut state = RunState {
            status,
            over_budget: run.over_budget,
            ..RunState::default()
        };
        state.usage.cost_microusd = run.spent;
        state
    }

    fn take(&mut self, id: &str, by: usize) {
        match self.workers[by].claim(id, COMPAT, AT_ONCE).unwrap() {
            Claim::Taken(taken) => {
                let controls = self.workers[by].controls().unwrap();
                let held = self.runs.get_mut(id).unwrap();
                held.by = Some(by);
                held.over = false;
                let handled = self.handled.entry(id.to_owned()).or_default();
                for (number, of, control) in controls {
                    let Control::Resume { usd: Some(usd), .. } = control else {
                        continue;
                    };
                    if of == id {
                        handled.push(number);
                        if taken.affordable {
                            held.may = held.may.max((usd * 1e6).round() as u64);
                            held.over_budget = false;
                        }
                    }
                }
                if !taken.affordable {
                    // The run ends without further cost.
                    held.over = true;
                    self.end(id, RunStatus::Failed);
                }
            }
            Claim::Busy | Claim::Over | Claim::NoBudget => {}
            Claim::Foreign(compat) => panic!("a run of {compat}"),
        }
    }

    fn end(&mut self, id: &str, status: RunStatus) {
        let run = self.runs.get_mut(id).unwrap();
        let Some(by) = run.by.take() else { return };
        run.over = true;
        let ended = self.workers[by].set_state(id, &Self::state(*run, status));
        if ended.is_ok() {
            let handled = self.handled.remove(id).unwrap_or_default();
            self.workers[by].release(id, handled, None).unwrap();
        }
    }

    fn numbers(&self) -> (u64, u64) {
        self.account.of(&self.batch)
    }

    fn spent(&self) -> u64 {
        self.runs.values().map(|run| run.spent).sum()
    }
}

fn header(id: String, line: u64) -> RunHeader {
    RunHeader {
        run_id: id,
        flow: "flow".to_owned(),
        flow_path: None,
        document: json!({}),
        inputs: json!({ "line": line }),
        started_at: 0,
        setup: RunSetup::default(),
    }
}

fn schedule(account: &Account, url: &str, seed: u64) {
    let mut chance = Chance(seed);
    let open = || PgStore::open(&Connection::new(url)).unwrap();
    let part = 100 + chance.below(900);
    let limit = part * (1 + chance.below(RUNS));
    let mut all = Schedule {
        account,
        workers: vec![open(), open()],
        batch: format!("batch-{seed}"),
        part,
        runs: BTreeMap::new(),
        handled: BTreeMap::new(),
    };
    let key = all.workers[0]
        .create_batch(&NewBatch {
            name: all.batch.clone(),
            created_at: 0,
            flow: "flow".to_owned(),
            document: json!({}),
            limit_microusd: Some(limit),
            microusd_run: Some(part),
        })
        .unwrap();
    let runs: Vec<NewRun> = (1..=RUNS)
        .map(|line| NewRun {
            line,
            header: header(run_id(&all.batch, line, &json!(line), 0), line),
        })
        .collect();
    let ids: Vec<String> = runs.iter().map(|run| run.header.run_id.clone()).collect();
    all.workers[0]
        .add_runs(key, &runs, ApprovalPolicy::Ask)
        .unwrap();
    for id in &ids {
        all.runs.insert(
            id.clone(),
            Run {
                may: part,
                ..Run::default()
            },
        );
    }
    for _ in 0..STEPS {
        let id = ids[usize::try_from(chance.below(RUNS)).unwrap()].clone();
        let by = usize::try_from(chance.below(2)).unwrap();
        let run = all.runs[&id];
        match chance.below(10) {
            0..=3 => all.take(&id, by),
            // The run spends within its limit and reports it.
            4..=6 if run.by.is_some() => {
                let more = chance.below(run.may.saturating_sub(run.spent) + 1);
                let led = run.by.unwrap();
                let next = Run {
                    spent: run.spent + more,
                    ..run
                };
                match all.workers[led].set_state(&id, &Schedule::state(next, RunStatus::Running)) {
                    Ok(()) => *all.runs.get_mut(&id).unwrap() = next,
                    // Another worker has taken the run over, so this one would not have made the call.
                    Err(_) => all.runs.get_mut(&id).unwrap().by = None,
                }
            }
            7 if run.by.is_some() => {
                let over_budget = run.spent * 2 > run.may;
                all.runs.get_mut(&id).unwrap().over_budget = over_budget;
                let status = if over_budget {
                    RunStatus::Failed
                } else {
                    RunStatus::Completed
                };
                all.end(&id, status);
            }
            // A worker dies and loses all of its runs.
            8 => {
                all.workers[by] = open();
                all.runs
                    .values_mut()
                    .filter(|run| run.by == Some(by))
                    .for_each(|run| run.by = None);
            }
            9 if run.by.is_some() || run.over && run.over_budget => {
                let usd = (run.may + chance.below(2 * part)) as f64 / 1e6;
                let control = Control::Resume {
                    usd: Some(usd),
                    tokens: None,
                };
                all.workers[by].ask(&id, &control).unwrap();
                all.take(&id, by);
            }
            _ => {}
        }
        let (allotted, spent) = all.numbers();
        assert!(
            allotted + spent <= limit,
            "{seed}: {allotted} + {spent} of {limit}"
        );
        assert!(all.spent() <= limit, "{seed}: {} of {limit}", all.spent());
    }
    // A new worker that knows nothing about the runs finishes all of them. After that, nothing is reserved, and everything that
    // was spent is counted exactly once.
    all.workers[0] = open();
    // A run that asked for a larger budget may have to wait until other runs return their unused parts.
    for _ in 0..=RUNS {
        for id in &ids {
            all.take(id, 0);
            all.end(id, RunStatus::Completed);
        }
    }
    let (allotted, spent) = all.numbers();
    assert_eq!(
        (allotted, spent),
        (0, all.spent()),
        "{seed}, parts of {}",
        all.part
    );
}

#[test]
fn a_larger_budget_that_is_asked_for_while_a_run_ends_is_not_lost() {
    let Some(postgres) = Postgres::shared() else {
        return eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
    };
    let store = PgStore::init(&Connection::new(postgres.database())).unwrap();
    let larger = |usd, tokens| Control::Resume { usd, tokens };
    for (name, control, continues) in [
        ("dollars", larger(Some(1.0), None), true),
        ("tokens", larger(None, Some(9)), true),
        ("neither", larger(None, None), false),
    ] {
        store.create(&header(name.to_owned(), 1)).unwrap();
        store.ask(name, &control).unwrap();
        let state = RunState {
            status: RunStatus::Failed,
            over_budget: true,
            ..RunState::default()
        };
        store.set_state(name, &state).unwrap();
        let next = store.release(name, Vec::new(), None).unwrap();
        assert_eq!(next.is_some(), continues, "{name}");
        let claim = store.claim(name, COMPAT, AT_ONCE).unwrap();
        assert_eq!(matches!(claim, Claim::Taken(_)), continues, "{name}");
    }
}

/// Two runs whose workers died have reserved the whole budget of their batch, and both ask for more.
#[test]
fn runs_do_not_wait_for_each_others_part_of_a_budget() {
    let Some(postgres) = Postgres::shared() else {
        return eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
    };
    let url = postgres.database();
    let store = PgStore::init(&Connection::new(&url)).unwrap();
    let key = store
        .create_batch(&NewBatch {
            name: "two".to_owned(),
            created_at: 0,
            flow: "flow".to_owned(),
            document: json!({}),
            limit_microusd: Some(2_000),
            microusd_run: Some(1_000),
        })
        .unwrap();
    let ids = ["two-1", "two-2"];
    let runs: Vec<NewRun> = ids
        .iter()
        .zip(1..)
        .map(|(id, line)| NewRun {
            line,
            header: header((*id).to_owned(), line),
        })
        .collect();
    store.add_runs(key, &runs, ApprovalPolicy::Ask).unwrap();
    let asked = Control::Resume {
        usd: Some(0.0015),
        tokens: Some(7),
    };
    for id in ids {
        assert!(matches!(
            store.claim(id, COMPAT, AT_ONCE).unwrap(),
            Claim::Taken(_)
        ));
        store.ask(id, &asked).unwrap();
    }
    let next = PgStore::open(&Connection::new(&url)).unwrap();
    let of = |id: &str| -> Vec<Control> {
        let all = next.controls().unwrap();
        all.into_iter()
            .filter(|(_, of, _)| of == id)
            .map(|(_, _, control)| control)
            .collect()
    };
    let state = |status, over_budget, spent| {
        let mut state = RunState {
            status,
            over_budget,
            ..RunState::default()
        };
        state.usage.cost_microusd = spent;
        state
    };
    for id in ids {
        let Claim::Taken(taken) = next.claim(id, COMPAT, AT_ONCE).unwrap() else {
            panic!("{id} waits");
        };
        assert!(taken.affordable);
        // The part of the request that does not depend on the batch's budget is not postponed.
        let now = Control::Resume {
            usd: None,
            tokens: Some(7),
        };
        assert_eq!(of(id), [now], "{id} goes on with what it has");
    }
    let handled = |id: &str| -> Vec<i64> {
        let all = next.controls().unwrap();
        all.into_iter()
            .filter(|(_, of, _)| of == id)
            .map(|(number, _, _)| number)
            .collect()
    };
    // The first run stops at its budget and waits without a reserved part.
    next.set_state(ids[0], &state(RunStatus::Failed, true, 990))
        .unwrap();
    next.release(ids[0], handled(ids[0]), None).unwrap();
    let waits = next.claim(ids[0], COMPAT, AT_ONCE).unwrap();
    assert!(matches!(waits, Claim::NoBudget), "{waits:?}");
    next.set_state(ids[1], &state(RunStatus::Completed, false, 400))
        .unwrap();
    next.release(ids[1], handled(ids[1]), None).unwrap();
    let Claim::Taken(taken) = next.claim(ids[0], COMPAT, AT_ONCE).unwrap() else {
        panic!("it waits though there is room");
    };
    assert!(taken.affordable);
    let larger = Control::Resume {
        usd: Some(0.0015),
        tokens: None,
    };
    assert_eq!(of(ids[0]), [larger]);
    assert_eq!(
        next.claim(ids[1], COMPAT, AT_ONCE).unwrap(),
        Claim::Over,
        "its own wish is forgotten"
    );
}

#[test]
fn no_schedule_spends_more_than_the_budget() {
    let Some(postgres) = Postgres::shared() else {
        return eprintln!("NOT TESTED: this machine has no PostgreSQL server.");
    };
    let url = postgres.database();
    PgStore::init(&Connection::new(&url)).unwrap();
    let schedules = match std::env::var("LOOPWRIGHT_TORTURE") {
        Ok(all) if all == "all" => 1_000,
        _ => 12,
    };
    let account = Account::open(&url);
    for seed in 0..schedules {
        schedule(&account, &url, seed);
    }
    println!("{schedules} schedules");
}
