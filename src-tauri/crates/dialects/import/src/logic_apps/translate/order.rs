//! Computes the order of actions from `runAfter`, and the conditions under which they run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::{
    error::ImportError,
    logic_apps::{
        document::{field, kind_of},
        expression::{NameSet, entry},
    },
};

/// Actions in an order that satisfies `runAfter`.
pub(super) struct Order<'a> {
    pub(super) names: Vec<&'a str>,
    /// Whether the source system could run some of the actions in parallel.
    pub(super) side_by_side: bool,
}

/// The actions that one action waits for, each with the states in which the wait is over.
type Waits<'a> = Vec<(&'a str, Vec<&'static str>)>;

fn run_after(action: &Value) -> Waits<'_> {
    let succeeded = vec!["Succeeded"];
    match action.get("runAfter") {
        Some(Value::Object(waits)) => waits
            .iter()
            .map(|(name, states)| {
                let states = match states {
                    Value::Array(_) | Value::String(_) => written(states)
                        .map(|written| state(written).unwrap_or("Succeeded"))
                        .collect(),
                    _ => succeeded.clone(),
                };
                (name.as_str(), states)
            })
            .collect(),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .map(|name| (name, succeeded.clone()))
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns the states of one entry of `runAfter`, as written.
fn written(states: &Value) -> impl Iterator<Item = &str> {
    let several = states.as_array().into_iter().flatten();
    several.chain([states]).filter_map(Value::as_str)
}

/// Returns the canonical spelling of a state, or `None` for an unknown state.
fn state(written: &str) -> Option<&'static str> {
    match written.to_ascii_lowercase().as_str() {
        "succeeded" | "success" | "completed" | "complete" => Some("Succeeded"),
        "failed" => Some("Failed"),
        "skipped" => Some("Skipped"),
        "timedout" | "timeout" => Some("TimedOut"),
        _ => None,
    }
}

/// Fails unless an action waits only for known states, and only for actions of the same map.
fn check(
    name: &str,
    action: &Value,
    actions: &Map<String, Value>,
    place: &str,
) -> Result<(), ImportError> {
    let refused =
        |message: String| ImportError::refused(format!("{place}.{name}.runAfter"), message);
    let waits = action.get("runAfter").and_then(Value::as_object);
    let mut states = waits.into_iter().flat_map(Map::values).flat_map(written);
    if let Some(unknown) = states.find(|written| state(written).is_none()) {
        return Err(refused(format!(
            "“{name}” waits for the unknown state “{unknown}”. The states are Succeeded, Failed, Skipped and TimedOut"
        )));
    }
    let mut on = run_after(action).into_iter().map(|(on, _)| on);
    match on.find(|on| !actions.contains_key(*on)) {
        Some(unknown) => Err(refused(format!(
            "“{name}” waits for “{unknown}”, which is not an action at the same level"
        ))),
        None => Ok(()),
    }
}

/// Orders the actions as in the document, except where `runAfter` requires another order. Fails if `runAfter` is invalid or
/// circular.
pub(super) fn order<'a>(
    actions: &'a Map<String, Value>,
    place: &str,
) -> Result<Order<'a>, ImportError> {
    let mut waits: BTreeMap<&str, Waits<'_>> = BTreeMap::new();
    for (name, action) in actions {
        check(name, action, actions, place)?;
        waits.insert(name, run_after(action));
    }
    let ordered = waits.values().any(|on| !on.is_empty());
    let mut names: Vec<&str> = Vec::new();
    let mut side_by_side = false;
    // Repeated passes over the remaining actions keep the document's order. A chain written backwards needs one pass per action.
    let mut left: Vec<&str> = actions.keys().map(String::as_str).collect();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    while !left.is_empty() {
        let is_ready = |name: &&str| waits[name].iter().all(|(on, _)| done.contains(on));
        let (ready, waiting): (Vec<&str>, Vec<&str>) = left.into_iter().partition(is_ready);
        if ready.is_empty() {
            let message = format!(
                "Circular dependency: {} wait for one another through `runAfter`",
                crate::naming::listed(waiting.into_iter())
            );
            return Err(ImportError::refused(place, message));
        }
        side_by_side |= ordered && ready.len() > 1;
        done.extend(&ready);
        names.extend(ready);
        left = waiting;
    }
    Ok(Order {
        names,
        side_by_side,
    })
}

/// The actions whose failure is caught, and those that run conditionally.
pub(super) struct Guards {
    pub(super) caught: BTreeSet<String>,
    /// The actions whose status a condition reads.
    pub(super) watched: BTreeSet<String>,
    /// The conditions under which actions run. An action without a condition always runs.
    pub(super) when: BTreeMap<String, String>,
}

impl Guards {
    pub(super) fn of(actions: &Map<String, Value>, asked: &NameSet) -> Self {
        let waits: Vec<(&str, Waits<'_>)> = actions
            .iter()
            .map(|(name, action)| (name.as_str(), run_after(action)))
            .collect();
        // An action whose failure or timeout another action waits for must be caught.
        let caught: BTreeSet<String> = waits
            .iter()
            .flat_map(|(_, on)| on)
            .filter(|(_, states)| states.contains(&"Failed") || states.contains(&"TimedOut"))
            .filter(|(name, _)| actions.get(*name).is_some_and(can_fail))
            .map(|(name, _)| (*name).to_owned())
            .collect();
        // Returns whether a dependency can remain unmet.
        let is_open = |guarded: &BTreeSet<&str>, on: &str, states: &[&str]| {
            caught.contains(on) || guarded.contains(on) || !states.contains(&"Succeeded")
        };
        let mut guarded: BTreeSet<&str> = BTreeSet::new();
        loop {
            let before = guarded.len();
            for (name, on) in &waits {
                if on.iter().any(|(on, states)| is_open(&guarded, on, states)) {
                    guarded.insert(name);
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
        for (name, on) in waits.iter().filter(|(name, _)| guarded.contains(name)) {
            let mut parts = Vec::new();
            for (on, states) in on
                .iter()
                .filter(|(on, states)| is_open(&guarded, on, states))
            {
                watched.insert((*on).to_owned());
                let is: Vec<String> = states.iter().map(|state| is(on, state)).collect();
                parts.push(match is.as_slice() {
                    [one] => one.clone(),
                    many => format!("({})", many.join(" or ")),
                });
            }
            when.insert((*name).to_owned(), parts.join(" and "));
        }
        Self {
            caught,
            watched,
            when,
        }
    }
}

/// Returns a template expression that tests an action's status. An action without a status was skipped.
fn is(name: &str, state: &str) -> String {
    let status = entry("status", name);
    format!("({status} | default(value=\"Skipped\")) == \"{state}\"")
}

/// Returns whether an action can fail. An action that stores a constant cannot fail, and neither can a scope of such
/// actions.
fn can_fail(action: &Value) -> bool {
    let Some(action) = action.as_object() else {
        return true;
    };
    let plain = |value: &Value| !value.to_string().contains('@');
    match kind_of(action).as_str() {
        "compose" | "setvariable" | "initializevariable" => !["inputs", "value", "variables"]
            .iter()
            .all(|name| action.get(*name).is_none_or(plain)),
        "scope" => field(action, "actions")
            .and_then(Value::as_object)
            .is_none_or(|actions| actions.values().any(can_fail)),
        _ => true,
    }
}
