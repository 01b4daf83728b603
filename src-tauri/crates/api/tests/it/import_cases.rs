//! Imports the files of all formats' cases and runs each with its default inputs and without any server. No import may panic, a
//! flow that does not validate must be reported, and no run may complete after it has reached a placeholder.

#![allow(clippy::unwrap_used)]
// The clock is read to limit the time of a run.
#![allow(clippy::disallowed_methods)]

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use loopwright_engine::{EventBody, RunStatus, journal::Journal, plan::plan};
use loopwright_import::{Options, import};
use loopwright_journal::MemoryJournal;
use loopwright_model::{Flow, validate::check};
use loopwright_runs::FlowsOnDisk;
use loopwright_testing::scripted::{Reply, Script};
use serde_json::Map;
use support::{Stop, case::root, execute_among, people::People};

use crate::support;

/// The time limit of one run. A run that takes longer is abandoned.
const PATIENCE: Duration = Duration::from_secs(3);
/// The time limit of the whole test.
const ALL: Duration = Duration::from_secs(50);

fn files() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = [
        "tea",
        "shodan",
        "loom",
        "logicapps",
        "aistudio",
        "import-defects",
    ]
    .iter()
    .map(|name| root().join("../shared/cases").join(name))
    .collect();
    folders.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports"));
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// What was observed during a run: whether it completed, and which placeholders were started.
struct Ran {
    completed: bool,
    reached: Vec<String>,
}

fn run(flow: &Flow) -> Option<Ran> {
    let kinds = loopwright_nodes::all();
    let plan = Arc::new(plan(flow, &kinds).ok()?);
    let placeholders: Vec<String> = flow
        .nodes
        .iter()
        .filter(|node| node.is_placeholder())
        .map(|node| node.id.clone())
        .collect();
    let services = support::scripted_services(Script {
        replies: vec![Reply::text("{\"done\": true}")],
        repeat: true,
        ..Script::default()
    });
    let (done, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
        let ran = execute_among(
            &plan,
            &Map::new(),
            &services,
            &journal,
            &Stop::Never,
            &People::default(),
        );
        let failed = |body: &EventBody| matches!(body, EventBody::NodeFailed { .. });
        let reached = ran
            .events
            .iter()
            .filter(|event| failed(&event.body))
            .filter_map(|event| event.node_id.clone())
            .filter(|id| placeholders.contains(id))
            .collect();
        let _ = done.send(Ran {
            completed: ran.state.status == RunStatus::Completed,
            reached,
        });
    });
    ended.recv_timeout(PATIENCE).ok()
}

#[test]
fn imported_cases_run_to_no_end_over_a_placeholder() {
    let began = Instant::now();
    let kinds = loopwright_nodes::all();
    let options = Options {
        kinds: Some(kinds.specs().clone()),
        ..Options::default()
    };
    let (mut imported, mut invalid, mut ran, mut reached) = (0, 0, 0, 0);
    for path in files() {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let shown = path.display();
        let made = catch_unwind(AssertUnwindSafe(|| import(&text, &options)));
        let made = match made {
            Ok(Ok(made)) => made,
            Ok(Err(refused)) => {
                assert!(!refused.to_string().trim().is_empty(), "{shown}");
                continue;
            }
            Err(_) => panic!("the import of {shown} panicked"),
        };
        imported += 1;
        let linked = check(&made.flow, kinds.specs(), None, &FlowsOnDisk);
        let errors: Vec<_> = linked
            .problems
            .iter()
            .filter(|problem| problem.is_error())
            .collect();
        if !errors.is_empty() {
            // If a flow is invalid, there is an error message in addition to the import's report.
            assert!(
                errors
                    .iter()
                    .all(|problem| !problem.message.trim().is_empty()),
                "{shown}"
            );
            assert!(plan(&linked.flow, &kinds).is_err() || !errors.is_empty());
            invalid += 1;
            continue;
        }
        if began.elapsed() > ALL {
            continue;
        }
        let Some(done) = run(&linked.flow) else {
            continue;
        };
        ran += 1;
        reached += usize::from(!done.reached.is_empty());
        assert!(
            !done.completed || done.reached.is_empty(),
            "{shown} completed over {:?}",
            done.reached
        );
    }
    println!("{imported} imported, {invalid} invalid, {ran} run, {reached} reached a placeholder");
    assert!(imported > 5, "{imported}");
    if root().join("../shared/cases").exists() {
        assert!(reached > 3 && ran > 50, "{ran} run, {reached} reached");
    }
}
