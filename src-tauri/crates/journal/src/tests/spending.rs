//! Budgets for a period: many programs and threads, calls that are cut off, and periods that end.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use loopwright_engine::{
    Outcome, Usage,
    costs::SLOT_MS,
    journal::{Completed, Entry, Input, Journal, Record},
    spending::{CostLimit, Period, Room, RoomRequest, SpendingStore},
};
use tempfile::TempDir;

use super::suite::{Random, header, record};
use crate::SqliteJournal;

/// A time in the current period, and the starts of the periods.
const NOW: i64 = 10 * SLOT_MS;
const STARTS: [i64; 3] = [8 * SLOT_MS, 4 * SLOT_MS, 2 * SLOT_MS];

fn store() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    (folder, path)
}

fn open(path: &std::path::Path) -> SqliteJournal {
    SqliteJournal::open(path).unwrap().journal
}

fn a_day(microusd: u64) -> CostLimit {
    CostLimit {
        period: Period::Day,
        flow: None,
        flow_path: None,
        schedule: None,
        microusd,
    }
}

fn request(run_id: &str, microusd: u64) -> RoomRequest {
    RoomRequest {
        run_id: run_id.to_owned(),
        path: "a".to_owned(),
        flow: "Self-Refine".to_owned(),
        flow_path: Some("/flows/self-refine.loop".to_owned()),
        schedule: None,
        microusd,
        at: NOW,
        starts: STARTS,
    }
}

fn cost(seq: u64, at: i64, cost_microusd: u64) -> Record {
    let entry = Entry::Input(Input::ExecutionCompleted(Completed {
        outcome: Arc::new(Outcome {
            usage: Usage {
                calls: 1,
                cost_microusd,
                ..Usage::default()
            },
            ..Outcome::default()
        }),
        duration_ms: 0,
        scope: None,
        state: None,
    }));
    Record {
        at,
        ..record(seq, "a", entry)
    }
}

fn reserved(room: Room) -> i64 {
    match room {
        Room::Reserved(number) => number,
        other => panic!("no room: {other:?}"),
    }
}

/// The instants at which a program can be killed, relative to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Killed {
    BeforeTheCall,
    AfterTheCall,
    AfterSettling,
    Never,
}

