//! In which order actions run, and which of them run only under a condition: `runAfter`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::refused;
use crate::{ImportError, loom::expression::NameSet};

/// Actions in an order that `runAfter` allows.
pub(super) struct Order {
    pub(super) names: Vec<String>,
    /// Some could run at once where they come from.
    pub(super) side_by_side: bool,
}

/// Which states of which action an action waits for.
fn run_after(action: &Value) -> Vec<(String, Vec<String>)> {
    match action.get("runAfter") {
        Some(Value::Object(waits)) => waits
            .iter()
            .map(|(name, states)| {
                let states = match states {
                    Value::Array(states) => {
                        states.iter().filter_map(Value::as_str).map(state).collect()
                    }
                    Value::String(one) => vec![state(one)],
                    _ => vec!["Succeeded".to_owned()],
                };
                (name.clone(), states)
            })
            .collect(),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .map(|name| (name.to_owned(), vec!["Succeeded".to_owned()]))
            .collect(),
        _ => Vec::new(),
    }
}

/// A state as this crate writes it.
fn state(written: &str) -> String {
    match written.to_ascii_lowercase().as_str() {
        "failed" => "Failed",
        "skipped" => "Skipped",
        "timedout" | "timeout" => "TimedOut",
        _ => "Succeeded",
    }
    .to_owned()
}

/// What a state may be called, in small letters.
const STATES: [&str; 8] = [
    "succeeded",
    "success",
    "completed",
    "complete",
    "failed",
    "skipped",
    "timedout",
    "timeout",
];

/// A state in an action's `runAfter` that there is none of.
fn unknown_state(action: &Value) -> Option<String> {
    let states = action.get("runAfter")?.as_object()?.values();
    states
        .flat_map(|states| match states {
            Value::Array(states) => states.iter().collect(),
            one => vec![one],
        })
        .filter_map(Value::as_str)
        .find(|state| !STATES.contains(&state.to_ascii_lowercase().as_str()))
        .map(str::to_owned)
}

/// The order of the document, moved as little as `runAfter` asks for.
pub(super) fn order(actions: &Map<String, Value>, place: &str) -> Result<Order, ImportError> {
    let mut waits: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, action) in actions {
        let on: Vec<String> = run_after(action)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        if let Some(unknown) = unknown_state(action) {
            return Err(refused(
                &format!("{place}.{name}.runAfter"),
                format!(
                    "“{name}” waits for the state “{unknown}”, which there is not. There are Succeeded, Failed, Skipped and TimedOut"
                ),
            ));
        }
        if let Some(unknown) = on.iter().find(|on| !actions.contains_key(*on)) {
            return Err(refused(
                &format!("{place}.{name}.runAfter"),
                format!("“{name}” waits for “{unknown}”, which is no action beside it"),
            ));
        }
        waits.insert(name, on);
    }
    let ordered = waits.values().any(|on| !on.is_empty());
    let mut names: Vec<String> = Vec::new();
    let mut side_by_side = false;
    // Loops over what is left keep the document's order; a chain written backwards is as long as it is.
    let mut left: Vec<&String> = actions.keys().collect();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    while !left.is_empty() {
        let ready: Vec<&String> = left
            .iter()
            .copied()
            .filter(|name| {
                waits[name.as_str()]
                    .iter()
                    .all(|on| done.contains(on.as_str()))
            })
            .collect();
        if ready.is_empty() {
            return Err(refused(
                place,
                format!(
                    "Circular dependency: {} wait for one another by `runAfter`",
                    crate::listed(left.iter().map(|name| name.as_str()))
                ),
            ));
        }
        side_by_side |= ordered && ready.len() > 1;
        for name in ready {
            done.insert(name);
            names.push(name.clone());
        }
        left.retain(|name| !done.contains(name.as_str()));
    }
    Ok(Order {
        names,
        side_by_side,
    })
}

/// What an action runs after, each with the states that it takes.
type Waits = Vec<(String, Vec<String>)>;

/// Who must be caught when it fails, and who runs only if.
pub(super) struct Guards {
    pub(super) caught: BTreeSet<String>,
    /// Whose status the conditions read.
    pub(super) watched: BTreeSet<String>,
    when: BTreeMap<String, String>,
}

impl Guards {
    pub(super) fn of(actions: &Map<String, Value>, asked: &NameSet) -> Self {
        let waits: Vec<(&String, Waits)> = actions
            .iter()
            .map(|(name, action)| (name, run_after(action)))
            .collect();
        let mut caught: BTreeSet<String> = waits
            .iter()
            .flat_map(|(_, on)| on)
            .filter(|(_, states)| {
                states
                    .iter()
                    .any(|state| state == "Failed" || state == "TimedOut")
            })
            .map(|(name, _)| name.clone())
            .collect();
        // Whose status an expression asks for may be asked when it failed.
        caught.retain(|name| actions.get(name).is_some_and(can_fail));
        let mut guarded: BTreeSet<String> = BTreeSet::new();
        loop {
            let before = guarded.len();
            for (name, on) in &waits {
                let open = on.iter().any(|(on, states)| {
                    caught.contains(on)
                        || guarded.contains(on)
                        || !states.iter().any(|state| state == "Succeeded")
                });
                if open {
                    guarded.insert((*name).clone());
                }
            }
            if guarded.len() == before {
                break;
            }
        }
        let mut watched: BTreeSet<String> = caught
            .iter()
            .filter(|name| asked.contains(name))
            .cloned()
            .collect();
        let mut when = BTreeMap::new();
        for (name, on) in waits.iter().filter(|(name, _)| guarded.contains(*name)) {
            let parts: Vec<String> = on
                .iter()
                .filter(|(on, states)| {
                    caught.contains(on)
                        || guarded.contains(on)
                        || !states.iter().any(|state| state == "Succeeded")
                })
                .map(|(on, states)| {
                    watched.insert(on.clone());
                    let is: Vec<String> = states.iter().map(|state| is(on, state)).collect();
                    match is.as_slice() {
                        [one] => one.clone(),
                        many => format!("({})", many.join(" or ")),
                    }
                })
                .collect();
            when.insert((*name).clone(), parts.join(" and "));
        }
        Self {
            caught,
            watched,
            when,
        }
    }

    /// The condition under which an action runs; `None`: always.
    pub(super) fn when(&self, name: &str) -> Option<&String> {
        self.when.get(name)
    }
}

/// The test of a status. An action that set none was skipped.
fn is(name: &str, state: &str) -> String {
    let name = super::tera_text(name).unwrap_or_default();
    format!("(input.status[{name}] | default(value=\"Skipped\")) == \"{state}\"")
}

/// Whether an action can fail at all: what computes nothing cannot.
fn can_fail(action: &Value) -> bool {
    let Some(action) = action.as_object() else {
        return true;
    };
    let plain = |value: &Value| !value.to_string().contains('@');
    match super::kind_of(action).as_str() {
        "compose" | "setvariable" | "initializevariable" => !["inputs", "value", "variables"]
            .iter()
            .all(|name| action.get(*name).is_none_or(plain)),
        "scope" => super::field(action, "actions")
            .and_then(Value::as_object)
            .is_none_or(|actions| actions.values().any(can_fail)),
        _ => true,
    }
}
