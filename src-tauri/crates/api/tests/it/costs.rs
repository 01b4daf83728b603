//! The sums of costs equal a recount of all records, for random flows with failures, retries, kills, forks, imports and
//! deletions. Two programs take turns writing to the same store.

#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError, Usage,
    costs::{CostRow, Costs, SLOT_MS},
    host::{ModelContext, ModelReply, ModelRequest, Models, Services},
    journal::{
        Earlier, Entry, Fact, Input, Journal, Origin, Record, RunHeader, RunSetup, RunState, used,
    },
    plan::{Plan, plan},
    run::{
        Plans,
        fork::{Place, fork},
    },
};
use loopwright_journal::{MemoryJournal, SqliteJournal};
use loopwright_model::file;
use loopwright_testing::{
    Begin, Done, Host as _, RUN, Sleep, Stop,
    chance::Chance,
    generate::flow,
    people::{ApprovalMode, People},
    plans,
    simulation::Simulation,
    world::Registry,
};
use serde_json::{Map, Value, json};

/// The number of histories, each of which has a few runs.
const HISTORIES: u64 = 1_000;
/// The number of histories in one store.
const A_STORE: u64 = 20;

/// A model whose calls have different costs. The price is sometimes unknown, and some calls fail after they have cost
/// something.
struct Costly {
    seed: u64,
    sleep: Sleep,
}

impl Models for Costly {
    fn call(
        &self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>> {
        let bytes = request.prompt.bytes();
        let hash = bytes.fold(self.seed, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut chance = Chance::new(hash);
        let pause = (self.sleep)(Duration::from_millis(chance.below(900_000)));
        let usage = Usage {
            calls: 1,
            input_tokens: chance.below(50),
            output_tokens: 1 + chance.below(9),
            cost_microusd: chance.below(7),
            unpriced_calls: u64::from(chance.percent(20)),
            cached_tokens: chance.below(2),
            ..Usage::default()
        };
        let fails = chance.percent(25);
        let model = format!("p/{}", chance.below(3));
        Box::pin(async move {
            cx.call.to_model(&model);
            cx.call.sending(false);
            pause.await;
            if fails {
                return Err(NodeError::new("network", "No answer.").having_spent(&usage));
            }
            Ok(ModelReply {
                text: format!("r{}", usage.input_tokens % 4),
                usage,
                model,
                ..ModelReply::default()
            })
        })
    }
}

type Sums = BTreeMap<(i64, String, String), Usage>;

fn add(sums: &mut Sums, at: i64, path: &str, model: Option<&str>, usage: &Usage) {
    if !usage.is_none() {
        let place: Vec<&str> = path
            .split('/')
            .map(|part| part.split('[').next().unwrap())
            .collect();
        let slot = at.div_euclid(SLOT_MS) * SLOT_MS;
        let key = (slot, place.join("/"), model.unwrap_or_default().to_owned());
        sums.entry(key).or_default().add(usage);
    }
}

/// Adds the costs of a run to `sums`, counted again path by path. `own` is the number of the first record that the run
/// did not copy from another run.
fn recount(records: &[Record], own: u64, sums: &mut Sums) {
    let mut paths: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        paths.entry(&record.path).or_default();
    }
    for (path, its) in &mut paths {
        its.extend(records.iter().filter(|record| {
            record.path == *path
                || matches!(
                    record.entry,
                    Entry::Input(Input::RunResumed | Input::RunTakenOver)
                )
        }));
    }
    for (path, records) in paths {
        let mut failed = Usage::default();
        let mut open: Option<(i64, Usage, Option<String>)> = None;
        let mut model: Option<String> = None;
        for record in records {
            let is_own = record.seq >= own;
            let mut add = |at: i64, model: Option<&str>, usage: &Usage| {
                if is_own {
                    add(sums, at, path, model, usage);
                }
            };
            let last = || model.clone();
            match &record.entry {
                Entry::Fact(Fact::NodeStarted { .. }) => {
                    (failed, open, model) = (Usage::default(), None, None);
                }
                Entry::Input(Input::CallsUnderWay { usage, model: name }) => {
                    if is_own {
                        model = name.clone().or(last());
                        open = Some((record.at, *usage, model.clone()));
                    }
                }
                Entry::Input(Input::ExecutionRetried(retried)) => {
                    let name = retried.error.model().map(str::to_owned).or(last());
                    add(record.at, name.as_deref(), &retried.error.usage);
                    failed.add(&retried.error.usage);
                    open = None;
                }
                Entry::Input(Input::RunResumed | Input::RunTakenOver) => {
                    if let Some((at, usage, name)) = open.take() {
                        add(at, name.as_deref(), &usage);
                    }
                }
                entry => {
                    if let Some(done) = entry.completed().filter(|done| done.scope.is_none()) {
                        let trace = done.outcome.trace.as_ref();
                        let name = trace.and_then(|trace| trace.model.clone()).or(last());
                        add(
                            record.at,
                            name.as_deref(),
                            &done.outcome.usage.without(&failed),
                        );
                        open = None;
                    }
                    if let Some(end) = entry.failed().filter(|end| end.scope.is_none()) {
                        let name = end.error.model().map(str::to_owned).or(last());
                        add(
                            record.at,
                            name.as_deref(),
                            &end.error.usage.without(&failed),
                        );
                        open = None;
                    }
                }
            }
        }
        if let Some((at, usage, name)) = open {
            add(sums, at, path, name.as_deref(), &usage);
        }
    }
}

/// A run in the store.
struct Written {
    header: RunHeader,
    records: Vec<Record>,
    own: u64,
    plan: Arc<Plan>,
    is_deleted: bool,
}

struct History {
    chance: Chance,
    memory: MemoryJournal,
    /// Two programs that write to the same file.
    programs: [SqliteJournal; 2],
    runs: Vec<Written>,
    extra: Vec<CostRow>,
}

fn simulate(host: &Simulation, plan: &Arc<Plan>, seed: u64, records: Option<&[Record]>) -> Done {
    let services = Services {
        models: Arc::new(Costly {
            seed,
            sleep: host.sleep(),
        }),
        tools: Arc::new(Registry::empty(host.sleep())),
        resources: loopwright_engine::resources::none(),
    };
    host.run(Begin {
        plan,
        inputs: &Map::new(),
        services: &services,
        stop: &Stop::Never,
        people: &People {
            approve: ApprovalMode::All,
            answers: Vec::new(),
        },
        records,
    })
}

impl History {
    fn new(seed: u64, path: &Path) -> Self {
        Self {
            chance: Chance::new(seed),
            memory: MemoryJournal::new(),
            programs: [(), ()].map(|()| SqliteJournal::open(path).unwrap().journal),
            runs: Vec::new(),
            extra: Vec::new(),
        }
    }

