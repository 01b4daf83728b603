//! A run as text: one line for each event, without times, followed by the result.

use std::fmt::Write as _;

use loopwright_engine::{
    Event, EventBody, ExitReason, RunStatus, Usage,
    event::{Preview, parse_time},
    named::Named,
    outcome::UsageView,
};
use loopwright_model::value::describe;
use serde_json::Value;

use crate::Done;

/// The maximum number of characters of a value that a line shows.
const SHOWN: usize = 100;

/// Returns the trace of a run.
pub fn trace(done: &Done) -> String {
    let mut text = String::new();
    for event in &done.events {
        text.push_str(&line(event));
        text.push('\n');
    }
    text.push_str("---\n");
    text.push_str(&ending(done));
    text
}

/// Returns the status, outputs, warnings, usage and duration of a run as text.
pub fn ending(done: &Done) -> String {
    let state = &done.state;
    let mut text = format!("status {}\n", name(&state.status));
    if let Some(error) = &state.error {
        let node = error.node.as_deref().unwrap_or("-");
        let _ = writeln!(text, "error {} at {node}: {}", error.code, error.message);
    }
    for (output, value) in state.outputs.iter().flat_map(Named::iter) {
        let value = value.to_string();
        let cut: String = value.chars().take(600).collect();
        let more = if cut.len() < value.len() { "…" } else { "" };
        let _ = writeln!(text, "output {output} = {cut}{more}");
    }
    for warning in &state.warnings {
        let node = warning.node.as_deref().unwrap_or("-");
        let _ = writeln!(
            text,
            "warning {} at {node}: {}",
            warning.code, warning.message
        );
    }
    if state.usage != Usage::default() {
        let _ = writeln!(text, "usage{}", usage(&(&state.usage).into()));
    }
    // Timers are exact to a millisecond, and cases wait for multiples of ten.
    let took = done.took_ms / 10 * 10;
    if took > 0 {
        let _ = writeln!(text, "took {took} ms");
    }
    text
}

/// Returns the result of a run as text, without its values, because the wording of the built-in models is not under test.
pub fn shape(done: &Done) -> String {
    let state = &done.state;
    let mut text = format!("status {}\n", name(&state.status));
    if let Some(error) = &state.error {
        let _ = writeln!(text, "error {}", error.code);
    }
    for (output, value) in state.outputs.iter().flat_map(Named::iter) {
        let _ = writeln!(text, "output {output} is {}", describe(value));
    }
    for event in &done.events {
        if let EventBody::NodeCompleted {
            iterations_run,
            exit_reason,
            exhausted,
            ..
        } = &event.body
            && iterations_run.is_some()
        {
            let ended = ended(*iterations_run, *exit_reason, *exhausted);
            let _ = writeln!(text, "{} completed{ended}", event.path);
        }
    }
    for warning in &state.warnings {
        let node = warning.node.as_deref().unwrap_or("-");
        let _ = writeln!(text, "warning {} at {node}", warning.code);
    }
    let _ = writeln!(text, "{} calls", state.usage.calls);
    text
}

