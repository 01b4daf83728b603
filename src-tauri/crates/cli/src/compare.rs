//! `loopwright runs compare`: compares two runs as text.

use loopwright_api::App;
use loopwright_records as records;
use loopwright_records::{
    DiffKind, DiffPart, IterationSide, LoopSide, RunComparison, RunSummary, StepSide,
};
use loopwright_runs::ApiError;
use serde_json::Value;

use crate::{
    out::{outln, text},
    render::{calls, counted, dollars, duration, exit_title, print_json, word},
};

/// The maximum number of unchanged characters shown on each side of a change.
const AROUND: usize = 60;

pub(crate) fn compare(app: &App, a: &str, b: &str, json: bool) -> Result<(), ApiError> {
    let comparison = records::compare_runs(app.env(), a, b)?;
    if json {
        print_json(&comparison);
    } else {
        print(&comparison);
    }
    Ok(())
}

/// Prints one step of both runs in full.
///
/// # Errors
/// Returns an error if the step or one of the runs cannot be read.
pub(crate) fn step(app: &App, a: &str, b: &str, path: &str, json: bool) -> Result<(), ApiError> {
    let comparison = records::compare_step(app.env(), a, b, path)?;
    if json {
        print_json(&comparison);
        return Ok(());
    }
    for (name, parts) in [
        ("prompt", &comparison.prompt),
        ("output", &comparison.output),
    ] {
        if !parts.is_empty() {
            outln!("{path} {name}:");
            text(&marked(parts, usize::MAX));
        }
    }
    Ok(())
}

fn print(comparison: &RunComparison) {
    for (side, run) in [("A", &comparison.a), ("B", &comparison.b)] {
        outln!("{side}  {}", summary(run));
    }
    if let Some(at) = &comparison.forked_at {
        outln!("forked at {at}");
    }
    if !(comparison.settings.is_empty()
        && comparison.structure.is_empty()
        && comparison.inputs.is_empty())
    {
        outln!();
        outln!("Asked for");
    }
    for difference in &comparison.structure {
        let side = if difference.in_b { "B" } else { "A" };
        let what = if difference.is_wire { "wire" } else { "node" };
        outln!("  {what} {}: only in {side}", difference.what);
    }
    for field in &comparison.settings {
        let of = field.node.as_deref().unwrap_or("settings");
        text(&format!(
            "  {of}.{}: {}",
            field.field,
            change(&field.a, &field.b, &field.parts)
        ));
    }
    for input in &comparison.inputs {
        text(&format!(
            "  input {}: {}",
            input.name,
            change(&input.a, &input.b, &input.parts)
        ));
    }
    outln!();
    outln!("Result");
    for output in &comparison.outputs {
        if output.same {
            outln!("  output {}: the same", output.name);
        } else {
            outln!("  output {}:", output.name);
            text(&indented(&marked(&output.parts, usize::MAX)));
        }
    }
    for (side, error) in [("A", &comparison.error_a), ("B", &comparison.error_b)] {
        if let Some(error) = error {
            outln!("  {side} failed: {}", error.message);
        }
    }
    for row in &comparison.loops {
        outln!();
        outln!("{}", row.path);
        for (side, run) in [("A", &row.a), ("B", &row.b)] {
            match run {
                None => outln!("  {side}  did not run"),
                Some(run) => outln!("  {side}  {}", loop_line(run)),
            }
        }
    }
    outln!();
    outln!(
        "Steps: {} equal, {} different",
        comparison.same_steps,
        comparison.steps.len()
    );
    for step in &comparison.steps {
        outln!("  {}", step.path);
        for (side, run) in [("A", &step.a), ("B", &step.b)] {
            match run {
                None => outln!("    {side}  has no such step"),
                Some(run) => outln!("    {side}  {}", step_line(run)),
            }
        }
    }
    if !comparison.steps.is_empty() {
        outln!();
        outln!(
            "One step in full: loopwright runs compare {} {} --at PATH",
            comparison.a.run_id,
            comparison.b.run_id
        );
    }
}

fn summary(run: &RunSummary) -> String {
    let took = run
        .duration_ms
        .map_or_else(|| "not finished".to_owned(), duration);
    let cost = run
        .usage
        .cost_usd
        .map_or_else(|| "cost unknown".to_owned(), dollars);
    format!(
        "{}  {}  {}, {took}, {}, {} + {} tokens, {cost}",
        run.run_id,
        run.flow,
        word(&run.status),
        calls(run.usage.calls),
        run.usage.input_tokens,
        run.usage.output_tokens
    )
}

fn change(a: &Value, b: &Value, parts: &[DiffPart]) -> String {
    match (a, b) {
        (Value::String(_), Value::String(_)) => marked(parts, AROUND),
        _ => format!("{a} → {b}"),
    }
}

/// Marks changes as `[-removed-]` and `{+added+}`. At most `around` unchanged characters are shown next to each change.
fn marked(parts: &[DiffPart], around: usize) -> String {
    parts
        .iter()
        .map(|part| match part.kind {
            DiffKind::Removed => format!("[-{}-]", part.text),
            DiffKind::Added => format!("{{+{}+}}", part.text),
            DiffKind::Same => {
                let characters: Vec<char> = part.text.chars().collect();
                if characters.len() <= around.saturating_mul(2) {
                    return part.text.clone();
                }
                let (head, tail) = (
                    &characters[..around],
                    &characters[characters.len() - around..],
                );
                format!("{} … {}", String::from_iter(head), String::from_iter(tail))
            }
        })
        .collect()
}

fn indented(text: &str) -> String {
    format!("    {}", text.replace('\n', "\n    "))
}

fn loop_line(run: &LoopSide) -> String {
    let reason = run
        .exit_reason
        .map_or_else(|| "not finished".to_owned(), exit_title);
    let exhausted = if run.exhausted { ", exhausted" } else { "" };
    let row = |name: &str, of: &dyn Fn(&IterationSide) -> Option<f64>| {
        let values: Vec<String> = run
            .iterations
            .iter()
            .filter_map(of)
            .map(|value| format!("{value:.2}"))
            .collect();
        if values.is_empty() {
            String::new()
        } else {
            format!("; {name} {}", values.join(" "))
        }
    };
    format!(
        "{}, {reason}{exhausted}{}{}",
        counted(run.count, "iteration", "iterations"),
        row("similarity", &|iteration| iteration.similarity),
        row("score", &|iteration| iteration.score)
    )
}

fn step_line(step: &StepSide) -> String {
    let branch = step
        .branch
        .as_ref()
        .map_or_else(String::new, |branch| format!(" → {branch}"));
    let pinned = if step.pinned { " (pinned)" } else { "" };
    format!(
        "{}{pinned}{branch}: {}",
        word(&step.status),
        step.preview.replace('\n', " ")
    )
}