    fn header(&self, name: &str, setup: RunSetup) -> RunHeader {
        RunHeader {
            run_id: format!("run-{}", self.runs.len()),
            flow: name.to_owned(),
            flow_path: (name != "a").then(|| format!("/flows/{name}.json")),
            document: json!({}),
            inputs: json!({}),
            started_at: 0,
            setup,
        }
    }

    /// Appends records in batches of random size, each by one of the programs.
    fn append(&mut self, run_id: &str, mut records: &[Record]) {
        while !records.is_empty() {
            let most = 1 + self.chance.below(records.len() as u64) as usize;
            let (batch, rest) = records.split_at(most);
            let program = self.chance.below(2) as usize;
            self.programs[program].append(run_id, batch).unwrap();
            self.memory.append(run_id, batch).unwrap();
            records = rest;
        }
    }

    /// Continues a run from `records`, usually to its end. A new run may be killed before that. Returns its records.
    fn drive(&mut self, run_id: &str, plan: &Arc<Plan>, mut records: Vec<Record>) -> Vec<Record> {
        let mut fresh = records.is_empty();
        if fresh && self.chance.percent(50) {
            let seed = self.chance.number();
            let host = Simulation::with_seed(seed);
            let most = records.len() + 1 + self.chance.below(40) as usize;
            let host = host.killed_after(most);
            let begun = (!fresh).then_some(records.as_slice());
            let done = simulate(&host, plan, seed, begun);
            self.append(run_id, &done.records[records.len()..]);
            records = done.records;
            fresh = records.is_empty();
        }
        if self.chance.percent(80) {
            let seed = self.chance.number();
            let begun = (!fresh).then_some(records.as_slice());
            let done = simulate(&Simulation::with_seed(seed), plan, seed, begun);
            self.append(run_id, &done.records[records.len()..]);
            records = done.records;
        }
        records
    }

    fn create(&self, header: &RunHeader) {
        self.memory.create(header).unwrap();
        self.programs[0].create(header).unwrap();
    }