fn line(event: &Event) -> String {
    let path = if event.path.is_empty() {
        "run"
    } else {
        &event.path
    };
    let what = match &event.body {
        EventBody::Started { inputs, .. } => format!("started {}", inputs.to_object()),
        EventBody::Completed { .. } => "completed".to_owned(),
        EventBody::Failed { status, code, .. } => format!("{}: {code}", name(status)),
        EventBody::NodeStarted {
            max_iterations,
            input_preview,
        } => format!(
            "started{}{}",
            max_iterations.map_or_else(String::new, |most| format!(", at most {most}")),
            shown(input_preview.as_ref().map(Preview::text).as_deref()),
        ),
        EventBody::NodeCompleted {
            preview,
            usage: spent,
            branch,
            iterations_run,
            exit_reason,
            exhausted,
            ..
        } => format!(
            "completed{}{}{}{}",
            ended(*iterations_run, *exit_reason, *exhausted),
            branch
                .as_ref()
                .map_or_else(String::new, |branch| format!(", branch {branch}")),
            usage(spent),
            shown(Some(&preview.text())),
        ),
        EventBody::NodeFailed {
            code,
            message,
            usage: spent,
            iterations_run,
            exit_reason,
            exhausted,
            ..
        } => format!(
            "failed{}, {code}{}: {message}",
            ended(*iterations_run, *exit_reason, *exhausted),
            usage(spent),
        ),
        EventBody::NodeRetried {
            attempt,
            code,
            after_ms,
            ..
        } => format!("attempt {attempt} failed, {code}: again after {after_ms} ms"),
        EventBody::NodeParked {
            name, until, code, ..
        } => {
            let millis = |time: &str| parse_time(time).unwrap_or_default();
            let wait = millis(until) - millis(&event.at);
            format!("parked, {code}: waits for the quota of {name} for {wait} ms")
        }
        EventBody::NodeUnparked {} => "unparked".to_owned(),
        EventBody::NodeSkipped { reason, .. } => format!("skipped: {reason}"),
        EventBody::NodeWaiting { message, .. } => format!("waiting: {message}"),
        EventBody::Iteration {
            index,
            total,
            input_preview,
        } => format!(
            "iteration {}{} started{}",
            index + 1,
            total.map_or_else(String::new, |total| format!(" of {total}")),
            shown(Some(&input_preview.text())),
        ),
        EventBody::LoopPreparing { resource } => format!("prepares its {resource}"),
        EventBody::LoopPrepared { details } => format!("prepared: {details}"),
        EventBody::LoopCondition { index, result } => {
            format!("condition {}: {result}", index + 1)
        }
        EventBody::IterationCompleted {
            index,
            similarity,
            condition_result,
            score,
            usage: spent,
            result_preview,
            status,
            ..
        } => format!(
            "iteration {} {}{}{}{}{}{}",
            index + 1,
            name(status),
            similarity.map_or_else(String::new, |value| format!(", similarity {value:.3}")),
            condition_result.map_or_else(String::new, |met| format!(", condition {met}")),
            score.map_or_else(String::new, |score| format!(", score {score}")),
            usage(spent),
            shown(Some(&result_preview.text())),
        ),
        EventBody::NodeStreaming { .. } => "streaming".to_owned(),
        EventBody::NodeSilent { .. } => "silent".to_owned(),
        EventBody::NodeActivity { line, .. } => format!("activity {line}"),
        EventBody::Budget(budget) => {
            let of = |limit: Option<String>| {
                limit.map_or_else(String::new, |limit| format!(" of {limit}"))
            };
            format!(
                "budget: ${} spent, ${} reserved{}; {} tokens spent, {} reserved{}",
                budget.spent_usd,
                budget.reserved_usd,
                of(budget.budget_usd.map(|usd| format!("${usd}"))),
                budget.spent_tokens,
                budget.reserved_tokens,
                of(budget.budget_tokens.map(|tokens| tokens.to_string())),
            )
        }
        EventBody::BudgetSet {
            budget_usd,
            budget_tokens,
        } => format!("budget set: {budget_usd:?} dollars, {budget_tokens:?} tokens"),
        EventBody::Paused {} => "paused".to_owned(),
        EventBody::Continued {} => "continued".to_owned(),
        EventBody::Slept { slept_ms, .. } => format!("slept {slept_ms} ms"),
        EventBody::Trust(note) => format!("{:?} {}", note.verdict, note.items.join(", ")),
    };
    format!("{path} {what}")
}

fn ended(iterations: Option<u32>, reason: Option<ExitReason>, exhausted: Option<bool>) -> String {
    let Some(iterations) = iterations else {
        return String::new();
    };
    format!(
        " after {iterations}{}{}",
        reason.map_or_else(String::new, |reason| format!(", {}", name(&reason))),
        if exhausted == Some(true) {
            ", exhausted"
        } else {
            ""
        },
    )
}

fn usage(usage: &UsageView) -> String {
    if usage.calls == 0 {
        return String::new();
    }
    format!(
        " [{} calls, {} + {} tokens, ${}]",
        usage.calls,
        usage.input_tokens,
        usage.output_tokens,
        usage
            .cost_usd
            .map_or_else(|| "?".to_owned(), |usd| usd.to_string()),
    )
}

/// Formats a value for a line: escapes line breaks and truncates long strings.
fn shown(preview: Option<&str>) -> String {
    let Some(preview) = preview else {
        return String::new();
    };
    let text = preview.replace('\n', "\\n");
    let cut: String = text.chars().take(SHOWN).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!(" <{cut}{more}>")
}

/// Returns the JSON name of an enum variant.
pub fn name(value: &(impl serde::Serialize + std::fmt::Debug)) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        _ => format!("{value:?}"),
    }
}

/// Returns the final status of a run.
pub fn status(done: &Done) -> RunStatus {
    done.state.status
}
