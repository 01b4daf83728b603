//! Finds what code actions read from a run.

use std::collections::BTreeSet;

use crate::javascript;

/// The name of the object that gives an action's code access to the run.
pub(super) const CONTEXT: &str = "workflowContext";

/// The values that an action's code reads from a run.
#[derive(Default)]
pub(super) struct Reads {
    /// The actions, by the names that the code uses.
    pub(super) actions: BTreeSet<String>,
    pub(super) trigger: bool,
}

/// Returns the values that `code` reads from a run.
///
/// # Errors
/// Returns an error if the code is not a valid script or uses something that scripts do not have here. The error is the end of a
/// sentence that begins with "its code".
pub(super) fn reads(code: &str) -> Result<Reads, String> {
    let mut reads = Reads::default();
    for name in javascript::names(code, &[CONTEXT])? {
        let path: Vec<&str> = name.path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["actions", action, ..] => {
                reads.actions.insert((*action).to_owned());
            }
            ["trigger", ..] => reads.trigger = true,
            ["actions"] => {
                return Err(format!(
                    "reads an action of `{CONTEXT}` whose name is known only during the run"
                ));
            }
            [] => return Err(format!("reads `{CONTEXT}` as a whole")),
            [other, ..] => {
                return Err(format!("reads `{CONTEXT}.{other}`, which is unknown"));
            }
        }
    }
    for (is_read, what) in [
        (javascript::reads_clock(code), "the clock"),
        (javascript::reads_chance(code), "random numbers"),
    ] {
        if is_read {
            return Err(format!("uses {what}, which scripts do not have"));
        }
    }
    Ok(reads)
}
