//! The workspaces of a run, as its records describe them: the state of the files after each iteration.

use std::{collections::BTreeMap, sync::Arc};

use loopwright_engine::journal::Select;
use loopwright_runs::{ApiError, Env};
use serde_json::Value;

use crate::tree::{RunTree, Step, Values};

/// The workspace of one of a run's loops.
#[derive(Debug, Clone, PartialEq)]
pub struct RunWorkspace {
    /// The path of the loop: `repair`.
    pub path: String,
    /// The hash of the workspace's initial tree.
    pub base: String,
    /// The iterations that changed files, by number from 1.
    pub iterations: BTreeMap<u32, WorkspaceIteration>,
    /// What the loop outputs about the workspace; `None` while the workspace is open.
    pub closed: Option<Arc<Value>>,
    /// The result of the loop, if the loop ended with the files of an earlier state than its last iteration; otherwise
    /// `None`.
    pub earlier: Option<EarlierResult>,
}

/// The result of a loop that ended with the files of an earlier state: those of its best iteration, or those before an iteration
/// that did not finish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierResult {
    pub tree: String,
    /// The number of the iteration whose step first recorded these files; 0 for the start.
    pub iteration: u32,
}

/// The files after an iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkspaceIteration {
    /// The hash of the tree after the iteration's last step.
    pub tree: String,
    /// The end of the iteration, in milliseconds since the Unix epoch, UTC; `None` if it did not end.
    pub ended_at: Option<i64>,
    pub score: Option<f64>,
    /// The cost of the iteration, in millionths of a dollar; `None` if it is unknown.
    pub cost_microusd: Option<u64>,
}

impl RunWorkspace {
    /// Returns the tree after an iteration. If the iteration changed no files, returns the tree of the last iteration before it
    /// that did.
    pub fn tree_after(&self, iteration: u32) -> &str {
        let changed = self.iterations.range(..=iteration).next_back();
        changed.map_or(&self.base, |(_, iteration)| &iteration.tree)
    }

    /// Returns the tree that is the result of the loop. While the loop is running, this is the tree after the last iteration.
    pub fn result_tree(&self) -> &str {
        match &self.earlier {
            Some(result) => &result.tree,
            None => self.tree_after(u32::MAX),
        }
    }
}

fn tree_of(value: &Value) -> Option<&str> {
    value.get("tree")?.as_str()
}

/// Returns the workspaces of a run's loops, in the order in which they were opened.
///
/// # Errors
/// Returns an error if the run does not exist or its records cannot be read.
pub fn run_workspaces(env: &Env, run_id: &str) -> Result<Vec<RunWorkspace>, ApiError> {
    let tree = RunTree::read(
        &*env.journal(),
        run_id,
        Select::All,
        Values::ShortResults(0),
    )?;
    Ok(workspaces_in(&tree))
}

/// Returns the workspaces of the loops in a run, like [`run_workspaces`].
pub(crate) fn workspaces_in(tree: &RunTree) -> Vec<RunWorkspace> {
    tree.loops()
        .filter_map(|(path, scope)| {
            let base = tree_of(scope.opened.as_deref()?)?.to_owned();
            let closed = scope.closed.clone().filter(|closed| !closed.is_null());
            let result = closed.as_deref().and_then(tree_of);
            let mut last: BTreeMap<u32, (u64, &str)> = BTreeMap::new();
            // If no step recorded the result's files, they are those of the start.
            let mut first_with_result = 0;
            for (number, seq, tree) in changes(tree, path) {
                if Some(tree) == result && (first_with_result == 0 || number < first_with_result) {
                    first_with_result = number;
                }
                let newest = last.entry(number).or_insert((seq, tree));
                if newest.0 <= seq {
                    *newest = (seq, tree);
                }
            }
            let newest = last.values().next_back().map_or(&*base, |(_, tree)| tree);
            let earlier = result
                .filter(|result| *result != newest)
                .map(|result| EarlierResult {
                    tree: result.to_owned(),
                    iteration: if result == base { 0 } else { first_with_result },
                });
            let iterations = last.iter().map(|(&number, (_, tree))| {
                let end = scope
                    .iterations
                    .get(&(number - 1))
                    .and_then(|iteration| iteration.end.as_ref());
                let usage = end.map(|end| end.usage);
                let iteration = WorkspaceIteration {
                    tree: (*tree).to_owned(),
                    ended_at: end.map(|end| end.at),
                    score: end.and_then(|end| end.score),
                    cost_microusd: usage
                        .filter(|usage| usage.calls > 0 && usage.unpriced_calls == 0)
                        .map(|usage| usage.cost_microusd),
                };
                (number, iteration)
            });
            Some(RunWorkspace {
                path: path.to_owned(),
                iterations: iterations.collect(),
                base,
                closed,
                earlier,
            })
        })
        .collect()
}

/// Returns the changes that steps inside a loop made to its files. Each has the number of the iteration, the sequence number
/// of the record, and the tree.
fn changes<'a>(tree: &'a RunTree, path: &str) -> impl Iterator<Item = (u32, u64, &'a str)> {
    let inside = format!("{path}[");
    tree.steps().filter_map(move |(at, step): (&str, &Step)| {
        let (number, _) = at.strip_prefix(&inside)?.split_once(']')?;
        let (seq, state) = step.state.as_ref()?;
        Some((
            number.parse().ok().filter(|number| *number > 0)?,
            *seq,
            tree_of(state)?,
        ))
    })
}
