//! A host that provides a folder for each loop that requests one. Each step that may change the folder leaves a file with
//! unique content, so that a test can distinguish the states of a folder.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::future::{BoxFuture, FutureExt as _};
use loopwright_engine::{
    CancellationToken, NodeError,
    plan::{Plan, Repeat, repeat::ResourceConfig},
    resources::{Resource, Resources},
};
use loopwright_model::EffectClass;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::Sleep;

/// The number of files at which a step also removes the oldest one.
const MOST_FILES: usize = 4;

/// An operation on a folder, with the path of its loop.
#[derive(Debug, Clone, PartialEq)]
pub enum Used {
    Opened(String),
    /// The folder was opened again. The value lists the files that it had afterwards.
    Reopened(String, Value),
    /// The files of an earlier state were restored before the close. The value lists them.
    Restored(String, Value),
    Closed(String),
}

pub struct Folders(Arc<Inner>);

struct Inner {
    sleep: Sleep,
    world: Mutex<World>,
}

struct World {
    root: TempDir,
    used: Vec<Used>,
    /// The content of the next file.
    next: u64,
}

impl World {
    fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
            used: Vec::new(),
            next: 0,
        }
    }

    fn folder(&self, resource: &Resource) -> PathBuf {
        let name = resource.path.replace('/', "+");
        self.root.path().join(&resource.run_id).join(name)
    }
}

/// Returns the files of a folder with their content.
fn files(folder: &Path) -> Value {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        files.insert(name, Value::from(fs::read_to_string(path).unwrap()));
    }
    Value::Object(files.into_iter().collect::<Map<_, _>>())
}

/// Restores the recorded state of a resource in a folder. Returns the files that the folder then has.
fn restore(folder: &Path, resource: &Resource) -> Value {
    for left in fs::read_dir(folder).unwrap() {
        fs::remove_file(left.unwrap().path()).unwrap();
    }
    let state = resource.state.as_deref().and_then(Value::as_object);
    for (name, content) in state.into_iter().flatten() {
        fs::write(folder.join(name), content.as_str().unwrap()).unwrap();
    }
    files(folder)
}

impl Folders {
    /// Returns a host whose operations take a short time, for which they wait with `sleep`.
    pub fn new(sleep: Sleep) -> Self {
        Self(Arc::new(Inner {
            sleep,
            world: Mutex::new(World::new()),
        }))
    }

    /// Removes all folders and clears the list of operations.
    pub fn clear(&self) {
        *self.world() = World::new();
    }

    /// Returns the operations so far, in order.
    pub fn used(&self) -> Vec<Used> {
        self.world().used.clone()
    }

    /// Returns the number of folders that exist.
    pub fn count(&self) -> usize {
        let world = self.world();
        let runs = fs::read_dir(world.root.path()).unwrap();
        runs.map(|run| fs::read_dir(run.unwrap().path()).unwrap().count())
            .sum()
    }

    fn world(&self) -> std::sync::MutexGuard<'_, World> {
        self.0.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn then<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut World) -> T + Send + 'static,
    ) -> BoxFuture<'static, T> {
        let inner = Arc::clone(&self.0);
        async move {
            (inner.sleep)(Duration::from_millis(3)).await;
            let done = act(&mut inner.world.lock().unwrap_or_else(PoisonError::into_inner));
            (inner.sleep)(Duration::from_millis(2)).await;
            done
        }
        .boxed()
    }
}

impl Resources for Folders {
    fn open(
        &self,
        resource: Resource,
        _cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        self.then(move |world| {
            let folder = world.folder(&resource);
            // A host that was killed may have created the folder. Nothing has used it yet.
            if folder.exists() {
                assert_eq!(files(&folder), json!({}), "opened twice");
            }
            fs::create_dir_all(&folder).unwrap();
            world.used.push(Used::Opened(resource.path));
            Ok(json!({ "path": folder }))
        })
    }

    fn reopen(
        &self,
        resource: Resource,
        _cancel: CancellationToken,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        self.then(move |world| {
            let folder = world.folder(&resource);
            let is_own = resource.parents.is_empty();
            assert!(
                folder.exists() || !is_own,
                "the folder of an open resource is missing"
            );
            fs::create_dir_all(&folder).unwrap();
            let now = restore(&folder, &resource);
            world.used.push(Used::Reopened(resource.path, now));
            Ok(json!({ "path": folder }))
        })
    }

    fn state(&self, resource: Resource) -> BoxFuture<'static, Result<Value, NodeError>> {
        self.then(move |world| {
            let folder = world.folder(&resource);
            let now = files(&folder);
            let before = resource.state.as_deref().and_then(Value::as_object);
            let mut before: Vec<_> = before.into_iter().flatten().collect();
            // A long loop must not fill the disk.
            if before.len() >= MOST_FILES {
                let (oldest, _) = before.remove(0);
                // A step that was cut off may already have removed the file.
                let _ = fs::remove_file(folder.join(oldest));
            }
            // A step that was cut off may also have left more files.
            for (name, content) in before {
                assert_eq!(
                    now.get(name),
                    Some(content),
                    "{name} changed between two steps"
                );
            }
            world.next += 1;
            let name = format!("step-{:06}", world.next);
            fs::write(folder.join(name), world.next.to_string()).unwrap();
            Ok(files(&folder))
        })
    }

    fn close(&self, resource: Resource) -> BoxFuture<'static, Result<Value, NodeError>> {
        self.then(move |world| {
            let folder = world.folder(&resource);
            if folder.exists() {
                if resource.restore {
                    let now = restore(&folder, &resource);
                    world.used.push(Used::Restored(resource.path.clone(), now));
                }
                fs::remove_dir_all(&folder).unwrap();
            }
            world.used.push(Used::Closed(resource.path));
            Ok(json!("removed"))
        })
    }
}

/// Gives every loop of a plan a folder. Every step that is not pure may change the folder.
pub fn give_folders(plan: &mut Arc<Plan>) {
    let plan = Arc::get_mut(plan).unwrap();
    let graphs = Arc::get_mut(&mut plan.graphs).unwrap();
    for graph in graphs.iter_mut() {
        if let Some(Repeat::Loop(config)) = &mut graph.repeat {
            Arc::get_mut(config).unwrap().resource = Some(ResourceConfig {
                kind: "folder".into(),
                request: Arc::new(json!({ "for": "a test" })),
                changed_by: EffectClass::Reads,
                undoes_unfinished: true,
                of_iteration: Map::new(),
            });
        }
    }
}
