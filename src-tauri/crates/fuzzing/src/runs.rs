//! Run files: imported, looked at in every way, exported again.

use std::sync::{Arc, LazyLock};

use loopwright_api::{App, Code, RunQuery};

struct World {
    app: Arc<App>,
    _runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

/// One for the whole process: each run is deleted again.
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
    let imported = match app.import_run(data) {
        Ok(imported) => imported,
        Err(error) => {
            assert_eq!(error.code, Code::InvalidArgument, "{error:?}");
            assert!(error.message.ends_with('.'), "{error:?}");
            return;
        }
    };
    let id = imported.run_id.as_str();
    looked_at(app, id);
    let exported = app.export_run(id).expect("what was kept can be exported");
    app.delete_run(id).expect("a run can be deleted");
    let again = app
        .import_run(exported.as_bytes())
        .expect("what was exported can be imported");
    assert_eq!(again.run_id, id);
    let twice = app.export_run(id).expect("what was kept can be exported");
    app.delete_run(id).expect("a run can be deleted");
    assert_eq!(exported, twice, "exported again it is another run");
}

/// Whatever a run says, it can be listed and shown; what cannot be done with it is refused in words.
fn looked_at(app: &Arc<App>, id: &str) {
    let page = app
        .find_runs(&RunQuery {
            limit: 10,
            ..RunQuery::default()
        })
        .expect("runs can be listed");
    assert_eq!(page.runs.len(), 1, "{:?}", page.runs);
    app.run_flows().expect("flows can be listed");
    app.run_detail(id).expect("a run can be shown");
    let events = app.run_events(id).expect("its events can be read");
    app.run_outline(id).expect("its outline can be read");
    app.run_loops(id).expect("its loops can be read");
    app.waiting(id).expect("what waits can be read");
    app.run_progress(id).expect("its progress can be read");
    let refused = |error: loopwright_api::ApiError| {
        assert!(!error.message.trim().is_empty(), "{error:?}");
        assert_ne!(error.code, Code::Internal, "{error:?}");
    };
    app.replay_run(id, |_| {}).map_or_else(refused, drop);
    app.compare_runs(id, id).map_or_else(refused, drop);
    let mut paths: Vec<&str> = events.iter().map(|event| event.path.as_str()).collect();
    paths.dedup();
    for path in paths.into_iter().rev().take(4) {
        app.step_detail(id, path).map_or_else(refused, drop);
        app.fork_place(id, path).map_or_else(refused, drop);
        app.run_iterations(id, path, 0, 5)
            .map_or_else(refused, drop);
        app.iteration_events(id, path, 0, 5)
            .map_or_else(refused, drop);
    }
}
