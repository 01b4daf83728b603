//! Checks run files: they are imported, displayed in every way, and exported again.

use std::sync::{Arc, LazyLock};

use loopwright_api::App;
use loopwright_records as records;
use loopwright_records::RunQuery;
use loopwright_runs as runs;
use loopwright_runs::Code;

struct World {
    app: Arc<App>,
    _runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

/// The environment of the whole process. Each run is deleted after use.
static WORLD: LazyLock<World> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .expect("a runtime can be made");
    let app = App::open(folder.path(), runtime.handle().clone()).expect("a store can be made");
    World {
        app,
        _runtime: runtime,
        _folder: folder,
    }
});

pub(crate) fn run_file(data: &[u8]) {
    let app = &WORLD.app;
    let imported = match records::import_run(app.env(), data) {
        Ok(imported) => imported,
        Err(error) => {
            assert_eq!(error.code, Code::InvalidArgument, "{error:?}");
            assert!(error.message.ends_with('.'), "{error:?}");
            return;
        }
    };
    let id = imported.run_id.as_str();
    looked_at(app, id);
    let exported = records::export_run(app.env(), id).expect("a stored run can be exported");
    runs::delete_run(app.env(), id).expect("a run can be deleted");
    let again = records::import_run(app.env(), exported.as_bytes())
        .expect("an exported run can be imported");
    assert_eq!(again.run_id, id);
    let twice = records::export_run(app.env(), id).expect("a stored run can be exported");
    runs::delete_run(app.env(), id).expect("a run can be deleted");
    assert_eq!(
        exported, twice,
        "the second export of the run differs from the first"
    );
}

/// Checks that any run can be listed and shown. An operation that is impossible for the run must fail with a message.
fn looked_at(app: &Arc<App>, id: &str) {
    let page = records::find_runs(
        app.env(),
        &RunQuery {
            limit: 10,
            ..RunQuery::default()
        },
    )
    .expect("runs can be listed");
    assert_eq!(page.runs.len(), 1, "{:?}", page.runs);
    records::run_flows(app.env()).expect("flows can be listed");
    records::run_detail(app.env(), id).expect("a run can be shown");
    let events = records::run_events(app.env(), id).expect("its events can be read");
    records::run_outline(app.env(), id).expect("its outline can be read");
    records::run_loops(app.env(), id).expect("its loops can be read");
    records::waiting(app.env(), id).expect("what waits can be read");
    records::run_progress(app.env(), id).expect("its progress can be read");
    let refused = |error: loopwright_runs::ApiError| {
        assert!(!error.message.trim().is_empty(), "{error:?}");
        assert_ne!(error.code, Code::Internal, "{error:?}");
    };
    runs::replay_run(app.env(), id, |_| {}).map_or_else(refused, drop);
    records::compare_runs(app.env(), id, id).map_or_else(refused, drop);
    let mut paths: Vec<&str> = events.iter().map(|event| event.path.as_str()).collect();
    paths.dedup();
    for path in paths.into_iter().rev().take(4) {
        records::step_detail(app.env(), id, path).map_or_else(refused, drop);
        runs::fork_place(app.env(), id, path).map_or_else(refused, drop);
        records::run_iterations(app.env(), id, path, 0, 5).map_or_else(refused, drop);
        records::iteration_events(app.env(), id, path, 0, 5).map_or_else(refused, drop);
    }
}