/// One run that makes calls until the budget is used up. Its program may be killed at any moment and then continues the run.
fn calls(journal: &SqliteJournal, run: u64, spent: &AtomicU64, limit: u64) -> u64 {
    let id = format!("r{run}");
    let mut random = Random(run * 77 + 5);
    journal.create(&header(&id, 0)).unwrap();
    let (mut seq, mut kills) = (0, 0);
    loop {
        let most = 1 + random.below(40);
        let number = match journal.reserve(&request(&id, most)).unwrap() {
            Room::Reserved(number) => number,
            Room::Later => {
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            Room::None { spent, .. } => {
                assert!(spent + most > limit);
                return kills;
            }
        };
        let killed = match random.below(12) {
            0 => Killed::BeforeTheCall,
            1 => Killed::AfterTheCall,
            2 => Killed::AfterSettling,
            _ => Killed::Never,
        };
        let costs = random.below(most + 1);
        if killed != Killed::BeforeTheCall {
            let now = spent.fetch_add(costs, Ordering::SeqCst) + costs;
            assert!(now <= limit, "{now} spent");
        }
        if matches!(killed, Killed::AfterSettling | Killed::Never) {
            journal.settle(number, Some(costs)).unwrap();
        }
        if killed == Killed::Never {
            journal.append(&id, &[cost(seq, NOW, costs)]).unwrap();
            seq += 1;
        } else {
            kills += 1;
            // Another program continues the run without knowing the cost of the call.
            journal.lose(&id).unwrap();
        }
    }
}

#[test]
fn sixty_four_calls_of_two_programs_never_exceed_a_budget() {
    const LIMIT: u64 = 6_000;
    let (_folder, path) = store();
    let programs = [open(&path), open(&path)];
    programs[0].set_limit(&a_day(0), Some(LIMIT)).unwrap();
    let spent = AtomicU64::new(0);
    let kills: u64 = thread::scope(|scope| {
        let (programs, spent) = (&programs, &spent);
        let threads: Vec<_> = (0..64_u64)
            .map(|run| {
                let program = &programs[usize::try_from(run % 2).unwrap()];
                scope.spawn(move || calls(program, run, spent, LIMIT))
            })
            .collect();
        threads.into_iter().map(|one| one.join().unwrap()).sum()
    });
    let spent = spent.into_inner();
    assert!(spent <= LIMIT && spent > LIMIT / 4, "{spent} spent");
    assert!(kills >= 50, "killed at {kills} instants");
}

#[test]
fn a_settled_cost_counts_once_before_and_after_it_is_recorded() {
    let (_folder, path) = store();
    let journal = open(&path);
    journal.create(&header("r", 0)).unwrap();
    journal.set_limit(&a_day(0), Some(100)).unwrap();
    let full = |spent: u64| Room::None {
        limit: a_day(100),
        spent,
    };
    let number = reserved(journal.reserve(&request("r", 60)).unwrap());
    assert_eq!(journal.reserve(&request("r", 60)).unwrap(), Room::Later);
    assert_eq!(journal.reserve(&request("r", 101)).unwrap(), full(0));
    journal.settle(number, Some(50)).unwrap();
    assert_eq!(journal.reserve(&request("r", 51)).unwrap(), full(50));
    journal.append("r", &[cost(0, NOW, 50)]).unwrap();
    assert_eq!(journal.reserve(&request("r", 51)).unwrap(), full(50));
    let number = reserved(journal.reserve(&request("r", 50)).unwrap());
    // A reservation that is released unused leaves nothing behind.
    journal.settle(number, Some(0)).unwrap();
    let number = reserved(journal.reserve(&request("r", 50)).unwrap());
    // A call of unknown cost counts as its full reservation, even if its run is deleted.
    journal.settle(number, None).unwrap();
    journal.delete("r").unwrap();
    journal.create(&header("s", 0)).unwrap();
    assert_eq!(journal.reserve(&request("s", 1)).unwrap(), full(100));
    assert_eq!(journal.runs_with_room().unwrap(), Vec::<String>::new());
}

#[test]
fn a_period_begins_with_an_empty_budget() {
    let (_folder, path) = store();
    let journal = open(&path);
    journal.create(&header("r", 0)).unwrap();
    journal
        .append(
            "r",
            &[cost(0, STARTS[0] - 1, 70), cost(1, STARTS[1] - 1, 20)],
        )
        .unwrap();
    for (period, spent) in [(Period::Day, 0), (Period::Week, 70), (Period::Month, 90)] {
        let limit = CostLimit {
            period,
            ..a_day(100)
        };
        journal.set_limit(&limit, Some(100)).unwrap();
        let none = journal.reserve(&request("r", 101)).unwrap();
        assert_eq!(
            none,
            Room::None {
                limit: limit.clone(),
                spent
            }
        );
        journal.set_limit(&limit, None).unwrap();
    }
    assert_eq!(journal.limits().unwrap(), []);
}

#[test]
fn a_budget_is_for_its_flow() {
    let (_folder, path) = store();
    let journal = open(&path);
    journal.create(&header("r", 0)).unwrap();
    let of = |flow: &str, path: Option<&str>| CostLimit {
        flow: Some(flow.to_owned()),
        flow_path: path.map(str::to_owned),
        ..a_day(0)
    };
    for (limit, is_meant) in [
        (of("Self-Refine", None), true),
        (of("Other", None), false),
        (of("Other", Some("/flows/self-refine.loop")), true),
        (of("Self-Refine", Some("/flows/other.loop")), false),
    ] {
        journal.set_limit(&limit, Some(5)).unwrap();
        let room = journal.reserve(&request("r", 6)).unwrap();
        assert_eq!(matches!(room, Room::None { .. }), is_meant, "{limit:?}");
        if let Room::Reserved(number) = room {
            journal.settle(number, Some(0)).unwrap();
        }
        journal.set_limit(&limit, None).unwrap();
    }
    // A budget for a file is replaced even if the flow's name has changed.
    let path = Some("/flows/self-refine.loop");
    journal.set_limit(&of("Old", path), Some(5)).unwrap();
    journal.set_limit(&of("New", path), Some(7)).unwrap();
    let limits = journal.limits().unwrap();
    assert_eq!((limits.len(), limits[0].microusd), (1, 7));
}

#[test]
fn a_budget_is_for_its_schedule() {
    let (_folder, path) = store();
    let journal = open(&path);
    journal.create(&header("r", 0)).unwrap();
    let by = |schedule: Option<&str>, microusd| RoomRequest {
        schedule: schedule.map(str::to_owned),
        ..request("r", microusd)
    };
    let limit = CostLimit {
        schedule: Some("nightly".to_owned()),
        ..a_day(0)
    };
    journal.set_limit(&limit, Some(5)).unwrap();
    let full = |schedule, microusd| journal.full(&by(schedule, microusd)).unwrap();
    for (schedule, is_meant) in [
        (Some("nightly"), true),
        (Some("other"), false),
        (None, false),
    ] {
        assert_eq!(full(schedule, 6).is_some(), is_meant, "{schedule:?}");
    }
    // What runs of other schedules reserve and spend does not count towards this budget.
    for (schedule, microusd) in [(Some("other"), 5), (Some("nightly"), 3)] {
        let Room::Reserved(number) = journal.reserve(&by(schedule, microusd)).unwrap() else {
            panic!("There is room for {schedule:?}.");
        };
        journal.settle(number, Some(microusd)).unwrap();
    }
    assert_eq!(full(Some("nightly"), 2), None);
    let (found, spent) = full(Some("nightly"), 3).unwrap();
    assert_eq!((found.schedule.as_deref(), spent), (Some("nightly"), 3));
    // A budget for all flows is a different one.
    journal.set_limit(&a_day(0), Some(50)).unwrap();
    assert_eq!(journal.limits().unwrap().len(), 2);
    journal.set_limit(&limit, None).unwrap();
    assert_eq!(full(Some("nightly"), 40), None);
}

/// The costs of a run that a schedule started count towards the schedule, even after the run was deleted.
#[test]
fn costs_count_for_their_schedule() {
    let (_folder, path) = store();
    let journal = open(&path);
    let mut by_schedule = header("r", 0);
    by_schedule.setup.schedule = Some("nightly".to_owned());
    journal.create(&by_schedule).unwrap();
    journal.create(&header("other", 0)).unwrap();
    for run in ["r", "other"] {
        journal.append(run, &[cost(0, NOW, 30)]).unwrap();
    }
    let schedules = || -> Vec<Option<String>> {
        let costs = journal.costs(i64::MIN, i64::MAX).unwrap().unwrap();
        let mut schedules: Vec<_> = costs.rows.into_iter().map(|row| row.schedule).collect();
        schedules.sort();
        schedules
    };
    let both = [None, Some("nightly".to_owned())];
    assert_eq!(schedules(), both);
    let limit = CostLimit {
        schedule: Some("nightly".to_owned()),
        ..a_day(0)
    };
    journal.set_limit(&limit, Some(31)).unwrap();
    let asked = RoomRequest {
        schedule: Some("nightly".to_owned()),
        ..request("r", 2)
    };
    assert_eq!(journal.full(&asked).unwrap().unwrap().1, 30);
    for run in ["r", "other"] {
        journal.delete(run).unwrap();
    }
    assert_eq!(schedules(), both);
    assert_eq!(journal.full(&asked).unwrap().unwrap().1, 30);
}

/// A file of the version before schedules keeps its sums, budgets and reservations.
#[test]
fn an_older_file_keeps_its_sums_and_budgets() {
    let (_folder, path) = store();
    let journal = open(&path);
    journal.create(&header("r", 0)).unwrap();
    journal.append("r", &[cost(0, NOW, 70)]).unwrap();
    journal.set_limit(&a_day(0), Some(100)).unwrap();
    drop(journal);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "ALTER TABLE cost_reservations DROP COLUMN schedule;
             DROP INDEX costs_by_time;
             ALTER TABLE costs RENAME TO new_costs;
             CREATE TABLE costs (run INTEGER NOT NULL, slot INTEGER NOT NULL, flow TEXT NOT NULL, flow_path TEXT NOT NULL,
                node TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
                output_tokens INTEGER NOT NULL, cost_microusd INTEGER NOT NULL, unpriced_calls INTEGER NOT NULL,
                cached_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL, cut_off_calls INTEGER NOT NULL,
                PRIMARY KEY (run, slot, flow, flow_path, node, model)) WITHOUT ROWID;
             INSERT INTO costs SELECT run, slot, flow, flow_path, node, model, calls, input_tokens, output_tokens,
                cost_microusd, unpriced_calls, cached_tokens, reasoning_tokens, cut_off_calls FROM new_costs;
             DROP TABLE new_costs;
             CREATE INDEX costs_by_time ON costs (slot, flow_path, flow, cost_microusd);
             ALTER TABLE cost_limits RENAME TO new_limits;
             CREATE TABLE cost_limits (period TEXT NOT NULL, flow TEXT NOT NULL, flow_path TEXT NOT NULL,
                microusd INTEGER NOT NULL, PRIMARY KEY (period, flow, flow_path)) WITHOUT ROWID;
             INSERT INTO cost_limits SELECT period, flow, flow_path, microusd FROM new_limits;
             DROP TABLE new_limits;
             PRAGMA user_version = 13",
        )
        .unwrap();
    drop(connection);
    let journal = open(&path);
    let costs = journal.costs(i64::MIN, i64::MAX).unwrap().unwrap();
    let sums: Vec<(u64, Option<String>)> = costs
        .rows
        .into_iter()
        .map(|row| (row.charge.usage.cost_microusd, row.schedule))
        .collect();
    assert_eq!(sums, [(70, None)]);
    assert_eq!(journal.limits().unwrap(), [a_day(100)]);
    assert_eq!(journal.full(&request("r", 31)).unwrap().unwrap().1, 70);
}
