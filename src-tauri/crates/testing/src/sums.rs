//! Checks that the usage of iterations and subflows is the sum of their nodes, that of loops the sum of their iterations, and
//! that of the run the sum of everything.

// A check reads better within the match arm than as its guard.
#![allow(clippy::collapsible_match)]

use std::collections::BTreeMap;

use loopwright_engine::{
    Usage,
    journal::{Completed, Entry, Fact, Failed, Input, Record},
};

/// Checks that each recorded sum equals the sum of its parts.
///
/// # Errors
/// Returns a description of the first sum that differs.
pub fn agree(records: &[Record]) -> Result<(), String> {
    let mut total = Usage::default();
    // The usage of all nodes in each iteration or subflow, including nested ones, by its path, such as `refine[2]`.
    let mut iterations: BTreeMap<String, Usage> = BTreeMap::new();
    let mut scopes: BTreeMap<&str, Usage> = BTreeMap::new();
    // Finished entries are removed, because a retried subflow uses the same paths again.
    for record in records {
        match &record.entry {
            Entry::Input(Input::ExecutionCompleted(Completed {
                outcome,
                scope: None,
                ..
            }))
            | Entry::Fact(Fact::NodeCompleted(Completed {
                outcome,
                scope: None,
                ..
            })) => {
                let spent = iterations.remove(&record.path).unwrap_or_default();
                if outcome
                    .inside
                    .as_deref()
                    .is_some_and(|inside| *inside != spent)
                {
                    return Err(format!(
                        "{} reports {:?}, but the nodes inside it spent {spent:?}",
                        record.path, outcome.inside
                    ));
                }
                total.add(&outcome.usage);
                for (at, _) in record.path.match_indices('/') {
                    iterations
                        .entry(record.path[..at].to_owned())
                        .or_default()
                        .add(&outcome.usage);
                }
            }
            Entry::Input(Input::ExecutionFailed(Failed {
                error, scope: None, ..
            }))
            | Entry::Fact(Fact::NodeFailed(Failed {
                error, scope: None, ..
            })) => {
                iterations.remove(&record.path);
                total.add(&error.usage);
                for (at, _) in record.path.match_indices('/') {
                    iterations
                        .entry(record.path[..at].to_owned())
                        .or_default()
                        .add(&error.usage);
                }
            }
            Entry::Input(Input::ExecutionFailed(Failed {
                error,
                scope: Some(_),
                ..
            }))
            | Entry::Fact(Fact::NodeFailed(Failed {
                error,
                scope: Some(_),
                ..
            })) => {
                let spent = scopes.remove(record.path.as_str()).unwrap_or_default();
                if spent != error.usage {
                    return Err(format!(
                        "{} reports {:?}, but its iterations spent {spent:?}",
                        record.path, error.usage
                    ));
                }
            }
            Entry::Fact(Fact::IterationCompleted { index, usage, .. }) => {
                let path = format!("{}[{}]", record.path, index + 1);
                let spent = iterations.remove(&path).unwrap_or_default();
                if spent != **usage {
                    return Err(format!(
                        "{path} reports {usage:?}, but its nodes spent {spent:?}"
                    ));
                }
                scopes.entry(&record.path).or_default().add(usage);
            }
            Entry::Input(Input::ExecutionCompleted(Completed {
                outcome,
                scope: Some(_),
                ..
            }))
            | Entry::Fact(Fact::NodeCompleted(Completed {
                outcome,
                scope: Some(_),
                ..
            })) => {
                let spent = scopes.remove(record.path.as_str()).unwrap_or_default();
                if spent != outcome.usage {
                    return Err(format!(
                        "{} reports {:?}, but its iterations spent {spent:?}",
                        record.path, outcome.usage
                    ));
                }
            }
            Entry::Fact(Fact::RunCompleted { usage, .. })
            | Entry::Fact(Fact::RunFailed { usage, .. }) => {
                if **usage != total {
                    return Err(format!(
                        "the run reports {usage:?}, but its nodes spent {total:?}"
                    ));
                }
            }
            _ => {}
        }
    }
    Ok(())
}
