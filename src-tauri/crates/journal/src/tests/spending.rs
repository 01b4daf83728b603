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
        microusd,
    }
}

fn request(run_id: &str, microusd: u64) -> RoomRequest {
    RoomRequest {
        run_id: run_id.to_owned(),
        path: "a".to_owned(),
        flow: "Self-Refine".to_owned(),
        flow_path: Some("/flows/self-refine.loop".to_owned()),
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

/// One run that makes calls until there is no room. Its program may be killed at any moment and then continues the run.
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
    // Room that is released unused leaves nothing behind.
    journal.settle(number, Some(0)).unwrap();
    let number = reserved(journal.reserve(&request("r", 50)).unwrap());
    // A call of unknown cost counts with its whole reservation, even if its run is deleted.
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