    fn begin_run(&mut self) {
        let length = self.chance.below(60);
        let bytes: Vec<u8> = (0..length).map(|_| self.chance.number() as u8).collect();
        let document = flow(&bytes, true);
        let read = file::read_value(document).unwrap();
        let plan = Arc::new(plan(&read, &loopwright_nodes::all()).unwrap());
        let name = ["a", "b", "c"][self.chance.below(3) as usize];
        let header = self.header(name, RunSetup::default());
        self.create(&header);
        let records = self.drive(&header.run_id.clone(), &plan, Vec::new());
        self.runs.push(Written {
            header,
            records,
            own: 0,
            plan,
            is_deleted: false,
        });
    }

    /// Forks a run at a random step.
    fn fork_run(&mut self) {
        let Some(parent) = self
            .runs
            .get(self.chance.below(self.runs.len() as u64) as usize)
        else {
            return;
        };
        let places: Vec<&str> = parent
            .records
            .iter()
            .filter(|record| matches!(record.entry, Entry::Fact(Fact::NodeStarted { .. })))
            .map(|record| record.path.as_str())
            .collect();
        if places.is_empty() {
            return;
        }
        let at = places[self.chance.below(places.len() as u64) as usize].to_owned();
        let plan = Arc::clone(&parent.plan);
        let before = plans(&plan, &parent.records);
        let after: Plans = plans(&plan, &parent.records).then(Arc::clone(&plan));
        let place = Place {
            parent: RUN.to_owned(),
            at: at.clone(),
            beyond: false,
            given: None,
            now: parent.records.last().unwrap().at + 1_000,
        };
        let Ok(begun) = fork(&before, &after, &Map::new(), &parent.records, &place) else {
            return;
        };
        let setup = RunSetup {
            origin: Some(Origin {
                parent: parent.header.run_id.clone(),
                at,
                kept_records: begun.records.len() as u64,
                kept: begun.usage,
                earlier: vec![Earlier {
                    document: json!({}),
                    pins: Map::new(),
                    until: None,
                }],
                inputs: Value::Null,
            }),
            ..RunSetup::default()
        };
        let name = parent.header.flow.clone();
        let header = self.header(&name, setup);
        self.create(&header);
        // A fork is written as a whole.
        self.programs[1]
            .append(&header.run_id, &begun.records)
            .unwrap();
        self.memory.append(&header.run_id, &begun.records).unwrap();
        let own = begun.records.len() as u64;
        let records = self.drive(&header.run_id.clone(), &plan, begun.records);
        self.runs.push(Written {
            header,
            records,
            own,
            plan,
            is_deleted: false,
        });
    }

    /// Imports a copy of a run, and continues it here.
    fn import_run(&mut self) {
        let Some(from) = self
            .runs
            .get(self.chance.below(self.runs.len() as u64) as usize)
        else {
            return;
        };
        // A fork is written as a whole, so no file has a part of what it kept.
        let (whole, kept) = (from.records.len() as u64, from.own);
        let length = (kept + self.chance.below(whole - kept + 1)) as usize;
        let (records, plan) = (from.records[..length].to_vec(), Arc::clone(&from.plan));
        let name = from.header.flow.clone();
        let mut setup = from.header.setup.clone();
        setup.imported_records = length as u64;
        let own = setup.taken_over_records();
        let header = self.header(&name, setup);
        let state = RunState::default();
        self.programs[0].add(&header, &records, &state).unwrap();
        self.memory.add(&header, &records, &state).unwrap();
        let records = self.drive(&header.run_id.clone(), &plan, records);
        self.runs.push(Written {
            header,
            records,
            own,
            plan,
            is_deleted: false,
        });
    }

    fn delete_run(&mut self) {
        let index = self.chance.below(self.runs.len() as u64) as usize;
        let program = self.chance.below(2) as usize;
        if let Some(run) = self.runs.get_mut(index)
            && !run.is_deleted
        {
            run.is_deleted = true;
            self.programs[program].delete(&run.header.run_id).unwrap();
            self.memory.delete(&run.header.run_id).unwrap();
        }
    }

    /// Adds the costs of calls that no stored run made.
    fn add_costs(&mut self) {
        let row = CostRow {
            run_id: None,
            flow: "a".to_owned(),
            flow_path: None,
            schedule: None,
            charge: loopwright_engine::costs::Charge {
                slot: SLOT_MS * 7,
                node: "draft".to_owned(),
                model: "p/0".to_owned(),
                usage: Usage::unknown_call(),
            },
        };
        let rows = vec![row.clone(), row];
        self.programs[0].add_costs(&rows).unwrap();
        self.memory.add_costs(&rows).unwrap();
        self.extra.extend(rows);
    }

