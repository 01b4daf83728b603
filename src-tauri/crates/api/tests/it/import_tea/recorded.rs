//! Runs of other people's agents that TEA recorded. If an agent is imported completely, its run ends with the same state.

use std::fs;

use loopwright_engine::RunStatus;
use loopwright_import::{Options, Outcome, import};
use loopwright_testing::scripted::Reply;
use serde_json::{Value, json};

use super::{root, run};

/// The fields that are not compared: times, and records for observability.
const VOLATILE: [&str; 3] = ["timing_ms", "validated_at", "_observability"];

fn settled(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !VOLATILE.contains(&name.as_str()))
            .map(|(name, field)| (name.clone(), settled(field)))
            .collect(),
        Value::Array(items) => items.iter().map(settled).collect(),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| value.clone(), |number| json!(number)),
        other => other.clone(),
    }
}

/// The result of a recorded run in this program: as recorded, not runnable for some reason, or different.
enum End {
    Same,
    Kept(String),
    Differs(String),
}

fn compare(row: &Value) -> End {
    let text = row["config"].to_string();
    let imported = import(&text, &Options::default());
    if row.get("load_error").is_some() {
        return match imported {
            Err(_) => End::Same,
            Ok(imported) => match placeholder(&imported.report.entries) {
                Some(why) => End::Kept(why),
                None => End::Differs(format!("imported, where TEA says: {}", row["load_error"])),
            },
        };
    }
    let imported = match imported {
        Ok(imported) => imported,
        Err(error) => return End::Kept(error.to_string()),
    };
    if let Some(why) = placeholder(&imported.report.entries) {
        return End::Kept(why);
    }
    let reply = Reply {
        input_tokens: 10,
        output_tokens: 20,
        ..Reply::text("Test response")
    };
    let replies = vec![reply.clone(), reply];
    let (done, _) = run(&imported, &row["state"], replies);
    let ended = done.state.status;
    let recorded = &row["final"];
    if recorded["type"] == "interrupt" {
        // Runs in this test approve everything, so they do not stop. Instead, the flow must contain an approval.
        let stopped = imported
            .flow
            .nodes
            .iter()
            .any(|node| node.kind == "approval");
        return if stopped {
            End::Same
        } else {
            End::Differs("it did not stop for a person".to_owned())
        };
    }
    if recorded["type"] != "final" {
        return if ended == RunStatus::Failed {
            End::Same
        } else {
            End::Differs(format!(
                "{ended:?}, where TEA failed: {recorded} {}",
                row["raised"]
            ))
        };
    }
    let Some(outputs) = done
        .state
        .outputs
        .as_ref()
        .filter(|_| ended == RunStatus::Completed)
    else {
        let words = done.state.error.map(|error| error.message);
        return End::Differs(format!("{ended:?}: {words:?}"));
    };
    let (mine, theirs) = (settled(&outputs["state"]), settled(&recorded["state"]));
    if mine == theirs {
        End::Same
    } else {
        End::Differs(format!("{mine} where TEA has {theirs}"))
    }
}

fn placeholder(entries: &[loopwright_import::Entry]) -> Option<String> {
    entries
        .iter()
        .find(|entry| entry.outcome == Outcome::Placeholder)
        .map(|entry| entry.message.clone())
}

#[test]
fn recorded_runs_end_as_they_did_there() {
    let path = root().join("../shared/cases/tea/recorded-runs.jsonl");
    let Ok(text) = fs::read_to_string(path) else {
        return;
    };
    let (mut same, mut kept, mut differ) = (0, 0, Vec::new());
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let test = row["test"].as_str().unwrap_or_default();
        // The recorder stopped reading before the run was over.
        if row["raised"]
            .as_str()
            .is_some_and(|raised| raised.starts_with("GeneratorExit"))
        {
            continue;
        }
        match compare(&row) {
            End::Same => same += 1,
            End::Kept(why) => {
                kept += 1;
                println!(
                    "kept | {test} | {}",
                    why.chars().take(140).collect::<String>()
                );
            }
            End::Differs(how) => differ.push(format!("{test}: {how}")),
        }
    }
    println!(
        "{same} as recorded, {kept} kept from running, {} otherwise:",
        differ.len()
    );
    for how in &differ {
        println!("  {}", how.chars().take(700).collect::<String>());
    }
    assert!(
        same * 100 >= 95 * (same + differ.len()),
        "{same} of {}",
        same + differ.len()
    );
}

/// Python functions with the results that CPython returns, each in the only node of an agent.
#[test]
fn functions_give_what_cpython_gives() {
    let path = root().join("../shared/cases/scripts/scripts.json");
    let Ok(text) = fs::read_to_string(path) else {
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let (mut same, mut loud, mut differ) = (0, Vec::new(), Vec::new());
    for case in cases.iter().filter(|case| case["language"] == "python") {
        let id = case["id"].as_str().unwrap_or_default();
        let agent =
            json!({ "nodes": [{ "name": "step", "run": case["source"], "language": "python" }] });
        let imported = match import(&agent.to_string(), &Options::default()) {
            Ok(imported) => imported,
            Err(error) => {
                loud.push(format!("{id}: refused: {error}"));
                continue;
            }
        };
        if let Some(why) = placeholder(&imported.report.entries) {
            if case["ends"] == "error" {
                same += 1;
            } else {
                loud.push(format!("{id}: {why}"));
            }
            continue;
        }
        let (done, _) = run(&imported, &case["inputs"], Vec::new());
        match (done.state.outputs.as_ref(), done.state.status) {
            (Some(outputs), RunStatus::Completed) if case["ends"] == "value" => {
                let (mine, theirs) = (settled(&outputs["state"]), settled(&case["value"]));
                if mine == theirs {
                    same += 1;
                } else {
                    differ.push(format!("{id}: {mine}, where CPython gives {theirs}"));
                }
            }
            (_, RunStatus::Failed) if case["ends"] == "error" => same += 1,
            (_, RunStatus::Failed) => {
                let words = done.state.error.map(|error| error.message);
                loud.push(format!("{id}: {words:?}"));
            }
            (outputs, _) => differ.push(format!("{id}: {outputs:?}, where CPython raises")),
        }
    }
    let all = same + loud.len() + differ.len();
    println!(
        "{same} of {all} equal, {} refused or failed, {} different",
        loud.len(),
        differ.len()
    );
    for line in differ.iter().chain(&loud) {
        println!("  {}", line.chars().take(300).collect::<String>());
    }
    assert!(same * 100 >= all * 86, "{same} of {all}");
    assert!(differ.len() * 1000 <= all * 15, "{differ:#?}");
}
