//! `ralph.yml` of ralph-orchestrator.

use serde_json::Value;

use super::loop_file::{Command, LoopFile, near, positive};
use crate::{Outcome, format::FilesNear};

/// The maximum number of hats and gates.
const MOST: usize = 100;

pub(super) fn is_ours(value: &Value) -> bool {
    let has = |field: &str| value[field].is_object();
    has("event_loop") || (has("hats") && has("cli"))
}

pub(super) fn read(value: &Value, files: Option<&FilesNear>) -> LoopFile {
    let limits = &value["event_loop"];
    let cli = &value["cli"];
    let text = |value: &Value| value.as_str().map(str::trim).map(str::to_owned);
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let mut file = LoopFile {
        kind: "ralph-orchestrator",
        agent: filled(text(&cli["backend"])).or_else(|| filled(text(&cli["command"]))),
        agent_place: "cli.backend".to_owned(),
        max_iterations: positive(&limits["max_iterations"]),
        max_seconds: positive(&limits["max_runtime_seconds"]),
        max_usd: limits["max_cost_usd"].as_f64().filter(|usd| *usd > 0.0),
        promise: filled(text(&limits["completion_promise"])),
        ..LoopFile::default()
    };
    let named = filled(text(&limits["prompt_file"])).unwrap_or_else(|| "PROMPT.md".to_owned());
    let inline = filled(text(&limits["prompt"]));
    file.prompt_place = match inline {
        Some(_) => "event_loop.prompt".to_owned(),
        None => named.clone(),
    };
    file.prompt = match inline.or_else(|| near(files, &named)) {
        Some(prompt) => prompt,
        None => {
            let words = format!(
                "The prompt is in {named}, which is not next to this file. Write the prompt into the Agent node."
            );
            file.note(Outcome::Approximated, &named, words);
            String::new()
        }
    };
    let guardrails: Vec<&str> = strings(&value["core"]["guardrails"]);
    if !guardrails.is_empty() {
        let lines: Vec<String> = guardrails.iter().map(|line| format!("- {line}")).collect();
        file.prompt = format!("{}\n\n## Guardrails\n\n{}", file.prompt, lines.join("\n"));
        file.note(
            Outcome::Mapped,
            "core.guardrails",
            "The guardrails were added at the end of the prompt.",
        );
    }
    if let Some(promise) = file.promise.clone() {
        file.prompt = format!(
            "{}\n\nWhen everything is done, and only then, write {promise} on a line of its own.",
            file.prompt
        );
    }
    let gates = value["backpressure"]["gates"].as_array();
    for (index, gate) in gates.into_iter().flatten().take(MOST).enumerate() {
        let place = format!("backpressure.gates[{index}]");
        match text(&gate["command"]) {
            Some(run) if !run.is_empty() => file.checks.push(Command {
                name: text(&gate["name"]).unwrap_or_else(|| format!("gate_{}", index + 1)),
                run,
                timeout: positive(&gate["timeout"]),
                place,
                on_fail: text(&gate["on_fail"]).unwrap_or_default(),
            }),
            _ => file.note(Outcome::Ignored, &place, "This gate has no `command`."),
        }
    }
    let hats = value["hats"].as_object();
    for (id, hat) in hats.into_iter().flatten().take(MOST) {
        let name = text(&hat["name"]).unwrap_or_else(|| id.clone());
        file.unfit.push((
            name,
            format!("hats.{id}"),
            hat.clone(),
            "the event that one hat publishes chooses the next hat, but a Loop has no events",
        ));
    }
    file
}

fn strings(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .take(MOST)
        .collect()
}
