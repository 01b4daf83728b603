//! Shell scripts that compute and print, as Luau: nothing here runs a shell.
//!
//! What a script may have: variables, arithmetic, tests, `if`, `for`, `while`, `echo`, `printf` of a text, `exit`, `$(…)` of these, and pipes into
//! `grep -q`, `tr`, `wc`, `cat`, `head`, `tail`. Programs, files and everything else that reaches out of the script have no counterpart: the
//! whole script is kept then. Values keep the shell's rules: everything is text, and a number where it is counted with.
//! (POSIX.1-2017, Shell & Utilities, chapter 2.)

mod emit;
mod lex;
mod parse;
mod pattern;

use serde_json::{Map, Value};

/// Bytes of one script.
const MAX_LENGTH: usize = 32 * 1024;

/// A script in Luau, and what it is given.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) source: String,
    /// The templates that stand in the script, in the order of their globals `t1`, `t2`, ….
    pub(super) templates: Vec<String>,
    /// Whether it would sleep.
    pub(super) sleeps: bool,
}

/// Why a script has none, as the end of "it …".
pub(super) type Why = String;

/// Translates the script of a shell node, with its outputs.
pub(super) fn translate(data: &Map<String, Value>) -> Result<Translated, Why> {
    let script = match (data.get("script"), data.get("commands")) {
        (Some(Value::String(script)), _) if !script.trim().is_empty() => script.clone(),
        (_, Some(Value::Array(commands))) => {
            let lines: Option<Vec<&str>> = commands.iter().map(Value::as_str).collect();
            lines.ok_or("has commands that are no texts")?.join("\n")
        }
        _ => return Err("has no script".to_owned()),
    };
    if script.len() > MAX_LENGTH {
        return Err("is too long to be translated".to_owned());
    }
    let list = parse::script(&script)?;
    let fails = data.get("continueOnFailure") != Some(&Value::Bool(true));
    emit::script(&list, &outputs(data)?, fails)
}

/// An output that is read out of what was printed.
struct Extracted {
    name: String,
    how: How,
}

enum How {
    /// All of it.
    Whole,
    /// Luau patterns of which the first to fit is taken; the first group is the value.
    Patterns(Vec<String>),
    /// A path through what was printed as JSON.
    Path(Vec<String>),
}

fn outputs(data: &Map<String, Value>) -> Result<Vec<Extracted>, Why> {
    let mut found = Vec::new();
    let listed = data.get("outputs").and_then(Value::as_array);
    for output in listed.into_iter().flatten() {
        let Some(name) = output.get("name").and_then(Value::as_str) else {
            continue;
        };
        if ["output", "stdout", "stderr", "exitCode"].contains(&name)
            && output.get("extract").is_none()
        {
            continue;
        }
        let text = |field: &str| output.get("extract")?.get(field)?.as_str();
        let how = match (text("type"), text("pattern")) {
            (None | Some("full"), _) => How::Whole,
            (Some("regex"), Some(pattern)) => How::Patterns(pattern::patterns(pattern)?),
            (Some("json_path"), Some(path)) => How::Path(
                path.trim_start_matches('$')
                    .split('.')
                    .filter(|step| !step.is_empty())
                    .map(str::to_owned)
                    .collect(),
            ),
            (Some(other), _) => return Err(format!("has an output that is read out by `{other}`")),
        };
        found.push(Extracted {
            name: name.to_owned(),
            how,
        });
    }
    Ok(found)
}