    /// Returns the sums of all runs, by flow.
    fn recount(&self) -> BTreeMap<String, Sums> {
        let mut flows: BTreeMap<String, Sums> = BTreeMap::new();
        for run in &self.runs {
            let sums = flows.entry(run.header.flow.clone()).or_default();
            recount(&run.records, run.own, sums);
        }
        for row in &self.extra {
            let charge = &row.charge;
            let sums = flows.entry(row.flow.clone()).or_default();
            add(
                sums,
                charge.slot,
                &charge.node,
                Some(&charge.model),
                &charge.usage,
            );
        }
        flows.retain(|_, sums| !sums.is_empty());
        flows
    }
}

fn by_flow(costs: Costs) -> BTreeMap<String, Sums> {
    assert_eq!(costs.uncounted_runs, 0);
    let mut flows: BTreeMap<String, Sums> = BTreeMap::new();
    for row in costs.rows {
        let path = (row.flow != "a").then(|| format!("/flows/{}.json", row.flow));
        assert_eq!(row.flow_path, path);
        let charge = row.charge;
        let sums = flows.entry(row.flow).or_default();
        let key = (charge.slot, charge.node, charge.model);
        sums.entry(key).or_default().add(&charge.usage);
    }
    flows
}

fn all(journal: &dyn Journal) -> BTreeMap<String, Sums> {
    by_flow(journal.costs(i64::MIN, i64::MAX).unwrap().unwrap())
}

/// Counts what the histories contain, so that the test cannot pass with histories that exercise nothing.
#[derive(Debug, Default)]
struct Contents {
    runs: u64,
    forks: u64,
    retried: u64,
    resumed: u64,
    deleted: u64,
}

impl Contents {
    fn add(&mut self, run: &Written) {
        self.runs += 1;
        self.forks += u64::from(run.header.setup.origin.is_some());
        self.deleted += u64::from(run.is_deleted);
        self.retried += u64::from(has(run, |entry| {
            matches!(entry, Entry::Input(Input::ExecutionRetried(_)))
        }));
        self.resumed += u64::from(has(run, is_resumed));
    }
}

fn has(run: &Written, is_meant: fn(&Entry) -> bool) -> bool {
    run.records.iter().any(|record| is_meant(&record.entry))
}

fn is_resumed(entry: &Entry) -> bool {
    matches!(entry, Entry::Input(Input::RunResumed))
}

fn is_end(entry: &Entry) -> bool {
    matches!(
        entry,
        Entry::Fact(Fact::RunCompleted { .. } | Fact::RunFailed { .. })
    )
}

#[test]
fn the_sums_of_costs_equal_a_recount_of_all_records() {
    let folder = tempfile::tempdir().unwrap();
    let mut contents = Contents::default();
    for store in 0..HISTORIES / A_STORE {
        let path = folder.path().join(format!("{store}.db"));
        let mut history = History::new(store, &path);
        for number in 0..A_STORE {
            history.begin_run();
            for _ in 0..1 + history.chance.below(4) {
                match history.chance.below(10) {
                    0..=2 => history.begin_run(),
                    3..=5 => history.fork_run(),
                    6 => history.import_run(),
                    7 | 8 => history.delete_run(),
                    _ => history.add_costs(),
                }
            }
            let expected = history.recount();
            let at = format!("history {number} of store {store}");
            assert_eq!(all(&history.programs[0]), expected, "{at}");
            assert_eq!(all(&history.programs[1]), expected, "{at}");
            assert_eq!(all(&history.memory), expected, "{at}, in memory");
        }
        for run in &history.runs {
            contents.add(run);
            // A run without forks, imports and kills costs what the run itself reports.
            if run.own == 0 && !has(run, is_resumed) && has(run, is_end) {
                let mut sums = Sums::new();
                recount(&run.records, 0, &mut sums);
                let mut total = Usage::default();
                sums.values().for_each(|usage| total.add(usage));
                assert_eq!(total, used(&run.records), "{}", run.header.run_id);
            }
        }
        // The sums are the same for a program that opens the store later.
        let expected = history.recount();
        drop(history);
        assert_eq!(all(&SqliteJournal::open(&path).unwrap().journal), expected);
    }
    let Contents {
        runs,
        forks,
        retried,
        resumed,
        deleted,
    } = contents;
    for (what, count) in [
        ("runs", runs),
        ("forks", forks),
        ("retries", retried),
        ("resumed runs", resumed),
        ("deletions", deleted),
    ] {
        assert!(count > 50, "only {count} {what}");
    }
}
