//! Checks the branches of a router during validation.

use std::collections::HashMap;

use loopwright_model::{Node, Problem, kind::Data};
use serde_json::Value;

use super::branch::{bare, branches};
use crate::config;

/// Reports branches that cannot be distinguished or can never be taken, and a fallback that is not a branch.
pub(super) fn check(node: &Node, problems: &mut Vec<Problem>) {
    let title = node.title();
    let names = branches(&node.data);
    let mut error = |code, place: String, message: String| {
        problems.push(Problem::error(code, message).at(&node.id).place(place));
    };
    if names.is_empty() {
        error(
            "missing_branches",
            "branches".to_owned(),
            format!("\"{title}\" has no branches. Add at least one, such as `done`."),
        );
    }
    let mut first_of: HashMap<String, &str> = HashMap::new();
    let rules = node.text("mode").is_none_or(|mode| mode == "rules");
    for (index, name) in &names {
        let spoken = bare(name);
        let first = first_of.get(&spoken).copied();
        first_of.entry(spoken.clone()).or_insert(name);
        if spoken.is_empty() {
            error(
                "missing_name",
                format!("branches[{index}]"),
                format!(
                    "Branch {} of \"{title}\" needs a name with letters or digits. Give it one.",
                    index + 1
                ),
            );
        } else if let Some(first) = first {
            error(
                "duplicate_branch",
                format!("branches[{index}]"),
                format!(
                    "\"{title}\" has two branches called `{first}` (case and punctuation do not count). Rename one of them."
                ),
            );
        }
        let when = node
            .data
            .get("branches")
            .and_then(|branches| branches.get(*index)?.get("when")?.as_str());
        if rules
            && when.is_none_or(|when| when.trim().is_empty())
            && node.text("fallback") != Some(name)
        {
            error(
                "missing_condition",
                format!("branches[{index}].when"),
                format!(
                    "Branch `{name}` of \"{title}\" has no condition, so it can never be taken. Enter an expression, make it the \
                     fallback, or choose another mode."
                ),
            );
        }
    }
    if rules {
        unreachable(node, problems);
    }
    let mut error = |code, place: String, message: String| {
        problems.push(Problem::error(code, message).at(&node.id).place(place));
    };
    if let Some(fallback) = node.text("fallback").filter(|name| !name.is_empty())
        && !names.iter().any(|(_, name)| name == fallback)
    {
        error(
            "unknown_branch",
            "fallback".to_owned(),
            format!(
                "The fallback of \"{title}\" is `{fallback}`, which isn't one of its branches. Choose one of them or add it."
            ),
        );
    }
}

/// Returns the names of the branches that are never taken: those whose rule is missing, never true, or after a rule that is
/// always true. The fallback is included only if some rule is always true.
pub(super) fn never_taken(data: &Data) -> Vec<String> {
    let branches = data.get("branches").and_then(Value::as_array);
    let fallback = config::text(data, "fallback");
    let when = |branch: &Value| {
        let when = branch.get("when").and_then(Value::as_str);
        when.map_or("", str::trim).to_owned()
    };
    let decided = branches
        .into_iter()
        .flatten()
        .any(|branch| when(branch) == "true");
    let mut certain = false;
    let mut never = Vec::new();
    for branch in branches.into_iter().flatten() {
        let Some(name) = branch
            .as_str()
            .or_else(|| branch.get("name").and_then(Value::as_str))
        else {
            continue;
        };
        let when = when(branch);
        let by_rule = !certain && !matches!(&*when, "" | "false");
        let by_fallback = !decided && fallback == Some(name);
        if !by_rule && !by_fallback {
            never.push(name.to_owned());
        }
        certain |= when == "true";
    }
    never
}

/// Reports branches after a branch that is always taken.
fn unreachable(node: &Node, problems: &mut Vec<Problem>) {
    let branches = node.data.get("branches").and_then(Value::as_array);
    let mut rules = branches
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(index, branch)| {
            Some((
                index,
                branch.get("name")?.as_str()?,
                branch.get("when")?.as_str()?.trim(),
            ))
        });
    let Some((_, always, _)) = rules.find(|(_, _, when)| *when == "true") else {
        return;
    };
    for (index, name, when) in rules.filter(|(_, _, when)| !when.is_empty()) {
        problems.push(
            Problem::warning(
                "unreachable_branch",
                format!(
                    "Branch `{name}` of \"{}\" (`{when}`) can never be taken, because the branch `{always}` before it is always taken. Move `{name}` up.",
                    node.title()
                ),
            )
            .at(&node.id)
            .place(format!("branches[{index}].when")),
        );
    }
}
